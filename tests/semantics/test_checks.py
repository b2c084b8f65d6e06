"""Every check refuses what is wrong, where it is wrong and for that reason alone, and accepts what is right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.messages.said import block, unsaid
from tests.offenders import emptied, none, offenders
from tests.semantics import (
    cases_citations,
    cases_flow,
    cases_names,
    cases_scenarios,
    cases_tables,
    cases_types,
    cases_values,
    cases_visibility,
    cases_words,
)
from tests.semantics.case import Case, Check, places

CHECKS: tuple[Check, ...] = (
    *cases_names.CHECKS,
    *cases_types.CHECKS,
    *cases_values.CHECKS,
    *cases_flow.CHECKS,
    *cases_tables.CHECKS,
    *cases_visibility.CHECKS,
    *cases_words.CHECKS,
    *cases_citations.CHECKS,
    *cases_scenarios.CHECKS,
)
WORDS = Path(__file__).with_name("words.txt")
SOURCES = Path(__file__).resolve().parents[2] / "rulelang" / "semantics"


def codes_in_source() -> set[str]:
    """The codes of all findings that the checker can make."""
    return {
        code
        for path in SOURCES.rglob("*.py")
        if path.parent.name != "lints"
        for code in re.findall(
            r'(?:error|warning|warn|unknown)\(\s*(?:shared, )?"([a-z]+-[a-z]+)"', path.read_text(encoding="utf-8")
        )
    }


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_check(check: Check, same_folder: Path, request: pytest.FixtureRequest) -> None:
    """Each wrong ruleset gives this code at the marked line, in these words, and no other finding; right ones none."""
    said = []

    def refused(case: Case) -> None:
        found = case.check(emptied(same_folder))
        said.append(block(found))
        wanted = [(check.code, *place) for place in case.marked()]
        assert places(found, same_folder) == wanted, "\n".join(map(str, found))

    def accepted(case: Case) -> None:
        assert list(map(str, case.check(emptied(same_folder)))) == []

    none(offenders(refused, check.wrong))
    none(unsaid(WORDS, request.node.callspec.id, said))
    none(offenders(accepted, (check.right, *check.also)))


def test_every_code_is_covered() -> None:
    """Each code that stands in the checker has three wrong rulesets and a right one here."""
    assert {check.code for check in CHECKS} == codes_in_source()
    assert [check.code for check in CHECKS if len(check.wrong) < 3] == []
