"""Procedures as C functions that stop where somebody is asked: each says where it waits, and what its locals are.

Enters: procedures. Leaves: functions that differ from those of whole games (procedures.py) in this: a decision takes
the option that `g->step` names; at the next one they say what is asked and which options there are (c/frames.h), and
return, each caller adding where it waits itself. Where several seats are asked at once, and at chance nodes if chance
is explicit, they hand over to Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulelang.ir.nodes import Block, CallProc, Chance, Choose, Decision, Procedure
from rulelang.ir.types import Type
from rulelang.ir.walk import exits
from rulelang.native.alike import kept, referring
from rulelang.native.decisions import Options, asking, check_written, ended_by_limit, found_options, lower
from rulelang.native.expressions import Scope
from rulelang.native.frames import Forms
from rulelang.native.parts import Room
from rulelang.native.procedures import Body, ProcedureWriter
from rulelang.native.text import literal

PASS = -1
"""The number of the item that is offered where there is nothing else and the seat is asked anyway."""


class Stepped(Body):
    """The blocks of a procedure that stops where it waits."""

    def __init__(self, owner: ProcedureWriter, code: Procedure, scope: Scope) -> None:
        super().__init__(owner, code, scope)
        self.dealt = set()
        self.forms: Forms = owner.w.forms

    def entries(self) -> set[int]:
        """Also what follows a choice or chance that Python has made."""
        found, blocks = super().entries(), self.code.blocks
        return found | {to for place in found for to, _ in exits(blocks[place].terminator, self.w.program.decisions)}

    def terminator(self, block: Block, after: int) -> None:
        w, source, scope = self.w, self.source, self.scope
        match block.terminator:
            case CallProc() as call:
                with kept(w, w.askers[call.procedure], call, scope):
                    self._call(call)
                if w.program.procedures[call.procedure].effects.suspends:
                    with source.block("if (UNLIKELY(g->step.stopped))"):
                        source.line(f"g->step.last[FRAME_SLOT] = {call.slot};")
                        live = self.code.blocks[call.to].live
                        self._stop(call.to, [slot for slot in live if slot != call.slot])
                self.goto(call.to, after)
            case Choose(decision=decision):
                self._choose(block, w.program.decisions[decision], decision)
            case Chance():
                with source.block("if (g->step.explicit_chance && g->direct == NULL)"):
                    self._hand_over(block)
                super().terminator(block, after)
            case _:
                super().terminator(block, after)

    def _place(self, block: Block) -> int:
        return next(number for number, other in enumerate(self.code.blocks) if other is block)

    def _stop(self, place: int, live: Iterable[int]) -> None:
        """Lines that say that the procedure waits, and return."""
        self._waits(place, live)
        self.source.line("return 0;")

    def _waits(self, place: int, live: Iterable[int]) -> None:
        line, fresh, code = self.source.line, self.source.fresh, self.code
        row = fresh("row")
        line(f"W *const {row} UNUSED = waits_here(g, {self.scope.procedure}, {place}, {len(code.locals)});")
        for slot in live:
            line(f"{row}[{slot}] = {self._written('parts', code.locals[slot], self.scope.names[slot])};")

    def _written(self, parts: str, type_: Type, value: str) -> str:
        form = self.forms.form(type_)
        return f"written(g, &g->step.{parts}, {form}, {value})" if form else value

    def _hand_over(self, block: Block) -> None:
        self.source.line("g->step.stopped = HANDED_OVER;")
        self._stop(self._place(block), block.live)

    # ---- decisions

    def _choose(self, block: Block, node: Decision, number: int) -> None:
        w, source = self.w, self.source
        source.at(node.site)
        check_written(w, node)
        if node.together:
            with source.block("if (g->direct == NULL)"):
                self._hand_over(block)
            source.line("not_directly(g);")
            source.line(f"fail(g, {node.site});")
            return
        room = Room(w)
        with source.block("do"):
            room.open()
            options, total = found_options(room, node, referring(w, self.code, block), self.scope)
            if not any(literal(item.count) for item in options):
                with source.block(f"if ({total} == 0)"):
                    self._nothing_there(room, block, node, number)
            if total != "0":
                self._take_one(room, block, node, number, options, total)
        source.lines[-1] += " while (0);"

    def _take_one(
        self, room: Room, block: Block, node: Decision, number: int, options: Sequence[Options], total: str
    ) -> None:
        """Lines that take the option that is chosen, or stop."""
        source, line, k = self.source, self.source.line, self.source.fresh("k")
        line(f"W {k} UNUSED = 0;")
        with source.block(f"if ({asking(node, options, total) or 1})"):
            line(ended_by_limit(self.w, room))
            with source.block("if (g->step.choice < 0)"):
                self._ask(block, node, number, total)
                self._list(options)
                line("return 0;")
            line("decided(g);")
            line(f"{k} = chosen(g, {total}, {node.site});")
        for item in options:
            if item.count == "0":
                continue
            item.once = True
            with source.block(f"if ({k} < {item.count})"):
                item.take(k)
                self.goto(item.item.to)
            line(f"{k} -= {item.count};")
        line(f"fail(g, {node.site});")

    def _ask(self, block: Block, node: Decision, number: int, total: str) -> None:
        """Lines that stop at a decision."""
        self.source.line("not_directly(g);")
        self.source.line(f"stop_asked(g, {number}, {self.w.text(node.seat, self.scope)}, {total});")
        with self.source.block(""):
            self._waits(self._place(block), block.live)

    def _list(self, options: Sequence[Options]) -> None:
        """Lines that list the options."""
        source, line = self.source, self.source.line
        for place, item in enumerate(options):
            if item.count == "0":
                continue
            k, mark, option = map(source.fresh, ("k", "mark", "option"))
            binders = item.item.binders
            with source.block(f"for (W {k} = 0; {k} < {item.count} && g->step.listed >= 0; {k}++)"):
                line(f"W *const {mark} = g->top;")
                line(f"W *const {option} = an_option(g, {place}, {len(binders)});")
                line(f"if ({option} == NULL) break;")
                item.once = False
                item.take(k)
                for number, binder in enumerate(binders):
                    value = self._written("option_parts", binder.type, self.scope.names[binder.slot])
                    line(f"{option}[{number}] = {value};")
                line(f"g->top = {mark};")

    def _nothing_there(self, room: Room, block: Block, node: Decision, number: int) -> None:
        """Lines for a decision without options."""
        line = self.source.line
        if node.ask == "anyway":
            line(ended_by_limit(self.w, room))
            with self.source.block("if (g->step.choice < 0)"):
                self._ask(block, node, number, "1")
                line(f"an_option(g, {PASS}, 0);")
                line("return 0;")
            line("decided(g);")
            line(f"chosen(g, 1, {node.site});")
        lower(room, [])
        if node.otherwise >= 0:
            self.goto(node.otherwise)
        else:
            line(f"fail(g, {node.site});")
