"""`rulelang fmt`: the one layout of rules, in `.rule` files and in the `rules: |` blocks of YAML files."""

from __future__ import annotations

from pathlib import Path

import click

from rulelang.cli.common import FAULT, guarded
from rulelang.cli.files import write_whole
from rulelang.cli.output import put, say
from rulelang.diagnostics import Diagnostics, RulesetError, counted
from rulelang.inputs import read_input
from rulelang.limits import FILE_BYTES

SUFFIXES = (".rule", ".yaml")


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("--check", "check_only", is_flag=True, help="Change nothing; say which files would change.")
@guarded
def fmt(paths: tuple[str, ...], check_only: bool) -> int:
    """Bring rules into the one layout: the `.rule` files of a folder and the `rules: |` blocks of its YAML.

    Each PATH is a ruleset or variant folder, or one file of it.
    """
    from rulelang.ruleset.files import display_path, read_file
    from rulelang.service.layout import format_text

    diagnostics = Diagnostics()
    changed = 0
    for file in dict.fromkeys(file for path in paths for file in _files(path)):
        source = read_file(file, file.parent, diagnostics)
        if source is None:
            continue
        text = format_text(source, diagnostics)
        if text is None or read_input(file, FILE_BYTES) == text.encode():
            continue
        if not check_only:
            write_whole(file, text)
        changed += 1
        put(f"{display_path(file)}: {'would be changed' if check_only else 'changed'}")
    if diagnostics.has_errors:
        raise RulesetError(diagnostics)
    if check_only and changed:
        say(f"{counted(changed, 'file')} not in the one layout")
        return FAULT
    return 0


def _files(path: str) -> list[Path]:
    """Return the files of a folder, or the one file, to be formatted.

    Raises:
        RulesetError: there is no such ruleset.
    """
    from rulelang.ruleset.files import find_folder

    named = Path(path)
    if named.is_file() and named.suffix in SUFFIXES:
        return [named.resolve()]
    diagnostics = Diagnostics()
    folder = find_folder(path, diagnostics)
    if folder is None:
        raise RulesetError(diagnostics)
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
