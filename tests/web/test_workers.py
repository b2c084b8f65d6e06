"""Worker processes that can be killed, and what servers of the same games learn of each other."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rulelang import load
from rulelang.agents import OFFERED, make_bot
from rulelang.web import fields, store, workers
from rulelang.web.games import Games
from rulelang.web.live import RefusedError, UnloadedError
from rulelang.web.store import Store, StoredEvent, StoreError, TakenError, news
from rulelang.web.workers import Request, Worker, Workers, asking
from tests.web.direct import Direct, scope_of
from tests.web.test_games import KUHN, LEDUC
from tests.web.wire import FORM

POSTGRES = os.environ.get("RULELANG_POSTGRES", "")
"""The address of a PostgreSQL database that may be written to."""
EATS = """
import rulelang.web.games as games
games._METHODS["eat"] = lambda _, size: {"size": len(bytearray(size << 20))}
"""


def test_who_takes_too_much_memory_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request beyond the limit ends the process and nothing else: the next one is answered by another process. One
    that is renewed answers first."""
    before, after = workers._START.rsplit("from ", 1)
    monkeypatch.setattr(workers, "_START", f"{before}\n{EATS}\nfrom {after.replace('; ', chr(10))}")

    async def ask() -> None:
        worker = Worker(str(tmp_path / "games.sqlite"), memory=400)
        assert await worker.call(Request("eat", (100,))) == {"size": 100 << 20}
        process = worker._process
        asked = asyncio.create_task(worker.call(Request("eat", (90,))))
        await asyncio.sleep(0)
        await worker.renew()
        assert await asked == {"size": 90 << 20}
        assert await worker.call(Request("eat", (80,))) == {"size": 80 << 20}
        assert worker._process is not process
        process = worker._process
        with pytest.raises(RefusedError) as caught:
            await worker.call(Request("eat", (500,)))
        assert (caught.value.status, caught.value.code) == (503, "worker")
        assert (await worker.call(asking(Games.offers, KUHN)))["en"]["players"] == [2]
        assert worker._process is not process
        await worker.kill()

    asyncio.run(ask())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_servers_learn_what_others_write(tmp_path: Path, kind: str) -> None:
    """What anybody writes is told, with PostgreSQL at once; a number is written once."""
    if kind == "postgres" and not POSTGRES:
        pytest.skip("RULELANG_POSTGRES names no database")
    url = POSTGRES if kind == "postgres" else str(tmp_path / "games.sqlite")
    written, game = Store(url), f"news{os.getpid()}"
    written.append(game, StoredEvent(0, "game"))

    async def listen() -> None:
        told = news(url, lambda: [game], 0.05)
        assert await anext(told) == (game, 0)
        writes = asyncio.create_task(asyncio.to_thread(Store(url, shared=True).append, game, StoredEvent(1, "note")))
        while (row := await asyncio.wait_for(anext(told), 5)) != (game, 1):
            assert row == (game, 0)
        await writes

    asyncio.run(listen())
    with pytest.raises(TakenError):
        written.append(game, StoredEvent(1, "note"))
    assert written.last([game]) == {game: 1}


ENDS = """
import asyncio, gc, sys
from rulelang.web.games import Games
from rulelang.web.workers import Worker, asking

async def main():
    worker = Worker(sys.argv[1])
    await worker.call(asking(Games.offers, sys.argv[2]))
    await worker.kill()
    await worker.kill()

asyncio.run(main())
gc.collect()
"""


def test_a_worker_that_is_ended_is_waited_for(tmp_path: Path) -> None:
    """Nothing of its process is left when the loop is closed: no warning is written."""
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", ENDS, str(tmp_path / "games.sqlite"), KUHN]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


# ---- bots ----------------------------------------------------------------------------------------------

THINKS = """
import rulelang.web.games as games, time

def think(own, layout, state, seat, bot, seconds, native):
    time.sleep({"slow": seconds, "stuck": 60}.get(bot, 0))
    return {"id": bot, "seconds": seconds, "native": native}

games._METHODS["think"] = think
games._METHODS["prepare"] = lambda *_: {}
"""


def thinking(monkeypatch: pytest.MonkeyPatch, database: str, thinkers: int) -> Workers:
    """Workers whose bots need a given time."""
    before, after = workers._START.rsplit("from ", 1)
    monkeypatch.setattr(workers, "_START", f"{before}\n{THINKS}\nfrom {after.replace('; ', chr(10))}")
    return Workers(database, 1, thinkers, workers.MEMORY, watching=False, strange=False)


