"""Positions as players write them on one line, such as the Forsyth-Edwards notation of chess: `notation: position`.

Enters: a ruleset, and such a line or what is seen of a game. Leaves: what a scenario's `given` says of the position,
as DSL texts; the line.

A line is a template with fields. Forms of fields are those of that notation (Edwards, PGN specification, 1994, 16.1):
cells row by row from the top with `/` between, runs of empty ones as a number; rights as letters; `-` for nothing.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rulelang.diagnostics import counted
from rulelang.ruleset.grids import cell_name
from rulelang.ruleset.model import GridDecl, NotationDecl, Signs, VariableDecl, WrittenRuleset, ZoneDecl

NOTHING = "-"
LONGEST = 1000
"""No board has so many columns."""
NUMBER = "number"
"""The field of the number under which the turn is counted: one for a turn of each seat."""
FIELD = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
"""A field of a template."""
_OF_EACH = "write one sign for each seat, such as `{name}: Aa`"

Given = tuple[str, str | None]
"""A zone or variable as a DSL text, and the piece or the DSL text of the value; None for an empty zone."""


class PositionError(ValueError):
    """A notation of positions that does not fit the ruleset, or a line that does not fit the notation; `hint`: what to
    write."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class LineField(ABC):
    """One field of a line.

    Attributes:
        name: of the zone or variable. signs: what stands for each value, as it is written in rules or, of a piece, in
            scenarios; none for what is written as it is.
    """

    name: str
    signs: Mapping[str, str]

    pattern = r"[A-Za-z0-9_]+|-"
    """A regular expression of what may stand there."""
    is_zone = False

    def _value(self, sign: str) -> str:
        """Return the value that a sign stands for."""
        for value, own in self.signs.items():
            if own == sign:
                return value
        signs = ", ".join(f"`{own}`" for own in self.signs.values())
        raise PositionError(f"`{sign}` is no sign of `{self.name}`", f"its signs are {signs}")

    @abstractmethod
    def read(self, text: str) -> Iterator[Given]:
        """Yield what is given.

        Raises:
            PositionError: the text holds no such value.
        """

    @abstractmethod
    def write(self, seen: Mapping[str, Any]) -> str:
        """Return the field's text, by an observation (`State.observation`).

        Raises:
            KeyError: this is not seen there.
        """


