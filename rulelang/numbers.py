"""Numbers that come from outside: each sort has a range, and all are read in one way.

Enters: a text (an argument, a field of a form, a part of an address), or a value of a JSON document. Leaves: the
number; UsageError, which names the range, for everything else. Nothing loops, multiplies or allocates by a number that
has not been read here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rulelang.diagnostics import UsageError
from rulelang.limits import DECISIONS, JOBS, PLAYERS

SHOWN = 40
"""So much of a text that is no number is shown."""
DIGITS = 20
"""The digits of a text: as many as the largest number of 64 bits has."""

_WHOLE = re.compile(rf"[+-]?[0-9]{{1,{DIGITS}}}")
_FIGURES = rf"[0-9]{{1,{DIGITS}}}"
_REAL = re.compile(rf"[+-]?(?:{_FIGURES}(?:\.[0-9]{{0,{DIGITS}}})?|\.{_FIGURES})(?:[eE][+-]?[0-9]{{1,2}})?")


@dataclass(frozen=True)
class Whole:
    """A sort of whole numbers, from `low` to `high`; `what` names it in messages."""

    what: str
    low: int
    high: int

    def read(self, text: str) -> int:
        """Return the number that a text says in ASCII digits.

        Raises:
            UsageError: it says none, or one out of range.
        """
        return self.check(int(text) if _WHOLE.fullmatch(text := text.strip()) else text)

    def check(self, value: object) -> int:
        """Return a value that is a number of this sort.

        Raises:
            UsageError: it is none.
        """
        if type(value) is not int or not self.low <= value <= self.high:
            raise UsageError(f"{self.what} must be a whole number from {self.low} to {self.high}, not {_shown(value)}")
        return value

    def at_least(self, low: int) -> Whole:
        """Return the sort of those numbers that are no less than `low`."""
        return replace(self, low=low)


@dataclass(frozen=True)
class Real:
    """A sort of numbers with fractions, from `low` to `high`; `what` names it in messages."""

    what: str
    low: float
    high: float

    def read(self, text: str) -> float:
        """Return the number that a text says in ASCII digits, neither infinite nor no number.

        Raises:
            UsageError: it says none, or one out of range.
        """
        value = float(text) if _REAL.fullmatch(text := text.strip()) else None
        if value is None or not self.low <= value <= self.high:
            raise UsageError(f"{self.what} must be a number from {self.low:g} to {self.high:g}, not {_shown(text)}")
        return value


def _shown(value: object) -> str:
    """Return a value as messages show it, of which the end may be cut off."""
    text = value if isinstance(value, str) else f"{value:.20e}" if isinstance(value, float) else repr(value)
    return f"`{text[:SHOWN]}{'…' if len(text) > SHOWN else ''}`"


# ---- what a game is

SEATS = Whole("the number of players", 1, PLAYERS)
SEAT = Whole("a seat", 0, PLAYERS - 1)
SEED = Whole("a seed", -(1 << 63), (1 << 64) - 1)
STEP = Whole("a step", 0, DECISIONS)
EVENT = Whole("the number of an event", 0, (1 << 31) - 1)

# ---- how it is served

MINUTES = Real("the minutes of a clock", 0, 10_000)
EACH = Real("the seconds for each choice", 0, 24 * 3600)
WAIT = Real("the seconds to wait", 0, 25)
DAYS = Real("the number of days", 0, 100_000)
PORT = Whole("a port", 0, 65535)
WORKERS = Whole("the number of processes for games", 1, 64)
MEMORY = Whole("the MiB of a worker", 64, 1 << 20)

# ---- how many

GAMES = Whole("the number of games", 1, 10**18)
PERCENT = Whole("a percentage", 0, 100)
PROCESSES = Whole("the number of processes", 1, JOBS)
DEPTH = Whole("a depth", 0, DECISIONS)
POSITIONS = Whole("the number of positions", 1, 1_000_000_000_000)
ITERATIONS = Whole("the number of iterations", 1, 100_000_000)
DOUBLINGS = Whole("the number of doublings", 1, 20)
EXPLOITABILITY = Real("an exploitability", 0, 1e9)
VALUE = Whole("a value", -(1 << 63), (1 << 63) - 1)
BOUND = Real("a bound", -1e18, 1e18)
