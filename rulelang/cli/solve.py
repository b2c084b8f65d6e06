"""`rulelang solve`: what a small game is worth, and how it is played without a mistake."""

from __future__ import annotations

import click

from rulelang import numbers
from rulelang.cli.common import GameOptions, NumberOption, game_options, guarded, json_option, table
from rulelang.cli.output import put, put_json
from rulelang.diagnostics import counted

MOST_SHOWN = 20
"""Decisions of the policy that the text lists."""


@click.command()
@game_options
@click.option(
    "--most",
    type=NumberOption(numbers.POSITIONS),
    default=200_000,
    metavar="N",
    help="Give up beyond so many positions.",
)
@click.option(
    "--exploitability",
    type=NumberOption(numbers.EXPLOITABILITY),
    default=0.001,
    show_default=True,
    metavar="X",
    help="With secrets: how much a seat may gain by another policy.",
)
@click.option(
    "--iterations",
    type=NumberOption(numbers.ITERATIONS),
    default=10_000,
    show_default=True,
    metavar="N",
    help="With secrets: of CFR+ at most.",
)
@json_option
@guarded
def solve(
    game: GameOptions,
    most: int,
    exploitability: float,
    iterations: int,
    form: str,
) -> None:
    """Solve a small game: its value to each seat, and a policy."""
    from rulelang.search import solve as solving

    ruleset = game.loaded()
    solution = solving.solve(
        ruleset, game.players, game.values, most=most, exploitability=exploitability, iterations=iterations
    )
    if form == "json":
        put_json(solution.to_json())
        return
    about = (
        f", {counted(solution.iterations, 'iteration')}, exploitability {solution.exploitability:.6f}"
        if solution.iterations
        else ""
    )
    put(f"{solution.method}: {counted(solution.positions, 'position')}{about}\n")
    put(table([["seat", "value"], *([seat, f"{value:.6f}"] for seat, value in enumerate(solution.value))], (1,)))
    rows = [
        [
            row["seat"],
            " ".join(row["example"]) or "-",
            "  ".join(f"{id_} {part:.3f}" for id_, part in row["actions"].items()),
        ]
        for row in solution.policy[:MOST_SHOWN]
    ]
    put("")
    put(table([["seat", "after", "policy"], *rows], ()))
    if len(solution.policy) > MOST_SHOWN:
        put(f"\n{counted(len(solution.policy) - MOST_SHOWN, 'more decision')}: --format json")
