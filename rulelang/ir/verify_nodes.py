"""Verifies single expressions and statements against the table of operations and the program's tables.

Enters: nodes with the types of the local slots around them. Leaves: nothing, or an `IrError` that says what is wrong.
Where a node gives the present type for what its operation leaves optional, the compiler claims that the value is there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import islice
from typing import Any, NoReturn

from rulelang.ir.errors import IrError, require
from rulelang.ir.nodes import Effects, Expr, Statement
from rulelang.ir.program import Program, VariableTable
from rulelang.ir.walk import index, operands, place_in
from rulelang.registry import registering
from rulelang.vocabulary.operations import EQUALITIES, EXPRESSIONS, LYING, STATEMENTS, Op
from rulelang.vocabulary.types import (
    ABSENT_NUMBER,
    ANY,
    BOOL,
    INT,
    VOID,
    ZONE,
    Type,
    bind,
    comparable,
    fill,
    fits,
    well_formed,
)

WORDS = {"scope": ("turn", "round", "phase"), "end": ("top", "bottom")}
"""Sort of immediate -> the words that may stand there."""
TYPING = {("slot",), ("grid",), ("kind",)}
"""What operations begin with whose types follow from more than those of their operands."""
DIRECTIONS = 8
OF_ZONE = {"move": 1} | dict.fromkeys(LYING, 0)
SPECIAL: dict[str, Callable[[NodeVerifier, Any], None]] = {}
"""Operation whose types follow from the program's tables, or that asks more than types -> what checks it."""
special = registering(SPECIAL)
Sorts = tuple[tuple[str, type], ...]


@cache
def _sorts(shape: tuple[str, ...]) -> tuple[Sorts, Sorts]:
    """Return the sorts of an operation's arguments, each with its class: the fixed ones, that which is repeated."""
    names = [(part, part.removesuffix("*")) for part in shape]
    classes: dict[str, type] = {"e": Expr, **dict.fromkeys(("str", *WORDS), str)}
    sorts = [(part != name, (name, classes.get(name, int))) for part, name in names]
    return tuple(sort for many, sort in sorts if not many), tuple(sort for many, sort in sorts if many)


