"""What serves who make games: rules that change while they are played, forks, notes, reports, scenarios as games."""

from __future__ import annotations

import csv
import io
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rulelang.cli.changes import RulesetChanges
from rulelang.record import read_record, replay
from rulelang.runtime.sight import SPECTATOR
from rulelang.web.app import Settings, application
from rulelang.web.games import Games
from rulelang.web.live import Live, RefusedError
from rulelang.web.store import Store
from tests.web.direct import loaded
from tests.web.wire import FORM

COUNT = """\
rulelang: 2
name: count
title: {en: Count, fr: Compte}
players: 2
languages: [en, fr]
variables: {points: {type: 0..99, per: player}, secret: {type: 0..9, per: player, visible: owner}}
rules: |
  play:
    repeat 3 times:
      for p in players:
        turn of p: act()
  rule act:
    let n = choose a number from 1 to 5
    secret := n
    points += n
  score points: points
"""
SCENARIOS = """\
rulelang: 2
scenarios:
  - name: ahead
    given: {players: 2, variables: {"seat(1).points": 7}}
    when: [{seat: 0, id: "act:n=1"}]
    then: [{asked: [1]}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "count"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(COUNT)
    (folder / "scenarios" / "all.yaml").write_text(SCENARIOS)
    return folder


class Table:
    """A game over a store, with its secrets."""

    def __init__(self, folder: Path, watching: bool = True, **settings: object) -> None:
        self.folder, self.database = folder, str(folder.parent / "games.sqlite")
        self.games = Games(Store(self.database), watching)
        made = self.games.call("create", [FORM | {"path": str(folder), "players": 2} | settings])
        self.game, self.tokens = made["game"], made["tokens"]
        self.cookie = "~".join(self.tokens.values())

    @property
    def live(self) -> Live:
        return self.games.live(self.game)

    def act(self, *numbers: int) -> None:
        for number in numbers:
            (seat,) = self.live.session.state.current_players()
            self.games.call(
                "act",
                [self.game, str(seat), self.tokens[str(seat)], self.live.stamp(seat), f"act:n={number}", "en"],
            )

    def say(self, seat: int, kind: str, value: str) -> None:
        self.games.call("say", [self.game, str(seat), self.tokens[str(seat)], kind, value, "en"])

    def page(self, seat: int, lang: str = "en") -> str:
        return str(self.games.call("page", [self.game, str(seat), self.tokens[str(seat)], lang, "table"])["html"])

    def replay(self, seat: int, at: int) -> str:
        arguments = [self.game, str(seat), self.tokens[str(seat)], "en", at, "", "table"]
        return str(self.games.call("replay", arguments)["html"])

    def change(self, *swaps: tuple[str, str], faults: str = "") -> None:
        path = self.folder / "ruleset.yaml"
        text = path.read_text()
        for old, new in swaps:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)
        self.games.call("reload", [str(self.folder), faults])

    def points(self) -> list[int]:
        return self.live.session.state.scores()


def test_changed_rules_replay_what_still_can_be_chosen(folder: Path) -> None:
    """Of 1, 2, 5, 3 the first two may still be chosen where 4 is the most. The page says so until somebody chooses,
    what was lost only to who chose it; a new process folds to the same; what was lost does not come back."""
    table = Table(folder)
    table.act(1, 2, 5, 3)
    stamps = [table.live.stamp(seat) for seat in (0, 1)]
    table.change(("1 to 5", "1 to 4"), ("points += n", "points += 2 * n"))
    assert table.points() == [2, 4]
    assert all(table.live.stamp(seat) != stamps[seat] for seat in (0, 1))
    assert "replayed 2 of 4 choices. Choice 3, “5”, is not possible any more." in table.page(0)
    assert "2 choix sur 4 ont été rejoués. Le choix 3, « 5 », n&#39;est plus possible." in table.page(0, "fr")
    assert "Choice 3, of seat 1, is not possible any more." in table.page(1)
    assert not any(text in table.page(1) for text in ("act:n=5", "“5”"))
    event = table.games.store.events(table.game)[-1]
    assert (event.kind, event.body["kept"], event.body["of"]) == ("reload", 2, 4)
    stamps = [table.live.stamp(seat) for seat in (0, 1)]
    shown = dict(table.live.reload)
    table.live.reload |= {"hash": "", "lost": {"seat": 0, "id": "act:n=4"}}  # as where the old rules were gone
    table.live._observations.clear()
    assert [table.live.stamp(seat) == stamps[seat] for seat in (0, 1)] == [False, True]
    table.live.reload |= shown
    table.act(4)
    assert "replayed" not in table.page(1)
    assert table.points() == [10, 4]
    again = Games(Store(table.database), watching=False).live(table.game)
    assert again.session.state.hash() == table.live.session.state.hash()
    assert [choice.gone for choice in again.choices] == ["", "", "reload", "reload", ""]
    table.change(("1 to 4", "1 to 5"))
    assert table.points() == [10, 4]
    stamps = [table.live.stamp(seat) for seat in (0, 1)]
    (folder / "new.rule").write_text("# nothing\n")
    table.games.call("reload", [str(folder), ""])
    assert all(table.live.stamp(seat) != stamps[seat] for seat in (0, 1))
    events = table.games.store.events(table.game)
    assert events[-1].kind == "reload"
    for name in ("start", "hash"):
        forged = [*events[:-1], replace(events[-1], body=events[-1].body | {name: "0" * 32})]
        with pytest.raises(RefusedError, match="changed"):
            Live(table.game, table.live.ruleset, forged).open()


def test_rules_that_changed_and_changed_back(folder: Path) -> None:
    """A process that did not see it plays what the events say."""
    table = Table(folder)
    table.act(1, 5, 2)
    other = Games(Store(table.database))
    assert len(other.live(table.game).line) == 3
    table.change(("1 to 5", "1 to 4"))
    assert table.points() == [1, 0]
    table.change(("1 to 4", "1 to 5"))
    assert table.points() == [1, 0]
    live = other.live(table.game)
    assert live.session.state.hash() == table.live.session.state.hash()
    assert len(live.line) == 1


def test_without_watching_a_game_goes_on_by_its_rules(folder: Path) -> None:
    """A game whose rules mean something else now goes on by its own, and nothing is written to it; without those it is
    not served."""
    table = Table(folder, watching=False)
    table.act(1)
    (folder / "ruleset.yaml").write_text(COUNT.replace("1 to 5", "1 to 4"))
    games = Games(Store(table.database))
    assert games.live(table.game).changed == ["rules rule act"]
    assert len(games.live(table.game).line) == 1
    games.store._connection.execute("delete from rules")
    with pytest.raises(RefusedError, match="changed"):
        Games(Store(table.database)).live(table.game)
    assert [event.kind for event in games.store.events(table.game)] == ["game", "act"]


def test_rules_with_errors_are_shown_and_not_played_by(folder: Path) -> None:
    """What `check` says stands above the table, with the marked line, and the game goes on by the old rules until they
    are gone; so it does where it can't begin by the new ones."""
    table = Table(folder)
    table.act(1)
    changes = RulesetChanges([str(folder)])
    assert changes() == {str(folder): ""}
    assert changes() == {}
    path = folder / "ruleset.yaml"
    path.write_text(COUNT.replace("points += n", "points += m"))
    (faults,) = changes().values()
    assert "ruleset.yaml:15:15: error[" in faults
    assert re.search(r"15 \|     points \+= m\n *\| *\^", faults)
    table.games.call("reload", [str(folder), faults])
    assert "points += m\n" in table.page(1)
    assert "goes on by the rules that it has" in table.page(1)
    table.act(2)
    assert table.points() == [1, 2]
    table.change(("points += m", "points += 3 * n"))
    assert "error[" not in table.page(1)
    assert table.points() == [3, 6]
    table.change(("players: 2", "players: 3"))
    assert "3 players, not 2" in table.page(0)
    table.act(1)
    assert table.points() == [6, 6]


