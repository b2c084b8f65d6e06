"""Words for people: one template per construct and language, filled with the ruleset's own words.

Enters: a ruleset's `words`, values with their types. Leaves: texts of options, prompts and outcomes. A name for which
the ruleset has no words in a language is taken in its own spelling, without underscores; a language without templates
falls back to English.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulelang.ir.nodes import Chance, Decision, Item
from rulelang.ruleset.model import Ruleset
from rulelang.runtime.layout import ITEM_MASK, Layout, core, element
from rulelang.runtime.names import enum_names, payment_type, value_text

ENGLISH = {
    "one": "{rule}: choose {what}",
    "many": "{rule}: choose what to do",
    "ask": "Seat {seat}: {question}",
    "item": "{item}",
    "argued": "{item}: {arguments}",
    "argument": "{name} {value}",
    "alone": "{name}: {value}",
    "outcome": "{rule}: {name} {value}",
    "pass": "pass",
    "none": "none",
    "true": "yes",
    "false": "no",
    "seat": "seat {seat}",
    "counted": "{count} {name}",
    "and": ", ",
}

TEMPLATES = {"en": ENGLISH}
"""Language -> construct -> template."""


def plain_words(name: str) -> str:
    """A name as words: `take_turn` is `take turn`."""
    return name.replace("_", " ").strip()


class Words:
    """The words of one ruleset in one language."""

    def __init__(self, ruleset: Ruleset, lang: str) -> None:
        self.templates = TEMPLATES.get(lang, ENGLISH)
        self._names = dict(ruleset.words.get("en", {})) | dict(ruleset.words.get(lang, {}))
        rows = [*((row.id, row.words) for row in ruleset.pieces), *((row.name, row.words) for row in ruleset.options)]
        for name, words in rows:
            text = words.get(lang) or words.get("en")
            if text:
                self._names.setdefault(name, text)
        self.title = ruleset.title.get(lang) or next(iter(ruleset.title.values()), plain_words(ruleset.name))

    def name(self, name: str) -> str:
        """What a declared name is called."""
        return self._names.get(name) or plain_words(name)

    def fill(self, template: str, **fields: object) -> str:
        """A template with its fields."""
        return self.templates[template].format(**fields)

    # ---- values

    def value(self, layout: Layout, type_: str, value: Any) -> str:
        """A run-time value; a collection with how often each member stands in it."""
        if type_.startswith("opt<"):
            return self.templates["none"] if value == -1 else self.value(layout, element(type_), value)
        if type_.startswith("group<"):
            return self.value(layout, f"set<{element(type_)}>", value[1])
        if type_.startswith(("set<", "seats<")):
            counts = Counter(self.value(layout, element(type_), part) for part in value)
            return self._joined(counts)
        sort, _, name = type_.partition(":")
        if sort == "bool":
            return self.templates["true" if value else "false"]
        if sort == "seat":
            return self.seat(layout, value)
        if sort == "piece":
            item = value & ITEM_MASK
            row = layout.program.kinds[layout.item_kind[item]].definitions[layout.item_definition[item]]
            seat = layout.item_seat[item]
            return self.name(row.id) if seat < 0 else f"{self.name(row.id)} ({self.seat(layout, seat)})"
        if sort in ("bag", "payment") and name:
            resources = enum_names(layout, name)
            sums = [sum(value[kind :: len(resources)]) for kind in range(len(resources))]
            return self._joined(dict(zip(map(self.name, resources), sums, strict=True)))
        if sort == "enum" and not layout.program.enums[layout.enum_index[name]].between:
            return self.name(enum_names(layout, name)[value])
        return value_text(layout, type_, value)

    def seat(self, layout: Layout, party: int) -> str:
        """A seat by its number, an automaton by its name."""
        if party < layout.players:
            return self.fill("seat", seat=party)
        return self.name(layout.party_names[party])

    def _joined(self, counts: dict[str, int]) -> str:
        parts = [
            name if count == 1 else self.fill("counted", count=count, name=name)
            for name, count in counts.items()
            if count
        ]
        return self.templates["and"].join(parts) or self.templates["none"]

    # ---- options, questions, outcomes

    def option(self, layout: Layout, decision: Decision, item: int, values: Sequence[Any]) -> str:
        """An option of a decision; of one that is refused the values may be incomplete."""
        if item < 0:
            return self.templates["pass"]
        asked = decision.items[item]
        parts = [
            (self.name(binder.name), self.value(layout, binder_type(layout, decision, asked, number), value))
            for number, (binder, value) in enumerate(zip(asked.binders, values, strict=False))
        ]
        if len(parts) == 1 and is_question(decision):
            return self.fill("alone", name=parts[0][0], value=parts[0][1])
        name = self.name(asked.name or decision.rule)
        if not parts:
            return self.fill("item", item=name)
        arguments = self.templates["and"].join(self.fill("argument", name=n, value=v) for n, v in parts)
        return self.fill("argued", item=name, arguments=arguments)

    def prompt(self, decision: Decision) -> str:
        """What a decision asks."""
        rule = self.name(decision.rule)
        if is_question(decision):
            return self.fill("one", rule=rule, what=self.name(decision.items[0].binders[0].name))
        return self.fill("many", rule=rule)

    def outcome(self, layout: Layout, chance: Chance, value: Any) -> str:
        """An outcome of chance."""
        rule = self.name(layout.program.sites[chance.site].rule)
        if chance.kind == "number":
            text = str(value)
        elif chance.kind == "element":
            text = self.value(layout, element(chance.args[0].type), value)
        else:
            text = self.value(layout, f"piece:{layout.program.kinds[layout.item_kind[value]].name}", value)
        return self.fill("outcome", rule=rule, name=self.name(chance.name), value=text)


def is_question(decision: Decision) -> bool:
    """Whether a decision is one choice of a value, not a menu of several things to do."""
    return len(decision.items) == 1 and len(decision.items[0].binders) == 1


def binder_type(layout: Layout, decision: Decision, item: Item, binder: int) -> str:
    """The type of a binder; of a payment with the resource that is paid."""
    type_ = item.binders[binder].type
    return payment_type(layout, decision, item, binder) if core(type_) == "payment" else type_
