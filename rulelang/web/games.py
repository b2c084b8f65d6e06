"""Live games: a cache over the store. Whatever stands in memory was folded from events and can be folded again.

Enters: what somebody asks for at a table, as JSON-able values. Leaves: HTML and stamps for readers, events for the
store. Runs in a worker process; `Games.call` is what it answers.

Event 0 of a game (`game`) holds `ruleset` (path, overlays, name, hash), `players`, `options`, `seed`, `start` (hash),
`bots` (party -> name), `keys` (seat or `links` -> hash of a token), `spectators`. Then follow `act` (id, hash, by),
`undo` (left, seen), `ask` (left), `answer` (yes), `name`, `sit` (bot or null).
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from rulelang.agents import check_bot, make_bot
from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, UsageError
from rulelang.game import Ruleset, load
from rulelang.runtime.sight import SPECTATOR
from rulelang.session import BOT, HUMAN, PERSON, Session, Undo
from rulelang.table.sheet import sheet
from rulelang.web import seats, table
from rulelang.web.store import Event, Store, TakenError
from rulelang.web.theme import picture
from rulelang.web.view import EVENTS, Asked, View

LIVE = 256
"""So many games a worker holds in memory; the others are folded again when somebody asks for them."""

NAME = 40
"""The characters of a person's name."""

Json = dict[str, Any]


class RefusedError(Exception):
    """What was asked for is not done.

    Attributes:
        status: as in HTTP. code: names the reason, for a message in the reader's language.
    """

    def __init__(self, status: int, code: str, detail: str = "") -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail = status, code, detail


class Live:
    """One game in memory: its session, and what people did around it.

    Attributes:
        number: that of the next event. names, keys: by seat. bots: party -> name. asked: an undo that waits for answers
            (steps that are to be left, seat, seats that said yes). undos: how many there were.
    """

    def __init__(self, game: str, ruleset: Ruleset, first: Event) -> None:
        self.game, self.begun = game, first.body
        self.number = 1
        state = ruleset.new_game(self.begun["players"], self.begun["seed"], self.begun["options"])
        who = dict.fromkeys(range(len(state.parties)), HUMAN)
        self.session = Session.new(state, self.begun["seed"], who)
        if state.hash() != self.begun["start"]:
            raise RefusedError(409, "changed")
        self.keys: dict[str, str] = dict(self.begun["keys"])
        self.bots: dict[int, str] = {int(party): name for party, name in self.begun["bots"].items()}
        self.names: dict[int, str] = {}
        self.asked: tuple[int, int, set[int]] | None = None
        self.undos = 0

    # ---- events

    def fold(self, event: Event) -> None:
        """Take an event of the store in; an act is verified by its hash.

        Raises:
            RefusedError: it does not lead where it led when it was written.
        """
        assert event.number == self.number
        _FOLDS[event.kind](self, event)
        self.number += 1

    def _act(self, event: Event) -> None:
        state, seat = self.session.state, event.seat
        assert seat is not None
        self.session.choose(state.legal(event.body["id"], seat), seat, event.body["by"])
        if self.session.record.steps[-1].hash != event.body["hash"]:
            raise RefusedError(409, "changed")
        self.asked = None

    def _undo(self, event: Event) -> None:
        assert event.seat is not None
        self.session.undo(Undo(event.body["left"], event.seat, tuple(event.body["seen"])))
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
        if event.body["bot"] is None:
            self.bots.pop(event.seat, None)
        else:
            self.bots[event.seat] = event.body["bot"]

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
        elif seats.fits(token, self.keys.get(place)) and place.isdecimal():
            return int(place)
        raise RefusedError(404, "no_seat")

    def undoing(self, seat: int) -> Undo | None:
        """What taking back the last choice of a seat would mean; None where there is nothing, or the game is over."""
        return self.session.undoing(seat) if seat >= 0 else None

    def people(self) -> list[int]:
        """The seats that people have."""
        return [seat for seat in range(self.session.state.players) if seat not in self.bots]

    def stamp(self, seat: int) -> str:
        """Stand for all that the seat sees: another one whenever that is another, and never the same again after a
        choice of the seat. It is worked out from what the seat sees, and so tells nothing else."""
        state = self.session.state
        seen = [state.observation(seat), state.event_count(seat), self.undos, sorted(self.names.items())]
        asked = [self.asked[:2], sorted(self.asked[2])] if self.asked else None
        return hashlib.sha256(json.dumps([seen, asked, sorted(self.bots.items())]).encode()).hexdigest()[:20]

    def view(self, seat: int, lang: str, picks: Sequence[str] = (), find: str = "") -> View:
        """What the seat may know."""
        state, ruleset = self.session.state, self.session.state.ruleset
        count, over = state.event_count(seat), state.is_terminal()
        undo = self.undoing(seat) if not self.asked else None
        return View(
            ruleset,
            lang,
            self.game,
            f"/g/{self.game}/{seat if seat >= 0 else seats.WATCH}",
            seat if seat >= 0 else None,
            state.players,
            state.parties,
            state.options,
            tuple(self.names.get(party, "") for party in range(state.players)),
            dict(sorted(self.bots.items())),
            state.observation(seat),
            state.story(seat, max(count - EVENTS, 0), lang),
            state.decision(seat) if seat >= 0 and seat in state.current_players() else None,
            over,
            state.scores() if over else None,
            state.ranks() if over else None,
            state.winners() if over else None,
            state.stage(),
            self.stamp(seat),
            undo=("free" if undo.free else "ask") if undo else "",
            asked=self._waiting(),
            spectators=self.begun["spectators"],
            refusals=lambda: state.refusals(seat, lang) if seat >= 0 else [],
            sheet=lambda: sheet(state, seat if seat >= 0 else None) if seat >= 0 or over else None,
            picks=tuple(picks),
            find=find,
        )

    def _waiting(self) -> Asked | None:
        if self.asked is None:
            return None
        left, seat, agreed = self.asked
        waiting = tuple(person for person in self.people() if person not in agreed)
        return Asked(seat, len(self.session.moments) - left, waiting)

    def todo(self) -> Json:
        """What the game waits for that no person does: bots that are to choose."""
        waits = [(party, self.bots[party]) for party in self.session.state.current_players() if party in self.bots]
        return {"number": self.number, "bots": waits[:1]}


