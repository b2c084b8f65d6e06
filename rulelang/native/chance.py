"""Chance nodes as lines of C.

Enters: the chance node that ends a block. Leaves: lines that draw an outcome with the state's generator; in single
steps before that lines that list the outcomes and stop, if chance is explicit (c/outcomes.h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulelang.ir.nodes import Block, Chance, Expr, Statement
from rulelang.ir.walk import operands, subexpressions
from rulelang.native.analysis import same
from rulelang.native.bags import pointer_to, width_of
from rulelang.native.events import drawn
from rulelang.native.expressions import Environment, UnwrittenError, Writer
from rulelang.native.interchangeable import drawn_by, referenced
from rulelang.native.pieces import capacity_flag, form_flag, form_text, identity_text
from rulelang.native.statements import named, scratch, write_statement
from rulelang.native.text import literal
from rulelang.vocabulary.operations import reading
from rulelang.vocabulary.types import INT

LOOKING = reading("contents", "whereabouts", "callee")
"""Operations whose value may change as a piece becomes known."""


Stop = Callable[[], None] | None
"""Writes what stops a game at a chance node whose outcomes are listed; None where games do not stop there."""


def write_chance(w: Writer, chance: Chance, live: Iterable[int], env: Environment, stop: Stop = None) -> None:
    """Emit a chance node. `live`: the slots that are live after it. Raises UnwrittenError if its kind has no writer."""
    w.source.at(chance.site)
    with referenced(w, drawn_by(w, chance, env), live, env):
        if chance.kind not in KINDS:
            raise UnwrittenError(f"chance of kind {chance.kind}")
        KINDS[chance.kind](w, chance, env, stop)


def _write_stop(w: Writer, stop: Stop, listed: str) -> None:
    """Emit a stop at explicit chance, unless it has one outcome. `listed`: a text that lists and counts outcomes."""
    if stop is not None:
        with w.source.block(f"if (outcomes_wanted(g) && {listed} > 1)"):
            stop()


def _draw(w: Writer, chance: Chance, s: Environment, outcome: str) -> None:
    """Emit that an outcome comes true, given as text; single steps log it if there were several."""
    line, told = w.source.line, []
    slot = s.names[chance.slot] if chance.slot >= 0 else ""
    if not w.logs:
        line(f"{slot} = {outcome};" if slot else f"(void)({outcome});")
        return
    draws, value = w.source.fresh("draws"), w.source.fresh("drawn")
    if chance.seers is not None:
        told = [named(w, w.text(chance.seers, s), "told")]
    line(f"const W {draws} = g->step.draws, {value} = {outcome};")
    if slot:
        line(f"{slot} = {value};")
    with w.source.block(f"if (LOGS(g) && g->step.draws > {draws})"):
        line(drawn(w, chance, value, told))


def _write_number(w: Writer, chance: Chance, s: Environment, stop: Stop) -> None:
    """Emit the draw of a number from a range."""
    with scratch(w), w.source.block(""):
        low, high = (named(w, w.text(arg, s), "bound") for arg in chance.source)
        _write_stop(w, stop, f"numbers_listed(g, {low}, {high})")
        _draw(w, chance, s, f"random_number(g, {low}, {high}, {chance.site})")


def _write_element(w: Writer, chance: Chance, s: Environment, stop: Stop) -> None:
    """Emit the draw of an element of a set; of interchangeable individuals one stands for its class."""
    (source,) = chance.source
    none, refers = w.constant(source.type.absent, INT), int(w.layout.refers(source.type))
    with scratch(w), w.source.block(""):
        set_ = named(w, w.text(source, s), "set")
        _write_stop(w, stop, f"elements_listed(g, {set_}, {refers})")
        _draw(w, chance, s, f"{'random_of_class' if refers else 'random_element'}(g, {set_}, {none})")


def _write_some(w: Writer, chance: Chance, s: Environment, stop: Stop) -> None:
    """Emit a stop where several elements are drawn at once and chance is explicit: the interpreter goes on from there,
    as it lists them. Sampled, they are drawn by the nodes after it."""
    source, count = chance.source
    if chance.slot >= 0:
        write_statement(w, Statement("set", (chance.slot, Expr("list", source.type, ())), chance.site), s)
    if stop is not None:
        with scratch(w), w.source.block("if (explicit_here(g))"):
            set_, many = named(w, w.text(source, s), "set"), named(w, w.text(count, s), "count")
            listed = f"elements_listed(g, {set_}, {int(w.layout.refers(source.type))})"
            with w.source.block(f"if ({many} > 0 && {listed} > 1)"):
                w.source.line("too_many_to_list(g, 2);")
                stop()


def _write_unit(w: Writer, chance: Chance, s: Environment, stop: Stop) -> None:
    """Emit the draw of a unit of a bag, whose kinds are as likely as there is of them."""
    (source,) = chance.source
    width = width_of(w, source.type)
    with scratch(w), w.source.block(""):
        bag = w.source.fresh("bag")
        w.source.line(f"const W *const {bag} = {pointer_to(w, source, s)};")
        _write_stop(w, stop, f"units_listed(g, {bag}, {width})")
        _draw(w, chance, s, f"random_unit(g, {bag}, {width})")


# ---- pieces that become known -----------------------------------------------------------------------------


def _write_unseen(w: Writer, chance: Chance, s: Environment, stop: Stop) -> None:
    """Emit that an unknown piece of a zone becomes known, or each whose pool has members elsewhere (`shared`)."""
    zone = chance.args[0]
    table, line = w.table_of(zone, s), w.source.line
    with scratch(w), w.source.block(""):
        zone_name = named(w, w.text(zone, s), "zone")
        form = form_text(w, table, zone_name)
        if chance.kind == "several":
            count = named(w, w.text(chance.args[1], s), "count")
            if stop is not None:
                with w.source.block(f"if (explicit_here(g) && several_ways(g, {zone_name}, {count}, {form}))"):
                    stop()
            line(f"expose_several(g, {zone_name}, {count}, {form}, {chance.site});")
        elif chance.kind == "shared":
            if stop is not None:
                with w.source.block(f"if (explicit_here(g) && shared_listed(g, {zone_name}, {form}, {chance.site}))"):
                    stop()
            line(f"expose_shared(g, {zone_name}, {form}, {chance.site});")
        else:
            place = named(w, w.text(chance.args[1], s), "place")
            _write_stop(w, stop, f"unseen_listed(g, {zone_name}, {place}, {form})")
            line(f"expose(g, {zone_name}, {place}, {form}, {chance.site});")


def is_deal(w: Writer, chance: Chance, after: Block, env: Environment) -> bool:
    """Return whether an `expose` and the move after it deal the top piece of a pile to a zone without capacity."""
    zone, place = chance.args
    table = w.table_of(zone, env)
    is_top = table >= 0 and w.program.zones[table].kept and literal(w.text(place, env)) == 0
    if not is_top or [statement.op for statement in after.statements[:1]] != ["move_slots"]:
        return False
    origin, amount, to = operands(after.statements[0])
    target = w.table_of(to, env)
    return (
        same(origin, zone)
        and amount.op == "const"
        and amount.args[0] == 1
        and target >= 0
        and target != table
        and capacity_flag(w, target) == "-1"
        and not any(part.op in LOOKING for part in (*subexpressions(zone), *subexpressions(to)))
    )


def write_deal(w: Writer, chance: Chance, after: Block, live: Iterable[int], env: Environment) -> None:
    """Emit a chance node and the move after it as one `deal` (see `is_deal`)."""
    w.source.at(chance.site)
    node = after.statements[0]
    origin, _, to = operands(node)
    target = w.table_of(to, env)
    with referenced(w, drawn_by(w, chance, env), live, env), scratch(w), w.source.block(""):
        origin_name, target_name = named(w, w.text(origin, env), "zone"), named(w, w.text(to, env), "zone")
        arguments = f"{origin_name}, {target_name}, {identity_text(w, target, target_name)}, {form_flag(w, (target,))}"
        w.source.line(f"deal(g, {arguments}, {int(node.args[3] == 'top')}, {node.site});")


KINDS = {
    "number": _write_number, "unit": _write_unit, "element": _write_element, "some": _write_some,
    "expose": _write_unseen, "several": _write_unseen, "shared": _write_unseen,
}  # fmt: skip
"""Kind of chance -> what writes it."""
