"""`rulelang replay`: a recorded game again, verified state by state."""

from __future__ import annotations

from pathlib import Path

import click

from rulelang.cli.common import guarded, json_option, loaded, print_json, read_text


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE")
@click.option("--ruleset", metavar="PATH", help="The ruleset to play with, instead of the one on record.")
@json_option
@guarded
def replay(file: Path, ruleset: str | None, form: str) -> None:
    """Play a recorded game again, step by step, and verify the hash of each state."""
    from rulelang.record import read_record
    from rulelang.record import replay as states

    record = read_record(read_text(file))
    overlays = record.overlays if ruleset is not None else ()
    for state in states(record, loaded(ruleset, overlays) if ruleset is not None else None):
        last = state
    found = {"steps": len(record.steps), "over": last.is_terminal(), "scores": last.scores(), "winners": last.winners()}
    if form == "json":
        print_json({"ok": True, **found})
    else:
        ending = f"scores {last.scores()}, won by {last.winners()}" if last.is_terminal() else "not over"
        click.echo(f"{file}: {len(record.steps)} steps as recorded; {ending}")
