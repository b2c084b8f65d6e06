"""What stands on the screen, to the letter: a small game worked out by hand, wide and narrow, in two languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.cli.output import printable
from rulelang.cli.play import layout
from rulelang.cli.play.screen import Screen
from rulelang.game import State
from rulelang.table.names import Names
from rulelang.table.view import everything, shares
from tests.play import games

from .conftest import Play

WIDE = """\
Stalls, 3 players · Ada and Basil: random moves
Type `help` for the commands, `rules` for the rules. Seed 0: `--seed 0` plays it
again.
── Stalls · turn 1 ─────────────────────────────────────────────────────────────
shop red  ruby
deck: 1 · lead: you
── You ─────────────────────────────────────────────────────────────────────────
hand  ruby, sky
coins: 3
empty: kept
── The others ──────────────────────────────────────────────────────────────────
Ada    hand: 2 cards · coins: 3
Basil  hand: 2 cards · coins: 3
Act: choose colour
  1  red
  2  blue
you> q
"""

NARROW = """\
Étals, 2 joueurs · Ada : au hasard
Tapez `aide` pour les commandes,
`règles` pour les règles. Graine 0 :
`--seed 0` la rejoue.
── Étals · tour 1 ──────────────────────
shop rouge  ruby
pioche : 3 · lead : vous
── Vous ────────────────────────────────
main  ruby, ciel
pièces : 3
vide : kept
── Les autres ──────────────────────────
Ada  main : 2 cards · pièces : 3
Act : choisissez colour
  1  rouge
  2  blue
vous> q
"""

LATER = """\
── Stalls · turn 3 ─────────────────────────────────────────────────────────────
deck: 3 · lead: Ada
── You ─────────────────────────────────────────────────────────────────────────
hand  ruby, sky
kept  ruby
coins: 2
── The others ──────────────────────────────────────────────────────────────────
Ada  hand: 2 cards · coins: 3 · tired
"""

FIELD = """\
── field · turn 2 ──────────────────────────────────────────────────────────────
    a  b  c
 1 S0  .  .
 2  . 2B S1
B buoy  S0 ship (Ada) [load 2]  S1 ship (you)  . grass  ~ water
depth
    a  b  c
 1  0  0  0
 2  3  0  0
store  buoy
"""


def test_the_first_screen_wide(play: Play) -> None:
    """At 80 columns: the table, yours, a line for each of the others, the question and its options."""
    assert play("play", "stalls", "--players", "3", typed=["q"]).out.startswith(WIDE)


def test_the_first_screen_narrow(play: Play) -> None:
    """At 40 columns, in French: nothing is cut off; names without French words stay as they are."""
    assert play("play", "stalls", "--lang", "fr", typed=["q"], width=40).out.replace("\u00a0", " ").startswith(NARROW)


def test_what_has_no_room_for_columns_is_listed(play: Play) -> None:
    """Each place with what lies there, as the language writes a colon."""
    for lang, listed in (("en", "belt 1: "), ("fr", "place 1 : ")):
        assert listed in " ".join(play("play", "imaginarium", "--lang", lang, typed=["q"], width=110).out.split())


def test_no_line_is_wider_than_the_terminal(play: Play) -> None:
    """However narrow, every line fits, whatever is asked."""
    typed = ["help", "why", "why 1", "scores", "log", "board shop", "card ruby", "x=1", "1", "2", "undo", "n", "q"]
    for width in (24, 33, 40, 80, 120):
        for lang in ("en", "fr"):
            out = play("play", "stalls", "--players", "3", "--lang", lang, typed=typed, width=width).out
            assert max(map(len, out.splitlines())) <= width


def test_marks_parties_and_what_is_yours_later(play: Play) -> None:
    """A mark that is set is named, a variable that holds a seat names it, empty columns stay."""
    steps = [(0, "act:colour=red"), (0, "buy:card=ruby"), (1, "act:colour=red"), (1, "rest")]
    lines = [f'{{"seat": {seat}, "id": "{id_}"}}' for seat, id_ in steps]
    Path("s.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = play("play", "stalls", "--seat", "0=human", "--script", "s.jsonl", typed=["q"]).out
    assert LATER in out


def test_a_board(play: Play) -> None:
    """A grid is drawn with its cells' names, short signs and what they mean; a variable of cells on its own."""
    Path("s.jsonl").write_text('{"seat": 0, "id": "play:depth=3"}', encoding="utf-8")
    assert FIELD in play("play", "field", "--seat", "1=human", "--script", "s.jsonl", typed=["q"]).out
    narrow = play("play", "field", "--seat", "1=human", "--script", "s.jsonl", typed=["q"], width=24).out
    assert max(map(len, narrow.splitlines())) <= 24


