"""The games of a store as one worker process knows them: what the web process asks, and what is answered.

Enters: what somebody asks for at a table, as JSON-able values. Leaves: HTML and stamps for readers, events for the
store. `Games.call` is what a worker answers. Each request first reads what other processes have written.
"""

from __future__ import annotations

import base64
import json
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulelang.agents import check_bot, make_bot
from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, SaveError, UsageError
from rulelang.game import Ruleset, load
from rulelang.record import Record, begun, read_record, replay
from rulelang.ruleset.files import means_shipped
from rulelang.ruleset.unpacking import make_room, unpack
from rulelang.runtime.sight import SPECTATOR
from rulelang.session import BOT, FORCED, PERSON
from rulelang.web import report, seats, table
from rulelang.web.live import Json, Live, RefusedError
from rulelang.web.store import Event, Store, TakenError
from rulelang.web.theme import picture

LIVE = 256
"""So many games a worker holds in memory; the others are folded again when somebody asks for them."""
LIVE_CHOICES = 30_000
"""So many choices they have together, each some 5 kB; one game alone may have more."""

NAME, NOTE = 40, 2000
"""The characters of a person's name, and of a note."""
NOTES = 500
"""The notes, names and handovers of one game: who writes more is refused."""


class Games:
    """The games of a store, as one worker knows them."""

    def __init__(self, store: Store, watching: bool = False) -> None:
        self.store, self.watching = store, watching
        self._live: dict[str, Live] = {}
        self._rulesets: dict[tuple[str, ...], Ruleset] = {}
        self._faults: dict[str, str] = {}

    def call(self, method: str, arguments: list[Any]) -> Json:
        """Answer a request of the web process.

        Raises:
            RefusedError: it is not done.
        """
        try:
            return _METHODS[method](self, *arguments)
        except RulesetError as error:
            raise RefusedError(409, "ruleset", _listed(error)) from None
        except (UsageError, SaveError) as error:
            raise RefusedError(400, "usage", str(error)) from None

    def ruleset(self, path: str, overlays: list[str]) -> Ruleset:
        """Return a ruleset, loaded once."""
        key = (path, *overlays)
        if key not in self._rulesets:
            if not means_shipped(path) and not Path(path).exists():
                raise RefusedError(404, "no_ruleset")  # an uploaded ruleset that was evicted
            self._rulesets[key] = load(path, overlays)
        return self._rulesets[key]

    def reload(self, path: str, faults: str) -> Json:
        """Read a ruleset again whose files have changed; with errors games go on by the rules that they have.

        Args:
            faults: what the checker says of it, if there are errors.
        """
        self._faults[path] = faults
        for key in [key for key in self._rulesets if key[0] == path]:
            try:
                self._rulesets[key] = load(key[0], key[1:])
            except RulesetError as error:
                self._faults[path] = faults or _listed(error)
        return {}

    def live(self, game: str) -> Live:
        """Return a game with all events that are in the store by now, played by the rules as they are."""
        live = self._live.pop(game, None)
        events = self.store.events(game, live.number if live else 0)
        if live is None or any(event.kind == "reload" for event in events):
            live, events = None, self.store.events(game)
        if live is None and not events:
            raise RefusedError(404, "no_seat")
        named = (live.begun if live else events[0].body)["ruleset"]
        ruleset, faults = self.ruleset(named["path"], named["overlays"]), self._faults.get(named["path"], "")
        if live is None or live.ruleset.hash != ruleset.hash:
            try:
                before = live
                live, events = Live(game, ruleset, self.store.events(game) if live else events, self.watching), []
                if before is not None:
                    live.explain(before)
            except (UsageError, RuleError, RulesetError) as error:
                if live is None:
                    raise RefusedError(409, "changed", str(error)) from None
                faults = faults or str(error)  # it can't even begin by the new rules, and goes on by those it has
        for event in events:
            live.fold(event)
        live.show(faults)
        self._live[game] = live
        if live.pending is not None:
            self.write(live, live.pending, folded=True)
            live.pending = None
            self._take_forced(live)
        while len(self._live) > 1 and (
            len(self._live) > LIVE or sum(len(other.choices) for other in self._live.values()) > LIVE_CHOICES
        ):
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
            body = live.act(seat, id_, by, at)
        except (IllegalAction, RuleError, UsageError) as error:
            raise RefusedError(409, "refused", str(error)) from None
        self.write(live, Event(live.number, "act", seat, body, at), folded=True)
        self._take_forced(live)

    def _take_forced(self, live: Live) -> None:
        forced = live.forced()
        if forced is not None:
            self._take(live, *forced, FORCED)

    # ---- before a game

    def offer(self, path: str, overlays: list[str], lang: str, scenarios: bool = False) -> Json:
        """Return what can be said of a ruleset before a game of it is made; with the names of its scenarios if
        wanted."""
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
            "scenarios": list(ruleset.scenarios) if scenarios else [],
        }

    def unpack(self, folder: str, most: int, size: int, files: dict[str, str]) -> Json:
        """Keep a ruleset that somebody sent (name -> content in base64), if it is one and there is room for it: what no
        running game uses makes room."""
        used = {Path(path).parent.name: at for path, at in self.store.used(seats.STRANGE).items()}
        if not make_room(Path(folder), most, size, used, time.time()):
            raise RefusedError(507, "full")
        return {"key": seats.STRANGE + unpack(Path(folder), {n: base64.b64decode(d) for n, d in files.items()}, load)}

    def create(self, settings: Json) -> Json:
        """Begin a game; return its name and the tokens of its seats, which are stored nowhere.

        Args:
            settings: `path`, `overlays`, `players`, `options`, `bots`, `spectators`, `clock`, `mark` (what its name
                begins with); `record`, the text of a recorded game that goes on, of the ruleset at `path`, or
                `scenario`; they say players and options.
        """
        ruleset = self.ruleset(settings["path"], settings["overlays"])
        for name in settings["bots"].values():
            check_bot(name)
        if settings.get("record"):
            record = read_record(settings["record"])
            deque(replay(record, ruleset), 0)  # it must go as recorded
        else:
            seed, scenario = secrets.randbits(63), settings.get("scenario", "")
            record = Record.of(begun(ruleset, settings["players"], seed, settings["options"], scenario), seed, scenario)
        return self._create(ruleset, record, settings, [PERSON] * len(record.steps))

    def _create(self, ruleset: Ruleset, record: Record, settings: Json, by: Sequence[str]) -> Json:
        """Begin a game with the choices of a record, each made as `by` says; how long they took is not known."""
        state = begun(ruleset, record.players, record.seed, record.options, record.scenario)
        tokens = {str(seat): seats.new_token() for seat in range(state.players)} | {seats.MAKER: seats.new_token()}
        automata = range(state.players, len(state.parties))
        named = {"path": ruleset.path, "overlays": list(ruleset.overlays), "name": ruleset.name, "hash": ruleset.hash}
        document = {name: settings[name] for name in ("spectators", "clock", "mark")} | {
            "ruleset": named, "players": state.players, "options": state.options, "seed": record.seed,
            "scenario": record.scenario, "start": state.hash(),
            "bots": dict.fromkeys(map(str, automata), "random") | settings["bots"],
            "keys": {place: seats.digest(token) for place, token in tokens.items()},
        }  # fmt: skip
        game = settings["mark"] + seats.new_game_id()
        self.store.append(game, Event(0, "game", None, document))
        for number, (step, how) in enumerate(zip(record.steps, by, strict=False), 1):
            body = {"id": step.id, "hash": step.hash, "by": how, "seconds": 0.0, "options": 0}
            self.store.append(game, Event(number, "act", step.seat, body))
        self._take_forced(self.live(game))
        return {"game": game, "tokens": tokens}

    def fork(self, game: str, place: str, token: str | None, step: int) -> Json:
        """Begin a game with the first choices of this one, the same chance to come and new secrets for its seats.

        That shows what is hidden and what chance brings: it is for games that are over, and under `--watch` for the
        maker of one.
        """
        live = self.live(game)
        whole = self._made(live, token) and self.watching if place == seats.MAKER else live.check(place, token) is None
        if not (whole or live.revealed):
            raise RefusedError(403, "not_over")
        played = live.session.record
        record = replace(played, steps=played.steps[: max(step, 0)], scores=None, winners=None, undone=[])
        return self._create(live.ruleset, record, live.begun, [choice.by for choice in live.line])

    def _made(self, live: Live, cookie: str | None) -> bool:
        """Let through who made a game, with the tokens of its seats and the maker's own; return whether nothing of it
        is hidden from them: it is over, or no seat has another secret by now."""
        *tokens, maker = (cookie or "").split("~")
        if not seats.fits(maker, live.keys.get(seats.MAKER)):
            raise RefusedError(404, "no_seat")
        known = [seats.fits(token, live.keys[str(seat)]) for seat, token in enumerate(tokens[: live.begun["players"]])]
        return live.revealed or (all(known) and len(known) == live.begun["players"])

    def links(self, game: str, cookie: str | None) -> Json:
        """Return what the maker of a game sees of it besides the table."""
        live = self.live(game)
        self._made(live, cookie)
        return {
            "game": game,
            "title": live.session.state.ruleset.words().title,
            "names": {str(seat): name for seat, name in live.names.items()},
            "bots": {str(party): name for party, name in live.bots.items()},
            "spectators": live.begun["spectators"],
        }

    def report(self, game: str, cookie: str | None, lang: str) -> Json:
        """Return what was chosen when and how, for the maker of a game: as a page, and as CSV."""
        live = self.live(game)
        if not self._made(live, cookie):
            raise RefusedError(403, "not_over")
        lang = self._spoken(live, lang)
        return {"html": report.page(live, lang, live.revealed or self.watching), "csv": report.table(live, lang)}

    # ---- at a table

    def page(
        self, game: str, place: str, token: str | None, lang: str, part: str = "", asked: Json | None = None
    ) -> Json:
        """Return a part of the page of a reader ("": all of it); `asked` says of what: `picks`, `find`, `piece`,
        `notice`."""
        live = self.live(game)
        seat = live.check(place, token)
        return self._answer(live, seat, lang, part, asked)

    def _answer(self, live: Live, seat: int, lang: str, part: str = "table", asked: Json | None = None) -> Json:
        """Return a part of the page for a seat as HTML; drawn once as long as nothing changes."""
        asked = asked or {}
        lang = self._spoken(live, lang)
        drawn = live.drawn(seat) if part == "table" and not any(asked.values()) else None
        if drawn and lang in drawn:
            return {"html": drawn[lang], "stamp": live.stamp(seat), "todo": live.todo()}
        search = [asked.get(name, default) for name, default in (("picks", ()), ("find", ""), ("notice", ""))]
        view = live.view(seat, lang, time.time(), *search)
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
        """Return the stamp of a reader."""
        live = self.live(game)
        return {"stamp": live.stamp(live.check(place, token)), "todo": live.todo()}

    def stamps(self, game: str, places: list[str]) -> Json:
        """Return the stamps of readers who were let in, and what the game waits for."""
        live = self.live(game)
        stamps = {place: live.stamp(SPECTATOR if place == seats.WATCH else int(place)) for place in places}
        return {"stamps": stamps, "todo": live.todo()}

    def replay(self, game: str, place: str, token: str | None, lang: str, at: int, eyes: str, part: str) -> Json:
        """Return the game as it was, from the reader's own place; when it is over from any seat's (`eyes`)."""
        live = self.live(game)
        seat = live.check(place, token)
        reader = seat
        if eyes in live.keys and eyes != seats.MAKER and live.revealed:
            reader = int(eyes)
        view = live.replayed(seat, reader, self._spoken(live, lang), at)
        return {"html": table.part(view, part)}

    def record(self, game: str, place: str, token: str | None) -> Json:
        """Return the record of a game that is over, as `rulelang replay` reads it: with its seed, and so with every
        secret."""
        live = self.live(game)
        live.check(place, token)
        if not live.revealed:
            raise RefusedError(403, "not_over")
        record = live.session.record
        paths = record.ruleset.path, *record.ruleset.overlays
        path, *overlays = (path if means_shipped(path) else Path(path).name for path in paths)  # folders are our own
        public = replace(record, ruleset=replace(record.ruleset, path=path, overlays=tuple(overlays)))
        return {"record": json.loads(public.to_json()), "name": record.ruleset.name}

    def picture(self, game: str, place: str, token: str | None, name: str) -> Json:
        """Return a picture of the theme of a game's ruleset, or its colours."""
        live = self.live(game)
        live.check(place, token)
        data = picture(live.session.state.ruleset, name)
        if data is None:
            raise RefusedError(404, "no_page")
        return {"data": base64.b64encode(data[0]).decode(), "type": data[1]}

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
        """Return what a bot chooses where `number` events are in the store; nothing if the game has gone on."""
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


def _listed(error: RulesetError) -> str:
    return "\n".join(map(str, error.diagnostics))


def _plain(text: str, most: int) -> str:
    """Return a text of a person without what moves the cursor or turns the direction of writing."""
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
    """Return the event of taking a choice back, or of asking the others for it."""
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
    name: getattr(Games, name)
    for name in "offer unpack create links page stamp stamps replay record picture act say renew think move tick "
    "reload fork report".split()
}
