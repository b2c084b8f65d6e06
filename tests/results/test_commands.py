"""`rulelang simulate --out FILE --resume` as a process that is ended in every way."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.soak import soaking

from .games import command, figures, rows, written

ROOT = Path(__file__).resolve().parents[2]
GAMES = 4000
ENDS = {"interrupt": signal.SIGINT, "termination": signal.SIGTERM, "kill": signal.SIGKILL}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, dict[str, Any]]:
    """The folder of a run that nothing ended, its file, and the figures that it printed."""
    folder = tmp_path_factory.mktemp("whole")
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert command(*settings(folder), "--out", folder / "whole.jsonl") == 0
    return folder, (folder / "whole.jsonl").read_bytes(), figures(json.loads(printed.getvalue()))


def settings(folder: Path) -> tuple[object, ...]:
    """The command for all games, with figures that can be compared."""
    return (*simulate(folder), "--games", GAMES, "--format", "json")


def simulate(folder: Path) -> tuple[object, ...]:
    """The command, with a backend of which it says nothing."""
    return "simulate", written(folder), "--backend", "interpreter"


def started(folder: Path, *arguments: object, **more: Any) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "rulelang", *map(str, simulate(folder)), *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, text=True, env=env, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})


def lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def ended(folder: Path, file: Path, sent: signal.Signals, *arguments: object) -> tuple[int, str, str]:
    """A run that a signal ends in its midst."""
    process = started(folder, "--games", GAMES, "--out", file, *arguments, start_new_session=True)
    while lines(file) < 100:
        assert process.poll() is None
        time.sleep(0.002)
    if sent == signal.SIGKILL:
        process.kill()  # the one process that was started; its workers end with it
    else:
        os.killpg(process.pid, sent)  # as a terminal does: to all processes of the command
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize("jobs", [2, *soaking(1)])
@pytest.mark.parametrize("how", ENDS)
def test_ended_and_gone_on_with(
    how: str,
    jobs: int,
    whole: tuple[Path, bytes, dict[str, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A run that is ended shows what was finished, says how to go on, and in the end comes to the same as any other."""
    file = tmp_path / "games.jsonl"
    folder, content, expected = whole
    status, out, err = ended(folder, file, ENDS[how], "--jobs", jobs)
    assert status == {"interrupt": 130, "termination": -signal.SIGTERM, "kill": -signal.SIGKILL}[how]
    done = lines(file) - 1
    assert 0 < done < GAMES
    if how == "kill":
        assert out == err == ""
    else:
        said = f"stopped after {done} of {GAMES} games; the same command with `--resume` goes on from {file}\n"
        assert err == f"rulelang: {said}"
        assert re.search(rf"^seat .*\n-.*\n +0 .*\n +1 .*\n\n{done} games, 4\.0 decisions", out)
    assert command(*settings(folder), "--out", file, "--resume", "--jobs", 3 - jobs) == 0
    assert figures(json.loads(capsys.readouterr().out)) == expected
    assert file.read_bytes() == content


def test_an_interrupt_in_json(tmp_path: Path) -> None:
    """What was finished is one JSON document with the keys of a whole run, and the sums of the file."""
    file = tmp_path / "games.jsonl"
    status, out, _ = ended(tmp_path, file, signal.SIGINT, "--format", "json")
    found = json.loads(out)
    games = rows(file)[1:]
    assert status == 130
    assert found.keys() == {
        *("games", "decisions", "turns", "ended_by_limit", "drawn", "seconds", "games_per_second", "backend", "seats")
    }
    assert found["games"] == found["ended_by_limit"] == len(games)
    assert [seat["wins"] for seat in found["seats"]] == [sum(n in game["winners"] for game in games) for n in (0, 1)]


def test_nobody_reads(tmp_path: Path) -> None:
    """A closed output ends a run quietly, when its games are all in the file."""
    process = started(tmp_path, "--games", 50, "--out", tmp_path / "games.jsonl")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait(30)) == ("", 0)
    process.stderr.close()
    assert lines(tmp_path / "games.jsonl") == 51


def test_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be begun is status 2 with one line; a file that is none of its own is status 1."""
    file = tmp_path / "games.jsonl"
    run: tuple[Any, ...] = ("simulate", written(tmp_path), "--games", 5)
    cases = (
        (("--resume",), 2, "`--resume` goes on with the file that `--out FILE` names"),
        (("--out", tmp_path / "none" / "x"), 2, "cannot be written: No such file or directory"),
        (("--out", "/dev/full"), 2, "cannot be written: No space left on device"),
        (("--out", "x" * 300), 2, "cannot be written: File name too long"),
        (("--out", file), 0, ""),
        (("--out", file), 2, "is there already"),
        (("--out", file, "--resume", "--seed", 4), 2, "is of another run: seed is 0 there and 4 here"),
        (("--out", run[1] / "ruleset.yaml", "--resume"), 1, "does not begin as a file that `simulate` writes"),
        (("--jobs", "some"), 2, "must be a whole number from 1 to 256, not `some`; `all`: one per core"),
        (("--jobs", "all"), 0, ""),
    )  # fmt: skip
    for arguments, status, said in cases:
        assert command(*run, *arguments) == status, arguments
        err = capsys.readouterr().err
        assert said in err
        assert err.startswith("rulelang: ") or "--jobs" in arguments or not said
        assert "Traceback" not in err
