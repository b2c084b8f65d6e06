"""Refusals in words: what is missing.

Enters: refusals as a backend tells them, the seat that reads. Leaves: phrases such as `lacks 1 coin`, or, of a guard,
its text and what its parts are.
"""

from __future__ import annotations

from rulelang.runtime.layout import Layout
from rulelang.runtime.names import enum_names
from rulelang.runtime.refusals import Fact, Refusal
from rulelang.words.phrases import Phrases, Reader


class Refusals:
    """Says in one language what is missing."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.fill = phrases.fill
        self.lexicon = phrases.lexicon

    def missing(self, layout: Layout, refusal: Refusal, reader: Reader = None) -> str:
        """What is missing, without a full stop. The author's text of rules stays as it is in every language."""
        guard, binder = refusal.guard, refusal.binder
        if refusal.inactive:
            piece = guard.word if guard is not None else refusal.reason
            return self.fill("refused_inactive", piece=self.lexicon.name(piece))
        if guard is not None and guard.kind == "limit":
            return self._limit(guard.word, refusal.facts[0].value)
        if refusal.lacks:
            return self.fill("refused_lacks", goods=self._goods(layout, refusal))
        if guard is not None:
            facts = ", ".join(self._fact(layout, fact, reader) for fact in refusal.facts)
            return self.fill("refused_because" if facts else "refused", reason=guard.reason, facts=facts)
        name = self.lexicon.name(refusal.binder_name)
        if binder is not None and binder.kind == "number":
            low, high = (fact.value for fact in refusal.facts)
            return self.fill("refused_no_number", name=name, low=low, high=high)
        return self.fill("refused_nothing", name=name, reason=refusal.reason)

    def _limit(self, scope: str, done: int) -> str:
        times = self.fill("times" if done > 1 else "once", count=done)
        return self.fill("refused_limit", times=times, scope=self.fill(f"this_{scope}"))

    def _fact(self, layout: Layout, fact: Fact, reader: Reader) -> str:
        if fact.says == "presence":
            return self.fill("fact_absent" if fact.value else "fact_present", text=fact.text)
        if fact.says == "size":
            return self.fill("fact_size" if fact.value else "fact_empty", text=fact.text, count=fact.value)
        return self.fill("fact", text=fact.text, value=self.phrases.value(layout, fact.type, fact.value, reader))

    def _goods(self, layout: Layout, refusal: Refusal) -> str:
        names = enum_names(layout, refusal.resource)
        parts = []
        for count, mask in refusal.lacks:
            first, *others = [name for kind, name in enumerate(names) if mask >> kind & 1]
            alternatives = [self.lexicon.counted(count, first), *(self.lexicon.name(name, count) for name in others)]
            parts.append(self.lexicon.joined(alternatives, "or"))
        return self.lexicon.joined(parts)
