"""`rulelang fmt`: the one layout of `.rule` files."""

from __future__ import annotations

from pathlib import Path

import click

from rulelang.cli.common import FAULT, guarded, say
from rulelang.diagnostics import Diagnostic, Diagnostics, RulesetError, Source, Span


@click.command()
@click.argument("path", metavar="PATH")
@click.option("--check", "check_only", is_flag=True, help="Change nothing; say which files would change.")
@guarded
def fmt(path: str, check_only: bool) -> int:
    """Bring the .rule files of a ruleset folder (or one file) into the one layout."""
    from rulelang.ruleset.files import read_file, shown

    diagnostics = Diagnostics()
    changed = 0
    for file in _files(path):
        source = read_file(file, file.parent, diagnostics)
        if source is None:
            continue
        text = _formatted(source, diagnostics)
        if text is None or file.read_bytes() == text.encode():
            continue
        changed += 1
        click.echo(f"{shown(file)}: {'would be changed' if check_only else 'changed'}")
        if not check_only:
            file.write_text(text, encoding="utf-8", newline="\n")
    if diagnostics.has_errors:
        raise RulesetError(diagnostics)
    if check_only and changed:
        say(f"{changed} file{'s' * (changed != 1)} not in the one layout")
        return FAULT
    return 0


def _files(path: str) -> list[Path]:
    """The `.rule` files that are meant, as real paths."""
    given = Path(path)
    if given.is_file() and given.suffix == ".rule":
        return [given.resolve()]
    diagnostics = Diagnostics()
    from rulelang.ruleset.files import find_folder

    folder = find_folder(path, diagnostics)
    if folder is None:
        raise RulesetError(diagnostics)
    found = sorted(folder.glob("*.rule"))
    if not found:
        say(f"there is no .rule file in {path}, so there is nothing to do")
    return found


def _formatted(source: Source, diagnostics: Diagnostics) -> str | None:
    """The text in the one layout; None when it can't be parsed, with findings that name the file."""
    from rulelang.syntax import format_source

    try:
        return format_source(source.text)
    except RulesetError as error:
        for found in error.diagnostics:
            s = found.span
            place = Span(source, s.line, s.column, s.end_line, s.end_column)
            diagnostics.add(Diagnostic(found.severity, found.code, found.message, place, found.hint))
        return None
