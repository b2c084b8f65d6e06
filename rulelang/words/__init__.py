"""Words for people: one template per construct and language, filled with the ruleset's own words.

Enters: a ruleset's `words`, values with their types, decisions, entries of the log. Leaves: texts of options, prompts,
outcomes and events in a language. A name without words in the language is called as in the ruleset's first language,
else by its own spelling; a language without templates falls back to English. No text fails for want of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rulelang.ir.nodes import Chance, Decision
from rulelang.ruleset.model import WrittenRuleset
from rulelang.runtime.layout import Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.refusals import Refusal
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.words.events import Events
from rulelang.words.lexicon import plain_words
from rulelang.words.notation import NotationWords
from rulelang.words.phrases import Bindings, Phrases, Reader, capital
from rulelang.words.questions import Questions, is_question, keeps_all
from rulelang.words.refusals import RefusalWriter

__all__ = ["Words", "is_question", "keeps_all"]


class Words(Phrases):
    """The words of one ruleset in one language. `reader`, everywhere, is the seat that reads: it is called `you`.

    Args:
        names: what the people at the seats are called, "" where that is not known. first: what the first seat is
            called then.
    """

    def __init__(self, ruleset: WrittenRuleset, lang: str, names: Sequence[str] = (), first: int = 0) -> None:
        super().__init__(ruleset, lang, names, first)
        self.lang = lang
        self._ruleset = ruleset
        self._questions = Questions(self)
        self._events = Events(self, self._questions)
        self._refusals = RefusalWriter(self)
        self.title = ruleset.title.get(lang) or next(iter(ruleset.title.values()), plain_words(ruleset.name))

    @cached_property
    def notation(self) -> NotationWords:
        """How players write down what is chosen."""
        return NotationWords(self._ruleset, self.lang)

    # ---- names and values

    def name(self, name: str) -> str:
        """Return what a declared name is called where it stands alone."""
        return self.lexicon.label(name)

    def heading(self, rule: str, item: str) -> str:
        """Return the heading above the options of one item of a menu."""
        return self.lexicon.heading(f"{rule}.{item}", item)

    def score(self, name: str) -> str:
        """Return what a score line is called: under `score.NAME`, else under its name."""
        return self.lexicon.name_of(f"score.{name}", name)

    # ---- questions, options, outcomes, events

    def prompt(self, layout: Layout, decision: Decision, seat: int, bindings: Bindings, keeps: bool = False) -> str:
        """Return what a decision asks a seat, with the seat.

        Args:
            bindings: the arguments of the rule that asks. keeps: see `keeps_all`.
        """
        asked = self._questions.prompt(layout, decision, bindings, None, keeps)
        return self.fill("ask", seat=capital(self.seat(layout, seat)), question=asked)

    def question(self, layout: Layout, decision: Decision, seat: int, bindings: Bindings, keeps: bool = False) -> str:
        """Return what a decision asks, without the seat."""
        return self._questions.prompt(layout, decision, bindings, seat, keeps)

    def tried(self, state: State, decision: Decision, refusal: Refusal, reader: Reader = None) -> str:
        """Return a sentence for what is refused, read alone; its values may be incomplete."""
        about = self._questions.about(state, decision, reader)
        return self._questions.option(state.layout, decision, refusal.item, refusal.values, reader, about=about)

    def options(
        self, state: State, decision: Decision, options: Sequence[Option], ids: Sequence[str], reader: Reader = None
    ) -> Sequence[str]:
        """Return the options of one decision, all different."""
        return self._questions.options(state, decision, options, ids, reader)

    def missing(self, layout: Layout, decision: Decision, refusal: Refusal, reader: Reader = None) -> str:
        """Return what is missing for something that is refused, as a phrase."""
        item = decision.items[refusal.item]
        bound = decision.bound(refusal.item, refusal.values)
        bindings = {binder.name: (binder.type, value) for binder, value in bound}
        return self._refusals.missing(layout, refusal, reader, self._questions.names(decision, item), bindings)

    def outcome(self, layout: Layout, chance: Chance, value: Any) -> str:
        """Return an outcome of chance."""
        return self._questions.outcome(layout, chance, value)

    def event(self, layout: Layout, entry: Entry, reader: Reader = None) -> str:
        """Return an entry of the log, as the reader saw it, in a sentence."""
        return self._events.sentence(layout, entry, reader)

    def did_both(self, layout: Layout, seat: int, reader: Reader, first: str, second: str) -> str:
        """Join two sentences of what one seat did: `Seat 1: take a card; play it.`; empty if they are no such."""
        before, _, after = self.fill("did", seat=self.seat(layout, seat, reader), option="\0").partition("\0")
        before = capital(before)
        if not all(text.startswith(before) and text.endswith(after) for text in (first, second)):
            return ""
        option = second.removeprefix(before).removesuffix(after)
        return self.fill("did_too", sentence=first.removesuffix(after), option=option)
