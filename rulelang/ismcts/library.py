"""The Python side of determinized tree search in native code (c/pilot.h, c/search.h).

Enters: an interpreter and the library of its layout; recorded games. Leaves: a `Tree`: worlds that a seat can't tell
from the true one, and what iterations over them came to, by the keys of actions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import finalize

from rulelang.ismcts.procedures import SEARCHES
from rulelang.native.block import StateTooLargeError
from rulelang.native.flat import BlockDecoder
from rulelang.native.machine import NativeCode, loaded
from rulelang.native.steps import NoMemoryError, new_machine
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK
from rulelang.runtime.log import Entry, Log
from rulelang.runtime.rng import GOLDEN, MASK
from rulelang.runtime.sight import place_of
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.vocabulary.types import Type

ONE = 1 << 20
"""The greatest utility."""
POLICIES = ("uniform", "mast", "greedy", "evaluate")
"""Rollout policies, as c/pilot.h numbers them."""
TRACE_WORDS = 1 << 16
"""The longest trace of a world, two words a step."""


class UnsearchableError(Exception):
    """Native code can't search from this state."""


class Child(NamedTuple):
    """An edge of a tree, as `search_children` of c/search.h lists it.

    Attributes:
        key: of the action. visits: how often it was taken; available: could be taken. value: sum of the mover's
            utilities, in units of `ONE`. node: the number of the node that it leads to. share: sum of the probabilities
            that regret matching gave it, in units of `ONE`. hint: the index at which it was offered last. proven: 1
            where the mover wins for sure, -1 where it loses, else 0.
    """

    key: int
    visits: int
    value: int
    available: int
    node: int
    share: int
    hint: int
    proven: int


class SearchLibrary(BlockDecoder):
    """The compiled search of one layout, built when this object is made, and the keys of its actions.

    Attributes:
        labels: by item, the first item of the same definition, kind and seat. start: block and frames of a game before
            its setup.

    Raises:
        UsageError: this machine has no compiler, or it failed, or the program can't be searched in C.
    """

    def __init__(self, native: NativeCode) -> None:
        text, blocks, forms = native.written(SEARCHES)
        self.library, self.analysis, interpreter = loaded(text), native.analysis, native.interpreter
        library, layout = self.library, interpreter.layout
        super().__init__(layout, blocks, forms)
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

    # ---- keys of actions

    def key(self, decision: int, option: Option, state: State | None = None) -> int:
        """Return the key of an option of a decision, equal to the one that C computes (`mix_value`).

        Args:
            state: tells where individuals are, for a key without their numbers where some are interchangeable.
        """
        key = splitmix64(option.item + 2)
        if option.item >= 0:
            binders = self.layout.program.decisions[decision].items[option.item].binders
            for binder, value in zip(binders, option.values, strict=True):
                anonymise = self._anonymiser(binder.type, state)
                for word in self._key_words(binder.type, value, anonymise):
                    key = splitmix64(key ^ (word & MASK))
        return key

    def _anonymiser(self, type_: Type, state: State | None) -> Callable[[int], int]:
        """Return the function from a value of a type to its word in a key: of a piece its label and zone."""
        core, layout = type_.core, self.layout
        if state is None or not any(layout.interchangeable) or not (core.kind == "piece" or core == "reaction"):
            return lambda word: word

        def anonymise(word: int) -> int:
            """Return the label and zone of a piece or reaction in one word."""
            handle = (word & REACTION_MASK) - 1 if core == "reaction" else word
            if word < 0 or handle < 0:
                return word
            return self.labels[handle & ITEM_MASK] ^ place_of(layout, state.where, handle) << 20

        return anonymise

    def root_key(self, decision: int, seat: int, option: Option, state: State) -> int:
        """Return the key of an option at the root, where seats that choose at once stand at the same node."""
        key = self.key(decision, option, state)
        return splitmix64(key ^ seat) if self.layout.program.decisions[decision].together else key

    def _key_words(self, type_: Type, value: Any, anonymise: Callable[[int], int]) -> Iterator[int]:
        """Yield the words that the value of a binder adds to a key."""
        if isinstance(value, int):
            yield anonymise(value)
        elif type_.present.kind == "bag":
            yield from value
        else:
            yield len(value)
            for part in value:
                yield from self._key_words(type_.present.inner if type_.present.wraps else type_, part, anonymise)

    # ---- records

    def record(self, state: State, since: int = 0) -> tuple[list[int], list[int], int]:
        """Return the choices and draws that a log records, as `search_record` of c/search.h reads them.

        Args:
            since: number of the first log entry to read.

        Returns:
            Choices, three words each (decision, seat, key), simultaneous ones in order of seats; outcomes of draws;
            the number of log entries before the first one left out: those of an incomplete simultaneous decision.
        """
        decisions = self.layout.program.decisions
        choices: list[int] = []
        draws: list[int] = []
        at_once: list[Entry] = []
        committed: set[tuple[int, int]] = set()
        complete = since
        for number, entry in enumerate(state.log.since(since), since):
            if not committed:
                complete = number
            if entry[0] == "chance":
                draws.append(entry[3])
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
        return choices, draws, complete if committed else len(state.log)


