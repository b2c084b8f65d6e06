"""What happened, in words.

Enters: entries of the log, redacted or not, and the seat that reads (or None). Leaves: one sentence each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from rulelang.runtime.layout import ITEM_MASK, Layout
from rulelang.runtime.log import Entry
from rulelang.runtime.names import enum_names
from rulelang.runtime.sight import bag_type, drawn_type
from rulelang.runtime.state import DECLARED, SCORED
from rulelang.vocabulary.operations import TOLD
from rulelang.vocabulary.types import Type
from rulelang.words.phrases import Phrases, Reader, capital
from rulelang.words.questions import Questions, asked_by_engine, is_question

MEMOISED = 1 << 13
"""So many sentences of one ruleset and language are memoised: some 4 MB."""


class Events:
    """Sentences of the log of one ruleset in one language."""

    def __init__(self, phrases: Phrases, questions: Questions) -> None:
        self.phrases = phrases
        self.questions = questions
        self.language = phrases.language
        self.fill = phrases.fill
        self._sentence = lru_cache(MEMOISED)(self._tell)
        self._tellers: dict[str, Callable[[Layout, Entry, Reader], str]] = {
            "choice": self._choice,
            "commit": lambda layout, entry, reader: self._of_seat("commit", layout, entry[2], reader),
            "chance": self._chance,
            "move": self._move,
            "moves": self._moves,
            "given": self._given,
            "set": self._set,
            "pset": self._pset,
            "bag": self._bag,
            "size": self._size,
            "goods": self._goods,
            "shuffle": lambda layout, entry, reader: self.fill("shuffle", zone=phrases.zone(layout, entry[2], reader)),
            "reveal": self._reveal,
            "begin": self._begin,
            "eliminate": lambda layout, entry, reader: self._of_seat("eliminate", layout, entry[2], reader),
            "end": self._end,
        }

    def sentence(self, layout: Layout, entry: Entry, reader: Reader = None) -> str:
        """Return an entry of the log as a sentence for the seat that reads, or for someone who plays no seat;
        memoised."""
        return self._sentence(layout, entry, reader)

    def _tell(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        return capital(self._tellers[entry[0]](layout, entry, reader))

    def _of_seat(self, template: str, layout: Layout, seat: int, reader: Reader, **fields: str) -> str:
        """Return a sentence of what a seat does: the reader in the second person."""
        if seat == reader:
            return self.fill(f"{template}_you", **fields)
        return self.fill(template, seat=self.phrases.the_seat(layout, seat), **fields)

    # ---- choices and chance

    def _choice(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return a sentence for what a seat chose."""
        _, _, seat, number, item, values, *subjects = entry
        decision = layout.program.decisions[number]
        if decision.passes(item, values):
            return self._of_seat("passed", layout, seat, reader)
        about = self.questions.subjects(layout, number, subjects[0], reader) if subjects else {}
        option = self.questions.option(layout, decision, item, values, reader, about=about)
        if self.questions.sentence(decision, item) is not None or not is_question(decision):
            return self.fill("did", seat=self.phrases.seat(layout, seat, reader), option=option)
        engine = asked_by_engine(layout, decision)
        if engine in ("take", "move_goods"):  # what it was shows in what changes
            return self._of_seat("commit", layout, seat, reader)
        if engine == "react":
            return self.fill("reacted", option=option)
        if engine in ("pay", "keep"):
            goods = self.questions.value(layout, decision, item, 0, values[0], reader)
            return self._of_seat("paid" if engine == "pay" else "kept", layout, seat, reader, goods=goods)
        if is_question(decision) and decision.items[item].binders[0].kind == "grouping":
            return self._of_seat("grouped", layout, seat, reader, groups=option)
        if values == ((),):
            return self._of_seat("chose_nothing", layout, seat, reader)
        if is_question(decision):
            option = self._with_article(layout, decision.items[item].binders[0].type, values[0], reader) or option
        return self._of_seat("chose", layout, seat, reader, option=option)

    def _with_article(self, layout: Layout, type_: Type, value: Any, reader: Reader) -> str:
        """Return one piece or one seat as it stands in a sentence; empty for anything else."""
        if not isinstance(value, int) or value < 0:
            return ""
        if type_.core.kind == "piece":
            return self.phrases.the_piece(layout, value & ITEM_MASK, reader)
        return self.phrases.the_seat(layout, value, reader) if type_.core == "seat" else ""

    def _chance(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word an outcome of chance: of a draw the piece, else the value."""
        _, _, kind, value, *_ = entry
        if kind not in TOLD:
            return self.fill("chance", value=self.phrases.the_piece(layout, value, reader))
        type_ = drawn_type(layout, entry)
        if type_.core.kind == "piece" and isinstance(value, int) and value >= 0:
            return self.fill("chance", value=self.phrases.the_piece(layout, value & ITEM_MASK, reader))
        return self.fill("chance", value=self.phrases.value(layout, type_, value, reader))

    # ---- what changes

    def _move(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return a sentence for pieces that moved."""
        _, _, origin, target, items, _, *rest = entry
        kind = layout.program.kinds[layout.inst_kind[origin if origin >= 0 else target]].name
        seen = [None if item is None or item < 0 else item for item in items]
        somewhere = self.phrases.templates["somewhere"]
        places = [self.phrases.zone(layout, zone, reader) if zone >= 0 else somewhere for zone in (origin, target)]
        text = capital(
            self.fill(
                "move_many" if self.language.is_many(len(items)) else "move",
                pieces=self.phrases.the_pieces(layout, seen, kind, reader),
                origin=self.language.from_(places[0]),
                target=self.language.to(places[1]),
            )
        )
        if rest and rest[0] is not None:
            piece = self.phrases.the_piece(layout, rest[0], reader)
            text = self.fill("shows", sentence=text, piece=piece)
        return text

    def _moves(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return a sentence for pieces that moved out of several places of one zone to those of another."""
        moves = entry[2]
        kind = layout.program.kinds[layout.inst_kind[moves[0][2]]].name
        items = [None if item is None or item < 0 else item for move in moves for item in move[4]]
        ends = [{move[end] for move in moves} for end in (2, 3)]
        origin, target = (self.phrases.zones(layout, sorted(zones), reader) for zones in ends)
        return self.fill(
            "move_many",
            pieces=self.phrases.the_pieces(layout, items, kind, reader),
            origin=self.language.from_(origin),
            target=self.language.to(target),
        )

    def _given(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word what lies in a zone at the start of a given position."""
        _, _, zone, contents = entry
        kind = layout.program.kinds[layout.inst_kind[zone]].name
        seen = [None if item is None or item < 0 else item for item in contents]
        pieces = self.phrases.the_pieces(layout, seen, kind, reader)
        return self.fill("given", zone=self.phrases.zone(layout, zone, reader), pieces=pieces)

    def _set(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word the write of a variable: of a mark or truth that it holds or not, else its change."""
        _, _, number, cell, old, new = entry
        table = layout.program.variables[number]
        place, part = divmod(cell - layout.var_base[number], layout.var_width[number])
        variable = self.phrases.variable(layout, number, place, reader)
        if table.mark or table.type == "bool":
            return self._marked(variable, new)
        return self._change(layout, table.type, variable, ((part, old, new),), reader)

    def _bag(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return the changes of a bag's amounts in one sentence."""
        _, _, event, number, cell, parts = entry
        if event == "set":
            table = layout.program.variables[number]
            place = (cell - layout.var_base[number]) // layout.var_width[number]
            variable, type_ = self.phrases.variable(layout, number, place, reader), table.type
        else:
            variable, type_ = (
                self._carried_variable(layout, number, cell, reader),
                layout.program.piece_variables[number].type,
            )
        return self._change(layout, type_, variable, parts, reader)

    def _size(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return how many goods more or less there are in a bag that the reader does not see."""
        _, _, _, cell, old, new = entry
        many = self.phrases.lexicon.counted(abs(new - old), bag_type(layout, cell).name)
        purse = self._purse(layout, cell, reader)
        return self.fill("gained", variable=purse, changes=f"{'+' if new > old else '−'}{many}")

    def _goods(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return a sentence for goods that moved, or were paid to nobody."""
        _, _, origin, target, counts, size = entry
        resource = bag_type(layout, origin).name
        template = ("move" if target >= 0 else "spent") + ("_many" if self.language.is_many(size) else "")
        unseen = counts is None
        goods = self.phrases.lexicon.counted(size, resource) if unseen else self.phrases.bag(layout, resource, counts)
        fields = {"pieces": goods, "origin": self.language.from_(self._purse(layout, origin, reader))}
        if target >= 0:
            fields["target"] = self.language.to(self._purse(layout, target, reader))
        return self.fill(template, **fields)

    def _purse(self, layout: Layout, cell: int, reader: Reader) -> str:
        """Return a bag in words, by its first cell."""
        is_piece, number, _ = layout.cell_place[cell]
        if is_piece:
            return self._carried_variable(layout, number, cell, reader)
        place = (cell - layout.var_base[number]) // layout.var_width[number]
        return self.phrases.variable(layout, number, place, reader)

    def _pset(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Return the sentence for a change of a piece's variable or mark."""
        _, _, number, cell, old, new = entry
        item = layout.cell_place[cell][2]
        table = layout.program.piece_variables[number]
        kind = layout.program.kinds[layout.pvar_kind[number]].name
        piece = self.phrases.piece(layout, item, 1, reader)
        name = self.phrases.lexicon.noun(f"{kind}.{table.name}", table.name)
        if table.mark:
            mark = self.phrases.lexicon.agreeing(name, self.phrases.piece_noun(layout, item))
            return self._marked(self.fill("marked_piece", piece=piece, mark=mark), new)
        part = cell - layout.pvar_cell(number, item)
        return self._change(
            layout, table.type, self._carried_variable(layout, number, cell, reader), ((part, old, new),), reader
        )

    def _carried_variable(self, layout: Layout, number: int, cell: int, reader: Reader) -> str:
        """Return a variable of a piece."""
        item, table = layout.cell_place[cell][2], layout.program.piece_variables[number]
        name = self.phrases.lexicon.noun(
            f"{layout.program.kinds[layout.pvar_kind[number]].name}.{table.name}", table.name
        )
        said = self.language.the(name) if table.type.kind == "bag" else name.one
        own = self.language.of(self.phrases.the_piece(layout, item, reader))
        return self.fill("variable_of", variable=said, of_piece=own)

    def _marked(self, what: str, new: Any) -> str:
        """Return a mark that is set, or ends."""
        return self.fill("marked" if new else "unmarked", what=what)

    def _change(
        self, layout: Layout, type_: Type, variable: str, changes: tuple[tuple[int, Any, Any], ...], reader: Reader
    ) -> str:
        """Return how a variable changes: of a bag how much more or less of each resource; of a number what it was,
        too."""
        if type_.kind == "bag":
            names = enum_names(layout, type_.name)
            counted = [(new - old, self.phrases.lexicon.counted(abs(new - old), names[at])) for at, old, new in changes]
            return self.fill(
                "gained", variable=variable, changes=", ".join(f"{'+' if n > 0 else '−'}{text}" for n, text in counted)
            )
        ((_, old, new),) = changes
        if new == type_.absent:
            return self.fill("set_to", variable=variable, new=self.phrases.templates["nothing"])
        new_text = self.phrases.value(layout, type_, new, reader)
        if type_.core != "int" or old == type_.absent:
            return self.fill("set_to", variable=variable, new=new_text)
        return self.fill("set", variable=variable, old=self.phrases.value(layout, type_, old, reader), new=new_text)

    def _reveal(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word what was revealed, and to whom; of yes or no also the rule that asked, a list behind a colon."""
        _, site, type_, value, seats, _ = entry
        if 0 < len(seats) < layout.players:
            readers = [self.language.to(self.phrases.the_seat(layout, seat, reader)) for seat in seats]
            whom = self.phrases.lexicon.joined(readers)
        else:
            whom = self.language.to(self.phrases.templates["all" if seats else "nobody"])
        shown = self.phrases.in_sentence(layout, type_, value, reader)
        if value == type_.absent:
            shown = self.phrases.templates["nothing"]
        if type_ == "bool":  # yes or no says nothing without what it was about
            rule = capital(self.phrases.lexicon.name(layout.program.sites[site].rule))
            return self.fill("reveal_truth", rule=rule, value=shown, seats=whom)
        listed = not type_.scalar or type_.core == "seat" or value == type_.absent
        return self.fill("reveal_listed" if listed else "reveal", value=shown, seats=whom)

    # ---- the course of the game

    def _begin(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word the beginning of a turn, round or phase."""
        _, _, scope, seat = entry
        noun = self.phrases.lexicon.noun(scope)
        text = self.language.the(noun) if seat < 0 else self.phrases.whose(layout, noun, seat, reader)
        return self.fill("begin", scope=text)

    def _end(self, layout: Layout, entry: Entry, reader: Reader) -> str:
        """Word the end of the game: by scores, drawn, or with declared winners."""
        _, _, over, winners = entry
        if over != DECLARED:
            scored = "scored_together" if layout.together else "scored"
            return self.fill(scored if over == SCORED else "drawn")
        won = [party for party in range(layout.parties) if winners >> party & 1]
        if won == [reader]:
            return self.fill("declared_you")
        names = [self.phrases.the_seat(layout, party, reader) for party in won]
        text = self.phrases.lexicon.joined(names) or self.phrases.templates["nobody"]
        many = "declared_many_you" if reader in won else "declared_many"
        return self.fill(many if len(won) > 1 else "declared", winners=text)