_FOLDS: dict[str, Callable[[Live, Event], None]] = {
    "act": Live._act,
    "undo": Live._undo,
    "ask": Live._ask,
    "answer": Live._answer,
    "name": Live._name,
    "sit": Live._sit,
}


class Games:
    """The games of a store, as one worker knows them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._live: dict[str, Live] = {}
        self._rulesets: dict[tuple[str, ...], Ruleset] = {}

    def call(self, method: str, arguments: list[Any]) -> Json:
        """Answer a request of the web process.

        Raises:
            RefusedError: it is not done.
        """
        try:
            return _METHODS[method](self, *arguments)
        except RulesetError as error:
            raise RefusedError(409, "ruleset", "\n".join(str(found) for found in error.diagnostics)) from None
        except UsageError as error:
            raise RefusedError(400, "usage", str(error)) from None

    def ruleset(self, path: str, overlays: list[str]) -> Ruleset:
        """Return a ruleset, loaded once."""
        key = (path, *overlays)
        if key not in self._rulesets:
            self._rulesets[key] = load(path, overlays)
        return self._rulesets[key]

    def live(self, game: str) -> Live:
        """Return a game with all events that are in the store by now."""
        live = self._live.pop(game, None)
        events = self.store.events(game, live.number if live else 0)
        if live is None:
            if not events:
                raise RefusedError(404, "no_seat")
            first, *events = events
            named = first.body["ruleset"]
            live = Live(game, self.ruleset(named["path"], named["overlays"]), first)
        for event in events:
            live.fold(event)
        self._live[game] = live
        while len(self._live) > LIVE:
            del self._live[next(iter(self._live))]
        return live

    def write(self, live: Live, event: Event, *, folded: bool = False) -> None:
        """Put an event into the store and take it in; a game that was changed meanwhile is read again.

        Args:
            folded: it is taken in already.

        Raises:
            RefusedError: another process was faster.
        """
        try:
            self.store.append(live.game, event)
        except BaseException as error:
            del self._live[live.game]
            if isinstance(error, TakenError):
                raise RefusedError(409, "stale") from None
            raise
        if folded:
            live.number += 1
        else:
            live.fold(event)

    # ---- what is answered

    def offer(self, path: str, overlays: list[str], lang: str) -> Json:
        """What can be said of a ruleset before a game of it is made."""
        ruleset = self.ruleset(path, overlays)
        options = [
            {"name": o.name, "values": list(o.values), "default": o.default, "players": o.players}
            for o in ruleset.info.options
        ]
        title = ruleset.words(lang).title
        return {
            "title": title,
            "players": list(ruleset.players),
            "options": options,
            "languages": ruleset.written.languages,
        }

    def create(self, settings: Json) -> Json:
        """Begin a game; return its name and the tokens of its seats, which are stored nowhere."""
        ruleset = self.ruleset(settings["path"], settings["overlays"])
        for name in settings["bots"].values():
            check_bot(name)
        seed = secrets.randbits(63)
        state = ruleset.new_game(settings["players"], seed, settings["options"])
        tokens = {str(seat): seats.new_token() for seat in range(state.players)} | {seats.MAKER: seats.new_token()}
        automata = range(state.players, len(state.parties))
        document = {
            "ruleset": {
                "path": settings["path"], "overlays": settings["overlays"], "name": ruleset.name, "hash": ruleset.hash
            },
            "players": state.players,
            "options": state.options,
            "seed": seed,
            "start": state.hash(),
            "bots": dict.fromkeys(map(str, automata), "random") | settings["bots"],
            "keys": {place: seats.digest(token) for place, token in tokens.items()},
            "spectators": settings["spectators"],
        }  # fmt: skip
        game = seats.new_game_id()
        self.store.append(game, Event(0, "game", None, document))
        return {"game": game, "tokens": tokens}

    def links(self, game: str, token: str) -> Json:
        """What the maker of a game sees of it besides the table."""
        live = self.live(game)
        if not seats.fits(token, live.keys.get(seats.MAKER)):
            raise RefusedError(404, "no_seat")
        return {
            "title": live.session.state.ruleset.name,
            "players": live.session.state.players,
            "names": {str(seat): name for seat, name in live.names.items()},
            "bots": {str(party): name for party, name in live.bots.items()},
            "spectators": live.begun["spectators"],
        }

    def page(
        self, game: str, place: str, token: str | None, lang: str, part: str = "", asked: Json | None = None
    ) -> Json:
        """A part of the page of a reader ("": all of it); `asked` says of what: `picks`, `find`, `piece`."""
        live = self.live(game)
        seat = live.check(place, token)
        return self._answer(live, seat, lang, part, asked)

    def _answer(self, live: Live, seat: int, lang: str, part: str = "table", asked: Json | None = None) -> Json:
        ruleset = live.session.state.ruleset
        lang = lang if lang in ruleset.written.languages else ruleset.written.languages[0]
        asked = asked or {}
        view = live.view(seat, lang, asked.get("picks", ()), asked.get("find", ""))
        html = table.part(view, part, asked.get("piece", ""))
        if html is None:
            raise RefusedError(404, "no_page")
        return {"html": html, "stamp": view.stamp, "todo": live.todo()}

    def picture(self, game: str, place: str, token: str | None, name: str) -> Json:
        """A picture of the theme of a game's ruleset, or its colours."""
        live = self.live(game)
        live.check(place, token)
        found = picture(live.session.state.ruleset, name)
        if found is None:
            raise RefusedError(404, "no_page")
        return {"data": base64.b64encode(found[0]).decode(), "type": found[1]}

    def stamps(self, game: str, places: list[str]) -> Json:
        """The stamps of readers who were let in, and what the game waits for."""
        live = self.live(game)
        stamps = {place: live.stamp(SPECTATOR if place == seats.WATCH else int(place)) for place in places}
        return {"stamps": stamps, "todo": live.todo()}

    def act(self, game: str, place: str, token: str | None, stamp: str, id_: str, lang: str) -> Json:
        """Make a choice of a person."""
        live = self.live(game)
        seat = live.check(place, token)
        if seat < 0 or seat in live.bots:
            raise RefusedError(403, "not_yours")
        if stamp != live.stamp(seat):
            raise RefusedError(409, "stale")
        self._take(live, seat, id_, PERSON)
        return self._answer(live, seat, lang)

    def _take(self, live: Live, seat: int, id_: str, by: str) -> None:
        try:
            live.session.choose(live.session.state.legal(id_, seat), seat, by)
        except (IllegalAction, RuleError, UsageError) as error:
            raise RefusedError(409, "refused", str(error)) from None
        live.asked = None
        hash_ = live.session.record.steps[-1].hash
        self.write(live, Event(live.number, "act", seat, {"id": id_, "hash": hash_, "by": by}), folded=True)

    def think(self, game: str, number: int, seat: int, bot: str) -> Json:
        """What a bot chooses where `number` events are in the store; nothing if the game has gone on."""
        live = self.live(game)
        if live.number != number or seat not in live.session.state.current_players():
            return {"id": None}
        return {"id": make_bot(bot, secrets.randbits(63), seat).choose(live.session.state, seat).id}

    def move(self, game: str, number: int, seat: int, id_: str) -> Json:
        """Make the choice of a bot, if the game still waits for it."""
        live = self.live(game)
        if live.number == number and seat in live.bots:
            self._take(live, seat, id_, BOT)
        return {"todo": live.todo()}

    def say(self, game: str, place: str, token: str | None, kind: str, value: Any, lang: str) -> Json:
        """Do what is no choice of the game: `name`, `sit`, `undo`, `answer`."""
        live = self.live(game)
        seat = live.check(place, token)
        if seat < 0:
            raise RefusedError(403, "not_yours")
        event = _SAYINGS[kind](live, seat, value)
        if event is not None:
            self.write(live, event)
        return self._answer(live, seat, lang)


