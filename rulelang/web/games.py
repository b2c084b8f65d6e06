"""The games of a store as one worker process serves them.

Enters: requests from a table, as JSON-able values. Leaves: HTML and stamps for readers, events for the store. A worker
answers by `Games.call`. Each request first reads the events that other processes have written.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rulelang.agents import OFFERED, make_bot
from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, SaveError, UsageError
from rulelang.game import Ruleset, State, load
from rulelang.ir.errors import IrError
from rulelang.ir.program import Program
from rulelang.languages import codes
from rulelang.memos import Bounded
from rulelang.programs import PROGRAM_BYTES, bytes_of, former, kept
from rulelang.record import PlayedRuleset, Record, RecordedChoice, begun, read_record, replay
from rulelang.ruleset.files import means_shipped
from rulelang.ruleset.unpacking import make_room, unpack
from rulelang.runtime.sight import SPECTATOR
from rulelang.session import BOT, FORCED, PERSON
from rulelang.web import report, rules, seats, table
from rulelang.web.api.answers import PARTS
from rulelang.web.api.rulesets import TOLD
from rulelang.web.clock import CLOCK
from rulelang.web.live import Json, Live, RefusedError, UnfinishedError, UnloadedError
from rulelang.web.lobby import offer_in_words
from rulelang.web.sayings import KINDS, STAND_IN
from rulelang.web.store import Store, StoredEvent, StoreError, TakenError
from rulelang.web.theme import picture
from rulelang.web.view import View

LOG = logging.getLogger("rulelang.web")
LIVE = 256
"""Most games in a worker's memory; others are folded from the store again on demand."""
LIVE_CHOICES = 30_000
"""Most choices of all games in memory, about 5 kB each; a single game may have more."""

SLICE_SECONDS, UNFINISHED = 0.2, 32
"""How long a game is opened, or a record replayed, before other requests are answered; of how many such works what is
done is kept."""
Work = TypeVar("Work")

SAYINGS = 500
"""Most notes, names, handovers, undos and requests for them of one seat."""


