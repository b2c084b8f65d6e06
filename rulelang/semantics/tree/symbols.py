"""The things a ruleset declares, one class each, and the one table of names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, dataclass_transform

from rulelang.diagnostics import Diagnostics, Span, suggest
from rulelang.geometry import Points
from rulelang.records import make_record
from rulelang.ruleset.model import (
    Cite,
    GameOption,
    KindDecl,
    MarkDecl,
    PieceDecl,
    PositionDecl,
    VariableDecl,
    WrittenRuleset,
    ZoneDecl,
)
from rulelang.semantics.tree.core import Body, CDo, CExpr, CRandom, Local, expressions
from rulelang.semantics.tree.types import NUMBER, PLAYER, BagT, EnumT, NumberT, PlayerT, PurseT, Type
from rulelang.semantics.tree.uses import Uses
from rulelang.syntax import ast
from rulelang.syntax.words import BUILTIN_NAMES, RESERVED, RESERVED_RULES, RESERVED_VALUES, reserved
from rulelang.vocabulary.views import ViewRule, view_of


def cite_texts(citations: Iterable[ast.Citation | Cite]) -> tuple[str, ...]:
    """Return citations of sources as written: `source:line` or `source:first-last`."""
    return tuple(f"{c.source}:{c.first}" + f"-{c.last}" * (c.last != c.first) for c in citations if c.source)


@dataclass_transform(eq_default=False)
class Declared:
    """What is known of something declared: a dataclass that equals only itself."""

    what: ClassVar[str]  # of what has a name: what it is called

    def __init_subclass__(cls, what: str = "") -> None:
        make_record(cls, frozen=False)
        cls.what = what


class TypeSym(Declared, what="type"):
    """A declared type.

    `category` is enum, resource, grid, between, kind or option; `values` are its names in order (cells for a grid);
    `present`: whether they are there, where that depends on options. `sizes` are columns and rows of a grid. `ordered`:
    the values are in order, the least first. Of what a board consists of: `points`, where each edge or corner lies;
    `touching`, by their names as attributes, the types of what touches a value. `grid`: the grid whose edges or corners
    these are.
    """

    name: str
    category: str
    type: Type
    span: Span
    values: tuple[str, ...] = ()
    attributes: dict[str, Type] = field(default_factory=dict)
    attribute_values: dict[str, list[CExpr]] = field(default_factory=dict)
    between: dict[int, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    present: list[CExpr] = field(default_factory=list)
    sizes: tuple[CExpr, ...] = ()
    ordered: bool = False
    points: tuple[Points, ...] = ()
    touching: dict[str, Type] = field(default_factory=dict)
    grid: str = ""

    def attribute(self, name: str) -> Type | None:
        """Return the type of an attribute, one of a board included; None if there is none of this name."""
        return self.attributes.get(name) or self.touching.get(name)


class ValueSym(Declared, what="value"):
    """A value of an enumerated type."""

    name: str
    type: Type
    index: int
    span: Span


class ClassSym(Declared, what="class of resources"):
    """A class of resources: a named set of values."""

    name: str
    type: EnumT
    members: tuple[int, ...]
    span: Span


class OptionSym(Declared, what="option"):
    """An option of the ruleset, fixed when a game starts."""

    name: str
    type: Type
    option: GameOption
    span: Span


class AutomatonSym(Declared, what="automaton"):
    """`players`: with how many players it is in the game."""

    name: str
    index: int
    players: tuple[int, ...]
    span: Span


@dataclass(eq=False)
class SightCondition:
    """The condition under which a zone or variable is seen: `you` looks, `owner` (None of nobody's) has it."""

    condition: CExpr
    you: Local
    owner: Local | None

    @property
    def ways(self) -> list[CExpr]:
        """The conditions of which one is enough."""
        ways, waiting = list[CExpr](), [self.condition]
        while waiting:
            part = waiting.pop()
            if part.op == "or":
                waiting += expressions(part.args)[::-1]
            else:
                ways.append(part)
        return ways

    def is_owner(self, way: CExpr) -> bool:
        """Return whether a condition says that whoever looks is the owner."""
        sides = [part.args[0] for part in expressions(way.args) if part.op == "local"] if way.op == "eq" else []
        return self.owner is not None and set(sides) == {self.you, self.owner}


class VariableSym(Declared, what="variable"):
    """A variable or mark. `per` are its index types (a player first); `kind` names the kind whose pieces carry it."""

    name: str
    type: Type
    per: tuple[Type, ...]
    span: Span
    visible: str
    decl: VariableDecl | MarkDecl | None = None
    kind: str = ""
    mark: bool = False
    internal: bool = False
    start: CExpr | None = None
    start_indices: tuple[Local, ...] = ()
    each: CExpr | None = None
    total: CExpr | None = None
    limits: dict[int, CExpr] = field(default_factory=dict)
    capacity_indices: tuple[Local, ...] = ()
    sight: SightCondition | None = None

    @property
    def beyond(self) -> str:
        """What becomes of what finds no room: `error`, `lost` or `choose`."""
        declared = self.decl.beyond if isinstance(self.decl, VariableDecl) else ""
        return declared or ("error" if not isinstance(self.type, BagT) else "choose" if self.total else "lost")

    @property
    def size(self) -> str:
        """Who may count what a bag holds; empty for what `visible` says."""
        return self.decl.size if isinstance(self.decl, VariableDecl) else ""

    @property
    def owned(self) -> bool:
        """Whether there is one for each player."""
        return self.per[:1] == (PLAYER,)

    @property
    def view(self) -> ViewRule:
        """Who sees it."""
        return view_of(self.visible, self.size)


class PositionSym(Declared, what="position"):
    """What can be compared with how it was: `zones`, `variables` and `values` (procedures; None for who acts), which
    all see. `memory` is the hidden variable that keeps what was written down, `highest` the most that one can be
    counted, `unseen` what of it not all see."""

    name: str
    span: Span
    decl: PositionDecl
    memory: VariableSym
    highest: int
    zones: list[ZoneSym] = field(default_factory=list)
    variables: list[VariableSym] = field(default_factory=list)
    values: list[ProcedureSym | None] = field(default_factory=list)
    unseen: str = ""


class ZoneSym(Declared, what="zone"):
    """A zone, one instance for each value of `per`."""

    name: str
    kind: str
    per: tuple[Type, ...]
    span: Span
    decl: ZoneDecl
    capacity: CExpr | None = None
    sight: SightCondition | None = None

    @property
    def owned(self) -> bool:
        """Whether there is one for each player."""
        return self.per[:1] == (PLAYER,)

    @property
    def visible(self) -> str:
        """Who sees the pieces that lie here."""
        return self.decl.visible

    @property
    def unseen(self) -> bool:
        """Whether pieces can lie here that no seat has seen."""
        return self.view.unseen

    @property
    def view(self) -> ViewRule:
        """Who sees what lies here."""
        return view_of(self.visible, self.decl.size)


class DefinitionSym(Declared):
    """A row of `pieces`."""

    id: str
    kind: str
    index: int
    decl: PieceDecl
    count: CExpr | None = None
    start: CExpr | None = None
    start_seat: Local | None = None
    attributes: list[CExpr] = field(default_factory=list)


class KindSym(Declared, what="kind"):
    """A kind of piece with all pieces declared of it."""

    name: str
    span: Span
    identity: bool
    decl: KindDecl
    attributes: dict[str, Type] = field(default_factory=dict)
    variables: dict[str, VariableSym] = field(default_factory=dict)
    definitions: list[DefinitionSym] = field(default_factory=list)
    active: list[ZoneSym] = field(default_factory=list)
    zones: list[ZoneSym] = field(default_factory=list)

    @property
    def per_player(self) -> bool:
        """Whether every piece belongs to a seat by declaration."""
        return bool(self.definitions) and all(d.decl.per_player for d in self.definitions)

    def attribute(self, name: str) -> Type | None:
        """Return the type of an attribute; None if there is none of this name."""
        return self.attributes.get(name)

    def definition(self, id: str) -> DefinitionSym | None:
        """Return the row with this id, or None."""
        return next((d for d in self.definitions if d.id == id), None)


class ProcedureSym(Declared, what="rule"):
    """A rule, function, quantity, event or ability, or one made by the checker (a handler, a score line).

    `params` are the declared ones; every procedure but `setup` and `play` has a hidden first parameter `you`. `body` is
    what the author wrote, empty where there is nothing but what the engine does (see `Bodies`). `faulty`: an error was
    found in its body, so that what follows from the body is unsure. `piece` is the row whose rule text it is, or empty.
    `depth`: how deep it may call itself at most, 0 for not at all; `levels` is how deep in a game.
    `wants_seat`: the first word in it, or in what it calls, that needs an acting seat. `sees_all`: it is nobody's view,
    and may read pieces that nobody has seen (a condition of a test).
    """

    name: str
    category: str
    params: tuple[tuple[str, Type], ...]
    returns: Type
    span: Span
    decl: ast.Declaration | None = None
    citations: tuple[str, ...] = ()
    depth: int = 0
    body: Body = field(default_factory=Body)
    uses_you: bool = False
    wants_seat: tuple[Span, str] | None = None
    hidden_you: bool = True
    faulty: bool = False
    piece: str = ""
    sees_all: bool = False
    levels: CExpr | None = None

    @property
    def pure(self) -> bool:
        """Whether it only gives a value, and so may stand in any expression."""
        return self.category in ("function", "quantity") or isinstance(self.decl, ast.AbilityValue)


class HandlerInfo(Declared):
    """A reaction: in force for each active piece of `definitions` (empty: always).

    `guard` is a procedure of (you, this, owner, params). `optional`: the owner is asked.
    """

    timing: str
    number: int
    definitions: tuple[DefinitionSym, ...]
    guard: ProcedureSym | None
    body: ProcedureSym
    limit: LimitInfo | None
    span: Span
    optional: bool


class LimitInfo(Declared):
    """A hidden counter: `variable` counts uses by a party in `scope`, at most `times` (for each active copy)."""

    variable: VariableSym
    times: int
    scope: str

    @property
    def words(self) -> str:
        """The author's words for a refusal."""
        return f"{'once' if self.times == 1 else f'{self.times} times'} per {self.scope}"

    def used(self, seat: CExpr, span: Span) -> CExpr:
        """Return the expression of how often a seat has used what is limited in the present scope."""
        return CExpr("var", NUMBER, (self.variable, seat), span)

    def count(self, seat: CExpr, span: Span) -> CDo:
        """Return the statement that counts one use by a seat."""
        more = CExpr("add", NUMBER, (self.used(seat, span), CExpr("const", NumberT(1, 1), (1,), span)), span)
        return CDo(span, "set_var", (self.variable, more, seat))


class EventInfo(Declared):
    """`procedure` is what callers call; `body` is what the author wrote.

    `proceeding`: what a replacement replaces, where one of them may let it proceed. `level` counts how many
    of it are in each other, where somebody is asked in an event with a depth. `lets` are functions of its parameters,
    `by` the number of that which orders what replaces it, or -1.
    """

    procedure: ProcedureSym
    body: ProcedureSym | None = None
    proceeding: ProcedureSym | None = None
    level: VariableSym | None = None
    handlers: list[HandlerInfo] = field(default_factory=list)
    lets: list[ProcedureSym] = field(default_factory=list)
    by: int = -1

    @property
    def params(self) -> tuple[tuple[str, Type], ...]:
        """What its body and its handlers are given: its parameters, then what `let` names, as it was when it arose."""
        return (*self.procedure.params, *((let.name, let.returns) for let in self.lets))


class ModifierInfo(Declared):
    """A change of a quantity, in force for each active piece of `definitions` (empty: always)."""

    layer: str
    priority: int
    definitions: tuple[DefinitionSym, ...]
    value: ProcedureSym
    guard: ProcedureSym | None
    span: Span


class QuantityInfo(Declared):
    """`procedure` is what callers call; `base` is what the author wrote."""

    procedure: ProcedureSym
    base: ProcedureSym | None = None
    modifiers: list[ModifierInfo] = field(default_factory=list)


class ImplementInfo(Declared):
    """What an ability does for the pieces of `definitions`."""

    definitions: tuple[DefinitionSym, ...]
    body: ProcedureSym


class AbilityInfo(Declared):
    """An ability: `default` runs for pieces that do not implement it."""

    procedure: ProcedureSym
    kind: str
    default: ProcedureSym
    implementations: list[ImplementInfo] = field(default_factory=list)


class ExchangeInfo(Declared):
    """`cost` and `gain` are procedures of the group's parameters (and `you`)."""

    name: str
    definitions: tuple[DefinitionSym, ...]
    guard: ProcedureSym | None
    cost: ProcedureSym
    gain: ProcedureSym
    limit: LimitInfo | None
    span: Span
    citations: tuple[str, ...] = ()
    alternatives: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)


