"""Non-interference on the wire: what leaves for a reader is a function of what that reader may know.

Games are played at random through the application. Two positions of any two games in which a reader has seen and done
the same must give that reader the same bytes: pages, fragments, stream, refusals, score sheet, what was, undo. Games
with few cards meet such positions again and again, with other hands; in larger ones the hidden state is exchanged.

`RULELANG_GAMES` is how many games are played.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import random
import secrets
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from rulelang.runtime.sight import SPECTATOR
from rulelang.web import seats
from tests.leaks.rulesets import ruleset
from tests.soak import times
from tests.web.direct import Direct
from tests.web.test_games import KUHN, LEDUC, TRICKS

LOG = logging.getLogger(__name__)
"""What was played: `--log-cli-level=INFO`."""
GAMES = int(os.environ.get("RULELANG_GAMES", times(30)))
HX = {"hx-request": "true"}
UNDO, EXCHANGE = 0.1, 0.15
"""How often somebody asks to take something back, and how often the hidden state is exchanged."""
SHIPPED = [("reco", 3), ("ldd", 3), ("imaginarium", 2), ("droids", 2)]


@pytest.fixture
def alike(monkeypatch: pytest.MonkeyPatch) -> random.Random:
    """Games have the same name and the same tokens, and seeds that are drawn from this."""
    rng = random.Random(7)
    monkeypatch.setattr(seats, "new_game_id", lambda: "game")
    count = iter(range(1 << 30))
    monkeypatch.setattr(seats, "new_token", lambda: f"token{next(count) % 1000}")
    monkeypatch.setattr(secrets, "randbits", rng.getrandbits)
    return rng


async def received(direct: Direct, place: str, part: int) -> list[bytes]:
    """The bytes of all that a reader can ask for at a position without changing it; `part` draws one of many."""
    ask = direct.ask
    live = direct.games.live("game")
    rows = [row.id for row in live.session.state.ruleset.written.pieces]
    paths = ["", "/table", "/sheet", "/why", "/record", f"/replay?at={part % 7}", f"/table?pick=item={part % 3}"]
    paths += [f"/card?piece={rows[part % len(rows)]}" if rows else "/card", f"/table?find={part % 5}&lang=fr"]
    answers = [await ask("game", place, path) for path in paths]
    for path in (f"?since={part % 9}", "/decision?find=a", "/refusals", "/sheet", f"/replay?at={part % 5}"):
        status, told = await direct.api("GET", f"/games/game/{place}{path}", token=direct.tokens["game"].get(place))
        answers.append((status, json.dumps([status, told]).encode()))
    for form in ({"id": "no", "stamp": live.stamp(_reader(place))}, {"id": "", "stamp": "old"}):
        answers += [await ask("game", place, "/act", form, **HX), await ask("game", place, "/act", form)]
    if live.asked is None:
        answers += [await ask("game", place, "/consent", {"answer": "yes"}), await ask("game", place, "/sing", {})]
    return [data for _, data in answers]


def _reader(place: str) -> int:
    return int(place) if place.isdecimal() else SPECTATOR


def known(direct: Direct, place: str) -> str:
    """All that a reader may know of a game: what the rules show, and what was said beside them."""
    live = direct.games.live("game")
    state, reader = live.session.state, _reader(place)
    told = state.information_state(reader) if reader >= 0 else [state.observation(reader), state.events(reader)]
    undo = live.asked and [*live.asked[:2], sorted(live.asked[2])]
    return hashlib.sha256(json.dumps([told, live.undos, undo, state.winners()]).encode()).hexdigest()


class Course:
    """One game after the other, and what readers received where they knew the same: (reader, knowledge) -> digests."""

    def __init__(self, path: str, players: int, rng: random.Random) -> None:
        self.path, self.players, self.rng = path, players, rng
        self.rulesets: dict[Any, Any] = {}
        self.seen: dict[tuple[str, str], tuple[list[str], str]] = {}
        self.counts: Counter[str] = Counter()

    async def play(self, all_of_it: bool) -> None:
        """Play a game; at each position (or at one in ten) compare."""
        direct = Direct(rulesets=self.rulesets)
        direct.make(path=self.path, players=self.players)
        streams = {place: direct.listen("game", place) for place in direct.places("game")}
        for place, (task, chunks) in streams.items():
            while not chunks:
                await asyncio.sleep(0)
            assert not task.done(), place
        while not direct.games.live("game").session.state.is_terminal():
            await self._exchange(direct)
            if all_of_it:
                for place, (_, chunks) in streams.items():
                    await self._compare(direct, place, chunks)
            await self._step(direct)
            for _ in range(5):
                await asyncio.sleep(0)
        for task, _ in streams.values():
            task.cancel()
        await asyncio.gather(*(task for task, _ in streams.values()), return_exceptions=True)
        self.counts["games"] += 1

    async def _compare(self, direct: Direct, place: str, chunks: list[bytes]) -> None:
        live = direct.games.live("game")
        key, state = known(direct, place), live.session.state
        parts = await received(direct, place, int(key[:8], 16))
        if live.number == 1 + len(live.session.moments):  # what was asked for beside the game was news, too
            parts.append(b"".join(chunks))
            key += " from the start"
        digests = [hashlib.sha256(data).hexdigest() for data in parts]
        before, hidden = self.seen.setdefault((place, key), (digests, state.hash()))
        self.counts["positions"] += 1
        self.counts["hidden otherwise"] += hidden != state.hash()
        assert len(before) == len(digests)
        different = [number for number, (a, b) in enumerate(zip(before, digests, strict=True)) if a != b]
        assert not different, (self.path, place, different, different and before, [parts[n] for n in different])

    async def _exchange(self, direct: Direct) -> None:
        """Give a seat another world that it can't tell from the true one, and compare what leaves for it."""
        live = direct.games.live("game")
        if self.rng.random() >= EXCHANGE:
            return
        state, seat, part = live.session.state, self.rng.randrange(self.players), self.rng.randrange(1 << 20)
        places = [str(seat), seats.WATCH]
        true = [await received(direct, place, part) for place in places]
        live.session.state = state.resample(seat, self.rng.randrange(1 << 30))
        live._observations.clear()
        self.counts["exchanged"] += live.session.state.hash() != state.hash()
        for place, before in zip(places, true, strict=True):
            for number, (old, new) in enumerate(zip(before, await received(direct, place, part), strict=True)):
                assert old.splitlines() == new.splitlines(), (self.path, place, number)
        live.session.state = state
        live._observations.clear()

    async def _step(self, direct: Direct) -> None:
        """Somebody chooses, or asks to take something back, or answers; what is asked for is answered at random."""
        live = direct.games.live("game")
        seat = self.rng.choice(live.session.state.current_players())
        if live.asked is not None:
            asked = [seat for seat in range(self.players) if seat not in live.asked[2]]
            place, path, form = str(self.rng.choice(asked)), "/consent", {"answer": self.rng.choice(["yes", "no"])}
        elif live.session.moments and self.rng.random() < UNDO:
            place, path, form = str(seat), "/undo", {"stamp": live.stamp(seat)}
        else:
            id_ = self.rng.choice(live.session.state.legal_actions(seat)).id
            place, path, form = str(seat), "/act", {"id": id_, "stamp": live.stamp(seat)}
        status, _ = await direct.ask("game", place, path, form)
        assert status == 303 or (path == "/undo" and status == 409), (status, path)


