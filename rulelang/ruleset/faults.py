"""What does not fit a schema.

Enters and leaves: nothing but the class of faults, which several readers of a tree find.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.diagnostics import Span
from rulelang.ruleset.nodes import Path


@dataclass(frozen=True)
class Fault:
    """What does not fit the schema, as a finding.

    Attributes:
        path: the value that does not fit; of no steps if the tree as a whole does not.
        meant: of a misspelt key, the key that was meant.
    """

    path: Path
    span: Span
    code: str
    message: str
    hint: str = ""
    meant: str = ""
