"""Games over the store: what is verified, who sees what, what can be taken back, whose time is up."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.record import read_record, replay
from rulelang.runtime.sight import SPECTATOR
from rulelang.table.sheet import sheet
from rulelang.web import games
from rulelang.web import live as live_games
from rulelang.web.clock import CLOCK, MovedClock
from rulelang.web.games import Games
from rulelang.web.live import RefusedError, UnfinishedError
from rulelang.web.store import Store, StoredEvent, TakenError
from tests.soak import times
from tests.web.direct import opened
from tests.web.wire import FORM, Wire

ROOT = Path(__file__).resolve().parents[2]
SMALL = ROOT / "tests" / "conformance" / "rulesets"
KUHN, LEDUC, TRICKS = (str(SMALL / name) for name in ("kuhn", "leduc", "tricks"))
SOAKED = [(KUHN, 2), (LEDUC, 2), ("reco", 3), ("ldd", 3), ("imaginarium", 2), ("droids", 2)]


def play_out(wire: Wire, seed: int) -> None:
    rng = random.Random(seed)
    while wire.step(rng):
        pass


def test_first_searches_are_of_games_that_can_be_played() -> None:
    """Where a number of players has not all values of an option, a game without a choice takes one that it has."""
    ruleset, defaults = rulelang.load("droids"), Games(Store("")).offers("droids")["en"]["defaults"]
    assert defaults == {str(n): ruleset.new_game(players=n).options for n in ruleset.players}
    assert defaults["1"]["scenario"] != defaults["2"]["scenario"]


def test_a_database_that_is_being_made_is_waited_for(tmp_path: Path) -> None:
    """Workers that start together all switch the new file to a write-ahead log, which SQLite refuses at once."""
    path = str(tmp_path / "games.sqlite")
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("create table t (a)")
    other.execute("begin immediate")
    other.execute("insert into t values (1)")
    timer = threading.Timer(0.1, other.execute, ("commit",))
    timer.start()
    Store(path).close()
    timer.join()
    other.close()


def refused(wire: Wire, method: str, *arguments: Any) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        wire.games.call(method, [wire.game, *arguments])
    return caught.value


def test_games_are_their_events(tmp_path: Path) -> None:
    """Folded again a game stands where it stood; an event that leads elsewhere is refused, a number is written once;
    the record of a finished game is the command line's."""
    database = str(tmp_path / "games.sqlite")
    wire = Wire(database, LEDUC, 2)
    assert refused(wire, "record", "0", wire.tokens["0"]).code == "not_over"
    play_out(wire, 3)
    hash_ = wire.live.session.state.hash()
    wire.games.forget()
    assert wire.live.session.state.hash() == hash_
    document = wire.games.call("record", [wire.game, "1", wire.tokens["1"]])["record"]
    record = read_record(json.dumps(document))
    *_, last = replay(record, wire.live.session.state.ruleset)
    assert last.hash() == hash_
    again = Wire(database, LEDUC, 2, record=json.dumps(document))
    assert again.live.session.state.hash() == hash_
    store = Store(database)
    with pytest.raises(TakenError):
        store.append(wire.game, StoredEvent(1, "name", 0, {"name": "late"}))
    events = store.events(wire.game)
    forged = StoredEvent(1, "act", events[1].seat, events[1].body | {"hash": "0" * 32})
    store.append("forged", StoredEvent(0, "game", None, events[0].body))
    store.append("forged", forged)
    with pytest.raises(RefusedError, match="changed"):
        wire.games.live("forged")


