"""Fuel in native code: it never ends before the interpreter's, and lasts for no more than FACTOR times its work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import rulelang
from rulelang.diagnostics import FuelError
from rulelang.interpreter import Machine
from rulelang.ir.program import Program
from rulelang.native import NativeCode
from rulelang.runtime.outcome import Outcome
from rulelang.runtime.rng import seeded
from tests.soak import soaking

from .trial_rulesets import GROUPINGS, TRIALS

pytestmark = pytest.mark.usefixtures("compiler")
FACTOR = 4
"""What native code leaves out between the places where it takes fuel. Measured where much is tried: 1.5 to 2.9."""
SEED = 0


def suffices(program: Program, fuel: int) -> bool:
    """Whether the interpreter plays the game with so much fuel for each decision."""
    machine = Machine(replace(program, fuel=fuel), 2)
    try:
        machine.random_playout(machine.new_state(SEED, logging=False))
    except FuelError:
        return False
    return True


def least(program: Program) -> int:
    """The least fuel with which the interpreter plays the game."""
    low, high = 0, program.fuel
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(program, middle) else (middle + 1, high)
    return low


def in_native_code(program: Program, fuel: int) -> Outcome | None:
    """What comes of the game in native code with so much fuel; None where it gives up."""
    interpreter = Machine(replace(program, fuel=fuel), 2)
    outcomes = NativeCode(interpreter).playouts(interpreter.new_state(SEED, logging=False), [seeded(SEED)])
    assert outcomes is not None
    return outcomes[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trials in trials", *soaking("groupings that are tried")])
def test_fuel_of_what_is_tried(name: str, tmp_path: Path) -> None:
    """With what the interpreter just needs native code plays the game itself, with a FACTORth of it it gives up."""
    (tmp_path / "ruleset.yaml").write_text({**TRIALS, **GROUPINGS}[name], encoding="utf-8")
    program = rulelang.load(tmp_path).program
    fuel = least(program)
    assert fuel > 1000
    assert not suffices(program, fuel - 1)
    assert in_native_code(program, fuel) is not None
    assert in_native_code(program, fuel // FACTOR) is None
