"""A whole compiled ruleset: closed tables, procedures and decisions, for every player count and option.

Sizes that depend on the number of players or on options are expressions here and are fixed when a program is bound
(`rulelang.runtime.layout`).
"""

from __future__ import annotations

from dataclasses import field

from rulelang.ir.nodes import Decision, Expr, Procedure
from rulelang.records import record
from rulelang.vocabulary.orders import ORDERS
from rulelang.vocabulary.types import Type
from rulelang.vocabulary.views import ViewRule, view_of

IR_VERSION = 2


@record
class Site:
    """Where something came from: the rule's name, its file, place and citations (`source:first-last`); `piece` is the
    row whose rule text it is, or empty."""

    rule: str
    path: str
    line: int
    column: int
    citations: tuple[str, ...] = ()
    piece: str = ""


@record
class OptionTable:
    """`values` as ints: numbers, 0/1, or the index of the word in `words`; `players`: by number of players those that
    can be chosen, the default first, where they are not all of them."""

    name: str
    type: Type
    values: tuple[int, ...]
    words: tuple[str, ...]
    default: int
    players: tuple[tuple[int, tuple[int, ...]], ...] = ()

    def suiting(self, players: int) -> tuple[int, ...]:
        """Return the values for so many players, the default first."""
        return dict(self.players).get(players, (self.default, *(v for v in self.values if v != self.default)))


@record
class EnumTable:
    """An enumerated type. `between`: for each player count the pairs of seats that are its values (`values` is empty).

    `attributes`: name -> (type, one constant expression per value). Of the edges or corners of a grid `points` are
    where each lies (`rulelang.geometry.Points`, sorted), `present` as of a grid.
    """

    name: str
    values: tuple[str, ...]
    attributes: tuple[tuple[str, Type, tuple[Expr, ...]], ...] = ()
    between: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...] = ()
    points: tuple[tuple[tuple[int, int], ...], ...] = ()
    present: tuple[Expr, ...] = ()


@record
class GridTable:
    """Cells are numbered row by row from the first; `places` are their columns and rows, from 0. `upward`: the first
    row is the lowest, so that north leads to the next.

    `adjacency` is one of `rulelang.geometry.ADJACENCIES`. `present`: a condition over options and player count for each
    cell; empty where all are there (as in the program of a layout).
    """

    name: str
    adjacency: str
    cells: tuple[str, ...]
    places: tuple[tuple[int, int], ...]
    attributes: tuple[tuple[str, Type, tuple[Expr, ...]], ...] = ()
    present: tuple[Expr, ...] = ()
    upward: bool = False


@record
class DefinitionTable:
    """A row of `pieces`.

    `count` and `start` (of type zone; per player the seat is local 0) are expressions over options and player count.
    `attributes` are constant expressions in the order of the kind's attributes (absent: `const -1`).
    """

    id: str
    count: Expr
    start: Expr
    attributes: tuple[Expr, ...]
    per_player: bool = False
    site: int = 0
    provenance: str = "stated"


@record
class KindTable:
    """A kind of piece. `variables` index `Program.piece_variables`; `active` index `Program.zones`."""

    name: str
    identity: bool
    attributes: tuple[tuple[str, Type], ...]
    definitions: tuple[DefinitionTable, ...]
    variables: tuple[int, ...] = ()
    active: tuple[int, ...] = ()


@record
class ZoneTable:
    """`index` names the index types: `seat`, `enum:NAME` or `cell:GRID`, the first one `seat` if per player. `size`:
    who may count what lies here, empty for what `visible` says. `sight`: of `visible: condition` the condition, over
    options and player count, with whoever looks in local 0, the owner in local 1."""

    name: str
    kind: int
    index: tuple[Type, ...]
    order: str
    visible: str
    capacity: Expr | None
    refill: int = -1
    site: int = 0
    size: str = ""
    sight: Expr | None = None

    @property
    def view(self) -> ViewRule:
        """Who sees what lies here."""
        return view_of(self.visible, self.size)

    @property
    def kept(self) -> bool:
        """Whether pieces lie in the order in which they came."""
        return ORDERS[self.order].kept


@record
class VariableTable:
    """A variable (indexed like a zone) or a piece variable (`index` empty, one per item of its kind).

    `low`/`high` bound every number (also each count of a bag). `start` is an expression over options and player count,
    its index values in locals 0, 1, …. `internal` variables (limits) are not shown. `mark`: 0 is unset, else 1 + until
    code * (parties + 1) + seat (or the number of parties for any seat).
    """

    name: str
    type: Type
    index: tuple[Type, ...]
    start: Expr
    low: int
    high: int
    visible: str
    internal: bool = False
    mark: bool = False
    site: int = 0
    size: str = ""
    sight: Expr | None = None

    @property
    def view(self) -> ViewRule:
        """Who sees it."""
        return view_of(self.visible, self.size)

    @property
    def sized(self) -> bool:
        """Whether somebody may count a bag and does not see it."""
        view = self.view
        return self.type.kind == "bag" and (view.counts_own > view.own or view.counts_others > view.others)


@record
class PositionTable:
    """What is written down in `variable`: the contents of zones, the cells of variables, and values of operands of
    these types, numbers among them within `bounds`.

    Of `last` so many are kept, the oldest first; else (0) each different one in order with how often it was, up to
    `times` (0: without end). At most `most` are kept.
    """

    variable: int
    zones: tuple[int, ...]
    variables: tuple[int, ...]
    types: tuple[Type, ...]
    bounds: tuple[tuple[int, int], ...]
    last: int
    times: int
    most: int


@record
class ScoreTable:
    """A score line: a pure procedure of the scored party. `piece` names the definition it belongs to, or is empty."""

    name: str
    procedure: int
    site: int
    piece: str = ""


@record
class Ranking:
    """A winner or tie rule: `most`, `fewest` or `shared`, by a pure procedure of the party; or a winner rule `all`: all
    seats win if the procedure gives 1 for each of them, else none does.

    `procedure` is -1 for `shared` and -2 for the total score.
    """

    ranking: str
    procedure: int


@record
class AutomatonTable:
    """A party without a seat; `players` are the numbers of players with which it takes part."""

    name: str
    players: tuple[int, ...]


@record
class Program:
    """Everything a backend needs. `setup` and `play` are procedure indices; `payoff` too (-1: shares of winning); what
    it gives are `payoff_parts` of one."""

    version: int
    name: str
    hash: str
    players: tuple[int, ...]
    teams: tuple[tuple[int, tuple[tuple[int, ...], ...]], ...]
    automata: tuple[AutomatonTable, ...]
    options: tuple[OptionTable, ...]
    enums: tuple[EnumTable, ...]
    grids: tuple[GridTable, ...]
    kinds: tuple[KindTable, ...]
    zones: tuple[ZoneTable, ...]
    variables: tuple[VariableTable, ...]
    piece_variables: tuple[VariableTable, ...]
    procedures: tuple[Procedure, ...]
    decisions: tuple[Decision, ...]
    setup: int
    play: int
    scores: tuple[ScoreTable, ...]
    winner: Ranking
    ties: tuple[Ranking, ...]
    payoff: int
    sites: tuple[Site, ...]
    max_decisions: int
    outcome: str
    fuel: int
    depth: int
    untils: tuple[str, ...] = ()
    title: dict[str, str] = field(default_factory=dict)
    payoff_parts: int = 1
    positions: tuple[PositionTable, ...] = ()
