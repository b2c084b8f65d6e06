"""Which turns, rounds, phases, steps and trades may be open within others of their sort: where they end, what was
counted in the one around them goes on.

Enters: the bodies of all procedures. Leaves: `Scopes`. By a fixpoint over the calls: a procedure may be entered where
a scope of a sort is open, where none is, or where either may be.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulelang.diagnostics import Span
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CStatement, own_expressions, subexpressions
from rulelang.semantics.tree.shared import LIMIT_MAX, Analysed
from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym
from rulelang.semantics.tree.types import NumberT

Code = Mapping[ProcedureSym, Sequence[tuple[CStatement, tuple[str, ...]]]]
"""Procedure -> its statements, each with the sorts of the scopes around it in the same body."""


@dataclass
class Scopes:
    """What is known of the scopes of a program.

    Attributes:
        openings: procedure, sort, place of a scope -> whether one of its sort may be open where it begins (True is in
            the set), and whether none may be (False). loose: counters of limits that count where no scope of theirs is
            open, and the sorts with which an end that is put off is put off there. put_off: sorts with which any end
            is. levels: sort -> the hidden variable that says how many are open, where that must be known in play.
    """

    openings: dict[tuple[ProcedureSym, str, Span], set[bool]] = field(default_factory=dict)
    loose: set[object] = field(default_factory=set)
    put_off: set[str] = field(default_factory=set)
    levels: dict[str, VariableSym] = field(default_factory=dict)


def scopes_of(
    analysed: Analysed, procedures: Sequence[ProcedureSym], calls: Collection[tuple[ProcedureSym, tuple[str, ...]]] = ()
) -> Scopes:
    """Return what is known of the scopes of each sort that a limit, or an end that is put off, names.

    Args:
        calls: what procedures beside these call, with the sorts of the scopes around it.
    """
    counters = {limit.variable: limit.scope for limit in analysed.checked.limits}
    counters = {variable: sort for variable, sort in counters.items() if sort != "game"}
    code: Code = {p: list(with_sorts(analysed.bodies[p].statements, ())) for p in procedures}
    scopes = Scopes(put_off={sort for lines in code.values() for s, _ in lines for sort in _put_off(s)})
    sorts = scopes.put_off.union(counters.values())
    entered = _entered(code, sorts, calls) if sorts else {}
    loose: set[str] = set()
    for procedure, lines in code.items() if sorts else ():
        for s, around in lines:
            if isinstance(s, core.CMoment) and s.moment == "opened" and s.event in sorts:
                open_ = {True} if s.event in around else entered[procedure, s.event]
                scopes.openings[procedure, s.event, s.span] = open_
            elif isinstance(s, core.CDo) and s.op in ("set_var", "defer"):
                what = s.args[0]
                sort = str(what) if s.op == "defer" else counters.get(what, "") if isinstance(what, VariableSym) else ""
                if sort and sort not in around and False in entered[procedure, sort]:
                    scopes.loose.add(what)
                    loose.add(sort)
    for sort in sorted(loose):
        if any(len(open_) > 1 for (_, of, _), open_ in scopes.openings.items() if of == sort):
            counts, span = NumberT(0, LIMIT_MAX), analysed.checked.ruleset.span
            scopes.levels[sort] = VariableSym(f"open {sort}", counts, (), span, "nobody", internal=True)
    return scopes


def _put_off(s: CStatement) -> Iterator[str]:
    """Yield the sort of scope with whose end a statement lets the game end."""
    if isinstance(s, core.CDo) and s.op == "defer":
        yield str(s.args[0])


def with_sorts(
    statements: Sequence[CStatement], around: tuple[str, ...]
) -> Iterator[tuple[CStatement, tuple[str, ...]]]:
    """Yield all statements, inner ones included, each with the sorts of the scopes that are open around it."""
    for s in statements:
        yield s, around
        match s:
            case core.CMoment(moment="opened", event=sort):
                around = (*around, sort)
            case core.CMoment(moment="closed", event=sort) if sort in around:  # what follows a jump closes it again
                last = len(around) - around[::-1].index(sort) - 1
                around = around[:last] + around[last + 1 :]
        for part in s.inner():
            yield from with_sorts(part, around)


def _entered(
    code: Code, sorts: set[str], others: Collection[tuple[ProcedureSym, tuple[str, ...]]]
) -> dict[tuple[ProcedureSym, str], set[bool]]:
    """Return for each procedure and sort whether it may be entered where a scope of that sort is open, and where none
    is. What nobody calls may begin a game, or a test; what `possible` tries may be tried anywhere."""
    calls = [(p, s.procedure, around) for p, lines in code.items() for s, around in lines if isinstance(s, core.CCall)]
    called = {callee for _, callee, _ in calls} | {callee for callee, _ in others}
    tried = {
        arg
        for lines in code.values()
        for s, _ in lines
        for outer in own_expressions(s)
        for part in subexpressions(outer)
        if part.op == "possible"
        for arg in part.args
        if isinstance(arg, ProcedureSym)
    }
    entered = {(p, sort): {True, False} if p in tried else set[bool]() for p in code for sort in sorts}
    for p in code.keys() - called:
        for sort in sorts:
            entered[p, sort].add(False)
    for p, around in others:
        for sort in sorts:
            entered[p, sort].add(sort in around)
    changed = True
    while changed:
        changed = False
        for caller, callee, around in calls:
            for sort in sorts:
                more = {True} if sort in around else entered[caller, sort]
                if not more <= entered[callee, sort]:
                    entered[callee, sort] |= more
                    changed = True
    return entered
