"""Small rulesets for the tests of the public API, written into a folder."""

from __future__ import annotations

from pathlib import Path

import rulelang

SHOP_YAML = """\
rulelang: 2
name: shop
title: {en: Shop}
players: [1, 2, 3]
languages: [en, fr]
automata: {miser: {players: [1]}}
sources: {rules-en: the leaflet}
limits: {decisions: 40, outcome: scores, fuel: 5000}
options:
  price: {values: [2, 3], default: 2}
  lavish: {type: bool, default: false}
  mood: {values: [calm, wild], default: calm}
words:
  fr: {buy: acheter, rest: se reposer, gem: joyau}
kinds:
  Ware: {attributes: {worth: 1..9}, start: stall}
pieces:
  Ware:
    - {id: gem, worth: 5, count: 2}
    - {id: rag, worth: 1, count: 3}
zones:
  stall: {holds: Ware, visible: all}
  bag: {holds: Ware, per: player, visible: all}
variables:
  coins: {type: 0..9, per: player, start: "4 if lavish else 2"}
"""

SHOP_RULE = """\
rulelang 2

play:
  repeat 2 times:
    for p in players:
      turn of p: act()

[rules-en:4]
rule act:
  choose:
    buy(w in stall) when coins >= price:
      coins -= price
      move w to bag
    earn: coins += 1
    risk when mood = wild:
      coins := roll 0 to 3
    quit: eliminate you
    cheat: coins := coins * 9
    claim: end the game won by you
    truce: end the game drawn
    rest: pass

[rules-en:9]
score wares: sum(bag.worth)
score change: coins
tie: fewest count(bag), then shared
"""


def load_shop(folder: Path, rule: str = SHOP_RULE, yaml: str = SHOP_YAML) -> rulelang.Ruleset:
    """The shop, from files in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ruleset.yaml").write_text(yaml, encoding="utf-8")
    (folder / "shop.rule").write_text(rule, encoding="utf-8")
    return rulelang.load(folder)
