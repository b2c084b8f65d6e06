"""Compile a JSON Schema to a predicate, which takes a twentieth of the schema library's time.

Enters: a schema without references, of the keywords in the tables below. Leaves: a predicate, which holds of the JSON
values that the library accepts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

Predicate: TypeAlias = Callable[[Any], bool]
_TYPES = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
_ANNOTATIONS = {"$schema", "$id", "title", "description", "examples"}


def compiled(schema: Any, memo: dict[int, Predicate] | None = None) -> Predicate:
    """Compile a schema to a predicate; `memo` holds the predicates of subschemas by identity, as parts recur."""
    memo = {} if memo is None else memo
    if isinstance(schema, bool):
        return lambda value: schema
    if id(schema) not in memo:
        tests = []
        for key, argument in schema.items():
            if key in _OF_PARTS:
                tests.append(_OF_PARTS[key](argument, lambda part: compiled(part, memo)))
            elif key == "additionalProperties":
                tests.append(_fields(schema, memo))
            elif key == "properties":
                tests += [] if "additionalProperties" in schema else [_fields(schema, memo)]
            elif key not in _ANNOTATIONS:
                tests.append(_OF_VALUES[key](argument))
        memo[id(schema)] = _all_of(tests)
    return memo[id(schema)]


def _all_of(tests: list[Predicate]) -> Predicate:
    """Return the conjunction of predicates."""

    def holds(value: object) -> bool:
        """Return whether all tests hold of a value."""
        for test in tests:  # noqa: SIM110 - a generator takes twice the time
            if not test(value):
                return False
        return True

    return holds


def _fields(schema: dict[str, Any], memo: dict[int, Predicate]) -> Predicate:
    """Compile `properties` and `additionalProperties` to a predicate over objects."""
    known = {name: compiled(part, memo) for name, part in schema.get("properties", {}).items()}
    others = compiled(schema.get("additionalProperties", True), memo)

    def holds(value: dict[str, object]) -> bool:
        """Return whether each value passes the test of its key."""
        for name, below in value.items():  # noqa: SIM110 - a generator takes twice the time
            if not known.get(name, others)(below):
                return False
        return True

    return _of(dict, holds)


def _of(sort: type, test: Predicate) -> Predicate:
    """Restrict a test to values of one type: the predicate holds of all others. Booleans are no numbers."""
    return lambda value: not isinstance(value, sort) or isinstance(value, bool) or test(value)


def _types(names: str | list[str]) -> Predicate:
    """Compile `type`: the predicate holds of values of any of the named JSON types."""
    types = tuple(_TYPES[name] for name in ([names] if isinstance(names, str) else names))
    return lambda value: isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _members(values: list[Any]) -> Predicate:
    """Compile `enum`: the predicate holds of the listed values."""
    members = {_text(value) for value in values}
    return lambda value: _text(value) in members


def _text(value: object) -> str:
    """Return a canonical text of a JSON value, by which values are compared."""
    return json.dumps(value, sort_keys=True)


_OF_VALUES: dict[str, Callable[[Any], Predicate]] = {
    "type": _types,
    "enum": _members,
    "const": lambda wanted: _members([wanted]),
    "pattern": lambda wanted: _of(str, lambda value: re.search(wanted, value) is not None),
    "maxLength": lambda wanted: _of(str, lambda value: len(value) <= wanted),
    "minimum": lambda wanted: _of(int, lambda value: value >= wanted),
    "maximum": lambda wanted: _of(int, lambda value: value <= wanted),
    "minItems": lambda wanted: _of(list, lambda value: len(value) >= wanted),
    "maxItems": lambda wanted: _of(list, lambda value: len(value) <= wanted),
    "uniqueItems": lambda wanted: _of(list, lambda value: len({_text(item) for item in value}) == len(value)),
    "minProperties": lambda wanted: _of(dict, lambda value: len(value) >= wanted),
    "maxProperties": lambda wanted: _of(dict, lambda value: len(value) <= wanted),
    "required": lambda wanted: _of(dict, lambda value: all(key in value for key in wanted)),
    "dependentRequired": lambda wanted: _of(
        dict, lambda value: all(key not in value or all(k in value for k in keys) for key, keys in wanted.items())
    ),
}
_OF_PARTS: dict[str, Callable[[Any, Callable[[Any], Predicate]], Predicate]] = {
    "items": lambda wanted, test_of: _each(list, test_of(wanted)),
    "propertyNames": lambda wanted, test_of: _each(dict, test_of(wanted)),
    "anyOf": lambda wanted, test_of: _among(map(test_of, wanted), any),
    "allOf": lambda wanted, test_of: _all_of([test_of(part) for part in wanted]),
    "oneOf": lambda wanted, test_of: _among(map(test_of, wanted), lambda held: sum(held) == 1),
}


def _each(sort: type, test: Predicate) -> Predicate:
    """Return a predicate that all items of a list, or keys of an object, pass the test."""
    return _of(sort, lambda value: all(map(test, value)))


def _among(tests: Iterable[Predicate], enough: Callable[[Iterable[bool]], bool]) -> Predicate:
    """Return a predicate on how many alternatives hold: `any` for `anyOf`, exactly one for `oneOf`."""
    branches = tuple(tests)
    return lambda value: enough(test(value) for test in branches)
