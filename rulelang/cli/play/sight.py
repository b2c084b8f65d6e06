"""What was learnt between two states of a game, by anyone: undoing past it gives something away.

Enters: an earlier and a later state of the same game. Leaves: which sorts of things were seen, and by whom.
"""

from __future__ import annotations

from typing import Any

from rulelang.game import State
from rulelang.record import CHANCE, SHOWN


def shown_since(before: State, now: State) -> tuple[list[str], set[int]]:
    """The sorts of things seen since (`chance`, `shown`), and the seats that something hidden was shown to."""
    chance = any(event["type"] == "chance" for event in now.events(None, before.event_count()))
    seats = {seat for seat in range(now.players) if _shown(before, now, seat)}
    return [CHANCE] * chance + [SHOWN] * bool(seats), seats


def _shown(before: State, now: State, seat: int) -> bool:
    """Whether a seat was shown what it could not see."""
    known = before.event_count(seat)
    zones = now.observation(seat)["zones"]
    return any(_reveals(event, zones) for event in now.events(seat, known))


def _reveals(event: dict[str, Any], zones: dict[str, Any]) -> bool:
    """Whether an event, as a seat sees it, shows the seat what it did not see before."""
    if event["type"] == "reveal":
        return event["value"] is not None
    if event["type"] != "move":
        return False
    if "shows" in event:
        return True
    if not any(piece is not None for piece in event["pieces"]):
        return False
    origin = zones.get(event["from"], {})
    # Of a pile that shows its top, one piece was seen before it went; the others were not.
    return "pieces" not in origin and ("top" not in origin or event["count"] > 1)
