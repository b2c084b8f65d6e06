"""Studies: every row hangs on its setting and number alone, whoever plays it and however often he is interrupted."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rulelang.diagnostics import SaveError, UsageError
from rulelang.game import load
from rulelang.lab.findings import Evidence
from rulelang.lab.measures import figures
from rulelang.lab.study import Row, Setting, Study, share
from rulelang.runtime.rng import game_seed
from rulelang.simulate import play_game
from tests.lab.games import written
from tests.soak import times


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
    arguments = ["lab", "measure", market, "--players", "2", "--games", "6000", "--out"]

    def command(folder: Path) -> list[str]:
        return [sys.executable, "-m", "rulelang", *arguments, str(folder)]

    process = subprocess.Popen(command(tmp_path / "a"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while time.monotonic() < end and sum(file.stat().st_size for file in (tmp_path / "a").glob("games/*")) < 10**4:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    with Study(tmp_path / "a") as study:
        study.play([(Setting(market, players=2), 6000)])
    with Study(tmp_path / "b", jobs=2) as study:
        study.play([(Setting(market, players=2), 6000)])
    assert files(tmp_path / "a") == files(tmp_path / "b")
    (text,) = files(tmp_path / "a").values()
    assert [json.loads(line)["game"] for line in text.splitlines()[1:]] == list(range(6000))


# ---- rows that somebody changed

WRONG: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    10**9,
    10**19,
    -(10**19),
    0.5,
    1e300,
    "",
    "x",
    "\ud800",
    [],
    [[]],
    [0],
    {},
    {"x": 1},
)


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all parts of a row."""
    yield path
    rows = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in rows:
        yield from places(part, (*path, key))


def changed(row: Row, rng: random.Random) -> Row:
    """A row with one part exchanged, taken away, renamed or doubled."""
    whole: Row = json.loads(json.dumps(row))
    *above, last = rng.choice([place for place in places(whole) if place])
    part: Any = whole
    for key in above:
        part = part[key]
    how = rng.randrange(5)
    if how == 0:
        del part[last]
    elif how == 1 and isinstance(part, dict):
        part[f"{last}x"] = part.pop(last)
    elif how == 2 and isinstance(part, list):
        part.append(part[last])
    else:
        part[last] = rng.choice(WRONG)
    return whole


def test_a_changed_row_is_refused_or_can_be_measured(market: str, tmp_path: Path) -> None:
    """Whatever is changed in a row of a study's folder, it is a SaveError that names the line, or all that is made of
    rows can be made of it: figures, findings, shares."""
    rng, refused, measured = random.Random(4), 0, 0
    wanted = [(setting, 3) for setting, _ in settings(market)]
    wanted[1] = replace(wanted[1][0], bots=("mcts:4",), features=("trace", "odds")), 3
    with Study(tmp_path) as study:
        study.play(wanted)
        for setting, games in wanted:
            check = study._check_line(setting)
            rows = list(study.rows(setting, games))
            for row in rows:
                check(json.dumps(row).encode(), row["game"])
            for _ in range(times(120)):
                row = rng.choice(rows)
                other = changed(row, rng)
                try:
                    check(json.dumps(other).encode(), row["game"])
                except ValueError:
                    refused += other != row
                    continue
                measured += 1
                evidence = Evidence("random", study.executor(setting))
                for each in (*(one for one in rows if one["game"] != row["game"]), other):
                    evidence.add(each)
                    figures(each)
                    assert sum(share(each, seat) for seat in range(2)) == 1 or "error" in each
    assert refused > 5 * measured > 0


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: text.replace(b'"turns":', b'"turns":-'), "its values are none"),
        (lambda text: text.replace(b'"game":1,', b'"game":2,'), "it is not game 1"),
        (lambda text: text.replace(b'"actions":{', b'"actions":{"juggle":[[1,0,0],[0,0,0]],'), "`actions` is none"),
        (lambda text: text.replace(b'"moved":[', b'"moved":["\\ud800",'), "half a character"),
        (lambda text: text.replace(b'"curve":[', b'"curve":[[],'), "its course is none"),
        (lambda text: text[:-20] + b"\xff" * 19 + b"\n", "utf-8"),
    ],
    ids=range(6),
)
def test_a_study_names_the_line_that_was_changed(
    market: str, tmp_path: Path, change: Callable[[bytes], bytes], says: str
) -> None:
    """The next run stops with the file, the line and what is wrong there."""
    setting, _ = settings(market)[1]
    with Study(tmp_path) as study:
        study.play([(setting, 3)])
        file = study.file(setting)
        head, first, second, third = file.read_bytes().splitlines(keepends=True)
        assert change(second) != second
        file.write_bytes(head + first + change(second) + third)
    with Study(tmp_path) as study, pytest.raises(SaveError, match=rf"{file.name}, line 3: .*{says}"):
        study.play([(setting, 4)])
