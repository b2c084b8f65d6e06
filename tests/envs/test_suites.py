"""Other people's suites, where their libraries are installed; longer and for all shipped rulesets with `--soak`."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

from rulelang import IllegalAction, UsageError
from rulelang.envs import spec
from tests.shipped import CONFORMANCE, ROOT, shipped
from tests.soak import soaking, times

GAMES = ROOT / "benchmarks" / "games"
gymnasium = pytest.importorskip("gymnasium", reason="the extra `envs` is not installed")
pytest.importorskip("pettingzoo", reason="the extra `envs` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", ["reco", *soaking(GAMES / "leduc_poker", "ldd", "imaginarium", "droids")])
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


@pytest.mark.parametrize("name", ["reco", *soaking("ldd", "imaginarium", "droids")])
def test_gymnasium_accepts_one_seat(name: str) -> None:
    """`check_env` of the registered environment, and of Stable-Baselines3 where that is installed."""
    from gymnasium.utils.env_checker import check_env

    import rulelang.envs.gym

    assert rulelang.envs.gym.LOST == -1
    env = gymnasium.make(f"rulelang/{name}-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped, skip_render_check=True)
        check_env(gymnasium.make(f"rulelang/{name}-v0", events=9).unwrapped, skip_render_check=True)
        try:
            from stable_baselines3.common.env_checker import check_env as check_for_baselines
        except ImportError:
            return
        check_for_baselines(env.unwrapped)


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


@pytest.mark.parametrize("name", [GAMES / "leduc_poker", *soaking("connect_four", "reco", "ldd")])
def test_openspiel_plays_and_serialises(name: str | Path) -> None:
    """`random_sim_test` with serialisation, of the game as `load_game` finds it."""
    openspiel(name)
    import pyspiel

    from rulelang.envs import openspiel as adapter

    adapter.register()
    game = pyspiel.load_game(f"rulelang(ruleset={name})")
    pyspiel.random_sim_test(game, num_sims=times(1), serialize=True, verbose=False)


@pytest.mark.soak
def test_cfr_of_openspiel_finds_the_value_of_kuhn_poker() -> None:
    """−1/18 for the first seat (Kuhn 1950)."""
    game = openspiel(CONFORMANCE / "kuhn", payoffs=(-2, 2))
    from open_spiel.python.algorithms import cfr, expected_game_score

    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert values[0] == pytest.approx(-1 / 18, abs=0.002)


def test_specs_of_adapters_are_one() -> None:
    """All adapters offer the numbers of one spec."""
    from rulelang.envs import aec, gym

    of = spec(shipped(GAMES / "leduc_poker"))
    ruleset = shipped(GAMES / "leduc_poker")
    assert aec.env(ruleset).spec.hash == gym.env(ruleset).rules.hash == of.hash
