"""The rule text of pieces (and what may stand in a rule file without a piece): who reacts to what, and how."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from rulelang.diagnostics import Span, counted, suggest
from rulelang.semantics.analysis.nonempty import is_fixed
from rulelang.semantics.tree.core import Body, CExpr, CReturn, conjunction, substitute
from rulelang.semantics.tree.shared import Shared, declared_visible, source_text
from rulelang.semantics.tree.symbols import (
    ExchangeInfo,
    GroupInfo,
    HandlerInfo,
    ImplementInfo,
    ModifierInfo,
    ProcedureSym,
    PurseInfo,
    ScoreInfo,
    cite_texts,
)
from rulelang.semantics.tree.types import (
    BOOL,
    NUMBER,
    PLAYER,
    VOID,
    BagT,
    CostT,
    ErrorT,
    GroupT,
    NumberT,
    PieceT,
    PlayerT,
    PurseT,
    SetT,
    Type,
    bare,
)
from rulelang.semantics.typing.bodies import (
    Definitions,
    Params,
    checks,
    context_of,
    does,
    gives,
    names_of,
    new_procedure,
    owned,
    piece_params,
)
from rulelang.semantics.typing.menus import held_by
from rulelang.semantics.typing.paths import owner_type, purses_at
from rulelang.semantics.typing.proceeding import proceeds, replacing, used_param
from rulelang.syntax import ast
from rulelang.syntax.whose import Parameter, spelt_out

UNSEEN = (
    "write `may` before it: then whoever could have the piece is asked, with it or not; or let it be in force where "
    "all see it"
)
SORTS = {
    "event": ("an event", "events"),
    "quantity": ("a quantity", "quantities"),
    "ability": ("an ability", "abilities"),
}


def listed(what: str, names: Iterable[str]) -> str:
    """Return the few names that there are."""
    some = list(names)
    return f"the {what} are {', '.join(some)}" if 0 < len(some) < 9 else ""


def check_active_zone(shared: Shared, definitions: Definitions, span: Span) -> bool:
    """Return whether the kind of a rule text's piece has an active zone; report once per kind that it has none."""
    kind = shared.kind(definitions[0].kind) if definitions else None
    if kind is None or kind.active:
        return True
    if not kind.decl.active and kind not in shared.idle:  # an unknown zone has been reported
        shared.idle.add(kind)
        message = f"rule text of {kind.name} is never in force: the kind names no `active` zone"
        shared.diagnostics.error("piece-inactive", message, span, f"add `active: [ZONE]` to the kind {kind.name}")
    return False


def _too_many(
    shared: Shared, names: Sequence[ast.Name | None], params: Sequence[object], what: str, span: Span, hint: str = ""
) -> bool:
    """Report a rule text that names more parameters than there are; return whether it does."""
    if len(names) <= len(params):
        return False
    message = f"`{what}` has {counted(len(params), 'parameter')}, {len(names)} are named"
    shared.diagnostics.error("call-arguments", message, span, hint)
    return True


def _unknown(shared: Shared, code: str, name: ast.Name, known: Collection[str]) -> None:
    """Report a name of no event, quantity or ability, and what else has it. If a higher folder made it something
    else, the mistake is there."""
    if name.text in shared.broken:
        return
    sort = code.removesuffix("-unknown")
    message = f"there is no {sort} `{name.text}`"
    namesake = shared.names.get(name.text)
    if not isinstance(namesake, ProcedureSym):
        hint = suggest(name.text, known) or listed(SORTS[sort][1], known)
        shared.diagnostics.error(code, message, name.span, hint)
        return
    ruleset = shared.checked.ruleset
    if ruleset.layer_of(namesake.span) > ruleset.layer_of(name.span):
        where = f"{name.span.path}:{name.span.line}"
        message = f"`{name.text}` is a {namesake.category} here, but {where} needs {SORTS[sort][0]}"
        related = [(name.span, f"what needs the {sort}")]
        shared.diagnostics.error(code, message, namesake.span, f"declare it as `{sort}`", related)
        return
    hint = f"declare `{name.text}` as `{sort}` where it is a {namesake.category}"
    params = ", ".join(param for param, _ in namesake.params)
    forms = {"event": "after {}({}): …", "ability": "on {}({}): …", "quantity": "modify {}({}): plus 1"}
    if namesake.category in forms:
        what = SORTS[namesake.category][0]
        hint = f"`{name.text}` is {what}: write `{forms[namesake.category].format(name.text, params)}`"
    shared.diagnostics.error(code, message, name.span, hint, [(namesake.span, f"the {namesake.category} is here")])


