"""A check that remembers what had no fault.

Enters: a path, overlays. Leaves: findings, equal to those of a check that remembers nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.diagnostics import Diagnostics
from rulelang.memory.meaning import Folder, folder_of
from rulelang.programs import is_checked, mark_checked
from rulelang.ruleset.files import find_folder
from rulelang.ruleset.loader import read_ruleset

if TYPE_CHECKING:
    from rulelang.ruleset.missing import Lost
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


@dataclass
class LastAnalysis:
    """What came of a ruleset's rules when a process that stays analysed them last.

    Attributes:
        read: the files that were read, see `Folder.read_by_analysis`; None where others were read, too.
        ruleset: None if its files have errors. analysed: None if its rules have. partly: then what there is of it.
        findings: of both. uses: the places of names.
    """

    read: Mapping[str, bytes] | None = None
    ruleset: WrittenRuleset | None = None
    analysed: Analysed | None = None
    partly: Analysed | None = None
    findings: Diagnostics = field(default_factory=Diagnostics)
    uses: Uses | None = None

    def is_of(self, folder: Folder | None) -> bool:
        """Return whether an analysis of a folder as it is now would come to the same."""
        return folder is not None and self.read is not None and self.read == folder.read_by_analysis


def checking(
    path: str | Path,
    overlays: tuple[str, ...] = (),
    strict: bool = False,
    remembering: bool = True,
    instead: Mapping[Path, str] | None = None,
    files: Folder | None = None,
    last: LastAnalysis | None = None,
) -> Iterator[Diagnostics]:
    """Check as `check` does, and yield the findings so far wherever whoever waits may go on with something else: first
    those of the rules and of YAML.

    Args:
        instead: texts in place of those of files, by their real paths.
        files: the ruleset's folder with those texts, if it has been read; who reads it saves what is learnt of it.
        last: the last analysis of the ruleset, which is written over unless its files are as they were; there is one
            then also of rules that are known to be faultless.
    """
    folder = files
    if files is None and remembering and not overlays:
        place = find_folder(path, Diagnostics())
        folder = folder_of(place, instead) if place is not None else None
    sort = "strict" if strict else "checked"
    if last is None and folder is not None and folder.key and folder.memory.get(sort, folder.key) is not None:
        _save(folder, files)
        yield Diagnostics()
        return
    analysis = last or LastAnalysis()
    if not analysis.is_of(folder):
        findings = Diagnostics()
        ruleset, part, lost = read_ruleset(path, overlays, diagnostics=findings, instead=instead)
        if ruleset is not None and folder is not None and not _lies_in(ruleset, folder):
            folder = None  # it is not known by its own files
        unchanged = folder is None and remembering and not instead and last is None and not len(findings)
        if ruleset is not None and unchanged and is_checked(ruleset, strict):
            yield findings
            return
        _analyse(analysis, ruleset, (part, lost), findings, last is not None)
        analysis.read = folder.read_by_analysis if ruleset is not None and folder is not None else None
    ruleset, diagnostics = analysis.ruleset, analysis.findings.copy()
    yield diagnostics
    if ruleset is None or (
        not strict and not len(diagnostics) and folder and folder.key and folder.memory.get(sort, folder.key)
    ):
        return
    yield from _scenarios(ruleset, analysis.analysed, folder, bool(overlays), strict, diagnostics, instead or {})
    if not len(diagnostics) and folder is None and not instead:
        mark_checked(ruleset, strict)
    if not len(diagnostics) and folder is not None and folder.key:
        folder.memory.put("checked", folder.key, 1)
        if strict:
            folder.memory.put(sort, folder.key, 1)
    if folder is not None:
        _save(folder, files)
    yield diagnostics


def _lies_in(ruleset: WrittenRuleset, folder: Folder) -> bool:
    """Return whether all layers of a ruleset lie in the folder of its base."""
    return all(Path(layer.folder).is_relative_to(folder.outer) for layer in ruleset.layers)


def _save(folder: Folder, files: Folder | None) -> None:
    """Save what is known of a folder, unless whoever has read it does."""
    if files is None:
        folder.memory.save()


def _analyse(
    analysis: LastAnalysis,
    ruleset: WrittenRuleset | None,
    readable: tuple[WrittenRuleset | None, Lost],
    findings: Diagnostics,
    noting: bool,
) -> None:
    """Analyse the rules of a ruleset, or what is readable of one whose files have errors; `noting`: the places of
    names, too."""
    from rulelang.semantics.check import analyse_partly, check_rest
    from rulelang.semantics.tree.uses import Uses

    part, lost = readable
    analysis.read, analysis.ruleset, analysis.analysed = None, ruleset, None
    analysis.findings, analysis.uses = findings, Uses() if noting else None
    if ruleset is not None:
        analysed: Analysed | None = analyse_partly(ruleset, findings, analysis.uses)
    else:
        analysed = check_rest(part, lost, findings, analysis.uses) if part is not None else None
    is_whole = ruleset is not None and not findings.has_errors
    analysis.analysed, analysis.partly = (analysed, None) if is_whole else (None, analysed if noting else None)


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
    from rulelang.memory.items import learn_read
    from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
    from rulelang.semantics.check import lint
    from rulelang.semantics.checks.coverage import check_coverage
    from rulelang.semantics.scenarios.texts import checking_scenarios

    texts = unsaved_scenarios(ruleset, instead)
    if analysed is not None and folder is not None and not strict:  # warnings of its rules stay as they are
        found = yield from _of_what_is_new(ruleset, analysed, folder, diagnostics, texts)
        if found is not None:
            diagnostics.extend(found)
            return
    if analysed is None:
        diagnostics.extend(_of_reading(ruleset, folder, texts))
        return
    findings = Diagnostics(diagnostics.names)
    scenarios = scenarios_of(ruleset, findings, texts)
    diagnostics.extend(findings)
    if folder is not None:
        learn_read(folder.memory, folder.scenarios, scenarios, findings)
    codes: list[ScenarioCode] = []
    for code in checking_scenarios(analysed, scenarios):
        codes.append(code)
        yield diagnostics
    for code in codes:
        if not overlaid or _stands_in_overlay(ruleset, code.scenario):
            diagnostics.extend(code.diagnostics)
    if not diagnostics.has_errors:
        lint(analysed, diagnostics, [procedure for code in codes for procedure in code.procedures])
    if folder is not None:
        _learn(analysed, folder, codes, findings)
    if strict:
        check_coverage(analysed.shared, scenarios, diagnostics)


def _of_what_is_new(
    ruleset: WrittenRuleset, analysed: Analysed, folder: Folder, so_far: Diagnostics, texts: Mapping[str, str]
) -> Generator[Diagnostics, None, Diagnostics | None]:
    """Check the scenarios that are not known, and the lints with what the others call; return what is found, or None if
    there may be more with the known scenarios.

    Args:
        texts: those of scenario files that are not saved.
    """
    from rulelang.memory.items import files_of, known_items
    from rulelang.ruleset.scenarios import scenarios_of
    from rulelang.semantics.check import lint
    from rulelang.semantics.scenarios.face import face_of
    from rulelang.semantics.scenarios.texts import checking_scenarios

    whole: set[str] = set()
    while True:
        partly = {name: text for name, text in folder.scenarios.items() if name not in whole}
        known, findings = known_items(folder.memory, face_of(analysed), partly), Diagnostics(so_far.names)
        if not known.names:
            return None
        scenarios = scenarios_of(ruleset, findings, {**texts, **known.instead})
        faulty = files_of(findings) & {*known.instead}
        if not faulty:
            break
        whole |= faulty  # what is left of a file has not always the faults of all of it
    names = [*known.names, *(scenario.name for scenario in scenarios)]
    if len(names) > len({*names}):
        return None
    codes: list[ScenarioCode] = []
    for code in checking_scenarios(analysed, scenarios):
        codes.append(code)
        yield so_far
    found = findings.copy()
    for code in codes:
        found.extend(code.diagnostics)
    if not found.has_errors:  # else there are no lints
        warnings = Diagnostics(so_far.names)
        procedures = [procedure for code in codes for procedure in code.procedures]
        if not lint(analysed, warnings, procedures, known.called) or len(warnings):
            return None
    _learn(analysed, folder, codes, findings)
    return found


def _of_reading(ruleset: WrittenRuleset, folder: Folder | None, texts: Mapping[str, str]) -> Diagnostics:
    """Return what is wrong with the form of scenarios, which is all that is said of them where the rules have errors.

    Args:
        texts: those of scenario files that are not saved.
    """
    from rulelang.memory.items import known_files, learn_read
    from rulelang.ruleset.scenarios import scenarios_of

    known = known_files(folder.memory, folder.scenarios) if folder is not None else {}
    for blank in (dict.fromkeys(known, ""), {}):
        findings = Diagnostics()
        scenarios = scenarios_of(ruleset, findings, {**texts, **blank})
        names = [*(scenario.name for scenario in scenarios), *(name for file in blank for name in known[file])]
        if len(names) == len({*names}):
            break
    if folder is not None:
        learn_read(folder.memory, folder.scenarios, scenarios, findings)
    return findings


def _learn(analysed: Analysed, folder: Folder, codes: list[ScenarioCode], findings: Diagnostics) -> None:
    """Keep those items of the scenarios that have no finding, and stand in a file of which none is among those of
    reading them."""
    from rulelang.memory.items import files_of, learn_items
    from rulelang.semantics.scenarios.face import face_of

    faulty = files_of(findings)
    codes = [code for code in codes if Path(code.scenario.span.path).name not in faulty]
    if codes:
        learn_items(folder.memory, face_of(analysed), folder.scenarios, analysed, codes)


def _stands_in_overlay(ruleset: WrittenRuleset, scenario: Scenario) -> bool:
    """Return whether a scenario stands in an overlay. Those below were correct without it; `test` shows what it
    changes."""
    first = next(number for number, layer in enumerate(ruleset.layers) if layer.named)
    return ruleset.layer_of(scenario.span) > first
