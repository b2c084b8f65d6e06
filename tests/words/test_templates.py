"""Every language has every template with the same fields, and every noun of the engine."""

from __future__ import annotations

import ast
import string
from pathlib import Path

from rulelang.words import templates
from rulelang.words.languages import LANGUAGES
from tests.offenders import of_each

ROOM = Path(templates.__file__).parent
FORMS = ("_you", "_many")


def fields(template: str) -> set[str]:
    """The names of a template's fields."""
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_languages_have_the_same_templates() -> None:
    """No language lacks a template, and none has one more."""
    assert templates.TEMPLATES.keys() == templates.NOUNS.keys() == LANGUAGES.keys()
    for lang in templates.TEMPLATES:
        assert templates.TEMPLATES[lang].keys() == templates.TEMPLATES["en"].keys()
        assert templates.NOUNS[lang].keys() == templates.NOUNS["en"].keys()


@of_each(templates.TEMPLATES["en"])
def test_templates_have_the_same_fields(name: str) -> None:
    """A template takes the same fields in every language."""
    assert {lang: fields(table[name]) for lang, table in templates.TEMPLATES.items()} == dict.fromkeys(
        templates.TEMPLATES, fields(templates.TEMPLATES["en"][name])
    )


def test_every_template_is_used() -> None:
    """Each template is named in the sources that fill templates, whole or with the ending of its form."""
    named: set[str] = set()
    for path in ROOM.glob("*.py"):
        if path.name != "templates.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            named |= {
                node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
    directions = {"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}
    used = (
        named
        | directions
        | {name for name in templates.TEMPLATES["en"] if name.startswith("this_") and "this_" in named}
    )
    unused = {name for name in templates.TEMPLATES["en"] if name not in used and not _is_form(name, used)}
    assert unused == set()


def _is_form(name: str, used: set[str]) -> bool:
    return any(name.endswith(form) and name.removesuffix(form) in used for form in FORMS)
