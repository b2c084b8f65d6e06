"""JSON documents that nobody vouches for, read as the dataclasses that describe them.

Enters: a text, a class. Leaves: an object of the class, whose fields hold what their annotations say; or SaveError with
the first part that does not. All JSON from outside is parsed here: of bounded length, its numbers of at most 64 bits or
so, its texts Unicode. Annotations are `int`, `str`, `bool`, `None`, `Any`, dataclasses, and `|`, `list`,
`dict[str, …]` and `tuple` of these. A field with a default may be missing; what no field is called is left.
"""

from __future__ import annotations

import json
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar

from rulelang.diagnostics import SaveError
from rulelang.limits import ELEMENT_BYTES, PARSED_BYTES, SAVE_BYTES, STATE_BYTES

Document = TypeVar("Document")
WORDS = {int: "a whole number", str: "a text", bool: "a truth value", NoneType: "nothing", list: "a list"}
SHOWN = 20
"""So much of a key is shown."""
WINDOW = 1 << 16
"""So much of a text is looked at first for an element of a long list."""
COLLECTION, VALUE = 232, 60
"""The bytes of an object with one key, and of a number or short text in a list."""
NUMBER = 20
"""The characters of a whole number, its sign too: as many as the largest of 64 bits has."""
BLANKS = " \t\n\r"
_BLANK = re.compile(r"[ \t\n\r]*")
_LONG = re.compile(rf"[0-9]{{{NUMBER}}}")
_HALVES = re.compile("[\ud800-\udfff]")
_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


def json_value(text: str, what: str, most: int = SAVE_BYTES, exact: bool = False) -> Any:
    """Parse JSON.

    Args:
        what: is parsed, for messages. most: the characters that it may have. exact: whether it has no fractions, and no
            key twice in one object.

    Raises:
        SaveError: it is too long or no JSON, or has a number with too many digits or a text with half a character.
    """
    if len(text) > most:
        raise SaveError(f"{what} is longer than {_megabytes(most)} MiB")
    if len(text) > SAVE_BYTES and _size(text) > PARSED_BYTES:
        raise SaveError(f"{what} takes more than {_megabytes(PARSED_BYTES)} MiB of memory")
    try:
        value = json.loads(text, **_hooks(text, exact))
    except RecursionError:
        raise SaveError(f"{what} is nested too deep") from None
    except SaveError as error:
        raise SaveError(f"{what} has what no document has: {error}") from None
    except ValueError as error:
        raise SaveError(f"{what} is not JSON: {error}") from None
    # Only an escape, or a text that was no Unicode itself, gives half a character.
    if _HALF.search(text) is not None and _is_half(value):
        raise SaveError(f"{what} has half a character (a lone surrogate)")
    return value


def json_object(text: str, what: str, most: int = SAVE_BYTES, exact: bool = False) -> dict[str, Any]:
    """Parse a JSON object; SaveError, which calls the text `what`, if it is none. Arguments are those of
    `json_value`."""
    document = json_value(text, what, most, exact)
    return document if isinstance(document, dict) else _refuse(what, "an object")


