"""A state as one seat sees it now: what the seat does not see can't be read.

Enters: a state, what a seat sees. Leaves: a `Veil`, which stands in for the state where closures of expressions read
one: visible parts have their values, any other raises `HiddenError`. It holds nothing that the seat does not see, so
that whatever is worked out from it is a function of the seat's observation.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NoReturn

from rulelang.runtime.sight import ALL, NOTHING, TOP, Sight, seen_in
from rulelang.runtime.state import State


class HiddenError(Exception):
    """What was read is hidden from the seat; no error of a rule, which look-ahead would take for a way that fails."""


def _hidden(*_: Any) -> NoReturn:
    """Raise HiddenError: any other access to what is hidden."""
    raise HiddenError("hidden from the seat")


class _Cells(list[Any]):
    """Values by number, None where they are hidden."""

    def __getitem__(self, at: Any) -> Any:
        """Return a value, or those of a slice; raise HiddenError if one is hidden."""
        value = list.__getitem__(self, at)
        if value is None or (isinstance(value, list) and None in value):
            raise HiddenError("a hidden value")
        return value

    __setitem__ = __delitem__ = _hidden


class _Unseen:
    """The contents of a zone of which a seat sees at most the number of pieces and the top one."""

    __slots__ = ("count", "top")

    def __init__(self, count: int | None, top: int | None) -> None:
        self.count, self.top = count, top

    def __len__(self) -> int:
        if self.count is None:
            raise HiddenError("a hidden number of pieces")
        return self.count

    def __getitem__(self, at: Any) -> int:
        if at == -1 and self.top is not None:
            return self.top
        raise HiddenError("a hidden piece")

    __iter__ = __contains__ = __reversed__ = __eq__ = __add__ = _hidden
    __hash__ = None  # type: ignore[assignment]


class Veil:
    """What a seat sees of a state, with the names of `State`'s parts; any other part raises HiddenError.

    Attributes:
        fuel: work that is left, as in `State`. seen: the items of the pieces that the seat sees, by zone instance.
    """

    def __init__(self, state: State, sight: Sight) -> None:
        self.layout, self.sight = state.layout, sight
        self.out, self.turns, self.over = state.out, state.turns, state.over
        self.fuel = state.layout.program.fuel
        self.seen = [seen_in(state, sight, zone) for zone in range(len(state.z))]
        self.z: list[list[int] | _Unseen] = [
            list(contents) if sight.zones[zone] == ALL or not (contents or sight.zones[zone] == NOTHING)
            else _Unseen(
                None if sight.zones[zone] == NOTHING else len(contents),
                contents[-1] if sight.zones[zone] == TOP and contents[-1] >= 0 else None,
            )
            for zone, contents in enumerate(state.z)
        ]  # fmt: skip
        self.v = _Cells(value if shown else None for value, shown in zip(state.v, self._shown(), strict=True))
        self.where = _Cells([None] * len(state.where))
        for zone, items in enumerate(self.seen):
            for item in items:
                list.__setitem__(self.where, item, zone)

    def _shown(self) -> list[bool]:
        """Return by cell of `State.v` whether the seat sees it."""
        shown, layout, sight = self.sight.cells[:], self.layout, self.sight
        for zone, items in enumerate(self.seen if layout.pvar_base else ()):
            for item in items:
                for number in layout.program.kinds[layout.item_kind[item]].variables:
                    if sight.piece_cell(number, item, zone):
                        for cell in layout.variable_cells_of(number, item):
                            shown[cell] = True
        return shown

    def __getattr__(self, name: str) -> NoReturn:
        """Raise HiddenError for any part that a seat does not see."""
        raise HiddenError(f"hidden from the seat: {name}")

    # ---- what may be hidden where

    def known(self, zone: int) -> list[int] | None:
        """Return the contents of a zone; None if the seat does not see all of them."""
        contents = self.z[zone]
        return contents if isinstance(contents, list) else None

    def sizes(self, zone: int) -> tuple[int, int]:
        """Return the least and greatest number of pieces that a zone may have."""
        contents = self.z[zone]
        if isinstance(contents, list) or contents.count is not None:
            return len(contents), len(contents)
        capacity = self.layout.inst_capacity[zone]
        pieces = sum(self._unseen_copies[item] for item in self.unseen(self.layout.inst_kind[zone]))
        return 0, pieces if capacity < 0 else min(capacity, pieces)

    @cached_property
    def _unseen_copies(self) -> list[int]:
        """Return by item how many pieces of it the seat does not see."""
        copies = list(self.layout.copies)
        for items in self.seen:
            for item in items:
                copies[item] -= 1
        return copies

    def unseen(self, kind: int) -> list[int]:
        """Return the items of a kind of which the seat does not see all pieces."""
        return [item for item in self.layout.kind_items[kind] if self._unseen_copies[item] > 0]

    def hiding_zones(self, kind: int) -> Iterator[int]:
        """Yield the zones where pieces of a kind may lie unseen."""
        for zone, of_kind in enumerate(self.layout.inst_kind):
            if of_kind == kind and self.known(zone) is None:
                yield zone
