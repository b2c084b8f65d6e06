"""The canonical form of a state, and its hash: the same for equal states, on every backend, platform and Python
version.

Enters: a state that waits or is over. Leaves: `canonical_form` (nested tuples of ints and strings) and `state_hash`
(its 128-bit BLAKE2b digest in hex).

The form, in this order:

 0. `rulelang-state`, then 1, the version of this form
 1. the ruleset's hash; the number of players; the options' values in table order
 2. `over`, `winners`, `out`, `deferred`
 3. the cells of all variables, in table order; of a game that is over what only its course needed is as at the start
    (see `settled`)
 4. for each piece variable in table order, its cells item by item
 5. for each zone instance its contents, a pile from the bottom, a bag sorted
 6. for each pool its items, sorted
 7. for each frame, outermost first: procedure, block, its locals, the slot that takes its value. A local that is not
    live is 0, a value of a `together` still to come is the empty string, bags, sets and the like are nested

The log, the seed, the generator, the fuel, the counts of decisions and turns, and whether chance is explicit are no
part of it. The byte form is the bencoding of that: an integer is `i`, its decimal digits, `e`; a string is its length
in UTF-8 bytes, `:`, its bytes; a tuple is `l`, its members, `e`.

Pools that are still in use are numbered by where they first appear in 5 (a member of pool k is written -(k + 1)).
Individuals that differ only in their copy number are numbered anew among themselves: by where they lie (zone
instance, then position in a pile; those that lie in a pool come last), then by their own variables, then by the
places (in 3, 4 and 7) that refer to them, then by colour refinement: their colour and the colours of those that they
refer to, that refer to them, and of their pool, until no class splits. If classes are still left whose members refer
to others, one member of the first such class is set apart (the one whose refinement comes out least) and the
refinement goes on. What is tied then is numbered in any order. This finds the same form for equal states unless their
references form a graph that this refinement can't tell apart.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from rulelang.memos import kept_with
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, Layout
from rulelang.runtime.state import DECLARED, State
from rulelang.vocabulary.types import Type

FORM_VERSION = 1

Form = tuple[Any, ...]
Signature = tuple[Any, ...]


def state_hash(state: State) -> str:
    """Return the 128-bit BLAKE2b hash of the state's canonical form as 32 hex digits."""
    return hashlib.blake2b(encode(canonical_form(state)), digest_size=16).hexdigest()


def search_key(state: State) -> tuple[str, int]:
    """Return a key that is equal for two states exactly if every game from one can be played from the other: the hash,
    and the number of decisions made, which `limits.decisions` bounds."""
    return state_hash(state), state.decisions


def canonical_form(state: State) -> Form:
    """Return the canonical form: equal for states that no future can tell apart, log and generator aside."""
    layout = state.layout
    pools, name = _Numbering(state).result() if any(layout.interchangeable) else (_pool_order(state), None)
    pool_number = {pool: -(place + 1) for place, pool in enumerate(pools)}
    end = layout.variable_cells
    course = settled(state)
    return (
        "rulelang-state",
        FORM_VERSION,
        layout.program.hash,
        layout.players,
        layout.options,
        state.over,
        course.winners,
        state.out,
        course.deferred,
        _variables(layout, course.cells[:end], name),
        _piece_variables(layout, course.cells, name),
        tuple(_contents(state, zone, pool_number, name) for zone in range(len(state.z))),
        tuple(_renamed(state.pools[pool], name) for pool in pools),
        tuple(_frame(state, depth, name) for depth in range(len(state.frames))),
    )


def encode(form: Any) -> bytes:
    """Return the bencoding of nested tuples of ints and strings."""
    parts: list[bytes] = []
    _encode(form, parts)
    return b"".join(parts)


def _encode(value: Any, parts: list[bytes]) -> None:
    """Append the bencoding of a value to `parts`."""
    if isinstance(value, int):
        parts.append(b"i%de" % value)
    elif isinstance(value, str):
        text = value.encode()
        parts.append(b"%d:%b" % (len(text), text))
    elif set(map(type, value)) == {int}:
        parts.append(b"l%be" % b"".join([b"i%de" % member for member in value]))
    else:
        parts.append(b"l")
        for member in value:
            _encode(member, parts)
        parts.append(b"e")


def live_slots(state: State, depth: int) -> list[int]:
    """Return the local slots of a waiting frame that hold values: the live ones of its block, without the slot that
    waits for a called procedure's value, with the one that collects a `together`.

    Args:
        depth: index of the frame, 0 for the outermost.
    """
    procedure, block, _, _ = state.frames[depth]
    code_block = state.layout.program.procedures[procedure].blocks[block]
    if depth + 1 < len(state.frames):
        return [slot for slot in code_block.live if slot != state.frames[depth + 1][3]]
    slots, decision = list(code_block.live), state.pending_decision()
    if decision is not None and decision.together and decision.result_slot not in slots:
        slots.append(decision.result_slot)
    return slots


