"""The architecture page is true: its walk names functions in the order in which they run and shows what the stages
make, and every path on the page is there."""

from __future__ import annotations

import ast as python
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import Diagnostics, Source
from rulelang.ir.text import print_program
from rulelang.mir import lowered
from rulelang.native import build
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_piece_text
from rulelang.syntax.scan import Place
from tests.docs.test_backends_page import EXCERPT, NUMBER
from tests.shipped import shipped

ROOT = Path(__file__).parents[2]
ENGINE = ROOT / "rulelang"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALK = PAGE[PAGE.index("## One card") : PAGE.index("## Where to look")]
STEP = re.compile(r"^\d+\. ")
PAIR = re.compile(r"`([\w/]+\.py)` `([\w.]+)`|`([A-Z]\w*\.\w+)`")
STEPS = [line for line in WALK.split("\n") if STEP.match(line)]
PATH = re.compile(r"`([\w.*/]*(?:/[\w.*]*|\.(?:py|toml|json|lark|md|css)))`")
SITES = re.compile(r"(?<=@)\d+|\b\d{3,}\b")
"""Numbers of sites: others, when a line of the ruleset is added."""
EXCERPTS = re.findall(r"^<!-- ldd (ast|yaml|ir|mir|c) -->\n```\w*\n(.*?)^```$", WALK, re.M | re.S)
DROID = "after dismantle(owner, card) when nut in card.gain: owner.shed += 1 nut"
GAME = f"""\
rulelang: 2
name: walk
players: 2
types:
  Part: {{values: [nut, energy]}}
kinds:
  Droid: {{active: [repaired], start: deck, attributes: {{gain: bag of Part}}}}
pieces:
  Droid:
    - id: d7
      gain: 1 energy + 1 nut
      rules: |
        {DROID}
    - {{id: d8, gain: 1 nut}}
zones:
  deck: {{holds: Droid}}
  repaired: {{holds: Droid, per: player}}
variables:
  shed: {{type: bag of Part, per: player}}
rules: |
  setup: move deck where it is d7 to seat(0).repaired
  play:
    for p in players:
      turn of p:
        choose:
          dismantle(card in deck): dismantle(you, card)
          rest: pass
  event dismantle(s: player, card: Droid): s.shed += card.gain
  score nuts: shed.nut
"""


def named() -> list[tuple[str, str]]:
    """Module and function of each name in the walk; a class and method alone are of the module named before."""
    found: list[tuple[str, str]] = []
    for line in STEPS:
        for path, function, method in PAIR.findall(line):
            found.append((path, function) if path else (found[-1][0], method))
    return found


@cache
def defined(path: str) -> dict[str, set[int]]:
    """The functions and methods of a module, by name: the lines at which their code may begin."""

    def inside(node: python.AST, before: str) -> Iterator[tuple[str, set[int]]]:
        for child in python.iter_child_nodes(node):
            if isinstance(child, python.FunctionDef):
                yield before + child.name, {child.lineno, *(mark.lineno for mark in child.decorator_list)}
            elif isinstance(child, python.ClassDef):
                yield from inside(child, f"{before}{child.name}.")

    return dict(inside(python.parse((ENGINE / path).read_text(encoding="utf-8")), ""))


def test_names_are_there() -> None:
    """Each function of the walk is named once, in the module that has it; steps are counted from 1."""
    names = named()
    assert [(path, name) for path, name in names if not (ENGINE / path).exists() or name not in defined(path)] == []
    assert [name for name in names if names.count(name) > 1] == []
    assert [int(line.split(".")[0]) for line in STEPS] == list(range(1, len(STEPS) + 1))


def test_functions_run_in_this_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: None) -> None:
    """The text of the card, in a game for it alone, is loaded and played on both backends: among all calls the named
    functions come one after the other, as on the page. What is cached of it elsewhere is made anew."""
    wanted = named()
    lines = {
        (str(ENGINE / path), line): (path, name) for path, name in set(wanted) for line in defined(path).get(name, ())
    }
    (tmp_path / "ruleset.yaml").write_text(GAME, encoding="utf-8")
    monkeypatch.setattr(build, "_from_cache", lambda key: None)
    called: list[tuple[str, str]] = []

    def look(frame: FrameType, event: str, arg: Any) -> None:
        place = lines.get((frame.f_code.co_filename, frame.f_code.co_firstlineno))
        if place is not None and event == "call":
            called.append(place)

    before = sys.gettrace()
    sys.settrace(look)
    try:
        ruleset = rulelang.load(tmp_path)
        played = [play(ruleset, backend) for backend in ("interpreter", "native")]
    finally:
        sys.settrace(before)
    assert played[0] == played[1]
    assert [event["new"] for event in played[0] if event["type"] == "set"] == [1, 2], "one nut, and one more"
    calls = iter(called)
    missing = next((name for name in wanted if name not in calls), None)
    assert missing is None, f"{missing} does not run after what stands before it"


