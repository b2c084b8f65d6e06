"""What is declared and then not used: options, variables, attributes, types and their values, local names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.model import GridDecl, ResourceDecl, TypeDecl
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree import core
from rulelang.semantics.tree.symbols import KindSym, VariableSym
from rulelang.semantics.tree.types import (
    BagT,
    CellT,
    CostT,
    EnumT,
    GroupT,
    NumberT,
    OptionalT,
    PieceT,
    SetT,
    Type,
    bare,
)
from rulelang.syntax import ast


def lint_usage(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report options, variables, attributes, types and names that are declared and not used."""
    for lint in (_options, _variables, _attributes, _types, _names):
        lint(facts, diagnostics)


def _options(facts: Facts, diagnostics: Diagnostics) -> None:
    """Warn of options of the game that no rule reads."""
    for option in facts.checked.options:
        if option not in facts.read:
            message = f"no rule reads the option `{option.name}`, so the game is the same whatever is chosen"
            hint = "read it by its name in a rule, a count or a capacity, or take it away"
            diagnostics.warning("option-unread", message, option.span, hint)


def _variables(facts: Facts, diagnostics: Diagnostics) -> None:
    for sym in (*facts.checked.variables, *facts.checked.piece_variables):
        if not sym.internal:
            _variable(facts, diagnostics, sym)


def _variable(facts: Facts, diagnostics: Diagnostics, sym: VariableSym) -> None:
    """Report a variable that nothing reads, or that no rule changes."""
    what = f"the mark `{sym.name}`" if sym.mark else f"the variable `{sym.name}`"
    read, written = sym in facts.read, sym in facts.written
    if not read:
        message = f"rules change {what}, but nothing reads it" if written else f"no rule reads or changes {what}"
        diagnostics.warning("variable-unread", message, sym.span, "read it in a rule or a score line, or take it away")
    elif (not written or _only_reset(facts, sym)) and sym.name not in {z.decl.beside for z in facts.checked.zones}:
        message = f"no rule changes {what}, so it is always what it starts as"
        if written:
            message = f"rules set {what} only to what it starts as, so it never changes"
        hint = f"set it with `mark {sym.name} until …`" if sym.mark else "change it in a rule, or write its value"
        diagnostics.warning("variable-unchanged", message, sym.span, hint)


def _only_reset(facts: Facts, sym: VariableSym) -> bool:
    """Return whether every assignment stores the constant with which the variable starts."""
    values = facts.assigned[sym]
    if sym.mark or not all(value is not None and value.op == "const" for value in values):
        return False
    if sym.start is not None:
        return sym.start.op == "const" and all(value is not None and value.args == sym.start.args for value in values)
    t = sym.type
    first = -1 if isinstance(t, OptionalT) else min(max(t.low, 0), t.high) if isinstance(t, NumberT) else 0
    return not isinstance(t, BagT) and all(value is not None and value.args == (first,) for value in values)


# ---- attributes


