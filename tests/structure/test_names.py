"""One meaning a word: two classes that others see have one name only where they are one thing, twice."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.offenders import none
from tests.trees import module

PACKAGE = Path(__file__).resolve().parents[2] / "rulelang"

LEVELS = "one construct, as the author wrote it and as the program has it"
WIRE = "one thing, and the JSON that the API makes of it"
BACKENDS = "one job, of the interpreter and of native code"
SAME = {
    "Action": WIRE,
    "Asked": WIRE,
    "Block": LEVELS,
    "Chapter": WIRE,
    "Choose": LEVELS,
    "Decision": f"{LEVELS}; as the API has it, {WIRE}",
    "Expr": LEVELS,
    "Grammar": "what a language pack must hold, by this name",
    "Lookahead": BACKENDS,
    "Return": LEVELS,
    "Selections": BACKENDS,
    "Sheet": WIRE,
    "State": "one game, as the API has it and as executors have it",
    "Statement": LEVELS,
    "Theme": WIRE,
    "Type": "one type, as the checker reasons with it and as programs name it",
}
"""Names that several classes have, and why they are one thing."""


def declared() -> dict[str, list[str]]:
    """The modules in which each name of a class is declared; `_` in front: nobody else sees it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in module(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE).as_posix())
    return found


def test_two_classes_of_one_name_are_one_thing() -> None:
    """Else one of them says more of itself; what is listed and has come apart goes from the list."""
    several = {name: modules for name, modules in declared().items() if len(modules) > 1}
    none({name: ", ".join(modules) for name, modules in several.items() if name not in SAME})
    none([f"`{name}` is one class alone" for name in SAME.keys() - several.keys()])
