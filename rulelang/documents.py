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
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar

from rulelang.diagnostics import SaveError
from rulelang.limits import SAVE_BYTES

Document = TypeVar("Document")
WORDS = {int: "a whole number", str: "a text", bool: "a truth value", NoneType: "nothing", list: "a list"}
SHOWN = 20
"""So much of a key is shown."""
NUMBER = 20
"""The characters of a whole number, its sign too: as many as the largest of 64 bits has."""
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
    hooks: dict[str, Any] = {"parse_constant": _no_number}
    if _LONG.search(text) is not None:  # a hook for each number would double the time that a save takes
        hooks["parse_int"] = _whole
    if exact:
        hooks |= {"parse_float": _no_fraction, "object_pairs_hook": _object}
    try:
        value = json.loads(text, **hooks)
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
