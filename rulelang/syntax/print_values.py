"""Types and values as text, with no more parentheses than the grammar needs.

Enters: nodes of `ast`. Leaves: documents for `layout`. The levels are those of the grammar: a value of a lower level
than its place asks for stands in parentheses.
"""

from __future__ import annotations

from rulelang.syntax import ast
from rulelang.syntax.layout import Doc, bracket, chain, deeper
from rulelang.syntax.words import BY

ANY, VALUE, TERNARY, ALTERNATIVE, OR, AND, NOT, COMPARISON, COLLECTION, SUM, PRODUCT, UNARY, PREFIX, POSTFIX, ATOM = (
    range(15)
)


def type_text(node: ast.TypeNode) -> str:
    """Return the source text of a type."""
    match node:
        case ast.NamedType(name=name):
            return name
        case ast.RangeType(low=low, high=high):
            return f"{low}..{high}"
        case ast.BagType(resource=resource):
            return f"bag of {resource}"
        case ast.CostType(resource=resource):
            return f"cost of {resource}"
        case ast.SetType(element=element):
            return f"set of {type_text(element)}"
        case ast.OptionalType(inner=inner):
            return f"{type_text(inner)}?"
    raise TypeError(f"no type: {node!r}")


def value(node: ast.Expr, level: int = ANY) -> Doc:
    """Return the document of an expression, in brackets if it binds more loosely than `level`."""
    own, doc = _value(node)
    if own >= level:
        return doc
    return bracket("(", (doc,), ")")


def _links(node: ast.Logic) -> tuple[Doc, ...]:
    """Return a chain that may break before each `and` or `or` of a condition."""
    right = (f"{node.op} ", value(node.right, NOT))
    if isinstance(node.left, ast.Logic) and node.left.op == node.op:
        return (*_links(node.left), right)
    return (value(node.left, NOT), right)


def _branches(node: ast.Conditional) -> tuple[Doc, ...]:
    """Return a chain that may break before each `else` of a conditional expression."""
    otherwise = node.otherwise
    rest = _branches(otherwise) if isinstance(otherwise, ast.Conditional) else (value(otherwise, TERNARY),)
    first = (value(node.then, ALTERNATIVE), " if ", value(node.condition, ALTERNATIVE))
    return (first, ("else ", rest[0]), *rest[1:])


def filtered(doc: Doc, condition: ast.Expr | None) -> Doc:
    """Return a document followed by ` where CONDITION`, if there is a condition."""
    return chain(doc, ("where ", value(condition, VALUE))) if condition else doc


def purses(nodes: tuple[ast.Expr, ...]) -> Doc:
    """Return the document of purses joined by `+`: `purse + here.stock`."""
    first, *rest = nodes
    return (value(first, POSTFIX), *((" + ", value(node, POSTFIX)) for node in rest))


def arguments(nodes: tuple[ast.Expr, ...]) -> Doc:
    """Return the document of an argument list: `(a, b)`."""
    return bracket("(", [value(node, VALUE) for node in nodes], ")")


def quantity(node: ast.Quantity) -> Doc:
    """Return the document of how many are chosen: `2`, `up to 3`, `any`."""
    low = value(node.low, SUM) if node.low else ""
    match node.mode:
        case "at_least":
            return (low, " or more")
        case "up_to":
            return ("up to ", low)
        case "down_to":
            return ("down to ", low)
        case "between" if node.high:
            return (low, " to ", value(node.high, SUM))
        case "any":
            return "any"
    return low


def numbers(node: ast.OneNumber | ast.BindNumber) -> Doc:
    """Return the document of a range of numbers: `1 to 9 where it mod 2 = 0`."""
    return filtered((value(node.low, SUM), " to ", value(node.high, SUM)), node.condition)


def _domain(node: ast.Domain) -> Doc:
    """Return the document of the domain that is chosen from."""
    match node:
        case ast.OneOf(collection=collection):
            return ("one of ", value(collection, VALUE))
        case ast.OneNumber():
            return ("a number from ", numbers(node))
        case ast.OneValue(type=name, condition=condition):
            article = "an" if name.text[0] in "AEIOUaeiou" else "a"
            return filtered(f"{article} {name.text}", condition)
        case ast.SomeOf(amount=amount, collection=collection):
            return (quantity(amount), " of ", value(collection, VALUE))


def _amount(node: ast.Amount) -> Doc:
    """Return the document of an amount of resources: `2 gold`, `1 any gold or tin`."""
    names = " or ".join(name.text for name in node.names)
    count = value(node.count) if isinstance(node.count, ast.Number) else bracket("(", (value(node.count),), ")")
    if node.mode == "either":
        return (count, f" ({names})")
    return (count, f" {names}" if node.mode == "plain" else f" {node.mode} {names}")


def _is(node: ast.Is) -> Doc:
    """Return the document of an `is` or `is not` test."""
    state = node.definition.text if node.definition else node.state
    return (value(node.operand, SUM), " is not " if node.negated else " is ", state)


