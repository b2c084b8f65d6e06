"""What people do at a table beside playing: they talk, give up, agree on a draw, get links anew, and play again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulelang.game import Ruleset
from rulelang.runtime.sight import SPECTATOR
from rulelang.web.games import Games
from rulelang.web.live import RefusedError
from rulelang.web.store import Store
from tests.web.direct import Direct, scope_of
from tests.web.wire import Wire

COUNT = """\
rulelang: 2
name: count
title: {en: Count, fr: Compte}
players: 1..4
languages: [en, fr]
teams: {4: [[0, 1], [2, 3]]}
variables: {points: {type: 0..9, per: player}}
rules: |
  play:
    for p in players:
      turn of p: points := choose a number from 1 to 5
  score points: points
"""

Make = Callable[..., Wire]


@pytest.fixture(scope="module")
def known() -> dict[tuple[str, ...], Ruleset]:
    """Rulesets that were loaded."""
    return {}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("count")
    (folder / "ruleset.yaml").write_text(COUNT)
    return str(folder)


@pytest.fixture
def make(tmp_path: Path, path: str, known: Any, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make a game of so many players."""
    begin = Games.__init__

    def knowing(own: Games, *settings: Any) -> None:
        """Begin with the rulesets that were loaded."""
        begin(own, *settings)
        own._rulesets = known

    monkeypatch.setattr(Games, "__init__", knowing)
    return lambda players, **settings: Wire(str(tmp_path / "games.sqlite"), path, players, **settings)


def say(wire: Wire, seat: int, kind: str, value: str = "yes") -> str:
    """What a seat is shown after it did something that is no choice."""
    told = wire.games.call("say", [wire.game, str(seat), wire.tokens[str(seat)], kind, value, "en"])
    return str(told["html"])


def refused(code: str, work: Callable[..., Any], *arguments: Any) -> None:
    """Check that something is refused for a reason."""
    with pytest.raises(RefusedError) as caught:
        work(*arguments)
    assert caught.value.code == code


def reopened(wire: Wire, seat: str = "0") -> str:
    """The table of a seat in a process that knows only what is stored: it is as in the one that was there before."""
    before, wire.games = wire.get(seat)["html"], Games(wire.games.store)
    assert wire.get(seat)["html"] == before
    return str(before)


def play(wire: Wire, *numbers: int) -> None:
    """Have seats choose numbers, one after the other."""
    for seat, number in enumerate(numbers):
        wire.act(seat, f"play:points={number}")


def test_the_end_shows_places_points_and_the_sheet(make: Make) -> None:
    """The best first, who has as many the same place; all that may come then."""
    wire = make(3)
    play(wire, 2, 5, 2)
    html = reopened(wire, "1")
    places = re.findall(r"<b>(\d)</b> <bdi>(.*?)</bdi> <span>(\d+)</span>", html)
    assert places == [("1", "Seat 2", "5"), ("2", "Seat 1", "2"), ("2", "Seat 3", "2")]
    assert "Score sheet" in html
    assert [part in html for part in ("/rematch", "/replay", "/record")] == [True] * 3
    assert "/rematch" not in wire.get("watch")["html"]


@pytest.mark.parametrize(("players", "by"), [(2, 1), (3, 1), (4, 2), (1, 1)])
def test_the_same_people_play_again(make: Make, players: int, by: int) -> None:
    """Each at another seat, teams together, bots and names too; by the tokens that they have; once for all of them."""
    wire = make(players, bots={"0": "easy"} if players > 1 else {})
    if players > 1:
        say(wire, 1, "name", "Ada")
    again = lambda seat: wire.games.call("rematch", [wire.game, str(seat), wire.tokens[str(seat)]])  # noqa: E731
    refused("not_over", again, 0)
    if players > 1:
        wire.games.call("move", [wire.game, wire.live.number, 0, "play:points=1"])
    for seat in range(1 if players > 1 else 0, players):
        wire.act(seat, "play:points=3")
    answers = [again(seat) for seat in range(players)]
    assert len({answer["game"] for answer in answers}) == 1
    assert [int(answer["place"]) for answer in answers] == [(seat - by) % players for seat in range(players)]
    live = wire.games.live(answers[0]["game"])
    assert live.people() == [seat for seat in range(players) if players == 1 or seat != int(answers[0]["place"])]
    if players > 1:
        assert live.names == {int(answers[1]["place"]): "Ada"}
    for seat, answer in enumerate(answers):
        wire.games.call("page", [answer["game"], answer["place"], wire.tokens[str(seat)], "en"])
        if players > 1:
            other = str((int(answer["place"]) + 1) % players)
            refused("no_seat", wire.games.call, "page", [answer["game"], other, wire.tokens[str(seat)], "en"])
    assert "To the rematch" in reopened(wire)
    refused("not_over", wire.games.call, "rematch", [wire.game, "watch", None])


