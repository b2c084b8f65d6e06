"""Tables from operations, or classes of nodes, to what handles them, filled by decorators."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from inspect import isabstract
from typing import Any, TypeVar

Key = TypeVar("Key")
Handler = TypeVar("Handler")


def registering(table: dict[Key, Handler]) -> Callable[..., Callable[[Handler], Handler]]:
    """Return a decorator factory that enters a function in `table` under each of the given keys.

    Raises:
        ValueError: (the decorator) a key has a handler already.
    """

    def keyed(*keys: Key) -> Callable[[Handler], Handler]:
        """Return a decorator that enters a handler under each of these keys."""

        def register(handler: Handler) -> Handler:
            """Enter the handler under each key and return it."""
            for key in keys:
                if key in table:
                    raise ValueError(f"`{key}` has two handlers: {table[key]} and {handler}")
                table[key] = handler
            return handler

        return register

    return keyed


def exhaustive(table: Mapping[Any, Any], keys: Collection[Any], *others: Collection[Any]) -> None:
    """Refuse a table that lacks a handler.

    Args:
        keys: what must have one, in the table or, named alone, in one of the others.

    Raises:
        TypeError: a key has none, or a class of the table lacks a method.
    """
    lacking = [str(key) for key in keys if key not in table and not any(key in other for other in others)]
    lacking += [f"{key} of {handler.__name__}" for key, handler in table.items() if isabstract(handler)]
    if lacking:
        raise TypeError(f"what handles it is said nowhere: {', '.join(sorted(lacking))}")
