"""Collections: `the cards in your hand`, `a card in your hand whose value is 2`, `each other player`.

Enters: expressions that are collections. Leaves: groups, and the phrases that speak of all, each, one or none of them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from rulelang.languages.grammar import Noun, Phrase
from rulelang.prose.context import Bound, ProseContext, group, name_of, operands, root
from rulelang.prose.group import NounGroup, always, when_asked
from rulelang.prose.sorts import BOOL, DIRECTION_SETS, PLAYER, SEAT_CALLS, SEAT_NOUNS, Sort
from rulelang.prose.wording import sentence_parts
from rulelang.syntax import ast
from rulelang.syntax.words import BY
from rulelang.vocabulary.operations import SEAT_SETS
from rulelang.words.lexicon import plain_words

GROUPINGS = ("runs", "subsets")
"""Functions that give groups of the elements of a collection."""
COLLECTIONS = {
    "players_from": "player", "players_after": "other", "lines": "line", "shared_ranks": "rank",
    "ray": "", "neighbours": "", "region": "", "reachable": "", "numbers": "",
}  # fmt: skip
"""Function that gives a collection -> what its elements are called, if not by their sort."""

# ---- what a collection is


@group(ast.Expr)
def _zone_or_among(at: ProseContext, node: ast.Expr) -> NounGroup:
    """Return the group of the pieces in a zone, or else of the elements `among` a collection."""
    sort = at.sort(node)
    if zone_name(at, node) and sort.what == "piece":
        whole = at.value(node)
        tail = always(at.say("in.many" if whole.many else "in", zone=whole))
        return NounGroup(at.noun(sort), sort, tail, whole, bare=True)
    return _among(at, node, at.noun(sort))


def _among(at: ProseContext, node: ast.Expr, noun: Noun) -> NounGroup:
    """Return the group of the elements of a collection, as `among` its phrase."""
    whole = at.value(node)
    return NounGroup(noun, at.sort(node), always(at.say("among", group=whole)), whole)


def units(at: ProseContext, node: ast.Expr) -> NounGroup:
    """Return the group of the goods in a bag."""
    sort, whole = at.sort(node), at.value(node)
    return NounGroup(at.noun_of_goods(sort), sort, always(at.say("in", zone=whole)), whole)


@group(ast.NameExpr)
def _named(at: ProseContext, node: ast.NameExpr) -> NounGroup | None:
    """Return the group that a name denotes: seats, directions, values of a type, pieces of a kind; None for others."""
    name, nouns = node.name, at.nouns
    if name in at.names:
        return None
    if name in SEAT_NOUNS:
        return _seats(at, name, at.quiet)
    if name in DIRECTION_SETS:
        return NounGroup(at.engine_nouns["direction" if name == "Direction" else name], at.sort(node))
    if any(name in names for names in (nouns.types, nouns.resources, nouns.grids, nouns.classes)):
        return NounGroup(at.lexicon.noun(name), at.sort(node))
    return NounGroup(at.lexicon.noun(name), at.sort(node), always(at.say("in_play"))) if name in nouns.kinds else None


def _seats(at: ProseContext, name: str, of: Phrase) -> NounGroup:
    """Return the group of all players, or of the opponents or teammates of one; `of` is that player."""
    noun = at.engine_nouns[SEAT_NOUNS[name]]
    if name in SEAT_SETS or of.person == "you":
        return NounGroup(noun, PLAYER.all)
    return NounGroup(noun, PLAYER.all, always(at.say("seats.others" if name == "others" else "seats.of", x=of)))


@group(ast.Attribute)
def _attribute(at: ProseContext, node: ast.Attribute) -> NounGroup | None:
    """Return the group that an attribute of a player or collection denotes; None if it is one value."""
    owner, name = at.sort(node.object), node.name.text
    if name in SEAT_NOUNS and owner == PLAYER:
        return _seats(at, name, at.value(node.object))
    if not owner.many:
        return None
    return _zone_or_among(at, node) if zone_name(at, node) else _among(at, node, at.attribute_noun(owner.one, name))


@group(ast.Where)
def _where(at: ProseContext, node: ast.Where) -> NounGroup:
    """Return the group of a filtered collection."""
    return narrowed(at, at.group(node.collection), node.condition, "it")


@group(ast.Ranked, ast.Sorted)
def _ranked(at: ProseContext, node: ast.Ranked | ast.Sorted) -> NounGroup:
    """Return the group of the elements with the most or least of keys, or of all in their order."""
    base = at.group(node.collection)

    def tail(many: bool) -> str:
        words = [_key(at, base, key, node, not place, many) for place, key in enumerate(node.keys)]
        text = reduce(lambda first, then: at.say("SortKey.then", first=first, then=then), words)
        text = at.say("Sorted", keys=text) if isinstance(node, ast.Sorted) else text
        return f"{base.after(at, many)} {text}".strip()

    return NounGroup(base.noun, base.sort, when_asked(tail), told=True)


def _key(at: ProseContext, base: NounGroup, key: ast.SortKey, node: ast.Expr, first: bool, many: bool) -> str:
    """Word one key of a comparison; a truth by those that it holds for."""
    inner = at.after.bind("it", element(at, base, many))
    is_sorted = isinstance(node, ast.Sorted)
    if inner.sort(key.value) == BOOL:
        condition = key.value if key.ranking == "most" else ast.Not(key.span, key.value)
        return at.say(
            f"Sorted.truth{base.feminine}" if is_sorted else "SortKey.truth",
            those=relative(at, base, condition, "it", many),
        )
    if is_sorted:
        return at.say(f"Sorted.{key.ranking}", key=inner.value(key.value))
    of = ".of" if base.told and first else ""
    return at.say(f"SortKey.{key.ranking}{of}", which=_which(at, base, many), key=inner.value(key.value))


def _which(at: ProseContext, group: NounGroup, many: bool) -> str:
    """Return the pronoun `which` or `whom` as it agrees with the elements."""
    key = "which.player" if group.sort.what == "player" else "which" + group.feminine
    return at.say(f"{key}.many" if many else key)


@group(ast.Grouped)
def _grouped(at: ProseContext, node: ast.Grouped) -> NounGroup:
    """Return the group of the groups of equal attribute in a collection."""
    base = at.group(node.collection)
    members = base.several(at) if not base.items else at.joined(base.items)
    what = at.attribute_noun(base.sort.one, node.attribute.text)
    tail = always(at.say("Grouped", members=members, attribute=what.one))
    return NounGroup(at.engine_nouns["group"], base.sort.all, tail)


@group(ast.SetLiteral)
def _set(at: ProseContext, node: ast.SetLiteral) -> NounGroup:
    """Return the group of a set's listed elements."""
    sort = at.sort(node)
    if not node.elements:
        return NounGroup(at.noun(sort), sort, whole=at.phrase("SetLiteral.empty"))
    return NounGroup(at.noun(sort), sort, items=tuple(at.value(element).text for element in node.elements))


