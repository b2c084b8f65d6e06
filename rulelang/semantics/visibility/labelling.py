"""Who may know the value of an expression: a table from each operation to how its label is made.

Enters: expressions of the checked tree, and what is known where they stand. Leaves: their labels, and keys that name
their values. What is no row of `LABELS` is known to those who know all its parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.certain import ValueOf, part_of, surely_some
from rulelang.semantics.analysis.nonempty import APART, SEATING
from rulelang.semantics.analysis.rows import RowFinder, Rows, piece_kind
from rulelang.semantics.analysis.writes import Stamp, Writes
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    Body,
    CExpr,
    Local,
    expressions,
    free_locals,
    mentions,
    substitute,
)
from rulelang.semantics.tree.shared import Shared, zone_symbol
from rulelang.semantics.tree.symbols import Bodies, ProcedureSym, Secrets, VariableSym, ZoneSym
from rulelang.semantics.tree.types import PLAYER, BagT, PieceT, PlayerT, SetT, Type, bare
from rulelang.semantics.visibility.classes import Way, classes, looking, members_of, widened
from rulelang.semantics.visibility.labels import (
    ACT,
    HIDDEN,
    PUBLIC,
    Env,
    Key,
    Label,
    LocalLabel,
    acted,
    all_but,
    collections_of,
    declassified,
    is_class,
    join,
    only,
)
from rulelang.semantics.visibility.lying import IDENTIFYING, Move, truth
from rulelang.semantics.visibility.summaries import Context, Summaries
from rulelang.vocabulary.operations import BINDING, FIXED_VALUES, LYING, NAMED, SOURCES, SUBSET, having, reading
from rulelang.vocabulary.operations import expressions as expressions_of
from rulelang.vocabulary.types import ZONE
from rulelang.vocabulary.views import ViewRule

NOTES: list[Callable[[Walk, Local, CExpr, Env], None]] = []
"""What else is noted of a local that holds an element of a collection."""
HOLE: Key = ("hole",)
"""In the key of a value that was shown of each of some seats: the seat."""
SAME_SIZE, SAME_PRESENCE, SUMS = having("sized"), having("nonempty"), having("sums")
PARTS = ("filter", "if", "call", "local")
NAMING = ("local", "cast")
"""Operations whose values have the keys of others."""
OF_ZONE = reading("contents") & expressions_of(lambda op: (ZONE,) in op.operands)
CONTENTS = OF_ZONE - {"size"}


Postponed = tuple[Context, frozenset[object], Env, list[LocalLabel], Label]
"""A call that is walked by itself, as it lies within too many blocks: its key in the memo, causes, what is walked."""


@dataclass
class Walk:
    """What a walk through the game knows besides the `Env` of a call."""

    shared: Shared
    bodies: Bodies
    guards: Mapping[ProcedureSym, ProcedureSym]
    asking: set[ProcedureSym]
    writes: Writes
    rows: RowFinder
    dark: frozenset[VariableSym] = frozenset()  # variables that are written of pieces that not all see
    taken: Mapping[ProcedureSym, frozenset[ZoneSym]] = field(default_factory=dict)  # zones left by what not all see go
    moves: Mapping[ProcedureSym, frozenset[Move]] = field(default_factory=dict)  # what each may move
    sources: Any = None  # what locals are made from, `whereabouts.Sources`
    chains: frozenset[ProcedureSym] = frozenset()  # what is left of events that replacements let proceed
    ways: tuple[Way, ...] = ()  # conditions of `visible`
    certain: Callable[[Way], Iterable[int]] = lambda way: ()  # seats of which one of them surely holds
    pieces: dict[int, tuple[CExpr, frozenset[Local]]] = field(default_factory=dict)
    summaries: Summaries = field(default_factory=Summaries)
    calls: int = 0
    walked: Counter[ProcedureSym] = field(default_factory=Counter)  # how many calls of it were told apart
    paths: dict[ProcedureSym, Label] = field(default_factory=dict)  # on which further calls of it were reached
    again: int = 0  # how often locals were labelled again after what they were made from was shown
    blocks: int = 0  # that are walked within each other
    nested: dict[ProcedureSym, int] = field(default_factory=dict)  # blocks within each other of a procedure
    postponed: list[Postponed] = field(default_factory=list)  # calls for which there are too many
    read: Label | None = None  # inside a `possible`: who may know everything that was read so far
    claimed: core.CChoose | None = None  # the last decision of which the author claims that it has an option
    reported: Span | None = None  # what was found wrong with the present decision
    secrets: Secrets = field(default_factory=Secrets)
    causes: frozenset[object] = frozenset()  # what decisions were found to depend on: what follows from it too

    def has_identity(self, kind: str) -> bool:
        """Return whether the pieces of a kind have identity."""
        return self.shared.kind(kind).identity


# ---- keys


def key_of(v: Walk, expr: CExpr, env: Env, bound: dict[Local, Key] | None = None) -> Key:
    """Return a key of an expression's value: equal keys are surely equal values.

    Locals that the expression binds itself are numbered by depth (de Bruijn levels), so that alpha-equivalent
    expressions have one key. What reads the state carries the version of that state.
    """
    op, args = expr.op, expr.args
    if op == "local" and isinstance(args[0], Local):
        if bound and args[0] in bound:
            return bound[args[0]]
        known = env.locals.get(args[0])
        return known.key if known is not None else ("local", id(args[0]))
    if op == "cast" and isinstance(args[0], CExpr):
        return key_of(v, args[0], env, bound)
    outer = inner = bound or {}
    if op in BINDING:
        binds = [arg for arg in args if isinstance(arg, Local)]
        inner = outer | {local: ("bound", len(outer) + number) for number, local in enumerate(binds)}
    last = len(args) - 1  # It alone reads what is bound.
    parts: list[object] = [op]
    for number, arg in enumerate(args):
        if isinstance(arg, CExpr):
            parts.append(key_of(v, arg, env, inner if number == last else outer))
        else:
            parts.append(inner[arg] if isinstance(arg, Local) else arg)
    return (*parts, *_state_version(v, expr))


def _state_version(v: Walk, expr: CExpr) -> tuple[Stamp, ...]:
    """Return the version of the state that an operation reads (how often it was written so far); empty if it reads
    none."""
    if NAMED.get(expr.op) in ("var", "pvar"):
        return (v.writes.stamp(expr.args[0]),)
    if expr.op == "cell_of":
        return (v.writes.stamp(piece_kind(expressions(expr.args)[0].type)),)
    if expr.op in OF_ZONE:
        sym = zone_symbol(_zone_operand(expr))
        return (v.writes.stamp(sym.kind if sym is not None else None),)
    if expr.op in SEATING:
        return (v.writes.stamp("eliminate"),)
    return () if expr.op in FIXED_VALUES else (v.writes.stamp(None),)


def _zone_operand(expr: CExpr) -> Any:
    """Return the operand that is the zone whose contents an operation reads."""
    return expr.args[1 if expr.op == "in_zone" else 0]


def _mentions(key: Key, part: Key) -> bool:
    """Return whether a key contains another key."""
    return key == part or any(isinstance(k, tuple) and _mentions(k, part) for k in key)


# ---- rows


def rows_of(v: Walk, expr: CExpr, env: Env) -> Rows:
    """Return the rows that a piece, or the pieces of a collection, can be of; None for all of the kind."""
    return v.rows.rows(expr, _rows_in(env))


def _rows_in(env: Env) -> Callable[[Local], Rows]:
    """Return a lookup of the possible rows of the pieces in locals."""

    def find(local: Local) -> Rows:
        """Return the possible rows of one local."""
        known = env.locals.get(local)
        return known.rows if known is not None else None

    return find


def known_truth(v: Walk, condition: CExpr, env: Env) -> bool | None:
    """Return whether a condition surely holds or fails by the possible rows of pieces, where they can lie and what
    locals hold; None if these do not decide it."""
    sure = truth(condition, env, v.has_identity)
    if sure is not None:
        return sure
    return v.rows.truth(condition, _rows_in(env)) if _pieces_in(v, condition) else None


def _pieces_in(v: Walk, expr: CExpr) -> frozenset[Local]:
    """Return the locals that hold pieces and that an expression reads and does not bind itself; memoised by the
    expression's identity."""
    entry = v.pieces.get(id(expr))
    if entry is None:
        piece_locals = frozenset(local for local in free_locals(expr) if piece_kind(local.type) is not None)
        entry = v.pieces[id(expr)] = expr, piece_locals
    return entry[1]


