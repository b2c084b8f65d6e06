"""Single steps in native code: from one node to the next, on flat states.

Enters: an interpreter and a library; flat states, and what is chosen there, or drawn. Leaves: the flat states that
follow. The answer None leaves a step to the interpreter.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any
from weakref import finalize

from rulelang.diagnostics import UsageError
from rulelang.ir.nodes import Chance
from rulelang.limits import current
from rulelang.native.analysis import Analysis
from rulelang.native.block import Blocks, TooLargeError
from rulelang.native.flat import NUMBERS, FlatState, Step, Story, Told, capped
from rulelang.native.frames import Forms
from rulelang.native.rows import outcome_of, row_width
from rulelang.runtime.definition import Definition
from rulelang.runtime.log import most_events
from rulelang.runtime.outcome import Outcome
from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Option, Waiting, plain

STATUS, STOPPED, DECISION, SEATS, OPTIONS, LISTED, FRAMES, END, TOLD = range(9)
"""Places in what is told of a step, as c/steps.h has them."""
OVER, FAILED = 1, 2
ASKED = 1
NOTHING_CHOSEN, LIST_AGAIN = -1, -2
NOBODY = -1
NO_FRAMES = bytes(16)
FEW_OPTIONS = 64
"""So many options are stored with a step until its log is asked for; of more, only the chosen one, which is read at
once: a long game would take a megabyte for each step."""


class Listed(Sequence[Option]):
    """The options that native code listed. The first one that is wanted is read alone (a random game of a
    large ruleset wants one of 40, and takes half the time so), all of them when a second one is."""

    __slots__ = ("_first", "_found", "_read", "_size")

    def __init__(self, read: Callable[[int | None], list[Option]], size: int) -> None:
        self._read, self._size = read, size
        self._first: tuple[int, Option] | None = None
        self._found: list[Option] | None = None

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        """Return an option: the first one asked for is made alone, with a second one all of them."""
        if self._found is None:
            if self._first is None and isinstance(place, int) and 0 <= place < self._size:
                self._first = place, self._read(place)[0]
            if self._first is not None and self._first[0] == place:
                return self._first[1]
            self._found = self._read(None)
        return self._found[place]


class NoMemoryError(UsageError):
    """Native code gets no memory to run in; the interpreter may do with less."""


def new_machine(library: Any, owner: object) -> Any:
    """Return what a library plays on, to be freed when nothing refers to its owner any more.

    Raises:
        NoMemoryError: there is no memory for it.
    """
    library.rulelang_new.restype = ctypes.c_void_p
    library.rulelang_free.argtypes = [ctypes.c_void_p]
    machine = library.rulelang_new()
    if not machine:
        raise NoMemoryError("there is no native code: there is not enough memory for it")
    finalize(owner, library.rulelang_free, machine).atexit = False
    return machine


class Steps:
    """Goes on with games of one layout. Threads may share it.

    Args:
        interpreter: makes states, and their logs. library: built from a text with steps. facts: those of the layout.
    """

    def __init__(self, interpreter: Definition, library: Any, flat: Blocks, forms: Forms, facts: Analysis) -> None:
        """Declare the types of the library's functions, and allocate the blocks that they write to."""
        self._interpreter, self._flat, self._forms, self._facts = interpreter, flat, forms, facts
        self._decisions = interpreter.program.decisions
        word, pointer = ctypes.c_int64, ctypes.c_void_p
        self._native = new_machine(library, self)
        library.rulelang_told.restype = word
        library.rulelang_step.argtypes = [pointer, *[ctypes.c_char_p] * 2, *[word] * 3, pointer, pointer]
        library.rulelang_step.restype = None
        library.rulelang_position.argtypes = [ctypes.c_char_p, pointer]
        library.rulelang_position.restype = word
        library.rulelang_rows.argtypes = [pointer, *[ctypes.c_char_p] * 3, word, pointer]
        self._rows, self._row = library.rulelang_rows, (word * row_width(interpreter.layout))()
        self._key = None if any(interpreter.layout.interchangeable) else library.rulelang_position
        self._step = library.rulelang_step
        self._report = (word * library.rulelang_told())()
        self._size = ctypes.sizeof(flat.type)
        self._after = ctypes.create_string_buffer(self._size)
        self._report_at, self._out = ctypes.addressof(self._report), ctypes.addressof(self._after)
        self._lock = threading.Lock()
        fresh = interpreter.new_state()
        self._fresh, self._fresh_words = bytes(flat.packed(fresh)), forms.written(fresh.frames)
        self._waits: dict[tuple[int, int, int], Waiting] = {}
        self._shapes: dict[int, list[tuple[int, list[int]]]] = {}

    # ---- forms

    def unpack(self, block: bytes, frames: bytes, state: State) -> None:
        """See `Form`."""
        self._flat.unpack(self._flat.type.from_buffer_copy(block), state)
        state.frames = self._forms.read(frames)

    def read_frames(self, frames: bytes) -> list[Frame]:
        """See `Form`."""
        return self._forms.read(frames)

    def flattened(self, state: State) -> FlatState | None:
        """Return the flat form of a state, which is not changed any more; None where rules don't lead to it, or the
        game is over."""
        if isinstance(state, FlatState):
            return state
        if not state.frames or not self._facts.hold_for(state):
            return None
        if (packed := self._bytes(state)) is None:
            return None
        block, words = packed
        flat = FlatState(self, state, block, words, Story(state), self._interpreter.waiting(state))
        for name in ("v", "z", "where", "pools", "frames", *NUMBERS):
            setattr(flat, name, getattr(state, name))
        return flat

    def key(self, state: State) -> bytes | None:
        """Return what equals for two states exactly if their hashes do; None where native code can't tell."""
        if self._key is None or (packed := self._bytes(state)) is None:
            return None
        block, words = packed
        with self._lock:
            if not self._key(block, self._out):
                return None
            digest = blake2b(self._after, digest_size=16)
        digest.update(words)
        return digest.digest()

    def outcome(self, state: State) -> Outcome | None:
        """Return what came of a finished game; None where a rule goes wrong, or the state is not flat."""
        if not isinstance(state, FlatState):
            return None
        with self._lock:
            self._rows(self._native, state.block, NO_FRAMES, state.block, 1, self._row)
            return outcome_of(self._interpreter.layout, self._row[:])

    def _bytes(self, state: State) -> tuple[bytes, bytes] | None:
        """Return the state and its frames as native code has them; None where the state is too large."""
        if isinstance(state, FlatState):
            return state.block, state.words
        with suppress(TooLargeError):
            return bytes(self._flat.packed(state)), self._forms.written(state.frames)
        return None

    # ---- steps

    def initial_state(self, seed: int, explicit: bool, logging: bool) -> FlatState | None:
        """Return a game after its setup; None where native code gives up."""
        new = self._interpreter.new_state(seed, explicit, logging)
        block = new.rng.to_bytes(8, "little") + self._fresh[8:]
        before = FlatState(self, new, block, self._fresh_words, Story(new), None)
        return self._run(before, NOTHING_CHOSEN, NOBODY, self._interpreter.advance)

    def after_choice(self, state: State, seat: int, options: Sequence[Option], index: int) -> FlatState | None:
        """Return the state after a choice; None where native code gives up, or the state is not flat."""
        if not isinstance(state, FlatState):
            return None
        interpreter = self._interpreter
        # The story of a state refers to what was chosen: of a long list only that is kept.
        story_options, at = (options, index) if len(options) <= FEW_OPTIONS else ((options[index],), 0)

        def step(logged: State) -> None:
            interpreter.choose(logged, seat, story_options[at])

        return self._run(state, index, seat, step)

    def after_chance(self, state: State, outcome: Any, draw: int) -> FlatState | None:
        """Return the state after an outcome of explicit chance; None where native code gives up, or it is not flat.

        Args:
            draw: the weight of the outcomes before it, which is the least number that draws it.
        """
        if not isinstance(state, FlatState):
            return None
        interpreter = self._interpreter

        def step(logged: State) -> None:
            interpreter.take_outcome(logged, outcome)

        return self._run(state, draw, NOBODY, step)

    def with_rng(self, state: State, rng: int) -> FlatState | None:
        """Return the same state with another state of its generator; None where it is not flat."""
        if not isinstance(state, FlatState):
            return None

        def step(logged: State) -> None:
            logged.rng = rng

        block = rng.to_bytes(8, "little") + state.block[8:]
        after = FlatState(self, state, block, state.words, Story(state.story, step), state.waiting)
        after.asked = state.asked
        return after

    def waiting(self, state: State) -> Waiting | None:
        """Return what a flat state waits for; None when the game is over, or the state is not flat."""
        return state.waiting if isinstance(state, FlatState) else None

    def _run(self, before: FlatState, choice: int, seat: int, step: Step) -> FlatState | None:
        """Run a single step and return the state after it; None if native code leaves it to the interpreter."""
        steps = before.story.length
        if steps >= current().events and steps >= most_events(before.decisions):
            return None  # the log, which every step adds to, has no room for them
        report = self._go(before, choice, seat)
        if report is None:
            return None
        head, listed, words, block = report
        waiting = None if head[STATUS] == OVER else self._waiting(head[STOPPED], head[DECISION], head[SEATS])
        state = FlatState(self, before, block, words, Story(before.story, step), waiting)
        if waiting is None:
            if capped(block):
                self._interpreter.capped = state
        else:
            state.asked = head[OPTIONS], head[LISTED], listed
        return state

    def _go(self, before: FlatState, choice: int, seat: int) -> tuple[list[int], bytes, bytes, bytes] | None:
        """Run a step; return its report: numbers, the words of options, those of frames, the block. None where it
        failed."""
        report = self._report
        with self._lock:
            self._step(
                self._native, before.block, before.words, choice, seat, before.explicit, self._out, self._report_at
            )
            head = report[:TOLD]
            if head[STATUS] == FAILED:
                return None
            listed = ctypes.string_at(self._report_at + 8 * TOLD, 8 * (head[FRAMES] - TOLD))
            frames = ctypes.string_at(self._report_at + 8 * head[FRAMES], 8 * (head[END] - head[FRAMES]))
            return head, listed, frames, ctypes.string_at(self._out, self._size)

    def _waiting(self, stopped: int, number: int, detail: int) -> Waiting:
        """Return the pending node: a decision by number, with a bit set of seats; chance by procedure and block."""
        key = stopped, number, detail
        if key not in self._waits:
            program = self._interpreter.program
            if stopped == ASKED:
                seats = tuple(seat for seat in range(self._interpreter.layout.parties) if detail >> seat & 1)
                self._waits[key] = Waiting("decision", seats, number, None, self._decisions[number].site)
            else:
                chance = program.procedures[number].blocks[detail].terminator
                assert isinstance(chance, Chance)
                self._waits[key] = Waiting("chance", (), -1, chance, chance.site)
        return self._waits[key]

    # ---- options

    def _asked(self, state: State, seat: int) -> Told | None:
        """Return the report on the node at which a state waits, with the options of a seat; None where they were not
        listed, or the state is not flat."""
        if not isinstance(state, FlatState) or state.waiting is None:
            return None
        asked = state.asked
        if asked is None or seat not in (NOBODY, *state.waiting.seats[:1]):
            report = self._go(state, LIST_AGAIN, seat)
            asked = None if report is None else (report[0][OPTIONS], report[0][LISTED], report[1])
        return asked if asked is not None and asked[1] >= 0 else None

    def options(self, state: State, seat: int) -> Sequence[Option] | None:
        """Return the options of a seat; None where they were not listed, or the state is not flat."""
        asked = self._asked(state, seat)
        if asked is None:
            return None
        count, listed, words = asked
        assert isinstance(state, FlatState)
        assert state.waiting is not None
        decision = state.waiting.decision
        return Listed(lambda place: self._read(decision, listed, words, place), count)

    def outcomes(self, state: State) -> list[tuple[Any, int]] | None:
        """Return the outcomes of explicit chance with their weights; None as for `options`."""
        asked = self._asked(state, NOBODY)
        if asked is None:
            return None
        _, listed, option_words = asked
        words = struct.unpack(f"<{len(option_words) // 8}q", option_words)
        return list(zip(words[1:listed:2], words[0:listed:2], strict=True))

    def _read(self, decision: int, listed: int, option_words: bytes, place: int | None) -> list[Option]:
        """Return the options of a decision, or only the one at a place."""
        shapes, at, options = self._shapes.get(decision) or self._new_shapes(decision), 0, []
        words = struct.unpack(f"<{len(option_words) // 8}q", option_words)
        for _ in range(place or 0):
            at += 1 + shapes[words[at]][0]
        parts = words[listed:]
        while at < listed:
            item = words[at]
            size, forms = shapes[item]
            values: tuple[Any, ...] = words[at + 1 : at + 1 + size]
            if forms:
                read = self._forms.value
                values = plain([read(form, word, parts) for form, word in zip(forms, values, strict=True)])
            options.append(Option(item, values))
            if place is not None:
                break
            at += 1 + size
        return options

    def _new_shapes(self, decision: int) -> list[tuple[int, list[int]]]:
        """Return for each item how many values it has, and their forms if some are no single words; last for the
        lone pass."""
        shapes = []
        for item in self._decisions[decision].items:
            forms = [self._forms.form(binder.type) for binder in item.binders]
            shapes.append((len(forms), forms if any(forms) else []))
        self._shapes[decision] = [*shapes, (0, [])]
        return self._shapes[decision]
