"""Abilities.

Two players with 1 coin and a crate each take in turn one machine of mill, press, bank. Then in turn, `rounds` times
each, two actions: run a machine of one's own not yet run in this turn, or beg (1 coin). Mill: 2 coins. Press: a
coin, if there is one, becomes 3 points. Crate and bank: 1 coin. The owner of the bank may also, as an action, turn
n coins, from 1 to all, into 2n points. Outcome: points.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration


def play(ask: Ask, players: int, rounds: int = 2) -> Outcome:
    """One game; the outcome is the scores."""
    display = ["mill", "press", "bank"]
    owned = []
    for _ in range(2):
        machine = ask.decide(display)
        display.remove(machine)
        owned.append(["crate", machine])
    coins, points = [1, 1], [0, 0]
    for turn in range(2 * rounds):
        seat = turn % 2
        fresh = list(owned[seat])
        for _ in range(2):
            most = coins[seat] if "bank" in owned[seat] else 0
            action = ask.decide([*fresh, "beg", *range(1, most + 1)])
            if isinstance(action, int):
                coins[seat] -= action
                points[seat] += 2 * action
                continue
            if action in fresh:
                fresh.remove(action)
            if action == "press":
                points[seat] += 3 if coins[seat] else 0
                coins[seat] -= 1 if coins[seat] else 0
            else:
                coins[seat] += 2 if action == "mill" else 1
    return tuple(points)


rows, terminal_probabilities = enumeration(play)
