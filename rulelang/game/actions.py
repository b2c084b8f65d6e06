"""What can be done now: actions with an id, words and structured data; decisions and refusals.

Enters: an executor, a state that waits, the ruleset's words. Leaves: `Action`s and `Decision`s for the public surface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise, repeat
from typing import Any

from rulelang.execution.executor import Executor
from rulelang.game.choosing import PartialChoice, partial_choice
from rulelang.game.notation import Notation
from rulelang.ir import nodes
from rulelang.ir.program import Program, Site
from rulelang.ir.walk import successors
from rulelang.languages import DEFAULT
from rulelang.runtime.layout import Layout
from rulelang.runtime.lazy_lists import UnreadList
from rulelang.runtime.names import LongIds, NamedValue, ids_of, option_id, option_parts, outcome_ids, value_text
from rulelang.runtime.refusals import Refusal
from rulelang.runtime.state import State
from rulelang.runtime.views import question_arguments, value_json
from rulelang.runtime.waiting import LongOptions, Option, Waiting
from rulelang.vocabulary.operations import NUMBERS
from rulelang.vocabulary.types import Type
from rulelang.words import Words, keeps_all
from rulelang.words.phrases import capital

CHANCE = -1
"""Stands for chance where seats stand for offers."""

Lexicon = Callable[[str], Words]
"""Language -> the ruleset's words in it."""


class NodeOptions(ABC):
    """What can be done at one node by one seat, or what can happen there. Most of it is only worked out when it is
    wanted: who plays at random asks for no ids and no words.

    Attributes:
        state: where it is offered. at: stands for that position, see `Actions`. seat: who may choose; None for chance.
        options: options, or outcomes.
    """

    at: State | bytes | None = None

    def __init__(self, asker: Asker, state: State, seat: int | None, options: Sequence[Any]) -> None:
        self.asker, self.state, self.seat, self.options = asker, state, seat, options

    draws: Sequence[int] = ()
    """Of outcomes: the weight of all that come before each."""

    leaving = -1
    """The number of the option that only says that nothing more is done, if there is exactly one."""

    about: Sequence[str] = ()
    """The pieces that the rule which asks was given, as far as the seat sees them."""

    @property
    def offer(self) -> NodeOptions:
        """This: what its actions are options of."""
        return self

    def actions(self) -> tuple[Action, ...]:
        """Return an action for each option or outcome, in a stable order."""
        return tuple([Action(self, place) for place in range(len(self.options))])

    @cached_property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """The id of each action."""

    def find(self, id_: str) -> int:
        """Return the number of the action with an id; -1 if there is none."""
        if isinstance(self.ids, LongIds):
            return self.ids.find(id_)
        ids = [*self.ids]
        return ids.index(id_) if id_ in ids else -1

    @abstractmethod
    def data(self, place: int) -> dict[str, Any]:
        """Return rule, item and arguments of an option, by its index, as JSON-able values."""

    def parts(self, place: int) -> list[NamedValue]:
        """Return the values that an option names, in order (see `Action.parts`)."""
        return []

    def parts_of(self, item: int, values: tuple[Any, ...]) -> list[NamedValue]:
        """Return the values that an option of an item with these values names; it need not be offered."""
        return []

    @abstractmethod
    def text(self, place: int, lang: str) -> str:
        """Return an option in words of a language, by its index."""

    def notation(self, place: int, lang: str) -> str:
        """Return an option as players write it down, by its index; empty where the ruleset has no notation for it."""
        return ""

    def meant(self, notation: str, lang: str) -> int:
        """Return the number of the only action that a notation means; -1 if there is none."""
        return -1

    @abstractmethod
    def site(self, place: int) -> Site:
        """Return the source location that an option comes from, by its index."""


