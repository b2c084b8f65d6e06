"""Parse tree to syntax tree: a table from each rule of the grammar to how its node is built.

Enters: the parse tree of one chunk. Leaves: `Declaration`, `Block`, `Expr` or `TypeNode`, with spans in the real file.
Most nodes follow from their class: the rule has its name, and its children are the fields. Refused here, since the
grammar cannot: words of the language declared as names, and comprehensions beside other arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from rulelang.diagnostics import Diagnostics, Source, Span
from rulelang.limits import DEPTH
from rulelang.syntax import ast, former
from rulelang.syntax.grammar import ParseToken, ParseTree
from rulelang.syntax.words import BY, RESERVED, RESERVED_RULES, reserved

if TYPE_CHECKING:
    Branch: TypeAlias = ParseTree
    Child: TypeAlias = ParseTree | ParseToken | None

_WRAPPERS = frozenset({"block", "elif", "arguments", "entry", "exactly", "some_of", "params", "param", "cited"})


def too_deep(tree: Branch) -> Branch | None:
    """Return the first node nested more than `DEPTH` deep, None if there is none; later stages recurse."""
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > DEPTH and node.begin is not None:
            return node
        inner = depth + (str(node.data) not in _WRAPPERS)
        # Each `else if` stands in the `else` of the one before.
        chained = node.data == "if"
        pending += [
            (part, inner + chained * max(index - 1, 0))
            for index, part in reversed([*enumerate(node.children)])
            if not (part is None or isinstance(part, str))
        ]
    return None


class Builder:
    """Builds the nodes of one source, each by the row of its rule in `RULES`."""

    def __init__(self, source: Source, diagnostics: Diagnostics) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.former = False  # whether something was refused that version 1 said so

    def sound(self, tree: Child) -> Any:
        """Build the node of a whole text or declaration; None if something in it is refused as of version 1."""
        self.former = False
        node = self.read(tree)
        return None if self.former else node

    def type(self, child: Child) -> ast.TypeNode:
        """Build the node of a type."""
        return cast("ast.TypeNode", self.read(child))

    def value(self, child: Child) -> ast.Expr:
        """Build the node of an expression, choices and chance included."""
        return cast("ast.Expr", self.read(child))

    def read(self, child: Child) -> Any:
        """Build the AST value of a parse-tree child: a node, a name, an integer, or None for an absent child."""
        if child is None:
            return None
        if isinstance(child, str):
            return int(child) if child.type == "INT" else self.name(child)
        return RULES[child.data](self, child)

    def several(self, children: Iterable[Child]) -> tuple[Any, ...]:
        """Build the AST values of all children that are present."""
        return tuple(self.read(child) for child in children if child is not None)

    def span(self, tree: Branch) -> Span:
        """Return the source span of a parse tree."""
        return tree.span(self.source)

    def name(self, token: Any) -> ast.Name:
        """Return the name node of a token."""
        text = str(token)
        return ast.Name(Span(self.source, token.line, token.column, token.line, token.column + len(text)), text)

    def new_name(self, token: Any, words: frozenset[str] = RESERVED) -> ast.Name:
        """Return the name node of a declared name; report a reserved word."""
        name = self.name(token)
        if name.text in words:
            self.diagnostics.error("name-reserved", *reserved(name.text, name.span))
        return name

    def text(self, child: Child) -> Any:
        """Return a token's text, or the joined keywords of a rule that consists of them."""
        return str(child) if isinstance(child, str) else self.read(child)


Build = Callable[[Builder, "Branch"], Any]

_READERS: dict[str, Callable[[Builder, Any], Any]] = {
    "bool": lambda _, child: child is not None,
    "int": lambda b, child: b.read(child) or 0,
    "str": Builder.text,
    "str | None": Builder.text,
    "NewName": Builder.new_name,
    "RuleName": lambda b, child: b.new_name(child, RESERVED_RULES),
}
"""How a child is read, by the annotation of its field; else by `Builder.read`."""


