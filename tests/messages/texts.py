"""The texts of messages as they stand in the source.

Enters: the modules that make findings. Leaves: each text with its place and a pattern, in which a part that is filled
in matches anything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rulelang.syntax.phrases import _rows

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("diagnostics", "ruleset", "syntax", "semantics", "compiler")
CALLED = {"cast", "compile", "fullmatch", "node", "rule", "split", "sub", "TypeVar"}
"""What is called with strings that nobody reads."""
NAMES = {
    "SENSES": "what people call alike",
    "_CALLED": "what people call keys", "VALUES": "what people call values", "_CODES": "what people call languages",
    "FORMS": "how a tree is printed", "LEFT_TO_RIGHT": "how a tree is printed",
}  # fmt: skip
"""Tables that hold no message."""
MODULES = {"syntax/forms.py": "how a tree is printed", "syntax/words.py": "words of the language"}
"""Modules that hold no message."""
PHRASES = "rulelang/syntax/phrases.toml"
"""A table of messages."""
PROSE = re.compile(r"[^\W_]{2}[`,:;]* [`(]?[^\W_]|[^\W_] [`(]?[^\W_]{2}")
"""What has two words in a row."""
HOLE = re.compile(r"\{\w*\}|%s|\\g<\w+>")
"""Part of a text that is filled in later."""


@dataclass(frozen=True)
class Text:
    """A text of a message: where it stands, how it reads, and what it may come to."""

    place: str
    words: str
    pattern: re.Pattern[str]

    def is_in(self, whole: str, lines: Iterable[str]) -> bool:
        """Whether a text, whose lines are given too, has it."""
        longest = max(self.words.split("…"), key=len)
        return longest in whole and any(longest in line and self.pattern.search(line) for line in lines)


def texts() -> list[Text]:
    """Return the texts of all messages."""
    found = []
    for room in ROOMS:
        for path in sorted((ROOT / "rulelang" / room).rglob("*.py")):
            if path.relative_to(ROOT / "rulelang").as_posix() in MODULES:
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in _strings(tree):
                place = f"{path.relative_to(ROOT).as_posix()}:{node.lineno}"
                found.append(_text(place, _read(node)))
    found += [_text(PHRASES, part) for _, _, message, hint in _rows() for part in (message, hint)]
    return [text for text in found if PROSE.search(text.words)]


def _text(place: str, text: str) -> Text:
    parts = HOLE.split(text)
    return Text(place, "…".join(parts), re.compile(".*".join(map(re.escape, parts)), re.DOTALL))


def _strings(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the strings within that somebody may read: no docstrings, nor what callers are told."""
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            yield node
        case ast.Expr(value=ast.Constant()) | ast.Raise() | ast.Assert():
            pass
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in CALLED:
            pass
        case ast.keyword(arg="blocks" | "sets" | "writes"):
            pass
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if name in NAMES:
            pass
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _strings(child)


def _read(node: ast.expr) -> str:
    """Return the words of a string, `{}` for what is filled in."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join([str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts])
