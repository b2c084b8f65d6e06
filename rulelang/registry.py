"""Tables from operations, or classes of nodes, to what handles them, filled by decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

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
