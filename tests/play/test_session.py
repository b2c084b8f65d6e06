"""Sessions without a terminal: who chooses, what is forced, what undoing costs and brings back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from rulelang.cli.play.seats import company, prepared
from rulelang.diagnostics import IllegalAction
from rulelang.game import Ruleset, load
from rulelang.record import read_record, replay
from rulelang.session import BOT, FORCED, HUMAN, PERSON, SCRIPT, Session
from rulelang.table.names import Names
from rulelang.words.terminal import Texts
from tests.play import games


def session(
    ruleset: Ruleset, *who: str, seed: int = 3, scripts: dict[int, list[tuple[int, str]]] | None = None
) -> Session:
    """A new game with these in its seats."""
    return Session.new(ruleset.new_game(len(who), seed), seed, dict(enumerate(who)), scripts)


def choose(game: Session, *ids: str, by: str = PERSON) -> None:
    """The seats that are asked choose these."""
    for id_ in ids:
        seat = game.state.current_players()[0]
        game.choose(game.state.legal(id_, seat), seat, by)


def replays(game: Session) -> bool:
    """Whether the record leads to where the game stands."""
    *_, last = replay(read_record(game.record.to_json()), game.state.ruleset)
    return last.hash() == game.state.hash()


@pytest.fixture
def secrets(tmp_path: Path) -> Ruleset:
    return games.ruleset(tmp_path / "secrets", games.SECRETS)


@pytest.fixture
def stalls(tmp_path: Path) -> Ruleset:
    return games.ruleset(tmp_path / "stalls", games.STALLS)


def test_undo_is_free_while_nobody_has_learnt_anything(secrets: Ruleset) -> None:
    """A choice that shows nothing is taken back without a mark, and the record ends where it was."""
    game = session(secrets, HUMAN, HUMAN)
    before = game.state.hash()
    choose(game, "spend")
    undo = game.undoing(0)
    assert undo is not None
    assert (undo.free, undo.left, undo.seen) == (True, 0, ())
    game.undo(undo)
    assert game.state.hash() == before
    assert (game.record.steps, game.record.undone, game.moments) == ([], [], [])
    assert game.undoing(0) is None


@pytest.mark.parametrize(
    ("ids", "seen", "seats"),
    [
        (["throw"], ("chance",), ()),
        (["lay"], ("shown",), (1,)),
        (["keep"], (), ()),
        (["keep", "spend"], ("moved",), ()),
        (["throw", "save"], ("moved", "chance"), ()),
        (["lay", "spend", "lay"], ("moved", "shown"), (0, 1)),
    ],
)
def test_undo_asks_after_chance_a_reveal_or_another_seat(
    secrets: Ruleset, ids: list[str], seen: tuple[str, ...], seats: tuple[int, ...]
) -> None:
    """What was seen since a seat's last choice is told, with those who saw something hidden; then it is marked."""
    game = session(secrets, HUMAN, HUMAN)
    choose(game, "spend")
    for id_ in ids:
        seat = game.state.current_players()[0]
        fitting = next(a for a in game.state.legal_actions(seat) if a.id.partition(":")[0] == id_)
        game.choose(fitting, seat)
    steps = len(game.record.steps)
    undo = game.undoing(0)
    assert undo is not None
    assert (undo.left, undo.seen, undo.seats) == (1, seen, seats)
    game.undo(undo)
    assert len(game.record.steps) == 1
    marks = [(mark.steps, mark.taken, mark.seat, mark.seen) for mark in game.record.undone]
    assert marks == ([(steps, steps - 1, 0, seen)] if seen else [])
    assert read_record(game.record.to_json()).undone == game.record.undone
    assert replays(game)


def test_what_is_undone_happens_again_the_same(secrets: Ruleset) -> None:
    """Chance and bots go on from where they were: nobody fishes for a better throw."""
    game = session(secrets, HUMAN, "random", seed=8)
    choose(game, "save", "throw")
    while game.choose_automatically(game.state.current_players()[0]):
        pass
    record = [step.hash for step in game.record.steps]
    undo = game.undoing(0)
    assert undo is not None
    assert undo.seen == ("moved", "chance") or undo.seen == ("moved", "chance", "shown")
    game.undo(undo)
    choose(game, "throw")
    while game.choose_automatically(game.state.current_players()[0]):
        pass
    assert [step.hash for step in game.record.steps] == record


def test_undo_passes_over_what_was_forced_and_gives_scripts_their_lines_back(stalls: Ruleset) -> None:
    """Undoing goes to a person's own last choice; a line of a script that was used up since is there again."""
    lines = [(1, "act:colour=blue"), (2, "rest")]
    game = session(stalls, HUMAN, HUMAN, scripts={1: lines})
    choose(game, "act:colour=red")
    choose(game, "rest", by=FORCED)
    assert game.choose_automatically(1)
    assert game.choose_automatically(1)
    assert not game.choose_automatically(0)
    assert game.unused == 0
    undo = game.undoing(0)
    assert undo is not None
    assert undo.left == 0
    game.undo(undo)
    assert game.scripts[1].lines == lines
    assert game.state.hash() == game.record.start


def test_who_chooses(stalls: Ruleset) -> None:
    """A seat's script first, then its bot; a person must be asked. A line that is not offered is named."""
    game = session(stalls, "random", HUMAN, scripts={0: [(4, "act:colour=blue"), (7, "fly")]})
    assert game.people == [1]
    assert game.choose_automatically(0)
    with pytest.raises(IllegalAction, match=r"line 7 of the script: `fly`"):
        game.choose_automatically(0)
    assert game.choose_automatically(0)
    assert not game.choose_automatically(1)
    assert [moment.by for moment in game.moments] == [SCRIPT, BOT]


def test_a_lone_pass_that_hides_something_is_not_forced(tmp_path: Path) -> None:
    """One option is taken by itself, but not the one that is asked so that nobody learns there was nothing."""
    ruleset = games.ruleset(tmp_path / "anyway", games.ASKED_ANYWAY)
    game = session(ruleset, HUMAN, HUMAN)
    forced = game.forced(0)
    assert forced is not None
    assert forced.id == "only"
    game.choose(forced, 0, FORCED)
    assert [action.id for action in game.state.legal_actions(0)] == ["pass"]
    assert game.forced(0) is None


def test_two_options_are_not_forced(stalls: Ruleset) -> None:
    """Where there is something to choose, a person does."""
    assert session(stalls, HUMAN, HUMAN).forced(0) is None


def test_an_automaton_is_told_from_a_bot(tmp_path: Path) -> None:
    """It plays by the rules, and no search is made ready for it, though its bot would choose what they left to it."""
    text = """\
rulelang: 2
name: solo
players: 1..2
languages: [en, fr]
automata: {rival: {players: [1]}}
variables: {points: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p: points := choose a number from 1 to 5
  score points: points
words: {fr: {points: points}}
"""
    (tmp_path / "ruleset.yaml").write_text(text)
    state = load(str(tmp_path)).new_game(1, 1)
    session = Session.new(state, 1, {0: HUMAN, 1: "good"})
    for lang, said in (("en", "rival: an automaton"), ("fr", "rival\u00a0: automate")):
        desk = SimpleNamespace(session=session, names=Names(state, lang), texts=Texts(lang))
        assert company(desk) == said  # type: ignore[arg-type]
    with prepared(session) as going:
        assert not going()
