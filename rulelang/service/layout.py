"""Rules in the one layout, as changes of lines.

Enters: a text as it stands in an editor. Leaves: for each stretch of lines what stands there instead.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import SequenceMatcher

from rulelang.diagnostics import Diagnostics, RulesetError, Source
from rulelang.ruleset.rule_blocks import rule_blocks, with_blocks
from rulelang.syntax import format_rule_text, format_source
from rulelang.syntax.scan import Place


def format_text(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return a `.rule` or YAML file with its rules in the one layout; None, with findings, if they have syntax
    errors."""
    if source.path.endswith(".rule"):
        try:
            return format_source(source.text)
        except RulesetError as error:
            for finding in error.diagnostics:
                diagnostics.add(replace(finding, span=replace(finding.span, source=source)))
            return None
    texts = {}
    for block in rule_blocks(source, diagnostics):
        place = Place.of(block.text.span, block.text.indent)
        text = format_rule_text(place, block.text.text, block.piece, diagnostics)
        if text is None:
            return None
        texts[block] = text
    return with_blocks(source, texts)


def formatted(source: Source, lines: tuple[int, int] | None = None) -> list[tuple[int, int, str]]:
    """Return changes: the first line (from 1), the line behind the last, the text instead.

    Args:
        lines: first and last line that may change; None for all.
    """
    text = format_text(source, Diagnostics())
    if text is None:
        return []
    old, new = list(source.lines), text.split("\n")
    low, high = lines or (1, len(old))
    changes = []
    for tag, first, end, new_first, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal" and low <= first + 1 and end <= high:
            changes.append((first + 1, end + 1, "".join(f"{line}\n" for line in new[new_first:new_end])))
    return changes
