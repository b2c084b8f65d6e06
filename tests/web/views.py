"""Views of states without a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulelang.game import State
from rulelang.table.sheet import sheet
from rulelang.web.view import EVENTS, View


def view_of(state: State, seat: int, lang: str = "en", picks: Sequence[str] = (), find: str = "", **more: Any) -> View:
    """What a seat may know of a state."""
    over = state.is_terminal()
    return View(
        state.ruleset, lang, f"/g/game/{seat}", seat, state.players, state.parties, state.options,
        ("",) * state.players, {}, state.observation(seat),
        state.story(seat, max(state.event_count(seat) - EVENTS, 0), lang),
        state.decision(seat) if seat in state.current_players() else None,
        over, state.winners() if over else None, state.stage(), "stamp",
        refusals=lambda: state.refusals(seat, lang), sheet=lambda: sheet(state, seat),
        picks=tuple(picks), find=find, **more,
    )  # fmt: skip
