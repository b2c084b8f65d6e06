"""What each pass makes of small expressions, and of a game that is made of them.

Enters: `rewrites.txt`: blocks of a pass, an expression of the game below and, in the third line, what the pass leaves
of it. Leaves: the same blocks with what it leaves now. `python -m tests.mir.rewrites` writes them back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import rulelang
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Expr
from rulelang.ir.program import Program
from rulelang.ir.rewrite import lone_value, mapped, rewritten
from rulelang.ir.verify import verify
from rulelang.ir.walk import index, outermost, subexpressions
from rulelang.mir import PASSES, lowered
from rulelang.mir.bound import first_free_slot
from rulelang.runtime.constants import UNKNOWN, Constants
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.operations import BINDING
from rulelang.vocabulary.types import INT

BLOCKS = Path(__file__).parent / "rewrites.txt"
Block = tuple[str, str, str]
"""A pass, all of them, `option` (from a set) or `known`; an expression; what is left of it, or known."""

GAME = """\
rulelang: 2
name: rewrites
players: 2
types: {Colour: [red, green, blue]}
options: {far: {values: [2, 3], default: 2}}
grids:
  Square: {columns: 8, rows: 8, adjacency: all}
  Wide: {columns: 9, rows: 8, adjacency: all}
  Tiny: {columns: 3, rows: 3, adjacency: all}
kinds:
  Man: {attributes: {rank: 0..3, tint: Colour}, start: box}
  Card: {attributes: {worth: 0..3}, start: deck}
pieces:
  Man:
    - {id: low, rank: 1, tint: red, per: player, count: 3}
    - {id: high, rank: 3, tint: blue, per: player, count: 3}
  Card: [{id: ace, worth: 3, count: 3}]
zones:
  box: {holds: Man}
  camp: {holds: Man, per: Square, capacity: 1}
  pen: {holds: Man, per: Square, capacity: 2}
  home: {holds: Man, per: Colour, capacity: 1}
  deck: {holds: Card, order: pile, visible: nobody}
  shown: {holds: Card, per: Square, capacity: 1}
variables:
  heap: {type: 0..9, per: Square}
  bulk: {type: 0..9, per: Wide}
  few: {type: 0..9, per: Tiny}
  holder: {type: "player?", per: Square}
  lit: {type: bool, per: Square}
  hue: {type: Colour, per: Square, start: red}
  shade: {type: "Colour?", per: Square}
  wide: {type: 0..99, per: Square}
  tone: {type: 0..9, per: Colour}
  pair: {type: 0..9, per: [player, Colour]}
  left: {type: 0..9, per: player, start: 1}
  sixty: {type: 0..63, per: player}
  more: {type: 0..64, per: player}
  below: {type: -1..9, per: player}
  taken: {type: bool, per: player}
  zero: {type: 0..9}
