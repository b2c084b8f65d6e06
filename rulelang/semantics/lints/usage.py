"""What is declared and then not used: options, variables, attributes, types and their values, local names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.model import GridDecl, ResourceDecl, TypeDecl
from rulelang.semantics import core
from rulelang.semantics.core import CExpr, Local
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.symbols import KindSym, TypeSym, VariableSym
from rulelang.semantics.types import BagT, CellT, CostT, EnumT, GroupT, NumberT, OptionalT, PieceT, SetT, Type, bare
from rulelang.syntax import ast


def lint_usage(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report options, variables, attributes, types and names that are declared and not used."""
    usage = _Usage(facts, diagnostics)
    usage.options()
    usage.variables()
    usage.attributes()
    usage.types()
    usage.names()


class _Usage:
    """Lints of declared things that no rule uses."""

    def __init__(self, facts: Facts, diagnostics: Diagnostics) -> None:
        self.facts = facts
        self.checked = facts.checked
        self.diagnostics = diagnostics

    def options(self) -> None:
        """Warn of options of the game that no rule reads."""
        for option in self.checked.options:
            if option not in self.facts.read:
                message = f"no rule reads the option `{option.name}`, so the game is the same whatever is chosen"
                hint = "read it by its name in a rule, a count or a capacity, or take it away"
                self.diagnostics.warning("option-unread", message, option.span, hint)

    def variables(self) -> None:
        for sym in (*self.checked.variables, *self.checked.piece_variables):
            if not sym.internal:
                self.variable(sym)

    def variable(self, sym: VariableSym) -> None:
        """Report a variable that nothing reads, or that no rule changes."""
        what = f"the mark `{sym.name}`" if sym.mark else f"the variable `{sym.name}`"
        read, written = sym in self.facts.read, sym in self.facts.written
        if not read:
            message = f"rules change {what}, but nothing reads it" if written else f"no rule reads or changes {what}"
            hint = "read it in a rule or a score line, or take it away"
            self.diagnostics.warning("variable-unread", message, sym.span, hint)
        elif (not written or self.only_reset(sym)) and sym.name not in {z.decl.beside for z in self.checked.zones}:
            message = f"no rule changes {what}, so it is always what it starts as"
            if written:
                message = f"rules set {what} only to what it starts as, so it never changes"
            hint = f"set it with `mark {sym.name} until …`" if sym.mark else "change it in a rule, or write its value"
            self.diagnostics.warning("variable-unchanged", message, sym.span, hint)

    def only_reset(self, sym: VariableSym) -> bool:
        """Return whether every assignment stores the constant with which the variable starts."""
        values = self.facts.assigned[sym]
        if sym.mark or not all(value is not None and value.op == "const" for value in values):
            return False
        if sym.start is not None:
            return sym.start.op == "const" and all(
                value is not None and value.args == sym.start.args for value in values
            )
        t = sym.type
        first = -1 if isinstance(t, OptionalT) else min(max(t.low, 0), t.high) if isinstance(t, NumberT) else 0
        return not isinstance(t, BagT) and all(value is not None and value.args == (first,) for value in values)

    # ---- attributes

    def attributes(self) -> None:
        """Report attributes of kinds, types, resources and grids that no rule, count or start reads."""
        for kind in self.checked.ruleset.kinds:
            sym = self.checked.kinds[kind.name]
            texts = [text for row in sym.definitions for text in (row.decl.count, row.decl.start)]
            placed = " ".join(text.text for text in (*texts, kind.start) if text is not None)
            for position, attribute in enumerate(kind.attributes):
                used = self.is_read(sym, position) or re.search(rf"\b{attribute.name}\b", placed)
                if sym.definitions and not used and not self.tells_apart(sym, position):
                    self.unread(attribute.name, kind.name, attribute.span)
        ruleset = self.checked.ruleset
        declared: list[TypeDecl | ResourceDecl | GridDecl] = [*ruleset.types, *ruleset.resources, *ruleset.grids]
        described = {t.name: t.attributes for t in declared}
        edges = {grid.edges.name for grid in ruleset.grids if grid.edges is not None}
        for type_ in self.checked.types:
            for position, attribute in enumerate(described.get(type_.name, ())):
                of_edges = attribute.name == "cells" and type_.name in edges
                if not of_edges and not self.is_read(type_, position):
                    self.unread(attribute.name, type_.name, attribute.span)

    def unread(self, attribute: str, owner: str, span: Span) -> None:
        hint = "read it in a rule or a score line, or take it away"
        self.diagnostics.warning("attribute-unread", f"no rule reads `{attribute}` of a {owner}", span, hint)

    def is_read(self, sym: KindSym | TypeSym, position: int) -> bool:
        return (sym, position) in self.facts.attributes

    def tells_apart(self, kind: KindSym, position: int) -> bool:
        """Return whether a word is all that tells two rows apart: then it is there for people, such as the suit of a
        card."""
        if not isinstance(bare(list(kind.attributes.values())[position]), EnumT):
            return False
        rest = [[a for i, a in enumerate(d.attributes) if i != position] for d in kind.definitions]
        return any(
            all(core.same(x, y) for x, y in zip(a, b, strict=True)) for i, a in enumerate(rest) for b in rest[:i]
        )

    # ---- types

    def types(self) -> None:
        """Report types that nothing uses, and kinds without rows."""
        per = [s.per for s in self.checked.variables] + [s.per for s in self.checked.zones]
        indices = {name for indices in per for t in indices for name in names_in(t)}
        domains = {domain.partition(":")[2] for domain in self.facts.domains}
        mentioned = self.facts.constants | {n for t in self.written_types() for n in names_in(t)}
        for sym in self.checked.types:
            if sym.category == "option":
                continue
            if sym.name not in mentioned | indices | domains and sym not in self.facts.read:
                self.diagnostics.warning("type-unused", f"nothing uses the type `{sym.name}`", sym.span, "take it away")
        for kind in self.checked.kinds.values():
            if not kind.definitions:
                message = f"there is no {kind.name}: `pieces` has no row of this kind"
                self.diagnostics.warning("kind-empty", message, kind.span, "add rows under `pieces`, or take it away")

    def written_types(self) -> Iterator[Type]:
        """Yield the types of what is declared."""
        yield from (v.type for v in (*self.checked.variables, *self.checked.piece_variables))
        yield from (t for kind in self.checked.kinds.values() for t in kind.attributes.values())
        yield from (t for sym in self.checked.types for t in sym.attributes.values())
        for procedure in self.checked.procedures:
            yield procedure.returns
            yield from (t for _, t in procedure.params)

    # ---- local names

    def names(self) -> None:
        """Report locals and parameters that nothing reads."""
        used = self.facts.locals | self.facts.bound
        for procedure in (p for p in self.facts.authored if p in self.facts.live):
            parameters = procedure.body.parameters
            for local in procedure.body.locals:
                if local.named and local not in used and local not in parameters and not self.asks_presence(local):
                    message = f"nothing reads `{local.name}`"
                    self.diagnostics.warning("name-unused", message, local.span, "use it, or do without the name")
            if isinstance(procedure.decl, ast.Rule | ast.Function):
                for local in parameters:
                    if local.named and local not in used:
                        message = f"`{procedure.name}` makes no use of `{local.name}`"
                        hint = "use it, or take it away here and where the rule is called"
                        self.diagnostics.warning("name-unused", message, local.span, hint)
        for s in self.facts.statements:
            if isinstance(s, core.CChoose) and s.ask != "engine":
                for item in s.items:
                    self.binders(item)

    def asks_presence(self, local: Local) -> bool:
        """Return whether it is the name in `if some x = …` or `let x = … else …` of what nobody chose: that there is
        one may be all that matters."""
        sets = {s.local: s.value for s in self.facts.statements if isinstance(s, core.CSet)}
        value = sets.get(local)
        if value is None or value.op != "cast":
            return False
        while value is not None and value.op in ("cast", "local"):
            source = value.args[0]
            if isinstance(source, Local):
                local = source
            value = source if isinstance(source, CExpr) else sets.get(local)
        choices = (s for s in self.facts.statements if isinstance(s, core.CChoose))
        return all(local is not binder.local for s in choices for item in s.items for binder in item.binders)

    def binders(self, item: core.CItem) -> None:
        """Report what is chosen in a menu and makes no difference, unless choosing is all that the item is for."""
        for binder in item.binders:
            if item.body and binder.name != "this" and binder.local not in self.facts.locals:
                message = f"`{binder.name}` is chosen, but what `{item.name}` does is the same for each"
                self.diagnostics.warning("name-unused", message, item.span, "use it, or do not ask for it")


def names_in(t: Type) -> Iterator[str]:
    """Yield the declared types in a type."""
    match t:
        case EnumT(name=name) | PieceT(kind=name) | CellT(grid=name) | BagT(resource=name) | CostT(resource=name):
            yield name
        case OptionalT(inner=inside) | SetT(element=inside) | GroupT(element=inside):
            yield from names_in(inside)
