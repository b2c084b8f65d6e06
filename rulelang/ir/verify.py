"""The verifier: every program is checked before anything runs it.

Enters: a `Program`. Leaves: nothing, or an `IrError` that names the place (table, or procedure and block)
and what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from graphlib import CycleError, TopologicalSorter

from rulelang.ir import nodes
from rulelang.ir.effects import effects_of, expression_effects
from rulelang.ir.errors import IrError, require
from rulelang.ir.nodes import Block, Decision, Expr, Guard, Item
from rulelang.ir.program import IR_VERSION, Program
from rulelang.ir.shown import shown_parts
from rulelang.ir.verify_flow import FlowVerifier
from rulelang.ir.verify_nodes import NodeVerifier
from rulelang.ir.walk import callees, index
from rulelang.vocabulary.operations import CHANCE, GIVING
from rulelang.vocabulary.orders import ORDERS
from rulelang.vocabulary.types import ANY, BOOL, INT, SEAT, SEATS, ZONE, Type, bind, fill, fits
from rulelang.vocabulary.views import SIZES, VIEWS

ASK = ("author", "some", "engine", "anyway")
GUARDS = ("condition", "limit", "active")
SAYS = ("value", "size", "presence", "nothing")
SAID_OF = {"size": "int", "presence": "bool"}
OUTCOMES = ("drawn", "scores")
RANKINGS = ("most", "fewest", "shared", "all")
TABLES = [field.name for field in fields(Program) if field.name not in ("hash", "sites", "procedures", "decisions")]
"""Fields of a program that are tables of what the game consists of."""


def verify(
    program: Program, temporaries: bool = False, verified: Program | None = None, completed: bool = False
) -> None:
    """Raise IrError if the program is damaged; a program that passes can be bound and run.

    Args:
        temporaries: whether expressions may bind slots that their procedure does not declare, as after passes.
        verified: a program that passed: if its procedures are the first ones here they are not looked through again,
            nor are tables that are the same (25 of the 90 ms of LDD).
        completed: whether the effects of its procedures are those that `complete` has worked out of it.
    """
    if program.version != IR_VERSION:
        raise IrError(f"the program is of version {program.version}, this engine runs version {IR_VERSION}")
    _references(program)
    known = verified.procedures if verified is not None else ()
    known = known if program.procedures[: len(known)] == known else ()
    same_tables = bool(known) and all(getattr(program, name) == getattr(verified, name) for name in TABLES)
    stated = tuple(procedure.effects for procedure in program.procedures)
    effects = stated if completed else effects_of(program, stated[: len(known)])
    checker = NodeVerifier(program, effects)
    checker.temporaries = temporaries
    tables = _Tables(program, checker)
    if not same_tables:
        tables.verify()
    tables.levels(len(known))
    _Code(program, checker).verify(len(known))
    _recursion(program, len(known))
    for procedure, computed in zip(program.procedures, effects, strict=True):
        claimed = procedure.effects
        missing = [f"reading {name}" for name in computed.reads if name not in claimed.reads]
        missing += [f"writing {name}" for name in computed.writes if name not in claimed.writes]
        missing += ["waiting"] if computed.suspends and not claimed.suspends else []
        missing += ["ending the game"] if computed.ends_game and not claimed.ends_game else []
        require(not missing, f"`effects` lacks {', '.join(missing)}", f"procedure {procedure.name}")


def _within(number: int, table: Sequence[object], what: str, where: str, lowest: int = 0) -> None:
    """Require that an index is one of a table's rows, or not below `lowest`."""
    require(lowest <= number < len(table), f"{what} {number} out of range", where)