class Action:
    """One option of a seat, or one outcome of chance.

    Attributes:
        source: what it is one of. place: its number there, from 0 on.
    """

    __slots__ = ("_data", "place", "source")
    _data: dict[str, Any]

    def __init__(self, source: NodeOptions | Actions, place: int) -> None:
        self.source, self.place = source, place

    @property
    def offer(self) -> NodeOptions:
        """All that can be done there."""
        return self.source.offer

    @property
    def id(self) -> str:
        """`rule:argument=value,…`, unique within its decision and the same in equal states."""
        return self.offer.ids[self.place]

    @property
    def seat(self) -> int | None:
        """The seat that may take it; None for an outcome of chance."""
        return self.source.seat

    @property
    def data(self) -> dict[str, Any]:
        """`rule` and `arguments` (name -> JSON value), for a menu also `item`."""
        if not hasattr(self, "_data"):
            self._data = self.offer.data(self.place)
        return self._data

    @property
    def parts(self) -> list[NamedValue]:
        """The values that an option names, in order: collections by member, bags and payments by unit, pieces by
        place."""
        return self.offer.parts(self.place)

    def text(self, lang: str = DEFAULT) -> str:
        """Return the action in words of a language."""
        return self.offer.text(self.place, lang)

    def notation(self, lang: str = DEFAULT) -> str:
        """Return the action as players of the game write it down; empty where the ruleset has no notation for it."""
        return self.offer.notation(self.place, lang)

    @property
    def leaves(self) -> bool:
        """Whether this is the decision's only option that ends the choosing without doing anything, such as `pass`."""
        return self.offer.leaving == self.place

    @property
    def file(self) -> str:
        """The file of the rule, or of the menu item, that offers the action."""
        return self.offer.site(self.place).path

    @property
    def line(self) -> int:
        """The line in `file`, counted from 1."""
        return self.offer.site(self.place).line

    @property
    def cites(self) -> tuple[str, ...]:
        """The citations of the rulebook at that location, such as `book:12`."""
        return self.offer.site(self.place).citations

    def __str__(self) -> str:
        return self.id

    def __repr__(self) -> str:
        return f"Action(id={self.id!r}, seat={self.seat})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Action) and (self.id, self.seat) == (other.id, other.seat)

    def __hash__(self) -> int:
        return hash((self.id, self.seat))


class Actions(list[Action]):
    """The actions of a seat.

    Attributes:
        game: whose they are. at: where they are offered, a state or a block of native code, then with its tape.
        seat: who may choose.
    """

    __slots__ = ("_offers", "at", "game", "seat", "tape")
    game: Any
    at: State | bytes
    tape: Any
    seat: int
    _offers: dict[int, NodeOptions]

    @property
    def offers(self) -> dict[int, NodeOptions]:
        """What seats can do there, as far as it was wanted: the game's own as long as it is there."""
        if not hasattr(self, "_offers"):
            self._offers = self.game._offers if self.game._at is self.at else {}
        return self._offers

    @property
    def offer(self) -> NodeOptions:
        """All that can be done there."""
        if self.seat in self.offers:
            return self.offers[self.seat]
        asker: Asker = self.game._asker
        state = self.at if isinstance(self.at, State) else asker.executor.flat_state(self.at, self.tape)
        return asker.offer(state, self.at, self.seat, self.offers)


_NOT_MADE: list[tuple[Any, ...]] = [(None,) * count for count in range(128)]
"""Of each number of actions what stands for them before they are made."""


class UnreadActions(Actions, UnreadList):
    """The same before anything but their number, or one of them, was asked for: none is made yet. Who plays at random
    reads one."""

    __slots__ = ()

    def read(self) -> None:
        """Make all of them."""
        self.__class__ = Actions  # type: ignore[assignment]
        # They refer to another list than the one that they lie in: that of a circle would wait for a collection.
        source = unread_actions(self.game, self.at, self.tape, self.seat, 0)
        if hasattr(self, "_offers"):
            source._offers = self._offers
        self[:] = [Action(source, place) for place in range(len(self))]

    def __getitem__(self, place: Any) -> Any:
        """Return one action, made for this alone; of a slice all are made."""
        if place.__class__ is int and 0 <= place < len(self):
            return Action(self, place)
        self.read()
        return self[place]


def unread_actions(game: Any, at: State | bytes, tape: Any, seat: int, count: int) -> UnreadActions:
    """Return so many actions of a seat; the others: see `Actions`."""
    actions = UnreadActions(_NOT_MADE[count] if count < len(_NOT_MADE) else repeat(_NOT_MADE[1][0], count))
    actions.game, actions.at, actions.tape, actions.seat = game, at, tape, seat
    return actions


