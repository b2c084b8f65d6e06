"""The operations: for each name the types of its operands and result, and its meaning. The printer, reader, verifier and every backend are driven by this
table.

A line is `name arguments -> result -- meaning`. Arguments are types of expressions (`*`: any number of the last; `|`: alternatives) or immediates: `@` a local
slot, `@T` one that a binding operation fills with elements of type T while its last expression is read, `#int` and `#str` values, `#var`, `#pvar`, `#zone`,
`#proc`, `#enum`, `#grid`, `#option`, `#kind`, `#automaton`, `#until` indices into the program's tables, `#defs*` any number of definition indices of a kind. One-letter variables
stand for types (T, U) or names (K kind, G grid, R resource). `_` is a type that follows from the program's tables: `rulelang.ir.verify_nodes` has a check of
its own for these operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.ir.types import Type

UNTABLED = "_"


@dataclass(frozen=True, slots=True)
class Op:
    """An operation.

    Attributes:
        shape: for each argument `e` (an expression), `slot` or the word of an immediate, with `*` where it may be repeated.
        operands: for each expression the types that may stand there. result: the type of the value.
        binds: of a binding operation the variable for the type of the elements that its slot holds.
    """

    shape: tuple[str, ...]
    operands: tuple[tuple[Type, ...], ...]
    result: Type
    binds: str
    doc: str

    @property
    def typed(self) -> bool:
        """Whether its types do not depend on the program's tables."""
        return UNTABLED not in (self.result, *(pattern for patterns in self.operands for pattern in patterns))


def _shape(argument: str) -> str:
    """Return the shape of an argument in a signature: an immediate (`#…`), a `slot` (`@…`), or expressions."""
    repeated = "*" if argument.endswith("*") else ""
    if argument[0] == "#":
        return argument[1:]
    return "slot" if argument[0] == "@" else "e" + repeated


def _table(text: str) -> dict[str, Op]:
    """Parse a table of operations: on each line signature, result and meaning."""
    table: dict[str, Op] = {}
    for line in text.strip().splitlines():
        if line.startswith("#"):
            continue
        head, doc = line.split(" -- ")
        signature, result = head.split(" -> ")
        name, *arguments = signature.split()
        operands = tuple(tuple(map(Type, a.removesuffix("*").split("|"))) for a in arguments if a[0] not in "@#")
        binds = next((a[1:] for a in arguments if a[0] == "@"), "")
        table[name] = Op(tuple(map(_shape, arguments)), operands, Type(result), binds, doc)
    return table


