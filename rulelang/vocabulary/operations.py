"""The operations: for each name the types of its operands and result, what it reads, how it may fail, and its meaning. The checked tree, the printer,
reader, verifier, every pass and backend are driven by this table.

A line is `name arguments -> result | failures; reads; traits -- meaning`. Arguments are types of expressions (`*`: any number of the last; `|`: alternatives)
or immediates: `@` a local slot, `@T` one that a binding operation fills with elements of type T while its last expression is read, `#int` and `#str` values,
`#scope` and `#end` words,
`#var`, `#pvar`, `#zone`, `#proc`, `#enum`, `#grid`, `#option`, `#kind`, `#automaton`, `#until` indices into the program's tables, `#defs*` any number of
definition indices of a kind. One-letter variables stand for types (T, U) or names (K kind, G grid, R resource). `_` is a type that follows from the program's
tables: `rulelang.ir.verify_nodes` has a check of its own for these operations.

Failures, reads and traits are words of `FAILURES`, `READS` and `TRAITS`. A line that does not say how its operation may fail and what it reads, or of a
collection whether it may repeat an element, is refused when this module is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rulelang.vocabulary.types import Type

UNTABLED = "_"
FAILURES = {
    "total": "cannot fail, if its operands do not",
    "overflow": "the result may be beyond 64 bits",
    "zero": "division by zero",
    "range": "what is written may not be a value of the variable",
    "absent": "there may be no such value, piece or seat",
    "index": "there may be no element at this place",
    "unknown": "the piece may be one that nobody has seen",
    "work": "may take or list more than is bounded",
    "claim": "a claim may not hold",
    "callee": "as the procedure that is called",
}
READS = {
    "pure": "nothing but its operands: equal ones give equal values in any game",
    "setup": "what is fixed when a program is bound to a layout: tables, options, the number of players",
    "locals": "locals",
    "decision": "what is worked out once for all options of a decision",
    "seats": "who is still in",
    "contents": "which pieces lie in a zone, and in which order",
    "whereabouts": "in which zone a piece lies",
    "variables": "variables",
    "purses": "bag variables, through purses that name them",
    "positions": "what was written down of positions, and what these are of now",
    "deferrals": "ends of the game that are put off",
    "winners": "how the game ended",
    "log": "the log of what happened",
    "callee": "what the procedure that is called reads",
}
"""What the value of an operation depends on besides its operands; of a statement what it changes. Reading `pure`, `setup` or `locals` (`FIXED`) gives the
same in a whole game."""
FIXED = frozenset(("pure", "setup", "locals"))
TRAITS = {
    "distinct": "no element of its collection repeats",
    "repeats": "an element of its collection may repeat, as like pieces of a kind without identity do",
    "apart": "its operand is not among the parties it gives",
    "shrinks": "its collection has no more elements than its first operand",
    "subset": "its collection has elements of its first operand, in its order, none more often",
    "permutes": "its collection has the elements of its first operand, in another order",
    "element": "its value is an element of its first operand, if there is one",
    "lying": "its pieces lie in the zone that is its first operand",
    "sized": "its value has as many elements as its first operand",
    "sums": "its value has as many units of goods as its operands together",
    "nonempty": "its value has something exactly where its first operand has",
    "every": "each player who is still in is in its collection",
    "counts": "says how many there are of something: its value is never below 0",
    "equates": "holds of equal operands alone",
    "folds": "its value is known before a game where its operands are: `runtime.constants` works it out",
    "lenient": "gives a value, and touches nothing else, for an operand that is absent though its type says it is not, and does not hand it on",
    "membership": "says whether its first operand is in a collection",
    "negates": "the operation that holds of the same operands where this one does not",
    "mirrors": "the operation that holds of swapped operands where this one does",
    "sign": "its sign in Python and C, which mean the same by it",
    "written": "its sign in rules, between its operands",
}
"""Further traits; a word that ends in `:WORD` in a line has a value."""


@dataclass(frozen=True, slots=True)
class Op:
    """An operation.

    Attributes:
        shape: for each argument `e` (an expression), `slot` or the word of an immediate, with `*` where it may be repeated.
        operands: for each expression the types that may stand there. result: the type of the value.
        binds: of a binding operation the variable for the type of the elements that its slot holds.
        failures: how it may fail, words of `FAILURES`; none if it is total. reads: words of `READS`.
        traits: words of `TRAITS` -> their value, or nothing.
    """

    shape: tuple[str, ...]
    operands: tuple[tuple[Type, ...], ...]
    result: Type
    binds: str
    doc: str
    failures: frozenset[str]
    reads: frozenset[str]
    traits: Mapping[str, str]

    @property
    def typed(self) -> bool:
        """Whether its types do not depend on the program's tables."""
        return UNTABLED not in (self.result, *(pattern for patterns in self.operands for pattern in patterns))

    @property
    def is_total(self) -> bool:
        """Whether it cannot fail where its operands do not."""
        return not self.failures

    @property
    def is_fixed(self) -> bool:
        """Whether it gives the same in the whole game for the same operands and locals."""
        return self.reads <= FIXED

    @property
    def is_pair(self) -> bool:
        """Whether it has two operands."""
        return self.shape == ("e", "e")

    @property
    def compares(self) -> bool:
        """Whether it compares two operands of which either may be of the wider type."""
        return self.is_pair and self.result == "bool" and {part.core for (part, *_) in self.operands} == {"T", "U"}

    @property
    def is_logic(self) -> bool:
        """Whether it joins conditions."""
        return {self.result, *self.operands} == {"bool", ("bool",)} and set(self.shape) == {"e"}

    @property
    def is_attribute(self) -> bool:
        """Whether it gives what a table says of a piece, value or cell."""
        return self.shape[1:] == ("int", "e") and self.result == UNTABLED

    @property
    def is_loop(self) -> bool:
        """Whether it binds a slot to each element of a collection while its last expression is read."""
        return self.shape[:1] == ("slot",) and len(self.shape) == LOOP


