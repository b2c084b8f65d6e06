"""`rulelang studio`: write a ruleset and play it, in one page on this machine."""

from __future__ import annotations

import json
import secrets
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded
from rulelang.cli.output import say
from rulelang.diagnostics import Diagnostics, RulesetError, UsageError
from rulelang.resources import installing

if TYPE_CHECKING:
    from asyncio import Task

    from rulelang.cli.language_server import Server
    from rulelang.service import Project


class EditorBridge:
    """The language server for a page: its messages without their heads, both ways.

    Attributes:
        send: called with each message for the page.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.send: Callable[[str], None] = lambda message: None
        server.protocol.set_writer(self, include_headers=False)

    @property
    def heard(self) -> Callable[[Project, bool], Task[None] | None]:
        """What is called when findings are shown."""
        return self.server.heard

    @heard.setter
    def heard(self, heard: Callable[[Project, bool], Task[None] | None]) -> None:
        self.server.heard = heard

    def write(self, data: bytes) -> None:
        """Send a message of the server."""
        self.send(data.decode())

    def close(self) -> None:
        """Nothing is to be closed."""

    def open(self, folder: Path) -> Project:
        """Return the project of a folder."""
        from rulelang.service import Project

        project = Project(folder)
        return self.server.projects.setdefault(project.folder, project)

    def look(self, project: Project) -> None:
        """Look for findings anew."""
        self.server.look(project)

    def take(self, message: str) -> None:
        """Answer a message."""
        protocol = self.server.protocol
        protocol.handle_message(protocol.structure_message(json.loads(message)))


@click.command()
@click.argument("path")
@click.option("--port", type=NumberOption(numbers.PORT), default=0, metavar="N", help="The port, else a free one.")
@click.option("--no-browser", is_flag=True, help="Only print the link.")
@guarded
def studio(path: str, port: int, no_browser: bool) -> int:
    """Write a ruleset and play it while you type, in one page on this machine; nothing leaves it."""
    try:
        import uvicorn

        from rulelang.cli import language_colours, language_hierarchies, language_runs  # noqa: F401
        from rulelang.cli.language_server import server
        from rulelang.studio.app import Studio, application
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: {installing('studio')}") from None
    from rulelang.cli.new import make
    from rulelang.cli.serve import _listening, _run
    from rulelang.ruleset.files import HEADER, find_folder, means_shipped

    findings = Diagnostics()
    folder = find_folder(path, findings)
    if folder is None:
        raise RulesetError(findings)
    if not (folder / HEADER).is_file():
        raise UsageError(f"`{path}` has no `{HEADER}`: `rulelang new NAME` makes a ruleset to start from")
    token = secrets.token_urlsafe(24)
    shown = Studio(EditorBridge(server), make, folder, Path.cwd(), not means_shipped(path), token)
    listening = _listening("127.0.0.1", port)
    link = f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}"
    say(f"rulelang: {link}  (Ctrl-C ends)")
    config = uvicorn.Config(
        application(shown), log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=1
    )
    if not no_browser:
        webbrowser.open(link)
    return _run(config, listening)