EXPRESSIONS = _table("""
# constants and where values live
const #int -> _ -- the value of a scalar type
local @ -> _ -- a local
option #option -> _ -- the value of a table option (an int, see OptionTable)
player_count -> int -- number of seats in this game
var #var _* -> _ -- a variable at its indices; a bag variable gives a tuple of counts
pvar #pvar _ -> _ -- a piece variable of the item
zone #zone _* -> _ -- the instance of a zone at its indices
players -> set<seat> -- seats still in, in seat order
everyone -> set<seat> -- all seats
parties -> set<seat> -- seats still in and automata
automaton #automaton -> opt<seat> -- automaton number n as a party, -1 when it is not in this game
others seat -> set<seat> -- players but this one
opponents seat -> set<seat> -- players not of the same team
teammates seat -> set<seat> -- players of the same team but this one
next_player seat -> seat -- clockwise neighbour among players still in (the party itself if alone)
previous_player seat -> seat -- counter-clockwise neighbour among players still in
players_from seat -> set<seat> -- players clockwise beginning with this one (or, if it is out, the next one in)
players_after seat -> set<seat> -- players clockwise beginning after this one, itself left out
seat_of int -> opt<seat> -- the seat with this number, -1 if there is none
let @T T U -> U -- the second, in which the slot holds the first; that is worked out when it is first read (args: slot, value, body)
cell #int T -> T -- the same, worked out at most once for all options of a decision (args: a number that equal ones share, value)
offered #int bool -> bool -- the same, known by whether the item at a place of the decision has an option
cast _ -> _ -- the same scalar, or one for each party, as another type (a seat as a number)
# numbers and truth
add int int -> int -- sum; results beyond 64 bits are an error
sub int int -> int -- difference
mul int int -> int -- product
div int int -> int -- quotient rounded down; by zero is a RuleError
mod int int -> int -- remainder with the sign of the divisor; by zero is a RuleError
neg int -> int -- minus
abs int -> int -- absolute value
min2 int int -> int -- the lesser
max2 int int -> int -- the greater
eq T U -> bool -- equal scalars
ne T U -> bool -- unequal scalars
lt int int -> bool -- less
le int int -> bool -- less or equal
gt int int -> bool -- greater
ge int int -> bool -- greater or equal
same T U -> bool -- equal values: bags by count, sets element for element, count pieces by item (not zone)
and bool bool -> bool -- the second is read only if the first holds
or bool bool -> bool -- the second is read only if the first does not hold
not bool -> bool -- negation
if bool T T -> T -- second if first else third
deferred #str -> bool -- the game is to end after this `turn`, `round` or `phase`
is_none opt<T> -> bool -- the optional is absent
otherwise opt<T> T -> T -- first unless absent, else second
lookup int int* -> int -- args: n, then pairs key (const), value: the value of the largest key not above n, else 0
# pieces and zones
pieces zone -> set<piece:K> -- the known pieces of a zone instance: a pile from the top, a bag in order of items
family #zone _* -> _ -- the known pieces of all instances of a zone whose first indices are these, instance by instance
size zone -> int -- how many pieces a zone instance holds, unknown ones included
top zone -> opt<piece:K> -- top piece of a pile instance, -1 when empty (it must be known)
bottom zone -> opt<piece:K> -- bottom piece
tops zone int -> set<piece:K> -- the top n pieces, fewer if there are fewer
bottoms zone int -> set<piece:K> -- the bottom n pieces
attr #kind #int _ -> _ -- attribute number n of a piece of the kind
eattr #enum #int _ -> _ -- attribute number n of a value of an enumerated type
gattr #grid #int _ -> _ -- attribute number n of a cell
owner piece:K -> opt<seat> -- the declared seat of a per-player piece, else the seat index of the zone it is in, else -1
zone_of piece:K -> opt<zone> -- the zone instance a piece is in
in_zone piece:K zone -> bool -- the piece (for counts: one alike) is in the zone instance (args: piece, zone)
cell_of #grid piece:K -> opt<cell:G> -- the cell index of the zone the piece is in, -1 elsewhere
individual #kind #int seat* -> piece:K -- the only individual of definition number n of a kind with identity (per player: of this seat)
alike piece:K piece:K -> bool -- two pieces have the same definition (per-player pieces: and the same seat)
sort_of piece:K -> int -- a number that pieces have in common if they are alike
is_def piece:K #defs* -> bool -- the piece's definition is one of these
active #kind #defs* -> set<piece:K> -- pieces of these definitions lying in active zones, in zone then item order
relocate T zone -> T -- a piece or set of count pieces as found in zone instance (args: value, zone): the new handle after a move
# sets
list T* -> set<T> -- these scalars in this order
domain #str -> _ -- all values of an enumerated, cell, dir or seat type, in order
numbers int int -> set<int> -- low to high
filter @T set<T> bool -> set<T> -- elements for which the condition holds (args: slot, set, condition)
map @T set<T> U -> set<U> -- the body for each element
flatten @T set<T> set<U> -> set<U> -- the sets that the body gives, one after another
reachable @T set<T> set<T> -> set<T> -- the elements of the set and all that the body leads to from one of these, nearest first; of a type with a domain
sum @T set<T> U -> U -- sum of the body over the elements (0 for none); bags add up to a bag (type bag:R)
any @T set<T> bool -> bool -- the body holds for some element
all @T set<T> bool -> bool -- the body holds for every element
max @T set<T> int -> opt<int> -- greatest body, absent for none
min @T set<T> int -> opt<int> -- least body, absent for none
most @T set<T> int -> set<T> -- the elements that share the greatest body
fewest @T set<T> int -> set<T> -- the elements that share the least body
count set<T> -> int -- number of elements
total set<int> -> int -- sum of a set of numbers
distinct set<T> -> set<T> -- without repeats, first occurrences kept
distinct_by @T set<T> U -> set<T> -- of the elements with equal body, a scalar or a set of numbers, the first
member U set<T> -> bool -- the value is in the set (args: value, set)
mask set<T> -> int -- a word with bit n set for each element n from 0 to 63 of a set of numbers, as a number of 64 bits
in_mask T int -> bool -- the value is from 0 to 63 and its bit is set (args: value, mask)
meets int int -> bool -- two words have a bit in common
bit_and int int -> int -- the bits that two words have in common
bit_or int int -> int -- the bits of either word
bit_xor int int -> int -- the bits that are set in one word alone
ones int -> int -- how many bits of a word are set
elements int -> set<T> -- the values of a small type whose bits are set in a word, in order
pick int #int* -> int -- the number at a place of a constant row (args: place, counted from 0, the row)
union set<T> set<T> -> set<T> -- all of the first, then all of the second
difference set<T> set<T> -> set<T> -- the first, less one for each in the second
group @T set<T> U -> set<set<T>> -- sets of elements with equal body, in order of the body (args: slot, set, body)
at set<T> int -> T -- element number n, counted from 0 (args: set, n); n must be below the count
first set<T> -> opt<T> -- first element, -1 when empty
last set<T> -> opt<T> -- last element, -1 when empty
firsts set<T> int -> set<T> -- the first n elements (args: set, n)
lasts set<T> int -> set<T> -- the last n elements
reaction #int piece:K|opt<piece:K>|int -> reaction -- a handler's number in its event (args: number, piece or -1 for a handler without piece): number << 32 | piece + 1
reaction_handler reaction -> int -- its number
reaction_piece reaction -> piece:K -- its piece
reaction_owner reaction -> opt<seat> -- the owner of its piece, -1 without piece
reaction_order seat|opt<seat>|int -> set<seat> -- whose reactions come when: players clockwise from the party (from seat 0 if it is -1), then eliminated seats, then automata
mark_code #until seat|opt<seat>|int -> int -- the stored value of a mark (args: until code, party or -1 for any): 1 + code * (parties + 1) + (party, or number of parties for -1)
get_seat seats<T> seat -> T -- the value for a party of a `seats<T>` (args: seats, party)
answer seats<opt<T>> seat -> T -- the same for a party that was asked; a RuleError if it has none
# bags and costs
bag int* -> bag:R -- counts per resource, one expression each
bag_add bag:R bag:R -> bag:R -- sum per kind
bag_sub bag:R bag:R -> bag:R -- difference per kind, stopping at zero
bag_scale int bag:R -> bag:R -- args: number, bag
bag_get bag:R #int -> int -- how many of resource number n
bag_pick bag:R enum:R -> int -- how many of a resource value (args: bag, value)
bag_one #int enum:R -> bag:R -- one of this resource value (args: number of resources, value)
bag_kinds bag:R -> set<enum:R> -- the resources of which there is at least one, in order
sub_bags bag:R int int -> set<bag:R> -- args: bag, low, high: every bag within it of low..high pieces, by size, then more of earlier resources first
bag_size bag:R -> int -- how many in all
bag_clamp bag:R int int* -> bag:R -- args: bag, limit of each (-1: none), then one limit per resource (-1: none) or nothing
placements bag:R bag:R|cost:R int int int* -> set<bag:R> -- args: present bag, added bag or cost, total limit (-1), each limit (-1), per-resource limits: every distinct bag that may be left, of each bag of what is added as much as fits
cost bag:R -> cost:R -- a bag as a cost
wild #int int bag:R #int -> cost:R -- args: number of resources, count, mask of resources as a bag of 0/1, 1 if all of them must be identical
cost_add cost:R cost:R -> cost:R -- both
cost_either cost:R cost:R -> cost:R -- whoever pays chooses which of them
cost_sub cost:R bag:R -> cost:R -- the first, less a bag, fixed parts first, stopping at zero
cost_scale int cost:R -> cost:R -- args: number, cost
cost_fixed cost:R -> bag:R -- the fixed part of a cost
cost_size cost:R -> int -- number of icons in a cost
expansions cost:R -> set<bag:R> -- every distinct bag that satisfies a cost exactly
purse #var _* -> _ -- a bag variable as a purse
purses_of #pvar set<piece:K> -> set<purse:R> -- the bag variables of a set of pieces as purses
purses purse:R|set<purse:R>* -> set<purse:R> -- purses (or sets of purses) in order
can_pay cost:R purse:R|set<purse:R> -> bool -- args: cost, purses: some payment exists
payments cost:R purse:R|set<purse:R> -> set<payment:R> -- every payment (flat counts, purse by purse) with a distinct result
holdings purse:R|set<purse:R> -> bag:R -- what purses hold together
# grids
toward #grid cell:G dir -> opt<cell:G> -- the neighbour of a cell in a direction
edge #grid cell:G dir|cell:G -> opt<enum:E> -- the edge of a cell in a direction, or between it and another cell; -1 if there is none
ray #grid cell:G dir -> set<cell:G> -- cells from the next one to the edge in a direction
neighbours #grid cell:G -> set<cell:G> -- by the grid's adjacency, in order of direction
distance #grid cell:G cell:G -> int -- steps by the grid's adjacency, whatever stands between
region #grid cell:G set<cell:G> -> set<cell:G> -- the connected part of a set of cells that contains a cell, nearest first (empty if it is not in the set)
on_edge #grid cell:G -> bool -- on the border
lines #grid int -> set<set<cell:G>> -- all straight runs of n cells: rows, columns, both diagonals (n is constant)
column #grid cell:G -> int -- from 1
row #grid cell:G -> int -- from 1
cell_at #grid int int -> opt<cell:G> -- args: column, row
opposite dir -> dir -- the other way
direction #grid cell:G cell:G -> opt<dir> -- the direction of a ray from the first cell through the second, -1 if there is none
# calls
call #proc _* -> _ -- a procedure that does not suspend
possible #proc _ _* -> _ -- args: procedure, condition (reads the caller's locals, in the scratch state), arguments: some run of it ends with the condition true
""")

