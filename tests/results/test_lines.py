"""`simulate(out=…)`: what is in the file, and how a later run goes on with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rulelang.diagnostics import RuleError, SaveError, UsageError
from rulelang.game import load
from rulelang.runtime.rng import game_seed
from rulelang.simulate import Simulation, play_game, simulate

from .games import figures, rows, steps, written

GAMES = 300


def same(one: Simulation, other: Simulation) -> bool:
    return figures(one.to_json()) == figures(other.to_json())


def test_a_line_for_each_game(tmp_path: Path) -> None:
    """The header says what the run is; each game has its number, its seed and what came of it."""
    ruleset = steps(tmp_path)
    file = tmp_path / "games.jsonl"
    simulate(ruleset, 3, 20, seed=7, options={"large": 3}, out=file)
    header, *games = rows(file)
    assert header == {
        "rulelang_simulation": 2,
        "language": 2,
        "ruleset": "steps",
        "hash": ruleset.hash,
        "players": 3,
        "parties": ["0", "1", "2"],
        "options": {"large": 3},
        "bot": "random",
        "seed": 7,
        "games": 20,
    }
    assert [game["game"] for game in games] == list(range(20))
    for number, game in enumerate(games):
        assert game["seed"] == game_seed(7, number)
        again = play_game(ruleset.executor(3, {"large": 3}), game["seed"])
        assert (game["scores"], game["winners"]) == (again.scores, again.winners)
        # Four choices of one point or three, the first of the three players twice.
        assert (game["decisions"], game["ended_by_limit"], game["drawn"]) == (4, True, False)
        assert 4 <= sum(game["scores"]) <= 12
        assert game["winners"] == [seat for seat in range(3) if game["scores"][seat] == max(game["scores"])]


def test_the_summary_is_that_of_the_file(tmp_path: Path) -> None:
    """The sums of the lines are those of the report."""
    file = tmp_path / "games.jsonl"
    found = simulate(steps(tmp_path), games=GAMES, out=file)
    games = rows(file)[1:]
    assert len(games) == found.games == GAMES
    assert [sum(seat in game["winners"] for game in games) for seat in (0, 1)] == [seat.wins for seat in found.seats]
    assert sum(game["scores"][0] for game in games) / GAMES == found.seats[0].mean_score
    assert sum(game["turns"] for game in games) == found.turns


def test_the_same_for_any_number_of_processes(tmp_path: Path) -> None:
    """One, two and three processes write the same file and the same report, and so does none that writes."""
    ruleset = steps(tmp_path)
    plain = simulate(ruleset, games=GAMES)
    for jobs in (1, 2, 3):
        assert same(simulate(ruleset, games=GAMES, jobs=jobs, out=tmp_path / f"{jobs}.jsonl"), plain)
    texts = {(tmp_path / f"{jobs}.jsonl").read_bytes() for jobs in (1, 2, 3)}
    assert len(texts) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_wherever_it_was_ended(jobs: int, tmp_path: Path) -> None:
    """A file cut off at any place, in the header, in a line or after one, comes to the same in the end."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    whole = simulate(ruleset, games=GAMES, out=file)
    text = file.read_bytes()
    head = text.index(b"\n") + 1
    second = text.index(b"\n", head) + 1
    for cut in (
        0,
        1,
        head - 1,
        head,
        head + 5,
        second - 1,
        second,
        second + 1,
        len(text) // 2,
        len(text) - 1,
        len(text),
    ):
        file.write_bytes(text[:cut])
        told: list[int] = []
        found = simulate(ruleset, games=GAMES, jobs=jobs, out=file, resume=True, progress=told.append)
        assert same(found, whole)
        assert file.read_bytes() == text
        assert found.earlier == max(text[:cut].count(b"\n") - 1, 0)
        assert sum(told) == GAMES
        assert found.seconds > 0
    assert found.games_per_second == 0  # all games were there