class Asked:
    """What workers without processes are asked for: the methods in the order in which they were answered, slices too.

    Attributes:
        left: method -> how many more slices it takes. unloaded: methods that need a ruleset that is not loaded.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.answered: list[str] = []
        self.left: dict[str, int] = {}
        self.unloaded: set[str] = set()
        monkeypatch.setattr(workers, "_exchange", self.exchange)
        monkeypatch.setattr(Worker, "_running_process", self.running)

    async def running(self) -> None:
        """No process is needed."""

    async def exchange(self, _: Any, request: Request) -> dict[str, Any]:
        await asyncio.sleep(0)
        self.answered.append(request.method)
        if request.method == "load":
            self.unloaded.clear()
        if request.method in self.unloaded:
            return {"unloaded": ["path", []]}
        self.left[request.method] = self.left.get(request.method, 0) - 1
        return {"unfinished": True} if self.left[request.method] >= 0 else {"result": {}}

    def ask(self, worker: Worker, sender: str, *methods: str) -> list[asyncio.Task[Any]]:
        """Have somebody ask for some methods at once."""
        tasks = []
        for method in methods:
            token = workers.SENDER.set(sender)
            tasks.append(asyncio.create_task(worker.call(Request(method, ()))))
            workers.SENDER.reset(token)
        return tasks


@pytest.mark.parametrize("others", [workers.BOTS, "198.51.100.7"])
def test_who_asks_much_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: str) -> None:
    """Of a hundred requests of bots, or of somebody else, at most two more are answered before that of a person who
    asks meanwhile; of twenty long ones of somebody else, and of the person, at most a slice of each."""
    asked = Asked(monkeypatch)

    async def ask() -> None:
        worker = Worker(str(tmp_path / "games.sqlite"))
        tasks = asked.ask(worker, others, *["move"] * 100)
        while len(asked.answered) < 3:
            await asyncio.sleep(0)
        await asyncio.gather(*asked.ask(worker, "192.0.2.1", "act"), *tasks)
        assert asked.answered.index("act") <= 5
        assert len(asked.answered) == 101
        asked.answered.clear()
        names = [f"long{number}" for number in range(20)]
        asked.left = dict.fromkeys((*names, "own"), 10)
        tasks = asked.ask(worker, others, *names) + asked.ask(worker, "192.0.2.1", "own")
        while len(asked.answered) < 50:
            await asyncio.sleep(0)
        await asyncio.gather(*asked.ask(worker, "192.0.2.1", "act"), *tasks)
        assert asked.answered.index("act") <= 50 + 4
        own = [place for place, method in enumerate(asked.answered) if method == "own"]
        assert own[-1] <= 4 * len(own)

    asyncio.run(ask())


def test_a_ruleset_is_loaded_beside_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that holds games answers others while another one loads what it has not; then it is found loaded. What
    is wrong with it is told."""
    asked, done = Asked(monkeypatch), asyncio.Event()
    asked.unloaded = {"create"}

    async def loading(request: Request) -> dict[str, Any]:
        assert request == Request("load", ("path", []))
        await done.wait()
        return {}

    async def fails(_: Request) -> dict[str, Any]:
        raise RefusedError(409, "ruleset", "faulty")

    async def ask() -> None:
        worker = Worker(str(tmp_path / "games.sqlite"), loading=loading)
        (create,) = asked.ask(worker, "192.0.2.1", "create")
        await asyncio.gather(*asked.ask(worker, "192.0.2.2", "act"), *asked.ask(worker, "192.0.2.1", "act"))
        done.set()
        await create
        assert asked.answered == ["create", "act", "act", "load", "create"]
        asked.unloaded = {"create"}
        with pytest.raises(RefusedError, match="faulty"):
            await asked.ask(Worker("", loading=fails), "192.0.2.1", "create")[0]

    asyncio.run(ask())
    games = Games(Store(":memory:"), holding=True)
    with pytest.raises(UnloadedError) as caught:
        games.call("create", [FORM | {"path": KUHN, "players": 2}])
    games.call("load", [*caught.value.args])
    assert games.call("create", [FORM | {"path": KUHN, "players": 2}])["game"]


