"""The context in which a procedure is checked, and the tables of what checks each class of nodes.

Enters: a `ProcedureSym` whose body is empty. Leaves: its locals, and for each node the checked tree; the modules named
for a subject (places, choices, payments, …) register the functions that make it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rulelang.diagnostics import Span, enumerated
from rulelang.registry import registering
from rulelang.semantics.analysis.least import set_of
from rulelang.semantics.analysis.nonempty import is_filled, is_present, refuted, unaffected
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import (
    CCall,
    CExpose,
    CExpr,
    CIf,
    CStatement,
    Local,
    conjunction,
    expressions,
    own_expressions,
    subexpressions,
)
from rulelang.semantics.tree.shared import Shared, const, declared_visible, never_within, source_text, zone_symbol
from rulelang.semantics.tree.symbols import EventInfo, OptionSym, ProcedureSym
from rulelang.semantics.typing.asked import known_after, known_of_element
from rulelang.syntax import ast
from rulelang.syntax.phrases import meant
from rulelang.syntax.words import BUILTIN_NAMES

LITERALS: dict[type[ast.Expr], Callable[[Context, Any, ty.Type | None], CExpr]] = {}
"""Class of expressions whose type depends on the one that is expected -> what checks them."""
EXPRESSIONS: dict[type[ast.Expr], Callable[[Context, Any], CExpr]] = {}
"""Any other class of expressions -> what checks them."""
STATEMENTS: dict[type[ast.Statement], Callable[[Context, Any], None]] = {}
"""Class of statements -> what checks them and appends what they come to."""
literal, expression, statement = registering(LITERALS), registering(EXPRESSIONS), registering(STATEMENTS)

GIVING = frozenset((ast.Let, ast.If, ast.For, ast.Stop, ast.AsBlock, ast.Return, ast.Pass, ast.Never))
"""Statements that change nothing and never wait: what a block that gives a value consists of."""
ONE_LINE = ("function", "quantity", "constant")
"""Procedures that are one expression, unless a block gives their value."""
TEST = "test it with `if some x = …:`"
UNKNOWN = re.compile(r"\b(?:a|an|of) \?(?= |,|$)")
"""A type with an error in it, as messages call it."""
HOW_MANY = "how many there are is written `count(…)`"
OTHERWISE = "give another value with `… otherwise …`"


@dataclass(frozen=True)
class Replaced:
    """What a handler replaces and may let proceed: the event, the parameters that the handler names; `proceeded` keeps
    whether it did. `number`: of the handler among those of the event; `of_piece`: whether it is a piece's."""

    event: EventInfo
    named: tuple[int, ...]
    proceeded: Local
    number: int
    of_piece: bool


