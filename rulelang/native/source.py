"""The text of a C file as it grows: constant tables, declarations, functions.

Enters: lines and numbers. Leaves: a `CSource`. Tables of the same numbers are one.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from rulelang.ir.program import Program
from rulelang.native.text import Atom

RESERVED = frozenset((
    "auto break case char const continue default do double else enum extern float for goto if inline int long register"
    " restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true"
    " false asm typeof G S W U Z"
).split())  # fmt: skip


STEP = "    "
WIDE = 120
"""Longer lines are broken for readers."""


LONGEST_NAME, LONGEST_COMMENT = 40, 200
"""Characters of a ruleset's text that enter generated code."""
WORD = frozenset(string.ascii_letters + string.digits + "_")
SAFE = WORD | set(" .,:()/-")
"""What can't end a comment, begin a trigraph or a directive, join lines, or look like something else."""


def safe_text(text: str, longest: int = LONGEST_COMMENT) -> str:
    """Return text of a ruleset or of the file system as it may stand in a comment of generated code.

    All of it that enters generated code passes here: letters and digits of ASCII and a few signs remain.
    """
    return "".join(sign if sign in SAFE else "_" for sign in text[:longest])


def plain_name(name: str) -> str:
    """Return an identifier of C, as near to a name of a ruleset as can be; not unique."""
    plain = "".join(sign if sign in WORD else "_" for sign in name[:LONGEST_NAME]).strip("_")
    return f"{plain}_" if not plain or plain[0].isdigit() or plain in RESERVED else plain


class CSource:
    """A C file in the making.

    Attributes:
        tables: definitions of constant tables. heads: what functions that stand later declare. lines: functions.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.tables: list[str] = []
        self.heads: list[str] = []
        self.lines: list[str] = []
        self._known: dict[tuple[str, tuple[int | str, ...]], Atom] = {}
        self._depth = 0
        self._told = -1
        self._fresh = 0

    # ---- lines

    def line(self, text: str) -> None:
        """Append a line."""
        if text:
            self.lines.append(STEP * self._depth + text)

    def at(self, site: int) -> None:
        """Set the site of the lines that follow; a comment says where it changes."""
        if 0 <= site < len(self.program.sites) and site != self._told:
            self._told = site
            where = self.program.sites[site]
            self.line(f"/* {safe_text(f'{where.rule}, {where.path}:{int(where.line)}')} */")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Put the lines emitted inside between braces after this head."""
        self.line(f"{head} {{")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
        self.lines.append(f"{STEP * self._depth}}}" if self._depth else "}\n")

    # ---- names

    def fresh(self, stem: str, sort: type[Atom] = Atom) -> Atom:
        """Return a name that is used nowhere else."""
        self._fresh += 1
        return sort(f"{stem}{self._fresh}_")  # locals end in numbers

    def table(self, values: Sequence[int | str], type_: str = "W") -> Atom:
        """Return the name of a constant table with these numbers (or names of tables)."""
        key = (type_, tuple(values))
        if key not in self._known:
            name = self._known[key] = self.fresh("t")
            self.tables.append(f"KEPT const {type_} {name}[{max(len(values), 1)}] = {{{rows(values)}}};")
        return self._known[key]

    def text(self) -> str:
        """Return all tables, all declarations, then all functions."""
        return "\n".join([*self.tables, "", *self.heads, "", *self.lines, ""])


def number(value: int) -> str:
    """Return a number as C reads it, in 64 bits."""
    if value == -(1 << 63):
        return "INT64_MIN"
    if value >= 1 << 63:
        return f"UINT64_C({value})"
    return str(value) if -(1 << 31) < value < 1 << 31 else f"INT64_C({value})"


def rows(values: Sequence[int | str]) -> str:
    """Return numbers, or names of tables, as what stands between the braces of a C array."""
    texts = [number(value) if isinstance(value, int) else value for value in values] or ["0"]
    return ",\n    ".join(", ".join(texts[start : start + 24]) for start in range(0, len(texts), 24))


def readable(text: str) -> str:
    """Reformat C with one statement a line, also within statement expressions."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= WIDE or ("({" not in line and "; " not in line):
            lines.append(line)
        else:
            lines += _broken(line.strip(), (len(line) - len(line.lstrip())) // len(STEP))
    return "\n".join(lines)


def _broken(text: str, depth: int) -> list[str]:
    """Return a long line in several, after braces and semicolons that are not between plain parentheses."""
    lines: list[str] = []
    open_: list[str] = []
    start = 0

    def end(place: int) -> None:
        nonlocal start
        part = text[start:place].strip()
        if part:
            lines.append(STEP * (depth + open_.count("{")) + part)
        start = place

    for place, sign in enumerate(text):
        if sign == "(":
            open_.append(sign)
        elif sign == ")":
            open_.pop()
        elif sign == "{":
            end(place + 1)
            open_.append(sign)
        elif sign == "}":
            end(place)
            open_.pop()
            if text[place + 1 : place + 2] not in (")", ";", ","):
                end(place + 1)
        elif sign == ";" and (not open_ or open_[-1] == "{"):
            end(place + 1)
    end(len(text))
    return lines


@cache
def header(name: str, folder: Path = Path(__file__).parent / "c") -> str:
    """Return a part of the runtime in C."""
    return (folder / f"{name}.h").read_text(encoding="utf-8")
