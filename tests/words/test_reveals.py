"""A value of every type is revealed: told in both languages, to those it is for alone, and read back from a save.

`GAME` reveals each value of `ROWS` to seat 1, in their order; rows have what seat 1 is told. Every type that a
value can have stands in a row, and a new type needs one.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

import rulelang
from rulelang.agents import make_bot
from rulelang.cli import rulelang as command
from rulelang.diagnostics import RulesetError
from rulelang.ir.walk import operands
from rulelang.record import SHOWN
from rulelang.runtime.sight import SPECTATOR
from rulelang.session import HUMAN, Session
from rulelang.table.recent_events import doings
from rulelang.vocabulary.types import PLAIN, SCALARS, WRAPPERS, Type
from rulelang.web.table import fragment
from tests.web.views import view_of
from tests.words.games import made

GAME = """\
rulelang: 2
name: shown
players: 3
teams: {3: [[0, 1]]}
languages: [en, fr]
types: {Suit: [clubs, hearts], Good: {values: [nut, oil]}}
grids: {Board: {columns: 3, rows: 1}}
kinds:
  Card: {attributes: {suit: Suit, rank: 1..3, extra: "0..5?"}, start: hand}
  Unit: {identity: true, start: camp}
pieces:
  Card:
    - {id: ace, suit: clubs, rank: 1, per: player, count: 2}
    - {id: two, suit: clubs, rank: 2, per: player, extra: 3}
    - {id: top, suit: hearts, rank: 1, per: player}
  Unit: [{id: ant, count: 2}, {id: bee}]
zones:
  hand: {holds: Card, per: player, visible: owner}
  camp: {holds: Unit, visible: nobody}
  field: {holds: Unit, per: Board}
variables:
  rich: {type: 0..2, per: player, visible: owner}
  stash: {type: bag of Good, per: player, visible: owner, size: owner, start: 2 nut + 1 oil}
  who: {type: "player?", visible: nobody}
  spot: {type: Board, visible: nobody, start: b1}
  beast: {type: "Unit?", visible: nobody}
rules: |
  play:
    let bid = together choose a number from 0 to 2
    for p in players: p.rich := bid[p]
    turn of seat(0): tell(bid[seat(0)], bid[seat(1)])
    reveal bid to seat(1)
    turn of seat(0): go_on()
  rule go_on:
    choose:
      on: pass
  rule tell(a: number, b: number):
