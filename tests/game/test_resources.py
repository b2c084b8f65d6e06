"""Resources with attributes, and where the values of types and resources come from."""

from __future__ import annotations

from pathlib import Path

import rulelang

TEXT = """\
rulelang: 2
name: market
players: 1
languages: [en]
types:
  Stall: {attributes: {fee: 0..9}, values: {north: {fee: 1, provenance: community}, south: {fee: 0}}}
  Good:
    attributes: {worth: 1..9, turns_into: "Good?"}
    values:
      wool: {worth: 2, turns_into: cloth, provenance: card}
      cloth: {worth: 5}
    classes: {soft: [wool, cloth]}
variables:
  store: {type: bag of Good, start: 3 wool + 1 cloth}
  coins: {type: 0..99}
rules: |
  play:
    turn of seat(0):
      let stall = choose one of Stall
      choose:
        sell(good in Good, n from 1 to 2) when store[good] >= n:
          store -= (n) good
          coins += n * good.worth - stall.fee
        weave(good in soft) when good.turns_into is not none and good in store:
          store -= 1 good
          if some made = good.turns_into: store += 1 made
        wait: pass
  score coins: coins + sum(good.worth * store[good] for good in Good)
"""


def load(folder: Path, text: str = TEXT) -> rulelang.Ruleset:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def score(ruleset: rulelang.Ruleset, *ids: str) -> int:
    state = ruleset.new_game(1)
    for id_ in ids:
        state.apply(id_)
    return state.scores()[0]


def test_rules_read_what_a_resource_states(tmp_path: Path) -> None:
    """Three wool at 2 and a cloth at 5 are 11; a fee of 1 is lost, and a wool that is woven gains 3."""
    ruleset = load(tmp_path)
    assert score(ruleset, "play:stall=south", "sell:good=wool,n=2") == 11
    assert score(ruleset, "play:stall=north", "sell:good=cloth,n=1") == 10
    assert score(ruleset, "play:stall=south", "weave:good=wool") == 14
    state = ruleset.new_game(1)
    state.apply("play:stall=south")
    ids = [action.id for action in state.legal_actions()]
    assert ids == ["sell:good=wool,n=1", "sell:good=wool,n=2", "sell:good=cloth,n=1", "weave:good=wool", "wait"]


def test_a_variant_changes_one_value(tmp_path: Path) -> None:
    """Wool at 4: three of it and a cloth are 17, and 1 more with a wool woven; the rest of the row stays."""
    load(tmp_path / "market")
    text = "rulelang: 2\nextends: market\nname: dear\ntypes: {Good: {values: {wool: {worth: 4}}}}\n"
    ruleset = load(tmp_path / "market" / "variants" / "dear", text)
    assert score(ruleset, "play:stall=south", "weave:good=wool") == 18


def test_what_is_known_of_values_is_counted(tmp_path: Path) -> None:
    """`info` counts values that have attributes by their provenance."""
    assert load(tmp_path).info.value_provenance == {"card": 1, "community": 1, "stated": 2}
