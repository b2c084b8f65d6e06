"""The fragments of `docs/decisions/002-fragments.md`: rules of other games, as they would read, each a small ruleset.

Every folder checks without a finding, its scenarios hold, and random games at each number of players come to an end.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.interpreter.machine import Machine
from rulelang.scenarios import run_scenarios
from tests.offenders import of_each
from tests.shipped import checked, shipped
from tests.soak import times

FRAGMENTS = Path(__file__).parent
NAMES = sorted(path.parent.name for path in FRAGMENTS.glob("*/ruleset.yaml"))
SLOW = {"belt", "could_generate", "emitters", "garden", "push_chain"}
GAMES, FEW_GAMES = 16, 4
DOCUMENT = FRAGMENTS.parents[1] / "docs" / "decisions" / "002-fragments.md"
FLAGS = re.MULTILINE | re.DOTALL


@of_each(NAMES)
def test_each_fragment_checks_without_a_finding(name: str) -> None:
    assert checked(FRAGMENTS / name)


@pytest.mark.parametrize("name", NAMES)
def test_random_games_come_to_an_end(name: str) -> None:
    """At each number of players; a game that asks nothing at all would prove nothing."""
    compiled = shipped(FRAGMENTS / name).program
    for players in compiled.players:
        machine = Machine(compiled, players)
        decisions = 0
        for seed in range(times(FEW_GAMES if name in SLOW else GAMES)):
            state = machine.new_state(seed=seed, logging=False)
            machine.random_playout(state)
            assert state.over
            decisions += state.decisions
        assert decisions > 0


@pytest.mark.parametrize("name", NAMES)
def test_scenarios_hold(name: str) -> None:
    results = list(run_scenarios(shipped(FRAGMENTS / name)))
    assert results, "a fragment shows what it means by scenarios"
    assert {result.name: result.message for result in results if not result.ok} == {}


def excerpts() -> list[tuple[str, str]]:
    """The fragment and the text of each fenced block of the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    sections = re.split(r"^###? ", text, flags=re.MULTILINE)
    named = [(m.group(1), section) for section in sections if (m := re.match(r"`(\w+)`", section))]
    return [(name, block) for name, section in named for block in re.findall(r"^```rule\n(.*?)^```$", section, FLAGS)]


def test_the_document_shows_what_the_folders_hold() -> None:
    """Every line of an excerpt is a line of its fragment."""
    assert {name for name, _ in excerpts()} == set(NAMES)
    for name, block in excerpts():
        files = [path for path in (FRAGMENTS / name).iterdir() if path.suffix in (".yaml", ".rule")]
        lines = {line.strip() for path in files for line in path.read_text(encoding="utf-8").splitlines()}
        assert {line.strip() for line in block.splitlines()} <= lines, name
