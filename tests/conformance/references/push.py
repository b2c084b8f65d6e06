"""Push.

On a board of four by four stand the robots of two players, on b2 (seat 0) and c3 (seat 1), and a crate on c2. A
turn moves one's robot one step in one of four directions, never off the board by itself. What stands there is
pushed one step on, and so is what stands behind it; what is pushed over the edge falls. A player whose robot falls
loses at once. After six decisions the game is drawn. Squares are (column, row) from the top left, from 0.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration, shares

STEPS = {"north": (0, -1), "east": (1, 0), "south": (0, 1), "west": (-1, 0)}


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the returns."""
    places = {"robot0": (1, 1), "robot1": (2, 2), "crate": (2, 1)}
    for turn in range(6):
        seat = turn % 2
        column, row = places[f"robot{seat}"]
        ways = [way for way, (right, down) in STEPS.items() if 0 <= column + right < 4 and 0 <= row + down < 4]
        right, down = STEPS[ask.decide(ways)]
        chain = []
        square: tuple[int, int] = (column, row)
        while square in places.values():
            chain.append(next(thing for thing, place in places.items() if place == square))
            square = (square[0] + right, square[1] + down)
        for thing in chain:
            places[thing] = (places[thing][0] + right, places[thing][1] + down)
        last = places[chain[-1]]
        if not (0 <= last[0] < 4 and 0 <= last[1] < 4):
            del places[chain[-1]]
            if chain[-1] != "crate":
                return shares({1 - int(chain[-1][-1])}, 2)
    return shares({0, 1}, 2)


rows, terminal_probabilities = enumeration(play)
