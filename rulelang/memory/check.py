"""A check that remembers what had no fault.

Enters: a path, overlays. Leaves: findings, equal to those of a check that remembers nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
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
    from rulelang.semantics.tree.uses import Uses


def check(path: str, overlays: tuple[str, ...], strict: bool = False, remembering: bool = True) -> Diagnostics:
    """Return all findings of a ruleset, its scenarios included.

    Args:
        strict: report passages of the rulebook that nothing cites.
        remembering: whether what is known from earlier checks is not looked at again.
    """
    return deque(checking(path, overlays, strict, remembering), maxlen=1)[0]


def checking(
    path: str | Path,
    overlays: tuple[str, ...] = (),
    strict: bool = False,
    remembering: bool = True,
    instead: Mapping[Path, str] | None = None,
    note: Callable[[Analysed], None] | None = None,
    uses: Uses | None = None,
) -> Iterator[Diagnostics]:
    """Check as `check` does, and yield the findings so far wherever whoever waits may go on with something else: first
    those of the rules and of YAML.

    Args:
        instead: texts in place of those of files, by their real paths.
        note: gets the analysed ruleset, if its rules have no errors; then nothing is left out that is known to be
            faultless. uses: receives the places of names.
    """
    place = find_folder(path, Diagnostics()) if remembering and not overlays else None
    folder = folder_of(place, instead) if place is not None else None
    sort = "strict" if strict else "checked"
    key = folder.key if folder is not None else ""
    if folder is not None and key and note is None and folder.memory.get(sort, key) is not None:
        folder.memory.save()
        yield Diagnostics()
        return
    diagnostics = Diagnostics()
    ruleset, part, lost = read_ruleset(path, overlays, diagnostics=diagnostics, instead=instead)
    if ruleset is None:
        from rulelang.semantics.check import check_rest

        if part is not None:
            check_rest(part, lost, diagnostics)
        yield diagnostics
        return
    if folder is not None and not all(Path(layer.folder).is_relative_to(folder.outer) for layer in ruleset.layers):
        folder = None  # it is not known by its own files
    if folder is None and remembering and not instead and not len(diagnostics) and is_checked(ruleset, strict):
        yield diagnostics
        return
    from rulelang.semantics.check import analyse

    analysed = analyse(ruleset, diagnostics, uses)
    if analysed is not None and note is not None:
        note(analysed)
    yield diagnostics
    if folder is not None and key and not strict and not len(diagnostics) and folder.memory.get(sort, key) is not None:
        return
    yield from _scenarios(ruleset, analysed, folder, bool(overlays), strict, diagnostics, instead or {})
    if not len(diagnostics) and folder is None and not instead:
        mark_checked(ruleset, strict)
    if not len(diagnostics) and folder is not None and key:
        folder.memory.put("checked", key, 1)
        if strict:
            folder.memory.put(sort, key, 1)
    if folder is not None:
        folder.memory.save()
    yield diagnostics


def _scenarios(
    ruleset: WrittenRuleset,
    analysed: Analysed | None,
    folder: Folder | None,
    overlaid: bool,
    strict: bool,
    diagnostics: Diagnostics,
    instead: Mapping[Path, str],
) -> Iterator[Diagnostics]:
    """Check the scenarios of an analysed ruleset (None: it has errors), and warn of what is hardly meant."""
    from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
    from rulelang.semantics.check import lint
    from rulelang.semantics.checks.coverage import check_coverage
    from rulelang.semantics.scenarios.texts import checking_scenarios

    if analysed is not None and folder is not None and not strict:  # warnings of its rules stay as they are
        if (yield from _nothing_new_is_wrong(ruleset, analysed, folder, diagnostics)):
            return
    scenarios = scenarios_of(ruleset, diagnostics, unsaved_scenarios(ruleset, instead))
    if analysed is None:
        return
    codes: list[ScenarioCode] = []
    for code in checking_scenarios(analysed, scenarios):
        codes.append(code)
        yield diagnostics
    for code in codes:
        if not overlaid or _stands_in_overlay(ruleset, code.scenario):
            diagnostics.extend(code.diagnostics)
    if not diagnostics.has_errors:
        lint(analysed, diagnostics, [procedure for code in codes for procedure in code.procedures])
    if folder is not None and not len(diagnostics):
        _learn(analysed, folder, codes)
    if strict:
        check_coverage(analysed.shared, scenarios, diagnostics)


def _nothing_new_is_wrong(
    ruleset: WrittenRuleset, analysed: Analysed, folder: Folder, so_far: Diagnostics
) -> Generator[Diagnostics, None, bool]:
    """Check the scenarios that are not known, and the lints with what the others call; return whether nothing is found.

    If something is, or may be, all scenarios are to be checked.
    """
    from rulelang.memory.items import known_items
    from rulelang.ruleset.scenarios import scenarios_of
    from rulelang.semantics.check import lint
    from rulelang.semantics.scenarios.face import face_of
    from rulelang.semantics.scenarios.texts import checking_scenarios

    known = known_items(folder.memory, face_of(analysed), folder.scenarios)
    if not known.names:
        return False
    findings = Diagnostics()
    scenarios = scenarios_of(ruleset, findings, known.instead)
    names = [*known.names, *(scenario.name for scenario in scenarios)]
    codes: list[ScenarioCode] = []
    for code in checking_scenarios(analysed, scenarios):
        codes.append(code)
        yield so_far
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
