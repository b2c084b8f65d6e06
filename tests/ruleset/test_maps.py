"""Boards that an option chooses: what each map says of a cell or edge, or leaves out, holds on that board alone."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import rulelang
from rulelang.diagnostics import Diagnostic, Diagnostics
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import analyse, lint

BOARDS = ["one", "two", "three"]
CELLS: dict[str, dict[str, str]] = {
    ".": {},
    "P": {"man": "pawn"},
    "K": {"man": "king", "worth": "2"},
    "M": {"worth": "1 + 1", "wet": "true"},
}
EDGES: dict[str, dict[str, str]] = {" ": {}, "|": {"wall": "wood"}, "#": {"wall": "stone"}}
YAML = """\
rulelang: 2
name: drawn
players: 1
types: {{Rank: [pawn, king], Stuff: [wood, stone]}}
options:
  board: {{values: [one, two, three], default: one}}
  small: {{type: bool, default: false}}
  island: {{values: [1, 2], default: 1}}
grids:
  Square:
    attributes: {{man: "Rank?", worth: 0..9, wet: bool}}
    defaults: {{worth: 1, wet: false}}
    legend: {{".": {{}}, "_": none, P: {{man: pawn}}, K: {{man: king, worth: 2}}, M: {{worth: 1 + 1, wet: true}}}}
    edges: {{name: Side, attributes: {{wall: "Stuff?"}}, legend: {{"|": {{wall: wood}}, "#": {{wall: stone}}}}}}
    map:
      board:
{board}
  Hex:
    adjacency: hexagonal
    attributes: {{deep: "0..9?"}}
    legend: {{".": {{}}, "3": {{deep: 3}}, "_": none}}
    map:
      small:
        true: |
          3
        false: |
          . 3
           _ .
  Isle:
    columns: island + 1
    rows: 2
    attributes: {{tree: bool}}
    defaults: {{tree: island = 2}}
rules: |
  play: pass
  score cells: count(Square)
  score pawns: count(Square where it.man = pawn)
  score kings: count(Square where it.man = king)
  score bare: count(Square where it.man is none)
  score worth: sum(Square.worth)
  score wet: count(Square where it.wet)
  score sides: count(Side)
  score wood: count(Side where it.wall = wood)
  score open: count(Side where it.wall is none)
  score deep: sum(c.deep otherwise 0 for c in Hex)
  score flat: count(Hex where it.deep is none)
  score trees: count(Isle where it.tree)
"""
Picture = list[str]


def picture(random: Random) -> Picture:
    """A random map with edges; the first two cells are there, so that the board has an edge."""
    columns, rows = random.randint(2, 3), random.randint(1, 3)
    lines = []
    for line in range(2 * rows - 1):
        signs = ["_.PKM" if column % 2 == line % 2 == 0 else " |#" for column in range(2 * columns - 1)]
        signs = [" " if (column + line) % 2 == 0 and line % 2 else sign for column, sign in enumerate(signs)]
        lines.append("".join(map(random.choice, signs)))
    lines[0] = random.choice(".PKM") + random.choice(" |#") + random.choice(".PKM") + lines[0][3:]
    return lines


def counted(lines: Picture) -> dict[str, int]:
    """What a map shows, read from its signs: the edges of a cell that is not there are none."""
    cells = {(x, y): sign for y, line in enumerate(lines) for x, sign in enumerate(line) if x % 2 == y % 2 == 0}
    cells = {place: sign for place, sign in cells.items() if sign != "_"}
    pairs = [((x + dx, y + dy), (x, y), (x + 2 * dx, y + 2 * dy)) for x, y in cells for dx, dy in ((1, 0), (0, 1))]
    sides = [lines[y][x] for (x, y), a, b in pairs if a in cells and b in cells]
    said = [CELLS[sign] for sign in cells.values()]
    walls = [EDGES[sign].get("wall") for sign in sides]
    men = [row.get("man") for row in said]
    return {
        "cells": len(cells), "pawns": men.count("pawn"), "kings": men.count("king"), "bare": men.count(None),
        "worth": sum(2 if "worth" in row else 1 for row in said), "wet": sum("wet" in row for row in said),
        "sides": len(sides), "wood": walls.count("wood"), "open": walls.count(None),
    }  # fmt: skip


def written(folder: Path, pictures: dict[str, Picture]) -> Path:
    """The ruleset with these maps."""
    block = [f"        {name}: |\n" + "".join(f"          {line}\n" for line in p) for name, p in pictures.items()]
    (folder / "ruleset.yaml").write_text(YAML.format(board="".join(block)), encoding="utf-8")
    return folder


def findings(folder: Path) -> list[Diagnostic]:
    """What the checks and the lints find."""
    diagnostics = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=diagnostics)
    analysed = analyse(ruleset, diagnostics) if ruleset is not None else None
    if analysed is not None:
        lint(analysed, diagnostics)
    return list(diagnostics)


@pytest.mark.parametrize("seed", range(8))
def test_each_board_is_as_its_map_draws_it(seed: int, tmp_path: Path) -> None:
    """What cells and edges are, and that they are there, is counted on every board as in its own picture; the check
    has nothing to say of the conditions that the maps become, which nobody wrote."""
    random = Random(seed)
    pictures = {name: picture(random) for name in BOARDS}
    pictures["three"] = random.choice([pictures["three"], pictures["two"]])
    folder = written(tmp_path, pictures)
    drawn = (folder / "ruleset.yaml").read_text(encoding="utf-8").split("rules: |")[0].count("\n")
    assert [str(d) for d in findings(folder) if d.span.line <= drawn] == []
    game = rulelang.load(folder)
    shapes = ((True, 3, 0), (False, 3, 2))
    for name, lines in pictures.items():
        for island in (1, 2):
            small, deep, flat = shapes[island - 1]
            options: dict[str, int | bool | str] = {"board": name, "small": small, "island": island}
            for backend in ("interpreter", "native") if seed == 0 and island == 1 else ("interpreter",):
                state = game.new_game(players=1, options=options, seed=1, backend=backend)
                assert {item.name: item.value for item in state.score_sheet(0).lines} == {
                    **counted(lines), "deep": deep, "flat": flat, "trees": 6 if island == 2 else 0
                }, (name, backend)  # fmt: skip


def test_what_one_map_lacks_is_missed_there(tmp_path: Path) -> None:
    """An attribute that must be given is missed at each sign that has none: `P` has no `worth`, `K` has, so the second
    cell is right on the board `two`. What no map gives is missed once."""
    folder = written(tmp_path, {"one": ["P P"], "two": ["P K"], "three": ["P P"]})
    text = (folder / "ruleset.yaml").read_text(encoding="utf-8")
    (folder / "ruleset.yaml").write_text(text.replace("worth: 1, ", ""), encoding="utf-8")
    one, three = (1 + text[: text.index(f"{name}: |")].count("\n") + 1 for name in ("one", "three"))
    missed = [(one, "a1"), (one, "b1"), (three, "b1")]
    assert [(d.span.line, d.message) for d in findings(folder)] == [
        (line, f"`{cell}` has no `worth`") for line, cell in missed
    ]
