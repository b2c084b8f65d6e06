"""A state whose counted zones hold numbers: made so before a random game, made lists again after it, moved about in.

Enters: a state with lists, or one with numbers. Leaves: the state changed.
"""

# S is the state in every function of this module.

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulelang.backends.interpreter.statements import take
from rulelang.backends.python.handfuls import Handfuls
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT, Layout
from rulelang.runtime.pools import put_into
from rulelang.runtime.state import State


class Keeping:
    """What knows of each zone how it is kept: as a list, or as a number.

    Args:
        counted: the tables of zones that are kept as numbers, with what knows these.
    """

    def __init__(self, layout: Layout, counted: Mapping[int, Handfuls]) -> None:
        self.layout = layout
        self.counted = counted
        self._of = [counted.get(table) for table in layout.inst_zone]
        self._zones = [(there, handfuls) for there, handfuls in enumerate(self._of) if handfuls is not None]
        self._lists = [there for there, handfuls in enumerate(self._of) if handfuls is None]

    def pack(self, S: State) -> None:
        """Makes lists numbers."""
        z: list[Any] = S.z
        for zone, handfuls in self._zones:
            z[zone] = handfuls.pack(z[zone]) if z[zone] else 0

    def unpack(self, S: State) -> None:
        """Makes numbers lists."""
        z: list[Any] = S.z
        for zone, handfuls in self._zones:
            z[zone] = handfuls.unpack(z[zone]) if z[zone] else []

    def copy(self, S: State, rng: int) -> State:
        """A copy of a state whose counted zones hold numbers, with another state of the generator."""
        z: list[Any] = S.z[:]
        for zone in self._lists:
            z[zone] = z[zone][:]
        new = S.with_zones(z)
        new.rng = rng
        return new

    # ---- moves

    def move_one(self, S: State, handle: int, to: int, top: bool) -> None:
        """Moves a piece, if it is there and fits."""
        if handle < 0:
            return
        origin = handle >> ZONE_SHIFT
        if self._fits(S, origin, to):
            S.fuel -= (self._amount(S, origin) + self._amount(S, to)) >> 6
            self._move(S, handle & ITEM_MASK, origin, to, top)

    def move(self, S: State, handles: list[int], to: int, top: bool) -> None:
        """Moves pieces, as many as fit."""
        S.fuel -= len(handles)
        for handle in handles:
            if self._fits(S, handle >> ZONE_SHIFT, to):
                self._move(S, handle & ITEM_MASK, handle >> ZONE_SHIFT, to, top)

    def _fits(self, S: State, origin: int, to: int) -> bool:
        room = self.layout.inst_capacity[to]
        return room < 0 or origin == to or self._amount(S, to) < room

    def _move(self, S: State, item: int, origin: int, to: int, top: bool) -> None:
        z: list[Any] = S.z
        here, there = self._of[origin], self._of[to]
        if here is not None:
            unit = here.units[item]
            if not here.common(z[origin], unit):
                return
            z[origin] -= unit
        elif not take(z[origin], item, self.layout.inst_pile[origin]):
            return
        if there is not None:
            z[to] += there.units[item]
        else:
            put_into(z[to], item, self.layout.inst_pile[to], top)

    def move_slots(self, S: State, origin: int, amount: int, to: int, top: bool) -> None:
        """Moves pieces as they lie, unknown ones too."""
        layout = self.layout
        n = min(max(amount, 0), self._amount(S, origin))
        room = layout.inst_capacity[to]
        if room >= 0 and origin != to:
            n = min(n, max(room - self._amount(S, to), 0))
        S.fuel -= n
        z: list[Any] = S.z
        here, there = self._of[origin], self._of[to]
        if here is not None:
            members = here.listed[z[origin]][:n]
            z[origin] -= here.pack(members)
        elif layout.inst_pile[origin]:
            members = z[origin][: -n - 1 : -1]
            del z[origin][len(z[origin]) - n :]
        else:
            members = z[origin][:n]
            del z[origin][:n]
        if there is not None:
            z[to] += there.pack(members)
            return
        for member in members:
            put_into(z[to], member, layout.inst_pile[to], top)

    def _amount(self, S: State, zone: int) -> int:
        """How many pieces lie in a zone."""
        handfuls = self._of[zone]
        lying: Any = S.z[zone]
        return len(lying) if handfuls is None else handfuls.size(lying)