@pytest.fixture
def secret(tmp_path: Path) -> State:
    """Each of two seats holds a card, and one lies unseen in the deck."""
    return games.ruleset(tmp_path / "secrets", games.SECRETS).new_game(2, 1)


def test_hidden_things_are_not_in_a_view(secret: State) -> None:
    """A rival's hand is a number; whoever looks at a record sees what any seat sees, but not the deck."""
    mine = secret.observation(0)["zones"]["hand[0]"]["pieces"]
    found = shares(secret.ruleset, secret.observation(0))
    assert [piece.id for piece in found["0"].singles["hand"].pieces or () if piece] == mine  # type: ignore[union-attr]
    assert found["1"].singles["hand"].pieces is None  # type: ignore[union-attr]
    both = shares(secret.ruleset, everything(secret))
    assert len(both["1"].singles["hand"].pieces or ()) == 1  # type: ignore[union-attr]
    assert both[""].singles["deck"].pieces is None  # type: ignore[union-attr]


def test_texts_cannot_steer_the_terminal() -> None:
    """Control characters of a ruleset's words are replaced; letters of any script stay."""
    assert printable("a\x1b[2Jb\x07\u202ec") == r"a\x1b[2Jb\x07\u202ec"
    assert printable("Étals 日本 – ×2") == "Étals 日本 – ×2"


def test_a_place_is_shown_in_full(secret: State) -> None:
    """`board PLACE` finds places by their words, of all owners; nothing where no place is called so."""
    screen = Screen(secret.ruleset, Names(secret, "en"), 80)
    seen = secret.observation(0)
    assert screen.place(seen, "hand") is not None
    assert screen.place(seen, "cellar") is None
    assert screen.place_names(seen) == "deck, hand, table, luck, spent"


def test_labels_alone_are_dim(secret: State) -> None:
    """What stands beside a label on its line has no style of its own."""
    lines = Screen(secret.ruleset, Names(secret, "en"), 80).full(secret.observation(0), 0)
    (hand,) = (line for line in lines if line.plain.startswith("hand  "))
    assert not hand.style
    assert [(hand.plain[span.start : span.end].strip(), span.style) for span in hand.spans] == [("hand", "dim")]


ROAD = """
rulelang: 2
name: road
players: 2
types: {Gap: {between: neighbours}, Size: [small, large], Fruit: {values: [fig, plum]}}
words: {en: {shed.fig.large: {one: great fig shed}}}
kinds: {Cart: {variables: {load: {type: bag of Fruit}}, start: barn}}
pieces: {Cart: [{id: red}, {id: blue}, {id: green, start: "shed[fig, large]"}, {id: grey, start: "shed[plum, large]"}]}
zones:
  barn: {holds: Cart}
  road: {holds: Cart, per: Gap}
  shed: {holds: Cart, order: pile, visible: count, per: [Fruit, Size]}
rules: |
  play:
    for cart in barn where cart is blue: cart.load += 2 fig
    turn of seat(0):
      for gap in Gap: move (choose one of barn) to road[gap]
"""


