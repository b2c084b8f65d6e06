"""What every screen holds, whatever the game, the language and the window: it fits, and one's own things are on it.

What must be there is worked out from what the seat sees, not from how the table is drawn.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from rulelang.cli.play.desk import Desk
from rulelang.game import Action, Ruleset, State
from rulelang.session import Session
from rulelang.table.names import Names
from rulelang.table.recent_events import doings
from rulelang.table.view import Contents, Share, shares
from tests.play import games
from tests.shipped import shipped
from tests.soak import soaking, times

from .test_window import Screens

SIZES = [(80, 24), (100, 30), (60, 20), (120, 40)]
GAMES = [("reco", 4), ("ldd", 2), ("imaginarium", 4), ("droids", 3)]
MORE = {"en": "…, log for more", "fr": "…, la suite : journal"}


def plain(text: str) -> str:
    """Words with one space between, however they were wrapped."""
    return " ".join(text.replace("\u00a0", " ").split())


@dataclass
class Shown:
    """One screen, and the position that it shows."""

    lines: list[str]
    state: State
    seat: int
    names: Names
    story: list[dict[str, Any]]
    size: tuple[int, int]
    pages: list[list[str]]

    @property
    def text(self) -> str:
        return plain(" ".join(self.lines))

    @property
    def asking(self) -> int:
        """The line on which the question begins."""
        asked = plain(self.question)
        return next(n for n in range(len(self.lines)) if plain(" ".join(self.lines[n:])).startswith(asked))

    @property
    def own(self) -> str:
        """The reader's section: from its heading to the next one, or to the news or the question."""
        heading = f"── {self.names.texts('you_alone')}"
        start = next(n for n, line in enumerate(self.lines, 1) if line.startswith(heading))
        ends = (n for n in range(start, self.asking) if self.lines[n].startswith(("── ", "• ")))
        return plain(" ".join(self.lines[start : next(ends, self.asking)]))

    @property
    def question(self) -> str:
        decision = self.state.decision(self.seat)
        assert decision is not None
        return decision.question_in(self.names.lang)


def screens(
    ruleset: Ruleset, players: int, size: tuple[int, int], lang: str, seed: int, every: int, count: int, typed: str = ""
) -> Iterator[Shown]:
    """The screens of a random game at every so many of the person's decisions."""
    rng = random.Random(seed)
    state = ruleset.new_game(players, seed)
    seat = rng.randrange(players)
    who = dict.fromkeys(range(len(state.parties)), "random") | {seat: "human"}
    terminal = Screens(*size, typed=[])
    desk = Desk(Session.new(state, seed, who), terminal, lang)
    since, asked = state.event_count(seat), 0
    while count and not desk.session.state.is_terminal():
        session = desk.session
        seat_asked = session.state.current_players()[0]
        if session.choose_automatically(seat_asked):
            continue
        decision = session.state.decision(seat_asked)
        assert decision is not None
        action = rng.choice(decision.choices)
        asked += 1
        if asked % every == 0:
            terminal.shown.clear()
            terminal.typed = [*([typed, *[""] * 6] if typed else []), action.id]
            assert desk.ask(seat_asked) is not None
            story = session.story(seat_asked, since, lang)
            yield Shown(terminal.shown[-1], session.state, seat_asked, desk.names, story, size, terminal.shown)
            count -= 1
        since = session.state.event_count(seat_asked)
        session.choose(action, seat_asked)


def held(share: Share) -> Iterator[tuple[str, Contents]]:
    """The zones of a party with the pieces that are seen in them."""
    for name, thing in share.singles.items():
        if isinstance(thing, Contents):
            yield name, thing
    for rows in share.tables.values():
        for name, row in rows.items():
            yield from ((name, thing) for thing in row.values() if isinstance(thing, Contents))
    for (name, _), thing in share.lists.items():
        if isinstance(thing, Contents):
            yield name, thing


def check(shown: Shown) -> None:
    """All that a screen must hold."""
    (width, height), names, lines = shown.size, shown.names, shown.lines
    seen = shown.state.observation(shown.seat)
    assert len(lines) <= height
    assert max(map(cell_len, lines)) <= width
    assert names.title in lines[0]
    assert lines[-1].endswith("> ")
    assert plain(shown.question) in shown.text
    check_held(shown, shares(shown.state.ruleset, seen))
    check_boards(shown, shares(shown.state.ruleset, seen)[""])
    check_options(shown)
    check_news(shown)


