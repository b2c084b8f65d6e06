"""The glossary explains words that the code uses: each stands in a public docstring or is a module's name."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.trees import statements

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    row
    for row in re.findall(r"^\| ([^|*]+) \| ([^|]+) \| ([^|]*) ?\|$", PAGE[PAGE.index("| **Texts**") :], re.M)
    if row[0] not in ("word", "---")
]
ENDS = ("", "s", "es", "ed", "d")
NEEDED = set(
    "layout program block frame decision item binder guard handle instance pool scope fuel pass stream suspend".split()
) | {"unknown piece"}


def said() -> str:
    """All docstrings of modules and of public classes and functions, and the names of modules and packages."""
    texts = []
    for path in sorted((ROOT / "rulelang").rglob("*.py")):
        texts += [path.stem, path.parent.name]
        for node in statements(path):
            if isinstance(node, ast.Module) or (
                isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
            ):
                texts.append(ast.get_docstring(node) or "")
    return re.sub(r"\s+", " ", " ".join(texts)).lower()


def test_words_are_used() -> None:
    """The words that a reader meets first are all there, each once, and the code says each."""
    text = said()
    words = [word.strip() for word, _, _ in ROWS]
    assert set(words) >= NEEDED
    assert len(words) == len(set(words))
    alone = set(re.findall(r"\w+", text))
    unused = [
        word
        for word in words
        if alone.isdisjoint(word + end for end in ENDS)
        and not re.search(rf"\b{re.escape(word)}({'|'.join(ENDS)})\b", text)
    ]
    assert unused == []


def test_one_sentence_each() -> None:
    """Each word is explained, in no more than one sentence."""
    assert [word for word, meaning, _ in ROWS if not meaning.strip() or ". " in meaning] == []