class PurseInfo(Declared):
    """What a group of exchanges is paid from; gains go to the first one, a variable. `body` has the locals: the
    parameters of the group, and what the expression binds."""

    body: Body
    purses: CExpr


class Effect(NamedTuple):
    """What changes an event, a quantity, an ability or a trade: for which pieces, where, called what, by which
    procedures."""

    definitions: tuple[DefinitionSym, ...]
    span: Span
    name: str
    procedures: tuple[ProcedureSym | None, ...]


class GroupInfo(Declared, what="group of exchanges"):
    """A group of exchanges. `times`, a function of its parameters, says how many may be made in one trade."""

    name: str
    params: tuple[tuple[str, Type], ...]
    span: Span
    decl: ast.ExchangeGroup
    trade: ProcedureSym
    purse: PurseInfo | None = None
    times: ProcedureSym | None = None
    exchanges: list[ExchangeInfo] = field(default_factory=list)

    @property
    def resource(self) -> str:
        """The resource type that is paid; empty where the purse is at fault."""
        t = self.purse.purses.type if self.purse is not None else None
        return t.resource if isinstance(t, PurseT) else ""


class OfferInfo(Declared):
    """Items that pieces of `definitions` add to the menu `menu`."""

    menu: str
    definitions: tuple[DefinitionSym, ...]
    decl: ast.Offer
    used: bool = False


