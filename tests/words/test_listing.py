"""The sentences that the shipped rulesets can show, as the listing collects them: what no sentence may have in it."""

from __future__ import annotations

import re

import pytest

from tests.shipped import shipped
from tests.words.listing import Listing

FAULTS = {
    "fr": r"[a-z]_[a-z]| [:;!?»]|« |\baucun None\b|\bde le\b|\bà le\b|\bde les\b|\bà les\b|`|  |"
    r"\bsaison saison\b|: [^ ]+: ",
    "en": r"[a-z]_[a-z]|\bthes\b| [:;!?]|`|  |\bthe the\b|\ba the\b",
}
"""A name as rules write it, code, signs with a space before them. In French also: a colon without a no-break space,
prepositions that are not contracted, a word said twice."""


@pytest.mark.parametrize("lang", ["fr", "en"])
@pytest.mark.parametrize("name", ["reco", "imaginarium", "ldd"])
def test_no_sentence_has_what_none_may_have(name: str, lang: str) -> None:
    """Of one short game, as three people read it, and of the faces of pieces."""
    listing = Listing(shipped(name), lang)
    listing.faces()
    listing.game(listing.ruleset.players[-1], 1, choices=40)
    faulty = [
        f"{sort}: {text}" for sort, texts in listing.found.items() for text in texts if re.search(FAULTS[lang], text)
    ]
    assert faulty == []
