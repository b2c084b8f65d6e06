"""Conditions as clauses: `your hand is empty`, `no player has passed`; a negation goes to where one would say it.

Enters: expressions that are true or false. Leaves: clauses, plain or negated.
"""

from __future__ import annotations

from rulelang.languages.grammar import Noun, Phrase, settled, spoken_to
from rulelang.prose.context import ProseContext, clause, name_of, operands
from rulelang.prose.group import NounGroup
from rulelang.prose.groups import (
    conditions,
    counted_group,
    counts,
    disambiguated,
    narrowed,
    over,
    place_name,
    relative_clause,
    subject,
    within,
)
from rulelang.prose.sorts import BOOL, NUMBER, PLAYER
from rulelang.prose.wording import called, worded
from rulelang.syntax import ast
from rulelang.syntax.comprehensions import outermost
from rulelang.vocabulary.operations import NEGATED, SIGN_OF

OPPOSITE = {SIGN_OF[name]: SIGN_OF[other] for name, other in NEGATED.items()}
"""Sign of a comparison -> that which holds where it does not, if there is one."""
COUNTS = {"=": "exactly", ">=": "at_least", "<=": "at_most", ">": "more", "<": "fewer", "!=": "not"}


def _no(negated: bool) -> str:
    """Return the key suffix of a negated template."""
    return ".not" if negated else ""


@clause(ast.Truth)
def _truth(at: ProseContext, node: ast.Truth, negated: bool) -> str:
    """Word `true` or `false` as a clause."""
    return at.say("clause.true" if node.value != negated else "clause.false")


@clause(ast.Not)
def _not(at: ProseContext, node: ast.Not, negated: bool) -> str:
    """Word a negation, by negating its operand."""
    return at.clause(node.operand, not negated)


@clause(ast.Logic)
def _logic(at: ProseContext, node: ast.Logic, negated: bool) -> str:
    """Word `and` and `or`; a negation is distributed over the operands by De Morgan's laws."""
    word = {"and": "or", "or": "and"}[node.op] if negated else node.op
    return at.joined(conditions(at.after, operands(node, node.op), negated), word)


@clause(ast.CanPay)
def _can_pay(at: ProseContext, node: ast.CanPay, negated: bool) -> str:
    """Word whether a cost can be paid."""
    return at.after.say(f"CanPay{_no(negated)}", node, who=at.quiet)


@clause(ast.Possible)
def _possible(at: ProseContext, node: ast.Possible, negated: bool) -> str:
    """Word whether a call is possible."""
    return at.say(f"Possible{_no(negated)}", node, call=called(at, node.call))


@clause(ast.Conditional)
def _conditional(at: ProseContext, node: ast.Conditional, negated: bool) -> str:
    """Word a conditional whose alternatives are conditions."""
    then, otherwise = (at.after.clause(part, negated) for part in (node.then, node.otherwise))
    return at.say("Conditional", node, then=then, otherwise=otherwise)


# ---- comparisons


@clause(ast.Compare)
def _compare(at: ProseContext, node: ast.Compare, negated: bool) -> str:
    """Return the clause of a comparison, worded by what is compared: absence, counts, truth values, bags or numbers."""
    op, left, right = OPPOSITE.get(node.op, f"{node.op}.not") if negated else node.op, node.left, node.right
    if isinstance(right, ast.NoneExpr) or isinstance(left, ast.NoneExpr):
        return absent(at, left if isinstance(right, ast.NoneExpr) else right, op == "=")
    if op in COUNTS and counts(left) and (group := counted_group(at, left)) is not None and not group.items:
        return _so_many_there(at, op, group, right)
    if isinstance(right, ast.Truth):
        return at.clause(left, (op == "=") != right.value)
    if (having := _having(at, op, left, right)) is not None:
        return having
    sort = at.sort(left)
    if op in ("=", "!=") and sort == BOOL:
        return at.say(f"Compare.bool.{op}", left=at.after.clause(left), right=at.after.clause(right))
    kind = op
    if op in ("=", "!=") and sort.what in ("bag", "cost"):
        kind = f"bag.{op}"
    elif op in ("=", "!=") and sort.what not in ("number", "unknown", "bool"):
        kind = "same" if op == "=" else "other"
    return at.say(f"Compare.{kind}", node, right=at.after.value(right))