Spelt = tuple[tuple[ast.Name | None, ...], ast.Expr | None]
"""The names of parameters, and the condition."""


def _spelt_out(
    shared: Shared, d: ast.Handler | ast.Modifier, of: ast.Name, params: Params, definitions: Definitions
) -> Spelt | None:
    """Return the names of parameters and the condition, that of `this` and `owner` in their places included; None if
    these are at fault, or the rule text is never in force."""
    if not check_active_zone(shared, definitions, d.span) or _misplaced(shared, d, of, params):
        return None
    spelt = spelt_out(d, [Parameter(name, bare(t) == PLAYER, isinstance(t, SetT | GroupT)) for name, t in params])
    if spelt is not None:
        hint = (
            f"`for {source_text(d.whose.seat.span)}` is the player among them, who is not named then" if d.whose else ""
        )
        return None if _too_many(shared, spelt[0], params, of.text, d.span, hint) else spelt
    assert d.whose is not None
    players = [name for name, t in params if bare(t) == PLAYER]
    named = d.whose.parameter
    message = (
        f"`{of.text}` has several players" if named is None else f"`{of.text}` has no player called `{named.text}`"
    )
    ways = " or ".join(f"`for {source_text(d.whose.seat.span)} as {name}`" for name in players)
    shared.diagnostics.error("call-arguments", message, d.whose.span, f"say who is meant: {ways}" if ways else "")
    return None


def _misplaced(shared: Shared, d: ast.Handler | ast.Modifier, of: ast.Name, params: Params) -> bool:
    """Report `owner`, `this` or `you` in the place of a parameter that it can't be; return whether one is."""
    sorts = {"owner": PlayerT, "you": PlayerT, "this": PieceT}
    for (name, t), own in zip(params, d.params, strict=False):
        inner = bare(t)
        inner = bare(inner.element) if isinstance(inner, SetT | GroupT) else inner
        wanted = sorts.get(own.text)
        if wanted is None or isinstance(inner, ErrorT) or (own.text != "you" and isinstance(inner, wanted)):
            continue
        meant = "this" if wanted is PieceT else "owner"
        first = next((n for n, other in params if isinstance(bare(other), wanted)), "")
        order = ", ".join(meant if n == first else n for n, _ in params)
        message = f"`{own.text}` stands in the place of `{name}`, which is a {t}"
        if own.text == "you":
            message = "who acts is `you` in any case; in the place of a parameter stands a name, `owner` or `this`"
        hint = f"write `{of.text}({order})`" if first else f"it is given {', '.join(f'`{n}`' for n, _ in params)}"
        shared.diagnostics.error("call-arguments", message, own.span, hint)
        return True
    return False


def _guard(
    shared: Shared, spelt: Spelt, d: ast.Handler | ast.Modifier, name: str, params: Params, definitions: Definitions
) -> ProcedureSym | None:
    """Return the function of a `when`."""
    names, condition = spelt
    if condition is None:
        return None
    guard = new_procedure(shared, f"{name} when", "function", params, BOOL, condition.span, d.citations, definitions)
    gives(context_of(shared, guard, names, definitions, d.span), condition, "a condition")
    return guard


def _guarded(guard: ProcedureSym | None, body: ProcedureSym) -> list[CExpr]:
    """Return the conditions that hold in a body behind a guard of the same parameters."""
    if guard is None or guard.body.value is None:
        return []
    read = (CExpr("local", local.type, (local,), local.span) for local in body.body.parameters)
    return conjunction(substitute(guard.body.value, dict(zip(guard.body.parameters, read, strict=False)), Body()))


