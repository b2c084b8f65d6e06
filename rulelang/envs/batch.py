"""Many games of a ruleset that go on together, in native code, as numpy arrays.

Enters: a ruleset, how many games. Leaves: `Batch`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rulelang.agents import check_bot, make_bot
from rulelang.diagnostics import IllegalAction, UsageError
from rulelang.envs.core import PickGame, picks_of, recorded
from rulelang.envs.specs import Spec, spec
from rulelang.game import Ruleset, State
from rulelang.game.ruleset import CHANCE
from rulelang.record import Record
from rulelang.runtime.event_rows import EventRow
from rulelang.runtime.rng import game_seed

SEES = ("actor", "all")


class _Trace:
    """A game of a row: its number in the run, its picks; with bots that think, or events, also the game, which has a
    log, and these bots."""

    def __init__(self, of: Spec, seed: int, number: int, bots: Mapping[int, str], has_log: bool, chance: str) -> None:
        self.number, self.picks = number, list[int]()
        seed = game_seed(seed, number)
        self.bots = {seat: make_bot(name, seed, seat) for seat, name in bots.items()}
        state = of.ruleset.new_game(of.players, seed, of.options, "native", chance) if has_log else None
        self.game = None if state is None else PickGame(of, state=state)

    def add(self, number: int) -> None:
        """Make a pick of whoever is asked first; at a chance node let an outcome come true."""
        self.picks.append(number)
        if self.game is not None and self.game.state.is_chance_node():
            self.game.take_outcome(number)
        elif self.game is not None:
            self.game.step(number)

    def chosen(self, seat: int) -> int:
        """Let a bot choose an option, and make its picks; return its number."""
        assert self.game is not None
        at = self.game.state
        option = at.legal_actions(seat).index(self.bots[seat].choose(at, seat))
        for pick in picks_of(self.game.spec, at, seat, option):
            self.add(pick)
        return option


class Batch:
    """`games` games of which each waits for a pick; what ends begins again in the same call.

    Game j of row i has the seed `game_seed(seed, i + j * games)` (`rulelang.runtime.rng`), so that `new_game` plays it
    too. Arrays are the same memory at each step:

    Attributes:
        spec: what the numbers mean.
        outcomes: int32 (games,): at a chance node how many outcomes it has, else 0. There `seat` is -1, nothing can be
            picked, and a step takes the number of an outcome in `state(i).chance_outcomes()`, which has their
            probabilities.
        counts, numbers: uint8 (games, spec.counts), int32 (games, spec.numbers): what the seat sees that picks; with
            `see="all"` what each seat sees: (games, seats, …).
        prefix: uint8 (games, picks): how often each pick was made of the action that the seat chooses; of the space
            `picks` alone, else it has no columns.
        mask: bool (games, spec.size): what can be picked. seat: int32 (games,): who picks.
        end: uint8 (games,): 1 where a game ended by the last step, 2 where `limits` ended it; the rest of the row is
            the next game's, but for reward: float32 (games, seats): its payoffs; 0 where none ended.
        episode: int64 (games,): how many games of the row have ended.
        events: int32 (games, events, 8): the last rows of what the seat that picks has seen happen, the newest at the
            end, -1 where there are not so many; with `see="all"` of each seat: (games, seats, …).

    Args:
        chance: `sampled`, or `explicit`: rows wait at chance nodes, also in the setup.
        see: `actor` or `all`. record: whether picks are noted, for `record`.
        events: how many rows of what was seen happen are shown (`rulelang.runtime.event_rows`), by Python, which then
            keeps each game a second time.
        bots: seat -> the name of a bot, such as `random` or `mcts:100`, that plays it within the call: as `make_bot`
            with the game's seed would. Games in which no other seat is asked are passed over.

    Raises:
        UsageError: as `rulelang.envs.spec`; there is no such bot or seat, or no seat is left; there is no C compiler,
            or the program can't be written as C.
    """

    def __init__(
        self,
        ruleset: Ruleset | str,
        games: int,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
        actions: str = "picks",
        see: str = "actor",
        record: bool = False,
        bots: Mapping[int, str] | None = None,
        events: int = 0,
        chance: str = "sampled",
    ) -> None:
        if see not in SEES:
            raise UsageError(f"`see` is {' or '.join(SEES)}, not `{see}`")
        if chance not in CHANCE:
            raise UsageError(f"`chance` is {' or '.join(CHANCE)}, not `{chance}`")
        if record and chance != "sampled":
            raise UsageError("games are recorded where chance is sampled, as a record has the seed alone")
        if games < 1:
            raise UsageError("a batch has at least one game")
        of = self.spec = spec(ruleset, players, options, actions)
        self._bots = {seat: check_bot(name) for seat, name in (bots or {}).items()}
        if not {*self._bots} < {*range(of.players)}:
            raise UsageError(f"bots play some of the seats 0 to {of.players - 1}, not {sorted(self._bots)}")
        only_random = {*self._bots.values()} <= {"random"} and not record and not events
        self._is_tracing, self._is_recording = record or events > 0 or not only_random, record
        native = of.ruleset.executor(of.players, of.options, "native").native
        assert native is not None
        from rulelang.native.batch import AGENT, OTHER_BOT, RANDOM, NativeBatch

        rows = (games,) if see == "actor" else (games, of.players)
        self.counts: Any = np.zeros((*rows, of.counts), np.uint8)
        self.numbers: Any = np.zeros((*rows, of.numbers), np.int32)
        self.mask: Any = np.zeros((games, of.size), np.bool_)
        self.prefix: Any = np.zeros((games, len(of.picks)), np.uint8)
        self.seat: Any = np.zeros(games, np.int32)
        self.end: Any = np.zeros(games, np.uint8)
        self.episode: Any = np.zeros(games, np.int64)
        self.reward: Any = np.zeros((games, of.players), np.float32)
        self.events: Any = np.full((*rows, events, len(EventRow._fields)), -1, np.int32)
        self.outcomes: Any = np.zeros(games, np.int32)
        shown = (
            self.counts, self.numbers, self.mask, self.prefix, self.seat, self.end, self.episode, self.reward,
            self.outcomes,
        )  # fmt: skip
        addresses = [array.ctypes.data if array.size else 0 for array in shown]
        sizes = games, of.size, int(see == "all")
        played = {None: AGENT, "random": RANDOM if only_random else OTHER_BOT}
        seats = [played.get(self._bots.get(seat), OTHER_BOT) for seat in range(of.players)]
        self._chance = chance
        self._native = NativeBatch(
            native, of.layout_fields, of.spelling, sizes, seats, self._bot_chooses, addresses, chance == "explicit"
        )
        self.reset(seed)

    def reset(self, seed: int = 0) -> None:
        """Begin all games.

        Raises:
            RuleError: a rule went wrong.
        """
        self._seed, self._ended = seed, dict[int, _Trace]()
        self._traces = [self._begun(row) for row in range(len(self.seat) if self._is_tracing else 0)]
        self._native.reset(seed)
        self._write_events()

    def _begun(self, number: int) -> _Trace:
        has_log = bool(self._bots) or self.events.size > 0
        return _Trace(self.spec, self._seed, number, self._bots, has_log, self._chance)

    def _write_events(self) -> None:
        """Write what the seats have seen happen."""
        for row in range(len(self.events) if self.events.size else 0):
            game = self._trace(row, self._native.game_of(row)).game
            assert game is not None
            seats = range(self.spec.players) if self.events.ndim == 4 else (self.seat[row],)
            for at, seat in zip(self.events[row].reshape(-1, *self.events.shape[-2:]), seats, strict=True):
                if seat >= 0:
                    game.write_events(int(seat), at)
                else:
                    at[:] = -1

    def _trace(self, row: int, number: int) -> _Trace:
        """Return the trace of a row's game by its number in the run: the one that was played there, or a new one."""
        if self._traces[row].number != number:
            self._ended[row] = self._traces[row]
            self._traces[row] = self._begun(number)
        return self._traces[row]

    def _bot_chooses(self, row: int, number: int, seat: int) -> int:
        """Return which option the bot of a seat chooses in a row's game, the one of this number in the run."""
        return self._trace(row, number).chosen(seat)

    def step(self, picks: Any) -> None:
        """Make a pick in each row, at a chance node let the outcome of this number come true: integers (games,); -1
        for none.

        Raises:
            IllegalAction: one of them can't be made; none was. RuleError: a rule went wrong in a row. UsageError:
                the picks are not one a row.
        """
        numbers = np.ascontiguousarray(picks, np.int64)
        if numbers.shape != self.seat.shape:
            raise UsageError(f"a pick for each of the rows is wanted: {self.seat.shape}, not {numbers.shape}")
        wrong = self._native.refused(numbers.ctypes.data)
        if wrong >= 0:
            who = f"seat {self.seat[wrong]} can't pick" if self.seat[wrong] >= 0 else "chance has no outcome"
            raise IllegalAction(f"in row {wrong} {who} {numbers[wrong]} now")
        for trace, pick in zip(self._traces, numbers.tolist(), strict=False):
            if pick >= 0:
                trace.add(pick)
        self._native.step(numbers.ctypes.data)
        for row in range(len(self._traces)):
            self._trace(row, self._native.game_of(row))
        self._write_events()

    @property
    def decisions(self) -> int:
        """How many decisions the picks have made, those of all games: a decision takes one pick or several."""
        return self._native.decisions

    def record(self, row: int, ended: bool = True) -> Record:
        """Return the record of the game of a row that ended last, or of the one that is played there.

        Raises:
            UsageError: none has ended, or games are not recorded.
        """
        trace = None
        if self._is_recording:
            trace = self._ended.get(row) if ended else self._traces[row]
        if trace is None:
            raise UsageError("no game is on record here: a batch with `record=True` records its games")
        return recorded(self.spec, game_seed(self._seed, trace.number), trace.picks)

    def state(self, row: int) -> State:
        """Return the position of a row's game: a state without a log, and so without events."""
        executor = self.spec.ruleset.executor(self.spec.players, self.spec.options, "interpreter")
        return State(self.spec.ruleset, executor, self._native.state(row).clone())
