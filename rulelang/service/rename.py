"""Renaming: every place of a name gets another text, and a check must find nothing that it did not find before.

What a place means is noted where names are resolved. In patterns of ids and in words it is not always certain; there
the check decides: where it misses the old name, the places of that line change, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rulelang.diagnostics import Diagnostic, Diagnostics, Span, UsageError, replaced
from rulelang.memory.meaning import SCENARIOS
from rulelang.ruleset.files import display_path
from rulelang.ruleset.loader import read_ruleset
from rulelang.semantics.tree.symbols import DefinitionSym
from rulelang.service.names import TOKEN, Key, Occurrence, described
from rulelang.service.project import Project, edited

MOST_ROUNDS = 4
"""So often a check may say what else must change."""
_SEVERAL = re.compile(r"[^\s\"'`,:;=|+]+(?:\+[^\s\"'`,:;=|+]+)+")
"""Values joined by `+` in a pattern of ids."""


class Replacement(NamedTuple):
    """What stands at a place then."""

    span: Span
    text: str


def places_of(project: Project, key: Key) -> list[Occurrence]:
    """Return all places of a name, those in the texts of scenarios too."""
    return project.everywhere.of(key)


def rename(project: Project, key: Key, new: str) -> Mapping[Path, list[Replacement]]:
    """Return what changes, by file, when a name gets another one.

    Raises:
        UsageError: the new name is none, the ruleset has errors, or the check would find a fault that it doesn't find
            now.
    """
    before = project.all_findings()
    places = places_of(project, key)
    if not places:
        raise UsageError("there is no name here")
    old = places[0].text
    if not TOKEN.fullmatch(new) or new == old:
        raise UsageError(f"`{new}` is no name")
    if before.has_errors:
        wrong = next(finding for finding in before if finding.severity == "error")
        raise UsageError(f"`{old}` can't be renamed while there are errors: {wrong.span}: {wrong.message}")
    if refusal := why_not(project, key, old):
        raise UsageError(refusal)
    shown = {display_path(path): path for path in project.files}
    names = {_where(place): Replacement(place.span, new) for place in places}
    fresh: list[Diagnostic] = []
    for _ in range(MOST_ROUNDS):
        changed = _by_file(project, shown, names.values())
        texts = {path: replaced(project.text_of(path), changes) for path, changes in changed.items()}
        other = edited(project, texts)
        ids = _made_ids(project, other)
        fresh = new_findings(before, other.all_findings(), {old: new} | ids)
        more = dict(_missed(project, {id_: now for id_, now in ids.items() if id_ != old}, fresh, names, old, new))
        if names.keys() >= more.keys():
            break
        names = more | names
    if fresh:
        raise UsageError(f"`{old}` can't be called `{new}`: {fresh[0].span}: {fresh[0].message}")
    return changed


def why_not(project: Project, key: Key, old: str) -> str:
    """Return why a name can't be renamed, whatever it is to be called; empty if it can."""
    places = project.names.of(key)
    rows = [place.named for place in places if isinstance(place.named, DefinitionSym)]
    for row in rows:
        span = row.decl.span
        written = span.whole_line[span.column - 1 : span.end_column - 1]
        if "{" in written:
            return f"`{old}` is made of {written}: rename what that names"
    named = next((place.named for place in places if place.named is not None), None)
    is_declared = any(place.declares for place in places)
    return "" if is_declared else f"`{old}` ({described(named)}) is declared nowhere in this ruleset"


def _where(place: Occurrence) -> tuple[str, int, int]:
    return place.span.path, place.span.line, place.span.column


def _by_file(
    project: Project, shown: Mapping[str, Path], changes: Iterable[Replacement]
) -> dict[Path, list[Replacement]]:
    """Return changes by their files, with the values of ids that are sorted in their order.

    Raises:
        UsageError: a file is not one of the project.
    """
    by_file: dict[Path, list[Replacement]] = {}
    for change in changes:
        if change.span.path not in shown:
            source = change.span.source
            name = (
                source.lines[change.span.line - 1][change.span.column - 1 : change.span.end_column - 1]
                if source
                else ""
            )
            raise UsageError(f"`{name}` stands in {change.span.path}, which is not in this folder")
        by_file.setdefault(shown[change.span.path], []).append(change)
    return {
        path: [*_sorted(of_file)] if path.parent.name == SCENARIOS else of_file for path, of_file in by_file.items()
    }