@contextmanager
def narrowed(v: Walk, env: Env, conditions: Sequence[CExpr], holds: bool) -> Iterator[None]:
    """Restrict pieces in locals, within the block, to the rows for which the conditions may hold (`holds`) or may
    fail."""
    before: dict[Local, LocalLabel] = {}
    looked = env.looking
    if holds and v.ways:
        env.looking = looked.union(
            *(looking(v.ways, condition, lambda e: key_of(v, e, env)) for condition in conditions)
        )
    for condition in conditions:
        for local in _pieces_in(v, condition):
            known = env.locals.get(local)
            if known is not None:
                before.setdefault(local, known)
                rows = v.rows.narrowed(condition, local, known.rows, _rows_in(env), holds)
                env.locals[local] = known if rows == known.rows else replace(known, rows=rows)
    inside = {local: env.locals[local] for local in before}
    yield
    env.looking = looked
    for local, known in before.items():
        after = env.locals[local]
        env.locals[local] = known if after is inside[local] else replace(after, rows=known.rows)


# ---- labels


def label_of(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return who may know the value of an expression; an earlier reveal of it takes precedence."""
    revealed = _revealed(v, expr, env)
    result = revealed if revealed is not None else LABELS.get(expr.op, _label_of_operands)(v, expr, env)
    if v.read is not None:
        v.read = join(v.read, result)
    return result


def _revealed(v: Walk, expr: CExpr, env: Env) -> Label | None:
    """Return to whom the value of an expression was shown; None if it wasn't."""
    if not env.revealed:
        return None
    heads = ("each", expr.op)
    if expr.op not in NAMING and not any(fact[0] in heads for fact in env.revealed):
        return None
    key = key_of(v, expr, env)
    return env.revealed.get(key) or shown_of_each(key, env)


def labels_of(v: Walk, args: Sequence[object], env: Env) -> Label:
    """Return who may know all the expressions among `args`: the join of their labels."""
    result = PUBLIC
    for arg in args:
        if isinstance(arg, CExpr):
            result = join(result, label_of(v, arg, env))
    return result


def _label_of_operands(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return the join of the operands' labels, the rule for operations without a row in `LABELS`."""
    return labels_of(v, expr.args, env)


def label_unshown(v: Walk, args: Sequence[object], env: Env) -> Label:
    """Return the label of some expressions without what was revealed: whoever chooses of it again does so unseen."""
    revealed, env.revealed = env.revealed, {}
    label = labels_of(v, args, env)
    env.revealed = revealed
    return label


def presence(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return who may know whether an optional value is absent; of the top of a pile, who knows whether the pile is
    empty."""
    if expr.op == "local" and isinstance(expr.args[0], Local):
        known = env.locals.get(expr.args[0])
        if known is not None and known.presence is not None:
            return known.presence
    if expr.op == "cast" and isinstance(expr.args[0], CExpr):
        return presence(v, expr.args[0], env)
    if expr.op in ("first", "last"):
        return presence_in(v, expressions(expr.args)[0], env)
    return presence_in(v, expr, env) if expr.op in ("top", "bottom") else label_of(v, expr, env)


def presence_in(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return who may know whether a collection is empty; of a zone's pieces, who may know their number."""
    if expr.op in PARTS:
        found = part_of(expr, _value_in(v, env), v.bodies)
        if found is not None and found.condition is not None and found.whole.op not in PARTS:
            return presence_where(v, found.local, found.whole, [found.condition], env)
    if expr.op in SAME_PRESENCE:
        inner = next(arg for arg in expressions(expr.args))
        return presence_in(v, inner, env)
    if expr.op == "local" and isinstance(expr.args[0], Local):
        known = env.locals.get(expr.args[0])
        return known.presence if known is not None and known.presence is not None else label_of(v, expr, env)
    return size_label(v, expr, env)


def presence_where(v: Walk, local: Local, collection: CExpr, conditions: Sequence[CExpr], env: Env) -> Label:
    """Return who may know whether a collection has an element for which conditions hold."""
    if collection.op in PARTS:
        found = part_of(collection, _value_in(v, env), v.bodies)
        if found is not None and found.condition is not None and found.whole.op not in PARTS:
            here = CExpr("local", found.local.type, (found.local,))
            further = [substitute(condition, {local: here}, Body()) for condition in conditions]
            return presence_where(v, found.local, found.whole, [found.condition, *further], env)
    plain = [condition for condition in conditions if not mentions(condition, local)]
    source = values_among(local, conditions) if collection.op == "domain" else None
    if source is not None:
        return presence_in(v, source[0], env)
    if len(plain) < len(conditions):
        fitting = CExpr("filter", collection.type, (local, collection, reduce(_both, conditions)))
        outer = env.locals.get(local)
        label = label_of(v, fitting, env)
        if outer is not None:
            env.locals[local] = outer
        if label == PUBLIC or not surely_some(v.bodies, _value_in(v, env), local, collection, conditions):
            return label
        plain = []
    return join(presence_in(v, collection, env), labels_of(v, plain, env))


def _value_in(v: Walk, env: Env) -> ValueOf:
    """Return a lookup of what locals were made from, where that would be the same now."""

    def find(local: Local) -> CExpr | None:
        """Return what one local was made from."""
        known = env.locals.get(local)
        if known is None or known.value is None or key_of(v, known.value[0], env) != known.value[1]:
            return None
        return known.value[0]

    return find


def values_among(local: Local, conditions: Sequence[CExpr]) -> tuple[CExpr, Type] | None:
    """Return the collection that has an element if a value of a whole type fulfils a condition: `it in hand.colour`,
    `any(c.colour = it for c in hand)`, and the type of its values; None for other conditions."""
    match conditions:
        case (CExpr(op="member", args=(CExpr(op="local", args=(value,)), CExpr() as source)),) if value is local:
            element = bare(source.type)
            return (source, element.element) if isinstance(element, SetT) and not mentions(source, local) else None
        case (CExpr(op="any", args=(element, CExpr() as source, CExpr(op="eq", args=sides))),):
            others = [side for side in sides if side.op != "local" or side.args[0] is not local]
            alone = len(others) == 1 and not mentions(others[0], local) and mentions(others[0], element)
            return (source, others[0].type) if alone and not mentions(source, local) else None
    return None


def _both(left: CExpr, right: CExpr) -> CExpr:
    """Return the condition that both hold."""
    return CExpr("and", left.type, (left, right), left.span)


def size_label(v: Walk, expr: CExpr, env: Env) -> Label:
    """Return who may know how many elements a collection has, or whether a single value is there."""
    if env.revealed:
        key: Key = ("count", key_of(v, expr, env))
        shown = env.revealed.get(key) or shown_of_each(key, env)
        if shown is not None:
            return shown
    if expr.op in LYING and len(expr.args) == 1:
        return label_of(v, CExpr("size", expr.type, expr.args, expr.span), env)
    if expr.op == "family":
        return join(_label_of_operands(v, expr, env), counting(v, expr.args[0], expr, env))
    if expr.op in SAME_SIZE:
        return size_label(v, next(arg for arg in expressions(expr.args)), env)
    if expr.op in LYING:
        zone, number = expressions(expr.args)
        return join(label_of(v, CExpr("size", number.type, (zone,), expr.span), env), label_of(v, number, env))
    if expr.op == "union":
        return reduce(join, [size_label(v, part, env) for part in expressions(expr.args)])
    if expr.op == "local" and isinstance(expr.args[0], Local):
        known = env.locals.get(expr.args[0])
        size = known.size if known is not None and isinstance(bare(expr.type), SetT) else None
        if size is not None:
            return size
    if isinstance(expr.type, PieceT):
        return PUBLIC  # a piece that is there is one
    if isinstance(expr.type, BagT):
        return bag_size_label(v, expr, env)
    return label_of(v, expr, env) if isinstance(bare(expr.type), SetT) else presence(v, expr, env)


def sight(v: Walk, sym: ZoneSym | VariableSym, place: CExpr | None, env: Env) -> Label:
    """Return who may see a zone or variable by its declared visibility.

    Args:
        place: the expression that names it with its indices, which say whose it is; None for no owner.
    """
    label = _visibility_label(sym, sym.view, _owner_key(v, place, env) if place is not None else ())
    return widened(label, env, v.certain)


def counting(v: Walk, sym: ZoneSym | VariableSym, place: CExpr, env: Env) -> Label:
    """Return who may count what is in a zone or bag by its declared visibility; `place` as for `sight`."""
    return _visibility_label(sym, sym.view.counted, _owner_key(v, place, env))


def _visibility_label(sym: ZoneSym | VariableSym, view: ViewRule, owner: Key) -> Label:
    """Return the label of a rule of visibility (`all`, `owner`, `others`, …) for a given owner (empty for none)."""
    if view.public:
        return PUBLIC
    label = HIDDEN
    if view.own != view.others and owner:
        label = only(owner) if view.own else all_but(owner)
    if view.some:
        label = replace(label, keys=label.keys | classes(sym, owner))
    return replace(label, why=frozenset((sym,)))


def _owner_key(v: Walk, expr: CExpr, env: Env) -> Key:
    """Return the key of the player who owns the zone or variable that an expression names; empty if nobody does."""
    sym, *indices = expr.args
    if isinstance(sym, VariableSym | ZoneSym) and sym.per and isinstance(sym.per[0], PlayerT) and indices:
        return key_of(v, expressions(indices)[0], env)
    return ()


def label_of_active_pieces(active: CExpr, owner: Key) -> Label:
    """Return who may know which pieces of the seat `owner` are active: who sees all active zones of the kind."""
    result = PUBLIC
    for zone in active.args[0].active:
        result = join(result, _visibility_label(zone, zone.view, owner))
    return result


def bind(v: Walk, local: Local, collection: CExpr, env: Env) -> None:
    """Label a local that holds an element of a collection, and record from which seat it surely differs (`others` and
    the like)."""
    key: Key = ("local", id(local))
    source: Any = collection
    while source.op in SUBSET and source.args:
        source = source.args[SOURCES[source.op]]
    env.apart = {pair for pair in env.apart if key not in pair}
    if source.op in APART and isinstance(source.args[0], CExpr):
        env.apart.add(frozenset((key, key_of(v, source.args[0], env))))
    if isinstance(bare(local.type), PlayerT):
        note_members(v, local, collection, env)
        env.looking = {pair for pair in env.looking if key not in pair} | set(_looking_in(v, local, collection, env))
    env.locals[local] = LocalLabel(label_of(v, collection, env), key, rows=rows_of(v, collection, env))
    for note in NOTES:
        note(v, local, collection, env)


def looks(v: Walk, condition: CExpr, env: Env) -> set[tuple[Key, Key]]:
    """Return the seats, each with its class, that may look where a condition holds."""
    return set(looking(v.ways, condition, lambda e: key_of(v, e, env)))


def _looking_in(v: Walk, local: Local, collection: CExpr, env: Env) -> Iterator[tuple[Key, Key]]:
    """Yield the classes that an element of a collection of seats is one of, as its conditions say."""
    here = CExpr("local", local.type, (local,))
    while collection.op in SUBSET and collection.args and v.ways:
        if collection.op == "filter" and isinstance(collection.args[0], Local):
            condition = expressions(collection.args)[-1]
            known = substitute(condition, {collection.args[0]: here}, Body())
            yield from looks(v, known, env)
        inner = collection.args[SOURCES[collection.op]]
        if not isinstance(inner, CExpr):
            return
        collection = inner
    if collection.op == "list":
        seats = {key_of(v, part, env) for part in expressions(collection.args)}
        for way in v.ways:
            if seats <= {("const", seat) for seat in v.certain(way)}:
                yield key_of(v, here, env), ("looks", (), way)


# ---- what was shown


def place_of(v: Walk, sym: ZoneSym | VariableSym, indices: Iterable[object], env: Env) -> tuple[Key | None, Any]:
    """Return the key of whose zone or variable it is (None for nobody's), and those of its other indices (None for
    all)."""
    keys = [key_of(v, index, env) for index in expressions(indices)]
    owner = keys.pop(0) if keys and sym.per and isinstance(sym.per[0], PlayerT) else None
    whole = len(keys) < len(sym.per) - (owner is not None)
    return owner, None if whole or not keys else tuple(keys)


def shown_to(v: Walk, expr: CExpr, label: Label, env: Env) -> Label:
    """Return the label of a zone's pieces or a variable, widened to those to whom it was shown."""
    sym, *indices = expr.args
    facts = [(key, seen) for key, seen in env.revealed.items() if key[0] == "shown" and key[1] is sym]
    if not facts:
        return label
    owner, rest = place_of(v, sym, indices, env)
    for (_, _, owners, shown), seen in facts:
        if isinstance(owners, Label) and is_among(env, owner, owners) and _covers(shown, rest):
            label = declassified(label, seen)
    return label


def _covers(shown: object, indices: tuple[Key, ...] | None) -> bool:
    """Return whether what was shown (None: all places; `HOLE`: any index) has the place with these indices."""
    if not isinstance(shown, tuple) or indices is None:
        return shown is None
    return all(index in (HOLE, other) for index, other in zip(shown, indices, strict=True))


def is_among(env: Env, seat: Key | None, owners: Label) -> bool:
    """Return whether a seat is surely one of some owners."""
    if seat is None or owners == PUBLIC:
        return owners == PUBLIC
    collections = members_of(env, seat)
    return env.knows(seat, owners) or any(("in", collection) in owners.keys for collection in collections)


def note_members(v: Walk, local: Local, collection: CExpr, env: Env) -> None:
    """Record of a seat that is bound to an element of a collection from which collections it is."""
    env.members["local", id(local)] = collections_of(key_of(v, collection, env))


def shown_of_each(key: Key, env: Env) -> Label | None:
    """Return the label of a value that was shown of each of some seats, this one among them."""
    for fact, seen in env.revealed.items():
        if fact[0] == "each" and isinstance(fact[1], Label) and isinstance(fact[2], tuple):
            seats: list[Key] = []
            if fits(fact[2], key, seats) and len(set(seats)) == 1 and is_among(env, seats[0], fact[1]):
                return seen
    return None


def fits(pattern: Key, key: object, seats: list[Key]) -> bool:
    """Return whether a key is a pattern with seats in the place of `HOLE`, and collect these."""
    if not isinstance(key, tuple):
        return False
    if pattern == HOLE:
        seats.append(key)
        return True
    return len(pattern) == len(key) and all(
        fits(part, other, seats) if isinstance(part, tuple) else part == other
        for part, other in zip(pattern, key, strict=True)
    )


# ---- operations


def _label_of_local(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of the value in a local."""
    known = env.locals.get(expr.args[0])
    if known is None or (known.pieces and all(label_of_piece(v, piece, env) == PUBLIC for piece in known.pieces)):
        return PUBLIC
    return known.label


def label_of_piece(v: Walk, piece: Local, env: Env) -> Label:
    """Return who may know which piece a local holds."""
    return label_of(v, CExpr("local", piece.type, (piece,)), env)


def pieces_that_tell(v: Walk, value: CExpr, env: Env) -> tuple[Local, ...]:
    """Return the parameters whose pieces tell a value as it is now: whoever knows which these are knows it from then
    on. None where it is another secret, too."""
    read = free_locals(value)
    through = (piece for local in read if local in env.locals for piece in env.locals[local].pieces)
    told = dict.fromkeys(local for local in (*read, *through) if local in env.parameters and _is_secret(v, local, env))
    if not told or v.read is not None:
        return ()
    before, env.revealed = env.revealed, dict(env.revealed)
    for piece in told:
        env.revealed[key_of(v, CExpr("local", piece.type, (piece,)), env)] = PUBLIC
    label, env.revealed = label_of(v, value, env), before
    return tuple(told) if label == PUBLIC else ()


def _is_secret(v: Walk, local: Local, env: Env) -> bool:
    """Return whether a local holds a piece that not all may know."""
    return piece_kind(local.type) is not None and label_of_piece(v, local, env) != PUBLIC


def _label_of_variable(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of a variable's value: those who see it by declaration and know its indices."""
    sym = expr.args[0]
    seen = PUBLIC if sym.internal or sym.view.public else shown_to(v, expr, sight(v, sym, expr, env), env)
    return join(seen, _label_of_operands(v, expr, env))


def _label_of_contents(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know the pieces, or the number of pieces, in a zone."""
    if truth(expr, env, v.has_identity) is not None:
        return PUBLIC
    zone = _zone_operand(expr)
    label = _label_of_operands(v, expr, env)
    sym = zone_symbol(zone)
    if sym is None:
        return HIDDEN if expr.op in CONTENTS else label
    if expr.op == "size":
        counted = counting(v, sym, zone, env)
        return join(label, shown_to(v, zone, counted, env)) if counted != PUBLIC else label
    only_top = expr.op == "tops" and isinstance(n := expr.args[1], CExpr) and (n.op, n.args) == ("const", (1,))
    if sym.view.public or (sym.view.top and (expr.op == "top" or only_top)):
        return label
    return join(label, shown_to(v, zone, sight(v, sym, zone, env), env))


def bag_size_label(v: Walk, bag: CExpr, env: Env) -> Label:
    """Return who may know how many goods a bag has: who may count the variables that it is made from, or knows it."""
    parts = expressions(bag.args)
    match bag.op:
        case "var":
            sym = bag.args[0]
            assert isinstance(sym, VariableSym)
            counted = join(_label_of_operands(v, bag, env), counting(v, sym, bag, env))
        case op if op in SUMS:
            counted = reduce(join, (bag_size_label(v, part, env) for part in parts), PUBLIC)
        case "purse":
            sym = bag.args[0]
            assert isinstance(sym, VariableSym)
            counted = join(_label_of_operands(v, bag, env), counting(v, sym, bag, env))
        case "bag_scale":
            counted = join(label_of(v, parts[0], env), bag_size_label(v, parts[1], env))
        case "bag_one":
            counted = PUBLIC
        case "if":
            counted = reduce(join, (bag_size_label(v, part, env) for part in parts[1:]), label_of(v, parts[0], env))
        case "local" if isinstance(bag.args[0], Local) and (known := env.locals.get(bag.args[0])) and known.size:
            counted = known.size
        case _:
            return label_of(v, bag, env)
    return counted if counted == PUBLIC else declassified(counted, label_of(v, bag, env))


def _label_of_active(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know which pieces of a kind are active; nobody as a whole where an active zone is not public."""
    unseen = frozenset(zone for zone in expr.args[0].active if not zone.view.public)
    return Label(False, why=unseen) if unseen else PUBLIC


def _label_of_conditional(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of a conditional expression; where the possible rows decide the condition, of the chosen side
    alone."""
    condition, *sides = expr.args
    sure = known_truth(v, condition, env)
    result = label_of(v, condition, env) if sure is None else PUBLIC
    for holds, side in zip((True, False), sides, strict=True):
        if sure is not (not holds):
            with narrowed(v, env, [condition], holds):
                result = join(result, label_of(v, side, env))
    return result


def _label_of_logic(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of `and` or `or`; the right side is read only where the left one holds or fails.

    Each part narrows what comes after it once, as there may be many in each other.
    """
    if truth(expr, env, v.has_identity) is not None:
        return PUBLIC
    with ExitStack() as stack:

        def side(part: CExpr) -> Label:
            """Return the label of a side, which narrows what comes after it."""
            if part.op == expr.op and _revealed(v, part, env) is None:
                return reduce(join, map(side, expressions(part.args)))
            label = label_of(v, part, env)
            stack.enter_context(narrowed(v, env, [part], expr.op == "and"))
            return label

        return reduce(join, map(side, expressions(expr.args)))


def _label_of_fold(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of an operation that evaluates a body for each element of a collection."""
    local, collection, body = expr.args
    bind(v, local, collection, env)
    whose = _seat_compared_with_owner(body, local) if collection.op == "active" and expr.op == "filter" else None
    if whose is not None:
        # Of a seat's own pieces in force that seat knows, where it sees the zones.
        label = label_of_active_pieces(collection, key_of(v, whose, env))
        env.locals[local] = replace(env.locals[local], label=label)
    result = env.locals[local].label
    with _shown_of_several(v, collection, env) if expr.op in ("most", "fewest") else nullcontext():
        inner = label_of(v, body, env)
    element = CExpr("local", local.type, (local,))
    if collection.op == "active" and inner == only(key_of(v, CExpr("owner", PLAYER, (element,)), env)):
        # A piece's rule may look at what its owner sees; that it applies is then seen.
        inner = PUBLIC
    # What is read of each element's own (`p.hand` for every p) is nobody's to know as a whole.
    if any(_mentions(key, ("local", id(local))) for key in inner.keys):
        kept = () if inner.but or not any(map(is_class, inner.keys)) else inner.keys - {ACT}
        inner = Label(False, frozenset(k for k in kept if not _mentions(k, ("local", id(local)))), why=inner.why)
    return join(result, inner)


def _label_of_identity(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know whether two values are the same, or one is among others; a piece is no other one that lies
    elsewhere."""
    return PUBLIC if truth(expr, env, v.has_identity) is not None else _label_of_operands(v, expr, env)


def _label_of_any(v: Walk, expr: Any, env: Env) -> Label:
    """Return who may know whether a body holds for some element: also who was shown how many, or which, these are."""
    label = _label_of_fold(v, expr, env)
    if label == PUBLIC or not env.revealed:
        return label
    return declassified(label, size_label(v, CExpr("filter", expr.args[1].type, expr.args, expr.span), env))


@contextmanager
def _shown_of_several(v: Walk, collection: CExpr, env: Env) -> Iterator[None]:
    """Take for shown, within the block, what is shown of the elements of a collection unless there is only one."""
    before, source = env.revealed, key_of(v, collection, env)
    several = {key: seen for key, seen in before.items() if key[0] == "shown" and key[2] == only(("several", source))}
    if several:
        of = only(("in", source))
        env.revealed = before | {(key[0], key[1], of, key[3]): seen for key, seen in several.items()}
    yield
    env.revealed = before


def _seat_compared_with_owner(condition: CExpr, piece: Local) -> CExpr | None:
    """Return the seat that a condition compares the owner of `piece` with, or None if there is no such comparison."""
    if condition.op == "and":
        return next(
            (seat for part in expressions(condition.args) if (seat := _seat_compared_with_owner(part, piece))), None
        )
    if condition.op != "eq":
        return None
    left, right = expressions(condition.args)
    while left.op == "cast" and isinstance(left.args[0], CExpr):
        left = left.args[0]
    owned = left.op == "owner" and isinstance(left.args[0], CExpr) and left.args[0].args[:1] == (piece,)
    return right if owned else None


def _label_of_seat_value(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of one seat's value of a `together choose`: known to that seat if each seat knows its own."""
    values, seat = expr.args
    label = label_of(v, values, env)
    own, whose = only(("own", key_of(v, values, env))), key_of(v, seat, env)
    if label == own:
        label = acted(only(whose), whose, not label.acts)
    return join(label, label_of(v, seat, env))


LABELS: dict[str, Callable[[Walk, Any, Env], Label]] = {
    "local": _label_of_local,
    **dict.fromkeys(("var", "purse"), _label_of_variable),
    **dict.fromkeys(OF_ZONE, _label_of_contents),
    "family": lambda v, expr, env: join(
        _label_of_operands(v, expr, env), shown_to(v, expr, sight(v, expr.args[0], expr, env), env)
    ),
    "count": lambda v, expr, env: size_label(v, expr.args[0], env),
    "bag_size": lambda v, expr, env: bag_size_label(v, expr.args[0], env),
    "active": _label_of_active,
    "if": _label_of_conditional,
    **dict.fromkeys(("and", "or"), _label_of_logic),
    "is_none": lambda v, expr, env: presence(v, expr.args[0], env),
    **dict.fromkeys(BINDING, _label_of_fold),
    "any": _label_of_any,
    **dict.fromkeys(IDENTIFYING - OF_ZONE, _label_of_identity),
    **dict.fromkeys(("get_seat", "answer"), _label_of_seat_value),
}
"""How an expression is labelled, whose arguments are as its operation demands."""
