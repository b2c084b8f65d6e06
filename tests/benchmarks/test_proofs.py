"""The proofs at length count what they try, and what differs."""

from __future__ import annotations

import pytest

from benchmarks import proofs
from rulelang.game import State

KUHN = "tests/conformance/rulesets/kuhn"


def test_deals_and_exchanges_are_counted():
    """Five games, three phases, two seats, fifty worlds each; exchanges in twenties."""
    assert proofs.deals(KUHN, 250) == (1500, 0)
    assert proofs.exchanges(KUHN, 20) == (20, 0)


@pytest.mark.parametrize("what", ["deals", "exchanges"])
def test_what_differs_is_wrong(monkeypatch, what):
    """What a seat knows, or a search finds, is another thing each time: everything but the first is wrong."""
    numbers = iter(range(10**6))
    monkeypatch.setattr(proofs, "search_result", lambda *_: next(numbers))
    monkeypatch.setattr(State, "information_state", lambda *_: next(numbers))
    count, wrong = getattr(proofs, what)(KUHN, 250 if what == "deals" else 20)
    assert wrong == (count // proofs.COMPARED if what == "deals" else count)
