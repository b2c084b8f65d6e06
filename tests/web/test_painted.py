"""Terminal and page paint one scene: what it holds is on both, under the same names."""

from __future__ import annotations

from html import unescape

import pytest

from rulelang.cli.play.screen import Screen
from rulelang.table.names import Names
from rulelang.table.scene import Scene
from rulelang.table.view import is_empty
from rulelang.web.table import part
from tests.painted import GAMES, LANGUAGES, SMALL, positions
from tests.shipped import conformance, shipped
from tests.web.views import view_of

WIDE = 400
"""Columns of a terminal in which nothing is wrapped."""


def plain(text: str) -> str:
    """Return words with one space between."""
    return " ".join(text.replace("\u00a0", " ").split())


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "players"),
    [*((name, None) for name in SMALL), *(pytest.param(*game, marks=pytest.mark.soak) for game in GAMES)],
)
def test_both_show_the_same(name: str, players: int | None, lang: str) -> None:
    """Zones and values that are not empty by their labels, pieces by their names, signs of boards by their meanings."""
    ruleset = conformance(name) if players is None else shipped(name)
    for _, state in positions(ruleset, players, 3):
        for seat in range(state.players):
            names, view = Names(state, lang, seat), view_of(state, seat, lang, first=state.first)
            seen = state.observation(seat) | {"shown": state.shown(seat)}
            screen = plain(" ".join(line.plain for line in Screen(ruleset, names, WIDE).full(seen, seat)))
            page = plain(unescape(part(view, "table") or ""))
            scene = Scene(ruleset, names, seen)
            for area in scene.areas():
                told = [thing.label for thing in area.things if not is_empty(thing.thing)]
                zones = [*area.zones, *(zone for row in area.columns for column in row for zone in column.zones)]
                cards = [card for zone in zones if not zone.pile for card in zone.cards]
                told += [names.row(card.piece.id) for card in cards if card.piece is not None]
                told += [token.text for board in area.boards for spot in board.spots for token in spot.tokens]
                told += [text for board in area.boards for text in board.meanings.values()]
                for text in map(plain, filter(None, told)):
                    assert text.lower() in screen.lower(), (text, screen)
                    assert text.lower() in page.lower(), text
