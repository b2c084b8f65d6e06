"""The studio's server: pages for one browser on this machine, which has the token of the link.

Enters: the folder of a ruleset, an editor's language server. Leaves: an ASGI application. Texts that are not saved are
the language server's; the game follows its analyses.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rulelang.agents import OFFERED
from rulelang.diagnostics import Diagnostics, IllegalAction, RuleError, RulesetError, SaveError, UsageError
from rulelang.documents import json_object
from rulelang.game import Ruleset
from rulelang.game.situations import scenario_text
from rulelang.languages import language as texts
from rulelang.memos import kept_with, uncollected
from rulelang.outputs import write_folder
from rulelang.programs import take
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.files import VARIANTS, ruleset_names
from rulelang.ruleset.loader import glance
from rulelang.ruleset.scenarios import scenarios_of, unsaved_scenarios
from rulelang.service import Project
from rulelang.service.project import Snapshot
from rulelang.studio import files
from rulelang.studio.overlay import UnsayableError, overlay, same
from rulelang.studio.play import BASE, FollowingGame
from rulelang.studio.work import working
from rulelang.web import table
from rulelang.web.fields import language, query
from rulelang.web.guard import HEADERS, RequestGuard
from rulelang.web.live import RefusedError
from rulelang.web.lobby import offer_in_words
from rulelang.web.pages import STATIC, render
from rulelang.web.streams import Stream
from rulelang.web.theme import picture

Json = dict[str, Any]
COOKIE = "studio-"
"""How the cookie begins; what follows parts the studios of one machine, as cookies of all ports are one lot."""
HOSTS = ("127.0.0.1", "localhost", "[::1]")
OWN_STATIC = Path(__file__).parent / "static"
WATCH_SECONDS = 1.0
"""So often it is looked whether files have changed."""
SLICE_SECONDS = 0.05
"""So long choices are made again before others are answered."""
TELL_SECONDS = 0.5
"""So often the table is shown while bots choose."""
STEPS = 2000
"""Most choices of a game that are told in words, the last ones."""
HEARTBEAT_SECONDS = 20.0
MOST_GAMES = 100_000
"""Most games that are counted at once."""


class Editor(Protocol):
    """The language server, for the one page that is open.

    Attributes:
        send: called with each message for the page. heard: as of the language server.
    """

    send: Callable[[str], None]
    heard: Callable[[Project, bool], asyncio.Task[None] | None]

    def open(self, folder: Path) -> Project:
        """Return the project of a folder, and look for findings in it."""

    def look(self, project: Project) -> None:
        """Look for findings anew."""

    def take(self, message: str) -> None:
        """Answer a message of the page."""


Maker = Callable[[Path, str], None]
"""Makes a folder with a copy of a shipped ruleset, or of a small one for an empty name."""


class Studio:
    """What the one page shows.

    Args:
        folder: the real folder of the ruleset that is played. home: where new games, and variants of shipped ones, are
            made. writable: whether its files may be written. token: what the page must know.

    Attributes:
        project: its files with those of its variants. opened: the texts when it was opened, with which figures are
            compared. stale: whether the texts have errors, so that the game goes by older ones. busy: whether
            bots choose.
    """

    def __init__(self, editor: Editor, make: Maker, folder: Path, home: Path, writable: bool, token: str) -> None:
        self.editor, self.make, self.home, self.token = editor, make, home, token
        self.cookie = COOKIE + hashlib.sha256(token.encode()).hexdigest()[:12]
        self.nonce = secrets.token_urlsafe(12)
        self.pages: set[asyncio.Queue[tuple[str, str]]] = set()
        self.tables: set[Stream] = set()
        self.jobs: dict[str, asyncio.Task[None]] = {}
        self._figures: dict[str, list[Json]] = {}
        self._replay: asyncio.Task[None] | None = None
        self.lang = ""
        editor.heard = self.heard
        self.open(folder, writable)

    # ---- the ruleset

    def open(self, folder: Path, writable: bool) -> None:
        """Take another ruleset; texts that are not saved are forgotten."""
        self.folder, self.writable = folder, writable
        self.play: FollowingGame | None = None
        self.snapshot: Snapshot | None = None
        self.stale = self.busy = self._anew = False
        for job in self.jobs.values():
            job.cancel()
        self.project = self.editor.open(folder)
        self.project.texts.clear()
        self.project.snapshots.clear()
        self.project.analyses.clear()
        self.root = self.project.folder
        self.stamps = files.tree(self.root)
        self.saved = {name: text for name in self.stamps if (text := self._read(name)) is not None}
        self.opened = self._texts(self.saved)

    def _read(self, name: str) -> str | None:
        with suppress(UsageError):
            return files.read(self.root, name)
        return None

    def _texts(self, named: Mapping[str, str]) -> dict[str, str]:
        """Return texts by the paths of their files."""
        return {str(self.root / name): text for name, text in named.items()}

    def unsaved(self) -> dict[Path, str]:
        """Return the texts that are not as on the disk."""
        return {
            path: text
            for path, text in self.project.texts.items()
            if path.is_relative_to(self.root) and self.saved.get(path.relative_to(self.root).as_posix()) != text
        }

    def heard(self, project: Project, partly: bool) -> asyncio.Task[None] | None:
        """Take the rules of a new analysis into the game, once they have no errors; return what shows the table."""
        if project is not self.project or partly != (self.folder == self.root):
            return None
        known = project.snapshots.get(self.folder)
        snapshot = known if known is not None and known.is_whole else None
        self.stale, before = not project.is_current(self.folder), self.snapshot
        self.snapshot = snapshot
        is_new = before is None or snapshot is None or before.ruleset.hash != snapshot.ruleset.hash
        if snapshot is not None and (is_new or self._anew):
            self._anew = False
            return self._later(self._follow(snapshot))
        self.tell("game", self.told())
        return None

    def _later(self, work: Any) -> asyncio.Task[None]:
        if self._replay is not None:
            self._replay.cancel()
        self._replay = asyncio.get_running_loop().create_task(work)
        return self._replay

    async def _follow(self, snapshot: Snapshot) -> None:
        """Let the game go on by the rules of an analysis."""
        take(snapshot.analysed)
        try:
            with uncollected():
                ruleset = Ruleset(snapshot.ruleset, str(self.folder), ())
            if self.play is None:
                self.play = FollowingGame(ruleset, lang=self._language(ruleset))
            else:
                await self._sliced(self.play.take(ruleset))
        except (RulesetError, UsageError, RuleError) as error:
            self.tell("fault", {"text": str(error)})
        self.tell_table()

    async def _sliced(self, work: Iterator[None]) -> None:
        """Do work in slices, and show the table as soon as it differs."""
        loop = asyncio.get_running_loop()
        until, told = loop.time() + SLICE_SECONDS, 0.0
        more = True
        while more:
            with uncollected():
                more = any(loop.time() > until for _ in work)
            if more:
                assert self.play is not None
                if (self.play.difference is not None or self.busy) and loop.time() > told + TELL_SECONDS:
                    self.tell_table()
                    told = loop.time()
                await asyncio.sleep(0)
                until = loop.time() + SLICE_SECONDS

    def _language(self, ruleset: Ruleset) -> str:
        return self.lang if self.lang in ruleset.written.languages else ruleset.written.languages[0]

    async def watch(self) -> None:
        """Notice what others write, for ever."""
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            self.notice()

    def notice(self) -> None:
        """Notice what others have written: tell the page, and have it analysed."""
        stamps = files.tree(self.root)
        if stamps == self.stamps:
            return
        changed = [name for name in {**stamps, **self.stamps} if stamps.get(name) != self.stamps.get(name)]
        self.stamps = stamps
        news: dict[str, str | None] = {}
        for name in changed:
            text = self._read(name) if name in stamps else None
            if text != self.saved.get(name):
                news[name] = text
                self.saved = (
                    {**self.saved, name: text}
                    if text is not None
                    else {k: v for k, v in self.saved.items() if k != name}
                )
        if news:
            self.tell("disk", {"files": news})
            self._anew = True  # themes are no part of an analysis
            self.editor.look(self.project)

    # ---- for the page

    def tell(self, event: str, data: Json) -> None:
        """Send something to the page."""
        for page in self.pages:
            page.put_nowait((event, json.dumps(data)))

    def tell_table(self) -> None:
        """Tell the page and the table in it what they show now."""
        self.tell("game", self.told())
        for stream in self.tables:
            stream.put(self.play.stamp() if self.play is not None else "")

    def told(self) -> Json:
        """Return what the page shows of the game."""
        play = self.play
        rulesets = {str(place.relative_to(self.root)): place.name for place in self.project.rulesets}
        own: Json = {"stale": self.stale, "playing": str(self.folder.relative_to(self.root)), "rulesets": rulesets}
        if play is None:
            return own | {"ready": False}
        state = play.state
        words = state.ruleset.words(play.lang, (), 1)
        layout = state.engine[0].layout
        first = max(len(play.texts) - STEPS, 0)
        return own | {
            "ready": True, "lang": play.lang, "languages": list(state.ruleset.written.languages), "view": play.view,
            "players": state.players, "counts": list(state.ruleset.players), "seed": play.seed,
            "options": state.options, "offered": _options(state.ruleset, play.lang),
            "title": words.title,
            "seats": [words.seat(layout, seat) for seat in range(state.players)],
            "at": play.at, "kept": play.kept, "of": len(play.steps), "first": first,
            "steps": [{"seat": s.seat, "text": t} for s, t in zip(play.steps, play.texts, strict=True)][first:],
            "difference": asdict(play.difference) if play.difference is not None else None, "fault": play.fault,
            "branches": [{"number": b.number, "of": len(b.steps), "text": b.texts[b.number]} for b in play.branches],
            "over": state.is_terminal(), "busy": self.busy, "current": state.current_players(),
        }  # fmt: skip

    def page(self, lang: str) -> str:
        """Return the page in a language. It begins with the texts on the disk."""
        self.lang = lang
        self.project.texts.clear()
        self.editor.look(self.project)
        if self.play is not None:
            self.play.lang = self._language(self.play.ruleset)
        said = texts(lang).texts("studio")
        shipped = {name: _title(name, lang) for name in ruleset_names(shipped_rulesets()) if "/" not in name}
        own = {
            "root": self.root.as_uri(), "folder": self.root.name, "writable": self.writable, "files": self.saved,
            "nonce": self.nonce, "words": said, "lang": lang, "bots": OFFERED, "home": str(self.home),
            "shipped": shipped,
        }  # fmt: skip
        return render("studio.html", lang, s=said, own=json.dumps(own).replace("<", "\\u003c"), nonce=self.nonce)

    # ---- what the page asks for

    async def save(self, sent: Json) -> Json:
        """Write a file; `conflict` has its text if that is not what the page knew, and `force` is not set."""
        name, text = str(sent["name"]), str(sent["text"])
        if not self.writable:
            raise UsageError(texts(self.lang).texts("studio")["shipped_saved"])
        path, known = files.path_in(self.root, name), sent.get("known")
        now = files.read(self.root, name) if path.is_file() else None
        if now != known and not sent.get("force"):
            return {"conflict": now}
        files.write(self.root, name, text)
        self.saved = {**self.saved, name: text}
        self.stamps = files.tree(self.root)
        if "/theme/" in f"/{name}":
            self._anew = True
        self.editor.look(self.project)
        return {"saved": name}

    async def restart(self, sent: Json) -> Json:
        """Begin another game."""
        play = self._playing()
        players = sent.get("players")
        play.restart(int(players) if players else None, int(sent.get("seed", play.seed)), sent.get("options") or {})
        return {}

    async def go(self, sent: Json) -> Json:
        """Show another position."""
        play = self.play
        if play is not None:
            play.go(int(sent["at"]))
        return {}

    async def look(self, sent: Json) -> Json:
        """Look with other eyes, or in another language."""
        play = self._playing(alone=False)
        play.view = str(sent.get("view", play.view))
        self.lang = str(sent.get("lang", self.lang))
        play.lang = self._language(play.ruleset)
        return {}

    async def bots(self, sent: Json) -> Json:
        """Let bots choose."""
        play = self._playing()
        self._later(self._bots(play, str(sent["bot"]), str(sent["until"])))
        return {}

    async def _bots(self, play: FollowingGame, bot: str, until: str) -> None:
        self.busy = True
        try:
            await self._sliced(play.play(bot, until))
        except (UsageError, RuleError) as error:
            self.tell("fault", {"text": str(error)})
        finally:
            self.busy = False
            self.tell_table()

    async def halt(self, sent: Json) -> Json:
        """Stop bots."""
        if self._replay is not None:
            self._replay.cancel()
        return {}

    async def switch(self, sent: Json) -> Json:
        """Go on with another line of choices."""
        self._playing().switch(int(sent["branch"]))
        return {}

    async def choose_ruleset(self, sent: Json) -> Json:
        """FollowingGame the base, or one of its variants."""
        place = next((p for p in self.project.rulesets if str(p.relative_to(self.root)) == sent["playing"]), self.root)
        self.folder, self.play, self.snapshot = place, None, None
        self.editor.look(self.project)
        return {}

    async def scenarios(self, sent: Json) -> Json:
        """List the scenarios of the ruleset that is played."""
        if self.snapshot is None:
            return {"scenarios": []}
        written = self.snapshot.ruleset
        rows = scenarios_of(written, Diagnostics(), unsaved_scenarios(written, self.project.texts))
        return {
            "scenarios": [{"name": row.name, "file": self._name(row.span.path), "line": row.span.line} for row in rows]
        }

    def _name(self, shown: str) -> str:
        """Return the name of a file as the page has it, from the one in findings."""
        path = Path(shown) if Path(shown).is_absolute() else Path.cwd() / shown
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else shown

    async def test(self, sent: Json) -> Json:
        """Run scenarios."""
        names = sent.get("names")
        self._start("test", {"job": "test", "path": str(self.folder), "texts": self._now(), "names": names})
        return {}

    async def position(self, sent: Json) -> Json:
        """Return the position that is shown as an item of a scenario file."""
        play = self._playing(alone=False)
        chosen = [(step.seat, step.id) for step in play.steps[: play.at]]
        return {"text": scenario_text(str(sent["name"]), play.state, play.seed, chosen)}

    async def simulate(self, sent: Json) -> Json:
        """Count games by the texts as they were when they were opened, and by those of now."""
        play = self._playing(alone=False)
        asked: Json = {"players": play.players, "options": dict(play.options), "bot": str(sent["bot"]), "seed": 1}
        asked |= {"games": min(int(sent["games"]), MOST_GAMES), "path": str(self.folder)}
        key = json.dumps([asked, self.opened], sort_keys=True)
        known = self._figures.get(key)
        sides = {"before": self.opened, "after": self._now()}
        if known is not None or sides["before"] == sides["after"]:
            del sides["before"]
        for row in known or ():
            self.tell("simulate", row)
        self._start("simulate", {"job": "simulate", "sides": sides, **asked}, key)
        return {"both": "before" in sides or known is not None}

    async def pin(self, sent: Json) -> Json:
        """Compare with the texts of now from here on."""
        self.opened = self._now()
        return {}

    def _now(self) -> dict[str, str]:
        """Return all texts as they stand in the editor."""
        return self._texts(self.saved) | {str(path): text for path, text in self.project.texts.items()}

    def _start(self, kind: str, request: Json, key: str = "") -> None:
        """Begin work in another process, in place of the last of its kind."""
        if kind in self.jobs:
            self.jobs[kind].cancel()
        self.jobs[kind] = asyncio.create_task(self._work(kind, request, key))

    async def _work(self, kind: str, request: Json, key: str) -> None:
        before = []
        async for row in working(request):
            if "result" in row:
                row["result"]["file"] = self._name(row["result"]["file"])
            before += [row] if row.get("side") == "before" and row["games"] == request["games"] else []
            self.tell(kind, row)
        if key and before:
            self._figures = {key: before}
        self.tell(kind, {"done": True})

    async def stop(self, sent: Json) -> Json:
        """Stop what is worked on."""
        if str(sent["job"]) in self.jobs:
            self.jobs[str(sent["job"])].cancel()
        return {}

    async def vary(self, sent: Json) -> Json:
        """Write what differs from the files on the disk as a variant, which is opened."""
        name, changed = str(sent["name"]), self.unsaved()
        self._check_name(name)
        folder, extends = self.folder / VARIANTS / name, self.folder.name
        if not self.writable:
            folder, extends = self.home / name, self.folder.relative_to(shipped_rulesets().resolve()).as_posix()
            extends = extends.replace(f"/{VARIANTS}/", "/")
        elif self.folder != self.root:
            folder = self.folder.parent / name
        try:
            written = overlay(self.folder, name, extends, changed)
        except UnsayableError as error:
            return {"reasons": error.reasons}
        self._make(folder, written)
        wrong, moved = same(folder, self.folder, changed)
        if wrong:
            shutil.rmtree(folder)
            return {"reasons": wrong}
        self.open(folder, True)
        self.editor.look(self.project)
        return {"folder": str(folder), "files": sorted(written), "moved": moved}

    async def new(self, sent: Json) -> Json:
        """Make a new game of a shipped one, which is opened."""
        name = str(sent["name"])
        self._check_name(name)
        folder = self.home / name
        self.make(folder, str(sent.get("base", "")))
        self.open(folder.resolve(), True)
        self.editor.look(self.project)
        return {"folder": str(folder)}

    def _check_name(self, name: str) -> None:
        if not name.isascii() or not name.replace("_", "a").isalnum() or not name[:1].islower() or name.lower() != name:
            raise UsageError(texts(self.lang).texts("studio")["bad_name"].format(name=name[:40]))

    def _make(self, folder: Path, written: Mapping[str, str]) -> None:
        try:
            write_folder(folder, written)
        except FileExistsError:
            raise UsageError(texts(self.lang).texts("studio")["exists"].format(name=folder)) from None
        except OSError as error:
            raise UsageError(f"{folder}: {error.strerror}") from None

    def _playing(self, alone: bool = True) -> FollowingGame:
        """Return the game; `alone`: with which nothing else goes on."""
        if self.play is None:
            raise UsageError(texts(self.lang).texts("studio")["no_game"])
        if alone and self._replay is not None:
            self._replay.cancel()
        return self.play


@kept_with
def _options(ruleset: Ruleset, lang: str) -> list[Json]:
    """Return the options of a ruleset, in words."""
    offered: list[Json] = offer_in_words(ruleset, lang)["options"]
    return offered


def _title(name: str, lang: str) -> str:
    title = glance(name).title
    return title.get(lang) or next(iter(title.values()), name)


VERBS: dict[str, Callable[[Studio, Json], Awaitable[Json]]] = {
    "save": Studio.save, "new_game": Studio.restart, "go": Studio.go, "look": Studio.look, "bots": Studio.bots,
    "halt": Studio.halt, "switch": Studio.switch, "playing": Studio.choose_ruleset, "scenarios": Studio.scenarios,
    "test": Studio.test, "simulate": Studio.simulate, "pin": Studio.pin, "stop": Studio.stop, "vary": Studio.vary,
    "new": Studio.new, "position": Studio.position,
}  # fmt: skip
"""What a page may ask for, by name."""
ON_GAME = frozenset(("new_game", "go", "look", "switch", "playing"))
"""After these the table is another one."""


# ---- requests --------------------------------------------------------------------------------------


class Pages:
    """Answers requests."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio

    async def page(self, request: Request) -> Response:
        """Return the page."""
        response = HTMLResponse(self.studio.page(language(request)))
        if lang := request.query_params.get("lang", ""):
            response.set_cookie("lang", language(request) if lang else "", httponly=True, samesite="strict")
        return response

    async def do(self, request: Request) -> Response:
        """Do what the page asks for."""
        verb = request.path_params["verb"]
        if verb not in VERBS:
            raise RefusedError(404, "no_page")
        try:
            sent = json_object((await request.body()).decode("utf-8", "replace"), "the request")
            answer = await VERBS[verb](self.studio, sent)
        except (UsageError, SaveError, RulesetError, RuleError, IllegalAction) as error:
            return JSONResponse({"error": str(error)}, 400)
        except (KeyError, TypeError, ValueError, IndexError):
            return JSONResponse({"error": "usage"}, 400)
        if verb in ON_GAME:
            self.studio.tell_table()
        return JSONResponse(answer)

    async def lsp(self, request: Request) -> Response:
        """Give a message to the language server."""
        self.studio.editor.take((await request.body()).decode())
        return Response(status_code=204)

    async def game(self, request: Request) -> Response:
        """Tell of the game."""
        return JSONResponse(self.studio.told())

    async def events(self, request: Request) -> Response:
        """Return the stream of the page; an older page hears nothing any more."""
        studio, queue = self.studio, asyncio.Queue[tuple[str, str]]()
        for other in studio.pages:
            other.put_nowait(("taken", "{}"))
        studio.pages = {queue}
        studio.editor.send = lambda message: queue.put_nowait(("lsp", message))

        async def body() -> AsyncIterator[str]:
            yield "retry: 1000\n\n"
            try:
                while True:
                    try:
                        event, data = await asyncio.wait_for(queue.get(), HEARTBEAT_SECONDS)
                        yield f"event: {event}\ndata: {data}\n\n"
                    except TimeoutError:
                        yield ": \n\n"
            finally:
                studio.pages.discard(queue)

        return StreamingResponse(body(), media_type="text/event-stream")

    # ---- the table

    async def table(self, request: Request) -> Response:
        """Return the table, whole or a part of it."""
        play, part, asked = self.studio.play, request.path_params.get("part", ""), query(request)
        if play is None:  # the next one is told of when it is there
            return Response(status_code=204)
        view = play.page(tuple(asked.all("pick")), asked.get("find", ""))
        if part == "table" and asked.get("stamp", "") == view.stamp and not view.picks:
            return Response(status_code=204)
        html = table.part(view, part, asked.get("piece", ""), "studio_table.html")
        if html is None:
            raise RefusedError(404, "no_page")
        return HTMLResponse(html)

    async def picture(self, request: Request) -> Response:
        """Return a picture of the theme."""
        found = picture(self._play().ruleset, request.path_params["name"])
        if found is None:
            raise RefusedError(404, "no_page")
        return Response(found[0], media_type=found[1])

    async def act(self, request: Request) -> Response:
        """Choose for whoever the page is for, or take the last choice back."""
        play, notice = self._play(), ""
        form = await request.form()
        if form.get("stamp") != play.stamp():
            notice = "stale"
        elif request.path_params["verb"] == "undo":
            play.go(play.at - 1)
        elif (seat := play.reader()) is not None:
            try:
                self.studio._playing().choose(str(form.get("id", "")), seat)
            except (IllegalAction, UsageError, RuleError) as error:
                notice = "refused"
                self.studio.tell("fault", {"text": str(error)})
        self.studio.tell_table()
        return HTMLResponse(table.fragment(play.page(notice=notice)))

    async def table_events(self, request: Request) -> Response:
        """Return the stream of the table."""
        stream = Stream(query(request).get("stamp", ""))

        async def body() -> AsyncIterator[str]:
            self.studio.tables.add(stream)
            try:
                if self.studio.play is not None:
                    stream.put(self.studio.play.stamp())
                async for message in stream.messages():
                    yield message
            finally:
                self.studio.tables.discard(stream)

        return StreamingResponse(body(), media_type="text/event-stream")

    def _play(self) -> FollowingGame:
        if self.studio.play is None:
            raise RefusedError(404, "no_page")
        return self.studio.play


