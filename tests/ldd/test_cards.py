"""Every card has golden scenarios: repaired or constructed, refused one part short, dismantled, worth its points.

Enters: the rows and the scenarios of the ruleset `ldd`, as they are written. Leaves: nothing. That the scenarios hold
is the last test here; the others say which ones there must be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rulelang.ruleset.model import Cite, Text
from rulelang.ruleset.scenarios import Scenario
from tests.remembered import remembered
from tests.scenario_files import judged, read_once, sampled, scenarios_in
from tests.shipped import rows_of

ROWS = rows_of("ldd")
NUMBERS = range(1, 103)
HOUSES = [f"h{number}" for number in NUMBERS if 45 <= number <= 58]  # ldd-fr:925-977
DROIDS = [f"d{number}" for number in NUMBERS if not 45 <= number <= 58]


# ---- reading scenarios -----------------------------------------------------------------------------------------------


@read_once
def lying(scenario: Scenario, zone: str) -> list[tuple[int, str]]:
    """Seats and the ids of the pieces that lie in their zone at first."""
    found = []
    for place, pieces, _ in scenario.zones:
        match = re.fullmatch(rf"seat\((\d)\)\.{zone}", place.text.strip())
        if match is not None:
            found += [(int(match[1]), name) for _, name in pieces]
    return found


def taken_first(scenario: Scenario) -> str:
    """The pattern of the first choice that is listed, empty if none is."""
    return scenario.when[0].pattern if scenario.when else ""


@read_once
def conditions(scenario: Scenario) -> str:
    """All conditions, one on each line."""
    return "\n".join(e.value.text for e in scenario.then if isinstance(e.value, Text))


@read_once
def states_shed(scenario: Scenario, seat: int) -> bool:
    """Whether the exact parts of a seat's shed are expected."""
    return re.search(rf"\bseat\({seat}\)\.shed (= \d|is empty)", conditions(scenario)) is not None


def with_given(card: str) -> Iterator[tuple[int, Scenario]]:
    """Scenarios in which one seat alone is given a droid, this one."""
    for scenario in scenarios_in("ldd"):
        given = lying(scenario, "given")
        if [name for _, name in given] == [card]:
            yield given[0][0], scenario


def lacks_one(scenario: Scenario, action: str) -> bool:
    """Whether an action is expected to be refused for want of one part."""
    return any(e.kind == "refused" and e.value == action and e.missing.startswith("lacks 1 ") for e in scenario.then)


def shows_points(scenario: Scenario, seat: int, card: str) -> bool:
    """Whether the points of a droid are expected on the score sheet of a seat."""
    line = "water" if family(card) == "water" else "printed"
    points = int(ROWS[card].attributes["points"].text)
    return any(row.name == line and row.values[seat] == points for e in scenario.then for row in e.lines)


def lies_before(scenario: Scenario, seat: int, card: str) -> bool:
    """Whether a droid is expected among those that a seat has repaired."""
    zone = rf"seat\({seat}\)\.repaired"
    return re.search(rf"\bis {card}\b.*{zone}|{zone} where it is {card}\b", conditions(scenario)) is not None


def family(card: str) -> str:
    """What is written for the family of a droid."""
    return ROWS[card].attributes["family"].text.strip()


def together(one: tuple[Cite, ...], other: tuple[Cite, ...]) -> bool:
    """Whether two rows of citations share a line."""
    return any(a.source == b.source and a.first <= b.last and b.first <= a.last for a in one for b in other)


# ---- which there must be ---------------------------------------------------------------------------------------------


def test_the_cards_are_those_of_the_glossary() -> None:
    """1 to 44 and 59 to 102 are droids, 45 to 58 houses; their scenarios can be read."""
    assert sorted(ROWS) == sorted(DROIDS + HOUSES)
    assert scenarios_in("ldd")


