"""How large a game gets: pieces, zones and variables in its largest number of players.

Enters: the nouns, checked. Leaves: findings `ruleset-size` where a game would not fit the engine's tables.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from rulelang.diagnostics import Span
from rulelang.limits import CELLS, PIECES
from rulelang.semantics.tree.core import CExpr
from rulelang.semantics.tree.shared import Shared
from rulelang.semantics.tree.symbols import VariableSym
from rulelang.semantics.tree.types import PLAYER, BagT, Type


def check_sizes(shared: Shared) -> None:
    """Report the row with which there are too many pieces, places or values."""
    checked = shared.checked
    ruleset = checked.ruleset
    parties = max(ruleset.players, default=1) + len(ruleset.automata)

    def values(t: Type) -> int:
        """Return the number of values of an index type, the largest one over player counts."""
        sym = shared.type_sym(str(t))
        if t == PLAYER or sym is None:
            return parties
        return len(sym.values) or max((len(groups) for groups in sym.between.values()), default=parties)

    def width(variable: VariableSym) -> int:
        resource = shared.type_sym(variable.type.resource) if isinstance(variable.type, BagT) else None
        return len(resource.values) if resource is not None else 1

    pieces = _Tally(shared, PIECES, "pieces")
    cells = _Tally(shared, CELLS, "values of variables")
    for kind in checked.kinds.values():
        for row in kind.definitions:
            seats = max(ruleset.players, default=1) if row.decl.per_player else 1
            pieces.add(_copies(row.count) * seats, row.decl.span)
        for variable in kind.variables.values():
            cells.add(sum(_copies(row.count) for row in kind.definitions) * width(variable), variable.span)
    for variable in checked.variables:
        cells.add(prod(map(values, variable.per)) * width(variable), variable.span)
    zones = _Tally(shared, CELLS, "zones")
    for zone in checked.zones:
        zones.add(prod(map(values, zone.per)), zone.span)


def _copies(count: CExpr | None) -> int:
    """Return how many copies a row declares; where options decide, at least one: the table itself is bounded when a
    game is made."""
    number = count.args[0] if count is not None and count.op == "const" else 1
    return number if isinstance(number, int) else 1


class _Tally:
    """Adds up, and says once where it became too much."""

    def __init__(self, shared: Shared, bound: int, what: str) -> None:
        self.error: Callable[..., None] = shared.diagnostics.error
        self.bound = bound
        self.what = what
        self.total = 0

    def add(self, more: int, span: Span) -> None:
        """Count what is declared at a place."""
        before = self.total
        self.total += more
        if before <= self.bound < self.total:
            message = f"with this row a game has {self.total} {self.what}; the most is {self.bound}"
            self.error("ruleset-size", message, span, "declare fewer of them, or over smaller types")
