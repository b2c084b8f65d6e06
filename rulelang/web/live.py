"""One game in memory, folded from its events: who may look, what each sees, what it waits for.

Enters: events of the store, in order. Leaves: `View`s and stamps for readers, the next events for the store.

Event 0 (`game`) holds `ruleset` (path, overlays, name, hash), `players`, `options`, `seed`, `start` (hash), `bots`
(party -> name), `keys` (seat or `links` -> hash of a token), `spectators`, `clock` (null, or `bank` and `each` in
and `bot`). Then follow `act` (id, hash, by), `undo` (left, seen), `ask` (left), `answer` (yes), `name`, `sit` (bot or
null), `key` (hash), `note` (text).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from rulelang.diagnostics import IllegalAction, RuleError, UsageError
from rulelang.game import Ruleset, State
from rulelang.runtime.sight import SPECTATOR, has_secrets
from rulelang.session import HUMAN, PERSON, Session, Undo
from rulelang.table.sheet import sheet
from rulelang.web import seats
from rulelang.web.store import Event
from rulelang.web.view import EVENTS, Asked, View

Json = dict[str, Any]

GRACE = 60.0
"""Who takes back a seat whose time was up has so many seconds."""


class RefusedError(Exception):
    """What was asked for is not done.

    Attributes:
        status: as in HTTP. code: names the reason, for a message in the reader's language.
    """

    def __init__(self, status: int, code: str, detail: str = "") -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail = status, code, detail


class Live:
    """One game: its session, and what people did around it.

    Attributes:
        number: that of the next event. names, keys: by seat. bots: party -> name. asked: an undo that waits for answers
            (steps that are to be left, seat, seats that said yes). undos: how many there were. used: seat -> seconds
            that it has thought. since: seat that thinks now -> since when. times: seconds each step took.
    """

    def __init__(self, game: str, ruleset: Ruleset, first: Event) -> None:
        self.game, self.begun = game, first.body
        self.number = 1
        state = ruleset.new_game(self.begun["players"], self.begun["seed"], self.begun["options"])
        self.session = Session.new(state, self.begun["seed"], dict.fromkeys(range(len(state.parties)), HUMAN))
        if ruleset.hash != self.begun["ruleset"]["hash"] or state.hash() != self.begun["start"]:
            raise RefusedError(409, "changed")
        self.keys: dict[str, str] = dict(self.begun["keys"])
        self.bots: dict[int, str] = {int(party): name for party, name in self.begun["bots"].items()}
        self.names: dict[int, str] = {}
        self.notes: list[tuple[int, int, str]] = []
        self.asked: tuple[int, int, set[int]] | None = None
        self.undos = 0
        self.used: dict[int, float] = {}
        self.since: dict[int, float] = {}
        self.times: list[float] = []
        self.secrets = has_secrets(ruleset.program)
        self._readers = (SPECTATOR, *range(state.players))
        self._counts = [self._count()]
        self._seen: dict[int, tuple[Json, str, dict[str, str]]] = {}
        self._pass_time(first.at)

    def _count(self) -> dict[int, int]:
        return {seat: self.session.state.event_count(seat) for seat in self._readers}

    # ---- events

    def fold(self, event: Event) -> None:
        """Take an event of the store in; an act is verified by its hash.

        Raises:
            RefusedError: it does not lead where it led when it was written.
        """
        assert event.number == self.number
        if event.kind == "act":
            assert event.seat is not None
            try:
                self.act(event.seat, event.body["id"], event.body["by"], event.at)
            except (IllegalAction, RuleError, UsageError):
                raise RefusedError(409, "changed") from None
            if self.session.record.steps[-1].hash != event.body["hash"]:
                raise RefusedError(409, "changed")
        else:
            _FOLDS[event.kind](self, event)
            self._pass_time(event.at)
            self._seen.clear()
        self.number += 1

    def act(self, seat: int, id_: str, by: str, at: float) -> str:
        """Make a choice; return the state's hash after it.

        Raises:
            IllegalAction, RuleError, UsageError: it can't be made; all is as it was.
        """
        self.session.choose(self.session.state.legal(id_, seat), seat, by)
        self.asked = None
        self.times.append(at - self.since.get(seat, at))
        self._counts.append(self._count())
        self._pass_time(at, seat)
        self._seen.clear()
        return self.session.record.steps[-1].hash

    def _pass_time(self, at: float, acted: int = -1) -> None:
        """Count the time of the seats that thought until now, and begin that of those who are to think."""
        clock, waits = self.begun["clock"], set(self.session.state.current_players()) - set(self.bots)
        for seat in [seat for seat in self.since if seat == acted or seat not in waits]:
            self.used[seat] = self.used.get(seat, 0.0) + max(at - self.since.pop(seat), 0.0)
            if clock and seat == acted:
                self.used[seat] -= clock["each"]
        for seat in waits - set(self.since):
            self.since[seat] = at

    def _undo(self, event: Event) -> None:
        assert event.seat is not None
        self.session.undo(Undo(event.body["left"], event.seat, tuple(event.body["seen"])))
        del self.times[event.body["left"] :], self._counts[event.body["left"] + 1 :]
        self.undos += 1
        self.asked = None

    def _ask(self, event: Event) -> None:
        assert event.seat is not None
        self.asked = event.body["left"], event.seat, {event.seat}

    def _answer(self, event: Event) -> None:
        if self.asked is not None and event.seat is not None:
            if event.body["yes"]:
                self.asked[2].add(event.seat)
            else:
                self.asked = None

    def _name(self, event: Event) -> None:
        assert event.seat is not None
        self.names[event.seat] = event.body["name"]

    def _sit(self, event: Event) -> None:
        assert event.seat is not None
        clock = self.begun["clock"]
        if event.body["bot"] is not None:
            self.bots[event.seat] = event.body["bot"]
        elif self.bots.pop(event.seat, None) is not None and clock:
            self.used[event.seat] = min(self.used.get(event.seat, 0.0), clock["bank"] - max(clock["each"], GRACE))

    def _key(self, event: Event) -> None:
        self.keys[str(event.seat)] = event.body["hash"]

    def _note(self, event: Event) -> None:
        assert event.seat is not None
        self.notes.append((len(self.session.moments), event.seat, event.body["text"]))

    # ---- readers

    def check(self, place: str, token: str | None) -> int:
        """Return the seat that a token opens; `SPECTATOR` for who may look on.

        Raises:
            RefusedError: it opens none. It is the same for a wrong token, a wrong seat and none at all.
        """
        if place == seats.WATCH:
            policy = self.begun["spectators"]
            if policy == "public" or (policy == "after" and self.session.state.is_terminal()):
                return SPECTATOR
        elif place.isdecimal() and place in self.keys and seats.fits(token, self.keys[place]):
            return int(place)
        raise RefusedError(404, "no_seat")

    @property
    def revealed(self) -> bool:
        """Whether everybody may know everything: the record with its seed, the game from any seat's view."""
        return self.session.state.is_terminal()

    def people(self) -> list[int]:
        """The seats that people have."""
        return [seat for seat in range(self.session.state.players) if seat not in self.bots]

    def undoing(self, seat: int) -> Undo | None:
        """What taking back the last choice of a seat would mean; None where there is nothing to take back."""
        return self.session.undoing(seat) if seat >= 0 else None

    def undo_word(self, seat: int) -> str:
        """Return `free`, `ask` or nothing. Whether anything was learnt is only asked where nobody else moved since."""
        if seat < 0 or self.asked is not None:
            return ""
        for moment in reversed(self.session.moments):
            if moment.seat == seat and moment.by == PERSON:
                undo = self.undoing(seat)
                return "free" if undo is not None and undo.free else "ask"
            if moment.seat != seat:
                break
        return "ask" if any(moment.seat == seat and moment.by == PERSON for moment in self.session.moments) else ""

    def stamp(self, seat: int) -> str:
        """Stand for all that the seat sees: another one whenever that is another, and never the same again after a
        choice of the seat. It is worked out from what the seat sees, and so tells nothing else."""
        return self._look(seat)[1]

    def drawn(self, seat: int) -> dict[str, str] | None:
        """The tables drawn for a reader since the last event, by language, for other pages that show the same; None
        where the time shows."""
        return None if self.begun["clock"] else self._look(seat)[2]

    def _look(self, seat: int) -> tuple[Json, str, dict[str, str]]:
        if seat not in self._seen:
            state = self.session.state
            observation = state.observation(seat)
            seen = [observation, self._counts[-1][seat], self.undos, sorted(self.names.items())]
            asked = [self.asked[:2], sorted(self.asked[2])] if self.asked else None
            text = json.dumps([seen, asked, sorted(self.bots.items())])
            self._seen[seat] = observation, hashlib.sha256(text.encode()).hexdigest()[:20], {}
        return self._seen[seat]

    def visible(self, seat: int) -> list[int]:
        """The steps after which the seat saw something new; 0 is the start. Their number tells nothing but that."""
        counts = [count[seat] for count in self._counts]
        return [0, *(number for number in range(1, len(counts)) if counts[number] != counts[number - 1])]

    def view(
        self, seat: int, lang: str, now: float, picks: Sequence[str] = (), find: str = "", notice: str = ""
    ) -> View:
        """What the seat may know."""
        observation, stamp, _ = self._look(seat)
        decides = seat >= 0 and seat in self.session.state.current_players() and seat not in self.bots
        return self._drawn(
            self.session.state, seat, lang, self._counts[-1][seat],
            observation=observation, stamp=stamp, undo=self.undo_word(seat), asked=self._waiting(),
            decision=self.session.state.decision(seat) if decides else None, clocks=self.clocks(now),
            picks=tuple(picks), find=find, notice=notice,
        )  # fmt: skip

    def replayed(self, seat: int, reader: int, lang: str, at: int) -> View:
        """The game as `reader` saw it after `at` of the changes that it saw, for the page of a seat."""
        steps = self.visible(reader)
        at = min(max(at, 0), len(steps) - 1)
        state = self.session.before(steps[at])
        return self._drawn(
            state, reader, lang, state.event_count(reader), observation=state.observation(reader),
            stamp=f"{at}", replay=(at, len(steps) - 1), decision=None, base=seat,
        )  # fmt: skip

    def _drawn(self, state: State, seat: int, lang: str, count: int, base: int | None = None, **parts: Any) -> View:
        over = state.is_terminal()
        base = seat if base is None else base
        return View(
            ruleset=state.ruleset,
            lang=lang,
            game=self.game,
            base=f"/g/{self.game}/{base if base >= 0 else seats.WATCH}",
            seat=seat if seat >= 0 else None,
            players=state.players,
            parties=state.parties,
            options=state.options,
            names=tuple(self.names.get(party, "") for party in range(state.players)),
            bots=dict(sorted(self.bots.items())),
            events=state.story(seat, max(count - EVENTS, 0), lang),
            over=over,
            scores=state.scores() if over else None,
            ranks=state.ranks() if over else None,
            winners=state.winners() if over else None,
            stage=state.stage(),
            spectators=self.begun["spectators"],
            refusals=lambda: state.refusals(seat, lang) if seat >= 0 else [],
            sheet=lambda: sheet(state, seat if seat >= 0 else None) if seat >= 0 or over else None,
            **parts,
        )

    def _waiting(self) -> Asked | None:
        if self.asked is None:
            return None
        left, seat, agreed = self.asked
        waiting = tuple(person for person in self.people() if person not in agreed)
        return Asked(seat, len(self.session.moments) - left, waiting)

    # ---- what it waits for

    def clocks(self, now: float) -> dict[int, float]:
        """The seconds that each person has left; nothing in a game without clocks."""
        clock = self.begun["clock"]
        if clock is None:
            return {}
        used = {seat: self.used.get(seat, 0.0) + max(now - self.since.get(seat, now), 0.0) for seat in self.people()}
        return {seat: clock["bank"] - seconds for seat, seconds in used.items()}

    def deadline(self) -> float | None:
        """When the first clock runs out, in seconds since 1970; None where none runs."""
        clock = self.begun["clock"]
        ends = [since + clock["bank"] - self.used.get(seat, 0.0) for seat, since in self.since.items()] if clock else []
        return min(ends, default=None)

    def late(self, now: float) -> list[int]:
        """The seats whose time is up."""
        return [seat for seat, left in self.clocks(now).items() if left <= 0 and seat in self.since]

    def forced(self) -> tuple[int, str] | None:
        """A choice that is none, of a person. Where anybody has secrets it is left to the person: that there was only
        one option is not for others to know."""
        waits = self.session.state.current_players()
        if self.secrets or not waits or waits[0] in self.bots:
            return None
        action = self.session.forced(waits[0])
        return (waits[0], action.id) if action is not None else None

    def todo(self) -> Json:
        """What the game waits for that no person does: bots that are to choose, clocks."""
        waits = [(party, self.bots[party]) for party in self.session.state.current_players() if party in self.bots]
        return {"number": self.number, "bots": waits[:1], "deadline": self.deadline()}


_FOLDS: dict[str, Callable[[Live, Event], None]] = {
    "undo": Live._undo,
    "ask": Live._ask,
    "answer": Live._answer,
    "name": Live._name,
    "sit": Live._sit,
    "key": Live._key,
    "note": Live._note,
}
