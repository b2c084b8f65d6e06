"""Every construct of the language reads like a rulebook in both languages."""

from __future__ import annotations

import inspect
import time

import pytest

from rulelang.languages import Phrase, language
from rulelang.prose import RuleWriter
from rulelang.prose.context import ProseContext
from rulelang.ruleset.model import WrittenRuleset
from rulelang.syntax import ast
from tests.offenders import none, of_each, offenders
from tests.prose.sentences import Sentence, read_sentences, said, writers

ENGLISH, FRENCH = (language(code).texts("prose") for code in ("en", "fr"))
SENTENCES = read_sentences()
# Said with the nouns of the ruleset, or by what they consist of: names, numbers, `and`, `where`, blocks.
WORDLESS = {
    ast.Name, ast.NameExpr, ast.Number, ast.Logic, ast.Not, ast.Where, ast.Attribute, ast.Block, ast.OneOf,
    ast.SomeOf, ast.Citation, ast.Require, ast.Whose, ast.Ranked,
}  # fmt: skip
# Said by other rooms of the prose: tests/prose/test_faces.py.
OF_FACES = ("face.", "provenance.")


def constructs() -> list[type[ast.Node]]:
    """The classes of the syntax tree that are constructs, not bases of others."""
    found = [c for c in vars(ast).values() if inspect.isclass(c) and issubclass(c, ast.Node)]
    return [c for c in found if not c.__subclasses__()]


@of_each(constructs())
def test_every_construct_has_a_template(construct: type[ast.Node]) -> None:
    """A construct has a template in each language, or is one of those that need none."""
    for templates in (ENGLISH, FRENCH):
        own = [key for key in templates if key.partition(".")[0] == construct.__name__]
        assert (own == []) == (construct in WORDLESS)


def test_every_construct_has_a_sentence() -> None:
    """No construct is missing from sentences.txt (citations and claims of tests are not said)."""
    seen = {type(node) for sentence in SENTENCES for root in sentence.nodes() for node in ast.walk(root)}
    assert set(constructs()) - seen == {ast.Citation, ast.Require, ast.Whose}


@pytest.mark.parametrize("sort", sorted({sentence.sort for sentence in SENTENCES}))
def test_sentences(sort: str, shop_writers: dict[str, RuleWriter]) -> None:
    """A text reads as sentences.txt says, in English and in French."""

    def reads(sentence: Sentence) -> None:
        assert said(shop_writers["en"], sentence) == sentence.english
        assert said(shop_writers["fr"], sentence) == sentence.french

    none(offenders(reads, [sentence for sentence in SENTENCES if sentence.sort == sort]))


def test_every_template_is_said(shop_ruleset: WrittenRuleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each template stands in some sentence of sentences.txt: none is dead."""
    used: set[str] = set()
    say = ProseContext.say

    def noted(self: ProseContext, template: str, *node: ast.Node, **fields: Phrase | str | int) -> str:
        used.add(template)
        return say(self, template, *node, **fields)

    monkeypatch.setattr(ProseContext, "say", noted)
    for writer in writers(shop_ruleset).values():
        for sentence in SENTENCES:
            said(writer, sentence)
    assert sorted(key for key in set(ENGLISH) - {"nouns", "verbs"} - used if not key.startswith(OF_FACES)) == []


def test_french_keeps_its_lines_together(shop_writers: dict[str, RuleWriter]) -> None:
    """Before a colon, a semicolon and inside quotation marks French has spaces that do not break."""
    menu = next(s for s in SENTENCES if s.text.startswith("choose:\n  take"))
    declaration = menu.nodes()[0]
    assert isinstance(declaration, ast.Declaration)
    text = shop_writers["fr"].declaration(declaration)
    assert "take\u00a0: gagnez 1 pièce\u00a0; (2)" in text


NESTED = {
    "where": ("hand", "(hand where it.value = count({}))"),
    "any": ("open", "any({} and x{n}.coins > 1 for x{n} in players)"),
    "not all": ("open", "not all({} or x{n}.ready for x{n} in players)"),
    "count": ("open", "count(x{n} for x{n} in players where {}) > 1"),
    "otherwise": ("leader", "({} otherwise leader)"),
    "if": ("coins", "(coins if open else {})"),
    "if then": ("coins", "({} if open else coins)"),
    "times": ("coins", "(2 * count(hand where it.value = {}) + coins)"),
    "call": ("leader", "pick({})"),
    "min": ("coins", "min({}, 3)"),
}


@pytest.mark.parametrize("shape", NESTED)
def test_nesting_takes_no_time(shape: str, shop_writers: dict[str, RuleWriter]) -> None:
    """A text nested twelve deep is said in a moment, not after twice the time for each level."""
    text, around = NESTED[shape]
    for number in range(12):
        text = around.format(text, n=number)
    start = time.process_time()
    for sort in ("value", "condition"):
        for writer in shop_writers.values():
            assert said(writer, Sentence(sort, text, "", ""))
    assert time.process_time() - start < 3
