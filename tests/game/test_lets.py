"""What an item of a menu names with `let` is worked out once, before any rule that its guard tries.

The counts are those of a few lines of Python that know the game alone: each turn of two players, with two coins, is
to double the coins (where one of them can be spent), to buy a card whose price fits, or to leave.
"""

from __future__ import annotations

from pathlib import Path

from rulelang import load
from rulelang.perft import perft

GAME = """\
rulelang: 2
name: lets
players: 2
kinds: {Card: {attributes: {value: 1..3}, start: row}}
pieces: {Card: [{id: a, value: 1}, {id: b, value: 2}, {id: c, value: 3}]}
zones: {row: {holds: Card}, chest: {holds: Card, per: player}}
variables: {coins: {type: 0..9, per: player, start: 2}}
rules: |
  play:
    repeat 2 times:
      for p in players:
        turn of p:
          choose:
            borrow(let before = coins) when possible(spend() then coins = before - 1): coins += before
            buy(card in row, let price = card.value + count(chest) - 1, let rest = coins - price)
                when price * price <= 2 * price + 1 and rest >= 0 and not any(c.value > price for c in chest):
              coins := rest
              move card to chest
            leave: pass

  rule spend: coins -= choose a number from 0 to min(1, coins)
  score coins: coins + 2 * count(chest)
"""


def test_lets_in_guards(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    rows = perft(load(tmp_path), 4, backend="interpreter")
    assert [row.histories for row in rows] == [1, 5, 22, 67, 198]
