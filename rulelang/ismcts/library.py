"""Determinized tree search in native code (c/pilot.h, c/search.h): what Python calls.

Enters: an interpreter and the library of its layout; recorded games. Leaves: a `Tree`: worlds that a seat can't tell
from the true one, and what iterations over them came to, by the keys of actions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import finalize

from rulelang.diagnostics import UsageError
from rulelang.ir.types import Type
from rulelang.ismcts.procedures import SEARCHES
from rulelang.native.block import TooLargeError
from rulelang.native.machine import NativeCode, loaded
from rulelang.native.steps import new_machine
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.rng import GOLDEN, MASK
from rulelang.runtime.sight import place_of
from rulelang.runtime.state import Frame, State
from rulelang.runtime.waiting import Option

ONE = 1 << 20
"""The greatest utility."""
POLICIES = ("uniform", "mast", "greedy", "evaluate")
"""Rollout policies, as c/pilot.h numbers them."""
TRACE = 1 << 16


class UnsearchableError(Exception):
    """Native code can't search from this state."""


class Child(NamedTuple):
    """An action below a node: its key, how often it was taken, the sum of the mover's utilities, how often it could be
    taken, the number of the node behind it, the sum of the probabilities that regret matching gave it."""

    key: int
    visits: int
    value: int
    available: int
    node: int
    share: int


class SearchLibrary:
    """The library of one layout, built when this object is made.

    Raises:
        UsageError: this machine has no compiler, or it failed, or the program can't be searched in C.
    """

    def __init__(self, native: NativeCode) -> None:
        text, self.blocks, self.forms = native.written(SEARCHES)
        self.library, self.analysis, interpreter = loaded(text), native.analysis, native.interpreter
        library, blocks, forms = self.library, self.blocks, self.forms
        self.layout = layout = interpreter.layout
        labels: dict[tuple[int, int, int], int] = {}
        items = zip(layout.item_kind, layout.item_definition, layout.item_seat, strict=True)
        self.labels = [labels.setdefault(sort, item) for item, sort in enumerate(items)]
        word, pointer, unsigned = ctypes.c_int64, ctypes.c_void_p, ctypes.c_uint64
        library.search_new.argtypes = [*[word] * 6, unsigned]
        library.search_new.restype = pointer
        for name, arguments, result in (
            ("free", [pointer], None),
            ("clear", [pointer], None),
            ("plain", [pointer, word], None),
            ("seed", [pointer, unsigned], None),
            ("record", [*[pointer] * 3, ctypes.c_char_p, word, word, pointer, word, *[pointer] * 2, word, word], word),
            ("run", [*[pointer] * 3, ctypes.c_char_p, word], word),
            ("leaf", [*[pointer] * 3, ctypes.c_char_p, pointer, pointer], word),
            ("values", [pointer, pointer], None),
            ("deals", [*[pointer] * 3, ctypes.c_char_p, word], word),
            ("world", [*[pointer] * 3, ctypes.c_char_p, unsigned, pointer, pointer], word),
            ("words", [], word),
            ("traced", [pointer, word], None),
            ("trace", [pointer, pointer], word),
            ("children", [pointer, word, word, word, pointer], word),
            ("counts", [pointer, pointer], None),
            ("descend", [pointer, word, pointer, word], word),
        ):
            function = getattr(library, f"search_{name}")
            function.argtypes, function.restype = arguments, result
        fresh = interpreter.new_state(logging=False)
        self.start = blocks.packed(fresh), forms.written(fresh.frames)

    # ---- states

    def unpack(self, block: bytes, frames: bytes, state: State) -> None:
        """See `rulelang.native.flat.Form`."""
        self.blocks.unpack(self.blocks.type.from_buffer_copy(block), state)
        state.frames = self.forms.read(frames)

    def read_frames(self, frames: bytes) -> list[Frame]:
        """See `rulelang.native.flat.Form`."""
        return self.forms.read(frames)

    # ---- keys of actions

    def key(self, decision: int, option: Option, state: State | None = None) -> int:
        """Return the key of an option, as C has it. `state`: where individuals are, for a key without their numbers
        where some may be alike."""
        found = mixed(option.item + 2)
        if option.item >= 0:
            binders = self.layout.program.decisions[decision].items[option.item].binders
            for binder, value in zip(binders, option.values, strict=True):
                called = self._called(binder.type, state)
                for word in self._words(binder.type, value, called):
                    found = mixed(found ^ (word & MASK))
        return found

    def _called(self, type_: Type, state: State | None) -> Callable[[int], int]:
        """Return what stands in a key for a value of a type: for a piece what it is called and where it is."""
        core, layout = type_.core, self.layout
        if state is None or not any(layout.alike) or not (core.kind == "piece" or core == "reaction"):
            return lambda word: word

        def called(word: int) -> int:
            handle = (word & REACTION_MASK) - 1 if core == "reaction" else word
            if word < 0 or handle < 0:
                return word
            return self.labels[handle & ITEM_MASK] ^ place_of(layout, state.where, handle) << 20

        return called

    def root_key(self, decision: int, seat: int, option: Option, state: State) -> int:
        """Return the key of an option at the root, where seats that choose at once stand at the same node."""
        found = self.key(decision, option, state)
        return mixed(found ^ seat) if self.layout.program.decisions[decision].together else found

    def _words(self, type_: Type, value: Any, called: Callable[[int], int]) -> Iterator[int]:
        if isinstance(value, int):
            yield called(value)
        elif type_.present.kind == "bag":
            yield from value
        else:
            yield len(value)
            for part in value:
                yield from self._words(type_.present.inner if type_.present.wraps else type_, part, called)

    # ---- records

    def record(self, state: State, since: int = 0) -> tuple[list[int], list[int], int]:
        """Return the choices (decision, seat, key) and the outcomes of draws that the log tells of, from entry number
        `since` on; those of a decision of several seats by seat, as native code plays them. Last the number of entries
        that are told: one fewer than the first of a decision that is not complete, which is left out."""
        decisions = self.layout.program.decisions
        choices: list[int] = []
        draws: list[int] = []
        at_once: list[Entry] = []
        committed: set[tuple[int, int]] = set()
        told = since
        for number, entry in enumerate(state.log.since(since), since):
            if not committed:
                told = number
            if entry[0] == "chance":
                piece = len(entry) > 4
                draws.append(self.labels[entry[3]] if piece else entry[3])
            elif entry[0] == "commit":
                committed.add((entry[3], entry[2]))
            elif entry[0] == "choice":
                _, _, seat, decision, item, values, *_ = entry
                chosen = [decision, seat, _signed(self.key(decision, Option(item, values)))]
                if not decisions[decision].together:
                    choices += chosen
                elif (decision, seat) in committed:
                    committed.discard((decision, seat))
                    at_once.append(tuple(chosen))
                    if not committed:
                        choices += [word for row in sorted(at_once) for word in row]
                        at_once = []
        return choices, draws, told if committed else len(state.log)


