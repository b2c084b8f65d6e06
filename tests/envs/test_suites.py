"""Other people's suites, where their libraries are installed; longer and for all shipped rulesets with `--soak`."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import pytest

from rulelang import IllegalAction, UsageError
from rulelang.envs import PickGame, spec
from rulelang.resources import shipped_rulesets
from tests.shipped import CONFORMANCE, ROOT, shipped
from tests.soak import soaking, times

GAMES = ROOT / "benchmarks" / "games"
ALL = [
    path
    for folder in (shipped_rulesets(), GAMES)
    for path in sorted(folder.iterdir())
    if (path / "ruleset.yaml").is_file()
]
"""What is shipped, and the games of the benchmarks."""
gymnasium = pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")
pytest.importorskip("pettingzoo", reason="the extra `envs` is not installed")
numpy = pytest.importorskip("numpy", reason="the extra `envs` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


def named(value: object) -> str:
    """The name of a ruleset, for tests by it."""
    return Path(str(value)).name


@pytest.mark.parametrize("name", ["reco", *soaking(*ALL)], ids=named)
def test_pettingzoo_accepts_turns(name: str | Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`api_test` and `seed_test`; with each number one ruleset makes two environments that agree."""
    from pettingzoo.test import api_test, seed_test

    from rulelang.envs import aec

    ruleset = shipped(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(aec.env(ruleset), num_cycles=times(20))
        api_test(aec.env(ruleset, events=9), num_cycles=times(5))
        seed_test(lambda: aec.env(ruleset), num_cycles=times(5))
    assert "Passed" in capsys.readouterr().out


def test_pettingzoo_accepts_games_in_which_all_decide_at_once() -> None:
    """`parallel_api_test`; a ruleset in which one seat is asked is refused, as are picks, whose number would tell."""
    from pettingzoo.test import parallel_api_test

    from rulelang.envs import parallel

    parallel_api_test(parallel.env(shipped(CONFORMANCE / "sealed"), 3), num_cycles=times(10))
    parallel_api_test(parallel.env(shipped(GAMES / "goofspiel"), events=9), num_cycles=times(3))
    with pytest.raises(UsageError, match="not all decide at once in leduc_poker: `bet` asks one seat"):
        parallel.env(shipped(GAMES / "leduc_poker"))
    with pytest.raises(UsageError, match="several picks would tell"):
        parallel.env(shipped(CONFORMANCE / "sealed"), actions="picks")


@pytest.mark.parametrize("name", ["reco", *soaking(*ALL)], ids=named)
def test_gymnasium_accepts_one_seat(name: str | Path) -> None:
    """`check_env`, of shipped rulesets of the registered environment, and that of Stable-Baselines3 where that is
    installed; with rows of events, too."""
    from gymnasium.utils.env_checker import check_env

    import rulelang.envs.gym

    assert rulelang.envs.gym.LOST == -1
    try:
        from stable_baselines3.common.env_checker import check_env as check_for_baselines
    except ImportError:
        check_for_baselines = None
    for events in (0, 9):
        if Path(name).parent == GAMES:
            env = rulelang.envs.gym.env(shipped(name), events=events)
        else:
            env = gymnasium.make(f"rulelang/{Path(name).name}-v0", events=events).unwrapped
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check_env(env, skip_render_check=True)
            if check_for_baselines is not None:
                check_for_baselines(env)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["reco", "ldd", "imaginarium", "droids", "chess"])
def test_torchrl_accepts_turns(name: str) -> None:
    """`check_env_specs` through its wrapper of PettingZoo; games that may end within the three steps that it plays on
    have no mask to draw from then."""
    wrappers = pytest.importorskip("torchrl.envs.libs.pettingzoo", reason="torchrl is not installed")
    from torchrl.envs.utils import check_env_specs

    from rulelang.envs import aec

    check_env_specs(wrappers.PettingZooWrapper(aec.env(shipped(name)), use_mask=True))


def test_the_agent_plays_one_seat_and_its_mask_is_its_options() -> None:
    """Seat 1 of leduc: the other one acts first; what its mask has not is refused by name or loses."""
    from rulelang.envs import gym

    env = gym.env(shipped(GAMES / "leduc_poker"), seat=1, illegal="raise")
    _, info = env.reset(seed=4)
    offered = {action.id for action in env.game.state.legal_actions(1)}
    picks = [env.rules.picks[number].partition("/")[2] for number in info["action_mask"].nonzero()[0]]
    assert env.game.seats == [1]
    assert {*picks} == offered
    out = next(number for number in range(env.rules.size) if not info["action_mask"][number])
    with pytest.raises(IllegalAction, match=f"seat 1 can't pick {out} now"):
        env.step(out)
    env.illegal = "lose"
    assert env.step(out)[1:4] == (-1.0, True, False)
    for wrong in ({"seat": 2}, {"illegal": "never"}):
        with pytest.raises(UsageError, match=r"there is no seat 2|`illegal` is lose or raise"):
            gym.env(shipped(GAMES / "leduc_poker"), **wrong)


