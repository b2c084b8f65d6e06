"""Collections without repeats: which operations give such, and removal of repeats.

Enters: values of a collection, which may be lists themselves. Leaves: each once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def key(value: Any) -> Any:
    """Return a hashable stand-in for a value: lists become tuples."""
    if isinstance(value, (list, tuple)):
        return tuple(key(part) for part in value)
    return value


def distinct(values: Iterable[Any]) -> list[Any]:
    """Return the elements without repeats, in order of first occurrence."""
    elements = list(values)
    if not elements or not isinstance(elements[0], (list, tuple)):
        return list(dict.fromkeys(elements))
    firsts: dict[Any, Any] = {}
    for value in elements:
        firsts.setdefault(key(value), value)
    return list(firsts.values())
