"""Plays many games at random and counts who wins, with as many processes as wished.

Enters: a ruleset, players, options, a seed. Leaves: `Simulation`, or for two rulesets a `Comparison`. The seed of game i is the
i-th output of the SplitMix64 generator that starts from the seed, and all sums are exact, so the results are the same for
every number of processes.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import lcm, sqrt
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rulelang.agents import BOTS, make_bot
from rulelang.backends.interpreter import Machine
from rulelang.diagnostics import RuleError, UsageError
from rulelang.game import scoring
from rulelang.runtime.rng import GOLDEN, output, seeded

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

BLOCK = 64
"""So many games are played between two reports of progress."""

Z95 = 1.959963984540054
"""The quantile of the normal distribution for intervals that hold with 95 %."""

Progress = Callable[[int], None]
Part = TypeVar("Part", "Tally", "Differences")


def game_seed(seed: int, index: int) -> int:
    """The seed of a game among many."""
    return output(seeded(seed + index * GOLDEN))[0]


class Game(NamedTuple):
    """A finished game: scores by party, the parties that won, how long it took."""

    scores: list[int]
    winners: list[int]
    decisions: int
    turns: int


def play_game(machine: Machine, seed: int) -> Game:
    """One game in which every choice is uniformly random."""
    state = machine.new_state(seed, logging=False)
    machine.random_playout(state)
    return Game(scoring.scores(machine, state), scoring.winners(machine, state), state.decisions, state.turns)


# ---- sums ------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Exact sums over games; lists go by seat. `shares` are parts of wins, as multiples of 1 / `unit`."""

    unit: int
    wins: list[int]
    shares: list[int]
    sums: list[int]
    squares: list[int]
    games: int = 0
    decisions: int = 0
    turns: int = 0

    @classmethod
    def empty(cls, players: int, parties: int) -> Tally:
        """No games yet."""
        return cls(lcm(*range(1, parties + 1)), *([0] * players for _ in range(4)))

    def add(self, game: Game) -> None:
        """One more game."""
        self.games += 1
        self.decisions += game.decisions
        self.turns += game.turns
        for seat in range(len(self.wins)):
            score = game.scores[seat]
            self.sums[seat] += score
            self.squares[seat] += score * score
            if seat in game.winners:
                self.wins[seat] += 1
                self.shares[seat] += self.unit // len(game.winners)

    def merge(self, other: Tally) -> None:
        """The games of another tally too."""
        self.games += other.games
        self.decisions += other.decisions
        self.turns += other.turns
        for mine, more in (
            (self.wins, other.wins),
            (self.shares, other.shares),
            (self.sums, other.sums),
            (self.squares, other.squares),
        ):
            mine[:] = [a + b for a, b in zip(mine, more, strict=True)]


@dataclass(frozen=True)
class Seat:
    """How a seat did: games won (shared ones too), its part of all games (shared wins split), and its scores."""

    wins: int
    win_share: float
    mean_score: float
    sd_score: float


@dataclass(frozen=True)
class Simulation:
    """What many games came to; `decisions` and `turns` are totals."""

    games: int
    decisions: int
    turns: int
    seconds: float
    backend: str
    seats: tuple[Seat, ...]

    @property
    def games_per_second(self) -> float:
        """The speed, start-up of processes included."""
        return self.games / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, object]:
        """With the keys of `rulelang simulate --format json`."""
        return {
            "games": self.games,
            "decisions": self.decisions,
            "turns": self.turns,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "backend": self.backend,
            "seats": [asdict(seat) for seat in self.seats],
        }


def deviation(n: int, total: int, squares: int) -> float:
    """The standard deviation of a sample of n numbers with this sum and sum of squares; 0 for fewer than two."""
    return sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else 0.0


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
) -> Simulation:
    """Plays games and counts.

    Args:
        bot: who plays all seats. jobs: how many processes. progress: called with how many more games are played.

    Raises:
        UsageError: an argument that does not fit.
        RuleError: a rule went wrong in a game; the message names its number and seed.
    """
    _check(games, bot, jobs)
    machine = ruleset.machine(players, options, backend)
    total = Tally.empty(machine.layout.players, machine.layout.parties)
    start = time.perf_counter()
    for part in _parts(_tally, (machine,), seed, games, jobs, progress):
        total.merge(part)
    seconds = time.perf_counter() - start
    n = total.games
    seats = tuple(
        Seat(
            total.wins[seat],
            total.shares[seat] / (total.unit * n),
            total.sums[seat] / n,
            deviation(n, total.sums[seat], total.squares[seat]),
        )
        for seat in range(machine.layout.players)
    )
    return Simulation(n, total.decisions, total.turns, seconds, "interpreter", seats)


def _check(games: int, bot: str, jobs: int) -> None:
    if games < 1 or jobs < 1:
        raise UsageError("there must be at least one game and one process")
    if bot not in BOTS:
        make_bot(bot, 0, 0)  # says which there are


# ---- processes -------------------------------------------------------------------------------------

Failure = tuple[int, str]
Work = Callable[[Sequence[Machine], int, range], Part | Failure]

_machines: tuple[Machine, ...] = ()


def _tally(machines: Sequence[Machine], seed: int, numbers: range) -> Tally | Failure:
    (machine,) = machines
    found = Tally.empty(machine.layout.players, machine.layout.parties)
    for number in numbers:
        try:
            found.add(play_game(machine, game_seed(seed, number)))
        except RuleError as error:
            return number, str(error)
    return found


def _parts(
    work: Work[Part], machines: tuple[Machine, ...], seed: int, games: int, jobs: int, progress: Progress | None
) -> Iterator[Part]:
    """The results of all blocks of games in order."""
    blocks = [range(first, min(first + BLOCK, games)) for first in range(0, games, BLOCK)]
    for block, found in zip(blocks, _results(work, machines, seed, blocks, jobs), strict=True):
        if isinstance(found, tuple):
            number, message = found
            raise RuleError(f"game {number} (seed {game_seed(seed, number)}): {message}")
        if progress is not None:
            progress(len(block))
        yield found


def _results(
    work: Work[Part], machines: tuple[Machine, ...], seed: int, blocks: Sequence[range], jobs: int
) -> Iterator[Part | Failure]:
    if jobs == 1 or len(blocks) == 1:
        for block in blocks:
            yield work(machines, seed, block)
        return
    tables = [(machine.program, machine.layout.players, machine.layout.options) for machine in machines]
    with multiprocessing.Pool(min(jobs, len(blocks)), _begin, (tables,)) as pool:
        yield from pool.imap(_Task(work, seed), blocks)


def _begin(tables: Sequence[tuple[object, int, tuple[int, ...]]]) -> None:
    """In a new process: makes the machines. An interrupt is the first process's business."""
    global _machines
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _machines = tuple(Machine(program, players, options) for program, players, options in tables)  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Task:
    """What a process does with a block."""

    work: Callable[..., object]
    seed: int

    def __call__(self, block: range) -> object:
        return self.work(_machines, self.seed, block)
