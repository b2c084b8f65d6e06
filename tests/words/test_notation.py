"""What players write down of their choices: told from the others as briefly as can be, understood where it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rulelang import Action, load
from rulelang.cli import rulelang
from rulelang.game.ruleset import Ruleset
from rulelang.runtime.sight import SPECTATOR
from rulelang.scenarios import run_scenarios
from rulelang.session import HUMAN, Session
from rulelang.table.recent_events import doings, noted

LAMPS = """
rulelang: 2
name: lamps
players: 2
languages: [en, fr]
types: {Colour: [amber, blue]}
grids: {Field: {columns: 3, rows: 3, first_row: bottom}}
kinds: {Lamp: {attributes: {colour: Colour, size: 1..9}, start: chest}}
pieces: {Lamp: [{id: small, colour: amber, size: 2, count: 3}, {id: great, colour: blue, size: 7, count: 3}]}
zones:
  chest: {holds: Lamp, order: pile, visible: count}
  hand: {holds: Lamp, per: player, visible: owner}
variables: {lit: {type: bool, per: Field}}
rules: |
  setup:
    for c in [a1, a3, c1]: lit[c] := true
    for lamp in top 2 of (chest where it.size = 2): move lamp to seat(0).hand
    for lamp in top 2 of (chest where it.size = 7): move lamp to seat(1).hand
    shuffle chest
  play:
    repeat 2 times:
      for p in players:
        turn of p: move_light()
    for p in players:
      turn of p:
        let kept = choose any of hand
        move hand where it not in kept to chest
  rule move_light:
    choose:
      carry(start in Field where lit[it], target in Field where not lit[it]):
        lit[start] := false
        lit[target] := true
      guess: pass
      rest: pass
  function is_middle(c: Field) -> bool = c = b2
  function shade(c: Field) -> Colour? = blue if c.row = 3 else none
  function rival_small -> number = count(next.hand where it.size = 2)
  score hand: count(hand)
words:
  en:
    amber: {one: amber, notation: A}
    blue: {one: blue, short: B}
    Lamp: {one: lamp, notation: "{colour}{size}"}
    carry: {option: "carry from {start} to {target}", notation: "{shade(target)}{start~}{!: is_middle(target)}{target}"}
    guess: {one: guess, notation: "guess {rival_small()}"}
"""


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    """Lights at a1, a3 and c1 are carried to dark fields, then seats choose of the lamps in their hands."""
    folder = tmp_path_factory.mktemp("notation") / "lamps"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(LAMPS, encoding="utf-8")
    return load(folder)


def test_least_of_a_cell(lamps: Ruleset) -> None:
    """To b2 c1 goes as the only one from column c, a3 as the only one from row 3; a1 shares column and row. A condition
    holds at b2 alone, and a function that gives nothing prints nothing."""
    written = {action.id: action.notation() for action in lamps.new_game().legal_actions()}
    assert written["carry:start=c1,target=b2"] == "c!b2"
    assert written["carry:start=a3,target=b2"] == "3!b2"
    assert written["carry:start=a1,target=b2"] == "a1!b2"
    assert written["carry:start=c1,target=c3"] == "Bcc3"
    assert written["rest"] == ""


def test_what_a_notation_means(lamps: Ruleset) -> None:
    """Marks may be left out, and more of a cell told; neither may be wrong, and what fits several options is none."""
    decision = lamps.new_game().decision()
    assert decision is not None
    a1, a3, c1 = (f"carry:start={start},target=b2" for start in ("a1", "a3", "c1"))
    meant = {
        "c!b2": c1,
        "cb2": c1,
        "c1b2": c1,
        "1b2": None,
        "3b2": a3,
        "a3!b2": a3,
        "a1b2": a1,
        "ab2": None,
        "b2": None,
    }
    wrong = {"c!b1": None, "b3b2": None, "": None, "carry": None, "cb2 ": None}
    for text, id_ in {**meant, **wrong}.items():
        action = decision.meant(text)
        assert (action.id if action is not None else None) == id_, text


def test_what_a_seat_cannot_know_is_not_written(lamps: Ruleset) -> None:
    """A function of what another seat holds gives nothing away: one small lamp is not seen, and may be there."""
    for seed in range(4):
        actions = {action.id: action for action in lamps.new_game(seed=seed).legal_actions()}
        assert actions["guess"].notation() == "guess ?"


def test_pieces_by_their_attributes(lamps: Ruleset) -> None:
    """Rows are written by the template of their kind, several with a space between them, in any language with words."""
    state = lamps.new_game()
    for _ in range(4):
        state.apply("rest")
    decision = state.decision()
    assert decision is not None
    assert [action.notation() for action in decision.choices] == ["", "A2", "A2 A2"]
    assert [action.notation("fr") for action in decision.choices] == ["", "A2", "A2 A2"]


def test_scenarios_are_written_in_notation(lamps: Ruleset) -> None:
    """A step of `when` that is no id may be the notation of an option."""
    file = Path(lamps.path) / "scenarios" / "all.yaml"
    file.write_text(
        "rulelang: 2\nscenarios:\n"
        '  - {name: written, when: [c!b2, 3b1], then: ["lit[b2] and lit[b1] and not lit[c1] and not lit[a3]"]}\n'
        '  - {name: ambiguous, when: [b2], then: ["lit[b2]"]}\n',
        encoding="utf-8",
    )
    results = {result.name: result for result in run_scenarios(lamps)}
    assert results["written"].ok, results["written"].message
    assert results["ambiguous"].message.startswith("`b2` is not offered")


def test_played_and_replayed(lamps: Ruleset, tmp_path: Path) -> None:
    """The notation is understood at the prompt, told after the choice, and a game is numbered by turns."""
    record = str(tmp_path / "game.json")
    people = ["--seat", "0=human", "--seat", "1=human", "--lang", "en", "--seed", "1"]
    typed = "c!b2\n3b1\nBa1b3\nrest\n0\n0\n"
    played = CliRunner().invoke(rulelang, ["play", lamps.path, *people, "--record", record], input=typed)
    assert "carry from c1 to b2 (c!b2)." in played.output
    assert played.output.count("(c!b2)") == 1  # there are secrets: the other seat reads the sentence alone
    replayed = CliRunner().invoke(rulelang, ["replay", record, "--notation", "--format", "json"])
    assert json.loads(replayed.output)["notation"].startswith("1. c!b2 3b1 2. Bab3 rest 3.")


TRICKS = """
rulelang: 2
name: tricks
players: 3
types: {Suit: [clubs, spades]}
kinds: {Card: {attributes: {suit: Suit, rank: 1..9}, start: deck}}
pieces: {Card: [{id: low, suit: clubs, rank: 2, count: 2}, {id: high, suit: spades, rank: 9, count: 2}]}
zones:
  deck: {holds: Card, order: pile, visible: nobody}
  hand: {holds: Card, per: player, visible: owner}
  shown: {holds: Card, per: player}
  away: {holds: Card, visible: nobody}
