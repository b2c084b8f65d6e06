"""Where a text came from and what is wrong with it.

Enters: nothing. Leaves: `Source`, `Span`, `Diagnostic`, `Diagnostics` and the error types that every other room uses.
"""

from rulelang.diagnostics.errors import (
    FuelError,
    IllegalAction,
    ResampleError,
    RuleError,
    RulesetError,
    SaveError,
    UsageError,
)
from rulelang.diagnostics.model import Diagnostic, Diagnostics, Severity, counted, enumerated, nearest, suggest
from rulelang.diagnostics.source import LANGUAGE_VERSION, NOWHERE, OLDEST_VERSION, VERSION_LINE, Source, Span, replaced

__all__ = [
    "LANGUAGE_VERSION",
    "NOWHERE",
    "OLDEST_VERSION",
    "VERSION_LINE",
    "Diagnostic",
    "Diagnostics",
    "FuelError",
    "IllegalAction",
    "ResampleError",
    "RuleError",
    "RulesetError",
    "SaveError",
    "Severity",
    "Source",
    "Span",
    "UsageError",
    "counted",
    "enumerated",
    "nearest",
    "replaced",
    "suggest",
]
