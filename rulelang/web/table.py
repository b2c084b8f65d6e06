"""One reader's table as HTML: visible zones and values by owner, with the picks of the choice to be made.

Enters: a `View`. Leaves: a whole page, the part of it that changes, or a part on demand. All of it is derived from the
view, which has only what its reader may know.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap, takewhile
from typing import Any

from markupsafe import Markup

from rulelang.game import Action, Ruleset
from rulelang.game.choosing import Choosing, ChoosingOfMany
from rulelang.languages import language
from rulelang.memos import kept_with
from rulelang.runtime.names import NamedValue
from rulelang.table.facts import NOTHING, cited
from rulelang.table.names import Names, times
from rulelang.table.recent_events import grouped, joined, moved, of_rivals
from rulelang.table.rules import told_about
from rulelang.table.scene import Area, Scene
from rulelang.table.sheet import points, row_label, source, won
from rulelang.table.view import Piece
from rulelang.web import rules
from rulelang.web.boards import Drawing, drawing
from rulelang.web.cards import Glyph, looks
from rulelang.web.pages import BASE, drawn, render
from rulelang.web.theme import theme_of
from rulelang.web.view import View
from rulelang.words.phrases import capital

MOST_LISTED = 12
"""Most choices that are listed as sentences at once; of more, they are picked by parts."""
MOST_REST = 80
"""Most choices in the list that opens on demand."""


@dataclass(frozen=True)
class LogLine:
    """A line of the log: an event with the source of its rule, or a note.

    Attributes:
        head: whether it begins a turn. minor: whether it is a change of a variable or a shuffle. mine: whether the
            reader caused it. where: source of the rule; brief: the same, shorter. cites: citations. by: author of a
            note or of what is said to all; private: whether it is a note.
    """

    text: str
    head: bool = False
    minor: bool = False
    mine: bool = False
    where: str = ""
    brief: str = ""
    cites: str = ""
    by: str = ""
    private: bool = False


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


class PageBuilder(Scene):
    """Builds the model of one page."""

    def __init__(self, view: View) -> None:
        names, choices = Names(view, view.lang, view.seat), view.decision.choices if view.decision else ()
        choosing = ChoosingOfMany.of(choices, view.picks) or Choosing(choices, view.picks)
        super().__init__(view.ruleset, names, view.observation, choosing)
        self.view, self.looks = view, looks(view.ruleset, view.lang)
        self.rivals = of_rivals(view.events, view.seat) if view.seat is not None else ()
        self.hidden = self.looks.theme.hidden
        self.fresh = moved(self.rivals, self.hidden)

    def drawings(self, area: Area) -> list[Drawing]:
        """Return the boards of an area as drawings."""
        return [drawing(self, self.looks, board) for board in area.boards]

    # ---- what is asked

    def bar(self) -> Bar | None:
        """Return the reader's pending question; None without any. Call it after `areas` and
        `drawings`, which place picks on the table."""
        decision, choosing = self.view.decision, self.choosing
        if decision is None:
            return None
        open_ = {pick: part for pick, part in choosing.open.items() if pick not in self.placed}
        ready = choosing.ready
        lists_all = choosing.count <= MOST_LISTED
        listed = choosing.lone
        rest = choosing.listed(MOST_REST, self.view.find, self.view.lang, self.label_of)
        if self.view.find and (meant := decision.meant(self.view.find, self.view.lang)):
            rest = [meant]
        if lists_all:
            listed, rest = [choice.action for choice in choosing.left], []
        return Bar(
            decision.question_in(self.view.lang),
            tuple((self.label_of(pick), tuple(choosing.without(n))) for n, pick in enumerate(choosing.picks)),
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
            groups.setdefault(label, []).append((pick, self.label_of(pick), self._glyph_of(part)))
        for label, options in groups.items():
            if len(options) > 1 or len(groups) > 1 or self.placed:
                yield PickList(label, tuple(options))

    def _glyph_of(self, part: NamedValue | None) -> Glyph | None:
        """Return the glyph of a part that is a resource."""
        goods = part is not None and part.value in self.looks.resources
        return self.looks.glyph(part.value) if part is not None and goods else None

    def label_of(self, pick: str) -> str:
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

    def digest(self) -> list[tuple[int, str]]:
        """Return (party, text) of what rivals have done since the reader's last turn, equal sentences as one."""
        words, layout, seat = self.names.words, self.names.layout, self.view.seat
        return [
            (doing.seat, " ".join(starmap(times, Counter(doing.sentences).items())))
            for doing in grouped(words, layout, seat, self.rivals, brief=True)
            if doing.seat is not None and doing.seat != seat
        ]

    def log(self) -> list[LogLine]:
        """Return the lines of the log with the sources of rules, and notes between them; beginnings of turns are
        headings."""
        view = self.view
        events = joined(self.names.words, self.names.layout, view.seat, view.events)
        lines = []
        for event in events:
            kind, mine = event["type"], event.get("seat") == view.seat
            minor = kind in ("set", "pset", "bag", "shuffle")
            told = _origin_of(view, event["file"], event["line"], event["cites"])
            lines.append(LogLine(event["text"], kind == "begin", minor, mine, *told))
        indices = [event["index"] for event in events]
        said = language(self.view.lang).texts("web")
        for index, seat, text, kind in reversed(self.view.notes):
            if not indices or index >= indices[0]:
                by = capital(self.names.seat(seat))
                note = LogLine(text, by=by, private=kind == "note")
                own = note if text else LogLine(said[f"said_{kind}"].format(name=by))
                lines.insert(bisect_left(indices, index), own)
        return lines


