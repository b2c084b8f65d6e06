"""What passes make of small expressions is held so closely that each pass with one condition negated is caught."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module

import pytest

from rulelang.ir.program import Program
from rulelang.mir import PASSES
from tests.mir import choices
from tests.mir.rewrites import BLOCKS as FILE
from tests.mir.rewrites import Block, left, lowered_by, played, program_of, read
from tests.mutants import Mutant, mutants, planted

MODULES = [
    import_module(f"rulelang.{name}")
    for name in (
        *(
            f"mir.{name}"
            for name in (
                "bitboards",
                "bits",
                "branches",
                "cells",
                "exists",
                "fields",
                "inverted",
                "narrow",
                "options",
                "share",
            )
        ),
        "ir.rewrite",
        "runtime.constants",
    )
]
ELSEWHERE = ("runtime.constants.clamp",)
"""What an operation means, which tests/interpreter holds for both executors."""
EQUIVALENT: dict[str, str] = {}
"""Mutants that change nothing, and why."""
BLOCKS = tuple(read(FILE))
DECISIONS = ("cells", "options")
"""Modules that the decisions of `choices.txt` hold."""
QUICK = ("branches", "exists", "inverted", "options")
"""Modules whose mutants are tried in every run, each on its own blocks."""


@cache
def game() -> Program:
    return program_of(BLOCKS)


@cache
def outcome() -> tuple[list[int], int]:
    return played(game())


def wrong(name: str = "") -> list[str]:
    """The expressions of which passes, or one of them, leave something else than they should."""
    asked = [block for block in BLOCKS if block[0].startswith(name)]
    return differing(asked, left(asked))


def wrong_decisions() -> list[str]:
    """The decisions of which something else is left, or told."""
    return differing(choices.blocks(), choices.left())


def differing(expected: Iterable[Block], texts: Iterable[str]) -> list[str]:
    return [rule for (_, rule, text), now in zip(expected, texts, strict=True) if text != now]


def of_module(name: str) -> list[Mutant]:
    """The mutants of a module."""
    return [mutant for mutant in mutants([import_module(name)]) if mutant.function not in ELSEWHERE]


def is_caught(mutant: Mutant, thorough: bool = True) -> bool:
    """Whether a pass fails, leaves something else, or the game of what all of them leave is another one."""
    name = mutant.module.__name__.rpartition(".")[2]
    with planted(mutant):
        try:
            if (name in DECISIONS or thorough) and wrong_decisions():
                return True
            if (name in PASSES and wrong(name)) or (thorough and wrong()):
                return True
            after = lowered_by(game(), "all") if thorough else None
        except Exception:  # noqa: BLE001 - whatever comes out catches it
            return True
    return after is not None and played(after) != outcome()


@pytest.mark.slow
def test_passes_leave_what_they_should() -> None:
    """Each expression after its pass is the one written down, and each decision."""
    assert wrong() == []
    assert wrong_decisions() == []


@pytest.mark.soak
def test_the_game_is_the_same() -> None:
    """The interpreter plays what the passes leave as it plays what they were given."""
    assert played(lowered_by(game(), "all")) == outcome()


@pytest.mark.parametrize("name", QUICK)
def test_negated_conditions_are_caught_at_once(name: str) -> None:
    """No condition of these modules can be turned around without their own expressions or decisions showing it."""
    asked = of_module(f"rulelang.mir.{name}")
    assert wrong(name) == []  # by the true code, which makes the games too
    assert [mutant.name for mutant in asked if not is_caught(mutant, thorough=False)] == []


@pytest.mark.soak
@pytest.mark.parametrize("module", [module.__name__ for module in MODULES])
def test_negated_conditions_are_caught(module: str) -> None:
    """All conditions of passes and of what they rest on, but those that are known to change nothing."""
    asked = of_module(module)
    outcome()
    choices.game()
    assert wrong() == []
    missed = {mutant.name for mutant in asked if not is_caught(mutant)}
    assert missed == EQUIVALENT.keys() & {mutant.name for mutant in asked}
