"""Mends that can be taken out, so that it is seen whether the suite finds what they mended.

Enters: a name. Leaves: an engine without that mend, as long as a block runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rulelang.runtime import log
from rulelang.semantics.analysis.least import LEAST
from rulelang.semantics.typing import asked, choices


def _nobody(patch: pytest.MonkeyPatch) -> None:
    """Believe that somebody is always still in."""
    for op in ("players", "parties", "players_from"):
        patch.setitem(LEAST, op, LEAST["everyone"])


def _unasked(patch: pytest.MonkeyPatch) -> None:
    """Believe that a question to all is answered by all parties."""
    for module in (asked, choices):
        patch.setattr(module, "asks_all", lambda _: True)


def _no_values(patch: pytest.MonkeyPatch) -> None:
    """Believe that each type has a value in all games."""
    patch.setitem(LEAST, "domain", lambda *_: 1)


def _revealed(patch: pytest.MonkeyPatch) -> None:
    """Leave collections in the log as they are."""
    patch.setattr(log, "plain", lambda entry: entry)


MENDS = {"nobody": _nobody, "unasked": _unasked, "no values": _no_values, "revealed": _revealed}


@contextmanager
def without(mend: str) -> Iterator[None]:
    """Take a mend out."""
    with pytest.MonkeyPatch.context() as patch:
        MENDS[mend](patch)
        yield
