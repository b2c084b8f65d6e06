"""The machine that runs generated code: the interpreter's surface, faster where a game is played to its end.

Enters: a `Program` bound to players and options. Leaves: `PythonMachine`. Functions that cannot wait and random
playouts run generated Python, each function made when it is first called. Single steps, what is logged, and what has no
writer run in the interpreter, which defines what they mean.
"""

# S is the state, R the stream of random numbers, in every function that generated code calls.

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from types import TracebackType
from typing import Any

from rulelang.backends.facts import Facts
from rulelang.backends.interpreter.chance import WAITS, ChanceCode
from rulelang.backends.interpreter.expressions import Locals
from rulelang.backends.interpreter.machine import TOO_MUCH, Ended, Machine
from rulelang.backends.interpreter.sets import key
from rulelang.backends.outcome import Game, Outcome, shares, winners_of
from rulelang.backends.python import bags, pieces, sets
from rulelang.backends.python.counted import counted_tables
from rulelang.backends.python.draws import Draws
from rulelang.backends.python.handfuls import Handfuls
from rulelang.backends.python.helpers import Helpers, names_of
from rulelang.backends.python.keeping import Keeping
from rulelang.backends.python.module import Module
from rulelang.backends.python.piles import settler
from rulelang.diagnostics import RuleError
from rulelang.ir.program import Program
from rulelang.runtime.bounds import fuel_error, rule_error
from rulelang.runtime.rng import game_seed, seeded
from rulelang.runtime.state import DEFERRALS, DRAWN, TIED, WON, State

REGISTERED = (bags, pieces, sets)
"""Modules whose import registers operations."""

_FUNCTION = re.compile(r"[pr](\d+)_")


class _Over(Exception):  # noqa: N818 - a signal, not an error
    """The game is over: it has had all the decisions that it may have."""


