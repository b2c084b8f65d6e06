"""A line that can't be parsed is shown as it was probably meant, or another one of its form."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from syntax_helpers import findings

from rulelang.syntax.rewording import fits
from rulelang.syntax.sentences import parses

EXAMPLES = tomllib.loads((Path("rulelang") / "syntax" / "examples.toml").read_text(encoding="utf-8"))["examples"]
MEANT = {
    "draw 3 form deck to hand": "draw 3 from deck to hand",
    "let x = hand sorted by it.value": "let x = hand sorted by most it.value",
    "if hand empty: stop": "if hand is empty: stop",
    "repeat 3 tims: stop": "repeat 3 times: stop",
}


@pytest.mark.parametrize("line", MEANT)
def test_nearest_line(line: str) -> None:
    """One or two words put in, taken away or spelt as they are."""
    found = findings(f"rulelang 2\nplay:\n  {line}\n")
    assert [re.findall("write `(.+)`", each) for each in found] == [[MEANT[line]]]


def test_examples_are_of_the_language() -> None:
    """Each line that is shown can be parsed: as a declaration, a statement, a value or a type."""
    wrong = [
        line
        for line in EXAMPLES.values()
        if not (
            fits(line, True)
            or fits(line, False)
            or parses([line], "type_text")
            or parses([line], "expression_text")
            or parses([f"{line} pass"], "rule_file")
            or parses([line, "  x: pass"], "piece_text")
            or parses([line, "  exchange swap: 1 nut -> 1 oil"], "rule_file")
        )
    ]
    assert wrong == []
