"""Declarations and rule texts as sentences: who reacts to what, what changes what, what scores.

Enters: declarations. Leaves: sentences. In the rule text of a piece its owner is `you`; whoever acts is `the acting
player`, unless the text says that this is the owner, so that nothing is said of one that holds for the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from rulelang.languages.grammar import Phrase, sentence, settled
from rulelang.prose.context import Bound, ProseContext, name_of, operands, root, uses
from rulelang.prose.group import NounGroup
from rulelang.prose.groups import conditions, relative, subject
from rulelang.prose.menus import limited, menu_items, when
from rulelang.prose.sorts import BOOL, NUMBER, PLAYER, UNKNOWN, Procedure, Sort
from rulelang.prose.statements import listed, sentences, spoken_you
from rulelang.prose.values import for_each
from rulelang.prose.wording import Arguments, named_value, sentence_parts, title, worded_with
from rulelang.registry import registering
from rulelang.syntax import ast
from rulelang.syntax.whose import PLACES, Parameter, spelt_out
from rulelang.words.lexicon import plain_words

DECLARATIONS: dict[type[ast.Node], Callable[[ProseContext, Any], str]] = {}
"""Class of declarations, and parts of these -> what says them; any other is its template with its own fields."""
declared = registering(DECLARATIONS)
EITHER = frozenset("number bool bag cost unknown".split())
"""What parameters are of that have names instead of articles."""


def declaration(at: ProseContext, node: ast.Declaration, kind: str = "") -> str:
    """Word a declaration as sentences.

    `kind` says that it is in the rule text of a piece of that kind; otherwise it is in a rule file.
    """
    at.memo.said.clear()
    return sentence(_say(of_piece(at, kind) if kind else at, node))


def _say(at: ProseContext, node: ast.Node) -> str:
    """Word a declaration or type by its handler, or else by the template of its class."""
    say = DECLARATIONS.get(type(node))
    return say(at, node) if say is not None else at.say(type(node).__name__, node)


# ---- who is spoken to


def of_rules(at: ProseContext) -> ProseContext:
    """Return the context of a rule file, in which `you` is the acting player."""
    return replace(at, you=spoken_you(at), owner=Phrase(at.say("acting"), "p"), this=Phrase(at.say("this.piece")))


def of_piece(at: ProseContext, kind: str) -> ProseContext:
    """Return the context of the rule text of a piece, in which `you` is the piece's owner."""
    return replace(at, you=at.owner, owner=at.you, this=_this(at, kind), kind=kind)


def _this(at: ProseContext, kind: str) -> Phrase:
    """Return the phrase for the piece that a rule text belongs to: `this card`."""
    noun = at.lexicon.noun(kind)
    that = at.that(noun)
    return replace(that, text=at.say("this", that=that, noun=noun.one))


def _of_owner(at: ProseContext) -> ProseContext:
    """Return a context in which `you` is the owner, if this is the text of a piece."""
    return replace(at, you=at.owner) if at.kind else at


# ---- procedures


@declared(ast.Setup, ast.Play)
def _whole(at: ProseContext, node: ast.Setup | ast.Play) -> str:
    """Word the setup or the course of play."""
    return at.say(type(node).__name__, body=sentences(replace(at, addressed=False), node.body))


def _headed(at: ProseContext, node: Procedure) -> tuple[str, ProseContext]:
    """Word name and parameters of a declaration; return them with the context in which the parameters are bound."""
    about = []
    for param in node.params:
        sort = at.nouns.of_type(param.type)
        bound = at.local(param.name.text, sort)
        about.append(at.say("Param", name=_param_name(at, param, sort, bound), type=_say(at, param.type)))
        at = at.bind(param.name.text, bound)
    key = f"{type(node).__name__}.about" if about else type(node).__name__
    return at.say(key, name=at.lexicon.name(node.name.text), about=at.joined(about)), at


def _param_name(at: ProseContext, param: ast.Param, sort: Sort, bound: Bound) -> str:
    """Return the part of a parameter's phrase that names it; empty where its type says enough."""
    if bound.phrase.text == at.that(at.noun(sort), sort.many).text:
        return ""
    if isinstance(param.type, ast.RangeType):
        return f" ({bound.phrase})"
    return f" {bound.phrase}" if sort.is_simple else f" {at.say('quoted', name=plain_words(param.name.text))}"


@declared(ast.SetType)
def _set_type(at: ProseContext, node: ast.SetType) -> str:
    """Word a type of sets."""
    return at.say("SetType", many=at.noun(at.nouns.of_type(node.element)).many)


