"""The mistakes that people make: each is found, at the right line, alone, in words that lead to the fix."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import read_ruleset
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.semantics.check import analyse, check_rest, lint
from rulelang.semantics.scenarios.texts import check_scenarios
from tests.diagnostics_trial.mistakes import ROOT, Mistake
from tests.diagnostics_trial.pages import PAGES
from tests.diagnostics_trial.reco_nouns import IN_NOUNS
from tests.diagnostics_trial.reco_rules import IN_RULES
from tests.messages.said import block, unsaid
from tests.offenders import none

WORDS = Path(__file__).with_name("words.txt")
MISTAKES = (*IN_RULES, *IN_NOUNS, *PAGES)


def findings(folder: Path) -> Diagnostics:
    """All that `rulelang check` finds."""
    found = Diagnostics()
    ruleset, part, lost = read_ruleset(folder, diagnostics=found)
    if ruleset is None:
        if part is not None:
            check_rest(part, lost, found)
        return found
    analysed = analyse(ruleset, found)
    scenarios = scenarios_of(ruleset, found)
    if analysed is not None:
        _, codes = check_scenarios(analysed, scenarios)
        for code in codes:
            found.extend(code.diagnostics)
        if not found.has_errors:
            lint(analysed, found, [procedure for code in codes for procedure in code.procedures])
    return found


@pytest.mark.parametrize("mistake", MISTAKES, ids=[f"{m.base}: {m.name}" for m in MISTAKES])
def test_mistake(mistake: Mistake, same_folder: Path) -> None:
    """One finding, with its code, where the mistake stands; its words are those of the table and lead to the fix."""
    mistake.write(same_folder)
    found = list(findings(same_folder))
    none(unsaid(WORDS, f"{mistake.base}: {mistake.name}", [block(found)]))
    place = str(same_folder / (mistake.where or mistake.file)), mistake.line(same_folder)
    assert [(d.code, d.span.path, d.span.line) for d in found] == [(mistake.code, *place)], "\n".join(map(str, found))
    words = f"{found[0].message} {found[0].hint}"
    assert [text for text in mistake.says if text not in words] == []


def test_mistakes_in_yaml_and_rules_are_told_together(tmp_path: Path) -> None:
    """A wrong value in the YAML hides neither another one nor what is wrong in the rules, and nothing else is said."""
    shutil.copytree(ROOT / "rulesets" / "reco", tmp_path, dirs_exist_ok=True)
    for file, old, new in [
        ("ruleset.yaml", "visible: count", "visible: cout"),
        ("cards.yaml", "value: 1, ", "value: one, "),
        ("reco.rule", "shuffle stock", "shufle stock"),
        ("reco.rule", "fewest count(littered)", "fewest littered"),
    ]:
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    found = [(d.code, Path(d.span.path).name) for d in findings(tmp_path)]
    assert found == [
        ("name-unknown", "cards.yaml"),
        ("syntax-word", "reco.rule"),
        ("type-mismatch", "reco.rule"),
        ("schema-value", "ruleset.yaml"),
    ]


def test_names_are_distinct() -> None:
    """No mistake stands twice, and there are more than enough of them."""
    names = [(m.base, m.name) for m in MISTAKES]
    assert len(names) == len(set(names)) > 100
