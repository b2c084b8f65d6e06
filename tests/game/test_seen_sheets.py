"""`State.seen_sheets`: what a seat can know of the score sheets from what it sees now, worked out by hand."""

from __future__ import annotations

import random
from itertools import product

import pytest

import rulelang
from rulelang.game import State
from rulelang.interpreter import abstract
from rulelang.runtime.sight import SPECTATOR
from rulelang.table.sheet import points, sheet
from rulelang.vocabulary.operations import BINDING
from tests.soak import times

HEAD = """\
rulelang: 2
name: veiled
players: 2
types: {Colour: [red, blue, green], Good: {values: [nut, oil]}}
grids: {Board: {columns: 3, rows: 1}}
kinds:
  Card: {attributes: {colour: Colour, value: 1..9}, start: deck}
  Pawn: {variables: {load: {type: 0..4}}, start: home}
pieces:
  Card:
    - {id: one, colour: red, value: 1}
    - {id: two, colour: red, value: 2}
    - {id: five, colour: blue, value: 5}
    - {id: nine, colour: green, value: 9}
  Pawn: [{id: pawn, per: player}]
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  hat: {holds: Card, per: player, visible: others}
  vault: {holds: Card, visible: nobody}
  tower: {holds: Card, order: pile, visible: top}
  home: {holds: Pawn, per: player, visible: owner}
variables:
  x: {type: 0..2, per: player, visible: owner}
  flag: {type: bool, per: player, visible: owner}
  friend: {type: player, per: player, visible: owner}
  rival: {type: "player?", per: player, visible: owner}
  place: {type: Board, per: player, visible: owner}
  spot: {type: "Board?", per: player, visible: owner}
  liked: {type: "Colour?", per: player, visible: owner}
  odds: {type: "0..2?", per: player, visible: owner}
  goods: {type: bag of Good, per: player, visible: owner, size: owner}
  fate: {type: 0..2, visible: nobody}
  seen_by_others: {type: 0..5, per: player, visible: others}
  shown: {type: 0..9, per: player}
"""

SETUP = """\
rules: |
  setup:
    shuffle deck
    for p in players: draw 1 from deck to p.hand
    draw 1 from deck to seat(0).hat
  play:
    turn of seat(0):
      x := secretly choose a number from 0 to 2
      pawn.load := secretly choose a number from 0 to 4
    turn of seat(1): shown := choose a number from 0 to 9
"""


LINES = {
    "1 if x = 1 else 0": "0–1",
    "x": "0–2",
    "3 - x * 2": "-1 – 3",
    "5 if x > 2 else 4": "4",
    "x * shown": "0",
    "2 if flag else 7": "2–7",
    "2 if friend = seat(1) else 3": "2–3",
    "friend.shown": "0",
    "2 if rival is none else 3": "2–3",
    "rival.shown if rival is not none else 4": "0–4",
    "{1: 4, 2: 8} at place.column": "4–8",
    "1 if spot is none else 0": "0–1",
    "3 if liked = green else 1": "1–3",
    "odds otherwise 6": "0–6",
    "fate * 3": "0–6",
    "min(fate, 1) + max(x, 1)": "1–3",
    "abs(fate - 2) + 10 div (fate + 1)": "3–12",
    "(x + 3) mod 2": "0–1",
    "seen_by_others": "0",
    "count(hand)": "1",
    "sum(hand.value)": "2–9",
    "sum(c.value for c in hand where c.colour = red)": "0–2",
    "count(hand where it.value > 2)": "0–1",
    "max(c.value for c in hand) otherwise 0": "2–9",
    "count(vault)": "0–2",
    "sum(hat.value) div 10": "0",
    "count(tower)": "0",
    "pawn.load": "0–4",
    "sum(home.load)": "0–4",
    "sum(p.x for p in players) + count(Colour)": "3–5",
    "1 if any(p.x = 2 for p in players) else 0": "0–1",
    "7 if all(p.x <= 2 for p in players) else 0": "7",
    "sum(sum(g.value) for g in hand grouped by colour where count(g) >= 2)": "0",
    "goods[nut] * 0 + count(goods) * 0": "0",
    "worth(you)": "1–10",
    "steps(you)": "0–9",
}
"""A score line -> what seat 1 is told of seat 0's, of whose secrets it sees none. Seat 1 holds card one, and sees five
in seat 0's hat: the others lie in seat 0's hand and in the deck."""

FUNCTIONS = """\
  function worth(s: player) -> number:
    if s.x = 2: return 10
    if s.flag: return 5
    return 1
  function steps(s: player) -> number:
    for p in players:
      if p.x > 0: return p.seat
    return 9
"""

