"""Saved games: one JSON document with the record and the state.

Enters: a session, or an untrusted text. Leaves: the text, or the session as it was; SaveError if the text is invalid.
The recorded game is replayed and must end in the saved state, so that undo works after loading.

The document is one object: `rulelang_save` (1), `record` (see `rulelang.record`), `state` (see `State.to_json`),
`seats` (party -> player), `names` (of the seats), `bots` (party -> state of its generator), `scripts` (seat ->
remaining lines, each number and id) and `choices`, one for each step (`by`, and `position` or `line` where an undo must
restore them).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from rulelang.agents import ScriptedAgent, check_bot, make_bot
from rulelang.diagnostics import SaveError, UsageError, counted
from rulelang.documents import json_object, read_as
from rulelang.game import Ruleset, load
from rulelang.limits import GAME_BYTES
from rulelang.record import record_of, replayed
from rulelang.session import BOT, FORCED, HUMAN, PERSON, SCRIPT, ChoiceMoment, Line, Session

VERSION = 1


def free_name(name: str) -> str:
    """Return the first name for a save that no file has: `reco.save`, `reco-2.save`."""
    return next(text for text in _names(name) if not Path(text).exists())


def _names(name: str) -> Iterator[str]:
    """Yield the names for saves."""
    yield f"{name}.save"
    yield from (f"{name}-{number}.save" for number in count(2))


@dataclass(frozen=True)
class _Save:
    """The document without its version."""

    record: dict[str, Any]
    state: dict[str, Any]
    seats: dict[str, str]
    bots: dict[str, int]
    scripts: dict[str, list[Line]]
    choices: list[dict[str, Any]]
    lang: str = ""  # an older save says none, nor `names`
    names: list[str] = field(default_factory=list)


def save_text(session: Session) -> str:
    """Return the document of a session."""
    document = _Save(
        session.record.document(),
        json.loads(session.state.to_json()),
        {str(party): name for party, name in session.who.items()},
        {str(party): bot.position for party, bot in session.bots.items()},
        {str(seat): script.lines for seat, script in session.scripts.items()},
        [_choice(moment) for moment in session.moments],
        session.lang,
        list(session.state.names),
    )
    return json.dumps({"rulelang_save": VERSION, **vars(document)}, indent=1, ensure_ascii=False, default=vars) + "\n"


def _choice(moment: ChoiceMoment) -> dict[str, Any]:
    """Return how a choice was made, for `choices`."""
    return {key: value for key, value in vars(moment).items() if key != "seat" and value is not None}


def read_save(text: str, ruleset: Ruleset | None = None) -> Session:
    """Return the session of a document.

    Args:
        ruleset: None for the one that the record names.

    Raises:
        SaveError: it is invalid, or not of this ruleset. RulesetError: the recorded ruleset can't be loaded.
    """
    top = json_object(text, "the saved game", GAME_BYTES)
    if top.get("rulelang_save") != VERSION:
        raise SaveError("this is no saved game, or one of another version")
    save = read_as(_Save, top)
    record = record_of(save.record)
    if len(save.choices) != len(record.steps):
        raise SaveError(
            f"there are {counted(len(save.choices), 'choice')}, but {counted(len(record.steps), 'step')} on record"
        )
    moments = [
        read_as(ChoiceMoment, {**choice, "seat": step.seat}, f"`choices` {number}: ")
        for number, (step, choice) in enumerate(zip(record.steps, save.choices, strict=True), 1)
    ]
    ruleset = ruleset if ruleset is not None else load(record.ruleset.path, record.ruleset.overlays)
    state, positions = replayed(record, ruleset)
    saved = ruleset.state_from_json(json.dumps(save.state))
    if saved.hash() != state.hash():
        raise SaveError("the saved state is not the one that the game on record ends in")
    parties = len(state.parties)
    session = Session(state, record.seed, _players(save.seats, parties), record, positions, moments)
    for party, name in session.who.items():
        if name != HUMAN:
            session.bots[party] = make_bot(name, record.seed, party)
    for party, position in _by_party(save.bots, "bots", parties).items():
        if party not in session.bots:
            raise SaveError(f"`bots` has no bot's position at {party}")
        session.bots[party].position = position
    for seat, lines in _by_party(save.scripts, "scripts", parties).items():
        session.scripts[seat] = ScriptedAgent(lines)
    session.state = state.named(tuple(save.names[:parties]))
    session.lang = save.lang if save.lang in ruleset.written.languages else session.lang
    for number, moment in enumerate(moments, 1):  # undoing must find the bots and scripts that it brings back
        if moment.by not in (PERSON, FORCED, BOT, SCRIPT):
            raise SaveError(f"`choices` {number}: nothing is chosen by `{moment.by}`")
        for by, agents, stood in ((BOT, session.bots, moment.position), (SCRIPT, session.scripts, moment.line)):
            if (moment.by == by) != (stood is not None) or (moment.by == by and moment.seat not in agents):
                raise SaveError(f"step {number} was chosen by a {by} that is not in this game")
    return session


Value = TypeVar("Value")


def _by_party(values: dict[str, Value], key: str, parties: int) -> dict[int, Value]:
    """Return values by party, which the document has by its name.

    Args:
        key: of the document, for errors.

    Raises:
        SaveError: the game has no such party.
    """
    for name in values:
        if name not in map(str, range(parties)):
            raise SaveError(f"`{key}` names the party {name[:20]}, which is not in this game")
    return {int(name): value for name, value in values.items()}


def _players(names: dict[str, str], parties: int) -> dict[int, str]:
    """Return who plays each party.

    Raises:
        SaveError: a party lacks, or there is no such bot.
    """
    seats = _by_party(names, "seats", parties)
    for name in seats.values():
        try:
            if name != HUMAN:
                check_bot(name)
        except UsageError as error:
            raise SaveError(str(error)) from None
    if len(seats) != parties:
        raise SaveError("`seats` must say who plays each party")
    return dict(sorted(seats.items()))
