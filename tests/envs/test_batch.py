"""Batches beside single games of the interpreter, step by step: who picks, masks, arrays, payoffs, ends."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang import IllegalAction, UsageError
from rulelang.agents import make_bot
from rulelang.envs import PickGame
from rulelang.envs.core import picks_of
from rulelang.native import has_compiler
from rulelang.record import read_record, replay
from rulelang.runtime.rng import game_seed
from tests.shipped import CONFORMANCE, ROOT, shipped
from tests.soak import soaking, times
from tests.words.games import made

numpy = pytest.importorskip("numpy", reason="the extra `envs` is not installed")
pytestmark = pytest.mark.skipif(not has_compiler(), reason="there is no C compiler")
GAMES = ROOT / "benchmarks" / "games"
SEED = 5


def batch(ruleset: Any, games: int, **more: Any) -> Any:
    """A batch of a ruleset."""
    from rulelang.envs import Batch

    return Batch(ruleset, games, seed=SEED, **more)


def lockstep(of: Any, steps: int, chance: str = "sampled") -> int:
    """Play a batch beside single games of the interpreter; return how many ended. At chance nodes an outcome is drawn
    for it, all equally likely."""
    count = len(of.seat)

    def begun(number: int) -> PickGame:
        seed, ruleset = game_seed(SEED, number), of.spec.ruleset
        state = ruleset.new_game(of.spec.players, seed, of.spec.options, "interpreter", chance)
        return PickGame(of.spec, state=state)

    games = [begun(row) for row in range(count)]
    dice, ended, is_all, decisions = random.Random(SEED), 0, of.counts.ndim == 3, 0
    for _ in range(steps):
        picks = []
        for row, game in enumerate(games):
            seat = int(of.seat[row])
            assert seat == game.seat
            outcomes = len(game.state.chance_outcomes())
            assert of.outcomes[row] == outcomes
            assert numpy.flatnonzero(of.mask[row]).tolist() == game.mask(seat)
            for shown in range(of.spec.players) if is_all else (seat,) if seat >= 0 else ():
                place = (row, shown) if is_all else row
                counts, numbers, made_ = game.observe(shown)
                assert bytes(counts) == of.counts[place].tobytes()
                assert numbers.tobytes() == of.numbers[place].tobytes()
                told = [tuple(row) for row in of.events[place].tolist() if row[0] >= 0]
                assert told == game.events(shown, of.events.shape[-2])[0]
                assert shown != seat or bytes(made_) == of.prefix[row].tobytes()
            picks.append(dice.randrange(outcomes) if outcomes else dice.choice(game.mask(seat)))
        of.step(picks)
        for row, game in enumerate(games):
            if game.seat < 0:
                game.take_outcome(picks[row])
            else:
                decisions += game.step(picks[row])
            assert of.end[row] == game.end
            assert (
                of.reward[row].tolist()
                == list(map(numpy.float32, game.returns() if game.end else [0] * 9))[: of.spec.players]
            )
            if game.end:
                ended += 1
                games[row] = begun(row + int(of.episode[row]) * count)
            assert of.state(row).hash() == games[row].state.hash()
    assert of.decisions == decisions
    return ended


REST = sorted(path for path in (*GAMES.iterdir(), *CONFORMANCE.iterdir()) if (path / "ruleset.yaml").is_file())


@pytest.mark.parametrize(
    "name", [GAMES / "leduc_poker", "reco", *soaking(GAMES / "goofspiel", "ldd", "imaginarium", "droids", *REST)]
)
def test_a_batch_plays_as_single_games_do(name: str | Path) -> None:
    """Row i's game j is that of the seed `game_seed(seed, i + j · games)`, begun again at its end in the same call."""
    ruleset = shipped(name)
    of = batch(ruleset, 3, players=max(ruleset.players), see="all", events=20)
    ended = lockstep(of, times(16))
    assert ended or Path(name).name != "leduc_poker"


