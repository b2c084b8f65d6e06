"""Every order has golden scenarios, carried out and not; the board is as the text demands.

Enters: the rows, the map and the scenarios of the ruleset `droids`, as they are written. Leaves: nothing. That the
scenarios hold is the last test here; the others say which ones there must be.
"""

from __future__ import annotations

import re

import pytest

from rulelang.resources import shipped_rulesets
from rulelang.ruleset.model import Text
from rulelang.ruleset.scenarios import Scenario
from tests.remembered import remembered
from tests.scenario_files import judged, sampled, scenarios_in
from tests.shipped import rows_of, shipped, written

ORDERS = {row.id: row for row in rows_of("droids").values() if row.kind == "Order" and not row.id.startswith("sheet")}
MOVES = [name for name, row in ORDERS.items() if row.attributes["deed"].text.startswith("go_")]
COPIES = {"overland": 32, "aquatic": 24, "service": 32, "action": 32}  # droids-fr:80-150
SCENARIOS = {"challenge", "minefield", "chips", "garden", "statue", "duel", "hunt"}


def zone(scenario: Scenario, place: str) -> list[str]:
    """Return the ids of the pieces that a scenario gives to a zone."""
    return [name for text, pieces, _ in scenario.zones if text.text == place for _, name in pieces]


def cell_of(scenario: Scenario, piece: str) -> str:
    """Return the cell of the board on which a scenario gives a piece, empty if on none."""
    cells = (re.fullmatch(r"board\[(\w+)\]", text.text) for text, pieces, _ in scenario.zones if (1, piece) in pieces)
    return next((match[1] for match in cells if match is not None), "")


def conditions(scenario: Scenario) -> str:
    """Return all conditions, one on each line."""
    return "\n".join(e.value.text for e in scenario.then if isinstance(e.value, Text))


def carried_out(order: str) -> list[Scenario]:
    """Return the scenarios in which one order is given to be carried out, this one."""
    return [s for s in scenarios_in("droids") if zone(s, "current") == [order]]


def ways(order: str) -> set[bool]:
    """Return whether the robot that an order is for moves, in the scenarios of the order."""
    robot, named = ("fixer1", "fixer1") if order.startswith("guide") else ("droid@0", "seat(0).droid")
    found = set()
    for scenario in carried_out(order):
        end = re.search(rf"cell of {re.escape(named)} = (\w+)", conditions(scenario))
        if end is not None:
            found.add(end[1] != cell_of(scenario, robot))
    return found


@pytest.mark.parametrize("order", MOVES)
def test_each_move_goes_and_is_blocked(order: str) -> None:
    """Each order of movement has a scenario in which the robot moves and one in which it stays (droids-fr:229-292)."""
    assert ways(order) == {True, False}


@pytest.mark.parametrize(
    ("orders", "done", "undone"),
    [
        (["fire"], r"broken\[it\]\) = [1-3]", r"broken\[it\]\) = 0"),
        (["take_or_put"], r"count\(seat\(0\).load\) = 0", r"count\(seat\(0\).load\) = 1"),
        (["repair"], r"broken\[it\]\) = 2", r"broken\[it\]\) = 3"),
        (["send_right", "send_left"], r"seat\(1\).droid = (d8|j8)", r"seat\(1\).droid = (f8|e6)"),
        (["send_ahead", "send_back"], r"seat\(1\).droid = f", ""),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else "",
)
def test_each_action_works_and_fails(orders: list[str], done: str, undone: str) -> None:
    """The other orders have scenarios that say what is different afterwards, or that nothing is (droids-fr:296-374)."""
    said = {order: [conditions(s) for s in carried_out(order)] for order in orders}
    assert all(any(re.search(done, text) for text in texts) for texts in said.values())
    assert not undone or any(re.search(undone, text) for texts in said.values() for text in texts)


def test_each_scenario_of_the_game_has_an_end() -> None:
    """Scenarios of each say who has won."""
    ended = {
        str(s.options.get("scenario", "hunt" if s.players == 1 else "challenge"))
        for s in scenarios_in("droids")
        if any(e.kind == "winners" for e in s.then)
    }
    assert ended == SCENARIOS


def test_the_orders_are_a_hundred_and_twenty() -> None:
    """As many of each colour as the list of contents says (droids-fr:78-150)."""
    copies = dict.fromkeys(COPIES, 0)
    for row in ORDERS.values():
        copies[row.attributes["family"].text] += int(row.attributes["copies"].text)
    assert copies == COPIES
    assert sum(copies.values()) == 120


def test_the_board_is_as_the_text_demands() -> None:
    """Ten by ten; two corners with an obstacle; circles; one river that divides the board (droids-fr:390-462)."""
    (grid,) = written(shipped_rulesets() / "droids").grids
    like = {cell.name: {key: text.text for key, text in cell.attributes.items()} for cell in grid.cells}
    assert (grid.columns.text, grid.rows.text, len(grid.cells)) == ("10", "10", 100)
    assert [c for c in ("a1", "j1", "a10", "j10") if like[c]["terrain"] == "rock"] == ["a1", "j10"]
    assert sorted(cell["base"] for cell in like.values() if "base" in cell) == ["blue", "green", "red", "yellow"]
    assert [name for name, cell in like.items() if cell["pedestal"] == "true"] == ["f6"]
    assert all(cell["terrain"] == "river" for cell in like.values() if cell["mark"] != "0")
    river = {name for name, cell in like.items() if cell["terrain"] == "river"}
    assert _parts(river, corners=False) == 1
    assert _parts(set(like) - river, corners=True) == 2


def _parts(cells: set[str], corners: bool) -> int:
    """Return how many connected parts a set of cells has."""
    left, parts = set(cells), 0
    while left:
        edge, parts = {left.pop()}, parts + 1
        while edge:
            column, row = (cell := edge.pop())[0], int(cell[1:])
            near = {
                f"{chr(ord(column) + dx)}{row + dy}"
                for dx in (-1, 0, 1)
                for dy in (-1, 0, 1)
                if corners or not (dx and dy)
            }
            edge |= near & left
            left -= near
    return parts


def test_the_rules_are_half_as_long_as_the_rulebook() -> None:
    """Lines of rules that are neither blank nor comments nor citations; the rulebook has 542 (droids-fr:1-542)."""
    texts = [path.read_text(encoding="utf-8") for path in (shipped_rulesets() / "droids").glob("*.rule")]
    lines = [line for text in texts for line in text.splitlines() if line.strip() and line.lstrip()[0] not in "#["]
    assert len(lines) <= 542 // 2


@pytest.mark.parametrize(("players", "scenario"), [(2, "minefield"), (3, "garden"), (4, "chips"), (1, "hunt")])
def test_random_games_end_in_both_executors(players: int, scenario: str) -> None:
    """A game that is played at random ends long before the limit of decisions."""
    ruleset = shipped("droids")
    state = ruleset.new_game(players=players, options={"scenario": scenario}, seed=5, backend="interpreter")
    count = 0
    while not state.is_terminal():
        actions = state.legal_actions()
        state.apply(actions[count * 7 % len(actions)])
        count += 1
    assert 0 < count < 2000


@pytest.mark.slow
@remembered()
def test_all_scenarios_hold() -> None:
    """Those of the orders and all others of the ruleset, of which a strict check says nothing."""
    findings, results = judged("droids")
    assert findings == []
    assert len(results) == len(sampled("droids")) > 50
    assert {result.name: result.message for result in results if not result.ok} == {}
