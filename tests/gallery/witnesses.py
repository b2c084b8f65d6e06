"""All witnesses by the name of the ruleset: programs that no one here wrote."""

from __future__ import annotations

from . import openspiel, poker, python_chess

WITNESSES = openspiel.WITNESSES | python_chess.WITNESSES | poker.WITNESSES
