"""The flat block that holds a state in native code: how large its parts are, and the way there and back.

Enters: a layout and its facts. Leaves: a `StateBlocks`: the text of the sizes and tables that c/state.h wants; states
as blocks; blocks as states.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from rulelang.ir.program import VariableTable
from rulelang.native.analysis import Analysis
from rulelang.native.bitboards import bit_words, bitboards, flips
from rulelang.native.source import rows
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DECLARED, SCORED, TIED, State
from rulelang.vocabulary.operations import CHANCE

TINY, SMALL = (1 << 7) - 1, (1 << 15) - 1
LARGEST = 8 << 20
"""A block of more bytes is too much to be copied for every game."""
SCRATCH = 1 << 22
"""Words of scratch space."""


FEW, SOME = 8, 127
"""Bags and pools of kinds of so few items, and so few pieces in all, are kept as counts, a byte for each item."""

SORTED, PILED, COUNTS = range(3)
"""How what lies in a zone is kept, as c/state.h says."""


def zone_form(layout: Layout, facts: Analysis, table: int) -> int:
    """Return the representation of the contents of a table's zones."""
    zone = layout.program.zones[table]
    if zone.kept:
        return PILED
    return COUNTS if countable(layout, zone.kind) and not facts.may_hide(table) else SORTED


def countable(layout: Layout, kind: int) -> bool:
    """Return whether it takes one word to say how many pieces there are of each item of a kind."""
    items = layout.kind_items[kind]
    few = 0 < len(items) <= FEW and sum(layout.copies[item] for item in items) <= SOME
    return few and not layout.program.kinds[kind].identity


def variable_cells(layout: Layout) -> Iterator[tuple[str, int, VariableTable, range]]:
    """Yield all variables, those of pieces last: `var` or `pvar`, as effects call them, number, table and cells."""
    variables, of_pieces = layout.program.variables, layout.program.piece_variables
    numbered = [*(("var", *each) for each in enumerate(variables)), *(("pvar", *each) for each in enumerate(of_pieces))]
    bounds = pairwise([*layout.var_base, *layout.pvar_base, len(layout.start_v)])
    for (word, number, table), (start, end) in zip(numbered, bounds, strict=True):
        yield word, number, table, range(start, end)


class StateTooLargeError(Exception):
    """A state of this game is too much for one block."""