@dataclass(frozen=True)
class Decision:
    """A question to a seat.

    Attributes:
        seat: who is asked. rule, file, line, cites: where the question comes from.
        together: others are asked at the same time. secret: others don't learn the answer. anyway: asked even when
            there is nothing to offer, so that nobody learns that there was nothing.
        choices: the actions.
    """

    seat: int
    rule: str
    file: str
    line: int
    cites: tuple[str, ...]
    together: bool
    secret: bool
    anyway: bool
    choices: tuple[Action, ...]
    _say: Callable[[str], str] = field(repr=False, compare=False)
    _ask: Callable[[str], str] = field(repr=False, compare=False)

    @property
    def prompt(self) -> str:
        """The decision's question in English."""
        return self._say(DEFAULT)

    def prompt_in(self, lang: str) -> str:
        """Return the decision's question in a language."""
        return self._say(lang)

    def question_in(self, lang: str) -> str:
        """Return the decision's question in a language without naming the seat it is put to."""
        return self._ask(lang)

    def next(self, prefix: Sequence[str] = ()) -> PartialChoice:
        """Return what part of an answer can come after those of a prefix: of any of 16 cards one card after the other.
        Nobody learns of parts; the answer is the `action` that they make.

        Raises:
            ValueError: the parts of the prefix are no part of any action.
        """
        return partial_choice(self.choices, prefix)

    def meant(self, notation: str, lang: str = DEFAULT) -> Action | None:
        """Return the only action that a notation means, also without its conditional marks; None if there is none."""
        place = self.choices[0].offer.meant(notation, lang) if self.choices else -1
        return self.choices[place] if place >= 0 else None

    def to_json(self, lang: str = DEFAULT) -> dict[str, Any]:
        """Return the decision with its options as JSON-able values, texts in the given language."""
        fields = {name: getattr(self, name) for name in ("rule", "file", "line", "cites", "together", "secret")}
        choices = [{"id": a.id, "text": a.text(lang), **a.data} for a in self.choices]
        return {"seat": self.seat, "prompt": self._say(lang), **fields, "cites": list(self.cites), "choices": choices}


