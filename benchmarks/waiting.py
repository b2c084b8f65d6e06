"""Processor time of `check`, `test` and `play` after a one-line edit, from nothing, and in a living process.

    python -m benchmarks.waiting [RULESET] [--edits N] [--rounds N] [--only SORT,SORT]

Enters: a shipped ruleset, copied with its variants. Leaves: a table of medians with the aims. Each command runs in a
process of its own, with the cache as it was before the edit; edits are drawn with a seed, N of each sort, and only
those count that pass the check. A loop of known length is timed between the commands: seconds are also given as they
would be where it takes `LOOP`, as on the machine for which the aims were set, since a core that is shared is slower.
"""

from __future__ import annotations

import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

import click

ROOT = Path(__file__).resolve().parents[1]
LOOP = 0.225
"""Seconds that `SPIN` takes where the aims were set: `test` there took 10.7 s from nothing before anything was kept."""
SPIN = "s = 0\nfor i in range(3_000_000): s += i * i & 7"
FIRST_WAVE = """
import sys, time
from pathlib import Path
from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.loader import read_ruleset
from rulelang.semantics.check import analyse
for line in sys.stdin:
    path, text = eval(line)
    Path(path).write_text(text, encoding="utf-8")
    began, findings = time.process_time(), Diagnostics()
    ruleset, *_ = read_ruleset(sys.argv[1], (), diagnostics=findings)
    ruleset is None or analyse(ruleset, findings)
    print(time.process_time() - began, flush=True)
"""

AIMS: Mapping[str, float] = {
    "check, nothing new": 0.25,
    "check, comment": 0.25,
    "check, base": 0.45,
    "check, with variants": 1.0,
    "check, from nothing": 2.0,
    "test, nothing new": 0.25,
    "test, comment": 0.25,
    "test": 1.0,
    "test, 95 of 100": 2.5,
    "test, figure": 1.5,
    "test, from nothing": 5.0,
    "play, to the prompt": 0.4,
    "first wave, living": 0.2,
}

Edit = tuple[Path, str]
"""The file, its new text."""


def _figure(line: str, draw: random.Random) -> str:
    """Return a line with one of its figures changed by one."""
    places = [*re.finditer(r"(?<![\w-])\d+(?![\w-])", line.partition("#")[0])]
    if not places:
        return line
    place = draw.choice(places)
    return line[: place.start()] + str(int(place[0]) + draw.choice((1, -1))) + line[place.end() :]


def _word(line: str, draw: random.Random) -> str:
    """Return a line with a word added to a text."""
    return re.sub(r": ([a-zé ]+)$", r": \1 again", line)


def _comment(line: str, draw: random.Random) -> str:
    """Return a line with a comment before it."""
    return f"{' ' * (len(line) - len(line.lstrip()))}# a comment\n{line}"


SORTS: Mapping[str, tuple[str, str, Callable[[str, random.Random], str]]] = {
    "figure": ("*.yaml", r"\s+(- \{id: .*|(- )?(cost|gain|points|leaves|interest): .*)", _figure),
    "card": ("*.yaml", r"\s{8,}[a-z(][^:]*(:=|[-+]=|plus |draw |times|[<>=]).*", _figure),
    "body": ("*.rule", r"  .*", _figure),
    "scenario": ("scenarios/*.yaml", r" .*", _figure),
    "word": ("words.yaml", r"    .*: [a-zé ]+", _word),
    "comment": ("*.*e", r"\s*[a-z].*", _comment),
}
"""Sorts of edits: the files, the lines that are edited, how."""


def edits(folder: Path, sort: str, draw: random.Random) -> Iterator[Edit]:
    """Yield edits of a sort without end."""
    files, pattern, change = SORTS[sort]
    lines = [
        (path, number)
        for path in sorted(folder.glob(files))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"))
        if re.fullmatch(pattern, line)
    ]
    while lines:
        path, number = draw.choice(lines)
        text = path.read_text(encoding="utf-8").split("\n")
        before, text[number] = text[number], change(text[number], draw)
        if text[number] != before:
            yield path, "\n".join(text)


