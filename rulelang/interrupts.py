"""Ctrl-C and SIGTERM where they must wait.

Enters: nothing. Leaves: a block that is finished before they take effect.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def finishing() -> Iterator[None]:
    """Defer Ctrl-C and SIGTERM until the block has ended, for steps that must not be left half done."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals end nothing here
        return
    came: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number in before:
            signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
    for waiting in came:
        signal.raise_signal(waiting)
