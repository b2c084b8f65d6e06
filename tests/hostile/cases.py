"""Hostile rulesets, one row each: their files, the command that meets the hostile part, and what it must say.

Enters: nothing. Leaves: `CASES`. Large texts are made here, not stored.
"""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "rulelang: 2\nname: g\nplayers: 2\n"
CHECK = ("check", ".")
PLAY = ("play", ".", "--seat", "0=random")
INFO = ("info", ".")


@dataclass(frozen=True)
class Case:
    """A hostile ruleset. `says` is a regular expression that the output must match, with its place where it has one."""

    files: dict[str, bytes]
    says: str
    command: tuple[str, ...] = CHECK
    status: int = 1


def yaml(text: str | bytes, says: str, command: tuple[str, ...] = CHECK, status: int = 1) -> Case:
    """A ruleset of one file."""
    return Case({"ruleset.yaml": text if isinstance(text, bytes) else text.encode()}, says, command, status)


def rules(text: str, says: str, nouns: str = "", command: tuple[str, ...] = CHECK, status: int = 1) -> Case:
    """A ruleset with a rule file; `nouns` follow the header."""
    files = {"ruleset.yaml": (HEAD + nouns).encode(), "g.rule": ("rulelang 2\n" + text).encode()}
    return Case(files, says, command, status)


def played(text: str, says: str, nouns: str = "") -> Case:
    """A ruleset that checks, and goes wrong when it is played."""
    return rules(text, says, nouns, PLAY)


def number(name: str = "n", high: int = 999_999_999_999) -> str:
    """A variable that holds a number."""
    return f"{name}: {{type: 0..{high}}}"


FULL = (
    "types: {Part: {values: [nut, oil]}}\n"
    "variables: {b: {type: bag of Part, capacity: {each: 3, total: 6}, beyond: error}}\n"
)
N = f"variables: {{{number()}}}\n"
CARDS = """kinds: {Card: {attributes: {value: 0..99}, start: deck%s}}
pieces: {Card: [%s]}
zones: {deck: {holds: Card, order: pile, visible: count}, hand: {holds: Card, per: player}, table: {holds: Card}}
"""
SIXTY = ", ".join(f"{{id: c{n}, value: {n}, start: table}}" for n in range(60))
GRIDS = "grids: {A: {columns: 64, rows: 64}, B: {columns: 64, rows: 64}}\n"
PARTS = "types: {Part: {values: [b, c, d, e, f, g, h, i]}}\n"
PURSE = "p: {type: bag of Part, start: 9 b + 9 c + 9 d + 9 e + 9 f + 9 g + 9 h + 9 i}"
MANY_WILDS = " + ".join(
    f"2 ({x} or {y} or {z})" for x in "bcdefghi" for y in "bcdefghi" for z in "bcdefghi" if x < y < z
)

