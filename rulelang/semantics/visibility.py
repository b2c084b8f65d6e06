"""What a seat is asked, and whether it is asked, may depend only on what that seat sees.

Every value gets a label that says who may know it. Labels follow values through locals and calls, and conditions label
what happens under them; at each decision the labels must admit the seat that is asked. What all see is written only
from what all see or a player who acts sees, who makes it public so; `reveal` and moves show it to those who see it
then. Seats are told apart by how they were computed, so the check errs on the strict side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from rulelang.diagnostics import Span
from rulelang.semantics import core
from rulelang.semantics.base import Shared, source_text
from rulelang.semantics.core import CExpr, CStatement, Local
from rulelang.semantics.flow import walk
from rulelang.semantics.labels import (
    HIDDEN,
    NOBODY,
    PUBLIC,
    End,
    Env,
    Key,
    Known,
    Label,
    Pair,
    Renaming,
    all_but,
    declared,
    expressions,
    holds_pieces,
    join,
    locals_of,
    meet,
    only,
    shown,
    shown_on_all,
)
from rulelang.semantics.rows import RowFinder, Rows, piece_kind
from rulelang.semantics.symbols import EventInfo, HandlerInfo, KindSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.types import PLAYER, PieceT, PlayerT, SetT, bare
from rulelang.semantics.writes import Writes

APART = ("others", "opponents", "teammates", "players_after")
CONTENTS = ("pieces", "top", "bottom", "tops", "bottoms", "in_zone")
FOLDS = ("filter", "map", "flatten", "sum", "any", "all", "max", "min", "most", "fewest", "group")
# What is read of who is still in, and what may change with anything that is written.
SEATING = frozenset((*APART, *"players parties players_from next_player previous_player".split()))
UNSTABLE = frozenset(
    "owner zone_of cell_of pvar purses_of family active call possible can_pay payments holdings".split()
)
INSTEAD = (
    "ask in the event itself, whether or not the seat has the piece: `choose by p:` with an item that plays it "
    "(`use(c in hand where it is …): …`) and one for what else happens; or let it act from where all see it"
)
UNSHOWN = "`reveal` what it depends on first, or let a player who sees it do it (`turn of p`, `as p`)"
MAX_CALLS = 20_000
MAX_DEPTH = 60


class Visibility:
    """Walks the game from `setup` and `play` through every call, with labels."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked
        self._seen: dict[tuple[object, ...], Label] = {}
        self._active: set[tuple[object, ...]] = set()
        self._calls = 0
        self._writes = Writes(shared.checked)
        self._rows = RowFinder(shared.kind)
        self._pieces: dict[int, tuple[CExpr, frozenset[Local]]] = {}
        self._read: Label | None = None  # inside a `possible`: who may know everything that was read so far
        self._found: Span | None = None  # what was found wrong with the present decision
        self._told: frozenset[object] = frozenset()  # what decisions were found to depend on: what follows from it too
        events = self.checked.events.values()
        self._unseen = {info.procedure: info for info in events if self.reacts_unseen(info)}
        self._revealing = self.revealing()
        self._guards = {h.body: h.guard for info in events for h in info.handlers if h.guard is not None}
        self._replaced = {info.procedure: handler for info in events for handler in self.replacing_unseen(info)}
        self._replacement: HandlerInfo | None = None  # what replaces from unseen the event that is walked
        self._reacting: dict[HandlerInfo, tuple[Local, Local]] = {}  # a piece that reacts, and its owner

    def run(self) -> None:
        """Reports every decision that depends on what the asked seat can't see."""
        for procedure in (self.checked.setup, self.checked.play):
            if procedure is not None:
                self.sequence(procedure.body.statements, Env(), PUBLIC)

    def revealing(self) -> set[ProcedureSym]:
        """The procedures that reveal something, themselves or by what they call."""
        bodies = {p: list(walk(p.body.statements)) for p in self.checked.procedures}
        found = {p for p, body in bodies.items() if any(isinstance(s, core.CDo) and s.op == "reveal" for s in body)}
        while more := {
            p
            for p, body in bodies.items()
            if p not in found and any(isinstance(s, core.CCall) and s.procedure in found for s in body)
        }:
            found |= more
        return found

    # ---- expressions

    def key(self, expr: CExpr, env: Env, bound: dict[Local, Key] | None = None) -> Key:
        """A name for the value of an expression, equal only for equal values. What an expression binds itself goes by
        how deep it is bound, so that two that differ in such names only are one."""
        bound = bound or {}
        if expr.op == "local" and isinstance(expr.args[0], Local):
            if expr.args[0] in bound:
                return bound[expr.args[0]]
            known = env.locals.get(expr.args[0])
            return known.key if known is not None else ("local", id(expr.args[0]))
        if expr.op == "cast" and isinstance(expr.args[0], CExpr):
            return self.key(expr.args[0], env, bound)
        binds = [arg for arg in expr.args if isinstance(arg, Local)]
        inner = bound | {local: ("bound", len(bound) + number) for number, local in enumerate(binds)}
        parts = (
            self.key(arg, env, inner) if isinstance(arg, CExpr) else inner[arg] if isinstance(arg, Local) else arg
            for arg in expr.args
        )
        return (expr.op, *parts, *self.stamp(expr))

    def stamp(self, expr: CExpr) -> tuple[int, ...]:
        """When what an operation reads of the state was last changed."""
        if expr.op in ("var", "purse"):
            return (self._writes.version(expr.args[0]),)
        if expr.op in CONTENTS or expr.op == "size":
            zone = self.place(expr)
            sym = zone.args[0] if zone.op == "zone" else None
            return (self._writes.version(sym.kind if isinstance(sym, ZoneSym) else None),)
        if expr.op in SEATING:
            return (self._writes.version("eliminate"),)
        return (self._writes.version(None),) if expr.op in UNSTABLE else ()

    def place(self, expr: CExpr) -> CExpr:
        """The zone whose contents an operation reads."""
        zone = expr.args[1] if expr.op == "in_zone" else expr.args[0]
        assert isinstance(zone, CExpr)
        return zone

    def label(self, expr: CExpr, env: Env) -> Label:
        """Who may know the value of an expression."""
        found = env.revealed.get(self.key(expr, env)) if env.revealed else None
        result = found if found is not None else self.computed(expr, env)
        if self._read is not None:
            self._read = join(self._read, result)
        return result

    def computed(self, expr: CExpr, env: Env) -> Label:
        op, first = expr.op, expr.args[0] if expr.args else None
        if op == "local":
            assert isinstance(first, Local)
            known = env.locals.get(first)
            return known.label if known is not None else PUBLIC
        if op in ("var", "purse"):
            return self.variable(expr, env)
        if op in CONTENTS or op == "size":
            return self.zone(expr, env)
        if op == "family":
            assert isinstance(first, ZoneSym)
            return join(self.parts(expr, env), self.sight(first, self.owner(expr, env)))
        if op == "active":
            assert isinstance(first, KindSym)
            unseen = frozenset(zone for zone in first.active if zone.decl.visible != "all")
            return Label(False, why=unseen) if unseen else PUBLIC
        if op in FOLDS:
            return self.fold(expr, env)
        if op == "call":
            assert isinstance(first, ProcedureSym)
            return self.enter(first, [a for a in expr.args[1:] if isinstance(a, CExpr)], env, PUBLIC)
        if op == "possible":
            return self.possible(expr, env)
        if op == "if":
            return self.conditional(expr, env)
        if op in ("and", "or"):
            left, right = expressions(expr.args)
            result = self.label(left, env)
            with self.narrowed(env, [left], op == "and"):
                return join(result, self.label(right, env))
        if op == "is_none" and isinstance(first, CExpr):
            return self.presence(first, env)
        if op == "get_seat":
            return self.of_seat(expr, env)
        return self.parts(expr, env)

    def conditional(self, expr: CExpr, env: Env) -> Label:
        """One of two values; where the rows of a piece tell which, nothing else is read."""
        condition, *sides = expressions(expr.args)
        sure = self.settled(condition, env)
        result = self.label(condition, env) if sure is None else PUBLIC
        for holds, side in zip((True, False), sides, strict=True):
            if sure is not (not holds):
                with self.narrowed(env, [condition], holds):
                    result = join(result, self.label(side, env))
        return result

    # ---- rows

    def rows_in(self, env: Env) -> Callable[[Local], Rows]:
        """The rows that the pieces in locals can be of."""

        def find(local: Local) -> Rows:
            known = env.locals.get(local)
            return known.rows if known is not None else None

        return find

    def settled(self, condition: CExpr, env: Env) -> bool | None:
        """Whether the rows of pieces tell that a condition holds, or that it fails."""
        return self._rows.truth(condition, self.rows_in(env)) if self.pieces_in(condition) else None

    def pieces_in(self, expr: CExpr) -> frozenset[Local]:
        """The locals of an expression that hold pieces."""
        found = self._pieces.get(id(expr))
        if found is None:
            held = frozenset(local for local in locals_of(expr) if piece_kind(local.type) is not None)
            found = self._pieces[id(expr)] = expr, held
        return found[1]

    @contextmanager
    def narrowed(self, env: Env, conditions: Sequence[CExpr], holds: bool) -> Iterator[None]:
        """Inside, the pieces in locals are only of rows for which the conditions may hold (or fail)."""
        before: dict[Local, Rows] = {}
        for condition in conditions:
            for local in self.pieces_in(condition):
                known = env.locals.get(local)
                if known is not None:
                    before.setdefault(local, known.rows)
                    known.rows = self._rows.narrowed(condition, local, known.rows, self.rows_in(env), holds)
        yield
        for local, rows in before.items():
            env.locals[local].rows = rows

    def presence(self, expr: CExpr, env: Env) -> Label:
        """Who may know whether an optional value is there: an end of a pile is, unless the pile is empty."""
        if expr.op == "local" and isinstance(expr.args[0], Local):
            known = env.locals.get(expr.args[0])
            if known is not None and known.there is not None:
                return known.there
        if expr.op == "cast" and isinstance(expr.args[0], CExpr):
            return self.presence(expr.args[0], env)
        if expr.op in ("top", "bottom"):
            return self.presence_in(expr, env)
        return self.label(expr, env)

    def presence_in(self, expr: CExpr, env: Env) -> Label:
        """Who may know whether something is in a collection: of what lies in a zone, those who may know how many."""
        if expr.op in ("pieces", "top", "bottom"):
            return self.label(CExpr("size", expr.type, expr.args, expr.span), env)
        return self.label(expr, env)

    def parts(self, expr: CExpr, env: Env) -> Label:
        return self.parts_of([arg for arg in expr.args if isinstance(arg, CExpr)], env)

    def parts_of(self, args: Sequence[CExpr], env: Env) -> Label:
        result = PUBLIC
        for arg in args:
            result = join(result, self.label(arg, env))
        return result

    def sight(self, sym: ZoneSym | VariableSym, owner: Key) -> Label:
        """The label of what is declared `visible: …`, for its owner."""
        visible = sym.decl.visible if isinstance(sym, ZoneSym) else sym.visible
        if visible == "all":
            return PUBLIC
        label = HIDDEN
        if visible in ("owner", "others") and owner:
            label = only(owner) if visible == "owner" else all_but(owner)
        return replace(label, why=frozenset((sym,)))

    def owner(self, expr: CExpr, env: Env) -> Key:
        """The seat whose variable or zone an expression names, if it is a player's."""
        sym, *indices = expr.args
        if isinstance(sym, VariableSym | ZoneSym) and sym.per and isinstance(sym.per[0], PlayerT) and indices:
            assert isinstance(indices[0], CExpr)
            return self.key(indices[0], env)
        return ()

    def variable(self, expr: CExpr, env: Env) -> Label:
        sym = expr.args[0]
        assert isinstance(sym, VariableSym)
        label = PUBLIC if sym.internal else self.sight(sym, self.owner(expr, env))
        return join(label, self.parts(expr, env))

    def zone(self, expr: CExpr, env: Env) -> Label:
        zone = self.place(expr)
        label = self.parts(expr, env)
        sym = zone.args[0] if zone.op == "zone" else None
        if not isinstance(sym, ZoneSym):
            return HIDDEN if expr.op in CONTENTS else label
        visible = sym.decl.visible
        if expr.op == "size":
            return join(label, self.sight(sym, ())) if visible == "nobody" else label
        one = (
            expr.op == "tops" and isinstance(count := expr.args[1], CExpr) and (count.op, count.args) == ("const", (1,))
        )
        if visible == "top" and (expr.op == "top" or one):
            return label
        return join(label, self.sight(sym, self.owner(zone, env)))

    def bind(self, local: Local, collection: CExpr, env: Env) -> None:
        """An element of a collection."""
        key: Key = ("local", id(local))
        source = collection
        while source.op in ("filter", "most", "fewest", "difference") and source.args:
            inner = source.args[1] if source.op != "difference" else source.args[0]
            assert isinstance(inner, CExpr)
            source = inner
        env.apart = {pair for pair in env.apart if key not in pair}
        if source.op in APART and isinstance(source.args[0], CExpr):
            env.apart.add(frozenset((key, self.key(source.args[0], env))))
        env.locals[local] = Known(self.label(collection, env), key, rows=self._rows.rows(collection, self.rows_in(env)))

    def fold(self, expr: CExpr, env: Env) -> Label:
        local, collection, body = expr.args
        assert isinstance(local, Local)
        assert isinstance(collection, CExpr)
        assert isinstance(body, CExpr)
        self.bind(local, collection, env)
        whose = self.whose(body, local) if collection.op == "active" and expr.op == "filter" else None
        if whose is not None:
            # Of a seat's own pieces in force that seat knows, where it sees the zones.
            env.locals[local].label = self.in_force(collection, self.key(whose, env))
        result = env.locals[local].label
        inner = self.label(body, env)
        element = CExpr("local", local.type, (local,))
        if collection.op == "active" and inner == only(self.key(CExpr("owner", PLAYER, (element,)), env)):
            # A piece's rule may look at what its owner sees; that it applies is then seen.
            inner = PUBLIC
        # What is read of each element's own (`p.hand` for every p) is nobody's to know as a whole.
        if any(self.mentions(key, ("local", id(local))) for key in inner.keys):
            inner = Label(False, why=inner.why)
        return join(result, inner)

    def whose(self, condition: CExpr, piece: Local) -> CExpr | None:
        """The seat whose pieces a condition asks for, if it asks for those of one seat."""
        if condition.op == "and":
            return next((seat for part in expressions(condition.args) if (seat := self.whose(part, piece))), None)
        if condition.op != "eq":
            return None
        left, right = expressions(condition.args)
        while left.op == "cast" and isinstance(left.args[0], CExpr):
            left = left.args[0]
        owned = left.op == "owner" and isinstance(left.args[0], CExpr) and left.args[0].args[:1] == (piece,)
        return right if owned else None

    def in_force(self, active: CExpr, owner: Key) -> Label:
        """Who may know which pieces of a seat are in force."""
        kind = active.args[0]
        assert isinstance(kind, KindSym)
        result = PUBLIC
        for zone in kind.active:
            result = join(result, self.sight(zone, owner))
        return result

    def mentions(self, key: Key, part: Key) -> bool:
        return key == part or any(isinstance(k, tuple) and self.mentions(k, part) for k in key)

    def of_seat(self, expr: CExpr, env: Env) -> Label:
        """One seat's value of a `together`: known to that seat if each knows its own."""
        values, seat = expr.args
        assert isinstance(values, CExpr)
        assert isinstance(seat, CExpr)
        label = self.label(values, env)
        own = only(("own", self.key(values, env)))
        return join(only(self.key(seat, env)) if label == own else label, self.label(seat, env))

    def possible(self, expr: CExpr, env: Env) -> Label:
        """Looking ahead through a procedure tells of all that it would read."""
        sym, condition, *args = expr.args
        assert isinstance(sym, ProcedureSym)
        assert isinstance(condition, CExpr)
        outside, self._read = self._read, PUBLIC
        self.enter(sym, [a for a in args if isinstance(a, CExpr)], env, PUBLIC)
        self.label(condition, env)
        read, self._read = self._read, outside
        return read if read is not None else PUBLIC

    # ---- calls

    def enter(
        self,
        sym: ProcedureSym,
        args: Sequence[CExpr],
        env: Env,
        path: Label,
        shown: dict[Key, Label] | None = None,
    ) -> Label:
        """Walks a procedure as called from here; gives the label of its result, in `shown` what it surely reveals."""
        names = Renaming()
        known: list[Known] = []
        for number, arg in enumerate(args):
            seat = isinstance(bare(arg.type), PlayerT)
            key = names.key(self.key(arg, env)) if seat else ("value", number)
            label, there = names.label(self.label(arg, env)), names.label(self.presence(arg, env))
            known.append(Known(label, key, there, self._rows.rows(arg, self.rows_in(env))))
        inner_path = names.label(path)
        apart = names.apart(env)
        why = (inner_path.why, *(k.label.why for k in known))
        context = (sym, inner_path, tuple((k.label, k.key, k.there, k.rows) for k in known), apart, why)
        looking = self._read is not None
        again = shown is not None and sym in self._revealing  # What it reveals is known as the game is now.
        if context in self._seen and not looking and not again:
            return self.left(sym, names.back(self._seen[context]))
        self._calls += 1
        if context in self._active or self._calls > MAX_CALLS or len(self._active) > MAX_DEPTH:
            return self.left(sym, PUBLIC)
        self._active.add(context)
        outside, self._read = self._read, PUBLIC if looking else None
        inner = Env(dict(zip(sym.body.parameters, known, strict=False)), apart=set(apart))
        guard = self._guards.get(sym)
        if guard is not None:
            test = Env(dict(zip(guard.body.parameters, known, strict=False)))
            given = (s.value for s in guard.body.statements if isinstance(s, core.CReturn) and s.value is not None)
            inner.same = {pair for value in given for pair in self.same_seats(value, test)}
        replacement, self._replacement = self._replacement, self._replaced.get(sym, self._replacement)
        if sym in self._unseen and not looking:
            self.event(self._unseen[sym], inner, inner_path)
        else:
            self.sequence(sym.body.statements, inner, inner_path)
        self._replacement = replacement
        if outside is not None and self._read is not None:
            outside = join(outside, names.back(self._read))
        self._read = outside
        self._active.discard(context)
        if not looking:
            self._seen[context] = inner.result
        if shown is not None:
            keys = [self.key(arg, env) for arg in args]
            ends = shown_on_all([*inner.returns, inner.revealed])
            shown |= {names.key_back(key, keys): names.back(label) for key, label in ends.items()}
        return self.left(sym, names.back(inner.result))

    def replacing_unseen(self, info: EventInfo) -> Iterator[HandlerInfo]:
        """The handlers by which pieces replace an event from where not all see them."""
        for handler in info.handlers:
            if handler.timing == "instead of" and self.unseen_zones(handler):
                yield handler

    def unseen_zones(self, handler: HandlerInfo) -> frozenset[ZoneSym]:
        """Where the pieces of a handler are in force and not all see them."""
        if not handler.definitions:
            return frozenset()
        return frozenset(z for z in self.checked.kinds[handler.definitions[0].kind].active if z.decl.visible != "all")

    def same_seats(self, condition: CExpr, env: Env) -> set[Pair]:
        """The pairs of seats that are the same where a condition holds."""
        if condition.op == "and":
            return {pair for part in expressions(condition.args) for pair in self.same_seats(part, env)}
        sides = expressions(condition.args) if condition.op == "eq" else []
        if not sides or not all(isinstance(bare(side.type), PlayerT) for side in sides):
            return set()
        return {frozenset(self.key(side, env) for side in sides)}

    @contextmanager
    def holding(self, env: Env, conditions: Sequence[CExpr]) -> Iterator[None]:
        """Inside, the conditions hold."""
        before = env.same
        env.same = before.union(*(self.same_seats(condition, env) for condition in conditions))
        with self.narrowed(env, conditions, True):
            yield
        env.same = before

    def reacts_unseen(self, info: EventInfo) -> bool:
        """Whether pieces react to an event from where only their owner sees them, and none of them replaces it."""
        seen = [
            (handler.timing, {zone.decl.visible for zone in self.checked.kinds[handler.definitions[0].kind].active})
            for handler in info.handlers
            if handler.definitions
        ]
        unseen = [(timing, visible) for timing, visible in seen if visible != {"all"}]
        return bool(unseen) and all(
            timing != "instead of" and visible <= {"all", "owner"} for timing, visible in unseen
        )

    def event(self, info: EventInfo, env: Env, path: Label) -> None:
        """Walks an event to which pieces react from where only their owner sees them: each reaction is run for its
        owner, who knows of it. That it has been run all see by what it does."""
        you, *params = (CExpr("local", local.type, (local,), local.span) for local in info.procedure.body.parameters)
        timed = {t: [h for h in info.handlers if h.timing == t] for t in ("instead of", "before", "after")}
        for timing, handlers in timed.items():
            if timing == "after" and info.body is not None:
                self.enter(info.body, [you, *params], env, path)
            seen = [self.reaction(handler, you, params, env, path, len(handlers) > 1) for handler in handlers]
            if timing == "instead of":
                for label in seen:
                    path = join(path, label)

    def reaction(
        self, handler: HandlerInfo, you: CExpr, params: list[CExpr], env: Env, path: Label, ordered: bool
    ) -> Label:
        """Walks a handler for some owner of a piece that has it; gives who may know that it reacts."""
        args, force, whose = [you], PUBLIC, None
        if handler.definitions:
            kind = self.shared.kind(handler.definitions[0].kind)
            this, owner = self._reacting.setdefault(
                handler, (Local("this", PieceT(kind.name), handler.span), Local("owner", PLAYER, handler.span))
            )
            active = CExpr("active", SetT(this.type), (kind, *handler.definitions), handler.span)
            whose = ("local", id(owner))
            force = self.in_force(active, whose)
            rows = self._rows.rows(active, self.rows_in(env))
            env.locals[this] = Known(force, ("local", id(this)), rows=rows)
            env.locals[owner] = Known(PUBLIC, whose)
            args += [CExpr("local", local.type, (local,), handler.span) for local in (this, owner)]
        if handler.guard is not None:
            guard = self.enter(handler.guard, [*args, *params], env, path)
            # A piece's rule may look at what its owner sees; that it applies is then seen.
            force = force if whose is not None and guard == only(whose) else join(force, guard)
        path = join(path, force)
        if whose is not None and ordered:
            self._found = None
            self.admit(path, whose, env, handler.span, "in which order handlers react")
        self.enter(handler.body, [*args, *params], env, path)
        return force

    def left(self, sym: ProcedureSym, result: Label) -> Label:
        """After a call, what it may have written is no longer what it was."""
        self._writes.bump(self._writes.of(sym))
        return result

    # ---- statements

    def sequence(self, statements: Sequence[CStatement], env: Env, path: Label) -> Label:
        """Walks statements; gives the label of the path after them.

        An early exit under a condition labels what follows.
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
                told: dict[Key, Label] = {}
                result = self.enter(sym, s.arguments, env, path, told)
                env.revealed |= told
                if s.result is not None:
                    env.locals[s.result] = Known(join(result, path), ("local", id(s.result)))
            case core.CRandom():
                there = join(self.presence_in(s.args[0], env), path)
                env.locals[s.result] = Known(join(self.parts_of(s.args, env), path), ("local", id(s.result)), there)
            case core.CDo():
                self.written(s, env, path)
                self.reveal(s, env)
                self.looked_at(expressions(s.args), env)
            case core.CMove():
                self.looked_at((s.what, s.zone), env)
                path = self.shown_by_move(s, env, path)
            case core.CIf():
                path = self.branch(s, env, path)
            case core.CStep() | core.CLabelled():
                after = self.sequence(s.body, env, path)
                path = after if isinstance(s, core.CStep) else path
            case core.CLoop() | core.CFor():
                self.loop(s, env, path)
            case core.CChoose():
                path = self.choose(s, env, path)
            case core.CReturn():
                value = self.label(s.value, env) if s.value is not None else PUBLIC
                env.result = join(env.result, join(value, path))
                env.returns.append(dict(env.revealed))
        self._writes.bump(self._writes.direct(s))
        return path

    def written(self, s: core.CDo, env: Env, path: Label) -> None:
        """Checks that a variable that all see takes only what all see, or what a player who acts sees and so shows."""
        if s.op not in ("set_var", "set_pvar") or not isinstance(s.args[0], VariableSym) or self._read is not None:
            return
        sym = s.args[0]
        if sym.internal or sym.visible != "all":
            return
        label = join(path, self.parts_of(expressions(s.args), env))
        acting = {known.key for local, known in env.locals.items() if local.name in ("you", "owner")} | env.asked
        if label == PUBLIC or any(env.knows(seat, label) for seat in acting) or label.why <= self._told:
            return
        self.leak(
            label,
            s.span,
            f"`{sym.name}`, which all see,",
            "the acting player",
            UNSHOWN,
            self.shared.diagnostics.warning,
        )

    def looked_at(self, args: Sequence[CExpr], env: Env) -> None:
        """Inside a `possible`, what is only read counts as well."""
        if self._read is not None:
            self.parts_of(args, env)

    def loop(self, s: core.CLoop | core.CFor, env: Env, path: Label) -> None:
        """What a round writes is no longer, in the next, what it was before; and there may be no round at all."""
        if isinstance(s, core.CFor):
            path = join(path, self.label(s.collection, env))
        self._writes.bump(self._writes.within(s.body))
        if isinstance(s, core.CFor):
            self.bind(s.local, s.collection, env)
        before = self.apart_from(env, (), path)
        after = self.sequence(s.body, env, path)
        if isinstance(s, core.CLoop) and after != path:
            self.sequence(s.body, env, after)
        meet(env, [(env.locals, env.revealed), before])

    def assign(self, local: Local, value: CExpr, env: Env, path: Label) -> None:
        key: Key = ("local", id(local))
        if isinstance(bare(local.type), PlayerT):
            key = self.key(value, env)
        there = join(self.presence(value, env), path)
        rows = self._rows.rows(value, self.rows_in(env)) if local.named else None
        env.locals[local] = Known(join(self.label(value, env), path), key, there, rows)

    def branch(self, s: core.CIf, env: Env, path: Label) -> Label:
        sure = self.settled(s.condition, env)
        inner = join(path, self.label(s.condition, env)) if sure is None else path
        bodies = [(True, s.then), (False, s.otherwise)]
        if sure is not None:
            bodies = [(holds, body) for holds, body in bodies if holds == sure]
        ends = []
        for holds, body in bodies:
            with self.holding(env, [s.condition]) if holds else self.narrowed(env, [s.condition], False):
                ends.append(self.apart_from(env, body, inner))
        leaving = core.CReturn | core.CBreak | core.CEnd
        leaves = [any(isinstance(x, leaving) for x in body) for _, body in bodies]
        going_on = [end for end, leave in zip(ends, leaves, strict=True) if not leave] or ends
        meet(env, going_on)
        # That the game is over all see; that a rule was left they don't.
        left = any(isinstance(x, core.CReturn | core.CBreak) for _, body in bodies for x in body)
        return inner if left else path

    def shown_by_move(self, s: core.CMove, env: Env, path: Label) -> Label:
        """What moves to where it is seen is known to those who see it there, and so is that the rule came to here;
        gives the label of the path from now on."""
        sym = s.zone.args[0] if s.zone.op == "zone" else None
        if not isinstance(sym, ZoneSym) or s.what.op != "local" or not isinstance(s.what.args[0], Local):
            return path
        on_top = sym.decl.visible == "top" and s.end == "top"
        seen = PUBLIC if on_top else self.sight(sym, self.owner(s.zone, env))
        known = env.locals.get(s.what.args[0])
        if known is not None:
            known.label = shown(known.label, seen)
        return shown(path, seen) if isinstance(bare(s.what.type), PieceT) else path

    def reveal(self, s: core.CDo, env: Env) -> None:
        """A value shown to all is public; what is shown to some they know besides those who knew it."""
        if s.op != "reveal":
            return
        value, seats = s.args
        assert isinstance(value, CExpr)
        assert isinstance(seats, CExpr)
        if seats.op in ("everyone", "players", "parties"):
            seen = PUBLIC
        elif seats.op == "others" and isinstance(seats.args[0], CExpr):
            seen = all_but(self.key(seats.args[0], env))
        elif seats.op == "list":
            seen = Label(False, frozenset(self.key(seat, env) for seat in expressions(seats.args)))
        else:
            return
        label = shown(self.label(value, env), seen)
        if value.op == "local" and isinstance(value.args[0], Local) and value.args[0] in env.locals:
            env.locals[value.args[0]].label = label
        env.revealed[self.key(value, env)] = label

    # ---- decisions

    def choose(self, s: core.CChoose, env: Env, path: Label) -> Label:
        """Checks a decision, with one finding at most; gives the path after it, for which there are no more."""
        seat: Key = ("local", id(s.you)) if s.you is not None else self.key(s.seat, env)
        self._found = None
        env.asked.add(seat)
        if s.you is not None:
            env.locals[s.you] = Known(PUBLIC, seat)
        if seat[:1] == ("automaton",) and self._read is None:
            self.shared.diagnostics.error(
                "choice-automaton",
                "an automaton has no seat and can't be asked",
                s.span,
                "say which player chooses for it: `… by p`",
            )
        acting = NOBODY if s.acting is None or self._read is not None else self.key(s.acting, env)
        if acting not in (seat, NOBODY) and frozenset((acting, seat)) not in env.same:
            self.shared.diagnostics.warning(
                "choice-owner",
                "the owner of this bag chooses what it gains, who may be another than the one who acts",
                s.span,
                "say who chooses: `… by p` for its owner p, `… by you` for the one who acts",
            )
        reacts = s.ask == "engine" and any(b.name == "react" for item in s.items for b in item.binders)
        what = "in which order handlers react" if reacts else "whether this is asked"
        path = path if self.admit(path, seat, env, s.span, what) else PUBLIC
        self.admit(self.label(s.seat, env), seat, env, s.span, "who is asked")
        chosen = only(seat) if s.secret else PUBLIC
        domain = PUBLIC
        for item in s.items:
            for binder in item.binders:
                self.bind(binder.local, binder.args[0], env)
                label = self.parts_of(binder.args, env)
                what = f"what `{binder.name}` is chosen from"
                admitted = self.admit(label, seat, env, binder.args[0].span, what, choice=True)
                domain = label if admitted and holds_pieces(binder.local.type) else PUBLIC
                known = env.locals[binder.local]
                known.label = domain = join(domain, chosen)
                further = self.parts_of(expressions(binder.args[1:]), env)
                known.there = join(join(self.presence_in(binder.args[0], env), further), chosen)
            for guard in item.guards:
                self.admit(self.label(guard.condition, env), seat, env, guard.condition.span, f"`{guard.reason}`")
                self.conceal(guard.condition, seat, env)
        unoffered = self.unoffered(s, seat, env)
        ends = []
        for item in s.items:
            with self.holding(env, [guard.condition for guard in item.guards]):
                ends.append(self.apart_from(env, item.body, join(path, chosen)))
        ends.append(self.apart_from(env, s.otherwise or (), join(path, unoffered)))
        meet(env, ends)
        leaving = core.CReturn | core.CBreak
        if any(isinstance(x, leaving) for body in (s.otherwise or (), *(item.body for item in s.items)) for x in body):
            path = join(path, unoffered)
        if s.result is not None:
            key: Key = ("local", id(s.result))
            own = only(("own", key)) if domain == only(seat) else domain
            env.locals[s.result] = Known(own, key)
        return path

    def unoffered(self, s: core.CChoose, seat: Key, env: Env) -> Label:
        """Who may know that a decision has no option: who knows what its items are chosen from, and their guards."""
        result = PUBLIC
        for item in s.items:
            for binder in item.binders:
                result = join(result, self.presence_in(binder.args[0], env))
                for arg in binder.args[1:]:
                    result = join(result, self.label(arg, env))
            for guard in item.guards:
                result = join(result, self.label(guard.condition, env))
        # What the asked seat may not know has been told; of the rest it must be among those who know.
        return result if env.knows(seat, result) else PUBLIC

    def conceal(self, condition: CExpr, seat: Key, env: Env) -> None:
        """Notes the parts of an admitted condition that the seat may not know, because it was revealed as a whole: a
        refusal must not tell them. What was revealed as a whole, such as the value of a function, is noted too."""
        if self._read is None and self.key(condition, env) in env.revealed:
            self.checked.concealed.add(condition)
        for part in expressions(condition.args):
            if self._read is None and not env.knows(seat, self.label(part, env)):
                self.checked.concealed.add(part)
            if condition.op in ("and", "or", "not"):
                self.conceal(part, seat, env)

    def apart_from(self, env: Env, body: Sequence[CStatement], path: Label) -> End:
        """Walks one of several ways on from here; gives what is known at its end, and leaves what was known before."""
        before, revealed = {k: replace(v) for k, v in env.locals.items()}, dict(env.revealed)
        self.sequence(body, env, path)
        after = env.locals, env.revealed
        env.locals, env.revealed = before, revealed
        return after

    def admit(self, label: Label, seat: Key, env: Env, span: Span, what: str, choice: bool = False) -> bool:
        """Whether the asked seat is among those who may know the label's value; if not, that is a finding."""
        if env.knows(seat, label) or self._read is not None:
            return True
        if self._found is not None:
            return False
        self._found = span
        hint = "declare what it depends on visible, `reveal` it first, or ask the seat that sees it"
        if choice:
            hint = "draw blindly with `random one of …`, or let the seat that sees it choose (`… by p`)"
        self._told |= label.why
        self.leak(label, span, what, "the asked seat", hint, self.shared.diagnostics.error)
        return False

    def leak(
        self, label: Label, span: Span, what: str, whom: str, hint: str, error_or_warn: Callable[..., None]
    ) -> None:
        """Reports that something depends on what a seat can't see; if that is whether an event is replaced, it is the
        replacement that is at fault, once."""
        replacement = self._replacement
        if replacement is not None and label.why & self.unseen_zones(replacement):
            zones = sorted(self.unseen_zones(replacement), key=lambda sym: sym.name)
            where = " or ".join(f"`{zone.name}`" for zone in zones)
            error_or_warn(
                "visibility-leak",
                f"this replaces an event from {where}: whether it does tells what is there, by what is done or asked",
                replacement.span,
                INSTEAD,
                [declared(zone) for zone in zones],
            )
            return
        unseen = sorted(label.why, key=lambda sym: (sym.span.path, sym.span.line, sym.span.column))
        named = " and ".join(f"`{sym.name}`" for sym in unseen)
        of = f"{named}, which {whom} can't see" if named else f"something {whom} can't see"
        message = f"{what} depends on {of}: `{source_text(span)}`"
        error_or_warn("visibility-leak", message, span, hint, [declared(sym) for sym in unseen])