def test_long_games_leave_memory_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker holds games of so many choices together; one alone is held however long it is."""
    wire = Wire(str(tmp_path / "games.sqlite"), LEDUC, 2)
    games = wire.games
    play_out(wire, 3)
    played = len(wire.live.choices)
    monkeypatch.setattr("rulelang.web.games.LIVE_CHOICES", played)
    other = games.call("create", [FORM | {"path": LEDUC, "players": 2}])["game"]
    assert list(games._live) == [wire.game, other]
    monkeypatch.setattr("rulelang.web.games.LIVE_CHOICES", played - 1)
    games.live(other)
    assert list(games._live) == [other]
    assert len(games.live(wire.game).choices) == played
    assert list(games._live) == [wire.game]


def test_only_the_seat_acts_and_only_once(tmp_path: Path) -> None:
    """A choice needs the seat's own token and the stamp of the page as it is; what was refused changed nothing."""
    wire = Wire(str(tmp_path / "games.sqlite"), LEDUC, 2, spectators="after")
    state = wire.live.session.state
    (seat,) = state.current_players()
    mine, other = wire.tokens[str(seat)], wire.tokens[str(1 - seat)]
    id_, stamp = state.legal_actions(seat)[0].id, wire.live.stamp(seat)
    before = state.hash()
    for place, token in (
        (str(seat), other), (str(1 - seat), mine), (str(seat), None), (str(seat), ""), ("watch", mine), ("links", mine),
        ("7", mine), (str(seat), wire.tokens["links"]), ("½", mine),
    ):  # fmt: skip
        assert refused(wire, "act", place, token, stamp, id_, "en").status == 404
    assert refused(wire, "act", str(seat), mine, "", id_, "en").code == "stale"
    assert refused(wire, "act", str(seat), mine, stamp, "nothing", "en").code == "refused"
    assert wire.live.session.state.hash() == before
    wire.games.call("act", [wire.game, str(seat), mine, stamp, id_, "en"])
    assert refused(wire, "act", str(seat), mine, stamp, id_, "en").code == "stale"
    assert [step.id for step in wire.live.session.record.steps] == [id_]
    new = wire.games.call("renew", [wire.game, str(seat), mine])["token"]
    assert refused(wire, "page", str(seat), mine, "en").status == 404
    assert wire.games.call("page", [wire.game, str(seat), new, "en"])["html"]
    assert refused(wire, "page", "watch", None, "en").status == 404


def test_what_is_drawn_once_is_for_every_page(tmp_path: Path) -> None:
    """Two games that look the same differ in nothing but their addresses, and each page leads to its own game alone."""
    database = str(tmp_path / "games.sqlite")
    first, second = (Wire(database, "ldd", 2) for _ in range(2))
    pages = [[wire.get(place, part)["html"] for part in ("", "table")] for wire in (first, second) for place in "01"]
    for page, wire, place in zip(pages, (first, first, second, second), "0101", strict=True):
        for html in page:
            assert "\0" not in html
            assert f"/g/{wire.game}/{place}/card?piece=" in html
            assert html.count("/g/") == html.count(f"/g/{wire.game}/{place}")


