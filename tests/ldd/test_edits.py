"""A designer's edits of Les Derniers Droïdes: each an overlay of ten lines at most, tried, and caught if mistyped.

Enters: overlays as a designer would write them, with scenarios worked out by hand. Leaves: nothing. Costs, gains and
points that a scenario relies on are those that the overlay itself says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import rulelang
from rulelang.cli import rulelang as command
from rulelang.scenarios import run_scenarios
from rulelang.simulate import play_game

MOST_LINES = 10


@dataclass(frozen=True)
class Edit:
    """What a designer writes, the scenario that shows what it does, and a slip with what `check` says of it."""

    overlay: str
    scenario: str
    right: str
    wrong: str
    code: str
    hint: str


COST = Edit(
    overlay="""\
rulelang: 2
extends: ldd
pieces:
  Droid:
    - {id: d4, cost: 1 energy}
""",
    # 2 nut + 1 energy less 1 energy; before, 4 cost oil and a circuit, of which there is none.
    scenario="""\
  - name: droid 4 costs an energy
    given:
      players: 2
      zones: {"seat(0).given": [d4]}
      variables: {"seat(0).shed": 2 nut + 1 energy}
      do: "turn of seat(0): act()"
    when: [repair]
    then: ["seat(0).shed = 2 nut", "count(seat(0).repaired) = 1"]
""",
    right="1 energy",
    wrong="1 enery",
    code="resource-unknown",
    hint="energy",
)
CARD = Edit(
    overlay="""\
rulelang: 2
extends: ldd
pieces:
  Droid:
    - {id: d103, season: season1, mark: 2, family: collecting, cost: 1 oil, gain: 1 circuit, points: 4, leaves: 0,
       interest: 5, count: 2, rules: "on when_repaired(card): shed += 2 nut"}
""",
    # 1 oil paid, 2 nut from the effect; 4 printed points; 16 cards of season I and two more.
    scenario="""\
  - name: droid 103 brings two nuts and is worth four points
    given:
      players: 2
      zones: {"seat(0).given": [d103]}
      variables: {"seat(0).shed": 1 oil}
      do: "turn of seat(0): act()"
    when: [repair]
    then: ["seat(0).shed = 2 nut", {lines: {printed: [4, 0]}}]
  - name: two of it are in the first season
    given: {players: 2, do: pass}
    then: ["count(deck[left, season1]) = 18"]
""",
    right="collecting",
    wrong="colecting",
    code="name-unknown",
    hint="collecting",
)
HOUSE = Edit(
    overlay="""\
rulelang: 2
extends: ldd
pieces:
  House:
    - id: h103
      cost: 2 nut
      points: 4
      solo: true
      rules: |
        scores: max(this.points, 3 * count(repaired where it.season = season1))
""",
    # 2, 3 and 4 are of season I, 17 of season II: 3 * 3 = 9. Without any: the least, 4.
    scenario="""\
  - name: house 103 counts droids of season I
    given:
      players: 2
      zones: {"seat(0).built": [h103], "seat(0).repaired": [d2, d3, d4, d17], "seat(1).repaired": [d5]}
      do: pass
    then: [{lines: {h103: [9, 0]}}]
  - name: and is worth four points without one
    given: {players: 2, zones: {"seat(0).built": [h103], "seat(0).repaired": [d17]}, do: pass}
    then: [{lines: {h103: [4, 0]}}]
  - name: it is constructed for two nuts
    given:
      players: 2
      zones: {"standing[Front(0, 1)]": [h103, h45], "seat(0).given": [d2]}
      variables: {"seat(0).shed": 3 nut}
      do: "turn of seat(0): act()"
    when: ["construct:home=h103"]
    then: ["seat(0).shed = 1 nut", "h103 in seat(0).built"]
""",
    right="it.season =",
    wrong="it.seeson =",
    code="attribute-unknown",
    hint="season",
)
EXCHANGE = Edit(
    overlay="""\
rulelang: 2
extends: ldd
rules: |
  exchange trio in swaps once per phase: 1 nut + 1 oil + 1 circuit -> 2 energy
