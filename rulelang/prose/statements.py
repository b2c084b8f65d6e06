"""Statements as clauses, blocks as sentences: nothing that a statement asks for is left out.

Enters: statements and blocks. Leaves: clauses; the parts of a block inside a sentence are joined or numbered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rulelang.prose.base import Bound, Context, children, mentions
from rulelang.prose.choices import Choices, only_one
from rulelang.prose.grammar import Phrase, sentence, settled
from rulelang.prose.sorts import BOOL, PLAYER, Sort
from rulelang.syntax import ast
from rulelang.words.languages import Noun

Chosen = ast.Choose | ast.RandomOf | ast.Roll
Saying = Callable[[Phrase], str]
MOMENTS = frozenset(("turn", "round", "phase"))
NUMBERS = (
    [str(n) for n in range(1, 100)],
    list("abcdefghijklmnopqrstuvwxyz"),
    "i ii iii iv v vi vii viii ix x xi xii".split(),
)


class Statements(Choices):
    """Says what happens."""

    # ---- blocks

    def sentences(self, block: ast.Block, at: Context) -> str:
        """A block as sentences."""
        return " ".join(sentence(clause) for clause in self.clauses(block, at))

    def after_colon(self, block: ast.Block, at: Context) -> str:
        """A block after a heading: one clause goes on, several are sentences."""
        clauses = self.clauses(block, at)
        return f"{clauses[0]}." if len(clauses) == 1 else " ".join(sentence(clause) for clause in clauses)

    def inline(self, block: ast.Block, at: Context) -> str:
        """A block inside a sentence."""
        self.level += 1
        clauses = self.clauses(block, at)
        self.level -= 1
        simple = len(clauses) < 4 and not any(sign in clause for clause in clauses for sign in ",:;")
        if len(clauses) > 1 and simple:
            return self.say("then", first=", ".join(clauses[:-1]), last=clauses[-1])
        return self.listed(clauses)

    def listed(self, parts: list[str]) -> str:
        """Parts with their numbers or letters, or the only one."""
        if len(parts) == 1:
            return parts[0]
        numbers = next(n for n in (NUMBERS[self.level % len(NUMBERS)], NUMBERS[0]) if len(parts) <= len(n))
        return "; ".join(f"({number}) {part}" for number, part in zip(numbers, parts, strict=False))

    def clauses(self, block: ast.Block, at: Context) -> list[str]:
        """The statements of a block, each as a clause; names that one gives are known to those after it."""
        found: list[str] = []
        statements = list(block.statements)
        for position, statement in enumerate(statements):
            if isinstance(statement, ast.Let):
                following = statements[position + 1 :]
                if self.sort(statement.value, at) != BOOL and self.folds(statement, following):
                    bound = Bound(self.sort(statement.value, at), self.value(statement.value, at))
                    at = at.bind(statement.name.text, bound)
                    continue
                text, at = self.let(statement, at)
                found.append(text)
            elif not isinstance(statement, ast.Pass) or len(statements) == 1:
                found.append(self.statement(statement, at))
        return found

    def folds(self, node: ast.Let, following: list[ast.Statement]) -> bool:
        """Whether a value is read once, by the next statement, so that it can be said there."""
        waits = any(isinstance(inner, Chosen) for inner in children(node.value))
        called = isinstance(node.value, ast.Call) and isinstance(
            self.nouns.procedures.get(node.value.function.text), ast.Rule | ast.Ability
        )
        if node.leave is not None or waits or called or not following:
            return False
        uses = [sum(_is_name(inner, node.name.text) for inner in children(statement)) for statement in following]
        simple = isinstance(following[0], ast.Assign | ast.Move | ast.CallStatement | ast.Return | ast.Draw)
        return simple and uses[0] == 1 and sum(uses) == 1

    # ---- statements

    def statement(self, node: ast.Statement, at: Context) -> str:
        """One statement as a clause."""
        match node:
            case ast.Let():
                return self.let(node, at)[0]
            case ast.Assign():
                return self.assign(node, at)
            case ast.Move():
                return self.move(node, at)
            case ast.Draw():
                return self.draw(node, at)
            case ast.Shuffle():
                return self.say("Shuffle", who=self.hands(at), pile=self.value(node.pile, at))
            case ast.CallStatement():
                return self.call_statement(node.call, at)
            case ast.Return():
                if node.value is None:
                    return self.say("Return", who=at.you)
                return self.chosen_first(node.value, at, lambda value: self.say("Return.value", x=value))
            case ast.Stop():
                return self.say("Stop")
            case ast.Pass():
                return self.say("Pass", who=at.you)
            case ast.Require():
                return self.say("Require", condition=self.clause(node.condition, at))
            case ast.EndGame():
                return self.end_game(node, at)
            case ast.EndBlock():
                return self.say("EndBlock", scope=self.say(f"this.{node.scope}"))
            case ast.Mark():
                until = self.moment(node, at)
                return self.say("Mark", mark=self.holds(node.target, at, "mark"), until=until)
            case ast.Unmark():
                return self.holds(node.target, at, "Unmark")
            case ast.Eliminate():
                return self.say("Eliminate", seat=settled(self.value(node.seat, at)))
            case ast.Reveal():
                return self.reveal(node, at)
            case ast.Arrange():
                return self.arrange(node, at)
            case ast.Trade():
                return self.trade(node, at)
            case ast.Pay():
                return self.pay(node, at)
            case ast.Menu():
                return self.menu(node, at)
        return self.compound(node, at)

    def compound(self, node: ast.Statement, at: Context) -> str:
        """A statement with a block of its own."""
        match node:
            case ast.If():
                return self.branches(node, at)
            case ast.For():
                return self.loop(node, at)
            case ast.While():
                return self.say("While", condition=self.clause(node.condition, at), body=self.inline(node.body, at))
            case ast.Repeat():
                body = self.inline(node.body, at)
                if node.times is None:
                    return self.say("Repeat", body=body)
                if isinstance(node.times, ast.Number):
                    return self.say("Repeat.times", n=node.times.value, body=body)
                return self.say("Repeat.value", n=self.value(node.times, at), body=body)
            case ast.AsBlock():
                seat = self.value(node.seat, at)
                return self.say("AsBlock", seat=seat, body=self.inline(node.body, self.acting(seat, at)))
            case ast.Scope():
                return self.scope(node, at)
            case ast.Step():
                return self.say("Step", name=self.quoted(node.name.text), body=self.inline(node.body, at))
        raise TypeError(f"no words for {type(node).__name__}")

    def acting(self, seat: Phrase, at: Context) -> Context:
        """Where a seat acts: it is spoken to, unless somebody else is already."""
        if at.addressed:
            return replace(at, you=settled(seat))
        return replace(at, you=Phrase(self.say("you"), "p", person="you", silent=True), addressed=True)

    def hands(self, at: Context) -> Phrase:
        """Who moves pieces where it does not matter who does."""
        return at.you if at.you.person == "you" else Phrase("", person="you", silent=True)

    def let(self, node: ast.Let, at: Context) -> tuple[str, Context]:
        """Something gets a name; where it may be absent, what happens then."""
        name = node.name.text
        sort = self.sort(node.value, at)
        if isinstance(node.value, ast.Choose) and node.value.together:
            bound = self.local(name, replace(sort, what="unknown"), at.names)
        else:
            bound = self.named(name, node.value, at)
        if isinstance(node.value, Chosen):
            text = self.choosing(node.value, at, name)
        else:
            bound = self.called_so(name, bound, at)
            text = self.say("Let", x=bound.phrase, value=self.value(node.value, at))
        if node.leave is not None:
            text = self.say("Let.leave", let=text, leave=self.statement(node.leave, at))
        return text, at.bind(name, bound)

    def called_so(self, name: str, bound: Bound, at: Context) -> Bound:
        """The local for a value that just gets a name: `the best cards`, or after its sort."""
        noun = self.noun(bound.sort)
        if bound.sort.what in ("number", "unknown", "bool") and not bound.sort.many:
            return bound
        if self.telling(name, noun):
            noun = self.whole(name)
            several = bound.sort.many and self.counts(name)
            return Bound(bound.sort, self.the(noun, 2 if several else 1), noun.one)
        if self.is_taken(noun, name, at.names):
            return bound
        return replace(bound, phrase=self.the(noun, 2 if bound.sort.many else 1))

    # ---- changes

    def assign(self, node: ast.Assign, at: Context) -> str:
        """A variable changes; who chooses what a bag gains, and what happens where the new value is absent."""
        text = self._assign(node, at)
        if node.by is not None:
            text = self.say("Assign.by", change=text, who=self.value(node.by, at))
        if node.leave is None:
            return text
        return self.say("Let.leave", let=text, leave=self.statement(node.leave, at))

    def _assign(self, node: ast.Assign, at: Context) -> str:
        target, sort = node.target, self.sort(node.target, at)
        if sort == BOOL and isinstance(node.value, ast.Truth):
            return self.holds(target, at, "mark" if node.value.value else "Unmark")
        if sort == BOOL and not isinstance(node.value, Chosen):
            condition = self.clause(node.value, at)
            return self.say("Assign.bool", mark=self.holds(target, at, "mark"), condition=condition,
                            unmark=self.holds(target, at, "Unmark"))  # fmt: skip
        if isinstance(node.value, ast.NoneExpr):
            return self.say("Assign.none", target=self.value(target, at))
        return self.chosen_first(node.value, at, lambda value: self.changed(node, value, at))

    def changed(self, node: ast.Assign, value: Phrase, at: Context) -> str:
        """So much is gained, lost, added, taken away or set."""
        target, sort = node.target, self.sort(node.target, at)
        key = {":=": "set", "+=": "add", "-=": "subtract"}[node.op]
        if key == "add" and sort.what == "bag" and (worded := self.put_in(target, value, at)) is not None:
            return worded
        whole = self.value(target, at)
        owner = self.holder(target, at)
        name = self.place_name(target)
        if key == "set" or owner is None or name is None or sort.many:
            return self.say(f"Assign.{key}", target=whole, value=value)
        if sort.what == "bag":
            if isinstance(node.value, ast.Number):
                return self.say(f"Assign.{key}", target=whole, value=value)
            form = "gain" if self.only_purse(name) else "bag"
            return self.say(f"Assign.{key}.{form}", who=owner, value=value, target=whole)
        if sort.what == "number" and self.counts(name) and not isinstance(target, ast.Index):
            amount = self.so_much(node.value, value, name, at)
            if amount is not None:
                return self.say(f"Assign.{key}.gain", who=owner, value=amount, target=whole)
        return self.say(f"Assign.{key}", target=whole, value=value)

    def put_in(self, target: ast.Expr, more: Phrase, at: Context) -> str | None:
        """What is put into a bag, in the sentence that the ruleset has for it; None if it has none."""
        path = target.object if isinstance(target, ast.Index) else target
        if isinstance(path, ast.NameExpr):
            return self.worded_with((path.name,), {"who": self.holder(path, at) or at.you, "more": more}, command=True)
        if not isinstance(path, ast.Attribute):
            return None
        fields = {"who": self.holder(path, at) or at.you, "more": more, "what": self.value(path.object, at)}
        return self.worded_with((path.name.text,), fields, command=True)

    def so_much(self, node: ast.Expr, value: Phrase, name: str, at: Context) -> str | None:
        """`2 coins`, `n coins`, `1 coin for each …`; None where a number does not stand before its noun."""
        words = value.text.split(" ", 1)
        if len(words) > 1 and not (isinstance(node, ast.Arithmetic) and self.for_each(node, at) is not None):
            return None
        counted = self.counted(words[0], self.unit(name))
        return f"{counted} {words[1]}" if len(words) > 1 else counted

    def only_purse(self, name: str) -> bool:
        """Whether it is the only bag that a player has."""
        bags = [v for v in self.nouns.variables.values() if self.nouns.variable(v).what == "bag" and v.per]
        return len(bags) == 1 and bags[0].name == name

    def chosen_first(self, value: ast.Expr, at: Context, say: Saying) -> str:
        """A statement about what is chosen: first the choice, then the statement about it."""
        if not isinstance(value, Chosen) or (isinstance(value, ast.Choose) and value.together):
            return say(self.value(value, at))
        sort = self.sort(value, at)
        if isinstance(value, ast.Roll):
            return self.say("and", first=self.choosing(value, at), second=say(self.phrase("the_result")))
        if sort.what == "number" and not sort.many:
            return self.say("and", first=self.choosing(value, at), second=say(self.phrase("the_number")))
        noun = self.element_noun(value, at) or self.noun(sort.one)
        return self.say(
            "and", first=self.choosing(value, at), second=say(self.it(sort.one if only_one(value) else sort, noun))
        )

    def it(self, sort: Sort, noun: Noun) -> Phrase:
        """What was chosen just now."""
        return replace(self.that(noun, 2 if sort.many else 1), plain=True)

    def move(self, node: ast.Move, at: Context) -> str:
        """Pieces go somewhere."""
        end = f".{node.end}" if node.end else ""

        def moved(what: Phrase) -> str:
            text = self.say(f"Move{end}", who=self.hands(at), what=what, to=self.value(node.to, at))
            return self.say("secretly", what=text) if node.secretly else text

        return self.chosen_first(node.what, at, moved)

    def draw(self, node: ast.Draw, at: Context) -> str:
        """So many from the top of a pile."""
        name = self.place_name(node.pile.object if isinstance(node.pile, ast.Index) else node.pile)
        sort = Sort("piece", self.nouns.zones[name].holds) if name in self.nouns.zones else self.sort(node.pile, at)
        count = self.value(node.count, at)
        what = self.counted(count.text, self.noun(sort.one))
        if len(count.text.split()) > 1:
            what = self.say("as_many", n=count, noun=self.noun(sort.one).many)
        text = self.say(
            "Draw", who=self.hands(at), what=what, pile=self.value(node.pile, at), to=self.value(node.to, at)
        )
        return self.say("secretly", what=text) if node.secretly else text

    # ---- calls, ends, marks

    def call_statement(self, node: ast.Call, at: Context) -> str:
        """A rule is carried out."""
        worded = self.worded(node.function.text, list(node.arguments), at, command=True)
        if worded is not None:
            return worded
        return self.say("CallStatement", who=at.you, call=self.called(node, at))

    def called(self, node: ast.Call, at: Context) -> str:
        """`“steal” for you with 3`."""
        worded = self.worded(node.function.text, list(node.arguments), at)
        if worded is not None:
            return self.say("call.worded", call=worded)
        pairs = [(self.sort(a, at), self.value(a, at)) for a in node.arguments]
        return self.title(node.function.text, pairs)

    def title(self, name: str, arguments: list[tuple[Sort, Phrase]]) -> str:
        """The name of a rule or event with what it is about."""
        text = self.quoted(name)
        seats = [phrase.text for sort, phrase in arguments if sort == PLAYER]
        others = [phrase.text for sort, phrase in arguments if sort != PLAYER]
        if seats:
            text = self.say("call.for", x=text, parts=self.joined(seats))
        if others:
            text = self.say("call.with", x=text, parts=self.joined(others))
        return text

    def end_game(self, node: ast.EndGame, at: Context) -> str:
        """The game ends, now or later, and how."""
        text = self.say(f"EndGame.{node.after}" if node.after else "EndGame")
        if node.won_by is not None:
            return self.say("EndGame.won", end=text, who=self.value(node.won_by, at))
        return self.say("EndGame.drawn", end=text) if node.drawn else text

    def moment(self, node: ast.Mark, at: Context) -> str:
        """Until when a mark holds."""
        name = node.event.text
        seat = self.value(node.seat, at) if node.seat is not None else None
        if name in MOMENTS:
            key = f"until.{node.moment}.{name}"
            if seat is None:
                return self.say(key)
            return self.say(f"{key}.you" if seat.person == "you" else f"{key}.of", seat=seat)
        title = self.title(name, [(PLAYER, seat)] if seat is not None else [])
        return self.say(f"until.{node.moment}", event=title)

    def reveal(self, node: ast.Reveal, at: Context) -> str:
        """Something is shown."""

        def shown(what: Phrase) -> str:
            if node.to is None:
                return self.say("Reveal", who=at.you, what=what)
            return self.say("Reveal.to", who=at.you, what=what, to=self.value(node.to, at))

        return self.chosen_first(node.value, at, shown)

    def arrange(self, node: ast.Arrange, at: Context) -> str:
        """Pieces are put into groups."""
        zone, by = self.group(node.zone, at), self.lexicon.name(node.variable.text)
        if node.condition is None:
            return self.say("Arrange", who=at.you, what=self.all_of(zone), by=by)
        sort = replace(zone.sort, what="group", name="")
        group = self.relative(replace(zone, noun=self.noun(sort), sort=sort), node.condition, "it", at, False)
        return self.say("Arrange.where", who=at.you, what=self.all_of(zone), by=by, group=group)

    def trade(self, node: ast.Trade, at: Context) -> str:
        """Exchanges of a group are made."""
        pairs = [(self.sort(a, at), self.value(a, at)) for a in node.arguments]
        return self.say("Trade", who=at.quiet, group=self.title(node.group.text, pairs))

    def pay(self, node: ast.Pay, at: Context) -> str:
        """A cost is paid, or something else happens."""
        cost, purses = self.value(node.cost, at), self.purses(node.purses, at)
        if node.paid is None or node.unpaid is None:
            return self.say("Pay", who=at.you, cost=cost, purses=purses)
        text = self.say("Pay.if", who=at.you, cost=cost, purses=purses, body=self.inline(node.paid, at))
        idle = all(isinstance(statement, ast.Pass) for statement in node.unpaid.statements)
        return text if idle else self.say("If.else", so=text, body=self.inline(node.unpaid, at))

    # ---- blocks with conditions, loops, scopes

    def branches(self, node: ast.If, at: Context) -> str:
        """`if …, …; otherwise …`."""
        texts = []
        for number, (condition, block) in enumerate(node.branches):
            key = "If.elif" if number else "If"
            if isinstance(condition, ast.IfSome):
                texts.append(self.if_some(condition, block, at, number > 0))
            elif isinstance(condition, Chosen):
                first = self.choosing(condition, at)
                texts.append(self.say("and", first=first, second=self.inline(block, at)))
            else:
                texts.append(self.say(key, condition=self.clause(condition, at), body=self.inline(block, at)))
        text = "; ".join(texts)
        if node.otherwise is None:
            return text
        return self.say("If.else", so=text, body=self.inline(node.otherwise, at))

    def if_some(self, node: ast.IfSome, block: ast.Block, at: Context, later: bool) -> str:
        """Something is there, or chosen, and what happens with it."""
        value = node.value
        bound = self.named(node.name.text, value, at)
        if isinstance(value, Chosen):
            body = self.inline(block, at.bind(node.name.text, bound))
            return self.say("IfSome.chosen", choose=self.choosing(value, at, node.name.text), body=body)
        phrase = self.value(value, at)
        stays = self.stays(value, node.name.text, block)
        if isinstance(value, ast.NameExpr | ast.Attribute) and bound.sort.what != "number" and stays:
            bound = replace(bound, phrase=settled(phrase))
            there = self.absent(value, at, False)
        elif isinstance(value, ast.CellOf | ast.NameExpr | ast.Attribute):
            bound = self.called_so(node.name.text, bound, at)
            there = self.say("IfSome.named", there=self.absent(value, at, False), name=bound.phrase)
        else:
            bound = self.called_so(node.name.text, bound, at)
            there = self.say("IfSome", x=phrase, name=bound.phrase)
        body = self.inline(block, at.bind(node.name.text, bound))
        return self.say("If.elif" if later else "If", condition=there, body=body)

    def stays(self, value: ast.Expr, name: str, block: ast.Block) -> bool:
        """Whether a variable is surely still the same wherever a block reads it by another name."""
        if sum(_is_name(inner, name) for inner in children(block)) <= 1:
            return True
        inside = list(children(block))
        changed = {self.place_name(inner.target) for inner in inside if isinstance(inner, ast.Assign)}
        return self.place_name(value) not in changed and not any(isinstance(n, ast.CallStatement) for n in inside)

    def loop(self, node: ast.For, at: Context) -> str:
        """`for each card in your hand: …`."""
        collection = node.collection
        name = node.name.text
        if isinstance(collection, Chosen):
            bound = self.local(name, self.sort(collection, at).one, at.names, self.element_noun(collection, at))
            body = self.inline(node.body, at.bind(name, bound))
            return self.say("For.chosen", choose=self.choosing(collection, at, name), body=body)
        if isinstance(collection, ast.Where) and mentions(collection.condition, name):
            group = self.narrowed(self.group(collection.collection, at), collection.condition, name, at)
        else:
            group = self.group(collection, at)
        group = self.told_apart(group, name, at)
        bound = self.local(name, group.sort.one, at.names, group.noun)
        body = self.inline(node.body, at.bind(name, bound))
        key = "For.players" if group.sort.one == PLAYER else "For"
        return self.say(key, each=self.each(group), body=body)

    def scope(self, node: ast.Scope, at: Context) -> str:
        """A turn, a round, a phase."""
        if node.seat is not None:
            seat = self.value(node.seat, at)
            body = self.inline(node.body, self.acting(seat, at))
            return self.say("Scope.turn.you" if seat.person == "you" else "Scope.turn", seat=seat, body=body)
        body = self.inline(node.body, at)
        if node.name is not None:
            return self.say("Scope.phase", name=self.quoted(node.name.text), body=body)
        return self.say("Scope.round", body=body)


def _is_name(node: ast.Node, name: str) -> bool:
    return isinstance(node, ast.NameExpr) and node.name == name