def application(studio: Studio) -> Starlette:
    """Return the ASGI application; every request but the first, whose address has the token, needs its cookie."""
    pages = Pages(studio)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        studio.editor.look(studio.project)
        watching = asyncio.create_task(studio.watch())
        yield
        tasks = [task for task in (watching, studio._replay, *studio.jobs.values()) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, RefusedError)
        return Response(error.code, error.status, media_type="text/plain")

    def known(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
        """Return an answer for who has the token, at this machine's own name alone: others lead here by theirs."""

        async def answered(request: Request) -> Response:
            host = request.headers.get("host", "")
            host = host if host.endswith("]") else host.rpartition(":")[0] or host
            if host not in HOSTS:
                raise RefusedError(403, "host")
            sent = request.query_params.get("token", "")
            if sent and secrets.compare_digest(sent, studio.token):
                response: Response = RedirectResponse("/", 303)
                response.set_cookie(studio.cookie, studio.token, httponly=True, samesite="strict")
                return response
            if not secrets.compare_digest(request.cookies.get(studio.cookie, ""), studio.token):
                return HTMLResponse(
                    render("error.html", language(request), error=RefusedError(403, "studio"), record=""), 403
                )
            return await answer(request)

        return answered

    rows = [
        ("/", pages.page, "GET"), ("/game", pages.game, "GET"), ("/events", pages.events, "GET"),
        ("/lsp", pages.lsp, "POST"), ("/do/{verb}", pages.do, "POST"),
        (BASE, pages.table, "GET"), (f"{BASE}/events", pages.table_events, "GET"),
        (f"{BASE}/picture/{{name}}", pages.picture, "GET"), (f"{BASE}/{{part}}", pages.table, "GET"),
        (f"{BASE}/{{verb:path}}", pages.act, "POST"),
    ]  # fmt: skip
    starlette = Starlette(
        routes=[
            *(Route(path, known(answer), methods=[method]) for path, answer, method in rows),
            Mount("/static", StaticFiles(directory=STATIC)),
            Mount("/studio", StaticFiles(directory=OWN_STATIC)),
        ],
        lifespan=lifespan,
        exception_handlers={RefusedError: refused},
    )
    policy = HEADERS["Content-Security-Policy"].replace(
        "frame-ancestors 'none'", "frame-ancestors 'self'; frame-src 'self'"
    )
    policy = policy.replace("style-src 'self'", f"style-src 'self' 'nonce-{studio.nonce}'")
    starlette.add_middleware(RequestGuard, headers={**HEADERS, "Content-Security-Policy": policy})
    starlette.state.studio = studio
    return starlette
