"""What is asked, what may be answered, and what chance may bring, in words.

Enters: decisions, their options, chance nodes of a program. Leaves: prompts, and texts that tell the options of a
decision apart. A ruleset's own sentence for an option comes before the engine's template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from rulelang.ir.nodes import Binder, Chance, Decision, Expr, Item
from rulelang.ir.walk import index, operands
from rulelang.languages import Noun
from rulelang.ruleset.model import Word
from rulelang.ruleset.sentences import THE, fields, parse_sentence
from rulelang.runtime import views
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, Layout, members
from rulelang.runtime.names import cell_of_piece
from rulelang.runtime.sight import place_of
from rulelang.runtime.state import State
from rulelang.runtime.waiting import LongOptions, Option
from rulelang.vocabulary.operations import GIVING
from rulelang.vocabulary.types import Type
from rulelang.words.phrases import Bindings, Phrases, Reader

TIMINGS = ("reacts_instead", "reacts_before", "reacts_after")
"""Templates in the order of the rounds of reactions, whose number ends the name of the local `reactionN`."""
NOTHING_ELSE: Mapping[str, str] = MappingProxyType({})
KINDS = {"seat": "player", "int": "number", "cell": "cell", "dir": "direction", "zone": "choice"}


def is_question(decision: Decision) -> bool:
    """Return whether a decision is a choice of a value, not a menu of things to do."""
    only = decision.items[0]
    return len(decision.items) == 1 and len(only.binders) == 1 and only.name in ("", decision.rule)


def asked_by_engine(layout: Layout, decision: Decision) -> str:
    """Return what the engine itself asks: `pay`, `keep`, `take`, `move_goods`, `react`, `trade`; empty if the author
    asks.

    Where no limit is for all goods together, what was there stays, and the question is only what to take.
    """
    if decision.ask != "engine":
        return ""
    if not is_question(decision):
        return "trade"
    binder = decision.items[0].binders[0]
    if template := {"payment": "pay", "reaction": "react"}.get(binder.type.core.kind):
        return template
    parts = [*_definitions(layout, decision, binder.args[0])]
    if any(part.op == "sub_bags" for part in parts):
        return "move_goods"
    totals = [part.args[2] for part in parts if part.op == "placements"]
    return "keep" if any(not isinstance(t, Expr) or t.op != "const" or t.args[0] != -1 for t in totals) else "take"


def is_reaction(decision: Decision) -> bool:
    """Return whether a decision is which of its pieces' reactions a seat wants, or which comes first."""
    return any(binder.type.core == "reaction" for binder in decision.items[0].binders)


def keeps_all(state: State, decision: Decision, options: Sequence[Option]) -> bool:
    """Return whether of what a bag held before all is left by each answer to what is kept."""
    layout, (_, _, values, _) = state.layout, state.frames[-1]
    if asked_by_engine(layout, decision) != "keep":
        return False
    for part in _definitions(layout, decision, decision.items[0].binders[0].args[0]):
        if part.op == "placements":
            present = operands(part)[0]
            if present.op != "var" or any(node.op not in ("const", "local") for node in operands(present)):
                return False
            at = [index(node) if node.op == "const" else values[index(node)] for node in operands(present)]
            number = index(present)
            start = layout.var_base[number] + sum(map(int.__mul__, at, layout.var_strides[number]))
            held = state.v[start : start + layout.var_width[number]]
            return all(all(map(int.__ge__, chosen.values[0], held)) for chosen in options)
    return False


@dataclass(frozen=True)
class Apart:
    """What tells pieces apart that are called the same.

    Attributes:
        places: whether it is said where they lie, and from which purse is paid.
        variables: which of their variables and marks are told.
    """

    state: State
    places: bool
    variables: tuple[int, ...] = ()


