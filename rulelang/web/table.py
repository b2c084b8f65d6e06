"""One reader's table as HTML: visible zones and values by owner, with the picks of the choice to be made.

Enters: a `View`. Leaves: a whole page, the part of it that changes, or a part on demand. All of it is derived from the
view, which has only what its reader may know.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from markupsafe import Markup

from rulelang.game import Action, Ruleset
from rulelang.runtime.names import NamedValue
from rulelang.table.board import Board, surroundings
from rulelang.table.facts import cited
from rulelang.table.names import NONE, Names
from rulelang.table.recent_events import joined
from rulelang.table.rules import told_about
from rulelang.table.sheet import points, row_label, source, won
from rulelang.table.view import TABLE, Contents, Observed, Piece, Share, Value, is_empty, shares
from rulelang.web.boards import Drawing, drawing
from rulelang.web.cards import Glyph, looks
from rulelang.web.pages import BASE, drawn, render
from rulelang.web.scene import Card, PickState, Scene
from rulelang.web.theme import theme_of
from rulelang.web.view import View
from rulelang.words.phrases import capital

MOST_LISTED = 12
"""Most choices that are listed as sentences at once; of more, they are picked by parts."""
MOST_REST = 80
"""Most choices in the list that opens on demand."""


@dataclass(frozen=True)
class Zone:
    """A zone with its cards; `count`: all pieces, visible or not."""

    name: str
    label: str
    count: int
    cards: tuple[Card, ...]
    pile: bool
    pick_state: PickState


@dataclass(frozen=True)
class Counter:
    """A variable, as a text or as amounts that can be picked; or a zone of which only the number of pieces is
    visible."""

    name: str
    label: str
    text: str
    goods: tuple[tuple[int, Glyph, PickState], ...] = ()


@dataclass(frozen=True)
class Column:
    """The zones and values at one index of a type."""

    name: str
    label: str
    hue: str
    pick_state: PickState
    zones: tuple[Zone, ...]
    counters: tuple[Counter, ...]


@dataclass
class Area:
    """What belongs to one party, or to the table.

    Attributes:
        title: a person's name or the seat. seat: the seat in words, if the title is a name. turn: whether it is to
            choose. out: whether it is eliminated. zones: zones with cards. columns: by type, side by side. counters:
            values. boards: drawings. empty: names of empty zones.
    """

    party: int | None
    owner: str
    title: str
    seat: str = ""
    style: str = ""
    you: bool = False
    turn: bool = False
    out: bool = False
    bot: str = ""
    clock: str = ""
    pick_state: PickState = field(default_factory=PickState)
    zones: list[Zone] = field(default_factory=list)
    columns: list[list[Column]] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    boards: list[Drawing] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def lies(self) -> bool:
        """Return whether anything lies there."""
        return bool(self.zones or any(self.columns) or (self.you and self.empty))


@dataclass(frozen=True)
class Line:
    """A line of the log: an event with the source of its rule, or a note.

    Attributes:
        head: whether it begins a turn. minor: whether it is a change of a variable or a shuffle. mine: whether the
            reader caused it. where: source of the rule; brief: the same, shorter. cites: citations. by: author of a
            note.
    """

    text: str
    head: bool = False
    minor: bool = False
    mine: bool = False
    where: str = ""
    brief: str = ""
    cites: str = ""
    by: str = ""


@dataclass(frozen=True)
class PickList:
    """Picks that have no thing on the table: what they are chosen as, and pick, words and glyph of each."""

    label: str
    options: tuple[tuple[str, str, Glyph | None], ...]


@dataclass(frozen=True)
class Bar:
    """The pending question, and the ways to answer it.

    Attributes:
        picked: words of each pick, and the picks without it. ready: the action that is chosen. steps: what to pick
            next. listed: choices as sentences. leave: the action that ends a repeated choice. lights: whether something
            on the table can be picked. count: how many choices are left. rest: the choices not listed, filtered by the
            reader's search.
    """

    question: str
    picked: tuple[tuple[str, tuple[str, ...]], ...]
    ready: Action | None
    steps: tuple[PickList, ...]
    listed: tuple[Action, ...]
    leave: Action | None
    lights: bool
    count: int
    rest: tuple[Action, ...]


class Table(Scene):
    """Builds the model of one page."""

    # ---- areas

    def areas(self) -> list[Area]:
        """Return the areas of the table, then of each party in turn."""
        views = shares(self.view.ruleset, dict(self.observation))
        around = surroundings(self.written, views)
        areas = [self._area(views[TABLE], TABLE, around)]
        areas += [self._area(views.get(owner, Share()), owner, None) for owner in self.view.parties]
        return areas

    def _area(self, share: Share, owner: str, around: Any) -> Area:
        """Return the area of an owner.

        Args:
            around: what is drawn around boards; None for parties.
        """
        area = self._empty_area(owner)
        mine = owner in (TABLE, str(self.view.seat))
        for type_, rows in share.tables.items():
            columns = [self._column(type_, index, rows, owner, mine) for index in _indices(rows)]
            area.columns.append([column for column in columns if column is not None])
        for name, thing in share.singles.items():
            self._add_thing(area, name, self.names.name(name), thing, owner, (), mine)
        for (name, index), thing in share.lists.items():
            if not is_empty(thing):
                self._add_thing(area, name, self.names.indexed(name, index), thing, owner, index, mine)
        if around is not None:
            boards = (Board(self.view.ruleset, self.names, name, share, around) for name in share.boards)
            area.boards = [drawing(self, board) for board in boards]
        return area

    def _empty_area(self, owner: str) -> Area:
        """Return the empty area of an owner: title, seat, clock, flags."""
        if owner == TABLE:
            return Area(None, TABLE, self.names.title)
        view, party = self.view, self.view.parties.index(owner)
        player_name, clock = "".join(view.names[party : party + 1]), view.clocks.get(party)
        seat = view.ruleset.words(view.lang).seat(self.names.layout, party)
        return Area(
            party, owner, player_name or capital(seat), seat if player_name else "",
            self.names.style(owner), you=party == view.seat, turn=party in self.observation["current"],
            out=party in self.observation["eliminated"], bot=view.bots.get(party, ""),
            clock=f"{int(clock) // 60}:{int(clock) % 60:02}" if clock is not None else "",
            pick_state=self.pick_state("seat", owner),
        )  # fmt: skip

    def _add_thing(
        self, area: Area, name: str, label: str, thing: Observed, owner: str, index: tuple[str, ...], mine: bool
    ) -> None:
        """Add a thing to an area: visible pieces to its zones, anything else to its counters, of an empty zone the
        name.

        Args:
            mine: whether the reader can pick it.
        """
        if isinstance(thing, Contents):
            if thing.pieces is None and thing.top is None:
                if thing.count or area.you:
                    area.counters.append(Counter(name, label, str(thing.count)))
                return
            zone = self._zone(name, label, thing, owner, index)
            if thing.count or zone.pick_state.pick:
                area.zones.append(zone)
            else:
                area.empty.append(label)
        elif counter := self._counter(name, label, thing, mine):
            area.counters.append(counter)

    def _zone(self, name: str, label: str, thing: Contents, owner: str, index: tuple[str, ...]) -> Zone:
        """Return a zone with its cards."""
        key = (*([owner] if owner != TABLE else []), *index)
        text = f"{name}[{','.join(key)}]" if key else name
        return Zone(
            text, label, thing.count, tuple(self._cards(thing, text)), thing.pile, self.pick_state("zone", text)
        )

    def _cards(self, thing: Contents, zone: str) -> Iterable[Card]:
        """Yield equal pieces as one card, in the order of their rows; of a pile adjacent ones."""
        pieces = thing.pieces if thing.pieces is not None else (thing.top, *[None] * (thing.count - 1))
        if not thing.pile:
            pieces = tuple(sorted(pieces, key=lambda p: (p is None, self.names.order[p.id] if p is not None else 0)))
        runs: list[tuple[Piece | None, int]] = []
        for piece in pieces:
            if runs and runs[-1][0] == piece:
                runs[-1] = (piece, runs[-1][1] + 1)
            else:
                runs.append((piece, 1))
        for piece, count in runs:
            if piece is None:
                yield Card(None, count, "", "", (), PickState())
            else:
                yield self.card(piece, count, zone)

    def _counter(self, name: str, label: str, thing: Value, mine: bool) -> Counter | None:
        """Return a value as a counter; None if it is not worth telling."""
        if isinstance(thing.value, dict):
            if is_empty(thing):
                return Counter(name, label, NONE) if mine else None
            goods = [
                (n, self.looks.glyph(good), self.pick_state("goods", good) if mine and n else PickState())
                for good, n in thing.value.items()
            ]
            return Counter(name, label, "", tuple(row for row in goods if row[0] or mine))
        if is_empty(thing):
            return None
        text = "" if thing.value is True else self.names.thing(name, thing)
        return Counter(name, label, text)

    def _column(
        self, type_: str, index: str, rows: Mapping[str, Mapping[str, Observed]], owner: str, mine: bool
    ) -> Column | None:
        """Return the column at one index of a type; None if it is empty and can't be picked."""
        pick_state = self.pick_state("value", f"{type_}.{index}") if mine else PickState()
        zones, counters = [], []
        for name, row in rows.items():
            thing = row.get(index)
            if isinstance(thing, Contents) and (thing.pieces is not None or thing.top is not None):
                zones.append(self._zone(name, self.names.name(name), thing, owner, (index,)))
            elif isinstance(thing, Contents):
                counters.append(Counter(name, self.names.name(name), str(thing.count)))
            elif thing is not None and (counter := self._counter(name, self.names.name(name), thing, mine)):
                counters.append(counter)
        if not (owner == TABLE or pick_state.pick or any(zone.count for zone in zones) or counters):
            return None
        return Column(index, self.names.index(index), self.looks.tint(index), pick_state, tuple(zones), tuple(counters))

    # ---- what is asked

    def bar(self) -> Bar | None:
        """Return the reader's pending question; None without any. Call it after `areas`, which places picks on the
        table."""
        decision, choosing = self.view.decision, self.choosing
        if decision is None:
            return None
        open_ = {pick: part for pick, part in choosing.open.items() if pick not in self.placed}
        ready = choosing.ready
        lists_all = choosing.count <= MOST_LISTED
        listed = choosing.lone
        rest = choosing.listed(MOST_REST, self.view.find, self.view.lang, self._label_of)
        if lists_all:
            listed, rest = [choice.action for choice in choosing.left], []
        return Bar(
            decision.question_in(self.view.lang),
            tuple((self._label_of(pick), tuple(choosing.without(n))) for n, pick in enumerate(choosing.picks)),
            ready.action if ready else None, () if lists_all else tuple(self._steps(open_)),
            tuple(action for action in listed if ready is None or action is not ready.action),
            choosing.leave if not choosing.picks else None, bool(self.placed), choosing.count, tuple(rest),
        )  # fmt: skip

    def _steps(self, open_: Mapping[str, NamedValue | None]) -> Iterable[PickList]:
        """Yield the open picks without a thing on the table, grouped by what they are chosen as; menu items too, if
        they have several actions."""
        groups: dict[str, list[tuple[str, str, Glyph | None]]] = {}
        lone = {action.data["item"] for action in self.choosing.lone}
        rule = self.view.decision.rule if self.view.decision else ""
        for pick, part in open_.items():
            if part is not None:
                label = self.names.words.lexicon.noun(f"{rule}.{part.name}", part.name).one
            elif pick.partition("=")[2] in lone:
                continue
            else:
                label = ""
            groups.setdefault(label, []).append((pick, self._label_of(pick), self._glyph_of(part)))
        for label, options in groups.items():
            if len(options) > 1 or len(groups) > 1 or self.placed:
                yield PickList(label, tuple(options))

    def _glyph_of(self, part: NamedValue | None) -> Glyph | None:
        """Return the glyph of a part that is a resource."""
        goods = part is not None and part.value in self.looks.resources
        return self.looks.glyph(part.value) if part is not None and goods else None

    def _label_of(self, pick: str) -> str:
        """Return a pick in words."""
        part = self.choosing.part(pick)
        if part is None:
            item = pick.partition("=")[2]
            return capital(self.names.heading(self.view.decision.rule if self.view.decision else "", item))
        sort = part.type.core.kind
        if sort == "piece":
            return " + ".join(self._piece(value) for value in part.value.split("+"))
        if sort == "seat":
            return self.names.party_named(part.value)
        if sort == "zone":
            return self.names.zone(part.value)
        return self.names.words.fill("none") if part.value == "none" else self.names.index(part.value)

    def _piece(self, text: str) -> str:
        """Return a piece by its text in an id, in words."""
        id_, _, owner = text.partition(".")[0].partition("@")
        return self.names.piece(Piece(id_, owner)) if id_ in self.looks.rows else self.names.name(id_)

    # ---- the log

    def log(self) -> list[Line]:
        """Return the lines of the log with the sources of rules, and notes between them; beginnings of turns are
        headings."""
        events = joined(self.names.words, self.names.layout, self.view.seat, self.view.events)
        lines = [
            Line(
                event["text"],
                event["type"] == "begin",
                event["type"] in ("set", "pset", "bag", "shuffle"),
                event.get("seat") == self.view.seat,
                *_origin(self.view.ruleset, self.view.lang, event["file"], event["line"], tuple(event["cites"])),
            )
            for event in events
        ]
        indices = [event["index"] for event in events]
        for index, seat, text in reversed(self.view.notes):
            if not indices or index >= indices[0]:
                by = self.view.names[seat] or capital(self.names.seat(seat))
                lines.insert(bisect_left(indices, index), Line(text, by=by))
        return lines


