"""The model of a page, worked out by hand from small games: what lies where, what is lit, what is asked."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import rulelang
from rulelang.game import State
from rulelang.table.scene import PickState, Zone
from rulelang.vocabulary.types import Type
from rulelang.web.games import Games
from rulelang.web.pages import render
from rulelang.web.store import Store
from rulelang.web.table import Bar, PageBuilder, fragment, part
from tests.play.games import STALLS, ruleset
from tests.web.views import view_of

TILES = str(Path(__file__).parents[1] / "conformance" / "rulesets" / "tiles")
SHORES = str(Path(__file__).parents[1] / "game" / "shores")
LOADS = """\
rulelang: 2
name: loads
players: 2
languages: [en]
types: {Part: {values: [nut, oil]}}
kinds: {Crate: {attributes: {cost: cost of Part, worth: 0..9}, shown: [cost, worth], start: yard}}
pieces:
  Crate:
    - {id: small, cost: 1 nut, worth: 2, count: 3}
    - {id: large, cost: 2 nut + 1 oil, worth: 5}
zones: {yard: {holds: Crate}, hold: {holds: Crate, per: player}}
variables: {purse: {type: bag of Part, per: player, start: 2 nut + 2 oil, visible: owner, size: owner}}
rules: |
  play:
    repeat 2 times:
      for p in players:
        turn of p: act()
  rule act:
    let haul = choose 1 to 2 of yard
    move haul to hold
    choose work:
      buy(c in yard, paying c.cost from purse): move c to hold
      rest: pass
"""


def model(state: State, seat: int, *picks: str) -> tuple[PageBuilder, list[Zone], Bar | None]:
    """The table of a seat, all its zones, what is asked."""
    table = PageBuilder(view_of(state, seat, picks=picks))
    areas = table.areas()
    zones = [zone for area in areas for zone in area.zones]
    zones += [zone for area in areas for row in area.columns for column in row for zone in column.zones]
    return table, zones, table.bar()


def lit(zones: list[Zone]) -> dict[str, str]:
    """Where what can be picked lies: zone and row -> pick."""
    return {
        f"{z.name} {c.piece.id}": c.pick_state.pick for z in zones for c in z.cards if c.piece and c.pick_state.pick
    }


def texts(bar: Bar | None) -> list[str]:
    """The choices that are listed."""
    return [action.text("en") for action in bar.listed] if bar else []


def test_a_value_is_picked_at_its_column(tmp_path: Path) -> None:
    """The colour to choose lights the shop's columns; picking it leaves one choice, which is confirmed."""
    state = ruleset(tmp_path, STALLS).new_game(2)
    table = PageBuilder(view_of(state, 0))
    columns = {column.name: column.pick_state for row in table.areas()[0].columns for column in row}
    assert columns == {"red": PickState("colour=red"), "blue": PickState("colour=blue")}
    _, _, bar = model(state, 0, "colour=red")
    assert bar is not None
    assert bar.ready is not None
    assert (bar.ready.id, bar.picked) == ("act:colour=red", (("red", ()),))


def test_cards_are_lit_where_they_lie(tmp_path: Path) -> None:
    """The red card in one's hand can be shown, the one in the shop bought; nobody else's hand is there at all."""
    state = ruleset(tmp_path, STALLS).new_game(2)
    state.apply("act:colour=red")
    _, zones, bar = model(state, 0)
    assert lit(zones) == {"shop[red] ruby": "card=ruby@shop[red]", "hand[0] ruby": "card=ruby@hand[0]"}
    assert [zone.name for zone in zones if zone.name.startswith("hand")] == ["hand[0]"]
    assert texts(bar) == ["show ruby", "buy ruby", "rest"]
    _, zones, bar = model(state, 0, "card=ruby@shop[red]")
    assert bar is not None
    assert bar.ready is not None
    assert bar.ready.id.startswith("buy")
    shop = next(card for zone in zones for card in zone.cards if zone.name == "shop[red]")
    assert shop.pick_state == PickState("", 1)