def test_who_gives_up_ends_a_game_of_two(make: Make) -> None:
    """The other has won, nothing more is chosen, and all is public; of three a bot plays on."""
    wire = make(2)
    play(wire, 4)
    assert "Seat 1 has given up." in say(wire, 0, "resign")
    html = reopened(wire, "1")
    assert "You win" in html or "You have won" in html
    assert 'name="id"' not in html
    refused("over", wire.act, 1, "play:points=1")
    refused("over", say, wire, 1, "resign")
    refused("over", say, wire, 1, "draw")
    assert wire.live.todo()["bots"] == []
    assert wire.live.deadline() is None
    assert len(wire.games.call("record", [wire.game, "0", wire.tokens["0"]])["record"]["steps"]) == 1
    assert wire.games.call("replay", [wire.game, "0", wire.tokens["0"], "en", 1, "", ""])["html"]
    three = make(3)
    assert "Seat 2 has given up." in say(three, 1, "resign")
    assert three.live.bots == {1: "good"}
    assert not three.live.revealed
    refused("over", say, three, 1, "resign")


def test_a_draw_is_agreed_on_by_all_people(make: Make) -> None:
    """Not by bots; a choice, or a refusal, ends the offer."""
    wire = make(3, bots={"2": "easy"})
    say(wire, 0, "draw")
    refused("over", say, wire, 1, "draw")
    assert "Seat 1 offers a draw." in wire.get("1")["html"]
    say(wire, 1, "consent", "no")
    say(wire, 1, "draw")
    play(wire, 3)
    refused("stale", say, wire, 0, "consent")
    say(wire, 1, "draw")
    assert "All have agreed on a draw." in say(wire, 0, "consent")
    assert wire.live.winners() == []
    assert "agreed on a draw" in reopened(wire, "1")
    alone = make(2, bots={"1": "easy"})
    refused("over", say, alone, 0, "draw")
    assert "/draw" not in alone.get("0", "")["html"]


def test_what_is_said_is_for_all_and_a_note_is_not(make: Make) -> None:
    """What is said changes the pages of all at once and is no markup; nobody speaks without a seat, or says nothing."""
    wire = make(2)
    stamps = [wire.live.stamp(seat) for seat in (SPECTATOR, 0, 1)]
    say(wire, 0, "note", "my plan")
    assert [wire.live.stamp(seat) for seat in (SPECTATOR, 1)] == [stamps[0], stamps[2]]
    assert wire.live.stamp(0) != stamps[1]
    say(wire, 0, "chat", "<b>hello</b>\u202e")
    for place in ("0", "1", "watch"):
        html = reopened(wire, place)
        assert "&lt;b&gt;hello&lt;/b&gt;<" in html
        assert ("my plan" in html) == (place == "0")
    refused("usage", say, wire, 0, "chat", " \u202e ")
    refused("not_yours", wire.games.call, "say", [wire.game, "watch", None, "chat", "hi", "en"])


def test_who_made_the_game_gets_a_link_anew(path: str, known: Any) -> None:
    """The old link opens nothing then, all are told, the maker's page has the new one; nobody else may."""
    server = Direct(rulesets=known)
    game = server.make(path=path, players=2)
    tokens = dict(server.tokens[game])
    cookie = "~".join((tokens["0"], tokens["1"], tokens["links"]))

    async def ask() -> None:
        """Ask as a stranger, as a player and as the maker."""
        for wrong in ("", tokens["0"], tokens["links"] + "x", f"{tokens['0']}~{tokens['1']}"):
            server.tokens[game]["links"] = wrong
            assert (await server.ask(game, "links", "/renew", {"seat": "1"}))[0] == 404
        server.tokens[game]["links"] = cookie
        assert (await server.ask(game, "links", "/renew", {"seat": "7"}))[0] == 404
        assert (await server.ask(game, "1"))[0] == 200
        page = (await server.ask(game, "links", "", None, **{"accept-language": "fr"}))[1].decode()
        assert "Les liens de Compte" in page
        assert "Joueur 2" in page
        status, data = await server.ask(game, "links", "/renew", {"seat": "1"})
        found = re.search(rb"seat=([\w~-]+);", data)
        assert status == 303
        assert found is not None
        new = found[1].decode().split("~")
        assert (new[0], new[2]) == (tokens["0"], tokens["links"])
        assert (await server.ask(game, "1"))[0] == 404
        server.tokens[game]["1"] = new[1]
        assert (await server.ask(game, "1"))[0] == 200
        assert b"The link of Seat 2 was made anew" in (await server.ask(game, "0"))[1]

    asyncio.run(ask())


