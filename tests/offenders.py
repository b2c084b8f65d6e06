"""One test in place of hundreds that each make one assertion of one value: xdist takes longer to hand those out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def of_each(values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make of a check one test, which lists the values that do not pass it; a tuple is several arguments."""
    tried = list(values)

    def test_of(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            offenders: dict[str, str] = {}
            for value in tried:
                try:
                    check(*value) if isinstance(value, tuple) else check(value)
                except AssertionError as error:
                    offenders[str(value)] = str(error).split("\n")[0]
            assert tried
            assert offenders == {}

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return test_of