OWN = ("x + pawn.load", "sum(hand.value)", "sum(hat.value) + x * 0")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    """The ruleset with all lines."""
    folder = tmp_path_factory.mktemp("veiled")
    score = "".join(f"  score line{number}: {line}\n" for number, line in enumerate((*LINES, *OWN)))
    (folder / "ruleset.yaml").write_text(HEAD + SETUP + FUNCTIONS + score, encoding="utf-8")
    return rulelang.load(folder)


def position(game: rulelang.Ruleset, card: str, *ids: str) -> State:
    """A game in which seat 0 holds a card, seat 1 one, and five lies in seat 0's hat; after some choices."""
    state = game.new_game(2, seed=1, chance="explicit")
    for id_ in (f"setup:draw={card}", "setup:draw=one", "setup:draw=five", *ids):
        state.apply(id_)
    return state


def told(state: State, seat: int) -> dict[str, str]:
    """What a seat is told of seat 0, by line."""
    rows = sheet(state, seat).rows
    assert len(rows) == len(LINES) + len(OWN)
    return dict(zip((*LINES, *OWN), [points(row.values[0]) for row in rows], strict=True))


def test_a_line_has_the_least_and_greatest_value_that_it_may_have(game: rulelang.Ruleset) -> None:
    """Whatever is hidden: cards, and variables of every type and visibility; each branch that is open counts."""
    lines = told(position(game, "two"), 1)
    assert {line: lines[line] for line in LINES} == LINES


def test_what_is_seen_is_told_exactly(game: rulelang.Ruleset) -> None:
    """Its own variables and cards, what lies in the hats of others; a spectator sees no hat."""
    state = position(game, "nine", "play:x=2", "play:load=4")
    mine, other, nobody = told(state, 0), told(state, 1), told(state, SPECTATOR)
    assert [mine[line] for line in OWN] == ["6", "9", "1–5"]
    assert [other[line] for line in OWN] == ["0–6", "2–9", "5"]
    assert [nobody[line] for line in OWN] == ["0–6", "1–9", "1–9"]
    assert mine["worth(you)"] == "10"
    assert mine["steps(you)"] == "0"
    assert mine["fate * 3"] == "0–6"


def test_the_sheet_is_the_same_whatever_is_hidden(game: rulelang.Ruleset) -> None:
    """Positions that look the same to seat 1 give it the same sheet, within which the true points lie."""
    sheets = set()
    for card, x, load in product(("two", "nine"), (0, 1, 2), (0, 4)):
        state = position(game, card, f"play:x={x}", f"play:load={load}")
        known = state.seen_sheets(1)[0]
        for line, true in zip(known.lines, state.score_sheet(0).lines, strict=True):
            assert line.low is not None
            assert line.high is not None
            assert line.low <= true.value <= line.high
        sheets.add(known)
    assert len(sheets) == 1


def test_at_the_end_all_is_told(game: rulelang.Ruleset) -> None:
    """The sheet of a finished game is the true one."""
    assert told(position(game, "two", "play:x=2", "play:load=0", "play:shown=3"), 1)["x"] == "2"


def test_what_binds_a_local_has_a_rule() -> None:
    """Such an operation is never tried with values of its body, which is read in rounds."""
    assert set(BINDING) | {"let", "if", "and", "or", "otherwise", "lookup", "call", "possible"} <= set(abstract.RULES)


def test_work_is_bounded(game: rulelang.Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line that needs more work than is spent on it is not known."""
    monkeypatch.setattr(abstract, "MOST_WORK", 5)
    lines = told(position(game, "two"), 1)
    assert lines["sum(p.x for p in players) + count(Colour)"] == "?"
    assert lines["x"] == "0–2"


@pytest.mark.parametrize(
    ("name", "players"), [("reco", 3), ("ldd", 3), ("imaginarium", 3), ("droids", 3), ("benchmarks/games/caravans", 2)]
)
def test_the_true_points_lie_within_what_is_told(name: str, players: int) -> None:
    """In games at random, of each line and each seat; and a spectator knows no more than a seat."""
    state, dice = rulelang.load(name).new_game(players, seed=3), random.Random(3)
    for _ in range(times(60)):
        if state.is_terminal():
            break
        state.apply(dice.choice(state.legal_actions()))
        if state.decisions % 6:
            continue
        true = sheet(state, None)
        values = {row.key: row.values for row in true.rows}
        for seat in (*range(players), SPECTATOR):
            known = sheet(state, seat)
            for row in known.rows:
                for value, exact in zip(row.values, values.get(row.key, [(0, 0)] * players), strict=True):
                    assert value is None or (exact and value[0] <= exact[0] <= value[1]), row