def test_several_things_are_picked_one_by_one(tmp_path: Path) -> None:
    """Of `some 1..2` one may be enough: it can be confirmed, and another one picked; two alike are one card twice."""
    state = ruleset(tmp_path, LOADS).new_game()
    _, zones, bar = model(state, 0, "haul=small@yard")
    assert bar is not None
    assert bar.ready is not None
    assert bar.ready.id == "act:haul=small"
    yard = next(zone for zone in zones if zone.name == "yard")
    assert {card.piece.id: card.pick_state for card in yard.cards if card.piece} == {
        "small": PickState("haul=small@yard", 1),
        "large": PickState("haul=large@yard", 0),
    }
    _, _, bar = model(state, 0, "haul=small@yard", "haul=small@yard")
    assert bar is not None
    assert bar.ready is not None
    assert bar.ready.id == "act:haul=small+small"


def test_a_pick_of_an_older_table_is_left_out(tmp_path: Path) -> None:
    """What no choice holds is not picked."""
    _, _, bar = model(ruleset(tmp_path, LOADS).new_game(), 0, "haul=gone@yard", "haul=large@yard")
    assert bar is not None
    assert [text for text, _ in bar.picked] == ["large"]


def test_a_payment_is_picked_from_ones_own(tmp_path: Path) -> None:
    """The parts that pay are lit in the purse, which nobody else's is."""
    state = ruleset(tmp_path, LOADS.replace("cost: 1 nut,", "cost: 1 any Part,")).new_game()
    state.apply("act:haul=large")
    areas = PageBuilder(view_of(state, 0)).areas()
    (purse,) = areas[1].counters
    assert [(n, name, lit.pick) for n, name, lit in purse.goods] == [
        (2, "nut", "pay=nut"),
        (2, "oil", "pay=oil"),
    ]
    assert areas[2].counters == []


def test_a_card_shows_its_cost_as_signs(tmp_path: Path) -> None:
    """2 nuts and 1 oil drop, a number as a badge; a resource has a letter of its own."""
    table = PageBuilder(view_of(ruleset(tmp_path, LOADS).new_game(), 0))
    cost, worth = table.looks.look("large").facts
    assert [(n, glyph.name, glyph.letters) for n, glyph in cost.goods] == [(2, "nut", "N"), (1, "oil", "O")]
    assert (worth.text, worth.badge, worth.goods) == ("5", True, ())


def test_only_the_reader_sees_what_is_his(tmp_path: Path) -> None:
    """The purse of the other is nowhere in the page, nor is a hand: exchanging what is hidden changes no byte."""
    state = ruleset(tmp_path, LOADS).new_game()
    areas = PageBuilder(view_of(state, 0)).areas()
    assert [[counter.declared for counter in area.counters] for area in areas] == [[], ["purse"], []]
    dealt = ruleset(tmp_path, STALLS).new_game(2, seed=1)
    pages = {fragment(view_of(dealt.resample(0, seed), 0)) for seed in range(6)}
    assert len(pages) == 1


@pytest.mark.parametrize("lang", ["en", "fr"])
def test_pages_hold_what_the_security_policy_allows(tmp_path: Path, lang: str) -> None:
    """No script and no style in the page; hostile names are text."""
    state = ruleset(tmp_path, STALLS).new_game(2)
    html = part(view_of(state, 0, lang), "")
    assert html is not None
    assert not re.search(r"<script(?! src=)|<style| style=| on[a-z]+=|javascript:", html)
    assert f'lang="{lang}"' in html
    card = part(view_of(state, 0, lang), "card", "ruby")
    assert card is not None
    assert "leaflet-en:3" in card
    assert part(view_of(state, 0, lang), "card", "nothing") is None
    assert part(view_of(state, 0, lang), "elsewhere") is None


def test_boards_of_every_shape() -> None:
    """Hexagons, triangles and squares: a cell for each, six, three or four corners; what can be chosen is lit there."""
    state = rulelang.load(TILES).new_game()
    table = PageBuilder(view_of(state, 0))
    boards = {board.name: board for board in table.drawings(table.areas()[0])}
    corners = {name: {len(spot.points.split()) for spot in board.spots} for name, board in boards.items()}
    assert sorted(next(iter(sizes)) for sizes in corners.values()) == [3, 4, 6]
    for name, board in boards.items():
        assert [spot.name for spot in board.spots] == list(table.names.grid(name).cells)
        assert len({(spot.x, spot.y) for spot in board.spots}) == len(board.spots)
    drawn = [spot.sign for board in boards.values() for spot, _ in board.edges]
    assert "|" in drawn
    assert "-" in "".join(drawn)
    assert not boards["Hex"].edges
    decision = state.decision(0)
    assert decision is not None
    state.apply(next(action.id for action in decision.choices if action.text("en") == "ant northeast"))
    table = PageBuilder(view_of(state, 0))
    (edge,) = next(board for board in table.drawings(table.areas()[0]) if board.name == "Hex").edges
    assert (edge[0].name, edge[0].ground, edge[0].label) == ("c1_b2", "held", "between c1 and b2: crossed")


