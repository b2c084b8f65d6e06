"""Departures.

In turn each kills a unit, whoever's. Then react, of the acting seat first: the heir, if it is the one, with 3 gold,
each mourner in play or killed with twice the gold of its owner and 1; a seat orders its own. At last a killed ghost may
pay its owner 1 and come to the other player's field.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration

UNITS = ("heir", "mourner", "ghost")
Unit = tuple[str, int]
"""Its row, and whose it was at first."""


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the gold of each."""
    fields: list[list[Unit]] = [[(name, seat) for name in UNITS] for seat in range(players)]
    gold = [0] * players
    for turn in range(4):
        acting = turn % 2
        here = [(unit, holder) for holder in range(players) for unit in fields[holder]]
        order = sorted(range(len(here)), key=lambda k: UNITS.index(here[k][0][0]))
        killed, owner = here[ask.decide(order)]
        fields[owner].remove(killed)
        for seat in (acting, 1 - acting):
            react = [unit for unit in fields[seat] if unit[0] == "mourner"]
            if owner == seat and killed[0] in ("heir", "mourner"):
                react.append(killed)
            while react:
                name, _ = unit = ask.question(sorted(react))
                react.remove(unit)
                gold[seat] = gold[seat] + 3 if name == "heir" else 2 * gold[seat] + 1
        if killed[0] == "ghost" and ask.decide(("react", "pass")) == "react":
            gold[owner] += 1
            fields[1 - owner].append(killed)
    return tuple(gold)


rows, terminal_probabilities = enumeration(play)