def test_what_lies_between_seats(play: Play) -> None:
    """What lies between seats stands under their names; an empty bag that a piece carries is not told; a zone of
    several indices goes by its exact words if it has some."""
    Path("road").mkdir()
    Path("road/ruleset.yaml").write_text(ROAD, encoding="utf-8")
    out = play("play", "road", typed=["red"]).out
    assert re.search(r"(?m)^barn +red, blue \[load 2 figs\]$", out)
    assert "great fig shed" in out, "its exact words"
    assert "shed plum, large" in out


LAMPS = """
rulelang: 2
name: lamps
players: 2
types: {Colour: [red, blue, green]}
variables:
  lit: {type: bool, per: [player, Colour]}
  seen: {type: bool, per: Colour}
  coins: {type: 0..9, per: [player, Colour]}
marks:
  tired: {per: [player, Colour]}
  asleep: {per: [player, Colour]}
rules: |
  play:
    for p in players:
      p.lit[red] := true
      p.lit[green] := true
      mark p.tired[blue] until before turn of p
      mark p.asleep[blue] until after turn of p
    turn of seat(0): let n = choose a number from 1 to 2
"""


def test_truth_values_of_a_type_are_a_list_of_those_that_hold(play: Play) -> None:
    """Three lamps in three lists, not in a table of yes and no; of marks none where none is set."""
    Path("lamps").mkdir()
    Path("lamps/ruleset.yaml").write_text(LAMPS, encoding="utf-8")
    assert play("play", "lamps", typed=["q"]).out.splitlines()[3:11] == LAMPS_SHOWN.splitlines()


LAMPS_SHOWN = """\
── lamps · turn 1 ──────────────────────────────────────────────────────────────
── You ─────────────────────────────────────────────────────────────────────────
       red  blue  green
coins  0    0     0
lit: red, green · asleep: blue
── The others ──────────────────────────────────────────────────────────────────
Ada  lit: red, green · tired: blue · asleep: blue · coins red: 0 · coins blue: 0
       · coins green: 0
"""


def test_what_cards_do_stands_there_where_there_is_room(play: Play) -> None:
    """After all else: the author's text, or the rules in words; not where the rows are few."""
    text = games.STALLS.replace("words: {fr: ciel}", 'text: {en: "Look up."}')
    state = games.ruleset(Path("told"), text).new_game(2, 1)
    names = Names(state, "en", reader=0)
    seen = state.observation(0)
    table = Screen(state.ruleset, names, 80).table
    drawn = {rows: "\n".join(line.plain for line in table(seen, 0).lines(rows)) for rows in range(20)}
    assert "sky — Look up." in drawn[19]
    first = next(rows for rows in drawn if "Look up" in drawn[rows])
    assert drawn[first - 1].count("\n") == first - 2 == drawn[first].count("\n") - 1


CRATES = """\
rulelang: 2
name: crates
players: 2
kinds:
  Card: {attributes: {worth: 1..20, weight: 1..20}, shown: [worth, weight], start: cellar}
pieces:
  Card: [{id: "c{worth}", each: {worth: 1..12}, weight: 3}, {id: gem, worth: 20, weight: 9, start: stall}]
zones: {cellar: {holds: Card}, stall: {holds: Card}, kept: {holds: Card, per: player}}
rules: |
  play:
    for p in players:
      turn of p: move (random one of cellar) to kept
  score kept: sum(kept.worth) + sum(kept.weight)
"""


def test_many_pieces_are_named_after_few_are_shown_in_full(tmp_path: Path) -> None:
    """A cellar of twelve is a number where its names would take the place of what the stall's one card is worth."""
    state = games.ruleset(tmp_path / "crates", CRATES).new_game(2, 1)
    names = Names(state, "en", reader=0)
    table = Screen(state.ruleset, names, 80).table(state.observation(0), 0)
    table.height(layout.DETAILS)
    shown = "\n".join(line.plain for line in table._lines())
    assert "cellar: 10" in shown
    assert "gem — worth 20 · weight 9" in shown
