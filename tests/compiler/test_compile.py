"""Every ruleset at hand compiles to a program that verifies, prints, and parses back equal."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.compiler import compile_ruleset
from rulelang.ir.reader import parse_program
from rulelang.ir.text import print_program
from rulelang.ir.verify import verify
from tests.shipped import checked

ROOT = Path(__file__).parents[2]
RULESETS = ("rulesets", "tests/conformance/rulesets")
FOLDERS = sorted(p.parent for folder in RULESETS for p in ROOT.glob(f"{folder}/*/ruleset.yaml"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)
def test_program_goes_through_text(folder: Path) -> None:
    """Print, parse, print again: equal programs and equal texts; compiled a second time the program is the same."""
    program = compile_ruleset(checked(folder).checked)
    verify(program)
    text = print_program(program)
    again = parse_program(text)
    assert again == program
    assert print_program(again) == text
    assert compile_ruleset(checked(folder).checked) == program