class Course(NamedTuple):
    """What a state has of the course of its game: the cells of all variables, the bits of `deferred` and `winners`."""

    cells: list[int]
    deferred: int
    winners: int


def settled(state: State) -> Course:
    """Return what counts of the course of a game: all of it while the game goes on.

    Once it is over no limit, no depth of an event and no end that was put off matters any more, nor what a mark waited
    for: so equal positions are equal, wherever in a rule the game ended.
    """
    if not state.over:
        return Course(state.v, state.deferred, state.winners)
    cells, (counters, marks) = state.v[:], transient_cells(state.layout)
    for cell in counters:
        cells[cell] = state.layout.start_v[cell]
    for cell in marks:
        cells[cell] = int(cells[cell] != 0)
    return Course(cells, 0, state.winners if state.over == DECLARED else 0)


@kept_with
def transient_cells(layout: Layout) -> tuple[list[int], list[int]]:
    """Return the cells of internal variables that nothing reads of a finished game, and those of marks."""
    program = layout.program
    rankings = [ranking.procedure for ranking in (program.winner, *program.ties)]
    numbers = (*(line.procedure for line in program.scores), *rankings, program.payoff)
    last = [program.procedures[number] for number in numbers if number >= 0]
    read = {name for procedure in last for name in procedure.effects.reads}
    tables = (program.variables, program.piece_variables)
    placed = [(cell, tables[of_piece][variable]) for cell, (of_piece, variable, _) in enumerate(layout.cell_place)]
    counters = [cell for cell, table in placed if table.internal and f"var:{table.name}" not in read]
    return counters, [cell for cell, table in placed if table.mark]


# ---- the parts of the form -------------------------------------------------------------------------


def _renamed(items: Sequence[int], name: Sequence[int] | None) -> tuple[int, ...]:
    """Return items sorted by their canonical numbers (`name`; None: as they are)."""
    return tuple(items) if name is None else tuple(sorted(name[item] for item in items))


def _variables(layout: Layout, cells: list[int], name: Sequence[int] | None) -> tuple[int, ...]:
    """Return the cells of all variables, individuals by their canonical numbers."""
    if name is not None:
        for variable, table in enumerate(layout.program.variables):
            if layout.refers(table.type):
                for cell in layout.cells_of_variable(variable):
                    cells[cell] = cells[cell] if cells[cell] < 0 else name[cells[cell]]
    return tuple(cells)


def _piece_variables(layout: Layout, v: list[int], name: Sequence[int] | None) -> Form:
    """Return for each piece variable its cells, item by item in the order of canonical numbers."""
    values = []
    for variable, table in enumerate(layout.program.piece_variables):
        items = layout.kind_items[layout.pvar_kind[variable]]
        first = layout.pvar_base[variable]
        width = layout.pvar_width[variable]
        cells = v[first : first + width * len(items)]
        if name is not None:
            if layout.refers(table.type):
                cells = [value if value < 0 else name[value] for value in cells]
            moved = cells[:]
            for item in items:
                old, new = (item - items.start) * width, (name[item] - items.start) * width
                moved[new : new + width] = cells[old : old + width]
            cells = moved
        values.append(tuple(cells))
    return tuple(values)


def _contents(state: State, zone: int, pool_number: dict[int, int], name: Sequence[int] | None) -> tuple[int, ...]:
    """Return the contents of a zone in canonical numbers, a bag sorted.

    Args:
        pool_number: pool -> the negative number of its members. name: item -> canonical number, None: as they are.
    """
    items = [
        pool_number[-value - 1] if value < 0 else value if name is None else name[value] for value in state.z[zone]
    ]
    return tuple(items if state.layout.inst_kept[zone] else sorted(items))


def _frame(state: State, depth: int, name: Sequence[int] | None) -> Form:
    """Return the canonical form of a frame: procedure, block, locals (0 if not live), slot."""
    procedure, block, values, slot = state.frames[depth]
    types = state.layout.program.procedures[procedure].locals
    locals_: list[Any] = [0] * len(values)
    for live in live_slots(state, depth):
        locals_[live] = _value(state.layout, types[live], values[live], name)
    return (procedure, block, tuple(locals_), slot)


