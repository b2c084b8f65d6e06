"""The face of a ruleset: what the texts of scenarios can ask of it, without places, bodies and figures of rows.

Enters: an analysed ruleset. Leaves: digests, equal for rulesets of which every scenario is judged alike. `READ` is the
list of all that checking a scenario reads; a test replaces the rest by what can't be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from rulelang.cache import digest_of
from rulelang.diagnostics import Span
from rulelang.ruleset.model import GameOption, Passage, PieceDecl, ZoneDecl
from rulelang.semantics.scenarios.patterns import forms_of
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Analysed
from rulelang.semantics.tree.symbols import (
    AutomatonSym,
    ClassSym,
    DefinitionSym,
    GroupInfo,
    KindSym,
    OfferInfo,
    OptionSym,
    ProcedureSym,
    ScoreInfo,
    TypeSym,
    ValueSym,
    VariableSym,
    ZoneSym,
)

READ: Mapping[type, tuple[str, ...]] = {
    TypeSym: (
        *("name", "category", "type", "values", "attributes", "between", "present", "sizes", "ordered"),
        *("points", "touching", "grid"),
    ),
    ValueSym: ("name", "type", "index"),
    ClassSym: ("name", "type", "members"),
    OptionSym: ("name", "type", "option"),
    AutomatonSym: ("name", "index", "players"),
    VariableSym: (
        *("name", "type", "per", "visible", "size", "kind", "mark", "internal"),
        *("each", "total", "limits", "capacity_indices", "beyond"),
    ),
    ZoneSym: ("name", "kind", "per", "decl", "capacity"),
    DefinitionSym: ("id", "kind", "index", "decl", "count"),
    KindSym: ("name", "identity", "attributes", "variables", "definitions", "active", "zones", "per_player"),
    GroupInfo: ("name", "params", "resource", "times"),
    OfferInfo: ("menu",),
    ScoreInfo: ("name",),
    ProcedureSym: (
        *("name", "category", "params", "returns", "depth", "levels", "uses_you", "hidden_you", "sees_all", "pure"),
    ),
    ZoneDecl: ("order", "visible", "size", "refill"),
    PieceDecl: ("per_player", "count"),
    GameOption: ("name", "kind", "values", "default", "players"),
    Passage: ("source", "first", "last", "kind"),
}
"""What a scenario can ask: by class the fields that belong to the face."""
_NAMED = (TypeSym, ValueSym, ClassSym, OptionSym, AutomatonSym, VariableSym, ZoneSym, KindSym, GroupInfo, ProcedureSym)


@dataclass(frozen=True)
class RulesetInterface:
    """What scenarios can ask of a ruleset.

    Attributes:
        core: a digest of all but procedures.
        procedures: name -> what it calls in a text, else the one procedure that has it. names: those that texts can
            call, each with its category.
    """

    core: str
    procedures: Mapping[str, ProcedureSym]
    names: frozenset[str]

    def of(self, names: Iterable[str]) -> str:
        """Return a digest of what procedures look like from outside; empty if one is not there."""
        symbols = [self.procedures.get(name) for name in names]
        return digest_of(*[_opened(symbol, set()) for symbol in symbols]) if all(symbols) else ""


def face_of(analysed: Analysed) -> RulesetInterface:
    """Return the face of a ruleset."""
    shared, checked = analysed.shared, analysed.checked
    ruleset = checked.ruleset
    tables = (
        *(checked.types, checked.kinds.values(), checked.zones, checked.variables, checked.piece_variables),
        *(checked.options, checked.automata, checked.groups.values(), checked.offers, checked.scores),
        *(kind.definitions for kind in checked.kinds.values()),
        (symbol for symbol in shared.names.values() if isinstance(symbol, ValueSym | ClassSym)),
        ruleset.rulebook,
    )
    core = (
        [
            (name, type(symbol).__name__)
            for name, symbol in shared.names.items()
            if not isinstance(symbol, ProcedureSym)
        ],
        *(
            checked.total is not None,
            checked.ranks is not None,
            checked.amounts is not None,
            checked.untils,
            sorted(shared.phases),
        ),
        *(shared.eliminates, ruleset.players, sorted(ruleset.sources)),
        (ruleset.notation.position and ruleset.notation.position.text, ruleset.notation.signs)
        if ruleset.notation
        else None,
        forms_of(checked, analysed.bodies, checked.procedures),
    )
    opened = [_opened(symbol, set()) for table in tables for symbol in table]
    known = Counter(procedure.name for procedure in checked.procedures)
    procedures = {procedure.name: procedure for procedure in checked.procedures if known[procedure.name] == 1}
    callable_ = {name: symbol for name, symbol in shared.names.items() if isinstance(symbol, ProcedureSym)}
    names = frozenset(f"{name}:{symbol.category}" for name, symbol in callable_.items())
    return RulesetInterface(digest_of(repr(core), *opened), procedures | callable_, names)


def _opened(symbol: Any, seen: set[ProcedureSym]) -> str:
    """Return what the face has of a symbol or declaration."""
    return repr((type(symbol).__name__, *[_said(getattr(symbol, name), seen) for name in READ[type(symbol)]]))


def _said(value: Any, seen: set[ProcedureSym]) -> Any:
    """Return a value without places, symbols as their names; figures and bodies where an expression reads them."""
    if isinstance(value, CExpr):
        more: Any = ()
        if value.op == "attr":
            more = [row.attributes[value.args[1]] for row in value.args[0].definitions]
        elif value.op in ("eattr", "gattr"):
            more = [*value.args[0].attribute_values.values()]
        elif value.op == "call" and value.args[0] not in seen:
            seen.add(value.args[0])
            more = value.args[0].body.statements
        return value.op, str(value.type), _said(value.args, seen), _said(more, seen)
    if isinstance(value, _NAMED):
        return type(value).__name__, value.name
    if isinstance(value, DefinitionSym):
        return value.kind, value.id
    if type(value) in READ:
        return _opened(value, seen)
    if isinstance(value, tuple | list):
        return [_said(part, seen) for part in value]
    if isinstance(value, dict):
        return [(_said(key, seen), _said(part, seen)) for key, part in value.items()]
    if isinstance(value, Span):
        return None
    if is_dataclass(value) and not isinstance(value, type):
        return type(value).__name__, [_said(getattr(value, field.name), seen) for field in fields(value)]
    return repr(value)
