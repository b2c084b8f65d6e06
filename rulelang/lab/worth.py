"""What the owners of a card win more than others.

Enters: rows of traced games. Leaves: for each card the contrast between the seats that had or chose it and the others,
and the slope over how often they did.

Shares of the win are taken less what the same seat has in the mean of all games, so that a card which one seat has more
often is not worth what the seat is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from statistics import fmean

from rulelang.lab.statistics import Estimate, Mean
from rulelang.lab.study import Row, share


class Worth:
    """The shares of the win, and how often each seat had or chose each card, game by game.

    Args:
        players: number of seats.
    """

    def __init__(self, players: int) -> None:
        self._players = players
        self._shares: list[list[float]] = []
        self._doses: dict[str, list[tuple[int, list[int]]]] = {}

    def add(self, row: Row) -> None:
        """Add a traced game that somebody won."""
        if self._players < 2 or not row["winners"]:
            return
        for card in {**row["had"], **row["used"]}:
            had, used = row["had"].get(card, ()), row["used"].get(card) or [0] * self._players
            doses = [max(times, int(seat in had)) for seat, times in enumerate(used)]
            self._doses.setdefault(card, []).append((len(self._shares), doses))
        self._shares.append([share(row, seat) for seat in range(self._players)])
        self.__dict__.pop("contrasts", None)
        self.__dict__.pop("_above", None)

    @cached_property
    def _above(self) -> list[list[float]]:
        """Return by how much each seat's share of the win is above its mean, in each game."""
        usual = [fmean(seat) for seat in zip(*self._shares, strict=True)]
        return [[own - mean for own, mean in zip(game, usual, strict=True)] for game in self._shares]

    def _games(self, card: str) -> Iterator[list[tuple[float, int]]]:
        """Yield for each game with a card the seats' shares above their means, with how often they had or chose it."""
        for number, doses in self._doses.get(card, ()):
            yield list(zip(self._above[number], doses, strict=True))

    @cached_property
    def contrasts(self) -> dict[str, Mean]:
        """Return for each card what its owners win more than the others, over games with both."""
        contrasts: dict[str, Mean] = {}
        for card in self._doses:
            for game in self._games(card):
                owners, others = ([won for won, dose in game if bool(dose) == having] for having in (True, False))
                if owners and others:
                    contrasts.setdefault(card, Mean()).add(fmean(owners) - fmean(others))
        return contrasts

    def each(self, card: str) -> Estimate | None:
        """Return how much more of the win a seat has for each time more that it had or chose a card: the slope within
        games; None where no seat had it twice, or all as often."""
        products, squares, most = [], [], 0
        for game in self._games(card):
            mean = fmean(dose for _, dose in game)
            products.append(sum(won * (dose - mean) for won, dose in game))
            squares.append(sum((dose - mean) ** 2 for _, dose in game))
            most = max(most, *(dose for _, dose in game))
        if not any(squares) or most < 2:
            return None
        slope, size = sum(products) / sum(squares), fmean(squares)
        # Of a ratio of means: Cochran, Sampling techniques, 1977, 6.4.
        return Mean(slope + (xy - slope * xx) / size for xy, xx in zip(products, squares, strict=True)).estimate()
