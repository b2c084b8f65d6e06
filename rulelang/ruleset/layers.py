"""Puts the files of a folder together, and one folder over another.

Enters: trees of files. Leaves: one tree with the sections of all of them, every node still knowing its own file.
Within a folder a name stands once. Over another folder a name replaces what it names, key by key, and `remove: true`
takes it away.
"""

from __future__ import annotations

from collections.abc import Collection
from collections.abc import Sequence as Steps

from rulelang.diagnostics import LANGUAGE_VERSION, NOWHERE, Diagnostics, Span, suggest
from rulelang.ruleset.model import Beside
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence

FORMER = "resources"
"""The section that version 1 has for types whose values bags count."""
# Sections that several files may add to, and how many levels of names they have above what must stand only once.
SHARED = {
    "sources": 1, "rulebook": 1, "limits": 1, "teams": 1, "automata": 1, "options": 1, "types": 1,
    "grids": 1, "kinds": 1, "pieces": 2, "zones": 1, "variables": 1, "marks": 1, "positions": 1, "words": 2,
    "about": 1, "notation": 1,
}  # fmt: skip


def refuse_equal_ids(tree: Mapping, diagnostics: Diagnostics) -> bool:
    """Report pieces of one kind with equal ids in one folder (`ruleset-duplicate`); return whether there are none."""
    are_unique = True
    pieces = tree.get("pieces")
    for entry in pieces.entries.values() if isinstance(pieces, Mapping) else ():
        seen: dict[object, Span] = {}
        for row in entry.value.items if isinstance(entry.value, Sequence) else ():
            id_ = row_id(row)
            if id_ is not None and id_.value in seen and not id_.broken:
                _duplicate(str(id_.value), seen[id_.value], id_.span, diagnostics)
                are_unique = False
            elif id_ is not None:
                seen[id_.value] = id_.span
    return are_unique


def joined(trees: Steps[Mapping], diagnostics: Diagnostics, levels: int | None = None) -> Mapping:
    """Merge the files of one folder into one tree. Findings: `ruleset-duplicate`, with both places.

    Args:
        levels: the number of key levels that several files may share, None at the root, where it depends on the
            section.
    """
    entries: dict[str, Entry] = {}
    for tree in trees:
        for key, entry in tree.entries.items():
            first = entries.get(key)
            below = SHARED.get(key, 0) if levels is None else levels - 1
            if first is None:
                entries[key] = entry
            elif isinstance(first.value, Mapping) and isinstance(entry.value, Mapping) and below > 0:
                entries[key] = Entry(first.key, joined((first.value, entry.value), diagnostics, below))
            elif isinstance(first.value, Sequence) and isinstance(entry.value, Sequence) and below > 0:
                rows = first.value.items + entry.value.items
                entries[key] = Entry(first.key, Sequence(first.value.span, rows, flow=False))
            elif not (levels is None and key == "rulelang"):
                _duplicate(key, first.key.span, entry.key.span, diagnostics)
    return Mapping(trees[0].span if trees else NOWHERE, entries)


def one_section(tree: Mapping, diagnostics: Diagnostics) -> Mapping:
    """Return a file's tree with its `resources`, as version 1 has them, among its `types`, each with classes."""
    entry = tree.entries.get(FORMER)
    if entry is None or not isinstance(entry.value, Mapping):
        return tree
    if entry.key.span.source is not None and entry.key.span.source.version >= LANGUAGE_VERSION:
        diagnostics.error("syntax-former", f"`{FORMER}` is of version 1", entry.key.span, "write them under `types`")
    none = Entry(Scalar(entry.key.span, "classes"), Mapping(entry.key.span))
    rows = {
        name: Entry(row.key, Mapping(row.value.span, {"classes": none, **row.value.entries}))
        if isinstance(row.value, Mapping)
        else row
        for name, row in entry.value.entries.items()
    }
    types = Entry(Scalar(entry.key.span, "types"), Mapping(entry.value.span, rows))
    rest = {key: each for key, each in tree.entries.items() if key != FORMER}
    return joined((Mapping(tree.span, rest), Mapping(tree.span, {"types": types})), diagnostics)


def _duplicate(name: str, first: Span, second: Span, diagnostics: Diagnostics) -> None:
    """Report a name that stands in two places of one folder."""
    message = f"`{name}` stands here a second time (first in {first.path}, line {first.line})"
    hint = "rename one of them, or take it away"
    diagnostics.error("ruleset-duplicate", message, second, hint, ((first, "first here"),))