@declared(ast.GroupType)
def _group_type(at: ProseContext, node: ast.GroupType) -> str:
    """Word a type of groups: what they have in common."""
    sort = at.nouns.of_type(node)
    attribute = at.attribute_noun(sort.one, node.attribute.text).one
    return at.say("GroupType", many=at.noun(sort).many, attribute=attribute)


@declared(ast.OptionalType)
def _optional_type(at: ProseContext, node: ast.OptionalType) -> str:
    """Word a type with none."""
    return at.say("OptionalType", inner=_say(at, node.inner))


@declared(ast.BagType, ast.CostType)
def _goods_type(at: ProseContext, node: ast.BagType | ast.CostType) -> str:
    """Word a type of bags or costs."""
    return at.say(type(node).__name__, many=at.unit(node.resource).many)


@declared(ast.NamedType)
def _named_type(at: ProseContext, node: ast.NamedType) -> str:
    """Word a declared type, or `bool`."""
    return at.say("NamedType.bool") if node.name == "bool" else at.a(at.noun(at.nouns.of_type(node))).text


@declared(ast.Rule, ast.Event, ast.Ability)
def _procedure(at: ProseContext, node: ast.Rule | ast.Event | ast.Ability) -> str:
    """Word a rule, event or ability: head, body, and the notes on its result and depth."""
    head, at = _headed(replace(at, rule=node.name.text), node)
    notes = list[str]()
    for let in node.lets if isinstance(node, ast.Event) else ():
        bound = at.local(let.name.text, at.sort(let.value))
        notes.append(
            sentence(at.say("Event.let", name=at.quoted(plain_words(let.name.text)), value=at.value(let.value)))
        )
        at = at.bind(let.name.text, bound)
    if isinstance(node, ast.Event) and node.by is not None:
        who = at.value(ast.NameExpr(node.by.span, node.by.text))
        notes.append(sentence(at.say("Event.by", who=who)))
    body = " ".join([sentences(at, node.body), *notes])
    if not isinstance(node, ast.Event) and node.returns is not None:
        body = f"{body} {sentence(at.say('returns', type=_say(at, node.returns)))}"
    if node.depth is not None:
        body = f"{body} {sentence(at.say('Rule.depth', node))}"
    return at.say("headed", head=head, body=body)


@declared(ast.Function, ast.QuantityDecl, ast.AbilityValue)
def _giving(at: ProseContext, node: ast.Giving) -> str:
    """Word a function, quantity or ability with a value, and how deep it may call itself."""
    head, at = _headed(at, node)
    if isinstance(node.value, ast.Block):
        body = sentences(at, node.value)
    elif at.nouns.of_type(node.returns) != BOOL:
        body = at.say("Function.value", node)
    elif isinstance(node.value, ast.Truth):
        body = at.value(node.value).text
    else:
        body = at.say("whether", condition=at.clause(node.value))
    if isinstance(node, ast.Function) and node.depth is not None:
        body = f"{body}. {sentence(at.say('Rule.depth', node))}"
    return at.say("headed", head=head, body=body)


# ---- what a variant changes


@declared(ast.StepChange)
def _step_change(at: ProseContext, node: ast.StepChange) -> str:
    """Word a variant's change of a step: an insertion before or after it, a replacement or a removal."""
    step = at.quoted(node.step.text)
    if node.rule is not None:
        step = at.say("StepChange.of", node, step=step)
    body = "" if node.body is None else sentences(at, node.body)
    return at.say(f"StepChange.{node.timing}", step=step, body=body)


@declared(ast.Removal)
def _removal(at: ProseContext, node: ast.Removal) -> str:
    """Word the removal of a declaration by a variant."""
    name = f" {at.quoted(node.name.text)}" if node.name is not None else ""
    if node.group is not None:
        name += at.say("Exchange.in", node)
    return at.say("Removal", what=at.say(f"category.{node.category}"), name=name)


# ---- scores


@declared(ast.Score)
def _score(at: ProseContext, node: ast.Score) -> str:
    """Word a score line."""
    noun = at.lexicon.noun(f"score.{node.name.text}", node.name.text)
    return at.say("Score", name=noun.many if noun.plural else noun.one, value=_points(at, node.value))


@declared(ast.Payoff, ast.PieceScore)
def _payoff(at: ProseContext, node: ast.Payoff | ast.PieceScore) -> str:
    """Word the payoff, or the points of a piece."""
    return at.say(type(node).__name__, value=_points(_of_owner(at), node.value))


