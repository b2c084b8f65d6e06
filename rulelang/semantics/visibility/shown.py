"""What was shown: a fact about a zone, a variable or a value from a `reveal` on, on every path and through calls.

Enters: a `reveal`, moves and writes in the order of a walk. Leaves: labels in `Env.revealed`, by keys of three forms:
that of a value; `("shown", zone or variable, owners, indices)`, where `owners` is a label of those whose it is and
`indices` are None for all of theirs; `("each", owners, key)`, a value with `HOLE` for one of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulelang.semantics.analysis.writes import purses
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import Body, CExpr, CStatement, Local, expressions, subexpressions, substitute
from rulelang.semantics.tree.shared import element_type, zone_symbol
from rulelang.semantics.tree.symbols import VariableSym, ZoneSym
from rulelang.semantics.tree.types import NUMBER, PlayerT
from rulelang.semantics.visibility.effects import effect_of
from rulelang.semantics.visibility.labelling import (
    HOLE,
    Walk,
    bind,
    is_among,
    key_of,
    label_of,
    labels_of,
    place_of,
    presence,
    presence_in,
    sight,
    size_label,
)
from rulelang.semantics.visibility.labels import (
    HIDDEN,
    PUBLIC,
    End,
    Env,
    Key,
    Label,
    LocalLabel,
    Shown,
    all_but,
    declassified,
    join,
    only,
)
from rulelang.vocabulary.operations import EVERY, EXPRESSIONS

MOST_AGAIN = 2_000
"""So often locals are labelled again."""
WHOLE = sorted(op for op in EVERY if not EXPRESSIONS[op].operands)
ALL_OTHERS = ("others", "players_after")


def note_reveal(v: Walk, value: CExpr, seen: Label, env: Env, path: Label) -> None:
    """Record that a value is shown, and the zones and variables that it is all of; `path` is who may know that it is
    reached."""
    label = declassified(label_of(v, value, env), seen)
    while value.op == "cast" and isinstance(value.args[0], CExpr):
        value = value.args[0]
    if value.op == "local" and isinstance(value.args[0], Local) and value.args[0] in env.locals:
        known = env.locals[value.args[0]]
        env.locals[value.args[0]] = replace(
            known,
            label=label,
            presence=known.presence and declassified(known.presence, seen),
            size=known.size and declassified(known.size, seen),
        )
        if known.value is not None and key_of(v, known.value[0], env) == known.value[1]:
            env.revealed[known.value[1]] = label
    before = dict(env.revealed)
    env.revealed[key_of(v, value, env)] = label
    facts = list(_facts(v, value, env))
    for key in facts:
        _note(env, key, seen)
    told = {key[1] for key in facts if key[0] == "shown"}
    for local, known in list(env.locals.items()):  # A seat that was picked by what is shown is known by it.
        if known.label.why and known.label.why <= told and any(key[2:3] == (only(known.key),) for key in facts):
            env.locals[local] = replace(known, label=declassified(known.label, seen))
    if env.revealed != before:
        _label_locals_again(v, value, env, path)


def note_moved(v: Walk, what: CExpr, seen: Label, env: Env, path: Label) -> None:
    """Show to those who see the pieces of a move what locals were made from these pieces where they lay."""
    named = env.locals.get(what.args[0]) if what.op == "local" and isinstance(what.args[0], Local) else None
    if named is not None:
        if named.value is None or key_of(v, named.value[0], env) != named.value[1]:
            return  # What it was made from has changed since.
        what = named.value[0]
    before, env.revealed = env.revealed, dict(env.revealed)
    env.revealed[key_of(v, what, env)] = declassified(label_of(v, what, env), seen)
    for key in list(_facts(v, what, env)):
        _note(env, key, seen)
    _label_locals_again(v, what, env, path)
    env.revealed = before


def note_goods(v: Walk, s: core.CDo, env: Env) -> None:
    """Show goods that go from a bag that they are a part of, all of them, to those who see it or where they go."""
    goods, *ends = expressions(s.args)
    if goods.op != "bag_sub" or len(ends) < 2:
        return
    what, missing = expressions(goods.args)
    if missing.op != "bag_sub" or key_of(v, expressions(missing.args)[0], env) != key_of(v, what, env):
        return  # less than all of it may go, as there is no more room
    while what.op in ("bag_scale", "bag_one"):  # `1 (good)`
        what = expressions(what.args)[-1]
    copies = [*_copied(what, env)]
    if not copies or env.locals[copies[-1]].within != key_of(v, expressions(missing.args)[1], env):
        return
    for local in copies:
        known = env.locals[local]
        label, size, there = known.label, known.size, known.presence
        for end in ends:
            for sym in purses((end,)):
                seen = sight(v, sym, end, env)
                label, size = declassified(label, seen), size and declassified(size, seen)
                there = there and declassified(there, seen)
        env.locals[local] = replace(known, label=label, size=size, presence=there)


def _copied(value: CExpr, env: Env) -> Iterator[Local]:
    """Yield the local that a value is read from, that from which it was set, and so on to the first one."""
    while value.op == "cast":
        (value,) = expressions(value.args)
    if value.op == "local" and isinstance(local := value.args[0], Local) and local in env.locals:
        yield local
        made = env.locals[local].value
        if made is not None:
            yield from _copied(made[0], env)


def shown_by_move(v: Walk, condition: CExpr, body: Sequence[CStatement], env: Env, path: Label) -> Label:
    """Return who may know a condition where what it guards begins with a move: its move, done or not, shows how many of
    a zone's own pieces there are to move."""
    move = next((s for s in body if not isinstance(s, core.CSet)), None)
    seen = effect_of(move).seen(v, move, env) if isinstance(move, core.CMove) else None
    if not isinstance(move, core.CMove) or seen is None or not env.tells_nothing(seen):
        return HIDDEN
    if condition.op == "call" and (value := v.bodies[condition.args[0]].value) is not None:
        given = zip(v.bodies[condition.args[0]].parameters, expressions(condition.args), strict=False)
        condition = substitute(value, dict(given), Body())
    before = dict(env.locals), dict(env.revealed)
    whats, known = [move.what], env.locals.get(move.what.args[0]) if move.what.op == "local" else None
    if known is not None and known.value is not None and key_of(v, known.value[0], env) == known.value[1]:
        whats.append(known.value[0])
    for what in whats:
        note_reveal(v, CExpr("count", NUMBER, (what,), what.span), PUBLIC, env, path)
    label = label_of(v, condition, env)
    env.locals, env.revealed = before
    return label