@pytest.mark.parametrize(
    ("path", "players", "share"),
    [(KUHN, 2, 0.15), (LEDUC, 2, 0.1), pytest.param(TRICKS, 3, 0.1, marks=pytest.mark.soak)],
)
def test_who_knows_the_same_receives_the_same(alike: random.Random, path: str, players: int, share: float) -> None:
    """Whole games with other hidden histories: equal knowledge, equal bytes."""
    course = Course(path, players, alike)
    for _ in range(max(round(GAMES * share), 3)):
        asyncio.run(course.play(all_of_it=True))
    LOG.info("%s: %s", path, dict(course.counts))
    assert course.counts["hidden otherwise"] + course.counts["exchanged"]


@pytest.mark.soak
def test_generated_rulesets_send_the_same_to_who_knows_the_same(alike: random.Random, tmp_path: Path) -> None:
    """Pages, streams, records and refusals of games whose hidden zones and variables are of every sort."""
    compared = 0
    for seed in range(times(1)):
        folder = tmp_path / str(seed)
        folder.mkdir()
        (folder / "ruleset.yaml").write_text(ruleset(random.Random(seed)), encoding="utf-8")
        course = Course(str(folder), 2, alike)
        for _ in range(2):
            asyncio.run(course.play(all_of_it=True))
        compared += course.counts["hidden otherwise"] + course.counts["exchanged"]
    assert compared


@pytest.mark.soak
@pytest.mark.parametrize(("path", "players"), SHIPPED)
def test_large_games_tell_nothing_of_what_is_exchanged(alike: random.Random, path: str, players: int) -> None:
    """In the shipped rulesets the hidden state of every seventh position is exchanged."""
    course = Course(path, players, alike)
    for _ in range(max(GAMES // 500, 1)):
        asyncio.run(course.play(all_of_it=False))
    LOG.info("%s: %s", path, dict(course.counts))