@lru_cache(1 << 12)
def _origin(ruleset: Ruleset, lang: str, file: str, line: int, cites: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the source of a rule; in brief its first citation, else the source; and all citations."""
    where = source(file, line, cites) if file else ""
    brief = f"{cites[0]}{' …' if len(cites) > 1 else ''}" if cites else where
    return where, brief, "; ".join(cited(ruleset, cites, lang))


def _indices(rows: Mapping[str, Mapping[str, Observed]]) -> list[str]:
    """Return all indices of some names, in order."""
    return list(dict.fromkeys(index for row in rows.values() for index in row))


# ---- as HTML ---------------------------------------------------------------------------------------


def part(view: View, name: str, piece: str = "") -> str | None:
    """Return a part of a reader's page as HTML; None if there is no such part.

    Args:
        name: "" for the whole page, `table` for what changes, `card` (of the row `piece`), `why` (refusals), `sheet`.
    """
    if name == "":
        title, theme = view.ruleset.words(view.lang).title, theme_of(view.ruleset)
        return render(
            "table.html",
            view.lang,
            view=view,
            names=title,
            table=fragment(view),
            theme=theme,
            about=told_about(view.ruleset, view.lang),
        )
    if name == "table":
        return fragment(view)
    if name == "sheet":
        return _sheet(view)
    if name == "why":
        return render("why.html", view.lang, view=view, refusals=_refusals(view), lone=True)
    return _card(view, piece) if name == "card" else None


def fragment(view: View) -> str:
    """Return the part that is fetched again whenever the reader's view changes."""
    table = Table(view)
    areas = table.areas()
    turn = [area.title for area in areas if area.turn]
    titles = {area.party: area.title for area in areas}
    names, winners = Names(view, view.lang, view.seat), view.winners or []
    ending = won(names, winners, [titles[party] for party in winners], view.scored) if view.over else ""
    lines = table.log()
    news = zip(lines, [None, *lines], strict=False)  # of lines by one rule the first names it
    log = Markup("").join(
        drawn("line", view.lang, replace(line, brief="") if last and last.brief == line.brief else line)
        for line, last in news
    )
    html = render(
        "fragment.html", view.lang, view=view, areas=areas, bar=table.bar(), log=log, turn=turn, ending=ending,
        stage=table.names.stage(view.stage), names=table.names, title=view.ruleset.words(view.lang).title,
        said=[*takewhile(lambda line: line.by, reversed(lines))] if view.replay else (),
    )  # fmt: skip
    return html.replace(BASE, view.base)


def _sheet(view: View) -> str:
    """Return the score sheet, each line with its rule and citations."""
    names, sheet = Names(view, view.lang, view.seat), view.sheet()
    rows = [
        (
            row_label(row, names),
            [*map(points, row.values)],
            *_origin(view.ruleset, view.lang, row.file, row.line, tuple(row.cites)),
        )
        for row in (sheet.rows if sheet else ())
    ]
    heads = [area.title for area in Table(view).areas()[1:]]
    totals = [*map(points, sheet.totals if sheet else ())]
    return render("sheet.html", view.lang, view=view, rows=rows, heads=heads, totals=totals)


def _refusals(view: View, piece: str = "") -> list[dict[str, Any]]:
    """Return the refusals with their sources; only those that name `piece`, unless empty."""
    rows = []
    for row in view.refusals():
        values = [v for value in row["arguments"].values() for v in (value if isinstance(value, list) else [value])]
        named = any(isinstance(v, str) and v.partition("@")[0].partition(".")[0] == piece for v in values)
        if not piece or named:
            cites = tuple(row["cites"])
            where, _, cited_ = _origin(view.ruleset, view.lang, row["file"], row["line"], cites)
            rows.append({"text": capital(row["text"]), "missing": row["missing"], "where": where, "cites": cited_})
    return rows


def _card(view: View, piece: str) -> str | None:
    """Return the page of a row of pieces: its face, its source, and the refusals that name it; None if there is no such
    row."""
    look_of = looks(view.ruleset, view.lang)
    if piece not in look_of.rows:
        return None
    face, span = look_of.face(piece), look_of.rows[piece].span
    where = source(span.source.path, span.line, ()) if span.source is not None else ""
    cites = cited(view.ruleset, face.cites, view.lang)
    return render(
        "card.html", view.lang, view=view, face=face, look=look_of.look(piece), where=where, cites=cites,
        texts=Names(view, view.lang).texts, refusals=_refusals(view, piece),
    )  # fmt: skip