LOOP = 3
"""A slot, a collection and a body."""


def _shape(argument: str) -> str:
    """Return the shape of an argument in a signature: an immediate (`#…`), a `slot` (`@…`), or expressions."""
    repeated = "*" if argument.endswith("*") else ""
    if argument[0] == "#":
        return argument[1:]
    return "slot" if argument[0] == "@" else "e" + repeated


def parsed(line: str) -> tuple[str, Op]:
    """Return the name and operation of a line of the table.

    Raises:
        ValueError: the line says a word that is none, or does not say a trait that every operation has.
    """
    head, doc = line.split(" -- ")
    head, _, rest = head.partition(" | ")
    signature, result = head.split(" -> ")
    name, *arguments = signature.split()
    failures, reads, *traits = (part.split() for part in rest.split(";"))
    words = {word.partition(":")[0]: word.partition(":")[2] for word in (traits or [[]])[0]}
    if not (
        failures
        and set(failures) <= FAILURES.keys()
        and reads
        and set(reads) <= READS.keys()
        and ("total" not in failures or len(failures) == 1)
        and ("pure" not in reads or len(reads) == 1)
        and words.keys() <= TRAITS.keys()
    ):
        raise ValueError(
            f"{name}: how it may fail, what it reads or what else holds of it is not said in words that are known"
        )
    if result.startswith("set<") and len(words.keys() & {"distinct", "repeats"}) != 1:
        raise ValueError(f"{name}: whether an element may repeat is not said once")
    operands = tuple(tuple(map(Type, a.removesuffix("*").split("|"))) for a in arguments if a[0] not in "@#")
    binds = next((a[1:] for a in arguments if a[0] == "@"), "")
    shape, fallible = tuple(map(_shape, arguments)), frozenset(failures) - {"total"}
    return name, Op(shape, operands, Type(result), binds, doc, fallible, frozenset(reads), words)


def _table(text: str) -> dict[str, Op]:
    """Parse a table of operations: on each line signature, result, traits and meaning."""
    return dict(parsed(line) for line in text.strip().splitlines() if not line.startswith("#"))