def loop_shows(v: Walk, collection: CExpr, env: Env, path: Label) -> dict[Local, LocalLabel]:
    """Return what would be known of locals, as far as it is more, if a loop showed to all what it goes through."""
    before = dict(env.locals), dict(env.revealed)
    note_moved(v, collection, PUBLIC, env, path)
    if collection.op == "local" and (mine := env.locals.get(collection.args[0])) is not None:
        env.locals[collection.args[0]] = replace(mine, label=PUBLIC, size=PUBLIC, presence=PUBLIC)
    more = {local: known for local, known in env.locals.items() if known is not before[0].get(local)}
    env.locals, env.revealed = before
    return more


def _label_locals_again(v: Walk, value: CExpr, env: Env, path: Label) -> None:
    """Label what was made from what has been shown since, a value, where it would be the same now; within a bound."""
    named = {arg for part in subexpressions(value) for arg in part.args if isinstance(arg, ZoneSym | VariableSym)}
    for local, known in list(env.locals.items()) if v.read is None and v.again < MOST_AGAIN else ():
        if known.value is not None and known.label != PUBLIC and (not named or named & known.label.why):
            v.again += 1
            if key_of(v, known.value[0], env) == known.value[1]:
                env.locals[local] = _labelled_again(v, known, known.value[0], env, path)


def _labelled_again(v: Walk, known: LocalLabel, value: CExpr, env: Env, path: Label) -> LocalLabel:
    """Return what is known of a local, widened to those who know what it was made from now."""
    many = known.size is not None
    label = _wider(known.label, join(label_of(v, value, env), path))
    told = join((presence_in if many else presence)(v, value, env), path)
    there = told if known.presence is None else _wider(known.presence, told)
    size = _wider(known.size, join(size_label(v, value, env), path)) if known.size is not None else None
    return replace(known, label=label, presence=there, size=size)


def _wider(old: Label, new: Label) -> Label:
    """Return the label of those of two; the new one if these are all."""
    both = declassified(old, new)
    return new if both == new else both


