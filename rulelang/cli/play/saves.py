"""Games put aside: one JSON document with the record and the state.

Enters: a session, or a text that nobody vouches for. Leaves: the text, or the session as it stood; SaveError with what
is wrong. The game on record is played again and must end in the saved state, so that undoing works after loading.

The document is one object: `rulelang_save` (1), `record` (see `rulelang.record`), `state` (see `State.to_json`),
`seats` (party -> who), `bots` (party -> where its generator stands), `scripts` (seat -> lines that are left, each
number and id) and `choices`, one for each step (`by`, and `position` or `line` where undoing must bring them back).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from rulelang.agents import ScriptedAgent, check_bot, make_bot
from rulelang.diagnostics import SaveError, UsageError
from rulelang.game import Ruleset, load
from rulelang.record import json_object, list_of, numbered, object_of, record_of, replayed, text_of, whole_of
from rulelang.session import BOT, FORCED, HUMAN, PERSON, SCRIPT, Line, Moment, Session

VERSION = 1


def free_name(name: str) -> str:
    """A file for a game of this name that is not there yet: `reco.save`, `reco-2.save`."""
    return next(text for text in _names(name) if not Path(text).exists())


def _names(name: str) -> Iterator[str]:
    yield f"{name}.save"
    yield from (f"{name}-{number}.save" for number in count(2))


def save_text(session: Session) -> str:
    """The document."""
    document = {
        "rulelang_save": VERSION,
        "record": session.record.document(),
        "state": json.loads(session.state.to_json()),
        "seats": {str(party): name for party, name in session.who.items()},
        "bots": {str(party): bot.position for party, bot in session.bots.items()},
        "scripts": {str(seat): script.lines for seat, script in session.scripts.items()},
        "lang": session.lang,
        "choices": [_choice(moment) for moment in session.moments],
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _choice(moment: Moment) -> dict[str, Any]:
    choice: dict[str, Any] = {"by": moment.by}
    if moment.position is not None:
        choice["position"] = moment.position
    if moment.line is not None:
        choice["line"] = moment.line
    return choice


def read_save(text: str, ruleset: Ruleset | None = None) -> Session:
    """The session that a document describes.

    Args:
        ruleset: None for the one that the record names.

    Raises:
        SaveError: it is none, or not one of this ruleset.
        RulesetError: the ruleset that the record names can't be loaded.
    """
    top = json_object(text, "the saved game")
    if top.get("rulelang_save") != VERSION:
        raise SaveError("this is no saved game, or one of another version")
    record = record_of(object_of(top.get("record"), "`record`"))
    choices = [_choice_of(row, at) for at, row in numbered("choice", list_of(top, "choices", dict))]
    if len(choices) != len(record.steps):
        raise SaveError(f"there are {len(choices)} choices, but {len(record.steps)} steps on record")
    ruleset = ruleset if ruleset is not None else load(record.path, record.overlays)
    moments = [Moment(step.seat, *choice) for step, choice in zip(record.steps, choices, strict=True)]
    state, positions = replayed(record, ruleset)
    saved = ruleset.state_from_json(json.dumps(object_of(top.get("state"), "`state`")))
    if saved.hash() != state.hash():
        raise SaveError("the saved state is not the one that the game on record ends in")
    parties = len(state.parties)
    session = Session(state, record.seed, _seats(top, parties), record, positions, moments)
    for party, name in session.who.items():
        if name != HUMAN:
            session.bots[party] = make_bot(name, record.seed, party)
    for party, position in _by_party(top, "bots", parties).items():
        if party not in session.bots or type(position) is not int:
            raise SaveError(f"`bots` has no bot's position at {party}")
        session.bots[party].position = position
    for seat, lines in _by_party(top, "scripts", parties).items():
        if not isinstance(lines, list):
            raise SaveError("`scripts` must hold lists")
        session.scripts[seat] = ScriptedAgent(_line(line) for line in lines)
    if top.get("lang") in ruleset.written.languages:  # an older save says none
        session.lang = str(top["lang"])
    _check_moments(session)
    return session


def _choice_of(row: dict[str, Any], at: str) -> tuple[str, int | None, Line | None]:
    by = text_of(row, "by", at)
    if by not in (PERSON, FORCED, BOT, SCRIPT):
        raise SaveError(f"{at}nothing is chosen by `{by}`")
    return (
        by,
        whole_of(row, "position", at) if by == BOT else None,
        _line(row.get("line"), at) if by == SCRIPT else None,
    )


def _line(value: Any, at: str = "") -> Line:
    if not (isinstance(value, list) and len(value) == 2 and type(value[0]) is int and isinstance(value[1], str)):
        raise SaveError(f"{at}a line of a script must be its number and the id of an action")
    return value[0], value[1]


def _by_party(top: dict[str, Any], key: str, parties: int) -> dict[int, Any]:
    values = {}
    for name, value in object_of(top.get(key), f"`{key}`").items():
        if name not in map(str, range(parties)):
            raise SaveError(f"`{key}` names the party {name[:20]}, which is not in this game")
        values[int(name)] = value
    return values


def _seats(top: dict[str, Any], parties: int) -> dict[int, str]:
    seats = _by_party(top, "seats", parties)
    for name in seats.values():
        try:
            if name != HUMAN:
                check_bot(str(name))
        except UsageError as error:
            raise SaveError(str(error)) from None
    if len(seats) != parties:
        raise SaveError("`seats` must say who plays each party")
    return dict(sorted(seats.items()))


def _check_moments(session: Session) -> None:
    """Undoing must find the bots and scripts that it brings back."""
    for number, moment in enumerate(session.moments, 1):
        if (moment.by == BOT and moment.seat not in session.bots) or (
            moment.by == SCRIPT and moment.seat not in session.scripts
        ):
            raise SaveError(f"step {number} was chosen by a {moment.by} that is not in this game")