EXPRESSIONS = _table("""
# constants and where values live
const #int -> _ | total; pure; folds -- the value of a scalar type
local @ -> _ | total; locals; folds -- a local
option #option -> _ | total; setup; folds -- the value of a table option (an int, see OptionTable)
player_count -> int | total; setup; folds -- number of seats in this game
var #var _* -> _ | total; variables -- a variable at its indices; a bag variable gives a tuple of counts
seen #var _* -> int | total; positions contents variables; counts -- how often a position as it is now was written down in a variable (args: the values of its parts that are worked out)
pvar #pvar _ -> _ | total; variables -- a piece variable of the item
zone #zone _* -> _ | total; setup; folds -- the instance of a zone at its indices
players -> set<seat> | total; seats; distinct every -- seats still in, in seat order
everyone -> set<seat> | total; setup; distinct every folds -- all seats
parties -> set<seat> | total; seats; distinct every -- seats still in and automata
automaton #automaton -> opt<seat> | total; setup; folds -- automaton number n as a party, -1 when it is not in this game
others seat -> set<seat> | total; seats; distinct apart -- players but this one
opponents seat -> set<seat> | total; seats; distinct apart -- players not of the same team
teammates seat -> set<seat> | total; seats; distinct apart -- players of the same team but this one
next_player seat -> seat | total; seats -- clockwise neighbour among players still in (the party itself if alone)
previous_player seat -> seat | total; seats -- counter-clockwise neighbour among players still in
players_from seat -> set<seat> | total; seats; distinct every -- players clockwise beginning with this one (or, if it is out, the next one in)
players_after seat -> set<seat> | total; seats; distinct apart -- players clockwise beginning after this one, itself left out
seat_of int -> opt<seat> | total; setup; folds -- the seat with this number, -1 if there is none
let @T T U -> U | total; pure; folds -- the second, in which the slot holds the first; that is worked out when it is first read (args: slot, value, body)
cell #int T -> T | total; decision -- the same, worked out at most once for all options of a decision (args: a number that equal ones share, value)
offered #int bool -> bool | total; decision -- the same, known by whether the item at a place of the decision has an option
cast _ -> _ | total; pure; sized nonempty folds -- the same scalar, or one for each party, as another type (a seat as a number)
# numbers and truth
add int int -> int | overflow; pure; written:+ folds -- sum; results beyond 64 bits are an error
sub int int -> int | overflow; pure; written:- folds -- difference
mul int int -> int | overflow; pure; written:* folds -- product
div int int -> int | zero overflow; pure; written:div folds -- quotient rounded down; by zero is a RuleError
mod int int -> int | zero; pure; written:mod folds -- remainder with the sign of the divisor; by zero is a RuleError
neg int -> int | overflow; pure; folds -- minus
abs int -> int | overflow; pure; folds -- absolute value
min2 int int -> int | total; pure; folds -- the lesser
max2 int int -> int | total; pure; folds -- the greater
eq T U -> bool | total; pure; negates:ne mirrors:eq sign:== written:= lenient equates folds -- equal scalars
ne T U -> bool | total; pure; negates:eq mirrors:ne sign:!= written:!= lenient folds -- unequal scalars
lt int int -> bool | total; pure; negates:ge mirrors:gt sign:< written:< lenient folds -- less
le int int -> bool | total; pure; negates:gt mirrors:ge sign:<= written:<= lenient folds -- less or equal
gt int int -> bool | total; pure; negates:le mirrors:lt sign:> written:> lenient folds -- greater
ge int int -> bool | total; pure; negates:lt mirrors:le sign:>= written:>= lenient folds -- greater or equal
same T U -> bool | total; pure; mirrors:same lenient equates -- equal values: bags by count, sets element for element, count pieces by item (not zone)
and bool bool -> bool | total; pure; folds -- the second is read only if the first holds
or bool bool -> bool | total; pure; folds -- the second is read only if the first does not hold
not bool -> bool | total; pure; folds -- negation
if bool T T -> T | total; pure; folds -- second if first else third
deferred #scope -> bool | total; deferrals -- the game is to end after this `turn`, `round` or `phase`
placed seat -> opt<int> | total; winners -- where a game is over that scores did not decide: 0 for parties of whose team one was declared a winner, or where it is drawn, else 1; absent before and where scores decide
is_none opt<T> -> bool | total; pure; lenient folds -- the optional is absent
otherwise opt<T> T -> T | total; pure; folds -- first unless absent, else second
lookup int _* -> _ | total; pure; folds -- args: n, then pairs key (const), value: the value of the largest key not above n, else 0 (of other values than numbers the first key is the least number)
# pieces and zones
pieces zone -> set<piece:K> | total; contents; repeats lying -- the known pieces of a zone instance: a pile from the top, a bag in order of items
family #zone _* -> _ | total; contents; repeats -- the known pieces of all instances of a zone whose first indices are these, instance by instance
size zone -> int | total; contents; counts -- how many pieces a zone instance holds, unknown ones included
top zone -> opt<piece:K> | unknown; contents; lying -- top piece of a pile instance, -1 when empty (it must be known)
bottom zone -> opt<piece:K> | unknown; contents; lying -- bottom piece
tops zone int -> set<piece:K> | unknown; contents; repeats lying -- the top n pieces, fewer if there are fewer
bottoms zone int -> set<piece:K> | unknown; contents; repeats lying -- the bottom n pieces
attr #kind #int _ -> _ | total; setup -- attribute number n of a piece of the kind
eattr #enum #int _ -> _ | total; setup; lenient folds -- attribute number n of a value of an enumerated type
gattr #grid #int _ -> _ | total; setup; lenient folds -- attribute number n of a cell
owner piece:K -> opt<seat> | total; whereabouts -- the declared seat of a per-player piece, else the seat index of the zone it is in, else -1
zone_of piece:K -> opt<zone> | total; whereabouts -- the zone instance a piece is in
in_zone piece:K zone -> bool | total; contents; membership -- the piece (for counts: one alike) is in the zone instance (args: piece, zone)
cell_of #grid piece:K -> opt<cell:G> | total; whereabouts -- the cell index of the zone the piece is in, -1 elsewhere
individual #kind #int seat* -> piece:K | absent; setup -- the only individual of definition number n of a kind with identity (per player: of this seat)
alike piece:K piece:K -> bool | total; setup; mirrors:alike -- two pieces have the same definition (per-player pieces: and the same seat)
sort_of piece:K -> int | total; setup -- a number that pieces have in common if they are alike
is_def piece:K #defs* -> bool | total; setup; membership -- the piece's definition is one of these
active #kind #defs* -> set<piece:K> | total; contents; repeats -- pieces of these definitions lying in active zones, in zone then item order
relocate T zone -> T | total; pure; sized nonempty -- a piece or set of count pieces as found in zone instance (args: value, zone): the new handle after a move
# sets
list T* -> set<T> | total; pure; repeats folds -- these scalars in this order
domain #str -> _ | total; setup; distinct folds -- all values of an enumerated, cell, dir or seat type, in order
numbers int int -> set<int> | work; pure; distinct folds -- low to high
filter @T set<T> bool -> set<T> | total; pure; shrinks repeats subset folds -- elements for which the condition holds (args: slot, set, condition)
map @T set<T> U -> set<U> | total; pure; shrinks repeats sized nonempty folds -- the body for each element
flatten @T set<T> set<U> -> set<U> | work; pure; repeats folds -- the sets that the body gives, one after another
reachable @T set<T> set<T> -> set<T> | work; pure; distinct nonempty folds -- the elements of the set and all that the body leads to from one of these, nearest first; of a type with a domain
sum @T set<T> U -> U | overflow; pure; folds -- sum of the body over the elements (0 for none); bags add up to a bag (type bag:R)
any @T set<T> bool -> bool | total; pure; folds -- the body holds for some element
all @T set<T> bool -> bool | total; pure; folds -- the body holds for every element
max @T set<T> int -> opt<int> | total; pure; folds -- greatest body, absent for none
min @T set<T> int -> opt<int> | total; pure; folds -- least body, absent for none
most @T set<T> int|set<int> -> set<T> | total; pure; shrinks repeats subset nonempty folds -- the elements that share the greatest body, a number or a list of numbers (the first that differ decide, the longer one is greater)
fewest @T set<T> int|set<int> -> set<T> | total; pure; shrinks repeats subset nonempty folds -- the elements that share the least body
descending @T set<T> int|set<int> -> set<T> | total; pure; sized nonempty repeats permutes folds -- the elements by their body, the greatest first, those of equal body in their order
ascending @T set<T> int|set<int> -> set<T> | total; pure; sized nonempty repeats permutes folds -- the same, the least first
precedes set<int> set<int> -> bool | total; pure; folds -- the first of two lists is less: by the first numbers that differ, or as it is the shorter one
runs @T set<T> int -> set<set<T>> | total; pure; distinct shrinks nonempty -- sets of elements with consecutive body, those of equal body together, in order of the body
subsets set<T> int -> set<set<T>> | work; pure; distinct -- every different collection of n elements, at most 20000
count set<T> -> int | total; pure; counts folds -- number of elements
total set<int> -> int | overflow; pure; folds -- sum of a set of numbers
distinct set<T> -> set<T> | total; pure; distinct shrinks subset nonempty -- without repeats, first occurrences kept
distinct_by @T set<T> U -> set<T> | total; pure; distinct shrinks subset nonempty -- of the elements with equal body, a scalar or a set of numbers, the first
member U set<T> -> bool | total; pure; membership lenient folds -- the value is in the set (args: value, set)
mask set<T> -> W | total; pure; folds -- a set of bits with bit n set for each element n of a set of numbers: `int` for elements from 0 to 63, as a number of 64 bits, else `bits`, from 0 to 511
containing set<T> U -> set<T> | total; pure; shrinks repeats subset lenient folds -- of sets, or sets of bits, those that a value is in (args: sets, value)
in_mask T W -> bool | total; pure; lenient folds -- the bit of a value is set (args: value, mask)
meets W W -> bool | total; pure; folds -- two sets of bits have one in common
bit_and W W -> W | total; pure; sign:& folds -- the bits that two sets have in common
bit_or W W -> W | total; pure; sign:| folds -- the bits of either set
bit_xor W W -> W | total; pure; sign:^ folds -- the bits that are in one set alone
ones W -> int | total; pure; counts folds -- how many bits are set
elements W -> set<T> | total; pure; distinct folds -- the values of a small type whose bits are set, in order
pick int #int* -> W | total; pure; folds -- the number, or set of bits, at a place of a constant row (args: place, counted from 0, the row)
union set<T> set<T> -> set<T> | total; pure; repeats -- all of the first, then all of the second
difference set<T> set<T> -> set<T> | total; pure; shrinks repeats subset -- the first, less one for each in the second
group @T set<T> U -> set<set<T>> | total; pure; distinct shrinks nonempty -- sets of elements with equal body, in order of the body (args: slot, set, body)
at set<T> int -> T | index; pure; element -- element number n, counted from 0 (args: set, n); n must be below the count
first set<T> -> opt<T> | total; pure; element folds -- first element, -1 when empty
last set<T> -> opt<T> | total; pure; element folds -- last element, -1 when empty
firsts set<T> int -> set<T> | total; pure; shrinks repeats subset -- the first n elements (args: set, n)
lasts set<T> int -> set<T> | total; pure; shrinks repeats subset -- the last n elements
reaction #int piece:K|opt<piece:K>|int -> reaction | total; pure -- a handler's number in its event (args: number, piece or -1 for a handler without piece): number << 32 | piece + 1
reaction_handler reaction -> int | total; pure -- its number
reaction_piece reaction -> piece:K | total; pure -- its piece
reaction_owner reaction -> opt<seat> | total; whereabouts -- the owner of its piece, -1 without piece
reaction_order seat|opt<seat>|int -> set<seat> | total; seats; distinct -- whose reactions come when: players clockwise from the party (from seat 0 if it is -1), then eliminated seats, then automata
mark_code #until seat|opt<seat>|int -> int | total; setup -- the stored value of a mark (args: until code, party or -1 for any): 1 + code * (parties + 1) + (party, or number of parties for -1)
get_seat seats<T> seat -> T | total; pure -- the value for a party of a `seats<T>` (args: seats, party)
answer seats<opt<T>> seat -> T | absent; pure -- the same for a party that was asked; a RuleError if it has none
# bags and costs
bag int* -> bag:R | total; pure; folds -- counts per resource, one expression each
bag_add bag:R bag:R -> bag:R | overflow; pure; sums folds -- sum per kind
bag_sub bag:R bag:R -> bag:R | total; pure; folds -- difference per kind, stopping at zero
bag_scale int bag:R -> bag:R | overflow; pure; folds -- args: number, bag
bag_get bag:R #int -> int | total; pure; folds -- how many of resource number n
bag_pick bag:R enum:R -> int | total; pure; folds -- how many of a resource value (args: bag, value)
bag_one #int enum:R -> bag:R | total; pure; folds -- one of this resource value (args: number of resources, value)
bag_kinds bag:R -> set<enum:R> | total; pure; distinct folds -- the resources of which there is at least one, in order
sub_bags bag:R int int -> set<bag:R> | work; pure; distinct -- args: bag, low, high: every bag within it of low..high pieces, by size, then more of earlier resources first
bag_size bag:R -> int | overflow; pure; counts folds -- how many in all
bag_clamp bag:R int int* -> bag:R | total; pure; folds -- args: bag, limit of each (-1: none), then one limit per resource (-1: none) or nothing
placements bag:R bag:R|cost:R int int int* -> set<bag:R> | work overflow; pure; distinct -- args: present bag, added bag or cost, total limit (-1), each limit (-1), per-resource limits: every distinct bag that may be left, of each bag of what is added as much as fits
cost bag:R -> cost:R | total; pure; folds -- a bag as a cost
wild #int int bag:R #int -> cost:R | total; pure; folds -- args: number of resources, count, mask of resources as a bag of 0/1, 1 if all of them must be identical
cost_add cost:R cost:R -> cost:R | work overflow; pure; folds -- both
cost_either cost:R cost:R -> cost:R | work; pure; folds -- whoever pays chooses which of them
cost_sub cost:R bag:R -> cost:R | total; pure; folds -- the first, less a bag, fixed parts first, stopping at zero
cost_scale int cost:R -> cost:R | work overflow; pure; folds -- args: number, cost
cost_fixed cost:R -> bag:R | total; pure; folds -- the fixed part of a cost
cost_size cost:R -> int | overflow; pure; counts folds -- number of icons in a cost
expansions cost:R -> set<bag:R> | work overflow; pure; distinct -- every distinct bag that satisfies a cost exactly
purse #var _* -> _ | total; setup -- a bag variable as a purse
purses_of #pvar set<piece:K> -> set<purse:R> | total; setup; repeats sized nonempty -- the bag variables of a set of pieces as purses
purses purse:R|set<purse:R>* -> set<purse:R> | total; pure; repeats sums -- purses (or sets of purses) in order
can_pay cost:R purse:R|set<purse:R> -> bool | work overflow; purses -- args: cost, purses: some payment exists
payments cost:R purse:R|set<purse:R> -> set<payment:R> | work overflow; purses; distinct -- every payment (flat counts, purse by purse) with a distinct result
holdings purse:R|set<purse:R> -> bag:R | overflow; purses; sums -- what purses hold together
# grids
toward #grid cell:G dir -> opt<cell:G> | total; setup; folds -- the neighbour of a cell in a direction
edge #grid cell:G dir|cell:G -> opt<enum:E> | total; setup; folds -- the edge of a cell in a direction, or between it and another cell; -1 if there is none
corner #grid cell:G dir -> opt<enum:E> | total; setup; folds -- the corner of a cell in a direction; -1 if there is none
touching #grid T -> set<U> | total; setup; distinct folds -- cells, edges or corners that touch one: of another type those on which it lies or that lie on it, of its own edges with a corner in common or corners at the ends of a side
turned #grid cell:G dir int -> dir | total; setup; folds -- so many sides of a cell further clockwise
ray #grid cell:G dir -> set<cell:G> | total; setup; distinct folds -- cells from the next one to the edge in a direction
neighbours #grid cell:G -> set<cell:G> | total; setup; distinct folds -- by the grid's adjacency, in order of direction
distance #grid cell:G cell:G -> int | total; setup; counts folds -- steps by the grid's adjacency, whatever stands between
region #grid cell:G set<cell:G> -> set<cell:G> | total; setup; distinct folds -- the connected part of a set of cells that contains a cell, nearest first (empty if it is not in the set)
on_edge #grid cell:G -> bool | total; setup; folds -- on the border
lines #grid int -> set<set<cell:G>> | total; setup; distinct folds -- all straight runs of n cells: rows, columns, both diagonals (n is constant)
column #grid cell:G -> int | total; setup; folds -- from 1
row #grid cell:G -> int | total; setup; folds -- from 1
cell_at #grid int int -> opt<cell:G> | total; setup; folds -- args: column, row
opposite dir -> dir | total; pure; folds -- the other way
direction #grid cell:G cell:G -> opt<dir> | total; setup; folds -- the direction of a ray from the first cell through the second, -1 if there is none
# calls
call #proc _* -> _ | callee; callee -- a procedure that does not suspend
possible #proc _ _* -> _ | callee; callee -- args: procedure, condition (reads the caller's locals, in the scratch state), arguments: some run of it ends with the condition true
""")

