"""R-ECO written by hand, in plain Python: the baseline that the engine's speed is measured against.

It plays what `rulesets/reco` plays, with the same readings (its RULINGS.md) and the same decisions: a colour in hand,
which cards of that colour to play, which cards to litter. Each decision lists its legal options and takes one of them,
every option equally likely. It knows nothing of the engine. Enters: a number of players, a seed, the size of the deck.
Leaves: a `Result`. Run it to print games per second:

    python benchmarks/handwritten/reco.py --games 2000 --players 4
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeVar

COLOURS = ("red", "blue", "yellow", "green")
ONES_PER_COLOUR = {88: 19, 100: 22}
TWOS_PER_COLOUR = 3
HAND_SIZE = 3
HAND_LIMIT = 5
GARBAGE_FOR_REWARD = 4
REWARDS = {3: (0, 1, 2, 3, -2, 4, 5), 4: (0, 1, 2, 3, -2, 4, 5), 5: (0, 1, 2, 3, 3, -2, 4, 5)}  # top first

T = TypeVar("T")


class Card(NamedTuple):
    """A garbage card; two cards of the same colour and value are the same to every player."""

    colour: str
    value: int


class Reward(NamedTuple):
    """A reward card."""

    colour: str
    points: int


@dataclass(frozen=True)
class Result:
    """A finished game: scores by seat, the seats that won, the decisions and turns it took."""

    scores: list[int]
    winners: list[int]
    decisions: int
    turns: int


@dataclass
class Player:
    """The cards of one seat."""

    hand: list[Card] = field(default_factory=list)
    littered: list[Card] = field(default_factory=list)
    won: list[Reward] = field(default_factory=list)


@dataclass
class Centre:
    """One recycling centre; `rewards` has its top first."""

    rewards: list[Reward]
    plant: list[Card] = field(default_factory=list)
    dump: list[Card] = field(default_factory=list)

    def garbage(self) -> int:
        """Return the pieces of garbage that the cards at the plant show."""
        return sum(card.value for card in self.plant)


class Game:
    """One game: `play` plays it to its end with uniformly random decisions."""

    def __init__(self, players: int, rng: random.Random, deck: int = 88) -> None:
        self.rng = rng
        self.players = [Player() for _ in range(players)]
        self.centres = {colour: Centre([Reward(colour, points) for points in REWARDS[players]]) for colour in COLOURS}
        self.stock = make_deck(deck)
        self.discard: list[Card] = []
        self.decisions = 0
        self.turns = 0
        self.over = False

        rng.shuffle(self.stock)
        for player in self.players:
            self.draw(HAND_SIZE, player.hand)
        for centre in self.centres.values():
            self.draw(1, centre.dump)

    def play(self) -> Result:
        """Take turns until a reward stack runs out, or until nobody holds a card."""
        while not self.over and any(player.hand for player in self.players):
            for player in self.players:
                self.take_turn(player)
                if self.over:
                    break
        scores = score(self.players)
        return Result(scores, winners(self.players, scores), self.decisions, self.turns)

    def take_turn(self, player: Player) -> None:
        """Take one turn: play garbage, collect garbage, fill the dump."""
        self.turns += 1
        if not player.hand:
            return
        colour = self.choose([colour for colour in COLOURS if any(card.colour == colour for card in player.hand)])
        centre = self.centres[colour]
        self.play_garbage(player, centre, self.choose(plays(player.hand, colour)))
        self.collect_garbage(player, centre)
        if not centre.rewards:
            self.over = True
            return
        self.draw(centre.garbage() + 1, centre.dump)

    def play_garbage(self, player: Player, centre: Centre, cards: Iterable[Card]) -> None:
        """Put cards from the hand at the plant; four pieces of garbage there earn the top reward."""
        for card in cards:
            player.hand.remove(card)
            centre.plant.append(card)
        if centre.garbage() >= GARBAGE_FOR_REWARD:
            player.won.append(centre.rewards.pop(0))
            self.discard.extend(centre.plant)
            centre.plant.clear()

    def collect_garbage(self, player: Player, centre: Centre) -> None:
        """Take the whole dump; litter what exceeds the limit."""
        player.hand.extend(centre.dump)
        centre.dump.clear()
        excess = len(player.hand) - HAND_LIMIT
        if excess > 0:
            for card in self.choose(sub_bags(player.hand, excess)):
                player.hand.remove(card)
                player.littered.append(card)

    def draw(self, count: int, to: list[Card]) -> None:
        """Draw cards one by one, as many as there are; an empty stock is refilled from the shuffled discard."""
        for _ in range(count):
            if not self.stock:
                self.stock, self.discard = self.discard, []
                self.rng.shuffle(self.stock)
            if not self.stock:
                return
            to.append(self.stock.pop())

    def choose(self, options: Sequence[T]) -> T:
        """Make a decision: return one of the options, each equally likely."""
        self.decisions += 1
        return self.rng.choice(options)


def make_deck(size: int) -> list[Card]:
    """Return the garbage cards of a box of 88 or 100."""
    deck = []
    for colour in COLOURS:
        deck += [Card(colour, 1)] * ONES_PER_COLOUR[size]
        deck += [Card(colour, 2)] * TWOS_PER_COLOUR
    return deck


def sub_bags(cards: Iterable[Card], size: int) -> list[tuple[Card, ...]]:
    """Return the distinct ways to take `size` cards, equal cards being interchangeable."""
    return sorted(set(combinations(sorted(cards), size)))


def plays(hand: Iterable[Card], colour: str) -> list[tuple[Card, ...]]:
    """Return the distinct ways to play one or more cards of a colour."""
    cards = [card for card in hand if card.colour == colour]
    return [bag for size in range(1, len(cards) + 1) for bag in sub_bags(cards, size)]


def score(players: Sequence[Player]) -> list[int]:
    """Return the scores by seat: colours with two or more rewards, less litter, plus the bonus of those who littered
    nothing."""
    offenders = sum(1 for player in players if player.littered)
    bonus = offenders * (2 if len(players) == 3 else 1)
    scores = []
    for player in players:
        points = 0
        for colour in COLOURS:
            rewards = [reward.points for reward in player.won if reward.colour == colour]
            if len(rewards) >= 2:
                points += sum(rewards)
        scores.append(points - len(player.littered) if player.littered else points + bonus)
    return scores


def winners(players: Sequence[Player], scores: Sequence[int]) -> list[int]:
    """Return the seats with the most points and, among those, the least litter."""
    ranks = [(points, -len(player.littered)) for player, points in zip(players, scores, strict=True)]
    return [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]


def play(players: int, seed: int, deck: int = 88) -> Result:
    """Play one uniformly random game of 3 to 5 players; the same arguments give the same game."""
    return Game(players, random.Random(seed), deck).play()


def main() -> None:
    """Play many games and print how many that is in a second."""
    parser = argparse.ArgumentParser(description="Random games of R-ECO, written by hand.")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--players", type=int, choices=(3, 4, 5), default=4)
    parser.add_argument("--deck", type=int, choices=sorted(ONES_PER_COLOUR), default=88)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    start = time.perf_counter()
    results = [play(arguments.players, arguments.seed + game, arguments.deck) for game in range(arguments.games)]
    seconds = time.perf_counter() - start
    decisions = sum(result.decisions for result in results)
    turns = sum(result.turns for result in results)
    sys.stdout.write(
        f"{arguments.games / seconds:.0f} games per second"
        f" ({arguments.games} games, {decisions} decisions, {turns} turns, {seconds:.2f} s)\n"
    )


if __name__ == "__main__":
    main()
