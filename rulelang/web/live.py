"""One game in memory, folded from its events: who may look, what each sees, what it waits for.

Enters: events of the store, in order. Leaves: `View`s and stamps for readers, the next events for the store.

Event 0 (`game`) holds `ruleset` (path, overlays, name, hash), `players`, `options`, `seed`, `scenario` (or ""), `start`
(hash), `bots` (party -> name), `keys` (seat or `links` -> hash of a token), `spectators`, `clock` (null, or `bank` and
`each` in and `bot`). Then follow `act` (id, hash, by, seconds, options: how many there were), `undo` (left, seen),
`ask` (left), `answer` (yes), `name`, `sit` (bot or null), `key` (hash), `note` (text), and under `--watch` `reload`
(ruleset: its new hash; start, hash: of the state at the start and now; of, kept: how many choices there were and are
left; lost: seat and id of the first that is not possible any more, with its texts by language if they were known to
whoever wrote that; or null).

What stands before the last `reload` was played by rules that are gone. It is taken in without a state, as the line of
choices that the reload then plays by the rules as they are.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulelang.diagnostics import IllegalAction, RuleError, UsageError
from rulelang.game import Ruleset, State
from rulelang.record import begun
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


@dataclass
class Choice:
    """A choice that was made, whether it still stands or not.

    Attributes:
        step: its number, from 1 on. seconds: how long its seat thought. options: how many it had.
        gone: what took it back: `undo` or `reload`. texts: its words by language, as far as they were known then.
    """

    step: int
    seat: int
    id: str
    by: str
    seconds: float
    options: int
    gone: str = ""
    texts: dict[str, str] = field(default_factory=dict)


class Live:
    """One game: its session, and what people did around it.

    Attributes:
        number: that of the next event. names, keys: by seat. bots: party -> name. asked: an undo that waits for
            answers (steps that are to be left, seat, seats that said yes). undos: seat -> how many. used: seat ->
            seconds that it has thought, since the rules changed. since: seat that thinks now -> since when.
        choices: all of them. line: those that stand. notes: after how many choices, by which seat, what.
        reload: the body of the last one, empty without any. pending: a reload that is not in the store yet, because the
            ruleset is not the one that the events know. faults: what is wrong with newer rules than these.

    Raises:
        RefusedError: the game does not go as the events say, or the ruleset is another one and `reloads` is not set.
        UsageError, RulesetError, RuleError: by these rules it can't even begin.
    """

    def __init__(self, game: str, ruleset: Ruleset, events: Sequence[Event], reloads: bool = False) -> None:
        self.game, self.ruleset, self.begun = game, ruleset, events[0].body
        self.number = 1
        self.keys: dict[str, str] = dict(self.begun["keys"])
        self.bots: dict[int, str] = {int(party): name for party, name in self.begun["bots"].items()}
        self.names: dict[int, str] = {}
        self.notes: list[tuple[int, int, str]] = []
        self.asked: tuple[int, int, set[int]] | None = None
        self.undos: Counter[int] = Counter()
        self.used: dict[int, float] = {}
        self.since: dict[int, float] = {}
        self.choices: list[Choice] = []
        self.line: list[Choice] = []
        self.reload: Json = {}
        self.pending: Event | None = None
        self.faults = ""
        self.secrets = has_secrets(ruleset.program)
        self._readers = (SPECTATOR, *range(self.begun["players"]))
        self._seen: dict[int, tuple[Json, str, dict[str, str]]] = {}
        self._playing = False
        base = next(event for event in reversed(events) if event.kind in ("reload", "game"))
        if ruleset.hash != (base.body["ruleset"] if base.number else base.body["ruleset"]["hash"]):
            if not reloads:
                raise RefusedError(409, "changed")
            base = self.pending = Event(len(events), "reload", None, {"ruleset": ruleset.hash, "lost": None})
        for event in events[1 : base.number]:
            self.fold(event)
        self._begin(base)
        for event in events[base.number + 1 :]:
            self.fold(event)

    def _begin(self, base: Event) -> None:
        """Start the state with event 0 or with the last reload; one that is pending says how far it gets."""
        body, game = base.body, self.begun
        state = begun(self.ruleset, game["players"], game["seed"], game["options"], game["scenario"])
        self.session = Session.new(state, game["seed"], dict.fromkeys(range(len(state.parties)), HUMAN))
        self.session.record.scenario = game["scenario"]
        self._counts = [self._count()]
        if base is self.pending:
            body |= {"start": state.hash(), "of": len(self.line), "kept": len(self.line)}
        try:
            for choice in self.line[: body.get("kept", 0)]:
                self._choose(choice.seat, choice.id, choice.by)
        except (IllegalAction, RuleError, UsageError):
            body |= {"kept": choice.step - 1, "lost": {"seat": choice.seat, "id": choice.id}}
        now = [self.session.record.start, self.session.state.hash()]
        if base is self.pending:
            body["hash"] = now[1]
        elif now != [body["start"], body.get("hash", body["start"])]:
            raise RefusedError(409, "changed")
        if base.kind == "reload":
            self.reload = body
            self._cut(body["kept"], "reload")
            self.number += base is not self.pending
        self._playing = True
        self._call_names()
        self._pass_time(base.at)

    def _count(self) -> dict[int, int]:
        return {seat: self.session.state.event_count(seat) for seat in self._readers}

    # ---- events

    def fold(self, event: Event) -> None:
        """Take an event of the store in; an act is verified by its hash.

        Raises:
            RefusedError: it does not lead where it led when it was written.
        """
        assert event.number == self.number
        seat, body = SPECTATOR if event.seat is None else event.seat, event.body
        if event.kind == "act" and self._playing:
            try:
                self._choose(seat, body["id"], body["by"])
            except (IllegalAction, RuleError, UsageError):
                raise RefusedError(409, "changed") from None
            if self.session.record.steps[-1].hash != body["hash"]:
                raise RefusedError(409, "changed")
        _FOLDS[event.kind](self, seat, body)
        if self._playing:
            self._pass_time(event.at, seat if event.kind == "act" else -1)
        self._seen.clear()
        self.number += 1

    def act(self, seat: int, id_: str, by: str, at: float) -> Json:
        """Make a choice; return the body of its event.

        Raises:
            IllegalAction, RuleError, UsageError: it can't be made; all is as it was.
        """
        options = self._choose(seat, id_, by)
        body = {"id": id_, "hash": self.session.record.steps[-1].hash, "by": by, "options": options}
        body["seconds"] = round(max(at - self.since.get(seat, at), 0.0), 1)
        self._act(seat, body)
        self._pass_time(at, seat)
        self._seen.clear()
        return body

    def _choose(self, seat: int, id_: str, by: str) -> int:
        """Play a choice; return how many there were."""
        action = self.session.state.legal(id_, seat)
        self.session.choose(action, seat, by)
        self._counts.append(self._count())
        return len(action.offer.options)

    def _act(self, seat: int, body: Json) -> None:
        """Put a choice on the line, played or by rules that are gone."""
        fields = {name: value for name, value in body.items() if name != "hash"}
        self.line.append(Choice(len(self.line) + 1, seat, **fields))
        self.choices.append(self.line[-1])
        self.asked = None

    def _reload(self, seat: int, body: Json) -> None:
        self._cut(body["kept"], "reload")

    def _cut(self, left: int, why: str) -> None:
        """Take the choices after the first `left` off the line; notes to them come before it."""
        for choice in self.line[left:]:
            choice.gone = why
        del self.line[left:]
        self.notes = [(min(step, left), seat, text) for step, seat, text in self.notes]
        self.asked = None

    def _pass_time(self, at: float, acted: int = -1) -> None:
        """Count the time of the seats that thought until now, and begin that of those who are to think."""
        clock, waits = self.begun["clock"], set(self.session.state.current_players()) - set(self.bots)
        for seat in [seat for seat in self.since if seat == acted or seat not in waits]:
            self.used[seat] = self.used.get(seat, 0.0) + max(at - self.since.pop(seat), 0.0)
            if clock and seat == acted:
                self.used[seat] -= clock["each"]
        for seat in waits - set(self.since):
            self.since[seat] = at

    def _undo(self, seat: int, body: Json) -> None:
        """Go back to the first steps that are left."""
        left = body["left"]
        if self._playing:
            for choice in self.line[left:]:
                choice.texts = self.texts(choice)
            self.session.undo(Undo(left, seat, tuple(body["seen"])))
            self._call_names()
            del self._counts[left + 1 :]
        self.undos[seat] += 1
        self._cut(left, "undo")

    def _ask(self, seat: int, body: Json) -> None:
        self.asked = body["left"], seat, {seat}

    def _answer(self, seat: int, body: Json) -> None:
        if self.asked is not None:
            if body["yes"]:
                self.asked[2].add(seat)
            else:
                self.asked = None

    def _name(self, seat: int, body: Json) -> None:
        self.names[seat] = body["name"]
        self._call_names()

    def _call_names(self) -> None:
        """Have texts call people by their names, once there is a state."""
        if self._playing:
            self.session.state = self._named(self.session.state)

    def _named(self, state: State) -> State:
        return state.named(self._called)

    @property
    def _called(self) -> tuple[str, ...]:
        return tuple(self.names.get(seat, "") for seat in range(self.begun["players"]))

    def _sit(self, seat: int, body: Json) -> None:
        clock = self.begun["clock"]
        if body["bot"] is not None:
            self.bots[seat] = body["bot"]
        elif self.bots.pop(seat, None) is not None and clock:
            self.used[seat] = min(self.used.get(seat, 0.0), clock["bank"] - max(clock["each"], GRACE))

    def _key(self, seat: int, body: Json) -> None:
        self.keys[str(seat)] = body["hash"]

    def _note(self, seat: int, body: Json) -> None:
        self.notes.append((len(self.line), seat, body["text"]))

    def show(self, faults: str) -> None:
        """Tell readers what is wrong with newer rules; nothing if nothing is."""
        if faults != self.faults:
            self.faults = faults
            self._seen.clear()

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
        """Return the seats that people have."""
        return [seat for seat in range(self.session.state.players) if seat not in self.bots]

    def undoing(self, seat: int) -> Undo | None:
        """Return what taking back the last choice of a seat would mean; None where there is nothing to take back."""
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
        return self._observed(seat)[1]

    def drawn(self, seat: int) -> dict[str, str] | None:
        """Return the tables drawn for a reader since the last event, by language, for other pages that show the same;
        None where the time shows."""
        return None if self.begun["clock"] else self._observed(seat)[2]

    def _observed(self, seat: int) -> tuple[Json, str, dict[str, str]]:
        """Return what a seat observes, the stamp of its page (a hash of all that it shows) and its texts by
        language; memoised until something changes."""
        if seat not in self._seen:
            state = self.session.state
            observation = state.observation(seat)
            seen = [observation, self._counts[-1][seat], self.undos.total(), sorted(self.names.items())]
            asked = [self.asked[:2], sorted(self.asked[2])] if self.asked else None
            notes = [note for note in self.notes if self.revealed or note[1] == seat]
            rules = [self._reloaded(seat), self.ruleset.hash, self.faults]
            text = json.dumps([seen, asked, sorted(self.bots.items()), notes, *rules])
            self._seen[seat] = observation, hashlib.sha256(text.encode()).hexdigest()[:20], {}
        return self._seen[seat]

    def visible(self, seat: int) -> list[int]:
        """Return the steps after which the seat saw something new; 0 is the start. Their number tells nothing but
        that."""
        counts = [count[seat] for count in self._counts]
        return [0, *(number for number in range(1, len(counts)) if counts[number] != counts[number - 1])]

    def view(
        self, seat: int, lang: str, now: float, picks: Sequence[str] = (), find: str = "", notice: str = ""
    ) -> View:
        """Return what the seat may know."""
        observation, stamp, _ = self._observed(seat)
        decides = seat >= 0 and seat in self.session.state.current_players() and seat not in self.bots
        return self._drawn(
            self.session.state, seat, lang, self._counts[-1][seat], len(self.line),
            observation=observation, stamp=stamp, undo=self.undo_word(seat), asked=self._waiting(),
            decision=self.session.state.decision(seat) if decides else None, clocks=self.clocks(now),
            picks=tuple(picks), find=find, notice=notice, diagnostics=self.faults, reload=self._reloaded(seat),
        )  # fmt: skip

    def replayed(self, seat: int, reader: int, lang: str, at: int) -> View:
        """Return the game as `reader` saw it after `at` of the changes that it saw, for the page of a seat."""
        steps = self.visible(reader)
        at = min(max(at, 0), len(steps) - 1)
        state, until = self._named(self.session.before(steps[at])), [*steps, len(self.line) + 1][at + 1] - 1
        return self._drawn(
            state, reader, lang, state.event_count(reader), until, observation=state.observation(reader),
            stamp=f"{at}", replay=(at, len(steps) - 1), decision=None, base=seat,
            fork=steps[at] if self.revealed else None,
        )  # fmt: skip

    def words(self, choice: Choice, lang: str) -> str:
        """Return a choice in words, or else its id where they are not known any more."""
        if choice.gone:
            return choice.texts.get(lang, choice.id)
        return self._named(self.session.before(choice.step - 1)).legal(choice.id, choice.seat).text(lang)

    def texts(self, choice: Choice) -> dict[str, str]:
        """Return a choice in words, by language."""
        return {lang: self.words(choice, lang) for lang in self.ruleset.written.languages}

    def explain(self, before: Live) -> None:
        """Take the words of the choice that a pending reload loses from the game by the rules before."""
        body = self.pending.body if self.pending is not None else {}
        for choice in before.line[body["kept"] :][:1] if body.get("lost") else ():
            body["lost"]["texts"] = before.texts(choice)

    def _reloaded(self, seat: int) -> Json:
        """Return the last reload, until a person has chosen since; what is not possible any more is for who chose
        it."""
        if not self.reload or any(choice.by == PERSON for choice in self.line[self.reload["kept"] :]):
            return {}
        lost = self.reload["lost"]
        visible = lost and ({"texts": {}} | lost if seat == lost["seat"] else {"seat": lost["seat"], "id": ""})
        return {"kept": self.reload["kept"], "of": self.reload["of"], "lost": visible}

    def _drawn(
        self, state: State, seat: int, lang: str, count: int, step: int, base: int | None = None, **parts: Any
    ) -> View:
        """Return the view of a state for a seat."""
        over = state.is_terminal()
        base = seat if base is None else base
        return View(
            ruleset=state.ruleset, lang=lang, players=state.players, parties=state.parties, options=state.options,
            over=over, stage=state.stage(), winners=state.winners() if over else None,
            base=f"/g/{self.game}/{base if base >= 0 else seats.WATCH}",
            seat=seat if seat >= 0 else None,
            names=self._called, bots=dict(sorted(self.bots.items())),
            events=state.story(seat, max(count - EVENTS, 0), lang),
            notes=tuple(
                (self._counts[at][seat], author, text)
                for at, author, text in self.notes
                if at <= step and (self.revealed or author == seat)
            ),
            refusals=lambda: state.refusals(seat, lang) if seat >= 0 else [],
            sheet=lambda: sheet(state, seat if seat >= 0 else None) if seat >= 0 or over else None,
            **parts,
        )  # fmt: skip

    def _waiting(self) -> Asked | None:
        if self.asked is None:
            return None
        left, seat, agreed = self.asked
        waiting = tuple(person for person in self.people() if person not in agreed)
        return Asked(seat, len(self.session.moments) - left, waiting)

    # ---- what it waits for

    def clocks(self, now: float) -> dict[int, float]:
        """Return the seconds that each person has left; nothing in a game without clocks."""
        clock = self.begun["clock"]
        if clock is None:
            return {}
        used = {seat: self.used.get(seat, 0.0) + max(now - self.since.get(seat, now), 0.0) for seat in self.people()}
        return {seat: clock["bank"] - seconds for seat, seconds in used.items()}

    def deadline(self) -> float | None:
        """Return when the first clock runs out, in seconds since 1970; None where none runs."""
        clock = self.begun["clock"]
        ends = [since + clock["bank"] - self.used.get(seat, 0.0) for seat, since in self.since.items()] if clock else []
        return min(ends, default=None)

    def late(self, now: float) -> list[int]:
        """Return the seats whose time is up."""
        return [seat for seat, left in self.clocks(now).items() if left <= 0 and seat in self.since]

    def forced(self) -> tuple[int, str] | None:
        """Return a choice that is none, of a person. Where anybody has secrets it is left to the person: that there was
        only one option is not for others to know."""
        waits = self.session.state.current_players()
        if self.secrets or not waits or waits[0] in self.bots:
            return None
        action = self.session.forced(waits[0])
        return (waits[0], action.id) if action is not None else None

    def todo(self) -> Json:
        """Return what the game waits for that no person does: bots that are to choose, clocks."""
        waits = [(party, self.bots[party]) for party in self.session.state.current_players() if party in self.bots]
        return {"number": self.number, "bots": waits[:1], "deadline": self.deadline()}


_FOLDS: dict[str, Callable[[Live, int, Json], None]] = {
    kind: getattr(Live, f"_{kind}") for kind in "act reload undo ask answer name sit key note".split()
}
