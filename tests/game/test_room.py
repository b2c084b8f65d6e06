"""No zone ever holds more than its capacity: not when a game starts, and not in a save."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rulelang
from rulelang.runtime import serial

GAME = """\
rulelang: 2
name: stall
players: 2
options: {many: {values: [4, 5], default: 4}}
kinds: {Card: {start: market}}
pieces:
  Card:
    - {id: apple, count: many}
    - {id: pear, count: 2, start: store}
zones:
  market: {holds: Card, capacity: 4}
  store: {holds: Card}
rules: |
  play:
    for p in players:
      turn of p:
        let card = choose one of store else stop
        move card to market
  score all: count(market) + you.seat
"""


def stall(folder: Path) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    return rulelang.load(folder)


def test_a_game_that_starts_with_a_zone_too_full_is_refused(tmp_path: Path) -> None:
    """Four apples fit into the market, five do not; the error leads to the zone."""
    ruleset = stall(tmp_path)
    ruleset.new_game(players=2, options={"many": 4})
    with pytest.raises(rulelang.RuleError, match=r"`market` starts with 5 pieces and holds 4 .*ruleset.yaml:11:3"):
        ruleset.new_game(players=2, options={"many": 5})


def test_a_save_with_a_zone_too_full_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where its hash and digest were made to fit, and where as many started there."""
    ruleset = stall(tmp_path)
    document = json.loads(ruleset.new_game(players=2).to_json())
    market, store = document["zones"]
    assert (len(market), len(store)) == (4, 2)
    monkeypatch.setattr(serial, "state_hash", lambda state: "forged")
    monkeypatch.setattr(serial, "_sum", lambda pieces: list(pieces) and "forged")
    document |= {"hash": "forged", "digest": "forged"}
    ruleset.state_from_json(json.dumps(document))
    document["zones"] = [sorted([*market, store[0]]), store[1:]]
    with pytest.raises(rulelang.SaveError, match="market holds more than 4 pieces"):
        ruleset.state_from_json(json.dumps(document))
