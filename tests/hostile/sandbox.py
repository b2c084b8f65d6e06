"""Runs the command line on hostile input in a process of its own, with limits, and says how it ended.

Enters: arguments, a folder, what stands on stdin. Leaves: an `Outcome`: status, texts, processor time and memory.

The process is a fork of a server, which has the engine loaded and nothing else: a case costs some milliseconds, and the
limits are those of one run alone. A fork of the process that runs the tests would have hundreds of megabytes of theirs
to copy. The server is this module as a program; it reads a request a line and answers each with a line.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import resource
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import rulelang.cli
from rulelang.resources import cache_folder
from rulelang.syntax.grammar import load_grammar

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 4.0
"""So much processor time a refusal may take here; on a machine that has nothing else to do it takes less than 2."""
MEGABYTES = 500
"""So much memory it may take beyond what the server has, which it is a copy of."""
PATIENCE = 60
"""After so many seconds a process is ended, whatever it does."""
CRASHED = 70
ITS_CACHE = {"RULELANG_CACHE": str(cache_folder() or "")}
"""The cache that other tests use: for cases whose ruleset is sound."""


@dataclass(frozen=True)
class Outcome:
    """How a process ended: `status` is negative when a signal ended it."""

    status: int
    out: str
    err: str
    seconds: float
    megabytes: float

    @property
    def said(self) -> str:
        """All that it said."""
        return self.out + self.err

    def problems(self) -> list[str]:
        """What no input may ever bring about."""
        found = []
        if "Traceback" in self.said or "RecursionError" in self.said or "MemoryError" in self.said:
            found.append("it showed a traceback")
        if self.status not in (0, 1, 2):
            found.append(f"its status is {self.status}")
        if self.seconds > SECONDS:
            found.append(f"it took {self.seconds:.1f} s")
        if self.megabytes > MEGABYTES:
            found.append(f"it took {self.megabytes:.0f} MB")
        if self.status and not self.said.strip():
            found.append("it said nothing")
        return found


def warm() -> None:
    """Load in this process what every run needs, so that no run pays for it: modules, grammar, schemas, libraries."""
    for module in pkgutil.walk_packages(rulelang.__path__, "rulelang."):
        if not module.name.endswith("__main__") and not module.name.startswith("rulelang.envs."):  # no command needs it
            import_module(module.name)
    load_grammar()
    quiet = StringIO()
    no_cache = patch.dict(os.environ, RULELANG_CACHE="")
    with TemporaryDirectory() as folder, no_cache, redirect_stdout(quiet), redirect_stderr(quiet):
        Path(folder, "ruleset.yaml").write_text("rulelang: 2\nname: g\nplayers: 2\nrules: 'play: pass'\n")
        for command in (["check", folder], ["check", f"{folder}/none"], ["play", folder, "--seat", "0=random"]):
            rulelang.cli.run(command)


def rulelang_in(folder: Path, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Outcome:
    """Runs `rulelang` with these arguments in a folder, without a cache unless `env` names one."""
    name = f".outcome{os.getpid()}-{threading.get_ident()}"
    files = [folder.parent / f"{folder.name}{name}.{part}" for part in ("in", "out", "err")]
    files[0].write_text(stdin, encoding="utf-8", errors="surrogateescape")
    environment = {**os.environ, "RULELANG_CACHE": "", **(env or {})}
    status, seconds, megabytes = _asked([str(folder), arguments, [str(file) for file in files], environment])
    texts = [file.read_bytes().decode("utf-8", "replace") for file in files[1:]]
    for file in files:
        file.unlink()
    return Outcome(int(status), texts[0], texts[1], seconds, megabytes)


# ---- the server

_one_request = threading.Lock()
seconds = 0.0
"""Of processor time that all runs took: the budget of tests counts them, which see none of them end."""


@cache
def _server() -> subprocess.Popen[str]:
    """Return the server of this process; it ends with it."""
    command = [sys.executable, "-m", __name__]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def _asked(request: list[object]) -> tuple[float, float, float]:
    global seconds
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with _one_request:
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        status, its_seconds, megabytes = json.loads(server.stdout.readline())
        seconds += its_seconds
    return status, its_seconds, megabytes


def serve() -> None:
    """Answer requests (a folder, arguments, files for the streams, the environment) with the status of the run, its
    seconds of processor time and the MB that it took."""
    warm()
    gc.collect()
    gc.freeze()  # what the server has made is not to be looked through again and again
    before = _memory()["VmRSS"]
    for line in iter(sys.stdin.readline, ""):
        folder, arguments, files, environment = json.loads(line)
        process = os.fork()
        if process == 0:
            _child(folder, arguments, files, environment)
        clock = threading.Timer(PATIENCE, os.kill, (process, signal.SIGKILL))
        clock.start()
        _, status, used = os.wait4(process, 0)
        clock.cancel()
        seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024 - before
        answer = (os.waitstatus_to_exitcode(status), seconds, megabytes)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _memory() -> dict[str, float]:
    """What the kernel tells of this process's memory, in MB."""
    lines = [line.split() for line in Path("/proc/self/status").read_text().splitlines()]
    return {words[0].rstrip(":"): int(words[1]) / 1024 for words in lines if words[-1] == "kB"}


def _child(folder: str, arguments: list[str], files: list[str], environment: dict[str, str]) -> None:
    status = CRASHED
    try:
        for number, file in enumerate(files):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(file, flags), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
        sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE // 6, PATIENCE // 6))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        room = int(_memory()["VmSize"] * (1 << 20)) + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        status = rulelang.cli.run(arguments)
    except BaseException:  # noqa: BLE001 - it is shown, and nothing goes on after it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    serve()