def test_bots_of_many_games_share_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot alone has the whole time; of twelve that come at once all are answered by the deadline, those first that
    asked first; uploaded rulesets have a process of their own; a compiled search is used by those who have it."""
    pool = thinking(monkeypatch, str(tmp_path / "games.sqlite"), 2)
    monkeypatch.setattr(workers, "THINK_SECONDS", 0.4)

    async def ask() -> None:
        async def think(game: str, bot: str) -> dict[str, Any]:
            return await pool.thinkers(game).think(["ruleset", [], "", 2, {}], "", 0, bot)

        monkeypatch.setattr(workers, "BOT_SECONDS", 60.0)  # starting processes may take long
        await asyncio.gather(*(think(game, "quick") for game in ("a", "b", "~a")))
        alone = await think("a", "slow")
        assert alone == {"id": "slow", "seconds": 0.4, "native": False}
        order: list[int] = []

        async def note(number: int) -> float:
            answer = await think(str(number), "slow")
            order.append(number)
            return float(answer["seconds"])

        seconds, _ = await asyncio.gather(asyncio.gather(*map(note, range(12))), think("~a", "quick"))
        assert max(abs(place - number) for place, number in enumerate(order)) <= 2
        assert all(0.4 * 2 / 12 <= share <= 0.4 for share in seconds)
        await pool.prepare("a", ["ruleset", [], "", 2, {}])
        assert (await think("a", "quick"))["native"] is True
        assert (await think("~a", "quick"))["native"] is False
        await pool.close()

    asyncio.run(ask())


def test_a_bot_has_a_deadline_that_counts_what_it_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that does not come to an end is given up, and those that wait for its process at their own deadline: for
    both a quick bot chooses, in a process of its own. A game beside it has the other process."""
    pool = thinking(monkeypatch, str(tmp_path / "games.sqlite"), 2)

    async def ask() -> None:
        async def think(bot: str) -> Any:
            return await pool.thinkers("a").think(["ruleset", [], "", 2, {}], "", 0, bot)

        monkeypatch.setattr(workers, "BOT_SECONDS", 60.0)  # starting processes may take long
        assert [row["id"] for row in await asyncio.gather(think("quick"), think("quick"))] == ["quick"] * 2
        await pool.thinkers("a").quick.call(asking(Games.beat, 0.0))  # it takes a while to start
        monkeypatch.setattr(workers, "BOT_SECONDS", 1.0)
        monkeypatch.setattr(workers, "OVERDUE_SECONDS", 1.0)
        stuck = asyncio.create_task(think("stuck"))
        await asyncio.sleep(0.05)
        assert (await think("quick"))["id"] == "quick"
        begun = time.monotonic()
        answers = [*await asyncio.gather(think("stuck"), think("quick")), await stuck]
        assert [(row["id"], row["seconds"]) for row in answers] == [("easy", workers.LEAST_SECONDS)] * 3
        assert time.monotonic() - begun < 4.0
        monkeypatch.setattr(workers, "BOT_SECONDS", 60.0)
        assert (await think("quick"))["id"] == "quick"
        await pool.close()

    asyncio.run(ask())


@pytest.mark.parametrize("name", ["mcts:10000000", "mcts:10", "playouts:1", "strongest", "rAndom"])
def test_a_bot_is_one_of_those_offered(name: str) -> None:
    """Whatever else a request names is refused, wherever it may name a bot; what is offered is taken."""
    for field in ("bot", "bot.0", "late"):
        with pytest.raises(RefusedError):
            fields.RequestFields([(field, name)]).get(field, "")
        assert [fields.RequestFields([(field, offered)]).get(field, "") for offered in OFFERED] == list(OFFERED)


@pytest.mark.parametrize("path", ["droids", "imaginarium", "reco"])
def test_what_a_deadline_brings_is_the_best_choice_so_far(path: str) -> None:
    """A bot without native code, of the largest ruleset too, compiles nothing and ends within a random game or two of
    its time, with a legal choice that it has tried."""
    games = Games(Store(":memory:"))
    state = games.ruleset(path, []).new_game(seed=3)
    layout = [path, [], "", state.players, state.options]
    games.call("think", [layout, state.to_json(), state.current_players()[0], "random", 0.1, False])
    begun = time.process_time()
    id_ = games.call("think", [layout, state.to_json(), state.current_players()[0], "strong", 0.3, False])["id"]
    assert time.process_time() - begun < 5.0
    assert id_ in [action.id for action in state.legal_actions()]
    assert games.ruleset(path, []).executor(state.players, state.options)._search_library is None