def play(ruleset: rulelang.Ruleset, backend: str) -> list[dict[str, Any]]:
    """What happens when the first seat dismantles the other card while it has droid 7."""
    state = ruleset.new_game(players=2, seed=1, backend=backend)
    state.apply("dismantle:card=d8")
    return state.events(0)


def outline(node: Any, depth: int = 0) -> Iterator[str]:
    """A syntax tree, a node a line: its class, what words and numbers stand in it, then the nodes in it."""
    parts = [getattr(node, field.name) for field in fields(node) if field.name not in ("span", "object")]
    words = [_word(part) for part in parts if isinstance(part, str | int | ast.Name) and not isinstance(part, bool)]
    if isinstance(node, ast.Handler):
        words[-1] += f"({', '.join(name.text for name in node.params)})"
    if isinstance(node, ast.Amount):
        words = [name.text for name in node.names]
    yield "  " * depth + " ".join((type(node).__name__, *words))
    inner = [getattr(node, field.name) for field in fields(node) if field.name != "span"]
    flat = [one for part in inner for one in (part if isinstance(part, tuple) else (part,))]
    for one in flat:
        if isinstance(one, ast.Expr | ast.Statement | ast.Block | ast.Whose):
            yield from outline(one, depth + 1)


def _word(part: Any) -> str:
    return part.text if isinstance(part, ast.Name) else str(part)


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What each stage makes: the file, the tree of the card's text, what `rulelang compile ldd --emit …` says."""
    (handler,) = parse_piece_text(Place(Source("card", DROID)), DROID, Diagnostics())
    ldd = shipped("ldd")
    native = ldd.executor(backend="native").native
    assert native is not None
    return {
        "yaml": (ROOT / "rulesets" / "ldd" / "droids.yaml").read_text(encoding="utf-8"),
        "ast": "\n".join(outline(handler)),
        "ir": print_program(ldd.program),
        "mir": print_program(lowered(native.layout).program),
        "c": native.text(),
    }


def plain(text: str) -> str:
    """Lines without indentation, and without the numbers of names and sites."""
    return "\n".join(SITES.sub("", NUMBER.sub("", line.strip())) for line in text.splitlines() if line.strip())


def test_excerpts_are_made(printed: dict[str, str]) -> None:
    """An excerpt is a run of lines of what the stage makes; what a pass makes was not there before."""
    assert [form for form, _ in EXCERPTS] == ["yaml", "ast", "ir", "mir", "c"]
    assert [form for form, text in EXCERPTS if f"\n{plain(text)}\n" not in f"\n{plain(printed[form])}\n"] == []
    assert plain(dict(EXCERPTS)["mir"]) not in plain(printed["ir"])
    sources = re.findall(r"^<!-- (\S+\.py) -->\n```\w*\n(.*?)^```$", WALK, re.M | re.S)
    assert [path for path, text in sources if plain(text) not in plain((ROOT / path).read_text(encoding="utf-8"))] == []
    assert len(EXCERPT.findall(WALK)) == len(EXCERPTS)


def test_paths_are_there() -> None:
    """What the page names by a path is in the checkout: from its root, in `rulelang`, beside native code or in the
    folder of a language; a name alone is in a folder that its row names."""
    missing, count = [], 0
    for line in PAGE.split("\n"):
        texts = [text for text in PATH.findall(line) if "CODE" not in text]
        folders = [
            ROOT,
            ENGINE,
            ENGINE / "native",
            *(ENGINE / "languages").iterdir(),
            *(ENGINE / text for text in texts if text.endswith("/")),
        ]
        missing += [text for text in texts if not any(any(folder.glob(text.rstrip("/"))) for folder in folders)]
        count += len(texts)
    assert count > 100
    assert missing == []


def test_every_module_of_native_code_is_in_the_table() -> None:
    """Once, with what it prints or does."""
    rows = PAGE[PAGE.index("| modules | print or do |") : PAGE.index("The runtime in C:")]
    listed = [name for row in rows.split("\n") for name in re.findall(r"`(\w+\.py)`", row.partition(" | ")[0])]
    there = {path.name for path in (ENGINE / "native").glob("*.py")} - {"__init__.py"}
    assert sorted(listed) == sorted(there)


def test_every_room_is_in_the_table() -> None:
    """Each package and module of `rulelang` has its row."""
    rows = PAGE[PAGE.index("| room | enters") : PAGE.index("## Who may import whom")]
    listed = {
        name
        for row in rows.split("\n")
        for name in re.findall(r"`(\w+)`", row.split("|")[1:2][0] if "|" in row else "")
    }
    there = {path.stem for path in ENGINE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {"__init__", "__main__"} - listed == set()
