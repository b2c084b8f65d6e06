"""Sentences with fields, as a ruleset's words give them for its options: `sell {n:card} for {price} coins`.

Enters: a text. Leaves: its parts. `{n}` is the value of a field, `{n:card}` that many of a noun; `{{` is a brace.
"""

from __future__ import annotations

import string
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Plain text, then a field (empty at the end of the sentence), perhaps with the noun that it counts."""

    text: str
    field: str = ""
    noun: str = ""


def parse_sentence(sentence: str) -> tuple[Part, ...]:
    """The parts of a sentence.

    Raises:
        ValueError: the braces are not in order; the message says what is wrong.
    """
    found = []
    for text, name, noun, conversion in string.Formatter().parse(sentence):
        if name is not None and (not name.isidentifier() or conversion is not None or (noun and not _is_noun(noun))):
            whole = name + (f"!{conversion}" if conversion else "") + (f":{noun}" if noun else "")
            raise ValueError(f"`{{{whole}}}` is no field: a field is `{{name}}` or `{{name:noun}}`")
        found.append(Part(text, name or "", noun or ""))
    return tuple(found)


def _is_noun(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))