def _facts(v: Walk, value: CExpr, env: Env) -> Iterator[Key]:
    """Yield the keys of the zones and variables that a value is all of, and of what it has of each seat."""
    match value:
        case CExpr(op="pieces" | "cast" | "union" | "list"):
            for part in expressions(value.args):
                yield from _facts(v, part, env)
        case CExpr(op="zone" | "family" | "var" | "purse", args=(ZoneSym() | VariableSym() as sym, *indices)):
            owners, rest = place_of(v, sym, indices, env)
            yield "shown", sym, PUBLIC if owners is None else only(owners), rest
        case CExpr(op="flatten" | "map", args=(Local() as local, CExpr() as collection, CExpr() as body)):
            bind(v, local, collection, env)
            of = owners_of(v, collection, env)
            for key in list(_facts(v, body, env)):
                yield from _generalised(key, _key(local, env), [of] if of is not None else []) or [key]
            yield from _generalised(key_of(v, body, env), _key(local, env), [of] if of is not None else []) or []


# ---- loops


def after_loop(v: Walk, local: Local, elements: Label | None, env: Env, facts: Sequence[Shown]) -> None:
    """Record what a loop has shown of each element that it went through: of all, or of those for whom a condition held.

    Args:
        elements: what the loop went through, as `owners_of` gave it before.
    """
    for key, seen, where in facts:
        if elements is None or (key[0] == "shown" and key[1] in env.forgotten):
            continue
        if key[0] == "place" and _key(local, env) in seen.keys:
            continue  # each of them knows it of its own
        owners = [elements] if where is None else _owners_where(v, local, elements, env, *where)
        for new in _generalised(key, _key(local, env), owners) or ():
            _note(env, new, seen)


def _note(env: Env, key: Key, seen: Label) -> None:
    """Record a fact about some owners; with that about all others it is one about all."""
    env.revealed[key] = seen
    if key[0] == "shown" and isinstance(key[2], Label):
        others = env.revealed.get(("shown", key[1], replace(key[2], but=not key[2].but), key[3]))
        if others is not None:
            env.revealed["shown", key[1], PUBLIC, key[3]] = join(seen, others)


def _key(local: Local, env: Env) -> Key:
    """Return the key of a local."""
    return env.locals[local].key if local in env.locals else ("local", id(local))


def _generalised(key: Key, mine: Key, owners: list[Label]) -> list[Key] | None:
    """Return a fact about a seat as facts about all owners; None if it is not about this seat."""
    if key[0] == "shown":
        if isinstance(key[3], tuple) and mine in key[3]:
            rest = tuple(HOLE if index == mine else index for index in key[3])
            return [("shown", key[1], key[2], rest)] if PUBLIC in owners else None
        return [("shown", key[1], of, key[3]) for of in owners] if key[2] == only(mine) else None
    pattern = _replaced(key, mine, HOLE)
    return [("each", of, pattern) for of in owners] if pattern != key and key[0] != "each" else None


def owners_of(v: Walk, collection: CExpr, env: Env) -> Label | None:
    """Return the elements of a collection of seats as a label, of a whole type as all; None for other collections."""
    if collection.op in EVERY or collection.op == "domain":
        return PUBLIC
    if not isinstance(element_type(collection), PlayerT):
        return None
    if collection.op in ALL_OTHERS:
        return all_but(key_of(v, expressions(collection.args)[0], env))
    return only(("in", key_of(v, collection, env)))


def _owners_where(v: Walk, local: Local, elements: Label, env: Env, condition: CExpr, key: Key) -> list[Label]:
    """Return the elements for which a condition holds, if nothing that it reads has changed since it had its key."""
    mine = _key(local, env)
    if key_of(v, condition, env) != key:
        return []
    keys = [key_of(v, expressions(condition.args)[1], env)] if condition.op == "member" and key[1] == mine else []
    if not isinstance(local.type, PlayerT):
        return []
    source = next((k[1] for k in elements.keys if k[0] == "in"), None)
    sources = [source] if source is not None else [(op, v.writes.stamp("eliminate")) for op in WHOLE]
    for body in {_replaced(key, mine, ("bound", 0)), key_of(v, condition, env, {local: ("bound", 0)})}:
        keys += [("filter", ("bound", 0), source, body) for source in sources]
    return [only(("in", key)) for key in keys]


