"""The hand-written R-ECO that speed is measured against plays by the rules."""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "benchmarks" / "handwritten" / "reco.py"


def load() -> ModuleType:
    """The baseline stands outside the package, so it is loaded from its file."""
    spec = importlib.util.spec_from_file_location("handwritten_reco", SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


reco = load()


def cards(text: str) -> list[object]:
    """`red1 red2` as cards."""
    return [reco.Card(word[:-1], int(word[-1])) for word in text.split()]


def rewards(**colours: list[int]) -> list[object]:
    """Rewards by colour and points."""
    return [reco.Reward(colour, points) for colour, values in colours.items() for points in values]


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("deck", [88, 100])
def test_every_card_stays_in_the_game(players: int, deck: int) -> None:
    """At the end all garbage and all rewards lie somewhere, and exactly one stack is empty."""
    for seed in range(50):
        game = reco.Game(players, random.Random(seed), deck)
        game.play()
        garbage = [*game.stock, *game.discard]
        for centre in game.centres.values():
            garbage += centre.plant + centre.dump
        for player in game.players:
            garbage += player.hand + player.littered
        assert Counter(garbage) == Counter(reco.make_deck(deck))
        assert len(garbage) == deck
        won = sum(len(player.won) for player in game.players)
        stacks = [len(centre.rewards) for centre in game.centres.values()]
        assert won + sum(stacks) == 4 * len(reco.REWARDS[players])
        assert stacks.count(0) == 1


@pytest.mark.parametrize("players", [3, 4, 5])
def test_hands_and_plants_stay_within_their_limits(players: int) -> None:
    """After each turn a hand has at most five cards and a plant at most three pieces of garbage."""
    for seed in range(50):
        game = reco.Game(players, random.Random(seed))
        while not game.over:
            for player in game.players:
                game.take_turn(player)
                assert len(player.hand) <= reco.HAND_LIMIT
                assert all(centre.garbage() < reco.GARBAGE_FOR_REWARD for centre in game.centres.values())
                if game.over:
                    break


def test_same_seed_gives_the_same_game() -> None:
    """A result depends on its arguments only, and counts at least two decisions in a turn that plays."""
    assert reco.play(4, 7) == reco.play(4, 7)
    assert reco.play(4, 7) != reco.play(4, 8)
    result = reco.play(4, 7)
    assert 0 < result.turns < result.decisions <= 3 * result.turns
    assert len(result.scores) == 4


def test_scoring_example() -> None:
    """The rulebook's example, reco-fr:78-81: 8, 11, 8 and 7 points, the second player wins."""
    players = [
        reco.Player(littered=cards("red1"), won=rewards(red=[0, 1, 5], blue=[-2], yellow=[-2], green=[0, 3])),
        reco.Player(won=rewards(red=[2, 3], blue=[1, 2], yellow=[2])),
        reco.Player(
            littered=cards("red1 red1 blue1 blue1"),
            won=rewards(red=[-2, 4], blue=[0, 3, 4], yellow=[0], green=[1, 2]),
        ),
        reco.Player(littered=cards("red1"), won=rewards(yellow=[1, 3, 4])),
    ]
    scores = reco.score(players)
    assert scores == [8, 11, 8, 7]
    assert reco.winners(players, scores) == [1]
    del players[1]
    assert reco.winners(players, [8, 8, 7]) == [0], "the first and third tie on points; the first littered less"


def test_bonus_is_doubled_among_three() -> None:
    """The law-abiding get 2 points per offender in a game of three and a tie without litter is shared."""
    players = [reco.Player(littered=cards("red1 red1 red1")), reco.Player(), reco.Player()]
    assert reco.score(players) == [-3, 2, 2]
    assert reco.winners(players, [-3, 2, 2]) == [1, 2]


def test_options_of_a_decision_are_distinct() -> None:
    """Like cards make one option: two red 1 and one red 2 can be played in five ways, littered by two in two."""
    hand = cards("red1 blue1 red2 red1")
    plays = [sorted(bag) for bag in reco.plays(hand, "red")]
    assert plays == [cards(text) for text in ("red1", "red2", "red1 red1", "red1 red2", "red1 red1 red2")]
    assert len(reco.sub_bags(cards("red1 red1 red2"), 2)) == 2


def test_stock_is_recycled_in_the_middle_of_a_draw() -> None:
    """A draw goes on from the shuffled discard, and stops when both piles are exhausted."""
    game = reco.Game(3, random.Random(0))
    game.stock, game.discard = cards("red1"), cards("blue1 blue1")
    dump: list[object] = []
    game.draw(2, dump)
    assert dump == cards("red1 blue1")
    assert (game.stock, game.discard) == (cards("blue1"), [])
    game.draw(4, dump)
    assert dump == cards("red1 blue1 blue1")


def test_player_without_cards_passes() -> None:
    """An empty hand makes no decision and takes nothing; when every hand is empty the game ends."""
    game = reco.Game(3, random.Random(0))
    for player in game.players:
        player.hand.clear()
    game.take_turn(game.players[0])
    assert (game.turns, game.decisions) == (1, 0)
    assert game.players[0].hand == []
    assert game.play().turns == 1
