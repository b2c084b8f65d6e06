"""Who calls whom: where an acting seat is needed, what calls itself, which loops never come to an end."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import ALWAYS, CExpr, CStatement, expressions, subexpressions
from rulelang.semantics.tree.shared import CallEdge, Shared
from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym
from rulelang.semantics.tree.types import BagT
from rulelang.syntax import ast
from rulelang.vocabulary.operations import UNCHANGING

NAMED = ("rule", "function", "quantity", "event", "ability")


def walk(
    statements: Sequence[CStatement], inside: Callable[[CStatement], list[Sequence[CStatement]]] = CStatement.inner
) -> Iterator[CStatement]:
    """Yield all statements, inner ones included, outer first; `inside` gives the blocks that are gone through."""
    for s in statements:
        yield s
        for part in inside(s):
            yield from walk(part, inside)


def ends_no_game(s: CStatement, deferred: Collection[object]) -> bool:
    """Return whether a statement is the end of a turn, round or phase after which nobody lets the game end."""
    return isinstance(s, core.CIf) and s.condition.op == "deferred" and s.condition.args[0] not in deferred


Node = TypeVar("Node")


def leading_to(goals: Iterable[Node], arrows: Iterable[tuple[Node, Node]]) -> set[Node]:
    """Return the goals and all from which arrows lead to one of them."""
    reached, arrows = set(goals), list(arrows)
    while more := {start for start, end in arrows if end in reached} - reached:
        reached |= more
    return reached


class Flow:
    """Checks over the whole call graph."""

    def __init__(self, shared: Shared) -> None:
        """Collect the edges of the call graph, those that the engine adds included, and what is deferred."""
        self.shared = shared
        self.checked = shared.checked
        self.edges = [*shared.edges, *self.implied()]
        bodies = [s for procedure in self.checked.procedures for s in walk(procedure.body.statements)]
        self.deferred = {s.args[0] for s in bodies if isinstance(s, core.CDo) and s.op == "defer"}

    def run(self) -> None:
        self.needs_you()
        self.recursion()
        self.endless()

    def implied(self) -> Iterator[CallEdge]:
        """Yield the calls that the engine makes around the author's words."""
        checked, called = self.checked, list[tuple[ProcedureSym | None, ProcedureSym | None]]()
        for event in checked.events.values():
            inner = event.proceeding or event.procedure
            called += [(inner, event.body), (event.procedure, inner)]
            called += [(event.procedure, let) for let in event.lets]
            for handler in event.handlers:
                called += [(inner, handler.body), (inner, handler.guard)]
        called += [(quantity.procedure, quantity.base) for quantity in checked.quantities.values()]
        called += [(ability.procedure, ability.default) for ability in checked.abilities.values()]
        called += [(checked.total, line.procedure) for line in checked.scores]
        if checked.ranks is not None:
            standing, rank = checked.ranks
            ranked = [r.procedure for r in (checked.winner, *checked.ties) if r is not None]
            called += [
                (rank, standing),
                *((standing, by) for by in (ranked if checked.winner else [checked.total, *ranked])),
            ]
        called += [(group.trade, group.times) for group in checked.groups.values()]
        for procedure, effects in checked.effects():
            if procedure.category != "event":
                called += [(procedure, part) for effect in effects for part in effect.procedures]
        for one, other in called:
            if one is not None and other is not None and other is not one:
                yield CallEdge(one, other, "own", other.span)

    def needs_you(self) -> None:
        """Mark procedures that need an acting seat, themselves or for one that they call; report calls of them where
        there is none."""
        changed = True
        while changed:
            changed = False
            for edge in self.edges:
                if edge.you == "own" and edge.callee.uses_you and not edge.caller.uses_you:
                    edge.caller.uses_you = changed = True
                    edge.caller.wants_seat = edge.callee.wants_seat
        for edge in self.edges:
            if edge.you == "none" and edge.callee.uses_you:
                self.shared.diagnostics.error(
                    "you-missing",
                    f"`{edge.callee.name}` needs an acting seat, and there is none here",
                    edge.span,
                    "call it inside `turn of p:` or `as p:`",
                    [edge.callee.wants_seat] if edge.callee.wants_seat else [],
                )

    def recursion(self) -> None:
        """Report cycles of calls without a procedure that declares its depth."""
        edges = [(e.caller, e.callee) for e in self.edges if not e.caller.depth and not e.callee.depth]
        events = self.checked.events.values()
        while way := circle(edges):
            first = next((p for p in way if p.category in NAMED), way[0])
            way = way[way.index(first) :] + way[: way.index(first)]
            names = " → ".join(f"`{p.name}`" for p in (*way, first))
            self.shared.diagnostics.error(
                "recursion-depth",
                f"`{first.name}` calls itself" + (f" ({names})" if len(way) > 1 else ""),
                first.span,
                "in `instead of`, `proceed(…)` lets what is replaced go on, with other values in the parentheses"
                if any(
                    h.timing == "instead of" and h.body in way for e in events if e.procedure in way for h in e.handlers
                )
                else f"say how deep: `{first.category} {first.name}(…) up to 10 deep:`"
                if isinstance(first.decl, ast.Doing)
                else f"say how deep: `function {first.name}(…) -> {first.returns} up to 10 deep = …`"
                if isinstance(first.decl, ast.Function)
                else "make one of them a rule or a function with a depth",
            )
            edges = [(caller, callee) for caller, callee in edges if caller not in way and callee not in way]

    def endless(self) -> None:
        """Report loops that neither leave nor wait, and those whose condition nothing in them can change."""
        waits = self.may_wait()
        for procedure in self.checked.procedures:
            if procedure.faulty:
                continue
            for s in walk(procedure.body.statements):
                if isinstance(s, core.CLoop) and not self.can_terminate(s, waits):
                    message = "this loop never ends and never waits for anyone"
                    hint = "leave it with `stop` or `return`, or end the game in it"
                    self.shared.diagnostics.error("loop-endless", message, s.span, hint)

    def can_terminate(self, loop: core.CLoop, waits: set[ProcedureSym]) -> bool:
        """Return whether a loop can end or wait: it leaves by a way of its own, or its condition can change."""
        inside = list(self.written(loop.body))
        own = {s.label for s in inside if isinstance(s, core.CLoop | core.CFor)}
        ways = [s for s in inside if isinstance(s, core.CBreak) and s.label not in own]
        for s in inside:
            if isinstance(s, core.CReturn) or s.waits == ALWAYS or (isinstance(s, core.CCall) and s.procedure in waits):
                return True
        first = loop.body[0] if loop.body else None
        if isinstance(first, core.CIf) and len(ways) == 1 and ways[0] in first.otherwise:
            # A `while`: its condition comes out as it went in unless something is done in between.
            changes = [s for s in inside if s.writes]
            read = variables_of(first.condition)
            if read is not None and changes and not read & self.changed(loop.body):
                return False
            if not may_change_with_scope(first.condition):
                changes = [s for s in changes if not (isinstance(s, core.CDo) and s.op == "begin")]
            return first.condition.op != "const" and bool(changes)
        return bool(ways)

    def changed(self, body: Sequence[CStatement]) -> set[object]:
        """Return the variables that statements may set to another value, with all that they call."""
        direct = {s.procedure for s in walk(body) if isinstance(s, core.CCall)}
        called = leading_to(direct, ((edge.callee, edge.caller) for edge in self.edges))
        bodies = [body, *(p.body.statements for p in called)]
        statements = (s for statements in bodies for s in walk(statements))
        return {s.args[0] for s in statements if isinstance(s, core.CDo) and s.op == "set_var" and not leaves_alone(s)}

    def written(self, statements: Sequence[CStatement]) -> Iterator[CStatement]:
        """Walk as `walk` does, but not into the ends of the game that nobody puts off to there."""
        return walk(statements, lambda s: [] if ends_no_game(s, self.deferred) else s.inner())

    def may_wait(self) -> set[ProcedureSym]:
        """Return the procedures that may wait or end the game; one with a fault, of which that is not known, is
        among them."""
        asking = {e.procedure for e in self.checked.events.values() if any(h.optional for h in e.handlers)}
        direct = asking | {
            p
            for p in self.checked.procedures
            if p.faulty or p.category == "trade" or any(s.waits == ALWAYS for s in self.written(p.body.statements))
        }
        return leading_to(direct, ((edge.caller, edge.callee) for edge in self.edges))


