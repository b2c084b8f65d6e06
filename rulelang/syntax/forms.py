"""How each node is written on a line, with no more parentheses than the grammar needs: a table of forms.

Enters: nodes of `ast`. Leaves: documents for `layout`. The levels are those of the grammar: a value of a lower level
than its place asks for stands in parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rulelang.syntax import ast
from rulelang.syntax.layout import Below, Doc, bracket, chain, deeper
from rulelang.syntax.words import BY

ANY, VALUE, TERNARY, ALTERNATIVE, OR, AND, NOT, COMPARISON, COLLECTION, SUM, PRODUCT, UNARY, PREFIX, POSTFIX, ATOM = (
    range(15)
)
Form = str | Callable[[Any], Doc]
"""A text with fields, or what makes the document of a node.

A field is `{name}`, `{name:LEVEL}` for a value of at least that level; `{before|name|after}` is nothing where the field
is None or false. `>` before the level indents what its lines end in, `=` begins a value that may stand below.
"""
_FIELD = re.compile(r"{(?:([^{}|]*)\|)?(\w+)(?::([>=]?)([A-Z]*))?(?:\|([^{}]*))?}")


@cache
def _parts(form: str) -> list[str | None]:
    """Return a form cut at its fields: a text, then before, name, how, level and after of a field, and so on."""
    return _FIELD.split(form)


def filled(form: str, node: ast.Node) -> Doc:
    """Return the document of a form with the fields of a node."""
    text, *rest = _parts(form)
    docs: list[Doc] = [text or ""]
    for before, name, how, level, after, text in zip(*[iter(rest)] * 6, strict=True):
        field = getattr(node, name or "")
        if before is None or not (field is None or field is False):
            doc = LISTS[name](field) if name in LISTS else _field(field, LEVELS[level or "ANY"])
            docs += [before or "", Below(doc) if how == "=" else deeper(doc) if how else doc, after or ""]
        docs.append(text or "")
    parts = tuple(doc for doc in docs if doc != "")
    return parts[0] if len(parts) == 1 else parts


def _field(field: Any, level: int) -> Doc:
    """Return the document of a node's field: a name, a node, a word or a number; of what is true nothing."""
    if isinstance(field, ast.Name):
        return field.text
    return value(field, level) if isinstance(field, ast.Node) else "" if field is True else str(field)


def value(node: ast.Node, level: int = ANY) -> Doc:
    """Return the document of a node, in brackets if it is a value that binds more loosely than `level`."""
    own, form = OPERATORS.get(type(node)) or (ATOM, FORMS[type(node)])
    own = OF_SIGN.get(getattr(node, "op", ""), own)
    doc = filled(form, node) if isinstance(form, str) else form(node)
    return doc if own >= level else bracket("(", (doc,), ")")


# ---- parts


def filtered(doc: Doc, condition: ast.Expr | None) -> Doc:
    """Return a document followed by ` where CONDITION`, if there is a condition."""
    return chain(doc, ("where ", value(condition, VALUE))) if condition else doc


def guarded(form: str, node: Any, end: str = "{|limit}") -> Doc:
    """Return a form followed by the `when` of its node, if it has one, and its limit."""
    head, last = filled(form, node), filled(end, node)
    return chain(head, ("when ", value(node.guard, VALUE), last)) if node.guard else (head, last)


def _several(opening: str, nodes: Sequence[ast.Node], closing: str) -> Doc:
    """Return the values of nodes in brackets."""
    return bracket(opening, [value(node, VALUE) for node in nodes], closing)


def _joined(nodes: Sequence[ast.Node], between: str, level: int) -> Doc:
    """Return nodes with a text between each two of them."""
    first, *rest = (value(node, level) for node in nodes)
    return (first, *((between, doc) for doc in rest))


def _row(key: int | ast.Expr | None) -> Doc:
    """Return the document of a key of a table."""
    return "else" if key is None else value(key) if isinstance(key, ast.Expr) else str(key)


PARAMETERS: dict[type[ast.Node], str] = {
    ast.Param: "{name}: {type}",
    ast.Let: "let {name} = {value:VALUE}",
    ast.Name: "{text}",
}


def _parameters(nodes: Sequence[ast.Param | ast.Let | ast.Name]) -> Doc:
    """Return parameters, with their types where these are declared, in parentheses; nothing without any."""
    items = [filled(PARAMETERS[type(node)], node) for node in nodes]
    return bracket("(", items, ")") if items else ""


