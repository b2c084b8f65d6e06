"""The commands that play: people, bots and scripts, records, simulations, comparisons."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from .conftest import Done, Run

FAST = {"seconds", "games_per_second"}


def person(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """What a person will type."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_person_sees_the_table_and_chooses(rulelang: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hand, zones, numbered options; numbers and ids are taken, other answers explained; the end shows the scores."""
    rulelang("new", "pond")
    person(monkeypatch, "7", "lay_out:card=gold9", "?", "cite scores", "b", "1", "1", "1")
    done = rulelang("play", "pond", "--players", "2", "--seed", "3", "--bot", "random")
    assert done.status == 0
    assert "\x1b" not in done.out
    assert "── You ─" in done.out
    assert "hand: 3 cards" in done.out
    assert "Lay out: choose card" in done.out
    assert "\n  1  " in done.out
    assert "There is no option 7: they go from 1 to " in done.out
    assert "`lay_out:card=gold9` is not offered" in done.out
    assert " goes from Ada's hand to Ada's tableau." in done.out
    assert "best colour" in done.out
    assert "pond.rule:18" in done.out
    assert " wins." in done.out or " win together." in done.out


def test_a_person_may_stop(rulelang: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """`q` ends the program with 0; the end of the input with 1, as the game is not over."""
    for lines, status, err in ((["q"], 0, ""), ([], 1, "rulelang: the game is not over\n")):
        person(monkeypatch, *lines)
        done = rulelang("play", "reco", "--seat", "2=human", "--bot", "random")
        assert (done.status, done.err) == (status, err)
        assert "you>" in done.out


def record_of(rulelang: Run, *arguments: str) -> dict[str, object]:
    """The record of a game without people."""
    assert (
        rulelang("play", "reco", "--seat", "0=random", "--bot", "random", "--record", "game.json", *arguments).status
        == 0
    )
    return dict(json.loads(Path("game.json").read_text(encoding="utf-8")))


def test_a_recorded_game_is_replayed(rulelang: Run) -> None:
    """Every hash is verified; a changed step, hash, score or ruleset is found."""
    record = record_of(rulelang, "--players", "4", "--option", "deck=100", "--seed", "9")
    assert record["options"] == {"deck": 100, "first_player": "by_seat"}
    done = rulelang("replay", "game.json", "--format", "json")
    assert done.status == 0
    assert done.json["scores"] == record["scores"]
    steps = record["steps"]
    assert isinstance(steps, list)
    other = [{**steps[0], "hash": "0" * 32}, *steps[1:]]
    changes: dict[str, object] = {
        "steps": other, "scores": [0, 0, 0, 0], "seed": 10, "start": "x", "players": 3, "chance": "explicit",
    }  # fmt: skip
    for key, value in changes.items():
        Path("other.json").write_text(json.dumps({**record, key: value}), encoding="utf-8")
        assert rulelang("replay", "other.json").status == 1
    for text in ("", "[]", "{}", '{"rulelang_record": 1}', json.dumps({**record, "steps": [1]})):
        Path("other.json").write_text(text, encoding="utf-8")
        assert rulelang("replay", "other.json").status == 1


def test_a_script_plays_the_recorded_game_again(rulelang: Run) -> None:
    """The choices of a record as a script give the same game; a wrong line is named."""
    record = record_of(rulelang, "--seed", "4")
    steps = record["steps"]
    assert isinstance(steps, list)
    lines = [json.dumps({"seat": step["seat"], "id": step["id"]}) for step in steps]
    Path("game.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = rulelang("play", "reco", "--seed", "4", "--script", "game.jsonl", "--record", "again.json")
    assert done.status == 0
    assert json.loads(Path("again.json").read_text(encoding="utf-8")) == record
    Path("game.jsonl").write_text('\n{"seat": 0, "id": "take_turn:colour=pink"}\n', encoding="utf-8")
    wrong = rulelang("play", "reco", "--seed", "4", "--script", "game.jsonl")
    assert wrong.status == 1
    assert "line 2 of the script: `take_turn:colour=pink` is not offered" in wrong.err
    for text in ("nonsense", '{"seat": 0}', '{"seat": 9, "id": "x"}', "[]"):
        Path("game.jsonl").write_text(text, encoding="utf-8")
        wrong = rulelang("play", "reco", "--script", "game.jsonl")
        assert wrong.status == 1
        assert "game.jsonl: line 1 of the script" in wrong.err


def without_times(done: Done) -> dict[str, object]:
    return {key: value for key, value in done.json.items() if key not in FAST}


def test_simulations_do_not_depend_on_processes(rulelang: Run) -> None:
    """The same seed gives the same figures for one process and for three; another seed others."""
    game = ("simulate", "reco", "--players", "4", "--games", "12", "--backend", "interpreter")
    command = (*game, "--seed", "5", "--format", "json")
    one = rulelang(*command)
    totals = {"games", "decisions", "turns", "ended_by_limit", "drawn"}
    assert set(one.json) == {*totals, "seconds", "games_per_second", "backend", "seats"}
    assert set(one.json["seats"][0]) == {"wins", "win_share", "mean_score", "sd_score", "ranks"}
    assert sum(seat["win_share"] for seat in one.json["seats"]) == pytest.approx(1)
    assert without_times(rulelang(*command, "--jobs", "3")) == without_times(one)
    assert without_times(rulelang(*command, "--seed", "6")) != without_times(one)


def test_simulation_as_a_table(rulelang: Run) -> None:
    """Text has a row for each seat, the speed and how games ended; nothing is on stderr when nobody looks."""
    done = rulelang("simulate", "reco", "--games", "9")
    table, totals = done.out.split("\n\n")
    assert [line.split()[0] for line in table.splitlines()[2:]] == ["0", "1", "2"]
    assert totals.startswith("9 games, ")
    assert "0 ended by `limits`, 0 drawn" in totals
    assert "games per second (interpreter)" in done.out
    assert done.err == ""


def test_a_rule_that_goes_wrong_names_the_game(rulelang: Run) -> None:
    """A RuleError in a simulation is the ruleset's fault; the message has the seed to play it again."""
    rulelang("new", "pond")
    file = Path("pond/pond.rule")
    text = file.read_text(encoding="utf-8").replace("  let card", "  let n = 7 div (count(tableau) - 1)\n  let card")
    file.write_text(text, encoding="utf-8")
    for jobs in ("1", "2"):
        done = rulelang("simulate", "pond", "--games", "100", "--jobs", jobs)
        assert done.status == 1
        assert "game 0 (seed " in done.err
        assert "lay_out" in done.err
        assert "Traceback" not in done.err


def test_comparison_on_paired_seeds(rulelang: Run) -> None:
    """A ruleset does not differ from itself; a rule that pays seat 0 shows up outside the interval."""
    rulelang("new", "pond")
    same = rulelang("compare", "pond", "pond", "--games", "50", "--format", "json").json
    assert all(measure["difference"] == measure["low"] == measure["high"] == 0 for measure in same["measures"])
    rulelang("new", "lake")
    file = Path("lake/lake.rule")
    file.write_text(file.read_text(encoding="utf-8") + "\nscore bonus: 2 if you.seat = 0 else 0\n", encoding="utf-8")
    command = ("compare", "pond", "lake", "--games", "200", "--players", "2", "--format", "json")
    found = rulelang(*command).json
    assert found == rulelang(*command, "--jobs", "2").json
    first = next(m for m in found["measures"] if (m["name"], m["seat"]) == ("score", 0))
    assert first["difference"] == 2
    share = next(m for m in found["measures"] if (m["name"], m["seat"]) == ("win_share", 0))
    assert 0 < share["low"] < share["difference"] < share["high"]
    assert "95 % interval" in rulelang("compare", "pond", "lake", "--games", "5").out
