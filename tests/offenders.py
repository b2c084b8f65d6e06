"""One test in place of hundreds that each make one assertion of one value: xdist takes longer to hand those out."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ROW = ""
"""The text of `--row`: rows without it are left out."""


def offenders(check: Callable[..., None], values: Iterable[Any]) -> dict[str, str]:
    """The values that do not pass a check, with what is wrong; a tuple is several arguments."""
    found: dict[str, str] = {}
    for value in [each for each in values if ROW in str(each)]:
        try:
            check(*value) if isinstance(value, tuple) else check(value)
        except AssertionError as error:
            found[str(value)] = str(error)
        except Exception as error:
            error.add_note(f"the value is {value}")
            raise
    return found


def none(found: Mapping[str, str] | Sequence[str]) -> None:
    """Fail with all offenders, if there are any: each on lines of its own, none cut off."""
    rows = [f"{row}\n    {why}" for row, why in found.items()] if isinstance(found, Mapping) else list(found)
    if rows:
        pytest.fail("\n".join([f"wrong: {len(rows)}", *rows]), pytrace=False)


def of_each(values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make of a check one test, which lists the values that do not pass it."""
    tried = list(values)

    def test_of(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            assert tried
            none(offenders(check, tried))

        test.__name__, test.__qualname__, test.__doc__ = check.__name__, check.__qualname__, check.__doc__
        test.__module__ = check.__module__
        return test

    return test_of


def emptied(folder: Path) -> Path:
    """A folder, without what lay in it."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return folder
