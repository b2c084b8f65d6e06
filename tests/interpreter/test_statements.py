"""What statements do to the state, and what they log."""

from __future__ import annotations

from typing import Any

import pytest

from rulelang.diagnostics import RuleError
from rulelang.interpreter import Machine
from rulelang.ir.nodes import End, Expr, Return, Statement
from rulelang.ir.program import PositionTable, Program
from rulelang.runtime.state import DRAWN, WON, State
from rulelang.vocabulary.operations import STATEMENTS
from rulelang.vocabulary.types import Type

from .build import (
    block,
    const,
    definition,
    do,
    e,
    kind,
    nothing,
    place,
    procedure,
    program,
    resources,
    shown,
    var,
    variable,
    zone,
)

INT, SEAT, BAG, CARDS, MEN = "int", "seat", "bag:R", "set<piece:Card>", "set<piece:Man>"
Z = 1 << 16
DECK, HAND, SHELF, YARD, CAMP = 0, 1, 2, 3, 4


def seat(value: int) -> Expr:
    return const(value, SEAT)


def world(*statements: Statement) -> Program:
    """Cards in a pile (a on top, b, b, c), two hands, a shelf for two; men in a yard; some variables."""
    run = procedure("play", block(*statements, then=Return(None)), locals_=(INT,))
    cards = kind("Card", *(definition(name, count, zone(DECK)) for name, count in (("a", 1), ("b", 2), ("c", 1))))
    men = kind("Man", definition("man", 3, zone(YARD)), identity=True, variables=(0, 1))
    purse = e("bag", BAG, const(1), const(2))
    tip = procedure("tip", block(do("set_var", 0, const(9), seat(0)), then=Return(const(1))), returns=INT)
    return program(
        nothing(),
        run,
        tip,
        players=(2,),
        enums=(resources("nut", "oil"),),
        kinds=(cards, men),
        zones=(
            place("deck", pile=True),
            place("hand", 0, SEAT),
            place("shelf", capacity=const(2), visible="nobody"),
            place("yard", 1),
            place("camp", 1, pile=True),
        ),
        variables=(
            variable("coins", SEAT, start=3),
            variable("shed", SEAT, type_=BAG, start=purse, high=3),
            variable("frozen", SEAT, high=50, mark=True),
            variable("maybe", type_="opt<int>", start=-(2**63), high=3),
            variable("used", internal=True, start=4),
            variable("memory", internal=True),
        ),
        piece_variables=(variable("level", high=50), variable("down", high=50, mark=True)),
        positions=(PositionTable(5, (YARD,), (0,), (Type(INT),), ((0, 3),), 0, 2, 2),),
    )


def after(*statements: Statement, **changes: object) -> State:
    """The state after a turn of these statements (with a log, and compared without one)."""
    machine = Machine(world(*statements), 2)
    results = []
    for logging in (True, False):
        state = machine.new_state(logging=logging)
        for name, value in changes.items():
            setattr(state, name, value)
        machine.advance(state)
        results.append(state)
    logged, silent = results
    assert (logged.v, logged.z, logged.where, logged.pools) == (silent.v, silent.z, silent.where, silent.pools)
    assert not len(silent.log)
    return logged


def deck() -> Expr:
    return e("pieces", CARDS, zone(DECK))


def entries(state: State, sort: str) -> list[tuple[object, ...]]:
    return [entry for entry in state.log if entry[0] == sort]


def test_setup_puts_the_first_listed_on_top() -> None:
    """Pieces start in listed order, the first one on top of a pile, which is its last element."""
    assert after().z == [[2, 1, 1, 0], [], [], [], [3, 4, 5], []]


def test_move_one_piece() -> None:
    """A piece moves; an absent one does not."""
    top = e("top", "opt<piece:Card>", zone(DECK))
    state = after(
        do("move", top, zone(HAND, seat(1)), "top", 0),
        do("move", e("top", "opt<piece:Card>", zone(HAND, seat(0))), zone(DECK), "top", 0),
    )
    assert state.z[:3] == [[2, 1, 1], [], [0]]
    assert entries(state, "move") == [("move", 0, 0, 2, (0,), 0)]


