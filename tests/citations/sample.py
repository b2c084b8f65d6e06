"""A small game of another's design: a leaflet of ten lines, its index, and rules that cite it.

Enters: parts to put in place of others. Leaves: the ruleset's files in a folder.
"""

from __future__ import annotations

from pathlib import Path

YAML = """\
rulelang: 2
name: leaves
players: 2
languages: [en]
sources: {leaflet: the leaflet}
rulebook:
  leaflet:
    - {lines: 1-2, title: {en: The story}, is: flavour}
    - {lines: 3, title: {en: Coins}, is: rule}
    - {lines: 4-6, title: {en: A turn}, is: rule}
    - {lines: 8, title: Ada earns a coin, is: example}
    - {lines: 9-10, title: {en: The points}, is: rule}
kinds:
  Leaf: {active: [table], start: heap, cites: [leaflet:9]}
pieces:
  Leaf:
    - {id: oak}
    - id: fern
      cites: [leaflet:10]
      rules: |
        after earn(owner): owner.coins += 1
        modify wage: plus 1
        scores: 1
        exchange pressed in market: 1 nut -> 1 oil
        offer in act:
          [leaflet:5]
          water: coins += 1
types: {Part: {values: [nut, oil]}}
zones:
  heap: {holds: Leaf, visible: all}
  table: {holds: Leaf, per: player, visible: all}
variables:
  coins: {type: 0..99, per: player, cites: [leaflet:3]}
  shed: {type: bag of Part, per: player, start: 1 nut}
"""

RULE = """\
rulelang 2

[leaflet:3]
setup:
  for p in players: p.coins := 1

[leaflet:4-6]
play:
  for p in players:
    turn of p:
      move (heap where it is fern) to table
      choose act:
        work: earn(you)
        [leaflet:6]
        take(leaf in heap): move leaf to table
        pass: pass
      trade market(you)

[leaflet:4]
event earn(who: player): who.coins += wage()
[leaflet:4]
quantity wage -> number = 1

[leaflet:5]
exchanges market(s: player) from s.shed:
  exchange swap: 1 nut -> 1 oil

[leaflet:9-10]
score coins: coins
"""

SCENARIO = """\
rulelang: 2
scenarios:
  - name: Ada earns a coin
    cites: [leaflet:8]
    given: {do: "turn of seat(0): earn(you)"}
    then: ["seat(0).coins = 2"]
"""


def write(folder: Path, *swaps: tuple[str, str]) -> Path:
    """The files, with each first text of `swaps`, which stands once in one of them, replaced by the second."""
    files = {"ruleset.yaml": YAML, "leaves.rule": RULE, "scenarios/leaves.yaml": SCENARIO}
    for old, new in swaps:
        assert [text.count(old) for text in files.values()].count(1) == 1, old
        files = {name: text.replace(old, new) for name, text in files.items()}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
