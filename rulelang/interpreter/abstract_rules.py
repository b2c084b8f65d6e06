"""What operations give for abstract operands (`rulelang.interpreter.abstract`): the table of rules.

Enters: an expression, abstract locals. Leaves: abstract values. Elements of hidden zones are pieces that the seat does
not see; a variable that it does not see has any value that is declared for it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from rulelang.interpreter.abstract import Abstract, rule
from rulelang.interpreter.abstract_values import (
    ANYTHING,
    AbstractElements,
    Members,
    Range,
    bag_of,
    between,
    bounds,
    counts_of,
    entries_of,
    finite,
    in_64_bits,
    is_known,
    join,
    may_be,
    members,
    one_of,
    without,
)
from rulelang.interpreter.expressions import Locals
from rulelang.ir.nodes import Expr
from rulelang.ir.program import VariableTable
from rulelang.ir.walk import number, operands
from rulelang.runtime.bounds import MANY, Interval
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT
from rulelang.runtime.pools import position
from rulelang.vocabulary.types import ABSENT_NUMBER

TRUTH = one_of((0, 1))
"""A condition of which nothing is known."""


def _values(a: Abstract, e: Expr, L: Locals) -> list[Any]:
    return [a.value(arg, L) for arg in operands(e)]


# ---- control -------------------------------------------------------------------------------------------------


@rule("let")
def _let(a: Abstract, e: Expr, L: Locals) -> Any:
    value, body = operands(e)
    inner = _bound(L, number(e), a.value(value, L))
    return a.value(body, inner)


def _bound(L: Locals, slot: int, value: Any) -> Locals:
    """Return the locals with one more value, in a copy."""
    inner = [*L, *[0] * (slot + 1 - len(L))]
    inner[slot] = value
    return inner


@rule("cell", "offered", "cast")
def _same_value(a: Abstract, e: Expr, L: Locals) -> Any:
    return a.value(operands(e)[0], L)


@rule("and", "or")
def _logic(a: Abstract, e: Expr, L: Locals) -> Any:
    left, right = operands(e)
    decides = e.op == "or"
    first = a.truth(left, L)
    if first is decides:
        return int(decides)
    second = a.truth(right, L)
    if first is None:
        return int(decides) if second is decides else TRUTH
    return TRUTH if second is None else int(second)


@rule("if")
def _if(a: Abstract, e: Expr, L: Locals) -> Any:
    condition, then, otherwise = operands(e)
    holds = a.truth(condition, L)
    if holds is not None:
        return a.value(then if holds else otherwise, L)
    return join((a.value(then, L), a.value(otherwise, L)))


@rule("is_none")
def _is_none(a: Abstract, e: Expr, L: Locals) -> Any:
    (only,) = operands(e)
    value = a.value(only, L)
    return TRUTH if may_be(value, only.type.absent) else 0


@rule("otherwise")
def _otherwise(a: Abstract, e: Expr, L: Locals) -> Any:
    left, right = operands(e)
    value, absent = a.value(left, L), left.type.absent
    if not may_be(value, absent):
        return value
    return a.value(right, L) if is_known(value) else join((without(value, absent), a.value(right, L)))


@rule("call")
def _call(a: Abstract, e: Expr, L: Locals) -> Any:
    return a.call(number(e), _values(a, e, L))


@rule("possible")
def _possible(a: Abstract, e: Expr, L: Locals) -> Any:
    return TRUTH


@rule("lookup")
def _lookup(a: Abstract, e: Expr, L: Locals) -> Any:
    """Give the values of all steps of the table that the number may fall in; 0 below the first."""
    n, *pairs = operands(e)
    low, high = bounds(a.value(n, L))
    steps = sorted((a.value(key, L), place) for place, key in enumerate(pairs[::2]))
    found = [0] if not steps or low < steps[0][0] else []
    for (key, place), (after, _) in zip(steps, [*steps[1:], (high + 1, 0)], strict=True):
        if key <= high and low < after:
            found.append(a.value(pairs[2 * place + 1], L))
    return join(found)


# ---- numbers and truth -----------------------------------------------------------------------------------------


def _corners(function: Callable[[int, int], int], x: Interval, y: Iterable[int]) -> Any:
    results = [function(a, b) for a, b in product(x, y)]
    return in_64_bits(min(results), max(results))


def _quotient(x: Interval, y: Interval) -> Any:
    divisors = [d for d in (*y, -1, 1) if d and y[0] <= d <= y[1]]
    return _corners(operator.floordiv, x, divisors) if divisors else ANYTHING


INTERVALS: dict[str, Callable[..., Any]] = {
    "add": lambda x, y: in_64_bits(x[0] + y[0], x[1] + y[1]),
    "sub": lambda x, y: in_64_bits(x[0] - y[1], x[1] - y[0]),
    "mul": lambda x, y: _corners(operator.mul, x, y),
    "div": _quotient,
    "mod": lambda x, y: between(min(0, y[0] + 1), max(0, y[1] - 1)),
    "neg": lambda x: in_64_bits(-x[1], -x[0]),
    "abs": lambda x: in_64_bits(0 if x[0] <= 0 <= x[1] else min(map(abs, x)), max(map(abs, x))),
    "min2": lambda x, y: between(min(x[0], y[0]), min(x[1], y[1])),
    "max2": lambda x, y: between(max(x[0], y[0]), max(x[1], y[1])),
    "lt": lambda x, y: 1 if x[1] < y[0] else 0 if x[0] >= y[1] else TRUTH,
    "le": lambda x, y: 1 if x[1] <= y[0] else 0 if x[0] > y[1] else TRUTH,
    "gt": lambda x, y: 1 if x[0] > y[1] else 0 if x[1] <= y[0] else TRUTH,
    "ge": lambda x, y: 1 if x[0] >= y[1] else 0 if x[1] < y[0] else TRUTH,
}
"""Operations on numbers -> the abstract result for the least and greatest values of the operands."""


@rule(*INTERVALS)
def _number(a: Abstract, e: Expr, L: Locals) -> Any:
    values = _values(a, e, L)
    if a.combinations(values) is not None:
        return a.lifted(e, values)
    return INTERVALS[e.op](*map(bounds, values))


@rule("eq", "ne")
def _equal(a: Abstract, e: Expr, L: Locals) -> Any:
    values = _values(a, e, L)
    if a.combinations(values) is not None:
        return a.lifted(e, values)
    x, y = values
    (low, high), (least, most) = bounds(x), bounds(y)
    both_absent = may_be(x, ABSENT_NUMBER) and may_be(y, ABSENT_NUMBER)
    return int(e.op == "ne") if (high < least or most < low) and not both_absent else TRUTH


@rule("not")
def _not(a: Abstract, e: Expr, L: Locals) -> Any:
    holds = a.truth(operands(e)[0], L)
    return TRUTH if holds is None else int(not holds)


# ---- variables -----------------------------------------------------------------------------------------------


def _declared(a: Abstract, table: VariableTable) -> Any:
    """Return what is declared of a hidden cell of a variable, memoised."""
    declared = a.codes.declared
    if id(table) not in declared:
        declared[id(table)] = _declared_now(a, table)
    return declared[id(table)]


def _declared_now(a: Abstract, table: VariableTable) -> Any:
    type_ = table.type
    if table.mark:
        return between(0, len(a.codes.program.untils) * (a.layout.parties + 1))
    if type_.core == "int" or type_.kind == "bag":
        present = between(table.low, table.high)
        return join((present, ABSENT_NUMBER)) if type_.kind == "opt" else present
    return a.any_of(type_)


def _read(a: Abstract, table: VariableTable, cells: Iterable[int], width: int) -> Any:
    """Return the value of a variable that starts at one of these cells."""
    bag = table.type.kind == "bag"
    declared, found = _declared(a, table), []
    for start in cells:
        values = [list.__getitem__(a.veil.v, cell) for cell in range(start, start + width)]
        shown = [declared if value is None else value for value in values]
        found.append(bag_of(shown) if bag else shown[0])
    return join(found)


@rule("var")
def _var(a: Abstract, e: Expr, L: Locals) -> Any:
    layout, variable = a.layout, number(e)
    table, width = layout.program.variables[variable], layout.var_width[variable]
    indices = _values(a, e, L)
    choices = a.combinations(indices) if indices else []
    if choices is None:
        return a.any_of(table.type)
    base, steps = layout.var_base[variable], layout.var_strides[variable]
    within = layout.cells_of_variable(variable)
    cells = (base + sum(map(operator.mul, place, steps)) for place in product(*choices))
    return _read(a, table, (cell for cell in cells if cell in within), width)


@rule("pvar")
def _pvar(a: Abstract, e: Expr, L: Locals) -> Any:
    layout, variable = a.layout, number(e)
    table, width = layout.program.piece_variables[variable], layout.pvar_width[variable]
    items = finite(a.value(operands(e)[0], L))
    if items is None:
        items = layout.kind_items[layout.pvar_kind[variable]]
    return _read(a, table, (layout.pvar_cell(variable, item) for item in items if item >= 0), width)


# ---- zones and pieces ------------------------------------------------------------------------------------------


def _handles(a: Abstract, zone: int, items: Iterable[int]) -> list[int]:
    """Return the handles of pieces of these items in a zone instance."""
    kind = a.layout.program.kinds[a.layout.inst_kind[zone]]
    base = 0 if kind.identity else zone << ZONE_SHIFT
    return [item + base for item in items if item >= 0]


def _lying(a: Abstract, zone: int) -> tuple[AbstractElements, ...]:
    """Return the entries of a zone's known pieces, a pile from its top; those that nobody has seen are none of them."""
    veil, layout = a.veil, a.layout
    known = veil.known(zone)
    if known is not None:
        listed = _handles(a, zone, reversed(known) if layout.inst_kept[zone] else known)
        return tuple(AbstractElements(handle, 1, 1) for handle in listed)
    low, high = veil.sizes(zone)
    shown = tuple(AbstractElements(handle, 1, 1) for handle in _handles(a, zone, veil.seen[zone]))
    unseen = _handles(a, zone, veil.unseen(layout.inst_kind[zone]))
    table = layout.program.zones[layout.inst_zone[zone]]
    # Who may look into a zone has seen all of its pieces; elsewhere some may be of those that nobody has seen.
    certain = 0 if table.view.unseen else low
    rest = (AbstractElements(one_of(unseen), max(certain - len(shown), 0), high - len(shown)),) if unseen else ()
    return (*shown, *rest)


