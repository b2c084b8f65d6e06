"""Games on record: choices, with the state's hash after each, so that a game can be played again and verified.

Enters: a game while it is played, or a JSON text that nobody vouches for. Leaves: the text, or the game replayed up to
its end; SaveError or `ReplayError` with the first thing that is not as recorded.

The document is one object: `rulelang_record` (1), `ruleset` (`path`, `overlays`, `name`, `hash`), `players`,
`options`, `seed`, `chance` (always `sampled`), `start` (hash), `steps` (`seat`, `id`, `hash` each), `scores` and
`winners` (null before the end), `scenario` where the game began as one of the ruleset's scenarios, and `undone` where
somebody took back what they had seen the end of: how many `steps` stood and how many of them went (`taken`), who took
them back (`seat`) and what had been `seen` since.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rulelang.diagnostics import IllegalAction, RuleError, SaveError, UsageError
from rulelang.documents import LongObject, read_as
from rulelang.game import Ruleset, State, load
from rulelang.languages import DEFAULT
from rulelang.limits import GAME_BYTES, POSITIONS, UNDONE
from rulelang.ruleset.files import means_shipped
from rulelang.runtime.sight import has_secrets

VERSION = 1

MOVED, CHANCE, SHOWN = SEEN = ("moved", "chance", "shown")
"""What may have been seen before an undo: another seat's choice, an outcome of chance, something hidden."""


class ReplayError(SaveError):
    """The game does not go as recorded."""


@dataclass(frozen=True)
class RecordedChoice:
    """A choice, and the state's hash after it."""

    seat: int
    id: str
    hash: str


@dataclass(frozen=True)
class Undone:
    """Steps that a seat took back although something had been seen since.

    Attributes:
        steps: how many stood then. taken: how many of them went. seen: of SEEN.
    """

    steps: int
    taken: int
    seat: int
    seen: tuple[str, ...]


@dataclass(frozen=True)
class PlayedRuleset:
    """Which ruleset a game was played with, and where it lay."""

    path: str
    overlays: tuple[str, ...]
    name: str
    hash: str


@dataclass
class Record:
    """A game on record, complete or not."""

    ruleset: PlayedRuleset
    players: int
    options: dict[str, int | bool | str]
    seed: int
    start: str
    steps: list[RecordedChoice] = field(default_factory=list)
    scores: list[int] | None = None
    winners: list[int] | None = None
    undone: list[Undone] = field(default_factory=list)
    scenario: str = ""

    @classmethod
    def of(cls, state: State, seed: int, scenario: str = "") -> Record:
        """Return the record of a game that has just been started with this seed, or as a scenario."""
        ruleset = state.ruleset
        return cls(
            PlayedRuleset(_lasting(ruleset.path), tuple(map(_lasting, ruleset.overlays)), ruleset.name, ruleset.hash),
            state.players,
            state.options,
            seed,
            state.hash(),
            scenario=scenario,
        )

    def add(self, seat: int, id_: str, state: State) -> None:
        """Append a step to the record; at the end of the game also scores and winners."""
        self.steps.append(RecordedChoice(seat, id_, state.hash()))
        if state.is_terminal():
            self.scores, self.winners = state.scores(), state.winners()

    def undo(self, left: int, seat: int, seen: Sequence[str]) -> None:
        """Remove all steps after the first `left`; note it in `undone` if `seen`, what was seen since, is not empty."""
        if seen:
            self.undone.append(Undone(len(self.steps), len(self.steps) - left, seat, tuple(seen)))
        del self.steps[left:]
        self.scores = self.winners = None

    def to_json(self) -> str:
        """Return the record as JSON text."""
        return json.dumps(self.document(), indent=1, ensure_ascii=False, default=vars) + "\n"

    def document(self) -> dict[str, Any]:
        """Return the record as a dictionary for `json.dumps`; empty optional fields are left out."""
        told = {key: value for key, value in vars(self).items() if value or key not in ("scenario", "undone")}
        return {"rulelang_record": VERSION, "chance": "sampled", **told}


def _lasting(path: str) -> str:
    """Return a ruleset's path made absolute, so that it is found from any folder; shipped names are unchanged."""
    return path if means_shipped(path) else str(Path(path).resolve())


# ---- reading ---------------------------------------------------------------------------------------


def read_record(text: str) -> Record:
    """Parse a record from JSON text.

    Raises:
        SaveError: it is none.
    """
    parts = LongObject(text, "the record", "steps", GAME_BYTES)
    record = record_of(parts.rest)
    record.steps = [
        read_as(RecordedChoice, _step(row, number), f"`steps` {number}: ")
        for number, row in enumerate(parts.elements(), 1)
    ]
    return record


def _step(row: Any, number: int) -> dict[str, Any]:
    """Return the object of a step; SaveError if it is none."""
    if not isinstance(row, dict):
        raise SaveError(f"`steps` {number} must be an object")
    return row


def record_of(top: dict[str, Any]) -> Record:
    """Convert a JSON object to a record; SaveError if it does not describe one."""
    if top.get("rulelang_record") != VERSION:
        raise SaveError("this is no record of a game, or one of another version")
    if top.get("chance") != "sampled":
        raise SaveError("only games with sampled chance are recorded")
    if isinstance(marks := top.get("undone"), list) and len(marks) > UNDONE:
        raise SaveError(f"more than {UNDONE} choices were taken back")
    record = read_as(Record, top)
    for number, mark in enumerate(record.undone, 1):
        if not set(mark.seen) <= set(SEEN) or len(set(mark.seen)) < len(mark.seen):
            raise SaveError(f"`undone` {number}: what was seen before an undo is of {', '.join(SEEN)}, each once")
        if not 0 <= mark.seat < record.players:
            raise SaveError(f"`undone` {number}: an undo must be a seat's")
    return record


