"""Work and memory are bounded by the file that is read and by the game that is played, with limits that a host sets."""

from __future__ import annotations

import dataclasses
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rulelang import limits
from rulelang.cli import run
from rulelang.cli.files import write_whole
from rulelang.diagnostics import FuelError, RuleError, RulesetError, UsageError
from rulelang.game import State, load
from rulelang.inputs import NotRegularError, TooLargeError, read_input
from rulelang.limits import POSITIONS, UNDONE, Limits
from rulelang.record import Positions, Record, read_record, replayed
from rulelang.runtime import log
from rulelang.runtime.log import EMPTY, LogFullError
from rulelang.simulate import simulate
from rulelang.words import Words

from .sandbox import rulelang_in

Document = dict[str, Any]
COUNTING = """\
rulelang: 2
name: counting
players: 3
options: {deck: {values: [1, 2], default: 1}}
variables: {n: {type: 0..99, per: player, visible: all}}
rules: |
  play:
    repeat 24 times:
      for p in players:
        turn of p: n += choose a number from 0 to 2
  score x: n
"""


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small game of many choices."""
    folder = tmp_path_factory.mktemp("counting")
    (folder / "ruleset.yaml").write_text(COUNTING)
    return folder


@pytest.fixture(scope="module")
def text(counting: Path) -> str:
    """A whole game of it on record."""
    state = load(counting).new_game(3, 5)
    record = Record.of(state, 5)
    while not state.is_terminal():
        (seat, *_), action = state.current_players(), state.legal_actions()[0]
        state.apply(action)
        record.add(seat, action.id, state)
    return record.to_json()


def changed(text: str, *path: Any, to: Any) -> str:
    """The record with something else at a path."""
    document = json.loads(text)
    *above, last = path
    part = document
    for key in above:
        part = part[key]
    part[last] = to
    return json.dumps(document)


MARK = {"steps": 2, "taken": 1, "seat": 0, "seen": ["moved"]}
CHANGES: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "overlays that are not there": (("ruleset", "overlays"), ["x"] * 200_000, "200000 overlays; at most 16"),
    "overlays that are no rulesets": (("ruleset", "overlays"), ["/usr/bin"] * 50_000, "50000 overlays; at most 16"),
    "overlays that are rulesets": (("ruleset", "overlays"), ["ldd", "reco"] * 99_999, "199998 overlays; at most 16"),
    "a long path": (("ruleset", "path"), "x" * 3_000_000, "a path of 3000000 characters leads nowhere"),
    "a path of many parts": (("ruleset", "path"), "x/" * 1_500_000, "a path of 3000000 characters leads nowhere"),
    "marks": (("undone",), [MARK] * 40_000, f"more than {UNDONE} choices were taken back"),
    "one long mark": (("undone",), [MARK | {"seen": ["moved"] * 200_000}], "`undone` 1: what was seen"),
    "a long id": (("steps", 3, "id"), "x" * 3_000_000, "is not offered: offered are"),
    "a long hash": (("start",), "x" * 3_000_000, "at the start the state's hash is"),
    "a long name": (("ruleset", "hash"), "x" * 3_000_000, "is not the version of"),
    "a long option": (("options",), {"x" * 3_000_000: 1}, "its options are deck"),
    "many options": (("options",), lambda: {f"o{n}": 1 for n in range(200_000)}, "has no option `o0`"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_record_is_refused_at_once(name: str, text: str, tmp_path: Path) -> None:
    """Whatever is repeated or prolonged in a record, `replay` says what is wrong within seconds and in few words."""
    path, to, says = CHANGES[name]
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / "game.json").write_text(changed(text, *path, to=to() if callable(to) else to))
    found = rulelang_in(folder, "replay", "game.json")
    assert found.problems() == [], found.said[:2000]
    assert found.status in (1, 2)
    assert says in found.err
    assert len(found.err) < 20_000


def test_a_scripted_game_words_each_event_once(
    counting: Path, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Telling a game takes work in proportion to its length: an event is put into words when it is told, not when
    events are counted."""
    record = read_record(text)
    script = tmp_path / "script"
    script.write_text("".join(json.dumps({"seat": step.seat, "id": step.id}) + "\n" for step in record.steps))
    worded = 0
    plain: Callable[..., str] = Words.event

    def counted(*args: Any) -> str:
        nonlocal worded
        worded += 1
        return plain(*args)

    monkeypatch.setattr(Words, "event", counted)
    assert run(["play", str(counting), "--bot", "random", "--seed", "5", "--script", str(script)]) == 0
    assert "win together" in capsys.readouterr().out
    assert 0 < worded <= replayed(record)[0].event_count()


# ---- files


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def terminal(path: Path) -> None:
    path.symlink_to("/dev/tty")


PUSH = str(Path(__file__).resolve().parents[1] / "conformance" / "rulesets" / "push")
SPECIAL = [fifo, device, terminal]


