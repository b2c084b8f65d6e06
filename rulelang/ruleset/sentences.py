"""Sentences with fields, as a ruleset's words give them for its options: `sell {n:card} for {price} coins`.

Enters: a text. Leaves: its parts. `{n}` is the value of a field, `{n:card}` that many of a noun, `{card:the}` the value
with its article; `{{` is a brace. The
words of a kind may give a text for its rows: `card {number} ({colour})`.
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass

THE = "the"
"""After the colon of a field: its value with an article."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Plain text, then a field (empty at the end of the sentence), perhaps with the noun that it counts."""

    text: str
    field: str = ""
    noun: str = ""


def parse_sentence(sentence: str) -> tuple[Fragment, ...]:
    """Split a sentence into parts: text and the field that follows it.

    Raises:
        ValueError: the braces are not in order; the message says what is wrong.
    """
    parts = []
    for text, name, noun, conversion in string.Formatter().parse(sentence):
        if name is not None and (not name.isidentifier() or conversion is not None or (noun and not _is_noun(noun))):
            whole = name + (f"!{conversion}" if conversion else "") + (f":{noun}" if noun else "")
            raise ValueError(f"`{{{whole}}}` is no field: a field is `{{name}}` or `{{name:noun}}`")
        parts.append(Fragment(text, name or "", noun or ""))
    return tuple(parts)


def fields(sentence: str) -> set[str]:
    """Return the fields of a sentence, such as `card`, or `card:the` for a value with its article."""
    parts = parse_sentence(sentence)
    return {f"{part.field}:{THE}" if part.noun == THE else part.field for part in parts if part.field}


def sentence_opening(sentence: str) -> str:
    """Return the first word of a sentence outside of fields: `sell` in `sell {n:card} for {price}`."""
    return next((text for part in parse_sentence(sentence) if (text := part.text.strip(" ,:("))), "")


def _is_noun(text: str) -> bool:
    """Return whether a text is a name, dotted or not."""
    return all(part.isidentifier() for part in text.split("."))


# ---- what the rows of a kind are called ---------------------------------------------------------------

ROW_ID, ROW_NUMBER = "id", "number"
"""Fields that every row has, unless its kind has an attribute of that name: its id, the number that the id ends in."""

_NUMBER = re.compile("[0-9]+$")


def row_number(id_: str) -> str:
    """Return the number at the end of an id, without leading zeros; empty if there is none."""
    digits = _NUMBER.search(id_)
    return str(int(digits[0])) if digits is not None else ""
