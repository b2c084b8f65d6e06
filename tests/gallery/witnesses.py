"""All witnesses by the name of the ruleset: programs that no one here wrote."""

from __future__ import annotations

from . import openspiel

WITNESSES = openspiel.WITNESSES