STATEMENTS = _table("""
set @ _ -> void | total; locals -- a local
set_var #var _ _* -> void | range; variables -- args: variable, value, indices; out of range is a RuleError; logged
set_pvar #pvar _ _ -> void | range; variables -- args: variable, piece, value; logged
move piece:K|opt<piece:K>|set<piece:K> zone #end #int -> void | unknown; contents -- args: piece, optional piece or set; zone; `top` or `bottom`; 1 if secretly. As many as fit; logged as one event per origin
move_slots zone int zone #end #int -> void | total; contents -- args: origin, how many from its top (as they lie, unknown ones too), destination, end, secretly
shuffle zone -> void | total; contents -- the order of a pile instance becomes unknown to all
settle zone -> void | total; contents -- unknown pieces of a zone whose pools lie wholly within it become known in any order, which is of no matter any more
spend payment:R|bag:R purse:R|set<purse:R> purse:R|set<purse:R>* -> void | absent range; purses -- args: payment, purses, the purse that gets it, alone in its set (none: nobody's)
clear_marks #until seat|opt<seat>|int -> void | total; variables -- args: until code, party (or -1): unsets the marks that wait for it
remember #var _* -> void | work; variables positions -- a position as it is now is written down in a variable, with the values of its parts that are worked out; a RuleError if there is no room
forget #var -> void | total; variables -- all that was written down of a position is gone
reset #var -> void | total; variables -- every cell of an internal variable goes back to its start
reveal T set<seat> _* -> void | total; log -- args: value, set of seats, the index of the zone or variable that the value lies in: an event with the value
begin #scope seat|opt<seat>|int -> void | total; log -- args: `turn`, `round`, `phase`; party or -1: counts and logs the start of a scope
eliminate seat -> void | absent; seats -- the party is no longer in players
win set<seat> -> void | total; winners -- args: set of seats: they win (all others lose)
draw_game -> void | total; winners -- the game ends drawn
defer #scope -> void | total; deferrals -- the game ends after this `turn`, `round`, `phase`
undefer #scope -> void | total; deferrals -- it does not, for the time being
check bool #str -> void | claim; pure -- a RuleError with the text unless the condition holds
evaluate T -> void | callee; callee -- reads a pure call for its effects (procedures that do not suspend but write)
""")

