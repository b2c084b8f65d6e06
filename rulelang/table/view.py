"""An observation sorted for a table, by owner and by what belongs side by side.

Enters: a ruleset as written and an observation (nothing else: hidden information stays so). Leaves: for the table and
for each party its single zones and variables, its tables (one column for each value of a type), its boards.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from rulelang.game import Ruleset, State
from rulelang.vocabulary.orders import ORDERS, Order

TABLE = ""
"""The owner of what belongs to nobody."""

PLAYER = "player"


@dataclass(frozen=True)
class Piece:
    """A visible piece.

    Attributes:
        id: of its row. owner: its party's name where there is one for each, else empty. values: its variables.
    """

    id: str
    owner: str = ""
    values: tuple[tuple[str, Any], ...] = field(default=(), hash=False)  # a bag among them has no hash


@dataclass(frozen=True)
class Contents:
    """A zone as a seat sees it.

    Attributes:
        count: how many pieces. pieces: the pieces, a pile's top first, unknown ones None; None if the zone is not seen.
        top: the top piece of a pile of which that alone is seen. laid: how they lie.
    """

    count: int
    pieces: tuple[Piece | None, ...] | None = None
    top: Piece | None = None
    laid: Order = ORDERS["bag"]


@dataclass(frozen=True)
class Value:
    """A variable's value, as JSON.

    Attributes:
        value: of truth values indexed by a type the list of indices where they hold. mark: whether it is a mark.
    """

    value: Any
    mark: bool = False


Observed = Contents | Value
"""A zone or a variable as a seat sees it: what is called a thing below."""


def is_empty(thing: Observed) -> bool:
    """Return whether there is nothing to show: no piece, an empty bag or list, false, no value."""
    if isinstance(thing, Contents):
        return not thing.count
    value = thing.value
    if isinstance(value, dict):
        return not any(value.values())
    return value is None or value is False or value == []


@dataclass
class Share:
    """What belongs to one party, or to the table.

    Attributes:
        singles: name -> thing. tables: type -> name -> index -> thing. boards: grid -> name -> cell -> thing.
        lists: name with its index -> thing, of names with more than one index.
    """

    singles: dict[str, Observed] = field(default_factory=dict)
    tables: dict[str, dict[str, dict[str, Observed]]] = field(default_factory=dict)
    boards: dict[str, dict[str, dict[str, Observed]]] = field(default_factory=dict)
    lists: dict[tuple[str, tuple[str, ...]], Observed] = field(default_factory=dict)

    def add(self, name: str, types: tuple[str, ...], index: tuple[str, ...], thing: Observed, grids: set[str]) -> None:
        """File a thing by its index.

        Args:
            types, index: types and values of its index, without the party. grids: the types that are boards.
        """
        if not index:
            self.singles[name] = thing
        elif len(index) == 1:
            where = self.boards if types[0] in grids else self.tables
            where.setdefault(types[0], {}).setdefault(name, {})[index[0]] = thing
        else:
            self.lists[name, index] = thing

    def gather_truths(self) -> None:
        """Merge the truth values of a name into one list of the indices where they hold."""
        for type_, rows in list(self.tables.items()):
            for name, row in list(rows.items()):
                values = {at: thing for at, thing in row.items() if isinstance(thing, Value)}
                if len(values) == len(row) and all(isinstance(thing.value, bool) for thing in values.values()):
                    holding = [at for at, thing in values.items() if thing.value]
                    self.singles[name] = Value(holding, any(thing.mark for thing in values.values()))
                    del rows[name]
            if not rows:
                del self.tables[type_]

    def leave_out(self, names: Set[str]) -> None:
        """Remove zones and variables by their names."""
        for rows in (*self.tables.values(), *self.boards.values()):
            for name in names & rows.keys():
                del rows[name]
        self.singles = {name: thing for name, thing in self.singles.items() if name not in names}
        self.lists = {key: thing for key, thing in self.lists.items() if key[0] not in names}
        self.tables = {type_: rows for type_, rows in self.tables.items() if rows}

    @property
    def things(self) -> list[Observed]:
        """Return all zones and values."""
        rows = [row for tables in (self.tables, self.boards) for table in tables.values() for row in table.values()]
        return [*self.singles.values(), *(thing for row in rows for thing in row.values()), *self.lists.values()]

    @property
    def bare(self) -> bool:
        """Return whether no zone holds a piece and no variable has a value to show."""
        return all(is_empty(thing) for thing in self.things)


def split_index(text: str) -> tuple[str, tuple[str, ...]]:
    """Return name and index of a text such as `held[1,red]`."""
    name, sign, rest = text.partition("[")
    return name, tuple(rest[:-1].split(",")) if sign else ()


def split_piece(text: str) -> tuple[str, str]:
    """Return id and party of a text such as `pawn@1`."""
    id_, _, owner = text.partition("@")
    return id_, owner


def shares(ruleset: Ruleset, seen: dict[str, Any]) -> dict[str, Share]:
    """Return an observation sorted by owner, the table first.

    Args:
        seen: the observation; under `shown` what `State.shown` tells of pieces.
    """
    written = ruleset.written
    grids = {grid.name for grid in written.grids}
    laid = {zone.name: zone.laid for zone in written.zones}
    per = {row.name: row.per for row in written.zones} | {row.name: row.per for row in written.variables}
    per |= {row.name: row.per for row in written.marks}
    marks = {row.name for row in written.marks}
    carried, told = _carried(seen), seen.get("shown", {})
    known = seen.get("known", {"zones": {}, "variables": {}})
    by_owner: dict[str, Share] = {TABLE: Share()}
    zones = {text: _with_known(view, known["zones"].get(text)) for text, view in seen["zones"].items()}
    things: list[tuple[str, Observed]] = [
        (text, _contents(view, laid[split_index(text)[0]], carried[text], told.get(text, {})))
        for text, view in zones.items()
    ]
    for text, value in (seen["variables"] | known["variables"]).items():
        things.append((text, Value(value, split_index(text)[0] in marks)))
    goods = {row.name: row.type.text.split()[-1] for row in written.variables}
    for text, size in seen.get("sizes", {}).items():
        things.append((text, Value({goods[split_index(text)[0]]: size})))
    for text, thing in things:
        name, index = split_index(text)
        types = per.get(name, ())
        owner = TABLE
        if types and types[0] == PLAYER:
            owner, types, index = index[0], types[1:], index[1:]
        by_owner.setdefault(owner, Share()).add(name, types, index, thing, grids)
    for share in by_owner.values():
        share.gather_truths()
    return by_owner


def _carried(seen: dict[str, Any]) -> dict[str, dict[str, list[tuple[tuple[str, Any], ...]]]]:
    """Return the variables of pieces: zone -> piece -> for each such piece its names and values."""
    carried: dict[str, dict[str, list[tuple[tuple[str, Any], ...]]]] = defaultdict(lambda: defaultdict(list))
    for row in seen.get("pieces", ()):
        carried[row["zone"]][row["piece"]].append(tuple(row["variables"].items()))
    return carried


def _with_known(view: dict[str, Any], pieces: list[str | None] | None) -> dict[str, Any]:
    """Return a zone that is not seen with the pieces that are known to lie there, face up among the others."""
    if pieces is None:
        return view
    return view | {"pieces": [*pieces, *[None] * (view["count"] - len(pieces))]}


def _contents(
    view: dict[str, Any],
    laid: Order,
    carried: dict[str, list[tuple[tuple[str, Any], ...]]],
    told: Mapping[str, Mapping[str, int]],
) -> Contents:
    """Return the contents of a zone, its pieces with their variables and what is told of them."""
    unassigned = {piece: list(values) for piece, values in carried.items()}

    def piece(text: str | None) -> Piece | None:
        """Return a piece of a text, with the next values of such a piece."""
        if text is None:
            return None
        values = unassigned.get(text)
        return Piece(*split_piece(text), (*(values.pop(0) if values else ()), *told.get(text, {}).items()))

    pieces = tuple(piece(text) for text in view["pieces"]) if "pieces" in view else None
    top = piece(view["top"]) if view.get("top") else None
    return Contents(view["count"], pieces, top, laid)


def lying(ruleset: Ruleset, seen: dict[str, Any]) -> dict[tuple[str, str], Piece]:
    """Return (type, value) -> the piece that lies there, of the table's zones with room for one piece at each value.

    Args:
        seen: the observation.
    """
    single = {
        row.name for row in ruleset.written.zones if len(row.per) == 1 and row.capacity and row.capacity.text == "1"
    }
    return {
        (type_, value): thing.pieces[0]
        for type_, rows in shares(ruleset, seen)[TABLE].tables.items()
        for name, row in rows.items()
        for value, thing in row.items()
        if name in single and isinstance(thing, Contents) and thing.pieces and thing.pieces[0] is not None
    }


# ---- an omniscient view -----------------------------------------------------------------------------


def everything(state: State) -> dict[str, Any]:
    """Return one observation merged of what any seat sees, for looking at a recorded game."""
    views = [state.observation(seat) for seat in range(state.players)]
    merged = dict(views[0])
    merged["zones"], merged["variables"] = {}, {}
    merged.pop("known", None)
    sizes = {name: size for view in views for name, size in view.get("sizes", {}).items()}
    for view in views:
        merged["variables"].update(view["variables"])
        for name, zone in view["zones"].items():
            if name not in merged["zones"] or _detail(zone) > _detail(merged["zones"][name]):
                merged["zones"][name] = zone
    merged["sizes"] = {name: size for name, size in sizes.items() if name not in merged["variables"]}
    pieces = {(row["zone"], row["piece"], str(row["variables"])): row for v in views for row in v.get("pieces", ())}
    if pieces:
        merged["pieces"] = list(pieces.values())
    return merged


def _detail(zone: dict[str, Any]) -> int:
    """Return how much an observation shows of a zone; more is larger."""
    return 2 + sum(piece is not None for piece in zone["pieces"]) if "pieces" in zone else int("top" in zone)
