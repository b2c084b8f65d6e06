"""Declarations and rule texts as sentences: who reacts to what, what changes what, what scores.

Enters: declarations. Leaves: sentences. In the rule text of a piece its owner is `you`; whoever acts is `the acting
player`, unless the text says that this is the owner, so that nothing is said of one that holds for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rulelang.prose.base import Bound, Context, children, conjuncts, mentions
from rulelang.prose.grammar import Phrase, sentence, settled
from rulelang.prose.group import Group
from rulelang.prose.sorts import BOOL, NUMBER, PLAYER, UNKNOWN, Procedure, Sort
from rulelang.prose.statements import Statements
from rulelang.prose.values import root
from rulelang.syntax import ast
from rulelang.words.lexicon import plain_words


@dataclass(frozen=True)
class Opening:
    """What a handler or modifier is about: its parameters as they are first said, and what remains of its condition."""

    first: list[tuple[str, Sort, Phrase]]
    at: Context
    rest: list[ast.Expr]


class Declarations(Statements):
    """Says what declarations say."""

    # ---- who is spoken to

    def of_piece(self, kind: str) -> Context:
        """In the rule text of a piece: its owner reads it."""
        you = Phrase(self.say("you"), "p", person="you", silent=True)
        return Context(Phrase(self.say("acting"), "p"), you, self.this(kind), kind)

    def this(self, kind: str) -> Phrase:
        """The piece whose text it is."""
        that = self.that(self.lexicon.noun(kind))
        return replace(that, text=self.say("this", that=that, noun=self.lexicon.noun(kind).one))

    def of_rules(self, *, addressed: bool = True) -> Context:
        """In a rule file: whoever acts reads it."""
        you = Phrase(self.say("you"), "p", person="you", silent=True)
        nobody = Phrase(self.say("acting"), "p")
        return Context(you, nobody, Phrase(self.say("this.piece")), addressed=addressed)

    # ---- declarations

    def declaration(self, node: ast.Declaration, kind: str = "") -> str:
        """A declaration as sentences; `kind`: it stands in the rule text of a piece of that kind."""
        self.said.clear()
        match node:
            case ast.Version():
                return sentence(self.say("Version", n=node.number))
            case ast.Setup() | ast.Play():
                at = self.of_rules(addressed=False)
                return self.say(type(node).__name__, body=self.after_colon(node.body, at))
            case ast.Rule() | ast.Event() | ast.Ability():
                return self.procedure(node)
            case ast.Giving():
                return self.pure(node)
            case ast.Score() | ast.Payoff():
                value = self.points(node.value, self.of_rules())
                name = ""
                if isinstance(node, ast.Score):
                    noun = self.lexicon.noun(f"score.{node.name.text}", node.name.text)
                    name = noun.many if noun.plural else noun.one
                return sentence(self.say(type(node).__name__, name=name, value=value))
            case ast.Winner():
                key = self.value(node.value, self.of_rules())
                return sentence(self.say(f"Winner.{node.ranking}", key=key))
            case ast.Tie():
                return sentence(self.say("Tie", breaks=self.say_list([self.tie_break(b) for b in node.breaks])))
            case ast.ExchangeGroup():
                return self.exchanges(node)
            case ast.StepChange():
                return self.step_change(node)
            case ast.Removal():
                return self.removal(node)
        return self.piece_text(node, kind)

    def piece_text(self, node: ast.Declaration, kind: str) -> str:
        """What may stand in the rule text of a piece."""
        at = self.of_piece(kind) if kind else self.of_rules()
        match node:
            case ast.Handler():
                return sentence(self.handler(node, at))
            case ast.Modifier():
                return sentence(self.modifier(node, at))
            case ast.Implement():
                return self.implement(node, kind)
            case ast.ImplementValue():
                return sentence(self.implement_value(node, kind))
            case ast.Exchange():
                return sentence(self.exchange(node, replace(at, you=at.owner) if kind else at))
            case ast.Offer():
                return sentence(self.offer(node, at, at.owner if kind else at.you))
            case ast.PieceScore():
                return sentence(self.say("PieceScore", value=self.points(node.value, replace(at, you=at.owner))))
        raise TypeError(f"no words for {type(node).__name__}")

    def offer(self, node: ast.Offer, at: Context, who: Phrase) -> str:
        """What is added to a menu. Who acts is who is asked, unless the menu is for another seat."""
        at = replace(at, you=settled(at.you) if self.asks_another(node.menu.text) else who)
        self.level += 1
        items = [self.item(item, at) for item in node.items]
        self.level -= 1
        menu = self.quoted(node.menu.text)
        return self.say("Offer", who=settled(who), menu=menu, items=self.listed(items))

    def asks_another(self, menu: str) -> bool:
        """Whether a menu is for a seat other than the acting one."""
        menus = (
            node for declared in self.nouns.declarations for node in children(declared) if isinstance(node, ast.Menu)
        )
        return any(node.by is not None and node.name is not None and node.name.text == menu for node in menus)

    def say_list(self, parts: Sequence[str]) -> str:
        """Parts one after the other."""
        return self.say("list", first=parts[0], rest="".join(self.say("list.next", part=p) for p in parts[1:]))

    # ---- procedures

    def parameters(self, params: Sequence[ast.Param], at: Context) -> tuple[list[str], Context]:
        """What a rule is about: `a card`, `a number n`; and the place where these are known."""
        texts = []
        for param in params:
            sort = self.nouns.of_type(param.type)
            bound = self.local(param.name.text, sort, at.names)
            texts.append(self.say("Param", name=self.parameter_name(param, sort, bound), type=self.type_(param.type)))
            at = at.bind(param.name.text, bound)
        return texts, at

    def parameter_name(self, param: ast.Param, sort: Sort, bound: Bound) -> str:
        """What a parameter is called, where its type does not say so."""
        if bound.phrase.text == self.that(self.noun(sort), 2 if sort.many else 1).text:
            return ""
        if isinstance(param.type, ast.RangeType):
            return f" ({bound.phrase})"
        simple = sort.what in ("number", "bool", "unknown") and not sort.many
        return f" {bound.phrase}" if simple else f" {self.say('quoted', name=plain_words(param.name.text))}"

    def type_(self, node: ast.TypeNode) -> str:
        """A type: `a card`, `a number from 0 to 9`, `several players`."""
        match node:
            case ast.RangeType():
                return self.say("RangeType", low=node.low, high=node.high)
            case ast.OptionalType():
                return self.say("OptionalType", type=self.type_(node.inner))
            case ast.SetType():
                return self.say("SetType", many=self.noun(self.nouns.of_type(node.element)).many)
            case ast.BagType() | ast.CostType():
                return self.say(type(node).__name__, many=self.unit(node.resource).many)
            case ast.NamedType(name="bool"):
                return self.say("NamedType.bool")
            case ast.NamedType():
                return self.say("NamedType", a=self.a(self.noun(self.nouns.of_type(node))))
        raise TypeError(f"no words for {type(node).__name__}")

    def head(self, node: Procedure, about: list[str]) -> str:
        """What a declaration is called, and what it is about."""
        key = f"{type(node).__name__}.about" if about else type(node).__name__
        return self.say(key, name=self.lexicon.name(node.name.text), about=self.joined(about))

    def procedure(self, node: ast.Rule | ast.Event | ast.Ability) -> str:
        """A rule, event or ability: its name, what it is about, what happens."""
        texts, at = self.parameters(node.params, replace(self.of_rules(), rule=node.name.text))
        head = self.head(node, texts)
        returns = None if isinstance(node, ast.Event) else node.returns
        body = self.after_colon(node.body, at)
        if returns is not None:
            body = f"{body} {sentence(self.say('returns', type=self.type_(returns)))}"
        if isinstance(node, ast.Rule) and node.depth is not None:
            body = f"{body} {sentence(self.say('Rule.depth', n=node.depth))}"
        return sentence(self.say("headed", head=head, body=body))

    def pure(self, node: ast.Giving) -> str:
        """A function, quantity or ability: its name, what it is about, its value."""
        texts, at = self.parameters(node.params, self.of_rules())
        head = self.head(node, texts)
        is_bool = self.nouns.of_type(node.returns) == BOOL
        if is_bool:
            truth = isinstance(node.value, ast.Truth)
            said = self.value(node.value, at).text if truth else self.clause(node.value, at)
            body = said if truth else self.say("whether", condition=said)
        else:
            body = self.say("Function.value", value=self.value(node.value, at), type=self.type_(node.returns))
        return sentence(self.say("headed", head=head, body=body))

    # ---- what a variant changes

    def step_change(self, node: ast.StepChange) -> str:
        """A variant adds to a step of a rule, replaces it or takes it away."""
        step = self.quoted(node.step.text)
        if node.rule is not None:
            step = self.say("StepChange.of", step=step, rule=self.quoted(node.rule.text))
        if node.body is None:
            return sentence(self.say("StepChange.remove", step=step))
        body = self.after_colon(node.body, self.of_rules())
        return sentence(self.say(f"StepChange.{node.timing}", step=step, body=body))

    def removal(self, node: ast.Removal) -> str:
        """A variant takes a declaration away."""
        what = self.say(f"category.{node.category}")
        name = f" {self.quoted(node.name.text)}" if node.name is not None else ""
        if node.group is not None:
            name += self.say("Exchange.in", group=self.quoted(node.group.text))
        return sentence(self.say("Removal", what=what, name=name))

    # ---- scores

    def points(self, node: ast.Expr, at: Context) -> str:
        """A score: `2 points for each card`."""
        text = self.value(node, at).text
        number, space, rest = text.partition(" ")
        each = isinstance(node, ast.Arithmetic) and self.for_each(node, at) is not None
        counts = each or isinstance(node, ast.Lookup | ast.Negative)
        if number.lstrip("−").isdigit() and (counts or not rest):
            key = "points.one" if number.lstrip("−") == "1" else "points"
            return f"{self.say(key, n=number)}{space}{rest}"
        return text

    def tie_break(self, node: ast.TieBreak) -> str:
        """Who of those that are level stands higher."""
        if node.value is None:
            return self.say("TieBreak.shared")
        return self.say(f"TieBreak.{node.ranking}", key=self.value(node.value, self.of_rules()))

    # ---- exchanges

    def exchange(self, node: ast.Exchange, at: Context) -> str:
        """What may be given for what."""
        groups = [declared for declared in self.nouns.declarations if isinstance(declared, ast.ExchangeGroup)]
        told = node.group is not None and len(groups) > 1
        group = self.say("Exchange.in", group=self.quoted(node.group.text)) if node.group and told else ""
        limits = self.limited(node.limit) + self.when(node.guard, at)
        cost, gain = self.value(node.cost, at), self.value(node.gain, at)
        return self.say("Exchange", who=at.quiet, cost=cost, gain=gain, limits=limits, group=group)

    def exchanges(self, node: ast.ExchangeGroup) -> str:
        """A group of exchanges."""
        texts, at = self.parameters(node.params, self.of_rules())
        head = self.head(node, texts)
        purse = self.value(node.purse, at)
        if node.times is not None:
            purse = replace(purse, text=self.say("ExchangeGroup.times", purse=purse, n=self.value(node.times, at)))
        items = self.listed([self.exchange(exchange, at) for exchange in node.exchanges])
        return sentence(self.say("ExchangeGroup.body", head=head, purse=purse, items=items))

    # ---- reactions, modifiers, abilities

    def opening(
        self, name: str, names: Sequence[ast.Name], guard: ast.Expr | None, body: ast.Node, at: Context
    ) -> Opening:
        """Reads a condition for what it says of parameters: `s = owner` is `you`, `c.value = 2` goes to `a card`."""
        declared = self.nouns.procedures.get(name)
        sorts = [self.nouns.of_type(param.type) for param in declared.params] if declared is not None else []
        if guard is not None and any(_same(part, "you", "owner") for part in conjuncts(guard)):
            at = replace(at, you=at.owner)
        parts = [part for part in conjuncts(guard) if not _same(part, "you", "owner")]
        first: list[tuple[str, Sort, Phrase]] = []
        for number, sort in enumerate(sorts):
            if number >= len(names):
                continue
            local = names[number].text
            said, bound, parts = self._parameter(local, sort, parts, body, at)
            at = at.bind(local, bound)
            if said is not None:
                first.append((local, sort, said))
        first, parts = self._described(first, parts, at)
        return Opening(first, at, parts)

    def _parameter(
        self, local: str, sort: Sort, parts: list[ast.Expr], body: ast.Node, at: Context
    ) -> tuple[Phrase | None, Bound, list[ast.Expr]]:
        """How a parameter is first said (None: not at all), how afterwards, and what remains of the condition."""
        for whom, phrase in (("owner", at.owner), ("this", at.this), ("you", at.you)):
            same = [part for part in parts if _same(part, local, whom)]
            if same:
                rest = [part for part in parts if part is not same[0]]
                return settled(phrase), Bound(sort, settled(phrase)), rest
        for part in parts:
            if (path := _path_to(part, local)) is not None and sort.what == "piece":
                phrase = self.value(path, at)
                return phrase, Bound(sort, phrase), [other for other in parts if other is not part]
        bound, said = self._introduced(local, sort, at)
        if sort == PLAYER:
            different = [p for p in parts if _same(p, local, "owner", "!=") and at.owner.person == "you"]
            if different:
                rest = [part for part in parts if part is not different[0]]
                return self.a(self.grammar.nouns["other"]), bound, rest
        used = mentions(body, local) or any(mentions(part, local) for part in parts)
        if sort.what in ("number", "bool", "bag", "cost", "unknown") or sort.many:
            return (bound.phrase if used else None), bound, parts
        return (said if used or sort != PLAYER else None), bound, parts

    def _introduced(self, local: str, sort: Sort, at: Context) -> tuple[Bound, Phrase]:
        """What a parameter is called, and how it is said first."""
        if sort.many or sort.what in ("number", "bool", "bag", "cost", "unknown"):
            bound = self.local(local, sort, at.names)
            return bound, bound.phrase
        noun = self.noun(sort)
        first, later = self.a(noun), self.that(noun)
        if self.is_taken(noun, local, at.names):
            label = plain_words(local)
            first = replace(first, text=self.say("labelled", noun=first, label=label))
            later = replace(later, text=self.say("labelled", noun=later, label=label))
        return Bound(sort, later, noun.one), first

    def _described(
        self, first: list[tuple[str, Sort, Phrase]], parts: list[ast.Expr], at: Context
    ) -> tuple[list[tuple[str, Sort, Phrase]], list[ast.Expr]]:
        """Puts what the condition says of a parameter right behind it."""
        found = []
        for local, sort, phrase in first:
            indefinite = phrase.person == "it" and not sort.many and phrase.text != local
            own = [p for p in parts if indefinite and self._is_about(p, local, at)]
            if own:
                condition = own[0]
                for part in own[1:]:
                    condition = ast.Logic(part.span, "and", condition, part)
                group = Group(self.noun(sort), sort.all)
                rest = self.relative(group, condition, local, at, False)
                phrase = replace(phrase, text=f"{phrase.text} {rest}", plain=False)
                parts = [part for part in parts if part not in own]
            found.append((local, sort, phrase))
        return found, parts

    def _is_about(self, part: ast.Expr, local: str, at: Context) -> bool:
        subject = self.subject(part, at)
        return subject is not None and root(subject) == local

    def handler(self, node: ast.Handler, at: Context) -> str:
        """A reaction to an event."""
        event = node.event.text
        opening = self.opening(event, node.params, node.guard, node.body, at)
        when = self.conditions(opening) + self.limited(node.limit)
        body = self.inline(node.body, opening.at)
        worded = self.worded_with((event,), self.fields(event, opening))
        if worded is not None:
            return self.say(f"Handler.{node.timing}.worded", event=worded, when=when, body=body)
        title = self.title(event, [(sort, phrase) for _, sort, phrase in opening.first])
        return self.say(f"Handler.{node.timing}", event=title, when=when, body=body)

    def fields(self, name: str, opening: Opening) -> dict[str, Phrase]:
        """The parameters of a rule by the names that it declares, as a sentence of the ruleset fills them in."""
        declared = self.nouns.procedures.get(name)
        params = declared.params if declared is not None else ()
        said = {local: phrase for local, _, phrase in opening.first}
        locals_ = list(opening.at.names)
        found = {}
        for number, param in enumerate(params):
            sort = self.nouns.of_type(param.type)
            local = locals_[number] if number < len(locals_) else ""
            if local in said:
                found[param.name.text] = said[local]
            elif sort == NUMBER:
                found[param.name.text] = Phrase(param.name.text)
            else:
                found[param.name.text] = self.a(self.noun(sort))
        return found

    def conditions(self, opening: Opening) -> str:
        """What remains of a condition."""
        if not opening.rest:
            return ""
        texts = self.parts(opening.rest, opening.at)
        return self.say("when", condition=self.joined(texts))

    def modifier(self, node: ast.Modifier, at: Context) -> str:
        """A quantity is changed."""
        name = node.quantity.text
        opening = self.opening(name, node.params, node.guard, node.value, at)
        declared = self.nouns.procedures.get(name)
        returns = getattr(declared, "returns", None)
        sort = self.nouns.of_type(returns) if returns is not None else UNKNOWN
        when = self.conditions(opening)
        if node.priority:
            when += self.say("priority", n=node.priority)
        if sort == BOOL and isinstance(node.value, ast.Truth):
            return self._permitted(node, opening, when)
        quantity = self.quantity(name, opening)
        layer = f"{node.layer}.several" if sort.many and node.layer in ("plus", "minus") else node.layer
        if sort == BOOL:
            title = self.title(name, [(sort, phrase) for _, sort, phrase in opening.first])
            depends = self.clause(node.value, opening.at)
            return self.say("Modifier.set to.bool", quantity=title, value=depends, when=when)
        value = self.value(node.value, opening.at)
        return self.say(f"Modifier.{layer}", quantity=quantity, value=value, when=when)

    def _permitted(self, node: ast.Modifier, opening: Opening, when: str) -> str:
        """A quantity that is true or false is made so."""
        assert isinstance(node.value, ast.Truth)
        worded = self.worded_with((node.quantity.text,), self.fields(node.quantity.text, opening))
        key = "Modifier.true" if node.value.value else "Modifier.false"
        if worded is not None:
            return self.say(f"{key}.worded", quantity=worded, when=when)
        ordered = sorted(opening.first, key=lambda said: said[1] != PLAYER)
        parts = [phrase.text for _, _, phrase in ordered]
        text = self.say(f"{key}.for" if parts else key, name=self.quoted(node.quantity.text), x=self.joined(parts))
        return text + when

    def quantity(self, name: str, opening: Opening) -> Phrase:
        """`the cost of a card for you`."""
        worded = self.worded_with((name,), self.fields(name, opening))
        if worded is not None:
            return self.grammar.phrase(worded)
        return self.named_value(name, [(sort, phrase) for _, sort, phrase in opening.first])

    def implement(self, node: ast.Implement, kind: str) -> str:
        """What a piece does when a rule asks it."""
        at, first, fields = self._asked(node, node.body, kind)
        body = self.after_colon(node.body, at)
        worded = self.worded_with((node.ability.text,), fields)
        if worded is not None:
            return self.say("Implement.worded", ability=worded, body=body)
        return self.say("Implement", ability=self.title(node.ability.text, first), body=body)

    def implement_value(self, node: ast.ImplementValue, kind: str) -> str:
        """What a piece gives when a rule asks it."""
        at, first, fields = self._asked(node, node.value, kind)
        worded = self.worded_with((node.ability.text,), fields)
        declared = self.nouns.procedures.get(node.ability.text)
        returns = getattr(declared, "returns", None)
        if returns is None or self.nouns.of_type(returns) != BOOL:
            named = self.named_value(node.ability.text, first)
            quantity = self.grammar.phrase(worded) if worded is not None else named
            return self.say("Modifier.set to", quantity=quantity, value=self.value(node.value, at), when="")
        if isinstance(node.value, ast.Truth) and worded is not None:
            return self.say(f"Modifier.{str(node.value.value).lower()}.worded", quantity=worded, when="")
        said = self.value(node.value, at).text if isinstance(node.value, ast.Truth) else self.clause(node.value, at)
        if worded is not None:
            return self.say("ImplementValue.worded", ability=worded, condition=said)
        return self.say("ImplementValue", ability=self.title(node.ability.text, first), condition=said)

    def _asked(
        self, node: ast.Implement | ast.ImplementValue, body: ast.Node, kind: str
    ) -> tuple[Context, list[tuple[Sort, Phrase]], dict[str, Phrase]]:
        """How the parameters of an ability are spoken of in what a piece brings to it: there; those to be named with
        it; and as fields of its sentence."""
        at = replace(self.of_rules(), this=self.this(kind), kind=kind, owner=Phrase(self.say("its_owner"), "p"))
        declared = self.nouns.procedures.get(node.ability.text)
        params = declared.params if declared is not None else ()
        first: list[tuple[Sort, Phrase]] = []
        fields = {param.name.text: at.this for param in params[:1]}
        for number, name in enumerate(node.params):
            sort = self.nouns.of_type(params[number].type) if number < len(params) else UNKNOWN
            bound = Bound(sort, at.this) if number == 0 else self.local(name.text, sort, at.names)
            at = at.bind(name.text, bound)
            if number and mentions(body, name.text):
                said = bound.phrase if sort.what in ("number", "unknown") or sort.many else self.a(self.noun(sort))
                first.append((sort, said))
                fields |= {params[number].name.text: said} if number < len(params) else {}
        return at, first, fields


def _same(part: ast.Expr, a: str, b: str, op: str = "=") -> bool:
    """Whether a condition says that two names are the same (or, with `!=`, are not)."""
    if not isinstance(part, ast.Compare) or part.op != op:
        return False
    names = [node.name if isinstance(node, ast.NameExpr) else "" for node in (part.left, part.right)]
    return names in ([a, b], [b, a])


def _path_to(part: ast.Expr, local: str) -> ast.Attribute | None:
    """What a condition says that a name is, where that is told by the piece or its owner: `this.home = h`."""
    if not isinstance(part, ast.Compare) or part.op != "=":
        return None
    for name, path in ((part.left, part.right), (part.right, part.left)):
        named = isinstance(name, ast.NameExpr) and name.name == local
        if named and isinstance(path, ast.Attribute) and root(path) in ("this", "owner"):
            return path
    return None
