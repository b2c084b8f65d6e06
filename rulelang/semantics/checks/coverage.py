"""What of the rulebook nothing cites, and what of the ruleset cites nothing: findings that only `--strict` asks for.

Enters: a checked ruleset and its scenarios. Leaves: warnings. A ruleset without `sources` is a game of its designer's
own and needs none of it. Of a variant only what its own folder says is judged; what it is laid over is judged there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.scenarios import Scenario
from rulelang.semantics.checks.citations import cited
from rulelang.semantics.tree.shared import Shared
from rulelang.syntax import ast

Lines = set[tuple[str, int]]

NOUNS = {"score": "score line", "handler": "handler of", "modifier": "modifier of"}
"""Declarations that are called otherwise than by their word."""


def check_coverage(shared: Shared, scenarios: Sequence[Scenario], diagnostics: Diagnostics) -> None:
    """Report sources without an index, lines of passages that nothing cites, and what cites nothing."""
    ruleset = shared.checked.ruleset
    own = _is_own(ruleset)
    indexed = {p.source for p in ruleset.rulebook}
    for source in ruleset.sources:
        span = ruleset.source_spans.get(source, ruleset.span)
        if source not in indexed and own(span):
            hint = f"list its passages: `rulebook: {{{source}: [{{lines: 1-4, title: …, is: rule}}, …]}}`"
            diagnostics.warning("rulebook-missing", f"nothing says what stands where in `{source}`", span, hint)
    if not indexed:
        return
    played = _lines(scenarios)
    anywhere = played | _lines([replace(ruleset, about=()), [d for d, _ in shared.declared]])
    for passage in ruleset.rulebook:
        known = played if passage.kind == "example" else anywhere
        missing = [n for n in range(passage.first, passage.last + 1) if (passage.source, n) not in known]
        if passage.kind != "flavour" and missing and own(passage.span):
            who, hint = "nothing", "cite it where it is followed: `[SOURCE:LINE]` above a rule, or `cites:` of a row"
            if passage.kind == "example":
                who, hint = "no scenario", "write a scenario that plays the example, with `cites:`"
            title = next(iter(passage.title.values()))
            message = f"{who} cites {_listed(missing)} of `{passage.source}`: {title}"
            diagnostics.warning("citation-uncited", message, passage.span, hint)
    _check_silent(shared, own, diagnostics)


def _is_own(ruleset: WrittenRuleset) -> Callable[[Span], bool]:
    """Return whether a place stands in a folder that was named, not in one that those build on."""
    folders = {layer.folder for layer in ruleset.layers if layer.named} or {ruleset.root}
    return lambda span: str(Path(span.path).resolve().parent) in folders


def _lines(nodes: object) -> Lines:
    """Return every line that is cited inside."""
    return {(source, n) for source, first, last, _ in cited(nodes) for n in range(first, last + 1)}


def _listed(lines: Sequence[int]) -> str:
    """`line 3`, `lines 3-5, 7`."""
    parts: list[tuple[int, int]] = []
    for line in lines:
        if parts and parts[-1][1] == line - 1:
            parts[-1] = (parts[-1][0], line)
        else:
            parts.append((line, line))
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in parts]
    return f"line{'s' * (len(lines) > 1)} {', '.join(texts)}"


def _check_silent(shared: Shared, own: Callable[[Span], bool], diagnostics: Diagnostics) -> None:
    """Report declarations and rows that cite nothing."""
    ruleset = shared.checked.ruleset
    kinds = {kind.name: kind for kind in ruleset.kinds}
    hint = "say which lines it follows"
    for declaration in _judged(d for d, definitions in shared.declared if not definitions):
        if not _has_origin(declaration) and own(declaration.span):
            message = f"{_named(declaration)} cites nothing"
            more = f"{hint}: `[SOURCE:LINE]`, or `[invented]` where no source has it"
            diagnostics.warning("citation-none", message, _place(declaration), more)
    texts = {(rows[0].kind, rows[0].id) for d, rows in shared.declared if rows and _has_origin(d)}
    for row in ruleset.pieces:
        kind = kinds.get(row.kind)
        silent = not (row.cites or (kind is not None and kind.cites) or (row.kind, row.id) in texts)
        if silent and row.provenance != "invented" and own(row.span):
            message = f"the row `{row.id}` cites nothing, nor does its kind `{row.kind}`"
            diagnostics.warning("citation-none", message, row.span, f"{hint}: `cites: [SOURCE:LINE]`")


def _has_origin(declaration: ast.Declaration) -> bool:
    """Return whether a declaration, or something in it, cites a source, or it is declared to be invented."""
    invented = isinstance(declaration, ast.Cited) and any(not cite.source for cite in declaration.citations)
    return invented or any(cited(declaration))


def _judged(declarations: Iterable[ast.Declaration]) -> Iterator[ast.Declaration]:
    """Yield the declarations that should cite; of a group that does not, each exchange."""
    for declaration in declarations:
        if isinstance(declaration, ast.ExchangeGroup) and declaration.exchanges and not declaration.citations:
            yield from declaration.exchanges
        elif declaration.word:  # what has none is told of with what it belongs to
            yield declaration


def _named(declaration: ast.Declaration) -> str:
    noun, name = NOUNS.get(declaration.word, declaration.word), _name(declaration)
    return f"the {noun} `{name.text}`" if name is not None else f"`{noun}`"


def _name(declaration: ast.Declaration) -> ast.Name | None:
    """Return the name that a declaration is about (of a handler its event, of a modifier its quantity) or None."""
    match declaration:
        case ast.Handler():
            return declaration.event
        case ast.Modifier():
            return declaration.quantity
    name = getattr(declaration, "name", None)
    return name if isinstance(name, ast.Name) else None


def _place(declaration: ast.Declaration) -> Span:
    """Return the name of a declaration, or its first word."""
    name = _name(declaration)
    if name is not None:
        return name.span
    span = declaration.span
    return Span(span.source, span.line, span.column, span.line, span.column + len(declaration.word))