def test_undo_is_free_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others have answered to comes back with everybody's yes; one no ends the asking; nothing is deleted. Of a
    long undo not all choices are put into words."""
    wire = Wire(str(tmp_path / "games.sqlite"), LEDUC, 2)
    rng = random.Random(1)
    first = wire.live.session.state.current_players()[0]
    wire.step(rng)
    wire.step(rng)
    assert wire.live.undo_word(first) == "ask"

    def say(seat: int, kind: str, value: str) -> None:
        wire.games.call("say", [wire.game, str(seat), wire.tokens[str(seat)], kind, value, "en"])

    say(first, "undo", wire.live.stamp(first))
    asked = wire.live.view(1 - first, "en", 0.0).asked
    assert asked is not None
    assert (asked.seat, asked.steps, asked.waiting) == (first, 2, (1 - first,))
    say(1 - first, "consent", "no")
    assert wire.live.asked is None
    assert len(wire.live.session.moments) == 2
    say(first, "undo", wire.live.stamp(first))
    monkeypatch.setattr("rulelang.web.live.TOLD", 1)
    say(1 - first, "consent", "yes")
    assert wire.live.session.moments == []
    assert [bool(choice.texts) for choice in wire.live.choices] == [True, False]
    kinds = [event.kind for event in wire.games.store.events(wire.game)]
    assert kinds == ["game", "act", "act", "ask", "answer", "ask", "undo"]
    wire.games.forget()
    assert wire.live.session.moments == []
    assert wire.live.undos == {first: 1}


def test_clocks_hand_over_to_a_bot(tmp_path: Path) -> None:
    """Only who is to choose loses time; who has none left is played by the bot, and has some when he takes it back."""
    clock = {"bank": 100.0, "each": 10.0, "bot": "random"}
    wire = Wire(str(tmp_path / "games.sqlite"), LEDUC, 2, clock=clock)
    live = wire.live
    (seat,) = live.session.state.current_players()
    begun = live.since[seat]
    assert live.clocks(begun + 30) == {seat: 70.0, 1 - seat: 100.0}
    assert live.deadline() == begun + 100
    live.act(seat, live.session.state.legal_actions(seat)[0].id, "person", begun + 40)
    assert live.clocks(begun + 40)[seat] == 70.0
    (other,) = live.session.state.current_players()
    assert live.late(begun + 139) == []
    late = live.late(begun + 5000)
    assert late == [other]
    live.fold(StoredEvent(live.number, "sit", other, {"bot": "random", "by": "clock"}, begun + 5000))
    assert live.todo()["bots"] == [(other, "random")]
    live.fold(StoredEvent(live.number, "sit", other, {"bot": None}, begun + 6000))
    assert live.clocks(begun + 6000)[other] == 60.0


def test_spectators_see_what_all_see(tmp_path: Path) -> None:
    """A piece that a spectator sees is seen by every seat, and so is each value."""
    wire = Wire(str(tmp_path / "games.sqlite"), "reco", 3)
    rng = random.Random(2)
    for _ in range(40):
        wire.step(rng)
    state = wire.live.session.state
    views = [state.observation(seat) for seat in range(state.players)]
    watched = state.observation(SPECTATOR)
    for name, zone in watched["zones"].items():
        assert all(name in view["zones"] and zone.items() <= view["zones"][name].items() for view in views), name
    assert all(watched["variables"].items() <= view["variables"].items() for view in views)


@pytest.mark.parametrize(
    ("path", "players"),
    [(TRICKS, 3), *(pytest.param(*game, marks=pytest.mark.soak) for game in SOAKED)],
)
def test_no_byte_tells_what_is_hidden(tmp_path: Path, path: str, players: int) -> None:
    """With the hidden state exchanged for another world of a seat, all that the seat is sent stays the same, byte for
    byte: stamps, pages, score sheets, what is said of refusals, whether an undo is free, how many steps it looks back
    on."""
    exchanged = 0
    for number in range(50):
        if number >= times(1) and exchanged:  # games have seeds of their own: in some nothing is exchanged
            break
        wire = Wire(str(tmp_path / "games.sqlite"), path, players)
        rng = random.Random(number)
        going = True
        while going:
            live, state = wire.live, wire.live.session.state
            seat = rng.randrange(players)
            if rng.random() < 0.3 and not state.is_terminal():
                true = sent(wire, seat)
                live.session.state = state.resample(seat, rng.randrange(1 << 30))
                live._observations.clear()
                exchanged += live.session.state.hash() != state.hash()
                assert sent(wire, seat) == true, (seat, state.hash())
                live.session.state = state
                live._observations.clear()
            going = wire.step(rng)
        if not live.secrets and number + 1 >= times(1):
            return
    assert exchanged


def sent(wire: Wire, seat: int) -> list[str]:
    """All that a seat may be sent at a position."""
    live = wire.live
    parts = [wire.get(str(seat), part)["html"] for part in ("", "table", "sheet", "why")]
    return [live.stamp(seat), *parts, repr(live.undo_word(seat)), repr(live.visible(seat))]


CHILD = """
import random, sys, time
from tests.web.wire import FORM, Wire
wire = Wire(sys.argv[1], sys.argv[2], 2)
print(wire.game, flush=True)
rng = random.Random(int(sys.argv[3]))
while wire.step(rng):
    print(len(wire.live.session.moments), wire.live.session.state.hash(), flush=True)
