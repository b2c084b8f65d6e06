"""Values as noun phrases: names, attributes, calculations, amounts, calls.

Enters: expressions. Leaves: phrases such as `your hand`, `the cost of that card`, `2 gold of your choice`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from rulelang.diagnostics import NOWHERE
from rulelang.prose.base import Base, Context, remembered
from rulelang.prose.grammar import Phrase, settled
from rulelang.prose.group import Group
from rulelang.prose.sorts import DIRECTION_SETS, DIRECTIONS, NUMBER, PLAYER, SEATS, Sort
from rulelang.ruleset.sentences import THE, Part, parse_sentence
from rulelang.syntax import ast
from rulelang.words.languages import Noun

COLLECTIONS = frozenset("players_from players_after ray neighbours region lines numbers".split())
TIGHT = frozenset(("*", "div", "mod"))
FIRST_VERB = re.compile(r" ((?:ne |n'|se |s')?[\w-]+)")


class Values(Base):
    """Says what is worth something."""

    def group(self, node: ast.Expr, at: Context) -> Group:
        """A collection with the noun of its elements."""
        raise NotImplementedError

    def title(self, name: str, arguments: list[tuple[Sort, Phrase]]) -> str:
        """The name of a rule or event with what it is about."""
        raise NotImplementedError

    def clause(self, node: ast.Expr, at: Context, negated: bool = False) -> str:
        """A condition as a clause."""
        raise NotImplementedError

    def chosen(self, node: ast.Choose | ast.RandomOf | ast.Roll, at: Context) -> Phrase:
        """What is chosen or thrown, as a noun phrase."""
        raise NotImplementedError

    def aggregate(self, node: ast.Call, at: Context) -> Phrase | None:
        """A sum, number or extreme over a collection."""
        raise NotImplementedError

    @remembered
    def value(self, node: ast.Expr, at: Context) -> Phrase:
        """An expression as a noun phrase."""
        match node:
            case ast.NameExpr():
                return self.name(node.name, at)
            case ast.Number():
                return Phrase(str(node.value), many=node.value != 1)
            case ast.Truth():
                return Phrase(self.say("Truth.true" if node.value else "Truth.false"))
            case ast.NoneExpr():
                return Phrase(self.say("NoneExpr"))
            case ast.Amount():
                return self.amount(node, at)
            case ast.Arithmetic():
                return self.arithmetic(node, at)
            case ast.Negative():
                if isinstance(node.operand, ast.Number):
                    return Phrase(f"−{node.operand.value}", many=True)
                if (counted := self.counted_group(node.operand, at)) is not None:
                    return self.phrase("for_each", n="−1", each=self.each(counted))
                return self.phrase("Negative", x=self.tight(node.operand, at))
            case ast.Conditional():
                then, otherwise = self.value(node.then, at), self.value(node.otherwise, at)
                condition = self.clause(node.condition, at.after)
                return self.phrase("Conditional", then=then, condition=condition, otherwise=otherwise)
            case ast.Otherwise():
                return self.phrase("Otherwise", x=self.value(node.value, at), default=self.value(node.default, at))
            case ast.EndOf():
                return self.end(node, at)
            case ast.CellOf():
                return self.phrase("CellOf", piece=self.value(node.piece, at))
            case ast.Attribute():
                return self.attribute(node, at)
            case ast.Index():
                return self.index(node, at)
            case ast.Call():
                return self.call(node, at)
            case ast.Lookup():
                return self.lookup(node, at)
            case ast.Choose() | ast.RandomOf() | ast.Roll():
                return self.chosen(node, at)
            case ast.Where() | ast.Ranked() | ast.Grouped() | ast.SetLiteral():
                return self.all_of(self.group(node, at))
            case ast.Comprehension():
                return self.phrase(
                    "Comprehension", body=self.value(node.body, self.within(node, at)),
                    each=self.each(self.over(node, at)),
                )  # fmt: skip
        return Phrase(self.say("whether", condition=self.clause(node, at)), plain=False)

    def over(self, node: ast.Comprehension, at: Context) -> Group:
        """What a comprehension goes through."""
        raise NotImplementedError

    def within(self, node: ast.Comprehension, at: Context) -> Context:
        """Where the body of a comprehension stands."""
        raise NotImplementedError

    def all_of(self, group: Group) -> Phrase:
        """The whole collection."""
        raise NotImplementedError

    def each(self, group: Group) -> Phrase:
        """`each card in your hand`."""
        raise NotImplementedError

    # ---- names

    def name(self, name: str, at: Context) -> Phrase:
        """What a name stands for."""
        if name == at.lead:
            self.begun += 1
            return at.begins
        if name in at.names:
            return settled(at.names[name].phrase)
        if name in ("you", "owner", "this"):
            return settled({"you": at.you, "owner": at.owner, "this": at.this}[name])
        if name in ("next", "previous"):
            return self.neighbour(name, at.quiet)
        if name in DIRECTIONS and name not in self.nouns.values:
            return Phrase(self.say(f"direction.{name}"))
        if name in SEATS or name in DIRECTION_SETS:
            return self.all_of(self.group(ast.NameExpr(NOWHERE, name), at))
        per = self.nouns.per(name)
        if per and per[0] == "player":
            return self.grammar.possessed(at.quiet, self.whole(name), 1)
        if name in self.nouns.zones or name in self.nouns.variables or name in self.nouns.marks:
            return self.the(self.whole(name))
        row = self.nouns.rows.get(name)
        if row is not None and row.per_player:
            return self.grammar.possessed(at.quiet, self.lexicon.noun(name), 1)
        named = (self.nouns.values, self.nouns.goods, self.nouns.rows)
        noun = self.lexicon.noun(name)
        if any(name in names for names in named):
            return Phrase(noun.one, noun.gender or "m", plain=False)
        if name in self.nouns.types or name in self.nouns.grids or name in self.nouns.resources:
            return self.the(noun, 2)
        if name in self.nouns.classes:
            return self.the(noun, 2)
        if name in self.nouns.options or name in self.nouns.automata or name in self.nouns.procedures:
            return self.the(self.whole(name))
        return Phrase(noun.one, noun.gender or "m")

    def neighbour(self, name: str, of: Phrase) -> Phrase:
        """The player before or after somebody."""
        if of.person == "you":
            return replace(self.the(self.grammar.nouns[name]), plain=True)
        return Phrase(self.say(f"seat.{name}", x=of), plain=False)

    # ---- attributes and indices

    def attribute(self, node: ast.Attribute, at: Context) -> Phrase:
        """What something has."""
        name, owner = node.name.text, self.sort(node.object, at)
        if owner.what in ("bag", "cost") and not owner.many:
            return self.in_bag(self.unit(name), self.value(node.object, at))
        if owner.many:
            noun = self.attribute_noun(owner.one, name)
            group = self.group(node.object, at)
            return self.phrase("projection", what=self.the(noun, 2), group=self.all_of(group))
        if name in SEATS and owner == PLAYER:
            return self.all_of(self.group(node, at))
        object = self.value(node.object, at)
        if name in ("next", "previous") and owner == PLAYER:
            return self.neighbour(name, object)
        row = self.nouns.rows.get(name)
        noun = self.lexicon.noun(name) if row is not None else self.attribute_noun(owner, name)
        return self.grammar.possessed(object, noun, 1)

    def index(self, node: ast.Index, at: Context) -> Phrase:
        """The part of a zone or variable that belongs to a value, a cell or a seat."""
        sort = self.sort(node.object, at)
        base = self.place_name(node.object)
        if sort.what in ("bag", "cost") and base is None:
            return self.goods_in(node.indices[0], self.value(node.object, at), at)
        if base is not None and sort.what == "bag" and len(node.indices) >= len(self.own_indices(base)) + 1:
            rest = replace(node, indices=node.indices[:-1]) if len(node.indices) > 1 else node.object
            return self.goods_in(node.indices[-1], self.value(rest, at), at)
        if len(node.indices) == 1:
            only = node.indices[0]
            found = self.sort(only, at)
            noun = self.whole(base) if base is not None else None
            if noun is None and isinstance(node.object, ast.NameExpr):
                noun = self.lexicon.noun(node.object.name)
            if noun is not None and (found == PLAYER or root(only) == at.lead != ""):
                return self.grammar.possessed(self.value(only, at), noun, 1)
            label = isinstance(only, ast.NameExpr) and only.name in self.nouns.values and only.name not in at.names
            if label and isinstance(node.object, ast.NameExpr) and noun is not None:
                assert isinstance(only, ast.NameExpr)
                exact = f"{node.object.name}.{only.name}"
                labelled = self.language.with_label(noun, self.lexicon.noun(only.name))
                if self.lexicon.word(exact) is not None:
                    labelled = self.lexicon.noun(exact)
                per = self.nouns.per(node.object.name)
                if per and per[0] == "player":
                    return self.grammar.possessed(at.quiet, labelled, 1)
                return self.the(labelled)
            if found.what == "cell":
                x, cell = self.value(node.object, at), self.value(only, at)
                text = self.say("Index.cell", x=x, index=cell)
                return replace(x if text.startswith(x.text) else cell, text=text, plain=False)
        if base is not None and (whole := self._exact(base, node.indices, at)) is not None:
            return self.the(whole)
        parts = [self.say("of.part", x=self.value(index, at.after)) for index in node.indices]
        x = self.value(node.object, at)
        return replace(x, text=self.say("Index", x=x, index=self.joined(parts)), plain=False)

    def _exact(self, base: str, indices: tuple[ast.Expr, ...], at: Context) -> Noun | None:
        """What a zone or variable is called at these very values, if the ruleset says so: `deck.red.spring`."""
        labels = [index.name if isinstance(index, ast.NameExpr) else "" for index in indices]
        if any(label not in self.nouns.values or label in at.names for label in labels):
            return None
        exact = ".".join((base, *labels))
        return self.lexicon.noun(exact) if self.lexicon.word(exact) is not None else None

    def in_bag(self, what: Noun, bag: Phrase) -> Phrase:
        """`the number of logs in your store`, `the amount of gold in your purse`."""
        return self.phrase("bag.amount" if what.one == what.many else "bag.get", what=what.many, bag=bag)

    def goods_in(self, node: ast.Expr, bag: Phrase, at: Context) -> Phrase:
        """How many of some goods there are."""
        if isinstance(node, ast.NameExpr) and node.name in self.nouns.goods:
            return self.in_bag(self.unit(node.name), bag)
        return self.phrase("bag.get", what=self.value(node, at.after).text, bag=bag)

    def place_name(self, node: ast.Expr) -> str | None:
        """The name of the zone or variable that a path ends in."""
        name = (
            node.name if isinstance(node, ast.NameExpr) else node.name.text if isinstance(node, ast.Attribute) else ""
        )
        known = name in self.nouns.zones or name in self.nouns.variables or name in self.nouns.marks
        return name if known else None

    def own_indices(self, name: str) -> tuple[str, ...]:
        """What a zone or variable is indexed by beside its player."""
        per = self.nouns.per(name)
        return per[1:] if per and per[0] == "player" else per

    # ---- calculations

    def arithmetic(self, node: ast.Arithmetic, at: Context) -> Phrase:
        """`a plus b`, amounts joined, so many of a good."""
        goods = self.sort(node, at).what in ("bag", "cost")
        if node.op == "*" and isinstance(node.right, ast.Amount) and node.right.count == 1:
            return self.times_amount(node, node.right, at)
        if node.op == "+" and (goods or self.sort(node, at).many):
            parts = [self.value(part, at) for part in terms(node)]
            return Phrase(self.joined([part.text for part in parts]), many=True, plain=False)
        if node.op == "*" and (found := self.for_each(node, at)) is not None:
            return found
        if node.op == "-" and self.sort(node, at).many:
            return self.all_of(self.group(node, at))
        if node.op == "div" and _number(node.right) == 2:
            return self.phrase("Arithmetic.half", left=self.tight(node.left, at))
        tight = node.op in TIGHT
        left = self.tight(node.left, at) if tight else self.value(node.left, at)
        right = self.tight(node.right, at) if node.op != "+" else self.value(node.right, at)
        return self.phrase(f"Arithmetic.{node.op}", left=left, right=right)

    def for_each(self, node: ast.Arithmetic, at: Context) -> Phrase | None:
        """`2 for each card in your hand` for `2 * count(hand)`."""
        for factor, other in ((node.left, node.right), (node.right, node.left)):
            if _number(factor) is not None and (counted := self.counted_group(other, at)) is not None:
                return self.phrase("for_each", n=self.value(factor, at), each=self.each(counted))
        return None

    def counted_group(self, node: ast.Expr, at: Context) -> Group | None:
        """The collection whose elements a value counts."""
        is_count = isinstance(node, ast.Call) and node.function.text == "count" and len(node.arguments) == 1
        if not is_count:
            return None
        assert isinstance(node, ast.Call)
        argument = node.arguments[0]
        sort = self.sort(argument, at)
        if isinstance(argument, ast.Comprehension):
            return self.over(argument, at)
        if sort.what in ("bag", "cost") and not sort.many:
            return None
        return self.group(argument, at)

    def times_amount(self, node: ast.Arithmetic, amount: ast.Amount, at: Context) -> Phrase:
        """`n gold` for `n * 1 gold`."""
        if (counted := self.counted_group(node.left, at)) is not None:
            return self.phrase("for_each", n=self.amount(amount, at), each=self.each(counted))
        number = self.value(node.left, at)
        if amount.mode == "plain" and amount.names[0].text not in at.names:
            unit = self.unit(amount.names[0].text)
            if isinstance(node.left, ast.Lookup):
                return self.lookup(node.left, at, unit)
            if len(number.text.split()) == 1:
                return Phrase(self.counted(number.text, unit), many=True, plain=False)
            return Phrase(self.say("as_many", noun=unit.many, n=number), many=True, plain=False)
        return self.phrase("times_amount", n=number, amount=self.amount(amount, at))

    def tight(self, node: ast.Expr, at: Context) -> Phrase:
        """An operand, between brackets where it is a calculation itself."""
        found = self.value(node, at)
        loose = isinstance(node, ast.Arithmetic | ast.Conditional | ast.Otherwise | ast.Lookup)
        return replace(found, text=f"({found.text})") if loose else found

    def listable(self, node: ast.Expr, at: Context) -> str:
        """One of several values; a product and a table need no brackets there."""
        plain = isinstance(node, ast.Lookup) or (isinstance(node, ast.Arithmetic) and node.op == "*")
        return (self.value(node, at) if plain else self.tight(node, at)).text

    def amount(self, node: ast.Amount, at: Context) -> Phrase:
        """`2 gold`, `2 metals of your choice`, `1 gold or tin`."""
        names = [name.text for name in node.names]
        local = at.names.get(names[0])
        if node.mode == "either":
            text = self.joined([self._one_good(name, node.count) for name in names], "or")
            return Phrase(f"{node.count} {text}", many=node.count > 1, plain=False)
        if local is not None:
            return Phrase(self.say("Amount.local", n=node.count, what=local.phrase), many=node.count != 1, plain=False)
        noun = Phrase(self.language.form(self.unit(names[0]), node.count), many=node.count > 1)
        return Phrase(self.say(f"Amount.{node.mode}", n=node.count, noun=noun), many=node.count != 1, plain=False)

    def _one_good(self, name: str, count: int) -> str:
        return self.language.form(self.unit(name), count)

    def lookup(self, node: ast.Lookup, at: Context, unit: Noun | None = None) -> Phrase:
        """`3 for 2 cards, 6 for 3, 10 for 4 or more`."""
        entries = sorted(node.entries, key=lambda entry: entry[0])
        counted = self.counted_group(node.at, at)
        parts = []
        for position, (key, value) in enumerate(entries):
            last = position + 1 == len(entries)
            up_to = None if last else entries[position + 1][0] - 1
            form = "more" if last else "one" if up_to == key else "range"
            worth = self.value(value, at).text if unit is None else self.worth(value, unit, at)
            what = str(key if up_to is None else up_to)
            if counted is not None and position == 0:
                what = self.so_many(what, counted)
            parts.append(self.say(f"Lookup.{form}", value=worth, low=key, what=what))
        text = ", ".join(parts)
        if entries[0][0] > 1 or (counted is None and entries[0][0] > 0):
            below = "Lookup.below" if counted is None else "Lookup.below.counted"
            text = self.say(below, entries=text, low=entries[0][0])
        if counted is None:
            return Phrase(self.say("Lookup", entries=text, at=self.value(node.at, at)), plain=False)
        return Phrase(text, plain=False)

    def worth(self, value: ast.Expr, unit: Noun, at: Context) -> str:
        """An entry of a table of goods."""
        return self.counted(self.value(value, at).text, unit)

    def so_many(self, number: str, group: Group) -> str:
        """`2 cards in your hand`."""
        raise NotImplementedError

    def end(self, node: ast.EndOf, at: Context) -> Phrase:
        """The top of a pile, or the first of a collection."""
        name = self.place_name(node.collection.object if isinstance(node.collection, ast.Index) else node.collection)
        pile = name is not None and name in self.nouns.zones and self.nouns.zones[name].order == "pile"
        key = f"EndOf.{node.end}" if pile else "EndOf.first" if node.end == "top" else "EndOf.last"
        group = self.group(node.collection, at)
        feminine = ".f" if group.noun.gender == "f" else ""
        if node.count is not None:
            what = self.counted(self.value(node.count, at.after).text, group.noun)
            whole = self.all_of(group)
            return replace(self.phrase(f"{key}.several", what=what, group=whole), many=True, gender=group.noun.gender)
        one = Phrase(group.noun.one, group.noun.gender or "m")
        if pile:
            found = self.phrase(key + feminine, what=one, group=self.all_of(group))
        else:
            found = self.phrase(key + feminine, what=one, rest=self.rest(group))
        return replace(found, gender=group.noun.gender or "m")

    def rest(self, group: Group) -> str:
        """What stands after the noun of an element."""
        raise NotImplementedError

    # ---- calls

    def call(self, node: ast.Call, at: Context) -> Phrase:
        """A function of the language, or one of the ruleset's own."""
        name = node.function.text
        if name in self.nouns.procedures:
            return self.own_call(node, at)
        found = self.aggregate(node, at)
        if found is not None:
            return found
        if name in ("any", "all"):
            return Phrase(self.say("whether", condition=self.clause(node, at)), plain=False)
        arguments = [self.value(argument, at.after) for argument in node.arguments]
        fields = dict(zip(("a", "b", "c"), arguments, strict=False))
        if name in ("min", "max"):
            parts = [self.listable(argument, at.after) for argument in node.arguments]
            return self.phrase(f"Call.{name}2", parts=self.joined(parts))
        if name in COLLECTIONS:
            return self.all_of(self.group(node, at))
        if name == "total_score":
            return self.grammar.possessed(arguments[0], self.grammar.nouns[name], 1)
        if name == "abs":
            fields["a"] = self.tight(node.arguments[0], at)
        if f"Call.{name}" in self.grammar.templates:
            return self.phrase(f"Call.{name}", **fields)
        return self.named_value(name, [(self.sort(a, at), self.value(a, at)) for a in node.arguments])

    def own_call(self, node: ast.Call, at: Context) -> Phrase:
        """`the cost of that card for you`, or as the ruleset words it."""
        name = node.function.text
        worded = self.worded(name, list(node.arguments), at)
        if worded is not None:
            return self.grammar.phrase(worded)
        return self.named_value(name, [(self.sort(a, at), self.value(a, at)) for a in node.arguments])

    def named_value(self, name: str, arguments: list[tuple[Sort, Phrase]]) -> Phrase:
        """`your places`, `the cost of that card for you`."""
        if isinstance(self.nouns.procedures.get(name), ast.Rule | ast.Ability):
            return self.phrase("Call.result.value", call=self.title(name, arguments))
        noun = self.whole(name)
        if len(arguments) == 1 and arguments[0][0] != NUMBER:
            return self.grammar.possessed(arguments[0][1], noun, 1)
        found = self.the(noun)
        for key, seats in (("call.of", False), ("call.for", True)):
            part = "for.part" if seats else "of.part"
            parts = [self.say(part, x=phrase) for sort, phrase in arguments if (sort == PLAYER) == seats]
            if parts:
                found = replace(found, text=self.say(key, x=found, parts=self.joined(parts)))
        return replace(found, plain=not arguments)

    def worded(self, name: str, arguments: list[ast.Expr], at: Context, *, command: bool = False) -> str | None:
        """The sentence that the ruleset gives for a rule, function or event, filled with the arguments."""
        declared = self.nouns.procedures.get(name)
        if declared is None:
            return None
        names = [param.name.text for param in declared.params]
        phrases = [self.value(a, at if isinstance(a, ast.NameExpr) else at.after) for a in arguments]
        counts = {
            number: self.unit(argument.name)
            for number, argument in zip(names, arguments, strict=False)
            if isinstance(argument, ast.NameExpr)
            and argument.name not in at.names
            and (argument.name in self.nouns.values or argument.name in self.nouns.goods)
        }
        return self.worded_with((name,), dict(zip(names, phrases, strict=False)), command=command, counts=counts)

    def worded_with(
        self,
        names: tuple[str, ...],
        fields: Mapping[str, Phrase],
        *,
        command: bool = False,
        counts: Mapping[str, Noun] | None = None,
    ) -> str | None:
        """The ruleset's sentence for one of these names; None if there is none, or it asks for other fields.

        A verb right after the first field agrees with it; `command`: one of you may be told to do it. `counts`: what
        has a plural right after a number.
        """
        parts = self.parts_of(*names)
        if not parts or any(part.field and part.field not in fields for part in parts):
            return None
        found, subject, before = "", None, ""
        for number, part in enumerate(parts):
            text = part.text
            if subject is not None and text.startswith(" "):
                text = self._agreeing_verb(text, subject)
            subject = None
            if part.field:
                said = fields[part.field]
                subject = said if number == 0 and not text and (said.person == "you" or said.many) else None
                if subject is not None and command and subject.person == "you":
                    subject = replace(subject, silent=True)
                    continue
                if before and part.text == " " and counts and part.field in counts:
                    text += self.counted(before, counts[part.field]).removeprefix(f"{before} ")
                else:
                    counted = part.noun and part.noun != THE
                    text += self.counted(said.text, self.unit(part.noun)) if counted else said.text
                before = said.text if self._is_number(names[0], part.field) else ""
            found += text
        return self.grammar.polish(found.lstrip())

    def _is_number(self, name: str, field: str) -> bool:
        """Whether a parameter of a rule is a number."""
        declared = self.nouns.procedures.get(name)
        params = declared.params if declared is not None else ()
        return any(param.name.text == field and self.nouns.of_type(param.type) == NUMBER for param in params)

    def parts_of(self, *names: str) -> tuple[Part, ...]:
        """The ruleset's sentence for one of these names, in its parts; none if it has none that can be read."""
        sentence = self.lexicon.sentence(*names)
        try:
            return parse_sentence(sentence) if sentence is not None else ()
        except ValueError:
            return ()

    def _agreeing_verb(self, text: str, subject: Phrase) -> str:
        found = FIRST_VERB.match(text)
        return f" {self.grammar.verb(found[1], subject)}{text[found.end() :]}" if found is not None else text


def root(node: ast.Expr) -> str:
    """The name that a path begins with."""
    match node:
        case ast.NameExpr():
            return node.name
        case ast.Attribute():
            return root(node.object)
        case ast.Index() if len(node.indices) == 1 and isinstance(node.object, ast.NameExpr):
            return root(node.indices[0])
    return ""


def terms(node: ast.Expr) -> list[ast.Expr]:
    """The parts of a chain of `+`."""
    if isinstance(node, ast.Arithmetic) and node.op == "+":
        return [*terms(node.left), *terms(node.right)]
    return [node]


def _number(node: ast.Expr) -> int | None:
    return node.value if isinstance(node, ast.Number) else None
