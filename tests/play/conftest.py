from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rulelang.cli import run
from tests.play import games


@dataclass
class Played:
    """What a command printed, and its exit status."""

    status: int
    out: str
    err: str


Play = Callable[..., Played]


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Runs a command in a folder that holds all small games, with lines typed: `play("play", "stalls", typed=["1"])`.

    Standard output is no terminal; `width` is what COLUMNS says. A new game has this `seed`, and no bot thinks.
    """
    monkeypatch.chdir(tmp_path)
    for name, text in GAMES.items():
        games.written(tmp_path / name, text)

    def command(*arguments: str, typed: list[str] | None = None, width: int = 80, seed: str | None = "0") -> Played:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("NO_COLOR", "1")
        if arguments[:1] == ("play",) and "--load" not in arguments and seed is not None:
            arguments = ("play", "--seed", seed, "--bot", "random", *arguments[1:])
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in typed or [])))
        capsys.readouterr()
        status = run(arguments)
        found = capsys.readouterr()
        return Played(status, found.out, found.err)

    return command


GAMES = {
    "stalls": games.STALLS,
    "secrets": games.SECRETS,
    "asked_anyway": games.ASKED_ANYWAY,
    "field": games.BOARD,
    "many": games.MANY,
    "open": games.OPEN,
}
