"""Operators: arithmetic, comparisons, logic, conditionals."""

from __future__ import annotations

from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.analysis.nonempty import refuted
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, negated
from rulelang.semantics.tree.shared import const, element_type, in_parentheses, number, source_text
from rulelang.semantics.typing.bags import bag_arithmetic
from rulelang.semantics.typing.calls import after
from rulelang.semantics.typing.context import HOW_MANY, Context, expression, literal
from rulelang.semantics.typing.orders import compared
from rulelang.semantics.typing.paths import those_with
from rulelang.syntax import ast
from rulelang.vocabulary.operations import EXPRESSIONS, WRITTEN

CAN_PAY = "whether one bag is in another is written `can pay … from …`"
SHOWN = 60
"""So many signs of a condition are shown in a hint."""


def _clip(value: int) -> int:
    return max(ty.INT_MIN, min(ty.INT_MAX, value))


def _arithmetic_range(op: str, a: ty.NumberT, b: ty.NumberT) -> ty.NumberT:
    """Return the numbers that can come out (interval arithmetic, cut to 64 bits)."""
    if op == "+":
        return ty.NumberT(_clip(a.low + b.low), _clip(a.high + b.high))
    if op == "-":
        return ty.NumberT(_clip(a.low - b.high), _clip(a.high - b.low))
    if op == "*":
        products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return ty.NumberT(_clip(min(products)), _clip(max(products)))
    if op == "mod" and b.low > 0:
        return ty.NumberT(0, b.high - 1)
    if op == "div" and b.low > 0:
        quotients = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
        return ty.NumberT(min(quotients), max(quotients))
    return ty.NUMBER


def _pair(c: Context, left: ast.Expr, right: ast.Expr, alike: bool = False) -> tuple[CExpr, CExpr]:
    """Check two operands in order; `alike`: the type of the first is expected of the second."""
    values = [c.expr(left)]
    if alike and isinstance(values[0].type, ty.ErrorT) and isinstance(right, ast.NameExpr):
        # A word of a type that is not known would be a second error for one mistake.
        return values[0], const(0, ty.ERROR, right.span)
    with after(c, values):
        values.append(c.expr(right, values[0].type if alike else None))
    return values[0], values[1]


