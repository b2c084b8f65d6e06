"""Picks per second of a batch, with masks and what the seat sees, beside single steps of the same games.

    python benchmarks/batch.py
    python benchmarks/batch.py reco ldd --games 1024 --seconds 2

Enters: rulesets, or games of this folder. Leaves: a line for each: picks per second of the processor that `Batch.step`
takes, drawn at random from masks (the drawing is not counted); choices per second of `State` in native code, without
observations; memory of the arrays per game.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of
from rulelang.envs import Batch

NAMES = ("tic_tac_toe", "leduc_poker", "connect_four", "reco")


def batched(ruleset: rulelang.Ruleset, games: int, seconds: float) -> tuple[float, float]:
    """Return picks per second, and bytes of arrays per game."""
    batch, dice = Batch(ruleset, games), np.random.default_rng(1)
    spent, picks = 0.0, 0
    end = time.monotonic() + 4 * seconds
    for warm in (True, False):
        spent, picks = 0.0, 0
        while spent < (seconds / 4 if warm else seconds) and time.monotonic() < end:
            chosen = np.argmax(dice.random(batch.mask.shape, np.float32) * batch.mask, axis=1)
            before = time.process_time()
            batch.step(chosen)
            spent += time.process_time() - before
            picks += games
    arrays = (batch.counts, batch.numbers, batch.mask, batch.prefix, batch.reward)
    return picks / spent, sum(array.nbytes for array in arrays) / games


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rulesets", nargs="*", default=NAMES)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args(arguments)
    for name in options.rulesets:
        ruleset = rulelang.load(folder_of(name))
        speed, size = batched(ruleset, options.games, options.seconds)
        alone = single(ruleset, options.seconds / 4)
        line = f"{name:16}{speed:12,.0f} picks/s {alone:10,.0f} choices/s alone {speed / alone:5.1f} × {size:6,.0f} B"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
