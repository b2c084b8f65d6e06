"""Visibility: what a seat is asked, and whether it is asked, depends only on what it sees."""

from __future__ import annotations

from tests.semantics.case import Case, Check


def turns(body: str, more: str = "") -> Case:
    """A game in which each player in turn does `body`."""
    return Case("play:\n  for p in players:\n    turn of p:\n" + "".join(f"      {line}\n" for line in body.split("\n")) + more)


CHECKS = (
    Check(
        "visibility-leak",
        (
            # choosing from where one does not see
            turns("let c = choose one of next.hand  #!"),
            turns("let c = choose one of mirror  #!"),
        ),
        turns("let c = choose one of hand"),
    ),
)
