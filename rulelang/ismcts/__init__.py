"""Information-set Monte Carlo tree search in native code; worlds that a seat can't tell from the true one.

Enters: `NativeCode` of a layout. Leaves: its `SearchLibrary` (library.py), in whose procedures a search chooses and is
told what a seat sees (procedures.py, c/pilot.h, c/search.h); `NativeWorlds` (worlds.py).
"""