print("over", flush=True)
time.sleep(60)
"""


@pytest.mark.soak
def test_a_killed_server_loses_nothing(tmp_path: Path) -> None:
    """`kill -9` while moves are made: every move that was answered is there, and at most one more."""
    rng = random.Random(5)
    for number in range(times(2)):
        database = str(tmp_path / "games.sqlite")
        process = subprocess.Popen(
            [sys.executable, "-c", CHILD, database, LEDUC if number % 2 else "ldd", str(number)],
            stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        assert process.stdout is not None
        game = process.stdout.readline().strip()
        time.sleep(rng.random() * 3)
        os.kill(process.pid, signal.SIGKILL)
        told = [line.split() for line in process.stdout.read().split("\n") if line and line != "over"]
        live = Games(Store(database)).live(game)
        stands = len(live.session.moments)
        assert stands in (len(told), len(told) + 1)
        if told:
            assert live.session.record.steps[len(told) - 1].hash == told[-1][1]


def test_people_are_called_by_their_names(tmp_path: Path) -> None:
    """In the log, in sentences and options; the reader is still `you`, whoever has no name their seat. So it is when
    the game is folded again, taken back, or looked back at; the record knows nothing of it."""
    wire = Wire(str(tmp_path / "games.sqlite"), TRICKS, 3)
    seat = wire.live.session.state.current_players()[0]
    mine, other = str(seat), str((seat + 1) % 3)
    wire.step(random.Random(1))
    assert f">Seat {int(mine) + 1}&#39;s turn begins." in wire.get(other)["html"]
    hash_ = wire.live.session.state.hash()
    wire.games.call("say", [wire.game, mine, wire.tokens[mine], "name", "Ada {0} <b>", "en"])
    for _ in range(2):
        told, read = (re.findall(r'role="log".*', wire.get(place)["html"], re.DOTALL)[0] for place in (other, mine))
        assert ">Ada {0} &lt;b&gt;&#39;s turn begins." in told
        assert f"seat {mine}" not in told.lower()
        assert ">Your turn begins." in read
        assert "Ada" not in read
        assert wire.live.session.state.hash() == hash_
        back = wire.games.call("replay", [wire.game, other, wire.tokens[other], "en", 1, "", "table"])["html"]
        assert ">Ada {0} &lt;b&gt;&#39;s turn begins." in back
        wire.games.forget()
    wire.games.call("say", [wire.game, mine, wire.tokens[mine], "undo", wire.live.stamp(seat), "en"])
    for place in {"0", "1", "2"} - {mine} if wire.live.asked else ():
        wire.games.call("say", [wire.game, place, wire.tokens[place], "consent", "yes", "en"])
    assert wire.live.line == []
    decision = wire.live.session.state.decision(seat)
    assert decision is not None
    assert "Ada {0} <b>" in decision.prompt


# ---- long work -----------------------------------------------------------------------------------------


def test_long_work_of_one_game_is_done_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record is replayed, and a game opened, step by step: another game is answered after each, the work goes on
    where it was, and in the end the game is there once, whole, with what was written meanwhile."""
    database = str(tmp_path / "games.sqlite")
    wire, rng = Wire(database, LEDUC, 2), random.Random(3)
    while wire.step(rng):
        pass
    record = wire.games.call("record", [wire.game, "0", wire.tokens["0"]])["record"]
    monkeypatch.setattr(games, "SLICE_SECONDS", 0.0)

    def whole(method: str, *arguments: Any) -> tuple[Any, int]:
        """An answer, and in how many slices it came; another game is served in between."""
        for slices in range(100):
            with suppress(UnfinishedError):
                return wire.games.call(method, list(arguments)), slices
            wire.get("0")
        raise AssertionError

    made, slices = whole("create", FORM | {"path": LEDUC, "players": 2, "record": json.dumps(record)})
    assert slices >= len(record["steps"])
    assert len({*wire.games.store.used("")}) == 1
    page, slices = whole("page", made["game"], "0", made["tokens"]["0"], "en", "table")
    assert slices >= len(record["steps"]) - 1
    report, slices = whole("report", made["game"], "~".join(made["tokens"].values()), "en")
    assert slices >= len(record["steps"]) - 1
    monkeypatch.setattr(games, "SLICE_SECONDS", 60.0)
    others = Games(Store(database))
    assert others.call("report", [made["game"], "~".join(made["tokens"].values()), "en"]) == report
    assert others.call("page", [made["game"], "0", made["tokens"]["0"], "en", "table"])["html"] == page["html"]
    assert others.call("record", [made["game"], "0", made["tokens"]["0"]])["record"]["steps"] == record["steps"]