def node(cls: type[ast.Node], order: str | None = None, **constants: Any) -> Build:
    """Return the build function for a node class, with children mapped to fields by position.

    Arguments:
        cls: the class of the nodes.
        order: the fields that the children are, in their order; `*` before the one that takes any number of them.
            Left out: all without a constant.
        constants: what other fields are; None where they are not named.
    """
    make: Callable[..., ast.Node] = cls
    constants = {"citations": (), **constants}
    annotations = {field.name: str(field.type) for field in fields(cls)[1:]}
    names = [name for name in annotations if name not in constants] if order is None else order.split()
    star = next((index for index, name in enumerate(names) if name[0] == "*"), -1)
    parts: list[tuple[Callable[[Builder, Any], Any] | None, Any]] = [
        (_READERS.get(annotation, Builder.read), names.index(name))
        if name in names
        else (Builder.several, star)
        if f"*{name}" in names
        else (None, constants.get(name))
        for name, annotation in annotations.items()
    ]

    def build(b: Builder, tree: Branch) -> ast.Node:
        """Build a node of the class from the children of a parse tree."""
        children: list[Any] = tree.children
        if star >= 0:
            end = len(children) - (len(names) - star - 1)
            children = [*children[:star], children[star:end], *children[end:]]
        return make(b.span(tree), *[read(b, children[part]) if read else part for read, part in parts])

    return build


def _words(b: Builder, tree: Branch) -> str:
    """Return the keywords and signs of a rule joined by blanks: `instead of`, `:=`."""
    return " ".join(map(str, tree.children))


def _list(b: Builder, tree: Branch) -> tuple[Any, ...]:
    """Return the AST values of all children."""
    return b.several(tree.children)


def _names(b: Builder, tree: Branch) -> tuple[ast.Name, ...]:
    """Return declared names whose types follow from an event, ability or quantity."""
    return tuple(b.new_name(name) for name in tree.children if name is not None)


def _signed(b: Builder, tree: Branch) -> int:
    """Return an integer with an optional minus sign."""
    sign, digits = tree.children
    return -b.read(digits) if sign else cast("int", b.read(digits))


def _block(b: Builder, tree: Branch) -> ast.Block:
    """Build a block; its span reaches from its first to its last statement."""
    statements = b.several(tree.children)
    return ast.Block(statements[0].span.to(statements[-1].span), statements)


def _if(b: Builder, tree: Branch) -> ast.If:
    """Build an `if` with its branches and the optional `else`."""
    condition, body, *rest, otherwise = tree.children
    pairs = [(b.read(condition), b.read(body)), *b.several(rest)]
    return ast.If(b.span(tree), tuple(pairs), b.read(otherwise))


def _end_game(b: Builder, tree: Branch) -> ast.EndGame:
    """Build an `end game`, with winners, a draw, or scores for its outcome."""
    after, child = tree.children
    outcome = cast("Branch | None", child)
    how = str(outcome.data) if outcome else ""
    value = b.value(outcome.children[0]) if outcome and outcome.children else None
    ends = (value if how == "won_by" else None, how == "drawn", how == "lost", value if how == "amounts" else None)
    return ast.EndGame(b.span(tree), b.read(after), *ends)


def _event(b: Builder, tree: Branch) -> ast.Event:
    """Build an event; what `let` names stands behind its parameters."""
    name, several, by, depth, body = tree.children
    params = b.read(several)
    lets = tuple(part for part in params if isinstance(part, ast.Let))
    first = next((n for n, part in enumerate(params) if isinstance(part, ast.Let)), len(params))
    for misplaced in params[first + len(lets) :] if len(lets) < len(params) - first else ():
        message = "parameters stand before what `let` names"
        b.diagnostics.error("syntax-misplaced", message, misplaced.span)
    return ast.Event(
        b.span(tree),
        (),
        b.new_name(name, RESERVED_RULES),
        tuple(part for part in params if isinstance(part, ast.Param)),
        None,
        b.read(depth),
        b.read(body),
        lets,
        b.read(by),
    )


def _is(b: Builder, tree: Branch) -> ast.Is:
    """Build an `is` or `is not` test of a state or a definition."""
    operand, child = tree.children
    state = cast("Branch", child)
    word = str(state.data).removeprefix("is_")
    definition = b.name(state.children[0]) if state.children else None
    return ast.Is(b.span(tree), b.read(operand), word.removeprefix("not_"), definition, word.startswith("not_"))


