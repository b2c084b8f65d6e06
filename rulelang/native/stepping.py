"""Procedures as C functions that stop where somebody is asked: each says where it waits, and what its locals are.

Enters: procedures. Leaves: functions that differ from those of whole games (procedures.py) in this: a decision takes
the option that `g->step` names; at the next one they say what is asked and which options there are (c/frames.h), and
return, each caller adding where it waits itself. If chance is explicit, so they do at chance nodes (c/outcomes.h).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulelang.ir.nodes import Block, CallProc, Chance, Choose, Decision, Procedure
from rulelang.ir.types import INT, Type
from rulelang.native.chance import write_chance
from rulelang.native.decisions import (
    Options,
    Together,
    asked_condition,
    check_written,
    ended_by_limit,
    go_without,
    release_arena,
    write_options,
)
from rulelang.native.expressions import Scope, compound
from rulelang.native.frames import Forms
from rulelang.native.interchangeable import caller_referenced, referring
from rulelang.native.parts import Room
from rulelang.native.procedures import Body, ProcedureWriter
from rulelang.native.text import literal

PASS = -1
"""The number of the item that is offered where there is nothing else and the seat is asked anyway."""


class Stepped(Body):
    """The blocks of a procedure that stops where it waits."""

    stops = True

    def __init__(self, owner: ProcedureWriter, code: Procedure, scope: Scope) -> None:
        super().__init__(owner, code, scope)
        self.dealt = set()
        self.forms: Forms = owner.w.forms

    def terminator(self, block: Block, after: int) -> None:
        w, source, scope = self.w, self.source, self.scope
        match block.terminator:
            case CallProc() as call:
                with caller_referenced(w, w.askers[call.procedure], call, scope):
                    self._call(call)
                if w.program.procedures[call.procedure].effects.suspends:
                    with source.block("if (UNLIKELY(g->step.stopped))"):
                        source.line(f"g->step.last[FRAME_SLOT] = {call.slot};")
                        live = self.code.blocks[call.to].live
                        self.stop(call.to, [slot for slot in live if slot != call.slot])
                self.goto(call.to, after)
            case Choose(decision=decision):
                self._choose(block, w.program.decisions[decision], decision)
            case Chance() as chance:
                write_chance(w, chance, referring(w, self.code, block), scope, lambda: self._stop_at_chance(block))
                self.goto(chance.to, after)
            case _:
                super().terminator(block, after)

    def place(self, block: Block) -> int:
        """The number of a block."""
        return next(number for number, candidate in enumerate(self.code.blocks) if candidate is block)

    def stop(self, place: int, live: Iterable[int]) -> None:
        """Emit the return that says that the procedure waits."""
        self.waits(place, live)
        self.source.line("return 0;")

    def waits(self, place: int, live: Iterable[int]) -> None:
        """Write lines that say that the procedure waits at a block, and what it still needs there."""
        line, fresh, code = self.source.line, self.source.fresh, self.code
        row = fresh("row")
        line(f"W *const {row} UNUSED = waits_here(g, {self.scope.procedure}, {place}, {len(code.locals)});")
        for slot in sorted(live):
            line(f"{row}[{slot}] = {self.written('parts', code.locals[slot], self.scope.names[slot])};")

    def written(self, parts: str, type_: Type, value: str) -> str:
        """The text of a value as one outside of the game."""
        form = self.forms.form(type_)
        return f"written(g, &g->step.{parts}, {form}, {value})" if form else value

    def _stop_at_chance(self, block: Block) -> None:
        place = self.place(block)
        self.source.line(f"stop_at_chance(g, {self.scope.procedure}, {place});")
        self.stop(place, block.live)

    # ---- decisions

    def _choose(self, block: Block, node: Decision, number: int) -> None:
        w, source = self.w, self.source
        source.at(node.site)
        check_written(w, node)
        if node.together:
            with source.block("do"):
                SteppedTogether(self, block, node, number).write(referring(w, self.code, block))
            source.lines[-1] += " while (0);"
            return
        room = Room(w)
        with source.block("do"):
            room.open()
            options, total = write_options(room, node, referring(w, self.code, block), self.scope)
            if not any(literal(item.count) for item in options):
                with source.block(f"if ({total} == 0)"):
                    self._write_no_options(room, block, node, number)
            if total != "0":
                self._take_one(room, block, node, number, options, total)
        source.lines[-1] += " while (0);"

    def _take_one(
        self, room: Room, block: Block, node: Decision, number: int, options: Sequence[Options], total: str
    ) -> None:
        """Emit the taking of the chosen option, or the stop."""
        source, line, k = self.source, self.source.line, self.source.fresh("k")
        line(f"W {k} UNUSED = 0;")
        with source.block(f"if ({asked_condition(node, options, total) or 1})"):
            line(ended_by_limit(self.w, room))
            with source.block("if (g->step.choice < 0)"):
                self._ask(block, node, number, total)
                self.list_options(options)
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
        """Emit the stop at a decision."""
        self.source.line("not_directly(g);")
        seats = f"(U)1 << ({self.w.text(node.seat, self.scope)} & 63)"
        self.source.line(f"stop_asked(g, {number}, {seats}, {total});")
        with self.source.block(""):
            self.waits(self.place(block), block.live)

    def list_options(self, options: Sequence[Options]) -> None:
        """Write lines that list the options."""
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
                    value = self.written("option_parts", binder.type, item.scope.names[binder.slot])
                    line(f"{option}[{number}] = {value};")
                line(f"g->top = {mark};")

    def _write_no_options(self, room: Room, block: Block, node: Decision, number: int) -> None:
        """Emit what happens at a decision without options."""
        line = self.source.line
        if node.ask == "anyway":
            line(ended_by_limit(self.w, room))
            with self.source.block("if (g->step.choice < 0)"):
                self._ask(block, node, number, "1")
                line(f"an_option(g, {PASS}, 0);")
                line("return 0;")
            line("decided(g);")
            line(f"chosen(g, 1, {node.site});")
        release_arena(room, [])
        go_without(self.w, node, self.goto)


class SteppedTogether(Together):
    """A decision of several seats at once: it is stopped at until all have chosen; `PENDING` stands for those that have
    not. The options of the lowest of them are told, or of the one for which they are listed again."""

    def __init__(self, body: Stepped, block: Block, node: Decision, number: int) -> None:
        super().__init__(body.w, node, body.scope, body.goto)
        self.body, self.block, self.number = body, block, number
        self.mode, self.pending = body.source.fresh("mode"), body.source.fresh("pending")

    def _no_choice(self, type_: Type) -> str:
        """As the interpreter has it: a state may show it."""
        return "NOTHING" if type_.kind == "set" else self.w.constant(type_.absent, INT)

    def _without_options(self, room: Room) -> None:
        (binder,) = self.item.binders
        if compound(binder.type) and binder.type.kind != "set":
            self.w.source.line(f"fail(g, {self.node.site});")  # rules could read what is not there
        self._next(room)

    def _begin(self) -> None:
        line, before = self.w.source.line, f"L != NULL ? L[{self.node.result_slot}] : 0"
        line(f"const W {self.mode} = g->direct == NULL ? g->step.choice : -1;")
        line(f"U {self.pending} = 0;")
        with self.w.source.block(f"if ({self.mode} != -1)"):
            line(f"collected(g, {before}, {self.result}, {self.node.site});")
            line(f"{self.some} = true;")

    def _pass_over(self) -> None:
        line, seat, mode, pending = self.w.source.line, self.seat, self.mode, self.pending
        line(f"if ({mode} != -1 && {self.result}[1 + {seat}] != PENDING) continue;")
        test = f"{mode} != -1 && {seat} != g->step.chooser && ({mode} == LIST_AGAIN || {pending})"
        line(f"if ({test}) {{ {pending} |= (U)1 << {seat}; continue; }}")

    def _choose(self, room: Room, options: Options) -> None:
        w, node, k = self.w, self.node, self.w.source.fresh("k")
        line, block = w.source.line, w.source.block
        line(f"W {k} = 0;")
        with block(f"if ({asked_condition(node, [options], options.count) or 1})"):
            line("not_directly(g);")
            with block(f"if ({self.mode} < 0 || {self.seat} != g->step.chooser)"):
                with block(f"if ({self.mode} == LIST_AGAIN || !{self.pending})"):
                    line(f"stop_asked(g, {self.number}, 0, {options.count});")
                    self.body.list_options([options])
                line(f"{self.pending} |= (U)1 << {self.seat};")
                line(f"{self.result}[1 + {self.seat}] = PENDING;")
                self._next(room)
            line("decided(g);")
            line(f"{k} = chosen(g, {options.count}, {node.site});")
        options.once = True
        options.take(k)

    def _end(self, room: Room) -> None:
        body, slot, line = self.body, self.node.result_slot, self.w.source.line
        with self.w.source.block(f"if ({self.pending})"):
            line(ended_by_limit(self.w, room))
            line(f"g->step.seats = {self.pending};")
            line(f"{self.scope.names[slot]} = ADDRESS({self.result});")
            body.stop(body.place(self.block), {*self.block.live, slot})
