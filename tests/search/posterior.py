"""The exact distribution of what a seat does not know, by playing all games that might have been."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import exp, lgamma, log
from typing import Any

from rulelang.game import Ruleset, State

Choices = list[tuple[int, str]]


def middle(ruleset: Ruleset, players: int, seed: int, steps: int) -> tuple[State, Choices]:
    """A state after so many random choices (or before the last one of the game), and these."""
    draw, choices = random.Random(seed), []
    state = before = ruleset.new_game(players, seed=seed)
    for _ in range(steps):
        before = state.clone()
        seat = state.current_players()[0]
        action = draw.choice(state.legal_actions(seat))
        choices.append((seat, action.id))
        state.apply(action, seat)
        if state.is_terminal():
            choices.pop()
            return before, choices
    return state, choices


def posterior(state: State, choices: Choices, seat: int) -> dict[str, Fraction]:
    """Hash of a state -> how likely it is for all that the seat knows.

    Chance as it is; of a choice that the seat did not see all that it can't tell from the one that was made are equally
    likely; of a choice that it saw nothing follows but that it was possible.
    """
    known: dict[str, Any] = state.information_state(seat)
    found: dict[str, Fraction] = {}

    def as_seen(other: State) -> bool:
        events = other.information_state(seat)["events"]
        return bool(events == known["events"][: len(events)])

    def follow(other: State, number: int, weight: Fraction) -> None:
        if other.is_chance_node():
            for outcome, chance in other.chance_outcomes():
                after = other.clone()
                after.apply(outcome)
                if as_seen(after):
                    follow(after, number, weight * chance)
            return
        if number == len(choices):
            if other.information_state(seat) == known:
                found[other.hash()] = found.get(other.hash(), Fraction(0)) + weight
            return
        who, id_ = choices[number]
        if who not in other.current_players():
            return
        alike = []
        for action in other.legal_actions(who):
            if who != seat or action.id == id_:
                after = other.clone()
                after.apply(action, who)
                alike += [after] if as_seen(after) else []
        for after in alike:
            follow(after, number + 1, weight / len(alike))

    follow(state.ruleset.new_game(state.players, chance="explicit"), 0, Fraction(1))
    total = sum(found.values())
    return {hash_: weight / total for hash_, weight in found.items()}


def fit(drawn: Iterable[str], exact: dict[str, Fraction]) -> float:
    """The p of Pearson's chi-squared test that the hashes were drawn from a distribution; 0 if one can't be."""
    seen = Counter(drawn)
    if seen.keys() - exact.keys():
        return 0.0
    total = sum(seen.values())
    squares = sum((seen[hash_] - total * float(p)) ** 2 / (total * float(p)) for hash_, p in exact.items())
    return _upper_gamma((len(exact) - 1) / 2, squares / 2) if len(exact) > 1 else 1.0


def _upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function, by its series."""
    if x <= 0:
        return 1.0
    term = total = 1 / a
    for n in range(1, 500):
        term *= x / (a + n)
        total += term
    return max(1 - total * exp(a * log(x) - x - lgamma(a)), 1e-300)