def _points(at: ProseContext, node: ast.Expr | ast.Block) -> str:
    """Word a value as points: `2 points for each card`."""
    if isinstance(node, ast.Block):
        return at.statement(node)
    text = at.value(node).text
    number, space, rest = text.partition(" ")
    counts = isinstance(node, ast.Lookup | ast.Negative) or for_each(at, node) is not None
    if number.lstrip("−").isdigit() and (counts or not rest):
        return f"{at.counted(number, at.engine_nouns['point'])}{space}{rest}"
    return text


@declared(ast.Winner, ast.TieBreak)
def _ranking(at: ProseContext, node: ast.Winner | ast.TieBreak) -> str:
    """Word a criterion of who wins, what all win by, or how ties are broken."""
    if node.ranking == "all" and node.value is not None:
        each = replace(at, you=Phrase(at.say("each", noun=at.noun(PLAYER).one, rest="").strip()))
        return at.say("Winner.all", condition=each.clause(node.value))
    return at.say(f"{type(node).__name__}.{node.ranking}", node)


@declared(ast.Tie)
def _tie(at: ProseContext, node: ast.Tie) -> str:
    """Word the list of tie breaks."""
    first, *others = (_say(at, part) for part in node.breaks)
    breaks = at.say("list", first=first, rest="".join(at.say("list.next", part=part) for part in others))
    return at.say("Tie", breaks=breaks)


# ---- exchanges and offers


@declared(ast.Exchange)
def _exchange(at: ProseContext, node: ast.Exchange) -> str:
    """Word an exchange: limits, cost and gain."""
    at = _of_owner(at)
    groups = sum(isinstance(other, ast.ExchangeGroup) for other in at.nouns.declarations)
    group = at.say("Exchange.in", node) if node.group and groups > 1 else ""
    limits = limited(at, node.limit) + when(at, node.guard)
    return at.say("Exchange", node, who=at.quiet, limits=limits, group=group)


@declared(ast.ExchangeGroup)
def _exchanges(at: ProseContext, node: ast.ExchangeGroup) -> str:
    """Word a group of exchanges with its purse and limit."""
    head, at = _headed(at, node)
    purse = at.value(node.purse)
    if node.times is not None:
        purse = replace(purse, text=at.say("ExchangeGroup.times", purse=purse, n=at.value(node.times)))
    items = listed(at, [_exchange(at, exchange) for exchange in node.exchanges])
    return at.say("ExchangeGroup.body", head=head, purse=purse, items=items)


@declared(ast.Offer)
def _offer(at: ProseContext, node: ast.Offer) -> str:
    """Word an offer, items that a piece adds to a menu."""
    who = _of_owner(at).you
    menus = (menu for other in at.nouns.declarations for menu in ast.walk(other) if isinstance(menu, ast.Menu))
    names = [menu.name.text for menu in menus if menu.by is not None and menu.name is not None]
    inner = replace(at, you=at.quiet if node.menu.text in names else who, rule=node.menu.text)
    return at.say("Offer", node, who=settled(who), items=menu_items(inner, node.items))


# ---- reactions, modifiers


@dataclass(frozen=True)
class Opening:
    """What a handler or modifier is about: its parameters as they are first said, and what remains of its condition.

    `fields`: the parameters by the names that the procedure declares, as a sentence of the ruleset fills them in;
    `untold`: seats that a condition determines and that this sentence does not mention.
    """

    at: ProseContext
    about: Arguments
    fields: dict[str, Phrase]
    rest: list[ast.Expr]
    untold: Arguments


