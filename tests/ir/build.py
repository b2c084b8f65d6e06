"""A small program written by hand, with every kind of table and terminator, and short names for its nodes.

A toy game: cards of two colours in a deck, a hand per seat; in a turn a seat draws, then plays,
buys or passes.
"""

from __future__ import annotations

from rulelang.ir.complete import complete
from rulelang.ir.nodes import (
    Binder,
    Block,
    Branch,
    CallProc,
    Chance,
    Choose,
    Decision,
    Effects,
    End,
    Expr,
    Guard,
    Item,
    Jump,
    Operand,
    Procedure,
    Return,
    Statement,
)
from rulelang.ir.program import (
    IR_VERSION,
    AutomatonTable,
    DefinitionTable,
    EnumTable,
    GridTable,
    KindTable,
    OptionTable,
    Program,
    Ranking,
    ScoreTable,
    Site,
    VariableTable,
    ZoneTable,
)
from rulelang.vocabulary.types import BOOL, INT, SEAT, Type

COLOUR, PART = Type("enum:Colour"), Type("enum:Part")
CARD, CARDS = Type("piece:Card"), Type("set<piece:Card>")
DECK, HAND, PILE, TABLE = range(4)
COINS, SHED, FIRST, FROZEN = range(4)
SETUP, PLAY, TAKE_TURN, WORTH, SCORE, DEEP, BID = range(7)


def e(op: str, type_: str, *args: Expr | int | str, site: int = 1) -> Expr:
    return Expr(op, Type(type_), args, site)


def s(op: str, *args: Expr | int | str, site: int = 1) -> Statement:
    return Statement(op, args, site)


def num(value: int, type_: str = "int") -> Expr:
    return e("const", type_, value)


def local(slot: int, type_: str) -> Expr:
    return e("local", type_, slot)


def zone(number: int, *index: Expr) -> Expr:
    return e("zone", "zone", number, *index)


def proc(
    name: str,
    parameters: dict[str, str],
    others: dict[str, str],
    blocks: list[Block],
    returns: str = "void",
    depth: int = 0,
) -> Procedure:
    slots = parameters | others
    types = tuple(map(Type, slots.values()))
    return Procedure(name, len(parameters), types, tuple(slots), Type(returns), tuple(blocks), Effects(), depth, 1)


def block(terminator: object, *statements: Statement) -> Block:
    return Block(statements, terminator, (), 1)  # type: ignore[arg-type]


def _setup() -> Procedure:
    p = local(0, "seat")
    return proc(
        "setup",
        {},
        {"p": "seat", "left": "set<seat>"},
        [
            block(Jump(1), s("shuffle", zone(DECK)), s("set", 1, e("players", "set<seat>"))),
            block(Branch(e("eq", "bool", e("count", "int", local(1, "set<seat>")), num(0)), 4, 2)),
            block(Jump(3), s("set", 0, e("first", "seat", local(1, "set<seat>")))),
            block(
                Jump(1),
                s("move_slots", zone(DECK), num(2), zone(HAND, p), "top", 1),
                s("set", 1, e("difference", "set<seat>", local(1, "set<seat>"), e("list", "set<seat>", p))),
            ),
            block(Return(None)),
        ],
    )


def _play() -> Procedure:
    seat = local(0, "seat")
    return proc(
        "play",
        {},
        {"p": "seat", "gain": "int"},
        [
            block(Jump(1), s("set", 0, e("var", "seat", FIRST))),
            block(CallProc(TAKE_TURN, (seat,), 1, 2, 2), s("begin", "turn", seat)),
            block(
                Branch(e("deferred", "bool", "turn"), 3, 1),
                s("set_var", COINS, e("add", "int", e("var", "int", COINS, seat), local(1, "int")), seat),
                s("set", 0, e("next_player", "seat", seat)),
                s("evaluate", e("call", "int", DEEP, num(3))),
            ),
            block(End()),
        ],
    )