class Questions:
    """Prompts and options of one ruleset in one language."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.lexicon = phrases.lexicon
        self.fill = phrases.fill

    # ---- what is asked

    def prompt(
        self, layout: Layout, decision: Decision, bindings: Bindings, reader: Reader = None, keeps: bool = False
    ) -> str:
        """Return what a decision asks, without the seat.

        Args:
            bindings: the arguments of the rule that asks. keeps: see `keeps_all`.
        """
        word = self.lexicon.word(decision.rule)
        rule = self.lexicon.name(decision.rule)
        if is_reaction(decision):
            rule = self._event(layout, decision, bindings, reader)
        elif word is not None and word.prompt:
            rule = self.phrases.sentence(layout, word.prompt, bindings, reader=reader) or rule
        if engine := asked_by_engine(layout, decision):
            return self.fill("take" if keeps else engine, rule=rule)
        if is_reaction(decision):
            return self.fill("may_react", rule=rule)
        if is_question(decision):
            binder = decision.items[0].binders[0]
            if binder.kind == "grouping":
                return self.fill("group", rule=rule, pieces=self.lexicon.the(binder.type.core.name, 2))
            return self.fill("one", rule=rule, what=self._what(layout, decision))
        return self.fill("many", rule=rule)

    def _event(self, layout: Layout, decision: Decision, bindings: Bindings, reader: Reader) -> str:
        """Return what is reacted to: the event's own sentence, which begins in the third person, else with its
        arguments."""
        rule, own = decision.rule, self.lexicon.sentence(decision.rule) or ""
        field_texts = self.phrases.by_field(layout, bindings, None, reader)
        if lead := own.startswith("{") and parse_sentence(own)[0].field:
            others = self.phrases.by_field(layout, bindings)
            field_texts |= {field: others[f"{lead}:{THE}"] for field in (lead, f"{lead}:{THE}") if field in field_texts}
        if text := self.phrases.sentence(layout, own, bindings, field_texts):
            return text
        parts = [
            self._argument(self.lexicon.noun(f"{rule}.{name}", name), field_texts[name])
            for name in bindings
            if name != "you"
        ]
        name = self.lexicon.name(rule)
        return self.fill("argued", item=name, arguments=", ".join(parts)) if parts else name

    def _argument(self, name: Noun, text: str) -> str:
        """Return an argument after its name, which is left out before one that is not seen: `a card`."""
        return text if text == self.phrases.language.a(name) else self.fill("argument", name=name.one, value=text)

    def _what(self, layout: Layout, decision: Decision) -> str:
        """Return what is chosen: by the name that the author gave it, or `a card`, `cards`."""
        binder = decision.items[0].binders[0]
        word = self._word(decision, decision.items[0], binder)
        if binder.name != "choice" or (word is not None and (word.one or word.many)):
            return self._noun(decision, decision.items[0], binder).one
        sort, name = binder.type.core.kind, binder.type.core.name
        noun = self.lexicon.noun(name) if name and sort != "cell" else self.lexicon.engine(KINDS.get(sort, "goods"))
        return noun.many if binder.kind == "some" and not _at_most_one(binder) else self.phrases.language.a(noun)

    def _names(self, decision: Decision, item: Item, binder: Binder) -> tuple[str, ...]:
        """Return the names under which a ruleset may have words for what is chosen, the most exact first."""
        of_item = f"{item.name}.{binder.name}"
        own = () if is_question(decision) else (f"{decision.rule}.{of_item}", of_item)
        return (*own, f"{decision.rule}.{binder.name}", binder.name)

    def _word(self, decision: Decision, item: Item, binder: Binder) -> Word | None:
        return self.lexicon.word(*self._names(decision, item, binder))

    def _noun(self, decision: Decision, item: Item, binder: Binder) -> Noun:
        return self.lexicon.noun(*self._names(decision, item, binder))

    # ---- what may be answered

    def options(
        self, state: State, decision: Decision, options: Sequence[Option], ids: Sequence[str], reader: Reader
    ) -> Sequence[str]:
        """Return the options of one decision, all different; of many each as it is looked at, where none can clash.

        Those that would read the same say where their pieces lie and which purse pays, then what their pieces carry;
        those that still do are numbered in the order of their ids. Where all pieces lie with others, it is said where.
        """
        layout = state.layout
        if asked_by_engine(layout, decision) == "take" or keeps_all(state, decision, options):
            return self._differing_bags(layout, decision, [chosen.values[0] for chosen in options])
        about = self.about(state, decision, reader)

        def option_text(number: int, apart: Apart | None) -> str:
            apart = apart or Apart(state, False)
            return self.option(layout, decision, options[number].item, options[number].values, reader, apart, about)

        if isinstance(options, LongOptions) and self._is_told_by_members(
            decision,
            options,
            lambda members: self.option(layout, decision, 0, (members,), reader, Apart(state, False), about),
        ):
            return _LongTexts(lambda number: option_text(number, None), len(options))
        abroad = self._asks_for_location(state, decision, options, reader)
        texts = [option_text(number, Apart(state, True) if abroad else None) for number in range(len(options))]
        placed = [abroad] * len(texts)
        for places in (False, True):  # first from which purse is paid, then also where pieces lie
            for clash in _clashes(texts):
                others = [option_text(number, Apart(state, places)) for number in clash]
                if len(set(others)) > 1:
                    for number, text in zip(clash, others, strict=True):
                        texts[number], placed[number] = text, places
        for clash in _clashes(texts):
            differing = self._differing(state, decision, [options[number] for number in clash])
            for number in clash if differing else ():
                texts[number] = option_text(number, Apart(state, placed[number], differing))
        for clash in _clashes(texts):
            for rank, number in enumerate(sorted(clash, key=lambda number: ids[number]), 1):
                texts[number] = self.fill("numbered", text=texts[number], number=rank)
        return texts

    def _is_told_by_members(
        self, decision: Decision, options: LongOptions, text_of: Callable[[tuple[Any, ...]], str]
    ) -> bool:
        """Return whether the options are collections whose texts list what each class of members reads alone:
        no two read the same.

        Args:
            text_of: returns the option of these members in words.
        """
        families = options.families or []
        if len(families) != 1 or decision.ask in ("engine", "anyway") or not is_question(decision):
            return False
        type_ = decision.items[0].binders[0].type
        if type_.kind != "set" or type_.inner.kind == "set" or self.sentence(decision, 0) is not None:
            return False
        (classes,) = families[0].binders
        alone = [text_of(tuple(members[:count])) for members in classes for count in range(1, len(members) + 1)]
        breaks = self.lexicon.joined(["|", "|", "|"]).split("|")[1:-1]
        if len({*alone, text_of(())}) <= len(alone) or any(mark in text for text in alone for mark in breaks):
            return False
        one_of_each = tuple([members[0] for members in classes])
        return text_of(one_of_each) == self.lexicon.joined([text_of((member,)) for member in one_of_each])

    def _asks_for_location(self, state: State, decision: Decision, options: Sequence[Option], reader: Reader) -> bool:
        """Return whether a question is about single pieces, nobody's own, that all lie in places of others than the
        reader."""
        layout = state.layout
        if reader is None or not is_question(decision):
            return False
        type_ = decision.items[0].binders[0].type.core
        for option in options:
            piece = next(iter(option.values), None) if type_.kind == "piece" else None
            if not isinstance(piece, int) or piece < 0 or layout.item_seat[piece & ITEM_MASK] >= 0:
                return False
            zone = place_of(layout, state.where, piece)
            if zone < 0:
                return False
            index = layout.program.zones[layout.inst_zone[zone]].index
            if "seat" not in index or layout.inst_index[zone][index.index("seat")] == reader:
                return False
        return True

    def _differing(self, state: State, decision: Decision, options: Sequence[Option]) -> tuple[int, ...]:
        """Return the variables and marks in which the pieces of these options differ, bags aside."""
        layout, differing = state.layout, []
        for number, table in enumerate(layout.program.piece_variables):
            kind = f"piece:{layout.program.kinds[layout.pvar_kind[number]].name}"
            values = {
                state.v[layout.pvar_cell(number, value & ITEM_MASK)]
                for option in options
                for binder, value in decision.bound(option.item, option.values)
                if binder.type.core == kind and isinstance(value, int) and value >= 0
            }
            if len(values) > 1 and table.type.kind != "bag":
                differing.append(number)
        return tuple(differing)

    def _differing_bags(self, layout: Layout, decision: Decision, bags: Sequence[Sequence[int]]) -> list[str]:
        """Return what may be taken, each without what all of them have: what was there before, and what comes
        anyway."""
        resource = decision.items[0].binders[0].type.name
        common = [min(counts) for counts in zip(*bags, strict=True)]
        taken = [[count - shared for count, shared in zip(bag, common, strict=True)] for bag in bags]
        return [self.fill("taking", goods=self.phrases.bag(layout, resource, bag)) for bag in taken]

    def option(
        self,
        layout: Layout,
        decision: Decision,
        item: int,
        values: Sequence[Any],
        reader: Reader = None,
        apart: Apart | None = None,
        about: Mapping[str, str] = NOTHING_ELSE,
    ) -> str:
        """Return an option of a decision; of one that is refused the values may be incomplete.

        Args:
            reader: the seat that reads it. apart: given, what is told of pieces and payments besides.
            about: the pieces that the rule was given, as `about` finds them; where they are not known, a sentence that
                names one is not used.
        """
        if decision.passes(item, values):
            return self.lexicon.engine("pass").one
        menu_item = decision.items[item]
        texts = {
            binder.name: self.value(layout, decision, item, number, value, reader, apart)
            for number, (binder, value) in enumerate(decision.bound(item, values))
        }
        bindings = {binder.name: (binder.type, value) for binder, value in decision.bound(item, values)}
        own = self.sentence(decision, item)
        field_texts = {**about, **self.phrases.by_field(layout, bindings, texts, reader)}
        complete = len(texts) == len(menu_item.binders)
        text = self.phrases.sentence(layout, own or "", bindings, field_texts) if complete else ""
        if own is not None and text:
            unsaid = [] if is_question(decision) or "pay" in fields(own) else self._payments(menu_item, texts)
            return self.fill("argued", item=text, arguments=unsaid[0]) if unsaid else text
        return self._by_heading(layout, decision, menu_item, values, texts, own)

    def _by_heading(
        self,
        layout: Layout,
        decision: Decision,
        menu_item: Item,
        values: Sequence[Any],
        texts: dict[str, str],
        own: str | None,
    ) -> str:
        """Return an option that no sentence of the ruleset says: its heading, then its values (`texts`).

        Args:
            own: the ruleset's sentence, where it can't be used because values that it names are not chosen yet.
        """
        reacts = "react" if texts and any(binder.type.core == "reaction" for binder in menu_item.binders) else ""
        if engine := asked_by_engine(layout, decision) or reacts:
            return self._of_engine(layout, decision, menu_item, values, texts, engine)
        if is_question(decision):
            # Refused without a value: only what it would be is known.
            return next(iter(texts.values()), "") or self._noun(decision, menu_item, menu_item.binders[0]).one
        name = self.lexicon.heading(f"{decision.rule}.{menu_item.name}", menu_item.name or decision.rule)
        if not texts:
            return self.fill("item", item=name)
        if len(menu_item.binders) == 1 and not self._payments(menu_item, texts):
            return self.fill("single", item=name, value=next(iter(texts.values())))
        if own is not None:  # refused before all was chosen that its sentence names
            named = {field.partition(":")[0] for field in fields(own)}
            known = [text for field, text in texts.items() if field in named]
            return self.fill("argued", item=name, arguments=", ".join(known)) if known else name
        parts = [
            self._argument(self._noun(decision, menu_item, binder), texts[binder.name])
            for binder in menu_item.binders
            if binder.name in texts and binder.type.kind != "payment"
        ]
        return self.fill("argued", item=name, arguments=", ".join([*parts, *self._payments(menu_item, texts)]))

    def _payments(self, menu_item: Item, texts: Mapping[str, str]) -> list[str]:
        """Return what is paid for an option."""
        paid = [binder.name for binder in menu_item.binders if binder.type.kind == "payment" and binder.name in texts]
        return [self.fill("paying", goods=texts[name]) for name in paid]

    def sentence(self, decision: Decision, item: int) -> str | None:
        """Return the ruleset's own sentence for an option; of a reaction that which names it, another one is its
        event's."""
        menu_item = decision.items[item]
        own = self.lexicon.sentence(*self.names(decision, menu_item))
        names = {binder.name for binder in menu_item.binders if binder.type.core == "reaction"}
        return own if own is None or not names or names & {field.partition(":")[0] for field in fields(own)} else None

    def names(self, decision: Decision, item: Item) -> tuple[str, ...]:
        """Return the names under which a ruleset may have a sentence for an option, the most exact first."""
        if is_question(decision):
            return self._names(decision, item, item.binders[0])
        return f"{decision.rule}.{item.name}", item.name

    def about(self, state: State, decision: Decision, reader: Reader) -> dict[str, str]:
        """Return the pieces that the rule which asks was given, by the names of its parameters: each in words, or only
        as one of its kind where the reader does not see it. Of an event that is reacted to, all arguments."""
        bindings = views.question_arguments(state, decision, reader)
        if is_reaction(decision):
            return self.phrases.by_field(state.layout, bindings, None, reader)
        return self._about(state.layout, {name: of for name, of in bindings.items() if of[0].kind == "piece"}, reader)

    def subjects(self, layout: Layout, decision: int, pieces: Sequence[int | None], reader: Reader) -> dict[str, str]:
        """Return the same for the pieces that a decision is about, None for one that is not seen."""
        procedure = layout.program.procedures[layout.program.decisions[decision].procedure]
        slots = zip(layout.subjects[decision], pieces, strict=True)
        bindings = {procedure.local_names[slot]: (procedure.locals[slot], piece) for slot, piece in slots}
        return self._about(layout, bindings, reader)

    def _about(self, layout: Layout, pieces: Bindings, reader: Reader) -> dict[str, str]:
        present = {name: (type_, piece) for name, (type_, piece) in pieces.items() if piece is None or piece >= 0}
        return self.phrases.by_field(layout, present, None, reader)

    def _of_engine(
        self,
        layout: Layout,
        decision: Decision,
        menu_item: Item,
        values: Sequence[Any],
        texts: dict[str, str],
        engine: str,
    ) -> str:
        """Return an option of a decision that the engine itself asks."""
        if engine == "trade":
            name = self.lexicon.heading(f"{decision.rule}.{menu_item.name}", menu_item.name)
            if len(texts) < 2:
                return name
            pay, gain = texts.values()
            return self.fill("trading", item=name, pay=pay, gain=gain)
        if not texts:
            return self.lexicon.name(decision.rule)
        (text,) = texts.values()
        if engine == "react":
            piece = (values[0] & REACTION_MASK) - 1 if values[0] is not None else -1
            text = self.phrases.the_piece(layout, piece & ITEM_MASK) if piece >= 0 else text
            local = layout.program.procedures[decision.procedure].local_names[menu_item.binders[0].slot]
            return self.fill(TIMINGS[int(local[-1])], piece=text, event=self.lexicon.name(decision.rule))
        return self.fill({"pay": "paying", "move_goods": "moving"}.get(engine, "keeping"), goods=text)

    def value(
        self,
        layout: Layout,
        decision: Decision,
        item: int,
        number: int,
        value: Any,
        reader: Reader = None,
        apart: Apart | None = None,
    ) -> str:
        """Return the value of one binder of an option."""
        binder = decision.items[item].binders[number]
        type_ = binder.type
        if apart is None or value is None or (type_.kind == "payment" and not apart.places):
            return self.phrases.value(layout, type_, value, reader)
        if type_.kind == "payment":
            return self._by_purse(layout, decision, binder, type_, value)
        if type_.core.kind == "piece":
            return self._with_locations(apart, type_, value, reader)
        return self.phrases.value(layout, type_, value, reader)

    def _with_locations(self, apart: Apart, type_: Type, value: Any, reader: Reader) -> str:
        """Return pieces in words, each group of alike ones with the place where it lies; a single one with what it
        carries."""
        state, layout = apart.state, apart.state.layout
        if not isinstance(value, (tuple, list)):
            piece = self.phrases.piece(layout, value & ITEM_MASK, 1, reader)
            carried = [self._carried(state, number, value & ITEM_MASK, reader) for number in apart.variables]
            if any(carried):
                piece = self.fill("carrying", piece=piece, carried=", ".join(filter(None, carried)))
            return self._with_location(apart, piece, value, reader)
        if type_.kind == type_.inner.kind == "set":
            return ", ".join(self.phrases.group(layout, type_.inner, part, reader) for part in value)
        groups: dict[int | str, list[int]] = {}
        for piece in value:
            zone = place_of(layout, state.where, piece)
            groups.setdefault(zone if apart.places else cell_of_piece(layout, piece, zone), []).append(piece)
        parts = []
        for pieces in groups.values():
            text = self.phrases.value(layout, type_, pieces, reader)
            parts.append(self._with_location(apart, text, pieces[0], reader))
        return self.lexicon.joined(parts) or self.phrases.templates["nothing"]

    def _with_location(self, apart: Apart, text: str, piece: int, reader: Reader) -> str:
        """Return a piece with the cell of the board on which it stands, or with its zone where that is told."""
        layout = apart.state.layout
        zone = place_of(layout, apart.state.where, piece)
        if cell := cell_of_piece(layout, piece, zone):
            return self.fill("standing", piece=text, cell=self.lexicon.name(cell))
        placed = apart.places and zone >= 0
        return self.fill("placed", piece=text, zone=self.phrases.zone(layout, zone, reader)) if placed else text

    def _carried(self, state: State, number: int, item: int, reader: Reader) -> str:
        """Return a variable of a piece with its value; a mark that is set; nothing for one that isn't."""
        layout = state.layout
        table, value = layout.program.piece_variables[number], state.v[layout.pvar_cell(number, item)]
        if layout.program.kinds[layout.item_kind[item]].name != layout.program.kinds[layout.pvar_kind[number]].name:
            return ""
        name = self.lexicon.noun(f"{layout.program.kinds[layout.item_kind[item]].name}.{table.name}", table.name)
        if table.mark:
            return self.lexicon.agreeing(name, self.phrases.piece_noun(layout, item)) if value else ""
        return f"{name.one} {self.phrases.value(layout, table.type, value, reader)}"

    def _by_purse(self, layout: Layout, decision: Decision, binder: Binder, type_: Type, counts: Sequence[int]) -> str:
        """Return a payment with the purse that each part comes from."""
        resource = type_.name
        size = layout.size(Type(f"enum:{resource}"))
        purses = [counts[start : start + size] for start in range(0, len(counts), size)]
        names = self._purses(layout, decision, binder, len(purses))
        parts = [
            self.fill(
                "from_purse", goods=self.phrases.bag(layout, resource, purse), purse=self.phrases.language.from_(name)
            )
            for name, purse in zip(names, purses, strict=True)
            if any(purse)
        ]
        return self.lexicon.joined(parts) or self.phrases.templates["nothing"]

    def _purses(self, layout: Layout, decision: Decision, binder: Binder, count: int) -> list[str]:
        """Return what the purses of a payment are called: by their variables where these are named, else by number."""
        parts = _definitions(layout, decision, binder.args[0])
        numbers = [index(part) for part in parts if part.op == "purse"]
        names = [layout.program.variables[number].name for number in numbers]
        if len(names) == count == len(set(names)):
            return [self.lexicon.the(name) for name in names]
        purse = self.lexicon.engine("purse")
        return [self.phrases.language.the(self.phrases.language.numbered(purse, n)) for n in range(1, count + 1)]

    # ---- what chance may bring

    def outcome(self, layout: Layout, chance: Chance, value: Any) -> str:
        """Return an outcome of chance."""
        rule = layout.program.sites[chance.site].rule
        if chance.kind in GIVING:
            text = self.phrases.value(layout, chance.drawn, value)
        else:
            kinds = [layout.program.kinds[layout.item_kind[item]].name for item in members(value)]
            named = Type(f"piece:{kinds[0]}")
            text = self.phrases.value(layout, Type(f"set<{named}>") if isinstance(value, tuple) else named, value)
        name = self.lexicon.name_of(f"{rule}.{chance.name}", chance.name)
        return self.fill("outcome", rule=self.lexicon.name(rule), name=name, value=text)