def test_what_is_written_while_a_game_is_opened_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that another server takes during the opening is folded at its end."""
    database = str(tmp_path / "games.sqlite")
    wire, slow, rng = Wire(database, LEDUC, 2), Games(Store(database)), random.Random(3)
    wire.step(rng)
    wire.step(rng)
    monkeypatch.setattr(games, "SLICE_SECONDS", 0.0)
    with pytest.raises(UnfinishedError):
        slow.live(wire.game)
    wire.games.call("say", [wire.game, "0", wire.tokens["0"], "note", "meanwhile", "en"])
    monkeypatch.setattr(games, "SLICE_SECONDS", 60.0)
    assert [text for _, _, text, _ in slow.live(wire.game).notes] == ["meanwhile"]


# ---- rules that change -----------------------------------------------------------------------------------


def served(database: str, folder: Path, *changes: tuple[str, str, str]) -> Games:
    """A server that begins after changes of the files of a ruleset: name, text, its replacement."""
    for name, old, new in changes:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    return Games(Store(database))


def test_a_score_sheet_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a position a reader's sheet is made once, whoever asks for it how often, and anew after a move."""
    wire, made = Wire(":memory:", LEDUC, 2), list[int | None]()

    def noted(state: Any, seat: int | None) -> Any:
        made.append(seat)
        return sheet(state, seat)

    monkeypatch.setattr(live_games, "sheet", noted)
    for _ in range(2):
        pages = [[wire.get("0", part) for part in ("sheet", "api.sheet")] for _ in range(2)]
        assert pages[0] == pages[1]
        wire.step(random.Random(1))
    assert made == [0, 0]


def test_a_game_outlives_what_means_nothing(tmp_path: Path) -> None:
    """Comments, empty lines, words and another file end no game: the ruleset is the same one."""
    folder, database = tmp_path / "leduc", str(tmp_path / "games.sqlite")
    shutil.copytree(LEDUC, folder)
    wire = Wire(database, str(folder), 2)
    wire.step(random.Random(1))
    page: list[Any] = ["page", [wire.game, "0", wire.tokens["0"], "en", "table"]]
    rules = next(folder.glob("*.rule"))
    rules.write_text(f"# a remark\n\n{rules.read_text()}\n# and another one\n")
    rules.rename(folder / "moved.rule")
    header = folder / "ruleset.yaml"
    header.write_text(f"# a remark\n{header.read_text()}".replace("Two rounds of betting", "Three words more"))
    after = Games(Store(database))
    opened(after, wire.game)
    assert "Three words more" in after.call(*page)["html"]
    assert not after.live(wire.game).changed
    assert after.live(wire.game).ruleset.hash == wire.live.ruleset.hash != after.live(wire.game).ruleset.written.hash


CHANGE, NAMED = ("leduc.rule", "betting(4)", "betting(3)"), "rules play"
RENAMED, GONE = [("ruleset.yaml", "id: jack", "id: knave")], "pieces Card jack"


def test_a_game_goes_on_by_the_rules_that_it_began_with(tmp_path: Path) -> None:
    """Where rules mean something else, a game of before goes on by the program that the store keeps, bots too, and says
    what changed by name; a new game is by the new rules."""
    folder, database = tmp_path / "game", str(tmp_path / "games.sqlite")
    shutil.copytree(LEDUC, folder)
    wire = Wire(database, str(folder), 2, bots={"1": "easy"})
    name, old, new = CHANGE
    after = served(database, folder, (name, old, new))
    live = after.live(wire.game)
    assert live.changed == [NAMED]
    assert NAMED in after.call("page", [wire.game, "0", wire.tokens["0"], "en", "table"])["html"]
    rng = random.Random(2)
    while not live.session.state.is_terminal():
        (seat,) = live.session.state.current_players()
        if seat in live.bots:
            asked = after.call("position", [wire.game, live.number])
            layout, state = json.loads(json.dumps([asked["layout"], asked["state"]]))
            choice = Games(Store(database)).call("think", [layout, state, seat, "easy", 0.1, False])["id"]
            after.call("move", [wire.game, live.number, seat, choice])
        else:
            choice = rng.choice(live.session.state.legal_actions(seat)).id
            after.call("act", [wire.game, "0", wire.tokens["0"], live.stamp(0), choice, "en"])
        live = after.live(wire.game)
    record = after.call("record", [wire.game, "0", wire.tokens["0"]])["record"]
    assert record["ruleset"]["hash"] != after.ruleset(str(folder), []).hash
    made = after.call("create", [FORM | {"path": str(folder), "players": 2}])
    assert not after.live(made["game"]).changed


