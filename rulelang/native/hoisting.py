"""Hoist loop-invariant expressions out of guards, and eliminate subexpressions that several items have in common.

Enters: expressions of a decision. Leaves: declarations of C variables, and the expressions rewritten to read
them. In an expression such a variable is a local whose slot no procedure has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from rulelang.ir.nodes import Expr
from rulelang.ir.types import BOOL, INT, Type
from rulelang.ir.walk import BINDING, form, index, local_reads, operands, subexpressions
from rulelang.mir.bits import ROWS, is_small
from rulelang.native.bags import width_of
from rulelang.native.expressions import Scope, Writer, compound, loops, wrapped, writes
from rulelang.native.grids import row_mask
from rulelang.native.packed_counts import counted_mask
from rulelang.native.pieces import column
from rulelang.native.purses import stockable, stocked
from rulelang.native.sharing import SAFE, rebuilt, shareable
from rulelang.runtime.constants import UNKNOWN, WORD

WORTH = BINDING | {"active", "purses_of", "pieces", "family"}
"""Operations that are worth a variable: they take more than a few steps."""
PAID = frozenset(("payments", "can_pay"))
"""Operations with a price and purses; a third argument that is added here is what the purses hold, read before."""

_slots = count(1 << 21)


def hoist(w: Writer, text: str, scope: Scope, type_: Type, site: int) -> tuple[str, Expr, Scope]:
    """Return the declaration of a fresh C variable with a value, an expression that reads it, and its scope."""
    name = w.source.fresh("known")
    return f"const W {name} = {text};", *bind_fresh(scope, name, type_, site)


def bind_fresh(scope: Scope, name: str, type_: Type, site: int) -> tuple[Expr, Scope]:
    """Return an expression that reads a C variable, and its scope."""
    slot = next(_slots)
    return Expr("local", type_, (slot,), site), scope.bind(slot, name)


def hoisted(w: Writer, guards: Sequence[Expr], slots: set[int], scope: Scope) -> tuple[str, list[Expr], Scope]:
    """Hoist what does not depend on the slots of a loop; return the declarations, the guards, and their scope."""
    lines: list[str] = []
    place = scope

    def hoisted_name(text: str, type_: Type, site: int) -> Expr:
        nonlocal place
        line, name, place = hoist(w, text, place, type_, site)
        lines.append(line)
        return name

    def rewritten(expr: Expr) -> Expr:
        if w.known(expr) is not UNKNOWN:
            return expr
        if _is_invariant(expr, slots) and any(part.op in BINDING for part in subexpressions(expr)):
            return hoisted_name(w.text(expr, place), expr.type, expr.site)
        if expr.op == "member":
            value, among = operands(expr)
            if w.known(among) is UNKNOWN and _is_invariant(among, slots) and is_small(w.layout, among.type.inner):
                mask = hoisted_name(mask_of(w, among, place), INT, expr.site)
                return Expr("in_mask", BOOL, (rewritten(value), mask), expr.site)
        return rebuilt(expr, rewritten)

    invariant = [rewritten(guard) for guard in guards]
    return " ".join(lines), invariant, place


def _is_invariant(expr: Expr, slots: set[int]) -> bool:
    """Return whether the expression is pure, cannot fail and reads none of the slots."""
    return not local_reads(expr) & slots and all(part.op in SAFE for part in subexpressions(expr))


def mask_of(w: Writer, expr: Expr, scope: Scope) -> str:
    """Return the text of the bit set of a set of small values."""
    at_once = counted_mask(w, expr, scope)
    if at_once is not None:
        return at_once
    if expr.op in ROWS:
        return row_mask(w, expr, scope)
    mask = w.source.fresh("mask")
    loop = w.each(expr, scope, lambda x: f"{mask} |= (U)1 << ({x} & {WORD - 1});")
    return f"({{ U {mask} = 0; {loop} (W){mask}; }})"


@writes("mask")
def _mask(w: Writer, e: Expr, s: Scope) -> str:
    return mask_of(w, operands(e)[0], s)


@loops("elements")
def _each_element(w: Writer, e: Expr, s: Scope, body: Callable[[str], str]) -> str:
    left, x = w.source.fresh("left"), w.source.fresh("x")
    loop = f"for (U {left} = {w.texts(e, s)[0]}; {left}; {left} &= {left} - 1)"
    return f"{loop} {{ const W {x} = __builtin_ctzll({left}); {body(x)} }}"


@writes("elements")
def _elements(w: Writer, e: Expr, s: Scope) -> str:
    list_ = w.source.fresh("found")
    loop = w.each(e, s, lambda x: f"GROW({list_}, {x});")
    return w.arena(f"({{ W *const {list_} = a_open(g); {loop} a_close(g, {list_}); }})")


@writes("pick")
def _pick(w: Writer, e: Expr, s: Scope) -> str:
    return column(w, e.args[1:], INT, w.texts(e, s)[0])


@writes("in_mask")
def _in_mask(w: Writer, e: Expr, s: Scope) -> str:
    value, mask = w.texts(e, s)
    before, x = w.temporary(value)
    text = f"((U){x} < {WORD} && ((U){mask} >> {x} & 1))"
    return wrapped(before, text)


# ---- what several items read ---------------------------------------------------------------------------


def eliminate_common(
    w: Writer, exprs: Sequence[Expr], slots: set[int], scope: Scope, bills: Sequence[Expr]
) -> tuple[list[str], Callable[[Expr], Expr], Scope]:
    """Eliminate common subexpressions; return the declarations, the rewrite of an expression, and its scope. `slots`:
    those that binders fill. `bills`: the payments that are fused with their `spend`."""
    places: dict[Any, list[Expr]] = {}
    for outer in exprs:
        for expr in shareable(outer, slots, WORTH):
            places.setdefault(form(expr), []).append(expr)
    names: dict[Any, Expr] = {}
    sums_of: dict[Any, Expr] = {}
    paid = {form(operands(part)[1]): part for outer in exprs for part in subexpressions(outer) if part.op in PAID}
    lines: list[str] = []
    for form_, occurrences in places.items():
        expr = occurrences[0]
        if len(occurrences) < 2 or w.known(expr) is not UNKNOWN or (compound(expr.type) and expr.op == "pieces"):
            continue
        if (user := paid.get(form_)) is not None and stockable(w, expr):
            listed, sums = w.source.fresh("known"), w.source.fresh("held")
            names[form_], scope = bind_fresh(scope, listed, expr.type, expr.site)
            sums_of[form_], scope = bind_fresh(scope, sums, INT, expr.site)
            lines.append(f"W {listed}; const W *{sums};")
            sparse = _only_pays(exprs, form_, bills)
            lines.append(stocked(w, expr, scope, width_of(w, operands(user)[0].type), (listed, sums), sparse))
            continue
        line, names[form_], scope = hoist(w, w.text(expr, scope), scope, expr.type, expr.site)
        lines.append(line)

    def rewritten(expr: Expr) -> Expr:
        if not names:
            return expr
        if any(part.op in WORTH for part in subexpressions(expr)) and (name := names.get(form(expr))) is not None:
            return name
        new = rebuilt(expr, rewritten)
        if expr.op in PAID and (sums := sums_of.get(form(operands(expr)[1]))) is not None:
            return replace(new, args=(*new.args, sums))
        return new

    return lines, rewritten, scope


def _only_pays(exprs: Sequence[Expr], purses: Any, bills: Sequence[Expr]) -> bool:
    """Return whether purses are read by `can_pay` and fused payments alone."""
    return all(
        part.op == "can_pay" or any(part is bill for bill in bills)
        for outer in exprs
        for part in subexpressions(outer)
        if any(form(child) == purses for child in operands(part))
    )


def reads_only(expr: Expr, slot: int) -> bool:
    """Return whether the expression is this local."""
    return expr.op == "local" and index(expr) == slot