def test_move_all_to_a_bag_and_back() -> None:
    """Pieces reach a pile in turn, each on top of the last or below it; a bag stays sorted."""
    hand = e("pieces", CARDS, zone(HAND, seat(0)))
    state = after(do("move", deck(), zone(HAND, seat(0)), "top", 0))
    assert state.z[:2] == [[], [0, 1, 1, 2]]
    assert entries(state, "move") == [("move", 0, 0, 1, (0, 1, 1, 2), 0)]
    there = do("move", deck(), zone(HAND, seat(0)), "top", 0)
    assert after(there, do("move", hand, zone(DECK), "top", 0)).z[0] == [0, 1, 1, 2]
    assert after(there, do("move", hand, zone(DECK), "bottom", 0)).z[0] == [2, 1, 1, 0]


def test_a_full_zone_takes_no_more() -> None:
    """Only as many as fit move, in order."""
    state = after(do("move", deck(), zone(SHELF), "top", 0))
    assert (state.z[0], state.z[3]) == ([2, 1], [0, 1])
    state = after(do("move_slots", zone(DECK), const(9), zone(SHELF), "top", 1))
    assert (state.z[0], state.z[3]) == ([2, 1], [0, 1])
    assert entries(state, "move") == [("move", 0, 0, 3, (0, 1), 1)]


def test_a_piece_that_has_gone_is_not_moved() -> None:
    """A handle to a count piece means one in that zone; when none is left there, nothing moves."""
    ghosts = e("list", CARDS, const(0, "piece:Card"), const(0, "piece:Card"))
    state = after(do("move", ghosts, zone(HAND, seat(0)), "top", 0))
    assert state.z[:2] == [[2, 1, 1], [0]]


def test_individuals_keep_their_place() -> None:
    """Moving individuals keeps track of where they are."""
    state = after(do("move", e("list", MEN, const(4, "piece:Man")), zone(YARD), "top", 0))
    assert state.where == [-1, -1, -1, 4, 4, 4]
    assert entries(state, "move") == [("move", 0, 4, 4, (4,), 0)]


def test_slots_move_as_they_lie() -> None:
    """Unknown pieces move without becoming known, from the top of a pile in turn."""
    state = after(do("move_slots", zone(DECK), const(3), zone(DECK), "bottom", 0))
    assert state.z[0] == [1, 1, 0, 2]
    state = after(
        do("shuffle", zone(DECK)),
        do("move_slots", zone(DECK), const(3), zone(HAND, seat(0)), "top", 0),
        do("move_slots", zone(HAND, seat(0)), const(1), zone(DECK), "bottom", 0),
    )
    assert state.z[:2] == [[-1, -1], [-1, -1]]
    assert state.pools == [[0, 1, 1, 2]]
    assert [entry[0] for entry in state.log] == ["shuffle", "move", "move", "end"]


def test_variables_are_logged_with_old_and_new() -> None:
    """Numbers, bags (only what changes) and piece variables."""
    state = after(
        do("set_var", 0, const(9), seat(1)),
        do("set_var", 1, e("bag", BAG, const(1), const(0)), seat(0)),
        do("set_pvar", 0, const(4, "piece:Man"), const(7)),
        do("set_var", 3, const(-(2**63), "opt<int>")),
    )
    assert state.v[:2] == [3, 9]
    assert entries(state, "set") == [
        ("set", 0, 0, 1, 3, 9),
        ("set", 0, 1, 3, 2, 0),
        ("set", 0, 3, 8, -(2**63), -(2**63)),
    ]
    assert entries(state, "pset") == [("pset", 0, 0, state.layout.pvar_cell(0, 4), 0, 7)]


def test_ranges_hold_for_bags_too() -> None:
    """Each count of a bag must be in range."""
    with pytest.raises(RuleError, match="`shed` would become 4"):
        after(do("set_var", 1, e("bag", BAG, const(1), const(4)), seat(0)))


def test_spend() -> None:
    """A payment leaves the purses it names; a stale payment is an error."""
    purses = e("purses", "set<purse:R>", e("purse", "purse:R", 1, seat(0)), e("purse", "purse:R", 1, seat(1)))
    ways = e("payments", "set<payment:R>", e("cost", "cost:R", e("bag", BAG, const(2), const(3))), purses)
    state = after(do("spend", e("first", "payment:R", ways), purses))
    assert state.v[2:6] == [0, 0, 0, 1]
    assert entries(state, "set") == [
        ("set", 0, 1, 2, 1, 0),
        ("set", 0, 1, 3, 2, 0),
        ("set", 0, 1, 4, 1, 0),
        ("set", 0, 1, 5, 2, 1),
    ]
    with pytest.raises(RuleError, match="purse"):
        after(
            do(
                "spend",
                e("last", "payment:R", e("list", "set<payment:R>", e("bag", BAG, const(3), const(0)))),
                e("purse", "purse:R", 1, seat(0)),
            )
        )


