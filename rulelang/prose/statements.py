"""Statements as clauses, blocks as sentences: nothing that a statement asks for is left out.

Enters: statements and blocks. Leaves: clauses; the parts of a block inside a sentence are joined or numbered. What has
no function here is its template with its own fields.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rulelang.languages.grammar import Phrase, sentence, settled
from rulelang.prose.choices import Chosen, anyway, choosing, chosen_sort, element_noun, group_called, named, some_goods
from rulelang.prose.conditions import absent, holder, holds
from rulelang.prose.context import Bound, ProseContext, statement, uses
from rulelang.prose.groups import disambiguated, narrowed, place_name, relative, zone_name
from rulelang.prose.sorts import BOOL, PLAYER, Sort
from rulelang.prose.values import for_each
from rulelang.prose.wording import arguments, called, title, worded, worded_with
from rulelang.syntax import ast
from rulelang.syntax.forms import value as written
from rulelang.words.lexicon import plain_words

Saying = Callable[[Phrase], str]
GENERIC = frozenset("who seat it other".split())
"""Names of locals that say no more than their sort."""
MOMENTS = frozenset(("turn", "round", "phase"))
NUMBERS = (
    [str(n) for n in range(1, 100)],
    list("abcdefghijklmnopqrstuvwxyz"),
    "i ii iii iv v vi vii viii ix x xi xii".split(),
)

# ---- blocks


def sentences(at: ProseContext, block: ast.Block) -> str:
    """Word a block after a heading: one clause, or several sentences."""
    parts = clauses(at, block)
    return f"{parts[0]}." if len(parts) == 1 else " ".join(map(sentence, parts))


@statement(ast.Block)
def inline(at: ProseContext, block: ast.Block) -> str:
    """Word a block within a sentence, as a list of clauses if it has several."""
    parts = clauses(replace(at, level=at.level + 1), block)
    simple = len(parts) < 4 and not any(sign in clause for clause in parts for sign in ",:;")
    if len(parts) > 1 and simple:
        return at.say("then", first=", ".join(parts[:-1]), last=parts[-1])
    return listed(at, parts)


def listed(at: ProseContext, parts: list[str]) -> str:
    """Return parts as a numbered or lettered list, by the level of nesting; a single part unnumbered."""
    if len(parts) == 1:
        return parts[0]
    numbers = next(n for n in (NUMBERS[at.level % len(NUMBERS)], NUMBERS[0]) if len(parts) <= len(n))
    return "; ".join(f"({number}) {part}" for number, part in zip(numbers, parts, strict=False))


def clauses(at: ProseContext, block: ast.Block) -> list[str]:
    """Word the statements of a block as clauses; names bound by `let` are known in those after it."""
    parts: list[str] = []
    statements = block.statements
    for position, node in enumerate(statements):
        if not isinstance(node, ast.Let):
            if not isinstance(node, ast.Pass) or len(statements) == 1:
                parts.append(at.statement(node))
            continue
        sort = at.sort(node.value)
        if sort != BOOL and _folds(at, node, statements[position + 1 :]):
            bound = Bound(sort, at.value(node.value))
        else:
            bound = _named(at, node)
            parts.append(_let(at, node, bound))
        at = at.bind(node.name.text, bound)
    return parts


def _folds(at: ProseContext, node: ast.Let, following: tuple[ast.Statement, ...]) -> bool:
    """Return whether a `let` value can be worded inside the next statement, its only use."""
    waits = any(isinstance(inner, Chosen) for inner in ast.walk(node.value))
    called = isinstance(node.value, ast.Call) and at.nouns.is_done(node.value.function.text)
    if node.leave is not None or waits or called or not following:
        return False
    simple = isinstance(following[0], ast.Assign | ast.Move | ast.CallStatement | ast.Return | ast.Draw)
    return simple and uses(following[0], node.name.text) == 1 and uses(following, node.name.text) == 1


# ---- names


def _let(at: ProseContext, node: ast.Let, bound: Bound) -> str:
    """Word a `let`, with what happens if its value is absent."""
    if isinstance(node.value, Chosen):
        return _leaving(at, node, choosing(at, node.value, node.name.text))
    return _leaving(at, node, at.say("Let", node, x=bound.phrase))


def _named(at: ProseContext, node: ast.Let) -> Bound:
    """Return the bound local that a `let` introduces."""
    name, chosen = node.name.text, node.value
    if isinstance(chosen, ast.Choose) and chosen.together:
        return at.local(name, replace(at.sort(chosen), what="unknown"))
    bound = named(at, name, chosen)
    return bound if isinstance(chosen, Chosen) else _called_so(at, name, bound)


def _called_so(at: ProseContext, name: str, bound: Bound) -> Bound:
    """Return the bound local for a named value: `the best cards`, or the noun of its sort."""
    sort, noun = bound.sort, at.noun(bound.sort)
    if sort.what in ("number", "unknown", "bool") and not sort.many:
        return bound
    if at.grammar.has_identifiers and len(name) > 2 and name not in GENERIC:
        if plain_words(name).lower() not in (noun.one.lower(), noun.many.lower()):
            noun = at.whole(name)
            return Bound(sort, at.the(noun, sort.many and at.counts(name)), noun.one)
    return bound if at.is_taken(noun, name) else replace(bound, phrase=at.the(noun, sort.many))


def _leaving(at: ProseContext, node: ast.Let | ast.Assign, text: str) -> str:
    """Append to a clause what happens if the value is absent."""
    return (
        text
        if isinstance(node.leave, ast.Never | type(None))
        else at.say("Let.leave", let=text, leave=at.statement(node.leave))
    )


# ---- changes


@statement(ast.Assign)
def _assign(at: ProseContext, node: ast.Assign) -> str:
    """Word an assignment, with who chooses what a bag gains and what happens if the value is absent."""
    text = _assigned(at, node)
    if node.by is not None:
        text = at.say("Assign.by", change=text, who=at.value(node.by))
    return _leaving(at, node, text)


def _assigned(at: ProseContext, node: ast.Assign) -> str:
    """Word the change of a variable by an assignment."""
    target = node.target
    if at.sort(target) == BOOL and isinstance(node.value, ast.Truth):
        return holds(at, target, "mark" if node.value.value else "Unmark")
    if at.sort(target) == BOOL and not isinstance(node.value, Chosen):
        mark, unmark = holds(at, target, "mark"), holds(at, target, "Unmark")
        return at.say("Assign.bool", mark=mark, condition=at.clause(node.value), unmark=unmark)
    if isinstance(node.value, ast.NoneExpr):
        return at.say("Assign.none", node)
    return _chosen_first(at, node.value, lambda value: _changed(at, node, value))


def _changed(at: ProseContext, node: ast.Assign, value: Phrase) -> str:
    """Word an amount that is gained, lost, added, subtracted or set."""
    target, sort = node.target, at.sort(node.target)
    key = {":=": "set", "+=": "add", "-=": "subtract"}[node.op]
    if key == "add" and sort.what == "bag" and (words := _put_in(at, target, value)) is not None:
        return words
    owner, name = holder(at, target), place_name(at, target)
    if key != "set" and owner is not None and name and not sort.many:
        if sort.what == "bag" and not isinstance(node.value, ast.Number):
            form = "gain" if _is_only_purse(at, name) else "bag"
            return at.say(f"Assign.{key}.{form}", node, who=owner, value=value)
        if sort.what == "number" and at.counts(name) and (amount := _so_much(at, node.value, value, name)) is not None:
            return at.say(f"Assign.{key}.gain", node, who=owner, value=amount)
    return at.say(f"Assign.{key}", node, value=value)


def _put_in(at: ProseContext, target: ast.Expr, more: Phrase) -> str | None:
    """Word a bag's gain by the ruleset's sentence for it; None if there is none."""
    path = target.object if isinstance(target, ast.Index) else target
    if not isinstance(path, ast.NameExpr | ast.Attribute):
        return None
    fields = {"who": holder(at, path) or at.you, "more": more}
    if isinstance(path, ast.NameExpr):
        return worded_with(at, path.name, fields, command=True)
    return worded_with(at, path.name.text, {**fields, "what": at.value(path.object)}, command=True)


def _so_much(at: ProseContext, node: ast.Expr, value: Phrase, name: str) -> str | None:
    """Word an amount of a counted variable: `2 coins`, `1 coin for each …`; None if no number precedes the noun."""
    number, space, more = value.text.partition(" ")
    if more and for_each(at, node) is None:
        return None
    return f"{at.counted_unit(number, name)}{space}{more}"


def _is_only_purse(at: ProseContext, name: str) -> bool:
    """Return whether a variable is the only bag that players have."""
    bags = [v.name for v in at.nouns.variables.values() if at.nouns.variable(v).what == "bag" and v.per]
    return bags == [name]


def _chosen_first(at: ProseContext, value: ast.Expr, say: Saying) -> str:
    """Word a statement about a chosen value: first the choice, then the statement; `say` words the latter."""
    if not isinstance(value, Chosen) or (isinstance(value, ast.Choose) and value.together):
        return say(at.value(value))
    sort = at.sort(value)
    if isinstance(value, ast.Roll):
        it = at.phrase("the_result")
    elif sort.what == "number" and not sort.many:
        it = at.phrase("the_number")
    else:
        noun = element_noun(at, value) or at.noun(sort.one)
        it = replace(at.that(noun, chosen_sort(at, value).many), plain=True)
    return at.say("and", first=choosing(at, value), second=say(it))


@statement(ast.Move)
def _move(at: ProseContext, node: ast.Move) -> str:
    """Word a move of pieces, or of goods: all that a bag holds, some of it at random, or others."""
    if node.origin is not None:
        if written(node.what) == written(node.origin):
            return at.say("Move.all", node, who=at.you)
        if isinstance(node.what, ast.RandomOf) and node.what.count is not None:
            return at.say("Move.random", node, who=at.you, what=some_goods(at, node.what.count, node.origin))
        return _chosen_first(at, node.what, lambda what: at.say("Move.goods", node, who=at.you, what=what))
    key = "Move.bottom" if node.at_bottom else "Move"
    return _chosen_first(at, node.what, lambda what: _handled(at, node, key, what))


@statement(ast.Draw)
def _draw(at: ProseContext, node: ast.Draw) -> str:
    """Word a draw of pieces from a pile."""
    zone = zone_name(at, node.pile)
    noun = at.noun(Sort("piece", at.nouns.zones[zone].holds) if zone else at.sort(node.pile).one)
    count = at.value(node.count)
    many = len(count.text.split()) > 1
    what = at.say("as_many", n=count, noun=noun.many) if many else at.counted(count.text, noun)
    return _handled(at, node, "Draw.at_once" if node.at_once else "Draw", what)


@statement(ast.Shuffle)
def _shuffle(at: ProseContext, node: ast.Shuffle) -> str:
    """Word the shuffling of a pile."""
    return at.say("Shuffle", node, who=_hands(at))


def _handled(at: ProseContext, node: ast.Move | ast.Draw, key: str, what: Phrase | str) -> str:
    """Word the handling of pieces by template `key`, with `secretly` if it is secret."""
    text = at.say(key, node, who=_hands(at), what=what)
    return at.say("secretly", what=text) if node.secretly else text


def _hands(at: ProseContext) -> Phrase:
    """Return the acting seat, or a silent subject, for statements where it does not matter who moves pieces."""
    return at.you if at.you.person == "you" else Phrase("", person="you", silent=True)


@statement(ast.Reveal)
def _reveal(at: ProseContext, node: ast.Reveal) -> str:
    """Word the reveal of a value."""
    key = "Reveal" if node.to is None else "Reveal.to"
    return _chosen_first(at, node.value, lambda what: at.say(key, node, what=what))


@statement(ast.Remember, ast.Forget)
def _remember(at: ProseContext, node: ast.Remember | ast.Forget) -> str:
    """Word that a position is written down, or that none of it is any more."""
    what = at.the(at.lexicon.noun(node.position.text))
    return at.say(type(node).__name__, who=_hands(at), what=what)


@statement(ast.Arrange)
def _arrange(at: ProseContext, node: ast.Arrange) -> str:
    """Word the arrangement of pieces into groups."""
    zone, by = at.group(node.zone), at.lexicon.name(node.variable.text)
    if node.condition is None:
        return anyway(at, node, at.say("Arrange", what=zone.all(at), by=by))
    sort = replace(zone.sort, what="group", name="")
    group = relative(at, replace(zone, noun=at.noun(sort), sort=sort), node.condition, "it")
    return anyway(at, node, at.say("Arrange.where", what=zone.all(at), by=by, group=group))


# ---- calls, ends, marks


@statement(ast.CallStatement)
def _call(at: ProseContext, node: ast.CallStatement) -> str:
    """Word the call of a rule, by the ruleset's sentence if it has one."""
    words = worded(at, node.call, command=True)
    return words if words is not None else at.say("CallStatement", call=called(at, node.call))


