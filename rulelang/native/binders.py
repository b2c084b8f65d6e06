"""The arena mark of a decision (`Room`) and the interface to the values of its binders (`Factor`).

Enters: binders that do not depend on those before them. Leaves: `Room`; `Factor`, whose classes are in options.py; the
one of payments, `Payments`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from rulelang.ir.nodes import Binder, Expr
from rulelang.ir.walk import operands
from rulelang.limits import COUNTED
from rulelang.native.bags import width_of
from rulelang.native.expressions import Environment, Writer
from rulelang.native.purses import counted_payments, held_in, known_bags, stocked
from rulelang.native.text import numeral

LISTED = 1 << 30
"""Most elements of a list in the arena."""


class Room:
    """What a decision allocates in the arena.

    Attributes:
        mark, end: names of the saved lower and upper end. kept: whether the upper one may have moved.
    """

    def __init__(self, w: Writer) -> None:
        self.w = w
        self.mark, self.end = w.source.fresh("mark"), w.source.fresh("end")
        self.kept, self._uses = False, w.arena_uses

    @property
    def taken(self) -> bool:
        """Return whether the text emitted since then may have moved the lower end."""
        return self.w.arena_uses > self._uses

    def open(self) -> None:
        """Emit the line that saves both ends."""
        self.w.source.line(f"W *const {self.mark} UNUSED = g->top, *const {self.end} UNUSED = g->limit;")


class Factor(ABC):
    """Values of binders that do not depend on those before them.

    Attributes:
        count: the text of their number: a name or a literal. most: an upper bound of it. charge: a name for the fuel of
            the search, taken when all parts were searched; empty: none. lies: whether its values, if addresses, may
            point into the decision's part of the arena.
    """

    most = COUNTED
    charge = ""
    lies = True

    def __init__(
        self, room: Room, binders: Sequence[Binder], guards: Sequence[Sequence[Expr]], env: Environment, site: int
    ) -> None:
        self.room = room
        self.w = room.w
        self.binders = binders
        self.guards = guards
        self.env = env
        self.site = site
        self.count: str = self.w.source.fresh("n")

    @abstractmethod
    def declare(self) -> None:
        """Emit the declarations of the names that `find` fills."""

    @abstractmethod
    def find(self) -> None:
        """Emit lines that find the values."""

    @abstractmethod
    def values(self, place: str) -> list[str]:
        """Return the texts of the values of an index (a name or a literal); may emit lines before."""

    def chooses_none(self) -> str:
        """Return the text of whether the first value, a bag, is empty."""
        (value,) = self.values(numeral(0))
        return f"no_bag(LIST({value}), {self.w.layout.width(self.binders[0].type)})"


class Payments(Factor):
    """Each payment of a price: counted without a list, and only the chosen one is built."""

    most = LISTED

    def declare(self) -> None:
        fresh, line = self.w.source.fresh, self.w.source.line
        self.payments = self.binders[0].args[0]
        price, purses = operands(self.payments)
        self.cost, self.held = fresh("cost"), held_in(self.w, purses)
        self.purses: str = ""
        self.is_held = self.held != ""
        line(f"W {self.count} = 0;")
        self.is_fused = (self.env.procedure, self.binders[0].slot) in self.w.fused_payments
        if known_bags(self.w, price) is None:
            line(f"const W *{self.cost} = NULL;")
        if not self.is_held:
            self.purses, self.held = fresh("purses"), fresh("held")
            line(f"W {self.purses} = NOTHING; const W *{self.held} = NULL;")
        self.charge = self.count

    def find(self) -> None:
        w, line = self.w, self.w.source.line
        price, purses = operands(self.payments)
        if self.is_held:
            self.purses = w.text(purses, self.env)
        else:
            line(stocked(w, purses, self.env, width_of(w, price.type), (self.purses, self.held), self.is_fused))
        stock_names = self.purses, self.held, self.cost
        before, count, self.nth = counted_payments(w, self.payments, self.env, stock_names, self.is_fused)
        line(before)
        line(f"{self.count} = {count};")

    def values(self, place: str) -> list[str]:
        return [self.w.arena(self.nth(place))]