def test_marks_end_when_what_they_wait_for_comes() -> None:
    """Marks for this party and for any party are unset, others stay."""
    code = [e("mark_code", INT, 1, seat(0)), e("mark_code", INT, 1, seat(1)), e("mark_code", INT, 1, const(-1))]
    marks = [
        do("set_var", 2, code[0], seat(0)),
        do("set_var", 2, code[1], seat(1)),
        do("set_pvar", 1, const(5, "piece:Man"), code[2]),
    ]
    assert after(*marks, do("clear_marks", 0, seat(0))).v[6:8] == [4, 5]
    state = after(*marks, do("clear_marks", 1, seat(0)))
    assert state.v[6:8] == [0, 5]
    assert state.v[-1] == 0
    state = after(*marks, do("clear_marks", 1, const(-1)))
    assert state.v[6:8] == [4, 5]
    assert state.v[-1] == 0


def test_reset() -> None:
    """A limit goes back to its start, without a word in the log."""
    state = after(do("set_var", 4, const(9)), do("reset", 4))
    assert state.v[9] == 4
    assert entries(state, "set") == []


def test_the_course_of_the_game() -> None:
    """Scopes, elimination, showing values and deferred ends leave their traces."""
    state = after(
        do("begin", "turn", seat(1)),
        do("begin", "round", const(-1)),
        do("eliminate", seat(0)),
        do("reveal", var(0, seat(1)), e("players", "set<seat>")),
        do("defer", "turn"),
        do("check", e("deferred", "bool", "turn"), "must be deferred"),
        do("defer", "round"),
        do("undefer", "round"),
    )
    assert (state.turns, state.out, state.deferred, state.over) == (1, 1, 1, 1)
    assert list(state.log) == [
        ("begin", 0, "turn", 1),
        ("begin", 0, "round", -1),
        ("eliminate", 0, 0),
        ("reveal", 0, "int", 3, (1,), ()),
        ("end", 0, 1, 0),
    ]


def test_a_claim_that_fails_is_an_error() -> None:
    """`check` names the rule and what was claimed."""
    with pytest.raises(RuleError, match=r"rule: `coins = 9` must hold"):
        after(do("check", e("eq", "bool", var(0, seat(0)), const(9)), "`coins = 9` must hold"))


def test_a_drawn_game_has_no_winner() -> None:
    """The last word counts: drawn after won is drawn, won after drawn is won."""
    won = do("win", e("list", "set<seat>", seat(1)))
    assert (after(won, do("draw_game")).over, after(won, do("draw_game")).winners) == (3, 0)
    assert (after(do("draw_game"), won).over, after(do("draw_game"), won).winners) == (2, 2)
    ended = procedure("play", block(won, then=End()))
    machine = Machine(program(nothing(), ended), 2)
    state = machine.new_state()
    machine.advance(state)
    assert (state.over, state.winners) == (2, 2)


PARTS = ("v", "z", "where", "pools", "turns", "out", "deferred", "over", "winners")


def changes(*statements: Statement) -> dict[str, Any]:
    """What differs from a turn in which nothing is done, or how statements fail."""
    try:
        state, before = after(*statements), after()
    except RuleError as error:
        return {"error": str(error).partition(" (")[0]}
    told: dict[str, Any] = {"log": [entry for entry in state.log if entry[0] != "end"]}
    for part in PARTS:
        new, old = getattr(state, part), getattr(before, part)
        if isinstance(new, list):
            old = old + [None] * (len(new) - len(old))
            new = {place: value for place, value in enumerate(new) if value != old[place]}
            old = {}
        if new != old:
            told[part] = new
    return told


