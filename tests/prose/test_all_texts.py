"""Every rule text there is has sentences in both languages, without a trace of how it was written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.prose import Faces, RuleWriter
from rulelang.prose.sorts import Nouns
from tests.reference import YAML
from tests.shipped import written

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    text for text in YAML if text.startswith("rulelang: 2") and "\nname: " in text and "\nextends: " not in text
]
FOLDERS = sorted(
    header.parent
    for folder in ("rulesets", "tests/conformance/rulesets", "tests/fragments")
    for header in (ROOT / folder).rglob("ruleset.yaml")
)
WRITTEN = re.compile(r"_|:=|->|!=|[{}\[\]]|  |\bNone\b")


def texts_of(folder: Path) -> list[str]:
    """All that the room says of a ruleset."""
    ruleset = written(folder)
    nouns = Nouns(ruleset)
    found = []
    for lang in ("en", "fr"):
        writer = RuleWriter(ruleset, lang, nouns=nouns)
        found += [writer.declaration(declaration) for declaration in nouns.declarations]
        for face in Faces(ruleset, lang, nouns).all():
            found += [face.name, face.kind_name, face.count, *face.effects]
            found += [text for pair in face.attributes for text in pair]
    return found


def faults(texts: list[str]) -> list[str]:
    """The texts that are empty or show how they were written."""
    return [text for text in texts if not text.strip() or WRITTEN.search(text)]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.relative_to(ROOT).as_posix())
def test_rulesets(folder: Path) -> None:
    """Shipped rulesets and those of the tests."""
    assert faults(texts_of(folder)) == []


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda t: re.search(r"name: (\w+)", t)[1])  # type: ignore[index]
def test_examples_of_the_language(text: str, tmp_path: Path) -> None:
    """The whole rulesets of the language reference."""
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    assert faults(texts_of(tmp_path)) == []


def test_faults_are_seen() -> None:
    """The test above does refuse: an identifier, a sign of the language, nothing at all."""
    assert len(faults(["take_turn", "coins := 2", "", "{who} pays", "your hand"])) == 4
