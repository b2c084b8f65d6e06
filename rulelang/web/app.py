"""The web application: routes, cookies, headers, rate limits.

Enters: settings. Leaves: an ASGI application. It holds no game: it passes requests on to workers and notifies pages of
changes.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Concatenate

import segno
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from rulelang import numbers
from rulelang.languages import DEFAULT, codes
from rulelang.languages import language as texts
from rulelang.ruleset.loader import Glance, glance
from rulelang.ruleset.unpacking import FILES, GAME
from rulelang.web import fields, seats
from rulelang.web.api import server as api
from rulelang.web.api.errors import error_answer
from rulelang.web.clock import CLOCK
from rulelang.web.fields import COOKIE, language, sender_of
from rulelang.web.forms import page as form_page
from rulelang.web.forms import settings_of
from rulelang.web.games import LOG, Games
from rulelang.web.guard import API, HEADERS, SENDING, Rates, RequestGuard, client_address, waiting
from rulelang.web.live import Json, RefusedError
from rulelang.web.lobby import cover, tiles
from rulelang.web.metrics import Metrics
from rulelang.web.notices import Notices
from rulelang.web.pages import STATIC, render
from rulelang.web.store import BEAT_SECONDS, news
from rulelang.web.streams import Streams
from rulelang.web.workers import BOTS, LOAD_SECONDS, MEMORY, SENDER, SIMPLE, THINK_SECONDS, P, Worker, Workers, asking

Answer = Callable[[Request], Awaitable[Response]]
AtPlace = Callable[Concatenate[Games, str, str, str | None, P], Json]
"""A method of a game, place and token."""
Change = AtPlace[str, str, str]
"""One that changes the game: by two texts; the language of its answer."""
YEAR = 366 * 24 * 3600
FAILURES, MADE, SENT = (60, 60.0), (600, 3600.0), (20, 3600.0)
"""Rate limits of an address: number and seconds, of wrong links, new games, uploads."""
UPLOADS = 1000, 512 << 20
"""Most uploaded rulesets that are stored, and most bytes of all of them."""
PATIENCE = 1.0
"""How long a reader waits, in seconds, before a page says what is loading, and then asks again by itself."""
ABANDONED_SECONDS = 60.0
"""What nobody asks for again is forgotten so long after."""
QUIET = ("no_page", "stale", "refused")
"""Refusals that are not logged: they come with ordinary play."""
COMPILE_PATIENCE = 8.0
"""How long a bot waits for its search to be compiled: until it is, it chooses by the interpreter, nearly at random."""
HEALTH_SECONDS = 5.0
"""How long a worker may take to say that it is well."""


@dataclass(frozen=True)
class Settings:
    """How games are served.

    Attributes:
        rulesets: key in addresses -> path. database: a file or a PostgreSQL address.
        hosts, thinkers: how many worker processes hold games, and think for bots. pace: the least seconds that a bot
            takes, so that how long it thought tells less of what it holds. memory: the MiB that a worker may take.
        changes: gives the paths of the rulesets whose files have changed since it was called last, each with what is
            wrong with it, empty if nothing is; None where rulesets stay as they are.
        uploads: the folder of rulesets that strangers send; "": they can't. compile_uploads: whether native code is
            made of them. metrics: whether `/metrics` tells what the server measures of itself. cors: the origins whose
            pages may use the API, `*` for all. webhooks, smtp, mail_from: where notices go, see `Notices`.
        framed: whether pages may stand in frames of others, such as an editor's; each of those has places of its own.
    """

    rulesets: Mapping[str, str]
    database: str
    hosts: int = 1
    thinkers: int = 2
    memory: int = MEMORY
    pace: float = 0.7
    poll: float = 0.25
    changes: Callable[[], dict[str, str]] | None = None
    uploads: str = ""
    compile_uploads: bool = False
    metrics: bool = False
    cors: Sequence[str] = ()
    webhooks: Sequence[str] = ()
    smtp: str = ""
    mail_from: str = ""
    framed: bool = False


class LoadingError(Exception):
    """What was asked for is being loaded, and is to be asked for again; `args`: what it is called."""


class App:
    """The state of the web process: workers, open pages, bots that think.

    Attributes:
        failures, made, sent: rate limits for guessed links, new games and uploaded rulesets, by address.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = s = settings
        watching = s.changes is not None
        self.workers = Workers(s.database, s.hosts, s.thinkers, s.memory, watching, s.compile_uploads, bool(s.uploads))
        self.streams = Streams()
        self.notices = Notices(s.webhooks, s.smtp, s.mail_from)
        self._told: dict[str, set[int]] = {}  # by game: seats that were told that it is their turn
        gauges = {
            "rulelang_pages": ("Pages that are notified", lambda: self.streams.count),
            "rulelang_bots": ("Bots that think or wait", lambda: self.workers.thinkers("").asked),
        }
        self.metrics = Metrics(gauges) if s.metrics else None
        self.failures, self.made, self.sent = Rates(FAILURES), Rates(MADE), Rates(SENT)
        self._thinking: dict[str, asyncio.Task[None]] = {}  # by game, or by search that is compiled: its bots at work
        self._todos: dict[str, Json] = {}  # by game: what it waits for, as last heard
        self._deadlines: dict[str, float] = {}  # by game: when its first clock runs out
        self._loads: dict[str, asyncio.Task[Json]] = {}  # by ruleset: see `Games.offers`
        self._glances: dict[str, Glance] = {}  # by ruleset
        self._works: dict[tuple[Any, ...], asyncio.Task[Json]] = {}  # what readers wait for
        self._began = CLOCK.now()

    async def soon(self, title: str, key: tuple[Any, ...], work: Callable[[], Coroutine[Any, Any, Json]]) -> Json:
        """Return what some work gives, begun unless it was under its key.

        Raises:
            LoadingError: it takes longer than PATIENCE, and goes on.
        """
        if (task := self._works.get(key)) is None:
            task = self._works[key] = asyncio.create_task(work())
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait([task], timeout=PATIENCE)
        if not done:
            asyncio.get_running_loop().call_later(ABANDONED_SECONDS, self._works.pop, key, None)
            raise LoadingError(title)
        self._works.pop(key, None)
        return task.result()

    # ---- games

    async def call(
        self, game: str, method: Callable[Concatenate[Games, P], Json], *arguments: P.args, **named: P.kwargs
    ) -> Json:
        """Call a method of the worker that has a game, and schedule what the game waits for.

        Raises:
            RefusedError: the worker refuses.
        """
        answer = await self.workers.host(game).call(asking(method, *arguments, **named))
        if "todo" in answer:
            self.look_after(game, answer["todo"])
        return answer

    async def ask(self, request: Request, method: AtPlace[P], *arguments: P.args, **named: P.kwargs) -> Json:
        """Call a method of the worker for the sender of a request, whose game, place and token come first."""
        game, place, token = sender_of(request)
        return await self.call(game, method, game, place, token, *arguments, **named)

    async def changed(self, game: str) -> None:
        """Send each open page of a game the stamp of its current content, so that pages with another stamp reload, and
        notices to those who are not there."""
        self.notify(game)
        places = self.streams.places(game)
        if places:
            answer = await self.call(game, Games.stamps, game, places)
            self.streams.tell(game, answer["stamps"])

    def look_after(self, game: str, todo: dict[str, Any]) -> None:
        """Start the bots that a game waits for, and note when its first clock runs out.

        Args:
            todo: see `Live.todo`.
        """
        if len(self._todos) > 10_000:  # what is not known is asked for
            self._todos.clear()
        if todo["number"] >= self._todos.get(game, todo)["number"]:
            self._todos[game] = todo
        self._deadlines.pop(game, None)
        if todo["deadline"]:
            self._deadlines[game] = todo["deadline"]
        if todo["bots"] and game not in self._thinking:
            self._thinking[game] = asyncio.get_running_loop().create_task(self._think(game))

    def notify(self, game: str) -> None:
        """Tell those whose turn has come, unless their page is open."""
        if len(self._told) > 10_000:
            self._told.clear()
        tell = self._todos.get(game, _IDLE)["tell"]
        known, self._told[game] = self._told.get(game, set()), {seat for seat, *_ in tell}
        for seat, to, lang, title, address in tell:
            if seat not in known and str(seat) not in self.streams.places(game):
                text = texts(lang).texts("web")["notice"].format(title=title, address=address)
                self._send(to, lang, text)

    def _send(self, to: str, lang: str, text: str) -> None:
        """Send a notice in the background."""
        key = f"notice {secrets.token_hex(8)}"
        task = self._thinking[key] = asyncio.create_task(self.notices.send(to, lang, text))
        task.add_done_callback(lambda _: self._thinking.pop(key, None))

    async def _think(self, game: str) -> None:
        """Let bots choose until a person is to; after a failure this is retried when somebody opens the game."""
        SENDER.set(BOTS)
        host = self.workers.host(game)
        try:
            while (todo := self._todos.get(game, _IDLE))["bots"]:  # what others heard meanwhile counts
                number, (seat, bot) = todo["number"], todo["bots"][0]
                pause = asyncio.create_task(asyncio.sleep(self.settings.pace))
                id_ = await self._choice(game, number, seat, bot)
                await pause
                answer = await host.call(asking(Games.move, game, number, seat, id_))
                self.look_after(game, answer["todo"])
                await self.changed(game)
        except RefusedError:
            pass
        finally:
            self._thinking.pop(game, None)

    async def _choice(self, game: str, number: int, seat: int, bot: str) -> str:
        """Return the id of a bot's choice, by the bot's deadline; "" if the game has gone on."""
        host = self.workers.host(game)
        position = await host.call(asking(Games.position, game, number))
        if not position:
            return ""
        asked = position["layout"], position["state"], seat
        if bot != SIMPLE:
            await asyncio.wait([self._prepare(game, position["layout"])], timeout=COMPILE_PATIENCE)
        try:
            move = await self.workers.thinkers(game).think(*asked, bot)
        except RefusedError:
            move = await host.call(asking(Games.think, *asked, SIMPLE, THINK_SECONDS, False))
        return str(move["id"])

    def _prepare(self, game: str, layout: list[Any]) -> asyncio.Task[None]:
        """Have the search of a layout compiled, unless that is under way; return the task that does it."""
        key = f"search {json.dumps(layout)}"
        if (task := self._thinking.get(key)) is None:
            self._thinking[key] = task = asyncio.create_task(self.workers.prepare(game, layout))
            task.add_done_callback(lambda _: self._thinking.pop(key, None))
        return task

    async def watch(self) -> None:
        """Notify pages of what other servers of the same store have written."""
        async for game, number in news(self.settings.database, self.streams.games, self.settings.poll):
            if number + 1 > self._todos.get(game, _IDLE)["number"]:
                with suppress(RefusedError):
                    await self.changed(game)

    async def tick(self) -> None:
        """Check for expired clocks, and say that the server runs, for ever."""
        beaten = -BEAT_SECONDS
        while True:
            await asyncio.sleep(self.settings.poll)
            with suppress(RefusedError):
                if time.monotonic() > beaten + BEAT_SECONDS:
                    beaten = time.monotonic()
                    await self.workers.host("").call(asking(Games.beat, self._began))
                for game in [game for game, end in self._deadlines.items() if end <= CLOCK.now()]:
                    del self._deadlines[game]
                    await self.call(game, Games.tick, game)
                    await self.changed(game)

    async def warm(self) -> None:
        """Have first searches of all rulesets compiled, in the background: games before their variants."""
        worker, layouts = self.workers.background(), []
        for key, path in sorted(self.settings.rulesets.items(), key=lambda row: row[1].count("/")):
            with suppress(RefusedError):  # what is wrong with it is told to whoever wants to play it
                defaults = (await self._load(key, worker))[DEFAULT]["defaults"]
                layouts += [(key, [path, [], "", int(players), options]) for players, options in defaults.items()]
        await worker.kill()
        for key, layout in layouts:  # one after the other, so that what a game needs waits for one at most
            await self._prepare(key, layout)

    async def _load(self, key: str, worker: Worker | None = None) -> Json:
        """Return what the form of a ruleset offers by language, loaded and checked by a process that holds no game; by
        another one than that of readers if a worker is given, which leaves them its time."""
        task = self._loads.get(key)
        if task is None or (task.done() and task.exception()):
            request = asking(Games.offers, self.settings.rulesets[key])
            call = (worker or self.workers.loader).call(request, LOAD_SECONDS)
            task = self._loads[key] = asyncio.create_task(call)
        return await asyncio.shield(task)

    async def reload(self) -> None:
        """Have changed rulesets read again, and notify the pages of all games; for ever, under `--watch`."""
        while self.settings.changes is not None:
            changes = await asyncio.to_thread(self.settings.changes)
            for path in self.settings.rulesets.values():
                for worker in self.workers.all if path in changes else ():
                    with suppress(RefusedError):
                        await worker.call(asking(Games.reload, path, changes[path]))
                        worker.prepared.clear()
            if changes:
                self._loads.clear()
                self._glances.clear()
                await self.workers.loader.renew()
            for game in self.streams.games() if changes else ():
                with suppress(RefusedError):
                    await self.changed(game)
            await asyncio.sleep(self.settings.poll)

    async def close(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """Cancel all tasks and end the workers."""
        for task in (*tasks, *self._thinking.values(), *self._works.values(), *self._loads.values()):
            task.cancel()
            with suppress(asyncio.CancelledError, RefusedError):
                await task
        await self.workers.close()

    # ---- for those who run it

    async def health(self, _: Request) -> Response:
        """Tell whether every process that holds games can write to the database: status 200, else 503 with what is
        wrong."""
        asked = asyncio.gather(*(_fault(worker, self._began) for worker in self.workers.holding))
        faults = [fault for fault in await asked if fault]
        return JSONResponse({"ok": not faults, "faults": faults}, 503 if faults else 200)

    async def measured(self, _: Request) -> Response:
        """Return the metrics."""
        if self.metrics is None:
            raise RefusedError(404, "no_page")
        text, media_type = self.metrics.text()
        return Response(text, headers={"content-type": media_type})

    def refusal(self, request: Request, error: Exception) -> RefusedError:
        """Return the refusal that a request is answered with: after too many wrong links it is another one. It is
        counted and, unless a page is outdated, logged: without tokens."""
        if isinstance(error, HTTPException):  # of an address or method that there is not
            error = RefusedError(error.status_code, "method" if error.status_code == 405 else "no_page")
        assert isinstance(error, RefusedError)
        if error.code == "no_seat" and not self.failures.allow(client_address(request)):
            error = RefusedError(429, "too_many", "too many wrong links")
        if self.metrics is not None:
            self.metrics.refused(error.status, error.code)
        if error.code not in QUIET:
            where = request.scope.get("route")
            LOG.warning(
                "refused: %s %s %s: %d %s", client_address(request), request.method,
                where.path if isinstance(where, Route) else "no route", error.status, error.code,
            )  # fmt: skip
        return error

    def checked(self, path: str, answer: Answer) -> Answer:
        """Return what checks the parts of a request's address, answers it, and measures how long that took."""

        async def checked(request: Request) -> Response:
            """Answer a request."""
            begun = time.monotonic()
            SENDER.set(client_address(request))
            try:
                fields.check_parts(request)
                return await answer(request)
            finally:
                if self.metrics is not None:
                    self.metrics.answered(path, time.monotonic() - begun)

        return checked

    # ---- pages

    async def lobby(self, request: Request) -> Response:
        """Show the rulesets that can be played, each with its variants, by what they say of themselves in brief."""
        lang, glances = language(request), await self.glances()
        return HTMLResponse(render("lobby.html", lang, tiles=tiles(glances, lang), uploads=self.settings.uploads))

    async def glances(self) -> Mapping[str, Glance]:
        """Return what each ruleset says of itself in brief, by key."""
        paths = self.settings.rulesets
        for key in paths.keys() - self._glances.keys():
            self._glances[key] = await asyncio.to_thread(glance, paths[key])
        return {key: self._glances[key] for key in paths}

    async def cover(self, request: Request) -> Response:
        """Return the picture of a ruleset for the lobby."""
        key = request.path_params["ruleset"]
        data = await asyncio.to_thread(cover, self.settings.rulesets[key]) if key in self.settings.rulesets else None
        if data is None:
            raise RefusedError(404, "no_page")
        return Response(data[0], media_type=data[1], headers={"Cache-Control": "public, max-age=3600"})

    async def offer(self, key: str, lang: str, waits: bool = False) -> Json:
        """Return the form data of a ruleset: see `Games.offers`.

        Args:
            waits: whether to wait for it as long as it takes.

        Raises:
            LoadingError: it is being loaded.
        """
        asked, strange = asking(Games.offers, self.path(key)), key.startswith(seats.STRANGE)
        load = partial(self.workers.host(key).call, asked) if strange else partial(self._load, key)
        offers: Json = await load() if waits else await self.soon(key, ("offers", key), load)
        return offers[lang]  # type: ignore[no-any-return]

    async def rules(self, request: Request) -> Response:
        """Show the rules of a ruleset in words."""
        key, lang = request.path_params["ruleset"], language(request)
        told = partial(self.of_ruleset, request, Games.rules, lang, f"/new/{key}")
        answer = await self.soon(key, ("rules", key, lang), told)
        return HTMLResponse(answer["html"])

    def path(self, key: str) -> str:
        """Return the folder or name of a shipped or uploaded ruleset.

        Raises:
            RefusedError: there is none with this key.
        """
        if key in self.settings.rulesets:
            return self.settings.rulesets[key]
        path = Path(self.settings.uploads, key.removeprefix(seats.STRANGE), GAME)
        if not self.settings.uploads or not re.fullmatch(f"{seats.STRANGE}[0-9a-f]{{32}}", key) or not path.is_dir():
            raise RefusedError(404, "no_ruleset")
        return str(path.resolve())

    async def upload(self, request: Request) -> Response:
        """Show the upload form or, of a posted ruleset, its errors or a redirect to its games; it is checked in a
        process of its own."""
        lang, error = language(request), ""
        if request.method == "POST":
            if not self.sent.allow(client_address(request)):
                raise RefusedError(429, "too_many")
            form = await fields.parts(request, FILES, 1)
            files = (file for file in form.getlist("files") if isinstance(file, UploadFile))
            data = {file.filename or "": base64.b64encode(await file.read()).decode() for file in files}
            worker = self.workers.stranger(quiet=True)
            try:
                async with request.scope[SENDING].bodies:  # of what one address sends one is checked at a time
                    key = (await worker.call(asking(Games.unpack, self.settings.uploads, *UPLOADS, data)))["key"]
                return RedirectResponse(f"/new/{key}", 303)
            except RefusedError as refusal:
                error = refusal.detail or refusal.code
            finally:
                await worker.kill()
        return HTMLResponse(render("upload.html", lang, error=error), 400 if error else 200)

    async def new(self, request: Request) -> Response:
        """Show the form for a new game or, of a posted form, begin the game."""
        key, lang = request.path_params["ruleset"], language(request)
        offer = await self.offer(key, lang, waits=request.method == "POST")
        if request.method == "GET":
            sent = fields.query(request)
            return HTMLResponse(form_page(key, lang, offer, self.settings.rulesets, sent, self.path(key), ""))
        self.limit(request)
        sent = await fields.form(request)
        try:
            created = await self.make(key, sent, offer)
        except RefusedError as error:
            shown = error.detail or error.code
            html = form_page(key, lang, offer, self.settings.rulesets, sent, self.path(key), shown)
            return HTMLResponse(html, error.status)
        return _redirect_to_links(request, created)

    async def of_ruleset(
        self,
        request: Request,
        method: Callable[Concatenate[Games, str, P], Json],
        *arguments: P.args,
        **named: P.kwargs,
    ) -> Json:
        """Call a method of a worker that holds no game for the ruleset of a request, whose path comes first."""
        key = request.path_params["ruleset"]
        worker = self.workers.host(key) if key.startswith(seats.STRANGE) else self.workers.loader
        return await worker.call(asking(method, self.path(key), *arguments, **named), LOAD_SECONDS)

    def limit(self, request: Request) -> None:
        """Count a new game of a request's sender.

        Raises:
            RefusedError: it is one too many.
        """
        if not self.made.allow(client_address(request)):
            raise RefusedError(429, "too_many")

    async def make(self, key: str, sent: fields.RequestFields, offer: Mapping[str, Any]) -> Json:
        """Begin a game of a ruleset with the fields of a form; return its id and tokens: see `Games.create`."""
        settings = settings_of(self.path(key), sent, offer)
        settings["mark"] = seats.STRANGE if key.startswith(seats.STRANGE) else ""
        return await self.workers.host(key).call(asking(Games.create, settings))

    async def fork(self, request: Request) -> Response:
        """Begin another game with the first choices of this one."""
        step = (await fields.form(request)).get("at", 0)
        self.limit(request)
        return _redirect_to_links(request, await self.ask(request, Games.fork, step))

    async def report(self, request: Request) -> Response:
        """Show the report of a game's playtest, as HTML or CSV."""
        game = request.path_params["game"]
        answer = await self.call(game, Games.report, game, request.cookies.get(COOKIE), language(request))
        form = "csv" if "csv" in fields.query(request) else "html"
        return Response(answer[form], media_type=f"text/{form}")

    async def links(self, request: Request) -> Response:
        """Show the maker of a game the secret links of all seats, which only the maker's cookie has."""
        game, lang = request.path_params["game"], language(request)
        *tokens, _ = (request.cookies.get(COOKIE) or "").split("~")
        summary = await self.call(game, Games.links, game, request.cookies.get(COOKIE), lang)
        urls = [f"{request.base_url}join/{game}/{seat}/{token}" for seat, token in enumerate(tokens)]
        return HTMLResponse(render("links.html", lang, game=summary, links=[(url, _qr_code(url)) for url in urls]))

    async def join(self, request: Request) -> Response:
        """Accept an invitation: give this browser the token of a seat."""
        game, place, token = (request.path_params[name] for name in ("game", "place", "token"))
        named = (await self._open(game, place, token))["named"]
        response = RedirectResponse(f"/g/{game}/{place}{'' if named else '/welcome'}", 303)
        _set_token_cookie(request, response, game, place, token)
        return response

    async def _open(self, game: str, place: str, token: str | None) -> Json:
        """Return the stamp of a page at a table, which is opened for it.

        Raises:
            LoadingError: that takes longer.
        """
        key = game, place, token
        return await self.soon("", key, lambda: self.call(game, Games.stamp, game, place, token))

    async def reissue(self, request: Request) -> Response:
        """Make the link of a seat anew, for the maker of the game, whose browser gets it."""
        game, cookie = request.path_params["game"], request.cookies.get(COOKIE)
        place = str((await fields.form(request)).get("seat", ""))
        token = (await self.call(game, Games.reissue, game, cookie, place))["token"]
        tokens = (cookie or "").split("~")
        tokens[numbers.SEAT.read(place)] = token
        response = RedirectResponse(f"/g/{game}/{seats.MAKER}", 303)
        _set_token_cookie(request, response, game, seats.MAKER, "~".join(tokens))
        await self.changed(game)
        return response

    async def rematch(self, request: Request) -> Response:
        """Take a seat in the game in which the people of a finished one go on."""
        self.limit(request)
        game, _, token = sender_of(request)
        answer = await self.ask(request, Games.rematch)
        response = RedirectResponse(f"/g/{answer['game']}/{answer['place']}", 303)
        _set_token_cookie(request, response, answer["game"], answer["place"], token or "")
        await self.changed(game)
        return response

    async def page(self, request: Request) -> Response:
        """Return a whole page, or a part of it; status 204 where the page shows it already."""
        query, part = fields.query(request), request.path_params.get("part", "")
        if not part:
            await self._open(*sender_of(request))
        search = {"picks": query.all("pick"), "find": query.get("find", ""), "piece": query.get("piece", "")}
        answer = await self.ask(request, Games.page, language(request), part, search)
        if part == "table" and query.get("stamp", "") == answer["stamp"] and not search["picks"]:
            return Response(status_code=204)
        response = HTMLResponse(answer["html"])
        if (lang := query.get("lang", "")) in codes():
            response.set_cookie("lang", lang, max_age=YEAR, path="/", httponly=True, samesite="lax")
        return response

    async def picture(self, request: Request) -> Response:
        """Return a picture of a ruleset's theme."""
        answer = await self.ask(request, Games.picture, request.path_params["name"])
        headers = {"Cache-Control": "private, max-age=3600"}
        return Response(base64.b64decode(answer["data"]), media_type=answer["type"], headers=headers)

    async def replay(self, request: Request) -> Response:
        """Show an earlier position of a game."""
        query, part = fields.query(request), "table" if "hx-request" in request.headers else ""
        at, eyes = query.get("at", 0), query.get("seat", "")
        answer = await self.ask(request, Games.replay, language(request), at, eyes, part)
        return HTMLResponse(answer["html"])

    async def record(self, request: Request) -> Response:
        """Return the record of a finished game as a download."""
        answer = await self.ask(request, Games.record)
        name = f"{answer['name']}-{request.path_params['game'][:4]}.json"
        return JSONResponse(answer["record"], headers={"Content-Disposition": f'attachment; filename="{name}"'})

    async def renew(self, request: Request) -> Response:
        """Give a seat a new token, which the asking browser gets."""
        (game, place, _), answer = sender_of(request), await self.ask(request, Games.renew)
        response = RedirectResponse(f"/g/{game}/{place}", 303)
        _set_token_cookie(request, response, game, place, answer["token"])
        return response

    async def tell(self, request: Request) -> Response:
        """Show where a player is told of turns or, of a posted form, set it; a mail address is sent a code first."""
        lang, error = language(request), ""
        if request.method == "POST":
            sent = await fields.form(request)
            to, code = sent.get("to", "").strip(), sent.get("code", "").strip()
            try:
                told = await (
                    self.ask(request, Games.set_notice, {}, code) if code else self._subscribe(request, to, lang)
                )
            except RefusedError as refusal:
                if refusal.status != 400:
                    raise
                told, error = await self.ask(request, Games.notice), refusal.detail or refusal.code
        else:
            told = await self.ask(request, Games.notice)
        game, place, _ = sender_of(request)
        html = render(
            "tell.html", lang, told=told, error=error, base=f"/g/{game}/{place}", hosts=self.notices.hosts,
            mails=self.notices.mails,
        )  # fmt: skip
        return HTMLResponse(html, 400 if error else 200)

    async def _subscribe(self, request: Request, to: str, lang: str) -> Json:
        """Set where a player is told of turns, and have a code sent there if it has to be confirmed."""
        code = f"{secrets.randbelow(10**8):08}" if to and self.notices.check(to) else ""
        if to and not self.sent.allow(client_address(request)):
            raise RefusedError(429, "too_many")
        body = {"to": to, "base": str(request.base_url), "lang": lang, "code": seats.digest(code) if code else ""}
        told = await self.ask(request, Games.set_notice, body, "")
        if code:
            self._send(to, lang, texts(lang).texts("web")["notice_code"].format(code=code))
        return told

    async def events(self, request: Request) -> Response:
        """Return the event stream of a page."""
        (game, place, _), answer = sender_of(request), await self.ask(request, Games.stamp)
        address = client_address(request)
        if self.streams.full(game, place, address):
            raise RefusedError(429, "too_many")
        shown = request.headers.get("last-event-id") or fields.query(request).get("stamp", answer["stamp"])

        async def body() -> AsyncIterator[str]:
            """Yield the messages of the stream while the page listens."""
            with self.streams.listening(game, place, shown, address) as stream:
                with suppress(RefusedError):  # what has changed since the page was made is news
                    stream.put((await self.ask(request, Games.stamp))["stamp"])
                async for message in stream.messages():
                    yield message

        return StreamingResponse(body(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})

    async def await_news(self, request: Request, stamp: str, seconds: float) -> None:
        """Wait until what the sender's place shows has another stamp, at most so many seconds."""
        (game, place, _), address = sender_of(request), client_address(request)
        await self.ask(request, Games.stamp)
        if self.streams.full(game, place, address):
            raise RefusedError(429, "too_many")
        await waiting(request.scope)
        with self.streams.listening(game, place, stamp, address) as stream, suppress(TimeoutError):
            stream.put((await self.ask(request, Games.stamp))["stamp"])
            async with asyncio.timeout(seconds):
                await stream.news.wait()

    async def act(self, request: Request) -> Response:
        """Make a person's choice."""
        form = await fields.form(request)
        return await self._change(request, Games.act, form.get("stamp", ""), form.get("id", ""))

    async def say(self, request: Request) -> Response:
        """Take a post that is no choice of the game: see sayings.py."""
        kind = request.path_params["kind"]
        if kind not in _SAID:
            raise RefusedError(404, "no_page")
        form = await fields.form(request)
        return await self._change(request, Games.say, kind, form.get(_SAID[kind], ""))

    async def _change(self, request: Request, method: Change, first: str, second: str) -> Response:
        """Call a method that changes a game; return the new table, or the table with a notice if it was refused."""
        (game, place, _), lang = sender_of(request), language(request)
        try:
            answer = await self.ask(request, method, first, second, lang)
        except RefusedError as error:
            if error.status != 409 or "hx-request" not in request.headers:
                raise
            answer = await self.ask(request, Games.page, lang, "table", {"notice": error.code})
            return HTMLResponse(answer["html"], headers={"X-Refused": error.code})
        await self.changed(game)
        if "hx-request" in request.headers:
            return HTMLResponse(answer["html"])
        return RedirectResponse(f"/g/{game}/{place}", 303)


_IDLE: Json = {"number": 0, "bots": [], "tell": []}
_SAID = {"name": "name", "bot": "bot", "note": "note", "chat": "note", "undo": "stamp"}
_SAID |= dict.fromkeys(("consent", "resign", "draw"), "answer")


async def _fault(worker: Worker, began: float) -> str:
    """Return what is wrong with a process that holds games of a server that began at a time, "" if nothing is."""
    try:
        await asyncio.wait_for(worker.call(asking(Games.beat, began)), HEALTH_SECONDS)
    except RefusedError as error:
        return f"{error.code}: {error.detail}"
    except TimeoutError:
        return f"worker: no answer in {HEALTH_SECONDS:g} s"
    return ""


def _redirect_to_links(request: Request, created: Mapping[str, Any]) -> Response:
    """Return a redirect to the links of a new game, whose tokens this browser alone gets."""
    response = RedirectResponse(f"/g/{created['game']}/{seats.MAKER}", 303)
    _set_token_cookie(request, response, created["game"], seats.MAKER, "~".join(created["tokens"].values()))
    return response


def _set_token_cookie(request: Request, response: Response, game: str, place: str, token: str) -> None:
    """Set the cookie with the token of a place, for that place alone."""
    framed = request.app.state.app.settings.framed
    response.set_cookie(
        COOKIE, token, max_age=YEAR, path=f"/g/{game}/{place}", httponly=True, samesite="none" if framed else "lax",
        secure=framed or request.url.scheme == "https",
    )  # fmt: skip
    if framed:  # a jar for each site with such a frame: no other one acts in the seats of this
        name, value = response.raw_headers.pop()
        response.raw_headers.append((name, value + b"; Partitioned"))


def _qr_code(text: str) -> Markup:
    """Return a QR code as SVG."""
    image = io.BytesIO()
    segno.make(text, micro=False).save(image, kind="svg", xmldecl=False, svgns=True, scale=4, border=2)
    return Markup(image.getvalue().decode())


GET, POST = ["GET"], ["POST"]


def _routes(app: App) -> list[tuple[str, Answer, list[str]]]:
    """Return address, what answers, and methods of all that can be asked; of several that fit the first counts."""
    table = "/g/{game}/{place}"
    return [
        ("/", app.lobby, GET),
        ("/health", app.health, GET),
        ("/cover/{ruleset}", app.cover, GET),
        ("/rules/{ruleset}", app.rules, GET),
        *([("/metrics", app.measured, GET)] if app.settings.metrics else ()),
        *([("/upload", app.upload, GET + POST)] if app.settings.uploads else ()),
        ("/new/{ruleset}", app.new, GET + POST),
        ("/join/{game}/{place}/{token}", app.join, GET),
        (f"/g/{{game}}/{seats.MAKER}", app.links, GET),
        (f"/g/{{game}}/{seats.MAKER}/report", app.report, GET),
        (f"/g/{{game}}/{seats.MAKER}/renew", app.reissue, POST),
        (table, app.page, GET),
        (f"{table}/events", app.events, GET),
        (f"{table}/replay", app.replay, GET),
        (f"{table}/record", app.record, GET),
        (f"{table}/renew", app.renew, POST),
        (f"{table}/fork", app.fork, POST),
        (f"{table}/tell", app.tell, GET + POST),
        (f"{table}/rematch", app.rematch, POST),
        (f"{table}/{{part}}", app.page, GET),
        (f"{table}/picture/{{name}}", app.picture, GET),
        (f"{table}/act", app.act, POST),
        (f"{table}/{{kind}}", app.say, POST),
    ]


def application(settings: Settings) -> Starlette:
    """Return the ASGI application."""
    app = App(settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Run the background tasks while the server runs."""
        tasks = [asyncio.create_task(task()) for task in (app.warm, app.watch, app.tick, app.reload)]
        yield
        await app.close(tasks)

    async def refused(request: Request, error: Exception) -> Response:
        """Return the error page of a refusal."""
        error = app.refusal(request, error)
        if request.url.path.startswith(API):  # a line break in an address leads to no mount
            return error_answer(error.code, error.detail)
        parts = request.path_params
        record = f"/g/{parts['game']}/{parts['place']}/record" if "place" in parts else ""
        return HTMLResponse(render("error.html", language(request), error=error, record=record), error.status)

    async def loading(request: Request, error: Exception) -> Response:
        """Return a page that says what is loading, and asks for the same again."""
        html = render("loading.html", language(request), title=error.args[0])
        return HTMLResponse(html, 202, {"Refresh": "1"})

    routes: list[BaseRoute] = [
        *(Route(path, app.checked(path, answer), methods=methods) for path, answer, methods in _routes(app)),
        api.mounted(app, settings.cors),
        Mount("/static", GZipMiddleware(StaticFiles(directory=STATIC))),
    ]
    handlers = dict.fromkeys((RefusedError, HTTPException), refused) | {LoadingError: loading}
    starlette = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    starlette.state.app = app
    policy = HEADERS["Content-Security-Policy"].removesuffix("; frame-ancestors 'none'" if settings.framed else "")
    starlette.add_middleware(RequestGuard, headers={**HEADERS, "Content-Security-Policy": policy})
    return starlette
