"""A state as a JSON document, and back.

Enters: a state, or a text that nobody vouches for. Leaves: the document, or the state, or SaveError with the rule of
saves that the text breaks; never another exception, however damaged the text is.

The document is one object with the keys

| key | value |
| --- | --- |
| `rulelang_state` | 2, the version of this form |
| `ir` | the version of the intermediate representation that procedures and blocks are numbered in |
| `ruleset` | `{"name", "hash"}` |
| `players`, `options` | how many seats; option -> number, truth value or word |
| `over`, `winners`, `out`, `deferred`, `decisions`, `turns` | as in `State`, `winners` and `deferred` as `settled` |
| `explicit`, `logging` | truth values |
| `rng` | the generator's 64 bits in hex |
| `variables` | all cells of `State.v`, as `settled` |
| `zones`, `pools` | contents as in `State` |
| `frames` | `[procedure, block, locals, slot]` each |
| `log` | the entries |
| `hash` | the state's hash |
| `digest` | SHA-256 over all the rest, in hex |

A loaded state passes these rules: every value has its type and range; every piece is there exactly as often as
declared, pools included; each zone holds its kind and no more than its capacity; a pool has one item for each of its
members and at least two distinct ones; frames stand where a procedure can wait, each called by the one before, at
most as deep as declared; locals have their types and what is not live is 0; the hash is that of the state, and the
digest that of the document.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rulelang.diagnostics import SaveError, UsageError, counted
from rulelang.documents import LongObject
from rulelang.ir.nodes import CallProc, Waiting
from rulelang.ir.program import IR_VERSION, Program
from rulelang.limits import ENTRY_BYTES, STATE_BYTES
from rulelang.runtime.canonical import live_slots, settled, state_hash
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import most_events
from rulelang.runtime.pools import set_location
from rulelang.runtime.state import DRAWN, PHASE, ROUND, TURN, WON, Frame, State
from rulelang.runtime.typed import Reader, listed, number, plain, shown_types, truth
from rulelang.vocabulary.types import ABSENT

VERSION = 2

Binder = Callable[[Program, int, Sequence[int]], Layout]

KEYS = (
    "rulelang_state", "ir", "ruleset", "players", "options", "over", "winners", "out", "deferred", "decisions", "turns",
    "explicit", "logging", "rng", "variables", "zones", "pools", "frames", "log", "hash", "digest",
)  # fmt: skip

BATCH = 1000
"""So many entries of the log are written at once."""
LARGEST_COUNT = 1 << 62
"""Bound on numbers of turns and players in a document."""


# ---- writing -----------------------------------------------------------------------------------------


def to_json(state: State) -> str:
    """Return a state at a node, or a finished one, as one line of JSON."""
    layout, course = state.layout, settled(state)
    document = {
        "rulelang_state": VERSION,
        "ir": IR_VERSION,
        "ruleset": {"name": layout.program.name, "hash": layout.program.hash},
        "players": layout.players,
        "options": layout.option_values(),
        "over": state.over,
        "winners": course.winners,
        "out": state.out,
        "deferred": course.deferred,
        "decisions": state.decisions,
        "turns": state.turns,
        "explicit": state.explicit,
        "logging": state.logging,
        "rng": f"{state.rng:016x}",
        "variables": plain(course.cells),
        "zones": state.z,
        "pools": state.pools,
        "frames": plain(state.frames),
        "log": [],
        "hash": state_hash(state),
    }
    pieces = list(_pieces(document, state.log.texts(lambda entry: _text(plain(entry))), ",".join))
    pieces[-1] = f',"digest":"{_sum(pieces)}"}}'
    return "".join(pieces)


_text: Callable[[Any], str] = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
"""Returns a value as compact JSON."""


def digest(document: dict[str, Any]) -> str:
    """Return the SHA-256 digest, in hex, of all values of a document but `digest`."""
    return _sum(_pieces(document, document["log"]))


def _sum(pieces: Iterable[str]) -> str:
    """Return the SHA-256 digest, in hex, of a text that comes in pieces."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _pieces(
    document: dict[str, Any], log: Iterable[Any], joined: Callable[[list[Any]], str] = lambda batch: _text(batch)[1:-1]
) -> Iterator[str]:
    """Yield the text that `digest` is of in pieces; the last one is the bracket that closes it.

    Args:
        log: the entries of the log, which are not held as a whole. joined: returns the text of some of them.
    """
    sign = "{"
    for key in KEYS[: KEYS.index("digest")]:
        yield f'{sign}"{key}":'
        sign = ","
        if key != "log":
            yield _text(document[key])
            continue
        entries = iter(log)
        between = "["
        while batch := list(islice(entries, BATCH)):
            yield between + joined(batch)
            between = ","
        yield "[]" if between == "[" else "]"
    yield "}"


