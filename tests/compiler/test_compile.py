"""Every ruleset at hand compiles to a program that verifies, prints, and parses back equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostics
from rulelang.ir.program import Program
from rulelang.ir.reader import parse_program
from rulelang.ir.text import print_program
from rulelang.ir.verify import verify
from rulelang.ruleset.loader import load_ruleset
from rulelang.semantics.check import check

ROOT = Path(__file__).parents[2]
RULESETS = ("rulesets", "tests/conformance/rulesets")
FOLDERS = sorted(p.parent for folder in RULESETS for p in ROOT.glob(f"{folder}/*/ruleset.yaml"))


def compiled(folder: Path) -> Program:
    """The program of a ruleset that has no findings."""
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    assert ruleset is not None
    checked = check(ruleset, found)
    assert not list(found), [str(d) for d in found]
    assert checked is not None
    return compile_ruleset(checked)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_program_goes_through_text(folder: Path) -> None:
    """Print, parse, print again: equal programs and equal texts; compiled a second time the program is the same."""
    program = compiled(folder)
    verify(program)
    text = print_program(program)
    again = parse_program(text)
    assert again == program
    assert print_program(again) == text
    assert compiled(folder) == program
