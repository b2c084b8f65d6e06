"""Compare rulesets with other programs, and record games of theirs: `python -m tests.gallery.record [NAME …]`.

Enters: names of classics, all that have a witness if none is given. Leaves: a line for each, `recorded/NAME.json`. The
witnesses are other people's programs: the extra `verify`.
"""

from __future__ import annotations

import sys

import rulelang

from .lockstep import compare, write
from .witnesses import WITNESSES

GAMES = 100


def main() -> None:
    """Compare and record."""
    for name in sys.argv[1:] or WITNESSES:
        ruleset, witness = rulelang.load(name), WITNESSES[name]
        same = sum(compare(ruleset, witness, seed) for seed in range(GAMES))
        print(f"{name}: {GAMES} games, {same} decisions the same as {witness.program}'s")  # noqa: T201
        write(name, witness)


if __name__ == "__main__":
    main()
