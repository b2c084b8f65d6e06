"""What a seat is asked, and whether it is asked, may depend only on what that seat sees.

Every value gets a label: public, seen by one seat, seen by all but one, or hidden. Labels follow values through locals
and calls, and conditions label what happens under them; at each decision the labels must admit the seat that is asked.
Writing to what all see, and
`reveal`, make a value public. Seats are told apart by how they were computed, so the check errs on the strict side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rulelang.diagnostics import Span
from rulelang.semantics import core
from rulelang.semantics.base import Shared
from rulelang.semantics.choices import source_text
from rulelang.semantics.core import CExpr, CStatement, Local
from rulelang.semantics.symbols import KindSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.types import PlayerT, bare

Key = tuple[object, ...]


@dataclass(frozen=True)
class Label:
    """Who may know a value: `public`, `seat` (only `key`), `others` (all but `key`), `hidden`."""

    sort: str
    key: Key = ()


PUBLIC, HIDDEN = Label("public"), Label("hidden")


def join(a: Label, b: Label) -> Label:
    """The label of a value made from both."""
    if a == b or b == PUBLIC:
        return a
    return b if a == PUBLIC else HIDDEN


@dataclass
class Known:
    """What is known of a local.

    Its label, which seat it is, seats it surely is not, and who may know whether it is there at all (None: as its
    label).
    """

    label: Label
    key: Key
    apart: frozenset[Key] = frozenset()
    there: Label | None = None


@dataclass
class Env:
    """The locals of one call, what was revealed, and the label of the path to here."""

    procedure: ProcedureSym
    locals: dict[Local, Known] = field(default_factory=dict)
    revealed: dict[Key, Label] = field(default_factory=dict)
    result: Label = PUBLIC


APART = ("others", "opponents", "teammates", "players_after")
SIZES = ("size",)
CONTENTS = ("pieces", "top", "bottom", "tops", "bottoms", "in_zone")
FOLDS = ("filter", "map", "flatten", "sum", "any", "all", "max", "min", "most", "fewest", "group")
MAX_CALLS = 20_000


class Visibility:
    """Walks the game from `setup` and `play` through every call, with labels."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked
        self._seen: dict[tuple[object, ...], Label] = {}
        self._active: set[tuple[object, ...]] = set()
        self._calls = 0

    def run(self) -> None:
        """Reports every decision that depends on what the asked seat can't see."""
        for procedure in (self.checked.setup, self.checked.play):
            if procedure is not None:
                self.sequence(procedure.body.statements, Env(procedure), PUBLIC)

    # ---- expressions

    def key(self, expr: CExpr, env: Env) -> Key:
        """A name for the value of an expression, equal only for equal values."""
        if expr.op == "local" and isinstance(expr.args[0], Local):
            known = env.locals.get(expr.args[0])
            return known.key if known is not None else ("local", id(expr.args[0]))
        if expr.op == "cast" and isinstance(expr.args[0], CExpr):
            return self.key(expr.args[0], env)
        parts = (
            self.key(arg, env) if isinstance(arg, CExpr) else id(arg) if isinstance(arg, Local) else arg
            for arg in expr.args
        )
        return (expr.op, *parts)

    def label(self, expr: CExpr, env: Env) -> Label:
        """Who may know the value of an expression."""
        if env.revealed:
            shown = env.revealed.get(self.key(expr, env))
            if shown is not None:
                return shown
        op = expr.op
        if op == "local":
            local = expr.args[0]
            assert isinstance(local, Local)
            known = env.locals.get(local)
            return known.label if known is not None else PUBLIC
        if op in ("var", "purse"):
            return self.variable(expr, env)
        if op == "zone":
            return self.parts(expr, env)
        if op in CONTENTS or op in SIZES:
            return self.zone(expr, env)
        if op == "family":
            return self.family(expr, env)
        if op == "active":
            kind = expr.args[0]
            assert isinstance(kind, KindSym)
            return PUBLIC if all(z.decl.visible == "all" for z in kind.active) else HIDDEN
        if op in FOLDS:
            return self.fold(expr, env)
        if op == "call":
            return self.function(expr, env)
        if op == "possible":
            return PUBLIC
        if op == "is_none" and isinstance(expr.args[0], CExpr):
            return self.presence(expr.args[0], env)
        return self.parts(expr, env)

    def presence(self, expr: CExpr, env: Env) -> Label:
        """Who may know whether an optional value is there: an end of a pile is, unless the pile is empty."""
        if expr.op == "local" and isinstance(expr.args[0], Local):
            known = env.locals.get(expr.args[0])
            if known is not None and known.there is not None:
                return known.there
        if expr.op == "cast" and isinstance(expr.args[0], CExpr):
            return self.presence(expr.args[0], env)
        if expr.op in ("top", "bottom") and isinstance(expr.args[0], CExpr):
            return self.label(CExpr("size", expr.type, expr.args, expr.span), env)
        return self.label(expr, env)

    def parts(self, expr: CExpr, env: Env) -> Label:
        result = PUBLIC
        for arg in expr.args:
            if isinstance(arg, CExpr):
                result = join(result, self.label(arg, env))
        return result

    def sight(self, visible: str, owner: Key) -> Label:
        """The label of what is declared `visible: …`, for its owner."""
        if visible == "all":
            return PUBLIC
        if visible == "owner" and owner:
            return Label("seat", owner)
        if visible == "others" and owner:
            return Label("others", owner)
        return HIDDEN

    def owner(self, expr: CExpr, env: Env) -> Key:
        """The seat whose variable or zone an expression names, if it is a player's."""
        sym = expr.args[0] if expr.args else None
        if (
            isinstance(sym, VariableSym | ZoneSym)
            and sym.per
            and isinstance(sym.per[0], PlayerT)
            and len(expr.args) > 1
        ):
            first = expr.args[1]
            assert isinstance(first, CExpr)
            return self.key(first, env)
        return ()

    def variable(self, expr: CExpr, env: Env) -> Label:
        sym = expr.args[0]
        assert isinstance(sym, VariableSym)
        label = PUBLIC if sym.internal else self.sight(sym.visible, self.owner(expr, env))
        return join(label, self.parts(expr, env))

    def zone(self, expr: CExpr, env: Env) -> Label:
        zone = expr.args[1] if expr.op == "in_zone" else expr.args[0]
        assert isinstance(zone, CExpr)
        label = self.parts(expr, env)
        sym = zone.args[0] if zone.op == "zone" else None
        if not isinstance(sym, ZoneSym):
            return HIDDEN if expr.op in CONTENTS else label
        visible = sym.decl.visible
        if expr.op in SIZES:
            return HIDDEN if visible == "nobody" else label
        if visible == "top" and expr.op == "top":
            return label
        return join(label, self.sight(visible, self.owner(zone, env)))

    def family(self, expr: CExpr, env: Env) -> Label:
        sym = expr.args[0]
        assert isinstance(sym, ZoneSym)
        return join(self.parts(expr, env), self.sight(sym.decl.visible, self.owner(expr, env)))

    def bind(self, local: Local, collection: CExpr, env: Env) -> None:
        """An element of a collection."""
        apart: frozenset[Key] = frozenset()
        source = collection
        while source.op in ("filter", "most", "fewest", "difference") and source.args:
            inner = source.args[1] if source.op != "difference" else source.args[0]
            assert isinstance(inner, CExpr)
            source = inner
        if source.op in APART and isinstance(source.args[0], CExpr):
            apart = frozenset((self.key(source.args[0], env),))
        env.locals[local] = Known(self.label(collection, env), ("local", id(local)), apart)

    def fold(self, expr: CExpr, env: Env) -> Label:
        local, collection, body = expr.args
        assert isinstance(local, Local)
        assert isinstance(collection, CExpr)
        assert isinstance(body, CExpr)
        self.bind(local, collection, env)
        result = self.label(collection, env)
        inner = self.label(body, env)
        if collection.op == "active" and inner == Label("seat", ("owner", ("local", id(local)))):
            # A piece's rule may look at what its owner sees; that it applies is then seen.
            inner = PUBLIC
        # What is read of each element's own (`p.hand` for every p) is nobody's to know as a whole.
        if inner.key and self.mentions(inner.key, ("local", id(local))):
            inner = HIDDEN
        return join(result, inner)

    def mentions(self, key: Key, part: Key) -> bool:
        return key == part or any(isinstance(k, tuple) and self.mentions(k, part) for k in key)

    def function(self, expr: CExpr, env: Env) -> Label:
        sym = expr.args[0]
        assert isinstance(sym, ProcedureSym)
        return self.enter(sym, [a for a in expr.args[1:] if isinstance(a, CExpr)], env, PUBLIC)

    def enter(self, sym: ProcedureSym, args: Sequence[CExpr], env: Env, path: Label) -> Label:
        """Walks a procedure as called from here; gives the label of its result."""
        known: list[Known] = []
        for arg in args:
            apart = frozenset[Key]()
            if arg.op == "local" and isinstance(arg.args[0], Local) and arg.args[0] in env.locals:
                apart = env.locals[arg.args[0]].apart
            seat = isinstance(bare(arg.type), PlayerT)
            known.append(
                Known(self.label(arg, env), self.key(arg, env) if seat else ("value", id(sym), len(known)), apart)
            )
        context = (sym, path, tuple((k.label, k.key, k.apart) for k in known))
        if context in self._seen:
            return self._seen[context]
        self._calls += 1
        if context in self._active or self._calls > MAX_CALLS or len(self._active) > 60:
            return PUBLIC
        self._active.add(context)
        inner = Env(sym, dict(zip(sym.body.parameters, known, strict=False)))
        self.sequence(sym.body.statements, inner, path)
        self._active.discard(context)
        self._seen[context] = inner.result
        return inner.result

    # ---- statements

    def sequence(self, statements: Sequence[CStatement], env: Env, path: Label) -> Label:
        """Walks statements; gives the label of the path after them (an early exit under a condition labels what
        follows).
        """
        for s in statements:
            path = self.statement(s, env, path)
        return path

    def statement(self, s: CStatement, env: Env, path: Label) -> Label:
        match s:
            case core.CSet():
                self.assign(s.local, s.value, env, path)
            case core.CCall():
                sym = s.procedure
                assert isinstance(sym, ProcedureSym)
                result = self.enter(sym, s.arguments, env, path)
                if s.result is not None:
                    env.locals[s.result] = Known(join(result, path), ("local", id(s.result)))
            case core.CRandom():
                env.locals[s.result] = Known(join(self.parts_of(s.args, env), path), ("local", id(s.result)))
            case core.CDo():
                self.reveal(s, env)
            case core.CMove():
                self.shown_by_move(s, env)
            case core.CIf():
                return self.branch(s, env, path)
            case core.CLoop() | core.CLabelled() | core.CStep():
                after = self.sequence(s.body, env, path)
                if isinstance(s, core.CLoop):
                    after = self.sequence(s.body, env, after)
                return after if isinstance(s, core.CStep) else path
            case core.CFor():
                label = join(path, self.label(s.collection, env))
                self.bind(s.local, s.collection, env)
                self.sequence(s.body, env, label)
            case core.CChoose():
                self.choose(s, env, path)
            case core.CReturn():
                value = self.label(s.value, env) if s.value is not None else PUBLIC
                env.result = join(env.result, join(value, path))
        return path

    def parts_of(self, args: Sequence[CExpr], env: Env) -> Label:
        result = PUBLIC
        for arg in args:
            result = join(result, self.label(arg, env))
        return result

    def assign(self, local: Local, value: CExpr, env: Env, path: Label) -> None:
        key: Key = ("local", id(local))
        apart: frozenset[Key] = frozenset()
        if isinstance(bare(local.type), PlayerT):
            key = self.key(value, env)
            if value.op in ("next_player", "previous_player") and isinstance(value.args[0], CExpr):
                apart = frozenset((self.key(value.args[0], env),))
            elif value.op == "local" and isinstance(value.args[0], Local) and value.args[0] in env.locals:
                apart = env.locals[value.args[0]].apart
        there = join(self.presence(value, env), path)
        env.locals[local] = Known(join(self.label(value, env), path), key, apart, there)

    def branch(self, s: core.CIf, env: Env, path: Label) -> Label:
        inner = join(path, self.label(s.condition, env))
        ends = [self.apart_from(env, body, inner) for body in (s.then, s.otherwise)]
        leaving = core.CReturn | core.CBreak | core.CEnd
        leaves = [any(isinstance(x, leaving) for x in part) for part in (s.then, s.otherwise)]
        going_on = [end for end, leave in zip(ends, leaves, strict=True) if not leave] or ends
        self.meet(env, going_on)
        # That the game is over all see; that a rule was left they don't.
        left = any(isinstance(x, core.CReturn | core.CBreak) for part in (s.then, s.otherwise) for x in part)
        return inner if left else path

    def shown_by_move(self, s: core.CMove, env: Env) -> None:
        """What moves to where it is seen is known to those who see it there."""
        sym = s.zone.args[0] if s.zone.op == "zone" else None
        if not isinstance(sym, ZoneSym):
            return
        on_top = sym.decl.visible == "top" and s.end == "top"
        seen = PUBLIC if on_top else self.sight(sym.decl.visible, self.owner(s.zone, env))
        if seen == HIDDEN or s.secretly:
            return
        if seen == PUBLIC:
            env.revealed[self.key(s.what, env)] = PUBLIC
        if s.what.op == "local" and isinstance(s.what.args[0], Local) and s.what.args[0] in env.locals:
            known = env.locals[s.what.args[0]]
            known.label = seen if known.label == HIDDEN or seen == PUBLIC else known.label

    def reveal(self, s: core.CDo, env: Env) -> None:
        """A value shown to all is public; shown to one seat, that seat knows it (and nobody more than before)."""
        if s.op != "reveal":
            return
        value, seats = s.args
        assert isinstance(value, CExpr)
        assert isinstance(seats, CExpr)
        if seats.op == "everyone":
            shown = PUBLIC
        elif (
            seats.op == "list"
            and len(seats.args) == 1
            and isinstance(seats.args[0], CExpr)
            and self.label(value, env) != PUBLIC
        ):
            shown = Label("seat", self.key(seats.args[0], env))
        else:
            return
        if value.op == "local" and isinstance(value.args[0], Local) and value.args[0] in env.locals:
            env.locals[value.args[0]].label = shown
        env.revealed[self.key(value, env)] = shown

    # ---- decisions

    def choose(self, s: core.CChoose, env: Env, path: Label) -> None:
        if s.you is not None:
            env.locals[s.you] = Known(PUBLIC, ("local", id(s.you)))
            seat: Key = ("local", id(s.you))
            apart: frozenset[Key] = frozenset()
        else:
            seat = self.key(s.seat, env)
            apart = self.apart(s.seat, env)
        self.admit(path, seat, apart, s.span, "whether this is asked")
        self.admit(self.label(s.seat, env), seat, apart, s.span, "who is asked")
        chosen: Label = Label("seat", seat) if s.secret else PUBLIC
        ends: list[tuple[dict[Local, Known], dict[Key, Label]]] = []
        for item in s.items:
            for binder in item.binders:
                self.bind(binder.local, binder.args[0], env)
                label = self.parts_of(binder.args, env)
                self.admit(label, seat, apart, binder.args[0].span, f"what `{binder.name}` is chosen from", choice=True)
                env.locals[binder.local].label = self.chosen_label(label, s, seat)
            for guard in item.guards:
                self.admit(self.label(guard.condition, env), seat, apart, guard.condition.span, f"`{guard.reason}`")
            ends.append(self.apart_from(env, item.body, join(path, chosen)))
        ends.append(self.apart_from(env, s.otherwise or (), path))
        self.meet(env, ends)
        if s.result is not None:
            env.locals[s.result] = Known(HIDDEN if s.secret else PUBLIC, ("local", id(s.result)))

    def apart_from(
        self, env: Env, body: Sequence[CStatement], path: Label
    ) -> tuple[dict[Local, Known], dict[Key, Label]]:
        """Walks one of several ways on from here; gives what is known at its end, and leaves what was known before."""
        before, shown = {k: replace(v) for k, v in env.locals.items()}, dict(env.revealed)
        self.sequence(body, env, path)
        after = env.locals, env.revealed
        env.locals, env.revealed = before, shown
        return after

    def meet(self, env: Env, ends: Sequence[tuple[dict[Local, Known], dict[Key, Label]]]) -> None:
        """After several ways: what all of them made known is known."""
        first, *rest = ends
        env.locals, env.revealed = first
        for locals_, revealed in rest:
            for local, known in locals_.items():
                other = env.locals.setdefault(local, known)
                other.label = join(other.label, known.label)
            env.revealed = {k: join(v, revealed[k]) for k, v in env.revealed.items() if k in revealed}

    def chosen_label(self, domain: Label, s: core.CChoose, seat: Key) -> Label:
        """Who knows what was chosen: all, unless it is secret or comes from where others don't see."""
        return join(domain, Label("seat", seat)) if s.secret else domain

    def apart(self, seat: CExpr, env: Env) -> frozenset[Key]:
        if seat.op == "local" and isinstance(seat.args[0], Local) and seat.args[0] in env.locals:
            return env.locals[seat.args[0]].apart
        return frozenset()

    def admit(
        self, label: Label, seat: Key, apart: frozenset[Key], span: Span, what: str, choice: bool = False
    ) -> None:
        """The asked seat must be among those who may know the label's value."""
        if label == PUBLIC or (label.sort == "seat" and label.key == seat):
            return
        if label.sort == "others" and label.key != seat and (label.key in apart or self.known_apart(label.key, seat)):
            return
        hint = "declare what it depends on visible, `reveal` it first, or ask the seat that sees it"
        if choice:
            hint = "draw blindly with `random one of …`, or let the seat that sees it choose (`… by p`)"
        self.shared.diagnostics.error(
            "visibility-leak",
            f"{what} depends on something the asked seat can't see: `{source_text(span)}`",
            span,
            hint,
        )

    def known_apart(self, key: Key, seat: Key) -> bool:
        """Whether one seat was computed as a neighbour of the other."""
        return key in (("next_player", seat), ("previous_player", seat)) or seat in (
            ("next_player", key),
            ("previous_player", key),
        )