@pytest.mark.parametrize("name", [GAMES / "leduc_poker", *soaking("reco", "ldd", "imaginarium", "droids", *REST)])
def test_a_batch_waits_at_chance_nodes(name: str | Path) -> None:
    """With explicit chance a row waits for the number of an outcome, also in the setup and where several pieces are
    drawn at once, as a single game does."""
    ruleset = shipped(name)
    of = batch(ruleset, 3, players=max(ruleset.players), see="all", events=20, chance="explicit")
    ended = lockstep(of, times(16), "explicit")
    assert ended or Path(name).name != "leduc_poker"
    if of.outcomes.any():
        row = int(of.outcomes.argmax())
        picks = numpy.full(3, -1)
        picks[row] = of.outcomes[row]
        with pytest.raises(IllegalAction, match=f"in row {row} chance has no outcome {picks[row]} now"):
            of.step(picks)
    with pytest.raises(UsageError, match="games are recorded where chance is sampled"):
        batch(ruleset, 1, chance="explicit", record=True)
    with pytest.raises(UsageError, match="`chance` is sampled or explicit, not `maybe`"):
        batch(ruleset, 1, chance="maybe")


@pytest.mark.parametrize("space", ["discrete", "index"])
def test_other_spaces_are_played_too(space: str) -> None:
    """One number for an action, of what the seat sees alone; no picks are told."""
    of = batch(shipped(GAMES / "leduc_poker"), 4, actions=space)
    assert lockstep(of, 20) > 0
    assert of.prefix.shape == (4, 0)


MANY = """\
rulelang: 2
name: many
players: 2
kinds: {Card: {start: deck}, Man: {variables: {strength: {type: 0..9}, squad: {type: 0..3}}, start: camp}}
pieces:
  Card: [CARDS]
  Man: [{id: man, count: 3}]
zones: {deck: {holds: Card}, hand: {holds: Card, per: player}, camp: {holds: Man}}
variables: {last: {type: 0..9}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          let few = choose up to 11 of deck
          last := 9 if count(few) > 9 else count(few)
          for m in camp: m.strength := last
          choose:
            lift(m in camp): m.strength := 3
            else: pass
          choose:
            train(m in camp, n from 1 to 2): m.strength := n
            else: pass
          let team = choose up to 3 of camp
          for m in team: m.strength := 7
          arrange camp by squad where count(it) < 3
"""


def test_long_lists_and_individuals_are_spelled_where_they_stand(tmp_path: Path) -> None:
    """2,048 options are too many for native code to list; men are told apart by their rows, which change: alone, with a
    number, as members of a collection, which are sorted by them, as members of groups."""
    of = batch(made(tmp_path, MANY.replace("CARDS", ", ".join(f"{{id: c{n}}}" for n in range(11)))), 2, see="all")
    lockstep(of, 40)


def test_what_native_code_gives_up_the_interpreter_plays() -> None:
    """A row's begin, and the choice that it made last; the row goes on like a single game."""
    ruleset = shipped(GAMES / "leduc_poker")
    of = batch(ruleset, 2)
    before = of.state(1).hash()
    of._native._play_row(1)
    assert of.state(1).hash() == before
    game = PickGame(of.spec, game_seed(SEED, 1), "interpreter")
    for _ in range(2):
        picks = [int(of.mask[row].argmax()) for row in (0, 1)]
        of.step(picks)
        game.step(picks[1])
    of._native._play_row(1)  # it takes the first option once more
    game.step(game.mask(game.seat)[0])
    assert of.state(1).hash() == game.state.hash()
    assert numpy.flatnonzero(of.mask[1]).tolist() == game.mask(game.seat)


def test_what_can_not_be_done_is_refused_and_changes_nothing() -> None:
    """Picks out of the mask, of another shape; rows without a pick stay; another seed begins other games."""
    ruleset = shipped(GAMES / "leduc_poker")
    of = batch(ruleset, 3)
    picks = of.mask.argmax(1)
    hashes = [of.state(row).hash() for row in range(3)]
    for wrong in (99, -2, int((~of.mask[2]).argmax())):
        with pytest.raises(IllegalAction, match=f"in row 2 seat 0 can't pick {wrong} now"):
            of.step([picks[0], picks[1], wrong])
    with pytest.raises(UsageError, match=r"a pick for each of the rows is wanted: \(3,\), not \(2,\)"):
        of.step(picks[:2])
    assert [of.state(row).hash() for row in range(3)] == hashes
    of.step([picks[0], -1, -1])
    assert [of.state(row).hash() == before for row, before in enumerate(hashes)] == [False, True, True]
    of.reset(SEED)
    assert [of.state(row).hash() for row in range(3)] == hashes
    with pytest.raises(UsageError, match="`see` is actor or all, not `none`"):
        batch(ruleset, 1, see="none")
    with pytest.raises(UsageError, match="at least one game"):
        batch(ruleset, 0)
    assert isinstance(of.state(0), rulelang.State)
    assert all(numpy.shares_memory(numpy.from_dlpack(array), array) for array in (of.counts, of.numbers, of.reward))


