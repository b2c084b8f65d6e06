"""Operations on pieces, zones and reactions as C text.

Enters: expressions over zone instances and pieces. Leaves: their text (c/zones.h does the work), and loops over what
lies in zones. A piece of a kind with identity is its item; any other is `item + 65536 * zone instance`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.native.bitboards import words_of
from rulelang.native.block import COUNTS, PILED, SORTED, zone_form
from rulelang.native.expressions import TEXTS, Environment, Writer, compound, loops, wrapped, writes
from rulelang.native.text import Address, literal, numeral
from rulelang.runtime.layout import ITEM_MASK, REACTION_SHIFT, ZONE_SHIFT
from rulelang.vocabulary.types import BITS, INT, Type

Body = Callable[[str], str]

ASK = "ASK"
"""The flag of a zone that only the game can tell."""


# ---- what is known of zones and kinds -------------------------------------------------------------------


def kind_of(w: Writer, type_: Type) -> int:
    """Return the kind of the pieces of a type."""
    return w.layout.kind_index[type_.core.name]


def shift_of(w: Writer, type_: Type) -> int:
    """Return the factor by which a zone's number enters the handles of its pieces."""
    return 0 if w.layout.identity(type_) else 1 << ZONE_SHIFT


FORMS = {SORTED: "SORTED", PILED: "PILED", COUNTS: "COUNTS"}


def form_flag(w: Writer, tables: Collection[int]) -> str:
    """Return the text of the representation of the tables' zones (-1: any): SORTED, PILED, COUNTS or ASK."""
    candidates = range(len(w.program.zones)) if -1 in tables else tables
    flags = {zone_form(w.layout, w.analysis, table) for table in candidates}
    return FORMS[flags.pop()] if len(flags) == 1 else ASK


def form_text(w: Writer, table: int, zone: str) -> str:
    """Return the text of how a zone (a name or number) keeps what lies in it."""
    flag = form_flag(w, (table,))
    return f"zone_form[{zone}]" if flag == ASK else flag


def capacity_flag(w: Writer, table: int) -> str:
    """Return the text of the capacity of a table's zones (-1: any table): `-1` for no limit, or ASK."""
    capacity = w.layout.inst_capacity
    limits = set(capacity if table < 0 else (capacity[zone] for zone in w.layout.zone_instances(table)))
    return str(next(iter(limits))) if len(limits) == 1 else ASK


def identity_text(w: Writer, table: int, zone: str) -> str:
    """Return the text of whether a zone (a name or number) holds individuals; `table` -1: of any table."""
    kinds = w.program.kinds
    if table >= 0:
        return str(int(kinds[w.program.zones[table].kind].identity))
    flags = {kind.identity for kind in kinds}
    return str(int(next(iter(flags)))) if len(flags) == 1 else f"zone_identity[{zone}]"


def item(w: Writer, piece: Expr, s: Environment) -> str:
    """Return the text of the item of a piece."""
    text = w.text(piece, s)
    if w.layout.identity(piece.type):
        return text
    value = literal(text)
    return numeral(value & ITEM_MASK) if value is not None else f"({text} & {ITEM_MASK})"


# ---- tables -----------------------------------------------------------------------------------------------


def small_type(values: Sequence[int]) -> str:
    """Return the smallest C type that holds the numbers."""
    least, greatest = min(values, default=0), max(values, default=0)
    for bits in (8, 16, 32):
        if -(1 << bits - 1) <= least and greatest < 1 << bits - 1:
            return f"int{bits}_t"
    return "W"


def column(w: Writer, values: Sequence[Any], type_: Type, at: str) -> str:
    """Return the text that reads a table of values of a type at an index; -1 reads the last one, as Python does."""
    if type_ == BITS:
        rows = [values[-1], *values]
        table = w.source.table([word for row in rows for word in words_of(row, w.blocks.bit_words)], "U")
        return f"(*(const Bits *)&{table}[{w.blocks.bit_words} * ({_after(at)})])"
    place = literal(at)
    if place is not None and -1 <= place < len(values) and not compound(type_):
        return w.constant(values[place], type_)
    rows = [values[-1], *values] if values else [0]
    if compound(type_):
        return f"ADDRESS({w.source.table([_address(w, row, type_) for row in rows], 'W *const')}[{_after(at)}])"
    numbers = [int(row) for row in rows]
    return f"(W){w.source.table(numbers, small_type(numbers))}[{_after(at)}]"


def _after(at: str) -> str:
    place = literal(at)
    return numeral(place + 1) if place is not None else f"{at} + 1"


