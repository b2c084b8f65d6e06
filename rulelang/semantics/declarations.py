"""The verbs: declarations and rule texts of pieces become procedures and tables of who reacts to what."""

from __future__ import annotations

import re

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.ruleset.model import RuleFile
from rulelang.semantics import core
from rulelang.semantics.base import Shared
from rulelang.semantics.builtins import FUNCTIONS
from rulelang.semantics.constants import resolve_type
from rulelang.semantics.core import CReturn
from rulelang.semantics.flow import walk
from rulelang.semantics.overlays import key_of, weave
from rulelang.semantics.rule_texts import RuleTexts
from rulelang.semantics.steps import inside
from rulelang.semantics.symbols import (
    AbilityInfo,
    DefinitionSym,
    EventInfo,
    GroupInfo,
    OfferInfo,
    ProcedureSym,
    QuantityInfo,
    RankingInfo,
    ScoreInfo,
    cite_texts,
)
from rulelang.semantics.types import VOID, ErrorT, PieceT
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_piece_text, parse_rule_file, parse_rule_text

DECLARED = re.compile(r"^[A-Za-z]+[ \t]+([A-Za-z_]\w*)", re.M)
"""Whatever word begins it: that may be the mistake."""


def marked(span: Span) -> str:
    """The word at a place."""
    return span.source.lines[span.line - 1][span.column - 1 : span.end_column - 1] if span.source is not None else ""


def uses(span: Span, names: set[str]) -> bool:
    """Whether one of the names stands on a line."""
    line = span.source.lines[span.line - 1] if span.source is not None else ""
    return not names.isdisjoint(re.findall(r"\w+", line))


