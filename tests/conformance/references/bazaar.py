"""Bazaar.

Each player has 2 nut and 1 energy. A turn: trade, get 1 oil, trade again. A trade asks, again and again, for one
exchange that can be paid, with what is paid and gained, or `done`; when none can be paid it ends without a
question. Exchanges: 1 energy for 1 nut, oil or circuit; 2 nut or 2 oil or 2 circuit for 1 energy; once per turn 1
nut or 1 oil for 1 circuit; once per turn 1 nut and 1 oil for 1 energy. Outcome: 3 for a circuit, 2 for an energy, 1
for another part.
"""

from __future__ import annotations

from .bags import Bag, bag, minus, plus
from .tree import Ask, Outcome, enumeration

BASE = ("nut", "oil", "circuit")
EXCHANGES = {
    "split": [(bag("energy"), bag(part)) for part in BASE],
    "pair": [(bag(part, part), bag("energy")) for part in BASE],
    "swap": [(bag(part), bag("circuit")) for part in ("nut", "oil")],
    "burn": [(bag("nut", "oil"), bag("energy"))],
}
LIMITED = ("swap", "burn")
VALUE = {"circuit": 3, "energy": 2, "nut": 1, "oil": 1}


def payable(shed: Bag, paid: Bag) -> bool:
    """Whether the shed holds what is to be paid."""
    return all(shed.count(part) >= paid.count(part) for part in paid)


def play(ask: Ask, players: int) -> Outcome:
    """One game; the outcome is the scores."""
    scores = []
    for _ in range(players):
        shed, used = bag("nut", "nut", "energy"), set[str]()
        for trade in (0, 1):
            if trade:
                shed = plus(shed, ["oil"])
            while True:
                options = [
                    (name, paid, gained)
                    for name, ways in EXCHANGES.items()
                    for paid, gained in ways
                    if name not in used and payable(shed, paid)
                ]
                name, paid, gained = ask.decide([*options, ("done", (), ())]) if options else ("done", (), ())
                if name == "done":
                    break
                shed = plus(minus(shed, paid), gained)
                if name in LIMITED:
                    used.add(name)
        scores.append(sum(VALUE[part] for part in shed))
    return tuple(scores)


rows, terminal_probabilities = enumeration(play)
