"""`rulelang test`: a ruleset's own scenarios."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click

from rulelang.cli.common import (
    FAULT,
    backend_option,
    guarded,
    jobs_option,
    json_option,
    loaded,
    overlay_option,
    path_argument,
)
from rulelang.cli.output import put, put_json

if TYPE_CHECKING:
    from rulelang.memory.meaning import Folder
    from rulelang.scenarios import Result


@click.command()
@path_argument
@overlay_option
@backend_option
@click.option("-k", "pattern", metavar="PATTERN", help="Run scenarios whose names hold this, or match it (`*`, `?`).")
@click.option("--failed", is_flag=True, help="Run the scenarios that failed last.")
@click.option("--no-cache", "afresh", is_flag=True, help="Run all of them, also those that would pass as before.")
@jobs_option
@json_option
@guarded
def test(
    path: str,
    overlays: tuple[str, ...],
    backend: str,
    pattern: str | None,
    failed: bool,
    afresh: bool,
    jobs: int,
    form: str,
) -> int:
    """Run a ruleset's own scenarios: given, when, then.

    Scenarios that passed, and of which nothing changed that they reach, pass as before and are not run again.
    """
    from rulelang.memory.meaning import folder_at

    folder = None if overlays else folder_at(path)
    selected = _selection(pattern, folder.failed if folder is not None else (), failed)
    known = folder if selected is None and not afresh and backend == "auto" else None
    names = known.passed if known is not None else None
    run = 0
    rows: list[Result] = []
    if names is None or form == "json":
        rows, run = _run(path, overlays, backend, selected, known, jobs, form)
        names = [result.name for result in rows if result.ok]
        if folder is not None and selected is None:
            folder.note_tested(names, [result.name for result in rows if not result.ok])
    elif names:
        put("\n".join(f"ok   {name}" for name in names))
    if folder is not None:
        folder.memory.save()
    passed, count = len(names), len(rows) or len(names)
    if form == "json":
        results = [result.to_json() for result in rows]
        put_json({"passed": passed, "failed": count - passed, "scenarios": results})
    elif count:
        put(f"{passed} passed, {count - passed} failed{'' if run else '; nothing has changed since'}")
    else:
        put("there are no scenarios" if selected is None else "no scenario is meant")
    return FAULT if passed < count else 0


def _run(
    path: str,
    overlays: tuple[str, ...],
    backend: str,
    selected: Callable[[str], bool] | None,
    known: Folder | None,
    jobs: int,
    form: str,
) -> tuple[list[Result], int]:
    """Run scenarios, those of a known folder only as far as they may not pass as before, and print each result as it
    comes; return them, and how many were run."""
    from rulelang.rerun import rerun
    from rulelang.scenarios import run_scenarios

    again = rerun(path, known, form == "json", jobs) if known is not None else None
    some = again.results if again is not None else run_scenarios(loaded(path, overlays), backend, selected)
    results = []
    for result in some:
        results.append(result)
        if form == "text":
            put(f"{'ok  ' if result.ok else 'FAIL'} {result.name}")
            if not result.ok:
                put(f"     {result.file}:{result.line}: " + result.message.replace("\n", "\n     "))
    return results, again.run if again is not None else len(results)


def _selection(pattern: str | None, names: Iterable[str], failed: bool) -> Callable[[str], bool] | None:
    """Return which scenarios are to be run, by name; None for all. `names`: those that failed last."""
    if pattern is None and not failed:
        return None
    among = {*names} if failed else None

    def is_wanted(name: str) -> bool:
        """Return whether a scenario is to be run."""
        matches = pattern is None or pattern in name or fnmatchcase(name, pattern)
        return matches and (among is None or name in among)

    return is_wanted