def _replaced(key: Key, old: Key, new: Key) -> Key:
    """Return a key with another one in the place of a part."""
    if key == old:
        return new
    return tuple(_replaced(part, old, new) if isinstance(part, tuple) else part for part in key)


# ---- collections of one


AT_MOST_ONE = {("gt", 1): False, ("ge", 2): False, ("ne", 1): False, ("le", 1): True, ("lt", 2): True, ("eq", 1): True}
"""By a comparison of how many there are with a number: whether it holds, or fails, where there is at most one."""


def note_several(v: Walk, env: Env, condition: CExpr, ends: Sequence[End]) -> None:
    """Note what is shown of the elements of a collection unless there is only one: enough to know who is best of them.

    Args:
        ends: of the branches where the condition holds, and where it fails.
    """
    match condition.args:
        case (CExpr(op="count", args=(CExpr() as collection,)), CExpr(op="const", args=(int() as number,))):
            alone = AT_MOST_ONE.get((condition.op, number))
        case _:
            alone = None
    if alone is None:
        return
    source = key_of(v, collection, env)
    (_, several), (_, single) = ends[::-1] if alone else ends
    for key, seen in list(several.items()):
        if key[0] == "shown" and key[2] == only(("in", source)):
            new = ("shown", key[1], only(("several", source)), key[3])
            several[new] = single[new] = seen


# ---- what hides again


def forget(v: Walk, s: CStatement, env: Env, path: Label) -> None:
    """Drop what was shown of zones and variables that a statement changes, for those who don't see the change."""
    match s:
        case core.CMove():
            moved = join(path, label_of(v, s.what, env))
            zones = [part for part in subexpressions(s.what) if part.op in ("zone", "family")]
            _forget(v, env, moved, zones, s.zone, s.secretly, {sym for sym in moved.why if isinstance(sym, ZoneSym)})
        case core.CDraw():
            moved = join(path, label_of(v, CExpr("pieces", s.pile.type, (s.pile,)), env))
            _forget(v, env, moved, [s.pile], s.zone, s.secretly, set())
        case core.CShuffle():
            _drop(env, zone_symbol(s.pile), HIDDEN)
        case core.CDo(op="set_var"):
            _drop(env, s.args[0], join(path, labels_of(v, s.args, env)))
        case core.CDo(op="spend"):
            for sym in purses(s.args):
                _drop(env, sym, join(path, labels_of(v, s.args[:1], env)))


def _forget(
    v: Walk, env: Env, moved: Label, sources: list[CExpr], target: CExpr, secretly: bool, origins: set[ZoneSym]
) -> None:
    """Drop what was shown of the zones at both ends of a move, for those who don't see what moves."""
    ends = [(sym, zone) for zone in (target, *([] if secretly else sources)) if (sym := _zone_of(zone)) is not None]
    from_seen = not secretly and bool(sources) and all(sym.view.public for sym, _ in ends[1:])
    for sym, zone in ends[:1]:
        moved = declassified(moved, sight(v, sym, zone, env))
    for sym in {_zone_of(target), *map(_zone_of, sources), *origins}:
        _drop(env, sym, PUBLIC if from_seen else moved)


def _zone_of(zone: CExpr) -> ZoneSym | None:
    """Return the zone that an expression names."""
    return zone.args[0] if zone.op == "family" else zone_symbol(zone)


def _drop(env: Env, sym: object, known: Label) -> None:
    """Drop what was shown of a zone or variable to any who don't know what came there."""
    if known == PUBLIC:
        return
    env.forgotten.add(sym)
    for key, seen in list(env.revealed.items()):
        if key[0] == "shown" and key[1] is sym and declassified(known, seen) != known:
            del env.revealed[key]


# ---- calls


def passed(env: Env, names: Any, seats: Iterable[Key]) -> dict[Key, Label]:
    """Return what was shown to a caller in the callee's keys, as far as it has names for it; `seats` are those that it
    is given."""
    result: dict[Key, Label] = {}
    for key, seen in env.revealed.items():
        if key[0] == "shown" and isinstance(key[2], Label) and (rest := names.key_in(key[3:])) is not None:
            for seat in seats:
                if is_among(env, seat, key[2]):
                    result["shown", key[1], only(names.key(seat)), *rest] = names.label(seen)
        new = names.key_in(key)
        if new is not None:
            result[new] = names.label(seen)
    return result
