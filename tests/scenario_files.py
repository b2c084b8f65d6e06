"""The scenarios of a ruleset, read when a test first asks for them: reading all of them takes seconds."""

from __future__ import annotations

from functools import cache

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.scenarios import Scenario, scenarios_of


@cache
def scenarios_in(name: str) -> tuple[Scenario, ...]:
    """Those of a shipped ruleset; all its files can be read."""
    findings = Diagnostics()
    found = tuple(scenarios_of(rulelang.load(name).written, findings))
    assert not findings.has_errors
    return found
