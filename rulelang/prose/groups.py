"""Collections: `the cards in your hand`, `a card in your hand whose value is 2`, `each other player`.

Enters: expressions that are collections. Leaves: groups, and the phrases that speak of all, each, one or none of them.
"""

from __future__ import annotations

from dataclasses import replace

from rulelang.prose.base import Bound, Context, conjuncts, remembered
from rulelang.prose.grammar import Phrase
from rulelang.prose.group import Group, always, when_asked
from rulelang.prose.sorts import BOOL, DIRECTION_SETS, PLAYER, SEAT_CALLS, SEATS, Sort
from rulelang.prose.values import Values, root, terms
from rulelang.syntax import ast
from rulelang.words.languages import Noun
from rulelang.words.lexicon import plain_words

SEAT_NOUNS = {
    "players": "player", "everyone": "everyone", "parties": "party",
    "others": "other", "opponents": "opponent", "teammates": "teammate",
}  # fmt: skip
AGGREGATES = ("sum", "count", "max", "min", "each", "distinct")


class Groups(Values):
    """Says what collections are, and what is counted in them."""

    # ---- phrases of a group

    def _feminine(self, noun: Noun) -> str:
        return ".f" if noun.gender == "f" else ""

    def one(self, group: Group) -> Phrase:
        """`a card in your hand`."""
        if group.items:
            return Phrase(self.joined(list(group.items), "or"), plain=False)
        return Phrase(f"{self.a(group.noun)} {group.rest}".strip(), group.noun.gender or "m", plain=False)

    def each(self, group: Group) -> Phrase:
        """`each card in your hand`."""
        if group.items:
            return Phrase(self.say("each.items", items=self.joined(list(group.items))), plain=False)
        noun = Phrase(group.noun.one, group.noun.gender or "m")
        text = self.say("each", noun=noun, rest=group.rest)
        return Phrase(text, group.noun.gender or "m", plain=not group.rest)

    def none_of(self, group: Group) -> Phrase:
        """`no card in your hand`."""
        if group.items:
            return Phrase(self.say("none.items", items=self.joined(list(group.items), "or")), plain=False)
        noun = Phrase(group.noun.one, group.noun.gender or "m")
        return Phrase(self.say("none" + self._feminine(group.noun), noun=noun, rest=group.rest), plain=False)

    def all_of(self, group: Group) -> Phrase:
        """`the cards in your hand`, or the name of the whole."""
        if group.whole is not None:
            return group.whole
        if group.items:
            return Phrase(self.joined(list(group.items)), many=len(group.items) > 1, plain=False)
        the = self.the(group.noun, 2)
        return Phrase(f"{the} {group.rests}".strip(), the.gender, True, plain=not group.rests)

    def several(self, group: Group) -> str:
        """`cards in your hand`."""
        if group.items:
            return f"{group.noun.many} {self.rest(group)}"
        return f"{group.noun.many} {group.rests}".strip()

    def so_many(self, number: str, group: Group) -> str:
        """`2 cards in your hand`."""
        if group.items:
            return self.say("so_many.items", n=number, items=self.joined(list(group.items)))
        rest = group.rest if number == "1" else group.rests
        return f"{self.counted(number, group.noun)} {rest}".strip()

    def rest(self, group: Group) -> str:
        """What stands after the noun of an element."""
        return group.rest if not group.items else self.say("among", group=self.joined(list(group.items)))

    # ---- what a collection is

    @remembered
    def group(self, node: ast.Expr, at: Context) -> Group:
        """A collection with the noun of its elements."""
        sort = self.sort(node, at)
        noun = self.noun(sort.one)
        match node:
            case ast.NameExpr() if node.name not in at.names:
                if node.name in SEATS:
                    return self._seats(node.name, at.quiet, sort)
                if node.name in DIRECTION_SETS:
                    key = {"Direction": "direction"}.get(node.name, node.name)
                    return Group(self.grammar.nouns[key], sort)
                if node.name in self.nouns.types or node.name in self.nouns.resources or node.name in self.nouns.grids:
                    return Group(self.lexicon.noun(node.name), sort)
                if node.name in self.nouns.classes:
                    return Group(self.lexicon.noun(node.name), sort)
            case ast.Attribute() if node.name.text in SEATS and self.sort(node.object, at) == PLAYER:
                return self._seats(node.name.text, self.value(node.object, at), sort)
            case ast.Attribute() if self.sort(node.object, at).many:
                return self._among(node, at, sort, self.attribute_noun(self.sort(node.object, at).one, node.name.text))
            case ast.Where():
                return self.narrowed(self.group(node.collection, at), node.condition, "it", at)
            case ast.Ranked():
                return self._ranked(node, at)
            case ast.Grouped():
                return self._grouped(node, at)
            case ast.SetLiteral() if node.elements:
                return Group(noun, sort, items=tuple(self.value(element, at).text for element in node.elements))
            case ast.SetLiteral():
                return Group(noun, sort, whole=self.phrase("SetLiteral.empty"))
            case ast.Arithmetic(op="+"):
                return self._union(node, at, sort)
            case ast.Arithmetic(op="-"):
                return self._difference(node, at, sort)
            case ast.Call() if node.function.text in SEAT_CALLS:
                start = self.value(node.arguments[0], at)
                you = ".you" if start.person == "you" else ""
                rest = self.say(f"Call.{node.function.text}{you}", a=start)
                name = "player" if node.function.text == "players_from" else "other"
                return Group(self.grammar.nouns[name], PLAYER.all, always(rest))
            case ast.Call() if node.function.text in ("ray", "neighbours", "region", "lines", "numbers"):
                arguments = [self.value(a, at).text for a in node.arguments]
                fields = dict(zip(("a", "b"), arguments, strict=False))
                rest = self.say(f"Call.{node.function.text}", **fields)
                return Group(self.grammar.nouns["line"] if node.function.text == "lines" else noun, sort, always(rest))
            case ast.Call(function=ast.Name(text="distinct" | "each"), arguments=(ast.Attribute(name=name),)):
                return self._among(node, at, sort, self.unit(name.text))
        if self._is_zone(node) and sort.what == "piece":
            whole = self.value(node, at)
            rest = self.say("in.many" if whole.many else "in", zone=whole)
            return Group(noun, sort, always(rest), whole, bare=True)
        return self._among(node, at, sort, noun)

    def _is_zone(self, node: ast.Expr) -> bool:
        name = self.place_name(node.object if isinstance(node, ast.Index) else node)
        return name is not None and name in self.nouns.zones

    def _seats(self, name: str, of: Phrase, sort: Sort) -> Group:
        noun = self.grammar.nouns[SEAT_NOUNS[name]]
        if name in ("players", "everyone", "parties") or of.person == "you":
            return Group(noun, sort)
        rest = self.say("seats.others" if name == "others" else "seats.of", x=of)
        return Group(noun, sort, always(rest))

    def _among(self, node: ast.Expr, at: Context, sort: Sort, noun: Noun) -> Group:
        whole = super().value(node, at)
        rest = self.say("among", group=whole)
        return Group(noun, sort, always(rest), whole)

    def _ranked(self, node: ast.Ranked, at: Context) -> Group:
        base = self.group(node.collection, at)
        template = f"Ranked.{node.ranking}.of" if base.told else f"Ranked.{node.ranking}"

        def tail(many: bool) -> str:
            it = Bound(base.sort.one, self.pronoun(base.noun, base.sort.one, many), base.noun.one)
            key = self.value(node.key, at.after.bind("it", it))
            told = self.say(template, which=self._which(base, many), key=key)
            return f"{self._rest(base, many)} {told}".strip()

        return Group(base.noun, base.sort, when_asked(tail), told=True)

    def _rest(self, group: Group, many: bool) -> str:
        if group.items:
            return self.say("among", group=self.joined(list(group.items)))
        return group.rests if many else group.rest

    def _which(self, group: Group, many: bool) -> str:
        key = "which.player" if group.sort.what == "player" else "which" + self._feminine(group.noun)
        return self.say(f"{key}.many" if many else key)

    def _grouped(self, node: ast.Grouped, at: Context) -> Group:
        base = self.group(node.collection, at)
        what = self.attribute_noun(base.sort.one, node.attribute.text)
        members = f"{base.noun.many} {base.rests}".strip() if not base.items else self.joined(list(base.items))
        rest = self.say("Grouped", members=members, attribute=what.one)
        return Group(self.grammar.nouns["group"], base.sort.all, always(rest))

    def _union(self, node: ast.Arithmetic, at: Context, sort: Sort) -> Group:
        parts = [self.group(part, at) for part in terms(node)]
        if all(part.items for part in parts):
            return Group(parts[0].noun, sort, items=tuple(item for part in parts for item in part.items))

        def tail(many: bool) -> str:
            return self.joined([self._rest(part, many) for part in parts], "and" if many else "or")

        whole = Phrase(self.joined([self.all_of(part).text for part in parts]), many=True, plain=False)
        return Group(parts[0].noun, sort, when_asked(tail), whole)

    def _difference(self, node: ast.Arithmetic, at: Context, sort: Sort) -> Group:
        base = self.group(node.left, at)
        without = self.say("except", x=self.value(node.right, at.after))
        return Group(base.noun, sort, when_asked(lambda many: f"{self._rest(base, many)} {without}".strip()))

    # ---- elements that a condition holds for

    def pronoun(self, noun: Noun, sort: Sort, many: bool = False) -> Phrase:
        """How an element is called after it was named."""
        that = self.that(noun, 2 if many else 1)
        gender = "p" if sort.what == "player" and self.language.code == "en" else that.gender
        return Phrase(that.text, gender, many, "pronoun")

    def narrowed(self, group: Group, condition: ast.Expr | None, name: str, at: Context) -> Group:
        """The elements of a group for which a condition holds; the element is called `name` in it."""
        if condition is None:
            return group
        also = f" {self.language.conjunctions['and']}" if group.told else ""

        def tail(many: bool) -> str:
            return f"{self._rest(group, many)}{also} {self.relative(group, condition, name, at, many)}".strip()

        return Group(group.noun, group.sort, when_asked(tail), told=True)

    def relative(self, group: Group, condition: ast.Expr, name: str, at: Context, many: bool) -> str:
        """`whose value is 2 and for which …`."""
        inner = at.after.bind(
            name, Bound(group.sort.one, self.pronoun(group.noun, group.sort.one, many), group.noun.one)
        )
        person = "rel.player" if group.sort.what == "player" else "rel"
        begins = Phrase(self.say(person), group.noun.gender or "m", many, "whose")
        word, parts = "and", conjuncts(condition)
        if isinstance(condition, ast.Logic) and condition.op == "or":
            word, parts = "or", disjuncts(condition)
        texts: list[str] = []
        plain: list[str] = []
        for part in parts:
            alone = not group.items and not group.rests
            led = (self._with_value(part, name, inner) if alone else None) or self.led(part, name, begins, inner)
            if led is not None:
                texts.append(led)
            elif (bare := self.said_of(part, name)) is not None:
                plain.append(bare)
            else:
                plain += self.parts([part], inner, alone=len(parts) == 1)
        if plain:
            joined = self.joined(plain, word)
            texts.append(self.say("for_which", which=self._which(group, many), condition=joined))
        return self.joined(texts, word)

    def _with_value(self, part: ast.Expr, name: str, at: Context) -> str | None:
        """`of type water`: an attribute of an element is a value that is a noun. French says so of no adjective."""
        if not isinstance(part, ast.Compare) or part.op != "=" or not isinstance(part.left, ast.Attribute):
            return None
        of, value = part.left.object, part.right.name if isinstance(part.right, ast.NameExpr) else ""
        if not isinstance(of, ast.NameExpr) or of.name != name or value not in self.nouns.values or value in at.names:
            return None
        noun = self.lexicon.noun(value)
        if noun.feminine or self.lexicon.word(value) is None:
            return None
        what = self.attribute_noun(self.sort(of, at), part.left.name.text)
        return self.say("with_value", attribute=what.one, value=noun.one)

    def parts(
        self, nodes: list[ast.Expr], at: Context, negated: bool = False, *, alone: bool | None = None
    ) -> list[str]:
        """Conditions to be joined; one that is itself joined stands between brackets."""
        alone = len(nodes) == 1 if alone is None else alone
        texts = []
        for node in nodes:
            inner = node.operand if isinstance(node, ast.Not) else node
            text = self.clause(node, at, negated)
            texts.append(f"({text})" if isinstance(inner, ast.Logic) and not alone else text)
        return texts

    def told_apart(self, group: Group, name: str, at: Context) -> Group:
        """The group with a label to its noun, where another local is called as its elements would be."""
        if not name or group.items or not self.is_taken(group.noun, name, at.names):
            return group
        one, many = (self.say("labelled", noun=n, label=plain_words(name)) for n in (group.noun.one, group.noun.many))
        return replace(group, noun=replace(group.noun, one=one, many=many), whole=None)

    def led(self, node: ast.Expr, name: str, begins: Phrase, at: Context) -> str | None:
        """The clause of a condition that begins with a name, said as this phrase; None if it does not."""
        subject = self.subject(node, at)
        if subject is None or root(subject) != name:
            return None
        before, self.begun = self.begun, 0
        text = self.clause(node, at.leading(name, begins))
        began, self.begun = self.begun == 1, before
        return text if began else None

    def said_of(self, node: ast.Expr, name: str) -> str | None:
        """A truth about the one element alone: `for whom “ready” holds`."""
        call = node.operand if isinstance(node, ast.Not) else node
        if not isinstance(call, ast.Call) or call.function.text not in self.nouns.procedures:
            return None
        only = call.arguments[0] if len(call.arguments) == 1 else None
        if not isinstance(only, ast.NameExpr) or only.name != name or self.parts_of(call.function.text):
            return None
        return self.say("clause.bare" if call is node else "clause.not.bare", name=self.quoted(call.function.text))

    def subject(self, node: ast.Expr, at: Context) -> ast.Expr | None:
        """What the clause of a condition begins with."""
        match node:
            case ast.Not():
                return self.subject(node.operand, at)
            case ast.Compare():
                if self.counting(node.left):
                    return None
                return node.left
            case ast.Is():
                return node.operand
            case ast.Member():
                sort = self.sort(node.collection, at)
                named = isinstance(node.element, ast.NameExpr) and node.element.name in self.nouns.goods
                return node.collection if named or (sort.what == "bag" and not sort.many) else node.element
            case ast.Call():
                return self.first_argument(node)
            case ast.Has():
                return node.bag
            case ast.Index() if self.sort(node, at) == BOOL:
                per = self.nouns.per(node.object.name) if isinstance(node.object, ast.NameExpr) else ("player",)
                return node if len(per) == 1 else None
            case ast.NameExpr() | ast.Attribute() | ast.Index():
                return node
        return None

    def first_argument(self, node: ast.Call) -> ast.Expr | None:
        """The argument that the sentence of a rule begins with, if the ruleset gives one."""
        declared = self.nouns.procedures.get(node.function.text)
        parts = self.parts_of(node.function.text)
        names = [param.name.text for param in declared.params] if declared is not None else []
        if not parts or parts[0].text or parts[0].field not in names[: len(node.arguments)]:
            return None
        return node.arguments[names.index(parts[0].field)]

    def counting(self, node: ast.Expr) -> bool:
        """Whether a value counts something, so that the clause begins with `there are`."""
        return isinstance(node, ast.Call) and node.function.text == "count" and len(node.arguments) == 1

    # ---- over collections

    def over(self, node: ast.Comprehension, at: Context) -> Group:
        """What a comprehension goes through."""
        group = self.told_apart(self.group(node.collection, at), node.name.text, at)
        return self.narrowed(group, node.condition, node.name.text, at)

    def within(self, node: ast.Comprehension, at: Context) -> Context:
        """Where the body of a comprehension stands."""
        group = self.told_apart(self.group(node.collection, at), node.name.text, at)
        return at.after.bind(
            node.name.text, Bound(group.sort.one, self.pronoun(group.noun, group.sort.one), group.noun.one)
        )

    def aggregate(self, node: ast.Call, at: Context) -> Phrase | None:
        """`the total value of the cards in your hand`, `the number of cards in your hand`."""
        name = node.function.text
        if name not in AGGREGATES or len(node.arguments) != 1:
            return None
        argument = node.arguments[0]
        if name == "count":
            counted = self.counted_group(node, at)
            if counted is None:
                return self._count_of_bag(argument, at)
            return self.phrase("Call.count", group=self.several(counted))
        if isinstance(argument, ast.Comprehension):
            return self._over_body(name, argument, at)
        sort = self.sort(argument, at)
        if sort.what == "bag" and not sort.many and name in ("distinct", "each"):
            return self.phrase(f"Call.{name}.bag", goods=self.goods(sort).many, bag=self.value(argument, at))
        if isinstance(argument, ast.Attribute):
            owner = self.sort(argument.object, at)
            noun = self.attribute_noun(owner.one, argument.name.text)
            group = self.all_of(self.group(argument.object, at))
            return self._of_all(name, noun, self.unit(argument.name.text), group)
        return self.phrase(f"Call.{name}.all", group=self.all_of(self.group(argument, at)))

    def _count_of_bag(self, bag: ast.Expr, at: Context) -> Phrase:
        """`the number of parts in your store`; of a bag with a plural for a name, `the number of your supplies`."""
        whole = self.value(bag, at)
        if whole.many and isinstance(bag, ast.NameExpr | ast.Attribute):
            return self.phrase("Call.count", group=whole)
        return self.phrase("Call.count.bag", goods=self.goods(self.sort(bag, at)).many, bag=whole)

    def _of_all(self, name: str, noun: Noun, unit: Noun, group: Phrase) -> Phrase:
        """A calculation over an attribute of all elements."""
        several = name in ("sum", "distinct", "each")
        what = self.the(noun, 2) if several else self.the(unit)
        return self.phrase(f"Call.{name}", what=what, bare=noun.many if several else unit.one, group=group)

    def _over_body(self, name: str, node: ast.Comprehension, at: Context) -> Phrase:
        group = self.over(node, at)
        body = node.body
        plain = isinstance(body, ast.Attribute) and isinstance(body.object, ast.NameExpr)
        if plain and isinstance(body, ast.Attribute) and root(body) == node.name.text:
            noun = self.attribute_noun(group.sort.one, body.name.text)
            return self._of_all(name, noun, self.unit(body.name.text), self.all_of(group))
        if name == "sum" and isinstance(body, ast.Number):
            return self.phrase("for_each", n=Phrase(str(body.value)), each=self.each(group))
        inner = self.value(body, self.within(node, at))
        if name in ("each", "distinct") and isinstance(body, ast.NameExpr):
            return self.all_of(group)
        return self.phrase(f"Call.{name}.body", body=inner, each=self.each(group))


def disjuncts(node: ast.Expr) -> list[ast.Expr]:
    """The parts of an `or`."""
    if isinstance(node, ast.Logic) and node.op == "or":
        return [*disjuncts(node.left), *disjuncts(node.right)]
    return [node]
