"""Boards as they are drawn: hexagons and triangles, edges and what is on them, the map of an option."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang.cli.play.desk import Desk
from rulelang.cli.play.grid import drawings
from rulelang.cli.play.layout import ALWAYS
from rulelang.session import Session
from rulelang.table.names import Names
from rulelang.table.scene import Scene

from .conftest import Play
from .test_window import Screens

TWO = ("--seat", "0=human", "--seat", "1=human")
TILES = str(Path(__file__).parents[1] / "conformance" / "rulesets" / "tiles")
FIRST = """\
     a    b    c    d
 1   .    .    A    .
              C
 2      .    .    .    .
 3   .    .    .    .
A ant  C crossed
    a  b  c  d
 1  B  v  ^  v
 2  v  ^  v  ^
 3  ^  v  ^  v
B bee
     a    b    c    d
 1   x |  .    x    .
         --
 2   .    C |  .
C cat  . home no  x home  | wall  - wall
crossed: between c1 and b2
"""


def test_all_shapes(play: Play) -> None:
    """Shifted rows, where triangles point, walls of the map, an edge that was crossed; texts with the cell's name."""
    out = play("play", TILES, typed=["ant northeast", "q"]).out
    assert FIRST in out
    assert "Crossed between c1 and b2. The ant goes from hive b2 to\n  hive c1." in out


def test_the_map_of_an_option(play: Play) -> None:
    """Another value, another map; where there is no cell stands nothing."""
    out = play("play", TILES, "--option", "plan=open", "--option", "size=2", typed=["q"]).out
    assert "    a  b  c\n 1  x  .  .\n 2     C\n 3  .  .  .\nC cat  . home no  x home\n" in out
    assert " 2    .  A  .\nA ant\n" in out


def test_every_column_has_its_letter(play: Play, tmp_path: Path) -> None:
    """Also one that has no cell in the first row."""
    ruleset = """
rulelang: 2
name: notched
players: 1
grids:
  Cell:
    legend: {".": {}, "_": none}
    map: |
      ._
      ..
kinds: {Man: {start: "board[b2]"}}
pieces: {Man: [{id: man}]}
zones: {board: {holds: Man, per: Cell}}
rules: |
  play:
    turn of seat(0):
      let c = choose one of Cell
"""
    (tmp_path / "ruleset.yaml").write_text(ruleset, encoding="utf-8")
    assert "    a  b\n 1  .\n 2  .  M\n" in play("play", str(tmp_path), typed=["q"]).out


UPWARD = """
rulelang: 2
name: upward
players: 1
grids:
  Cell:
    first_row: bottom
    ADJACENCY
    legend: {".": {}}
    edges: {name: Side, attributes: {wall: bool}, defaults: {wall: false}, legend: {"=": {wall: true}}}
    map: |
      MAP
kinds: {Man: {identity: true, start: "board[a1]"}}
pieces: {Man: [{id: man}]}
zones: {board: {holds: Man, per: Cell, capacity: 1}}
rules: |
  play:
    turn of seat(0):
      let there = choose one of neighbours(a1) else return
      reveal direction(a1, there)
      reveal any(side.wall for side in Side where a1 in side.cells and there in side.cells)
      move man to board[there]
"""


@pytest.mark.parametrize(
    ("adjacency", "drawn", "screen", "ways"),
    [
        ("orthogonal", [". .", "   ", ". .", "=  ", ". ."],
         "     a    b\n 3   .    .\n 2   .    .\n    ==\n 1   M    .\n", {"a2": "north", "b1": "east"}),
        ("hexagonal", [".   .", "     ", "  .   .", " =   ", ".   ."],
         "     a    b\n 3   .    .\n 2      .    .\n       =\n 1   M    .\n", {"a2": "northeast", "b1": "east"}),
    ],
)  # fmt: skip
def test_the_first_row_can_be_the_lowest(
    play: Play, tmp_path: Path, adjacency: str, drawn: list[str], screen: str, ways: dict[str, str]
) -> None:
    """Maps are drawn as the board lies, the walls between rows too; north is up, where numbers grow."""
    text = UPWARD.replace("ADJACENCY", f"adjacency: {adjacency}").replace("MAP", "\n      ".join(drawn))
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert screen in play("play", str(tmp_path), typed=["q"]).out
    state = rulelang.load(tmp_path).new_game()
    assert {action.id.rpartition("=")[2] for action in state.legal_actions()} == {*ways}
    for there, way in ways.items():
        after = state.clone()
        after.apply(next(action for action in after.legal_actions() if action.id.endswith(there)))
        told = [event["value"] for event in after.events() if event["type"] == "reveal"]
        assert told == [way, there == "a2"]


