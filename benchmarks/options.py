"""Counts options: how many a decision has in the mean and at most, and how many decisions have but one.

    python benchmarks/options.py imaginarium --games 50
    python benchmarks/options.py imaginarium --games 20 --player tests.imaginarium.careful:choose --by-rule

Enters: a ruleset, numbers of players, how many games, who plays: at random, or a function of a state, a seat and a
`random.Random` that gives an action. Leaves: a line for each number of players, and for each rule if wanted.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from rulelang.game import Action, State

Player = Callable[[State, int, random.Random], Action]


@dataclass
class Counts:
    """Numbers of decisions and of their options in all, the most options of one, and decisions with a single option."""

    decisions: int = 0
    options: int = 0
    most: int = 0
    forced: int = 0

    def add(self, options: int) -> None:
        """Add a decision with so many options."""
        self.decisions += 1
        self.options += options
        self.most = max(self.most, options)
        self.forced += options == 1

    def line(self, label: str, games: int) -> str:
        """Return the line of the report, per game."""
        mean, forced = self.options / self.decisions, self.forced / self.decisions
        return (
            f"{label:28}{self.decisions / games:9.1f} decisions  {mean:6.2f} options in the mean, {self.most:4} at "
            f"most, {forced:5.1%} with but one"
        )


def uniform(state: State, seat: int, picker: random.Random) -> Action:
    """Return a random legal action."""
    return picker.choice(state.legal_actions(seat))


def counted(ruleset: rulelang.Ruleset, players: int, games: int, player: Player) -> dict[str, Counts]:
    """Return the counts by rule, those of all under the empty name."""
    counts: dict[str, Counts] = defaultdict(Counts)
    for seed in range(games):
        state, picker = ruleset.new_game(players=players, seed=seed), random.Random(seed)
        while not state.is_terminal():
            seat = state.current_players()[0]
            actions = state.legal_actions(seat)
            rule = str(actions[0].data["rule"])
            for name in ("", rule):
                counts[name].add(len(actions))
            state.apply(player(state, seat, picker), seat)
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the games and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset")
    parser.add_argument("--players", help="numbers of players, such as 2,5; all of the ruleset if left out")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--player", default="", help="MODULE:FUNCTION that chooses; at random if left out")
    parser.add_argument("--by-rule", action="store_true")
    parsed = parser.parse_args(arguments)
    ruleset = rulelang.load(parsed.ruleset)
    module, _, name = parsed.player.partition(":")
    player: Player = getattr(importlib.import_module(module), name) if module else uniform
    for players in map(int, parsed.players.split(",")) if parsed.players else ruleset.players:
        by_rule = counted(ruleset, players, parsed.games, player)
        whole = by_rule.pop("")
        sys.stdout.write(whole.line(f"{players} players", parsed.games) + "\n")
        if parsed.by_rule:
            for rule, counts in sorted(by_rule.items(), key=lambda row: -row[1].decisions):
                sys.stdout.write(counts.line(f"  {rule}", parsed.games) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
