"""The context in which a node is said, and the tables of what says each class of nodes.

Enters: a ruleset's nouns, lexicon and grammar, who acts, what names stand for. Leaves: phrases for names and filled
templates; the modules named for a subject (values, groups, conditions, …) register the functions that say its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rulelang.languages.grammar import Language, Noun, Phrase, settled
from rulelang.prose.group import NounGroup
from rulelang.prose.sorts import NUMBER, PLAYER, UNKNOWN, Nouns, Sort
from rulelang.registry import registering
from rulelang.syntax import ast
from rulelang.words.lexicon import Lexicon, plain_words

VALUES: dict[type[ast.Expr], Callable[[ProseContext, Any], Phrase]] = {}
"""Class of expressions -> what says them as a noun phrase; any other is a condition."""
CLAUSES: dict[type[ast.Expr], Callable[[ProseContext, Any, bool], str]] = {}
"""Class of conditions -> what says them as a clause, negated or not; any other is a value that is true."""
GROUPS: dict[type[ast.Expr], Callable[[ProseContext, Any], NounGroup | None]] = {}
"""Class of collections -> the noun of their elements; `ast.Expr` has that of any other, and where there is None."""
STATEMENTS: dict[type[ast.Node], Callable[[ProseContext, Any], str]] = {}
"""Class of statements, and blocks -> what says them as a clause; any other is its template with its own fields."""
value, clause = registering(VALUES), registering(CLAUSES)
group, statement = registering(GROUPS), registering(STATEMENTS)


@dataclass(frozen=True)
class Bound:
    """What a local name stands for and how it is called, by which noun."""

    sort: Sort
    phrase: Phrase
    noun: str = ""


@dataclass
class Memo:
    """What was said of a node in a place is not worked out again: else time doubles with each level of nesting.

    `pronouns`: how often the antecedent of a relative clause was worded by its pronoun.
    """

    said: dict[tuple[Hashable, ...], tuple[Any, int, ast.Expr]] = field(default_factory=dict)
    pronouns: int = 0


SEVERAL = 2
"""A count in the plural, for one that is not known."""


class _Fields(dict[str, Phrase]):
    """The fields of a template; one that is not given is what the node has under that name."""

    def __init__(self, at: ProseContext, node: ast.Node | None, given: Mapping[str, Phrase | str | int]) -> None:
        super().__init__({n: f if isinstance(f, Phrase) else Phrase(str(f)) for n, f in given.items()})
        self.at, self.node = at, node

    def __missing__(self, name: str) -> Phrase:
        content = self.at.you if name == "who" else getattr(self.node, name)
        self[name] = said = content if isinstance(content, Phrase) else _part(self.at, name, content)
        return said


@dataclass(frozen=True)
class ProseContext:
    """Where in the text of a ruleset one is: who acts, what the names mean.

    `kind`: of the piece whose text it is. `antecedent`: in a relative clause the name that is worded as
    `relative_pronoun`.
    `places`: of a handler what stands in the place of each parameter, `this` or `owner`, or empty.
    `addressed`: somebody is spoken to already. `rule`: in which rule one is. `level`: of numbered lists.
    """

    nouns: Nouns = field(compare=False)
    lexicon: Lexicon = field(compare=False)
    you: Phrase = Phrase("")  # noqa: RUF009 - it is frozen
    owner: Phrase = Phrase("")  # noqa: RUF009 - it is frozen
    this: Phrase = Phrase("")  # noqa: RUF009 - it is frozen
    kind: str = ""
    names: Mapping[str, Bound] = field(default_factory=dict, hash=False)
    antecedent: str = ""
    relative_pronoun: Phrase = Phrase("")  # noqa: RUF009 - it is frozen
    places: tuple[str, ...] = ()
    addressed: bool = True
    rule: str = ""
    level: int = field(default=0, compare=False)
    memo: Memo = field(default_factory=Memo, compare=False)

    @property
    def grammar(self) -> Language:
        """The language that is written."""
        return self.lexicon.language

    @property
    def templates(self) -> Mapping[str, str]:
        """Construct -> template."""
        return self.grammar.texts("prose")

    @property
    def engine_nouns(self) -> Mapping[str, Noun]:
        """What the engine itself names."""
        return self.grammar.nouns("prose")

    # ---- nodes

    def value(self, node: ast.Expr) -> Phrase:
        """Return the noun phrase of an expression."""
        phrase: Phrase = self._memoised(VALUES.get(type(node), whether), node)
        return phrase

    def clause(self, node: ast.Expr, negated: bool = False) -> str:
        """Return the clause of a condition, optionally negated."""
        clause: str = self._memoised(CLAUSES.get(type(node), _true), node, negated)
        return clause

    def group(self, node: ast.Expr) -> NounGroup:
        """Return a collection as a group with the noun of its elements."""
        group: NounGroup | None = self._memoised(GROUPS[type(node)], node) if type(node) in GROUPS else None
        return group or self._memoised(GROUPS[ast.Expr], node)

    def statement(self, node: ast.Statement | ast.Block) -> str:
        """Return the clause of a statement, or of a block within a sentence."""
        writer = STATEMENTS.get(type(node))
        return writer(self, node) if writer is not None else self.say(type(node).__name__, node)

    def _memoised(self, say: Callable[..., Any], node: ast.Expr, *more: Hashable) -> Any:
        """Memoise `say` by node and context; the count of relative pronouns is memoised with it."""
        key, memo = (say, id(node), self, more), self.memo
        if key in memo.said:
            text, pronouns, _ = memo.said[key]
            memo.pronouns += pronouns
            return text
        before = memo.pronouns
        text = say(self, node, *more)
        # The node is kept with it, so that no other node can get its number.
        memo.said[key] = (text, memo.pronouns - before, node)
        return text

    def sort(self, node: ast.Expr) -> Sort:
        """Return the sort of an expression, with the local names of this context."""
        return self.nouns.of(node, self._local_sort)

    def _local_sort(self, name: str) -> Sort | None:
        """Return the sort of a local name, of `this`, `you` or `owner`; None for other names."""
        if name in self.names:
            return self.names[name].sort
        if name == "this":
            return Sort("piece", self.kind) if self.kind else UNKNOWN
        return PLAYER if name in ("you", "owner") else None

    # ---- places

    def bind(self, name: str, bound: Bound) -> ProseContext:
        """Return a copy of the context in which a name is bound."""
        return replace(self, names={**self.names, name: bound})

    def naming(self, node: ast.Let) -> ProseContext:
        """Return a copy of the context in which a `let` name is replaced by the phrase of its value."""
        return self.bind(node.name.text, Bound(self.sort(node.value), self.value(node.value)))

    @property
    def after(self) -> ProseContext:
        """The context for the rest of a clause, once its first phrase is written."""
        return replace(self, antecedent="") if self.antecedent else self

    @property
    def quiet(self) -> Phrase:
        """The phrase of the acting seat outside of subject position."""
        return settled(self.you)

    # ---- templates

    def say(self, template: str, node: ast.Node | None = None, /, **fields: Phrase | str | int) -> str:
        """Fill a template of the language; fields that are not passed are worded from `node`."""
        return self.grammar.fill(self.templates[template], _Fields(self, node, fields), self.counted_unit)

    def phrase(self, template: str, node: ast.Node | None = None, /, **fields: Phrase | str | int) -> Phrase:
        """Fill a template that is a noun phrase; gender and number follow from its article."""
        return self.grammar.phrase(self.say(template, node, **fields))

    def joined(self, parts: Sequence[str], word: str = "and") -> str:
        """Return parts as a list in the language: `a, b and c`."""
        return self.lexicon.joined(parts, word)

    def quoted(self, name: str) -> str:
        """Return a name in quotation marks, for names that are no nouns."""
        return self.say("quoted", name=self.lexicon.name(name))

    # ---- nouns

    def unit(self, name: str) -> Noun:
        """Return the noun for counting by a name: of `coins` one `coin`, several `coins`."""
        noun, text = self.lexicon.noun(name), self._undeclined(name)
        singular = self.grammar.singular(text)
        return Noun(singular, text, noun.gender) if singular else noun

    def counts(self, name: str) -> bool:
        """Return whether a name is a plural noun that amounts are counted in, such as `coins`."""
        word = self.lexicon.word(name)
        return bool(self.grammar.singular(self._undeclined(name))) or (word is not None and bool(word.many))

    def _undeclined(self, name: str) -> str:
        """Return the noun of a name for which the ruleset gives no plural; empty if it gives one."""
        word = self.lexicon.word(name)
        if word is None:
            return plain_words(name)
        return "" if word.many or word.article else word.one or plain_words(name)

    def whole(self, name: str) -> Noun:
        """Return the noun for the whole content of a zone or variable: `hand`, `coins`."""
        unit = self.unit(name)
        return Noun(unit.many, unit.many, unit.gender, unit.article, plural=True) if self.counts(name) else unit

    def attribute_noun(self, owner: Sort, name: str) -> Noun:
        """Return the noun of an attribute; words for `OWNER.NAME` take precedence over those for `NAME`."""
        if name in self.engine_nouns and name not in self.nouns.zones and name not in self.nouns.variables:
            own = name not in self.nouns.touching and any(name in a for a in self.nouns.attributes.values())
            if self.lexicon.word(name) is None and not own:
                return self.engine_nouns[name]
        qualified = f"{owner.name}.{name}"
        if owner.name and self.lexicon.word(qualified) is not None:
            return self.lexicon.noun(qualified)
        return self.whole(name)

    def noun(self, sort: Sort) -> Noun:
        """Return the noun of an element of a sort."""
        if sort.what == "player" and self.lexicon.word("player") is not None:
            return self.lexicon.noun("player")
        if sort.name and sort.what in ("piece", "value", "cell"):
            return self.lexicon.noun(sort.name)
        return self.engine_nouns.get(sort.what, self.engine_nouns["unknown"])

    def noun_of_goods(self, sort: Sort) -> Noun:
        """Return the noun of what a bag holds."""
        return self.lexicon.noun(sort.name) if sort.name in self.nouns.resources else self.engine_nouns["goods"]

    def counted(self, number: str | int, noun: Noun) -> str:
        """Return a noun after a number, in the right form: `1 card`, `2 cards`, `n cards`."""
        return self.so_many(number, noun).text

    def so_many(self, number: str | int, noun: Noun) -> Phrase:
        """Return a noun after a number as a phrase, with which an adjective agrees."""
        text = str(number)
        digits = text.lstrip("−-")
        count = int(digits) if digits.isdigit() else SEVERAL
        many = self.grammar.is_many(count)
        return Phrase(f"{text} {self.grammar.form(noun, count)}", noun.gender or "m", many, plain=False)

    def counted_unit(self, number: str, unit: str) -> str:
        """Return the noun of a name after a number, in the right form."""
        return self.counted(number, self.unit(unit))

    def a(self, noun: Noun) -> Phrase:
        """Return the noun with its indefinite article."""
        return Phrase(self.grammar.a(noun), noun.gender or "m")

    def the(self, noun: Noun, many: bool = False) -> Phrase:
        """Return the noun with its definite article."""
        return Phrase(self.grammar.the(noun, 2 if many else 1), noun.gender or "m", noun.plural or many)

    def that(self, noun: Noun, many: bool = False) -> Phrase:
        """Return the noun with a demonstrative: `that card`, `those cards`."""
        return Phrase(self.grammar.that(noun, many), noun.gender or "m", many)

    # ---- locals

    def local(self, name: str, sort: Sort, noun: Noun | None = None) -> Bound:
        """Bind a new local to a phrase: `that card`, `n`, or `the card “other”` if another local has the same noun."""
        if sort.is_simple:
            return Bound(sort, Phrase(plain_words(name) if sort == NUMBER and len(name) == 1 else self.quoted(name)))
        noun = noun or self.noun(sort)
        phrase = self.that(noun, sort.many)
        if self.is_taken(noun, name):
            text = self.say("labelled", noun=self.the(noun, sort.many), label=plain_words(name))
            phrase = Phrase(text, phrase.gender, phrase.many, plain=False)
        return Bound(sort, phrase, noun.one)

    def is_taken(self, noun: Noun, name: str) -> bool:
        """Return whether a local other than `name` is referred to by the noun."""
        return any(bound.noun == noun.one for other, bound in self.names.items() if other != name)


def _part(at: ProseContext, name: str, part: object) -> Phrase:
    """Return the phrase of a field of a node, by the type of its content."""
    match part:
        case ast.Expr():
            return Phrase(at.after.clause(part)) if name == "condition" else at.value(part)
        case ast.Block():
            return Phrase(at.statement(part))
        case ast.Name():
            return Phrase(at.quoted(part.text))
        case tuple():
            return Phrase(at.joined([at.after.value(inner).text for inner in part]))
    return Phrase(str(part))


def whether(at: ProseContext, node: ast.Expr) -> Phrase:
    """Word a condition as a noun phrase: `whether …`."""
    return Phrase(at.say("whether", condition=at.clause(node)), plain=False)


def _true(at: ProseContext, node: ast.Expr, negated: bool) -> str:
    """Word an expression without an idiom as a condition: `… is true`."""
    return at.say("clause.value.not" if negated else "clause.value", x=at.value(node))


def uses(node: object, name: str) -> int:
    """Return the number of occurrences of a name in a node."""
    return sum(isinstance(inner, ast.NameExpr) and inner.name == name for inner in ast.walk(node))


def operands(node: ast.Expr | None, op: str) -> list[ast.Expr]:
    """Return the operands of a chain of one operator, flattened."""
    if isinstance(node, ast.Logic | ast.Arithmetic) and node.op == op:
        return [*operands(node.left, op), *operands(node.right, op)]
    return [] if node is None else [node]


def name_of(node: object) -> str:
    """Return the name if an expression is only a name; empty otherwise."""
    return node.name if isinstance(node, ast.NameExpr) else ""


def root(node: ast.Expr) -> str:
    """Return the name at the root of a path such as `a.b.c`; empty if there is none."""
    match node:
        case ast.Attribute():
            return root(node.object)
        case ast.Index(object=ast.NameExpr(), indices=(only,)):
            return root(only)
    return name_of(node)