@pytest.mark.parametrize("make", SPECIAL)
@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "x"),
        ("play", PUSH, "--bot", "random", "--script", "x"),
        ("play", "--load", "x"),
        ("play", PUSH, "--bot", "random"),
    ],
    ids=["replay", "script", "load", "typed"],
)
def test_a_file_that_is_none_is_not_waited_for(
    arguments: tuple[str, ...], make: Callable[[Path], None], tmp_path: Path
) -> None:
    """Pipes and devices are refused wherever a record, a script or a saved game is read."""
    folder = tmp_path / "f"
    folder.mkdir()
    make(folder / "x")
    found = rulelang_in(folder, *arguments, stdin="load x\nquit\n")
    assert found.problems() == [], found.said[:2000]
    assert "x cannot be read: " in found.said
    assert found.status == (0 if arguments == ("play", PUSH, "--bot", "random") else 2)


def test_read_input(tmp_path: Path) -> None:
    """A regular file up to its bound, through a link too; nothing else."""
    file = tmp_path / "file"
    file.write_bytes(b"x" * 100)
    (tmp_path / "link").symlink_to(file)
    assert read_input(file, 100) == read_input(tmp_path / "link", 100) == b"x" * 100
    with pytest.raises(TooLargeError):
        read_input(file, 99)
    for make in (fifo, device, Path.mkdir):
        make(tmp_path / make.__name__)
        with pytest.raises(NotRegularError):
            read_input(tmp_path / make.__name__, 100)
    (tmp_path / "circle").symlink_to("circle")
    for wrong in ("circle", "nothing", "a\0b", "x" * 5000):
        with pytest.raises(OSError, match=r"\[Errno"):
            read_input(tmp_path / wrong, 100)


def test_a_file_is_written_through_no_planted_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even who guesses the name of the draft and makes it a link does not get its target written over."""
    target = tmp_path / "target"
    target.write_text("mine")
    monkeypatch.setattr(os, "urandom", lambda size: b"\0" * size)
    (tmp_path / f".game.{'00' * 8}.draft").symlink_to(target)
    with pytest.raises(UsageError, match="cannot be written"):
        write_whole(tmp_path / "game", "new")
    assert target.read_text() == "mine"
    assert not (tmp_path / "game").exists()


# ---- positions


def test_few_positions_are_stored(text: str) -> None:
    """Each position of a game can be had again, in any order, from a bounded number of stored ones."""
    record = read_record(text)
    _, positions = replayed(record)
    steps = len(record.steps)
    assert steps > 2 * POSITIONS
    assert len(positions._stored) <= POSITIONS + 1
    for number in (steps, 1, 0, steps // 2, steps // 2 + 1, steps - 1, 7):
        expected = record.steps[number - 1].hash if number else record.start
        assert positions.at(number, record.steps).hash() == expected
    positions.at(steps, record.steps).clone()
    positions.cut(9)
    assert max(positions._stored) <= 9
    assert positions.at(9, record.steps[:9]).hash() == record.steps[8].hash


def test_a_position_is_not_changed_by_its_reader(text: str) -> None:
    """What `at` gives can be played on without effect on what it gives next."""
    record = read_record(text)
    _, positions = replayed(record)
    state = positions.at(4, record.steps)
    state.apply(state.legal_actions()[-1])
    assert positions.at(4, record.steps).hash() == record.steps[3].hash
    assert isinstance(positions, Positions)


# ---- limits of a host

HEAD = "rulelang: 2\nname: g\nplayers: 2\nlimits: {decisions: 9999999}\n"


@pytest.fixture
def game(tmp_path: Path) -> Callable[[str, str], Path]:
    """A function that writes a ruleset of these rules and nouns."""

    def write(rules: str, nouns: str = "variables: {n: {type: 0..9}}\n") -> Path:
        (tmp_path / "ruleset.yaml").write_text(HEAD + nouns)
        (tmp_path / "g.rule").write_text("rulelang 2\n" + rules)
        return tmp_path

    return write


@pytest.fixture(autouse=True)
def the_limits_before() -> Iterator[None]:
    """Sets the limits back."""
    before = limits.current()
    yield
    limits.use(before)


ENDLESS = "play:\n  turn of seat(0):\n    while n < 2: n := choose a number from 0 to 1\n"
WORKING = "play:\n  turn of seat(0):\n    repeat 100 times: n := 1 - n\n    n := choose a number from 0 to 1\n"
Game = Callable[..., Path]


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Limits)])
def test_a_limit_is_only_lowered(field: str) -> None:
    """What is no whole number from 1 to the default is refused."""
    most = getattr(Limits(), field)
    refused: tuple[Any, ...] = (0, -1, most + 1, True, 1.0, "1", None)
    for wrong in refused:
        with pytest.raises(ValueError, match=f"`{field}` must be a whole number from 1 to {most}"):
            Limits(**{field: wrong})
    assert limits.use(Limits(**{field: 1})) == Limits()
    assert getattr(limits.current(), field) == 1


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_fuel_of_a_host(game: Game, backend: str) -> None:
    """A rule stops when the host's fuel is used up, and runs with more."""
    path = game(WORKING)
    assert load(path).new_game(backend=backend).current_players() == [0]
    limits.use(Limits(fuel=100))
    ruleset = load(path)
    assert ruleset.program.fuel == 100
    with pytest.raises(FuelError, match="no decision within the fuel"):
        ruleset.new_game(backend=backend)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_decisions_of_a_host(game: Game, backend: str) -> None:
    """A game ends by the host's limit as by its own, in another process too."""
    limits.use(Limits(decisions=12))
    ruleset = load(game(ENDLESS))
    state = ruleset.new_game(backend=backend)
    while not state.is_terminal():
        state.apply(state.legal_actions()[0])
    assert state.decisions == 12
    found = simulate(ruleset, games=4, backend=backend, jobs=2)
    assert (found.decisions, found.limited) == (48, 4)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_options_of_a_host(game: Game, backend: str) -> None:
    """More options than the host lists are an error of the rule when they are asked for."""
    path = game("play:\n  turn of seat(0): n := choose a number from 0 to 9\n")
    limits.use(Limits(options=9))
    with pytest.raises(RuleError, match=r"10 options; at most 9 can be listed"):
        load(path).new_game(backend=backend).legal_actions()
    limits.use(Limits(options=10))
    assert len(load(path).new_game(backend=backend).legal_actions()) == 10


