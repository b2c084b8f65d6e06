"""What is worth knowing beside a text: types of names, numbers of pieces, the parameters of what is called.

Enters: a project, a file of it, a place. Leaves: short texts and where they belong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rulelang.ruleset.files import display_path
from rulelang.semantics.tree.core import Local
from rulelang.semantics.tree.symbols import DefinitionSym, GroupInfo, ProcedureSym
from rulelang.service.project import Project

_LET = re.compile(r"\b(?:let|for|some)\s+$")


def hints(project: Project, path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield line, column (from 1) and text: the types of `let`, `for` and `some`; how many pieces a row is where its
    count is worked out. Lines that have changed since the last good analysis get none."""
    declared = [
        place
        for place in project.names.in_file(display_path(path))
        if place.declares and isinstance(place.named, Local | DefinitionSym)
    ]
    places = {(place.span.line, place.span.column): place for place in declared}  # what is chosen may be two locals
    for place in places.values():
        span, named = place.span, place.named
        before = span.whole_line[: span.column - 1]
        if isinstance(named, Local) and _LET.search(before):
            yield span.line, span.end_column, f": {named.type}"
        elif isinstance(named, DefinitionSym) and named.count is not None and named.count.op == "const":
            count = named.count.args[0]
            if count != 1 and named.decl.count.span.line != named.decl.span.line:
                yield span.line, span.end_column, f" × {count}"


def parameters(project: Project, path: Path, line: int, column: int) -> tuple[str, list[str], int] | None:
    """Return the header of what is called at a place, its parameters, and the number of the one that is written."""
    lines = project.text_of(path).split("\n")
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    depth, commas = 0, 0
    for offset in range(len(before) - 1, -1, -1):
        character = before[offset]
        if character in ")]}":
            depth += 1
        elif character in "([{":
            if depth == 0 and character == "(":
                called = re.search(r"([A-Za-z_]\w*)\s*$", before[:offset])
                return _called(project, path, called[1], commas) if called else None
            depth -= 1
            if depth < 0:
                return None
        elif character == "," and depth == 0:
            commas += 1
    return None


def _called(project: Project, path: Path, name: str, active: int) -> tuple[str, list[str], int] | None:
    snapshot = project.snapshot_of(path)
    symbol = snapshot.analysed.shared.names.get(name) if snapshot is not None else None
    if not isinstance(symbol, ProcedureSym | GroupInfo):
        return None
    parts = [f"{parameter}: {type_}" for parameter, type_ in symbol.params]
    returns = (
        symbol.returns if isinstance(symbol, ProcedureSym) and str(symbol.returns) not in ("void", "nothing") else None
    )
    label = f"{name}({', '.join(parts)})" + (f" -> {returns}" if returns is not None else "")
    return label, parts, min(active, max(len(parts) - 1, 0))
