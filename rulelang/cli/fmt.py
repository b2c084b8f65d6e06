"""`rulelang fmt`: the one layout of rules, in `.rule` files and in the `rules: |` blocks of YAML files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from rulelang.cli.common import FAULT, guarded
from rulelang.cli.files import write_whole
from rulelang.cli.output import put, say
from rulelang.diagnostics import Diagnostics, RulesetError, Source, counted
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

    diagnostics = Diagnostics()
    changed = 0
    for file in dict.fromkeys(file for path in paths for file in _files(path)):
        source = read_file(file, file.parent, diagnostics)
        if source is None:
            continue
        text = _rules(source, diagnostics) if file.suffix == ".rule" else _blocks(source, diagnostics)
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


def _rules(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return the formatted text of a `.rule` file; None, with findings that name the file, if it has syntax errors."""
    from rulelang.syntax import format_source

    try:
        return format_source(source.text)
    except RulesetError as error:
        for finding in error.diagnostics:
            diagnostics.add(replace(finding, span=replace(finding.span, source=source)))
        return None


def _blocks(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return the text of a YAML file with its blocks of rules formatted; None if one has syntax errors."""
    from rulelang.ruleset.rule_blocks import rule_blocks, with_blocks
    from rulelang.syntax import format_rule_text
    from rulelang.syntax.scan import Place

    texts = {}
    for block in rule_blocks(source, diagnostics):
        place = Place.of(block.text.span, block.text.indent)
        text = format_rule_text(place, block.text.text, block.piece, diagnostics)
        if text is None:
            return None
        texts[block] = text
    return with_blocks(source, texts)
