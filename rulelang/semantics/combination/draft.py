"""A procedure under construction, and what bodies of events and of trades have in common: limits.

Enters: the checked tree. Leaves: `ProcedureDraft`, to which expressions and statements are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from rulelang.diagnostics import Span
from rulelang.semantics.combination.commutation import Commutation
from rulelang.semantics.tree import core
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import Body, CExpr, CStatement, Local
from rulelang.semantics.tree.shared import number
from rulelang.semantics.tree.symbols import (
    Checked,
    DefinitionSym,
    LimitInfo,
    ProcedureSym,
)

NOBODY = ty.optional(ty.PLAYER)
RUN = 64
"""So many operands of an operation stand in each other at most."""


@dataclass
class Leaver:
    """A piece among the arguments of an event that the event may take out of force: whether it has (`left`), and whose
    it was when the event began."""

    piece: CExpr
    kind: str
    left: Local
    owner: Local


@dataclass
class LeavingList:
    """Pieces in a list among the arguments of an event: those that were in force when it began (`there`) and, in the
    same order, whose they were; those of them that it has taken out of force (`gone`)."""

    kind: str
    there: Local
    owners: Local
    gone: Local


@dataclass
class ProcedureDraft:
    """A procedure under construction: its body, and how `you` and the parameters are read. `used`: the last parameter
    of a chain of replacements, which holds those that were used on the event. `leavers`, `lists`: the pieces that
    what reacts also asks though the event has taken them out of force."""

    checked: Checked
    sym: ProcedureSym
    body: Body
    span: Span
    commutation: Commutation
    used: Local | None = None
    leavers: tuple[Leaver, ...] = ()
    lists: tuple[LeavingList, ...] = ()
    lets: tuple[Local, ...] = ()

    @property
    def you(self) -> CExpr:
        """The acting seat."""
        return CExpr("local", ty.PLAYER, (self.body.parameters[0],), self.sym.span)

    @property
    def params(self) -> tuple[CExpr, ...]:
        """The declared parameters, and what an event names by `let`."""
        hidden = 0 if self.used is None else 1
        locals = [*self.body.parameters[1 : len(self.body.parameters) - hidden], *self.lets]
        return tuple(CExpr("local", local.type, (local,), self.sym.span) for local in locals)

    def local(self, name: str, t: ty.Type) -> Local:
        """Add a local variable to the procedure."""
        local = Local(name, t, self.span)
        self.body.locals.append(local)
        return local

    def read(self, local: Local) -> CExpr:
        """Return the expression that reads a local."""
        return CExpr("local", local.type, (local,), self.span)

    def expr(self, op: str, t: ty.Type, *args: object) -> CExpr:
        """Return a typed expression of the checked tree, placed at the span of the frame."""
        return CExpr(op, t, args, self.span)

    def joined(self, op: str, t: ty.Type, parts: Sequence[CExpr]) -> CExpr:
        """Fold one operation over all parts, in their order: from the left, of many in runs, so that values don't stand
        in each other too deep."""
        if len(parts) > RUN:
            runs = [parts[first : first + RUN] for first in range(0, len(parts), RUN)]
            return self.joined(op, t, [self.joined(op, t, run) for run in runs])
        return reduce(lambda left, right: self.expr(op, t, left, right), parts)

    def number(self, value: int) -> CExpr:
        """Return a number constant."""
        return number(value, self.span)

    def empty(self, values: CExpr) -> CExpr:
        """Return the test that a set has no elements."""
        return self.expr("eq", ty.BOOL, self.expr("count", ty.NUMBER, values), self.number(0))

    def active(self, definitions: tuple[DefinitionSym, ...]) -> CExpr:
        """Return the pieces of these rows whose rule text is in force."""
        kind = self.checked.kinds[definitions[0].kind]
        return self.expr("active", ty.SetT(ty.PieceT(kind.name)), kind, *definitions)

    def call(self, sym: ProcedureSym, *piece: CExpr) -> CExpr:
        """Return a call of a pure procedure with the parameters of this one; `piece`: the piece whose rule text it is,
        and its owner."""
        return self.expr("call", sym.returns, sym, self.you, *piece, *self.params)

    def set(self, local: Local, value: CExpr) -> core.CSet:
        """Return the statement that gives a local its value."""
        return core.CSet(self.span, local, value)

    def unused(self, reactions: CExpr) -> CExpr:
        """Return reactions without those that were used in a chain of replacements."""
        return (
            reactions if self.used is None else self.expr("difference", reactions.type, reactions, self.read(self.used))
        )

    def branch(self, condition: CExpr, then: Sequence[CStatement], otherwise: Sequence[CStatement]) -> core.CIf:
        """Return the statement that runs one of two blocks."""
        return core.CIf(self.span, condition, tuple(then), tuple(otherwise))

    def ask(self, seat: CExpr, name: str, local: Local, options: CExpr) -> core.CChoose:
        """Return the decision in which a seat chooses one of some options, if they are several."""
        item = core.CItem(self.sym.name, (core.CBinder("each", name, local, (options,)),), (), (), self.span)
        return core.CChoose(self.span, self.sym.name, seat, (item,), None, "engine")

    def do(self, sym: ProcedureSym, *piece: CExpr, result: Local | None = None, span: Span | None = None) -> core.CCall:
        """Return the statement that calls a procedure with the parameters of this one.

        Args:
            piece: the piece whose rule text it is, and its owner; nothing for rule text of no piece.
            result: the local that gets what the procedure returns.
        """
        return core.CCall(span or self.span, sym, (self.you, *piece, *self.params), result)


def count_active_copies(
    frame: ProcedureDraft, definitions: tuple[DefinitionSym, ...], seat: CExpr, pieces: CExpr | None = None
) -> CExpr:
    """Return the number of active pieces of `definitions` that a seat owns; with `pieces`, count among these alone."""
    piece = frame.local("piece", ty.PieceT(definitions[0].kind))
    mine = frame.expr("eq", ty.BOOL, frame.expr("owner", NOBODY, frame.read(piece)), seat)
    owned = frame.expr("filter", ty.SetT(piece.type), piece, pieces or frame.active(definitions), mine)
    return frame.expr("count", ty.NumberT(0), owned)


def below_limit(
    frame: ProcedureDraft,
    limit: LimitInfo,
    definitions: tuple[DefinitionSym, ...],
    seat: CExpr,
    pieces: CExpr | None = None,
) -> CExpr:
    """Return the condition that a seat has uses left of a limit, which counts for each active copy where it is of
    pieces."""
    used, times = limit.used(seat, frame.span), frame.number(limit.times)
    if definitions:
        times = frame.expr("mul", ty.NUMBER, times, count_active_copies(frame, definitions, seat, pieces))
    return frame.expr("lt", ty.BOOL, used, times)
