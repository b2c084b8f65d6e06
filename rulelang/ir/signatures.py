"""The types of the operations' operands: what `rulelang.ir.ops` leaves to words, as patterns that the verifier matches.

One line per operation: the types of its expressions (the last may repeat: `*`; alternatives: `|`), then the type of
its result. One-letter variables stand for types (T, U) or names (K kind, G grid, R resource). `@T` is the slot that a
binding operation fills. Operations whose types come from the program's tables are not here but in
`rulelang.ir.verify_nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.ir.types import Type


@dataclass(frozen=True, slots=True)
class Signature:
    """`operands`: for each the patterns that may stand there; `repeats`: the last one may occur any number of times."""

    operands: tuple[tuple[Type, ...], ...]
    repeats: bool
    result: Type
    binds: str = ""


def _table(text: str) -> dict[str, Signature]:
    table = {}
    for line in text.strip().splitlines():
        head, result = line.strip().split(" -> ")
        name, *operands = head.split()
        binds = operands.pop(0)[1:] if operands and operands[0].startswith("@") else ""
        repeats = bool(operands) and operands[-1].endswith("*")
        alternatives = tuple(tuple(map(Type, operand.removesuffix("*").split("|"))) for operand in operands)
        table[name] = Signature(alternatives, repeats, Type(result), binds)
    return table


SIGNATURES = _table("""
    player_count -> int
    players -> set<seat>
    everyone -> set<seat>
    parties -> set<seat>
    automaton -> opt<seat>
    others seat -> set<seat>
    opponents seat -> set<seat>
    teammates seat -> set<seat>
    next_player seat -> seat
    previous_player seat -> seat
    players_from seat -> set<seat>
    players_after seat -> set<seat>
    seat_of int -> opt<seat>
    deferred -> bool
    add int int -> int
    sub int int -> int
    mul int int -> int
    div int int -> int
    mod int int -> int
    neg int -> int
    abs int -> int
    min2 int int -> int
    max2 int int -> int
    eq T U -> bool
    ne T U -> bool
    same T U -> bool
    lt int int -> bool
    le int int -> bool
    gt int int -> bool
    ge int int -> bool
    and bool bool -> bool
    or bool bool -> bool
    not bool -> bool
    if bool T T -> T
    is_none opt<T> -> bool
    otherwise opt<T> T -> T
    let @T T U -> U
    lookup int int* -> int
    pieces zone -> set<piece:K>
    size zone -> int
    top zone -> opt<piece:K>
    bottom zone -> opt<piece:K>
    tops zone int -> set<piece:K>
    bottoms zone int -> set<piece:K>
    owner piece:K -> opt<seat>
    zone_of piece:K -> opt<zone>
    in_zone piece:K zone -> bool
    cell_of piece:K -> opt<cell:G>
    individual seat* -> piece:K
    alike piece:K piece:K -> bool
    sort_of piece:K -> int
    is_def piece:K -> bool
    active -> set<piece:K>
    relocate T zone -> T
    list T* -> set<T>
    numbers int int -> set<int>
    filter @T set<T> bool -> set<T>
    map @T set<T> U -> set<U>
    flatten @T set<T> set<U> -> set<U>
    reachable @T set<T> set<T> -> set<T>
    sum @T set<T> U -> U
    any @T set<T> bool -> bool
    all @T set<T> bool -> bool
    max @T set<T> int -> opt<int>
    min @T set<T> int -> opt<int>
    most @T set<T> int -> set<T>
    fewest @T set<T> int -> set<T>
    count set<T> -> int
    total set<int> -> int
    distinct set<T> -> set<T>
    distinct_by @T set<T> U -> set<T>
    member U set<T> -> bool
    mask set<T> -> int
    in_mask T int -> bool
    meets int int -> bool
    ones int -> int
    cell T -> T
    offered bool -> bool
    elements int -> set<T>
    pick int -> int
    union set<T> set<T> -> set<T>
    difference set<T> set<T> -> set<T>
    group @T set<T> U -> set<set<T>>
    at set<T> int -> T
    first set<T> -> opt<T>
    last set<T> -> opt<T>
    firsts set<T> int -> set<T>
    lasts set<T> int -> set<T>
    reaction piece:K|opt<piece:K>|int -> reaction
    reaction_handler reaction -> int
    reaction_piece reaction -> piece:K
    reaction_owner reaction -> opt<seat>
    reaction_order seat|opt<seat>|int -> set<seat>
    mark_code seat|opt<seat>|int -> int
    get_seat seats<T> seat -> T
    bag int* -> bag:R
    bag_add bag:R bag:R -> bag:R
    bag_sub bag:R bag:R -> bag:R
    bag_scale int bag:R -> bag:R
    bag_get bag:R -> int
    bag_pick bag:R enum:R -> int
    bag_one enum:R -> bag:R
    bag_kinds bag:R -> set<enum:R>
    sub_bags bag:R int int -> set<bag:R>
    bag_size bag:R -> int
    bag_clamp bag:R int int* -> bag:R
    placements bag:R bag:R|cost:R int int int* -> set<bag:R>
    cost bag:R -> cost:R
    wild int bag:R -> cost:R
    cost_add cost:R cost:R -> cost:R
    cost_either cost:R cost:R -> cost:R
    cost_sub cost:R bag:R -> cost:R
    cost_scale int cost:R -> cost:R
    cost_fixed cost:R -> bag:R
    cost_size cost:R -> int
    expansions cost:R -> set<bag:R>
    purses_of set<piece:K> -> set<purse:R>
    purses purse:R|set<purse:R>* -> set<purse:R>
    can_pay cost:R purse:R|set<purse:R> -> bool
    payments cost:R purse:R|set<purse:R> -> set<payment:R>
    holdings purse:R|set<purse:R> -> bag:R
    toward cell:G dir -> opt<cell:G>
    edge cell:G dir|cell:G -> opt<enum:E>
    ray cell:G dir -> set<cell:G>
    neighbours cell:G -> set<cell:G>
    distance cell:G cell:G -> int
    region cell:G set<cell:G> -> set<cell:G>
    on_edge cell:G -> bool
    lines int -> set<set<cell:G>>
    column cell:G -> int
    row cell:G -> int
    cell_at int int -> opt<cell:G>
    opposite dir -> dir
    direction cell:G cell:G -> opt<dir>
    move piece:K|opt<piece:K>|set<piece:K> zone -> void
    move_slots zone int zone -> void
    shuffle zone -> void
    settle zone -> void
    spend payment:R purse:R|set<purse:R> -> void
    clear_marks seat|opt<seat>|int -> void
    reset -> void
    reveal T set<seat> -> void
    begin seat|opt<seat>|int -> void
    eliminate seat -> void
    win set<seat> -> void
    draw_game -> void
    defer -> void
    check bool -> void
    evaluate T -> void
""")