def test_a_game_of_a_batch_is_a_record_that_can_be_replayed() -> None:
    """The one that ended last in a row, and the one that is played there; without `record=True` there is none."""
    of = batch(shipped(GAMES / "leduc_poker"), 2, record=True)
    states = []
    while not of.end[1]:
        states.append(of.state(1).hash())
        of.step(of.mask.argmax(1))
    record = read_record(of.record(1).to_json())
    *before, last = [state.hash() for state in replay(record, of.spec.ruleset)]
    assert last not in states
    assert [step.hash for step in record.steps][-1] == last
    assert {*states} <= {*before, record.start}
    of.step(of.mask.argmax(1))
    assert [state.hash() for state in replay(of.record(1, ended=False))][-1] == of.state(1).hash()
    for asked in (batch(shipped(GAMES / "leduc_poker"), 1), of):
        with pytest.raises(UsageError, match="no game is on record here"):
            asked.record(7)


@pytest.mark.parametrize("record", [False, True])
def test_bots_play_seats_within_the_call(record: bool) -> None:
    """As `make_bot` with the game's seed plays, at random in native code or one that thinks; the other seats pick. The
    record of such a game has their choices too."""
    ruleset, bot = shipped("reco"), "mcts:5" if record else "random"
    of = batch(ruleset, 2, players=3, bots={0: "random", 2: bot}, record=record)
    dice = random.Random(SEED)

    def begun(row: int) -> tuple[PickGame, dict[int, Any]]:
        seed = game_seed(SEED, row + 2 * int(of.episode[row]))
        return PickGame(of.spec, seed, "native"), {0: make_bot("random", seed, 0), 2: make_bot(bot, seed, 2)}

    games, ended = [begun(0), begun(1)], 0
    while ended < 2:
        for row, (game, bots) in enumerate(games):
            while not game.end and (seat := game.seat) != 1:
                option = game.state.legal_actions(seat).index(bots[seat].choose(game.state, seat))
                for pick in picks_of(of.spec, game.state, seat, option):
                    game.step(pick)
            assert game.end == of.end[row]
            if game.end:
                assert of.reward[row].tolist() == list(map(numpy.float32, game.returns()))
                ended += 1
                games[row] = begun(row)
                break
            assert (of.seat[row], of.state(row).hash()) == (1, game.state.hash())
            assert numpy.flatnonzero(of.mask[row]).tolist() == game.mask(1)
        else:
            picks = [dice.choice(game.mask(1)) for game, _ in games]
            of.step(picks)
            for pick, (game, _) in zip(picks, games, strict=True):
                game.step(pick)
            continue
        of.end[:] = 0
    for row in (0, 1) if record else ():
        told = read_record(of.record(row, ended=False).to_json())
        assert {step.seat for step in told.steps} <= {0, 1, 2}
        assert [step.hash for step in told.steps][-1:] in ([], [of.state(row).hash()])
        assert len(list(replay(told, ruleset))) == len(told.steps) + 1
    for wrong, message in (({3: "random"}, "some of the seats 0 to 2"), ({0: "nobody"}, "there is no bot `nobody`")):
        with pytest.raises(UsageError, match=message):
            batch(ruleset, 1, players=3, bots=wrong)
    with pytest.raises(UsageError, match="some of the seats"):
        batch(ruleset, 1, players=3, bots=dict.fromkeys(range(3), "random"))


def test_batches_of_several_threads_play_as_one_by_one() -> None:
    """Each thread has its own batch; the calls run side by side, and come to the same."""
    ruleset = shipped(GAMES / "leduc_poker")

    def played(players: int) -> list[Any]:
        of = batch(ruleset, 8)
        for _ in range(60):
            of.step(of.mask.argmax(1))
        return [*(of.state(row).hash() for row in range(8)), *of.episode.tolist()]

    with ThreadPoolExecutor(2) as threads:
        side_by_side = list(threads.map(played, (2, 2)))
    assert side_by_side == [played(2)] * 2


def test_the_example_learns(capsys: pytest.CaptureFixture[str]) -> None:
    """A moment of self-play; whole by hand (docs/howto/agent.md). With `--soak` it gets better than random."""
    from examples.learn import main

    before, after = main([str(GAMES / "tic_tac_toe"), "--seconds", str(times(1) * 0.3), "--games", "300"])
    assert 0.3 < before < 0.7
    assert after > 0.3
    assert times(1) == 1 or after > before
    assert "before" in capsys.readouterr().out