# ---- reading -----------------------------------------------------------------------------------------


def state_from_json(program: Program, text: str, bind: Binder = Layout) -> State:
    """Return the state that a document describes.

    Args:
        bind: returns the layout of a program, players and option values; callers that cache layouts pass their own.

    Raises:
        SaveError: the text breaks a rule of the module's docstring, or is of another program.
    """
    parts = LongObject(text, "the text", "log", most_bytes(program), exact=True)
    document = parts.rest
    _check_keys(document, KEYS, "the document")
    listed(document["log"], "log")
    if number(document["rulelang_state"], "rulelang_state") != VERSION or number(document["ir"], "ir") != IR_VERSION:
        raise SaveError("the document is of another version")
    _check_ruleset(program, document["ruleset"])
    layout = _bind_layout(program, document, bind)
    loader = _Loader(layout, document)
    state = loader.state()
    digest = _sum(_pieces(document, loader.logged(state, parts.elements())))
    if document["hash"] != state_hash(state):
        raise SaveError("the hash is not that of the state")
    if document["digest"] != digest:
        raise SaveError("the digest is not that of the document: something in it was changed")
    return state


def most_bytes(program: Program) -> int:
    """Return the characters that a document of a program may have: as many as the longest log needs that a game may
    have, and the rest of a state."""
    names = max(map(len, (str(type_) for type_ in shown_types(program))), default=0)
    return STATE_BYTES + (ENTRY_BYTES + names) * most_events(program.max_decisions)


def _check_keys(document: dict[str, Any], keys: Sequence[str], label: str) -> None:
    """Raise SaveError unless an object has exactly these keys."""
    missing = [key for key in keys if key not in document]
    if missing:
        raise SaveError(f"{label} lacks `{missing[0]}`")
    extra = [key for key in document if key not in keys]
    if extra:
        raise SaveError(f"{label} has `{extra[0][:40]}`, which means nothing")


def _check_ruleset(program: Program, header: Any) -> None:
    """Raise SaveError unless the document is of this version of the ruleset."""
    if not isinstance(header, dict):
        raise SaveError("`ruleset` must be an object")
    _check_keys(header, ("name", "hash"), "`ruleset`")
    if header["hash"] != program.hash:
        raise SaveError(f"the state is not one of this version of {program.name}")


def _bind_layout(program: Program, document: dict[str, Any], bind: Binder) -> Layout:
    """Return the layout of the document's players and options.

    Raises:
        SaveError: they are malformed, or not those of the ruleset.
    """
    players = number(document["players"], "players", 0, LARGEST_COUNT)
    option_json = document["options"]
    if not isinstance(option_json, dict):
        raise SaveError("`options` must be an object")
    _check_keys(option_json, [table.name for table in program.options], "`options`")
    options = []
    for table in program.options:
        value = option_json[table.name]
        if table.type == "bool":
            options.append(int(truth(value, f"option {table.name}")))
        elif not table.words:
            options.append(number(value, f"option {table.name}"))
        elif isinstance(value, str) and value in table.words:
            options.append(table.words.index(value))
        else:
            raise SaveError(f"option {table.name} has no such value")
    try:
        return bind(program, players, options)
    except UsageError as error:
        raise SaveError(str(error)) from None


