"""A third language, made up: one folder with the texts of the first in Greek letters, and a grammar of its own."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulelang.languages import DEFAULT, FILES, language

CODE = "qx"
LATIN, GREEK = "abcdefghijklmnopqrstuvwxyz", "αβχδεφγηιϳκλμνοπϙρστυϝωξψζ"
LETTERS = str.maketrans(LATIN + LATIN.upper(), GREEK + GREEK.upper())
FIELD = re.compile(r"\{([\w.]*)(:[^{}|]*\|[^{}]*|:\w+)?\}")


def greek(text: str) -> str:
    """A text with its letters in Greek; fields keep their names, what a number chooses from is text."""
    done, at = "", 0
    for field in FIELD.finditer(text):
        forms = field[2] or ""
        done += text[at : field.start()].translate(LETTERS) + f"{{{field[1]}{forms.translate(LETTERS)}}}"
        at = field.end()
    return done + text[at:].translate(LETTERS)


def written(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    """A table as TOML, its texts in Greek."""
    own = {name: value for name, value in table.items() if isinstance(value, str)}
    lines = [f"[{'.'.join(map(json.dumps, path))}]"] if path else []
    lines += [f"{json.dumps(name)} = {json.dumps(greek(text))}" for name, text in own.items()]
    lines += [f"{json.dumps(name)} = true" for name, value in table.items() if value is True]
    inner = [written(value, (*path, name)) for name, value in table.items() if isinstance(value, dict)]
    return "\n".join([*lines, *inner])


def make(folder: Path) -> Path:
    """Write the language into a folder of languages; all that it consists of."""
    own = folder / CODE
    shutil.copytree(Path(__file__).with_name(CODE), own, ignore=shutil.ignore_patterns("__pycache__"))
    for room in FILES:
        texts = {name: text for name, text in language(DEFAULT).texts(room).items() if name != "verbs"}
        (own / f"{room}.toml").write_text(written(texts) + "\n", encoding="utf-8")
    (own / "syntax.toml").write_text('WHEN = "kvand"\n', encoding="utf-8")
    return own