def parsed_file(file: RuleFile, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """The declarations of a rule file, or of the rule text of a YAML file."""
    if file.text is None:
        return parse_rule_file(file.source, diagnostics)
    span = file.text.span
    return parse_rule_text(file.source, file.text.text, span.line, span.column, file.text.indent, diagnostics)


class Declarations(RuleTexts):
    """Two passes: declare everything, then check every body."""

    def __init__(self, shared: Shared) -> None:
        super().__init__(shared)
        self._declared: list[tuple[ast.Declaration, tuple[DefinitionSym, ...]]] = []
        self._scores: dict[str, ast.Name] = {}

    @property
    def declared(self) -> list[ast.Declaration]:
        """Every declaration that was read."""
        return [d for d, _ in self._declared]

    # ---- reading

    def read(self) -> None:
        """Parses all rule text and declares what has a name. A name that is a word of the language has been refused
        where it is declared: that it can't be read where it is used is not said again."""
        outer, self.diagnostics = self.diagnostics, Diagnostics()
        self.parse_all()
        refused = self.names.refused | {marked(d.span) for d in self.diagnostics if d.code == "name-reserved"}
        outer.extend(d for d in self.diagnostics if not (d.code.startswith("syntax") and uses(d.span, refused)))
        self.diagnostics = outer

    def parse_all(self) -> None:
        rules: list[tuple[int, ast.Declaration]] = []
        for file in self.checked.ruleset.rule_files:
            rules += [(file.layer, d) for d in parsed_file(file, self.diagnostics)]
        woven = weave(rules, self.checked.ruleset, self.diagnostics)
        self.shared.removed.update(woven.removed)
        self._declared += [(declaration, ()) for declaration in woven.declarations]
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
        self.shared.declared = self._declared
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
        read = {key[-1] for d, _ in self._declared if (key := key_of(d)) is not None}
        return words - read

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
                case ast.Ability() | ast.AbilityValue():
                    self.ability(d)
                case ast.ExchangeGroup():
                    self.group(d)
                case ast.Offer():
                    if self.needs_active(definitions, d.span):
                        self.checked.offers.append(OfferInfo(d.menu.text, definitions, d))
                case ast.Score():
                    self.score_name(d)
        if "Play" not in single and "play" not in self.shared.broken:
            message = "the ruleset has no `play:`, so nothing happens in it"
            hint = "add `play:` to the rules, with what happens from the first turn to the last"
            self.diagnostics.error("play-missing", message, self.checked.ruleset.span, hint)

    def score_name(self, d: ast.Score) -> None:
        old = self._scores.setdefault(d.name.text, d.name)
        if old is not d.name:
            message = f"there are two score lines `{old.text}` ({old.span.path}:{old.span.line})"
            hint = "give one of them another name"
            self.diagnostics.error("name-duplicate", message, d.name.span, hint, [(old.span, "the first one")])

    def once(self, d: ast.Declaration, single: dict[str, ast.Declaration]) -> None:
        name = type(d).__name__
        old = single.get(name)
        if old is not None:
            message = f"there are two `{name.lower()}:` ({old.span.path}:{old.span.line})"
            self.diagnostics.error("name-duplicate", message, d.span, "join them", [(old.span, "the first one")])
        single[name] = d

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

    def ability(self, d: ast.Ability | ast.AbilityValue) -> None:
        sym = self.procedure(d.name, "ability", d.params, d.returns, d, d.citations)
        first = sym.params[0][1] if sym.params else None
        if not isinstance(first, PieceT):
            self.shared.broken.add(sym.name)
            if isinstance(first, ErrorT):
                return
            message = "the first parameter of an ability is the piece that has it"
            hint = f"write `ability {d.name.text}(piece: KIND)`"
            self.diagnostics.error("ability-piece", message, d.name.span, hint)
            return
        category = "function" if sym.pure else "rule"
        default = self.made(sym.name, category, sym.params, sym.returns, d.span, sym.citations)
        self.checked.abilities[sym.name] = AbilityInfo(sym, first.kind, default)

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
                case ast.AbilityValue():
                    info = self.checked.abilities.get(d.name.text)
                    if info is not None and info.procedure.decl is d:
                        checker = self.checker(info.default, [p.name for p in d.params])
                        self.gives(info.default, checker, d.value, d.name.text)
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
                case ast.Implement() | ast.ImplementValue():
                    self.implement(d, definitions)
                case ast.PieceScore():
                    self.piece_score(d, definitions)
                case ast.ExchangeGroup():
                    self.purse(self.checked.groups[d.name.text])
                    self.times(self.checked.groups[d.name.text])
                    for exchange in d.exchanges:
                        self.exchange(exchange, self.checked.groups[d.name.text], ())
                case ast.Exchange():
                    self.exchange_of_piece(d, definitions)
        if self.checked.setup is None:
            self.checked.setup = self.made("setup", "rule", (), VOID, self.checked.ruleset.span)
            self.checked.setup.hidden_you = False
        for offer in self.checked.offers:
            if not offer.used and not self.shared.broken:
                known = list(self.menus())
                self.diagnostics.error(
                    "menu-unknown",
                    f"no menu is called `{offer.menu}`",
                    offer.decl.menu.span,
                    suggest(offer.menu, known) or f"the menu begins with `choose {offer.menu}:`",
                )

    def menus(self) -> list[str]:
        """The names of all menus."""
        statements = (s for procedure in self.checked.procedures for s in walk(procedure.body.statements))
        return [s.menu for s in statements if isinstance(s, core.CChoose) and s.menu]

    def find(self, name: ast.Name) -> ProcedureSym | None:
        found = self.names.get(name.text)
        return found if isinstance(found, ProcedureSym) and found.span == name.span else None

    def tie(self, d: ast.Tie) -> None:
        for i, part in enumerate(d.breaks):
            procedure = None
            if part.value is not None:
                procedure = self.scored(f"tie {i + 1}", part.value, part.span, d.citations)
            elif i != len(d.breaks) - 1:
                self.diagnostics.error("tie-shared", "`shared` ends the list of tie breaks", part.span, "put it last")
            self.checked.ties.append(RankingInfo(part.ranking, procedure))

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
