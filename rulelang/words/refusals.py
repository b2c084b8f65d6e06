"""Refusals in words: what is missing.

Enters: refusals as a backend tells them, the seat that reads. Leaves: phrases such as `lacks 1 coin`, why a guard
fails, or, where that can't be said, its text and what its parts are.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulelang.runtime.layout import Layout
from rulelang.runtime.names import enum_names
from rulelang.runtime.payments import Lack
from rulelang.runtime.refusals import Cause, FailedPart, Refusal, Side
from rulelang.vocabulary.computing import says_some
from rulelang.vocabulary.types import ANY
from rulelang.words.phrases import Bindings, Phrases, Reader

NOTHING: Bindings = {}


class RefusalWriter:
    """Says in one language what is missing."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.fill = phrases.fill
        self.lexicon = phrases.lexicon

    def missing(
        self,
        layout: Layout,
        refusal: Refusal,
        reader: Reader = None,
        names: Sequence[str] = (),
        bindings: Bindings = NOTHING,
    ) -> str:
        """Return what is missing, without a full stop. The author's text of rules stays as it is in every language.

        Args:
            names: under which a ruleset may say what is missing where nothing else can be said. bindings: the values
                of what is refused.
        """
        guard, binder = refusal.guard, refusal.binder
        if refusal.inactive:
            piece = guard.word if guard is not None else refusal.reason
            return self.fill("refused_inactive", piece=self.lexicon.name(piece))
        if guard is not None and guard.kind == "limit":
            return self._limit(guard.word, refusal.facts[0].value)
        if refusal.lacks:
            return self.fill("refused_lacks", goods=self._lacking(layout, refusal.resource, refusal.lacks))
        if guard is not None and (cause := self._causes(layout, refusal, reader)):
            return cause
        if own := self._own(layout, bindings, reader, *names):
            return own
        if guard is not None:
            facts = ", ".join(self._fact(layout, fact, reader) for fact in refusal.facts)
            return self.fill("refused_because" if facts else "refused", reason=guard.reason, facts=facts)
        name = self.lexicon.name(refusal.binder_name)
        if binder is not None and binder.kind == "number":
            low, high = (fact.value for fact in refusal.facts)
            return self.fill("refused_no_number", name=name, low=low, high=high)
        return self._nothing(layout, refusal, reader)

    def _nothing(self, layout: Layout, refusal: Refusal, reader: Reader) -> str:
        """Say that there is nothing to choose from: in a zone, or of what a function or another expression gives."""
        type_ = refusal.binder.type.core if refusal.binder is not None else ANY
        kind = type_.name if type_.kind == "piece" else ""
        noun = self.lexicon.noun(kind) if kind else self.lexicon.noun(refusal.binder_name)
        none = self.phrases.language.none(noun)
        if isinstance(refusal.source, str):
            own = self.lexicon.refused(refusal.source)
            return own or self.fill("refused_none", none=none)
        if refusal.source < 0:
            return self.fill("refused_none", none=none)
        return self.fill("refused_none_in", none=none, zone=self.phrases.zone(layout, refusal.source, reader))

    # ---- why a guard fails

    def _causes(self, layout: Layout, refusal: Refusal, reader: Reader) -> str:
        """Return the causes in words, those that can be said."""
        texts = [self._cause(layout, cause, reader) for cause in refusal.causes]
        return self.lexicon.joined(list(dict.fromkeys(filter(None, texts))), "or")

    def _cause(self, layout: Layout, cause: Cause, reader: Reader) -> str:
        """Return one cause of a refusal in words: by the ruleset's own text, else by what it compares."""
        for call in reversed(cause.calls):
            bindings = {name: (type_, value) for name, type_, value in call.arguments}
            if call.expected and (own := self._own(layout, bindings, reader, call.name)):
                return own
        if cause.lacks:
            return self.fill("refused_lacks", goods=self._lacking(layout, cause.resource, cause.lacks))
        if cause.left is not None:
            return self._compared(layout, cause, cause.left, reader)
        for call in reversed(cause.calls):
            if call.expected and (sentence := self.lexicon.sentence(call.name)):
                bindings = {name: (type_, value) for name, type_, value in call.arguments}
                if text := self.phrases.sentence(layout, sentence, bindings):
                    return self.fill("refused_unless", sentence=text)
        return ""

    def _own(self, layout: Layout, bindings: Bindings, reader: Reader, *names: str) -> str:
        """Return what the ruleset itself says is missing."""
        own = self.lexicon.refused(*names)
        return self.phrases.sentence(layout, own, bindings, reader=reader) if own else ""

    def _compared(self, layout: Layout, cause: Cause, left: Side, reader: Reader) -> str:
        """Say that two sides do not compare as they should."""
        name = self._side(layout, left, reader)
        if left.sort == "size" and cause.right is not None and cause.right.value == 0:
            return self.fill("cause_empty" if says_some(cause.op, 0) else "cause_full", zone=name)
        if cause.op == "is" or left.sort == "mark" or (left.sort == "variable" and self._is_mark(layout, left)):
            return name if left.value else self.fill("cause_not", name=name)
        right = cause.right
        if right is None:
            return ""
        if left.sort == "name" and left.value == 0 == right.value and says_some(cause.op, 0):
            return self.phrases.language.none(self.lexicon.noun(left.name))
        bound = self.phrases.value(layout, right.type, right.value, reader)
        if right.sort != "value":
            bound = self.fill("cause_bound", bound=bound, name=self._side(layout, right, reader))
        value = self.phrases.value(layout, left.type, left.value, reader)
        return self.fill(f"cause_{cause.op}", name=name, value=value, bound=bound)

    def _is_mark(self, layout: Layout, side: Side) -> bool:
        return layout.program.variables[side.number].mark

    def _side(self, layout: Layout, side: Side, reader: Reader) -> str:
        """Return what a side of a comparison is called."""
        if side.sort == "variable" and (side.type == "bool" or self._is_mark(layout, side)):
            return self.phrases.flag(layout, side.number, side.place)
        if side.sort == "variable":
            return self.phrases.variable(layout, side.number, side.place, reader)
        if side.sort == "size":
            return self.phrases.zone(layout, side.number, reader)
        if side.sort == "goods":
            return self.lexicon.name(enum_names(layout, side.name)[side.number], 2)
        return self.lexicon.label(side.name)

    def _limit(self, scope: str, done: int) -> str:
        times = self.fill("times" if done > 1 else "once", count=done)
        return self.fill("refused_limit", times=times, scope=self.fill(f"this_{scope}"))

    def _fact(self, layout: Layout, fact: FailedPart, reader: Reader) -> str:
        """Word one value that a failed guard read."""
        if fact.says == "presence":
            return self.fill("fact_absent" if fact.value else "fact_present", text=fact.text)
        if fact.says == "size":
            return self.fill("fact_size" if fact.value else "fact_empty", text=fact.text, count=fact.value)
        return self.fill("fact", text=fact.text, value=self.phrases.value(layout, fact.type, fact.value, reader))

    def _lacking(self, layout: Layout, resource: str, lacks: Sequence[Lack]) -> str:
        """Word the resources that a payment lacks: of each part its number and the kinds that would do."""
        names = enum_names(layout, resource)
        parts = []
        for count, mask in lacks:
            first, *others = [name for kind, name in enumerate(names) if mask >> kind & 1]
            alternatives = [self.lexicon.counted(count, first), *(self.lexicon.name(name, count) for name in others)]
            parts.append(self.lexicon.joined(alternatives, "or"))
        return self.lexicon.joined(parts)
