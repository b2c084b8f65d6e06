"""Every language has every text with the same fields, and every noun, command and name of a bot."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest

import rulelang
from rulelang.languages import DEFAULT, codes, language
from rulelang.languages.grammar import TOKEN

ROOMS = ("words", "prose", "terminal", "web", "lab")


def fields(room: str, text: str) -> set[str] | bool:
    """The names of a template's fields; of one of prose, where languages repeat other ones, whether it has any."""
    if room == "prose":
        return any(match[1] for match in TOKEN.finditer(text))
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def keys(room: str, lang: str) -> dict[str, object]:
    """Each text with its fields, each table with its keys; verbs are irregular in their own ways."""
    texts = {name: text for name, text in language(lang).texts(room).items() if name != "verbs"}
    return {name: fields(room, text) if isinstance(text, str) else set(text) for name, text in texts.items()}


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("lang", [lang for lang in codes() if lang != DEFAULT])
def test_languages_have_the_same_texts(lang: str, room: str) -> None:
    """No text is lacking, none is left over; one asks for no field that the others do not have."""
    assert keys(room, lang) == keys(room, DEFAULT)


def test_no_module_names_a_language() -> None:
    """What hangs on a language stands in its folder: no code stands in a string of any other module."""
    root = Path(rulelang.__file__).parent
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "languages" not in path.parts and re.search(r"""["'](en|fr)["']""", text):  # to parse all takes seconds
            nodes = ast.walk(ast.parse(text))
            named = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            assert named.isdisjoint({"en", "fr"}), path.relative_to(root)
