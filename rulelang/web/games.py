"""The games of a store as one worker process knows them: what the web process asks, and what is answered.

Enters: what somebody asks for at a table, as JSON-able values. Leaves: HTML and stamps for readers, events for the
store. `Games.call` is what a worker answers. Each request first reads what other processes have written.
"""

from __future__ import annotations

import base64
import secrets
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rulelang.agents import check_bot, make_bot
from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, SaveError, UsageError
from rulelang.game import Ruleset, load
from rulelang.record import Record, read_record, replay
from rulelang.ruleset.files import means_shipped
from rulelang.runtime.sight import SPECTATOR
from rulelang.session import BOT, FORCED, PERSON
from rulelang.web import seats, table
from rulelang.web.live import Json, Live, RefusedError
from rulelang.web.store import Event, Store, TakenError
from rulelang.web.theme import picture

LIVE = 256
"""So many games a worker holds in memory; the others are folded again when somebody asks for them."""

NAME, NOTE = 40, 2000
"""The characters of a person's name, and of a note."""
NOTES = 500
"""The notes, names and handovers of one game: who writes more is refused."""


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
        except (UsageError, SaveError) as error:
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

    def forget(self) -> None:
        """Drop all games from memory: what went wrong may have left one half changed."""
        self._live.clear()

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

    def _take(self, live: Live, seat: int, id_: str, by: str) -> None:
        """Make a choice, and then those that are none."""
        at = time.time()
        try:
            hash_ = live.act(seat, id_, by, at)
        except (IllegalAction, RuleError, UsageError) as error:
            raise RefusedError(409, "refused", str(error)) from None
        self.write(live, Event(live.number, "act", seat, {"id": id_, "hash": hash_, "by": by}, at), folded=True)
        forced = live.forced()
        if forced is not None:
            self._take(live, *forced, FORCED)

    # ---- before a game

    def offer(self, path: str, overlays: list[str], lang: str) -> Json:
        """What can be said of a ruleset before a game of it is made."""
        ruleset = self.ruleset(path, overlays)
        words = ruleset.words(lang)
        options = [
            {
                "name": o.name, "label": words.name(o.name), "values": list(o.values), "default": o.default,
                "labels": [words.name(value) if isinstance(value, str) else str(value) for value in o.values],
            }
            for o in ruleset.info.options
        ]  # fmt: skip
        return {
            "title": words.title,
            "players": list(ruleset.players),
            "options": options,
            "variants": list(ruleset.info.variants),
            "languages": ruleset.written.languages,
        }

    def create(self, settings: Json) -> Json:
        """Begin a game; return its name and the tokens of its seats, which are stored nowhere.

        Args:
            settings: `path`, `overlays`, `players`, `options`, `bots`, `spectators`, `clock`; or `record`, the text
                of a recorded game that goes on, of the ruleset at `path`.
        """
        ruleset = self.ruleset(settings["path"], settings["overlays"])
        for name in settings["bots"].values():
            check_bot(name)
        record: Record | None = None
        if settings.get("record"):
            record = read_record(settings["record"])
            deque(replay(record, ruleset), 0)  # it must go as recorded
        players = record.players if record else settings["players"]
        seed = record.seed if record else secrets.randbits(63)
        state = ruleset.new_game(players, seed, record.options if record else settings["options"])
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
            "clock": settings["clock"],
        }  # fmt: skip
        game = seats.new_game_id()
        self.store.append(game, Event(0, "game", None, document))
        for number, step in enumerate(record.steps if record else (), 1):
            body = {"id": step.id, "hash": step.hash, "by": PERSON}
            self.store.append(game, Event(number, "act", step.seat, body))
        live = self.live(game)
        forced = live.forced()
        if forced is not None:
            self._take(live, *forced, FORCED)
        return {"game": game, "tokens": tokens}

    def links(self, game: str, token: str) -> Json:
        """What the maker of a game sees of it besides the table."""
        live = self.live(game)
        if not seats.fits(token, live.keys.get(seats.MAKER)):
            raise RefusedError(404, "no_seat")
        return {
            "title": live.session.state.ruleset.words().title,
            "players": live.session.state.players,
            "names": {str(seat): name for seat, name in live.names.items()},
            "bots": {str(party): name for party, name in live.bots.items()},
            "spectators": live.begun["spectators"],
        }

    # ---- at a table

    def page(
        self, game: str, place: str, token: str | None, lang: str, part: str = "", asked: Json | None = None
    ) -> Json:
        """A part of the page of a reader ("": all of it); `asked` says of what: `picks`, `find`, `piece`, `notice`."""
        live = self.live(game)
        seat = live.check(place, token)
        return self._answer(live, seat, lang, part, asked)

    def _answer(self, live: Live, seat: int, lang: str, part: str = "table", asked: Json | None = None) -> Json:
        asked = asked or {}
        lang = self._spoken(live, lang)
        drawn = live.drawn(seat) if part == "table" and not any(asked.values()) else None
        if drawn and lang in drawn:
            return {"html": drawn[lang], "stamp": live.stamp(seat), "todo": live.todo()}
        wanted = [asked.get(name, default) for name, default in (("picks", ()), ("find", ""), ("notice", ""))]
        view = live.view(seat, lang, time.time(), *wanted)
        html = table.part(view, part, asked.get("piece", ""))
        if html is None:
            raise RefusedError(404, "no_page")
        if drawn is not None:
            drawn[lang] = html
        return {"html": html, "stamp": view.stamp, "todo": live.todo()}

    def _spoken(self, live: Live, lang: str) -> str:
        languages = live.session.state.ruleset.written.languages
        return lang if lang in languages else languages[0]

    def stamp(self, game: str, place: str, token: str | None) -> Json:
        """The stamp of a reader."""
        live = self.live(game)
        return {"stamp": live.stamp(live.check(place, token)), "todo": live.todo()}

    def stamps(self, game: str, places: list[str]) -> Json:
        """The stamps of readers who were let in, and what the game waits for."""
        live = self.live(game)
        stamps = {place: live.stamp(SPECTATOR if place == seats.WATCH else int(place)) for place in places}
        return {"stamps": stamps, "todo": live.todo()}

    def replay(self, game: str, place: str, token: str | None, lang: str, at: int, eyes: str, part: str) -> Json:
        """The game as it was, from the reader's own place; when it is over from any seat's (`eyes`)."""
        live = self.live(game)
        seat = live.check(place, token)
        reader = seat
        if eyes.isdecimal() and live.revealed and int(eyes) < live.session.state.players:
            reader = int(eyes)
        view = live.replayed(seat, reader, self._spoken(live, lang), at)
        return {"html": table.part(view, part)}

    def record(self, game: str, place: str, token: str | None) -> Json:
        """The record of a game that is over, as `rulelang replay` reads it: with its seed, and so with every secret."""
        live = self.live(game)
        live.check(place, token)
        if not live.revealed:
            raise RefusedError(403, "not_over")
        document = live.session.record.document()
        named = document["ruleset"]
        for key, paths in (("path", [named["path"]]), ("overlays", named["overlays"])):
            told = [path if means_shipped(path) else Path(path).name for path in paths]  # folders are the server's own
            named[key] = told[0] if key == "path" else told
        return {"record": document, "name": named["name"]}

    def picture(self, game: str, place: str, token: str | None, name: str) -> Json:
        """A picture of the theme of a game's ruleset, or its colours."""
        live = self.live(game)
        live.check(place, token)
        found = picture(live.session.state.ruleset, name)
        if found is None:
            raise RefusedError(404, "no_page")
        return {"data": base64.b64encode(found[0]).decode(), "type": found[1]}

    def act(self, game: str, place: str, token: str | None, stamp: str, id_: str, lang: str) -> Json:
        """Make a choice of a person; what is refused changes nothing, and the page says so."""
        live = self.live(game)
        seat = live.check(place, token)
        if seat < 0 or seat in live.bots:
            raise RefusedError(403, "not_yours")
        if stamp != live.stamp(seat):
            raise RefusedError(409, "stale")
        self._take(live, seat, id_, PERSON)
        return self._answer(live, seat, lang)

    def say(self, game: str, place: str, token: str | None, kind: str, value: str, lang: str) -> Json:
        """Do what is no choice of the game: see `_SAYINGS`."""
        live = self.live(game)
        seat = live.check(place, token)
        if seat < 0 or kind not in _SAYINGS:
            raise RefusedError(403, "not_yours")
        if kind not in ("undo", "consent") and live.number - len(live.session.moments) > NOTES:
            raise RefusedError(429, "too_many")
        self.write(live, _SAYINGS[kind](live, seat, value))
        return self._answer(live, seat, lang)

    def renew(self, game: str, place: str, token: str | None) -> Json:
        """Give a seat another token: from now on the link that its maker knows opens nothing."""
        live = self.live(game)
        seat = live.check(place, token)
        if seat < 0:
            raise RefusedError(403, "not_yours")
        new = seats.new_token()
        self.write(live, Event(live.number, "key", seat, {"hash": seats.digest(new)}))
        return {"token": new}

    # ---- bots and clocks

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

    def tick(self, game: str) -> Json:
        """Hand the seats whose time is up to the bot of the clock."""
        live = self.live(game)
        for seat in live.late(time.time()):
            self.write(live, Event(live.number, "sit", seat, {"bot": live.begun["clock"]["bot"], "by": "clock"}))
        return {"todo": live.todo()}


