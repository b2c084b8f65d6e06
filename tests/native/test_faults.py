"""What fails below native code, memory, disk or compiler, is an error or leaves the games to the interpreter."""

from __future__ import annotations

import builtins
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang import cache
from rulelang.diagnostics import UsageError
from rulelang.game.state import State
from rulelang.native import build, compilers
from rulelang.search import Searcher
from rulelang.simulate import simulate

from .compared import load

pytestmark = pytest.mark.usefixtures("compiler", "world")

DICE = """\
rulelang: 2
name: dice
players: 2
variables: {points: {type: 0..99, per: player, visible: all}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          points += roll 1 to 6
          points += choose a number from 0 to 2
  score points: points
"""

HANDS = """\
rulelang: 2
name: hands
players: 2
kinds: {Card: {start: deck}}
pieces: {Card: [{id: red, count: 4}, {id: blue, count: 4}]}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  laid: {holds: Card}
rules: |
  setup:
    shuffle deck
    for p in players: draw 3 from deck to p.hand
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          if some card = choose one of hand: move card to laid
  score s: count(laid where it is red)
"""
WRAPS = """\
#define HIDDEN __attribute__((visibility("hidden"), unused))
extern void *__real_malloc(size_t size), *__real_calloc(size_t n, size_t size), *__real_realloc(void *at, size_t size);
HIDDEN void *__wrap_malloc(size_t size) { return fails() ? NULL : __real_malloc(size); }
HIDDEN void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
HIDDEN void *__wrap_realloc(void *at, size_t size) { return fails() ? NULL : __real_realloc(at, size); }
"""
FAILING = f"""\
#include <stdlib.h>
static int fails(void) {{ static int calls; return calls++ >= FAIL_AT && calls <= FAIL_AT + FAILURES; }}
{WRAPS}"""
FAILING_ONCE = f"""\
#include <stdlib.h>
static int fails(void) {{
    static long calls, last;
    const long at = atol(getenv("FAIL_AT"));
    if (at != last) last = at, calls = 0;
    return ++calls == at;
}}
{WRAPS}"""
WRAPPED = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"
"""By the linker: the guard build has macros of these names."""
QUICK = "-O0 '-DKEPT=static inline UNUSED'"
ALLOCATIONS = 3
"""Of a library: the machine, its arena, what it has seen."""

TRUNCATING = """\
import subprocess, sys
from pathlib import Path
subprocess.run([{compiler!r}, *sys.argv[1:]], check=True)
library = Path("rulelang.so")
if library.is_file() and "rulelang.c" in sys.argv:
    content = library.read_bytes()
    size = len(content) * {percent} // 100
    library.write_bytes(content[:size] + bytes({zeros} * (len(content) - size)))
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, an empty folder for temporary files, nothing loaded. Where libraries lie."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RULELANG_CFLAGS", QUICK)
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(build, "_loaded", {})
    build._failed.clear()
    monkeypatch.setattr(build, "build_cost", lambda text: 0.0)
    monkeypatch.setattr("rulelang.native.build_cost", lambda text: 0.0)
    compilers._first_working.cache_clear()
    return tmp_path / "cache" / "native"


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int, bool], None]:
    """Makes the compiler leave libraries half written, though it says that all went well."""
    compiler = compilers.find_compiler()
    assert compiler is not None

    def use(percent: int, zeros: bool) -> None:
        script = tmp_path / "cc.py"
        script.write_text(TRUNCATING.format(compiler=compiler.command[0], percent=percent, zeros=int(zeros)))
        fake = compilers.CCompiler((sys.executable, str(script)), "a fake", f"a fake {percent} {zeros}")
        for place in ("rulelang.native.build", "rulelang.native"):
            monkeypatch.setattr(f"{place}.find_compiler", lambda: fake)

    return use


def dice(folder: Path) -> rulelang.Ruleset:
    """The ruleset, loaded anew: it keeps its executors."""
    (folder / "dice").mkdir(exist_ok=True)
    return load(folder / "dice", DICE)


def report(ruleset: rulelang.Ruleset, backend: str) -> Any:
    """What comes of some games, and what played them."""
    found = simulate(ruleset, 2, 30, seed=5, backend=backend)
    return [seat.mean_score for seat in found.seats], found.backend


def played(ruleset: rulelang.Ruleset) -> str:
    """The end of a game in native steps."""
    state: State = ruleset.new_game(2, 5, backend="native")
    while not state.is_terminal():
        state.apply(state.legal_actions()[-1])
    return state.hash()


def left_to_the_interpreter(folder: Path, said: str) -> None:
    """Native code is an error, in either library; `auto` plays what the interpreter plays."""
    scores, _ = report(dice(folder), "interpreter")
    assert report(dice(folder), "auto") == (scores, "interpreter")
    with pytest.raises(UsageError, match=said):
        report(dice(folder), "native")
    with pytest.raises(UsageError, match=said):
        played(dice(folder))


@pytest.mark.parametrize("failing", range(ALLOCATIONS + 1))
def test_memory_that_is_not_there(failing: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the allocations of a library fails once; where none does, it plays."""
    (tmp_path / "failing.h").write_text(FAILING)
    monkeypatch.setenv(
        "RULELANG_CFLAGS", f"{QUICK} {WRAPPED} -include {tmp_path / 'failing.h'} -DFAIL_AT={failing} -DFAILURES=1"
    )
    scores, _ = report(dice(tmp_path), "interpreter")
    ends = {played_by_interpreter(dice(tmp_path))}
    if failing < ALLOCATIONS:
        with pytest.raises(UsageError, match="not enough memory"):
            report(dice(tmp_path), "native")
        with pytest.raises(UsageError, match="not enough memory"):
            played(dice(tmp_path))
    # a library that failed once is asked again, and has what it needs
    assert report(dice(tmp_path), "native") == (scores, "native")
    assert played(dice(tmp_path)) in ends


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_searches_without_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the allocations of a search fails once: an option is found all the same."""
    (tmp_path / "failing.h").write_text(FAILING_ONCE)
    monkeypatch.setenv("FAIL_AT", "0")
    monkeypatch.setenv("RULELANG_CFLAGS", f"{QUICK} {WRAPPED} -include {tmp_path / 'failing.h'}")
    state = load(tmp_path, HANDS).new_game(2, 5)
    for _ in range(3):
        state.apply(state.legal_actions()[0])
    natives = []
    for failing in range(1, 60):
        monkeypatch.setenv("FAIL_AT", str(failing))
        found = Searcher(20).search(state)
        assert found.action in state.legal_actions()
        natives.append(found.native)
    assert (natives[0], natives[-1]) == (False, True)


def played_by_interpreter(ruleset: rulelang.Ruleset) -> str:
    """The end of the same game in the interpreter."""
    state = ruleset.new_game(2, 5, backend="interpreter")
    while not state.is_terminal():
        state.apply(state.legal_actions()[-1])
    return state.hash()


def test_without_memory_auto_takes_the_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the library is in the cache already."""
    (tmp_path / "failing.h").write_text(FAILING)
    monkeypatch.setenv(
        "RULELANG_CFLAGS", f"{QUICK} {WRAPPED} -include {tmp_path / 'failing.h'} -DFAIL_AT=0 -DFAILURES=1000"
    )
    scores, _ = report(dice(tmp_path), "interpreter")
    for _ in range(2):
        assert report(dice(tmp_path), "auto") == (scores, "interpreter")
        build._loaded.clear()