@statement(ast.Proceed)
def _proceed(at: ProseContext, node: ast.Proceed) -> str:
    """Word a `proceed`, with changed arguments if there are any; `owner` in its own place is none."""
    same = [ast.NameExpr(a.span, place) for a, place in zip(node.arguments or (), at.places, strict=False)]
    given = [at.value(argument).text for argument in node.arguments or () if argument not in same]
    return at.say("Proceed.with", given=at.joined(given)) if given else at.say("Proceed")


@statement(ast.Return)
def _return(at: ProseContext, node: ast.Return) -> str:
    """Word a `return`."""
    if node.value is None:
        return at.say("Return")
    return _chosen_first(at, node.value, lambda value: at.say("Return.value", x=value))


@statement(ast.EndGame)
def _end_game(at: ProseContext, node: ast.EndGame) -> str:
    """Word the end of the game, when it takes effect and who wins."""
    text = at.say(f"EndGame.{node.after}" if node.after else "EndGame")
    if node.won_by is not None:
        return at.say("EndGame.won", end=text, who=at.value(node.won_by))
    if node.amounts is not None:
        each = replace(at, you=Phrase(at.that(at.noun(PLAYER)).text, "p"))
        return at.say("EndGame.amounts", end=text, amount=each.value(node.amounts))
    how = "drawn" if node.drawn else "lost" if node.lost else ""
    return at.say(f"EndGame.{how}", end=text) if how else text