@pytest.mark.parametrize("bot", ["mcts:10000000", "playouts:100000"])
def test_a_thought_is_cut_at_its_deadline(bot: str) -> None:
    """A budget that takes hours ends when its time is over, with a legal choice; without a limit of time it is played
    whole, and the same game has the same choice."""
    state = load(LEDUC).new_game(2, seed=3)
    seat = state.current_players()[0]
    begun = time.monotonic()
    action = make_bot(bot, 5, seat, 0.2).choose(state, seat)
    assert time.monotonic() - begun < 20  # most of it goes into making native code
    assert action in state.legal_actions(seat)
    small = bot.partition(":")[0] + ":30"
    chosen = [make_bot(small, 5, seat, seconds).choose(state, seat).id for seconds in (None, 1000.0, None)]
    assert len(set(chosen)) == 1


# ---- a database that goes away --------------------------------------------------------------------------


class Fake:
    """A module `psycopg` over a file of SQLite, whose server can be stopped and lose connections or answers.

    Attributes:
        up: whether it can be reached. restarts: how often all connections were lost. mute: whether the next commit is
            done and not answered.
    """

    def __init__(self, path: str) -> None:
        self.path, self.up, self.restarts, self.mute = path, True, 0, False
        self.Error = type("Error", (Exception,), {})
        self.errors = type("errors", (), {"UniqueViolation": type("UniqueViolation", (self.Error,), {})})

    def connect(self, url: str, autocommit: bool, client_encoding: str) -> FakeConnection:
        if not self.up:
            raise self.Error("connection refused")
        return FakeConnection(self)


class FakeConnection:
    """A connection of `Fake`."""

    def __init__(self, server: Fake) -> None:
        self.server, self.restarts, self.closed = server, server.restarts, False
        self.file = sqlite3.connect(server.path, isolation_level=None)

    def execute(self, statement: str, values: Any = ()) -> Any:
        if self.closed or not self.server.up or self.restarts < self.server.restarts:
            self.closed = True
            raise self.server.Error("the connection is closed")
        if statement.lstrip().startswith("with written"):
            statement = store._INSERT.replace("?", "%s")
        try:
            done = self.file.execute(statement.replace("%s", "?"), values)
        except sqlite3.IntegrityError as error:
            raise self.server.errors.UniqueViolation(str(error)) from None  # type: ignore[attr-defined]
        if statement == "commit" and self.server.mute:
            self.server.mute, self.closed = False, True
            raise self.server.Error("server closed the connection unexpectedly")
        return done


def test_a_database_that_is_restarted_is_reached_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lost connections come back with the next request, a write that was done and not answered counts as done, once; as
    long as there is no database requests are refused with status 503, tables and health alike."""
    server = Fake(str(tmp_path / "fake.sqlite"))
    monkeypatch.setitem(sys.modules, "psycopg", server)
    games = Games(Store("postgresql://fake"))
    made = games.call("create", [FORM | {"path": KUHN, "players": 2}])
    page: list[Any] = ["page", [made["game"], "0", made["tokens"]["0"], "en", "table"]]
    before = games.call(*page)
    for _ in range(10):
        server.restarts += 1
        assert games.call(*page) == before
        assert games.call("beat", [0.0]) == {}
    server.mute = True
    games.call("say", [made["game"], "0", made["tokens"]["0"], "note", "written once", "en"])
    assert [event.kind for event in games.store.events(made["game"])] == ["game", "note"]
    server.restarts, server.up = server.restarts + 1, False
    for request in (page, ["beat", [0.0]], ["say", [made["game"], "0", made["tokens"]["0"], "note", "lost", "en"]]):
        with pytest.raises(RefusedError) as caught:
            games.call(*request)
        assert (caught.value.status, caught.value.code) == (503, "store")
    server.up = True
    assert games.call("beat", [0.0]) == {}
    assert [text for _, _, text, _ in games.live(made["game"]).notes] == ["written once"]
    again = Store("postgresql://fake")
    again.append(made["game"], StoredEvent(2, "note", 0, {"text": "another server"}))
    server.restarts += 1
    with pytest.raises(TakenError):
        games.store.append(made["game"], StoredEvent(2, "note", 0, {"text": "mine"}))


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    """Once there is no room what is said is refused with status 503 and pages are still there; with room it goes on."""
    games = Games(Store(str(tmp_path / "games.sqlite")))
    made = games.call("create", [FORM | {"path": KUHN, "players": 2}])
    seat, connection, written = [made["game"], "0", made["tokens"]["0"]], games.store._connection, list[str]()
    (pages,) = connection.execute("pragma page_count").fetchone()
    connection.execute(f"pragma max_page_count = {pages + 3}")

    def fill() -> None:
        for number in range(100):
            games.call("say", [*seat, "note", f"{number} " + "x" * 1900, "en"])
            written.append(f"{number} " + "x" * 1900)

    with pytest.raises(RefusedError) as caught:
        fill()
    assert (caught.value.status, caught.value.code) == (503, "store")
    assert written[-1] in games.call("page", [*seat, "en", "table"])["html"]
    connection.execute("pragma max_page_count = 100000")
    games.call("say", [*seat, "note", "there is room", "en"])
    assert [text for _, _, text, _ in games.live(made["game"]).notes] == [*written, "there is room"]


FAULTY = """
rulelang: 2
name: faulty
players: 2
variables: {n: {type: 0..9}}
rules: |
  setup: n := 3
  play:
    for p in players:
      turn of p: n := choose a number from 1 to 9