def _take_turn() -> Procedure:
    you = local(0, "seat")
    return proc(
        "take_turn",
        {"you": "seat"},
        {"n": "int", "c": CARD, "it": CARD, "pay": "payment:Part", "kept": "int"},
        [
            block(Chance("number", "n", (num(1), num(6)), 1, 1, 2)),
            block(Branch(e("gt", "bool", local(1, "int"), num(4)), 2, 3), s("set", 5, local(1, "int"))),
            block(Chance("expose", "draw", (zone(DECK), num(0)), -1, 3, 2)),
            block(Choose(0)),
            block(
                Return(e("call", "int", WORTH, local(2, CARD))),
                s("move", local(2, CARD), zone(PILE, e("attr", COLOUR, 0, 0, local(2, CARD))), "top", 0),
            ),
            block(
                Return(local(5, "int")),
                s("spend", local(4, "payment:Part"), e("purse", "purse:Part", SHED, you)),
                s("set_pvar", 0, e("first", CARD, e("pieces", CARDS, zone(TABLE, num(3, "cell:Square")))), num(1)),
            ),
            block(Return(num(0)), s("defer", "turn")),
        ],
        "int",
    )


def _ask() -> Decision:
    you, it = local(0, "seat"), local(3, CARD)
    purse = e("purse", "purse:Part", SHED, you)
    cost = e("cost", "cost:Part", e("bag", "bag:Part", num(1), num(0)))
    hand = e("pieces", CARDS, zone(HAND, you))
    bright = e("eq", "bool", e("attr", COLOUR, 0, 0, it), num(0, COLOUR))
    return Decision(
        TAKE_TURN,
        "take_turn",
        you,
        (
            Item(
                "play_card",
                (Binder("each", "c", 2, CARD, (e("filter", CARDS, 3, hand, bright),)),),
                (Guard(e("gt", "bool", local(1, "int"), num(1)), "n > 1", 2, (Operand("n", "value"), Operand())),),
                4,
                2,
            ),
            Item(
                "buy",
                (Binder("each", "pay", 4, Type("payment:Part"), (e("payments", "set<payment:Part>", cost, purse),)),),
                (),
                5,
                2,
                (Guard(e("can_pay", "bool", cost, purse), "can pay 1 nut from shed", 2),),
            ),
            Item("pass", (), (), 6, 2),
        ),
        -1,
        site=2,
    )


def _bid() -> Procedure:
    party = local(3, "seat")
    return proc(
        "bid",
        {},
        {"bids": "seats<int>", "you": "seat", "x": "int", "p": "seat"},
        [
            block(Choose(1)),
            block(
                Branch(
                    e("any", "bool", 3, e("players", "set<seat>"), e("gt", "bool", _bid_of(party), num(3))),
                    2,
                    3,
                )
            ),
            block(CallProc(BID, (), -1, 3, 2)),
            block(Return(None)),
        ],
        depth=2,
    )


def _bid_of(party: Expr) -> Expr:
    return e("get_seat", "int", local(0, "seats<int>"), party)


def _ask_bid() -> Decision:
    return Decision(
        BID,
        "bid",
        e("players", "set<seat>"),
        (Item("bid", (Binder("number", "x", 2, INT, (num(0), e("var", INT, COINS, local(1, SEAT)))),), (), 1, 2),),
        -1,
        together=True,
        secret=True,
        you_slot=1,
        result_slot=0,
        site=2,
    )


def _worth() -> Procedure:
    return proc(
        "worth",
        {"c": CARD},
        {"it": CARD},
        [block(Return(e("mul", "int", e("attr", "int", 0, 1, local(0, CARD)), num(2))))],
        "int",
    )


def _score() -> Procedure:
    return proc(
        "score_coins",
        {"you": "seat"},
        {"it": CARD},
        [
            block(
                Return(
                    e(
                        "add",
                        "int",
                        e("var", "int", COINS, local(0, "seat")),
                        e(
                            "sum",
                            "int",
                            1,
                            e("pieces", CARDS, zone(HAND, local(0, "seat"))),
                            e("call", "int", WORTH, local(1, CARD)),
                        ),
                    )
                )
            )
        ],
        "int",
    )


