"""Hoist loop-invariant expressions out of guards; cells and bit sets as C.

Enters: expressions of a decision. Leaves: declarations of C variables, and the guards rewritten to read them: in an
expression such a variable is a local whose slot no procedure has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulelang.ir.nodes import Decision, Expr
from rulelang.ir.rewrite import fresh_slots, mapped
from rulelang.ir.walk import local_reads, number, operands, outermost, subexpressions
from rulelang.mir.bits import ROWS, bits_type, is_small, word_of
from rulelang.mir.early import is_early
from rulelang.mir.fields import Field, bitboard_of
from rulelang.native.bags import width_of
from rulelang.native.constant_sets import equal_constant
from rulelang.native.expressions import Environment, Writer, c_type, loops, wrapped, writes
from rulelang.native.grids import row_mask
from rulelang.native.inlining import inlined_call
from rulelang.native.packed_counts import counted_mask
from rulelang.native.pieces import column
from rulelang.native.purses import stockable, stocked
from rulelang.native.sets import looped
from rulelang.native.text import Element, literal, numeral
from rulelang.runtime.constants import UNKNOWN, WORD
from rulelang.vocabulary.operations import BINDING, EXPRESSIONS, reading
from rulelang.vocabulary.types import BITS, BOOL, INT, Type

OF_DECISION = reading("decision")
PAID = frozenset(("payments", "can_pay"))
"""Operations with a price and purses."""


def hoisted(
    w: Writer, guards: Sequence[Expr], slots: set[int], env: Environment
) -> tuple[str, list[Expr], Environment]:
    """Hoist what does not depend on the slots of a loop; return the declarations, the guards, and their environment."""
    lines: list[str] = []
    place = env

    def hoisted_name(text: str, type_: Type, site: int) -> Expr:
        nonlocal place
        name, slot = w.source.fresh("known"), next(fresh_slots)
        lines.append(f"const {c_type(type_)} {name} = {text};")
        place = place.bind(slot, name)
        return Expr("local", type_, (slot,), site)

    def rewritten(expr: Expr) -> Expr:
        if w.known(expr) is not UNKNOWN or expr.op in OF_DECISION:
            return expr
        if _is_invariant(w, expr, slots) and any(part.op in BINDING for part in subexpressions(expr)):
            return hoisted_name(w.text(expr, place), expr.type, expr.site)
        if expr.op == "member":
            value, among = operands(expr)
            if w.known(among) is UNKNOWN and _is_invariant(w, among, slots) and is_small(w.layout, among.type.inner):
                word = bits_type(w.layout, among.type.inner)
                mask = hoisted_name(mask_of(w, among, place), word, expr.site)
                return Expr("in_mask", BOOL, (rewritten(value), mask), expr.site)
        if expr.op in BINDING or expr.op == "possible":  # what is bound, or read in another state, stays
            rest = operands(expr)[expr.op == "possible" :][: 1 if expr.op in BINDING else None]
            return mapped(expr, lambda part: rewritten(part) if any(part is x for x in rest) else part)
        return mapped(expr, rewritten)

    invariant = [rewritten(guard) for guard in guards]
    return " ".join(lines), invariant, place


def _is_invariant(w: Writer, expr: Expr, slots: set[int]) -> bool:
    """Return whether the expression may be read before a loop over the slots."""
    return not local_reads(expr) & slots and is_early(w.program, expr)


def mask_of(w: Writer, expr: Expr, env: Environment) -> str:
    """Return the text of the bit set of a set of small values."""
    board, is_wide = bitboard_of(w.layout, word_of(w.layout, expr)), bits_type(w.layout, expr.type.inner) == BITS
    if board is not None and board[0] in w.blocks.bitboards:
        field, value = board
        return bitboard_text(w, field, w.text(value, env))
    at_once = None if is_wide else counted_mask(w, expr, env)
    if at_once is not None:
        return at_once
    if expr.op in ROWS:
        return row_mask(w, expr, env)
    if expr.op == "if":  # one of several sets, mostly constant ones
        condition, *sets = operands(expr)
        then, otherwise = (w.text(word_of(w.layout, part), env) for part in sets)
        return f"({w.text(condition, env)} ? {then} : {otherwise})"
    if (inlined := inlined_call(w, expr, env, ("if",))) is not None:
        before, value, place = inlined
        return wrapped(before, mask_of(w, value, place))
    mask = w.source.fresh("mask")

    guard = "" if is_small(w.layout, expr.type.inner) else f"if ((U)({{x}}) < {WORD}) "  # of numbers some have no bit

    def word(x: str) -> str:
        return guard.format(x=x) + (f"WORD_OF({mask}, {x})" if is_wide else mask)

    if expr.op == "filter" and equal_constant(w, expr, env) is None:
        source, condition = operands(expr)

        def use(x: str, inner: Environment) -> str:
            return w.freed(lambda: f"{word(x)} |= (U)(({w.text(condition, inner)}) != 0) << ({x} & {WORD - 1});")

        # Of a small domain all are gone through as those of a binder are: without fuel.
        each = w.each(source, env, lambda x: use(x, env.bind(number(expr), x)))
        loop = each if source.op == "domain" else looped(w, expr, env, use)
    elif expr.op == "flatten" and operands(expr)[1].op == "elements":  # a union of words
        source, bits = operands(expr)
        inner = operands(bits)[0]
        loop = w.each(source, env, lambda x: f"{mask} |= {w.text(inner, env.bind(number(expr), x))};")
    else:
        loop = w.each(expr, env, lambda x: f"{word(x)} |= (U)1 << ({x} & {WORD - 1});")
    return f"({{ Bits {mask} = {{0}}; {loop} {mask}; }})" if is_wide else f"({{ U {mask} = 0; {loop} (W){mask}; }})"


def bitboard_text(w: Writer, field: Field, value: str) -> str:
    """Return the text of the bitboard of a value of a field."""
    boards = w.blocks.bitboards[field]
    first, width = boards.origin, boards.width
    read, none = ("*(const Bits *)&", w.constant(0, BITS)) if width > 1 else ("(W)", numeral(0))
    if (known := literal(value)) is not None:
        return f"({read}g->s.boards[{first + width * known}])" if known in boards.values else none
    before, x = w.temporary(value)
    place = f"(U)({x} - {w.constant(boards.values.start, INT)})"
    board = f"{read}g->s.boards[{first} + {width} * {x}]"
    return wrapped(before, f"({place} < {len(boards.values)} ? {board} : {none})")


@writes("mask")
def _mask(w: Writer, e: Expr, s: Environment) -> str:
    return mask_of(w, operands(e)[0], s)


@loops("elements")
def _each_element(w: Writer, e: Expr, s: Environment, body: Callable[[str], str]) -> str:
    left, x = w.source.fresh("left"), w.source.fresh("x", Element)
    (text,) = w.texts(e, s)
    if operands(e)[0].type == BITS:
        i, bits = w.source.fresh("i"), w.source.fresh("bits")
        loop = f"for (U {left} = *(WORDS_OF({bits}) + {i}); {left}; {left} &= {left} - 1)"
        loop += f" {{ const W {x} = {WORD} * {i} + __builtin_ctzll({left}); {body(x)} }}"
        return f"{{ const Bits {bits} = {text}; for (W {i} = 0; {i} < BIT_WORDS; {i}++) {loop} }}"
    loop = f"for (U {left} = {text}; {left}; {left} &= {left} - 1)"
    return f"{loop} {{ const W {x} = __builtin_ctzll({left}); {body(x)} }}"


@writes("elements")
def _elements(w: Writer, e: Expr, s: Environment) -> str:
    list_ = w.source.fresh("found")
    loop = w.each(e, s, lambda x: f"GROW({list_}, {x});")
    return w.arena(f"({{ W *const {list_} = a_open(g); {loop} a_close(g, {list_}); }})")


@writes("pick")
def _pick(w: Writer, e: Expr, s: Environment) -> str:
    return column(w, e.args[1:], e.type, _place(w, operands(e)[0], s))


def _place(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of a place in a table: a sum of products that is never large."""
    if EXPRESSIONS[e.op].failures == {"overflow"} and EXPRESSIONS[e.op].is_pair and w.known(e) is UNKNOWN:
        left, right = (_place(w, part, s) for part in operands(e))
        return f"({left} {EXPRESSIONS[e.op].traits['written']} {right})"
    return w.text(e, s)