def _arguments(b: Builder, tree: Branch) -> tuple[ast.Expr, ...]:
    """Return the arguments of a call; report a comprehension beside other arguments."""
    arguments: tuple[Any, ...] = ()
    for values in b.several(tree.children):
        arguments += values if isinstance(values, tuple) else (values,)
    alone = [argument for argument in arguments if isinstance(argument, ast.Comprehension)]
    if not alone or len(arguments) == 1:
        return arguments
    message = "`… for … in …` stands alone between the parentheses of a call"
    hint = "call once for each, or join the collections: `x in a + b`"
    b.diagnostics.error("syntax-comprehension", message, alone[-1].span, hint)
    return (alone[0],)


def _call(b: Builder, tree: Branch) -> ast.Call:
    """Build a call; report `by` where the function does not take it, and a comma where it does."""
    name, arguments = cast("tuple[ParseToken, Branch]", tree.children)
    given = cast("list[Branch]", [argument for argument in arguments.children if argument is not None])
    has_by = [argument.data == "distinct_by" for argument in given]
    for number, argument in enumerate(given):
        if has_by[number] and (number or name not in BY):
            message = "`by` stands in `distinct(C by it.x, it.y)` and `reachable(x by neighbours(it))`"
            b.diagnostics.error("syntax-misplaced", message, b.span(argument))
    if name in BY and len(given) > 1 and not any(has_by):
        example = "distinct(C by it.x, it.y)" if name == "distinct" else "reachable(x by neighbours(it))"
        message = f"`by` must stand before this in `{name}`, not a comma"
        b.diagnostics.error("syntax-misplaced", message, b.span(given[1]), f"as in `{example}`")
    return ast.Call(b.span(tree), b.name(name), b.read(arguments))


def _comprehension(b: Builder, tree: Branch) -> ast.Expr:
    """Build nested comprehensions from `body for … for …`, the first `for` outermost."""
    body, *clauses = tree.children
    nested = b.value(body)
    for name, collection, condition in reversed(b.several(clauses)):
        nested = ast.Comprehension(b.span(tree), nested, name, collection, condition)
    return nested


def _for_each(b: Builder, tree: Branch) -> tuple[ast.Name, ast.Expr, ast.Expr | None]:
    """Return name, collection and condition of one `for` clause."""
    name, collection, condition = tree.children
    return b.new_name(name), b.value(collection), b.read(condition)


def _cites(b: Builder, tree: Branch) -> tuple[ast.Citation, ...]:
    """Return the citations in brackets, such as `[rules:12-14, rules:20]`, each with its span; `[invented]` as one."""
    token = tree.children[0]
    place = b.name(token).span
    if str(token) == "[invented]":
        return (ast.Citation(place, "", 0, 0),)
    citations = []
    offset = 1
    for part in str(token)[1:-1].split(","):
        text = part.strip()
        column = place.column + offset + len(part) - len(part.lstrip())
        source, lines = text.split(":")
        first, _, last = lines.partition("-")
        span = Span(b.source, place.line, column, place.line, column + len(text))
        citations.append(ast.Citation(span, source, int(first), int(last or first)))
        offset += len(part) + 1
    return tuple(citations)


def _cited(b: Builder, tree: Branch) -> Any:
    """Attach citations to the node below them; report a node that cannot have any."""
    cites, cited = b.several(tree.children)
    if isinstance(cited, ast.Cited):
        return replace(cited, citations=cites + cited.citations)
    hint = "cite above a declaration, a menu or its items, a step, a turn, a round, a phase or an exchange"
    b.diagnostics.error("syntax-citation", "nothing that cites stands below this", cites[0].span, hint)
    return cited


def _named_alike() -> dict[str, Build]:
    """Return build functions for all AST classes by rule name: `as_block` builds an `AsBlock`."""
    classes = [cls for cls in vars(ast).values() if isinstance(cls, type) and issubclass(cls, ast.Node)]
    return {re.sub(r"(?<=.)(?=[A-Z])", "_", cls.__name__).lower(): node(cls) for cls in classes}


