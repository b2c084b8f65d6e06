"""Writes the types of the JSON API for TypeScript: `python docs/typescript.py`.

Enters: the OpenAPI document. Leaves: `howto/front_end/rulelang.ts`, an interface for each schema and each body.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rulelang.web.api.server import openapi

FILE = Path(__file__).parent / "howto" / "front_end" / "rulelang.ts"
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def type_of(schema: dict[str, Any]) -> str:
    """Return a JSON Schema as a type of TypeScript."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(map(type_of, schema["anyOf"]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(PLAIN[one] for one in kind)
    if kind == "array":
        items = type_of(schema["items"])
        return f"({items})[]" if " | " in items else f"{items}[]"
    if kind == "object" and schema.get("properties"):
        return f"{{ {'; '.join(_fields(schema))} }}"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {type_of(values) if values else 'unknown'}>"
    return PLAIN[kind] if kind else "any"


def _fields(schema: dict[str, Any]) -> list[str]:
    """Return the fields of an object, without ends of lines."""
    needed = schema.get("required", ())
    return [f"{name}{'' if name in needed else '?'}: {type_of(row)}" for name, row in schema["properties"].items()]


def _interface(name: str, schema: dict[str, Any]) -> str:
    """Return the declaration of an object."""
    if "properties" not in schema or not schema["properties"]:
        return f"export type {name} = Record<string, unknown>;"
    texts = [row.get("description", "") for row in schema["properties"].values()]
    lines = [
        f"  {field};{f' // {text}' if text else ''}" for field, text in zip(_fields(schema), texts, strict=True)
    ]  # fmt: skip
    return "\n".join([f"export interface {name} {{", *lines, "}"])


def typescript(document: dict[str, Any]) -> str:
    """Return all types of an OpenAPI document."""
    schemas = dict(document["components"]["schemas"])
    code = schemas["Error"]["properties"]["error"]["properties"].pop("code") | {"description": ""}
    parts = [f"// Types of version {document['info']['version']} of RuleLang's JSON API, made by docs/typescript.py."]
    parts.append(f"export type ErrorCode =\n  | {type_of(code).replace(' | ', f'{chr(10)}  | ')};")
    schemas["Error"]["properties"]["error"]["properties"]["code"] = {"$ref": "ErrorCode"}
    for path in document["paths"].values():
        for row in path.values():
            if "requestBody" in row:
                name = "".join(map(str.capitalize, row["operationId"].split("_")))
                schemas[f"{name}Body"] = row["requestBody"]["content"]["application/json"]["schema"]
    return "\n\n".join([*parts, *(_interface(name, schemas[name]) for name in sorted(schemas))]) + "\n"


if __name__ == "__main__":
    FILE.write_text(typescript(json.loads(json.dumps(openapi()))), encoding="utf-8")
