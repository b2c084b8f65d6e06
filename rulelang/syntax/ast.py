"""The syntax tree of the DSL: what was written, with its place, and nothing that was concluded from it.

Every node is frozen and starts with its span. Class names follow the rules of `grammar/rulelang.lark`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.diagnostics import Span


@dataclass(frozen=True)
class Node:
    span: Span


@dataclass(frozen=True)
class Name(Node):
    """An identifier where it stands."""

    text: str


NewName = Name  # declared there and used in values or calls: no word of the language


@dataclass(frozen=True)
class Citation(Node):
    """`source:first-last`, as written between brackets."""

    source: str
    first: int
    last: int


@dataclass(frozen=True)
class Cited(Node):
    """What may stand under citations."""

    citations: tuple[Citation, ...]


@dataclass(frozen=True)
class TypeNode(Node):
    pass


@dataclass(frozen=True)
class NamedType(TypeNode):
    name: str


@dataclass(frozen=True)
class RangeType(TypeNode):
    low: int
    high: int


@dataclass(frozen=True)
class BagType(TypeNode):
    resource: str


@dataclass(frozen=True)
class CostType(TypeNode):
    resource: str


@dataclass(frozen=True)
class SetType(TypeNode):
    element: TypeNode


@dataclass(frozen=True)
class OptionalType(TypeNode):
    inner: TypeNode


# ---- expressions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Expr(Node):
    pass


@dataclass(frozen=True)
class NameExpr(Expr):
    name: str


@dataclass(frozen=True)
class Number(Expr):
    value: int


@dataclass(frozen=True)
class Truth(Expr):
    value: bool


@dataclass(frozen=True)
class NoneExpr(Expr):
    pass


@dataclass(frozen=True)
class Amount(Expr):
    """`2 gold`; `(2 * n) any metal` (mode any); `2 identical metal`; `1 (gold or tin)` (mode either, several names)."""

    count: Expr
    mode: str  # "plain" | "any" | "identical" | "either"
    names: tuple[Name, ...]


@dataclass(frozen=True)
class Arithmetic(Expr):
    op: str  # "+", "-", "*", "div", "mod"
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Negative(Expr):
    operand: Expr


@dataclass(frozen=True)
class Compare(Expr):
    op: str  # "=", "!=", "<", "<=", ">", ">="
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Logic(Expr):
    op: str  # "and", "or"
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Not(Expr):
    operand: Expr


@dataclass(frozen=True)
class Member(Expr):
    """`element in collection`, negated by `not in`."""

    element: Expr
    collection: Expr
    negated: bool


@dataclass(frozen=True)
class Is(Expr):
    """`x is empty`, `is none`, `is ID`, with `not` as `negated`."""

    operand: Expr
    state: str  # "empty" | "none" | "definition"
    definition: Name | None
    negated: bool


@dataclass(frozen=True)
class CanPay(Expr):
    cost: Expr
    purses: tuple[Expr, ...]


@dataclass(frozen=True)
class Conditional(Expr):
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr


@dataclass(frozen=True)
class Otherwise(Expr):
    value: Expr
    default: Expr


@dataclass(frozen=True)
class Where(Expr):
    """`collection where condition`, the element being `it`."""

    collection: Expr
    condition: Expr


@dataclass(frozen=True)
class Ranked(Expr):
    """`collection with most|fewest key`."""

    collection: Expr
    ranking: str
    key: Expr


@dataclass(frozen=True)
class Grouped(Expr):
    collection: Expr
    attribute: Name


@dataclass(frozen=True)
class EndOf(Expr):
    """`top of C`, `bottom of C`; with a count `top N of C`."""

    end: str
    count: Expr | None
    collection: Expr


@dataclass(frozen=True)
class CellOf(Expr):
    piece: Expr


@dataclass(frozen=True)
class Attribute(Expr):
    object: Expr
    name: Name


@dataclass(frozen=True)
class Index(Expr):
    object: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True)
class Comprehension(Expr):
    """`body for name in collection where condition`; stands only as the sole argument of a call. With several `for`
    the body of each is the next one."""

    body: Expr
    name: NewName
    collection: Expr
    condition: Expr | None


@dataclass(frozen=True)
class Call(Expr):
    function: Name
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class SetLiteral(Expr):
    elements: tuple[Expr, ...]


@dataclass(frozen=True)
class Lookup(Expr):
    """`{3: 6, 4: 10} at n`."""

    entries: tuple[tuple[int, Expr], ...]
    at: Expr


@dataclass(frozen=True)
class Possible(Expr):
    call: Call
    condition: Expr


# ---- choosing and chance: expressions that may stand only where a statement waits ---------------


@dataclass(frozen=True)
class Quantity(Node):
    """How many: exactly `low`; at_least; up_to `low`; down_to `low`; between `low` and `high`; any."""

    mode: str  # "exactly" | "at_least" | "up_to" | "down_to" | "between" | "any"
    low: Expr | None
    high: Expr | None


@dataclass(frozen=True)
class OneOf(Node):
    collection: Expr


@dataclass(frozen=True)
class OneNumber(Node):
    low: Expr
    high: Expr
    condition: Expr | None


@dataclass(frozen=True)
class OneValue(Node):
    """`a TYPE where condition`."""

    type: Name
    condition: Expr | None


@dataclass(frozen=True)
class SomeOf(Node):
    amount: Quantity
    collection: Expr


Domain = OneOf | OneNumber | OneValue | SomeOf


@dataclass(frozen=True)
class Choose(Expr):
    domain: Domain
    by: Expr | None
    together: bool
    secretly: bool


@dataclass(frozen=True)
class Roll(Expr):
    low: Expr
    high: Expr


@dataclass(frozen=True)
class RandomOf(Expr):
    """`random one of C` (count None) or `random N of C`."""

    count: Expr | None
    collection: Expr


# ---- statements ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement(Node):
    pass


@dataclass(frozen=True)
class Block(Node):
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Let(Statement):
    """`leave` (a return, stop or end of a block) is what happens when the value is absent; None if that is not said."""

    name: NewName
    value: Expr
    leave: Statement | None


@dataclass(frozen=True)
class Assign(Statement):
    target: Expr
    op: str  # ":=", "+=", "-="
    value: Expr
    leave: Statement | None  # as in `Let`
    by: Expr | None = None  # who chooses what a bag gains or keeps


@dataclass(frozen=True)
class Move(Statement):
    what: Expr
    to: Expr
    at_bottom: bool
    secretly: bool


@dataclass(frozen=True)
class Draw(Statement):
    count: Expr
    pile: Expr
    to: Expr
    secretly: bool


@dataclass(frozen=True)
class Shuffle(Statement):
    pile: Expr


@dataclass(frozen=True)
class CallStatement(Statement):
    call: Call


@dataclass(frozen=True)
class Return(Statement):
    value: Expr | None


@dataclass(frozen=True)
class Stop(Statement):
    pass


@dataclass(frozen=True)
class Pass(Statement):
    pass


@dataclass(frozen=True)
class Proceed(Statement):
    """`arguments` are None where the event goes on as it was."""

    arguments: tuple[Expr, ...] | None


@dataclass(frozen=True)
class Never(Statement):
    """The claim that this is not reached."""


@dataclass(frozen=True)
class Require(Statement):
    condition: Expr


@dataclass(frozen=True)
class EndGame(Statement):
    after: str | None  # "turn" | "round" | ...
    won_by: Expr | None
    drawn: bool
    amounts: Expr | None = None  # what each gets, read for each


@dataclass(frozen=True)
class Mark(Statement):
    target: Expr
    moment: str  # "before" | "after"
    event: Name
    seat: Expr | None


@dataclass(frozen=True)
class Eliminate(Statement):
    seat: Expr


@dataclass(frozen=True)
class Reveal(Statement):
    value: Expr
    to: Expr | None


@dataclass(frozen=True)
class Arrange(Statement):
    zone: Expr
    variable: Name
    condition: Expr | None


@dataclass(frozen=True)
class Trade(Statement):
    group: Name
    arguments: tuple[Expr, ...]


@dataclass(frozen=True)
class Pay(Statement):
    """`paid` and `unpaid` are None in the simple form."""

    cost: Expr
    purses: tuple[Expr, ...]
    paid: Block | None
    unpaid: Block | None


@dataclass(frozen=True)
class IfSome(Node):
    """The condition `some name = value`."""

    name: NewName
    value: Expr


@dataclass(frozen=True)
class If(Statement):
    """`branches` are (condition, block) in order; `otherwise` the else block."""

    branches: tuple[tuple[Expr | IfSome, Block], ...]
    otherwise: Block | None


@dataclass(frozen=True)
class For(Statement):
    name: NewName
    collection: Expr
    body: Block


@dataclass(frozen=True)
class While(Statement):
    condition: Expr
    body: Block


@dataclass(frozen=True)
class Repeat(Statement):
    """`repeat:` (times None) or `repeat N times:`."""

    times: Expr | None
    body: Block


@dataclass(frozen=True)
class AsBlock(Statement):
    seat: Expr
    body: Block


@dataclass(frozen=True)
class Scope(Cited, Statement):
    """`turn of SEAT`, `round`, `phase NAME`."""

    kind: str  # "turn" | "round" | "phase"
    seat: Expr | None
    name: Name | None
    body: Block


@dataclass(frozen=True)
class Step(Cited, Statement):
    name: Name
    body: Block


@dataclass(frozen=True)
class BindEach(Node):
    name: NewName
    collection: Expr


@dataclass(frozen=True)
class BindNumber(Node):
    name: NewName
    low: Expr
    high: Expr
    condition: Expr | None


@dataclass(frozen=True)
class BindAmount(Node):
    name: NewName
    amount: Quantity
    collection: Expr


@dataclass(frozen=True)
class BindPayment(Node):
    cost: Expr
    purses: tuple[Expr, ...]


Binder = Let | BindEach | BindNumber | BindAmount | BindPayment


@dataclass(frozen=True)
class MenuItem(Cited):
    name: Name
    binders: tuple[Binder, ...]
    guard: Expr | None
    limit: Limit | None
    body: Block


@dataclass(frozen=True)
class Menu(Cited, Statement):
    name: Name | None
    by: Expr | None
    anyway: bool
    secretly: bool
    items: tuple[MenuItem, ...]
    otherwise: Block | None


# ---- declarations ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Declaration(Node):
    pass


@dataclass(frozen=True)
class Version(Declaration):
    number: int


@dataclass(frozen=True)
class Param(Node):
    name: NewName
    type: TypeNode


@dataclass(frozen=True)
class Setup(Cited, Declaration):
    body: Block


@dataclass(frozen=True)
class Play(Cited, Declaration):
    body: Block


@dataclass(frozen=True)
class Rule(Cited, Declaration):
    name: NewName
    params: tuple[Param, ...]
    returns: TypeNode | None
    depth: int | None
    body: Block


@dataclass(frozen=True)
class Giving(Cited, Declaration):
    """What only gives a value: that of an expression, or what a block returns."""

    name: NewName
    params: tuple[Param, ...]
    returns: TypeNode
    value: Expr | Block


@dataclass(frozen=True)
class Function(Giving):
    pass


@dataclass(frozen=True)
class QuantityDecl(Giving):
    pass


@dataclass(frozen=True)
class Event(Cited, Declaration):
    name: NewName
    params: tuple[Param, ...]
    depth: int | None
    body: Block


@dataclass(frozen=True)
class Ability(Cited, Declaration):
    name: NewName
    params: tuple[Param, ...]
    returns: TypeNode | None
    depth: int | None
    body: Block


@dataclass(frozen=True)
class AbilityValue(Giving):
    """An ability that gives a value; `value` is that of pieces without one of their own."""


@dataclass(frozen=True)
class Score(Cited, Declaration):
    name: Name
    value: Expr | Block


@dataclass(frozen=True)
class Winner(Cited, Declaration):
    ranking: str
    value: Expr


@dataclass(frozen=True)
class TieBreak(Node):
    """`most expr`, `fewest expr`, or `shared` (value None)."""

    ranking: str  # "most" | "fewest" | "shared"
    value: Expr | None


@dataclass(frozen=True)
class Tie(Cited, Declaration):
    breaks: tuple[TieBreak, ...]


@dataclass(frozen=True)
class Payoff(Cited, Declaration):
    value: Expr | Block


@dataclass(frozen=True)
class Limit(Node):
    """At most `times` per `scope`."""

    times: int
    scope: str  # "use" | "step" | "phase" | "turn" | "round" | "game"


@dataclass(frozen=True)
class Exchange(Cited, Declaration):
    """`group` is None inside the group's own block."""

    name: Name
    group: Name | None
    guard: Expr | None
    limit: Limit | None
    cost: Expr
    gain: Expr


