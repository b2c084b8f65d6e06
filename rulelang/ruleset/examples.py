"""What is written in a place of the YAML, for hints where nothing better is known.

Enters: a schema with `examples`, the path of a fault. Leaves: the example of that place in YAML on one line.
"""

from __future__ import annotations

import re
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_][\w .]*|\d+\.\.\d+")


def example_at(schema: dict[str, Any], path: tuple[str | int, ...]) -> str:
    """Return the example of the innermost place on a path for which the schema has one, under its author's key; empty
    if there is none. Of what the path leads to in the example, the innermost that is no name or number.

    Args:
        schema: with all references replaced.
        path: from the schema's root.
    """
    example, key = None, ""
    for depth, step in enumerate(path):
        below = schema.get("properties", {}).get(step, schema.get("items" if isinstance(step, int) else "", {}))
        schema = below if isinstance(below, dict) else {}
        if "examples" in schema:
            example, key = _descended(schema["examples"][0], str(step), path[depth + 1 :])
    return f"{key}: {flow(example)}" if example is not None and key else flow(example) if example is not None else ""


def _descended(example: Any, key: str, path: tuple[str | int, ...]) -> tuple[Any, str]:
    """Return the part of an example to which a path leads, a first one where it leads to another, and its key."""
    for step in path:
        if isinstance(example, dict) and (step in example or all(isinstance(v, dict | list) for v in example.values())):
            below = example.get(step, next(iter(example.values())))
            step = str(step)
        elif isinstance(example, list) and isinstance(step, int):
            below, step = example[0], ""
        else:
            break
        if not isinstance(below, dict | list):
            break
        example, key = below, step
    return example, key


def flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{flow(key)}: {flow(below)}' for key, below in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    return text if isinstance(value, int) or _PLAIN.fullmatch(text) or text.isdigit() else f'"{text}"'
