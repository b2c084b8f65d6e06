"""Mistakes in games with names of their own, as people of five trades write them, round after round.

Each round was written down before it was run: by somebody who knows spreadsheets, a programmer, an author who thinks in
French, one who has never programmed, and whoever writes scenarios, words and variants; of later ones those that had no
right words are kept. Those of the command line are in `tests/cli/test_meant.py`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """In a file below `rulesets/`, `new` stands for `old`; `says` is in the message or hint of the one finding."""

    file: str
    old: str
    new: str
    says: str

    @property
    def game(self) -> str:
        """The folder that is checked: the ruleset, or the variant that the file is of."""
        parts = self.file.split("/")
        return "/".join(parts[:3]) if parts[1] == "variants" else parts[0]


_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
ROWS = tuple(Row(*row) for row in tomllib.loads(_TABLE)["rows"])
