"""The shape of a procedure's blocks: which are loops, where branches meet again.

Enters: a procedure. Leaves: a `Shape`, from which blocks can be written as `while` and `if`; `UnstructuredError` where
Python has no words for it (a jump out of two loops at once, say).
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.ir.nodes import Choose, Decision, End, Procedure, Return
from rulelang.ir.walk import exits


class UnstructuredError(Exception):
    """The blocks cannot be written with `while` and `if`."""


@dataclass(frozen=True)
class Region:
    """Where blocks are being written: within which loop, and before which block.

    Attributes:
        stop: the block that what is written falls through to (-1: none).
        header, exit: of the innermost loop; -1 for none.
    """

    stop: int = -1
    header: int = -1
    exit: int = -1


class Shape:
    """What is known of the blocks of a procedure. `within`: it is written where it is called, and returns to there."""

    def __init__(self, procedure: Procedure, decisions: tuple[Decision, ...], within: bool) -> None:
        self.blocks = procedure.blocks
        self.after = [
            list(dict.fromkeys(to for to, _ in exits(block.terminator, decisions))) for block in procedure.blocks
        ]
        ends = End if within else Return | End
        self.leaves = [isinstance(block.terminator, ends) for block in procedure.blocks]
        self.order = self._order()
        self.dominators = self._dominators()
        self.loops = self._loops()

    def before(self, block: int) -> list[int]:
        """The blocks that a block comes right after."""
        return [earlier for earlier in self.order if block in self.after[earlier]]

    def _order(self) -> list[int]:
        """Blocks that can be reached, each before those that follow it (but for loops)."""
        found: list[int] = []
        seen = {0}
        stack: list[tuple[int, int]] = [(0, 0)]
        while stack:
            block, place = stack.pop()
            if place < len(self.after[block]):
                stack.append((block, place + 1))
                to = self.after[block][place]
                if to not in seen:
                    seen.add(to)
                    stack.append((to, 0))
            else:
                found.append(block)
        return found[::-1]

    def _dominators(self) -> dict[int, set[int]]:
        everything = set(self.order)
        found = dict.fromkeys(self.order, everything)
        found[0] = {0}
        before: dict[int, list[int]] = {block: [] for block in self.order}
        for block in self.order:
            for to in self.after[block]:
                before[to].append(block)
        changed = True
        while changed:
            changed = False
            for block in self.order[1:]:
                now = set.intersection(*(found[earlier] for earlier in before[block])) | {block}
                if now != found[block]:
                    found[block], changed = now, True
        return found

    def _loops(self) -> dict[int, set[int]]:
        """Header -> the blocks of its loop."""
        place = {block: n for n, block in enumerate(self.order)}
        before: dict[int, list[int]] = {block: [] for block in self.order}
        for block in self.order:
            for to in self.after[block]:
                before[to].append(block)
        loops: dict[int, set[int]] = {}
        for block in self.order:
            for to in self.after[block]:
                if place[to] > place[block]:
                    continue
                if to not in self.dominators[block]:
                    raise UnstructuredError
                body = loops.setdefault(to, {to})
                waiting = [block]
                while waiting:
                    inside = waiting.pop()
                    if inside not in body:
                        body.add(inside)
                        waiting += before[inside]
        return loops

    # ---- where branches meet

    def exit_of(self, header: int, region: Region) -> int:
        """The block after a loop; -1 if only leaving the procedure ends it."""
        body = self.loops[header]
        targets = {to for block in body for to in self.after[block] if to not in body and not self.leaves[to]}
        if len(targets) <= 1:
            return next(iter(targets), -1)
        return self._meeting(sorted(targets), region)

    def merge(self, block: int, region: Region) -> int:
        """The block where the branches of this one meet again; -1 if they don't."""
        several = isinstance(self.blocks[block].terminator, Choose)  # ways to one block may be written apart
        return self._meeting(self.after[block], region, several)

    def _meeting(self, targets: list[int], region: Region, several: bool = False) -> int:
        """The nearest block that all ways from here pass; of ways that leave the region no account is taken, unless all
        of them do."""
        for strict in (True, False):
            known: dict[int, set[int] | None] = {}
            paths = [path for path in (self._passed(to, region, known, strict) for to in targets) if path is not None]
            common = set.intersection(*paths) if paths else set()
            if common and (several or len(paths) > 1 or region.stop in common):
                return max(common, key=lambda block: len(known[block] or ()))
        return -1

    def _passed(self, block: int, region: Region, known: dict[int, set[int] | None], strict: bool) -> set[int] | None:
        """The blocks that are surely passed from here to the end of the region; None if it is left otherwise."""
        if block == region.stop:
            known[block] = {block}
            return {block}
        if block in (region.header, region.exit) or self.leaves[block]:
            return None
        if block in known:
            return known[block]
        known[block] = None
        after = self.after[block]
        if block in self.loops:
            out = self.exit_of(block, region)
            after = [out] if out >= 0 else []
        paths = [path for path in (self._passed(to, region, known, strict) for to in after) if path is not None]
        if paths or not strict:
            known[block] = {block} | (set.intersection(*paths) if paths else set())
        return known[block]
