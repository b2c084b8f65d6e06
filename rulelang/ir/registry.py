"""Tables from operations to what handles them, filled by decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Handler = TypeVar("Handler")


def registering(table: dict[str, Handler]) -> Callable[..., Callable[[Handler], Handler]]:
    """Return a decorator that puts what it decorates into the table under each name that it is given.

    Raises:
        ValueError: (the decorator) an operation has a handler already.
    """

    def named(*names: str) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            for name in names:
                if name in table:
                    raise ValueError(f"`{name}` has two handlers: {table[name]} and {handler}")
                table[name] = handler
            return handler

        return register

    return named