@statement(ast.Mark)
def _mark(at: ProseContext, node: ast.Mark) -> str:
    """Word a mark with the moment until which it holds."""
    name, key = node.event.text, f"until.{node.moment}"
    seat = at.value(node.seat) if node.seat is not None else None
    if name not in MOMENTS:
        until = at.say(key, event=title(at, name, [(PLAYER, seat)] if seat is not None else []))
    elif seat is None:
        until = at.say(f"{key}.{name}")
    else:
        until = at.say(f"{key}.{name}.you" if seat.person == "you" else f"{key}.{name}.of", seat=seat)
    return at.say("Mark", mark=holds(at, node.target, "mark"), until=until)


@statement(ast.Trade)
def _trade(at: ProseContext, node: ast.Trade) -> str:
    """Word a trade by a group of exchanges."""
    return at.say("Trade", who=at.quiet, group=title(at, node.group.text, arguments(at, node.arguments)))


@statement(ast.Pay)
def _pay(at: ProseContext, node: ast.Pay) -> str:
    """Word a payment, with what happens if it is made or not."""
    key = "Pay" if node.to is None else "Pay.to"
    if node.paid is None or node.unpaid is None:
        return at.say(key, node)
    text = at.say(f"{key}.if", node, body=at.statement(node.paid))
    return text if passes(node.unpaid) else at.say("If.else", so=text, body=at.statement(node.unpaid))


