"""The syntax tree of the DSL: what was written, with its place, and nothing that was concluded from it.

Every node is a frozen dataclass and starts with its span. Class names follow the rules of `grammar/rulelang.lark`.
"""

from __future__ import annotations

from rulelang.syntax.nodes import BagType as BagType
from rulelang.syntax.nodes import Citation as Citation
from rulelang.syntax.nodes import Cited as Cited
from rulelang.syntax.nodes import CostType as CostType
from rulelang.syntax.nodes import GroupType as GroupType
from rulelang.syntax.nodes import Name as Name
from rulelang.syntax.nodes import NamedType as NamedType
from rulelang.syntax.nodes import NewName as NewName
from rulelang.syntax.nodes import Node as Node
from rulelang.syntax.nodes import OptionalType as OptionalType
from rulelang.syntax.nodes import RangeType as RangeType
from rulelang.syntax.nodes import RuleName as RuleName
from rulelang.syntax.nodes import SetType as SetType
from rulelang.syntax.nodes import TypeNode as TypeNode
from rulelang.syntax.nodes import walk as walk

# ---- expressions -----------------------------------------------------------------------------


class Expr(Node):
    """What gives a value."""


class NameExpr(Expr):
    name: str


class Number(Expr):
    value: int


class Truth(Expr):
    value: bool


class NoneExpr(Expr):
    """`none`."""


class Amount(Expr):
    """`2 gold`; `(2 * n) any metal` (mode any); `2 identical metal`; `1 (gold or tin)`, `1 (c.bonus)` (mode either,
    goods)."""

    count: Expr
    mode: str  # "plain" | "any" | "identical" | "either"
    names: tuple[Name, ...]
    goods: tuple[Expr, ...] = ()


class Binary(Expr):
    """An operator with what stands on its two sides."""

    op: str
    left: Expr
    right: Expr


class Arithmetic(Binary):
    """`left op right` of numbers, bags, costs or sets, `op` being `+`, `-`, `*`, `div` or `mod`."""


class Negative(Expr):
    operand: Expr


class Compare(Binary):
    """`left op right`, `op` being one of `COMPARISONS`."""


class Logic(Binary):
    """`left and right`, `left or right`."""


class Not(Expr):
    operand: Expr


class Member(Expr):
    """`element in collection`, negated by `not in`."""

    element: Expr
    collection: Expr
    negated: bool


class Is(Expr):
    """`x is empty`, `is none`, `is ID`, with `not` as `negated`."""

    operand: Expr
    state: str  # "empty" | "none" | "definition"
    definition: Name | None
    negated: bool


class CanPay(Expr):
    """`can pay cost from purse + purse`."""

    cost: Expr
    purses: tuple[Expr, ...]


class Conditional(Expr):
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr


class Otherwise(Expr):
    """`value otherwise default`."""

    value: Expr
    default: Expr


class Where(Expr):
    """`collection where condition`, the element being `it`."""

    collection: Expr
    condition: Expr


class SortKey(Node):
    """`most it.value`: by what elements are compared."""

    ranking: str  # "most" | "fewest"
    value: Expr


class Ranked(Expr):
    """`hand with most it.value then fewest it.cost`: all that tie."""

    collection: Expr
    keys: tuple[SortKey, ...]


class Sorted(Expr):
    """`hand sorted by most it.value`."""

    collection: Expr
    keys: tuple[SortKey, ...]


class Grouped(Expr):
    """`collection grouped by attribute`."""

    collection: Expr
    attribute: Name


class EndOf(Expr):
    """`top of C`, `bottom of C`; with a count `top N of C`."""

    end: str
    count: Expr | None
    collection: Expr


class CellOf(Expr):
    """`cell of piece`."""

    piece: Expr


class Attribute(Expr):
    """`object.name`."""

    object: Expr
    name: Name


class Index(Expr):
    """`object[i, j]`."""

    object: Expr
    indices: tuple[Expr, ...]


