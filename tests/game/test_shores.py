"""Roads and settlements of `shores`, in step with a small program of its own that draws the island with compasses
and goes along every way of roads."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Generator, Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import rulelang

SHORES = Path(__file__).with_name("shores")
DIRECTIONS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
TILES = {  # in the order of the board: what it gives, at which number
    "b1": ("lumber", 8), "c1": ("brick", 6), "a2": ("wool", 5), "b2": ("", 0), "c2": ("ore", 4), "b3": ("grain", 9),
    "c3": ("lumber", 10),
}  # fmt: skip
RATES = {
    "b1_north": ("", 3), "b1_northwest": ("", 3), "c1_northeast": ("wool", 2), "c1_southeast": ("wool", 2),
    "a2_southwest": ("lumber", 2), "b3_south": ("", 3),
}  # fmt: skip
GOODS = ("brick", "lumber", "wool", "grain", "ore")
ROAD, TOWN, CITY = (
    Counter(text.split()) for text in ("brick lumber", "brick lumber wool grain", "ore ore ore grain grain")
)
Spot = tuple[int, int]
Asked = tuple[int | None, dict[str, Fraction]]


def outline(cell: str) -> list[Spot]:
    """The corners of a tile, clockwise from the top, in thousandths of a side."""
    column, row = ord(cell[0]) - ord("a"), int(cell[1]) - 1
    x, y = math.sqrt(3) * (column + row % 2 / 2), 1.5 * row
    return [
        (round(1000 * (x + math.sin(math.radians(turn)))), round(1000 * (y - math.cos(math.radians(turn)))))
        for turn in range(0, 360, 60)
    ]


def drawn() -> tuple[dict[Spot, str], dict[frozenset[Spot], str]]:
    """The corners and the sides of all tiles, each with its name."""
    corners: dict[Spot, str] = {}
    sides: dict[frozenset[Spot], str] = {}
    of_corners = ("north", "northeast", "southeast", "south", "southwest", "northwest")
    of_sides = ("northeast", "east", "southeast", "southwest", "west", "northwest")
    for cell in TILES:
        points = outline(cell)
        for point, way in zip(points, of_corners, strict=True):
            corners.setdefault(point, f"{cell}_{way}")
        for n, way in enumerate(of_sides):
            side = frozenset((points[n], points[(n + 1) % 6]))
            first = sides.get(side, "").split("_")[0]
            sides[side] = f"{first}_{cell}" if first else f"{cell}_{way}"
    return corners, sides


CORNERS, SIDES = drawn()


class Island:
    """The game: who asks and what is offered, in turn; it goes on with what is chosen."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.towns: dict[Spot, int] = {}
        self.cities: set[Spot] = set()
        self.roads: dict[frozenset[Spot], int] = {}
        self.purses = [Counter("brick brick brick lumber lumber lumber wool grain".split()) for _ in range(players)]
        self.longest: int | None = None

    def play(self) -> Generator[Asked, str, None]:
        for seat in range(self.players):
            yield from self.found(seat, gains=False)
        for seat in reversed(range(self.players)):
            yield from self.found(seat, gains=True)
        for _, seat in product(range(12), range(self.players)):
            rolled = 0
            for die in ("first", "second"):
                chosen = yield None, {f"play:{die}={n}": Fraction(1, 6) for n in range(1, 7)}
                rolled += int(chosen[-1])
            for cell, (good, number) in TILES.items():
                for point in outline(cell):
                    if number == rolled and point in self.towns:
                        self.purses[self.towns[point]][good] += 2 if point in self.cities else 1
            yield from self.build(seat)
            if self.points(seat) >= 5:
                return

    def found(self, seat: int, *, gains: bool) -> Generator[Asked, str, None]:
        open_ = {f"found:site={name}": point for point, name in CORNERS.items() if self.is_open(point)}
        site = open_[(yield seat, dict.fromkeys(open_, Fraction(0)))]
        self.towns[site] = seat
        ways = {f"found:path={name}": s for s, name in SIDES.items() if site in s and s not in self.roads}
        self.roads[ways[(yield seat, dict.fromkeys(ways, Fraction(0)))]] = seat
        for cell, (good, _) in TILES.items():
            if gains and good and site in outline(cell):
                self.purses[seat][good] += 1

    def build(self, seat: int) -> Generator[Asked, str, None]:
        purse = self.purses[seat]
        while True:
            roads = {f"pave:path={name},pay=brick+lumber": s for s, name in SIDES.items() if self.is_next(seat, s)}
            sites = {
                f"settle:site={name},pay=brick+grain+lumber+wool": point
                for point, name in CORNERS.items()
                if self.is_open(point) and any(point in side for side, who in self.roads.items() if who == seat)
            }
            raised = {
                f"raise:site={CORNERS[point]},pay=grain+grain+ore+ore+ore": point
                for point, who in self.towns.items()
                if who == seat and point not in self.cities
            }
            swaps = {
                f"swap:lost={lost},gained={gained}": (lost, gained)
                for lost, gained in product(GOODS, GOODS)
                if lost != gained and purse[lost] >= self.rate(seat, lost)
            }
            paid: list[tuple[Counter[str], Collection[str]]] = [(ROAD, roads), (TOWN, sites), (CITY, raised)]
            offers = [*(id_ for price, ids in paid if purse >= price for id_ in ids), *swaps, "done"]
            chosen = yield seat, dict.fromkeys(offers, Fraction(0))
            if chosen == "done":
                return
            if chosen in roads:
                self.roads[roads[chosen]] = seat
                purse -= ROAD
            elif chosen in sites:
                self.towns[sites[chosen]] = seat
                purse -= TOWN
            elif chosen in raised:
                self.cities.add(raised[chosen])
                purse -= CITY
            else:
                lost, gained = swaps[chosen]
                purse[lost] -= self.rate(seat, lost)
                purse[gained] += 1
            if chosen in roads or chosen in sites:
                self.measure()

    def is_open(self, point: Spot) -> bool:
        return not any(point in side and other in self.towns for side in SIDES for other in side) and (
            point not in self.towns
        )

    def is_next(self, seat: int, side: frozenset[Spot]) -> bool:
        own = {point for road, who in self.roads.items() if who == seat for point in road}
        reached = {point for point in own if point not in self.towns} | {
            point for point, who in self.towns.items() if who == seat
        }
        return side not in self.roads and bool(side & reached)

    def rate(self, seat: int, good: str) -> int:
        own = (RATES.get(CORNERS[point], ("", 4)) for point, who in self.towns.items() if who == seat)
        return min((rate for harbour, rate in own if harbour in ("", good)), default=4)

    def measure(self) -> None:
        lengths = [max(map(len, self.trails(seat)), default=0) for seat in range(self.players)]
        best = max(lengths)
        if best < 5:
            self.longest = None
        elif self.longest is None or lengths[self.longest] < best:
            self.longest = lengths.index(best) if lengths.count(best) == 1 else None

    def trails(self, seat: int) -> Iterator[list[frozenset[Spot]]]:
        """Every way along roads of a seat, none twice, through no town of another seat."""
        own = [side for side, who in self.roads.items() if who == seat]
        ways = [([side], point) for side in own for point in side]
        while ways:
            trail, end = ways.pop()
            yield trail
            if self.towns.get(end, seat) == seat:
                for side in own:
                    if end in side and side not in trail:
                        (far,) = side - {end}
                        ways.append(([*trail, side], far))

    def points(self, seat: int) -> int:
        towns = [point for point, who in self.towns.items() if who == seat]
        return len(towns) + sum(point in self.cities for point in towns) + (2 if self.longest == seat else 0)