class Games:
    """The games of a store, in one worker's memory.

    Args:
        watching: whether games go on when their rules change. holding: whether others wait meanwhile, so that a
            ruleset is only loaded once another process has: then that is quick.
    """

    def __init__(self, store: Store, watching: bool = False, holding: bool = False) -> None:
        self.store, self.watching, self._holding = store, watching, holding
        self.pauses = store.pauses(CLOCK.now())
        self._live: dict[str, Live] = {}
        self._former: Bounded[tuple[str, ...], tuple[Ruleset, list[str]]] = Bounded(PROGRAM_BYTES)
        self._kept: Bounded[str, str] = Bounded(1 << 20)
        self._opening: dict[str, Live] = {}
        self._replaying: dict[str, tuple[Record, Iterator[State]]] = {}
        self._rulesets: dict[tuple[str, ...], Ruleset] = {}
        self._faults: dict[str, str] = {}

    def call(self, method: str, arguments: list[Any]) -> Json:
        """Answer a request of the web process.

        Args:
            method: a name of `_METHODS`.

        Raises:
            RefusedError: the request is refused. UnfinishedError: it takes long, and is to be asked for again.
            UnloadedError: so is it, once a ruleset was loaded.
        """
        try:
            return _METHODS[method](self, *arguments)
        except RulesetError as error:
            raise RefusedError(409, "ruleset", _without_folders(_diagnostics_text(error))) from None
        except RuleError as error:  # a fault of the rules, not ours
            raise RefusedError(409, "ruleset", _without_folders(str(error))) from None
        except (UsageError, SaveError) as error:
            raise RefusedError(400, "usage", str(error)) from None
        except StoreError as error:
            LOG.warning("the database: %s", error)  # the message names its address
            raise RefusedError(503, "store") from None

    def beat(self, began: float) -> Json:
        """Note that the server that began at a time still runs: the database can be read and written."""
        self.store.beat(began, CLOCK.now())
        return {}

    def ruleset(self, path: str, overlays: list[str]) -> Ruleset:
        """Return a ruleset, loaded once.

        Raises:
            RefusedError: an uploaded ruleset was evicted. RulesetError: it has errors. UnloadedError: another process
                is to load it first.
        """
        key = (path, *overlays)
        if key not in self._rulesets:
            if not means_shipped(path) and not Path(path).exists():
                raise RefusedError(404, "no_ruleset")  # an uploaded ruleset that was evicted
            if self._holding:
                raise UnloadedError(path, overlays)
            self._rulesets[key] = load(path, overlays)
        return self._rulesets[key]

    def load(self, path: str, overlays: list[str]) -> Json:
        """Load a ruleset now, if it is not."""
        holding, self._holding = self._holding, False
        try:
            self.ruleset(path, overlays)
        finally:
            self._holding = holding
        return {}

    def reload(self, path: str, faults: str) -> Json:
        """Reload a changed ruleset; with errors games keep the rules that they have.

        Args:
            faults: the checker's errors, if any.
        """
        self._faults[path] = faults
        for key in [key for key in self._rulesets if key[0] == path]:
            try:
                self._rulesets[key] = load(key[0], key[1:])
            except RulesetError as error:
                self._faults[path] = faults or _diagnostics_text(error)
        return {}

    def live(self, game: str) -> Live:
        """Return a game with all events of the store, by the current rules, or by those that it was begun with if
        these mean something else.

        Raises:
            RefusedError: there is no such game, or it can't be replayed.
        """
        live = self._live.pop(game, None)
        events = self.store.events(game, live.number - 1 if live else 0)
        if not events:  # it never was, or was deleted
            raise RefusedError(404, "no_seat")
        if live is not None:
            del events[0]
        if live is not None and any(event.kind == "reload" for event in events):
            live, events = None, self.store.events(game)
        declared = (live.begun if live else events[0].body)["ruleset"]
        ruleset, faults = self.ruleset(declared["path"], declared["overlays"]), self._faults.get(declared["path"], "")
        if live is None or live.current is not ruleset:
            before = live
            try:
                live, events = self._opened(game, ruleset, self.store.events(game) if live else events), []
                if before is not None:
                    live.explain(before)
                if live.pending is None:
                    self._live[game] = live
                    self._take_forced(live)
            except UnfinishedError:
                if before is not None:
                    self._live[game] = before
                raise
            except (UsageError, RuleError, RulesetError) as error:
                if live is None:
                    raise RefusedError(409, "changed", str(error)) from None
                faults = faults or str(error)  # it can't even begin by the new rules, and goes on by those it has
        for event in events:
            live.fold(event)
        live.show(faults)
        self._live[game] = live
        if live.pending is not None:
            live.pending.body["program"] = self._keep(live.ruleset)
            self.write(live, live.pending, folded=True)
            live.pending = None
            self._take_forced(live)
        self._evict()
        return live

    def _opened(self, game: str, ruleset: Ruleset, events: list[StoredEvent]) -> Live:
        """Return a game, folded from all its events in slices of time.

        Raises:
            UnfinishedError: it is not yet; and as `Live.open`.
        """
        live = self._opening.pop(game, None)
        if live is None or live.current is not ruleset or any(e.kind == "reload" for e in events[live.known :]):
            base = next(event.body for event in reversed(events) if event.kind in ("reload", "game"))
            origin = base["ruleset"] if isinstance(base["ruleset"], dict) else {"hash": base["ruleset"]} | base
            goes_on = self.watching or origin["hash"] == ruleset.hash
            key = "" if goes_on else origin.get("program", "-")
            rules, changed = self._former_rules(key, ruleset) if key else (ruleset, [])
            live = Live(game, rules, events, self.watching)
            live.current, live.changed, live.kept, live.pauses = ruleset, changed, key, self.pauses
        if not live.open(time.monotonic() + SLICE_SECONDS):
            _keep(self._opening, game, live)
            raise UnfinishedError
        for event in events[live.known :]:
            live.fold(event)
        return live

    def _former_rules(self, key: str, ruleset: Ruleset) -> tuple[Ruleset, list[str]]:
        """Return the ruleset that a game was begun with, in the words of another one, and the names of what that
        declares otherwise.

        Raises:
            RefusedError: the store or this engine hasn't it, or the other one has no words for something in it.
        """
        known = (key, ruleset.path, *ruleset.overlays, ruleset.hash)
        rules = self._former.get(known)
        if rules is None:
            text = self.store.kept(key)
            if text is None:
                raise RefusedError(409, "changed")
            try:
                program, names = former(text, ruleset.written)
            except IrError as error:
                raise RefusedError(409, "changed", str(error)) from None
            if not _names(program) <= _names(ruleset.program):
                raise RefusedError(409, "changed", "\n".join(names))
            rules = self._former.put(known, (ruleset.with_program(program), names), bytes_of(program))
        return rules

    def _rules(self, path: str, overlays: list[str], key: str) -> Ruleset:
        """Return a ruleset, or what the store keeps of it under a key that is not empty."""
        ruleset = self.ruleset(path, overlays)
        return self._former_rules(key, ruleset)[0] if key else ruleset

    def _keep(self, ruleset: Ruleset) -> str:
        """Have the store keep the program of a ruleset; return its key."""
        key = self._kept.get(ruleset.hash)
        if key is None:
            key = self._kept.put(ruleset.hash, self.store.keep(kept(ruleset.written, ruleset.program)), 0)
        return key

    def _replayed(self, text: str, ruleset: Ruleset) -> Record:
        """Return a record whose game goes as recorded, which is found out in slices of time.

        Raises:
            UnfinishedError: it is not yet. SaveError: it is no record, or the game goes otherwise.
        """
        key = seats.digest(ruleset.hash + text)
        if key not in self._replaying:
            record = read_record(text)
            self._replaying[key] = record, replay(record, ruleset)
        record, states = self._replaying.pop(key)
        end = time.monotonic() + SLICE_SECONDS
        if any(time.monotonic() > end for _ in states):
            _keep(self._replaying, key, (record, states))
            raise UnfinishedError
        return record

    def _evict(self) -> None:
        """Drop the least recently used games beyond LIVE or LIVE_CHOICES from memory."""
        while len(self._live) > 1 and (
            len(self._live) > LIVE or sum(len(live.choices) for live in self._live.values()) > LIVE_CHOICES
        ):
            del self._live[next(iter(self._live))]

    def forget(self) -> None:
        """Drop all games from memory: after an internal error one may be inconsistent."""
        for games in (self._live, self._opening, self._replaying):
            games.clear()

    def write(self, live: Live, event: StoredEvent, *, folded: bool = False) -> None:
        """Append an event to the store and fold it into the game.

        Args:
            folded: whether it is folded already.

        Raises:
            RefusedError: another process was faster; the game is then dropped from memory.
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
        """Make a choice, then all forced ones.

        Raises:
            RefusedError: the choice is illegal, or another process was faster.
        """
        at = CLOCK.now()
        try:
            body = live.act(seat, id_, by, at)
        except (IllegalAction, RuleError, UsageError) as error:
            raise RefusedError(409, "refused", _without_folders(str(error))) from None
        self.write(live, StoredEvent(live.number, "act", seat, body, at), folded=True)
        self._take_forced(live)

    def _take_forced(self, live: Live) -> None:
        """Make the only legal choice of a seat, as long as there is such."""
        forced = live.forced()
        if forced is not None:
            self._take(live, *forced, FORCED)

    # ---- before a game

    def offers(self, path: str) -> Json:
        """Return by language what the form for a new game of a ruleset offers: players, options, the defaults of games
        of so many players, variants, names of scenarios. An option's `players` has of a value the numbers of players
        that it is for, if these are not all."""
        ruleset = self.ruleset(path, [])
        own = {
            "players": list(ruleset.players),
            "defaults": {str(n): ruleset.option_names(ruleset.option_numbers({}, n)) for n in ruleset.players},
            "scenarios": list(ruleset.scenarios),
        }
        return {lang: own | offer_in_words(ruleset, lang) for lang in codes()}

    def rules(self, path: str, lang: str, back: str) -> Json:
        """Return the rules of a ruleset in words, as a page."""
        ruleset = self.ruleset(path, [])
        own = lang if lang in ruleset.written.languages else ruleset.written.languages[0]
        return {"html": rules.page(ruleset, own, back)}

    def unpack(self, folder: str, most: int, size: int, files: dict[str, str]) -> Json:
        """Store an uploaded ruleset, if it is valid; rulesets that no running game uses are evicted for it.

        Args:
            folder: of uploads. most, size: bounds on rulesets and bytes. files: name -> content in base64.

        Raises:
            RefusedError: there is no room for it.
        """
        used = {Path(path).parent.name: at for path, at in self.store.used(seats.STRANGE).items()}
        if not make_room(Path(folder), most, size, used, CLOCK.now()):
            raise RefusedError(507, "full")
        return {"key": seats.STRANGE + unpack(Path(folder), {n: base64.b64decode(d) for n, d in files.items()}, load)}

    def create(self, settings: Json) -> Json:
        """Begin a game; return its id and the tokens of its seats, which are stored nowhere.

        Args:
            settings: `path`, `overlays`, `players`, `options`, `bots`, `spectators`, `clock`, `mark` (prefix of its
                id); `record`, the text of a recorded game of this ruleset that goes on, or `scenario`: these determine
                players and options.
        """
        ruleset = self.ruleset(settings["path"], settings["overlays"])
        if settings.get("record"):
            record = self._replayed(settings["record"], ruleset)
        else:
            seed, scenario = secrets.randbits(63), settings.get("scenario", "")
            record = Record.of(begun(ruleset, settings["players"], seed, settings["options"], scenario), seed, scenario)
        return self._create(ruleset, record, settings, [PERSON] * len(record.steps))

    def _create(
        self, ruleset: Ruleset, record: Record, settings: Json, by: Sequence[str], keys: Json | None = None
    ) -> Json:
        """Begin a game with the choices of a record.

        Args:
            by: how each choice was made. keys: hashes of tokens, instead of new ones.
        """
        state = begun(ruleset, record.players, record.seed, record.options, record.scenario)
        tokens = {str(seat): seats.new_token() for seat in range(state.players)} | {seats.MAKER: seats.new_token()}
        automata = range(state.players, len(state.parties))
        identity = {
            "path": ruleset.path,
            "overlays": list(ruleset.overlays),
            "name": ruleset.name,
            "hash": ruleset.hash,
            "program": self._keep(ruleset),
        }
        document = {name: settings[name] for name in ("spectators", "clock", "mark")} | {
            "ruleset": identity, "players": state.players, "options": state.options, "seed": record.seed,
            "scenario": record.scenario, "start": state.hash(),
            "bots": dict.fromkeys(map(str, automata), STAND_IN) | settings["bots"],
            "keys": keys or {place: seats.digest(token) for place, token in tokens.items()},
        }  # fmt: skip
        game = settings["mark"] + seats.new_game_id()
        rows = zip(record.steps, by, strict=False)
        choices = [
            StoredEvent(
                number, "act", step.seat, {"id": step.id, "hash": step.hash, "by": how, "seconds": 0.0, "options": 0}
            )
            for number, (step, how) in enumerate(rows, 1)
        ]
        self.store.append(game, StoredEvent(0, "game", None, document), *choices)
        with suppress(UnfinishedError):  # it goes on when somebody opens the game
            self.live(game)
        return {"game": game, "tokens": tokens}

    def fork(self, game: str, place: str, token: str | None, step: int) -> Json:
        """Begin another game with the first choices of this one, the same chance to come and new tokens.

        It reveals what is hidden and what chance brings: it is for finished games, and under `--watch` for a game's
        maker.

        Args:
            step: how many choices.

        Raises:
            RefusedError: the game is not over.
        """
        live = self.live(game)
        whole = (
            self._check_maker(live, token) and self.watching
            if place == seats.MAKER
            else live.check(place, token) is None
        )
        if not (whole or live.revealed):
            raise RefusedError(403, "not_over")
        played = live.session.record
        record = replace(played, steps=played.steps[: max(step, 0)], scores=None, winners=None, undone=[])
        return self._create(live.ruleset, record, live.begun, [choice.by for choice in live.line])

    def rematch(self, game: str, place: str, token: str | None) -> Json:
        """Return the game in which the people of a finished game go on, and the seat there of who asks, begun if it was
        not yet: seats turn by one, or by as many as keep teams together, and each is opened by its player's token.

        Raises:
            RefusedError: the game is not over, or the place is no seat.
        """
        live, seat = self._seated(game, place, token)
        if seat < 0 or not live.revealed:
            raise RefusedError(403, "not_over")
        begun_, names, players = live.begun, live.names, live.begun["players"]
        turned = {
            old: str((old - seats.turn(live.ruleset.written.teams.get(players, ()), players)) % players)
            for old in range(players)
        }
        if not live.rematch:
            ruleset = self.ruleset(begun_["ruleset"]["path"], begun_["ruleset"]["overlays"])
            seed = secrets.randbits(63)
            state = begun(ruleset, players, seed, begun_["options"], begun_["scenario"])
            bots = {turned.get(party, str(party)): bot for party, bot in live.bots.items()}
            keys = live.keys | {turned[old]: live.keys[str(old)] for old in turned}
            record = Record.of(state, seed, begun_["scenario"])
            new = self._create(ruleset, record, begun_ | {"bots": bots}, [], keys)["game"]
            rows = enumerate(sorted((turned[old], name) for old, name in names.items()), self.live(new).number)
            for number, (own, name) in rows:
                self.write(self.live(new), StoredEvent(number, "name", int(own), {"name": name}))
            self.write(live, StoredEvent(live.number, "rematch", seat, {"game": new}))
        return {"game": live.rematch, "place": turned[seat]}

    def reissue(self, game: str, cookie: str | None, place: str) -> Json:
        """Give a seat a new token, as its link is lost, for the maker of the game; all at the table are told. Raises
        RefusedError if too much was said in this game."""
        live = self.live(game)
        self._check_maker(live, cookie)
        seat, new = live.seat(place), seats.new_token()
        if live.said[SPECTATOR] >= SAYINGS:
            raise RefusedError(429, "too_many")
        self.write(live, StoredEvent(live.number, "key", seat, {"hash": seats.digest(new), "by": seats.MAKER}))
        return {"token": new}

    def _check_maker(self, live: Live, cookie: str | None) -> bool:
        """Check the cookie of a game's maker; return whether nothing of the game is hidden from them: it is over, or
        they know the tokens of all seats.

        Raises:
            RefusedError: the cookie has not the maker's token.
        """
        *tokens, maker = (cookie or "").split("~")
        if not seats.fits(maker, live.keys.get(seats.MAKER)):
            raise RefusedError(404, "no_seat")
        valid = [seats.fits(token, live.keys[str(seat)]) for seat, token in enumerate(tokens[: live.begun["players"]])]
        return live.revealed or (all(valid) and len(valid) == live.begun["players"])

    def links(self, game: str, cookie: str | None, lang: str) -> Json:
        """Return what the maker's page shows of a game."""
        live = self.live(game)
        self._check_maker(live, cookie)
        return {
            "game": game,
            "title": live.session.state.ruleset.words(self._language(live, lang)).title,
            "names": {str(seat): name for seat, name in live.names.items()},
            "bots": {str(party): name for party, name in live.bots.items()},
            "spectators": live.begun["spectators"],
        }

    def report(self, game: str, cookie: str | None, lang: str) -> Json:
        """Return the playtest report, for the maker of a game: as a page, and as CSV.

        Raises:
            RefusedError: something of the game is hidden from the maker. UnfinishedError: it is not yet worked out.
        """
        live = self.live(game)
        if not self._check_maker(live, cookie):
            raise RefusedError(403, "not_over")
        lang = self._language(live, lang)
        if not live.put_into_words(lang, time.monotonic() + SLICE_SECONDS):
            raise UnfinishedError
        return {"html": report.page(live, lang, live.revealed or self.watching), "csv": report.table(live, lang)}

    # ---- at a table

    def _seated(self, game: str, place: str, token: str | None) -> tuple[Live, int]:
        """Return a game and the seat that a token opens: see `Live.check`."""
        live = self.live(game)
        return live, live.check(place, token)

    def _saying(self, game: str, place: str, token: str | None, kind: str = "") -> tuple[Live, int]:
        """Return the same where a player does something besides choosing.

        Raises:
            RefusedError: it is no seat, or has done SAYINGS such things; to answer others is none.
        """
        live, seat = self._seated(game, place, token)
        if seat < 0:
            raise RefusedError(403, "not_yours")
        if kind != "consent" and live.said[seat] >= SAYINGS:
            raise RefusedError(429, "too_many")
        return live, seat

    def page(
        self, game: str, place: str, token: str | None, lang: str, part: str = "", search: Json | None = None
    ) -> Json:
        """Return a part of a reader's page.

        Args:
            part: see `table.part`. search: `picks`, `find`, `piece`, `notice`.
        """
        live, seat = self._seated(game, place, token)
        return self._answer(live, seat, lang, part, search)

    def _answer(self, live: Live, seat: int, lang: str, part: str = "table", search: Json | None = None) -> Json:
        """Return a part of the page for a seat as HTML, cached until the game changes.

        Raises:
            RefusedError: there is no such part.
        """
        search = search or {}
        lang = self._language(live, lang)
        drawn = live.drawn(seat) if part == "table" and not any(search.values()) else None
        if drawn and lang in drawn:
            return {"html": drawn[lang], "stamp": live.stamp(seat), "todo": live.todo()}
        filters = {name: search[name] for name in ("picks", "find", "notice", "since") if name in search}
        view = live.view(seat, lang, CLOCK.now(), **filters)
        answer = _part(view, part, search.get("piece", ""))
        if drawn is not None:
            drawn[lang] = answer["html"]
        return answer | {"stamp": view.stamp, "todo": live.todo()}

    def _language(self, live: Live, lang: str) -> str:
        """Return the language if the ruleset has it, else its first one."""
        return _language(live.session.state.ruleset, lang)

    def told(self, path: str, part: str, lang: str) -> Json:
        """Return a part of what is known of a ruleset before a game: a name of `TOLD`."""
        ruleset = self.ruleset(path, [])
        return {"answer": TOLD[part](ruleset, _language(ruleset, lang))}

    def told_at(self, game: str, place: str, token: str | None, part: str, lang: str) -> Json:
        """Return a part of what is known of the ruleset of a game: see `told`."""
        live, _ = self._seated(game, place, token)
        return {"answer": TOLD[part](live.ruleset, self._language(live, lang))}

    def stamp(self, game: str, place: str, token: str | None) -> Json:
        """Return the stamp of a reader's page, and whether the reader has a name, or needs none."""
        live, seat = self._seated(game, place, token)
        named = bool(live.names.get(seat)) or seat < 0 or seat in live.bots or live.revealed
        return {"stamp": live.stamp(seat), "named": named, "todo": live.todo()}

    def stamps(self, game: str, places: list[str]) -> Json:
        """Return the stamps of places that were checked before, and what the game waits for."""
        live = self.live(game)
        stamps = {place: live.stamp(SPECTATOR if place == seats.WATCH else live.seat(place)) for place in places}
        return {"stamps": stamps, "todo": live.todo()}

    def replay(self, game: str, place: str, token: str | None, lang: str, at: int, eyes: str, part: str) -> Json:
        """Return an earlier position, as the reader saw it or, once the game is over, any seat (`eyes`).

        Args:
            at: how many of the visible changes have happened.
        """
        live, seat = self._seated(game, place, token)
        reader = seat
        if eyes and live.revealed:
            reader = live.seat(eyes)
        view = live.replayed(seat, reader, self._language(live, lang), at)
        return _part(view, part)

    def record(self, game: str, place: str, token: str | None) -> Json:
        """Return the record of a finished game, or of one that can't go on because its rules are there no more, as
        `rulelang replay` reads it: with its seed, and so with every secret.

        Raises:
            RefusedError: the game is not over.
        """
        try:
            live, _ = self._seated(game, place, token)
            if not live.revealed:
                raise RefusedError(403, "not_over")
            record = live.session.record
        except RefusedError as error:
            if error.code != "changed":
                raise
            record = self._unplayable(game, place, token)
        paths = record.ruleset.path, *record.ruleset.overlays
        path, *overlays = (path if means_shipped(path) else Path(path).name for path in paths)  # folders are our own
        public = replace(record, ruleset=replace(record.ruleset, path=path, overlays=tuple(overlays)))
        return {"record": json.loads(public.to_json()), "name": record.ruleset.name}

    def _unplayable(self, game: str, place: str, token: str | None) -> Record:
        """Return the record of a game whose rules are there no more, for who has a seat.

        Raises:
            RefusedError: the token opens no seat.
        """
        first, *events = self.store.events(game)
        begun, rules = first.body, first.body["ruleset"]
        live = Live(game, self.ruleset(rules["path"], rules["overlays"]), [first])  # folded without a state
        for event in events:
            live.fold(event)
        if not place.isdecimal() or not seats.fits(token, live.keys.get(place)):
            raise RefusedError(404, "no_seat")
        steps = [RecordedChoice(choice.seat, choice.id, choice.hash) for choice in live.line]
        origin = PlayedRuleset(rules["path"], tuple(rules["overlays"]), rules["name"], rules["hash"])
        shared = {name: begun[name] for name in ("players", "options", "seed", "start", "scenario")}
        return Record(origin, steps=steps, **shared)

    def picture(self, game: str, place: str, token: str | None, name: str) -> Json:
        """Return a picture of the theme of a game's ruleset, or its style sheet."""
        live, _ = self._seated(game, place, token)
        return _picture(live.session.state.ruleset, name)

    def picture_of(self, path: str, name: str) -> Json:
        """Return a picture of the theme of a ruleset."""
        return _picture(self.ruleset(path, []), name)

    def act(self, game: str, place: str, token: str | None, stamp: str, id_: str, lang: str, *shown: Any) -> Json:
        """Make a person's choice; return the new table.

        Args:
            stamp: of the page that the choice was made on. shown: part and search, as in `page`.

        Raises:
            RefusedError: the page is outdated, the seat is not the person's, or the choice is illegal.
        """
        live, seat = self._seated(game, place, token)
        if seat < 0 or seat in live.bots:
            raise RefusedError(403, "not_yours")
        if live.ended:
            raise RefusedError(409, "over")
        if stamp != live.stamp(seat):
            raise RefusedError(409, "stale")
        if seat not in live.session.state.current_players():
            raise RefusedError(409, "over" if live.revealed else "not_your_turn")
        self._take(live, seat, id_, PERSON)
        return self._answer(live, seat, lang, *shown)

    def say(self, game: str, place: str, token: str | None, kind: str, value: str, lang: str, *shown: Any) -> Json:
        """Apply a post that is no choice of the game: see `KINDS` of sayings.py. Raises RefusedError if it can't be
        said now."""
        if kind not in KINDS:
            raise RefusedError(403, "not_yours")
        live, seat = self._saying(game, place, token, kind)
        self.write(live, KINDS[kind](live, seat, value))
        return self._answer(live, seat, lang, *shown)

    def renew(self, game: str, place: str, token: str | None) -> Json:
        """Give a seat a new token; links with the old one, which the game's maker knows, become invalid. Raises
        RefusedError if whoever asks has no seat or asks too often."""
        live, seat = self._saying(game, place, token)
        new = seats.new_token()
        self.write(live, StoredEvent(live.number, "key", seat, {"hash": seats.digest(new)}))
        return {"token": new}

    def notice(self, game: str, place: str, token: str | None) -> Json:
        """Return where a player is told of turns, and whether that has to be confirmed yet. Raises RefusedError if
        whoever asks has no seat."""
        live, seat = self._seated(game, place, token)
        if seat < 0:
            raise RefusedError(403, "not_yours")
        own = live.told.get(seat, {"to": "", "code": ""})
        return {"to": own["to"], "pending": bool(own["code"])}

    def set_notice(self, game: str, place: str, token: str | None, body: Json, code: str) -> Json:
        """Set where a player is told of turns, or confirm that by the code that was sent there.

        Args:
            body: of the event `tell`; empty to confirm.

        Raises:
            RefusedError: whoever asks has no seat or asks too often.
        """
        live, seat = self._saying(game, place, token)
        own = live.told.get(seat, {"to": "", "code": ""})
        kind = "confirm" if not body and seats.fits(code, own["code"]) else "tell"
        self.write(live, StoredEvent(live.number, kind, seat, body or own))
        return self.notice(game, place, token)

    # ---- bots and clocks

    def position(self, game: str, number: int) -> Json:
        """Return what a bot of another process needs to choose: `layout` (path, overlays, key of kept rules,
        players, options) and `state`, as JSON; nothing if the game has gone on.

        Args:
            number: of the next event when the bot was asked.
        """
        live = self.live(game)
        if live.number != number:
            return {}
        ruleset, state = live.ruleset, live.session.state
        layout = [ruleset.path, ruleset.overlays, live.kept, state.players, state.options]
        return {"layout": layout, "state": state.to_json()}

    def think(self, layout: list[Any], state: str, seat: int, bot: str, seconds: float, native: bool) -> Json:
        """Return the id of a bot's choice at a position.

        Args:
            bot: of `OFFERED`; games of before may name others. seconds: after these it takes the best choice so far.
            native: whether native code is there; nothing is compiled now.
        """
        name, backend = bot if bot in OFFERED else STAND_IN, "auto" if native else "interpreter"
        position = self._rules(*layout[:3]).state_from_json(state)
        return {"id": make_bot(name, secrets.randbits(63), seat, seconds, backend).choose(position, seat).id}

    def prepare(self, path: str, overlays: list[str], key: str, players: int, options: Json) -> Json:
        """Compile the search of a layout, or find it in the cache: `think` is then asked for native code."""
        self._rules(path, overlays, key).executor(players, options).search_library_or_none()
        return {}

    def move(self, game: str, number: int, seat: int, id_: str) -> Json:
        """Make a bot's choice, if the game still waits for it."""
        live = self.live(game)
        if live.number == number and seat in live.bots and not live.ended:
            self._take(live, seat, id_, BOT)
        return {"todo": live.todo()}

    def tick(self, game: str) -> Json:
        """Hand the seats whose clock has run out to the bot of the clock."""
        live = self.live(game)
        for seat in live.late(CLOCK.now()):
            self.write(live, StoredEvent(live.number, "sit", seat, {"bot": live.begun["clock"]["bot"], "by": "clock"}))
        return {"todo": live.todo()}