class Measured:
    """Processor time of commands on a copy of a ruleset.

    Attributes:
        seconds: by name of the figure. loops: what `SPIN` took, between them.
    """

    def __init__(self, place: Path, name: str) -> None:
        self.folder = Path(shutil.copytree(ROOT / "rulesets" / name, place / name))
        self.cache, self.kept = place / "cache", place / "kept"
        self.environment = os.environ | {"RULELANG_CACHE": str(self.cache), "PYTHONPATH": str(ROOT)}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else each command compiles the engine's modules
        self.seconds: dict[str, list[float]] = {}
        self.loops: list[float] = []

    def run(self, *arguments: str, given: str = "") -> tuple[float, int]:
        """Run Python and return its processor time and its status."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, input=given, text=True, capture_output=True, env=self.environment, cwd=ROOT, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.returncode

    def rulelang(self, command: str, *figures: str, given: str = "") -> bool:
        """Run a command of the ruleset and note its time under each figure, unless it fails; return whether not."""
        self.loops.append(self.run("-c", SPIN)[0])
        seconds, status = self.run("-m", "rulelang", command, str(self.folder), given=given)
        if status == 0 or command == "test":
            for figure in figures:
                self.seconds.setdefault(figure, []).append(seconds)
        return status == 0

    def restored(self, command: str, *figures: str) -> bool:
        """Run a command with the cache as it was when it was kept."""
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.kept, self.cache)
        return self.rulelang(command, *figures)

    def from_nothing(self, rounds: int) -> None:
        """Measure `check` and `test` without a cache, keep what they leave, and measure them with nothing new."""
        for _ in range(rounds):
            for command in ("test", "check"):
                shutil.rmtree(self.cache, ignore_errors=True)
                self.rulelang(command, f"{command}, from nothing")
        self.rulelang("test")
        self.rulelang("play", given="quit\n")
        shutil.copytree(self.cache, self.kept)
        for _ in range(max(3, rounds)):
            self.rulelang("check", "check, nothing new")
            self.rulelang("test", "test, nothing new")
            self.rulelang("play", "play, to the prompt", given="quit\n")

    def after(self, sort: str, edit: Edit) -> bool:
        """Measure the commands after an edit, if it passes the check; return whether it does."""
        path, text = edit
        former = path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        variants, away = self.folder / "variants", self.folder.parent / "variants"
        with suppress(OSError):
            variants.rename(away)
        said_nothing = sort == "comment"
        passes = self.restored("check", *(() if said_nothing else ("check, base", f"check, base, {sort}")))
        with suppress(OSError):
            away.rename(variants)
        if passes:
            self.restored("check", "check, comment" if said_nothing else "check, with variants")
            self.restored("test", *(("test",) if not said_nothing else ()), f"test, {sort}")
        path.write_text(former, encoding="utf-8")
        return passes

    def living(self, some: Sequence[Edit]) -> None:
        """Measure what a process that stays needs for the findings of rules and YAML after each edit."""
        texts = [(path, new) for path, text in some for new in (text, path.read_text(encoding="utf-8"))]
        lines = "\n".join(repr((str(path), text)) for path, text in texts)
        command = [sys.executable, "-c", FIRST_WAVE, str(self.folder)]
        done = subprocess.run(command, input=lines, text=True, capture_output=True, env=self.environment, check=True)
        self.seconds["first wave, living"] = [float(line) for line in done.stdout.split()][2:]

    def table(self) -> str:
        """Return the table: seconds, seconds where the loop takes `LOOP`, the aim."""
        loop = median(self.loops)
        tests = self.seconds.get("test", ())
        if len(tests) > 1:
            self.seconds["test, 95 of 100"] = [quantiles(tests, n=20, method="inclusive")[-1]]
        rows = [f"{'':28} {'median':>7} {'scaled':>7} {'aim':>6} {'n':>4}   (loop {loop:.3f} s)"]
        for name in (*AIMS, *sorted({*self.seconds} - {*AIMS})):
            if some := self.seconds.get(name):
                seconds, aim = median(some), AIMS.get(name)
                late = "" if aim is None or seconds * LOOP / loop <= aim else "  over"
                rows.append(f"{name:28} {seconds:7.2f} {seconds * LOOP / loop:7.2f} {aim or '':>6} {len(some):4}{late}")
        return "\n".join(rows)


@click.command()
@click.argument("name", default="ldd")
@click.option("--edits", "number", default=3, help="Edits of each sort.")
@click.option("--rounds", default=1, help="Runs from nothing.")
@click.option("--only", default="", help="Sorts of edits, with commas between them.")
@click.option("--seed", default=36)
def main(name: str, number: int, rounds: int, only: str, seed: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as place:
        measured, draw, began = Measured(Path(place), name), random.Random(seed), time.monotonic()
        measured.from_nothing(rounds)
        for sort in only.split(",") if only else SORTS:
            passed = 0
            for edit, _ in zip(edits(measured.folder, sort, draw), range(10 * number), strict=False):
                passed += measured.after(sort, edit)
                if passed == number:
                    break
        rules = ("figure", "card", "body", "word")
        measured.living([next(edits(measured.folder, sort, draw)) for sort in rules for _ in range(number)])
        click.echo(f"{measured.table()}\n{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