FILES = {
    "empty file": yaml("", r"ruleset.yaml: error\[yaml-empty\]"),
    "a list": yaml("- a\n", r"ruleset.yaml:1:1: error\[yaml-root\]"),
    "no header": Case({"a.yaml": HEAD.encode()}, r"error\[ruleset-missing-header\]"),
    "tabs": yaml(HEAD + "\tzones: {}\n", r"ruleset.yaml:4:1: error\[yaml-tab\]"),
    "tabs in rules": rules("play:\n\tpass\n", r"g.rule:3:1: error\[syntax-tab\]"),
    "a byte order mark is none of them": yaml(
        b"\xef\xbb\xbf" + HEAD.encode() + b"rules: 'play: pass'\n", "ok", status=0
    ),
    "line ends of Windows": yaml((HEAD + "rules: |\n  play: pass\n").replace("\n", "\r\n"), "ok", status=0),
    "line ends of old Macs": yaml(HEAD.replace("\n", "\r"), r"ruleset.yaml:1:12: error\[ruleset-character\]"),
    "UTF-16": yaml(HEAD.encode("utf-16"), r"ruleset.yaml:1:1: error\[ruleset-encoding\]"),
    "Latin-1": yaml((HEAD + "title: é\n").encode("latin-1"), r"ruleset.yaml:4:8: error\[ruleset-encoding\]"),
    "a NUL": yaml(HEAD + "\0", r"ruleset.yaml:4:1: error\[ruleset-character\]"),
    "all bytes": yaml(bytes(range(256)) * 99, r"error\[ruleset-encoding\]"),
    "a file too large": yaml(HEAD + "# x\n" * 1_100_000, r"error\[ruleset-size\]"),
    "files too large together": Case(
        {
            "ruleset.yaml": HEAD.encode(),
            **{f"{n}.rule": b"rulelang 2\n" + (b"#" * 999 + b"\n") * 4_000 for n in range(3)},
        },
        r"2.rule:1:1: error\[ruleset-size\]",
    ),
    "too many files": Case(
        {"ruleset.yaml": HEAD.encode(), **{f"{n}.rule": b"rulelang 2\n" for n in range(501)}}, r"error\[ruleset-size\]"
    ),
    "two million lines": yaml(HEAD + "#\n" * 2_100_000, r"error\[ruleset-size\]"),
    "half a million statements": rules("play:\n" + "  {}()\n" * 500_000, r"g.rule:1:1: error\[ruleset-size\]"),
    "two hundred thousand rules": rules(
        "play: pass\n" + "".join(f"rule r{n}():pass\n" for n in range(200_000)), r"g.rule:1:1: error\[ruleset-size\]"
    ),
    "long line": yaml(HEAD + "#" + "x" * 100_000, r"ruleset.yaml:4:10000: error\[ruleset-long-line\]"),
    "many keys": yaml(HEAD + "zones:\n" + "  -\n" * 1_000_000, r"error\[ruleset-size\]"),
}

SHAPES = {
    "alias bomb": yaml(
        HEAD + "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(30)),
        r"ruleset.yaml:4:4: error\[yaml-anchor\]",
    ),
    "flow nested": yaml(HEAD + "zones:\n " + "[\n " * 10_000, r"error\[yaml-depth\]"),
    "block nested": yaml(HEAD + "".join(" " * n + "a:\n" for n in range(1_300)), r"error\[yaml-depth\]"),
    "items nested": yaml(HEAD + "zones:\n" + "- " * 4_900 + "\n", r"error\[yaml-depth\]"),
    "digits": yaml("rulelang: 2\nname: g\nplayers: " + "9" * 9_900, r"ruleset.yaml:3:10: error\[yaml-number\]"),
    "a million digits": yaml("rulelang: 2\nname: g\nplayers: " + "9" * 1_000_000, r"error\[ruleset-long-line\]"),
    "unknown key": yaml(HEAD + "zonnes: {}\n", r"ruleset.yaml:4:1: error\[schema-unknown-key\]"),
    "wrong type": yaml(HEAD + "variables: 3\n", r"ruleset.yaml:4:12: error\[schema-type\]"),
    "duplicate key": yaml(HEAD + "name: h\n", r"ruleset.yaml:4:1: error\[yaml-duplicate-key\]"),
    "nobody plays": yaml("rulelang: 2\nname: g\nplayers: 0\n", r"ruleset.yaml:3:10: error\[schema-range\]"),
    "a million players": yaml(
        "rulelang: 2\nname: g\nplayers: 1..1000000\n", r"ruleset.yaml:3:10: error\[schema-form\]"
    ),
    "extends itself": yaml("rulelang: 2\nextends: g\n", r"error\[ruleset-extends\]"),
    "extends out": yaml("rulelang: 2\nextends: ../../../../etc\n", r"error\[ruleset-(outside|extends)\]"),
    "parentheses": rules("score x: " + "(\n" * 10_000 + "1" + "\n)" * 10_000, r"g.rule:\d+:1: error\[syntax-depth\]"),
    "indentation": rules(
        "play:\n" + "".join(" " * (n + 1) + "if true:\n" for n in range(1_300)),
        r"g.rule:\d+:\d+: error\[syntax-depth\]",
    ),
    "a chain": rules("score x: (" + "1 +\n" * 9_000 + "1)\nplay: pass\n", r"error\[syntax-depth\]"),
    "else if": rules("play:\n  if 1 = 2: pass\n" + "  else if 1 = 2: pass\n" * 3_000, r"error\[syntax-depth\]"),
    "digits in rules": rules("score x: " + "9" * 9_000, r"g.rule:2:10: error\[syntax-number\]"),
    "long name": rules("rule " + "a" * 9_000 + ": pass\nplay: pass\n", r"g.rule:2:6: warning", status=0),
    "deep type": rules("rule f(x: " + "list of " * 1_400 + "player): pass\n", r"g.rule:2:\d+: error\[syntax-depth\]"),
    "many faults": rules("play:\n" + "".join(f"  x{n} := 3\n" for n in range(1_000)), r"g.rule:3:3: error"),
    "modifiers": rules(
        "quantity q(n: number) -> number = 1\n" + "modify q(n): at least 1\n" * 1_000 + "play: pass\nscore x: q(1)\n",
        "score lines: x",
        command=INFO,
        status=0,
    ),
}

