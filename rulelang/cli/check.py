"""`rulelang check`: everything that can be known without playing."""

from __future__ import annotations

from pathlib import Path

import click

from rulelang.cli.common import FAULT, USAGE, format_option, guarded, overlay_option, print_json, say
from rulelang.cli.report import as_text, sarif
from rulelang.diagnostics import Diagnostics


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@overlay_option
@click.option("--strict", is_flag=True, help="Warnings are faults too.")
@format_option("json", "sarif")
@guarded
def check(paths: tuple[str, ...], overlays: tuple[str, ...], strict: bool, form: str) -> int:
    """Check rulesets: all that can be known without playing, the texts of their scenarios included."""
    diagnostics = Diagnostics()
    for path in paths:
        found = _check(path, overlays)
        diagnostics.extend(found)
        if form == "text" and not len(found):
            click.echo(f"{path}: ok")
    findings = list(diagnostics)
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = sum(finding.severity == "warning" for finding in findings)
    ok = not errors and not (strict and warnings)
    if form == "json":
        print_json({"diagnostics": [finding.to_json() for finding in findings], "ok": ok})
    elif form == "sarif":
        from rulelang import __version__

        print_json(sarif(findings, __version__))
    else:
        for finding in findings:
            click.echo(as_text(finding))
    if findings:
        say(f"{errors} error{'s' * (errors != 1)}, {warnings} warning{'s' * (warnings != 1)}")
    if any(finding.code == "ruleset-not-found" for finding in findings):
        return USAGE
    return 0 if ok else FAULT


def _check(path: str, overlays: tuple[str, ...]) -> Diagnostics:
    """All findings; what was found faultless before is not looked at again."""
    from rulelang.programs import is_known_good, remember_good
    from rulelang.ruleset.loader import load_ruleset

    diagnostics = Diagnostics()
    ruleset = load_ruleset(path, overlays, diagnostics=diagnostics)
    if ruleset is None or (not len(diagnostics) and is_known_good(ruleset)):
        return diagnostics
    from rulelang.ruleset.scenarios import load_scenarios
    from rulelang.semantics.check import check_shared
    from rulelang.semantics.scenarios import check_scenarios

    shared = check_shared(ruleset, diagnostics)
    scenarios = load_scenarios(Path(ruleset.root), diagnostics)
    if shared is not None:
        for code in check_scenarios(shared, scenarios):
            diagnostics.extend(code.diagnostics)
    if not len(diagnostics):
        remember_good(ruleset)
    return diagnostics
