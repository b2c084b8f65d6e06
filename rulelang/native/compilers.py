"""The C compiler of this machine, and how it is run.

Enters: the environment, C text. Leaves: a `CCompiler`, a library in a folder of its own. The compiler is that of the
environment variable CC, else `cc`, `gcc` or `clang`, else the one that the extra `native` brings (the package
ziglang); the first that makes a library which this Python can load. That one does is noted in the cache, under what
its program looks like, so that a later process need not try it again and an upgraded one is tried anew.

On Windows nothing of this was ever run.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import selectors
import shlex
import shutil
import signal
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rulelang.cache import COMPILERS, LIBRARIES, digest_of
from rulelang.interrupts import finishing

if TYPE_CHECKING:
    import subprocess

NAMES = ("cc", "gcc", "clang")
ZIG = "ziglang"
# Of what `-O3` adds, these two gain nearly all of its speed for a quarter of the time that it takes longer.
SPEED = ("-O2", "-fipa-cp-clone", "-fpeel-loops", "-fno-tree-slp-vectorize")
DEFAULT = ("-shared", *(() if sys.platform == "win32" else ("-fPIC",)), *SPEED, "-std=gnu11", "-w")
STEPPING = "#define STOPPING\n"
"""What the text of single steps begins with. Most of a step is Python's: with `-O1` its library is built in six tenths
of the time, and a step takes as long (41 and 39 us, 36 and 37, 51 and 48 for the shipped rulesets)."""
CHECKED = "#define CHECKED\n"
"""Stands before the text of the guard build (guards.py). Its checks are calls: with `-O1` it takes three times as long
to compile, and games take as long."""
FLAGS = "RULELANG_CFLAGS"
"""An environment variable: flags that come after these, such as `-O0` where compiling is to be quick."""
LONGEST_HEAD = 80
"""Characters of a text before which such a flag stands."""
TIMEOUT = 120.0
"""Seconds for one library; the largest of the shipped rulesets take a twentieth of it."""
SAID_BYTES = 1 << 20
"""Who says more is ended: a compiler says some hundred bytes."""
NO_PROCESS = (errno.EAGAIN, errno.ENOMEM)
"""Why no process is started, whatever the program."""
SAID = 8
"""Of what a compiler says, so many lines are shown."""

# What generated C makes use of. A compiler of another language, for 32 bits or without GNU's extensions refuses it.
TRIAL = """
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
__extension__ typedef unsigned __int128 Wide;
typedef int32_t Four __attribute__((vector_size(16)));
static jmp_buf back;
int64_t rulelang_trial(int64_t class)
{
    int64_t *words = malloc(8 * sizeof(int64_t)), sum;
    if (!words || setjmp(back)) return -1;
    memset(words, 0, 8 * sizeof(int64_t));
    words[0] = ({ __label__ out; int64_t n = class; if (n > 40) goto out; n = 0; out: n + 1; });
    if (__builtin_add_overflow(words[0], words[1], &sum)) longjmp(back, 1);
    sum += (int64_t)((Wide)(uint64_t)sum * (Wide)(uint64_t)sum >> 64) + (int64_t)((Wide)7 / (Wide)(uint64_t)sum);
    free(words);
    return sum + __builtin_ctzll(4) - 2;
}
"""
TRIED = "import ctypes, sys; f = ctypes.CDLL(sys.argv[1]).rulelang_trial; sys.exit(f(ctypes.c_int64(41)) != 42)"

LOADED = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"


class BuildError(Exception):
    """A compiler made no library that can be loaded; the message is what it said."""


class NoProcessError(BuildError):
    """The system starts no process for a compiler now: what is unknown of the compiler stays so."""


@dataclass(frozen=True)
class CCompiler:
    """A C compiler.

    Attributes:
        command: what runs it, to be followed by flags. version: what it calls itself.
        identity: stands for it; another text when it is upgraded, or when what it makes fits another machine.
    """

    command: tuple[str, ...]
    version: str
    identity: str


def chosen_flags(text: str = "") -> tuple[str, ...]:
    """Return the flags that the library of a text is compiled with."""
    more: list[str] = []
    with suppress(ValueError):
        more = shlex.split(os.environ.get(FLAGS, ""), posix=os.name == "posix")
    level = ["-O0"] if CHECKED in text[:LONGEST_HEAD] else ["-O1"] if text.startswith(STEPPING) else []
    return (*DEFAULT, *level, *more)


def find_compiler() -> CCompiler | None:
    """Return the compiler of this machine, looked for once per process.

    Raises:
        NoProcessError: the system starts no process to try one.
    """
    return _first_working(os.environ.get("CC", ""), os.environ.get("PATH", os.defpath))


def has_compiler() -> bool:
    """Return whether this machine has a compiler, as far as can be known now."""
    with suppress(NoProcessError):
        return find_compiler() is not None
    return True


@cache
def _first_working(chosen: str, path: str) -> CCompiler | None:
    """Return the first compiler among the candidates that works, with its version, cached; None if none does."""
    for command in _candidates(chosen, path):
        marks = _marks(command, path)
        key = digest_of(*marks)
        known = COMPILERS.load(key)
        if known is not None:
            version = known.decode(errors="replace")
        elif _works(command):
            version = _version(command)
            COMPILERS.save(key, version.encode(errors="replace"))
        else:
            continue
        return CCompiler(command, version, "\n".join((*marks, version)))
    return None


def _candidates(chosen: str, path: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that may be compilers, those to be preferred first."""
    preferred: list[list[str]] = []
    with suppress(ValueError):
        preferred.append(shlex.split(chosen, posix=os.name == "posix"))
    for words in (*preferred, *([name] for name in NAMES)):
        program = shutil.which(words[0], path=path) if words else None
        # A relative folder in PATH would be one of wherever the command is run: that of a stranger's ruleset, say.
        if (
            program is not None
            and (os.path.isabs(program) or words in preferred)
            and not _asks_to_be_installed(program)
        ):
            yield (os.path.abspath(program), *words[1:])
    if sys.executable and importlib.util.find_spec(ZIG) is not None:
        # Without `-mcpu` it makes code for this very processor, and a folder may be shared with other machines.
        yield (sys.executable, "-m", ZIG, "cc", "-mcpu=baseline")


