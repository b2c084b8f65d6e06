"""What people do at a table that is no choice of the game: names, handovers, notes, talk, undos, giving up, draws.

Enters: a game, a seat, a text. Leaves: the event that it makes; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Callable

from rulelang.web.live import Live, RefusedError
from rulelang.web.store import StoredEvent

STAND_IN = "good"
"""The bot that takes the place of one that is offered no more."""
NAME, NOTE = 40, 2000
"""The characters of a person's name, and of a note."""


def _sanitised(text: str, most: int) -> str:
    """Return a person's text, cut to `most` characters, without control characters."""
    return "".join(letter for letter in text[:most] if letter.isprintable() or letter == "\n").strip()


def _name(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of a person's name."""
    return StoredEvent(live.number, "name", seat, {"name": _sanitised(value, NAME).replace("\n", " ")})


def _bot(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of handing a seat to a bot, or back to its person."""
    return StoredEvent(live.number, "sit", seat, {"bot": value or None})


def _note(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of a note."""
    return StoredEvent(live.number, "note", seat, {"text": _sanitised(value, NOTE)})


def _chat(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of what is said to all.

    Raises:
        RefusedError: nothing is.
    """
    if not (text := _sanitised(value, NOTE)):
        raise RefusedError(400, "usage")
    return StoredEvent(live.number, "chat", seat, {"text": text})


def _resign(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of giving up: of two parties, or where nobody else plays, the game ends; else a bot plays on.

    Raises:
        RefusedError: the seat is nobody's, or the game is over.
    """
    if live.revealed or seat in live.bots or value != "yes":
        raise RefusedError(409, "over")
    if len(live.session.state.parties) <= 2 or live.people() == [seat]:
        return StoredEvent(live.number, "end", seat, {"how": "resigned"})
    return StoredEvent(live.number, "sit", seat, {"bot": STAND_IN, "by": "resigned"})


def _draw(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of asking the others to end the game without a winner.

    Raises:
        RefusedError: nobody else plays, something is asked already, or the game is over.
    """
    if not live.draws(seat) or value != "yes":
        raise RefusedError(409, "over")
    return StoredEvent(live.number, "ask", seat, {"left": None})


def _undo(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of an undo or, if something was revealed, of asking the others for it.

    Raises:
        RefusedError: there is none, or the page is outdated.
    """
    if value != live.stamp(seat):
        raise RefusedError(409, "stale")
    undo = live.undoing(seat)
    if undo is None or live.asked is not None:
        raise RefusedError(409, "nothing_to_undo")
    if undo.free or live.people() == [seat]:
        return StoredEvent(live.number, "undo", seat, {"left": undo.left, "seen": list(undo.seen)})
    return StoredEvent(live.number, "ask", seat, {"left": undo.left})


def _consent(live: Live, seat: int, value: str) -> StoredEvent:
    """Return the event of an answer to a request, or of the undo or draw once all agree.

    Raises:
        RefusedError: there is no request, or the seat has answered.
    """
    if live.asked is None or (seat in live.asked[2] and value == "yes"):
        raise RefusedError(409, "stale")
    left, asker, agreed = live.asked
    if value == "yes" and set(live.people()) <= agreed | {seat}:
        if left is None:
            return StoredEvent(live.number, "end", asker, {"how": "drawn"})
        undo = live.undoing(asker)
        return StoredEvent(live.number, "undo", asker, {"left": left, "seen": list(undo.seen) if undo else []})
    return StoredEvent(live.number, "answer", seat, {"yes": value == "yes"})


KINDS: dict[str, Callable[[Live, int, str], StoredEvent]] = {
    "name": _name,
    "bot": _bot,
    "note": _note,
    "chat": _chat,
    "resign": _resign,
    "draw": _draw,
    "undo": _undo,
    "consent": _consent,
}
"""Kind of post that is no choice -> the function that makes its event: a name, the bot of a seat ("": its person), a
note, a word to all, giving up, a draw, an undo, an answer."""
