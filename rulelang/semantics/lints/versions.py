"""Files of an older version of the language."""

from __future__ import annotations

from rulelang.diagnostics import Diagnostics
from rulelang.semantics.lints.facts import Facts


def lint_versions(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report once that a ruleset has files of an older version."""
    ruleset = facts.checked.ruleset
    if ruleset.former.source is not None:
        message = f"this says version {ruleset.version} of the language, which the next release does not read"
        hint = f"`rulelang upgrade {ruleset.layers[-1].shown}` rewrites it"
        diagnostics.warning("version-old", message, ruleset.former, hint)
