"""What the YAML gives a value: attributes, counts, starts, capacities; all of it is known before a game starts."""

from __future__ import annotations

import re

from rulelang.diagnostics import Span, counted, suggest
from rulelang.languages import number_meant
from rulelang.ruleset.model import ByOption, Text, VariableDecl, ZoneDecl
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import CExpr, Local, same, subexpressions
from rulelang.semantics.tree.shared import Shared, const, never_within, parsed
from rulelang.semantics.tree.symbols import (
    DefinitionSym,
    KindSym,
    OptionSym,
    ProcedureSym,
    SightCondition,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.typing.constants import KNOWN, Row, constant, stateless
from rulelang.semantics.typing.context import Context
from rulelang.semantics.typing.paths import OTHER_WORDS, zone_place
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_expression
from rulelang.syntax.words import BUILTIN_NAMES

SUGGESTED = 20
"""For so many rows a name is looked for that may have been meant, since looking takes long among many."""


def _missing(shared: Shared, t: ty.Type, message: str, span: Span) -> CExpr:
    """Report that a row of a piece lacks an attribute whose type requires one; return an absent value in its place."""
    if not isinstance(t, ty.OptionalT | ty.ErrorT):
        hint = ""
        if (new := shared.checked.ruleset.beside.get(span)) is not None and len(shared.new_rows) < SUGGESTED:
            if shared.new_rows.get(span):
                return const(-1, t, span)  # hardly a row of its own: what else it lacks need not be said
            hint = shared.new_rows[span] = new.hint()
            hint = hint or new.listed()
        shared.diagnostics.error("attribute-missing", message, span, hint or "give it, or let its type end in `?`")
    return const(-1, t, span)


def attribute_value(
    shared: Shared,
    text: Text | Span | None,
    t: ty.Type,
    name: str,
    whose: str,
    span: Span,
    row: Row | None = None,
) -> CExpr:
    """Return the value of an attribute of a row or of a type's value; it may name earlier attributes of the `row`. In
    the place of a `text` may be the one that has none."""
    if text is None or isinstance(text, Span):
        return _missing(shared, t, f"`{whose}` has no `{name}`", span if text is None else text)
    if isinstance(text, ByOption):
        parts = (attribute_value(shared, part, t, name, whose, span) for part in text.texts.values())
        return _by_option(shared, text, list(parts))
    return constant_value(shared, text, t, f"`{name}` of `{whose}`", row)


def constant_value(shared: Shared, text: Text, t: ty.Type, what: str, row: Row | None = None) -> CExpr:
    """Return a value known before the game starts, of type `t`; it may name the attributes of its `row`."""
    if isinstance(text, ByOption):
        parts = (constant_value(shared, part, t, what) for part in text.texts.values() if isinstance(part, Text))
        return _by_option(shared, text, list(parts))
    node = parsed(parse_expression, text, shared)
    if node is None:
        return const(0, ty.ERROR, text.span)
    c = constant(shared, what, text.span, row)
    if isinstance(ty.bare(t), ty.ErrorT):
        return const(0, ty.ERROR, text.span)
    if isinstance(node, ast.NameExpr) and _no_value(shared, node.name, t, row or Row(), text.span):
        return const(0, ty.ERROR, text.span)
    value = stateless(c, c.value(node, t, what))
    if never_within(value.type, ty.bare(t)):
        shown = str(value.type).removeprefix("number ")
        shared.diagnostics.error("range-outside", f"{what} is {shown}, outside {ty.bare(t)}", text.span)
    return value


def _by_option(shared: Shared, choice: ByOption, values: list[CExpr]) -> CExpr:
    """Return what an option selects among values, one for each of its own. Those that are the same share a branch; what
    selects them stands nowhere, as nobody wrote it."""
    option = shared.names.get(choice.option)
    if not isinstance(option, OptionSym):
        return values[0]
    branches: list[tuple[CExpr, CExpr]] = []
    for selected, value in zip(choice.texts, values, strict=True):
        test = _is(option, selected)
        shared_by = next((i for i, (_, branch) in enumerate(branches) if same(branch, value)), None)
        if shared_by is None:
            branches.append((test, value))
        else:
            branches[shared_by] = CExpr("or", ty.BOOL, (branches[shared_by][0], test)), branches[shared_by][1]
    *others, (_, result) = branches
    for test, value in reversed(others):
        result = CExpr("if", ty.join(value.type, result.type) or value.type, (test, value, result))
    return result


def _is(option: OptionSym, value: str) -> CExpr:
    """Return whether an option has a value, given as in YAML."""
    read = CExpr("option", option.type, (option,))
    if option.option.kind == "bool":
        return read if value == "true" else CExpr("not", ty.BOOL, (read,))
    numbers = {str(v): v if isinstance(v, int) else i for i, v in enumerate(option.option.values)}
    return CExpr("eq", ty.BOOL, (read, CExpr("const", option.type, (numbers.get(value, -1),))))


_BOUNDLESS = frozenset("unlimited infinite infinity inf none any all no null unbounded max".split())


def _no_value(shared: Shared, name: str, t: ty.Type, row: Row, span: Span) -> bool:
    """Return whether a word is none of the values of a type, nor anything else; then it is a finding."""
    plain = ty.bare(t)
    sym = shared.type_sym(plain.name) if isinstance(plain, ty.EnumT) else None
    if name in row or name in BUILTIN_NAMES or shared.names.get(name) is not None or name == "none":
        return False
    if sym is None:
        known = (s.name for s in shared.names.values())
        if not isinstance(plain, ty.NumberT) or not name.isalpha() or name in OTHER_WORDS or suggest(name, known):
            return False
        shared.diagnostics.error(
            "name-unknown",
            f"`{name}` is no number",
            span,
            f"write `{number}`"
            if (number := number_meant(name))
            else "take the key away where there is no bound"
            if name in _BOUNDLESS
            else f"write a number, {plain.low} or more"
            if plain.high == ty.INT_MAX
            else f"write one of {plain}",
        )
        return True
    hint = suggest(name, sym.values) or f"its values are {', '.join(sym.values)}"
    shared.diagnostics.error("name-unknown", f"`{name}` is not a {plain}", span, hint)
    return True


def fill(shared: Shared) -> None:
    """Check what may use any name: attribute values, counts, starts, start values."""
    for kind in shared.checked.kinds.values():
        known: dict[tuple[object, ...], DefinitionSym] = {}
        _amounts_of_one(shared, kind)
        for sym in kind.definitions:
            d = sym.decl
            row = Row()
            for name, t in kind.attributes.items():
                row[name] = attribute_value(shared, d.attributes.get(name), t, name, sym.id, d.span, row)
            sym.attributes.extend(row.values())
            start, found = d.start or kind.decl.start, len(shared.diagnostics)
            read = d.per_player, *_read(d.count, row), *(_read(start, row) if start is not None else ())
            like = known.get(read)
            if like is not None:  # of 102 rows of LDD 91 are like another: they took 8 of the 26 ms
                sym.count, sym.start, sym.start_seat = like.count, like.start, like.start_seat
                continue
            whose = f"`{sym.id}`" if d.count != kind.decl.count else kind.name
            sym.count = constant_value(shared, d.count, ty.NumberT(0, 1000), f"the count of {whose}", row)
            _piece_start(shared, sym, kind, start, row)
            if len(shared.diagnostics) == found:
                known[read] = sym

    for variable in [*shared.checked.variables, *shared.checked.piece_variables]:
        _variable_values(shared, variable)
    seen: list[ZoneSym | VariableSym] = [*shared.checked.zones, *shared.checked.variables]
    for symbol in seen:
        if isinstance(symbol.decl, ZoneDecl | VariableDecl) and symbol.decl.sight is not None:
            _sight(shared, symbol, symbol.decl.sight)


def _sight(shared: Shared, sym: ZoneSym | VariableSym, text: Text) -> None:
    """Check the condition under which a zone or variable is seen: `you` looks, `owner` has it."""
    node = parsed(parse_expression, text, shared)
    if node is None:
        return
    what = f"who sees `{sym.name}`"
    c = Context(shared, ProcedureSym(what, "constant", (), ty.VOID, text.span, hidden_you=False))
    you, owner = Local("you", ty.PLAYER, text.span), Local("owner", ty.PLAYER, text.span) if sym.owned else None
    c.you, c.owner = c.read(you), c.read(owner) if owner is not None else None
    condition = c.fit(c.expr(node, ty.BOOL), ty.BOOL, what)
    if isinstance(condition.type, ty.ErrorT):
        return
    for part in subexpressions(condition):
        if part.op not in KNOWN and not _is_own(part, you):
            message = f"who sees `{sym.name}` depends on what a player may not know"
            hint = "it may read `you`, `owner`, options, variables of `you` (`you.pack`) and those that all see"
            shared.diagnostics.error("visibility-unsettled", message, part.span, hint)
            return
    sym.sight = SightCondition(condition, you, owner)


def _is_own(value: CExpr, you: Local) -> bool:
    """Return whether a value is a variable of the player who looks, or one of nobody's that all see."""
    sym = value.args[0] if value.op == "var" else None
    if not isinstance(sym, VariableSym) or sym.internal or not ty.is_scalar(sym.type):
        return False
    return sym.view.public or (
        sym.owned and value.args[1:2] != () and _reads(value.args[1], you) and not sym.view.others
    )


def _reads(value: object, local: Local) -> bool:
    """Return whether an expression is a local."""
    return isinstance(value, CExpr) and value.op == "local" and value.args[0] is local


_AMOUNT = re.compile(r"\d+ +[a-z]\w*( *\+ *\d+ +[a-z]\w*)*")


def _amounts_of_one(shared: Shared, kind: KindSym) -> None:
    """Report an attribute that is one good and of which all rows say how many."""
    for declared in kind.decl.attributes:
        t = kind.attributes.get(declared.name)
        texts = [text for sym in kind.definitions if (text := sym.decl.attributes.get(declared.name)) is not None]
        if isinstance(t, ty.EnumT) and texts and all(isinstance(x, Text) and _AMOUNT.fullmatch(x.text) for x in texts):
            message = f"`{declared.name}` is one {t} by this, and its rows say how many: `{texts[0].text}`"
            hint = f"write `bag of {t}`, or `cost of {t}` for what is paid"
            shared.diagnostics.error("type-mismatch", message, declared.type.span, hint)
            kind.attributes[declared.name] = ty.ERROR


def _read(text: Text, row: Row) -> tuple[object, ...]:
    """Return what the value of a text depends on: which text it is, and the attributes of the row that it may name."""
    values = [row[name] for name in re.findall(r"\w+", text.text) if name in row]
    return id(text), *((value.type, value.args) if value.op == "const" else id(value) for value in values)


def _nowhere(shared: Shared, sym: DefinitionSym, kind: KindSym) -> None:
    """Report all rows of a kind that start nowhere in one finding: mostly it is the kind that should say it."""
    rows = [d for d in kind.definitions if d.decl.start is None and d.decl.count.text != "0"]
    if not rows or sym is not rows[0]:
        return
    others = f" (nor {', '.join(f'`{d.id}`' for d in rows[1:6])}{', …' if len(rows) > 6 else ''})"
    message = f"nothing says in which zone `{sym.id}` starts" + (others if rows[1:] else "")
    hint = f"add `start: ZONE` to the kind {kind.name}" + ("" if rows[1:] else " or to the row")
    shared.diagnostics.error("piece-start", message, sym.decl.span, hint)


def _piece_start(shared: Shared, sym: DefinitionSym, kind: KindSym, text: Text | None, row: Row) -> None:
    """Check where the pieces of a row start."""
    if text is None:
        _nowhere(shared, sym, kind)
        return
    node = parsed(parse_expression, text, shared)
    if node is None:
        return
    if isinstance(node, ast.NameExpr) and shared.names.get(node.name) is None and node.name not in row:
        known = [zone.name for zone in shared.checked.zones if zone.kind == kind.name]
        hint = suggest(node.name, known) or f"zones of {kind.name}: {', '.join(known)}" if known else ""
        shared.diagnostics.error("name-unknown", f"there is no zone `{node.name}`", text.span, hint)
        return
    c = constant(shared, f"the start of `{sym.id}`", text.span, row)
    if sym.decl.per_player:
        seat = Local("you", ty.PLAYER, text.span)
        sym.start_seat = seat
        c.you = c.read(seat)
    zone = stateless(c, zone_place(c, node, "where a piece starts"))
    if isinstance(zone.type, ty.ZoneT) and zone.type.kind != kind.name:
        shared.diagnostics.error("type-mismatch", f"this zone holds {zone.type.kind}, not {kind.name}", text.span)
    sym.start = zone


def _variable_values(shared: Shared, sym: VariableSym) -> None:
    """Check the start value of a variable."""
    d = sym.decl
    if not isinstance(d, VariableDecl) or isinstance(sym.type, ty.ErrorT):
        return
    if d.start is not None and (node := parsed(parse_expression, d.start, shared)) is not None:
        c = constant(shared, f"the start of `{sym.name}`", d.start.span)
        sym.start_indices = _indices(c, sym, d.start.span)
        value = c.expr(node, sym.type)
        if ty.bare(sym.type) == ty.PLAYER and isinstance(value.type, ty.NumberT) and value.op == "const":
            value = _first_seat(shared, value)
        value = c.fit(value, sym.type, f"the start of `{sym.name}`")
        sym.start = stateless(c, value)
        if never_within(value.type, ty.bare(sym.type)):
            start = str(value.type).removeprefix("number ")
            message = f"`{sym.name}` starts at {start}, outside {ty.bare(sym.type)}"
            shared.diagnostics.error("range-outside", message, value.span, "mend one of the two")


def fill_capacities(shared: Shared) -> None:
    """Check the capacities of bags, which are read while the game is played: what is said of who is still in holds of
    them too, so all rules have been read before."""
    for sym in [*shared.checked.variables, *shared.checked.piece_variables]:
        d = sym.decl
        if not isinstance(d, VariableDecl) or isinstance(sym.type, ty.ErrorT):
            continue
        _beyond(shared, sym, d)
        for key, text in d.capacity.items():
            if not isinstance(sym.type, ty.BagT):
                message = f"only bags have a capacity, and `{sym.name}` is a {sym.type}"
                shared.diagnostics.error("capacity-type", message, d.span, "the range of a number is its bound")
                break
            _capacity(shared, sym, key, text)


def _beyond(shared: Shared, sym: VariableSym, d: VariableDecl) -> None:
    """Check that what finds no room in a variable can become what is declared of it."""
    is_bag, total = isinstance(sym.type, ty.BagT), "total" in d.capacity
    if not d.beyond or (d.beyond == "choose" and is_bag and total) or (d.beyond == "error" and is_bag):
        return
    message, hint = f"only numbers and bags can be too full, and `{sym.name}` is a {sym.type}", "take `beyond` away"
    if isinstance(ty.bare(sym.type), ty.NumberT):
        if d.beyond != "choose":
            return
        message, hint = "there is nothing to choose of a number", "write `lost` (it stays at its end) or `error`"
    elif is_bag and d.beyond == "choose":
        message, hint = "nothing is chosen where each resource has a limit of its own", "write `lost`, or a `total`"
    elif is_bag and total:
        message = "which resources are lost is a choice where all share one limit"
        hint = "write `choose`, or give each a limit of its own"
    elif is_bag:
        return
    shared.diagnostics.error("capacity-beyond", message, d.span, hint)


def _first_seat(shared: Shared, value: CExpr) -> CExpr:
    """Return the number of a seat as that seat."""
    assert isinstance(value.type, ty.NumberT)
    fewest = min(shared.checked.ruleset.players)
    if not 0 <= value.type.low < fewest:
        message = f"there is no seat {value.type.low} with {counted(fewest, 'player')}"
        shared.diagnostics.error("range-outside", message, value.span, f"seats are 0 to {fewest - 1}")
        return const(0, ty.ERROR, value.span)
    return CExpr("const", ty.PLAYER, value.args, value.span)


def _indices(c: Context, sym: VariableSym, span: Span, known: tuple[Local, ...] = ()) -> tuple[Local, ...]:
    """Return the indices of a variable, of which a value may depend; the first player among them is who acts."""
    indices = known or tuple(Local(f"index{i}", t, span) for i, t in enumerate(sym.per))
    if sym.owned:
        c.you = c.read(indices[0])
    return indices


def _capacity(shared: Shared, sym: VariableSym, key: str, text: Text) -> None:
    """Check a capacity of a bag: `key` says of which resources."""
    node = parsed(parse_expression, text, shared)
    if node is None:
        return
    limit = ProcedureSym(f"capacity of {sym.name}", "constant", (), ty.VOID, text.span, hidden_you=False)
    c = Context(shared, limit)
    sym.capacity_indices = _indices(c, sym, text.span, sym.capacity_indices)
    value = c.value(node, ty.NUMBER, f"the capacity of `{sym.name}`")
    if isinstance(value.type, ty.NumberT) and value.type.high < 0:
        shared.diagnostics.error("range-outside", f"the capacity of `{sym.name}` is {value.type}", text.span)
    if key == "each":
        sym.each = value
    elif key == "total":
        sym.total = value
    else:
        res = shared.resource(sym.type)
        if res is None or key not in res.values:
            hint = suggest(key, [*(res.values if res else ()), "each", "total"])
            span = sym.decl.places.get(("capacity", key), text.span) if sym.decl is not None else text.span
            shared.diagnostics.error("resource-unknown", f"`{key}` is not a resource of `{sym.name}`", span, hint)
            return
        sym.limits[res.values.index(key)] = value
