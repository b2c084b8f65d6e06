"""Many games: the same sums, the same file, the same words on every backend, in one process and in two."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.agents import make_bot
from rulelang.cli import run
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.game import Ruleset, State
from rulelang.native import build
from rulelang.simulate import Simulation, simulate
from tests.results.games import steps
from tests.shipped import shipped

from .compared import never_interpreted
from .sanitized import generators

ROOT = Path(__file__).resolve().parents[2]
CONFORMANCE, FRAGMENTS = ROOT / "tests/conformance/rulesets", ROOT / "tests/fragments"
BACKENDS = ("interpreter", "native")
pytestmark = pytest.mark.usefixtures("compiler")

# Some games fail: who has drawn low too often divides by nothing, and the second player may end with a huge score.
FAILING = """\
rulelang: 2
name: failing
players: 2
variables: {n: {type: 0..99, per: player}, much: {type: 0..999999999, per: player}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          choose:
            one: n += roll 1 to 4
            two: n += 2
            large: much := 30000000 * n
          if n >= LIMIT: n := 7 div (n - LIMIT)
  score points: n + much
"""


def failing(folder: Path, limit: int) -> Ruleset:
    """Games in which somebody comes to the limit fail."""
    (folder / "ruleset.yaml").write_text(FAILING.replace("LIMIT", str(limit)), encoding="utf-8")
    return rulelang.load(folder)


def figures(found: Simulation) -> dict[str, Any]:
    """All that does not depend on time or backend."""
    return {k: v for k, v in found.to_json().items() if k not in ("seconds", "games_per_second", "backend")}


def quick(cases: list[tuple[Path, int, int]], *names: str) -> list[Any]:
    """Mark all cases but these for `--soak`."""
    marks = [() if path.name in names else pytest.mark.soak for path, _, _ in cases]
    return [pytest.param(*case, id=case[0].name, marks=mark) for case, mark in zip(cases, marks, strict=True)]


GAMES = [
    (ROOT / "rulesets/reco", 4, 20),
    (ROOT / "rulesets/ldd", 2, 3),
    (CONFORMANCE / "kuhn", 2, 300),
    (CONFORMANCE / "teams", 4, 300),
    (CONFORMANCE / "dice", 1, 300),
    (CONFORMANCE / "machine", 2, 300),
    (FRAGMENTS / "solo", 1, 40),
    (FRAGMENTS / "secret_bid", 3, 300),
]


@pytest.mark.parametrize(("path", "players", "games"), quick(GAMES, "reco", "secret_bid"))
def test_sums_and_files(path: Path, players: int, games: int, tmp_path: Path) -> None:
    """The report and the file do not tell which backend played, nor in how many processes."""
    ruleset = shipped(path)
    wanted, text = None, b""
    for backend in BACKENDS:
        for jobs in (1, 2) if backend == "native" else (1,):
            file = tmp_path / f"{backend}{jobs}.jsonl"
            found = simulate(ruleset, players, games, seed=3, jobs=jobs, backend=backend, out=file)
            assert found.backend == backend
            wanted, text = wanted or figures(found), text or file.read_bytes()
            assert figures(found) == wanted
            assert file.read_bytes() == text
            if backend == "native":  # without a file games are added up in native code
                assert figures(simulate(ruleset, players, games, seed=3, jobs=jobs, backend=backend)) == wanted


def test_runs_that_go_on(tmp_path: Path) -> None:
    """Native code goes on with what another backend has left in the middle of a line, and the other way round."""
    ruleset = steps(tmp_path)
    whole = tmp_path / "whole.jsonl"
    wanted = figures(simulate(ruleset, 3, 300, seed=5, backend="interpreter", out=whole))
    text = whole.read_bytes()
    for first, backend in (("interpreter", "native"), ("native", "interpreter"), ("native", "native")):
        for end in (40, len(text) // 3):
            file = tmp_path / f"{first}-{backend}-{end}.jsonl"
            simulate(ruleset, 3, 300, seed=5, backend=first, out=file)
            file.write_bytes(text[:end])
            found = simulate(ruleset, 3, 300, seed=5, jobs=2, backend=backend, out=file, resume=True)
            assert figures(found) == wanted
            assert file.read_bytes() == text


@pytest.mark.parametrize("writing", [False, True], ids=["sums", "file"])
def test_games_that_fail(writing: bool, tmp_path: Path) -> None:
    """The first game in which a rule went wrong is told with its number and seed; what was before it is written."""
    ruleset = failing(tmp_path, 11)
    told, texts = set(), set()
    for number, backend in enumerate(BACKENDS):
        for jobs in (1, 2):
            file = tmp_path / f"{number}{jobs}.jsonl" if writing else None
            with pytest.raises(RuleError) as caught:
                simulate(ruleset, games=4000, seed=2, jobs=jobs, backend=backend, out=file)
            told.add(str(caught.value))
            if file is not None:
                texts.add(file.read_bytes())
    (message,) = told
    assert "division by zero" in message
    assert message.startswith("game ")
    failed = int(message.split()[1])
    assert failed > 5
    if writing:
        (text,) = texts
        assert text.count(b"\n") == failed + 1


def test_scores_that_are_too_large_to_be_squared(tmp_path: Path) -> None:
    """They are added up without an error of any size."""
    ruleset = failing(tmp_path, 99)
    wanted = figures(simulate(ruleset, games=300, backend="interpreter"))
    assert wanted["seats"][0]["sd_score"] > 1 << 24
    assert figures(simulate(ruleset, games=300, backend="native")) == wanted


def test_no_more_processes_than_games(tmp_path: Path) -> None:
    """One game in native code is one game."""
    for backend in BACKENDS:
        assert simulate(steps(tmp_path), 2, 1, jobs=8, backend=backend).games == 1


def test_threads() -> None:
    """Two threads that play on one executor at once get what each would get alone, also when both build it."""
    ruleset = rulelang.load(ROOT / "rulesets/reco")
    executor = Executor(ruleset.program, 3, backend="native")
    start = executor.new_state(logging=False)
    never_interpreted(executor)
    seeds = [generators(60, 1000 * number) for number in range(4)]
    alone = ruleset.executor(3, backend="native")
    wanted = [list(alone.playouts(start, rngs)) for rngs in seeds]
    sums = [alone.tally(number, range(100), 1) for number in range(4)]
    found: list[Any] = [None] * 4
    added: list[Any] = [None] * 4
    gate = threading.Barrier(4)

    def play(number: int) -> None:
        gate.wait()
        found[number] = list(executor.playouts(start, seeds[number]))
        for _ in range(20):
            added[number] = executor.tally(number, range(100), 1)
            again = list(executor.playouts(start, seeds[number][:3]))
            assert again == found[number][:3]

    threads = [threading.Thread(target=play, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == wanted
    assert added == sums


# ---- bots

BOT_GAMES = [
    (ROOT / "rulesets/reco", 3, 4),
    (ROOT / "rulesets/ldd", 2, 1),
    (CONFORMANCE / "leduc", 2, 20),
    (CONFORMANCE / "sealed", 3, 20),
    (FRAGMENTS / "garden", 2, 1),
]


def moves(state: State, decisions: int) -> Iterator[str]:
    """What the bot does in all seats."""
    bots = [make_bot("playouts:6", 4, seat) for seat in range(state.players)]
    for _ in range(decisions):
        if state.is_terminal():
            return
        seat = state.current_players()[0]
        action = bots[seat].choose(state, seat)
        yield action.id
        state.apply(action.id, seat)


@pytest.mark.parametrize(("path", "players", "decisions"), quick(BOT_GAMES, "reco", "sealed"))
def test_the_bot_that_looks_ahead(path: Path, players: int, decisions: int) -> None:
    """It makes the same moves, whichever backend plays its games to their end."""
    ruleset = shipped(path)
    found = [list(moves(ruleset.new_game(players, 8, backend=backend), decisions)) for backend in BACKENDS]
    assert found[0]
    assert found[1] == found[0]


def test_games_of_the_bot(tmp_path: Path) -> None:
    """So do many games of it come to the same."""
    ruleset = steps(tmp_path)
    wanted = [figures(simulate(ruleset, 2, 30, "playouts:4", backend=backend)) for backend in BACKENDS]
    assert wanted[1] == wanted[0]


# ---- without a compiler


@pytest.fixture
def nothing_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, empty, where compilers are looked for; nothing is built or kept yet."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("rulelang.native.compilers.ZIG", "no_such_package")
    monkeypatch.setattr(build, "_loaded", {})
    build._failed.clear()
    return folder


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    status = run([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.mark.usefixtures("nothing_on_the_path")
def test_without_a_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`auto` says that it has none and plays on; who asks for native code is told in a line, as of any wrong usage."""
    steps(tmp_path)
    folder = tmp_path / "steps"
    status, out, err = command(capsys, "simulate", folder, "--games", 100, "--format", "json")
    assert (status, json.loads(out)["backend"]) == (0, "interpreter")
    assert err == (
        "backend interpreter: there is no C compiler for native code; pip install '.[native]' in the folder of the "
        "sources brings one\n"
    )
    status, out, err = command(capsys, "simulate", folder, "--games", 5)
    assert (status, err) == (0, "")
    for more in ((), ("--jobs", 2), ("--out", tmp_path / "games.jsonl"), ("--bot", "playouts:2")):
        status, out, err = command(capsys, "simulate", folder, "--games", 100, "--backend", "native", *more)
        assert (status, out) == (2, "")
        assert err.count("\n") == 1
        assert "there is no C compiler" in err


def test_a_compiler_that_fails(
    nothing_on_the_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that can compile a few lines but not a game is as good as none, and what it says is shown."""
    compiler = nothing_on_the_path / "cc"
    compiler.write_text(
        "#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin\nexport PATH\n"
        'for last; do :; done\nif grep -q rulelang_play "$last"; then echo "out of ink" >&2; exit 9; fi\nexec cc "$@"\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setattr("rulelang.native.build_cost", lambda text: 0.0)
    steps(tmp_path)
    folder = tmp_path / "steps"
    status, out, err = command(capsys, "simulate", folder, "--games", 100, "--format", "json")
    assert (status, json.loads(out)["backend"]) == (0, "interpreter")
    assert err.startswith("backend interpreter: there is no native code: ")
    assert err.count("\n") == 1
    status, out, err = command(capsys, "simulate", folder, "--games", 100, "--backend", "native")
    assert (status, out) == (2, "")
    assert "out of ink" in err
    assert "Traceback" not in err
