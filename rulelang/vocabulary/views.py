"""The rules of visibility (`visible` of a zone or variable): who sees what, for checks, views and searches."""

from __future__ import annotations

from typing import NamedTuple


class ViewRule(NamedTuple):
    """Who sees what lies in a zone, or the value of a variable.

    Attributes:
        own, others: whether the player that it belongs to sees it, and all other players; whoever looks on sees it if
            both do. top: whether all see the top of a pile. counts: whether all see how many pieces there are.
    """

    own: bool
    others: bool
    top: bool = False
    counts: bool = True

    @property
    def public(self) -> bool:
        """Whether all see it."""
        return self.own and self.others

    @property
    def unseen(self) -> bool:
        """Whether no player sees it, but for the top of a pile."""
        return not (self.own or self.others)

    @property
    def by_owner(self) -> bool:
        """Whether it depends on whose it is."""
        return self.own != self.others

    @property
    def private(self) -> bool:
        """Whether a player may see what not all do, or nobody sees anything."""
        return self.by_owner or not self.counts


VIEWS = {
    "all": ViewRule(True, True),
    "owner": ViewRule(True, False),
    "others": ViewRule(False, True),
    "top": ViewRule(False, False, top=True),
    "count": ViewRule(False, False),
    "nobody": ViewRule(False, False, counts=False),
}
