"""The table of a program: it reads back to the same program, each node once, and damaged tables are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rulelang.ir.errors import IrError
from rulelang.ir.nodes import Block, End, Statement
from rulelang.ir.table import from_table, to_table
from rulelang.ir.verify import verify

from .build import good_program


def test_round_trip() -> None:
    """What is read is equal down to the types of its scalars, and verifies; names may be any text."""
    program = replace(good_program(), name='a "b"\n\u2028', title={"": "", "x": "1"}, outcome="drawn")
    again = from_table(to_table(program))
    assert again == program
    assert repr(again) == repr(program)
    verify(again)


def test_equal_nodes_are_one_row_and_one_and_true_are_not() -> None:
    """Two equal procedures take the room of one, but 1 and True stay what they were."""
    program = good_program()
    first = program.procedures[0]
    rows = len(json.loads(to_table(program))[2])
    twice = replace(program, procedures=(*program.procedures, replace(first)))
    assert len(json.loads(to_table(twice))[2]) <= rows + 1
    statements = tuple(Statement("x", (n,)) for n in (1, True))
    odd = replace(program, procedures=(replace(first, blocks=(Block(statements, End()),)),))
    read = from_table(to_table(odd)).procedures[0].blocks[0].statements
    assert [type(statement.args[0]) for statement in read] == [int, bool]


def _without_last_row(table: Any) -> object:
    return [*table[:2], table[2][:-1]]


@pytest.mark.parametrize(
    "damage",
    [
        lambda table: [99, *table[1:]],
        lambda table: table[:2],
        _without_last_row,
        lambda table: [table[0], [["eval", []], *table[1][1:]], table[2]],
        lambda table: [*table[:2], []],
        lambda table: [*table[:2], [*table[2][:-1], table[2][-1][:-3]]],
        lambda table: [*table[:2], [[99], *table[2]]],
        lambda table: [table[0], [[row[0], [len(row) + 99]] for row in table[1]], table[2]],
        lambda table: {"a": 1},
        lambda table: 7,
    ],
)
def test_damaged_tables_are_refused(damage: Any) -> None:
    """Of another version, cut, with unknown classes or rows: an error of ours, never another."""
    with pytest.raises(IrError):
        from_table(json.dumps(damage(json.loads(to_table(good_program())))).encode())


def test_what_is_no_table_is_refused() -> None:
    """Neither text, nor cut text, nor bytes, nor what is nested beyond measure."""
    content = to_table(good_program())
    for wrong in (b"", b"\xff\xfe", b"[" * 100_000, *(content[:length] for length in range(0, len(content), 397))):
        with pytest.raises(IrError):
            from_table(wrong)
