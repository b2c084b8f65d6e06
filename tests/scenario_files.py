"""The scenarios of a ruleset, read when a test first asks for them: reading all of them takes seconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, TypeVar

from rulelang.diagnostics import Diagnostics
from rulelang.game.situations import Suite
from rulelang.ruleset.scenarios import Scenario, scenarios_of
from rulelang.scenarios import Result, result_of
from rulelang.semantics.check import lint
from rulelang.semantics.checks.coverage import check_coverage
from tests import soak
from tests.shipped import shipped
from tests.sparse import IS_SPARSE

Read = TypeVar("Read")


@cache
def scenarios_in(name: str) -> tuple[Scenario, ...]:
    """Those of a shipped ruleset; all its files can be read."""
    findings = Diagnostics()
    found = tuple(scenarios_of(shipped(name).written, findings))
    assert not findings.has_errors
    return found


def sampled(name: str) -> tuple[Scenario, ...]:
    """Of the scenarios of a ruleset each fifth, and of each piece the first that names it; with `--soak` all."""
    scenarios, pieces = scenarios_in(name), {row.id for row in shipped(name).written.pieces}
    if soak.FACTOR > 1 or not IS_SPARSE:
        return scenarios
    kept = []
    for number, each in enumerate(scenarios):
        texts = [piece for _, given, _ in each.zones for _, piece in given] + [move.pattern for move in each.when]
        named = pieces & set(re.findall(r"\w+", " ".join([*texts, each.do.text if each.do else ""])))
        if number % 5 == 0 or named:
            kept.append(each)
        pieces -= named
    return tuple(kept)


def judged(name: str) -> tuple[list[str], list[Result]]:
    """What `check --strict` says of a shipped ruleset, and how each of the sampled scenarios goes: checking
    hundreds of scenarios takes seconds, and both would do it."""
    ruleset, scenarios, found = shipped(name), scenarios_in(name), Diagnostics()
    suite = Suite(ruleset, sampled(name))
    for code in suite.codes:
        found.extend(code.diagnostics)
    lint(ruleset.analysed, found, [procedure for code in suite.codes for procedure in code.procedures])
    check_coverage(ruleset.analysed.shared, scenarios, found)
    findings = [*ruleset.analysed.shared.diagnostics, *found]
    return [*map(str, findings)], [result_of(suite, code) for code in suite.codes]


def read_once(read: Callable[..., Read]) -> Callable[..., Read]:
    """Keep what a function reads of each scenario (the same object): tests ask hundreds of times for the same."""
    known: dict[tuple[object, ...], tuple[Scenario, Read]] = {}

    @wraps(read)
    def reading(scenario: Scenario, *more: Any) -> Read:
        key = (id(scenario), *more)
        if key not in known:
            known[key] = scenario, read(scenario, *more)
        return known[key][1]

    return reading
