"""The checked tree: names resolved, every expression typed, every construct reduced to few.

It shares nothing with the syntax tree but spans.

Expressions use the operation names of the intermediate representation, with symbols and locals in place of table
indices and slots; statements are still structured. The compiler lowers this tree to blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from rulelang.diagnostics import NOWHERE, Span
from rulelang.records import make_record, record
from rulelang.semantics.tree.types import BOOL, Type

if TYPE_CHECKING:
    from rulelang.semantics.tree.symbols import ProcedureSym, VariableSym


@dataclass(eq=False)
class Local:
    """A local of one procedure; `named`: the author gave it a name."""

    name: str
    type: Type
    span: Span = NOWHERE
    named: bool = False


@record
class CExpr:
    """A pure, typed expression. `args` hold expressions, locals, symbols and immediates as the operation demands."""

    op: str
    type: Type
    args: tuple[Any, ...] = ()
    span: Span = NOWHERE


def expressions(args: Iterable[object]) -> list[CExpr]:
    """Return the arguments that are expressions."""
    return [a for a in args if isinstance(a, CExpr)]


def subexpressions(expr: CExpr) -> Iterator[CExpr]:
    """Yield the expression and everything under it, from left to right."""
    yield expr
    for part in expressions(expr.args):
        yield from subexpressions(part)


def own_expressions(node: CNode) -> Iterator[CExpr]:
    """Yield the expressions of a statement, or of a part of one, without those of the blocks inside it."""
    for part in vars(node).values():
        for each in part if isinstance(part, tuple) else (part,):
            if isinstance(each, CExpr):
                yield each
            elif isinstance(each, CNode) and not isinstance(each, CStatement):
                yield from own_expressions(each)


def binding(expr: CExpr) -> tuple[Local, CExpr, CExpr]:
    """Return what an operation binds, its collection and its body."""
    local, collection, body = expr.args
    return local, collection, body


NEVER, ALWAYS, UNSEEN = "never", "always", "unseen"
WAITS = {NEVER, ALWAYS, UNSEEN}
"""When a class of statements waits."""


@dataclass_transform(frozen_default=True)
class CNode:
    """A statement of the checked tree, or a part of one: a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        make_record(cls)


class CStatement(CNode):
    """A statement of the checked tree. Each class says of its statements, as words of its fields or these, what all
    analyses go by; one that leaves something out is refused when it is defined.

    Attributes:
        blocks: the fields with the blocks inside. sets: the fields with the local that one sets.
        writes: the fields with what it changes: pieces, a zone, a procedure that is called, or the operands of an
            operation, whose row says more.
        waits: `never`, `always` (for a seat or chance, or the game ends) or `unseen` (where a piece comes up that
            nobody has seen).
        leaves: whether nothing that follows it in its block is reached.
    """

    span: Span
    blocks: ClassVar[tuple[str, ...]]
    sets: ClassVar[tuple[str, ...]]
    writes: ClassVar[tuple[str, ...]]
    waits: ClassVar[str]
    leaves: ClassVar[bool]

    def __init_subclass__(cls, *, blocks: str, sets: str, writes: str, waits: str, leaves: bool) -> None:
        super().__init_subclass__()
        cls.blocks, cls.sets, cls.writes = tuple(blocks.split()), tuple(sets.split()), tuple(writes.split())
        cls.waits, cls.leaves = waits, leaves
        if unknown := {*cls.blocks, *cls.sets, *cls.writes} - {field.name for field in fields(cls)} | {waits} - WAITS:
            raise TypeError(f"{cls.__name__} says what is not known: {', '.join(sorted(unknown))}")

    def inner(self) -> list[Sequence[CStatement]]:
        """Return the blocks inside, those of the items of a decision included."""
        if not self.blocks:
            return []
        blocks = [item.body for item in getattr(self, "items", ())]
        return blocks + [getattr(self, name) or () for name in self.blocks if name != "items"]

    def bound(self) -> list[Local]:
        """Return the locals that it sets itself, those of the binders of its items included."""
        own = [local for name in self.sets if (local := getattr(self, name)) is not None]
        if not self.blocks:
            return own
        return own + [binder.local for item in getattr(self, "items", ()) for binder in item.binders]


class CSet(CStatement, blocks="", sets="local", writes="", waits=NEVER, leaves=False):
    """Gives a local its value."""

    local: Local
    value: CExpr


class CDo(CStatement, blocks="", sets="", writes="args", waits=NEVER, leaves=False):
    """A plain effect: an operation of the statement table with its arguments."""

    op: str
    args: tuple[object, ...]


class CMove(CStatement, blocks="", sets="relocated", writes="what", waits=UNSEEN, leaves=False):
    """`relocated` is the local that holds what was moved, when it is one."""

    what: CExpr
    zone: CExpr
    end: str
    secretly: bool
    relocated: Local | None


