"""Every whole ruleset of the reference and the page of examples loads, checks, compiles, plays, counts what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostics
from rulelang.interpreter.machine import Machine
from rulelang.ir.program import Program
from rulelang.ruleset.loader import load_ruleset
from rulelang.runtime.state import State
from rulelang.semantics.check import analyse
from tests.reference import YAML

Example = tuple[str, dict[str, str], str]
"""Its name, its files, and which folder of them is played."""


def examples() -> list[Example]:
    """The whole rulesets of both. A fence that begins with `# file: NAME` is one more file of the last of
    them; a `ruleset.yaml` in a folder below it is a variant, and an example of its own."""
    found: list[Example] = []
    files: dict[str, str] = {}
    for text in YAML:
        more = re.match(r"# file: (\S+)\n", text)
        if more is not None:
            files[more.group(1)] = text.removeprefix(more.group(0))
            folder, _, name = more.group(1).rpartition("/")
            if name == "ruleset.yaml":
                found.append((f"{found[-1][0].split('/')[0]}/{folder}", files, folder))
        elif text.startswith("rulelang: 2") and "\nname: " in text:
            files = {"ruleset.yaml": text}
            found.append((re.search(r"^name: (\w+)", text, re.M).group(1), files, "."))  # type: ignore[union-attr]
    return found


EXAMPLES = examples()


def compiled(folder: Path) -> Program:
    """The program of a ruleset; findings fail the test."""
    found = Diagnostics()
    ruleset = load_ruleset(folder, diagnostics=found)
    analysed = analyse(ruleset, found) if ruleset is not None else None
    assert not list(found), [str(d) for d in found]
    assert analysed is not None
    return compile_ruleset(analysed)


def histories(machine: Machine, depth: int) -> list[int]:
    """How many histories have 0, 1, …, depth edges, without merging anything."""
    start = machine.new_state(0, True, False)
    machine.advance(start)
    layer: list[State] = [start]
    counts = []
    for _ in range(depth + 1):
        counts.append(len(layer))
        following: list[State] = []
        for state in layer:
            waiting = machine.waiting(state)
            if waiting is None:
                continue
            if waiting.kind == "chance":
                for value, _ in machine.outcomes(state):
                    following.append(state.clone())
                    machine.take_outcome(following[-1], value)
            else:
                for option in machine.options(state, waiting.seats[0]):
                    following.append(state.clone())
                    machine.choose(following[-1], waiting.seats[0], option)
        layer = following
    return counts


@pytest.mark.parametrize(("name", "files", "folder"), EXAMPLES, ids=[name for name, _, _ in EXAMPLES])
def test_example(name: str, files: dict[str, str], folder: str, tmp_path: Path) -> None:
    """The example plays to the end with every number of players, and its tree has the size it states."""
    base = tmp_path / name.split("/")[0]
    for file, content in files.items():
        (base / file).parent.mkdir(parents=True, exist_ok=True)
        (base / file).write_text(content, encoding="utf-8")
    text = (base / folder / "ruleset.yaml").read_text(encoding="utf-8")
    program = compiled(base / folder)
    assert re.search(rf"^name: {program.name}\b", text, re.M)
    for players in program.players:
        machine = Machine(program, players, None)
        for seed in range(30):
            state = machine.new_state(seed, False, True)
            machine.advance(state)
            machine.random_playout(state)
            assert state.over
    stated = re.search(r"^# rows: ([\d ]+)$", text, re.M)
    if stated:
        wanted = [int(n) for n in stated.group(1).split()]
        assert histories(Machine(program, program.players[0], None), len(wanted) - 1) == wanted


def test_examples_are_many() -> None:
    """The page keeps its examples."""
    assert len(EXAMPLES) >= 14
