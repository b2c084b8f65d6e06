"""Reads sentences.txt: what each construct of the language reads like."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source
from rulelang.prose import RuleWriter
from rulelang.prose.sorts import Nouns
from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.model import WrittenRuleset
from rulelang.syntax import ast, parse_expression, parse_piece_text, parse_rule_file, parse_rule_text
from rulelang.syntax.scan import Place

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Sentence:
    """A text of some sort, and what it reads like."""

    sort: str
    text: str
    english: str
    french: str

    def nodes(self) -> tuple[ast.Node, ...]:
        """The syntax trees of the text."""
        found = Diagnostics()
        nodes = _parsed(self.sort, self.text, found)
        assert not found.has_errors, [str(d) for d in found]
        return nodes


def _parsed(sort: str, text: str, found: Diagnostics) -> tuple[ast.Node, ...]:
    if sort == "file":
        return parse_rule_file(Source("test.rule", text), found)
    if sort == "piece":
        return parse_piece_text(Place(Source("test", text)), text, found)
    if sort in ("value", "condition"):
        node = parse_expression(Place(Source("test", text)), text, found)
        return (node,) if node is not None else ()
    if sort == "statement":
        text = "rule test:\n" + "\n".join(f"  {line}" for line in text.split("\n"))
    return parse_rule_text(Place(Source("test", text)), text, found)


def is_read(sentence: Sentence) -> bool:
    """Whether the text of a sentence can be parsed."""
    found = Diagnostics()
    _parsed(sentence.sort, sentence.text, found)
    return not found.has_errors


def read_sentences() -> list[Sentence]:
    """All of sentences.txt."""
    blocks = (HERE / "sentences.txt").read_text(encoding="utf-8").split("\n\n")[1:]
    found = []
    for block in blocks:
        head, *lines = block.strip("\n").split("\n")
        texts = [line for line in lines if not line.startswith("-- ")]
        english, french = (line.removeprefix("-- ") for line in lines[-2:])
        found.append(Sentence(head.removeprefix("== "), "\n".join(texts), english, french))
    return found


def load(folder: Path) -> WrittenRuleset:
    """A ruleset, whatever `check` would say of it."""
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    assert ruleset is not None, [str(d) for d in found]
    return ruleset


def said(writer: RuleWriter, sentence: Sentence) -> str:
    """What a sentence reads like, with plain spaces."""
    texts = []
    for node in sentence.nodes():
        if isinstance(node, ast.Expr):
            texts.append(writer.condition(node) if sentence.sort == "condition" else writer.phrase(node))
        else:
            assert isinstance(node, ast.Declaration)
            texts.append(writer.declaration(node, "Card" if sentence.sort == "piece" else ""))
    if sentence.sort == "statement":
        texts = [texts[0].partition(":")[2].strip()]
    return " // ".join(texts).replace("\u00a0", " ")


def writers(ruleset: WrittenRuleset) -> dict[str, RuleWriter]:
    """The writers of both languages."""
    nouns = Nouns(ruleset)
    return {lang: RuleWriter(ruleset, lang, nouns=nouns) for lang in ("en", "fr")}
