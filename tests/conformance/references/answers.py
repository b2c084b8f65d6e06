"""Answers.

Two or three players with 3 gold, a ring and a hidden card each: of two stones, a dodge, a bribe and an alarm. Each in
turn robs the next one of 2 gold, twice in all. If the victim has less the thief takes it all or nothing. A victim with
a card is asked for a dodge (nothing is taken; the card then lies in front, of use once more, and gives 1 gold after the
first robbery by its owner) or, of 2, a bribe (1 is taken). Before gold is taken all but the thief who still have a
card, from the thief's left, are asked for an alarm: the victim gains 1. After it, the victim may use the ring, once in
the game: 1 gold. Outcome: gold.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the gold."""
    deck = {"stone": 2, "dodge": 1, "bribe": 1, "alarm": 1}
    hands: list[str] = []
    for _ in range(players):
        card = ask.chance(deck)
        deck[card] -= 1
        hands.append(card)
    gold, rings = [3] * players, [True] * players
    nobody, unused = -1, True
    front = nobody
    for turn in range(2 * players):
        thief = turn % players
        victim = (thief + 1) % players
        loot = 2
        if gold[victim] < loot:
            if ask.decide(["spare", "take"]) == "spare":
                continue
            loot = gold[victim]
        if hands[victim] or front == victim:
            own = ["dodge"] if hands[victim] == "dodge" or front == victim else []
            answer = ask.decide([*own, *(["bribe"] if hands[victim] == "bribe" and loot > 1 else []), "pass"])
            if answer == "dodge":
                front = nobody if front == victim else victim
                hands[victim] = ""
                continue
            if answer == "bribe":
                hands[victim] = ""
                loot = 1
        for step in range(1, players):
            other = (thief + step) % players
            if hands[other] and ask.decide([*(["alarm"] if hands[other] == "alarm" else []), "pass"]) == "alarm":
                hands[other] = ""
                gold[victim] += 1
        gold[victim] -= loot
        gold[thief] += loot
        if front == thief and unused:
            unused = False
            gold[thief] += 1
        if rings[victim] and ask.decide(["ring", "pass"]) == "ring":
            rings[victim] = False
            gold[victim] += 1
    return tuple(gold)


rows, terminal_probabilities = enumeration(play)
