"""Passes keep programs whole and their meaning, and each does what it is there for."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.cli import run
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Expr
from rulelang.ir.reader import parse_program
from rulelang.ir.text import print_program
from rulelang.ir.verify import verify
from rulelang.ir.walk import outermost, subexpressions
from rulelang.mir import PASSES, lowered
from rulelang.runtime.layout import Layout
from tests.soak import soaking

ROOT = Path(__file__).parents[2]
GAMES = [*sorted((ROOT / "benchmarks/games").glob("*/")), ROOT / "rulesets/draughts", ROOT / "rulesets/othello"]
SMALL = sorted((ROOT / "tests/conformance/rulesets").glob("*/"))
SHIPPED = [ROOT / "rulesets" / name for name in ("reco", "ldd", "imaginarium")]
FULL_OF_LOOPS = {"draughts", "othello"}
"""What passes change most."""
FEW = [folder for folder in (*SMALL[::5], *GAMES) if folder in SMALL or folder.name == "draughts"]


@cache
def layout_of(folder: Path) -> Layout:
    ruleset = rulelang.load(folder)
    return Machine(ruleset.program, ruleset.players[0]).layout


@pytest.mark.parametrize("folders", [FEW, [*SMALL, *GAMES], *soaking(SHIPPED)], ids=["few", "small", "shipped"])
def test_programs_stay_whole(folders: list[Path]) -> None:
    """After each pass a program is verified, and its text reads back to the same program."""
    for folder in folders:
        layout = layout_of(folder)
        for improve in PASSES.values():
            layout = improve(layout)
            verify(layout.program, temporaries=True)
        assert parse_program(print_program(layout.program)) == layout.program


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(
    "folder",
    [pytest.param(each, marks=() if each.name in FULL_OF_LOOPS else pytest.mark.soak, id=each.name) for each in GAMES],
)
def test_games_are_the_same(folder: Path) -> None:
    """Native code, which is printed after the passes, offers and plays what the interpreter does, which knows none."""
    ruleset = rulelang.load(folder)
    one, other = (ruleset.new_game(ruleset.players[0], 5, backend=name) for name in ("interpreter", "native"))
    picker = random.Random(1)
    for _ in range(40):
        if one.is_terminal():
            break
        seat = one.current_players()[0]  # where several choose at once, the first who has not chosen
        offered = [action.id for action in one.legal_actions(seat)]
        assert [action.id for action in other.legal_actions(seat)] == offered
        chosen = picker.choice(offered)
        one.apply(chosen, seat)
        other.apply(chosen, seat)
        assert one.hash() == other.hash()
    start = ruleset.executor(ruleset.players[0]).new_state(7, logging=False)
    ends = [start.clone(), start.clone()]
    for name, end in zip(("interpreter", "native"), ends, strict=True):
        ruleset.executor(ruleset.players[0], backend=name).random_playout(end)
    assert (ends[0].v, ends[0].z, ends[0].rng) == (ends[1].v, ends[1].z, ends[1].rng)


TABLE = """\
rulelang: 2
name: table
players: 2
grids: {Square: {columns: 8, rows: 8, adjacency: all}}
variables: {heap: {type: 0..9, per: Square}, n: {type: -999..999}}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          look(c in Square where near(c, n)): pass
          wait: pass
        n := RULE
  function near(c: Square, k: number) -> bool = heap[c] <= k
  function far(c: Square) -> number = count(Square where heap[it] > heap[c])
  function close(c: Square) -> bool = far(c8) > heap[c]
