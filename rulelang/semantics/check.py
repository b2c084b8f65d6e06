"""The stages of checking, in order, each small and listed in one table."""

from __future__ import annotations

from collections.abc import Callable

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.model import Ruleset
from rulelang.semantics.base import Shared
from rulelang.semantics.citations import check_citations
from rulelang.semantics.declarations import Declarations
from rulelang.semantics.dispatch import Dispatch, check_priorities
from rulelang.semantics.exchanges import check_exchanges
from rulelang.semantics.flow import Flow
from rulelang.semantics.symbols import Checked, Names
from rulelang.semantics.tables import Tables
from rulelang.semantics.visibility import Visibility


def check(ruleset: Ruleset, diagnostics: Diagnostics) -> Checked | None:
    """Checks a whole ruleset. Gives the checked tree, or None if there were errors (all are in `diagnostics`)."""
    shared = check_shared(ruleset, diagnostics)
    return shared.checked if shared is not None else None


def check_shared(ruleset: Ruleset, diagnostics: Diagnostics) -> Shared | None:
    """As `check`; what it gives knows the names too, so that further texts can be checked against the ruleset."""
    checked = Checked(ruleset)
    shared = Shared(checked, Names(diagnostics), diagnostics)
    declarations = Declarations(shared)
    stages: list[tuple[str, Callable[[], None]]] = [
        ("nouns: types, kinds, pieces, zones, variables", lambda: Tables(shared).build()),
        ("verbs: parse and declare", declarations.read),
        ("verbs: names and parameters", declarations.declare),
        ("citations", lambda: check_citations(shared, declarations.declared)),
        ("verbs: bodies", declarations.check),
        ("modifiers: one order", lambda: check_priorities(shared)),
        ("flow: who acts, recursion, endless loops", lambda: Flow(shared).run()),
        ("exchanges: weights", lambda: check_exchanges(shared)),
    ]
    # These build on a tree without a fault.
    late: list[tuple[str, Callable[[], None]]] = [
        ("verbs: events, quantities, abilities, trades", lambda: Dispatch(shared).build()),
        ("visibility: what a seat is asked", lambda: Visibility(shared).run()),
    ]
    for _, stage in stages:
        stage()
    for _, stage in late:
        if not diagnostics.has_errors:
            stage()
    return None if diagnostics.has_errors else shared
