"""The blocks of rule text in a YAML file: what stands after `rules: |`.

Enters: the text of a file. Leaves: each block with its place, and the file's text with other text in its blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset import nodes
from rulelang.ruleset.model import Text
from rulelang.ruleset.nodes import Node, Scalar, dsl_text
from rulelang.ruleset.yaml_reader import read_yaml


@dataclass(frozen=True)
class RuleBlock:
    """A block; `piece` if it is the rule text of a piece, else it holds declarations."""

    text: Text
    piece: bool


def rule_blocks(source: Source, diagnostics: Diagnostics) -> list[RuleBlock]:
    """Return the rule blocks of a YAML file in order; empty, with findings, if it cannot be parsed."""
    tree = read_yaml(source, diagnostics)
    return list(_blocks(tree, 0, diagnostics)) if tree is not None else []


def _blocks(node: Node, level: int, diagnostics: Diagnostics) -> Iterator[RuleBlock]:
    """Yield the literal blocks under `rules` keys, at the top level or below `pieces`."""
    if isinstance(node, nodes.Mapping):
        for key, entry in node.entries.items():
            value = entry.value
            if key == "rules" and isinstance(value, Scalar) and value.style == "literal":
                yield RuleBlock(dsl_text(value, diagnostics), level > 0)
            elif level or key == "pieces":
                yield from _blocks(value, level + 1, diagnostics)
    elif isinstance(node, nodes.Sequence):
        for item in node.items:
            yield from _blocks(item, level + 1, diagnostics)


def with_blocks(source: Source, texts: Mapping[RuleBlock, str]) -> str:
    """Return the file's text with the given blocks replaced; the new texts are indented like the old ones."""
    lines = list(source.lines)
    for block, text in sorted(texts.items(), key=lambda pair: pair[0].text.span.line, reverse=True):
        span, indent = block.text.span, " " * block.text.indent
        lines[span.line - 1 : span.end_line] = [indent + line if line else "" for line in text.splitlines()]
    return "\n".join(lines)
