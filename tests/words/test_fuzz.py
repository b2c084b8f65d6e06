"""Random games of the conformance suite, read in every language: no text fails or shows what is internal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shipped import conformance, shipped
from tests.words.games import CONFORMANCE, UNKNOWN, story, texts, walked

INTERNAL = re.compile(r"[\[\]{}_@#<>]|None|-1\b|\.\.|\d\.\w|::")
RULESETS = sorted(path for path in CONFORMANCE.iterdir() if (path / "ruleset.yaml").exists())


@pytest.mark.parametrize("path", RULESETS, ids=lambda path: path.name)
def test_all_texts_of_a_game(path: Path) -> None:
    """Prompts, options, refusals, outcomes and events are words, and options of one decision differ."""
    ruleset = shipped(path)
    for seed, players in enumerate(ruleset.players):
        for state in walked(ruleset, players, seed):
            for lang in ("en", "fr", UNKNOWN):
                found = list(texts(state, lang))
                wrong = [row for row in found if not row[1].strip() or INTERNAL.search(row[1])]
                assert wrong == []
                for seat in state.current_players():
                    options = [action.text(lang) for action in state.legal_actions(seat)]
                    assert len(set(options)) == len(options), options
        for lang in ("en", "fr", UNKNOWN):
            told = list(story(state, lang))
            assert [row for row in told if INTERNAL.search(row[1]) or not row[1].endswith(".")] == []
            assert [text for _, text in told if not text[0].isupper() and not text[0].isdecimal()] == []


def test_an_unknown_language_reads_as_the_first(tmp_path: Path) -> None:
    """What has no words in a language, and a language without sentences, fall back, to the letter."""
    ruleset = conformance("reactions")
    for state in walked(ruleset, min(ruleset.players), 5):
        assert list(texts(state, UNKNOWN)) == list(texts(state, "en"))
    assert list(story(state, UNKNOWN)) == list(story(state, "en"))
