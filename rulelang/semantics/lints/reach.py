"""What can never run: rules that nobody calls, effects that nothing sets off, statements behind one that leaves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rulelang.diagnostics import Diagnostic, Diagnostics, counted, nearest
from rulelang.semantics.analysis.flow import ends_no_game, walk
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree import core
from rulelang.semantics.tree.symbols import Checked, Effect, ProcedureSym

NEVER = {
    "rule": "nothing calls the rule",
    "function": "nothing calls the function",
    "quantity": "no rule reads the quantity",
    "event": "no rule raises the event",
    "ability": "no rule calls the ability",
    "trade": "no rule trades by the exchanges",
}
WHAT = {"quantity": "changes", "event": "reacts to", "ability": "answers", "trade": "adds to"}


def lint_reach(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report everything of these sorts."""
    _uncalled(facts, diagnostics)
    for statements in facts.blocks:
        _unreachable(statements, diagnostics)
    _endless(facts, diagnostics)


# ---- declarations


def _replaces(p: ProcedureSym, checked: Checked) -> str:
    """Return which declaration of a lower layer an uncalled one of an overlay may have been meant to replace."""
    layers = {file.source.path: file.layer for file in checked.ruleset.rule_files}
    if not layers.get(p.span.path, 0):
        return ""
    below = [q.name for q in checked.procedures if layers.get(q.span.path, 0) < layers.get(p.span.path, 0)]
    near = nearest(p.name, below)
    return f"did you mean to replace `{near}`?" if near else ""


def _uncalled(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report declarations that no game calls: of those that call one another, the first in the chain."""
    idle = [p for p in facts.checked.procedures if p.decl is not None and p not in facts.live]
    called = {q for p in facts.reached(idle) for q in facts.calls.get(p, ()) if q is not p}
    heads = [p for p in idle if p not in called]
    covered = facts.reached(heads)
    for p in idle:
        # Those of a circle call each other: the first of them stands for all.
        if p not in covered:
            heads.append(p)
            covered |= facts.reached([p])
    effects = dict(facts.checked.effects())
    for p in heads:
        what = f"{NEVER[p.category]} `{p.name}`"
        of_trade = p.category == "trade"
        hanging = [(e.span, _who(e)) for e in effects.get(p, ()) if e.definitions or not of_trade]
        if not hanging:
            hint = _replaces(p, facts.checked) or "call it, or take it away"
            diagnostics.warning("rule-unused", what, p.span, hint)
            continue
        place, name = hanging[0]
        more = f" and {len(hanging) - 1} more" if len(hanging) > 1 else ""
        message = f"{what}, so what {WHAT[p.category]} it never applies: {name} ({place.path}:{place.line}){more}"
        hint = "do it where the rules mean it: " + _call(p)
        related = tuple((span, f"{said} never applies") for span, said in hanging)
        diagnostics.add(Diagnostic("warning", "effect-never", message, p.span, hint, related))


def _call(p: ProcedureSym) -> str:
    arguments = ", ".join(name for name, _ in p.params)
    called = f"{p.name}({arguments})" if arguments or p.category != "quantity" else p.name
    return f"`trade {called}`" if p.category == "trade" else f"`{called}`"


def _who(effect: Effect) -> str:
    """Return the row whose text has an effect, or what the effect is called."""
    return f"`{effect.definitions[0].id if effect.definitions else effect.name}`"


# ---- statements


def _unreachable(statements: Sequence[core.CStatement], diagnostics: Diagnostics) -> None:
    """Warn of the first statement that stands after one that always leaves its block."""
    for s, after in pairwise(statements):
        if leaves(s):
            message = "this is never reached: what stands before it always leaves"
            diagnostics.warning("statement-unreachable", message, after.span, "move it up, or take it away")
            return


def leaves(s: core.CStatement) -> bool:
    """Return whether nothing behind the statement in its block is reached. Blocks of turns close themselves behind
    theirs."""
    return s.leaves or (isinstance(s, core.CIf) and any(map(leaves, s.then)) and any(map(leaves, s.otherwise)))


def _endless(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report loops of the game that nothing leaves and in which nothing ends the game."""
    checked = facts.checked
    if checked.play is None:
        return
    deferred = {s.args[0] for s in facts.statements if isinstance(s, core.CDo) and s.op == "defer"}
    played = facts.reached([checked.play])

    def possible(s: core.CStatement) -> list[Sequence[core.CStatement]]:
        """Return the blocks inside a statement that a game may come to."""
        if isinstance(s, core.CIf) and s.condition.op == "const":
            return [s.then if s.condition.args[0] else s.otherwise]
        return [] if ends_no_game(s, deferred) else s.inner()

    ends = {p for p in played if any(isinstance(s, core.CEnd) for s in walk(p.body.statements, possible))}
    for procedure in facts.authored:
        if procedure not in played:
            continue
        for loop in walk(procedure.body.statements):
            if not isinstance(loop, core.CLoop):
                continue
            inside = list(walk(loop.body, possible))
            own = {s.label for s in inside if isinstance(s, core.CLoop | core.CFor)}
            left = any(
                isinstance(s, core.CReturn | core.CEnd) or (isinstance(s, core.CBreak) and s.label not in own)
                for s in inside
            )
            called = [s.procedure for s in inside if isinstance(s, core.CCall)]
            reached = facts.reached(called)
            if not left and not reached & ends:
                decisions = checked.ruleset.limits.decisions
                end = f"only `limits` ends this game, after {counted(decisions, 'decision')}"
                message = f"{end}: nothing in this loop leaves it"
                hint = "write `end the game` in it, or `stop` to leave it; `repeat N times` comes to an end by itself"
                diagnostics.warning("game-endless", message, loop.span, hint)
                return
