"""Studies: every row hangs on its setting and number alone, whoever plays it and however often he is interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from rulelang.diagnostics import SaveError, UsageError
from rulelang.game import load
from rulelang.lab.study import Setting, Study, share
from rulelang.runtime.rng import game_seed
from rulelang.simulate import play_game
from tests.lab.games import written


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(written(tmp_path_factory.mktemp("games") / "market", "market"))


def settings(path: str) -> list[tuple[Setting, int]]:
    """Games of every sort."""
    plain = Setting(path, players=2, seed=3)
    return [
        (plain, 400),
        (replace(plain, features=("trace",)), 12),
        (replace(plain, bots=("mcts:4", "random")), 4),
        (replace(plain, deals=2), 6),
        (replace(plain, without=((0, "action", "work"),), features=("trace",)), 6),
    ]


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((folder / "games").iterdir())}


def test_the_same_files_however_they_are_played(market: str, tmp_path: Path) -> None:
    """At once; by two processes; bit by bit in another order, a line cut off in between."""
    wanted = settings(market)
    with Study(tmp_path / "a") as study:
        study.play(wanted)
    with Study(tmp_path / "b", jobs=2) as study:
        study.play(wanted)
    with Study(tmp_path / "c") as study:
        for setting, games in reversed(wanted):
            study.play([(setting, games // 2)])
        cut = study.file(wanted[0][0])
        cut.write_bytes(cut.read_bytes()[:-7])
        study.play(wanted)
    assert files(tmp_path / "a") == files(tmp_path / "b") == files(tmp_path / "c")


def test_rows_are_the_games_of_simulate(market: str, tmp_path: Path) -> None:
    """Fast rows and those that are played choice by choice are the games that `simulate` plays."""
    (plain, _), (traced, _) = settings(market)[:2]
    executor = load(market).executor(2, backend="interpreter")
    with Study(tmp_path) as study:
        study.play([(plain, 5), (traced, 5)])
        for fast, slow in zip(study.rows(plain, 5), study.rows(traced, 5), strict=True):
            game = play_game(executor, game_seed(3, fast["game"]))
            assert (fast["scores"], fast["winners"], fast["decisions"]) == (game.scores, game.winners, game.decisions)
            assert {key: slow[key] for key in fast} == fast
            assert slow["curve"][-1] == game.scores
            assert sum(sum(map(sum, seats)) for seats in slow["actions"].values()) == game.decisions


def test_bots_by_seat_deals_and_restrictions(market: str, tmp_path: Path) -> None:
    """A search wins against chance; games of a deal have its luck; a seat goes without what it may not take."""
    wanted = settings(market)
    with Study(tmp_path) as study:
        strong = replace(wanted[2][0], bots=("mcts:100", "random"))
        study.play([*wanted[3:], (strong, 12)])
        assert sum(share(row, 0) for row in study.rows(strong, 12)) >= 9
        seeds = [row["seed"] for row in study.rows(*wanted[3])]
        assert seeds == [game_seed(3, 0), game_seed(3, 1)] * 3
        assert len({str(row["scores"]) for row in study.rows(*wanted[3])}) > 2
        for row in study.rows(*wanted[4]):
            work = [sum(parts) for parts in row["actions"]["work"]]
            # Seat 0 works only while it can buy nothing.
            assert work[0] <= work[1] + 2


def test_what_does_not_fit_is_refused(market: str, tmp_path: Path) -> None:
    """A wrong bot, feature, number of bots; a damaged file."""
    plain = Setting(market, players=2)
    with Study(tmp_path) as study:
        for wrong in (
            replace(plain, bots=("m",)),
            replace(plain, features=("x",)),
            replace(plain, bots=("random",) * 3),
        ):
            with pytest.raises(UsageError):
                study.play([(wrong, 2)])
        study.play([(plain, 3)])
        file = study.file(plain)
        file.write_bytes(file.read_bytes().replace(b'{"game":1,', b'{"game":2,'))
        with pytest.raises(SaveError, match="is not game 1"):
            study.play([(plain, 5)])


def test_killed_and_gone_on_with(market: str, tmp_path: Path) -> None:
    """A command that is killed at some moment and started anew leaves the same files."""
    arguments = ["lab", "measure", market, "--players", "2", "--games", "30000", "--out"]

    def command(folder: Path) -> list[str]:
        return [sys.executable, "-m", "rulelang", *arguments, str(folder)]

    process = subprocess.Popen(command(tmp_path / "a"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and sum(file.stat().st_size for file in (tmp_path / "a").glob("games/*")) < 10**5:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with Study(tmp_path / "a") as study:
        study.play([(Setting(market, players=2), 30000)])
    with Study(tmp_path / "b", jobs=2) as study:
        study.play([(Setting(market, players=2), 30000)])
    assert files(tmp_path / "a") == files(tmp_path / "b")
    (text,) = files(tmp_path / "a").values()
    assert [json.loads(line)["game"] for line in text.splitlines()[1:]] == list(range(30000))
