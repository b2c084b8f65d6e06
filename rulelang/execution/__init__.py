"""Which executor runs a game: the interpreter alone, or native code where there is any."""