coins = var(0, seat(0))
more = e("add", INT, coins, const(2))
top = e("top", "opt<piece:Card>", zone(DECK))
men = e("pieces", MEN, zone(YARD))
man = e("first", "piece:Man", men)
mine = e("pieces", CARDS, zone(HAND, seat(0)))
shelf = e("pieces", CARDS, zone(SHELF))
camp = e("pieces", MEN, zone(CAMP))
both = e("players", "set<seat>")
rich = e("gt", "bool", coins, const(2))
fill = do("move", deck(), zone(SHELF), "top", 0)
mix = do("shuffle", zone(DECK))
purses = e("purses", "set<purse:R>", e("purse", "purse:R", 1, seat(0)), e("purse", "purse:R", 1, seat(1)))
dear = e("payments", "set<payment:R>", e("cost", "cost:R", e("bag", BAG, const(2), const(3))), purses)
unpayable = e("list", "set<payment:R>", e("bag", BAG, const(3), const(0)))
mark = [e("mark_code", INT, 1, who) for who in (seat(0), seat(1), const(-1))]
marks = (
    do("set_var", 2, mark[0], seat(0)), do("set_var", 2, mark[1], seat(1)), do("set_pvar", 1, man, mark[2]),
)  # fmt: skip
# A position of the yard (3 men: 2 bits), the coins of both (7 bits each) and a number to 3 (2 bits): 3 + 3 * 4 + 3 * 512 + n * 65536.
behind = dict.fromkeys(range(16, 21), 0)  # the cells of pieces, behind the five of the position
written, asked = lambda n: do("remember", 5, const(n)), lambda n: do("set_var", 0, e("seen", INT, 5, const(n)), seat(1))
win1 = do("win", e("list", "set<seat>", seat(1)))
"""Cards: 0 on top of the deck (zone 0), 1, 1, 2; hands are zones 1 and 2, the shelf 3, the yard 4 with 3, 4, 5, the camp 5."""