@expression(ast.Arithmetic)
def _arithmetic(c: Context, node: ast.Arithmetic) -> CExpr:
    """Return an operation on numbers with the range of its result, or one on bags, costs or sets."""
    left, right = _pair(c, node.left, node.right)
    a, b = left.type, right.type
    if isinstance(a, ty.ErrorT) or isinstance(b, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    if isinstance(a, ty.NumberT) and isinstance(b, ty.NumberT):
        if "zero" in EXPRESSIONS[WRITTEN[node.op]].failures and b.low == b.high == 0:
            return c.error("range-zero", f"`{node.op}` by zero", node.right.span)
        return CExpr(WRITTEN[node.op], _arithmetic_range(node.op, a, b), (left, right), node.span)
    for times, scaled in ((left, right), (right, left)):
        if node.op == "*" and isinstance(scaled.type, ty.BagT | ty.CostT) and isinstance(times.type, ty.NumberT):
            op = "bag_scale" if isinstance(scaled.type, ty.BagT) else "cost_scale"
            return CExpr(op, scaled.type, (times, scaled), node.span)
    if node.op in "+-":
        result = bag_arithmetic(c, node, left, right) or _set_arithmetic(c, node, left, right)
        if result is not None:
            return result
    for side in (left, right):
        if isinstance(side.type, ty.OptionalT):
            return c.error("value-absent", "this may be absent", side.span, "give a value with `… otherwise …`")
    hint = _stepped(node, a, b)
    return c.error("type-mismatch", f"`{node.op}` can't be used with a {a} and a {b}", node.span, hint)


def _stepped(node: ast.Arithmetic, a: ty.Type, b: ty.Type) -> str:
    """Return a hint at what was probably meant by a sum of what are no numbers."""
    left, right = source_text(node.left.span), source_text(node.right.span)
    match a, b:
        case ty.CellT(), ty.DirectionT():
            return f"the next cell there is `toward({left}, {right})`, absent beyond the edge"
        case ty.CellT(grid=grid), ty.NumberT():
            row = f"{left}.row {node.op} {right}"
            return f"a cell is reached by numbers with `cell_at({grid}, {left}.column, {row})`, absent outside"
        case ty.PlayerT(), ty.NumberT():
            near = "next" if node.op == "+" else "previous"
            return f"the neighbour is `{left}.{near}`, the player with a number `seat(…)`, the number `{left}.seat`"
        case (ty.ZoneT() | ty.SetT() | ty.BagT(), ty.NumberT()) | (ty.NumberT(), ty.ZoneT() | ty.SetT() | ty.BagT()):
            return HOW_MANY
        case (ty.ZoneT() | ty.SetT(), ty.PieceT()):
            return f"a collection is joined by another: `{left} {node.op} [{right}]`; pieces are moved by `move`"
        case (ty.BoolT(), _) | (_, ty.BoolT()):
            truth = left if isinstance(a, ty.BoolT) else right
            return f"a truth counts by `1 if {truth} else 0`"
    return ""


def _set_arithmetic(c: Context, node: ast.Arithmetic, left: CExpr, right: CExpr) -> CExpr | None:
    """Return the union or difference of two collections; None if the operands are no collections."""
    sets = (ty.SetT, ty.ZoneT, ty.GroupT, ty.EmptyT)
    if not (isinstance(left.type, sets) and isinstance(right.type, sets)):
        return None
    if isinstance(left.type, ty.EmptyT) and not isinstance(right.type, ty.EmptyT):
        b = c.as_set(right)
        a = c.fit(left, ty.SetT(element_type(b)), "this")
    else:
        a = c.as_set(left)
        b = c.fit(right, ty.SetT(element_type(a)), "this") if isinstance(right.type, ty.EmptyT) else c.as_set(right)
    if isinstance(a.type, ty.ErrorT) or isinstance(b.type, ty.ErrorT):
        return const(0, ty.ERROR, node.span)
    joined = ty.join(a.type, b.type)
    if not isinstance(joined, ty.SetT):
        return c.error("type-mismatch", f"a {left.type} and a {right.type} hold different things", node.span)
    if node.op == "+":
        return set_of(c.shared, "union", joined.element, (a, b), node.span)
    return CExpr("difference", ty.SetT(joined.element), (a, b), node.span)


@expression(ast.Negative)
def _negative(c: Context, node: ast.Negative) -> CExpr:
    """Check unary minus; a negated constant stays a constant."""
    value = c.value(node.operand, ty.NUMBER, "what follows `-`")
    if not isinstance(value.type, ty.NumberT):
        return value
    if value.op == "const":
        return number(-int(str(value.args[0])), node.span)
    return CExpr("neg", ty.NumberT(_clip(-value.type.high), _clip(-value.type.low)), (value,), node.span)


@expression(ast.Compare)
def _compare(c: Context, node: ast.Compare) -> CExpr:
    """Return a comparison: of numbers, or with `=` and `!=` of any two values of a common type."""
    left, right = _pair(c, node.left, node.right, alike=True)
    a, b = left.type, right.type
    if isinstance(a, ty.ErrorT) or isinstance(b, ty.ErrorT):
        return const(0, ty.BOOL, node.span)
    if node.op in ("=", "!="):
        return _equality(c, node, left, right)
    for side in (left, right):
        if isinstance(side.type, ty.OptionalT):
            return c.error("value-absent", "this may be absent", side.span, c.when_absent(side))
    if isinstance(a, ty.NumberT) and isinstance(b, ty.NumberT):
        return CExpr(WRITTEN[node.op], ty.BOOL, (left, right), node.span)
    ordered = compared(c, node, left, right)
    if ordered is not None:
        return ordered
    many = isinstance(a, ty.ZoneT | ty.SetT | ty.BagT) or isinstance(b, ty.ZoneT | ty.SetT | ty.BagT)
    message = f"`{node.op}` compares numbers, not a {a} and a {b}"
    goods = next((v for v in (left, right) if isinstance(v.type, ty.EnumT)), left)
    bag = next((v.name for v in c.checked.variables if v.type == ty.BagT(str(goods.type))), "")
    if bag and isinstance(goods.type, ty.EnumT):
        return c.error(
            "type-mismatch", message, node.span, f"how many a bag holds is `{bag}.{source_text(goods.span)}`"
        )
    hint = CAN_PAY if isinstance(b, ty.BagT) else _of_each(node, left, right) or (HOW_MANY if many else "")
    return c.error("type-mismatch", message, node.span, hint)


def _of_each(node: ast.Compare, left: CExpr, right: CExpr) -> str:
    """Return a hint for the attribute of each of several that is compared with one value; empty for all else."""
    for side, value, other in ((node.left, left, right), (node.right, right, left)):
        if isinstance(side, ast.Attribute) and value.op == "map" and not isinstance(other.type, ty.SetT | ty.ZoneT):
            of, name = source_text(side.object.span), side.name.text
            grouped = f" or let `{of}` be a `group of … by {name}`" if value.args[1].op == "local" else ""
            same = f"`(top of {of}).{name}`{grouped}"
            those = f"{name} {node.op} {source_text((node.right if side is node.left else node.left).span)}"
            told = f"`{of}.{name}` is of each: `{of} where it.{those}` are those, "
            total = f", `sum({of}.{name})` their sum" if isinstance(other.type, ty.NumberT) else ""
            return (
                told
                + f"`any(x.{those} for x in {of})` whether there is one{total}; where all have the same, write {same}"
            )
    return ""


def _equality(c: Context, node: ast.Compare, left: CExpr, right: CExpr) -> CExpr:
    """Check `=` and `!=`: both sides must have a type in common."""
    a, b = left.type, right.type
    if isinstance(node.left, ast.NoneExpr) or isinstance(node.right, ast.NoneExpr):
        hint = "write `is none`" if node.op == "=" else "write `is not none`"
        return c.error("type-unclear", "`none` is no value to compare with", node.span, hint)
    joined = ty.join(a, b)
    if joined is None:
        several = isinstance(a, ty.SetT) != isinstance(b, ty.SetT)
        hint = "`in` asks whether one is among several; `choose one of` and `top of` give a single one"
        if any(isinstance(t, ty.NumberT) for t in (a, b)) and any(
            isinstance(t, ty.ZoneT | ty.SetT | ty.BagT) for t in (a, b)
        ):
            hint, several = HOW_MANY, True
        meant = those_with(c, left, b, source_text(right.span)) or those_with(c, right, a, source_text(left.span))
        if of_each := _of_each(node, left, right) or meant:
            hint, several = of_each, True
        return c.error("type-mismatch", f"a {a} is never equal to a {b}", node.span, hint if several else "")
    if isinstance(joined, ty.EmptyT):
        return c.unclear("`[]`", node.span)
    inner = ty.bare(joined)
    single = ty.is_scalar(joined) and not isinstance(inner, ty.ZoneT)
    if not single:
        left, right = c.fit(left, joined, "this"), c.fit(right, joined, "this")
        if isinstance(inner, ty.ZoneT):
            left, right = c.as_set(left), c.as_set(right)
    elif isinstance(left.type, ty.NoneT):
        left = c.fit(left, joined, "this")
    if single and not (isinstance(inner, ty.PieceT) and not c.shared.kind(inner.kind).identity):
        return CExpr(WRITTEN[node.op], ty.BOOL, (left, right), node.span)
    equal = CExpr("same", ty.BOOL, (left, right), node.span)
    return equal if node.op == "=" else negated(equal)


@expression(ast.Logic)
def _logic(c: Context, node: ast.Logic) -> CExpr:
    """Return `and` or `or` of conditions (the left one holds, or fails, in the right one), or `or` of costs."""
    for side in (node.left, node.right):
        if node.op == "or" and isinstance(side, ast.Logic) and side.op == "and" and not in_parentheses(side.span):
            message = "`and` beside `or` without parentheses: `and` is read first"
            text = source_text(side.span)
            text = text if len(text) <= SHOWN else text[: SHOWN - 2] + " …"
            hint = f"write `({text})` if that is meant, else put the `or` into parentheses"
            c.warn("condition-mixed", message, node.span, hint)
            break
    left = c.expr(node.left, ty.BOOL)
    if node.op == "or" and isinstance(left.type, ty.BagT | ty.CostT):
        cost = ty.CostT(left.type.resource)
        right = c.value(node.right, cost, "what may be paid instead")
        return CExpr("cost_either", cost, (c.fit(left, cost, "a cost"), right), node.span)
    if isinstance(left.type, ty.BagT | ty.CostT) and isinstance(node.right, ast.Amount):
        return c.error("type-mismatch", "amounts are joined with `+`, not with `and`", node.span, "write `+`")
    left = c.fit(left, ty.BOOL, f"what stands before `{node.op}`")
    with c.pure(), c.holding(*([left] if node.op == "and" else refuted(left))):
        right = c.condition(node.right, f"what stands after `{node.op}`")
    return CExpr(node.op, ty.BOOL, (left, right), node.span)


@expression(ast.Not)
def _negation(c: Context, node: ast.Not) -> CExpr:
    return CExpr("not", ty.BOOL, (c.condition(node.operand, "what follows `not`"),), node.span)


@literal(ast.Conditional)
def _conditional(c: Context, node: ast.Conditional, expect: ty.Type | None) -> CExpr:
    """Check `A if C else B`: each branch where its condition is known to hold or not; their types are joined."""
    condition = c.condition(node.condition)
    with c.pure(), c.holding(condition):
        then = c.expr(node.then, expect)
    with c.pure(), c.holding(*refuted(condition)):
        otherwise = c.expr(node.otherwise, expect or then.type)
    joined = ty.join(then.type, otherwise.type)
    if joined is None:
        message = f"one branch is a {then.type}, the other a {otherwise.type}"
        is_absent = ty.bare(then.type) == ty.bare(otherwise.type) and isinstance(ty.bare(then.type), ty.ZoneT)
        hint = "a zone is always there: put the whole line under `if …:`" if is_absent else ""
        return c.error("type-mismatch", message, node.span, hint)
    if isinstance(ty.bare(joined), ty.NoneT | ty.EmptyT):
        return c.unclear("this", node.span)
    branches = (c.fit(then, joined, "this branch"), c.fit(otherwise, joined, "this branch"))
    return CExpr("if", joined, (condition, *branches), node.span)


@expression(ast.Otherwise)
def _otherwise(c: Context, node: ast.Otherwise) -> CExpr:
    """Return an optional value with a default for its absence; warn where it is never absent."""
    value = c.maybe(node.value)
    with c.pure():
        default = c.expr(node.default, ty.bare(value.type))
    if isinstance(value.type, ty.ErrorT):
        return default
    if isinstance(value.type, ty.NoneT):
        return c.unclear("`none`", node.value.span)
    if isinstance(default.type, ty.ErrorT):
        return default
    if not isinstance(value.type, ty.OptionalT):
        c.warn("value-present", f"this {value.type} is never absent, so `otherwise` has no effect", node.span)
        return value
    joined = ty.join(value.type.inner, default.type)
    if joined is None:
        message = f"`otherwise` gives a {default.type}, not a {value.type.inner}"
        return c.error("type-mismatch", message, node.default.span)
    return CExpr("otherwise", joined, (value, default), node.span)
