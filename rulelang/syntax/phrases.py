"""What people write in English, or as in other languages, and how it is written here.

Enters: a line that cannot be parsed. Leaves: the first phrase of `phrases.toml` that stands in it, with what to write.
The names of the author's line stand in the hint, so that it can be copied.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from rulelang.resources import room_data

_PLACE = r"[\w.]+(?:\[[^\]]*\])?"
_START = r"(?:^ *|: +)"


class Told(NamedTuple):
    """A phrase as found in a line: from which column, in which words."""

    column: int
    code: str
    message: str
    hint: str


@cache
def _data() -> dict[str, Any]:
    return room_data("syntax", "phrases")


def sign_meant(text: str) -> str | None:
    """Return the spelling here of a foreign sign, such as `==`; None if the sign is not listed."""
    signs: dict[str, str] = _data()["signs"]
    return signs.get(text)


def word_meant(text: str) -> str | None:
    """Return the spelling here of a word from other languages and games; None if the word is not listed."""
    words: dict[str, str] = _data()["words"]
    return words.get(text)


@cache
def phrases() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Load the patterns of foreign phrases, each with code, message and hint of its finding."""
    rows: list[dict[str, str]] = _data()["phrase"]
    return [(re.compile(row["pattern"].replace("PLACE", _PLACE).replace("START", _START)), row) for row in rows]


def phrase_in(line: str, until: int) -> Told | None:
    """Return the first foreign phrase in a line that begins at or before column `until`, from 0, and reaches it."""
    for pattern, row in phrases():
        match = pattern.search(line)
        if match is not None and match.start("at") <= until and match.end() >= until:
            code = row.get("code", "syntax-word")
            return Told(match.start("at"), code, match.expand(row["message"]), match.expand(row["hint"]))
    return None