@rule("pieces")
def _pieces(a: Abstract, e: Expr, L: Locals) -> Any:
    zones = finite(a.value(operands(e)[0], L))
    if zones is None:
        return a.any_of(e.type)
    return join(members(_lying(a, zone), ordered=True) for zone in zones if zone >= 0)


@rule("family")
def _family(a: Abstract, e: Expr, L: Locals) -> Any:
    layout, zone, indices = a.layout, number(e), _values(a, e, L)
    if not all(map(is_known, indices)):
        return a.any_of(e.type)
    steps = layout.zone_strides[zone]
    first = layout.zone_base[zone] + sum(map(operator.mul, indices, steps))
    length = steps[len(indices) - 1] if indices else len(layout.zone_instances(zone))
    return members((entry for instance in range(first, first + length) for entry in _lying(a, instance)), ordered=True)


@rule("size")
def _size(a: Abstract, e: Expr, L: Locals) -> Any:
    zones = finite(a.value(operands(e)[0], L))
    if zones is None:
        return between(0, a.layout.items and sum(a.layout.copies))
    return join(between(*a.veil.sizes(zone)) for zone in zones if zone >= 0)


@rule("top", "bottom")
def _end_piece(a: Abstract, e: Expr, L: Locals) -> Any:
    zones = finite(a.value(operands(e)[0], L))
    found: list[Any] = []
    for zone in zones or ():
        known = a.veil.known(zone)
        contents = known if known is not None else [-1] * a.veil.sizes(zone)[1]
        at = position(contents, 0 if e.op == "top" else -1)
        if at < 0 or not a.veil.sizes(zone)[0]:
            found.append(-1)
        if at >= 0:
            items = a.veil.unseen(a.layout.inst_kind[zone]) if known is None else [known[at]]
            seen = a.veil.seen[zone] if known is None and (e.op == "top" or len(contents) == 1) else []
            found += _handles(a, zone, seen or items)
    return one_of(found) if found else a.any_of(e.type)