CHANCE = _table("""
number int int -> int | absent; pure -- a number from the first to the second, all equally likely
element set<T> -> T | total; pure -- an element of the set, all equally likely, alike ones merged; -1 of an empty one
some set<T> int -> set<T> | work; pure; repeats -- so many elements of the set, where chance is explicit: which they are is one outcome, told as one `element` after another; none where chance is sampled
unit bag:R -> opt<enum:R> | total; pure -- a unit of the bag, all equally likely, those of a kind merged; -1 of an empty one
expose zone int -> void | total; contents -- the piece at a position from the top (0 the top, -1 the bottom) of the zone becomes known if it was not
several zone int -> void | work; contents -- so many pieces at the top of the zone, or all, become known as one outcome: which they are, not where each lies
shared zone -> void | total; contents -- every piece in the zone that comes from a pool with members elsewhere becomes known, one per node
""")
"""The kinds of chance. Those with a result may have an operand more: the set of seats that are told, where not all are."""
GIVING = tuple(kind for kind, op in CHANCE.items() if op.result != "void")
"""Kinds of chance whose outcome is a value, and no piece that becomes known."""
TOLD = tuple(kind for kind in GIVING if kind != "some")
"""Those of which the log tells the value as it is."""
NUMBERS = tuple(kind for kind, op in CHANCE.items() if op.result == "int")
"""Those whose outcome is a number."""