class _Loader:
    """Decodes the state in a document whose layout is known; each method raises SaveError where a rule of the module is
    broken."""

    def __init__(self, layout: Layout, document: dict[str, Any]) -> None:
        self.layout = layout
        self.program = layout.program
        self.document = document
        self.reader = Reader(layout)

    def state(self) -> State:
        """Return the decoded state."""
        document, layout = self.document, self.layout
        parties = (1 << layout.parties) - 1
        explicit, logging = truth(document["explicit"], "explicit"), truth(document["logging"], "logging")
        state = State(layout, self._rng(), explicit, logging)
        state.over = number(document["over"], "over", 0, 3)
        state.winners = number(document["winners"], "winners", 0, parties)
        # Where no rule puts players out, `check` relies on all being in.
        state.out = number(document["out"], "out", 0, parties if layout.eliminates else 0)
        state.deferred = number(document["deferred"], "deferred", 0, TURN | ROUND | PHASE | WON | DRAWN)
        state.decisions = number(document["decisions"], "decisions", 0, self.program.max_decisions)
        state.turns = number(document["turns"], "turns", 0, LARGEST_COUNT)
        state.v = self._variables()
        self._pieces(state)
        self._frames(state)
        return state

    def logged(self, state: State, entries: Iterator[Any]) -> Iterator[Any]:
        """Append entries to the log of a state; yield each, once it is."""
        for place, entry in enumerate(entries):
            if not state.logging:
                raise SaveError("there is a log, though nothing is logged")
            state.log = state.log.append(self.reader.entry(entry, f"entry {place} of the log"), state.decisions)
            yield entry

    def _rng(self) -> int:
        """Return the state of the generator."""
        text = self.document["rng"]
        if not isinstance(text, str) or len(text) != 16 or not set(text) <= set("0123456789abcdef"):
            raise SaveError("`rng` must be 16 hex digits")
        return int(text, 16)

    # ---- variables

    def _variables(self) -> list[int]:
        """Return the cells of all variables."""
        layout = self.layout
        cells = listed(self.document["variables"], "variables", len(layout.start_v))
        values = []
        for value, (of_piece, variable, _) in zip(cells, layout.cell_place, strict=True):
            table = (self.program.piece_variables if of_piece else self.program.variables)[variable]
            values.append(self.reader.cell(table, value, f"variable {table.name}"))
        if not all(form.is_valid(values) for form in layout.positions.values()):
            raise SaveError("what was remembered of positions is not in order")
        return values

    # ---- pieces

    def _pieces(self, state: State) -> None:
        """Decode zones and pools, and check that every piece is there as often as declared."""
        layout = self.layout
        pools = listed(self.document["pools"], "pools")
        state.pools = [
            [number(item, "an item of a pool", 0, layout.items - 1) for item in listed(items, "a pool")]
            for items in pools
        ]
        zones = listed(self.document["zones"], "zones", len(layout.inst_zone))
        state.z = [
            [number(item, "a piece", -len(pools), layout.items - 1) for item in listed(contents, "a zone")]
            for contents in zones
        ]
        state.where = [-1] * layout.items
        counts: Counter[int] = Counter()
        members: Counter[int] = Counter()
        for zone, contents in enumerate(state.z):
            self._zone(state, zone, contents)
            for value in contents:
                if value >= 0:
                    counts[value] += 1
                    set_location(state, value, zone)
                else:
                    members[-value - 1] += 1
        for pool, items in enumerate(state.pools):
            self._pool(items, members[pool])
            counts.update(items)
        for item in range(layout.items):
            if counts[item] != layout.copies[item]:
                raise SaveError(f"there are {counts[item]} of piece {item} instead of {layout.copies[item]}")

    def _zone(self, state: State, zone: int, contents: list[int]) -> None:
        """Check kind, capacity and order of a zone's contents."""
        layout = self.layout
        name = self.program.zones[layout.inst_zone[zone]].name
        capacity = layout.inst_capacity[zone]
        if 0 <= capacity < len(contents):
            raise SaveError(f"{name} holds more than {counted(capacity, 'piece')}")
        if not layout.inst_kept[zone] and contents != sorted(contents):
            raise SaveError(f"{name} is not sorted")
        for value in set(contents):  # not for each member of a pool all of its items
            items = [value] if value >= 0 else state.pools[-value - 1]
            if any(layout.item_kind[item] != layout.inst_kind[zone] for item in items):
                raise SaveError(f"{name} holds pieces of another kind")

    def _pool(self, items: list[int], members: int) -> None:
        """Check that a pool is sorted, has an item for each member, and at least two distinct ones."""
        if len(items) != members:
            raise SaveError(f"a pool has {counted(members, 'member')} for {counted(len(items), 'piece')}")
        if items != sorted(items):
            raise SaveError("a pool is not sorted")
        if items and items[0] == items[-1]:
            raise SaveError("a pool holds only pieces that are known")

    # ---- frames

    def _frames(self, state: State) -> None:
        """Decode the stack of frames."""
        frames = listed(self.document["frames"], "frames")
        if bool(frames) == bool(state.over):
            raise SaveError("a game is either over or waits in a procedure")
        if len(frames) > self.program.depth:
            raise SaveError("more rules wait for each other than may")
        heads = [self._head(frame) for frame in frames]
        state.frames = heads
        for depth in range(len(heads)):
            self._follows(heads, depth)
        for depth, frame in enumerate(frames):
            heads[depth][2] = self._locals(state, depth, frame[2])

    def _head(self, frame: Any) -> Frame:
        """Return a frame without its locals."""
        procedure, block, values, slot = listed(frame, "a frame", 4)
        code = self.program.procedures[number(procedure, "a procedure", 0, len(self.program.procedures) - 1)]
        number(block, f"a block of {code.name}", 0, len(code.blocks) - 1)
        listed(values, f"the locals of {code.name}", len(code.locals))
        number(slot, "a slot", -1)
        return [procedure, block, [], slot]

    def _follows(self, heads: list[Frame], depth: int) -> None:
        """Check that the innermost frame is at a node, and that each other one has called the next."""
        procedure, block, _, slot = heads[depth]
        code = self.program.procedures[procedure]
        if depth == 0 and slot != -1:
            raise SaveError(f"nothing waits for the value of {code.name}")
        if depth == len(heads) - 1:
            if not isinstance(code.blocks[block].terminator, Waiting) or code.blocks[block].statements:
                raise SaveError(f"{code.name} does not wait in block {block}")
            return
        called, _, _, into = heads[depth + 1]
        if depth == 0 and called == self.program.setup and block == 0 and into == -1:
            return
        if not any(
            isinstance(call := candidate.terminator, CallProc)
            and (call.procedure, call.to, call.slot) == (called, block, into)
            for candidate in code.blocks
        ):
            raise SaveError(f"{code.name} does not wait for {self.program.procedures[called].name} in block {block}")

    def _locals(self, state: State, depth: int, values: list[Any]) -> list[Any]:
        """Return the locals of a frame."""
        procedure = self.program.procedures[state.frames[depth][0]]
        live = set(live_slots(state, depth))
        may_be_absent = self.layout.absent_slots[state.frames[depth][0]]
        locals_: list[Any] = []
        for slot, (type_, value) in enumerate(zip(procedure.locals, values, strict=True)):
            label = f"local {procedure.local_names[slot]} of {procedure.name}"
            if slot in live:
                absent = type(value) is int and value == ABSENT and slot in may_be_absent
                locals_.append(value if absent else self.reader.value(type_, value, label))
            elif type(value) is int and value == 0:
                locals_.append(0)
            else:
                raise SaveError(f"{label} is no longer needed and must be 0")
        self._together(state, depth, locals_)
        return locals_

    def _together(self, state: State, depth: int, values: list[Any]) -> None:
        """Check that no value is missing but in the result of a `together` that still waits."""
        decision = state.pending_decision() if depth == len(state.frames) - 1 else None
        collects = decision.result_slot if decision is not None and decision.together else -1
        if collects >= 0 and None not in values[collects]:
            raise SaveError("all have chosen, and yet the game waits for them")
        for slot, value in enumerate(values):
            if slot != collects and isinstance(value, list) and None in value:
                raise SaveError("a seat's value is missing")
