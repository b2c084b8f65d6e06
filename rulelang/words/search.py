"""Texts that hold words which somebody typed, whatever their case and accents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulelang.languages import folded

WORDS = re.compile(r"\w+")


def holding(words: str, texts: Sequence[str]) -> list[int]:
    """Return the indices of the folded texts that contain all words or, if none does, that contain them as parts of
    words."""
    needed = folded(words).split()
    whole = [number for number, text in enumerate(texts) if {*needed} <= {*WORDS.findall(text), *text.split()}]
    return whole or [number for number, text in enumerate(texts) if all(word in text for word in needed)]
