"""Choosing and chance: what is chosen, how many, by whom.

Enters: choices and throws. Leaves: noun phrases (`a card in your hand`) and clauses (`choose a card in your hand`).
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.prose.context import Bound, Context, value
from rulelang.prose.grammar import Phrase, spoken_to
from rulelang.prose.group import Group
from rulelang.prose.groups import narrowed, pronoun, told_apart
from rulelang.prose.sorts import NUMBER, PLAYER
from rulelang.syntax import ast
from rulelang.words.languages import Noun

Chosen = ast.Choose | ast.RandomOf | ast.Roll


def group_called(at: Context, node: ast.Expr, name: str) -> Group:
    """Return a collection of which an element will be called so."""
    return told_apart(at, at.group(node), name)


def _domain(at: Context, node: ast.Domain, name: str = "") -> Phrase:
    """Return what there is to choose, as a noun phrase; `name`: what it will be called."""
    match node:
        case ast.OneOf():
            return group_called(at, node.collection, name).one(at)
        case ast.OneNumber():
            return number(at, node, name)
        case ast.OneValue():
            sort = at.nouns.of_type(ast.NamedType(node.span, node.type.text))
            group = told_apart(at, Group(at.noun(sort), sort.all), name)
            return narrowed(at, group, node.condition, "it").one(at)
        case ast.SomeOf():
            return some(at, node.amount, group_called(at, node.collection, name))


def number(at: Context, node: ast.OneNumber | ast.BindNumber, name: str = "") -> Phrase:
    """`a number n from 1 to 9 for which …`."""
    bound = at.local(name, NUMBER)
    key = "BindNumber" if isinstance(node, ast.BindNumber) else "OneNumber.named" if name else "OneNumber"
    text = at.phrase(key, low=at.value(node.low), high=at.value(node.high), name=bound.phrase)
    if node.condition is None:
        return text
    inner = at.bind("it", Bound(NUMBER, bound.phrase if name else at.phrase("the_number"))).bind(name, bound)
    return at.phrase("OneNumber.where", number=text, condition=inner.clause(node.condition))


def some(at: Context, amount: ast.Quantity, group: Group) -> Phrase:
    """`2 cards in your hand`, `up to 2 cards`, `any number of cards`."""
    low = at.value(amount.low).text if amount.low is not None else ""
    if amount.mode == "exactly":
        return Phrase(group.so_many(at, low), many=low != "1", plain=False)
    mode, counted = (amount.mode, group.so_many(at, low)) if low else ("any", "")
    what = counted if mode == "up_to" else group.several(at)
    return Phrase(at.say(f"Quantity.{mode}", amount, group=what, n=low, some=counted), many=True, plain=False)


@value(ast.Choose)
def _choose(at: Context, node: ast.Choose) -> Phrase:
    """Return what is chosen, inside a longer phrase."""
    who = at.value(node.by) if node.by is not None else at.quiet
    key = "Choose.together" if node.together else "Choose.you" if who.person == "you" else "Choose"
    return Phrase(at.say(key, what=_domain(_asked(at, node), node.domain), who=who), plain=False)


@value(ast.RandomOf)
def _random(at: Context, node: ast.RandomOf) -> Phrase:
    return Phrase(at.say("RandomOf", what=_drawn(at, node)), plain=False)


def _drawn(at: Context, node: ast.RandomOf) -> Phrase:
    """Return what chance picks."""
    group = at.group(node.collection)
    if node.count is None:
        return group.one(at)
    count = at.value(node.count).text
    return Phrase(group.so_many(at, count), many=count != "1", plain=False)


def choosing(at: Context, node: Chosen, name: str = "") -> str:
    """Return a choice or throw as a clause of its own; `name`: what it will be called."""
    if isinstance(node, ast.Roll):
        return at.say("roll.named" if name else "roll", node, name=at.local(name, NUMBER).phrase)
    if isinstance(node, ast.RandomOf):
        return at.say("random", what=_drawn(at, node))
    who = spoken_to(at.value(node.by)) if node.by is not None else at.you
    key = "choose.together" if node.together else "choose.secretly" if node.secretly else "choose"
    return at.say(key, who=who, what=_domain(_asked(at, node), node.domain, name))


def _asked(at: Context, node: ast.Choose) -> Context:
    """Return the context of what every player is asked: what is theirs is each one's own."""
    return replace(at, you=pronoun(at, at.grammar.nouns["player"], PLAYER)) if node.together else at


def named(at: Context, name: str, node: ast.Expr) -> Bound:
    """Return the local for what was chosen or is gone through."""
    sort = at.sort(node)
    said = sort.one if only_one(node) else sort
    return replace(at.local(name, said, element_noun(at, node)), sort=sort)


def element_noun(at: Context, node: ast.Expr) -> Noun | None:
    """Return what elements of a collection are called, where their sort is not all that is known of them."""
    match node:
        case (
            ast.Choose(domain=ast.OneOf(collection=collection) | ast.SomeOf(collection=collection))
            | ast.RandomOf(collection=collection)
        ):
            return at.group(collection).noun
    return None


def only_one(node: ast.Expr) -> bool:
    """Return whether exactly one thing is chosen or picked."""
    match node:
        case ast.Choose(domain=ast.SomeOf(amount=ast.Quantity(mode="exactly", low=ast.Number(value=1)))):
            return True
        case ast.RandomOf(count=ast.Number(value=1)):
            return True
    return False
