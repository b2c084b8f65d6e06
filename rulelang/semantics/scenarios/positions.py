"""What a scenario gives and expects must fit the game: pieces that there are, places with room, seats that play.

Enters: a checked ruleset with the players of the scenario, the scenario, what finds its zones. Leaves: findings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulelang.diagnostics import Diagnostics, Span, counted
from rulelang.ruleset.scenarios import Scenario
from rulelang.semantics.analysis.execution import Start
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.tree.core import CDo, CReturn, expressions
from rulelang.semantics.tree.shared import Shared, zone_symbol
from rulelang.semantics.tree.symbols import Checked, DefinitionSym, ProcedureSym, VariableSym, ZoneSym
from rulelang.semantics.tree.types import BagT, ZoneT
from rulelang.vocabulary.operations import ASSIGNMENTS


def check_given(shared: Shared, scenario: Scenario, zones: Sequence[ProcedureSym], diagnostics: Diagnostics) -> None:
    """Report more pieces than there are or than a zone holds, and seats and lists that the game does not have."""
    _pieces(shared.checked, scenario, zones, diagnostics)
    _parties(shared.checked, scenario, diagnostics)


def check_bag(shared: Shared, scenario: Scenario, giver: ProcedureSym, span: Span) -> None:
    """Report what a variable is given beyond its capacity, if no rule changes that; the others are checked when the
    test runs. `giver`: the procedure that gives it its value, which stands at `span`."""
    start = Start(shared, shared.checked.ruleset.players[0], scenario.options)
    start.changed |= {*shared.checked.variables, *shared.checked.piece_variables}
    last = giver.body.statements[-1] if giver.body.statements else None
    if not isinstance(last, CDo) or last.op not in ASSIGNMENTS:
        return
    sym, *args = last.args
    if not isinstance(sym, VariableSym) or not isinstance(sym.type, BagT):
        return
    parts = expressions(args)
    value, indices = (parts[0], parts[1:]) if last.op == "set_var" else (parts[1], [])
    known, bag = start.numbers(indices, {}), start.bag(value, {})
    overflow = start.overflow(sym, bag, known) if bag is not None and known is not None else None
    if overflow is not None:
        what, has, holds = overflow
        message = f"`{sym.name}` is given {has} {what}, and holds {holds}"
        related = [(sym.span, f"the variable `{sym.name}`")]
        shared.diagnostics.error("capacity-start", message, span, "give fewer, or raise the `capacity`", related)


def _pieces(checked: Checked, scenario: Scenario, zones: Sequence[ProcedureSym], diagnostics: Diagnostics) -> None:
    """Report zones of a scenario that take more pieces than there are, `top` of no pile and two `rest` of a kind."""
    known = KnownValues(checked, False, scenario.options)
    (players,) = checked.ruleset.players
    placed: Counter[DefinitionSym] = Counter()
    short: set[DefinitionSym] = set()
    takers: dict[str, str] = {}
    fillings = zip(zones, scenario.zones, scenario.fillings, strict=True)
    for finder, (text, pieces, span), filling in fillings:
        if not isinstance(finder.returns, ZoneT):
            continue
        kind, name = checked.kinds[finder.returns.kind], text.text.strip()
        place = _zone(finder)
        if filling == "top" and place is not None and not place.decl.laid.ends:
            message = f"`{name}` is no pile, and has no top"
            diagnostics.error("scenario-pieces", message, span, "give all its pieces in a list")
        if filling == "rest" and takers.setdefault(kind.name, name) != name:
            message = f"all the rest lies in `{takers[kind.name]}`, which leaves none for `{name}`"
            diagnostics.error("scenario-pieces", message, span, f"say `rest` of one zone that holds {kind.name}")
        for many, piece in pieces:
            row = kind.definition(piece.partition("@")[0])
            if row is None:
                continue
            placed[row] += many
            available = known.most(row.count) if row.count is not None else 1
            most = max(available or 0, 0) * (players if row.decl.per_player else 1)
            if available is not None and placed[row] > most and row not in short:
                short.add(row)
                if row.count is not None and KnownValues(checked, False).most(row.count) == 0:
                    continue  # that no game has one is told at its row, once
                exist = f"{most} exist{'s' if most == 1 else ''}" if most else "none exists"
                message = f"{placed[row]} `{row.id}` are wanted here and above, and {exist} in this game"
                if placed[row] == many:
                    message = f"{many} `{row.id}` wanted, {exist} in this game"
                diagnostics.error("scenario-pieces", message, span, "give fewer, or raise its `count`")
        total = sum(many for many, _ in pieces)
        room = known.most(place.capacity) if place is not None and place.capacity is not None else None
        if room is not None and total > room:
            message = f"`{name}` holds {room} at most, and {total} are given"
            diagnostics.error("scenario-pieces", message, span, "give fewer, or raise the zone's `capacity`")


def _zone(finder: ProcedureSym) -> ZoneSym | None:
    """Return the zone that a procedure returns at its end; None if it returns something else."""
    last = finder.body.statements[-1] if finder.body.statements else None
    value = last.value if isinstance(last, CReturn) else None
    return zone_symbol(value) if value is not None else None


def _parties(checked: Checked, scenario: Scenario, diagnostics: Diagnostics) -> None:
    """Report lists of numbers in a scenario that are not as long as the list of players (or parties)."""
    (players,) = checked.ruleset.players
    parties = players + sum(players in a.players for a in checked.automata)
    automata = "".join(f" and `{a.name}`" for a in checked.automata if players in a.players)
    seats = f"there are {counted(players, 'player')}{automata}"

    def numbers(what: str, got: Sequence[int], span: Span) -> None:
        if len(got) not in (players, parties):
            message = f"{what} has {counted(len(got), 'number')}, and {seats}"
            diagnostics.error("scenario-parties", message, span, "write one number for each, in the order of the seats")

    for step in scenario.when:
        if step.seat is not None and step.seat >= players:
            message = f"there is no seat {step.seat}: seats are 0 to {players - 1}"
            diagnostics.error("scenario-parties", message, step.span, "seats are counted from 0")
    for expected in scenario.then:
        for line in expected.lines:
            numbers(f"`{line.name}`", line.values, line.span)
        for said in (expected, *(part for end in expected.ends for part in end)):
            if not isinstance(said.value, tuple):
                continue
            if said.kind in ("scores", "ranks"):
                numbers(f"`{said.kind}`", said.value, said.span)
                continue
            most = players if said.kind == "asked" else parties
            for seat in said.value:
                if not 0 <= seat < most:
                    message = f"nobody has the number {seat}: {seats}, from 0 to {most - 1}"
                    hint = f"`{said.kind}` are numbers of seats, from 0"
                    diagnostics.error("scenario-parties", message, said.span, hint)
                    break