# ---- blocks with conditions, loops, scopes


@statement(ast.If)
def _if(at: ProseContext, node: ast.If) -> str:
    """Word an `if` statement: `if …, …; otherwise …`."""
    texts = []
    for number, (condition, block) in enumerate(node.branches):
        key = "If.elif" if number else "If"
        if isinstance(condition, ast.IfSome):
            texts.append(_if_some(at, condition, block, key))
        elif isinstance(condition, Chosen):
            texts.append(at.say("and", first=choosing(at, condition), second=at.statement(block)))
        else:
            texts.append(at.say(key, condition=at.clause(condition), body=at.statement(block)))
    text = "; ".join(texts)
    return text if node.otherwise is None else at.say("If.else", so=text, body=at.statement(node.otherwise))


def _if_some(at: ProseContext, node: ast.IfSome, block: ast.Block, key: str) -> str:
    """Word an `if some` branch: a value is present, or is chosen, and bound to a name."""
    value, name = node.value, node.name.text
    bound = named(at, name, value)
    if isinstance(value, Chosen):
        body = at.bind(name, bound).statement(block)
        return at.say("IfSome.chosen", choose=choosing(at, value, name), body=body)
    phrase = at.value(value)
    is_path = isinstance(value, ast.NameExpr | ast.Attribute)
    if is_path and bound.sort.what != "number" and _stays(at, value, name, block):
        bound = replace(bound, phrase=phrase)
        condition_text = absent(at, value, False)
    else:
        bound = _called_so(at, name, bound)
        if is_path or isinstance(value, ast.CellOf):
            condition_text = at.say("IfSome.named", there=absent(at, value, False), name=bound.phrase)
        else:
            condition_text = at.say("IfSome", x=phrase, name=bound.phrase)
    return at.say(key, condition=condition_text, body=at.bind(name, bound).statement(block))