def _binders(nodes: Sequence[ast.Binder]) -> Doc:
    """Return the binders of a menu's item in parentheses; nothing without any."""
    items = [filled("let {name} = {value:VALUE}", n) if isinstance(n, ast.Let) else value(n) for n in nodes]
    return bracket("(", items, ")") if items else ""


LISTS: dict[str | None, Callable[[Any], Doc]] = {
    "arguments": lambda nodes: _several("(", nodes, ")"),
    "indices": lambda nodes: _several("[", nodes, "]"),
    "elements": lambda nodes: _several("[", nodes, "]"),
    "entries": lambda rows: bracket("{", tuple((_row(key), ": ", value(entry, VALUE)) for key, entry in rows), "}"),
    "purses": lambda nodes: _joined(nodes, " + ", POSTFIX),
    "breaks": lambda nodes: _joined(nodes, ", then ", ANY),
    "params": _parameters,
    "binders": _binders,
}
"""Field that holds several nodes -> how they are written."""
LEVELS = {name: level for name, level in globals().items() if name.isupper() and isinstance(level, int)}
OF_SIGN = {"and": AND, "+": SUM, "-": SUM}
"""The levels of operators whose class has another one, too."""


# ---- values


def _links(node: ast.Logic) -> tuple[Doc, ...]:
    """Return a chain that may break before each `and` or `or` of a condition."""
    right = (f"{node.op} ", value(node.right, NOT))
    if isinstance(node.left, ast.Logic) and node.left.op == node.op:
        return (*_links(node.left), right)
    return (value(node.left, NOT), right)


def _keys(word: str, keys: Sequence[ast.SortKey]) -> list[Doc]:
    """Return a chain that may break before each key of a `with` or `sorted by`."""
    first, *rest = map(value, keys)
    return [(word, first), *(("then ", key) for key in rest)]


def _random(node: ast.RandomOf) -> Doc:
    """Return the document of a draw without its weights."""
    return filled(f"random {'{count:SUM}{ at once|at_once}' if node.count else 'one'} of {{collection:VALUE}}", node)


def _branches(node: ast.Conditional) -> tuple[Doc, ...]:
    """Return a chain that may break before each `else` of a conditional expression."""
    otherwise = node.otherwise
    rest = _branches(otherwise) if isinstance(otherwise, ast.Conditional) else (value(otherwise, TERNARY),)
    return (filled("{then:ALTERNATIVE} if {condition:ALTERNATIVE}", node), ("else ", rest[0]), *rest[1:])


def _arithmetic(node: ast.Arithmetic) -> Doc:
    """Return the document of a sum or product; what stands on its right binds tighter."""
    own = OF_SIGN.get(node.op, PRODUCT)
    return (value(node.left, own), f" {node.op} ", value(node.right, own + 1))


def _amount(node: ast.Amount) -> Doc:
    """Return the document of an amount of resources: `2 gold`, `1 any gold or tin`."""
    names = " or ".join(name.text for name in node.names)
    count = value(node.count) if isinstance(node.count, ast.Number) else bracket("(", (value(node.count),), ")")
    if node.mode == "either":
        return (count, " (", _joined(node.goods, " or ", POSTFIX), ")")
    return (count, f" {names}" if node.mode == "plain" else f" {node.mode} {names}")


def _comprehension(node: ast.Comprehension) -> Doc:
    """Return a group of body, `for` clauses and `where`, one to a line where they do not fit on one."""
    links: list[Doc] = []
    body: ast.Expr = node
    while isinstance(body, ast.Comprehension):
        links.append(filled("for {name} in {collection:COLLECTION}", body))
        links += [("where ", value(body.condition, VALUE))] if body.condition else []
        body = body.body
    return chain(value(body, VALUE), *links)


def _call(node: ast.Call) -> Doc:
    """Return the document of a call."""
    if node.function.text in BY and len(node.arguments) > 1:
        first, *keys = (value(argument, VALUE) for argument in node.arguments)
        return (node.function.text, bracket("(", [(first, " by ", keys[0]), *keys[1:]], ")"))
    return filled("{function}{arguments}", node)


def _numbers(node: ast.OneNumber | ast.BindNumber) -> Doc:
    """Return the document of a range of numbers: `1 to 9 where it mod 2 = 0`."""
    return filtered(filled("{low:SUM} to {high:SUM}", node), node.condition)


