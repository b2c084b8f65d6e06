"""The main loop of a game at the terminal.

Enters: a session, a desk. Leaves: the session where it ended.
"""

from __future__ import annotations

from rulelang.cli.play.desk import Desk
from rulelang.session import FORCED


def play_out(desk: Desk, *, ask_forced: bool = False) -> None:
    """Play until the game is over.

    Args:
        ask_forced: ask people even where they have only one choice.

    Raises:
        Stopped: somebody quits. Ended: the input has ended.
    """
    while not desk.session.state.is_terminal():
        session = desk.session
        seat = session.state.current_players()[0]
        if seat in session.bots and desk.preparing():
            desk.wait("preparing")
        if session.choose_automatically(seat):
            if not session.people:
                desk.tell(None)
            continue
        forced = None if ask_forced else session.forced(seat)
        if forced is not None:
            desk.forced(seat, forced)
            session.choose(forced, seat, FORCED)
            continue
        action = desk.ask(seat) if desk.bring(seat) else None
        if action is not None:
            session.choose(action, seat)
    desk.ending()
