"""Games per second of native code against OpenSpiel's rollouts in C++, both random, in turn, on one core.

    pip install open_spiel
    python benchmarks/openspiel.py
    python benchmarks/openspiel.py othello hex --rounds 5
    python benchmarks/openspiel.py tic_tac_toe connect_four hearts --steps

Enters: names of games of this folder. Leaves: a line for each: both speeds and the median of the rounds' ratios. A
rollout is what OpenSpiel's MCTS asks of its evaluator. With `--steps` both are played from Python, node by node
(`is_terminal`, `legal_actions`, a random choice, `apply`); OpenSpiel's chance nodes count as nodes.

OpenSpiel has amazons on 10 by 10 only; ours are played on 6 by 6, so that ratio is of boards, too.
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

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of
from benchmarks.run import stepped

GAMES = {
    "amazons": "amazons",
    "breakthrough": "breakthrough",
    "clobber": "clobber",
    "connect_four": "connect_four",
    "crazy_eights": "crazy_eights(players=2)",
    "dots_and_boxes": "dots_and_boxes(num_rows=3,num_cols=3)",
    "draughts": "checkers",
    "hearts": "hearts",
    "hex": "hex(board_size=11)",
    "leduc_poker": "leduc_poker",
    "lines_of_action": "lines_of_action",
    "mancala": "mancala",
    "nine_mens_morris": "nine_mens_morris",
    "othello": "othello",
    "pentago": "pentago",
    "tic_tac_toe": "tic_tac_toe",
    "y": "y(board_size=9)",
}
"""Our game -> OpenSpiel's."""
SECONDS = 0.5
"""Approximate time of each side in a round."""


def ours(name: str) -> Callable[[int], None]:
    """Return the function that plays a number of random games in native code."""
    ruleset = rulelang.load(folder_of(name))
    executor = ruleset.executor(ruleset.players[0], backend="native")
    executor.prepare()

    def play(games: int) -> None:
        played, _ = executor.tally(1, range(games), 1)
        assert played == games

    return play


def theirs(pyspiel: Any, name: str) -> Callable[[int], None]:
    """Return the function that makes a number of OpenSpiel rollouts from a game's first decision."""
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])

    def play(games: int) -> None:
        evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
        pyspiel.MCTSBot(game, evaluator, 2.0, 1, 1000, False, 1, False).mcts_search(state)

    return play


def our_steps(name: str) -> Callable[[int], None]:
    """Return the function that takes a number of random steps by the public API."""
    ruleset = rulelang.load(folder_of(name))
    return lambda steps: stepped(ruleset, ruleset.players[-1], steps, "native", steps)


def their_steps(pyspiel: Any, name: str) -> Callable[[int], None]:
    """Return the function that takes a number of random steps in OpenSpiel, from Python."""
    game = pyspiel.load_game(name)

    def play(steps: int) -> None:
        picker = random.Random(steps)
        while steps > 0:
            state = game.new_initial_state()
            while steps > 0 and not state.is_terminal():
                state.apply_action(picker.choice(state.legal_actions()))
                steps -= 1

    return play


def speed(play: Callable[[int], None]) -> float:
    """Return games, or steps, per second of processor time."""
    games = 20
    while True:
        start = time.process_time()
        play(games)
        seconds = time.process_time() - start
        if seconds >= SECONDS / 2:
            return games / seconds
        games = int(games * min(20, SECONDS / max(seconds, 1e-3))) + 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the races and print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help=f"all if left out: {', '.join(GAMES)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", action="store_true", help="steps from Python, not whole games")
    parsed = parser.parse_args(arguments)
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ModuleNotFoundError:
        raise SystemExit("error: wants OpenSpiel: pip install open_spiel") from None
    for name in parsed.games or GAMES:
        one, other = (our_steps, their_steps) if parsed.steps else (ours, theirs)
        sides = one(name), other(pyspiel, GAMES[name])
        rounds = [tuple(map(speed, sides)) for _ in range(parsed.rounds)]
        our_speed, their_speed = (statistics.median(side) for side in zip(*rounds, strict=True))
        ratio = statistics.median(mine / its for mine, its in rounds)
        what = "steps/s" if parsed.steps else "games/s"
        sys.stdout.write(f"{name:16}{our_speed:12,.0f} {what}   OpenSpiel {their_speed:12,.0f}   ratio {ratio:6.2f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