@checks(ast.Handler)
def _handler(shared: Shared, d: ast.Handler, definitions: Definitions) -> None:
    """Add a reaction to its event: one procedure for the guard, one for the body, which may `proceed`."""
    event = shared.checked.events.get(d.event.text)
    if event is None:
        _unknown(shared, "event-unknown", d.event, shared.checked.events)
        return
    shared.names.note(d.event.span, event.procedure)
    params = event.params
    spelt = _spelt_out(shared, d, d.event, params, definitions)
    if spelt is None:
        return
    if d.optional and not (definitions and owned(shared, definitions[0])):
        message = "`may` asks the owner of the piece, and there is none"
        hint = "write it in the rule text of pieces that lie with players"
        shared.diagnostics.error("you-missing", message, d.span, hint)
        return
    unseen = shared.kind(definitions[0].kind).active if definitions and not d.optional else []
    if unseen and all(not zone.view.public for zone in unseen):
        where = " or ".join(f"`{zone.name}`" for zone in unseen)
        message = f"this must react from {where}, where not all see it, and so tells what is there"
        shared.diagnostics.error("visibility-leak", message, d.span, UNSEEN, [declared_visible(z) for z in unseen])
        return
    name = definitions[0].id if definitions else f"{d.timing} {d.event.text}"
    params = (*piece_params(definitions), *params)
    guard = _guard(shared, spelt, d, name, params, definitions)
    lets_go = d.timing == "instead of" and proceeds(d.body)
    hidden = (used_param(event),) if lets_go else ()
    returns = BOOL if lets_go else VOID
    body = new_procedure(shared, name, "rule", (*params, *hidden), returns, d.span, d.citations, definitions)
    c = context_of(shared, body, spelt[0], definitions)
    c.facts = [fact for fact in _guarded(guard, body) if is_fixed(fact)]  # other reactions may come in between
    if lets_go:
        replacing(c, event, spelt[0], d.params, d.body, bool(definitions))
    else:
        does(c, d.body)
    limit = shared.limit(d.limit, name)
    event.handlers.append(
        HandlerInfo(d.timing, len(event.handlers), definitions, guard, body, limit, d.span, d.optional)
    )


@checks(ast.Modifier)
def _modifier(shared: Shared, d: ast.Modifier, definitions: Definitions) -> None:
    """Add a modifier to its quantity: one function for the guard, one for the value of its layer."""
    quantity = shared.checked.quantities.get(d.quantity.text)
    if quantity is None:
        _unknown(shared, "quantity-unknown", d.quantity, shared.checked.quantities)
        return
    shared.names.note(d.quantity.span, quantity.procedure)
    params, returns = quantity.procedure.params, quantity.procedure.returns
    spelt = _spelt_out(shared, d, d.quantity, params, definitions)
    if spelt is None:
        return
    additive, numeric = isinstance(returns, NumberT | BagT | CostT | SetT), isinstance(returns, NumberT)
    if (d.layer in ("plus", "minus") and not additive) or (d.layer.startswith("at") and not numeric):
        shared.diagnostics.error("modifier-layer", f"`{d.layer}` can't change a {returns}", d.span, "use `set to`")
        return
    name = definitions[0].id if definitions else f"modify {d.quantity.text}"
    params = (*piece_params(definitions), *params)
    guard = _guard(shared, spelt, d, name, params, definitions)
    if isinstance(returns, CostT) and d.layer == "minus":
        returns = BagT(returns.resource)
    value = new_procedure(shared, name, "function", params, returns, d.span, d.citations, definitions)
    c = context_of(shared, value, spelt[0], definitions)
    c.facts = _guarded(guard, value)
    gives(c, d.value, f"`{d.layer}`", d.span, d.lets or ())
    quantity.modifiers.append(ModifierInfo(d.layer, d.priority, definitions, value, guard, d.span))


