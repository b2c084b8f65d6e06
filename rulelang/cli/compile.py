"""`rulelang compile`: what is run, to be read."""

from __future__ import annotations

import click

from rulelang.cli.common import (
    guarded,
    loaded,
    option_option,
    overlay_option,
    path_argument,
    players_option,
    read_options,
)
from rulelang.cli.output import put
from rulelang.diagnostics import UsageError

FORMS = ("ir", "mir", "c")


@click.command("compile")
@path_argument
@click.option("--emit", type=click.Choice(FORMS), default="ir", show_default=True, help="What to print.")
@click.option("--passes", help="With `--emit mir`: only these passes, such as `exists,share`; all if left out.")
@click.option("--steps", is_flag=True, help="With `--emit c`: what takes single steps, not what plays whole games.")
@players_option
@option_option
@overlay_option
@guarded
def compile_(
    path: str,
    emit: str,
    passes: str | None,
    steps: bool,
    players: int | None,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
) -> None:
    """Print what a ruleset becomes, each part with the rule, file and line that it comes from.

    `ir` is the same for all numbers of players and options; `mir` and `c` are made for one of them. Passes make
    `mir` of `ir`; `c` is printed from it.
    """
    if steps and emit != "c":
        raise UsageError("--steps goes with `--emit c`: only C has functions of its own for single steps")
    if passes is not None and emit != "mir":
        raise UsageError("--passes goes with `--emit mir`")
    ruleset = loaded(path, overlays)
    if emit == "ir":
        from rulelang.ir.text import print_program

        put(print_program(ruleset.program), end="")
        return
    if emit == "mir":
        from rulelang.ir.text import print_program
        from rulelang.mir import PASSES, lowered

        enabled = tuple(PASSES) if passes is None else tuple(filter(None, passes.split(",")))
        if unknown := sorted(set(enabled) - PASSES.keys()):
            raise UsageError(f"there is no pass `{unknown[0]}`: there are {', '.join(PASSES)}")
        layout = ruleset.executor(players, read_options(options)).layout
        put(print_program(lowered(layout, PASSES.keys() - set(enabled)).program), end="")
        return
    native = ruleset.executor(players, read_options(options), "native").native
    assert native is not None
    put(native.text(steps), end="")
