"""Tree to syntax tree: names, citations, types and values.

Enters: Lark's tree of one chunk. Leaves: nodes of `ast`, each with its span. Refused here, since the
grammar cannot: words of the language declared as names, and comprehensions beside other arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias, cast

from rulelang.diagnostics import Diagnostics, Source, Span
from rulelang.syntax import ast
from rulelang.syntax.words import RESERVED, reserved

if TYPE_CHECKING:
    from lark import Token, Tree

    Branch: TypeAlias = Tree[Token]
    Child: TypeAlias = Branch | Token | None


class ExpressionBuilder:
    """Builds the values of one source; a method is named as the rule of the grammar whose tree it takes."""

    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source = source
        self.diagnostics = diagnostics

    # ---- places and leaves ---------------------------------------------------------------------

    def span(self, tree: Branch) -> Span:
        """Where the tree stands."""
        meta = tree.meta
        return Span(self.source, meta.line, meta.column, meta.end_line, meta.end_column)

    def name(self, child: Child) -> ast.Name:
        """The name in a token."""
        token = cast("Token", child)
        line, column = cast("int", token.line), cast("int", token.column)
        return ast.Name(Span(self.source, line, column, line, column + len(token)), str(token))

    def new_name(self, child: Child) -> ast.Name:
        """A name that is declared here and used in values or calls, so that no word of the language will do."""
        name = self.name(child)
        if name.text in RESERVED:
            self.diagnostics.error("name-reserved", *reserved(name.text, name.span))
        return name

    def citations(self, child: Child) -> tuple[ast.Citation, ...]:
        """What stands between the brackets of `cites`."""
        token = cast("Branch", child).children[0]
        if token is None:
            return ()
        place = self.name(token).span
        found = []
        offset = 1
        for part in str(token)[1:-1].split(","):
            text = part.strip()
            column = place.column + offset + len(part) - len(part.lstrip())
            source, lines = text.split(":")
            first, _, last = lines.partition("-")
            span = Span(self.source, place.line, column, place.line, column + len(text))
            found.append(ast.Citation(span, source, int(first), int(last or first)))
            offset += len(part) + 1
        return tuple(found)

    def word(self, child: Child) -> str:
        """The words of a rule that consists of keywords and signs: `instead of`, `:=`."""
        return " ".join(str(token) for token in cast("Branch", child).children)

    def signed(self, child: Child) -> int:
        """`signed: [MINUS] INT`."""
        sign, digits = cast("Branch", child).children
        return -int(str(digits)) if sign else int(str(digits))

    # ---- types ---------------------------------------------------------------------------------

    def type(self, child: Child) -> ast.TypeNode:
        """A type."""
        tree = cast("Branch", child)
        span, first = self.span(tree), tree.children[0]
        match tree.data:
            case "optional_type":
                return ast.OptionalType(span, self.type(first))
            case "range_type":
                return ast.RangeType(span, self.signed(first), self.signed(tree.children[1]))
            case "bag_type":
                return ast.BagType(span, str(first))
            case "cost_type":
                return ast.CostType(span, str(first))
            case "set_type":
                return ast.SetType(span, self.type(first))
        return ast.NamedType(span, str(first))

    # ---- values --------------------------------------------------------------------------------

    def value(self, child: Child) -> ast.Expr:
        """Any value, choices and chance included."""
        tree = cast("Branch", child)
        method: Callable[[Branch], ast.Expr] = getattr(self, f"_expr_{tree.data}")
        return method(tree)

    def optional(self, child: Child) -> ast.Expr | None:
        """A value that may have been left out."""
        return None if child is None else self.value(child)

    def values(self, children: Iterable[Child]) -> tuple[ast.Expr, ...]:
        """Several values."""
        return tuple(self.value(child) for child in children if child is not None)

    def purses(self, child: Child) -> tuple[ast.Expr, ...]:
        """`purses: postfix ("+" postfix)*`."""
        return self.values(cast("Branch", child).children)

    def call(self, child: Child) -> ast.Call:
        """`NAME arguments`."""
        tree = cast("Branch", child)
        return ast.Call(self.span(tree), self.name(tree.children[0]), self.arguments(tree.children[1]))

    def arguments(self, child: Child) -> tuple[ast.Expr, ...]:
        """The arguments of a call; a comprehension stands alone."""
        arguments = self.values(cast("Branch", child).children)
        alone = [argument for argument in arguments if isinstance(argument, ast.Comprehension)]
        if not alone or len(arguments) == 1:
            return arguments
        message = "`… for … in …` stands alone between the parentheses of a call"
        hint = "call once for each, or join the collections: `x in a + b`"
        self.diagnostics.error("syntax-comprehension", message, alone[-1].span, hint)
        return (alone[0],)

    def _expr_name(self, tree: Branch) -> ast.Expr:
        return ast.NameExpr(self.span(tree), str(tree.children[0]))

    def _expr_number(self, tree: Branch) -> ast.Expr:
        return ast.Number(self.span(tree), int(str(tree.children[0])))

    def _expr_true(self, tree: Branch) -> ast.Expr:
        return ast.Truth(self.span(tree), True)

    def _expr_false(self, tree: Branch) -> ast.Expr:
        return ast.Truth(self.span(tree), False)

    def _expr_none(self, tree: Branch) -> ast.Expr:
        return ast.NoneExpr(self.span(tree))

    def _amount(self, tree: Branch) -> ast.Expr:
        count, *names = tree.children
        mode = str(tree.data).removeprefix("amount_")
        return ast.Amount(self.span(tree), int(str(count)), mode, tuple(self.name(name) for name in names))

    _expr_amount_plain = _expr_amount_any = _expr_amount_identical = _expr_amount_either = _amount

    def _expr_arithmetic(self, tree: Branch) -> ast.Expr:
        left, sign, right = tree.children
        return ast.Arithmetic(self.span(tree), str(sign), self.value(left), self.value(right))

    def _expr_negative(self, tree: Branch) -> ast.Expr:
        return ast.Negative(self.span(tree), self.value(tree.children[0]))

    def _expr_compare(self, tree: Branch) -> ast.Expr:
        left, sign, right = tree.children
        return ast.Compare(self.span(tree), self.word(sign), self.value(left), self.value(right))

    def _expr_or_(self, tree: Branch) -> ast.Expr:
        return ast.Logic(self.span(tree), "or", *self.values(tree.children))

    def _expr_and_(self, tree: Branch) -> ast.Expr:
        return ast.Logic(self.span(tree), "and", *self.values(tree.children))

    def _expr_not_(self, tree: Branch) -> ast.Expr:
        return ast.Not(self.span(tree), self.value(tree.children[0]))

    def _expr_member(self, tree: Branch) -> ast.Expr:
        element, collection = self.values(tree.children)
        return ast.Member(self.span(tree), element, collection, False)

    def _expr_not_member(self, tree: Branch) -> ast.Expr:
        element, collection = self.values(tree.children)
        return ast.Member(self.span(tree), element, collection, True)

    def _expr_has(self, tree: Branch) -> ast.Expr:
        return ast.Has(self.span(tree), *self.values(tree.children))

    def _expr_is_(self, tree: Branch) -> ast.Expr:
        operand, child = tree.children
        state = cast("Branch", child)
        word = str(state.data).removeprefix("is_")
        definition = self.name(state.children[0]) if state.children else None
        return ast.Is(
            self.span(tree), self.value(operand), word.removeprefix("not_"), definition, word.startswith("not_")
        )

    def _expr_can_pay(self, tree: Branch) -> ast.Expr:
        cost, purses = tree.children
        return ast.CanPay(self.span(tree), self.value(cost), self.purses(purses))

    def _expr_conditional(self, tree: Branch) -> ast.Expr:
        return ast.Conditional(self.span(tree), *self.values(tree.children))

    def _expr_otherwise(self, tree: Branch) -> ast.Expr:
        return ast.Otherwise(self.span(tree), *self.values(tree.children))

    def _expr_where(self, tree: Branch) -> ast.Expr:
        return ast.Where(self.span(tree), *self.values(tree.children))

    def _expr_ranked(self, tree: Branch) -> ast.Expr:
        collection, ranking, key = tree.children
        return ast.Ranked(self.span(tree), self.value(collection), self.word(ranking), self.value(key))

    def _expr_grouped(self, tree: Branch) -> ast.Expr:
        collection, attribute = tree.children
        return ast.Grouped(self.span(tree), self.value(collection), self.name(attribute))

    def _expr_end_of(self, tree: Branch) -> ast.Expr:
        end, collection = tree.children
        return ast.EndOf(self.span(tree), self.word(end), None, self.value(collection))

    def _expr_ends_of(self, tree: Branch) -> ast.Expr:
        end, count, collection = tree.children
        return ast.EndOf(self.span(tree), self.word(end), self.value(count), self.value(collection))

    def _expr_cell_of(self, tree: Branch) -> ast.Expr:
        return ast.CellOf(self.span(tree), self.value(tree.children[0]))

    def _expr_lookup(self, tree: Branch) -> ast.Expr:
        *children, at = tree.children
        entries = [cast("Branch", child).children for child in children]
        return ast.Lookup(
            self.span(tree), tuple((self.signed(key), self.value(value)) for key, value in entries), self.value(at)
        )

    def _expr_attribute(self, tree: Branch) -> ast.Expr:
        return ast.Attribute(self.span(tree), self.value(tree.children[0]), self.name(tree.children[1]))

    def _expr_index(self, tree: Branch) -> ast.Expr:
        return ast.Index(self.span(tree), self.value(tree.children[0]), self.values(tree.children[1:]))

    def _expr_call(self, tree: Branch) -> ast.Expr:
        return self.call(tree)

    def _expr_comprehension(self, tree: Branch) -> ast.Expr:
        body, name, collection, condition = tree.children
        new = self.new_name(name)
        return ast.Comprehension(
            self.span(tree), self.value(body), new, self.value(collection), self.optional(condition)
        )

    def _expr_set_literal(self, tree: Branch) -> ast.Expr:
        return ast.SetLiteral(self.span(tree), self.values(tree.children))

    def _expr_possible(self, tree: Branch) -> ast.Expr:
        return ast.Possible(self.span(tree), self.call(tree.children[0]), self.value(tree.children[1]))

    # ---- choosing and chance -------------------------------------------------------------------

    def quantity(self, child: Child) -> ast.Quantity:
        """How many are chosen."""
        tree = cast("Branch", child)
        mode = "any" if tree.data == "any_number" else str(tree.data)
        low, high = (*self.values(tree.children), None, None)[:2]
        return ast.Quantity(self.span(tree), mode, low, high)

    def domain(self, child: Child) -> ast.Domain:
        """What is chosen from."""
        tree = cast("Branch", child)
        span, parts = self.span(tree), tree.children
        match tree.data:
            case "one_of":
                return ast.OneOf(span, self.value(parts[0]))
            case "one_number":
                return ast.OneNumber(span, self.value(parts[0]), self.value(parts[1]))
            case "one_value":
                return ast.OneValue(span, self.name(parts[0]), self.optional(parts[1]))
        return ast.SomeOf(span, self.quantity(parts[0]), self.value(parts[1]))

    def _expr_choose(self, tree: Branch) -> ast.Expr:
        together, secretly, domain, by = tree.children
        return ast.Choose(self.span(tree), self.domain(domain), self.optional(by), bool(together), bool(secretly))

    def _expr_roll(self, tree: Branch) -> ast.Expr:
        return ast.Roll(self.span(tree), *self.values(tree.children))

    def _expr_random_one(self, tree: Branch) -> ast.Expr:
        return ast.RandomOf(self.span(tree), None, self.value(tree.children[0]))

    def _expr_random_some(self, tree: Branch) -> ast.Expr:
        return ast.RandomOf(self.span(tree), self.value(tree.children[0]), self.value(tree.children[1]))
