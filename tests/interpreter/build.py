"""Small programs, written by hand for the tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rulelang.ir.complete import complete
from rulelang.ir.nodes import (
    Binder,
    Block,
    Decision,
    Effects,
    Expr,
    Guard,
    Item,
    Procedure,
    Return,
    Statement,
    Terminator,
)
from rulelang.ir.program import (
    DefinitionTable,
    EnumTable,
    GridTable,
    KindTable,
    Program,
    Ranking,
    Site,
    VariableTable,
    ZoneTable,
)
from rulelang.vocabulary.types import INT, ZONE, Type


def e(op: str, type_: str, *args: Any) -> Expr:
    return Expr(op, Type(type_), tuple(const(a) if isinstance(a, bool) else a for a in args))


def const(value: Any, type_: str = "int") -> Expr:
    return Expr("const", Type(type_), (int(value),))


def local(slot: int, type_: str = "int") -> Expr:
    return Expr("local", Type(type_), (slot,))


def var(number: int, *indices: Expr, type_: str = "int") -> Expr:
    return Expr("var", Type(type_), (number, *indices))


def zone(number: int, *indices: Expr) -> Expr:
    return Expr("zone", ZONE, (number, *indices))


def do(op: str, *args: Any) -> Statement:
    return Statement(op, tuple(args))


def block(*statements: Statement, then: Terminator) -> Block:
    return Block(tuple(statements), then)


def procedure(
    name: str, *blocks: Block, locals_: tuple[str, ...] = (), parameters: int = 0, returns: str = "void", depth: int = 0
) -> Procedure:
    names = tuple(f"l{n}" for n in range(len(locals_)))
    return Procedure(name, parameters, tuple(map(Type, locals_)), names, Type(returns), blocks, Effects(), depth)


def function(name: str, value: Expr, *parameters: str, more: tuple[str, ...] = ()) -> Procedure:
    """A pure procedure that returns a value."""
    return procedure(
        name,
        block(then=Return(value)),
        locals_=(*parameters, *more),
        parameters=len(parameters),
        returns=value.type,
    )


def each(name: str, slot: int, type_: str, source: Expr) -> Binder:
    return Binder("each", name, slot, Type(type_), (source,))


def some(name: str, slot: int, source: Expr, low: Expr, high: Expr) -> Binder:
    return Binder("some", name, slot, source.type, (source, low, high))


def numbered(name: str, slot: int, low: Expr, high: Expr) -> Binder:
    return Binder("number", name, slot, INT, (low, high))


def item(name: str, to: int, *binders: Binder, when: tuple[Expr, ...] = (), pre: tuple[Expr, ...] = ()) -> Item:
    def guards(conditions: tuple[Expr, ...]) -> tuple[Guard, ...]:
        return tuple(Guard(condition, condition.op, 0) for condition in conditions)

    return Item(name, binders, guards(when), to, 0, guards(pre))


def decision(in_procedure: int, seat: Expr, *items: Item, otherwise: int = -1, **more: Any) -> Decision:
    return Decision(in_procedure, "rule", seat, items, otherwise, **more)


def definition(
    id_: str, count: int | Expr, start: Expr, *attributes: Expr, per_player: bool = False
) -> DefinitionTable:
    amount = const(count) if isinstance(count, int) else count
    return DefinitionTable(id_, amount, start, attributes, per_player)


def kind(name: str, *definitions: DefinitionTable, identity: bool = False, **more: Any) -> KindTable:
    attributes = tuple((word, Type(type_)) for word, type_ in more.pop("attributes", ()))
    return KindTable(name, identity, attributes, definitions, **more)


def place(
    name: str, of_kind: int = 0, *index: str, pile: bool = False, visible: str = "all", capacity: Expr | None = None
) -> ZoneTable:
    return ZoneTable(name, of_kind, tuple(map(Type, index)), "pile" if pile else "bag", visible, capacity)


def variable(
    name: str, *index: str, type_: str = "int", low: int = 0, high: int = 99, start: Expr | int = 0, **more: Any
) -> VariableTable:
    first = const(start) if isinstance(start, int) else start
    return VariableTable(name, Type(type_), tuple(map(Type, index)), first, low, high, "all", **more)


def program(*procedures: Procedure, **tables: Any) -> Program:
    """A program with the procedures `setup`, `play` and others, in this order; effects and live slots are computed."""
    whole = Program(
        version=1,
        name="tiny",
        hash="00",
        players=tables.pop("players", (1, 2, 3, 4)),
        teams=tables.pop("teams", ()),
        automata=tables.pop("automata", ()),
        options=tables.pop("options", ()),
        enums=tables.pop("enums", ()),
        grids=tables.pop("grids", ()),
        kinds=tables.pop("kinds", ()),
        zones=tables.pop("zones", ()),
        variables=tables.pop("variables", ()),
        piece_variables=tables.pop("piece_variables", ()),
        procedures=procedures,
        decisions=tables.pop("decisions", ()),
        setup=0,
        play=1,
        scores=(),
        winner=Ranking("most", -2),
        ties=(),
        payoff=-1,
        sites=(Site("rule", "tiny.rule", 1, 1),),
        max_decisions=tables.pop("max_decisions", 1000),
        outcome=tables.pop("outcome", "drawn"),
        fuel=tables.pop("fuel", 10_000),
        depth=tables.pop("depth", 64),
        positions=tables.pop("positions", ()),
    )
    assert not tables, tables
    return complete(whole)


def nothing(name: str = "setup") -> Procedure:
    return procedure(name, block(then=Return(None)))


def resources(*names: str) -> EnumTable:
    return EnumTable("R", names)


def square(columns: int, rows: int, adjacency: str = "orthogonal") -> GridTable:
    cells = tuple(f"{'abcdefgh'[x]}{y + 1}" for y in range(rows) for x in range(columns))
    return GridTable("G", adjacency, cells, tuple((x, y) for y in range(rows) for x in range(columns)))


def with_limits(whole: Program, **limits: Any) -> Program:
    return replace(whole, **limits)


def shown(node: Expr | Statement) -> str:
    """An expression or statement in the form of printed programs, without types."""
    return f"({' '.join([node.op, *(shown(arg) if isinstance(arg, Expr) else str(arg) for arg in node.args)])})"
