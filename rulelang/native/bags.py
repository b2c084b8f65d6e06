"""Operations on bags and costs as C text; c/payments.h does the work.

Enters: expressions over resources. Leaves: their text. What only looks at a bag reads it where it lies in the state;
what is kept is copied, as the cells may change.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.native.analysis import SMALL
from rulelang.native.expressions import Environment, UnwrittenError, Writer, writes
from rulelang.native.sets import SUMS, counted, looped, most_active
from rulelang.native.text import Address, literal
from rulelang.runtime.constants import UNKNOWN
from rulelang.runtime.payments import Bag, cost_add, cost_size, expansions
from rulelang.vocabulary.types import Type

FEW = 8
"""A fixed cost of no more resources is expanded once, if that makes a short list."""
WIDEST = 62
"""Masks of resources have 64 bits (WIDEST of c/payments.h)."""


def width_of(w: Writer, type_: Type) -> int:
    """Return the number of resources of a bag or cost type. Raises UnwrittenError if native code has not so many."""
    width = w.layout.size(type_)
    if width > WIDEST:
        raise UnwrittenError(f"{width} resources")
    return width


def pointer(text: str) -> str:
    """Return the text of the pointer that an address (a text) stands for."""
    return text.table if isinstance(text, Address) else f"BAG({text})"


def cell_of(w: Writer, e: Expr, s: Environment) -> str | None:
    """Return the text of the first cell of a bag that lies in the state; None for a computed bag."""
    if w.known(e) is not UNKNOWN:
        return None
    if e.op in ("var", "pvar"):
        return w.cell(e, s)
    if e.op == "holdings" and (purse := only_purse(operands(e)[0])) is not None:
        return w.text(purse, s)
    return None


def pointer_to(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of a pointer to the words of a bag or cost, in the state if they lie there.

    It is valid until the state changes.
    """
    cell = cell_of(w, e, s)
    if cell is not None:
        return f"&g->s.v[{cell}]"
    return pointer(w.text(e, s))


def _arguments(w: Writer, exprs: Sequence[Expr], s: Environment) -> list[str]:
    """Write the arguments of a function: bags and costs as their words, where they lie."""
    return [pointer_to(w, e, s) if e.type.kind in ("bag", "cost") else w.text(e, s) for e in exprs]


def _called(w: Writer, name: str, exprs: Sequence[Expr], s: Environment, *more: int | str) -> str:
    return w.arena(f"{name}({', '.join(['g', *_arguments(w, exprs, s), *map(str, more)])})")


# ---- bags -------------------------------------------------------------------------------------------


@writes("bag")
def _bag(w: Writer, e: Expr, s: Environment) -> str:
    """Print a bag made of its counts."""
    width = width_of(w, e.type)
    bag = w.source.fresh("bag")
    counts = " ".join(f"{bag}[{kind}] = {text};" for kind, text in enumerate(w.texts(e, s)))
    return w.arena(f"({{ W *const {bag} = alloc(g, {width}); {counts} ADDRESS({bag}); }})")


@writes(
    "bag_add", "bag_sub", "bag_scale", "cost_add", "cost_either", "cost_sub", "cost_scale", "sub_bags", "expansions",
    "bag_kinds", "cost", "bag_size", "cost_size",
)  # fmt: skip
def _bag_call(w: Writer, e: Expr, s: Environment) -> str:
    """Write the call of the C function of the same name; its width is that of the last operand, a bag or cost."""
    width = width_of(w, operands(e)[-1 if e.op != "sub_bags" else 0].type)
    site = () if e.op in ("bag_kinds", "cost") else (e.site,)
    return _called(w, e.op if e.type.scalar else f"a_{e.op}", operands(e), s, width, *site)


def only_purse(e: Expr) -> Expr | None:
    """Return the purse of an expression that certainly has just one, else None."""
    while e.op == "purses" and len(operands(e)) == 1:
        (e,) = operands(e)
    return e if e.type.kind == "purse" else None


def _plus(cell: str, kind: int | str) -> str:
    if cell.isdigit() and isinstance(kind, int):
        return str(int(cell) + kind)
    return f"{cell} + {kind}" if kind else cell


@writes("bag_get")
def _bag_get(w: Writer, e: Expr, s: Environment) -> str:
    """Print the number of a constant resource: of a variable its cell, else an element of the bag."""
    (source,) = operands(e)
    cell = cell_of(w, source, s)
    if cell is not None:
        return f"g->s.v[{_plus(cell, number(e, 1))}]"
    return f"({pointer_to(w, source, s)})[{number(e, 1)}]"


