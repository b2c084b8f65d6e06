"""What the public API raises."""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.diagnostics.model import Diagnostic
from rulelang.diagnostics.source import NOWHERE, Span


class RulesetError(Exception):
    """A ruleset that cannot be played; `.diagnostics` says why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: list[Diagnostic] = list(diagnostics)
        super().__init__("\n".join(str(d) for d in self.diagnostics) or "the ruleset is at fault")


class RuleError(Exception):
    """A rule did something that no check could rule out: a number left its range, a `require` failed."""

    def __init__(self, message: str, rule: str = "", span: Span = NOWHERE) -> None:
        self.rule = rule
        self.span = span
        where = f" ({span})" if span.line else ""
        super().__init__(f"{rule}: {message}{where}" if rule else f"{message}{where}")


class FuelError(RuleError):
    """A rule did not come to its next decision within the declared fuel or depth."""


class ResampleError(RuleError):
    """No other state that fits what a seat saw: none was found, or nothing tells what it saw."""


class IllegalAction(ValueError):  # noqa: N818 - the public name, as in the field
    """The action is not offered now; the state is as it was. The message says what is missing."""


class SaveError(ValueError):
    """A saved state or game that cannot be loaded; the message says which rule of saves it breaks."""


class UsageError(ValueError):
    """An argument that does not fit: an unknown option, a wrong number of players."""
