"""The table of one reader as HTML: what is seen, sorted by whose it is, and what can be chosen where it lies.

Enters: a `View`. Leaves: a whole page, the part of it that changes, and what it shows on demand. All of it follows from
what the view holds, which is what its reader may know.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Counted
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile
from typing import Any

from markupsafe import Markup

from rulelang.game import Action, Ruleset
from rulelang.runtime.names import Part
from rulelang.table.facts import cited
from rulelang.table.names import NONE, Names, folded, holding
from rulelang.table.news import joined
from rulelang.table.sheet import row_label, source
from rulelang.table.sides import surroundings
from rulelang.table.view import TABLE, Contents, Piece, Share, Thing, Value, is_empty, shares
from rulelang.web.boards import Board, board
from rulelang.web.cards import Glyph, looks
from rulelang.web.pages import BASE, drawn, render
from rulelang.web.scene import Card, Lit, Scene
from rulelang.web.view import View
from rulelang.words.phrases import capital

FEW = 12
"""So many choices are listed as sentences without being asked for; of more, this many at most."""
MOST = 80


@dataclass(frozen=True)
class Zone:
    """A place with its cards; `count` is that of all pieces, seen or not."""

    name: str
    label: str
    count: int
    cards: tuple[Card, ...]
    pile: bool
    lit: Lit


@dataclass(frozen=True)
class Counter:
    """A variable: a text, or amounts, each to be chosen; `count` of a place of which only that is seen."""

    name: str
    label: str
    text: str
    goods: tuple[tuple[int, Glyph, Lit], ...] = ()


@dataclass(frozen=True)
class Column:
    """What belongs to one value of a type."""

    name: str
    label: str
    hue: str
    lit: Lit
    zones: tuple[Zone, ...]
    counters: tuple[Counter, ...]


@dataclass
class Area:
    """What belongs to one party, or to the table.

    Attributes:
        seat: which it is of one that has another title. columns: by type, what stands side by side. counters: what is
            always in view. boards: drawings.
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
    lit: Lit = field(default_factory=Lit)
    zones: list[Zone] = field(default_factory=list)
    columns: list[list[Column]] = field(default_factory=list)
    counters: list[Counter] = field(default_factory=list)
    boards: list[Board] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def lies(self) -> bool:
        """Whether anything lies there."""
        return bool(self.zones or any(self.columns) or (self.you and self.empty))


@dataclass(frozen=True)
class Line:
    """A line of the log: `where` its rule stands, `brief`ly, and what that `cites`; or a note `by` somebody."""

    text: str
    head: bool = False
    minor: bool = False
    mine: bool = False
    where: str = ""
    brief: str = ""
    cites: str = ""
    by: str = ""


@dataclass(frozen=True)
class Step:
    """Values to choose from that lie nowhere on the table: what they are chosen as, pick and words of each."""

    label: str
    options: tuple[tuple[str, str, Glyph | None], ...]


@dataclass(frozen=True)
class Bar:
    """What is asked, and how it is answered.

    Attributes:
        picked: words of each pick, and the picks without it. steps: what to choose next. listed: choices as sentences.
        rest: the other choices, or those that were looked for, as many as are listed. lights: whether something on the
        table can be chosen. count: how many choices there still are.
    """

    question: str
    picked: tuple[tuple[str, tuple[str, ...]], ...]
    ready: Action | None
    steps: tuple[Step, ...]
    listed: tuple[Action, ...]
    leave: Action | None
    lights: bool
    count: int
    rest: tuple[Action, ...]