LAUNCHERS = """\
rulelang: 2
name: launchers
players: 2
types: {Lane: [lane1, lane2], Depth: [near, away], Colour: {attributes: {side: Direction}, values: COLOURS}}
grids: {Square: {columns: 2, rows: 2}}
kinds: {Ball: {identity: true, variables: {way: {type: "Direction?"}}}, Bag: {start: load}}
pieces:
  Ball: [{id: ball, per: player, start: "board[a1 if you.seat = 0 else b2]", words: {en: {one: ball, short: b}}}]
  Bag: [{id: bag, per: player}]
zones:
  board: {holds: Ball, per: Square}
  load: {holds: Bag, per: player, carried_by: ball}
  launcher: {holds: Ball, per: [player, Lane, Depth], beside: colour.side}
variables:
  colour: {type: Colour, per: player, start: red if you.seat = 0 else green}
  broken: {type: bool, per: [player, Lane]}
rules: |
  play:
    repeat 2 times:
      for p in players:
        turn of p:
          let lane = choose one of Lane
          ball.way := opposite(colour.side)
          move ball to launcher[lane, near]
          broken[lane1] := lane = lane2
  score loaded: count(launcher)
""".replace("COLOURS", "{red: {side: north}, green: {side: west}}")
BESIDE = """\
               a   b
              Br   ·
              Br b0↓
             ───────
 1   · b1→ │   .   .
 2   ·   · │   .   .
Br broken  b0 ball (you)  b1 ball (Ada)
"""


def test_what_lies_along_the_sides(play: Play, tmp_path: Path) -> None:
    """Outwards from the board, with arrows and short signs, and a sign where a truth holds; who carries something."""
    (tmp_path / "ruleset.yaml").write_text(LAUNCHERS, encoding="utf-8")
    out = play("play", str(tmp_path), typed=["lane2", "q"]).out
    assert " 1  ·  · │ b0+   .\n 2  ·  · │   . b1+\n" in out
    assert BESIDE in out


OPPOSITE = """\
     b   a
 2 b1+   . │  ·  ·
 1   .   . │  ·  ·
   ───────
   b0↑  Br
     ·  Br
"""
LOW = "     b    a\n 1   .    .\n    ==\n 2   .    M\n 3   .    .\n"


def test_who_sits_opposite_sees_the_board_turned(play: Play, tmp_path: Path) -> None:
    """Rows, columns, sides, what lies along them and what faces somewhere; walls. The list of a window that is too
    narrow numbers lanes as they are named."""
    game = LAUNCHERS.replace("rows: 2}", "rows: 2, opposite: true}")
    (tmp_path / "ruleset.yaml").write_text(game, encoding="utf-8")
    out = play("play", str(tmp_path), *TWO, typed=["lane2", "q"]).out
    assert " 1  ·  · │ b0+   .\n 2  ·  · │   . b1+\n" in out
    assert OPPOSITE in out
    state = rulelang.load(tmp_path).new_game()
    state.apply("play:lane=lane2")
    names = Names(state, "en", 1)
    areas = Scene(state.ruleset, names, state.observation(1)).areas()
    (forms, _), *_ = drawings(areas[0].boards[0], 80)
    assert dict(forms)[ALWAYS] == "b2 b1+ · ↓ 1\u00a0Br, 2\u00a0b0↑, 1\u00a0Br"
    text = UPWARD.replace("ADJACENCY", "opposite: true").replace(
        "MAP", ". .\n         \n      . .\n        =\n      . ."
    )
    text = text.replace("players: 1", "players: 2").replace("turn of seat(0)", "for p in players:\n      turn of p")
    text = text.replace("neighbours(a1)", "neighbours(cell of man)").replace("      let there", "        let there")
    text = text.partition("      reveal")[0] + "        move man to board[there]\n"
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert LOW in play("play", str(tmp_path), *TWO, typed=["a2", "q"]).out