def _address(w: Writer, value: Any, type_: Type) -> str:
    """Return a constant table's name; an absent value, or none for an item of another kind, is a number."""
    if isinstance(value, int):
        return f"(const W *)(intptr_t){w.constant(value, INT)}" if value else "EMPTY"
    text = w.constant(value, type_)
    return text.table if isinstance(text, Address) else "EMPTY"


def among(w: Writer, items: Collection[int], name: str) -> str:
    """Return the condition that an item (a name; -1 if there is none) is one of these."""
    if not items:
        return "0"
    low, high = min(items), max(items)
    if low == high:
        return f"({name} == {low})"
    if high - low + 1 == len(items):
        return f"((U)({name} - {low}) < {len(items)})"
    return f"({name} >= 0 && {wanted_table(w, items)}[{name}])"


def wanted_table(w: Writer, items: Collection[int]) -> str:
    """Return the name of the table of which items are wanted."""
    return w.source.table([int(place in items) for place in range(w.layout.items)], "int8_t")


def of_definitions(w: Writer, kind: int, definitions: Collection[Any]) -> list[int]:
    """Return the items of some definitions of a kind."""
    return [place for place in w.layout.kind_items[kind] if w.layout.item_definition[place] in definitions]


# ---- what lies in zones -------------------------------------------------------------------------------------


def lying(w: Writer, zone: str, form: str, base: str, hides: bool, body: Body) -> str:
    """Return a loop over the known pieces of a zone (a name or number)."""
    if form == "COUNTS":
        place, x = w.source.fresh("place"), w.source.fresh("piece")
        element = f"(W){place} + FIRST_ITEM({zone}) + {base}"
        return f"{{ EACH_COUNTED({place}, g->s.counts[{zone}]) {{ const W {x} = {element}; {body(x)} }} }}"
    contents, i, n, x = (w.source.fresh(stem) for stem in ("here", "i", "n", "piece"))
    head = f"const Z *const {contents} = contents(g, {zone}); const W {n} = g->s.length[{zone}]; "
    rounds, place = f"W {i} = 0; {i} < {n}; {i}++", i
    if form == "PILED":
        rounds = f"W {i} = {n} - 1; {i} >= 0; {i}--"
    piece = f"{contents}[{place}]"
    if form not in FORMS.values():
        piece = f"lying_at(g, {zone}, {form} == PILED ? {n} - 1 - {i} : {i}, {form})"
    unseen = f"if ({piece} < 0) continue; " if hides else ""
    element = piece if base == "0" else f"{piece} + {base}"
    return f"{{ {head}for ({rounds}) {{ {unseen}const W {x} = {element}; {body(x)} }} }}"


def based(zone: str, shift: int) -> str:
    """Return the text of what is added to an item to make the handle of a piece in a zone."""
    value = literal(zone)
    return numeral(value * shift) if value is not None else f"{zone} * {shift}" if shift else numeral(0)


@writes("pieces")
def _pieces(w: Writer, e: Expr, s: Environment) -> str:
    """Print the known pieces of a zone as a set."""
    (zone,) = operands(e)
    before, name = w.temporary(w.text(zone, s), "zone")
    form = form_text(w, w.table_of(zone, s), name)
    return w.arena(wrapped(before, f"a_pieces(g, {name}, {form}, {shift_of(w, e.type)})"))