def splitmix64(x: int) -> int:
    """Return the output of SplitMix64 for a 64-bit state, as `splitmix64` of c/pilot.h does."""
    x = (x + GOLDEN) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def _signed(word: int) -> int:
    """Return a 64-bit word as C's signed integer."""
    return word - (1 << 64) if word >> 63 else word


class Tree:
    """The search trees of one seat, with the record of what it knows of the game; memory and statistics are C's.

    Args:
        observers: 1 for one tree, else one for each seat. policy: index into `POLICIES`. exploration: the constant of
            UCB1, in units of `ONE`. score_share: weight of the lead in points, of 256. room: most edges of all trees.
            regret: use regret matching where seats choose at once.

    Raises:
        NoMemoryError: there is not enough memory.
    """

    def __init__(
        self,
        code: SearchLibrary,
        observers: int = 1,
        policy: int = 0,
        exploration: int = 0,
        score_share: int = 0,
        room: int = 1,
        seed: int = 0,
        regret: bool = False,
    ) -> None:
        self.code = code
        self._machine = new_machine(code.library, self)
        self._search = code.library.search_new(observers, policy, exploration, regret, score_share, room, seed & MASK)
        if not self._search:
            raise NoMemoryError("there is not enough memory for this search")
        finalize(self, code.library.search_free, self._search).atexit = False
        self._start = code.start
        self._recorded: tuple[Log, int] | None = None
        self._leaf_buffer: Any = None
        self._trace_buffer: Any = None
        self.observers = observers

    def set_root(self, state: State, seat: int, secrets: bool, later: bool = False) -> None:
        """Set the state to search from.

        Args:
            seat: whose knowledge counts. secrets: search worlds that the seat can't tell from this state, not the state
                itself. later: the state follows the one before in the same game, whose world is reused.

        Raises:
            UnsearchableError: native code can't play the game up to it.
        """
        library = self.code.library
        if not secrets:
            if not self.code.analysis.hold_for(state):
                raise UnsearchableError("rules do not lead to this state")
            try:
                self._start = self.code.blocks.packed(state), self.code.forms.written(state.frames)
            except StateTooLargeError:
                raise UnsearchableError("the state is too large") from None
            library.search_plain(self._search, seat)
            return
        before, self._recorded = self._recorded, None
        extends = before is not None and before[1] == seat and state.log.begins_with(before[0])
        begins_later = state.log.back_to(1).entry[:1] == ("given",) or state.log.first().opening is not None
        if not state.logging or (not extends and begins_later):
            raise UnsearchableError("the log does not tell of the whole game")
        choices, draws, complete = self.code.record(state, len(before[0]) if before and extends else 0)
        self._start = self.code.start
        block, frames = self._start
        if not library.search_record(
            self._machine, self._search, ctypes.byref(block), frames, seat, len(choices) // 3, _words(choices),
            len(draws), _words(draws), _words([*map(len, state.z), *state.v]), extends, later,
        ):  # fmt: skip
            raise UnsearchableError("native code does not play the recorded game again")
        self._recorded = state.log.back_to(complete), seat

    def clear(self) -> None:
        """Empty the trees."""
        self.code.library.search_clear(self._search)

    def seed(self, seed: int) -> None:
        """Seed the generator of the search."""
        self.code.library.search_seed(self._search, seed & MASK)

    def run(self, iterations: int) -> int:
        """Run `iterations` iterations; return how many: fewer if no world was found."""
        return self._play("run", iterations)

    def next_leaf(self) -> tuple[bytes, bytes] | None:
        """Run an iteration up to its leaf; return the leaf's block and frames, whose value `back_up_values` takes.

        Both are empty if the game was over, the result is None if no world was found.
        """
        after, words = self._buffers()
        count = self._play("leaf", after, words)
        if count <= 0:
            return (b"", b"") if not count else None
        return after.raw, ctypes.string_at(words, 8 * count)

    def back_up_values(self, values: Sequence[int]) -> None:
        """Back up the values of the leaves since the last call: for each leaf one of each seat, in units of `ONE`."""
        self.code.library.search_values(self._search, _words(values))

    def _play(self, name: str, *arguments: Any) -> int:
        """Call the C function `search_NAME` of this tree, which plays from the start; return what it gives."""
        block, frames = self._start
        function = getattr(self.code.library, f"search_{name}")
        count: int = function(self._machine, self._search, ctypes.byref(block), frames, *arguments)
        return count

    def _buffers(self) -> Any:
        """Return the buffers for a state and its frames, allocated once."""
        if self._leaf_buffer is None:
            size = ctypes.sizeof(self.code.blocks.type)
            words = (ctypes.c_int64 * self.code.library.search_words())()
            self._leaf_buffer = ctypes.create_string_buffer(size), words
        return self._leaf_buffer

    def record_traces(self) -> None:
        """Have the steps of all worlds to come recorded, for `trace`."""
        self.code.library.search_traced(self._search, TRACE_WORDS)

    def sample_worlds(self, count: int) -> int:
        """Sample `count` worlds; return how many: fewer if none was found."""
        return self._play("deals", count)

    def sample_state(self, seed: int) -> tuple[bytes, bytes] | None:
        """Return block and frames of a world, a function of the seat's knowledge and the seed; None: none found."""
        after, words = self._buffers()
        count = self._play("world", seed & MASK, after, words)
        return (after.raw, ctypes.string_at(words, 8 * count)) if count else None

    def trace(self) -> list[tuple[int, int]]:
        """Return the steps of the last world: (0, outcome of a draw) or (1, index of an option)."""
        if self._trace_buffer is None:
            self._trace_buffer = (ctypes.c_int64 * TRACE_WORDS)()
        words = self._trace_buffer[: self.code.library.search_trace(self._search, self._trace_buffer)]
        return list(zip(words[0::2], words[1::2], strict=True))

    def children(self, observer: int, node: int = -1, most: int = 1 << 12) -> list[Child]:
        """Return at most `most` children of a node of an observer's tree; `node` -1: its root."""
        width = len(Child._fields)
        words = (ctypes.c_int64 * (width * most))()
        count = self.code.library.search_children(self._search, observer, node, most, words)
        rows = [words[width * place : width * (place + 1)] for place in range(count)]
        return [Child(key & MASK, *rest) for key, *rest in rows]

    def counts(self) -> list[int]:
        """Return the numbers of iterations, rejected worlds, reused worlds, failed games, edges."""
        words = (ctypes.c_int64 * 5)()
        self.code.library.search_counts(self._search, words)
        return list(words)

    def descend(self, observer: int, keys: Sequence[int]) -> bool:
        """Move an observer's root below the actions with these keys; return whether its tree has that node."""
        words = (ctypes.c_uint64 * max(len(keys), 1))(*keys)
        return bool(self.code.library.search_descend(self._search, observer, words, len(keys)))


def _words(values: Sequence[int]) -> Any:
    """Return values as a C array of 64-bit words, at least one long."""
    return (ctypes.c_int64 * max(len(values), 1))(*values)
