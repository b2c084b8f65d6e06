"""Small clean games, and flaws that are planted in them: each a change of a text, named by what a report must say."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

MARKET = """\
rulelang: 2
name: market
players: 2..4
kinds:
  Card: {attributes: {cost: 1..60, value: 0..60}, start: deck}
pieces:
  Card:
    - {id: hut, cost: 2, value: 2, count: 3}
    - {id: inn, cost: 3, value: 3, count: 3}
    - {id: mill, cost: 4, value: 5, count: 3}
    - {id: barn, cost: 5, value: 6, count: 3}
    - {id: forge, cost: 6, value: 8, count: 3}
    - {id: hall, cost: 7, value: 9, count: 3}
zones:
  deck: {holds: Card, order: pile, visible: count}
  market: {holds: Card}
  owned: {holds: Card, per: player}
variables:
  coins: {type: 0..200, per: player, start: 2}
limits: {decisions: 1000}
rules: |
  setup:
    shuffle deck
    draw 4 from deck to market

  play:
    repeat 10 times:
      round:
        for p in players:
          turn of p: act()

  rule act:
    choose:
      work: coins += 2
      buy(card in market where it.cost <= coins):
        coins -= card.cost
        move card to owned
        draw 1 from deck to market

  score cards: sum(owned.value)
  tie: most coins, then shared
"""

RACE = """\
rulelang: 2
name: race
players: 2..4
variables:
  steps: {type: 0..400, per: player}
limits: {decisions: 1000}
rules: |
  play:
    repeat:
      round:
        for p in players:
          turn of p: go()
      if any(p.steps >= 24 for p in players): stop

  rule go:
    choose:
      walk: steps += 2
      run: steps += (roll 1 to 5) - 1
      hurry: steps += 4 * (roll 1 to 2) - 4

  score steps: steps
"""

BIDS = """\
rulelang: 2
name: bids
players: 2..3
kinds:
  Coin: {attributes: {worth: 0..9}, start: purse}
  Prize: {attributes: {points: 1..9}, start: deck}
pieces:
  Coin:
    - {id: lead, worth: 1, per: player}
    - {id: tin, worth: 2, per: player}
    - {id: copper, worth: 3, per: player}
    - {id: brass, worth: 4, per: player}
    - {id: silver, worth: 5, per: player}
  Prize:
    - {id: cup, points: 1}
    - {id: fan, points: 2}
    - {id: vase, points: 3}
    - {id: lamp, points: 4}
    - {id: crown, points: 5}
zones:
  purse: {holds: Coin, per: player, visible: owner}
  bid: {holds: Coin, per: player, visible: owner}
  spent: {holds: Coin}
  deck: {holds: Prize, order: pile, visible: count}
  lot: {holds: Prize}
  won: {holds: Prize, per: player}
  lost: {holds: Prize}
limits: {decisions: 1000}
rules: |
  setup:
    shuffle deck

  play:
    repeat 5 times:
      round:
        draw 1 from deck to lot
        let bids = together choose 1 of purse
        for p in players: move bids[p] to p.bid
        let best = max(sum(p.bid.worth) for p in players)
        let leaders = players where sum(it.bid.worth) = best
        if count(leaders) = 1:
          for p in leaders: move lot to p.won
        else: move lot to lost
        for p in players: move p.bid to spent

  score prizes: sum(won.points)
