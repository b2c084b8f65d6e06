"""A ruleset's own look: colours, signs and pictures; what is wrong with it is said, and nothing else is served."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.resources import shipped_rulesets
from rulelang.web.table import fragment
from rulelang.web.theme import PICTURE, STYLES, cover_in, picture, theme_of
from tests.play.games import STALLS, ruleset
from tests.shipped import shipped
from tests.web.views import view_of

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
THEME = """\
rulelang: 2
colours: {red: "#c0392b"}
signs: {ruby: R}
pictures: {ruby: ruby.png, sky: big.png, Card: page.jpg}
"""


def test_a_theme(tmp_path: Path) -> None:
    """What it names is served as what it is; what is too large, no picture, or leads out of the folder is not."""
    folder = tmp_path / "theme"
    folder.mkdir()
    (folder / "theme.yaml").write_text(THEME, encoding="utf-8")
    (folder / "ruby.png").write_bytes(PNG)
    (folder / "big.png").write_bytes(PNG + bytes(PICTURE))
    (folder / "secret.png").write_bytes(PNG)
    (tmp_path / "outside.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "page.jpg").symlink_to(tmp_path / "outside.jpg")
    game = ruleset(tmp_path, STALLS)
    theme = theme_of(game)
    assert (theme.signs, theme.picture("ruby", "Card"), theme.picture("none")) == ({"ruby": "R"}, "ruby.png", "")
    assert picture(game, "ruby.png") == (PNG, "image/png")
    assert picture(game, STYLES) == (b".own-red{--c:#c0392b}\n", "text/css")
    for name in ("big.png", "secret.png", "page.jpg", "../ruleset.yaml", "theme.yaml"):
        assert picture(game, name) is None
    assert theme.faults == ("big.png: no picture", "page.jpg: no picture")


def test_a_wrong_theme(tmp_path: Path) -> None:
    """It is not used, and says where it is wrong; names that the ruleset has not are told too."""
    (tmp_path / "theme").mkdir()
    file = tmp_path / "theme" / "theme.yaml"
    file.write_text('rulelang: 2\ncolours: {red: "red; }"}\n', encoding="utf-8")
    wrong = theme_of(ruleset(tmp_path, STALLS))
    assert not wrong.colours
    assert len(wrong.faults) == 1
    assert "theme.yaml:2" in wrong.faults[0]
    file.write_text('rulelang: 2\ncolours: {reed: "#123456"}\n', encoding="utf-8")
    assert theme_of(ruleset(tmp_path, STALLS)).faults == ("colours: there is no `reed`",)


DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'


@pytest.mark.parametrize(
    ("body", "draws"),
    [
        ('<defs><g id="a"><path d="M0 0h9"/></g></defs><use href="#a"/>', True),
        ('<rect fill="url(#a)" width="9" height="9"/>', True),
        ("<script>alert(1)</script>", False),
        ('<rect onload="alert(1)"/>', False),
        ('<rect ONCLICK="alert(1)"/>', False),
        ('<image href="https://example.org/a.png"/>', False),
        ('<use href="other.svg#a"/>', False),
        ('<use xmlns:x="http://www.w3.org/1999/xlink" x:href="javascript:alert(1)"/>', False),
        ('<rect fill="url(https://example.org/a)"/>', False),
        ('<rect style="fill: red"/>', False),
        ("<style>rect{}</style>", False),
        ("<foreignObject/>", False),
        ("<text>words</text>", False),
        ("<animate/>", False),
        ("<g>", False),
    ],
)
def test_a_drawing_only_draws(tmp_path: Path, body: str, draws: bool) -> None:
    """An SVG is served if it is nothing but shapes: no script, no style, nothing from elsewhere."""
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "theme.yaml").write_text("rulelang: 2\npictures: {ruby: a.svg}\n", encoding="utf-8")
    for text, served in ((DRAWING.format(body), draws), ("<!DOCTYPE svg>" + DRAWING.format(""), False)):
        (tmp_path / "theme" / "a.svg").write_text(text, encoding="utf-8")
        game = ruleset(tmp_path, STALLS)
        assert picture(game, "a.svg") == ((text.encode(), "image/svg+xml") if served else None)


LOOK = """\
rulelang: 2
pictures: {nut: a.svg, small: a.svg, red: a.svg}
backs: {Crate: b.svg}
boards: {Square: c.svg}
patterns: {Square: chequered}
cells: {Square: {"#": d.svg}}
layout: {yard: pile, lane: track, shed: hidden, handled: hidden}
shapes: {Crate: portrait}
players: {cyan: "#123456"}
fonts: {titles: serif}
places: {picture: e.svg, size: [4, 3], at: {yard: [10, 20, 30], near: [1, 2, 3]}}
"""
YARD = """\
rulelang: 2
name: yard
players: 2
languages: [en]
types: {Reach: [near, far], Part: {values: [nut, oil]}}
grids:
  Square:
    attributes: {dry: bool}
    legend: {".": {dry: true}, "#": {dry: false}}
    map: |
      .#
kinds: {Crate: {attributes: {cost: cost of Part}, shown: [cost]}, Man: {}}
pieces:
  Crate:
    - {id: small, cost: 1 nut, count: 2, start: yard, text: {en: Two nuts and oil.}}
    - {id: large, cost: 1 oil, start: store}
    - {id: spare, cost: 1 oil, start: "lane[near]"}
    - {id: old, cost: 1 oil, start: shed}
  Man: [{id: man, per: player, start: "board[a1]"}]
