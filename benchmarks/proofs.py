"""Try at length that worlds of a seat give nothing away (docs/decisions/017-search.md).

    python -m benchmarks.proofs deals --count 10000
    python -m benchmarks.proofs exchanges --count 100000

`deals`: so many worlds for each ruleset, phase and seat; native code compares the events and the view of each with
what the seat saw, and of one in fifty Python compares the information state too. `exchanges`: so many searches in all,
in which a world stands in place of the true state; each must find the same moves, visits and values.

Enters: rulesets and games of the benchmarks. Leaves: a line for each ruleset; exit status 1 if anything differed.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys

from rulelang.game import Ruleset, State, load
from rulelang.search import Searcher, SearchOptions, Worlds

GAMES = {
    "tests/conformance/rulesets/kuhn": (2, (1, 2, 3)),
    "tests/conformance/rulesets/leduc": (2, (1, 3, 5)),
    "tests/conformance/rulesets/peek": (2, (1, 3, 4)),
    "tests/conformance/rulesets/pickpocket": (3, (1, 3, 4)),
    "tests/conformance/rulesets/tricks": (3, (1, 3, 5)),
    "tests/conformance/rulesets/sealed": (3, (1, 3, 4)),
    "reco": (4, (8, 50, 110)),
    "ldd": (3, (10, 90, 200)),
    "imaginarium": (3, (20, 200, 450)),
    "droids": (4, (10, 60, 180)),
    "benchmarks/games/hearts": (4, (4, 26, 44)),
    "benchmarks/games/crazy_eights": (3, (5, 25, 50)),
}
"""Ruleset -> players, and the numbers of choices after which its phases are tested."""
COMPARED = 50
"""Python compares one of so many worlds."""
SEEDS = 5
"""Games that positions of a phase are taken from."""


def position(ruleset: Ruleset, players: int, choices: int, seed: int) -> State:
    """Return the state of a random game after so many choices, or earlier if it ends."""
    state, draw = ruleset.new_game(players, seed=seed), random.Random(seed)
    for _ in range(choices):
        seat = state.current_players()[0]
        after = state.clone()
        after.apply(draw.choice(state.legal_actions(seat)), seat)
        if after.is_terminal():
            break
        state = after
    return state


def deals(path: str, count: int) -> tuple[int, int]:
    """Return how many worlds were sampled, and how many were missing or distinguishable from the true state."""
    players, phases = GAMES[path]
    ruleset = load(path)
    dealt = wrong = 0
    for choices, seed in itertools.product(phases, range(SEEDS)):
        state = position(ruleset, players, choices, seed)
        for seat in range(players):
            known, worlds = state.information_state(seat), Worlds(state, seat, seed)
            for _ in range(count // SEEDS // COMPARED):
                skipped = worlds.skip(COMPARED - 1)
                wrong += COMPARED - 1 - skipped + (worlds.deal().information_state(seat) != known)
                dealt += COMPARED
    return dealt, wrong


def exchanges(path: str, count: int) -> tuple[int, int]:
    """Return how many searches from worlds were made, and how many differed from that of the true state."""
    players, phases = GAMES[path]
    ruleset = load(path)
    done = wrong = 0
    for seed in itertools.count():
        state = position(ruleset, players, phases[seed % len(phases)], seed)
        seat = state.current_players()[0]
        worlds = Worlds(state, seat, seed)
        options = SearchOptions(backend="native", trees=("single", "multiple")[seed % 2])
        known = search_result(state, seat, seed, options)
        for _ in range(20):
            worlds.skip(2)
            wrong += search_result(worlds.deal(), seat, seed, options) != known
            done += 1
        if done >= count:
            break
    return done, wrong


def search_result(state: State, seat: int, seed: int, options: SearchOptions) -> list[tuple[str, int, float]]:
    """Return the moves of a short search with their visits and values."""
    moves = Searcher(60, seed, options=options).search(state, seat).moves
    return [(move.action.id, move.visits, move.value) for move in moves]


def main() -> int:
    """Run one of the two tests on all rulesets, or on the given ones; return whether it failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=["deals", "exchanges"])
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("rulesets", nargs="*", default=[])
    arguments = parser.parse_intermixed_args()
    paths, failed = arguments.rulesets or list(GAMES), False
    for path in paths:
        count, failures = (
            deals(path, arguments.count)
            if arguments.what == "deals"
            else exchanges(path, -(-arguments.count // len(paths)))
        )
        failed |= failures > 0
        print(f"{path}: {count:,} {arguments.what}, {failures} wrong", flush=True)  # noqa: T201
    return failed


if __name__ == "__main__":
    sys.exit(main())