def _part(view: View, part: str, piece: str = "") -> Json:
    """Return a part of what a reader is shown: one of `answers.PARTS` as `answer`, else as `html`.

    Raises:
        RefusedError: there is no such part.
    """
    if part in PARTS:
        return {"answer": PARTS[part](view)}
    html = table.part(view, part, piece)
    if html is None:
        raise RefusedError(404, "no_page")
    return {"html": html}


def _picture(ruleset: Ruleset, name: str) -> Json:
    """Return a picture of the theme of a ruleset, or its style sheet.

    Raises:
        RefusedError: it has none of this name.
    """
    data = picture(ruleset, name)
    if data is None:
        raise RefusedError(404, "no_page")
    return {"data": base64.b64encode(data[0]).decode(), "type": data[1]}


def _language(ruleset: Ruleset, lang: str) -> str:
    """Return the language if the ruleset has it, else its first one."""
    languages = ruleset.written.languages
    return lang if lang in languages else languages[0]


def _names(program: Program) -> set[str]:
    """Return what a page has words for in a program: its pieces, zones, variables, values, choices and scores."""
    rows = (*program.kinds, *program.zones, *program.variables, *program.piece_variables, *program.decisions)
    values = [f"{enum.name} {value}" for enum in program.enums for value in enum.values]
    pieces = [f"{kind.name} {definition.id}" for kind in program.kinds for definition in kind.definitions]
    return {*(f"{type(row).__name__} {getattr(row, 'name', '')}" for row in rows), *values, *pieces} | {
        f"score {score.name}" for score in program.scores
    }


def _keep(works: dict[str, Work], key: str, work: Work) -> None:
    """Keep unfinished work as the newest of UNFINISHED."""
    works[key] = work
    if len(works) > UNFINISHED:
        del works[next(iter(works))]


def _without_folders(text: str) -> str:
    """Return a message with the bare names of the files that it points to: folders are the server's own."""
    return re.sub(r"[^\s(]*/(?=[^\s/:]+:\d+)", "", text)


def _diagnostics_text(error: RulesetError) -> str:
    """Return the diagnostics of a ruleset, one a line."""
    return "\n".join(map(str, error.diagnostics))


_METHODS: dict[str, Callable[..., Json]] = {
    name: method for name, method in vars(Games).items()
    if name[0] != "_" and getattr(method, "__annotations__", {}).get("return") == "Json" and name != "call"
}  # fmt: skip
"""What a worker may be asked for: what gives an answer as JSON."""
