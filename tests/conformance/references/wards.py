"""Wards.

Two players with 3 lives and an amulet each, three turns each in turn: strike the rival with 1 or 2 (not while
jammed), shield (until one's next turn begins every harm is 1 less), or jam the rival (until the end of the rival's
turn). A harm of 2 to a seat with an amulet throws the amulet away instead. Who has no life left loses at once.
Outcome: returns by lives.
"""

from __future__ import annotations

from .tree import Ask, Outcome, best, enumeration, shares


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the returns."""
    life, amulet = [3, 3], [True, True]
    shielded, jammed = [False, False], [False, False]
    for turn in range(6):
        seat, rival = turn % 2, 1 - turn % 2
        shielded[seat] = False
        action = ask.decide(["shield", "jam"] if jammed[seat] else ["strike 1", "strike 2", "shield", "jam"])
        if action == "shield":
            shielded[seat] = True
        elif action == "jam":
            jammed[rival] = True
        elif action == "strike 2" and amulet[rival]:
            amulet[rival] = False
        else:
            harm = int(action[-1]) - shielded[rival]
            life[rival] = max(0, life[rival] - harm)
            if life[rival] == 0:
                return shares({seat}, 2)
        jammed[seat] = False
    return shares(best(life), 2)


rows, terminal_probabilities = enumeration(play)
