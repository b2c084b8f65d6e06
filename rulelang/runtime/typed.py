"""Reads run-time values back from JSON, each by its type, and refuses what no game of this layout could hold.

Enters: a layout, a type, parsed JSON. Leaves: the value as the machine holds it, or SaveError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rulelang.diagnostics import SaveError
from rulelang.ir.nodes import Expr
from rulelang.ir.program import VariableTable
from rulelang.ir.types import ABSENT_NUMBER, Type
from rulelang.limits import COST_PARTS
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT, Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import element_types

MOST_HANDLERS = 1 << 16

MOST_COUNTED = 1 << 20
"""No bag in a local or in the log holds more of one kind; its text lists them all."""


def number(value: Any, what: str, low: int = LOWEST, high: int = HIGHEST) -> int:
    """Return an integer from low to high."""
    if type(value) is not int:
        raise SaveError(f"{what} must be a whole number")
    if not low <= value <= high:
        raise SaveError(f"{what} must be from {low} to {high}")
    return value


def listed(value: Any, what: str, size: int | None = None) -> list[Any]:
    """Return a list, of this size if one is given."""
    if not isinstance(value, list):
        raise SaveError(f"{what} must be a list")
    if size is not None and len(value) != size:
        raise SaveError(f"{what} must have {size} elements, not {len(value)}")
    return value


def truth(value: Any, what: str) -> bool:
    """Return a JSON truth value."""
    if not isinstance(value, bool):
        raise SaveError(f"{what} must be true or false")
    return value


def plain(value: Any) -> Any:
    """Return a run-time value as JSON: tuples as lists, truth values as 0 and 1."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return int(value) if isinstance(value, bool) else value