def test_undos_and_reloads_fold_to_the_same(folder: Path) -> None:
    """What was taken back before the rules changed is not replayed, and stays in the report with its words."""
    table = Table(folder)
    table.act(1, 2)
    table.say(1, "undo", table.live.stamp(1))
    table.act(3)
    assert [(c.step, c.gone) for c in table.live.choices] == [(1, ""), (2, "undo"), (2, "")]
    table.change(("points += n", "points += 10 * n"))
    assert table.points() == [10, 30]
    assert table.live.undos == {1: 1}
    table.games.forget()
    assert table.points() == [10, 30]
    assert [(c.step, c.gone) for c in table.live.choices] == [(1, ""), (2, "undo"), (2, "")]


def test_a_fork_begins_where_it_was_made(folder: Path) -> None:
    """Another game with the first choices, its own secrets, and nothing of the first game changed. Of a game that runs
    only its maker makes one, where rules are watched and no seat has another secret by now."""
    table = Table(folder)
    table.act(1, 2, 3)
    fork = lambda place, token, at: table.games.call("fork", [table.game, place, token, at])  # noqa: E731
    for place, token, status in (
        ("0", table.tokens["0"], 403), ("0", table.tokens["1"], 404), ("links", table.tokens["links"], 403),
        ("links", "~".join([*list(table.tokens.values())[:2], "x"]), 404), ("links", None, 404), ("watch", None, 403),
    ):  # fmt: skip
        with pytest.raises(RefusedError) as caught:
            fork(place, token, 1)
        assert caught.value.status == status, place
    made = fork("links", table.cookie, 2)
    assert made["game"] != table.game
    assert not set(made["tokens"].values()) & set(table.tokens.values())
    forked = table.games.live(made["game"])
    assert [step.id for step in forked.session.record.steps] == ["act:n=1", "act:n=2"]
    assert forked.session.state.hash() == table.live.session.before(2).hash()
    assert forked.begun["seed"] == table.live.begun["seed"]
    assert len(table.live.line) == 3
    unwatched = Games(Store(table.database), watching=False)
    with pytest.raises(RefusedError, match="not_over"):
        unwatched.call("fork", [table.game, "links", table.cookie, 2])
    new = table.games.call("renew", [table.game, "1", table.tokens["1"]])["token"]
    with pytest.raises(RefusedError, match="not_over"):
        fork("links", table.cookie, 2)
    table.tokens["1"] = new
    assert "/fork" not in table.replay(0, 1)
    table.act(1, 1, 1)
    assert 'name="at" value="1"' in table.replay(0, 1)
    assert len(table.games.live(fork("0", table.tokens["0"], 5)["game"]).line) == 5