def test_sides_without_room_are_listed_below_the_board(tmp_path: Path) -> None:
    """The board keeps its rows and the letters of its columns, and at least one option is in sight."""
    (tmp_path / "ruleset.yaml").write_text(LAUNCHERS.replace("rows: 2", "rows: 8"), encoding="utf-8")
    state = rulelang.load(tmp_path).new_game(2, 1)
    for id_ in ("let:lane=lane1", "let:lane=lane2"):
        state.apply(next(option for option in state.legal_actions() if option.id.endswith(id_[-5:])))
    drawn = {}
    for height in (17, 24):
        terminal = Screens(60, height, ["1"])
        desk = Desk(Session.new(state.clone(), 1, {0: "human", 1: "human"}), terminal, "en")
        desk.ask(0)
        drawn[height] = terminal.shown[-1]
    assert drawn[24][1].startswith("               a   b")
    assert "│" in drawn[24][5]
    assert drawn[17][1].startswith("    a  b")
    assert [line[:2].strip() for line in drawn[17][2:10]] == [*"12345678"]
    assert any("↑ 1 b0↓" in line.replace("\u00a0", " ") for line in drawn[17])
    assert any("  1  " in line for line in drawn[17][10:]), drawn[17]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("beside: colour.side", "beside: colour", "type-mismatch"),
        ("beside: colour.side", "beside: colour.size", "type-mismatch"),
        ("beside: colour.side", "beside: broken", "type-mismatch"),
        ("[player, Lane, Depth], beside", "[player, Lane], beside", "grid-none"),
        ("carried_by: ball", "carried_by: bal", "name-unknown"),
    ],
)
def test_what_can_not_lie_beside_a_board(tmp_path: Path, old: str, new: str, code: str) -> None:
    """A direction of each player is needed, an index along the side and one away from it."""
    (tmp_path / "ruleset.yaml").write_text(LAUNCHERS.replace(old, new), encoding="utf-8")
    with pytest.raises(rulelang.RulesetError) as raised:
        rulelang.load(tmp_path)
    assert code in {found.code for found in raised.value.diagnostics}


def test_lines_between_cells_that_hold_nothing(play: Play) -> None:
    """A grid of which the edges alone tell something is drawn too, before the boxes that nobody has taken."""
    out = play("play", "dots_and_boxes", *TWO, typed=["1", "q"]).out
    assert "    a  b  c  d\n 1  .  .  .  .\n" in out
    assert "     a    b    c    d\n 1   . *  .    .    .\n" in out


def test_a_board_that_nobody_stands_on_yet(play: Play) -> None:
    """A variable is drawn although it is the same everywhere, where nothing else shows the cells."""
    out = play("play", "hex", "--option", "size=3", *TWO, typed=["q"]).out
    assert "stones\n    a  b  c\n 1  .  .  .\n 2  .  .  .\n 3  .  .  .\n" in out


SHORES = str(Path(__file__).parents[1] / "game" / "shores")
FOUNDED = """\
      a b   c
       T0
      R0
      3      2w
 1      l   b
     T1      2w
      R1
 2    w   s   o
   2l
 3      g   L
        3
"""


def test_what_stands_on_corners_and_edges(play: Play) -> None:
    """Each where it lies, in a line of its own where a row of cells has none: the corners above a hexagon, its slanted
    edges, the corners beside; and what a corner has of its own."""
    out = play("play", SHORES, *TWO, typed=["1", "2", "3", "1", "q"]).out
    last = out[out.rindex("shores · turn 3") :].split("\n")
    drawn = [line[:15].rstrip() for line in last[1:12]]  # beside it stands the legend
    assert drawn == FOUNDED.split("\n")[:-1]
    assert "R road" in out
    assert "2w rate 2, wool" in out
    assert "You choose at the north corner of b1. Town at the north corner of b1: you." in out


MARKED = """\
rulelang: 2
name: marked
players: 1
grids:
  Square:
    columns: 2
    rows: 2
    first_row: bottom
    edges: {name: Side, border: true}
    corners: {name: Post}
kinds: {Peg: {start: box}, Flag: {start: box2}}
pieces: {Peg: [{id: peg, count: 9}], Flag: [{id: flag, count: 9}]}
zones: {box: {holds: Peg}, box2: {holds: Flag}, pegs: {holds: Peg, per: Post}, flags: {holds: Flag, per: Side}}
variables: {wall: {type: bool, per: Side}}
rules: |
  setup:
    move (top 2 of box) to pegs[a1_northeast]
    move (top 1 of box) to pegs[b2_northeast]
    move (top 1 of box2) to flags[a1_west]
    wall[a2_b2] := true
    wall[a1_b1] := true
  play:
    turn of seat(0):
      let c = choose one of Post
      move (choose 1 of pegs[a1_northeast]) to pegs[c]
"""


def test_squares_with_what_stands_around_them(play: Play, tmp_path: Path) -> None:
    """The first row is the lowest; pieces on corners, at the border, walls between cells."""
    (tmp_path / "ruleset.yaml").write_text(MARKED, encoding="utf-8")
    out = play("play", str(tmp_path), typed=["q"]).out
    assert "      a   b\n            P\n 2    . W .\n       2P\n 1  F . W .\nF flag  P peg  W wall\n" in out
