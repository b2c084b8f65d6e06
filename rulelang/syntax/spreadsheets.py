"""Formulas of spreadsheets, said as values of the language.

Enters: a line with a function in capitals. Leaves: what the outermost of them is here, its arguments likewise. What a
function is called in another language stands in that language's `syntax.toml` as `FORMULAS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from rulelang.languages import codes, language

_FUNCTION = re.compile(r"(?<![\w.])=? ?([A-Z]\w*(?:\.[A-Z]+)*|if|iif|countif|count_if|sumif|sum_if)\(")
_COLUMN = re.compile(r"([a-z]\w*(?:\.[a-z]\w*)*)\.([a-z]\w*)")
_SIGNED = re.compile(r"(<>|[<>]=?|=) ?(.+)")


class Formula(NamedTuple):
    """A formula in a line, from one column to another (from 0): its outermost function, and its value here."""

    start: int
    end: int
    function: str
    value: str


def formulas(line: str) -> Iterator[Formula]:
    """Yield the formulas of a line whose functions all have something like them here, the outermost of each."""
    last = 0
    for match in _FUNCTION.finditer(line):
        args, end = _arguments(line, match.end())
        value = _value(match[1], args) if end and match.start() >= last else None
        if value:
            yield Formula(match.start(), end, match[1], value)
            last = end


def _arguments(line: str, start: int) -> tuple[list[str], int]:
    """Return what stands between parentheses, cut at its own commas and semicolons, and where it ends; 0 if nowhere."""
    depth, args = 0, [""]
    for column in range(start, len(line)):
        letter = line[column]
        if letter == ")" and not depth:
            return [arg.strip() for arg in args], column + 1
        depth += {"(": 1, ")": -1, "{": 1, "}": -1}.get(letter, 0)
        if letter in ",;" and not depth:
            args.append("")
        else:
            args[-1] += letter
    return args, 0


def said(text: str) -> str:
    """Return an argument, or a line, with its own formulas and signs as they are here."""
    text = text.strip()
    while formula := next(formulas(text), None):
        before, after = text[: formula.start], text[formula.end :]
        alone = (not before.strip() and not after.strip()) or re.search(
            " (?:if|otherwise|and|or|div) ", formula.value
        ) is None
        blank = " " if before[-1:] in (":", "+", "-", "*", "=") else ""
        text = f"{before}{blank}{formula.value if alone else f'({formula.value})'}{after}"
    text = re.sub(r"^DISTINCT (\S+)$", r"distinct(\1)", text)
    text = re.sub(r"\b([a-z]\w*)\[[\"']?([a-z]\w*)[\"']?\]", r"\1.\2", text)
    text = re.sub(r"[\"'](\w*)[\"']", r"\1", text).replace("<>", "!=")
    return whole(re.sub(r" ?/ ?", " div ", text))


_DECIMAL = re.compile(r"\* ?(\d{1,3}\.\d{1,3})\b")


def whole(text: str) -> str:
    """Return a text in whole numbers: a multiplication by a decimal fraction, `* 1.5`, is `* 3 div 2`."""

    def fraction(times: re.Match[str]) -> str:
        part = Fraction(times[1])
        return f"{f'* {part.numerator} ' if part.numerator != 1 else ''}div {part.denominator}"

    return _DECIMAL.sub(fraction, text)


def _value(function: str, args: Sequence[str]) -> str | None:
    """Return the value of a function of spreadsheets; None if there is nothing like it, or it has other arguments."""
    name = _names().get(function, function).upper().replace("_", "")
    for number, form in _FORMS.get(name, ()):
        if number == len(args):
            return form(*args)
    return None


@cache
def _names() -> dict[str, str]:
    """Return what functions are called elsewhere, with their English names."""
    return {own: name for code in codes() for own, name in language(code).texts("syntax").get("FORMULAS", {}).items()}


def _where(cells: str, criterion: str) -> str:
    """Return the condition that a column fulfils: `red`, `">3"`."""
    signed = _SIGNED.fullmatch(criterion.strip().strip("\"'"))
    sign, value = (signed[1].replace("<>", "!="), signed[2]) if signed else ("=", said(criterion))
    column = _COLUMN.fullmatch(cells)
    return f"it.{column[2] if column else 'colour'} {sign} {value}"


def _table(cells: str) -> str:
    """Return the collection that a column is of."""
    column = _COLUMN.fullmatch(cells)
    return column[1] if column else cells


def _sum_where(cells: str, criterion: str, added: str) -> str:
    """Return the sum of a column over the rows that fulfil a criterion."""
    column = _COLUMN.fullmatch(added)
    return f"sum(({_table(cells)} where {_where(cells, criterion)}).{column[2] if column else 'value'})"


def _product(first: str, second: str) -> str:
    """Return the sum of the products of two columns."""
    names = [_COLUMN.fullmatch(column) for column in (first, second)]
    a, b = (name[2] if name else "value" for name in names)
    return f"sum(x.{a} * x.{b} for x in {_table(first)})"


def _call(function: str) -> Callable[..., str]:
    """Return the form of a call with the same arguments."""
    return lambda *args: f"{function}({', '.join(map(said, args))})"


def _joined(word: str) -> Callable[..., str]:
    """Return the form of values with a word or sign between them."""
    return lambda *args: f" {word} ".join(map(said, args))


def _up(value: str, _: str = "") -> str:
    """Return a quotient rounded up; any other value as it is."""
    parts = re.fullmatch(r"(.+?) ?/ ?(\d+)", value)
    return f"({said(parts[1])} + {int(parts[2]) - 1}) div {parts[2]}" if parts else said(value)


def _rows(n: str, values: Sequence[str]) -> str:
    """Return the first value for 1, the second for 2, and so on."""
    return f"{{{', '.join(f'{number}: {said(value)}' for number, value in enumerate(values, 1))}}} at {said(n)}"


def _cases(pairs: Sequence[str]) -> str:
    """Return the value behind the first condition that holds, else 0."""
    cases = zip(pairs[::2], pairs[1::2], strict=True)
    return f"{' else '.join(f'{said(value)} if {said(cond)}' for cond, value in cases)} else 0"


def _looked_up(key: str, cells: str, *_: str) -> str:
    """Return a table of rows of a key and a value, `{1,10;2,30}`; `…` for rows that stand elsewhere."""
    rows = [re.split(" *[,.] *", row.strip()) for row in cells.strip("{} ").split(";")]
    known = cells.startswith("{") and all(len(row) > 1 for row in rows)
    shown = ", ".join(f"{row[0]}: {row[1]}" for row in rows) if known else "0: 0, 3: 5"
    return f"{{{shown}}} at {said(key)}"


_SEVERAL = range(2, 9)
_FORMS: dict[str, Sequence[tuple[int, Callable[..., str]]]] = {
    "IF": [
        (3, lambda cond, a, b: f"{said(a)} if {said(cond)} else {said(b)}"),
        (2, lambda cond, a: f"{said(a)} if {said(cond)} else 0"),
    ],
    "AND": [(number, _joined("and")) for number in _SEVERAL],
    "OR": [(number, _joined("or")) for number in _SEVERAL],
    "NOT": [(1, lambda a: f"not {said(a)}" if re.fullmatch(r"[\w.]+", a) else f"not ({said(a)})")],
    "SUM": [(1, _call("sum")), *((number, _joined("+")) for number in _SEVERAL)],
    "MAX": [(1, lambda a: f"max({said(a)}) otherwise 0"), *((number, _call("max")) for number in _SEVERAL)],
    "MIN": [(1, lambda a: f"min({said(a)}) otherwise 0"), *((number, _call("min")) for number in _SEVERAL)],
    "ABS": [(1, _call("abs"))],
    "CHOOSE": [(number, lambda n, *rows: _rows(n, rows)) for number in range(3, 12)],
    "IFS": [(number, lambda *pairs: _cases(pairs)) for number in (4, 6, 8)],
    "COUNT": [(1, _call("count"))],
    "UNIQUE": [(1, _call("distinct"))],
    "AVERAGE": [(1, lambda a: f"sum({said(a)}) div count({said(a)})")],
    "MOD": [(2, _joined("mod"))],
    "QUOTIENT": [(2, _joined("div"))],
    "POWER": [(2, lambda a, b: " * ".join([said(a)] * int(b) if b in ("2", "3") else [said(a), "…"]))],
    "INT": [(1, said), (2, lambda a, _: said(a))],
    "ROUNDUP": [(1, _up), (2, _up)],
    "COUNTIF": [(2, lambda cells, criterion: f"count({_table(cells)} where {_where(cells, criterion)})")],
    "SUMIF": [
        (2, lambda cells, criterion: _sum_where(cells, criterion, cells)),
        (3, _sum_where),
    ],
    "SUMIFS": [(3, lambda added, cells, criterion: _sum_where(cells, criterion, added))],
    "SUMPRODUCT": [(2, _product)],
    "LARGE": [(2, lambda a, n: f"max({said(a)}) otherwise 0" if n == "1" else f"({said(a)} sorted …)")],
    "SMALL": [(2, lambda a, n: f"min({said(a)}) otherwise 0" if n == "1" else f"({said(a)} sorted …)")],
    "RANDBETWEEN": [(2, lambda a, b: f"(roll {said(a)} to {said(b)})")],
    "VLOOKUP": [(number, _looked_up) for number in (2, 3, 4)],
}
_FORMS |= {
    "IIF": _FORMS["IF"],
    "COUNTA": _FORMS["COUNT"],
    "LEN": _FORMS["COUNT"],
    "LOOKUP": _FORMS["VLOOKUP"],
    "HLOOKUP": _FORMS["VLOOKUP"],
    "XLOOKUP": _FORMS["VLOOKUP"],
    "COUNTIFS": _FORMS["COUNTIF"],
    "ROUND": _FORMS["INT"],
    "ROUNDDOWN": _FORMS["INT"],
    "FLOOR": _FORMS["INT"],
    "CEILING": _FORMS["ROUNDUP"],
    "MEAN": _FORMS["AVERAGE"],
}
"""Function of spreadsheets, by its number of arguments, to what it is here."""
