"""States between two steps of native code: one block of bytes, which nobody changes, so that a copy is the same object.

Enters: blocks as c/steps.h describes them. Leaves: `FlatState`, which can be read like any other state: what Python's
form has is made when it is first read, its log of what steps told of their events.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from typing import Any, Literal

from rulelang.ir.nodes import Chance
from rulelang.native.block import StateBlocks
from rulelang.native.frames import WordForms
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Waiting

NUMBERS = ("rng", "over", "winners", "out", "deferred", "decisions", "turns")
"""What a block begins with."""
_numbers = struct.Struct("<Q6q")

_told = struct.Struct("<8q")
_word = struct.Struct("<q")
NODE, SEATS, OPTIONS, LISTED, FRAMES, WORDS, FLAGS, LENGTH, TOLD = range(9)
"""Places among the words behind the state, as c/steps.h has them."""
EXPLICIT, LOGGED = 1, 2
"""Bits of the flags; native code passes on those that it does not know."""


def told(block: bytes, size: int) -> tuple[int, ...]:
    """Return the words behind the state of a block, which has `size` bytes."""
    return _told.unpack_from(block, size)


def joined(state: bytes, frames: bytes, like: State, length: int = 0) -> bytes:
    """Return the block of a state's bytes and its frames, of which nothing is listed; `length`: see `Tape`."""
    flags = EXPLICIT * like.explicit | LOGGED * like.logging
    return state + _told.pack(0, 0, 0, -1, TOLD, TOLD + len(frames) // 8, flags, length) + frames


class Tape:
    """What was told of the steps of a game, to be read when its log is wanted. The states of one line of play share it:
    each knows how much was told until then. Who goes on from an earlier state begins another one.

    Args:
        origin: what stands before the first step: a state with its log, what makes one, or another tape.

    Attributes:
        words: how much was told before the first step, how many words follow; then of each step its words, as
            c/objects.h has them; then room for more.
        choices: how much was told before a step -> block, seat and index of what was chosen, if its words don't tell.
    """

    __slots__ = ("choices", "logs", "origin", "words")

    def __init__(self, origin: State | Callable[[], State] | Tape, words: bytearray | None = None) -> None:
        self.origin = origin
        self.words = bytearray(2 * _word.size) if words is None else words
        self.choices: dict[int, tuple[bytes, int, int]] = {}
        self.logs: dict[int, Log] = {}

    @property
    def start(self) -> int:
        """How much was told before the first step."""
        return int(_word.unpack_from(self.words)[0])

    def log(self, length: int, form: BlockDecoder, decisions: int) -> Log:
        """Return the log of a state, of which each step is read once.

        Args:
            length: how much was told until then. form: reads steps. decisions: how many were made.

        Raises:
            LogFullError: it has more entries than a log may have.
        """
        line = [self]
        while not line[-1].logs and isinstance(line[-1].origin, Tape):
            line.append(line[-1].origin)
        log: Log | None = None
        for tape, end in zip(reversed(line), [*(tape.start for tape in line[-2::-1]), length], strict=True):
            if not tape.logs:
                if log is None:
                    assert not isinstance(tape.origin, Tape)
                    log = (tape.origin if isinstance(tape.origin, State) else tape.origin()).log
                tape.logs[tape.start] = log
            at = min(end, next(reversed(tape.logs)))
            log = tape.logs[at]
            while at < end:
                place = _word.size * (2 + at - tape.start)
                size = abs(_word.unpack_from(tape.words, place)[0])
                step = bytes(tape.words[place + _word.size : place + size * _word.size])
                for entry in form.entries(step, tape.choices.get(at)):
                    log = log.append(entry, decisions)
                log = tape.logs.setdefault(at := at + size, log)
        assert log is not None
        return log


class BlockDecoder:
    """The decoder of blocks.

    Attributes:
        layout: of the games. blocks, forms: encode states and frames. size: the bytes of a state.
    """

    def __init__(self, layout: Layout, blocks: StateBlocks, forms: WordForms) -> None:
        self.layout, self.blocks, self.forms = layout, blocks, forms
        self.size = ctypes.sizeof(blocks.type)
        self._waits: dict[tuple[int, int], Waiting] = {}

    def unpack(self, block: bytes, state: State) -> None:
        """Set a state, all but its layout, frames, log and fuel, to what a block says."""
        self.blocks.unpack(self.blocks.type.from_buffer_copy(block), state)

    def entries(self, step: bytes, choice: tuple[bytes, int, int] | None) -> Iterable[Entry]:
        """Return the entries of the log that a step of a tape stands for: its words, and its choice (see `Tape`)."""
        del step, choice
        return ()

    def waiting_at(self, block: bytes) -> Waiting | None:
        """Return what a state waits for, memoised; None if the game is over."""
        node, seats, *_ = told(block, self.size)
        if node and (node, seats) not in self._waits:
            program, number = self.layout.program, (node - 1) // 2
            if node % 2:
                asked = tuple(seat for seat in range(self.layout.parties) if seats >> seat & 1)
                waiting = Waiting("decision", asked, number, None, program.decisions[number].site)
            else:
                chance = program.procedures[number].blocks[seats].terminator
                assert isinstance(chance, Chance)
                waiting = Waiting("chance", (), -1, chance, chance.site)
            self._waits[node, seats] = waiting
        return self._waits.get((node, seats))


class FlatState(State):
    """A state that native code left, or will go on from.

    Attributes:
        block: the state as native code has it. tape: how it was reached.
        waiting: what the state waits for; None if the game is over; False: the block tells.
    """

    is_flat = True
    block: bytes
    tape: Tape
    __slots__ = ("_form", "block", "tape", "waiting")

    def __init__(  # State's would make what is made when it is wanted
        self, form: BlockDecoder, block: bytes, tape: Tape, waiting: Waiting | Literal[False] | None = False
    ) -> None:
        self._form, self.block, self.tape = form, block, tape
        if waiting is not False:
            self.waiting = waiting

    def word(self, place: int) -> int:
        """Return one of the words behind the state."""
        return int(_word.unpack_from(self.block, self._form.size + _word.size * place)[0])

    @property
    def count(self) -> int:
        """How many options the first seat has, or outcomes chance; -1: native code has not listed them."""
        return self.options if self.word(LISTED) >= 0 else -1

    @property
    def options(self) -> int:
        """How many options the first seat has, listed or not, or outcomes chance; 0 if native code was not asked."""
        return self.word(OPTIONS)

    @property
    def limited(self) -> bool:
        """Whether `limits` ended the game."""
        return bool(_word.unpack_from(self.block, _numbers.size)[0])

    @property
    def words(self) -> bytes:
        """The frames as native code has them."""
        size = self._form.size
        return self.block[size + 8 * self.word(FRAMES) :]

    def __getattr__(self, name: str) -> Any:
        """Decode the block when an attribute is first read: only called for attributes that are not set."""
        if name == "log":
            self.log = self.tape.log(self.word(LENGTH), self._form, self.decisions)
        elif name == "waiting":
            self.waiting = self._form.waiting_at(self.block)
        elif name in NUMBERS:
            for number, value in zip(NUMBERS, _numbers.unpack_from(self.block), strict=True):
                setattr(self, number, value)
        elif name == "frames":
            self.frames = self._form.forms.read(self.words)
        elif name in ("layout", "fuel", "explicit", "logging"):
            self.layout = self._form.layout
            self.fuel = self.layout.program.fuel
            flags = self.word(FLAGS)
            self.explicit, self.logging = flags & EXPLICIT != 0, flags & LOGGED != 0
        elif name in State.__slots__:
            self._form.unpack(self.block, self)
        else:
            raise AttributeError(name)
        return object.__getattribute__(self, name)
