"""Plays many games at random and counts who wins.

Enters: a ruleset, players, options, a seed. Leaves: `Simulation`, and a file of the games if one is wanted. All sums
are exact, so the results are the same for every number of processes, and for a run that was ended and gone on with.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from math import lcm, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulelang.agents import check_bot, play_out
from rulelang.diagnostics import LANGUAGE_VERSION, RuleError, UsageError
from rulelang.execution.executor import Executor
from rulelang.interrupts import finishing
from rulelang.parallel import Executors, Progress, blocks_of_games, check_amounts, each_game
from rulelang.results import MARK, VERSION, Results, line, opened
from rulelang.runtime.outcome import FinishedGame
from rulelang.runtime.rng import game_seed

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

MANY = 1 << 20
"""Stands for the playouts of a bot that looks ahead."""


def play_game(executor: Executor, seed: int, bot: str = "random") -> FinishedGame:
    """Play one game with the same bot in all seats and return its outcome.

    Ids are not built, nor option lists for the bot `random`.
    """
    if bot == "random":
        return next(executor.games([seed]))
    return executor.game(play_out(executor, seed, bot))


def playouts_of(bot: str, games: int) -> int:
    """Estimate the number of random playouts in so many games of a bot, by which `auto` chooses the backend."""
    return games if bot == "random" else MANY


def share_unit(parties: int) -> int:
    """Return the least number of shares into which a win can be divided evenly, for 1 to `parties` winners."""
    return lcm(*range(1, parties + 1))


def deviation(n: int, total: int, squares: int) -> float:
    """Return the sample standard deviation of n integers from their sum and sum of squares; 0 for n < 2."""
    return sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else 0.0


class Tally:
    """Exact sums over games, in the order of `Executor.tally`; `unit` is into how many parts a win is split."""

    def __init__(self, players: int, parties: int) -> None:
        self.unit = share_unit(parties)
        self.players, self.parties = players, parties
        self.games = 0
        self.sums = [0] * (4 + (4 + parties) * players)

    def add(self, game: FinishedGame) -> None:
        """Add the outcome of one game to the sums."""
        self.games += 1
        sums, seats = self.sums, self.players
        for place, more in enumerate((game.decisions, game.turns, game.limited, game.drawn)):
            sums[place] += more
        for seat, (score, rank) in enumerate(zip(game.scores[:seats], game.ranks, strict=False)):
            share = self.unit // len(game.winners) if seat in game.winners else 0
            for place, more in enumerate((share > 0, share, score, score**2)):
                sums[4 + place * seats + seat] += more
            sums[4 + 4 * seats + seat * self.parties + rank - 1] += 1

    def add_sums(self, games: int, sums: Sequence[int]) -> None:
        """Add the sums of several games, laid out as `Executor.tally` returns them."""
        if games:
            self.games += games
            self.sums = list(map(int.__add__, self.sums, sums))


@dataclass(frozen=True)
class Seat:
    """How a seat did: games won (shared ones too), its part of all games (shared wins split), its scores, and how often
    it was first, second, …, automata counted too."""

    wins: int
    win_share: float
    mean_score: float
    sd_score: float
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Simulation:
    """What many games came to; `decisions` and `turns` are totals.

    `limited`: games that went on until `limits` ended them. `drawn`: games that nobody won; shared wins are none.
    `earlier`: of the games, those that an earlier run had played; `seconds` are without them.
    """

    games: int
    decisions: int
    turns: int
    limited: int
    drawn: int
    seconds: float
    backend: str
    seats: tuple[Seat, ...]
    earlier: int = 0

    @property
    def games_per_second(self) -> float:
        """The games of this run per second of wall time, including the start of processes."""
        return (self.games - self.earlier) / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, object]:
        """Return the report as a dictionary with the keys of `rulelang simulate --format json`."""
        fields = asdict(self)
        del fields["earlier"]
        return {"ended_by_limit": fields.pop("limited"), "games_per_second": self.games_per_second, **fields}


class StoppedError(KeyboardInterrupt):
    """A run was ended before its last game.

    Attributes:
        result: what was finished. lasting: whether it lies in a file that a later run can go on with.
    """

    def __init__(self, result: Simulation, lasting: bool) -> None:
        super().__init__()
        self.result, self.lasting = result, lasting


def simulate(
    ruleset: Ruleset,
    players: int | None = None,
    games: int = 1000,
    bot: str = "random",
    seed: int = 0,
    jobs: int = 1,
    options: Mapping[str, OptionValue] | None = None,
    backend: str = "auto",
    progress: Progress | None = None,
    out: str | Path | None = None,
    resume: bool = False,
) -> Simulation:
    """Play random or bot games and return statistics of their outcomes.

    Args:
        bot: who plays all seats. jobs: how many processes. progress: called with how many more games are played.
        out: a file for the games while they are played, Parquet if it ends in `.parquet`, else JSON Lines.
        resume: goes on with the games that an earlier run of the same settings has left in `out`.

    Raises:
        UsageError: an argument that does not fit; `out` can't be written, is there already, or is of another run.
        SaveError: `out` holds something else, or is damaged.
        RuleError: a rule went wrong in a game; the message names its number and seed.
        StoppedError: Ctrl-C, when at least one game was finished.
    """
    check_bot(bot)
    check_amounts(games, jobs)
    if resume and out is None:
        raise UsageError("there is nothing to resume without a file of games")
    executor = ruleset.executor(players, options, backend, playouts_of(bot, games))
    executor.prepare()
    total = _empty(executor)
    header = header_of(MARK, ruleset, executor) | {"bot": bot, "seed": seed, "games": games}
    file = nullcontext() if out is None else opened(Path(out), header, resume, total.add)
    with file as results:
        earlier = total.games
        if progress is not None and earlier:
            progress(earlier)
        start = time.perf_counter()
        try:
            work = partial(_play, bot, results is not None)
            with closing(blocks_of_games(work, [executor], seed, games, jobs, progress, earlier)) as blocks:
                for block in blocks:
                    _add_block(block, total, results)
        except KeyboardInterrupt:
            if not total.games:
                raise
            result = _simulation(total, executor.backend, time.perf_counter() - start, earlier)
            raise StoppedError(result, results is not None and results.lasting) from None
        return _simulation(total, executor.backend, time.perf_counter() - start, earlier)


def _empty(executor: Executor) -> Tally:
    return Tally(executor.layout.players, executor.layout.parties)


@dataclass(frozen=True)
class _Block:
    """What came of a block of games: up to the one in which a rule went wrong, if one did."""

    tally: Tally
    lines: bytes
    error: RuleError | None


BULK = 256
"""So many games are played before their lines are written."""


def _play_and_record(
    executor: Executor, seed: int, numbers: range, record: Callable[[int, FinishedGame], None]
) -> None:
    """Play a block of random games in bulk, `BULK` at a time, and call `record` with each game's seed and outcome."""
    for first in range(numbers.start, numbers.stop, BULK):
        block = range(first, min(first + BULK, numbers.stop))
        games = executor.games([game_seed(seed, number) for number in block])
        each_game(seed, block, lambda own_seed, games=games: record(own_seed, next(games)))  # type: ignore[misc]


