"""What the options of a decision ask of functions again and again: asked once, when it is first wanted.

While options are looked for, the state stays as it is, so a function gives the same for the same arguments. One whose
arguments are the same for all options keeps its value in a name; one that tries rules for each of some pieces keeps a
table. So that more is the same for all options, functions that only give a value are written out in guards first.

Enters: the items of a decision. Leaves: lines with the names, and the items that read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from rulelang.backends.interpreter.expressions import UNKNOWN, number, operands
from rulelang.backends.native.expressions import Scope, Writer, compound, writes
from rulelang.backends.native.folding import lone_value
from rulelang.backends.native.sharing import form
from rulelang.ir.nodes import Expr, Guard, Item
from rulelang.ir.walk import BINDING, children, index, item_expressions, local_reads, subexpressions

LARGE, LARGEST = 60, 400
"""A function of more parts is not written out, nor so many in one guard that they have more parts together."""
DEEPEST = 3
"""Functions are written out within each other no deeper than this."""
IT = Expr("it", "void", ())
"""Stands for what a table is looked up by."""
MOST = 256
"""No table has more entries."""
Slots = frozenset[int]

_slots = count(1 << 23)


@dataclass
class Found:
    """A call that is remembered.

    Attributes:
        call: the first one that was met. first, size: the numbers of the pieces in the table; size 0: there is none.
    """

    call: Expr
    first: int = 0
    size: int = 0
    name: str = ""


def remembered(w: Writer, items: list[Item], scope: Scope) -> tuple[list[str], list[Item]]:
    """Lines for what is remembered, and the items that ask for it."""
    plain = [_changed(item, lambda guard, slots: _written_out(w, guard, slots, [LARGEST], 0)) for item in items]
    uses: Counter[Any] = Counter()
    found: dict[Any, Found] = {}
    for item in plain:
        slots = frozenset(binder.slot for binder in item.binders)
        for expr in item_expressions(item):
            for key, one, often in _calls(w, expr, slots, bool(local_reads(expr) & slots)):
                found.setdefault(key, one)
                uses[key] += 2 if often and not one.size else 1
    wanted = {key: one for key, one in found.items() if uses[key] > 1}
    if not wanted:
        return [], items
    lines = []
    for one in wanted.values():
        one.name = w.source.fresh("remembered")
        if one.size:
            lines.append(f"int8_t {one.name}[{one.size}]; memset({one.name}, -1, sizeof {one.name});")
        else:
            lines.append(f"W {one.name} = INT64_MIN;")

    def ask(expr: Expr, slots: Slots) -> Expr:
        return _asking(w, expr, slots, wanted)

    made = [_changed(item, ask, everywhere=True) for item in plain]
    for old, new in zip(items, made, strict=True):
        for before, after in zip((*old.pre, *old.guards), (*new.pre, *new.guards), strict=True):
            w.origins[id(after.condition)] = after.condition, before.condition
    return lines, made


def _changed(item: Item, change: Callable[[Expr, Slots], Expr], everywhere: bool = False) -> Item:
    """The item with its guards changed; `everywhere`: and what its binders read."""
    slots = frozenset(binder.slot for binder in item.binders)

    def guards(found: tuple[Guard, ...]) -> tuple[Guard, ...]:
        return tuple(replace(guard, condition=change(guard.condition, slots)) for guard in found)

    binders = item.binders
    if everywhere:
        binders = tuple(replace(b, args=tuple(change(arg, slots) for arg in b.args)) for b in binders)
    return replace(item, pre=guards(item.pre), guards=guards(item.guards), binders=binders)


def _parts(expr: Expr, slots: Slots) -> Iterator[tuple[Expr, Slots]]:
    """The parts of an expression, with the slots that stand for another value each time; not what is read when a rule
    was tried."""
    if expr.op == "possible":
        return
    for place, part in enumerate(children(expr)):
        yield part, slots | {index(expr)} if place and expr.op in BINDING else slots


def _rebuilt(expr: Expr, slots: Slots, change: Callable[[Expr, Slots], Expr]) -> Expr:
    old = list(_parts(expr, slots))
    new = [change(part, inner) for part, inner in old]
    if all(a is b for (a, _), b in zip(old, new, strict=True)):
        return expr
    rest = iter(new)
    return replace(expr, args=tuple(next(rest) if isinstance(arg, Expr) else arg for arg in expr.args))


def _atomic(expr: Expr) -> bool:
    return expr.op in ("local", "const")


# ---- functions written out ------------------------------------------------------------------------------------


def _written_out(w: Writer, expr: Expr, slots: Slots, left: list[int], depth: int) -> Expr:
    """The condition with functions of what is chosen written out, but for those within loops; `left`: how many parts
    they may still have."""
    if expr.op in BINDING:
        return expr
    value = _value(w, expr, slots, left) if depth < DEEPEST else None
    if value is None:
        return _rebuilt(expr, slots, lambda part, inner: _written_out(w, part, inner, left, depth))
    return _written_out(w, value, slots, left, depth + 1)


def _value(w: Writer, call: Expr, slots: Slots, left: list[int]) -> Expr | None:
    """What a call gives, in the caller's terms, if the function does nothing else."""
    if call.op != "call" or not local_reads(call) & slots or w.writing(call) or w.looks(call):
        return None
    value = lone_value(w.program.procedures[number(call)])
    if value is None or not all(map(_atomic, operands(call))):
        return None
    parts = sum(1 for _ in subexpressions(value))
    if parts > min(LARGE, left[0]):
        return None
    left[0] -= parts
    return bound(value, dict(enumerate(operands(call))))