def _deep() -> Procedure:
    n = local(0, "int")
    return proc(
        "deep",
        {"n": "int"},
        {},
        [
            block(Branch(e("le", "bool", n, num(0)), 1, 2)),
            block(Return(num(0)), s("set_var", FIRST, num(0, "seat"))),
            block(Return(e("call", "int", DEEP, e("sub", "int", n, num(1))))),
        ],
        "int",
        depth=4,
    )


def bare_program() -> Program:
    """The good program before `live` and `effects` are filled in."""
    return Program(
        IR_VERSION,
        "tiny",
        "0123",
        (2, 3),
        ((2, ((0,), (1,))),),
        (AutomatonTable("machine", (2,)),),
        (OptionTable("deck", INT, (8, 10), (), 8), OptionTable("hard", BOOL, (0, 1), (), 0)),
        (
            EnumTable("Colour", ("red", "blue"), (("worth", INT, (num(2), num(1))),)),
            EnumTable("Part", ("nut", "oil")),
            EnumTable("Side", (), (), ((2, ((0, 1),)), (3, ((0, 1), (1, 2), (2, 0))))),
        ),
        (
            GridTable(
                "Square",
                "all",
                ("a1", "b1", "a2", "b2"),
                ((0, 0), (1, 0), (0, 1), (1, 1)),
                (("land", BOOL, (num(1, BOOL),) * 4),),
                (num(1, BOOL),) * 4,
            ),
        ),
        (
            KindTable(
                "Card",
                True,
                (("colour", COLOUR), ("value", INT)),
                (
                    DefinitionTable("red1", e("option", "int", 0), zone(DECK), (num(0, COLOUR), num(1)), site=1),
                    DefinitionTable("blue2", num(3), zone(DECK), (num(1, COLOUR), num(2)), site=1),
                    DefinitionTable("own", num(1), zone(HAND, local(0, "seat")), (num(-1, COLOUR), num(0)), True, 1),
                ),
                (0,),
                (TABLE,),
            ),
        ),
        (
            ZoneTable("deck", 0, (), "pile", "count", None, -1, 1),
            ZoneTable("hand", 0, (SEAT,), "bag", "owner", None, -1, 1),
            ZoneTable("pile", 0, (COLOUR,), "pile", "all", None, -1, 1),
            ZoneTable("table", 0, (Type("cell:Square"),), "bag", "all", num(1), -1, 1),
        ),
        (
            VariableTable("coins", INT, (SEAT,), num(5), 0, 99, "all", site=1),
            VariableTable("shed", Type("bag:Part"), (SEAT,), e("bag", "bag:Part", num(1), num(2)), 0, 9, "all", site=1),
            VariableTable("first", SEAT, (), num(0, SEAT), 0, 9, "all", site=1),
            VariableTable("frozen", BOOL, (SEAT,), num(0, BOOL), 0, 99, "all", False, True, 1),
        ),
        (VariableTable("charge", INT, (), num(0), 0, 3, "all", site=1),),
        (_setup(), _play(), _take_turn(), _worth(), _score(), _deep(), _bid()),
        (_ask(), _ask_bid()),
        SETUP,
        PLAY,
        (ScoreTable("coins", SCORE, 1),),
        Ranking("most", -2),
        (Ranking("most", SCORE), Ranking("shared", -1)),
        -1,
        (
            Site("", "", 0, 0),
            Site("setup", "tiny/tiny.rule", 3, 1, ("tiny-en:3-3",)),
            Site("take_turn", 'tiny/"odd" name.rule', 8, 3, (), "red1"),
        ),
        1000,
        "drawn",
        100000,
        64,
        ("turn",),
        {"en": "Tiny", "fr": "Très petit\n"},
    )


def good_program() -> Program:
    """The good program, complete; it verifies."""
    return complete(bare_program())
