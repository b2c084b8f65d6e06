"""What the engine does around the author's words.

The order of reactions to an event, the layers of a quantity, the choice of an ability's implementation, and the rounds
of a trade. All of it is built from ordinary statements and expressions of the checked tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulelang.diagnostics import Span
from rulelang.semantics.base import Shared, const, number, source_text
from rulelang.semantics.changes import capacity
from rulelang.semantics.context import Context
from rulelang.semantics.core import (
    CBinder,
    CBreak,
    CCall,
    CChoose,
    CDo,
    CExpr,
    CFor,
    CGuard,
    CIf,
    CItem,
    CLoop,
    CMoment,
    CReturn,
    CSet,
    CStatement,
    Local,
    conjunction,
    substitute,
)
from rulelang.semantics.places import Place, path, purses_at
from rulelang.semantics.rule_texts import purse_parts
from rulelang.semantics.symbols import (
    AbilityInfo,
    DefinitionSym,
    EventInfo,
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    LimitInfo,
    ModifierInfo,
    ProcedureSym,
    QuantityInfo,
    VariableSym,
)
from rulelang.semantics.types import (
    BOOL,
    NUMBER,
    PLAYER,
    BagT,
    CostT,
    NumberT,
    PaymentT,
    PieceT,
    ReactionT,
    SetT,
    Type,
    VoidT,
    optional,
)

NOBODY = optional(PLAYER)


@dataclass
class Frame:
    """A procedure under construction: its locals and the hidden `you`."""

    sym: ProcedureSym
    span: Span

    def local(self, name: str, t: Type) -> Local:
        made = Local(name, t, self.span)
        self.sym.body.locals.append(made)
        return made

    def parameters(self, names: Sequence[tuple[str, Type]]) -> list[CExpr]:
        """Declares `you` and the parameters; gives how to read them."""
        result = []
        for name, t in [("you", PLAYER), *names]:
            made = self.local(name, t)
            self.sym.body.parameters.append(made)
            result.append(self.read(made))
        return result

    def read(self, local: Local) -> CExpr:
        return CExpr("local", local.type, (local,), self.span)

    def e(self, op: str, t: Type, *args: object) -> CExpr:
        return CExpr(op, t, args, self.span)

    def active(self, definitions: tuple[DefinitionSym, ...], kind: object) -> CExpr:
        return self.e("active", SetT(PieceT(definitions[0].kind)), kind, *definitions)

    def call(self, sym: ProcedureSym, *args: CExpr) -> CExpr:
        return self.e("call", sym.returns, sym, *args)


def check_priorities(shared: Shared) -> None:
    """Reports quantities that two modifiers of one priority set."""
    for info in shared.checked.quantities.values():
        first: dict[int, ModifierInfo] = {}
        for modifier in (m for m in info.modifiers if m.layer == "set to"):
            other = first.setdefault(modifier.priority, modifier)
            if other is not modifier:
                where = f"{other.span.path}:{other.span.line}"
                shared.diagnostics.error(
                    "modifier-conflict",
                    f"two modifiers set `{info.procedure.name}` with the same priority ({where})",
                    modifier.span,
                    "give one of them a `priority`; the higher one counts",
                    [(other.span, "the other one")],
                )


class Dispatch:
    """Builds the bodies of events, quantities, abilities and trades."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked

    def build(self) -> None:
        for event in self.checked.events.values():
            self.event(event)
        for quantity in self.checked.quantities.values():
            self.quantity(quantity)
        for ability in self.checked.abilities.values():
            self.ability(ability)
        for group in self.checked.groups.values():
            self.trade(group)
        if self.checked.total is not None:
            self.total(self.checked.total)

    def total(self, sym: ProcedureSym) -> None:
        """The sum of all score lines of `you`."""
        f = Frame(sym, sym.span)
        (you,) = f.parameters(())
        value = number(0, f.span)
        for line in self.checked.scores:
            value = f.e("add", NUMBER, value, f.call(line.procedure, you))
        sym.body.statements = (CReturn(f.span, value),)

    # ---- limits

    def copies(self, f: Frame, definitions: tuple[DefinitionSym, ...], seat: CExpr) -> CExpr:
        """How many active pieces of these definitions a seat has."""
        piece = f.local("piece", PieceT(definitions[0].kind))
        mine = f.e("eq", BOOL, f.e("owner", NOBODY, f.read(piece)), seat)
        held = f.e(
            "filter", SetT(piece.type), piece, f.active(definitions, self.shared.kind(definitions[0].kind)), mine
        )
        return f.e("count", NumberT(0), held)

    def below_limit(self, f: Frame, limit: LimitInfo, definitions: tuple[DefinitionSym, ...], seat: CExpr) -> CExpr:
        used = f.e("var", NUMBER, limit.variable, seat)
        times = number(limit.times, f.span)
        if definitions:
            times = f.e("mul", NUMBER, times, self.copies(f, definitions, seat))
        return f.e("lt", BOOL, used, times)

    def count_use(self, f: Frame, limit: LimitInfo, seat: CExpr) -> CStatement:
        used = f.e("var", NUMBER, limit.variable, seat)
        return CDo(f.span, "set_var", (limit.variable, f.e("add", NUMBER, used, number(1, f.span)), seat))

    # ---- events

    def event(self, info: EventInfo) -> None:
        """Replace, before, body, after."""
        sym = info.procedure
        f = Frame(sym, sym.span)
        you, *params = f.parameters(sym.params)
        assert info.body is not None
        seat = params[0] if sym.params and sym.params[0][1] == PLAYER else const(-1, NOBODY, f.span)
        timed = {t: [h for h in info.handlers if h.timing == t] for t in ("instead of", "before", "after")}
        out: list[CStatement] = [CMoment(f.span, "before", sym.name, seat)]
        for position, timing in enumerate(("instead of", "before", "after")):
            if timing == "after":
                out.append(CCall(f.span, info.body, (you, *params), None))
            handlers = timed[timing]
            if handlers:
                out += self.reactions(f, sym.name, handlers, you, params, timing, position, seat)
        out.append(CMoment(f.span, "after", sym.name, seat))
        sym.body.statements = tuple(out)

    def reactions(
        self,
        f: Frame,
        event: str,
        handlers: list[HandlerInfo],
        you: CExpr,
        params: list[CExpr],
        timing: str,
        position: int,
        seat: CExpr,
    ) -> list[CStatement]:
        """Collects the handlers in force and runs them.

        Those of no seat come first, then the acting seat's, then in seat order. Of replacements only the first runs,
        and the procedure ends.
        """
        t = ReactionT(event)
        waiting = f.local(f"reactions{position}", SetT(t))
        chosen = f.local(f"reaction{position}", t)
        label = f"reactions{position}"
        collected: CExpr | None = None
        for handler in handlers:
            one = self.in_force(f, t, handler, you, params)
            collected = one if collected is None else f.e("union", SetT(t), collected, one)
        assert collected is not None
        runs = self.run(f, handlers, chosen, you, params)
        ordered = len(handlers) > 1 or not self.single(handlers[0])
        then: list[CStatement] = [*self.pick(f, t, waiting, chosen, you, label, ordered)]
        none_left = f.e("eq", BOOL, f.e("count", NUMBER, f.read(waiting)), number(0, f.span))
        if timing == "instead of":
            then += [*runs, CMoment(f.span, "after", event, seat), CReturn(f.span, None)]
            return [CSet(f.span, waiting, collected), CIf(f.span, none_left, (), tuple(then))]
        rest = f.e("difference", SetT(t), f.read(waiting), f.e("list", SetT(t), f.read(chosen)))
        body = (CIf(f.span, none_left, (CBreak(f.span, label),), ()), *then, CSet(f.span, waiting, rest), *runs)
        return [CSet(f.span, waiting, collected), CLoop(f.span, label, body)]

    def in_force(self, f: Frame, t: Type, handler: HandlerInfo, you: CExpr, params: list[CExpr]) -> CExpr:
        """The reactions of one handler: one for each active piece whose condition and limit allow it."""
        code = handler.number
        conditions: list[CExpr] = []
        if not handler.definitions:
            if handler.guard is not None:
                conditions.append(f.call(handler.guard, you, *params))
            if handler.limit is not None:
                conditions.append(self.below_limit(f, handler.limit, (), you))
            reaction = f.e("reaction", t, code, const(-1, NUMBER, f.span))
            single = f.e("list", SetT(t), reaction)
            if not conditions:
                return single
            return f.e("if", SetT(t), self.all_of(f, conditions), single, f.e("list", SetT(t)))
        kind = self.shared.kind(handler.definitions[0].kind)
        piece = f.local("this", PieceT(kind.name))
        this = f.read(piece)
        owner = f.e("owner", PLAYER, this)
        if handler.guard is not None:
            conditions.append(f.call(handler.guard, you, this, owner, *params))
        if handler.limit is not None:
            conditions.append(self.below_limit(f, handler.limit, handler.definitions, owner))
        pieces = f.active(handler.definitions, kind)
        if conditions:
            pieces = f.e("filter", SetT(piece.type), piece, pieces, self.all_of(f, conditions))
        return f.e("map", SetT(t), piece, pieces, f.e("reaction", t, code, this))

    def all_of(self, f: Frame, conditions: list[CExpr]) -> CExpr:
        result = conditions[0]
        for condition in conditions[1:]:
            result = f.e("and", BOOL, result, condition)
        return result

    def single(self, handler: HandlerInfo) -> bool:
        """Whether one seat can't have two distinct reactions of this handler: there is no piece, or only one, or its
        pieces are counts in a single place for each seat."""
        if not handler.definitions:
            return True
        kind = self.shared.kind(handler.definitions[0].kind)
        if kind.identity:
            count = handler.definitions[0].count
            known = count.args[0] if count is not None and count.op == "const" else 2
            return len(handler.definitions) == 1 and known == 1 and not handler.definitions[0].decl.per_player
        return len(handler.definitions) == 1 and len(kind.active) == 1 and kind.active[0].per in ((), (PLAYER,))

    def pick(
        self, f: Frame, t: Type, waiting: Local, chosen: Local, you: CExpr, label: str, ordered: bool
    ) -> list[CStatement]:
        """Whose reaction is next, and which, where one seat can have several distinct ones (`ordered`)."""
        candidates = f.local(f"{label}_next", SetT(t))
        seat = f.local(f"{label}_seat", PLAYER)
        it = f.local("it", t)

        def owned_by(owner: CExpr) -> CExpr:
            same = f.e("eq", BOOL, f.e("reaction_owner", NOBODY, f.read(it)), owner)
            return f.e("filter", SetT(t), it, f.read(waiting), same)

        empty = f.e("eq", BOOL, f.e("count", NUMBER, f.read(candidates)), number(0, f.span))
        first = f.e("first", t, f.read(candidates))
        loop_label = f"{label}_seats"
        find = CFor(
            f.span,
            loop_label,
            seat,
            f.e("reaction_order", SetT(PLAYER), you),
            (
                CSet(f.span, candidates, owned_by(f.read(seat))),
                CIf(f.span, empty, (), (CBreak(f.span, loop_label),)),
            ),
        )
        item = CItem(f.sym.name, (CBinder("each", "react", chosen, (f.read(candidates),)),), (), (), f.span)
        is_seat = f.e("member", BOOL, f.read(seat), f.e("everyone", SetT(PLAYER)))
        ask = CChoose(f.span, f.sym.name, f.read(seat), (item,), None, "engine")
        take = CSet(f.span, chosen, first)
        owned = (find, CIf(f.span, is_seat, (ask,), (take,)) if ordered else take)
        return [
            CSet(f.span, seat, const(0, PLAYER, f.span)),
            CSet(f.span, candidates, owned_by(const(-1, NOBODY, f.span))),
            CIf(f.span, empty, owned, (take,)),
        ]

    def run(
        self, f: Frame, handlers: list[HandlerInfo], chosen: Local, you: CExpr, params: list[CExpr]
    ) -> list[CStatement]:
        """Calls the handler that was picked."""
        result: list[CStatement] = []
        reaction = f.read(chosen)
        for handler in handlers:
            args = [you]
            counted = you
            if handler.definitions:
                kind = PieceT(handler.definitions[0].kind)
                owner = f.e("reaction_owner", PLAYER, reaction)
                args += [f.e("reaction_piece", kind, reaction), owner]
                counted = owner
            body: list[CStatement] = []
            if handler.limit is not None:
                body.append(self.count_use(f, handler.limit, counted))
            body.append(CCall(handler.span, handler.body, (*args, *params), None))
            if len(handlers) == 1:
                return body
            test = f.e("eq", BOOL, f.e("reaction_handler", NUMBER, reaction), number(handler.number, f.span))
            result.append(CIf(f.span, test, tuple(body), ()))
        return result

    # ---- quantities

    def quantity(self, info: QuantityInfo) -> None:
        """The base, then each layer over it."""
        sym = info.procedure
        f = Frame(sym, sym.span)
        you, *params = f.parameters(sym.params)
        assert info.base is not None
        value = f.call(info.base, you, *params)
        setters = sorted((m for m in info.modifiers if m.layer == "set to"), key=lambda m: m.priority)
        for modifier in setters:
            value = self.set_layer(f, modifier, value, you, params)
        for layer in ("plus", "minus"):
            for modifier in (m for m in info.modifiers if m.layer == layer):
                value = self.added(f, modifier, value, you, params)
        for layer, op, fold in (("at least", "max2", "max"), ("at most", "min2", "min")):
            for modifier in (m for m in info.modifiers if m.layer == layer):
                value = self.bounded(f, modifier, value, op, fold, you, params)
        sym.body.statements = (CReturn(f.span, value),)

    def instances(self, f: Frame, m: ModifierInfo, you: CExpr, params: list[CExpr]) -> tuple[Local, CExpr, CExpr]:
        """The element local, the active pieces for which the modifier holds, and its value for the element."""
        kind = self.shared.kind(m.definitions[0].kind)
        piece = f.local("this", PieceT(kind.name))
        this = f.read(piece)
        owner = f.e("owner", PLAYER, this)
        pieces = f.active(m.definitions, kind)
        if m.guard is not None:
            pieces = f.e("filter", SetT(piece.type), piece, pieces, f.call(m.guard, you, this, owner, *params))
        return piece, pieces, f.call(m.value, you, this, owner, *params)

    def set_layer(self, f: Frame, m: ModifierInfo, value: CExpr, you: CExpr, params: list[CExpr]) -> CExpr:
        if not m.definitions:
            new = f.call(m.value, you, *params)
            return new if m.guard is None else f.e("if", value.type, f.call(m.guard, you, *params), new, value)
        kind = self.shared.kind(m.definitions[0].kind)
        _, pieces, _ = self.instances(f, m, you, params)
        first = f.e("first", PieceT(kind.name), pieces)
        new = f.call(m.value, you, first, f.e("owner", PLAYER, first), *params)
        some = f.e("gt", BOOL, f.e("count", NUMBER, pieces), number(0, f.span))
        return f.e("if", value.type, some, new, value)

    def added(self, f: Frame, m: ModifierInfo, value: CExpr, you: CExpr, params: list[CExpr]) -> CExpr:
        t = value.type
        ops = {
            NumberT: ("add", "sub"),
            BagT: ("bag_add", "bag_sub"),
            CostT: ("cost_add", "cost_sub"),
            SetT: ("union", "difference"),
        }
        op = ops[type(t)][0 if m.layer == "plus" else 1]
        if not m.definitions:
            new = f.e(op, t, value, f.call(m.value, you, *params))
            return new if m.guard is None else f.e("if", t, f.call(m.guard, you, *params), new, value)
        piece, pieces, one = self.instances(f, m, you, params)
        summed = f.e("flatten" if isinstance(t, SetT) else "sum", one.type, piece, pieces, one)
        return f.e(op, t, value, summed)

    def bounded(
        self, f: Frame, m: ModifierInfo, value: CExpr, op: str, fold: str, you: CExpr, params: list[CExpr]
    ) -> CExpr:
        if not m.definitions:
            new = f.e(op, NUMBER, value, f.call(m.value, you, *params))
            return new if m.guard is None else f.e("if", NUMBER, f.call(m.guard, you, *params), new, value)
        piece, pieces, one = self.instances(f, m, you, params)
        bound = f.e(fold, optional(NUMBER), piece, pieces, one)
        return f.e(op, NUMBER, value, f.e("otherwise", NUMBER, bound, value))

    # ---- abilities

    def ability(self, info: AbilityInfo) -> None:
        """The implementation that the piece brings, else the default."""
        sym = info.procedure
        f = Frame(sym, sym.span)
        you, *params = f.parameters(sym.params)
        if sym.pure:
            value = f.call(info.default, you, *params)
            for implementation in reversed(info.implementations):
                mine = f.e("is_def", BOOL, params[0], *implementation.definitions)
                value = f.e("if", sym.returns, mine, f.call(implementation.body, you, *params), value)
            sym.body.statements = (CReturn(f.span, value),)
            return
        void = isinstance(sym.returns, VoidT)

        def through(target: ProcedureSym) -> tuple[CStatement, ...]:
            if void:
                return (CCall(f.span, target, (you, *params), None),)
            result = f.local("result", sym.returns)
            return (CCall(f.span, target, (you, *params), result), CReturn(f.span, f.read(result)))

        out = through(info.default)
        for implementation in reversed(info.implementations):
            mine = f.e("is_def", BOOL, params[0], *implementation.definitions)
            out = (CIf(f.span, mine, through(implementation.body), out),)
        sym.body.statements = out

    # ---- exchanges

    def trade(self, group: GroupInfo) -> None:
        """Offers every exchange that can be paid, with `done`, until `done` or none is left."""
        sym = group.trade
        checker = Context(self.shared, sym)
        f = Frame(sym, sym.span)
        you, *params = f.parameters(sym.params)
        checker.you = you
        for param, local in zip(group.decl.params, sym.body.parameters[1:], strict=True):
            checker.scopes[0][param.name.text] = local
        parts = purse_parts(group.decl.purse)
        purses = purses_at(checker, parts)
        first = path(checker, parts[0])
        assert isinstance(first, Place)
        label = "trade"
        before: list[CStatement] = []
        counted: tuple[Local, CGuard] | None = None
        if group.times is not None:
            made, most = f.local("made", NumberT(0)), f.local("most", NUMBER)
            before += [CSet(f.span, made, number(0, f.span)), CSet(f.span, most, f.call(group.times, you, *params))]
            below = f.e("lt", BOOL, f.read(made), f.read(most))
            counted = made, CGuard(below, "at most so many times", "limit", "use")
        items = [self.exchange(f, checker, group, e, you, params, purses, first, counted) for e in group.exchanges]
        items.append(CItem("done", (), (), (CBreak(f.span, label),), f.span))
        ask = CChoose(f.span, sym.name, you, tuple(items), (CBreak(f.span, label),), "engine", menu="")
        sym.body.statements = (
            *before,
            CMoment(f.span, "before", "use", const(-1, NOBODY, f.span)),
            CLoop(f.span, label, (ask,)),
        )

    def exchange(
        self,
        f: Frame,
        checker: Context,
        group: GroupInfo,
        e: ExchangeInfo,
        you: CExpr,
        params: list[CExpr],
        purses: CExpr,
        place: Place,
        counted: tuple[Local, CGuard] | None,
    ) -> CItem:
        """One exchange as an item of the menu; `counted`: what counts those of the group, and the guard for all."""
        resource = group.resource
        f = Frame(f.sym, e.span)
        piece = e.definitions[0].id if e.definitions else ""
        guards: list[CGuard] = []
        if e.definitions:
            copies = self.copies(f, e.definitions, you)
            active = f.e("gt", BOOL, copies, number(0, f.span))
            guards.append(CGuard(active, f"{piece} in force", "active", piece))
        if counted is not None:
            guards.append(counted[1])
        if e.guard is not None:
            guards += self.conditions(f, e.guard, (you, *params))
        if e.limit is not None:
            words = "once" if e.limit.times == 1 else f"{e.limit.times} times"
            below = self.below_limit(f, e.limit, e.definitions, you)
            guards.append(CGuard(below, f"{words} per {e.limit.scope}", "limit", e.limit.scope))
        cost, gain = f.call(e.cost, you, *params), f.call(e.gain, you, *params)
        payment = f.local("pay", PaymentT(resource))
        gained = f.local("gain", BagT(resource))
        ways = f.e("payments", SetT(PaymentT(resource)), cost, purses)
        binders = (
            CBinder("each", "pay", payment, (ways,), source_text(e.cost.span)),
            CBinder("each", "gain", gained, (f.e("expansions", SetT(BagT(resource)), gain),)),
        )
        sym = place.symbol
        assert isinstance(sym, VariableSym)
        each, limits, total = capacity(checker, sym, place, f.span)
        current = f.e("var", sym.type, sym, *place.indices)
        kept = f.local("keep", sym.type)
        body: list[CStatement] = [CDo(f.span, "spend", (f.read(payment), purses))]
        if sym.total is not None:
            added = f.e("cost", CostT(resource), f.read(gained))
            options = f.e("placements", SetT(sym.type, 1), current, added, total, each, *limits)
            item = CItem(f.sym.name, (CBinder("each", "keep", kept, (options,)),), (), (), f.span)
            body.append(CChoose(f.span, f.sym.name, you, (item,), None, "engine"))
        else:
            new = f.e("bag_add", sym.type, current, f.read(gained))
            if sym.each is not None or limits:
                new = f.e("bag_clamp", sym.type, new, each, *limits)
            body.append(CSet(f.span, kept, new))
        body.append(CDo(f.span, "set_var", (sym, f.read(kept), *place.indices)))
        if e.limit is not None:
            body.append(self.count_use(f, e.limit, you))
        if counted is not None:
            made = counted[0]
            body.append(CSet(f.span, made, f.e("add", NUMBER, f.read(made), number(1, f.span))))
        return CItem(e.name, binders, tuple(guards), tuple(body), e.span, e.citations, piece)

    def conditions(self, f: Frame, guard: ProcedureSym, args: tuple[CExpr, ...]) -> list[CGuard]:
        """What stands after the `when` of an exchange, for these arguments: each part with its words."""
        (statement,) = guard.body.statements
        assert isinstance(statement, CReturn)
        assert statement.value is not None
        values = dict(zip(guard.body.parameters, args, strict=True))
        whole = substitute(statement.value, values, f.sym.body)
        return [CGuard(part, source_text(part.span)) for part in conjunction(whole)]