@pytest.mark.parametrize("adjacency", ["all", "hexagonal", "triangular"])
def test_the_first_row_can_lie_below(tmp_path: Path, adjacency: str) -> None:
    """The same board upside down: places, outlines and numbers of rows."""
    drawn = []
    for first in ("top", "bottom"):
        board = f"""\
rulelang: 2
name: {first}
players: 1
grids: {{Cell: {{columns: 3, rows: 4, adjacency: {adjacency}, first_row: {first}}}}}
kinds: {{Man: {{start: "board[a1]"}}}}
pieces: {{Man: [{{id: man}}]}}
zones: {{board: {{holds: Man, per: Cell}}}}
rules: |
  play:
    turn of seat(0):
      let c = choose one of Cell
"""
        (tmp_path / first).mkdir()
        table = PageBuilder(view_of(ruleset(tmp_path / first, board).new_game(), 0))
        drawn += table.drawings(table.areas()[0])
    down, up = drawn
    middle = down.spots[0].y + up.spots[0].y
    for a, b in zip(down.spots, up.spots, strict=True):
        assert (a.name, a.x, a.y) == (b.name, b.x, middle - b.y)
        ends = [[tuple(map(int, end.split(","))) for end in spot.points.split()] for spot in (a, b)]
        assert ends[0] == [(x, middle - y) for x, y in ends[1]]
    assert [(x, middle - y, text) for x, y, text in up.heads if text.isdigit()] == [
        head for head in down.heads if head[2].isdigit()
    ]


