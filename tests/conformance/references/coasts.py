"""A snail on the corners of an island, a crab on its edges, a goat on the peaks of triangles: who has which points in
common is all there is to it.

In each of three turns one goes on: the snail along an edge that nobody went along and that is no cliff, the
crab to an edge that ends where its own does, the goat along a side to a peak that it has not seen, by which a vane on a
tile turns. The score tells in its digits how long the coast is, how many corners and edges there are, what is lit,
where tiles meet, how far the snail comes.
"""

from __future__ import annotations

from .tree import Ask, enumeration

Point = tuple[int, int]
Edge = frozenset[Point]
ISLANDS = {"atoll": (" oo", "o o", " oo"), "strait": ("o w", " o ", "o o"), "rock": ("   ", " o ", "   ")}
VANE = ("northeast", "east", "southeast", "southwest", "west", "northwest")


def tile(x: int, y: int) -> list[Point]:
    """The corners of a hexagon, clockwise from the top."""
    across, down = 2 * x + y % 2, 3 * y
    return [(across + dx, down + dy) for dx, dy in ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))]


def field(x: int, y: int) -> list[Point]:
    """The corners of a triangle; the first one is the top of its column and row, or the bottom."""
    even = (x + y) % 2 == 0
    return [(x + 1, y + (not even)), (x, y + even), (x + 2, y + even)]


def sides(shape: list[Point]) -> list[Edge]:
    """The sides of a tile or triangle, the first one from its first corner on."""
    return [frozenset(pair) for pair in zip(shape, shape[1:] + shape[:1], strict=True)]


def beyond(point: Point, joined: set[Edge]) -> set[Point]:
    """The points at the other ends of sides."""
    return {other for side in joined if point in side for other in side} - {point}


def play(ask: Ask, _players: int, island: str = "atoll", size: int = 2) -> tuple[int]:
    """One game."""
    land = {(x, y): sign for y, row in enumerate(ISLANDS[island]) for x, sign in enumerate(row) if sign != " "}
    tiles = [tile(*place) for place in land]
    posts = {point for shape in tiles for point in shape}
    coasts = {side for shape in tiles for side in sides(shape)}
    cliffs = {sides(tile(1, 0))[2]: 3, sides(tile(1, 0))[5]: 5}
    if island == "atoll":
        cliffs[sides(tile(0, 1))[1]] = 1
    lamps = {tile(1, 0)[0]: 2, tile(1, 1)[3]: 4}
    fields = [field(x, y) for x in range(size + 1) for y in range(size)]
    around = {side for shape in fields for side in sides(shape)}
    hedges = {side for side in around if sum(side in sides(shape) for shape in fields) == 2}
    first = tiles[0]
    post, crab, peak, vane = first[3], sides(first)[4], field(0, 0)[2], 0
    walked: set[Edge] = set()
    climbed: set[Point] = set()
    for _ in range(3):
        ways: list[tuple[str, Edge]] = [
            ("snail", side) for side in coasts - walked if post in side and cliffs.get(side, 0) < 3
        ]
        ways += [("crab", side) for side in coasts if side != crab and side & crab]
        ways += [("goat", frozenset((to,))) for to in beyond(peak, around) - climbed]
        who, there = ask.decide(ways)
        if who == "snail":
            walked.add(there)
            (post,) = there - {post}
        elif who == "crab":
            crab = there
        else:
            (peak,) = there
            climbed.add(peak)
            vane += sum(peak in shape for shape in fields) - 2
    reached: set[Point] = set()
    more = {post}
    while more:
        reached |= more
        more = {far for point in more for far in beyond(point, coasts)} - reached
    lit = sum(sign == "w" for sign in land.values())
    lit += sum(lamps.get(point, 0) for shape in tiles for point in shape)
    lit += sum(cliffs.get(side, 0) for shape in tiles for side in sides(shape))
    inner = sum(sum(point in shape for shape in tiles) == 3 for point in posts) + len(hedges)
    far = len(reached) + 2 + sum(side in sides(shape) for side in coasts if post in side for shape in tiles)
    turned = {"northeast": 1, "east": 2, "west": 3}.get(VANE[vane % 6], 4)
    score = sum(sum(side in sides(shape) for shape in tiles) == 1 for side in coasts)
    score += 100 * len(posts) + 10_000 * len({point for shape in fields for point in shape}) + 1_000_000 * len(hedges)
    return (score + 10**8 * lit + 10**10 * inner + 10**12 * far + 10**14 * turned,)


rows, terminal_probabilities = enumeration(play)
