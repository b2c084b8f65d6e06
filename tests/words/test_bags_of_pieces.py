"""A bag that a piece carries is logged good by good, as a bag of a player is."""

from __future__ import annotations

from pathlib import Path

import rulelang

YAML = """\
rulelang: 2
name: carts
players: 1
types: {Part: {values: [nut, oil, circuit]}}
kinds: {Cart: {start: road, variables: {load: {type: bag of Part}}}}
pieces: {Cart: [{id: cart}]}
zones: {road: {holds: Cart}}
rules: |
  play:
    turn of seat(0):
      cart.load += 1 nut + 1 oil + 2 circuit
      if some n = choose a number from 1 to 2: cart.load -= (n) circuit
  score all: sum(count(c.load) for c in road)
"""


def test_each_good_of_a_piece_is_told(tmp_path: Path) -> None:
    """In events and in the story; what is saved is loaded with the same log."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    state = ruleset.new_game(1, seed=1)
    events = [(e["resource"], e["old"], e["new"]) for e in state.events() if e["type"] == "pset"]
    assert events == [("nut", 0, 1), ("oil", 0, 1), ("circuit", 0, 2)]
    told = ["+1 nut", "+1 oil", "+2 circuits"]
    assert [e["text"] for e in state.events() if e["type"] == "pset"] == [f"The load of the cart: {t}." for t in told]
    (bag,) = (e for e in state.story() if e["type"] == "bag")
    assert bag["text"] == "The load of the cart: +1 nut, +1 oil, +2 circuits."
    assert bag["changes"] == [
        {"resource": "nut", "old": 0, "new": 1},
        {"resource": "oil", "old": 0, "new": 1},
        {"resource": "circuit", "old": 0, "new": 2},
    ]
    assert (bag["variable"], bag["piece"], bag["index"]) == ("load", "cart", state.events()[0]["index"] + 1)
    again = ruleset.state_from_json(state.to_json())
    assert again.events() == state.events()
    assert [e["resource"] for e in again.events(0) if e["type"] == "pset"] == ["nut", "oil", "circuit"]
