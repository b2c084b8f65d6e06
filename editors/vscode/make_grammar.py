"""Writes the extension's TextMate grammars, of the words that the highlighter knows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rulelang.highlight import CONSTANTS, NAMED, PARTS, SIGNS
from rulelang.syntax.words import DECLARATION_WORDS, RESERVED_RULES

FOLDER = Path(__file__).parent / "syntaxes"


def one_of(words: Iterable[str]) -> str:
    """Return a pattern of words."""
    return "|".join(sorted(words))


RULE: dict[str, Any] = {
    "name": "RuleLang rules",
    "scopeName": "source.rule",
    "patterns": [
        {"name": "comment.line.number-sign.rule", "match": "#.*$"},
        {
            "name": "constant.other.citation.rule",
            "match": r"\[[ \t]*[a-z][a-z0-9-]*:\d[^\]\n]*\]|(?<!\S)\[invented\]",
        },
        {
            "match": rf"\b({one_of(NAMED)})\b[ \t]+([A-Za-z_]\w*)",
            "captures": {"1": {"name": "keyword.declaration.rule"}, "2": {"name": "entity.name.function.rule"}},
        },
        {"name": "constant.language.rule", "match": rf"\b({one_of(CONSTANTS)})\b"},
        {"name": "keyword.control.rule", "match": rf"(?<!\.)\b({one_of(RESERVED_RULES | DECLARATION_WORDS)})\b"},
        {"name": "keyword.other.rule", "match": rf"(?<!\.)\b({one_of(PARTS)})\b(?!\s*[.=(\[,)])"},
        {"match": r"\.([A-Za-z_]\w*)", "captures": {"1": {"name": "variable.other.property.rule"}}},
        {"name": "entity.name.type.rule", "match": r"\b[A-Z]\w*"},
        {"name": "entity.name.function.rule", "match": r"\b[A-Za-z_]\w*(?=\()"},
        {"name": "constant.numeric.rule", "match": r"\b\d+\b"},
        {"name": "keyword.operator.rule", "match": SIGNS},
    ],
}
YAML: dict[str, Any] = {
    "scopeName": "source.rule.injection",
    "injectionSelector": "L:source.yaml",
    "patterns": [
        {
            "begin": r"^(\s*(?:-\s+)*)(rules)(:)\s*(\|[+-]?)\s*$",
            "beginCaptures": {
                "2": {"name": "entity.name.tag.yaml"},
                "3": {"name": "punctuation.separator.key-value.mapping.yaml"},
                "4": {"name": "keyword.control.flow.block-scalar.literal.yaml"},
            },
            "end": r"^(?!\1\s|\s*$)",
            "contentName": "meta.embedded.rule",
            "patterns": [{"include": "source.rule"}],
        }
    ],
}


def texts() -> dict[Path, str]:
    """Return the files with their contents."""
    grammars = {"rule": RULE, "yaml": YAML}
    return {FOLDER / f"{n}.tmLanguage.json": f"{json.dumps(g, indent=2)}\n" for n, g in grammars.items()}


if __name__ == "__main__":
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