def variables_of(e: CExpr) -> set[object] | None:
    """Return the plain variables that an expression reads, if it reads nothing else that can change."""
    if e.op == "var":
        sym = e.args[0]
        plain = isinstance(sym, VariableSym) and not sym.mark and not isinstance(sym.type, BagT) and len(e.args) == 1
        return {sym} if plain else None
    if e.op not in UNCHANGING:
        return None
    parts = [variables_of(a) for a in expressions(e.args)]
    return None if None in parts else set().union(*(part for part in parts if part is not None))


def leaves_alone(s: core.CDo) -> bool:
    """Return whether a variable is set to what it is: `n := n`, `n += 0`."""
    variable, value, *indices = s.args
    while isinstance(value, CExpr) and value.op in ("add", "sub") and len(value.args) == 2:
        left, right = value.args
        if not (isinstance(right, CExpr) and right.op == "const" and right.args == (0,)):
            return False
        value = left
    same = isinstance(value, CExpr) and value.op == "var" and value.args[0] is variable
    return same and not indices and isinstance(value, CExpr) and len(value.args) == 1


def may_change_with_scope(e: CExpr) -> bool:
    """Return whether a condition may change by a turn, round or phase alone, because it reads a mark or calls
    something."""
    marks = (isinstance(arg, VariableSym) and arg.mark for part in subexpressions(e) for arg in part.args)
    return any(part.op == "call" for part in subexpressions(e)) or any(marks)


def circle(edges: Sequence[tuple[ProcedureSym, ProcedureSym]]) -> list[ProcedureSym]:
    """Return procedures each of which calls the next and the last one the first, beginning with the one that is come to
    first from the first caller; none if there is no such circle."""
    order: TopologicalSorter[ProcedureSym] = TopologicalSorter(dict.fromkeys((caller for caller, _ in edges), ()))
    for caller, callee in edges:
        order.add(callee, caller)
    try:
        order.prepare()
    except CycleError as error:
        return list(error.args[1][:-1])
    return []
