"""`rulelang mcp`: the games of a server as tools of a language model.

Enters: the address of a server, the Model Context Protocol on stdin. Leaves: answers on stdout, until stdin ends.
"""

from __future__ import annotations

import asyncio

import click

from rulelang.cli.common import guarded
from rulelang.diagnostics import UsageError
from rulelang.resources import installing


@click.command()
@click.argument("address", metavar="[ADDRESS]", default="http://127.0.0.1:8000")
@guarded
def mcp(address: str) -> int:
    """Let a language model play and explain games of the server at ADDRESS, by the Model Context Protocol."""
    if not address.startswith(("http://", "https://")):
        raise UsageError(f"`{address}` is no address of a server, such as http://127.0.0.1:8000")
    try:
        from rulelang.web.api.tools import run
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: {installing('mcp')}") from None
    asyncio.run(run(address))
    return 0