@loops("pieces")
def _each_piece(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over the known pieces of a zone."""
    (zone,) = operands(e)
    before, name = w.temporary(w.text(zone, s), "zone")
    form = form_text(w, w.table_of(zone, s), name)
    loop = lying(w, name, form, based(name, shift_of(w, e.type)), w.hides(zone, s), body)
    return f"{{ {before}{loop} }}" if before else loop


def instances(w: Writer, e: Expr, s: Environment) -> tuple[str, int]:
    """Return the first instance of a family, and how many there are: those that share their first indices follow each
    other."""
    zone, indices, layout = number(e), operands(e), w.layout
    strides = layout.zone_strides[zone]
    types = w.program.zones[zone].index[: len(indices)]
    first = w.instance(layout.zone_base[zone], strides[: len(indices)], types, indices, s)
    if len(indices) == len(strides):
        return first, 1
    return first, strides[len(indices) - 1] if indices else len(layout.zone_instances(zone))


@writes("family")
def _family(w: Writer, e: Expr, s: Environment) -> str:
    first, length = instances(w, e, s)
    return w.arena(f"a_family(g, {first}, {length}, {form_flag(w, (number(e),))}, {shift_of(w, e.type)})")


@loops("family")
def _each_of_family(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over the known pieces of several instances of a zone."""
    first, length = instances(w, e, s)
    zone, form, hides = w.source.fresh("zone"), form_flag(w, (number(e),)), w.analysis.may_hide(number(e))
    before, start = w.temporary(first, "first")
    loop = lying(w, zone, form, based(zone, shift_of(w, e.type)), hides, body)
    return f"{{ {before}for (W {zone} = {start}; {zone} < {start} + {length}; {zone}++) {loop} }}"


@writes("top", "bottom")
def _end(w: Writer, e: Expr, s: Environment) -> str:
    (zone,) = w.texts(e, s)
    return f"end_piece(g, {zone}, {int(e.op == 'top')}, {shift_of(w, e.type)}, {e.site})"


@writes("tops", "bottoms")
def _ends(w: Writer, e: Expr, s: Environment) -> str:
    zone, amount = w.texts(e, s)
    return w.arena(f"a_ends(g, {zone}, {int(e.op == 'tops')}, {amount}, {shift_of(w, e.type)}, {e.site})")


def _active_zones(w: Writer, kind: int) -> list[int]:
    return [zone for table in w.program.kinds[kind].active for zone in w.layout.zone_instances(table)]


@writes("active")
def _active(w: Writer, e: Expr, s: Environment) -> str:
    """Print the set of the pieces of some rows that lie in active zones."""
    zones = _active_zones(w, number(e))
    items = of_definitions(w, number(e), e.args[1:])
    if not zones or not items:
        return "NOTHING"
    return w.arena(
        f"a_active(g, {w.source.table([len(zones), *zones])}, {wanted_table(w, items)}, {shift_of(w, e.type)})"
    )


@loops("active")
def _each_active(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over the pieces of some rows that lie in active zones; of a lone individual a test of its zone."""
    kind = number(e)
    tables = w.program.kinds[kind].active
    if any(w.program.zones[table].kept for table in tables):
        return w.each_of(_active(w, e, s), body)
    zones, items = _active_zones(w, kind), of_definitions(w, kind, e.args[1:])
    if not zones or not items:
        return ";"
    if len(items) == 1 and w.layout.identity(e.type) and max(zones) - min(zones) < 64:
        lies, only = w.source.fresh("zone"), numeral(items[0])
        return f"{{ const W {lies} = g->s.where[{only}]; if ({among(w, zones, lies)}) {{ {body(only)} }} }}"
    zone, k = w.source.fresh("zone"), w.source.fresh("k")
    base = based(zone, shift_of(w, e.type))

    def test_of(candidate: str) -> str:
        piece, test = candidate, among(w, items, candidate)
        before = ""
        if base != "0":
            piece = w.source.fresh("piece")
            before = f"const W {piece} = {candidate} + {base}; "
        return f"if ({test}) {{ {before}{body(piece)} }}"

    flag = form_flag(w, tables)
    loop = lying(w, zone, f"zone_form[{zone}]" if flag == ASK else flag, "0", False, test_of)
    table = w.source.table(zones, "int32_t")
    return f"for (W {k} = 0; {k} < {len(zones)}; {k}++) {{ const W {zone} = {table}[{k}]; {loop} }}"


# ---- what pieces are ------------------------------------------------------------------------------------------


@writes("attr")
def _attr(w: Writer, e: Expr, s: Environment) -> str:
    kind, (piece,) = number(e), operands(e)
    values = w.layout.columns[kind][number(e, 1)]
    return column(w, values, e.type, item(w, piece, s))


@writes("eattr", "gattr")
def _table(w: Writer, e: Expr, s: Environment) -> str:
    columns = w.layout.enum_columns if e.op == "eattr" else w.layout.grid_columns
    (value,) = w.texts(e, s)
    return column(w, columns[number(e)][number(e, 1)], e.type, value)


def _owner_of(w: Writer, item_: str, zone: str, kind: int) -> str:
    """Return the text of the declared seat of an item (a name), else that of the zone that it is in. `kind` -1: any."""
    layout = w.layout
    items = layout.kind_items[kind] if kind >= 0 else range(layout.items)
    seats = [layout.item_seat[place] for place in items]
    if seats and min(seats) >= 0:
        return column(w, layout.item_seat, INT, item_)
    by_zone = column(w, [*layout.inst_owner, -1], INT, zone)
    if max(seats, default=-1) < 0:
        return by_zone
    seat = w.source.fresh("seat")
    return f"({{ const W {seat} = {column(w, layout.item_seat, INT, item_)}; {seat} >= 0 ? {seat} : {by_zone}; }})"


@writes("owner")
def _owner(w: Writer, e: Expr, s: Environment) -> str:
    """Print the seat that a piece belongs to."""
    (piece,) = operands(e)
    before, x = w.temporary(w.text(piece, s), "piece")
    identity = w.layout.identity(piece.type)
    zone = f"g->s.where[{x}]" if identity else f"({x} >> {ZONE_SHIFT})"
    return wrapped(before, _owner_of(w, x if identity else f"({x} & {ITEM_MASK})", zone, kind_of(w, piece.type)))


@writes("zone_of")
def _zone_of(w: Writer, e: Expr, s: Environment) -> str:
    (piece,) = operands(e)
    text = w.text(piece, s)
    return f"(W)g->s.where[{text}]" if w.layout.identity(piece.type) else f"({text} >> {ZONE_SHIFT})"


@writes("in_zone")
def _in_zone(w: Writer, e: Expr, s: Environment) -> str:
    """Print the test of whether a piece lies in a zone."""
    piece, zone = operands(e)
    if w.layout.identity(piece.type):
        return f"(g->s.where[{w.text(piece, s)}] == {w.text(zone, s)})"
    before, name = w.temporary(w.text(zone, s), "zone")
    form = form_text(w, w.table_of(zone, s), name)
    return wrapped(before, f"holds(g, {name}, {item(w, piece, s)}, {form}, {e.site})")


@writes("cell_of")
def _cell_of(w: Writer, e: Expr, s: Environment) -> str:
    """Print the cell that a piece stands on, by a constant table of zones."""
    (piece,) = operands(e)
    text = w.text(piece, s)
    zone = f"g->s.where[{text}]" if w.layout.identity(piece.type) else f"({text} >> {ZONE_SHIFT})"
    return column(w, [*w.layout.cell_of[number(e)], -1], INT, zone)


@writes("alike")
def _alike(w: Writer, e: Expr, s: Environment) -> str:
    a, b = (_sort(w, piece, s) for piece in operands(e))
    return f"({a} == {b})"


@writes("sort_of")
def _sort_of(w: Writer, e: Expr, s: Environment) -> str:
    return _sort(w, operands(e)[0], s)


def _sort(w: Writer, piece: Expr, s: Environment) -> str:
    """Return the text of a piece's class of interchangeable pieces."""
    return column(w, w.layout.item_sorts, INT, item(w, piece, s))


@writes("individual")
def _individual(w: Writer, e: Expr, s: Environment) -> str:
    """Print the one individual of a row, or the one of a seat, by a constant table."""
    layout = w.layout
    items = {layout.item_seat[place]: place for place in of_definitions(w, number(e), (number(e, 1),))}
    seats = w.texts(e, s)
    if not seats:
        return numeral(next(iter(items.values())))
    before, seat = w.temporary(seats[0], "seat")
    check = f"if (UNLIKELY((U){seat} >= {layout.players})) fail(g, {e.site}); "
    return wrapped(f"{before}{check}", column(w, [items[seat] for seat in range(layout.players)], INT, seat))


@writes("is_def")
def _is_def(w: Writer, e: Expr, s: Environment) -> str:
    """Print the test of whether a piece is of some rows."""
    (piece,) = operands(e)
    kind = kind_of(w, piece.type)
    items = of_definitions(w, kind, [arg for arg in e.args if isinstance(arg, int)])
    before, x = w.temporary(item(w, piece, s), "item")
    return wrapped(before, among(w, items, x))


@writes("relocate")
def _relocate(w: Writer, e: Expr, s: Environment) -> str:
    """Print the handle, or the handles, of pieces that lie in another zone now."""
    piece, zone = operands(e)
    if w.layout.identity(e.type):
        return w.text(piece, s)
    arguments = f"{w.text(piece, s)}, {w.text(zone, s)}"
    return w.arena(f"a_relocated(g, {arguments})") if compound(e.type) else f"relocated({arguments})"


# ---- reactions ----------------------------------------------------------------------------------------------


@writes("reaction")
def _reaction(w: Writer, e: Expr, s: Environment) -> str:
    (piece,) = w.texts(e, s)
    return f"({w.constant((number(e) << REACTION_SHIFT) + 1, INT)} + {piece})"


@writes("reaction_owner")
def _reaction_owner(w: Writer, e: Expr, s: Environment) -> str:
    """Print the owner of the piece that a reaction is of; -1 for the rules' own."""
    own = TEXTS["reaction_piece"].format(*w.texts(e, s))
    piece, x, zone = (w.source.fresh(stem) for stem in ("piece", "item", "zone"))
    zone_text = f"item_identity[{x}] ? g->s.where[{x}] : {piece} >> {ZONE_SHIFT}"
    names = f"const W {x} = {piece} & {ITEM_MASK}, {zone} = {zone_text};"
    owner = f"({{ {names} {_owner_of(w, x, zone, -1)}; }})"
    return f"({{ const W {piece} = {own}; {piece} >= 0 ? {owner} : -1; }})"
