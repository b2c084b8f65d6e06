"""An ant on hexes, a bee on triangles, a cat on squares with walls: where tiles touch is worked out from their corners.

In each of three turns one of the three goes to a neighbouring tile, the ant over no edge twice, the cat through no
wall; with nothing to do the turn is lost. The score tells in its digits how far each is from some tile, what the ant
sees in straight lines, how many straight runs there are, how many tiles lie at the rim.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from .tree import Ask, enumeration

Tile = tuple[int, int]
Touching = Callable[[Tile], set[Tile]]
PLANS = {"open": ("xoo", " o ", "ooo"), "walled": ("xoxo", "ooo ")}
WALLS = {"open": set(), "walled": {((0, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (2, 1))}}


def around(tile: Tile) -> Iterator[Tile]:
    """All places near a tile, which may touch it."""
    yield from ((tile[0] + x, tile[1] + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


def hexes(tile: Tile) -> set[Tile]:
    """Centres lie two apart in a row; from row to row they are one to the side."""
    centre = {place: 2 * place[0] + place[1] % 2 for place in (tile, *around(tile))}
    return {n for n in around(tile) if (abs(centre[n] - centre[tile]), abs(n[1] - tile[1])) in ((2, 0), (1, 1))}


def triangles(tile: Tile) -> set[Tile]:
    """Two that have two corners in common; that at the top left points up."""

    def corners(place: Tile) -> set[Tile]:
        x, y = place
        up = (x + y) % 2 == 0
        return {(x, y + up), (x + 2, y + up), (x + 1, y + (not up))}

    return {n for n in around(tile) if len(corners(n) & corners(tile)) == 2}


def squares(tile: Tile) -> set[Tile]:
    """Those above, below and beside."""
    return {n for n in around(tile) if n[0] == tile[0] or n[1] == tile[1]}


def steps(start: Tile, end: Tile, touching: Touching) -> int:
    """How far it is, also over places that are no tiles."""
    reached, number = {start}, 0
    while end not in reached:
        reached, number = {n for tile in reached for n in touching(tile)}, number + 1
    return number


def runs(
    tile: Tile, tiles: Collection[Tile], centre: Callable[[Tile], Tile], touching: Touching
) -> Iterator[list[Tile]]:
    """The tiles in each straight line from one, by the step between centres."""
    for first in sorted(touching(tile) & set(tiles)):
        step = tuple(b - a for a, b in zip(centre(tile), centre(first), strict=True))
        line = [first]
        while beyond := [
            n for n in touching(line[-1]) & set(tiles)
            if tuple(b - a for a, b in zip(centre(line[-1]), centre(n), strict=True)) == step
        ]:  # fmt: skip
            line += beyond
        yield line


def play(ask: Ask, _players: int, size: int = 3, plan: str = "walled") -> tuple[int]:
    """One game."""
    hive = {(x, y) for x in range(size + 1) for y in range(size)}
    meadow = {(x, y) for x in range(4) for y in range(size)}
    yard = {(x, y) for y, row in enumerate(PLANS[plan]) for x, sign in enumerate(row) if sign != " "}
    ant, bee, cat = (1, 1), (0, 0), (1, 1)
    crossed: set[frozenset[Tile]] = set()
    for _ in range(3):
        choices = [("ant", n) for n in hexes(ant) & hive if frozenset((ant, n)) not in crossed]
        choices += [("bee", n) for n in triangles(bee) & meadow]
        choices += [("cat", n) for n in squares(cat) & yard if not {(cat, n), (n, cat)} & WALLS[plan]]
        who, there = ask.decide(choices)
        if who == "ant":
            crossed.add(frozenset((ant, there)))
            ant = there
        bee, cat = there if who == "bee" else bee, there if who == "cat" else cat

    def centre(tile: Tile) -> Tile:
        return 2 * tile[0] + tile[1] % 2, tile[1]

    seen = sum(len(line) for line in runs(ant, hive, centre, hexes))
    rows = sum(len(line) >= size - 1 for tile in hive for line in runs(tile, hive, centre, hexes)) // 2
    rows += sum(len(triangles(tile) & meadow) for tile in meadow) // 2
    rim = sum(len(triangles(tile) & meadow) < 3 for tile in meadow)
    rim += sum(len(squares(tile) & yard) < 4 for tile in yard)
    home = sum(row.count("x") for row in PLANS[plan])
    far = 100 * steps(ant, (0, 0), hexes) + 10 * steps(bee, (3, 1), triangles) + steps(cat, (2, 0), squares)
    return (far + 1000 * seen + 10000 * rows + 1000000 * rim + 100000000 * home,)


rows, terminal_probabilities = enumeration(play)
