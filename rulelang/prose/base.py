"""What every part of the writer of sentences stands on: the place in the text, names, nouns, templates.

Enters: a ruleset's nouns and lexicon. Leaves: phrases for names. Nothing here knows a construct of the language.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, TypeVar, cast

from rulelang.prose.grammar import Grammar, Phrase, settled
from rulelang.prose.sorts import NUMBER, PLAYER, UNKNOWN, Nouns, Sort
from rulelang.syntax import ast
from rulelang.words.languages import Noun
from rulelang.words.lexicon import Lexicon, plain_words

GENERIC = frozenset("who seat it other".split())
"""Names of locals that say no more than their sort."""


@dataclass(frozen=True)
class Bound:
    """What a local name stands for and how it is called, by which noun."""

    sort: Sort
    phrase: Phrase
    noun: str = ""


class Names(dict[str, Bound]):
    """Locals by name; nobody writes on one, so that it can be a key."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class Context:
    """Where in the text one is: who acts, what the names mean. `lead` is the name that begins a relative clause,
    `rule` the rule in which one is.
    """

    you: Phrase
    owner: Phrase
    this: Phrase
    kind: str = ""
    names: Names = field(default_factory=Names)
    lead: str = ""
    begins: Phrase = Phrase("")  # noqa: RUF009 - it is frozen
    addressed: bool = True
    rule: str = ""

    def bind(self, name: str, bound: Bound) -> Context:
        """With one more name."""
        return replace(self, names=Names({**self.names, name: bound}))

    def leading(self, name: str, phrase: Phrase) -> Context:
        """A clause that the name begins, said as this phrase."""
        return replace(self, lead=name, begins=phrase)

    @property
    def after(self) -> Context:
        """What comes after the beginning of a clause."""
        return replace(self, lead="") if self.lead else self

    @property
    def quiet(self) -> Phrase:
        """Who acts, as no subject of a command."""
        return settled(self.you)


