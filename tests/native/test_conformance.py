"""Random games in native code have the outcomes of the conformance suite's references, as often as they say."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

import rulelang
from rulelang.runtime.outcome import Outcome
from tests.conformance.cases import BY_RETURNS, RULESETS, WHOLE, Case, reference
from tests.soak import times

from .compared import never_interpreted
from .sanitized import generators

pytestmark = pytest.mark.usefixtures("compiler")
GAMES, DEVIATIONS = times(800), 5
LONG = "bazaar"
"""Its reference takes as long as all others together."""
SOAKED = {LONG, "abilities", "auction", "endings", "kuhn", "machine", "peek", "prices", "push", "teams", "variants"}
"""What these do by chance others do too."""
FIRST = [case for n, case in enumerate(WHOLE) if case.name not in {*SOAKED, *(other.name for other in WHOLE[:n])}]


def name_of(case: Case) -> str:
    return "-".join([case.name, str(case.players), *map(str, case.options.values())])


def key(case: Case, found: Outcome) -> str:
    """The reference's key of an outcome."""
    values = found.returns if case.name in BY_RETURNS else found.game.scores[: case.players]
    return ",".join(str(Fraction(value).limit_denominator(1000)) for value in values)


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name_of(case), marks=() if case in FIRST else pytest.mark.soak) for case in WHOLE],
)
def test_outcomes_are_as_likely_as_they_should_be(case: Case) -> None:
    """Nothing comes of a game that the reference does not know, and no outcome more or less often than by luck."""
    executor = rulelang.load(RULESETS / case.name).executor(case.players, case.options, "native")
    found: Counter[str] = Counter()
    never_interpreted(executor)
    for one in executor.playouts(executor.new_state(logging=False), generators(GAMES)):
        found[key(case, one)] += 1
    wanted = reference(case.name).terminal_probabilities(case.players, **case.options)
    assert set(found) <= {outcome for outcome, probability in wanted.items() if probability}
    for outcome, probability in wanted.items():
        spread = (GAMES * probability * (1 - probability)) ** 0.5
        assert abs(found[outcome] - GAMES * probability) <= DEVIATIONS * spread + 1, outcome
