"""Reactions.

Two players with 2 coins each take in turn one of four cards, twice. Then twice each, in turn: work (two events,
each a gain of 1 coin) or rob (harm the rival by 2). After a gain: first what the gainer owns, the adder (1 coin
more) and the doubler (coins doubled), in an order the owner of both chooses; then, once in a turn, the rival's
toll: harm of 1 to the gainer. Before harm to a seat that owns the parry and has a coin, it is asked: pay 1 coin and
be warded against this harm, or not. Harm without a ward takes as many coins or all there are. Outcome: coins.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    display = ["adder", "doubler", "toll", "parry"]
    owner: dict[str, int] = {}
    for turn in range(4):
        card = ask.decide(display)
        display.remove(card)
        owner[card] = turn % 2
    coins = [2, 2]

    def harm(target: int, amount: int) -> None:
        warded = owner["parry"] == target and coins[target] >= 1 and ask.decide(["ward", "pass"]) == "ward"
        coins[target] -= 1 if warded else min(amount, coins[target])

    for turn in range(4):
        seat = turn % 2
        if ask.decide(["work", "rob"]) == "rob":
            harm(1 - seat, 2)
            continue
        tolled = False
        for _ in range(2):
            coins[seat] += 1
            reactions = [card for card in ("adder", "doubler") if owner[card] == seat]
            if len(reactions) == 2:
                first = ask.decide(reactions)
                reactions.sort(key=lambda card: card != first)
            for card in reactions:
                coins[seat] = coins[seat] + 1 if card == "adder" else coins[seat] * 2
            if owner["toll"] != seat and not tolled:
                tolled = True
                harm(seat, 1)
    return tuple(coins)


rows, terminal_probabilities = enumeration(play)
