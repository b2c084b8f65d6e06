"""JSON Schemas of what requests carry and answers hold.

Enters: typed dictionaries and annotations, sorts of fields. Leaves: JSON Schemas, those of typed dictionaries by
reference.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal

from rulelang import numbers
from rulelang.web import fields

Json = dict[str, Any]
PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
REFERENCE = "#/components/schemas/"
FAMILIES = {"option.": {"type": ["string", "integer", "boolean"]}}
"""Family of fields -> the schema of its values, where that is not the one of its sort."""


def of_type(hint: Any) -> Json:
    """Return the schema of an annotation: plain types, Any, Literal, `|`, list, dict, Annotated, typed dictionaries."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return of_type(parts[0]) | {"description": parts[1]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is UnionType:
        return {"anyOf": [*map(of_type, parts)]}
    if origin is list:
        return {"type": "array", "items": of_type(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": of_type(parts[1])}
    if typing.is_typeddict(hint):
        return {"$ref": REFERENCE + hint.__name__}
    return {} if hint is Any else {"type": PLAIN[hint]}


def named(hints: Iterable[Any]) -> dict[str, Json]:
    """Return name -> schema of all typed dictionaries that annotations need."""
    schemas: dict[str, Json] = {}
    left = list(hints)
    while left:
        hint = left.pop()
        left += typing.get_args(hint)
        if typing.is_typeddict(hint) and hint.__name__ not in schemas:
            rows = typing.get_type_hints(hint, include_extras=True)
            left += rows.values()
            schemas[hint.__name__] = {
                "type": "object", "description": hint.__doc__, "required": sorted(hint.__required_keys__),
                "properties": {name: of_type(row) for name, row in rows.items()},
            }  # fmt: skip
    return schemas


def of_field(row: str) -> Json:
    """Return the schema of a field of a request, by its row in `FIELDS`; of a family that of all its values."""
    sort = fields.FIELDS[row]
    if row == "variant.":
        return {"type": "array", "items": {"type": "string"}}
    if isinstance(sort, numbers.Whole | numbers.Real):
        kind = "integer" if isinstance(sort, numbers.Whole) else "number"
        return {"type": kind, "minimum": sort.low, "maximum": sort.high}
    one: Json = {"enum": list(sort.values)} if isinstance(sort, fields.ListedField) else {"type": "string"}
    if isinstance(sort, fields.TextField):
        one["maxLength"] = sort.most
    return {"type": "object", "additionalProperties": FAMILIES.get(row, one)} if row.endswith(".") else one


def of_object(properties: Mapping[str, Any], required: Sequence[str] | None = None) -> Json:
    """Return the schema of an object with no other properties; `required`: None for all of them."""
    needed = list(properties if required is None else required)
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}
