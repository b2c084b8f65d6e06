"""The table of operations: what a row must say, and that what it says of comparisons holds."""

from __future__ import annotations

import random

import pytest

from rulelang.runtime.constants import BOUND, FOLDS, PURE
from rulelang.vocabulary import operations
from rulelang.vocabulary.operations import EXPRESSIONS, MIRRORED, NEGATED, SIGNS, having, parsed

ROW = "twice int -> int | overflow; pure -- two of it"


def test_a_row_says_how_it_fails_and_what_it_reads() -> None:
    """A row is taken as it stands."""
    name, op = parsed(ROW)
    assert (name, op.failures, op.reads, op.is_total, op.is_fixed) == (
        "twice",
        frozenset(["overflow"]),
        frozenset(["pure"]),
        False,
        True,
    )


@pytest.mark.parametrize(
    "row",
    [
        "twice int -> int | ; pure -- nothing of failing",
        "twice int -> int | total; -- nothing of reading",
        "twice int -> int | never; pure -- an unknown failure",
        "twice int -> int | total; moon -- reads what there is not",
        "twice int -> int | total; pure; round -- an unknown trait",
        "both int int -> set<int> | total; pure -- repeats or not",
    ],
)
def test_a_row_that_leaves_something_out_is_refused(row: str) -> None:
    """Failing, reading, repeats of a collection."""
    with pytest.raises(ValueError, match=row.split()[0]):
        parsed(row)


@pytest.mark.parametrize("name", SIGNS)
def test_comparisons_are_negated_and_mirrored_as_the_table_says(name: str) -> None:
    """On random numbers and equal ones."""
    draw = random.Random(name)
    pairs = [(draw.randint(-3, 3), draw.randint(-3, 3)) for _ in range(60)]
    assert {a == b for a, b in pairs} == {True, False}
    for a, b in pairs:
        assert PURE[name](a, b) == (not PURE[NEGATED[name]](a, b)) == PURE[MIRRORED[name]](b, a)
        assert PURE[name](a, b) == eval(f"{a} {SIGNS[name]} {b}")


def test_relations_are_mutual() -> None:
    """What negates, or mirrors, an operation is negated, or mirrored, by it."""
    assert {NEGATED[other]: other for other in NEGATED.values()} == NEGATED
    assert {MIRRORED[other]: other for other in MIRRORED.values()} == MIRRORED


def test_what_is_worked_out_beforehand_reads_nothing_of_a_state() -> None:
    """Constant folding knows functions of their operands alone."""
    assert [name for name in PURE if not EXPRESSIONS[name].reads <= operations.FIXED] == []
    assert [name for name in PURE if EXPRESSIONS[name].reads & {"seats", "contents", "variables"}] == []


def test_what_folds_is_what_constants_work_out() -> None:
    """The trait stands in the rows of the operations that `runtime.constants` evaluates, and in no other."""
    own = {"const", "local", "let", "if", "and", "or", "is_none", "otherwise"}
    assert having("folds") == PURE.keys() | BOUND.keys() | FOLDS.keys() | own