def _stays(at: ProseContext, value: ast.Expr, name: str, block: ast.Block) -> bool:
    """Return whether a block cannot change the variable `value` while it reads it as `name`."""
    if uses(block, name) <= 1:
        return True
    inside = list(ast.walk(block))
    changed = {place_name(at, inner.target) for inner in inside if isinstance(inner, ast.Assign)}
    return place_name(at, value) not in changed and not any(isinstance(n, ast.CallStatement) for n in inside)


@statement(ast.For)
def _for(at: ProseContext, node: ast.For) -> str:
    """Word a loop over a collection: `for each card in your hand: …`."""
    name, collection = node.name.text, node.collection
    if isinstance(collection, Chosen):
        bound = at.local(name, at.sort(collection).one, element_noun(at, collection))
        body = at.bind(name, bound).statement(node.body)
        return at.say("For.chosen", choose=choosing(at, collection, name), body=body)
    if isinstance(collection, ast.Where) and uses(collection.condition, name):
        group = narrowed(at, at.group(collection.collection), collection.condition, name)
        group = disambiguated(at, group, name)
    else:
        group = group_called(at, collection, name)
    bound = at.local(name, group.sort.one, group.noun)
    key = "For.players" if group.sort.one == PLAYER else "For"
    return at.say(key, each=group.each(at), body=at.bind(name, bound).statement(node.body))


@statement(ast.Repeat)
def _repeat(at: ProseContext, node: ast.Repeat) -> str:
    """Word a `repeat` loop."""
    times = node.times
    if isinstance(times, ast.Number):
        return at.say("Repeat.once" if times.value == 1 else "Repeat.times", node)
    return at.say("Repeat" if times is None else "Repeat.value", node)


@statement(ast.AsBlock)
def _as(at: ProseContext, node: ast.AsBlock) -> str:
    """Word a block in which another seat acts."""
    seat = at.value(node.seat)
    return at.say("AsBlock", seat=seat, body=_acting(at, seat).statement(node.body))


@statement(ast.Scope)
def _scope(at: ProseContext, node: ast.Scope) -> str:
    """Word a turn, round or phase."""
    if node.seat is None:
        return at.say(f"Scope.{node.kind}", node)
    seat = at.value(node.seat)
    key = "Scope.turn.you" if seat.person == "you" else "Scope.turn"
    return at.say(key, seat=seat, body=_acting(at, seat).statement(node.body))


def _acting(at: ProseContext, seat: Phrase) -> ProseContext:
    """Return a context in which a seat acts: as `you`, unless another seat already is."""
    return replace(at, you=settled(seat) if at.addressed else spoken_you(at), addressed=True)


def spoken_you(at: ProseContext) -> Phrase:
    """Return the phrase `you` for the reader, a silent subject in commands."""
    return Phrase(at.say("you"), "p", person="you", silent=True)


def passes(block: ast.Block) -> bool:
    """Return whether a block only consists of `pass` and `never`."""
    return all(isinstance(inner, ast.Pass | ast.Never) for inner in block.statements)
