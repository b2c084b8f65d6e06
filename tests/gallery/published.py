"""Figures that others published: how many histories of 0, 1, 2, … choices a game has, and who wins with best play.

Each row says where the figure stands. `soaked` is what is counted with `--soak` alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Counted(NamedTuple):
    """How many histories a position has by their length.

    Attributes:
        rows: from no choice on. soaked: the rows behind these. given: the position, of a scenario's `given`.
    """

    source: str
    rows: list[int]
    soaked: tuple[int, ...] = ()
    given: dict[str, Any] | None = None
    options: dict[str, Any] | None = None


HISTORIES: dict[str, list[Counted]] = {
    "connect_four": [
        Counted("seven columns, full after six discs; nobody has four before the seventh", [1, 7, 49, 343])
    ],
}
