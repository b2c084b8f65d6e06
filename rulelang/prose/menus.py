"""Menus, with what each of their items asks for.

Enters: menus and offers. Leaves: clauses: `choose one: (1) …; (2) …`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rulelang.languages.grammar import Phrase, settled
from rulelang.prose.choices import anyway, group_called, number, some
from rulelang.prose.context import Bound, ProseContext, statement
from rulelang.prose.sorts import NUMBER
from rulelang.prose.statements import listed, passes
from rulelang.prose.wording import sentence_parts, worded_with
from rulelang.ruleset.sentences import Fragment
from rulelang.syntax import ast


@statement(ast.Menu)
def _menu(at: ProseContext, node: ast.Menu) -> str:
    """Word a menu: `choose one: (1) …; (2) …`, or `you may …` if its other item does nothing."""
    who = at.value(node.by) if node.by is not None else at.you
    # Whoever is asked, `you` in the items is still the one who acts: then it is said who that is.
    inner = replace(at, you=settled(at.you)) if node.by is not None and who.text != at.you.text else at
    if node.name is not None:
        inner = replace(inner, rule=node.name.text)
    items = [item for item in node.items if not _is_idle(item)]
    if not items:
        return at.say("Menu.nothing", who=settled(who))
    idle = len(items) < len(node.items)
    key = ("Menu.may" if idle else "Menu") + (".secretly" if node.secretly else "")
    text = anyway(at, node, at.say(key, who=settled(who) if idle else who, items=menu_items(inner, items)))
    if node.otherwise is not None and not passes(node.otherwise):
        text = at.say("Menu.else", menu=text, body=inner.statement(node.otherwise))
    return text


def _is_idle(item: ast.MenuItem) -> bool:
    """Return whether an item is unconditional and does nothing."""
    return not item.binders and item.guard is None and item.limit is None and passes(item.body)


def menu_items(at: ProseContext, items: Iterable[ast.MenuItem]) -> str:
    """Word the items of a menu as a numbered list."""
    return listed(at, [_item(replace(at, level=at.level + 1), item) for item in items])


def _item(at: ProseContext, item: ast.MenuItem) -> str:
    """Word an item: name, binders, condition, limit and effect."""
    fields: dict[str, Phrase] = {}
    inner, paying = at, ""
    for binder in item.binders:
        if isinstance(binder, ast.Let):
            inner = inner.naming(binder)
            continue
        if isinstance(binder, ast.BindPayment):
            paying = inner.say("BindPayment" if binder.to is None else "BindPayment.to", binder)
            continue
        fields[binder.name.text], bound = _binder(inner, binder)
        inner = inner.bind(binder.name.text, bound)
    names = f"{at.rule}.{item.name.text}", item.name.text
    label = worded_with(at, names[0], fields, names[1])
    if label is None or any(_says_it(inner, part) for part in sentence_parts(at, *names)):
        label = at.lexicon.heading(*names)
        if fields:
            label = at.say("MenuItem.with", label=label, what=at.joined([f.text for f in fields.values()]))
    head = label + paying + when(inner, item.guard) + limited(at, item.limit)
    return head if passes(item.body) else inner.say("MenuItem", item, head=head)


def _says_it(at: ProseContext, part: Fragment) -> bool:
    """Return whether a sentence has a number, or the noun itself, before a field: there is no room for an article."""
    before, noun = part.text.split(), at.names[part.field].noun if part.field in at.names else ""
    return bool(before and not part.noun and (before[-1].isdecimal() or (noun and before[-1] == at.lexicon.name(noun))))


def _binder(at: ProseContext, binder: ast.BindEach | ast.BindNumber | ast.BindAmount) -> tuple[Phrase, Bound]:
    """Word a binder; return its clause and the context in which it is bound."""
    name = binder.name.text
    if isinstance(binder, ast.BindNumber):
        return number(at, binder, name), at.local(name, NUMBER)
    group = group_called(at, binder.collection, name)
    if isinstance(binder, ast.BindEach):
        return Phrase(at.say("BindEach", one=group.one(at))), at.local(name, group.sort.one, group.noun)
    what = at.say("BindAmount", some=some(at, binder.amount, group))
    return Phrase(what, many=True), at.local(name, group.sort, group.noun)


def when(at: ProseContext, guard: ast.Expr | None) -> str:
    """Word a guard as `, if …`; empty without one."""
    return "" if guard is None else at.say("when", condition=at.clause(guard))


def limited(at: ProseContext, limit: ast.Limit | None) -> str:
    """Word a limit as `, once per turn`; empty without one."""
    if limit is None:
        return ""
    return at.say("Limit.once" if limit.times == 1 else "Limit", n=limit.times, scope=at.say(f"scope.{limit.scope}"))
