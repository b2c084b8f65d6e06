"""Plays two rulesets, or two variants of one, on the same seeds and says how they differ.

Enters: two rulesets, players, a seed. Leaves: `Comparison`: means of both, and their differences (second less first)
with intervals that hold with 95 %, from the differences game by game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import sqrt
from typing import TYPE_CHECKING

from rulelang.agents import check_bot
from rulelang.backends.interpreter import Machine
from rulelang.diagnostics import UsageError
from rulelang.parallel import Machines, Progress, blocks_of_games, each_game
from rulelang.simulate import Game, deviation, play_game, share_unit

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

Z95 = 1.959963984540054
"""The quantile of the normal distribution for 95 %."""


@dataclass(frozen=True)
class Measure:
    """One figure per game: its means in both rulesets, their difference, its interval. `seat` -1: of the game."""

    name: str
    seat: int
    a: float
    b: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Comparison:
    """How two rulesets differ."""

    games: int
    players: int
    a: str
    b: str
    measures: tuple[Measure, ...]

    def to_json(self) -> dict[str, object]:
        """As JSON-able values."""
        return asdict(self)


Sums = list[list[int]]
"""For each measure: the sums of both rulesets, of their differences, and of the squares of these."""


def compare(
    first: Ruleset,
    second: Ruleset,
    players: int | None = None,
    games: int = 1000,
    bot: str = "random",
    seed: int = 0,
    jobs: int = 1,
    options: Mapping[str, OptionValue] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Plays both on paired seeds.

    Args:
        players: None for the smallest number that both are for. options: each ruleset takes those that it has.

    Raises:
        UsageError: an argument that does not fit.
        RuleError: a rule went wrong in a game.
    """
    check_bot(bot)
    common = [n for n in first.players if n in second.players]
    if not common:
        raise UsageError(f"{first.path} and {second.path} are for different numbers of players")
    count = players if players is not None else min(common)
    given = dict(options or {})
    known = {table.name for ruleset in (first, second) for table in ruleset.program.options}
    for name in given:
        if name not in known:
            first.option_numbers({name: given[name]})  # says what it has
    machines = [
        ruleset.machine(count, {n: v for n, v in given.items() if n in {t.name for t in ruleset.program.options}})
        for ruleset in (first, second)
    ]
    total: Sums = []
    for part in blocks_of_games(_differences, machines, seed, games, jobs, progress):
        total = _added(total, part) if total else part
    measures = tuple(
        _measure(name, seat, games, row, unit)
        for (name, seat, unit), row in zip(_names(count, _unit(machines)), total, strict=True)
    )
    return Comparison(games, count, first.path, second.path, measures)


def _unit(machines: Machines) -> int:
    return share_unit(max(machine.layout.parties for machine in machines))


def _names(players: int, unit: int) -> list[tuple[str, int, int]]:
    """(name, seat, what the sums are multiples of 1 / of) of every measure."""
    seats = range(players)
    return [
        *(("score", seat, 1) for seat in seats),
        *(("win_share", seat, unit) for seat in seats),
        ("decisions", -1, 1),
        ("turns", -1, 1),
    ]


def _figures(machine: Machine, game: Game, unit: int) -> list[int]:
    seats = range(machine.layout.players)
    return [
        *game.scores[: machine.layout.players],
        *(unit // len(game.winners) if seat in game.winners else 0 for seat in seats),
        game.decisions,
        game.turns,
    ]


def _differences(machines: Machines, seed: int, numbers: range) -> Sums:
    unit = _unit(machines)
    found: Sums = []

    def play(game: int) -> None:
        a, b = (_figures(machine, play_game(machine, game), unit) for machine in machines)
        rows = [[x, y, y - x, (y - x) ** 2] for x, y in zip(a, b, strict=True)]
        found[:] = _added(found, rows) if found else rows

    each_game(seed, numbers, play)
    return found


def _added(left: Sums, right: Sums) -> Sums:
    return [[a + b for a, b in zip(x, y, strict=True)] for x, y in zip(left, right, strict=True)]


def _measure(name: str, seat: int, games: int, row: list[int], unit: int) -> Measure:
    a, b, difference, squares = row
    mean = difference / (games * unit)
    reach = Z95 * deviation(games, difference, squares) / (unit * sqrt(games))
    return Measure(name, seat, a / (games * unit), b / (games * unit), mean, mean - reach, mean + reach)
