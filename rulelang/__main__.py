"""The program `rulelang`, also `python -m rulelang`.

Enters: the process's arguments. Leaves: its exit status. Nothing is imported before Ctrl-C is looked after: it ends the
program quietly at whatever moment it comes.
"""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130


def main() -> None:
    """Runs the command line."""
    gc.disable()  # what is imported stays; `cli.main` begins to collect
    try:
        from rulelang import cli

        status = cli.main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except RuntimeError as error:  # Python 3.11 wraps what comes while it makes a class, in `__set_name__`
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        status = INTERRUPTED
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is ending; a second Ctrl-C would only show where
    gc.freeze()  # else Python looks for cycles in all that is there before it ends: 0.13 of the 0.63 s of a check
    sys.exit(status)


if __name__ == "__main__":
    main()
