"""The verbs: declarations and rule texts of pieces become procedures and tables of who reacts to what."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from rulelang.diagnostics import Span, suggest
from rulelang.ruleset.model import RuleFile
from rulelang.semantics import core
from rulelang.semantics.base import Shared
from rulelang.semantics.builtins import FUNCTIONS
from rulelang.semantics.choices import cite_texts
from rulelang.semantics.core import CExpr, CReturn, CStatement, Local
from rulelang.semantics.places import Place
from rulelang.semantics.statements import Statements
from rulelang.semantics.symbols import (
    AbilityInfo,
    DefinitionSym,
    EventInfo,
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    ImplementInfo,
    ModifierInfo,
    OfferInfo,
    ProcedureSym,
    QuantityInfo,
    RankingInfo,
    ScoreInfo,
)
from rulelang.semantics.tables import resolve_type
from rulelang.semantics.types import (
    BOOL,
    NUMBER,
    PLAYER,
    VOID,
    BagT,
    CostT,
    NumberT,
    OptionalT,
    PieceT,
    PurseT,
    SetT,
    Type,
    VoidT,
)
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_piece_text, parse_rule_file, parse_rule_text

DECLARED = re.compile(r"^(?:rule|function|quantity|event|ability|exchanges)[ \t]+([A-Za-z_]\w*)", re.M)


def always_returns(statements: Sequence[CStatement]) -> bool:
    """Whether every way through ends with a `return` (or the end of the game, or never)."""
    for s in statements:
        if isinstance(s, core.CReturn | core.CEnd):
            return True
        if isinstance(s, core.CIf) and always_returns(s.then) and always_returns(s.otherwise):
            return True
        if isinstance(s, core.CStep) and always_returns(s.body):
            return True
        if isinstance(s, core.CLoop) and not breaks(s.body, s.label):
            return True
        if isinstance(s, core.CLabelled) and always_returns(s.body) and not breaks(s.body, s.label):
            return True
        if isinstance(s, core.CChoose) and s.items and all(always_returns(i.body) for i in s.items):
            if s.otherwise is None or always_returns(s.otherwise):
                return True
    return False


def breaks(statements: Sequence[CStatement], label: str) -> bool:
    """Whether something inside leaves the block called `label`."""
    for s in statements:
        if isinstance(s, core.CBreak) and s.label == label:
            return True
        inner: list[Sequence[CStatement]] = []
        if isinstance(s, core.CIf):
            inner = [s.then, s.otherwise]
        elif isinstance(s, core.CLoop | core.CFor | core.CLabelled | core.CStep):
            inner = [s.body]
        elif isinstance(s, core.CChoose):
            inner = [*(i.body for i in s.items), s.otherwise or ()]
        if any(breaks(part, label) for part in inner):
            return True
    return False


class Declarations:
    """Two passes: declare everything, then check every body."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.checked = shared.checked
        self.names = shared.names
        self.diagnostics = shared.diagnostics
        self._declared: list[tuple[ast.Declaration, tuple[DefinitionSym, ...]]] = []
        self._scores: dict[str, ast.Name] = {}

    @property
    def declared(self) -> list[ast.Declaration]:
        """Every declaration that was read."""
        return [d for d, _ in self._declared]

    # ---- reading

    def read(self) -> None:
        """Parses all rule text and declares what has a name."""
        rules: list[tuple[int, ast.Declaration]] = []
        for file in self.checked.ruleset.rule_files:
            rules += [(file.layer, d) for d in self.parsed(file)]
        for declaration in self.top_layer(rules):
            self._declared.append((declaration, ()))
        for kind in self.checked.kinds.values():
            for definition in kind.definitions:
                text = definition.decl.rules
                if text is None or text.span.source is None:
                    continue
                s = text.span
                assert s.source is not None
                for declaration in parse_piece_text(
                    s.source, text.text, s.line, s.column, text.indent, self.diagnostics
                ):
                    self._declared.append((declaration, (definition,)))
        self.shared.broken = self.unread()
        nodes = [n for d, _ in self._declared for n in inside(d)]
        self.shared.phases.update(n.name.text for n in nodes if isinstance(n, ast.Scope) and n.name is not None)
        self.shared.eliminates = any(isinstance(n, ast.Eliminate) for n in nodes)

    def unread(self) -> set[str]:
        """The names of declarations that were written but could not be read, so that nothing else is said of them."""
        if not any(d.code.startswith("syntax") for d in self.diagnostics):
            return set()
        texts = [f.text.text if f.text is not None else f.source.text for f in self.checked.ruleset.rule_files]
        words = {name for text in texts for name in DECLARED.findall(text)}
        words |= {word for text in texts for word in ("setup", "play") if re.search(rf"^{word}\b", text, re.M)}
        read = {key[1] or key[0].lower() for d, _ in self._declared if (key := self.key(d)) is not None}
        return words - read

    def parsed(self, file: RuleFile) -> tuple[ast.Declaration, ...]:
        if file.text is None:
            return parse_rule_file(file.source, self.diagnostics)
        span = file.text.span
        return parse_rule_text(file.source, file.text.text, span.line, span.column, file.text.indent, self.diagnostics)

    def top_layer(self, rules: list[tuple[int, ast.Declaration]]) -> list[ast.Declaration]:
        """Of declarations with one name, those of the highest layer stand."""
        named: dict[tuple[str, str], int] = {}
        for layer, declaration in rules:
            key = self.key(declaration)
            if key is not None:
                named[key] = max(layer, named.get(key, 0))
        return [d for layer, d in rules if (key := self.key(d)) is None or named[key] == layer]

    def key(self, d: ast.Declaration) -> tuple[str, str] | None:
        if isinstance(d, ast.Setup | ast.Play | ast.Winner | ast.Tie | ast.Payoff):
            return type(d).__name__, ""
        if isinstance(d, ast.Rule | ast.Function | ast.QuantityDecl | ast.Event | ast.Ability | ast.ExchangeGroup):
            return "callable", d.name.text
        if isinstance(d, ast.Score):
            return "score", d.name.text
        return None

    def declare(self) -> None:
        """First pass: names, parameters and results."""
        single: dict[str, ast.Declaration] = {}
        for d, definitions in self._declared:
            match d:
                case ast.Setup() | ast.Play() | ast.Winner() | ast.Tie() | ast.Payoff():
                    self.once(d, single)
                case ast.Rule():
                    sym = self.procedure(d.name, "rule", d.params, d.returns, d, d.citations)
                    sym.depth = d.depth or 0
                case ast.Function():
                    self.procedure(d.name, "function", d.params, d.returns, d, d.citations)
                case ast.QuantityDecl():
                    sym = self.procedure(d.name, "quantity", d.params, d.returns, d, d.citations)
                    self.checked.quantities[d.name.text] = QuantityInfo(sym)
                case ast.Event():
                    sym = self.procedure(d.name, "event", d.params, None, d, d.citations)
                    self.checked.events[d.name.text] = EventInfo(sym)
                case ast.Ability():
                    self.ability(d)
                case ast.ExchangeGroup():
                    self.group(d)
                case ast.Offer():
                    if self.needs_active(definitions, d.span):
                        self.checked.offers.append(OfferInfo(d.menu.text, definitions, d))
                case ast.Score():
                    self.score_name(d)
        if "Play" not in single and "play" not in self.shared.broken:
            self.diagnostics.error(
                "play-missing", "the ruleset has no `play:`, so nothing happens in it", self.checked.ruleset.span
            )

    def score_name(self, d: ast.Score) -> None:
        old = self._scores.setdefault(d.name.text, d.name)
        if old is not d.name:
            message = f"there are two score lines `{old.text}` ({old.span.path}:{old.span.line})"
            self.diagnostics.error("name-duplicate", message, d.name.span, "give one of them another name")

    def once(self, d: ast.Declaration, single: dict[str, ast.Declaration]) -> None:
        name = type(d).__name__
        old = single.get(name)
        if old is not None:
            message = f"there are two `{name.lower()}:` ({old.span.path}:{old.span.line})"
            self.diagnostics.error("name-duplicate", message, d.span)
        single[name] = d

    def params(self, params: tuple[ast.Param, ...]) -> tuple[tuple[str, Type], ...]:
        return tuple((p.name.text, resolve_type(self.shared, p.type)) for p in params)

    def procedure(
        self,
        name: ast.Name,
        category: str,
        params: tuple[ast.Param, ...],
        returns: ast.TypeNode | None,
        d: ast.Declaration,
        citations: tuple[ast.Citation, ...],
    ) -> ProcedureSym:
        result = resolve_type(self.shared, returns) if returns is not None else VOID
        sym = ProcedureSym(name.text, category, self.params(params), result, name.span, d, cite_texts(citations))
        if name.text in FUNCTIONS:
            message = f"`{name.text}` is a function of the language and can't be declared"
            self.diagnostics.error("name-reserved", message, name.span, "choose another name")
        self.names.declare(name.text, sym, name.span)
        self.checked.procedures.append(sym)
        return sym

    def ability(self, d: ast.Ability) -> None:
        sym = self.procedure(d.name, "ability", d.params, d.returns, d, d.citations)
        first = sym.params[0][1] if sym.params else None
        if not isinstance(first, PieceT):
            self.diagnostics.error(
                "ability-piece", "the first parameter of an ability is the piece that has it", d.name.span
            )
            return
        default = self.made(f"{sym.name} (default)", "rule", sym.params, sym.returns, d.span, sym.citations)
        self.checked.abilities[sym.name] = AbilityInfo(sym, first.kind, default)

    def made(
        self,
        name: str,
        category: str,
        params: tuple[tuple[str, Type], ...],
        returns: Type,
        span: Span,
        citations: tuple[str, ...] = (),
    ) -> ProcedureSym:
        """A procedure without a name of its own in the ruleset."""
        sym = ProcedureSym(name, category, params, returns, span, None, citations)
        self.checked.procedures.append(sym)
        return sym

    def group(self, d: ast.ExchangeGroup) -> None:
        params = self.params(d.params)
        trade = ProcedureSym(d.name.text, "trade", params, VOID, d.name.span, d, cite_texts(d.citations), uses_you=True)
        self.checked.procedures.append(trade)
        info = GroupInfo(d.name.text, params, d.name.span, "", d, trade)
        self.names.declare(d.name.text, info, d.name.span)
        self.checked.groups[d.name.text] = info

    # ---- bodies

    def check(self) -> None:
        """Second pass: every body."""
        for d, definitions in self._declared:
            match d:
                case ast.Setup():
                    self.checked.setup = self.top("setup", d.body, d.span, d.citations)
                case ast.Play():
                    self.checked.play = self.top("play", d.body, d.span, d.citations)
                case ast.Rule():
                    self.rule(self.find(d.name), d.body)
                case ast.Function():
                    self.function(self.find(d.name), d.value)
                case ast.QuantityDecl():
                    self.quantity(d)
                case ast.Event():
                    self.event(d)
                case ast.Ability():
                    info = self.checked.abilities.get(d.name.text)
                    if info is not None and info.procedure.decl is d:
                        self.rule(info.default, d.body, [p.name for p in d.params])
                case ast.Score():
                    self.checked.scores.append(
                        ScoreInfo(d.name.text, self.scored(f"score {d.name.text}", d.value, d.span, d.citations))
                    )
                case ast.Winner():
                    self.checked.winner = RankingInfo(d.ranking, self.scored("winner", d.value, d.span, d.citations))
                case ast.Tie():
                    self.tie(d)
                case ast.Payoff():
                    self.checked.payoff = self.scored("payoff", d.value, d.span, d.citations)
                case ast.Handler():
                    self.handler(d, definitions)
                case ast.Modifier():
                    self.modifier(d, definitions)
                case ast.Implement():
                    self.implement(d, definitions)
                case ast.PieceScore():
                    self.piece_score(d, definitions)
                case ast.ExchangeGroup():
                    self.purse(self.checked.groups[d.name.text])
                    for exchange in d.exchanges:
                        self.exchange(exchange, self.checked.groups[d.name.text], ())
                case ast.Exchange():
                    self.exchange_of_piece(d, definitions)
        if self.checked.setup is None:
            self.checked.setup = self.made("setup", "rule", (), VOID, self.checked.ruleset.span)
            self.checked.setup.hidden_you = False
        for offer in self.checked.offers:
            if not offer.used:
                known = list(self.menus())
                self.diagnostics.error(
                    "menu-unknown",
                    f"no menu is called `{offer.menu}`",
                    offer.decl.menu.span,
                    suggest(offer.menu, known),
                )

    def menus(self) -> list[str]:
        found: list[str] = []

        def walk(statements: Sequence[CStatement]) -> None:
            for s in statements:
                if isinstance(s, core.CChoose):
                    found.append(s.menu)
                    for item in s.items:
                        walk(item.body)
                    walk(s.otherwise or ())
                elif isinstance(s, core.CIf):
                    walk(s.then)
                    walk(s.otherwise)
                elif isinstance(s, core.CLoop | core.CFor | core.CLabelled | core.CStep):
                    walk(s.body)

        for procedure in self.checked.procedures:
            walk(procedure.body.statements)
        return [m for m in found if m]

    def find(self, name: ast.Name) -> ProcedureSym | None:
        found = self.names.get(name.text)
        return found if isinstance(found, ProcedureSym) and found.span == name.span else None

    def checker(self, sym: ProcedureSym, params: Sequence[ast.Name] | None = None) -> Statements:
        """A checker for the body of `sym` with its parameters declared (under the given names)."""
        checker = Statements(self.shared, sym)
        if sym.hidden_you:
            you = Local("you", PLAYER, sym.span)
            sym.body.parameters.append(you)
            sym.body.locals.append(you)
            checker.you = checker.read(you)
        given = list(params) if params is not None else []
        for i, (name, t) in enumerate(sym.params):
            if i < len(given):
                local = checker.declare(given[i], t)
            else:
                local = checker.new_local(name, t, sym.span)
            sym.body.parameters.append(local)
        return checker

    def top(self, name: str, body: ast.Block, span: Span, citations: tuple[ast.Citation, ...]) -> ProcedureSym:
        sym = ProcedureSym(name, "rule", (), VOID, span, None, cite_texts(citations), hidden_you=False)
        self.checked.procedures.append(sym)
        sym.body.statements = Statements(self.shared, sym).block(body)
        return sym

    def rule(self, sym: ProcedureSym | None, body: ast.Block, params: Sequence[ast.Name] | None = None) -> None:
        if sym is None:
            return
        if params is None and isinstance(sym.decl, ast.Rule):
            params = [p.name for p in sym.decl.params]
        sym.body.statements = self.checker(sym, params).block(body)
        self.must_return(sym)

    def must_return(self, sym: ProcedureSym) -> None:
        if not isinstance(sym.returns, VoidT) and not always_returns(sym.body.statements):
            hint = "end it with `return none`" if isinstance(sym.returns, OptionalT) else "end it with `return …`"
            self.diagnostics.error(
                "return-missing", f"`{sym.name}` may end without giving its {sym.returns}", sym.span, hint
            )

    def function(self, sym: ProcedureSym | None, value: ast.Expr) -> None:
        if sym is None or not isinstance(sym.decl, ast.Function):
            return
        checker = self.checker(sym, [p.name for p in sym.decl.params])
        result = checker.value(value, sym.returns, f"`{sym.name}`")
        sym.body.statements = (CReturn(value.span, result),)

    def scored(self, name: str, value: ast.Expr, span: Span, citations: tuple[ast.Citation, ...]) -> ProcedureSym:
        sym = self.made(name, "function", (), NUMBER, span, cite_texts(citations))
        checker = self.checker(sym)
        sym.body.statements = (CReturn(span, checker.value(value, NUMBER, name)),)
        return sym

    def tie(self, d: ast.Tie) -> None:
        for i, part in enumerate(d.breaks):
            procedure = None
            if part.value is not None:
                procedure = self.scored(f"tie {i + 1}", part.value, part.span, d.citations)
            elif i != len(d.breaks) - 1:
                self.diagnostics.error("tie-shared", "`shared` ends the list of tie breaks", part.span)
            self.checked.ties.append(RankingInfo(part.ranking, procedure))

    # ---- what pieces do

    def piece_params(self, definitions: tuple[DefinitionSym, ...]) -> tuple[tuple[str, Type], ...]:
        if not definitions:
            return ()
        return (("this", PieceT(definitions[0].kind)), ("owner", PLAYER))

    def piece_checker(
        self, sym: ProcedureSym, definitions: tuple[DefinitionSym, ...], names: Sequence[ast.Name], span: Span
    ) -> Statements:
        """A checker with `this` and `owner` for pieces, then the parameters under the author's names."""
        checker = Statements(self.shared, sym)
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

    def owned(self, definition: DefinitionSym) -> bool:
        """Whether a piece whose text is in force surely has an owner."""
        kind = self.checked.kinds[definition.kind]
        zones = bool(kind.active) and all(z.per and z.per[0] == PLAYER for z in kind.active)
        return kind.per_player or zones

    def needs_active(self, definitions: tuple[DefinitionSym, ...], span: Span) -> bool:
        kind = self.checked.kinds[definitions[0].kind] if definitions else None
        if kind is not None and not kind.active:
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

    def handler(self, d: ast.Handler, definitions: tuple[DefinitionSym, ...]) -> None:
        event = self.checked.events.get(d.event.text)
        if event is None:
            hint = suggest(d.event.text, self.checked.events)
            self.diagnostics.error("event-unknown", f"there is no event `{d.event.text}`", d.event.span, hint)
            return
        if not self.needs_active(definitions, d.span) or self.too_many(
            d.params, event.procedure.params, d.event.text, d.span
        ):
            return
        name = definitions[0].id if definitions else f"{d.timing} {d.event.text}"
        params = (*self.piece_params(definitions), *event.procedure.params)
        guard = None
        if d.guard is not None:
            guard = self.made(f"{name} when", "function", params, BOOL, d.guard.span, cite_texts(d.citations))
            checker = self.piece_checker(guard, definitions, d.params, d.span)
            guard.body.statements = (CReturn(d.guard.span, checker.condition(d.guard)),)
        body = self.made(name, "rule", params, VOID, d.span, cite_texts(d.citations))
        checker = self.piece_checker(body, definitions, d.params, d.span)
        body.body.statements = checker.block(d.body)
        limit = self.shared.limit(d.limit, name)
        event.handlers.append(HandlerInfo(d.timing, len(event.handlers), definitions, guard, body, limit, d.span))

    def modifier(self, d: ast.Modifier, definitions: tuple[DefinitionSym, ...]) -> None:
        quantity = self.checked.quantities.get(d.quantity.text)
        if quantity is None:
            hint = suggest(d.quantity.text, self.checked.quantities)
            self.diagnostics.error(
                "quantity-unknown", f"there is no quantity `{d.quantity.text}`", d.quantity.span, hint
            )
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
            guard = self.made(f"{name} when", "function", params, BOOL, d.guard.span, cite_texts(d.citations))
            checker = self.piece_checker(guard, definitions, d.params, d.span)
            guard.body.statements = (CReturn(d.guard.span, checker.condition(d.guard)),)
        wanted = base.returns
        if isinstance(wanted, CostT) and d.layer == "minus":
            wanted = BagT(wanted.resource)
        value = self.made(name, "function", params, wanted, d.span, cite_texts(d.citations))
        checker = self.piece_checker(value, definitions, d.params, d.span)
        value.body.statements = (CReturn(d.span, checker.value(d.value, wanted, f"`{d.layer}`")),)
        quantity.modifiers.append(ModifierInfo(d.layer, d.priority, definitions, value, guard, d.span))

    def implement(self, d: ast.Implement, definitions: tuple[DefinitionSym, ...]) -> None:
        ability = self.checked.abilities.get(d.ability.text)
        if ability is None:
            hint = suggest(d.ability.text, self.checked.abilities)
            self.diagnostics.error("ability-unknown", f"there is no ability `{d.ability.text}`", d.ability.span, hint)
            return
        if not definitions:
            self.diagnostics.error("ability-piece", "`on` stands in the rule text of a piece", d.span)
            return
        if definitions[0].kind != ability.kind:
            message = f"`{d.ability.text}` is an ability of {ability.kind}, not of {definitions[0].kind}"
            self.diagnostics.error("ability-piece", message, d.ability.span)
            return
        if self.too_many(d.params, ability.procedure.params, d.ability.text, d.span):
            return
        if any(definitions[0] in i.definitions for i in ability.implementations):
            self.diagnostics.error("name-duplicate", f"`on {d.ability.text}` stands twice", d.span)
        sym = self.made(
            definitions[0].id,
            "rule",
            ability.procedure.params,
            ability.procedure.returns,
            d.span,
            cite_texts(d.citations),
        )
        checker = Statements(self.shared, sym)
        you = Local("you", PLAYER, d.span)
        sym.body.parameters.append(you)
        sym.body.locals.append(you)
        checker.you = checker.read(you)
        for i, (name, t) in enumerate(sym.params):
            local = checker.declare(d.params[i], t) if i < len(d.params) else checker.new_local(name, t, d.span)
            sym.body.parameters.append(local)
        this = checker.read(sym.body.parameters[1])
        checker.this = this
        checker.owner = CExpr("owner", checker.owner_type(self.checked.kinds[ability.kind]), (this,), d.span)
        sym.body.statements = checker.block(d.body)
        self.must_return(sym)
        ability.implementations.append(ImplementInfo(definitions, sym))

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
        one = self.made(definition.id, "function", params, NUMBER, d.span, cite_texts(d.citations))
        checker = self.piece_checker(one, definitions, (), d.span)
        one.body.statements = (CReturn(d.span, checker.value(d.value, NUMBER, "`scores`")),)
        total = self.made(f"score {definition.id}", "function", (), NUMBER, d.span, cite_texts(d.citations))
        summing = self.checker(total)
        you = summing.read(total.body.parameters[0])
        total.uses_you = True
        piece = summing.new_local("this", PieceT(kind.name), d.span)
        this = summing.read(piece)
        mine = CExpr("eq", BOOL, (summing.owner_of(this), you), d.span)
        held = CExpr(
            "filter", SetT(PieceT(kind.name)), (piece, summing.active_pieces(kind, definitions, d.span), mine), d.span
        )
        value = CExpr("call", NUMBER, (one, you, this, you), d.span)
        total.body.statements = (CReturn(d.span, CExpr("sum", NUMBER, (piece, held, value), d.span)),)
        self.checked.scores.append(ScoreInfo(definition.id, total, definition))

    # ---- events, quantities, exchanges

    def event(self, d: ast.Event) -> None:
        info = self.checked.events.get(d.name.text)
        if info is None or info.procedure.decl is not d:
            return
        body = self.made(f"{d.name.text}", "rule", info.procedure.params, VOID, d.span, info.procedure.citations)
        body.body.statements = self.checker(body, [p.name for p in d.params]).block(d.body)
        info.body = body

    def quantity(self, d: ast.QuantityDecl) -> None:
        info = self.checked.quantities.get(d.name.text)
        if info is None or info.procedure.decl is not d:
            return
        base = self.made(
            f"{d.name.text} (base)",
            "function",
            info.procedure.params,
            info.procedure.returns,
            d.span,
            info.procedure.citations,
        )
        checker = self.checker(base, [p.name for p in d.params])
        base.body.statements = (CReturn(d.span, checker.value(d.value, base.returns, f"`{d.name.text}`")),)
        info.base = base

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
        purse, first = probe.purses(parts), probe.path(parts[0])
        if not isinstance(purse.type, PurseT):
            return
        if not isinstance(first, Place):
            message = "gains go to the first purse, which must be a variable"
            self.diagnostics.error("assign-target", message, parts[0].span)
            return
        group.resource = purse.type.resource

    def exchange(self, d: ast.Exchange, group: GroupInfo, definitions: tuple[DefinitionSym, ...]) -> None:
        """Cost, gain and guard of an exchange as functions of the group's parameters, named as in the group."""
        names = [p.name for p in group.decl.params]
        self.purse(group)
        if not group.resource:
            return
        cost_type = CostT(group.resource)
        cites = cite_texts(d.citations)

        def part(what: str, node: ast.Expr, t: Type) -> ProcedureSym:
            sym = self.made(f"{d.name.text} {what}", "function", group.params, t, node.span, cites)
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
        if any(e.name == info.name for e in group.exchanges):
            self.diagnostics.error(
                "name-duplicate", f"two exchanges of `{group.name}` are called `{info.name}`", d.name.span
            )
        group.exchanges.append(info)


def purse_parts(node: ast.Expr) -> tuple[ast.Expr, ...]:
    """The purses of `a + b + c`."""
    if isinstance(node, ast.Arithmetic) and node.op == "+":
        return (*purse_parts(node.left), *purse_parts(node.right))
    return (node,)


def inside(node: object) -> Iterator[ast.Node]:
    """All nodes of a syntax tree."""
    if isinstance(node, ast.Node):
        yield node
        for f in dataclasses.fields(node):
            yield from inside(getattr(node, f.name))
    elif isinstance(node, tuple):
        for part in node:
            yield from inside(part)
