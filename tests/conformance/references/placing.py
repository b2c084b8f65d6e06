"""Placing.

In turn each says 0 to 2 points and rests or: with 2 takes an ace, with 0 leaves the game (while more than two are in),
as the second ends it for the first, with 1 as the second ends it drawn, or boasts if in the first place. More points
come first, then fewer aces, then those who left, by the same; of a declared win the winner's team is first and all
others are second; drawn all are first. A team has the place of its best member. Places pay 6, 3, 1, 0; those that tie
share what theirs pay.
"""

from __future__ import annotations

from fractions import Fraction

from .tree import Ask, Outcome, enumeration

PAYS = (6, 3, 1, 0)


Worth = tuple[bool, int, int]


def placed(worth: list[Worth]) -> list[Worth]:
    """What each is placed by: of four the better one of the two of a team."""
    return [max(worth[seat], worth[(seat + 2) % 4]) for seat in range(4)] if len(worth) == 4 else worth


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is what each seat gets."""
    points, aces, gone = [0] * players, [0] * players, [False] * players
    won = drawn = False
    for seat in range(players):
        points[seat] = ask.decide((0, 1, 2))
        options = ["rest"]
        if points[seat] == 2:
            options.append("ace")
        if points[seat] == 0 and gone.count(False) > 2:
            options.append("leave")
        if seat == 1 and points[seat] < 2:
            options.append("claim" if points[seat] == 0 else "draw")
        stand = placed([(not gone[p], points[p], -aces[p]) for p in range(players)])
        if stand[seat] == max(stand):
            options.append("boast")
        chosen = ask.decide(options)
        aces[seat] += chosen == "ace"
        gone[seat] = chosen == "leave"
        won, drawn = chosen == "claim", chosen == "draw"
        if won or drawn:
            break
    worth = [(not gone[seat], points[seat], -aces[seat]) for seat in range(players)]
    if won or drawn:
        worth = [(drawn or seat == 0, 0, 0) for seat in range(players)]
    worth = placed(worth)
    paid = []
    for own in worth:
        ahead, tied = sum(other > own for other in worth), worth.count(own)
        paid.append(Fraction(sum(PAYS[ahead : ahead + tied]), tied))
    return tuple(paid)


rows, terminal_probabilities = enumeration(play)
