"""An open ruleset with the variants in its folder: texts that are not saved, findings, the last good analysis."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source
from rulelang.memory.check import LastAnalysis, checking
from rulelang.memory.meaning import SCENARIOS, outermost
from rulelang.memory.meaning import folder_of as files_of
from rulelang.memory.store import Memory
from rulelang.memos import uncollected
from rulelang.ruleset.cases import unfilled
from rulelang.ruleset.files import HEADER, VARIANTS, display_path, source_of, variant_names
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.semantics.scenarios.texts import check_scenarios
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.uses import Uses
from rulelang.service.moving import Moving
from rulelang.service.names import Occurrence, Occurrences, in_ruleset, in_scenarios, noted
from rulelang.service.outline import unresolved

SUFFIXES = (".yaml", ".rule")
ANALYSES = 5
"""After so many, what they have left is collected: a base and four variants, 40 MB of LDD."""


@dataclass(frozen=True)
class Snapshot:
    """A ruleset of a project as it was analysed without errors, or as far as it could be if it never was."""

    analysed: Analysed
    uses: Uses
    is_whole: bool = True

    @property
    def ruleset(self) -> WrittenRuleset:
        """The ruleset as written."""
        return self.analysed.checked.ruleset


class Project:
    """A folder with a ruleset and its variants.

    Attributes:
        folder: the real folder of the base. texts: of files that are open, as they stand in an editor.
        snapshots: by folder the last good analyses, or what there is of rulesets that never had one.
        analyses: by folder the last ones.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = outermost(folder.resolve())
        self.texts: dict[Path, str] = {}
        self.snapshots: dict[Path, Snapshot] = {}
        self.analyses: dict[Path, LastAnalysis] = {}
        self._memory: Memory | None = None
        self._read: Mapping[str, bytes] | None = None
        self._analysed = 0
        self._in_scenarios: dict[Path, Occurrences] = {}

    def _forget(self) -> None:
        """Forget where names stood."""
        for name in ("names", "everywhere"):
            self.__dict__.pop(name, None)
        self._in_scenarios.clear()

    def set_text(self, path: Path, text: str | None) -> None:
        """Take a text in place of that of a file; None: the file's own again."""
        self._forget()
        if text is None:
            self.texts.pop(path, None)
        else:
            self.texts[path] = text

    def text_of(self, path: Path) -> str:
        """Return the text of a file as it stands in an editor, or else on the disk; empty where there is none."""
        if path in self.texts:
            return self.texts[path]
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    @property
    def rulesets(self) -> tuple[Path, ...]:
        """The folders of the base and of its variants."""
        return (self.folder, *(self.folder / VARIANTS / name for name in variant_names(self.folder)))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files of all of them, with scenarios."""
        folders = [place for folder in self.rulesets for place in (folder, folder / SCENARIOS) if place.is_dir()]
        return tuple(
            Path(entry.path)
            for folder in folders
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)
            if entry.name.endswith(SUFFIXES) and entry.is_file()
        )

    def findings(self) -> Iterator[Diagnostics]:
        """Yield the findings so far, wherever whoever waits may go on with something else: those of the base's rules
        first, at last those of all, as a `check` of the folder gives them.

        Rulesets whose files are as they were are not analysed again. Python collects what they leave in cycles only
        in `rest`, as that takes longer than an analysis.
        """
        waves = self._findings()
        while True:
            with uncollected():
                findings = next(waves, None)
            if findings is None:
                return
            yield findings
            if self._analysed > ANALYSES:  # of many edits in a row, whose later findings nobody waited for
                self.rest()

    def rest(self) -> None:
        """Give up what earlier analyses have left, if it is much: for when nobody waits."""
        if self._analysed >= ANALYSES:
            self._analysed = 0
            gc.collect()

    def _findings(self) -> Iterator[Diagnostics]:
        """Yield findings as `findings` does."""
        found = Diagnostics()
        rulesets = self.rulesets
        for known in (self.snapshots, self.analyses):
            for folder in known.keys() - {*rulesets}:
                del known[folder]
        files = files_of(self.folder, self.texts, self._memory)
        if files is None or files.texts != self._read:
            self._forget()
        self._memory, self._read = (files.memory, files.texts) if files is not None else (None, None)
        for folder in rulesets:
            last = self.analyses.setdefault(folder, LastAnalysis())
            before = last.findings
            own = files.within(folder) if files is not None else None
            so_far = found
            for latest in checking(folder, instead=self.texts, files=own, last=last):
                if last.findings is not before:
                    self._take(folder, last)
                    before = last.findings
                so_far = Diagnostics()
                so_far.extend(found)
                so_far.extend(latest)
                yield so_far
            found = so_far
        if files is not None:
            files.memory.save()
        yield found

    def _take(self, folder: Path, last: LastAnalysis) -> None:
        """Take a new analysis, if its rules have no errors or the ruleset never was without."""
        self._analysed += 1
        partly, last.partly = last.partly, None
        known = self.snapshots.get(folder)
        if last.uses is None:
            return
        if last.analysed is not None:
            self.snapshots[folder] = Snapshot(last.analysed, last.uses)
            self._forget()
        elif partly is not None and (known is None or not known.is_whole):
            self.snapshots[folder] = Snapshot(partly, last.uses, is_whole=False)
            self._forget()

    def is_current(self, folder: Path) -> bool:
        """Return whether the last analysis of a ruleset found no errors in its rules."""
        return folder in self.analyses and self.analyses[folder].analysed is not None

    def all_findings(self) -> Diagnostics:
        """Return the findings of the base and all variants."""
        found = Diagnostics()
        for found in self.findings():  # noqa: B007
            pass
        self.rest()
        return found

    @property
    def base(self) -> Snapshot | None:
        """The last good analysis of the base, or of a variant if there is none of the base, or what there is of one."""
        known = (self.snapshots.get(self.folder), *self.snapshots.values())
        snapshots = [snapshot for snapshot in known if snapshot is not None]
        return next((snapshot for snapshot in snapshots if snapshot.is_whole), snapshots[0] if snapshots else None)

    def snapshot_of(self, path: Path) -> Snapshot | None:
        """Return the last good analysis of the ruleset that a file belongs to."""
        return self.snapshots.get(folder_of(path)) or self.base

    def source(self, path: Path) -> Source:
        """Return the text of a file with its name in findings."""
        return source_of(display_path(path), self.text_of(path))

    @cached_property
    def names(self) -> Occurrences:
        """The places of all names, as of the last good analysis; in scenarios those in ids and lists alone."""
        return Occurrences(self._places())

    @cached_property
    def everywhere(self) -> Occurrences:
        """The places of all names, those in rule texts of scenarios too, which takes seconds where there are many."""
        return Occurrences([*self._of_scenarios(), *self._places()])

    def names_in(self, path: Path) -> Occurrences:
        """Return the places of names, among them all of a file."""
        if "everywhere" in self.__dict__:
            return self.everywhere
        if path.parent.name != SCENARIOS:
            return self.names
        if path not in self._in_scenarios:
            self._in_scenarios[path] = Occurrences([*self._of_scenarios(path), *self._places()])
        return self._in_scenarios[path]

    def _of_scenarios(self, only: Path | None = None) -> Iterator[Occurrence]:
        """Yield the places of names in rule texts of scenarios; `only`: in those of one file."""
        sources = {display_path(path): self.source(path) for path in self.files if path.parent.name == SCENARIOS}
        for folder, snapshot in self.snapshots.items():
            if not snapshot.is_whole or (only is not None and folder_of(only) != folder):
                continue
            own = snapshot.analysed.copy()
            own.shared.names.uses = uses = Uses()
            texts = unsaved_scenarios(snapshot.ruleset, self.texts)
            if only is not None:
                texts = {path.name: "" for path in (folder / SCENARIOS).glob("*.yaml")} | {
                    only.name: self.text_of(only)
                }
            try:
                check_scenarios(own, scenarios_of(snapshot.ruleset, Diagnostics(), texts))
            finally:
                own.shared.names.uses = None
            for place in noted(uses.found):
                source = sources.get(place.span.path)
                written = source.lines[place.span.line - 1] if source is not None else ""
                if source is None or written == place.span.whole_line:
                    yield place
                elif (span := unfilled(place.span, written)) is not None:
                    yield place._replace(span=replace(span, source=source))

    def _places(self) -> Iterator[Occurrence]:
        sources = {display_path(path): self.source(path) for path in self.files}
        moved: dict[Source, Moving] = {}
        for snapshot in self.snapshots.values():
            for place in noted(snapshot.uses.found):
                source = place.span.source
                assert source is not None
                if source not in moved:
                    moved[source] = Moving(source, sources.get(source.path, source))
                if (span := moved[source].place(place.span)) is not None:
                    yield place if span is place.span else place._replace(span=span)
        if not self.snapshots:
            yield from unresolved([self.source(path) for path in self.files if path.parent.name != SCENARIOS])
        for path in self.files:
            source = self.source(path) if path.suffix == ".yaml" else None
            tree = read_yaml(source, Diagnostics()) if source is not None else None
            if source is not None and tree is not None:
                places = in_scenarios if path.parent.name == SCENARIOS else in_ruleset
                if places not in source.memo:
                    source.memo[places] = tuple(places(tree))
                yield from source.memo[places]


def folder_of(path: Path) -> Path:
    """Return the folder of the ruleset or variant that a file belongs to."""
    return path.parent.parent if path.parent.name == SCENARIOS else path.parent


def project_of(path: Path) -> Path | None:
    """Return the folder of the base ruleset that a file belongs to; None for any other file."""
    folder = folder_of(path)
    return outermost(folder) if (folder / HEADER).is_file() else None


def edited(project: Project, texts: Mapping[Path, str]) -> Project:
    """Return a project of the same folder with other texts."""
    other = Project(project.folder)
    other.texts = {**project.texts, **texts}
    return other