@pytest.mark.parametrize("adjacency", ["all", "hexagonal", "triangular"])
def test_who_sits_opposite_sees_the_board_turned(tmp_path: Path, adjacency: str) -> None:
    """Each cell and outline lies where half a turn takes it, the targets are the same, the picture below lies turned;
    the fourth seat sits as the second does, who only looks on as the first."""
    game = f"""\
rulelang: 2
name: two_sides
players: [2, 4]
grids: {{Cell: {{columns: 3, rows: 4, adjacency: {adjacency}, first_row: bottom, opposite: true}}}}
kinds: {{Man: {{start: "board[a1]", identity: true, variables: {{way: {{type: Direction, start: east}}}}}}}}
pieces: {{Man: [{{id: man}}]}}
zones: {{board: {{holds: Man, per: Cell}}}}
rules: |
  play:
    let c = together choose one of Cell
"""
    state = ruleset(tmp_path, game).new_game(4)
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "theme.yaml").write_text("rulelang: 2\nboards: {Cell: wood.svg}\n", encoding="utf-8")
    (tmp_path / "theme" / "wood.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    tables = [PageBuilder(view_of(state, seat)) for seat in range(4)]
    boards = [board for table in tables for board in table.drawings(table.areas()[0])]
    assert boards[2] == boards[0]
    assert boards[3] == boards[1]
    whole = [a.x + b.x for a, b in zip(*(board.spots for board in boards[:2]), strict=True)]
    middle = whole[0], boards[0].spots[0].y + boards[1].spots[0].y
    for a, b in zip(*(board.spots for board in boards[:2]), strict=True):
        assert (a.name, a.pick_state.pick, a.x, a.y) == (b.name, b.pick_state.pick, middle[0] - b.x, middle[1] - b.y)
        ends = [[tuple(map(int, end.split(","))) for end in spot.points.split()] for spot in (a, b)]
        assert ends[0] == [(middle[0] - x, middle[1] - y) for x, y in ends[1]]
    assert [(board.turned, token.turn) for board in boards[:2] for token in board.spots[0].tokens] == [
        (False, 90), (True, 270),
    ]  # fmt: skip
    assert f"rotate(180 {middle[0] / 2:.1f}" in fragment(view_of(state, 1)) or adjacency != "all"
    columns, rows = ([[head[2] for head in board.heads if head[2].isdigit() is digits] for board in boards[:2]]
                     for digits in (False, True))  # fmt: skip
    if adjacency != "triangular":
        assert (columns, rows) == ([["a", "b", "c"]] * 2, [["1", "2", "3", "4"]] * 2)
        xs, ys = ([head[axis] for head in boards[1].heads if head[2].isdigit() is bool(axis)] for axis in (0, 1))
        assert xs == sorted(xs, reverse=True)
        assert ys == sorted(ys)


def test_whose_a_cell_is_is_told_by_the_colour() -> None:
    """Of a variable that names a player, as of a piece that has an owner; the legend says whose the colour is."""
    state = rulelang.load("hex").new_game(options={"size": 3})
    state.apply("place:spot=b2")
    table = PageBuilder(view_of(state, 1))
    (board,) = table.drawings(table.areas()[0])
    (token,) = (token for spot in board.spots for token in spot.tokens)
    assert (token.sign, token.style) == ("", table.names.style("0"))
    assert [line[1:3] for line in board.legend] == [(token.style, "stones: side 1")]


def test_a_piece_on_a_board_carries_goods(tmp_path: Path) -> None:
    """A bag among the variables of a piece is told on its cell; pieces that carry the same stand together."""
    crates = """\
rulelang: 2
name: crates
players: 2
types: {Part: {values: [nut, oil]}}
grids: {Square: {columns: 2, rows: 1}}
kinds: {Crate: {start: "board[a1]", variables: {load: {type: bag of Part, start: 2 nut}}}}
pieces: {Crate: [{id: crate, count: 3}]}
zones: {board: {holds: Crate, per: Square}}
rules: |
  play:
    turn of seat(0):
      let other = choose one of board[a1] else never
      other.load += 1 oil
      choose:
        shift: move other to board[b1]
        stay: pass
"""
    state = ruleset(tmp_path, crates).new_game()
    state.apply("play:other=crate.a1")
    table = PageBuilder(view_of(state, 0))
    (board,) = table.drawings(table.areas()[0])
    tokens = [[token.count for token in spot.tokens] for spot in board.spots]
    assert tokens == [[2, 1], []]
    assert "2 nuts" in board.spots[0].label
    assert "1 oil" in board.spots[0].label


def test_what_the_game_tells_of_itself(tmp_path: Path) -> None:
    """Below the table and the form for a new game, in the language of the page; a game that tells nothing has no such
    part."""
    text = STALLS.replace("sources:", "about: {goal: {text: {en: Be <rich>., fr: Soyez riche.}}}\nsources:")
    told = ruleset(tmp_path / "told", text)
    state, silent = told.new_game(2, 1), ruleset(tmp_path / "silent", STALLS).new_game(2, 1)
    for lang, said in (
        ("en", "<h2>The goal</h2><p>Be &lt;rich&gt;.</p>"),
        ("fr", "<h2>Le but</h2><p>Soyez riche.</p>"),
    ):
        assert said in (part(view_of(state, 0, lang), "") or "")
        offer = Games(Store(str(tmp_path / "games.sqlite"))).offers(str(told.path))[lang]
        assert said in render("new.html", lang, offer=offer, players=2, defaults={}, error="", key="told", versions={})
    assert 'id="rules"' not in (part(view_of(silent, 0), "") or "")


PILES = """\
rulelang: 2
name: piles
title: {en: Piles}
players: 2
languages: [en]
types: {Place: [near, far]}
kinds: {Card: {attributes: {worth: 0..9, bonus: 0..9}, defaults: {bonus: 0, worth: 3}, shown: [worth], start: deck}}
pieces: {Card: [{id: common, count: 12}, {id: rare, worth: 5, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  line: {holds: Card, per: Place}
  heap: {holds: Card}
rules: |
  setup:
    shuffle deck
    move top of deck to line[near]
  play:
    repeat 12 times:
      for p in players:
        turn of p:
          choose:
            draw: move top of deck to heap
            wait: pass
"""


def test_piles_and_what_is_empty(tmp_path: Path) -> None:
    """A closed zone is a stack with its number; nothing stands for the empty place; a heap of ten that nobody can
    choose from is folded, one of nine is not."""
    state = ruleset(tmp_path, PILES).new_game(2, 1)
    html = fragment(view_of(state, 0))
    assert 'class="stack">13</b>' in html
    assert (html.count('aria-label="line"'), html.count('aria-label="far"')) == (1, 1)
    for drawn, folded in ((9, 0), (10, 1)):
        while state.observation(0)["zones"]["heap"]["count"] < drawn:
            state.apply("draw", player=state.current_players()[0])
        assert fragment(view_of(state, 0)).count('<details id="d-heap">') == folded


def test_a_hand_is_never_folded(tmp_path: Path) -> None:
    """Nor what a card in it carries left out but for what the theme hides; a seat that it names is called as it is."""
    game = f"""\
rulelang: 2
name: ten
players: 2
kinds: {{Card: {{variables: {{giver: {{type: "player?"}}, counted: {{type: 0..9, start: 7}}}}}}}}
pieces: {{Card: [{", ".join(f"{{id: c{n}, start: deck}}" for n in range(12))}]}}
zones: {{deck: {{holds: Card}}, hand: {{holds: Card, per: player, visible: owner}}, table: {{holds: Card}}}}
rules: |
  setup:
    for card in deck: card.giver := seat(1)
    move deck to seat(0).hand
  play:
    for p in players:
      turn of p:
        choose:
          show_them: move seat(0).hand to table
          wait: pass
"""
    state = ruleset(tmp_path, game).new_game()
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme" / "theme.yaml").write_text("rulelang: 2\nlayout: {counted: hidden}\n", encoding="utf-8")
    html = fragment(view_of(state, 0))
    assert "d-hand" not in html
    assert "giver seat 2" in html  # seats are counted from 1
    assert "counted" not in html
    state.apply("show_them")
    assert 'id="d-table"' in fragment(view_of(state, 0))


def test_a_card_says_what_its_row_says(tmp_path: Path) -> None:
    """Defaults and what is nothing are left out of its page; file and line are for designers."""
    state = ruleset(tmp_path, PILES).new_game(2, 1)
    common, rare = (part(view_of(state, 0), "card", row) or "" for row in ("common", "rare"))
    assert [re.findall(r"<dt>(.*?)</dt>", page) for page in (common, rare)] == [["Copies"], ["worth", "Copies"]]
    told = part(view_of(state, 0, designer=True), "card", "rare") or ""
    assert "ruleset.yaml:8" in told
    assert all("ruleset.yaml" not in (part(view_of(state, 0), name) or "") for name in ("", "table", "why", "sheet"))


def test_what_a_rival_has_laid_is_marked() -> None:
    """Also where stones and lines are values of cells and edges; what was turned over, too; nothing for who did it."""
    marked = []
    for game, id_ in (("othello", "place_disc:spot=d3"), ("dots_and_boxes", "draw_lines:line=a1_b1")):
        state = rulelang.load(game).new_game(2)
        state.apply(id_)
        for seat in (1, 0):
            table = PageBuilder(view_of(state, seat))
            boards = table.drawings(table.areas()[0])
            marked.append({spot.name for board in boards for spot in board.told if spot.fresh})
    assert marked == [{"d3", "d4"}, set(), {"a1_b1"}, set()]


def test_who_plays_and_that_it_is_over(tmp_path: Path) -> None:
    """A seat that a bot has says so, the reader's own too; the title says that a game has ended."""
    state = ruleset(tmp_path, PILES).new_game(2, 1)
    html = fragment(replace(view_of(state, 0), bots={0: "good"}))
    assert "<small>you</small><small>bot</small>" in html
    assert "A bot plays your seat." in html
    assert 'data-title="● Your turn – Piles"' in html
    assert "<title>● Your turn – Piles</title>" in (part(view_of(state, 0), "") or "")
    while not state.is_terminal():
        state.apply("wait", player=state.current_players()[0])
    html = part(view_of(state, 0), "") or ""
    assert "<title>The game is over – Piles</title>" in html
    assert "● Your turn" not in html


def test_what_rivals_have_done(tmp_path: Path) -> None:
    """From one's own turn on: their choices and what came of them, not one's own; the pieces that they moved are marked
    where they lie; who only watches has no turn."""
    text = PILES.replace("order: pile, visible: count", "order: pile").replace("    shuffle deck\n", "")
    state = ruleset(tmp_path, text).new_game(2, 1)
    state.apply("draw", player=0)
    assert PageBuilder(view_of(state, 0)).digest() == []
    top = state.observation(0)["zones"]["deck"]["pieces"][0]
    state.apply("draw", player=1)
    table = PageBuilder(view_of(state, 0))
    ((party, text),) = table.digest()
    assert party == 1
    assert text.startswith("Seat ")
    assert table.fresh == {(top, "heap")}
    fresh = [card.piece.id for zone in table.areas()[0].zones for card in zone.cards if card.fresh and card.piece]
    assert fresh == [top]
    assert fragment(view_of(state, 0)).count(" fresh") == 1
    state.apply("wait", player=0)
    assert [party for party, _ in PageBuilder(view_of(state, 0)).digest()] == [1], "until one's next turn has ended"
    state.apply("wait", player=1)
    assert PageBuilder(view_of(state, 0)).fresh == set()
    assert PageBuilder(replace(view_of(state, 0), seat=None)).digest() == []


def test_what_stands_on_corners_and_edges() -> None:
    """A corner lies where cells meet, an edge on their side; what can be chosen is lit, a road has its colour."""
    state = rulelang.load(SHORES).new_game(2)
    (board,) = PageBuilder(view_of(state, 0)).drawings(PageBuilder(view_of(state, 0)).areas()[0])
    vertices = {name: {*spot.points.split()} for spot in board.spots for name in (spot.name,)}
    layout = state.engine[0].layout
    grid = layout.grids[0]
    cells, corners = Type("cell:Tile"), Type("enum:Corner")
    names = next(enum.values for enum in layout.program.enums if enum.name == "Corner")
    assert [spot.name for spot in board.corners] == [*names]
    for spot, touched in zip(board.corners, grid.touching(corners, cells), strict=True):
        assert spot.pick_state.pick
        at = f"{spot.x},{spot.y}"
        assert [name for name in grid.cells if at in vertices[name]] == [grid.cells[cell] for cell in touched]
    assert not board.edges
    for id_ in ("found:site=b1_north", "found:path=b1_northwest"):
        state.apply(id_)
    (board,) = PageBuilder(view_of(state, 0)).drawings(PageBuilder(view_of(state, 0)).areas()[0])
    ((road, (x, y, u, v)),) = board.edges
    assert (road.ground, road.label) == ("held p-cyan", "at the northwest edge of b1: road: you")
    ends = {tuple(map(int, point.split(","))) for point in vertices["b1"]}
    assert all(any(abs(x - a) + abs(y - b) < 10 for a, b in ends) for x, y in ((x, y), (u, v)))
    told = {spot.name: spot.label for spot in board.corners}
    assert told["b1_north"] == "at the north corner of b1: town: you, rate 3"
    assert told["c1_northeast"] == "at the northeast corner of c1: rate 2, wool"
    assert {spot.name: spot.sign for spot in board.corners if spot.sign} == {
        "b1_north": "3", "b1_northwest": "3", "c1_northeast": "2w", "c1_southeast": "2w", "a2_southwest": "2l",
        "b3_south": "3",
    }  # fmt: skip


NOTED = """\
rulelang: 2
name: noted
players: 2
languages: [en]
words: {en: {place: {notation: "@{spot}"}}}
grids: {Point: {columns: 4, rows: 4}}
variables: {stone: {type: "player?", per: Point}}
rules: |
  play:
    turn of seat(0):
      choose:
        place(spot in Point): stone[spot] := you
"""


def test_a_choice_is_found_by_its_notation(tmp_path: Path) -> None:
    """The one that a notation means is listed alone; of words those that hold them."""
    state = ruleset(tmp_path, NOTED).new_game(2, 1)
    for find, texts in (("@b3", ["Place on b3"]), ("b3", ["Place on b3"]), ("@", []), ("3", ["a3", "b3", "c3", "d3"])):
        listed = re.findall('id="r-[^"]*">(.*?)</button>', part(view_of(state, 0, find=find), "table") or "")
        assert len(listed) == len(texts), (find, listed)
