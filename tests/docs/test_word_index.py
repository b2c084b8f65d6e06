"""The index of words has every word of rules and every section of YAML, in order, each with a place that there is."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rulelang.semantics.typing.builtins import FUNCTIONS
from rulelang.syntax.words import BUILTIN_NAMES

ROOT = Path(__file__).resolve().parents[2]
LANGUAGE = ROOT / "docs" / "language"
ROW = re.compile(r"^\| `(\w+)` \| .+ \| \[(.+)\]\((\S+)\) \| (?:2.*)? ?\|$")


def anchors(page: Path) -> dict[str, str]:
    """The headings of a page by what links to them, the page itself by nothing."""
    headings = re.findall(r"^(#+) (.+)$", re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S), re.M)
    slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-"): title for _, title in headings}
    return slugs | {"": headings[0][1]}


def test_each_word_has_its_place() -> None:
    """All words of the grammar, functions, ready-made names and sections stand there, in order; titles are those of the
    chapters and sections that rows lead to."""
    grammar = set(re.findall(r'"([a-z]+)"', (ROOT / "grammar" / "rulelang.lark").read_text("utf-8")))
    sections = json.loads((ROOT / "grammar" / "ruleset.schema.json").read_text("utf-8"))["properties"].keys()
    lines = (LANGUAGE / "word_index.md").read_text("utf-8").split("| --- | --- | --- | --- |\n")[1].splitlines()
    rows = [match.groups() for line in lines if (match := ROW.match(line))]
    assert len(rows) == len(lines)
    words = [word for word, _, _ in rows]
    assert {*words} == grammar | {*FUNCTIONS} | BUILTIN_NAMES | sections
    assert words == sorted(words, key=lambda word: (word.lower(), word))
    places = {page.name: anchors(page) for page in LANGUAGE.glob("*.md")}
    for word, title, place in rows:
        page, _, anchor = place.partition("#")
        assert places[page][anchor] == title, word
