"""Our MCTS against OpenSpiel's in C++ at equal time a move, in games that both have.

    pip install open_spiel
    python benchmarks/duel.py --seconds 0.05 --games 50
    python benchmarks/duel.py leduc --games 1000 --seconds 0.005

Enters: names of games. Leaves: a line for each: our mean return (1 for a win, -1 for a loss; in Leduc chips) with its
95 % interval, both seats played equally often with the same luck, and how many iterations each side made a move.
OpenSpiel plays `MCTSBot` with one random rollout a simulation, in Leduc `ISMCTSBot`, both with its usual constant 2
(payoffs differ by 2); its number of simulations is set by the clock, move by move. Where both seats choose at once, in
goofspiel, `ISMCTSBot` can't play: `MCTSBot` searches the game in which it chooses first and its rival sees that.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from benchmarks import folder_of
from rulelang.search import Searcher

ROOT = Path(__file__).parents[1]


class Pair(NamedTuple):
    """A game that both have: our folder, OpenSpiel's name, and the function from our action ids to OpenSpiel's actions.

    Attributes:
        at_once: whether both seats choose at once.
    """

    folder: Path
    name: str
    action: Callable[[str], int]
    at_once: bool = False


def _cell(id_: str) -> str:
    """Return the cell or column of an action id."""
    return id_.rpartition("=")[2]


def _square(id_: str) -> int:
    """Return OpenSpiel's action for a square of tic-tac-toe."""
    return 3 * (int(_cell(id_)[1]) - 1) + ord(_cell(id_)[0]) - 97


def _column(id_: str) -> int:
    """Return OpenSpiel's action for a column of Connect Four."""
    return ord(_cell(id_)[0]) - 97


def _bet(id_: str) -> int:
    """Return OpenSpiel's action for a bet in Leduc poker."""
    return {"fold": 0, "stay": 1, "raise": 2}[id_.rpartition(":")[2]]


def _bid(id_: str) -> int:
    """Return OpenSpiel's action for a bid in Goofspiel."""
    return int(id_.partition("bid_")[2][0]) - 1


GAMES = {
    "tictactoe": Pair(ROOT / "tests/conformance/rulesets/tictactoe", "tic_tac_toe", _square),
    "connect_four": Pair(folder_of("connect_four"), "connect_four", _column),
    "leduc": Pair(ROOT / "tests/conformance/rulesets/leduc", "leduc_poker", _bet),
    "goofspiel": Pair(
        folder_of("goofspiel"),
        "turn_based_simultaneous_game(game=goofspiel(num_cards=5,points_order=descending,returns_type=win_loss))",
        _bid,
        at_once=True,
    ),
}


class Theirs:
    """OpenSpiel's bot, with as many simulations as fit a number of seconds.

    Attributes:
        count: simulations of the next move. counts: those of all moves so far.
    """

    def __init__(self, pyspiel: Any, game: Any, seconds: float, at_once: bool) -> None:
        self.pyspiel, self.game, self.seconds = pyspiel, game, seconds
        imperfect = pyspiel.GameType.Information.IMPERFECT_INFORMATION
        self.hidden = not at_once and game.get_type().information == imperfect
        self.count, self.counts = 1000, list[int]()

    def choose(self, state: Any, seed: int) -> int:
        """Return OpenSpiel's action, and adapt the number of simulations to the time that it took."""
        evaluator = self.pyspiel.RandomRolloutEvaluator(1, seed)
        if self.hidden:
            kinds = self.pyspiel.ISMCTSFinalPolicyType
            bot = self.pyspiel.ISMCTSBot(seed, evaluator, 2.0, self.count, -1, kinds.MAX_VISIT_COUNT, False, False)
        else:
            bot = self.pyspiel.MCTSBot(self.game, evaluator, 2.0, self.count, 1000, False, seed, False)
        start = time.perf_counter()
        action: int = bot.step(state)
        self.counts.append(self.count)
        spent = max(time.perf_counter() - start, 1e-4)
        self.count = max(int(self.count * min(max(self.seconds / spent, 0.25), 4)), 8)
        return action


def played(
    ruleset: Any, theirs: Theirs, pair: Pair, seat: int, seed: int, seconds: float, iteration_counts: list[int]
) -> float:
    """Play a game; return our seat's return.

    Args:
        iteration_counts: gets the iterations of our moves.
    """
    draw = random.Random(seed)
    options = {"suits": 1} if theirs.hidden else {}
    ours = ruleset.new_game(2, options=options, chance="explicit")
    other = theirs.game.new_initial_state()
    searcher = Searcher(10**7, seed, seat, seconds=seconds)
    while not ours.is_terminal():
        if ours.is_chance_node():
            outcomes = ours.chance_outcomes()
            (outcome,) = draw.choices([outcome for outcome, _ in outcomes], [float(part) for _, part in outcomes])
            ours.apply(outcome)
            # Our cards of a rank are alike: two items of each stand for it, as in OpenSpiel.
            drawn = next(entry[3] for entry in ours.engine[1].log.since(0)[::-1] if entry[0] == "chance")
            other.apply_action(next(card for card in other.legal_actions() if card // 2 == drawn // 2))
            continue
        chosen: dict[int, str] = {}
        for acting in ours.current_players():
            ids = {pair.action(action.id): action.id for action in ours.legal_actions(acting)}
            if len(ids) == 1:
                (chosen[acting],) = ids.values()
            elif acting == seat:
                finding = searcher.search(ours, acting)
                chosen[acting] = finding.action.id
                iteration_counts.append(finding.iterations)
            else:
                chosen[acting] = ids[theirs.choose(other, draw.randrange(1 << 30))]
        for acting in sorted(chosen, key=lambda acting: acting == seat):  # simultaneous choices: OpenSpiel's bot first
            ours.apply(chosen[acting], acting)
            if not other.is_terminal():  # OpenSpiel plays the last cards by itself
                other.apply_action(pair.action(chosen[acting]))
    gained = float(ours.returns()[seat])
    assert gained == other.returns()[1 if pair.at_once else seat]
    return gained


def main() -> None:
    """Play the duels and print a line for each game."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("names", nargs="*", default=list(GAMES))
    arguments.add_argument("--games", type=int, default=50, help="pairs of games")
    arguments.add_argument("--seconds", type=float, default=0.05, help="for a move")
    parsed = arguments.parse_args()
    pyspiel = importlib.import_module("pyspiel")

    for name in parsed.names:
        pair, iteration_counts = GAMES[name], list[int]()
        ruleset, game = rulelang.load(pair.folder), pyspiel.load_game(pair.name)
        theirs = Theirs(pyspiel, game, parsed.seconds, pair.at_once)
        pairs = [
            statistics.mean(
                played(ruleset, theirs, pair, seat, seed, parsed.seconds, iteration_counts) for seat in (0, 1)
            )
            for seed in range(parsed.games)
        ]
        half = 1.96 * statistics.stdev(pairs) / len(pairs) ** 0.5
        line = f"{name}: {statistics.mean(pairs):+.3f} ± {half:.3f}, {len(pairs)} pairs of games"
        budgets = [round(statistics.median(counts)) for counts in (iteration_counts, theirs.counts)]
        sys.stdout.write(f"{line}, a move {budgets[0]} iterations, OpenSpiel {budgets[1]} simulations\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
