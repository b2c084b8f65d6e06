"""Mutated rulesets that pass `check`, played on both executors.

Enters: numbers. Leaves: what differs. `python -m tests.fuzz.executors COUNT [FIRST]` plays that many that pass, in
native code that watches itself, and prints those at fault.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rulelang.diagnostics import RuleError, RulesetError, UsageError
from rulelang.game import Ruleset, State, load
from rulelang.limits import OPTIONS
from rulelang.native import guards
from tests.fuzz.mutations import mutated
from tests.fuzz.runs import GAMES, text_files
from tests.native.sanitized import Watched, generators, outcome

STEPS, PLAYOUTS = 40, 12


def mutants(numbers: range, folder: Path) -> Iterator[tuple[int, Ruleset]]:
    """The mutated rulesets of these numbers that pass `check`, each in a folder of its own that is there until the
    next."""
    for number in numbers:
        picker = random.Random(f"mutant {number}")
        place = folder / "game"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(picker.choice(GAMES), place, ignore=shutil.ignore_patterns("scenarios", "playthroughs"))
        path = picker.choice(text_files(place))
        path.write_text(mutated(path.read_text(encoding="utf-8"), picker), encoding="utf-8")
        try:
            yield number, load(place)
        except RulesetError:
            continue


def differences(ruleset: Ruleset, seed: int, watched: Path | None = None) -> list[str]:
    """What the two executors say differently of a game step by step, and of random games to their end.

    Args:
        watched: a folder, for games in native code that ends with a report where it does what is undefined.
    """
    players = ruleset.players[seed % len(ruleset.players)]
    interpreted, native = ruleset.executor(players, {}, "interpreter"), ruleset.executor(players, {}, "native")
    said = lockstep(ruleset, players, seed)
    start = interpreted.new_state(seed, logging=False)
    rngs = generators(PLAYOUTS, seed)
    expected = [outcome(interpreted, start, rng) for rng in rngs]
    assert native.native is not None
    if watched is None:
        played = native.native.playouts(start, rngs)
    else:
        played = Watched(native.native, watched).play([(start, rngs)])[0]
    for rng, one, other in zip(rngs, expected, played or [None] * PLAYOUTS, strict=True):
        if other is None and isinstance(one, str):
            continue  # native code gives up where a rule goes wrong, and leaves the words to the interpreter
        if one != other:
            said.append(f"game {rng}: {one} in the interpreter, {other} in native code")
    return said


def lockstep(ruleset: Ruleset, players: int, seed: int) -> list[str]:
    """What differs when the same game is played on both executors choice by choice."""
    states: list[State] = []
    picker = random.Random(seed)
    chance = picker.choice(("sampled", "explicit"))
    errors = []
    for backend in ("interpreter", "native"):
        try:
            states.append(ruleset.new_game(players=players, seed=seed, backend=backend, chance=chance))
        except RuleError as error:
            errors.append(str(error))
    if errors:
        return [] if len(errors) == 2 and errors[0] == errors[1] else [f"setup: {errors}"]
    one, other = states
    for step in range(STEPS):
        if one.to_json() != other.to_json():
            return [f"step {step}: the states differ"]
        if one.is_terminal():
            break
        try:
            ids = [[action.id for action, _ in state.chance_outcomes()] if state.is_chance_node() else
                   [action.id for action in state.legal_actions()] for state in states]  # fmt: skip
        except RuleError as error:
            return [] if str(OPTIONS) in str(error) else [f"step {step}: {error}"]
        if ids[0] != ids[1]:
            return [f"step {step}: {ids[0]} in the interpreter, {ids[1]} in native code"]
        chosen, wrong = picker.choice(ids[0]), []
        for state in states:
            try:
                state.apply(chosen)
            except RuleError as error:
                wrong.append(str(error))
        if wrong:
            return [] if len(wrong) == 2 and wrong[0] == wrong[1] else [f"step {step}, {chosen}: {wrong}"]
    return []


def main() -> None:
    """Play mutants and print those at fault, with their number."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    os.environ["RULELANG_CFLAGS"] = "-O0"
    os.environ[guards.NATIVE] = guards.GUARDED
    passed = wrong = left = 0
    with tempfile.TemporaryDirectory() as name:
        os.environ["RULELANG_CACHE"] = f"{name}/cache"
        for number, ruleset in mutants(range(first, sys.maxsize), Path(name)):
            try:
                watched = Path(name) / "watched"
                watched.mkdir(exist_ok=True)
                found = differences(ruleset, number, watched)
            except UsageError:
                left += 1  # native code has no words for it, and says so
                continue
            except Exception as error:  # noqa: BLE001 - whatever comes out is at fault
                found = [f"{type(error).__name__}: {error}"]
            passed += 1
            if found:
                wrong += 1
                print(f"mutant {number} ({ruleset.name}): {found}"[:3000], flush=True)  # noqa: T201
            if passed >= count:
                break
    print(f"{passed} mutants that pass, {wrong} at fault; {left} left to the interpreter")  # noqa: T201


if __name__ == "__main__":
    main()
