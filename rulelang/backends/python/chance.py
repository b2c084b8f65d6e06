"""Chance nodes of random playouts as lines of Python.

Enters: the chance node that ends a block. Leaves: lines that draw an outcome with the state's generator.
"""

from __future__ import annotations

from contextlib import nullcontext

from rulelang.backends.facts import same
from rulelang.backends.interpreter.chance import chance_code
from rulelang.backends.python.draws import HIGH, REST
from rulelang.backends.python.expressions import Writer
from rulelang.backends.python.scope import Scope
from rulelang.backends.text import literal
from rulelang.ir.nodes import Block, Chance
from rulelang.ir.types import absent
from rulelang.ir.walk import children, local_reads, terminator_expressions


def write_draw(w: Writer, name: str, total: str) -> None:
    """Lines that put a number from 0 to `total` - 1 (at least two) into `name`."""
    product = w.source.fresh("draw")
    w.source.line(f"{product} = R.draw() * {total}")
    w.source.line(f"{name} = {product} >> {HIGH} if {product} & {REST} > {total} else R.exact({total})")


def write_chance(w: Writer, chance: Chance, scope: Scope, block: int) -> None:
    """The lines of a chance node; the block that follows comes next."""
    w.source.at(chance.site)
    if chance.kind == "number":
        _number(w, chance, scope)
    elif not written_out(w, chance, scope):
        values = w.source.fresh("values")
        reads = frozenset().union(*map(local_reads, terminator_expressions(chance)))
        reads |= frozenset(w.program.procedures[scope.procedure].blocks[block].live)
        code = w.source.shared("chance", chance_code(w.compiler, chance))
        w.source.line(f"{values} = {w.locals(scope, reads)}")
        w.source.line(f"happen(S, R, {values}, {code}, {scope.procedure}, {block})")
        if chance.slot >= 0:
            w.source.line(f"{scope.names[chance.slot]} = {values}[{chance.slot}]")
    elif chance.kind == "element":
        none = absent(chance.args[0].type)
        found = f"element(R, {w.text(chance.args[0], scope)}, {none})"
        w.source.line(f"{scope.names[chance.slot]} = {found}" if chance.slot >= 0 else found)
    else:
        _exposed(w, chance, scope)


def written_out(w: Writer, chance: Chance, scope: Scope) -> bool:
    """Whether the chance node is written out; others are left to the machine."""
    if chance.kind == "element":
        return not w.layout.refers(chance.args[0].type)
    return chance.kind == "number" or _of_top(w, chance, scope)


def _number(w: Writer, chance: Chance, scope: Scope) -> None:
    low, high = (w.text(arg, scope) for arg in chance.args)
    name = scope.names[chance.slot] if chance.slot >= 0 else w.source.fresh("drawn")
    w.source.line(f"{name} = number(R, {low}, {high}, {chance.site})")


def deals(w: Writer, chance: Chance, after: Block, scope: Scope) -> bool:
    """Whether the top piece of a pile becomes known just to be moved to a zone that is never full."""
    node = after.statements[0] if after.statements else None
    if not _of_top(w, chance, scope) or node is None or node.op != "move_slots":
        return False
    origin, amount, to = children(node)
    target = w.table_of(to, scope)
    return (
        same(origin, chance.args[0])
        and amount.op == "const"
        and amount.args[0] == 1
        and target >= 0
        and target != w.table_of(origin, scope)
        and not any(w.layout.inst_capacity[there] >= 0 for there in w.layout.zone_instances(target))
        and not w.program.kinds[w.program.zones[target].kind].identity
    )


def write_deal(w: Writer, chance: Chance, after: Block, scope: Scope, sure: bool) -> None:
    """The lines of both. `sure`: the pile is not empty."""
    line, block = w.source.line, w.source.block
    w.source.at(chance.site)
    node = after.statements[0]
    _, _, to = children(node)
    here = f"z[{w.text(chance.args[0], scope)}]"
    member = w.source.fresh("member")
    put = w.putting(to, scope, node.args[3] == "top")
    with nullcontext() if sure else block(f"if {here}:"):
        line(f"{member} = {here}.pop()")
        with block(f"if {member} < 0:"):
            item = _from_pool(w, member, w.program.zones[w.table_of(to, scope)].kind)
            line(put.format(item))
        with block("else:"):
            line(put.format(member))


def _from_pool(w: Writer, member: str, kind: int, place: str = "") -> str:
    """Lines that take out of its pool what an unknown piece of a kind is, and put that into a place; a name for it."""
    line = w.source.line
    pool, size, k, item = (w.source.fresh(name) for name in ("pool", "size", "k", "item"))
    line(f"{pool} = pools[~{member}]")
    line(f"{size} = len({pool})")
    write_draw(w, k, size)
    line(f"{place}{item} = {pool}.pop({k})")
    # Only what is left of one item may be all alike.
    most = max(w.layout.copies[each] for each in w.layout.kind_items[kind])
    with w.source.block(f"if {size} <= {most + 1} and {pool}[0] == {pool}[-1]:"):
        line(f"settle(S, ~{member})")
    return item


def _of_top(w: Writer, chance: Chance, scope: Scope) -> bool:
    """Whether the top piece of a pile becomes known, one that is like no other of its kind or no individual."""
    if chance.kind != "expose" or chance.slot >= 0:
        return False
    zone, place = chance.args
    table = w.table_of(zone, scope)
    if table < 0 or not w.program.zones[table].pile or literal(w.text(place, scope)) != 0:
        return False
    return not w.layout.alike[w.program.zones[table].kind]


def _exposed(w: Writer, chance: Chance, scope: Scope) -> None:
    """Writes what makes the top piece of a pile known."""
    zone = chance.args[0]
    kind = w.program.zones[w.table_of(zone, scope)].kind
    line, block = w.source.line, w.source.block
    there, rest = w.source.fresh("there"), w.source.fresh("member")
    line(f"{there} = z[{w.text(zone, scope)}]")
    with block(f"if {there} and {there}[-1] < 0:"):
        line(f"{rest} = {there}[-1]")
        item = _from_pool(w, rest, kind, f"{there}[-1] = ")
        if w.program.kinds[kind].identity:
            line(f"S.where[{item}] = {w.text(zone, scope)}")
