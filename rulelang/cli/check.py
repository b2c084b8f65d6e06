"""`rulelang check`: everything that can be known without playing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice

import click

from rulelang.cli.common import FAULT, USAGE, format_option, guarded, overlay_option
from rulelang.cli.output import put, put_json, say
from rulelang.cli.report import as_text, reading_on, show
from rulelang.diagnostics import Diagnostic, Diagnostics, UsageError, counted

MOST_SHOWN = 20
"""Errors shown of a ruleset that is watched."""


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@overlay_option
@click.option("--strict", is_flag=True, help="List what the rulebook says and nothing cites; warnings are faults too.")
@click.option("--no-cache", "afresh", is_flag=True, help="Check all of it, also what was found faultless before.")
@click.option("--watch", "watching", is_flag=True, help="Check again whenever a file changes, until Ctrl-C.")
@format_option("json", "sarif")
@guarded
def check(
    paths: tuple[str, ...], overlays: tuple[str, ...], strict: bool, afresh: bool, watching: bool, form: str
) -> int:
    """Check rulesets: all that can be known without playing, the texts of their scenarios included.

    Variants in a ruleset's own folder, under `variants/`, are checked with it; with --overlay they are not.
    """
    if not watching:
        return _report(paths, overlays, strict, form, not afresh)
    if form != "text":
        raise UsageError("`--watch` prints text for people: it goes without `--format`")
    from rulelang.cli.watch import watch

    watch(
        lambda: _report(paths, overlays, strict, form, not afresh),
        lambda: with_variants(paths, overlays),
        overlays,
    )
    return 0


def _report(paths: tuple[str, ...], overlays: tuple[str, ...], strict: bool, form: str, remembering: bool) -> int:
    """Check once and print the findings, those of a ruleset before its variants are checked; return the exit
    status."""
    from rulelang.memory.check import check as check_ruleset

    diagnostics = Diagnostics()
    shown: list[Diagnostic] = []
    for path in with_variants(paths, overlays):
        checked = check_ruleset(path, overlays, strict, remembering)
        diagnostics.extend(checked)
        if form == "text" and not len(checked):
            put(f"{path}: ok")
        elif form == "text":
            new = [finding for finding in diagnostics if finding not in shown]
            show(new, sys.stdout)
            shown += new
    findings = list(diagnostics)
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = sum(finding.severity == "warning" for finding in findings)
    ok = not errors and not (strict and warnings)
    if form == "json":
        put_json({"diagnostics": [finding.to_json() for finding in findings], "ok": ok})
    elif form == "sarif":
        from rulelang import __version__
        from rulelang.cli.sarif import sarif

        put_json(sarif(findings, __version__))
    if findings:
        counts = f"{counted(errors, 'error')}, {counted(warnings, 'warning')}"
        say(f"{counts}; {reading_on(findings)}")
    if any(finding.code == "ruleset-not-found" for finding in findings):
        return USAGE
    return 0 if ok else FAULT


def faults(path: str) -> str:
    """Return the errors of a ruleset and the variants in its folder, as `check` words them; empty if there are none."""
    from rulelang.memory.check import check as check_ruleset

    findings = [finding for each in with_variants((path,), ()) for finding in check_ruleset(each, ())]
    errors = dict.fromkeys(as_text(finding) for finding in findings if finding.severity == "error")
    more = [f"… {len(errors) - MOST_SHOWN}"] if len(errors) > MOST_SHOWN else []
    return "\n".join([*islice(errors, MOST_SHOWN), *more])


def with_variants(paths: tuple[str, ...], overlays: tuple[str, ...]) -> Iterator[str]:
    """Yield each path, followed by the variants in its folder."""
    from rulelang.ruleset.files import find_folder, variant_names

    for path in paths:
        yield path
        folder = find_folder(path, Diagnostics()) if not overlays else None
        for name in variant_names(folder) if folder is not None else ():
            inside = f"{path.rstrip('/')}/{name}"
            if inside not in paths and f"{path.rstrip('/')}/variants/{name}" not in paths:
                yield inside
