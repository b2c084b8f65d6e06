"""An operation has one handler in a table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rulelang.registry import registering


def test_two_handlers_are_refused() -> None:
    """The second one of an operation, under whichever of its names; the first one stays."""
    table: dict[str, Callable[[], int]] = {}
    handles = registering(table)
    first = handles("add", "sub")(lambda: 1)
    with pytest.raises(ValueError, match="`sub` has two handlers"):
        handles("mul", "sub")(lambda: 2)
    assert table["sub"] is first