def _origin_of(view: View, file: str, line: int, cites: Iterable[str]) -> tuple[str, str, str]:
    """Return where a rule comes from, as far as the reader is to know it: see `_origin`."""
    return _origin(view.ruleset, view.lang, view.file(file), line, tuple(cites))


@kept_with
def _origin(ruleset: Ruleset, lang: str, file: str, line: int, cites: tuple[str, ...]) -> tuple[str, str, str]:
    """Return the source of a rule, empty without a file; in brief its first citation, else the source; and all
    citations."""
    where = source(file, line, cites) if file else ""
    brief = f"{cites[0]}{' …' if len(cites) > 1 else ''}" if cites else where
    return where, brief, "; ".join(cited(ruleset, cites, lang))


# ---- as HTML ---------------------------------------------------------------------------------------


def part(view: View, name: str, piece: str = "", page: str = "table.html") -> str | None:
    """Return a part of a reader's page as HTML; None if there is no such part.

    Args:
        name: "" for the whole page, `table` for what changes, `card` (of the row `piece`), `why` (refusals), `sheet`,
            `rules` and `welcome` (whole pages). page: the template of the whole page.
    """
    parts: dict[str, Callable[[], str | None]] = {
        "": lambda: _page(view, page),
        "table": lambda: fragment(view),
        "sheet": lambda: _sheet(view),
        "why": lambda: render("why.html", view.lang, view=view, refusals=_refusals(view), lone=True),
        "rules": lambda: rules.page(view.ruleset, view.lang, view.base),
        "welcome": lambda: _welcome(view) if view.seat is not None else None,
        "card": lambda: _card(view, piece),
    }
    return parts[name]() if name in parts else None


def _page(view: View, page: str) -> str:
    """Return the whole page."""
    title, about = view.ruleset.words(view.lang).title, told_about(view.ruleset, view.lang)
    theme = theme_of(view.ruleset)
    return render(page, view.lang, view=view, names=title, table=fragment(view), theme=theme, about=about)


def _welcome(view: View) -> str:
    """Return the page of who comes to a table for the first time: which seat it is, who else plays, and what the game
    is about."""
    names, parties = Names(view, view.lang), range(len(view.parties))
    bot = language(view.lang).texts("web")["bot"]
    others = [
        f"{names.seat(party)} ({bot})" if party in view.bots else names.seat(party)
        for party in parties
        if party != view.seat and (names.called(party) or party in view.bots)
    ]
    return render(
        "welcome.html", view.lang, view=view, title=names.title, seat=names.words.seat(names.layout, view.seat or 0),
        others=names.words.lexicon.joined(others) if others else "", about=told_about(view.ruleset, view.lang),
    )  # fmt: skip


