"""Citations must name lines of a source that the ruleset lists, and its index must be in order.

Enters: a ruleset, its declarations, scenarios. Leaves: findings. What the index lists and nothing cites is the matter
of `rulelang.semantics.checks.coverage`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.ruleset.model import Cite, Passage, WrittenRuleset
from rulelang.semantics.tree.shared import Shared
from rulelang.syntax import ast

Cited = tuple[str, int, int, Span]
"""Source, first and last line, and where the citation stands."""


_PLAIN = re.compile(r"(tuple\[|frozenset\[)?(str|int|bool|float|Span|Source)\b[^A-Z]*")
"""Annotations of fields in which no citation can lie."""


def cited(node: object) -> Iterator[Cited]:
    """Yield all citations inside a tree of dataclasses, in the order of their places in it; not `[invented]`."""
    stack = [node]
    while stack:
        node = stack.pop()
        if isinstance(node, (tuple, list)):
            stack += reversed(node)
        elif isinstance(node, dict):
            stack += reversed(node.values())
        elif isinstance(node, (ast.Citation, Cite)):
            if node.source:
                yield node.source, node.first, node.last, node.span
        else:
            kind: Any = type(node)
            stack += filter(None, [getattr(node, name) for name in _fields(kind)])


@cache
def _fields(kind: type) -> tuple[str, ...]:
    """Return the fields of a class in which citations may lie, the last one first."""
    if kind is Span or not dataclasses.is_dataclass(kind):
        return ()
    fields = (field for field in reversed(dataclasses.fields(kind)) if not _PLAIN.fullmatch(str(field.type)))
    return tuple(field.name for field in fields)


def check_citations(shared: Shared, declared: list[ast.Declaration]) -> None:
    """Report faults of the index, and citations of what is not there."""
    ruleset = shared.checked.ruleset
    check_index(ruleset, shared.diagnostics)
    check_cites(ruleset, [*cited(ruleset), *cited(declared)], shared.diagnostics)


def check_index(ruleset: WrittenRuleset, diagnostics: Diagnostics) -> None:
    """Report passages of unknown sources, and those that are not in the order of their lines."""
    for source in dict.fromkeys(p.source for p in ruleset.rulebook):
        passages = [p for p in ruleset.rulebook if p.source == source]
        if source not in ruleset.sources:
            _unknown(source, ruleset, passages[0].span, diagnostics)
        last = 0
        for passage in passages:
            if passage.first > passage.last:
                _backwards(passage.first, passage.last, passage.span, diagnostics)
            elif passage.first <= last:
                _misplaced(passage, passages, diagnostics)
            last = max(last, passage.last)


def _misplaced(passage: Passage, passages: Sequence[Passage], diagnostics: Diagnostics) -> None:
    """Report a passage of the index that stands after a later one, or overlaps another."""
    line, source = passage.first, passage.source
    overlapped = next(p for p in passages if p.last >= line and p is not passage)
    message = f"line {line} of `{source}` comes before line {overlapped.last}, which the index has already"
    if overlapped.first <= line:
        message = f"line {line} of `{source}` is already in the passage of line {overlapped.first}"
        if overlapped.first < overlapped.last:
            message = (
                f"line {line} of `{source}` is already in the passage of lines {overlapped.first}-{overlapped.last}"
            )
    hint = "list the passages in the order of their lines; each line belongs to one"
    diagnostics.error("rulebook-order", message, passage.span, hint)


def check_cites(ruleset: WrittenRuleset, cites: Iterable[Cited], diagnostics: Diagnostics) -> None:
    """Report citations of unknown sources, of ranges that run backwards, and of lines that the index does not have as
    rules or examples."""
    indexed = {p.source for p in ruleset.rulebook}
    for source, first, last, span in cites:
        if source not in ruleset.sources:
            _unknown(source, ruleset, span, diagnostics)
        elif first > last or first < 1:
            _backwards(first, last, span, diagnostics)
        elif source in indexed:
            _check_lines(ruleset, (source, first, last, span), diagnostics)


def _unknown(source: str, ruleset: WrittenRuleset, span: Span, diagnostics: Diagnostics) -> None:
    hint = suggest(source, ruleset.sources) or "list it under `sources:` in ruleset.yaml"
    diagnostics.error("citation-source", f"`{source}` is not a source of this ruleset", span, hint)


def _backwards(first: int, last: int, span: Span, diagnostics: Diagnostics) -> None:
    hint = f"write `{last}-{first}`" if last > 0 else "lines are counted from 1"
    diagnostics.error("citation-range", f"lines {first}-{last} are no range", span, hint)


def _check_lines(ruleset: WrittenRuleset, cite: Cited, diagnostics: Diagnostics) -> None:
    """Check that both ends of a citation lie in passages and that not all of them are flavour."""
    source, first, last, span = cite
    touched = ruleset.passages(source, first, last)
    for line in (first, last):
        if not any(passage.first <= line <= passage.last for passage in touched):
            end = max(p.last for p in ruleset.rulebook if p.source == source)
            message = f"line {line} of `{source}` is in no passage of its index"
            hint = f"the index ends at line {end}" if line > end else "cite a line that it has, or add a passage"
            diagnostics.warning("citation-outside", message, span, hint)
            return
    if all(p.kind == "flavour" for p in touched):
        title = next(iter(touched[0].title.values()))
        message = f"what `{source}` says here ({title}) is flavour, so no rule follows from it"
        diagnostics.warning("citation-flavour", message, span, "cite the rule, or say in the index that this is one")
