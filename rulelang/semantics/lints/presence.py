"""Pieces that are in no game, and zones that nothing enters or nothing comes out of."""

from __future__ import annotations

from rulelang.diagnostics import Diagnostics, Span
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.lints.facts import Facts, zones_in
from rulelang.semantics.tree import core
from rulelang.semantics.tree.symbols import DefinitionSym, KindSym, ZoneSym

NONE_EVER = frozenset((0,))
"""The values of a count that is always 0."""


def lint_presence(facts: Facts, known: KnownValues, diagnostics: Diagnostics) -> set[Span]:
    """Report rows whose count is always 0 or that nothing takes from where they start, idle zones, and piles that
    nobody shuffles.

    Gives the places of the conditions on which such a count depends, of which no more need be said.
    """
    reported: set[Span] = set()
    for kind in facts.checked.kinds.values():
        absent = {row for row in kind.definitions if row.count is not None and known.values(row.count) == NONE_EVER}
        present = {row.decl.span for row in kind.definitions if row not in absent}
        for row in absent:
            if row.count is not None and row.decl.span in present:  # Of rows written as one with `each`, some are.
                reported.update(part.span for part in core.subexpressions(row.count))
        for row in kind.definitions:
            if row in absent and row.count is not None and row.decl.span not in present:
                message = f"`{row.id}` is in no game: its count is 0 whatever the number of players and the options"
                place = row.count.span if row.decl.count != kind.decl.count else row.decl.span
                diagnostics.warning("piece-absent", message, place, "say how many there are, or remove the row")
                reported.update(part.span for part in core.subexpressions(row.count))
        for zone in kind.zones if kind.definitions else ():
            _zone(facts, kind, zone, diagnostics)
    _unshuffled(facts, diagnostics)
    return reported


def _unshuffled(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report piles whose order nobody sees and that are drawn from as they were declared, the same in every game."""
    draws = [s for s in facts.statements if isinstance(s, core.CDraw)]
    drawn = {zone for s in draws if not s.whole for zone in zones_in(s.pile)}
    # What is emptied as a whole may be shuffled elsewhere.
    drawn -= {zone for s in draws if s.whole for zone in zones_in(s.pile)}
    for zone in facts.checked.zones:
        if zone not in drawn - facts.shuffled or not zone.decl.laid.ends or zone.view.top or not zone.unseen:
            continue
        rows = facts.starts.get(zone, [])
        pair = next(((a, b) for i, a in enumerate(rows) for b in rows[i + 1 :] if _share_start(a, b)), None)
        if pair is not None:
            order = f"`{pair[0].id}`, then `{pair[1].id}`"
            message = f"nothing ever shuffles `{zone.name}`: every game draws in the order of the rows, {order}"
            hint = f"write `shuffle {zone.name}` in `setup`; if all know the order, say `visible: all`"
            diagnostics.warning("pile-unshuffled", message, zone.span, hint)


def _share_start(a: DefinitionSym, b: DefinitionSym) -> bool:
    """Return whether two rows start in the same place."""
    seats = {a.start_seat: b.start_seat} if a.start_seat is not None and b.start_seat is not None else None
    return a.start is not None and b.start is not None and core.same(a.start, b.start, seats)


def _zone(facts: Facts, kind: KindSym, zone: ZoneSym, diagnostics: Diagnostics) -> None:
    """Report a zone that nothing enters, or that nothing leaves and no rule reads."""
    starts, read = facts.starts.get(zone, []), zone in facts.read
    if zone not in facts.entered and not starts:
        if read:
            rows = [row.id for row in kind.definitions if row.decl.rules is not None]
            idle = (
                rows and zone in kind.active and not any(z in facts.entered or z in facts.starts for z in kind.active)
            )
            message = f"nothing ever enters `{zone.name}`" + (
                f", so the rule text of {kind.name} is never in force" if idle else ""
            )
            diagnostics.warning("zone-empty", message, zone.span, "start pieces there, or move some to it")
        else:
            message = f"`{zone.name}` is never used: nothing enters it and no rule reads it"
            diagnostics.warning("zone-empty", message, zone.span, "take it away, or write the rule that it is for")
    elif zone in facts.entered and not read and not zone.decl.final:
        message = f"`{zone.name}` only fills: pieces go there, but no rule or score reads it and none comes out"
        hint = "score it, refill a pile from it, or take pieces out; `final: true` says that they have left the game"
        diagnostics.warning("zone-unread", message, zone.span, hint)
    elif not read and not zone.decl.final:
        _report_stranded(zone, starts, diagnostics)


def _report_stranded(zone: ZoneSym, starts: list[DefinitionSym], diagnostics: Diagnostics) -> None:
    """Report pieces that stay for ever where they start, unread: at the row if it says so itself, else at the zone."""
    own = next((row for row in starts if row.decl.start is not None), None)
    reported_row = own if own is not None else starts[0]
    more = f" (and {len(starts) - 1} more)" if len(starts) > 1 else ""
    message = f"`{reported_row.id}`{more} starts in `{zone.name}`, which no rule reads and nothing comes out of"
    hint = "start it where it is drawn from, or move it from there"
    diagnostics.warning("piece-absent", message, own.decl.span if own is not None else zone.span, hint)