def test_each_droid_is_repaired() -> None:
    """It is paid for, what is left in the shed is said, and that it lies before its player (ldd-fr:357-361)."""

    def shown(card: str) -> list[str]:
        return [
            scenario.name
            for seat, scenario in with_given(card)
            if taken_first(scenario) == "repair"
            and states_shed(scenario, seat)
            and (shows_points(scenario, seat, card) or lies_before(scenario, seat, card))
        ]

    assert [card for card in DROIDS if not shown(card)] == []


def test_each_droid_is_refused_one_part_short() -> None:
    """With what is missing (ldd-fr:359)."""

    def shown(card: str) -> list[str]:
        return [s.name for _, s in with_given(card) if not s.when and lacks_one(s, "repair")]

    assert [card for card in DROIDS if not shown(card)] == []


def test_each_droid_is_dismantled() -> None:
    """What the shed then holds is said, and where the card lies: face up between players if it is of communication,
    else face down (ldd-fr:373-381, ldd-fr:410-414)."""

    def shown(card: str) -> list[str]:
        place = "shown[" if family(card) == "communication" else "discard"
        return [
            scenario.name
            for seat, scenario in with_given(card)
            if taken_first(scenario) == "dismantle"
            and states_shed(scenario, seat)
            and f"count({place}" in conditions(scenario)
        ]

    assert [card for card in DROIDS if not shown(card)] == []


def test_the_points_of_each_droid_stand_on_a_score_sheet() -> None:
    """Where it is the only droid of its player: those of the printed ones, or of water (ldd-fr:467)."""

    def shown(card: str) -> list[str]:
        return [
            scenario.name
            for scenario in scenarios_in("ldd")
            for seat, name in [*lying(scenario, "given"), *lying(scenario, "repaired")]
            if name == card
            and (taken_first(scenario) == "repair" or (seat, name) in lying(scenario, "repaired"))
            and [s for s, _ in lying(scenario, "given") + lying(scenario, "repaired")].count(seat) == 1
            and shows_points(scenario, seat, card)
        ]

    assert [card for card in DROIDS if not shown(card)] == []


def test_each_card_is_in_a_scenario_of_its_entry() -> None:
    """A scenario in which it lies before its player, or is repaired, cites what the glossary says of it."""

    def shown(card: str) -> list[str]:
        zones = ("built", "standing") if card in HOUSES else ("repaired", "given")
        return [
            scenario.name
            for scenario in scenarios_in("ldd")
            if together(scenario.cites, ROWS[card].cites)
            and any(name == card for zone in zones for _, name in lying(scenario, zone))
        ]

    assert [card for card in [*DROIDS, *HOUSES] if not shown(card)] == []


def test_each_house_is_constructed() -> None:
    """What is left in the shed is said, and that it is constructed (ldd-fr:398-400)."""

    def shown(house: str) -> list[str]:
        return [
            scenario.name
            for scenario in scenarios_in("ldd")
            if taken_first(scenario) == f"construct:home={house}"
            and any(
                states_shed(scenario, seat) and f"{house} in seat({seat}).built" in conditions(scenario)
                for seat in range(4)
            )
        ]

    assert [house for house in HOUSES if not shown(house)] == []


def test_each_house_is_refused_one_part_short() -> None:
    """With what is missing (ldd-fr:398)."""

    def shown(house: str) -> list[str]:
        return [s.name for s in scenarios_in("ldd") if not s.when and lacks_one(s, f"construct:home={house}")]

    assert [house for house in HOUSES if not shown(house)] == []


def test_a_row_without_scenarios_is_found() -> None:
    """What the tests above look for is told apart: card 2 is given in scenarios that do something else with it."""
    others = [s for _, s in with_given("d2") if taken_first(s).startswith("construct")]
    assert others
    assert not any(taken_first(s) == "repair" or lacks_one(s, "repair") for s in others)


@pytest.mark.slow
@remembered()
def test_all_scenarios_hold() -> None:
    """Those of the cards and all others of the ruleset, of which a strict check says nothing."""
    findings, results = judged("ldd")
    assert findings == []
    assert len(results) == len(sampled("ldd")) > 50
    assert {result.name: result.message for result in results if not result.ok} == {}
