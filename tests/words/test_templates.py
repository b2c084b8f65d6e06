"""No template of the engine is left over."""

from __future__ import annotations

import ast
from pathlib import Path

from rulelang import words
from rulelang.languages import language
from rulelang.vocabulary.operations import SIGNS

ROOM = Path(words.__file__).parent
FORMS = ("_you", "_many")


def test_every_template_is_used() -> None:
    """Each template is named in the sources that fill templates, whole or with the ending of its form."""
    templates = [name for name in language("en").texts("words") if name != "nouns"]
    named: set[str] = set()
    for path in ROOM.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named |= {
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
    directions = {"north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest"}
    compared = {f"cause_{op}" for op in SIGNS if "cause_" in named}
    used = named | directions | compared | {name for name in templates if name.startswith("this_") and "this_" in named}
    unused = {name for name in templates if name not in used and not _is_form(name, used)}
    assert unused == set()


def _is_form(name: str, used: set[str]) -> bool:
    return any(name.endswith(form) and name.removesuffix(form) in used for form in FORMS)
