"""An open ruleset with the variants in its folder: texts that are not saved, findings, the last good analysis."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source
from rulelang.memory.check import checking
from rulelang.memory.meaning import SCENARIOS, outermost
from rulelang.ruleset.files import HEADER, VARIANTS, display_path, variant_names
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.uses import Uses
from rulelang.service.names import Occurrence, Occurrences, in_ruleset, in_scenarios, noted

SUFFIXES = (".yaml", ".rule")


@dataclass(frozen=True)
class Snapshot:
    """A ruleset of a project as it was analysed without errors."""

    analysed: Analysed
    uses: Uses

    @property
    def ruleset(self) -> WrittenRuleset:
        """The ruleset as written."""
        return self.analysed.checked.ruleset


class Project:
    """A folder with a ruleset and its variants.

    Attributes:
        folder: the real folder of the base. texts: of files that are open, as they stand in an editor.
        snapshots: by folder the last good analyses.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = outermost(folder.resolve())
        self.texts: dict[Path, str] = {}
        self.snapshots: dict[Path, Snapshot] = {}

    def set_text(self, path: Path, text: str | None) -> None:
        """Take a text in place of that of a file; None: the file's own again."""
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
        first, at last those of all, as a `check` of the folder gives them."""
        found = Diagnostics()
        for folder in self.rulesets:
            uses = Uses()

            def note(analysed: Analysed, folder: Path = folder, uses: Uses = uses) -> None:
                self.snapshots[folder] = Snapshot(analysed, uses)
                self.__dict__.pop("names", None)

            so_far = found
            for latest in checking(folder, instead=self.texts, note=note, uses=uses):
                so_far = Diagnostics()
                so_far.extend(found)
                so_far.extend(latest)
                yield so_far
            found = so_far
        yield found

    def all_findings(self) -> Diagnostics:
        """Return the findings of the base and all variants."""
        found = Diagnostics()
        for found in self.findings():  # noqa: B007
            pass
        return found

    @property
    def base(self) -> Snapshot | None:
        """The last good analysis of the base, or of a variant if there is none of the base."""
        return self.snapshots.get(self.folder) or next(iter(self.snapshots.values()), None)

    def snapshot_of(self, path: Path) -> Snapshot | None:
        """Return the last good analysis of the ruleset that a file belongs to."""
        return self.snapshots.get(folder_of(path)) or self.base

    def source(self, path: Path) -> Source:
        """Return the text of a file with its name in findings."""
        return Source(display_path(path), self.text_of(path))

    @cached_property
    def names(self) -> Occurrences:
        """The places of all names, as of the last good analysis."""
        return Occurrences(self._places())

    def _places(self) -> Iterator[Occurrence]:
        for snapshot in self.snapshots.values():
            yield from noted(snapshot.uses.found)
        for path in self.files:
            tree = read_yaml(self.source(path), Diagnostics()) if path.suffix == ".yaml" else None
            if tree is not None:
                yield from in_scenarios(tree) if path.parent.name == SCENARIOS else in_ruleset(tree)


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
