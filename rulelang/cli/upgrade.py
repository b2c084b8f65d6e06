"""`rulelang upgrade`: files of version 1 of the language become files of version 2."""

from __future__ import annotations

import sys
from difflib import unified_diff
from pathlib import Path

import click

from rulelang.cli.check import with_variants
from rulelang.cli.common import FAULT, guarded, overlay_option
from rulelang.cli.files import write_whole
from rulelang.cli.output import put, say
from rulelang.cli.report import show
from rulelang.diagnostics import counted


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@overlay_option
@click.option("--diff", "as_diff", is_flag=True, help="Change nothing; print what would change.")
@click.option("--check", "check_only", is_flag=True, help="Change nothing; say which files would change.")
@guarded
def upgrade(paths: tuple[str, ...], overlays: tuple[str, ...], as_diff: bool, check_only: bool) -> int:
    """Rewrite rulesets of version 1 of the language in version 2, in place, and list what can't be.

    Each PATH is the folder of a ruleset or of a variant; variants in a ruleset's own folder are rewritten with it.
    """
    from rulelang.ruleset.files import display_path
    from rulelang.upgrade import upgraded

    upgrades = [upgraded(path, overlays) for path in with_variants(paths, overlays)]
    texts: dict[Path, str] = {file: text for each in upgrades for file, text in each.texts.items()}
    for file, text in texts.items():
        shown = display_path(file)
        if as_diff:
            before = file.read_text(encoding="utf-8").splitlines()
            for line in unified_diff(before, text.splitlines(), shown, shown, lineterm=""):
                put(line)
            continue
        if not check_only:
            is_dos = b"\r\n" in file.read_bytes()
            write_whole(file, text.replace("\n", "\r\n") if is_dos else text)
        put(f"{shown}: {'would be changed' if check_only else 'changed'}")
    left = [finding for each in upgrades for finding in each.left]
    show(left, sys.stderr)
    if left:
        say(f"{counted(len(left), 'place')} not rewritten")
    return FAULT if left or (check_only and texts) else 0
