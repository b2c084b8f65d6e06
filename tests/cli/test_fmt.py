"""The one layout, in rule files and in YAML."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.resources import shipped_rulesets
from tests.cli.conftest import Run

YAML = """\
rulelang: 2
name: tiny   # YAML itself stays as it is
players:  2
kinds: {Card: {active: [row], start: row}}
pieces:
  Card:
    - id: smith
      rules: |
          modify   cost(c)  :  minus 1
          # why not

          scores:2*count( row )
zones: {row: {holds: Card, per: player}}
rules: |
  play:
      for p in players:   # each once
          turn of p:   pass
  quantity cost(c: Card)->number=3
  score none_at_all : 0
words: {en: {row: "the  row"}}
"""

NEAT = """\
rulelang: 2
name: tiny   # YAML itself stays as it is
players:  2
kinds: {Card: {active: [row], start: row}}
pieces:
  Card:
    - id: smith
      rules: |
          modify cost(c): minus 1
          # why not

          scores: 2 * count(row)
zones: {row: {holds: Card, per: player}}
rules: |
  play:
    for p in players:  # each once
      turn of p: pass

  quantity cost(c: Card) -> number = 3
  score none_at_all: 0
words: {en: {row: "the  row"}}
"""


def test_rules_in_yaml(rulelang: Run) -> None:
    """Blocks after `rules: |` are laid out where they stand; the YAML around them is not touched; twice is once."""
    Path("tiny").mkdir()
    file = Path("tiny/ruleset.yaml")
    file.write_text(YAML, encoding="utf-8")
    done = rulelang("fmt", "tiny", "--check")
    assert (done.status, done.out) == (1, "tiny/ruleset.yaml: would be changed\n")
    assert file.read_text(encoding="utf-8") == YAML
    assert rulelang("fmt", "tiny").status == 0
    assert file.read_text(encoding="utf-8") == NEAT
    assert rulelang("fmt", "tiny/ruleset.yaml", "--check").status == 0


def test_a_mistake_in_yaml_keeps_the_file(rulelang: Run) -> None:
    """A syntax error is shown at its line of the YAML file, and nothing is changed."""
    Path("tiny").mkdir()
    file = Path("tiny/ruleset.yaml")
    wrong = YAML.replace("turn of p:   pass", "turn of p   pass")
    file.write_text(wrong, encoding="utf-8")
    done = rulelang("fmt", "tiny")
    assert done.status == 1
    assert "tiny/ruleset.yaml:17:" in done.err
    assert file.read_text(encoding="utf-8") == wrong


@pytest.mark.parametrize("folder", sorted(file.parent for file in shipped_rulesets().rglob("ruleset.yaml")), ids=str)
def test_shipped_rulesets_are_in_the_one_layout(rulelang: Run, folder: Path) -> None:
    """`fmt --check` finds nothing in what we ship, variants included."""
    done = rulelang("fmt", str(folder), "--check")
    assert (done.status, done.out) == (0, "")
