"""Choosing and chance: what is chosen, how many, by whom; menus with what each of their items asks for.

Enters: choices and menus. Leaves: noun phrases (`a card in your hand`) and clauses (`choose a card in your hand`).
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.prose.base import Bound, Context
from rulelang.prose.conditions import Conditions
from rulelang.prose.grammar import Phrase, settled, spoken_to
from rulelang.prose.group import Group
from rulelang.prose.sorts import NUMBER, PLAYER
from rulelang.syntax import ast
from rulelang.words.languages import Noun


class Choices(Conditions):
    """Says what is chosen."""

    level = 0

    def inline(self, block: ast.Block, at: Context) -> str:
        """A block inside a sentence."""
        raise NotImplementedError

    # ---- what is chosen

    def domain(self, node: ast.Domain, at: Context, name: str = "") -> Phrase:
        """What there is to choose, as a noun phrase; `name`: what it will be called."""
        match node:
            case ast.OneOf():
                return self.one(self.told_apart(self.group(node.collection, at), name, at))
            case ast.OneNumber():
                key = "OneNumber.named" if name else "OneNumber"
                label = self.local(name, NUMBER, at.names).phrase
                return self.phrase(key, name=label, low=self.value(node.low, at), high=self.value(node.high, at))
            case ast.OneValue():
                sort = self.nouns.of_type(ast.NamedType(node.span, node.type.text))
                group = self.told_apart(Group(self.noun(sort), sort.all), name, at)
                return self.one(self.narrowed(group, node.condition, "it", at))
            case ast.SomeOf():
                return self.some(node.amount, self.told_apart(self.group(node.collection, at), name, at), at)

    def some(self, amount: ast.Quantity, group: Group, at: Context) -> Phrase:
        """`2 cards in your hand`, `up to 2 cards`, `any number of cards`."""
        if amount.mode == "any" or amount.low is None:
            return Phrase(self.say("Quantity.any", group=self.several(group)), many=True, plain=False)
        low = self.value(amount.low, at)
        if amount.mode == "down_to":
            return Phrase(self.say("Quantity.down_to", group=self.several(group), n=low), many=True, plain=False)
        if amount.mode == "exactly":
            return Phrase(self.so_many(low.text, group), many=low.text != "1", plain=False)
        if amount.mode == "up_to":
            return Phrase(self.say("Quantity.up_to", group=self.so_many(low.text, group)), many=True, plain=False)
        high = self.value(amount.high, at) if amount.high is not None else Phrase("")
        at_least = self.so_many(low.text, group)
        text = self.say(f"Quantity.{amount.mode}", low=low, high=high, group=self.several(group), some=at_least)
        return Phrase(text, many=True, plain=False)

    def chosen(self, node: ast.Choose | ast.RandomOf | ast.Roll, at: Context) -> Phrase:
        """What is chosen or thrown, inside a longer phrase."""
        if isinstance(node, ast.Roll):
            return self.phrase("Roll", low=self.value(node.low, at), high=self.value(node.high, at))
        if isinstance(node, ast.RandomOf):
            return Phrase(self.say("RandomOf", what=self.drawn(node, at)), plain=False)
        who = self.value(node.by, at) if node.by is not None else at.quiet
        key = "Choose.together" if node.together else "Choose.you" if who.person == "you" else "Choose"
        inner = self.each_of_all(at) if node.together else at
        return Phrase(self.say(key, what=self.domain(node.domain, inner), who=who), plain=False)

    def drawn(self, node: ast.RandomOf, at: Context) -> Phrase:
        """What chance picks."""
        group = self.group(node.collection, at)
        if node.count is None:
            return self.one(group)
        count = self.value(node.count, at)
        return Phrase(self.so_many(count.text, group), many=count.text != "1", plain=False)

    def choosing(self, node: ast.Choose | ast.RandomOf | ast.Roll, at: Context, name: str = "") -> str:
        """A choice or throw as a clause of its own."""
        if isinstance(node, ast.Roll):
            low, high = self.value(node.low, at), self.value(node.high, at)
            label = self.local(name, NUMBER, at.names).phrase
            return self.say("roll.named" if name else "roll", who=at.you, name=label, low=low, high=high)
        if isinstance(node, ast.RandomOf):
            return self.say("random", who=at.you, what=self.drawn(node, at))
        who = spoken_to(self.value(node.by, at)) if node.by is not None else at.you
        key = "choose.together" if node.together else "choose.secretly" if node.secretly else "choose"
        if node.together:
            at = self.each_of_all(at)
        return self.say(key, who=who, what=self.domain(node.domain, at, name))

    def each_of_all(self, at: Context) -> Context:
        """Where every player is asked: what is theirs is each one's own."""
        them = self.pronoun(self.grammar.player, PLAYER)
        return replace(at, you=them)

    def named(self, name: str, value: ast.Expr, at: Context) -> Bound:
        """The local for what was chosen or is gone through."""
        sort = self.sort(value, at)
        said = sort.one if only_one(value) else sort
        return replace(self.local(name, said, at.names, self.element_noun(value, at)), sort=sort)

    def element_noun(self, value: ast.Expr, at: Context) -> Noun | None:
        """What elements of a collection are called, where their sort is not all that is known of them."""
        match value:
            case ast.Choose(domain=ast.OneOf(collection=collection) | ast.SomeOf(collection=collection)):
                return self.group(collection, at).noun
            case ast.RandomOf():
                return self.group(value.collection, at).noun
        return None

    # ---- menus

    def menu(self, node: ast.Menu, at: Context) -> str:
        """`choose one: (1) …; (2) …`; with an item that does nothing, `you may …`."""
        who = self.value(node.by, at) if node.by is not None else at.you
        # Whoever is asked, `you` in the items is still the one who acts: then it is said who that is.
        inner = replace(at, you=settled(at.you)) if node.by is not None and who.text != at.you.text else at
        idle = [item for item in node.items if _idle(item)]
        self.level += 1
        items = [self.item(item, inner) for item in node.items if item not in idle]
        self.level -= 1
        if not items:
            return self.say("Menu.nothing", who=settled(who))
        key = "Menu.may" if idle else "Menu"
        if node.secretly:
            key = f"{key}.secretly"
        text = self.say(key, who=settled(who) if idle else who, items=self.listed(items))
        if node.anyway:
            text = self.say("Menu.anyway", menu=text)
        if node.otherwise is not None and not _passes(node.otherwise):
            text = self.say("Menu.else", menu=text, body=self.inline(node.otherwise, inner))
        return text

    def listed(self, parts: list[str]) -> str:
        """Parts with their numbers, or the only one."""
        raise NotImplementedError

    def item(self, item: ast.MenuItem, at: Context) -> str:
        """An item of a menu: what it is called, what is chosen with it, when, and what it does."""
        fields: dict[str, Phrase] = {}
        inner = at
        for binder in item.binders:
            phrase, bound = self.binder(binder, inner)
            fields[binder.name.text] = phrase
            inner = inner.bind(binder.name.text, bound)
        label = self.worded_with((f"{at.rule}.{item.name.text}", item.name.text), fields)
        if label is None:
            label = self.lexicon.name(item.name.text)
            if fields:
                label = self.say("MenuItem.with", label=label, what=self.joined([f.text for f in fields.values()]))
        head = label + self.when(item.guard, inner) + self.limited(item.limit)
        if _passes(item.body):
            return head
        return self.say("MenuItem", head=head, body=self.inline(item.body, inner))

    def binder(self, binder: ast.Binder, at: Context) -> tuple[Phrase, Bound]:
        """What an item leaves open, and what it is called afterwards."""
        name = binder.name.text
        match binder:
            case ast.BindEach():
                group = self.told_apart(self.group(binder.collection, at), name, at)
                return Phrase(self.say("BindEach", one=self.one(group))), self.local(
                    name, group.sort.one, at.names, group.noun
                )
            case ast.BindNumber():
                bound = self.local(name, NUMBER, at.names)
                low, high = self.value(binder.low, at), self.value(binder.high, at)
                return self.phrase("BindNumber", name=bound.phrase, low=low, high=high), bound
            case ast.BindAmount():
                group = self.told_apart(self.group(binder.collection, at), name, at)
                what = self.say("BindAmount", some=self.some(binder.amount, group, at))
                return Phrase(what, many=True), self.local(name, group.sort, at.names, group.noun)

    def when(self, guard: ast.Expr | None, at: Context) -> str:
        """`, if …`."""
        return "" if guard is None else self.say("when", condition=self.clause(guard, at))

    def limited(self, limit: ast.Limit | None) -> str:
        """`, once per turn`."""
        if limit is None:
            return ""
        scope = self.say(f"scope.{limit.scope}")
        return self.say("Limit.once" if limit.times == 1 else "Limit", n=limit.times, scope=scope)


def only_one(value: ast.Expr) -> bool:
    """Whether exactly one thing is chosen or picked."""
    match value:
        case ast.Choose(domain=ast.SomeOf(amount=ast.Quantity(mode="exactly", low=ast.Number(value=1)))):
            return True
        case ast.RandomOf(count=ast.Number(value=1)):
            return True
    return False


def _passes(block: ast.Block) -> bool:
    return all(isinstance(statement, ast.Pass) for statement in block.statements)


def _idle(item: ast.MenuItem) -> bool:
    return not item.binders and item.guard is None and item.limit is None and _passes(item.body)
