"""What the commands have in common: options, loading, errors, JSON.

Enters: a command's function. Leaves: the function with its options, whose errors become messages and exit statuses.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rulelang import numbers
from rulelang.cli.output import put_json, say
from rulelang.diagnostics import IllegalAction, RuleError, RulesetError, SaveError, UsageError
from rulelang.inputs import TooLargeError, read_input
from rulelang.limits import GAME_BYTES, JOBS, MESSAGE

if TYPE_CHECKING:
    from rulelang.game import Ruleset

FAULT, USAGE = 1, 2

Command = TypeVar("Command", bound=Callable[..., Any])


class NumberOption(click.ParamType[Any]):
    """The values of an option that are numbers of a sort.

    Args:
        or_else: what else the option takes, for messages.
    """

    name = "number"

    def __init__(self, kind: numbers.Whole | numbers.Real, or_else: str = "") -> None:
        self._kind, self._or_else = kind, or_else

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number that a text says; a default is one already."""
        try:
            return self._kind.read(value) if isinstance(value, str) else value
        except UsageError as error:
            self.fail(f"{error}{self._or_else}.", param, ctx)


def _jobs(ctx: click.Context, param: click.Parameter, value: str) -> int:
    """Return a number of processes; `all` is the number of cores that this process may use."""
    if value != "all":
        processes: int = NumberOption(numbers.PROCESSES, "; `all`: one per core").convert(value, param, ctx)
        return processes
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return min(cores, JOBS)


path_argument = click.argument("path", metavar="PATH")
overlay_option = click.option(
    "--overlay", "overlays", metavar="PATH", multiple=True, help="A folder to lay over the ruleset; repeatable."
)
players_option = click.option(
    "--players", type=NumberOption(numbers.SEATS), metavar="N", help="Number of players; the smallest if left out."
)
seed_option = click.option(
    "--seed", type=NumberOption(numbers.SEED), default=0, show_default=True, metavar="S", help="Seeds chance and bots."
)
bot_option = click.option(
    "--bot",
    default="random",
    show_default=True,
    metavar="NAME",
    help="Who plays: random, easy, good, strong, mcts:N, or playouts:N.",
)
jobs_option = click.option(
    "--jobs",
    default="1",
    show_default=True,
    metavar="J",
    callback=_jobs,
    help="How many processes; `all`: one per core.",
)
backend_option = click.option(
    "--backend",
    default="auto",
    show_default=True,
    metavar="B",
    help="What runs the rules: auto, interpreter, or native.",
)
lang_option = click.option(
    "--lang",
    metavar="CODE",
    help="The language of texts; if left out that of LC_ALL, LC_MESSAGES or LANG, or the ruleset's first.",
)
option_option = click.option(
    "--option", "options", metavar="NAME=VALUE", multiple=True, help="A value of an option of the ruleset; repeatable."
)


Shared = TypeVar("Shared")


