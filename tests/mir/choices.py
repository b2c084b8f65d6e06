"""What passes make of small decisions, and how `mir/options.py` describes their items.

Enters: `choices.txt`: blocks of

- a pass, `options` or `safe`: the items of a decision of the game below, or a statement that asks; what is left of it,
  its parts, or whether its conditions can be read early,
- `kinds`: a type; the kinds with interchangeable individuals to which it refers.

Leaves: the same blocks as they are now. `python -m tests.mir.choices` writes them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rulelang
from rulelang.ir.nodes import Choose, Decision, Expr, Item
from rulelang.ir.program import Program
from rulelang.ir.verify import verify
from rulelang.ir.walk import outermost
from rulelang.mir import PASSES
from rulelang.mir.early import is_early
from rulelang.mir.options import kinds_in, options_of
from rulelang.runtime.constants import Constants
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import Type
from tests.mir.rewrites import Block, read, skeleton, write

BLOCKS = Path(__file__).parent / "choices.txt"

GAME = """\
rulelang: 2
name: choices
players: 2
types: {Colour: [red, green, blue], Good: {values: [wood, iron]}}
grids: {Square: {columns: 4, rows: 4, adjacency: all}}
kinds:
  Token: {attributes: {worth: 1..3}, variables: {group: {type: 0..9}, level: {type: 0..9}}, start: bag}
  Lone: {attributes: {worth: 1..3}, start: box}
pieces:
  Token: [{id: low, worth: 1, count: 3}, {id: high, worth: 2, count: 3}]
  Lone: [{id: first, worth: 1}, {id: second, worth: 2}]
zones:
  bag: {holds: Token}
  hand: {holds: Token, per: player}
  box: {holds: Lone}
variables:
  heap: {type: 0..9, per: Square}
  held: {type: "player?", per: Square}
  keeper: {type: player, per: Square, start: seat(0)}
  wet: {type: bool, per: Square}
  ink: {type: Colour, per: Square, start: red}
  shade: {type: "Colour?", per: Square}
  leads: {type: "Square?", per: Square}
  n: {type: 0..9}
  goods: {type: bag of Good, per: player}
limits: {decisions: 9}
rules: |
  play:
    for p in players:
      turn of p:
        CALLS
  rule raise(c: Square): heap[c] := 9
  rule double(c: Square, k: number): heap[c] := min([9, k])
  function far(c: Square) -> number = count(Square where heap[it] > heap[c])
  function close(c: Square) -> bool = far(c3) > heap[c]
  function closer(c: Square) -> bool = close(c)
  function closest(c: Square) -> bool = closer(c)
  function at_last(c: Square) -> bool = closest(c)
  function heaped(c: Square) -> bool = heap[c] > 0
  function crowded(c: Square, k: number) -> bool = any(heap[d] > k for d in neighbours(c))
  function heaps -> list of Square = Square where heap[it] > 0
  function lucky(c: Square) -> bool = possible(raise(c) then heap[c3] > 0)
  function both(c: Square, k: number) -> bool = close(c) and k > 0
  function share_of(c: Square) -> number = 12 div heap[c]
  function groups -> number = count(distinct(hand.group))
  function long(c: Square) -> bool = LONG
  function longer(c: Square) -> bool = LONGER
""".replace("LONGER", " and ".join(["heap[c] + far(a1) > n"] * 9)).replace("LONG", "heap[c] + far(a1) > n")


@cache
def blocks() -> list[Block]:
    """Return the blocks of the file."""
    return read(BLOCKS)


@cache
def game() -> Program:
    """Return the game whose rule `askN` asks what stands in block N."""
    rules, asked = [], [(number, text) for number, (name, text, _) in enumerate(blocks()) if name != "kinds"]
    for number, text in asked:
        lines = [text] if text.startswith(("arrange ", "let ")) else ["choose:"]
        if lines == ["choose:"]:
            lines += [f"  {item}: pass" for item in text.split("; ")] + ["  else: pass"]
        rules.append("\n    ".join([f"  rule ask{number}(spot: Square):", *lines]))
    calls = "\n        ".join(f"ask{number}(c3)" for number, _ in asked)
    text = GAME.replace("CALLS", calls) + "\n".join(rules) + "\n"
    with TemporaryDirectory() as folder:
        (Path(folder) / "ruleset.yaml").write_text(text, encoding="utf-8")
        return rulelang.load(folder).program


def left() -> Iterator[str]:
    """Yield what is left of each block."""
    layout = Layout(game(), 2)
    known = Constants(layout).known
    after = {name: PASSES[name](layout).program for name in ("bitboards", "cells")}
    for program in after.values():
        verify(program, temporaries=True)
    programs = {**after, "safe": after["cells"], "options": layout.program}
    for number, (name, text, _) in enumerate(blocks()):
        if name == "kinds":
            yield ", ".join(sorted(layout.program.kinds[kind].name for kind in kinds_in(layout, Type(text)))) or "none"
            continue
        slots: dict[int | str, str] = {}
        yield " | ".join(
            _described(layout, item, known)
            if name == "options"
            else "; ".join(
                str(is_early(programs[name], expr)) if name == "safe" else skeleton(expr, slots)
                for expr in outermost(item)
            )
            for node in _decisions_of(programs[name], f"ask{number}")
            for item in node.items
        )


def _described(layout: Layout, item: Item, known: Callable[[Expr], Any]) -> str:
    """Return the tests of an item, then its parts, each with the guards of its binders."""
    found = options_of(layout, item, known)
    slots: dict[int | str, str] = {}
    if found.parts is None:
        return "never"
    if not (found.parts or found.tests):
        return "always"

    def shown(exprs: tuple[Expr, ...]) -> str:
        return " and ".join(skeleton(expr, slots) for expr in exprs)

    parts = [
        ", ".join(
            f"{skeleton(Expr('local', binder.type, (binder.slot,)), slots)} in {shown(binder.args)}"
            + (f" if {shown(guards)}" if guards else "")
            for binder, guards in zip(part.binders, part.guards, strict=True)
        )
        for part in found.parts
    ]
    options = " × ".join(f"[{part}]" for part in parts)
    return f"{options} if {shown(found.tests)}".strip() if found.tests else options


def _decisions_of(program: Program, name: str) -> Iterator[Decision]:
    (code,) = (code for code in program.procedures if code.name == name)
    for block in code.blocks:
        if isinstance(block.terminator, Choose):
            yield program.decisions[block.terminator.decision]


if __name__ == "__main__":
    write(BLOCKS, blocks(), left())
