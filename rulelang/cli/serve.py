"""`rulelang serve`: games in the browser.

Enters: rulesets, where to listen, a database. Leaves: a server that runs until Ctrl-C.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from rulelang.cli.common import guarded
from rulelang.cli.output import say
from rulelang.diagnostics import UsageError


@click.command()
@click.argument("paths", metavar="[PATH]...", nargs=-1)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="H", help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, metavar="N", help="The port.")
@click.option(
    "--database", default="rulelang.sqlite", show_default=True, metavar="URL", help="A file, or postgresql://…"
)
@click.option(
    "--workers", type=click.IntRange(1, 64), default=2, show_default=True, metavar="N", help="Processes for games."
)
@click.option(
    "--memory", type=click.IntRange(64), default=1024, show_default=True, metavar="MIB", help="Memory of a worker."
)
@click.option("--watch", "watching", is_flag=True, help="Games go on by changed rules; for trying them with testers.")
@click.option("--uploads", default="", metavar="FOLDER", help="Take rulesets of strangers, and keep them there.")
@click.option("--compile-uploads", is_flag=True, help="Make native code of them, too.")
@guarded
def serve(
    paths: tuple[str, ...], host: str, port: int, database: str, workers: int, memory: int, watching: bool,
    uploads: str, compile_uploads: bool,
) -> None:  # fmt: skip
    """Play in the browser: serve rulesets (all shipped ones if none is named) to whoever has a link."""
    try:
        import uvicorn

        from rulelang.web.app import Settings, application
    except ImportError as error:
        raise UsageError(f"{error.name} is missing: pip install 'rulelang[web]'") from None
    from rulelang.web.store import Store

    Store(database).close()
    rulesets = offered(paths)
    changes = _changes(rulesets.values()) if watching else None
    settings = Settings(
        rulesets, database, workers, memory=memory, changes=changes, uploads=uploads, compile_uploads=compile_uploads
    )
    say(f"rulelang: http://{host}:{port}/  (Ctrl-C ends)")
    uvicorn.run(
        application(settings), host=host, port=port, log_level="warning", access_log=False, server_header=False,
        timeout_graceful_shutdown=2, timeout_keep_alive=75,
    )  # fmt: skip


def _changes(paths: Iterable[str]) -> Callable[[], dict[str, str]]:
    from rulelang.cli.check import faults, with_variants
    from rulelang.cli.watch import Changes

    return Changes(paths, lambda path: with_variants((path,), ()), faults)


def offered(paths: Sequence[str]) -> dict[str, str]:
    """The rulesets by the word that stands for them in addresses."""
    from rulelang.resources import shipped_rulesets
    from rulelang.ruleset.files import ruleset_names

    names = paths or ruleset_names(shipped_rulesets())
    keys: dict[str, str] = {}
    for path in names:
        stem = re.sub(r"[^A-Za-z0-9_-]+", "-", path if path in names and not paths else Path(path).resolve().name)
        key = next(f"{stem}{number or ''}" for number in range(len(names)) if f"{stem}{number or ''}" not in keys)
        keys[key] = path
    return keys
