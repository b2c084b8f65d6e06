"""Hierarchies in the words of the Language Server Protocol: who calls whom, what is of what, what replaces what.

Enters: requests about names. Leaves: items, with the name as data for the next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lsprotocol import types as lsp

from rulelang.cli.language_server import SYMBOLS, Server, of_name, path_of, server, uri_of
from rulelang.diagnostics import Span
from rulelang.semantics.tree.symbols import ProcedureSym
from rulelang.service.hierarchy import DeclaredThing, above, below, declared_at
from rulelang.service.names import Occurrence
from rulelang.service.project import Project

Find = Callable[[Project, str, Path], Iterable[DeclaredThing]]

# ---- calls


@of_name(lsp.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY)
def prepare_calls(
    ls: Server, project: Project, place: Occurrence, params: lsp.CallHierarchyPrepareParams
) -> list[lsp.CallHierarchyItem]:
    """Find the rule or function at a place."""
    return [_item(ls, project, place.named)] if isinstance(place.named, ProcedureSym) else []


def _item(ls: Server, project: Project, symbol: ProcedureSym) -> lsp.CallHierarchyItem:
    span = symbol.span
    return lsp.CallHierarchyItem(
        symbol.name or "rules",
        lsp.SymbolKind.Function,
        uri_of(project, span.path),
        ls.range(span),
        ls.range(span),
        detail=symbol.category,
        data={"name": symbol.name, "project": str(project.folder)},
    )


def _asked(ls: Server, item: lsp.CallHierarchyItem | lsp.TypeHierarchyItem) -> tuple[Project | None, Mapping[str, str]]:
    """Return the project of an item, and what was kept of it."""
    data: Mapping[str, str] = item.data if isinstance(item.data, dict) else {}
    return ls.projects.get(Path(data.get("project", ""))), data


def _calls(
    ls: Server, item: lsp.CallHierarchyItem, incoming: bool
) -> Iterable[tuple[lsp.CallHierarchyItem, list[lsp.Range]]]:
    project, data = _asked(ls, item)
    by: dict[ProcedureSym, list[lsp.Range]] = {}
    for edge in project.base.analysed.shared.edges if project is not None and project.base is not None else ():
        one, other = (edge.callee, edge.caller) if incoming else (edge.caller, edge.callee)
        if one.name == data["name"]:
            by.setdefault(other, []).append(ls.range(edge.span))
    return [(_item(ls, project, symbol), ranges) for symbol, ranges in by.items()] if project is not None else []


@server.feature(lsp.CALL_HIERARCHY_INCOMING_CALLS)
def incoming(ls: Server, params: lsp.CallHierarchyIncomingCallsParams) -> list[lsp.CallHierarchyIncomingCall]:
    """Find what calls a rule."""
    return [lsp.CallHierarchyIncomingCall(item, ranges) for item, ranges in _calls(ls, params.item, True)]


@server.feature(lsp.CALL_HIERARCHY_OUTGOING_CALLS)
def outgoing(ls: Server, params: lsp.CallHierarchyOutgoingCallsParams) -> list[lsp.CallHierarchyOutgoingCall]:
    """Find what a rule calls."""
    return [lsp.CallHierarchyOutgoingCall(item, ranges) for item, ranges in _calls(ls, params.item, False)]


# ---- kinds and pieces, types and values, declarations and what replaces them


@of_name(lsp.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY)
def prepare_types(
    ls: Server, project: Project, place: Occurrence, params: lsp.TypeHierarchyPrepareParams
) -> list[lsp.TypeHierarchyItem]:
    """Find the declaration of the name at a place."""
    named = declared_at(project, path_of(params.text_document.uri), place.text) if place.key[0] != "local" else None
    return [_declared(ls, project, named)] if named is not None else []


def _declared(ls: Server, project: Project, declared: DeclaredThing) -> lsp.TypeHierarchyItem:
    return lsp.TypeHierarchyItem(
        declared.name,
        SYMBOLS.get(declared.sort, lsp.SymbolKind.Object),
        uri_of(project, declared.span.path),
        ls.range(declared.span),
        ls.range(declared.named),
        detail=f"{declared.sort}, {declared.folder.name}",
        data={"name": declared.name, "folder": str(declared.folder), "project": str(project.folder)},
    )


def _related(ls: Server, item: lsp.TypeHierarchyItem, find: Find) -> list[lsp.TypeHierarchyItem]:
    project, data = _asked(ls, item)
    relatives = find(project, data["name"], Path(data["folder"])) if project is not None else ()
    return [_declared(ls, project, declared) for declared in relatives] if project is not None else []


@server.feature(lsp.TYPE_HIERARCHY_SUPERTYPES)
def supertypes(ls: Server, params: lsp.TypeHierarchySupertypesParams) -> list[lsp.TypeHierarchyItem]:
    """Find what a declaration replaces, and what it is one of."""
    return _related(ls, params.item, above)


@server.feature(lsp.TYPE_HIERARCHY_SUBTYPES)
def subtypes(ls: Server, params: lsp.TypeHierarchySubtypesParams) -> list[lsp.TypeHierarchyItem]:
    """Find what replaces a declaration in variants, and what is of it."""
    return _related(ls, params.item, below)


@of_name(lsp.TEXT_DOCUMENT_IMPLEMENTATION)
def implementation(
    ls: Server, project: Project, place: Occurrence, params: lsp.ImplementationParams
) -> list[lsp.Location]:
    """Find what reacts to an event, changes a quantity, implements an ability, or replaces a rule in a variant."""
    spans: dict[tuple[str, int, int], Span] = {}
    for snapshot in project.snapshots.values():
        for procedure, effects in snapshot.analysed.checked.effects():
            if procedure.name == place.key[-1]:
                spans |= {(e.span.path, e.span.line, e.span.column): e.span for e in effects}
        symbol = snapshot.analysed.shared.names.get(place.key[-1]) if place.key[0] == "symbol" else None
        if isinstance(symbol, ProcedureSym) and symbol.span.path != place.span.path:
            spans[symbol.span.path, symbol.span.line, symbol.span.column] = symbol.span
    return [ls.location(project, spans[where]) for where in sorted(spans)]
