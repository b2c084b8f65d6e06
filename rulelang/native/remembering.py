"""What the options of a decision ask of functions again and again: asked once, when it is first wanted.

While options are looked for, the state stays as it is, so a function gives the same for the same arguments. One whose
arguments are the same for all options keeps its value in a name. So that more is the same for all options, functions
that only give a value are written out in guards first.

Enters: the items of a decision. Leaves: lines with the names, and the items that read them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from rulelang.ir.nodes import Expr, Item
from rulelang.ir.rewrite import changed_item, lone_value, with_arguments
from rulelang.ir.walk import BINDING, form, index, item_expressions, local_reads, number, operands, subexpressions
from rulelang.native.expressions import Scope, Writer, compound, writes
from rulelang.runtime.constants import UNKNOWN

LARGE, LARGEST = 60, 400
"""A function of more parts is not written out, nor so many in one guard that they have more parts together."""
DEEPEST = 3
"""Functions are written out within each other no deeper than this."""
Slots = frozenset[int]


def remembered(w: Writer, items: list[Item]) -> tuple[list[str], list[Item]]:
    """Find the calls that are made more than once: lines that declare their names, and the items that read those."""
    plain = [_changed(item, lambda guard, slots: _written_out(w, guard, slots, [LARGEST], 0), False) for item in items]
    uses: Counter[Any] = Counter()
    for item in plain:
        slots = frozenset(binder.slot for binder in item.binders)
        for expr in item_expressions(item):
            for call, often in _calls(w, expr, slots, bool(local_reads(expr) & slots)):
                uses[form(call)] += 2 if often else 1
    names = {call: w.source.fresh("remembered") for call, times in uses.items() if times > 1}
    if not names:
        return [], items

    def ask(expr: Expr, slots: Slots) -> Expr:
        if not _kept(w, expr, slots):
            return _rebuilt(expr, slots, ask)
        name = names.get(form(expr))
        return expr if name is None else Expr("remembered", expr.type, (name, expr), expr.site)

    made = [_changed(item, ask, True) for item in plain]
    for old, new in zip(items, made, strict=True):
        for before, after in zip((*old.pre, *old.guards), (*new.pre, *new.guards), strict=True):
            w.origins[id(after.condition)] = after.condition, before.condition
    return [f"W {name} = INT64_MIN;" for name in names.values()], made


def _changed(item: Item, change: Callable[[Expr, Slots], Expr], binders: bool) -> Item:
    slots = frozenset(binder.slot for binder in item.binders)
    return changed_item(item, lambda expr: change(expr, slots), binders)


def _parts(expr: Expr, slots: Slots) -> Iterator[tuple[Expr, Slots]]:
    """The parts of an expression, with the slots that stand for another value each time; not what is read when a rule
    was tried."""
    if expr.op == "possible":
        return
    for place, part in enumerate(operands(expr)):
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
    if call.op != "call" or not local_reads(call) & slots or w.looks(call):
        return None
    value = lone_value(w.program.procedures[number(call)])
    if value is None or not all(map(_atomic, operands(call))):
        return None
    parts = sum(1 for _ in subexpressions(value))
    if parts > min(LARGE, left[0]):
        return None
    left[0] -= parts
    return with_arguments(value, dict(enumerate(operands(call))))


# ---- calls that are remembered --------------------------------------------------------------------------------


def _kept(w: Writer, expr: Expr, slots: Slots) -> bool:
    """Whether an expression is a call that gives the same for all options."""
    if expr.op != "call" or compound(expr.type) or not all(map(_atomic, operands(expr))):
        return False
    return not local_reads(expr) & slots and w.known(expr) is UNKNOWN


def _calls(w: Writer, expr: Expr, slots: Slots, often: bool) -> Iterator[tuple[Expr, bool]]:
    """The calls in an expression that can be remembered; `often`: they are made more than once as it is."""
    if _kept(w, expr, slots):
        yield expr, often
        return
    for part, inner in _parts(expr, slots):
        yield from _calls(w, part, inner, often or inner != slots)


@writes("remembered")
def _remembered(w: Writer, e: Expr, s: Scope) -> str:
    name = str(e.args[0])
    (call,) = operands(e)
    return f"({name} != INT64_MIN ? {name} : ({name} = {w.text(call, s)}))"