def _references(program: Program) -> None:
    """Check every index from table to table, which every later check relies on, and the words that tables use."""
    require(program.outcome in OUTCOMES, f"unknown outcome `{program.outcome}`")
    for zone in program.zones:
        where = f"zone {zone.name}"
        _within(zone.kind, program.kinds, "kind", where)
        _within(zone.refill, program.zones, "refill", where, -1)
        require(zone.visible in VIEWS, f"unknown visibility `{zone.visible}`", where)
        require(zone.size in ("", *SIZES), f"unknown size `{zone.size}`", where)
        require(zone.order in ORDERS, f"unknown order `{zone.order}`", where)
    for variable in (*program.variables, *program.piece_variables):
        require(variable.visible in VIEWS, f"unknown visibility `{variable.visible}`", f"variable {variable.name}")
        require(variable.size in ("", *SIZES), f"unknown size `{variable.size}`", f"variable {variable.name}")
        require(variable.low <= variable.high, "the range is empty", f"variable {variable.name}")
    for kind in program.kinds:
        for number in kind.variables:
            _within(number, program.piece_variables, "piece variable", f"kind {kind.name}")
        for number in kind.active:
            _within(number, program.zones, "zone", f"kind {kind.name}")
        for definition in kind.definitions:
            if len(definition.attributes) != len(kind.attributes):
                raise IrError("the attributes are not those of its kind", where=f"piece {definition.id}")
    for enum in program.enums:
        for name, _, values in enum.attributes:
            if len(values) != len(enum.values):
                raise IrError(f"attribute `{name}` has not one value each", where=f"type {enum.name}")
        for each in (enum.points, enum.present):
            require(
                len(each) in (0, len(enum.values)), "not every value lies somewhere, or is there", f"type {enum.name}"
            )
    for grid in program.grids:
        require(len({*grid.places}) == len(grid.cells), "the cells have not one place each", f"grid {grid.name}")
        if grid.present and len(grid.present) != len(grid.cells):
            raise IrError("not every cell says whether it is there", where=f"grid {grid.name}")
        for name, _, values in grid.attributes:
            if len(values) != len(grid.cells):
                raise IrError(f"attribute `{name}` has not one value each", where=f"grid {grid.name}")
    for option in program.options:
        suiting = [value for _, values in option.players for value in values]
        if option.default not in option.values or not set(suiting) <= set(option.values):
            raise IrError(f"default {option.default} is none of the values", where=f"option {option.name}")
    for decision in program.decisions:
        _within(decision.procedure, program.procedures, "procedure", f"decision of rule {decision.rule}")
    for what, number in (("setup", program.setup), ("play", program.play)):
        _within(number, program.procedures, "procedure", what)
    _within(program.payoff, program.procedures, "procedure", "payoff", -1)
    require(program.payoff_parts > 0, "payoff: there are no parts of one")
    for score in program.scores:
        _within(score.procedure, program.procedures, "procedure", f"score {score.name}")
    for ranking in (program.winner, *program.ties):
        _within(ranking.procedure, program.procedures, "procedure", "winner or tie", -2)
        require(ranking.ranking in RANKINGS, f"unknown ranking `{ranking.ranking}`", "winner or tie")
    for procedure in program.procedures:
        for number, block in enumerate(procedure.blocks):
            if isinstance(block.terminator, nodes.CallProc):
                where = f"procedure {procedure.name}, block {number}"
                _within(block.terminator.procedure, program.procedures, "procedure", where)