class Asker:
    """Builds actions, decisions and refusals of one executor's states."""

    __slots__ = ("__weakref__", "executor", "lexicon")

    def __init__(self, executor: Executor, lexicon: Lexicon) -> None:
        self.executor, self.lexicon = executor, lexicon

    @property
    def layout(self) -> Layout:
        """The layout of the games."""
        return self.executor.layout

    @property
    def program(self) -> Program:
        """The program of the games."""
        return self.executor.program

    def site(self, number: int) -> Site:
        """Return the source location with this number; the first one for numbers out of range."""
        return self.program.sites[number] if 0 <= number < len(self.program.sites) else self.program.sites[0]

    # ---- decisions

    def offer(self, state: State, at: State | bytes, seat: int, offers: dict[int, NodeOptions]) -> NodeOptions:
        """Return the offer of a pending seat's options, memoised in `offers`, those of this position."""
        if seat not in offers:
            waiting = self.executor.waiting(state)
            assert waiting is not None
            offers[seat] = _Choices(self, state, seat, self.executor.options(state, seat), waiting.decision)
            offers[seat].at = at
        return offers[seat]

    def data(self, decision: nodes.Decision, item: int, values: Sequence[Any]) -> dict[str, Any]:
        """Return rule, menu item and arguments of an option as JSON-able values; `item` -1 is a pass."""
        if decision.passes(item, values):
            return {"rule": decision.rule, "item": "pass", "arguments": {}}
        menu_item = decision.items[item]
        arguments = {binder.name: self._argument(binder.type, value) for binder, value in decision.bound(item, values)}
        return {"rule": decision.rule, "item": menu_item.name or decision.rule, "arguments": arguments}

    def _argument(self, type_: Type, value: Any) -> Any:
        """Return an argument as a JSON-able value; a payment as text."""
        if type_.core.kind == "payment":
            return value_text(self.layout, type_, value)
        return value_json(self.layout, type_, value)

    def decision(self, state: State, waiting: Waiting, seat: int, choices: tuple[Action, ...]) -> Decision:
        """Build the public decision of a pending seat: source location, options and its question in words."""
        decision = self.program.decisions[waiting.decision]
        site = self.site(decision.site)
        bindings = question_arguments(state, decision, seat)
        keeps = keeps_all(state, decision, choices[0].offer.options) if choices else False

        def say(lang: str) -> str:
            return self.lexicon(lang).prompt(self.layout, decision, seat, bindings, keeps)

        def ask(lang: str) -> str:
            return capital(self.lexicon(lang).question(self.layout, decision, seat, bindings, keeps))

        kind = decision.together, decision.secret, decision.ask == "anyway"
        return Decision(seat, decision.rule, site.path, site.line, site.citations, *kind, choices, say, ask)

    def refusals(
        self, state: State, waiting: Waiting, seat: int, lang: str = DEFAULT, inactive: bool = False
    ) -> list[dict[str, Any]]:
        """Return the options a seat is refused, each with the failing guard, what is missing, and source location.

        Args:
            inactive: also what pieces would offer that the seat has not in force.
        """
        decision = self.program.decisions[waiting.decision]
        words = self.lexicon(lang)
        refused = self.executor.interpreter.refusals(state, seat)
        return [
            self._refused(state, decision, seat, words, refusal)
            for refusal in refused
            if inactive or not refusal.inactive
        ]

    def _refused(
        self, state: State, decision: nodes.Decision, seat: int, words: Words, refusal: Refusal
    ) -> dict[str, Any]:
        """Return a refusal as JSON-able values; `id` is included only if all arguments were bound before the guard
        failed."""
        number, values = refusal.item, refusal.values
        item = decision.items[number]
        site = self.site(refusal.guard.site if refusal.guard is not None else item.site)
        settled = refusal.guard is not None and len(values) == len(item.binders)
        return {
            **({"id": option_id(self.layout, decision, number, values, state)} if settled else {}),
            "text": words.tried(state, decision, refusal, seat),
            "reason": refusal.reason,
            "missing": words.missing(self.layout, decision, refusal, seat),
            "rule": site.rule,
            "file": site.path,
            "line": site.line,
            "cites": list(site.citations),
            "item": item.name or decision.rule,
            "arguments": self.data(decision, number, values)["arguments"],
        }

    # ---- chance

    def outcomes(
        self, state: State, at: State | bytes, chance: nodes.Chance, offers: dict[int, NodeOptions]
    ) -> list[tuple[Action, Fraction]]:
        """Return the outcomes of the pending chance node as actions with their probabilities; their offer is memoised
        in `offers`, those of this position."""
        if CHANCE not in offers:
            offers[CHANCE] = _Outcomes(self, state, self.executor.outcomes(state), chance)
            offers[CHANCE].at = at
        offer = offers[CHANCE]
        draws = offer.draws
        shares = [Fraction(end - start, draws[-1]) for start, end in pairwise(draws)]
        return list(zip(offer.actions(), shares, strict=True))