class Comprehension(Expr):
    """`body for name in collection where condition`; stands only as the sole argument of a call. With several `for`
    the body of each is the next one."""

    body: Expr
    name: NewName
    collection: Expr
    condition: Expr | None


class Call(Expr):
    """`function(a, b)`."""

    function: Name
    arguments: tuple[Expr, ...]


class SetLiteral(Expr):
    """`[a, b]`."""

    elements: tuple[Expr, ...]


class Lookup(Expr):
    """`{3: 6, 4: 10} at n`, `{red: 1, else: 2} at colour`: a key is a number, a word, a truth, or None for `else`."""

    entries: tuple[tuple[int | Expr | None, Expr], ...]
    at: Expr


class Possible(Expr):
    """`possible(call then condition)`."""

    call: Call
    condition: Expr


# ---- choosing and chance: expressions that may stand only where a statement waits ---------------


class Quantity(Node):
    """How many: exactly `low`; at_least; up_to `low`; down_to `low`; between `low` and `high`; any."""

    mode: str  # "exactly" | "at_least" | "up_to" | "down_to" | "between" | "any"
    low: Expr | None
    high: Expr | None


class OneOf(Node):
    """`one of collection`."""

    collection: Expr


class OneNumber(Node):
    """`a number from low to high where condition`."""

    low: Expr
    high: Expr
    condition: Expr | None


class SomeOf(Node):
    """`amount of collection`."""

    amount: Quantity
    collection: Expr


Domain = OneOf | OneNumber | SomeOf


class Choose(Expr):
    """`anyway together secretly choose domain by seat as name`: the name is for ids and words alone."""

    domain: Domain
    by: Expr | None
    anyway: bool
    together: bool
    secretly: bool
    name: Name | None = None


class Roll(Expr):
    """`roll low to high`."""

    low: Expr
    high: Expr


class RandomOf(Expr):
    """`random one of C` (count None) or `random N at once of C`."""

    count: Expr | None
    at_once: bool
    collection: Expr
    weight: Expr | None


# ---- statements ------------------------------------------------------------------------------


class Statement(Node):
    """What does something."""


class Block(Node):
    """Statements one after the other."""

    statements: tuple[Statement, ...]


class Let(Statement):
    """`leave` (a return, stop or end of a block) is what happens when the value is absent; None if that is not said."""

    name: NewName
    value: Expr
    leave: Statement | None


class Assign(Statement):
    """`target := value`, `target += value by seat else return`."""

    target: Expr
    op: str  # ":=", "+=", "-="
    value: Expr
    leave: Statement | None  # as in `Let`
    by: Expr | None = None  # who chooses what a bag gains or keeps


class Move(Statement):
    """`move what to zone at bottom secretly`; goods of a bag `from` an origin."""

    what: Expr
    origin: Expr | None
    to: Expr
    at_bottom: bool
    secretly: bool


class Draw(Statement):
    """`draw count at once from pile to zone secretly`."""

    count: Expr
    at_once: bool
    pile: Expr
    to: Expr
    secretly: bool


class Shuffle(Statement):
    pile: Expr


class CallStatement(Statement):
    """A call on its own: `f(a)`."""

    call: Call


class Return(Statement):
    value: Expr | None


class Stop(Statement):
    """`stop`: leaves the innermost loop."""


class Pass(Statement):
    """`pass`: does nothing."""


class Proceed(Statement):
    """`arguments` are None where the event goes on as it was."""

    arguments: tuple[Expr, ...] | None


class Never(Statement):
    """The claim that this is not reached."""


class Require(Statement):
    """`require condition`, in scenarios alone."""

    condition: Expr


class EndGame(Statement):
    """`end the game after this round won by seat`, `… drawn`, `… lost`, `… with amount`."""

    after: str | None  # "turn" | "round" | ...
    won_by: Expr | None
    drawn: bool
    lost: bool
    amounts: Expr | None = None  # what each gets, read for each


class Mark(Statement):
    """`mark target until before event of seat`."""

    target: Expr
    moment: str  # "before" | "after"
    event: Name
    seat: Expr | None