@rule("tops", "bottoms")
def _end_pieces(a: Abstract, e: Expr, L: Locals) -> Any:
    zone, amount = _values(a, e, L)
    if not isinstance(zone, int):
        return a.any_of(e.type)
    most = max(bounds(amount)[1], 0)
    return members(AbstractElements(entry.value, 0, min(entry.high, most)) for entry in _lying(a, zone))


@rule("active")
def _active(a: Abstract, e: Expr, L: Locals) -> Any:
    layout, kind = a.layout, number(e)
    items = {item for item in layout.kind_items[kind] if layout.item_definition[item] in e.args[1:]}
    listed: list[AbstractElements] = []
    for table in layout.program.kinds[kind].active:
        for zone in layout.zone_instances(table):
            for entry in _lying(a, zone):
                handles = finite(entry.value)
                fitting = [handle for handle in handles or () if handle & ITEM_MASK in items]
                if handles is None:
                    listed.append(AbstractElements(entry.value, 0, entry.high))
                elif fitting:
                    most = min(entry.high, sum(layout.copies[handle & ITEM_MASK] for handle in fitting))
                    listed.append(
                        AbstractElements(one_of(fitting), entry.low if len(fitting) == len(handles) else 0, most)
                    )
    return members(listed)


def _zones_of(a: Abstract, piece: Expr, L: Locals) -> set[int] | None:
    """Return the zones that a piece may lie in, -1 for none known; None if the piece may be too many."""
    handles = finite(a.value(piece, L))
    if handles is None:
        return None
    zones: set[int] = set()
    for handle in handles:
        if handle < 0:
            continue
        if not a.layout.identity(piece.type):
            zones.add(handle >> ZONE_SHIFT)
            continue
        zone = list.__getitem__(a.veil.where, handle)
        zones |= {-1, *a.veil.hiding_zones(a.layout.item_kind[handle])} if zone is None else {zone}
    return zones