@pytest.mark.parametrize(
    ("percent", "zeros"),
    [
        (3, False),
        (60, True),
        pytest.param(3, True, marks=pytest.mark.soak),
        pytest.param(60, False, marks=pytest.mark.soak),
    ],
)
def test_a_library_that_was_not_written_to_its_end(
    percent: int,
    zeros: bool,
    tmp_path: Path,
    world: Path,
    broken: Callable[[int, bool], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Loading one would end this process; it is not loaded, and not put into the cache."""
    monkeypatch.setattr(build, "loads", compilers.loads)
    broken(percent, zeros)
    left_to_the_interpreter(tmp_path, "can't be loaded")
    assert list(world.glob("*.so")) == []


def test_a_library_of_the_cache_that_is_cut_off(
    tmp_path: Path, world: Path, broken: Callable[[int, bool], None]
) -> None:
    """It is removed; who can't make another one is left to the interpreter."""
    broken(100, False)
    scores, backend = report(dice(tmp_path), "auto")
    assert backend == "native"
    played(dice(tmp_path))
    libraries = list(world.glob("*.so"))
    assert len(libraries) == 2
    for library in libraries:
        content = library.read_bytes()
        library.unlink()  # what is loaded of it is still used when machines are given up
        library.write_bytes(content[:9000])
    build._loaded.clear()
    (tmp_path / "cc.py").write_text("import sys; sys.exit('out of order')")
    left_to_the_interpreter(tmp_path, "out of order")
    assert list(world.glob("*.so")) == []
    assert report(dice(tmp_path), "interpreter") == (scores, "interpreter")


@pytest.mark.parametrize("does", ["import os; os.kill(os.getpid(), 9)", "import time; time.sleep(60)"])
def test_a_compiler_that_is_killed_or_hangs(
    does: str, tmp_path: Path, broken: Callable[[int, bool], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error, or the interpreter."""
    broken(100, False)
    monkeypatch.setattr(compilers, "TIMEOUT", 0.5)
    (tmp_path / "cc.py").write_text(does)
    left_to_the_interpreter(tmp_path, "there is no native code: ")


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A disk on which there is room for some bytes of each file of the cache, and for nothing of a C text."""
    wrote: list[str] = []
    really = builtins.open

    class Full:
        def __init__(self, handle: int) -> None:
            self.file = really(handle, "wb")

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, content: bytes) -> None:
            wrote.append("cache")
            self.file.write(content[:100])
            raise OSError(28, "No space left on device")

    def opened(file: Any, mode: str = "r", **options: Any) -> Any:
        return Full(file) if mode == "wb" else really(file, mode, **options)

    monkeypatch.setattr(cache, "open", opened, raising=False)
    yield wrote
    monkeypatch.undo()


def test_a_full_cache_folder(tmp_path: Path, world: Path, full_disk: list[str]) -> None:
    """What can't be kept is played all the same; nothing half written stays."""
    scores, _ = report(dice(tmp_path), "interpreter")
    assert report(dice(tmp_path), "native") == (scores, "native")
    assert played(dice(tmp_path)) == played_by_interpreter(dice(tmp_path))
    assert full_disk
    assert list(world.iterdir()) == []
    assert list((tmp_path / "temporary").iterdir()) == []


def test_no_room_for_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither where there is no room for temporary files, nor where there is no folder for them."""
    assert compilers.find_compiler() is not None
    write = Path.write_text

    def full(path: Path, *arguments: Any, **options: Any) -> int:
        if path.name == "rulelang.c":
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        left_to_the_interpreter(tmp_path, "No space left on device")
    build._failed.clear()
    (tmp_path / "file").touch()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "file"))
    left_to_the_interpreter(tmp_path, "no folder for temporary files")
