"""The log tells with an option the piece that the rule which asked was given, to those who see that piece."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import SaveError
from rulelang.runtime import serial
from tests.words.games import made

FORGE = """
rulelang: 2
name: forge
players: 2
kinds: {Blade: {start: tray}}
pieces: {Blade: [{id: dagger}, {id: sword}]}
zones:
  tray: {holds: Blade}
  chest: {holds: Blade, per: player, visible: owner}
variables: {work: {type: 0..9}}
words: {en: {treat.mend: {option: "mend {blade:the}"}}}
rules: |
  play:
    as seat(0):
      for blade in tray: treat(blade)
      move tray to you.chest
      for blade in you.chest: treat(blade)
  rule treat(blade: Blade):
    choose:
      mend: work += 1
      leave: pass
    if blade in seat(1).chest: work += 1
"""


def played(folder: Path, text: str) -> rulelang.State:
    """A game in which everything is mended."""
    state = made(folder, text).new_game(2)
    while not state.is_terminal():
        state.apply("mend")
    return state


def told(state: rulelang.State, reader: int | None) -> list[str]:
    """The sentences of choices."""
    return [event["text"] for event in state.events(reader) if event["type"] == "choice"]


def test_an_option_is_told_with_the_piece_that_it_is_about(tmp_path: Path) -> None:
    """On the tray all see which blade is mended; in a chest only its owner does."""
    state = played(tmp_path, FORGE)
    assert told(state, 0) == ["You: mend the dagger.", "You: mend the sword."] * 2
    assert told(state, 1) == ["Seat 0: mend the dagger.", "Seat 0: mend the sword.", *["Seat 0: mend a blade."] * 2]
    about = [event["about"] for event in state.events(1) if event["type"] == "choice"]
    assert about == [{"blade": "dagger"}, {"blade": "sword"}, {"blade": None}, {"blade": None}]


def test_where_something_is_chosen_secretly_others_are_not_told_what_a_decision_is_about(tmp_path: Path) -> None:
    """Which of two blades that all see was chosen secretly would show in the question about it."""
    secretly = FORGE.replace(
        "for blade in tray: treat(blade)", "if some mine = secretly choose one of tray: treat(mine)"
    )
    state = made(tmp_path, secretly).new_game(2)
    state.apply("play:mine=dagger")
    while not state.is_terminal():
        state.apply("mend")
    assert told(state, 0)[1] == "You: mend the dagger."
    assert told(state, 1)[0] == "Seat 0: mend a blade."


def test_a_save_keeps_what_an_option_was_about(tmp_path: Path) -> None:
    """Saves from before it was kept are still read; a wrong piece in it is refused."""
    state = played(tmp_path, FORGE)
    text = state.to_json()
    assert told(state.ruleset.state_from_json(text), 1) == told(state, 1)
    document = json.loads(text)
    choices = [entry for entry in document["log"] if entry[0] == "choice"]
    for kept, expected in ((99, None), (-1, "refused")):
        choices[0][6:] = [[kept]] if kept == 99 else []
        document["digest"] = serial.digest(document)
        saved = serial._text(document)
        if expected is None:
            with pytest.raises(SaveError):
                state.ruleset.state_from_json(saved)
        else:
            assert told(state.ruleset.state_from_json(saved), 1)[0] == "Seat 0: mend."
