"""The one path by which plain text reaches a terminal or a stream.

Enters: arbitrary text: arguments, names of files, texts of foreign rulesets. Leaves: the same on the stream, with
escapes (`\\x1b`) for control characters, and for characters that reorder or hide text. Text that Rich lays out goes
through `rulelang.cli.console`.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from typing import TextIO

import click

TAB = "    "
_UNCOMMON = re.compile(r"[^\n -~]")
_HARMLESS = "\u00ad\u200c\u200d"
"""Format characters of some languages: soft hyphen, zero-width non-joiner, zero-width joiner."""


def printable(text: str) -> str:
    """Escape control and format characters, line and paragraph separators, surrogates and unassigned characters.

    Line feeds stay, tabs become spaces.
    """
    return _UNCOMMON.sub(lambda match: _shown(match[0]), text)


def _shown(char: str) -> str:
    """Return a character as a terminal may show it."""
    if char.isprintable() or char in _HARMLESS or unicodedata.category(char) == "Zs":
        return char
    return TAB if char == "\t" else char.encode("unicode_escape").decode()


def put(text: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print text on a stream, by default stdout."""
    click.echo(printable(text) + end, file=stream, nl=False)


def say(message: str) -> None:
    """Print a message on stderr."""
    if sys.stderr is not None:
        put(message, sys.stderr)


def put_json(value: object) -> None:
    """Print one JSON document; characters outside the output's encoding, and those of `printable`, are escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8", "surrogatepass")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    # Outside of strings JSON has none of these characters.
    click.echo(_UNCOMMON.sub(lambda match: _in_json(match[0]), text))


def _in_json(char: str) -> str:
    """Return a character as it may stand in a JSON string."""
    return char if _shown(char) == char else json.dumps(char)[1:-1]
