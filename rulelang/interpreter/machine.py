"""The machine: runs a state from one decision or chance node to the next.

Enters: a `Program` bound to players and options. Leaves: `Machine`; states go in and out by reference and are changed
in place.

A procedure that may suspend has a frame in the state; all others run on Python's stack. `Blocks` has the closures.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, wraps
from itertools import islice
from typing import Any, TypeVar, cast

from rulelang.diagnostics import FuelError, RuleError, counted
from rulelang.interpreter import abstract_rules
from rulelang.interpreter.abstract import Codes
from rulelang.interpreter.blocks import BRANCH, CALL, CHANCE, CHOOSE, JUMP, RETURN, Blocks, Ended
from rulelang.interpreter.chance import WAITS, ChanceCode
from rulelang.interpreter.decisions import Chunk, DecisionCode
from rulelang.interpreter.endless import error_at_loop_head
from rulelang.interpreter.expressions import OUT_OF_FUEL, Locals
from rulelang.ir.nodes import Chance
from rulelang.ir.program import Program
from rulelang.limits import current
from rulelang.runtime.bounds import fuel_error, rule_error
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import LogFullError
from rulelang.runtime.payments import TooManyError
from rulelang.runtime.refusals import Refusal
from rulelang.runtime.rng import seeded, uniform
from rulelang.runtime.state import DECLARED, DRAWN, SCORED, TIED, WON, Frame, State
from rulelang.runtime.waiting import Option, Waiting

Method = TypeVar("Method", bound=Callable[..., Any])

REGISTERED = (abstract_rules,)
"""Modules whose import registers operations."""

TOO_MUCH = (RecursionError, OverflowError, TooManyError, LogFullError)
"""What Python or the engine raises when rules exceed a bound that no single operation checks."""


def _with_errors_of_rules(method: Method) -> Method:
    """Decorate a method, whose first argument is a state, so that exceeded bounds (`TOO_MUCH`) are raised as an error
    of the state's current rule, and that afterwards `asker` and the state's fuel are reset."""

    @wraps(method)
    def run(self: Machine, state: State, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, state, *args, **kwargs)
        except TOO_MUCH as error:
            raise self.too_much(error, state.frames[-1][0] if state.frames else self.program.play) from None
        finally:
            self.asker = -1
            state.fuel = self.program.fuel

    return cast("Method", run)


class Machine:
    """Runs games of one program with a fixed number of players and fixed options.

    Args:
        options: one int per option table; None for the defaults.

    Attributes:
        blocks, compiler: the closures of procedures and expressions. asker: the seat whose options are searched, -1 for
            none. auto: whether decisions are answered at random. capped: the last game that the limit of decisions
            ended.
    """

    def __init__(self, program: Program, players: int, options: Sequence[int] | None = None) -> None:
        self.layout = Layout(program, players, options)
        self.program = program = self.layout.program
        self.blocks = Blocks(self.layout, self)
        self.compiler = self.blocks.compiler
        self.asker = -1  # the seat for which options are looked for
        self._recursive = [code.depth > 0 for code in program.procedures]
        self.auto = False
        self.capped: State | None = None  # the last game that was ended by the limit of decisions

    @cached_property
    def codes(self) -> Codes:
        """Return what abstract interpretation of the program's functions compiles once."""
        return Codes(self)

    # ---- running ---------------------------------------------------------------------------------------

    def push(self, state: State, procedure: int, arguments: list[Any], slot: int = -1) -> None:
        """Put a frame of the procedure on the stack; its value will go to `slot` of the frame below."""
        self._check_depth(state, procedure)
        code = self.program.procedures[procedure]
        state.frames.append([procedure, 0, arguments + [0] * (len(code.locals) - len(arguments)), slot])

    def _check_depth(self, state: State, procedure: int) -> None:
        """Raise FuelError if one more frame of the procedure is too many."""
        code = self.program.procedures[procedure]
        frames = state.frames
        if len(frames) >= self.program.depth:
            raise fuel_error(
                self.program, code.site, f"more than {counted(self.program.depth, 'rule')} wait for each other"
            )
        if code.depth and sum([frame[0] == procedure for frame in frames]) > code.depth:
            raise fuel_error(self.program, code.site, f"more than {counted(code.depth, 'level')} deep")

    def run(self, state: State) -> None:
        """Go on until the state waits, is over, or has no frame left."""
        self.asker = -1
        try:
            self._run_frames(state)
        except FuelError as error:
            # Of what asks nobody the loop, or the rule that calls itself, is at fault, and not where the fuel ended.
            frames = [(frame[0], frame[1]) for frame in state.frames]
            raise error_at_loop_head(self.program, error, frames) from None
        except Ended as ended:
            self._end(state, ended.site)
        except TOO_MUCH as error:
            raise self.too_much(error, state.frames[-1][0]) from None

    def too_much(self, error: Exception, procedure: int) -> RuleError:
        """Return the error for an exception of `TOO_MUCH` that was raised in a procedure."""
        site = self.program.procedures[procedure].site
        if isinstance(error, OverflowError):
            return rule_error(self.program, site, "a number went beyond 64 bits")
        if isinstance(error, RecursionError):
            return fuel_error(self.program, site, "rules call each other, or values stand in each other, too deep")
        return fuel_error(self.program, site, str(error) or "a cost can be paid in too many ways")

    def _run_frames(self, S: State) -> None:
        """Run blocks of the topmost frame until the state waits, ends or has no frame left: the interpreter's main
        loop."""
        frames = S.frames
        program = self.program
        recursive, deepest, compiled = self._recursive, program.depth, self.blocks.compiled
        b = 0
        try:
            while frames:
                frame = frames[-1]
                procedure, b, L, slot = frame
                blocks = compiled[procedure] or self.blocks.of(procedure)
                while True:
                    cost, effects, sort, x, y, z = blocks[b]
                    S.fuel -= cost
                    if S.fuel < 0:
                        raise fuel_error(program, program.procedures[procedure].blocks[b].site, OUT_OF_FUEL)
                    for effect in effects:
                        effect(S, L)
                    if sort == BRANCH:
                        b = y if x(S, L) else z
                    elif sort == JUMP:
                        b = x
                    elif sort == RETURN:
                        value = x(S, L)
                        frames.pop()
                        if slot >= 0:
                            frames[-1][2][slot] = value
                        break
                    elif sort == CALL:
                        called, to, slot, rest = x
                        values = [code(S, L) for code in y]
                        for dead in z:
                            L[dead] = 0
                        frame[1] = to
                        if recursive[called] or len(frames) >= deepest:
                            self._check_depth(S, called)
                        frames.append([called, 0, values + rest, slot])
                        break
                    elif sort in (CHOOSE, CHANCE):
                        frame[1] = z
                        for dead in y:
                            L[dead] = 0
                        b = x.arrive(S, L) if sort == CHANCE else self._arrive(S, L, x)
                        if b < 0:
                            return
                    else:
                        self._end(S, x)
                        return
        except FuelError:
            if frames:
                frames[-1][1] = b
            raise

    def _end(self, S: State, site: int) -> None:
        self._finish(S, TIED if S.deferred & DRAWN else DECLARED if S.deferred & WON else SCORED, site)

    def _finish(self, S: State, over: int, site: int) -> None:
        S.over = over
        S.frames.clear()
        S.record("end", site, over, S.winners)

    def _capped(self, S: State, site: int) -> bool:
        """End the game, at the decision that stands there, if it has had all the decisions that it may have."""
        if S.decisions < self.program.max_decisions:
            return False
        S.winners = 0
        self.capped = S
        self._finish(S, TIED if self.program.outcome == "drawn" else SCORED, site)
        return True

    def _arrive(self, S: State, L: Locals, decision: DecisionCode) -> int:
        """Reach a decision: the next block when nobody is asked (or the choice was made at once), else WAITS."""
        if decision.node.together:
            return self._arrive_together(S, L, decision)
        copy = L[:]
        self.asker = decision.seat(S, copy)
        chunks = decision.chunks(S, copy)
        self.asker = -1
        total = sum(map(len, chunks))
        if not total:
            if decision.node.otherwise < 0:
                raise rule_error(self.program, decision.node.site, "there is nothing to choose")
            return decision.node.otherwise
        taken = decision.unasked(chunks)
        if taken is None:
            if self._capped(S, decision.node.site) or not self.auto:
                return WAITS
            k, S.rng = uniform(S.rng, total)
            taken = decision.nth(chunks, k)
            S.decisions += 1
            S.fuel = self.program.fuel
            if S.logging:
                self._log_choice(S, L, decision, self.asker, decision.option(*taken))
        item = decision.items[taken[0]]
        item.bind(L, item.values(taken[1]))
        return item.to

    def _log_choice(self, S: State, L: Locals, decision: DecisionCode, seat: int, chosen: Option) -> None:
        subjects = tuple(L[slot] for slot in self.layout.subjects[decision.number])
        entry = ("choice", decision.node.site, seat, decision.number, chosen.item, chosen.values)
        S.record(*entry, *([subjects] if subjects else []))

    # ---- together ----------------------------------------------------------------------------------------

    def _arrive_together(self, S: State, L: Locals, decision: DecisionCode) -> int:
        """Reach a decision that several seats take at once: note for each who is asked, and answer for who has no
        choice."""
        result: list[Any] = [decision.nothing()] * decision.parties
        asked = False
        for seat in decision.seat(S, L[:]):
            chunk = self._chunk_of(S, L, decision, seat)
            if len(chunk):
                taken = decision.unasked([chunk])
                result[seat] = taken[1] if taken else None
                asked = True
        if not asked:
            return decision.node.otherwise if decision.node.otherwise >= 0 else self._collected(S, L, decision, result)
        if None not in result:
            return self._collected(S, L, decision, result)
        if self._capped(S, decision.node.site):
            return WAITS
        L[decision.node.result_slot] = result
        return self._play_together(S, L, decision) if self.auto else WAITS

    def _play_together(self, S: State, L: Locals, decision: DecisionCode) -> int:
        """Let the seats that still have to choose do so at random; return the next block, or WAITS at the end."""
        to = WAITS
        while to == WAITS and not S.over:
            seat = L[decision.node.result_slot].index(None)
            chunk = self._chunk_of(S, L, decision, seat)
            k, S.rng = uniform(S.rng, len(chunk))
            to = self._commit(S, L, decision, seat, chunk[k])
        return to

    def _chunk_of(self, S: State, L: Locals, decision: DecisionCode, seat: int) -> Chunk:
        """Return the options of one seat in a decision that several seats answer at once."""
        copy = L[:]
        copy[decision.node.you_slot] = seat
        copy[decision.node.result_slot] = 0
        self.asker = seat
        chunk = decision.chunk_at_once(S, copy)
        self.asker = -1
        return chunk

    def _commit(self, S: State, L: Locals, decision: DecisionCode, seat: int, chosen: Any) -> int:
        """Take down what a seat chose; the next block once all are in, else WAITS."""
        S.decisions += 1
        S.fuel = self.program.fuel
        result = list(L[decision.node.result_slot])
        result[seat] = chosen
        L[decision.node.result_slot] = result
        S.record("commit", decision.node.site, seat, decision.number)
        if None not in result:
            return self._collected(S, L, decision, result)
        self._capped(S, decision.node.site)
        return WAITS

    def _collected(self, S: State, L: Locals, decision: DecisionCode, result: list[Any]) -> int:
        """Store and log the answers of several seats; return the block where the game continues."""
        L[decision.node.result_slot] = result
        if S.logging:
            for seat in decision.seat(S, L[:]):
                self._log_choice(S, L, decision, seat, decision.option(0, result[seat]))
        return decision.items[0].to

    # ---- the surface -------------------------------------------------------------------------------------

    def new_state(
        self, seed: int = 0, explicit: bool = False, logging: bool = True, procedure: int | None = None
    ) -> State:
        """Return a game before its setup; `advance` brings it to its first node. `procedure` runs instead of `play`."""
        state = State(self.layout, seeded(seed), explicit, logging)
        self.push(state, self.program.play if procedure is None else procedure, [])
        self.push(state, self.program.setup, [])
        return state

    def start(self, state: State, procedure: int, arguments: Sequence[Any] = ()) -> None:
        """Make the state (of a game that was not ended by a declaration) run a procedure next, and then end."""
        state.frames = []
        state.over = 0
        self.push(state, procedure, list(arguments))

    def advance(self, state: State) -> None:
        """Go on to the next decision, explicit chance node or the end."""
        self.auto = False
        self._advance(state)

    def _advance(self, state: State) -> None:
        """Run to the next decision, chance node or the end, and refill the fuel for what follows."""
        self.run(state)
        if not state.frames and not state.over:
            self._end(state, self.program.procedures[self.program.play].site)
        state.fuel = self.program.fuel

    def _pending(self, state: State) -> tuple[int, Any, Locals]:
        """Return the sort of node that the state waits at, its code and the locals of its frame."""
        procedure, block, values, _ = state.frames[-1]
        _, _, sort, code, _, _ = self.blocks.of(procedure)[block]
        return sort, code, values

    def pending_decision(self, state: State) -> DecisionCode | None:
        """Return the decision that the innermost frame waits for; None for chance or when the game is over."""
        if not state.frames:
            return None
        sort, code, _ = self._pending(state)
        return code if sort == CHOOSE else None

    @_with_errors_of_rules
    def waiting(self, state: State) -> Waiting | None:
        """Return the pending node; None when the game is over."""
        if state.over or not state.frames:
            return None
        sort, code, values = self._pending(state)
        if sort == CHANCE:
            chance: Chance = code.chance
            return Waiting("chance", (), -1, chance, chance.site)
        if sort != CHOOSE:
            return None
        if code.node.together:
            result = values[code.node.result_slot]
            seats = tuple(seat for seat in code.seat(state, values[:]) if result[seat] is None)
        else:
            seats = (code.seat(state, values[:]),)
        return Waiting("decision", seats, code.number, None, code.node.site)

    def _asked(self, state: State, seat: int) -> tuple[DecisionCode, Locals]:
        """Return the pending decision, and locals of its frame to look for what a seat may choose."""
        sort, code, values = self._pending(state)
        assert sort == CHOOSE, "the state waits for chance"
        copy = values[:]
        if code.node.together:
            copy[code.node.you_slot], copy[code.node.result_slot] = seat, 0
        self.asker = seat
        return code, copy

    def _chunks(self, state: State, seat: int) -> tuple[DecisionCode, list[Chunk]]:
        code, copy = self._asked(state, seat)
        return code, [code.chunk_at_once(state, copy)] if code.node.together else code.chunks(state, copy)

    @_with_errors_of_rules
    def options(self, state: State, seat: int) -> Sequence[Option]:
        """Return the options of a pending seat, distinct, in a stable order; a RuleError if they are too many to be
        listed."""
        code, chunks = self._chunks(state, seat)
        total = sum(map(len, chunks))
        most = current().options
        if total > most:
            message = f"this decision has {counted(total, 'option')}; at most {most} can be listed"
            raise rule_error(self.program, code.node.site, message)
        return code.listed_options(chunks)

    @_with_errors_of_rules
    def option_count(self, state: State, seat: int) -> int:
        """Return the number of options; they are not listed where they can be counted."""
        return sum(len(chunk) for chunk in self._chunks(state, seat)[1])

    @_with_errors_of_rules
    def nth_option(self, state: State, seat: int, k: int) -> Option:
        """Return the option at position k of `options`; IndexError beyond the last."""
        code, chunks = self._chunks(state, seat)
        return code.option(*code.nth(chunks, k))

    @_with_errors_of_rules
    def has_option(self, state: State, seat: int, chosen: Option) -> bool:
        """Return whether this is an option of the seat."""
        if self.pending_decision(state) is None:
            return False
        code, copy = self._asked(state, seat)
        return code.contains(state, copy, chosen)

    @_with_errors_of_rules
    def refusals(self, state: State, seat: int, limit: int = 1000) -> list[Refusal]:
        """Return what might be tried but may not, each with the first guard that fails or what there is nothing of.

        Values of binders after that are left out. At most `limit` are given.
        """
        code, copy = self._asked(state, seat)
        return list(islice(code.refused(state, copy), limit))

    @_with_errors_of_rules
    def choose(self, state: State, seat: int, chosen: Option) -> None:
        """Make a choice (one of `options`; the caller has seen to that) and go on to the next node."""
        if self.take(state, seat, chosen):
            self._advance(state)

    @_with_errors_of_rules
    def take(self, state: State, seat: int, chosen: Option) -> bool:
        """Make a choice (one of `options`) without going on, so that the state stands between two nodes; whether it
        can go on, or others have to choose too."""
        self.auto = False
        _, code, values = self._pending(state)
        if code.node.together:
            value = list(chosen.values[0]) if code.listed else chosen.values[0]
            to = self._commit(state, values, code, seat, value)
            if to == WAITS:
                return False
        else:
            state.decisions += 1
            if state.logging:
                self._log_choice(state, values, code, seat, chosen)
            item = code.items[chosen.item]
            item.bind(values, chosen.values)
            to = item.to
        state.frames[-1][1] = to
        return True

    def outcomes(self, state: State, single: bool = False) -> list[tuple[Any, Fraction]]:
        """Return the distinct outcomes of the pending chance node with their exact probabilities.

        A value is a number, an element, or for unseen pieces an item; of several at once a tuple of them, but with
        `single` the first of them alone.
        """
        weighted = self.weighted_outcomes(state, single)
        total = sum(weight for _, weight in weighted)
        return [(value, Fraction(weight, total)) for value, weight in weighted]

    @_with_errors_of_rules
    def weighted_outcomes(self, state: State, single: bool = False) -> list[tuple[Any, int]]:
        """Return the distinct outcomes of the pending chance node with their weights; `single`: as in `outcomes`."""
        _, code, values = self._pending(state)
        outcomes: list[tuple[Any, int]] = (code.single_outcomes if single else code.outcomes)(state, values[:])
        return outcomes

    @_with_errors_of_rules
    def take_outcome(self, state: State, value: Any) -> None:
        """Make an outcome of the pending chance node come true and go on to the next node."""
        sort, code, values = self._pending(state)
        assert sort == CHANCE, "the state waits for no chance"
        assert isinstance(code, ChanceCode)
        code.take(state, values, value)
        if code.done:
            state.frames[-1][1] = code.to
        self.advance(state)

    def frames_before_answers(self, state: State) -> Sequence[Frame] | None:
        """Return the frames with which the state reached its decision; None where several seats are asked at once and
        some of them have answered."""
        sort, code, values = self._pending(state)
        if sort != CHOOSE or not code.node.together or not isinstance(values[code.node.result_slot], list):
            return state.frames
        *calls, (procedure, block, _, slot) = state.frames
        reached = values[:]
        self._arrive_together(state, reached, code)
        if reached[code.node.result_slot] != values[code.node.result_slot]:
            return None
        reached[code.node.result_slot] = 0
        return [*calls, [procedure, block, reached, slot]]

    @_with_errors_of_rules
    def random_playout(self, state: State) -> None:
        """Play to the end, choosing uniformly among the options with the state's own generator; chance is sampled.

        A single option uses no random number. Option lists are not built where counting can do without.
        """
        explicit = state.explicit
        state.explicit = False
        self.auto = True
        try:
            if state.frames:
                self._resume_together(state)
                self._advance(state)
        finally:
            self.auto = False
            state.explicit = explicit

    def _resume_together(self, state: State) -> None:
        """Let the seats that still have to choose in a `together` decision do so."""
        sort, code, values = self._pending(state)
        if sort != CHOOSE or not code.node.together or not isinstance(values[code.node.result_slot], list):
            return
        to = self._play_together(state, values, code)
        if to != WAITS:
            state.frames[-1][1] = to

    def evaluate(self, state: State, procedure: int, arguments: Sequence[Any] = ()) -> Any:
        """Return the value of a procedure that does not suspend; the state stays as it is if the procedure is pure."""
        code = self.program.procedures[procedure]
        fuel = state.fuel
        state.fuel = self.program.fuel
        try:
            return self.blocks.call(procedure)(state, [*arguments, *[0] * (len(code.locals) - len(arguments))])
        except TOO_MUCH as error:
            raise self.too_much(error, procedure) from None
        finally:
            state.fuel = fuel

    def scores(self, state: State) -> list[int]:
        """Return the total of each party's score lines."""
        lines = self.program.scores
        return [
            sum(int(self.evaluate(state, line.procedure, [party])) for line in lines)
            for party in range(self.layout.parties)
        ]
