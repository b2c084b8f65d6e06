"""States between two steps of native code: one block of bytes, which nobody changes, so that a copy is the same object.

Enters: blocks as c/steps.h describes them. Leaves: `FlatState`, which can be read like any other state: what Python's
form has is made when it is first read, its log of what steps told of their events.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from rulelang.runtime.layout import Layout
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Waiting

NUMBERS = ("rng", "over", "winners", "out", "deferred", "decisions", "turns")
"""What a block begins with."""
_numbers = struct.Struct("<Q6q")
_capped = struct.Struct("<q")

_told = struct.Struct("<7q")
OPTIONS, LISTED, FRAMES, WORDS, FLAGS, TOLD = range(2, 8)
"""Places among the words behind the state, as c/steps.h has them."""
EXPLICIT, LOGGED = 1, 2
"""Bits of the flags; native code passes on those that it does not know."""


def told(block: bytes, size: int) -> tuple[int, ...]:
    """Return the words behind the state of a block, which has `size` bytes."""
    return _told.unpack_from(block, size)


def joined(state: bytes, frames: bytes, like: State) -> bytes:
    """Return the block of a state's bytes and its frames, of which nothing is listed."""
    flags = EXPLICIT * like.explicit | LOGGED * like.logging
    return state + _told.pack(0, 0, 0, -1, TOLD, TOLD + len(frames) // 8, flags) + frames


def capped(block: bytes) -> bool:
    """Return whether `limits` ended the game."""
    return bool(_capped.unpack_from(block, _numbers.size)[0])


class Tape:
    """What was told of the steps of a game, to be read when its log is wanted. The states of one line of play share it:
    each knows how much of it is its own. Who goes on from an earlier state begins another one.

    Args:
        origin: what stands before the first step: a state with its log, what makes one, or the first so much of a tape.
    """

    __slots__ = ("_logs", "_origin", "steps")

    def __init__(self, origin: State | Callable[[], State] | tuple[Tape, int]) -> None:
        self._origin = origin
        self.steps: dict[int, Any] = {}
        self._logs: dict[int, Log] = {}

    def log(self, length: int, form: Form, decisions: int) -> Log:
        """Return the log of a state, of which each step is read once.

        Args:
            length: how much of the tape is the state's. form: reads steps. decisions: how many were made.

        Raises:
            LogFullError: it has more entries than a log may have.
        """
        line, tape = [(self, length)], self
        while not tape._logs and isinstance(tape._origin, tuple):
            tape, length = tape._origin
            line.append((tape, length))
        log: Log | None = None
        for tape, length in reversed(line):
            if not tape._logs:
                if log is None:
                    origin = tape._origin
                    assert not isinstance(origin, tuple)
                    log = (origin if isinstance(origin, State) else origin()).log
                tape._logs[tape._origin[1] if isinstance(tape._origin, tuple) else 0] = log
            at = min(length, next(reversed(tape._logs)))
            log = tape._logs[at]
            while at < length:
                step = tape.steps[at]
                for entry in form.entries(step):
                    log = log.append(entry, decisions)
                log = tape._logs.setdefault(at := at + room(step), log)
        assert log is not None
        return log


def room(step: Any) -> int:
    """Return how much of a tape a step takes: at least as much as its entries count against the bound of a log."""
    return len(step) // 8 if isinstance(step, bytes) else 1 + len(step[-1]) // 8


class Form(Protocol):
    """The decoder of blocks; `size`: the bytes of a state."""

    layout: Layout
    size: int

    def unpack(self, block: bytes, state: State) -> None:
        """Set a state, all but its layout, frames, log and fuel, to what a block says."""

    def read_frames(self, frames: bytes) -> list[Frame]:
        """Decode frames."""

    def entries(self, step: Any) -> Iterable[Entry]:
        """Return the entries of the log that a step of a tape stands for."""


class FlatState(State):
    """A state that native code left, or will go on from.

    Attributes:
        block: the state as native code has it.
        tape, length: how it was reached: so much of the tape.
        waiting: what the state waits for; None if the game is over.
        count: how many options the first seat has, or outcomes chance; -1: native code has not listed them.
    """

    is_flat = True
    __slots__ = ("_form", "block", "count", "length", "tape", "waiting")

    def __init__(  # not State's: what that sets is made when it is wanted
        self, form: Form, block: bytes, tape: Tape, length: int, waiting: Waiting | None, count: int = -1
    ) -> None:
        self._form = form
        self.block = block
        self.tape = tape
        self.length = length
        self.waiting = waiting
        self.count = count

    @property
    def options(self) -> int:
        """How many options the first seat has, listed or not, or outcomes chance; 0 if native code was not asked."""
        return told(self.block, self._form.size)[OPTIONS]

    @property
    def words(self) -> bytes:
        """The frames as native code has them."""
        size = self._form.size
        return self.block[size + 8 * told(self.block, size)[FRAMES] :]

    def __getattr__(self, name: str) -> Any:
        """Decode the block when an attribute is first read: only called for attributes that are not set."""
        if name == "log":
            self.log = self.tape.log(self.length, self._form, self.decisions)
        elif name in NUMBERS:
            for number, value in zip(NUMBERS, _numbers.unpack_from(self.block), strict=True):
                setattr(self, number, value)
        elif name == "frames":
            self.frames = self._form.read_frames(self.words)
        elif name in ("layout", "fuel", "explicit", "logging"):
            self.layout = self._form.layout
            self.fuel = self.layout.program.fuel
            flags = told(self.block, self._form.size)[FLAGS]
            self.explicit, self.logging = flags & EXPLICIT != 0, flags & LOGGED != 0
        elif name in State.__slots__:
            self._form.unpack(self.block, self)
        else:
            raise AttributeError(name)
        return object.__getattribute__(self, name)
