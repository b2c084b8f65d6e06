"""What reaches a terminal: whatever stands in arguments and files, no character that a terminal obeys."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from rulelang.cli import run
from rulelang.cli.output import printable
from rulelang.ruleset import files, yaml_reader

CLI = Path(__file__).resolve().parents[2] / "rulelang" / "cli"
BAD = "A\x1b]0;x\x07B\r\x08\x7f\x9b31m\u202eC\u2066\u2028\u200e\ufeff"
IN_YAML = r"A\e]0;x\aB\r\b\x7F\x9b31m\u202eC\u2066\L\u200e\uFEFF"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

RULESET = """\
rulelang: 2
name: stalls
title: {en: "Stalls @", fr: "Étals @"}
players: 2..3
languages: [en, fr]
sources: {leaflet-en: "the leaflet @"}
rulebook:
  leaflet-en:
    - {lines: 1-9, is: rule, title: {en: "All @", fr: "Tout @"}}
types: {Colour: [red, blue]}
kinds: {Card: {attributes: {colour: Colour, value: 1..2}, start: deck}}
pieces:
  Card:
    - {id: ruby, colour: red, value: 1, count: 4, cites: [leaflet-en:3], words: {en: "ruby @", fr: "rubis @"}}
    - {id: sky, colour: blue, value: 2, count: 4, cites: [leaflet-en:3], words: {en: "sky @", fr: "ciel @"}}
zones:
  deck: {holds: Card, order: pile, visible: count}
  shop: {holds: Card, per: Colour}
  hand: {holds: Card, per: player, visible: owner}
  kept: {holds: Card, per: player}
variables: {coins: {type: 0..9, per: player, start: 3}}
marks: {tired: {per: player}}
words:
  en: {deck: "deck @", shop: "shop @", hand: "hand @", kept: "kept @", red: "red @", coins: "coins @", tired: "tired @"}
rules: |
  setup:
    for p in players: draw 1 from deck to p.hand
    draw 1 from deck to shop[red]

  play:
    repeat 2 times:
      for p in players:
        turn of p: act()

  [leaflet-en:5-6]
  rule act:
    choose deal:
      show(card in hand): move card to shop[card.colour]
      [leaflet-en:8]
      buy(card in shop[red]) when coins >= card.value + 2:
        coins -= card.value
        move card to kept
      rest: mark you.tired until before turn of you

  [leaflet-en:9]
  score kept: sum( kept.value )
  score left: coins
"""
WRONG = RULESET.replace("marks:", '"marks @":').replace("- coins", "- @")
SCENARIOS = """\
rulelang: 2
scenarios:
  - name: "a scenario @"
    given: {players: 2}
    then: ["count(seat(0).hand) = 3"]
"""
TYPED = ["board", "options", "why", "why buy", "why rest", "card ruby", f"card {BAD}", "log", "scores", "help", BAD]
TYPED += [
    f"show:card={BAD}",
    f"board {BAD}",
    f"load {BAD}",
    f"save {BAD}/x",
    "rest",
    "undo",
    "save s",
    "load s",
    "rest",
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ruleset in which every text, and the name of its folder, holds what a terminal obeys; the characters are let
    through where files are read, so that only the output can stop them."""
    nothing = re.compile("(?!)")
    monkeypatch.setattr(files, "BAD_CHARACTER", nothing)
    monkeypatch.setattr(yaml_reader, "BAD_CHARACTER", nothing)
    monkeypatch.chdir(tmp_path)
    made = tmp_path / f"g{BAD}"
    (made / "scenarios").mkdir(parents=True)
    (made / "ruleset.yaml").write_text(RULESET.replace("@", IN_YAML), encoding="utf-8")
    (made / "scenarios" / "s.yaml").write_text(SCENARIOS.replace("@", IN_YAML), encoding="utf-8")
    return made


COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", "@"),
    "check, what is wrong": ("check", "wrong@"),
    "check, JSON": ("check", "wrong@", "--format", "json"),
    "check, SARIF": ("check", "wrong@", "--format", "sarif"),
    "check, nothing": ("check", BAD),
    "explain": ("explain", BAD),
    "info": ("info", "@"),
    "info, JSON": ("info", "@", "--format", "json"),
    "info, cards": ("info", "@", "--cards"),
    "bots": ("play", "@", "--bot", "random", "--seat", "0=random", "--record", "r"),
    "people": ("play", "@", "--bot", "random"),
    "French": ("play", "@", "--bot", "random", "--lang", "fr", "--seat", "1=human"),
    "replay": ("replay", "game", "--steps"),
    "replay to": ("replay", "game", "--to", "3"),
    "replay, JSON": ("replay", "game", "--format", "json"),
    "replay, name": ("replay", BAD),
    "replay, hash": ("replay", "forged"),
    "replay, no JSON": ("replay", "script"),
    "script": ("play", "@", "--bot", "random", "--script", "script"),
    "simulate": ("simulate", "@", "--games", "2"),
    "simulate, out": ("simulate", "@", "--games", "2", "--out", f"{BAD}/x"),
    "simulate, backend": ("simulate", "@", "--backend", BAD),
    "compare": ("compare", "@", "@", "--games", "2"),
    "compile, ir": ("compile", "@"),
    "compile, c": ("compile", "@", "--emit", "c"),
    "test": ("test", "@"),
    "test, JSON": ("test", "@", "--format", "json"),
    "perft": ("perft", "@", "--depth", "1"),
    "new": ("new", BAD),
    "fmt": ("fmt", "@"),
    "fmt, wrong": ("fmt", "wrong@"),
    "command": (BAD,),
    "option": ("play", "@", "--bot", "random", f"--{BAD}"),
    "option of the ruleset": ("play", "@", "--bot", "random", "--option", f"{BAD}={BAD}"),
    "number": ("play", "@", "--bot", "random", "--players", BAD),
    "seat": ("play", "@", "--bot", "random", "--seat", BAD),
    "choice": ("perft", "@", "--depth", "1", "--backend", BAD),
    "surrogate": ("info", "x\udcff"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_that_a_terminal_obeys(
    name: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command prints the text with escapes, on the output and on the error output."""
    wrong = folder.with_name(f"wrong{BAD}")
    wrong.mkdir()
    (wrong / "ruleset.yaml").write_text(WRONG.replace("@", IN_YAML))
    for file, arguments in (("game", ("--seat", "0=random")),):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        assert run(["play", str(folder), "--bot", "random", *arguments, "--record", file]) == 0
    record = Path("game").read_text(encoding="utf-8")
    Path("forged").write_text(record.replace('"start": "', f'"start": "{printable(BAD)[:1]}\\u001b\\u202e'))
    Path("script").write_text('{"seat": 0, "id": "\\u001b]0;\\u202e"}\n')
    capfd.readouterr()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in TYPED)))
    run(
        [
            part.replace("@", str(folder)) if part == "@" else part.replace("wrong@", str(wrong))
            for part in COMMANDS[name]
        ]
    )
    found = capfd.readouterr()
    assert found.out + found.err
    assert OBEYED.findall(found.out) == []
    assert OBEYED.findall(found.err) == []


def at_terminal(arguments: list[str]) -> bytes:
    """What a command shows at a terminal: in a fork of this process, which has loaded everything."""
    process, end = pty.fork()
    if process == 0:
        status = 70
        try:
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
            for module in (files, yaml_reader):
                vars(module)["BAD_CHARACTER"] = re.compile("(?!)")
            os.environ |= {"TERM": "xterm-256color", "COLUMNS": "100"}
            os.environ.pop("NO_COLOR", None)
            status = run(arguments)
            sys.stdout.flush()
        finally:
            os._exit(status)
    os.write(end, b"board\ncard ruby\nwhy buy\n1\nlog\nq\ny\n")
    data = b""
    with contextlib.suppress(OSError):  # the other end was closed
        while part := os.read(end, 1 << 16):
            data += part
    os.waitpid(process, 0)
    os.close(end)
    return data


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "@", "--bot", "random", "--seed", "3"),
        ("replay", "game"),
        ("check", "wrong"),
        ("explain", BAD),
        ("info", "@"),
        ("test", "@"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_terminal_gets_colours_and_nothing_else(arguments: tuple[str, ...], folder: Path) -> None:
    """At a terminal, where Rich colours text and clears lines, its sequences are the only ones."""
    assert run(["play", str(folder), "--bot", "random", "--seat", "0=random", "--record", "game"]) == 0
    folder.rename(folder.with_name("g"))
    Path("wrong").mkdir()
    (Path("wrong") / "ruleset.yaml").write_text(WRONG.replace("@", IN_YAML))
    Path("g").rename(folder)
    data = at_terminal([str(folder) if part == "@" else part for part in arguments])
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode())
    assert r"\x1b]0;x\x07" in text
    assert OBEYED.findall(text.replace("\r\n", "\n").replace("\r\r", "\r")) == []


def test_only_two_modules_print() -> None:
    """All commands print through `rulelang.cli.output` and `rulelang.cli.console`."""
    prints = re.compile(r"click\.s?echo|(?<![\w.])print\(|rich\.console import .*\bConsole\b|std(out|err)\.write")
    modules = [path for path in CLI.rglob("*.py") if path.name not in ("output.py", "console.py")]
    assert [path.name for path in modules if prints.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Étals 日本 – ×2, 1 000 €\n", "Étals 日本 – ×2, 1\u202f000 €\n".replace("\u202f", " ")),
        ("\t|\0\x1b\x7f\x85", r"    |\x00\x1b\x7f\x85"),
        ("\u202e\u2066\u2028\udcff\U000e0041", r"\u202e\u2066\u2028\udcff\U000e0041"),
        ("नमस्\u200dते\xa0", "नमस्\u200dते\xa0"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    """Letters, line feeds, joiners and spaces stay, the others are escaped."""
    assert printable(text) == shown
