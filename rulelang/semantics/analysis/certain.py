"""Whether a collection surely has an element for which a condition holds, if it has any.

`c.suit = led or all(d.suit != led for d in hand)` holds for some c of a hand that isn't empty. The proof goes by cases:
parts that don't read the element hold or fail; where one says that another part holds for some element, that part holds
for one. Called functions are looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rulelang.semantics.tree.core import Body, CExpr, Local, expressions, mentions, negated, same, substitute
from rulelang.semantics.tree.symbols import Bodies, ProcedureSym
from rulelang.semantics.tree.types import BOOL, SetT
from rulelang.vocabulary.computing import says_some
from rulelang.vocabulary.operations import NEGATED, SIGNS

DEEPEST = 8
"""So many cases and calls within one another are looked into."""
ValueOf = Callable[[Local], CExpr | None]
"""Gives what a local was made from, if that would be the same now."""
TRUE = CExpr("const", BOOL, (1,))


@dataclass(frozen=True)
class Subset:
    """The elements of `whole` for which a condition holds in which `local` stands for them; without one, all."""

    whole: CExpr
    local: Local
    condition: CExpr | None = None


def part_of(expr: CExpr, value_of: ValueOf, bodies: Bodies, depth: int = 0) -> Subset | None:
    """Return a collection as a part of another one: a filter, what a called function gives, `A if c else B` of parts of
    the same; None for the elements of a type that can't be told."""
    if not isinstance(expr.type, SetT) or depth > DEEPEST:
        return None
    match expr:
        case CExpr(op="filter", args=(Local() as local, CExpr() as collection, CExpr() as condition)):
            inner = part_of(collection, value_of, bodies, depth + 1)
            if inner is None:
                return None
            here = substitute(condition, {local: _read(inner.local)}, Body())
            return replace(inner, condition=here if inner.condition is None else _both(inner.condition, here))
        case CExpr(op="if", args=(CExpr() as condition, CExpr() as left, CExpr() as right)):
            parts = [part_of(side, value_of, bodies, depth + 1) for side in (left, right)]
            if parts[0] is None or parts[1] is None or not same(parts[0].whole, parts[1].whole):
                return None
            one, other = parts[0], parts[1]
            second = other.condition and substitute(other.condition, {other.local: _read(one.local)}, Body())
            sides = (one.condition or TRUE, second or TRUE)
            return replace(one, condition=CExpr("if", BOOL, (condition, *sides)))
        case CExpr(op="call", args=(ProcedureSym() as sym, *arguments)) if (value := bodies[sym].value) is not None:
            values = dict(zip(bodies[sym].parameters, expressions(arguments), strict=False))
            return part_of(substitute(value, values, Body()), value_of, bodies, depth + 1)
        case CExpr(op="local", args=(Local() as local,)) if (value := value_of(local)) is not None:
            return part_of(value, value_of, bodies, depth + 1)
    return Subset(expr, Local("it", expr.type.element))


def _read(local: Local) -> CExpr:
    """Return the expression that reads a local."""
    return CExpr("local", local.type, (local,))


def _both(left: CExpr, right: CExpr) -> CExpr:
    """Return the condition that both hold."""
    return CExpr("and", BOOL, (left, right))


def surely_some(
    bodies: Bodies, value_of: ValueOf, local: Local, collection: CExpr, conditions: Sequence[CExpr]
) -> bool:
    """Return whether all conditions surely hold for one and the same element of a collection that isn't empty."""
    proof = _Proof(bodies, value_of, local, collection)
    return proof.holds_for_one([proof.inlined(condition) for condition in conditions], (), 0)


