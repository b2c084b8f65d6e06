"""Against the machine.

Cards 1 to 5. Twice: the row is filled up to two cards from the deck, each of one or two players in turn takes one
of it, then, if there is one player, the machine takes the highest card left, without a question. Outcome: one's sum
less that of the other party.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the payoff."""
    deck, row = [1, 2, 3, 4, 5], list[int]()
    sums = [0, 0]
    for _ in range(2):
        while len(row) < 2:
            row.append(ask.chance(dict.fromkeys(deck, 1)))
            deck.remove(row[-1])
        for seat in range(players):
            card = ask.decide(row)
            row.remove(card)
            sums[seat] += card
        if players == 1:
            sums[1] += max(row)
            row.remove(max(row))
    return (sums[0] - sums[1], sums[1] - sums[0])[:players]


rows, terminal_probabilities = enumeration(play)
