"""Blocks of a procedure as Python's `while`, `for` and `if`.

Enters: a procedure and the names of its locals. Leaves: lines in the source; `UnstructuredError` where Python has no
words for it, or where too much would be written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rulelang.backends.facts import exposed_blocks, same
from rulelang.backends.interpreter.work import block_work
from rulelang.backends.python.chance import deals, write_chance, write_deal
from rulelang.backends.python.expressions import expr_zero
from rulelang.backends.python.flow import Region, Shape, UnstructuredError
from rulelang.backends.python.picks import picks, with_picks
from rulelang.backends.python.scope import Scope
from rulelang.ir.nodes import Branch, CallProc, Chance, Choose, End, Expr, Jump, Return, Statement
from rulelang.ir.walk import children, exits, index

if TYPE_CHECKING:
    from rulelang.backends.python.procedures import ProcedureWriter

COPIES = 3
"""A block may be written so many times on average."""
BACK = -2
"""Stands for the way back to where a procedure is written."""
FEW = 16
"""A loop through a set of no more elements than this is charged once: what stands in it is charged anyway."""
ROUNDS = 4096
"""The fuel of a loop that counts down, with no more rounds than this, is charged at its end."""
DEEPEST = 30
"""How far lines may be indented: Python takes no more than a hundred steps."""
NOWHERE = Expr("none", "?")
"""Stands for a source of pieces of which nothing is known."""


@dataclass(frozen=True)
class Each:
    """A loop through a set: the local that holds it, the slot of the place in it, the statements that take the element
    at that place and go to the next one, and whether there are but few."""

    elements: Expr
    place: int
    take: Statement
    step: Statement
    few: bool


def _counts(value: Expr, slot: int, way: str) -> bool:
    """Whether a value is that of a slot and 1 more, or less."""
    if value.op != way:
        return False
    left, right = children(value)
    return left.op == "local" and index(left) == slot and right.op == "const" and right.args[0] == 1


def _filled_zone(condition: Expr) -> Expr:
    """The zone that is not empty if a condition holds."""
    if condition.op != "gt":
        return NOWHERE
    left, right = children(condition)
    return next(children(left)) if left.op == "size" and expr_zero(right) else NOWHERE


class Structured:
    """Writes the blocks of one procedure as `while` and `if`. `result`: it is written where it is called, and its value
    goes into this variable (empty: nowhere)."""

    def __init__(self, owner: ProcedureWriter, procedure: int, scope: Scope, result: str | None = None) -> None:
        self.owner = owner
        self.result = result
        self.source = owner.source
        code = owner.program.procedures[procedure]
        self.scope = scope = with_picks(scope, picks(owner.w, code, owner.live(procedure), scope))
        self.blocks = code.blocks
        self.shape = Shape(code, owner.program.decisions, result is not None)
        # Blocks that begin with the move of a piece which the block before them has just made known.
        self.dealt = {
            to
            for to in exposed_blocks(code, owner.program.decisions)
            if all(
                deals(owner.w, block.terminator, code.blocks[to], scope)
                for block in code.blocks
                if isinstance(block.terminator, Chance) and block.terminator.to == to
            )
        }
        self.filled = NOWHERE
        """A zone that has just been found not to be empty."""
        self.left = COPIES * len(code.blocks) + COPIES

    def write(self) -> None:
        """All blocks from the first on."""
        self._from(0, Region(), False)

    def _from(self, block: int, region: Region, begins: bool) -> bool:
        """Writes from a block to the end of the region; whether what is written falls through there.

        `begins`: the block is the header of the region's loop, at its beginning.
        """
        while True:
            if block == region.stop:
                return True
            if block == region.header and not begins:
                self.source.line("continue")
                return False
            if block == region.exit:
                self.source.line("break")
                return False
            self.left -= 1
            if self.left < 0 or self.source.depth > DEEPEST:
                raise UnstructuredError
            if block in self.shape.loops and not begins:
                block = self._loop(block, region)
                if block < 0:
                    return False
                continue
            begins = False
            following = self._one(block, region)
            if following is None or following == BACK:
                return following == BACK
            block = following

    def _loop(self, header: int, region: Region) -> int:
        """Writes a loop; the block after it, -1 if there is none."""
        self.filled = NOWHERE
        out = self.shape.exit_of(header, region)
        self._reachable(header, out, region)
        owner, code = self.owner, self.blocks[header]
        each = self._each(header, out)
        if each is not None and self._for_each(header, out, each):
            branch = code.terminator
            assert isinstance(branch, Branch)
            if out < 0:
                self._from(branch.otherwise, Region(), False)
            return out
        counter = self._counter(header) if out >= 0 else ""
        if counter:
            self._counted(header, out, counter)
            return out
        with self.source.block("while True:"):
            self.source.line(f"S.fuel -= {block_work(owner.w.layout, code)}")
            with self.source.block("if S.fuel < 0:"):
                self.source.line(f"tired({code.site})")
            self._from(header, Region(-1, header, out), True)
        return out

    def _each(self, header: int, out: int) -> Each | None:
        """What a loop goes through, if it takes the elements of a set one after the other."""
        code, body, blocks = self.blocks[header], self.shape.loops[header], self.blocks
        branch, owner, procedure = code.terminator, self.owner, self.scope.procedure
        if code.statements or not isinstance(branch, Branch) or branch.condition.op != "lt":
            return None
        place, count = children(branch.condition)
        if place.op != "local" or count.op != "count" or branch.then not in body or branch.otherwise in body:
            return None
        (elements,) = children(count)
        if elements.op != "local" or branch.otherwise != out >= 0:
            return None
        first = owner.kept(procedure, blocks[branch.then])[:1]
        latches = [number for number in body if header in self.shape.after[number]]
        if not first or first[0].op != "set" or len(latches) != 1 or self.shape.before(branch.then) != [header]:
            return None
        last = blocks[latches[0]].statements[-1:]
        if not last or last[0].op != "set" or index(last[0]) != index(place):
            return None
        (taken,), (step,) = children(first[0]), children(last[0])
        if taken.op != "at" or not all(same(a, b) for a, b in zip(children(taken), (elements, place), strict=True)):
            return None
        if not _counts(step, index(place), "add") or not self._plain(index(first[0])):
            return None
        kept = {index(elements), index(place)}
        for number in body:
            block = blocks[number]
            if any(filled & kept for _, filled in exits(block.terminator, owner.program.decisions)):
                return None
            for node in block.statements:
                if node.op == "set" and index(node) in kept and node is not last[0]:
                    return None
        sources = owner.sources(procedure).get(index(elements), [NOWHERE])
        few = index(elements) >= owner.program.procedures[procedure].parameters and all(
            owner.w.facts.most(source) <= FEW for source in sources
        )
        return Each(elements, index(place), first[0], last[0], few)

    def _plain(self, slot: int) -> bool:
        """Whether a slot's values are kept as they are."""
        return slot not in self.scope.bare and slot not in self.scope.places

    def _for_each(self, header: int, out: int, each: Each) -> bool:
        """Writes a loop that goes through a set as `for`; False, and nothing, if its place in the set is wanted."""
        source, code, scope = self.source, self.blocks[header], self.scope
        branch, left, start, depth = code.terminator, self.left, len(source.lines), source.depth
        assert isinstance(branch, Branch)

        def charge() -> None:
            source.line(f"S.fuel -= {block_work(self.owner.w.layout, code)}")
            with source.block("if S.fuel < 0:"):
                source.line(f"tired({code.site})")

        if each.few:
            charge()
        done = frozenset((id(each.take), id(each.step)))
        self.scope = replace(scope, left_out=scope.left_out | done)
        with source.block(f"for {scope.names[index(each.take)]} in {self.owner.w.text(each.elements, scope)}:"):
            if not each.few:
                charge()
            self._from(branch.then, Region(-1, header, out), False)
        self.scope = scope
        place = re.compile(rf"\b{scope.names[each.place]}\b")
        if any(place.search(line) for line in source.lines[start:]):
            source.cut(start, depth)
            self.left = left
            return False
        return True

    def _counter(self, header: int) -> str:
        """What counts the rounds of a loop down to 0, if they are few; else nothing."""
        owner, code, body = self.owner, self.blocks[header], self.shape.loops[header]
        procedure, branch = self.scope.procedure, code.terminator
        if code.statements or not isinstance(branch, Branch) or branch.condition.op != "gt":
            return ""
        left, right = children(branch.condition)
        if left.op != "local" or not expr_zero(right) or branch.then not in body or branch.otherwise in body:
            return ""
        slot = index(left)
        steps = [
            value
            for block in (self.blocks[number] for number in body)
            for node in block.statements
            if node.op == "set" and index(node) == slot
            for value in children(node)
        ]
        if len(steps) != 1 or not _counts(steps[0], slot, "sub"):
            return ""
        for number in body:
            block = self.blocks[number]
            if isinstance(block.terminator, Choose | CallProc):
                return ""  # decisions give new fuel
            if any(slot in filled for _, filled in exits(block.terminator, owner.program.decisions)):
                return ""
        starts = [value for value in owner.sources(procedure).get(slot, [NOWHERE]) if value is not steps[0]]
        if slot < owner.program.procedures[procedure].parameters:
            return ""
        few = all(owner.w.intervals.of(procedure, value)[1] <= ROUNDS for value in starts)
        return self.scope.names[slot] if few else ""

    def _counted(self, header: int, out: int, counter: str) -> None:
        """Writes a loop that counts down; its fuel is charged at its end."""
        source, code, branch = self.source, self.blocks[header], self.blocks[header].terminator
        assert isinstance(branch, Branch)
        rounds, work = source.fresh("rounds"), block_work(self.owner.w.layout, code)
        source.line(f"{rounds} = {counter}")
        with source.block(f"while {self.owner.w.truth(branch.condition, self.scope)}:"):
            self._from(branch.then, Region(-1, header, out), False)
        source.line(f"S.fuel -= {f'{work} * ' if work > 1 else ''}({rounds} - {counter} + 1)")
        with source.block("if S.fuel < 0:"):
            source.line(f"tired({code.site})")

    def _reachable(self, header: int, out: int, region: Region) -> None:
        """An UnstructuredError where the loop is left for an outer one."""
        body = self.shape.loops[header]
        outer = {region.stop, region.header, region.exit} - {-1, out}
        if any(to in outer for block in body for to in self.shape.after[block] if to not in body):
            raise UnstructuredError

    def _one(self, number: int, region: Region) -> int | None:
        """Writes a block; the one to go on with here, None if there is none."""
        block, owner = self.blocks[number], self.owner
        filled, self.filled = self.filled, NOWHERE
        owner.statements(block, self.scope, 1 if number in self.dealt else 0)
        terminator = block.terminator
        if isinstance(terminator, Jump):
            return terminator.to
        if isinstance(terminator, CallProc):
            if not owner.within(terminator, self.scope):
                owner.call(terminator, self.scope)
            return terminator.to
        if isinstance(terminator, Return) and self.result is not None:
            if region.header >= 0:
                raise UnstructuredError
            if self.result and terminator.value is not None:
                self.source.line(f"{self.result} = {owner.w.stored(terminator.value, self.scope)}")
            return BACK
        if isinstance(terminator, Chance):
            if terminator.to in self.dealt:
                sure = not block.statements and same(filled, terminator.args[0])
                write_deal(owner.w, terminator, self.blocks[terminator.to], self.scope, sure)
            else:
                write_chance(owner.w, terminator, self.scope, number)
            return terminator.to
        if isinstance(terminator, Return | End):
            owner.terminator(number, block, self.scope, lambda to: None)
            return None
        merge = self.shape.merge(number, region)
        inner = Region(merge, region.header, region.exit) if merge >= 0 else Region(-1, region.header, region.exit)
        if isinstance(terminator, Branch):
            return self._branch(terminator, merge, inner)
        owner.terminator(number, block, self.scope, lambda to: self._leaf(to, inner))
        return merge if merge >= 0 else None

    def _branch(self, branch: Branch, merge: int, inner: Region) -> int | None:
        """Writes both sides of a condition, the second one without an `else` where the first is left."""
        w = self.owner.w
        test = w.truth(branch.condition, self.scope)
        if branch.then == merge:
            with self.source.block(f"if not {test}:"):
                self._from(branch.otherwise, inner, False)
            return merge
        with self.source.block(f"if {test}:"):
            self.filled = _filled_zone(branch.condition)
            falls = self._from(branch.then, inner, False)
        if branch.otherwise == merge:
            return merge
        if not falls:
            return branch.otherwise
        with self.source.block("else:"):
            self._from(branch.otherwise, inner, False)
        return merge if merge >= 0 else None

    def _leaf(self, to: int, inner: Region) -> None:
        self._from(to, inner, False)
