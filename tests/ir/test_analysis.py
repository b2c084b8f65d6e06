"""The analyses over a program written by hand: live slots and effects."""

from __future__ import annotations

from dataclasses import replace

from rulelang.ir.complete import complete
from rulelang.ir.effects import effects_of, expression_effects
from rulelang.ir.liveness import live_slots
from rulelang.ir.nodes import Branch, Jump, Return

from .build import (
    BID,
    COINS,
    DEEP,
    PLAY,
    SCORE,
    SETUP,
    TAKE_TURN,
    WORTH,
    bare_program,
    block,
    e,
    good_program,
    local,
    num,
    proc,
    s,
)


def test_live_slots_around_decisions() -> None:
    """Items' guards and following blocks keep slots alive; what binders fill is not needed before."""
    program = bare_program()
    live = live_slots(program.procedures[TAKE_TURN], program.decisions)
    assert [sorted(slots) for slots in live] == [[0], [0, 1], [0, 1, 5], [0, 1, 5], [2], [0, 4, 5], []]


def test_live_slots_of_a_joint_decision() -> None:
    """The asked seat and the collected result of `together` are filled by the decision itself."""
    program = bare_program()
    live = live_slots(program.procedures[BID], program.decisions)
    assert [sorted(slots) for slots in live] == [[], [0], [], []]


def test_live_slots_across_a_loop_and_a_call() -> None:
    """A loop carries its variable round; the slot of a call's value is needed only after the call."""
    program = bare_program()
    assert [sorted(slots) for slots in live_slots(program.procedures[SETUP], ())] == [[], [1], [1], [0, 1], []]
    assert [sorted(slots) for slots in live_slots(program.procedures[PLAY], ())] == [[], [0], [0, 1], []]


def test_live_slots_of_a_bound_name() -> None:
    """The slot of a comprehension is not live outside it, but is needed if its set reads it."""
    body = e("gt", "bool", local(1, "int"), num(0))
    over = e("any", "bool", 1, e("list", "set<int>", local(0, "int")), body)
    reading = e("any", "bool", 1, e("list", "set<int>", local(1, "int")), body)
    for expr, expected in ((over, {0}), (reading, {1})):
        procedure = proc("p", {"a": "int", "b": "int"}, {}, [block(Branch(expr, 1, 1)), block(Return(None))])
        assert live_slots(procedure, ())[0] == expected


def test_effects_are_transitive() -> None:
    """A caller does what its callees do, through recursion too; pure procedures write nothing."""
    effects = effects_of(bare_program())
    assert effects[WORTH].reads == effects[WORTH].writes == ()
    assert effects[DEEP].writes == ("var:first",)
    assert effects[SCORE].reads == ("var:coins", "zone:hand")
    assert effects[SCORE].writes == ()
    assert effects[TAKE_TURN].suspends
    assert not effects[TAKE_TURN].ends_game
    assert {"chance", "deferred", "var:shed", "pvar:charge", "zone:deck", "zone:hand"} <= set(effects[TAKE_TURN].writes)
    assert set(effects[TAKE_TURN].writes) | {"var:first", "var:coins", "events"} == set(effects[PLAY].writes)
    assert effects[PLAY].suspends
    assert effects[PLAY].ends_game


def test_zones_through_locals() -> None:
    """A zone that was put into a local is followed; one that comes in as a parameter may be any."""
    zone_slot = local(0, "zone")
    shuffle = block(Return(None), s("shuffle", zone_slot))
    known = proc("known", {}, {"z": "zone"}, [block(Jump(1), s("set", 0, e("zone", "zone", 0))), shuffle])
    unknown = proc("unknown", {"z": "zone"}, {}, [shuffle])
    program = bare_program()
    effects = effects_of(replace(program, procedures=(*program.procedures, known, unknown)))
    assert effects[-2].writes == ("zone:deck",)
    assert len(effects[-1].writes) == len(program.zones)


def test_trying_writes_nothing() -> None:
    """`possible` runs a procedure in a scratch state: the reader only reads."""
    program = good_program()
    effects = [procedure.effects for procedure in program.procedures]
    expr = e(
        "possible", "bool", TAKE_TURN, e("gt", "bool", e("var", "int", COINS, num(0, "seat")), num(3)), num(0, "seat")
    )
    found = expression_effects(program, [expr], tuple(effects))
    assert "var:shed" in found.reads
    assert found.writes == ()
    assert not found.suspends


def test_complete_is_stable() -> None:
    """Completing a complete program changes nothing."""
    assert complete(good_program()) == good_program()