class Eliminate(Statement):
    seat: Expr


class Remember(Statement):
    """`remember position`."""

    position: Name


class Forget(Statement):
    """`forget position`."""

    position: Name


class Reveal(Statement):
    """`reveal value to seats`."""

    value: Expr
    to: Expr | None


class Arrange(Statement):
    """`anyway arrange zone by variable where condition`."""

    anyway: bool
    zone: Expr
    variable: Name
    condition: Expr | None


class Trade(Statement):
    """`trade group(a, b)`."""

    group: Name
    arguments: tuple[Expr, ...]


class Pay(Statement):
    """`paid` and `unpaid` are None in the simple form, `to` where nobody gets it."""

    cost: Expr
    purses: tuple[Expr, ...]
    to: Expr | None
    paid: Block | None
    unpaid: Block | None


class IfSome(Node):
    """The condition `some name = value`."""

    name: NewName
    value: Expr


class If(Statement):
    """`branches` are (condition, block) in order; `otherwise` the else block."""

    branches: tuple[tuple[Expr | IfSome, Block], ...]
    otherwise: Block | None


class For(Statement):
    """`for name in collection: body`."""

    name: NewName
    collection: Expr
    body: Block


class While(Statement):
    """`while condition: body`."""

    condition: Expr
    body: Block


class Repeat(Statement):
    """`repeat:` (times None) or `repeat N times:`."""

    times: Expr | None
    body: Block


class AsBlock(Statement):
    """`as seat: body`."""

    seat: Expr
    body: Block


class Scope(Cited, Statement):
    """`turn of SEAT`, `round`, `phase NAME`."""

    kind: str  # "turn" | "round" | "phase"
    seat: Expr | None
    name: Name | None
    body: Block


class Step(Cited, Statement):
    """`step name: body`."""

    name: Name
    body: Block


class BindEach(Node):
    """`name in collection`."""

    name: NewName
    collection: Expr


class BindNumber(Node):
    """`name from low to high where condition`."""

    name: NewName
    low: Expr
    high: Expr
    condition: Expr | None


class BindAmount(Node):
    """`name = amount of collection`."""

    name: NewName
    amount: Quantity
    collection: Expr


class BindPayment(Node):
    """`paying cost from purses to purse`; `to` is None where nobody gets it."""

    cost: Expr
    purses: tuple[Expr, ...]
    to: Expr | None


Binder = Let | BindEach | BindNumber | BindAmount | BindPayment


class MenuItem(Cited):
    """`name(binders) when guard once per turn: body`."""

    name: Name
    binders: tuple[Binder, ...]
    guard: Expr | None
    limit: Limit | None
    body: Block


class Menu(Cited, Statement):
    """`anyway secretly choose name by seat:` with items and an `else:`."""

    name: Name | None
    by: Expr | None
    anyway: bool
    secretly: bool
    items: tuple[MenuItem, ...]
    otherwise: Block | None


# ---- declarations ----------------------------------------------------------------------------


class Declaration(Node):
    """A part of a rule text."""


class Version(Declaration):
    number: int


class Param(Node):
    """`name: type`."""

    name: NewName
    type: TypeNode


class Setup(Cited, Declaration, word="setup"):
    body: Block


class Play(Cited, Declaration, word="play"):
    body: Block


class Doing(Cited, Declaration):
    """What does something, and may give a value."""

    name: RuleName
    params: tuple[Param, ...]
    returns: TypeNode | None
    depth: Expr | None
    body: Block


class Rule(Doing, word="rule"):
    """`rule name(params) -> type up to 3 deep: body`."""


class Event(Doing, word="event"):
    """`event name(params, let name = value) by name up to 3 deep: body`; `returns` is None.

    `lets` are values of when it arose, `by` is the parameter that orders what replaces it.
    """

    lets: tuple[Let, ...] = ()
    by: Name | None = None


class Ability(Doing, word="ability"):
    """`ability name(params) -> type: body`."""