@group(ast.Arithmetic)
def _arithmetic(at: ProseContext, node: ast.Arithmetic) -> NounGroup | None:
    """Return the group of a union of collections, or of one without some elements."""
    if node.op == "-":
        base = at.group(node.left)
        without = at.say("except", x=at.after.value(node.right))
        return NounGroup(base.noun, at.sort(node), when_asked(lambda many: f"{base.after(at, many)} {without}".strip()))
    if node.op != "+":
        return None
    parts = [at.group(part) for part in operands(node, "+")]
    noun, sort = parts[0].noun, at.sort(node)
    if all(part.items for part in parts):
        return NounGroup(noun, sort, items=tuple(item for part in parts for item in part.items))

    def tail(many: bool) -> str:
        return at.joined([part.after(at, many) for part in parts], "and" if many else "or")

    whole = Phrase(at.joined([part.all(at).text for part in parts]), many=True, plain=False)
    return NounGroup(noun, sort, when_asked(tail), whole)


@group(ast.Call)
def _call(at: ProseContext, node: ast.Call) -> NounGroup | None:
    """Return the group that a call denotes: players in turn order, neighbouring cells, distinct values."""
    name, sort = node.function.text, at.sort(node)
    if name in COLLECTIONS:
        noun = at.engine_nouns[COLLECTIONS[name]] if COLLECTIONS[name] else at.noun(sort)
        inner = at if name not in BY else at.bind("it", Bound(sort.one, pronoun(at, noun, sort.one), noun.one))
        fields = dict(zip(("a", "b"), map(inner.value, node.arguments), strict=False))
        if name == "lines":
            fields["b"] = at.so_many(fields["b"].text, at.engine_nouns["cell"])
        you = ".you" if name in SEAT_CALLS and fields["a"].person == "you" else ""
        return NounGroup(noun, sort, always(at.say(f"Call.{name}{you}", **fields)))
    if name in GROUPINGS:
        base, second = at.group(node.arguments[0]), node.arguments[1]
        inner = at.after.bind("it", element(at, base)) if name in BY else at.after
        tail_text = at.say(f"Call.{name}", members=base.several(at), b=inner.value(second))
        return NounGroup(at.engine_nouns["group"], base.sort.all, always(tail_text))
    if is_one_of_each(at, node):
        return _one_of_each(at, node)
    if name in ("distinct", "each") and isinstance(node.arguments[0], ast.Attribute):
        return _among(at, node, at.unit(node.arguments[0].name.text))
    return None


