"""`rulelang new`: a small, complete ruleset to start from."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

import click

from rulelang.cli.common import guarded
from rulelang.cli.files import make_folder
from rulelang.cli.output import put
from rulelang.diagnostics import UsageError

NAME = re.compile(r"[a-z][a-z0-9_]*")

SKELETON = Path(__file__).parent / "skeleton"
"""The files of a new ruleset; in their texts `$name` and `$title` stand for its name and title, `NAME` in a path."""


def skeleton(name: str) -> dict[str, str]:
    """Return the files of a new ruleset of this name: path in its folder -> text."""
    fields = {"name": name, "title": name.replace("_", " ").capitalize()}
    files = {file.relative_to(SKELETON).as_posix(): file.read_text("utf-8") for file in sorted(SKELETON.rglob("*.*"))}
    return {path.replace("NAME", name): Template(text).substitute(fields) for path, text in files.items()}


@click.command()
@click.argument("name", metavar="NAME")
@guarded
def new(name: str) -> None:
    """Make a folder NAME with a small, complete ruleset to start from."""
    folder = Path(name)
    if NAME.fullmatch(folder.name) is None:
        raise UsageError(f"`{folder.name}` can't name a ruleset: use small letters, digits and _")
    make_folder(folder, skeleton(folder.name))
    put(f"{folder}: try `rulelang check {folder}`, `rulelang test {folder}` and `rulelang play {folder}`")