zones:
  yard: {holds: Crate}
  store: {holds: Crate, visible: count}
  shed: {holds: Crate}
  lane: {holds: Crate, per: Reach}
  board: {holds: Man, per: Square}
variables: {handled: {type: 0..9}}
rules: |
  play:
    turn of seat(0):
      choose:
        rest: pass
"""


def test_all_that_a_theme_says(tmp_path: Path) -> None:
    """Each part of it is on the page: the icon before its word, backs, the board's and a cell's picture, piles, tracks,
    shapes, places, shades of players and fonts."""
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "theme.yaml").write_text(LOOK, encoding="utf-8")
    for name in "abcde":
        (tmp_path / "theme" / f"{name}.svg").write_text(DRAWING.format(""), encoding="utf-8")
    game = ruleset(tmp_path, YARD)
    assert theme_of(game).faults == ("pictures: there is no `red`",)
    html = fragment(view_of(game.new_game(2, 1), 0))
    address = "/g/game/0/picture/"
    assert re.search(rf'Two <img class="glyph" src="{address}a.svg" alt="">nuts and oil\.', html)
    assert 'class="stack back-Crate">1</b>' in html
    assert re.search(rf'<image href="{address}c.svg" x="-50" y="-50" width="200" height="100"', html)
    assert re.search(rf'<image href="{address}d.svg" x="50" y="-50" width="100" height="100"/>', html)
    assert html.count(f"{address}d.svg") == 2, "on its cell, and beside its meaning"
    for part in (
        'class="columns track n2"',
        "shape-portrait pictured",
        'class="lay map"',
        " at-yard",
        " at-near",
        "cell ground-dark",
    ):
        assert part in html
    assert not re.search("shed|handled|old", html)
    assert theme_of(game).styles.splitlines() == [
        ".p-cyan{--p:#123456}",
        ".back-Crate{background:url(b.svg) center/cover}",
        ":root{--titles:Charter, Georgia, serif}",
        ".map{aspect-ratio:4/3;background:url(e.svg) center/cover}",
        ".at-yard{left:10%;top:20%;width:30%}",
        ".at-near{left:1%;top:2%;width:3%}",
    ]


DECK = """\
rulelang: 2
name: deck
players: 2
languages: [en]
types: {Suit: [clubs, hearts], Rank: {values: [two, king]}}
words: {en: {two: {one: "2"}, king: {one: king, notation: K}, Card: {row: "{rank} of {suit}"}}}
grids:
  Point: {columns: 3, rows: 2}
  Cell: {columns: 2, rows: 2}
kinds: {Card: {attributes: {suit: Suit, rank: Rank}, start: deck}}
pieces: {Card: [{each: {suit: Suit, rank: Rank}, id: "{rank}_of_{suit}"}]}
zones: {deck: {holds: Card}}
variables: {stone: {type: "player?", per: Point}, mark: {type: "player?", per: Cell}}
rules: |
  play:
    turn of seat(0):
      choose:
        place(spot in Point): stone[spot] := you
        claim(spot in Cell): mark[spot] := you
"""


def test_cards_and_boards_as_players_know_them(tmp_path: Path) -> None:
    """The sign of a playing card, with its name for those who can't see it; lines between crossings; hexagons in rows
    that are each half a cell further to the right, of which cells over the corner are no neighbours."""
    (tmp_path / "theme").mkdir()
    theme = (
        "rulelang: 2\nby: {Card: suit}\nsigns: {hearts: ♥, clubs: ♣}\nshapes: {Card: playing}\n"
        "patterns: {Point: crossings, Cell: slanted}\n"
    )
    (tmp_path / "theme" / "theme.yaml").write_text(theme, encoding="utf-8")
    game = ruleset(tmp_path, DECK)
    assert theme_of(game).faults == ()
    html = fragment(view_of(game.new_game(2, 1), 0))
    signs = re.findall(r'class="sign" aria-hidden="true">(.*?)</b><span class="name">(.*?)</span>', html)
    assert signs == [("2♣", "2 of clubs"), ("K♣", "king of clubs"), ("2♥", "2 of hearts"), ("K♥", "king of hearts")]
    crossings, slanted = re.findall(r"<svg class=\"(?:crossings|slanted).*?</svg>", html, re.DOTALL)
    lines = {tuple(map(int, re.findall(r'"(-?\d+)"', line))) for line in re.findall("<line.*?>", crossings)}
    across = {(x, y, x + 100, y) for x in (0, 100) for y in (0, 100)}
    assert lines == across | {(x, 0, x, 100) for x in (0, 100, 200)}
    centres = dict(re.findall(r'<g data-z="(\w+)">.*?points="(-?\d+,-?\d+)', slanted, re.DOTALL))
    (ax, _), (bx, _) = (map(int, centres[cell].split(",")) for cell in ("a1", "a2"))
    assert bx - ax == 50


@pytest.mark.parametrize("name", ["droids", "imaginarium", "ldd", "reco"])
def test_shipped_themes(name: str) -> None:
    """They say nothing wrong, have a cover and a back for each kind of cards, and weigh little."""
    game = shipped(name)
    theme = theme_of(game)
    assert theme.faults == ()
    assert theme.backs
    assert cover_in(shipped_rulesets() / name) is not None
    assert sum(len((picture(game, file) or (b"", ""))[0]) for file in theme.folders) < 40_000