class LongObject:
    """A JSON object one of whose lists may be long: it is read element by element and never held as a whole, so that
    memory is bounded by what is made of the elements, and damage is told when it is reached.

    Args:
        text: the JSON. what: is parsed, for messages. key: that of the list. most: the characters of the text.
        exact: see `json_value`.

    Attributes:
        rest: the object with an empty list in the place of the long one.

    Raises:
        SaveError: the text is no such object, or too long; or all but the list is longer than STATE_BYTES.
    """

    def __init__(self, text: str, what: str, key: str, most: int, exact: bool = False) -> None:
        if len(text) > most:
            raise SaveError(f"{what} is longer than {_megabytes(most)} MiB")
        self._text, self._what, self._key = text, what, key
        self._scan = _scanner(**_hooks(text, exact))
        self._has_halves = _HALF.search(text) is not None
        self._base, self._window, self._start = 0, "", -1
        self.rest: dict[str, Any] = {}
        begun = self._blank(0)
        if self._at(begun) != "{":
            if self._at(begun) != "[":
                self._value(begun, ELEMENT_BYTES)
            raise SaveError(f"{what} must be an object")
        end = self._blank(self._read(self._blank(begun + 1)))
        if end < len(text):
            self._fail(end)

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the list; none if it is missing or something else."""
        if self._start >= 0:
            yield from (value for value, _ in self._elements(self._start))

    def _read(self, place: int) -> int:
        """Read all but the list from the first key on, and look at its elements; return where the object ends."""
        left = STATE_BYTES
        if self._at(place) == "}":
            return place + 1
        while True:
            name, end = self._value(place, left)
            if not isinstance(name, str) or self._at(end := self._blank(end)) != ":":
                self._fail(place)
            if name in self.rest:
                raise SaveError(f"{self._what} has what no document has: a key stands twice in one object")
            begun = end = self._blank(end + 1)
            if name == self._key and self._at(begun) == "[":
                self._start, self.rest[name], end = begun, [], self._blank(begun + 1)
                for element in self._elements(begun):
                    end = element[1]
                end = self._blank(end) + 1
            else:
                self.rest[name], end = self._value(begun, left)
                left -= end - begun
            place = self._blank(end)
            if self._at(place) == "}":
                return place + 1
            if self._at(place) != ",":
                self._fail(place)
            place = self._blank(place + 1)

    def _elements(self, start: int) -> Iterator[tuple[Any, int]]:
        """Yield each element of the list at a place, and where it ends."""
        place = self._blank(start + 1)
        while self._at(place) != "]" or self._at(start) == ",":
            value, end = self._value(place, ELEMENT_BYTES)
            yield value, end
            start = place = self._blank(end)
            if self._at(place) == ",":
                place = self._blank(place + 1)
            elif self._at(place) != "]":
                self._fail(place)

    def _value(self, place: int, most: int) -> tuple[Any, int]:
        """Return the value at a place of the text, of at most so many characters, and where it ends."""
        why = "it ends too early"
        for size in (0, WINDOW, most + 1):  # the window of the last value first: most are short
            if size:
                self._base, self._window = place, self._text[place : place + size]
            at = place - self._base
            if not 0 <= at < len(self._window):
                continue
            try:
                value, end = self._scan(self._window, at)
            except StopIteration:
                continue
            except RecursionError:
                raise SaveError(f"{self._what} is nested too deep") from None
            except SaveError as error:
                raise SaveError(f"{self._what} has what no document has: {error}") from None
            except ValueError as error:
                why = str(error)
                continue
            if end == len(self._window) and self._base + end < len(self._text):
                continue  # more of it may follow
            if end - at > most:
                break
            if self._has_halves and _is_half(value):
                raise SaveError(f"{self._what} has half a character (a lone surrogate)")
            return value, self._base + end
        if place + most < len(self._text):
            raise SaveError(f"{self._what} has a part that is not JSON, or is longer than {_megabytes(most)} MiB")
        raise SaveError(f"{self._what} is not JSON: {why}")

    def _at(self, place: int) -> str:
        """Return the character at a place, nothing behind the end."""
        return self._text[place : place + 1]

    def _blank(self, place: int) -> int:
        """Return the next place with something else than a blank."""
        if self._text[place : place + 1] not in BLANKS:
            return place
        match = _BLANK.match(self._text, place)
        return match.end() if match is not None else place

    def _fail(self, place: int) -> NoReturn:
        """Refuse what stands at a place."""
        raise SaveError(f"{self._what} is not JSON: something else is expected at character {place}")


def _scanner(**hooks: Any) -> Callable[[str, int], tuple[Any, int]]:
    """Return the function that reads the JSON value at a place of a text, and says where it ends."""
    scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(**hooks).scan_once  # type: ignore[attr-defined]
    return scan


def _hooks(text: str, exact: bool) -> dict[str, Any]:
    """Return the arguments with which a text is parsed: see `json_value`."""
    hooks: dict[str, Any] = {"parse_constant": _no_number}
    if _LONG.search(text) is not None:  # a hook for each number would double the time that a save takes
        hooks["parse_int"] = _whole
    if exact:
        hooks |= {"parse_float": _no_fraction, "object_pairs_hook": _object}
    return hooks


def _size(text: str) -> int:
    """Return the bytes that the values of a JSON text take at most, its texts aside."""
    return COLLECTION * (text.count("[") + text.count("{")) + VALUE * text.count(",")


def _megabytes(size: int) -> int | float:
    """Return a number of bytes in MiB, whole if it is."""
    return size >> 20 if not size % (1 << 20) else round(size / (1 << 20), 1)


def _whole(text: str) -> int:
    """Return a whole number that is not too long."""
    if len(text) > NUMBER:
        raise SaveError(f"the number {text[:NUMBER]}… is too large")
    return int(text)


def _no_number(text: str) -> Any:
    """Refuse what JSON calls no number."""
    raise SaveError(f"{text} is no number")


def _no_fraction(text: str) -> Any:
    """Refuse a number that is not whole."""
    raise SaveError(f"{text[:NUMBER]} is no whole number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; refuse a duplicate key."""
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        raise SaveError("a key stands twice in one object")
    return mapping


