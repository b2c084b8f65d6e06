"""Tests that take many seconds and hang on files alone: one that passed is not run again while its files are the same.

Enters: the engine, its grammar, the shipped rulesets, the helpers of all tests and the test's own file, what else it
names, the libraries. Leaves: a mark in the cache of the tests. With any other byte in these the test runs; it always
does with `--soak`, and where branches are measured.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, wraps
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from rulelang.cache import CacheFolder, digest_of
from tests import soak
from tests.sparse import IS_SPARSE

ROOT = Path(__file__).parents[1]
ALWAYS = ("rulelang", "grammar", "rulesets", "pyproject.toml")
PASSED = CacheFolder("passed", ".txt", 200)


@cache
def digest(*names: str) -> str:
    """Return a digest of files and folders of the checkout, and of what is installed."""
    parts = [sys.version, *sorted(f"{each.name} {each.version}" for each in distributions())]
    for path in sorted({*map(ROOT.joinpath, names), *(ROOT / "tests").glob("*.py")}):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not {"__pycache__", "_build"} & set(file.parts):
                parts += [file.relative_to(ROOT).as_posix(), digest_of(file.read_bytes())]
    return digest_of(*parts)


def remembered(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Skip a test that passed, with these parameters, when all files were as they are; `names`: what else it reads."""

    def remembering(test: Callable[..., None]) -> Callable[..., None]:
        own = Path(test.__code__.co_filename).relative_to(ROOT).as_posix()

        @wraps(test)
        def tried(**arguments: Any) -> None:
            case = [value for value in arguments.values() if isinstance(value, str | int)]
            key = digest_of(test.__qualname__, repr(case), digest(*ALWAYS, own, *names))
            if IS_SPARSE and soak.FACTOR == 1 and PASSED.holds(key):
                pytest.skip("it passed with the same files")
            test(**arguments)
            PASSED.save(key, b"")

        return tried

    return remembering
