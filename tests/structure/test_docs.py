"""The examples of the language reference are the language: each is read, those that are whole are loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset import load_ruleset
from rulelang.ruleset.loader import SCHEMA
from rulelang.ruleset.scenarios import SCHEMA as SCENARIOS
from rulelang.ruleset.schema import validate
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.syntax import LANGUAGE_VERSION, parse_block, parse_expression, parse_piece_text, parse_rule_file

PAGE = Path(__file__).resolve().parents[2] / "docs" / "language.md"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VERSION = "rulelang 1\n"


def examples(language: str) -> list[object]:
    """The fenced blocks of a language, named by the line they start at."""
    page = PAGE.read_text(encoding="utf-8")
    found = [(page.count("\n", 0, m.start(2)) + 1, m.group(2)) for m in FENCE.finditer(page) if m.group(1) == language]
    return [pytest.param(text, id=f"line-{line}") for line, text in found]


def faults(parse: Callable[[Source, str, Diagnostics], object], text: str) -> list[str]:
    found = Diagnostics()
    parse(Source("example", text), text, found)
    return [f"{finding} {finding.hint}" for finding in found]


READINGS: dict[str, Callable[[Source, str, Diagnostics], object]] = {
    "declarations": lambda source, text, found: parse_rule_file(
        source if text.startswith("rulelang") else Source("example", VERSION + text), found
    ),
    "rule text of a piece": lambda source, text, found: parse_piece_text(source, text, 1, 1, 0, found),
    "statements": lambda source, text, found: parse_block(source, text, 1, 1, 0, found),
    "a value": lambda source, text, found: parse_expression(source, text, 1, 1, 0, found),
}


def test_there_are_examples_and_every_one_is_marked() -> None:
    """A code block says what it holds, so that it can be read here and coloured on the page."""
    assert {m.group(1) for m in FENCE.finditer(PAGE.read_text(encoding="utf-8"))} <= {"rule", "yaml", "text"}
    assert len(examples("rule")) >= 2
    assert len(examples("yaml")) >= 8


@pytest.mark.parametrize("text", examples("rule"))
def test_rule_examples_parse(text: str) -> None:
    """An example is declarations, rule text of a piece, statements or a value, without a fault."""
    readings = {name: faults(parse, text) for name, parse in READINGS.items()}
    assert [] in readings.values(), readings


@pytest.mark.parametrize("text", examples("yaml"))
def test_yaml_examples_fit_their_schema(text: str, tmp_path: Path) -> None:
    """A section fits the schema of rulesets or scenarios; what has a name and players is a ruleset that loads."""
    found = Diagnostics()
    whole = text if re.search(r"^rulelang:", text, re.MULTILINE) else f"rulelang: {LANGUAGE_VERSION}\n{text}"
    tree = read_yaml(Source("language.md", whole), found)
    assert tree is not None, [str(d) for d in found]
    validate(tree, SCENARIOS if tree.get("scenarios") is not None else SCHEMA, found)
    if tree.get("name") is not None and tree.get("players") is not None:
        (tmp_path / "ruleset.yaml").write_text(whole, encoding="utf-8")
        assert load_ruleset(tmp_path, diagnostics=found) is not None or len(found)
    assert [f"{d} {d.hint}" for d in found] == []
