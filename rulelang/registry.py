"""Tables from operations, or classes of nodes, to what handles them, filled by decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key")
Handler = TypeVar("Handler")


def registering(table: dict[Key, Handler]) -> Callable[..., Callable[[Handler], Handler]]:
    """Return a decorator that puts what it decorates into the table under each key that it is given.

    Raises:
        ValueError: (the decorator) a key has a handler already.
    """

    def keyed(*keys: Key) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            for key in keys:
                if key in table:
                    raise ValueError(f"`{key}` has two handlers: {table[key]} and {handler}")
                table[key] = handler
            return handler

        return register

    return keyed
