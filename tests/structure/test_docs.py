"""The fenced blocks of the language reference: marked, and each fits the schema of what it shows.

Whole rulesets are checked and played in tests/docs/.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset.loader import SCHEMA
from rulelang.ruleset.scenarios import SCHEMA as SCENARIOS
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.syntax import LANGUAGE_VERSION, parse_block, parse_piece_text, parse_rule_file

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[object]:
    """The fenced blocks with their language, named by the line they start at."""
    page = PAGE.read_text(encoding="utf-8")
    return [
        pytest.param(m.group(1), m.group(2), id=f"line-{page.count(chr(10), 0, m.start(2)) + 1}")
        for m in FENCE.finditer(page)
    ]


def rule_faults(text: str) -> list[list[str]]:
    """What is wrong with a text when it is read as declarations, as rule text of a piece, and as statements."""
    file = text if text.startswith("rulelang") else f"rulelang {LANGUAGE_VERSION}\n{text}"
    readings = (
        lambda found: parse_rule_file(Source("language.md", file), found),
        lambda found: parse_piece_text(Source("language.md", text), text, 1, 1, 0, found),
        lambda found: parse_block(Source("language.md", text), text, 1, 1, 0, found),
    )
    faults = []
    for read in readings:
        found = Diagnostics()
        read(found)
        faults.append([str(d) for d in found])
    return faults


def yaml_faults(text: str) -> list[str]:
    """What does not fit the schema of rulesets, or of scenarios; a section alone is taken as part of a file."""
    found = Diagnostics()
    whole = text if re.search(r"^rulelang:", text, re.MULTILINE) else f"rulelang: {LANGUAGE_VERSION}\n{text}"
    tree = read_yaml(Source("language.md", whole), found)
    if tree is not None:
        validate(tree, SCENARIOS if tree.get("scenarios") is not None else SCHEMA, found)
    return [f"{d} {d.hint}" for d in found]


@pytest.mark.parametrize(("language", "text"), blocks())
def test_blocks_are_the_language(language: str, text: str) -> None:
    """Every block says what it holds and is that: YAML that fits its schema, or rules that parse."""
    assert language in {"yaml", "rule"}
    if language == "yaml":
        assert yaml_faults(text) == []
    else:
        assert [] in rule_faults(text), rule_faults(text)


def test_faults_are_seen() -> None:
    """The readings above do refuse: a section that does not exist, a statement that is none."""
    assert yaml_faults("zoness: {}\n") != []
    assert [] not in rule_faults("move to hand deck")
