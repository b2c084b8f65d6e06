"""A hand-written C file of any length: `reco.c` again and again, every name of its own with a number at its end.

Enters: how many lines. Leaves: C text of about as many, whole copies only. What a compiler takes for it is what
compiling generated C of the same length is measured against; as all of it is written by hand, its lines are as long and
as full as people's.
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
    """What a C text defines at its top level."""
    found = {name for pattern in _NAMES for name in pattern.findall(text)}
    for body in _ENUM.findall(text):
        found |= set(_CONSTANT.findall(_COMMENT.sub("", body)))
    return found


def repeated(lines: int) -> str:
    """So many lines of C, to the nearest number of whole copies, but at least one. Each copy's `main` is kept, and so
    is all that it calls."""
    text = SOURCE.read_text(encoding="utf-8")
    own = re.compile(rf"\b({'|'.join(sorted(names(text)))})\b")
    copies = max(1, round(lines / text.count("\n")))
    return "".join(own.sub(rf"\1_{number}", text) for number in range(copies))