class NodeVerifier:
    """Checks nodes of one program.

    `where` is the place that errors name; `effects` are the computed effects of the procedures; `locals` gives the
    slots' types. With `open_slots` (expressions of tables, which declare no locals) the slot of a binding operation
    takes the type of the set's elements.
    """

    def __init__(self, program: Program, effects: Sequence[Effects]) -> None:
        self.program = program
        self.effects = effects
        self.where = ""
        self.locals: dict[int, Type] = {}
        self.open_slots = self.temporaries = False
        enums = {enum.name: enum for enum in program.enums}
        words = {option.name for option in program.options if option.words}
        self.enums = enums
        self.kinds = {kind.name: kind for kind in program.kinds}
        self.names = {
            "enum": enums.keys() | words,
            "cell": {grid.name: grid for grid in program.grids},
            "piece": self.kinds,
            **dict.fromkeys(("bag", "purse", "payment", "cost"), enums),
        }
        self.tables: dict[str, int] = {
            "var": len(program.variables),
            "pvar": len(program.piece_variables),
            "zone": len(program.zones),
            "proc": len(program.procedures),
            "enum": len(program.enums),
            "grid": len(program.grids),
            "option": len(program.options),
            "kind": len(program.kinds),
            "automaton": len(program.automata),
            "until": len(program.untils),
        }
        self.known_types: set[str] = set()
        self.fitting: set[tuple[str, ...]] = set()  # operations with types of results and operands that fit

    def fail(self, message: str) -> NoReturn:
        """Raise the IrError at the present place."""
        raise IrError(message, where=self.where)

    def require(self, condition: object, message: str) -> None:
        """Raise the error at the present place unless a condition holds."""
        require(condition, message, self.where)

    # types and places

    def known_type(self, type_: Type) -> None:
        """Require that a type means something in this program."""
        if type_ not in self.known_types:
            self.require(well_formed(type_, self.names), f"unknown type `{type_}`")
            self.known_types.add(type_)

    def known_site(self, site: int) -> None:
        """Require that a site is in the program's table (0 is always allowed)."""
        if site and not 0 <= site < len(self.program.sites):
            self.fail(f"site {site} out of range")

    def known_slot(self, slot: int) -> Type:
        """Return the type of a local slot."""
        self.require(slot in self.locals, f"slot {slot} out of range")
        return self.locals[slot]

    def expect(self, what: str, actual: Type, *patterns: Type) -> None:
        """Require that a value's type fits one of the given types."""
        if not any(fits(actual, pattern) for pattern in patterns):
            self.fail(f"{what} is `{actual}`, not `{'` or `'.join(patterns)}`")

    def value(self, what: str, expr: Expr, *types: Type) -> None:
        """Check an expression whose value must fit one of the types."""
        self.expression(expr)
        self.expect(what, expr.type, *types)

    def has_values(self, type_: Type) -> bool:
        """Return whether a type has a value, as far as the program's tables say."""
        enum = self.enums.get(type_.name) if type_.kind == "enum" else None
        return enum is None or bool(enum.values or enum.between)

    # nodes

    def expression(self, expr: Expr) -> None:
        """Check an expression and all below it."""
        op = EXPRESSIONS.get(expr.op)
        if op is None:
            self.fail(f"unknown operation `{expr.op}`")
        self.known_type(expr.type)
        self._node(expr, op)

    def statement(self, statement: Statement) -> None:
        """Check a statement and its expressions."""
        op = STATEMENTS.get(statement.op)
        if op is None:
            self.fail(f"unknown operation `{statement.op}`")
        self._node(statement, op)

    def _node(self, node: Expr | Statement, op: Op) -> None:
        """Check an operation: its shape, its operands, the local that it binds, its types."""
        self.known_site(node.site)
        self._shape(node, op)
        parts = operands(node)
        if op.shape[0:1] == ("slot",) and len(op.shape) == 3:
            self.expression(parts[0])
            slot, bound = index(node), parts[0].type
            if self.open_slots or (self.temporaries and slot not in self.locals):
                self.locals[slot] = bound if node.op == "let" else bound.element
            self.known_slot(slot)
            self.expression(parts[1])
        else:
            for operand in parts:
                self.expression(operand)
        if op.typed:
            types = node.op, node.type if isinstance(node, Expr) else VOID, *(part.type for part in parts)
            if types not in self.fitting:
                self._signature(node, op, parts)
                if op.shape[:1] not in TYPING:
                    self.fitting.add(types)
        if node.op in SPECIAL:
            SPECIAL[node.op](self, node)
        if node.op in OF_ZONE:
            self._kind_of_zone(node, parts)

    def _shape(self, node: Expr | Statement, op: Op) -> None:
        """Check that the arguments are as many, and of such a sort, as the operation takes."""
        fixed, repeated = _sorts(op.shape)
        if len(node.args) < len(fixed) or (not repeated and len(node.args) > len(fixed)):
            self.fail(f"`{node.op}` has {len(node.args)} arguments, not {len(fixed)}{' or more' if repeated else ''}")
        for position, arg in enumerate(node.args):
            part, class_ = fixed[position] if position < len(fixed) else repeated[0]
            if not isinstance(arg, class_):
                self.fail(f"argument {position + 1} of `{node.op}` is no {part if part != 'e' else 'expression'}")
            if part in self.tables and isinstance(arg, int) and not 0 <= arg < self.tables[part]:
                self.fail(f"`{node.op}`: {part} {arg} out of range")
            if part in WORDS and arg not in WORDS[part]:
                self.fail(f"`{node.op}`: unknown word `{arg}`")

    def _signature(self, node: Expr | Statement, op: Op, parts: list[Expr]) -> None:
        """Check the types of operands and result against the operation's signature."""
        result = node.type if isinstance(node, Expr) else VOID
        bindings: dict[str, str] = {}
        for position, part in enumerate(op.shape):
            if part == "grid":
                bindings["G"] = self.program.grids[index(node, position)].name
            elif part == "kind":
                bindings["K"] = self.program.kinds[index(node, position)].name
        bind(op.result, result, bindings)
        alternatives = list(op.operands)
        if "e*" in op.shape:
            alternatives += alternatives[-1:] * (len(parts) - len(alternatives))
        for patterns, operand in zip(alternatives, parts, strict=False):
            for pattern in patterns:
                bind(pattern, operand.type, bindings)
        for number, (patterns, operand) in enumerate(zip(alternatives, parts, strict=False), 1):
            filled = [fill(pattern, bindings) for pattern in patterns]
            if operand.type not in filled:
                self.expect(f"operand {number} of `{node.op}`", operand.type, *filled)
        if op.binds:
            element = Type(bindings.get(op.binds, ANY))
            self.expect(f"an element of `{node.op}`", element, self.known_slot(index(node)))
        self.result(node, fill(op.result, bindings), result)
        if op.compares:
            self._comparison(node.op, parts)

    def result(self, node: Expr | Statement, type_: Type, claimed: Type) -> None:
        """Require that the result of an operation fits the node's type; a node may claim that an optional value is
        present."""
        if not fits(type_, claimed) and not (type_.kind == "opt" and fits(type_.present, claimed)):
            self.fail(f"`{node.op}` gives `{type_}`, not `{claimed}`")

    def _comparison(self, op: str, parts: list[Expr]) -> None:
        """Check that the operands of a comparison can be compared, and ordered ones are scalars."""
        left, right = (operand.type for operand in parts)
        if op == "member":
            right = right.element
        self.require(comparable(left, right), f"`{op}` compares `{left}` with `{right}`")
        if op in EQUALITIES and not left.scalar:
            self.fail(f"`{op}` compares values of type `{left}`, which are no scalars")

    def _kind_of_zone(self, node: Expr | Statement, parts: list[Expr]) -> None:
        """Check that an operation on a zone is typed by the kind of pieces that the zone holds."""
        place = parts[OF_ZONE[node.op]]
        if place.op != "zone":
            return
        kind_name = self.program.kinds[self.program.zones[index(place)].kind].name
        kind = (node.type if isinstance(node, Expr) else parts[0].type).core
        if kind != f"piece:{kind_name}":
            self.fail(f"`{node.op}`: zone `{self.program.zones[index(place)].name}` holds `{kind_name}`, not `{kind}`")

    # operations typed by the program's tables

    @special("const")
    def _const(self, node: Expr) -> None:
        """Check that a constant is a value of its type, or stands for absence."""
        value, type_ = index(node), node.type.present
        if not type_.scalar and not (node.type.kind == "opt" and value == node.type.absent):
            self.fail(f"a constant has the type `{node.type}`, which is no scalar")
        absent = value == -1 and (type_ != node.type or type_ == "seat")
        limit = {"bool": 2, "dir": DIRECTIONS}.get(type_)
        if type_.kind == "enum" and type_.name in self.enums and not self.enums[type_.name].between:
            limit = len(self.enums[type_.name].values)
        elif type_.kind == "cell":
            limit = next(len(grid.cells) for grid in self.program.grids if grid.name == type_.name)
        if not absent and limit is not None and not 0 <= value < limit:
            self.fail(f"constant {value} is no value of `{node.type}`")

    @special("local")
    def _local(self, node: Expr) -> None:
        self.result(node, self.known_slot(index(node)), node.type)

    @special("set")
    def _set(self, node: Statement) -> None:
        slot = index(node)
        self.expect(f"what slot {slot} is set to", operands(node)[0].type, self.known_slot(slot))

    @special("option")
    def _option(self, node: Expr) -> None:
        self.expect("an option", node.type, INT, self.program.options[index(node)].type)

    def _indices(self, name: str, types: tuple[Type, ...], parts: list[Expr]) -> None:
        self.require(len(parts) == len(types), f"`{name}` has {len(types)} indices, not {len(parts)}")
        for operand, type_ in zip(parts, types, strict=True):
            self.expect(f"an index of `{name}`", operand.type, type_)

    @special("zone", "family")
    def _zone(self, node: Expr) -> None:
        """Check the indices and the type of a zone, or of the pieces of several of its instances."""
        zone = self.program.zones[index(node)]
        parts = operands(node)
        if node.op == "zone":
            self._indices(zone.name, zone.index, parts)
            self.result(node, ZONE, node.type)
        else:
            self._indices(zone.name, zone.index[: len(parts)], parts)
            self.result(node, Type(f"set<piece:{self.program.kinds[zone.kind].name}>"), node.type)

    @special("var", "purse", "set_var")
    def _variable(self, node: Expr | Statement) -> None:
        """Check the indices of a variable, and the type that is read, written or paid from."""
        variable = self.program.variables[index(node)]
        parts = operands(node)
        self._indices(variable.name, variable.index, parts[1:] if node.op == "set_var" else parts)
        if node.op == "set_var":
            self.expect(f"what `{variable.name}` is set to", parts[0].type, *_types_of(variable))
        elif isinstance(node, Expr) and node.op == "purse":
            self.result(node, _purse_of(variable), node.type)
        elif isinstance(node, Expr):
            self._variable_type(node, variable)

    def _variable_type(self, node: Expr, variable: VariableTable) -> None:
        if not (variable.mark and node.type in _types_of(variable)):
            self.result(node, variable.type, node.type)

    @special("reveal")
    def _reveal(self, node: Statement) -> None:
        """Check the index of the zone or variable that a value lies in."""
        value, _, *indices = operands(node)
        place = place_in(value)
        if place is not None and indices:
            table = self.program.zones if place.op == "zone" else self.program.variables
            self._indices(table[index(place)].name, table[index(place)].index, indices)

    @special("seen", "remember", "forget")
    def _position(self, node: Expr | Statement) -> None:
        """Check that a variable keeps a position, and the types of the parts that are worked out."""
        name = self.program.variables[index(node)].name
        types = next((table.types for table in self.program.positions if table.variable == index(node)), None)
        if types is None:
            self.fail(f"`{name}` keeps no position")
        parts = operands(node)
        if node.op != "forget":
            self.require(len(parts) == len(types), f"`{node.op}` takes {len(types)} values, not {len(parts)}")
        for part, type_ in zip(parts, types, strict=False):
            self.expect(f"a part of the position in `{name}`", part.type, type_)

    @special("pvar", "set_pvar", "purses_of")
    def _piece_variable(self, node: Expr | Statement) -> None:
        """Check that the piece carries the variable, and the type of the result or of the new value."""
        number = index(node)
        variable = self.program.piece_variables[number]
        parts = operands(node)
        kinds = [Type(f"piece:{kind.name}") for kind in self.program.kinds if number in kind.variables]
        if isinstance(node, Expr) and node.op == "purses_of":
            self.expect(f"who carries `{variable.name}`", parts[0].type.element, *kinds)
            self.result(node, Type(f"set<{_purse_of(variable)}>"), node.type)
            return
        self.expect(f"who carries `{variable.name}`", parts[0].type, *kinds)
        if node.op == "set_pvar":
            self.expect(f"what `{variable.name}` is set to", parts[1].type, *_types_of(variable))
        elif isinstance(node, Expr):
            self._variable_type(node, variable)

    @special("cast")
    def _cast(self, node: Expr) -> None:
        """Check that a cast changes scalars alone, or the absence of a value."""
        operand_type = operands(node)[0].type
        for type_ in (node.type, operand_type) if node.type != operand_type.present else ():
            self.require(type_.scalar or type_.kind == "seats", f"`cast` of `{type_}`, which is no scalar")

    @special("attr", "eattr", "gattr")
    def _attribute(self, node: Expr) -> None:
        """Check an attribute of a piece, a value of an enum or a cell: its owner, number and type."""
        tables: dict[str, tuple[str, Sequence[Any]]] = {"attr": ("piece", self.program.kinds)}
        tables |= {"eattr": ("enum", self.program.enums), "gattr": ("cell", self.program.grids)}
        kind, table = tables[node.op]
        row, number = table[index(node)], index(node, 1)
        owner, types = Type(f"{kind}:{row.name}"), [type_ for _, type_, *_ in row.attributes]
        self.expect(f"operand of `{node.op}`", operands(node)[0].type, owner)
        self.require(0 <= number < len(types), f"`{node.op}`: `{owner}` has no attribute {number}")
        self.result(node, types[number], node.type)

    @special("domain")
    def _domain(self, node: Expr) -> None:
        """Check that the set of all values is that of a type with finitely many."""
        type_ = Type(str(node.args[0]))
        self.known_type(type_)
        if type_ not in ("seat", "dir", "bool") and type_.kind not in ("enum", "cell"):
            self.fail(f"`domain` of `{type_}`, which is not closed")
        self.result(node, Type(f"set<{type_}>"), node.type)

    @special("call", "possible")
    def _call(self, node: Expr) -> None:
        """Check the arguments of a call, which must not wait, or of a lookahead, whose condition is pure."""
        number = index(node)
        parts = operands(node)
        if node.op == "possible":
            self.expect("the condition of `possible`", parts[0].type, BOOL)
            self.result(node, BOOL, node.type)
            self.pure(parts[0])
            self.arguments(number, parts[1:])
            return
        if self.effects[number].suspends:
            self.fail(f"`call` of `{self.program.procedures[number].name}`, which may wait")
        self.arguments(number, parts)
        self.result(node, self.program.procedures[number].returns, node.type)

    def arguments(self, number: int, parts: Sequence[Expr]) -> None:
        """Require that the arguments of a call fit the parameters of the procedure."""
        callee = self.program.procedures[number]
        if len(parts) != callee.parameters:
            self.fail(f"`{callee.name}` takes {callee.parameters} arguments, not {len(parts)}")
        for operand, type_ in zip(parts, islice(callee.locals, callee.parameters), strict=True):
            self.expect(f"an argument of `{callee.name}`", operand.type, type_)

    def pure(self, expr: Expr) -> None:
        """Require that an expression may be read any number of times: no call in it writes or ends the game."""
        if expr.op == "call":
            number = index(expr)
            effects = self.effects[number]
            if effects.writes or effects.ends_game:
                self.fail(f"`{self.program.procedures[number].name}` writes, where values are only looked at")
        for child in operands(expr):
            self.pure(child)

    @special("bag", "bag_get", "bag_one", "wild")
    def _resource(self, node: Expr) -> None:
        """Check that resources are numbered as their type has them."""
        parts = operands(node)
        type_ = parts[0].type if node.op == "bag_get" else node.type
        size = len(self.enums[type_.core.name].values)
        self.require(node.op != "bag" or len(parts) == size, f"`bag` has {len(parts)} counts, not {size}")
        self.require(node.op != "bag_get" or 0 <= index(node, 1) < size, f"resource {index(node, 1)} out of range")
        if node.op in ("bag_one", "wild") and index(node) != size:
            self.fail(f"`{node.op}` is for {index(node)} resources, not {size}")

    @special("lookup")
    def _lookup(self, node: Expr) -> None:
        at, *pairs = operands(node)
        self.expect("what is looked up", at.type, INT)
        if len(pairs) % 2 or any((key.op, key.type) != ("const", INT) for key in pairs[::2]):
            self.fail("`lookup` takes a number and pairs of a constant key and a value")
        for value in pairs[1::2]:
            self.expect("a value of `lookup`", value.type, node.type)
        if node.type != INT and (not pairs or pairs[0].args != (ABSENT_NUMBER,)):
            self.fail("`lookup` of other values than numbers begins with the least number")

    @special("sum")
    def _sum(self, node: Expr) -> None:
        self.expect("a sum", node.type, INT, Type("bag:?"), Type("cost:?"))

    @special("is_def", "active")
    def _definitions(self, node: Expr) -> None:
        """Check that an operation names rows that its kind of pieces has."""
        if node.op == "active":
            kind = self.program.kinds[index(node)]
        else:
            kind = self.kinds[operands(node)[0].type.core.name]
        for number in node.args[1:]:
            if not isinstance(number, int) or not 0 <= number < len(kind.definitions):
                self.fail(f"`{node.op}`: kind `{kind.name}` has no definition {number}")


def _purse_of(variable: VariableTable) -> Type:
    """Return the type of a purse that is this variable; no type if it holds no bag."""
    return Type(f"purse:{variable.type.name}" if variable.type.kind == "bag" else "no purse")


def _types_of(variable: VariableTable) -> tuple[Type, ...]:
    """Return the types that may stand for a variable's value: a mark is a truth value stored as a code."""
    return (INT, BOOL) if variable.mark else (variable.type,)