class Context:
    """Where a node of a procedure stands: locals in layers, what `you` and `it` are, where statements go.

    Nothing may wait or change anything without a `prelude`: the statements that come before the node's own. `constant`:
    all must be known before the game starts.
    """

    def __init__(self, shared: Shared, procedure: ProcedureSym, constant: bool = False) -> None:
        """Begin the context of a procedure; `constant`: of a value that is known before the game."""
        self.shared = shared
        self.checked = shared.checked
        self.names = shared.names
        self.procedure = procedure
        self.constant = constant
        self.body = procedure.body
        self.layers: list[dict[str, Local]] = [{}]
        self.closed: dict[str, Span] = {}  # names of blocks that are over, and where they were given
        self.lets: set[Local] = set()
        self.doubtful: list[Local] = []  # may be absent, which has been said once of each
        self.you: CExpr | None = None
        self.this: CExpr | None = None
        self.owner: CExpr | None = None
        self.it: CExpr | None = None
        self.replaced: Replaced | None = None
        self.prelude: list[CStatement] | None = None
        self.only_gives = False  # in a block that gives a value: its statements change nothing and never wait
        self.choice_name = "choice"
        self.affordable: list[CExpr] = []  # what a guard says can be paid, each for one payment
        self.facts: list[CExpr] = []  # conditions that hold here
        self.known_before: list[CExpr] = []  # those that held where the present statement began
        self.relied: list[tuple[CExpr, CExpr]] = []  # what is taken to be there, and as what it stands in an expression
        self.outdated: list[CExpr] = []  # what a call may have changed before it is read
        self.labels = 0
        self.loops: list[tuple[str, int]] = []  # the label of each loop around, and how many turns were open before it
        self.open: list[tuple[CStatement, ...]] = []  # how turns, rounds and phases end
        self.row: dict[Local, CExpr] = {}  # the attributes of the row that a constant stands in

    # ---- nodes

    def expr(self, node: ast.Expr, expect: ty.Type | None = None) -> CExpr:
        """Return the typed expression for a node; `expect` helps literals that have no type of their own."""
        return self.narrowed(self.maybe(node, expect))

    def narrowed(self, value: CExpr) -> CExpr:
        """Return the value, as one that is there if something that holds here says so."""
        if not isinstance(value.type, ty.OptionalT) or not is_present(self.facts, value):
            return value
        return self._relying(value, as_there(value))

    def _relying(self, value: CExpr, there: CExpr) -> CExpr:
        """Note that an expression takes a value to be there until what it stands in is emitted."""
        if self.prelude is not None or is_present(self.known_before, value) or is_filled(self.known_before, value):
            self.relied.append((value, there))
        return there

    def maybe(self, node: ast.Expr, expect: ty.Type | None = None) -> CExpr:
        """Return the expression for a node whose presence is asked: still one that may be absent, whatever holds
        here."""
        check = EXPRESSIONS.get(type(node))
        return check(self, node) if check is not None else LITERALS[type(node)](self, node, expect)

    def block(self, node: ast.Block) -> tuple[CStatement, ...]:
        with self.nested(), self.within(facts=self.facts):
            return self.statements(node.statements)

    def statements(self, nodes: Iterable[ast.Statement]) -> tuple[CStatement, ...]:
        """Check statements one after the other; return those that they become."""
        with self.collect() as out, self.within(known_before=[], relied=[], outdated=[]):
            for node in nodes:
                self.choice_name = "choice"
                self.known_before, self.relied, self.outdated = self.facts, [], []
                if self.only_gives and type(node) not in GIVING:
                    self.error("function-statement", *_does_something(self.procedure, node))
                else:
                    STATEMENTS[type(node)](self, node)
                for there in self.outdated[:1]:
                    message = "this is there now, and a rule that is called before it is read may change that"
                    self.error("value-absent", message, there.span, "call the rule in a line of its own: `let x = …`")
        return tuple(out)

    @property
    def waits(self) -> bool:
        """Whether something may change or wait here, in statements before the node's own."""
        return self.prelude is not None and not self.only_gives

    @contextmanager
    def within(self, **state: Any) -> Iterator[None]:
        """Give attributes of the context other values for the duration of the block."""
        old = {name: getattr(self, name) for name in state}
        vars(self).update(state)
        try:
            yield
        finally:
            vars(self).update(old)

    @contextmanager
    def collect(self) -> Iterator[list[CStatement]]:
        """Collect the statements emitted within the block in a list of their own."""
        out: list[CStatement] = []
        with self.within(prelude=out):
            yield out

    @contextmanager
    def element(self, local: Local, collection: CExpr | None = None, name: str = "") -> Iterator[None]:
        """`it`, and the name if there is one, is this local inside, an element of a collection; nothing may wait
        there."""
        known = known_of_element(self, local, collection) if collection is not None else []
        with self.nested(), self.within(it=self.read(local), prelude=None, facts=[*self.facts, *known]):
            if name:
                self.layers[-1][name] = local
            yield

    def pure(self) -> AbstractContextManager[None]:
        """Forbid expressions within the block to wait or to change anything."""
        return self.within(prelude=None)

    def payable(self, guards: Sequence[CExpr] = ()) -> AbstractContextManager[None]:
        """Assume `guards` for the duration of the block: what they say can be paid may be paid, once, without
        `else`."""
        affordable = [*self.affordable, *(g for g in guards if g.op == "can_pay")]
        return self.within(affordable=affordable, facts=[*self.facts, *guards])

    def holding(self, *conditions: CExpr) -> AbstractContextManager[None]:
        """Return the context in which these conditions hold."""
        return self.within(facts=[*self.facts, *(part for whole in conditions for part in conjunction(whole))])

    def emit(self, *statements: CStatement) -> None:
        assert self.prelude is not None
        self.prelude += statements
        read = [part for s in statements for e in own_expressions(s) for part in subexpressions(e)]
        self.relied = [entry for entry in self.relied if all(entry[1] is not part for part in read)]
        self.facts = unaffected(self.facts, statements)
        if any(isinstance(s, CCall) for s in statements):
            holds = (is_present, is_filled)
            self.outdated += [there for value, there in self.relied if not any(h(self.facts, value) for h in holds)]
        self.facts = [*self.facts, *(fact for s in statements for fact in known_after(self, s))]

    def label(self, what: str) -> str:
        """Return a label that nothing else in the procedure has."""
        self.labels += 1
        return f"{what}{self.labels}"

    # ---- messages

    def error(
        self, code: str, message: str, span: Span, hint: str = "", related: Iterable[tuple[Span, str]] = ()
    ) -> CExpr:
        """Report an error and return an expression that fits everywhere."""
        self.procedure.faulty = True
        if UNKNOWN.search(message):  # what is of a type that has an error: that was said
            return const(0, ty.ERROR, span)
        told = meant(code, span, self.shared.diagnostics.names)
        if told is not None:
            message, hint = told.message or message, told.hint
            hint = self.shared.diagnostics.names.told(hint)
            if any(d.hint == hint and d.span.line == span.line for d in self.shared.diagnostics):
                return const(0, ty.ERROR, span)  # the other end of the same phrase
        self.shared.diagnostics.error(code, message, span, hint, related)
        return const(0, ty.ERROR, span)

    def unclear(self, what: str, span: Span) -> CExpr:
        """`none` or `[]` where nothing says what it would be otherwise."""
        hint = "return it or store it where something else says the type"
        return self.error("type-unclear", f"nothing here says what {what} is a value of", span, hint)

    def warn(self, code: str, message: str, span: Span, hint: str = "") -> None:
        """Report what harms nobody but was hardly meant."""
        self.shared.diagnostics.warning(code, message, span, hint)

    # ---- locals

    def new_local(self, name: str, type: ty.Type, span: Span) -> Local:
        local = Local(name, type, span)
        self.body.locals.append(local)
        return local

    def declare(self, name: ast.Name, type: ty.Type) -> Local:
        """Return a named local in the innermost layer. Hiding another name is an error."""
        before = len(self.shared.diagnostics)
        self.refuse_hiding(name)
        refused = len(self.shared.diagnostics) > before
        local = self.new_local(name.text, ty.ERROR if refused else type, name.span)
        local.named = True
        self.layers[-1][name.text] = local
        self.names.note(name.span, local, declares=True)
        return local

    def refuse_hiding(self, name: ast.Name) -> None:
        """Report a local that hides another name."""
        hint = "choose another name"
        if name.text in BUILTIN_NAMES:
            self.error("name-reserved", f"`{name.text}` is a word of the language", name.span, hint)
        elif (local := self.find_local(name.text)) is not None:
            related = [(local.span, f"the first `{name.text}`")]
            self.error("name-duplicate", f"`{name.text}` is already a name here", name.span, hint, related)
        elif (symbol := self.names.get(name.text)) is not None:
            message = f"`{name.text}` already names something of the ruleset"
            self.error("name-duplicate", message, name.span, hint, [(symbol.span, f"the {symbol.what} `{name.text}`")])

    def find_local(self, name: str) -> Local | None:
        return next((layer[name] for layer in reversed(self.layers) if name in layer), None)

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Open a layer of locals; at its end their names go to `closed`, for findings about names used too late."""
        self.layers.append({})
        try:
            yield
        finally:
            self.closed.update((local.name, local.span) for local in self.layers.pop().values() if local.named)

    def read(self, local: Local, span: Span | None = None) -> CExpr:
        return CExpr("local", local.type, (local,), span or local.span)

    @property
    def is_scenario(self) -> bool:
        """Whether a text of a scenario is checked."""
        return self.procedure.name.startswith("scenario ")

    # ---- values and types

    def seat_here(self, span: Span, what: str) -> CExpr:
        """Return the acting seat, or an error where there is none."""
        if self.you is None:
            message = f"{what} needs an acting seat, and there is none here"
            hint = "say whose it is (`p.hand`), or put it inside `turn of p:` or `as p:`"
            if self.is_scenario:
                hint = f"say whose it is: `seat(0).{what.strip('`')}`"
            if self.constant:
                message = f"{what} belongs to a player, and nothing here says to whom"
                hint = "say whose (`seat(0).home`), or make it one for each player with `per: player`"
            return self.error("you-missing", message, span, hint)
        if self.body.parameters and self.you.args == (self.body.parameters[0],):
            self.procedure.uses_you = True
            self.procedure.wants_seat = self.procedure.wants_seat or (span, f"{what} needs it")
        return replace(self.you, span=span)

    def as_set(self, value: CExpr, what: str = "this") -> CExpr:
        """Return a collection as one value of set type: the pieces of a zone, the items of a group."""
        t = value.type
        if isinstance(t, ty.ZoneT):
            return self.pieces_of(value)
        if isinstance(t, ty.GroupT):
            return replace(value, type=ty.SetT(t.element, 1))
        if isinstance(t, ty.SetT):
            return self.filled(value)
        if isinstance(t, ty.ErrorT):
            return value
        if isinstance(t, ty.EmptyT):
            return self.unclear("`[]`", value.span)
        if isinstance(t, ty.BagT):
            return self.filled(CExpr("bag_kinds", ty.SetT(ty.EnumT(t.resource)), (value,), value.span))
        if isinstance(t, ty.OptionalT):
            return self.error("value-absent", f"{what} may be absent", value.span, self.when_absent(value))
        return self.error("type-mismatch", f"{what} is a {t}, not a collection", value.span)

    def by_place(self, zone: CExpr, build: Callable[[CExpr], CExpr]) -> CExpr:
        """Return what `build` makes of a zone; of `A if C else B` what it makes of each, under its condition, as are
        the statements that it emits: no statement, and no operation that reads a zone, has one that is computed."""
        if zone.op != "if":
            return build(zone)
        condition, *zones = expressions(zone.args)
        values, blocks = list[CExpr](), list[tuple[CStatement, ...]]()
        for part, facts in zip(zones, ((condition,), refuted(condition)), strict=True):
            out = list[CStatement]()
            with self.within(prelude=None if self.prelude is None else out), self.holding(*facts):
                values.append(self.by_place(part, build))
            blocks.append(tuple(out))
        if any(blocks):
            self.emit(CIf(zone.span, condition, *blocks))
        then, otherwise = values
        return CExpr("if", ty.join(then.type, otherwise.type) or then.type, (condition, *values), zone.span)

    def at_place(self, zone: CExpr, emit: Callable[[CExpr], None]) -> None:
        """Emit what is done with a zone; of `A if C else B` what is done with each, under its condition."""

        def build(place: CExpr) -> CExpr:
            emit(place)
            return place

        self.by_place(zone, build)

    def pieces_of(self, zone: CExpr) -> CExpr:
        """Return the pieces of a zone; reading them makes unknown ones known, which is chance and may wait."""
        return self.by_place(zone, self._pieces_of)

    def _pieces_of(self, zone: CExpr) -> CExpr:
        assert isinstance(zone.type, ty.ZoneT)
        sym = zone_symbol(zone)
        if sym is not None and sym.unseen and not self.procedure.sees_all:
            if not self.waits:
                message = f"nobody may have seen the pieces of `{sym.name}`, so they can't be read here"
                hint = "read them in a statement of a rule (`let cards = …`), or move them first; "
                hint += f"`count({sym.name})` is always known"
                return self.error("visibility-unseen", message, zone.span, hint, [declared_visible(sym)])
            self.emit(CExpose(zone.span, zone, None))
        return self.filled(CExpr("pieces", ty.SetT(ty.PieceT(zone.type.kind)), (zone,), zone.span))

    def filled(self, collection: CExpr) -> CExpr:
        """Return a collection as one that has an element if something that holds here says so."""
        t = collection.type
        if not isinstance(t, ty.SetT) or t.least or not is_filled(self.facts, collection):
            return collection
        return self._relying(collection, replace(collection, type=ty.SetT(t.element, 1)))

    def when_absent(self, value: CExpr, hint: str = "") -> str:
        """Return a hint for a value that may be absent: within one line no statement can test it; a `let` can, in
        its own line."""
        if self.procedure.category in ONE_LINE and not self.only_gives:
            return OTHERWISE
        local = value.args[0] if value.op == "local" else None
        if isinstance(local, Local) and local.named and local in self.lets:
            return f"end its line with `else return` (`let {local.name} = … else return`), or {hint or TEST}"
        return hint or f"{TEST} first, or {OTHERWISE}"

    def fit(self, value: CExpr, target: ty.Type, what: str) -> CExpr:
        """Return the value as the target type, or an error that says what was expected."""
        t = value.type
        if isinstance(t, ty.ErrorT) or isinstance(target, ty.ErrorT):
            return value
        if not ty.fits(t, target):
            local = value.args[0] if value.op == "local" else None
            if local in self.doubtful:
                return const(0, ty.ERROR, value.span)
            if isinstance(local, Local) and isinstance(t, ty.OptionalT):
                self.doubtful.append(local)
            if isinstance(t, ty.OptionalT) and ty.fits(t.inner, target):
                hint = self.when_absent(value, f"{TEST}, or {OTHERWISE}")
                return self.error("value-absent", f"{what} may be absent", value.span, hint)
            message = f"{what} must be a {target}, but this is a {t}"
            hint = _mismatch_hint(value, target) or self._reached(value, target) or _such(target)
            return self.error("type-mismatch", message, value.span, hint)
        inner = ty.bare(target)
        if isinstance(t, ty.NoneT):
            return CExpr("const", target, (-1,), value.span)
        if isinstance(t, ty.EmptyT):
            return CExpr("list", target, (), value.span)
        if isinstance(t, ty.ZoneT) and isinstance(inner, ty.SetT):
            return self.pieces_of(value)
        if isinstance(t, ty.GroupT) and isinstance(inner, ty.SetT):
            return replace(value, type=target)
        if isinstance(t, ty.BagT) and isinstance(inner, ty.CostT):
            return CExpr("cost", target, (value,), value.span)
        return value

    def _reached(self, value: CExpr, target: ty.Type) -> str:
        """Return a hint for a value that has an attribute or variable of the type that is expected; empty if none."""
        t, text = ty.bare(value.type), source_text(value.span)
        own: dict[str, ty.Type] = {}
        match t:
            case ty.PieceT(kind=kind):
                own = dict(self.shared.kind(kind).attributes)
                own |= {v.name: v.type for v in self.checked.piece_variables if v.kind == kind and not v.mark}
            case ty.PlayerT():
                own = {v.name: v.type for v in self.checked.variables if v.per == (ty.PLAYER,) and not v.mark}
            case ty.EnumT() | ty.CellT():
                sym = self.shared.values_of(t)
                own = dict(sym.attributes) if sym is not None else {}
        told = [f"`{text}.{name}`" for name, of in own.items() if ty.fits(of, target)]
        return f"what it has of that type is {enumerated(told[:3], 'or')}" if told else ""

    def value(self, node: ast.Expr, target: ty.Type, what: str) -> CExpr:
        return self.fit(self.expr(node, target), target, what)

    def ranged(self, node: ast.Expr, target: ty.Type, what: str) -> CExpr:
        """Return the value as the target type, or an error where it is outside the range of that for certain."""
        value = self.value(node, target, what)
        if never_within(value.type, ty.bare(target)):
            shown = str(value.type).removeprefix("number ")
            return self.error("range-outside", f"{what} is {shown}, outside {ty.bare(target)}", node.span)
        return value

    def condition(self, node: ast.Expr, what: str = "a condition") -> CExpr:
        return self.value(node, ty.BOOL, what)

    def seat(self, node: ast.Expr, what: str) -> CExpr:
        return self.value(node, ty.PLAYER, what)

    def seats(self, node: ast.Expr, what: str, span: Span) -> CExpr:
        """Check an expression of one player or several."""
        value = self.expr(node)
        if value.type == ty.PLAYER:
            value = set_of(self.shared, "list", ty.PLAYER, (value,), span)
        return self.fit(self.as_set(value, what), ty.SetT(ty.PLAYER), what)

    def collection(self, node: ast.Expr, what: str = "this") -> CExpr:
        return self.as_set(self.expr(node), what)


def as_there(value: CExpr) -> CExpr:
    """Return an optional value as one that is there, as is known here; of an answer in a `together` that is checked
    when the game is played, too."""
    assert isinstance(value.type, ty.OptionalT)
    if value.op == "get_seat":
        return CExpr("answer", value.type.inner, value.args, value.span)
    return CExpr("cast", value.type.inner, (value,), value.span)


def _does_something(procedure: ProcedureSym, node: ast.Statement) -> tuple[str, Span, str]:
    """Return message, place and hint for a statement that can't stand in a block that gives a value."""
    message = f"`{procedure.name}` only gives a value, so nothing can be done, asked or left to chance in it"
    return message, node.span, "such a block has `let`, `if`, `for`, `as` and `return`; what does something is a `rule`"


