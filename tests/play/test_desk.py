"""A person's place: what is told, what is hidden from the next one, what may be typed."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.play import games

from .conftest import Play


def test_the_next_person_sees_nothing_of_the_last(play: Play) -> None:
    """With two people each part of the screen belongs to one of them, and holds no card of the other's hand."""
    for seed in range(6):
        typed = ["save", "keep"] * 6
        out = play("play", "secrets", "--seat", "0=human", "--seat", "1=human", "--seed", str(seed), typed=typed).out
        parts = re.split(r"---- (\w+)'s turn at the screen ----\n", out)[1:]
        assert parts[::2] == ["Ada", "Basil"] * 3
        hands = [re.search(r"hand +(one|two|three)\b", part) for part in parts[1::2]]
        mine, theirs, *_ = [found[1] if found else "" for found in hands]
        assert {mine, theirs} < {"one", "two", "three"}
        assert all(theirs not in part for part in parts[1::4])
        assert all(mine not in part for part in parts[3::4])


def test_what_the_others_did_is_told_once(play: Play) -> None:
    """A line for each of them, in the second person for who reads; not again at the next question."""
    out = play("play", "secrets", "--seat", "0=human", "--seat", "1=human", typed=["spend", "keep", "save"]).out
    told = [line for line in out.splitlines() if line.startswith("• ")]
    assert told == [
        "• You: spend. Your spent: 0 → 1.",
        "• You: keep.",
        "• Ada: spend. Ada's spent: 0 → 1. Ada: keep.",
        "• You: save.",
    ]


def test_a_forced_choice_is_taken_and_said(play: Play) -> None:
    """In one line, with what it was; `--ask-forced` asks. A lone pass that hides something is asked."""
    out = play("play", "asked_anyway", typed=["pass"]).out
    assert "You have only one choice, taken: only\n" in out
    assert out.count("you> ") == 1
    asked = play("play", "asked_anyway", "--ask-forced", typed=["1", "pass"])
    assert asked.status == 0
    assert "only one choice" not in asked.out
    assert asked.out.count("you> ") == 2
    both = play("play", "asked_anyway", "--seat", "0=human", "--seat", "1=human", typed=["pass", "pass"]).out
    mine, theirs = both.split("---- Basil's turn at the screen ----")
    assert "You have only one choice" in mine
    assert "taken: only" in theirs


def test_a_seat_is_left_to_the_person(play: Play) -> None:
    """Bots in other seats leave seat 0 to the person; a bot in seat 0 as well as in the others plays alone."""
    assert "lead: you" in play("play", "stalls", "--seat", "0=human", "--seat", "1=random", typed=["q"]).out
    assert "lead: Ada" in play("play", "stalls", "--seat", "1=human", typed=["q"]).out
    alone = play("play", "stalls", "--seat", "0=random", "--seat", "1=random")
    assert (alone.status, "You" in alone.out) == (0, False)


def test_quitting_keeps_the_game(play: Play) -> None:
    """`q` asks; yes keeps the game in a file of its own and says how to go on, no goes on."""
    out = play("play", "stalls", typed=["red", "q", "n", "q", "y"]).out
    assert "The game goes on." in out
    assert out.endswith("The game is kept. Go on with it: rulelang play --load stalls.save\n")
    assert "Deal: choose what to do" in play("play", "--load", "stalls.save", typed=["q"]).out
    play("play", "stalls", typed=["q", "y"])
    assert Path("stalls-2.save").is_file(), "another game is not written over"


def test_scores_hide_what_the_seat_does_not_see(play: Play) -> None:
    """Of points that lie hidden the least and greatest are told, even where they could be worked out from what
    happened."""
    hidden = games.STALLS.replace(
        "coins: {type: 0..9, per: player, start: 3}", "coins: {type: 0..9, per: player, start: 3, visible: owner}"
    )
    games.written(Path("hidden"), hidden)
    out = play("play", "hidden", typed=["scores", "q"]).out
    rows = [line.split() for line in out.splitlines() if re.match(r"(kept|left|total) ", line)]
    assert [row[:3] for row in rows] == [["kept", "0", "0"], ["left", "3", "0–9"], ["total", "3", "0–9"]]


def test_why(play: Play) -> None:
    """An option and a refusal lead to rule, file, line and rulebook line; what nobody could try is said to be so."""
    typed = ["act:colour=blue", "cite 1", "cite why buy", "why fly", "why 9", "why"]
    out = play("play", "stalls", typed=["act:colour=red", *typed[1:]], width=200).out
    assert "  id        show:card=ruby\n  rule      deal, stalls/ruleset.yaml:" in out
    assert "Nothing like `fly` could be tried here." in out
    assert "There is no option 9: they go from 1 to 3." in out
    lines = [f'{{"seat": 0, "id": "{id_}"}}' for id_ in ("act:colour=red", "buy:card=ruby")]
    lines += ['{"seat": 1, "id": "act:colour=blue"}', '{"seat": 1, "id": "show:card=sky"}']
    lines += ['{"seat": 0, "id": "act:colour=blue"}', '{"seat": 0, "id": "buy:card=sky"}']
    lines += ['{"seat": 1, "id": "act:colour=blue"}']
    Path("s.jsonl").write_text("\n".join(lines), encoding="utf-8")
    people = ("--seat", "1=human", "--script", "s.jsonl", "--ask-forced")
    out = play("play", "stalls", *people, typed=["cite why buy", "buy", "why"], width=200).out
    assert out.count("Buy is not offered.\n") == 2
    assert "  rulebook  leaflet-en:8\n" in out


