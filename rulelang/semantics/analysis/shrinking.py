"""Functions that call themselves with ever shorter lists, and so need not say how deep.

Enters: the checked tree of a function. Leaves: whether in each of its calls of itself one parameter, the same in all of
them, is handed on as a part of what it was given, less one of its elements: a well-founded measure (Floyd 1967), here
the number of elements. What an element is: a local that goes through the list, or through another collection where it
is asked to be in the list.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.limits import LEVELS
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    CExpr,
    Local,
    binding,
    conjunction,
    expressions,
    own_expressions,
    subexpressions,
)
from rulelang.semantics.tree.symbols import Checked, ProcedureSym
from rulelang.semantics.tree.types import SetT, bare
from rulelang.vocabulary.operations import BINDING, SELECTIONS, SOURCES, SUBSET

Sources = dict[Local, list[CExpr]]
"""What each local of a loop goes through."""


def give_depths(checked: Checked) -> None:
    """Let the functions that hand themselves ever shorter lists call themselves as deep as anything may."""
    for procedure in checked.procedures:
        if procedure.pure and not procedure.depth and is_shrinking(procedure):
            procedure.depth = LEVELS


def is_shrinking(procedure: ProcedureSym) -> bool:
    """Return whether a function calls itself with a list less one of its elements wherever it does."""
    sources, calls = Sources(), list[CExpr]()
    for expr in _expressions(procedure, sources):
        if expr.op in BINDING - SELECTIONS:  # what goes through a selection is bound as its elements are
            sources.setdefault(expr.args[0], []).append(expr.args[1])
        if expr.op == "call" and expr.args[0] is procedure:
            calls.append(expr)
    lists = [
        (place, param) for place, param in enumerate(procedure.body.parameters) if isinstance(bare(param.type), SetT)
    ]
    return bool(calls) and any(
        all(_is_less(expressions(call.args)[place], param, sources) for call in calls) for place, param in lists
    )


def _expressions(procedure: ProcedureSym, sources: Sources) -> Iterator[CExpr]:
    """Yield all expressions of a function; note what its loops go through."""
    for statement in walk(procedure.body.statements):
        if isinstance(statement, core.CFor):
            sources.setdefault(statement.local, []).append(statement.collection)
        for expr in own_expressions(statement):
            yield from subexpressions(expr)


def _is_less(value: CExpr, param: Local, sources: Sources) -> bool:
    """Return whether a list is a part of what a parameter was given, without one of its elements."""
    while value.op in SUBSET:
        base = value.args[SOURCES[value.op]]
        if value.op == "difference" and _is(base, param) and value.args[1].op == "list":
            return any(_is_in(element, param, sources) for element in expressions(value.args[1].args))
        value = base
    return False


def _is_in(element: CExpr, param: Local, sources: Sources) -> bool:
    """Return whether a value is surely an element of what a parameter was given."""
    if element.op != "local":
        return False
    among = sources.get(element.args[0], [])
    return len(among) == 1 and _is_part(among[0], param)


def _is_part(collection: CExpr, param: Local) -> bool:
    """Return whether all elements of a collection are among those that a parameter was given."""
    while not _is(collection, param):
        if collection.op not in SUBSET:
            return False
        if collection.op == "filter":
            it, _, condition = binding(collection)
            tests = (part.args for part in conjunction(condition) if part.op == "member")
            if any(_is(element, it) and _is(among, param) for element, among in tests):
                return True
        collection = collection.args[SOURCES[collection.op]]
    return True


def _is(value: CExpr, local: Local) -> bool:
    """Return whether a value is that of a local."""
    return value.op == "local" and value.args[0] is local