@rule("zone_of")
def _zone_of(a: Abstract, e: Expr, L: Locals) -> Any:
    zones = _zones_of(a, operands(e)[0], L)
    return one_of(zones) if zones else a.any_of(e.type)


@rule("cell_of")
def _cell_of(a: Abstract, e: Expr, L: Locals) -> Any:
    cells = [*a.layout.cell_of[number(e)], -1]
    zones = _zones_of(a, operands(e)[0], L)
    return one_of(cells[zone] for zone in zones) if zones else a.any_of(e.type)


@rule("owner")
def _owner(a: Abstract, e: Expr, L: Locals) -> Any:
    layout, (piece,) = a.layout, operands(e)
    handles = finite(a.value(piece, L))
    owners = {layout.item_seat[handle & ITEM_MASK] for handle in handles or (-1,) if handle >= 0}
    if owners and -1 not in owners:
        return one_of(owners)
    zones = _zones_of(a, piece, L)
    if not zones:
        return a.any_of(e.type)
    return one_of((owners - {-1}) | {layout.inst_owner[zone] if zone >= 0 else -1 for zone in zones})


@rule("in_zone")
def _in_zone(a: Abstract, e: Expr, L: Locals) -> Any:
    piece, place = operands(e)
    zone = a.value(place, L)
    if not isinstance(zone, int):
        return TRUTH
    if not a.layout.identity(piece.type):
        return TRUTH if a.veil.sizes(zone)[1] else 0
    zones = _zones_of(a, piece, L)
    return TRUTH if zones is None or zone in zones else 0


# ---- collections -----------------------------------------------------------------------------------------------


def _collection(a: Abstract, expr: Expr, L: Locals) -> Any:
    """Return an abstract collection that has entries."""
    value = a.value(expr, L)
    return value if entries_of(value) is not None else Members((AbstractElements(ANYTHING, 0, MANY),))


def _entries(a: Abstract, expr: Expr, L: Locals) -> tuple[AbstractElements, ...]:
    return entries_of(_collection(a, expr, L)) or ()


def _is_ordered(value: Any) -> bool:
    return not isinstance(value, Members) or value.ordered


Case = tuple[Any, Any]
"""What an element may be, and what the body gives for it."""


def _rounds(a: Abstract, e: Expr, L: Locals, source: Any = None) -> Iterator[tuple[AbstractElements, list[Case]]]:
    """Yield the entries of the collection that an operation loops over (`source`, if that is evaluated), with the cases
    of each: the values that its elements may have, each with that of the body."""
    looped, body = operands(e)
    inner = _bound(L, number(e), 0)
    for entry in entries_of(_collection(a, looped, L) if source is None else source) or ():
        choices = finite(entry.value)
        inner[number(e)] = entry.value
        whole = a.value(body, inner)
        if choices is None or len(choices) == 1 or is_known(whole):
            yield entry, [(entry.value, whole)]
            continue
        cases = []
        for choice in choices:
            inner[number(e)] = choice
            cases.append((choice, a.value(body, inner)))
        yield entry, cases


