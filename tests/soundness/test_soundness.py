"""Generated rulesets that pass `check`, played with all that a program may ask: only errors of rules come out.

The test command plays some in the interpreter, whose states refuse negative indices, and a few on both executors in the
guard build; `--soak` plays thousands, with sanitizers too. `python -m tests.soundness.play COUNT FIRST [native] shrink`
plays others and makes what is at fault small.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from rulelang.native import guards
from tests import soak
from tests.fuzz.executors import differences
from tests.native.sanitized import watching_compiler
from tests.soundness.grammar import written
from tests.soundness.mends import MENDS, without
from tests.soundness.play import loaded, tried
from tests.soundness.texts import Line, Written, shrunk

PART, PARTS = 8, 4
"""Rulesets of one test, tests; with `--soak` SOAK times as many of each: 2,000. What was mended is shown by rulesets of
its own (`FOUND`), so that those of every run need not be many."""
SOAK = 64
NATIVE, NATIVE_SOAK, SANITIZED = 1, 400, 60
ACCEPTED = 0.5
"""Less than this part of them would be too few that pass `check`."""


@pytest.mark.parametrize("part", range(PARTS))
def test_generated_rulesets(part: int, tmp_path: Path) -> None:
    """Most pass `check`; of those no game brings about anything but the error of a rule, with its line."""
    count = PART * (SOAK if soak.FACTOR > 1 else 1)
    numbers = range(100_000 * part, 100_000 * part + count)
    found = {number: tried(written(number).text(), number, tmp_path) for number in numbers}
    assert {number: faults for number, faults in found.items() if faults} == {}
    assert sum(faults is not None for faults in found.values()) > ACCEPTED * count


def passing(first: int, count: int, folder: Path, native: bool) -> dict[int, list[str]]:
    """Return what is at fault with the first so many that pass `check`."""
    outcomes = (
        (number, tried(written(number).text(), number, folder, native)) for number in range(first, first + 10**5)
    )
    return dict(islice(((number, faults) for number, faults in outcomes if faults is not None), count))


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.soak) for part in range(1, 10))])
def test_on_both_executors_in_the_guard_build(part: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """States, hashes, options, errors, observations, events are the same choice by choice, whole games too."""
    monkeypatch.setenv(guards.NATIVE, guards.GUARDED)
    monkeypatch.chdir(tmp_path)  # the C of this build has places in it; so it is the same in every run, and kept
    count = NATIVE if soak.FACTOR == 1 else NATIVE_SOAK // 10
    found = passing(1_000_000 * (part + 1), count, tmp_path, native=True)
    assert {number: faults for number, faults in found.items() if faults} == {}


@pytest.mark.soak
@pytest.mark.usefixtures("compiler")
def test_with_sanitizers(tmp_path: Path) -> None:
    """No access of native code is out of bounds, nothing is undefined."""
    if watching_compiler() is None:
        pytest.skip("there is no C compiler whose programs watch themselves")
    found = passing(20_000_000, SANITIZED, tmp_path, native=False)
    for number in found:
        watched = tmp_path / f"w{number}"
        watched.mkdir()
        assert differences(loaded(written(number).text(), tmp_path), number, watched) == [], number


FOUND = {"nobody": (166,), "unasked": (42,), "no values": (21,), "revealed": (2,)}
"""For each mend generated rulesets that show what it mended. After a change of the generator others are found with
`python -m tests.soundness.play` within `without`: one in 20 to 100 does."""


@pytest.mark.parametrize("mend", MENDS)
def test_what_was_mended_is_found_without_the_mend(mend: str, tmp_path: Path) -> None:
    """Each of these rulesets is sound, or refused, as the engine is; without the mend games of it go wrong."""
    for number in FOUND[mend]:
        text = written(number).text()
        assert not tried(text, number, tmp_path), number
        with without(mend):
            assert tried(text, number, tmp_path), number


def test_rulesets_are_made_small() -> None:
    """What a fault does not need is left out: nouns, lines, blocks around lines."""
    lines = [Line("play:", [Line("if a:", [Line("b"), Line("culprit")]), Line("c")]), Line("rule r:", [Line("d")])]
    ruleset = Written({"zones": {"x": 1, "y": [1, 2]}, "kept": {"z": 3}}, lines)
    small = shrunk(ruleset, lambda one: "culprit" in one.text() and "z" in one.text())
    assert small.text() == "rulelang: 2\nkept:\n  z: 3\nrules: |\n  play:\n    culprit\n"
