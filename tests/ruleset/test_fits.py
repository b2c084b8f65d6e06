"""The compiled schemas hold of what the schema library accepts, and of nothing else."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rulelang.diagnostics import Diagnostics, Source
from rulelang.ruleset.fits import compiled
from rulelang.ruleset.nodes import plain
from rulelang.ruleset.schema import _inlined_schema, _predicate
from rulelang.ruleset.yaml_reader import read_yaml
from tests.fuzz.mutations import mutate_document, paths
from tests.soak import times

ROOT = Path(__file__).resolve().parents[2]
LARGE = 6000
"""Characters: the schema library takes a second for 100,000."""
LIBRARY = {name: Draft202012Validator(_inlined_schema(f"{name}.schema.json")) for name in ("ruleset", "scenarios")}


def documents() -> list[tuple[str, dict[str, Any]]]:
    """Whole files: the name of the schema, and what they hold."""
    found = []
    for path in sorted([*ROOT.glob("rulesets/**/*.yaml"), *ROOT.glob("tests/**/*.yaml")]):
        text = path.read_text(encoding="utf-8")
        tree = read_yaml(Source(str(path), text), Diagnostics()) if len(text) < LARGE else None
        data = plain(tree) if tree is not None else None
        if isinstance(data, dict):
            found.append(("scenarios" if "scenarios" in data else "ruleset", data))
    return found


def changed(data: dict[str, Any], rng: Random, keys: list[str]) -> None:
    """Change a value, take it away, or put it under another key."""
    *steps, last = rng.choice(paths(data)[1:])
    holder: Any = data
    for step in steps:
        holder = holder[step]
    change = rng.randrange(4)
    if change == 0:
        del holder[last]
    elif change == 1 and isinstance(holder, dict):
        holder[rng.choice(keys)] = holder.pop(last)
    else:
        mutate_document(data, rng)


def test_mutants_are_judged_alike() -> None:
    """Documents as they are and with a few values changed; no tree holds a fraction."""
    rng, cases, judged = Random(3), documents(), {True: 0, False: 0}
    keys = sorted({step for _, data in cases for path in paths(data) for step in path if isinstance(step, str)})
    for number in range(times(len(cases) * 2)):
        name, data = deepcopy(cases[number % len(cases)])
        for _ in range(min(number // len(cases), 2)):
            changed(data, rng, keys)
        if "e+300" not in str(data):
            fits = _predicate(f"{name}.schema.json")(data)
            assert fits == LIBRARY[name].is_valid(data), data
            judged[fits] += 1
    assert min(judged.values()) > 50


@pytest.mark.parametrize("name", ["ruleset.schema.json", "scenarios.schema.json"])
def test_examples_fit(name: str) -> None:
    """What hints show of a place is what its schema takes."""
    parts: list[Any] = [_inlined_schema(name)]
    seen = 0
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("examples"), list):
            seen += 1
            assert [example for example in part["examples"] if not compiled(part)(example)] == []
        parts += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    assert seen >= len(("given", "when", "then"))
