"""A collection as sentences speak of it: the noun of its elements and what is said of them.

Enters: what an expression says of a collection. Leaves: a `Group`, from which phrases for one, each or all are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from rulelang.prose.grammar import Phrase
from rulelang.prose.sorts import Sort
from rulelang.words.languages import Noun

Tail = Callable[[bool], str]


def nothing(many: bool) -> str:
    """Nothing follows."""
    del many
    return ""


def always(text: str) -> Tail:
    """The same for one and several."""
    return lambda many: text


def when_asked(tail: Tail) -> Tail:
    """Said when it is needed, and once: sentences that nest would be said twice at each level."""
    return cache(tail)


@dataclass(frozen=True)
class Group:
    """`noun` with what follows it: `tail` for one element (False) or several (True).

    `whole`: how the whole collection is called, if it has a name of its own. `items`: its elements, if they are listed.
    `bare`: it is a zone; `told`: a relative clause follows the noun already.
    """

    noun: Noun
    sort: Sort
    tail: Tail = field(default=nothing, compare=False)
    whole: Phrase | None = None
    items: tuple[str, ...] = ()
    bare: bool = False
    told: bool = False

    @property
    def rest(self) -> str:
        """What follows the noun of one."""
        return self.tail(False)

    @property
    def rests(self) -> str:
        """What follows the noun of several."""
        return self.tail(True)
