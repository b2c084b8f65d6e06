"""`rulelang compile`: what is run, to be read."""

from __future__ import annotations

import click

from rulelang.cli.common import GameOptions, game_options, guarded
from rulelang.cli.output import put
from rulelang.diagnostics import UsageError

FORMS = ("ir", "mir", "c")


@click.command("compile")
@game_options
@click.option("--emit", type=click.Choice(FORMS), default="ir", show_default=True, help="What to print.")
@click.option("--passes", help="With `--emit mir`: only these passes, such as `exists,share`; all if left out.")
@click.option("--steps", is_flag=True, help="With `--emit c`: what takes single steps, not what plays whole games.")
@guarded
def compile_(
    game: GameOptions,
    emit: str,
    passes: str | None,
    steps: bool,
) -> None:
    """Print what a ruleset becomes, each part with the rule, file and line that it comes from.

    `ir` is the same for all numbers of players and options; `mir` and `c` are made for one of them. Passes make
    `mir` of `ir`; `c` is printed from it.
    """
    if steps and emit != "c":
        raise UsageError("--steps goes with `--emit c`: only C has functions of its own for single steps")
    if passes is not None and emit != "mir":
        raise UsageError("--passes goes with `--emit mir`")
    ruleset = game.loaded()
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
        layout = ruleset.executor(game.players, game.values).layout
        put(print_program(lowered(layout, PASSES.keys() - set(enabled)).program), end="")
        return
    native = ruleset.executor(game.players, game.values, "native").native
    assert native is not None
    put(native.text(steps), end="")
