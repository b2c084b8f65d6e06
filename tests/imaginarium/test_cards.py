"""Every machine and combination, attack, assistant and project of Imaginarium has golden scenarios.

Enters: the rows and the scenarios of the ruleset `imaginarium`, as they are written. Leaves: nothing. That the
scenarios hold is the last test here; the others say which ones there must be. What may be combined is listed from the
rulebook.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from rulelang.ruleset.model import Cite, Text
from rulelang.ruleset.scenarios import Scenario
from tests.offenders import of_each
from tests.remembered import remembered
from tests.scenario_files import judged, read_once, sampled, scenarios_in
from tests.shipped import rows_of, shipped

ROWS = rows_of("imaginarium")

MAKERS = ["P1", "P2", "P3", "P4", "P5", "P6"]
CHANGERS = ["T1", "T2", "T3", "T4"]
ATTACKS = ["A1", "A2", "A3", "A4", "A5", "A6"]
DEFENCES = ["D1", "D2", "D3"]
SPECIAL = ["S1", "S2"]
MACHINES = [*MAKERS, *CHANGERS, *ATTACKS, *DEFENCES, *SPECIAL]
USED = [*MAKERS, *CHANGERS, "S2"]
"""Those that are used in the phase of use (imaginarium-fr:183-195)."""
ASSISTANTS = [row.id for row in ROWS.values() if row.kind == "Assistant"]
PROJECTS = [row.id for row in ROWS.values() if row.kind == "Project"]

# Machines of one sort in one place: imaginarium-fr:571-573, 581-583, 591-593, 601-603, 617-619, 629-633, 643-645,
# 653-655, 663-666, 762.
ALIKE = {"P1": 3, "P2": 3, "P3": 3, "P4": 3, "P6": 2, "T1": 2, "T2": 2, "T3": 2, "T4": 3, "S2": 2}
# One that makes with one that transforms: imaginarium-fr:585, 595, 605, 611, 621.
PAIRS = {"P2": ["T1", "T2", "T3"], "P3": ["T1", "T3"], "P4": ["T1", "T2"], "P5": ["T4"], "P6": ["T1"]}

IDENTICAL = ["+".join([machine] * n) for machine, most in ALIKE.items() for n in range(2, most + 1)]
MIXED = [f"{maker}+{changer}" for maker, changers in PAIRS.items() for changer in changers]
# Two of each sort of defence are in the box, any of them together (imaginarium-fr:56, 304-306).
SHIELDS = [
    "+".join(group)
    for size in range(2, 7)
    for group in combinations_with_replacement(DEFENCES, size)
    if max(Counter(group).values()) <= 2
]
COMBINATIONS = [*IDENTICAL, *MIXED, *SHIELDS]


# ---- reading scenarios -----------------------------------------------------------------------------------------------


@read_once
def lying(scenario: Scenario, place: str) -> Counter[str]:
    """The pieces that are given in a place, such as `seat(0).yard`."""
    return Counter(
        {name: count for at, pieces, _ in scenario.zones if at.text.strip() == place for count, name in pieces}
    )


@read_once
def choices(scenario: Scenario) -> list[str]:
    """The patterns of the choices."""
    return [step.pattern for step in scenario.when]


@read_once
def conditions(scenario: Scenario) -> str:
    """All conditions, one on each line."""
    return "\n".join(e.value.text for e in scenario.then if isinstance(e.value, Text))


@read_once
def expected(scenario: Scenario, kind: str) -> list[str]:
    """The patterns of what is offered or refused."""
    return [str(e.value) for e in scenario.then if e.kind == kind]


@read_once
def done(scenario: Scenario) -> str:
    """What is run instead of the game."""
    return scenario.do.text if scenario.do is not None else ""


def chosen(scenario: Scenario, item: str, machine: str) -> bool:
    """Whether a machine is chosen for an item of a menu: `repair:m=P1`, `repair:m=P1*`."""
    return any(re.fullmatch(rf"{item}:(\*)?m={machine}\b.*", pattern) for pattern in choices(scenario))


@read_once
def regrouped(scenario: Scenario) -> list[str]:
    """The places that the scenario's groupings make: `["P1+P1|P2"]`."""
    return [pattern.partition("=")[2] for pattern in choices(scenario) if pattern.startswith("regroup:place=")]


