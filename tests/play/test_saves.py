"""Saved games: what is loaded goes on as the saved one would have; what is broken is refused with the reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulelang.cli.files import write_whole
from rulelang.cli.play.saves import read_save, save_text
from rulelang.diagnostics import SaveError, UsageError
from rulelang.session import HUMAN, Session
from tests.play import games
from tests.play.test_session import choose, session
from tests.shipped import shipped


@pytest.fixture
def saved(tmp_path: Path) -> Session:
    """A game of a person, a bot and a half-used script."""
    ruleset = games.ruleset(tmp_path / "secrets", games.SECRETS)
    game = session(ruleset, HUMAN, "random", seed=5, scripts={0: [(1, "spend"), (2, "throw"), (9, "save")]})
    while len(game.moments) < 4:
        game.choose_automatically(game.state.current_players()[0])
    return game


def finished(game: Session) -> list[str]:
    """The hashes of the whole game when the person goes on with the first option each time."""
    while not game.state.is_terminal():
        seat = game.state.current_players()[0]
        if not game.choose_automatically(seat):
            game.choose(game.state.legal_actions(seat)[0], seat)
    return [step.hash for step in game.record.steps]


def test_a_saved_game_goes_on_the_same(saved: Session) -> None:
    """State, record, bots, scripts and what undoing brings back are those of the saved game."""
    loaded = read_save(save_text(saved))
    assert loaded.state.to_json() == saved.state.to_json()
    assert loaded.who == saved.who
    assert loaded.scripts[0].lines == saved.scripts[0].lines == [(9, "save")]
    assert [loaded.before(n).hash() for n in range(4)] == [saved.before(n).hash() for n in range(4)]
    assert save_text(loaded) == save_text(saved)
    assert finished(loaded) == finished(saved)


def test_a_choice_from_before_saving_can_be_taken_back(tmp_path: Path) -> None:
    """Undoing goes on where it was, bots included."""
    game = session(shipped("reco"), HUMAN, "random", "random")
    choose(game, game.state.legal_actions()[0].id)
    while game.state.current_players() != [0] or len(game.moments) < 5:
        seat = game.state.current_players()[0]
        if not game.choose_automatically(seat):
            choose(game, game.state.legal_actions()[0].id)
    loaded = read_save(save_text(game))
    for one in (game, loaded):
        undo = one.undoing(0)
        assert undo is not None
        one.undo(undo)
    assert save_text(loaded) == save_text(game)


def change(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    """A change of what stands at a path."""

    def changed(document: dict[str, Any]) -> None:
        *before, last = path
        found: Any = document
        for key in before:
            found = found[key]
        found[last] = to

    return changed


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (change("rulelang_save", to=2), "another version"),
        (change("record", to=[]), "`record` must be an object"),
        (change("record", "steps", 0, "hash", to="0"), "after step 1"),
        (change("record", "steps", 1, "id", to="fly"), "step 2: `fly` is not offered"),
        (change("record", "seed", to=6), "hash"),
        (change("record", "ruleset", "hash", to="0"), "is not the version"),
        (change("state", to=3), "`state` must be an object"),
        (change("choices", to=[]), "0 choices, but 4 steps"),
        (change("choices", 0, "by", to="fate"), "nothing is chosen by `fate`"),
        (change("choices", 2, "position", to="x"), "`position` must be a whole number"),
        (change("choices", 0, "line", to=[1]), "`choices` 1: `line` must be a list of 2"),
        (change("seats", "1", to="genius"), "there is no bot `genius`"),
        (change("seats", "1", to="human"), "`bots` has no bot's position at 1"),
        (change("seats", "7", to="human"), "names the party 7"),
        (change("seats", to={"0": "human"}), "must say who plays each party"),
        (change("bots", "0", to=5), "`bots` has no bot's position at 0"),
        (change("scripts", "0", to=5), "`scripts`, 0 must be a list"),
        (change("scripts", to={}), "chosen by a script that is not in this game"),
        (change("record", "undone", to=[{"steps": 1, "taken": 1, "seat": 0, "seen": ["x"]}]), "seen before an undo"),
    ],
)
def test_a_broken_save_is_refused(saved: Session, broken: Callable[[dict[str, Any]], None], reason: str) -> None:
    """Every part is checked, and the message says which is wrong."""
    document = json.loads(save_text(saved))
    broken(document)
    with pytest.raises(SaveError, match=reason):
        read_save(json.dumps(document))


def test_the_state_must_be_the_one_that_the_record_ends_in(saved: Session) -> None:
    """A state of the same game that does not belong to the record is refused."""
    document = json.loads(save_text(saved))
    document["state"] = json.loads(saved.before(1).to_json())
    with pytest.raises(SaveError, match="not the one that the game on record ends in"):
        read_save(json.dumps(document))
    with pytest.raises(SaveError, match="not JSON"):
        read_save("{")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What cannot be written leaves nothing behind; a link's target is replaced, not the link."""
    file = tmp_path / "game.json"
    file.write_text("old", encoding="utf-8")
    link = tmp_path / "link.json"
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "new"
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / "no" / "game.json", "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.json", "link.json"]