class CDraw(CStatement, blocks="", sets="", writes="pile", waits=UNSEEN, leaves=False):
    """Moves the top `count` pieces of a pile one by one (`whole`: all that lies in a zone); `refill`: an empty pile is
    first refilled as it declares; `at_once`: which pieces they are is one outcome of chance."""

    count: CExpr
    pile: CExpr
    zone: CExpr
    end: str
    secretly: bool
    refill: bool
    whole: bool = False
    at_once: bool = False


class CExpose(CStatement, blocks="", sets="", writes="", waits=UNSEEN, leaves=False):
    """The piece at `position` from the top (-1: the bottom; None: every piece) of a zone becomes known; with `count` so
    many from that end."""

    zone: CExpr
    position: CExpr | None
    count: CExpr | None = None


class CMoment(CStatement, blocks="", sets="", writes="", waits=NEVER, leaves=False):
    """`before` or `after` an event, turn, round or phase, at which marks that wait for it end; or a turn, round, phase,
    step or trade (`use`) is `opened`, so that its limits begin anew, or `closed`."""

    moment: str
    event: str
    seat: CExpr


class CStep(CStatement, blocks="body", sets="", writes="", waits=NEVER, leaves=False):
    """A named step with its own citations."""

    name: str
    citations: tuple[str, ...]
    body: tuple[CStatement, ...]


class CShuffle(CStatement, blocks="", sets="", writes="pile", waits=UNSEEN, leaves=False):
    """From now on nobody knows the order of the pile."""

    pile: CExpr


class CCall(CStatement, blocks="", sets="result", writes="procedure", waits=NEVER, leaves=False):
    """A call of a procedure with effects; `result` takes its value."""

    procedure: ProcedureSym
    arguments: tuple[CExpr, ...]
    result: Local | None


class CRandom(CStatement, blocks="", sets="result", writes="", waits=ALWAYS, leaves=False):
    """Chance: `number` (low, high), `element` (a set), `unit` (a bag), `some` (a set or bag, how many);
    `at_once`: which elements these are is one outcome."""

    kind: str
    name: str
    args: tuple[CExpr, ...]
    result: Local
    at_once: bool = False


class CBinder(CNode):
    """What an option leaves open: its choices, and the local that holds the one taken. `text` is what they are chosen
    from in the author's words; of a grouping `variable` numbers the groups."""

    kind: str  # "each" | "number" | "some" | "grouping"
    name: str
    local: Local
    args: tuple[CExpr, ...]
    text: str = ""
    variable: VariableSym | None = None


class CGuard(CNode):
    """A condition of an option; `reason` is said when it fails. `word` is the scope of a limit, or the piece that must
    be active."""

    condition: CExpr
    reason: str
    kind: str = "condition"  # "condition" | "limit" | "active"
    word: str = ""


class CItem(CNode):
    """A kind of option of a decision and what choosing it does; `piece` is the row that offers it, or empty."""

    name: str
    binders: tuple[CBinder, ...]
    guards: tuple[CGuard, ...]
    body: tuple[CStatement, ...]
    span: Span
    citations: tuple[str, ...] = ()
    piece: str = ""


class CChoose(CStatement, blocks="items otherwise", sets="result", writes="", waits=ALWAYS, leaves=False):
    """A decision. `otherwise` runs when there is no option. `menu` names it for offers of pieces. `acting` is the seat
    that acts where the owner of a bag is asked without `by` saying so."""

    rule: str
    seat: CExpr
    items: tuple[CItem, ...]
    otherwise: tuple[CStatement, ...] | None
    ask: str
    together: bool = False
    secret: bool = False
    you: Local | None = None
    result: Local | None = None
    menu: str = ""
    citations: tuple[str, ...] = ()
    acting: CExpr | None = None


class CIf(CStatement, blocks="then otherwise", sets="", writes="", waits=NEVER, leaves=False):
    """Runs one of two blocks."""

    condition: CExpr
    then: tuple[CStatement, ...]
    otherwise: tuple[CStatement, ...]


class CLoop(CStatement, blocks="body", sets="", writes="", waits=NEVER, leaves=False):
    """Runs `body` until a `CBreak` of this loop; `label` is unique in its procedure."""

    label: str
    body: tuple[CStatement, ...]


class CFor(CStatement, blocks="body", sets="local", writes="", waits=NEVER, leaves=False):
    """Runs the body for each element; the collection is read once, before the first."""

    label: str
    local: Local
    collection: CExpr
    body: tuple[CStatement, ...]


class CBreak(CStatement, blocks="", sets="", writes="", waits=NEVER, leaves=True):
    """Leaves the loop or block of this label."""

    label: str


class CReturn(CStatement, blocks="", sets="", writes="", waits=NEVER, leaves=True):
    """Leaves the procedure."""

    value: CExpr | None


class CNever(CStatement, blocks="", sets="", writes="", waits=NEVER, leaves=True):
    """The claim that this is not reached; checked when the game is played."""