def row_id(row: Node) -> Scalar | None:
    """Return the id of a row of pieces; None if it has none."""
    id_ = row.get("id") if isinstance(row, Mapping) else None
    return id_ if isinstance(id_, Scalar) and isinstance(id_.value, str) else None


def lay_over(base: Mapping, over: Mapping, diagnostics: Diagnostics, removed: Collection[str] = ()) -> Mapping:
    """Overlay one mapping on another: keys are added, replaced, merged or removed.

    Findings: `ruleset-remove` where there is nothing to remove, unless lower layers have `removed` that name.
    """
    entries = dict(base.entries)
    for key, entry in over.entries.items():
        first = entries.get(key)
        if removes(entry.value):
            if entries.pop(key, None) is None and key not in removed:
                message = f"there is no `{key}` to remove"
                diagnostics.error("ruleset-remove", message, entry.key.span, suggest(key, entries))
        else:
            below = first.value if first is not None else None
            entries[key] = Entry(entry.key, _over(below, entry.value, diagnostics, removed))
    return Mapping(over.span, entries)


def new_beside(base: Mapping, over: Mapping) -> dict[Span, Beside]:
    """Return the names that `over` adds, by span, each with the existing names of its section."""
    added: dict[Span, Beside] = {}
    for section in SHARED if base.entries else ():
        known, new = base.get(section), over.get(section)
        if not isinstance(known, Mapping) or not isinstance(new, Mapping):
            continue
        if section == "pieces":
            for kind, entry in new.entries.items():
                ids = tuple(str(row.value) for row in _ids(known.get(kind)))
                existing = set(ids)
                added |= {r.span: Beside(str(r.value), ids) for r in _ids(entry.value) if r.value not in existing}
        else:
            names = tuple(known.entries)
            rows = [(key, entry) for key, entry in new.entries.items() if key not in known.entries]
            added |= {entry.key.span: Beside(key, names) for key, entry in rows if not removes(entry.value)}
    return added


def _ids(rows: Node | None) -> list[Scalar]:
    """Return the ids of a list of rows, without removals."""
    items = rows.items if isinstance(rows, Sequence) else ()
    return [id_ for row in items if (id_ := row_id(row)) is not None and not removes(row)]


def _over(base: Node | None, over: Node, diagnostics: Diagnostics, removed: Collection[str]) -> Node:
    """Overlay one node on another: mappings and lists of rows are merged, other nodes replaced.

    What is new, or of another sort, is laid over an empty one, which checks its rows and reports its removals.
    """
    if isinstance(over, Mapping):
        below = base if isinstance(base, Mapping) else Mapping(over.span)
        return lay_over(below, over, diagnostics, removed if base is below else ())
    if isinstance(over, Sequence) and any(row_id(row) for row in over.items):
        rows = base if isinstance(base, Sequence) else Sequence(over.span, ())
        return _rows_over(rows, over, diagnostics, removed if base is rows else ())
    return over


def _rows_over(base: Sequence, over: Sequence, diagnostics: Diagnostics, removed: Collection[str]) -> Sequence:
    """Overlay rows on rows: rows of equal id are merged, others added, removals applied."""
    rows: dict[object, Node] = {}
    for number, row in enumerate(base.items):
        id_ = row_id(row)
        rows[id_.value if id_ else number] = row
    for number, row in enumerate(over.items, len(base.items)):
        id_ = row_id(row)
        key: object = id_.value if id_ else number
        if id_ and removes(row):
            if rows.pop(key, None) is None and key not in removed:
                names = (k for k in rows if isinstance(k, str))
                message = f"there is no `{key}` to remove"
                diagnostics.error("ruleset-remove", message, id_.span, suggest(str(key), names))
        else:
            rows[key] = _over(rows.get(key), row, diagnostics, removed)
    return Sequence(over.span, tuple(rows.values()))


def removes(node: Node) -> bool:
    """Return whether a node is a removal, with `remove: true`."""
    mark = node.get("remove") if isinstance(node, Mapping) else None
    return isinstance(mark, Scalar) and mark.value is True


def removals(node: Node, name: str = "") -> dict[str, Span]:
    """Return the names that a tree removes, each with its span."""
    if removes(node):
        return {name: node.span}
    removed: dict[str, Span] = {}
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            removed |= removals(entry.value, key)
    elif isinstance(node, Sequence):
        for item in node.items:
            known = row_id(item)
            removed |= removals(item, str(known.value)) if known is not None else {}
    return removed
