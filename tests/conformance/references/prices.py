"""Prices.

Seven cards (colour, base price, points) lie open; two players with 7 coins each, in turn, `rounds` times each, buy
a card at its price or pass. A price is the base, or 5 for red cards while anyone owns the decree, or 1 for the
owner of the amnesty, which counts before the decree; then minus 1 for the guild's owner and plus 1 for the rival of
the smuggler's owner; then at least 3 for the rival of the tariff's owner and at least 1 for all; then at most 2 for
the patron's owner. The rival of the embargo's owner may not buy blue cards. Outcome: points of one's cards and
coins left.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration

CARDS = {
    "guild": ("red", 3, 1),
    "tariff": ("blue", 2, 2),
    "patron": ("red", 4, 2),
    "decree": ("blue", 3, 3),
    "amnesty": ("red", 2, 1),
    "smuggler": ("blue", 1, 1),
    "embargo": ("red", 3, 2),
}


def price(card: str, mine: set[str], theirs: set[str]) -> int:
    """What the card costs one who owns the cards `mine` against a rival who owns `theirs`."""
    colour, cost, _ = CARDS[card]
    if "decree" in mine | theirs and colour == "red":
        cost = 5
    if "amnesty" in mine:
        cost = 1
    cost += ("smuggler" in theirs) - ("guild" in mine)
    cost = max(cost, 1, 3 if "tariff" in theirs else 1)
    return min(cost, 2) if "patron" in mine else cost


def play(ask: Ask, players: int, rounds: int = 2) -> Outcome:
    """One game; the outcome is the scores."""
    coins, owned = [7, 7], (set[str](), set[str]())
    for turn in range(2 * rounds):
        seat = turn % 2
        mine, theirs = owned[seat], owned[1 - seat]
        options = ["pass"]
        for card in CARDS:
            barred = "embargo" in theirs and CARDS[card][0] == "blue"
            if card not in mine | theirs and not barred and price(card, mine, theirs) <= coins[seat]:
                options.append(card)
        bought = ask.decide(options)
        if bought != "pass":
            coins[seat] -= price(bought, mine, theirs)
            mine.add(bought)
    return tuple(coins[seat] + sum(CARDS[card][2] for card in owned[seat]) for seat in (0, 1))


rows, terminal_probabilities = enumeration(play)
