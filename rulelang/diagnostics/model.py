"""A finding about a ruleset, and a collector of findings."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from rulelang.diagnostics.names import EVERYBODY, OwnNames
from rulelang.diagnostics.source import NOWHERE, Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Diagnostic:
    """One finding: a stable code such as `type-mismatch`, words for the author, and where."""

    severity: Severity
    code: str
    message: str
    span: Span = NOWHERE
    hint: str = ""
    related: tuple[tuple[Span, str], ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the finding as a dictionary with the keys of `rulelang check --format json`."""
        return {
            "file": self.span.path,
            "line": self.span.line,
            "column": self.span.column,
            "end_line": self.span.end_line,
            "end_column": self.span.end_column,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "related": [
                {"file": span.path, "line": span.line, "column": span.column, "message": words}
                for span, words in self.related
            ],
        }

    def __str__(self) -> str:
        return f"{self.span}: {self.severity}[{self.code}]: {self.message}"


FOLDED = frozenset({"attribute-unknown", "name-unknown", "type-unknown", "zone-order"})
"""Findings of which many may have one cause."""
MOST_PLACES = 3
"""So many places are shown of what is found in several."""


class Diagnostics:
    """Findings in the order they were made; equal ones are kept once, as are those that differ only in which of the
    names of `ignored_names` they say. Hints are told in the `names` of the ruleset."""

    ignored_names: Collection[str] = ()

    def __init__(self, names: OwnNames = EVERYBODY) -> None:
        self.names = names
        self._findings: dict[tuple[str, str, int, int, str], Diagnostic] = {}

    def copy(self) -> Diagnostics:
        """Return a copy to which findings can be added; this one stays unchanged."""
        other = Diagnostics(self.names)
        other.ignored_names, other._findings = self.ignored_names, dict(self._findings)
        return other

    def add(self, finding: Diagnostic) -> None:
        """Add a finding unless an equal one (code, place, message without `ignored_names`) is there already."""
        s = finding.span
        if (hint := self.names.told(finding.hint)) != finding.hint:
            finding = replace(finding, hint=hint)
        message = re.sub(r"`(\w+)`", lambda m: "" if m[1] in self.ignored_names else m[0], finding.message)
        self._findings.setdefault((finding.code, s.path, s.line, s.column, message), finding)

    def error(
        self, code: str, message: str, span: Span, hint: str = "", related: Iterable[tuple[Span, str]] = ()
    ) -> None:
        """Add a finding of severity `error`; `related` are further places, each with a note."""
        self.add(Diagnostic("error", code, message, span, hint, tuple(related)))

    def warning(
        self, code: str, message: str, span: Span, hint: str = "", related: Iterable[tuple[Span, str]] = ()
    ) -> None:
        """Add a finding of severity `warning`; `related` are further places, each with a note."""
        self.add(Diagnostic("warning", code, message, span, hint, tuple(related)))

    def extend(self, findings: Iterable[Diagnostic]) -> None:
        for finding in findings:
            self.add(finding)

    def revise(self, change: Callable[[Diagnostic], Diagnostic]) -> None:
        """Replace each finding by what `change` returns for it, such as the same finding with another hint."""
        self._findings = {key: change(finding) for key, finding in self._findings.items()}

    def fold(self) -> None:
        """Join errors that have one cause: several of a code with the same hint about the same name become one, and so
        do those of a line in the same words.

        It stands where what they are about is declared, if they say where that is in `related`, else at the first of
        them. Those about a declaration whose own line has an error of another code are dropped.
        """
        at_fault = {(d.span.path, d.span.line): d.code for d in self if d.severity == "error"}
        groups: dict[tuple[str, ...], list[Diagnostic]] = {}
        for d in self:
            if d.code in FOLDED and (d.related or d.hint.startswith(("did you mean", "add `"))):
                groups.setdefault((d.code, *re.findall("`.*?`", d.message)[-1:], d.hint), []).append(d)
        dropped, joined = set[Diagnostic](), []
        said = dict[tuple[object, ...], Diagnostic]()
        for d in self:
            if said.setdefault((d.code, d.message, d.hint, d.span.path, d.span.line), d) is not d:
                dropped.add(d)
        # A name in other capitals where it is declared: that others are called so follows from it.
        named = {
            d.message.split("`")[-2].lower(): d.hint for d in self if d.code == "type-unknown" and "`" in d.message
        }
        dropped |= {
            d
            for d in self
            if d.code in ("name-duplicate", "words-unknown")
            and (name := d.message.split("`")[1])
            and (hint := named.get(name.lower())) is not None
            and (hint == d.hint or hint.lower() == f"did you mean `{name.lower()}`?")
        }
        for first, *others in groups.values():
            cause = first.related[0][0] if first.related else first.span
            if first.related and at_fault.get((cause.path, cause.line), first.code) != first.code:
                dropped |= {first, *others}
            elif others:
                dropped |= {first, *others}
                places = [(d.span, "so it is here") for d in (first, *others) if d.span != cause]
                more = (
                    [(NOWHERE, f"and in {len(places) - MOST_PLACES} more places")] if len(places) > MOST_PLACES else []
                )
                joined.append(replace(first, span=cause, related=(*places[:MOST_PLACES], *more)))
        self._findings = {key: d for key, d in self._findings.items() if d not in dropped}
        self.extend(joined)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(sorted(self._findings.values(), key=lambda d: (d.span.path, d.span.line, d.span.column)))

    def __len__(self) -> int:
        return len(self._findings)

    @property
    def has_errors(self) -> bool:
        return any(d.severity == "error" for d in self._findings.values())


SENSES = tuple(
    frozenset(names.split())
    for names in (
        "deck draw_pile drawpile draw stock stack library pile paquet talon cards",
        "discard discards discard_pile discarded graveyard defausse",
        "hand hands hand_cards main mains jeu",
        "tableau table board field played in_play battlefield area plateau",
        "coins coin money gold cash dollars credits argent or pieces",
        "points point score scores vp vps victory_points",
        "market shop store supply display offer marche",
        "players everyone everybody joueurs",
        "player joueur joueurs each_player seat",
    )
)
"""What people call alike."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the member of `known` that is spelt most like `word`, differs in its capitals, or is of its sense; empty
    when none is similar enough."""
    known, bare = sorted(known), word.lower()
    same = (name for name in known if name.lower() == bare)
    alike = (name for names in SENSES if bare in names for name in sorted(known, key=len) if name in names)
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=0.6)), next(same, next(alike, "")))


def suggest(word: str, known: Iterable[str]) -> str:
    """Return the hint `did you mean …?` for the member of `known` nearest to `word`; empty when none is similar."""
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else ""


def counted(number: object, noun: str) -> str:
    """Return a number with the noun that it counts: `1 player`, `2 players`; a list of numbers as text has several."""
    return f"{number} {noun}{'s' * (str(number) != '1')}"


def enumerated(parts: Iterable[object], word: str = "and") -> str:
    """Return the parts as an English list: `a`, `a and b`, `a, b and c`; `word` is the conjunction."""
    *rest, last = [str(part) for part in parts] or [""]
    return f"{', '.join(rest)} {word} {last}" if rest else last
