"""The hand-written R-ECO in C is the hand-written R-ECO in Python: game for game, and in the mean."""

from __future__ import annotations

import json
import statistics
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.handwritten import native, reco
from rulelang.runtime.rng import game_seed, uniform

try:
    native.compiler()
except native.NoCompilerError as error:
    pytest.skip(f"{error}; the hand-written C can't be tried", allow_module_level=True)

GAME_FOR_GAME = 40
GAMES = 20_000
PYTHON_GAMES = 1_500
ERRORS = 4
"""Standard errors of a difference that are still chance."""

KINDS = [reco.Card(colour, value) for colour in reco.COLOURS for value in (1, 2)]


class Stream:
    """Chance for the game in Python as the game in C uses it: the same numbers, options and piles in the same order."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, n: int) -> int:
        number, self.state = uniform(self.state, n)
        return number

    def choice(self, options):
        if isinstance(options[0], str):
            return options[self.below(len(options))]  # colours, which stand in the same order in both
        ordered = sorted(options, key=lambda cards: [cards.count(kind) for kind in KINDS])
        return ordered[self.below(len(options))]

    def shuffle(self, cards: list[reco.Card]) -> None:
        cards.sort(key=KINDS.index)
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1)
            cards[i], cards[j] = cards[j], cards[i]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """As it is measured."""
    return native.build(tmp_path_factory.mktemp("fast"))


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """With invariants checked after every turn."""
    return native.build(tmp_path_factory.mktemp("checked"), native.CHECKED)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("deck", [88, 100])
def test_same_chance_gives_the_same_games(program, players, deck):
    """With the same random numbers both play the same games: decisions, turns, scores and winners."""
    words = native.command(program, GAME_FOR_GAME, players, seed=7, deck=deck)
    lines = subprocess.run([*words, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == GAME_FOR_GAME + 1, "a line each and the sums"
    for number, line in enumerate(lines[:-1]):
        chance: Any = Stream(game_seed(7, number))
        by_hand = reco.Game(players, chance, deck).play()
        assert json.loads(line) == vars(by_hand), f"game {number}"


@pytest.mark.soak
@pytest.mark.parametrize("players", [3, 4, 5])
def test_means_are_those_of_python(program, players):
    """Games in Python with chance of its own have the same lengths, scores and wins, within four standard errors."""
    in_c = native.play(program, GAMES, players)
    in_python = [reco.play(players, seed) for seed in range(PYTHON_GAMES)]

    def agree(what: str, mean: float, error: float, sample: list[float]) -> None:
        other = statistics.mean(sample)
        allowed = ERRORS * (error**2 + statistics.variance(sample) / len(sample)) ** 0.5
        assert abs(mean - other) < allowed, f"{what}: {mean:.3f} in C, {other:.3f} in Python"

    agree("decisions", in_c.decisions.value, in_c.decisions.error, [game.decisions for game in in_python])
    agree("turns", in_c.turns.value, in_c.turns.error, [game.turns for game in in_python])
    for seat in range(players):
        score, share = in_c.scores[seat], in_c.win_shares[seat]
        agree(f"score of {seat}", score.value, score.error, [game.scores[seat] for game in in_python])
        # A share lies between 0 and 1, so it varies at most as a yes or no does.
        error = (share * (1 - share) / GAMES) ** 0.5
        shares = [(seat in game.winners) / len(game.winners) for game in in_python]
        agree(f"wins of {seat}", share, error, shares)


@pytest.mark.parametrize("players", [3, 4, 5])
@pytest.mark.parametrize("deck", [88, 100])
def test_games_end_and_keep_every_card(checked, players, deck):
    """The program's own checks pass, every game ends with a stack of rewards, and one game has one win to share."""
    games = native.play(checked, 3_000, players, seed=1, deck=deck)
    assert games.games == games.sums["stacks_out"] == 3_000
    assert sum(games.sums["win_shares_of_60"]) == 60 * 3_000
    assert sum(games.sums["wins"]) >= 3_000
    assert games.turns.value < games.decisions.value <= 3 * games.turns.value


def test_same_seed_gives_the_same_games(program):
    """Sums depend on the arguments only; another seed gives others."""
    one, again, other = (native.play(program, 1_000, seed=seed).sums for seed in (3, 3, 4))
    assert one == again
    assert one != other


@pytest.mark.parametrize("processes", [2, 3])
def test_ranges_add_up(program, processes):
    """Games shared out to processes are the same games."""
    whole = native.play(program, 1_001, seed=5)
    parts = native.play_side_by_side(program, 1_001, processes, seed=5)
    assert parts.sums == whole.sums
    assert native.play(program, 500, seed=5, first=1).sums != native.play(program, 500, seed=5).sums


def test_scores_of_those_who_litter_nothing(tmp_path):
    """What random games hardly reach: reco-fr:72-81. A star marks a winner.

    The example, the same without its winner (the first and the third tie, the first littered less), then one or three
    offenders with three and five players: 1 x 2 and 3 x 1 points for each of the others, who share the victory.
    """
    program = tmp_path / "scoring"
    source = Path(__file__).with_name("scoring.c")
    include = f"-I{native.SOURCE.parent}"
    words = [native.compiler(), *native.WARNINGS, *native.CHECKED, include, "-o", str(program), str(source)]
    subprocess.run(words, check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")
    assert [line.split() for line in lines[:-1]] == [
        ["8", "11*", "8", "7"],
        ["8*", "8", "7"],
        ["-3", "2*", "2*"],
        ["-3", "3*", "3*", "-3", "-3"],
    ]


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path):
    """No index out of bounds, no overflow, nothing read before it is written."""
    flags = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    empty = tmp_path / "empty.c"
    empty.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    tried = subprocess.run(
        [native.compiler(), *flags, "-o", str(tmp_path / "empty"), str(empty)], capture_output=True, check=False
    )
    if tried.returncode != 0:
        pytest.skip("this C compiler comes without sanitizers")
    sanitized = native.build(tmp_path, (*native.CHECKED, *flags))
    for players in (3, 4, 5):
        for deck in (88, 100):
            assert native.play(sanitized, 500, players, deck=deck).sums["stacks_out"] == 500


@pytest.mark.parametrize("words", [["--games", "0"], ["--games", "-1"], ["--games"], ["--players", "2"], ["--dice"]])
def test_nonsense_is_refused(program, words):
    """An argument that does not fit ends the program with 2 and a line that says why."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("reco: ")
    assert done.stdout == ""