def _asks_to_be_installed(program: str) -> bool:
    """Return whether a program of macOS would open a window that offers to install the compiler."""
    if sys.platform != "darwin" or os.path.dirname(program) != "/usr/bin":
        return False
    return not any(
        os.path.exists(f"/{place}") for place in ("Library/Developer/CommandLineTools", "Applications/Xcode.app")
    )


def _marks(command: Sequence[str], path: str) -> list[str]:
    """Return what identifies a compiler without running it: the command, the platform, its programs' sizes and times.

    The programs of `ccache gcc` are both; that of a package of Python is the one in the package.
    """
    marks = [*command, sysconfig.get_platform(), str(sys.maxsize)]
    programs = [shutil.which(word, path=path) for word in command if not word.startswith("-")]
    if ZIG in command:
        spec = importlib.util.find_spec(ZIG)
        for place in (spec.submodule_search_locations or ()) if spec is not None else ():
            programs += [os.path.join(place, name) for name in ("__init__.py", "zig", "zig.exe")]
    for program in filter(None, programs):
        with suppress(OSError):
            real = os.path.realpath(program)
            seen = os.stat(real)
            marks.append(f"{real} {seen.st_size} {seen.st_mtime_ns}")
    if any("native" in word for word in command) and hasattr(os, "uname"):
        marks.append(os.uname().nodename)
    return marks


def _works(command: Sequence[str]) -> bool:
    """Return whether this Python can load what a compiler makes; tried in another process, which flags such as
    `-fsanitize=address` would end."""
    try:
        with compiled(command, TRIAL) as library:
            status, _ = _run([sys.executable, "-c", TRIED, str(library)], library.parent)
            return status == 0
    except NoProcessError:
        raise
    except BuildError:
        return False


def loads(library: Path) -> bool:
    """Return whether a library that was just made can be loaded; tried in another process (30 ms): one that a full disk
    or a killed linker left half written ends it.

    Raises:
        BuildError: no other process can be started.
    """
    status, _ = _run([sys.executable, "-I", "-S", "-c", LOADED, str(library)], library.parent)
    return status == 0