def _plain(text: str, most: int) -> str:
    """A text of a person without what moves the cursor or turns the direction of writing."""
    return "".join(letter for letter in text[:most] if letter.isprintable() or letter == "\n").strip()


def _name(live: Live, seat: int, value: str) -> Event:
    return Event(live.number, "name", seat, {"name": _plain(value, NAME).replace("\n", " ")})


def _bot(live: Live, seat: int, value: str) -> Event:
    if value:
        check_bot(value)
    return Event(live.number, "sit", seat, {"bot": value or None})


def _note(live: Live, seat: int, value: str) -> Event:
    return Event(live.number, "note", seat, {"text": _plain(value, NOTE)})


def _undo(live: Live, seat: int, value: str) -> Event:
    if value != live.stamp(seat):
        raise RefusedError(409, "stale")
    undo = live.undoing(seat)
    if undo is None or live.asked is not None:
        raise RefusedError(409, "nothing_to_undo")
    if undo.free or live.people() == [seat]:
        return Event(live.number, "undo", seat, {"left": undo.left, "seen": list(undo.seen)})
    return Event(live.number, "ask", seat, {"left": undo.left})


def _consent(live: Live, seat: int, value: str) -> Event:
    if live.asked is None or (seat in live.asked[2] and value == "yes"):
        raise RefusedError(409, "stale")
    left, asker, agreed = live.asked
    if value == "yes" and set(live.people()) <= agreed | {seat}:
        undo = live.undoing(asker)
        return Event(live.number, "undo", asker, {"left": left, "seen": list(undo.seen) if undo else []})
    return Event(live.number, "answer", seat, {"yes": value == "yes"})


_SAYINGS: dict[str, Callable[[Live, int, str], Event]] = {
    "name": _name,
    "bot": _bot,
    "note": _note,
    "undo": _undo,
    "consent": _consent,
}
"""What may be posted besides choices: a name, who plays the seat ("": the person), a note, an undo, an answer."""

_METHODS: dict[str, Callable[..., Json]] = {
    method.__name__: method
    for method in (
        Games.offer, Games.create, Games.links, Games.page, Games.stamp, Games.stamps, Games.replay, Games.record,
        Games.picture, Games.act, Games.say, Games.renew, Games.think, Games.move, Games.tick,
    )
}  # fmt: skip
