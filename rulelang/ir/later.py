"""What may be written after a statement, up to the end of the game, and from which zone a local was chosen before it.

Enters: a program. Leaves: for each statement of an operation the names of state that may be written after it (those of
`rulelang.ir.effects`), over the blocks that can follow, and over those of whoever called (a fixpoint); the zone from
which a local was chosen, as long as nothing has come to it or left it since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulelang.ir.effects import BlockWrites
from rulelang.ir.nodes import CallProc, Chance, Choose, Decision, Expr, Procedure, Statement
from rulelang.ir.program import Program
from rulelang.ir.walk import form, index, operands, place_in, successors

Names = frozenset[str]


@dataclass(frozen=True)
class StatementPlace:
    """Where a statement stands: the numbers of its procedure, block, and statement in that."""

    procedure: int
    block: int
    statement: int


class LaterWrites:
    """What may be written after the statements of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._writes = [BlockWrites(program, procedure) for procedure in program.procedures]
        self._next = [
            [successors(block.terminator, program.decisions) for block in procedure.blocks]
            for procedure in program.procedures
        ]
        self._after = [self._after_blocks(number) for number in range(len(program.procedures))]
        self._returned = self._after_returns()

    def of(self, op: str) -> Iterator[tuple[StatementPlace, Statement, Names]]:
        """Yield the statements of an operation, each with what may be written after it."""
        for number, procedure in enumerate(self.program.procedures):
            for at, block in enumerate(procedure.blocks):
                for place, statement in enumerate(block.statements):
                    if statement.op == op:
                        rest = self._writes[number].of(block.statements[place + 1 :], block.terminator)
                        later = rest | self._after[number][at] | self._returned[number]
                        yield StatementPlace(number, at, place), statement, later

    def own_zone(self, place: StatementPlace, slot: int) -> int:
        """Return the zone, the chooser's own, from which the pieces in a local were chosen, if nothing can have come to
        it or left it on the ways from that choice to a statement; else -1."""
        procedure = self.program.procedures[place.procedure]
        source = self._choice_of(procedure, slot)
        if source is None:
            return -1
        asks, decision, zone = source
        indices = operands(zone)
        if decision.together or [form(part) for part in indices] != [form(decision.seat)]:
            return -1
        starts = {to for to in self._next[place.procedure][asks] if to != decision.otherwise}
        between = self._between(place.procedure, starts, place.block, asks)
        writes = self._writes[place.procedure]
        written = writes.of(procedure.blocks[place.block].statements[: place.statement])
        written = written.union(*(writes.blocks[at] for at in between - {place.block}))
        name = f"zone:{self.program.zones[index(zone)].name}"
        again = place.block in self._reachable(place.procedure, self._next[place.procedure][place.block], asks)
        return index(zone) if name not in written and not again else -1

    def _choice_of(self, procedure: Procedure, slot: int) -> tuple[int, Decision, Expr] | None:
        """Return the block, decision and zone of the one choice that fills a local; None where something else may."""
        writers: list[tuple[int, Decision, Expr] | None] = [None] if slot < procedure.parameters else []
        for at, block in enumerate(procedure.blocks):
            writers += [None for s in block.statements if s.op == "set" and index(s) == slot]
            match block.terminator:
                case CallProc(slot=to) | Chance(slot=to) if to == slot:
                    writers.append(None)
                case Choose(decision=number):
                    decision = self.program.decisions[number]
                    bound = [binder for item in decision.items for binder in item.binders if binder.slot == slot]
                    writers += [(at, decision, zone) if (zone := place_in(b.args[0])) else None for b in bound]
                    writers += [None] if decision.result_slot == slot else []
        return writers[0] if len(writers) == 1 else None

    def _between(self, number: int, starts: set[int], end: int, without: int) -> set[int]:
        """Return the blocks on ways from some blocks to one, none of which go through the block `without`."""
        forward = self._reachable(number, starts, without)
        return {at for at in forward if at == end or end in self._reachable(number, self._next[number][at], without)}

    def _reachable(self, number: int, starts: set[int] | list[int], without: int) -> set[int]:
        """Return the blocks that some lead to, themselves among them, not through the block `without`."""
        reached: set[int] = set()
        pending = [*starts]
        while pending:
            at = pending.pop()
            if at not in reached and at != without:
                reached.add(at)
                pending += self._next[number][at]
        return reached

    def _after_blocks(self, number: int) -> list[Names]:
        """Return for each block of a procedure what may be written in those that can follow it."""
        after = [Names() for _ in self._next[number]]
        changed = True
        while changed:
            changed = False
            for at in reversed(range(len(after))):
                later = after[at].union(*(self._writes[number].blocks[to] | after[to] for to in self._next[number][at]))
                changed |= later != after[at]
                after[at] = later
        return after

    def _after_returns(self) -> list[Names]:
        """Return for each procedure what may be written after it has returned, to whoever calls it."""
        program = self.program
        returned = [Names() for _ in program.procedures]
        returned[program.setup] = Names(program.procedures[program.play].effects.writes)
        changed = True
        while changed:
            changed = False
            for number, procedure in enumerate(program.procedures):
                for at, block in enumerate(procedure.blocks):
                    if isinstance(block.terminator, CallProc):
                        called = block.terminator.procedure
                        later = returned[called] | self._after[number][at] | returned[number]
                        changed |= later != returned[called]
                        returned[called] = later
        return returned