def bound(expr: Expr, values: dict[int, Expr]) -> Expr:
    """An expression with its locals replaced; what it binds itself gets slots that no procedure has."""
    if expr.op == "local":
        return values[index(expr)]
    if expr.op in BINDING:
        slot = next(_slots)
        source, body = children(expr)
        inner = {**values, index(expr): Expr("local", _element_type(expr), (slot,), expr.site)}
        return replace(expr, args=(slot, bound(source, values), bound(body, inner)))
    args = tuple(bound(arg, values) if isinstance(arg, Expr) else arg for arg in expr.args)
    return replace(expr, args=args)


def _element_type(expr: Expr) -> str:
    """The type of the elements that a loop binds: that of the local that reads them."""
    slot = index(expr)
    _, body = children(expr)
    return next((part.type for part in subexpressions(body) if part.op == "local" and index(part) == slot), "int")


# ---- calls that are remembered --------------------------------------------------------------------------------


def _kept(w: Writer, expr: Expr, slots: Slots) -> tuple[Any, Found] | None:
    """What a call is remembered as, if it can be, and how; two calls with the same key are one."""
    if expr.op != "call" or compound(expr.type) or not all(map(_atomic, operands(expr))):
        return None
    if w.writing(expr) or w.compiler.known(expr) is not UNKNOWN:
        return None
    moving = [place for place, part in enumerate(operands(expr)) if local_reads(part) & slots]
    if not moving:
        return form(expr), Found(expr)
    (place, *more) = moving
    piece = operands(expr)[place]
    if more or expr.type != "bool" or not w.looks(expr) or not piece.type.startswith("piece:"):
        return None
    items = w.layout.kind_items[w.layout.kind_index[piece.type[6:]]]
    if not w.layout.identity(piece.type) or not 0 < len(items) <= MOST:
        return None
    args = [IT if n == place else part for n, part in enumerate(operands(expr))]
    key = form(replace(expr, args=(number(expr), *args)))
    return key, Found(expr, items.start, len(items))


def _calls(w: Writer, expr: Expr, slots: Slots, often: bool) -> Iterator[tuple[Any, Found, bool]]:
    """The calls in an expression that can be remembered; `often`: they are made more than once as it is."""
    kept = _kept(w, expr, slots)
    if kept is not None:
        yield *kept, often
        return
    for part, inner in _parts(expr, slots):
        yield from _calls(w, part, inner, often or inner != slots)


def _asking(w: Writer, expr: Expr, slots: Slots, wanted: dict[Any, Found]) -> Expr:
    kept = _kept(w, expr, slots)
    one = wanted.get(kept[0]) if kept is not None else None
    if one is None:
        if kept is not None:
            return expr
        return _rebuilt(expr, slots, lambda part, inner: _asking(w, part, inner, wanted))
    if not one.size:
        return Expr("remembered", expr.type, (one.name, _of_others(w, expr, wanted)), expr.site)
    piece = next(part for part in operands(expr) if local_reads(part) & slots)
    return Expr("remembered", expr.type, (one.name, expr, piece, one.first, one.size), expr.site)


def _of_others(w: Writer, call: Expr, wanted: dict[Any, Found]) -> Expr:
    """What a call gives in terms of others that are remembered, if it asks for such."""
    value = lone_value(w.program.procedures[number(call)])
    if value is None or any(part.op == "possible" or part.op in BINDING for part in subexpressions(value)):
        return call
    value = bound(value, dict(enumerate(operands(call))))
    others = [part for part in subexpressions(value) if part.op == "call"]
    if not any((kept := _kept(w, part, frozenset())) is not None and kept[0] in wanted for part in others):
        return call
    return _asking(w, value, frozenset(), wanted)


@writes("remembered")
def _remembered(w: Writer, e: Expr, s: Scope) -> str:
    name = str(e.args[0])
    call, *piece = operands(e)
    text = w.text(call, s)
    if not piece:
        return f"({name} != INT64_MIN ? {name} : ({name} = {text}))"
    before, x = w.kept(w.text(piece[0], s), "piece")
    at, first, size = w.source.fresh("at"), number(e, 3), number(e, 4)
    found = f"{name}[{at}] >= 0 ? {name}[{at}] : ({name}[{at}] = (int8_t)({text}))"
    check = f"if (UNLIKELY((U){at} >= {size})) fail(g, {e.site});"
    return f"({{ {before}const W {at} = {x} - {first}; {check} {found}; }})"