def test_notes_stand_at_their_moment(folder: Path) -> None:
    """A note is its author's until the game is over, at its place in the log and where one looks back; without markup.
    One to a moment that was taken back comes before it."""
    table = Table(folder)
    table.act(1)
    table.say(0, "note", "<i>hm</i> 1?\u202e")
    table.act(2, 3)
    own = table.page(0)
    assert "&lt;i&gt;hm&lt;/i&gt; 1?</li>" in own
    lines = re.findall(r'<li class="([^"]*)">', own[own.index('role="log"') :])
    assert lines.count(" said private") == 1
    assert 0 < lines.index(" said private") < len(lines) - 1
    assert "hm&lt;" not in table.page(1)
    assert all(not note for _, note, *_ in table.live.view(SPECTATOR, "en", 0.0).notes)
    assert "hm&lt;" not in table.replay(0, 0)
    moments = [at for at in range(5) if '<p class="note"><b><bdi>Seat 1' in table.replay(0, at)]
    assert [table.live.visible(0)[at] for at in moments] == [1]
    table.act(1, 1)
    table.say(0, "note", "late")
    table.say(0, "undo", table.live.stamp(0))
    assert table.live.notes == [(1, 0, "<i>hm</i> 1?", "note"), (4, 0, "late", "note")]
    table.act(1, 1)
    assert "hm&lt;" in table.page(1)


def test_the_report_is_the_makers(folder: Path) -> None:
    """A row for each choice in order, with what was taken back, notes and sums; as CSV without formulas. While the game
    runs a seat with a secret of its own keeps it closed."""
    table = Table(folder)
    table.say(0, "name", "=1+1")
    table.act(4, 2)
    table.say(1, "undo", table.live.stamp(1))
    table.act(5)
    table.say(0, "note", "good")
    answer = table.games.call("report", [table.game, table.cookie, "en"])
    head, *rows = csv.reader(io.StringIO(answer["csv"]))
    assert head == ["step", "seat", "name", "by", "choice", "options", "seconds", "gone", "note"]
    told = [{name: cell for name, cell in zip(head, row, strict=True) if name != "seconds"} for row in rows]
    assert [row["step"] for row in told] == ["1", "2", "2", "2"]
    assert told[0] | {"choice": ""} == {
        "step": "1", "seat": "0", "name": "'=1+1", "by": "person", "choice": "", "options": "5", "gone": "", "note": "",
    }  # fmt: skip
    assert [row["gone"] for row in told] == ["", "undo", "", ""]
    assert "4" in told[0]["choice"]
    assert "2" in told[1]["choice"]
    assert "act:" not in told[0]["choice"] + told[1]["choice"]
    assert (told[3]["seat"], told[3]["note"]) == ("0", "good")
    seconds = [choice.seconds for choice in table.live.choices]
    assert all(0 <= second < 60 for second in seconds)
    sums = re.findall(r"</bdi></th><td>(\d+)</td><td>[\d.]+ s</td><td>(\d+)</td>", answer["html"])
    assert sums == [("1", "0"), ("2", "1")]
    fork = table.games.call("fork", [table.game, "links", table.cookie, 2])
    cookie = "~".join(fork["tokens"].values())
    answer = table.games.call("report", [fork["game"], cookie, "en"])
    assert re.findall(r"</bdi></th><td>(\d+)</td>", answer["html"]) == ["0", "0"]
    table.say(0, "bot", "random")
    table.games.call("move", [table.game, table.live.number, 0, "act:n=1"])
    assert [choice.by for choice in table.live.choices] == ["person", "person", "person", "bot"]
    answer = table.games.call("report", [table.game, table.cookie, "en"])
    assert re.findall(r"</bdi></th><td>(\d+)</td>", answer["html"]) == ["1", "2"]
    table.games.call("renew", [table.game, "1", table.tokens["1"]])
    with pytest.raises(RefusedError, match="not_over"):
        table.games.call("report", [table.game, table.cookie, "en"])
    with pytest.raises(RefusedError, match="no_seat"):
        table.games.call("report", [table.game, table.tokens["0"], "en"])


