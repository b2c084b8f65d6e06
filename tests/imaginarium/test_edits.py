"""A designer's edits of Imaginarium: each a file of ten lines at most, tried, and caught if mistyped.

Enters: files of one overlay as a designer would write them, with scenarios worked out by hand. Leaves: nothing. All of
them are tried at once, as compiling the whole game is what takes long.
"""

from __future__ import annotations

from pathlib import Path

import rulelang
from rulelang.scenarios import run_scenarios
from tests.ldd.test_edits import MOST_LINES, Edit, checked

COST = Edit(
    overlay="""\
pieces:
  Machine:
    - {id: P2, cost: 1 crystal}
""",
    scenario="""\
  - name: a Menuisette costs a crystal
    given:
      zones: {"seat(0).workshop": [], "seat(0).yard": [P2]}
      variables: {"seat(0).goods": 1 crystal + 1 wood}
      do: "turn of seat(0): two_actions()"
    when: ["*=extract_repair", "repair:m=P2", pass]
    then: ["seat(0).goods = 1 wood"]
""",
    right="1 crystal",
    wrong="1 cristal",
    code="resource-unknown",
    hint="crystal",
)
MACHINE = Edit(
    overlay="""\
types: {Serial: {values: [p1, p2, p3, p4, p5, p6, t1, t2, t3, t4, a1, a2, a3, a4, a5, a6, d1, d2, d3, s1, s2, p7]}}
pieces:
  Machine:
    - {id: P7, serial: p7, role: production, level: 1, cost: 1 wood, alone: 2, paired: 5, tripled: 0, input: 0,
       partners: "[p7]", lightning: false, count: 2,
       rules: "on make(machine, n): goods += (yield_of(machine, n)) copper"}
words: {fr: {P7: "Doublette", p7: P7}}
""",
    # Two in one place: the second multiplier, 5 copper, which are more than three alike.
    scenario="""\
  - name: two of a new machine in one place
    given:
      zones: {"seat(0).workshop": [2 P7], study: [project_three_alike]}
      variables: {"seat(0).goods": 0 coal}
      do: |
        for m in seat(0).workshop: m.place := 1 + (max(seat(0).workshop.place) otherwise 0)
        turn of seat(0):
          regroup()
          run_machines(you)
          validate_projects()
    when: ["regroup:place=P7+P7", "run:m=P7*", done, "validate:*"]
    then: ["seat(0).goods = 5 copper", "seat(0).points = 3"]
""",
    right="role: production",
    wrong="role: produktion",
    code="name-unknown",
    hint="production",
)
ASSISTANT = Edit(
    overlay="""\
pieces:
  Assistant:
    - {id: miner, cost: 2, rules: "after collect(owner, spot): owner.goods += 2 coal"}
words: {fr: {miner: {one: mineur, gender: m}}}
""",
    # 3 of the third extractor, and 2 more.
    scenario="""\
  - name: a new assistant brings two more
    given:
      zones: {"seat(0).office": [miner]}
      variables: {"seat(0).goods": 0 coal}
      do: "turn of seat(0): collect(you, extractor3)"
    then: ["seat(0).goods = 5 coal"]
""",
    right="owner.goods",
    wrong="owner.godos",
    code="attribute-unknown",
    hint="goods",
)
PROJECT = Edit(
    overlay="""\
pieces:
  Project:
    - {id: project_two_attacks, points: 6, rules: "on met(project) = count(yard) >= 3"}
""",
    scenario="""\
  - name: a project for three broken machines
    given:
      zones: {"seat(0).yard": [3 P1], study: [project_two_attacks]}
      do: "turn of seat(0): validate_projects()"
    when: ["validate:project=project_two_attacks"]
    then: ["seat(0).points = 6"]
""",
    right="count(yard)",
    wrong="count(yrad)",
    code="name-unknown",
    hint="yard",
)
RULE = Edit(
    overlay="""\
rules: |
  quantity transactions(s: player) -> number = 1
""",
    scenario="""\
  - name: one transaction
    given:
      zones: {"seat(0).office": []}
      variables: {"seat(0).goods": 2 wood}
      do: "turn of seat(0): make_transactions()"
    when: ["sell:good=wood"]
    then: ["seat(0).goods = 1 wood + 1 coal", {over: true}]
""",
    right="player",
    wrong="plaier",
    code="type-unknown",
    hint="player",
)
EDITS = {"cost": COST, "machine": MACHINE, "assistant": ASSISTANT, "project": PROJECT, "rule": RULE}


def written(folder: Path, texts: dict[str, str]) -> Path:
    """One overlay, a file for each edit, with all scenarios."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text("rulelang: 2\nextends: imaginarium\n", encoding="utf-8")
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(f"rulelang: 2\n{text}", encoding="utf-8")
    scenarios = "".join(edit.scenario for edit in EDITS.values())
    (folder / "scenarios" / "edits.yaml").write_text(f"rulelang: 2\nscenarios:\n{scenarios}", encoding="utf-8")
    return folder


def test_edits_are_a_few_lines_and_do_what_they_say(tmp_path: Path) -> None:
    """Their scenarios hold with them, and none without."""
    assert all(len(edit.overlay.splitlines()) < MOST_LINES for edit in EDITS.values())
    ruleset = rulelang.load(written(tmp_path / "edited", {name: edit.overlay for name, edit in EDITS.items()}))
    results = list(run_scenarios(ruleset))
    assert len(results) == len(EDITS)
    assert {result.name: result.message for result in results if not result.ok} == {}


def test_slips_are_found_at_their_lines(tmp_path: Path) -> None:
    """One error each, in its file, at the line of the slip, with what was meant."""
    slips = {name: edit.overlay.replace(edit.right, edit.wrong) for name, edit in EDITS.items()}
    found = [row for row in checked(written(tmp_path / "slips", slips)) if row["severity"] == "error"]
    for name, edit in EDITS.items():
        assert edit.overlay.count(edit.right) == 1
        lines = f"rulelang: 2\n{edit.overlay}".splitlines()
        line = next(number for number, text in enumerate(lines, start=1) if edit.right in text)
        (error,) = [row for row in found if Path(row["file"]).name == f"{name}.yaml"]
        assert (error["line"], error["code"]) == (line, edit.code)
        assert f"`{edit.hint}`" in error["hint"]
