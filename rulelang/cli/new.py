"""`rulelang new`: a ruleset to start from: a small, complete one, or a copy of a shipped one."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

import click

from rulelang.cli.common import guarded
from rulelang.cli.files import make_folder
from rulelang.cli.output import put
from rulelang.diagnostics import UsageError
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.files import ruleset_names

NAME = re.compile(r"[a-z][a-z0-9_]*")

SKELETON = Path(__file__).parent / "skeleton"
"""The files of a new ruleset; in their texts `$name` and `$title` stand for its name and title, `NAME` in a path."""


def skeleton(name: str) -> dict[str, str]:
    """Return the files of a new ruleset of this name: path in its folder -> text."""
    fields = {"name": name, "title": name.replace("_", " ").capitalize()}
    files = {file.relative_to(SKELETON).as_posix(): file.read_text("utf-8") for file in sorted(SKELETON.rglob("*.*"))}
    return {path.replace("NAME", name): Template(text).substitute(fields) for path, text in files.items()}


def copied(base: str, name: str) -> dict[str, str | bytes]:
    """Return the files of a shipped ruleset under another name: path in its folder -> content. Its variants extend the
    copy.

    Raises:
        UsageError: no such game is shipped.
    """
    shipped = shipped_rulesets()
    if base not in ruleset_names(shipped) or "/" in base:
        names = ", ".join(own for own in ruleset_names(shipped) if "/" not in own)
        raise UsageError(f"no game `{base}` is shipped; there are {names}")
    folder = shipped / base
    files = {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*.*")) if file.is_file()
    }
    named = re.compile(rf"^(name|extends): {re.escape(base)}(?=\s|$)".encode(), re.MULTILINE)
    return {
        path: named.sub(rb"\1: " + name.encode(), data) if path.endswith("ruleset.yaml") else data
        for path, data in files.items()
    }


def make(folder: Path, base: str = "") -> None:
    """Make a folder with a ruleset that is called like it.

    Args:
        base: a shipped game, which is copied; "": a small, complete ruleset.

    Raises:
        UsageError: it can't be called so, or can't be made.
    """
    if NAME.fullmatch(folder.name) is None:
        plain = re.sub(r"\W+", "_", folder.name.lower()).strip("_")
        near = re.sub(r"^(\d+)_?(.*)$", r"\2_\1", plain).strip("_")
        hint = f"; did you mean `{near}`?" if NAME.fullmatch(near) else ""
        raise UsageError(
            f"`{folder.name}` can't name a ruleset: use small letters, digits and _, beginning with a letter{hint}"
        )
    make_folder(folder, copied(base, folder.name) if base else skeleton(folder.name))


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--copy", "base", default="", metavar="GAME", help="Copy a shipped game, such as `reco`.")
@guarded
def new(name: str, base: str) -> None:
    """Make a folder NAME with a small, complete ruleset to start from, or with a copy of a shipped game."""
    folder = Path(name)
    make(folder, base)
    put(f"{folder}: try `rulelang check {folder}`, `rulelang test {folder}` and `rulelang play {folder}`")