def _truth(value: Any) -> bool | None:
    return bool(value) if isinstance(value, int) else None


@rule("filter")
def _filter(a: Abstract, e: Expr, L: Locals) -> Any:
    kept = []
    source = _collection(a, operands(e)[0], L)
    for entry, cases in _rounds(a, e, L, source):
        left = [(value, _truth(body)) for value, body in cases if _truth(body) is not False]
        if left:
            certain = len(left) == len(cases) and all(holds for _, holds in left)
            kept.append(AbstractElements(join(value for value, _ in left), entry.low if certain else 0, entry.high))
    return members(kept, _is_ordered(source))


@rule("map")
def _map(a: Abstract, e: Expr, L: Locals) -> Any:
    source = _collection(a, operands(e)[0], L)
    rounds = _rounds(a, e, L, source)
    mapped = [AbstractElements(join(body for _, body in cases), entry.low, entry.high) for entry, cases in rounds]
    return members(mapped, _is_ordered(source))


@rule("flatten")
def _flatten(a: Abstract, e: Expr, L: Locals) -> Any:
    listed = []
    for entry, cases in _rounds(a, e, L):
        inner = entries_of(join(body for _, body in cases))
        if inner is None:
            return a.any_of(e.type)
        listed += [
            AbstractElements(part.value, part.low * entry.low, min(part.high * entry.high, MANY)) for part in inner
        ]
    return members(listed)


@rule("reachable")
def _reachable(a: Abstract, e: Expr, L: Locals) -> Any:
    return a.any_of(e.type)


def _times(value: Any, low: int, high: int) -> tuple[int, int]:
    """Return the least and greatest sum of `low` to `high` numbers, each of which is one of `value`."""
    least, most = bounds(value)
    return least * (high if least < 0 else low), most * (low if most < 0 else high)


def _summed(parts: Sequence[tuple[Any, int, int]]) -> Any:
    """Return the abstract sum of abstract numbers, each as often as its low and high say."""
    sums = [_times(*part) for part in parts]
    return in_64_bits(sum(low for low, _ in sums), sum(high for _, high in sums))


@rule("sum")
def _sum(a: Abstract, e: Expr, L: Locals) -> Any:
    parts = [(join(body for _, body in cases), entry.low, entry.high) for entry, cases in _rounds(a, e, L)]
    if e.type == "int":
        return _summed(parts)
    if e.type.kind != "bag":
        return ANYTHING
    bags = [(counts_of(value), low, high) for value, low, high in parts]
    if any(counts is None for counts, _, _ in bags):
        return a.any_of(e.type)
    return bag_of(
        _summed([(counts[place], low, high) for counts, low, high in bags if counts is not None])
        for place in range(a.layout.size(e.type))
    )


@rule("total")
def _total(a: Abstract, e: Expr, L: Locals) -> Any:
    return _summed([(entry.value, entry.low, entry.high) for entry in _entries(a, operands(e)[0], L)])


@rule("any", "all")
def _quantified(a: Abstract, e: Expr, L: Locals) -> Any:
    decides = e.op == "any"
    open_ = False
    for entry, cases in _rounds(a, e, L):
        bodies = {_truth(body) for _, body in cases}
        if entry.low and bodies == {decides}:
            return int(decides)
        open_ = open_ or bool(entry.high and bodies != {not decides})
    return TRUTH if open_ else int(not decides)


@rule("max", "min")
def _extreme(a: Abstract, e: Expr, L: Locals) -> Any:
    """Give the greatest or least body: at least that of the elements that there surely are."""
    sign = 1 if e.op == "max" else -1
    every, certain = [], []
    for entry, cases in _rounds(a, e, L):
        ends = sorted(sign * end for end in bounds(join(body for _, body in cases)))
        every.append(ends)
        if entry.low:
            certain.append(ends[0])
    if not every:
        return ABSENT_NUMBER
    least, most = max(certain, default=min(low for low, _ in every)), max(high for _, high in every)
    extreme = between(*sorted((sign * least, sign * most)))
    return extreme if certain else join((extreme, ABSENT_NUMBER))


@rule("descending", "ascending")
def _ordered(a: Abstract, e: Expr, L: Locals) -> Any:
    return members(_entries(a, operands(e)[0], L))


@rule("runs")
def _runs(a: Abstract, e: Expr, L: Locals) -> Any:
    return a.any_of(e.type)


