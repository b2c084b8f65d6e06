"""Where a text of the program counts something, the noun agrees with any number: `counted(n, "player")`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "rulelang"
PLURAL = re.compile(r"^ (?:\w+ )??([a-z]{3,}[^s\W])s\b")
# After a field these are verbs, or what a decimal stands before.
MAYBE = re.compile(r"""\}(?:["']\s*f?["'])? (?:\w+ )??[a-z]{3,}s\b""")
"""What a file has in which there may be one: most have none, and to look through all their nodes takes seconds."""
OTHERS = set(
    "applie begin belong bring carrie cite depend hold lack name need passe show stand start state take want".split()
)
DEVELOPERS = ("ir/", "native/", "ismcts/")
# Never one: constants of the program, decimals, what a branch before it saw to.
MEANT = {
    "semantics/tree/symbols.py: times",
    "lab/figures.py: figures",
    "mutate/operators.py: times",
    "web/fields.py: times",
    "diagnostics/model.py: places",  # "place" as one of several
    "search/evaluation.py: values",
    "semantics/lints/words.py: words",  # "has no words"
}


def counted_without() -> Iterator[tuple[str, str]]:
    """Each f-string in which a value is followed by a noun in the plural, as `FILE: NOUN` and the text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if MAYBE.search(text) else ():
            if not isinstance(node, ast.JoinedStr):
                continue
            for value, after in zip(node.values, node.values[1:], strict=False):
                if not isinstance(value, ast.FormattedValue) or not isinstance(after, ast.Constant):
                    continue
                found = PLURAL.match(str(after.value))
                if not found or ast.unparse(value.value).startswith("counted("):
                    continue
                constant = isinstance(value.value, ast.Name) and value.value.id.isupper()
                decimal = value.format_spec is not None and "f" in ast.unparse(value.format_spec)
                if not constant and not decimal and found[1] not in OTHERS:
                    yield f"{path.relative_to(PACKAGE).as_posix()}: {found[1]}s", ast.unparse(node)


def test_texts_of_the_program_agree_with_their_numbers() -> None:
    """None says `1 players`; what only who works on the compiler reads may."""
    found = {place: text for place, text in counted_without() if not place.startswith(DEVELOPERS)}
    assert {place: text for place, text in found.items() if place not in MEANT} == {}
    assert MEANT - found.keys() == set()