class PythonMachine(Machine):
    """Runs games of one program with a fixed number of players and fixed options by generated Python."""

    backend = "python"

    def __init__(self, program: Program, players: int, options: Sequence[int] | None = None) -> None:
        super().__init__(program, players, options)
        self._draws = Draws()
        self._packed: State | None = None
        self._counts = [0] * len(program.procedures)
        self._waiting = 0
        self._facts = facts = Facts(self.layout)
        self._names = {
            **names_of(Helpers(self.layout)),
            "Ended": Ended, "machine": self, "depths": self._depth, "ask": self._ask, "happen": self._happen,
            "element": self._element, "number": self._number, "capped": self._cap, "decided": self._decided,
            "enter": self._enter, "leave": self._leave, "deep": self._deep,
            "settle": settler(self.layout, facts.hidden),
        }  # fmt: skip
        self._steps = Module(self.layout, self.compiler, self._names, facts, False, {})
        writer = self._steps.writer
        self._deferrals = WON | DRAWN | sum(DEFERRALS[name] for name in writer.deferrals)
        self._eliminates = writer.eliminates

    @cached_property
    def _keeping(self) -> Keeping:
        """How zones are kept while random games are played."""
        layout, zones = self.layout, self.program.zones
        tables = sorted(counted_tables(self._steps.writer))
        kinds = {zones[table].kind for table in tables}
        handfuls = {kind: Handfuls(layout.kind_items[kind], layout.copies) for kind in kinds}
        return Keeping(layout, {table: handfuls[zones[table].kind] for table in tables})

    @cached_property
    def _games(self) -> Module:
        """The functions of random games."""
        keeping = self._keeping
        moves = {"move_kept": keeping.move, "move_one_kept": keeping.move_one, "move_slots_kept": keeping.move_slots}
        return Module(self.layout, self.compiler, self._names | moves, self._facts, True, keeping.counted)

    def text(self, steps: bool = False) -> str:
        """The functions that games run, for people to read: each block says which rule it is.

        Args:
            steps: those that single steps run; here there are no others.
        """
        module = Module(self.layout, self.compiler, {}, self._facts, True, self._keeping.counted)
        module.procedures.all_functions()
        return module.source.text()

    def call(self, procedure: int) -> Callable[[State, Locals], Any]:
        """A function that runs a procedure that does not suspend on a list of locals."""
        code = self.program.procedures[procedure]
        if code.effects.suspends:
            return super().call(procedure)
        slow = super().call(procedure) if code.effects.writes else None
        names, name = self._steps.names, self._steps.functions[procedure]
        parameters = code.parameters

        def run(S: State, L: Locals) -> Any:
            if slow is not None and S.logging:
                return slow(S, L)
            return names[name](S, *L[:parameters])

        return run

    # ---- playing ---------------------------------------------------------------------------------------

    def random_playout(self, state: State) -> None:
        """Plays to the end, choosing uniformly among the options with the state's own generator; chance is sampled."""
        if state.logging or not self._as_foreseen(state):
            super().random_playout(state)
            return
        if not state.frames:
            return
        explicit, state.explicit = state.explicit, False
        self._resume_together(state)
        self._keeping.pack(state)
        try:
            self._play_out(state)
        finally:
            state.explicit = explicit
            self._keeping.unpack(state)

    def played(self, seed: int) -> Game | None:
        """See `Machine.played`."""
        if self._packed is None:
            fresh = self.new_state(logging=False)
            self._keeping.pack(fresh)
            self._packed = fresh
        return self._played_from(self._keeping.copy(self._packed, seeded(seed)))

    def outcomes_of(self, state: State, rngs: Sequence[int]) -> list[Outcome | None]:
        """See `Machine.outcomes_of`."""
        frames = state.frames
        # Where several are asked together and some have answered, the answers of others are still to come.
        if state.logging or not frames or any(isinstance(value, list) and None in value for value in frames[-1][2]):
            return [None] * len(rngs)
        if not self._as_foreseen(state):
            return [None] * len(rngs)
        start = state.clone()
        start.explicit = False
        self._keeping.pack(start)
        return [self._outcome_from(self._keeping.copy(start, rng)) for rng in rngs]

    def tally(self, seed: int, numbers: range, unit: int) -> tuple[int, list[int]]:
        """See `Machine.tally`."""
        seats = self.layout.players
        sums = [0] * (4 + 4 * seats)
        for place, number in enumerate(numbers):
            found = self.played(game_seed(seed, number))
            if found is None:
                return place, sums
            scores, winners, decisions, turns, limited, drawn = found
            sums[0] += decisions
            sums[1] += turns
            sums[2] += limited
            sums[3] += drawn
            for seat in range(seats):
                if seat in winners:
                    sums[4 + seat] += 1
                    sums[4 + seats + seat] += unit // len(winners)
                points = scores[seat]
                sums[4 + 2 * seats + seat] += points
                sums[4 + 3 * seats + seat] += points * points
        return len(numbers), sums

    def _played_from(self, S: State) -> Game | None:
        """What comes of playing on at random from a state whose counted zones hold numbers; None if rules go wrong."""
        try:
            self._play_out(S)
            scores = self._games.scores(S)
            winners = winners_of(self.layout, S, lambda: scores, partial(self._value, S))
        except (RuleError, *TOO_MUCH):
            return None
        return Game(scores, winners, S.decisions, S.turns, self.capped is S, S.over == TIED)

    def _outcome_from(self, S: State) -> Outcome | None:
        """The same with payoffs."""
        game, players, payoff = self._played_from(S), self.layout.players, self.program.payoff
        if game is None:
            return None
        if payoff < 0:
            return Outcome(game, shares(players, game.winners, S.over))
        try:
            return Outcome(game, [float(self._value(S, payoff, seat)) for seat in range(players)])
        except (RuleError, *TOO_MUCH):
            return None

    def _value(self, S: State, procedure: int, party: int) -> Any:
        """What a procedure that does not wait gives for a party, in a state whose counted zones hold numbers."""
        S.fuel = self.program.fuel
        return self._games.names[self._games.functions[procedure]](S, party)

    def _play_out(self, S: State) -> None:
        """Plays a state whose counted zones hold numbers to its end."""
        draws = self._draws
        draws.start(S.rng)
        try:
            self._play(S, draws)
        except Ended as ended:
            self._end(S, ended.site)
        except _Over:
            pass
        except TOO_MUCH as error:
            raise self.too_much(error, self._innermost(error.__traceback__)) from None
        finally:
            S.fuel = self.program.fuel
            S.rng = draws.position()

    def _as_foreseen(self, state: State) -> bool:
        """Whether unknown pieces lie only where rules put them, no pool tells what its members are, and who is out and
        which ends are put off is what rules do."""
        if state.deferred & ~self._deferrals or (state.out and not self._eliminates):
            return False
        if not state.pools:
            return True
        if any(items and items[0] == items[-1] for items in state.pools):
            return False
        zones, hidden = self.layout.inst_zone, self._facts.hidden
        return all(min(contents, default=0) >= 0 or zones[there] in hidden for there, contents in enumerate(state.z))

    def _play(self, S: State, R: Draws) -> None:
        frames = S.frames
        if self._games.procedures.stacked:
            self._counts[:] = [0] * len(self._counts)
            for frame in frames:
                self._counts[frame[0]] += 1
            self._waiting = len(frames)
        self._depth[:] = [0] * len(self._depth)
        while frames:
            procedure, block, values, slot = frames.pop()
            if slot >= 0:
                frames[-1][2][slot] = None  # refers to nothing yet
            if block:
                value = self._games.resumer(procedure)(S, R, block, *values)
            else:
                value = self._begin(procedure, S, R, values)
            if self._games.procedures.stacked:
                self._leave(procedure)
            if slot >= 0:
                frames[-1][2][slot] = value
        self._end(S, self.program.procedures[self.program.play].site)

    def _begin(self, procedure: int, S: State, R: Draws, values: Locals) -> Any:
        """Runs a procedure from its first block; only its parameters are set."""
        code = self.program.procedures[procedure]
        stream = (R,) if code.effects.suspends else ()
        return self._games.names[self._games.functions[procedure]](S, *stream, *values[: code.parameters])

    def _innermost(self, trace: TracebackType | None) -> int:
        """The innermost procedure of a traceback that may wait."""
        found = self.program.play
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._games.file:
                owner = self._games.source.owners[trace.tb_lineno - 1]
                if owner >= 0 and self.program.procedures[owner].effects.suspends:
                    found = owner
            trace = trace.tb_next
        return found

    def scores(self, state: State) -> list[int]:
        """The total of each party's score lines."""
        fuel = state.fuel
        try:
            found: list[int] = self._steps.scores(state)
        except TOO_MUCH as error:
            raise self.too_much(error, self._blamed(error.__traceback__)) from None
        finally:
            state.fuel = fuel
        return found

    def _blamed(self, trace: TracebackType | None) -> int:
        """The outermost procedure of a traceback."""
        while trace is not None:
            name = _FUNCTION.match(trace.tb_frame.f_code.co_name)
            if trace.tb_frame.f_code.co_filename == self._games.file and name:
                return int(name[1])
            trace = trace.tb_next
        return self.program.scores[0].procedure

    # ---- what generated code calls ---------------------------------------------------------------------

    def _cap(self, S: State, site: int) -> None:
        self._capped(S, site)
        raise _Over

    def _decided(self, S: State, site: int) -> None:
        """A decision was made."""
        if self._capped(S, site):
            raise _Over
        S.decisions += 1
        S.fuel = self.program.fuel

    def _enter(self, procedure: int) -> None:
        """One more procedure waits; a FuelError when that is too many."""
        code = self.program.procedures[procedure]
        if self._waiting >= self.program.depth:
            message = f"more than {self.program.depth} procedures wait for each other"
            raise fuel_error(self.program, code.site, message)
        if code.depth and self._counts[procedure] > code.depth:
            raise fuel_error(self.program, code.site, f"more than {code.depth} levels deep")
        self._counts[procedure] += 1
        self._waiting += 1

    def _leave(self, procedure: int) -> None:
        self._counts[procedure] -= 1
        self._waiting -= 1

    def _deep(self, procedure: int) -> None:
        code = self.program.procedures[procedure]
        raise fuel_error(self.program, code.site, f"more than {code.depth} levels deep")

    def _ask(self, S: State, R: Draws, L: Locals, number: int, procedure: int, block: int) -> int:
        """Asks a decision that is not written out; the block that follows."""
        decision = self.decision(number)
        S.frames.append([procedure, block, L, -1])
        if decision.together:
            S.rng, self.auto = R.position(), True
            try:
                to = self._arrive_together(S, L, decision)
            finally:
                self.auto = False
                R.start(S.rng)
            if to == WAITS:
                raise _Over
            S.frames.pop()
            return to
        scratch = L[:]
        self.asker = decision.seat(S, scratch)
        chunks = decision.chunks(S, scratch)
        self.asker = -1
        total = sum(map(len, chunks))
        if not total:
            S.frames.pop()
            return decision.otherwise
        taken = decision.unasked(chunks)
        if taken is None:
            self._decided(S, decision.site)
            taken = decision.nth(chunks, R.below(total))
        S.frames.pop()
        item = decision.items[taken[0]]
        item.bind(L, item.values(taken[1]))
        return item.to

    def _number(self, R: Draws, low: int, high: int, site: int) -> int:
        """A number from low to high."""
        if high < low:
            raise rule_error(self.program, site, "there is no number to draw")
        return low + R.below(high - low + 1)

    def _element(self, R: Draws, found: list[Any], none: int) -> Any:
        """One of the elements."""
        counts: dict[Any, list[Any]] = {}
        for value in found:
            counts.setdefault(key(value), [value, 0])[1] += 1
        if len(counts) < 2:
            return found[0] if found else none
        draw = R.below(len(found))
        for value, weight in counts.values():
            if draw < weight:
                return value
            draw -= weight
        raise ValueError("draw must be below the number of elements")

    def _happen(self, S: State, R: Draws, L: Locals, code: ChanceCode, procedure: int, block: int) -> None:
        """Lets a chance node happen that is not written out."""
        S.frames.append([procedure, block, L, -1])
        S.rng = R.position()
        code.arrive(S, L)
        R.start(S.rng)
        S.frames.pop()
