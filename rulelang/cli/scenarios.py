"""`rulelang test`: a ruleset's own scenarios."""

from __future__ import annotations

import click

from rulelang.cli.common import FAULT, backend_option, guarded, json_option, loaded, overlay_option, path_argument
from rulelang.cli.output import put, put_json


@click.command()
@path_argument
@overlay_option
@backend_option
@json_option
@guarded
def test(path: str, overlays: tuple[str, ...], backend: str, form: str) -> int:
    """Run a ruleset's own scenarios: given, when, then."""
    from rulelang.scenarios import run_scenarios

    results = []
    for result in run_scenarios(loaded(path, overlays), backend):
        results.append(result)
        if form == "text":
            put(f"{'ok  ' if result.ok else 'FAIL'} {result.name}")
            if not result.ok:
                put(f"     {result.file}:{result.line}: " + result.message.replace("\n", "\n     "))
    passed = sum(result.ok for result in results)
    failed = len(results) - passed
    if form == "json":
        put_json({"passed": passed, "failed": failed, "scenarios": [result.to_json() for result in results]})
    else:
        put(f"{passed} passed, {failed} failed" if results else "there are no scenarios")
    return FAULT if failed else 0
