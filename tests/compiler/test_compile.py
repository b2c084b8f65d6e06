"""Every ruleset at hand compiles to a program that verifies, prints, and parses back equal; the checked tree stays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rulelang.compiler import compile_ruleset
from rulelang.ir.reader import parse_program
from rulelang.ir.table import from_table, to_table
from rulelang.ir.text import print_program
from rulelang.semantics.combination.dispatch import dispatch
from tests.shipped import checked, shipped

ROOT = Path(__file__).parents[2]
RULESETS = ("rulesets", "tests/conformance/rulesets")
FOLDERS = sorted(p.parent for folder in RULESETS for p in ROOT.glob(f"{folder}/*/ruleset.yaml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_program_goes_through_text(folder: Path) -> None:
    """Print, parse, print again: equal programs and equal texts; compiled a second time the program is the same.
    Whatever is compiled is verified. What is played is known by what it declares, not by its files."""
    program = compile_ruleset(checked(folder))
    text = print_program(program)
    again = parse_program(text)
    assert again == program
    assert print_program(again) == text
    assert from_table(to_table(program)) == program
    played = shipped(folder).program
    assert played == replace(program, hash=played.hash)


def test_the_checked_tree_stays() -> None:
    """Lowering adds nothing to what the checker made: no statement or local to a body, no variable, no procedure."""
    checked_tree = checked(ROOT / "rulesets/ldd").checked

    def size() -> list[object]:
        bodies = [(len(p.body.parameters), len(p.body.locals), p.body.statements) for p in checked_tree.procedures]
        return [len(checked_tree.variables), bodies]

    before = size()
    made = dispatch(checked_tree)
    compile_ruleset(checked(ROOT / "rulesets/ldd"))
    assert size() == before
    tables = (checked_tree.events, checked_tree.quantities, checked_tree.abilities)
    engine = {info.procedure for table in tables for info in table.values()}
    assert engine | {group.trade for group in checked_tree.groups.values()} <= set(made)
    assert not any(p.body.statements for p in made)
