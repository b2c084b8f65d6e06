"""The server over HTTP, with its workers: who gets in, what a post needs, what attacks meet."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rulelang.web.app import Settings, application
from rulelang.web.games import Games
from rulelang.web.guard import BODY
from rulelang.web.live import Live
from rulelang.web.store import Store
from tests.web.direct import loaded, opened

KUHN = str(Path(__file__).resolve().parents[1] / "conformance" / "rulesets" / "kuhn")
OURS = {"Origin": "http://testserver"}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("web") / "games.sqlite")


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[TestClient]:
    settings = Settings({"kuhn": KUHN}, database, thinkers=1, pace=0.0)
    with TestClient(application(settings), follow_redirects=False) as client:
        yield client


def browser(server: TestClient) -> TestClient:
    """Another browser of the same server."""
    return _browser(server, OURS)


def _browser(server: TestClient, headers: dict[str, str]) -> TestClient:
    client = TestClient(server.app, follow_redirects=False, headers=headers)
    client.portal = server.portal  # the same event loop
    return client


def made(server: TestClient, **form: str) -> tuple[str, list[str]]:
    """A game, and the addresses of its secret links."""
    maker = browser(server)
    answer = maker.post("/new/kuhn", data={"players": "2", "spectators": "off"} | form)
    assert answer.status_code == 303, answer.text
    page = maker.get(answer.headers["location"])
    links = re.findall(r'href="http://testserver(/join/[^"]+)"', page.text)
    assert browser(server).get(answer.headers["location"]).status_code == 404
    return answer.headers["location"].split("/")[2], links


def live(database: str, game: str) -> Live:
    return opened(Games(Store(database)), game)


def test_a_game_is_played_by_links(server: TestClient, database: str) -> None:
    """Links seat two browsers; each acts in turn with its own cookie to the end, and the record can be had then."""
    game, links = made(server)
    players = [browser(server) for _ in links]
    for player, link in zip(players, links, strict=True):
        answer = loaded(player.get, link)
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert f"Path=/g/{game}/" in cookie
    while not (now := live(database, game)).session.state.is_terminal():
        (seat,) = now.session.state.current_players()
        choice, stamp = now.session.state.legal_actions(seat)[0], now.stamp(seat)
        page = players[seat].get(f"/g/{game}/{seat}")
        assert stamp in page.text
        assert choice.text("en") in page.text
        assert page.headers["content-security-policy"].startswith("default-src 'none'")
        assert players[seat].get(f"/g/{game}/{seat}/table?stamp={stamp}").status_code == 204
        assert players[1 - seat].get(f"/g/{game}/{seat}").status_code == 404
        form = {"id": choice.id, "stamp": stamp}
        assert players[seat].post(f"/g/{game}/{seat}/act", data=form).status_code == 303
        again = players[seat].post(f"/g/{game}/{seat}/act", data=form, headers={"HX-Request": "true"})
        assert again.headers["x-refused"] == "stale"
    record = players[0].get(f"/g/{game}/0/record").json()
    assert record["scores"] == live(database, game).session.state.scores()
    assert players[0].get(f"/g/{game}/0/replay?at=1").status_code == 200


def test_bots_play_on_by_themselves(server: TestClient, database: str) -> None:
    """A game of bots alone is played to its end as soon as somebody looks; a person may hand over a seat."""
    game, links = made(server, **{"bot.1": "easy"})
    player = browser(server)
    player.get(links[0])
    assert player.post(f"/g/{game}/0/bot", data={"bot": "random"}).status_code == 303
    end = time.monotonic() + 60
    while not live(database, game).session.state.is_terminal() and time.monotonic() < end:
        time.sleep(0.05)
    assert live(database, game).session.state.is_terminal()


def test_posts_of_other_sites_and_large_ones_are_refused(server: TestClient) -> None:
    """A form counts only from a page of this server, and up to a length, declared or not."""
    game, links = made(server)
    player = browser(server)
    player.get(links[0])
    name = {"name": "<b>\u202eeve</b>" + "x" * 1000}
    address = f"/g/{game}/0/name"
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert player.post(address, data=name, headers=headers).status_code == 403
    assert _browser(server, {}).post(address, data=name).status_code == 403
    assert player.post(address, data={"name": "x" * (BODY + 1)}).status_code == 413
    assert player.post(address, data=name).status_code == 303
    page = player.get(f"/g/{game}/0").text
    assert "<b>eve" not in page
    assert "\u202e" not in page
    assert "&lt;b&gt;eve&lt;/b&gt;" in page
    for address in (f"/g/{game}/0/sing", f"/g/{game}/watch/name", f"/g/{game}/links/act"):
        assert player.post(address, data=name).status_code in (403, 404)
    for address in (
        "/new/../../etc/passwd",
        "/static/../app.py",
        "/g/x/0",
        f"/g/{game}/0/picture/..%2f..%2fruleset.yaml",
    ):
        assert player.get(address).status_code == 404
    assert player.put(address).status_code == 405


def test_tokens_are_not_guessed(server: TestClient) -> None:
    """Wrong links all look alike, and after many of them an address hears nothing more."""
    game, _ = made(server)
    eve = browser(server)
    answers = [eve.get(f"/join/{game}/0/{number:032}").status_code for number in range(70)]
    assert set(answers) == {404, 429}
    assert answers[-1] == 429


MODES = """\
rulelang: 2
name: modes
title: {en: Modes}
players: 1..3
languages: [en]
options: {mode: {values: [many, alone], players: {many: 2..3, alone: 1}, default: many}}
variables: {points: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p:
        points := choose a number from 1 to 5
  score points: points
"""


def test_a_form_left_as_it_is_makes_a_game(tmp_path: Path) -> None:
    """It begins with two players where two may play; an option that is left alone has the default for the number."""
    (tmp_path / "ruleset.yaml").write_text(MODES)
    database = str(tmp_path / "games.sqlite")
    settings, made = Settings({"modes": str(tmp_path)}, database, thinkers=1), {}
    with TestClient(application(settings), follow_redirects=False) as client:
        client.headers.update(OURS)
        form = loaded(client.get, "/new/modes").text
        assert 'aria-current="true">2</a>' in form
        assert "option.mode" not in form  # with two there is but one
        for players, mode in (("2", "many"), ("1", "alone")):
            answer = client.post("/new/modes", data={"players": players, "option.mode": "", "spectators": "off"})
            assert answer.status_code == 303, answer.text
            made[answer.headers["location"].split("/")[2]] = mode
    for game, mode in made.items():
        assert live(database, game).session.state.options == {"mode": mode}
