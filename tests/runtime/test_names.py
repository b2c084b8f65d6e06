"""Ids of options and outcomes."""

from __future__ import annotations

from rulelang.ir.nodes import Chance, Item
from rulelang.ir.program import AutomatonTable, EnumTable, Program
from rulelang.runtime.layout import Layout
from rulelang.runtime.names import option_id, option_ids, outcome_id, outcome_ids, value_text
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.vocabulary.types import Type
from tests.interpreter.build import (
    const,
    decision,
    definition,
    e,
    each,
    item,
    kind,
    local,
    nothing,
    numbered,
    place,
    program,
    resources,
    some,
    square,
    variable,
    zone,
)

Z = 1 << 16
SEAT, CARD, MAN = "seat", "piece:Card", "piece:Man"


def world(*items: Item) -> Program:
    return program(
        nothing(),
        nothing("play"),
        players=(2,),
        automata=(AutomatonTable("machine", (2,)),),
        enums=(resources("oil", "nut"), EnumTable("Side", (), between=((2, ((0, 1),)),))),
        grids=(square(3, 2),),
        kinds=(
            kind("Card", definition("red1", 3, zone(0)), definition("red2", 1, zone(0))),
            kind(
                "Man",
                definition("man", 3, zone(2)),
                definition("boss", 1, zone(2), per_player=True),
                identity=True,
                variables=(0,),
            ),
        ),
        zones=(place("deck"), place("held", 0, SEAT, "enum:R"), place("yard", 1), place("field", 1, "cell:G")),
        piece_variables=(variable("level"),),
        decisions=(decision(1, const(0, SEAT), *items),),
    )


def ids(items: tuple[Item, ...], *options: tuple[int, tuple[object, ...]]) -> list[str]:
    whole = world(*items)
    state = State(Layout(whole, 2), 0, False, True)
    state.v[0] = 1
    return option_ids(state, whole.decisions[0], [Option(*option) for option in options])


def anything(name: str, type_: str) -> Item:
    return item("take", 0, each(name, 0, type_, e("list", f"set<{type_}>")))


def test_values() -> None:
    """Each type has its own way of being written."""
    layout = Layout(world(), 2)
    texts = {
        ("int", -3): "-3",
        ("bool", 1): "true",
        (SEAT, 1): "1",
        (SEAT, 2): "machine",
        ("opt<seat>", -1): "none",
        ("enum:R", 1): "nut",
        ("enum:Side", 0): "0-1",
        ("cell:G", 4): "b2",
        ("dir", 1): "northeast",
        (CARD, 2 * Z + 1): "red2",
        (MAN, 6): "boss@1",
        ("set<piece:Card>", (Z + 1, 0, 0)): "red1+red1+red2",
        ("set<piece:Card>", ()): "none",
        ("bag:R", (1, 2)): "nut+nut+oil",
        ("bag:R", (0, 0)): "none",
        ("cost:R", ((1, 0), ((2, 3, 1),))): "oil+2 identical oil|nut",
        ("payment:R", (1, 0, 1, 1)): "nut+oil+oil",
        ("zone", 4): "held[1,nut]",
        ("reaction", (2 << 32) + 1 + Z): "2.red1",
        ("reaction", 2 << 32): "2",
    }
    assert {(type_, value): value_text(layout, Type(type_), value) for type_, value in texts} == texts


def test_options_of_a_menu() -> None:
    """The item's name, then each binder; without binders just the name; a lone pass is `pass`."""
    pair = item("pair", 0, numbered("x", 0, const(1), const(2)), each("to", 1, SEAT, e("players", "set<seat>")))
    assert ids((pair, item("stop", 0)), (0, (1, 0)), (0, (2, 1)), (1, ()), (-1, ())) == [
        "pair:x=1,to=0",
        "pair:x=2,to=1",
        "stop",
        "pass",
    ]


def test_bags_are_sorted() -> None:
    """A chosen collection is written sorted by id, whatever its order."""
    take = item("take", 0, some("cards", 0, e("list", "set<piece:Card>"), const(0), const(3)))
    assert ids((take,), (0, ((1, 0, 0),)), (0, ((),))) == ["take:cards=red1+red1+red2", "take:cards=none"]


def test_zones_stand_only_where_needed() -> None:
    """A piece is written with its zone only if two options would read the same."""
    take = anything("card", CARD)
    assert ids((take,), (0, (0,)), (0, (Z + 1,))) == ["take:card=red1", "take:card=red2"]
    assert ids((take,), (0, (0,)), (0, (Z,)), (0, (Z + 1,))) == [
        "take:card=red1@deck",
        "take:card=red1@held[0,oil]",
        "take:card=red2",
    ]


def test_individuals_are_told_apart_by_their_variables() -> None:
    """In one zone, like-named individuals are numbered in the order of their variables, not of their copies."""
    take = anything("man", MAN)
    assert ids((take,), (0, (2,)), (0, (3,)), (0, (5,))) == [
        "take:man=man@yard#2",
        "take:man=man@yard#1",
        "take:man=boss@0",
    ]


def test_payments_are_bags_of_their_resource() -> None:
    """Purses stand apart only where two payments read the same."""
    price = local(3, "cost:R")
    pay = item("buy", 0, each("pay", 0, "payment:R", e("payments", "set<payment:R>", price, e("purse", "purse:R", 0))))
    assert ids((pay,), (0, ((1, 0, 0, 1),)), (0, ((2, 0, 0, 0),))) == ["buy:pay=nut+oil", "buy:pay=oil+oil"]
    assert ids((pay,), (0, ((1, 0, 0, 1),)), (0, ((0, 1, 1, 0),))) == ["buy:pay=oil|nut", "buy:pay=nut|oil"]


def test_an_item_without_name_is_the_rule() -> None:
    """`let x = choose …` is named by its rule."""
    whole = world(item("", 0, numbered("x", 0, const(1), const(2))))
    assert option_id(Layout(whole, 2), whole.decisions[0], 0, (2,)) == "rule:x=2"


def test_outcomes() -> None:
    """Chance is named by its rule and argument."""
    layout = Layout(world(), 2)
    assert outcome_id(layout, Chance("number", "x", (const(1), const(6)), 0, 0), 4) == "rule:x=4"
    assert outcome_id(layout, Chance("expose", "draw", (zone(0), const(0)), 0, 0), 1) == "rule:draw=red2"
    assert outcome_id(layout, Chance("element", "who", (e("players", "set<seat>"),), 0, 0), 1) == "rule:who=1"
    assert outcome_ids(layout, Chance("shared", "see", (zone(2),), 0, 0), [2, 3, 5]) == [
        "rule:see=man#1",
        "rule:see=man#2",
        "rule:see=boss@0",
    ]


def test_one_of_several_on_a_board_has_its_cell() -> None:
    """It is written with it whether or not another could be chosen; who is alone of a name is not."""
    whole = world(anything("x", "piece:Man"))
    state = State(Layout(whole, 2), 0, False, True)
    man, boss = (next(n for n, row in enumerate(state.layout.item_definition) if n > 1 and row == of) for of in (0, 1))
    for piece, cell in ((man, 4), (boss, 5)):
        state.where[piece] = state.layout.zone_instance(3, [cell])
    options = [Option(0, (man,)), Option(0, (man + 1,)), Option(0, (boss,))]
    assert option_ids(state, whole.decisions[0], options) == ["take:x=man.b2", "take:x=man", "take:x=boss@0"]
