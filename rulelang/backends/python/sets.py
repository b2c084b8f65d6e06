"""Operations on sets as Python text: most become one comprehension.

Enters: expressions over sets and groups. Leaves: the text of Python expressions. A set that may be long is paid for
element by element, as the interpreter has it; of short ones nobody counts the elements.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.interpreter.work import NODES
from rulelang.backends.python.expressions import Writer, writes
from rulelang.backends.python.masks import grouped_sum, handful_text
from rulelang.backends.python.scope import Bare, Scope
from rulelang.backends.text import atomic
from rulelang.ir.nodes import Expr
from rulelang.ir.types import absent
from rulelang.ir.walk import BINDING, children, index
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT, core

SORTS = 16
"""A kind with no more different pieces than this has few."""
FEW = 6
"""What is asked of each of no more players than this is written out."""


ZONELESS = frozenset((
    "sum", "map", "filter", "group", "group_items", "group_key", "pieces", "attr", "is_def", "count", "size", "zone",
    "local", "const", "eq", "ne", "lt", "le", "gt", "ge", "add", "sub", "mul", "neg", "if", "and", "or", "not",
))  # fmt: skip
"""Operations that never ask in which zone a piece was found."""


@dataclass(frozen=True)
class Loop:
    """`for NAME in …` of a comprehension: what stands before it, over what, on which condition, what an element is.

    Attributes:
        element: the element as the set has it; `name` may hold its item alone.
    """

    before: str
    over: str
    condition: str
    name: str
    element: str
    scope: Scope

    def text(self, *conditions: str) -> str:
        """The clauses, with more conditions."""
        tests = "".join(f" if {test}" for test in (self.condition, *conditions) if test)
        return f"{self.before}for {self.name} in {self.over}{tests}"


def _raw_only(expr: Expr, slot: int) -> bool:
    """Whether a slot is read only by operations that do not ask in which zone a piece was found."""
    if expr.op == "local":
        return index(expr) != slot
    if expr.op in ("attr", "is_def") and all(child.op == "local" for child in children(expr)):
        return True
    return all(_raw_only(child, slot) for child in children(expr))


def loop(w: Writer, source: Expr, slot: int, scope: Scope, site: int, bodies: tuple[Expr, ...], whole: bool) -> Loop:
    """The clause that goes through a set while bodies are read. `whole`: elements themselves are wanted too."""
    name = w.name(scope, slot)
    small = w.facts.small(source, *bodies)
    if source.op == "pieces" and w.compiler.known(source) is UNKNOWN:
        (zone,) = operands(source)
        table = w.table_of(zone, scope)
        raw = all(_raw_only(body, slot) for body in bodies) and not any(_rebinds(body, slot) for body in bodies)
        identity = w.layout.identity(source.type)
        if table >= 0 and (raw or identity):
            there, handfuls = w.text(zone, scope), w.held(zone, scope)
            before, base = "", "0"
            if whole and not identity and not w.zoneless:
                if atomic(there):
                    base = str(int(there) << ZONE_SHIFT) if there.isdigit() else f"({there} << {ZONE_SHIFT})"
                else:
                    at, base = w.source.fresh("zone"), w.source.fresh("base")
                    before = f"for {at} in ({there},) for {base} in ({at} << {ZONE_SHIFT},) "
                    there = at
            over = f"z[{there}]" if handfuls is None else f"{w.source.listed(handfuls)}[c[{there}]]"
            if not small:
                over = f"charged(S, {over}, {w.work(*bodies)}, {site})"
            if w.program.zones[table].pile:
                over = f"reversed({over})"
            condition = f"{name} >= 0" if w.facts.may_hide(table) else ""
            element = name if identity or base == "0" else f"{name} + {base}"
            return Loop(before, over, condition, name, element, scope.bind(slot, name, not identity))
    over = w.text(source, scope)
    if not small:
        over = f"charged(S, {over}, {w.work(*bodies)}, {site})"
    return Loop("", over, "", name, name, scope.bind(slot, name))


def _rebinds(expr: Expr, slot: int) -> bool:
    return (expr.op in BINDING and index(expr) == slot) or any(_rebinds(child, slot) for child in children(expr))


def charged(w: Writer, source: Expr, scope: Scope, site: int) -> str:
    """A set of which all elements are looked at."""
    text = w.text(source, scope)
    return text if w.facts.small(source) else f"charged(S, {text}, 1, {site})"


@writes("list")
def _list(w: Writer, e: Expr, s: Scope) -> str:
    return f"[{', '.join(w.stored(arg, s) for arg in operands(e))}]"


@writes("numbers")
def _numbers(w: Writer, e: Expr, s: Scope) -> str:
    low, high = w.texts(e, s)
    return f"numbers(S, {low}, {high}, {e.site})"


@writes("filter")
def _filter(w: Writer, e: Expr, s: Scope) -> str:
    source, condition = operands(e)
    over = loop(w, source, number(e), s, e.site, (condition,), True)
    return f"[{over.element} {over.text(w.truth(condition, over.scope))}]"


@writes("map")
def _map(w: Writer, e: Expr, s: Scope) -> str:
    source, body = operands(e)
    over = loop(w, source, number(e), s, e.site, (body,), False)
    column = _column(w, body, number(e), over)
    return f"[*{column}]" if column else f"[{w.stored(body, over.scope)} {over.text()}]"


def _column(w: Writer, body: Expr, slot: int, over: Loop) -> str:
    """What gives an attribute of each piece of a loop, if the body is that; else nothing."""
    if body.op != "attr" or over.before or over.condition or slot not in over.scope.raw:
        return ""
    (piece,) = operands(body)
    if piece.op != "local" or index(piece) != slot:
        return ""
    column = w.layout.columns[index(body)][index(body, 1)]
    return f"map({w.source.getter(column)}, {over.over})"


@writes("flatten")
def _flatten(w: Writer, e: Expr, s: Scope) -> str:
    source, body = operands(e)
    over = loop(w, source, number(e), s, e.site, (body,), False)
    inner = w.source.fresh("inner")
    text = f"[{inner} {over.text()} for {inner} in {w.text(body, over.scope)}]"
    return text if w.facts.most(e) <= ITEM_MASK else f"charged(S, {text}, 0, {e.site})"


@writes("sum")
def _sum(w: Writer, e: Expr, s: Scope) -> str:
    source, body = operands(e)
    itself = body.op == "local" and index(body) == number(e)
    remembered = _remembered_total(w, source, s) if itself and e.type == "int" else grouped_sum(w, e, s)
    if remembered:
        return remembered
    if itself and e.type == "int":
        text = w.text(source, s)
        text = text if w.facts.small(source) else f"charged(S, {text}, 1, {e.site})"
        if text.startswith("[*map(") and text.endswith("]"):
            text = text[2:-1]
    else:
        over = loop(w, source, number(e), s, e.site, (body,), False)
        text = f"[{w.stored(body, over.scope)} {over.text()}]"
    if e.type.startswith("bag:"):
        return f"bag_total({w.source.constant((0,) * w.layout.width(e.type))}, {text})"
    if e.type.startswith("cost:"):
        return f"cost_total({w.source.constant(((0,) * w.layout.width('bag:' + e.type[5:]), ()))}, {text})"
    if w.intervals.within(s.procedure, e, LOWEST + 1, HIGHEST - 1):
        return f"sum({text})"
    return f"wide(sum({text}), {e.site})"


def _remembered_total(w: Writer, source: Expr, s: Scope) -> str:
    """The sum of an attribute of the pieces of a bag, looked up by what lies there; empty if it is something else, or
    there are many sorts of such pieces, so that the same ones rarely lie together again."""
    if source.op != "map":
        return ""
    pieces, body = operands(source)
    if body.op != "attr" or w.layout.identity(pieces.type):
        return ""
    (piece,) = operands(body)
    items, column = w.layout.kind_items[number(body)], w.layout.columns[number(body)][number(body, 1)]
    if piece.op != "local" or index(piece) != number(source) or max(map(abs, column), default=0) > ITEM_MASK:
        return ""
    handful = handful_text(w, pieces, s)
    if handful is not None:
        return f"{w.source.counted_totals(handful.handfuls, column)}[{handful.text}]"
    if pieces.op != "pieces":
        return ""
    (zone,) = operands(pieces)
    if w.hides(zone, s) or w.program.zones[w.table_of(zone, s)].pile:
        return ""
    if len(items) > SORTS or not w.facts.small(pieces, body):
        return ""
    return f"{w.source.totals(column)}[tuple(z[{w.text(zone, s)}])]"


@writes("any", "all")
def _quantified(w: Writer, e: Expr, s: Scope) -> str:
    source, condition = operands(e)
    if source.op == "players" and w.all_stay(s) and w.layout.players <= FEW and w.facts.small(source, condition):
        tests = [w.truth(condition, s.bind(number(e), str(seat))) for seat in range(w.layout.players)]
        return f"({(' or ' if e.op == 'any' else ' and ').join(tests)})"
    over = loop(w, source, number(e), s, e.site, (condition,), False)
    return f"{e.op}({w.truth(condition, over.scope)} {over.text()})"


@writes("max", "min")
def _extreme(w: Writer, e: Expr, s: Scope) -> str:
    source, body = operands(e)
    over = loop(w, source, number(e), s, e.site, (body,), False)
    return f"{e.op}([{w.stored(body, over.scope)} {over.text()}], default=ABSENT_NUMBER)"


@writes("most", "fewest", "group")
def _parted(w: Writer, e: Expr, s: Scope) -> str:
    source, body = operands(e)
    name = w.name(s, number(e))
    inner = s.bind(number(e), name)
    found = w.text(source, s)
    if not w.facts.small(source, body):
        found = f"charged(S, {found}, {w.work(body)}, {e.site})"
    value = w.stored(body, inner)
    by = operands(body)[0] if body.op == "attr" else body
    if e.op == "group" and w.zoneless and by.op == "local" and index(by) == number(e):
        value = w.source.getter(w.layout.columns[number(body)][number(body, 1)])
        return f"grouped_by({value}, {found})"
    if e.op == "group":
        return f"grouped_by(lambda {name}: {value}, {found})"
    return f"holders_of(lambda {name}: {value}, {found}, {'max' if e.op == 'most' else 'min'})"


@writes("group_key", "group_items")
def _group_part(w: Writer, e: Expr, s: Scope) -> str:
    (group,) = w.texts(e, s)
    return f"{group}[{0 if e.op == 'group_key' else 1}]"


@writes("count")
def _count(w: Writer, e: Expr, s: Scope) -> str:
    (source,) = operands(e)
    if source.op == "pieces":
        (zone,) = operands(source)
        return f"known_pieces(S, {w.text(zone, s)})" if w.hides(zone, s) else w.amount(zone, s)
    handful = handful_text(w, source, s)
    if handful is not None:
        return w.source.size(handful.handfuls, handful.text)
    if source.op == "filter":
        items, condition = operands(source)
        over = loop(w, items, number(source), s, source.site, (condition,), False)
        return f"len([1 {over.text(w.truth(condition, over.scope))}])"
    kept = w.bare(source, s)
    return f"len({kept.name if kept is not None else w.text(source, s)})"


def kept_text(w: Writer, kept: Bare, e: Expr, s: Scope) -> str:
    """A set of pieces that were all found in one zone, as it is kept."""
    if kept.handfuls is None:
        return bare_text(w, e, s)
    handful = handful_text(w, e, s)
    return handful.text if handful is not None else w.source.packed(kept.handfuls, bare_text(w, e, s))


def bare_text(w: Writer, e: Expr, s: Scope) -> str:
    """The items, without the zone, of a set of pieces that were all found in one zone."""
    kept = w.bare(e, s)
    if kept is not None:
        return kept.items
    if e.op in ("pieces", "filter"):
        source, *conditions = operands(e) if e.op == "filter" else [e]
        over = loop(w, source, number(e) if e.op == "filter" else 0, s, e.site, tuple(conditions), False)
        plain = "z[" in over.over or "[c[" in over.over
        if over.element == over.name and source.op == "pieces" and plain and not over.before:
            if over.name in over.scope.names.values() and (e.op == "pieces" or number(e) in over.scope.raw):
                tests = [w.truth(condition, over.scope) for condition in conditions]
                if not tests and not over.condition:
                    return f"list({over.over})"
                return f"[{over.name} {over.text(*tests)}]"
    return f"[x & {ITEM_MASK} for x in {w.text(e, s)}]"


@writes("total")
def _total(w: Writer, e: Expr, s: Scope) -> str:
    return f"wide(sum({charged(w, operands(e)[0], s, e.site)}), {e.site})"


@writes("distinct")
def _distinct(w: Writer, e: Expr, s: Scope) -> str:
    return f"distinct({charged(w, operands(e)[0], s, e.site)})"


@writes("member")
def _member(w: Writer, e: Expr, s: Scope) -> str:
    value, source = operands(e)
    text = w.text(source, s)
    if w.facts.most(source) > NODES * ITEM_MASK:
        text = f"charged(S, {text}, 0, {e.site})"
    return f"({w.text(value, s)} in {text})"


@writes("union")
def _union(w: Writer, e: Expr, s: Scope) -> str:
    a, b = (charged(w, side, s, e.site) for side in operands(e))
    return f"({a} + {b})"


@writes("difference")
def _difference(w: Writer, e: Expr, s: Scope) -> str:
    a, b = (charged(w, side, s, e.site) for side in operands(e))
    return f"difference({a}, {b})"


@writes("at", "get_seat")
def _at(w: Writer, e: Expr, s: Scope) -> str:
    source, place = w.texts(e, s)
    return f"{source}[{place}]"


@writes("first", "last")
def _end(w: Writer, e: Expr, s: Scope) -> str:
    (source,) = w.texts(e, s)
    place, none = 0 if e.op == "first" else -1, absent(e.type)
    return f"({source}[{place}] if {source} else {none})" if atomic(source) else f"end_of({source}, {place}, {none})"


@writes("firsts", "lasts")
def _ends(w: Writer, e: Expr, s: Scope) -> str:
    source, amount = w.texts(e, s)
    return f"{e.op}({source}, {amount})"


@writes("same")
def _same(w: Writer, e: Expr, s: Scope) -> str:
    left = operands(e)[0]
    a, b = w.texts(e, s)
    if not core(left.type).startswith("piece:") or w.layout.identity(left.type):
        return f"({a} == {b})"
    if left.type == f"set<{core(left.type)}>":
        x = w.source.fresh("x")
        return f"([{x} & {ITEM_MASK} for {x} in {a}] == [{x} & {ITEM_MASK} for {x} in {b}])"
    if left.type != core(left.type):
        return w.left(e, s)
    return f"({a} & {ITEM_MASK} == {b} & {ITEM_MASK})"
