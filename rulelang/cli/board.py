"""A game as text: what a seat sees, what happened, the score sheets.

Enters: a state, a seat, a language. Leaves: lines. Everything comes from the seat's observation and events.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from rulelang.cli.common import table
from rulelang.game import State
from rulelang.words import Words

UNKNOWN = "?"


def board(state: State, seat: int, lang: str) -> str:
    """Zones and variables as the seat sees them; empty zones in one line."""
    seen = state.observation(seat)
    words = state.ruleset.words(lang)
    zones: list[str] = []
    empty: list[str] = []
    for name, view in seen["zones"].items():
        if view["count"]:
            zones.append(f"  {_yours(name, seat)}: {_zone(view, words)}")
        else:
            empty.append(name)
    lines = zones
    if empty:
        lines.append(f"  empty: {', '.join(empty)}")
    lines += [f"  {_yours(name, seat)} = {_value(value, words)}" for name, value in seen["variables"].items()]
    for piece in seen.get("pieces", []):
        values = ", ".join(f"{name} {_value(value, words)}" for name, value in piece["variables"].items())
        lines.append(f"  {words.name(piece['piece'])} in {piece['zone']}: {values}")
    return "\n".join(lines)


def _yours(name: str, seat: int) -> str:
    _, sign, rest = name.partition("[")
    mine = sign and rest.rstrip("]").split(",")[0] == str(seat)
    return f"{name} (yours)" if mine else name


def _zone(view: dict[str, Any], words: Words) -> str:
    if "pieces" in view:
        counts = Counter(UNKNOWN if piece is None else words.name(piece) for piece in view["pieces"])
        return ", ".join(name if count == 1 else f"{count} {name}" for name, count in counts.items())
    count = f"{view['count']} piece{'s' * (view['count'] != 1)}"
    return f"{count}, {words.name(view['top'])} on top" if view.get("top") else count


def _value(value: Any, words: Words) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} {words.name(name)}" for name, count in value.items() if count) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(_value(part, words) for part in value) or "none"
    return "none" if value is None else words.name(value) if isinstance(value, str) else str(value)


def news(state: State, seat: int | None, since: int, lang: str) -> tuple[list[str], int]:
    """What the seat (None: someone who sees all) learnt since event number `since`, and the number to go on from."""
    found = state.events(seat, since, lang)
    return [f"  {event['text']}" for event in found], since + len(found)


def ending(state: State, lang: str) -> str:
    """Score sheets of all parties, and who has won."""
    words = state.ruleset.words(lang)
    parties = range(len(state.parties))
    sheets = [state.score_sheet(party) for party in parties]
    names = [_party(state, party, words) for party in parties]
    lines: dict[str, list[int]] = {}
    for party, sheet in enumerate(sheets):
        for line in sheet.lines:
            lines.setdefault(line.name, [0] * len(sheets))[party] = line.value
    rows: list[list[object]] = [["score", *names]]
    rows += [[words.name(name), *values] for name, values in lines.items()]
    rows.append(["total", *(sheet.total for sheet in sheets)])
    winners = state.winners()
    won = f"Won by {', '.join(names[party] for party in winners)}." if winners else "Nobody has won."
    points = table(rows, range(1, len(sheets) + 1)) + "\n\n" if lines else ""
    return f"{points}{won}"


def _party(state: State, party: int, words: Words) -> str:
    return f"seat {party}" if party < state.players else words.name(state.parties[party])