class Base:
    """Names and templates of one ruleset in one language."""

    def __init__(self, nouns: Nouns, lexicon: Lexicon, grammar: Grammar) -> None:
        self.nouns = nouns
        self.lexicon = lexicon
        self.grammar = grammar
        self.language = lexicon.language
        self.begun = 0
        self.said: dict[tuple[str, int, Context, tuple[Hashable, ...]], tuple[Any, int, ast.Expr]] = {}

    # ---- templates

    def say(self, template: str, **fields: Phrase | str | int) -> str:
        """A template of the language with its fields."""
        phrases = {n: f if isinstance(f, Phrase) else Phrase(str(f)) for n, f in fields.items()}
        return self.grammar.fill(self.grammar.templates[template], phrases, self._counted)

    def phrase(self, template: str, **fields: Phrase | str | int) -> Phrase:
        """A template that is a noun with its article."""
        return self.grammar.phrase(self.say(template, **fields))

    def _counted(self, number: str, unit: str) -> str:
        return self.counted(number, self.unit(unit))

    def joined(self, parts: list[str], word: str = "and") -> str:
        """`a, b and c`."""
        return self.language.joined(parts, word)

    def quoted(self, name: str) -> str:
        """A name that is no noun, between quotation marks."""
        return self.say("quoted", name=self.lexicon.name(name))

    # ---- nouns

    def unit(self, name: str) -> Noun:
        """The noun that counts: of the name `coins`, `coin` and `coins`."""
        noun = self.lexicon.noun(name)
        word = self.lexicon.word(name)
        if word is not None and (word.many or word.article):
            return noun
        text = word.one if word is not None and word.one else plain_words(name)
        if not self._is_plural(text):
            return noun
        return Noun(text[:-1] if " " not in text else text, text, noun.gender)

    def counts(self, name: str) -> bool:
        """Whether a name is a noun that one has so many of."""
        word = self.lexicon.word(name)
        if word is not None and (word.many or word.article):
            return bool(word.many)
        return self._is_plural(word.one if word is not None and word.one else plain_words(name))

    def _is_plural(self, text: str) -> bool:
        """Whether a noun without other forms is a plural: its head ends with -s."""
        head = text.partition(" of ")[0].split(" ")
        words = head[:1] if self.language.code == "fr" else head
        return any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in words)

    def whole(self, name: str) -> Noun:
        """The noun for all that a zone or variable holds: `hand`, `coins`."""
        unit = self.unit(name)
        return Noun(unit.many, unit.many, unit.gender, unit.article, plural=True) if self.counts(name) else unit

    def attribute_noun(self, owner: Sort, name: str) -> Noun:
        """The noun of an attribute; one of its own owner before one of all owners."""
        if name in self.grammar.nouns and name not in self.nouns.zones and name not in self.nouns.variables:
            if self.lexicon.word(name) is None and not any(name in a for a in self.nouns.attributes.values()):
                return self.grammar.nouns[name]
        qualified = f"{owner.name}.{name}"
        if owner.name and self.lexicon.word(qualified) is not None:
            return self.lexicon.noun(qualified)
        return self.whole(name)

    def noun(self, sort: Sort) -> Noun:
        """What an element of this sort is called."""
        if sort.what == "player":
            return self.lexicon.noun("player") if self.lexicon.word("player") is not None else self.grammar.player
        if sort.name and sort.what in ("piece", "value", "cell"):
            return self.lexicon.noun(sort.name)
        return self.grammar.nouns.get(sort.what, self.grammar.nouns["unknown"])

    def goods(self, sort: Sort) -> Noun:
        """What lies in a bag of this sort."""
        return self.lexicon.noun(sort.name) if sort.name in self.nouns.resources else self.grammar.nouns["goods"]

    def counted(self, number: str | int, noun: Noun) -> str:
        """So many: `2 cards`, `n cards`."""
        text = str(number)
        return f"{text} {self.language.form(noun, int(text)) if text.lstrip('−-').isdigit() else noun.many}"

    def a(self, noun: Noun) -> Phrase:
        """With the indefinite article."""
        return Phrase(self.language.a(noun), noun.gender or "m")

    def the(self, noun: Noun, count: int = 1) -> Phrase:
        """With the definite article."""
        return Phrase(self.language.the(noun, count), noun.gender or "m", noun.plural or count > 1)

    def that(self, noun: Noun, count: int = 1) -> Phrase:
        """With a demonstrative."""
        many = count > 1
        word = noun.many if many else noun.one
        feminine = noun.gender == "f"
        vowel = self.language.code == "fr" and self.language.the(noun).startswith("l'")
        key = "those" if many else "that.f" if feminine else "that.vowel" if vowel else "that"
        return Phrase(self.say(key, noun=word), noun.gender or "m", many)

    # ---- locals

    def local(self, name: str, sort: Sort, taken: Mapping[str, Bound], noun: Noun | None = None) -> Bound:
        """How a new local is called: `that card`, `n`, `the card “other”` where there is one of these already."""
        if sort.what in ("number", "bool", "unknown", "group") and not sort.many:
            return Bound(sort, Phrase(plain_words(name) if sort == NUMBER and len(name) == 1 else self.quoted(name)))
        noun = noun or self.noun(sort)
        phrase = self.that(noun, 2 if sort.many else 1)
        if self.is_taken(noun, name, taken):
            text = self.say("labelled", noun=self.the(noun, 2 if sort.many else 1), label=plain_words(name))
            phrase = Phrase(text, phrase.gender, phrase.many, plain=False)
        return Bound(sort, phrase, noun.one)

    def is_taken(self, noun: Noun, name: str, taken: Mapping[str, Bound]) -> bool:
        """Whether another local is called by the same noun."""
        return any(bound.noun == noun.one for other, bound in taken.items() if other != name)

    def telling(self, name: str, noun: Noun) -> bool:
        """Whether the name of a value says more than its sort; names are English."""
        if self.lexicon.language.code != "en" or len(name) <= 2 or name in GENERIC:
            return False
        return plain_words(name).lower() not in (noun.one.lower(), noun.many.lower())

    def sort(self, node: ast.Expr, at: Context) -> Sort:
        """The sort of a value that stands in this place."""

        def local(name: str) -> Sort | None:
            if name in at.names:
                return at.names[name].sort
            if name == "this":
                return Sort("piece", at.kind) if at.kind else UNKNOWN
            return PLAYER if name in ("you", "owner") else None

        return self.nouns.of(node, local)


Say = TypeVar("Say", bound=Callable[..., Any])


def remembered(say: Say) -> Say:
    """What was said of a node in a place is not worked out again: else time doubles with each level of nesting."""

    @wraps(say)
    def wrapper(self: Base, node: ast.Expr, at: Context, *more: Hashable) -> Any:
        key = (say.__qualname__, id(node), at, more)
        if key not in self.said:
            before = self.begun
            found = say(self, node, at, *more)
            # The node is kept with it, so that no other node can get its number.
            self.said[key] = (found, self.begun - before, node)
            return found
        found, begun, _ = self.said[key]
        self.begun += begun
        return found

    return cast("Say", wrapper)


def children(node: object) -> Iterator[ast.Node]:
    """All nodes below a node, itself first."""
    if isinstance(node, ast.Node):
        yield node
        for value in vars(node).values():
            yield from children(value)
    elif isinstance(node, tuple):
        for value in node:
            yield from children(value)


def mentions(node: object, name: str) -> bool:
    """Whether a name stands anywhere in a node."""
    return any(isinstance(inner, ast.NameExpr) and inner.name == name for inner in children(node))


def conjuncts(node: ast.Expr | None) -> list[ast.Expr]:
    """The parts of an `and`."""
    if isinstance(node, ast.Logic) and node.op == "and":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [] if node is None else [node]