class ScoreInfo(Declared):
    """A line of the score sheet, of the ruleset or of one piece."""

    name: str
    procedure: ProcedureSym
    definition: DefinitionSym | None = None


class RankingInfo(Declared):
    """A rule of `winner` or `tie`: `most`, `fewest` or `shared`, by a procedure of the party."""

    ranking: str
    procedure: ProcedureSym | None


Symbol = (
    TypeSym
    | ValueSym
    | ClassSym
    | OptionSym
    | AutomatonSym
    | VariableSym
    | PositionSym
    | ZoneSym
    | ProcedureSym
    | GroupInfo
    | KindSym
)


def reserved_for(symbol: Symbol) -> frozenset[str]:
    """Return the words that may not name a symbol of this class."""
    if isinstance(symbol, ValueSym):
        return RESERVED_VALUES
    return RESERVED_RULES if isinstance(symbol, ProcedureSym) and not symbol.pure else RESERVED


class SymbolTable:
    """The symbol table: the one space of names of a ruleset."""

    def __init__(self, diagnostics: Diagnostics, uses: Uses | None = None) -> None:
        self._symbols: dict[str, Symbol] = {}
        self._diagnostics = diagnostics
        self.refused: set[str] = set()
        self.uses = uses

    def declare(self, name: str, symbol: Symbol, span: Span, words: frozenset[str] = frozenset()) -> None:
        """Add a name; a second meaning of a name is an error that shows both places, and so is a word of the language
        (`words`, or what no name of this sort can be)."""
        if name in BUILTIN_NAMES:
            self.refuse(name, span)
            return
        if name in (words or reserved_for(symbol)):
            self.refuse(name, span)
        if name == "seat" and isinstance(symbol, VariableSym | ZoneSym) and PlayerT() in symbol.per:
            self._diagnostics.error("name-reserved", "`seat` of a player is its number", span, "choose another name")
            return
        old = self._symbols.get(name)
        if old is not None:
            what = old.what
            message = f"`{name}` already names a {what} ({old.span.path}:{old.span.line})"
            related = [(old.span, f"the {what} `{name}`")]
            self._diagnostics.error("name-duplicate", message, span, "give one of them another name", related)
            return
        self._symbols[name] = symbol
        self.note(span, symbol, declares=True)

    def refuse(self, name: str, span: Span) -> None:
        """Report a name that is reserved by the language."""
        self.refused.add(name)
        self._diagnostics.error("name-reserved", *reserved(name, span))

    def get(self, name: str, span: Span | None = None) -> Symbol | None:
        """Return the symbol of a name, or None; `span`: where it is used."""
        symbol = self._symbols.get(name)
        if span is not None and symbol is not None:
            self.note(span, symbol)
        return symbol

    def note(self, span: Span, named: object, declares: bool = False) -> None:
        """Note where a name stands, if somebody asks for that."""
        if self.uses is not None:
            self.uses.note(span, named, declares)

    def suggest(self, name: str, more: Iterable[str] = ()) -> str:
        """Return a hint with the declared or built-in name nearest to `name`, or an empty text; `more`: further
        candidates."""
        return suggest(name, (known for known in (*self._symbols, *BUILTIN_NAMES, *more) if known != name))

    def values(self) -> Iterable[Symbol]:
        """Return all declared symbols in order of declaration."""
        return self._symbols.values()

    def items(self) -> Iterable[tuple[str, Symbol]]:
        """Return all names with their symbols in order of declaration."""
        return self._symbols.items()


