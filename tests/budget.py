"""What the tests of each folder may take of the processor, so that the test command stays as short as it is.

Enters: the tests, as they run. Leaves: at the end of a whole run one line with what all of them took, and one with the
folders above their budget. It fails nothing: a busy machine takes more for the same work, and so does another one; a
loop of known work, timed at the same time, says how much more.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from statistics import median
from typing import Any

import pytest

SECONDS: dict[str, float] = {
    "agents": 1,
    "benchmarks": 3,
    "citations": 2,
    "cli": 7,
    "collection": 15,
    "compare": 2,
    "compiler": 3,
    "conformance": 7,
    "debugger": 1,
    "diagnostics": 2,
    "diagnostics_trial": 6,
    "docs": 17,
    "droids": 3,
    "envs": 2,
    "execution": 7,
    "fragments": 2,
    "fuzz": 1,
    "gallery": 6,
    "game": 6,
    "highlight": 1,
    "hostile": 9,
    "imaginarium": 4,
    "interpreter": 7,
    "ir": 2,
    "lab": 9,
    "languages": 1,
    "ldd": 6,
    "leaks": 3,
    "lints": 5,
    "memory": 5,
    "messages": 4,
    "mir": 4,
    "mutate": 2,
    "native": 22,
    "parallel": 1,
    "play": 8,
    "prose": 3,
    "reco": 2,
    "results": 1,
    "ruleset": 5,
    "runtime": 4,
    "runtime_views": 7,
    "scenarios": 3,
    "search": 7,
    "semantics": 8,
    "service": 2,
    "soundness": 3,
    "structure": 26,
    "studio": 3,
    "syntax": 6,
    "upgrade": 1,
    "variants": 5,
    "vocabulary": 2,
    "web": 19,
    "words": 4,
}
"""By folder of tests, on a busy machine of `REFERENCE`: what it takes in a whole run, and a fifth more."""
REFERENCE = 0.04
"""Seconds that `pace` took on the machine on which the budgets were measured."""
LEAST = 1.0
"""Seconds of a folder that is not in the table."""


def pace() -> float:
    """Return the seconds of processor time that a loop of known work takes here and now."""
    start = time.process_time()
    table: dict[int, int] = {}
    for number in range(400_000):
        table[number % 997] = table.get(number % 991, 0) + number
    return time.process_time() - start


def spent() -> float:
    """Return the seconds of processor time of this process, of the commands that it has run, and of the runs of the
    server of hostile input, which it never sees end."""
    times = os.times()
    server = getattr(sys.modules.get("tests.hostile.sandbox"), "seconds", 0.0)
    return time.process_time() + times.children_user + times.children_system + server


def over(taken: dict[str, float], slower: float) -> list[str]:
    """Return the folders that took more than their budget on a machine that is so many times slower."""
    budgets = {folder: SECONDS.get(folder, LEAST) * slower for folder in taken}
    return [
        f"{folder} {taken[folder]:.1f} s (budget {budgets[folder]:.1f})"
        for folder in sorted(taken, key=lambda each: budgets[each] - taken[each])
        if taken[folder] > budgets[folder]
    ]


class Meter:
    """A plugin that adds up what tests take, in each worker and over all of them."""

    def __init__(self, config: pytest.Config) -> None:
        self.taken: dict[str, float] = {}
        self.paces: list[float] = []
        self.tests = 0
        self.output: dict[str, Any] = getattr(config, "workeroutput", {})

    def pytest_collection_finish(self) -> None:
        """What a worker took before its first test."""
        self.taken["collection"] = spent()
        self._tell()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Add what a test takes to its folder."""
        before = spent()
        result = yield
        folder = item.nodeid.split("/")[1]
        self.taken[folder] = self.taken.get(folder, 0.0) + spent() - before
        self.tests += 1
        if self.tests % 100 == 1:
            self._tell()
        return result

    def _tell(self) -> None:
        self.paces.append(pace())
        self.output["taken"], self.output["paces"] = self.taken, self.paces

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add what a worker took."""
        output = getattr(node, "workeroutput", {})
        self.paces += output.get("paces", [])
        for folder, seconds in output.get("taken", {}).items():
            self.taken[folder] = self.taken.get(folder, 0.0) + seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Of a whole run say what it took, and which folders took more than they may."""
        is_whole = config.args_source == pytest.Config.ArgsSource.TESTPATHS and not (
            config.getoption("--soak") or config.option.collectonly or config.option.keyword or config.option.markexpr
        )
        if is_whole and self.paces:
            slower = median(self.paces) / REFERENCE
            terminalreporter.write_line(
                f"processor time {sum(self.taken.values()):.0f} s, on a machine {slower:.2f} times as slow as that of "
                f"tests/budget.py, whose budget is {sum(SECONDS.values()):.0f} s"
            )
            for line in over(self.taken, slower):
                terminalreporter.write_line(f"above its budget: {line}", yellow=True)
