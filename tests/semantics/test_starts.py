"""What a game starts from fits: bags their capacity, deals what the piles hold, tables every number of players."""

from __future__ import annotations

from pathlib import Path

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse

HEAD = """\
rulelang: 2
name: deals
players: 2..6
options: {many: {values: [1, 9], default: 1}, dealt: {values: [3, 2], default: 3}}
automata: {machine: {players: [2]}}
kinds: {Card: {start: deck}}
pieces: {Card: [{id: one, count: 12}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  row: {holds: Card}
types:
  Part: {values: [nut, oil]}
"""
PLAY = """\
  play:
    for p in players:
      turn of p: move (choose one of hand) to row
  score n: count(hand)
"""


def errors(folder: Path, text: str) -> list[str]:
    """The errors of a ruleset: `CODE LINE: message`, lines counted from the first after the head."""
    (folder / "ruleset.yaml").write_text(HEAD + text, encoding="utf-8")
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    if ruleset is not None:
        analyse(ruleset, found)
    above = HEAD.count("\n")
    return [f"{d.code} {d.span.line - above}: {d.message}" for d in found if d.severity == "error"]


def test_a_deal_that_is_more_than_the_pile_is_an_error(tmp_path: Path) -> None:
    """12 cards: 3 each are enough for 4 players, 2 each for 6; what can't be followed is not claimed."""
    dealt = "zone-short {}: with 5 and 6 players `deck` runs out while it is dealt, and some get fewer than others"
    wrong = {
        "    for p in players: draw 3 from deck to p.hand\n": 3,
        "    repeat dealt times:\n      for p in players: draw 1 from deck to p.hand\n": 4,
        "    for p in players: deal(p, 3)\n  rule deal(p: player, n: number): draw n from deck to p.hand\n": 4,
        "    draw 9 from deck to row\n    move row to deck\n    for p in players: draw 3 from deck to p.hand\n": 5,
        "    let n = dealt\n    if count(players) > 1:\n      for p in everyone: draw n from deck to p.hand\n": 5,
    }
    for body, line in wrong.items():
        assert errors(tmp_path, f"rules: |\n  setup:\n{body}{PLAY}") == [dealt.format(line)], body
    right = (
        "    for p in players: draw 2 from deck to p.hand\n",
        "    draw 40 from deck to row\n",  # nobody is dealt to
        "    for p in players: draw 12 div count(players) from deck to p.hand\n",
        "    let n = roll 1 to 6\n    for p in players: draw n from deck to p.hand\n",
        "    let n = roll 11 to 12\n    draw n from deck to row\n    move row to deck\n    for p in players: draw 3 from deck to p.hand\n",
    )
    for body in right:
        assert errors(tmp_path, f"rules: |\n  setup:\n{body}{PLAY}") == [], body


def test_a_bag_that_starts_with_more_than_it_holds_is_an_error(tmp_path: Path) -> None:
    """For any number of players, any value of an option, and whatever else starts."""
    rows = {
        "start: 4 nut, capacity: {each: 3}": "starts with 4 nut with 2 players, and holds 3",
        "start: 2 nut + 2 oil, capacity: {total: 3}": "starts with 4 goods in all with 2 players, and holds 3",
        "start: (count(players)) oil, capacity: {oil: 4}": "starts with 5 oil with 5 players, and holds 4",
        "start: (many) oil, capacity: {oil: 4}": "starts with 9 oil with 2 players, and holds 4",
        "start: 3 nut, capacity: {nut: 1 + more.nut}": "starts with 3 nut with 2 players, and holds 2",
        "start: 3 nut, capacity: {nut: 2 + more.nut}": "",
        "start: 3 nut, capacity: {oil: 2}": "",
        "start: 9 nut if you = machine else 0 nut, capacity: {each: 3}": "starts with 9 nut with 2 players, and holds 3",
        "start: 0 nut if you = machine else 2 nut, capacity: {each: 2}": "",
    }
    for row, message in rows.items():
        text = f"variables:\n  more: {{type: bag of Part, per: player, start: 1 nut}}\n  shed: {{type: bag of Part, per: player, {row}}}\n"
        wanted = [f"capacity-start 3: `shed` {message}"] if message else []
        assert errors(tmp_path, f"{text}rules: |\n{PLAY}") == wanted, row


def test_tables_by_number_of_players_name_each(tmp_path: Path) -> None:
    """Pairs, teams above the smallest number that they name, and tables asked at the number of players."""
    cases = {
        "  Front: {between: {2: [[0, 1]], 4: [[0, 1]]}}\n": ["1: `between` says nothing for 3, 5 and 6 players"],
        "  Front: {between: {2: [[0, 1]], 3: [], 4: [], 5: [], 6: []}}\n": [],
        "teams: {4: [[0, 1]]}\n": ["1: `teams` says nothing for 5 and 6 players"],
        "teams: {4: [[0, 1]], 5: [], 6: []}\n": [],
    }
    for text, messages in cases.items():
        found = errors(tmp_path, f"{text}rules: |\n{PLAY}")
        assert found == [f"ruleset-uncovered {message}" for message in messages], text
    for asked, wrong in (("count(players)", True), ("count(everyone)", True), ("(count(players) - 1)", False)):
        text = f"rules: |\n{PLAY}  score more: {{2: 5, 3: 4, 4: 3}} at {asked}\n"
        message = "ruleset-uncovered 6: this table says nothing for 5 and 6 players"
        assert errors(tmp_path, text) == ([message] if wrong else []), asked
