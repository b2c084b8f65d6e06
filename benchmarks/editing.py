"""What a process that stays takes after each edit of a ruleset: findings, proposals, the studio's table, memory.

    python -m benchmarks.editing [RULESET] [--edits N] [--first-only] [--tables N] [--seed N]

Enters: a shipped ruleset, copied with its variants; random edits of texts that are not saved (`tests/memory/edits.py`),
drawn with a seed, one after the other in one process. Leaves: medians and 95 of 100 with the aims, and the memory of
the process. Seconds are processor time, also as they would be where the loop of `benchmarks.waiting` takes `LOOP`; to
the first findings and the table the pause is added that the language server makes before it looks.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median, quantiles

import click

from benchmarks.waiting import LOOP, SPIN
from rulelang.cli.language_server import PAUSE, server
from rulelang.cli.new import make
from rulelang.cli.studio import EditorBridge
from rulelang.service import Project
from rulelang.service.completion import complete
from rulelang.studio.app import Studio
from tests.memory.edits import edited_texts

ROOT = Path(__file__).resolve().parents[1]
AIMS: Mapping[str, tuple[float, float]] = {
    "first findings": (0.150, 0.400),
    "first findings, of rules": (0.150, 0.400),
    "all findings": (1.5, 1.5),
    "proposals": (0.1, 0.1),
    "table": (1.0, 1.0),
}
"""Seconds: the median, 95 of 100."""


def memory() -> float:
    """Return the resident memory of this process in MB."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


class Measured:
    """Seconds of processor time by name of the figure, and what the loop of known length took between them."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.loops: list[float] = []

    def note(self, name: str, seconds: float) -> None:
        """Note a time."""
        self.seconds.setdefault(name, []).append(seconds)

    def loop(self) -> None:
        """Time the loop."""
        began = time.process_time()
        exec(SPIN, {})
        self.loops.append(time.process_time() - began)

    def table(self) -> str:
        """Return the table: seconds, seconds where the loop takes `LOOP`, the aims."""
        scale = LOOP / median(self.loops)
        rows = [
            f"{'':26} {'median':>7} {'95 %':>7}   scaled:  median    95 %     aims{'':12}n   (loop {LOOP / scale:.3f})"
        ]
        for name, some in self.seconds.items():
            late = quantiles(some, n=20, method="inclusive")[-1] if len(some) > 1 else some[0]
            aims, pause = AIMS[name], PAUSE if name.startswith("first") else 0.0
            own = median(some) * scale + pause, late * scale + pause
            over = "  over" if own[0] > aims[0] or own[1] > aims[1] else ""
            aim = f"{aims[0]:.2f} {aims[1]:.2f}"
            rows.append(
                f"{name:26} {median(some):7.3f} {late:7.3f} {own[0]:17.3f} {own[1]:7.3f} {aim:>12} {len(some):8}{over}"
            )
        return "\n".join(rows)


def edit_and_look(folder: Path, number: int, first_only: bool, draw: random.Random, measured: Measured) -> None:
    """Edit texts that are not saved and look for findings, all or the first alone; ask what may stand at each place."""
    project = Project(folder)
    project.all_findings()
    began, warm = memory(), 0.0
    for count, (path, line) in enumerate(edited_texts(project.files, project.texts, draw, number), 1):
        project.set_text(path, project.texts.get(path))
        start = time.process_time()
        waves = project.findings()
        next(waves)
        first = time.process_time() - start
        measured.note("first findings", first)
        if path.parent == folder:
            measured.note("first findings, of rules", first)
        if first_only:
            del waves
        else:
            for _ in waves:
                pass
            measured.note("all findings", time.process_time() - start)
        project.rest()
        start, lines = time.process_time(), project.text_of(path).split("\n")
        complete(project, path, min(line, len(lines)), len(lines[min(line, len(lines)) - 1]) + 1)
        measured.note("proposals", time.process_time() - start)
        if count % max(number // 20, 1) == 0:
            measured.loop()
            warm = warm or memory()
            click.echo(
                f"{count} edits: {memory():.0f} MB (opened {began:.0f}, after the first {number // 20} {warm:.0f})",
            )


def figures(text: str) -> Iterator[str]:
    """Yield a text of rules with one figure of a body raised by one, for each figure."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        code = line.partition("#")[0]
        if code.startswith("  ") and re.search(r"\b\d\b", code):
            new = re.sub(r"\b\d\b", lambda figure: str(int(figure[0]) + 1), line, count=1)
            yield "\n".join([*lines[:number], new, *lines[number + 1 :]])


async def tables(folder: Path, number: int, draw: random.Random, measured: Measured) -> None:
    """Play a game with random bots in the studio, then change figures of rules; note when the table follows."""
    studio = Studio(EditorBridge(server), make, folder, folder.parent, True, "token")
    told = asyncio.Event()
    studio.tell_table = told.set  # type: ignore[method-assign]
    hello: dict[str, object] = {"capabilities": {}, "processId": None, "rootUri": None}
    studio.editor.take(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))
    studio.editor.look(studio.project)
    await told.wait()
    assert studio.play is not None
    for _ in studio.play.play("random", "end"):
        pass
    path = next(iter(sorted(folder.glob("*.rule"))))
    texts = [*figures(path.read_text(encoding="utf-8"))]
    for text in draw.sample(texts, min(number, len(texts))):
        studio.project.set_text(path, text)
        told.clear()
        studio.stale = False
        start, clock = time.process_time(), time.perf_counter()
        studio.editor.look(studio.project)
        while not told.is_set() and time.perf_counter() < clock + 60 and not studio.stale:
            await asyncio.sleep(0)
        if told.is_set():
            measured.note("table", time.process_time() - start)
        studio.project.rest()
        measured.loop()


@click.command()
@click.argument("name", default="ldd")
@click.option("--edits", "number", default=200)
@click.option("--first-only", is_flag=True, help="Look for the first findings of each edit alone.")
@click.option("--tables", "shown", default=0, help="Edits of rules that the studio's table follows.")
@click.option("--seed", default=38)
def main(name: str, number: int, first_only: bool, shown: int, seed: int) -> None:
    """Print the figures."""
    measured, draw = Measured(), random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        os.environ["RULELANG_CACHE"] = str(Path(place) / "cache")
        folder = Path(shutil.copytree(ROOT / "rulesets" / name, Path(place).resolve() / name))
        measured.loop()
        if number:
            edit_and_look(folder, number, first_only, draw, measured)
        if shown:
            asyncio.run(tables(folder, shown, draw, measured))
    click.echo(measured.table())


if __name__ == "__main__":
    sys.exit(main())