def is_one_of_each(at: ProseContext, node: ast.Call) -> bool:
    """Return whether a call of `distinct` selects one element of each definition, or of equal keys."""
    plain = not isinstance(node.arguments[0], ast.Comprehension) if node.arguments else False
    return node.function.text == "distinct" and (len(node.arguments) > 1 or (plain and at.sort(node).what == "piece"))


def _one_of_each(at: ProseContext, node: ast.Call) -> NounGroup:
    """Return the group of one element for each definition, or for each combination of keys."""
    base = at.group(node.arguments[0])

    def tail(many: bool) -> str:
        inner = at.after.bind("it", element(at, base, many))
        keys = at.joined([inner.value(key).text for key in node.arguments[1:]])
        key = "Call.distinct.by" if keys else "Call.distinct.pieces"
        return at.say(key, group=base.after(at, many), keys=keys).strip()

    return NounGroup(base.noun, base.sort, when_asked(tail), told=True)


# ---- elements that a condition holds for


def pronoun(at: ProseContext, noun: Noun, sort: Sort, many: bool = False) -> Phrase:
    """Return the phrase for an element that was mentioned before: `it`, `that card`, `them`."""
    that = at.that(noun, many)
    return Phrase(that.text, at.grammar.gender(noun, sort.what == "player"), many, "pronoun")


def element(at: ProseContext, group: NounGroup, many: bool = False) -> Bound:
    """Return the bound local for an element of a group in its tail."""
    return Bound(group.sort.one, pronoun(at, group.noun, group.sort.one, many), group.noun.one)


def narrowed(at: ProseContext, group: NounGroup, condition: ast.Expr | None, name: str) -> NounGroup:
    """Return a group restricted by a condition, in which `name` stands for the element."""
    if condition is None:
        return group
    also = f" {at.grammar.conjunctions['and']}" if group.told else ""

    def tail(many: bool) -> str:
        return f"{group.after(at, many)}{also} {relative(at, group, condition, name, many)}".strip()

    return NounGroup(group.noun, group.sort, when_asked(tail), told=True)


def relative(at: ProseContext, group: NounGroup, condition: ast.Expr, name: str, many: bool = False) -> str:
    """Word a condition on the elements as relative clauses: `whose value is 2 and for which …`."""
    inner = at.after.bind(name, element(at, group, many))
    which = at.say("rel.player" if group.sort.what == "player" else "rel")
    pronoun = Phrase(which, group.noun.gender or "m", many, "whose")
    word = condition.op if isinstance(condition, ast.Logic) else "and"
    parts = operands(condition, word)
    alone = not group.items and not group.tail(True)
    texts: list[str] = []
    plain: list[str] = []
    for part in parts:
        led = (_with_value(inner, part, name) if alone else None) or relative_clause(inner, part, name, pronoun)
        if led is not None:
            texts.append(led)
        else:
            bare = _predicate_of(inner, part, name)
            plain += [bare] if bare is not None else conditions(inner, [part], alone=len(parts) == 1)
    if plain:
        texts.append(at.say("for_which", which=_which(at, group, many), condition=at.joined(plain, word)))
    return at.joined(texts, word)


def _with_value(at: ProseContext, part: ast.Expr, name: str) -> str | None:
    """Word `ELEMENT.type = water` as `of type water`; None if it does not fit, such as for adjectives in French."""
    match part:
        case ast.Compare(
            op="=", left=ast.Attribute(object=ast.NameExpr(name=of)) as left, right=ast.NameExpr(name=is_)
        ):
            if of != name or is_ not in at.nouns.values or is_ in at.names:
                return None
            noun = at.lexicon.noun(is_)
            if noun.feminine or at.lexicon.word(is_) is None:
                return None
            what = at.attribute_noun(at.sort(left.object), left.name.text)
            return at.say("with_value", attribute=what.one, value=noun.one)
    return None


def conditions(
    at: ProseContext, nodes: list[ast.Expr], negated: bool = False, *, alone: bool | None = None
) -> list[str]:
    """Word conditions that will be joined; those joined themselves are put in parentheses."""
    alone = len(nodes) == 1 if alone is None else alone
    texts = []
    for node in nodes:
        inner = node.operand if isinstance(node, ast.Not) else node
        text = at.clause(node, negated)
        texts.append(f"({text})" if isinstance(inner, ast.Logic) and not alone else text)
    return texts