class _Choices(NodeOptions):
    """The options of a seat at a decision."""

    def __init__(self, asker: Asker, state: State, seat: int, options: Sequence[Option], decision: int) -> None:
        super().__init__(asker, state, seat, options)
        self.decision = asker.program.decisions[decision]
        self._texts: dict[str, Sequence[str]] = {}
        self._notations: dict[str, Notation] = {}

    @cached_property
    def ids(self) -> Sequence[str]:
        return ids_of(self.state, self.decision, self.options)

    @cached_property
    def about(self) -> Sequence[str]:  # type: ignore[override]
        values = question_arguments(self.state, self.decision, self.seat).values()
        pieces = [
            (type_, value) for type_, value in values if type_.kind == "piece" and value is not None and value >= 0
        ]
        return [str(value_json(self.asker.layout, type_, value)) for type_, value in pieces]

    @cached_property
    def leaving(self) -> int:  # type: ignore[override]
        options = self.options
        numbers: Sequence[int] = range(len(options))
        if isinstance(options, LongOptions) and (self.decision.ask != "anyway" or options.selections is not None):
            # Items that end the choosing have one option, or choose nothing first.
            numbers = options.starts
        places = [place for place in numbers if _leaves(self.asker, self.decision, self.options[place])]
        returning = [place for place in places if _leaves(self.asker, self.decision, self.options[place], returns=True)]
        return places[0] if len(places) == 1 else returning[0] if len(returning) == 1 else -1

    def data(self, place: int) -> dict[str, Any]:
        return self.asker.data(self.decision, *self.options[place])

    def parts(self, place: int) -> list[NamedValue]:
        return self.parts_of(*self.options[place])

    def parts_of(self, item: int, values: tuple[Any, ...]) -> list[NamedValue]:
        return option_parts(self.state, self.decision, Option(item, values))

    def text(self, place: int, lang: str) -> str:
        """Return an option in words, by its index; texts are built together, or of many one by one where none can
        clash, and memoised per language."""
        if lang not in self._texts:
            words = self.asker.lexicon(lang)
            self._texts[lang] = words.options(self.state, self.decision, self.options, self.ids, self.seat)
        return self._texts[lang][place]

    def notation(self, place: int, lang: str) -> str:
        return self._notation(lang).text(place)

    def meant(self, notation: str, lang: str) -> int:
        return self._notation(lang).meant(notation)

    def _notation(self, lang: str) -> Notation:
        """Return the options' notation in a language, memoised."""
        if lang not in self._notations:
            words, machine = self.asker.lexicon(lang).notation, self.asker.executor.interpreter
            assert self.seat is not None
            self._notations[lang] = Notation(words, machine, self.state, self.decision, self.options, self.seat)
        return self._notations[lang]

    def site(self, place: int) -> Site:
        item = self.options[place].item
        return self.asker.site(self.decision.items[item].site if item >= 0 else self.decision.site)


def _leaves(asker: Asker, decision: nodes.Decision, option: Option, returns: bool = False) -> bool:
    """Return whether an option only ends the choosing: a pass, an empty selection, or an empty block.

    With `returns` only a plain `return` counts, which leaves the whole rule and so the loop around the decision.
    """
    if decision.passes(*option):
        return True
    item = decision.items[option.item]
    if item.binders:
        return not returns and [binder.kind for binder in item.binders] == ["some"] and not option.values[0]
    blocks = asker.program.procedures[decision.procedure].blocks
    block = blocks[item.to]
    if isinstance(block.terminator, nodes.Return):
        return not block.statements and block.terminator.value is None
    if returns:
        return False
    # Where it goes on at once, others do too after what they do.
    return (isinstance(block.terminator, nodes.Jump) and not block.statements) or _entries(asker, blocks, item.to) > 1


def _entries(asker: Asker, blocks: Sequence[nodes.Block], number: int) -> int:
    """Return the number of control-flow edges into a block of a procedure."""
    return sum(successors(block.terminator, asker.program.decisions).count(number) for block in blocks)


class _Outcomes(NodeOptions):
    """The outcomes of a chance node, with the draws that give them."""

    def __init__(self, asker: Asker, state: State, outcomes: Sequence[tuple[Any, int]], chance: nodes.Chance) -> None:
        super().__init__(asker, state, None, [value for value, _ in outcomes])
        self.chance = chance
        self.draws = list(accumulate((weight for _, weight in outcomes), initial=0))

    @cached_property
    def ids(self) -> Sequence[str]:
        return outcome_ids(self.asker.layout, self.chance, self.options)

    def data(self, place: int) -> dict[str, Any]:
        shown = self.options[place] if self.chance.kind in NUMBERS else self.ids[place].partition("=")[2]
        rule = self.asker.site(self.chance.site).rule
        return {"rule": rule, "item": self.chance.kind, "arguments": {self.chance.name: shown}}

    def text(self, place: int, lang: str) -> str:
        return self.asker.lexicon(lang).outcome(self.asker.layout, self.chance, self.options[place])

    def site(self, place: int) -> Site:
        return self.asker.site(self.chance.site)