OPERATORS: dict[type[ast.Node], tuple[int, Form]] = {
    ast.Choose: (
        ANY,
        "{anyway |anyway}{together |together}{secretly |secretly}choose {domain:>}{ by |by:POSTFIX}{ as |name}",
    ),
    ast.Roll: (ANY, "roll {low:SUM} to {high:SUM}"),
    ast.RandomOf: (ANY, lambda n: chain(_random(n), filled("weighted by {weight:SUM}", n)) if n.weight else _random(n)),
    ast.Where: (VALUE, lambda n: filtered(value(n.collection, COLLECTION), n.condition)),
    ast.Ranked: (VALUE, lambda n: chain(value(n.collection, COLLECTION), *_keys("with ", n.keys))),
    ast.Sorted: (VALUE, lambda n: chain(value(n.collection, COLLECTION), *_keys("sorted by ", n.keys))),
    ast.Comprehension: (VALUE, _comprehension),
    ast.Conditional: (TERNARY, lambda n: chain(*_branches(n))),
    ast.Otherwise: (ALTERNATIVE, lambda n: chain(value(n.value, ALTERNATIVE), ("otherwise ", value(n.default, OR)))),
    ast.Logic: (OR, lambda n: chain(*_links(n))),
    ast.Not: (NOT, "not {operand:NOT}"),
    ast.Compare: (COMPARISON, "{left:SUM} {op} {right:SUM}"),
    ast.Member: (COMPARISON, "{element:SUM}{ not|negated} in {collection:SUM}"),
    ast.Is: (COMPARISON, lambda n: filled(f"{{operand:SUM}} is{{ not|negated}} {_state(n)}", n)),
    ast.CanPay: (COMPARISON, "can pay {cost:OR} from {purses}"),
    ast.Grouped: (COLLECTION, "{collection:SUM} grouped by {attribute}"),
    ast.Arithmetic: (PRODUCT, _arithmetic),
    ast.Negative: (UNARY, lambda n: ("-", value(n.operand, PREFIX if isinstance(n.operand, ast.Negative) else UNARY))),
    ast.EndOf: (PREFIX, "{end} {|count:ATOM| }of {collection:PREFIX}"),
    ast.CellOf: (PREFIX, "cell of {piece:PREFIX}"),
    ast.Lookup: (PREFIX, "{entries} at {at:PREFIX}"),
    ast.Attribute: (POSTFIX, "{object:POSTFIX}.{name}"),
    ast.Index: (POSTFIX, "{object:POSTFIX}{indices}"),
}
"""Class of values -> the level at which they bind, and their form."""


def _state(node: ast.Is) -> str:
    """Return what `is` asks: a state or the name of a row."""
    return node.definition.text if node.definition else node.state


_AMOUNTS = {
    "exactly": "{low:SUM}",
    "at_least": "{low:SUM} or more",
    "up_to": "up to {low:SUM}",
    "down_to": "down to {low:SUM}",
    "between": "{low:SUM} to {high:SUM}",
    "any": "any",
}


def _exchange(node: ast.Exchange) -> Doc:
    """Return the document of an exchange."""
    head = guarded("exchange {name}{ in |group}", node)
    return (deeper(head, 2), filled(": {cost:VALUE} -> {gain:>}", node))


