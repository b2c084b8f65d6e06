"""Conditions as clauses: `your hand is empty`, `no player has passed`; a negation goes to where one would say it.

Enters: expressions that are true or false. Leaves: clauses, plain or negated.
"""

from __future__ import annotations

from rulelang.prose.base import Context, conjuncts, remembered
from rulelang.prose.grammar import Phrase, settled, spoken_to
from rulelang.prose.group import Group
from rulelang.prose.groups import Groups, disjuncts
from rulelang.prose.sorts import BOOL, NUMBER, PLAYER
from rulelang.syntax import ast
from rulelang.words.languages import Noun

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
COUNTS = {"=": "exactly", ">=": "at_least", "<=": "at_most", ">": "more", "<": "fewer", "!=": "not"}


class Conditions(Groups):
    """Says what is true."""

    @remembered
    def clause(self, node: ast.Expr, at: Context, negated: bool = False) -> str:
        """A condition as a clause."""
        no = ".not" if negated else ""
        match node:
            case ast.Not():
                return self.clause(node.operand, at, not negated)
            case ast.Logic():
                return self._logic(node, at, negated)
            case ast.Truth():
                return self.say("clause.true" if node.value != negated else "clause.false")
            case ast.Compare():
                return self._compare(node, OPPOSITE[node.op] if negated else node.op, at)
            case ast.Member():
                return self._member(node, at, negated)
            case ast.Has():
                part = self.value(node.part, at.after)
                return self.say(f"Has{no}", bag=self.value(node.bag, at), part=part)
            case ast.Is():
                return self._is(node, at, negated != node.negated)
            case ast.CanPay():
                cost = self.value(node.cost, at.after)
                return self.say(f"CanPay{no}", who=at.quiet, cost=cost, purses=self.purses(node.purses, at))
            case ast.Possible():
                return self.say(
                    f"Possible{no}", call=self.called(node.call, at), condition=self.clause(node.condition, at.after)
                )
            case ast.Conditional():
                then, otherwise = (self.clause(n, at.after, negated) for n in (node.then, node.otherwise))
                condition = self.clause(node.condition, at.after)
                return self.say("Conditional", then=then, condition=condition, otherwise=otherwise)
            case ast.Otherwise():
                return self.say(f"clause.value{no}", x=self.value(node, at))
            case ast.Call():
                return self._call(node, at, negated)
            case ast.NameExpr() | ast.Attribute() | ast.Index():
                return self.holds(node, at, "clause" + no)
        return self.say(f"clause.value{no}", x=self.value(node, at))

    def called(self, node: ast.Call, at: Context) -> str:
        """A call of a rule, as something that could be done."""
        raise NotImplementedError

    def purses(self, purses: tuple[ast.Expr, ...], at: Context) -> str:
        """What is paid from."""
        return self.joined([self.value(purse, at.after).text for purse in purses])

    def _logic(self, node: ast.Logic, at: Context, negated: bool) -> str:
        parts = conjuncts(node) if node.op == "and" else disjuncts(node)
        word = {"and": "or", "or": "and"}[node.op] if negated else node.op
        return self.joined(self.parts(parts, at.after, negated), word)

    def _compare(self, node: ast.Compare, op: str, at: Context) -> str:
        left, right = node.left, node.right
        if isinstance(right, ast.NoneExpr) or isinstance(left, ast.NoneExpr):
            thing = left if isinstance(right, ast.NoneExpr) else right
            return self.absent(thing, at, op == "=")
        if self.counting(left):
            assert isinstance(left, ast.Call)
            group = self.counted_group(left, at)
            if group is not None and not group.items:
                return self._counts(op, group, right, at)
        if isinstance(right, ast.Truth):
            return self.clause(left, at, (op == "=") != right.value)
        if (having := self._having(op, left, right, at)) is not None:
            return having
        kind = "same" if self.sort(left, at).what not in ("number", "unknown", "bool") and op in ("=", "!=") else op
        if self.sort(left, at) == BOOL and op in ("=", "!="):
            left_text, right_text = self.clause(left, at.after), self.clause(right, at.after)
            return self.say(f"Compare.bool.{op}", left=left_text, right=right_text)
        if kind == "same":
            kind = "same" if op == "=" else "other"
            if self.sort(left, at).what in ("bag", "cost"):
                kind = f"bag.{op}"
        subject = self.value(left, at)
        return self.say(f"Compare.{kind}", left=subject, right=self.value(right, at.after))

    def _having(self, op: str, left: ast.Expr, right: ast.Expr, at: Context) -> str | None:
        """`you have at least 2 coins`, `your purse contains at least 2 gold`."""
        number = self.value(right, at.after).text
        if len(number.split()) > 1 or not number.removeprefix("−").isalnum():
            return None
        name = self.place_name(left)
        if name is not None and self.sort(left, at) == NUMBER and self.counts(name) and not isinstance(left, ast.Index):
            owner = self.holder(left, at)
            if owner is not None:
                return self._so_many("has", op, number, self.unit(name), settled(owner))
        if isinstance(left, ast.Attribute) and left.name.text in self.nouns.goods:
            return self._so_many("contains", op, number, self.unit(left.name.text), self.value(left.object, at))
        return None

    def _so_many(self, key: str, op: str, number: str, noun: Noun, x: Phrase) -> str:
        """`has at least 2 coins`: more than 1 is at least 2, less than 1 is none."""
        if number.isdigit() and op in "<>":
            number, op = (str(int(number) + 1), ">=") if op == ">" else (str(int(number) - 1), "<=")
        if number == "0" and op in ("=", "<="):
            return self.say(f"{key}.none", x=x, what=noun.one if self.language.code == "fr" else noun.many)
        return self.say(f"{key}.{COUNTS[op]}", x=x, what=self.counted(number, noun))

    def holder(self, target: ast.Expr, at: Context) -> Phrase | None:
        """The player whose variable it is, as who acts."""
        match target:
            case ast.NameExpr():
                per = self.nouns.per(target.name)
                return at.you if per and per[0] == "player" else None
            case ast.Attribute():
                if self.sort(target.object, at) != PLAYER or target.name.text not in self.nouns.variables:
                    return None
                whose = self.value(target.object, at)
                return spoken_to(whose)
            case ast.Index():
                return self.holder(target.object, at)
        return None

    def _counts(self, op: str, group: Group, right: ast.Expr, at: Context) -> str:
        number = right.value if isinstance(right, ast.Number) else None
        if number is not None and op in "<>":
            number, op = (number + 1, ">=") if op == ">" else (number - 1, "<=")
        if number == 0 and op in ("=", "<="):
            return self.say("there.none", none=self.none_of(group))
        if (number == 0 and op == "!=") or (number == 1 and op == ">="):
            return self.say("there.some", one=self.one(group))
        if number is not None:
            what = self.so_many(str(number), group)
            return self.say(f"there.{COUNTS[op]}", x=Phrase("", many=number != 1), what=what)
        size = self.phrase("Call.count", group=self.several(group))
        return self.say(f"Compare.{op}", left=size, right=self.value(right, at.after))

    def _member(self, node: ast.Member, at: Context, negated: bool) -> str:
        no = ".not" if negated != node.negated else ""
        element, collection = node.element, node.collection
        sort = self.sort(collection, at)
        if sort.what in ("bag", "cost") and not sort.many:
            bag = self.value(collection, at)
            if isinstance(element, ast.NameExpr) and element.name in self.nouns.goods:
                return self.say(f"Member.bag{no}", bag=bag, what=self.unit(element.name).one)
            return self.say(f"Member.bag.that{no}", bag=bag, what=self.value(element, at.after))
        group = self.group(collection, at.after if at.lead and self.subject(node, at) is element else at)
        if isinstance(element, ast.NameExpr) and element.name in self.nouns.goods:
            return self.say(f"Member.contains{no}", group=self.all_of(group), what=self.value(element, at.after))
        subject = self.value(element, at)
        if group.items:
            nor = f" {self.say('nor')} ".join(group.items)
            return self.say(f"Member.items{no}", x=subject, items=self.joined(list(group.items), "or"), nor=nor)
        if isinstance(collection, ast.NameExpr) and collection.name in ("players", "everyone"):
            return self.say(f"Member.players{no}", x=subject)
        if group.bare:
            return self.say(f"Member.zone{no}", x=subject, rest=group.rest)
        return self.say(f"Member{no}", x=subject, group=self.all_of(group))

    def _is(self, node: ast.Is, at: Context, negated: bool) -> str:
        no = ".not" if negated else ""
        if node.state == "none":
            return self.absent(node.operand, at, not negated)
        if node.state == "definition":
            assert node.definition is not None
            what = self.lexicon.name(node.definition.text)
            return self.say(f"Is.definition{no}", x=self.value(node.operand, at), what=what)
        sort = self.sort(node.operand, at)
        if sort.what not in ("bag", "cost"):
            group = self.group(node.operand, at)
            if not group.bare and group.whole is None:
                key = "there.some" if negated else "there.none"
                return self.say(key, none=self.none_of(group), one=self.one(group))
            return self.say(f"Is.empty{no}", x=self.all_of(group))
        return self.say(f"Is.empty{no}", x=self.value(node.operand, at))

    def absent(self, node: ast.Expr, at: Context, absent: bool) -> str:
        """That something is not there, or is."""
        key = "Is.none" if absent else "Is.none.not"
        if isinstance(node, ast.NameExpr) and node.name in self.nouns.automata:
            return self.say(f"{key}.party", x=self.value(node, at))
        if isinstance(node, ast.CellOf):
            return self.say(f"{key}.cell", piece=self.value(node.piece, at))
        if isinstance(node, ast.NameExpr | ast.Attribute | ast.Index):
            return self.say(key, x=self.value(node, at))
        return self.say(f"{key}.there", x=self.value(node, at))

    def _call(self, node: ast.Call, at: Context, negated: bool) -> str:
        name, no = node.function.text, ".not" if negated else ""
        if name in ("any", "all") and len(node.arguments) == 1:
            return self._quantified(node.arguments[0], name, at, negated)
        if name in self.nouns.procedures:
            return self._own_condition(node, at, negated)
        arguments = [self.value(argument, at if i == 0 else at.after) for i, argument in enumerate(node.arguments)]
        fields = dict(zip(("a", "b", "c"), arguments, strict=False))
        if f"Call.{name}.not" in self.grammar.templates:
            return self.say(f"Call.{name}{no}", **fields)
        return self.say(f"clause.value{no}", x=self.value(node, at))

    def _quantified(self, argument: ast.Expr, name: str, at: Context, negated: bool) -> str:
        if isinstance(argument, ast.Attribute):
            it = ast.NameExpr(argument.span, "it")
            each = ast.Attribute(argument.span, it, argument.name)
            argument = ast.Comprehension(argument.span, each, ast.Name(argument.span, "it"), argument.object, None)
        if not isinstance(argument, ast.Comprehension):
            key = f"Call.{name}.values.not" if negated else f"Call.{name}.values"
            return self.say(key, group=self.all_of(self.group(argument, at)))
        body = argument.body
        local = argument.name.text
        if name == "any" or negated:
            wanted = body if name == "any" else _negation(body)
            if argument.condition is not None:
                wanted = ast.Logic(body.span, "and", argument.condition, wanted)
            found = self.narrowed(self.told_apart(self.group(argument.collection, at), local, at), wanted, local, at)
            key = "there.none" if negated and name == "any" else "there.some"
            return self.say(key, none=self.none_of(found), one=self.one(found))
        inner = self.within(argument, at)
        every = self.each(self.over(argument, at))
        led = self.led(body, local, every, inner)
        if led is not None:
            return led
        return self.say("Call.all", each=every, condition=self.clause(body, inner))

    def _own_condition(self, node: ast.Call, at: Context, negated: bool) -> str:
        no = ".not" if negated else ""
        if isinstance(self.nouns.procedures[node.function.text], ast.Rule | ast.Ability):
            return self.say(f"Call.result{no}", call=self.called(node, at.after))
        worded = self.worded(node.function.text, list(node.arguments), at)
        if worded is not None:
            return self.say("clause.untrue", condition=worded) if negated else worded
        name = self.quoted(node.function.text)
        if not node.arguments:
            return self.say(f"clause{no}.bare", name=name)
        parts = [self.value(argument, at.after).text for argument in node.arguments]
        return self.say(f"clause{no}.holds", name=name, x=self.joined(parts))

    def holds(self, node: ast.Expr, at: Context, key: str) -> str:
        """That a mark or truth value holds, does not, or holds from now on."""
        name, owners = self._bearers(node, at)
        noun = self.lexicon.noun(name)
        if len(owners) == 1:
            return self.say(f"{key}.is", x=owners[0], adjective=self.grammar.agreeing(noun, owners[0]))
        if not owners:
            return self.say(f"{key}.bare", name=self.quoted(name))
        return self.say(f"{key}.holds", name=self.quoted(name), x=self.joined([owner.text for owner in owners]))

    def _bearers(self, node: ast.Expr, at: Context) -> tuple[str, list[Phrase]]:
        """The name of a truth value, and who or what it is said of."""
        match node:
            case ast.Index():
                name, owners = self._bearers(node.object, at)
                return name, [*owners, *(self.value(index, at) for index in node.indices)]
            case ast.Attribute():
                return node.name.text, [self.value(node.object, at)]
            case ast.NameExpr():
                per = self.nouns.per(node.name)
                return node.name, [at.quiet] if per and per[0] == "player" else []
        return "", [self.value(node, at)]


def _negation(node: ast.Expr) -> ast.Expr:
    return node.operand if isinstance(node, ast.Not) else ast.Not(node.span, node)
