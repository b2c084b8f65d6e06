"""`rulelang serve`: games in the browser.

Enters: rulesets, where to listen, a database. Leaves: a server that runs until Ctrl-C.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from rulelang import numbers
from rulelang.cli.common import NumberOption, guarded
from rulelang.cli.output import say
from rulelang.diagnostics import UsageError
from rulelang.resources import installing

if TYPE_CHECKING:
    from uvicorn import Config

END_SECONDS = 5.0
"""After Ctrl-C or SIGTERM the process ends by then, whatever it computes."""
INTERRUPTED = 128 + signal.SIGINT

shown = partial(click.option, show_default=True)


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@shown("--host", default="127.0.0.1", metavar="H", help="The address to listen on.")
@shown("--port", type=NumberOption(numbers.PORT), default=8000, metavar="N", help="The port.")
@shown("--database", default="rulelang.sqlite", metavar="URL", help="A file, or postgresql://…")
@shown("--workers", "hosts", type=NumberOption(numbers.WORKERS), default=2, metavar="N", help="Processes for games.")
@shown("--thinkers", type=NumberOption(numbers.WORKERS), default=2, metavar="N", help="Processes for bots.")
@shown("--memory", type=NumberOption(numbers.MEMORY), default=1024, metavar="MIB", help="Memory of a worker.")
@click.option("--watch", "watching", is_flag=True, help="Games go on by changed rules; for trying them with testers.")
@click.option("--framed", is_flag=True, help="Pages may stand in frames of other pages, such as an editor's.")
@click.option("--uploads", default="", metavar="FOLDER", help="Take rulesets of strangers, and keep them there.")
@click.option("--metrics", is_flag=True, help="Tell at /metrics what the server measures, for Prometheus.")
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Pages of ORIGIN may use the API; `*`: of all.")
@click.option("--webhooks", metavar="HOST", multiple=True, help="A host, such as discord.com, that is told of turns.")
@click.option("--smtp", default="", metavar="HOST:PORT", help="A mail server by which players are told of turns.")
@click.option("--mail-from", default="", metavar="ADDRESS", help="Whom that mail is from.")
@click.option("--compile-uploads", is_flag=True, help="Make native code of them, too.")
@guarded
def serve(paths: tuple[str, ...], host: str, port: int, watching: bool, **settings: Any) -> int:
    """Play in the browser: serve rulesets (all shipped ones if none is named) to whoever has a link."""
    try:
        import uvicorn

        from rulelang.web.app import Settings, application
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: {installing('web')}") from None
    from rulelang.cli.changes import RulesetChanges
    from rulelang.web.clock import CLOCK
    from rulelang.web.store import Store

    store = Store(settings["database"])
    CLOCK.go_on_from(store.ended())
    store.close()
    rulesets = offered(paths)
    changes = RulesetChanges(rulesets.values()) if watching else None
    served = application(Settings(rulesets, changes=changes, **settings))
    listening = _listening(host, port)
    say(f"rulelang: http://{host}:{listening.getsockname()[1]}/  (Ctrl-C ends)")
    config = uvicorn.Config(
        served, log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=2, timeout_keep_alive=75,
    )  # fmt: skip
    return _run(config, listening)


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address.

    Raises:
        UsageError: it can't.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, ValueError) as error:  # a name with a NUL, or no letters of names
        said = str(getattr(error, "strerror", None) or "there is no such address").partition(" (while")[0]
        raise UsageError(f"nobody can listen at {host}:{port}: {said}") from None


def _run(config: Config, listening: socket.socket) -> int:
    """Serve until a signal comes; return the exit status.

    After the first signal requests are given some time to be answered; after END_SECONDS, or a second signal, the
    process ends without waiting for anything, so that no request can hold it. Its workers end by themselves.
    """
    import uvicorn

    class Server(uvicorn.Server):
        """The server, with a watchdog from the first signal on."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            """Begin to end; end at once if that was asked for before."""
            if self.should_exit:
                os._exit(128 + sig)
            watchdog = threading.Timer(END_SECONDS, os._exit, (128 + sig,))
            watchdog.daemon = True
            watchdog.start()
            super().handle_exit(sig, frame)

    server = Server(config)
    try:
        server.run([listening])
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0 if server.started else 1


def offered(paths: Sequence[str]) -> dict[str, str]:
    """Return the rulesets to be served: key in addresses -> path; all shipped ones if none is given.

    Raises:
        UsageError: there is none of these.
    """
    from rulelang.resources import shipped_rulesets
    from rulelang.ruleset.files import means_shipped, ruleset_names

    names = paths or ruleset_names(shipped_rulesets())
    keys: dict[str, str] = {}
    for path in names:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", path if path in names and not paths else Path(path).resolve().name)
        key = next(f"{stem}{number or ''}" for number in range(len(names)) if f"{stem}{number or ''}" not in keys)
        keys[key] = path
        if not means_shipped(path) and not Path(path).is_dir():
            raise UsageError(
                f"there is no ruleset `{path}`; shipped are {', '.join(ruleset_names(shipped_rulesets()))}"
            )
    return keys
