"""Agents that learn in torch: a moment of each; whole by hand (docs/howto/agent.md)."""

from __future__ import annotations

import pytest

from rulelang.native import has_compiler
from tests.shipped import ROOT
from tests.soak import times

numpy = pytest.importorskip("numpy", reason="the extra `envs` is not installed")
torch = pytest.importorskip("torch", reason="the extra `learn` is not installed")
pytestmark = pytest.mark.skipif(not has_compiler(), reason="there is no C compiler")
LEDUC = str(ROOT / "benchmarks" / "games" / "leduc_poker")
SOME = ["--rows", "16", "--games", "8", "--against", "random"]


def test_advantages_follow_each_seat_to_its_own_next_pick() -> None:
    """Two seats in turn in one game of four picks that seat 0 wins, with values 0.1 to 0.4 and lambda 1/2; then a pick
    of the next game, whose seat does not pick again. From the end: seat 1 lost, -1 - 0.4; seat 0 won, 1 - 0.3; seat 1
    before: 0.4 - 0.2 + (-1.4) / 2; seat 0 before: 0.3 - 0.1 + 0.7 / 2."""
    from examples.ppo import advantages

    seats = numpy.array([[0], [1], [0], [1], [0]])
    values = numpy.array([[0.1], [0.2], [0.3], [0.4], [0.5]], numpy.float32)
    ended = numpy.array([[False], [False], [False], [True], [False]])
    payoffs = numpy.zeros((5, 1, 2), numpy.float32)
    payoffs[3] = 1, -1
    gains, known = advantages(seats, values, ended, payoffs, 0.5)
    assert gains[:4, 0].tolist() == pytest.approx([0.55, -0.5, 0.7, -1.4])
    assert known[:, 0].tolist() == [True] * 4 + [False]


def test_inputs_say_what_is_seen() -> None:
    """Of a bounded number its share of the range, and a float for each of a few values; else a logarithm."""
    from examples.ppo import Inputs
    from rulelang.envs import Batch

    batch = Batch(LEDUC, 3)
    inputs = Inputs(batch.spec)
    made = inputs.of(batch.counts, batch.numbers, batch.prefix)
    assert made.shape == (3, inputs.size)
    assert made.dtype == torch.float32
    units = made[:, len(inputs.low) : len(inputs.low) + inputs.of_split]
    assert units.sum(1).tolist() == [len(inputs.split)] * 3
    scaled = made[:, : len(inputs.low)][:, ~torch.from_numpy(inputs.wide)]
    assert scaled.min() >= 0
    assert scaled.max() <= 1


def test_policy_optimisation_learns() -> None:
    """With `--soak` the agent wins more than half of the games of Leduc against random picks."""
    from examples.ppo import main

    shares = main([LEDUC, "--seconds", str(times(1) * 0.5), *SOME, *(["--games", "400"] if times(1) > 1 else [])])
    assert 0 <= shares["random"] <= 1
    assert times(1) == 1 or shares["random"] > 0.55


def test_search_and_network_learn_together() -> None:
    """A game or more of self-play by the search, then games against a bot."""
    from examples.zero import main

    shares = main([LEDUC, "--seconds", str(times(1) * 0.5), "--iterations", "8", *SOME])
    assert 0 <= shares["random"] <= 1
