"""Notations of options: templates such as `{letter(start)}{start~}{x: is_taken(target)}{target}`.

Enters: a text. Leaves: its parts. `{target}` is an argument, `{letter(start)}` what a function gives, `{x: f(target)}`
a text where a condition holds, `{start~}` as much of a cell as tells the option from the others, `{start~: f(start)}`
the same, where the condition holds at least the column. `{{` is a brace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_CALL = rf"(?P<name>{_NAME})(?P<arguments>\(\s*(?:{_NAME}\s*(?:,\s*{_NAME}\s*)*)?\))?"
_VALUE = re.compile(rf"\s*{_CALL}\s*")
_LEAST = re.compile(rf"\s*(?P<cell>{_NAME})~\s*(?::\s*{_CALL}\s*)?")
_MARK = re.compile(rf"(?P<text>[^:]+):\s*{_CALL}\s*")
_PIECES = re.compile(r"\{\{|\}\}|\{(?P<field>[^{}]*)\}|(?P<text>[^{}]+)|(?P<brace>[{}])")


@dataclass(frozen=True, slots=True)
class NotationCall:
    """An argument of the option by its name, or a call of a function with arguments of the option; `arguments`: None
    for no call."""

    name: str
    arguments: tuple[str, ...] | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """The arguments of the option that are read."""
        return (self.name,) if self.arguments is None else self.arguments


@dataclass(frozen=True, slots=True)
class NotationPart:
    """A part of a notation.

    Attributes:
        text: itself, or what stands there where a condition holds. value: what is printed. least: the cell of which as
            little as possible is printed. condition: of `text`, or that of `least` at least the column is printed.
    """

    text: str = ""
    value: NotationCall | None = None
    least: str = ""
    condition: NotationCall | None = None

    @property
    def calls(self) -> tuple[NotationCall, ...]:
        """What is printed, and the condition."""
        return tuple(call for call in (self.value, self.condition) if call is not None)


def parse_notation(template: str) -> tuple[NotationPart, ...]:
    """Split a notation into parts.

    Raises:
        ValueError: it is none; the message says what is wrong.
    """
    parts = []
    for piece in _PIECES.finditer(template):
        if piece["brace"]:
            raise ValueError(f"a single `{piece['brace']}`")
        parts.append(NotationPart(piece["text"] or piece[0][0]) if piece["field"] is None else _part(piece["field"]))
    return tuple(parts)


def _part(field: str) -> NotationPart:
    """Return the part in braces."""
    if match := _VALUE.fullmatch(field):
        return NotationPart(value=_call(match))
    if match := _LEAST.fullmatch(field):
        return NotationPart(least=match["cell"], condition=_call(match) if match["name"] else None)
    if match := _MARK.fullmatch(field):
        return NotationPart(match["text"], condition=_call(match))
    raise ValueError(f"`{{{field}}}` is no field of a notation")


def _call(match: re.Match[str]) -> NotationCall:
    """Return the call that a field ends in."""
    arguments = match["arguments"]
    return NotationCall(match["name"], None if arguments is None else tuple(re.findall(_NAME, arguments)))


def names_in(template: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the names in a notation: where each begins, itself, and whether it is a function that is called; the others
    are arguments of the option."""
    for piece in _PIECES.finditer(template):
        field, start = piece["field"] or "", piece.start("field")
        match = _VALUE.fullmatch(field) or _LEAST.fullmatch(field) or _MARK.fullmatch(field)
        if match is None:
            continue
        if cell := match.groupdict().get("cell"):
            yield start + match.start("cell"), cell, False
        if name := match["name"]:
            yield start + match.start("name"), name, match["arguments"] is not None
        for argument in re.finditer(_NAME, match["arguments"] or ""):
            yield start + match.start("arguments") + argument.start(), argument[0], False


def functions_called(template: str) -> set[str]:
    """Return the functions that a notation calls."""
    return {name for _, name, is_function in names_in(template) if is_function}


def shape(template: str) -> str:
    """Return a regular expression for the texts that a notation may have; values are not looked at, but hold none of
    the signs of an id."""
    texts = []
    for part in parse_notation(template):
        if part.text:
            texts.append(re.escape(part.text) if part.condition is None else f"(?:{re.escape(part.text)})?")
        else:
            texts.append("[a-z]*[0-9]*" if part.least else "[^:,=]*")
    return "".join(texts)
