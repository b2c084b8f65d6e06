"""Speculative execution of rules that wait, as C coroutines: depth-first search over all options of their decisions.

Enters: the lookaheads that expressions need (lookahead.py). Leaves: a resumable function for each procedure that one
runs and that can wait, the dispatcher over them, and the lookaheads' conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulelang.ir.nodes import Block, CallProc, Chance, End, Procedure, Return
from rulelang.native.analysis import suspending_calls
from rulelang.native.binders import Room
from rulelang.native.chance import write_chance
from rulelang.native.decisions import OptionWriter, Question, Together, asked_condition, write_taken
from rulelang.native.expressions import Environment, Writer, called
from rulelang.native.interchangeable import referring
from rulelang.native.lookahead import Lookahead, families, step_work
from rulelang.native.procedures import ProcedureBody, ProcedureWriter
from rulelang.native.source import plain_name
from rulelang.native.text import numeral


def write_speculation(owner: ProcedureWriter) -> None:
    """The functions of all lookaheads; none of them if there is none."""
    w = owner.w
    written: set[int] = set()
    while True:
        needed = {lookahead.procedure for lookahead in w.lookaheads.values()}
        needed |= {called for number in written for called in suspending_calls(w.program.procedures[number])}
        if not needed - written:
            break
        for number in sorted(needed - written):
            written.add(number)
            _write_function(owner, number)
    if not w.lookaheads:
        return
    together = families(w)
    for place, family in enumerate(together):
        _write_family(w, place, family)
    several = {lookahead.name for family in together for lookahead in family}
    for name, lookahead in {lookahead.name: lookahead for lookahead in w.lookaheads.values()}.items():
        with w.source.block(f"static bool {name}_holds(G *g, const W *held)"):
            w.source.line("W *const mark = g->top;")
            w.source.line(f"const bool found = {lookahead.condition};")
            w.source.line("g->top = mark;")
            w.source.line("(void)held;")
            w.source.line("return found;")
        if name not in several:
            _write_direct(w, name, lookahead)
    with w.source.block("static int advance(G *g, W *frame)"):
        with w.source.block("switch (frame[PROCEDURE])"):
            for number in sorted(written):
                w.source.line(f"case {number}: return {_name(w, number)}(g, frame);")
        w.source.line("fail(g, -1);")


def _write_direct(w: Writer, name: str, lookahead: Lookahead) -> None:
    """Emit the function that runs a lookahead's rule by the game's own functions."""
    line, heads = w.source.line, w.source.heads
    heads.append(f"static void {name}_directly(G *g, const W *given);")
    heads.append(f"RUN_DIRECTLY({name}, {lookahead.parts}, {int(lookahead.interchangeable)})")
    arguments = [f"given[{slot}]" for slot in range(w.program.procedures[lookahead.procedure].parameters)]
    with w.source.block(f"static void {name}_directly(G *g, const W *given)"):
        for place in lookahead.deep:
            line(f"g->depth[{place}] = 0;")
        line(f"(void){called(w, lookahead.procedure, arguments)};")
        line("(void)given;")


def _write_family(w: Writer, place: int, family: list[Lookahead]) -> None:
    """Emit the function that runs the rule of a family once and tests all conditions, a bit for each. The result is
    memoised while the options of one decision are enumerated."""
    line, name = w.source.line, f"family{place}"
    w.source.heads.append(f"static int {name}_holds(G *g, const W *given);")
    w.source.heads.append(f"static int {name}_holds_after(G *g, const W *given, const W *held);")
    _write_direct(w, name, family[0])
    with w.source.block(f"static int {name}_holds(G *g, const W *given)"):
        line("const W fuel = g->fuel;")
        line("int found = 0;")
        for bit, lookahead in enumerate(family):
            assert lookahead.places is not None
            arguments = ", ".join(f"given[{argument}]" for argument in lookahead.places) or "0"
            line(f"found |= {lookahead.name}_holds(g, (const W[]){{{arguments}}}) << {bit};")
        line("g->fuel = fuel;")
        line("(void)given;")
        line("return found;")
    count = w.program.procedures[family[0].procedure].parameters
    for bit, lookahead in enumerate(family):
        with w.source.block(f"static int {lookahead.name}_holds_after(G *g, const W *given, const W *held)"):
            line("(void)held;")
            line(f"const struct Known *const known = &g->known[{place}];")
            line(f"const int all = LIKELY(has_memoised(g, known, given, {count})) ? known->all")
            line(f"    : memoise_result(g, {place}, given, {count}, {name}_holds_after(g, given, given));")
            line(f"return all < 0 ? all : all >> {bit} & 1;")


def _name(w: Writer, number: int) -> str:
    return f"t{number}_{plain_name(w.program.procedures[number].name)}"


def _write_function(owner: ProcedureWriter, number: int) -> None:
    """Emit the C function that runs a procedure from a frame; one that cannot wait is called."""
    w = owner.w
    code = w.program.procedures[number]
    source = w.source
    source.heads.append(f"static int {_name(w, number)}(G *g, W *frame);")
    source.at(code.site)
    with source.block(f"static int {_name(w, number)}(G *g, W *frame)"):
        source.line("W *const L = frame + LOCALS;")
        if not code.effects.suspends:
            arguments = [f"L[{slot}]" for slot in range(code.parameters)]
            source.line(f"frame_returns(g, frame, {called(w, number, arguments)});")
            source.line("return GOES_ON;")
        else:
            env = Environment(number, {slot: f"L[{slot}]" for slot in range(len(code.locals))}, speculative=True)
            body = SpeculativeBody(owner, code, env)
            source.line("W *const base UNUSED = g->top;")
            with source.block("switch (frame[BLOCK])"):
                for block in body.order:
                    source.line(f"case {block}: goto b{block};")
            source.line(f"fail(g, {code.site});")
            body.write()


class SpeculativeTogether(Together):
    """A decision of several seats at once in lookahead: where one of them is to be asked, it ends."""

    def _begin(self) -> None:
        self.w.source.line(f"bool {self.drawn} = false;")

    def _choose(self, room: Room, options: OptionWriter) -> None:
        """Emit that a seat with a choice ends the branch; one without goes on."""
        with self.w.source.block(f"if ({asked_condition(self.node, [options], options.count) or 1})"):
            self.w.source.line(f"{self.drawn} = true;")
            self._next(room)
        options.take(numeral(0))

    def _end(self, room: Room) -> None:
        self.w.source.line(f"if ({self.drawn}) return nobody_is_asked(g);")


class SpeculativeBody(ProcedureBody):
    """The blocks of a procedure that is run speculatively."""

    together = SpeculativeTogether

    def __init__(self, owner: ProcedureWriter, code: Procedure, env: Environment) -> None:
        super().__init__(owner, code, env)
        self.dealt = set()

    def terminator(self, block: Block, after: int) -> None:
        """Emit the terminator of a block: returns, calls and ends change the innermost frame."""
        w, source, env = self.w, self.source, self.env
        match block.terminator:
            case Return(value=value):
                source.line(f"frame_returns(g, frame, {'0' if value is None else w.text(value, env)});")
                source.line("return GOES_ON;")
            case CallProc() as call:
                self._call_holds_after(call)
            case Chance() as chance:
                self._chance(block, chance)
                self.goto(chance.to, after)
            case End():
                source.line("g->attempt.frame = NULL;")
                source.line("return GOES_ON;")
            case _:
                super().terminator(block, after)

    def _call_holds_after(self, call: CallProc) -> None:
        """Emit a call: a new innermost frame, and the block where the caller continues."""
        w, line, code = self.w, self.source.line, self.w.program.procedures[call.procedure]
        self.source.at(call.site)
        with self.source.block(""):
            before, names = w.temporaries(call.arguments, self.env)
            line(before)
            frame_fields = f"{call.procedure}, {len(code.locals)}, {call.slot}, {code.depth}, {code.site}"
            line(f"W *const called = a_frame(g, {frame_fields});")
            for slot, name in enumerate(names):
                line(f"called[LOCALS + {slot}] = {name};")
            self._forget(set(self.code.blocks[call.to].live) - {call.slot})
            line(f"frame[BLOCK] = {call.to};")
            line("g->attempt.frame = called;")
            line("return GOES_ON;")

    def choose(self, room: Room, asked: Question, options: Sequence[OptionWriter], total: str, k: str) -> bool:
        """Emit the search through every option (see `ProcedureBody.choose`); any seat may be asked."""
        line, fresh, node, work = self.source.line, self.w.source.fresh, asked.node, step_work(self.w.layout)
        seat, branches, rest = fresh("seat"), fresh("branches"), fresh("k")
        line(f"const W {seat} = {self.w.text(node.seat, self.env)};")
        line("if (UNLIKELY(g->s.decisions >= MAX_DECISIONS)) return over_by_limit(g);")
        line(f"if (g->attempt.sought >= 0 && {seat} != g->attempt.sought) return FAILS;")
        line(f"frame[BLOCK] = {asked.place};")
        if not options:
            line(f"BURN({work}, {node.site});")
            line(f"g->attempt.sought = {seat};")
            return True
        line(f"struct Branches {branches};")
        self._forget(self.code.blocks[asked.place].live)
        line(f"if (!begin_branches(g, frame, &{branches}, {seat})) return FAILS;")
        with self.source.block(f"for (; {k} < {total}; {k}++)"):
            line(f"next_branch(g, &{branches}, {k}, {work}, {node.site});")
            with self.source.block("do"):
                line(f"W {rest} UNUSED = {k};")
                write_taken(options, rest, self._continue_after, release=False)
            self.source.lines[-1] += " while (0);"
            line(f"if (branch_leads_on(g, &{branches})) return HOLDS;")
        line("return FAILS;")
        return False

    def _forget(self, live: Iterable[int]) -> None:
        """Emit that locals which nothing reads any more are 0, so that they tell no states apart."""
        for slot in sorted(set(range(len(self.code.locals))).difference(live)):
            self.source.line(f"L[{slot}] = 0;")

    def _continue_after(self, place: int, option: OptionWriter) -> None:
        """Emit where the frame goes on after an option."""
        self.source.line(f"frame[BLOCK] = {option.item.to};")
        self.source.line("break;")

    # ---- chance

    def _chance(self, block: Block, chance: Chance) -> None:
        """Emit a chance node: a certain outcome (no random number drawn) is taken, any other fails the branch."""
        line, before = self.source.line, self.w.source.fresh("before")
        with self.source.block(""):
            line(f"const U {before} = g->s.rng;")
            write_chance(self.w, chance, referring(self.w, self.code, block), self.env)
            with self.source.block(f"if (g->s.rng != {before})"):
                line(f"g->s.rng = {before};")
                line("return FAILS;")
