"""One game in memory, folded from its events: access, views, clocks, pending bots.

Enters: events of the store, in order. Leaves: `View`s and stamps for readers, the next events for the store.

Event 0 (`game`) holds `ruleset` (path, overlays, name, hash), `players`, `options`, `seed`, `scenario` (or ""), `start`
(hash), `bots` (party -> name), `keys` (seat or `links` -> hash of a token), `spectators`, `clock` (null, or `bank` and
`each` in seconds and `bot`). Then follow `act` (id, hash, by, seconds, options: how many there were), `undo` (left,
seen), `ask` (left; null: for a draw), `answer` (yes), `name`, `sit` (bot or null; by), `key` (hash; by: `links` if by
who made the game), `note` and `chat` (text), `tell` (to, base, lang, code: hash of what is to be repeated, or ""),
`confirm`, `end` (how: `resigned` or `drawn`), `rematch` (game), and under `--watch` `reload` (ruleset: its new hash;
program: by which the store keeps it; start, hash: of the state at the start and now; of, kept: how many choices there
were and are left; lost: seat and id of the first that is not legal any more, with its texts by language if they were
known to whoever wrote that; or null).

Events before the last `reload` were played by earlier rules. They are folded
without a state, into the line of choices that the reload then plays by the current rules."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import inf
from typing import Any

from rulelang import numbers
from rulelang.diagnostics import IllegalAction, RuleError, UsageError
from rulelang.game import Ruleset, State
from rulelang.record import begun
from rulelang.runtime.sight import SPECTATOR, has_secrets
from rulelang.session import HUMAN, PERSON, Session, Undo
from rulelang.table.recent_events import noted
from rulelang.table.sheet import Sheet, sheet
from rulelang.web import seats
from rulelang.web.clock import CLOCK
from rulelang.web.store import StoredEvent
from rulelang.web.theme import theme_of
from rulelang.web.view import EVENTS, SINCE, Asked, View

Json = dict[str, Any]

GRACE = 60.0
"""Seconds left to a person who takes back a seat whose time was up."""


GUIDED = 4
"""So many choices of a seat are explained."""


TOLD = 100
"""So many choices of an undo are put into words for the report; those after them stand in it by their ids: bots may
have made thousands."""


class UnfinishedError(Exception):
    """Long work is begun; it goes on when the same is asked for again, so that others are answered in between."""


class UnloadedError(Exception):
    """A ruleset is to be loaded by a process that holds no game, and then asked for again; `args`: path, overlays."""


class RefusedError(Exception):
    """A request is refused.

    Attributes:
        status: as in HTTP. code: names the reason, for a message in the reader's language.
    """

    def __init__(self, status: int, code: str, detail: str = "") -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail = status, code, detail


@dataclass
class MadeChoice:
    """A choice that was made, still valid or taken back.

    Attributes:
        step: its number, from 1 on. by: how it was made (see `rulelang.session`). seconds: thinking time. options: how
            many there were. hash: of the state after it.
        gone: what took it back: `undo` or `reload`. texts: its words by language, if it was taken back.
    """

    step: int
    seat: int
    id: str
    by: str
    seconds: float
    options: int
    hash: str
    gone: str = ""
    texts: dict[str, str] = field(default_factory=dict)


class Live:
    """One game: its session, and what people did around it, once `open` has come to its end.

    Args:
        reloads: whether it may go on by another ruleset than that of its events.

    Attributes:
        current: the ruleset that the server has, which may mean something else than `ruleset`. changed: the names of
            what it declares otherwise; kept: the key of these rules in the store, "" where both mean the same.
        number: that of the next event. known: how many events it was made of.
        names, keys: by seat. bots: party -> name. asked: a pending undo or draw (steps to keep, None for a draw;
            seat, seats that agreed). ended: the body of the event that ended the game before its rules did, with its
            `seat`. rematch: the game that goes on with the same people.
            told: seat -> where its player is told of turns. undos: seat -> how many. used: seat -> seconds
            of thinking, since the rules changed. since: seat that is to choose -> since when. pauses: when no server
            ran, which is nobody's time. said: seat -> how many events it caused that are no choices.
        choices: all of them. line: the valid ones. notes: (after how many choices, seat, text, kind), a kind being
            `note`, which is its author's until the end, or what all read: `chat`, `key`, `resigned`, `drawn`.
        reload: the body of the last one, empty without any. pending: a reload that is not in the store yet, because the
            ruleset is not the one that the events know. faults: errors of newer rules than these.
    """

    def __init__(self, game: str, ruleset: Ruleset, events: Sequence[StoredEvent], reloads: bool = False) -> None:
        self.game, self.ruleset, self.begun = game, ruleset, events[0].body
        self.current, self.changed, self.kept = ruleset, list[str](), ""
        self.number, self.known = 1, len(events)
        self.keys: dict[str, str] = dict(self.begun["keys"])
        self.bots: dict[int, str] = {int(party): name for party, name in self.begun["bots"].items()}
        self.names: dict[int, str] = {}
        self.notes: list[tuple[int, int, str, str]] = []
        self.asked: tuple[int | None, int, set[int]] | None = None
        self.ended: Json = {}
        self.rematch = ""
        self.told: dict[int, Json] = {}
        self.undos: Counter[int] = Counter()
        self.used: dict[int, float] = {}
        self.since: dict[int, float] = {}
        self.pauses: Sequence[tuple[float, float]] = ()
        self.said: Counter[int] = Counter()
        self.choices: list[MadeChoice] = []
        self.line: list[MadeChoice] = []
        self.reload: Json = {}
        self.pending: StoredEvent | None = None
        self.faults = ""
        self.secrets = has_secrets(ruleset.program)
        self._readers = (SPECTATOR, *range(self.begun["players"]))
        self._observations: dict[int, tuple[Json, str, dict[str, str]]] = {}
        self._sheets: dict[int, Sheet | None] = {}
        self._words: dict[tuple[int, str, tuple[str, ...]], str] = {}
        self._playing = False
        self._designed = reloads
        self._opening = self._open(events, reloads)

    def open(self, until: float = inf) -> bool:
        """Fold the events, until a time of the monotonic clock; return whether all are.

        Raises:
            RefusedError: the events can't be replayed, or the ruleset is another one and `reloads` is not set.
            UsageError, RulesetError, RuleError: the game can't begin by these rules.
        """
        return all(time.monotonic() < until for _ in self._opening)

    def _open(self, events: Sequence[StoredEvent], reloads: bool) -> Iterator[None]:
        """Fold the events, with a pause after each choice; see `open`."""
        base = next(event for event in reversed(events) if event.kind in ("reload", "game"))
        if self.ruleset.hash != (base.body["ruleset"] if base.number else base.body["ruleset"]["hash"]):
            if not reloads:
                raise RefusedError(409, "changed")
            base = self.pending = StoredEvent(len(events), "reload", None, {"ruleset": self.ruleset.hash, "lost": None})
        for event in events[1 : base.number]:
            self.fold(event)
        yield from self._start_from(base)
        for event in events[base.number + 1 :]:
            self.fold(event)
            yield

    def _start_from(self, base: StoredEvent) -> Iterator[None]:
        """Set up the state from event 0 and the last reload (`base`); a pending reload gets how many choices are still
        legal.

        Raises:
            RefusedError: the state has not the recorded hash.
        """
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
                yield
        except (IllegalAction, RuleError, UsageError):
            body |= {"kept": choice.step - 1, "lost": {"seat": choice.seat, "id": choice.id}}
        now = [self.session.record.start, self.session.state.hash()]
        if base is self.pending:
            body["hash"] = now[1]
        elif now != [body["start"], body.get("hash", body["start"])]:
            raise RefusedError(409, "changed")
        if base.kind == "reload":
            self.reload = body
            self._truncate_line(body["kept"], "reload")
            self.number += base is not self.pending
        self._playing = True
        self._name_people()
        self._pass_time(base.at)

    def _count(self) -> dict[int, int]:
        """Return the number of events that each reader has seen."""
        return {seat: self.session.state.event_count(seat) for seat in self._readers}

    # ---- events

    def fold(self, event: StoredEvent) -> None:
        """Apply an event of the store; an act is verified by its hash.

        Raises:
            RefusedError: it leads to another state than when it was written.
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
        if event.kind not in ("act", "answer", "reload") and body.get("by") != "clock":
            self.said[SPECTATOR if body.get("by") == seats.MAKER else seat] += 1
        _FOLDS[event.kind](self, seat, body)
        if self._playing:
            self._pass_time(event.at, seat if event.kind == "act" else -1)
        self._forget()
        self.number += 1

    def act(self, seat: int, id_: str, by: str, at: float) -> Json:
        """Make a choice; return the body of its event.

        Args:
            by: how it was made. at: time, in seconds since 1970.

        Raises:
            IllegalAction, RuleError, UsageError: it can't be made; the game is not changed.
        """
        options = self._choose(seat, id_, by)
        body = {"id": id_, "hash": self.session.record.steps[-1].hash, "by": by, "options": options}
        body["seconds"] = round(self.elapsed(self.since.get(seat, at), at), 1)
        self._act(seat, body)
        self._pass_time(at, seat)
        self._forget()
        return body

    def _forget(self) -> None:
        """Give up what is memoised until the next event."""
        self._observations.clear()
        self._sheets.clear()

    def _choose(self, seat: int, id_: str, by: str) -> int:
        """Play a choice; return how many options there were."""
        action = self.session.state.legal(id_, seat)
        self.session.choose(action, seat, by)
        self._counts.append(self._count())
        return len(action.offer.options)

    def _act(self, seat: int, body: Json) -> None:
        """Append a choice to the line, played or by earlier rules."""
        self.line.append(MadeChoice(len(self.line) + 1, seat, **body))
        self.choices.append(self.line[-1])
        self.asked = None

    def _truncate_line(self, left: int, why: str) -> None:
        """Take the choices after the first `left` off the line; notes on them move before the cut.

        Args:
            why: `undo` or `reload`.
        """
        for choice in self.line[left:]:
            choice.gone = why
        del self.line[left:]
        self.notes = [(min(step, left), *note) for step, note in ((note[0], note[1:]) for note in self.notes)]
        self.asked = None

    def elapsed(self, since: float, now: float) -> float:
        """Return the seconds between two times in which a server ran."""
        away = (max(min(end, now) - max(begin, since), 0.0) for begin, end in self.pauses)
        return max(now - since - sum(away), 0.0)

    def _pass_time(self, at: float, acted: int = -1) -> None:
        """Stop the clocks of seats that chose, and start those of seats that are to choose.

        Args:
            acted: the seat that chose; -1 for none.
        """
        clock, pending = self.begun["clock"], set(self.acting()) - set(self.bots)
        for seat in [seat for seat in self.since if seat == acted or seat not in pending]:
            self.used[seat] = self.used.get(seat, 0.0) + self.elapsed(self.since.pop(seat), at)
            if clock and seat == acted:
                self.used[seat] -= clock["each"]
        for seat in pending - set(self.since):
            self.since[seat] = at

    def _undo(self, seat: int, body: Json) -> None:
        """Fold an undo back to the first `left` choices."""
        left = body["left"]
        if self._playing:
            for choice in self.line[left:][:TOLD]:
                choice.texts = self.texts(choice)
            self.session.undo(Undo(left, seat, tuple(body["seen"])))
            self._name_people()
            del self._counts[left + 1 :]
        self.undos[seat] += 1
        self._truncate_line(left, "undo")

    def _ask(self, seat: int, body: Json) -> None:
        """Fold a request for an undo or a draw."""
        self.asked = body["left"], seat, {seat}

    def _answer(self, seat: int, body: Json) -> None:
        """Fold an answer to a request for an undo."""
        if self.asked is not None:
            if body["yes"]:
                self.asked[2].add(seat)
            else:
                self.asked = None

    def _name(self, seat: int, body: Json) -> None:
        """Fold a person's name."""
        self.names[seat] = body["name"]
        self._name_people()

    def _name_people(self) -> None:
        """Have texts use people's names, once there is a state."""
        if self._playing:
            self.session.state = self._with_names(self.session.state)

    def _with_names(self, state: State) -> State:
        """Return the state with people's names in its texts."""
        return state.named(self._people_names, seats.FIRST)

    @property
    def _people_names(self) -> tuple[str, ...]:
        """Return the names of people by seat, empty where unknown."""
        return tuple(self.names.get(seat, "") for seat in range(self.begun["players"]))

    def _sit(self, seat: int, body: Json) -> None:
        """Fold a handover of a seat to a bot or to its person; a person whose clock has run out gets GRACE."""
        clock = self.begun["clock"]
        if body["bot"] is not None:
            self.bots[seat] = body["bot"]
            self.tell(seat, "resigned" if body.get("by") == "resigned" else "")
        elif self.bots.pop(seat, None) is not None and clock:
            self.used[seat] = min(self.used.get(seat, 0.0), clock["bank"] - max(clock["each"], GRACE))

    def _key(self, seat: int, body: Json) -> None:
        """Fold a new token of a seat; all are told if its player did not ask for it."""
        self.keys[str(seat)] = body["hash"]
        self.tell(seat, "key" if body.get("by") == seats.MAKER else "")

    def tell(self, seat: int, kind: str, text: str = "") -> None:
        """Add a note on the present choice, unless its kind is empty."""
        if kind:
            self.notes.append((len(self.line), seat, text, kind))

    def _end(self, seat: int, body: Json) -> None:
        """Fold the end of a game that its people have ended."""
        self.ended, self.asked = body | {"seat": seat}, None
        self.tell(seat, body["how"])

    def _rematch(self, seat: int, body: Json) -> None:
        """Fold where the same people go on."""
        self.rematch = body["game"]

    def show(self, faults: str) -> None:
        """Set the errors of newer rules that readers are shown; empty for none."""
        if faults != self.faults:
            self.faults = faults
            self._forget()

    # ---- readers

    def check(self, place: str, token: str | None) -> int:
        """Return the seat that a token opens; `SPECTATOR` for the place of spectators.

        Raises:
            RefusedError: it opens none; the same for a wrong token, a wrong seat and no token.
        """
        if place == seats.WATCH:
            policy = self.begun["spectators"]
            if policy == "public" or (policy == "after" and self.revealed):
                return SPECTATOR
        elif place != seats.MAKER and place in self.keys and seats.fits(token, self.keys[place]):
            return self.seat(place)
        raise RefusedError(404, "no_seat")

    def seat(self, place: str) -> int:
        """Return the seat of a place.

        Raises:
            RefusedError: it is the place of no seat.
        """
        if place == seats.MAKER or place not in self.keys:
            raise RefusedError(404, "no_seat")
        return numbers.SEAT.read(place)

    @property
    def revealed(self) -> bool:
        """Return whether nothing is secret any more: the game is over, and its record and all views are public."""
        return bool(self.ended) or self.session.state.is_terminal()

    def acting(self) -> Sequence[int]:
        """Return the parties that are to choose."""
        return () if self.ended else self.session.state.current_players()

    def winners(self) -> list[int] | None:
        """Return the winning parties once the game is over: none of a draw, of two that who has not resigned."""
        if not self.ended:
            return self.session.state.winners() if self.revealed else None
        others = [party for party in range(len(self.session.state.parties)) if party != self.ended["seat"]]
        return others if self.ended["how"] == "resigned" and len(others) == 1 else []

    def people(self) -> list[int]:
        """Return the seats that people play."""
        return [seat for seat in range(self.session.state.players) if seat not in self.bots]

    def undoing(self, seat: int) -> Undo | None:
        """Return the undo of the last choice of a seat; None without any."""
        return self.session.undoing(seat) if seat >= 0 and not self.ended else None

    def undo_word(self, seat: int) -> str:
        """Return whether a seat's undo is `free` or needs to `ask`; empty without one. What was revealed is only
        computed where nobody else has chosen since."""
        if seat < 0 or self.asked is not None or self.ended:
            return ""
        for moment in reversed(self.session.moments):
            if moment.seat == seat and moment.by == PERSON:
                undo = self.undoing(seat)
                return "free" if undo is not None and undo.free else "ask"
            if moment.seat != seat:
                break
        return "ask" if any(moment.seat == seat and moment.by == PERSON for moment in self.session.moments) else ""

    def stamp(self, seat: int) -> str:
        """Return the stamp of a seat's page: a hash of its content, which differs whenever that does and never repeats
        after a choice of the seat. It depends on nothing else, and so reveals nothing."""
        return self._observed(seat)[1]

    def drawn(self, seat: int) -> dict[str, str] | None:
        """Return the cache of a reader's tables as HTML, by language, valid until the next event; None if the page
        shows a clock."""
        return None if self.begun["clock"] else self._observed(seat)[2]

    def _observed(self, seat: int) -> tuple[Json, str, dict[str, str]]:
        """Return a seat's observation, the stamp of its page and its cache of texts by language; memoised until the
        next event."""
        if seat not in self._observations:
            state = self.session.state
            observation = state.observation(seat) | {"shown": state.shown(seat)}
            if self.ended:
                observation["current"] = []
            contents = [observation, self._counts[-1][seat], self.undos.total(), sorted(self.names.items())]
            asked = [self.asked[:2], sorted(self.asked[2])] if self.asked else None
            notes = [note for note in self.notes if self._reads(seat, note)]
            rules = [
                self._reloaded(seat),
                self.ruleset.hash,
                self.ruleset.written.hash,
                self.faults,
                repr(theme_of(self.ruleset)),
            ]
            text = json.dumps([contents, asked, sorted(self.bots.items()), notes, self.ended, self.rematch, *rules])
            self._observations[seat] = observation, hashlib.sha256(text.encode()).hexdigest()[:20], {}
        return self._observations[seat]

    def _reads(self, seat: int, note: tuple[int, int, str, str]) -> bool:
        """Return whether a note is for the eyes of a seat."""
        return self.revealed or note[1] == seat or note[3] != "note"

    def visible(self, seat: int) -> list[int]:
        """Return the steps after which the seat saw something new; 0 is the start. Their number reveals nothing
        more."""
        counts = [count[seat] for count in self._counts]
        return [0, *(number for number in range(1, len(counts)) if counts[number] != counts[number - 1])]

    def view(
        self,
        seat: int,
        lang: str,
        now: float,
        picks: Sequence[str] = (),
        find: str = "",
        notice: str = "",
        since: int | None = None,
    ) -> View:
        """Return a seat's view of the game now.

        Args:
            now: time, for clocks. picks, find, notice: see `View`. since: the number of the first of the events, SINCE
                at most; None: the last ones.
        """
        observation, stamp, _ = self._observed(seat)
        decides = seat >= 0 and seat in self.acting() and seat not in self.bots
        own = (choice for choice in self.line if choice.seat == seat and choice.by == PERSON)
        return self._view_of(
            self.session.state, seat, lang, self._counts[-1][seat], len(self.line),
            observation=observation, stamp=stamp, undo=self.undo_word(seat), asked=self._pending_undo(),
            decision=self.session.state.decision(seat) if decides else None, clocks=self.clocks(now),
            picks=tuple(picks), find=find, notice=notice, diagnostics=self.faults, reload=self._reloaded(seat),
            guided=(len([*islice(own, GUIDED)]) + 1) % (GUIDED + 1) if decides else 0,
            rematch=bool(self.rematch), ended=self.ended, draws=self.draws(seat), since=since,
            sheet=lambda: self._sheet(seat),
        )  # fmt: skip

    def _sheet(self, seat: int) -> Sheet | None:
        """Return the score sheet that a reader is shown now, memoised: it may take as long as fifty pages."""
        if seat not in self._sheets:
            self._sheets[seat] = _sheet_for(self.session.state, seat, self.revealed)
        return self._sheets[seat]

    def draws(self, seat: int) -> bool:
        """Return whether a seat may ask the others for a draw."""
        return not self.revealed and self.asked is None and seat in self.people() and len(self.people()) > 1

    def replayed(self, seat: int, reader: int, lang: str, at: int) -> View:
        """Return an earlier position as a view.

        Args:
            seat: whose page it is. reader: the seat whose view is shown. at: how many of the reader's visible changes
                have happened.
        """
        steps = self.visible(reader)
        at = min(max(at, 0), len(steps) - 1)
        state, until = self._with_names(self.session.before(steps[at])), [*steps, len(self.line) + 1][at + 1] - 1
        return self._view_of(
            state, reader, lang, state.event_count(reader), until,
            observation=state.observation(reader) | {"shown": state.shown(reader)},
            stamp=f"{at}", replay=(at, len(steps) - 1), decision=None, base=seat,
            sheet=lambda: _sheet_for(state, reader, state.is_terminal()),
            fork=steps[at] if self.revealed else None,
        )  # fmt: skip

    def words(self, choice: MadeChoice, lang: str) -> str:
        """Return a choice in words, memoised; its id if they are not known any more."""
        if choice.gone:
            return choice.texts.get(lang, choice.id)
        key = id(choice), lang, self._people_names
        if key not in self._words:
            action = self._with_names(self.session.before(choice.step - 1)).legal(choice.id, choice.seat)
            self._words[key] = noted(action.text(lang), action.notation(lang), len(action.parts))
        return self._words[key]

    def put_into_words(self, lang: str, until: float) -> bool:
        """Memoise the words of all choices, until a time of the monotonic clock; return whether all are."""
        names = self._people_names
        missing = [choice for choice in self.line if (id(choice), lang, names) not in self._words]
        return all(self.words(choice, lang) is not None and time.monotonic() < until for choice in missing)

    def texts(self, choice: MadeChoice) -> dict[str, str]:
        """Return a choice in words, by language."""
        return {lang: self.words(choice, lang) for lang in self.ruleset.written.languages}

    def explain(self, before: Live) -> None:
        """Add the words of the choice that a pending reload loses, taken from the game by the rules before."""
        body = self.pending.body if self.pending is not None else {}
        for choice in before.line[body["kept"] :][:1] if body.get("lost") else ():
            body["lost"]["texts"] = before.texts(choice)

    def _reloaded(self, seat: int) -> Json:
        """Return the last reload as the seat may know it, until a person has chosen since; the lost choice is for its
        seat alone."""
        if not self.reload or any(choice.by == PERSON for choice in self.line[self.reload["kept"] :]):
            return {}
        lost = self.reload["lost"]
        visible = lost and ({"texts": {}} | lost if seat == lost["seat"] else {"seat": lost["seat"], "id": ""})
        return {"kept": self.reload["kept"], "of": self.reload["of"], "lost": visible}

    def _view_of(
        self,
        state: State,
        seat: int,
        lang: str,
        count: int,
        step: int,
        base: int | None = None,
        since: int | None = None,
        **parts: Any,
    ) -> View:
        """Return the view of a state for a seat.

        Args:
            count: events that the seat has seen. step: choices made. base: the seat of the page. since: as in `view`.
                parts: further fields.
        """
        over = state.is_terminal() or (bool(self.ended) and "replay" not in parts)
        first = max(count - EVENTS, 0) if since is None else min(since, count)
        until = min(first + SINCE, count)
        base = seat if base is None else base
        return View(
            ruleset=state.ruleset, lang=lang, players=state.players, parties=state.parties, options=state.options,
            over=over, stage=state.stage(), winners=self.winners() if over else None, scored=state.is_scored_alone(),
            ranks=state.ranks() if over and not self.ended else None,
            changed=tuple(self.changed), designer=self._designed,
            base=f"/g/{self.game}/{base if base >= 0 else seats.WATCH}",
            seat=seat if seat >= 0 else None,
            names=self._people_names, bots=dict(sorted(self.bots.items())),
            events=self.session.story(seat, first, lang, until, state), until=until, undone=self.undos.total(),
            notes=tuple(
                (self._counts[note[0]][seat], *note[1:])
                for note in self.notes
                if note[0] <= step and self._reads(seat, note)
            ),
            refusals=lambda: state.refusals(seat, lang) if seat >= 0 else [],
            **parts,
        )  # fmt: skip

    def _pending_undo(self) -> Asked | None:
        """Return the pending request for an undo."""
        if self.asked is None:
            return None
        left, seat, agreed = self.asked
        waiting = tuple(person for person in self.people() if person not in agreed)
        return Asked(seat, len(self.session.moments) - left if left is not None else None, waiting)

    # ---- what it waits for

    def clocks(self, now: float) -> dict[int, float]:
        """Return the seconds that each person has left; empty without clocks."""
        clock = self.begun["clock"]
        if clock is None:
            return {}
        used = {seat: self.used.get(seat, 0.0) + self.elapsed(self.since.get(seat, now), now) for seat in self.people()}
        return {seat: clock["bank"] - seconds for seat, seconds in used.items()}

    def deadline(self) -> float | None:
        """Return when the first clock runs out, in seconds since 1970; None if none runs."""
        clock = self.begun["clock"]
        if clock is None or not self.since:
            return None
        now = CLOCK.now()
        left = self.clocks(now)
        return min(now + left[seat] for seat in self.since)

    def late(self, now: float) -> list[int]:
        """Return the seats whose clock has run out."""
        return [seat for seat, left in self.clocks(now).items() if left <= 0 and seat in self.since]

    def forced(self) -> tuple[int, str] | None:
        """Return the seat and id of a person's only legal action, to be made for them; None if seats have secrets:
        others must not learn that there was only one."""
        waits = self.acting()
        if self.secrets or not waits or waits[0] in self.bots:
            return None
        action = self.session.forced(waits[0])
        return (waits[0], action.id) if action is not None else None

    def todo(self) -> Json:
        """Return what the game waits for besides people: the next bot to choose, the deadline, the number of the next
        event; and who of them wants to be told: seat, where, language, title and address of the game."""
        waits = [(party, self.bots[party]) for party in self.acting() if party in self.bots]
        told = [(seat, self.told[seat]) for seat in self.acting() if seat in self.told and seat not in self.bots]
        tell = [
            [seat, own["to"], own["lang"], self.ruleset.words(own["lang"]).title, f"{own['base']}g/{self.game}/{seat}"]
            for seat, own in told
            if own["to"] and not own["code"]
        ]
        return {"number": self.number, "bots": waits[:1], "deadline": self.deadline(), "tell": tell}


def _sheet_for(state: State, seat: int, over: bool) -> Sheet | None:
    """Return the score sheet that a reader is shown of a state; a spectator none before the end."""
    return sheet(state, seat if seat >= 0 else None) if seat >= 0 or over else None


_FOLDS: dict[str, Callable[[Live, int, Json], None]] = {
    **{kind: getattr(Live, f"_{kind}") for kind in "act undo ask answer name sit key end rematch".split()},
    "reload": lambda live, _, body: live._truncate_line(body["kept"], "reload"),
    "tell": lambda live, seat, body: live.told.update({seat: body}),
    "confirm": lambda live, seat, _: live.told.update({seat: live.told[seat] | {"code": ""}}),
    "note": lambda live, seat, body: live.tell(seat, "note", body["text"]),
    "chat": lambda live, seat, body: live.tell(seat, "chat", body["text"]),
}
