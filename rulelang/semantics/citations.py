"""Citations must name a source that the ruleset lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rulelang.diagnostics import Span, suggest
from rulelang.ruleset.model import Cite
from rulelang.semantics.base import Shared
from rulelang.syntax import ast


def cited(node: object) -> Iterator[tuple[str, int, int, Span]]:
    """All citations inside a tree of dataclasses."""
    if isinstance(node, ast.Citation | Cite):
        yield node.source, node.first, node.last, node.span
    elif isinstance(node, Span):
        return
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        for f in dataclasses.fields(node):
            yield from cited(getattr(node, f.name))
    elif isinstance(node, tuple | list):
        for part in node:
            yield from cited(part)
    elif isinstance(node, dict):
        for part in node.values():
            yield from cited(part)


def check_citations(shared: Shared, declared: list[ast.Declaration]) -> None:
    """Reports citations of unknown sources and ranges that run backwards."""
    sources = shared.checked.ruleset.sources
    for source, first, last, span in [*cited(shared.checked.ruleset), *cited(declared)]:
        if source not in sources:
            hint = suggest(source, sources) or "list it under `sources:` in ruleset.yaml"
            shared.diagnostics.error("citation-source", f"`{source}` is not a source of this ruleset", span, hint)
        elif first > last or first < 1:
            shared.diagnostics.error("citation-range", f"lines {first}-{last} are no range", span)