def bundled(
    kind: type[Shared], *options: Callable[[Command], Command]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that adds options to a command, which gets their values as its first argument, a dataclass
    `kind`."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        """Add the options to a command."""

        @functools.wraps(command)
        def run(**arguments: Any) -> Any:
            """Call the command with the bundled values."""
            shared = {field.name: arguments.pop(field.name) for field in fields(kind)}  # type: ignore[arg-type]
            return command(kind(**shared), **arguments)

        return functools.reduce(lambda decorated, option: option(decorated), reversed(options), run)

    return decorate


@dataclass(frozen=True)
class GameOptions:
    """The options that name a ruleset and a game of it."""

    path: str
    players: int | None
    options: tuple[str, ...]
    overlays: tuple[str, ...]

    def loaded(self) -> Ruleset:
        """Return the ruleset.

        Raises:
            RulesetError: it has errors.
        """
        return loaded(self.path, self.overlays)

    @property
    def values(self) -> dict[str, str]:
        """Return the ruleset's options by name.

        Raises:
            UsageError: one is not written NAME=VALUE.
        """
        return read_options(self.options)


GAME_OPTIONS = (path_argument, players_option, option_option, overlay_option)
game_options = bundled(GameOptions, *GAME_OPTIONS)


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Return the option `--format`, by default text."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", *formats]),
        default="text",
        show_default=True,
        help="What to print.",
    )


json_option = format_option("json")


def guarded(command: Callable[..., int | None]) -> Callable[..., None]:
    """Return the command with the project's errors turned into messages and exit statuses; with `--format json` also
    into a JSON document."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        """Run the command; exit with its status."""
        try:
            status = command(*args, **kwargs) or 0
        except RulesetError as error:
            status = _report_diagnostics(error, kwargs.get("form", "text"))
        except UsageError as error:
            status = _report_error(str(error), kwargs.get("form", "text"), USAGE)
        except (RuleError, IllegalAction, SaveError) as error:
            status = _report_error(str(error), kwargs.get("form", "text"), FAULT)
        click.get_current_context().exit(status)

    return run


def _report_error(message: str, form: str, status: int) -> int:
    """Print an error message, shortened if need be; return the exit status."""
    if len(message) > MESSAGE:
        message = f"{message[: MESSAGE // 2]} … {message[-MESSAGE // 2 :]}"
    say(f"rulelang: {message}")
    if form == "json":
        put_json({"ok": False, "error": message})
    return status


def _report_diagnostics(error: RulesetError, form: str) -> int:
    """Print the diagnostics of a ruleset; return the exit status."""
    from rulelang.cli.report import reading_on, show

    show(error.diagnostics, sys.stderr)
    say(reading_on(error.diagnostics))
    if form == "json":
        put_json({"ok": False, "diagnostics": [diagnostic.to_json() for diagnostic in error.diagnostics]})
    return USAGE if any(diagnostic.code == "ruleset-not-found" for diagnostic in error.diagnostics) else FAULT


def read_options(pairs: Sequence[str]) -> dict[str, str]:
    """Parse `name=value` pairs.

    Raises:
        UsageError: a text is no such pair.
    """
    options = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name or not value:
            raise UsageError(f"an option is written NAME=VALUE, not `{pair}`")
        options[name.strip()] = value.strip()
    return options


def loaded(path: str, overlays: Sequence[str] = ()) -> Ruleset:
    """Return the ruleset at a path.

    Raises:
        RulesetError: it has errors.
    """
    from rulelang.game import load

    return load(path, overlays)


def language_of(ruleset: Ruleset, lang: str | None) -> str:
    """Return the language of texts: the one that is asked for, else that of the environment if the ruleset has it, else
    the ruleset's first.

    Raises:
        UsageError: the ruleset does not have the one that is asked for.
    """
    names = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    locale = next(filter(None, names), "").partition(".")[0].partition("@")[0].replace("_", "-")
    known = ruleset.written.languages
    spoken = [code for code in (locale, locale.partition("-")[0].lower()) if code in known]
    return ruleset.language(lang or next(iter(spoken), None))


def read_text(file: Path, most: int = GAME_BYTES) -> str:
    """Return the text of a user's file, without a byte order mark.

    Args:
        most: the bytes that it may have.

    Raises:
        UsageError: it cannot be read. SaveError: it is too large, or not UTF-8.
    """
    try:
        return read_input(file, most).decode("utf-8-sig")
    except TooLargeError:
        raise SaveError(f"{file} is larger than {most >> 20} MiB") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SaveError(f"{file} is not UTF-8 at byte {error.start}") from None


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Prefix the SaveErrors of the block with the file's name."""
    try:
        yield
    except SaveError as error:
        raise SaveError(f"{file}: {error}") from None


def table(rows: Sequence[Sequence[object]], right: Sequence[int] = ()) -> str:
    """Return rows as aligned columns, the first row as the head.

    Args:
        right: indices of the columns that are aligned right.
    """
    texts = [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in texts) for column in range(len(texts[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def _cell(value: object) -> str:
    """Return a value as text, floats with three decimals."""
    return f"{value:.3f}" if isinstance(value, float) else str(value)
