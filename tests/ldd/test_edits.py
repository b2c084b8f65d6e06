"""A designer's edits of Les Derniers Droïdes: each an overlay of ten lines at most, tried, and caught if mistyped.

Enters: overlays as a designer would write them, with scenarios worked out by hand. Leaves: nothing. Costs, gains and
points that a scenario relies on are those that the overlay itself says.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
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
rulelang: 1
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
rulelang: 1
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
rulelang: 1
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
rulelang: 1
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


def written(folder: Path, edit: Edit, text: str | None = None) -> Path:
    """The overlay as a folder with its scenarios."""
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(text or edit.overlay, encoding="utf-8")
    (folder / "scenarios" / "edit.yaml").write_text(f"rulelang: 1\nscenarios:\n{edit.scenario}", encoding="utf-8")
    return folder


def checked(*arguments: str | Path) -> list[dict[str, Any]]:
    """What `rulelang check` finds."""
    done = CliRunner().invoke(command, ["check", *map(str, arguments), "--format", "json"])
    found: list[dict[str, Any]] = json.loads(done.stdout)["diagnostics"]
    assert (done.exit_code == 0) == (not any(finding["severity"] == "error" for finding in found))
    return found


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_a_few_lines_and_does_what_it_says(tmp_path: Path, name: str) -> None:
    """It checks clean as a variant and as an overlay, its scenarios hold, and games of every size end with it."""
    edit = EDITS[name]
    folder = written(tmp_path / name, edit)
    assert len(edit.overlay.splitlines()) <= MOST_LINES
    assert checked(folder) == []
    assert checked("ldd", "--overlay", folder) == []
    ruleset = rulelang.load(folder)
    results = list(run_scenarios(ruleset))
    assert results
    assert {result.name: result.message for result in results if not result.ok} == {}
    for players in ruleset.players:
        assert 0 < play_game(ruleset.executor(players), 3).decisions < int(ruleset.info.limits["decisions"])


@pytest.mark.parametrize("name", EDITS)
def test_the_base_does_not_do_it(tmp_path: Path, name: str) -> None:
    """Without the overlay no scenario of it holds: what it shows is the overlay's doing."""
    edit = EDITS[name]
    folder = written(tmp_path / name, edit, "rulelang: 1\nextends: ldd\n")
    assert not any(result.ok for result in run_scenarios(rulelang.load(folder)))


@pytest.mark.parametrize("name", EDITS)
def test_a_slip_is_found_at_its_line(tmp_path: Path, name: str) -> None:
    """One error, in the overlay, at the line and place of the slip, with what was meant."""
    edit = EDITS[name]
    assert edit.overlay.count(edit.right) == 1
    folder = written(tmp_path / name, edit, edit.overlay.replace(edit.right, edit.wrong))
    lines = edit.overlay.splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if edit.right in text)
    (found,) = [finding for finding in checked(folder) if finding["severity"] == "error"]
    assert (Path(found["file"]).name, found["line"]) == ("ruleset.yaml", line)
    assert found["code"] == edit.code
    assert f"`{edit.hint}`" in found["hint"]
