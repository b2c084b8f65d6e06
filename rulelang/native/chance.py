"""Chance nodes as lines of C.

Enters: the chance node that ends a block. Leaves: lines that draw an outcome with the state's generator; in single
steps before that lines that list the outcomes and stop, if chance is explicit (c/outcomes.h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext

from rulelang.ir.nodes import Block, Chance
from rulelang.ir.types import INT, Type
from rulelang.ir.walk import operands, subexpressions
from rulelang.native.analysis import same
from rulelang.native.expressions import Scope, UnwrittenError, Writer, compound
from rulelang.native.interchangeable import drawn_by, referenced
from rulelang.native.pieces import capacity_flag, form_flag, form_text, identity_text
from rulelang.native.sets import same_text
from rulelang.native.statements import named, scratch
from rulelang.native.text import literal

LOOKING = frozenset((
    "pieces family size top bottom tops bottoms owner reaction_owner zone_of in_zone cell_of active call possible"
).split())  # fmt: skip
"""Operations whose value may change as a piece becomes known."""


Stop = Callable[[], None] | None
"""Writes what stops a game at a chance node whose outcomes are listed; None where games do not stop there."""


def write_chance(w: Writer, chance: Chance, live: Iterable[int], scope: Scope, stop: Stop = None) -> None:
    """Emit a chance node. `live`: the slots that are live after it."""
    w.source.at(chance.site)
    if chance.kind == "number":
        _write_number(w, chance, scope, stop)
    elif chance.kind == "element":
        with referenced(w, drawn_by(w, chance, scope), live, scope):
            _write_element(w, chance, scope, stop)
    elif chance.kind in ("expose", "shared"):
        with referenced(w, drawn_by(w, chance, scope), live, scope):
            _write_unseen(w, chance, scope, stop)
    else:
        raise UnwrittenError(f"chance {chance.kind}")


def _write_stop(w: Writer, stop: Stop, listed: str) -> None:
    """Emit a stop at explicit chance, unless it has one outcome. `listed`: a text that lists and counts outcomes."""
    if stop is not None:
        with w.source.block(f"if (outcomes_wanted(g) && {listed} > 1)"):
            stop()


def _assign(scope: Scope, slot: int, value: str) -> str:
    return f"{scope.names[slot]} = {value};" if slot >= 0 else f"(void)({value});"


def _write_number(w: Writer, chance: Chance, s: Scope, stop: Stop) -> None:
    with scratch(w), w.source.block(""):
        low, high = (named(w, w.text(arg, s), "bound") for arg in chance.args)
        _write_stop(w, stop, f"numbers_listed(g, {low}, {high})")
        w.source.line(_assign(s, chance.slot, f"number_drawn(g, {low}, {high}, {chance.site})"))


def _write_element(w: Writer, chance: Chance, s: Scope, stop: Stop) -> None:
    (source,) = chance.args
    if w.layout.refers(source.type) and compound(source.type.inner):
        raise UnwrittenError("chance among sets of individuals that may be alike")
    inner, none = source.type.inner, w.constant(source.type.absent, INT)
    refers = int(w.layout.refers(source.type))
    # What is picked may be an address: then the set is not given back.
    with nullcontext() if compound(inner) else scratch(w), w.source.block(""):
        set_ = named(w, w.text(source, s), "set")
        if compound(inner):
            if stop is not None:  # the language draws no sets: the interpreter lists them
                w.source.line(f"if (explicit_here(g)) fail(g, {chance.site});")
            text = _picked_by_value(w, inner, set_, none)
        else:
            _write_stop(w, stop, f"elements_listed(g, {set_}, {refers})")
            text = f"{'picked_alike' if refers else 'picked'}(g, {set_}, {none})"
        w.source.line(_assign(s, chance.slot, text))


def _picked_by_value(w: Writer, inner: Type, source: str, none: str) -> str:
    """Return the text of a uniform draw from a set of lists, in which equal lists are one outcome."""
    fresh = w.source.fresh
    set_, found, out, x, y, i, j, k, weight = map(fresh, "set found out x y i j k weight".split())
    first, other, different, n = map(fresh, "first other different n".split())
    look = f"if (!({same_text(w, inner, first, other)})) {{ {different} = 1; break; }}"
    varied = f"for (W {i} = 1; {i} < {set_}[0]; {i}++) {{ const W {other} = {set_}[1 + {i}]; {look} }}"
    weigh = f"if ({same_text(w, inner, x, y)}) {{ if ({j} < {i}) {{ {weight} = 0; break; }} {weight}++; }}"
    # Equal ones that come before stand for this one too.
    inside = f"for (W {j} = 0; {j} < {n}; {j}++) {{ const W {y} = {set_}[1 + {j}]; {weigh} }}"
    take = f"if ({k} < {weight}) {{ {found} = {x}; goto {out}; }} {k} -= {weight};"
    walk = f"for (W {i} = 0; {i} < {n}; {i}++) {{ const W {x} = {set_}[1 + {i}]; W {weight} = 0; {inside} {take} }}"
    draw = f"if ({different}) {{ W {k} = uniform(g, {n}); {walk} }} else {found} = {first};"
    some = f"if ({n}) {{ const W {first} = {set_}[1]; W {different} = 0; {varied} {draw} }}"
    head = f"const W *const {set_} = LIST({source}); const W {n} = {set_}[0]; W {found} = {none};"
    return f"({{ __label__ {out}; {head} {some} {out}:; {found}; }})"


# ---- pieces that become known -----------------------------------------------------------------------------


def _write_unseen(w: Writer, chance: Chance, s: Scope, stop: Stop) -> None:
    zone = chance.args[0]
    table, hides, line = w.table_of(zone, s), w.hides(zone, s), w.source.line
    if not hides and chance.slot < 0:
        return
    with scratch(w), w.source.block(""):
        zone_name = named(w, w.text(zone, s), "zone")
        form = form_text(w, table, zone_name)
        if hides and chance.kind == "shared":
            if stop is not None:
                with w.source.block(f"if (explicit_here(g) && shared_listed(g, {zone_name}, {form}))"):
                    stop()
            line(f"expose_shared(g, {zone_name}, {form});")
        elif hides:
            place = named(w, w.text(chance.args[1], s), "place")
            _write_stop(w, stop, f"unseen_listed(g, {zone_name}, {place}, {form})")
            line(f"expose(g, {zone_name}, {place}, {form});")
        if chance.slot >= 0 and chance.kind == "expose":
            arguments = f"{zone_name}, {w.text(chance.args[1], s)}, {identity_text(w, table, zone_name)}"
            line(f"{s.names[chance.slot]} = piece_at(g, {arguments});")


def is_deal(w: Writer, chance: Chance, after: Block, scope: Scope) -> bool:
    """Return whether a chance node and the move after it deal the top piece of a pile to a zone without capacity."""
    node = after.statements[0] if after.statements else None
    if chance.kind != "expose" or chance.slot >= 0 or node is None or node.op != "move_slots":
        return False
    zone, place = chance.args
    table = w.table_of(zone, scope)
    if table < 0 or not w.program.zones[table].pile or literal(w.text(place, scope)) != 0:
        return False
    origin, amount, to = operands(node)
    target = w.table_of(to, scope)
    return (
        same(origin, zone)
        and amount.op == "const"
        and amount.args[0] == 1
        and target >= 0
        and target != table
        and capacity_flag(w, target) == "-1"
        and not any(part.op in LOOKING for part in (*subexpressions(zone), *subexpressions(to)))
    )


def write_deal(w: Writer, chance: Chance, after: Block, live: Iterable[int], scope: Scope) -> None:
    """Emit a chance node and the move after it as one `deal` (see `is_deal`)."""
    w.source.at(chance.site)
    node = after.statements[0]
    origin, _, to = operands(node)
    target = w.table_of(to, scope)
    with referenced(w, drawn_by(w, chance, scope), live, scope), scratch(w), w.source.block(""):
        origin_name, target_name = named(w, w.text(origin, scope), "zone"), named(w, w.text(to, scope), "zone")
        arguments = f"{origin_name}, {target_name}, {identity_text(w, target, target_name)}, {form_flag(w, (target,))}"
        w.source.line(f"deal(g, {arguments}, {int(node.args[3] == 'top')}, {node.site});")
