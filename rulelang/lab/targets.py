"""Targets: ranges for measures, and the distance of a ruleset from them.

Enters: texts such as `turns=40..50`. Leaves: `Target`s, which compute from the means of measures by how much they are
missed.

A miss is counted in widths of the range: 10 turns too many for `40..50` are as bad as seats that differ by 0.05 too
much for `seats=..0.05`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rulelang import numbers
from rulelang.diagnostics import Diagnostics, Source, UsageError
from rulelang.inputs import TooLargeError, read_input
from rulelang.limits import FILE_BYTES
from rulelang.ruleset.files import Budget
from rulelang.ruleset.nodes import plain
from rulelang.ruleset.yaml_reader import read_yaml

SEATS = "seats"
"""The target that all seats win equally often: the largest share of the wins less the smallest. Its measures are what
each seat's share is more than the last one's, since shares hang together: what one seat wins another loses."""
_RANGE = re.compile(r"\s*(-?\d*\.?\d+)?\s*(\.\.)?\s*(-?\d*\.?\d+)?\s*")

Key = tuple[str, int, str]
"""A measure: its name, seat or -1, card or nothing."""
Means = Mapping[Key, float]


@dataclass(frozen=True)
class Target:
    """A measure with the range that it is to lie in; either bound may be infinite."""

    name: str
    low: float
    high: float

    def keys(self, players: int) -> list[Key]:
        """Return the measures that the target depends on."""
        if self.name == SEATS:
            return [(SEATS, seat, "") for seat in range(players - 1)]
        name, _, of = self.name.partition(".")
        return [(name, numbers.SEAT.read(of), "") if of.isdecimal() else (name, -1, of)]

    def value(self, means: Means, players: int) -> float:
        """Return the value that is to lie in the range."""
        values = [means[key] for key in self.keys(players)]
        return max(0.0, *values) - min(0.0, *values) if self.name == SEATS else values[0]

    def miss(self, means: Means, players: int) -> float:
        """Return the distance of the value from the range, in widths of the range."""
        value = self.value(means, players)
        return max(self.low - value, value - self.high, 0.0) / self._width

    @property
    def _width(self) -> float:
        """Return the width of the range; of a half-open one or a point, a tenth of its bound."""
        if -_ENDLESS < self.low < self.high < _ENDLESS:
            return self.high - self.low
        bound = self.low if self.low > -_ENDLESS else self.high
        return abs(bound) / 10 or 1.0

    def __str__(self) -> str:
        low = f"{self.low:g}" if self.low > -_ENDLESS else ""
        high = f"{self.high:g}" if self.high < _ENDLESS else ""
        return f"{self.name}={low}" if low == high else f"{self.name}={low}..{high}"


_ENDLESS = float("inf")


def target(text: str) -> Target:
    """Parse `MEASURE=LOW..HIGH`, of which either bound may be left out, or `MEASURE=NUMBER`.

    Raises:
        UsageError: it is malformed, or the range is empty.
    """
    name, sign, listed = text.partition("=")
    match = _RANGE.fullmatch(listed)
    if not sign or match is None or not (match[1] or match[3]) or bool(match[3]) > bool(match[2]):
        raise UsageError(
            f"a target is written MEASURE=LOW..HIGH, such as `turns=40..50` or `seats=..0.05`, not `{text}`"
        )
    low = numbers.BOUND.read(match[1]) if match[1] else 0.0 if name.strip() == SEATS else -_ENDLESS
    high = numbers.BOUND.read(match[3]) if match[3] else _ENDLESS if match[2] else low
    if low > high:
        raise UsageError(f"nothing lies in the range of `{text}`")
    return Target(name.strip(), low, high)


def miss(targets: Sequence[Target], means: Means, players: int) -> float:
    """Return the sum of the targets' misses."""
    return sum(target.miss(means, players) for target in targets)


def read_aim(file: Path) -> tuple[list[str], list[str]]:
    """Return the targets and variations of a YAML file, as texts: `target:` and `may_move:` map names to ranges.

    Raises:
        UsageError: the file can't be read, or has another shape.
    """
    diagnostics = Diagnostics()
    try:
        source = Source(str(file), read_input(file, FILE_BYTES).decode())
    except (OSError, TooLargeError, UnicodeDecodeError):
        raise UsageError(f"{file} cannot be read") from None
    tree = read_yaml(source, diagnostics, Budget())
    aim = plain(tree) if tree is not None else None
    error = next((f"line {d.span.line}: {d.message}" for d in diagnostics if d.severity == "error"), "")
    if error or not isinstance(aim, dict) or aim.keys() - {"rulelang", "target", "may_move"}:
        raise UsageError(
            f"{file} is to hold `target:` and `may_move:`, each with names and ranges; {error}".rstrip("; ")
        )
    parts = [aim.get(key) or {} for key in ("target", "may_move")]
    if not all(isinstance(part, dict) for part in parts):
        raise UsageError(f"what stands under `target:` and `may_move:` in {file} is written `NAME: RANGE`")
    targets, movable = (
        [f"{name}={','.join(map(str, v)) if isinstance(v, list) else v}" for name, v in part.items()] for part in parts
    )
    return targets, movable
