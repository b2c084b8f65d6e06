"""Reads a program's text back: the inverse of `rulelang.ir.text`.

Enters: text. Leaves: a `Program`, or an `IrError` with the line at fault. What the nodes mean is left to the verifier;
here every field has the right type and every operation a known name.
"""

from __future__ import annotations

import json
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from functools import cache
from typing import Any, NoReturn

from rulelang.ir.errors import IrError
from rulelang.ir.nodes import Expr, Statement
from rulelang.ir.program import IR_VERSION, Program
from rulelang.ir.table import CLASSES
from rulelang.ir.text import HEADER, default_of
from rulelang.vocabulary.operations import EXPRESSIONS, STATEMENTS
from rulelang.vocabulary.types import Type

TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|;[^\n]*)|(?P<newline>\n)|(?P<string>"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<number>-?\d+(?![\w<]))|(?P<site>@\d+)|(?P<field>[a-z_]+=)|(?P<word>[^\W\d][\w:<>,]*)"""
    r"""|(?P<mark>[()\[\]{}:])"""
)
WRONG = object()
WORDS: dict[str, object] = {"true": True, "false": False, "none": None}


def parse_program(text: str) -> Program:
    """Return the program that a text describes; the text's version must be this engine's. Raises IrError if it is no
    text of a program, or of another version."""
    header = re.match(HEADER + r" (\d+)[ \t\r]*(?=\n|$)", text)
    if header is None:
        raise IrError(f"this is no text of a program: `{HEADER} {IR_VERSION}` expected", line=1)
    if int(header.group(1)) != IR_VERSION:
        raise IrError(f"the text is of version {header.group(1)}, this engine reads version {IR_VERSION}", line=1)
    reader = _Reader(text[header.end() :])
    value = reader.value()
    if not isinstance(value, Program):
        raise IrError("the text holds no program", line=1)
    reader.end()
    return value