def _having(at: ProseContext, op: str, left: ast.Expr, right: ast.Expr) -> str | None:
    """Word a comparison of a player's amount: `you have at least 2 coins`; None if the idiom does not fit."""
    number = at.after.value(right).text
    if op not in COUNTS or len(number.split()) > 1 or not number.removeprefix("−").isalnum():
        return None
    name = place_name(at, left)
    if name and at.sort(left) == NUMBER and at.counts(name) and (owner := holder(at, left)) is not None:
        return _so_many(at, "has", op, number, at.unit(name), settled(owner))
    if isinstance(left, ast.Attribute) and left.name.text in at.nouns.goods:
        return _so_many(at, "contains", op, number, at.unit(left.name.text), at.value(left.object))
    return None


def _so_many(at: ProseContext, key: str, op: str, number: str, noun: Noun, x: Phrase) -> str:
    """Word a bound on an amount: `has at least 2 coins`; strict bounds become inclusive, at most 0 becomes `no`."""
    if number.isdigit():
        amount, op = _closed(int(number), op)
        number = str(amount)
    if number == "0" and op in ("=", "<="):
        return at.say(f"{key}.none", x=x, what=at.grammar.form(noun, 0))
    return at.say(f"{key}.{COUNTS[op]}", x=x, what=at.counted(number, noun))


def _closed(number: int, op: str) -> tuple[int, str]:
    """Convert a strict integer bound to an inclusive one: `> 1` becomes `>= 2`."""
    return {">": (number + 1, ">="), "<": (number - 1, "<=")}.get(op, (number, op))


def holder(at: ProseContext, target: ast.Expr) -> Phrase | None:
    """Return the owner of a player's variable as the subject of a clause; None if no player owns it."""
    match target:
        case ast.NameExpr():
            return at.you if at.nouns.is_own(target.name) else None
        case ast.Attribute() if at.sort(target.object) == PLAYER and target.name.text in at.nouns.variables:
            return spoken_to(at.value(target.object))
        case ast.Index():
            return holder(at, target.object)
    return None


def _so_many_there(at: ProseContext, op: str, group: NounGroup, right: ast.Expr) -> str:
    """Word a bound on a count: `there is no card in your hand`, `there are at least 2 cards in your hand`."""
    if not isinstance(right, ast.Number):
        size = at.phrase("Call.count", group=group.several(at))
        return at.say(f"Compare.{op}", left=size, right=at.after.value(right))
    number, op = _closed(right.value, op)
    if number == 0 and op in ("=", "<="):
        return at.say("there.none", none=group.none(at))
    if (number, op) in ((0, "!="), (1, ">=")):
        return at.say("there.some", one=group.one(at))
    return at.say(f"there.{COUNTS[op]}", x=Phrase("", many=number != 1), what=group.so_many(at, str(number)))


# ---- what is in what


@clause(ast.Member)
def _member(at: ProseContext, node: ast.Member, negated: bool) -> str:
    """Return the clause of `x in collection`, worded by collection: a bag, list of items, the players or a zone."""
    no, collection = _no(negated != node.negated), node.collection
    good = name_of(node.element) if name_of(node.element) in at.nouns.goods else ""
    if at.sort(collection).is_goods:
        bag = at.value(collection)
        if good:
            return at.say(f"Member.bag{no}", bag=bag, what=at.unit(good).one)
        return at.say(f"Member.bag.that{no}", bag=bag, what=at.after.value(node.element))
    group = (at.after if at.antecedent and subject(at, node) is node.element else at).group(collection)
    if good:
        return at.say(f"Member.contains{no}", group=group.all(at), what=at.after.value(node.element))
    x = at.value(node.element)
    if group.items:
        nor = f" {at.say('nor')} ".join(group.items)
        return at.say(f"Member.items{no}", x=x, items=at.joined(group.items, "or"), nor=nor)
    if name_of(collection) in ("players", "everyone"):
        return at.say(f"Member.players{no}", x=x)
    if group.bare:
        return at.say(f"Member.zone{no}", x=x, rest=group.tail(False))
    return at.say(f"Member{no}", x=x, group=group.all(at))


@clause(ast.Is)
def _is(at: ProseContext, node: ast.Is, negated: bool) -> str:
    """Word a state test: `is none`, `is empty`, or that a piece is of a definition."""
    negated = negated != node.negated
    if node.state == "none":
        return absent(at, node.operand, not negated)
    if node.definition is not None:
        what = at.lexicon.name(node.definition.text)
        return at.say(f"Is.definition{_no(negated)}", x=at.value(node.operand), what=what)
    if at.sort(node.operand).what in ("bag", "cost"):
        return at.say(f"Is.empty{_no(negated)}", x=at.value(node.operand))
    group = at.group(node.operand)
    if group.bare or group.whole is not None:
        return at.say(f"Is.empty{_no(negated)}", x=group.all(at))
    return _has_elements(at, group, negated)