def fragment(view: View) -> str:
    """Return the part that is fetched again whenever the reader's view changes."""
    table = PageBuilder(view)
    areas = table.areas()
    boards = table.drawings(areas[0])
    turn = [area.title for area in areas if area.turn]
    titles = {area.party: area.title for area in areas}
    names, winners = Names(view, view.lang, view.seat), view.winners or []
    ending = won(names, winners, [titles[party] for party in winners], view.scored) if view.over else ""
    if view.ended and not winners:
        ending = ""
    lines = table.log()
    news = zip(lines, [None, *lines], strict=False)  # of lines by one rule the first names it
    log = Markup("").join(
        drawn("line", view.lang, replace(line, brief="") if last and last.brief == line.brief else line)
        for line, last in news
    )
    decision = view.decision if view.guided else None
    html = render(
        "fragment.html", view.lang, view=view, areas=areas, boards=boards, looks=table.looks, bar=table.bar(), log=log,
        guide=rules.guide(table, view.ruleset, view.lang, decision.rule) if decision else None,
        digest=table.digest(),
        turn=turn, ending=ending, ranking=_ranking(view, areas), scores=Markup(_sheet(view)) if view.over else "",
        stage=table.names.stage(view.stage), names=table.names, title=view.ruleset.words(view.lang).title,
        said=[*takewhile(lambda line: line.by, reversed(lines))] if view.replay else (),
    )  # fmt: skip
    return html.replace(BASE, view.base)


def _ranking(view: View, areas: Sequence[Area]) -> list[tuple[int, Area, str]]:
    """Return place, area and points of each party, the best first; empty if only winners are known."""
    sheet = view.sheet() if view.ranks else None
    totals = [points(value) for value in sheet.totals] if sheet and sheet.rows else [""] * len(areas)
    return sorted(zip(view.ranks or (), areas[1:], totals, strict=False), key=lambda row: row[0])


def _sheet(view: View) -> str:
    """Return the score sheet, each line with its rule and citations."""
    names, sheet = Names(view, view.lang, view.seat), view.sheet()
    rows = [
        (row_label(row, names), [*map(points, row.values)], *_origin_of(view, row.file, row.line, row.cites))
        for row in (sheet.rows if sheet else ())
    ]
    heads = [area.title for area in PageBuilder(view).areas()[1:]]
    totals = [*map(points, sheet.totals if sheet else ())]
    return render("sheet.html", view.lang, view=view, rows=rows, heads=heads, totals=totals)


def _refusals(view: View, piece: str = "") -> list[dict[str, Any]]:
    """Return the refusals with their sources; only those that name `piece`, unless empty."""
    rows = []
    for row in view.refusals():
        values = [v for value in row["arguments"].values() for v in (value if isinstance(value, list) else [value])]
        named = any(isinstance(v, str) and v.partition("@")[0].partition(".")[0] == piece for v in values)
        if not piece or named:
            where, _, cites = _origin_of(view, row["file"], row["line"], row["cites"])
            rows.append({"text": capital(row["text"]), "missing": row["missing"], "where": where, "cites": cites})
    return rows


def _card(view: View, piece: str) -> str | None:
    """Return the page of a row of pieces: its face, its source, and the refusals that name it; None if there is no such
    row."""
    look_of = looks(view.ruleset, view.lang)
    if piece not in look_of.rows:
        return None
    face, row = look_of.face(piece), look_of.rows[piece]
    path = view.file(row.span.source.path) if row.span.source is not None else ""
    where = source(path, row.span.line, ()) if path else ""
    stated = zip(face.attributes, row.attributes.items(), strict=True)
    told = [pair for pair, (name, text) in stated if name not in row.left_out and text.text.strip() not in NOTHING]
    cites = cited(view.ruleset, face.cites, view.lang)
    return render(
        "card.html", view.lang, view=view, face=face, look=look_of.look(piece), where=where, cites=cites, told=told,
        texts=Names(view, view.lang).texts, refusals=_refusals(view, piece),
    )  # fmt: skip
