"""What one ruleset declares otherwise than another: rows that are added, changed or removed, and rules.

Enters: two rulesets as written. Leaves: a `Change` for each row and each declaration of a rule that differs. Words,
texts for people, the citations of rows and declarations, and places are left out: they change no game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any

from rulelang.diagnostics import Diagnostics, Span
from rulelang.ruleset.model import Text, Word, WrittenRuleset, plain_text
from rulelang.semantics.typing.declarations import parsed_file
from rulelang.semantics.typing.overlays import key_of
from rulelang.syntax import print_node

SECTIONS = (
    "players", "limits", "teams", "automata", "options", "types", "resources", "grids", "kinds", "pieces", "zones",
    "variables", "marks", "positions",
)  # fmt: skip
_NOT_PLAYED = {
    "kind", "id", "name", "span", "kind_span", "places", "cites", "provenance", "words", "text", "shown", "left_out",
    "opposite",
}  # fmt: skip
"""Fields of rows that name the row, say where it stands, or are for people."""
_UNNAMED = {"attributes", "values", "cells", "classes"}
"""Fields whose members are named without them: `cost`, not `attributes.cost`."""


@dataclass(frozen=True)
class AttributeChange:
    """An attribute as the first and as the second ruleset has it; None where it is not there."""

    name: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class Change:
    """A row, or a declaration of a rule, that differs.

    Attributes:
        change: `added`, `changed` or `removed`.
        section: of the YAML; `rules` for a declaration. kind: of a piece, or what is declared (`function`), else empty.
        id: the row's id or name; of a declaration without a name its first line.
        attributes: those that differ; of a declaration `rules`, its text.
    """

    change: str
    section: str
    kind: str
    id: str
    attributes: tuple[AttributeChange, ...]


Row = tuple[str, str, str]
"""Section, kind, id."""


def differences(first: WrittenRuleset, second: WrittenRuleset) -> tuple[Change, ...]:
    """Return the changes of the declarations from the first ruleset to the second, section by section."""
    old, new = _rows(first) | _rules(first), _rows(second) | _rules(second)
    changes = []
    for row in sorted({**old, **new}, key=lambda row: (*SECTIONS, "rules").index(row[0])):
        before, after = old.get(row, {}), new.get(row, {})
        attributes = tuple(
            AttributeChange(name, before.get(name), after.get(name))
            for name in {**before, **after}
            if before.get(name) != after.get(name)
        )
        if attributes or (row in old) != (row in new):
            change = "changed" if row in old and row in new else "added" if row in new else "removed"
            changes.append(Change(change, *row, attributes))
    return tuple(changes)


def declared(ruleset: WrittenRuleset) -> dict[str, str]:
    """Return what a ruleset declares: section, kind and id of each row and declaration -> digest of what it means."""
    return {
        " ".join(filter(None, dict.fromkeys(row))): sha256(repr(attributes).encode()).hexdigest()
        for row, attributes in (_rows(ruleset) | _rules(ruleset)).items()
    }


def identity(ruleset: WrittenRuleset) -> str:
    """Return the digest of what a ruleset means, 64 hex digits: of its name and of what it declares, rows in their
    order, rules in any. Comments, layout, words, citations and how it is spread over files change nothing of it."""
    rows, rules = list(_rows(ruleset, stated=True).items()), sorted(_rules(ruleset).items())
    return sha256(repr((ruleset.name, rows, rules)).encode()).hexdigest()


def _rows(ruleset: WrittenRuleset, stated: bool = False) -> dict[Row, dict[str, str]]:
    """Return the attributes of all rows of the YAML; `stated`: but those that are as if nothing had been said, so that
    a new field of rows makes no ruleset another one."""
    rows_of: dict[Row, dict[str, str]] = {}
    for section in SECTIONS:
        rows = getattr(ruleset, section)
        if not _is_rows(rows):
            path = "" if is_dataclass(rows) else section
            rows_of[section, "", section] = dict(_attributes(path, rows, stated))
            continue
        for row in rows:
            kind, id_ = (row.kind, row.id) if section == "pieces" else ("", row.name)
            rows_of[section, kind, id_] = dict(_attributes("", row, stated))
    return rows_of


def _attributes(path: str, value: Any, stated: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the named texts in a row, or in a part of one; `stated`: not those that are what is meant without them."""
    if isinstance(value, Text):
        yield path, value.text.strip()
    elif isinstance(value, Word) or value is None or value in ("", (), {}):
        return
    elif is_dataclass(value):
        for field in fields(value):
            part = getattr(value, field.name)
            if field.name in _UNNAMED and (isinstance(part, Mapping) or _is_rows(part)):
                yield from _attributes(path, part, stated)
            elif field.name not in _NOT_PLAYED and not (stated and part == field.default):
                yield from _attributes(_below(path, field.name), part, stated)
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _attributes(_below(path, str(key)), part, stated)
    elif _is_rows(value):
        names = [getattr(part, "name", str(number)) for number, part in enumerate(value, 1)]
        for name, part in zip(names, value, strict=True):
            yield from _attributes(_below(path, name), part, stated)
        yield _below(path, "order"), ", ".join(names)
    else:
        yield path, _plain(value)


def _below(path: str, name: str) -> str:
    """Return the path of a member."""
    return f"{path}.{name}" if path else name


def _is_rows(value: Any) -> bool:
    """Return whether this is a tuple of rows, not of plain values."""
    return isinstance(value, tuple) and bool(value) and is_dataclass(value[0])


def _plain(value: Any) -> str:
    """Return a value as text; of a name with its place, the name."""
    if isinstance(value, frozenset):
        return ", ".join(sorted(map(_plain, value)))
    if isinstance(value, tuple):
        named = [part for part in value if not isinstance(part, Span)]
        parts = [part[0] if isinstance(part, tuple) and isinstance(part[0], str) else part for part in named]
        return ", ".join(_plain(part) for part in parts)
    return plain_text(value)


def _rules(ruleset: WrittenRuleset) -> dict[Row, dict[str, str]]:
    """Return the declarations of all rule files; of two of one name, the one in the higher layer."""
    rules: dict[Row, dict[str, str]] = {}
    for file in sorted(ruleset.rule_files, key=lambda file: file.layer):
        for cited in parsed_file(file, Diagnostics()):
            uncited: dict[str, Any] = {"citations": ()} if hasattr(cited, "citations") else {}
            declaration = replace(cited, **uncited)
            text, key = print_node(declaration), key_of(declaration)
            if key is not None:
                rules["rules", text.split(maxsplit=1)[0].rstrip(":"), key[-1]] = {"rules": text}
            else:  # what has no name stands beside others that begin alike
                row = "rules", "", text.partition("\n")[0].rstrip(":")
                rules[row] = {"rules": "\n".join([*rules.get(row, {}).values(), text])}
    return rules
