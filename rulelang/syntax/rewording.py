"""Lines that are right but for their words and signs: said word by word as the language says them.

Enters: a line that cannot be parsed. Leaves: the same line with each foreign word or sign replaced, if that can be
parsed. The words stand in `rewording.toml`, those of a language in its `syntax.toml` as `WORDS`.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, cast

from rulelang.diagnostics import enumerated
from rulelang.languages import codes, language, number_meant
from rulelang.syntax.sentences import LONGEST, parses
from rulelang.syntax.spreadsheets import whole
from rulelang.syntax.words import KEYWORDS

_TOKEN = re.compile(r"\w+|[<>=!&|*/-]+|[^\w\s]")
_FOREIGN = re.compile(r"\b[A-Z]{2}\w*\(|\)\[\d")
"""What can be parsed and is foreign all the same: a function of spreadsheets, the nth of a list."""


class Reworded(NamedTuple):
    """What is foreign in a line, what to write, how many words and signs are changed, and which if it is one."""

    message: str
    hint: str
    changes: int
    sign: str = ""


@cache
def _rows(code: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Load the words that are replaced: those of a language, or of all if it is empty."""
    path = Path(__file__).with_suffix(".toml")
    rows = language(code).texts("syntax").get("WORDS", ()) if code else tomllib.loads(path.read_text("utf-8"))["words"]
    return tuple((re.compile(pattern), said) for pattern, said in cast("list[list[str]]", rows))


def reworded(line: str, top: bool) -> Reworded | None:
    """Return what a line is in the language's own words; None if it can't be parsed then either.

    Args:
        line: without its indentation.
        top: whether it begins a declaration.
    """
    if len(line) > LONGEST:
        return None
    for said in dict.fromkeys(_candidates(line)):
        if said != line and not _FOREIGN.search(said) and fits(said, top):
            lost = Counter(_TOKEN.findall(line)) - Counter(_TOKEN.findall(said))
            gone = list(lost)
            if gone or _TOKEN.findall(line) != _TOKEN.findall(said):
                told = [word for word in gone if word not in "()[]{},:."] or gone
                other = "another word or sign" if len(told) == 1 else "other words or signs"
                shown = f"the language has {other} for {enumerated(f'`{word}`' for word in told)}"
                message = shown if told else "a word or a sign is missing in this line, or stands elsewhere"
                sign = gone[0] if len(gone) == 1 else ""
                return Reworded(message, f"write `{said}`", lost.total() or 2, sign)
    return None


def _candidates(line: str) -> Iterator[str]:
    """Yield a line with its foreign words replaced, read as English, then as each other language."""
    for code in ("", *codes()):
        said = whole(line)
        for pattern, own in chain(_rows(code) if code else (), _rows("")):
            said = pattern.sub(partial(_replaced, own), said)
        said = re.sub(r"\b[A-Z]\w*\b", lambda word: word[0].lower() if word[0].lower() in KEYWORDS else word[0], said)
        said = re.sub(r"(?<=^repeat )[a-z]+(?= times)", lambda number: number_meant(number[0]) or number[0], said)
        yield re.sub(r" :(?!=)", ":", re.sub(r"\s+", " ", said)).strip()


_OF_ELEMENT = re.compile(r"<(\w+) of (\w+)>")
_TYPED = re.compile(r"(?<![\w:])([A-Za-z]\w*)(?:<\w+>)? ([a-z]\w*)(?= ?(?:,|$))")


def _replaced(own: str, match: re.Match[str]) -> str:
    """Return what a row says of what its pattern has found.

    `<2 of 1>` is the second group with `it` in the place of the name that is the first one; `<2 of params>` the second
    group as parameters whose types follow their names, `<2 of lower>` in small letters.
    """

    def of_element(field: re.Match[str]) -> str:
        text = match[int(field[1])] or ""
        if field[2] == "lower":
            return text.lower()
        if field[2] == "params":
            said = _TYPED.sub(r"\2: \1", text)
            return re.sub(
                r"(?<=: )(?:int|Int|float|double|uint)\b", "number", re.sub(r"(?<=: )Player\b", "player", said)
            )
        return re.sub(rf"\b{match[int(field[2])]}\b", "it", text)

    return match.expand(_OF_ELEMENT.sub(of_element, own))


def fits(line: str, top: bool) -> bool:
    """Return whether a line is a statement, begins a block or a menu's item, or is a condition or declaration."""
    whole = f"{line} pass" if line.endswith(":") else line
    if top or parses([whole], "piece_text"):
        return parses([whole], "rule_file")
    return parses([whole]) or parses([f"if {line}: pass"]) or (":" in line and parses(["choose:", f"  {whole}"]))