def _value(layout: Layout, type_: Type, value: Any, name: Sequence[int] | None) -> Any:
    """Return the canonical form of a local's value; an absent value is -1 whatever its type."""
    if value is None:
        return ""
    if isinstance(value, int):
        return int(value) if name is None or value < 0 else _scalar(layout, type_.core, value, name)
    if type_.kind in ("bag", "cost", "payment"):
        return value
    inner = type_.inner
    if type_.kind == "opt":
        return _value(layout, inner, value, name)
    return tuple(_value(layout, inner, member, name) for member in value)


def _scalar(layout: Layout, type_: Type, value: int, name: Sequence[int]) -> Any:
    """Return a scalar with the individual that it refers to by its canonical number."""
    if type_.kind == "piece" and layout.identity(type_):
        return name[value]
    if type_.kind == "purse" and layout.cell_place[value][0]:
        _, variable, item = layout.cell_place[value]
        return layout.pvar_cell(variable, name[item])
    if type_ == "reaction" and (piece := individual(layout, value)) >= 0:
        return value - piece + name[piece]
    return value


def individual(layout: Layout, reaction: int) -> int:
    """Return the piece of a reaction value if it is an individual, else -1."""
    piece = (reaction & REACTION_MASK) - 1
    if piece < 0 or not layout.program.kinds[layout.item_kind[piece & ITEM_MASK]].identity:
        return -1
    return piece


# ---- numbering ---------------------------------------------------------------------------------------


def _appearances(state: State) -> dict[int, list[tuple[int, int]]]:
    """Return where the members of each pool are: pool -> (zone instance, position in a pile or -1), in order."""
    appearances: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for zone, contents in enumerate(state.z):
        pile = state.layout.inst_kept[zone]
        for position, value in enumerate(contents):
            if value < 0:
                appearances[-value - 1].append((zone, position if pile else -1))
    return appearances


def _pool_order(state: State) -> list[int]:
    """Return the pools in use in canonical order, when no two individuals are alike."""
    places = _appearances(state)
    return sorted(places, key=lambda pool: (places[pool], state.pools[pool]))


