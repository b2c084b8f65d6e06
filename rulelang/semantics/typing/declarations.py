"""The verbs: declarations and rule texts of pieces become procedures and tables of who reacts to what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from math import lcm

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.limits import LEVELS
from rulelang.ruleset.model import RuleFile
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.shared import Shared, never_within, number
from rulelang.semantics.tree.symbols import (
    AbilityInfo,
    EventInfo,
    GroupInfo,
    OfferInfo,
    ProcedureSym,
    QuantityInfo,
    RankingInfo,
    ScoreInfo,
    VariableSym,
    cite_texts,
)
from rulelang.semantics.tree.types import BOOL, NUMBER, PLAYER, VOID, ErrorT, NumberT, PieceT, SetT
from rulelang.semantics.typing import bodies
from rulelang.semantics.typing.builtins import OPEN, functions_of
from rulelang.semantics.typing.constants import constant, resolve_type, stateless
from rulelang.semantics.typing.overlays import key_of, weave
from rulelang.semantics.typing.rule_texts import check_active_zone
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_piece_text, parse_rule_file, parse_rule_text
from rulelang.syntax.scan import Place

Named = ast.Doing | ast.Giving

DECLARED = re.compile(r"^[A-Za-z]+[ \t]+([A-Za-z_]\w*)", re.M)
"""Whatever word begins it: that may be the mistake."""


def marked(span: Span) -> str:
    """Return the word at a place."""
    return span.whole_line[span.column - 1 : span.end_column - 1]


def uses(span: Span, names: set[str]) -> bool:
    """Return whether one of the names stands on a line."""
    return not names.isdisjoint(re.findall(r"\w+", span.whole_line))


def parsed_file(file: RuleFile, diagnostics: Diagnostics) -> tuple[ast.Declaration, ...]:
    """Return the declarations of a rule file, or of the rule text of a YAML file."""
    if file.text is None:
        return parse_rule_file(file.source, diagnostics)
    return parse_rule_text(Place.of(file.text.span, file.text.indent), file.text.text, diagnostics)


# ---- reading


def read(shared: Shared) -> None:
    """Parse all rule text. A name that is a word of the language has been refused where it is declared: that it can't
    be read where it is used is not said again."""
    findings = Diagnostics(shared.diagnostics.names)
    _parse_all(shared, findings)
    refused = shared.names.refused | {marked(d.span) for d in findings if d.code == "name-reserved"}
    shared.diagnostics.extend(d for d in findings if not (d.code.startswith("syntax") and uses(d.span, refused)))


def _parse_all(shared: Shared, findings: Diagnostics) -> None:
    """Parse the rule files, weave the layers together, and parse the rule text of each row."""
    ruleset = shared.checked.ruleset
    rules = [(file.layer, d) for file in ruleset.rule_files for d in parsed_file(file, findings)]
    declarations, removed = weave(rules, ruleset, findings)
    shared.removed.update(removed)
    shared.declared += [(declaration, ()) for declaration in declarations]
    for row in (row for kind in shared.checked.kinds.values() for row in kind.definitions):
        text = row.decl.rules
        if text is not None and text.span.source is not None:
            of_row = parse_piece_text(Place.of(text.span, text.indent), text.text, findings)
            shared.declared += [(declaration, (row,)) for declaration in of_row]
    shared.broken = _unread(shared, findings)
    nodes = [n for d, _ in shared.declared for n in ast.walk(d)]
    shared.phases.update(n.name.text for n in nodes if isinstance(n, ast.Scope) and n.name is not None)
    shared.eliminates = any(isinstance(n, ast.Eliminate) for n in nodes)


def _unread(shared: Shared, findings: Diagnostics) -> set[str]:
    """Return the names of declarations that were written but could not be read, so that nothing else is said of
    them."""
    if not any(d.code.startswith(("syntax", "name-reserved")) for d in findings):
        return set()
    texts = [f.text.text if f.text is not None else f.source.text for f in shared.checked.ruleset.rule_files]
    words = {name for text in texts for name in DECLARED.findall(text)}
    words |= {word for text in texts for word in ("setup", "play") if re.search(rf"^{word}\b", text, re.M)}
    indents = {f.source: f.text.indent if f.text is not None else 0 for f in shared.checked.ruleset.rule_files}
    for d in findings:  # a name that was written as two words, or without what begins its declaration
        line = d.span.whole_line
        if d.span.source in indents and len(line) - len(line.lstrip()) == indents[d.span.source]:
            parts = re.findall(r"[A-Za-z_]\w*", line)
            words |= {*parts, *map("_".join, pairwise(parts))} - {"setup", "play"}
    read = {key[-1] for d, _ in shared.declared if (key := key_of(d)) is not None}
    return words - read


# ---- names, parameters and results


def declare(shared: Shared) -> None:
    """Declare names, parameters and results (first pass)."""
    for d, definitions in shared.declared:
        if (names := bodies.NAMES.get(type(d))) is not None:
            names(shared, d, definitions)
    if "`play:`" not in shared.single and not shared.broken:
        message = "the ruleset has no `play:`, so nothing happens in it"
        hint = "add `play:` to the rules, with what happens from the first turn to the last"
        shared.diagnostics.error("play-missing", message, shared.checked.ruleset.span, hint)


@bodies.declares(ast.Setup, ast.Play, ast.Winner, ast.Tie, ast.Payoff, ast.Score)
def _report_twice(shared: Shared, d: ast.Declaration, _: bodies.Definitions) -> None:
    """Report a second declaration of what a ruleset has once, such as `setup:` or the score line of a name."""
    what, span, hint = f"`{d.word}:`", d.span, "join them"
    if isinstance(d, ast.Score):
        what, span, hint = f"score lines `{d.name.text}`", d.name.span, "give one of them another name"
    old = shared.single.setdefault(what, span)
    if old is not span:
        message = f"there are two {what} ({old.path}:{old.line})"
        shared.diagnostics.error("name-duplicate", message, span, hint, [(old, "the first one")])


@bodies.declares(ast.Rule, ast.Event, ast.Ability, ast.Function, ast.QuantityDecl, ast.AbilityValue)
def _procedure(shared: Shared, d: Named, _: bodies.Definitions) -> None:
    """Declare a procedure with a name."""
    name, checked = d.name.text, shared.checked
    returns = resolve_type(shared, d.returns) if d.returns is not None else VOID
    params, cites = bodies.params_of(shared, d.params), cite_texts(d.citations)
    sym = ProcedureSym(name, d.word, params, returns, d.name.span, d, cites)
    if isinstance(d, ast.Doing | ast.Function) and d.depth is not None:
        _depth(shared, sym, d.depth)
    if name in functions_of(checked) and name not in OPEN:
        message = f"`{name}` is a function of the language and can't be declared"
        shared.diagnostics.error("name-reserved", message, d.name.span, "choose another name")
    shared.names.declare(name, sym, d.name.span)
    checked.procedures.append(sym)
    if isinstance(d, ast.QuantityDecl):
        checked.quantities[name] = QuantityInfo(sym)
    elif isinstance(d, ast.Event):
        checked.events[name] = EventInfo(sym)
    elif isinstance(d, ast.Ability | ast.AbilityValue):
        _ability_default(shared, d, sym)


def _depth(shared: Shared, sym: ProcedureSym, node: ast.Expr) -> None:
    """Set how deep a procedure may call itself: a number, or one made of options and sizes."""
    what = f"the depth of `{sym.name}`"
    c = constant(shared, what, node.span)
    levels = stateless(c, c.value(node, NUMBER, what))
    if never_within(levels.type, NumberT(1, LEVELS)):
        shown = str(levels.type).removeprefix("number ")
        shared.diagnostics.error("range-outside", f"{what} is {shown}, outside 1..{LEVELS}", node.span)
    high = levels.type.high if isinstance(levels.type, NumberT) else 1
    sym.depth, sym.levels = max(1, min(high, LEVELS)), levels


def _ability_default(shared: Shared, d: Named, sym: ProcedureSym) -> None:
    """Declare an ability with its default; report a first parameter that is no piece."""
    first = sym.params[0][1] if sym.params else None
    if isinstance(first, PieceT):
        category = "function" if sym.pure else "rule"
        default = bodies.new_procedure(shared, sym.name, category, sym.params, sym.returns, d.span, d.citations)
        shared.checked.abilities[sym.name] = AbilityInfo(sym, first.kind, default)
        return
    shared.broken.add(sym.name)
    if not isinstance(first, ErrorT):
        message = "the first parameter of an ability is the piece that has it"
        shared.diagnostics.error("ability-piece", message, d.name.span, f"write `ability {d.name.text}(piece: KIND)`")


@bodies.declares(ast.ExchangeGroup)
def _group_name(shared: Shared, d: ast.ExchangeGroup, _: bodies.Definitions) -> None:
    """Declare a group of exchanges and the procedure `trade` that offers them."""
    name, params = d.name.text, bodies.params_of(shared, d.params)
    trade = ProcedureSym(name, "trade", params, VOID, d.name.span, d, cite_texts(d.citations), uses_you=True)
    shared.checked.procedures.append(trade)
    info = GroupInfo(name, params, d.name.span, d, trade)
    shared.names.declare(name, info, d.name.span)
    shared.checked.groups[name] = info


@bodies.declares(ast.Offer)
def _offer(shared: Shared, d: ast.Offer, definitions: bodies.Definitions) -> None:
    if check_active_zone(shared, definitions, d.span):
        shared.checked.offers.append(OfferInfo(d.menu.text, definitions, d))


def declare_events(shared: Shared) -> None:
    """Declare what events name by `let`, and who orders what replaces them, once all names are known."""
    for event in shared.checked.events.values():
        sym, d = event.procedure, event.procedure.decl
        if not isinstance(d, ast.Event):
            continue
        for node in d.lets:
            let = bodies.new_procedure(shared, node.name.text, "function", event.params, VOID, node.span, d.citations)
            before = [*bodies.names_of(d.params), *(other.name for other in d.lets[: len(event.lets)])]
            c = bodies.context_of(shared, let, before)
            value = c.expr(node.value, None)
            let.returns = value.type
            let.body.statements = (core.CReturn(node.span, value),)
            event.lets.append(let)
        players = [name for name, t in sym.params if t == PLAYER]
        if d.by is not None and d.by.text not in players:
            message = f"`{d.by.text}` is no player among the parameters of `{sym.name}`"
            shared.diagnostics.error("name-unknown", message, d.by.span, suggest(d.by.text, players))
        elif d.by is not None:
            event.by = [name for name, _ in sym.params].index(d.by.text)


# ---- bodies


def check(shared: Shared) -> None:
    """Check every body (second pass)."""
    checked = shared.checked
    for d, definitions in shared.declared:
        if (body := bodies.BODIES.get(type(d))) is not None:
            body(shared, d, definitions)
    if checked.ranks is not None:
        check_ranked(shared, checked.ranks[1].span)
    if checked.amounts is not None:
        pay_out(shared, checked.amounts)
    if checked.setup is None:
        checked.setup = bodies.new_procedure(shared, "setup", "rule", (), VOID, checked.ruleset.span)
        checked.setup.hidden_you = False
    for event in checked.events.values():
        sym = event.procedure
        if sym.depth and any(h.optional for h in event.handlers):
            counts = NumberT(0, sym.depth)
            event.level = VariableSym(f"depth of {sym.name}", counts, (), sym.span, "nobody", internal=True)
            checked.variables.append(event.level)
    for offer in checked.offers:
        if not offer.used and not shared.broken:
            hint = suggest(offer.menu, _menus(shared)) or f"the menu begins with `choose {offer.menu}:`"
            shared.diagnostics.error("menu-unknown", f"no menu is called `{offer.menu}`", offer.decl.menu.span, hint)


def check_ranked(shared: Shared, span: Span) -> None:
    """Report that a rank is asked for where nothing says who comes first."""
    if shared.checked.winner is None and not shared.checked.scores:
        message = "`rank` goes by `winner`, `tie` and the score lines, and there are none"
        shared.diagnostics.error("call-misplaced", message, span, "say who comes first: `winner: most …`")


def _menus(shared: Shared) -> list[str]:
    """Return the names of all menus."""
    statements = (s for procedure in shared.checked.procedures for s in walk(procedure.body.statements))
    return [s.menu for s in statements if isinstance(s, core.CChoose) and s.menu]


@bodies.checks(ast.Setup, ast.Play)
def _top(shared: Shared, d: ast.Setup | ast.Play, _: bodies.Definitions) -> None:
    """Check the body of `setup:` or `play:` as a rule without parameters."""
    name = "setup" if isinstance(d, ast.Setup) else "play"
    sym = ProcedureSym(name, "rule", (), VOID, d.span, None, cite_texts(d.citations), hidden_you=False)
    shared.checked.procedures.append(sym)
    bodies.does(bodies.context_of(shared, sym), d.body)
    setattr(shared.checked, name, sym)


@bodies.checks(ast.Rule, ast.Event, ast.Ability, ast.Function, ast.QuantityDecl, ast.AbilityValue)
def _body(shared: Shared, d: Named, _: bodies.Definitions) -> None:
    """Check the body of a procedure, unless another declaration has taken its name.

    Of a quantity that is its value before modifiers, of an event what handlers are put around later, of an ability what
    pieces without a text of their own do.
    """
    name, checked = d.name.text, shared.checked
    tables: dict[str, Mapping[str, QuantityInfo | EventInfo | AbilityInfo]] = {
        "quantity": checked.quantities,
        "event": checked.events,
        "ability": checked.abilities,
    }
    info = tables[d.word].get(name) if d.word in tables else None
    sym = info.procedure if info is not None else shared.names.get(name) if d.word not in tables else None
    if not isinstance(sym, ProcedureSym) or sym.decl is not d:
        return
    match info:
        case QuantityInfo():
            base = f"{name} (base)"
            sym = bodies.new_procedure(shared, base, "function", sym.params, sym.returns, d.span, d.citations)
            info.base = sym
        case EventInfo():
            sym = info.body = bodies.new_procedure(shared, name, "rule", info.params, VOID, d.span, d.citations)
        case AbilityInfo():
            sym = info.default
    lets = [let.name for let in d.lets] if isinstance(d, ast.Event) else []
    c = bodies.context_of(shared, sym, [*bodies.names_of(d.params), *lets])
    if isinstance(d, ast.Doing):
        bodies.does(c, d.body)
    else:
        bodies.gives(c, d.value, f"`{name}`", d.span if isinstance(d, ast.QuantityDecl) else None)


def _scored(
    shared: Shared, name: str, value: ast.Expr | ast.Block, d: ast.Score | ast.Winner | ast.Tie | ast.Payoff, span: Span
) -> ProcedureSym:
    """Return a number of each party."""
    sym = bodies.new_procedure(shared, name, "function", (), NUMBER, span, d.citations)
    bodies.gives(bodies.context_of(shared, sym), value, name, span)
    return sym


@bodies.checks(ast.Score)
def _score(shared: Shared, d: ast.Score, _: bodies.Definitions) -> None:
    line = ScoreInfo(d.name.text, _scored(shared, f"score {d.name.text}", d.value, d, d.span))
    shared.checked.scores.append(line)


@bodies.checks(ast.Winner)
def _winner(shared: Shared, d: ast.Winner, _: bodies.Definitions) -> None:
    if d.ranking != "all":
        shared.checked.winner = RankingInfo(d.ranking, _scored(shared, "winner", d.value, d, d.span))
        return
    sym = bodies.new_procedure(shared, "winner", "function", (), NUMBER, d.span, d.citations)
    c = bodies.context_of(shared, sym)
    with c.pure():
        won = c.value(d.value, BOOL, "what all win by")
    holds = core.CExpr("if", NUMBER, (won, number(1, d.span), number(0, d.span)), d.span)
    sym.body.statements = (core.CReturn(d.span, holds),)
    shared.checked.winner = RankingInfo(d.ranking, sym)


@bodies.checks(ast.Payoff)
def _payoff(shared: Shared, d: ast.Payoff, _: bodies.Definitions) -> None:
    """Check `payoff`; one that is a mean is counted in parts of one, as many as any number of shared ranks divides."""
    value = d.value
    if not isinstance(value, ast.Call) or value.function.text != "mean" or len(value.arguments) != 1:
        shared.checked.payoff = _scored(shared, "payoff", value, d, d.span)
        return
    body = value.arguments[0]
    of = body.collection if isinstance(body, ast.Comprehension) else body
    if not isinstance(of, ast.Call) or of.function.text != "shared_ranks":
        message = "`mean` takes what is said for each of the ranks that tie"
        hint = "write `mean(… for r in shared_ranks(you))`"
        shared.diagnostics.error("call-misplaced", message, value.span, hint)
        return
    sym = bodies.new_procedure(shared, "payoff", "function", (), NUMBER, d.span, d.citations)
    c = bodies.context_of(shared, sym)
    with c.pure():
        each = replace(value, function=ast.Name(value.function.span, "each"))
        shares = core.CSet(d.span, c.new_local("shares", SetT(NUMBER), d.span), c.value(each, SetT(NUMBER), "payoff"))
    total, count = (core.CExpr(op, NUMBER, (c.read(shares.local),), d.span) for op in ("total", "count"))
    assert shared.checked.ranks is not None
    most = shared.checked.ranks[1].returns
    parts = shared.checked.payoff_parts = lcm(*range(1, most.high + 1)) if isinstance(most, NumberT) else 1
    scaled = core.CExpr("mul", NUMBER, (total, number(parts, d.span)), d.span)
    sym.body.statements = (shares, core.CReturn(d.span, core.CExpr("div", NUMBER, (scaled, count), d.span)))
    shared.checked.payoff = sym


def pay_out(shared: Shared, amounts: VariableSym) -> None:
    """Pay each party the amount that it got when the game ended; in other ends what `payoff` says, if it says
    something."""
    declared = shared.checked.payoff
    sym = bodies.new_procedure(
        shared, "amounts", "function", (), NUMBER if declared is not None else amounts.type, amounts.span
    )
    c = bodies.context_of(shared, sym)
    you = c.seat_here(amounts.span, "an amount")
    value = core.CExpr("var", amounts.type, (amounts, you), amounts.span)
    if shared.checked.payoff_parts > 1:
        there = core.CExpr("cast", NUMBER, (value,), amounts.span)
        parts = core.CExpr("mul", NUMBER, (there, number(shared.checked.payoff_parts, amounts.span)), amounts.span)
        absent = core.CExpr("is_none", BOOL, (value,), amounts.span)
        value = core.CExpr("if", amounts.type, (absent, value, parts), amounts.span)
    if declared is not None:
        value = core.CExpr(
            "otherwise", NUMBER, (value, core.CExpr("call", NUMBER, (declared, you), amounts.span)), amounts.span
        )
    sym.body.statements = (core.CReturn(amounts.span, value),)
    shared.checked.payoff = sym


@bodies.checks(ast.Tie)
def _tie(shared: Shared, d: ast.Tie, _: bodies.Definitions) -> None:
    """Check the list of tie breaks, in order; `shared` ends it."""
    for i, part in enumerate(d.breaks):
        procedure = _scored(shared, f"tie {i + 1}", part.value, d, part.span) if part.value is not None else None
        if procedure is None and i != len(d.breaks) - 1:
            shared.diagnostics.error("tie-shared", "`shared` ends the list of tie breaks", part.span, "put it last")
        shared.checked.ties.append(RankingInfo(part.ranking, procedure))
