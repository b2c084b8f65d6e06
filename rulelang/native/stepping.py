"""Procedures as C functions that stop where somebody is asked: each says where it waits, and what its locals are.

Enters: procedures. Leaves: functions that differ from those of whole games (procedures.py) in this: a decision takes
the option that `g->step` names; at the next one they say what is asked and which options there are (c/frames.h), and
return, each caller adding where it waits itself. If chance is explicit, so they do at chance nodes (c/outcomes.h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rulelang.ir.nodes import Block, CallProc, Chance, End, Procedure, Statement
from rulelang.native.binders import Room
from rulelang.native.chance import write_chance
from rulelang.native.decisions import OptionWriter, Question, Together, asked_condition, ended_by_limit, write_taken
from rulelang.native.events import LOGGED, chosen
from rulelang.native.expressions import Environment, compound
from rulelang.native.frames import WordForms
from rulelang.native.interchangeable import caller_referenced, referring
from rulelang.native.procedures import ProcedureBody, ProcedureWriter
from rulelang.vocabulary.types import Type

PASS = -1
"""The number of the item that is offered where there is nothing else and the seat is asked anyway."""


class Stepped(ProcedureBody):
    """The blocks of a procedure that stops where it waits."""

    def __init__(self, owner: ProcedureWriter, code: Procedure, env: Environment) -> None:
        super().__init__(owner, code, env)
        self.dealt = set()
        self.forms: WordForms = owner.w.forms

    def statement(self, node: Statement) -> None:
        """Write a statement, and what logs its events."""
        write_logged = LOGGED.get(node.op) if self.w.logs else None
        if write_logged is None:
            super().statement(node)
            return
        self.source.at(node.site)
        self.w.before_statement = self.w.arena_uses
        write_logged(self, node)

    def ended_by_limit(self, room: Room, site: int) -> str:
        """Return the statement that ends the game if it has had all decisions that it may have."""
        text = ended_by_limit(self.w, room)
        return text.replace("{", f"{{ g->step.ending = {site};", 1) if self.w.logs else text

    def terminator(self, block: Block, after: int) -> None:
        """Emit the terminator of a block; where a call or chance node waits, the frame is saved."""
        w, source, env = self.w, self.source, self.env
        match block.terminator:
            case CallProc() as call:
                with caller_referenced(w, w.askers[call.procedure], call, env):
                    self._call(call)
                if w.program.procedures[call.procedure].effects.suspends:
                    with source.block("if (UNLIKELY(g->step.stopped))"):
                        source.line(f"g->step.last[FRAME_SLOT] = {call.slot};")
                        live = self.code.blocks[call.to].live
                        self.stop(call.to, [slot for slot in live if slot != call.slot])
                self.goto(call.to, after)
            case Chance() as chance:
                write_chance(w, chance, referring(w, self.code, block), env, lambda: self._stop_at_chance(block))
                self.goto(chance.to, after)
            case End() if self.w.logs:
                self.source.line(f"g->step.ending = {block.site};")
                super().terminator(block, after)
            case _:
                super().terminator(block, after)

    def stop(self, place: int, live: Iterable[int]) -> None:
        """Emit the return that says that the procedure waits."""
        self.waits(place, live)
        self.source.line("return 0;")

    def waits(self, place: int, live: Iterable[int]) -> None:
        """Write lines that say that the procedure waits at a block, and what it still needs there."""
        line, fresh, code = self.source.line, self.source.fresh, self.code
        row = fresh("row")
        line(f"W *const {row} UNUSED = waits_here(g, {self.env.procedure}, {place}, {len(code.locals)});")
        for slot in sorted(live):
            line(f"{row}[{slot}] = {self.written('parts', code.locals[slot], self.env.names[slot])};")

    def written(self, parts: str, type_: Type, value: str) -> str:
        """Return the text of a value as one outside of the game."""
        form = self.forms.form(type_)
        return f"written(g, &g->step.{parts}, {form}, {value})" if form else value

    def _stop_at_chance(self, block: Block) -> None:
        place = self.place(block)
        self.source.line(f"stop_at_chance(g, {self.env.procedure}, {place});")
        self.stop(place, block.live)

    # ---- decisions

    def choose(self, room: Room, asked: Question, options: Sequence[OptionWriter], total: str, k: str) -> bool:
        """Emit the taking of the chosen option, or the stop (see `ProcedureBody.choose`)."""
        line = self.source.line
        line(self.ended_by_limit(room, asked.node.site))
        with self.source.block("if (g->step.choice < 0)"):
            line("not_directly(g);")
            seats = f"(U)1 << ({self.w.text(asked.node.seat, self.env)} & 63)"
            line(f"stop_asked(g, {asked.number}, {seats}, {total});")
            with self.source.block(""):
                self.waits(asked.place, self.code.blocks[asked.place].live)
            self.list_options(options, total)
            line("return 0;")
        line("count_decision(g);")
        line(f"{k} = chosen(g, {total}, {asked.node.site});")
        return True

    def list_options(self, options: Sequence[OptionWriter], total: str) -> None:
        """Emit lines that list the options; a pass where there is none."""
        line, (k, rest, mark, words) = self.source.line, map(self.source.fresh, ("k", "k", "mark", "option"))
        if not options:
            line(f"an_option(g, {PASS}, 0);")
            return

        def tell(place: int, option: OptionWriter) -> None:
            line(f"W *const {words} = an_option(g, {place}, {len(option.item.binders)});")
            line(f"if ({words} == NULL) break;")
            for number, binder in enumerate(option.item.binders):
                value = self.written("option_parts", binder.type, option.env.names[binder.slot])
                line(f"{words}[{number}] = {value};")
            line("break;")

        with self.source.block(f"for (W {k} = 0; {k} < {total} && g->step.listed >= 0; {k}++)"):
            line(f"W *const {mark} = g->top; W {rest} UNUSED = {k};")
            with self.source.block("do"):
                write_taken(options, rest, tell, release=False)
            self.source.lines[-1] += " while (0);"
            line(f"g->top = {mark};")


class SteppedTogether(Together):
    """A decision of several seats at once: it is stopped at until all have chosen; `PENDING` stands for those that have
    not. The options of the lowest of them are told, or of the one for which they are listed again."""

    by: Stepped

    def __init__(self, by: ProcedureBody, question: Question) -> None:
        super().__init__(by, question)
        self.mode, self.pending = self.w.source.fresh("mode"), self.w.source.fresh("pending")

    def _without_options(self, room: Room) -> None:
        """Emit that a seat without options answers nothing; fails where that would be read as an address."""
        (binder,) = self.item.binders
        if compound(binder.type) and binder.type.kind != "set":
            self.w.source.line(f"fail(g, {self.node.site});")  # rules could read what is not there
        self._next(room)

    def _begin(self) -> None:
        """Emit that the answers given so far are read back from the frame."""
        line, before = self.w.source.line, f"L != NULL ? L[{self.node.result_slot}] : 0"
        line(f"const W {self.mode} = g->direct == NULL ? g->step.choice : -1;")
        line(f"U {self.pending} = 0;")
        with self.w.source.block(f"if ({self.mode} != -1)"):
            line(f"collected(g, {before}, {self.result}, {self.node.site});")
            line(f"{self.some} = true;")

    def _pass_over(self) -> None:
        """Emit that a seat is skipped that has answered, or that is not the one who answers now."""
        line, seat, mode, pending = self.w.source.line, self.seat, self.mode, self.pending
        line(f"if ({mode} != -1 && {self.result}[1 + {seat}] != PENDING) continue;")
        test = f"{mode} != -1 && {seat} != g->step.chooser && ({mode} == LIST_AGAIN || {pending})"
        line(f"if ({test}) {{ {pending} |= (U)1 << {seat}; continue; }}")

    def _choose(self, room: Room, options: OptionWriter) -> None:
        """Emit that a seat's options are listed and it is waited for, or that its answer is taken."""
        w, node, k = self.w, self.node, self.w.source.fresh("k")
        w.source.line(f"W {k} = 0;")
        with w.source.block(f"if ({asked_condition(node, [options], options.count) or 1})"):
            self._wait_or_answer(room, options.count, lambda: self.by.list_options([options], options.count))
            w.source.line(f"{k} = chosen(g, {options.count}, {node.site});")
        options.take(k)

    def _wait_or_answer(self, room: Room, total: str, list_options: Callable[[], None]) -> None:
        """Emit that a seat is waited for, its options listed if they are to be, unless it answers now."""
        line, block = self.w.source.line, self.w.source.block
        line("not_directly(g);")
        with block(f"if ({self.mode} < 0 || {self.seat} != g->step.chooser)"):
            with block(f"if ({self.mode} == LIST_AGAIN || !{self.pending})"):
                line(f"stop_asked(g, {self.question.number}, 0, {total});")
                list_options()
            line(f"{self.pending} |= (U)1 << {self.seat};")
            line(f"{self.result}[1 + {self.seat}] = PENDING;")
            self._next(room)
        line("count_decision(g);")
        if self.w.logs:
            line(f"if (LOGS(g)) log_event(g, ANSWERED, {self.node.site}, {self.question.number}, {self.seat});")

    def _pass(self, room: Room) -> None:
        """Emit that a seat without options, which is asked anyway, can only pass."""
        (binder,) = self.item.binders
        line, nothing, words = self.w.source.line, self._no_choice(binder.type), self.w.source.fresh("option")

        def list_pass() -> None:
            line(f"W *const {words} = an_option(g, 0, 1);")
            line(f"if ({words} != NULL) {words}[0] = {self.by.written('option_parts', binder.type, nothing)};")

        self._wait_or_answer(room, "1", list_pass)
        line(f"chosen(g, 1, {self.node.site});")
        line(f"{self.result}[1 + {self.seat}] = {nothing};")
        self._next(room)

    def _collected(self) -> None:
        """Emit what logs all answers."""
        w, env, number = self.w, self.env, self.question.number

        def log(seat: str) -> str:
            return chosen(w, number, seat, [f"{self.result}[1 + {seat}]"], env)

        if w.logs:
            with w.source.block("if (LOGS(g))"):
                w.source.line(w.freed(lambda: w.each(self.node.seat, env, log)))

    def _end(self, room: Room) -> None:
        """Emit the stop for the seats whose answers are missing."""
        by, slot, place, line = self.by, self.node.result_slot, self.question.place, self.w.source.line
        with self.w.source.block(f"if ({self.pending})"):
            line(by.ended_by_limit(room, self.node.site))
            line(f"g->step.seats = {self.pending};")
            line(f"{self.env.names[slot]} = ADDRESS({self.result});")
            by.stop(place, {*by.code.blocks[place].live, slot})


Stepped.together = SteppedTogether
