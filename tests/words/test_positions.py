"""Positions on one line: what a scenario is given so is what stands there, and what stands there is written so."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from rulelang import load
from rulelang.diagnostics import RulesetError, UsageError
from rulelang.game.ruleset import Ruleset
from rulelang.record import Record, begun, replayed
from rulelang.transcript import transcript

ISLES = """
rulelang: 2
name: isles
players: 2
languages: [en]
options: {wide: {values: [3, 4], default: 3}}
types: {Weather: [calm, windy], Sail: [red, white]}
grids: {Sea: {columns: wide, rows: 2, first_row: bottom, letters: abdefghij}}
kinds: {Boat: {start: dock}}
pieces: {Boat: [{id: raft, per: player, count: 2}, {id: buoy, count: 2}]}
zones:
  dock: {holds: Boat}
  board: {holds: Boat, per: Sea, capacity: 1}
variables:
  claim: {type: "player?", per: Sea}
  mover: {type: player}
  weather: {type: Weather}
  storm: {type: "Sea?"}
  tides: {type: 0..9}
  may_anchor: {type: bool, per: [player, Sail]}
  has_sailed: {type: bool, per: player}
  flag: {type: bool, per: Sail, start: true}
  held: {type: 0..9, per: player, visible: owner}
rules: |
  play:
    repeat:
      turn of mover: sail()
      mover := mover.next
  rule sail:
    tides += 1
    if tides = 9: end the game
    choose:
      launch(target in Sea where board[it] is empty):
        move top of (dock where it is raft and it.owner = you) to board[target]
        claim[target] := you
        you.has_sailed := true
        you.may_anchor[red] := true
        storm := target
        weather := windy
      rest: pass
  score isles: count(Sea where claim[it] = you)
words: {en: {launch: {option: "launch on {target}", notation: "{target}"}, rest: {one: rest, notation: rest}}}
notation:
  position: "{board} {claim}|{mover} {weather} {storm} {tides} {may_anchor} {has_sailed} {flag} {number}"
  signs:
    board: {raft: Rr, buoy: b}
    claim: xo
    mover: wb
    weather: {calm: c, windy: w}
    may_anchor: {red: Aa, white: Bb}
    has_sailed: Ss
    flag: {red: f, white: g}
  game: {format: sgf, seats: [W, B], tags: {GM: 99, SZ: "{wide}"}, moves: {launch: "{target}", rest: ""}}
"""


@pytest.fixture(scope="module")
def isles(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    folder = tmp_path_factory.mktemp("isles")
    (folder / "ruleset.yaml").write_text(ISLES, encoding="utf-8")
    return load(folder)


def test_columns_have_the_letters_that_the_board_names(isles: Ruleset) -> None:
    """The third column is `d`, where the letters leave out `c`."""
    ids = [action.id for action in isles.new_game().legal_actions()]
    assert ids == [f"launch:target={cell}" for cell in ("a1", "b1", "d1", "a2", "b2", "d2")] + ["rest"]


def test_a_position_is_written(isles: Ruleset) -> None:
    """The upper row comes first, runs of empty cells are numbers, what is not there is a dash."""
    state = isles.new_game()
    assert state.notation() == "3/3 3/3|w c - 1 - - fg 1"
    for target in ("launch:target=b2", "launch:target=a1", "rest"):
        state.apply(target)
    assert state.notation() == "1R1/r2 1x1/o2|b w a1 4 Aa Ss fg 2"


def test_a_position_is_given(isles: Ruleset) -> None:
    """All that the line says is so, and `number` is counted anew; fields at the end may be left out."""
    line = "b1r/R2 x1o/3|b w d1 3 aB s g 7"
    state = isles.scenario(line)
    assert state.current_players() == [1]
    assert state.notation() == "b1r/R2 x1o/3|b w d1 4 Ba s g 1"  # the turn has begun
    seen = state.observation(0)
    assert seen["zones"]["board[d2]"]["pieces"] == ["raft@1"]
    assert [seen["variables"][f"may_anchor[0,{sail}]"] for sail in ("red", "white")] == [False, True]
    assert isles.scenario("b1r/R2 x1o/3|b").notation() == "b1r/R2 x1o/3|b c - 1 - - fg 1"
    given = {"position": "b1r/R2 x1o/3|b", "variables": {"weather": "windy"}, "zones": {"board[a1]": []}}
    assert isles.position(given).notation() == "b1r/3 x1o/3|b w - 1 - - fg 1"
    assert isles.position({"position": "4/4 4/4|w", "options": {"wide": 4}}).notation().startswith("4/4 4/4|w")


def test_positions_go_there_and_back(isles: Ruleset) -> None:
    """What is written of a random position gives it again, but for the count of `tides` that each turn begins with."""
    for seed in range(20):
        state, random = isles.new_game(), Random(seed)
        for _ in range(random.randrange(4)):
            state.apply(random.choice(state.legal_actions()))
        fields = state.notation().split()
        again = isles.scenario(" ".join([*fields[:4], str(int(fields[4]) - 1), *fields[5:]]))
        assert again.notation().rsplit(" ", 1)[0] == state.notation().rsplit(" ", 1)[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3/3/3 3/3|w", "`board` has 3 rows there, and the board 2"),
        ("3/4 3/3|w", "row 2 of `board` has 4 cells, not 3"),
        ("3/2x 3/3|w", "`x` is no sign of `board`"),
        ("3/3 3/3|r", "`r` is no sign of `mover`"),
        ("3/3 3/3|w c - 1 X", "`X` is no sign of `may_anchor`"),
        ("3/3 3/3|w (", "`3/3 3/3|w (` is no position of isles"),
        ("3/3 3/3|w c a1)", "is no position of isles"),
        ("rr1/r2 3/3|w", "raft"),  # more than there are
        ("3/3 3/3|w c z9", "nothing here is called `z9`"),
    ],
)
def test_what_is_no_position_is_refused(isles: Ruleset, line: str, message: str) -> None:
    with pytest.raises((RulesetError, UsageError), match=re.escape(message)):
        isles.scenario(line)


def test_what_a_seat_does_not_see_it_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text(
        ISLES.replace('claim: {type: "player?", per: Sea}', 'claim: {type: "player?", per: Sea, visible: nobody}'),
        encoding="utf-8",
    )
    state = load(tmp_path).new_game()
    assert state.notation().startswith("3/3 3/3|w")
    with pytest.raises(UsageError, match="seat 0 does not see"):
        state.notation(0)


def test_a_game_is_written_in_sgf(isles: Ruleset) -> None:
    """Points are letters from the left and the top; a move without a point is an empty one; the better seat won."""
    state = begun(isles, None, 0, {}, "")
    record = Record.of(state, 0)
    for choice in ("launch:target=d1", "launch:target=a2", "rest", "rest", "launch:target=b2", *["rest"] * 3):
        seat = state.current_players()[0]
        state.apply(choice)
        record.add(seat, choice, state)
    text = transcript(record, replayed(record)[1], "en")
    assert text == (
        "(;FF[4]CA[UTF-8]AP[RuleLang]GM[99]SZ[3]RE[W+1]\n;W[cb]\n;B[aa]\n;W[]\n;B[]\n;W[ba]\n;B[]\n;W[]\n;B[])"
    )