def _opening(at: ProseContext, name: str, node: ast.Handler | ast.Modifier, body: ast.Node) -> Opening:
    """Analyse parameters and condition of a handler or modifier.

    Parts of the condition that determine a parameter move into its phrase: `owner` in its place becomes `you`,
    `c.value = 2` joins `a card`; but those of what the ruleset's own sentence does not mention, if it is no seat, stay
    conditions.
    """
    params = at.nouns.params(name)
    own_words = {part.field for part in sentence_parts(at, name)}
    names, guard = spelt_out(node, [Parameter(p, sort == PLAYER, sort.many) for p, sort in params]) or (
        node.params,
        node.guard,
    )
    parts = [part for part in operands(guard, "and") if not _same(part, "you", "owner")]
    untold: Arguments = []
    if len(parts) < len(operands(guard, "and")):
        at = replace(at, you=at.owner)
        untold.append((PLAYER, settled(at.owner)))
    first: dict[str, tuple[Sort, Phrase]] = {}
    related: set[str] = set()
    for local, (param, sort) in zip(names, params, strict=False):
        if local is None:
            continue
        is_told = not own_words or param in own_words
        said, bound, taken = _parameter(at, local.text, sort, parts if is_told or sort == PLAYER else [], body)
        if taken is not None and said is not None and not is_told:
            untold.append((sort, said))
        if is_told:
            related.add(local.text)
        parts = [part for part in parts if part is not taken]
        at = at.bind(local.text, bound)
        if said is not None:
            first[local.text] = sort, said
    for local_name, (sort, phrase) in first.items():
        indefinite = phrase.person == "it" and not sort.many and phrase.text != local_name
        indefinite = indefinite and local_name in related
        own = [part for part in parts if indefinite and _is_about(at, part, local_name)]
        if own:
            condition = own[0]
            for part in own[1:]:
                condition = ast.Logic(part.span, "and", condition, part)
            rest = relative(at, NounGroup(at.noun(sort), sort.all), condition, local_name)
            first[local_name] = sort, replace(phrase, text=f"{phrase.text} {rest}", plain=False)
            parts = [part for part in parts if part not in own]
    fields = {name: Phrase(name) if sort == NUMBER else at.a(at.noun(sort)) for name, sort in params}
    for (param, _), local in zip(params, names, strict=False):
        if local is not None and local.text in first:
            fields[param] = first[local.text][1]
    return Opening(at, list(first.values()), fields, parts, untold)


def _parameter(
    at: ProseContext, local: str, sort: Sort, parts: list[ast.Expr], body: ast.Node
) -> tuple[Phrase | None, Bound, ast.Expr | None]:
    """Return a parameter's phrase at first mention (None to omit it), its bound local, and the condition it absorbs."""
    for whom, phrase in (("owner", at.owner), ("this", at.this), ("you", at.you)):
        for part in parts:
            if _same(part, local, whom):
                return settled(phrase), Bound(sort, settled(phrase)), part
    for part in parts:
        if (path := _path_to(part, local)) is not None and sort.what == "piece":
            return at.value(path), Bound(sort, at.value(path)), part
    used = uses(body, local) or any(uses(part, local) for part in parts)
    if sort.many or sort.what in EITHER:
        bound = at.local(local, sort)
        return (bound.phrase if used else None), bound, None
    noun = at.noun(sort)
    said, later = at.a(noun), at.that(noun)
    if at.is_taken(noun, local):
        label = plain_words(local)
        said, later = (replace(p, text=at.say("labelled", noun=p, label=label)) for p in (said, later))
    bound = Bound(sort, later, noun.one)
    for part in parts:
        if sort == PLAYER and at.owner.person == "you" and _same(part, local, "owner", "!="):
            return at.a(at.engine_nouns["other"]), bound, part
    return (said if used or sort != PLAYER else None), bound, None


def _is_about(at: ProseContext, part: ast.Expr, local: str) -> bool:
    """Return whether the subject of a condition is the local or a path from it."""
    first = subject(at, part)
    return first is not None and root(first) == local


def _with_untold(opening: Opening, words: str) -> str:
    """Return what happens with the seats that it does not mention: `a blow falls for you`."""
    at, said = opening.at, list(dict.fromkeys(phrase.text for _, phrase in opening.untold))
    return at.say("call.for", x=words, parts=at.joined(said)) if said else words


def _conditions(opening: Opening) -> str:
    """Word the conditions that remain in an opening, as `, if …`."""
    at = opening.at
    return at.say("when", condition=at.joined(conditions(at, opening.rest))) if opening.rest else ""


@declared(ast.Handler)
def _handler(at: ProseContext, node: ast.Handler) -> str:
    """Word a handler: event, timing, conditions and body."""
    opening = _opening(at, node.event.text, node, node.body)
    at, key = opening.at, f"Handler.{node.timing}"
    at = replace(at, places=tuple(p.text * (p.text in PLACES) for p in node.params))
    event = worded_with(at, node.event.text, opening.fields)
    if event is not None:
        key += ".worded"
    else:
        event = title(at, node.event.text, opening.about)
    event = _with_untold(opening, event)
    may = at.say("Handler.may") if node.optional else ""
    return at.say(key, node, event=event, when=_conditions(opening) + limited(at, node.limit) + may)