def _is_half(value: Any) -> bool:
    """Return whether a text in a JSON value has half a character."""
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, str):
            if _HALVES.search(part) is not None:
                return True
        elif isinstance(part, dict):
            parts += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            parts += part
    return False


def read_as(kind: type[Document], document: dict[str, Any], at: str = "") -> Document:
    """Convert a JSON object to an instance of a dataclass; `at` is the prefix of error messages.

    Raises:
        SaveError: something is missing, or of another type.
    """
    parts = {}
    for name, hint, is_needed in _fields(kind):  # type: ignore[arg-type]
        if name in document:
            parts[name] = _value(hint, document[name], f"{at}`{name}`")
        elif is_needed:
            raise SaveError(f"{at}`{name}` is missing")
    return kind(**parts)


@cache
def _fields(kind: Any) -> list[tuple[str, Any, bool]]:
    """Return name, annotation and whether it is required, for each field of a dataclass."""
    hints = typing.get_type_hints(kind)
    needed = {f.name: f.default is MISSING and f.default_factory is MISSING for f in fields(kind)}
    return [(name, hints[name], is_needed) for name, is_needed in needed.items()]


def _value(hint: Any, value: Any, what: str) -> Any:
    """Convert a JSON value to the type of an annotation; SaveError, which calls the value `what`, if it does not
    fit."""
    if hint is Any or (isinstance(hint, type) and type(value) is hint):
        return value
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is UnionType:
        plain = next((part for part in parts if type(value) is part), parts[0])
        return _value(plain, value, what)
    if is_dataclass(hint) and isinstance(hint, type):
        return read_as(hint, value, f"{what}: ") if isinstance(value, dict) else _refuse(what, "an object")
    if origin is dict:
        if not isinstance(value, dict):
            _refuse(what, "an object")
        return {key: _value(parts[1], part, f"{what}, {key[:SHOWN]}") for key, part in value.items()}
    if origin not in (list, tuple):
        _refuse(what, WORDS[hint])
    if not isinstance(value, list) or (origin is tuple and parts[-1] is not ... and len(value) != len(parts)):
        _refuse(what, "a list" if origin is list or parts[-1] is ... else f"a list of {len(parts)}")
    hints = parts if origin is tuple and parts[-1] is not ... else parts[:1] * len(value)
    rows = enumerate(zip(hints, value, strict=True), 1)
    return origin(_value(part, row, f"{what} {number}") for number, (part, row) in rows)


def _refuse(what: str, wanted: str) -> NoReturn:
    raise SaveError(f"{what} must be {wanted}")
