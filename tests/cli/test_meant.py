"""A command line that is refused says what was probably meant; options are called the same in all commands."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

import rulelang.cli

from .conftest import Run

REFUSED = [
    # what is typed, what the last line says
    ("chek reco", "did you mean `rulelang check`?"),
    ("run reco", "did you mean `rulelang play`?"),
    ("validate reco", "did you mean `rulelang check`?"),
    ("format reco", "did you mean `rulelang fmt`?"),
    ("web reco", "did you mean `rulelang serve`?"),
    ("reco", "did you mean `rulelang play reco`?"),
    ("lab reco", "did you mean `rulelang lab report reco`?"),
    ("lab tun reco", "did you mean `rulelang lab tune`?"),
    (
        "test reco -v",
        "`rulelang test` takes `--overlay`, `--backend`, `-k`, `--failed`, `--no-cache`, `--jobs` and `--format`",
    ),
    ("mcp --colour off", "Error: No such option '--colour'."),
    ("lint reco", "did you mean `rulelang check`?"),
    ("open reco", "did you mean `rulelang play`?"),
    ("test reco --filter laid", "did you mean `-k`?"),
    ("check reco --warnings-as-errors", "did you mean `--strict`?"),
    ("simulate reco --threads 4", "did you mean `--jobs`?"),
    ("play reco --difficulty hard", "did you mean `--bot`?"),
    ("play reco 3", "did you mean `--players 3`?"),
    ("play reco 3 fr", "did you mean `--players 3 --lang fr`?"),
    ("play reco deck=88", "did you mean `--option deck=88`?"),
    ("play reco mcts:100", "did you mean `--bot mcts:100`?"),
    ("play reco human", "did you mean `--seat 0=human`?"),
    ("simulate reco 100", "did you mean `--games 100`?"),
    ("check reco --json", "did you mean `--format json`?"),
    ("play -p 3 reco", "did you mean `--players`?"),
    ("simulate reco -j 2", "did you mean `--jobs`?"),
    ("simulate reco -n 5", "did you mean `--games`?"),
    ("play reco --ai strong", "did you mean `--bot`?"),
    ("play reco --player 3", "Error: No such option '--player'. Did you mean '--players'?"),
    ("--check reco", "did you mean `rulelang check`?"),
    ("help", "did you mean `rulelang --help`?"),
    ("version", "did you mean `rulelang --version`?"),
    ("card reco", "did you mean `rulelang info`?"),
    ("simulate reco 10", "did you mean `--games 10`?"),
    ("simulate reco --games 1_000", "did you mean `1000`?"),
    ("simulate reco --games 1e4", "did you mean `10000`?"),
    (
        "simulate reco --games 0",
        "Error: Invalid value for '--games': the number of games must be a whole number from 1 to 1000000000000000000, "
        "not `0`.",
    ),
    ("perft reco 3", "did you mean `--depth 3`?"),
    ("xyz", "Error: No such command 'xyz'."),
    ("new pond extra", "did you mean `rulelang new pond_extra`?"),
    ("explain zone short", "did you mean `rulelang explain zone-short`?"),
    ("test reco laid out", "did you mean `rulelang test reco -k 'laid out'`?"),
    ("info reco frog", "did you mean `rulelang info reco --cards`?"),
    ("play reco --option deck 88", "did you mean `--option deck=88`?"),
    ("simulate reco --bot mcts 100", "did you mean `--bot mcts:100`?"),
    ("play reco --hand_size 2", "did you mean `--option hand_size=…`?"),
    ("play reco --players two", "did you mean `2`?"),
    ("play reco --players deux", "did you mean `2`?"),
    ("simulate reco 2 players", "did you mean `--players 2`?"),
    ("play reco --opponent strong", "did you mean `--bot`?"),
    ("play reco -n 3", "did you mean `--players`?"),
    ("play reco --2", "did you mean `--players 2`?"),
    ("play reco --level hard", "did you mean `--bot`?"),
    ("start reco", "did you mean `rulelang play`?"),
    ("play reco --seat 1 human", "did you mean `--seat 1=human`?"),
    ("simulate reco --games 1k", "did you mean `1000`?"),
    (
        "test reco turn.yaml",
        "did you mean `rulelang test reco -k 'NAME'` with the name of a scenario, or `rulelang test reco`?",
    ),
]


@pytest.mark.parametrize(("typed", "last"), REFUSED, ids=[typed for typed, _ in REFUSED])
def test_what_was_meant(rulelang: Run, typed: str, last: str) -> None:
    """It is wrong usage, with nothing on standard output, and the last line leads on."""
    done = rulelang(*typed.split())
    assert (done.status, done.out) == (2, "")
    assert done.err.rstrip("\n").split("\n")[-1] == last


def commands(group: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Each command that is no group, with its name."""
    if not isinstance(group, click.Group):
        yield path, group
        return
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        below = group.get_command(ctx, name)
        assert below is not None
        yield from commands(below, f"{path} {name}".strip())


def test_options_in_one_voice() -> None:
    """An option of one name takes the same sort of value wherever it stands; all are long, and told in a sentence."""
    forms: dict[str, dict[tuple[object, ...], str]] = {}
    odd = []
    for name, command in commands(rulelang.cli.rulelang):
        for option in (param for param in command.params if isinstance(param, click.Option)):
            told = option.help or ""
            if len(option.opts) != 1 or not (told[:1].isupper() or told[:1] in "`0123456789") or told[-1:] not in ".…":
                odd.append((name, option.opts, told))
            form = (option.is_flag, option.multiple, option.metavar if option.opts[0] != "--format" else "")
            forms.setdefault(option.opts[0], {}).setdefault(form, name)
    assert odd == []
    assert {name: by_form for name, by_form in forms.items() if len(by_form) > 1} == {}