@writes("in_mask")
def _in_mask(w: Writer, e: Expr, s: Environment) -> str:
    """Print the test of a bit of a set of few values."""
    value, mask = w.texts(e, s)
    before, x = w.temporary(value)
    if operands(e)[1].type == BITS:
        also, bits = w.temporary(mask, "bits", BITS)
        has = "HAS_ELEMENT" if isinstance(x, Element) else "HAS_BIT"
        return wrapped(before + also, f"{has}({bits}, {x})")
    if isinstance(x, Element) and is_small(w.layout, operands(e)[0].type):
        return f"((U){mask} >> {x} & 1)"
    text = f"((U){x} < {WORD} && ((U){mask} >> {x} & 1))"
    return wrapped(before, text)


# ---- cells of a decision -------------------------------------------------------------------------------


def declare_cells(w: Writer, node: Decision, env: Environment) -> None:
    """Emit the declarations of a decision's cells; those that may be evaluated early are evaluated there. Purses that
    payments are counted from have a second name: what they hold together."""
    exprs = [*outermost(node.items)]
    parts = [part for outer in exprs for part in subexpressions(outer)]
    paid = {number(operands(part)[1]): part for part in parts if part.op in PAID and operands(part)[1].op == "cell"}
    line, fresh = w.source.line, w.source.fresh
    for place, value in {number(part): operands(part)[0] for part in parts if part.op == "cell"}.items():
        name, held = fresh("cell"), ""
        if place in paid and stockable(w, value):
            held = fresh("held")
            line(f"W {name}; const W *{held};")
            width = width_of(w, operands(paid[place])[0].type)
            line(stocked(w, value, env, width, (name, held), _only_pays(w, parts, place)))
        else:
            early = is_early(w.program, value)
            text = f"const {c_type(value.type)} {name} = {w.text(value, env)};" if early else f"W {name} = INT64_MIN;"
            line(text)
        w.cells[place] = name, held


def _only_pays(w: Writer, parts: Sequence[Expr], place: int) -> bool:
    """Return whether the purses in a cell are read by `can_pay` and fused payments alone."""
    users = [part for part in parts if any(x.op == "cell" and number(x) == place for x in operands(part))]
    return all(part.op == "can_pay" or id(part) in w.fused for part in users)


@writes("cell")
def _cell(w: Writer, e: Expr, s: Environment) -> str:
    name, _ = w.cells[number(e)]
    (value,) = operands(e)
    return name if is_early(w.program, value) else f"({name} != INT64_MIN ? {name} : ({name} = {w.text(value, s)}))"


@writes("offered")
def _offered(w: Writer, e: Expr, s: Environment) -> str:
    return w.offered[number(e)]
