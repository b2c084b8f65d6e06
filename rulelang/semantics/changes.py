"""Statements that change the game: variables, where pieces lie, marks, what is paid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.base import conjuncts, const, number, source_text
from rulelang.semantics.choices import Choices
from rulelang.semantics.core import (
    CBinder,
    CCall,
    CChoose,
    CDo,
    CDraw,
    CExpr,
    CFor,
    CGuard,
    CItem,
    CMove,
    CSet,
    CShuffle,
    CStatement,
    Local,
    mentions,
    same,
    substitute,
)
from rulelang.semantics.places import Place
from rulelang.semantics.symbols import BUILTIN_NAMES, VariableSym, ZoneSym
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    NUMBER,
    PLAYER,
    BagT,
    CostT,
    EmptyT,
    ErrorT,
    NoneT,
    NumberT,
    PaymentT,
    PieceT,
    PurseT,
    SetT,
    Type,
    ZoneT,
    bare,
    optional,
)
from rulelang.syntax import ast


class Changes(Choices):
    """Checks what a statement changes."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._payable: list[CExpr] = []

    def label(self, what: str) -> str:
        raise NotImplementedError

    def emit(self, statement: CStatement) -> None:
        assert self.prelude is not None
        self.prelude.append(statement)

    # ---- variables

    def undeclared(self, target: ast.NameExpr) -> bool:
        """Whether nothing is called so; then it is a finding, the only one about this name in the block."""
        name = target.name
        if self.find_local(name) or self.names.get(name) or name in BUILTIN_NAMES or self.individual(name, target.span):
            return False
        near = suggest(name, [v.name for v in self.checked.variables if not v.internal])
        hint = near or f"`let {name} = …` names a value; what changes is declared under `variables:`"
        self.error("name-unknown", f"there is no variable `{name}`", target.span, hint)
        self.scopes[-1][name] = self.new_local(name, ERROR, target.span)
        return True

    def assign(self, node: ast.Assign) -> None:
        if isinstance(node.target, ast.NameExpr) and self.undeclared(node.target):
            return
        found = self.path(node.target)
        sym = self.assignable(found, node.target.span)
        if sym is None:
            return
        if isinstance(found, Place) and not found.complete:
            self.finish(found)
            return
        if sym.mark:
            self.error(
                "assign-target",
                f"`{sym.name}` is a mark",
                node.span,
                f"write `mark {sym.name} until …` or `unmark {sym.name}`",
            )
            return
        self.choice_name = sym.name
        current = self.finish(found)
        if isinstance(sym.type, ErrorT):
            return
        if node.by is not None and not isinstance(sym.type, BagT):
            self.nobody_chooses(node.by)
            return
        if isinstance(sym.type, BagT):
            self.assign_bag(node, sym, found, current)
            if node.op != "+=":
                self._payable = [guard for guard in self._payable if not mentions(guard, sym)]
            return
        if node.op == ":=":
            value = self.fit(self.assigned(node, sym.type), sym.type, f"the new value of `{sym.name}`")
        else:
            if not isinstance(sym.type, NumberT):
                self.error(
                    "type-mismatch",
                    f"`{node.op}` changes numbers and bags, and `{sym.name}` is a {sym.type}",
                    node.span,
                )
                return
            change = self.fit(self.assigned(node, NUMBER), NUMBER, f"the change of `{sym.name}`")
            value = CExpr("add" if node.op == "+=" else "sub", NUMBER, (current, change), node.span)
        self.never_out_of_range(sym, value, node.value.span)
        self.store(sym, found, value, node.span)

    def assigned(self, node: ast.Assign, target: Type | None) -> CExpr:
        """The value after the sign; where it is absent and `else` says so, what follows is left."""
        value = self.expr(node.value, target)
        return value if node.leave is None else self.there_or_leave(self.choice_name, node.leave, value, node.span)

    def there_or_leave(self, name: str, leave: ast.Statement, value: CExpr, span: Span) -> CExpr:
        raise NotImplementedError

    def never_out_of_range(self, sym: VariableSym, value: CExpr, span: Span) -> None:
        """A number that can't be in the variable's range at all is an error at once."""
        if isinstance(sym.type, NumberT) and isinstance(value.type, NumberT):
            if value.type.low > sym.type.high or value.type.high < sym.type.low:
                self.error("range-outside", f"this is {value.type}, but `{sym.name}` holds {sym.type}", span)

    def store(self, sym: VariableSym, found: CExpr | Place, value: CExpr, span: Span) -> None:
        if isinstance(found, Place):
            self.emit(CDo(span, "set_var", (sym, value, *found.indices)))
        else:
            self.emit(CDo(span, "set_pvar", (sym, found.args[1], value)))

    def capacity(self, sym: VariableSym, found: CExpr | Place, span: Span) -> tuple[CExpr, tuple[CExpr, ...], CExpr]:
        """The limit of each kind (-1 for none), limits per kind where some have their own, and the limit of all."""
        indices = found.indices if isinstance(found, Place) else ()
        values = dict(zip(sym.capacity_indices, indices, strict=False))
        unlimited = const(-1, NUMBER, span)
        each = substitute(sym.each, values, self.body) if sym.each is not None else unlimited
        total = substitute(sym.total, values, self.body) if sym.total is not None else unlimited
        if not sym.limits:
            return each, (), total
        res = self.resource(sym.type)
        assert res is not None
        limits = tuple(
            substitute(sym.limits[i], values, self.body) if i in sym.limits else each for i in range(len(res.values))
        )
        return each, limits, total

    def assign_bag(self, node: ast.Assign, sym: VariableSym, found: CExpr | Place, current: CExpr) -> None:
        assert isinstance(sym.type, BagT)
        span = node.span
        cost = CostT(sym.type.resource)
        value = self.assigned(node, None)
        if node.op == "-=":
            if node.by is not None:
                self.nobody_chooses(node.by)
            value = self.fit(value, sym.type, f"what `{sym.name}` loses")
            self.store(sym, found, CExpr("bag_sub", sym.type, (current, value), span), span)
            return
        free = isinstance(value.type, CostT)
        value = self.fit(value, cost if free else sym.type, f"what `{sym.name}` gains")
        each, limits, total = self.capacity(sym, found, span)
        if not free and sym.total is None:
            if node.by is not None:
                self.nobody_chooses(node.by)
            new = value if node.op == ":=" else CExpr("bag_add", sym.type, (current, value), span)
            if sym.each is not None or limits:
                new = CExpr("bag_clamp", sym.type, (new, each, *limits), span)
            self.store(sym, found, new, span)
            return
        empty = self.bag_literal(sym.type.resource, {}, span)
        present = current if node.op == "+=" else empty
        added = value if free else CExpr("cost", cost, (value,), span)
        options = CExpr("placements", SetT(sym.type, 1), (present, added, total, each, *limits), span)
        local = self.new_local("keep", sym.type, span)
        seat, acting = self.bag_chooser(node, found)
        item = CItem(self.procedure.name, (CBinder("each", "keep", local, (options,)),), (), (), span)
        self.emit(CChoose(span, self.procedure.name, seat, (item,), None, "engine", acting=acting))
        self.store(sym, found, self.read(local, span), span)

    def give(self, node: ast.Assign) -> CExpr | None:
        """A scenario's assignment: a bag is taken even with more than it holds; gives what must then be true."""
        found = self.path(node.target)
        symbol = found.symbol if isinstance(found, Place) else found.args[0] if found.op == "pvar" else None
        whole = not isinstance(found, Place) or found.complete
        if not isinstance(symbol, VariableSym) or not isinstance(symbol.type, BagT) or not whole:
            self.assign(node)
            return None
        span, current = node.span, self.finish(found)
        value = self.fit(self.expr(node.value, None), symbol.type, f"what `{symbol.name}` is given")
        self.store(symbol, found, value, span)
        each, limits, total = self.capacity(symbol, found, span)
        fits = CExpr("same", BOOL, (CExpr("bag_clamp", symbol.type, (current, each, *limits), span), current), span)
        room = CExpr("le", BOOL, (CExpr("bag_size", NUMBER, (current,), span), total), span)
        free = CExpr("lt", BOOL, (total, number(0, span)), span)
        return CExpr("and", BOOL, (fits, CExpr("or", BOOL, (free, room), span)), span)

    def bag_chooser(self, node: ast.Assign, found: CExpr | Place) -> tuple[CExpr, CExpr | None]:
        """Who is asked what a bag gains: whoever `by` names, else the bag's owner, for a bag of nobody's whoever acts
        (the first player where nobody acts). For an owner also the acting seat, who may be another one."""
        if node.by is not None:
            return self.seat(node.by, "who chooses"), None
        if isinstance(found, Place) and found.symbol.per and found.symbol.per[0] == PLAYER:
            return found.indices[0], self.you
        if isinstance(found, CExpr) and self.owner is not None and self.owner.type == PLAYER:
            if self.this is not None and same(cast("CExpr", found.args[1]), self.this):
                return self.owner, self.you
        if self.you is None:
            return const(0, PLAYER, node.span), None
        return self.seat_here(node.span, "this"), None

    def nobody_chooses(self, by: ast.Expr) -> None:
        """`by` where there is nothing to choose."""
        hint = "take `by` away; it says who chooses free parts such as `1 any …`, or what a bag with a `total` keeps"
        self.error("choice-misplaced", "nothing is chosen here, so nobody is asked", by.span, hint)

    # ---- pieces

    def move(self, node: ast.Move) -> None:
        zone = self.zone_place(node.to, "where it moves")
        if not isinstance(zone.type, ZoneT):
            self.expr(node.what)
            return
        kind = PieceT(zone.type.kind)
        end = node.end or "top"
        sym = zone.args[0]
        if node.end is not None and isinstance(sym, ZoneSym) and sym.decl.order != "pile":
            message = f"`{sym.name}` has no top and no bottom"
            self.error("zone-order", message, node.to.span, "declare it with `order: pile`")
        slots = self.whole_or_top(node, zone, end)
        if slots:
            return
        what = self.expr(node.what)
        if isinstance(what.type, ZoneT):
            what = self.pieces_of(what)
        inner = bare(what.type)
        element = inner.element if isinstance(inner, SetT) else inner
        if isinstance(what.type, ErrorT):
            return
        if element != kind:
            self.error(
                "type-mismatch",
                f"`{source_text(node.to.span)}` holds {zone.type.kind}, but this is a {what.type}",
                node.what.span,
            )
            return
        relocated = None
        if what.op == "local" and not self.shared.kind(kind.kind).identity and isinstance(what.args[0], Local):
            relocated = what.args[0]
        self.emit(CMove(node.span, what, zone, end, node.secretly, relocated))

    def whole_or_top(self, node: ast.Move, zone: CExpr, end: str) -> bool:
        """`move top N of P` and moving a whole unseen zone move pieces as they lie, known or not."""
        source, count = node.what, None
        top = isinstance(source, ast.EndOf) and source.end == "top"
        if top:
            assert isinstance(source, ast.EndOf)
            count, source = source.count, source.collection
        if not isinstance(source, ast.NameExpr | ast.Attribute | ast.Index):
            return False
        if isinstance(source, ast.Attribute) and not isinstance(self.names.get(source.name.text), ZoneSym):
            return False
        found = self.path(source)
        if not (isinstance(found, Place) and isinstance(found.symbol, ZoneSym) and found.complete):
            return False
        sym = found.symbol
        if top and sym.decl.order != "pile":
            return False
        if not top and not sym.unseen:
            return False
        pile = self.finish(found)
        if pile.type != zone.type:
            wanted, held = (t.kind if isinstance(t, ZoneT) else str(t) for t in (zone.type, pile.type))
            self.error("type-mismatch", f"`{source_text(node.to.span)}` holds {wanted}, not {held}", node.what.span)
            return True
        if not top:
            amount = CExpr("size", NumberT(0), (pile,), node.span)
        elif count is None:
            amount = number(1, node.span)
        else:
            amount = self.value(count, NUMBER, "how many")
        self.emit(CDraw(node.span, amount, pile, zone, end, node.secretly, False, not top))
        return True

    def draw(self, node: ast.Draw) -> None:
        count = self.value(node.count, NUMBER, "how many")
        pile, zone = self.zone_place(node.pile, "what is drawn from"), self.zone_place(node.to, "where it goes")
        if not isinstance(pile.type, ZoneT) or not isinstance(zone.type, ZoneT):
            return
        sym = pile.args[0]
        if isinstance(sym, ZoneSym) and sym.decl.order != "pile":
            self.error(
                "zone-order",
                f"`{sym.name}` is not a pile",
                node.pile.span,
                "declare it with `order: pile`, or use `random N of`",
            )
            return
        if pile.type != zone.type:
            self.error("type-mismatch", f"one holds {pile.type.kind}, the other {zone.type.kind}", node.span)
            return
        self.emit(CDraw(node.span, count, pile, zone, "top", node.secretly, True))

    def shuffle(self, node: ast.Shuffle) -> None:
        pile = self.zone_place(node.pile, "what is shuffled")
        sym = pile.args[0] if pile.args else None
        if isinstance(sym, ZoneSym):
            if sym.decl.order != "pile":
                self.error("zone-order", f"`{sym.name}` is not a pile", node.pile.span, "declare it with `order: pile`")
                return
            if sym.decl.visible in ("all", "owner", "others"):
                hint = "declare it `visible: count` (or `top`)"
                self.error(
                    "zone-order",
                    f"`{sym.name}` is seen as it lies, so shuffling it hides nothing",
                    node.pile.span,
                    hint,
                )
                return
            self.emit(CShuffle(node.span, pile))

    def reveal(self, node: ast.Reveal) -> None:
        value = self.expr(node.value)
        if isinstance(value.type, NoneT | EmptyT):
            value = self.unclear("this", node.value.span)
        if isinstance(value.type, ZoneT):
            value = self.pieces_of(value)
        if node.to is None:
            seats = CExpr("everyone", SetT(PLAYER, 1), (), node.span)
        else:
            seats = self.expr(node.to)
            if seats.type == PLAYER:
                seats = CExpr("list", SetT(PLAYER, 1), (seats,), node.span)
            seats = self.fit(self.as_set(seats, "who sees it"), SetT(PLAYER), "who sees it")
        self.emit(CDo(node.span, "reveal", (value, seats)))

    def arrange(self, node: ast.Arrange) -> None:
        zone = self.expr(node.zone)
        if isinstance(zone.type, ErrorT):
            return
        if not isinstance(zone.type, ZoneT):
            self.error("type-mismatch", "`arrange` groups the pieces of one zone", node.zone.span)
            return
        kind = self.shared.kind(zone.type.kind)
        sym = kind.variables.get(node.variable.text)
        if sym is None or not isinstance(sym.type, NumberT) or sym.mark or not sym.type.low <= 1 <= sym.type.high:
            self.error(
                "arrange-variable",
                f"`{node.variable.text}` must be a number, 1 and more, that each {kind.name} carries",
                node.variable.span,
                f"give {kind.name} a variable such as `variables: {{group: {{type: 0..9}}}}`",
            )
            return
        pieces = self.pieces_of(zone)
        if isinstance(pieces.type, ErrorT):
            return
        group = self.new_local("it", SetT(PieceT(kind.name), 1), node.span)
        grouping = self.new_local(sym.name, SetT(group.type), node.span)
        guards: list[CGuard] = []
        for part in conjuncts(node.condition) if node.condition is not None else ():
            with self.element(group):
                condition = self.condition(part)
            if mentions(condition, group):
                condition = CExpr("all", BOOL, (group, self.read(grouping), condition), condition.span)
            guards.append(CGuard(condition, source_text(part.span)))
        seat = self.seat_here(node.span, "an arrangement")
        binder = CBinder("grouping", sym.name, grouping, (pieces,), source_text(node.zone.span), sym)
        body = self.numbered(sym, group, grouping, node.span)
        item = CItem(self.procedure.name, (binder,), tuple(guards), body, node.span)
        self.emit(CChoose(node.span, self.procedure.name, seat, (item,), (), "some"))

    def numbered(self, sym: VariableSym, group: Local, grouping: Local, span: Span) -> tuple[CStatement, ...]:
        """Writes the number of its group, from 1 on, into each piece of a grouping."""
        count, piece = self.new_local("number", NUMBER, span), self.new_local("piece", PieceT(sym.kind), span)
        more = CExpr("add", NUMBER, (self.read(count), number(1, span)), span)
        write = CDo(span, "set_pvar", (sym, self.read(piece), self.read(count)))
        each = CFor(span, self.label("piece"), piece, self.read(group), (write,))
        groups = CFor(span, self.label("group"), group, self.read(grouping), (CSet(span, count, more), each))
        return CSet(span, count, number(0, span)), groups

    # ---- marks and seats

    def mark(self, node: ast.Mark) -> None:
        found = self.mark_place(node.target)
        event = node.event.text
        known = {"turn", "round", "phase", *self.checked.events, *self.shared.phases}
        if event not in known:
            hint = self.names.suggest(event, known)
            self.error("name-unknown", f"`{event}` is not an event, `turn`, `round` or a phase", node.event.span, hint)
            return
        seat = (
            self.seat(node.seat, "whose event it is")
            if node.seat is not None
            else const(-1, optional(PLAYER), node.span)
        )
        code = f"{node.moment} {event}"
        if code not in self.checked.untils:
            self.checked.untils.append(code)
        if found is not None:
            value = CExpr("mark_code", NUMBER, (self.checked.untils.index(code), seat), node.span)
            self.store(*found, value, node.span)

    def unmark(self, node: ast.Unmark) -> None:
        found = self.mark_place(node.target)
        if found is not None:
            self.store(*found, number(0, node.span), node.span)

    def mark_place(self, node: ast.Expr) -> tuple[VariableSym, CExpr | Place] | None:
        found = self.path(node)
        if isinstance(found, Place) and isinstance(found.symbol, VariableSym) and found.symbol.mark:
            if found.complete:
                return found.symbol, found
            self.finish(found)
            return None
        if (
            isinstance(found, CExpr)
            and found.op == "ne"
            and isinstance(found.args[0], CExpr)
            and found.args[0].op == "pvar"
        ):
            sym = found.args[0].args[0]
            if isinstance(sym, VariableSym) and sym.mark:
                return sym, found.args[0]
        if not (isinstance(found, CExpr) and isinstance(found.type, ErrorT)):
            self.error("assign-target", "this is not a mark", node.span, "declare it under `marks:`")
        return None

    def eliminate(self, node: ast.Eliminate) -> None:
        self.emit(CDo(node.span, "eliminate", (self.seat(node.seat, "who is eliminated"),)))

    # ---- payments and exchanges

    @contextmanager
    def payable(self, guards: Sequence[CExpr] = ()) -> Iterator[None]:
        """One of several ways on. Inside, what `guards` say can be paid may be paid, once, without an `else`."""
        old = self._payable
        self._payable = [*old, *(g for g in guards if g.op == "can_pay")]
        try:
            yield
        finally:
            self._payable = old

    def pay(self, node: ast.Pay) -> None:
        cost = self.expr(node.cost)
        purses = self.purses(node.purses)
        if not isinstance(purses.type, PurseT):
            return
        resource = purses.type.resource
        cost = self.fit(cost, CostT(resource), "what is paid")
        if node.paid is None and not isinstance(cost.type, ErrorT) and not self.can_surely_pay(cost, purses):
            self.error(
                "pay-unpaid",
                "this may not be payable, and does not say what happens then",
                node.span,
                f"guard it with `can pay {source_text(node.cost.span)} from …` (one guard is good for one payment), "
                "or write `pay …:` with `else:`",
            )
        payment = self.new_local("pay", PaymentT(resource), node.span)
        options = CExpr("payments", SetT(PaymentT(resource)), (cost, purses), node.span)
        binder = CBinder("each", "pay", payment, (options,))
        spend = CDo(node.span, "spend", (self.read(payment), purses))
        paid = self.block(node.paid) if node.paid is not None else ()
        unpaid = self.block(node.unpaid) if node.unpaid is not None else ()
        item = CItem(self.procedure.name, (binder,), (), (spend, *paid), node.span)
        seat = self.seat_here(node.span, "a payment")
        self.emit(CChoose(node.span, self.procedure.name, seat, (item,), unpaid, "engine"))

    def can_surely_pay(self, cost: CExpr, purses: CExpr) -> bool:
        """Whether a guard around says so; it says it for one payment, and as long as the purse loses nothing else."""
        wanted = CExpr("can_pay", BOOL, (cost, purses))
        found = next((guard for guard in self._payable if same(guard, wanted)), None)
        if found is not None:
            self._payable.remove(found)
        return found is not None

    def trade(self, node: ast.Trade) -> None:
        group = self.checked.groups.get(node.group.text)
        if group is None:
            if node.group.text in self.shared.broken:
                return
            hint = suggest(node.group.text, self.checked.groups)
            self.error("name-unknown", f"there is no group of exchanges `{node.group.text}`", node.group.span, hint)
            return
        values = self.arguments(group.trade, node.arguments, node.span)
        if values is not None and not isinstance(self.seat_here(node.span, "a trade").type, ErrorT):
            self.emit(CCall(node.span, group.trade, (*self.you_argument(group.trade, node.span), *values), None))