@read_once
def group_of(scenario: Scenario, seat: int) -> str:
    """What is given in a workshop, as one place; of machines of defence as the scenario's name says."""
    named = re.search(r"\bD\d(\+D\d)*\b", scenario.name)
    if named is not None and lying(scenario, f"seat({seat}).workshop") == Counter(dict.fromkeys(DEFENCES, 2)):
        return named[0]
    return "+".join(sorted(lying(scenario, f"seat({seat}).workshop").elements()))


def together(one: tuple[Cite, ...], other: tuple[Cite, ...]) -> bool:
    """Whether two rows of citations share a line."""
    return any(a.source == b.source and a.first <= b.last and b.first <= a.last for a in one for b in other)


def names(found: list[Scenario]) -> list[str]:
    return [scenario.name for scenario in found]


# ---- which there must be: machines -----------------------------------------------------------------------------------


def test_the_pieces_are_those_of_the_rulebook() -> None:
    """21 machines, 47 combinations, 13 assistants, 14 projects; their scenarios can be read."""
    assert [row.id for row in ROWS.values() if row.kind == "Machine"] == MACHINES
    assert (len(COMBINATIONS), len(ASSISTANTS), len(PROJECTS)) == (47, 13, 14)
    assert scenarios_in("imaginarium")


@of_each([*USED, *IDENTICAL, *MIXED])
def test_each_is_used(group: str) -> None:
    """Alone, doubled, tripled and with each that it goes with; what it makes is said (imaginarium-fr:183)."""
    assert [
        scenario.name
        for scenario in scenarios_in("imaginarium")
        if group_of(scenario, 0) == group
        and "run_machines" in done(scenario)
        and choices(scenario)[:1]
        and choices(scenario)[0].startswith("run:m=")
        and re.search(r"seat\(0\)\.(goods|points) = \d", conditions(scenario))
    ]


@of_each([m for m in MACHINES if m not in USED])
def test_each_other_is_not_used(machine: str) -> None:
    """What attacks, defends or recycles is not offered then (imaginarium-fr:189-195)."""
    assert [s.name for s in scenarios_in("imaginarium") if f"run:m={machine}" in expected(s, "refused")]


@of_each(SHIELDS)
def test_each_protects(group: str) -> None:
    """All machines of defence in one place, each as it does alone (imaginarium-fr:304, 726)."""
    assert [
        s.name
        for s in scenarios_in("imaginarium")
        if group in regrouped(s) and "stealable(" in conditions(s) and "jammable(" in conditions(s)
    ]


@of_each(MACHINES)
def test_each_is_repaired(machine: str) -> None:
    """For what the card asks, not for less (imaginarium-fr:239-243)."""
    there = [s for s in scenarios_in("imaginarium") if lying(s, "seat(0).yard") == Counter([machine])]
    assert [s.name for s in there if chosen(s, "repair", machine) and "seat(0).goods is empty" in conditions(s)]
    assert [s.name for s in there if f"repair:m={machine}" in expected(s, "refused")]


@of_each([*USED, *ATTACKS[:4], "S1"])
def test_each_works_when_it_is_repaired(machine: str) -> None:
    """At once (imaginarium-fr:191, 247)."""
    there = [s for s in scenarios_in("imaginarium") if lying(s, "seat(0).yard")[machine] and "use" in choices(s)]
    assert [s.name for s in there if chosen(s, "repair", machine) or "use_if_wished" in done(s)]


@of_each(COMBINATIONS)
def test_each_combination_is_put_together(group: str) -> None:
    """In one place, of which nothing can be dismantled then (imaginarium-fr:263, 294-298)."""
    assert [
        s.name for s in scenarios_in("imaginarium") if group in regrouped(s) and "dismantle*" in expected(s, "refused")
    ]


