"""Renaming: every place of a name gets another text, and a check must find nothing that it did not find before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rulelang.diagnostics import Diagnostic, Diagnostics, UsageError, replaced
from rulelang.ruleset.files import display_path
from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
from rulelang.semantics.scenarios.texts import check_scenarios
from rulelang.semantics.tree.shared import source_text
from rulelang.semantics.tree.uses import Uses
from rulelang.service.names import TOKEN, Key, Occurrence, noted
from rulelang.service.project import Project, edited


def places_of(project: Project, key: Key) -> list[Occurrence]:
    """Return all places of a name, those in the texts of scenarios too."""
    found: list[Occurrence] = []
    for snapshot in project.snapshots.values():
        own = snapshot.analysed.copy()
        own.shared.names.uses = uses = Uses()
        texts = unsaved_scenarios(snapshot.ruleset, project.texts)
        try:
            check_scenarios(own, scenarios_of(snapshot.ruleset, Diagnostics(), texts))
        finally:
            own.shared.names.uses = snapshot.uses
        found += [place for place in noted(uses.found) if place.key == key]
    by_place = {(p.span.path, p.span.line, p.span.column): p for p in (*found, *project.names.of(key))}
    return [by_place[where] for where in sorted(by_place)]


def rename(project: Project, key: Key, new: str) -> Mapping[Path, list[Occurrence]]:
    """Return the places, by file, that change when a name gets another one.

    Raises:
        UsageError: the new name is none, or the check would find a fault that it doesn't find now.
    """
    old = key[-1] if key[0] != "local" else ""
    places = places_of(project, key)
    if not places:
        raise UsageError("there is no name here")
    old = old or source_text(places[0].span)
    if not TOKEN.fullmatch(new) or new == old:
        raise UsageError(f"`{new}` is no name")
    if not any(place.declares for place in places):
        raise UsageError(f"`{old}` is declared nowhere in this ruleset")
    shown = {display_path(path): path for path in project.files}
    changed: dict[Path, list[Occurrence]] = {}
    for place in places:
        if place.span.path not in shown:
            raise UsageError(f"`{old}` stands in {place.span.path}, which is not in this folder")
        changed.setdefault(shown[place.span.path], []).append(place)
    texts = {
        path: replaced(project.text_of(path), ((place.span, new) for place in of_file))
        for path, of_file in changed.items()
    }
    before, after = project.all_findings(), edited(project, texts).all_findings()
    fresh = new_findings(before, after, old, new)
    if fresh:
        raise UsageError(f"`{old}` can't be called `{new}`: {fresh[0].span}: {fresh[0].message}")
    return changed


def new_findings(before: Diagnostics, after: Diagnostics, old: str, new: str) -> list[Diagnostic]:
    """Return the findings that were not there, whatever the name is called in them."""

    def said(finding: Diagnostic) -> str:
        return json.dumps([finding.code, finding.message.replace(f"`{new}`", f"`{old}`"), finding.span.line])

    known = {said(finding) for finding in before}
    return [finding for finding in after if said(finding) not in known]