def _mismatch_hint(value: CExpr, target: ty.Type) -> str:
    """Return a hint at what was probably meant by a value of the wrong type."""
    match value.type, target:
        case ty.OptionalT(), _:
            return "`… is not none` asks whether it is there; `if some x = …:` gives it a name"
        case ty.SeatsT(), _:
            return "there is one for each player: write `[p]` after it"
        case ty.SetT(element=ty.NumberT()), ty.NumberT():
            return "`sum(…)` adds them up, `max(…)` is the highest; how many there are is written `count(…)`"
        case ty.ZoneT() | ty.SetT() | ty.BagT(), ty.NumberT():
            return HOW_MANY
        case _, ty.BoolT():
            return _as_condition(value)
        case _, ty.GroupT(attribute=attribute):
            return f"groups are made by `… grouped by {attribute}`"
        case ty.SetT(element=ty.EnumT(name=name)), ty.BagT(resource=resource) | ty.CostT(resource=resource) if (
            name == resource
        ):
            counted = Counter(re.findall(r"\w+", source_text(value.span)))
            return f"amounts are joined by `+`: `{' + '.join(f'{n} {good}' for good, n in counted.items())}`"
        case ty.EnumT(name=name), ty.BagT(resource=resource) | ty.CostT(resource=resource) if name == resource:
            return "say how many: `1 …`"
    return ""