"""


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("n := 3", "\n    while n < 9: n := (n + 1) mod 5", "setup: this loop goes on"),
        ("n := 3", "\n    n := 99999999\n    n += count(players)", "setup: "),
        ("from 1 to 9", "from 1 to 99999999", "play: this decision has 99999999 options"),
    ],
)
def test_rules_that_go_wrong_are_refused(tmp_path: Path, before: str, after: str, says: str) -> None:
    """A game whose rules fail, or go on without end, is refused in words, without folders of the server; other games
    stay in memory."""
    text = FAULTY.replace(before, after).replace("0..9}", "0..99999999}")
    (tmp_path / "ruleset.yaml").write_text(text, encoding="utf-8")
    games = Games(Store(":memory:"))
    game = games.call("create", [FORM | {"path": KUHN, "players": 2}])["game"]
    live = games.live(game)

    def begin() -> None:
        """Begin a game by these rules, and look at it."""
        made = games.call("create", [FORM | {"path": str(tmp_path), "players": 2}])
        games.call("page", [made["game"], "0", made["tokens"]["0"], "en", ""])

    with pytest.raises(RefusedError) as caught:
        begin()
    assert (caught.value.status, caught.value.code) == (409, "ruleset")
    assert caught.value.detail.startswith(says)
    assert "(ruleset.yaml:" in caught.value.detail
    assert str(tmp_path) not in caught.value.detail
    assert games.live(game) is live


def test_to_open_a_database_again_drops_no_lock(tmp_path: Path) -> None:
    """A process that has a database open twice is still seen by others: who leaves it does not take its log away."""
    path = str(tmp_path / "games.sqlite")
    first, second = Store(path), Store(path)
    first.append("game", StoredEvent(0, "game"))
    log = Path(f"{path}-wal").stat()
    leave = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('select * from events').fetchall(); c.close()"
    )
    subprocess.run([sys.executable, "-c", leave, path], check=True)
    assert Path(f"{path}-wal").stat().st_ino == log.st_ino
    second.append("game", StoredEvent(1, "note"))
    assert first.last(["game"]) == {"game": 1}


def test_a_file_that_is_gone_takes_no_move(tmp_path: Path) -> None:
    """Where a database was moved away, or another file lies in its place, nothing is written, as it would be lost; once
    it is back it is gone on with."""
    path, away, other = (tmp_path / f"{name}.sqlite" for name in ("games", "away", "other"))
    store = Store(str(path))
    store.append("game", StoredEvent(0, "game"))
    path.rename(away)
    for file in (None, other):
        if file is not None:
            file.touch()
            file.rename(path)
        for asked in (lambda: store.append("game", StoredEvent(1, "note")), lambda: store.beat(0.0, 1.0)):
            with pytest.raises(StoreError, match="not the file"):
                asked()
        assert path.exists() is bool(file)
    away.rename(path)
    store.append("game", StoredEvent(1, "note"))
    assert len(Store(str(path)).events("game")) == 2


@pytest.mark.parametrize("fault", ["", "pragma query_only = on", "closed"])
def test_health_tells_the_truth(fault: str) -> None:
    """`/health` has status 200 where workers can write to the database, else 503 with the reason: on a full disk it can
    still be read."""
    direct = Direct()
    if fault == "closed":
        direct.games.store._connection.close()
    elif fault:
        direct.games.store._connection.execute(fault)
    status, answer = asyncio.run(direct.answer(scope_of("GET", "/health", "", {})))
    assert status == (503 if fault else 200)
    assert (b'"store: ' in answer) is bool(fault)