rules: |
  setup:
    for p in players:
      move top 1 of deck to p.hand
  play:
    turn of seat(0):
      let card = choose one of hand
      move card to shown
    turn of seat(1): act()
    turn of seat(2): act()
  rule act:
    choose:
      show_it(card in hand): move card to shown
      hide_it(card in hand): move card to away
      wait: pass
words:
  en:
    clubs: {one: clubs, notation: C}
    spades: {one: spades, notation: S}
    Card: {one: card, row: "{rank} of {suit}", notation: "{rank}{suit}"}
    show_it: "show {card:the}"
    hide_it: "hide {card:the}"
    wait: {one: wait, option: wait a while, notation: wait}
"""


def _lines(session: Session, reader: int | None) -> list[str]:
    """The log of a reader in sentences."""
    state = session.state
    events = session.story(reader, 0, "en")
    return [text for doing in doings(state, reader, events, "en") for text in doing.sentences]


def _played(path: Path, text: str, *ids: str, seed: int = 0) -> Session:
    """A game in which these choices are made."""
    folder = path / "game"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    state = load(folder).new_game(seed=seed)
    session = Session.new(state, seed, dict.fromkeys(range(state.players), HUMAN))
    for id_ in ids:
        seat = state.current_players()[0]
        options = {action.id.partition("@")[0]: action for action in session.state.legal_actions(seat)}
        session.choose(next(action for key, action in options.items() if key.startswith(id_)), seat)
    return session


def test_cards_in_the_log(tmp_path: Path) -> None:
    """What moves because it was chosen is written down once, for all who see it: where the choice is told by the move
    alone, where its sentence stands beside, and not where a card goes out of sight. A word that stands in the sentence
    is not said again."""
    session = _played(tmp_path, TRICKS, "", "show_it", "hide_it")
    held = {"low": "2C", "high": "9S"}
    first, second, third = (
        held[event["pieces"][0].partition("@")[0]]
        for event in session.state.events()
        if event["type"] == "move" and event["from"] != "deck"
    )
    every, watching = (" ".join(_lines(session, reader)) for reader in (None, 0))
    assert [every.count(f"({card})") for card in {first, second, third}].count(0) == 0
    assert f"to your shown ({first})." in watching
    assert f"to seat 1's shown ({second})." in watching
    assert watching.count("(") == 2  # seat 0 does not see which card is hidden
    assert f"({third})" in " ".join(_lines(session, 2))
    assert noted("Seat 1: wait a while.", "wait", 0) == "Seat 1: wait a while."
    assert noted("Seat 1: go to B2.", "b2", 1) == "Seat 1: go to B2."
    assert noted("Seat 1: go from b1 to b2.", "b2", 2) == "Seat 1: go from b1 to b2 (b2)."
    assert noted("Seat 1: wait a while.", "W1", 0) == "Seat 1: wait a while (W1)."


def _meant(session: Session, notation: str) -> Action:
    """The choice that a notation means."""
    decision = session.state.decision()
    action = decision.meant(notation) if decision is not None else None
    assert action is not None
    return action


def test_moves_in_the_log_of_a_game_without_secrets(tmp_path: Path) -> None:
    """Everybody reads what depends on the position; after an undo the other choice, at earlier positions theirs."""
    session = Session.new(load("chess").new_game(), 0, dict.fromkeys((0, 1), HUMAN))
    for number, san in enumerate(("e4", "e5", "Nf3", "Nc6", "Bb5")):
        session.choose(_meant(session, san), number % 2)
    written = [[event.get("notation") for event in session.story(reader, 0, "fr") if event["type"] == "choice"]
               for reader in (0, 1, None, SPECTATOR)]  # fmt: skip
    assert written == [["e4", "e5", "Cf3", "Cc6", "Fb5"]] * 4
    undo = session.undoing(0)
    assert undo is not None
    session.undo(undo)
    session.choose(_meant(session, "Bc4"), 0)
    assert any("(Bc4)" in line for line in _lines(session, 1))
    assert not any("Bb5" in line for line in _lines(session, 1))
    early = session.story(1, 0, "en", state=session.before(1))
    assert [event.get("notation") for event in early if event["type"] == "choice"] == ["e4"]
