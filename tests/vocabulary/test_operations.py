"""The table of operations: what a row must say, and that what it says of comparisons holds."""

from __future__ import annotations

import random

import pytest

from rulelang.runtime.constants import PURE
from rulelang.vocabulary import operations
from rulelang.vocabulary.computing import COMPUTES, says_some
from rulelang.vocabulary.operations import EXPRESSIONS, MIRRORED, NEGATED, SIGNS, WRITTEN, having, parsed

from .claims import BORROWED

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
        "both int int -> set<int> | total; pure; distinct repeats -- repeats and does not",
        "twice int -> int | total overflow; pure -- fails and does not",
        "twice int -> int | total; pure log -- reads nothing and the log",
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


def test_signs_in_rules_stand_for_what_python_computes() -> None:
    """Each written sign against Python's own, where it is another one."""
    draw, signs = random.Random(3), {"=": "==", "div": "//", "mod": "%"}
    assert {"<", "+", "="} <= WRITTEN.keys()
    for sign, name in WRITTEN.items():
        for a, b in [(draw.randint(-9, 9), draw.choice((-3, -1, 1, 2, 7))) for _ in range(60)]:
            assert COMPUTES[name](a, b) == eval(f"{a} {signs.get(sign, sign)} {b}"), name


@pytest.mark.parametrize("name", SIGNS)
def test_a_number_of_things_is_some_or_none(name: str) -> None:
    """What a comparison of a count with a bound says of there being anything, against all counts to 5."""
    for bound in range(-1, 4):
        held = [number > 0 for number in range(6) if COMPUTES[name](number, bound)]
        left = [number > 0 for number in range(6) if not COMPUTES[name](number, bound)]
        sure = held and left and len({*held}) == len({*left}) == 1
        assert says_some(name, bound) == (held[0] if sure else None)


def test_relations_are_mutual() -> None:
    """What negates, or mirrors, an operation is negated, or mirrored, by it."""
    assert {NEGATED[other]: other for other in NEGATED.values()} == NEGATED
    assert {MIRRORED[other]: other for other in MIRRORED.values()} == MIRRORED


def test_what_is_worked_out_beforehand_reads_nothing_of_a_state() -> None:
    """Constant folding knows functions of their operands alone."""
    assert [name for name in PURE if not EXPRESSIONS[name].reads <= operations.FIXED] == []
    assert [name for name in PURE if EXPRESSIONS[name].reads & {"seats", "contents", "variables"}] == []


def test_what_gives_another_value_folds_where_that_is_known() -> None:
    """Of the rest `tests.vocabulary.claims` holds the trait against what `runtime.constants` evaluates."""
    assert having("folds") & BORROWED == {"const", "local", "let"}
