"""The shapes of the intermediate representation: expressions, statements, terminators, blocks, procedures, decisions.

Operations are named; `rulelang.vocabulary.operations` says for each name what its arguments are and what it means. All
nodes are frozen. A *site* is an index into `Program.sites`: the rule and place that the node came from.

A `Type` is `int`, `bool`, `seat` (a party: seats first, then automata), `enum:NAME` (also resources and between types),
`cell:GRID`, `dir`, `piece:KIND`, `zone`, `purse:RES`, `bag:RES`, `cost:RES`, `payment:RES`, `opt<T>`, `set<T>`,
`seats<T>` (one value per party), `void`.

Run-time values: every scalar is an int (bool 0/1; for an absent `opt` -1, for `opt<int>` -2**63), a bag is a tuple of
counts, a set a list, a group a pair (key, list). A piece of a kind with identity is its item number; any other piece is
`item + 65536 * zone instance`, where it was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulelang.records import record
from rulelang.vocabulary.operations import CHANCE
from rulelang.vocabulary.types import Type, bind, fill


@record
class Expr:
    """A pure expression. `args` are expressions, or immediates (slots, indices, names) where the operation says so."""

    op: str
    type: Type
    args: tuple[Expr | int | str, ...] = ()
    site: int = 0


@record
class Statement:
    """An effect that cannot wait."""

    op: str
    args: tuple[Expr | int | str, ...] = ()
    site: int = 0


@record
class Jump:
    """Goes on with another block."""

    to: int


@record
class Branch:
    """Goes on with block `then` if the condition holds, else with `otherwise`."""

    condition: Expr
    then: int
    otherwise: int


@record
class CallProc:
    """Calls a procedure that may wait; its value goes to `slot` (-1: dropped), then block `to`."""

    procedure: int
    arguments: tuple[Expr, ...]
    slot: int
    to: int
    site: int = 0


@record
class Return:
    """Leaves the procedure, with its value if it gives one."""

    value: Expr | None


@record
class Choose:
    """Asks decision `decision` of the program's table; it names the blocks that follow."""

    decision: int


@record
class Chance:
    """Draws one outcome, then block `to`.

    `kind`: one of `rulelang.vocabulary.operations.CHANCE`, which says what its arguments are; a value that it gives
    goes into `slot`, and may be told to some seats alone (`seers`).
    A certain result is no node. `name` is the argument's name in the action's id.
    """

    kind: str
    name: str
    args: tuple[Expr, ...]
    slot: int
    to: int
    site: int = 0

    @property
    def source(self) -> tuple[Expr, ...]:
        """Return what is drawn from: the arguments without the seats that are told."""
        return self.args[: len(CHANCE[self.kind].operands)]

    @property
    def seers(self) -> Expr | None:
        """Return the set of seats that are told the outcome; None for all, or who sees the piece where it lies."""
        return self.args[-1] if len(self.args) > len(CHANCE[self.kind].operands) else None

    @property
    def drawn(self) -> Type:
        """Return the type of what is drawn."""
        op, bindings = CHANCE[self.kind], dict[str, str]()
        bind(op.operands[0][0], self.args[0].type, bindings)
        return fill(op.result, bindings).present


@record
class End:
    """The game is over: scores or the declared winners decide."""


Waiting = Choose | Chance
"""What ends a block at which the game waits, for a seat or for chance."""
Terminator = Jump | Branch | CallProc | Return | Waiting | End


@record
class Block:
    """Straight-line statements and one terminator. `live` are the local slots still needed when this block starts; the
    others are cleared (to 0) whenever a frame waits to enter it, so that equal states are equal."""

    statements: tuple[Statement, ...]
    terminator: Terminator
    live: tuple[int, ...] = ()
    site: int = 0


@record
class Effects:
    """What a procedure may do, transitively."""

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    suspends: bool = False
    ends_game: bool = False


@record
class Procedure:
    """`parameters` counts the first local slots; `locals` are the types of all of them. Block 0 is the entry.

    `depth` is the declared depth of recursion (0: does not call itself). Where it depends on options and player count
    it is an upper bound, and `levels` the expression; the program of a layout has its value as `depth`. A procedure
    that does not suspend is a plain function.
    """

    name: str
    parameters: int
    locals: tuple[Type, ...]
    local_names: tuple[str, ...]
    returns: Type
    blocks: tuple[Block, ...]
    effects: Effects
    depth: int = 0
    site: int = 0
    levels: Expr | None = None