class Checked(Declared):
    """The checked ruleset: what the compiler lowers."""

    ruleset: WrittenRuleset
    types: list[TypeSym] = field(default_factory=list)
    kinds: dict[str, KindSym] = field(default_factory=dict)
    zones: list[ZoneSym] = field(default_factory=list)
    variables: list[VariableSym] = field(default_factory=list)
    piece_variables: list[VariableSym] = field(default_factory=list)
    options: list[OptionSym] = field(default_factory=list)
    automata: list[AutomatonSym] = field(default_factory=list)
    setup: ProcedureSym | None = None
    play: ProcedureSym | None = None
    procedures: list[ProcedureSym] = field(default_factory=list)
    events: dict[str, EventInfo] = field(default_factory=dict)
    quantities: dict[str, QuantityInfo] = field(default_factory=dict)
    abilities: dict[str, AbilityInfo] = field(default_factory=dict)
    groups: dict[str, GroupInfo] = field(default_factory=dict)
    offers: list[OfferInfo] = field(default_factory=list)
    limits: list[LimitInfo] = field(default_factory=list)
    scores: list[ScoreInfo] = field(default_factory=list)
    total: ProcedureSym | None = None  # the sum of a party's score lines, where a rule asks for it
    ranks: tuple[ProcedureSym, ProcedureSym] | None = None  # what parties are ordered by, and their rank, likewise
    winner: RankingInfo | None = None
    ties: list[RankingInfo] = field(default_factory=list)
    payoff: ProcedureSym | None = None
    payoff_parts: int = 1  # what it gives are so many parts of one
    amounts: VariableSym | None = None  # what each party gets by the end of the game that came, where one says it
    untils: list[str] = field(default_factory=list)
    positions: list[PositionSym] = field(default_factory=list)

    def row_citations(self, definitions: tuple[DefinitionSym, ...]) -> tuple[str, ...]:
        """Return the citations of a piece's row, else those of its kind, for rule text that cites nothing itself."""
        if not definitions:
            return ()
        return cite_texts(definitions[0].decl.cites or self.kinds[definitions[0].kind].decl.cites)

    def effects(self) -> Iterator[tuple[ProcedureSym, list[Effect]]]:
        """Yield each event, quantity, ability and trade with what changes it beside its own declaration."""
        for e in self.events.values():
            yield e.procedure, [Effect(h.definitions, h.span, h.timing, (h.guard, h.body)) for h in e.handlers]
        for q in self.quantities.values():
            yield q.procedure, [Effect(m.definitions, m.span, m.layer, (m.guard, m.value)) for m in q.modifiers]
        for a in self.abilities.values():
            yield a.procedure, [Effect(i.definitions, i.body.span, "on", (i.body,)) for i in a.implementations]
        for g in self.groups.values():
            yield g.trade, [Effect(e.definitions, e.span, e.name, (e.guard, e.cost, e.gain)) for e in g.exchanges]


class Bodies(dict[ProcedureSym, Body]):
    """The bodies of all procedures: of events, quantities, abilities and trades those that the compiler makes of what
    was declared of them, of any other the one that the author wrote, which it has itself."""

    def __missing__(self, procedure: ProcedureSym) -> Body:
        return procedure.body


@dataclass(frozen=True)
class Seers:
    """Who is told something: the seats that are the values of expressions, or all but those."""

    but: bool
    seats: tuple[CExpr, ...]


@dataclass
class Secrets:
    """What may not be told: parts of conditions in a refusal (`values`), in a question, arguments of the rule
    that asks it (`arguments`), and outcomes of chance to others than `seers`, where those are not all."""

    values: set[CExpr] = field(default_factory=set)
    arguments: set[Local] = field(default_factory=set)
    seers: dict[CRandom, Seers] = field(default_factory=dict)
