"""A real terminal, by way of a pseudo-terminal: colours, clearing, Ctrl-C; and none: a closed pipe, plain text."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rulelang.cli import run
from tests.play import games

COLOUR = ("\x1b[36m", "\x1b[1;33m", "\x1b[1;36m")
CLEARED = "\x1b[H\x1b[2J\x1b[3J"
PATIENCE = 30


class Window:
    """`rulelang` in a window of 80 by 24."""

    def __init__(self, folder: Path, *arguments: str, **more: str) -> None:
        self.end, inner = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
        environment |= {"TERM": "xterm", "COLUMNS": "80", "LINES": "24", **more}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rulelang", *arguments],
            stdin=inner, stdout=inner, stderr=inner, cwd=folder, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(inner)
        self.seen = ""

    def until(self, text: str) -> str:
        """What the window shows from now until some text has come."""
        found, limit = "", time.monotonic() + PATIENCE
        while text not in found:
            ready, _, _ = select.select([self.end], [], [], max(0, limit - time.monotonic()))
            assert ready, f"{text!r} did not come after {found!r}"
            try:
                found += os.read(self.end, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is closed
                break
        self.seen += found
        return found

    def type(self, line: str) -> None:
        """A line typed."""
        os.write(self.end, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Ctrl-C; again if it came between prompt and reading: Python then looks at it after the next key."""
        limit = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < limit:
            os.killpg(self.process.pid, signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(2)

    def status(self) -> int:
        """The exit status, once it ends."""
        self.until("\0")
        return self.process.wait(PATIENCE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    games.written(tmp_path / "secrets", games.SECRETS)
    return tmp_path


def test_colours_and_passing_the_screen_on(folder: Path) -> None:
    """A window has colours; between two people it is cleared, and the next one's things wait for Enter."""
    window = Window(folder, "play", "secrets", "--seat", "0=human", "--seat", "1=human")
    first = window.until("press Enter")
    assert "hand" not in first
    window.type("")
    asked = window.until("Ada> ")
    assert any(colour in asked for colour in COLOUR)
    window.type("spend")
    window.until("Ada> ")
    window.type("keep")
    window.until("or type `undo`")
    window.type("")
    passed = window.until("press Enter")
    assert CLEARED in passed
    assert "hand" not in passed.split(CLEARED)[1]
    window.type("")
    assert "Ada: spend; keep." in window.until("Basil> ")
    window.type("q")
    window.until("[y/n]")
    window.type("y")
    assert window.status() == 0
    assert "Traceback" not in window.seen


def test_whoever_has_just_chosen_may_take_it_back(folder: Path) -> None:
    """`undo` before the screen is passed on: free, and the same person is asked again."""
    window = Window(folder, "play", "secrets", "--seat", "0=human", "--seat", "1=human")
    for prompt, line in (("press Enter", ""), ("Ada> ", "spend"), ("Ada> ", "keep"), ("or type", "undo")):
        window.until(prompt)
        window.type(line)
    assert "Taken back: keep" in window.until("Ada> ")
    window.type("q")
    window.until("[y/n]")
    window.type("y")
    assert window.status() == 0


def test_ctrl_c_ends_quietly(folder: Path) -> None:
    """With 130 and no traceback; the record is whole. With NO_COLOR there is none, in a window too."""
    window = Window(folder, "play", "secrets", "--bot", "random", "--record", "r.json", NO_COLOR="1")
    window.until("you> ")
    assert not any(colour in window.seen for colour in COLOUR)
    window.type("spend")
    window.until("you> ")
    window.interrupt()
    assert window.status() == 130
    assert "Traceback" not in window.seen
    assert len(json.loads((folder / "r.json").read_text(encoding="utf-8"))["steps"]) == 1
    assert sorted(path.name for path in folder.iterdir()) == ["r.json", "secrets"]


def test_a_record_is_stepped_through(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a window `replay` asks where to go."""
    monkeypatch.chdir(folder)
    assert run(["play", "secrets", "--bot", "random", "--seat", "0=random", "--record", "r.json"]) == 0
    window = Window(folder, "replay", "r.json")
    for prompt, line in (("0/12> ", ""), ("1/12> ", "e"), ("12/12> ", "b"), ("11/12> ", "q")):
        window.until(prompt)
        window.type(line)
    assert window.status() == 0


def test_pipes(folder: Path) -> None:
    """No control codes in a pipe; an end of the input and a reader that has gone are no errors."""
    command = [sys.executable, "-m", "rulelang", "play", "secrets", "--seat", "0=human", "--seat", "1=human"]
    done = subprocess.run(command, cwd=folder, input="1\n1\n", capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert done.stderr == "rulelang: the game is not over\n"
    closed = subprocess.run(
        f"{shlex.quote(sys.executable)} -m rulelang play secrets --bot random --seat 0=random | head -1",
        cwd=folder, shell=True, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert closed.stderr == ""


def test_a_poor_encoding(folder: Path) -> None:
    """Where the output can't say a letter or a box, something else stands there."""
    done = subprocess.run(
        [sys.executable, "-m", "rulelang", "play", "secrets", "--bot", "random"],
        cwd=folder, input="q\n", capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == 0
    assert "-- secrets" in done.stdout
    assert "Traceback" not in done.stderr