class Reader:
    """Reads values of one layout.

    Args:
        out: bit mask of the parties that are out of the game.
    """

    def __init__(self, layout: Layout, out: int) -> None:
        self.layout = layout
        self.out = out
        self.elements = element_types(layout.program)
        self.revealed = {
            what.type
            for procedure in layout.program.procedures
            for block in procedure.blocks
            for statement in block.statements
            if statement.op == "reveal" and isinstance(what := statement.args[0], Expr)
        }

    def value(self, type_: Type, value: Any, what: str) -> Any:
        """Return a value of the type."""
        if type_.kind == "opt":
            none = type_.absent
            return none if value == none and type(value) is int else self.value(type_.inner, value, what)
        if type_.kind == "set":
            return [self.value(type_.inner, part, what) for part in listed(value, what)]
        if type_.kind == "seats":
            parts = listed(value, what, self.layout.parties)
            return [
                None if part is None else self._of_party(type_.inner, party, part, what)
                for party, part in enumerate(parts)
            ]
        return self._readers()[type_.kind](type_, value, what)

    def cell(self, table: VariableTable, value: Any, what: str) -> int:
        """Return the value of a cell of a variable or mark, checked."""
        if table.mark:
            return number(value, what, 0, len(self.layout.program.untils) * (self.layout.parties + 1))
        if table.type == "opt<int>" and type(value) is int and value == ABSENT_NUMBER:
            return value
        if table.type.kind == "bag" or table.type in ("int", "opt<int>"):
            return number(value, what, table.low, table.high)
        cell = self.value(table.type, value, what)
        assert isinstance(cell, int)
        return cell

    def _of_party(self, type_: Type, party: int, value: Any, what: str) -> Any:
        """Return one party's value in a `together`: absent where there was nothing to choose, or the party was not
        asked."""
        chooses = party < self.layout.players and not self.out >> party & 1
        may_be_absent = type_.scalar or not (chooses or type_.kind == "set")
        if may_be_absent and type(value) is int and value == type_.absent:
            return value
        return self.value(type_, value, what)

    def _readers(self) -> dict[str, Callable[[Type, Any, str], Any]]:
        layout = self.layout

        def below(size: int) -> Callable[[Type, Any, str], int]:
            return lambda type_, value, what: number(value, what, 0, size - 1)

        return {
            "int": lambda type_, value, what: number(value, what),
            "bool": below(2),
            "seat": below(layout.parties),
            "dir": below(8),
            "zone": below(len(layout.inst_zone)),
            **dict.fromkeys(("enum", "cell"), lambda kind, value, what: number(value, what, 0, layout.size(kind) - 1)),
            "piece": self._piece,
            "purse": self._purse,
            "bag": self._bag,
            "cost": self._cost,
            "payment": self._payment,
            "reaction": self._reaction,
            "void": below(1),
        }

    def _piece(self, type_: Type, value: Any, what: str) -> int:
        kind = self.layout.kind_index[type_.name]
        piece = number(value, what, 0)
        zone, item = piece >> ZONE_SHIFT, piece & ITEM_MASK
        if item not in self.layout.kind_items[kind]:
            raise SaveError(f"{what} is no piece of the kind {type_.name}")
        if self.layout.program.kinds[kind].identity:
            if zone:
                raise SaveError(f"{what} is no piece of the kind {type_.name}")
        elif zone >= len(self.layout.inst_zone) or self.layout.inst_kind[zone] != kind:
            raise SaveError(f"{what} lies in no zone that holds {type_.name}")
        return piece

    def _reaction(self, type_: Type, value: Any, what: str) -> int:
        reaction = number(value, what, 0, MOST_HANDLERS << REACTION_SHIFT)
        piece = (reaction & REACTION_MASK) - 1
        if piece >= 0:
            item = piece & ITEM_MASK
            number(item, what, 0, self.layout.items - 1)
            self._piece(Type(f"piece:{self.layout.program.kinds[self.layout.item_kind[item]].name}"), piece, what)
        return reaction

    def _purse(self, type_: Type, value: Any, what: str) -> int:
        cell = number(value, what, 0, len(self.layout.cell_place) - 1)
        of_piece, variable, _ = self.layout.cell_place[cell]
        program = self.layout.program
        table = (program.piece_variables if of_piece else program.variables)[variable]
        first = cell == 0 or self.layout.cell_place[cell - 1] != self.layout.cell_place[cell]
        if table.type != f"bag:{type_.name}" or not first:
            raise SaveError(f"{what} is no purse of {type_.name}")
        return cell

    def _bag(self, type_: Type, value: Any, what: str) -> tuple[int, ...]:
        size = self.layout.size(type_)
        return tuple(number(part, what, 0, MOST_COUNTED) for part in listed(value, what, size))

    def _payment(self, type_: Type, value: Any, what: str) -> tuple[int, ...]:
        """Return a bag for each of some purses, one after the other."""
        counts = listed(value, what)
        if len(counts) % self.layout.size(type_):
            raise SaveError(f"{what} pays from no purses of {type_.name}")
        return tuple(number(part, what, 0, MOST_COUNTED) for part in counts)

    def _cost(self, type_: Type, value: Any, what: str) -> Any:
        fixed, wilds = listed(value, what, 2)
        size = self.layout.size(type_)
        parts = []
        for wild in listed(wilds, what):
            count, mask, identical = listed(wild, what, 3)
            among = number(mask, what, 0, (1 << size) - 1)
            tag = number(identical, what, 0, 2 * COST_PARTS + 1)
            parts.append((number(count, what, int(tag < 2), MOST_COUNTED), among, tag))
        return self._bag(type_, fixed, what), tuple(parts)

    # ---- log entries -----------------------------------------------------------------------------------

    def entry(self, value: Any, what: str) -> Entry:
        """Return an entry of the log."""
        parts = listed(value, what)
        if len(parts) < 2 or not isinstance(sort := parts[0], str):
            raise SaveError(f"{what} is of no known sort")
        site = number(parts[1], what, -1, len(self.layout.program.sites) - 1)
        if sort == "chance":
            return sort, site, *self._chance(site, parts[2:], what)
        if sort in _FIELDS:
            fields = _FIELDS[sort]
            values = zip(fields, listed(parts[2:], what, len(fields)), strict=True)
            return sort, site, *(read(self, value, what) for read, value in values)
        if sort not in _ENTRIES:
            raise SaveError(f"{what} is of no known sort")
        return sort, site, *_ENTRIES[sort](self, parts[2:], what)

    def _party(self, value: Any, what: str) -> int:
        return number(value, what, -1, self.layout.parties - 1)

    def _seat(self, value: Any, what: str) -> int:
        return number(value, what, 0, self.layout.parties - 1)

    def _zone(self, value: Any, what: str) -> int:
        return number(value, what, 0, len(self.layout.inst_zone) - 1)

    def _item(self, value: Any, what: str, low: int = 0) -> int:
        return number(value, what, low, self.layout.items - 1)

    def _choice(self, parts: list[Any], what: str) -> Entry:
        seat, decision, item, values = listed(parts[:4], what, 4)
        decision_number = self._decision(decision, what)
        items = self.layout.program.decisions[decision_number].items
        chosen = number(item, what, -1, len(items) - 1)
        if chosen < 0 and self.layout.program.decisions[decision_number].ask != "anyway":
            raise SaveError(f"{what} passes where nobody may")
        binders = items[chosen].binders if chosen >= 0 else ()
        together = self.layout.program.decisions[decision_number].together
        chosen_values = []
        for binder, value in zip(binders, listed(values, what, len(binders)), strict=True):
            none = together and binder.type.scalar and type(value) is int and value == binder.type.absent
            chosen_values.append(value if none else self.value(binder.type, value, what))
        frozen = tuple(_frozen(value) for value in chosen_values)
        return (
            self._seat(seat, what),
            decision_number,
            chosen,
            frozen,
            *self._subjects(decision_number, parts[4:], what),
        )

    def _subjects(self, decision: int, parts: list[Any], what: str) -> Iterator[tuple[Any, ...]]:
        """Yield the pieces that a decision is about, where it is about any."""
        slots = self.layout.subjects[decision]
        types = self.layout.program.procedures[self.layout.program.decisions[decision].procedure].locals
        for pieces in listed(parts, what, 1 if slots else 0) if parts else ():
            values = zip(slots, listed(pieces, what, len(slots)), strict=True)
            yield tuple(self._subject(types[slot], value, what) for slot, value in values)

    def _subject(self, type_: Type, value: Any, what: str) -> Any:
        return value if type(value) is int and value == type_.absent else self.value(type_, value, what)

    def _decision(self, value: Any, what: str) -> int:
        return number(value, what, 0, len(self.layout.program.decisions) - 1)

    def _chance(self, site: int, parts: list[Any], what: str) -> Entry:
        kind = parts[0] if parts else None
        if kind == "number":
            return kind, number(listed(parts, what, 2)[1], what)
        if kind == "element" and site in self.elements:
            return kind, self.value(self.elements[site], listed(parts, what, 2)[1], what)
        if kind in ("expose", "shared", "tops"):
            _, item, zone, index = listed(parts, what, 4)
            return kind, self._item(item, what), self._zone(zone, what), number(index, what, 0, ITEM_MASK)
        raise SaveError(f"{what} is of no known sort")

    def _moved(self, value: Any, what: str) -> tuple[int, ...]:
        """Return the pieces that were moved, unknown ones too."""
        return tuple(self._item(item, what, -ITEM_MASK) for item in listed(value, what))

    def _scope(self, value: Any, what: str) -> str:
        if not isinstance(value, str):
            raise SaveError(f"{what} begins no turn, round or phase")
        return value

    def _set(self, parts: list[Any], what: str) -> Entry:
        return self._change(parts, what, self.layout.program.variables, False)

    def _pset(self, parts: list[Any], what: str) -> Entry:
        return self._change(parts, what, self.layout.program.piece_variables, True)

    def _change(self, parts: list[Any], what: str, tables: Sequence[VariableTable], of_piece: bool) -> Entry:
        """Return the change of one cell of a variable."""
        variable, cell, old, new = listed(parts, what, 4)
        place = number(cell, what, 0, len(self.layout.cell_place) - 1)
        if self.layout.cell_place[place][:2] != (of_piece, number(variable, what)):
            raise SaveError(f"{what} names no cell of its variable")
        table = tables[variable]
        return variable, place, self.cell(table, old, what), self.cell(table, new, what)

    def _reveal(self, parts: list[Any], what: str) -> Entry:
        type_, value, seats = listed(parts, what, 3)
        if not isinstance(type_, str) or type_ not in self.revealed:
            raise SaveError(f"{what} shows a value of a type that is not shown")
        shown = tuple(self._seat(seat, what) for seat in listed(seats, what))
        return Type(type_), self.value(Type(type_), value, what), shown


def _frozen(value: Any) -> Any:
    """Return a chosen value as the log holds it: collections as tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


_FIELDS: dict[str, tuple[Callable[[Reader, Any, str], Any], ...]] = {
    "commit": (Reader._seat, Reader._decision),
    "move": (Reader._zone, Reader._zone, Reader._moved, lambda reader, value, what: number(value, what, 0, 1)),
    "given": (Reader._zone, Reader._moved),
    "shuffle": (Reader._zone,),
    "begin": (Reader._scope, Reader._party),
    "eliminate": (Reader._seat,),
    "end": (
        lambda reader, value, what: number(value, what, 1, 3),
        lambda reader, value, what: number(value, what, 0, (1 << reader.layout.parties) - 1),
    ),
}
"""Sort of entry -> what reads each of its values behind the site."""
_ENTRIES: dict[str, Callable[[Reader, list[Any], str], Entry]] = {
    "choice": Reader._choice,
    "set": Reader._set,
    "pset": Reader._pset,
    "reveal": Reader._reveal,
}
"""The same of entries whose values depend on each other."""
