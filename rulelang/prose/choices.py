"""Choosing and chance: what is chosen, how many, by whom.

Enters: choices and throws. Leaves: noun phrases (`a card in your hand`) and clauses (`choose a card in your hand`).
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.languages.grammar import Noun, Phrase, spoken_to
from rulelang.prose.context import Bound, ProseContext, value
from rulelang.prose.group import NounGroup
from rulelang.prose.groups import disambiguated, element, pronoun, units
from rulelang.prose.sorts import NUMBER, PLAYER, Sort
from rulelang.syntax import ast

Chosen = ast.Choose | ast.RandomOf | ast.Roll


def group_called(at: ProseContext, node: ast.Expr, name: str) -> NounGroup:
    """Return the group of a collection, labelled if another local has the same noun as its elements."""
    return disambiguated(at, at.group(node), name)


def _domain(at: ProseContext, node: ast.Domain, name: str = "") -> Phrase:
    """Word the domain of a choice as a noun phrase; `name` is the local that the choice will be bound to."""
    match node:
        case ast.OneOf():
            return group_called(at, node.collection, name).one(at)
        case ast.OneNumber():
            return number(at, node, name)
        case ast.SomeOf():
            is_goods = at.sort(node.collection).is_goods
            group = units(at, node.collection) if is_goods else group_called(at, node.collection, name)
            return some(at, node.amount, group)


def number(at: ProseContext, node: ast.OneNumber | ast.BindNumber, name: str = "") -> Phrase:
    """Word a choice among numbers: `a number n from 1 to 9 for which …`; `name` is its local."""
    bound = at.local(name, NUMBER)
    key = "BindNumber" if isinstance(node, ast.BindNumber) else "OneNumber.named" if name else "OneNumber"
    text = at.phrase(key, low=at.value(node.low), high=at.value(node.high), name=bound.phrase)
    if node.condition is None:
        return text
    inner = at.bind("it", Bound(NUMBER, bound.phrase if name else at.phrase("the_number"))).bind(name, bound)
    return at.phrase("OneNumber.where", number=text, condition=inner.clause(node.condition))


def some(at: ProseContext, amount: ast.Quantity, group: NounGroup) -> Phrase:
    """Word a number of elements of a group: `2 cards in your hand`, `up to 2 cards`, `any number of cards`."""
    low = at.value(amount.low).text if amount.low is not None else ""
    if amount.mode == "exactly":
        return Phrase(group.so_many(at, low), many=low != "1", plain=False)
    mode, counted = (amount.mode, group.so_many(at, low)) if low else ("any", "")
    what = counted if mode == "up_to" else group.several(at)
    return Phrase(at.say(f"Quantity.{mode}", amount, group=what, n=low, some=counted), many=True, plain=False)


@value(ast.Choose)
def _choose(at: ProseContext, node: ast.Choose) -> Phrase:
    """Word a choice as a noun phrase within a larger clause."""
    who = at.value(node.by) if node.by is not None else at.quiet
    key = "Choose.together" if node.together else "Choose.you" if who.person == "you" else "Choose"
    text = at.say(key, what=_domain(_asked(at, node), node.domain), who=who)
    return Phrase(anyway(at, node, text), plain=False)


@value(ast.RandomOf)
def _random(at: ProseContext, node: ast.RandomOf) -> Phrase:
    """Word a random draw as a noun phrase within a larger clause."""
    return Phrase(
        weighted(at, node, at.say("RandomOf.at_once" if node.at_once else "RandomOf", what=_drawn(at, node))),
        plain=False,
    )


def weighted(at: ProseContext, node: ast.RandomOf, text: str) -> str:
    """Return the words of a draw, with them by what it is weighted, if so."""
    if node.weight is None:
        return text
    group = at.group(node.collection)
    inner = at.after.bind("it", element(at, group))
    return at.say("RandomOf.weighted" + group.feminine, draw=text, weight=inner.value(node.weight))


def _drawn(at: ProseContext, node: ast.RandomOf) -> Phrase:
    """Word the elements that a random draw picks: one, or a number of them."""
    is_goods = at.sort(node.collection).is_goods
    if is_goods and node.count is None:
        return units(at, node.collection).one(at)
    group = at.group(node.collection)
    if node.count is None:
        return group.one(at)
    if is_goods:
        goods = some_goods(at, node.count, node.collection)
        return Phrase(at.say("drawn.bag", what=goods, bag=at.value(node.collection)), plain=False)
    count = at.value(node.count).text
    return Phrase(group.so_many(at, count), many=count != "1", plain=False)


def some_goods(at: ProseContext, count: ast.Expr, bag: ast.Expr) -> str:
    """Word a number of goods of a bag: `2 goods`."""
    return at.counted(at.value(count).text, at.noun(Sort("value", at.sort(bag).name)))


def choosing(at: ProseContext, node: Chosen, name: str = "") -> str:
    """Word a choice, random draw or roll as a clause of its own; `name` is the local it is bound to."""
    if isinstance(node, ast.Roll):
        return at.say("roll.named" if name else "roll", node, name=at.local(name, NUMBER).phrase)
    if isinstance(node, ast.RandomOf):
        return weighted(at, node, at.say("random.at_once" if node.at_once else "random", what=_drawn(at, node)))
    who = spoken_to(at.value(node.by)) if node.by is not None else at.you
    key = "choose.together" if node.together else "choose.secretly" if node.secretly else "choose"
    return anyway(at, node, at.say(key, who=who, what=_domain(_asked(at, node), node.domain, name)))


def anyway(at: ProseContext, node: ast.Choose | ast.Menu | ast.Arrange, text: str) -> str:
    """Return the clause of a choice, with it that it is asked anyway, if so."""
    return at.say("anyway", choice=text) if node.anyway else text


def _asked(at: ProseContext, node: ast.Choose) -> ProseContext:
    """Return the context of a simultaneous choice, in which `you` is each player."""
    return replace(at, you=pronoun(at, at.engine_nouns["player"], PLAYER)) if node.together else at


def named(at: ProseContext, name: str, node: ast.Expr) -> Bound:
    """Return the bound local `name` for the result of a choice or the element of a loop."""
    sort = at.sort(node)
    said = chosen_sort(at, node)
    return replace(at.local(name, said, element_noun(at, node)), sort=sort)


def chosen_sort(at: ProseContext, node: ast.Expr) -> Sort:
    """Return the sort by which the result of a choice or draw is spoken of: some of the goods of a bag as goods."""
    sort = at.sort(node)
    picked = _picked_from(node)
    if picked is not None and at.sort(picked).is_goods:
        sort = Sort("value", at.sort(picked).name)
        return sort if only_one(node) or (isinstance(node, ast.RandomOf) and node.count is None) else sort.all
    return sort.one if only_one(node) else sort


def element_noun(at: ProseContext, node: ast.Expr) -> Noun | None:
    """Return the noun of the elements that a choice or draw picks from; None for other expressions."""
    picked = _picked_from(node)
    if picked is None:
        return None
    return (units(at, picked) if at.sort(picked).is_goods else at.group(picked)).noun


def _picked_from(node: ast.Expr) -> ast.Expr | None:
    """Return the collection or bag that a choice or draw picks from; None for other expressions."""
    match node:
        case (
            ast.Choose(domain=ast.OneOf(collection=collection) | ast.SomeOf(collection=collection))
            | ast.RandomOf(collection=collection)
        ):
            return collection
    return None


def only_one(node: ast.Expr) -> bool:
    """Return whether a choice or draw picks exactly one element."""
    match node:
        case ast.Choose(domain=ast.SomeOf(amount=ast.Quantity(mode="exactly", low=ast.Number(value=1)))):
            return True
        case ast.RandomOf(count=ast.Number(value=1)):
            return True
    return False