RULES: dict[str, Build] = _named_alike() | {
    # ---- leaves and lists
    **dict.fromkeys(("timing", "layer", "scope_name", "ranking", "all_win", "removable", "removable_once"), _words),
    **dict.fromkeys(("assign_sign", "compare_sign", "end_name", "block_name", "moment"), _words),
    **dict.fromkeys(("params", "event_params", "binders", "purses", "elif", "entry", "lets", "keys"), _list),
    "names": _names,
    "signed": _signed,
    "former_whose": former.whose,
    "former_set": former.set_type,
    "former_value": former.one_value,
    "else_row": lambda b, tree: None,
    "cites": _cites,
    "cited": _cited,
    "arguments": _arguments,
    # ---- declarations
    "function": node(ast.Function, "name params returns depth value"),
    "quantity": node(ast.QuantityDecl),
    "event": _event,
    "winner": node(ast.Winner),
    "tie": node(ast.Tie, "*breaks"),
    "tie_by": node(ast.TieBreak),
    "tie_shared": node(ast.TieBreak, "", ranking="shared"),
    "group": node(ast.ExchangeGroup, "name params purse times *exchanges"),
    "remove_step": node(ast.StepChange, "step rule", timing="remove"),
    "remove_exchange": node(ast.Removal, "name group", category="exchange"),
    "remove_named": node(ast.Removal, "category name"),
    "remove_once": node(ast.Removal, "category"),
    "modifier": node(ast.Modifier, "quantity params whose guard priority lets layer value"),
    "bind_let": node(ast.Let, "name value"),
    "offer": node(ast.Offer, "menu *items"),
    "limit_once": node(ast.Limit, times=1),
    "limit_times": node(ast.Limit),
    # ---- statements
    "block": _block,
    "block_text": _block,
    "assign": node(ast.Assign, "target op value leave"),
    "assign_by": node(ast.Assign, "target op value by leave"),
    "end_game": _end_game,
    "pay_simple": node(ast.Pay, "cost purses to"),
    "if": _if,
    "repeat": node(ast.Repeat, "body"),
    "repeat_n": node(ast.Repeat),
    "turn": node(ast.Scope, "seat body", kind="turn"),
    "round": node(ast.Scope, "body", kind="round"),
    "phase": node(ast.Scope, "name body", kind="phase"),
    "menu": node(ast.Menu, "anyway secretly name by *items otherwise"),
    # ---- values
    "name": node(ast.NameExpr),
    "true": node(ast.Truth, value=True),
    "false": node(ast.Truth, value=False),
    "none": node(ast.NoneExpr),
    **{
        f"amount_{mode}": node(ast.Amount, "count *names", mode=mode, goods=())
        for mode in ("plain", "any", "identical")
    },
    "amount_either": node(ast.Amount, "count *goods", mode="either", names=()),
    "arithmetic": node(ast.Arithmetic, "left op right"),
    "compare": node(ast.Compare, "left op right"),
    "or_": node(ast.Logic, op="or"),
    "and_": node(ast.Logic, op="and"),
    "not_": node(ast.Not),
    "member": node(ast.Member, negated=False),
    "not_member": node(ast.Member, negated=True),
    "is_": _is,
    "end_of": node(ast.EndOf, "end collection"),
    "ends_of": node(ast.EndOf),
    "lookup": node(ast.Lookup, "*entries at"),
    "index": node(ast.Index, "object *indices"),
    "call": _call,
    "comprehension": _comprehension,
    "distinct_by": _list,
    "for_each": _for_each,
    "set_literal": node(ast.SetLiteral, "*elements"),
    # ---- choosing and chance
    "choose": node(ast.Choose, "anyway together secretly domain by name"),
    **{mode: node(ast.Quantity, "low", mode=mode) for mode in ("exactly", "at_least", "up_to", "down_to")},
    "between": node(ast.Quantity, mode="between"),
    "any_number": node(ast.Quantity, "", mode="any"),
    "random_one": node(ast.RandomOf, "collection weight", at_once=False),
    "random_some": node(ast.RandomOf, "count at_once collection"),
}