def check_held(shown: Shown, sorted_by_owner: dict[str, Share]) -> None:
    """Each piece that the reader holds by name, or their number by kind; each bag by what is in it; each value."""
    names, share = shown.names, sorted_by_owner[str(shown.seat)]
    beside = {zone.name for zone in shown.state.ruleset.written.zones if zone.beside}
    for name, zone in held(share):
        if not zone.count or name in beside:  # what lies beside the board is drawn there
            continue
        pieces = [piece for piece in zone.pieces or (zone.top,) if piece is not None]
        rows = Counter(names.row(piece.id) for piece in pieces)
        by_name = all(plain(row) in shown.own for row in rows)
        assert by_name or plain(names.count(name, zone)) in shown.own, (name, rows, shown.own)
    for name, thing in share.singles.items():
        if not isinstance(thing, Contents) and isinstance(thing.value, dict) and any(thing.value.values()):
            assert plain(names.value(thing.value)) in shown.own, name
        elif not isinstance(thing, Contents) and isinstance(thing.value, int) and not isinstance(thing.value, bool):
            assert plain(names.labelled(names.name(name), names.thing(name, thing))) in shown.own, name


def check_boards(shown: Shown, share: Share) -> None:
    """A board that is drawn has all its rows below the letters of its columns; else its pieces are listed by cell."""
    for name in share.boards:
        grid = shown.names.grid(name)
        letters = " +".join(chr(ord("a") + column) for column in range(grid.columns))
        heads = [n for n, line in enumerate(shown.lines) if re.search(rf"^ +{letters}(?: |$)", line)]
        if any(re.match(r" *1 ( ·|  ·|[^ ] )", line) for line in shown.lines):
            assert heads, name
        for head in heads[:1]:
            numbers = [int(found[1]) for line in shown.lines[head:] if (found := re.match(r" *(\d+) ", line))]
            assert numbers[: grid.rows] == list(range(1, grid.rows + 1))


def check_options(shown: Shown) -> None:
    """Options are there, each whole and with what is known of its piece; how many there are where some are not."""
    decision = shown.state.decision(shown.seat)
    assert decision is not None
    listed = [n for line in shown.lines[shown.asking :] for n in re.findall(r"(?:^|   ) +(\d+)  (?=\S)", line)]
    choices = [choice for choice in decision.choices if not choice.leaves]
    numbers = [int(n) for n in listed if int(n) <= len(choices)]
    assert any(numbers) or not choices, shown.lines
    offered = {*numbers} - {0}
    if len(offered) < len(choices):
        assert re.search(rf"\b{len(choices)}\b", shown.text)
    for number in offered:
        text = plain(choices[number - 1].text(shown.names.lang))
        told = [text, *(plain(facts) for facts in facts_of(shown, choices[number - 1]))]
        assert all(part in shown.text for part in told) or (len(offered) == 1 and " …" in shown.text), told


def facts_of(shown: Shown, choice: Action) -> Iterator[str]:
    """What stands on the one piece that an option names, or that lies alone where the option leads."""
    pieces = [part.value.partition("@")[0] for part in choice.parts if part.type.core.kind == "piece"]
    if len(pieces) == 1 and all(part.type.core.kind in ("piece", "int", "bool") for part in choice.parts):
        yield shown.names.facts.of(pieces[0])
    seen, told = shown.state.observation(shown.seat)["zones"], shown.state.shown(shown.seat)
    for zone in shown.state.ruleset.written.zones:
        for part in choice.parts:
            if zone.per == (part.type.core.name,) and zone.capacity is not None and zone.capacity.text == "1":
                for piece in seen[f"{zone.name}[{part.value}]"].get("pieces", ()):
                    yield shown.names.row(piece.partition("@")[0])
                    for name, number in told.get(f"{zone.name}[{part.value}]", {}).get(piece, {}).items():
                        yield f"{shown.names.name(name)} {number}"


