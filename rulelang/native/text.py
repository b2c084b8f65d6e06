"""Tell atoms and numbers among C expressions: what may be read twice, and what is known.

Enters: the text of a C expression. Leaves: whether it is a name or a number, and which number.
"""

from __future__ import annotations

import re

_ATOM = re.compile(r"[A-Za-z_]\w*|\d+|\(-\d+\)|INT64_MIN")
_NUMBER = re.compile(r"\d+|\(-\d+\)")


def atomic(text: str) -> bool:
    """Whether the text is a name or a number, so that it may be read twice."""
    return _ATOM.fullmatch(text) is not None


def literal(text: str) -> int | None:
    """The number that the text is."""
    return int(text.strip("()")) if _NUMBER.fullmatch(text) else None