@pytest.fixture(scope="module")
def shores() -> rulelang.Ruleset:
    """The ruleset."""
    return rulelang.load(SHORES)


def test_the_island() -> None:
    """Seven tiles have 24 corners and 30 sides."""
    assert (len(CORNERS), len(SIDES)) == (24, 30)


@pytest.mark.parametrize(
    ("players", "seed", "backend", "deed"),
    [(2, 6, "interpreter", "settle"), (3, 21, "native", "raise"), (3, 9, "native", "swap")],
)
def test_in_step(shores: rulelang.Ruleset, players: int, seed: int, backend: str, deed: str) -> None:
    """At each step the same seat has the same options, or chance the same outcomes, and the points are the same."""
    rng, island = random.Random(seed), Island(players)
    state = shores.new_game(players, chance="explicit", backend=backend)
    game = island.play()
    asked: Asked | None = next(game)
    built: Counter[str] = Counter()
    while asked is not None:
        seat, offers = asked
        if seat is None:
            assert {action.id: weight for action, weight in state.chance_outcomes()} == offers
        else:
            assert state.current_players() == [seat]
            assert sorted(action.id for action in state.legal_actions()) == sorted(offers)
        # What builds is chosen before what swaps, that before being done.
        ranked = sorted(
            offers, key=lambda id_: (id_ == "done", id_.startswith("swap") and rng.random() < 0.7, rng.random())
        )
        chosen = ranked[0]
        built[chosen.partition(":")[0]] += 1
        state.apply(chosen)
        try:
            asked = game.send(chosen)
        except StopIteration:
            asked = None
        assert state.scores() == [island.points(seat) for seat in range(players)]
    assert state.is_terminal()
    assert built["pave"] > 4
    assert built[deed] > 0