# ---- positions -------------------------------------------------------------------------------------


class Positions:
    """Positions of a game by number of steps. At most `POSITIONS` are stored; others are replayed from the nearest."""

    def __init__(self, start: State) -> None:
        self._stored = {0: start.clone()}
        self._distance = 1
        self._last = 0, start.clone()
        self._lengths = [start.event_count()]  # of the log
        self._notations: dict[tuple[int, str], str] = {}

    def add(self, number: int, state: State) -> None:
        """Store the position after `number` steps; calls come in increasing order."""
        self._lengths[number:] = [state.event_count()]
        if number % self._distance:
            return
        self._stored[number] = state.clone()
        if len(self._stored) > POSITIONS:
            self._distance *= 2
            self._stored = {at: stored for at, stored in self._stored.items() if at % self._distance == 0}

    def at(self, number: int, steps: Sequence[RecordedChoice]) -> State:
        """Return a copy of the position after the first `number` steps, replayed from the nearest stored one."""
        nearest = max(at for at in self._stored if at <= number)
        at, state = self._last
        if not nearest <= at <= number:
            at, state = nearest, self._stored[nearest]
        state = state.clone()
        for step in steps[at:number]:
            state.apply(step.id, step.seat)
        self._last = number, state.clone()
        return state

    def cut(self, number: int) -> None:
        """Discard the stored positions after more than `number` steps."""
        self._stored = {at: state for at, state in self._stored.items() if at <= number}
        if self._last[0] > number:
            self._last = 0, self._stored[0]
        del self._lengths[number + 1 :]
        self._notations = {key: text for key, text in self._notations.items() if key[0] < number}

    def notation(self, number: int, steps: Sequence[RecordedChoice], lang: str) -> str:
        """Return the choice after the first `number` steps as its player writes it down, memoised; empty without."""
        if (number, lang) not in self._notations:
            step = steps[number]
            self._notations[number, lang] = self.at(number, steps).legal(step.id, step.seat).notation(lang)
        return self._notations[number, lang]

    def story(
        self,
        state: State,
        steps: Sequence[RecordedChoice],
        reader: int | None,
        since: int = 0,
        lang: str = DEFAULT,
        until: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return `State.story` of one of the positions, with the notations of choices that depend on the position, too:
        of the reader's own choices, and of all where nobody has secrets."""
        events = state.story(reader, since, lang, until)
        choices = {event["index"]: event for event in events if event["type"] == "choice"}
        if not choices or not state.ruleset.words(lang).notation.is_used:
            return events
        secrets, end = reader is not None and has_secrets(state.ruleset.program), state.event_count()
        numbers = [number for number, length in enumerate(self._lengths[: len(steps)]) if length < end]
        while numbers and (index := state.event_count(reader, self._lengths[number := numbers.pop()])) >= since:
            event = choices.get(index, {"seat": None})
            if event["seat"] == steps[number].seat and not (secrets and event["seat"] != reader):
                event["notation"] = self.notation(number, steps, lang)
        return events


# ---- playing again ---------------------------------------------------------------------------------


def replay(record: Record, ruleset: Ruleset | None = None, backend: str = "auto") -> Iterator[State]:
    """Replay a recorded game and yield its state (one object, advanced) after each step, its hash verified.

    Args:
        ruleset: None for the one that the record names. backend: what runs the rules, with the same results.

    Raises:
        ReplayError: the ruleset or the game is not as recorded. RulesetError: the ruleset that the record names
            can't be loaded. SaveError: the record does not fit the rules.
    """
    ruleset = ruleset if ruleset is not None else load(record.ruleset.path, record.ruleset.overlays)
    if ruleset.hash != record.ruleset.hash:
        raise ReplayError(f"{ruleset.path} is not the version of {record.ruleset.name} that the game was played with")
    try:
        state = begun(ruleset, record.players, record.seed, record.options, record.scenario, backend)
    except UsageError as error:
        raise SaveError(f"the record does not fit the ruleset: {error}") from None
    _same(state, record.start, "at the start")
    yield state
    for number, step in enumerate(record.steps, 1):
        try:
            state.apply(step.id, step.seat)
        except (IllegalAction, UsageError, RuleError) as error:
            raise ReplayError(f"step {number}: {error}") from None
        _same(state, step.hash, f"after step {number}, `{step.id}`")
        yield state
    if record.scores is not None and (not state.is_terminal() or state.scores() != record.scores):
        raise ReplayError(f"the scores at the end are {state.scores()}, not {record.scores}")
    if record.winners is not None and state.winners() != record.winners:
        raise ReplayError(f"the winners are {state.winners()}, not {record.winners}")


def begun(
    ruleset: Ruleset,
    players: int | None,
    seed: int,
    options: Mapping[str, int | bool | str],
    scenario: str = "",
    backend: str = "auto",
) -> State:
    """Start a new game, or open a scenario, which determines players, seed and options itself.

    Raises:
        UsageError: the ruleset does not have it. RulesetError: the scenario does not fit it. RuleError: a rule went
            wrong before the first node.
    """
    return ruleset.scenario(scenario, backend) if scenario else ruleset.new_game(players, seed, options, backend)


def replayed(record: Record, ruleset: Ruleset | None = None) -> tuple[State, Positions]:
    """Replay a recorded game and return its last state and the stored positions; errors as in `replay`."""
    states = replay(record, ruleset)
    state = next(states)
    positions = Positions(state)
    for number, state in enumerate(states, 1):
        positions.add(number, state)
    return state, positions


def _same(state: State, expected: str, where: str) -> None:
    """Raise ReplayError unless the state has the recorded hash."""
    if state.hash() != expected:
        raise ReplayError(f"{where} the state's hash is {state.hash()}, not {expected}")