@of_each(COMBINATIONS)
def test_each_combination_is_repaired(group: str) -> None:
    """Its last machine beside the others, alone at first (imaginarium-fr:239-247); of two sorts, either comes last."""
    found = [
        s
        for s in scenarios_in("imaginarium")
        if group in regrouped(s) and any(c.startswith("repair:") for c in choices(s))
    ]
    last = {machine for machine in MACHINES for s in found if chosen(s, "repair", machine)}
    assert last
    assert last <= set(group.split("+"))
    assert group not in MIXED or last == set(group.split("+"))


@of_each([group for group in COMBINATIONS if group != "S2+S2"])
def test_each_combination_is_taken_apart(group: str) -> None:
    """Then one of it is dismantled (imaginarium-fr:263, 334); of two sorts, either is."""
    found = [
        s
        for s in scenarios_in("imaginarium")
        for places in regrouped(s)
        if "|" in places
        and sorted(re.split(r"[+|]", places)) == group.split("+")
        and any(c.startswith("dismantle:m=") for c in choices(s))
        and re.search(r"seat\(0\)\.(goods|points) = \d", conditions(s))
    ]
    out = {machine for machine in MACHINES for s in found if chosen(s, "dismantle", machine)}
    assert out
    assert group not in MIXED or out == set(group.split("+"))


@of_each(MACHINES)
def test_each_is_dismantled(machine: str) -> None:
    """Broken, repaired for resources and for points; a special one never (imaginarium-fr:261-280)."""
    broken = [s for s in scenarios_in("imaginarium") if lying(s, "seat(0).yard") == Counter([machine])]
    repaired = [s for s in scenarios_in("imaginarium") if group_of(s, 0) == machine]
    if machine in SPECIAL:
        assert [s.name for s in repaired if "dismantle*" in expected(s, "refused")]
        return
    assert [s.name for s in broken if chosen(s, "dismantle", machine) and "count(seat(0).goods) =" in conditions(s)]
    for way, gained in (("take_goods", "goods"), ("take_points", "points")):
        wanted = rf"seat\(0\)\.{gained} = \d"
        there = [s for s in repaired if chosen(s, "dismantle", machine) and way in choices(s)]
        assert [s.name for s in there if re.search(wanted, conditions(s))], way


@of_each([m for m in MACHINES if m != "A6"] + COMBINATIONS)
def test_each_is_disabled(group: str) -> None:
    """Alone and combined, or kept from it by a Breveteur (imaginarium-fr:712-720, 740); the Embrouillette is unique."""
    found = [
        s
        for s in scenarios_in("imaginarium")
        if lying(s, "seat(0).workshop") == Counter(["A6"]) and group_of(s, 1) == group
    ]
    assert [s.name for s in found if any(c.startswith("A6:jammed=") for c in choices(s))]


@of_each(product(ATTACKS, DEFENCES))
def test_each_attack_meets_each_defence(attack: str, defence: str) -> None:
    """imaginarium-fr:195, 728-740."""
    assert [
        s.name
        for s in scenarios_in("imaginarium")
        if attack in lying(s, "seat(0).yard") + lying(s, "seat(0).workshop")
        and sum(lying(s, "seat(0).workshop").values()) <= 1
        and lying(s, "seat(1).workshop")[defence] == 1
    ]


@of_each([*MAKERS, *CHANGERS, "S2", *DEFENCES])
def test_each_comes_back(machine: str) -> None:
    """From the shredder, by the Recyclatrice (imaginarium-fr:754)."""
    assert [s.name for s in scenarios_in("imaginarium") if f"S1:found={machine}" in choices(s)]