def _play_and_sum(executor: Executor, seed: int, numbers: range, tally: Tally) -> None:
    """Play a block of random games and add their sums to the tally, natively where possible.

    A game in which a rule fails is replayed alone, so that its error names number and seed.
    """
    first = numbers.start
    while first < numbers.stop:
        played, sums = executor.tally(seed, range(first, numbers.stop), tally.unit)
        tally.add_sums(played, sums)
        first += played
        # Without native code all of them are played here, else the one at which it stopped.
        rest = range(first, first + 1 if played else numbers.stop)
        each_game(
            seed,
            range(rest.start, min(rest.stop, numbers.stop)),
            lambda own_seed: tally.add(play_game(executor, own_seed)),
        )
        first = rest.stop


def _play(bot: str, writing: bool, executors: Executors, seed: int, numbers: range) -> _Block:
    """Play a block of games and return its tally, with result lines if `writing` and the error that stopped it, if
    any."""
    executor = executors[0]
    tally = _empty(executor)
    lines: list[bytes] = []

    def record(own_seed: int, game: FinishedGame) -> None:
        """Add a game to the tally and, if `writing`, its line to the results."""
        if writing:
            lines.append(line(numbers.start + tally.games, own_seed, game))
        tally.add(game)

    error = None
    try:
        if bot != "random":
            each_game(seed, numbers, lambda own_seed: record(own_seed, play_game(executor, own_seed, bot)))
        elif writing:
            _play_and_record(executor, seed, numbers, record)
        else:
            _play_and_sum(executor, seed, numbers, tally)
    except RuleError as wrong:
        error = wrong
    return _Block(tally, b"".join(lines), error)


def _add_block(block: _Block, total: Tally, results: Results | None) -> None:
    """Add a block of games to the results file and the total, uninterrupted; raise the block's error if it has one."""
    with finishing():
        if results is not None and block.lines:
            results.add(block.lines)
        total.add_sums(block.tally.games, block.tally.sums)
    if block.error is not None:
        raise block.error


def _simulation(total: Tally, backend: str, seconds: float, earlier: int) -> Simulation:
    """Compute a report from the sums over games."""
    games, seats, parties = total.games, total.players, total.parties
    decisions, turns, limited, drawn, *sums = total.sums
    rows = []
    for seat in range(seats):
        wins, shares, points, squares = sums[seat : 4 * seats : seats]
        ranks = tuple(sums[4 * seats + seat * parties :][:parties])
        mean, spread = points / games, deviation(games, points, squares)
        rows.append(Seat(wins, shares / (total.unit * games), mean, spread, ranks))
    return Simulation(games, decisions, turns, limited, drawn, seconds, backend, tuple(rows), earlier)


def header_of(mark: str, ruleset: Ruleset, executor: Executor) -> dict[str, Any]:
    """Return the part of a header that tells of ruleset, players and options; its first key is `mark`."""
    layout = executor.layout
    return {
        mark: VERSION,
        "language": LANGUAGE_VERSION,
        "ruleset": ruleset.name,
        "hash": ruleset.hash,
        "players": layout.players,
        "parties": list(layout.party_names),
        "options": ruleset.option_names(layout.options),
    }
