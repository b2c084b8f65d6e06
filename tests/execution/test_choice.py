"""What `auto` means: native code where its library is there or compiling pays, else the interpreter; what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import rulelang
from rulelang import native, perft
from rulelang.diagnostics import UsageError
from rulelang.execution import choice
from rulelang.execution.choice import BACKENDS, FEWEST_GAMES, BackendChoice, choose
from rulelang.execution.executor import Executor
from rulelang.game import Ruleset
from rulelang.scenarios import run_scenarios
from rulelang.simulate import MANY, playouts_of, simulate
from tests.results.games import command, steps

ROOT = Path(__file__).parents[2]
MANY_GAMES = 10_000


class Rules:
    """Stands for a ruleset: gives executors, counts them, and says how long a game takes."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.made: list[str] = []

    def __call__(self, backend: str) -> Executor:
        self.made.append(backend)
        return self.ruleset.executor(2, backend=backend)


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(steps(tmp_path))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What `auto` looks at, to be changed: a compiler, whether a library is there, costs in seconds, what was built."""
    found: dict[str, object] = {"compiler": "cc", "cached": False, "cost": 2.0, "game": 0.001, "built": 0}

    def prepare(executor: Executor) -> None:
        if found.get("fails"):
            raise UsageError("there is no native code: cc made no library (status 1): out of ink\nand of paper")
        found["built"] = 1

    monkeypatch.setattr(native, "find_compiler", lambda: found["compiler"])
    monkeypatch.setattr(native, "cached", lambda text, compiler: found["cached"])
    monkeypatch.setattr(native, "build_cost", lambda text: found["cost"])
    monkeypatch.setattr(choice, "_game_seconds", lambda executor, enough: found["game"])
    monkeypatch.setattr(Executor, "prepare", prepare)
    return found


@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_a_name_is_that_backend(backend: str, rules: Rules) -> None:
    """Whatever it takes; nothing is said of it, and nothing made."""
    for playouts in (0, FEWEST_GAMES, MANY):
        assert choose(backend, playouts, rules) == BackendChoice(backend, "")
    assert not rules.made
    assert rules(backend).backend == backend


@pytest.mark.usefixtures("world")
def test_few_games(rules: Rules) -> None:
    """The interpreter plays them, without a look at anything."""
    assert choose("auto", 0, rules) == choose("auto", FEWEST_GAMES - 1, rules) == BackendChoice("interpreter", "")
    assert not rules.made


def test_no_compiler(rules: Rules, world: dict[str, object]) -> None:
    """The interpreter, and no C text is written; how to get a compiler is said."""
    world["compiler"] = None
    why = "there is no C compiler for native code; pip install '.[native]' in the folder of the sources brings one"
    assert choose("auto", MANY_GAMES, rules) == BackendChoice("interpreter", why)
    assert not rules.made


def test_a_library_that_is_there(rules: Rules, world: dict[str, object]) -> None:
    """It is taken for as few games as are worth a look, without trying how long a game takes; if it can be loaded."""
    world["cached"], world["cost"] = True, 1e9
    assert choose("auto", FEWEST_GAMES, rules) == BackendChoice("native", "its library is there already")
    assert rules.made == ["native"]
    world["fails"] = True
    assert choose("auto", FEWEST_GAMES, rules).backend == "interpreter"


@pytest.mark.parametrize(
    ("games", "cost", "game", "backend"),
    [
        (FEWEST_GAMES, 2.0, 0.001, "interpreter"),
        (1_999, 2.0, 0.001, "interpreter"),
        (2_000, 2.0, 0.001, "interpreter"),  # the interpreter takes as long for the games
        (2_001, 2.0, 0.001, "native"),
        (FEWEST_GAMES, 2.0, 0.21, "native"),
        (MANY, 60.0, 0.001, "native"),
        (MANY, 2.0, 0.0, "interpreter"),  # a rule goes wrong in the first game
    ],
)
def test_what_pays(games: int, cost: float, game: float, backend: str, rules: Rules, world: dict[str, object]) -> None:
    """A library is compiled where that takes less time than the games take on the interpreter."""
    world.update(cost=cost, game=game)
    found = choose("auto", games, rules)
    assert found.backend == backend
    assert world["built"] == (backend == "native")
    assert f"{cost:.1f} s" in found.why
    assert "\n" not in found.why


RICHES = """\
rulelang: 2
name: riches
players: 2
languages: [en]
types: {Good: {values: [%s]}}
variables: {store: {type: bag of Good, per: player}}
rules: |
  play:
    for p in players:
      turn of p: store += choose 1 of 2 g1 + 1 g2