@rule("most", "fewest")
def _best(a: Abstract, e: Expr, L: Locals) -> Any:
    """Give the elements whose body may be the best one; of bodies that are lists any."""
    if not operands(e)[1].type.scalar:
        return members(replace(entry, low=0) for entry in _entries(a, operands(e)[0], L))
    sign = 1 if e.op == "most" else -1
    rows = []
    for entry, cases in _rounds(a, e, L):
        ends = [sorted(sign * end for end in bounds(body)) for _, body in cases]
        rows.append((entry, cases, ends))
    certain = max((min(low for low, _ in ends) for entry, _, ends in rows if entry.low), default=None)
    kept = []
    for entry, cases, ends in rows:
        best = [value for (value, _), (_, high) in zip(cases, ends, strict=True) if certain is None or high >= certain]
        if best:
            kept.append(AbstractElements(join(best), 0, entry.high))
    if len(kept) == 1 and kept[0].high == 1 and certain is not None:
        return members([AbstractElements(kept[0].value, 1, 1)], ordered=True)
    return members(kept)


@rule("group")
def _group(a: Abstract, e: Expr, L: Locals) -> Any:
    groups: dict[int, list[AbstractElements]] = {}
    for entry, cases in _rounds(a, e, L):
        fitting: dict[int, list[Any]] = {}
        for value, body in cases:
            keys = finite(body)
            if keys is None:
                return a.any_of(e.type)
            for key in keys:
                fitting.setdefault(key, []).append(value)
        for key, values in fitting.items():
            low = entry.low if len(fitting) == 1 else 0
            groups.setdefault(key, []).append(AbstractElements(join(values), low, entry.high))
    return members(
        AbstractElements(members(entries, ordered=True), int(any(entry.low for entry in entries)), 1)
        for _, entries in sorted(groups.items())
    )


@rule("count")
def _count(a: Abstract, e: Expr, L: Locals) -> Any:
    entries = _entries(a, operands(e)[0], L)
    return between(sum(entry.low for entry in entries), sum(entry.high for entry in entries))


@rule("distinct", "distinct_by")
def _distinct(a: Abstract, e: Expr, L: Locals) -> Any:
    """Give all elements, of which the first at least stays."""
    listed, certain = [], False
    for entry in _entries(a, operands(e)[0], L):
        first = entry.low > 0 and not certain
        certain = certain or first
        choices = finite(entry.value) if e.op == "distinct" else None
        listed.append(
            AbstractElements(entry.value, int(first), min(entry.high, len(choices) if choices else entry.high))
        )
    return members(listed)


@rule("member")
def _member(a: Abstract, e: Expr, L: Locals) -> Any:
    value, source = operands(e)
    wanted = a.value(value, L)
    choices = finite(wanted)
    open_ = False
    for entry in _entries(a, source, L):
        if entry.low and is_known(wanted) and is_known(entry.value) and wanted == entry.value:
            return 1
        elements = finite(entry.value)
        open_ = open_ or choices is None or elements is None or not set(choices).isdisjoint(elements)
    return TRUTH if open_ else 0


@rule("union")
def _union(a: Abstract, e: Expr, L: Locals) -> Any:
    left, right = (_collection(a, side, L) for side in operands(e))
    return members((*(entries_of(left) or ()), *(entries_of(right) or ())), _is_ordered(left) and _is_ordered(right))


@rule("difference")
def _difference(a: Abstract, e: Expr, L: Locals) -> Any:
    left, right = (_entries(a, side, L) for side in operands(e))
    taken = sum(entry.high for entry in right)
    return members(AbstractElements(entry.value, max(entry.low - taken, 0), entry.high) for entry in left)


@rule("firsts", "lasts")
def _ends(a: Abstract, e: Expr, L: Locals) -> Any:
    source, amount = operands(e)
    most = max(bounds(a.value(amount, L))[1], 0)
    return members(AbstractElements(entry.value, 0, min(entry.high, most)) for entry in _entries(a, source, L))


@rule("first", "last")
def _end(a: Abstract, e: Expr, L: Locals) -> Any:
    source = _collection(a, operands(e)[0], L)
    entries = entries_of(source) or ()
    ends = entries if e.op == "first" else entries[::-1]
    if not ends:
        return e.type.absent
    if _is_ordered(source) and ends[0].low:
        return ends[0].value
    values = [entry.value for entry in ends]
    return join(values if any(entry.low for entry in ends) else [*values, e.type.absent])