def test_nothing_to_go_on_with(tmp_path: Path) -> None:
    """`resume` without a file begins one; an empty file is as good as none."""
    ruleset = steps(tmp_path)
    simulate(ruleset, games=3, out=tmp_path / "a.jsonl", resume=True)
    (tmp_path / "b.jsonl").touch()
    simulate(ruleset, games=3, out=tmp_path / "b.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes() != b""
    with pytest.raises(UsageError, match="nothing to resume"):
        simulate(ruleset, games=3, resume=True)


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    """Without `resume` what is there stays."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    file.write_text("mine\n")
    with pytest.raises(UsageError, match="is there already: `--resume` goes on with it"):
        simulate(ruleset, games=3, out=file)
    with pytest.raises(SaveError, match="does not begin as a file that `simulate` writes"):
        simulate(ruleset, games=3, out=file, resume=True)
    assert file.read_text() == "mine\n"


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "seed": ({"seed": 8}, "seed is 7 there and 8 here"),
    "games": ({"games": 6}, "games is 5 there and 6 here"),
    "players": ({"players": 3}, "players is 2 there and 3 here"),
    "bot": ({"bot": "playouts:1"}, '"random" there and "playouts:1" here'),
    "option": ({"options": {"large": 3}}, 'options is {"large":2} there and {"large":3} here'),
    "two": ({"seed": 8, "games": 6}, "seed is 7 there and 8 here; games is 5 there and 6 here"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_run_is_refused(name: str, tmp_path: Path) -> None:
    """The file of a run goes on with no other; what differs is said, and the file stays as it is."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    changes, said = OTHERS[name]
    settings: dict[str, Any] = {"games": 5, "seed": 7, "out": file}
    simulate(ruleset, **settings)
    before = file.read_bytes()
    with pytest.raises(UsageError, match="is of another run") as refusal:
        simulate(ruleset, **{**settings, **changes}, resume=True)
    assert said in str(refusal.value)
    assert file.read_bytes() == before


def test_another_ruleset_is_refused(tmp_path: Path) -> None:
    """A rule that was changed since is another ruleset, even under the same name."""
    file = tmp_path / "games.jsonl"
    simulate(steps(tmp_path), games=5, out=file)
    changed = written(tmp_path) / "ruleset.yaml"
    changed.write_text(changed.read_text().replace("points += 1", "points += 0"))
    with pytest.raises(UsageError, match=r"is of another run: hash is \"[0-9a-f]{64}\" there"):
        simulate(load(changed.parent), games=5, out=file, resume=True)


DAMAGES = {
    "no JSON": (lambda game: b"{]", "no line of JSON"),
    "nested": (lambda game: b"[" * 99_999, "no line of JSON"),
    "no object": (lambda game: b"7", "no game"),
    "a key less": (lambda game: json.dumps({"game": 1}).encode(), "no game"),
    "another number": (lambda game: json.dumps({**game, "game": 2}).encode(), "not game 1 of the run"),
    "another seed": (lambda game: json.dumps({**game, "seed": 5}).encode(), "not game 1 of the run"),
    "a score less": (lambda game: json.dumps({**game, "scores": [1]}).encode(), "values are none"),
    "a score of no number": (lambda game: json.dumps({**game, "scores": [1, 1.5]}).encode(), "values are none"),
    "a winner too high": (lambda game: json.dumps({**game, "winners": [2]}).encode(), "values are none"),
    "winners of no list": (lambda game: json.dumps({**game, "winners": None}).encode(), "values are none"),
    "drawn of no truth": (lambda game: json.dumps({**game, "drawn": 0}).encode(), "values are none"),
    "too long": (lambda game: b" " * (2 << 20), "as long as this"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_refused(name: str, tmp_path: Path) -> None:
    """Only a last line without its end is cut off; anything else that is no game is named with its line."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    simulate(ruleset, games=5, out=file)
    lines = file.read_bytes().splitlines()
    damage, said = DAMAGES[name]
    lines[2] = damage(json.loads(lines[2]))
    file.write_bytes(b"\n".join(lines) + b"\n")
    before = file.read_bytes()
    with pytest.raises(SaveError, match=f"games.jsonl, line 3: .*{said}"):
        simulate(ruleset, games=5, out=file, resume=True)
    assert file.read_bytes() == before


def test_more_games_than_the_run_has(tmp_path: Path) -> None:
    """A game after the last one is damage too."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    simulate(ruleset, games=6, out=file)
    file.write_text(file.read_text().replace('"games":6', '"games":5'))
    with pytest.raises(SaveError, match=r"line 7: there are more games"):
        simulate(ruleset, games=5, out=file, resume=True)


def test_it_cannot_be_written(tmp_path: Path) -> None:
    """A folder that is missing, a folder instead of a file, a full disk: each is said with the file's name."""
    ruleset = steps(tmp_path)
    for file in (tmp_path / "none" / "games.jsonl", tmp_path, Path("/dev/full")):
        with pytest.raises(UsageError) as refusal:
            simulate(ruleset, games=5, out=file)
        assert str(refusal.value).startswith(f"{file} cannot be written: ")
    for games, jobs in ((0, 1), (1, 0)):
        with pytest.raises(UsageError):
            simulate(ruleset, games=games, jobs=jobs, out=tmp_path / "never.jsonl")
    assert not (tmp_path / "never.jsonl").exists()


def test_a_pipe(tmp_path: Path) -> None:
    """A pipe gets the lines as they come; it can't be gone on with; a reader that leaves is a place that is full."""
    ruleset, pipe = steps(tmp_path), tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    simulate(ruleset, games=5, out=pipe)
    reader.join()
    simulate(ruleset, games=5, out=tmp_path / "file.jsonl")
    assert read[0] == (tmp_path / "file.jsonl").read_bytes()
    with pytest.raises(UsageError, match="there is nothing to go on with"):
        simulate(ruleset, games=5, out=pipe, resume=True)
    leaver = threading.Thread(target=lambda: pipe.open("rb").close())
    leaver.start()
    with pytest.raises(UsageError, match="pipe cannot be written: Broken pipe"):
        simulate(ruleset, games=100_000, out=pipe)
    leaver.join()


@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_two_runs_at_once(tmp_path: Path) -> None:
    """While one process writes a file another one leaves it alone."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    simulate(ruleset, games=5, out=file)
    hold = (
        "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX); print('held', flush=True); "
        "sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", hold, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(UsageError, match="is being written by another run"):
            simulate(ruleset, games=5, out=file, resume=True)
        other.communicate()
    assert asdict(simulate(ruleset, games=5, out=file, resume=True))["earlier"] == 5


def test_a_rule_that_goes_wrong(tmp_path: Path) -> None:
    """Games before the one in which a rule went wrong are in the file, for any number of processes."""
    folder = written(tmp_path)
    text = (folder / "ruleset.yaml").read_text().replace("0..99", "0..3")
    (folder / "ruleset.yaml").write_text(text)
    sizes = set()
    for jobs in (1, 2):
        file = tmp_path / f"{jobs}.jsonl"
        with pytest.raises(RuleError, match=r"game \d+ \(seed \d+\)") as wrong:
            simulate(load(folder), games=100, jobs=jobs, seed=2, out=file)
        number = int(str(wrong.value).split()[1])
        assert [game["game"] for game in rows(file)[1:]] == list(range(number))
        sizes.add(number)
    assert len(sizes) == 1


@pytest.mark.parametrize("text", [b"\\ud800", b"\\udfffx", b"\xed\xa0\x80", b"\xff", b"9" * 5000])
def test_half_a_character_is_no_game(tmp_path: Path, text: bytes) -> None:
    """A lone surrogate, in a header or a game, what is no UTF-8 and endless numbers are told with the line."""
    ruleset, file = steps(tmp_path), tmp_path / "games.jsonl"
    simulate(ruleset, games=3, seed=7, out=file)
    head, first, *rest = file.read_bytes().splitlines(keepends=True)
    part = text if text.isdigit() else b'"' + text + b'"'
    for lines in (
        [head.replace(b'"seed":7', b'"seed":' + part), first],
        [head, first.replace(b'"turns":', b'"more":' + part + b',"turns":')],
    ):
        file.write_bytes(b"".join([*lines, *rest]))
        with pytest.raises(SaveError, match=r"does not begin as a file that|line 2: it is no line of JSON"):
            simulate(ruleset, games=3, seed=7, out=file, resume=True)