def disambiguated(at: ProseContext, group: NounGroup, name: str) -> NounGroup:
    """Return the group with a labelled noun, if another local has that noun."""
    if not name or group.items or not at.is_taken(group.noun, name):
        return group
    forms = (group.noun.one, group.noun.many)
    singular, plural = (at.say("labelled", noun=noun, label=plain_words(name)) for noun in forms)
    return replace(group, noun=replace(group.noun, one=singular, many=plural), whole=None)


def relative_clause(at: ProseContext, node: ast.Expr, name: str, pronoun: Phrase) -> str | None:
    """Word a condition as a relative clause: `whose value is 3`, `that lies in your hand`.

    Args:
        name: of the antecedent. pronoun: what stands for it in the clause.

    Returns:
        The clause; None if the subject of the condition is not the antecedent, or the clause would need the pronoun
        more than once.
    """
    first = subject(at, node)
    if first is None or root(first) != name:
        return None
    before, at.memo.pronouns = at.memo.pronouns, 0
    text = replace(at, antecedent=name, relative_pronoun=pronoun).clause(node)
    is_once, at.memo.pronouns = at.memo.pronouns == 1, before
    return text if is_once else None


def _predicate_of(at: ProseContext, node: ast.Expr, name: str) -> str | None:
    """Word a call about the element alone: `for whom “ready” holds`; None if it does not fit."""
    call = node.operand if isinstance(node, ast.Not) else node
    if not isinstance(call, ast.Call) or call.function.text not in at.nouns.procedures:
        return None
    if [name_of(argument) for argument in call.arguments] != [name] or sentence_parts(at, call.function.text):
        return None
    return at.say("clause.bare" if call is node else "clause.not.bare", name=at.quoted(call.function.text))


def subject(at: ProseContext, node: ast.Expr) -> ast.Expr | None:
    """Return the expression that is the subject of a condition's clause; None if it has none."""
    match node:
        case ast.Not():
            return subject(at, node.operand)
        case ast.Compare():
            return None if counts(node.left) else node.left
        case ast.Is():
            return node.operand
        case ast.Member():
            sort = at.sort(node.collection)
            is_bag = name_of(node.element) in at.nouns.goods or (sort.what == "bag" and not sort.many)
            return node.collection if is_bag else node.element
        case ast.Call():
            return _first_argument(at, node)
        case ast.Index(object=ast.NameExpr(name=name)) if at.sort(node) == BOOL and len(at.nouns.per(name)) != 1:
            return None
        case ast.NameExpr() | ast.Attribute() | ast.Index():
            return node
    return None


def _first_argument(at: ProseContext, node: ast.Call) -> ast.Expr | None:
    """Return the argument that the ruleset's sentence for a call begins with; None if there is none."""
    parts = sentence_parts(at, node.function.text)
    pairs = zip(at.nouns.params(node.function.text), node.arguments, strict=False)
    named = {name: argument for (name, _), argument in pairs}
    return named.get(parts[0].field) if parts and not parts[0].text else None


# ---- places, and what is counted in collections


def place_name(at: ProseContext, node: ast.Expr) -> str:
    """Return the name of the zone, variable or mark at the end of a path; empty if it is none."""
    name = node.name.text if isinstance(node, ast.Attribute) else name_of(node)
    return name if name in at.nouns.places else ""


def zone_name(at: ProseContext, node: ast.Expr) -> str:
    """Return the name of the zone that an expression denotes, with an index or without; empty if it is none."""
    name = place_name(at, node.object if isinstance(node, ast.Index) else node)
    return name if name in at.nouns.zones else ""


def counts(node: ast.Expr) -> bool:
    """Return whether an expression is a call of `count`, worded as `there are`."""
    return isinstance(node, ast.Call) and node.function.text == "count" and len(node.arguments) == 1


def counted_group(at: ProseContext, node: ast.Expr) -> NounGroup | None:
    """Return the group whose elements an expression counts; None if it does not count."""
    if not isinstance(node, ast.Call) or not counts(node):
        return None
    argument = node.arguments[0]
    if isinstance(argument, ast.Comprehension):
        return None if isinstance(argument.body, ast.Comprehension) else over(at, argument)
    return None if at.sort(argument).is_goods else at.group(argument)


def over(at: ProseContext, node: ast.Comprehension) -> NounGroup:
    """Return the group that a comprehension iterates over, its condition included."""
    return narrowed(at, disambiguated(at, at.group(node.collection), node.name.text), node.condition, node.name.text)


def within(at: ProseContext, node: ast.Comprehension) -> ProseContext:
    """Return the context of a comprehension's body, its element bound."""
    group = disambiguated(at, at.group(node.collection), node.name.text)
    return at.after.bind(node.name.text, element(at, group))