"""


def test_a_ruleset_that_cannot_be_written(world: dict[str, object], tmp_path: Path) -> None:
    """Its own words say why it is the interpreter: C keeps sorts of resources as bits of a word."""
    text = RICHES % ", ".join(f"g{number}" for number in range(63))
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    found = choose("auto", MANY_GAMES, lambda backend: ruleset.executor(2, backend=backend))
    assert found.backend == "interpreter"
    assert found.why.startswith("riches can't be played in native code: ")
    assert "\n" not in found.why


def test_a_compiler_that_fails(rules: Rules, world: dict[str, object]) -> None:
    """The first line of what it said is why it is the interpreter."""
    world.update(fails=True, game=1.0)
    why = "there is no native code: cc made no library (status 1): out of ink"
    assert choose("auto", MANY_GAMES, rules) == BackendChoice("interpreter", why)


def test_who_plays_how_many(world: dict[str, object]) -> None:
    """A bot that looks ahead plays so many games to their end that native code pays; random games count as they are."""
    assert playouts_of("random", 17) == 17
    assert playouts_of("playouts:1", 1) == MANY
    ruleset = rulelang.load(ROOT / "tests/conformance/rulesets/push")
    assert ruleset.choice(2, {}, "auto", playouts_of("playouts", 1)).backend == "native"
    assert ruleset.choice(2, {}, "auto", playouts_of("random", 1)).backend == "interpreter"


def test_a_choice_is_made_once(world: dict[str, object], tmp_path: Path) -> None:
    """A ruleset that is asked again says the same, and makes no executor anew."""
    ruleset = steps(tmp_path)
    world["cost"] = 20.0
    first = ruleset.choice(2, {}, "auto", MANY_GAMES)
    assert first.backend == "interpreter"
    world["cached"] = True
    assert ruleset.choice(2, {}, "auto", MANY_GAMES) == first
    assert ruleset.executor(2, {}, "auto", MANY_GAMES).native is None
    assert ruleset.executor(2, {}, "auto", MANY_GAMES) is ruleset.executor(2, {}, "interpreter")
    assert ruleset.choice(3, {}, "auto", MANY_GAMES).backend == "native"


def test_generated_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever asks for it, in whatever way, is told that it was removed and what there is: wrong usage."""
    ruleset = steps(tmp_path)
    for ask in (
        lambda: ruleset.new_game(backend="python"),
        lambda: ruleset.executor(2, backend="python"),
        lambda: next(run_scenarios(ruleset, "python")),
        lambda: simulate(ruleset, 2, 1, backend="python"),
    ):
        with pytest.raises(UsageError, match=r"Python was removed.*`native`.*`interpreter`.*auto, interpreter, native"):
            ask()
    for arguments in (("simulate",), ("test",), ("perft", "--depth", 1)):
        capsys.readouterr()
        assert command(arguments[0], tmp_path / "steps", *arguments[1:], "--backend", "python") == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert "generated Python was removed" in said.err


@pytest.mark.parametrize("form", ["text", "json"])
def test_it_is_said_in_one_line(
    form: str, tmp_path: Path, world: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    """On the error output, where `auto` chose; nothing where a backend was named or the interpreter plays."""
    steps(tmp_path)

    def said(*arguments: object) -> str:
        capsys.readouterr()
        assert command("simulate", tmp_path / "steps", "--format", form, *arguments) == 0
        return capsys.readouterr().err

    assert said("--games", 5) == ""
    assert said("--games", 30, "--backend", "interpreter") == ""
    assert said("--games", 30) == "backend interpreter: compiling native code would take 2.0 s, and save less\n"
    world["compiler"] = None
    why = "there is no C compiler for native code; pip install '.[native]' in the folder of the sources brings one"
    assert said("--games", 30) == f"backend interpreter: {why}\n"


@pytest.mark.usefixtures("compiler")
def test_in_earnest(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What was compiled for so many games that it paid is there for few."""
    monkeypatch.setattr(native, "build_cost", lambda text: 0.0)
    steps(tmp_path)
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    arguments = ("simulate", tmp_path / "steps", "--games", 60, "--option", "large=3")
    assert command(*arguments) == 0
    first = capsys.readouterr()
    assert first.err.startswith("backend native: compiling it took about 0.0 s, ")
    monkeypatch.setattr(native, "build_cost", lambda text: 1000.0)
    assert command(*arguments) == 0
    second = capsys.readouterr()
    assert second.err == "backend native: its library is there already\n"
    assert second.out.partition(";")[0] == first.out.partition(";")[0]


def test_the_interpreter_is_tried_for_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that takes longer than would be worth while is given up; one that is over before is measured."""
    monkeypatch.setattr(choice, "HESITATION", 0.01)
    (tmp_path / "ruleset.yaml").write_text(
        "rulelang: 2\nname: lasting\nplayers: 2\nlimits: {decisions: 1000000}\nvariables: {n: {type: 0..9}}\n"
        "rules: |\n  play:\n    repeat:\n      turn of seat(0): n := choose a number from 0 to 9\n"
    )
    executor = rulelang.load(tmp_path).executor(2, backend="interpreter")
    assert choice._game_seconds(executor, 0.02) == 0.01 + 0.02
    assert 0 < choice._game_seconds(steps(tmp_path).executor(2, backend="interpreter"), 1000) < 1000


@pytest.mark.usefixtures("compiler")
def test_histories_are_counted_by_what_takes_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter begins; where the next length will take long, native code goes on to the same counts."""
    ruleset, asked = steps(tmp_path), list[float]()
    expected = perft.perft(ruleset, 4, backend="interpreter")

    def pays(backend: str, playouts: int, make: object, steps: bool, seconds: float) -> BackendChoice:
        asked.append(seconds)
        return BackendChoice("native")

    monkeypatch.setattr(perft, "choose", pays)
    assert perft.perft(ruleset, 4) == expected
    assert not asked
    monkeypatch.setattr(perft, "LONG", 0.0)
    told = list[perft.HistoryCounts]()
    assert perft.perft(ruleset, 4, progress=told.append) == told == expected
    assert len(asked) == 1
