"""A check that remembers what had no fault.

Enters: a path, overlays. Leaves: findings, equal to those of a check that remembers nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.diagnostics import Diagnostics
from rulelang.memory.meaning import Folder, folder_of
from rulelang.programs import is_checked, mark_checked
from rulelang.ruleset.files import find_folder
from rulelang.ruleset.loader import read_ruleset

if TYPE_CHECKING:
    from rulelang.ruleset.model import WrittenRuleset
    from rulelang.ruleset.scenarios import Scenario
    from rulelang.semantics.scenarios.texts import ScenarioCode
    from rulelang.semantics.tree.shared import Analysed


def check(path: str, overlays: tuple[str, ...], strict: bool = False, remembering: bool = True) -> Diagnostics:
    """Return all findings of a ruleset, its scenarios included.

    Args:
        strict: report passages of the rulebook that nothing cites.
        remembering: whether what is known from earlier checks is not looked at again.
    """
    place = find_folder(path, Diagnostics()) if remembering and not overlays else None
    folder = folder_of(place) if place is not None else None
    sort = "strict" if strict else "checked"
    key = folder.key if folder is not None else ""
    if folder is not None and key and folder.memory.get(sort, key) is not None:
        folder.memory.save()
        return Diagnostics()
    diagnostics = Diagnostics()
    ruleset, part, lost = read_ruleset(path, overlays, diagnostics=diagnostics)
    if ruleset is None:
        from rulelang.semantics.check import check_rest

        if part is not None:
            check_rest(part, lost, diagnostics)
        return diagnostics
    if folder is not None and not all(Path(layer.folder).is_relative_to(folder.outer) for layer in ruleset.layers):
        folder = None  # it is not known by its own files
    if folder is None and remembering and not len(diagnostics) and is_checked(ruleset, strict):
        return diagnostics
    _check(ruleset, folder, bool(overlays), strict, diagnostics)
    if not len(diagnostics) and folder is None:
        mark_checked(ruleset, strict)
    if not len(diagnostics) and folder is not None and key:
        folder.memory.put("checked", key, 1)
        if strict:
            folder.memory.put(sort, key, 1)
    if folder is not None:
        folder.memory.save()
    return diagnostics


def _check(
    ruleset: WrittenRuleset, folder: Folder | None, overlaid: bool, strict: bool, diagnostics: Diagnostics
) -> None:
    """Analyse a ruleset and check its scenarios."""
    from rulelang.ruleset.scenarios import scenarios_of
    from rulelang.semantics.check import analyse, lint
    from rulelang.semantics.checks.coverage import check_coverage
    from rulelang.semantics.scenarios.texts import check_scenarios

    analysed = analyse(ruleset, diagnostics)
    if analysed is not None and folder is not None and not strict and not len(diagnostics):
        if _nothing_new_is_wrong(ruleset, analysed, folder):
            return
    scenarios = scenarios_of(ruleset, diagnostics)
    if analysed is None:
        return
    _, codes = check_scenarios(analysed, scenarios)
    for code in codes:
        if not overlaid or _stands_in_overlay(ruleset, code.scenario):
            diagnostics.extend(code.diagnostics)
    if not diagnostics.has_errors:
        lint(analysed, diagnostics, [procedure for code in codes for procedure in code.procedures])
    if folder is not None and not len(diagnostics):
        _learn(analysed, folder, codes)
    if strict:
        check_coverage(analysed.shared, scenarios, diagnostics)


def _nothing_new_is_wrong(ruleset: WrittenRuleset, analysed: Analysed, folder: Folder) -> bool:
    """Check the scenarios that are not known, and the lints with what the others call; return whether nothing is found.

    If something is, or may be, all scenarios are to be checked.
    """
    from rulelang.memory.items import known_items
    from rulelang.ruleset.scenarios import scenarios_of
    from rulelang.semantics.check import lint
    from rulelang.semantics.scenarios.face import face_of
    from rulelang.semantics.scenarios.texts import check_scenarios

    known = known_items(folder.memory, face_of(analysed), folder.scenarios)
    if not known.names:
        return False
    findings = Diagnostics()
    scenarios = scenarios_of(ruleset, findings, known.instead)
    names = [*known.names, *(scenario.name for scenario in scenarios)]
    _, codes = check_scenarios(analysed, scenarios)
    if len(findings) or len(names) > len({*names}) or any(len(code.diagnostics) for code in codes):
        return False
    procedures = [procedure for code in codes for procedure in code.procedures]
    if not lint(analysed, findings, procedures, known.called) or len(findings):
        return False
    _learn(analysed, folder, codes)
    return True


def _learn(analysed: Analysed, folder: Folder, codes: list[ScenarioCode]) -> None:
    """Keep the items of the scenarios, of which none has a finding."""
    from rulelang.memory.items import learn_items
    from rulelang.semantics.scenarios.face import face_of

    if codes:
        learn_items(folder.memory, face_of(analysed), folder.scenarios, analysed, codes)


def _stands_in_overlay(ruleset: WrittenRuleset, scenario: Scenario) -> bool:
    """Return whether a scenario stands in an overlay. Those below were correct without it; `test` shows what it
    changes."""
    first = next(number for number, layer in enumerate(ruleset.layers) if layer.named)
    return ruleset.layer_of(scenario.span) > first