limits: {decisions: 4}
rules: |
  setup:
    heap[d4] := 1
    shuffle deck
  play:
    repeat:
      for p in players:
        turn of p:
          choose:
            add(c in Square) when heap[c] < 9 and near(c): heap[c] += 1
            OPTIONS
            wait: pass
          tell(d4, south)
  rule tell(spot: Square, way: Direction):
    let p = you
    let cells = heaps()
    STATEMENTS
  rule raise(c: Square):
    heap[c] := 9
    zero := 0
  function near(c: Square) -> bool = distance(c, d4) <= far
  function beside(a: Square, b: Square) -> bool = distance(a, b) = 1
  function next_to(a: Square, b: Square) -> bool = beside(a, b)
  function close(a: Square, b: Square) -> bool = next_to(a, b)
  function touches(a: Square, b: Square) -> bool = close(a, b)
  function heaped(c: Square) -> bool = heap[c] > 0
  function wanted(a: Square, b: Square) -> bool = beside(a, b) and heaped(b)
  function higher(c: Square) -> number = count(Square where heap[it] > heap[c])
  function heaps -> list of Square = Square where heap[it] > 0
  rule doubled(n: number) -> number:
    let m = 2 * n
    if m > 5: return m
    return 1
  function open_way(a: Square, w: Direction) -> bool = heap[toward(a, w) otherwise a] > 0
  function some_left -> number = zero
  function again -> number = some_left()
  function thrice -> number = again()
  function four_deep -> number = thrice()
  function in_steps -> number:
    if zero > 3: return 1
    return 2
  function last_row -> number = max(Square.row)
  function rim -> list of Square = Square where on_edge(it)
  function leads(a: Square, b: Square, w: Direction) -> bool = b in ray(a, w) and heap[toward(a, w) otherwise a] > 0
  function ahead(a: Square, b: Square) -> bool = a.row < b.row and b.column = 3 and heap[a] > 0
  function seven(n: number) -> number = 7
  function first_(q: player) -> number = q.left
  function two(q: player) -> number = first_(q)
  function three(q: player) -> number = two(q)
  function four(q: player) -> number = three(q)
  function is_low(c: Square) -> bool = heap[c] = 1
  function is_lower(c: Square) -> bool = is_low(c)
  function is_lowest(c: Square) -> bool = is_lower(c)
  function is_least(c: Square) -> bool = is_lowest(c)
  function lows -> list of Square = Square where heap[it] = 1
  function lower -> list of Square = lows()
  function lowest -> list of Square = lower()
  function least -> list of Square = lowest()
  function through(line: list of Square, a: Square) -> bool = a in line and heap[a] > 0
  function turned(a: Square, b: Square) -> bool:
    if some w = direction(a, b): return heap[a] > 0 and w in diagonal
    return false
  function bounded(c: Square) -> number:
    let d = distance(c, d4)
    if d > 2: return 1
    if d = 2: return heap[c]
    return d
  function lies(c: Square) -> bool:
    let d = distance(c, d4)
    if d > 3: return true
    return heap[c] = d
  function lies_near(c: Square) -> bool:
    let d = distance(c, d4)
    if d > 3: return false
    return heap[c] = d
  function lies_off(c: Square) -> bool:
    let d = distance(c, d4)
    if d < 4: return heap[c] = d
    return true
  function one_or_zero(c: Square) -> number:
    let d = distance(c, d4)
    if d < 4: return heap[c]
    return 0
  function joined(c: Square) -> number:
    let d = distance(c, d4)
    if d > 3: let off = d
    else: let off = 3
    return heap[c]
  function doubling(n: number) -> number:
    let m = 2 * n
    if m > 5: return m
    return 1
  function first_heap -> number:
    for c in Square:
      if heap[c] > 0: return c.row
    return 0
  function ways_of(h: Colour) -> list of Direction = diagonal if h = red else orthogonal
  function is_seen(a: Square, b: Square) -> bool:
    if some w = direction(a, b):
      return w in diagonal and heap[toward(a, w) otherwise a] < 9
        and all(heap[c] = 0 for c in ray(a, w) where distance(a, c) < distance(a, b))
    return false
  function is_behind(a: Square, b: Square) -> bool:
    if some w = direction(a, b): return heap[b] = 1 and w in diagonal
    return heap[b] = 2
  function is_high(m: Man) -> bool = m.rank = 3
  function held(c: Square, p: player) -> bool = any(m.owner = p for m in camp[c])
  function share_of(c: Square) -> number = 12 div (heap[c] + heap[d4])
