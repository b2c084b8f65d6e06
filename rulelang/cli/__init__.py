"""The command line. Each command's module is imported only when the command runs, so that help is fast.

Enters: arguments. Leaves: text or one JSON document on stdout, messages on stderr, and the exit status: 0 good, 1 the
ruleset or the game is at fault, 2 wrong usage.
"""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from io import StringIO, TextIOWrapper
from typing import Any

import click

from rulelang.cli.output import put, say

COMMANDS = {
    "check": ("check", "Check rulesets: all that can be known without playing."),
    "explain": ("explain", "Explain a message by its code."),
    "info": ("info", "Show what is in a ruleset."),
    "play": ("play", "Play a game at the terminal."),
    "serve": ("serve", "Play in the browser."),
    "games": ("games", "List, export, delete the games of a server."),
    "studio": ("studio", "Write a ruleset and play it while you type, in the browser."),
    "mcp": ("mcp", "Let a language model play and explain, by the Model Context Protocol."),
    "simulate": ("simulate", "Play many games and report the balance."),
    "compare": ("compare", "Compare two rulesets on paired seeds."),
    "lab": ("lab", "The balance lab: reports on a game's balance."),
    "compile": ("compile", "Print what a ruleset becomes."),
    "test": ("scenarios", "Run a ruleset's own scenarios."),
    "mutate": ("mutate", "List the changes of a ruleset that its scenarios don't notice."),
    "perft": ("perft", "Count histories by length."),
    "solve": ("solve", "Solve a small game."),
    "replay": ("replay", "Play a recorded game again and verify it."),
    "new": ("new", "Make a small ruleset to start from."),
    "fmt": ("fmt", "Bring .rule files into the one layout."),
    "upgrade": ("upgrade", "Rewrite rules of version 1 of the language in version 2."),
    "debug": ("debug", "Let an editor step through a game, by the Debug Adapter Protocol."),
    "lsp": ("lsp", "Answer an editor, by the Language Server Protocol."),
}
"""Command -> its module in this package, and what it does."""

INTERRUPTED, USAGE, FAULT = 130, 2, 1


class _OutputClosedError(Exception):
    """The reader of the output has closed it; click would report a `BrokenPipeError` as a failure."""


@contextmanager
def _translating_broken_pipe() -> Iterator[None]:
    """Raise _OutputClosedError for a BrokenPipeError of the block."""
    try:
        yield
    except BrokenPipeError:
        raise _OutputClosedError from None


class Commands(click.Group):
    """A click group whose commands are imported on demand.

    Args:
        table: command -> its module in this package, its line of help.
    """

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._table = table

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Parse arguments."""
        with _translating_broken_pipe():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _translating_broken_pipe():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in self._table:
            return None
        module = import_module(f"rulelang.cli.{self._table[cmd_name][0]}")
        command = getattr(module, cmd_name, None) or getattr(module, f"{cmd_name}_")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._table.items()])


def _version(ctx: click.Context, _: click.Parameter, show: bool) -> None:
    """Print the version and exit."""
    if show and not ctx.resilient_parsing:
        from rulelang import __version__

        put(f"rulelang {__version__}")
        ctx.exit()


@click.group(cls=Commands, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
def rulelang() -> None:
    """Tabletop games written as data and played by one engine.

    PATH is a ruleset folder, a variant folder, or the name of a shipped ruleset such as `reco`.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit status.

    Args:
        arguments: those of the command line; None: of this process.
    """
    try:
        status = rulelang.main(arguments, prog_name="rulelang", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except click.ClickException as error:
        from rulelang.cli.suggestions import meant

        message, hint = StringIO(), meant(error) if isinstance(error, click.UsageError) else ""
        if hint and isinstance(error, click.NoSuchOption):
            error = click.NoSuchOption(error.option_name, ctx=error.ctx)  # without what click guesses
        error.show(message)
        say(message.getvalue().rstrip("\n") + (f"\n{hint}" if hint else ""))
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except (_OutputClosedError, BrokenPipeError):
        _drop_output()
        return 0
    except OSError as error:
        _drop_output()
        of_output = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
        say(f"rulelang: {error.filename or ('the output' if of_output else 'the system')}: {error.strerror}")
        return USAGE
    except MemoryError:
        _drop_output()
        say("rulelang: there is not enough memory")
        return FAULT
    return status if isinstance(status, int) else 0


def _drop_output() -> None:
    """Discard buffered output, which nobody reads or the disk has no room for."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> int:
    """Run the command line of this process; return the exit status."""
    # Many objects are allocated and few are in cycles: collecting every 700 allocations takes a third of the time, and
    # every 50,000 still a twentieth. Old ones are looked through rarely, else large rulesets pay more than their share.
    gc.set_threshold(200_000, 40)
    gc.enable()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a character outside the terminal's encoding is no error
    return run()
