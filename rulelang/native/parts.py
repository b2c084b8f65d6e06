"""The arena mark of a decision (`Room`) and the interface to the values of its binders (`Part`).

Enters: binders that do not depend on those before them. Leaves: `Room`; `Part`, whose classes are in options.py; the
one of payments, `Payments`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.ir.nodes import Binder, Expr
from rulelang.ir.walk import operands
from rulelang.limits import COUNTED
from rulelang.native.bags import width_of
from rulelang.native.expressions import Scope, Writer
from rulelang.native.purses import counted_payments, known_bags, stocked

LISTED = 1 << 30
"""No list in scratch space is longer."""
FEW = 4
"""It is kept in how many ways each of no more bags can be paid."""


class Room:
    """What a decision takes of scratch space.

    Attributes:
        mark, end: names of where its two ends were. kept: whether the upper one may have moved.
    """

    def __init__(self, w: Writer) -> None:
        self.w = w
        self.mark, self.end = w.source.fresh("mark"), w.source.fresh("end")
        self.kept, self._uses = False, w.arena_uses

    @property
    def taken(self) -> bool:
        """Whether the lower end may have moved, by what was written until now."""
        return self.w.arena_uses > self._uses

    def open(self) -> None:
        """Lines that remember the ends."""
        self.w.source.line(f"W *const {self.mark} UNUSED = g->top, *const {self.end} UNUSED = g->limit;")


class Part:
    """Values of binders that do not depend on those before them.

    Attributes:
        count: the text of how many there are: a name or a number. most: there are no more. charge: a name for the fuel
            that the search took, to be taken when all parts were searched; empty: none. lies: whether its values, if
            they are addresses, may be in scratch space.
    """

    most = COUNTED
    charge = ""
    lies = True

    def __init__(
        self, room: Room, binders: Sequence[Binder], guards: Sequence[list[Expr]], scope: Scope, site: int
    ) -> None:
        self.room = room
        self.w = room.w
        self.binders = binders
        self.guards = guards
        self.scope = scope
        self.site = site
        self.count: str = self.w.source.fresh("n")

    def declare(self) -> None:
        """Lines with the names that are used after `find`."""
        self.w.source.line(f"W {self.count} = 0;")

    def find(self) -> None:
        """Lines that find the values."""

    def values(self, place: str) -> list[str]:
        """The texts of the values at a place (a name or a number); may add lines before."""
        raise NotImplementedError

    def chooses_none(self) -> str:
        """Whether the first value, if it is chosen from a set, is the choice of nothing."""
        return "0"


class Payments(Part):
    """Each payment of a price: counted, and only the one that is chosen is made."""

    most = LISTED

    def declare(self) -> None:
        fresh, line = self.w.source.fresh, self.w.source.line
        self.payments = self.binders[0].args[0]
        price, _, *held = operands(self.payments)
        self.cost = fresh("cost")
        self.purses: str = fresh("purses")
        self.held: str = fresh("held")
        line(f"W {self.count} = 0;")
        bags = known_bags(self.w, price)
        self.bill = (self.scope.procedure, self.binders[0].slot) in self.w.bills
        self.ways: list[str] = [fresh("ways") for _ in bags or ()] if self.bill and len(bags or ()) <= FEW else []
        if bags is None:
            line(f"const W *{self.cost} = NULL;")
        elif self.ways:
            line(f"W {', '.join(f'{name} = 0' for name in self.ways)};")
        if not held:
            line(f"W {self.purses} = NOTHING; const W *{self.held} = NULL;")
        self.charge = self.count

    def find(self) -> None:
        w, line = self.w, self.w.source.line
        price, purses, *held = operands(self.payments)
        if held:
            self.purses, self.held = w.text(purses, self.scope), w.text(held[0], self.scope)
        else:
            line(stocked(w, purses, self.scope, width_of(w, price.type), (self.purses, self.held), self.bill))
        given = self.purses, self.held, self.cost
        before, self.found = counted_payments(w, self.payments, self.scope, given, self.ways, self.bill)
        if before:
            line(before)
        line(f"{self.count} = {self.found.count};")

    def values(self, place: str) -> list[str]:
        return [self.w.arena(self.found.nth(place))]