STATEMENTS = _table("""
set @ _ -> void -- a local
set_var #var _ _* -> void -- args: variable, value, indices; out of range is a RuleError; logged
set_pvar #pvar _ _ -> void -- args: variable, piece, value; logged
move piece:K|opt<piece:K>|set<piece:K> zone #str #int -> void -- args: piece, optional piece or set; zone; `top` or `bottom`; 1 if secretly. As many as fit; logged as one event per origin
move_slots zone int zone #str #int -> void -- args: origin, how many from its top (as they lie, unknown ones too), destination, end, secretly
shuffle zone -> void -- the order of a pile instance becomes unknown to all
settle zone -> void -- unknown pieces of a zone whose pools lie wholly within it become known in any order, which is of no matter any more
spend payment:R purse:R|set<purse:R> -> void -- args: payment, purses
clear_marks #until seat|opt<seat>|int -> void -- args: until code, party (or -1): unsets the marks that wait for it
reset #var -> void -- every cell of an internal variable goes back to its start
reveal T set<seat> -> void -- args: value, set of seats: an event with the value
begin #str seat|opt<seat>|int -> void -- args: `turn`, `round`, `phase`; party or -1: counts and logs the start of a scope
eliminate seat -> void -- the party is no longer in players
win set<seat> -> void -- args: set of seats: they win (all others lose)
draw_game -> void -- the game ends drawn
defer #str -> void -- the game ends after this `turn`, `round`, `phase`
undefer #str -> void -- it does not, for the time being
check bool #str -> void -- a RuleError with the text unless the condition holds
evaluate T -> void -- reads a pure call for its effects (procedures that do not suspend but write)
""")
