"""Statements as Python closures `f(S, L)` that change the state.

Enters: `Statement`s. Leaves: their closures. What they do is logged only where `S.logging` says so.
"""

# S is the state, L the locals, in every closure of this package.

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from rulelang.interpreter.bags import purse_cells
from rulelang.interpreter.expressions import Compiler, Locals, instance
from rulelang.ir.nodes import Statement
from rulelang.ir.program import Program, VariableTable
from rulelang.ir.walk import number, operands
from rulelang.registry import registering
from rulelang.runtime.bounds import HIGHEST, LOWEST, rule_error
from rulelang.runtime.fuel import STATEMENT
from rulelang.runtime.layout import ITEM_MASK, ZONE_SHIFT
from rulelang.runtime.pools import put_into, settle_within, shuffle
from rulelang.runtime.sight import place_of
from rulelang.runtime.state import DEFERRALS, DRAWN, WON, State

Effect = Callable[[State, Locals], object]
StatementBuilder = Callable[[Compiler, Statement], Effect]

STATEMENTS: dict[str, StatementBuilder] = {}
"""Operation -> what builds its closure."""


builds = registering(STATEMENTS)
"""Registers the builder of statements."""


def does(op: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register what an operation does to the state with the values of its operands (arguments: the program, the node,
    the state, the values)."""

    def register(effect: Callable[..., None]) -> Callable[..., None]:
        @builds(op)
        def build(c: Compiler, node: Statement) -> Effect:
            codes = [c.stored(part) for part in operands(node)]
            return lambda S, L: effect(c.program, node, S, *[code(S, L) for code in codes])

        return effect

    return register


def statement(c: Compiler, node: Statement) -> Effect:
    """Return the closure of a statement."""
    return STATEMENTS[node.op](c, node)


# ---- locals and variables ------------------------------------------------------------------------------


@builds("set")
def _set(c: Compiler, node: Statement) -> Effect:
    """Build the write of a local."""
    slot = number(node)
    (code,) = (c.stored(part) for part in operands(node))

    def put(S: State, L: Locals) -> None:
        L[slot] = code(S, L)

    return put


NO_ROOM_FOR_POSITION = "more than {} different positions are to be remembered"


def _limits(table: VariableTable) -> tuple[int, int]:
    """Return the least and greatest number that each cell may hold, besides an absent one."""
    if table.type in ("int", "opt<int>") or table.type.kind == "bag":
        return table.low, table.high
    return LOWEST, HIGHEST


def _outside(c: Compiler, site: int, table: VariableTable, value: int) -> Exception:
    message = f"`{table.name}` would become {value}, outside {table.low}..{table.high}"
    return rule_error(c.program, site, message)


def _put(S: State, site: int, cell: int, value: int) -> None:
    """Set a cell of a variable, and log that."""
    is_piece, variable, _ = S.layout.cell_place[cell]
    S.record("pset" if is_piece else "set", site, variable, cell, S.v[cell], value)
    S.v[cell] = value


def _write(c: Compiler, site: int, table: VariableTable) -> Callable[[State, int, Any], None]:
    """Return what writes a value to a variable from a cell on, within the variable's limits."""
    low, high = _limits(table)
    if table.type.kind == "bag":

        def write_bag(S: State, cell: int, value: tuple[int, ...]) -> None:
            for count in value:
                if not low <= count <= high:
                    raise _outside(c, site, table, count)
            before = sum(S.v[cell : cell + len(value)]) if table.sized else 0
            for place, count in enumerate(value, cell):
                if S.v[place] != count:
                    _put(S, site, place, count)
            if table.sized:
                S.record("size", site, S.layout.cell_place[cell][1], cell, before, sum(value))

        return write_bag

    none = table.type.absent if table.type == "opt<int>" else None

    def write(S: State, cell: int, value: int) -> None:
        if not low <= value <= high and value != none:
            raise _outside(c, site, table, value)
        if table.internal:
            S.v[cell] = value
        else:
            _put(S, site, cell, value)

    return write


@builds("set_var")
def _set_var(c: Compiler, node: Statement) -> Effect:
    """Build the write of a variable at its indices."""
    variable = number(node)
    expr, *indices = operands(node)
    value = c.stored(expr)
    write = _write(c, node.site, c.program.variables[variable])
    place = instance(c, c.layout.var_base[variable], c.layout.var_strides[variable], indices)
    return lambda S, L: write(S, place(S, L), value(S, L))


@builds("set_pvar")
def _set_pvar(c: Compiler, node: Statement) -> Effect:
    """Build the write of a piece's variable."""
    variable, layout = number(node), c.layout
    item, value = operands(node)
    piece, new_value = c.code(item), c.stored(value)
    write = _write(c, node.site, c.program.piece_variables[variable])
    return lambda S, L: write(S, layout.pvar_cell(variable, piece(S, L)), new_value(S, L))


@builds("remember")
def _remember(c: Compiler, node: Statement) -> Effect:
    """Build the writing down of a position."""
    form, codes = c.layout.positions[number(node)], [c.stored(part) for part in operands(node)]

    def remember(S: State, L: Locals) -> None:
        if not form.remember(S, [code(S, L) for code in codes]):
            raise rule_error(c.program, node.site, NO_ROOM_FOR_POSITION.format(form.room))

    return remember


@builds("forget")
def _forget(c: Compiler, node: Statement) -> Effect:
    form = c.layout.positions[number(node)]
    return lambda S, L: form.forget(S)


@builds("reset")
def _reset(c: Compiler, node: Statement) -> Effect:
    """Build the reset of all cells of a variable to their start; nothing is logged."""
    variable = number(node)
    layout = c.layout
    cells = layout.cells_of_variable(variable)
    values = layout.start_v[cells.start : cells.stop]

    def reset(S: State, L: Locals) -> None:
        S.v[cells.start : cells.stop] = values

    return reset


@builds("clear_marks")
def _clear_marks(c: Compiler, node: Statement) -> Effect:
    """Build the removal of all marks that end now: those of anyone's and, if a party is named, of its own scope."""
    layout, site = c.layout, node.site
    until = number(node)
    (whose,) = operands(node)
    party = c.code(whose)
    tables = (c.program.variables, c.program.piece_variables)
    marks = [cell for cell, (is_piece, variable, _) in enumerate(layout.cell_place) if tables[is_piece][variable].mark]
    base = 1 + until * (layout.parties + 1)
    anyone = base + layout.parties

    def clear(S: State, L: Locals) -> None:
        p = party(S, L)
        ends = (anyone,) if p < 0 else (anyone, base + p)
        for cell in marks:
            if S.v[cell] in ends:
                _put(S, site, cell, 0)

    return clear


@builds("spend")
def _spend(c: Compiler, node: Statement) -> Effect:
    """Build the payment out of purses, to nobody or into a purse; an error of the rule where one holds less."""
    paid, source, *target = operands(node)
    payment, purses = c.code(paid), purse_cells(c, source)
    to = purse_cells(c, target[0]) if target else lambda S, L: [-1]
    program, site, tables = c.program, node.site, (c.program.variables, c.program.piece_variables)

    def spend(S: State, L: Locals) -> None:
        counts = payment(S, L)
        starts = purses(S, L)
        size, (gets,) = len(counts) // max(len(starts), 1), to(S, L)
        for at, start in enumerate(starts):
            goods = counts[at * size : (at + 1) * size]
            if any(map(int.__gt__, goods, S.v[start : start + size])):
                raise rule_error(program, site, "a purse does not hold what is to be paid from it")
            if gets != start and any(goods):
                pass_on(S, start, gets, goods)

    def pass_on(S: State, start: int, gets: int, goods: tuple[int, ...]) -> None:
        """Move goods from one purse to another; of what all see that goes to nobody, each change is logged."""
        is_piece, number, _ = S.layout.cell_place[start]
        if gets < 0 and tables[is_piece][number].view.public:
            for cell, count in enumerate(goods, start):
                if count:
                    _put(S, site, cell, S.v[cell] - count)
            return
        for part, count in enumerate(goods):
            S.v[start + part] -= count
            if gets >= 0:
                S.v[gets + part] += count
                is_piece, number, _ = S.layout.cell_place[gets]
                if S.v[gets + part] > (table := tables[is_piece][number]).high:
                    raise _outside(c, site, table, S.v[gets + part])
        S.record("goods", site, start, gets, tuple(goods), sum(goods))

    return spend


# ---- pieces -------------------------------------------------------------------------------------------


def take(contents: list[int], item: int, pile: bool) -> bool:
    """Take an item out of a zone's contents, the topmost one like it of a pile; False when there is none."""
    if pile:
        for index in range(len(contents) - 1, -1, -1):
            if contents[index] == item:
                del contents[index]
                return True
        return False
    index = bisect_left(contents, item)
    if index == len(contents) or contents[index] != item:
        return False
    del contents[index]
    return True


def _transferred(S: State, item: int, origin: int, to: int, identity: bool, top: bool) -> bool:
    """Move an item from one zone to another; return False where it does not lie in the first one (-1: nowhere)."""
    pile = S.layout.inst_kept
    if origin < 0 or not take(S.z[origin], item, pile[origin]):
        return False
    put_into(S.z[to], item, pile[to], top)
    if identity:
        S.where[item] = to
    return True


@builds("move")
def _move(c: Compiler, node: Statement) -> Effect:
    """Build the move of one piece or of a set; what does not fit into the zone stays where it is."""
    what, to = operands(node)
    layout, site = c.layout, node.site
    top, secretly = node.args[2] == "top", number(node, 3)
    identity = layout.identity(what.type)
    pieces, target = c.code(what), c.code(to)

    def located(S: State, handle: int) -> tuple[int, int]:
        return (handle, S.where[handle]) if identity else (handle & ITEM_MASK, handle >> ZONE_SHIFT)

    def is_full(S: State, origin: int, destination: int) -> bool:
        return origin != destination and 0 <= layout.inst_capacity[destination] <= len(S.z[destination])

    def move_one(S: State, L: Locals) -> None:
        handle = pieces(S, L)
        if handle < 0:
            return
        destination, (item, origin) = target(S, L), located(S, handle)
        if identity and origin < 0:
            raise rule_error(c.program, site, "nobody can know where this piece lies: it is in a shuffled pile")
        if origin < 0 or is_full(S, origin, destination):
            return
        S.fuel -= (len(S.z[origin]) + len(S.z[destination])) >> 6
        if _transferred(S, item, origin, destination, identity, top):
            S.record("move", site, origin, destination, (item,), secretly)

    def move_set(S: State, L: Locals) -> None:
        handles = pieces(S, L)
        if not handles:
            return
        destination = target(S, L)
        S.fuel -= STATEMENT * len(handles)
        moved: dict[int, list[int]] = {}
        for handle in handles:
            item, origin = located(S, handle)
            if is_full(S, origin, destination):
                break
            if _transferred(S, item, origin, destination, identity, top):
                moved.setdefault(origin, []).append(item)
        for origin, items in moved.items():
            S.record("move", site, origin, destination, tuple(items), secretly)

    return move_set if what.type.kind == "set" else move_one


@builds("move_slots")
def _move_slots(c: Compiler, node: Statement) -> Effect:
    """Build the move of n slots of a zone whose pieces may be unknown."""
    from_zone, amount, to_zone = (c.code(part) for part in operands(node))
    layout, site = c.layout, node.site
    top, secretly = node.args[3] == "top", number(node, 4)
    kinds = c.program.kinds

    def move_slots(S: State, L: Locals) -> None:
        origin, destination = from_zone(S, L), to_zone(S, L)
        source, contents = S.z[origin], S.z[destination]
        n = min(max(amount(S, L), 0), len(source))
        room = layout.inst_capacity[destination]
        if room >= 0 and origin != destination:
            n = min(n, max(room - len(contents), 0))
        if not n:
            return
        S.fuel -= n
        # A bag has no top: what stands first in it (unknown pieces, then by item) is taken.
        if layout.inst_kept[origin]:
            members = source[: -n - 1 : -1]
            del source[len(source) - n :]
        else:
            members = source[:n]
            del source[:n]
        pile = layout.inst_kept[destination]
        individuals = kinds[layout.inst_kind[destination]].identity
        for member in members:
            put_into(contents, member, pile, top)
            if individuals and member >= 0:
                S.where[member] = destination
        S.record("move", site, origin, destination, tuple(members), secretly)

    return move_slots


@does("settle")
def _settle(program: Program, node: Statement, S: State, zone: int) -> None:
    settle_within(S, zone)


@does("shuffle")
def _shuffle(program: Program, node: Statement, S: State, zone: int) -> None:
    S.fuel -= len(S.z[zone])
    shuffle(S, zone)
    S.record("shuffle", node.site, zone)


# ---- the course of the game ------------------------------------------------------------------------------


@builds("reveal")
def _reveal(c: Compiler, node: Statement) -> Effect:
    """Build the log entry by which seats learn a value; none for a piece that all see."""
    what, to, *place = operands(node)
    value, seats, index = c.stored(what), c.code(to), [c.code(part) for part in place]
    site, type_ = node.site, what.type
    layout, piece = c.layout, type_.core.kind == "piece"

    def reveal(S: State, L: Locals) -> None:
        if S.logging:
            shown = value(S, L)
            if piece and isinstance(shown, int) and shown >= 0:
                zone = place_of(layout, S.where, shown)
                if zone >= 0 and layout.program.zones[layout.inst_zone[zone]].view.public:
                    return  # All see it where it lies: nothing is told by it.
            S.record("reveal", site, type_, shown, tuple(seats(S, L)), tuple([part(S, L) for part in index]))

    return reveal


@builds("begin")
def _begin(c: Compiler, node: Statement) -> Effect:
    """Build the beginning of a turn, round or phase; turns are counted."""
    scope, site = node.args[0], node.site
    (who,) = (c.code(part) for part in operands(node))
    turn = scope == "turn"

    def begin(S: State, L: Locals) -> None:
        if turn:
            S.turns += 1
        if S.logging:
            S.record("begin", site, scope, who(S, L))

    return begin


@does("eliminate")
def _eliminate(program: Program, node: Statement, S: State, seat: int) -> None:
    """Take a seat out of the game."""
    if seat < 0:
        raise rule_error(program, node.site, "nobody is meant")
    S.out |= 1 << seat
    S.record("eliminate", node.site, seat)


@does("win")
def _win(program: Program, node: Statement, S: State, parties: list[int]) -> None:
    """Declare winners; the end itself is a statement of its own."""
    winners = set(parties)
    if min(winners, default=0) < 0:
        raise rule_error(program, node.site, "nobody is meant")
    S.winners = sum(1 << party for party in winners)
    S.deferred = S.deferred & ~DRAWN | WON


@does("draw_game")
def _draw_game(program: Program, node: Statement, S: State) -> None:
    S.winners = 0
    S.deferred = S.deferred & ~WON | DRAWN


@does("defer")
def _defer(program: Program, node: Statement, S: State) -> None:
    S.deferred |= DEFERRALS[str(node.args[0])]


@does("undefer")
def _undefer(program: Program, node: Statement, S: State) -> None:
    S.deferred &= ~DEFERRALS[str(node.args[0])]


@does("check")
def _check(program: Program, node: Statement, S: State, holds: int) -> None:
    if not holds:
        raise rule_error(program, node.site, str(node.args[1]))


@builds("evaluate")
def _evaluate(c: Compiler, node: Statement) -> Effect:
    (expr,) = operands(node)
    return c.code(expr)