def mixed(x: int) -> int:
    """Return one output of SplitMix64."""
    x = (x + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


class Tree:
    """The trees of one searching seat, and what it knows of the game.

    Args:
        observers: 1 for one tree, else one for each seat. exploration: the constant of UCB1, of `ONE`. score_share: how
            much of a utility is for the lead in points, of 256. room: how many edges there may be. regret: whether
            seats that choose at once match regrets.
    """

    def __init__(
        self,
        of: SearchLibrary,
        observers: int = 1,
        policy: int = 0,
        exploration: int = 0,
        score_share: int = 0,
        room: int = 1,
        seed: int = 0,
        regret: bool = False,
    ) -> None:
        self.of = of
        self._machine = new_machine(of.library, self)
        self._search = of.library.search_new(observers, policy, exploration, regret, score_share, room, seed & MASK)
        if not self._search:
            raise UsageError("there is not enough memory for this search")
        finalize(self, of.library.search_free, self._search).atexit = False
        self._start = of.start
        self._recorded: tuple[Log, int] | None = None
        self._after: Any = None
        self._traces: Any = None
        self.observers = observers

    def stand(self, state: State, seat: int, secrets: bool, later: bool = False) -> None:
        """Take its stand at a state, as the seat knows it.

        Args:
            later: whether it is a later one of the game than before; the worlds of that are gone on from.

        Raises:
            UnsearchableError: native code can't play the game up to it.
        """
        library = self.of.library
        if not secrets:
            if not self.of.analysis.hold_for(state):
                raise UnsearchableError("rules do not lead to this state")
            try:
                self._start = self.of.blocks.packed(state), self.of.forms.written(state.frames)
            except TooLargeError:
                raise UnsearchableError("the state is too large") from None
            library.search_plain(self._search, seat)
            return
        before, self._recorded = self._recorded, None
        extends = before is not None and before[1] == seat and state.log.begins_with(before[0])
        given = state.log.back_to(1).entry[:1] == ("given",) or state.log.first().opening is not None
        if not state.logging or (not extends and given):
            raise UnsearchableError("the log does not tell of the whole game")
        choices, draws, told = self.of.record(state, len(before[0]) if before and extends else 0)
        self._start = self.of.start
        block, frames = self._start
        if not library.search_record(
            self._machine, self._search, ctypes.byref(block), frames, seat, len(choices) // 3, _words(choices),
            len(draws), _words(draws), _words([*map(len, state.z), *state.v]), extends, later,
        ):  # fmt: skip
            raise UnsearchableError("native code does not play the recorded game again")
        self._recorded = state.log.back_to(told), seat

    def clear(self) -> None:
        """Forget the trees."""
        self.of.library.search_clear(self._search)

    def seed(self, seed: int) -> None:
        """Go on with chance from a seed."""
        self.of.library.search_seed(self._search, seed & MASK)

    def run(self, iterations: int) -> int:
        """Make so many iterations and return how many were made: fewer if no world was found."""
        block, frames = self._start
        made: int = self.of.library.search_run(self._machine, self._search, ctypes.byref(block), frames, iterations)
        return made

    def leaf(self) -> tuple[bytes, bytes] | None:
        """Make an iteration and return the block and frames of its leaf, whose value is to come; empty ones if its game
        was over, None if no world was found."""
        block, frames = self._start
        after, words = self._room()
        count = self.of.library.search_leaf(self._machine, self._search, ctypes.byref(block), frames, after, words)
        if count <= 0:
            return (b"", b"") if not count else None
        return after.raw, ctypes.string_at(words, 8 * count)

    def values(self, values: Sequence[int]) -> None:
        """Take what the leaves since the last time are worth, of `ONE`: of each what each seat gets."""
        self.of.library.search_values(self._search, _words(values))

    def _room(self) -> Any:
        """Allocate room for a state and its frames."""
        if self._after is None:
            size = ctypes.sizeof(self.of.blocks.type)
            self._after = ctypes.create_string_buffer(size), (ctypes.c_int64 * self.of.library.search_words())()
        return self._after

    def traced(self) -> None:
        """Take down the steps of all worlds to come."""
        self.of.library.search_traced(self._search, TRACE)

    def deals(self, count: int) -> int:
        """Draw so many worlds and return how many were found."""
        block, frames = self._start
        made: int = self.of.library.search_deals(self._machine, self._search, ctypes.byref(block), frames, count)
        return made

    def world(self, seed: int) -> tuple[bytes, bytes] | None:
        """Return the block and the frames of a world, a function of what the seat knows and of the seed; None if
        none was found."""
        block, frames = self._start
        library = self.of.library
        after, words = self._room()
        count = library.search_world(
            self._machine, self._search, ctypes.byref(block), frames, seed & MASK, after, words
        )
        return (after.raw, ctypes.string_at(words, 8 * count)) if count else None

    def trace(self) -> list[tuple[int, int]]:
        """Return the last world, step by step: 0 and an outcome, or 1 and the index of an option."""
        if self._traces is None:
            self._traces = (ctypes.c_int64 * TRACE)()
        words = self._traces[: self.of.library.search_trace(self._search, self._traces)]
        return list(zip(words[0::2], words[1::2], strict=True))

    def children(self, observer: int, node: int = -1, most: int = 1 << 12) -> list[Child]:
        """Return the children of a node, by default of the root."""
        width = len(Child._fields)
        words = (ctypes.c_int64 * (width * most))()
        count = self.of.library.search_children(self._search, observer, node, most, words)
        rows = [words[width * place : width * (place + 1)] for place in range(count)]
        return [Child(key & MASK, *rest) for key, *rest in rows]

    def counts(self) -> list[int]:
        """Return iterations, worlds that did not fit, worlds used again, games that failed, edges."""
        words = (ctypes.c_int64 * 5)()
        self.of.library.search_counts(self._search, words)
        return list(words)

    def descend(self, observer: int, keys: Sequence[int]) -> bool:
        """Keep of the trees what lies below these actions; return whether there is such a part."""
        words = (ctypes.c_uint64 * max(len(keys), 1))(*keys)
        return bool(self.of.library.search_descend(self._search, observer, words, len(keys)))


def _words(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