class _LongTexts(Sequence[str]):
    """Texts, each made when it is looked at."""

    def __init__(self, text: Callable[[int], str], size: int) -> None:
        self._text, self._size = text, size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._text(number) for number in range(*index.indices(self._size))]
        return self._text(index)


def _at_most_one(binder: Binder) -> bool:
    """Return whether a choice of some is surely of one: its upper bound is 1, cut to what is there."""
    high = binder.args[2]
    return any(part.op == "const" and part.args[0] == 1 for part in (high, *high.args) if isinstance(part, Expr))


def _clashes(texts: Sequence[str]) -> list[list[int]]:
    """Return the numbers of texts that are the same, group by group."""
    places: dict[str, list[int]] = {}
    for number, text in enumerate(texts):
        places.setdefault(text, []).append(number)
    return [numbers for numbers in places.values() if len(numbers) > 1]


def _definitions(layout: Layout, decision: Decision, expr: Expr) -> list[Expr]:
    """Return an expression and all under it, in order, with what its locals were set to."""
    blocks = layout.program.procedures[decision.procedure].blocks
    read: set[int] = set()

    def below(node: Expr) -> list[Expr]:
        """Return a node and all under it; after a local's first read follow the values that are assigned to it."""
        expressions = [node]
        slot = node.args[0] if node.op == "local" else None
        if isinstance(slot, int) and slot not in read:
            read.add(slot)
            for block in blocks:
                for statement in block.statements:
                    value = statement.args[-1]
                    if statement.op == "set" and statement.args[0] == slot and isinstance(value, Expr):
                        expressions += below(value)
        for child in node.args:
            if isinstance(child, Expr):
                expressions += below(child)
        return expressions

    return below(expr)
