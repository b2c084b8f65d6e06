"""Lines of `when` that say whether they are chance or choice, what a failure adds, and files with mistakes."""

from __future__ import annotations

from pathlib import Path

import rulelang
from rulelang.scenarios import run_scenarios

YAML = """\
rulelang: 2
name: dice
title: {en: Dice}
players: 2
languages: [en]
variables:
  points: {type: 0..9, per: player}
rules: |
  play:
    turn of seat(0): act()

  rule act:
    points := roll 1 to 3
    choose:
      stay: pass
      again: points := roll 1 to 3

  score points: points
"""

SCENARIOS = """\
rulelang: 2
scenarios:
  - name: chance, then a choice
    when: [{chance: "act:points=2"}, {choice: again}, {chance: "act:points=3"}]
    then: ["seat(0).points = 3", {over: true}]
  - name: a choice is no chance
    when: [{choice: stay}]
    then: [{over: true}]
  - name: chance comes first
    when: ["act:points=2", {chance: "act:points=3"}]
    then: [{over: true}]
  - name: no chance is left
    when: ["act:points=2", stay, {chance: "act:points=3"}]
    then: [{over: true}]
  - name: a choice that is chance
    when: [{choice: "act:points=2"}]
    then: [{over: true}]
  - name: chance that is a choice
    when: [{chance: stay}]
    then: [{over: true}]
  - name: lines that took nothing
    when: ["act:points=2", stay, {maybe: again}]
    then: ["seat(0).points = 3"]
  - name: chance without a line
    when: [again, "act:points=3"]
    then: ["seat(0).points = 1"]
"""

MESSAGES = {
    "chance, then a choice": "",
    "a choice is no chance": "",
    "chance comes first": "`act:points=3` does not come up: seat 0 is asked first",
    "no chance is left": "`act:points=3` does not come up: the game is over",
    "a choice that is chance": "no option is called `act`",
    "chance that is a choice": "no outcome is called `stay`",
    "lines that took nothing": "\n`again` (line 22) was not offered, and took nothing",
    "chance without a line": "\nchance that `when` does not name: `act:points=",
}


def test_chance_choice_and_what_a_failure_adds(tmp_path: Path) -> None:
    """Each fails with what its name says; the two that hold pass."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "scenarios" / "a.yaml").write_text(SCENARIOS, encoding="utf-8")
    results = {result.name: result for result in run_scenarios(rulelang.load(tmp_path))}
    assert results.keys() == MESSAGES.keys()
    assert [r.message for r in results.values() if r.ok != (MESSAGES[r.name] == "")] == []
    assert [r.message for r in results.values() if MESSAGES[r.name] not in r.message] == []


def test_files_and_scenarios_with_mistakes_stop_no_others(tmp_path: Path) -> None:
    """Each is one failed result with its place; what is right in other files and in the same file runs."""
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    files = {
        "a": "rulelang: 2\nscenarios: [",
        "b": """\
rulelang: 2
scenarios:
  - name: wrong key
    then: [{offred: stay}]
    given: {sed: 1}
  - name: right
    then: [{asked: [0]}]
  - name: wrong word
    then: [{offered: stya}]
  - name: wrong case
    cases: [{a: 1}]
    then: ["$b = 1"]
""",
        "c": "rulelang: 2\nscenarios:\n  - {name: right, then: [{over: false}]}\n",
    }
    for name, text in files.items():
        (tmp_path / "scenarios" / f"{name}.yaml").write_text(text, encoding="utf-8")
    results = sorted((Path(r.file).name, r.line, r.name, r.ok) for r in run_scenarios(rulelang.load(tmp_path)))
    assert results == [
        ("a.yaml", 2, "a.yaml", False),
        ("b.yaml", 3, "wrong key", False),
        ("b.yaml", 6, "right", True),
        ("b.yaml", 8, "wrong word", False),
        ("b.yaml", 10, "wrong case", False),
        ("c.yaml", 3, "right", False),
    ]
