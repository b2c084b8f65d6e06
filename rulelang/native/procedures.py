"""Procedures as C functions: blocks are labels, decisions and chance are made where they stand.

Enters: the procedures of a program. Leaves: for each a function that runs it from its first block; for each that can
wait also one that goes on from any block; what scores and ranks; the table by which a game is gone on with.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.ir.calls import call_heights, call_weights, chosen_among, most_at_once
from rulelang.ir.nodes import (
    Block,
    Branch,
    CallProc,
    Chance,
    Choose,
    Expr,
    Jump,
    Procedure,
    Return,
    Statement,
    Waiting,
)
from rulelang.ir.walk import exits
from rulelang.native.analysis import exposed_blocks
from rulelang.native.binders import Room
from rulelang.native.chance import is_deal, write_chance, write_deal
from rulelang.native.decisions import OptionWriter, Question, Together, ended_by_limit, write_decision
from rulelang.native.expressions import Environment, Writer, called, compound, function_name
from rulelang.native.interchangeable import caller_referenced, referring, write_frames
from rulelang.native.packed_locals import packed_names, unpacked_local
from rulelang.native.source import plain_name
from rulelang.native.statements import write_statement
from rulelang.native.text import Atom, PackedCounts
from rulelang.runtime.fuel import block_work
from rulelang.runtime.state import DECLARED, DRAWN, SCORED, TIED, WON

TOTAL = -2
SHARED = -1
TALL = 100
"""Procedures that call each other so deep are left to the interpreter, which may find that too deep."""
FREE_CALLS, FREE_WORK = 50, 40
"""More calls, or a block of more work, take fuel; fewer are bounded by the length of the text."""


class ProcedureWriter:
    """Writes all functions of a program; `body` writes what is in those of procedures."""

    def __init__(self, w: Writer, body: type[ProcedureBody] | None = None) -> None:
        self.w = w
        self.source = w.source
        self.program = w.program
        self.body = body or ProcedureBody
        procedures = w.program.procedures
        self.apart = chosen_among(w.program)
        self.heights, self.weights = call_heights(w.program), call_weights(w.program, FREE_CALLS)
        self.counted = most_at_once(w.program) > w.program.depth and any(
            code.effects.suspends and (code.depth or height > w.program.depth)
            for code, height in zip(procedures, self.heights, strict=True)
        )

    def write(self) -> None:
        """Write everything that a game runs."""
        procedures = self.program.procedures
        for number in range(len(procedures)):
            self.source.line(f"{self._head(number)};")
        self._ended()
        for number in range(len(procedures)):
            self._function(number)
        self._enter()
        self._scores()

    # ---- functions

    def _head(self, number: int) -> str:
        """Return the head of the C function of a procedure."""
        code = self.program.procedures[number]
        parameters = ["G *g", *(["W from", "const W *L"] if code.effects.suspends else [])]
        parameters += [f"W {self._local(code, slot)}" for slot in range(code.parameters)]
        alone = "APART " if number in self.apart else ""
        return f"static {alone}W {function_name(self.w, number)}({', '.join(parameters)})"

    def _resume(self, body: ProcedureBody) -> None:
        """Emit the jump into a block, with its live locals."""
        line, code, names = self.source.line, body.code, body.env.names
        live = {entry: code.blocks[entry].live for entry in sorted(body.entries() & set(body.order))}
        packed_locals = {slot: name for slot, name in names.items() if isinstance(name, PackedCounts)}
        with self.source.block("if (UNLIKELY(L != NULL))"):
            for slot in sorted(set().union(*live.values()) - packed_locals.keys()):
                line(f"{names[slot]} = L[{slot}];")
            with self.source.block("switch (from)"):
                for entry, slots in live.items():
                    line(f"case {entry}:")
                    for slot in packed_locals.keys() & slots:
                        line(unpacked_local(self.w, code.locals[slot], packed_locals[slot], f"L[{slot}]"))
                    line(f"goto b{entry};")
            line(f"fail(g, {code.site});")

    def _local(self, code: Procedure, slot: int) -> Atom:
        names = code.local_names
        return Atom(f"{plain_name(names[slot]) if slot < len(names) else 'x'}_{slot}")

    def _function(self, number: int) -> None:
        """Write the function of a procedure. One that can wait goes on from any block where it waited, its locals in
        `L`."""
        code, source = self.program.procedures[number], self.source
        names: dict[int, str] = {slot: self._local(code, slot) for slot in range(len(code.locals))}
        if self.body is ProcedureBody:
            names |= packed_names(self.w, number, code, names)
        source.at(code.site)
        body = self.body(self, code, Environment(number, names))
        with source.block(self._head(number)):
            for slot in range(code.parameters, len(code.locals)):
                name = names[slot]
                start = (
                    f"U {name.counts} = 0; W {name.first} = 0;" if isinstance(name, PackedCounts) else f"W {name} = 0;"
                )
                source.line(start)
            source.line("W *const base UNUSED = g->top;")
            if code.effects.suspends:
                self._resume(body)
            self._begin(number, code)
            body.write()

    def _begin(self, number: int, code: Procedure) -> None:
        """Emit the check of the call depth at the beginning of a procedure."""
        source = self.source
        if self.heights[number] > TALL:
            source.line(f"fail(g, {code.site});")
        if code.depth:
            source.line(f"if (UNLIKELY((uintptr_t)__builtin_frame_address(0) < g->floor)) fail(g, {code.site});")
            bound = code.depth if code.effects.suspends else min(code.depth, self.program.depth)
            source.line(f"if (UNLIKELY(g->depth[{number}] > {bound})) fail(g, {code.site});")
            source.line(f"g->depth[{number}]++;")
        if self.counted and code.effects.suspends:
            source.line(f"if (UNLIKELY(g->waiting >= {self.program.depth})) fail(g, {code.site});")
            source.line("g->waiting++;")

    def leave(self, number: int) -> str:
        """Return the statements before a procedure returns."""
        code = self.program.procedures[number]
        text = f"g->depth[{number}]--; " if code.depth else ""
        return text + ("g->waiting--; " if self.counted and code.effects.suspends else "")

    # ---- the course of a game

    def _ended(self) -> None:
        """Emit `ended`, which ends the game as the rules have declared by then."""
        with self.source.block("COLD _Noreturn static void ended(G *g)"):
            self.source.line(
                f"finish(g, g->s.deferred & {DRAWN} ? {TIED} : g->s.deferred & {WON} ? {DECLARED} : {SCORED});"
            )

    def _enter(self) -> None:
        """Go on with a procedure from a block."""
        source, w = self.source, self.w
        with source.block("static W enter(G *g, W procedure, W block, W *L)"):
            with source.block("switch (procedure)"):
                for number, code in enumerate(self.program.procedures):
                    call = called(w, number, [f"L[{slot}]" for slot in range(code.parameters)])
                    if code.effects.suspends:
                        again = called(w, number, ["0"] * code.parameters, "block, L")
                        # A procedure that waits is counted already.
                        leave = self.leave(number) if code.depth or self.counted else ""
                        source.line(f"case {number}: if (block) return {again}; {leave}return {call};")
                    elif number in (self.program.setup, self.program.play):
                        source.line(f"case {number}: return {call};")
            source.line("fail(g, -1);")
        with source.block("static void count_frame(G *g, W procedure)"):
            if self.counted:
                source.line("g->waiting++;")
            deep = [number for number, code in enumerate(self.program.procedures) if code.depth]
            for number in deep:
                source.line(f"if (procedure == {number}) g->depth[{number}]++;")
            source.line("(void)g, (void)procedure;")
        write_frames(w)

    def _scores(self) -> None:
        """Emit `scores`, `rank`, `payoffs` and `winners`, which c/play.h and c/ranks.h call."""
        source, w = self.source, self.w
        parties = f"for (W party = 0; party < {w.layout.parties}; party++)"
        with source.block("static void scores(G *g, W *totals)"), source.block(parties):
            source.line("W total = 0;")
            for line in self.program.scores:
                source.line("g->fuel = FUEL;")
                source.line(f"total = add_(g, total, {called(w, line.procedure, ['party'])}, {line.site});")
            source.line("totals[party] = total;")
        rankings = [ranking for ranking in (self.program.winner, *self.program.ties) if ranking.procedure != SHARED]
        with source.block("static W rank(G *g, W ranking, W party, const W *totals)"):
            source.line("g->fuel = FUEL;")
            with source.block("switch (ranking)"):
                for place, ranking in enumerate(rankings):
                    value = "totals[party]"
                    if ranking.procedure != TOTAL:
                        value = called(w, ranking.procedure, ["party"])
                    if ranking.ranking == "all":
                        seats = f"for (W seat = 0; seat < {w.layout.players}; seat++)"
                        each = called(w, ranking.procedure, ["seat"])
                        source.line(f"case {place}: {{ bool won = true; {seats} g->fuel = FUEL, won &= {each} != 0;")
                        source.line(f"return won == (party < {w.layout.players}); }}")
                        continue
                    source.line(f"case {place}: return {value};")
                if self.program.payoff >= 0:
                    source.line(f"case {len(rankings)}: return {called(w, self.program.payoff, ['party'])};")
            source.line("(void)party, (void)totals;")
            source.line("return 0;")
        fewest = source.table([int(ranking.ranking == "fewest") for ranking in rankings])
        teams = source.table(w.layout.team_of)
        with source.block("static void payoffs(G *g, W *found)"):
            self._payoffs()
        with source.block("static W winners(G *g, const W *totals, W *ranks)"):
            pays = int(self.program.payoff >= 0)
            source.line(f"const W won = ranked(g, totals, {len(rankings)}, {fewest}, {teams}, {pays}, ranks);")
            if w.layout.together:
                mask = (1 << w.layout.players) - 1
                source.line(f"if (g->s.over == SCORED) return rank(g, 0, 0, totals) ? {mask} : 0;")
            source.line("return won;")

    def _payoffs(self) -> None:
        """Emit what each seat gets where that is no share of a win, else an absent number (see `outcome.amounts`)."""
        source, w, layout = self.source, self.w, self.w.layout
        seats = f"for (W seat = 0; seat < {layout.players}; seat++)"
        source.line(f"{seats} found[seat] = ABSENT_NUMBER;")
        if self.program.payoff >= 0:
            with source.block(seats):
                source.line("g->fuel = FUEL;")
                source.line(f"found[seat] = {called(w, self.program.payoff, ['seat'])};")
        if layout.one_party and layout.has_points:
            source.line("bool paid = true;")
            source.line(f"{seats} paid &= found[seat] != ABSENT_NUMBER;")
            with source.block("if (!paid && g->s.over == SCORED)"):
                source.line("W totals[PARTIES + 1];")
                source.line("scores(g, totals);")
                better, sign = ("least", "-") if self.program.winner.ranking == "fewest" else ("greatest", "")
                source.line("W best = rank(g, 0, 0, totals);")
                others = f"for (W seat = 1; seat < {layout.players}; seat++)"
                source.line(f"{others} best = {better}(best, rank(g, 0, seat, totals));")
                source.line(f"{seats} found[seat] = {sign}best;")
        source.line("(void)g;")


class ProcedureBody:
    """The blocks of one procedure.

    Attributes:
        code: the procedure. order: its blocks as they are emitted; loops:
            those that are jumped back to. dealt: blocks whose first statement is emitted with the draw before it.
    """

    together: type[Together] = Together

    def __init__(self, owner: ProcedureWriter, code: Procedure, env: Environment) -> None:
        self.owner = owner
        self.w = owner.w
        self.source = owner.source
        self.code = code
        self.env = env
        self.order, self.loops = _ordered(owner, code)
        exposed = exposed_blocks(code, owner.program.decisions)
        self.dealt = {
            to
            for to in exposed
            if all(
                is_deal(self.w, block.terminator, code.blocks[to], env)
                for block in code.blocks
                if isinstance(block.terminator, Chance) and block.terminator.to == to
            )
        }

    def entries(self) -> set[int]:
        """Return the blocks from which a game is gone on with: where somebody is asked or chance waits, and after
        calls and choices: a bot makes the first one of a whole game."""
        ends = [block.terminator for block in self.code.blocks]
        asking = {place for place, end in enumerate(ends) if isinstance(end, Waiting)}
        entries = asking | {end.to for end in ends if isinstance(end, CallProc)}
        chosen = {to for end in ends if isinstance(end, Choose) for to, _ in exits(end, self.w.program.decisions)}
        # What is spent was just chosen: nothing waits there.
        spending = {block for (owner, _), block in self.w.fused_payments.items() if owner == self.env.procedure}
        return entries | chosen - spending

    def write(self) -> None:
        """Emit all blocks."""
        for place, number in enumerate(self.order):
            after = self.order[place + 1] if place + 1 < len(self.order) else -1
            self._block(number, after)

    def _block(self, number: int, after: int) -> None:
        """Emit a block: label, fuel, statements, terminator. `after`: the block that is emitted next."""
        block, source = self.code.blocks[number], self.source
        source.line(f"b{number}:;")
        work = block_work(self.w.layout, block)
        if number in self.loops:
            if not any(compound(self.code.locals[slot]) for slot in block.live):
                source.line("g->top = base;")
        many = self.code.depth > 0 or self.owner.weights[self.env.procedure] > FREE_CALLS
        if number in self.loops or work > FREE_WORK or (number == 0 and many):
            source.line(f"BURN({work}, {block.site});")
        for statement in block.statements[1 if number in self.dealt else 0 :]:
            self.statement(statement)
        self.terminator(block, after)

    def statement(self, node: Statement) -> None:
        """Write the lines of a statement."""
        write_statement(self.w, node, self.env)

    def place(self, block: Block) -> int:
        """Return the number of a block."""
        return next(number for number, candidate in enumerate(self.code.blocks) if candidate is block)

    def choose(self, room: Room, asked: Question, options: Sequence[OptionWriter], total: str, k: str) -> bool:
        """Emit how the index `k` of an option is found, of `total` ones; without options, a pass. Return whether the
        game goes on behind that. Whole games draw it; single steps stop, searches choose, lookahead tries all options.
        """
        self.source.line(ended_by_limit(self.w, room))
        self.source.line("count_decision(g);")
        if total != "1":
            self.source.line(f"{k} = uniform(g, {total});")
        return True

    def goto(self, to: int, after: int = -1) -> None:
        """Write a line that goes on with a block, where that does not come next."""
        if to != after:
            self.source.line(f"goto b{to};")

    def terminator(self, block: Block, after: int) -> None:
        """Emit the end of a block; `after` is the block that comes next."""
        w, source, env = self.w, self.source, self.env
        match block.terminator:
            case Jump(to=to):
                self.goto(to, after)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                source.at(block.site)
                test = w.released(lambda: w.text(condition, env))
                if then == after:
                    source.line(f"if (!({test})) goto b{otherwise};")
                else:
                    source.line(f"if ({test}) goto b{then};")
                    self.goto(otherwise, after)
            case Return(value=value):
                self._return(value)
            case CallProc() as call:
                with caller_referenced(w, w.askers[call.procedure], call, env):
                    self._call(call)
                self.goto(call.to, after)
            case Choose(decision=decision):
                live = referring(w, self.code, block)
                write_decision(self, Question(w.program.decisions[decision], decision, self.place(block), live))
            case Chance() as chance:
                if chance.to in self.dealt:
                    write_deal(w, chance, self.code.blocks[chance.to], referring(w, self.code, block), env)
                else:
                    write_chance(w, chance, referring(w, self.code, block), env)
                self.goto(chance.to, after)
            case _:
                source.line("ended(g);")

    def _return(self, value: Expr | None) -> None:
        """Emit a return, after which the arena is as it was at the call unless the value lies there."""
        leave = self.owner.leave(self.env.procedure)
        if value is None:
            self.source.line(f"{leave}g->top = base; return 0;")
            return
        text, used = self.w.writes_to_arena(lambda: self.w.text(value, self.env))
        lone = len(self.code.blocks) == 1 and not self.code.blocks[0].statements
        back = "" if compound(self.code.returns) or (lone and not used) else "g->top = base; "
        self.source.line(f"{{ const W returned = {text}; {leave}{back}return returned; }}")

    def _call(self, call: CallProc) -> None:
        """Emit a call that may wait; where the value is no list, the arena is released after it."""
        w, source = self.w, self.source
        source.at(call.site)
        target = f"{self.env.names[call.slot]} = " if call.slot >= 0 else ""

        def write() -> str:
            arguments = [w.text(argument, self.env) for argument in call.arguments]
            return f"{target}{called(w, call.procedure, arguments)};"

        taken = compound(w.program.procedures[call.procedure].returns)
        returns_compound = taken and call.slot >= 0
        source.line(write() if returns_compound else f"{{ {w.freed(write)} }}")


def _ordered(owner: ProcedureWriter, code: Procedure) -> tuple[list[int], set[int]]:
    """Return the blocks that can be reached, each before those that follow it; and those to which a jump leads back."""
    decisions = owner.program.decisions
    after = [list(dict.fromkeys(to for to, _ in exits(block.terminator, decisions))) for block in code.blocks]
    postorder: list[int] = []
    loops: set[int] = set()
    state = {0: 1}
    stack = [(0, 0)]
    while stack:
        block, place = stack.pop()
        if place < len(after[block]):
            stack.append((block, place + 1))
            to = after[block][place]
            if to not in state:
                state[to] = 1
                stack.append((to, 0))
            elif state[to] == 1:
                loops.add(to)
        else:
            state[block] = 2
            postorder.append(block)
    return postorder[::-1], loops
