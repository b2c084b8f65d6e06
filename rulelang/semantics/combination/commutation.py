"""Which reactions to an event commute, so that nobody is asked in which order they happen.

Enters: the handlers of one moment of an event. Leaves: whether each of them comes out the same, whatever order it and
the others happen in. Static, by Bernstein's conditions (1966) on what their bodies read and write: variables alone, as
what moves pieces, asks, draws or ends the game has its place in an order. Two that only add to a variable, or only
subtract, commute: both orders leave the same number, or both go beyond its range. What is written on the very piece
whose text it is, no other piece's text touches by the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    CExpr,
    CStatement,
    Local,
    expressions,
    own_expressions,
    reads,
    same,
    subexpressions,
)
from rulelang.semantics.tree.symbols import Checked, DefinitionSym, Effect, HandlerInfo, ProcedureSym, VariableSym
from rulelang.semantics.tree.types import NumberT
from rulelang.vocabulary.operations import ASSIGNMENTS, COMPARING

READ, SET, MORE, LESS = "read", "set", "more", "less"
ADDS = {"bag_add": MORE, "bag_sub": LESS}
"""Operations on bags -> the change; what goes beyond a capacity is cut off, in whatever order it comes."""


@dataclass
class Touched:
    """What a body does to variables: (variable, what, whether on the piece whose text it is); `ordered`: it does what
    has its place in an order."""

    accesses: set[tuple[VariableSym, str, bool]] = field(default_factory=set)
    ordered: bool = False


class Commutation:
    """Compares the handlers of a ruleset."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self._touched: dict[HandlerInfo, Touched] = {}
        self._under_way: list[ProcedureSym] = []

    @cached_property
    def _parts(self) -> Mapping[ProcedureSym, list[Effect]]:
        """What changes each event, quantity, ability and trade."""
        return dict(self.checked.effects())

    def free(self, handlers: Sequence[HandlerInfo], single: Mapping[HandlerInfo, bool]) -> set[HandlerInfo]:
        """Return the handlers that commute with all others of pieces, and with themselves.

        Args:
            handlers: all that must react at one moment of an event. single: whether a seat never has two different
                reactions of a handler.
        """
        of_pieces = [handler for handler in handlers if handler.definitions]
        if len(of_pieces) > 1 and any(self._of(handler).ordered for handler in of_pieces):
            return set()
        # By variable and access, the handlers that have it: in all, and of each row.
        having: dict[VariableSym, dict[tuple[str, bool], set[HandlerInfo]]] = {}
        of_row: dict[tuple[VariableSym, str, DefinitionSym], set[HandlerInfo]] = {}
        for handler in of_pieces:
            for variable, what, own in self._of(handler).accesses:
                having.setdefault(variable, {}).setdefault((what, own), set()).add(handler)
                for row in handler.definitions if own else ():
                    of_row.setdefault((variable, what, row), set()).add(handler)

        def commutes(one: HandlerInfo) -> bool:
            """Return whether a handler commutes with all others."""
            for variable, what, own in self._of(one).accesses:
                for (also, its_own), others in having[variable].items():
                    if what == also and what != SET:
                        continue
                    if own and its_own:
                        others = set().union(*(of_row.get((variable, also, row), ()) for row in one.definitions))
                    if len(others) > (one in others):
                        return False
            return True

        return {one for one in of_pieces if commutes(one) and (single[one] or self._repeats(one))}

    def _repeats(self, one: HandlerInfo) -> bool:
        """Return whether two reactions of a handler come out the same in both orders."""
        body, touched = one.body.body, self._of(one)
        if not reads(body.statements, body.parameters[1]):
            return True  # whichever piece it is, the same happens
        accesses = list(touched.accesses)
        return not touched.ordered and all(
            (what == also and what != SET) or (own and its_own)
            for variable, what, own in accesses
            for same_variable, also, its_own in accesses
            if same_variable is variable
        )

    def _of(self, handler: HandlerInfo) -> Touched:
        """Return what a handler touches."""
        if handler not in self._touched:
            touched, body = Touched(), handler.body.body
            self._block(body.statements, touched, body.parameters[1], {})
            self._touched[handler] = touched
        return self._touched[handler]

    # ---- statements

    def _block(
        self, statements: Sequence[CStatement], touched: Touched, this: Local | None, bindings: Mapping[Local, CExpr]
    ) -> None:
        """Add what statements touch.

        Args:
            this: the local of the piece whose text it is. bindings: parameters -> the arguments of the call.
        """
        for s in statements:
            match s:
                case core.CDo() if s.op in ASSIGNMENTS:
                    self._write(s, touched, this, bindings)
                    continue
                case core.CCall():
                    self._call(s, touched, bindings)
                case core.CIf():
                    self._block((*s.then, *s.otherwise), touched, this, bindings)
                case core.CFor() | core.CLoop() | core.CStep():
                    self._block(s.body, touched, this, bindings)
                case core.CSet() | core.CBreak() | core.CReturn():
                    pass
                case _:
                    touched.ordered = True
            self._read(own_expressions(s), touched, this)

    def _write(self, s: core.CDo, touched: Touched, this: Local | None, bindings: Mapping[Local, CExpr]) -> None:
        """Add the write of a variable: a sum or difference with itself, or any other value."""
        variable, *args = s.args
        value, *places = args if s.op == "set_var" else args[::-1]
        assert isinstance(variable, VariableSym)
        assert isinstance(value, CExpr)
        own = s.op == "set_pvar" and _is(places[0], this)
        while value.op == "bag_clamp":  # what it holds at most is read below
            self._read(expressions(value.args[1:]), touched, this)
            value = expressions(value.args)[0]
        change = _change(value, variable, places, bindings)
        touched.accesses.add((variable, change, own))
        self._read(expressions(places), touched, this)
        self._read([value] if change == SET else expressions(value.args)[1:], touched, this)

    def _call(self, s: core.CCall, touched: Touched, bindings: Mapping[Local, CExpr]) -> None:
        """Add what a rule that is called touches, or an event that nobody reacts to."""
        called = s.procedure
        if called.category == "event":
            event = self.checked.events[called.name]
            ends = {f"before {called.name}", f"after {called.name}"}
            if event.handlers or event.body is None or not ends.isdisjoint(self.checked.untils):
                touched.ordered = True
                return
            called = event.body
        if called.category not in ("event", "rule") or called.depth or called in self._under_way:
            touched.ordered = True
            return
        arguments = [bindings.get(a.args[0], a) if a.op == "local" else a for a in s.arguments]
        self._under_way.append(called)
        self._block(called.body.statements, touched, None, dict(zip(called.body.parameters, arguments, strict=False)))
        self._under_way.pop()

    # ---- expressions

    def _read(self, exprs: Iterable[CExpr], touched: Touched, this: Local | None) -> None:
        """Add the variables that expressions read, by what they call too."""
        for e in (part for outer in exprs for part in subexpressions(outer)):
            touched.ordered |= e.op == "possible" or e.op in COMPARING
            for arg in e.args:
                if isinstance(arg, VariableSym):
                    touched.accesses.add((arg, READ, e.op == "pvar" and _is(e.args[1], this)))
                elif isinstance(arg, ProcedureSym) and arg not in self._under_way:
                    self._under_way.append(arg)
                    hanging = (p for effect in self._parts.get(arg, ()) for p in effect.procedures if p is not None)
                    bodies = [p.body.statements for p in (arg, *self._bases(arg), *hanging)]
                    touched.ordered |= not any(bodies)  # the total score is a sum of the engine's own
                    for statements in bodies:
                        self._block(statements, touched, None, {})
                    self._under_way.pop()

    def _bases(self, procedure: ProcedureSym) -> list[ProcedureSym]:
        """Return what an author wrote for a quantity or an ability without what changes or answers it."""
        bases = [q.base for q in self.checked.quantities.values() if q.procedure is procedure]
        bases += [a.default for a in self.checked.abilities.values() if a.procedure is procedure]
        return [base for base in bases if base is not None]


def _is(expr: object, local: Local | None) -> bool:
    """Return whether an expression is the value of a local."""
    return local is not None and isinstance(expr, CExpr) and expr.op == "local" and expr.args[0] is local


def _change(value: CExpr, variable: VariableSym, places: Sequence[object], bindings: Mapping[Local, CExpr]) -> str:
    """Return how a variable changes with a value: by something that is never negative, or in another way."""
    if value.op not in ("add", "sub", *ADDS):
        return SET
    current, amount = expressions(value.args)[:2]
    if current.op not in ("var", "pvar") or not same(current.args, (variable, *places)):
        return SET
    if value.op in ADDS:
        return ADDS[value.op]
    amount = bindings.get(amount.args[0], amount) if amount.op == "local" else amount
    t = amount.type
    if not isinstance(t, NumberT) or (t.low < 0 < t.high):
        return SET
    return MORE if (t.low >= 0) == (value.op == "add") else LESS
