"""Of which rows a piece can be, as far as its attributes tell: `c in hand where it.colour = red` is nothing blue.

Enters: an expression of the checked tree, what is known of its locals. Leaves: the rows, or None for any of the kind;
of a condition whether it surely holds or surely fails.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

from rulelang.semantics.tree.core import CExpr, Local, binding, expressions, mentions, subexpressions
from rulelang.semantics.tree.symbols import Bodies, DefinitionSym, KindSym, ProcedureSym
from rulelang.semantics.tree.types import PieceT, SetT, Type, bare
from rulelang.vocabulary.computing import COMPARES
from rulelang.vocabulary.operations import SOURCES

Rows = frozenset[DefinitionSym] | None
Lookup = Callable[[Local], Rows]

DEEPEST = 8
"""So many functions that call each other are looked into."""
FEW = 8
"""Of more rows those are looked at together that have the same values in what a condition reads."""


class RowFinder:
    """Answers for one ruleset."""

    def __init__(self, kind: Callable[[str], KindSym], bodies: Bodies) -> None:
        self._kind = kind
        self._bodies = bodies
        self._narrowed: dict[tuple[object, ...], Rows] = {}
        self._read: dict[tuple[Local, int], frozenset[int] | None] = {}
        self._all: dict[str, frozenset[DefinitionSym]] = {}
        self._groups: dict[tuple[str, frozenset[int]], dict[tuple[object, ...], list[DefinitionSym]]] = {}

    def rows(self, expr: CExpr, known: Lookup, depth: int = 0) -> Rows:
        """Return the rows that a piece, or the pieces of a collection, can be of."""
        first = expr.args[0] if expr.args else None
        match expr.op:
            case "local":
                return known(first) if isinstance(first, Local) else None
            case "filter":
                local, collection, body = binding(expr)
                return self.narrowed(body, local, self.rows(collection, known, depth), known, True, depth)
            case op if op in SOURCES:
                return self.rows(expr.args[SOURCES[op]], known, depth)
            case "active":
                return frozenset(arg for arg in expr.args if isinstance(arg, DefinitionSym))
            case "map":
                local, collection, body = binding(expr)
                rows = self.rows(collection, known, depth)
                return self.rows(body, with_rows(known, {local: rows}), depth)
            case "union" | "if" | "list":
                parts = expressions(expr.args)[1 if expr.op == "if" else 0 :]
                return self._either([self.rows(part, known, depth) for part in parts])
            case "call":
                called = self._inside(expr, known, depth)
                return self.rows(*called, depth + 1) if called is not None else None
        return None

    def _either(self, parts: list[Rows]) -> Rows:
        """Return the rows that any of the parts may be; None if those of one part are unknown."""
        union: frozenset[DefinitionSym] = frozenset()
        for part in parts:
            if part is None:
                return None
            union |= part
        return union

    def narrowed(
        self, condition: CExpr, local: Local, candidates: Rows, known: Lookup, holds: bool, depth: int = 0
    ) -> Rows:
        """Return those candidate rows of a local (None: all of its kind) for which a condition may hold, or may
        fail."""
        kind = piece_kind(local.type)
        if kind is None:
            return candidates
        if not _is_common(condition, local):
            return self._passing(condition, local, kind, candidates, known, holds, depth)
        # Hundreds of cards ask the same, of all rows.
        memo = (_form(condition, local), kind, candidates, holds, depth)
        if memo not in self._narrowed:
            self._narrowed[memo] = self._passing(condition, local, kind, candidates, known, holds, depth)
        return self._narrowed[memo]

    def _passing(
        self, condition: CExpr, local: Local, kind: str, candidates: Rows, known: Lookup, holds: bool, depth: int
    ) -> Rows:
        """Return what `narrowed` does for a local that holds a piece of a kind."""
        if condition.op == "not":
            return self.narrowed(expressions(condition.args)[0], local, candidates, known, not holds, depth)
        if condition.op == "call" and (called := self._of_parameter(condition, local, known, depth)) is not None:
            value, parameter, inside = called
            return self.narrowed(value, parameter, candidates, inside, holds, depth + 1)
        if kind not in self._all:
            self._all[kind] = frozenset(self._kind(kind).definitions)
        rows = self._all[kind] if candidates is None else candidates
        if condition.op in ("and", "or"):
            sides = [self.narrowed(arg, local, candidates, known, holds, depth) for arg in expressions(condition.args)]
            less = [side for side in sides if side is not None and side is not rows]
            if (condition.op == "and") == holds:
                passing = rows if not less else frozenset.intersection(*less)
            else:
                passing = rows if len(less) < len(sides) else frozenset.union(*less)
        elif condition.op == "is_def" and condition.args[0].args[:1] == (local,) and condition.args[0].op == "local":
            named = rows.intersection(arg for arg in condition.args if isinstance(arg, DefinitionSym))
            passing = named if holds else rows - named
        else:
            columns = self._columns(condition, local, depth) if len(rows) > FEW else None
            alike = [[row] for row in rows] if columns is None else self._alike(kind, columns)
            may = [
                some
                for some in alike
                if self.truth(condition, with_rows(known, {local: frozenset(some[:1])}), depth) is not (not holds)
            ]
            passing = rows if len(may) == len(alike) else rows.intersection(chain.from_iterable(may))
        return candidates if candidates is None and len(passing) == len(rows) else passing

    def _columns(self, condition: CExpr, local: Local, depth: int) -> frozenset[int] | None:
        """Return the columns of a piece that a condition reads, itself or in functions that it calls; None if it reads
        the piece in other ways. Memoised by the local of a function, its parameter."""
        if (local, depth) in self._read:
            return self._read[local, depth]
        columns, left = set[int](), 0
        for part in subexpressions(condition):
            left += part.op == "local" and part.args[0] is local
            if part.op == "attr" and part.args[2].args[:1] == (local,):
                columns.add(part.args[1])
                left -= 1
            if part.op != "call":
                continue
            body = self._bodies[part.args[0]]
            for parameter, arg in zip(body.parameters, part.args[1:], strict=False):
                if isinstance(arg, CExpr) and arg.op == "local" and arg.args[0] is local:
                    inside = body.value if depth < DEEPEST else None  # `truth` looks no further either
                    further = self._columns(inside, parameter, depth + 1) if inside is not None else frozenset[int]()
                    if inside is not None:
                        self._read[parameter, depth + 1] = further
                    columns.update(further or ())
                    left -= further is not None
        return frozenset(columns) if not left else None

    def _alike(self, kind: str, columns: frozenset[int]) -> Collection[Sequence[DefinitionSym]]:
        """Return the rows of a kind, those together that have the same values in these columns; memoised."""
        groups = self._groups.get((kind, columns))
        if groups is None:
            groups = self._groups[kind, columns] = {}
            for row in self._kind(kind).definitions:
                cells = [row.attributes[column] for column in sorted(columns)]
                key = tuple(cell.args[0] if cell.op == "const" else None for cell in cells)
                groups.setdefault(key, []).append(row)
        return groups.values()

    def truth(self, expr: CExpr, known: Lookup, depth: int = 0) -> bool | None:
        """Return whether a condition surely holds or surely fails; None if that is not known."""
        args = expressions(expr.args)
        if expr.op == "not":
            inner = self.truth(args[0], known, depth)
            return None if inner is None else not inner
        if expr.op in ("and", "or"):
            sides = [self.truth(arg, known, depth) for arg in args]
            sure = expr.op == "or"
            return sure if sure in sides else None if None in sides else not sure
        if expr.op == "is_def":
            rows = self.rows(args[0], known, depth)
            if rows is None:
                return None
            mine = rows & {arg for arg in expr.args if isinstance(arg, DefinitionSym)}
            return True if mine == rows and rows else None if mine else False
        if expr.op == "member" and args[1].op == "list":
            of = [self._values(arg, known, depth) for arg in args[1].args if isinstance(arg, CExpr)]
            members = [value for values in of if values is not None and len(values) == 1 for value in values]
            value = self._values(args[0], known, depth)
            if value is None or len(members) < len(of):
                return None
            return True if value <= set(members) else None if value & set(members) else False
        if expr.op in COMPARES:
            left, right = (self._values(arg, known, depth) for arg in args)
            if left is None or right is None:
                return None
            answers = {bool(COMPARES[expr.op](a, b)) for a in left for b in right}
            return answers.pop() if len(answers) == 1 else None
        if expr.op == "call":
            called = self._inside(expr, known, depth)
            return self.truth(*called, depth + 1) if called is not None else None
        values = self._values(expr, known, depth)
        return bool(next(iter(values))) if values is not None and len(values) == 1 else None

    def _values(self, expr: CExpr, known: Lookup, depth: int) -> frozenset[int] | None:
        """Return all values that an expression can have, where rows tell; None if they don't."""
        first = expr.args[0] if expr.args else None
        if expr.op == "const" and isinstance(first, int):
            return frozenset((int(first),))
        if expr.op == "cast" and isinstance(first, CExpr):
            return self._values(first, known, depth)
        if expr.op == "attr":
            _, position, piece = expr.args
            rows = self.rows(piece, known, depth)
            cells = [row.attributes[position] for row in rows] if rows else []
            constants = [cell.args[0] for cell in cells if cell.op == "const" and isinstance(cell.args[0], int)]
            return frozenset(map(int, constants)) if constants and len(constants) == len(cells) else None
        return None

    def _of_parameter(self, call: CExpr, local: Local, known: Lookup, depth: int) -> tuple[CExpr, Local, Lookup] | None:
        """Return the body of a called function that gets a local as one of its pieces, the parameter that stands for
        it, and the lookup for the others."""
        called = self._inside(call, known, depth)
        if called is None:
            return None
        parameters = zip(self._bodies[call.args[0]].parameters, call.args[1:], strict=False)
        of_it = [
            (parameter, arg)
            for parameter, arg in parameters
            if isinstance(arg, CExpr) and piece_kind(parameter.type) is not None and mentions(arg, local)
        ]
        if len(of_it) != 1 or of_it[0][1].op != "local":
            return None
        return called[0], of_it[0][0], called[1]

    def _inside(self, expr: CExpr, known: Lookup, depth: int) -> tuple[CExpr, Lookup] | None:
        """Return the body of a called function, and the lookup for its parameters."""
        sym, *arguments = expr.args
        body = self._bodies[sym] if isinstance(sym, ProcedureSym) else None
        if body is None or body.value is None or depth >= DEEPEST:
            return None
        rows_of = {
            local: self.rows(argument, known, depth)
            for local, argument in zip(body.parameters, arguments, strict=False)
            if isinstance(argument, CExpr) and piece_kind(local.type) is not None
        }
        return body.value, with_rows(lambda _: None, rows_of)


def _form(expr: CExpr, local: Local) -> tuple[object, ...]:
    """Return an expression without its place, equal for those that ask the same of a local."""
    return expr.op, *(
        _form(arg, local) if isinstance(arg, CExpr) else None if arg is local else arg for arg in expr.args
    )


def _is_common(condition: CExpr, local: Local) -> bool:
    """Return whether a condition depends on the rows of no other local and names no row, so that others may ask the
    same."""
    args = [arg for part in subexpressions(condition) for arg in part.args if isinstance(arg, Local | DefinitionSym)]
    return all(isinstance(arg, Local) and (arg is local or piece_kind(arg.type) is None) for arg in args)


def piece_kind(t: Type) -> str | None:
    """Return the kind of a piece, or of the pieces of a collection; None for anything else."""
    inner = bare(t)
    if isinstance(inner, SetT):
        inner = bare(inner.element)
    return inner.kind if isinstance(inner, PieceT) else None


def with_rows(known: Lookup, more: Mapping[Local, Rows]) -> Lookup:
    """Extend a lookup by these rows."""
    return lambda local: more[local] if local in more else known(local)
