"""Expressions: operators, collections, bags and costs, lookups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.base import HOW_MANY, const, in_parentheses, number, source_text
from rulelang.semantics.builtins import Builtins
from rulelang.semantics.core import CExpr
from rulelang.semantics.places import OTHER_WORDS, Place
from rulelang.semantics.symbols import ClassSym, TypeSym, ValueSym, VariableSym, ZoneSym
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    INT_MAX,
    INT_MIN,
    NONE,
    NUMBER,
    BagT,
    CellT,
    CostT,
    EmptyT,
    EnumT,
    ErrorT,
    GroupT,
    NoneT,
    NumberT,
    OptionalT,
    PieceT,
    PurseT,
    SetT,
    Type,
    ZoneT,
    bare,
    is_scalar,
    join,
    optional,
)
from rulelang.syntax import ast

OPERATORS = {"+": "add", "-": "sub", "*": "mul", "div": "div", "mod": "mod"}
COMPARISONS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

NO_UNIT = (
    "before a resource stands how many (`2 gold`); other things have no unit: `coins += 2`, `count(hand) >= 3`, "
    "`draw 4 from deck to hand`, `move (choose 1 of hand) to …`"
)
SHOWN = 60
"""So many signs of a condition are shown in a hint."""
NEVER_ABSENT = "take the test away; a type that ends in `?` may be absent"


def _clip(value: int) -> int:
    return max(INT_MIN, min(INT_MAX, value))


def arithmetic_range(op: str, a: NumberT, b: NumberT) -> NumberT:
    """The numbers that can come out (interval arithmetic, cut to 64 bits)."""
    if op == "+":
        return NumberT(_clip(a.low + b.low), _clip(a.high + b.high))
    if op == "-":
        return NumberT(_clip(a.low - b.high), _clip(a.high - b.low))
    if op == "*":
        products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return NumberT(_clip(min(products)), _clip(max(products)))
    if op == "mod" and b.low > 0:
        return NumberT(0, b.high - 1)
    if op == "div" and b.low > 0:
        quotients = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
        return NumberT(min(quotients), max(quotients))
    return NUMBER


class Expressions(Builtins):
    """Types every expression that does not wait."""

    def expr(self, node: ast.Expr, expect: Type | None = None) -> CExpr:
        match node:
            case ast.NameExpr(name=name) if (value := self.value_of(name, expect, node.span)) is not None:
                return value
            case ast.NameExpr() | ast.Attribute() | ast.Index():
                return self.finish(self.path(node))
            case ast.Number(value=value):
                return number(value, node.span)
            case ast.Truth(value=value):
                return const(int(value), BOOL, node.span)
            case ast.NoneExpr():
                known = expect is not None and is_scalar(expect) and not isinstance(bare(expect), NoneT | ErrorT)
                return CExpr("const", optional(expect) if expect is not None and known else NONE, (-1,), node.span)
            case ast.SetLiteral():
                return self.set_literal(node, expect)
            case ast.Conditional():
                return self.conditional(node, expect)
        checker = self.TABLE.get(type(node))
        if checker is None:
            return self.waiting(node)
        return checker(self, node)

    def value_of(self, name: str, expect: Type | None, span: Span) -> CExpr | None:
        """A word that several options share, or a cell's name on several grids, where one of them is expected."""
        t = bare(expect) if expect is not None else None
        if not isinstance(t, EnumT | CellT) or not isinstance(self.names.get(name), ValueSym):
            return None
        sym = self.shared.type_sym(t.name if isinstance(t, EnumT) else t.grid) or self.option_type(t)
        return const(sym.values.index(name), t, span) if sym is not None and name in sym.values else None

    def option_type(self, t: Type) -> TypeSym | None:
        """The words of an option, whose name is not that of a type."""
        return next((s for s in self.checked.types if s.category == "option" and s.type == t), None)

    def waiting(self, node: ast.Expr) -> CExpr:
        """An expression that waits (a choice, chance)."""
        raise NotImplementedError

    def pair(self, left: ast.Expr, right: ast.Expr, alike: bool = False) -> tuple[CExpr, CExpr]:
        """Two operands, read in order; `alike`: the type of the first is expected of the second."""
        values = [self.expr(left)]
        if alike and isinstance(values[0].type, ErrorT) and isinstance(right, ast.NameExpr):
            # A word of a type that is not known would be a second error for one mistake.
            return values[0], CExpr("const", ERROR, (0,), right.span)
        with self.after(values):
            values.append(self.expr(right, values[0].type if alike else None))
        return values[0], values[1]

    # ---- numbers and truth

    def arithmetic(self, node: ast.Arithmetic) -> CExpr:
        left, right = self.pair(node.left, node.right)
        a, b = left.type, right.type
        if isinstance(a, ErrorT) or isinstance(b, ErrorT):
            return CExpr("const", ERROR, (0,), node.span)
        if isinstance(a, NumberT) and isinstance(b, NumberT):
            if node.op in ("div", "mod") and b.low <= 0 <= b.high:
                zero = b.low == b.high == 0
                if zero:
                    return self.error("range-zero", f"`{node.op}` by zero", node.right.span)
            return CExpr(OPERATORS[node.op], arithmetic_range(node.op, a, b), (left, right), node.span)
        if node.op == "*" and isinstance(b, BagT | CostT) and isinstance(a, NumberT):
            return CExpr("bag_scale" if isinstance(b, BagT) else "cost_scale", b, (left, right), node.span)
        if node.op == "*" and isinstance(a, BagT | CostT) and isinstance(b, NumberT):
            return CExpr("bag_scale" if isinstance(a, BagT) else "cost_scale", a, (right, left), node.span)
        if node.op in "+-":
            found = self.bag_arithmetic(node, left, right) or self.set_arithmetic(node, left, right)
            if found is not None:
                return found
        for side in (left, right):
            if isinstance(side.type, OptionalT):
                return self.error("value-absent", "this may be absent", side.span, "give a value with `… otherwise …`")
        return self.error("type-mismatch", f"`{node.op}` can't be used with a {a} and a {b}", node.span)

    def bag_arithmetic(self, node: ast.Arithmetic, left: CExpr, right: CExpr) -> CExpr | None:
        a, b = left.type, right.type
        if not (isinstance(a, BagT | CostT) and isinstance(b, BagT | CostT)):
            return None
        if a.resource != b.resource:
            return self.error("type-mismatch", f"a {a} and a {b} are different resources", node.span)
        if isinstance(a, BagT) and isinstance(b, BagT):
            return CExpr("bag_add" if node.op == "+" else "bag_sub", a, (left, right), node.span)
        cost = CostT(a.resource)
        if node.op == "+":
            return CExpr("cost_add", cost, (self.fit(left, cost, "this"), self.fit(right, cost, "this")), node.span)
        if isinstance(b, CostT):
            return self.error("type-mismatch", "a cost with free parts can't be subtracted", right.span)
        return CExpr("cost_sub", cost, (left, right), node.span)

    def set_arithmetic(self, node: ast.Arithmetic, left: CExpr, right: CExpr) -> CExpr | None:
        sets = (SetT, ZoneT, GroupT, EmptyT)
        if not (isinstance(left.type, sets) and isinstance(right.type, sets)):
            return None
        if isinstance(left.type, EmptyT) and not isinstance(right.type, EmptyT):
            b = self.as_set(right)
            a = CExpr("list", b.type, (), left.span)
        else:
            a = self.as_set(left)
            b = self.as_set(right) if not isinstance(right.type, EmptyT) else CExpr("list", a.type, (), right.span)
        if isinstance(a.type, ErrorT) or isinstance(b.type, ErrorT):
            return CExpr("const", ERROR, (0,), node.span)
        joined = join(a.type, b.type)
        if not isinstance(joined, SetT):
            return self.error("type-mismatch", f"a {left.type} and a {right.type} hold different things", node.span)
        least = 0
        if isinstance(a.type, SetT) and isinstance(b.type, SetT) and node.op == "+":
            least = a.type.least + b.type.least
        return CExpr("union" if node.op == "+" else "difference", SetT(joined.element, least), (a, b), node.span)

    def negative(self, node: ast.Negative) -> CExpr:
        value = self.value(node.operand, NUMBER, "what follows `-`")
        if isinstance(value.type, NumberT):
            if value.op == "const":
                return number(-int(str(value.args[0])), node.span)
            return CExpr("neg", NumberT(_clip(-value.type.high), _clip(-value.type.low)), (value,), node.span)
        return value

    def compare(self, node: ast.Compare) -> CExpr:
        left, right = self.pair(node.left, node.right, alike=True)
        a, b = left.type, right.type
        if isinstance(a, ErrorT) or isinstance(b, ErrorT):
            return CExpr("const", BOOL, (0,), node.span)
        if node.op in ("=", "!="):
            return self.equality(node, left, right)
        for side in (left, right):
            if isinstance(side.type, OptionalT):
                return self.error("value-absent", "this may be absent", side.span, self.when_absent(side))
        if isinstance(a, NumberT) and isinstance(b, NumberT):
            return CExpr(COMPARISONS[node.op], BOOL, (left, right), node.span)
        many = isinstance(a, ZoneT | SetT | BagT) or isinstance(b, ZoneT | SetT | BagT)
        message = f"`{node.op}` compares numbers, not a {a} and a {b}"
        return self.error("type-mismatch", message, node.span, HOW_MANY if many else "")

    def equality(self, node: ast.Compare, left: CExpr, right: CExpr) -> CExpr:
        a, b = left.type, right.type
        for literal, other in ((node.left, right), (node.right, left)):
            if isinstance(literal, ast.NoneExpr) and isinstance(other.type, NoneT):
                return self.unclear("`none`", node.span)
            if isinstance(literal, ast.NoneExpr) and not isinstance(other.type, OptionalT):
                return self.error("value-present", f"this {other.type} is never absent", other.span, NEVER_ABSENT)
        joined = join(a, b)
        if joined is None:
            several = isinstance(a, SetT) != isinstance(b, SetT)
            hint = "`in` asks whether one is among several; `choose one of` and `top of` give a single one"
            if any(isinstance(t, NumberT) for t in (a, b)) and any(isinstance(t, ZoneT | SetT | BagT) for t in (a, b)):
                hint, several = HOW_MANY, True
            return self.error("type-mismatch", f"a {a} is never equal to a {b}", node.span, hint if several else "")
        if isinstance(joined, EmptyT):
            return self.unclear("`[]`", node.span)
        inner = bare(joined)
        if isinstance(inner, PieceT) and not self.shared.kind(inner.kind).identity:
            op = "same"
        elif is_scalar(joined) and not isinstance(inner, ZoneT):
            op = "eq"
        else:
            op = "same"
            left, right = self.fit(left, joined, "this"), self.fit(right, joined, "this")
            if isinstance(inner, ZoneT):
                left, right = self.as_set(left), self.as_set(right)
        if isinstance(left.type, NoneT):
            left = self.fit(left, joined, "this")
        if op == "eq":
            return CExpr(COMPARISONS[node.op], BOOL, (left, right), node.span)
        equal = CExpr("same", BOOL, (left, right), node.span)
        return equal if node.op == "=" else CExpr("not", BOOL, (equal,), node.span)

    def logic(self, node: ast.Logic) -> CExpr:
        for side in (node.left, node.right):
            if node.op == "or" and isinstance(side, ast.Logic) and side.op == "and" and not in_parentheses(side.span):
                message = "`and` beside `or` without parentheses: `and` is read first"
                text = source_text(side.span)
                text = text if len(text) <= SHOWN else text[: SHOWN - 2] + " …"
                hint = f"write `({text})` if that is meant, else put the `or` into parentheses"
                self.warn("condition-mixed", message, node.span, hint)
                break
        left = self.condition(node.left, f"what stands before `{node.op}`")
        with self.pure():
            right = self.condition(node.right, f"what stands after `{node.op}`")
        return CExpr(node.op, BOOL, (left, right), node.span)

    def negation(self, node: ast.Not) -> CExpr:
        return CExpr("not", BOOL, (self.condition(node.operand, "what follows `not`"),), node.span)

    def conditional(self, node: ast.Conditional, expect: Type | None) -> CExpr:
        condition = self.condition(node.condition)
        with self.pure():
            then = self.expr(node.then, expect)
            otherwise = self.expr(node.otherwise, expect or then.type)
        joined = join(then.type, otherwise.type)
        if joined is None:
            return self.error("type-mismatch", f"one branch is a {then.type}, the other a {otherwise.type}", node.span)
        if isinstance(bare(joined), NoneT | EmptyT):
            return self.unclear("this", node.span)
        branches = (self.fit(then, joined, "this branch"), self.fit(otherwise, joined, "this branch"))
        return CExpr("if", joined, (condition, *branches), node.span)

    def otherwise(self, node: ast.Otherwise) -> CExpr:
        value = self.expr(node.value)
        with self.pure():
            default = self.expr(node.default, bare(value.type))
        if isinstance(value.type, ErrorT):
            return default
        if isinstance(value.type, NoneT):
            return self.unclear("`none`", node.value.span)
        if not isinstance(value.type, OptionalT):
            self.warn("value-present", f"this {value.type} is never absent, so `otherwise` has no effect", node.span)
            return value
        joined = join(value.type.inner, default.type)
        if joined is None:
            return self.error(
                "type-mismatch", f"`otherwise` gives a {default.type}, not a {value.type.inner}", node.default.span
            )
        return CExpr("otherwise", joined, (value, default), node.span)

    # ---- questions

    def member(self, node: ast.Member) -> CExpr:
        element = self.expr(node.element)
        found = self.path(node.collection)
        if (
            isinstance(found, Place)
            and isinstance(found.symbol, ZoneSym)
            and found.complete
            and isinstance(element.type, PieceT)
        ):
            zone = self.finish(found)
            result = CExpr("in_zone", BOOL, (element, zone), node.span)
        else:
            value = self.finish(found)
            if isinstance(value.type, BagT):
                res = self.resource(value.type)
                assert res is not None
                element = self.fit(element, res.type, "what stands before `in`")
                held = CExpr("bag_pick", NumberT(0), (value, element), node.span)
                result = CExpr("gt", BOOL, (held, number(0, node.span)), node.span)
            else:
                collection = self.as_set(value, "what stands after `in`")
                if not isinstance(collection.type, SetT):
                    return CExpr("const", ERROR, (0,), node.span)
                inside = collection.type.element
                never = isinstance(element.type, NoneT) and not isinstance(inside, OptionalT | ErrorT)
                if never or join(inside, element.type) is None:
                    return self.error("type-mismatch", f"a {element.type} is never in a {collection.type}", node.span)
                result = CExpr("member", BOOL, (element, collection), node.span)
        return CExpr("not", BOOL, (result,), node.span) if node.negated else result

    def has(self, node: ast.Has) -> CExpr:
        bag, part = self.expr(node.bag), self.expr(node.part)
        if (
            isinstance(bag.type, BagT)
            and isinstance(part.type, EnumT)
            and (res := self.resource(bag.type))
            and res.type == part.type
        ):
            part = CExpr("bag_one", bag.type, (len(res.values), part), part.span)
        if isinstance(bag.type, ErrorT) or isinstance(part.type, ErrorT):
            return CExpr("const", BOOL, (0,), node.span)
        if not isinstance(bag.type, BagT) or bag.type != part.type:
            message = f"`has` compares bags, not a {bag.type} and a {part.type}"
            return self.error(
                "type-mismatch", message, node.span, "of other collections write `x in …`, `count(…) >= 2`"
            )
        return CExpr("bag_has", BOOL, (bag, part), node.span)

    def is_(self, node: ast.Is) -> CExpr:
        if node.state == "definition":
            result = self.is_definition(node)
        elif node.state == "none":
            value = self.expr(node.operand)
            if not isinstance(value.type, OptionalT | ErrorT):
                return self.error("value-present", f"this {value.type} is never absent", node.span, NEVER_ABSENT)
            result = CExpr("is_none", BOOL, (value,), node.span)
        else:
            result = CExpr("eq", BOOL, (self.counted(node.operand), number(0, node.span)), node.span)
        return CExpr("not", BOOL, (result,), node.span) if node.negated else result

    def is_definition(self, node: ast.Is) -> CExpr:
        value = self.expr(node.operand)
        assert node.definition is not None
        if isinstance(value.type, ErrorT):
            return CExpr("const", BOOL, (0,), node.span)
        kind = bare(value.type)
        if not isinstance(kind, PieceT) or isinstance(value.type, OptionalT):
            word = OTHER_WORDS.get(node.definition.text, "")
            hint = f"write `is {word}`" if word == "none" else ""
            return self.error(
                "type-mismatch", f"`is {node.definition.text}` asks about a piece, not a {value.type}", node.span, hint
            )
        sym = self.shared.kind(kind.kind)
        found = sym.definition(node.definition.text)
        if found is None:
            hint = suggest(node.definition.text, [d.id for d in sym.definitions])
            return self.error(
                "name-unknown", f"no {kind} is called `{node.definition.text}`", node.definition.span, hint
            )
        return CExpr("is_def", BOOL, (value, found), node.span)

    def can_pay(self, node: ast.CanPay) -> CExpr:
        cost = self.expr(node.cost)
        purses = self.purses(node.purses)
        if not isinstance(purses.type, PurseT):
            return CExpr("const", BOOL, (0,), node.span)
        cost = self.fit(cost, CostT(purses.type.resource), "what is paid")
        return CExpr("can_pay", BOOL, (cost, purses), node.span)

    # ---- collections

    def set_literal(self, node: ast.SetLiteral, expect: Type | None) -> CExpr:
        if not node.elements:
            element = expect.element if isinstance(expect, SetT) else None
            return CExpr("list", SetT(element) if element else EmptyT(), (), node.span)
        wanted = expect.element if isinstance(expect, SetT) else None
        values: list[CExpr] = []
        for part in node.elements:
            with self.after(values):
                values.append(self.expr(part, wanted))
        joined: Type | None = values[0].type
        for value in values[1:]:
            joined = join(joined, value.type) if joined else None
        if isinstance(joined, NoneT):
            return self.unclear("`none`", node.span)
        if joined is None or not is_scalar(joined):
            return self.error("type-mismatch", "the elements of a collection are single values of one type", node.span)
        fitted = tuple(self.fit(value, joined, "this") for value in values)
        return CExpr("list", SetT(joined, len(values)), fitted, node.span)

    def over(self, op: str, collection: CExpr, key: ast.Expr, span: Span, result: Type) -> CExpr:
        """An operation that reads `key` with `it` for each element."""
        local = self.new_local("it", self.element_type(collection), span)
        with self.element(local):
            body = self.value(
                key, BOOL if op == "filter" else NUMBER, "the condition" if op == "filter" else "what is compared"
            )
        return CExpr(op, result, (local, collection, body), span)

    def where(self, node: ast.Where) -> CExpr:
        collection = self.collection(node.collection, "what stands before `where`")
        return self.over("filter", collection, node.condition, node.span, SetT(self.element_type(collection)))

    def ranked(self, node: ast.Ranked) -> CExpr:
        collection = self.collection(node.collection, "what stands before `with`")
        least = 1 if isinstance(collection.type, SetT) and collection.type.least else 0
        return self.over(node.ranking, collection, node.key, node.span, SetT(self.element_type(collection), least))

    def grouped(self, node: ast.Grouped) -> CExpr:
        collection = self.collection(node.collection, "what is grouped")
        element = self.element_type(collection)
        local = self.new_local("it", element, node.span)
        with self.pure():
            key = self.finish(self.scalar_attribute(self.read(local, node.span), node.attribute, node.span))
        if not is_scalar(key.type):
            return self.error("type-mismatch", f"a {key.type} can't be grouped by", node.attribute.span)
        return CExpr("group", SetT(GroupT(element, key.type)), (local, collection, key), node.span)

    def end_of(self, node: ast.EndOf) -> CExpr:
        value = self.expr(node.collection)
        count = self.value(node.count, NUMBER, "how many") if node.count is not None else None
        if isinstance(value.type, ZoneT):
            sym = value.args[0]
            if isinstance(sym, ZoneSym):
                if sym.decl.order != "pile":
                    return self.end_of_collection(node, self.pieces_of(value), count)
                if sym.unseen:
                    self.expose(sym, value, node.end, count, node.span)
            piece = PieceT(value.type.kind)
            if count is None:
                return CExpr(node.end, optional(piece), (value,), node.span)
            return CExpr(f"{node.end}s", SetT(piece), (value, count), node.span)
        return self.end_of_collection(node, self.as_set(value, f"what has a {node.end}"), count)

    def end_of_collection(self, node: ast.EndOf, collection: CExpr, count: CExpr | None) -> CExpr:
        """The first or last of a collection; a bag of pieces is in the order of their rows."""
        element = self.element_type(collection)
        first = node.end == "top"
        if count is None:
            least = collection.type.least if isinstance(collection.type, SetT) else 0
            if not is_scalar(element):
                return self.error("type-mismatch", f"`{node.end} of` gives single values, not a {element}", node.span)
            return CExpr(
                "first" if first else "last", element if least else optional(element), (collection,), node.span
            )
        return CExpr("firsts" if first else "lasts", SetT(element), (collection, count), node.span)

    def expose(self, sym: ZoneSym, zone: CExpr, end: str, count: CExpr | None, span: Span) -> None:
        """Makes the pieces about to be read known."""
        raise NotImplementedError

    def cell_of(self, node: ast.CellOf) -> CExpr:
        piece = self.expr(node.piece)
        if isinstance(piece.type, ErrorT):
            return piece
        if not isinstance(piece.type, PieceT):
            hint = "test it with `if some x = …:` first" if isinstance(piece.type, OptionalT) else ""
            return self.error("type-mismatch", f"`cell of` asks about a piece, not a {piece.type}", node.span, hint)
        grid = self.grid_of_kind(piece.type.kind)
        if grid is None:
            hint = f"a zone that holds {piece.type} and is `per` a grid makes it stand there"
            return self.error("grid-none", f"a {piece.type} stands on no grid, or on several", node.span, hint)
        return CExpr("cell_of", optional(CellT(grid)), (self.shared.type_sym(grid), piece), node.span)

    # ---- bags and costs

    def amount(self, node: ast.Amount) -> CExpr:
        """`2 gold`, `2 any metal`, `1 (gold or tin)`; also `1 kind` where `kind` is a local that holds a resource."""
        local = self.find_local(node.names[0].text)
        if (
            local is not None
            and node.mode == "plain"
            and (held := self.resource(local.type))
            and held.type == local.type
        ):
            bag = BagT(held.name)
            one = CExpr("bag_one", bag, (len(held.values), self.read(local, node.span)), node.span)
            return CExpr("bag_scale", bag, (number(node.count, node.span), one), node.span)
        syms = [self.names.get(n.text) for n in node.names]
        values: set[int] = set()
        resource: str | None = None
        for name, sym in zip(node.names, syms, strict=True):
            if isinstance(sym, ValueSym) and isinstance(sym.type, EnumT) and self.resource(sym.type):
                values.add(sym.index)
                found = sym.type.name
            elif isinstance(sym, ClassSym) and node.mode in ("any", "identical"):
                values.update(sym.members)
                found = sym.type.name
            elif (
                node.mode in ("any", "identical")
                and (t := self.shared.type_sym(name.text))
                and t.category == "resource"
            ):
                values.update(range(len(t.values)))
                found = t.name
            else:
                known = [
                    s.name
                    for s in self.names.values()
                    if isinstance(s, ClassSym) or (isinstance(s, ValueSym) and self.resource(s.type))
                ]
                hint = suggest(name.text, known) or NO_UNIT
                if isinstance(sym, ClassSym):
                    hint = f"write `{node.count} any {name.text}`"
                return self.error("resource-unknown", f"`{name.text}` is not a resource", name.span, hint)
            if resource is not None and found != resource:
                return self.error("type-mismatch", f"`{name.text}` is a {found}, not a {resource}", name.span)
            resource = found
        assert resource is not None
        res = self.shared.type_sym(resource)
        assert res is not None
        span = node.span
        if node.mode == "plain":
            return self.bag_literal(resource, dict.fromkeys(values, node.count), span)
        mask = self.bag_literal(resource, dict.fromkeys(values, 1), span)
        identical = 1 if node.mode == "identical" else 0
        return CExpr("wild", CostT(resource), (len(res.values), number(node.count, span), mask, identical), span)

    def bag_literal(self, resource: str, counts: dict[int, int], span: Span) -> CExpr:
        res = self.shared.type_sym(resource)
        assert res is not None
        return CExpr("bag", BagT(resource), tuple(number(counts.get(i, 0), span) for i in range(len(res.values))), span)

    def lookup(self, node: ast.Lookup) -> CExpr:
        at = self.value(node.at, NUMBER, "what is looked up")
        args: list[CExpr] = [at]
        counted = at.args[0] if at.op == "count" else at
        if isinstance(counted, CExpr) and counted.op in ("player_count", "players", "everyone"):
            self.covers_players(node)
        low, high = 0, 0
        last: int | None = None
        for key, entry in node.entries:
            if last is not None and key <= last:
                self.error("lookup-order", "the keys must rise", entry.span, "put the smallest first, each once")
            last = key
            value = self.value(entry, NUMBER, "an entry")
            if isinstance(value.type, NumberT):
                low, high = min(low, value.type.low), max(high, value.type.high)
            args += [number(key, node.span), value]
        return CExpr("lookup", NumberT(low, high), tuple(args), node.span)

    def covers_players(self, node: ast.Lookup) -> None:
        """A table asked at the number of players names each that the ruleset is for."""
        keys = {key for key, _ in node.entries}
        missing = [count for count in self.checked.ruleset.players if count not in keys]
        if missing:
            *rest, last = map(str, missing)
            counts = f"{', '.join(rest)} and {last}" if rest else last
            message = f"this table says nothing for {counts} players"
            hint = "name every number of players; a row otherwise counts for larger ones too, and below all rows is 0"
            self.error("ruleset-uncovered", message, node.span, hint)

    def comprehension(self, node: ast.Comprehension) -> CExpr:
        message = "`… for x in …` stands only in `sum`, `count`, `any`, `all`, `max`, `min`, `distinct` and `each`"
        return self.error("syntax-misplaced", message, node.span, "`each(… for x in …)` is a collection")

    def assignable(self, found: CExpr | Place, span: Span) -> VariableSym | None:
        if isinstance(found, Place) and isinstance(found.symbol, VariableSym):
            return found.symbol
        if isinstance(found, CExpr) and found.op == "pvar" and isinstance(found.args[0], VariableSym):
            return found.args[0]
        if isinstance(found, CExpr) and isinstance(found.type, ErrorT):
            return None
        self.error("assign-target", "only a variable can be changed", span, "`let` names a value that does not change")
        return None

    TABLE: ClassVar[dict[type[ast.Expr], Callable[[Any, Any], CExpr]]] = {
        ast.Arithmetic: arithmetic,
        ast.Negative: negative,
        ast.Compare: compare,
        ast.Logic: logic,
        ast.Not: negation,
        ast.Otherwise: otherwise,
        ast.Member: member,
        ast.Has: has,
        ast.Is: is_,
        ast.CanPay: can_pay,
        ast.Where: where,
        ast.Ranked: ranked,
        ast.Grouped: grouped,
        ast.EndOf: end_of,
        ast.CellOf: cell_of,
        ast.Amount: amount,
        ast.Lookup: lookup,
        ast.Comprehension: comprehension,
        ast.Call: Builtins.call,
        ast.Possible: Builtins.possible,
    }
