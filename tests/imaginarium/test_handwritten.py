"""The ruleset against rules written by hand: regroupings, what could be made, payments and thefts in random positions.

Enters: random positions as scenarios of an overlay. Leaves: nothing. Each position is set up as a scenario would be,
and what the game then offers or does is compared.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import rulelang
from rulelang.diagnostics import Diagnostics
from rulelang.game import State
from rulelang.game.situations import Suite
from rulelang.ruleset.scenarios import scenarios_of
from rulelang.scenarios import _Run
from tests.soak import times

from .handwritten import COPIES, GOODS, STOLEN, Goods, Group, goals, legal, payments, regroupings, robbed

MANY = 5
"""Positions of each sort."""
SEED = 5
BELT = {"belt1": 4, "belt3": 3, "belt4": 2, "belt7": 1}
LEVELS = {"P1": 1, "P3": 2, "P6": 3}
USEFUL = [machine for machine in COPIES if machine[0] in "PTD" or machine == "S2"]

Check = Callable[[State], None]


def drawn(random_: random.Random, count: int, sorts: Sequence[str]) -> list[str]:
    """So many machines out of the box, in the order of their codes."""
    box = [machine for machine in sorts for _ in range(COPIES[machine])]
    return sorted(random_.sample(box, count), key=list(COPIES).index)


def purse(random_: random.Random, most: int) -> Goods:
    return Counter({good: random_.randint(0, most) for good in GOODS})


def bag(goods: Goods) -> str:
    return " + ".join(f"{count} {good}" for good, count in goods.items() if count) or "0 coal"


def listed(machines: Sequence[str]) -> str:
    return f"[{', '.join(f'{count} {machine}' for machine, count in Counter(machines).items())}]"


def goods_of(state: State, seat: int) -> Goods:
    """What a seat has, without what it has none of."""
    return +Counter(state.observation(seat)["variables"][f"goods[{seat}]"])


# ---- positions -------------------------------------------------------------------------------------------------------


def regrouping(random_: random.Random) -> tuple[str, Check]:
    """A workshop to regroup: each distinct way once."""
    machines = drawn(random_, random_.randint(2, 7), USEFUL)

    def check(state: State) -> None:
        found = [action.id.partition("=")[2] for action in state.legal_actions()]
        places = [tuple(sorted(tuple(sorted(group.split("+"))) for group in text.split("|"))) for text in found]
        assert len(places) == len(set(places))
        assert set(places) == regroupings(machines, 4), machines

    return f'zones: {{"seat(0).workshop": {listed(machines)}}}\n      do: "turn of seat(0): regroup()"', check


def making(random_: random.Random) -> tuple[str, Check]:
    """A workshop in places, with much behind the screen: which projects can be validated."""
    machines = drawn(random_, random_.randint(2, 7), [machine for machine in COPIES if machine[0] in "PT"])
    groups: list[Group] = []
    for machine in machines:
        fitting = [n for n, group in enumerate(groups) if legal((*group, machine))]
        if fitting and random_.random() < 0.6:
            number = random_.choice(fitting)
            groups[number] = (*groups[number], machine)
        else:
            groups.append((machine,))
    moves = [
        f"\n        for m in top {count} of (seat(0).workshop where it is {machine} and it.place = 70):"
        f" m.place := {place}"
        for place, group in enumerate(groups, 1)
        for machine, count in Counter(group).items()
    ]

    def check(state: State) -> None:
        offered = {action.id.partition("=")[2] for action in state.legal_actions() if action.id != "done"}
        assert offered - {"project_fifteen_coal"} == goals(groups), groups

    study = "[project_six_goods, project_one_of_each, project_three_alike, project_fifteen_coal]"
    return (
        f'zones: {{study: {study}, "seat(0).workshop": {listed(machines)}}}\n'
        '      variables: {"seat(0).goods": 3 wood + 3 copper + 3 crystal + 15 coal}\n'
        f"      do: |\n        for m in seat(0).workshop: m.place := 70{''.join(moves)}\n"
        "        turn of seat(0): validate_projects()"
    ), check


def paying(random_: random.Random) -> tuple[str, Check]:
    """A reserved machine: each way to pay for it, or all is lost."""
    spot, machine, goods = random_.choice(list(BELT)), random_.choice(list(LEVELS)), purse(random_, 4)
    ways = [+left for left in payments(BELT[spot] + LEVELS[machine], goods)]

    def check(state: State) -> None:
        ends = [state]
        if not state.is_terminal():
            ends = [state.clone() for _ in state.legal_actions()]
            for end, action in zip(ends, state.legal_actions(), strict=True):
                end.apply(action.id)
        assert sorted(map(bag, ways or [Counter()])) == sorted(bag(goods_of(end, 0)) for end in ends), goods
        assert all(end.observation(0)["zones"]["yard[0]"]["count"] == bool(ways) for end in ends)

    given = f'zones: {{"belt[{spot}]": [{machine}], "seat(0).yard": [], "seat(0).office": []}}'
    return (
        f'{given}\n      variables: {{"seat(0).goods": {bag(goods)}}}\n'
        f'      do: "turn of seat(0): collect(you, {spot})"'
    ), check


def stealing(random_: random.Random) -> tuple[str, Check]:
    """A theft among three or four, some of them protected."""
    players, thief = random_.choice((3, 4)), random_.choice(list(STOLEN))
    seat = random_.randrange(players)
    held = {other: purse(random_, 4) for other in range(players)}
    shields = drawn(random_, players - 1, ["D1", "D2", "D3"])
    others = [other for other in range(players) if other != seat]
    defences = {other: [shield] for other, shield in zip(others, shields, strict=True) if random_.random() < 0.5}
    after = robbed(thief, seat, held, defences)

    def check(state: State) -> None:
        assert {other: goods_of(state, other) for other in held} == {other: +goods for other, goods in after.items()}

    zones = [f'"seat({seat}).workshop": [{thief}]']
    zones += [f'"seat({other}).workshop": {listed(defences.get(other, []))}' for other in others]
    purses = [f'"seat({other}).goods": {bag(goods)}' for other, goods in held.items()]
    return (
        f"players: {players}\n      zones: {{{', '.join(zones)}}}\n      variables: {{{', '.join(purses)}}}\n"
        f"      do: |\n        turn of seat({seat}):\n          for m in workshop: work(m, 1)"
    ), check


def test_random_positions(tmp_path: Path) -> None:
    """Of each sort some; all are set up at once, as compiling is what takes long."""
    random_ = random.Random(SEED)
    sorts = (regrouping, making, paying, stealing)
    positions = [make(random_) for make in sorts for _ in range(times(MANY))]
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "ruleset.yaml").write_text("rulelang: 2\nextends: imaginarium\n", encoding="utf-8")
    rows = [
        f'  - name: position {n}\n    given:\n      {given}\n    then: ["true"]\n'
        for n, (given, _) in enumerate(positions)
    ]
    (tmp_path / "scenarios" / "all.yaml").write_text(f"rulelang: 2\nscenarios:\n{''.join(rows)}", encoding="utf-8")
    findings = Diagnostics()
    ruleset = rulelang.load(tmp_path)
    suite = Suite(ruleset, scenarios_of(ruleset.written, findings))
    assert not findings.has_errors
    for code, (_, check) in zip(suite.codes, positions, strict=True):
        assert not code.diagnostics.has_errors, str(code.diagnostics)
        check(_Run(suite, code).state)
