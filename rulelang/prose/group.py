"""A collection as sentences speak of it: the noun of its elements and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

from rulelang.prose.grammar import Phrase
from rulelang.prose.sorts import Sort
from rulelang.words.languages import Noun


@dataclass(frozen=True)
class Group:
    """`noun` with what follows it, for one element (`rest`) and for several (`rests`).

    `whole`: how the whole collection is called, if it has a name of its own. `items`: its elements, if they are listed.
    `bare`: it is a zone; `told`: a relative clause follows the noun already.
    """

    noun: Noun
    sort: Sort
    rest: str = ""
    rests: str = ""
    whole: Phrase | None = None
    items: tuple[str, ...] = ()
    bare: bool = False
    told: bool = False