class CEnd(CStatement, blocks="", sets="", writes="", waits=ALWAYS, leaves=True):
    """The game is over now."""


@dataclass(eq=False)
class Body:
    """A checked procedure body: parameters (the hidden `you` first where it has one), locals and statements."""

    parameters: list[Local] = field(default_factory=list)
    locals: list[Local] = field(default_factory=list)
    statements: tuple[CStatement, ...] = ()

    @property
    def value(self) -> CExpr | None:
        """The expression that the procedure returns, if its body is one `return`."""
        only = self.statements[0] if len(self.statements) == 1 else None
        return only.value if isinstance(only, CReturn) else None


def substitute(expr: CExpr, values: Mapping[Local, CExpr], body: Body, words: bool = False) -> CExpr:
    """Return the expression with locals replaced by expressions, and those that it binds itself by new locals of
    `body`; what replaces a local stands where its own `words` do, or where the local stood."""
    if expr.op == "local" and isinstance(expr.args[0], Local) and expr.args[0] in values:
        value = values[expr.args[0]]
        return replace(value, span=expr.span) if words else value
    bound = [a for a in expr.args if isinstance(a, Local)] if expr.op != "local" else []
    fresh = {a: Local(a.name, a.type, a.span) for a in bound}
    body.locals += fresh.values()
    inner = {**values} | {old: CExpr("local", new.type, (new,), new.span) for old, new in fresh.items()}
    args: list[object] = []
    for arg in expr.args:
        if isinstance(arg, CExpr):
            args.append(substitute(arg, inner, body, words))
        else:
            args.append(fresh[arg] if isinstance(arg, Local) and arg in fresh else arg)
    return CExpr(expr.op, expr.type, tuple(args), expr.span)


def same(a: object, b: object, locals: dict[Local, Local] | None = None, labels: dict[str, str] | None = None) -> bool:
    """Return whether two parts of the tree are the same, wherever they stand, up to the names of what they bind
    themselves.

    Args:
        locals, labels: what is known to stand for what.
    """
    locals, labels = {} if locals is None else locals, {} if labels is None else labels
    if isinstance(a, CExpr) and isinstance(b, CExpr):
        if a.op == b.op == "local":
            return locals.get(a.args[0], a.args[0]) is b.args[0]
        return a.op == b.op and same(a.args, b.args, locals, labels)
    if isinstance(a, Local) and isinstance(b, Local):
        return locals.setdefault(a, b) is b
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(same(x, y, locals, labels) for x, y in zip(a, b, strict=True))
    if isinstance(a, CNode) and type(a) is type(b):
        pairs = [(name, x, vars(b)[name]) for name, x in vars(a).items() if name not in ("span", "text")]
        return all(
            labels.setdefault(x, y) == y if name == "label" else same(x, y, locals, labels) for name, x, y in pairs
        )
    return a == b


def mentions(expr: CExpr, symbol: object) -> bool:
    """Return whether a symbol stands anywhere in an expression."""
    return any(arg is symbol for part in subexpressions(expr) for arg in part.args)


MANY = 2


def times_read(expr: CExpr, local: Local) -> int:
    """Return how often a local is read; reads in a loop or inside a `possible` count as many."""
    if expr.op == "local":
        return int(expr.args[0] is local)
    times = sum(times_read(arg, local) for arg in expressions(expr.args))
    return times * MANY if expr.op == "possible" or any(isinstance(arg, Local) for arg in expr.args) else times


def bound_locals(expr: CExpr) -> list[Local]:
    """Return the locals that an expression binds itself."""
    parts = (part for part in subexpressions(expr) if part.op != "local")
    return [arg for part in parts for arg in part.args if isinstance(arg, Local)]


def free_locals(expr: CExpr, bound: tuple[Local, ...] = ()) -> dict[Local, CExpr]:
    """Return the locals that an expression reads and does not bind itself, each as it is read first."""
    if expr.op == "local":
        return {a: expr for a in expr.args if isinstance(a, Local) and a not in bound}
    inner = (*bound, *(a for a in expr.args if isinstance(a, Local)))
    return {k: v for arg in expressions(expr.args) for k, v in free_locals(arg, inner).items()}


def reads(node: object, local: Local) -> bool:
    """Return whether a local is read anywhere in an expression, statements or a part of them."""
    if isinstance(node, tuple):
        return any(reads(part, local) for part in node)
    if isinstance(node, CExpr):
        return mentions(node, local)
    return isinstance(node, CNode) and any(reads(v, local) for v in vars(node).values())


def negated(condition: CExpr) -> CExpr:
    """Return the negation of a condition."""
    return CExpr("not", BOOL, (condition,), condition.span)


def conjunction(expr: CExpr, op: str = "and") -> list[CExpr]:
    """Return the parts of an `and`, or of another operation that joins conditions."""
    if expr.op != op:
        return [expr]
    return [part for arg in expressions(expr.args) for part in conjunction(arg, op)]
