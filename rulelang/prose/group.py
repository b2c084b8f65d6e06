"""A collection as sentences speak of it: the noun of its elements and what is said of them.

Enters: what an expression says of a collection. Leaves: a `NounGroup`, from which phrases for one, each or all come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING

from rulelang.languages.grammar import Noun, Phrase, bare
from rulelang.prose.sorts import Sort

if TYPE_CHECKING:
    from rulelang.prose.context import ProseContext

Tail = Callable[[bool], str]


def always(text: str) -> Tail:
    """Return a tail that is the same for one and several elements."""
    return lambda many: text


def when_asked(tail: Tail) -> Tail:
    """Memoise a tail and compute it lazily, as nested sentences would otherwise be built twice at each level."""
    return cache(tail)


@dataclass(frozen=True)
class NounGroup:
    """`noun` with what follows it: `tail` for one element (False) or several (True).

    `whole`: how the whole collection is called, if it has a name of its own. `items`: its elements, if they are listed.
    `bare`: it is a zone; `told`: a relative clause follows the noun already.
    """

    noun: Noun
    sort: Sort
    tail: Tail = field(default=always(""), compare=False)
    whole: Phrase | None = None
    items: tuple[str, ...] = ()
    bare: bool = False
    told: bool = False

    def one(self, at: ProseContext) -> Phrase:
        """Return the phrase of one element: `a card in your hand`."""
        if self.items:
            return Phrase(at.joined(self.items, "or"), plain=False)
        return Phrase(f"{at.a(self.noun)} {self.tail(False)}".strip(), self.noun.gender or "m", plain=False)

    def each(self, at: ProseContext) -> Phrase:
        """Return the phrase of each element: `each card in your hand`."""
        if self.items:
            return Phrase(at.say("each.items", items=at.joined(self.items)), plain=False)
        noun, rest = bare(self.noun), self.tail(False)
        return replace(noun, text=at.say("each", noun=noun, rest=rest), plain=not rest)

    def none(self, at: ProseContext) -> Phrase:
        """Return the phrase of no element: `no card in your hand`."""
        if self.items:
            return Phrase(at.say("none.items", items=at.joined(self.items, "or")), plain=False)
        return Phrase(at.say("none" + self.feminine, noun=bare(self.noun), rest=self.tail(False)), plain=False)

    def all(self, at: ProseContext) -> Phrase:
        """Return the phrase of all elements: `the cards in your hand`, or the name of the whole."""
        if self.whole is not None:
            return self.whole
        if self.items:
            return Phrase(at.joined(self.items), many=len(self.items) > 1, plain=False)
        the, rest = at.the(self.noun, True), self.tail(True)
        return Phrase(f"{the} {rest}".strip(), the.gender, True, plain=not rest)

    def several(self, at: ProseContext) -> str:
        """Return the phrase of some elements: `cards in your hand`."""
        return f"{self.noun.many} {self.after(at, True)}".strip()

    def so_many(self, at: ProseContext, number: str) -> str:
        """Return the noun after a number: `2 cards in your hand`."""
        if self.items:
            return at.say("so_many.items", n=number, items=at.joined(self.items))
        return f"{at.counted(number, self.noun)} {self.tail(number != '1')}".strip()

    def after(self, at: ProseContext, many: bool = False) -> str:
        """Return the text after the noun of one element, or of several."""
        return at.say("among", group=at.joined(self.items)) if self.items else self.tail(many)

    @property
    def feminine(self) -> str:
        """The key suffix of templates for feminine nouns; empty for others."""
        return ".f" if self.noun.gender == "f" else ""
