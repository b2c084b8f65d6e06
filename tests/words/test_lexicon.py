"""A ruleset's nouns: its words, those of its first language, its identifiers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulelang.words.lexicon import Lexicon, Noun, plain_words
from tests.words.games import made

GAME = """
rulelang: 2
name: tiny
title: {fr: Petit}
players: 2
languages: [en, fr]
kinds: {TinyCard: {start: deck}}
pieces:
  TinyCard:
    - {id: bell, words: {en: silver bell, fr: {one: cloche, gender: f}}}
    - {id: bad_luck}
zones: {deck: {holds: TinyCard, order: pile}}
variables:
  coins: {type: 0..9, per: player}
  energy: {type: 0..9}
rules: |
  play:
    for p in players:
      turn of p: coins += energy
words:
  en: {coins: {one: coin, many: coins}}
  fr: {energy: {one: énergie, gender: f}, TinyCard.bad_luck: {one: malchance, gender: f}}
"""


@pytest.fixture(name="lexicons")
def _lexicons(tmp_path: Path) -> dict[str, Lexicon]:
    written = made(tmp_path, GAME).written
    return {lang: Lexicon(written, lang) for lang in ("en", "fr", "fr-CA", "xx")}


def test_words_and_what_stands_in_for_them(lexicons: dict[str, Lexicon]) -> None:
    """Words of a row and of `words`; the first language's where there are none; else the identifier."""
    en, fr, xx = lexicons["en"], lexicons["fr"], lexicons["xx"]
    assert (en.name("bell"), fr.name("bell"), xx.name("bell")) == ("silver bell", "cloche", "silver bell")
    assert (fr.name("coins"), fr.counted(2, "coins")) == ("coin", "2 coins")
    assert (en.name("bad_luck"), fr.name("bad_luck"), fr.noun("TinyCard.bad_luck", "bad_luck").one) == (
        "bad luck",
        "malchance",
        "malchance",
    )
    assert (en.a("TinyCard"), en.counted(3, "TinyCard")) == ("a tiny card", "3 tiny cards")
    assert lexicons["fr-CA"].name("bell") == "cloche"


def test_has_means_this_very_language(lexicons: dict[str, Lexicon]) -> None:
    """`has` does not count what another language lends."""
    assert (lexicons["en"].has("coins"), lexicons["fr"].has("coins"), lexicons["fr"].has("bell")) == (True, False, True)


def test_phrases(lexicons: dict[str, Lexicon]) -> None:
    """Articles, case and number by name."""
    en, fr = lexicons["en"], lexicons["fr"]
    assert (fr.a("energy"), fr.the("energy")) == ("une énergie", "l'énergie")
    assert (en.the("coins", 2), en.label("coins")) == ("the coins", "coins")
    assert fr.joined(["a", "b"], "or") == "a ou b"
    assert en.noun("coins") == Noun("coin", "coins")


def test_titles(tmp_path: Path) -> None:
    """The title in the language, else in another, else the name."""
    ruleset = made(tmp_path, GAME)
    assert (ruleset.words("fr").title, ruleset.words("en").title) == ("Petit", "Petit")
    assert plain_words("a_name") == "a name"