_SUCH: dict[type[ty.Type], str] = {
    ty.NumberT: "`3`, `coins` or `count(hand)`",
    ty.PlayerT: "`you`, `next` or `choose one of others`",
    ty.PieceT: "`choose one of hand` or a name for a piece",
    ty.SetT: "`hand`, `hand where it.value > 2` or `[a, b]`",
    ty.DirectionT: "`north` or `choose one of orthogonal`",
}


def _such(target: ty.Type) -> str:
    """Return a hint with values of a type; empty of a type whose values are its own."""
    such = _SUCH.get(type(ty.bare(target)), "")
    return f"as in {such}" if such else ""


def _as_condition(value: CExpr) -> str:
    """Return a hint at what was probably meant by a value in the place of a condition."""
    if isinstance(value.type, ty.EnumT) and value.op == "const":
        return (
            f"compare what has it: `it.ATTRIBUTE = {source_text(value.span)}` behind `where`, else `card.ATTRIBUTE = …`"
        )
    if isinstance(value.type, ty.ZoneT | ty.SetT | ty.BagT):
        of = source_text(value.span)
        before = value.span.whole_line[: value.span.column - 1]
        if before.rstrip().endswith(" not"):
            return f"write `{of} is empty`, without `not`"
        return f"write `{of} is not empty`, or compare `count({of})` with a number"
    if isinstance(value.type, ty.NumberT):
        return "compare it with a number: `… > 0`"
    option = value.args[0] if value.op == "option" else None
    if isinstance(option, OptionSym) and {"yes", "no", "on", "off"} & {str(v) for v in option.option.values}:
        return f"declare the option as `{option.name}: {{type: bool, default: false}}`"
    return f"compare it: `… = {option.option.values[0]}`" if isinstance(option, OptionSym) else ""
