"""Collections that are certainly not empty, values that are certainly there: conditions that hold on the way to a
statement, or within a condition, until something may change them.

Enters: conditions of branches, loops and menu items, and the statements behind them. Leaves: whether a collection has
an element, whether a value is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.types import NUMBER, NumberT, OptionalT, SetT
from rulelang.vocabulary.computing import COMPARES
from rulelang.vocabulary.operations import ASSIGNMENTS, EXPRESSIONS, MIRRORED, NEGATED, SIGNS, having, reading

HARMLESS = (
    *(core.CSet, core.CIf, core.CNever, core.CReturn, core.CBreak, core.CEnd, core.CStep),
    *(core.CChoose, core.CRandom, core.CExpose, core.CFor, core.CLoop),
)
"""Statements that themselves, without the blocks in them, change nothing."""
APART = having("apart")
"""Players but for one."""
SEATING = reading("seats")
CHANGING = reading("seats", "variables", "purses", "callee")
"""What may be another when a variable has changed, or a player is out."""


def refuted(condition: core.CExpr) -> list[core.CExpr]:
    """Return the conditions that hold when a condition does not."""
    if condition.op == "or":
        return [fact for part in _operands(condition) for fact in refuted(part)]
    return [core.negated(condition)]


def of_each_player(facts: Iterable[core.CExpr], seat: core.CExpr, body: core.Body) -> list[core.CExpr]:
    """Return the conditions that hold for one player because they hold for all."""
    return [
        core.substitute(part, {fact.args[0]: seat}, body)
        for fact in facts
        if fact.op == "all" and isinstance(fact.args[0], core.Local) and _operands(fact)[0].op == "players"
        for part in core.conjunction(_operands(fact)[1])
    ]


def lasting(facts: list[core.CExpr], s: core.CStatement) -> list[core.CExpr]:
    """Return the facts that a statement, without the blocks in it, leaves as they are."""
    if isinstance(s, HARMLESS):
        return facts
    return [fact for fact in facts if is_fixed(fact) or (isinstance(s, core.CDo) and not _may_change(s, fact))]


def unaffected(facts: list[core.CExpr], statements: Sequence[core.CStatement]) -> list[core.CExpr]:
    """Return the facts that statements, with the blocks in them, leave as they are."""
    return reduce(lasting, walk(statements), facts)


def is_fixed(fact: core.CExpr) -> bool:
    """Return whether a condition reads nothing that changes in a game."""
    return all(EXPRESSIONS[part.op].is_fixed for part in core.subexpressions(fact))


def is_present(facts: Iterable[core.CExpr], value: core.CExpr) -> bool:
    """Return whether a fact says that a value is there: `x is not none`, `x = …` or `x in …` of what is there
    itself."""
    return any(_implies_presence(fact, value) for fact in facts)


def _implies_presence(fact: core.CExpr, value: core.CExpr, holds: bool = True) -> bool:
    """Return whether a fact that holds (or fails) says that an optional value is present."""
    parts = _operands(fact)
    if fact.op == "not":
        return _implies_presence(parts[0], value, not holds)
    if fact.op == "is_none":
        return not holds and core.same(parts[0], value)
    if fact.op == ("and" if holds else "or"):
        return any(_implies_presence(part, value, holds) for part in parts)
    is_membership = holds and fact.op in ("member", "in_zone")
    if is_membership or fact.op == ("eq" if holds else "ne"):
        pairs = [parts] if is_membership else [parts, parts[::-1]]
        return any(not _may_be_absent(other) and core.same(asked, value) for asked, other in pairs)
    return False


def _may_be_absent(value: core.CExpr) -> bool:
    """Return whether a value, or an element of a collection, may be absent."""
    return isinstance(value.type.element if isinstance(value.type, SetT) else value.type, OptionalT)


SIZES = {"pieces": "size", "bag_kinds": "bag_size"}
"""Operation that gives a collection -> the one by which what it is made of is counted, other than `count`."""
OTHERWISE = NEGATED | {"all": "any"}
"""Operation -> the one that holds, of some element, where it does not."""


def is_filled(facts: Sequence[core.CExpr], collection: core.CExpr) -> bool:
    """Return whether a fact says that a collection has an element: `hand is not empty`, `count(players) >= 2`,
    `p in players`, `any(…)` of it."""
    return any(_implies_element(facts, fact, collection) for fact in facts)


def _implies_element(facts: Sequence[core.CExpr], fact: core.CExpr, collection: core.CExpr) -> bool:
    """Return whether a fact says that a collection has an element."""
    op, parts = fact.op, _operands(fact)
    if op == "not":
        op, parts = OTHERWISE.get(parts[0].op, ""), _operands(parts[0])
    if op == "member" and parts[0].op == "cast" and not is_present(facts, _operands(parts[0])[0]):
        return False  # of what may be absent: it says something where it is there
    if op in ("member", "any"):
        return core.same(parts[op == "member"], collection)
    if op not in SIGNS:
        return False
    counted = _operands(collection)[0] if collection.op in SIZES else collection
    count = core.CExpr(SIZES.get(collection.op, "count"), NUMBER, (counted,))
    (size, bound), op = (parts, op) if core.same(parts[0], count) else (parts[::-1], MIRRORED[op])
    if not core.same(size, count) or not isinstance(bound.type, NumberT):
        return False
    low, high = bound.type.low, bound.type.high
    return not any(COMPARES[op](0, bound) for bound in (low, high, min(max(low, 0), high)))


def _operands(expr: core.CExpr) -> list[core.CExpr]:
    return core.expressions(expr.args)


def _may_change(s: core.CDo, fact: core.CExpr) -> bool:
    if s.op in ASSIGNMENTS:
        return core.mentions(fact, s.args[0]) or any(part.op == "call" for part in core.subexpressions(fact))
    return any(part.op in CHANGING for part in core.subexpressions(fact))