words:
  fr: {trio: "échanger {pay} contre {gain}"}
  en: {trio: "exchange {pay} for {gain}"}
""",
    # 2 nut + 2 oil + 2 circuit less one of each, 2 energy more; not twice in a phase.
    scenario="""\
  - name: one of each buys two energies, once
    given:
      players: 2
      variables: {"seat(0).shed": 2 nut + 2 oil + 2 circuit, "seat(1).shed": 1 nut}
      do: exchange_phase()
    when: ["trio:*"]
    then: ["seat(0).shed = 1 nut + 1 oil + 1 circuit + 2 energy", {refused: "trio*", missing: "already done once *"}]
  - name: without a circuit it can't be made
    given:
      players: 2
      variables: {"seat(0).shed": 2 nut + 1 oil, "seat(1).shed": 1 nut}
      do: exchange_phase()
    then: [{refused: "trio*", missing: "lacks 1 circuit board"}]
""",
    right="in swaps",
    wrong="in swap",
    code="name-unknown",
    hint="swaps",
)
EDITS = {"cost": COST, "card": CARD, "house": HOUSE, "exchange": EXCHANGE}


def written(folder: Path, overlays: dict[str, str]) -> Path:
    """Write one overlay with a file for each edit, and the scenarios of all edits; compiling it takes long."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text("rulelang: 2\nextends: ldd\n", encoding="utf-8")
    for name, overlay in overlays.items():
        (folder / f"{name}.yaml").write_text(overlay.replace("extends: ldd\n", ""), encoding="utf-8")
    scenarios = "".join(edit.scenario for edit in EDITS.values())
    (folder / "scenarios" / "edits.yaml").write_text(f"rulelang: 2\nscenarios:\n{scenarios}", encoding="utf-8")
    return folder


def checked(*arguments: str | Path) -> list[dict[str, Any]]:
    """What `rulelang check` finds."""
    done = CliRunner().invoke(command, ["check", *map(str, arguments), "--format", "json"])
    found: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    assert (done.exit_code == 0) == (not any(finding["severity"] == "error" for finding in found))
    return found


def test_edits_are_a_few_lines_and_do_what_they_say(tmp_path: Path) -> None:
    """They check clean, their scenarios hold, and games of every size end with them."""
    assert [name for name, edit in EDITS.items() if len(edit.overlay.splitlines()) > MOST_LINES] == []
    folder = written(tmp_path / "edited", {name: edit.overlay for name, edit in EDITS.items()})
    assert checked(folder) == []
    ruleset = rulelang.load(folder)
    results = list(run_scenarios(ruleset))
    assert len(results) == sum(edit.scenario.count("- name: ") for edit in EDITS.values())
    assert {result.name: result.message for result in results if not result.ok} == {}
    for players in ruleset.players:
        assert 0 < play_game(ruleset.executor(players), 3).decisions < int(ruleset.info.limits["decisions"])


def test_the_base_does_not_do_it(tmp_path: Path) -> None:
    """Without the edits no scenario of theirs holds: what they show is the edits' doing."""
    results = list(run_scenarios(rulelang.load(written(tmp_path / "bare", {}))))
    assert results
    assert [result.name for result in results if result.ok] == []


def test_slips_are_found_at_their_lines(tmp_path: Path) -> None:
    """One error each, in its file, at the line of the slip, with what was meant."""
    slips = {name: edit.overlay.replace(edit.right, edit.wrong) for name, edit in EDITS.items()}
    errors = [finding for finding in checked(written(tmp_path / "slips", slips)) if finding["severity"] == "error"]
    assert len(errors) == len(EDITS)
    for name, edit in EDITS.items():
        assert edit.overlay.count(edit.right) == 1
        lines = edit.overlay.replace("extends: ldd\n", "").splitlines()
        line = next(number for number, text in enumerate(lines, start=1) if edit.right in text)
        (error,) = [error for error in errors if Path(error["file"]).name == f"{name}.yaml"]
        assert (error["line"], error["code"]) == (line, edit.code)
        assert f"`{edit.hint}`" in error["hint"]