@declared(ast.Modifier)
def _modifier(at: ProseContext, node: ast.Modifier) -> str:
    """Word a modifier of a quantity."""
    name, sort = node.quantity.text, at.nouns.returns(node.quantity.text)
    opening = _opening(at, name, node, ast.Block(node.span, (*(node.lets or ()), ast.Return(node.span, node.value))))
    at, about = opening.at, opening.about
    for let in node.lets or ():
        at = at.naming(let)
    when = _conditions(opening) + (at.say("priority", node) if node.priority else "")
    words = worded_with(at, name, opening.fields)
    words = _with_untold(opening, words) if words is not None else None
    if sort == BOOL and isinstance(node.value, ast.Truth):
        key = f"Modifier.{str(node.value.value).lower()}"
        if words is not None:
            return at.say(f"{key}.worded", quantity=words, when=when)
        parts = [phrase.text for _, phrase in sorted(about, key=lambda said: said[0] != PLAYER)]
        return at.say(f"{key}.for" if parts else key, name=at.quoted(name), x=at.joined(parts)) + when
    if sort == BOOL:
        depends = at.clause(node.value)
        return at.say("Modifier.set to.bool", quantity=title(at, name, about), value=depends, when=when)
    several = ".several" if sort.many and node.layer in ("plus", "minus") else ""
    return at.say(f"Modifier.{node.layer}{several}", node, quantity=_quantity(at, name, words, about), when=when)


def _quantity(at: ProseContext, name: str, words: str | None, about: Arguments) -> Phrase:
    """Return the phrase of a quantity: `the cost of a card for you`, or the ruleset's own words."""
    return at.grammar.phrase(words) if words is not None else named_value(at, name, about)


# ---- abilities


@declared(ast.Implement)
def _implement(at: ProseContext, node: ast.Implement) -> str:
    """Word a piece's implementation of an ability."""
    at, about, words = _asked(at, node, node.body)
    body = sentences(at, node.body)
    if words is not None:
        return at.say("Implement.worded", ability=words, body=body)
    return at.say("Implement", ability=title(at, node.ability.text, about), body=body)


@declared(ast.ImplementValue)
def _implement_value(at: ProseContext, node: ast.ImplementValue) -> str:
    """Word the value that a piece's implementation of an ability returns."""
    name = node.ability.text
    at, about, words = _asked(at, node, node.value)
    if at.nouns.returns(name) != BOOL:
        return at.say("Modifier.set to", node, quantity=_quantity(at, name, words, about), when="")
    is_truth = isinstance(node.value, ast.Truth)
    said = at.value(node.value).text if is_truth else at.clause(node.value)
    if words is None:
        return at.say("ImplementValue", ability=title(at, name, about), condition=said)
    if isinstance(node.value, ast.Truth):
        return at.say(f"Modifier.{str(node.value.value).lower()}.worded", quantity=words, when="")
    return at.say("ImplementValue.worded", ability=words, condition=said)


def _asked(
    at: ProseContext, node: ast.Implement | ast.ImplementValue, body: ast.Node
) -> tuple[ProseContext, Arguments, str | None]:
    """Bind the parameters of an implemented ability.

    Returns the context, the arguments to name with it, and the ruleset's sentence for the ability if it has one.
    """
    name = node.ability.text
    at = replace(at, you=spoken_you(at), owner=Phrase(at.say("its_owner"), "p"))
    params = at.nouns.params(name)
    about: Arguments = []
    fields = {param: at.this for param, _ in params[:1]}
    for number, local in enumerate(node.params):
        param, sort = params[number] if number < len(params) else ("", UNKNOWN)
        bound = Bound(sort, at.this) if number == 0 else at.local(local.text, sort)
        at = at.bind(local.text, bound)
        if number and uses(body, local.text):
            said = bound.phrase if sort.what in ("number", "unknown") or sort.many else at.a(at.noun(sort))
            about.append((sort, said))
            fields[param] = said
    return at, about, worded_with(at, name, fields)


def _same(part: ast.Expr, a: str, b: str, op: str = "=") -> bool:
    """Return whether a condition compares exactly the names `a` and `b` by `op`, in either order."""
    if not isinstance(part, ast.Compare) or part.op != op:
        return False
    return [name_of(part.left), name_of(part.right)] in ([a, b], [b, a])


def _path_to(part: ast.Expr, local: str) -> ast.Attribute | None:
    """Return the path from `this` or `owner` that a condition equates with a local: `this.home` of `this.home = h`."""
    if isinstance(part, ast.Compare) and part.op == "=":
        for name, path in ((part.left, part.right), (part.right, part.left)):
            if name_of(name) == local and isinstance(path, ast.Attribute) and root(path) in ("this", "owner"):
                return path
    return None