@dataclass(frozen=True)
class TurnNumber(LineField):
    """The number of the turn, which is counted anew from a given position."""

    pattern = "[0-9]+"

    def read(self, text: str) -> Iterator[Given]:
        yield from ()

    def write(self, seen: Mapping[str, Any]) -> str:
        return str(max(seen["turn"] - 1, 0) // seen["players"] + 1)


@dataclass(frozen=True)
class Single(LineField):
    """A variable that there is once: a player, a number, a value, a cell."""

    def read(self, text: str) -> Iterator[Given]:
        yield self.name, "none" if text == NOTHING else self._value(text) if self.signs else text

    def write(self, seen: Mapping[str, Any]) -> str:
        value = seen["variables"][self.name]
        return NOTHING if value is None else _sign(self.signs, value)


@dataclass(frozen=True)
class Truths(LineField):
    """A truth of several values, or of each seat: the signs of those of which it holds."""

    pattern = r"[^\s/]+?"

    def read(self, text: str) -> Iterator[Given]:
        held = {self._value(sign) for sign in text if text != NOTHING}
        yield from ((value, "true" if value in held else "false") for value in self.signs)

    def write(self, seen: Mapping[str, Any]) -> str:
        held = {_as_text(key) for key, value in seen["variables"].items() if value is True}
        return "".join(sign for value, sign in self.signs.items() if value in held) or NOTHING


@dataclass(frozen=True)
class Cells(LineField):
    """What lies on a board, or a variable of its cells: row by row from the top."""

    grid: GridDecl
    is_zone: bool
    pattern = r"[^\s/]+?(?:/[^\s/]+?)*?"

    def read(self, text: str) -> Iterator[Given]:
        rows = self._rows(text)
        for line, row in enumerate(rows):
            for column, value in enumerate(row):
                cell = cell_name(self.grid, (column, len(rows) - 1 - line if self.grid.upward else line))
                yield f"{self.name}[{cell}]", value if self.is_zone or value is not None else "none"

    def _rows(self, text: str) -> list[list[str | None]]:
        """Return what the cells of each row hold."""
        rows = [list(self._row(row)) for row in text.split("/")]
        wide, high = (int(side.text) if side.text.isdecimal() else 0 for side in (self.grid.columns, self.grid.rows))
        if high and len(rows) != high:
            raise PositionError(f"`{self.name}` has {counted(len(rows), 'row')} there, and the board {high}")
        wide = wide or len(rows[0])
        for line, row in enumerate(rows, 1):
            if len(row) != wide:
                raise PositionError(f"row {line} of `{self.name}` has {counted(len(row), 'cell')}, not {wide}")
        return rows

    def _row(self, text: str) -> Iterator[str | None]:
        """Yield what the cells of a row hold."""
        for part in re.findall(r"[0-9]+|[^0-9]", text):
            yield from [None] * min(int(part[:4]), LONGEST) if part.isdecimal() else [self._value(part)]

    def write(self, seen: Mapping[str, Any]) -> str:
        rows: dict[int, list[str]] = {}
        contents = seen["zones" if self.is_zone else "variables"]
        for key in (key for key in contents if key.partition("[")[0] == self.name):
            row = rows.setdefault(int("".join(filter(str.isdecimal, key.partition("[")[2]))), [])
            value = contents[key]
            if self.is_zone:
                row.append("".join(self.signs[piece] for piece in value["pieces"]))
            else:
                row.append("" if value is None else _sign(self.signs, value))
        if not rows:
            raise KeyError(self.name)
        lines = [rows[row] for row in sorted(rows, reverse=self.grid.upward)]
        return "/".join("".join(_runs(line)) for line in lines)


def _runs(line: list[str]) -> Iterator[str]:
    """Yield the signs of a row, runs of empty cells as a number."""
    for sign, run in groupby(line):
        cells = [*run]
        yield "".join(cells) if sign else str(len(cells))


def _sign(signs: Mapping[str, str], value: object) -> str:
    """Return the sign of a value of an observation, in which a seat is its number; without one as rules write it."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return signs.get(f"seat({text})", signs.get(text, text))


def _as_text(key: str) -> str:
    """Return the name that an observation has for a variable as a DSL text: `seat(0).may[short]` for `may[0,short]`."""
    name, _, indices = key.partition("[")
    first, *rest = indices.rstrip("]").split(",")
    if not first.isdecimal():
        return key
    return f"seat({first}).{name}" + (f"[{','.join(rest)}]" if rest else "")


class PositionNotation:
    """The notation of a ruleset's positions.

    Raises:
        PositionError: it does not fit the ruleset.
    """

    def __init__(self, ruleset: WrittenRuleset, notation: NotationDecl) -> None:
        self._ruleset, self._signs = ruleset, notation.signs
        texts = FIELD.split(notation.position.text.strip() if notation.position is not None else "")
        self._texts = [re.sub(r"\s+", " ", text) for text in texts[::2]]
        self.fields = tuple(self._field(name) for name in texts[1::2])
        for name in self._signs:
            if name not in texts[1::2]:
                raise PositionError(f"`{name}` has signs and is no field of the notation", f"write `{{{name}}}` in it")
        for field in self.fields:
            for sign, values in groupby(sorted(field.signs, key=field.signs.__getitem__), field.signs.__getitem__):
                if len(twice := [*values]) > 1:
                    message = f"`{sign}` of `{field.name}` is both `{twice[0]}` and `{twice[1]}`"
                    raise PositionError(message, "give each a sign of its own")

    def read(self, line: str) -> Iterator[tuple[bool, Given]]:
        """Yield what a line gives, and whether that is a zone; fields at the end may be left out and stay as they are.

        Raises:
            PositionError: it does not fit the notation.
        """
        pattern = ""
        for text, field in reversed([*zip(self._texts, self.fields, strict=False)]):
            literal = r"\s+".join(map(re.escape, text.split(" ")))
            pattern = f"{literal}({field.pattern})" + (f"(?:{pattern})?" if pattern else "")
        match = re.fullmatch(pattern + re.escape(self._texts[-1]), line.strip())
        if match is None:
            form = " ".join(f"{text}{field.name}" for text, field in zip(self._texts, self.fields, strict=False))
            raise PositionError(f"`{line.strip()}` is no position of {self._ruleset.name}", f"it reads: {form}")
        for field, text in zip(self.fields, match.groups(), strict=True):
            if text is not None:
                yield from ((field.is_zone, given) for given in field.read(text))

    def write(self, seen: Mapping[str, Any]) -> str:
        """Return the line of a position, by what is seen of it (`State.observation`)."""
        texts = (text + field.write(seen) for text, field in zip(self._texts, self.fields, strict=False))
        return "".join(texts) + self._texts[-1]

    def _field(self, name: str) -> LineField:
        """Return the field for a zone or variable."""
        signs = self._signs.get(name, {})
        if name == NUMBER:
            return TurnNumber(name, {})
        both: tuple[ZoneDecl | VariableDecl, ...] = (*self._ruleset.zones, *self._ruleset.variables)
        declared = next((one for one in both if one.name == name), None)
        if declared is None:
            raise PositionError(f"there is no zone and no variable `{name}`", "a field is the name of one, or `number`")
        grid = next((g for g in self._ruleset.grids if declared.per == (g.name,)), None)
        if grid is not None:
            is_zone = isinstance(declared, ZoneDecl)
            values = self._pieces(declared, signs) if is_zone else self._values(declared, signs)
            return Cells(name, values, grid, is_zone)
        if isinstance(declared, VariableDecl) and not declared.per:
            return Single(name, self._values(declared, signs) if signs else {})
        if isinstance(declared, VariableDecl) and declared.type.text.strip() == "bool":
            return Truths(name, self._truths(declared, signs))
        message = f"`{name}` can't be written on a line"
        raise PositionError(message, "what can is a zone or variable of a board's cells, a single value, and `bool`s")

    def _pieces(self, zone: ZoneDecl | VariableDecl, signs: Signs) -> dict[str, str]:
        """Return the signs of the pieces of a zone's kind, by what scenarios call them."""
        assert isinstance(zone, ZoneDecl)
        values: dict[str, str] = {}
        for row in (row for row in self._ruleset.pieces if row.kind == zone.holds):
            own = signs.get(row.id) if isinstance(signs, Mapping) else None
            if not own:
                raise PositionError(f"`{row.id}` has no sign for `{zone.name}`", _OF_EACH.format(name=row.id))
            values |= self._of_seats(row.id, own) if row.per_player else {row.id: own}
        return values

    def _values(self, variable: ZoneDecl | VariableDecl, signs: Signs) -> dict[str, str]:
        """Return the signs of a variable's values, as they are written in rules."""
        if isinstance(signs, Mapping):
            return {value: str(sign) for value, sign in signs.items()}
        return {f"seat({seat})": sign for seat, sign in enumerate(signs)}

    def _truths(self, variable: VariableDecl, signs: Signs) -> dict[str, str]:
        """Return the signs of each index of a variable, as the DSL text that reads it there."""
        name = variable.name
        if not signs:
            raise PositionError(f"`{name}` has no signs", _OF_EACH.format(name=name))
        if isinstance(signs, str):
            return {f"seat({seat}).{name}": sign for seat, sign in enumerate(signs)}
        if variable.per[0] != "player":
            return {f"{name}[{value}]": sign for value, sign in signs.items()}
        seats = range(max(map(len, signs.values()), default=0))
        return {f"seat({n}).{name}[{value}]": own[n] for n in seats for value, own in signs.items() if n < len(own)}

    def _of_seats(self, id_: str, own: str) -> dict[str, str]:
        """Return the signs of each seat's pieces of a row."""
        most = max(self._ruleset.players)
        if len(own) < most:
            message = f"`{id_}` has {counted(len(own), 'sign')}, and there are {counted(most, 'seat')}"
            raise PositionError(message, _OF_EACH.format(name=id_))
        return {f"{id_}@{seat}": sign for seat, sign in enumerate(own)}