def expressions(holds: Callable[[Op], bool]) -> frozenset[str]:
    """Return the names of the expressions of which something holds."""
    return frozenset(name for name, op in EXPRESSIONS.items() if holds(op))


def reading(*words: str) -> frozenset[str]:
    """Return the expressions that read some of these (words of `READS`)."""
    return expressions(lambda op: not op.reads.isdisjoint(words))


def having(trait: str) -> frozenset[str]:
    """Return the expressions that have a trait (a word of `TRAITS`)."""
    return expressions(lambda op: trait in op.traits)


def values(trait: str) -> dict[str, str]:
    """Return for each expression that has a trait its value."""
    return {name: op.traits[trait] for name, op in EXPRESSIONS.items() if trait in op.traits}


TOTAL = expressions(lambda op: op.is_total)
BINDING = expressions(lambda op: op.is_loop)
"""Operations with the arguments slot, set, body: the slot holds the element while the body is read."""
SUBSET, ELEMENT = having("subset"), having("element")
LYING, EVERY, COUNTS = map(having, ("lying", "every", "counts"))
LOGIC, ATTRIBUTES = expressions(lambda op: op.is_logic), expressions(lambda op: op.is_attribute)
CONDITIONED = expressions(lambda op: op.is_loop and op.operands[-1] == ("bool",))
"""Those whose body is a condition."""
SELECTIONS = BINDING & SUBSET
"""Those that give some of the elements."""
SEAT_SETS = expressions(lambda op: op.result == "set<seat>" and not op.shape)
"""Those of seats, whoever asks."""
COMPARING = reading("positions")
"""Those that compare a position with what was written down of it."""
BAG_COUNTS = expressions(lambda op: op.result == "int" and op.operands[:1] == (("bag:R",),))
"""Those that give a number of the units of a bag."""
SOURCES = {name: int(name in BINDING) for name in SUBSET | LYING | ELEMENT | having("permutes") | {"cast"}}
"""Operation -> the argument that has all elements of its value."""
FOLDED = having("folds")
FIXED_VALUES = expressions(lambda op: op.is_fixed)
"""They give the same in a whole game for the same operands and locals."""
UNCHANGING = FIXED_VALUES - reading("locals")
"""They give the same in a whole game for the same operands."""
SIGN_OF = values("written")
"""Operation on numbers, or on any scalars -> its sign in rules."""
WRITTEN = {sign: name for name, sign in SIGN_OF.items()}
"""Sign in rules -> the operation that it stands for."""
SIGNED = values("sign")
"""Comparison of two scalars, or operation on words of bits -> its sign."""
SIGNS = {name: sign for name, sign in SIGNED.items() if EXPRESSIONS[name].result == "bool"}
"""Comparison of two scalars -> its sign."""
DISTINCT = having("distinct")
"""Their collections never repeat an element."""
NEGATED = values("negates")
MIRRORED = values("mirrors")
EQUALITIES = {name for name in SIGNS if MIRRORED[name] == name}
"""Comparisons of scalars that need no order."""
NAMED = {
    name: op.shape[0]
    for name, op in (EXPRESSIONS | STATEMENTS).items()
    if op.shape[:1] in (("zone",), ("var",), ("pvar",))
}
"""Operation -> the table of which it names a row."""
PLACES = {name for name, table in NAMED.items() if name == table and EXPRESSIONS[name].shape[1:] == ("e*",)}
"""Operations that give a zone or variable of its table at the indices behind it."""
ASSIGNMENTS = {name for name in NAMED if name in STATEMENTS and STATEMENTS[name].shape[1:2] == ("e",)}
"""Those that write a value into one place."""
