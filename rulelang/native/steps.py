"""Single steps in native code: from one node to the next, on flat states.

Enters: an interpreter and a library; flat states, and what is chosen there, or drawn. Leaves: the flat states that
follow. The answer None leaves a step to the interpreter.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import Any
from weakref import WeakValueDictionary, finalize

from rulelang import limits
from rulelang.diagnostics import UsageError
from rulelang.native import guards, objects
from rulelang.native.analysis import Analysis
from rulelang.native.block import StateBlocks, StateTooLargeError
from rulelang.native.events import Entries, choice_entry
from rulelang.native.flat import LENGTH, NUMBERS, OPTIONS, TOLD, BlockDecoder, FlatState, Tape, joined, told
from rulelang.native.frames import WordForms
from rulelang.native.rows import outcome_of, row_width
from rulelang.runtime.definition import Definition
from rulelang.runtime.log import Entry, LogFullError, most_events
from rulelang.runtime.outcome import Outcome
from rulelang.runtime.rng import seeded
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option, plain

NOTHING_CHOSEN, LIST_AGAIN = -1, -2
NOBODY = -1
NO_FRAMES = bytes(16)
FLAT = {"FlatState": FlatState, "Tape": Tape}
"""The classes that steps make."""


class ListedOptions(Sequence[Option]):
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


class _Stepper:
    """The functions of a library that go on with games, and what they play on. Each is called with Python's lock held:
    taking it takes longer than most steps do."""

    def __init__(self, library: Any) -> None:
        word, pointer, block = ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p
        self.library, self.machine = library, new_machine(library, self)
        self.told = objects.tell(library, self.machine, FLAT)
        self.step = objects.function(library, "step")
        self.position, self.rows = library.rulelang_position, library.rulelang_rows
        self.position.argtypes, self.position.restype = [block, pointer], word
        self.rows.argtypes = [pointer, *[block] * 3, word, pointer]
        library.rulelang_limits.argtypes = [word, word]
        self.classes: dict[str, type] = {}
        self.limits: limits.Limits | None = None

    def keep(self, bounds: limits.Limits) -> None:
        """Let games that begin now go no further than these limits without asking Python."""
        self.limits = bounds
        self.library.rulelang_limits(bounds.events, min(bounds.options, objects.MOST_LISTED - 1))

    def quick(self, classes: Mapping[str, type]) -> Mapping[str, type]:
        """See `Steps.quick`."""
        if not self.classes:
            if guards.is_watched(self.library):
                return classes
            self.classes = {**classes} | {
                name: objects.subclass(self.library, classes[name]) for name in objects.METHODS
            }
            unread = self.classes["UnreadActions"]
            self.told = objects.tell(self.library, self.machine, {**FLAT, **classes, "Unread": unread})
        return self.classes


_steppers: WeakValueDictionary[int, _Stepper] = WeakValueDictionary()
"""By the handle of a library the one that it has."""


class Steps(BlockDecoder):
    """Goes on with games of one layout. Threads may share it.

    Args:
        interpreter: makes states, and their logs. library: built from a text with steps; its functions are called with
            Python's lock held. facts: those of the layout.
    """

    def __init__(
        self, interpreter: Definition, library: Any, flat: StateBlocks, forms: WordForms, facts: Analysis
    ) -> None:
        super().__init__(interpreter.layout, flat, forms)
        self._interpreter, self._facts = interpreter, facts
        self._decisions = interpreter.program.decisions
        self._stepper = _steppers.get(library._handle) or _steppers.setdefault(library._handle, _Stepper(library))
        self._step = self._stepper.step
        self._row = (ctypes.c_int64 * row_width(self.layout))()
        self._key = None if any(self.layout.interchangeable) else self._stepper.position
        self._position = ctypes.create_string_buffer(self.size)
        self._lock = threading.Lock()
        self._unbegun: dict[tuple[bool, bool], FlatState] = {}
        self._entries = Entries(self.layout, forms)
        self._shapes: dict[int, list[tuple[int, list[int]]]] = {}

    # ---- forms

    def flattened(self, state: State) -> FlatState | None:
        """Return the flat form of a state, which is not changed any more; None where rules don't lead to it, or the
        game is over."""
        if isinstance(state, FlatState):
            return state
        if not state.frames or not self._facts.hold_for(state):
            return None
        if (packed := self._bytes(state)) is None:
            return None
        flat = FlatState(self, joined(*packed, state), Tape(state), self._interpreter.waiting(state))
        for name in ("v", "z", "where", "pools", "frames", "log", *NUMBERS):
            setattr(flat, name, getattr(state, name))
        return flat

    def key(self, state: State) -> bytes | None:
        """Return what equals for two states exactly if their hashes do; None where native code can't tell."""
        if self._key is None or (packed := self._bytes(state)) is None:
            return None
        block, words = packed
        with self._lock:
            if not self._key(block, ctypes.addressof(self._position)):
                return None
            digest = blake2b(self._position, digest_size=16)
        digest.update(words)
        return digest.digest()

    def outcome(self, state: State) -> Outcome | None:
        """Return what came of a finished game; None where a rule goes wrong, or the state is not flat."""
        if not isinstance(state, FlatState):
            return None
        with self._lock:
            self._stepper.rows(self._stepper.machine, state.block, NO_FRAMES, state.block, 1, self._row)
            return outcome_of(self.layout, self._row[:])

    def _bytes(self, state: State) -> tuple[bytes, bytes] | None:
        """Return the state and its frames as native code has them; None where the state is too large."""
        if isinstance(state, FlatState):
            return state.block[: self.size], state.words
        with suppress(StateTooLargeError):
            return bytes(self.blocks.packed(state)), self.forms.written(state.frames)
        return None

    # ---- steps

    def unbegun(self, explicit: bool, logging: bool) -> FlatState:
        """Return a game before its setup."""
        if self._stepper.limits is not limits.in_force:
            self._stepper.keep(limits.in_force)
        if (explicit, logging) not in self._unbegun:
            new = self._interpreter.new_state(0, explicit, logging)
            block = joined(bytes(self.blocks.packed(new)), self.forms.written(new.frames), new)
            # Behind this tape all games go on with tapes of their own: nothing is told like its last word.
            self._unbegun[explicit, logging] = FlatState(self, block, Tape(new, bytearray(struct.pack("<3q", 0, 1, 0))))
        return self._unbegun[explicit, logging]

    def initial_state(self, seed: int, explicit: bool, logging: bool) -> FlatState | None:
        """Return a game after its setup; None where native code gives up."""
        before = self.with_rng(self.unbegun(explicit, logging), seeded(seed))
        assert before is not None
        return self._after(before, NOTHING_CHOSEN)

    def after_choice(self, state: State, seat: int, index: int) -> FlatState | None:
        """Return the state after a seat takes the option of an index; None where native code gives up, or the state is
        not flat."""
        if not isinstance(state, FlatState):
            return None
        if state.count >= 0 or not state.logging or self._decisions[state.pending_question()].together:
            return self._after(state, index, seat)
        after = self._after(state, index, seat, by_number=True)
        if after is not None:  # native code has no list of options that the choice could be told by
            after.tape.choices[state.word(LENGTH)] = state.block, seat, index
        return after

    def after_chance(self, state: State, outcome: Any, draw: int) -> FlatState | None:
        """Return the state after an outcome of explicit chance; None where native code gives up, or it is not flat.

        Args:
            draw: the weight of the outcomes before it, which is the least number that draws it.
        """
        # What is drawn at once is no number of ways that C could count.
        return self._after(state, draw) if isinstance(state, FlatState) and not isinstance(outcome, tuple) else None

    def with_rng(self, state: State, rng: int) -> FlatState | None:
        """Return the same state with another state of its generator; None where it is not flat."""
        if not isinstance(state, FlatState):
            return None
        return FlatState(self, rng.to_bytes(8, "little") + state.block[8:], state.tape, state.waiting)

    def _after(self, state: FlatState, choice: int, chooser: int = NOBODY, by_number: bool = False) -> FlatState | None:
        """Return the state after a step; None if native code leaves it to the interpreter."""
        after: FlatState | None = self._step(state, choice, chooser, by_number)
        if after is not None and after.word(LENGTH) > limits.in_force.events and self._is_full(after):
            return None
        return after

    def _is_full(self, state: FlatState) -> bool:
        """Return whether a state's log has more entries than it may: the interpreter finds out at which one."""
        try:
            return state.log.size > most_events(state.decisions)
        except LogFullError:
            return True

    def entries(self, step: bytes, choice: tuple[bytes, int, int] | None) -> Iterator[Entry]:
        """See `BlockDecoder`."""
        if choice is not None:
            block, seat, index = choice
            state = FlatState(self, block, Tape(State.__new__(State)))
            decision, chosen = state.pending_question(), self._interpreter.options(state, seat)[index]
            subjects = tuple(state.frames[-1][2][slot] for slot in self.layout.subjects[decision])
            yield choice_entry(self.layout, decision, seat, chosen, subjects)
        yield from self._entries.read(step)

    def quick(self, classes: Mapping[str, type]) -> Mapping[str, type]:
        """Return classes of games, by name, whose most used methods are native code's: `State`, `Asker`, `Action`,
        `Actions`, `UnreadActions`. Those of the guard build are the given ones."""
        self._stepper.library.rulelang_limits(
            limits.in_force.events, min(limits.in_force.options, objects.MOST_LISTED - 1)
        )
        return self._stepper.classes or self._stepper.quick(classes)

    # ---- options

    def _listed(self, state: State, seat: int) -> bytes | None:
        """Return a block that lists the options of a seat where a state waits; None where they were not listed, or the
        state is not flat."""
        if not isinstance(state, FlatState) or state.waiting is None:
            return None
        first = seat in (NOBODY, *state.waiting.seats[:1])
        if first and (state.count >= 0 or state.options):
            return state.block if state.count >= 0 else None
        listed: FlatState | None = self._step(state, LIST_AGAIN, seat, False)
        if listed is None or listed.count < 0:
            return None
        if first:
            state.block = listed.block
        return listed.block

    def options(self, state: State, seat: int) -> Sequence[Option] | None:
        """Return the options of a seat; None where they were not listed, or the state is not flat."""
        block = self._listed(state, seat)
        if block is None:
            return None
        assert isinstance(state, FlatState)
        assert state.waiting is not None
        decision = state.waiting.decision
        return ListedOptions(lambda place: self._read(decision, block, place), told(block, self.size)[OPTIONS])

    def outcomes(self, state: State) -> list[tuple[Any, int]] | None:
        """Return the outcomes of explicit chance with their weights; None as for `options`."""
        block = self._listed(state, NOBODY)
        if block is None:
            return None
        listed, words = self._words(block)
        return list(zip(words[1:listed:2], words[0:listed:2], strict=True))

    def _words(self, block: bytes) -> tuple[int, tuple[int, ...]]:
        """Return how many words of options a block has, and these with their parts."""
        _, _, _, listed, frames, *_ = told(block, self.size)
        return listed, struct.unpack_from(f"<{frames - TOLD}q", block, self.size + 8 * TOLD)

    def _read(self, decision: int, block: bytes, place: int | None) -> list[Option]:
        """Return the options of a decision that a block lists, or only the one at a place."""
        shapes, at, options = self._shapes.get(decision) or self._new_shapes(decision), 0, []
        listed, words = self._words(block)
        for _ in range(place or 0):
            at += 1 + shapes[words[at]][0]
        parts = words[listed:]
        while at < listed:
            item = words[at]
            size, forms = shapes[item]
            values: tuple[Any, ...] = words[at + 1 : at + 1 + size]
            if forms:
                read = self.forms.value
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
            forms = [self.forms.form(binder.type) for binder in item.binders]
            shapes.append((len(forms), forms if any(forms) else []))
        self._shapes[decision] = [*shapes, (0, [])]
        return self._shapes[decision]