class _Code:
    """Procedures and decisions: nodes, targets, results, the flow of values."""

    def __init__(self, program: Program, checker: NodeVerifier) -> None:
        self.program = program
        self.checker = checker
        self.procedure = program.procedures[0]
        self.number = 0

    def verify(self, known: int) -> None:
        """Check every procedure but the first ones, which are `known`, with the decisions it asks."""
        checker = self.checker
        for number, procedure in enumerate(self.program.procedures[known:], known):
            self.number, self.procedure = number, procedure
            checker.where = f"procedure {procedure.name}"
            checker.known_site(procedure.site)
            checker.require(procedure.blocks, "no blocks")
            if len(procedure.local_names) != len(procedure.locals) or procedure.parameters > len(procedure.locals):
                checker.fail("parameters, local names and local types do not agree")
            for type_ in (*procedure.locals, procedure.returns):
                checker.known_type(type_)
            checker.locals = dict(enumerate(procedure.locals))
            for place, block in enumerate(procedure.blocks):
                checker.where = f"procedure {procedure.name}, block {place}"
                self._block(block)
            FlowVerifier(procedure, self.program.decisions).verify()

    def _target(self, to: int) -> None:
        self.checker.require(0 <= to < len(self.procedure.blocks), f"jump to block {to}, which is not there")

    def _slot(self, slot: int, type_: Type, what: str) -> None:
        self.checker.expect(what, type_, self.checker.known_slot(slot))

    def _block(self, block: Block) -> None:
        """Check a block: its sites, slots, statements and terminator."""
        checker = self.checker
        checker.known_site(block.site)
        for slot in block.live:
            checker.known_slot(slot)
        for statement in block.statements:
            checker.statement(statement)
        if isinstance(block.terminator, nodes.Waiting) and block.statements:
            checker.fail("a block that waits has statements")
        match block.terminator:
            case nodes.Jump(to=to):
                self._target(to)
            case nodes.Branch(condition=condition, then=then, otherwise=otherwise):
                checker.value("the condition", condition, BOOL)
                self._target(then)
                self._target(otherwise)
            case nodes.CallProc() as call:
                self._call(call)
            case nodes.Return(value=value):
                self._return(value)
            case nodes.Chance() as chance:
                self._chance(chance)
            case nodes.Choose(decision=number):
                checker.require(0 <= number < len(self.program.decisions), f"decision {number} out of range")
                self._decision(self.program.decisions[number])

    def _call(self, call: nodes.CallProc) -> None:
        """Check a call that may wait: its arguments, the slot of its result and the block to continue at."""
        self.checker.known_site(call.site)
        for argument in call.arguments:
            self.checker.expression(argument)
        self.checker.arguments(call.procedure, call.arguments)
        callee = self.program.procedures[call.procedure]
        if call.slot != -1:
            self.checker.require(callee.returns != "void", f"`{callee.name}` gives no value for slot {call.slot}")
            self._slot(call.slot, callee.returns, f"the value of `{callee.name}`")
        self._target(call.to)

    def _return(self, value: Expr | None) -> None:
        """Check that a value is returned where one is declared, and of its type."""
        returns = self.procedure.returns
        if value is None:
            self.checker.require(returns == "void", f"returns no value, not `{returns}`")
            return
        self.checker.require(returns != "void", "returns a value, where none is declared")
        self.checker.value("the returned value", value, returns)

    def _chance(self, chance: nodes.Chance) -> None:
        """Check a chance node: its kind, arguments and the slot that it fills."""
        checker, args = self.checker, chance.args
        checker.known_site(chance.site)
        checker.require(chance.kind in CHANCE, f"unknown kind of chance `{chance.kind}`")
        op = CHANCE[chance.kind]
        wanted = len(op.operands)
        if len(args) != wanted and (len(args) != wanted + 1 or chance.kind not in GIVING):
            checker.fail(f"chance `{chance.kind}` has {len(args)} arguments, not {wanted}")
        bindings: dict[str, str] = {}
        for place, arg in enumerate(args):
            checker.expression(arg)
            checker.pure(arg)
            if place < wanted:
                bind(op.operands[place][0], arg.type, bindings)
                checker.expect("what chance draws from", arg.type, fill(op.operands[place][0], bindings))
        self._target(chance.to)
        if chance.seers is not None:
            checker.expect("who is told", chance.seers.type, SEATS)
        if chance.kind not in GIVING:
            checker.require(chance.slot == -1, f"chance `{chance.kind}` gives no value for slot {chance.slot}")
            return
        drawn = fill(op.result, bindings)
        element = drawn.inner if chance.kind == "some" else drawn
        checker.require(element.scalar, "chance draws from sets of single values")
        self._slot(chance.slot, drawn, f"the {chance.kind} drawn")

    # decisions

    def _decision(self, decision: Decision) -> None:
        """Check a decision: whom it asks, when, its items and where each of them leads."""
        checker = self.checker
        checker.known_site(decision.site)
        if decision.procedure != self.number:
            checker.fail(f"asks a decision of procedure {self.program.procedures[decision.procedure].name}")
        checker.require(decision.ask in ASK, f"unknown word `{decision.ask}` for when a decision is asked")
        if decision.otherwise == -1 and not decision.items:
            checker.fail("a decision that has neither items nor `otherwise`")
        goes_on = decision.otherwise != -1 or decision.together or _is_of_several(decision)
        if decision.ask == "anyway" and not goes_on:
            checker.fail("a decision that asks `anyway` of what there may be none, without `otherwise`")
        checker.require(
            decision.ask != "some" or _is_of_several(decision),
            "`some` takes one item with one binder; several elements have no guards",
        )
        self._value("the seat asked", decision.seat, SEATS if decision.together else SEAT)
        if decision.otherwise != -1:
            self._target(decision.otherwise)
        if decision.together:
            self._together(decision)
        for item in decision.items:
            self._item(item)

    def _value(self, what: str, expr: Expr, type_: Type) -> None:
        self.checker.value(what, expr, type_)
        self.checker.pure(expr)

    def _together(self, decision: Decision) -> None:
        """Check a decision of several seats at once: one item with one binder, and the slots of seat and result."""
        checker = self.checker
        self._slot(decision.you_slot, SEAT, "the seat asked")
        if len(decision.items) != 1 or len(decision.items[0].binders) != 1:
            checker.fail("`together` takes one item with one binder")
        checker.require(decision.items[0].binders[0].kind != "grouping", "`together` can't ask for groupings")
        chosen = decision.items[0].binders[0].type
        collected = chosen if chosen.kind == "opt" or not chosen.scalar else Type(f"opt<{chosen}>")
        # Where all parties are asked, none is without a value.
        slots = self.program.procedures[self.number].locals
        complete = decision.result_slot in range(len(slots)) and slots[decision.result_slot].inner == chosen
        self._slot(decision.result_slot, Type(f"seats<{chosen if complete else collected}>"), "what is collected")

    def _item(self, item: Item) -> None:
        """Check an item: its binders, guards and target."""
        checker = self.checker
        checker.known_site(item.site)
        self._target(item.to)
        self._guards(item.pre)
        for binder in item.binders:
            checker.known_type(binder.type)
            self._slot(binder.slot, binder.type, f"binder `{binder.name}`")
            shapes = {
                "each": (Type(f"set<{binder.type}>"),),
                "number": (INT, INT),
                "some": (binder.type, INT, INT),
                "grouping": (binder.type.element,),
            }
            checker.require(binder.kind in shapes, f"binder `{binder.name}` is of unknown kind `{binder.kind}`")
            if len(binder.args) != len(shapes[binder.kind]):
                checker.fail(f"binder `{binder.name}` has {len(binder.args)} arguments, not {len(shapes[binder.kind])}")
            for arg, type_ in zip(binder.args, shapes[binder.kind], strict=True):
                self._value(f"an argument of binder `{binder.name}`", arg, type_)
            if binder.kind == "number":
                checker.expect(f"binder `{binder.name}`", INT, binder.type)
            elif binder.kind == "some":
                checker.expect(f"binder `{binder.name}`", binder.type, Type("set<?>"))
                checker.require(binder.type.element.scalar, f"binder `{binder.name}` takes several sets or bags")
            elif binder.kind == "grouping":
                self._grouping(item, binder)
        self._guards(item.guards)

    def _grouping(self, item: Item, binder: nodes.Binder) -> None:
        """Check that the groups are of pieces that carry the variable which is to hold their numbers."""
        checker, variables = self.checker, self.program.piece_variables
        checker.expect(f"binder `{binder.name}`", binder.type, Type("set<set<piece:?>>"))
        if not 0 <= binder.variable < len(variables) or variables[binder.variable].type != "int":
            checker.fail(f"binder `{binder.name}` numbers its groups by no piece variable that is a number")
        carry = [f"set<set<piece:{kind.name}>>" for kind in self.program.kinds if binder.variable in kind.variables]
        checker.require(binder.type in carry, f"binder `{binder.name}` groups pieces that don't carry its variable")
        if len(item.binders) != 1 or item.pre:
            checker.fail(f"binder `{binder.name}` groups pieces beside another binder, or has `pre` guards")

    def _guards(self, guards: tuple[Guard, ...]) -> None:
        """Check guards: conditions, and operands for what refusals show."""
        checker = self.checker
        for guard in guards:
            checker.known_site(guard.site)
            self._value("a guard", guard.condition, BOOL)
            parts = tuple(shown_parts(guard.condition))
            checker.require(guard.kind in GUARDS, f"a guard is of unknown kind `{guard.kind}`")
            if guard.operands and len(guard.operands) != len(parts):
                checker.fail(f"a guard has {len(guard.operands)} operands, its condition {len(parts)}")
            if guard.kind == "limit" and [part.type for part in parts] != ["int", "int"]:
                checker.fail("a limit compares two numbers")
            for operand, part in zip(guard.operands, parts, strict=False):
                checker.require(operand.says in SAYS, f"an operand says `{operand.says}`, which is unknown")
                if operand.says in SAID_OF and part.type != SAID_OF[operand.says]:
                    checker.fail(f"the {operand.says} of an operand is of type {part.type}")