"""


def read(path: Path) -> list[Block]:
    """Return the blocks of a file."""
    found = []
    for text in path.read_text(encoding="utf-8").strip().split("\n\n"):
        head, _, left = text.partition("\n  ")
        name, _, rule = head.partition(": ")
        found.append((name, rule, left))
    return found


@cache
def program_of(asked: tuple[Block, ...]) -> Program:
    """Return the game that sets `n0`, `n1`, … to these expressions again and again, and offers options."""
    rules = [f"count({rule})" if name == "option" else rule for name, rule, _ in asked]
    options = [f"o{number}(c in {rule}): pass" for number, (name, rule, _) in enumerate(asked) if name == "option"]
    declared = "".join(f"  n{number}: {{type: -99999..99999}}\n" for number in range(len(rules)))
    statements = "\n    ".join(f"n{number} := {rule}" for number, rule in enumerate(rules))
    text = GAME.replace("variables:\n", "variables:\n" + declared).replace("STATEMENTS", statements)
    text = text.replace("OPTIONS", "\n            ".join(options))
    with TemporaryDirectory() as folder:
        (Path(folder) / "ruleset.yaml").write_text(text, encoding="utf-8")
        return rulelang.load(folder).program


def lowered_by(program: Program, name: str) -> Program:
    """Return the program after the pass of that name, or all of them, verified."""
    new = lowered(Layout(program, 2), PASSES.keys() - {name} if name in PASSES else ()).program
    verify(new, temporaries=True)
    return new


def left(asked: Sequence[Block]) -> Iterator[str]:
    """Yield what passes leave of blocks, those of a pass in a game of their own: a pass of all takes seconds."""
    found: dict[str, Iterator[str]] = {}
    for name, _, _ in asked:
        if name not in found:
            found[name] = _left_by(name, tuple(block for block in asked if block[0] == name))
        yield next(found[name])


def _left_by(name: str, asked: tuple[Block, ...]) -> Iterator[str]:
    program = program_of(asked)
    constants = Constants(Layout(program, 2))
    after = program if name == "known" else lowered_by(program, name)
    values = dict(_values(after))
    for number in range(len(asked)):
        if name == "option":
            items = (item for decision in after.decisions for item in decision.items)
            item = next(item for item in items if item.name == f"o{number}")
            yield "; ".join(skeleton(expr, {}) for expr in outermost(item))
        elif name == "branches":
            called = lone_value(after.procedures[index(_call(values[f"n{number}"]))])
            yield "stays" if called is None else skeleton(called, {})
        elif name == "known":
            known = constants.known(values[f"n{number}"])
            yield "unknown" if known is UNKNOWN else str(known)
        else:
            yield skeleton(values[f"n{number}"], {})


def _call(expr: Expr) -> Expr:
    """Return the call in an expression."""
    return next(part for part in subexpressions(expr) if part.op == "call")


def _values(program: Program) -> Iterator[tuple[str, Expr]]:
    """Yield variables and what they are set to."""
    for code in program.procedures:
        for block in code.blocks:
            for node in block.statements:
                if node.op == "set_var":
                    name = program.variables[index(node)].name
                    yield from ((name, arg) for arg in node.args if isinstance(arg, Expr))


def skeleton(expr: Expr, slots: dict[int | str, str]) -> str:
    """Return operations without types and sites; slots are letters, rows of tables the number of their bits, what is in
    cells or offered has a number."""
    if expr.op == "pick":
        place, *rows = expr.args
        bits = " ".join(str((row % 2**64).bit_count()) for row in rows if isinstance(row, int))
        return f"pick({skeleton(place, slots) if isinstance(place, Expr) else ''} | {bits})"
    if expr.op == "const":
        return str(expr.args[0])
    if expr.op == "local":
        return slots.setdefault(index(expr), chr(ord("a") + len(slots)))
    inner = ", ".join(skeleton(arg, slots) for arg in expr.args if isinstance(arg, Expr))
    return f"{expr.op}{index(expr) if expr.op in ('cell', 'offered') else ''}({inner})"


def _few_slots(program: Program) -> Program:
    """Return the program with the slots of passes behind those of each procedure, where the interpreter has locals."""
    first = first_free_slot(program)
    slots: dict[int, int] = {}

    def renamed(expr: Expr) -> Expr:
        expr = mapped(expr, renamed)
        if (expr.op == "local" or expr.op in BINDING) and index(expr) >= first:
            slot = slots.setdefault(index(expr), first + len(slots))
            return replace(expr, args=(slot, *expr.args[1:]))
        return expr

    new = rewritten(program, renamed)
    count = first + len(slots)
    procedures = [replace(code, locals=(*code.locals, *[INT] * (count - len(code.locals)))) for code in new.procedures]
    return replace(new, procedures=tuple(procedures))


def played(program: Program) -> tuple[list[int], int]:
    """Return the variables after a random game of the interpreter."""
    machine = Machine(_few_slots(program), 2)
    state = machine.new_state(1, logging=False)
    machine.random_playout(state)
    return state.v, state.rng


def write(path: Path, old: list[Block], texts: Iterable[str]) -> None:
    """Write a file of blocks with what is left now."""
    new = [f"{name}: {rule}\n  {text}" for (name, rule, _), text in zip(old, texts, strict=True)]
    path.write_text("\n\n".join(new) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(BLOCKS, read(BLOCKS), left(read(BLOCKS)))
