"""The scenarios of a ruleset, read when a test first asks for them: reading all of them takes seconds."""

from __future__ import annotations

from functools import cache

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.scenarios import Scenario, scenarios_of
from tests.shipped import shipped


@cache
def scenarios_in(name: str) -> tuple[Scenario, ...]:
    """Those of a shipped ruleset; all its files can be read."""
    findings = Diagnostics()
    found = tuple(scenarios_of(shipped(name).written, findings))
    assert not findings.has_errors
    return found
