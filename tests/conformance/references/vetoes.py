"""Vetoes.

Two or three players with two of three taxes and three vetoes. In turn each lays a tax or waits; of a tax the next
player loses 1 gold. When a card is used, the others who hold cards are asked, from whose turn it is, for a veto; the
first one ends the asking. A veto is used in the same way, a veto of a veto is not answered; if it is not vetoed the
card that it answers has no effect, else all are asked again. Outcome: gold of 3.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the gold."""
    deck = {"tax": 3, "veto": 3}
    hands: list[list[str]] = [[] for _ in range(players)]
    for hand in hands:
        for _ in range(2):
            card = ask.chance(deck)
            deck[card] -= 1
            hand.append(card)
    gold = [3] * players

    def stands(user: int, turn: int, answers: int) -> bool:
        """Whether a card that is used is not vetoed in the end; it may be answered so many answers deep."""
        for seat in ((turn + step) % players for step in range(players)):
            if not answers or seat == user or not hands[seat]:
                continue
            if ask.decide([*(["veto"] if "veto" in hands[seat] else []), "pass"]) == "veto":
                hands[seat].remove("veto")
                # A veto that is vetoed lets the card go on: all are asked again.
                return not stands(seat, turn, answers - 1) and stands(user, turn, answers)
        return True

    for turn in range(players):
        if ask.decide([*(["lay"] if "tax" in hands[turn] else []), "wait"]) == "lay":
            hands[turn].remove("tax")
            if stands(turn, turn, 2):
                gold[(turn + 1) % players] -= 1
    return tuple(gold)


rows, terminal_probabilities = enumeration(play)