def test_the_score_sheet_before_the_end_and_at_it(play: Play) -> None:
    """Each line has its values, file, line and rulebook line; what depends on hidden things is a range."""
    out = play("play", "stalls", typed=["cite scores", "red", "buy", "blue", "rest"]).out
    head, *rows = [line for line in out.splitlines() if re.match(r"(score|kept|left|total) ", line)]
    assert head.split() == ["score", "you", "Ada"]
    assert rows[0].split() == ["kept", "0", "0", "ruleset.yaml:48", "[leaflet-en:9]"]
    assert rows[1].split() == ["left", "3", "3", "ruleset.yaml:49"]
    assert rows[2].split() == ["total", "3", "3"]
    kept = next(row for row in rows[4:] if row.startswith("kept"))
    assert kept.split()[1] == "1"
    assert re.search(r"^(You win|Ada wins)\.$|win together\.$", out, re.MULTILINE)


def test_undo_at_the_prompt(play: Play) -> None:
    """Free: at once. Beyond that it says what was seen and asks; the record is marked and replays."""
    typed = ["spend", "undo", "spend", "throw", "undo", "n", "undo", "y", "undo", "undo", "q"]
    out = play("play", "secrets", "--record", "r.json", typed=typed, width=200).out
    assert out.count("Taken back: spend\n") == 2
    assert "This would take back: throw. Since then others have chosen" in out
    assert "Not undone.\n" in out
    assert "Taken back, and marked on the record: throw\n" in out
    assert "You have chosen nothing yet that could be taken back.\n" in out
    record = json.loads(Path("r.json").read_text(encoding="utf-8"))
    assert record["steps"] == []
    (mark,) = record["undone"]
    assert (mark["seat"], mark["seen"][0]) == (0, "moved")
    replayed = play("replay", "r.json")
    assert replayed.status == 0
    assert "Seat 0 took back" in replayed.out


def test_save_and_load(play: Play) -> None:
    """A game goes on from its file, at the prompt and with `--load`; other files are not written over."""
    first = play("play", "stalls", typed=["save", "red", "save g.save", "buy", "load g.save", "q"]).out
    assert "`save` needs a file: save FILE." in first
    assert "Saved in g.save.\n" in first
    assert "Loaded from g.save: 1 step.\n" in first
    assert "3  rest\nyou> q\nStop here? The game is kept in g.save:" in first
    again = play("play", "--load", "g.save", "--record", "r.json", typed=["rest", "blue", "rest"])
    assert again.status == 0
    assert "Deal: choose what to do" in again.out
    assert play("replay", "r.json").status == 0
    Path("note.txt").write_text("mine", encoding="utf-8")
    kept = play("play", "stalls", typed=["save note.txt", "save g.save", "save no/g.save"]).out
    assert "note.txt is there already and is no saved game" in kept
    assert "no/g.save cannot be written" in kept
    assert Path("note.txt").read_text(encoding="utf-8") == "mine"
    for arguments in (("--load", "note.txt"), ("--load", "g.save", "secrets")):
        refused = play("play", *arguments)
        assert (refused.status, refused.out) == (1, "")
        assert refused.err.startswith("rulelang: ")
    assert play("play", "--load", "g.save", "--seed", "3").status == 2
    assert play("play").status == 2
    broken = play("play", "stalls", typed=["load note.txt", "load nothing", "load", "q"]).out
    assert "the saved game is not JSON" in broken
    assert "nothing cannot be read" in broken


def test_looking_around(play: Play) -> None:
    """`card`, `log`, `board PLACE`, `help`; what is not there is said to be so."""
    typed = [
        "red",
        "rest",
        "cite log 2",
        "card sky",
        "cite card rub",
        "card skye",
        "card x",
        "board shop",
        "board cellar",
        "?",
    ]
    out = play("play", "stalls", typed=typed, width=120).out
    assert "ruby · card" in out.lower()
    assert "rulebook" in out
    assert "leaflet-en:3" in out
    assert "Did you mean `sky`?" in out
    assert "No piece is called `x`." in out
    assert "shop red  " in out
    assert "No place here is called `cellar`. There are deck" in out
    assert "(ruleset.yaml" not in out
    assert re.search(r"^Your turn begins\.  ruleset\.yaml:\d+$", out, re.MULTILINE)
    assert "undo (u)" in out


def test_an_error_of_a_rule_ends_the_game_with_its_place(play: Play) -> None:
    """The record holds what was played before."""
    typed = ["3"] * 8
    done = play("play", "field", "--seat", "0=human", "--seat", "1=human", "--record", "r.json", typed=typed)
    assert done.status == 1
    assert "`depth` would become 12, outside 0..9 (field/ruleset.yaml:" in done.err
    assert len(json.loads(Path("r.json").read_text(encoding="utf-8"))["steps"]) == 3
    assert play("replay", "r.json").status == 0


def test_ids_that_are_refused_say_why(play: Play) -> None:
    """An id that is not offered is answered with what is missing; the question stays."""
    out = play("play", "stalls", typed=["red", "buy:card=sky", "fly=1", "q"], width=200).out
    assert "`buy:card=sky` is " in out
    assert "`fly=1` is not offered" in out
    assert out.count("you> ") == 4


def test_bots_in_other_seats_leave_seat_0_to_the_person(play: Play) -> None:
    """Unless `--seat` gives it to a bot, or another seat to a person."""
    typed = ["save", "keep"] * 6
    for seats, person in ((("1=random",), True), ((), True), (("0=random",), False), (("0=random", "1=random"), False)):
        given = [part for seat in seats for part in ("--seat", seat)]
        assert ("• You" in play("play", "secrets", *given, typed=typed).out) is person, seats
