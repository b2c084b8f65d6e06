"""The figures of Imaginarium are those of the facts file: machines, assistants, projects, belt, boards.

Enters: the rows of the ruleset `imaginarium`. Leaves: nothing. The table of machines is typed from facts 1.1; lines of
the rulebook are cited with each law.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest

from rulelang.ruleset.model import PieceDecl
from tests.shipped import rows_of, shipped

ROWS = rows_of("imaginarium")
MACHINES = [row for row in ROWS.values() if row.kind == "Machine"]

# Code, level, wood, copper, crystal, copies, multipliers, partners (facts 1.1).
TABLE = """
P1 1 2 0 0 8 1/3/7  P1
P2 1 0 2 0 7 1/3/5  P2 T1 T2 T3
P3 2 2 0 1 6 1/3/5  P3 T1 T3
P4 2 2 2 0 4 1/3/5  P4 T1 T2
P5 2 0 0 3 2 1      T4
P6 3 0 2 2 2 1/3    P6 T1
T1 1 0 1 1 3 3/5    T1 P2 P3 P4 P6
T2 1 1 0 1 3 1/3    T2 P2 P4
T3 2 1 2 0 3 1/3    T3 P2 P3
T4 2 1 1 1 3 6/9/12 T4 P5
A1 1 1 0 1 2 -
A2 1 0 1 1 2 -
A3 1 1 0 2 2 -
A4 1 1 3 0 2 -
A5 2 0 2 2 1 -
A6 3 0 1 3 1 -
D1 1 1 1 0 2 - D1 D2 D3
D2 2 3 1 0 2 - D1 D2 D3
D3 3 1 1 2 2 - D1 D2 D3
S1 3 1 1 2 1 -
S2 3 1 1 2 3 1/3 S2
"""
LINES = [line.split() for line in TABLE.strip().splitlines()]
ROLES = {"P": "production", "T": "transformation", "A": "attack", "D": "defence", "S": "special"}
PROJECTS = {
    "four_producers": 4, "two_attacks": 4, "two_defences": 4, "attack_and_defence": 4, "two_transformers": 3,
    "three_combined": 5, "six_machines": 4, "three_of_level2": 4, "two_of_level3": 3, "six_goods": 5, "one_of_each": 4,
    "three_alike": 3, "three_assistants": 3, "fifteen_coal": 3,
}  # fmt: skip
"""Points (facts 1.2)."""
ASSISTANTS = [9, 5, 6, 5, 6, 4, 3, 6, 5, 6, 5, 3, 3]
"""Costs in the order of the rulebook (facts 1.3)."""


def text(row: PieceDecl, attribute: str) -> str:
    """What is written for an attribute."""
    return row.attributes[attribute].text.strip()


def copies(row: PieceDecl) -> int:
    return int(row.count.text) if row.count is not None else 1


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
def test_machine(line: list[str]) -> None:
    """Level, cost, copies, multipliers, partners, function (facts 1.1)."""
    code, level, wood, copper, crystal, count, multipliers, *partners = line
    row = ROWS[code]
    assert (text(row, "level"), copies(row)) == (level, int(count))
    cost = dict(zip(("wood", "copper", "crystal"), (int(wood), int(copper), int(crystal)), strict=True))
    assert {good: int(n) for n, good in re.findall(r"(\d+) (\w+)", text(row, "cost"))} == {
        g: n for g, n in cost.items() if n
    }
    printed = [0, 0, 0] if multipliers == "-" else [*map(int, multipliers.split("/")), 0, 0][:3]
    assert [int(text(row, name)) for name in ("alone", "paired", "tripled")] == printed
    assert set(re.findall(r"\w+", text(row, "partners"))) == {partner.lower() for partner in partners}
    assert (text(row, "role"), text(row, "serial")) == (ROLES[code[0]], code.lower())
    assert text(row, "lightning") == str(code[0] == "A" or code == "S1").lower()  # imaginarium-fr:191
    assert int(text(row, "input")) == {"T1": 1, "T2": 1, "T3": 1, "T4": 2}.get(code, 0)
    assert row.provenance == "card"


def test_machines_by_function_and_level() -> None:
    """29, 12, 10, 6 and 4 (imaginarium-fr:51-57); 31, 21 and 9 of the three levels (facts 1.1)."""
    roles = Counter[str]()
    levels = Counter[str]()
    for row in MACHINES:
        roles[text(row, "role")] += copies(row)
        levels[text(row, "level")] += copies(row)
    assert roles == {"production": 29, "transformation": 12, "attack": 10, "defence": 6, "special": 4}
    assert levels == {"1": 31, "2": 21, "3": 9}
    assert roles.total() == 61


def test_partners_are_mutual() -> None:
    """Each names the other (facts 1.1)."""
    for row in MACHINES:
        for partner in re.findall(r"\w+", text(row, "partners")):
            assert text(row, "serial") in text(ROWS[partner.upper()], "partners"), row.id


def test_projects_and_assistants() -> None:
    """Points, costs, and that they were read on pictures (facts 1.2, 1.3)."""
    projects = {text(row, "goal"): row for row in ROWS.values() if row.kind == "Project"}
    assert {goal: int(text(row, "points")) for goal, row in projects.items()} == PROJECTS
    assistants = [row for row in ROWS.values() if row.kind == "Assistant"]
    assert [int(text(row, "cost")) for row in assistants] == ASSISTANTS
    assert {row.provenance for row in (*projects.values(), *assistants)} == {"card"}


def test_the_belt_and_the_extractors() -> None:
    """4 3 3 2 2 1 1, and 1 2 3 (facts 1.4); prices from 2 to 7 follow (imaginarium-fr:211)."""
    (spots,) = [type_ for type_ in shipped("imaginarium").written.types if type_.name == "Spot"]
    found = [{name: int(value.text) for name, value in row.attributes.items()} for row in spots.values]
    assert [row["base"] for row in found] == [4, 3, 3, 2, 2, 1, 1, 0, 0, 0]
    assert [row["wage"] for row in found] == [0, 0, 0, 0, 0, 0, 0, 1, 2, 3]
    levels = [int(text(row, "level")) for row in MACHINES]
    prices = [row["base"] + level for row in found if row["base"] for level in levels]
    assert (min(prices), max(prices)) == (2, 7)


def test_boards() -> None:
    """The fifth is known; the others are invented and say so, differ in machines, and have a Charbonneuse (R1)."""
    boards = [row for row in ROWS.values() if row.kind == "Board"]
    assert [text(row, "number") for row in boards] == ["1", "2", "3", "4", "5"]
    assert [row.provenance for row in boards] == ["invented"] * 4 + ["card"]
    assert text(boards[4], "goods_given") == "1 wood + 1 copper + 3 coal"
    assert text(boards[4], "machines") == "[p1, p4]"
    assert text(boards[0], "machines") == "[p1, p2]"  # the example of imaginarium-fr:185
    assert all(text(row, "machines").startswith("[p1, ") for row in boards)
    assert len({text(row, "machines") for row in boards}) == 5


@pytest.mark.parametrize(("players", "pile", "projects"), [(2, 50, 6), (3, 48, 7), (4, 46, 8), (5, 44, 9)])
def test_what_lies_on_the_board_at_first(players: int, pile: int, projects: int) -> None:
    """61 less two for each player and seven on the belt; four projects more than players (imaginarium-fr:119-126)."""
    zones = shipped("imaginarium").new_game(players=players, seed=3).observation(0)["zones"]
    assert (zones["pile"]["count"], zones["study"]["count"], zones["meeting"]["count"]) == (pile, projects, 3)
