"""The rule text of pieces (and what may stand in a rule file without a piece): who reacts to what, and how."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rulelang.diagnostics import Span, suggest
from rulelang.semantics.base import Shared
from rulelang.semantics.bodies import Bodies
from rulelang.semantics.context import Context
from rulelang.semantics.core import CExpr, CReturn, Local
from rulelang.semantics.menus import active_pieces, owner_of
from rulelang.semantics.places import Place, owner_type, path, purses_at
from rulelang.semantics.symbols import (
    AbilityInfo,
    DefinitionSym,
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    ImplementInfo,
    KindSym,
    ModifierInfo,
    ProcedureSym,
    ScoreInfo,
    cite_texts,
)
from rulelang.semantics.types import BOOL, NUMBER, PLAYER, VOID, BagT, CostT, NumberT, PieceT, PurseT, SetT, Type
from rulelang.syntax import ast

SORTS = {
    "event": ("an event", "events"),
    "quantity": ("a quantity", "quantities"),
    "ability": ("an ability", "abilities"),
}


def listed(what: str, names: Iterable[str]) -> str:
    """The few names that there are."""
    some = list(names)
    return f"the {what} are {', '.join(some)}" if 0 < len(some) < 9 else ""


class RuleTexts(Bodies):
    """Checks what is in force for a piece, or always: reactions, modifiers, abilities, scores, exchanges."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._idle: set[KindSym] = set()

    def piece_params(self, definitions: tuple[DefinitionSym, ...]) -> tuple[tuple[str, Type], ...]:
        if not definitions:
            return ()
        return (("this", PieceT(definitions[0].kind)), ("owner", PLAYER))

    def piece_checker(
        self, sym: ProcedureSym, definitions: tuple[DefinitionSym, ...], names: Sequence[ast.Name], span: Span
    ) -> Context:
        """A checker with `this` and `owner` for pieces, then the parameters under the author's names."""
        checker = Context(self.shared, sym)
        you = Local("you", PLAYER, span)
        sym.body.parameters.append(you)
        sym.body.locals.append(you)
        checker.you = checker.read(you)
        skip = len(self.piece_params(definitions))
        for i, (name, t) in enumerate(sym.params):
            if i >= skip and i - skip < len(names):
                local = checker.declare(names[i - skip], t)
            else:
                local = checker.new_local(name, t, span)
            sym.body.parameters.append(local)
        if definitions:
            checker.this = checker.read(sym.body.parameters[1])
            if self.owned(definitions[0]):
                checker.owner = checker.read(sym.body.parameters[2])
        return checker

    def of_piece(
        self,
        definitions: tuple[DefinitionSym, ...],
        name: str,
        category: str,
        params: tuple[tuple[str, Type], ...],
        returns: Type,
        span: Span,
        citations: tuple[ast.Citation, ...],
    ) -> ProcedureSym:
        """A procedure made of a piece's rule text, or of what stands among the declarations without a piece."""
        cites = cite_texts(citations) or self.checked.row_citations(definitions)
        sym = self.made(name, category, params, returns, span, cites)
        sym.piece = definitions[0].id if definitions else ""
        return sym

    def owned(self, definition: DefinitionSym) -> bool:
        """Whether a piece whose text is in force surely has an owner."""
        kind = self.checked.kinds[definition.kind]
        zones = bool(kind.active) and all(z.per and z.per[0] == PLAYER for z in kind.active)
        return kind.per_player or zones

    def needs_active(self, definitions: tuple[DefinitionSym, ...], span: Span) -> bool:
        kind = self.checked.kinds[definitions[0].kind] if definitions else None
        if kind is not None and not kind.active:
            declared = next(k for k in self.checked.ruleset.kinds if k.name == kind.name)
            if declared.active or kind in self._idle:
                return False  # Zones that are not there were told of, and so is a kind: once.
            self._idle.add(kind)
            message = f"rule text of {kind.name} is never in force: the kind names no `active` zone"
            self.diagnostics.error("piece-inactive", message, span, f"add `active: [ZONE]` to the kind {kind.name}")
            return False
        return True

    def too_many(self, names: tuple[ast.Name, ...], params: Sequence[object], what: str, span: Span) -> bool:
        if len(names) > len(params):
            self.diagnostics.error(
                "call-arguments", f"`{what}` has {len(params)} parameters, {len(names)} are named", span
            )
            return True
        return False

    # ---- what pieces do

    def unknown(self, code: str, name: ast.Name, known: Collection[str]) -> None:
        """There is no event, quantity or ability of this name, but perhaps something else. If a higher folder made it
        something else, the mistake is there."""
        if name.text in self.shared.broken:
            return
        sort = code.removesuffix("-unknown")
        message = f"there is no {sort} `{name.text}`"
        other = self.names.get(name.text)
        if not isinstance(other, ProcedureSym):
            hint = suggest(name.text, known) or listed(SORTS[sort][1], known)
            self.diagnostics.error(code, message, name.span, hint)
            return
        ruleset = self.checked.ruleset
        if ruleset.layer_of(other.span) > ruleset.layer_of(name.span):
            where = f"{name.span.path}:{name.span.line}"
            message = f"`{name.text}` is a {other.category} here, but {where} needs {SORTS[sort][0]}"
            related = [(name.span, f"what needs the {sort}")]
            self.diagnostics.error(code, message, other.span, f"declare it as `{sort}`", related)
            return
        hint = f"`{name.text}` is a {other.category}: declare it as `{sort}`"
        self.diagnostics.error(code, message, name.span, hint, [(other.span, f"the {other.category} is here")])

    def handler(self, d: ast.Handler, definitions: tuple[DefinitionSym, ...]) -> None:
        event = self.checked.events.get(d.event.text)
        if event is None:
            self.unknown("event-unknown", d.event, self.checked.events)
            return
        if not self.needs_active(definitions, d.span) or self.too_many(
            d.params, event.procedure.params, d.event.text, d.span
        ):
            return
        name = definitions[0].id if definitions else f"{d.timing} {d.event.text}"
        params = (*self.piece_params(definitions), *event.procedure.params)
        guard = None
        if d.guard is not None:
            guard = self.of_piece(definitions, f"{name} when", "function", params, BOOL, d.guard.span, d.citations)
            checker = self.piece_checker(guard, definitions, d.params, d.span)
            guard.body.statements = (CReturn(d.guard.span, checker.condition(d.guard)),)
        body = self.of_piece(definitions, name, "rule", params, VOID, d.span, d.citations)
        checker = self.piece_checker(body, definitions, d.params, d.span)
        body.body.statements = checker.block(d.body)
        limit = self.shared.limit(d.limit, name)
        event.handlers.append(HandlerInfo(d.timing, len(event.handlers), definitions, guard, body, limit, d.span))

    def modifier(self, d: ast.Modifier, definitions: tuple[DefinitionSym, ...]) -> None:
        quantity = self.checked.quantities.get(d.quantity.text)
        if quantity is None:
            self.unknown("quantity-unknown", d.quantity, self.checked.quantities)
            return
        base = quantity.procedure
        if not self.needs_active(definitions, d.span) or self.too_many(d.params, base.params, d.quantity.text, d.span):
            return
        additive = isinstance(base.returns, NumberT | BagT | CostT | SetT)
        numeric = isinstance(base.returns, NumberT)
        if (d.layer in ("plus", "minus") and not additive) or (d.layer.startswith("at") and not numeric):
            message = f"`{d.layer}` can't change a {base.returns}"
            self.diagnostics.error("modifier-layer", message, d.span, "use `set to`")
            return
        name = definitions[0].id if definitions else f"modify {d.quantity.text}"
        params = (*self.piece_params(definitions), *base.params)
        guard = None
        if d.guard is not None:
            guard = self.of_piece(definitions, f"{name} when", "function", params, BOOL, d.guard.span, d.citations)
            checker = self.piece_checker(guard, definitions, d.params, d.span)
            guard.body.statements = (CReturn(d.guard.span, checker.condition(d.guard)),)
        wanted = base.returns
        if isinstance(wanted, CostT) and d.layer == "minus":
            wanted = BagT(wanted.resource)
        value = self.of_piece(definitions, name, "function", params, wanted, d.span, d.citations)
        checker = self.piece_checker(value, definitions, d.params, d.span)
        value.body.statements = (CReturn(d.span, checker.value(d.value, wanted, f"`{d.layer}`")),)
        quantity.modifiers.append(ModifierInfo(d.layer, d.priority, definitions, value, guard, d.span))

    def implement(self, d: ast.Implement | ast.ImplementValue, definitions: tuple[DefinitionSym, ...]) -> None:
        ability = self.checked.abilities.get(d.ability.text)
        if ability is None:
            self.unknown("ability-unknown", d.ability, self.checked.abilities)
            return
        if not definitions:
            message = "`on` stands in the rule text of a piece"
            self.diagnostics.error("ability-piece", message, d.span, "put it under `rules:` of the piece's row")
            return
        if definitions[0].kind != ability.kind:
            message = f"`{d.ability.text}` is an ability of {ability.kind}, not of {definitions[0].kind}"
            self.diagnostics.error("ability-piece", message, d.ability.span)
            return
        pure = ability.procedure.pure
        if pure != isinstance(d, ast.ImplementValue):
            self.misgiven(d, ability)
            return
        if self.too_many(d.params, ability.procedure.params, d.ability.text, d.span):
            return
        other = next((i.body.span for i in ability.implementations if definitions[0] in i.definitions), None)
        if other is not None:
            message = f"`on {d.ability.text}` stands twice"
            hint = "put both into one block"
            self.diagnostics.error("name-duplicate", message, d.span, hint, [(other, "the first one")])
        params, returns = ability.procedure.params, ability.procedure.returns
        category = "function" if pure else "rule"
        sym = self.of_piece(definitions, definitions[0].id, category, params, returns, d.span, d.citations)
        checker = Context(self.shared, sym)
        you = Local("you", PLAYER, d.span)
        sym.body.parameters.append(you)
        sym.body.locals.append(you)
        checker.you = checker.read(you)
        for i, (name, t) in enumerate(sym.params):
            local = checker.declare(d.params[i], t) if i < len(d.params) else checker.new_local(name, t, d.span)
            sym.body.parameters.append(local)
        this = checker.read(sym.body.parameters[1])
        checker.this = this
        checker.owner = CExpr("owner", owner_type(self.checked.kinds[ability.kind]), (this,), d.span)
        if isinstance(d, ast.ImplementValue):
            self.gives(sym, checker, d.value, d.ability.text)
        else:
            sym.body.statements = checker.block(d.body)
            self.must_return(sym)
        ability.implementations.append(ImplementInfo(definitions, sym))

    def misgiven(self, d: ast.Implement | ast.ImplementValue, ability: AbilityInfo) -> None:
        """A piece does something where it should give a value, or the other way about."""
        name = d.ability.text
        names = f"({', '.join(given.text for given in d.params)})" if d.params else ""
        if isinstance(d, ast.Implement):
            message, hint = f"`{name}` gives a value and does nothing", f"write `on {name}{names} = …`"
        else:
            message, hint = f"`{name}` does something, and is not declared with a value", f"write `on {name}{names}: …`"
        related = [(ability.procedure.span, "the ability is here")]
        self.diagnostics.error("ability-value", message, d.ability.span, hint, related)

    def piece_score(self, d: ast.PieceScore, definitions: tuple[DefinitionSym, ...]) -> None:
        if not definitions:
            self.diagnostics.error(
                "score-piece", "`scores:` stands in the rule text of a piece", d.span, "write `score NAME: …`"
            )
            return
        if not self.needs_active(definitions, d.span):
            return
        definition = definitions[0]
        kind = self.checked.kinds[definition.kind]
        params = self.piece_params(definitions)
        one = self.of_piece(definitions, definition.id, "function", params, NUMBER, d.span, d.citations)
        checker = self.piece_checker(one, definitions, (), d.span)
        one.body.statements = (CReturn(d.span, checker.value(d.value, NUMBER, "`scores`")),)
        name = f"score {definition.id}"
        total = self.of_piece(definitions, name, "function", (), NUMBER, d.span, d.citations)
        summing = self.checker(total)
        you = summing.read(total.body.parameters[0])
        total.uses_you = True
        piece = summing.new_local("this", PieceT(kind.name), d.span)
        this = summing.read(piece)
        mine = CExpr("eq", BOOL, (owner_of(this), you), d.span)
        held = CExpr("filter", SetT(PieceT(kind.name)), (piece, active_pieces(kind, definitions, d.span), mine), d.span)
        value = CExpr("call", NUMBER, (one, you, this, you), d.span)
        total.body.statements = (CReturn(d.span, CExpr("sum", NUMBER, (piece, held, value), d.span)),)
        self.checked.scores.append(ScoreInfo(definition.id, total, definition))

    # ---- exchanges

    def exchange_of_piece(self, d: ast.Exchange, definitions: tuple[DefinitionSym, ...]) -> None:
        name = d.group.text if d.group is not None else ""
        group = self.checked.groups.get(name)
        if group is None:
            hint = suggest(name, self.checked.groups) if name else "name it: `exchange NAME in GROUP: …`"
            self.diagnostics.error("name-unknown", f"there is no group of exchanges `{name}`", d.span, hint)
            return
        if self.needs_active(definitions, d.span):
            self.exchange(d, group, definitions)

    def purse(self, group: GroupInfo) -> None:
        """Finds what a group of exchanges is paid from and what its gains go to."""
        if group.resource:
            return
        names = [p.name for p in group.decl.params]
        probe = self.checker(ProcedureSym(group.name, "function", group.params, NUMBER, group.span), names)
        parts = purse_parts(group.decl.purse)
        purse, first = purses_at(probe, parts), path(probe, parts[0])
        if not isinstance(purse.type, PurseT):
            return
        if not isinstance(first, Place):
            message = "gains go to the first purse, which must be a variable"
            self.diagnostics.error("assign-target", message, parts[0].span)
            return
        group.resource = purse.type.resource

    def times(self, group: GroupInfo) -> None:
        """How many exchanges of a group may be made in one trade."""
        node = group.decl.times
        if node is not None and group.times is None:
            group.times = self.made(f"{group.name} (times)", "function", group.params, NUMBER, node.span)
            checker = self.checker(group.times, [p.name for p in group.decl.params])
            self.gives(group.times, checker, node, group.name)

    def exchange(self, d: ast.Exchange, group: GroupInfo, definitions: tuple[DefinitionSym, ...]) -> None:
        """Cost, gain and guard of an exchange as functions of the group's parameters, named as in the group."""
        names = [p.name for p in group.decl.params]
        self.purse(group)
        if not group.resource:
            return
        cost_type = CostT(group.resource)
        cites = cite_texts(d.citations) or self.checked.row_citations(definitions)

        def part(what: str, node: ast.Expr, t: Type) -> ProcedureSym:
            name = f"{d.name.text} {what}"
            sym = self.of_piece(definitions, name, "function", group.params, t, node.span, d.citations)
            checker = self.checker(sym, names)
            if definitions:
                # An exchange of a piece is offered to its owner alone.
                checker.owner = checker.you
            sym.body.statements = (CReturn(node.span, checker.value(node, t, f"the {what}")),)
            return sym

        guard = part("guard", d.guard, BOOL) if d.guard is not None else None
        info = ExchangeInfo(
            d.name.text,
            definitions,
            guard,
            part("cost", d.cost, cost_type),
            part("gain", d.gain, cost_type),
            self.shared.limit(d.limit, d.name.text),
            d.span,
            cites,
        )
        other = next((e.span for e in group.exchanges if e.name == info.name), None)
        if other is not None:
            message = f"two exchanges of `{group.name}` are called `{info.name}`"
            hint = "give one of them another name"
            self.diagnostics.error("name-duplicate", message, d.name.span, hint, [(other, "the first one")])
        group.exchanges.append(info)


def purse_parts(node: ast.Expr) -> tuple[ast.Expr, ...]:
    """The purses of `a + b + c`."""
    if isinstance(node, ast.Arithmetic) and node.op == "+":
        return (*purse_parts(node.left), *purse_parts(node.right))
    return (node,)
