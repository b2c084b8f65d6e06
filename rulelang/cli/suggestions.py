"""What was probably meant by a command line that click refuses.

Enters: the error. Leaves: a hint with what to type, or nothing. Words of other programs stand in tables.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

import click

from rulelang.diagnostics import enumerated, nearest
from rulelang.languages import codes, folded, language, number_meant

COMMANDS = {
    "check": "lint validate verify valid errors",
    "compare": "diff",
    "compile": "build",
    "explain": "doc docs why error",
    "fmt": "format pretty indent",
    "info": "show list ls cards card rules describe cat",
    "new": "create init make add scaffold",
    "play": "run game exec launch open start",
    "replay": "watch review",
    "serve": "web server browser host http",
    "simulate": "sim bench benchmark games stats",
    "test": "tests scenarios scenario spec",
}
"""Command -> what other programs call it."""
OPTIONS = {
    "--bot": "ai opponent agent enemy computer level difficulty strength",
    "--bot easy": "easy beginner",
    "--bot strong": "hard strong expert",
    "--format": "output-format type",
    "--depth": "plies ply levels",
    "--format json": "json",
    "--format sarif": "sarif",
    "--failed": "last lf last-failed",
    "-k": "filter name scenario only match",
    "--strict": "warnings-as-errors werror pedantic warnings fail-on-warning fail-on-warnings",
    "--no-cache": "force fresh clean rebuild nocache",
    "--backend": "engine native executor mode",
    "--load": "resume continue saved restore",
    "--script": "input moves commands from",
    "--seat": "human as side me",
    "--steps": "trace verbose debug",
    "--resume": "continue append",
    "--copy": "from template base example",
    "--watch": "follow auto reload live",
    "--check": "dry-run no-write verify",
    "--no-browser": "headless no-open",
    "--cards": "card all full details verbose",
    "--games": "n count runs repeat repetitions iterations number",
    "--jobs": "threads processes parallel cores cpus workers",
    "--lang": "language locale langue",
    "--option": "set opt define variant with",
    "--out": "output file save csv",
    "--overlay": "variant mod add",
    "--players": "seats player-count num-players nb-players humans n",
    "--port": "listen",
    "--record": "save output log",
    "--seed": "random rng",
    "--version": "v",
}
"""Option -> what other programs call it."""
JOINED = {"new": "_", "explain": "-"}
"""Command whose argument is one word -> what joins several."""
FLAGS = {"help": "--help", "aide": "--help", "version": "--version"}
"""What is a command elsewhere -> the flag of the whole program."""


def meant(error: click.UsageError) -> str:
    """Return `did you mean …?` for a command line that is refused; empty if nothing is near, or click says it."""
    if error.ctx is None:
        return ""
    line = error.ctx.command_path
    if isinstance(error, click.NoSuchOption):
        bare = error.option_name.lstrip("-")
        if isinstance(error.ctx.command, click.Group) and bare in error.ctx.command.list_commands(error.ctx):
            return f"did you mean `{line} {bare}`?"
        known = _options(error.ctx)
        option = f"--players {bare}" if bare.isdigit() and "--players" in known else _option(error.option_name, known)
        if not option and not error.possibilities and "--option" in known and "_" in bare:
            option = f"--option {bare}=…"
        if option or nearest(bare, [name.lstrip("-") for name in error.possibilities or ()]):
            return f"did you mean `{option}`?" if option and option not in (error.possibilities or ()) else ""
        takes = enumerated(f"`{name}`" for name in known if name not in error.ctx.help_option_names)
        return f"`{line}` takes {takes}" if takes else ""
    if isinstance(error, click.BadParameter) and "is a directory" in error.message and error.ctx.info_name == "replay":
        return (
            f"a saved game is replayed: `rulelang play {error.message.split(chr(39))[1]} --record game.json` saves one"
        )
    word = re.search(r"not `(\w+)`", error.message)
    if isinstance(error, click.BadParameter) and word is not None and (digits := number_meant(word[1])):
        return f"did you mean `{digits}`?"
    number = re.search(r"not `(\d[\d_', ]*|\d+[eE]\d)`", error.message)
    if isinstance(error, click.BadParameter) and number is not None and not number[1].isdigit():
        digits = re.sub(r"\D", "", number[1].replace("e", "E").partition("E")[0])
        return f"did you mean `{int(digits) * 10 ** int(number[1][-1]) if 'e' in number[1].lower() else digits}`?"
    if isinstance(error, click.BadParameter) and (number := re.search(r"not `(\d+) ?([kKmM])`", error.message)):
        return f"did you mean `{number[1]}{'000' * (1 + (number[2] in 'mM'))}`?"
    words = re.search(r"No such command '(.*)'|unexpected extra arguments? \((.*)\)", error.format_message())
    if words is None:
        return ""
    if isinstance(error.ctx.command, click.Group):
        if words[1] in FLAGS:
            return f"did you mean `{line} {FLAGS[words[1]]}`?"
        command = _command(words[1] or "", error.ctx.command.list_commands(error.ctx))
        return f"did you mean `{line} {command}`?" if command else ""
    left = words[2].replace("'", "").split()
    if left[0].isdigit() and (players := error.ctx.params.get("players")):
        return f"`--players` takes one number: once `--players {players}`, once `--players {left[0]}`"
    typed = [_argument(word, _options(error.ctx)) for word in left]
    told = _completed(error.ctx, left) or (" ".join(filter(None, typed)) if all(typed) else "")
    return f"did you mean `{told}`?" if told else ""


def _completed(ctx: click.Context, left: Sequence[str]) -> str:
    """Return what the words before make of words that are left over: one name, the value of an option; else nothing."""
    before = next((value for value in ctx.params.values() if isinstance(value, str)), "")
    if len(left) == 2 and left[0].isdigit():
        option = f"--{left[1]}" if f"--{left[1]}" in _options(ctx) else _option(left[1], _options(ctx))
        return f"{option} {left[0]}" if option else ""
    if ctx.info_name in JOINED and before:
        return f"{ctx.command_path} {JOINED[ctx.info_name].join([before, *left])}"
    for option, sign, beginning in (("option", "=", r"[a-z]\w*"), ("seat", "=", r"\d"), ("bot", ":", "mcts|playouts")):
        value = ctx.params.get(option) or ctx.params.get(f"{option}s") or ""
        last = value[-1] if isinstance(value, tuple) else value
        if len(left) == 1 and isinstance(last, str) and re.fullmatch(beginning, last):
            return f"--{option} {last}{sign}{left[0]}"
    if "-k" in (known := _options(ctx)) and left[0].endswith((".yaml", ".yml")):
        return f"{ctx.command_path} {before} -k 'NAME'` with the name of a scenario, or `{ctx.command_path} {before}"
    if "-k" in known and not all(_argument(word, known) for word in left):
        return f"{ctx.command_path} {before} -k '{' '.join(left)}'"
    return f"{ctx.command_path} {before} --cards" if "--cards" in known and not os.path.isdir(left[0]) else ""


def _options(ctx: click.Context) -> list[str]:
    """Return the options that a command has."""
    return [name for param in ctx.command.get_params(ctx) for name in param.opts if name.startswith("-")]


def _command(word: str, commands: Sequence[str]) -> str:
    """Return the command that a word stands for; a path or a shipped ruleset is played."""
    from rulelang.ruleset.files import means_shipped

    called = (name for name in commands if _is_called(word, name, COMMANDS))
    if os.path.isdir(word) or means_shipped(word):
        return f"{next(name for name in ('play', 'report', *commands) if name in commands)} {word}"
    return next(called, "") or nearest(word, commands)


def _option(word: str, options: Sequence[str]) -> str:
    """Return the option that another one stands for: of the same sense, or with the same first letter."""
    bare = word.lstrip("-").lower()
    called = (name for name in OPTIONS if name.split()[0] in options and _is_called(bare, name, OPTIONS))
    begins = (name for name in options if len(bare) == 1 and name.startswith(f"--{bare}"))
    return next(called, "") or next(begins, "")


def _is_called(word: str, name: str, called: dict[str, str]) -> bool:
    """Return whether a word is what a command or option is called, by other programs or in another language."""
    tables = (called, *(language(code).texts("syntax").get("COMMANDS", {}) for code in codes()))
    return any(folded(word) in words.get(name, "").split() for words in tables)


def _argument(word: str, options: Sequence[str]) -> str:
    """Return the option that an argument with nothing before it was to be the value of, with it; empty if none."""
    tests = {
        "--games": word.isdigit() and int(word) >= 10,
        "--depth": word.isdigit(),
        "--players": word.isdigit(),
        "--option": "=" in word,
        "--lang": re.fullmatch("[a-z]{2}", word) is not None,
        "--bot": re.fullmatch("random|easy|good|strong|(mcts|playouts)(:.*)?", word) is not None,
        "--seat 0=human": word == "human",
        "--overlay": os.path.isdir(word),
        "--format": word in ("json", "sarif"),
    }
    name = next((name for name, fits in tests.items() if fits and name.split()[0] in options), "")
    return name if " " in name or not name else f"{name} {word}"
