"""The table of the conformance suite: which small ruleset is counted how deep, and whose outcomes are weighed.

A ruleset lies in `rulesets/NAME`, its reference in `references/NAME.py`. A reference offers `rows(depth, players,
**options)`, the table that `perft` must give, and `terminal_probabilities(players, **options)`, outcomes under
uniformly random play. Their keys hold one number per seat in seat order (`1/2,1/2,-1`), for games in `BY_RETURNS`
those of `returns()`, else of `scores()`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests import soak

RULESETS = Path(__file__).parent / "rulesets"
BY_RETURNS = frozenset(
    {"tictactoe", "kuhn", "push", "leduc", "wards", "machine", "teams", "connect", "placing", "flood"}
)


ANYWAY = (
    *("one", "secret_one", "a_value", "a_number", "exactly", "up_to", "any_number", "at_least", "between", "down_to"),
    *("a_bag", "grouping", "a_menu", "or_leave", "condition", "at_once", "several_at_once"),
)
"""Forms of choices for which a seat is asked anyway."""


BARRED = ("free", "ko", "superko", "sides")
"""Which repetitions are barred in a game."""


class Case(NamedTuple):
    """A game to count: its name, players, options, and the last row to compare."""

    name: str
    players: int
    options: dict[str, int | bool | str]
    depth: int


# Counted to the end of the longest game; small enough for the probability of every outcome too (tictactoe has 550,000
# histories unless equal states are merged; all others have less than 20,000).
WHOLE = (
    Case("tictactoe", 2, {}, 9),
    Case("kuhn", 2, {}, 5),
    Case("push", 2, {}, 6),
    Case("leduc", 2, {"suits": 1}, 11),
    Case("leduc", 2, {"suits": 2}, 11),
    Case("tricks", 2, {}, 8),
    Case("tricks", 3, {}, 11),
    Case("auction", 2, {}, 6),
    Case("auction", 3, {}, 10),
    Case("sealed", 2, {}, 4),
    Case("sealed", 3, {}, 6),
    Case("dice", 1, {"faces": 4}, 5),
    Case("dice", 2, {"faces": 3}, 10),
    Case("dice", 2, {"faces": 1}, 6),
    Case("reactions", 2, {}, 12),
    Case("wards", 2, {}, 6),
    Case("answers", 2, {}, 14),
    Case("vetoes", 2, {}, 9),
    Case("vetoes", 3, {}, 17),
    Case("prices", 2, {"rounds": 2}, 4),
    Case("raids", 2, {}, 8),
    Case("payments", 1, {}, 5),
    Case("bazaar", 1, {}, 9),
    Case("peek", 2, {}, 7),
    Case("parcels", 1, {"limit": 3}, 5),
    Case("parcels", 1, {"limit": 4}, 5),
    Case("machine", 1, {}, 6),
    Case("machine", 2, {}, 8),
    Case("teams", 2, {"rounds": 2}, 4),
    Case("teams", 4, {"rounds": 1}, 4),
    Case("pickpocket", 2, {}, 10),
    Case("pickpocket", 3, {}, 14),
    Case("abilities", 2, {"rounds": 1}, 6),
    Case("endings", 2, {}, 4),
    Case("endings", 3, {}, 7),
    Case("variants", 2, {"apples": 2, "worms": False, "variant": "slow"}, 9),
    Case("variants", 2, {"apples": 3, "worms": True, "variant": "slow"}, 11),
    Case("variants", 2, {"apples": 2, "worms": True, "variant": "quick"}, 8),
    Case("tiles", 1, {"size": 2, "plan": "open"}, 3),
    Case("tiles", 1, {"size": 3, "plan": "walled"}, 3),
    Case("coasts", 1, {"island": "atoll"}, 3),
    Case("coasts", 1, {"island": "strait"}, 3),
    Case("coasts", 1, {"island": "rock", "size": 1}, 3),
    Case("hands", 2, {}, 7),
    Case("urn", 2, {}, 6),
    *(Case("flood", players, {}, players) for players in (1, 3)),
    Case("stores", 2, {}, 8),
    Case("robbers", 2, {}, 9),
    Case("wolves", 3, {}, 9),
    Case("departures", 2, {}, 8),
    Case("armour", 2, {}, 8),
    Case("deals", 2, {}, 3),
    Case("lots", 2, {}, 6),
    *(Case("paths", 2, {"size": size}, depth) for size, depth in (("small", 4), ("large", 6))),
    *(Case("placing", players, {}, 2 * players) for players in (2, 3, 4)),
    Case("stall", 2, {}, 7),
    Case("fair", 2, {}, 8),  # extends stall
    *(Case("anyway", 2, {"form": form}, 4) for form in ANYWAY),
)

LONG = {
    "bazaar-1", "leduc-2-2", "parcels-1-4", "payments-2", "pickpocket-3", "placing-4", "prices-2-3", "tricks-3",
}  # fmt: skip
"""Labels of cases of which a smaller one of the same ruleset is counted without `--soak`."""

SHALLOW = {
    "abilities-2-2": 7, "bazaar-2": 4, "connect-2": 6, "parcels-1-3": 4, "prices-2-2": 3, "refill-2": 6, "teams-4-2": 5,
    "tictactoe-2": 6,
    "paths-2-large": 5,
    "departures-2": 6,
    **{f"stones-2-{columns}-{barred}": 7 - columns for columns in (2, 3) for barred in BARRED},
    "stones-2-2-superko": 7,
}  # fmt: skip
"""The last row to compare without `--soak`, where counting that many histories takes half a second."""


def label(case: Case) -> str:
    """Return the name, the number of players and the values of the options."""
    return "-".join([case.name, str(case.players), *map(str, case.options.values())])


def depth_of(case: Case) -> int:
    """Return the last row to compare."""
    return case.depth if soak.FACTOR > 1 else SHALLOW.get(label(case), case.depth)


# Cut off before the longest games end.
CUT = (
    *(
        Case("stones", 2, {"columns": columns, "repetition": repetition}, depth)
        for columns, depth in ((2, 8), (3, 5))
        for repetition in BARRED
    ),
    Case("prices", 2, {"rounds": 3}, 5),
    Case("raids", 3, {}, 6),
    Case("payments", 2, {}, 6),
    Case("bazaar", 2, {}, 5),
    Case("teams", 4, {"rounds": 2}, 6),
    Case("abilities", 2, {"rounds": 2}, 8),
    Case("connect", 2, {}, 7),
    Case("refill", 2, {}, 7),
)

CASES = WHOLE + CUT


def reference(name: str) -> ModuleType:
    """The independent enumeration of a game."""
    return import_module(f".references.{name}", __package__)
