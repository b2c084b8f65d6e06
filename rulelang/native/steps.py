"""Single steps in native code: from one decision to the next, on flat states.

Enters: an interpreter and a library; flat states, and what is chosen there. Leaves: the flat states that follow. What
native code can't do (a choice of several seats at once, an explicit chance node) the interpreter does on a copy, and
native code goes on. The answer None leaves the whole step to the interpreter.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Sequence
from typing import Any
from weakref import finalize

from rulelang.diagnostics import RuleError
from rulelang.limits import current
from rulelang.native.block import Blocks, TooLargeError
from rulelang.native.facts import Facts
from rulelang.native.flat import NUMBERS, FlatState, Step, Story, capped
from rulelang.native.frames import Forms
from rulelang.runtime.definition import Definition
from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Option, Waiting, plain

STATUS, STOPPED, DECISION, SEAT, OPTIONS, LISTED, FRAMES, END, TOLD = range(9)
"""Places in what is told of a step, as c/steps.h has them."""
OVER, FAILED = 1, 2
ASKED = 1
NOTHING_CHOSEN = -1
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
        if self._found is None:
            if self._first is None and isinstance(place, int) and 0 <= place < self._size:
                self._first = place, self._read(place)[0]
            if self._first is not None and self._first[0] == place:
                return self._first[1]
            self._found = self._read(None)
        return self._found[place]


class Steps:
    """Goes on with games of one layout. Threads may share it.

    Args:
        interpreter: makes choices of several seats at once and outcomes of explicit chance. library: built from a text
            with steps. facts: those of the layout.
    """

    def __init__(self, interpreter: Definition, library: Any, flat: Blocks, forms: Forms, facts: Facts) -> None:
        self._interpreter, self._flat, self._forms, self._facts = interpreter, flat, forms, facts
        self._decisions = interpreter.program.decisions
        word, pointer = ctypes.c_int64, ctypes.c_void_p
        library.rulelang_new.restype = pointer
        library.rulelang_free.argtypes = [pointer]
        library.rulelang_told.restype = word
        library.rulelang_step.argtypes = [pointer, ctypes.c_char_p, ctypes.c_char_p, word, word, pointer, pointer]
        library.rulelang_step.restype = None
        self._native = library.rulelang_new()
        if not self._native:
            raise MemoryError
        finalize(self, library.rulelang_free, self._native).atexit = False
        self._step = library.rulelang_step
        self._told = (word * library.rulelang_told())()
        self._size = ctypes.sizeof(flat.type)
        self._after = ctypes.create_string_buffer(self._size)
        self._told_at, self._after_at = ctypes.addressof(self._told), ctypes.addressof(self._after)
        self._lock = threading.Lock()
        fresh = interpreter.new_state()
        self._fresh, self._fresh_words = bytes(flat.packed(fresh)), forms.written(fresh.frames)
        self._waits: dict[tuple[int, int], Waiting] = {}
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
        return self._of(state, Story(None, None, state), self._interpreter.waiting(state))

    def _of(self, state: State, story: Story, waiting: Waiting | None) -> FlatState:
        """The flat form of a state of Python's, which is not changed any more; with a block where native code can go on
        from it: where one seat is asked."""
        block, words = None, b""
        if waiting is not None and waiting.decision >= 0 and not self._decisions[waiting.decision].together:
            try:
                block, words = bytes(self._flat.packed(state)), self._forms.written(state.frames)
            except TooLargeError:
                block = None
        found = FlatState(self, state, block, words, story, waiting)
        for name in ("v", "z", "where", "pools", "frames", *NUMBERS):
            setattr(found, name, getattr(state, name))
        return found

    # ---- steps

    def initial_state(self, seed: int, explicit: bool, logging: bool) -> FlatState | None:
        """Return a game after its setup; None where native code gives up."""
        new = self._interpreter.new_state(seed, explicit, logging)
        block = new.rng.to_bytes(8, "little") + self._fresh[8:]
        before = FlatState(self, new, block, self._fresh_words, Story(None, None, new), None)
        return self._run(before, block, self._fresh_words, NOTHING_CHOSEN, self._interpreter.advance)

    def after_choice(self, state: State, seat: int, options: Sequence[Option], index: int) -> FlatState | None:
        """Return the state after a choice; None where native code gives up, or the state is not flat."""
        if not isinstance(state, FlatState):
            return None
        interpreter = self._interpreter
        # The story of a state refers to what was chosen: of a long list only that is kept.
        kept, at = (options, index) if len(options) <= FEW_OPTIONS else ((options[index],), 0)

        def step(logged: State) -> None:
            interpreter.choose(logged, seat, kept[at])

        if state.block is not None:
            return self._run(state, state.block, state.words, index, step)
        copy = state.unlogged()
        goes_on = interpreter.take(copy, seat, kept[at])
        return self._on(state, copy, step) if goes_on else self._kept(state, copy, step)

    def after_chance(self, state: State, outcome: Any) -> FlatState | None:
        """Return the state after an outcome of explicit chance; None where native code gives up, or it is not flat."""
        if not isinstance(state, FlatState):
            return None
        interpreter = self._interpreter

        def step(logged: State) -> None:
            interpreter.take_outcome(logged, outcome)

        copy = state.unlogged()
        interpreter.let_happen(copy, outcome)
        return self._on(state, copy, step)

    def with_rng(self, state: State, rng: int) -> FlatState | None:
        """Return the same state with another state of its generator; None where there is no block of it."""
        if not isinstance(state, FlatState) or state.block is None:
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

    def _kept(self, before: FlatState, state: State, step: Step) -> FlatState:
        """A state that Python came to, where it waits or the game is over."""
        state.logging = before.logging
        return self._of(state, Story(before.story, step), self._interpreter.waiting(state))

    def _on(self, before: FlatState, state: State, step: Step) -> FlatState | None:
        """Goes on from where Python stands between two nodes."""
        try:
            block = bytes(self._flat.packed(state))
        except TooLargeError:
            return None
        return self._run(before, block, self._forms.written(state.frames), NOTHING_CHOSEN, step)

    def _run(self, before: FlatState, block: bytes, words: bytes, choice: int, step: Step) -> FlatState | None:
        if before.story.length >= current().events:
            return None  # the log, which every step adds to, has no room for them
        while True:
            told = self._go(block, words, choice, before.explicit)
            if told is None:
                return None
            head, listed, words, block = told
            if head[STATUS] == OVER or head[STOPPED] == ASKED:
                break
            try:
                state, to = self._handed_over(before, block, words)
                if to < 0:
                    return self._kept(before, state, step)
                state.frames[-1][1] = to
                block, words, choice = bytes(self._flat.packed(state)), self._forms.written(state.frames), -1
            except (RuleError, TooLargeError):
                return None
        waiting = None if head[STATUS] == OVER else self._waiting(head[DECISION], head[SEAT])
        found = FlatState(self, before, block, words, Story(before.story, step), waiting)
        if waiting is None and capped(block):
            self._interpreter.capped = found
        if waiting is not None:
            found.asked = head[DECISION], head[OPTIONS], head[LISTED], listed
        return found

    def _go(
        self, block: bytes, words: bytes, choice: int, explicit: bool
    ) -> tuple[list[int], bytes, bytes, bytes] | None:
        told = self._told
        with self._lock:
            self._step(self._native, block, words, choice, explicit, self._after_at, self._told_at)
            head = told[:TOLD]
            if head[STATUS] == FAILED:
                return None
            listed = ctypes.string_at(self._told_at + 8 * TOLD, 8 * (head[FRAMES] - TOLD))
            frames = ctypes.string_at(self._told_at + 8 * head[FRAMES], 8 * (head[END] - head[FRAMES]))
            return head, listed, frames, ctypes.string_at(self._after_at, self._size)

    def _handed_over(self, before: FlatState, block: bytes, words: bytes) -> tuple[State, int]:
        """The state at a node that is Python's, and the block that follows (negative: it waits)."""
        state = FlatState(self, before, block, words, before.story, None).unlogged()
        return state, self._interpreter.arrive(state)

    def _waiting(self, decision: int, seat: int) -> Waiting:
        key = decision, seat
        if key not in self._waits:
            site = self._decisions[decision].site
            self._waits[key] = Waiting("decision", (seat,), decision, None, site)
        return self._waits[key]

    # ---- options

    def options(self, state: State) -> Sequence[Option] | None:
        """Return the options of a state; None where they were not listed, or the state is not flat."""
        asked = state.asked if isinstance(state, FlatState) else None
        if asked is None or asked[2] < 0:
            return None
        decision, count, listed, told = asked
        return Listed(lambda place: self._read(decision, listed, told, place), count)

    def _read(self, decision: int, listed: int, told: bytes, place: int | None) -> list[Option]:
        """The options of a decision, or only the one at a place."""
        shapes, at, found = self._shapes.get(decision) or self._new_shapes(decision), 0, []
        words = struct.unpack(f"<{len(told) // 8}q", told)
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
            found.append(Option(item, values))
            if place is not None:
                break
            at += 1 + size
        return found

    def _new_shapes(self, decision: int) -> list[tuple[int, list[int]]]:
        """For each item how many values it has, and their forms if some are no single words; last for the lone pass."""
        found = []
        for item in self._decisions[decision].items:
            forms = [self._forms.form(binder.type) for binder in item.binders]
            found.append((len(forms), forms if any(forms) else []))
        self._shapes[decision] = [*found, (0, [])]
        return self._shapes[decision]
