"""What the interpreter's tables must have is refused when it is lacking, by name, before anything is played."""

from __future__ import annotations

from abc import ABC, abstractmethod

import pytest

from rulelang.interpreter.chance import KINDS, ChanceCode
from rulelang.interpreter.expressions import BUILDERS
from rulelang.interpreter.statements import STATEMENTS as STATEMENT_BUILDERS
from rulelang.registry import exhaustive
from rulelang.vocabulary.operations import CHANCE, STATEMENTS


class Half(ChanceCode, ABC):
    """A kind of chance that does not say its outcomes."""

    @abstractmethod
    def more(self) -> None:
        """Something else that it lacks."""


@pytest.mark.parametrize("kind", CHANCE)
def test_a_kind_of_chance_without_its_code_is_refused(kind: str) -> None:
    """None, or one that lacks a method."""
    with pytest.raises(TypeError, match=f"said nowhere: {kind}$"):
        exhaustive({name: code for name, code in KINDS.items() if name != kind}, CHANCE)
    with pytest.raises(TypeError, match=f"{kind} of Half"):
        exhaustive({**KINDS, kind: Half}, CHANCE)


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_without_its_builder_is_refused(name: str) -> None:
    """By name."""
    exhaustive(STATEMENT_BUILDERS, STATEMENTS)
    with pytest.raises(TypeError, match=f"said nowhere: {name}$"):
        exhaustive({op: build for op, build in STATEMENT_BUILDERS.items() if op != name}, STATEMENTS)


def test_an_expression_may_have_its_builder_elsewhere() -> None:
    """In one of the other tables."""
    with pytest.raises(TypeError, match=r"said nowhere: add$"):
        exhaustive({}, ["add"], {"sub"})
    exhaustive(BUILDERS, ["region", "add", "sub"], {"sub"})
