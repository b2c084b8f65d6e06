"""The stages of checking, in order, each small and listed in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.lost import Lost
from rulelang.ruleset.model import Ruleset
from rulelang.semantics import (
    bags,
    builtins,
    calls,
    changes,
    choices,
    declarations,
    expressions,
    grids,
    menus,
    moves,
    operators,
    payments,
    statements,
    tables,
)
from rulelang.semantics.base import Shared
from rulelang.semantics.citations import check_citations
from rulelang.semantics.dispatch import check_priorities, dispatch
from rulelang.semantics.exchanges import check_exchanges
from rulelang.semantics.flow import Flow
from rulelang.semantics.lints.conditions import lint_conditions
from rulelang.semantics.lints.facts import gather
from rulelang.semantics.lints.known import Known
from rulelang.semantics.lints.presence import lint_presence
from rulelang.semantics.lints.reach import lint_reach
from rulelang.semantics.lints.sameness import lint_sameness
from rulelang.semantics.lints.usage import lint_usage
from rulelang.semantics.lints.words import lint_words
from rulelang.semantics.overlays import explain_removed
from rulelang.semantics.room import check_room
from rulelang.semantics.sizes import check_sizes
from rulelang.semantics.starts import check_starts
from rulelang.semantics.symbols import Checked, Names, ProcedureSym
from rulelang.semantics.visibility import check_visibility
from rulelang.semantics.words import check_words

REGISTERED = (
    *(bags, builtins, calls, changes, choices, expressions),
    *(grids, menus, moves, operators, payments, statements),
)
"""What checks each class of expressions and of statements."""


def check(ruleset: Ruleset, diagnostics: Diagnostics) -> Checked | None:
    """Checks a whole ruleset. Gives the checked tree, or None if there were errors (all are in `diagnostics`)."""
    shared = check_shared(ruleset, diagnostics)
    return shared.checked if shared is not None else None


def check_shared(ruleset: Ruleset, diagnostics: Diagnostics) -> Shared | None:
    """As `check`; what it gives knows the names too, so that further texts can be checked against the ruleset."""
    checked = Checked(ruleset)
    shared = Shared(checked, Names(diagnostics), diagnostics, removed=dict(ruleset.removed))
    stages: list[tuple[str, Callable[[], None]]] = [
        ("nouns: types, kinds, pieces, zones, variables", lambda: tables.build(shared)),
        ("sizes", lambda: check_sizes(shared)),
        ("verbs: parse and declare", lambda: declarations.read(shared)),
        ("verbs: names and parameters", lambda: declarations.declare(shared)),
        ("citations", lambda: check_citations(shared, [d for d, _ in shared.declared])),
        ("verbs: bodies", lambda: declarations.check(shared)),
        ("modifiers: one order", lambda: check_priorities(shared)),
        ("flow: who acts, recursion, endless loops", lambda: Flow(shared).run()),
        ("exchanges: weights", lambda: check_exchanges(shared)),
    ]
    # These build on a tree without a fault.
    late: list[tuple[str, Callable[[], None]]] = [
        ("room for what starts in a zone", lambda: check_room(shared)),
        ("verbs: events, quantities, abilities, trades", lambda: dispatch(shared)),
        ("what bags start with, what the setup deals", lambda: check_starts(shared)),
        ("visibility: what a seat is asked", lambda: check_visibility(shared)),
    ]
    for _, stage in stages:
        stage()
    for _, stage in late:
        if not diagnostics.has_errors:
            stage()
    check_words(shared)
    explain_removed(diagnostics, shared.removed)
    return None if diagnostics.has_errors else shared


def check_rest(part: Ruleset, lost: Lost, diagnostics: Diagnostics) -> None:
    """Checks what can be understood of a ruleset whose files have errors; what those may explain is not said again."""
    findings = Diagnostics()
    if lost.most:
        declarations.read(Shared(Checked(part), Names(findings), findings))
    else:
        check_shared(part, findings)
    for finding in findings:
        if not lost.explains(finding):
            diagnostics.add(finding)


def lint(shared: Shared, tests: Iterable[ProcedureSym] = ()) -> None:
    """Warns of what a faultless ruleset says that was hardly meant; `tests` are the procedures of its scenarios."""
    facts = gather(shared.checked, tests)
    known = Known(shared.checked, shared.eliminates)
    told: set[Span] = set()
    diagnostics = shared.diagnostics
    stages: list[tuple[str, Callable[[], None]]] = [
        ("declared and not used", lambda: lint_usage(facts, diagnostics)),
        ("pieces and zones that are not in play", lambda: told.update(lint_presence(facts, known, diagnostics))),
        ("rules, effects and statements that never run", lambda: lint_reach(facts, diagnostics)),
        ("conditions and costs that are settled", lambda: lint_conditions(facts, known, told, diagnostics)),
        ("what makes no difference", lambda: lint_sameness(facts, known, diagnostics)),
        ("words in every language", lambda: lint_words(shared.checked, facts, diagnostics)),
    ]
    for _, stage in stages:
        stage()