def test_payoffs_come_at_the_end_and_limits_truncate() -> None:
    """Rewards sum to the payoffs of the game; one that `limits` ends is truncated, not terminated."""
    from rulelang.envs import aec

    env = aec.env(shipped(CONFORMANCE / "stall"))
    env.reset(seed=1)
    rewards: dict[str, float] = dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = env.agent_selection
        ended = env.terminations[agent] or env.truncations[agent]
        env.step(None if ended else int(env.observe(agent)["action_mask"].argmax()))
        for each, reward in env.rewards.items():
            rewards[each] += reward * (not ended)
    assert list(rewards.values()) == list(env.game.returns())
    assert env.game.end == (2 if env.game.state.is_truncated() else 1)


def openspiel(name: str | Path, **more: Any) -> Any:
    """A game of OpenSpiel."""
    pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    from rulelang.envs import openspiel as adapter

    return adapter.game(shipped(name), **more)


@pytest.mark.parametrize("name", [GAMES / "leduc_poker", *soaking(*ALL)], ids=named)
def test_openspiel_plays_and_serialises(name: str | Path) -> None:
    """`random_sim_test` with serialisation, of the game as `load_game` finds it."""
    openspiel(name)
    import pyspiel

    game = pyspiel.load_game(f"rulelang(ruleset={name})")
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


def test_a_pickled_state_of_openspiel_is_one_of_the_same_game() -> None:
    """Also where it was made with options, a space, payoffs; no matter how many picks were made."""
    game = openspiel(CONFORMANCE / "leduc", players=2, options={"suits": 1}, actions="picks", payoffs=(-13, 13))
    state = game.new_initial_state()
    while not state.is_terminal():
        again = pickle.loads(pickle.dumps(state))
        of = again.get_game()
        assert (of.spec.hash, of.max_utility()) == (game.spec.hash, 13)
        assert str(again) == str(state) == str(state.clone())
        assert again.legal_actions() == state.legal_actions()
        state.apply_action(state.legal_actions()[0])


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "options", "rounds", "value", "within"),
    [("kuhn", {}, 100, -1 / 18, 0.002), ("leduc", {"suits": 1}, 200, -0.0856, 0.001)],
)
def test_cfr_of_openspiel_finds_the_value(
    name: str, options: dict[str, int], rounds: int, value: float, within: float
) -> None:
    """−1/18 for the first seat of Kuhn poker (Kuhn 1950); −0.0856 for that of Leduc poker (Southey et al. 2005)."""
    game = openspiel(CONFORMANCE / name, players=2, options=options, payoffs=(-13, 13))
    from open_spiel.python.algorithms import cfr, expected_game_score

    solver = cfr.CFRPlusSolver(game)
    for _ in range(rounds):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert values[0] == pytest.approx(value, abs=within)


@pytest.mark.soak
def test_mcts_of_openspiel_plays() -> None:
    """Tic-tac-toe against random choices: of 20 games, in each seat half, it loses none that are not by chance."""
    game = openspiel(GAMES / "tic_tac_toe")
    from open_spiel.python.algorithms import mcts

    dice, gained = numpy.random.RandomState(1), []
    bot = mcts.MCTSBot(game, 1.4, 50, mcts.RandomRolloutEvaluator(1, dice), random_state=dice)
    for own in [0, 1] * 10:
        state = game.new_initial_state()
        while not state.is_terminal():
            mine = state.current_player() == own
            state.apply_action(bot.step(state) if mine else dice.choice(state.legal_actions()))
        gained.append(state.returns()[own])
    assert sum(gained) > 10


def test_a_game_is_pickled_with_its_picks() -> None:
    """In the middle of an action; the same picks follow, and the same seat sees the same."""
    game = PickGame(spec(shipped("reco")), seed=2)
    made = 0
    while made < 3 or not game.prefix(game.seat):
        game.step(game.mask(game.seat)[-1])
        made += 1
    again = pickle.loads(pickle.dumps(game))
    seat = game.seat
    assert again.prefix(seat) == game.prefix(seat) != ()
    assert (again.mask(seat), again.observe(seat)) == (game.mask(seat), game.observe(seat))
    assert again.state.hash() == game.state.hash()


def test_specs_of_adapters_are_one() -> None:
    """All adapters offer the numbers of one spec."""
    from rulelang.envs import aec, gym

    of = spec(shipped(GAMES / "leduc_poker"))
    ruleset = shipped(GAMES / "leduc_poker")
    assert aec.env(ruleset).spec.hash == gym.env(ruleset).rules.hash == of.hash
