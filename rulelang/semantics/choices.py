"""Choosing, chance and menus: expressions and statements at which the game waits."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

from rulelang.diagnostics import Span
from rulelang.semantics.base import conjuncts, const, declared_unseen, source_text
from rulelang.semantics.core import (
    CBinder,
    CChoose,
    CDo,
    CExpose,
    CExpr,
    CGuard,
    CItem,
    CRandom,
    CSet,
    CStatement,
    Local,
)
from rulelang.semantics.expressions import Expressions
from rulelang.semantics.symbols import DefinitionSym, KindSym, LimitInfo, OfferInfo, ZoneSym
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    NUMBER,
    PLAYER,
    BagT,
    ErrorT,
    NumberT,
    PieceT,
    SeatsT,
    SetT,
    Type,
    is_scalar,
    optional,
)
from rulelang.syntax import ast


def cite_texts(citations: tuple[ast.Citation, ...]) -> tuple[str, ...]:
    """Citations as written: `source:line` or `source:first-last`."""
    return tuple(f"{c.source}:{c.first}" + (f"-{c.last}" if c.last != c.first else "") for c in citations)


@dataclass(frozen=True)
class Asked:
    """A binder under construction: its expressions, guards and whether it may have no value at all."""

    binder: CBinder
    guards: tuple[CGuard, ...]
    may_be_empty: bool


class Choices(Expressions):
    """Types what waits, and puts it before the statement that needs its result."""

    def waiting(self, node: ast.Expr) -> CExpr:
        if self.prelude is None:
            return self.error(
                "choice-misplaced",
                "a choice or chance can't stand here",
                node.span,
                "put it in a statement of its own: `let x = …`",
            )
        match node:
            case ast.Choose():
                return self.choose(node)
            case ast.Roll():
                low, high = (
                    self.value(node.low, NUMBER, "the lowest number"),
                    self.value(node.high, NUMBER, "the highest number"),
                )
                result = self.new_local(self.choice_name, self.number_between(low, high, node.span), node.span)
                self.prelude.append(CRandom(node.span, "number", self.chance_name("roll"), (low, high), result))
                return self.read(result, node.span)
            case ast.RandomOf():
                return self.random_of(node)
        raise AssertionError(f"no rule for {type(node).__name__}")

    def chance_name(self, default: str) -> str:
        return default if self.choice_name == "choice" else self.choice_name

    def number_between(self, low: CExpr, high: CExpr, span: Span) -> Type:
        if isinstance(low.type, NumberT) and isinstance(high.type, NumberT):
            if high.type.high < low.type.low:
                message = f"there is no number from {low.type.low} to {high.type.high}"
                self.error("range-empty", message, span, "the lower one comes first")
            return NumberT(low.type.low, max(high.type.high, low.type.low))
        return NUMBER

    def random_of(self, node: ast.RandomOf) -> CExpr:
        assert self.prelude is not None
        collection = self.collection(node.collection, "what is drawn from")
        element = self.element_type(collection)
        if not is_scalar(element):
            return self.error("type-mismatch", f"one can't draw from a collection of {element}", node.span)
        name = self.chance_name("random")
        if node.count is None:
            sure = isinstance(collection.type, SetT) and collection.type.least > 0
            result = self.new_local(self.choice_name, element if sure else optional(element), node.span)
            self.prelude.append(CRandom(node.span, "element", name, (collection,), result))
        else:
            count = self.value(node.count, NUMBER, "how many")
            result = self.new_local(self.choice_name, SetT(element), node.span)
            self.prelude.append(CRandom(node.span, "some", name, (collection, count), result))
        return self.read(result, node.span)

    # ---- one choice

    def choose(self, node: ast.Choose) -> CExpr:
        assert self.prelude is not None
        out = self.prelude
        you: Local | None = None
        if node.together:
            if node.by is not None:
                message = "`together` asks every player, so `by` can't name one"
                self.error("choice-together", message, node.by.span, "take one of the two away")
            seat = CExpr("players", SetT(PLAYER, 1), (), node.span)
            you = self.new_local("you", PLAYER, node.span)
        elif node.by is not None:
            seat = self.seat(node.by, "who chooses")
        else:
            seat = self.seat_here(node.span, "a choice")
        if you is not None:
            with self.acting(self.read(you)), self.pure():
                asked = self.domain_asked(node.domain, self.choice_name, inline=True)
        else:
            asked = self.domain_asked(node.domain, self.choice_name, inline=False)
        if asked is None:
            return CExpr("const", ERROR, (0,), node.span)
        local = asked.binder.local
        value_type = local.type
        bag = asked.binder.kind == "some" or isinstance(local.type, BagT)
        if asked.may_be_empty and not bag:
            local.type = optional(local.type)
        result: Local | None = None
        if you is not None:
            result = self.new_local(self.choice_name, SeatsT(local.type if not bag else value_type), node.span)
        otherwise: tuple[CStatement, ...] | None = None
        if asked.may_be_empty and not bag and not node.together:
            otherwise = (CSet(node.span, local, const(-1, local.type, node.span)),)
        item = CItem(self.procedure.name, (asked.binder,), asked.guards, (), node.span)
        out.append(
            CChoose(
                node.span,
                self.procedure.name,
                seat,
                (item,),
                otherwise,
                "some" if bag else "author",
                node.together,
                node.secretly,
                you,
                result,
            )
        )
        return self.read(result if result is not None else local, node.span)

    def domain_asked(self, domain: ast.Domain, name: str, inline: bool) -> Asked | None:
        """The binder for a domain. `inline`: its expressions are read anew for each seat or earlier argument."""
        match domain:
            case ast.OneOf():
                return self.each(domain.collection, name, domain.span)
            case ast.OneNumber():
                return self.numbers_asked(domain.low, domain.high, name, domain.span)
            case ast.OneValue():
                return self.one_value(domain, name)
            case ast.SomeOf():
                return self.some(domain.amount, domain.collection, name, domain.span, inline)

    def each(self, node: ast.Expr, name: str, span: Span, named: bool = False) -> Asked | None:
        inner, condition = (node.collection, node.condition) if isinstance(node, ast.Where) else (node, None)
        collection = self.collection(inner, "what is chosen from")
        return self.each_of(collection, condition, name, span, named)

    def each_of(
        self, collection: CExpr, condition: ast.Expr | None, name: str, span: Span, named: bool = False
    ) -> Asked | None:
        """A binder for one element; in the condition it is `it`, and if `named` also called by its name."""
        element = self.element_type(collection)
        if isinstance(element, ErrorT):
            return None
        if not is_scalar(element):
            self.error("type-mismatch", f"one can't choose from a collection of {element}", span)
            return None
        local = self.new_local(name, element, span)
        guards: tuple[CGuard, ...] = ()
        if condition is not None:
            with self.scope(), self.element(local):
                if named:
                    self.scopes[-1][name] = local
                guards = self.guards(condition)
        sure = isinstance(collection.type, SetT) and collection.type.least > 0 and not guards
        text = source_text(collection.span)
        return Asked(CBinder("each", name, local, (collection,), text), guards, not sure)

    def one_value(self, domain: ast.OneValue, name: str) -> Asked | None:
        if domain.type.text == "player":
            collection = CExpr("players", SetT(PLAYER, 1), (), domain.span)
        elif domain.type.text == "Direction":
            found = self.special_name("Direction", domain.span)
            assert found is not None
            collection = found
        else:
            sym = self.shared.type_sym(domain.type.text)
            if sym is None or sym.category == "kind":
                hint = self.names.suggest(domain.type.text)
                self.error(
                    "type-unknown", f"`{domain.type.text}` is not a type with a list of values", domain.type.span, hint
                )
                return None
            collection = self.domain(sym, domain.span)
        return self.each_of(collection, domain.condition, name, domain.span)

    def numbers_asked(self, low_node: ast.Expr, high_node: ast.Expr, name: str, span: Span) -> Asked:
        low, high = (
            self.value(low_node, NUMBER, "the lowest number"),
            self.value(high_node, NUMBER, "the highest number"),
        )
        local = self.new_local(name, self.number_between(low, high, span), span)
        sure = isinstance(low.type, ErrorT) or isinstance(high.type, ErrorT)
        if isinstance(low.type, NumberT) and isinstance(high.type, NumberT):
            sure = high.type.low >= low.type.high
        return Asked(CBinder("number", name, local, (low, high), source_text(span)), (), not sure)

    def some(self, amount: ast.Quantity, node: ast.Expr, name: str, span: Span, inline: bool) -> Asked | None:
        found = self.expr(node)
        if isinstance(found.type, BagT):
            return self.some_of_bag(amount, found, name, span)
        collection = self.as_set(found, "what is chosen from")
        element = self.element_type(collection)
        if isinstance(element, ErrorT):
            return None
        if not is_scalar(element):
            self.error("type-mismatch", f"one can't choose from a collection of {element}", span)
            return None
        if not inline and self.prelude is not None:
            source = self.new_local(f"{name}_from", collection.type, span)
            self.prelude.append(CSet(span, source, collection))
            collection = self.read(source, span)
        low, high = self.bounds(amount, collection)
        local = self.new_local(name, SetT(element), span)
        return Asked(CBinder("some", name, local, (collection, low, high), source_text(node.span)), (), False)

    def some_of_bag(self, amount: ast.Quantity, bag: CExpr, name: str, span: Span) -> Asked:
        """`choose N of` a bag of resources: one of the bags within it."""
        low, high = self.bounds(amount, bag)
        local = self.new_local(name, bag.type, span)
        bags = CExpr("sub_bags", SetT(bag.type, 1), (bag, low, high), span)
        return Asked(CBinder("each", name, local, (bags,), source_text(bag.span)), (), False)

    def bounds(self, amount: ast.Quantity, collection: CExpr) -> tuple[CExpr, CExpr]:
        """How few and how many, cut to what is there (and to zero)."""
        span = amount.span
        size = self.size_of(collection, span)
        zero = const(0, NumberT(0, 0), span)

        def above(least: CExpr, n: CExpr) -> CExpr:
            sure = isinstance(n.type, NumberT) and isinstance(least.type, NumberT) and n.type.low >= least.type.high
            return n if sure else CExpr("max2", NUMBER, (least, n), span)

        def cut(n: CExpr) -> CExpr:
            return CExpr("min2", NUMBER, (n, size), span)

        low = above(zero, self.value(amount.low, NUMBER, "how many")) if amount.low is not None else zero
        high = above(low, self.value(amount.high, NUMBER, "how many")) if amount.high is not None else low

        match amount.mode:
            case "exactly":
                return cut(low), cut(low)
            case "at_least":
                return cut(low), size
            case "up_to":
                return zero, cut(low)
            case "down_to":
                excess = CExpr("max2", NUMBER, (zero, CExpr("sub", NUMBER, (size, low), span)), span)
                return excess, excess
            case "between":
                return cut(low), cut(high)
        return zero, size

    def guards(self, node: ast.Expr) -> tuple[CGuard, ...]:
        """A condition cut at its `and`s, each part with its words."""
        return tuple(CGuard(self.condition(part), source_text(part.span)) for part in conjuncts(node))

    # ---- pieces nobody has seen

    def expose_all(self, zone: CExpr) -> CStatement:
        return CExpose(zone.span, zone, None)

    def expose(self, sym: ZoneSym, zone: CExpr, end: str, count: CExpr | None, span: Span) -> None:
        one = count is None or (count.op == "const" and count.args == (1,))
        if self.procedure.sees_all or (sym.decl.visible == "top" and end == "top" and one):
            return
        if self.prelude is None:
            self.error(
                "visibility-unseen",
                f"nobody may have seen the {end} of `{sym.name}`, so it can't be read here",
                span,
                "read it in a statement of a rule: `let card = top of …`",
                [declared_unseen(sym)],
            )
            return
        self.prelude.append(CExpose(span, zone, const(0 if end == "top" else -1, NUMBER, span), count))

    # ---- menus

    def block(self, node: ast.Block) -> tuple[CStatement, ...]:
        raise NotImplementedError

    def menu(self, node: ast.Menu) -> None:
        assert self.prelude is not None
        out = self.prelude
        seat = self.seat(node.by, "who chooses") if node.by is not None else self.seat_here(node.span, "a menu")
        items: list[CItem] = []
        sure = False
        for item in node.items:
            with self.scope():
                checked, always = self.menu_item(item, seat)
            items.append(checked)
            sure = sure or always
        name = node.name.text if node.name is not None else ""
        # Items of different pieces may share a name: their options say which piece offers them.
        offered: dict[tuple[DefinitionSym, ...], list[CItem]] = {(): items}
        for offer in self.checked.offers:
            if offer.menu == name:
                offered.setdefault(offer.definitions, []).extend(self.offered(offer, seat))
        for same_offerer in offered.values():
            self.distinct_names(same_offerer)
        items = [item for same_offerer in offered.values() for item in same_offerer]
        otherwise = self.block(node.otherwise) if node.otherwise is not None else None
        if not sure and otherwise is None and not node.anyway:
            self.error(
                "choice-empty",
                "this menu may have nothing to offer, and does not say what happens then",
                node.span,
                "add `else:`, an item without a condition, or `anyway`",
            )
        ask = "anyway" if node.anyway else "author"
        out.append(
            CChoose(
                node.span,
                name or self.procedure.name,
                seat,
                tuple(items),
                otherwise if otherwise is not None else (() if not sure else None),
                ask,
                secret=node.secretly,
                menu=name,
                citations=cite_texts(node.citations),
            )
        )

    def distinct_names(self, items: list[CItem]) -> None:
        first: dict[str, CItem] = {}
        for item in items:
            other = first.setdefault(item.name, item)
            if other is not item:
                message = f"two items of this menu are called `{item.name}`"
                hint = "give one of them another name"
                self.error("name-duplicate", message, item.span, hint, [(other.span, "the first one")])

    def menu_item(
        self, node: ast.MenuItem, seat: CExpr, definitions: tuple[DefinitionSym, ...] = ()
    ) -> tuple[CItem, bool]:
        """An item and whether it is always offered; `seat` is asked, `definitions` are the pieces that offer it."""
        binders: list[CBinder] = []
        guards: list[CGuard] = []
        always = True
        old_prelude, self.prelude = self.prelude, None
        for binder in node.binders:
            asked = self.bind(binder)
            if asked is None:
                self.scopes[-1][binder.name.text] = self.new_local(binder.name.text, ERROR, binder.span)
                continue
            self.refuse_hiding(binder.name)
            self.scopes[-1][binder.name.text] = asked.binder.local
            binders.append(asked.binder)
            guards += asked.guards
            always = always and not asked.may_be_empty
        if node.guard is not None:
            guards += self.guards(node.guard)
            always = False
        limit = self.shared.limit(node.limit, node.name.text)
        if limit is not None:
            guards.append(self.within_limit(limit, seat, definitions, node.span))
            always = False
        self.prelude = old_prelude
        with self.payable([guard.condition for guard in guards]):
            body = self.block(node.body)
        if limit is not None:
            used = CExpr("var", NUMBER, (limit.variable, seat), node.span)
            more = CExpr("add", NUMBER, (used, const(1, NUMBER, node.span)), node.span)
            body = (CDo(node.span, "set_var", (limit.variable, more, seat)), *body)
        item = CItem(node.name.text, tuple(binders), tuple(guards), body, node.span, cite_texts(node.citations))
        return item, always

    def within_limit(self, limit: LimitInfo, seat: CExpr, definitions: tuple[DefinitionSym, ...], span: Span) -> CGuard:
        """The seat has chosen this less often than it may (for each active copy of the pieces that offer it)."""
        times = const(limit.times, NUMBER, span)
        if definitions:
            kind = self.shared.kind(definitions[0].kind)
            piece = self.new_local("it", PieceT(kind.name), span)
            mine = CExpr("eq", BOOL, (self.owner_of(self.read(piece)), seat), span)
            held = CExpr("filter", SetT(piece.type), (piece, self.active_pieces(kind, definitions, span), mine), span)
            times = CExpr("mul", NUMBER, (times, CExpr("count", NUMBER, (held,), span)), span)
        used = CExpr("var", NUMBER, (limit.variable, seat), span)
        words = "once" if limit.times == 1 else f"{limit.times} times"
        return CGuard(CExpr("lt", BOOL, (used, times), span), f"{words} per {limit.scope}", "limit", limit.scope)

    def payable(self, guards: Sequence[CExpr] = ()) -> AbstractContextManager[None]:
        """Inside, what `guards` say can be paid may be paid, once, without saying what happens otherwise."""
        raise NotImplementedError

    def bind(self, node: ast.Binder) -> Asked | None:
        match node:
            case ast.BindEach():
                return self.each(node.collection, node.name.text, node.span, named=True)
            case ast.BindNumber():
                return self.numbers_asked(node.low, node.high, node.name.text, node.span)
            case ast.BindAmount():
                asked = self.some(node.amount, node.collection, node.name.text, node.span, inline=True)
                return self.at_least_one(node.amount, asked) if asked is not None else None

    def at_least_one(self, amount: ast.Quantity, asked: Asked) -> Asked:
        """An item that wants some is not offered where there is nothing."""
        if amount.mode not in ("exactly", "at_least", "between") or amount.low is None:
            return asked
        binder = asked.binder
        bags = binder.args[0] if binder.kind == "each" else None
        collection, low, high = bags.args if bags is not None else binder.args
        with self.pure():
            wanted = self.value(amount.low, NUMBER, "how many")
        assert isinstance(low, CExpr)
        one = CExpr("min2", NUMBER, (wanted, const(1, NUMBER, amount.span)), amount.span)
        low = CExpr("max2", NUMBER, (low, one), amount.span)
        if bags is not None:
            args: tuple[CExpr, ...] = (CExpr(bags.op, bags.type, (collection, low, high), bags.span),)
        else:
            assert isinstance(collection, CExpr)
            assert isinstance(high, CExpr)
            args = (collection, low, high)
        return Asked(replace(binder, args=args), asked.guards, True)

    def active_pieces(self, kind: KindSym, definitions: tuple[DefinitionSym, ...], span: Span) -> CExpr:
        return CExpr("active", SetT(PieceT(kind.name)), (kind, *definitions), span)

    def owner_of(self, piece: CExpr) -> CExpr:
        return CExpr("owner", PLAYER, (piece,), piece.span)

    def offered(self, offer: OfferInfo, seat: CExpr) -> list[CItem]:
        """The items that pieces add: for each active piece of the seat."""
        offer.used = True
        kind = self.shared.kind(offer.definitions[0].kind) if offer.definitions else None
        items: list[CItem] = []
        saved = (self.scopes, self.this, self.owner)
        for item in offer.decl.items:
            self.scopes = [{}]
            binders: tuple[CBinder, ...] = ()
            if kind is not None:
                element = self.new_local("it", PieceT(kind.name), item.span)
                mine = CExpr("eq", BOOL, (self.owner_of(self.read(element)), seat), item.span)
                pieces = self.active_pieces(kind, offer.definitions, item.span)
                this = self.new_local("this", PieceT(kind.name), item.span)
                held = CExpr("filter", SetT(PieceT(kind.name)), (element, pieces, mine), item.span)
                binders = (CBinder("each", "this", this, (held,), offer.definitions[0].id),)
                self.this = self.read(this)
                self.owner = self.owner_of(self.this)
            checked, _ = self.menu_item(item, seat, offer.definitions)
            cites = checked.citations or self.checked.row_citations(offer.definitions)
            piece = offer.definitions[0].id if offer.definitions else ""
            items.append(replace(checked, binders=binders + checked.binders, citations=cites, piece=piece))
        self.scopes, self.this, self.owner = saved
        return items