def test_sizes_of_a_host(game: Game) -> None:
    """Files are measured when a ruleset is read, values and pieces when a game is begun."""
    nouns = "kinds: {Card: {start: z}}\npieces: {Card: [{id: c, count: 5}]}\nzones: {z: {holds: Card}}\n"
    path = game("play: pass\n", nouns + "variables: {n: {type: 0..9, per: player}}\n")
    limits.use(Limits(text=50))
    with pytest.raises(RulesetError, match="holds more than 50 bytes"):
        load(path)
    for lower, says in ((Limits(pieces=4), "5 pieces; the most is 4"), (Limits(cells=1), "2 values of variables")):
        limits.use(lower)
        with pytest.raises(RuleError, match=says):
            load(path).new_game()


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_a_log_is_bounded(game: Game, backend: str) -> None:
    """A game stops when its log is full, and stands where it stood."""
    limits.use(Limits(events=50))
    state = load(game(ENDLESS)).new_game(backend=backend)
    says = r"play: more happened than the log of a game holds \(50 events\) \(.*g.rule:2:1\)"
    with pytest.raises(FuelError, match=says):
        play_on(state, 60)
    assert 10 < state.decisions <= 50
    state.observation(0)


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_a_log_is_as_long_as_its_game(game: Game, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is stepped through is as long as its ruleset declares, not as the events of one decision may be; its
    log is told, written and read."""
    path = game(ENDLESS)
    monkeypatch.setattr(log, "EVENTS", 50)
    limits.use(Limits(events=50))
    ruleset = load(path)
    state = ruleset.new_game(backend=backend)
    play_on(state, 300)
    assert (state.decisions, state.is_terminal()) == (300, False)
    assert state.event_count() > 300
    assert ruleset.state_from_json(state.to_json()).to_json() == state.to_json()


def play_on(state: State, steps: int) -> None:
    """Takes the first option again and again."""
    for _ in range(steps):
        state.apply(state.legal_actions()[0])


def test_members_count_in_a_log() -> None:
    """An entry counts one, and one for each value of the sequences in it, however deep they lie."""
    limits.use(Limits(events=9))
    entries = EMPTY.append(("move", 1, 2, 3, (4, 5, 6), False))
    assert (entries.length, entries.size) == (1, 4)
    entries = entries.append(("choice", 1, 0, 0, 0, ((7, 8), 9)))
    assert (entries.length, entries.size) == (2, 9)
    with pytest.raises(LogFullError, match="9 events"):
        entries.append(("end",))
    assert list(entries) == [("move", 1, 2, 3, (4, 5, 6), False), ("choice", 1, 0, 0, 0, ((7, 8), 9))]


def test_native_steps_do_not_store_long_lists_of_options(game: Game) -> None:
    """A game of decisions with 10,000 options takes less than 100 kB for each step (once it was 2 MB)."""
    menu = "play:\n  turn of seat(0):\n    while n < 100:\n      choose:\n"
    menu += "        a(x in numbers(1, 100), y in numbers(1, 100)) when x + y > 1: n := 3\n        no: pass\n"
    state = load(game(menu)).new_game(backend="native")
    state.apply(state.legal_actions()[5])
    tracemalloc.start()
    try:
        for number in range(6):
            state.apply(state.legal_actions()[number])
        state = state.clone()
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size < 6 * 100_000 + 3_000_000  # the options of the last decision
