"""What a zone shows of its pieces besides what stands on them: a price that depends on the place and on who reads."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.game import Ruleset
from rulelang.runtime.sight import SPECTATOR
from tests.play import games

MARKET = """\
rulelang: 2
name: market
players: 2
types: {Spot: {attributes: {base: 0..9}, values: {near: {base: 1}, far: {base: 4}}}}
kinds: {Ware: {attributes: {worth: 1..9}, start: deck}}
pieces: {Ware: [{id: pot, worth: 2}, {id: jar, worth: 3}, {id: lid, worth: 5}]}
zones:
  deck: {holds: Ware, order: pile, visible: nobody}
  stall: {holds: Ware, per: Spot, capacity: 1, shown: [price]}
  cellar: {holds: Ware, per: player, visible: owner, shown: [guess]}
variables:
  rebate: {type: 0..9, per: player}
  secret: {type: 0..9, per: player, visible: owner, start: 7}
rules: |
  setup:
    move top 1 of deck to stall[near]
    move top 1 of deck to stall[far]
    for p in players where p.seat = 0:
      p.rebate := 1
      move top 1 of deck to p.cellar
  play:
    for p in players:
      turn of p: act()
  rule act:
    choose:
      buy(spot in Spot where stall[it] is not empty): move stall[spot] to cellar
      pass_by: pass
  quantity price(w: Ware, spot: Spot, who: player) -> number = w.worth + spot.base - who.rebate
  function guess(w: Ware) -> number = w.worth + sum(p.secret for p in players)
"""


@pytest.fixture
def market(tmp_path: Path) -> Ruleset:
    return games.ruleset(tmp_path / "market", MARKET)


def test_a_price_is_told_to_who_reads(market: Ruleset) -> None:
    """By the rule: worth + base - rebate, of the piece that lies there; what reads what is hidden is not told."""
    state = market.new_game(2, 1)
    worth = {"pot": 2, "jar": 3, "lid": 5}
    (near,), (far,) = (state.observation(0)["zones"][f"stall[{spot}]"]["pieces"] for spot in ("near", "far"))
    for seat, rebate in ((0, 1), (1, 0)):
        told = {zone: pieces for zone, pieces in state.shown(seat).items() if zone.startswith("stall")}
        assert told == {
            "stall[near]": {near: {"price": worth[near] + 1 - rebate}},
            "stall[far]": {far: {"price": worth[far] + 4 - rebate}},
        }
    assert not any(zone.startswith("cellar") for seat in (0, 1) for zone in state.shown(seat))
    assert state.shown(SPECTATOR) == {}, "who only looks on has no price"


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("shown: [price]", "shown: [prise]", "name-unknown", "did you mean `price`?"),
        (
            "shown: [price]",
            "shown: [act]",
            "type-mismatch",
            "`act` is no function that gives a number for a piece in `stall`",
        ),
        (
            "shown: [guess]",
            "shown: [price]",
            "type-mismatch",
            "its parameters may be of type `Ware`, `player`",
        ),
    ],
)
def test_what_can_not_be_shown(tmp_path: Path, old: str, new: str, code: str, words: str) -> None:
    """A function is needed that gives a number for the piece, its place and the reader."""
    with pytest.raises(rulelang.RulesetError) as raised:
        games.ruleset(tmp_path / "market", MARKET.replace(old, new))
    (found,) = [found for found in raised.value.diagnostics if found.code == code]
    assert words in f"{found.message} {found.hint}"


def test_what_is_shown_is_used(market: Ruleset) -> None:
    """A function that only a zone shows is none that nobody calls."""
    from rulelang.diagnostics import Diagnostics
    from rulelang.semantics.check import analyse, lint

    found = Diagnostics()
    analysed = analyse(market.written, found)
    assert analysed is not None
    lint(analysed, found)
    assert "rule-unused" not in {diagnostic.code for diagnostic in found}