SIZES = {
    "10^9 pieces": rules(
        "play: pass\n",
        r"ruleset.yaml:5:22: error\[ruleset-size\]",
        CARDS % ("", "{id: a, value: 1, count: 1000000000}"),
    ),
    "a count beyond 64 bits": rules(
        "play: pass\n",
        r"ruleset.yaml:5:\d+: error\[range-outside\]",
        CARDS % ("", "{id: a, value: 1, count: 4000000000 * 4000000000}"),
    ),
    "a grid of 10^10": rules(
        "play: pass\n", r"ruleset.yaml:4:\d+: error\[schema-range\]", "grids: {A: {columns: 100000, rows: 100000}}\n"
    ),
    "variables per two grids": rules(
        "play: pass\n",
        r"ruleset.yaml:5:13: error\[ruleset-size\]",
        GRIDS + "variables: {n: {type: 0..9, per: [A, B]}}\n",
    ),
    "zones per two grids": rules(
        "play: pass\n",
        r"ruleset.yaml:\d+:\d+: error\[ruleset-size\]",
        GRIDS + "kinds: {Card: {}}\nzones: {z: {holds: Card, per: [player, A, B]}}\n",
    ),
    "fuel": rules("play: pass\n", r"ruleset.yaml:4:16: error\[schema-range\]", "limits: {fuel: 1000000000}\n"),
    "pieces that options count": played(
        "play: pass\n",
        "has .* pieces; the most is 20000",
        "options: {many: {values: [1000], default: 1000}}\n"
        + CARDS % ("", ", ".join(f"{{id: c{n}, value: 1, count: many}}" for n in range(30))),
    ),
    "a capacity divided by nothing": played(
        "play: pass\n",
        "cannot be worked out for 2 players",
        "kinds: {Card: {}}\nzones: {z: {holds: Card, capacity: 1 div (count(players) - 2)}}\n",
    ),
    "exchanges without end": rules(
        "play:\n  turn of seat(0):\n    trade g()\nexchanges g() from p:\n"
        + "".join(f"  exchange e{n}: {n % 7 + 4} any Part -> {n % 7 + 3} any Part\n" for n in range(60)),
        r"g.rule:\d+:\d+: error\[exchange-unknown\]",
        PARTS + f"variables: {{{PURSE}}}\n",
    ),
}