@record
class Binder:
    """One argument of an option.

    `kind`: `each` (args: a set), `number` (args: low, high), `some` (args: a set, low, high: every distinct sub-bag
    with so many elements; low and high are already cut to the size), `grouping` (args: a set of individuals: every
    distinct partition of them into groups, each as a set, numbered from 1 on by piece variable `variable`).
    A grouping is its item's only binder. The item's guards are read with the number of its group in the variable of
    each piece; pieces that differ in nothing but that variable make one grouping.
    `type` is the type of the value bound to local `slot`. `text` is the author's text for what is chosen from, which a
    refusal shows where there is nothing; of a payment it is the cost, of the piece that offers an item its id.
    """

    kind: str
    name: str
    slot: int
    type: Type
    args: tuple[Expr, ...]
    text: str = ""
    variable: int = -1


@record
class Operand:
    """What a refusal says of a part of a condition: its `value`, its `size` (of the collection that it counts), its
    `presence` (it asks whether something is absent) or `nothing`. `text` is the author's text for it."""

    text: str = ""
    says: str = "nothing"


@record
class Guard:
    """A condition of an option; `reason` is its source text, for refusals.

    `kind`: `condition` (`word` is `whole` if no more may be told than that it fails, as it was revealed); `limit` (the
    operands are how often it was done and how often it may be, `word` is the scope); `active` (the seat has a piece
    `word` in force). `operands` tells what is said of the parts of the condition that `rulelang.ir.shown` finds, in
    that order; empty: nothing of any.
    """

    condition: Expr
    reason: str
    site: int
    operands: tuple[Operand, ...] = ()
    kind: str = "condition"
    word: str = ""


@record
class Item:
    """Options of one kind: one for each combination of the binders' values for which all guards hold. `pre` guards read
    no binder and are tested first."""

    name: str
    binders: tuple[Binder, ...]
    guards: tuple[Guard, ...]
    to: int
    site: int = 0
    pre: tuple[Guard, ...] = ()


@record
class Decision:
    """One question to one seat (or, `together`, one to each).

    `ask`: `author` (a node if there is an option at all), `some` (not when the most that may be chosen is 0: the empty
    choice is taken), `engine` (a node only with two or more options; a single one is taken), `anyway` (as author, but
    with no option at all the seat is asked with the lone option `pass`: item number -1, which goes to `otherwise`; of
    `together` the one item with an absent value or an empty set).
    With no option at all block `otherwise` follows (-1: cannot happen).
    `together`: `seat` gives a set of seats; the asked seat is in local `you_slot` while the options are read; the
    one item's one binder is collected in local `result_slot`, a `seats<T>`; the item's block follows when all are in.
    `secret`: what was chosen is not told to others. `untold`: the parameters that the prompt must not tell.
    """

    procedure: int
    rule: str
    seat: Expr
    items: tuple[Item, ...]
    otherwise: int
    ask: str = "author"
    together: bool = False
    secret: bool = False
    you_slot: int = -1
    result_slot: int = -1
    site: int = 0
    untold: tuple[str, ...] = ()

    def passes(self, item: int, values: Sequence[Any]) -> bool:
        """Return whether an option is to pass where a seat is asked anyway: to choose nothing, as if nothing were
        there. Values may be incomplete."""
        if item < 0 or self.ask != "anyway":
            return item < 0
        only = self.items[item]
        if not len(only.binders) == len(values) == 1 or only.name not in ("", self.rule):
            return False  # an item of a menu
        type_, value = only.binders[0].type, values[0]
        nothing = value == type_.absent if type_.scalar else not (any(value) if type_.kind == "bag" else value)
        return bool(nothing) and value is not None

    def bound(self, item: int, values: Sequence[Any]) -> list[tuple[Binder, Any]]:
        """Return the binders of an item, each with its value; none of the lone `pass`. Values may be incomplete."""
        return list(zip(self.items[item].binders if item >= 0 else (), values, strict=False))
