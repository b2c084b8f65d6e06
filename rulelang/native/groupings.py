"""Groupings as the values of a binder: which groups there can be, how many groupings, one of them.

Enters: a binder that groups pieces, with its guards. Leaves: a `Factor`; c/groupings.h counts. What is asked of each
group alone, without the variable that numbers it, is read of each that there can be; all else of each grouping.
"""

from __future__ import annotations

from functools import partial

from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.walk import asked_of_each, index
from rulelang.limits import COUNTED
from rulelang.mir.options import GROUPING, reads_groups
from rulelang.native.binders import LISTED, Factor
from rulelang.vocabulary.types import INT


class Groupings(Factor):
    """Each grouping: counted, and only the one that is chosen is made, unless guards ask for them as a whole."""

    most = COUNTED

    def declare(self) -> None:
        """Declare the partitions, and sort the guards: those on each group alone, and those on the whole grouping."""
        fresh, line = self.w.source.fresh, self.w.source.line
        (binder,) = self.binders
        self.parts, self.set = fresh("parts"), fresh("set")
        self.alone: list[tuple[int, Expr]] = []
        self.whole: list[Expr] = []
        for guard in self.guards[0]:
            asked = None if reads_groups(self.w.program, binder, guard) else asked_of_each(guard, binder.slot)
            if asked is None:
                self.whole.append(guard)
            else:
                self.alone.append((index(guard), asked))
        self.kept = fresh("kept") if self.whole else ""
        line(f"struct Partitions {self.parts}; W {self.set} = NOTHING, {self.count} = 0;")
        if self.kept:
            line(f"const W *{self.kept} = NULL;")
            self.most = LISTED

    def find(self) -> None:
        """Emit the enumeration: the classes of pieces, the groups that may be, the number of partitions."""
        w, room, line = self.w, self.room, self.w.source.line
        (binder,) = self.binders
        table, cell = w.program.piece_variables[binder.variable], w.layout.pvar_cell(binder.variable, 0)
        most = table.high if table.low <= 1 else 0
        room.kept = True
        line(f"{self.set} = {w.text(binder.args[0], self.env)};")
        line(f"begin_partitions(g, &{self.parts}, {self.set}, {w.constant(cell, INT)}, {most}, {self.site});")
        if self.alone:
            self._admit()
        else:
            line(f"admit_all(g, &{self.parts});")
        line(f"{self.count} = count_partitions(g, &{self.parts});")
        if self.whole:
            with w.source.block(f"if ({self.count})"):
                self._list(w.constant(cell, INT))

    def _admit(self) -> None:
        """Emit the test of each group by the conditions that read one group alone."""
        w, line = self.w, self.w.source.line
        members = w.source.fresh("members")
        bound = [(asked, self.env.bind(slot, members)) for slot, asked in self.alone]
        tests = [f"({w.released(partial(w.text, asked, env))})" for asked, env in bound]
        work = w.work(*(asked for asked, _ in bound))
        with w.source.block(f"for (W {members}; COUNT({members} = next_candidate(g, &{self.parts}, {work}));)"):
            line(f"admit(&{self.parts}, {' && '.join(tests)});")

    def _list(self, cell: str) -> None:
        """Emit the list of ranks of those groupings that pass all guards."""
        w, line = self.w, self.w.source.line
        (binder,) = self.binders
        number, grouping, mark = (w.source.fresh(stem) for stem in ("number", "grouping", "mark"))
        env = self.env.bind(binder.slot, grouping)
        tests = [f"({w.text(guard, env)})" for guard in self.whole]
        line(f"{self.kept} = g->limit;")
        line(f"W *const {mark} = g->top;")
        placed = f"a_placed_partition(g, &{self.parts}, {number}, {cell}, {w.work(*self.whole)})"
        with w.source.block(f"for (W {number} = 0; {number} < {self.count}; {number}++)"):
            line(f"const W {grouping} = {placed};")
            line(f"if ({' && '.join(tests)}) push_upper(g, {number});")
            line(f"g->top = {mark};")
        line(f"restore_group_numbers(g, &{self.parts}, {self.set}, {cell});")
        line(f"{self.count} = {self.kept} - g->limit;")

    def values(self, place: str) -> list[str]:
        which = f"{self.kept}[-1 - {place}]" if self.kept else place
        return [self.w.arena(f"a_partition(g, &{self.parts}, {which})")]

    def chooses_none(self) -> str:
        return f"!{self.parts}.whole"


def groups_anything(program: Program) -> bool:
    """Whether any decision groups pieces."""
    return any(binder.kind == GROUPING for node in program.decisions for item in node.items for binder in item.binders)