FORMS: dict[type[ast.Node], Form] = {
    # ---- types and values
    ast.NamedType: "{name}",
    ast.RangeType: "{low}..{high}",
    ast.BagType: "bag of {resource}",
    ast.CostType: "cost of {resource}",
    ast.SetType: "list of {element}",
    ast.GroupType: "group of {element} by {attribute}",
    ast.OptionalType: "{inner}?",
    ast.NameExpr: "{name}",
    ast.Number: "{value}",
    ast.Truth: lambda node: "true" if node.value else "false",
    ast.NoneExpr: "none",
    ast.Amount: _amount,
    ast.Call: _call,
    ast.SetLiteral: "{elements}",
    ast.Possible: lambda n: (
        "possible",
        bracket("(", (chain(_call(n.call), filled("then {condition:VALUE}", n)),), ")"),
    ),
    ast.SortKey: "{ranking} {value:TERNARY}",
    # ---- what is chosen
    ast.Quantity: lambda node: filled(_AMOUNTS[node.mode], node),
    ast.OneOf: "one of {collection:VALUE}",
    ast.OneNumber: lambda node: ("a number from ", _numbers(node)),
    ast.SomeOf: "{amount} of {collection:VALUE}",
    ast.BindEach: "{name} in {collection:VALUE}",
    ast.BindNumber: lambda node: (f"{node.name.text} from ", _numbers(node)),
    ast.BindAmount: "{name} = {amount} of {collection:VALUE}",
    ast.BindPayment: "paying {cost:VALUE} from {purses}{ to |to:POSTFIX}",
    # ---- statements
    ast.Let: "let {name} ={value:=}{ else |leave}",
    ast.Assign: "{target:POSTFIX} {op}{value:=}{ by |by:POSTFIX}{ else |leave}",
    # A filter or choice reads better in parentheses: its last words would run into `to`.
    ast.Move: "move {what:SUM}{ from |origin:POSTFIX} to {to:POSTFIX}{ at bottom|at_bottom}{ secretly|secretly}",
    ast.Draw: "draw {count:SUM}{ at once|at_once} from {pile:POSTFIX} to {to:POSTFIX}{ secretly|secretly}",
    ast.Shuffle: "shuffle {pile:POSTFIX}",
    ast.CallStatement: "{call}",
    ast.Return: "return{ |value:>}",
    ast.Stop: "stop",
    ast.Pass: "pass",
    ast.Proceed: "proceed{|arguments}",
    ast.Never: "never",
    ast.Require: "require {condition:>VALUE}",
    ast.EndGame: (
        "end the game{ after this |after}{ won by |won_by:VALUE}{ drawn|drawn}{ lost|lost}{ with |amounts:VALUE}"
    ),
    ast.Mark: "mark {target:POSTFIX} until {moment} {event}{ of |seat:POSTFIX}",
    ast.Eliminate: "eliminate {seat:POSTFIX}",
    ast.Remember: "remember {position}",
    ast.Forget: "forget {position}",
    ast.Reveal: "reveal {value:>VALUE}{ to |to:>VALUE}",
    ast.Arrange: lambda node: deeper(
        filtered(filled("{anyway |anyway}arrange {zone:SUM} by {variable}", node), node.condition)
    ),
    ast.Trade: "trade {group}{arguments}",
    ast.Pay: "pay {cost:VALUE} from {purses}{ to |to:POSTFIX}",
    ast.IfSome: "some {name} = {value}",
    ast.For: "for {name} in {collection}",
    ast.While: "while {condition:VALUE}",
    ast.Repeat: "repeat{ |times:SUM| times}",
    ast.AsBlock: "as {seat:VALUE}",
    ast.Scope: "{kind}{ of |seat:VALUE}{ |name}",
    ast.Step: "step {name}",
    ast.Menu: "{anyway |anyway}{secretly |secretly}choose{ |name}{ by |by:POSTFIX}",
    ast.MenuItem: lambda node: guarded("{name}{binders}", node),
    # ---- declarations, up to their block
    ast.Version: "rulelang {number}",
    ast.Setup: "setup",
    ast.Play: "play",
    ast.Event: lambda node: (
        f"event {node.name.text}",
        _parameters((*node.params, *node.lets)),
        filled("{ by |by}{ up to |depth| deep}", node),
    ),
    **dict.fromkeys((ast.Rule, ast.Ability), "{word} {name}{params}{ -> |returns}{ up to |depth| deep}"),
    ast.Function: "{word} {name}{params} -> {returns}{ up to |depth| deep}",
    **dict.fromkeys((ast.QuantityDecl, ast.AbilityValue), "{word} {name}{params} -> {returns}"),
    ast.Score: "score {name}",
    ast.PieceScore: "scores",
    ast.Payoff: "payoff",
    ast.Winner: lambda n: (
        "winner:",
        Below((f"{n.ranking} when " if n.ranking == "all" else f"{n.ranking} ", deeper(value(n.value, VALUE)))),
    ),
    ast.Tie: "tie: {breaks}",
    ast.TieBreak: "{ranking}{ |value:VALUE}",
    ast.Limit: lambda n: filled(" once per {scope}" if n.times == 1 else " {times} times per {scope}", n),
    ast.Exchange: _exchange,
    ast.ExchangeGroup: "exchanges {name}{params} from {purse:VALUE}{ at most |times:SUM| times}",
    ast.Whose: " for {seat:VALUE}{ as |parameter}",
    ast.Handler: lambda node: guarded("{may |optional}{timing} {event}{params}{|whose}", node),
    ast.Modifier: lambda n: guarded("modify {quantity}{params}{|whose}", n, " priority {priority}" * (n.priority != 0)),
    ast.Offer: "offer in {menu}",
    ast.Implement: "on {ability}{params}",
    ast.ImplementValue: "on {ability}{params} ={value:=VALUE}",
    ast.StepChange: "{timing} step {step}{ of |rule}",
    ast.Removal: "remove {category}{ |name}{ in |group}",
}
"""Class of nodes that bind nothing around them -> their form."""
