"""The rules of visibility (`visible`, `size` of a zone or variable): who sees what, for checks, views, searches."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple


class ViewRule(NamedTuple):
    """Who sees what lies in a zone, or the value of a variable.

    Attributes:
        own, others: whether the player that it belongs to sees it, and all other players; whoever looks on sees it if
            both do. top: whether all see the top of a pile. counts_own, counts_others: whether they see how many pieces
            or goods there are; whoever sees these does. some: whether other players may see it, too, as their teams or
            a condition say.
    """

    own: bool
    others: bool
    top: bool = False
    counts_own: bool = True
    counts_others: bool = True
    some: bool = False

    @property
    def public(self) -> bool:
        """Whether all see it."""
        return self.own and self.others

    @property
    def unseen(self) -> bool:
        """Whether no player sees it, but for the top of a pile."""
        return not (self.own or self.others or self.some)

    @property
    def by_owner(self) -> bool:
        """Whether it depends on whose it is."""
        return self.own != self.others or self.counts_own != self.counts_others

    @property
    def counts(self) -> bool:
        """Whether all see how many there are."""
        return self.counts_own and self.counts_others

    @property
    def private(self) -> bool:
        """Whether a player may see what not all do, or nobody sees anything."""
        return self.by_owner or self.some or not self.counts

    @property
    def counted(self) -> ViewRule:
        """Who sees how many there are, as a rule of visibility."""
        return ViewRule(self.counts_own, self.counts_others)


CONDITION = "condition"
"""The word for a condition in place of a word."""
VIEWS = {
    "all": ViewRule(True, True),
    "owner": ViewRule(True, False),
    "others": ViewRule(False, True),
    "top": ViewRule(False, False, top=True),
    "count": ViewRule(False, False),
    "team": ViewRule(True, False, some=True),
    CONDITION: ViewRule(False, False, some=True),
    "nobody": ViewRule(False, False, counts_own=False, counts_others=False),
}
SIZES = {"all": (True, True), "owner": (True, False), "nobody": (False, False)}
"""Who may count what lies there (`size`) -> whether its owner may, and all others."""


@cache
def view_of(visible: str, size: str = "") -> ViewRule:
    """Return the rule of a declared visibility; `size`: who may count, empty for what `visible` says alone."""
    view = VIEWS[visible]
    if not size:
        return view
    own, others = SIZES[size]
    return view._replace(counts_own=own or view.own, counts_others=others or view.others)