@writes("bag_pick")
def _bag_pick(w: Writer, e: Expr, s: Environment) -> str:
    """Print the number of a resource that is known only when the rule runs; fails if there is none such."""
    source, value = operands(e)
    width = width_of(w, source.type)
    kind = f"resource_(g, {w.text(value, s)}, {width}, {e.site})"
    cell = cell_of(w, source, s)
    return f"g->s.v[{_plus(cell, kind)}]" if cell is not None else f"({pointer_to(w, source, s)})[{kind}]"


@writes("bag_one")
def _bag_one(w: Writer, e: Expr, s: Environment) -> str:
    """Print a bag of one resource: a row of a constant table."""
    size = number(e)
    (value,) = w.texts(e, s)
    ones = w.source.table([int(kind == selected) for selected in range(size) for kind in range(size)])
    return f"ADDRESS({ones} + {size} * resource_(g, {value}, {size}, {e.site}))"


@writes("bag_clamp")
def _bag_clamp(w: Writer, e: Expr, s: Environment) -> str:
    bag, each, *limits = operands(e)
    a, b, *caps = _arguments(w, (bag, each, *limits), s)
    return w.arena(f"a_bag_clamp(g, {a}, {b}, {_row(w, caps)}, {width_of(w, e.type)})")


def _row(w: Writer, texts: Sequence[str]) -> str:
    """Return the words of a row of constants for a function that only reads them; NULL for none."""
    if not texts:
        return "NULL"
    values = [literal(text) for text in texts]
    if None not in values:
        return w.source.table([value for value in values if value is not None])
    return f"(const W[]){{{', '.join(texts)}}}"


@writes("placements")
def _placements(w: Writer, e: Expr, s: Environment) -> str:
    """Print the set of bags that may be left when goods join a bag with limits."""
    width = width_of(w, operands(e)[0].type)
    present, added, total, each, *limits = _arguments(w, operands(e), s)
    if operands(e)[1].type.kind == "bag":
        added = w.arena(f"BAG(a_cost(g, {added}, {width}))")
    return w.arena(f"a_placements(g, {present}, {added}, {total}, {each}, {_row(w, limits)}, {width}, {e.site})")


def bag_sum(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of the sum of the bags that a body gives."""
    width, total = width_of(w, e.type), w.source.fresh("total")
    if most_active(w, operands(e)[0]) == 1:
        nothing = w.source.table([0] * width)
        loop = looped(w, e, s, lambda _, inner: f"{total} = {w.text(operands(e)[1], inner)};")
        return f"({{ W {total} = ADDRESS({nothing}); {loop} {total}; }})"
    loop = counted(
        w, e, s, lambda _, inner: f"bag_grow(g, {total}, {pointer_to(w, operands(e)[1], inner)}, {width}, {e.site});"
    )
    return w.arena(
        f"({{ W *const {total} = a_zeros(g, {width}); {loop} g->top = {total} + {width}; ADDRESS({total}); }})"
    )


# ---- costs ------------------------------------------------------------------------------------------


@writes("wild")
def _wild(w: Writer, e: Expr, s: Environment) -> str:
    return _called(w, "a_wild", operands(e), s, number(e, 3), width_of(w, e.type))


@writes("cost_fixed")
def _cost_fixed(w: Writer, e: Expr, s: Environment) -> str:
    # A cost begins with the bag that is its fixed part.
    width_of(w, e.type)
    return w.text(operands(e)[0], s)


def few_expansions(w: Writer, cost: Expr) -> list[Bag] | None:
    """Return the bags that satisfy a cost, if they are constant and few, else None."""
    known = w.known(cost)
    if known is UNKNOWN or min(known[0], default=0) < 0 or cost_size(known) > FEW:
        return None
    bags = expansions(known)
    return bags if len(bags) <= SMALL else None


def cost_sum(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of the sum of the costs that a body gives."""
    width, total = width_of(w, e.type), w.source.fresh("total")
    source, body = operands(e)
    known = w.known(body)
    if most_active(w, source) == 1 and known is not UNKNOWN:
        none = (0,) * width, ()
        nothing, only = w.constant(none, e.type), w.constant(cost_add(none, known), e.type)
        loop = looped(w, e, s, lambda *_: f"{total} = {only};")
        return f"({{ W {total} = {nothing}; {loop} {total}; }})"
    loop = counted(
        w,
        e,
        s,
        lambda _, inner: f"cost_grow(g, {total}, WILDS, {pointer_to(w, operands(e)[1], inner)}, {width}, {e.site});",
    )
    return w.arena(
        f"({{ W *const {total} = a_cost_open(g, {width}, WILDS); {loop} cost_settled(g, {total}, {width}); }})"
    )


SUMS.update(bag=bag_sum, cost=cost_sum)
