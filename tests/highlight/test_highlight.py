"""The lexers keep every character and know what words are."""

from __future__ import annotations

from pathlib import Path

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number

from rulelang.highlight import PARTS, RuleLexer, RulesetLexer
from rulelang.syntax.words import KEYWORDS
from tests.offenders import of_each
from tests.soak import every

ROOT = Path(__file__).resolve().parents[2]
FILES = [*ROOT.glob("rulesets/**/*.rule"), *ROOT.glob("rulesets/**/*.yaml"), *ROOT.glob("tests/fragments/**/*.yaml")]

YAML = """\
pieces:
  Card:
    - id: smith
      rules: |
        modify cost(c): minus 1

        scores: 2
    - {id: rules}
rules: |
  [book:3]
  rule act: pass
zones: {rule: {holds: Card}}
"""


@of_each(every(3, FILES))
def test_no_character_is_lost(file: Path) -> None:
    """The tokens, one after the other, are the text; each stands where it says."""
    text = file.read_text(encoding="utf-8")
    lexer: Lexer = RuleLexer() if file.suffix == ".rule" else RulesetLexer()
    tokens = list(lexer.get_tokens_unprocessed(text))
    assert "".join(value for _, _, value in tokens) == text
    assert all(text.startswith(value, place) for place, _, value in tokens)


def test_rules_in_yaml() -> None:
    """Blocks after `rules: |` are rules, up to where their indentation ends; the rest is YAML."""
    tokens = [(token, value) for _, token, value in RulesetLexer().get_tokens_unprocessed(YAML) if value.strip()]
    assert (Keyword.Declaration, "modify") in tokens
    assert (Keyword, "scores") in tokens
    assert tokens.index((Comment.Special, "[book:3]")) < tokens.index((Name.Function, "act"))
    assert (Name.Tag, "zones") in tokens
    assert (Keyword.Declaration, "rule") in tokens
    assert tokens.count((Keyword.Declaration, "rule")) == 1


def test_words_of_a_form_are_words_of_the_language() -> None:
    """Those of another version, too, are none."""
    assert set(PARTS) <= KEYWORDS
    tokens = [(token, value) for _, token, value in RuleLexer().get_tokens_unprocessed("(hand: list of Card)")]
    assert (Keyword, "list") in tokens


def test_words_of_the_language_as_names() -> None:
    """After a dot a word is an attribute; words that only belong to a form are names where they are used so."""
    text = "let game = hand.top + from + 3"
    tokens = {value: token for _, token, value in RuleLexer().get_tokens_unprocessed(text)}
    assert (tokens["let"], tokens["game"], tokens["top"], tokens["3"]) == (
        Keyword,
        Name,
        Name.Attribute,
        Number.Integer,
    )


def test_pygments_finds_them() -> None:
    """The installed package registers both names."""
    assert isinstance(get_lexer_by_name("rule"), RuleLexer)
    assert isinstance(get_lexer_by_name("ruleset"), RulesetLexer)