class Table(Scene):
    """Works out the model of one page."""

    # ---- areas

    def areas(self) -> list[Area]:
        """Return what belongs to the table, then to each party in turn."""
        views = shares(self.view.ruleset, dict(self.seen))
        around = surroundings(self.written, views)
        areas = [self._area(views[TABLE], TABLE, around)]
        areas += [self._area(views.get(owner, Share()), owner, None) for owner in self.view.parties]
        return areas

    def _area(self, share: Share, owner: str, around: Any) -> Area:
        """Return the area of an owner: zones, columns, values, cards."""
        area = self._head(owner)
        mine = owner in (TABLE, str(self.view.seat))
        for type_, rows in share.tables.items():
            columns = [self._column(type_, index, rows, owner, mine) for index in _indices(rows)]
            area.columns.append([column for column in columns if column is not None])
        for name, thing in share.singles.items():
            self._put(area, name, self.names.name(name), thing, owner, (), mine)
        for (name, index), thing in share.lists.items():
            if not is_empty(thing):
                self._put(area, name, self.names.indexed(name, index), thing, owner, index, mine)
        if around is not None:
            area.boards = [board(self, name, share, around) for name in share.boards]
        return area

    def _head(self, owner: str) -> Area:
        """Return the empty area of an owner: its name, seat, clock, and whether it is the acting seat's or the
        reader's."""
        if owner == TABLE:
            return Area(None, TABLE, self.names.title)
        view, party = self.view, self.view.parties.index(owner)
        player_name, clock = "".join(view.names[party : party + 1]), view.clocks.get(party)
        seat = view.ruleset.words(view.lang).seat(self.names.layout, party)
        return Area(
            party, owner, player_name or capital(seat), seat if player_name else "",
            self.names.style(owner), you=party == view.seat, turn=party in self.seen["current"],
            out=party in self.seen["eliminated"], bot=view.bots.get(party, ""),
            clock=f"{int(clock) // 60}:{int(clock) % 60:02}" if clock is not None else "",
            lit=self.lit("seat", owner),
        )  # fmt: skip

    def _put(
        self, area: Area, name: str, label: str, thing: Thing, owner: str, index: tuple[str, ...], mine: bool
    ) -> None:
        """Add a zone with cards to the zones, all else to what is always in view; what is empty only by its name."""
        if isinstance(thing, Contents):
            if thing.pieces is None and thing.top is None:
                if thing.count or area.you:
                    area.counters.append(Counter(name, label, str(thing.count)))
                return
            zone = self._zone(name, label, thing, owner, index)
            if thing.count or zone.lit.pick:
                area.zones.append(zone)
            else:
                area.empty.append(label)
        elif counter := self._counter(name, label, thing, mine):
            area.counters.append(counter)

    def _zone(self, name: str, label: str, thing: Contents, owner: str, index: tuple[str, ...]) -> Zone:
        key = (*([owner] if owner != TABLE else []), *index)
        text = f"{name}[{','.join(key)}]" if key else name
        return Zone(text, label, thing.count, tuple(self._cards(thing, text)), thing.pile, self.lit("zone", text))

    def _cards(self, thing: Contents, zone: str) -> Iterable[Card]:
        """Yield alike pieces as one card, in the order of their rows; of a pile those that follow each other."""
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
                yield Card(None, count, "", "", (), Lit())
            else:
                yield self.card(piece, count, zone)

    def _counter(self, name: str, label: str, thing: Value, mine: bool) -> Counter | None:
        """Return a value as it is shown among others; None where it says nothing."""
        if isinstance(thing.value, dict):
            if is_empty(thing):
                return Counter(name, label, NONE) if mine else None
            goods = [
                (n, self.looks.glyph(good), self.lit("goods", good) if mine and n else Lit())
                for good, n in thing.value.items()
            ]
            return Counter(name, label, "", tuple(row for row in goods if row[0] or mine))
        if is_empty(thing):
            return None
        text = "" if thing.value is True else self.names.thing(name, thing)
        return Counter(name, label, text)

    def _column(
        self, type_: str, index: str, rows: Mapping[str, Mapping[str, Thing]], owner: str, mine: bool
    ) -> Column | None:
        """Return the column of one value of a type; None of a value that has nothing and can't be chosen."""
        lit = self.lit("value", f"{type_}.{index}") if mine else Lit()
        zones, counters = [], []
        for name, row in rows.items():
            thing = row.get(index)
            if isinstance(thing, Contents) and (thing.pieces is not None or thing.top is not None):
                zones.append(self._zone(name, self.names.name(name), thing, owner, (index,)))
            elif isinstance(thing, Contents):
                counters.append(Counter(name, self.names.name(name), str(thing.count)))
            elif thing is not None and (counter := self._counter(name, self.names.name(name), thing, mine)):
                counters.append(counter)
        if not (owner == TABLE or lit.pick or any(zone.count for zone in zones) or counters):
            return None
        return Column(index, self.names.index(index), self.looks.tint(index), lit, tuple(zones), tuple(counters))

    # ---- what is asked

    def bar(self) -> Bar | None:
        """Return what is asked of the reader; None if nothing is. To be called after `areas`, which says what lies
        where."""
        decision, choosing = self.view.decision, self.choosing
        if decision is None:
            return None
        open_ = {pick: part for pick, part in choosing.open.items() if pick not in self.placed}
        left = [choice.action for choice in choosing.left]
        ready = choosing.ready
        few = len(left) <= FEW
        listed = left if few else self._lone(left)
        listed_ids = set(map(id, listed))
        rest = [action for action in left if id(action) not in listed_ids]
        if self.view.find:
            rest = [rest[n] for n in holding(self.view.find, [folded(a.text(self.view.lang)) for a in rest])]
        return Bar(
            decision.question_in(self.view.lang),
            tuple((self._label_of(pick), tuple(choosing.without(n))) for n, pick in enumerate(choosing.picks)),
            ready.action if ready else None, () if few else tuple(self._steps(open_)),
            tuple(action for action in listed if ready is None or action is not ready.action),
            choosing.leave if not choosing.picks else None, bool(self.placed), len(left), tuple(rest[:MOST]),
        )  # fmt: skip

    def _lone(self, actions: Sequence[Action]) -> list[Action]:
        """Return the only choices of their items: there is nothing to choose but them."""
        counts = Counted(action.data["item"] for action in actions)
        return [action for action in actions if counts[action.data["item"]] == 1]

    def _steps(self, open_: Mapping[str, Part | None]) -> Iterable[Step]:
        """Yield what is still to choose, by what it is chosen as; the items of a menu of which there are several
        ways."""
        groups: dict[str, list[tuple[str, str, Glyph | None]]] = {}
        lone = {action.data["item"] for action in self._lone([choice.action for choice in self.choosing.left])}
        rule = self.view.decision.rule if self.view.decision else ""
        for pick, part in open_.items():
            if part is not None:
                label = self.names.words.lexicon.noun(f"{rule}.{part.name}", part.name).one
            elif pick.partition("=")[2] in lone:
                continue
            else:
                label = ""
            groups.setdefault(label, []).append((pick, self._label_of(pick), self._sign(part)))
        for label, options in groups.items():
            if len(options) > 1 or len(groups) > 1 or self.placed:
                yield Step(label, tuple(options))

    def _sign(self, part: Part | None) -> Glyph | None:
        goods = part is not None and part.value in self.looks.resources
        return self.looks.glyph(part.value) if part is not None and goods else None

    def _label_of(self, pick: str) -> str:
        """Return a pick in words."""
        part = next((part for choice in self.choosing.all for name, part in choice.parts if name == pick), None)
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
        id_, _, owner = text.partition(".")[0].partition("@")
        return self.names.piece(Piece(id_, owner)) if id_ in self.looks.rows else self.names.name(id_)

    # ---- the log

    def log(self) -> list[Line]:
        """Return what happened, with the place of the rule and what it cites, and notes; turns that begin are
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
    """Return where a rule stands, the first lines of the rulebook that it cites or else where it stands, all that it
    cites."""
    where = source(file, line, cites) if file else ""
    brief = f"{cites[0]}{' …' if len(cites) > 1 else ''}" if cites else where
    return where, brief, "; ".join(cited(ruleset, cites, lang))


def _indices(rows: Mapping[str, Mapping[str, Thing]]) -> list[str]:
    return list(dict.fromkeys(index for row in rows.values() for index in row))


# ---- as HTML ---------------------------------------------------------------------------------------


def part(view: View, name: str, piece: str = "") -> str | None:
    """Return a part of the page of a reader; None if there is no such part.

    Args:
        name: "" for the whole page, `table` for what changes, `card` (of the row `piece`), `why`, `sheet`.
    """
    if name == "":
        return render("table.html", view.lang, view=view, names=_titled(view), table=fragment(view), theme=_theme(view))
    if name == "table":
        return fragment(view)
    if name == "sheet":
        return _sheet(view)
    if name == "why":
        return render("why.html", view.lang, view=view, refusals=_refusals(view), lone=True)
    return _card(view, piece) if name == "card" else None


def fragment(view: View) -> str:
    """Return the part that is fetched anew whenever the reader sees something else."""
    table = Table(view)
    areas = table.areas()
    turn = [area.title for area in areas if area.turn]
    ending = _ending(view, areas) if view.over else ""
    lines = table.log()
    news = zip(lines, [None, *lines], strict=False)  # of lines by one rule the first names it
    log = Markup("").join(
        drawn("line", view.lang, replace(line, brief="") if last and last.brief == line.brief else line)
        for line, last in news
    )
    html = render(
        "fragment.html", view.lang, view=view, areas=areas, bar=table.bar(), log=log, turn=turn, ending=ending,
        stage=table.names.stage(view.stage), names=table.names, title=_titled(view),
        said=[*takewhile(lambda line: line.by, reversed(lines))] if view.replay else (),
    )  # fmt: skip
    return html.replace(BASE, view.base)


def _titled(view: View) -> str:
    return view.ruleset.words(view.lang).title


def _theme(view: View) -> Any:
    from rulelang.web.theme import theme_of

    return theme_of(view.ruleset)


def _ending(view: View, areas: Sequence[Area]) -> str:
    """Return who has won."""
    names = Names(view, view.lang, view.seat)
    called = {area.party: area.title for area in areas}
    if not view.winners:
        return names.texts("won_nobody")
    if view.winners == [view.seat]:
        return names.texts("won_you")
    seats = names.words.lexicon.joined([called[party] for party in view.winners])
    return names.texts("won" if len(view.winners) == 1 else "won_together", seats=seats)


def _sheet(view: View) -> str:
    """Return the score sheet, each line with its rule and what that cites."""
    names, sheet = Names(view, view.lang, view.seat), view.sheet()
    rows = [
        (row_label(row, names), row.values, *_origin(view.ruleset, view.lang, row.file, row.line, tuple(row.cites)))
        for row in (sheet.rows if sheet else ())
    ]
    heads = [area.title for area in Table(view).areas()[1:]]
    return render("sheet.html", view.lang, view=view, rows=rows, heads=heads, totals=sheet.totals if sheet else ())


def _refusals(view: View, piece: str = "") -> list[dict[str, Any]]:
    """Return what may not be done, and why; of a piece, where it is named."""
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
    """Return all that is known of a row's pieces, and why they can't be chosen."""
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
