"""A hand-written C file of any length: copies of `reco.c`, with a number at the end of every name.

Enters: a number of lines. Leaves: C text of about as many, whole copies only. It is the baseline for compiling
generated C of the same length; as people wrote all of it, its lines are as long and dense as people's.
"""

from __future__ import annotations

import re
from pathlib import Path

SOURCE = Path(__file__).with_name("reco.c")

_NAMES = (
    re.compile(r"^(?:static )?(?:inline )?(?:const )?\w+ \*?(\w+)\(", re.MULTILINE),  # functions
    re.compile(r"^static const \w+ (\w+)(?:\[\])? = ", re.MULTILINE),
    re.compile(r"^} (\w+);", re.MULTILINE),
    re.compile(r"^(?:__extension__ )?typedef [\w ]+ (\w+);", re.MULTILINE),
)
_ENUM = re.compile(r"^enum \{(.*?)^\};", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CONSTANT = re.compile(r"\b([A-Z]\w*)\b\s*(?:=|,|$)", re.MULTILINE)


def names(text: str) -> set[str]:
    """Return the names that a C text defines at its top level."""
    defined = {name for pattern in _NAMES for name in pattern.findall(text)}
    for body in _ENUM.findall(text):
        defined |= set(_CONSTANT.findall(_COMMENT.sub("", body)))
    return defined


def repeated(lines: int) -> str:
    """Return about `lines` lines of C: the nearest number of whole copies, at least one. Each copy keeps its `main`,
    and so everything that this calls."""
    text = SOURCE.read_text(encoding="utf-8")
    own = re.compile(rf"\b({'|'.join(sorted(names(text)))})\b")
    copies = max(1, round(lines / text.count("\n")))
    return "".join(own.sub(rf"\1_{number}", text) for number in range(copies))