@checks(ast.Implement, ast.ImplementValue)
def _implement(shared: Shared, d: ast.Implement | ast.ImplementValue, definitions: Definitions) -> None:
    """Add a piece's implementation (`on …`) to its ability; each piece may have one of an ability."""
    ability = shared.checked.abilities.get(d.ability.text)
    if ability is None:
        _unknown(shared, "ability-unknown", d.ability, shared.checked.abilities)
        return
    shared.names.note(d.ability.span, ability.procedure)
    error = shared.diagnostics.error
    if not definitions:
        message = "`on` stands in the rule text of a piece"
        error("ability-piece", message, d.span, "put it under `rules:` of the piece's row")
        return
    if definitions[0].kind != ability.kind:
        message = f"`{d.ability.text}` is an ability of {ability.kind}, not of {definitions[0].kind}"
        error("ability-piece", message, d.ability.span)
        return
    pure = ability.procedure.pure
    if isinstance(d, ast.ImplementValue) and not pure:
        names = f"({', '.join(parameter.text for parameter in d.params)})" if d.params else ""
        message = f"`{d.ability.text}` does something, and is not declared with a value"
        related = [(ability.procedure.span, "the ability is here")]
        error("ability-value", message, d.ability.span, f"write `on {d.ability.text}{names}: …`", related)
        return
    params = ability.procedure.params
    if _too_many(shared, d.params, params, d.ability.text, d.span):
        return
    earlier = next((i.body.span for i in ability.implementations if definitions[0] in i.definitions), None)
    if earlier is not None:
        message = f"`on {d.ability.text}` stands twice"
        error("name-duplicate", message, d.span, "put both into one block", [(earlier, "the first one")])
    category, returns = "function" if pure else "rule", ability.procedure.returns
    sym = new_procedure(shared, definitions[0].id, category, params, returns, d.span, d.citations, definitions)
    c = context_of(shared, sym, d.params)
    c.this = c.read(sym.body.parameters[1])
    c.owner = CExpr("owner", owner_type(shared.kind(ability.kind)), (c.this,), d.span)
    if pure:
        gives(c, d.value if isinstance(d, ast.ImplementValue) else d.body, f"`{d.ability.text}`")
    elif isinstance(d, ast.Implement):
        does(c, d.body)
    ability.implementations.append(ImplementInfo(definitions, sym))


@checks(ast.PieceScore)
def _piece_score(shared: Shared, d: ast.PieceScore, definitions: Definitions) -> None:
    """Add the score of a piece: a function of one piece, and its sum over all that a player holds."""
    if not definitions:
        message, hint = "`scores:` stands in the rule text of a piece", "write `score NAME: …`"
        shared.diagnostics.error("score-piece", message, d.span, hint)
        return
    if not check_active_zone(shared, definitions, d.span):
        return
    definition = definitions[0]
    params = piece_params(definitions)
    single = new_procedure(shared, definition.id, "function", params, NUMBER, d.span, d.citations, definitions)
    gives(context_of(shared, single, (), definitions), d.value, "`scores`", d.span)
    total = new_procedure(shared, f"score {definition.id}", "function", (), NUMBER, d.span, d.citations, definitions)
    c = context_of(shared, total)
    total.uses_you = True
    you = c.read(total.body.parameters[0])
    pieces, piece = held_by(c, "this", definitions, you, d.span)
    value = CExpr("call", NUMBER, (single, you, c.read(piece), you), d.span)
    total.body.statements = (CReturn(d.span, CExpr("sum", NUMBER, (piece, pieces, value), d.span)),)
    shared.checked.scores.append(ScoreInfo(definition.id, total, definition))


@checks(ast.ExchangeGroup)
def _group(shared: Shared, d: ast.ExchangeGroup, _: Definitions) -> None:
    """Check a group of exchanges: its purse, how often it may be used, and its exchanges."""
    group = shared.checked.groups[d.name.text]
    _purse(shared, group)
    if d.times is not None and group.times is None:
        group.times = new_procedure(shared, f"{group.name} (times)", "function", group.params, NUMBER, d.times.span)
        gives(context_of(shared, group.times, names_of(d.params)), d.times, f"`{group.name}`")
    for exchange in d.exchanges:
        _exchange(shared, exchange, group, ())


