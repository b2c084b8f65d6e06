"""Plays many games at random and counts who wins.

Enters: a ruleset, players, options, a seed. Leaves: `Simulation`. All sums are exact, so the results are the same for
every number of processes.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from math import lcm, sqrt
from typing import TYPE_CHECKING, NamedTuple

from rulelang.agents import check_bot, play_out
from rulelang.backends.interpreter import Machine
from rulelang.game import scoring
from rulelang.parallel import Machines, Progress, blocks_of_games, each_game
from rulelang.runtime.state import TIED

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset


class Game(NamedTuple):
    """A finished game: scores by party, the parties that won, how long it took, whether `limits` ended it and whether
    it was drawn."""

    scores: list[int]
    winners: list[int]
    decisions: int
    turns: int
    limited: bool
    drawn: bool


def play_game(machine: Machine, seed: int, bot: str = "random") -> Game:
    """One game with a bot in all seats, without building ids; `random` does without lists of options too."""
    state = machine.new_state(seed, logging=bot != "random")  # other bots may have to deal anew what a seat can't know
    play_out(machine, state, bot, seed)
    scores, winners = scoring.scores(machine, state), scoring.winners(machine, state)
    return Game(scores, winners, state.decisions, state.turns, machine.capped is state, state.over == TIED)


def share_unit(parties: int) -> int:
    """A number of equal parts that a win can be split into among any number of winners."""
    return lcm(*range(1, parties + 1))


def deviation(n: int, total: int, squares: int) -> float:
    """The standard deviation of a sample of n numbers with this sum and sum of squares; 0 for fewer than two."""
    return sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else 0.0


class Tally:
    """Exact sums over games; lists go by seat. `shares` are parts of wins, `unit` of them for each game."""

    def __init__(self, players: int, parties: int) -> None:
        self.unit = share_unit(parties)
        self.games = self.decisions = self.turns = self.limited = self.drawn = 0
        self.wins, self.shares, self.sums, self.squares = ([0] * players for _ in range(4))

    def add(self, game: Game) -> None:
        """One more game."""
        self.games += 1
        self.decisions += game.decisions
        self.turns += game.turns
        self.limited += game.limited
        self.drawn += game.drawn
        for seat in range(len(self.wins)):
            self.sums[seat] += game.scores[seat]
            self.squares[seat] += game.scores[seat] ** 2
            if seat in game.winners:
                self.wins[seat] += 1
                self.shares[seat] += self.unit // len(game.winners)

    def merge(self, other: Tally) -> None:
        """The games of another tally too."""
        self.games += other.games
        self.decisions += other.decisions
        self.turns += other.turns
        self.limited += other.limited
        self.drawn += other.drawn
        for name in ("wins", "shares", "sums", "squares"):
            setattr(self, name, [a + b for a, b in zip(getattr(self, name), getattr(other, name), strict=True)])


@dataclass(frozen=True)
class Seat:
    """How a seat did: games won (shared ones too), its part of all games (shared wins split), and its scores."""

    wins: int
    win_share: float
    mean_score: float
    sd_score: float


@dataclass(frozen=True)
class Simulation:
    """What many games came to; `decisions` and `turns` are totals.

    `limited`: games that went on until `limits` ended them. `drawn`: games that nobody won; shared wins are none.
    """

    games: int
    decisions: int
    turns: int
    limited: int
    drawn: int
    seconds: float
    backend: str
    seats: tuple[Seat, ...]

    @property
    def games_per_second(self) -> float:
        """The speed, the start of processes included."""
        return self.games / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, object]:
        """With the keys of `rulelang simulate --format json`."""
        return {
            "games": self.games,
            "decisions": self.decisions,
            "turns": self.turns,
            "ended_by_limit": self.limited,
            "drawn": self.drawn,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
            "backend": self.backend,
            "seats": [asdict(seat) for seat in self.seats],
        }


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
    check_bot(bot)
    machine = ruleset.machine(players, options, backend)
    total = _empty(machine)
    start = time.perf_counter()
    for part in blocks_of_games(partial(_tally, bot), [machine], seed, games, jobs, progress):
        total.merge(part)
    seconds = time.perf_counter() - start
    seats = tuple(
        Seat(wins, shares / (total.unit * games), points / games, deviation(games, points, squares))
        for wins, shares, points, squares in zip(total.wins, total.shares, total.sums, total.squares, strict=True)
    )
    counts = (total.decisions, total.turns, total.limited, total.drawn)
    return Simulation(games, *counts, seconds, "interpreter", seats)


def _empty(machine: Machine) -> Tally:
    return Tally(machine.layout.players, machine.layout.parties)


def _tally(bot: str, machines: Machines, seed: int, numbers: range) -> Tally:
    machine = machines[0]
    found = _empty(machine)
    each_game(seed, numbers, lambda game: found.add(play_game(machine, game, bot)))
    return found
