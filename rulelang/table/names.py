"""Texts for the values, pieces and parties of an observation, in a language.

Enters: a state (for its words and parties only), JSON-able values. Leaves: texts without control characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from typing import Any, Protocol

from rulelang.diagnostics import Span
from rulelang.game import Ruleset
from rulelang.game.ruleset import OptionValue, option_value
from rulelang.ruleset.model import GridDecl
from rulelang.runtime.grids import Grid
from rulelang.table.facts import ShownAttributes
from rulelang.table.rules import Chapter, chapters
from rulelang.table.view import Contents, Observed, Piece, Value, split_index, split_piece
from rulelang.words.lexicon import Noun
from rulelang.words.terminal import Texts

NONE = "–"
ROUND = "round"
EFFECTS = 2
"""As `facts` of a piece: with what it does."""
SHOWN_OF_PILE = 3
"""Of a longer pile that is seen only the top piece is named."""


STYLES = ("cyan", "yellow", "green", "magenta", "red", "blue", "white")
"""The colours of parties."""


class NamedGame(Protocol):
    """What names are made for: a state, or what a page knows of one."""

    @property
    def ruleset(self) -> Ruleset: ...

    @property
    def parties(self) -> tuple[str, ...]: ...

    @property
    def players(self) -> int: ...

    @property
    def options(self) -> dict[str, OptionValue]: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def first(self) -> int: ...


class Names:
    """The texts of one game in one language.

    Args:
        reader: the seat that reads, which is addressed as `you`.
    """

    def __init__(self, state: NamedGame, lang: str, reader: int | None = None) -> None:
        self.lang = lang
        self.reader = reader
        self.texts = Texts(lang)
        self.parties = state.parties
        self.words = state.ruleset.words(lang, state.names, state.first)
        self.layout = state.ruleset.executor(state.players, state.options).layout
        written = state.ruleset.written
        self.facts = ShownAttributes(written, lang)
        self._kinds = {row.id: row.kind for row in written.pieces}
        self.order = {row.id: number for number, row in enumerate(written.pieces)}
        self._holds = {zone.name: zone.holds for zone in written.zones}
        self._styles: dict[str, str] = {}
        self._ruleset = state.ruleset
        self._players = {row.name for row in written.variables if row.type.text.rstrip("?") == "player"}
        self._owners = {
            (kind.name, row.name)
            for kind in written.kinds
            for row in kind.variables
            if row.type.text.rstrip("?") == "player"
        }

    @cached_property
    def rules(self) -> tuple[Chapter, ...]:
        """Return what is told of the game, then its rules in words."""
        return chapters(self._ruleset, self.lang)

    def grid(self, name: str) -> Grid:
        """Return the grid of this name in the game's layout."""
        return self.layout.grids[self.layout.grid_index[name]]

    def drawing(self, grid: GridDecl) -> dict[str, tuple[str, Span]]:
        """Return cell or edge -> its sign on the author's map for this game, and the sign's source location."""
        chosen = {
            table.name: option_value(table, n)
            for table, n in zip(self.layout.program.options, self.layout.options, strict=True)
        }
        value = str(chosen.get(grid.option, ""))
        return next((map_.signs for map_ in grid.drawings if map_.value.lower() == value.lower()), {})

    @property
    def title(self) -> str:
        """Return the game's title."""
        return self.words.title

    def stage(self, stage: Mapping[str, Any]) -> str:
        """Return the progress of the game in words: values of its loops, number of the round; empty if neither is
        known."""
        parts = [self.name(value) for value in stage["values"].values()]
        if stage["round"]:
            parts.append(self.texts("numbered", what=self.name(ROUND), number=stage["round"]))
        return " · ".join(parts)

    def name(self, name: str) -> str:
        """Return the text of a declared name."""
        return self.words.name(name)

    def labelled(self, label: str, text: str) -> str:
        """Return a text with a label in front."""
        return self.texts("labelled", label=label, text=text)

    def heading(self, rule: str, item: str) -> str:
        """Return the heading above the options of one item of a menu."""
        return self.words.heading(rule, item)

    def party(self, party: int) -> str:
        """Return the text of a party, `you` for the reader."""
        return self.words.seat(self.layout, party, self.reader)

    def called(self, party: int) -> str:
        """Return the name of the person at a seat; empty if none is known."""
        return next(iter(self.words.names[party : party + 1]), "")

    def seat(self, party: int) -> str:
        """Return the text of a party, for any reader."""
        return self.words.seat(self.layout, party)

    def parties_of(self, parties: Iterable[int]) -> str:
        """Return the texts of parties, joined."""
        return self.words.lexicon.joined([self.party(party) for party in parties])

    def party_named(self, name: str) -> str:
        """Return the text of a party by its name in an observation: `0`, `machine`."""
        return self.party(self.parties.index(name)) if name in self.parties else self.name(name)

    # ---- pieces and what lies somewhere

    def piece(self, piece: Piece, facts: int = 0) -> str:
        """Return the text of a piece with its owner and its variables; with `facts`, also its shown attributes, if that
        is `EFFECTS` what it does, too."""
        name = self.row(piece.id)
        if piece.owner:
            name += f" ({self.party_named(piece.owner)})"
        if carried := self.carried(piece):
            name += f" [{', '.join(carried)}]"
        return self._with_facts(name, piece.id, facts)

    def carried(self, piece: Piece) -> list[str]:
        """Return the variables of a piece in words, those without a value left out."""
        return [self._carried_text(piece.id, key, value) for key, value in piece.values if not _is_blank(value)]

    def _with_facts(self, name: str, id_: str, facts: int) -> str:
        """Return the name of a row with its shown attributes and effects."""
        told = [self.facts.of(id_)] * bool(facts) + [self.facts.effect(id_)] * (facts == EFFECTS)
        return " — ".join([name, *filter(None, told)])

    def topped(self, top: Piece, count: int, facts: int = 0) -> str:
        """Return the text of a pile by its top piece, and how many lie under it."""
        name = self.texts("under", piece=self.piece(top), count=count - 1) if count > 1 else self.piece(top)
        return self._with_facts(name, top.id, facts)

    def row(self, id_: str) -> str:
        """Return the name of a row of pieces."""
        return self._noun(id_).one

    def short(self, id_: str) -> str:
        """Return the short word of a row, or of another name."""
        return self.facts.lexicon.noun(f"{self._kinds.get(id_, '')}.{id_}", id_).one

    def style(self, party: str) -> str:
        """Return the colour of a party: the one that a player's variable names, else one by its number (see
        `colour`)."""
        return self._styles.get(party, "") if party in self.parties else ""

    def colour(self, seen: Mapping[str, Any]) -> None:
        """Set the parties' colours from an observation."""
        styles = {party: STYLES[number % len(STYLES)] for number, party in enumerate(self.parties)}
        for text, value in seen["variables"].items():
            _, index = split_index(text)
            if value in STYLES and len(index) == 1 and index[0] in styles:
                styles[index[0]] = value
        self._styles = styles

    def _noun(self, id_: str) -> Noun:
        """Return the noun of a row."""
        return self.words.lexicon.noun(f"{self._kinds.get(id_, '')}.{id_}", id_)

    def _carried_text(self, id_: str, key: str, value: Any) -> str:
        """Return a variable of a piece in words."""
        kind = self._kinds.get(id_, "")
        name = self.words.lexicon.noun(f"{kind}.{key}", key)
        if (kind, key) in self._owners and isinstance(value, int):
            return f"{name.one} {self.party(value)}"
        if value is True:
            return self.words.lexicon.agreeing(name, self._noun(id_))
        return f"{name.one} {self.value(value)}"

    def contents(self, zone: str, contents: Contents, full: bool = False) -> str:
        """Return the visible contents of a zone in words; of a long pile its top, unless `full`."""
        if not contents.count:
            return NONE
        if contents.pieces is None:
            return self._topped(zone, contents.top, contents.count)
        if contents.laid.ends and not full and contents.count > SHOWN_OF_PILE and contents.pieces[0] is not None:
            return self._topped(zone, contents.pieces[0], contents.count)
        return ", ".join(self.runs(zone, contents))

    def count(self, zone: str, contents: Contents) -> str:
        """Return the number of pieces in a zone in words: `3 cards`."""
        return self.words.lexicon.counted(contents.count, self._holds.get(zone, "piece"))

    def _topped(self, zone: str, top: Piece | None, count: int) -> str:
        """Return a pile by its top piece, or by its size if that is not visible."""
        if top is None:
            return self.count(zone, Contents(count))
        return self.topped(top, count)

    def runs(self, zone: str, contents: Contents, facts: int = 0) -> list[str]:
        """Return the pieces of a zone in words, equal ones together: in the order of their rows, in a pile only
        adjacent ones; `facts` as for `piece`."""
        runs: list[tuple[str, int]] = []
        pieces, hidden = contents.pieces or (), 0
        if not contents.laid.kept:
            seen = [piece for piece in pieces if piece is not None]
            hidden = len(pieces) - len(seen)
            seen.sort(key=lambda piece: self.order[piece.id])
            pieces = tuple(seen)
        for piece in pieces:
            text = self.piece(piece, facts) if piece is not None else "?"
            if runs and runs[-1][0] == text:
                runs[-1] = (text, runs[-1][1] + 1)
            else:
                runs.append((text, 1))
        texts = [*starmap(times, runs)]
        return [*texts, self.texts("hidden", pieces=self.count(zone, Contents(hidden)))] if hidden else texts

    # ---- values

    def thing(self, name: str, thing: Observed, full: bool = False) -> str:
        """Return a zone's contents or a variable's value in words."""
        if isinstance(thing, Contents):
            return self.contents(name, thing, full)
        if name in self._players and isinstance(thing.value, int):
            return self.party(thing.value)
        return self.value(thing.value)

    def whose(self, name: str, thing: Observed) -> str:
        """Return the party that a variable names; empty if its value is none."""
        if name in self._players and isinstance(thing, Value) and isinstance(thing.value, int):
            return self.parties[thing.value]
        return ""

    def value(self, value: Any) -> str:
        """Return a value of an observation in words."""
        if isinstance(value, dict):
            return ", ".join(self.words.lexicon.counted(n, name) for name, n in value.items() if n) or NONE
        if isinstance(value, bool):
            return self.words.fill("true" if value else "false")
        if isinstance(value, list):
            return ", ".join(self.value(part) for part in value) or NONE
        if isinstance(value, str):
            id_, place = split_piece(value)
            return self._placed(id_, place) if place else self.index(value)
        return NONE if value is None else str(value)

    def _placed(self, id_: str, place: str) -> str:
        """Return a piece with its owner or zone in words."""
        where = self.party_named(place) if place in self.parties else self.zone(place)
        return f"{self.row(id_)} ({where})"

    def index(self, text: str) -> str:
        """Return an index of a zone or variable in words; `0-1` is between two seats."""
        seats = text.split("-")
        if all(seat.isdecimal() and seat in self.parties for seat in seats):
            return self.parties_of(map(self.parties.index, seats))
        return self.party_named(text) if text in self.parties and not text.isdecimal() else self.name(text)

    def zone(self, text: str) -> str:
        """Return a zone with its index, as events write it (`plant[red]`), in words."""
        name, index = split_index(text)
        return self.indexed(name, [self.party_named(part) if part in self.parties else part for part in index])

    def indexed(self, name: str, index: Sequence[str]) -> str:
        """Return a zone or variable at an index, by the ruleset's own name for that if there is one."""
        exact = ".".join([name, *index])
        if index and self.words.lexicon.has(exact):
            return self.name(exact)
        return " ".join([self.name(name), ", ".join(map(self.index, index))]).rstrip()


def times(text: str, count: int) -> str:
    """Return a text that holds so many times."""
    return text if count == 1 else f"{text} ×{count}"


def _is_blank(value: Any) -> bool:
    """Return whether a variable of a piece has no value worth telling: absent, false, an empty bag."""
    return not any(value.values()) if isinstance(value, dict) else value in (None, False)