def test_a_scenario_opens_as_a_game(folder: Path) -> None:
    """It begins in the given position with none of its choices made; a record of it is replayed, a fork and a restart
    begin there, and its rules may change."""
    table = Table(folder, scenario="ahead", players=9)
    assert table.live.session.moments == []
    assert table.points() == [0, 7]
    table.act(2, 1)
    table.games.forget()
    assert table.points() == [2, 8]
    table.say(1, "undo", table.live.stamp(1))
    assert table.points() == [2, 7]
    forked = table.games.call("fork", [table.game, "links", table.cookie, 1])["game"]
    assert table.games.live(forked).session.state.scores() == [2, 7]
    table.act(1, 1, 1, 1, 1)
    document = table.games.call("record", [table.game, "0", table.tokens["0"]])["record"]
    text = table.live.session.record.to_json()
    assert document["scenario"] == "ahead"
    *_, last = replay(read_record(text), table.live.ruleset)
    assert last.scores() == table.points()
    table.change(("points += n", "points += 2 * n"))
    assert table.points() == [8, 13]
    with pytest.raises(RefusedError, match="no scenario `behind`"):
        Table(folder, scenario="behind")


def test_over_http(folder: Path) -> None:
    """The form offers scenarios; the maker's pages lead to the report, CSV and forks; a change of the files reaches the
    page; a ruleset with errors leaves the others in the lobby."""
    broken = folder.parent / "broken"
    broken.mkdir()
    (broken / "ruleset.yaml").write_text(COUNT.replace("points += n", "points += m"))
    paths = {"count": str(folder), "broken": str(broken)}
    settings = Settings(
        paths, str(folder.parent / "http.sqlite"), thinkers=1, poll=0.05, changes=RulesetChanges(paths.values())
    )
    with TestClient(application(settings), follow_redirects=False, headers={"Origin": "http://testserver"}) as client:
        lobby = client.get("/").text
        assert "broken" in lobby
        assert "points += m" not in lobby
        answer = loaded(client.get, "/new/broken")
        assert answer.status_code == 409, answer.text
        assert '<option value="ahead">' in loaded(client.get, "/new/count").text
        links = client.post("/new/count", data={"players": "2", "scenario": "ahead"}).headers["location"]
        token = re.findall(r"(/join/[^\"]+/0/[^\"]+)\"", client.get(links).text)[0]
        client.get(token)
        seat = links.replace("links", "0")
        stamp = re.search(r'data-stamp="(\w+)"', client.get(seat).text)
        assert stamp is not None
        client.post(f"{seat}/act", data={"stamp": stamp[1], "id": "act:n=5"})
        assert "\n1,0,,person," in client.get(f"{links}/report?csv=1").text.replace("\r", "")
        forked = client.post(f"{links}/fork", data={"at": "1"}).headers["location"]
        assert client.get(f"{forked}/report").status_code == 200
        assert client.get(f"{seat}/report").status_code == 404
        (folder / "ruleset.yaml").write_text(COUNT.replace("1 to 5", "1 to 4").replace("en: Count,", "en: Counting,"))
        end = time.monotonic() + 60
        while "The rules changed: replayed 0 of 1 choice." not in client.get(seat).text:
            assert time.monotonic() < end
            time.sleep(0.1)
        while "Counting" not in client.get("/").text:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert client.post(f"{seat}/fork", data={"at": "0"}).status_code == 403