@dataclass(frozen=True)
class ExchangeGroup(Cited, Declaration):
    name: Name
    params: tuple[Param, ...]
    purse: Expr
    times: Expr | None  # how many of its exchanges may be made in one trade
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True)
class Whose(Node):
    """`for seat`: the seat that it happens to; `as parameter` where the event or quantity has several players."""

    seat: Expr
    parameter: Name | None


@dataclass(frozen=True)
class Handler(Cited, Declaration):
    """`optional`: `may` stands before it, and the owner of the piece is asked."""

    optional: bool
    timing: str  # "before" | "after" | "instead of"
    event: Name
    params: tuple[Name, ...]
    whose: Whose | None
    guard: Expr | None
    limit: Limit | None
    body: Block


@dataclass(frozen=True)
class Modifier(Cited, Declaration):
    quantity: Name
    params: tuple[Name, ...]
    whose: Whose | None
    guard: Expr | None
    priority: int
    layer: str  # "set to" | "plus" | "minus" | "at least" | "at most"
    lets: tuple[Let, ...] | None
    value: Expr


@dataclass(frozen=True)
class Offer(Declaration):
    menu: Name
    items: tuple[MenuItem, ...]


@dataclass(frozen=True)
class Implement(Cited, Declaration):
    ability: Name
    params: tuple[Name, ...]
    body: Block


@dataclass(frozen=True)
class ImplementValue(Cited, Declaration):
    """The value that a piece brings to an ability."""

    ability: Name
    params: tuple[Name, ...]
    value: Expr


@dataclass(frozen=True)
class PieceScore(Cited, Declaration):
    value: Expr | Block


# ---- what a variant does to what lies below it -----------------------------------------------------


@dataclass(frozen=True)
class StepChange(Cited, Declaration):
    """`before step NAME of RULE: block`; `body` is None for `remove step`, `rule` where only one rule has the step."""

    timing: str  # "before" | "after" | "instead of" | "remove"
    step: Name
    rule: Name | None
    body: Block | None


@dataclass(frozen=True)
class Removal(Cited, Declaration):
    """`remove rule NAME`; `name` is None for what there is once, `group` is where an exchange stands."""

    category: str  # "rule", "function", …, "exchange", "setup", …
    name: Name | None
    group: Name | None