def _attributes(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report attributes of kinds, types, resources and grids that no rule, count or start reads."""
    for sym in facts.checked.kinds.values():
        kind = sym.decl
        texts = [text for row in sym.definitions for text in (row.decl.count, row.decl.start)]
        placed = " ".join(text.text for text in (*texts, kind.start) if text is not None)
        for position, attribute in enumerate(kind.attributes):
            used = (sym, position) in facts.attributes or re.search(rf"\b{attribute.name}\b", placed)
            if sym.definitions and not used and not _tells_apart(sym, position):
                _unread(diagnostics, attribute.name, kind.name, attribute.span)
    ruleset = facts.checked.ruleset
    declared: list[TypeDecl | ResourceDecl | GridDecl] = [*ruleset.types, *ruleset.resources, *ruleset.grids]
    described = {t.name: t.attributes for t in declared}
    for type_ in facts.checked.types:
        for position, attribute in enumerate(described.get(type_.name, ())):
            if not attribute.board and (type_, position) not in facts.attributes:
                _unread(diagnostics, attribute.name, type_.name, attribute.span)


def _unread(diagnostics: Diagnostics, attribute: str, owner: str, span: Span) -> None:
    hint = "read it in a rule or a score line, or take it away"
    diagnostics.warning("attribute-unread", f"no rule reads `{attribute}` of a {owner}", span, hint)


def _tells_apart(kind: KindSym, position: int) -> bool:
    """Return whether a word is all that tells two rows apart: then it is there for people, such as the suit of a
    card."""
    if not isinstance(bare(list(kind.attributes.values())[position]), EnumT):
        return False
    rest = [[a for i, a in enumerate(d.attributes) if i != position] for d in kind.definitions]
    return any(all(core.same(x, y) for x, y in zip(a, b, strict=True)) for i, a in enumerate(rest) for b in rest[:i])


# ---- types


def _types(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report types that nothing uses, and kinds without rows."""
    per = [s.per for s in facts.checked.variables] + [s.per for s in facts.checked.zones]
    indices = {name for indices in per for t in indices for name in names_in(t)}
    domains = {domain.partition(":")[2] for domain in facts.domains}
    mentioned = facts.constants | {n for t in (*_written_types(facts), *facts.told) for n in names_in(t)}
    for sym in facts.checked.types:
        if sym.category == "option":
            continue
        if sym.name not in mentioned | indices | domains and sym not in facts.read:
            diagnostics.warning("type-unused", f"nothing uses the type `{sym.name}`", sym.span, "take it away")
    for kind in facts.checked.kinds.values():
        if not kind.definitions:
            message = f"there is no {kind.name}: `pieces` has no row of this kind"
            diagnostics.warning("kind-empty", message, kind.span, "add rows under `pieces`, or take it away")


def _written_types(facts: Facts) -> Iterator[Type]:
    """Yield the types of what is declared."""
    yield from (v.type for v in (*facts.checked.variables, *facts.checked.piece_variables))
    yield from (t for kind in facts.checked.kinds.values() for t in kind.attributes.values())
    yield from (t for sym in facts.checked.types for t in sym.attributes.values())
    yield from (
        sym.touching["cells"] for sym in facts.checked.types if sym.points
    )  # what lies around cells is of these
    for procedure in facts.checked.procedures:
        yield procedure.returns
        yield from (t for _, t in procedure.params)


# ---- local names


def _names(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report locals and parameters that nothing reads."""
    used = facts.locals | facts.bound
    for procedure in (p for p in facts.authored if p in facts.live):
        parameters = procedure.body.parameters
        for local in procedure.body.locals:
            if local.named and local not in used and local not in parameters and not _asks_presence(facts, local):
                message = f"nothing reads `{local.name}`"
                diagnostics.warning("name-unused", message, local.span, "use it, or do without the name")
        if isinstance(procedure.decl, ast.Rule | ast.Function):
            for local in parameters:
                if local.named and local not in used:
                    message = f"`{procedure.name}` makes no use of `{local.name}`"
                    hint = "use it, or take it away here and where the rule is called"
                    diagnostics.warning("name-unused", message, local.span, hint)
    for s in facts.statements:
        if isinstance(s, core.CChoose) and s.ask != "engine":
            for item in s.items:
                _binders(facts, diagnostics, item)


def _asks_presence(facts: Facts, local: core.Local) -> bool:
    """Return whether it is the name in `if some x = …` or `let x = … else …` of what nobody chose: that there is
    one may be all that matters."""
    sets = {s.local: s.value for s in facts.statements if isinstance(s, core.CSet)}
    value = sets.get(local)
    if value is None or value.op != "cast":
        return False
    while value is not None and value.op in ("cast", "local"):
        source = value.args[0]
        if isinstance(source, core.Local):
            local = source
        value = source if isinstance(source, core.CExpr) else sets.get(local)
    choices = (s for s in facts.statements if isinstance(s, core.CChoose))
    return all(local is not binder.local for s in choices for item in s.items for binder in item.binders)


def _binders(facts: Facts, diagnostics: Diagnostics, item: core.CItem) -> None:
    """Report what is chosen in a menu and makes no difference, unless choosing is all that the item is for."""
    for binder in item.binders:
        if item.body and binder.name != "this" and binder.local not in facts.locals:
            message = f"`{binder.name}` is chosen, but what `{item.name}` does is the same for each"
            diagnostics.warning("name-unused", message, item.span, "use it, or do not ask for it")


def names_in(t: Type) -> Iterator[str]:
    """Yield the declared types in a type."""
    match t:
        case EnumT(name=name) | PieceT(kind=name) | CellT(grid=name) | BagT(resource=name) | CostT(resource=name):
            yield name
        case OptionalT(inner=inside) | SetT(element=inside) | GroupT(element=inside):
            yield from names_in(inside)
