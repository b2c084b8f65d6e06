"""Records looked at: steps in words, the table after one of them, forward and back."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from rulelang.cli.console import Console
from rulelang.cli.play.terminal import Terminal
from rulelang.cli.replay import Player
from rulelang.record import read_record, replayed
from rulelang.table.names import Names

from .conftest import Play

STEPS = """\
r.json: 3 steps as recorded; not over
Step 1 of 3 · seat 0: red
Step 2 of 3 · seat 0: buy ruby
  Seat 0's coins: 3 → 2.
  A ruby goes from the red shop to seat 0's kept.
  Seat 1's turn begins.
Step 3 of 3 · seat 1: blue
"""

AFTER_2 = """\
── Stalls · turn 2 ─────────────────────────────────────────────────────────────
deck: 3 · lead: seat 0
────────────────────────────────────────────────────────────────────────────────
Seat 0  hand: ruby, sky · kept: ruby · coins: 2
Seat 1  hand: ruby, sky · coins: 3
"""


@pytest.fixture
def recorded(play: Play) -> Play:
    """A record of three steps in r.json."""
    people = ("--seat", "0=human", "--seat", "1=human")
    play("play", "stalls", *people, "--record", "r.json", typed=["red", "buy", "blue"])
    return play


def test_steps_in_words(recorded: Play) -> None:
    """`--steps` lists all; `--to` lists up to one and shows what any seat sees then."""
    assert recorded("replay", "r.json").out == "r.json: 3 steps as recorded; not over\n"
    assert recorded("replay", "r.json", "--steps").out == STEPS
    to = recorded("replay", "r.json", "--to", "2").out
    assert to == STEPS.rsplit("Step 3", 1)[0] + AFTER_2
    assert recorded("replay", "r.json", "--to", "0").out.startswith("r.json: 3 steps as recorded; not over\n── ")
    assert "Étape 2 sur 3 · joueur 0" in recorded("replay", "r.json", "--steps", "--lang", "fr").out
    assert recorded("replay", "r.json", "--to", "4").status == 2


def test_json_is_one_document(recorded: Play) -> None:
    """As before, with how often something was taken back."""
    document = json.loads(recorded("replay", "r.json", "--format", "json").out)
    assert document == {"ok": True, "steps": 3, "over": False, "scores": [3, 3], "winners": [], "undone": 0}


def test_forward_and_back(recorded: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter goes on, `b` back, a number and `e` anywhere; the ends are said to be so; the end of the input ends it."""
    record = read_record(Path("r.json").read_text(encoding="utf-8"))
    last, positions = replayed(record)
    terminal = Terminal()
    out = io.StringIO()
    terminal.console = Console(file=out, width=80, color_system=None)
    player = Player(record, last, positions, Names(last, "en"), terminal)
    monkeypatch.setattr("sys.stdin", io.StringIO("\nb\nb\n9\ne\n\n2\nx\n"))
    player.step_through()
    shown = out.getvalue()
    places = [line.split(">")[0] for line in shown.splitlines() if line[:3] in ("0/3", "1/3", "2/3", "3/3")]
    assert places == ["0/3", "1/3", "0/3", "0/3", "0/3", "3/3", "3/3", "2/3", "2/3"]
    assert "This is the start." in shown
    assert "There is no step 9: they go from 0 to 3." in shown
    assert "This is the last step." in shown
    assert shown.count("Enter: next") == 2
    assert AFTER_2 in shown
