"""Which local slots are still needed: a backward dataflow analysis.

Enters: a procedure and the program's decisions. Leaves: the live slots at the start of every block, which decide what a
waiting frame keeps. What a block reads and sets is looked for once (gen and kill sets), then the blocks are gone over
until nothing changes.
"""

from __future__ import annotations

from rulelang.ir.nodes import Block, Chance, Choose, Decision, Expr, Item, Procedure
from rulelang.ir.walk import exits, index, local_reads, operands, outermost


def item_reads(item: Item) -> frozenset[int]:
    """Return the slots that an item's guards and binders need from before the decision."""
    needed: frozenset[int] = frozenset()
    bound: frozenset[int] = frozenset()
    for guard in item.pre:
        needed |= local_reads(guard.condition)
    for binder in item.binders:
        needed |= frozenset().union(*map(local_reads, binder.args)) - bound
        bound |= {binder.slot}
    for guard in item.guards:
        needed |= local_reads(guard.condition) - bound
    return needed


def decision_reads(decision: Decision) -> frozenset[int]:
    """Return the slots that asking a decision needs. `together` fills `you_slot` itself, for each seat asked."""
    asked = frozenset((decision.you_slot,)) if decision.together else frozenset()
    return local_reads(decision.seat).union(*(item_reads(item) - asked for item in decision.items))


def _needed_after(block: Block, live: list[frozenset[int]], decisions: tuple[Decision, ...]) -> frozenset[int]:
    """Return the slots that any successor of a block needs."""
    needed: frozenset[int] = frozenset()
    for to, filled in exits(block.terminator, decisions):
        if 0 <= to < len(live):
            needed |= live[to] - filled
    return needed


def _read_at_terminator(block: Block, decisions: tuple[Decision, ...]) -> frozenset[int]:
    """Return the slots that the terminator of a block reads."""
    needed = frozenset[int]().union(*map(local_reads, outermost(block.terminator)))
    if isinstance(block.terminator, Choose) and 0 <= block.terminator.decision < len(decisions):
        needed |= decision_reads(decisions[block.terminator.decision])
    return needed


def live_at_terminator(block: Block, live: list[frozenset[int]], decisions: tuple[Decision, ...]) -> frozenset[int]:
    """Return the slots needed just before a block's terminator, given the live slots of the blocks that follow."""
    return _needed_after(block, live, decisions) | _read_at_terminator(block, decisions)


def lone_source(procedure: Procedure, block: Block, decisions: tuple[Decision, ...]) -> int:
    """Return the slot of the set that a block's decision chooses from, or its chance draws from, if nothing else reads
    it there or later; else -1. Such a set tells none of its elements from another."""
    end = block.terminator
    if isinstance(end, Choose):
        node = decisions[end.decision]
        (item, *others) = node.items
        if others or node.together or item.pre or item.guards or len(item.binders) != 1:
            return -1
        source, read = item.binders[0].args[0], local_reads(node.seat)
    elif isinstance(end, Chance) and end.kind == "element":
        source, read = end.args[0], local_reads(end.seers) if end.seers is not None else frozenset()
    else:
        return -1
    if not isinstance(source, Expr) or source.op != "local":
        return -1
    slot = index(source)
    later = any(
        slot in procedure.blocks[to].live and slot not in filled for to, filled in exits(end, decisions) if to >= 0
    )
    return -1 if later or slot in read else slot


def _reads_and_writes(block: Block) -> tuple[frozenset[int], frozenset[int]]:
    """Return the slots that a block's statements read before they set them, and those that they set."""
    read: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    for statement in block.statements:
        read |= frozenset().union(*map(local_reads, operands(statement))) - written
        if statement.op == "set":
            written |= {index(statement)}
    return read, written


def live_slots(procedure: Procedure, decisions: tuple[Decision, ...]) -> tuple[frozenset[int], ...]:
    """Return for every block the local slots whose value may still be read before it is overwritten."""
    live: list[frozenset[int]] = [frozenset() for _ in procedure.blocks]
    parts = [(*_reads_and_writes(block), _read_at_terminator(block, decisions)) for block in procedure.blocks]
    changed = True
    while changed:
        changed = False
        for number in reversed(range(len(live))):
            read, written, last = parts[number]
            now = read | ((last | _needed_after(procedure.blocks[number], live, decisions)) - written)
            if now != live[number]:
                live[number] = now
                changed = True
    return tuple(live)