def check_news(shown: Shown) -> None:
    """What happened since the last decision is whole, or the screen says where it is."""
    news = doings(shown.state, shown.seat, shown.story, shown.names.lang, brief=True)
    whole = all(plain(doing.text) in shown.text for doing in news)
    assert whole or any(plain(line).endswith(MORE[shown.names.lang]) for line in shown.lines), [d.text for d in news]


WINDOWS = [(size, lang) for size in SIZES for lang in ("en", "fr")]


@pytest.mark.parametrize(("name", "players"), GAMES)
@pytest.mark.parametrize("window", [WINDOWS[0], *soaking(*WINDOWS[1:])], ids=str)
def test_every_screen_of_the_shipped_games(name: str, players: int, window: tuple[tuple[int, int], str]) -> None:
    """In each window and language."""
    size, lang = window
    for shown in screens(shipped(name), players, size, lang, 5, 7, times(2)):
        check(shown)


def test_the_log_has_all_that_a_screen_leaves_out() -> None:
    """Where the news end with "log for more", the log has everything since the last decision."""
    for shown in screens(shipped("reco"), 5, (60, 20), "en", 2, 4, 3, "log"):
        pages = plain(" ".join(line for page in shown.pages for line in page))
        news = doings(shown.state, shown.seat, shown.story, "en", brief=True)
        assert all(plain(sentence) in pages for doing in news[1:] for sentence in doing.sentences[:1])


def crowd(players: int, cards: int, side: int, word: str) -> str:
    """A game with so many players, cards of each, rows and columns; `word` makes its names long."""
    rows = "".join(
        f"    - {{id: c{n}, per: player, value: {n}, words: {{en: '{word}card {n}'}}}}\n" for n in range(cards)
    )
    text = f"""\
rulelang: 2
name: crowd
title: {{en: "A {word}crowd"}}
players: {players}
types: {{Good: {{values: [nut, oil]}}}}
kinds:
  Card: {{attributes: {{value: 0..99}}, shown: [value], identity: true, start: hand}}
  Stone: {{start: bowl}}
pieces:
  Stone: [{{id: stone, count: {max(side * side, 1)}}}]
  Card:
{rows}zones:
  hand: {{holds: Card, per: player, visible: owner}}
  table: {{holds: Card, per: player}}
  bowl: {{holds: Stone}}
variables:
  goods: {{type: bag of Good, per: player}}
  coins: {{type: 0..99, per: player, start: 7}}
limits: {{decisions: 400}}
rules: |
  play:
    for p in players: p.goods += 2 nut + 3 oil
    repeat 6 times:
      for p in players:
        turn of p: act()
  rule act:
    choose:
      lay(card in hand): move card to table
      pay(n from 1 to 30): coins := n
      wait: pass
words:
  en: {{act: "{word}act of a {word}player", lay: "lay {{card}} on the {word}table", hand: "{word}hand"}}
"""
    if not side:
        return text
    text = text.replace("kinds:", f"grids: {{Cell: {{columns: {side}, rows: {side}}}}}\nkinds:")
    text = text.replace("variables:", "  board: {holds: Stone, per: Cell}\nvariables:")
    return text.replace("      wait: pass\n", f"{PUT}      wait: pass\n")


PUT = """\
      put(at in Cell where board[it] is empty):
        move top 1 of bowl to board[at]
        repeat 40 times:
          if some there = top of (Cell where board[it] is empty): move top 1 of bowl to board[there]
"""


CROWDS = {
    "many players": crowd(8, 6, 0, ""),
    "a large hand": crowd(3, 30, 0, ""),
    "long names": crowd(4, 8, 0, "exceedingly long-winded and verbose "),
    "all of it": crowd(8, 30, 0, "exceedingly long-winded and verbose "),
    "a large board": crowd(2, 5, 19, ""),
}


@pytest.mark.parametrize("name", CROWDS)
def test_every_screen_of_a_crowded_game(tmp_path: Path, name: str) -> None:
    """Eight players, thirty cards, 60 options, a board of 19 by 19, names that go on and on."""
    ruleset = games.ruleset(tmp_path / "crowd", CROWDS[name])
    for size in SIZES if times(1) > 1 else SIZES[::2]:
        for shown in screens(ruleset, ruleset.players[0], size, "en", 3, 2, times(1)):
            check(shown)
