"""What stands above and below a name: a kind and its pieces, a type and its values, a declaration and those that stand
in its place in variants.

Enters: a project, a name. Leaves: declarations. A declaration of a layer is below the one of the nearest layer under it
that has the name: so whoever asks what is below a rule learns which variants replace it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rulelang.diagnostics import Source, Span
from rulelang.ruleset.files import display_path
from rulelang.semantics.tree.symbols import ClassSym, KindSym, TypeSym, ValueSym
from rulelang.service.names import DECLARING, described
from rulelang.service.outline import Outlined, outline
from rulelang.service.project import SUFFIXES, Project, folder_of


class DeclaredThing(NamedTuple):
    """A declaration: its name, what it is, all of it, its name's place, the folder that it stands in."""

    name: str
    sort: str
    span: Span
    named: Span
    folder: Path


def declared_at(project: Project, path: Path, name: str) -> DeclaredThing | None:
    """Return the declaration of a name as a file of the project means it: that of its own folder, or of the nearest
    layer below."""
    for folder in reversed(_layers(project, folder_of(path))):
        found = _in_folder(project, folder, name)
        if found is not None:
            return found
    return next(_symbol(project, name), None)


def above(project: Project, name: str, folder: Path) -> Iterator[DeclaredThing]:
    """Yield what a declaration stands in place of, and what it is one of: the kind of a piece, the type of a value."""
    lower = [layers[: layers.index(folder)] for layers in _stacks(project) if folder in layers]
    for below in reversed(max(lower, key=len, default=())):
        replaced = _in_folder(project, below, name)
        if replaced is not None:
            yield replaced
            break
    snapshot = project.snapshots.get(folder) or project.base
    if snapshot is not None:
        symbol = snapshot.analysed.shared.names.get(name)
        kinds = snapshot.analysed.checked.kinds.values() if symbol is None else ()
        owners = [kind.name for kind in kinds if kind.definition(name) is not None]
        if isinstance(symbol, ValueSym | ClassSym):
            owners = [str(symbol.type)]
        for owner in owners:
            yield from _symbol(project, owner)


def below(project: Project, name: str, folder: Path) -> Iterator[DeclaredThing]:
    """Yield what stands in the place of a declaration in variants and overlays, and what is of it: the pieces of a
    kind, the values of a type."""
    upper = [layers[layers.index(folder) + 1 :] for layers in _stacks(project) if folder in layers]
    replacing = [
        next((d for over in layers if (d := _in_folder(project, over, name)) is not None), None) for layers in upper
    ]
    yield from dict.fromkeys(each for each in replacing if each is not None)
    snapshot = project.snapshots.get(folder) or project.base
    names = snapshot.analysed.shared.names if snapshot is not None else None
    symbol = names.get(name) if names is not None else None
    if isinstance(symbol, KindSym):
        yield from (DeclaredThing(row.id, row.kind, row.decl.span, row.decl.span, folder) for row in symbol.definitions)
    elif names is not None and isinstance(symbol, TypeSym | ClassSym):
        of_type = [
            s
            for s in names.values()
            if isinstance(s, ValueSym | ClassSym) and s.type == symbol.type and s is not symbol
        ]
        for each in of_type:
            if isinstance(symbol, TypeSym) or (isinstance(each, ValueSym) and each.index in symbol.members):
                yield from _symbol(project, each.name)


def _stacks(project: Project) -> Iterator[tuple[Path, ...]]:
    """Yield the folders of each ruleset of the project, the base first."""
    for folder in project.snapshots:
        yield _layers(project, folder)


def _layers(project: Project, folder: Path) -> tuple[Path, ...]:
    snapshot = project.snapshots.get(folder) or project.base
    return tuple(Path(layer.folder) for layer in snapshot.ruleset.layers) if snapshot is not None else ()


def _in_folder(project: Project, folder: Path, name: str) -> DeclaredThing | None:
    """Return what a folder's own files declare under a name."""
    for path in sorted(Path(entry) for entry in os.scandir(folder) if entry.name.endswith(SUFFIXES)):
        text = project.text_of(path)
        if name not in text:
            continue
        for each in _declarations(outline(Source(display_path(path), text))):
            if each.name == name:
                return DeclaredThing(name, each.sort, each.span, each.named, folder)
    return None


def _declarations(outlined: tuple[Outlined, ...]) -> Iterator[Outlined]:
    """Yield what a file declares that a variant may declare otherwise."""
    for each in outlined:
        if each.sort != "section":
            yield each
        elif each.name in DECLARING or each.name == "rules":
            yield from each.inside


def _symbol(project: Project, name: str) -> Iterator[DeclaredThing]:
    """Yield where a symbol or piece is declared, as the analyses noted it, if it is."""
    files = {display_path(path): path for path in project.files}
    for place in (*project.names.of(("symbol", name)), *project.names.of(("row", name))):
        if place.declares and place.span.path in files:
            yield DeclaredThing(name, described(place.named), place.span, place.span, folder_of(files[place.span.path]))
            return
