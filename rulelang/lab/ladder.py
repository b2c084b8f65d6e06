"""Does a search that looks twice as far win more?

Enters: a study, a setting, budgets of iterations. Leaves: a `Rung` for each budget against the one before: what the
seats that search more take of the wins, beside an equal share. Where rules declare payoffs, it is what they gain on
average, beside nothing.

Games come in blocks with one seed: seats alternate between the two budgets, and the block goes through all turns of the
table, so that each seat searches more as often as every other (with an even number of seats two games, else one for
each seat). Luck of the seats cancels: with equal players the mean of a block is the equal share, whoever begins.

Intervals are those of numbers between 0 and 1 (`Mean.estimate`), of payoffs Student's with one block of each extreme
added (after Agresti & Coull, Approximate is better than exact, 1998): a few blocks that end alike prove nothing.

Whether a rung is decided is asked at few looks, each 1.5 times as many blocks as the one before, and it ends at the
first look whose interval leaves the equal share out. Look k has the share t_k - t_(k-1) of the 5 % of error, t_k being
the part of the most blocks that has been played: the spending function of Lan & DeMets (Discrete sequential boundaries
for clinical trials, Biometrika 1983) with Bonferroni's bound. So all intervals of a rung hold at once with 95 %, also
the one at which it stopped (repeated confidence intervals: Jennison & Turnbull, JRSS B 1989).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from statistics import fmean, variance

from rulelang.diagnostics import RuleError, UsageError
from rulelang.lab.statistics import LEVEL, Mean, quantile
from rulelang.lab.study import Row, Setting, Study, share

FIRST_LOOK, GROWTH = 16, 1.5
"""Blocks before the first look; a look has so many times the blocks of the one before."""


@dataclass(frozen=True)
class Rung:
    """A budget against the one before.

    Attributes:
        share: part of the wins, or mean payoff. low, high: its interval of 95 %, however early it stopped. equal: the
            share of equal players.
        blocks: how many were played, of `games_each` games.
        verdict: `stronger` or `weaker` if the interval leaves the equal share out, else `open`.
    """

    budget: int
    against: int
    share: float
    low: float
    high: float
    equal: float
    blocks: int
    games_each: int
    verdict: str

    def to_json(self) -> dict[str, object]:
        """Return the rung as JSON-able values."""
        return asdict(self)


def looks(most: int) -> list[int]:
    """Return the numbers of blocks after which a rung is tested, the last one `most`."""
    numbers, count = [most], most / GROWTH
    while count >= FIRST_LOOK:
        numbers.append(int(count))
        count /= GROWTH
    return numbers[::-1]


def interval(values: Sequence[float], level: float, shares: bool = True) -> tuple[float, float]:
    """Return the confidence interval of a mean.

    Args:
        values: of blocks. level: probability that the interval misses the mean. shares: whether they lie between 0 and
            1.
    """
    if shares:
        estimate = Mean(values).estimate(0.0, 1.0, level)
        return estimate.low, estimate.high
    n = len(values)
    padded = [*values, min(0.0, *values), max(1.0, *values)]
    reach = quantile(1 - level / 2, n + 1) * sqrt(variance(padded) / n)
    return fmean(values) - reach, fmean(values) + reach


def seatings(players: int, teams: Sequence[int] = ()) -> list[frozenset[int]]:
    """Return the seats that search more, in each game of a block.

    Args:
        teams: the team of each seat, if seats play together: those of a team search alike.
    """
    sides = list(dict.fromkeys(teams)) or list(range(players))
    of_side = {side: [seat for seat in range(players) if (teams[seat] if teams else seat) == side] for side in sides}
    turns = 2 if len(sides) % 2 == 0 else len(sides)
    strong = [[sides[(n + turn) % len(sides)] for n in range(1, len(sides), 2)] for turn in range(turns)]
    return [frozenset(seat for side in block for seat in of_side[side]) for block in strong]


def ladder(study: Study, setting: Setting, budgets: Sequence[int], games: int = 400) -> Iterator[Rung]:
    """Play each budget against the one before; yield the rungs as they are decided.

    Args:
        setting: its bots are ignored. budgets: iterations of `mcts`, rising. games: most blocks of a rung.

    Raises:
        UsageError: an argument is out of range. RuleError: a rule went wrong in a game.
    """
    layout = study.executor(setting).layout
    if layout.together:
        raise UsageError("all win or lose this game together: no search plays against another")
    players = layout.players
    blocks = seatings(players, layout.team_of[:players])
    for against, budget in itertools.pairwise(budgets):
        settings = [
            replace(setting, bots=tuple(f"mcts:{budget if seat in strong else against}" for seat in range(players)))
            for strong in blocks
        ]
        yield _rung(study, settings, blocks, budget, against, games)


def _rung(
    study: Study, settings: Sequence[Setting], blocks: Sequence[frozenset[int]], budget: int, against: int, most: int
) -> Rung:
    """Play one rung until it is decided or `most` blocks are played.

    Args:
        settings: of the games of a block. blocks: for each, the seats with the larger budget.
    """
    executor = study.executor(settings[0])
    equal = 0.0 if executor.program.payoff >= 0 else fmean(len(strong) / executor.layout.players for strong in blocks)
    spent, verdict = 0.0, "open"
    for count in looks(most):
        study.play([(setting, count) for setting in settings])
        games = zip(*(study.rows(setting, count) for setting in settings), strict=True)
        values = [
            fmean(_strong_share(row, strong) for row, strong in zip(block, blocks, strict=True)) for block in games
        ]
        low, high = interval(values, LEVEL * (count / most - spent), executor.program.payoff < 0)
        spent = count / most
        verdict = "stronger" if low > equal else "weaker" if high < equal else "open"
        if verdict != "open":
            break
    return Rung(budget, against, fmean(values), low, high, equal, len(values), len(blocks), verdict)


def _strong_share(row: Row, strong: frozenset[int]) -> float:
    """Return the share of a game's win that the stronger searching seats have, or their mean payoff.

    Raises:
        RuleError: the game has failed.
    """
    if "error" in row:
        raise RuleError(f"game {row['game']} (seed {row['seed']}): {row['error']}")
    gains = row.get("returns")
    return fmean(gains[seat] for seat in strong) if gains else sum(share(row, seat) for seat in strong)