"""


class Row(NamedTuple):
    """A value that is revealed, as rules write it; what seat 1 is told in English, in French and as JSON."""

    value: str
    english: str
    french: str
    plain: Any


LISTED = "Shown to you: {}.", "Montré à vous : {}."


def listed(value: str, english: str, french: str, plain: Any) -> Row:
    """A row of what is told behind a colon."""
    return Row(value, LISTED[0].format(english), LISTED[1].format(french), plain)


ROWS = (
    Row("a", "2 is shown to you.", "On montre 2 à vous.", 2),
    Row("rich = 2", "Tell: yes, shown to you.", "Tell : oui, montré à vous.", True),
    Row("top of hand.suit", "Clubs is shown to you.", "On montre clubs à vous.", "clubs"),
    Row("spot", "B1 is shown to you.", "On montre b1 à vous.", "b1"),
    Row("top of orthogonal", "North is shown to you.", "On montre nord à vous.", "north"),
    Row("top of camp", "An ant is shown to you.", "On montre un ant à vous.", "ant"),
    Row("top of hand", "Seat 0's ace is shown to you.", "On montre l'ace du joueur 0 à vous.", "ace@0"),
    listed("you", "seat 0", "le joueur 0", 0),
    listed("you.next", "you", "vous", 1),
    listed("who", "nothing", "rien", None),
    listed("beast", "nothing", "rien", None),
    listed("top of (hand where it.rank = 3)", "nothing", "rien", None),
    listed("max(c.rank for c in hand where c.rank = 3)", "nothing", "rien", None),
    listed("stash", "2 nuts and 1 oil", "2 nuts et 1 oil", {"nut": 2, "oil": 1}),
    listed("0 nut", "nothing", "rien", {"nut": 0, "oil": 0}),
    listed("2 any Good", "2 of nut or oil", "2 parmi nut ou oil", "2 any nut|oil"),
    listed("players where it.rich = 2", "seat 0 and you", "le joueur 0 et vous", [0, 1]),
    listed("players where it.rich = 1", "nothing", "rien", []),
    listed(
        "hand", "2 aces (seat 0), seat 0's two and seat 0's top",
        "2 aces (joueur 0), le two du joueur 0 et le top du joueur 0", ["ace@0", "ace@0", "two@0", "top@0"],
    ),
    listed("camp", "2 ants and the bee", "2 ants et le bee", ["ant", "ant", "bee"]),
    listed("field", "nothing", "rien", []),
    listed(
        "hand grouped by suit", "2 aces (seat 0) + seat 0's two, seat 0's top",
        "2 aces (joueur 0) + le two du joueur 0, le top du joueur 0", [["ace@0", "ace@0", "two@0"], ["top@0"]],
    ),
    listed("hand grouped by suit where false", "nothing", "rien", []),
    listed("hand.rank", "2 × 1, 2 and 1", "2 × 1, 2 et 1", [1, 1, 2, 1]),
    listed("hand.extra", "2 × none, 3 and none", "2 × aucun, 3 et aucun", [None, None, 3, None]),
    listed("distinct(hand.suit)", "clubs and hearts", "clubs et hearts", ["clubs", "hearts"]),
    listed("each(q.rich = 2 for q in players)", "2 × yes and no", "2 × oui et non", [True, True, False]),
    listed("[b1, a1]", "b1 and a1", "b1 et a1", ["b1", "a1"]),
    listed("[top of orthogonal]", "north", "nord", ["north"]),
    listed("each(q.stash for q in teammates)", "2 nuts and 1 oil", "2 nuts et 1 oil", [{"nut": 2, "oil": 1}]),
    listed("each(q.hand.rank for q in teammates)", "(2 × 1, 2 and 1)", "(2 × 1, 2 et 1)", [[1, 1, 2, 1]]),
    listed(
        "each(q.hand grouped by suit for q in teammates)", "(2 aces (you) + your two, your top)",
        "(2 aces (vous) + votre two, votre top)", [[["ace@1", "ace@1", "two@1"], ["top@1"]]],
    ),
    listed("each(q.hand for q in teammates)", "your hand", "votre hand", ["hand[1]"]),
    listed("bid", "2 (seat 0), 2 (you) and 0 (seat 2)", "2 (joueur 0), 2 (vous) et 0 (joueur 2)", [2, 2, 0]),
)  # fmt: skip

NEVER = ("none", "[]", "idle()")
"""What `reveal` refuses, as it is no value of a type."""
STORED_ALONE = {"purse", "payment", "reaction", "void", "bits"}
"""Types of the intermediate representation that no revealed value has, as no expression does."""


def game(folder: Path) -> rulelang.Ruleset:
    """The ruleset with its reveals."""
    told = "".join(f"    reveal {row.value} to seat(1)\n" for row in ROWS if row.value != "bid")
    return made(folder, GAME + told)


def played(ruleset: rulelang.Ruleset, backend: str) -> rulelang.State:
    """The position in which all is revealed: two seats have chosen 2, the last one 0."""
    state = ruleset.new_game(3, seed=1, backend=backend)
    for number in (2, 2, 0):
        state.apply(f"play:bid={number}")
    return state


@pytest.fixture(scope="module")
def ruleset(tmp_path_factory: pytest.TempPathFactory) -> rulelang.Ruleset:
    return game(tmp_path_factory.mktemp("shown"))


def _is_shown(event: dict[str, Any]) -> bool:
    return bool(event["type"] == "reveal")


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_values_of_all_types_are_told(ruleset: rulelang.Ruleset, backend: str) -> None:
    """Events and story tell seat 1 each value, in words and as JSON; nobody else learns any of them, nor does its
    play differ: a seat knows the same in all its worlds, and after a save."""
    state = played(ruleset, backend)
    for told in (state.events, state.story):
        shown = [list(filter(_is_shown, told(1, lang=lang))) for lang in ("en", "fr")]
        for row, english, french in zip(ROWS, *shown, strict=True):
            assert english["text"] == row.english
            assert french["text"].replace("\u00a0", " ") == row.french
            assert english["value"] == row.plain
        for seat in (0, 2, SPECTATOR):
            assert {event["value"] for event in filter(_is_shown, told(seat))} == {None}
    assert ruleset.state_from_json(state.to_json()).events() == state.events()
    for seat in range(3):
        assert state.resample(seat, 3).information_state(seat) == state.information_state(seat)


def test_every_front_end_tells_them(ruleset: rulelang.Ruleset, tmp_path: Path) -> None:
    """A page, its news, `play` with a script, its record and a search show what was revealed."""
    state = played(ruleset, "interpreter")
    page = fragment(view_of(state, 1))
    assert "2 (seat 0), 2 (you) and 0 (seat 2)" in page
    assert any("2 ants and the bee" in doing.text for doing in doings(state, 1, state.story(1), "en"))
    assert make_bot("mcts:20", 1, 0).choose(state, 0).id == "on"
    script = tmp_path / "script"
    lines = [{"seat": seat, "id": f"play:bid={n}"} for seat, n in enumerate((2, 2, 0))]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    record = str(tmp_path / "record")
    arguments = [
        "--players",
        "3",
        "--script",
        str(script),
        "--seat",
        "0=random",
        "--seat",
        "1=human",
        "--record",
        record,
    ]
    done = CliRunner().invoke(command, ["play", str(ruleset.path), *arguments])
    assert done.exit_code == 0, done.output
    assert "Shown to you: 2 ants and the bee." in done.output
    done = CliRunner().invoke(command, ["replay", record])
    assert done.exit_code == 0, done.output


def test_every_type_is_revealed_in_a_row(ruleset: rulelang.Ruleset, tmp_path: Path) -> None:
    """Each type that a value can have at run time is that of a revealed one, but for those of no expression."""
    blocks = [block for procedure in ruleset.program.procedures for block in procedure.blocks]
    revealed = [operands(s)[0].type for block in blocks for s in block.statements if s.op == "reveal"]
    stored = {part for type_ in revealed for part in _parts(type_)}
    every = {*WRAPPERS, *PLAIN, *SCALARS, "bag", "cost", *STORED_ALONE}
    assert every - stored == STORED_ALONE
    for value in NEVER:
        text = GAME + f"    reveal {value}\n  rule idle(): pass\n"
        with pytest.raises(RulesetError):
            made(tmp_path, text)


def _parts(type_: Type) -> set[str]:
    """The kinds of a type and of all within it."""
    return {type_.kind} | (_parts(type_.inner) if type_.wraps else set())


def test_an_undo_gives_away_that_there_was_nothing(tmp_path: Path) -> None:
    """Who was shown that a value is absent has seen something hidden."""
    rules = "    turn of seat(0): go_on()\n    turn of seat(0): go_on()\n"
    text = (
        GAME[: GAME.index("    let bid")]
        + rules
        + "  rule go_on:\n    choose:\n      on: pass\n    reveal who to seat(2)\n"
    )
    state = made(tmp_path, text).new_game(3)
    game = Session.new(state, 1, dict.fromkeys(range(3), HUMAN), None)
    game.choose(game.state.legal_actions()[0], 0)
    undo = game.undoing(0)
    assert undo is not None
    assert (undo.seen, undo.seats) == ((SHOWN,), (2,))


def test_who_wins_a_trick_is_played_at_the_terminal() -> None:
    """Hearts, which reveals who holds a card, goes from a whole script to its end at the terminal."""
    done = CliRunner().invoke(
        command, ["play", "benchmarks/games/hearts", "--seat", "0=random", "--bot", "random", "--seed", "0"]
    )
    assert done.exit_code == 0, done.output
    assert re.search(r"Shown to all: (Ada|Basil|Clara|Dario)", done.output)


def test_partners_show_each_other_their_hands(tmp_path: Path) -> None:
    """The how-to's line: with partners they see the cards, the others that something was shown; alone nobody does."""
    text = GAME.replace("let bid = together choose a number from 0 to 2", "pass")
    text = text[: text.index("    for p in players: p.rich")]
    rules = "    for p in players:\n      turn of p:\n        reveal hand to teammates\n        go_on()\n"
    rules += "  rule go_on:\n    choose:\n      on: pass\n"
    state = made(tmp_path, text + rules).new_game(3)
    for _ in range(2):
        state.apply("on")
    said = {seat: [e["text"] for e in filter(_is_shown, state.events(seat))] for seat in range(3)}
    assert said[1] == [
        "Shown to you: 2 aces (seat 0), seat 0's two and seat 0's top.",
        "Shown to seat 0: cards.",
        "Shown to nobody: cards.",
    ]
    assert said[2] == ["Shown to seat 1: cards.", "Shown to seat 0: cards.", "Shown to nobody: cards."]
