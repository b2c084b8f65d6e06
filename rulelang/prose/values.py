"""Values as noun phrases: names, attributes, calculations, amounts, calls.

Enters: expressions. Leaves: phrases such as `your hand`, `the cost of that card`, `2 gold of your choice`.
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.languages.grammar import Noun, Phrase, bare, settled
from rulelang.prose.context import ProseContext, name_of, operands, root, value, whether
from rulelang.prose.groups import (
    COLLECTIONS,
    GROUPINGS,
    counted_group,
    is_one_of_each,
    over,
    place_name,
    within,
    zone_name,
)
from rulelang.prose.sorts import BOOL, DIRECTION_SETS, DIRECTIONS, PLAYER, SEAT_NOUNS, Sort
from rulelang.prose.wording import arguments, named_value, worded
from rulelang.syntax import ast
from rulelang.syntax.comprehensions import outermost

# ---- what stands for itself


@value(ast.Number)
def _number(at: ProseContext, node: ast.Number) -> Phrase:
    """Return the phrase of a number literal."""
    return Phrase(str(node.value), many=node.value != 1)


@value(ast.Truth)
def _truth(at: ProseContext, node: ast.Truth) -> Phrase:
    """Return the phrase of `true` or `false`."""
    return Phrase(at.say("Truth.true" if node.value else "Truth.false"))


@value(ast.NoneExpr, ast.Conditional, ast.Otherwise, ast.CellOf, ast.Roll)
def _plain(at: ProseContext, node: ast.Expr) -> Phrase:
    """Return the phrase of an expression by the template of its class."""
    return at.phrase(type(node).__name__, node)


@value(ast.Where, ast.Ranked, ast.Sorted, ast.Grouped, ast.SetLiteral)
def _collection(at: ProseContext, node: ast.Expr) -> Phrase:
    """Return the phrase of a whole collection."""
    return at.group(node).all(at)


@value(ast.Comprehension)
def _comprehension(at: ProseContext, node: ast.Comprehension) -> Phrase:
    """Word a comprehension."""
    return at.phrase("Comprehension", body=within(at, node).value(node.body), each=over(at, node).each(at))


# ---- names


@value(ast.NameExpr)
def _name(at: ProseContext, node: ast.NameExpr) -> Phrase:
    """Word a name: a local, a seat, a direction, or a declared noun, possessed where each player has one."""
    name, nouns = node.name, at.nouns
    if name == at.antecedent:
        at.memo.pronouns += 1
        return at.relative_pronoun
    if name in at.names:
        return settled(at.names[name].phrase)
    if name in ("you", "owner", "this"):
        return settled({"you": at.you, "owner": at.owner, "this": at.this}[name])
    if name in ("next", "previous"):
        return _neighbour(at, name, at.quiet)
    if name in DIRECTIONS and name not in nouns.values:
        return Phrase(at.say(f"direction.{name}"))
    if name in SEAT_NOUNS or name in DIRECTION_SETS or name in nouns.kinds:
        return at.group(node).all(at)
    if (type_ := nouns.values.get(name, "")) in at.lexicon.beside:
        noun, place = at.lexicon.noun(type_), at.lexicon.noun(f"{type_}.{name}", name)
        return at.the(replace(noun, one=f"{noun.one} {place.one}"))
    noun = at.lexicon.noun(name)
    if nouns.is_own(name):
        return at.grammar.possessed(at.quiet, at.whole(name))
    if name in nouns.rows and nouns.rows[name].per_player and name not in nouns.places:
        return at.grammar.possessed(at.quiet, noun)
    if name not in nouns.places:
        if any(name in names for names in (nouns.values, nouns.goods, nouns.rows)):
            return bare(noun, plain=False)
        if any(name in names for names in (nouns.types, nouns.grids, nouns.resources, nouns.classes)):
            return at.the(noun, True)
        if not any(name in names for names in (nouns.options, nouns.automata, nouns.procedures)):
            return bare(noun)
    return at.the(at.whole(name))


def _neighbour(at: ProseContext, name: str, of: Phrase) -> Phrase:
    """Return the phrase for the seat next to, or previous to, the seat `of`."""
    if of.person == "you":
        return replace(at.the(at.engine_nouns[name]), plain=True)
    return Phrase(at.say(f"seat.{name}", x=of), plain=False)


# ---- attributes and indices


@value(ast.Attribute)
def _attribute(at: ProseContext, node: ast.Attribute) -> Phrase:
    """Word an attribute access: a possessed noun, an amount in a bag, or a projection of a collection."""
    name, owner = node.name.text, at.sort(node.object)
    if owner.is_goods:
        return _in_bag(at, at.unit(name), at.value(node.object))
    if owner.many:
        what = at.the(at.attribute_noun(owner.one, name), True)
        return at.phrase("projection", what=what, group=at.group(node.object).all(at))
    if name in SEAT_NOUNS and owner == PLAYER:
        return at.group(node).all(at)
    object = at.value(node.object)
    if name in ("next", "previous") and owner == PLAYER:
        return _neighbour(at, name, object)
    noun = at.lexicon.noun(name) if name in at.nouns.rows else at.attribute_noun(owner, name)
    return at.grammar.possessed(object, noun)


@value(ast.Index)
def _index(at: ProseContext, node: ast.Index) -> Phrase:
    """Word an indexed zone, variable or bag."""
    object, (*first, last) = node.object, node.indices
    sort, base = at.sort(object), place_name(at, object)
    own = len(at.nouns.per(base)) - at.nouns.is_own(base)
    if (base and sort.what == "bag" and len(first) >= own) or (not base and sort.what in ("bag", "cost")):
        bag = at.value(replace(node, indices=tuple(first)) if base and first else object)
        if name_of(last) in at.nouns.goods:
            return _in_bag(at, at.unit(name_of(last)), bag)
        return at.phrase("bag.get", what=at.after.value(last).text, bag=bag)
    if not first and (part := _at_one(at, node, last, base)) is not None:
        return part
    if base and (exact := _exact(at, base, node.indices)) is not None:
        return at.the(exact)
    parts = [at.say("of.part", x=at.after.value(index)) for index in node.indices]
    x = at.value(object)
    return replace(x, text=at.say("Index", x=x, index=at.joined(parts)), plain=False)


def _at_one(at: ProseContext, node: ast.Index, index: ast.Expr, base: str) -> Phrase | None:
    """Word a single index: possessed by a seat, as a label, or on a cell; None if none of these fits."""
    sort, name = at.sort(index), name_of(node.object)
    noun = at.whole(base) if base else at.lexicon.noun(name) if name else None
    if noun is not None and (sort == PLAYER or root(index) == at.antecedent != ""):
        return at.grammar.possessed(at.value(index), noun)
    label = name_of(index)
    if name and noun is not None and label in at.nouns.values and label not in at.names:
        labelled = _exact(at, name, (index,)) or at.grammar.with_label(noun, at.lexicon.noun(label))
        return at.grammar.possessed(at.quiet, labelled) if at.nouns.is_own(name) else at.the(labelled)
    if sort.what != "cell":
        return None
    x, cell = at.value(node.object), at.value(index)
    text = at.say("Index.cell", x=x, index=cell)
    return replace(x if text.startswith(x.text) else cell, text=text, plain=False)


def _exact(at: ProseContext, base: str, indices: tuple[ast.Expr, ...]) -> Noun | None:
    """Return the ruleset's noun for a zone or variable at literal indices, such as `deck.red.spring`; None without
    one."""
    labels = [name_of(index) for index in indices]
    if any(label not in at.nouns.values or label in at.names for label in labels):
        return None
    exact = ".".join((base, *labels))
    return at.lexicon.noun(exact) if at.lexicon.word(exact) is not None else None


def _in_bag(at: ProseContext, what: Noun, bag: Phrase) -> Phrase:
    """Word an amount in a bag: `the number of logs in your store`, `the amount of gold in your purse`."""
    return at.phrase("bag.amount" if what.one == what.many else "bag.get", what=what.many, bag=bag)


# ---- calculations


@value(ast.Arithmetic)
def _arithmetic(at: ProseContext, node: ast.Arithmetic) -> Phrase:
    """Word a calculation: `a plus b`, joined amounts, or a multiple of a counted noun."""
    op, sort = node.op, at.sort(node)
    if op == "+" and (sort.what in ("bag", "cost") or sort.many):
        texts = [(at.value(part).text, isinstance(part, ast.Logic)) for part in operands(node, "+")]
        return Phrase(at.joined([f"({text})" if either else text for text, either in texts]), many=True, plain=False)
    if op == "*" and (product := for_each(at, node)) is not None:
        return product
    if op == "-" and sort.many:
        return at.group(node).all(at)
    if op == "div" and isinstance(node.right, ast.Number) and node.right.value == 2:
        return at.phrase("Arithmetic.half", left=_tight(at, node.left))
    left = at.value(node.left) if op in "+-" else _tight(at, node.left)
    right = at.value(node.right) if op == "+" else _tight(at, node.right)
    return at.phrase(f"Arithmetic.{op}", left=left, right=right)


@value(ast.Logic)
def _alternatives(at: ProseContext, node: ast.Logic) -> Phrase:
    """Word alternative costs, joined by `or`; a condition as `whether …`."""
    if at.sort(node) == BOOL:
        return whether(at, node)
    return Phrase(at.joined([at.value(part).text for part in operands(node, "or")], "or"), many=True, plain=False)


@value(ast.Negative)
def _negative(at: ProseContext, node: ast.Negative) -> Phrase:
    """Word a negation of a number."""
    if isinstance(node.operand, ast.Number):
        return Phrase(f"−{node.operand.value}", many=True)
    if (counted := counted_group(at, node.operand)) is not None:
        return at.phrase("for_each", n="−1", each=counted.each(at))
    return at.phrase("Negative", x=_tight(at, node.operand))


def for_each(at: ProseContext, node: ast.Expr) -> Phrase | None:
    """Word a product with a count: `2 for each card in your hand` for `2 * count(hand)`; None for other products."""
    if isinstance(node, ast.Arithmetic):
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(factor, ast.Number) and (counted := counted_group(at, other)) is not None:
                return at.phrase("for_each", n=at.value(factor), each=counted.each(at))
    return None


def _tight(at: ProseContext, node: ast.Expr) -> Phrase:
    """Return the phrase of an operand, in parentheses if it is a calculation."""
    phrase = at.value(node)
    loose = isinstance(node, ast.Arithmetic | ast.Conditional | ast.Otherwise | ast.Lookup)
    return replace(phrase, text=f"({phrase.text})") if loose else phrase


@value(ast.Amount)
def _amount(at: ProseContext, node: ast.Amount) -> Phrase:
    """Word an amount of resources: `2 gold`, `2 metals of your choice`, `1 gold or tin`."""
    if isinstance(node.count, ast.Number):
        return _so_many(at, node, node.count.value)
    if (counted := counted_group(at, node.count)) is not None:
        return at.phrase("for_each", n=_so_many(at, node, 1), each=counted.each(at))
    number, name = at.value(node.count), node.names[0].text if node.names else ""
    if node.mode != "plain" or name in at.names:
        return at.phrase("times_amount", n=number, amount=_so_many(at, node, 1))
    unit = at.unit(name)
    if isinstance(node.count, ast.Lookup):
        return _looked_up(at, node.count, unit)
    simple = len(number.text.split()) == 1
    text = at.counted(number.text, unit) if simple else at.say("as_many", noun=unit.many, n=number)
    return Phrase(text, many=True, plain=False)


def _so_many(at: ProseContext, node: ast.Amount, count: int) -> Phrase:
    """Word an amount with a literal count."""
    names = [name.text for name in node.names]
    many = count != 1
    if node.goods:
        return _of_goods(at, node, count)
    if names[0] in at.names:
        text = at.say("Amount.local", n=Phrase(str(count), many=many), what=at.names[names[0]].phrase)
        return Phrase(text, many=many, plain=False)
    nouns = [at.grammar.form(at.unit(name), count) for name in names]
    noun = Phrase(nouns[0], many=count > 1)
    return Phrase(at.say(f"Amount.{node.mode}", n=count, noun=noun), many=many, plain=False)


def _of_goods(at: ProseContext, node: ast.Amount, count: int) -> Phrase:
    """Word `1 gold or tin`, or `1 of its bonus` where a part is no value."""
    named = [isinstance(good, ast.NameExpr) and good.name not in at.names for good in node.goods]
    words = [
        at.grammar.form(at.unit(source.name), count)
        if isinstance(source, ast.NameExpr) and named[i]
        else at.value(source).text
        for i, source in enumerate(node.goods)
    ]
    joined, many = at.joined(words, "or"), count > 1
    if all(named):
        return Phrase(f"{count} {joined}", many=many, plain=False)
    return Phrase(at.say("Amount.local", n=Phrase(str(count), many=many), what=joined), many=many, plain=False)


@value(ast.Lookup)
def _lookup(at: ProseContext, node: ast.Lookup) -> Phrase:
    """Word a lookup table; one of a truth as a condition."""
    ways = {key.value if isinstance(key, ast.Truth) else key: entry for key, entry in node.entries}
    if True in ways or False in ways:
        then, otherwise = (ways.get(way, ways.get(None)) for way in (True, False))
        if then is not None and otherwise is not None:
            return at.value(ast.Conditional(node.span, then, node.at, otherwise))
    return _looked_up(at, node, None)


def _looked_up(at: ProseContext, node: ast.Lookup, unit: Noun | None) -> Phrase:
    """Word a lookup table: `3 for 2 cards, 6 for 3, 10 for 4 or more`, `1 for red, 2 otherwise`; `unit` is the noun
    that its values count."""
    others = next((at.value(entry).text for key, entry in node.entries if key is None), "")
    whole = "Lookup" if at.sort(node).what in ("number", "unknown") else "Lookup.value"
    named = [(key, at.value(entry).text) for key, entry in node.entries if isinstance(key, ast.Expr)]
    if named:
        parts = [at.say("Lookup.one", value=worth, what=at.value(key).text, low="") for key, worth in named]
        text = ", ".join([*parts, *([at.say("Lookup.else", value=others)] if others else [])])
        return Phrase(at.say(whole, node, entries=text), plain=False)
    entries = sorted(((k, entry) for k, entry in node.entries if isinstance(k, int)), key=lambda row: row[0])
    counted = counted_group(at, node.at)
    parts = []
    for position, (key, entry) in enumerate(entries):
        up_to = entries[position + 1][0] - 1 if position + 1 < len(entries) else None
        form = "more" if up_to is None else "one" if up_to == key else "range"
        worth = at.value(entry).text
        what = str(key if up_to is None else up_to)
        if counted is not None and position == 0:
            what = counted.so_many(at, what)
        worth = worth if unit is None else at.counted(worth, unit)
        parts.append(at.say(f"Lookup.{form}", value=worth, low=key, what=what))
    text, low = ", ".join(parts), entries[0][0]
    if others or low > 1 or (counted is None and low > 0):
        form = "Lookup.below" if counted is None else "Lookup.below.counted"
        text = at.say(form, entries=text, value=others or "0", low=low)
    return Phrase(text if counted is not None else at.say(whole, node, entries=text), plain=False)


@value(ast.EndOf)
def _end(at: ProseContext, node: ast.EndOf) -> Phrase:
    """Word the top or bottom of a pile, or the first or last elements of a collection."""
    zone = zone_name(at, node.collection)
    pile = bool(zone) and at.nouns.zones[zone].laid.ends
    key = f"EndOf.{node.end}" if pile else "EndOf.first" if node.end == "top" else "EndOf.last"
    group = at.group(node.collection)
    noun = group.noun
    if node.count is not None:
        what = at.counted(at.after.value(node.count).text, noun)
        phrase = at.phrase(f"{key}.several", what=what, group=group.all(at))
        return replace(phrase, many=True, gender=noun.gender)
    where = {"group": group.all(at)} if pile else {"rest": Phrase(group.after(at))}
    return replace(at.phrase(key + group.feminine, what=bare(noun), **where), gender=noun.gender or "m")


# ---- calls


@value(ast.Call)
def _call(at: ProseContext, node: ast.Call) -> Phrase:
    """Word a call of a function of the language or of the ruleset: `the cost of that card for you`."""
    name, first = node.function.text, node.arguments[:1]
    if name in at.nouns.procedures:
        words = worded(at, node)
        return at.grammar.phrase(words) if words is not None else named_value(at, name, arguments(at, node.arguments))
    if name in (*COLLECTIONS, *GROUPINGS) or is_one_of_each(at, node):
        return at.group(node).all(at)
    if name in AGGREGATES and len(node.arguments) == 1:
        return _aggregate(at, name, *first)
    if name in ("any", "all"):
        return Phrase(at.say("whether", condition=at.clause(node)), plain=False)
    if name in ("min", "max"):
        parts = [_listable(at.after, argument) for argument in node.arguments]
        return at.phrase(f"Call.{name}2", parts=at.joined(parts))
    if name == "seen":
        return at.phrase("Call.seen", a=at.that(at.lexicon.noun(name_of(*first))))
    fields = dict(zip(("a", "b", "c"), map(at.after.value, node.arguments), strict=False))
    if name in ("total_score", "rank"):
        return at.grammar.possessed(fields["a"], at.engine_nouns[name])
    if name == "abs":
        fields["a"] = _tight(at, *first)
    if f"Call.{name}" in at.templates:
        return at.phrase(f"Call.{name}", **fields)
    return named_value(at, name, arguments(at, node.arguments))


def _listable(at: ProseContext, node: ast.Expr) -> str:
    """Word an item of a list; calculations other than products are put in parentheses."""
    plain = isinstance(node, ast.Lookup) or (isinstance(node, ast.Arithmetic) and node.op == "*")
    return (at.value(node) if plain else _tight(at, node)).text


AGGREGATES = frozenset("sum count max min mean each distinct".split())
SEVERAL = frozenset("sum each distinct".split())
"""Functions that speak of the values of an attribute, not of one of them."""


def _aggregate(at: ProseContext, name: str, argument: ast.Expr) -> Phrase:
    """Word an aggregate: `the total value of the cards in your hand`, `the number of cards in your hand`."""
    sort = at.sort(argument)
    if isinstance(argument, ast.Comprehension):
        name, argument = outermost(name, argument)
    if name == "count" and (isinstance(argument, ast.Comprehension) or not sort.is_goods):
        group = over(at, argument) if isinstance(argument, ast.Comprehension) else at.group(argument)
        return at.phrase("Call.count", group=group.several(at))
    if isinstance(argument, ast.Comprehension):
        return _over_body(at, name, argument)
    if name == "count" or (name in ("distinct", "each") and sort == Sort("bag", sort.name)):
        bag = at.value(argument)
        if name == "count" and bag.many and isinstance(argument, ast.NameExpr | ast.Attribute):
            return at.phrase("Call.count", group=bag)
        goods = at.noun_of_goods(sort)
        return at.phrase(f"Call.{name}.bag", goods=goods.many, bag=bag)
    if isinstance(argument, ast.Attribute):
        noun = at.attribute_noun(at.sort(argument.object).one, argument.name.text)
        return _of_all(at, name, noun, at.unit(argument.name.text), at.group(argument.object).all(at))
    return at.phrase(f"Call.{name}.all", group=at.group(argument).all(at))


def _of_all(at: ProseContext, name: str, noun: Noun, unit: Noun, group: Phrase) -> Phrase:
    """Word an aggregate of an attribute over a group."""
    what, only = (at.the(noun, True), noun.many) if name in SEVERAL else (at.the(unit), unit.one)
    return at.phrase(f"Call.{name}", what=what, bare=only, group=group)


def _over_body(at: ProseContext, name: str, node: ast.Comprehension) -> Phrase:
    """Word an aggregate of a comprehension's body."""
    group, body = over(at, node), node.body
    if isinstance(body, ast.Attribute) and name_of(body.object) == node.name.text:
        noun = at.attribute_noun(group.sort.one, body.name.text)
        return _of_all(at, name, noun, at.unit(body.name.text), group.all(at))
    if name == "sum" and isinstance(body, ast.Number):
        return at.phrase("for_each", n=body.value, each=group.each(at))
    if name in ("each", "distinct") and isinstance(body, ast.NameExpr):
        return group.all(at)
    return at.phrase(f"Call.{name}.body", body=within(at, node).value(body), each=group.each(at))