"""


def after(tmp_path: Path, rule: str, *passes: str) -> list[Expr]:
    """All parts of what `n` is set to, after these passes."""
    (tmp_path / "ruleset.yaml").write_text(TABLE.replace("RULE", rule), encoding="utf-8")
    program = rulelang.load(tmp_path).program
    layout = lowered(Machine(program, 2).layout, PASSES.keys() - set(passes))
    values = [
        value
        for code in layout.program.procedures
        for block in code.blocks
        for node in block.statements
        if node.op == "set_var" and layout.program.variables[int(str(node.args[0]))].name == "n"
        for value in node.args
        if isinstance(value, Expr)
    ]
    assert len(values) == 1
    return list(subexpressions(values[0]))


def ops(parts: list[Expr]) -> list[str]:
    return [part.op for part in parts]


def test_what_no_element_changes_is_shared(tmp_path: Path) -> None:
    """A call that reads nothing of the loop stands in a `let` around it, once; one that does stays inside."""
    found = ops(after(tmp_path, "count(Square where heap[it] != far(c8) and 9 - heap[it] != far(c8))", "share"))
    assert (found.count("let"), found.count("call")) == (1, 1)
    assert "let" not in ops(after(tmp_path, "count(Square where far(it) > 2)", "share"))


def test_emptiness_is_asked_of_the_first(tmp_path: Path) -> None:
    """`is empty` looks for one element; a number is still counted."""
    assert "count" not in ops(after(tmp_path, "1 if (Square where heap[it] = 2) is empty else 0", "exists"))
    assert "count" in ops(after(tmp_path, "1 if count(Square where heap[it] = 2) > 1 else 0", "exists"))


def test_domains_are_narrowed_by_what_comes_first(tmp_path: Path) -> None:
    """Of the 64 squares those are gone through that lie two away from c8: five in a row, two beside it, two
    beside those next to it; a condition that first reads the state goes through all."""
    rule = "count(Square where distance(c8, it) = 2 and heap[it] = 0)"
    parts = after(tmp_path, rule, "narrow")
    (word,) = [part for part in parts if part.op == "pick"]
    row: list[Any] = list(word.args[1:])
    assert [int(number).bit_count() for number in row] == [9]
    assert "elements" not in ops(after(tmp_path, "count(Square where heap[it] = 0 and distance(c8, it) = 2)", "narrow"))


def test_what_holds_of_a_set_is_one_comparison(tmp_path: Path) -> None:
    """Whether one of some squares lies beside c8 is asked of all of them; c8, at the edge, has five neighbours."""
    parts = after(tmp_path, "1 if any(distance(c8, s) = 1 for s in (Square where heap[it] = 1)) else 0", "narrow")
    assert "meets" in ops(parts)
    (word,) = [part for part in parts if part.op == "pick"]
    row: list[Any] = list(word.args[1:])
    assert [int(number).bit_count() for number in row] == [5]


def test_directions_and_seats_choose_rows(tmp_path: Path) -> None:
    """A table is read by a direction too (eight rows), and by a seat, which may be nobody's (one row more)."""
    rule = "sum(count(Square where it in ray(c8, way) and heap[it] = 0) for way in Direction)"
    (word,) = [part for part in after(tmp_path, rule, "narrow") if part.op == "pick"]
    assert len(word.args) == 1 + 8
    rule = "count(Square where (distance(c8, it) = 1 or (p = seat(1) and it = d8)) and heap[it] = 0)"
    (word,) = [part for part in after(tmp_path, rule, "narrow") if part.op == "pick"]
    row: list[Any] = list(word.args[1:])
    assert [int(number).bit_count() for number in row] == [5, 5, 5]


def test_membership_is_a_bit(tmp_path: Path) -> None:
    """Whether a square lies in a set that the loop does not change is one test of a word."""
    parts = ops(after(tmp_path, "count(Square where it in (Square where heap[it] = 1))", "share"))
    assert (parts.count("let"), parts.count("in_mask")) == (1, 1)


def test_blocks_to_which_many_ways_lead_stay_blocks(tmp_path: Path) -> None:
    """A function of forty conditions one after the other has more ways through it than can be written down."""
    ifs = "".join(f"    if heap[c] = {number % 10}: pass\n" for number in range(40))
    table = TABLE.replace("RULE", "many(c8)") + f"  function many(c: Square) -> number:\n{ifs}    return heap[c]\n"
    (tmp_path / "ruleset.yaml").write_text(table, encoding="utf-8")
    layout = Machine(rulelang.load(tmp_path).program, 2).layout
    (code,) = (code for code in PASSES["branches"](layout).program.procedures if code.name == "many")
    assert len(code.blocks) > 40


def test_passes_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """`compile --emit mir` prints what is left after the passes asked for; the others do nothing."""
    path = str(ROOT / "rulesets/othello")
    assert run(["compile", path, "--emit", "mir", "--passes", "exists"]) == 0
    assert "(let " not in capsys.readouterr().out
    assert run(["compile", path, "--emit", "mir"]) == 0
    assert "(let " in capsys.readouterr().out
    assert run(["compile", path, "--emit", "mir", "--passes", "magic"]) == 2
    assert "no pass `magic`" in capsys.readouterr().err
    assert run(["compile", path, "--passes", "share"]) == 2


def asked(tmp_path: Path, options: str) -> list[Expr]:
    """All parts of what the options of a decision ask, after the pass `cells`."""
    text = TABLE.replace("RULE", "0").replace("          look(c in Square where near(c, n)): pass\n", options)
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    layout = lowered(Machine(rulelang.load(tmp_path).program, 2).layout, PASSES.keys() - {"cells"})
    (node,) = layout.program.decisions
    return [part for item in node.items for outer in outermost(item) for part in subexpressions(outer)]


def test_what_options_have_in_common_is_in_a_cell(tmp_path: Path) -> None:
    """A call that no binder changes is made once, within an inlined function too; what is asked once is left alone."""
    lines = "          {}(c in Square) when {}: pass\n"
    parts = asked(tmp_path, lines.format("look", "far(c8) > heap[c]") + lines.format("see", "far(c8) = heap[c]"))
    assert sorted(str(part.args[0]) for part in parts if part.op == "cell") == ["0", "0"]
    inlined = asked(tmp_path, lines.format("look", "close(c)"))
    assert [part.op for part in inlined].count("cell") == 1
    assert "cell" not in ops(asked(tmp_path, lines.format("look", "far(c) > 2")))


def test_what_an_item_offers_is_known(tmp_path: Path) -> None:
    """Whether something passes a condition that an earlier item has for its options is whether that has options."""
    lines = "          look(c in Square) when heap[c] > far(c): pass\n"
    lines += "          see when any(heap[d] > far(d) for d in Square): pass\n"
    assert "offered" in ops(asked(tmp_path, lines))
    assert "offered" not in ops(asked(tmp_path, lines.replace("> far(d) for", "< far(d) for")))