class _Tables:
    """Expressions of tables, and what the program's procedures must be like."""

    def __init__(self, program: Program, checker: NodeVerifier) -> None:
        self.program = program
        self.checker = checker

    def verify(self) -> None:
        """Check every table's types, constant expressions and procedures."""
        program, checker = self.program, self.checker
        for enum in program.enums:
            checker.where = f"type {enum.name}"
            self._attributes(enum.attributes)
            for present in enum.present:
                self._constant(present, BOOL, ())
        for grid in program.grids:
            checker.where = f"grid {grid.name}"
            self._attributes(grid.attributes)
            for present in grid.present:
                self._constant(present, BOOL, ())
        for kind in program.kinds:
            starts: set[tuple[int, tuple[Type, ...]]] = set()
            for definition in kind.definitions:
                checker.where = f"piece {definition.id}"
                checker.known_site(definition.site)
                index_types = (SEAT,) if definition.per_player else ()
                self._constant(definition.count, INT, index_types)
                if (id(definition.start), index_types) not in starts:  # rows share where they start
                    self._constant(definition.start, ZONE, index_types)
                    self._place(definition.start, kind.name)
                    starts.add((id(definition.start), index_types))
                for (_, type_), value in zip(kind.attributes, definition.attributes, strict=True):
                    self._attribute(value, type_)
        for zone in program.zones:
            checker.where = f"zone {zone.name}"
            checker.known_site(zone.site)
            if zone.capacity is not None:
                self._constant(zone.capacity, INT, zone.index)
        for name, sight, per in [
            *((zone.name, zone.sight, zone.index) for zone in program.zones),
            *((variable.name, variable.sight, variable.index) for variable in program.variables),
        ]:
            checker.where = f"who sees {name}"
            if sight is not None:
                self._constant(sight, BOOL, (SEAT, *per[: per[:1] == (SEAT,)]), "var:")
        for variable in (*program.variables, *program.piece_variables):
            checker.where = f"variable {variable.name}"
            checker.known_site(variable.site)
            checker.known_type(variable.type)
            if all(map(checker.has_values, variable.index)):  # else there is nothing that starts
                self._constant(variable.start, ANY if variable.mark else variable.type, variable.index)
        self._procedures()

    def levels(self, known: int) -> None:
        """Check what procedures but the first ones, which are `known`, say of how deep they call themselves."""
        for procedure in self.program.procedures[known:]:
            if procedure.levels is not None:
                self.checker.where = f"procedure {procedure.name}"
                self._constant(procedure.levels, INT, ())

    def _attributes(self, attributes: tuple[tuple[str, Type, tuple[Expr, ...]], ...]) -> None:
        """Check the attributes of a table row."""
        for _, type_, values in attributes:
            self.checker.known_type(type_)
            for value in values:
                self._attribute(value, type_)

    def _attribute(self, value: Expr, type_: Type) -> None:
        # the constant -1 says that there is no value
        if not (value.op == "const" and index(value) == -1):
            self._constant(value, type_, ())

    def _place(self, start: Expr, kind: str) -> None:
        if start.op == "zone" and self.program.kinds[self.program.zones[index(start)].kind].name != kind:
            self.checker.fail(f"starts in zone `{self.program.zones[index(start)].name}`, which holds other pieces")

    def _constant(self, expr: Expr, type_: Type, locals_: tuple[Type, ...], reads: str = "") -> None:
        """Check an expression that must not depend on the state, with its own locals; `reads`: what it may read, too,
        as effects are named."""
        checker = self.checker
        for local in locals_:
            checker.known_type(local)
        checker.locals = dict(enumerate(locals_))
        checker.open_slots = True
        checker.value("the value", expr, type_)
        checker.open_slots = False
        if expr.op == "const":
            return
        effects = expression_effects(self.program, (expr,), checker.effects)
        # every seat is in when a game begins, so that who is still in is no state here
        state = [name for name in (*effects.reads, *effects.writes) if name != "players"]
        state = [name for name in state if not reads or not name.startswith(reads)]
        checker.require(not state, f"the value depends on the state: {', '.join(state)}")

    def _procedures(self) -> None:
        """Check the procedures that the program's tables name: their parameters and results."""
        program, checker = self.program, self.checker
        for what, number in (("setup", program.setup), ("play", program.play)):
            checker.where = what
            procedure = program.procedures[number]
            if procedure.parameters or procedure.returns != "void":
                checker.fail(f"procedure {procedure.name} takes arguments or returns a value")
        identities = {definition.id for kind in program.kinds for definition in kind.definitions}
        for score in program.scores:
            checker.where = f"score {score.name}"
            checker.known_site(score.site)
            checker.require(not score.piece or score.piece in identities, f"unknown piece `{score.piece}`")
            self._of_party(score.procedure)
        for ranking in (program.winner, *program.ties):
            checker.where = "winner or tie"
            if ranking.procedure >= 0:
                self._of_party(ranking.procedure)
        if program.payoff >= 0:
            checker.where = "payoff"
            self._of_party(program.payoff, ("int", "opt<int>"))

    def _of_party(self, number: int, results: tuple[str, ...] = ("int",)) -> None:
        """Check a procedure that is asked of a party: one seat in, a number out, no change of the state."""
        procedure, effects = self.program.procedures[number], self.checker.effects[number]
        parameters = procedure.locals[: procedure.parameters]
        if len(parameters) != 1 or not fits(SEAT, parameters[0]) or procedure.returns not in results:
            self.checker.fail(f"procedure {procedure.name} is no number for a party")
        if effects.suspends or effects.writes or effects.ends_game:
            done = ", ".join(effects.writes) or "the course of the game"
            self.checker.fail(f"procedure {procedure.name} changes the state: {done}")


def _recursion(program: Program, known: int) -> None:
    """Require a procedure that declares its depth in every cycle of calls; the first ones, `known`, are in none."""
    order: TopologicalSorter[int] = TopologicalSorter()
    for number, procedure in enumerate(program.procedures[known:], known):
        for callee in () if procedure.depth else callees(procedure, program.decisions):
            order.add(callee, number)
    try:
        order.prepare()
    except CycleError as error:
        where = f"procedure {program.procedures[error.args[1][0]].name}"
        raise IrError("calls itself without a declared depth", where=where) from None


def _is_of_several(decision: Decision) -> bool:
    """Return whether one thing is asked, which may be none: several elements, any of them, a grouping or a bag."""
    binders = [binder for item in decision.items for binder in item.binders]
    if not len(decision.items) == 1 == len(binders):
        return False
    kind = binders[0].kind
    return kind == "grouping" or binders[0].type.kind == "bag" or (kind == "some" and not decision.items[0].guards)