class Giving(Cited, Declaration):
    """What only gives a value: that of an expression, or what a block returns."""

    name: NewName
    params: tuple[Param, ...]
    returns: TypeNode
    value: Expr | Block


class Function(Giving, word="function"):
    """`function name(params) -> type up to 3 deep = value`."""

    depth: Expr | None


class QuantityDecl(Giving, word="quantity"):
    """`quantity name(params) -> type = value`."""


class AbilityValue(Giving, word="ability"):
    """An ability that gives a value; `value` is that of pieces without one of their own."""


class Score(Cited, Declaration, word="score"):
    """`score name: value`."""

    name: Name
    value: Expr | Block


class Winner(Cited, Declaration, word="winner"):
    """`winner: most value`, or `winner: all when value`."""

    ranking: str  # "most" | "fewest" | "all"
    value: Expr


class TieBreak(Node):
    """`most expr`, `fewest expr`, or `shared` (value None)."""

    ranking: str  # "most" | "fewest" | "shared"
    value: Expr | None


class Tie(Cited, Declaration, word="tie"):
    """`tie: most a, then fewest b, then shared`."""

    breaks: tuple[TieBreak, ...]


class Payoff(Cited, Declaration, word="payoff"):
    """`payoff: value`."""

    value: Expr | Block


class Limit(Node):
    """At most `times` per `scope`."""

    times: int
    scope: str  # "use" | "step" | "phase" | "turn" | "round" | "game"


class Exchange(Cited, Declaration, word="exchange"):
    """`group` is None inside the group's own block."""

    name: Name
    group: Name | None
    guard: Expr | None
    limit: Limit | None
    cost: Expr
    gain: Expr


class ExchangeGroup(Cited, Declaration, word="exchanges"):
    """`exchanges name(params) from purse at most times times:` with exchanges."""

    name: Name
    params: tuple[Param, ...]
    purse: Expr
    times: Expr | None  # how many of its exchanges may be made in one trade
    exchanges: tuple[Exchange, ...]


class Whose(Node):
    """`for seat`: the seat that it happens to; `as parameter` where the event or quantity has several players."""

    seat: Expr
    parameter: Name | None


class Handler(Cited, Declaration, word="handler"):
    """`optional`: `may` stands before it, and the owner of the piece is asked."""

    optional: bool
    timing: str  # "before" | "after" | "instead of"
    event: Name
    params: tuple[Name, ...]
    whose: Whose | None
    guard: Expr | None
    limit: Limit | None
    body: Block


class Modifier(Cited, Declaration, word="modifier"):
    """`modify quantity(params) when guard: plus value`."""

    quantity: Name
    params: tuple[Name, ...]
    whose: Whose | None
    guard: Expr | None
    priority: int
    layer: str  # "set to" | "plus" | "minus" | "at least" | "at most"
    lets: tuple[Let, ...] | None
    value: Expr


class Offer(Declaration):
    """`offer in menu:` with items that a piece adds."""

    menu: Name
    items: tuple[MenuItem, ...]


class Implement(Cited, Declaration):
    """`on ability(params): body`, in the text of a piece."""

    ability: Name
    params: tuple[Name, ...]
    body: Block


class ImplementValue(Cited, Declaration):
    """The value that a piece brings to an ability."""

    ability: Name
    params: tuple[Name, ...]
    value: Expr


class PieceScore(Cited, Declaration):
    """`scores: value`, in the text of a piece."""

    value: Expr | Block


# ---- what a variant does to what lies below it -----------------------------------------------------


class StepChange(Cited, Declaration):
    """`before step NAME of RULE: block`; `body` is None for `remove step`, `rule` where only one rule has the step."""

    timing: str  # "before" | "after" | "instead of" | "remove"
    step: Name
    rule: Name | None
    body: Block | None


class Removal(Cited, Declaration):
    """`remove rule NAME`; `name` is None for what there is once, `group` is where an exchange stands."""

    category: str  # "rule", "function", …, "exchange", "setup", …
    name: Name | None
    group: Name | None
