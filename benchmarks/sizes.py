"""Time and memory of a check of large rulesets: rows of cards, of which every fourth has a rule, and functions.

    python -m benchmarks.sizes [--rows 250,500,1000]

Enters: numbers of rows. Leaves: for each the processor seconds of a check in a process of its own and its memory, and
the exponent by which they grow. Cards are as those of collectible card games: five figures, a text of one effect, of
which there are some hundred sorts; half of the rules are effects, half functions that the effects call.
"""

from __future__ import annotations

import math
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
GAME = """\
rulelang: 2
name: large
players: 2
kinds:
  Card:
    attributes: {cost: 0..9, power: 0..99, guard: 0..99, colour: Colour, rare: bool}
    active: [table]
    start: deck
types: {Colour: {values: [red, green, blue, white, black]}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: all}
  table: {holds: Card, per: player, visible: all}
  gone: {holds: Card, visible: all}
variables:
  coins: {type: 0..99, per: player, start: 5}
  life: {type: 0..999999, per: player, start: 20}
"""
RULES = """\
rulelang 2

setup:
  shuffle deck
  for p in players: draw 7 from deck to p.hand

play:
  repeat 20 times:
    for p in players:
      turn of p: act()

rule act:
  if deck is not empty: draw 1 from deck to hand
  coins := min(coins + 3, 99)
  choose:
    play_card(card in hand) when price(card) <= coins:
      coins -= max(price(card), 0)
      play(card)
    done: pass

quantity price(card: Card) -> number = card.cost

event play(card: Card):
  move card to table
  played(card)

ability played(card: Card): pass

score lives: life
"""
EFFECTS = (
    "on played(card): coins := min(coins + function{f}(card), 99)",
    "on played(card): life := min(life + function{f}(card), 999999)",
    "modify price(card) when card.colour = {colour} and card.power < {n}: plus function{f}(card)",
    "after play(card) when you = owner: owner.life += function{f}(card)",
)


def write(folder: Path, rows: int) -> int:
    """Write a ruleset with so many rows and a quarter as many rules; return its size in bytes."""
    folder.mkdir(parents=True)
    half = max(1, rows // 8)
    functions = [
        f"function function{n}(card: Card) -> number = card.power mod {n % 7 + 2} + {n % 3}\n" for n in range(half)
    ]
    (folder / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    (folder / "large.rule").write_text("\n".join([RULES, *functions]), encoding="utf-8")
    colours = ("red", "green", "blue", "white", "black")
    lines = ["rulelang: 2", "pieces:", "  Card:"]
    for n in range(rows):
        figures = f"cost: {n // 10_000 % 10}, power: {n * 7 % 100}, guard: {n // 100 % 100}, colour: {colours[n % 5]}"
        rare = "true" if n % 9 == 0 else "false"
        if n % 8:
            lines.append(f"    - {{id: card{n}, {figures}, rare: {rare}}}")
            continue
        effect = EFFECTS[n // 8 % 4].format(n=n % 5 + 1, f=n // 8 % half, colour=colours[n % 5])
        lines += [f"    - id: card{n}", *(f"      {part}" for part in (*figures.split(", "), f"rare: {rare}"))]
        lines += ["      rules: |", f"        {effect}"]
    (folder / "cards.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(file.stat().st_size for file in folder.iterdir())


def measure(folder: Path, cache: Path, command: str = "check") -> tuple[float, int]:
    """Return the processor seconds of a command and the most memory it took, in bytes."""
    environment = os.environ | {"RULELANG_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    code = "import resource, runpy, sys; sys.argv[0] = 'rulelang'\n"
    code += "try: runpy.run_module('rulelang', run_name='__main__')\n"
    code += "finally:\n u = resource.getrusage(resource.RUSAGE_SELF); print(u.ru_maxrss, file=sys.stderr)"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, command, str(folder)], capture_output=True, text=True, env=environment, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise click.ClickException(done.stdout[:2000] + done.stderr[-2000:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(done.stderr.split()[-1]) << 10


@click.command()
@click.option("--rows", default="250,500,1000", help="Numbers of rows, with commas between them.")
def main(rows: str) -> None:
    """Print the table."""
    former: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as place:
        empty = write(Path(place) / "small", 32)
        start, _ = min(measure(Path(place) / "small", Path(place) / "cache") for _ in range(2))
        click.echo(
            f"{'rows':>6} {'bytes':>9} {'seconds':>8} {'MB':>5}   exponent (less the {start:.2f} s of {empty} bytes)"
        )
        for number in map(int, rows.split(",")):
            folder = Path(place) / str(number)
            size = write(folder, number)
            seconds, memory = measure(folder, Path(place) / "cache")
            grown = ""
            if former is not None:
                grown = f"{math.log((seconds - start) / (former[1] - start)) / math.log(number / former[0]):8.2f}"
            click.echo(f"{number:6} {size:9} {seconds:8.2f} {memory >> 20:5} {grown}")
            former = number, seconds


if __name__ == "__main__":
    main()
