"""For all tests: what was started in the background ignores Ctrl-C, and so would every command that tests start."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
