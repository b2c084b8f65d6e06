"""A place that runs out within the last round is told where that is certain, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics_trial.test_trial import findings

GAME = """\
rulelang: 2
name: rounds
players: 2..4
options: {long: {type: bool, default: false}}
kinds: {Card: {attributes: {value: 1..3}, start: row}, Tile: {start: deck}}
pieces:
  Card: [{id: low, value: 1, count: 9}, {id: high, value: 3, count: 8}]
  Tile: [{id: tile, count: 12}]
zones:
  row: {holds: Card}
  aside: {holds: Card}
  hand: {holds: Card, per: player}
  deck: {holds: Tile, order: pile, visible: count}
  market: {holds: Tile}
  rack: {holds: Tile, per: player}
variables: {coins: {type: 0..99, per: player}, over: {type: bool}, first: {type: player}, turns: {type: 0..99}}
rules: |
  play:
{play}
  rule take(n: number):
    repeat n times:
      let card = choose one of row else return
      keep(card)
  rule keep(card: Card): move card to hand
  score all: sum(hand.value) + count(rack) + coins + count(aside) + turns + (1 if over or long else 0)
  score first: 1 if you = first else 0
"""
ALL = "2, 3 and 4"
ROUND = "  for p in players:\n    turn of p:"
TURNS = f"while row is not empty:\n{ROUND}"
LESS = "move (random one of row) to aside\n"
FIRST = "draw 1 from deck to seat(0).rack\n"
MARKET = f"draw count(players) from deck to market\n{ROUND} move (choose one of market) to rack"
# What is played -> the numbers of players with which the last round of the 17 cards, or 12 tiles, is short.
PLAYS = {
    f"{TURNS} take(1)": ALL,
    f"{TURNS} take(2)": ALL,
    f"repeat:\n{ROUND} take(1)\n    if row is empty: end the game": ALL,
    "repeat:\n  round:\n    for p in players:\n      turn of p: take(1)\n"
    "    if row is empty: end the game after this round": ALL,
    f"repeat 4 times:\n{ROUND} take(1)": "",  # 4 players take 16 in all, 3 take 12
    f"repeat 6 times:\n{ROUND} take(1)": "3",  # 2 take 12; 4 are through after five of six
    f"while not over:\n{ROUND}\n      take(1)\n      if row is empty: over := true": ALL,
    f"{LESS}{TURNS} take(1)": "3",
    f"{LESS * 5}{TURNS} take(1)": "",
    f"while count(row) >= count(players):\n{ROUND} take(1)": "",
    f"while any(p.hand is empty for p in players) or row is not empty:\n{ROUND} take(1)": ALL,
    f"{TURNS}\n      take(1)\n      first := next".replace("players", "players_from(first)"): ALL,
    # Twelve tiles are six rounds of two, four of three, three of four; eleven are none of these.
    f"while deck is not empty:\n  {MARKET}": "",
    f"{FIRST}while deck is not empty:\n  {MARKET}": ALL,
    f"{FIRST}while deck is not empty:\n{ROUND} draw 1 from deck to rack": ALL,
    # It is not certain: who takes, how many there are, when it is over.
    f"{TURNS}\n      choose:\n        some_card: take(1)\n        nothing: pass": "",
    f"let n = roll 1 to 2\nrepeat n times: {LESS}{TURNS} take(1)": "",
    f"{TURNS}\n      take(1)\n      if sum(hand.value) > 9: end the game": "",
    f"{TURNS}\n      move (choose one of row where it.value < 3) to hand\n      take(1)": "",
    # All cards are dealt, and nobody has a turn; the turns go on when there is nothing left to take.
    "while row is not empty:\n  for p in players: move (random one of row) to p.hand": "",
    f"repeat 20 times:\n{ROUND}\n      take(1)\n      coins += 1": "",
    # In the middle of the game a round is short, and the next is whole again.
    "repeat 2 times:\n  draw 5 from deck to market\n  while market is not empty:\n    for p in players:\n"
    "      turn of p: move (choose one of market) to rack": "",
}


@pytest.mark.parametrize("play", PLAYS, ids=range(len(PLAYS)))
def test_a_last_round_that_is_short(play: str, same_folder: Path) -> None:
    """By how many pieces there are and how many each takes."""
    lines = "\n".join(f"    {line}" for line in play.splitlines())
    (same_folder / "ruleset.yaml").write_text(GAME.replace("{play}", lines), encoding="utf-8")
    rounds = [d.message for d in findings(same_folder) if d.code == "game-uneven"]
    assert [d.message for d in findings(same_folder) if d.severity == "error"] == []
    wanted = PLAYS[play]
    assert [message.partition(" player")[0] for message in rounds] == ([f"with {wanted}"] if wanted else [])
