"""All checks of a ruleset, in order: the checked tree, the bodies, who may know what; then the lints.

Enters: a `WrittenRuleset`. Leaves: `Analysed`, which is lowered, or diagnostics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.missing import Lost
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.own_names import own_names
from rulelang.semantics.analysis.flow import Flow
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.analysis.shrinking import give_depths
from rulelang.semantics.checks.citations import check_citations
from rulelang.semantics.checks.exchanges import check_exchanges
from rulelang.semantics.checks.sizes import check_sizes
from rulelang.semantics.checks.starts import check_starts
from rulelang.semantics.checks.words import check_words
from rulelang.semantics.checks.zone_capacities import check_room
from rulelang.semantics.combination.dispatch import dispatch
from rulelang.semantics.lints.conditions import lint_conditions
from rulelang.semantics.lints.facts import calls_of, gather
from rulelang.semantics.lints.locations import Calls
from rulelang.semantics.lints.loops import lint_loops
from rulelang.semantics.lints.presence import lint_presence
from rulelang.semantics.lints.reach import lint_reach
from rulelang.semantics.lints.reactions import lint_reactions
from rulelang.semantics.lints.rounds import lint_rounds
from rulelang.semantics.lints.sameness import lint_sameness
from rulelang.semantics.lints.usage import lint_usage
from rulelang.semantics.lints.versions import lint_versions
from rulelang.semantics.lints.words import lint_words
from rulelang.semantics.tree.shared import Analysed, Shared
from rulelang.semantics.tree.symbols import Bodies, Checked, ProcedureSym, Secrets, SymbolTable
from rulelang.semantics.tree.uses import Uses, note_members
from rulelang.semantics.typing import (
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
    positions,
    statements,
    tables,
    values,
)
from rulelang.semantics.typing.overlays import explain_removed
from rulelang.semantics.typing.rule_texts import check_priorities
from rulelang.semantics.visibility.check import check_visibility

REGISTERED = (
    *(bags, builtins, calls, changes, choices, expressions),
    *(grids, menus, moves, operators, payments, statements),
)
"""What checks each class of expressions and of statements."""


def analyse(ruleset: WrittenRuleset, diagnostics: Diagnostics, uses: Uses | None = None) -> Analysed | None:
    """Check a whole ruleset. Return what is to be lowered, or None if there were errors (all are in `diagnostics`).

    Args:
        uses: receives the places of names.
    """
    analysed = analyse_partly(ruleset, diagnostics, uses)
    return None if diagnostics.has_errors else analysed


def analyse_partly(ruleset: WrittenRuleset, diagnostics: Diagnostics, uses: Uses | None = None) -> Analysed:
    """Check a whole ruleset; return what there is of it though there are errors, for editors: not to be lowered."""
    shared = _checked(ruleset, diagnostics, uses)
    bodies, secrets = Bodies(), Secrets()
    if not diagnostics.has_errors:
        check_room(shared)
    if not diagnostics.has_errors:
        bodies = dispatch(shared.checked)
        check_starts(shared, bodies)
    if not diagnostics.has_errors:
        secrets = check_visibility(shared, bodies)
    check_words(shared, bodies)
    explain_removed(diagnostics, shared.removed)
    diagnostics.fold()
    shared.names.uses = None  # names in scenarios are none of the ruleset's
    return Analysed(shared, bodies, secrets)


def _checked(ruleset: WrittenRuleset, diagnostics: Diagnostics, uses: Uses | None) -> Shared:
    """Return the checked tree, each declaration by itself and how they call each other."""
    checked = Checked(ruleset)
    diagnostics.names = own_names(ruleset)
    shared = Shared(checked, SymbolTable(diagnostics, uses), diagnostics, removed=dict(ruleset.removed))
    rows = Counter(row.span for row in ruleset.pieces)
    diagnostics.ignored_names = {
        row.id for row in ruleset.pieces if rows[row.span] > 1
    }  # written as one row with `each`
    tables.build(shared)  # nouns: types, kinds, pieces, zones, variables
    check_sizes(shared)
    declarations.read(shared)  # verbs: parse, then names and parameters, then bodies
    values.fill_capacities(shared)
    declarations.declare(shared)
    positions.resolve(shared)
    declarations.declare_events(shared)
    if uses is not None:
        note_members(uses, [d for d, _ in shared.declared])
    check_citations(shared, [d for d, _ in shared.declared])
    declarations.check(shared)
    tables.check_shown(shared)
    tables.check_untold(shared)
    check_priorities(shared)
    give_depths(shared.checked)
    Flow(shared).run()
    check_exchanges(shared)
    return shared


def check_rest(part: WrittenRuleset, lost: Lost, diagnostics: Diagnostics, uses: Uses | None = None) -> Analysed | None:
    """Check what can be understood of a ruleset whose files have errors; what those may explain is not said again.
    Return it, if it is more than its rule texts."""
    findings, analysed = Diagnostics(), None
    if lost.most:
        findings.names = own_names(part)
        declarations.read(Shared(Checked(part), SymbolTable(findings), findings))
    else:
        analysed = analyse_partly(part, findings, uses)
    for finding in findings:
        if not lost.explains(finding):
            diagnostics.add(finding)
    return analysed


def lint(
    analysed: Analysed,
    diagnostics: Diagnostics,
    tests: Iterable[ProcedureSym] = (),
    called: Iterable[ProcedureSym] = (),
) -> bool:
    """Warn of what is valid but hardly intended.

    Args:
        tests: the procedures of the ruleset's scenarios.
        called: what scenarios call that are not among them.

    Returns:
        Whether, if nothing is warned of, nothing is with those other scenarios among `tests` either: they may only
        show more ways in which something is called, unless nothing else calls it.
    """
    tests, called = tuple(dict.fromkeys(tests)), tuple(called)
    checked, bodies = analysed.checked, analysed.bodies
    facts = gather(checked, bodies, (*called, *calls_of(checked, bodies, tests)))
    known = KnownValues(analysed.checked, analysed.shared.eliminates)
    lint_usage(facts, diagnostics)
    reported = lint_presence(facts, known, diagnostics)
    lint_reach(facts, diagnostics)
    lint_loops(facts, diagnostics)
    lint_rounds(analysed.shared, analysed.bodies, diagnostics)
    calls = Calls(facts, tests, analysed.shared.eliminates)
    lint_reactions(facts, calls, diagnostics)
    lint_conditions(facts, known, reported, diagnostics)
    lint_sameness(facts, known, diagnostics)
    lint_words(facts, diagnostics)
    lint_versions(facts, diagnostics)
    return all(procedure in calls.of for procedure in called if procedure.category in ("event", "quantity"))
