"""The parameters of a search.

Enters: numbers and names from callers. Leaves: `SearchOptions`, validated.
"""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.diagnostics import UsageError

ROLLOUTS = ("uniform", "mast", "greedy")
SIMULTANEOUS = ("uct", "regret")
TREES = ("auto", "single", "multiple")
BACKENDS = ("auto", "native", "interpreter")
MOST_ITERATIONS = 100_000_000
MOST_BATCH = 4096
UNTIL_MOST_EDGES = 1 << 22


@dataclass(frozen=True)
class SearchOptions:
    """The parameters of a search.

    Attributes:
        exploration: the constant c of UCB1, for utilities from 0 to 1.
        rollout: policy below the tree: `uniform`; `mast` (Finnsson & Bjornsson 2008: the
            action with the best average so far, one time in four any); `greedy`: the option after which the seat has
            most at the next decision (its payoff if one is declared, else its points; a win above all), of more than
            16 options the best of 16 drawn; seats that choose at once choose at random.
        simultaneous: the search of simultaneous choices: `uct` (decoupled UCT: each takes its best option by
            itself, which finds no mixed strategy), or `regret` (regret matching, Hart & Mas-Colell 2000, whose average
            goes to an equilibrium where two seats have opposite payoffs; the option is drawn from it).
        trees: `single` (SO-ISMCTS: actions as who takes them sees them), `multiple` (MO-ISMCTS: one tree for each
            seat, with actions as that seat sees them), `auto`: multiple where a ruleset has secret or simultaneous
            choices.
        score_share: weight of the lead in points in a utility, from 0 to 1; the rest is for winning.
        reuse: whether a seat's next search reuses its trees and worlds. Then a move depends on earlier searches.
        backend: `native`, `interpreter`, or `auto`: native where there is a compiler.
    """

    exploration: float = 0.7
    rollout: str = "uniform"
    simultaneous: str = "uct"
    trees: str = "auto"
    score_share: float = 0.25
    reuse: bool = False
    backend: str = "auto"

    def __post_init__(self) -> None:
        """Raise UsageError for an unknown name or a number out of range."""
        for name, value, names in (
            ("rollout", self.rollout, ROLLOUTS),
            ("simultaneous", self.simultaneous, SIMULTANEOUS),
            ("trees", self.trees, TREES),
            ("backend", self.backend, BACKENDS),
        ):
            if value not in names:
                raise UsageError(f"`{name}` is one of {', '.join(names)}, not `{value}`")
        if not 0 <= self.exploration <= 100 or not 0 <= self.score_share <= 1:
            raise UsageError("`exploration` lies between 0 and 100, `score_share` between 0 and 1")
