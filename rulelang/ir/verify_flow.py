"""Verifies how values flow through the slots of a procedure: set before read, kept while needed, not overwritten.

Enters: a procedure whose nodes and jump targets are sound. Leaves: nothing, or an `IrError`.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.ir import walk
from rulelang.ir.errors import IrError
from rulelang.ir.liveness import decision_reads, live_at_terminator, live_slots
from rulelang.ir.nodes import Block, Choose, Decision, Expr, Procedure
from rulelang.vocabulary.operations import BINDING

Slots = frozenset[int]


class FlowVerifier:
    """Checks the flow of values in one procedure."""

    def __init__(self, procedure: Procedure, decisions: tuple[Decision, ...]) -> None:
        self.procedure = procedure
        self.decisions = decisions
        self.live = list(live_slots(procedure, decisions))
        self.block = 0

    def _fail(self, message: str) -> None:
        raise IrError(message, where=f"procedure {self.procedure.name}, block {self.block}")

    def _slots(self, slots: Iterable[int]) -> str:
        names = self.procedure.local_names
        return ", ".join(f"{slot} (`{names[slot]}`)" if 0 <= slot < len(names) else str(slot) for slot in sorted(slots))

    def verify(self) -> None:
        """Check every block."""
        blocks = self.procedure.blocks
        for number, known in enumerate(self._assigned()):
            self.block = number
            # a block that nothing leads to has no values to miss
            if known is not None:
                self._reads(blocks[number], known)
        for number, live in enumerate(self.live):
            self.block = number
            missing = live - set(blocks[number].live)
            if missing:
                self._fail(f"`live` lacks slot {self._slots(missing)}")
            self._overwrites(blocks[number])

    # set before read

    def _assigned(self) -> list[Slots | None]:
        """Return for every block the slots that are set on all paths to it; None if there is no path."""
        blocks = self.procedure.blocks
        assigned: list[Slots | None] = [None] * len(blocks)
        assigned[0] = frozenset(range(self.procedure.parameters))
        pending = [0]
        while pending:
            number = pending.pop()
            known = assigned[number] or frozenset()
            known |= {walk.index(s) for s in blocks[number].statements if s.op == "set"}
            for to, filled in walk.exits(blocks[number].terminator, self.decisions):
                before = assigned[to]
                after = known | filled if before is None else before & (known | filled)
                if after != before:
                    assigned[to] = after
                    pending.append(to)
        return assigned

    def _read(self, slots: Slots, known: Slots) -> None:
        if not slots <= known:
            self._fail(f"slot {self._slots(slots - known)} is read before it is set on some path")

    def _reads(self, block: Block, known: Slots) -> None:
        """Check that each local that a block reads was set before; `known`: those set before the block."""
        for statement in block.statements:
            for expr in walk.operands(statement):
                self._read(walk.local_reads(expr), known)
            if statement.op == "set":
                known |= {walk.index(statement)}
        for expr in walk.outermost(block.terminator):
            self._read(walk.local_reads(expr), known)
        if isinstance(block.terminator, Choose):
            self._read(decision_reads(self.decisions[block.terminator.decision]), known)

    # not overwritten while needed

    def _overwrites(self, block: Block) -> None:
        """Check, backwards through a block, that no loop over a set uses a slot that is still needed."""
        needed = live_at_terminator(block, self.live, self.decisions)
        for expr in walk.outermost(block.terminator):
            self._bound(expr, needed)
        if isinstance(block.terminator, Choose):
            self._decision(self.decisions[block.terminator.decision], needed)
        for statement in reversed(block.statements):
            if statement.op == "set":
                needed -= {walk.index(statement)}
            for expr in walk.operands(statement):
                self._bound(expr, needed)
            needed = needed.union(*map(walk.local_reads, walk.operands(statement)))

    def _bound(self, expr: Expr, needed: Slots) -> None:
        """Check that the slots of loops within an expression are not among those needed after it."""
        bound = walk.local_bindings(expr)
        if not bound:
            return
        overwritten = bound & (needed | walk.local_reads(expr))
        if overwritten:
            self._fail(f"slot {self._slots(overwritten)} is needed but used for the elements of a set")
        self._nested(expr, frozenset())

    def _nested(self, expr: Expr, around: Slots) -> None:
        """Check that loops within each other use different slots; `around`: those of the outer loops."""
        parts = walk.operands(expr)
        if expr.op in BINDING:
            slot = walk.index(expr)
            if slot in around:
                self._fail(f"slot {self._slots((slot,))} is used for the elements of two sets at once")
            self._nested(parts[0], around)
            self._nested(parts[1], around | {slot})
            return
        for part in parts:
            self._nested(part, around)

    def _decision(self, decision: Decision, needed: Slots) -> None:
        """Check that a decision fills no slot that is needed after it, and reads none that is not set."""
        filled = {binder.slot for item in decision.items for binder in item.binders}
        if decision.together:
            filled |= {decision.you_slot, decision.result_slot}
        if filled & needed:
            self._fail(f"slot {self._slots(filled & needed)} is needed but filled by the decision")
        for expr in walk.outermost(decision):
            self._bound(expr, needed)
        for item in decision.items:
            binders = frozenset(binder.slot for binder in item.binders)
            if len(binders) < len(item.binders):
                self._fail(f"item `{item.name}` has two binders with one slot")
            for expr in walk.outermost(item):
                if walk.local_bindings(expr) & binders:
                    self._fail(f"item `{item.name}` uses a binder's slot for the elements of a set")
            for guard in item.pre:
                if walk.local_reads(guard.condition) & binders:
                    self._fail(f"item `{item.name}` reads a binder in a `pre` guard")
