"""JSON documents that nobody vouches for, read as the dataclasses that describe them.

Enters: a text, a class. Leaves: an object of the class, whose fields hold what their annotations say; or SaveError with
the first part that does not. Annotations are `int`, `str`, `bool`, `None`, `Any`, dataclasses, and `|`, `list`,
`dict[str, …]` and `tuple` of these. A field with a default may be missing; what no field is called is left.
"""

from __future__ import annotations

import json
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


def json_object(text: str, what: str) -> dict[str, Any]:
    """Parse a JSON object from a text; SaveError, which calls the text `what`, if it is no JSON object."""
    if len(text) > SAVE_BYTES:
        raise SaveError(f"{what} is longer than {SAVE_BYTES >> 20} MiB")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SaveError(f"{what} is not JSON: {error}") from None
    return document if isinstance(document, dict) else _refuse(what, "an object")


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
