"""Asked anyway.

The deck has two cards of ice and two traps, of which each player draws one. Then each player is asked, by a choice
whose form the option names, for what there is only with ice: one node, whose lone answer is to pass where there is
nothing. What is chosen is worth a point; of numbers as many, of groupings as many as there are groups, and a pass is
worth two points in the form `condition`. Outcome: points.
"""

from __future__ import annotations

from .tree import Ask, Outcome, enumeration

OPTIONAL = {"up_to", "any_number", "several_at_once"}
"""Forms that let one choose nothing where there is something."""
WORTH = {"a_number": {"one": 1, "two": 2}, "grouping": {"together": 1, "apart": 2}, "a_bag": {"nut": 1, "oil": 1}}
"""Form -> each answer with its points, where it is not one card that is laid."""


def play(ask: Ask, players: int, form: str) -> Outcome:
    """One game; the outcome is the scores."""
    deck, has_ice = {"ice": 2, "trap": 2}, []
    for _ in range(players):
        card = ask.chance(deck)
        deck[card] -= 1
        has_ice.append(card == "ice")
    points = []
    for ice in has_ice:
        answers = WORTH.get(form, {"ice": 0 if form == "condition" else 1})
        passes = {"pass": 2 if form == "condition" else 0}
        offered = (passes if not ice or form in OPTIONAL else {}) | (answers if ice else {})
        points.append(offered[ask.decide(offered)])
    return tuple(points)


rows, terminal_probabilities = enumeration(play)
