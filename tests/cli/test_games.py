"""`rulelang games`: what who runs a server does with its games."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from rulelang.cli import run
from rulelang.web.clock import CLOCK
from rulelang.web.live import RefusedError
from rulelang.web.store import Store, StoredEvent
from tests.web.direct import Direct, scope_of
from tests.web.test_games import KUHN, LEDUC
from tests.web.wire import Wire


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that ends well."""
    assert run(["games", *arguments]) == 0
    return capsys.readouterr().out


def test_games_are_listed_exported_and_deleted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The list has each game once; an export has all events and no token; a deleted game is gone for a server that has
    it in memory, too, and the other one goes on."""
    database = str(tmp_path / "games.sqlite")
    wire, other = Wire(database, LEDUC, 2), Wire(database, KUHN, 2)
    wire.games.call("say", [wire.game, "0", wire.tokens["0"], "note", "a note", "en"])
    rows = json.loads(said(capsys, "list", "--database", database, "--format", "json"))["games"]
    assert {row["game"]: (row["ruleset"], row["players"], row["events"]) for row in rows} == {
        wire.game: ("leduc", 2, 2), other.game: ("kuhn", 2, 1),
    }  # fmt: skip
    assert wire.game in said(capsys, "list", "--database", database)
    text = said(capsys, "export", wire.game, "--database", database)
    assert [event["kind"] for event in json.loads(text)["events"]] == ["game", "note"]
    assert not any(token in text for token in wire.tokens.values())
    said(capsys, "delete", wire.game, "--database", database)
    for place in ("0", "watch"):
        with pytest.raises(RefusedError) as caught:
            wire.get(place)
        assert caught.value.code == "no_seat"
    assert other.get("0")["html"]
    assert run(["games", "delete", wire.game, "--database", database]) == 2
    assert run(["games", "list", "--database", str(tmp_path / "none.sqlite")]) == 2


def test_a_seat_is_invited_to_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The new link opens the seat, the old one does not any more; there is none to a seat that there is not."""
    database = str(tmp_path / "games.sqlite")
    wire = Wire(database, LEDUC, 2)
    wire.get("0")
    _, join, game, seat, token = said(capsys, "invite", wire.game, "1", "--database", database).strip().split("/")
    assert (join, game, seat) == ("join", wire.game, "1")
    with pytest.raises(RefusedError):
        wire.get("1")
    wire.tokens["1"] = token
    assert wire.get("1")["html"]
    assert run(["games", "invite", wire.game, "2", "--database", database]) == 2


def test_old_games_are_pruned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those in which nothing happened for so many days go, no other."""
    database = str(tmp_path / "games.sqlite")
    store, now = Store(database), CLOCK.now()
    body = {"ruleset": {"name": "x"}, "players": 2}
    for game, first, last in (("old", 40, 31), ("begun long ago", 400, 29), ("new", 0, 0)):
        store.append(game, StoredEvent(0, "game", None, body, now - first * 86400))
        store.append(game, StoredEvent(1, "note", 0, {}, now - last * 86400))
    assert said(capsys, "prune", "--days", "30", "--database", database).strip() == "1 game deleted"
    assert [row[0] for row in store.games()] == ["begun long ago", "new"]


def test_what_a_server_measures(caplog: pytest.LogCaptureFixture) -> None:
    """`/metrics` counts requests by route and refusals by reason; without the option there is no such page; refusals
    are logged, and neither has a token."""
    pytest.importorskip("prometheus_client")
    token = "a" * 32

    async def ask(direct: Direct) -> tuple[Any, ...]:
        game = direct.make(path=KUHN, players=2)
        await direct.ask(game, "0", "/table")
        await direct.answer(scope_of("GET", f"/join/{game}/0/{token}", "", {}))
        return await direct.answer(scope_of("GET", "/metrics", "", {}))

    status, answer = asyncio.run(ask(Direct(metrics=True)))
    text = answer.decode()
    assert status == 200
    assert 'rulelang_request_seconds_count{route="/g/{game}/{place}/{part}"} 1.0' in text
    assert 'rulelang_refusals_total{code="no_seat",status="404"} 1.0' in text
    assert "rulelang_pages 0.0" in text
    logged = caplog.text
    assert "refused: 198.51.100.1 GET /join/{game}/{place}/{token}: 404 no_seat" in logged
    assert token not in text + logged
    assert asyncio.run(ask(Direct()))[0] == 404
