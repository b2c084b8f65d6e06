"""For all tests: what was started in the background ignores Ctrl-C, and so would every command that tests start; native
code is compiled quickly where tests ask for that, and kept apart from the user's own libraries; garbage is looked for
as rarely as the command line does."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from rulelang.backends.native.build import find_compiler
from tests import soak

# Tests start many commands: none is to compile the engine again, nor the workers what they test.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
gc.set_threshold(50_000)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--soak`."""
    parser.addoption("--soak", action="store_true", help="run the tests that take minutes too (marker `soak`)")


def pytest_configure(config: pytest.Config) -> None:
    """Try ten times as often with `--soak`."""
    soak.FACTOR = 10 if config.getoption("--soak") else 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect what is marked `soak` without the flag."""
    if config.getoption("--soak"):
        return
    soaking = [item for item in items if item.get_closest_marker("soak")]
    items[:] = [item for item in items if not item.get_closest_marker("soak")]
    if soaking:
        config.hook.pytest_deselected(items=soaking)


# How long something takes says nothing on a machine with other work to do.
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="module")
def quick_libraries(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Libraries are compiled with what takes the least time (at `-O0` unused functions are compiled too); all processes
    of a run share them, and so does the next run."""
    try:
        folder = Path(request.config.cache.mkdir("rulelang"))
    except (AttributeError, OSError):
        folder = tmp_path_factory.mktemp("rulelang")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RULELANG_CFLAGS", "-Og")
        patch.setenv("RULELANG_CACHE", str(folder))
        yield


@pytest.fixture(scope="module")
def compiler(quick_libraries: None) -> None:
    """For tests that are nothing without native code."""
    if find_compiler() is None:
        pytest.skip("there is no C compiler for native code")
