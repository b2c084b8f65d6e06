"""The operations: for each name its argument shapes and meaning. The printer, parser, verifier and every backend are driven by this table.

Argument shapes: `e` an expression; `e*` any number of expressions; `slot` a local slot (int); `int`, `str` immediates; `var`, `pvar`, `zone`, `proc`,
`enum`, `grid`, `option`, `kind` indices into the program's tables; `defs*` any number of definition indices of a kind.
A binding operation (`filter`, `map`, …) names the slot that holds the element while its last expression is read.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Op:
    """An operation: `shape` of its arguments, `result` (a type, or words where it follows from arguments), `doc`."""

    shape: tuple[str, ...]
    result: str
    doc: str


def _table(text: str) -> dict[str, Op]:
    table: dict[str, Op] = {}
    for line in text.strip().splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        head, doc = line.split(" -- ")
        signature, result = head.split(" -> ")
        name, *shape = signature.split()
        table[name] = Op(tuple(shape), result.strip(), doc.strip())
    return table


EXPRESSIONS = _table("""
# constants and where values live
const int -> any -- the value of a scalar type
local slot -> any -- a local
option option -> int -- the value of a table option (an int, see OptionTable)
player_count -> int -- number of seats in this game
var var e* -> any -- a variable at its indices; a bag variable gives a tuple of counts
pvar pvar e -> any -- a piece variable of the item
zone zone e* -> zone -- the instance of a zone at its indices
players -> set<seat> -- seats still in, in seat order
everyone -> set<seat> -- all seats
parties -> set<seat> -- seats still in and automata
automaton int -> opt<seat> -- automaton number n as a party, -1 when it is not in this game
others e -> set<seat> -- players but this one
opponents e -> set<seat> -- players not of the same team
teammates e -> set<seat> -- players of the same team but this one
next_player e -> seat -- clockwise neighbour among players still in (the party itself if alone)
previous_player e -> seat -- counter-clockwise neighbour among players still in
players_from e -> set<seat> -- players clockwise beginning with this one (or, if it is out, the next one in)
players_after e -> set<seat> -- players clockwise beginning after this one, itself left out
seat_of e -> opt<seat> -- the seat with this number, -1 if there is none
let slot e e -> any -- the second, in which the slot holds the first; that is worked out when it is first read (args: slot, value, body)
cell int e -> any -- the same, worked out at most once for all options of a decision (args: a number that equal ones share, value)
offered int e -> bool -- the same, known by whether the item at a place of the decision has an option
cast e -> any -- the same scalar, or one for each party, as another type (a seat as a number)
# numbers and truth
add e e -> int -- sum; results beyond 64 bits are an error
sub e e -> int -- difference
mul e e -> int -- product
div e e -> int -- quotient rounded down; by zero is a RuleError
mod e e -> int -- remainder with the sign of the divisor; by zero is a RuleError
neg e -> int -- minus
abs e -> int -- absolute value
min2 e e -> int -- the lesser
max2 e e -> int -- the greater
eq e e -> bool -- equal scalars
ne e e -> bool -- unequal scalars
lt e e -> bool -- less
le e e -> bool -- less or equal
gt e e -> bool -- greater
ge e e -> bool -- greater or equal
same e e -> bool -- equal values: bags by count, sets element for element, count pieces by item (not zone)
and e e -> bool -- the second is read only if the first holds
or e e -> bool -- the second is read only if the first does not hold
not e -> bool -- negation
if e e e -> any -- second if first else third
is_none e -> bool -- the optional is absent
otherwise e e -> any -- first unless absent, else second
lookup e e* -> int -- args: n, then pairs key (const), value: the value of the largest key not above n, else 0
# pieces and zones
pieces e -> set<piece> -- the known pieces of a zone instance: a pile from the top, a bag in order of items
family zone e* -> set<piece> -- the known pieces of all instances of a zone whose first indices are these, instance by instance
size e -> int -- how many pieces a zone instance holds, unknown ones included
top e -> opt<piece> -- top piece of a pile instance, -1 when empty (it must be known)
bottom e -> opt<piece> -- bottom piece
tops e e -> set<piece> -- the top n pieces, fewer if there are fewer
bottoms e e -> set<piece> -- the bottom n pieces
attr kind int e -> any -- attribute number n of a piece of the kind
eattr enum int e -> any -- attribute number n of a value of an enumerated type
gattr grid int e -> any -- attribute number n of a cell
owner e -> opt<seat> -- the declared seat of a per-player piece, else the seat index of the zone it is in, else -1
zone_of e -> opt<zone> -- the zone instance a piece is in
in_zone e e -> bool -- the piece (for counts: one alike) is in the zone instance (args: piece, zone)
cell_of grid e -> opt<cell> -- the cell index of the zone the piece is in, -1 elsewhere
individual kind int e* -> piece -- the only individual of definition number n of a kind with identity (per player: of this seat)
alike e e -> bool -- two pieces have the same definition (per-player pieces: and the same seat)
sort_of e -> int -- a number that pieces have in common if they are alike
is_def e defs* -> bool -- the piece's definition is one of these
active kind defs* -> set<piece> -- pieces of these definitions lying in active zones, in zone then item order
relocate e e -> any -- a piece or set of count pieces as found in zone instance (args: value, zone): the new handle after a move
# sets
list e* -> set -- these scalars in this order
domain str -> set -- all values of an enumerated, cell, dir or seat type, in order
numbers e e -> set<int> -- low to high
filter slot e e -> set -- elements for which the condition holds (args: slot, set, condition)
map slot e e -> set -- the body for each element
flatten slot e e -> set -- the sets that the body gives, one after another
reachable slot e e -> set -- the elements of the set and all that the body leads to from one of these, nearest first; of a type with a domain
sum slot e e -> int -- sum of the body over the elements (0 for none); bags add up to a bag (type bag:R)
any slot e e -> bool -- the body holds for some element
all slot e e -> bool -- the body holds for every element
max slot e e -> opt<int> -- greatest body, absent for none
min slot e e -> opt<int> -- least body, absent for none
most slot e e -> set -- the elements that share the greatest body
fewest slot e e -> set -- the elements that share the least body
count e -> int -- number of elements
total e -> int -- sum of a set of numbers
distinct e -> set -- without repeats, first occurrences kept
distinct_by slot e e -> set -- of the elements with equal body, a scalar or a set of numbers, the first
member e e -> bool -- the value is in the set (args: value, set)
mask e -> int -- a word with bit n set for each element n from 0 to 63 of a set of numbers, as a number of 64 bits
in_mask e e -> bool -- the value is from 0 to 63 and its bit is set (args: value, mask)
meets e e -> bool -- two words have a bit in common
ones e -> int -- how many bits of a word are set
elements e -> set -- the values of a small type whose bits are set in a word, in order
pick e int* -> int -- the number at a place of a constant row (args: place, counted from 0, the row)
union e e -> set -- all of the first, then all of the second
difference e e -> set -- the first, less one for each in the second
group slot e e -> set -- sets of elements with equal body, in order of the body (args: slot, set, body)
at e e -> any -- element number n, counted from 0 (args: set, n); n must be below the count
first e -> any -- first element, -1 when empty
last e -> any -- last element, -1 when empty
firsts e e -> set -- the first n elements (args: set, n)
lasts e e -> set -- the last n elements
reaction int e -> reaction -- a handler's number in its event (args: number, piece or -1 for a handler without piece): number << 32 | piece + 1
reaction_handler e -> int -- its number
reaction_piece e -> piece -- its piece
reaction_owner e -> opt<seat> -- the owner of its piece, -1 without piece
reaction_order e -> set<seat> -- whose reactions come when: players clockwise from the party (from seat 0 if it is -1), then eliminated seats, then automata
mark_code int e -> int -- the stored value of a mark (args: until code, party or -1 for any): 1 + code * (parties + 1) + (party, or number of parties for -1)
get_seat e e -> any -- the value for a party of a `seats<T>` (args: seats, party)
# bags and costs
bag e* -> bag -- counts per resource, one expression each
bag_add e e -> bag -- sum per kind
bag_sub e e -> bag -- difference per kind, stopping at zero
bag_scale e e -> bag -- args: number, bag
bag_get e int -> int -- how many of resource number n
bag_pick e e -> int -- how many of a resource value (args: bag, value)
bag_one int e -> bag -- one of this resource value (args: number of resources, value)
bag_kinds e -> set<enum> -- the resources of which there is at least one, in order
sub_bags e e e -> set<bag> -- args: bag, low, high: every bag within it of low..high pieces, by size, then more of earlier resources first
bag_size e -> int -- how many in all
bag_clamp e e e* -> bag -- args: bag, limit of each (-1: none), then one limit per resource (-1: none) or nothing
placements e e e e e* -> set<bag> -- args: present bag, added bag or cost, total limit (-1), each limit (-1), per-resource limits: every distinct bag that may be left, of each bag of what is added as much as fits
cost e -> cost -- a bag as a cost
wild int e e int -> cost -- args: number of resources, count, mask of resources as a bag of 0/1, 1 if all of them must be identical
cost_add e e -> cost -- both
cost_either e e -> cost -- whoever pays chooses which of them
cost_sub e e -> cost -- the first, less a bag, fixed parts first, stopping at zero
cost_scale e e -> cost -- args: number, cost
cost_fixed e -> bag -- the fixed part of a cost
cost_size e -> int -- number of icons in a cost
expansions e -> set<bag> -- every distinct bag that satisfies a cost exactly
purse var e* -> purse -- a bag variable as a purse
purses_of pvar e -> set<purse:RES> -- the bag variables of a set of pieces as purses
purses e* -> set<purse:RES> -- purses (or sets of purses) in order
can_pay e e -> bool -- args: cost, purses: some payment exists
payments e e -> set<payment:RES> -- every payment (flat counts, purse by purse) with a distinct result
holdings e -> bag -- what purses hold together
# grids
toward grid e e -> opt<cell> -- the neighbour of a cell in a direction
edge grid e e -> opt<enum> -- the edge of a cell in a direction, or between it and another cell; -1 if there is none
ray grid e e -> set<cell> -- cells from the next one to the edge in a direction
neighbours grid e -> set<cell> -- by the grid's adjacency, in order of direction
distance grid e e -> int -- steps by the grid's adjacency, whatever stands between
region grid e e -> set<cell> -- the connected part of a set of cells that contains a cell, nearest first (empty if it is not in the set)
on_edge grid e -> bool -- on the border
lines grid e -> set<set<cell>> -- all straight runs of n cells: rows, columns, both diagonals (n is constant)
column grid e -> int -- from 1
row grid e -> int -- from 1
cell_at grid e e -> opt<cell> -- args: column, row
opposite e -> dir -- the other way
direction grid e e -> opt<dir> -- the direction of a ray from the first cell through the second, -1 if there is none
# calls
call proc e* -> any -- a procedure that does not suspend
possible proc e e* -> bool -- args: procedure, condition (reads the caller's locals, in the scratch state), arguments: some run of it ends with the condition true
""")

STATEMENTS = _table("""
set slot e -> void -- a local
set_var var e e* -> void -- args: variable, value, indices; out of range is a RuleError; logged
set_pvar pvar e e -> void -- args: variable, piece, value; logged
move e e str int -> void -- args: piece, optional piece or set; zone; `top` or `bottom`; 1 if secretly. As many as fit; logged as one event per origin
move_slots e e e str int -> void -- args: origin, how many from its top (as they lie, unknown ones too), destination, end, secretly
shuffle e -> void -- the order of a pile instance becomes unknown to all
settle e -> void -- unknown pieces of a zone whose pools lie wholly within it become known in any order, which is of no matter any more
spend e e -> void -- args: payment, purses
clear_marks int e -> void -- args: until code, party (or -1): unsets the marks that wait for it
reset var -> void -- every cell of an internal variable goes back to its start
reveal e e -> void -- args: value, set of seats: an event with the value
begin str e -> void -- args: `turn`, `round`, `phase`; party or -1: counts and logs the start of a scope
eliminate e -> void -- the party is no longer in players
win e -> void -- args: set of seats: they win (all others lose)
draw_game -> void -- the game ends drawn
defer str -> void -- the game ends after this `turn`, `round`, `phase`
check e str -> void -- a RuleError with the text unless the condition holds
evaluate e -> void -- reads a pure call for its effects (procedures that do not suspend but write)
""")

EXPRESSIONS["deferred"] = Op(("str",), "bool", "the game is to end after this `turn`, `round` or `phase`")
