"""The mutation operators of the rule language: what each changes in a syntax tree.

Enters: nodes of `syntax.ast` with their places, the names that are alike. Leaves: `Edit`s, each of which replaces one
stretch of a file by another text. The operators are those of the literature (Offutt et al. 1996; Delamaro, Offutt and
Ammann 2014): AOR, ROR, COR, COI replace and negate operators, CRP constants, SVR names by others of their type, ODL and
SDL delete operands and statements; LOR replaces other words of the language by their opposite.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rulelang.diagnostics import Source, Span
from rulelang.registry import registering
from rulelang.syntax import ast
from rulelang.syntax.whose import PLACES
from rulelang.vocabulary.computing import COMPARES
from rulelang.vocabulary.operations import NEGATED, SIGN_OF

ARITHMETIC = {"+": "-", "-": "+", "*": "+", "div": "*", "mod": "div"}
_CASES = {name: [bool(holds(a, b)) for a, b in ((0, 1), (1, 0), (0, 0))] for name, holds in COMPARES.items()}
RELATIONS = {
    SIGN_OF[name]: [
        SIGN_OF[other]
        for other in [other for other, case in _CASES.items() if case[:2] == at[:2] and case != at] + [NEGATED[name]]
    ]
    for name, at in _CASES.items()
}
"""Each relation at its border, and negated."""
_PAIRS = (
    ("most", "fewest"),
    ("top", "bottom"),
    ("before", "after"),
    ("plus", "minus"),
    ("at least", "at most"),
    ("+=", "-="),
    ("any", "all"),
    ("min", "max"),
    ("next", "previous"),
    ("players_from", "players_after"),
)
OPPOSITES = {"instead of": "after", **dict(_PAIRS), **{b: a for a, b in _PAIRS}}


class Edit(NamedTuple):
    """A change of a file: `text` in place of what stands from character `start` to before `end`. `alone`: it makes the
    tables of the program others, and so is compiled by itself."""

    operator: str
    start: int
    end: int
    text: str
    alone: bool = False


@dataclass
class Alike:
    """For names the next ones of their type: of what stands by itself, and of what stands after a dot; the zones that
    have an order."""

    names: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    piles: frozenset[str] = frozenset()


class Offsets:
    """Places of one file as numbers of characters from its beginning."""

    def __init__(self, source: Source) -> None:
        self.source, self.text = source, source.text
        self._starts = [0]
        for line in source.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, span: Span) -> tuple[int, int]:
        """Return where a span begins and ends."""
        return self._starts[span.line - 1] + span.column - 1, self._starts[span.end_line - 1] + span.end_column - 1

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character, both from 1."""
        line = self.text.count("\n", 0, offset)
        return line + 1, offset - self._starts[line] + 1


MUTATES: dict[type[ast.Node], Callable[[Mutator, Any], Iterator[Edit]]] = {}
"""Class of nodes -> the changes of a node itself, without those of its parts."""
mutates = registering(MUTATES)


@dataclass
class Mutator:
    """Yields the mutants of one declaration or expression.

    Attributes:
        params: parameters of the declaration -> another one of the same type.
    """

    at: Offsets
    alike: Alike
    params: Mapping[str, str] = field(default_factory=dict)

    def edits(self, root: ast.Node) -> Iterator[Edit]:
        """Yield all changes of a syntax tree, in preorder."""
        by_type: dict[str, list[str]] = {}
        for param in getattr(root, "params", ()):
            if isinstance(param, ast.Param):
                by_type.setdefault(self.cut(param.type.span), []).append(param.name.text)
        self.params = {a: b for names in by_type.values() if len(names) > 1 for a, b in _next(names)}
        for node in ast.walk(root):
            for kind in type(node).__mro__:
                if kind in MUTATES:
                    yield from MUTATES[kind](self, node)

    # ---- texts

    def cut(self, span: Span) -> str:
        """Return the text of a span."""
        start, end = self.at.of(span)
        return self.at.text[start:end]

    def replaced(self, operator: str, span: Span, text: str, alone: bool = False) -> Edit:
        """Return the change of a whole span; a text of fewer lines is filled up, so that no line moves."""
        start, end = self.at.of(span)
        lines = self.at.text.count("\n", start, end) - text.count("\n")
        return Edit(operator, start, end, text + "\n" * lines, alone)

    def word(self, operator: str, start: int, end: int, word: str, text: str, alone: bool = False) -> Iterator[Edit]:
        """Yield the change of the first `word` between two characters, if it stands there."""
        edge = r"(?<!\w){}(?!\w)" if word[0].isalpha() else r"{}"
        pattern = edge.format(r"\s+".join(map(re.escape, word.split())))
        if match := re.compile(pattern).search(self.at.text, start, end):
            yield Edit(operator, match.start(), match.end(), text, alone)

    def between(self, operator: str, left: ast.Node, right: ast.Node, word: str, text: str) -> Iterator[Edit]:
        """Yield the change of a word between two nodes."""
        yield from self.word(operator, self.at.of(left.span)[1], self.at.of(right.span)[0], word, text)

    def disabled(self, after: int, guard: ast.Expr | None) -> Edit:
        """Return the change after which something is never done: its condition, or a new one, is `false`."""
        return self.replaced("SDL", guard.span, "false") if guard else Edit("SDL", after, after, " when false", True)

    def condition(self, condition: ast.Expr | ast.IfSome | None) -> Iterator[Edit]:
        """Yield the changes of a condition as a whole: none, and its negation unless its own operator has it."""
        if not isinstance(condition, ast.Expr):
            return
        yield self.replaced("ODL", condition.span, "true")
        if not isinstance(condition, ast.Compare | ast.Not | ast.Member | ast.Is | ast.Truth):
            yield self.replaced("COI", condition.span, f"not ({self.cut(condition.span)})")


