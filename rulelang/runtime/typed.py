"""Decoding of run-time values from JSON, by type, with validation.

Enters: a layout, a type, parsed JSON. Leaves: the value as the machine holds it, or SaveError if no game of this layout
could hold it. `label` names the value in errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from rulelang.diagnostics import SaveError, counted
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program, VariableTable
from rulelang.limits import COST_PARTS
from rulelang.runtime import waiting
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.knowledge import shown_places
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, REACTION_SHIFT, ZONE_SHIFT, Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import bag_type, element_types
from rulelang.vocabulary.operations import TOLD
from rulelang.vocabulary.types import ABSENT_NUMBER, Type

MOST_HANDLERS = 1 << 16

LARGEST_AMOUNT = 1 << 20
"""Bound on the amount of a resource in a bag of a local or of the log, whose text lists them one by one."""


def number(value: Any, label: str, low: int = LOWEST, high: int = HIGHEST) -> int:
    """Return an integer from `low` to `high`; raise SaveError for another value."""
    if type(value) is not int:
        raise SaveError(f"{label} must be a whole number")
    if not low <= value <= high:
        raise SaveError(f"{label} must be from {low} to {high}")
    return value


def listed(value: Any, label: str, size: int | None = None) -> list[Any]:
    """Return a list, of `size` elements unless None; raise SaveError for another value."""
    if not isinstance(value, list):
        raise SaveError(f"{label} must be a list")
    if size is not None and len(value) != size:
        raise SaveError(f"{label} must have {counted(size, 'element')}, not {len(value)}")
    return value


def truth(value: Any, label: str) -> bool:
    """Return a boolean; raise SaveError for another value."""
    if not isinstance(value, bool):
        raise SaveError(f"{label} must be true or false")
    return value


def plain(value: Any) -> Any:
    """Return a run-time value as JSON: tuples as lists, booleans as 0 and 1."""
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return int(value) if isinstance(value, bool) else value


def shown_types(program: Program) -> set[Type]:
    """Return the types of the values that rules reveal."""
    return {
        revealed.type
        for procedure in program.procedures
        for block in procedure.blocks
        for statement in block.statements
        if statement.op == "reveal" and isinstance(revealed := statement.args[0], Expr)
    }


class Reader:
    """Decodes values of one layout; all methods raise SaveError."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.elements = element_types(layout.program)
        self.revealed = shown_types(layout.program)

    def value(self, type_: Type, value: Any, label: str) -> Any:
        """Return a value of a type."""
        if type_.kind == "opt":
            none = type_.absent
            return none if value == none and type(value) is int else self.value(type_.inner, value, label)
        if type_.kind == "set":
            return [self.value(type_.inner, part, label) for part in listed(value, label)]
        if type_.kind == "seats":
            parts = listed(value, label, self.layout.parties)
            return [None if part is None else self.value(type_.inner, part, label) for part in parts]
        return self._readers[type_.kind](type_, value, label)

    def cell(self, table: VariableTable, value: Any, label: str) -> int:
        """Return the value of one cell of a variable or mark."""
        if table.mark:
            return number(value, label, 0, len(self.layout.program.untils) * (self.layout.parties + 1))
        if table.type == "opt<int>" and type(value) is int and value == ABSENT_NUMBER:
            return value
        if table.type.kind == "bag" or table.type in ("int", "opt<int>"):
            return number(value, label, table.low, table.high)
        cell = self.value(table.type, value, label)
        assert isinstance(cell, int)
        return cell

    @cached_property
    def _readers(self) -> dict[str, Callable[[Type, Any, str], Any]]:
        """Return for each kind of type the function that decodes its values."""
        layout = self.layout

        def below(size: int) -> Callable[[Type, Any, str], int]:
            return lambda type_, value, label: number(value, label, 0, size - 1)

        return {
            "int": lambda type_, value, label: number(value, label),
            "bool": below(2),
            "seat": below(layout.parties),
            "dir": below(8),
            "zone": below(len(layout.inst_zone)),
            **dict.fromkeys(
                ("enum", "cell"), lambda kind, value, label: number(value, label, 0, layout.size(kind) - 1)
            ),
            "piece": self._piece,
            "purse": self._purse,
            "bag": self._bag,
            "cost": self._cost,
            "payment": self._payment,
            "reaction": self._reaction,
            "void": below(1),
        }

    def _piece(self, type_: Type, value: Any, label: str) -> int:
        """Return a piece of the kind that the type names: an item with its zone if the kind has no identity."""
        kind = self.layout.kind_index[type_.name]
        piece = number(value, label, 0)
        zone, item = piece >> ZONE_SHIFT, piece & ITEM_MASK
        if item not in self.layout.kind_items[kind]:
            raise SaveError(f"{label} is no piece of the kind {type_.name}")
        if self.layout.program.kinds[kind].identity:
            if zone:
                raise SaveError(f"{label} is no piece of the kind {type_.name}")
        elif zone >= len(self.layout.inst_zone) or self.layout.inst_kind[zone] != kind:
            raise SaveError(f"{label} lies in no zone that holds {type_.name}")
        return piece

    def _reaction(self, type_: Type, value: Any, label: str) -> int:
        """Return a reaction: its handler and its piece."""
        reaction = number(value, label, 0, MOST_HANDLERS << REACTION_SHIFT)
        piece = (reaction & REACTION_MASK) - 1
        if piece >= 0:
            item = piece & ITEM_MASK
            number(item, label, 0, self.layout.items - 1)
            self._piece(Type(f"piece:{self.layout.program.kinds[self.layout.item_kind[item]].name}"), piece, label)
        return reaction

    def _purse(self, type_: Type, value: Any, label: str) -> int:
        """Return a purse: the first cell of a variable that is a bag."""
        cell = number(value, label, 0, len(self.layout.cell_place) - 1)
        of_piece, variable, _ = self.layout.cell_place[cell]
        program = self.layout.program
        table = (program.piece_variables if of_piece else program.variables)[variable]
        first = cell == 0 or self.layout.cell_place[cell - 1] != self.layout.cell_place[cell]
        if table.type != f"bag:{type_.name}" or not first:
            raise SaveError(f"{label} is no purse of {type_.name}")
        return cell

    def _bag(self, type_: Type, value: Any, label: str) -> tuple[int, ...]:
        """Return a bag: an amount of each resource."""
        size = self.layout.size(type_)
        return tuple(number(part, label, 0, LARGEST_AMOUNT) for part in listed(value, label, size))

    def _payment(self, type_: Type, value: Any, label: str) -> tuple[int, ...]:
        """Return a payment: the bags of some purses, concatenated."""
        counts = listed(value, label)
        if len(counts) % self.layout.size(type_):
            raise SaveError(f"{label} pays from no purses of {type_.name}")
        return tuple(number(part, label, 0, LARGEST_AMOUNT) for part in counts)

    def _cost(self, type_: Type, value: Any, label: str) -> Any:
        """Return a cost: a bag and its wilds."""
        fixed, wilds = listed(value, label, 2)
        size = self.layout.size(type_)
        parts = []
        for wild in listed(wilds, label):
            count, mask, identical = listed(wild, label, 3)
            among = number(mask, label, 0, (1 << size) - 1)
            tag = number(identical, label, 0, 2 * COST_PARTS + 1)
            parts.append((number(count, label, int(tag < 2), LARGEST_AMOUNT), among, tag))
        return self._bag(type_, fixed, label), tuple(parts)

    # ---- log entries -----------------------------------------------------------------------------------

    def entry(self, value: Any, label: str) -> Entry:
        """Return an entry of the log. Raises SaveError if it is of no known sort."""
        parts = listed(value, label)
        if len(parts) < 2 or not isinstance(type_ := parts[0], str):
            raise SaveError(f"{label} is of no known sort")
        site = number(parts[1], label, -1, len(self.layout.program.sites) - 1)
        if type_ == "chance":
            return type_, site, *self._chance(site, parts[2:], label)
        if type_ in _FIELDS:
            fields = _FIELDS[type_]
            values = zip(fields, listed(parts[2:], label, len(fields)), strict=True)
            return type_, site, *(read(self, value, label) for read, value in values)
        if type_ not in _ENTRIES:
            raise SaveError(f"{label} is of no known sort")
        entry = type_, site, *_ENTRIES[type_](self, parts[2:], label)
        if type_ == "reveal" and not self._is_index(site, entry[-1]):
            raise SaveError(f"{label} shows what lies nowhere")
        return entry

    def _party(self, value: Any, label: str) -> int:
        return number(value, label, -1, self.layout.parties - 1)

    def _seat(self, value: Any, label: str) -> int:
        return number(value, label, 0, self.layout.parties - 1)

    def _zone(self, value: Any, label: str) -> int:
        return number(value, label, 0, len(self.layout.inst_zone) - 1)

    def _item(self, value: Any, label: str, low: int = 0) -> int:
        return number(value, label, low, self.layout.items - 1)

    def _choice(self, parts: list[Any], label: str) -> Entry:
        """Return the values of a choice behind the site."""
        seat, decision, item, values = listed(parts[:4], label, 4)
        decision_number = self._decision(decision, label)
        items = self.layout.program.decisions[decision_number].items
        chosen = number(item, label, -1, len(items) - 1)
        if chosen < 0 and self.layout.program.decisions[decision_number].ask != "anyway":
            raise SaveError(f"{label} passes where nobody may")
        binders = items[chosen].binders if chosen >= 0 else ()
        together = self.layout.program.decisions[decision_number].together
        chosen_values = []
        for binder, value in zip(binders, listed(values, label, len(binders)), strict=True):
            none = together and binder.type.scalar and type(value) is int and value == binder.type.absent
            chosen_values.append(value if none else self.value(binder.type, value, label))
        subjects = self._subjects(decision_number, parts[4:], label)
        return self._seat(seat, label), decision_number, chosen, waiting.plain(chosen_values), *subjects

    def _subjects(self, decision: int, parts: list[Any], label: str) -> Iterator[tuple[Any, ...]]:
        """Yield the pieces that a decision is about, if any."""
        slots = self.layout.subjects[decision]
        types = self.layout.program.procedures[self.layout.program.decisions[decision].procedure].locals
        for pieces in listed(parts, label, 1 if slots else 0) if parts else ():
            values = zip(slots, listed(pieces, label, len(slots)), strict=True)
            yield tuple(self._subject(types[slot], value, label) for slot, value in values)

    def _subject(self, type_: Type, value: Any, label: str) -> Any:
        """Return a piece or an absent one."""
        return value if type(value) is int and value == type_.absent else self.value(type_, value, label)

    def _decision(self, value: Any, label: str) -> int:
        return number(value, label, 0, len(self.layout.program.decisions) - 1)

    def _chance(self, site: int, parts: list[Any], label: str) -> Entry:
        """Return the values of a chance outcome behind the site."""
        kind = parts[0] if parts else None
        if kind in TOLD:
            _, value, *more = listed(parts, label, min(max(len(parts), 2), 3))
            told = tuple(tuple(self._seat(seat, label) for seat in listed(seats, label)) for seats in more)
            if kind == "number":
                return kind, number(value, label), *told
            if site in self.elements:
                return kind, self.value(self.elements[site], value, label), *told
        if kind in ("expose", "shared", "tops"):
            _, item, zone, index = listed(parts, label, 4)
            return kind, self._item(item, label), self._zone(zone, label), number(index, label, 0, ITEM_MASK)
        raise SaveError(f"{label} is of no known sort")

    def _moved(self, value: Any, label: str) -> tuple[int, ...]:
        """Return the moved pieces; unknown ones are negative."""
        return tuple(self._item(item, label, -ITEM_MASK) for item in listed(value, label))

    def _scope(self, value: Any, label: str) -> str:
        """Return the name of a scope that begins."""
        if not isinstance(value, str):
            raise SaveError(f"{label} begins no turn, round or phase")
        return value

    def _change(self, parts: list[Any], label: str, of_piece: bool) -> Entry:
        """Return the change of one cell of a variable: variable, cell, old and new value."""
        variable, cell, old, new = listed(parts, label, 4)
        place = number(cell, label, 0, len(self.layout.cell_place) - 1)
        if self.layout.cell_place[place][:2] != (of_piece, number(variable, label)):
            raise SaveError(f"{label} names no cell of its variable")
        table = (self.layout.program.piece_variables if of_piece else self.layout.program.variables)[variable]
        return variable, place, self.cell(table, old, label), self.cell(table, new, label)

    def _size(self, parts: list[Any], label: str) -> Entry:
        """Return the change of how much a bag holds: variable, first cell, old and new size."""
        variable, cell, old, new = listed(parts, label, 4)
        place = self._bag_cell(cell, label)
        if self.layout.cell_place[place][:2] != (False, number(variable, label)):
            raise SaveError(f"{label} names no cell of its variable")
        return variable, place, number(old, label), number(new, label)

    def _goods(self, parts: list[Any], label: str) -> Entry:
        """Return goods that move: the purse that loses and that which gains them (-1: nobody's), the bag, its size."""
        origin, destination, counts, size = listed(parts, label, 4)
        purses = self._bag_cell(origin, label), self._bag_cell(destination, label, -1)
        type_, *rest = {bag_type(self.layout, cell) for cell in purses if cell >= 0}
        bag = self._bag(type_, counts, label)
        if rest or sum(bag) != number(size, label):
            raise SaveError(f"no such goods move: {label}")
        return *purses, bag, size

    def _bag_cell(self, cell: Any, label: str, low: int = 0) -> int:
        """Return the first cell of a bag, or one below 0."""
        place = number(cell, label, low, len(self.layout.cell_place) - 1)
        if place >= 0 and (bag_type(self.layout, place).kind != "bag" or self._cells_before(place)):
            raise SaveError(f"{label} names no bag")
        return place

    def _cells_before(self, cell: int) -> int:
        """Return how many cells of its bag lie before a cell."""
        layout, (is_piece, variable, item) = self.layout, self.layout.cell_place[cell]
        if is_piece:
            return cell - layout.pvar_cell(variable, item)
        return (cell - layout.var_base[variable]) % layout.var_width[variable]

    def _reveal(self, parts: list[Any], label: str) -> Entry:
        """Return a revealed value: type, value, seats, the index of what it lies in."""
        type_, value, seats, place = listed(parts, label, 4)
        if not isinstance(type_, str) or type_ not in self.revealed:
            raise SaveError(f"{label} shows a value of a type that is not shown")
        shown = tuple(self._seat(seat, label) for seat in listed(seats, label))
        index = tuple(number(part, label) for part in listed(place, label))
        return Type(type_), self.value(Type(type_), value, label), shown, index

    def _is_index(self, site: int, index: tuple[int, ...]) -> bool:
        """Return whether what a site reveals can lie in its zone or variable at these values."""
        shown = shown_places(self.layout).get(site)
        if shown is None or shown.chosen:
            return not index
        types = shown.table_of(self.layout.program).index
        sizes = [self.layout.size(type_) for type_ in types]
        return len(index) == len(sizes) and all(0 <= part < size for part, size in zip(index, sizes, strict=True))


_FIELDS: dict[str, tuple[Callable[[Reader, Any, str], Any], ...]] = {
    "commit": (Reader._seat, Reader._decision),
    "move": (Reader._zone, Reader._zone, Reader._moved, lambda reader, value, label: number(value, label, 0, 1)),
    "given": (Reader._zone, Reader._moved),
    "shuffle": (Reader._zone,),
    "begin": (Reader._scope, Reader._party),
    "eliminate": (Reader._seat,),
    "end": (
        lambda reader, value, label: number(value, label, 1, 3),
        lambda reader, value, label: number(value, label, 0, (1 << reader.layout.parties) - 1),
    ),
}
"""Type of entry -> for each value behind the site the function that decodes it."""
_ENTRIES: dict[str, Callable[[Reader, list[Any], str], Entry]] = {
    "choice": Reader._choice,
    "set": lambda reader, parts, label: reader._change(parts, label, False),
    "pset": lambda reader, parts, label: reader._change(parts, label, True),
    "reveal": Reader._reveal,
    "size": Reader._size,
    "goods": Reader._goods,
}
"""Type of entry whose values depend on each other -> the function that decodes them all."""