class _Numbering:
    """Canonical numbering by colour refinement (1-dimensional Weisfeiler-Leman) with individualisation.

    Nodes are pools (-1, -2, …) and the individuals that may be interchangeable with others (>= 0).

    Attributes:
        classes: first item of a definition and seat -> its items. head: item -> that first one. movable: items in
            classes.
        edges: node -> (label, node). paths: item -> the places outside of pieces that refer to it. places: see
            `_appearances`.
        colours: node -> rank of its signature.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.layout = state.layout
        layout = self.layout
        self.classes: dict[int, list[int]] = {}
        first: dict[tuple[int, int, int], int] = {}
        self.head = list(range(layout.items))
        for kind, items in enumerate(layout.kind_items):
            if layout.interchangeable[kind]:
                for item in items:
                    key = (kind, layout.item_definition[item], layout.item_seat[item])
                    self.head[item] = first.setdefault(key, item)
                    self.classes.setdefault(self.head[item], []).append(item)
        self.classes = {head: items for head, items in self.classes.items() if len(items) > 1}
        self.movable = {item for items in self.classes.values() for item in items}
        self.referring = {cell for cell, *_ in layout.referring_cells}
        self.edges: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self.paths: dict[int, list[Signature]] = defaultdict(list)
        self.pool_of: dict[int, int] = {}
        self._add_paths_of_locals()
        self._add_edges()
        self.places = _appearances(state)
        self.colours = self._rank(self._initial_signatures())

    def result(self) -> tuple[list[int], list[int]]:
        """Return the pools in use in canonical order, and item -> canonical number."""
        self.colours, _ = self._refine(self.colours)
        while (tied := self._tied()) is not None:
            self.colours = min(
                (self._refine(self._individualised(node)) for node in tied), key=lambda refined: refined[1]
            )[0]
        name = list(range(self.layout.items))
        for items in self.classes.values():
            for number, item in zip(items, sorted(items, key=lambda node: (self.colours[node], node)), strict=True):
                name[item] = number
        pools = sorted(self.places, key=lambda pool: (self.places[pool], self.colours[-pool - 1]))
        return pools, name

    # ---- the graph

    def _add_edges(self) -> None:
        """Add the references in variables: edges between movable individuals, paths from other cells; and edges from
        individuals to their pools."""
        layout, v = self.layout, self.state.v
        for cell, of_piece, variable, owner in layout.referring_cells:
            value = v[cell]
            if value < 0 or value not in self.movable:
                continue
            if of_piece and owner in self.movable:
                self.edges[owner].append((2 * variable, value))
                self.edges[value].append((2 * variable + 1, owner))
            else:
                self.paths[value].append((0, cell))
        code = 2 * len(layout.program.piece_variables)
        for pool, items in enumerate(self.state.pools):
            for item in items:
                if item in self.movable:
                    self.pool_of[item] = pool
                    self.edges[item].append((code, -pool - 1))
                    self.edges[-pool - 1].append((code, item))

    def _add_paths_of_locals(self) -> None:
        """Add the references in live locals of frames as paths."""
        for depth, (procedure, _, values, _) in enumerate(self.state.frames):
            types = self.layout.program.procedures[procedure].locals
            for slot in live_slots(self.state, depth):
                for item, path in self._references_in(types[slot], values[slot], ()):
                    self.paths[item].append((1, depth, slot, *path))

    def _references_in(self, type_: Type, value: Any, path: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the movable individuals that a local refers to, each with its path inside the value."""
        if value is None or isinstance(value, int):
            inner = type_.core
            if value is None or value < 0:
                return
            if inner.kind == "piece" and self.layout.identity(inner) and value in self.movable:
                yield value, path
            elif inner.kind == "purse" and self.layout.cell_place[value][0]:
                _, variable, item = self.layout.cell_place[value]
                if item in self.movable:
                    yield item, (*path, variable)
            elif inner == "reaction" and (piece := individual(self.layout, value)) in self.movable:
                yield piece, (*path, value - piece)
        elif type_.kind not in ("bag", "cost", "payment"):
            inner = type_.inner
            if type_.kind == "opt":
                yield from self._references_in(inner, value, path)
                return
            for position, member in enumerate(value):
                yield from self._references_in(inner, member, (*path, position))

    # ---- colours

    def _initial_signatures(self) -> dict[int, Signature]:
        """Return the initial signature of every node: what distinguishes it without its edges."""
        layout, state = self.layout, self.state
        signatures: dict[int, Signature] = {}
        position = {
            value: place if layout.inst_kept[zone] else -1
            for zone, contents in enumerate(state.z)
            for place, value in enumerate(contents)
            if value >= 0
        }
        for item in self.movable:
            location = (1,) if item in self.pool_of else (0, state.where[item], position.get(item, -1))
            signatures[item] = (0, self.head[item], location, self._own_values(item), tuple(sorted(self.paths[item])))
        for pool in self.places:
            items = tuple(sorted(self.head[item] for item in state.pools[pool]))
            signatures[-pool - 1] = (1, tuple(self.places[pool]), items)
        return signatures

    def _own_values(self, item: int) -> tuple[int, ...]:
        """Return the values of an item's variables; references to movable individuals are left to the edges."""
        v = self.state.v
        return tuple(
            -2 if cell in self.referring and v[cell] in self.movable else v[cell] for cell in self.layout.cells_of(item)
        )

    @staticmethod
    def _rank(signatures: dict[int, Signature]) -> dict[int, int]:
        """Return node -> rank of its signature among the distinct signatures."""
        order = {signature: rank for rank, signature in enumerate(sorted(set(signatures.values())))}
        return {node: order[signature] for node, signature in signatures.items()}

    def _refine(self, colours: dict[int, int]) -> tuple[dict[int, int], list[list[Signature]]]:
        """Refine colours until no class splits; return them and the sorted signatures of each round, by which
        refinements compare."""
        trace: list[list[Signature]] = []
        while True:
            signatures = {
                node: (colour, tuple(sorted((label, colours[other]) for label, other in self.edges.get(node, ()))))
                for node, colour in colours.items()
            }
            trace.append(sorted(signatures.values()))
            finer = self._rank(signatures)
            if len(set(finer.values())) == len(set(colours.values())):
                return finer, trace
            colours = finer

    def _individualised(self, node: int) -> dict[int, int]:
        """Return the colours with one node set before the rest of its class."""
        return {member: 2 * colour + (member != node) for member, colour in self.colours.items()}

    def _tied(self) -> list[int] | None:
        """Return the first class whose members can't be numbered in any order, because references tell them apart; else
        None."""
        groups: dict[int, list[int]] = defaultdict(list)
        for node, colour in self.colours.items():
            groups[colour].append(node)
        for _, nodes in sorted(groups.items()):
            if len(nodes) > 1 and not self._may_swap(nodes):
                return nodes
        return None

    def _may_swap(self, nodes: list[int]) -> bool:
        """Return whether any numbering of a class gives the same form: nothing refers to its members, or they lie in
        one pool that alone does."""
        edges = [self.edges.get(node, []) for node in nodes]
        if not any(edges):
            return True
        # Alike individuals in one pool that nothing else refers to.
        return all(node >= 0 and node in self.pool_of for node in nodes) and all(
            of_node == edges[0] for of_node in edges
        )