def _name(live: Live, seat: int, value: Any) -> Event:
    name = "".join(letter for letter in str(value)[:NAME] if letter.isprintable()).strip()
    return Event(live.number, "name", seat, {"name": name})


def _sit(live: Live, seat: int, value: Any) -> Event:
    if value:
        check_bot(str(value))
    return Event(live.number, "sit", seat, {"bot": str(value) or None})


def _undo(live: Live, seat: int, value: Any) -> Event:
    if value != live.stamp(seat):
        raise RefusedError(409, "stale")
    undo = live.undoing(seat)
    if undo is None or live.asked is not None:
        raise RefusedError(409, "nothing_to_undo")
    if undo.free or live.people() == [seat]:
        return Event(live.number, "undo", seat, {"left": undo.left, "seen": list(undo.seen)})
    return Event(live.number, "ask", seat, {"left": undo.left})


def _answer(live: Live, seat: int, value: Any) -> Event | None:
    if live.asked is None or seat in live.asked[2]:
        raise RefusedError(409, "stale")
    left, asker, agreed = live.asked
    if value == "yes" and set(live.people()) <= agreed | {seat}:
        undo = live.session.undoing(asker)
        seen = undo.seen if undo else ()
        return Event(live.number, "undo", asker, {"left": left, "seen": list(seen)})
    return Event(live.number, "answer", seat, {"yes": value == "yes"})


_SAYINGS: dict[str, Callable[[Live, int, Any], Event | None]] = {
    "name": _name, "sit": _sit, "undo": _undo, "answer": _answer
}  # fmt: skip

_METHODS: dict[str, Callable[..., Json]] = {
    method.__name__: method
    for method in (
        Games.offer,
        Games.create,
        Games.links,
        Games.page,
        Games.stamps,
        Games.picture,
        Games.act,
        Games.think,
        Games.move,
        Games.say,
    )
}
