"""Decisions per second of a batch, with masks and what the seat sees, beside single steps of the same games.

    python benchmarks/batch.py
    python benchmarks/batch.py reco ldd --games 1024 --seconds 2 --actions index
    python benchmarks/batch.py tic_tac_toe connect_four leduc_poker --race --rounds 5

Enters: rulesets, or games of this folder. Leaves: a line for each: decisions and picks per second of the processor that
`Batch.step` takes, drawn at random from masks (the drawing is not counted); choices per second of `State` in native
code, without observations; memory of the arrays per game. With `--race`, in turn: OpenSpiel's C++ from Python (mask,
tensor of observations, random choice, `apply_action`; chance nodes are not counted) and Pgx on the CPU (`jit` and
`vmap` of `step` with `auto_reset`, as many games), where they are installed and have the game; medians of the rounds.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of
from rulelang.envs import Batch

NAMES = ("tic_tac_toe", "leduc_poker", "connect_four", "reco")
OPENSPIEL = {"hex": "hex(board_size=11)"}
PGX = {"leduc_poker": "leduc_holdem"}
"""What the others call a game where it is not the same word."""


class Random:
    """A batch that is played at random.

    Args:
        games: how many.
    """

    def __init__(self, ruleset: rulelang.Ruleset, games: int, actions: str) -> None:
        self.batch, self.dice = Batch(ruleset, games, actions=actions), np.random.default_rng(1)

    def measure(self, seconds: float) -> tuple[float, float]:
        """Return decisions and picks per second."""
        batch, spent, picks, decisions = self.batch, 0.0, 0, self.batch.decisions
        end = time.monotonic() + 4 * seconds
        while spent < seconds and time.monotonic() < end:
            chosen = np.argmax(self.dice.random(batch.mask.shape, np.float32) * batch.mask, axis=1)
            before = time.process_time()
            batch.step(chosen)
            spent += time.process_time() - before
            picks += len(chosen)
        return (batch.decisions - decisions) / spent, picks / spent

    @property
    def size(self) -> float:
        """Bytes of arrays per game."""
        batch = self.batch
        arrays = (batch.counts, batch.numbers, batch.mask, batch.prefix, batch.reward)
        return float(sum(array.nbytes for array in arrays)) / len(batch.seat)


def single(ruleset: rulelang.Ruleset, seconds: float) -> float:
    """Return choices per second of `State` in native code."""
    dice, choices, seed = random.Random(1), 0, 0
    ruleset.new_game(backend="native")
    before = time.process_time()
    while time.process_time() - before < seconds:
        seed += 1
        state = ruleset.new_game(seed=seed, backend="native")
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply(actions[int(dice.random() * len(actions))])
            choices += 1
    return choices / (time.process_time() - before)


def openspiel(name: str) -> Callable[[float], float] | None:
    """Return what plays OpenSpiel's game of a name for some seconds and returns decisions per second; None: there is
    none."""
    try:
        game: Any = importlib.import_module("pyspiel").load_game(OPENSPIEL.get(name, name))
    except (ImportError, RuntimeError):
        return None
    dice = random.Random(1)
    tensor = "observation_tensor" if game.get_type().provides_observation_tensor else "information_state_tensor"

    def play(seconds: float) -> float:
        decisions, before = 0, time.process_time()
        while time.process_time() - before < seconds:
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(dice.choices(actions, weights)[0])
                    continue
                getattr(state, tensor)()
                state.legal_actions_mask()
                actions = state.legal_actions()
                state.apply_action(actions[int(dice.random() * len(actions))])
                decisions += 1
        return decisions / (time.process_time() - before)

    return play


def pgx(name: str, games: int) -> Callable[[float], float] | None:
    """Return what plays so many games of Pgx for some seconds and returns decisions per second of the processor; None:
    there is no such game."""
    try:
        jax, env = importlib.import_module("jax"), importlib.import_module("pgx").make(PGX.get(name, name))
        auto_reset = importlib.import_module("pgx.experimental.wrappers").auto_reset
    except (ImportError, ValueError, AssertionError):
        return None
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda key, mask: jax.random.categorical(key, jax.numpy.where(mask, 0.0, -jax.numpy.inf), axis=1))
    split = jax.jit(lambda key: jax.random.split(key, games + 1))
    keys = split(jax.random.PRNGKey(1))
    state = jax.jit(jax.vmap(env.init))(keys[1:])

    def play(seconds: float) -> float:
        nonlocal keys, state
        spent, decisions = 0.0, 0
        while spent < seconds:
            keys = split(keys[0])
            actions = jax.block_until_ready(choose(keys[0], state.legal_action_mask))
            before = time.process_time()
            state = jax.block_until_ready(step(state, actions, keys[1:]))
            spent += time.process_time() - before
            decisions += games
        return decisions / spent

    play(0.01)  # compiles
    return play


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=NAMES)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--actions", default="picks")
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    for name in options.rulesets:
        ruleset = rulelang.load(folder_of(name))
        played = Random(ruleset, options.games, options.actions)
        played.measure(options.seconds / 4)  # it learns what values are called
        if options.race:
            others = {"OpenSpiel": openspiel(name), "Pgx": pgx(name, options.games)}
            runs: dict[str, list[float]] = {"batch": []}
            for _ in range(options.rounds):
                runs["batch"].append(played.measure(options.seconds)[0])
                for other, play in others.items():
                    if play is not None:
                        runs.setdefault(other, []).append(play(options.seconds))
            told = [f"{other} {statistics.median(speeds):12,.0f}" for other, speeds in runs.items()]
            line = f"{name:16}{'  '.join(told)} decisions/s"
        else:
            decisions, picks = played.measure(options.seconds)
            alone = single(ruleset, options.seconds / 4)
            line = f"{name:16}{decisions:12,.0f} decisions/s {picks:12,.0f} picks/s {alone:10,.0f} choices/s alone"
            line += f" {decisions / alone:5.1f} × {played.size:6,.0f} B"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
