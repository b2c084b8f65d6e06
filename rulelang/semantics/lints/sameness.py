"""What is said twice or makes no difference: rows, branches, score lines, tie breaks."""

from __future__ import annotations

from rulelang.diagnostics import Diagnostics, Span
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree import core
from rulelang.semantics.tree.symbols import Checked, DefinitionSym, KindSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import NumberT


def lint_sameness(facts: Facts, known: KnownValues, diagnostics: Diagnostics) -> None:
    """Report rows, branches, score lines and tie breaks that make no difference."""
    for kind in facts.checked.kinds.values():
        if not kind.identity:
            _rows(facts, kind, diagnostics)
    _branches(facts, diagnostics)
    _scores(facts, known, diagnostics)
    _ties(facts, diagnostics)


# ---- rows


def _rows(facts: Facts, kind: KindSym, diagnostics: Diagnostics) -> None:
    """Report rows that differ only in id, words and count, where the order of rows does not matter either."""
    first: dict[tuple[object, ...], list[tuple[int, DefinitionSym]]] = {}
    for position, row in enumerate(kind.definitions):
        if row in facts.named:
            continue
        text = row.decl.rules.text.strip() if row.decl.rules is not None else ""
        plain = (a.args[0] if a.op == "const" else None for a in row.attributes)
        alike = first.setdefault((row.decl.per_player, text, *plain), [])
        for place, earlier in alike:
            if _same_row(facts, row, earlier, position - place == 1):
                where = f"{earlier.decl.span.path}:{earlier.decl.span.line}"
                message = f"`{row.id}` and `{earlier.id}` ({where}) are the same {kind.name} but for their names"
                hint = "write one row with a `count`, or give them what tells them apart"
                diagnostics.warning("piece-same", message, row.decl.span, hint)
                break
        else:
            alike.append((position, row))


def _same_row(facts: Facts, a: DefinitionSym, b: DefinitionSym, adjacent: bool) -> bool:
    """Return whether two rows are interchangeable: equal attributes, count and start; in a pile that is never shuffled
    they must also follow each other (`adjacent`), or their order would tell."""
    if not all(core.same(x, y) for x, y in zip(a.attributes, b.attributes, strict=True)):
        return False
    # Counts that both depend on the game may complement one another.
    if a.count is None or b.count is None or "const" not in (a.count.op, b.count.op):
        return False
    if a.start is None or b.start is None:
        return a.start is b.start
    zone = a.start.args[0]
    ordered = isinstance(zone, ZoneSym) and zone.decl.laid.kept and zone not in facts.shuffled
    seats = {b.start_seat: a.start_seat} if a.start_seat is not None and b.start_seat is not None else None
    return core.same(b.start, a.start, seats) and (adjacent or not ordered)


# ---- branches


def _branches(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report conditions that make no difference."""
    for s in facts.statements:
        if isinstance(s, core.CIf) and core.same(s.then, s.otherwise):
            message = "this does the same whether the condition holds or not"
            diagnostics.warning("branch-same", message, s.condition.span, "do without the `if`, or let them differ")
    for e in facts.branches:
        _, then, otherwise = e.args
        if core.same(then, otherwise):
            message = "this gives the same whether the condition holds or not"
            diagnostics.warning("branch-same", message, e.span, "do without the `if`, or let them differ")


# ---- scores and ties


def _scores(facts: Facts, known: KnownValues, diagnostics: Diagnostics) -> None:
    """Report score lines and tie breaks that have the same value for every party."""
    if _rivals(facts) < 2:
        return
    ranked: list[tuple[str, ProcedureSym | None]] = [
        (f"the score line `{s.name}`", s.procedure) for s in facts.checked.scores
    ]
    ranked += [("`winner`", facts.checked.winner.procedure)] if facts.checked.winner is not None else []
    ranked += [(f"`tie`, break {n},", t.procedure) for n, t in enumerate(facts.checked.ties, 1)]
    for what, procedure in ranked:
        value = _value(procedure)
        if procedure is None or value is None:
            continue
        low, high = known.bounds(value) if isinstance(value.type, NumberT) else (0, 1)
        if low == high or not procedure.uses_you:
            said = f"is {low} for everyone" if low == high else "reads nothing of the player who is scored"
            message = f"{what} {said}, so it makes no difference between players"
            symbols = (arg for part in core.subexpressions(value) for arg in part.args)
            common = next((s.name for s in symbols if isinstance(s, VariableSym | ZoneSym) and not s.owned), "")
            hint = "read what is theirs, such as a variable that is `per: player`; `you` is the player who is scored"
            if common:
                hint = f"there is one `{common}` for all: with `per: player` each player has one"
            diagnostics.warning("score-same", message, procedure.span if low != high else value.span, hint)


def _rivals(facts: Facts) -> int:
    """Return the most teams, players without one and automata that a game has."""
    ruleset, winner = facts.checked.ruleset, facts.checked.winner
    together = winner is not None and winner.ranking == "all"
    teams = {n: (range(n),) for n in ruleset.players} if together else ruleset.teams
    in_teams = {n: sum(len(team) - 1 for team in teams.get(n, ())) for n in ruleset.players}
    return max(n - in_teams[n] + sum(n in a.players for a in ruleset.automata) for n in ruleset.players)


def _value(procedure: ProcedureSym | None) -> core.CExpr | None:
    return procedure.body.value if procedure is not None else None


def _ties(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report tie breaks that compare what an earlier one has compared."""
    checked = facts.checked
    before: list[tuple[str, ProcedureSym]] = []
    if checked.winner is not None and checked.winner.procedure is not None:
        before.append(("`winner`", checked.winner.procedure))
    elif checked.winner is None and len(checked.scores) == 1:
        before.append((f"the score line `{checked.scores[0].name}`", checked.scores[0].procedure))
    for number, rule in enumerate(checked.ties, 1):
        if rule.procedure is None:
            continue
        if checked.winner is None and _is_total(checked, rule.procedure):
            before.insert(0, ("the total score", rule.procedure))
        for what, earlier in before:
            if _equal(rule.procedure, earlier):
                message = f"this breaks no tie: those who are tied are equal in it, as {what} has compared it already"
                diagnostics.warning("tie-same", message, _place(rule.procedure), "compare something else, or remove it")
                break
        before.append((f"break {number}", rule.procedure))


def _is_total(checked: Checked, procedure: ProcedureSym) -> bool:
    """Return whether a tie break is `total_score(you)`, which decides who wins unless `winner` says otherwise."""
    value, you = _value(procedure), procedure.body.parameters[0]
    party = value.args[-1] if value is not None and value.op == "call" and value.args[0] is checked.total else None
    return isinstance(party, core.CExpr) and party.args == (you,)


def _equal(a: ProcedureSym, b: ProcedureSym) -> bool:
    x, y = _value(a), _value(b)
    yous = dict(zip(a.body.parameters, b.body.parameters, strict=False))
    return x is not None and y is not None and core.same(x, y, yous)


def _place(procedure: ProcedureSym) -> Span:
    value = _value(procedure)
    return value.span if value is not None else procedure.span
