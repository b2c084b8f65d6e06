"""The flat block that holds a state in native code: how large its parts are, and the way there and back.

Enters: a layout and its facts. Leaves: a `Blocks`: the text of the sizes and tables that c/state.h wants; states as
blocks; blocks as states; frames as rows of words.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rulelang.backends.facts import Facts
from rulelang.ir.types import present, unwrap
from rulelang.runtime.layout import Layout
from rulelang.runtime.state import DECLARED, SCORED, TIED, Frame, State

SMALL = (1 << 15) - 1
LARGEST = 8 << 20
"""A block of more bytes is too much to be copied for every game."""
SCRATCH = 1 << 22
"""Words of scratch space."""


class TooLargeError(Exception):
    """A state of this game is too much for one block."""


class Blocks:
    """The blocks of one layout.

    Attributes:
        type: the ctypes structure.
    """

    def __init__(self, layout: Layout, facts: Facts) -> None:
        self.layout = layout
        copies = [sum(layout.copies[item] for item in items) for items in layout.kind_items]
        zones = layout.program.zones
        self.room = [
            min(copies[kind], capacity) if capacity >= 0 else copies[kind]
            for kind, capacity in zip(layout.inst_kind, layout.inst_capacity, strict=True)
        ]
        unseen = sum(copies[kind] for kind in {zones[table].kind for table in facts.hidden})
        self.pools = unseen // 2 + 1 if unseen else 0
        self.members = 2 * unseen
        self.small = layout.items <= SMALL and self.pools <= SMALL
        self.starts = [sum(self.room[:place]) for place in range(len(self.room))] if len(self.room) < 512 else []
        if not self.starts:
            total = 0
            for room in self.room:
                self.starts.append(total)
                total += room
        self.slots = sum(self.room)
        self.type = self._structure()
        if ctypes.sizeof(self.type) > LARGEST:
            raise TooLargeError

    def _structure(self) -> Any:
        layout, piece = self.layout, ctypes.c_int16 if self.small else ctypes.c_int32
        word, short = ctypes.c_int64, ctypes.c_int32

        class Block(ctypes.Structure):
            _fields_ = (
                ("rng", ctypes.c_uint64),
                *((name, word) for name in ("over", "winners", "out", "deferred", "decisions", "turns", "capped")),
                ("v", word * (len(layout.start_v) + 1)),
                ("where", short * (layout.items + 1)),
                ("length", short * (len(self.room) + 1)),
                ("pools", short),
                ("pool_length", short * (self.pools + 1)),
                ("pool_start", short * (self.pools + 1)),
                ("members_used", short),
                ("members", piece * (self.members + 1)),
                ("slots", piece * (self.slots + 1)),
            )

        return Block

    def preamble(self) -> str:
        """The sizes and tables, as C."""
        layout, program = self.layout, self.layout.program
        sizes = {
            "VARIABLES": len(layout.start_v), "ITEMS": layout.items, "INSTANCES": len(self.room), "SLOTS": self.slots,
            "POOLS": self.pools, "MEMBERS": self.members, "PARTIES": layout.parties,
            "PROCEDURES": len(program.procedures), "FUEL": program.fuel, "MAX_DECISIONS": program.max_decisions,
            "DEPTH": program.depth, "SCRATCH": SCRATCH, "SCORED": SCORED, "DECLARED": DECLARED, "TIED": TIED,
        }  # fmt: skip
        kinds = program.kinds
        tables = {
            "zone_start": ("int32_t", self.starts),
            "zone_room": ("int32_t", self.room),
            "zone_pile": ("bool", [int(pile) for pile in layout.inst_pile]),
            "zone_capacity": ("int32_t", layout.inst_capacity),
            "zone_identity": ("bool", [int(kinds[kind].identity) for kind in layout.inst_kind]),
            "zone_owner": ("int8_t", layout.inst_owner),
            "item_identity": ("bool", [int(kinds[kind].identity) for kind in layout.item_kind]),
            "item_seat": ("int8_t", layout.item_seat),
        }
        lines = [f"#define {name} {value}" for name, value in sizes.items()]
        lines.append(f"typedef int{16 if self.small else 32}_t Z;")
        lines += [
            f"__attribute__((unused)) static const {type_} {name}[{len(values) + 1}] = {{{_rows(values)}}};"
            for name, (type_, values) in tables.items()
        ]
        return "\n".join(lines)

    # ---- states

    def packed(self, state: State) -> Any:
        """The block of a state."""
        block = self.type()
        block.rng = state.rng
        block.over, block.winners, block.out, block.deferred = state.over, state.winners, state.out, state.deferred
        block.decisions, block.turns = state.decisions, state.turns
        block.v[: len(state.v)] = state.v
        block.where[: len(state.where)] = state.where
        block.length[: len(state.z)] = [len(contents) for contents in state.z]
        for start, room, contents in zip(self.starts, self.room, state.z, strict=True):
            if len(contents) > room:
                raise TooLargeError
            block.slots[start : start + len(contents)] = contents
        used = 0
        if len(state.pools) > self.pools or sum(map(len, state.pools)) > self.members:
            raise TooLargeError
        block.pools = len(state.pools)
        for pool, items in enumerate(state.pools):
            block.pool_start[pool], block.pool_length[pool] = used, len(items)
            block.members[used : used + len(items)] = items
            used += len(items)
        block.members_used = used
        return block

    def unpack(self, block: Any, state: State) -> None:
        """Makes a state what a block says; its frames are left to the caller."""
        state.rng = block.rng
        state.over, state.winners, state.out, state.deferred = block.over, block.winners, block.out, block.deferred
        state.decisions, state.turns = block.decisions, block.turns
        state.v[:] = block.v[: len(state.v)]
        state.where[:] = block.where[: len(state.where)]
        lengths = block.length[: len(state.z)]
        state.z[:] = [block.slots[start : start + n] for start, n in zip(self.starts, lengths, strict=True)]
        state.pools[:] = [
            block.members[block.pool_start[pool] : block.pool_start[pool] + block.pool_length[pool]]
            for pool in range(block.pools)
        ]

    # ---- frames

    def frames(self, frames: list[Frame]) -> Any:
        """What waits, as `rulelang_play` wants it: words, whose addresses hold as long as the array lives."""
        procedures = self.layout.program.procedures
        rows: list[list[int]] = [[len(frames)]]
        parts: list[list[Any]] = []
        places: list[tuple[int, int, int]] = []
        for procedure, block, values, slot in frames:
            types = procedures[procedure].locals
            row = [procedure, block, slot, len(values)]
            for type_, value in zip(types, values, strict=True):
                if isinstance(value, int):
                    row.append(value)
                else:
                    places.append((len(rows), len(row), self._part(type_, value, parts)))
                    row.append(0)
            rows.append(row)
        head = sum(map(len, rows))
        starts = [head + sum(map(len, parts[:place])) for place in range(len(parts))]
        words: Any = (ctypes.c_int64 * (head + sum(map(len, parts)) + 1))()
        base = ctypes.addressof(words)
        for row_number, place, part in places:
            rows[row_number][place] = base + 8 * starts[part]
        at = 0
        for row in rows:
            words[at : at + len(row)] = row
            at += len(row)
        for values in parts:
            words[at : at + len(values)] = [base + 8 * starts[n.number] if isinstance(n, _Part) else n for n in values]
            at += len(values)
        return words

    def _part(self, type_: str, value: Any, parts: list[list[Any]]) -> int:
        """The number of the part that holds a value that is no single word."""
        wrapper, inner = unwrap(present(type_))

        def word(inner_type: str, item: Any) -> Any:
            return item if isinstance(item, int) else _Part(self._part(inner_type, item, parts))

        if wrapper == "group":
            row = [word("int", value[0]), word(f"set<{inner}>", value[1])]
        elif wrapper:
            row = [len(value), *[word(inner, item) for item in value]]
        elif inner == "payment":
            row = [len(value), *value]
        elif inner.startswith("cost:"):
            fixed, wilds = value
            row = [*fixed, len(wilds), *[n for wild in wilds for n in wild]]
        else:
            row = list(value)
        parts.append(row)
        return len(parts) - 1


class _Part:
    """Stands for the address of a part."""

    def __init__(self, number: int) -> None:
        self.number = number


def _rows(values: list[int]) -> str:
    rows = [", ".join(map(str, values[start : start + 24])) for start in range(0, len(values), 24)]
    return ",\n    ".join([*rows, "0"])
