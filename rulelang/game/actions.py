"""What can be done now: actions with an id, words and structured data; decisions and refusals.

Enters: a machine, a state that waits, the ruleset's words. Leaves: `Action`s and `Decision`s for the public surface.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from rulelang.backends.interpreter import Machine, Option, Waiting
from rulelang.ir import nodes
from rulelang.ir.program import Site
from rulelang.runtime.layout import core
from rulelang.runtime.names import binder_type, option_id, option_ids, outcome_ids, value_text
from rulelang.runtime.refusals import Refusal
from rulelang.runtime.state import State
from rulelang.runtime.views import value_json
from rulelang.words import Words

Lexicon = Callable[[str], Words]
"""Language -> the ruleset's words in it."""


@dataclass(frozen=True)
class Action:
    """One option of a seat, or one outcome of chance.

    Attributes:
        id: `rule:argument=value,…`, unique within its decision and the same in equal states.
        seat: who may take it; None for an outcome of chance.
        file, line, cites: where it is offered: of a menu, the item's own place.
    """

    id: str
    seat: int | None
    _data: Callable[[], dict[str, Any]] = field(repr=False, compare=False)
    _say: Callable[[str], str] = field(repr=False, compare=False)
    _at: object = field(repr=False, compare=False)
    _what: Any = field(repr=False, compare=False)
    file: str = field(default="", repr=False, compare=False)
    line: int = field(default=0, repr=False, compare=False)
    cites: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def data(self) -> dict[str, Any]:
        """`rule` and `arguments` (name -> JSON value), for a menu also `item`."""
        return self._data()

    def text(self, lang: str = "en") -> str:
        """The action in words."""
        return self._say(lang)

    def __str__(self) -> str:
        return self.id


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

    @property
    def prompt(self) -> str:
        """The question in English."""
        return self._say("en")

    def prompt_in(self, lang: str) -> str:
        """The question in a language."""
        return self._say(lang)

    def to_json(self, lang: str = "en") -> dict[str, Any]:
        """All of it as JSON-able values."""
        return {
            "seat": self.seat,
            "prompt": self._say(lang),
            "rule": self.rule,
            "file": self.file,
            "line": self.line,
            "cites": list(self.cites),
            "together": self.together,
            "secret": self.secret,
            "choices": [{"id": a.id, "text": a.text(lang), **a.data} for a in self.choices],
        }


class Asker:
    """Builds actions, decisions and refusals of one machine's states."""

    def __init__(self, machine: Machine, lexicon: Lexicon) -> None:
        self.machine = machine
        self.layout = machine.layout
        self.program = machine.program
        self.lexicon = lexicon

    def site(self, number: int) -> Site:
        """Where something comes from."""
        return self.program.sites[number] if 0 <= number < len(self.program.sites) else self.program.sites[0]

    # ---- decisions

    def actions(self, state: State, waiting: Waiting, seat: int, at: object) -> tuple[Action, ...]:
        """The options of a pending seat. `at` stands for the position that they are made in."""
        asked = self.program.decisions[waiting.decision]
        options = self.machine.options(state, seat)
        ids = option_ids(state, asked, options)

        @cache
        def texts(lang: str) -> list[str]:
            return self.lexicon(lang).options(state, asked, options, ids, seat)

        def action(number: int, option: Option) -> Action:
            site = self.site(asked.items[option.item].site if option.item >= 0 else asked.site)
            place = (site.path, site.line, site.citations)
            return Action(
                ids[number],
                seat,
                lambda: self.data(asked, option.item, option.values),
                lambda lang: texts(lang)[number],
                at,
                option,
                *place,
            )

        return tuple(action(number, option) for number, option in enumerate(options))

    def data(self, asked: nodes.Decision, item: int, values: Sequence[Any]) -> dict[str, Any]:
        """The rule, the item of a menu, and the arguments of an option as JSON-able values."""
        if item < 0:
            return {"rule": asked.rule, "item": "pass", "arguments": {}}
        found = asked.items[item]
        arguments = {
            binder.name: self._argument(binder_type(self.layout, asked, found, number), value)
            for number, (binder, value) in enumerate(zip(found.binders, values, strict=False))
        }
        return {"rule": asked.rule, "item": found.name or asked.rule, "arguments": arguments}

    def _argument(self, type_: str, value: Any) -> Any:
        if core(type_).startswith("payment"):
            return value_text(self.layout, type_, value)
        return value_json(self.layout, type_, value)

    def decision(self, state: State, waiting: Waiting, seat: int, choices: tuple[Action, ...]) -> Decision:
        """The question to a pending seat."""
        asked = self.program.decisions[waiting.decision]
        site = self.site(asked.site)

        def say(lang: str) -> str:
            return self.lexicon(lang).prompt(self.layout, asked, seat)

        anyway = asked.ask == "anyway"
        return Decision(
            seat, asked.rule, site.path, site.line, site.citations, asked.together, asked.secret, anyway, choices, say
        )

    def refusals(
        self, state: State, waiting: Waiting, seat: int, lang: str = "en", inactive: bool = False
    ) -> list[dict[str, Any]]:
        """What might be tried but may not: what fails, what is missing, and where that stands.

        Args:
            inactive: also what pieces would offer that the seat has not in force.
        """
        asked = self.program.decisions[waiting.decision]
        words = self.lexicon(lang)
        found = self.machine.refusals(state, seat)
        return [self._refused(state, asked, seat, words, one) for one in found if inactive or not one.inactive]

    def _refused(
        self, state: State, asked: nodes.Decision, seat: int, words: Words, refusal: Refusal
    ) -> dict[str, Any]:
        """One refusal as JSON-able values; `id` is there only when all arguments are settled before what fails."""
        number, values = refusal.item, refusal.values
        item = asked.items[number]
        site = self.site(refusal.guard.site if refusal.guard is not None else item.site)
        settled = refusal.guard is not None and len(values) == len(item.binders)
        return {
            **({"id": option_id(self.layout, asked, number, values, state)} if settled else {}),
            "text": words.option(self.layout, asked, number, values, seat),
            "reason": refusal.reason,
            "missing": words.missing(self.layout, refusal, seat),
            "rule": site.rule,
            "file": site.path,
            "line": site.line,
            "cites": list(site.citations),
            "item": item.name or asked.rule,
            "arguments": self.data(asked, number, values)["arguments"],
        }

    # ---- chance

    def outcomes(self, state: State, chance: nodes.Chance, at: object) -> list[tuple[Action, Fraction]]:
        """The outcomes of the pending chance node with their probabilities."""
        found = self.machine.outcomes(state)
        ids = outcome_ids(self.layout, chance, [value for value, _ in found])
        return [
            (self._outcome(chance, value, id_, at), probability)
            for (value, probability), id_ in zip(found, ids, strict=True)
        ]

    def _outcome(self, chance: nodes.Chance, value: Any, id_: str, at: object) -> Action:
        def say(lang: str) -> str:
            return self.lexicon(lang).outcome(self.layout, chance, value)

        site = self.site(chance.site)
        text = id_.partition("=")[2]
        shown = value if chance.kind == "number" else text
        data = {"rule": site.rule, "item": chance.kind, "arguments": {chance.name: shown}}
        return Action(id_, None, lambda: data, say, at, value, site.path, site.line, site.citations)
