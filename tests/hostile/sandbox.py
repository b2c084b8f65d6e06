"""Runs the command line on hostile input in a process of its own, with limits, and says how it ended.

Enters: arguments, a folder, what stands on stdin. Leaves: an `Outcome`: status, texts, processor time and memory.

The process is a fork of this one, which has the engine loaded already: a case costs some milliseconds, and the limits
are those of one run alone.
"""

from __future__ import annotations

import gc
import os
import pkgutil
import resource
import signal
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

SECONDS = 4.0
"""So much processor time a refusal may take here; on a machine that has nothing else to do it takes less than 2."""
MEGABYTES = 500
"""So much memory it may take beyond what this process has, which it is a copy of."""
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


@cache
def warm() -> None:
    """Load in this process what every run needs, so that no run pays for it: modules, grammar, schemas, libraries."""
    for module in pkgutil.walk_packages(rulelang.__path__, "rulelang."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    load_grammar()
    quiet = StringIO()
    no_cache = patch.dict(os.environ, RULELANG_CACHE="")
    with TemporaryDirectory() as folder, no_cache, redirect_stdout(quiet), redirect_stderr(quiet):
        Path(folder, "ruleset.yaml").write_text("rulelang: 1\nname: g\nplayers: 2\nrules: 'play: pass'\n")
        for command in (["check", folder], ["check", f"{folder}/none"], ["play", folder, "--seat", "0=random"]):
            rulelang.cli.run(command)


def rulelang_in(folder: Path, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Outcome:
    """Runs `rulelang` with these arguments in a folder, without a cache unless `env` names one."""
    warm()
    name = f".outcome{os.getpid()}-{threading.get_ident()}"
    out, err, given = (folder.parent / f"{folder.name}{name}.{part}" for part in ("out", "err", "in"))
    given.write_text(stdin, encoding="utf-8", errors="surrogateescape")
    before = _memory()["VmRSS"]
    process = os.fork()
    if process == 0:
        _child(folder, arguments, (given, out, err), env or {})
    clock = threading.Timer(PATIENCE, os.kill, (process, signal.SIGKILL))
    clock.start()
    _, status, used = os.wait4(process, 0)
    clock.cancel()
    texts = [file.read_bytes().decode("utf-8", "replace") for file in (out, err)]
    for file in (out, err, given):
        file.unlink()
    seconds = used.ru_utime + used.ru_stime
    return Outcome(os.waitstatus_to_exitcode(status), texts[0], texts[1], seconds, used.ru_maxrss / 1024 - before)


def _memory() -> dict[str, float]:
    """What the kernel tells of this process's memory, in MB."""
    lines = [line.split() for line in Path("/proc/self/status").read_text().splitlines()]
    return {words[0].rstrip(":"): int(words[1]) / 1024 for words in lines if words[-1] == "kB"}


def _child(folder: Path, arguments: tuple[str, ...], files: tuple[Path, Path, Path], env: Mapping[str, str]) -> None:
    status = CRASHED
    gc.freeze()  # what the parent has made is not to be looked through again and again
    try:
        for number, file in enumerate(files):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(file, flags), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open
        sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE // 6, PATIENCE // 6))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # What the parent has reserved is not this run's: pyarrow, once another test has loaded it, reserves as much.
        room = int(_memory()["VmSize"] * (1 << 20)) + (1 << 30)
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        os.chdir(folder)
        os.environ.update({"RULELANG_CACHE": "", **env})
        status = rulelang.cli.run(arguments)
    except BaseException:  # noqa: BLE001 - it is shown, and nothing goes on after it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
