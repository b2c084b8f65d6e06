"""`rulelang mutate`: which changes of a ruleset its scenarios notice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulelang import numbers
from rulelang.cli.common import FAULT, NumberOption, guarded, jobs_option, json_option, path_argument, seed_option
from rulelang.cli.output import put, put_json, say
from rulelang.cli.simulate import INTERRUPTED, Termination, progress_bar
from rulelang.diagnostics import UsageError, counted

if TYPE_CHECKING:
    from rulelang.mutate import MutationReport

SHOWN = 60
"""So many characters of a text are shown."""


@click.command()
@path_argument
@click.option("--only", metavar="GLOB", multiple=True, help="Mutants whose id is like this; repeatable.")
@click.option("--sample", type=NumberOption(numbers.GAMES), metavar="N", help="So many mutants, drawn at random.")
@seed_option
@jobs_option
@click.option("--out", metavar="PATH", help="Where what came of each mutant is kept: JSON Lines.")
@click.option("--resume", is_flag=True, help="Go on with FILE; after new scenarios, try again what survived.")
@click.option(
    "--fail-under",
    type=NumberOption(numbers.PERCENT),
    default=100,
    show_default=True,
    metavar="P",
    help="The percentage of mutants that must be noticed.",
)
@json_option
@guarded
def mutate(
    path: str,
    only: tuple[str, ...],
    sample: int | None,
    seed: int,
    jobs: int,
    out: str | None,
    resume: bool,
    fail_under: int,
    form: str,
) -> int:
    """Change each figure, word and condition of a ruleset, one at a time, and list what no scenario notices.

    A folder's own files are changed; its scenarios and those of its variants are to notice it.
    """
    from rulelang.mutate import MutationStoppedError
    from rulelang.mutate import mutate as run

    if resume and out is None:
        raise UsageError("`--resume` goes on with the file that `--out FILE` names")
    termination = Termination()
    try:
        with termination, progress_bar(None, "mutants") as bar:
            report = run(
                path,
                only,
                sample,
                seed,
                jobs,
                Path(out) if out is not None else None,
                resume,
                bar.advance if bar else None,
                bar.expect if bar else None,
            )
    except MutationStoppedError as stop:
        how = f"; the same command with `--resume` goes on from {out}" if stop.lasting else ""
        say(f"rulelang: stopped after {counted(stop.done, 'mutant')}{how}")
        termination.follow()
        return INTERRUPTED
    if form == "json":
        put_json(report.to_json())
    else:
        _show(report)
    return FAULT if report.score < fail_under else 0


def _show(report: MutationReport) -> None:
    """Print the mutants that nothing noticed, and how many were."""
    for outcome in report.alive:
        mutant = outcome.mutant
        where = f"{mutant.file}:{mutant.line}:{mutant.column}"
        before, after = (_short(text) or "nothing" for text in (mutant.before, mutant.after))
        seen = f"reached by {counted(outcome.reached, 'scenario')}" if outcome.reached else "reached by no scenario"
        cites = f" [{', '.join(mutant.cites)}]" if mutant.cites else ""
        put(f"{where}: {mutant.operator} {before} -> {after}{cites}\n    {seen}")
    killed, alive = report.count("killed"), len(report.alive)
    for place in report.stale:
        say(f"{place}: no survivor is like this any more")
    accepted = (report.count("accepted"), "accepted")
    left_out = [
        accepted,
        (report.count("stillborn"), "refused by `check`"),
        (report.count("equivalent"), "that change nothing"),
    ]
    besides = "".join(f", {number} {what}" for number, what in left_out if number)
    put(f"{counted(killed + alive, 'mutant')}: {killed} noticed, {alive} not ({report.score:.1f} %){besides}")


def _short(text: str) -> str:
    """Return a text on one line, cut to what is shown."""
    line = " ".join(text.split())
    return f"{line[:SHOWN]}…" if len(line) > SHOWN else line
