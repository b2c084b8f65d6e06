"""The one way that plain text takes to a terminal or a stream.

Enters: text that may hold anything: arguments, names of files, what strangers' rulesets say. Leaves: the same on the
stream, with escapes (`\\x1b`) for the characters that a terminal obeys, or shows in another order, or not at all. Text
that Rich lays out takes the way of `rulelang.cli.console`.
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
"""Formats that words of some languages need: the soft hyphen, the non-joiner and the joiner."""


def printable(text: str) -> str:
    """Escape control and format characters, line and paragraph separators, surrogates and unassigned characters.

    Line feeds stay, tabs become spaces.
    """
    return _UNCOMMON.sub(lambda match: _shown(match[0]), text)


def _shown(char: str) -> str:
    if char.isprintable() or char in _HARMLESS or unicodedata.category(char) == "Zs":
        return char
    return TAB if char == "\t" else char.encode("unicode_escape").decode()


def put(text: str, stream: TextIO | None = None, end: str = "\n") -> None:
    """Print text on a stream, by default the output."""
    click.echo(printable(text) + end, file=stream, nl=False)


def say(message: str) -> None:
    """Print a message on the error output."""
    if sys.stderr is not None:
        put(message, sys.stderr)


def put_json(value: object) -> None:
    """Print one JSON document; letters that the output does not have are escaped, and what `printable` escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8", "surrogatepass")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    # Outside of strings JSON has none of these characters.
    click.echo(_UNCOMMON.sub(lambda match: _in_json(match[0]), text))


def _in_json(char: str) -> str:
    return char if _shown(char) == char else json.dumps(char)[1:-1]
