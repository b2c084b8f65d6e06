"""Decisions that choose several pieces of a zone: what one zone holds says which ways there are, and what each leaves.

Enters: a procedure and the names of its locals. Leaves: a `Pick` for every decision that is one. What is chosen from is
then not even made where the zone held the same before, and a way that is moved out of the zone at once leaves contents
that are remembered with it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rulelang.backends.interpreter.expressions import operands
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.scope import Bare, Scope
from rulelang.ir.nodes import Choose, Decision, Expr, Jump, Procedure, Statement
from rulelang.ir.types import scalar
from rulelang.ir.walk import children, exits, index, local_reads, subexpressions

TOLD = frozenset(("attr", "eattr", "is_def", "const", "local", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not"))
"""Operations that say the same of the same pieces, whatever happens elsewhere."""


@dataclass(frozen=True)
class Pick:
    """Pieces of one zone are chosen.

    Attributes:
        finds: the statement that finds what may be chosen; it comes right before the decision, and nobody else asks.
        source: what it finds.
        kept: how the pieces that may be chosen are kept, and so the zone.
        others: further locals that say what may be chosen.
        move: the statement that moves what was chosen somewhere else, right after the decision; None: something else is
            done with it.
        rest: the name of what the zone holds then.
    """

    finds: Statement
    source: Expr
    kept: Bare
    others: tuple[int, ...]
    move: Statement | None
    rest: str


def picks(w: Writer, code: Procedure, live: list[frozenset[int]], scope: Scope) -> dict[int, Pick]:
    """The decisions of a procedure that choose pieces of a zone, by their numbers."""
    decisions = w.program.decisions
    before: dict[int, list[int]] = {}
    for number, block in enumerate(code.blocks):
        for to, _ in exits(block.terminator, decisions):
            before.setdefault(to, []).append(number)
    found = {}
    for number, block in enumerate(code.blocks):
        terminator = block.terminator
        if not isinstance(terminator, Choose) or block.statements or len(before.get(number, [])) != 1:
            continue
        earlier = code.blocks[before[number][0]]
        decision = decisions[terminator.decision]
        if not isinstance(earlier.terminator, Jump) or not earlier.statements or not _chooses(decision, scope):
            continue
        finds = earlier.statements[-1]
        slot = index(decision.items[0].binders[0].args[0])
        if finds.op != "set" or index(finds) != slot:
            continue
        (source,) = children(finds)
        others = _told(w, code, source, scope)
        ways_on = [to for to, _ in exits(terminator, decisions)]
        if others is None or slot in local_reads(decision.seat) or any(slot in live[to] for to in ways_on):
            continue
        to = decision.items[0].to
        alone = before[to] == [number]
        move = _moved(w, code.blocks[to].statements, decision, scope) if alone else None
        found[terminator.decision] = Pick(finds, source, scope.bare[slot], others, move, w.source.fresh("rest"))
    return found


def with_picks(scope: Scope, found: dict[int, Pick]) -> Scope:
    """The scope in which these decisions look pieces up."""
    left_out = frozenset(id(pick.finds) for pick in found.values() if pick.kept.handfuls is None)
    rests = {id(pick.move): pick.rest for pick in found.values() if pick.move is not None}
    return replace(scope, picks=found, left_out=left_out, rests=rests)


def _chooses(decision: Decision, scope: Scope) -> bool:
    """Whether several of the pieces in a local are chosen, all kept without their zone, and nothing else."""
    if decision.together or len(decision.items) != 1:
        return False
    (item,) = decision.items
    if item.pre or item.guards or len(item.binders) != 1 or item.binders[0].kind != "some":
        return False
    (binder,) = item.binders
    return binder.slot in scope.bare and binder.args[0].op == "local" and index(binder.args[0]) in scope.bare


def _told(w: Writer, code: Procedure, source: Expr, scope: Scope) -> tuple[int, ...] | None:
    """The locals that say, with the contents of one bag, which pieces an expression finds; None: that does not do."""
    others: frozenset[int] = frozenset()
    pieces = source
    if source.op == "filter":
        pieces, condition = operands(source)
        others = local_reads(condition) - {index(source)}
        if not all(part.op in TOLD for part in subexpressions(condition)):
            return None
    if pieces.op != "pieces" or w.hides(operands(pieces)[0], scope) or not all(scalar(code.locals[n]) for n in others):
        return None
    table = w.table_of(operands(pieces)[0], scope)
    return None if w.program.zones[table].pile else tuple(sorted(others))


def _moved(w: Writer, statements: tuple[Statement, ...], decision: Decision, scope: Scope) -> Statement | None:
    """The first of the statements, if it moves what was chosen to a bag of another table that is never full."""
    rest = [node for node in statements if node.op != "set" or index(node) not in scope.places]
    (binder,) = decision.items[0].binders
    if not rest or rest[0].op != "move":
        return None
    what, to = children(rest[0])
    target = w.table_of(to, scope)
    if what.op != "local" or index(what) != binder.slot or target < 0 or target == scope.bare[binder.slot].table:
        return None
    full = any(w.layout.inst_capacity[there] >= 0 for there in w.layout.zone_instances(target))
    return None if full or w.program.zones[target].pile else rest[0]