class StateBlocks:
    """The blocks of one layout.

    Attributes:
        type: the ctypes structure. forms, room, starts, first_item: by zone instance its representation (`zone_form`),
            the most pieces, the first slot, the first item of its kind. slots: in all. pools: the most pools; members:
            room for what they hold; counted_pools: whether that is packed counts, of the items from pool_item on.
            bits: of a slot. bitboards: field -> its bitboards. bit_words: of sets of bits that are no word.
    """

    def __init__(self, layout: Layout, facts: Analysis) -> None:
        self.layout = layout
        copies = [sum(layout.copies[item] for item in items) for items in layout.kind_items]
        zones = layout.program.zones
        self.room = [
            min(copies[kind], capacity) if capacity >= 0 else copies[kind]
            for kind, capacity in zip(layout.inst_kind, layout.inst_capacity, strict=True)
        ]
        forms = [zone_form(layout, facts, table) for table in range(len(zones))]
        self.forms = [forms[table] for table in layout.inst_zone]
        self.first_item = [layout.kind_items[kind].start for kind in layout.inst_kind]
        kinds = {zones[table].kind for table in facts.hidden}
        unseen = sum(copies[kind] for kind in kinds)
        self.pools = unseen // 2 + 1 if unseen else 0
        self.counted_pools = len(kinds) == 1 and countable(layout, *kinds)
        self.pool_item = min((layout.kind_items[kind].start for kind in kinds), default=0)
        self.members = 0 if self.counted_pools else 2 * unseen
        most = max(layout.items, self.pools)
        self.bits = 8 if most <= TINY else 16 if most <= SMALL else 32
        self.starts: list[int] = []
        self.slots = 0
        for form, room in zip(self.forms, self.room, strict=True):
            self.starts.append(self.slots)
            self.slots += 0 if form == COUNTS else room
        self.bitboards = bitboards(layout)
        self.bit_words = bit_words(layout)
        self._boards = sum(boards.size for boards in self.bitboards.values())
        self.type = self._structure()
        if ctypes.sizeof(self.type) > LARGEST:
            raise StateTooLargeError

    def _structure(self) -> Any:
        """Return the ctypes structure of the block of a state, as `State` of c/state.h has it."""
        layout = self.layout
        piece: Any = {8: ctypes.c_int8, 16: ctypes.c_int16, 32: ctypes.c_int32}[self.bits]
        word, short = ctypes.c_int64, ctypes.c_int32

        class Block(ctypes.Structure):
            _fields_ = (
                ("rng", ctypes.c_uint64),
                *((name, word) for name in ("over", "winners", "out", "deferred", "decisions", "turns", "capped")),
                ("v", word * (len(layout.start_v) + 1)),
                ("boards", ctypes.c_uint64 * (self._boards + 1)),
                ("where", short * (layout.items + 1)),
                ("length", short * (len(self.room) + 1)),
                ("counts", ctypes.c_uint64 * (len(self.room) + 1)),
                ("pools", short),
                ("pool_length", short * (self.pools + 1)),
                ("pool_start", short * (self.pools + 1)),
                ("members_used", short),
                ("pool_counts", ctypes.c_uint64 * (self.pools + 1)),
                ("members", piece * (self.members + 1)),
                ("slots", piece * (self.slots + 1)),
            )

        return Block

    def preamble(self) -> str:
        """Return the sizes and tables, as C."""
        layout, program = self.layout, self.layout.program
        sizes = {
            "VARIABLES": len(layout.start_v), "ITEMS": layout.items, "INSTANCES": len(self.room), "SLOTS": self.slots,
            "POOLS": self.pools, "BOARDS": self._boards, "BIT_WORDS": self.bit_words, "MEMBERS": self.members,
            "PARTIES": layout.parties, "PROCEDURES": len(program.procedures), "FUEL": program.fuel,
            "MAX_DECISIONS": program.max_decisions, "COUNTED_POOLS": int(self.counted_pools),
            "POOL_ITEM": self.pool_item, "DEPTH": program.depth, "SCRATCH": SCRATCH,
            "SCORED": SCORED, "DECLARED": DECLARED, "TIED": TIED,
        }  # fmt: skip
        sizes |= {kind.upper(): list(CHANCE).index(kind) for kind in ("expose", "shared")}
        kinds = program.kinds
        tables = {
            "zone_start": ("int32_t", self.starts),
            "zone_room": ("int32_t", self.room),
            "zone_form": ("int8_t", self.forms),
            "zone_item": ("int32_t", self.first_item),
            "zone_capacity": ("int32_t", layout.inst_capacity),
            "zone_identity": ("bool", [int(kinds[kind].identity) for kind in layout.inst_kind]),
            "zone_owner": ("int8_t", layout.inst_owner),
            "item_identity": ("bool", [int(kinds[kind].identity) for kind in layout.item_kind]),
            "item_seat": ("int8_t", layout.item_seat),
        }
        lines = [f"#define {name} {value}" for name, value in sizes.items()]
        counted = {first for form, first in zip(self.forms, self.first_item, strict=True) if form == COUNTS}
        first_item = f"((void)(zone), (W){counted.pop()})" if len(counted) == 1 else "(W)zone_item[zone]"
        lines.append(f"#define FIRST_ITEM(zone) {first_item}")
        lines.append(f"typedef int{self.bits}_t Z;")
        lines += [
            f"__attribute__((unused)) static const {type_} {name}[{len(values) + 1}] = {{{rows([*values, 0])}}};"
            for name, (type_, values) in tables.items()
        ]
        return "\n".join([*lines, flips(self.bitboards)])

    # ---- states

    def packed(self, state: State) -> Any:
        """Return the block of a state. Raises StateTooLargeError if it does not fit."""
        block = self.type()
        block.rng = state.rng
        block.over, block.winners, block.out, block.deferred = state.over, state.winners, state.out, state.deferred
        block.decisions, block.turns = state.decisions, state.turns
        block.v[: len(state.v)] = state.v
        block.boards[: self._boards] = [
            word for boards in self.bitboards.values() for word in boards.words(state.v, state.z)
        ]
        block.where[: len(state.where)] = state.where
        block.length[: len(state.z)] = [len(contents) for contents in state.z]
        for zone, contents in enumerate(state.z):
            start = self.starts[zone]
            if len(contents) > self.room[zone]:
                raise StateTooLargeError
            if self.forms[zone] == COUNTS:
                block.counts[zone] = _counts(self.first_item[zone], tuple(contents))
            else:
                block.slots[start : start + len(contents)] = contents
        used = 0
        if len(state.pools) > self.pools:
            raise StateTooLargeError
        block.pools = len(state.pools)
        if self.counted_pools:
            for pool, items in enumerate(state.pools):
                if items and items[0] == items[-1]:
                    raise StateTooLargeError  # nothing of it is unknown: rules leave no such pool
                block.pool_length[pool], block.pool_counts[pool] = len(items), _counts(self.pool_item, tuple(items))
            return block
        if sum(map(len, state.pools)) > self.members:
            raise StateTooLargeError
        for pool, items in enumerate(state.pools):
            block.pool_start[pool], block.pool_length[pool] = used, len(items)
            block.members[used : used + len(items)] = items
            used += len(items)
        block.members_used = used
        return block

    def unpack(self, block: Any, state: State) -> None:
        """Set a state to what a block says; its frames are left to the caller."""
        state.rng = block.rng
        state.over, state.winners, state.out, state.deferred = block.over, block.winners, block.out, block.deferred
        state.decisions, state.turns = block.decisions, block.turns
        state.v = block.v[: len(self.layout.start_v)]
        state.where = block.where[: self.layout.items]
        zones = len(self.room)
        length, counts, slots = block.length[:zones], block.counts[:zones], block.slots[: self.slots]
        state.z = [
            list(_items(first, count)) if form == COUNTS else slots[start : start + size]
            for form, first, count, start, size in zip(
                self.forms, self.first_item, counts, self.starts, length, strict=True
            )
        ]
        if self.counted_pools:
            # An emptied pool's counts are left as they were.
            state.pools = [
                list(_items(self.pool_item, block.pool_counts[pool])) if block.pool_length[pool] else []
                for pool in range(block.pools)
            ]
            return
        state.pools = [
            block.members[block.pool_start[pool] : block.pool_start[pool] + block.pool_length[pool]]
            for pool in range(block.pools)
        ]


@lru_cache(maxsize=1 << 14)
def _counts(first: int, items: tuple[int, ...]) -> int:
    """Return a byte for each item from the first on: how many there are of it."""
    if len(items) > SOME or any(not first <= item < first + FEW for item in items):
        raise StateTooLargeError
    return sum(1 << 8 * (item - first) for item in items)


@lru_cache(maxsize=1 << 14)
def _items(first: int, counts: int) -> tuple[int, ...]:
    """Return the items that were counted so."""
    return tuple(item for item, count in enumerate(counts.to_bytes(FEW, "little"), first) for _ in range(count))
