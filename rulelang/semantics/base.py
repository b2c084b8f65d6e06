"""What every part of the checker of a procedure stands on: scopes, messages, locals, making a value fit a type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from rulelang.diagnostics import Diagnostics, Span
from rulelang.semantics.core import Body, CExpr, CStatement, Local
from rulelang.semantics.symbols import (
    BUILTIN_NAMES,
    KIND_OF_SYMBOL,
    Checked,
    DefinitionSym,
    KindSym,
    LimitInfo,
    Names,
    OptionSym,
    ProcedureSym,
    TypeSym,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.types import (
    BOOL,
    ERROR,
    PLAYER,
    BagT,
    CellT,
    CostT,
    EmptyT,
    EnumT,
    ErrorT,
    GroupT,
    NoneT,
    NumberT,
    OptionalT,
    PieceT,
    SeatsT,
    SetT,
    Type,
    ZoneT,
    bare,
    fits,
)
from rulelang.syntax import ast

LIMIT_MAX = 1_000_000
T = TypeVar("T")
ONE_LINE = ("function", "quantity", "constant")
"""Procedures that are one expression: no statement can stand in them."""
TEST = "test it with `if some x = …:`"
HOW_MANY = "how many there are is written `count(…)`"
OTHERWISE = "give another value with `… otherwise …`"


@dataclass(frozen=True)
class CallEdge:
    """A call found while checking: caller, callee, and the `you` passed: `own` (the caller's), `given` or `none`."""

    caller: ProcedureSym
    callee: ProcedureSym
    you: str
    span: Span


@dataclass
class Shared:
    """What the checkers of all procedures of a ruleset share."""

    checked: Checked
    names: Names
    diagnostics: Diagnostics
    edges: list[CallEdge] = field(default_factory=list)
    phases: set[str] = field(default_factory=set)
    eliminates: bool = False
    broken: set[str] = field(default_factory=set)
    removed: dict[str, Span] = field(default_factory=dict)
    declared: list[tuple[ast.Declaration, tuple[DefinitionSym, ...]]] = field(default_factory=list)

    def copy(self) -> Shared:
        """The same to be added to, such as with the texts of scenarios: this one stays as it is."""
        return _with_own_containers(self, checked=_with_own_containers(self.checked))

    def limit(self, limit: ast.Limit | None, what: str) -> LimitInfo | None:
        """The hidden counter of a limit that was written."""
        if limit is None:
            return None
        number = len(self.checked.limits)
        counts = NumberT(0, LIMIT_MAX)
        variable = VariableSym(f"limit {number} {what}", counts, (PLAYER,), limit.span, "nobody", internal=True)
        info = LimitInfo(variable, limit.times, limit.scope)
        self.checked.variables.append(variable)
        self.checked.limits.append(info)
        return info

    def kind(self, name: str) -> KindSym:
        return self.checked.kinds[name]

    def type_sym(self, name: str) -> TypeSym | None:
        found = self.names.get(name)
        return found if isinstance(found, TypeSym) else None


def _with_own_containers(table: T, **changes: object) -> T:
    """A copy of a table whose lists, dictionaries and sets are its own."""
    new = copy(table)
    for name, value in {**vars(table), **changes}.items():
        setattr(new, name, copy(value) if isinstance(value, (list, dict, set)) else value)
    return new


def const(value: int, type: Type, span: Span) -> CExpr:
    """A constant of a scalar type."""
    return CExpr("const", type, (value,), span)


def number(value: int, span: Span) -> CExpr:
    """A constant number as an expression of the checked tree."""
    return const(value, NumberT(value, value), span)


def conjuncts(node: ast.Expr) -> list[ast.Expr]:
    """The parts of an `and`, so that a refusal can name the one that failed."""
    if isinstance(node, ast.Logic) and node.op == "and":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


def source_text(span: Span) -> str:
    """The author's own words at a place, on one line."""
    if span.source is None:
        return ""
    lines = list(span.source.lines[span.line - 1 : span.end_line])
    if not lines:
        return ""
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(part.strip() for part in lines)


def in_parentheses(span: Span) -> bool:
    """Whether parentheses stand directly around a place."""
    lines = span.source.lines if span.source is not None else ()
    before = "".join(lines[: span.line - 1]) + lines[span.line - 1][: span.column - 1] if lines else ""
    after = lines[span.end_line - 1][span.end_column - 1 :] + "".join(lines[span.end_line :]) if lines else ""
    return before.rstrip().endswith("(") and after.lstrip().startswith(")")


def declared_unseen(zone: ZoneSym) -> tuple[Span, str]:
    """The second place of a finding about a zone that nobody may look into."""
    return zone.span, f"`{zone.name}` is `visible: {zone.decl.visible}`"


class Base:
    """State of checking one procedure."""

    def __init__(self, shared: Shared, procedure: ProcedureSym) -> None:
        self.shared = shared
        self.checked = shared.checked
        self.names = shared.names
        self.procedure = procedure
        self.body: Body = procedure.body
        self.scopes: list[dict[str, Local]] = [{}]
        self.you: CExpr | None = None
        self.this: CExpr | None = None
        self.owner: CExpr | None = None
        self.it: CExpr | None = None
        self.prelude: list[CStatement] | None = None
        self.choice_name = "choice"
        self.constant = False
        self.doubtful: list[Local] = []  # may be absent, which has been said once of each
        self.lets: set[Local] = set()
        self.closed: dict[str, Span] = {}  # names of blocks that are over, and where they were given

    # ---- messages

    def error(
        self, code: str, message: str, span: Span, hint: str = "", related: Iterable[tuple[Span, str]] = ()
    ) -> CExpr:
        """Reports an error and gives an expression that fits everywhere."""
        self.procedure.faulty = True
        self.shared.diagnostics.error(code, message, span, hint, related)
        return CExpr("const", ERROR, (0,), span)

    def unclear(self, what: str, span: Span) -> CExpr:
        """`none` or `[]` where nothing says what it would be otherwise."""
        hint = "compare it, return it, or store it, where something else says the type"
        return self.error("type-unclear", f"nothing here says what {what} is a value of", span, hint)

    def warn(self, code: str, message: str, span: Span, hint: str = "") -> None:
        """Reports what harms nobody but was hardly meant."""
        self.shared.diagnostics.warning(code, message, span, hint)

    # ---- locals and scopes

    def new_local(self, name: str, type: Type, span: Span) -> Local:
        local = Local(name, type, span)
        self.body.locals.append(local)
        return local

    def declare(self, name: ast.Name, type: Type) -> Local:
        """A named local in the innermost scope. Hiding another name is an error."""
        self.refuse_hiding(name)
        local = self.new_local(name.text, type, name.span)
        local.named = True
        self.scopes[-1][name.text] = local
        return local

    def refuse_hiding(self, name: ast.Name) -> None:
        """A local may not hide another name."""
        hint = "choose another name"
        if name.text in BUILTIN_NAMES:
            self.error("name-reserved", f"`{name.text}` is a word of the language", name.span, hint)
        elif (local := self.find_local(name.text)) is not None:
            related = [(local.span, f"the first `{name.text}`")]
            self.error("name-duplicate", f"`{name.text}` is already a name here", name.span, hint, related)
        elif (symbol := self.names.get(name.text)) is not None:
            message = f"`{name.text}` already names something of the ruleset"
            related = [(symbol.span, f"the {KIND_OF_SYMBOL[type(symbol)]} `{name.text}`")]
            self.error("name-duplicate", message, name.span, hint, related)

    def find_local(self, name: str) -> Local | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    @contextmanager
    def scope(self) -> Iterator[None]:
        self.scopes.append({})
        try:
            yield
        finally:
            self.closed.update((local.name, local.span) for local in self.scopes.pop().values() if local.named)

    @contextmanager
    def element(self, local: Local) -> Iterator[None]:
        """`it` is this local inside; nothing may wait there."""
        old, old_prelude = self.it, self.prelude
        self.it, self.prelude = self.read(local), None
        try:
            yield
        finally:
            self.it, self.prelude = old, old_prelude

    @contextmanager
    def pure(self) -> Iterator[None]:
        """Nothing inside may wait or change anything."""
        old, self.prelude = self.prelude, None
        try:
            yield
        finally:
            self.prelude = old

    @contextmanager
    def acting(self, you: CExpr) -> Iterator[None]:
        old, self.you = self.you, you
        try:
            yield
        finally:
            self.you = old

    def read(self, local: Local, span: Span | None = None) -> CExpr:
        return CExpr("local", local.type, (local,), span or local.span)

    # ---- values and types

    def expr(self, node: ast.Expr, expect: Type | None = None) -> CExpr:
        """The typed expression for a node; `expect` helps literals that have no type of their own."""
        raise NotImplementedError

    def seat_here(self, span: Span, what: str) -> CExpr:
        if self.you is None:
            return self.error(
                "you-missing",
                f"{what} needs an acting seat, and there is none here",
                span,
                "say whose it is (`p.hand`), or put it inside `turn of p:` or `as p:`",
            )
        if self.body.parameters and self.you.args == (self.body.parameters[0],):
            self.procedure.uses_you = True
            self.procedure.wants_seat = self.procedure.wants_seat or (span, f"{what} needs it")
        return self.you

    def as_set(self, value: CExpr, what: str = "this") -> CExpr:
        """A collection as one value of set type: the pieces of a zone, the items of a group."""
        t = value.type
        if isinstance(t, ZoneT):
            return self.pieces_of(value)
        if isinstance(t, GroupT):
            return CExpr("group_items", SetT(t.element, 1), (value,), value.span)
        if isinstance(t, SetT | ErrorT):
            return value
        if isinstance(t, EmptyT):
            return self.unclear("`[]`", value.span)
        if isinstance(t, BagT):
            return CExpr("bag_kinds", SetT(EnumT(t.resource)), (value,), value.span)
        if isinstance(t, OptionalT):
            return self.error("value-absent", f"{what} may be absent", value.span, self.when_absent(value))
        return self.error("type-mismatch", f"{what} is a {t}, not a collection", value.span)

    def pieces_of(self, zone: CExpr) -> CExpr:
        """Reading the pieces of a zone makes unknown ones known, which is chance and may wait."""
        assert isinstance(zone.type, ZoneT)
        sym = zone.args[0] if zone.op == "zone" else None
        if isinstance(sym, ZoneSym) and sym.unseen and not self.procedure.sees_all:
            if self.prelude is None:
                return self.error(
                    "visibility-unseen",
                    f"nobody may have seen the pieces of `{sym.name}`, so they can't be read here",
                    zone.span,
                    "read them in a statement of a rule (`let cards = …`), or move them first; "
                    f"`count({sym.name})` is always known",
                    [declared_unseen(sym)],
                )
            self.prelude.append(self.expose_all(zone))
        elements = SetT(PieceT(zone.type.kind))
        return CExpr("pieces", elements, (zone,), zone.span)

    def when_absent(self, value: CExpr, hint: str = "") -> str:
        """What helps where a value may be absent: in one line no statement can test it; of a `let` its own line can."""
        if self.procedure.category in ONE_LINE:
            return OTHERWISE
        local = value.args[0] if value.op == "local" else None
        if isinstance(local, Local) and local.named and local in self.lets:
            return f"end its line with `else return` (`let {local.name} = … else return`), or {hint or TEST}"
        return hint or f"{TEST} first, or {OTHERWISE}"

    def expose_all(self, zone: CExpr) -> CStatement:
        raise NotImplementedError

    def fit(self, value: CExpr, target: Type, what: str) -> CExpr:
        """The value as the target type, or an error that says what was expected."""
        t = value.type
        if isinstance(t, ErrorT) or isinstance(target, ErrorT):
            return value
        if not fits(t, target):
            local = value.args[0] if value.op == "local" else None
            if local in self.doubtful:
                return CExpr("const", ERROR, (0,), value.span)
            if isinstance(local, Local) and isinstance(t, OptionalT):
                self.doubtful.append(local)
            if isinstance(t, OptionalT) and fits(t.inner, target):
                return self.error(
                    "value-absent",
                    f"{what} may be absent",
                    value.span,
                    self.when_absent(value, f"{TEST}, or {OTHERWISE}"),
                )
            hint = ""
            if isinstance(t, OptionalT):
                hint = "`… is not none` asks whether it is there; `if some x = …:` gives it a name"
            elif isinstance(t, SeatsT):
                hint = "there is one for each player: write `[p]` after it"
            elif isinstance(target, NumberT) and isinstance(t, ZoneT | SetT | BagT):
                hint = HOW_MANY
                if isinstance(t, SetT) and isinstance(t.element, NumberT):
                    hint = "`sum(…)` adds them up, `max(…)` is the highest; how many there are is written `count(…)`"
            elif target == BOOL:
                hint = self.as_condition(value)
            elif isinstance(target, BagT | CostT) and isinstance(t, EnumT) and t.name == target.resource:
                hint = "say how many: `1 …`"
            return self.error("type-mismatch", f"{what} must be a {target}, but this is a {t}", value.span, hint)
        inner = bare(target)
        if isinstance(t, NoneT):
            return CExpr("const", target, (-1,), value.span)
        if isinstance(t, EmptyT):
            return CExpr("list", target, (), value.span)
        if isinstance(t, ZoneT) and isinstance(inner, SetT):
            return self.pieces_of(value)
        if isinstance(t, GroupT) and isinstance(inner, SetT):
            return CExpr("group_items", target, (value,), value.span)
        if isinstance(t, BagT) and isinstance(inner, CostT):
            return CExpr("cost", target, (value,), value.span)
        return value

    def as_condition(self, value: CExpr) -> str:
        """What was probably meant by a value in the place of a condition."""
        if isinstance(value.type, ZoneT | SetT | BagT):
            return "write `… is not empty`, or compare `count(…)` with a number"
        if isinstance(value.type, NumberT):
            return "compare it with a number: `… > 0`"
        option = value.args[0] if value.op == "option" else None
        if isinstance(option, OptionSym) and {"yes", "no", "on", "off"} & {str(v) for v in option.option.values}:
            return f"declare the option as `{option.name}: {{type: bool, default: false}}`"
        return f"compare it: `… = {option.option.values[0]}`" if isinstance(option, OptionSym) else ""

    def value(self, node: ast.Expr, target: Type, what: str) -> CExpr:
        return self.fit(self.expr(node, target), target, what)

    def condition(self, node: ast.Expr, what: str = "a condition") -> CExpr:
        return self.value(node, BOOL, what)

    def seat(self, node: ast.Expr, what: str) -> CExpr:
        return self.value(node, PLAYER, what)

    def collection(self, node: ast.Expr, what: str = "this") -> CExpr:
        return self.as_set(self.expr(node), what)

    def element_type(self, collection: CExpr) -> Type:
        return collection.type.element if isinstance(collection.type, SetT) else ERROR

    def resource(self, t: Type) -> TypeSym | None:
        match bare(t):
            case BagT(resource=name) | CostT(resource=name) | EnumT(name=name):
                found = self.shared.type_sym(name)
                return found if found and found.category == "resource" else None
        return None

    def grid_of_kind(self, kind: str) -> str | None:
        """The one grid on which pieces of a kind stand, if there is exactly one."""
        grids = {t.grid for z in self.shared.kind(kind).zones for t in z.per if isinstance(t, CellT)}
        return next(iter(grids)) if len(grids) == 1 else None
