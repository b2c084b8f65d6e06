"""What can never react, replace or change: its condition asks for a piece where that has no effect, or for arguments
that no call gives, or something else always comes first.

Enters: the facts of a ruleset, and where pieces lie at its calls. Leaves: findings.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulelang.diagnostics import Diagnostics, enumerated
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.lints.locations import Calls, Zones
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import CExpr, Local, conjunction, expressions, same
from rulelang.semantics.tree.symbols import DefinitionSym, EventInfo, HandlerInfo, ModifierInfo, ProcedureSym
from rulelang.semantics.tree.types import PieceT, bare
from rulelang.vocabulary.computing import COMPARES
from rulelang.vocabulary.operations import having

EQUATING = having("equates")
HINTS = {
    "after": "let another piece react, or write it in the event",
    "before": "react `after` it, or let it be in force where the piece lies then",
    "instead of": "let another piece replace it, or let it be in force where the piece lies then",
}
"""By timing, what may be done about a reaction that never comes."""


def lint_reactions(facts: Facts, calls: Calls, diagnostics: Diagnostics) -> None:
    """Report handlers of events and changes of quantities that can never apply."""
    reactions = _Reactions(facts, calls)
    for event in facts.checked.events.values():
        sure = [handler for handler in event.handlers if _always_replaces(event, handler)]
        by_rows: dict[tuple[DefinitionSym, ...], list[HandlerInfo]] = {}
        for replacement in sure:
            by_rows.setdefault(replacement.definitions, []).append(replacement)
        for handler in event.handlers:
            others = (*by_rows.get((), ()), *(by_rows.get(handler.definitions, ()) if handler.definitions else ()))
            first = next((other for other in others if _always_before(other, handler)), None)
            if first is not None:
                place = f"{first.span.path}:{first.span.line}"
                message = f"this never applies: `{event.procedure.name}` is always replaced before it ({place})"
                hint = "give the replacement a `when`, or let it `proceed`"
                related = [(first.span, "this replaces it whenever it arises")]
                diagnostics.warning("replacement-never", message, handler.span, hint, related)
            elif reason := reactions.never(event, handler):
                message = f"this never reacts to `{event.procedure.name}`: {reason}"
                diagnostics.warning("reaction-never", message, handler.span, HINTS[handler.timing])
    for quantity in facts.checked.quantities.values():
        for modifier in quantity.modifiers:
            if reason := reactions.out_of_force(quantity.procedure, modifier) or reactions.refuted(
                quantity.procedure, modifier
            ):
                message = f"this never changes `{quantity.procedure.name}`: {reason}"
                hint = "let it be in force where the pieces lie for which it is asked, or write it in the base"
                diagnostics.warning("reaction-never", message, modifier.span, hint)


def _always_replaces(event: EventInfo, handler: HandlerInfo) -> bool:
    """Return whether a handler is a replacement that must come where its condition holds, and that lets nothing of the
    event happen."""
    if handler.timing != "instead of" or handler.optional or handler.limit is not None:
        return False
    statements = walk(handler.body.body.statements)
    return not any(isinstance(s, core.CCall) and s.procedure is event.proceeding for s in statements)


def _always_before(first: HandlerInfo, handler: HandlerInfo) -> bool:
    """Return whether such a replacement, of the same rows or of no piece, always comes before a handler could.

    One of no piece, without a condition, comes before all but earlier ones of no piece; one of a piece before what its
    owner may choose instead, of the same piece under at least the same conditions.
    """
    if first is handler:
        return False
    if first.definitions:
        return handler.timing == "instead of" and handler.optional and _implies(handler.guard, first.guard)
    if first.guard is not None:
        return False
    earlier = handler.timing == "instead of" and not handler.definitions and handler.number < first.number
    return not earlier


def _implies(guard: ProcedureSym | None, weaker: ProcedureSym | None) -> bool:
    """Return whether each part of the weaker condition is a part of the other, of the same parameters."""
    if weaker is None:
        return True
    if guard is None or guard.body.value is None or weaker.body.value is None:
        return False
    locals = dict(zip(weaker.body.parameters, guard.body.parameters, strict=True))
    parts = conjunction(guard.body.value)
    return all(any(same(part, other, dict(locals)) for other in parts) for part in conjunction(weaker.body.value))


class _Reactions:
    """Looks for what can never be in force when it is asked for."""

    def __init__(self, facts: Facts, calls: Calls) -> None:
        self.facts = facts
        self.calls = calls

    def never(self, event: EventInfo, handler: HandlerInfo) -> str:
        """Return why a handler never reacts; empty if it may."""
        others = [other.body for other in event.handlers if other is not handler]
        if handler.timing == "after":
            return self._left(event, handler, others)
        if event.proceeding is not None:
            return ""  # a replacement may let the event proceed with other arguments, or after moving pieces
        return self.out_of_force(event.procedure, handler) or self.refuted(event.procedure, handler)

    def _left(self, event: EventInfo, handler: HandlerInfo, others: list[ProcedureSym]) -> str:
        """Return why a piece can't react after an event: the body has moved it out of force, and it is none of the
        event's arguments that was in force before."""
        active, body = self._active(handler.definitions), event.body
        if not active or body is None:
            return "" if event.proceeding is not None else self.refuted(event.procedure, handler)
        # What a player may choose is asked for after what must happen.
        if handler.optional and any(self.calls.entered(other) & active for other in others):
            return ""
        left = self.calls.left(body)
        where = enumerated(sorted(f"`{zone.name}`" for zone in active), "and")
        kinds = {bare(t) for _, t in event.procedure.params}
        if left.empty >= active and PieceT(handler.definitions[0].kind) not in kinds:
            return f"by then nothing lies in {where}, where its text is in force"
        if event.proceeding is not None:
            return ""  # a replacement may let the event proceed with other arguments, or after moving pieces
        for place in self._own_parameters(handler):
            zones = left.zones.get(body.body.parameters[1 + place])
            if zones and not zones & active and (reason := self.out_of_force(event.procedure, handler)):
                return reason
        return self.refuted(event.procedure, handler)

    def out_of_force(self, procedure: ProcedureSym, asked: HandlerInfo | ModifierInfo) -> str:
        """Return why a text that is about its own piece is never in force: at all calls that lies elsewhere."""
        active, made = self._active(asked.definitions), self.calls.of.get(procedure, [])
        if not active or not made or procedure in self.calls.tried:
            return ""
        for place in self._own_parameters(asked):
            if place >= len(procedure.params):
                continue
            zones = [call.zones[place] for call in made]
            if all(some and not some & active for some in zones):
                lying: Zones = frozenset().union(*(some for some in zones if some))
                where = enumerated(sorted(f"`{zone.name}`" for zone in active), "and")
                name = procedure.params[place][0]
                return f"`{name}` lies in {_named(lying)} then, and its text is in force in {where} alone"
        return ""

    def refuted(self, procedure: ProcedureSym, asked: HandlerInfo | ModifierInfo) -> str:
        """Return why a condition never holds: no call gives a parameter the value that it asks for."""
        made = self.calls.of.get(procedure, [])
        if not made or procedure in self.calls.tried:
            return ""
        for place, part, constant in self._comparisons(asked):
            if place >= len(procedure.params):
                continue
            given = [call.arguments[place] for call in made]
            values = [e.args[0] for e in given if e.op == "const" and isinstance(e.args[0], int)]
            if len(values) == len(given) and not any(_holds(part, value, constant) for value in values):
                name = procedure.params[place][0]
                return f"no call of `{procedure.name}` gives such a `{name}`"
        return ""

    # ---- conditions

    def _active(self, definitions: tuple[DefinitionSym, ...]) -> Zones:
        """Return the zones in which the text of these rows is in force; none for a text of no piece."""
        return frozenset(self.facts.checked.kinds[definitions[0].kind].active) if definitions else frozenset()

    def _parts(self, asked: HandlerInfo | ModifierInfo) -> tuple[list[Local], list[CExpr]]:
        """Return the parameters of a condition that are those of the event, and the parts that must all hold."""
        if asked.guard is None or asked.guard.body.value is None:
            return [], []
        parameters = asked.guard.body.parameters[3 if asked.definitions else 1 :]
        return parameters, conjunction(asked.guard.body.value)

    def _own_parameters(self, asked: HandlerInfo | ModifierInfo) -> Iterator[int]:
        """Yield the parameters that a condition wants to be the very piece whose text it is."""
        parameters, parts = self._parts(asked)
        kind = self.facts.checked.kinds[asked.definitions[0].kind]
        if not kind.identity and not all(map(_is_unique, asked.definitions)):
            return  # another piece of the row may lie elsewhere, and equals it
        for part in parts:
            sides = [side.args[0] for side in expressions(part.args) if side.op == "local"]
            if part.op in EQUATING and len(sides) == 2 and asked.guard is not None:
                this = asked.guard.body.parameters[1]
                yield from (place for place, p in enumerate(parameters) if this in sides and p in sides)

    def _comparisons(self, asked: HandlerInfo | ModifierInfo) -> Iterator[tuple[int, CExpr, int]]:
        """Yield the parts that compare a parameter with a constant: which one, the part, the constant."""
        parameters, parts = self._parts(asked)
        for part in parts:
            if part.op not in COMPARES:
                continue
            left, right = expressions(part.args)
            variable, constant = (left, right) if right.op == "const" else (right, left)
            if variable.op == "local" and constant.op == "const" and isinstance(constant.args[0], int):
                yield from ((n, part, constant.args[0]) for n, p in enumerate(parameters) if p is variable.args[0])


def _holds(part: CExpr, value: int, constant: int) -> bool:
    """Return whether a comparison holds where the variable has a value."""
    left, _ = expressions(part.args)
    return bool(COMPARES[part.op](constant, value) if left.op == "const" else COMPARES[part.op](value, constant))


def _is_unique(definition: DefinitionSym) -> bool:
    """Return whether there is one piece of a row."""
    count = definition.count
    return count is not None and count.op == "const" and count.args == (1,) and not definition.decl.per_player


def _named(zones: Zones) -> str:
    return enumerated(sorted(f"`{zone.name}`" for zone in zones), "or")