def _comprehension(node: ast.Comprehension) -> Doc:
    """Return a group of body, `for` clauses and `where`, one to a line where they do not fit on one."""
    links: list[Doc] = []
    body: ast.Expr = node
    while isinstance(body, ast.Comprehension):
        links.append((f"for {body.name.text} in ", value(body.collection, COLLECTION)))
        links += [("where ", value(body.condition, VALUE))] if body.condition else []
        body = body.body
    return chain(value(body, VALUE), *links)


def _call(node: ast.Call) -> Doc:
    """Return the document of a call."""
    if node.function.text in BY and len(node.arguments) > 1:
        first, *keys = (value(argument, VALUE) for argument in node.arguments)
        return (node.function.text, bracket("(", [(first, " by ", keys[0]), *keys[1:]], ")"))
    return (node.function.text, arguments(node.arguments))


def _value(node: ast.Expr) -> tuple[int, Doc]:
    """Return precedence level and document of an expression."""
    match node:
        case ast.Choose(domain=domain, by=by, together=together, secretly=secretly):
            words = "together " * together + "secretly " * secretly + "choose "
            return ANY, (words, deeper(_domain(domain)), (" by ", value(by, POSTFIX)) if by else "")
        case ast.Roll(low=low, high=high):
            return ANY, ("roll ", value(low, SUM), " to ", value(high, SUM))
        case ast.RandomOf(count=count, collection=collection):
            return ANY, ("random ", value(count, SUM) if count else "one", " of ", value(collection, VALUE))
        case ast.Where(collection=collection, condition=condition):
            return VALUE, filtered(value(collection, COLLECTION), condition)
        case ast.Ranked(collection=collection, ranking=ranking, key=key):
            return VALUE, chain(value(collection, COLLECTION), (f"with {ranking} ", value(key, VALUE)))
        case ast.Comprehension():
            return VALUE, _comprehension(node)
        case ast.Conditional():
            return TERNARY, chain(*_branches(node))
        case ast.Otherwise(value=inner, default=default):
            return ALTERNATIVE, chain(value(inner, ALTERNATIVE), ("otherwise ", value(default, OR)))
        case ast.Logic(op=op):
            return OR if op == "or" else AND, chain(*_links(node))
        case ast.Not(operand=operand):
            return NOT, ("not ", value(operand, NOT))
        case ast.Compare(op=op, left=left_side, right=right):
            return COMPARISON, (value(left_side, SUM), f" {op} ", value(right, SUM))
        case ast.Member(element=element, collection=collection, negated=negated):
            return COMPARISON, (value(element, SUM), " not in " if negated else " in ", value(collection, SUM))
        case ast.Is():
            return COMPARISON, _is(node)
        case ast.CanPay(cost=cost, purses=payers):
            return COMPARISON, ("can pay ", value(cost, OR), " from ", purses(payers))
        case ast.Grouped(collection=collection, attribute=attribute):
            return COLLECTION, (value(collection, SUM), f" grouped by {attribute.text}")
        case ast.Arithmetic(op=op, left=left_side, right=right):
            own = SUM if op in ("+", "-") else PRODUCT
            return own, (value(left_side, own), f" {op} ", value(right, own + 1))
        case ast.Negative(operand=operand):
            return UNARY, ("-", value(operand, PREFIX if isinstance(operand, ast.Negative) else UNARY))
        case ast.EndOf(end=end, count=count, collection=collection):
            number = (value(count, ATOM), " ") if count else ""
            return PREFIX, (f"{end} ", number, "of ", value(collection, PREFIX))
        case ast.CellOf(piece=piece):
            return PREFIX, ("cell of ", value(piece, PREFIX))
        case ast.Lookup(entries=entries, at=at):
            items = tuple((f"{key}: ", value(entry, VALUE)) for key, entry in entries)
            return PREFIX, (bracket("{", items, "}"), " at ", value(at, PREFIX))
        case ast.Attribute(object=inner, name=name):
            return POSTFIX, (value(inner, POSTFIX), f".{name.text}")
        case ast.Index(object=inner, indices=indices):
            return POSTFIX, (value(inner, POSTFIX), bracket("[", [value(i, VALUE) for i in indices], "]"))
    return ATOM, _atom(node)


def _atom(node: ast.Expr) -> Doc:
    """Return the document of an expression without operators at its top."""
    match node:
        case ast.NameExpr(name=name):
            return name
        case ast.Number(value=number):
            return str(number)
        case ast.Truth(value=truth):
            return "true" if truth else "false"
        case ast.NoneExpr():
            return "none"
        case ast.Amount():
            return _amount(node)
        case ast.Call():
            return _call(node)
        case ast.SetLiteral(elements=elements):
            return bracket("[", [value(element, VALUE) for element in elements], "]")
        case ast.Possible(call=call, condition=condition):
            return ("possible", bracket("(", (chain(_call(call), ("then ", value(condition, VALUE))),), ")"))
    raise TypeError(f"no value: {node!r}")