DONE: list[tuple[str, tuple[Statement, ...], dict[str, Any]]] = [
    ("set", (do("set", 0, more), do("set_var", 0, e("local", INT, 0), seat(1))), {"v": {1: 5}}),
    ("set_var", (do("set_var", 0, more, seat(1)),), {"v": {1: 5}, "log": [("set", 0, 0, 1, 3, 5)]}),
    ("set_var", (do("set_var", 1, e("bag", BAG, coins, const(2)), seat(1)),), {"v": {4: 3}, "log": [("set", 0, 1, 4, 1, 3)]}),
    ("set_var", (do("set_var", 1, e("bag", BAG, const(1), more), seat(1)),), {"error": "rule: `shed` would become 5, outside 0..3"}),
    ("set_var", (do("set_var", 3, const(3, "opt<int>")),), {"v": {8: 3}}),
    ("set_var", (do("set_var", 3, const(1, "opt<int>")), do("set_var", 3, const(-(2**63), "opt<int>"))), {"log": [("set", 0, 3, 8, -(2**63), 1), ("set", 0, 3, 8, 1, -(2**63))]}),
    ("set_var", (do("set_var", 3, const(4, "opt<int>")),), {"error": "rule: `maybe` would become 4, outside 0..3"}),
    ("set_var", (do("set_var", 4, more),), {"v": {9: 5}, "log": []}),
    ("set_pvar", (do("set_pvar", 0, man, more),), {"v": {10: 5}, "log": [("pset", 0, 0, 10, 0, 5)]}),
    ("reset", (do("set_var", 4, const(9)), do("reset", 4)), {"v": {}, "log": []}),
    ("remember", (written(2),), {"v": {}}),
    ("remember", (written(2), asked(2)), {"v": {1: 1, 10: 1, 11: 132623, 12: 1, **behind}}),
    ("remember", (written(2), written(2), written(2), asked(2)), {"v": {1: 2, 10: 1, 11: 132623, 12: 2, **behind}}),
    ("remember", (written(2), written(1), asked(0)), {"v": {1: 0, 10: 2, 11: 67087, 12: 1, 13: 132623, 14: 1, **behind}}),
    ("remember", (written(2), written(1), written(3), asked(2)), {"error": "rule: more than 2 different positions are to be remembered"}),
    ("forget", (written(2), do("forget", 5), asked(2)), {"v": {1: 0, **behind}}),
    ("forget", (written(2), written(1), do("forget", 5), written(1), asked(1)), {"v": {1: 1, 10: 1, 11: 67087, 12: 1, **behind}}),
    ("reset", (do("set_var", 0, const(9), seat(1)), do("set_var", 4, const(9)), do("reset", 4)), {"v": {1: 9}}),
    ("move", (do("move", top, zone(HAND, seat(1)), "top", 0),), {"z": {0: [2, 1, 1], 2: [0]}, "log": [("move", 0, 0, 2, (0,), 0)]}),
    ("move", (do("move", deck(), zone(HAND, seat(0)), "top", 1),), {"z": {0: [], 1: [0, 1, 1, 2]}, "log": [("move", 0, 0, 1, (0, 1, 1, 2), 1)]}),
    ("move", (do("move", deck(), zone(HAND, seat(0)), "top", 0), do("move", mine, zone(DECK), "bottom", 0)), {"z": {}}),
    ("move", (do("move", deck(), zone(HAND, seat(0)), "top", 0), do("move", mine, zone(DECK), "top", 0)), {"z": {0: [0, 1, 1, 2]}}),
    ("move", (fill,), {"z": {0: [2, 1], 3: [0, 1]}, "log": [("move", 0, 0, 3, (0, 1), 0)]}),
    ("move", (fill, do("move", top, zone(SHELF), "top", 0)), {"z": {0: [2, 1], 3: [0, 1]}}),
    ("move", (fill, do("move", shelf, zone(SHELF), "top", 0)), {"z": {0: [2, 1], 3: [0, 1]}, "log": [("move", 0, 0, 3, (0, 1), 0), ("move", 0, 3, 3, (0, 1), 0)]}),
    ("move", (do("move", men, zone(CAMP), "top", 0),), {"z": {4: [], 5: [3, 4, 5]}, "where": {3: 5, 4: 5, 5: 5}}),
    ("move", (do("move", man, zone(CAMP), "top", 0),), {"z": {4: [4, 5], 5: [3]}, "where": {3: 5}, "log": [("move", 0, 4, 5, (3,), 0)]}),
    ("move", (do("move", men, zone(CAMP), "top", 0), do("move", e("last", "piece:Man", camp), zone(CAMP), "top", 0)), {"z": {4: [], 5: [4, 5, 3]}, "where": {3: 5, 4: 5, 5: 5}}),
    ("move", (do("move", e("top", "opt<piece:Man>", zone(CAMP)), zone(YARD), "top", 0),), {"log": []}),
    ("move", (do("move", e("filter", CARDS, 0, deck(), e("not", "bool", rich)), zone(SHELF), "top", 0),), {"log": []}),
    ("move", (do("move", men, zone(CAMP), "top", 0), do("shuffle", zone(CAMP)), do("move", const(4, "piece:Man"), zone(YARD), "top", 0)), {"error": "rule: nobody can know where this piece lies: it is in a shuffled pile"}),
    ("move_slots", (do("move_slots", zone(DECK), coins, zone(HAND, seat(0)), "top", 1),), {"z": {0: [2], 1: [0, 1, 1]}, "log": [("move", 0, 0, 1, (0, 1, 1), 1)]}),
    ("move_slots", (do("move_slots", zone(DECK), coins, zone(SHELF), "top", 0),), {"z": {0: [2, 1], 3: [0, 1]}}),
    ("move_slots", (do("move_slots", zone(DECK), coins, zone(DECK), "bottom", 0),), {"z": {0: [1, 1, 0, 2]}}),
    ("move_slots", (fill, do("move_slots", zone(SHELF), coins, zone(SHELF), "top", 0)), {"z": {0: [2, 1], 3: [0, 1]}, "log": [("move", 0, 0, 3, (0, 1), 0), ("move", 0, 3, 3, (0, 1), 0)]}),
    ("move_slots", (do("move_slots", zone(YARD), const(2), zone(CAMP), "top", 0),), {"z": {4: [5], 5: [3, 4]}, "where": {3: 5, 4: 5}}),
    ("move_slots", (do("move_slots", zone(YARD), const(0), zone(CAMP), "top", 0),), {"log": []}),
    ("shuffle", (mix,), {"z": {0: [-1, -1, -1, -1]}, "pools": {0: [0, 1, 1, 2]}, "log": [("shuffle", 0, 0)]}),
    ("settle", (mix, do("move_slots", zone(DECK), const(4), zone(HAND, seat(0)), "top", 0), do("settle", zone(HAND, seat(0)))), {"z": {0: [], 1: [0, 1, 1, 2]}, "pools": {0: []}}),
    ("spend", (do("spend", e("first", "payment:R", dear), purses),), {"v": {2: 0, 3: 0, 4: 0, 5: 1}, "log": [("set", 0, 1, 2, 1, 0), ("set", 0, 1, 3, 2, 0), ("set", 0, 1, 4, 1, 0), ("set", 0, 1, 5, 2, 1)]}),
    ("spend", (do("spend", e("first", "payment:R", unpayable), e("purse", "purse:R", 1, seat(0))),), {"error": "rule: a purse does not hold what is to be paid from it"}),
    ("clear_marks", (*marks, do("clear_marks", 0, seat(0))), {"v": {6: 4, 7: 5, 13: 6}}),
    ("clear_marks", (*marks, do("clear_marks", 1, seat(0))), {"v": {7: 5}}),
    ("clear_marks", (*marks, do("set_var", 0, const(4), seat(0)), do("clear_marks", 1, const(-1))), {"v": {0: 4, 6: 4, 7: 5}}),
    ("reveal", (do("reveal", more, both),), {"log": [("reveal", 0, INT, 5, (0, 1), ())]}),
    ("reveal", (do("reveal", rich, both),), {"log": [("reveal", 0, "bool", 1, (0, 1), ())]}),
    ("reveal", (do("reveal", man, both),), {"log": []}),
    ("reveal", (do("reveal", e("top", "opt<piece:Man>", zone(CAMP)), both),), {"log": [("reveal", 0, "opt<piece:Man>", -1, (0, 1), ())]}),
    ("reveal", (fill, do("reveal", e("first", "opt<piece:Card>", shelf), both)), {"z": {0: [2, 1], 3: [0, 1]}, "log": [("move", 0, 0, 3, (0, 1), 0), ("reveal", 0, "opt<piece:Card>", 3 * Z, (0, 1), ())]}),
    ("begin", (do("begin", "turn", seat(1)),), {"turns": 1, "log": [("begin", 0, "turn", 1)]}),
    ("begin", (do("begin", "round", const(-1)),), {"log": [("begin", 0, "round", -1)]}),
    ("eliminate", (do("eliminate", seat(1)),), {"out": 2, "log": [("eliminate", 0, 1)]}),
    ("eliminate", (do("eliminate", const(-1)),), {"error": "rule: nobody is meant"}),
    ("win", (win1,), {"winners": 2, "deferred": WON, "over": 2}),
    ("win", (do("draw_game"), win1), {"winners": 2, "deferred": WON, "over": 2}),
    ("win", (do("win", e("list", "set<seat>", seat(0), const(-1))),), {"error": "rule: nobody is meant"}),
    ("draw_game", (do("draw_game"),), {"deferred": DRAWN, "over": 3}),
    ("draw_game", (win1, do("draw_game")), {"deferred": DRAWN, "over": 3}),
    ("defer", (do("defer", "turn"), do("defer", "round")), {"deferred": 3}),
    ("undefer", (do("defer", "turn"), do("defer", "round"), do("undefer", "turn")), {"deferred": 2}),
    ("check", (do("check", rich, "more than two"),), {"log": []}),
    ("check", (do("check", e("not", "bool", rich), "two at most"),), {"error": "rule: two at most"}),
    ("evaluate", (do("evaluate", e("call", INT, 2)),), {"v": {0: 9}}),
]  # fmt: skip
"""Operation, statements of a turn, what they change: cells, zones, whereabouts and pools by number, other parts of the state, the log where it
is said."""


def wrong(op: str) -> list[str]:
    """The rows of a statement that change something else, with what they change."""
    told = []
    for _, statements, wanted in [row for row in DONE if row[0] == op]:
        found = changes(*statements)
        if "log" not in wanted:
            found.pop("log", None)
        if {part: repr(value) for part, value in found.items()} != {
            part: repr(v) for part, v in wanted.items() if v != {}
        }:
            told.append(f"{' '.join(map(shown, statements))} changes {found}, not {wanted}")
    return told


@pytest.mark.parametrize("op", STATEMENTS)
def test_effects(op: str) -> None:
    """A statement changes what its documentation says, and nothing else."""
    assert op in {row[0] for row in DONE}
    assert wrong(op) == []
