"""`rulelang lsp`: what editors ask about a ruleset, by the Language Server Protocol on stdin and stdout."""

from __future__ import annotations

import click

from rulelang.cli.common import guarded
from rulelang.diagnostics import UsageError
from rulelang.resources import installing


@click.command()
@guarded
def lsp() -> int:
    """Answer an editor: findings while one types, completion, hover, renaming and more. An editor starts it."""
    try:
        from rulelang.cli import language_colours, language_hierarchies, language_runs  # noqa: F401
        from rulelang.cli.language_server import server
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: {installing('editor')}") from None
    server.start_io()
    return 0
