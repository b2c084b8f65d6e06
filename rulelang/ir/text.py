"""Prints a program as text: versioned, readable, and exact, so that `rulelang.ir.reader` gives the same program back.

Enters: a `Program`. Leaves: its text. The form: a table's row, block or decision is `(Class field=value …)`, in which
fields at their default are left out; a sequence is `[…]`, a mapping `{"key": value …}`; an expression is
`(operation type argument …)`, a statement `(operation argument …)`, either followed by `@site` if it has one.
`;` begins a comment: the number and place of a row, block or procedure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import cache
from typing import Any

from rulelang.ir.nodes import Block, Decision, Expr, Procedure, Statement
from rulelang.ir.program import IR_VERSION, DefinitionTable, Program, Site, VariableTable, ZoneTable

HEADER = "rulelang-ir"
WIDTH = 120
STEP = "  "


def print_program(program: Program) -> str:
    """Return the text of a program."""
    return f"{HEADER} {IR_VERSION}\n\n" + "\n".join(_Printer(program).lines(program, "", "")) + "\n"


def default_of(field: Field[object]) -> object:
    """Return the default of a dataclass field, `MISSING` if it has none."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


class _Printer:
    """Prints one program."""

    def __init__(self, program: Program) -> None:
        self.program = program

    # on one line

    def flat(self, value: object) -> str:
        """Return a value without line breaks and comments."""
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, tuple):
            return "[" + " ".join(map(self.flat, value)) + "]"
        if isinstance(value, dict):
            return "{" + " ".join(f"{self.flat(key)}: {self.flat(item)}" for key, item in value.items()) + "}"
        head, parts = self._opened(value)
        return "(" + " ".join([head, *(name + self.flat(part) for name, part in parts)]) + self._closed(value)

    def _opened(self, value: object) -> tuple[str, list[tuple[str, object]]]:
        """Return what stands first inside the parentheses of a node, and the named parts that follow."""
        if isinstance(value, Expr):
            return f"{value.op} {value.type}", [("", _plain(arg)) for arg in value.args]
        if isinstance(value, Statement):
            return value.op, [("", _plain(arg)) for arg in value.args]
        named = _named_parts(type(value))  # type: ignore[arg-type]
        parts = [(label, getattr(value, name), default) for label, name, default in named]
        return type(value).__name__, [(label, part) for label, part, default in parts if part != default]

    def _closed(self, value: object) -> str:
        return f" @{value.site})" if isinstance(value, Expr | Statement) and value.site else ")"

    # on several lines

    def lines(self, value: object, indent: str, name: str) -> Iterator[str]:
        """Yield the lines of a value, the first with its name (`field=`); broken up where too long or commented."""
        if not isinstance(value, Program | Procedure | Decision | Block) and not _commented(value):
            flat = indent + name + self.flat(value)
            if len(flat) <= WIDTH or not _breakable(value):
                yield flat
                return
        if isinstance(value, tuple):
            yield f"{indent}{name}["
            for number, part in enumerate(value):
                comment = self._comment(number, part)
                if comment:
                    yield f"{indent}{STEP}; {comment}"
                yield from self.lines(part, indent + STEP, "")
            yield f"{indent}]"
            return
        head, parts = self._opened(value)
        yield f"{indent}{name}({head}"
        for label, part in parts:
            yield from self.lines(part, indent + STEP, label)
        yield f"{indent}{self._closed(value).lstrip()}"

    def _comment(self, number: int, value: object) -> str:
        """Return what a comment after a table's row says: its number, name and site."""
        if isinstance(value, Block):
            site = value.site or next((statement.site for statement in value.statements if statement.site), 0)
            return f"block {number}{self._place(site)}"
        if isinstance(value, Procedure):
            slots = [f"{name}: {type_}" for name, type_ in zip(value.local_names, value.locals, strict=False)]
            head = ", ".join(slots[: value.parameters])
            return f"procedure {number}: {value.name}({head}) -> {value.returns}{self._place(value.site)}"
        if isinstance(value, Decision):
            return f"decision {number}{self._place(value.site)}"
        if isinstance(value, DefinitionTable | ZoneTable | VariableTable):
            return f"{number}{self._place(value.site)}"
        return str(number) if _commented((value,)) else ""

    def _place(self, number: int) -> str:
        """Return the comment that says which rule, file and line a site is; empty for none."""
        if not 0 < number < len(self.program.sites):
            return ""
        site = self.program.sites[number]
        return f", rule {_one_line(site.rule)}, {_one_line(site.path)}:{site.line}"


@cache
def _named_parts(row: type[Any]) -> tuple[tuple[str, str, object], ...]:
    """Return the fields of a class of rows, each as it is labelled, with its name and default."""
    return tuple((f"{field.name}=", field.name, default_of(field)) for field in fields(row))


def _plain(arg: object) -> object:
    # a truth value among the arguments of a node is the same immediate as its number
    return int(arg) if isinstance(arg, bool) else arg


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _breakable(value: object) -> bool:
    return not isinstance(value, str | int | dict | None)


def _commented(value: object) -> bool:
    """Return whether a sequence lists rows that are numbered by a comment each."""
    if not isinstance(value, tuple) or not value:
        return False
    kind = type(value[0])
    return isinstance(value[0], Block | Procedure | Decision | Site) or kind.__name__.endswith("Table")