def _has_elements(at: ProseContext, group: NounGroup, some: bool) -> str:
    """Word that a group has elements (`some`) or none."""
    return at.say("there.some", one=group.one(at)) if some else at.say("there.none", none=group.none(at))


def absent(at: ProseContext, node: ast.Expr, absent: bool) -> str:
    """Word that a value is absent, or present if `absent` is False."""
    key = f"Is.none{_no(not absent)}"
    if isinstance(node, ast.CellOf):
        return at.say(f"{key}.cell", node)
    if name_of(node) in at.nouns.automata:
        key += ".party"
    elif not isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
        key += ".there"
    return at.say(key, x=at.value(node))


# ---- calls


@clause(ast.Call)
def _call(at: ProseContext, node: ast.Call, negated: bool) -> str:
    """Word a call whose result is a condition."""
    name, no = node.function.text, _no(negated)
    if name in ("any", "all") and len(node.arguments) == 1:
        return _quantified(at, node.arguments[0], name, negated)
    if name in at.nouns.procedures:
        return _own(at, node, negated)
    if f"Call.{name}.not" in at.templates:
        arguments = [(at.after if i else at).value(argument) for i, argument in enumerate(node.arguments)]
        return at.say(f"Call.{name}{no}", **dict(zip(("a", "b", "c"), arguments, strict=False)))
    return at.say(f"clause.value{no}", x=at.value(node))


def _quantified(at: ProseContext, argument: ast.Expr, name: str, negated: bool) -> str:
    """Word `any` or `all` over a collection as a clause."""
    span = argument.span
    if isinstance(argument, ast.Attribute):
        each_one = ast.Attribute(span, ast.NameExpr(span, "it"), argument.name)
        argument = ast.Comprehension(span, each_one, ast.Name(span, "it"), argument.object, None)
    if not isinstance(argument, ast.Comprehension):
        return at.say(f"Call.{name}.values{_no(negated)}", group=at.group(argument).all(at))
    _, argument = outermost(name, argument)
    body, local = argument.body, argument.name.text
    if name == "any" or negated:
        condition = body if name == "any" else body.operand if isinstance(body, ast.Not) else ast.Not(body.span, body)
        if argument.condition is not None:
            condition = ast.Logic(body.span, "and", argument.condition, condition)
        group = narrowed(at, disambiguated(at, at.group(argument.collection), local), condition, local)
        return _has_elements(at, group, not (negated and name == "any"))
    inner, every = within(at, argument), over(at, argument).each(at)
    led = relative_clause(inner, body, local, every)
    return led if led is not None else at.say("Call.all", each=every, condition=inner.clause(body))


def _own(at: ProseContext, node: ast.Call, negated: bool) -> str:
    """Word that a rule or function of the ruleset returns true."""
    no, name = _no(negated), node.function.text
    if at.nouns.is_event(name):
        return at.say(f"Call.event{no}", call=called(at.after, node))
    if at.nouns.is_done(name):
        return at.say(f"Call.result{no}", call=called(at.after, node))
    if (words := worded(at, node)) is not None:
        return at.say("clause.untrue", condition=words) if negated else words
    parts = [at.after.value(argument).text for argument in node.arguments]
    return at.say(f"clause{no}.holds" if parts else f"clause{no}.bare", name=at.quoted(name), x=at.joined(parts))


# ---- marks and truth values


@clause(ast.NameExpr, ast.Attribute, ast.Index)
def _holds(at: ProseContext, node: ast.Expr, negated: bool) -> str:
    """Word a mark or truth value as a condition."""
    return holds(at, node, f"clause{_no(negated)}")


def holds(at: ProseContext, node: ast.Expr, key: str) -> str:
    """Word that a mark or truth value holds, by the template `key`, such as that of its start or end."""
    name, owners = _bearers(at, node)
    if len(owners) == 1:
        return at.say(f"{key}.is", x=owners[0], adjective=at.grammar.agreeing(at.lexicon.noun(name), owners[0]))
    parts = [owner.text for owner in owners]
    return at.say(f"{key}.holds" if parts else f"{key}.bare", name=at.quoted(name), x=at.joined(parts))


def _bearers(at: ProseContext, node: ast.Expr) -> tuple[str, list[Phrase]]:
    """Return the name of a truth value and the players or pieces that bear it."""
    match node:
        case ast.Index():
            name, owners = _bearers(at, node.object)
            return name, [*owners, *map(at.value, node.indices)]
        case ast.Attribute():
            return node.name.text, [at.value(node.object)]
        case ast.NameExpr():
            return node.name, [at.quiet] if at.nouns.is_own(node.name) else []
    return "", [at.value(node)]
