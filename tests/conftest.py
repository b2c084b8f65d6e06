"""For all tests: what was started in the background ignores Ctrl-C, and so would every command that tests start; native
code is compiled without optimising and without unused functions, which takes the least time, and what is cached is kept
apart from the user's own; garbage is looked for rarely."""

from __future__ import annotations

import atexit
import gc
import os
import re
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from rulelang import programs
from rulelang.ir.program import Program
from rulelang.native import build
from rulelang.native.compilers import find_compiler
from tests import offenders, soak
from tests.budget import Meter
from tests.offenders import emptied
from tests.sparse import IS_SPARSE, is_sampled

# Tests start many commands: none is to compile the engine again, nor the workers what they test.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
gc.set_threshold(500_000, 20)
"""What a worker holds for all tests is looked through neither (`pytest_runtest_teardown`)."""
LINKER = " -fuse-ld=gold" if "CC" not in os.environ and shutil.which("gcc") and shutil.which("ld.gold") else ""
"""It takes a tenth of what a small library takes."""
os.environ.setdefault("RULELANG_CFLAGS", f"-O0 '-DKEPT=static inline UNUSED'{LINKER}")
os.environ.setdefault("RULELANG_CACHE", str(Path(__file__).parents[1] / ".pytest_cache" / "rulelang"))
os.environ.setdefault("RULELANG_CACHE_LIBRARIES", "2000")
"""A run makes some 800 libraries: with the places of the user's cache none would be left for the next run."""
build.loads = lambda library: True  # type: ignore[attr-defined]
"""Another process would load each library first, a seventh of what it takes; tests/native/test_build.py has it so."""
OURS = os.environ["RULELANG_CACHE"]
SAVED = programs._store


def _stored(key: str, program: Program) -> Program:
    """Programs of temporary folders, which nobody asks for again, would drive those of shipped rulesets out of the
    cache hundreds of times."""
    is_temporary = any(site.path.startswith(tempfile.gettempdir()) for site in program.sites)
    return program if is_temporary and os.environ.get("RULELANG_CACHE") == OURS else SAVED(key, program)


programs._store = _stored
for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
    os.environ.pop(name, None)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--soak` and `--row`."""
    parser.addoption("--soak", action="store_true", help="run the tests that take minutes too (marker `soak`)")
    parser.addoption("--row", default="", help="of tables whose rows one test tries, try those that hold this text")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Start no workers for the tests of one file, unless `-n` asks for them: they take longer to come up than it."""
    files = {arg.partition("::")[0] for arg in config.args}
    if len(files) == 1 and Path(*files).is_file() and not any(re.match("-n|--numprocesses", arg) for arg in sys.argv):
        config.option.numprocesses = 0


def pytest_configure(config: pytest.Config) -> None:
    """Try ten times as often with `--soak`; a worker that is done just ends."""
    soak.FACTOR = 10 if config.getoption("--soak") else 1
    offenders.ROW = config.getoption("--row")
    config.pluginmanager.register(Meter(config))
    if hasattr(config, "workerinput"):
        atexit.register(_end, os.getpid())
        if not config.getoption("xmlpath") and config.getoption("durations") is None:
            for plugin in config.pluginmanager.get_plugins():
                if type(plugin).__name__ == "WorkerInteractor":
                    plugin.sendevent = _telling_once(plugin.sendevent)


def _telling_once(send: Callable[..., None]) -> Callable[..., None]:
    """Of a test that passes xdist's controller is told once, not five times: each message takes it most of 1 ms."""

    def told(name: str, **content: Any) -> None:
        is_passed = name == "testreport" and content["data"]["outcome"] == "passed"
        if name not in ("logstart", "logfinish") and not (is_passed and content["data"]["when"] != "call"):
            send(name, **content)

    return told


def _end(worker: int) -> None:
    """Ends a worker, not what it forked, without taking apart the million objects that it still holds: five seconds."""
    if os.getpid() == worker:
        os._exit(0)


def pytest_collection_finish() -> None:
    """What is loaded by now stays, and is not looked through for garbage again and again."""
    gc.freeze()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Nor what a module of tests leaves: rulesets that others share. Looking through all of it takes half a second."""
    if nextitem is None or nextitem.path != item.path:
        gc.collect(0)
        gc.freeze()


def pytest_sessionfinish() -> None:
    """Nor does pytest look through them for garbage, five times."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Every other worker collects from the end: what one has compiled the next one reads, three of eight seconds."""
    report = yield
    worker = getattr(collector.config, "workerinput", {}).get("workerid", "gw0")
    if isinstance(collector, pytest.Session | pytest.Directory) and int(worker[2:]) % 2:
        report.result.reverse()
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what is marked `soak`, and what `sparse.py` does not draw, without the flag; what takes longest comes
    first, so that no worker is left with it in the end."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: str(item.path))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    if config.getoption("--soak"):
        return
    kept, soaking = list[pytest.Item](), list[pytest.Item]()
    cases: Counter[str] = Counter()
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_kept = not item.get_closest_marker("soak")
        if is_kept and IS_SPARSE:
            is_kept = is_sampled(test, cases[test])
            cases[test] += 1
        (kept if is_kept else soaking).append(item)
    items[:] = kept
    if soaking:
        config.hook.pytest_deselected(items=soaking)


@pytest.fixture(scope="module")
def compiler() -> None:
    """For tests that are nothing without native code."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler for native code")


@pytest.fixture(scope="session")
def _always_there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("same")


@pytest.fixture
def same_folder(_always_there: Path) -> Path:
    """An empty folder, the same one for all tests that ask for it: what was parsed of a text is remembered by its place
    too, and hundreds of cases differ from one base in a line."""
    return emptied(_always_there)
