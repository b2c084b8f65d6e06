"""How `serve` begins and ends: signals while it computes, databases and addresses that it can't have."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from rulelang.cli import serve
from rulelang.cli.changes import RulesetChanges
from rulelang.diagnostics import UsageError
from rulelang.web import streams
from rulelang.web.store import Store, StoredEvent
from tests.web.test_games import LEDUC, ROOT
from tests.web.wire import Wire

HANGS = """
import sys, rulelang.cli.serve as serve, rulelang.web.app as app
serve.END_SECONDS = 1.0

async def lobby(own, request):
    while "hang" in str(request.url):
        pass
    return app.Response("here")

app.App.lobby = lobby
from rulelang.cli import main
sys.argv[0] = "rulelang"
sys.exit(main())
"""
"""A server with a page that computes for ever in the web process."""
WORKER_HANGS = """
import rulelang.web.workers as workers
hang = "import rulelang.web.games as g; g._METHODS['offers'] = lambda *_: all(True for _ in iter(int, 1)); "
workers._START = workers._START.replace("main(", hang + "main(")
"""
"""As it: each request for a ruleset computes for ever in a worker."""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def children(pid: int) -> list[int]:
    out = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in out.split()]


@contextmanager
def serving(folder: Path, code: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server that runs some code, once it answers."""
    port = free_port()
    command = [sys.executable, "-c", code, "serve", LEDUC, "--port", str(port), "--database", str(folder / "g.sqlite")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        until = time.monotonic() + 60
        while b"here" not in said(port, "/") and time.monotonic() < until:
            time.sleep(0.05)
        yield process, port
    finally:
        process.kill()
        process.communicate(timeout=20)  # its workers, which have the pipe too, end with it


def said(port: int, path: str, seconds: float = 5.0) -> bytes:
    """What is answered, nothing where nobody answers in time."""
    try:
        with closing(socket.create_connection(("127.0.0.1", port), timeout=seconds)) as line:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            return b"".join(iter(lambda: line.recv(65536), b""))
    except OSError:
        return b""


@pytest.mark.parametrize(
    ("number", "code", "statuses"),
    [
        (signal.SIGTERM, HANGS, (143, -signal.SIGTERM)),
        pytest.param(signal.SIGINT, HANGS, (130,), marks=pytest.mark.soak),
        pytest.param(signal.SIGTERM, WORKER_HANGS + HANGS, (143, -signal.SIGTERM), marks=pytest.mark.soak),
    ],
)
def test_signals_end_a_server_that_computes(
    tmp_path: Path, number: signal.Signals, code: str, statuses: tuple[int, ...]
) -> None:
    """While a request computes for ever, in the web process or in a worker, SIGTERM and Ctrl-C end the server soon, and
    its workers with it, without a word."""
    with serving(tmp_path, code) as (process, port):
        workers = children(process.pid)
        path = "/new/leduc" if code != HANGS else "/?hang=1"
        assert said(port, path, 0.5) == b""  # and it goes on
        process.send_signal(number)
        begun = time.monotonic()
        _, words = process.communicate(timeout=20)
        assert time.monotonic() - begun < 8
        assert process.returncode in statuses
        assert "Traceback" not in words
        until = time.monotonic() + 10
        while any(map(runs, workers)) and time.monotonic() < until:
            time.sleep(0.1)
        assert not any(map(runs, workers))


def runs(pid: int) -> bool:
    """Whether a process runs, a dead one that nobody waits for aside."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_ctrl_c_ends_an_idle_server(tmp_path: Path) -> None:
    """Ctrl-C is the way to end it: status 130 and no traceback."""
    with serving(tmp_path, HANGS) as (process, _):
        process.send_signal(signal.SIGINT)
        _, words = process.communicate(timeout=20)
        assert process.returncode == 130
        assert [line for line in words.splitlines() if "http://" not in line] == []


@pytest.mark.parametrize("case", ["a folder", "a missing folder", "no SQLite", "a pipe", "no right", "a long name"])
def test_databases_that_can_not_be_opened(tmp_path: Path, case: str) -> None:
    """Each is one line with the reason."""
    path = tmp_path / "games.sqlite"
    if case == "a folder":
        path.mkdir()
    elif case == "a missing folder":
        path = tmp_path / "none" / "games.sqlite"
    elif case == "no SQLite":
        path.write_text("no database " * 1000)
    elif case == "a pipe":
        os.mkfifo(path)
    elif case == "no right":
        path = Path("/proc/games.sqlite")
    else:
        path = tmp_path / ("x" * 300)
    with pytest.raises(UsageError, match=f"^the database {path} cannot be opened: [^\n]+$"):
        Store(str(path))


def test_a_server_without_a_database_is_wrong_usage(tmp_path: Path) -> None:
    """One line of reason, and status 2."""
    command = [sys.executable, "-m", "rulelang", "serve", LEDUC, "--database", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60, check=False)
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1), ended.stderr


def test_addresses_that_can_not_be_had() -> None:
    """A port that is taken, an address of another machine and names that there are not are wrong usage."""
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        for host, number in (("127.0.0.1", port), ("203.0.113.7", 0), ("no.such.name.invalid", 0), ("a\0b", 0)):
            with pytest.raises(UsageError, match="nobody can listen at"):
                serve._listening(host, number)


@pytest.mark.parametrize("before", [None, 0o644, 0o666])
def test_the_database_is_for_its_user_alone(tmp_path: Path, before: int | None) -> None:
    """A new one and one that others could read have mode 0600, and so have the files beside it, whatever the umask."""
    path = tmp_path / "games.sqlite"
    umask = os.umask(0)
    try:
        if before is not None:
            with closing(sqlite3.connect(path)) as old:
                old.execute("create table x (y)")
            path.chmod(before)
        store = Store(str(path))
        store.append("game", StoredEvent(0, "game"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
        store.close()
    finally:
        os.umask(umask)
    assert modes == dict.fromkeys(("games.sqlite", "games.sqlite-wal", "games.sqlite-shm"), 0o600)


def test_serving_what_there_is_not_fails() -> None:
    """A name that is no ruleset is told before anything listens."""
    assert serve.offered(["reco", LEDUC]) == {"reco": "reco", "leduc": LEDUC}
    for paths in (["nosuch"], ["reco", "nosuch"], [str(ROOT / "pyproject.toml")]):
        with pytest.raises(UsageError, match="there is no ruleset"):
            serve.offered(paths)


def test_pages_of_one_address_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address has so many pages that are notified, at all tables together; another one has its own, and a page that
    is closed makes room."""
    monkeypatch.setattr(streams, "PAGES", 2)
    pages = streams.Streams()
    with pages.listening("a", "0", "", "one"), pages.listening("b", "0", "", "one"):
        assert pages.full("c", "0", "one")
        assert not pages.full("c", "0", "another")
    assert not pages.full("c", "0", "one")


def test_watching_sees_a_theme(tmp_path: Path) -> None:
    """A changed theme changes what is watched, and the stamp of every page."""
    shutil.copytree(LEDUC, tmp_path / "leduc")
    (tmp_path / "leduc" / "theme").mkdir()
    theme = tmp_path / "leduc" / "theme" / "theme.yaml"
    theme.write_text("rulelang: 2\ncolours: {Card: '#123456'}\n")
    path = str(tmp_path / "leduc")
    changes, wire = RulesetChanges([path]), Wire(":memory:", path, 2)
    wire.games.watching = True
    assert changes() == {path: ""}
    assert changes() == {}
    before = wire.get("0")["stamp"]
    theme.write_text("rulelang: 2\ncolours: {Card: '#abcdef'}\n")
    assert changes() == {path: ""}
    wire.games.call("reload", [path, ""])
    assert wire.get("0")["stamp"] != before