FUEL = r"rulelang: play: (this loop goes on and asks nobody: )?no decision within the fuel \(g.rule:\d+:\d+\)"
RUNS = {
    "endless": played("play:\n  while n < 2: n := 1 - n\n", FUEL, N),
    "endless, long": played("play:\n  while n < 2:\n" + "    n := 1 - n\n" * 700, FUEL, N),
    "endless, heavy": played(
        "play:\n  while n >= 0:\n    for s in lines(A, 3): n := count(lines(B, 4))\n", FUEL, GRIDS + N
    ),
    "endless, of numbers": played("play:\n  while n >= 0:\n    n := count(numbers(1, 900000))\n", FUEL, N),
    "endless, through a zone": played(
        "play:\n  while n >= 0: n := count(table) + count(table where it.value > 3)\n",
        FUEL,
        N + CARDS % ("", ", ".join(f"{{id: c{n}, value: 1, start: table, count: 1000}}" for n in range(19))),
    ),
    "sets that double": played(
        "rule grow(a: list of number) up to 60 deep:\n  grow(a + a)\nplay:\n  grow([1, 2])\n", r"fuel \(g.rule:3:8\)"
    ),
    "loops in loops": played(
        "play:\n  n := sum(sum(sum(c for c in numbers(1, 999)) for b in numbers(1, 999)) for a in numbers(1, 999))\n",
        FUEL,
        N,
    ),
    "members": played("play:\n  let a = numbers(1, 30000)\n  n := count(x for x in a where x in a)\n", FUEL, N),
    "times": played("play:\n  repeat 1000000000000 times: pass\n", FUEL),
    "a long count": played("play:\n  n := sum(x for x in numbers(1, 900000000))\n", FUEL, N),
    "points without end": played(
        "play: pass\nscore x: sum(sum(y for y in numbers(1, 99999)) for x in numbers(1, 99999))\n",
        r"score x: no decision within the fuel \(g.rule:3:10\)",
    ),
    "functions that double": played(
        "play: pass\nscore x: f0()\n"
        + "".join(f"function f{n}() -> number = f{n + 1}() + f{n + 1}()\n" for n in range(40))
        + "function f40() -> number = 1\n",
        r"no decision within the fuel \(g.rule:\d+:\d+\)",
    ),
    "a long chain of functions": played(
        "play: pass\nscore x: f0()\n"
        + "".join(f"function f{n}() -> number = f{n + 1}()\n" for n in range(1_500))
        + "function f1500() -> number = 1\n",
        r"score x: .* too deep \(g.rule:3:1\)",
    ),
    "a long chain of rules": played(
        "play: f0()\n" + "".join(f"rule f{n}: f{n + 1}()\n" for n in range(1_500)) + "rule f1500: pass\n",
        r"play: .* too deep \(g.rule:2:1\)",
    ),
    "recursion": played("play: a()\nrule a up to 60 deep: a()\n", r"a: more than 60 levels deep \(g.rule:3:6\)"),
    "recursion, declared too deep": played(
        "play: a(5)\nrule a(n: number) up to 1000 deep: a(n + 1)\n",
        r"too deep \(g.rule:2:1\)",
        "limits: {depth: 1000}\n",
    ),
    "a bag beyond its capacity": played(
        "play:\n  b += 3 nut\n  b += 1 nut\n", r"play: `b` has no room for all of this \(g.rule:4:3\)", FULL
    ),
    "a free gain beyond the capacity": played(
        "play:\n  b += 3 nut\n  b += 4 any Part\n", r"play: `b` has no room for all of this \(g.rule:4:3\)", FULL
    ),
    "a loss beyond what a bag holds": played(
        "play:\n  b += 3 nut\n  b -= 1 oil\n", r"play: `b` does not hold all of this \(g.rule:4:3\)", FULL
    ),
    "a function below its last level": played(
        "play: n := a(9)\nfunction a(k: number) -> number up to count(players) deep = k if k < 6 else a(k - 1)\n",
        r"a: more than 2 levels deep \(g.rule:3:10\)",
        N,
    ),
    "a function that doubles": played(
        "play: n := a(50)\nfunction a(k: number) -> number up to 60 deep = 1 if k < 1 else a(k - 1) + a(k - 1)\n",
        r"no decision within the fuel \(g.rule:3:10\)",
        N,
    ),
    "recursion that doubles": played(
        "play: a(0)\nrule a(n: number) up to 60 deep:\n  if n < 50: a(n + 1)\n  if n < 50: a(n + 1)\n",
        r"a: this rule calls itself again and again and asks nobody: no decision within the fuel \(g.rule:3:6\)",
    ),
    "look-ahead": played(
        "play:\n  turn of seat(0):\n    choose:\n      a when possible(s() then n = 99): pass\n      b: pass\n"
        "rule s:\n  repeat 30 times: m += choose a number from 0 to 9999\n",
        r"looking ahead used up the fuel \(g.rule:5:\d+\)",
        f"variables: {{{number()}, {number('m')}}}\n",
    ),
    "2^60 options": played(
        "play:\n  turn of seat(0):\n    let x = choose any of table\n    move x to hand\n",
        r"play: this decision has 1152921504606846976 options; at most 65536 can be listed \(g.rule:4:13\)",
        CARDS % ("", SIXTY),
    ),
    "2^200 options": played(
        "play:\n  turn of seat(0):\n    let x = choose any of table\n    move x to hand\n",
        r"there are too many options .* \(g.rule:4:13\)",
        CARDS % ("", ", ".join(f"\n{{id: c{n}, value: 1, start: table}}" for n in range(200))),
    ),
    "10^12 numbers": played(
        "play:\n  turn of seat(0):\n    n := choose a number from 0 to 999999999999\n",
        r"has 1000000000000 options.*g.rule:4:10",
        N,
    ),
    "10^12 numbers at once": played(
        "play:\n  let x = together choose a number from 0 to 999999999999\n",
        r"options.*g.rule:3:11",
        N,
    ),
    "options to be looked through": played(
        "play:\n  turn of seat(0):\n    choose:\n"
        "      a(x in numbers(1, 999), y in numbers(1, 999), z in numbers(1, 999)) when x + y + z > 5: n := x\n"
        "      pass: pass\n",
        r"there are too many options to be looked through.*\(g.rule:5:\d+\)",
        N,
    ),
    "division by nothing": played(
        "play: pass\nscore x: 1 div (count(players) - 2)\n", r"score x: division by zero \(g.rule:3:10\)"
    ),
    "beyond 64 bits": played(
        "play: pass\nscore x: 4000000000 * 4000000000\n", r"score x: a number went beyond 64 bits \(g.rule:3:10\)"
    ),
    "out of range": played(
        "play:\n  repeat 10 times: n += 1\n",
        r"`n` would become 10, outside 0..9 \(g.rule:3:\d+\)",
        "variables: {n: {type: 0..9}}\n",
    ),
    "a cost of many identical parts": rules(
        "play:\n  if can pay 30 * 2 identical Part + 2 any Part from p: n := 1\n",
        "win",
        PARTS + f"variables: {{{number()}, {PURSE}}}\n",
        PLAY,
        0,
    ),
    "a cost of many wilds": rules(
        f"play:\n  if can pay {MANY_WILDS} from p: n := 1\n",
        "win",
        PARTS + f"variables: {{{number()}, {PURSE}}}\n",
        PLAY,
        0,
    ),
    "a cost of 10^9 parts": played(
        "play:\n  if can pay 1000000000 * 2 identical Part from p: n := 1\n",
        r"a cost can be paid in too many ways \(g.rule:2:1\)",
        PARTS + f"variables: {{{number()}, {PURSE}}}\n",
    ),
    "10^6 goods to choose": played(
        "play:\n  turn of seat(0):\n    p += 1000000 any Part\n",
        r"there are more ways than can be listed \(g.rule:4:5\)",
        PARTS + f"variables: {{{PURSE}}}\n",
    ),
}

CASES = FILES | SHAPES | SIZES | RUNS
