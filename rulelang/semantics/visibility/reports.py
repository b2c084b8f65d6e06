"""Findings about secrets that are told.

Enters: labels of what all see or a seat is asked. Leaves: findings `visibility-leak`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rulelang.diagnostics import Span
from rulelang.semantics.tree import core
from rulelang.semantics.tree.shared import declared_visible, source_text
from rulelang.semantics.visibility.effects import EFFECTS
from rulelang.semantics.visibility.labelling import Walk
from rulelang.semantics.visibility.labels import Env, Key, Label

UNSHOWN = "`reveal` what it depends on first, or let a player who sees it choose"


def check_known_to(v: Walk, label: Label, seat: Key, env: Env, span: Span, what: str, choice: bool = False) -> bool:
    """Return whether the asked seat may know what a label describes; report a leak if not, the first for each decision.

    Args:
        what: the labelled thing, as the subject of the message.
        choice: whether it is what the seat chooses from, which gives another hint.
    """
    if env.knows(seat, label) or v.read is not None:
        return True
    if v.reported is not None:
        return False
    v.reported = span
    hint = "declare what it depends on visible, `reveal` it first, or ask the seat that sees it"
    if choice:
        hint = "draw blindly with `random one of …`, or let the seat that sees it choose (`… by p`)"
    v.causes |= label.why
    report_leak(v, label, span, what, "the asked seat", hint, v.shared.diagnostics.error)
    return False


def report_leak(
    v: Walk, label: Label, span: Span, what: str, whom: str, hint: str, error_or_warn: Callable[..., None]
) -> None:
    """Report that `what` depends on hidden zones or variables.

    Args:
        whom: the seat that cannot see them, in words.
        error_or_warn: the method of the diagnostics that takes the finding.
    """
    syms = sorted(label.why, key=lambda sym: (sym.span.path, sym.span.line, sym.span.column))
    named = " and ".join(f"`{sym.name}`" for sym in syms)
    of = f"{named}, which {whom} can't see" if named else f"something {whom} can't see"
    if whom == "not all":
        of = f"{named}, which not all see" if named else "a secret choice"
    message = f"{what} depends on {of}: `{source_text(span)}`"
    error_or_warn("visibility-leak", message, span, hint, [declared_visible(sym) for sym in syms])


def report_ends(v: Walk, ends: Mapping[Span, Label]) -> None:
    """Warn of ends of the game that tell a secret: where it goes on, somebody is asked."""
    for span, told in ends.items():
        what = EFFECTS[core.CEnd].what
        report_leak(v, told, span, what, "not all", UNSHOWN, v.shared.diagnostics.warning)
