"""What the tests of the syntax room share."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax import ast, parse_block, parse_expression, parse_rule_file
from rulelang.syntax.scan import Place

SAMPLE = (Path(__file__).parent / "sample.rule").read_text(encoding="utf-8")


def bare(node: object) -> object:
    """A tree without its spans, to compare what was said and not where."""
    if isinstance(node, tuple):
        return tuple(bare(part) for part in node)
    if isinstance(node, ast.Node):
        parts = (getattr(node, field.name) for field in dataclasses.fields(node) if field.name != "span")
        return (type(node).__name__, *(bare(part) for part in parts))
    return node


def findings(text: str) -> list[str]:
    """What parsing a `.rule` file complains about: `line:column code message | hint`."""
    diagnostics = Diagnostics()
    parse_rule_file(Source("t.rule", text), diagnostics)
    return [f"{d.span.line}:{d.span.column} {d.code} {d.message} | {d.hint}" for d in diagnostics]


def declarations(text: str) -> tuple[ast.Declaration, ...]:
    """The declarations of a text without mistakes."""
    diagnostics = Diagnostics()
    parsed = parse_rule_file(Source("t.rule", text), diagnostics)
    assert not len(diagnostics), [str(d) for d in diagnostics]
    return parsed


def expression(text: str) -> ast.Expr:
    """A value without mistakes."""
    diagnostics = Diagnostics()
    parsed = parse_expression(Place(Source("t", text)), text, diagnostics)
    assert parsed is not None, (text, [str(d) for d in diagnostics])
    return parsed


def block(text: str) -> ast.Block:
    """Statements without mistakes."""
    diagnostics = Diagnostics()
    parsed = parse_block(Place(Source("t", text)), text, diagnostics)
    assert parsed is not None, (text, [str(d) for d in diagnostics])
    return parsed


def cut_out(text: str, node: ast.Node) -> str:
    """The stretch of a text of one line that a node's span covers."""
    line = text.split("\n")[node.span.line - 1]
    assert node.span.end_line == node.span.line
    return line[node.span.column - 1 : node.span.end_column - 1]