def test_links_made_anew_are_counted_against_who_made_the_game(make: Make) -> None:
    """Not against the seats."""
    wire = make(2)
    cookie = "~".join((wire.tokens["0"], wire.tokens["1"], wire.tokens["links"]))
    wire.games.call("reissue", [wire.game, cookie, "1"])
    assert wire.live.said == {SPECTATOR: 1}


def test_a_store_of_before_is_read(make: Make) -> None:
    """Games whose events have none of this go on."""
    wire = make(2)
    say(wire, 0, "note", "old")
    assert Games(Store(wire.games.store._url)).live(wire.game).notes == [(0, 0, "old", "note")]


def test_who_comes_for_the_first_time_is_welcomed(make: Make, path: str, known: Any) -> None:
    """By the number of the seat and who else plays; then one is asked for a name, once."""
    wire = make(3, bots={"2": "easy"})
    say(wire, 0, "name", "<Ada>")
    html = wire.get("1", "welcome")["html"]
    assert "You are seat 2, of 3." in html
    assert "At the table: &lt;Ada&gt; and seat 3 (bot)." in html
    assert f'action="/g/{wire.game}/1/name"' in html
    refused("no_page", wire.get, "watch", "welcome")
    server = Direct(rulesets=known)
    game = server.make(path=path, players=2)

    async def come() -> None:
        """Come by a link, twice."""
        for named in (False, True):
            address = f"/join/{game}/0/{server.tokens[game]['0']}"
            status, data = await server.answer(scope_of("GET", address, "", {}))
            assert status == 303
            assert (f"b'/g/{game}/0'" if named else f"b'/g/{game}/0/welcome'").encode() in data
            assert (await server.ask(game, "0", "/name", {"name": "Zoé"}))[0] == 303

    asyncio.run(come())


def test_rules_are_told_in_words_with_passages(tmp_path: Path) -> None:
    """By phase, what the game says of itself first; a citation opens what its passage is called. In the lobby, where
    a game is made and at the table."""
    text = COUNT.replace(
        "variables:", "sources: {leaflet: A leaflet}\nabout: {goal: {text: Win., cites: [leaflet:1]}}\nvariables:"
    )
    (tmp_path / "ruleset.yaml").write_text(text.replace("rules: |", "rules: |\n  [leaflet:2]"))
    index = (
        "rulelang: 2\nrulebook: {leaflet: [{lines: 1, title: Its <aim>, is: rule}, {lines: 2, title: Turns, is: rule}]}"
    )
    (tmp_path / "rulebook.yaml").write_text(index)
    wire = Wire(str(tmp_path / "games.sqlite"), str(tmp_path), 2)
    (seat,) = wire.live.session.state.current_players()
    table, lobby = wire.get(str(seat), "rules")["html"], wire.games.call("rules", [str(tmp_path), "en", "/"])["html"]
    for html in (table, lobby):
        assert html.index("Win.") < html.index("choose a number") < html.index("Score for points")
        assert "<details><summary>leaflet:1</summary>Its &lt;aim&gt;</details>" in html
        assert "<details><summary>leaflet:2</summary>Turns</details>" in html
    assert [f'href="/g/{wire.game}/{seat}"' in table, 'href="/"' in lobby] == [True, True]


def test_first_choices_are_guided(tmp_path: Path) -> None:
    """By what is told of the game, what is asked and the rule that asks, until some are made; only who is asked."""
    longer = COUNT.replace(
        "    for p in players:\n      turn", "    repeat 6 times:\n      for p in players:\n        turn"
    )
    (tmp_path / "ruleset.yaml").write_text(longer)
    wire = Wire(str(tmp_path / "games.sqlite"), str(tmp_path), 2)
    shown = []
    for turn in range(10):
        seat = turn % 2
        shown.append('id="guide"' in wire.get(str(seat))["html"])
        assert 'id="guide"' not in wire.get(str(1 - seat))["html"]
        wire.act(seat, "play:points=1")
    assert shown == [True] * 8 + [False] * 2
