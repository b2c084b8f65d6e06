"""The verifier: the good program passes; each kind of damage is refused with its place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rulelang.ir.complete import complete
from rulelang.ir.errors import IrError
from rulelang.ir.nodes import (
    Binder,
    Block,
    Branch,
    CallProc,
    Chance,
    Choose,
    Effects,
    Expr,
    Guard,
    Jump,
    Operand,
    Return,
    Statement,
)
from rulelang.ir.program import IR_VERSION, Program, Ranking
from rulelang.ir.verify import verify
from rulelang.ir.verify_nodes import SPECIAL
from rulelang.vocabulary.operations import EXPRESSIONS, STATEMENTS
from rulelang.vocabulary.types import INT, Type
from tests.offenders import of_each

from .build import (
    BID,
    CARD,
    CARDS,
    COINS,
    COLOUR,
    DECK,
    DEEP,
    HAND,
    PLAY,
    SCORE,
    SETUP,
    SHED,
    TAKE_TURN,
    WORTH,
    bare_program,
    e,
    good_program,
    local,
    num,
    s,
    zone,
)


def procedure(program: Program, number: int, **changes: Any) -> Program:
    procedures = list(program.procedures)
    procedures[number] = replace(procedures[number], **changes)
    return replace(program, procedures=tuple(procedures))


def block(program: Program, number: int, place: int, **changes: Any) -> Program:
    blocks = list(program.procedures[number].blocks)
    blocks[place] = replace(blocks[place], **changes)
    return procedure(program, number, blocks=tuple(blocks))


def first(program: Program, number: int, place: int, statement: Statement) -> Program:
    """The program with one more statement at the beginning of a block."""
    statements = program.procedures[number].blocks[place].statements
    return block(program, number, place, statements=(statement, *statements))


def decision(program: Program, number: int, **changes: Any) -> Program:
    decisions = list(program.decisions)
    decisions[number] = replace(decisions[number], **changes)
    return replace(program, decisions=tuple(decisions))


def item(program: Program, number: int, place: int, **changes: Any) -> Program:
    items = list(program.decisions[number].items)
    items[place] = replace(items[place], **changes)
    return decision(program, number, items=tuple(items))


def binder(program: Program, number: int, place: int, **changes: Any) -> Program:
    old = program.decisions[number].items[place].binders[0]
    return item(program, number, place, binders=(replace(old, **changes),))


def value(expr: Expr) -> Callable[[Program], Program]:
    """Damage: an expression somewhere in a rule."""
    return lambda program: first(program, PLAY, 0, s("evaluate", expr))


def row(table: str, number: int, **changes: Any) -> Callable[[Program], Program]:
    """Damage: a row of a table."""

    def damage(program: Program) -> Program:
        rows = list(getattr(program, table))
        rows[number] = replace(rows[number], **changes)
        return replace(program, **{table: tuple(rows)})  # type: ignore[arg-type]

    return damage


def definition(**changes: Any) -> Callable[[Program], Program]:
    def damage(program: Program) -> Program:
        kind = program.kinds[0]
        changed = replace(kind.definitions[0], **changes)
        return replace(program, kinds=(replace(kind, definitions=(changed, *kind.definitions[1:])),))

    return damage


SEAT = num(0, "seat")
IN_HAND = e("pieces", CARDS, zone(HAND, SEAT))
NUT = e("bag", "bag:Part", num(1), num(0))
YES = num(1, "bool")

NODES: dict[str, tuple[Callable[[Program], Program], str]] = {
    "unknown operation": (value(e("guess", "int")), "unknown operation `guess`"),
    "unknown statement": (lambda p: first(p, PLAY, 0, s("jump", 1)), "unknown operation `jump`"),
    "too few arguments": (value(e("add", "int", num(1))), "`add` has 1 arguments, not 2"),
    "too many arguments": (value(e("not", "bool", YES, YES)), "`not` has 2 arguments, not 1"),
    "immediate for expression": (value(e("neg", "int", 3)), "argument 1 of `neg` is no expression"),
    "expression for immediate": (value(e("const", "int", num(1))), "argument 1 of `const` is no int"),
    "text for number": (value(e("automaton", "opt<seat>", "machine")), "argument 1 of `automaton` is no automaton"),
    "variable out of range": (value(e("var", "int", 9)), "var 9 out of range"),
    "zone out of range": (value(e("zone", "zone", 4)), "zone 4 out of range"),
    "procedure out of range": (value(e("call", "int", -1)), "proc -1 out of range"),
    "option out of range": (value(e("option", "int", 2)), "option 2 out of range"),
    "automaton out of range": (value(e("automaton", "opt<seat>", 1)), "automaton 1 out of range"),
    "site out of range": (value(e("const", "int", 1, site=7)), "site 7 out of range"),
    "slot out of range": (value(local(2, "int")), "slot 2 out of range"),
    "set slot out of range": (lambda p: first(p, PLAY, 0, s("set", 5, num(1))), "slot 5 out of range"),
    "unknown type": (value(num(0, "enum:Shape")), "unknown type `enum:Shape`"),
    "operand type": (value(e("add", "int", num(1), YES)), "operand 2 of `add` is `bool`, not `int`"),
    "operand of another grid": (value(e("next_player", "seat", num(0, "cell:Square"))), "operand 1 of `next_player`"),
    "result type": (value(e("add", "bool", num(1), num(2))), "`add` gives `int`, not `bool`"),
    "optional operand": (
        value(e("next_player", "seat", e("seat_of", "opt<seat>", num(1)))),
        "is `opt<seat>`, not `seat`",
    ),
    "local type": (lambda p: first(p, PLAY, 0, s("set", 1, SEAT)), "what slot 1 is set to is `seat`, not `int`"),
    "local read as another type": (
        lambda p: first(p, PLAY, 2, s("eliminate", local(1, "seat"))),
        "gives `int`, not `seat`",
    ),
    "variable type": (value(e("var", "bool", COINS, SEAT)), "`var` gives `int`, not `bool`"),
    "number of indices": (value(e("var", "int", COINS)), "`coins` has 1 indices, not 0"),
    "type of index": (value(e("var", "int", COINS, num(1))), "an index of `coins` is `int`, not `seat`"),
    "zone index": (value(zone(HAND, num(0, COLOUR))), "an index of `hand` is `enum:Colour`, not `seat`"),
    "written type": (lambda p: first(p, PLAY, 0, s("set_var", COINS, YES, SEAT)), "what `coins` is set to is `bool`"),
    "carrier of a variable": (value(e("pvar", "int", 0, SEAT)), "who carries `charge`"),
    "constant out of range": (value(num(2, COLOUR)), "constant 2 is no value of `enum:Colour`"),
    "absent constant": (value(num(-1, COLOUR)), "constant -1 is no value of `enum:Colour`"),
    "constant of a cell": (value(num(4, "cell:Square")), "constant 4 is no value"),
    "constant set": (value(num(0, "set<int>")), "is no scalar"),
    "attribute out of range": (value(e("attr", "int", 0, 2, e("first", CARD, IN_HAND))), "has no attribute 2"),
    "attribute type": (value(e("eattr", "bool", 0, 0, num(0, COLOUR))), "`eattr` gives `int`, not `bool`"),
    "attribute of another type": (value(e("eattr", "int", 0, 0, num(0, "enum:Part"))), "operand of `eattr`"),
    "definition out of range": (value(e("is_def", "bool", e("first", CARD, IN_HAND), 3)), "has no definition 3"),
    "compared types": (value(e("eq", "bool", num(1), YES)), "`eq` compares `int` with `bool`"),
    "compared bags": (value(e("eq", "bool", NUT, NUT)), "are no scalars"),
    "member of another type": (value(e("member", "bool", num(1), IN_HAND)), "`member` compares"),
    "mixed list": (value(e("list", "set<seat>", SEAT, num(1))), "operand 2 of `list` is `int`, not `seat`"),
    "branches of a conditional": (value(e("if", "int", YES, num(1), YES)), "operand 3 of `if`"),
    "resources in a bag": (value(e("bag", "bag:Part", num(1))), "`bag` has 1 counts, not 2"),
    "resource out of range": (value(e("bag_get", "int", NUT, 2)), "resource 2 out of range"),
    "lookup without a value": (value(e("lookup", "int", num(1), num(1))), "`lookup` takes"),
    "lookup of other values": (value(e("lookup", "bool", num(1), num(1), YES)), "begins with the least number"),
    "mixed lookup": (value(e("lookup", "int", num(1), num(1), YES)), "a value of `lookup` is `bool`"),
    "lookup of a truth": (value(e("lookup", "int", YES, num(1), num(1))), "what is looked up is `bool`"),
    "sum of seats": (value(e("sum", "seat", 0, e("players", "set<seat>"), local(0, "seat"))), "a sum is `seat`"),
    "element slot": (
        value(e("any", "bool", 1, e("players", "set<seat>"), YES)),
        "an element of `any` is `seat`, not `int`",
    ),
    "element slot out of range": (value(e("any", "bool", 4, e("players", "set<seat>"), YES)), "slot 4 out of range"),
    "closed type": (value(e("domain", "set<int>", "int")), "`domain` of `int`"),
    "unknown word": (lambda p: first(p, PLAY, 0, s("defer", "month")), "unknown word `month`"),
    "unknown end of a pile": (
        lambda p: first(p, PLAY, 0, s("move", IN_HAND, zone(DECK), "middle", 0)),
        "unknown word `middle`",
    ),
    "pieces of another kind": (value(e("size", "int", num(0))), "operand 1 of `size`"),
    "until code out of range": (lambda p: first(p, PLAY, 0, s("clear_marks", 3, SEAT)), "until 3"),
    "number of call arguments": (value(e("call", "int", DEEP)), "`deep` takes 1 arguments, not 0"),
    "type of call argument": (value(e("call", "int", DEEP, SEAT)), "an argument of `deep` is `seat`, not `int`"),
    "call that waits": (value(e("call", "int", TAKE_TURN, SEAT)), "`call` of `take_turn`, which may wait"),
    "call result": (value(e("call", "bool", DEEP, num(1))), "`call` gives `int`, not `bool`"),
    "group of other elements": (
        value(e("group", "set<set<bool>>", 0, e("list", "set<int>", num(1)), num(2))),
        "operand 1 of `group` is `set<int>`, not `set<bool>`",
    ),
    "purse that is no bag": (
        value(e("purse", "purse:Part", COINS, SEAT)),
        "`purse` gives `no purse`, not `purse:Part`",
    ),
    "payment": (
        lambda p: first(p, PLAY, 0, s("spend", num(1), e("purse", "purse:Part", SHED, SEAT))),
        "operand 1 of `spend`",
    ),
}


@of_each(NODES)
def test_damaged_nodes(name: str) -> None:
    """A damaged expression or statement is refused; the error names procedure and block."""
    damage, message = NODES[name]
    with pytest.raises(IrError, match=re.escape(message)) as caught:
        verify(damage(good_program()))
    assert re.fullmatch(r"procedure play, block \d", caught.value.where)
    assert str(caught.value).startswith(caught.value.where)


LOOSE = Guard(e("gt", "bool", e("call", "int", DEEP, num(1)), num(0)), "", 1)
EMPTY = e("eq", "bool", e("size", "int", zone(DECK)), num(0))
SIZE, PRESENCE = Operand("deck", "size"), Operand("deck", "presence")
ON_BINDER = Guard(e("is_def", "bool", local(2, CARD), 0), "", 1)

CONTROL: dict[str, tuple[Callable[[Program], Program], str, str]] = {
    "jump out of range": (lambda p: block(p, SETUP, 0, terminator=Jump(5)), "setup, block 0", "jump to block 5"),
    "branch out of range": (
        lambda p: block(p, SETUP, 1, terminator=Branch(YES, 2, -1)),
        "setup, block 1",
        "jump to block -1",
    ),
    "branch condition": (
        lambda p: block(p, SETUP, 1, terminator=Branch(num(1), 2, 3)),
        "setup, block 1",
        "the condition is `int`",
    ),
    "chance out of range": (
        lambda p: block(p, TAKE_TURN, 2, terminator=Chance("expose", "draw", (zone(DECK), num(0)), -1, 9)),
        "take_turn, block 2",
        "jump to block 9",
    ),
    "item out of range": (lambda p: item(p, 0, 0, to=7), "take_turn, block 3", "jump to block 7"),
    "otherwise out of range": (lambda p: decision(p, 0, otherwise=7), "take_turn, block 3", "jump to block 7"),
    "statements before a choice": (
        lambda p: block(p, TAKE_TURN, 3, statements=(s("defer", "turn"),)),
        "take_turn, block 3",
        "a block that waits has statements",
    ),
    "statements before chance": (
        lambda p: block(p, TAKE_TURN, 0, statements=(s("defer", "turn"),)),
        "take_turn, block 0",
        "a block that waits has statements",
    ),
    "kind of chance": (
        lambda p: block(p, TAKE_TURN, 2, terminator=Chance("dice", "n", (), 1, 3)),
        "take_turn, block 2",
        "unknown kind of chance `dice`",
    ),
    "arguments of chance": (
        lambda p: block(p, TAKE_TURN, 2, terminator=Chance("number", "n", (num(1),), 1, 3)),
        "take_turn, block 2",
        "chance `number` has 1 arguments, not 2",
    ),
    "slot of chance": (
        lambda p: block(p, TAKE_TURN, 2, terminator=Chance("number", "n", (num(1), num(2)), 2, 3)),
        "take_turn, block 2",
        "the number drawn is `int`, not `piece:Card`",
    ),
    "decision out of range": (
        lambda p: block(p, TAKE_TURN, 3, terminator=Choose(2)),
        "take_turn, block 3",
        "decision 2 out of range",
    ),
    "decision of another procedure": (
        lambda p: block(p, TAKE_TURN, 3, terminator=Choose(1)),
        "take_turn, block 3",
        "asks a decision of procedure bid",
    ),
    "decision without items": (
        lambda p: decision(p, 0, items=()),
        "take_turn, block 3",
        "neither items nor `otherwise`",
    ),
    "asked anyway": (
        lambda p: decision(p, 0, ask="anyway"),
        "take_turn, block 3",
        "asks `anyway` of what there may be none",
    ),
    "asked when": (lambda p: decision(p, 0, ask="never"), "take_turn, block 3", "unknown word `never`"),
    "seat of a decision": (lambda p: decision(p, 0, seat=num(0)), "take_turn, block 3", "the seat asked is `int`"),
    "seats of a joint decision": (lambda p: decision(p, 1, seat=SEAT), "bid, block 0", "the seat asked is `seat`"),
    "result of a joint decision": (lambda p: decision(p, 1, result_slot=1), "bid, block 0", "what is collected"),
    "items of a joint decision": (
        lambda p: decision(p, 1, items=p.decisions[1].items * 2),
        "bid, block 0",
        "one item with one binder",
    ),
    "binder slot out of range": (lambda p: binder(p, 0, 0, slot=12), "take_turn, block 3", "slot 12 out of range"),
    "binder slot type": (
        lambda p: binder(p, 0, 0, slot=1),
        "take_turn, block 3",
        "binder `c` is `piece:Card`, not `int`",
    ),
    "binder set": (
        lambda p: binder(p, 0, 0, args=(e("players", "set<seat>"),)),
        "take_turn, block 3",
        "an argument of binder `c` is `set<seat>`",
    ),
    "binder kind": (lambda p: binder(p, 0, 0, kind="most"), "take_turn, block 3", "unknown kind `most`"),
    "binder arguments": (lambda p: binder(p, 0, 0, kind="number"), "take_turn, block 3", "has 1 arguments, not 2"),
    "guard type": (lambda p: item(p, 0, 2, guards=(Guard(num(1), "", 1),)), "take_turn, block 3", "a guard is `int`"),
    "guard that writes": (lambda p: item(p, 0, 2, guards=(LOOSE,)), "take_turn, block 3", "`deep` writes"),
    "guard kind": (
        lambda p: item(p, 0, 2, guards=(Guard(EMPTY, "", 1, kind="wish"),)),
        "take_turn, block 3",
        "unknown kind `wish`",
    ),
    "operands of a guard": (
        lambda p: item(p, 0, 2, guards=(Guard(EMPTY, "", 1, (SIZE,)),)),
        "take_turn, block 3",
        "a guard has 1 operands, its condition 2",
    ),
    "what an operand says": (
        lambda p: item(p, 0, 2, guards=(Guard(EMPTY, "", 1, (Operand("deck", "colour"), Operand())),)),
        "take_turn, block 3",
        "an operand says `colour`",
    ),
    "presence of a number": (
        lambda p: item(p, 0, 2, guards=(Guard(EMPTY, "", 1, (PRESENCE, Operand())),)),
        "take_turn, block 3",
        "the presence of an operand is of type int",
    ),
    "limit of what is no number": (
        lambda p: item(p, 0, 2, guards=(Guard(YES, "", 1, kind="limit", word="turn"),)),
        "take_turn, block 3",
        "a limit compares two numbers",
    ),
    "early guard on a binder": (lambda p: item(p, 0, 0, pre=(ON_BINDER,)), "take_turn, block 3", "before it is set"),
    "missing value": (lambda p: block(p, WORTH, 0, terminator=Return(None)), "worth, block 0", "returns no value"),
    "needless value": (lambda p: block(p, SETUP, 4, terminator=Return(num(1))), "setup, block 4", "returns a value"),
    "value type": (
        lambda p: block(p, WORTH, 0, terminator=Return(YES)),
        "worth, block 0",
        "the returned value is `bool`, not `int`",
    ),
    "called procedure": (
        lambda p: block(p, PLAY, 1, terminator=CallProc(9, (), -1, 2)),
        "play, block 1",
        "procedure 9 out of range",
    ),
    "arguments of a call": (
        lambda p: block(p, PLAY, 1, terminator=CallProc(TAKE_TURN, (), 1, 2)),
        "play, block 1",
        "takes 1 arguments, not 0",
    ),
    "slot of a call": (
        lambda p: block(p, PLAY, 1, terminator=CallProc(TAKE_TURN, (local(0, "seat"),), 0, 2)),
        "play, block 1",
        "the value of `take_turn` is `int`, not `seat`",
    ),
    "value of a call without": (
        lambda p: block(p, BID, 2, terminator=CallProc(BID, (), 2, 3)),
        "bid, block 2",
        "`bid` gives no value",
    ),
    "no blocks": (lambda p: procedure(p, WORTH, blocks=()), "worth", "no blocks"),
    "local names": (lambda p: procedure(p, WORTH, local_names=()), "worth", "do not agree"),
    "local types": (
        lambda p: procedure(p, WORTH, locals=(CARD, Type("piece:Robot"))),
        "worth",
        "unknown type `piece:Robot`",
    ),
    "read before set": (
        lambda p: block(p, PLAY, 0, statements=()),
        "play, block 1",
        "slot 0 (`p`) is read before it is set",
    ),
    "read before set on one path": (
        lambda p: block(p, TAKE_TURN, 0, terminator=Branch(YES, 1, 3), live=(0, 1, 5)),
        "take_turn, block 1",
        "slot 1 (`n`) is read before it is set on some path",
    ),
    "read within a block": (
        lambda p: first(p, PLAY, 0, s("eliminate", local(0, "seat"))),
        "play, block 0",
        "slot 0 (`p`) is read before it is set",
    ),
    "live": (lambda p: block(p, PLAY, 2, live=(0,)), "play, block 2", "`live` lacks slot 1 (`gain`)"),
    "live across a choice": (
        lambda p: block(p, TAKE_TURN, 3, live=(0, 1)),
        "take_turn, block 3",
        "`live` lacks slot 5 (`kept`)",
    ),
    "live out of range": (lambda p: block(p, WORTH, 0, live=(0, 2)), "worth, block 0", "slot 2 out of range"),
    "element in a slot that is needed": (
        lambda p: first(p, PLAY, 1, s("check", e("any", "bool", 0, e("players", "set<seat>"), YES), "")),
        "play, block 1",
        "slot 0 (`p`) is needed but used for the elements",
    ),
    "element slot of two sets": (
        lambda p: block(
            p, SCORE, 0, terminator=Return(e("sum", "int", 1, IN_HAND, e("sum", "int", 1, IN_HAND, num(1))))
        ),
        "score_coins, block 0",
        "slot 1 (`it`) is used for the elements of two sets at once",
    ),
    "binder in a slot that is needed": (
        lambda p: item(p, 0, 2, binders=(Binder("number", "k", 5, INT, (num(1), num(2))),)),
        "take_turn, block 3",
        "slot 5 (`kept`) is needed but filled by the decision",
    ),
    "element in the slot of a binder": (
        lambda p: item(p, 0, 0, guards=(Guard(e("any", "bool", 2, IN_HAND, YES), "", 1),)),
        "take_turn, block 3",
        "item `play_card` uses a binder's slot for the elements of a set",
    ),
    "two binders with one slot": (
        lambda p: item(p, 0, 0, binders=p.decisions[0].items[0].binders * 2),
        "take_turn, block 3",
        "item `play_card` has two binders with one slot",
    ),
    "asked if some can be chosen": (
        lambda p: decision(p, 0, ask="some"),
        "take_turn, block 3",
        "`some` takes one item with one binder",
    ),
    "chance among sets": (
        lambda p: block(
            p, TAKE_TURN, 2, terminator=Chance("element", "x", (e("list", "set<set<piece:Card>>", IN_HAND),), 2, 3)
        ),
        "take_turn, block 2",
        "chance draws from sets of single values",
    ),
    "claimed writes": (
        lambda p: procedure(p, DEEP, effects=Effects()),
        "deep",
        "`effects` lacks writing var:first",
    ),
    "claimed reads": (
        lambda p: procedure(p, SCORE, effects=Effects(("var:coins",))),
        "score_coins",
        "`effects` lacks reading zone:hand",
    ),
    "claimed to go on": (
        lambda p: procedure(p, PLAY, effects=replace(p.procedures[PLAY].effects, suspends=False, ends_game=False)),
        "play",
        "`effects` lacks waiting, ending the game",
    ),
    "recursion": (lambda p: procedure(p, DEEP, depth=0), "deep", "calls itself without a declared depth"),
    "recursion while waiting": (lambda p: procedure(p, BID, depth=0), "bid", "calls itself without a declared depth"),
}


@of_each(CONTROL)
def test_damaged_control(name: str) -> None:
    """Damage to blocks, decisions, the flow of values, effects and calls is refused at its place."""
    damage, where, message = CONTROL[name]
    with pytest.raises(IrError, match=re.escape(message)) as caught:
        verify(damage(good_program()))
    assert caught.value.where == f"procedure {where}"


COUNTED = e("var", "int", COINS, SEAT)

TABLES: dict[str, tuple[Callable[[Program], Program], str, str]] = {
    "version": (lambda p: replace(p, version=IR_VERSION + 1), "", "version"),
    "outcome": (lambda p: replace(p, outcome="won"), "", "unknown outcome `won`"),
    "start that reads": (row("variables", COINS, start=COUNTED), "variable coins", "depends on the state: var:coins"),
    "count that reads": (
        definition(count=e("size", "int", zone(DECK))),
        "piece red1",
        "depends on the state: zone:deck",
    ),
    "start that writes": (
        row("variables", COINS, start=e("call", "int", DEEP, num(1))),
        "variable coins",
        "depends on the state: var:first",
    ),
    "capacity that reads": (row("zones", DECK, capacity=COUNTED), "zone deck", "depends on the state"),
    "start type": (row("variables", COINS, start=YES), "variable coins", "the value is `bool`, not `int`"),
    "start index": (row("variables", COINS, start=local(1, "int")), "variable coins", "slot 1 out of range"),
    "count type": (definition(count=YES), "piece red1", "the value is `bool`, not `int`"),
    "start zone": (definition(start=num(1)), "piece red1", "the value is `int`, not `zone`"),
    "attribute": (definition(attributes=(num(1), num(1))), "piece red1", "the value is `int`, not `enum:Colour`"),
    "attributes": (definition(attributes=()), "piece red1", "the attributes are not those of its kind"),
    "variable type": (row("variables", COINS, type=Type("bag:Money")), "variable coins", "unknown type `bag:Money`"),
    "variable range": (row("variables", COINS, low=100), "variable coins", "the range is empty"),
    "visibility": (row("zones", HAND, visible="me"), "zone hand", "unknown visibility `me`"),
    "kind of zone": (row("zones", HAND, kind=1), "zone hand", "kind 1 out of range"),
    "refill": (row("zones", DECK, refill=4), "zone deck", "refill 4 out of range"),
    "active zone": (row("kinds", 0, active=(4,)), "kind Card", "zone 4 out of range"),
    "carried variable": (row("kinds", 0, variables=(1,)), "kind Card", "piece variable 1 out of range"),
    "default": (row("options", 0, default=2), "option deck", "default 2 is none of the values"),
    "values of a type": (row("enums", 0, values=("red",)), "type Colour", "has not one value each"),
    "cells": (row("grids", 0, places=((0, 0),) * 4), "grid Square", "one place each"),
    "cells that are there": (row("grids", 0, present=(num(1),)), "grid Square", "not every cell"),
    "setup": (lambda p: replace(p, setup=9), "setup", "procedure 9 out of range"),
    "play with parameters": (lambda p: replace(p, play=TAKE_TURN), "play", "takes arguments or returns"),
    "score out of range": (row("scores", 0, procedure=7), "score coins", "procedure 7 out of range"),
    "score of a piece": (row("scores", 0, piece="green"), "score coins", "unknown piece `green`"),
    "score of no party": (row("scores", 0, procedure=SETUP), "score coins", "no number for a party"),
    "score that waits": (row("scores", 0, procedure=TAKE_TURN), "score coins", "procedure take_turn changes the state"),
    "payoff that waits": (lambda p: replace(p, payoff=TAKE_TURN), "payoff", "procedure take_turn changes the state"),
    "winner": (lambda p: replace(p, winner=Ranking("best", SCORE)), "winner or tie", "unknown ranking `best`"),
    "tie": (lambda p: replace(p, ties=(Ranking("most", WORTH),)), "winner or tie", "no number for a party"),
}


@of_each(TABLES)
def test_damaged_tables(name: str) -> None:
    """Damage to tables and to the procedures that the program names is refused at its place."""
    damage, where, message = TABLES[name]
    with pytest.raises(IrError, match=re.escape(message)) as caught:
        verify(damage(good_program()))
    assert caught.value.where == where


def test_payoff_that_writes() -> None:
    """A payoff or score line may not write, not even through a call."""
    program = good_program()
    writes = s("set_var", COINS, num(3), local(0, "seat"))
    damaged = complete(replace(first(program, SCORE, 0, writes), payoff=SCORE, scores=(), ties=()))
    with pytest.raises(IrError, match="payoff: procedure score_coins changes the state: var:coins"):
        verify(damaged)


def test_good_program() -> None:
    """The good program passes; before it is completed it does not."""
    verify(good_program())
    with pytest.raises(IrError, match="`live` lacks"):
        verify(bare_program())


def test_mutual_recursion() -> None:
    """A circle of calls is fine if one of its procedures declares a depth."""
    program = good_program()
    callback = s("evaluate", e("call", "int", DEEP, num(1)))
    around = Block((callback,), Return(num(0)), (), 1)
    loop = replace(program.procedures[WORTH], name="loop", blocks=(around,))
    extended = replace(program, procedures=(*program.procedures, loop))
    card = e("first", CARD, IN_HAND)
    calls = Block((s("evaluate", e("call", "int", len(program.procedures), card)),), Return(num(0)), (), 1)
    circle = procedure(extended, DEEP, blocks=(calls,))
    verify(complete(circle))
    with pytest.raises(IrError, match="calls itself"):
        verify(complete(procedure(circle, DEEP, depth=0)))


def test_claims_that_a_value_is_there() -> None:
    """A node may give the present type of an optional value: the compiler has shown that it is there."""
    verify(complete(first(good_program(), PLAY, 0, s("eliminate", e("seat_of", "seat", num(1))))))


def test_comprehensions_in_tables() -> None:
    """Expressions of tables declare no locals; their comprehensions name slots of their own."""
    doubled = e("sum", "int", 1, e("numbers", "set<int>", num(1), num(3)), local(1, "int"))
    verify(row("variables", COINS, start=doubled)(good_program()))


def test_every_operation_is_typed() -> None:
    """Every operation of the table says all its types or has a check of its own."""
    table = EXPRESSIONS | STATEMENTS
    assert SPECIAL.keys() <= table.keys()
    assert [name for name, op in table.items() if not op.typed and name not in SPECIAL] == []
    assert [name for name, op in table.items() if op.binds and op.shape[0] != "slot"] == []
