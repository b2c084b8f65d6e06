"""Tables from operations to what handles them, filled by decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Handler = TypeVar("Handler")


def registering(table: dict[str, Handler]) -> Callable[..., Callable[[Handler], Handler]]:
    """A decorator that puts what it decorates into the table under each name that it is given."""

    def named(*names: str) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            for name in names:
                table[name] = handler
            return handler

        return register

    return named