@dataclass(frozen=True)
class _Proof:
    """What the conditions are about: `local` stands for an element of `collection`."""

    bodies: Bodies
    value_of: ValueOf
    local: Local
    collection: CExpr

    def inlined(self, expr: CExpr, depth: int = 0) -> CExpr:
        """Return an expression with a called function replaced by what it gives, without double negation, and
        `X is not empty` as `any`."""
        sym = expr.args[0] if expr.args else None
        if expr.op == "call" and isinstance(sym, ProcedureSym) and depth < DEEPEST:
            body = self.bodies[sym]
            if body.value is not None:
                values = dict(zip(body.parameters, expressions(expr.args), strict=False))
                return self.inlined(substitute(body.value, values, Body()), depth + 1)
        if expr.op == "not":
            (inner,) = expressions(expr.args)
            inner = self.inlined(inner, depth)
            if inner.op == "not":
                return expressions(inner.args)[0]
            opposite = CExpr(NEGATED[inner.op], inner.type, inner.args) if inner.op in NEGATED else negated(inner)
            return self.inlined(opposite, depth) if inner.op in NEGATED else opposite
        return self._counted(expr)

    def _counted(self, expr: CExpr) -> CExpr:
        """Return whether a collection is empty in terms of `any`; any other expression as it is."""
        match expr:
            case CExpr(args=(CExpr(op="count", args=(CExpr() as some,)), CExpr(op="const", args=(int(bound),)))) if (
                expr.op in SIGNS and (holds := says_some(expr.op, bound)) is not None
            ):
                found = part_of(some, self.value_of, self.bodies)
                if found is not None:
                    some_of = CExpr("any", BOOL, (found.local, found.whole, found.condition or TRUE), expr.span)
                    return some_of if holds else negated(some_of)
        return expr

    def holds_for_one(self, goals: Sequence[CExpr], facts: tuple[CExpr, ...], depth: int) -> bool:
        """Return whether all goals surely hold for one element where the facts hold."""
        goals = [goal for goal in map(self.inlined, goals) if not (goal.op == "const" and goal.args[0])]
        if not goals:
            return True
        if depth > DEEPEST:
            return False
        (goal, *rest) = goals
        parts = [self.inlined(part) for part in expressions(goal.args)]
        if goal.op == "and":
            return self.holds_for_one([*parts, *rest], facts, depth + 1)
        if goal.op == "if" and not mentions(parts[0], self.local):
            return self._by_cases(parts[0], ([parts[1], *rest], [parts[2], *rest]), facts, depth)
        if goal.op == "or":
            for part, other in (parts, parts[::-1]):
                if not mentions(part, self.local):
                    return self._by_cases(part, (rest, [other, *rest]), facts, depth)
        if not mentions(goal, self.local):
            return self._by_cases(goal, (rest, None), facts, depth)
        return not rest and any(self._exists(fact, goal) for fact in facts)

    def _by_cases(
        self,
        condition: CExpr,
        goals: tuple[Sequence[CExpr], Sequence[CExpr] | None],
        facts: tuple[CExpr, ...],
        depth: int,
    ) -> bool:
        """Return whether goals surely hold for one element where the condition holds, and others where it fails.

        Args:
            goals: of both cases; None for what can't be shown.
        """
        for case, wanted in zip((condition, self.inlined(negated(condition))), goals, strict=True):
            known = (*facts, *self._parts(case))
            impossible = any(same(self.inlined(negated(fact)), part) for fact in facts for part in self._parts(case))
            if not impossible and (wanted is None or not self.holds_for_one(wanted, known, depth + 1)):
                return False
        return True

    def _parts(self, fact: CExpr) -> list[CExpr]:
        """Return all that holds where a condition holds."""
        fact = self.inlined(fact)
        if fact.op == "and":
            return [part for each in expressions(fact.args) for part in self._parts(each)]
        if fact.op == "not" and (inner := self.inlined(expressions(fact.args)[0])).op == "or":
            return [part for each in expressions(inner.args) for part in self._parts(negated(each))]
        return [fact]

    def _exists(self, fact: CExpr, goal: CExpr) -> bool:
        """Return whether a fact says that the goal holds for some element: `any(c.suit = led for c in hand)`."""
        found = fact
        if fact.op == "not":
            found = expressions(fact.args)[0]
        if found.op != ("all" if fact.op == "not" else "any"):
            return False
        local, collection, body = found.args
        wanted = self.inlined(body)
        if fact.op == "not":
            wanted = self.inlined(negated(wanted))
        return same(collection, self.collection) and same(wanted, goal, {local: self.local})
