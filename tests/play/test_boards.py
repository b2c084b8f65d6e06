"""Boards as they are drawn: hexagons and triangles, edges and what is on them, the map of an option."""

from __future__ import annotations

from pathlib import Path

from .conftest import Play

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
C cat  . home no  x home yes  | wall yes  - wall yes
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
    assert "    a  b  c\n 1  x  .  .\n 2     C\n 3  .  .  .\nC cat  . home no  x home yes\n" in out
    assert " 2    .  A  .\nA ant\n" in out