def _sorted(changes: Iterable[Replacement]) -> Iterator[Replacement]:
    """Yield changes of which those in `a+b`, where it is sorted, become one that sorts it again."""
    by_line: dict[int, list[Replacement]] = {}
    for change in changes:
        by_line.setdefault(change.span.line, []).append(change)
    for line, of_line in by_line.items():
        source = of_line[0].span.source
        text = source.lines[line - 1] if source is not None else ""
        for match in _SEVERAL.finditer(text):
            inside = [c for c in of_line if match.start() < c.span.column and c.span.end_column - 1 <= match.end()]
            parts = match[0].split("+")
            if not inside or parts != sorted(parts):
                continue
            part = replaced(match[0], ((_moved(c.span, -match.start()), c.text) for c in inside))
            of_line = [c for c in of_line if c not in inside]
            whole = Span(source, line, match.start() + 1, line, match.end() + 1)
            of_line.append(Replacement(whole, "+".join(sorted(part.split("+")))))
        yield from of_line


def _moved(span: Span, columns: int) -> Span:
    """Return a place on the first line of a text of its own."""
    return Span(span.source, 1, span.column + columns, 1, span.end_column + columns)


def _made_ids(project: Project, other: Project) -> dict[str, str]:
    """Return the ids of pieces that are made of other names, such as `{colour}_{points}`, and what they are now."""
    ids: dict[str, str] = {}
    for folder, snapshot in project.snapshots.items():
        now, _, _ = read_ruleset(folder, diagnostics=Diagnostics(), instead=other.texts)
        if now is not None and len(now.pieces) == len(snapshot.ruleset.pieces):
            pairs = zip(snapshot.ruleset.pieces, now.pieces, strict=True)
            ids |= {row.id: renamed.id for row, renamed in pairs if row.id != renamed.id}
    return ids


def _missed(
    project: Project,
    ids: Mapping[str, str],
    fresh: Iterable[Diagnostic],
    changed: Container[tuple[str, int, int]],
    old: str,
    new: str,
) -> Iterator[tuple[tuple[str, int, int], Replacement]]:
    """Yield what must change, too, by its place: the ids that were made of the name, and where findings miss it.

    Args:
        changed: the places that change already.
    """
    for id_, renamed in ids.items():
        for place in places_of(project, ("row", id_)):
            yield _where(place), Replacement(place.span, renamed)
    missed = {
        _where(place): place
        for finding in fresh
        for place in project.everywhere.on_line(finding.span.path, finding.span.line)
        if place.text == old
    }
    for where, place in missed.items():
        yield where, Replacement(place.span, new)
    for finding in fresh:
        lacking = next((name for name in (new, old) if f"`{name}`" in finding.message), "")
        if finding.code == "words-missing" and lacking:  # two things had these words
            for place in project.everywhere.called(old):
                span, line = place.span, place.span.whole_line
                if lacking == new and (_where(place) in missed or _where(place) in changed):
                    continue  # they have them now
                if _is_of_words(span) and line.lstrip().startswith(f"{old}:"):
                    below = Span(span.source, span.line, len(line) + 1, span.line, len(line) + 1)
                    yield (
                        (span.path, span.line, len(line) + 1),
                        Replacement(below, f"\n{line.replace(old, lacking, 1)}"),
                    )


def _is_of_words(span: Span) -> bool:
    """Return whether a place is in the section of words of a YAML file."""
    above = span.source.lines[: span.line] if span.source is not None else ()
    return next((line for line in reversed(above) if re.match(r"[^\s#]", line)), "").startswith("words:")


def new_findings(before: Diagnostics, after: Diagnostics, renamed: Mapping[str, str]) -> list[Diagnostic]:
    """Return the findings that were not there, whatever names are called in them.

    Args:
        renamed: the new names by the old ones.
    """
    former = {f"`{new}`": f"`{old}`" for old, new in renamed.items()}

    def said(finding: Diagnostic) -> str:
        message = re.sub(r"`\w+`", lambda name: former.get(name[0], name[0]), finding.message)
        return json.dumps([finding.code, message, finding.span.line])

    known = {said(finding) for finding in before}
    return [finding for finding in after if said(finding) not in known]