def _version(command: Sequence[str]) -> str:
    """Return the first line that a compiler prints for `--version`."""
    with suppress(BuildError), _room() as room:
        status, said = _run([*command, "--version"], room)
        if status == 0 and said.strip():
            return said.strip().splitlines()[0].strip()
    return "unknown version"


# ---- running


@contextmanager
def compiled(command: Sequence[str], text: str, flags: Sequence[str] = DEFAULT) -> Iterator[Path]:
    """Compile C text to a library, in a folder of its own that is removed when the block ends.

    It is called the same whatever the folder, so that no path gets into the library.

    Raises:
        BuildError: it made none.
    """
    with _room() as room:
        library = room / f"rulelang{LIBRARIES.suffix}"
        try:
            (room / "rulelang.c").write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            raise BuildError(f"the C text can't be written: {error}") from None
        status, said = _run([*command, *flags, "-o", library.name, "rulelang.c"], room)
        if status != 0 or not library.is_file() or not library.stat().st_size:
            lines = said.strip().splitlines()
            output = "\n".join([*lines[:SAID], *(["..."] if len(lines) > SAID else [])])
            raise BuildError(f"{shlex.join(command)} made no library (status {status}){': ' if output else ''}{output}")
        yield library


@contextmanager
def _room() -> Iterator[Path]:
    """Make a new folder that only this user can read."""
    import tempfile

    try:
        # Windows does not remove a library that is loaded.
        room = tempfile.TemporaryDirectory(prefix="rulelang-", ignore_cleanup_errors=True)
    except OSError as error:
        raise BuildError(f"there is no folder for temporary files: {error}") from None
    with room as name:
        yield Path(name)


def _run(command: Sequence[str], room: Path) -> tuple[int, str]:
    """Run a program in a folder, where its temporary files lie too; return its status and output."""
    import subprocess

    env = {**os.environ, "LC_ALL": "C", **dict.fromkeys(("TMPDIR", "TEMP", "TMP", "ZIG_LOCAL_CACHE_DIR"), str(room))}
    # Zig compiles what every library needs when it is first used, and keeps that.
    env.setdefault("ZIG_GLOBAL_CACHE_DIR", str((LIBRARIES.folder() or room) / "zig"))
    started: list[subprocess.Popen[bytes]] = []
    try:
        try:
            with finishing():  # a program that has begun is known, whenever Ctrl-C comes
                started.append(
                    subprocess.Popen(
                        command,
                        cwd=room,
                        env=env,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT,
                        process_group=0 if os.name == "posix" else None,
                    )
                )
            said = _heard(started[0], command)
        except BaseException:
            for process in started:
                _end(process)
                with process:
                    pass
            raise
    except subprocess.TimeoutExpired:
        raise BuildError(f"{shlex.join(command)} took more than {TIMEOUT:.0f} s") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in NO_PROCESS:
            raise NoProcessError(f"no process can be started: {error.strerror}") from None
        raise BuildError(f"{shlex.join(command)} can't be run: {error}") from None
    return started[0].returncode, said.decode(errors="replace")


def _heard(process: subprocess.Popen[bytes], command: Sequence[str]) -> bytes:
    """Return what a program says until it ends.

    Raises:
        TimeoutExpired: it took too long. BuildError: it said more than anybody reads.
    """
    import subprocess

    if os.name != "posix":  # pipes can't be selected from
        return process.communicate(timeout=TIMEOUT)[0]
    assert process.stdout is not None
    until, parts, left = time.monotonic() + TIMEOUT, list[bytes](), SAID_BYTES
    with process.stdout, selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while left > 0:
            if not selector.select(max(until - time.monotonic(), 0.0)):
                raise subprocess.TimeoutExpired(command, TIMEOUT)
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                process.wait(max(until - time.monotonic(), 0.0))
                return b"".join(parts)
            parts.append(part)
            left -= len(part)
    raise BuildError(f"{shlex.join(command)} says more than {SAID_BYTES >> 10} KiB")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a compiler and the programs that it has started, which would go on without it."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
