"""Hands.

Of six cards (suit, rank, bonus or none) two are dealt to each player and one to the board, all open. Who has the better
best two of hand and board begins (pairs before others, then by rank; the first seat if they tie). Each has one turn:
drops a card, keeps all if there is a sequence of two ranks, or puts one on the board while the other is better.
Outcome: 1, 2 or 4 by the highest suit left, 10 unless the other is better, 5, 20 or 30 by the longest sequence.
"""

from __future__ import annotations

from itertools import combinations

from .tree import Ask, Outcome, enumeration

SUITS = ("coins", "cups", "swords")
CARDS = (("coins", 1, 2), ("coins", 3, None), ("cups", 1, None), ("cups", 2, 0), ("swords", 2, 1), ("swords", 4, None))
Card = tuple[str, int, int | None]


def best(cards: list[Card]) -> tuple[int, ...]:
    """The best pair of cards: 1 and the rank of two alike, else 0, the higher and the lower rank; of fewer cards ()."""
    found = [tuple(sorted((a[1], b[1]), reverse=True)) for a, b in combinations(cards, 2)]
    return max(((int(high == low), high, low) for high, low in found), default=())


def longest(cards: list[Card]) -> int:
    """The length of the longest sequence of ranks."""
    ranks = {card[1] for card in cards}
    return max((n for low in ranks for n in range(1, 5) if {*range(low, low + n)} <= ranks), default=0)


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    deck: list[Card] = list(CARDS)
    hands: list[list[Card]] = [[], []]
    board: list[Card] = []
    for to in (hands[0], hands[0], hands[1], hands[1], board):
        card = ask.chance(dict.fromkeys(deck, 1))
        deck.remove(card)
        to.append(card)
    first = int(best(hands[1] + board) > best(hands[0] + board))
    for seat in (first, 1 - first):
        mine, theirs = best(hands[seat] + board), best(hands[1 - seat] + board)
        hand = hands[seat]
        least = min((card[2] for card in hand if card[2] is not None), default=None)
        of_least = [card for card in hand if card[2] == least]
        highest = max(SUITS.index(card[0]) for card in of_least)
        options: list[Card | str] = [card for card in of_least if SUITS.index(card[0]) == highest]
        options += ["keep"] * (longest(hand + board) > 1) + ["put"] * (mine < theirs)
        chosen = ask.decide(options)
        if chosen == "put":
            card = min(hand, key=lambda card: (card[0] != "cups", card[1]))
            hand.remove(card)
            board.append(card)
        elif not isinstance(chosen, str):
            hand.remove(chosen)
    scores = []
    for seat in (0, 1):
        suit = max((SUITS.index(card[0]) for card in hands[seat]), default=0)
        wins = best(hands[1 - seat] + board) <= best(hands[seat] + board)
        run = longest(hands[seat] + board)
        scores.append((1, 2, 4)[suit] + 10 * wins + {0: 5, 1: 5, 2: 20}.get(run, 30))
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