@dataclass(frozen=True, slots=True)
class _Token:
    """A token of the text of a program, with its line."""

    kind: str
    text: str
    line: int


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of a text, then one of kind `end`; IrError for a character that begins none."""
    line, position = 1, 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            raise IrError(f"unexpected `{text[position]}`", line=line)
        position = match.end()
        kind = match.lastgroup or ""
        if kind == "newline":
            line += 1
        elif kind != "space":
            yield _Token(kind, match.group(), line)
    yield _Token("end", "the end of the text", line)


@cache
def _hints(name: str) -> dict[str, Any]:
    return typing.get_type_hints(CLASSES[name])


def _converted(value: object, hint: Any) -> Any:
    """Return the value as a field of this type holds it; WRONG where it does not fit."""
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        options = (_converted(value, option) for option in typing.get_args(hint))
        return next((converted for converted in options if converted is not WRONG), WRONG)
    if origin is tuple:
        parts = typing.get_args(hint)
        if not isinstance(value, tuple):
            return WRONG
        if len(parts) == 2 and parts[1] is ...:
            parts = parts[:1] * len(value)
        converted = tuple(map(_converted, value, parts))
        return converted if len(value) == len(parts) and WRONG not in converted else WRONG
    if origin is dict:
        sorts = typing.get_args(hint)
        rows = value.items() if isinstance(value, dict) else [(WRONG, WRONG)]
        return WRONG if any(WRONG in map(_converted, row, sorts) for row in rows) else value
    if hint is Type:
        return Type(value) if isinstance(value, str) else WRONG
    return value if (type(value) is int if hint is int else isinstance(value, hint)) else WRONG


class _Reader:
    """A recursive reader; the shape of every value shows in its first character."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.token = next(self.tokens)

    def _fail(self, message: str, line: int = 0) -> NoReturn:
        raise IrError(message, line=line or self.token.line)

    def _take(self) -> _Token:
        """Return the current token and go to the next one; the last token stays."""
        token = self.token
        if token.kind != "end":
            self.token = next(self.tokens)
        return token

    def _expect(self, text: str) -> None:
        if self.token.text != text:
            self._fail(f"`{text}` expected, not `{self.token.text}`")
        self._take()

    def end(self) -> None:
        """Raise an error if anything follows the program."""
        if self.token.kind != "end":
            self._fail(f"`{self.token.text}` after the end of the program")

    def value(self) -> object:
        """Read any value."""
        token = self._take()
        if token.kind == "string":
            try:
                return str(json.loads(token.text))
            except json.JSONDecodeError:
                self._fail(f"damaged text {token.text}", token.line)
        if token.kind == "number":
            return int(token.text)
        if token.text in WORDS:
            return WORDS[token.text]
        if token.text == "[":
            return tuple(self._until("]", token.line))
        if token.text == "{":
            return self._mapping()
        if token.text == "(":
            return self._node()
        return self._fail(f"a value expected, not `{token.text}`", token.line)

    def _until(self, closing: str, line: int) -> Iterator[object]:
        """Yield the values up to a closing bracket, which is skipped; `line`: where it was opened."""
        while self.token.text != closing:
            if self.token.kind == "end":
                self._fail(f"`{closing}` is missing for what begins here", line)
            yield self.value()
        self._take()

    def _mapping(self) -> dict[str, object]:
        """Read `KEY: VALUE …}` with text keys."""
        mapping: dict[str, object] = {}
        while self.token.text != "}":
            key = self.value()
            if not isinstance(key, str):
                self._fail("a key is no text")
            self._expect(":")
            mapping[key] = self.value()
        self._take()
        return mapping

    def _node(self) -> object:
        """Read the rest of a table's row, expression or statement, whose `(` was taken."""
        name = self._take()
        if name.text in CLASSES and CLASSES[name.text] not in (Expr, Statement):
            return self._row(CLASSES[name.text], name.line)
        if name.text in EXPRESSIONS:
            type_ = self._take()
            if type_.kind != "word":
                self._fail(f"the type of `{name.text}` expected, not `{type_.text}`", type_.line)
            args, site = self._arguments(name)
            return Expr(name.text, Type(type_.text), args, site)
        if name.text in STATEMENTS:
            args, site = self._arguments(name)
            return Statement(name.text, args, site)
        return self._fail(f"unknown operation or table `{name.text}`", name.line)

    def _arguments(self, name: _Token) -> tuple[tuple[Expr | int | str, ...], int]:
        """Read the arguments of the operation `name` and its site (0: none was written), up to `)`."""
        args: list[Expr | int | str] = []
        site = 0
        while self.token.text != ")":
            if self.token.kind == "end":
                self._fail(f"`)` is missing for `{name.text}`", name.line)
            if self.token.kind == "site":
                site = int(self._take().text[1:])
                break
            line = self.token.line
            arg = self.value()
            if not isinstance(arg, Expr | int | str):
                self._fail(f"`{name.text}` has an argument that is no expression, number or text", line)
            args.append(arg)
        self._expect(")")
        return tuple(args), site

    def _row(self, class_: type[Any], line: int) -> object:
        """Read the fields of a `class_` up to `)` and return it; IrError where one is missing, unknown or wrong."""
        hints = _hints(class_.__name__)
        values: dict[str, object] = {}
        while self.token.kind == "field":
            field = self._take()
            name = field.text[:-1]
            if name not in hints or name in values:
                self._fail(f"`{class_.__name__}` has no field `{name}`, or has it twice", field.line)
            values[name] = _converted(self.value(), hints[name])
            if values[name] is WRONG:
                self._fail(f"field `{name}` of `{class_.__name__}` holds a value of the wrong type", field.line)
        if self.token.text != ")":
            self._fail(f"a field or `)` of `{class_.__name__}` expected, not `{self.token.text}`")
        self._take()
        for each in fields(class_):
            if each.name not in values and default_of(each) is MISSING:
                self._fail(f"`{class_.__name__}` lacks the field `{each.name}`", line)
        return class_(**values)