def _next(names: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each name with the one after it, the last with the first."""
    yield from zip(names, [*names[1:], names[0]], strict=True)


def cycles(groups: Mapping[Any, list[str]]) -> dict[str, str]:
    """Return for each name the next one of its group, where there are several."""
    return {a: b for names in groups.values() if len(names) > 1 for a, b in _next(list(dict.fromkeys(names)))}


# ---- values


@mutates(ast.Number)
def _number(m: Mutator, node: ast.Number) -> Iterator[Edit]:
    for value in (node.value + 1, node.value - 1):
        yield m.replaced("CRP", node.span, str(value))


@mutates(ast.Truth)
def _truth(m: Mutator, node: ast.Truth) -> Iterator[Edit]:
    yield m.replaced("CRP", node.span, "false" if node.value else "true")


@mutates(ast.Lookup)
def _lookup(m: Mutator, node: ast.Lookup) -> Iterator[Edit]:
    start = m.at.of(node.span)[0]
    for key, value in node.entries:
        first, after = m.at.of(value.span)
        for other in (key + 1, key - 1) if isinstance(key, int) else ():
            yield from m.word("CRP", start, first, str(key), str(other))
        start = after


@mutates(ast.NameExpr)
def _name(m: Mutator, node: ast.NameExpr) -> Iterator[Edit]:
    other = m.params.get(node.name) or m.alike.names.get(node.name)
    if other is not None:
        yield m.replaced("SVR", node.span, other)


@mutates(ast.Amount)
def _amount(m: Mutator, node: ast.Amount) -> Iterator[Edit]:
    for name in node.names:
        if name.text in m.alike.names:
            yield m.replaced("SVR", name.span, m.alike.names[name.text])
    if node.mode == "identical":
        (name,) = node.names
        yield from m.between("LOR", node.count, name, "identical", "any")


@mutates(ast.Attribute)
def _attribute(m: Mutator, node: ast.Attribute) -> Iterator[Edit]:
    other = m.alike.attributes.get(node.name.text) or OPPOSITES.get(node.name.text)
    if other is not None:
        yield m.replaced("SVR", node.name.span, other)


@mutates(ast.Is)
def _is(m: Mutator, node: ast.Is) -> Iterator[Edit]:
    start, end = m.at.of(node.operand.span)[1], m.at.of(node.span)[1]
    yield from m.word("COI", start, end, "is not" if node.negated else "is", "is" if node.negated else "is not")
    if node.definition is not None and node.definition.text in m.alike.names:
        yield m.replaced("SVR", node.definition.span, m.alike.names[node.definition.text])


# ---- operators


@mutates(ast.Arithmetic)
def _arithmetic(m: Mutator, node: ast.Arithmetic) -> Iterator[Edit]:
    if not isinstance(node.right, ast.Amount):  # less of a resource that is not there is nothing: ODL has it
        yield from m.between("AOR", node.left, node.right, node.op, ARITHMETIC[node.op])
    if node.op in "+-":
        for part in (node.left, node.right) if node.op == "+" else (node.left,):
            yield m.replaced("ODL", node.span, m.cut(part.span))


@mutates(ast.Negative)
def _negative(m: Mutator, node: ast.Negative) -> Iterator[Edit]:
    yield m.replaced("AOR", node.span, m.cut(node.operand.span))


@mutates(ast.Compare)
def _compare(m: Mutator, node: ast.Compare) -> Iterator[Edit]:
    for op in RELATIONS.get(node.op, ()):
        yield from m.between("ROR", node.left, node.right, node.op, op)


@mutates(ast.Logic)
def _logic(m: Mutator, node: ast.Logic) -> Iterator[Edit]:
    # The whole is in brackets then: what is around it bound it as it was.
    left, right, op = m.cut(node.left.span), m.cut(node.right.span), "or" if node.op == "and" else "and"
    yield m.replaced("COR", node.span, f"(({left}) {op} ({right}))")
    for part in (left, right):
        yield m.replaced("ODL", node.span, f"({part})")


@mutates(ast.Not)
def _not(m: Mutator, node: ast.Not) -> Iterator[Edit]:
    yield m.replaced("COI", node.span, f"({m.cut(node.operand.span)})")


@mutates(ast.Member)
def _member(m: Mutator, node: ast.Member) -> Iterator[Edit]:
    words = ("not in", "in") if node.negated else ("in", "not in")
    yield from m.between("COI", node.element, node.collection, *words)


@mutates(ast.Otherwise)
def _otherwise(m: Mutator, node: ast.Otherwise) -> Iterator[Edit]:
    yield m.replaced("ODL", node.span, f"({m.cut(node.default.span)})")


@mutates(ast.Conditional, ast.Where, ast.Comprehension, ast.OneNumber, ast.BindNumber, ast.Arrange, ast.While)
def _where(m: Mutator, node: Any) -> Iterator[Edit]:
    yield from m.condition(node.condition)


@mutates(ast.SortKey)
def _key(m: Mutator, node: ast.SortKey) -> Iterator[Edit]:
    start, end = m.at.of(node.span)
    yield from m.word("LOR", start, end, node.ranking, OPPOSITES[node.ranking])


@mutates(ast.EndOf)
def _end_of(m: Mutator, node: ast.EndOf) -> Iterator[Edit]:
    start, end = m.at.of(node.span)
    yield from m.word("LOR", start, end, node.end, OPPOSITES[node.end])


@mutates(ast.Call)
def _call(m: Mutator, node: ast.Call) -> Iterator[Edit]:
    if node.function.text in OPPOSITES:
        yield m.replaced("LOR", node.function.span, OPPOSITES[node.function.text])


@mutates(ast.Quantity)
def _quantity(m: Mutator, node: ast.Quantity) -> Iterator[Edit]:
    low = m.cut(node.low.span) if node.low is not None else ""
    match node.mode:
        case "exactly" | "at_least":
            yield m.replaced("LOR", node.span, f"up to {low}")
        case "up_to" | "down_to":
            yield m.replaced("LOR", node.span, low)
        case "between" if node.high is not None:
            yield m.replaced("LOR", node.span, m.cut(node.high.span))
        case "any":
            yield m.replaced("LOR", node.span, "1 or more")


# ---- statements


@mutates(ast.Assign)
def _assign(m: Mutator, node: ast.Assign) -> Iterator[Edit]:
    if node.op in OPPOSITES:
        yield from m.between("LOR", node.target, node.value, node.op, OPPOSITES[node.op])


@mutates(ast.Mark)
def _mark(m: Mutator, node: ast.Mark) -> Iterator[Edit]:
    yield from m.between("LOR", node.target, node.event, node.moment, OPPOSITES[node.moment])


@mutates(ast.Move)
def _move(m: Mutator, node: ast.Move) -> Iterator[Edit]:
    end = m.at.of(node.to.span)[1]
    if node.at_bottom:
        yield from m.word("LOR", end, m.at.of(node.span)[1], "at bottom", "")
    elif any(isinstance(n, ast.NameExpr | ast.Name) and _text(n) in m.alike.piles for n in ast.walk(node.to)):
        yield Edit("LOR", end, end, " at bottom")


def _text(node: ast.NameExpr | ast.Name) -> str:
    return node.name if isinstance(node, ast.NameExpr) else node.text


@mutates(ast.EndGame)
def _end_game(m: Mutator, node: ast.EndGame) -> Iterator[Edit]:
    if node.after is not None:
        yield from m.word("LOR", *m.at.of(node.span), f"after this {node.after}", "")
    if node.drawn or node.lost:
        yield from m.word("LOR", *m.at.of(node.span), *(("lost", "drawn") if node.lost else ("drawn", "lost")))


@mutates(ast.If)
def _if(m: Mutator, node: ast.If) -> Iterator[Edit]:
    for condition, _ in node.branches:
        yield from m.condition(condition)


@mutates(ast.Block)
def _block(m: Mutator, node: ast.Block) -> Iterator[Edit]:
    for statement in node.statements:
        # Without a `let` or a `return` little would be left that means something; `never` and `pass` do nothing, and
        # what `reveal` tells changes no play.
        if not isinstance(statement, ast.Let | ast.Return | ast.Reveal | ast.Never | ast.Pass | ast.Require):
            yield m.replaced("SDL", statement.span, "pass")


@mutates(ast.Limit)
def _limit(m: Mutator, node: ast.Limit) -> Iterator[Edit]:
    yield m.replaced("ODL", node.span, "", True)
    for times in (node.times + 1, node.times - 1):
        if times:
            yield m.replaced("CRP", node.span, f"{times} times per {node.scope}")
    scope = "game" if node.scope != "game" else "turn"
    yield from m.word("LOR", *m.at.of(node.span), f"per {node.scope}", f"per {scope}", True)


@mutates(ast.MenuItem)
def _menu_item(m: Mutator, node: ast.MenuItem) -> Iterator[Edit]:
    yield from m.condition(node.guard)
    after = m.at.of((node.binders[-1] if node.binders else node.name).span)[1]
    if node.binders:
        after = m.at.text.index(")", after) + 1
    yield m.disabled(after, node.guard)


# ---- declarations


def _head(m: Mutator, node: ast.Handler | ast.Modifier, name: ast.Name) -> int:
    """Return where the condition of a reaction or modifier may be written."""
    if node.params:
        return m.at.text.index(")", m.at.of(node.params[-1].span)[1]) + 1
    return m.at.of(name.span)[1]


def _places(m: Mutator, node: ast.Handler | ast.Modifier) -> Iterator[Edit]:
    """Yield the changes that name a parameter in whose place `this` or `owner` stands, so that it may be any."""
    for name in node.params:
        if name.text in PLACES:
            yield m.replaced("ODL", name.span, f"other_{name.text}", True)


@mutates(ast.Handler)
def _handler(m: Mutator, node: ast.Handler) -> Iterator[Edit]:
    start = m.at.of(node.event.span)[0]
    first = m.at.of(node.span)[0]
    yield m.disabled(_head(m, node, node.event), node.guard)
    yield from _places(m, node)
    yield from m.condition(node.guard)
    yield from m.word("LOR", first, start, node.timing, OPPOSITES[node.timing], True)
    if node.optional:
        yield from m.word("LOR", first, start, "may", "", True)


@mutates(ast.Modifier)
def _modifier(m: Mutator, node: ast.Modifier) -> Iterator[Edit]:
    after = _head(m, node, node.quantity)
    yield m.disabled(after, node.guard)
    yield from _places(m, node)
    yield from m.condition(node.guard)
    if node.layer in OPPOSITES:
        behind = m.at.of(node.lets[-1].span if node.lets else (node.guard or node.quantity).span)[1]
        yield from m.word("LOR", max(after, behind), m.at.of(node.value.span)[0], node.layer, OPPOSITES[node.layer])


@mutates(ast.Exchange)
def _exchange(m: Mutator, node: ast.Exchange) -> Iterator[Edit]:
    yield m.disabled(m.at.of((node.group or node.name).span)[1], node.guard)
    yield from m.condition(node.guard)


@mutates(ast.Implement)
def _implement(m: Mutator, node: ast.Implement) -> Iterator[Edit]:
    if len(node.body.statements) > 1:
        yield m.replaced("SDL", node.body.span, "pass")


@mutates(ast.Score, ast.PieceScore)
def _score(m: Mutator, node: ast.Score | ast.PieceScore) -> Iterator[Edit]:
    if isinstance(node.value, ast.Expr):
        yield m.replaced("SDL", node.value.span, "0")


@mutates(ast.Winner, ast.TieBreak)
def _ranking(m: Mutator, node: ast.Winner | ast.TieBreak) -> Iterator[Edit]:
    if node.ranking == "all":
        yield from m.condition(node.value)
    elif node.value is not None:
        yield from m.word("LOR", *m.at.of(node.span), node.ranking, OPPOSITES[node.ranking])
        yield m.replaced("SDL", node.value.span, "0")