@rule("at")
def _at(a: Abstract, e: Expr, L: Locals) -> Any:
    source, place = operands(e)
    collection, at = _collection(a, source, L), a.value(place, L)
    entries = entries_of(collection) or ()
    if isinstance(at, int) and _is_ordered(collection):
        for entry in entries:
            if entry.low != entry.high:
                break
            if at < entry.low:
                return entry.value
            at -= entry.low
    return join(entry.value for entry in entries)


@rule("list")
def _list(a: Abstract, e: Expr, L: Locals) -> Any:
    return members((AbstractElements(value, 1, 1) for value in _values(a, e, L)), ordered=True)


@rule("numbers")
def _numbers(a: Abstract, e: Expr, L: Locals) -> Any:
    """Give the numbers between two bounds: those between the greatest low and the least high are there surely."""
    (least, low), (high, most) = (bounds(value) for value in _values(a, e, L))
    if finite(Range(least, most)) is None:
        return members((AbstractElements(Range(least, max(least, most)), 0, MANY),))
    return members((AbstractElements(n, int(low <= n <= high), 1) for n in range(least, most + 1)), ordered=True)


# ---- bags ------------------------------------------------------------------------------------------------------


def _bags(a: Abstract, e: Expr, L: Locals) -> list[Sequence[Any]] | None:
    """Return the counts of an operation's operands, which are bags; None where one is not known to be one."""
    bags = [counts_of(value) for value in _values(a, e, L)]
    return None if any(bag is None for bag in bags) else [bag for bag in bags if bag is not None]


def _of_numbers(op: str, *values: Any) -> Any:
    return INTERVALS[op](*map(bounds, values))


@rule("bag")
def _bag(a: Abstract, e: Expr, L: Locals) -> Any:
    return bag_of(_values(a, e, L))


@rule("bag_add", "bag_sub")
def _bag_sum(a: Abstract, e: Expr, L: Locals) -> Any:
    bags = _bags(a, e, L)
    if bags is None:
        return a.any_of(e.type)
    if e.op == "bag_add":
        return bag_of(_of_numbers("add", x, y) for x, y in zip(*bags, strict=True))
    return bag_of(_of_numbers("max2", _of_numbers("sub", x, y), 0) for x, y in zip(*bags, strict=True))


@rule("bag_scale")
def _bag_scale(a: Abstract, e: Expr, L: Locals) -> Any:
    factor, bag = _values(a, e, L)
    counts = counts_of(bag)
    return a.any_of(e.type) if counts is None else bag_of(_of_numbers("mul", factor, count) for count in counts)


@rule("bag_get")
def _bag_get(a: Abstract, e: Expr, L: Locals) -> Any:
    counts = counts_of(a.value(operands(e)[0], L))
    return a.any_of(e.type) if counts is None else counts[number(e, 1)]


@rule("bag_pick")
def _bag_pick(a: Abstract, e: Expr, L: Locals) -> Any:
    bag, resource = _values(a, e, L)
    counts, choices = counts_of(bag), finite(resource)
    if counts is None or choices is None:
        return a.any_of(e.type)
    return join(counts[choice] for choice in choices if 0 <= choice < len(counts))


@rule("bag_size")
def _bag_size(a: Abstract, e: Expr, L: Locals) -> Any:
    counts = counts_of(a.value(operands(e)[0], L))
    return a.any_of(e.type) if counts is None else _summed([(count, 1, 1) for count in counts])


@rule("bag_kinds")
def _bag_kinds(a: Abstract, e: Expr, L: Locals) -> Any:
    counts = counts_of(a.value(operands(e)[0], L))
    if counts is None:
        return a.any_of(e.type)
    ends = [bounds(count) for count in counts]
    return members(
        (AbstractElements(kind, int(low > 0), int(high > 0)) for kind, (low, high) in enumerate(ends)), ordered=True
    )


@rule("bag_clamp")
def _bag_clamp(a: Abstract, e: Expr, L: Locals) -> Any:
    bag, each, *limits = _values(a, e, L)
    counts = counts_of(bag)
    if counts is None or not all(map(is_known, (each, *limits))):
        return a.any_of(e.type)
    most = [[limit for limit in (each, own) if limit >= 0] for own in (limits or [-1] * len(counts))]
    return bag_of(
        _of_numbers("min2", count, min(limit)) if limit else count for count, limit in zip(counts, most, strict=True)
    )