def test_what_may_share_a_place_is_asked_of_each_machine() -> None:
    """With one of every other sort, and with others of its own (imaginarium-fr:296-324)."""
    rows = [
        s
        for s in scenarios_in("imaginarium")
        if lying(s, "seat(0).workshop") == Counter(MACHINES) and "goes_together" in conditions(s)
    ]
    assert {match[0] for s in rows if (match := re.match(r"\w\d", s.name))} == set(MACHINES)
    for machine, most in ALIKE.items():
        counts = {
            count
            for s in scenarios_in("imaginarium")
            if "goes_together(seat(0).workshop)" in conditions(s)
            for count in [lying(s, "seat(0).workshop")[machine]]
            if lying(s, "seat(0).workshop") == Counter({machine: count})
        }
        assert set(range(2, most + 1)) <= counts
        # One more than there are multipliers, where the box has so many (imaginarium-fr:314).
        box = int(ROWS[machine].count.text) if ROWS[machine].count is not None else 1
        assert most + 1 in counts or box <= most, machine


# ---- which there must be: assistants, projects, examples -------------------------------------------------------------


@of_each(ASSISTANTS)
def test_each_assistant_is_there_and_is_not(assistant: str) -> None:
    """A scenario of its entry with it, and one in which another is in its place; one that tells its price."""
    entry = [s for s in scenarios_in("imaginarium") if together(s.cites, ROWS[assistant].cites)]
    with_it = [s for s in entry if (lying(s, "seat(0).office") + lying(s, "meeting"))[assistant]]
    others = [s for s in entry if not (lying(s, "seat(0).office") + lying(s, "meeting"))[assistant]]
    assert names(with_it)
    assert names([s for s in others if lying(s, "seat(0).office") or lying(s, "meeting")])
    price = int(ROWS[assistant].attributes["cost"].text)
    assert [s.name for s in scenarios_in("imaginarium") if s.name == f"{assistant} costs {price}"]


@of_each(PROJECTS)
def test_each_project_is_just_met_and_just_missed(project: str) -> None:
    """imaginarium-fr:772-824."""
    entry = [
        s for s in scenarios_in("imaginarium") if lying(s, "study")[project] and together(s.cites, ROWS[project].cites)
    ]
    wanted = f"validate:project={project}"
    assert [s.name for s in entry if wanted in expected(s, "offered") + choices(s)]
    assert [s.name for s in entry if wanted in expected(s, "refused")]


@of_each(product(PROJECTS, [False, True]))
def test_each_project_has_a_first_and_a_later_validator(project: str, later: bool) -> None:
    """All points for the first, one less for those who come later (imaginarium-fr:398-402)."""
    goal, points = ROWS[project].attributes["goal"].text, int(ROWS[project].attributes["points"].text)
    given = [
        s
        for s in scenarios_in("imaginarium")
        for name, value in s.variables
        if re.fullmatch(rf"seat\([12]\)\.validated\[{goal}\]", name.text) and value.text == str(later).lower()
    ]
    assert [
        s.name
        for s in given
        if f"validate:project={project}" in choices(s) and f"seat(0).points = {points - later}" in conditions(s)
    ]


def test_each_worked_example_of_the_rulebook_is_played() -> None:
    """Every line of every example is cited by a scenario."""
    examples = [passage for passage in shipped("imaginarium").written.rulebook if passage.kind == "example"]
    cited = [cite for scenario in scenarios_in("imaginarium") for cite in scenario.cites]
    assert len(examples) >= 6
    for passage in examples:
        for line in (passage.first, passage.last):
            assert any(cite.first <= line <= cite.last for cite in cited), passage


def test_a_missing_scenario_is_found() -> None:
    """What the tests above look for is told apart: two Productivettes are no combination, no attack is borrowed."""
    assert not [s.name for s in scenarios_in("imaginarium") if "P5+P5" in regrouped(s)]
    assert not [s.name for s in scenarios_in("imaginarium") if chosen(s, "borrow", "A1")]
    assert "P5+P5" not in COMBINATIONS


@pytest.mark.slow
@remembered()
def test_all_scenarios_hold() -> None:
    """Those of the cards and all others of the ruleset, of which a strict check says nothing."""
    findings, results = judged("imaginarium")
    assert findings == []
    assert len(results) == len(sampled("imaginarium")) > 50
    assert {result.name: result.message for result in results if not result.ok} == {}