"""

WHIST = """\
rulelang: 2
name: whist
players: 3
types: {Suit: [moon, star, sun]}
kinds: {Card: {attributes: {suit: Suit, rank: 1..6}, start: deck}}
pieces: {Card: [{each: {suit: Suit, rank: 1..6}, id: "{suit}_{rank}"}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  table: {holds: Card, per: player}
  taken: {holds: Card, per: player, visible: count}
variables:
  leader: {type: player, start: seat(0)}
  led: {type: "Suit?"}
  tricks: {type: 0..9, per: player}
limits: {decisions: 200}
rules: |
  setup:
    shuffle deck
    for p in players: draw 5 from deck to p.hand
    leader := random one of players
  play:
    repeat 5 times:
      round:
        led := none
        for p in players_from(leader):
          turn of p: follow()
        for p in players with most strength(it):
          p.tricks += 1
          leader := p
        for p in players: move p.table to p.taken
  rule follow:
    if some card = choose one of hand where led is none or it.suit = led or not any(c.suit = led for c in hand):
      if led is none: led := card.suit
      move card to table
  function strength(p: player) -> number = sum(c.rank for c in p.table where c.suit = led)
  score tricks: tricks
"""

KITCHEN = """\
rulelang: 2
name: kitchen
players: 2..3
types: {Herb: {values: [sage, mint, dill]}}
kinds: {Dish: {attributes: {herb: Herb, dear: 0..1}, defaults: {dear: 1}, start: deck}}
pieces:
  Dish:
    - {id: soup, herb: sage, count: 20}
    - {id: stew, herb: mint, count: 20}
    - {id: salad, herb: dill, count: 20}
zones:
  deck: {holds: Dish, order: pile, visible: count}
  hand: {holds: Dish, per: player, visible: owner}
  table: {holds: Dish}
variables:
  season: {type: Herb}
  herbs: {type: bag of Herb, per: player}
  points: {type: 0..999, per: player}
limits: {decisions: 1000}
rules: |
  setup:
    shuffle deck
    for p in players: draw 2 from deck to p.hand
  play:
    repeat 12 times:
      round:
        season := random one of Herb
        for p in players:
          turn of p: act()
  rule act:
    draw 1 from deck to hand
    choose:
      grow(what in Herb): herbs += 1 what
      serve(dish in hand):
        move dish to table
        points += dish.dear
        if dish.herb = season: points += 5 * dish.dear
      sell(dish in hand):
        move dish to table
        points += 3
  score points: points
  score herbs: 3 * (herbs.sage + herbs.mint + herbs.dill)
"""

COIN = """\
rulelang: 2
name: coin
players: 2
variables:
  points: {type: 0..99, per: player}
limits: {decisions: 100}
rules: |
  play:
    repeat 16 times:
      round:
        for p in players:
          turn of p: act()
    let side = roll 0 to 1
    for p in players:
      if p.seat = side: p.points += 1
  rule act:
    choose:
      left: pass
      right: pass
      up: pass
  score points: points
"""
COUNT = COIN.replace("name: coin", "name: count").replace(
    "    let side = roll 0 to 1\n    for p in players:\n      if p.seat = side: p.points += 1\n", ""
)
for number, word in enumerate(("left", "right", "up"), 1):
    COUNT = COUNT.replace(f"{word}: pass", f"{word}: points += {number}")

STALL = """\
rulelang: 2
name: stall
players: 2..3
kinds:
  Card: {attributes: {cost: 0..20, value: 0..20}, start: shop}
pieces:
  Card:
    - {id: idol, cost: 6, value: 9}
    - {id: gem, cost: 4, value: 7}
    - {id: ring, cost: 2, value: 5}
zones:
  shop: {holds: Card}
  owned: {holds: Card, per: player}
variables:
  points: {type: 0..99, per: player, start: 30}
limits: {decisions: 100}
rules: |
  play:
    repeat 3 times:
      round:
        for p in players:
          turn of p: act()
  rule act:
    choose:
      work: points += roll 0 to 6
      buy(card in shop):
        points -= card.cost
        move card to owned
  score points: points + sum(owned.value)
"""
"""To buy takes a turn, in which work brings three points in the mean: a card is fair at its value less 3."""

TWINS = {
    "coin": COIN,
    "dummy": COIN.replace("name: coin", "name: dummy").replace("up: pass", "up:\n        let nothing = roll 1 to 6"),
    "count": COUNT,
}
"""A coin decides after choices that mean nothing; the same where one of them rolls a die that nobody looks at; a game
without luck, in which one choice is the best."""

TEXTS = {"market": MARKET, "race": RACE, "bids": BIDS, "whist": WHIST, "kitchen": KITCHEN}


class Flaw(NamedTuple):
    """What a report must say (`finding`, about `of`), how the game comes to have it, and what else it may say."""

    game: str
    finding: str
    of: str
    changes: Sequence[tuple[str, str]]
    also: Sequence[str] = ()


WORK = "work: coins += 2\n"
FLAWS = [
    Flaw(
        "market",
        "dead_card",
        "tower",
        [("    - {id: hut", "    - {id: tower, cost: 60, value: 9, count: 3}\n    - {id: hut")],
    ),
    Flaw("market", "dead_card", "inn", [("cost: 3, value: 3", "cost: 7, value: 0")]),
    Flaw(
        "market",
        "dominant_card",
        "hut",
        [("cost: 2, value: 2, count: 3", "cost: 2, value: 40, count: 1")],
        ["seat_bias"],
    ),
    Flaw(
        "market",
        "seat_bias",
        "",
        [("    shuffle deck\n", "    shuffle deck\n    for p in players:\n      if p.seat = 0: p.coins += 6\n")],
        ["runaway_leader"],
    ),
    Flaw(
        "race",
        "runaway_leader",
        "",
        [
            (
                "      if any",
                "      let best = max(p.steps for p in players)\n"
                "      for p in players where p.steps = best: p.steps += 2\n      if any",
            ),
            ("steps >= 24", "steps >= 40"),
        ],
        ["seat_bias"],
    ),
    Flaw("market", "useless_action", "polish", [(WORK, f"{WORK}      polish:\n        if coins > 0: coins -= 1\n")]),
    Flaw(
        "market",
        "deadlock",
        "",
        [
            ("repeat 10 times:", "repeat:"),
            ("turn of p: act()", "turn of p: act()\n      if market is empty: stop"),
            (WORK, "work: coins := min(coins + 2, 6)\n"),
        ],
    ),
    Flaw(
        "race",
        "seat_bias",
        "",
        [("  play:\n", "  setup:\n    for p in players:\n      if p.seat = 1: p.steps := 6\n\n  play:\n")],
    ),
    Flaw(
        "race",
        "runaway_leader",
        "",
        [
            ("walk: steps += 2", "walk: steps += 1 + steps div 3"),
            ("(roll 1 to 5) - 1", "(roll 1 to 3) - 1 + steps div 3"),
        ],
    ),
    Flaw("whist", "seat_bias", "", [("    leader := random one of players\n", "    seat(0).tricks := 1\n")]),
    Flaw("kitchen", "useless_action", "grow:dill", [(" + herbs.dill", "")]),
    Flaw(
        "kitchen",
        "dead_card",
        "serve:cake",
        [("  Dish:\n    -", "  Dish:\n    - {id: cake, herb: dill, dear: 0, count: 9}\n    -")],
    ),
    Flaw("race", "useless_action", "rest", [("      walk:", "      rest: steps += 0\n      walk:")]),
    Flaw(
        "race",
        "deadlock",
        "",
        [
            ("walk: steps += 2", "walk when not stuck: steps += 2"),
            (
                "run: steps += (roll 1 to 5) - 1",
                "run when not stuck:\n        let pace = roll 1 to 5\n        steps += pace - 1\n"
                "        if pace = 1: stuck := true",
            ),
            ("hurry: steps", "hurry when not stuck: steps"),
            ("- 4\n", "- 4\n      else: pass\n"),
            ("per: player}\nlimits", "per: player}\n  stuck: {type: bool, per: player}\nlimits"),
            ("any(p.steps >= 24", "all(p.steps >= 24"),
        ],
    ),
]


def written(folder: Path, game: str, changes: Sequence[tuple[str, str]] = ()) -> Path:
    """The folder of a game with these changes."""
    text = (TEXTS | TWINS | {"stall": STALL})[game]
    for old, new in changes:
        assert text.count(old) == 1, (old, text.count(old))
        text = text.replace(old, new)
    folder.mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return folder