@checks(ast.Exchange)
def _exchange_of_piece(shared: Shared, d: ast.Exchange, definitions: Definitions) -> None:
    """Check an exchange in a piece's text, which joins the group that it names."""
    name = d.group.text if d.group is not None else ""
    group = shared.checked.groups.get(name)
    if group is None:
        if name in shared.broken:
            return
        message = f"there is no group of exchanges `{name}`" if name else "which group this exchange joins is not said"
        hint = suggest(name, shared.checked.groups) if name else "name it: `exchange NAME in GROUP: …`"
        shared.diagnostics.error("name-unknown", message, d.span, hint)
    elif check_active_zone(shared, definitions, d.span):
        shared.names.note(d.group.span if d.group is not None else d.span, group)
        _exchange(shared, d, group, definitions)


def _purse(shared: Shared, group: GroupInfo) -> None:
    """Find what a group of exchanges is paid from and what its gains go to."""
    if group.purse is not None:
        return
    sym = ProcedureSym(group.name, "function", group.params, NUMBER, group.span)
    c = context_of(shared, sym, names_of(group.decl.params))
    parts = purse_parts(group.decl.purse)
    purses = purses_at(c, parts)
    if not isinstance(purses.type, PurseT):
        return
    first = purses.args[0]
    if not (isinstance(first, CExpr) and first.op == "purse"):
        message = "gains go to the first purse, which must be a variable"
        shared.diagnostics.error("assign-target", message, parts[0].span)
        return
    group.purse = PurseInfo(sym.body, purses)


def _exchange(shared: Shared, d: ast.Exchange, group: GroupInfo, definitions: Definitions) -> None:
    """Check cost, gain and guard of an exchange as functions of the group's parameters, named as in the group."""
    _purse(shared, group)
    if not group.resource:
        return

    def part(what: str, node: ast.Expr, t: Type) -> ProcedureSym:
        """Return a function for one part of the exchange, checked against its type."""
        name = f"{d.name.text} {what}"
        sym = new_procedure(shared, name, "function", group.params, t, node.span, d.citations, definitions)
        c = context_of(shared, sym, names_of(group.decl.params))
        if definitions:
            # An exchange of a piece is offered to its owner alone.
            c.owner = c.you
        gives(c, node, f"the {what}")
        return sym

    guard = part("guard", d.guard, BOOL) if d.guard is not None else None
    cost, gain = (part(what, node, CostT(group.resource)) for what, node in (("cost", d.cost), ("gain", d.gain)))
    limit = shared.limit(d.limit, d.name.text)
    cites = cite_texts(d.citations) or shared.checked.row_citations(definitions)
    earlier = next((e.span for e in group.exchanges if e.name == d.name.text), None)
    if earlier is not None:
        message = f"two exchanges of `{group.name}` are called `{d.name.text}`"
        hint = "give one of them another name"
        shared.diagnostics.error("name-duplicate", message, d.name.span, hint, [(earlier, "the first one")])
    group.exchanges.append(ExchangeInfo(d.name.text, definitions, guard, cost, gain, limit, d.span, cites))


def purse_parts(node: ast.Expr) -> tuple[ast.Expr, ...]:
    """Return the purses of `a + b + c`."""
    if isinstance(node, ast.Arithmetic) and node.op == "+":
        return (*purse_parts(node.left), *purse_parts(node.right))
    return (node,)


def check_priorities(shared: Shared) -> None:
    """Report quantities that two modifiers of one priority set."""
    for info in shared.checked.quantities.values():
        first: dict[int, ModifierInfo] = {}
        for modifier in (m for m in info.modifiers if m.layer == "set to"):
            earlier = first.setdefault(modifier.priority, modifier)
            if earlier is not modifier:
                where = f"{earlier.span.path}:{earlier.span.line}"
                message = f"two modifiers set `{info.procedure.name}` with the same priority ({where})"
                hint = "give one of them a `priority`; the higher one counts"
                related = [(earlier.span, "the other one")]
                shared.diagnostics.error("modifier-conflict", message, modifier.span, hint, related)