def test_a_game_whose_rules_are_gone_gives_its_record(tmp_path: Path) -> None:
    """Where a page would have no words for the rules of before, a game says what changed, and its record can be had by
    who has a seat, by nobody else."""
    folder, database = tmp_path / "game", str(tmp_path / "games.sqlite")
    shutil.copytree(LEDUC, folder)
    wire = Wire(database, str(folder), 2)
    wire.step(random.Random(1))
    wire.step(random.Random(1))
    steps = [(choice.seat, choice.id) for choice in wire.live.line]
    after = served(database, folder, *RENAMED)
    with pytest.raises(RefusedError) as caught:
        after.call("page", [wire.game, "0", wire.tokens["0"], "en", "table"])
    assert (caught.value.status, caught.value.code) == (409, "changed")
    assert GONE in caught.value.detail.split("\n")
    record = after.call("record", [wire.game, "0", wire.tokens["0"]])["record"]
    assert [(step["seat"], step["id"]) for step in record["steps"]] == steps
    for place, token in (("0", wire.tokens["1"]), ("0", None), ("links", wire.tokens["links"]), ("watch", None)):
        with pytest.raises(RefusedError) as caught:
            after.call("record", [wire.game, place, token])
        assert caught.value.code == "no_seat"


# ---- budgets and time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["note", "name", "bot", "undo", "renew"])
def test_one_seat_spends_its_own_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Whatever a seat does without end, it is refused in the end, and the other one still has all of its budget."""
    wire, rng = Wire(str(tmp_path / "games.sqlite"), LEDUC, 2), random.Random(1)
    monkeypatch.setattr(games, "SAYINGS", 3)
    wire.step(rng)
    first = wire.live.line[0].seat

    def say(seat: int, kind: str, value: str) -> Any:
        where = [wire.game, str(seat), wire.tokens[str(seat)]]
        return (
            wire.games.call("renew", where) if kind == "renew" else wire.games.call("say", [*where, kind, value, "en"])
        )

    def spend(number: int) -> None:
        if kind == "undo":  # asked for, refused, and asked for again
            if say(first, "undo", wire.live.stamp(first)) and wire.live.asked is not None:
                say(1 - first, "consent", "no")
        elif kind == "renew":
            wire.tokens[str(first)] = say(first, kind, "")["token"]
        else:
            say(first, kind, "easy" if kind == "bot" and number % 2 == 0 else "" if kind == "bot" else "x")

    for number in range(3):
        spend(number)
        if kind == "undo" and wire.live.asked is None and not wire.live.line:
            wire.act(first, wire.live.session.state.legal_actions(first)[0].id)
    with pytest.raises(RefusedError) as caught:
        spend(4)
    assert (caught.value.status, caught.value.code) == (429, "too_many")
    for _ in range(3):
        say(1 - first, "note", "still here")


def test_nobody_loses_time_in_which_no_server_ran(tmp_path: Path) -> None:
    """Ten hours without a server are nobody's; what passed before and after them counts, with several servers that of
    any; a worker that begins anew while the server runs forgets nothing."""
    database = str(tmp_path / "games.sqlite")
    wire = Wire(database, LEDUC, 2, clock={"bank": 100.0, "each": 0.0, "bot": "random"})
    begun = wire.games.store.events(wire.game)[0].at
    (seat,) = wire.live.session.state.current_players()
    store = wire.games.store
    store.beat(begun - 50, begun + 20)
    store.beat(begun - 10, begun + 30)
    assert store.pauses(begun + 33) == []
    store.beat(begun + 36_000, begun + 36_010)
    assert store.pauses(begun + 36_010) == [(begun + 30, begun + 36_000)]
    live = Games(store).live(wire.game)
    live.pauses = store.pauses(begun + 36_010)
    assert live.clocks(begun + 36_010)[seat] == pytest.approx(60.0)
    assert live.late(begun + 36_069) == []
    assert live.late(begun + 36_071) == [seat]
    assert live.elapsed(begun + 50, begun + 35_000) == 0.0


@pytest.mark.parametrize("hours", [3, -3])
def test_a_jump_of_the_clock_is_nobodys_time(monkeypatch: pytest.MonkeyPatch, hours: int) -> None:
    """The time of a server and its workers goes on when the clock of the machine is set."""
    before = CLOCK.now()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + hours * 3600)
    assert abs(CLOCK.now() - before) < 60
    restarted = MovedClock()
    restarted.go_on_from(before)
    assert restarted.now() - before > (2 * 3600 if hours > 0 else -60)
    restarted.go_on_from(before + 400 * 24 * 3600)
    assert restarted.now() < before + 4 * 3600
    assert abs(StoredEvent(0, "note").at - before) < 60
