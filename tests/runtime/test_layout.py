"""A program bound to players and options; states and logs as values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rulelang.diagnostics import RuleError, UsageError
from rulelang.ir.program import AutomatonTable, OptionTable, Program
from rulelang.runtime.bounds import WHOLE, interval
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import EMPTY
from rulelang.runtime.state import State
from rulelang.vocabulary.types import INT
from tests.interpreter.build import (
    const,
    definition,
    e,
    kind,
    local,
    nothing,
    place,
    program,
    resources,
    square,
    var,
    variable,
    zone,
)

SEAT = "seat"


def world() -> Program:
    many = e("if", "int", e("eq", "bool", e("option", "int", 0), const(9)), const(3), const(1))
    seats = e("add", "int", e("player_count", "int"), local(0, SEAT))
    return program(
        nothing(),
        nothing("play"),
        players=(2, 3),
        automata=(AutomatonTable("machine", (3,)),),
        options=(OptionTable("deck", INT, (8, 9), (), 8),),
        enums=(resources("nut", "oil"),),
        grids=(square(2, 2),),
        kinds=(
            kind("Card", definition("a", many, zone(0)), definition("b", 2, zone(0))),
            kind(
                "Man",
                definition("man", 1, zone(2, local(0, SEAT)), const(7), per_player=True),
                identity=True,
                attributes=(("age", "int"),),
            ),
        ),
        zones=(
            place("deck", pile=True),
            place("spot", 1, SEAT, "cell:G", capacity=e("add", "int", local(0, SEAT), const(1))),
            place("home", 1, SEAT),
        ),
        variables=(
            variable("coins", SEAT, start=seats),
            variable("shed", SEAT, type_="bag:R", start=e("bag", "bag:R", const(1), const(2))),
        ),
    )


def test_sizes_follow_players_and_options() -> None:
    """Automata are parties, options change counts, index values are in locals of starts and capacities."""
    two, three = Layout(world(), 2), Layout(world(), 3, [9])
    assert (two.parties, two.automata, three.parties, three.automata) == (2, [-1], 4, [3])
    assert three.party_names == ["0", "1", "2", "machine"]
    assert two.start_z[0] == [1, 1, 0]
    assert three.start_z[0] == [1, 1, 0, 0, 0]
    assert two.start_v == [2, 3, 1, 2, 1, 2]
    assert [two.inst_capacity[zone] for zone in two.zone_instances(1)] == [1, 1, 1, 1, 2, 2, 2, 2]
    assert two.zone_instance(1, (1, 2)) == 7
    assert (two.inst_owner[7], two.cell_of[0][7], two.inst_owner[0], two.cell_of[0][0]) == (1, 2, -1, -1)
    assert two.columns[1][0][2:] == [7, 7]
    assert [two.start_where[item] for item in (2, 3)] == [9, 10]
    assert two.cell_place[4] == (False, 1, 1)


@pytest.mark.parametrize(("players", "options"), [(4, None), (2, [10]), (2, [8, 8])])
def test_what_does_not_fit_is_refused(players: int, options: list[int] | None) -> None:
    """A number of players or an option that the program does not know is a UsageError."""
    with pytest.raises(UsageError):
        Layout(world(), players, options)


def test_clones_share_only_what_never_changes() -> None:
    """Every list of a clone is its own; the log is shared."""
    state = State(Layout(world(), 2), 5, True, True)
    state.frames = [[1, 0, [[1, 2]], -1]]
    state.pools = [[0, 1]]
    child = state.clone()
    for name in State.__slots__:
        assert getattr(child, name) == getattr(state, name)
    child.v[0] = 99
    child.z[0].append(1)
    child.where[0] = 3
    child.pools[0].pop()
    child.frames[0][2][0] = 7
    child.frames[0][1] = 4
    child.log = child.log.append(("begin", 0, "turn", 0))
    assert state.v[0] == 2
    assert state.z[0] == [1, 1, 0]
    assert state.where[0] == -1
    assert state.pools == [[0, 1]]
    assert state.frames == [[1, 0, [[1, 2]], -1]]
    assert len(state.log) == 0


def test_logs_branch() -> None:
    """Two continuations of a log don't see each other's entries."""
    trunk = EMPTY.append(("a",)).append(("b",))
    left, right = trunk.append(("c",)), trunk.append(("d",))
    assert list(left) == [("a",), ("b",), ("c",)]
    assert right.since(1) == [("b",), ("d",)]
    assert right.since(9) == []
    assert (len(EMPTY), len(trunk), len(left)) == (0, 2, 3)


def test_intervals() -> None:
    """Bounds of values are conservative: they hold what the value can be, or all of 64 bits."""
    whole = world()
    coins = var(0, const(0, SEAT))
    assert interval(whole, coins) == (-1, 99)
    assert interval(whole, e("add", "int", coins, const(5))) == (4, 104)
    assert interval(whole, e("sub", "int", const(5), coins)) == (-94, 6)
    assert interval(whole, e("min2", "int", coins, const(5))) == (-1, 5)
    assert interval(whole, e("max2", "int", coins, const(5))) == (5, 99)
    assert interval(whole, local(0)) == WHOLE
    assert interval(whole, e("mul", "int", coins, coins)) == WHOLE
    assert interval(whole, e("add", "int", local(0), const(5))) == WHOLE


def test_levels_are_those_of_the_layout() -> None:
    """A procedure may call itself as deep as its expression says for these players; none may be no levels deep."""
    deep = replace(nothing("f"), depth=9, levels=e("sub", "int", e("player_count", "int"), const(2)))
    bound = Layout(program(nothing(), nothing("play"), deep, players=(2, 3)), 3).program.procedures[2]
    assert (bound.depth, bound.levels) == (1, None)
    with pytest.raises(RuleError, match=r"`f` calls itself up to 0 deep, outside 1\.\.1000, with 2 players"):
        Layout(program(nothing(), nothing("play"), deep, players=(2, 3)), 2)
