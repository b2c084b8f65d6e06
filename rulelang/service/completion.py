"""What may stand at a place: names, words, attributes in rules; keys and values in YAML.

Enters: the text up to the cursor, the names of the last good analysis, the schema. Leaves: proposals.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rulelang.diagnostics import Diagnostics
from rulelang.memory.meaning import SCENARIOS
from rulelang.resources import grammar_path
from rulelang.ruleset.rule_blocks import rule_blocks
from rulelang.semantics.tree import types as ty
from rulelang.semantics.tree.core import Local
from rulelang.semantics.tree.symbols import (
    DefinitionSym,
    GroupInfo,
    KindSym,
    OptionSym,
    ProcedureSym,
    TypeSym,
    ValueSym,
    VariableSym,
    ZoneSym,
)
from rulelang.semantics.typing.builtins import FUNCTIONS, functions_of
from rulelang.semantics.typing.paths import PLAYER_SETS, attributes_of
from rulelang.service.hover import signature
from rulelang.service.names import TOKEN
from rulelang.service.outline import declared_in
from rulelang.service.project import Project, Snapshot
from rulelang.syntax.words import DECLARATION_WORDS, RESERVED_RULES, TYPE_WORDS
from rulelang.vocabulary.operations import SEAT_SETS

SORTS: dict[type, str] = {
    ProcedureSym: "function",
    GroupInfo: "function",
    VariableSym: "variable",
    ZoneSym: "variable",
    OptionSym: "constant",
    ValueSym: "value",
    TypeSym: "class",
    KindSym: "class",
    DefinitionSym: "value",
    Local: "variable",
}
"""Class of what a name stands for -> what sort of proposal it is."""
_NAMED = re.compile(r"\b(?:let|for|some)\s+([A-Za-z_]\w*)|[(,]\s*([A-Za-z_]\w*)\s*(?::|in\b|from\b|=)")
"""What gives a name within a declaration: `let x`, `for x in`, `some x =`, a parameter, what is chosen."""
_BEFORE_DOT = re.compile(r"([A-Za-z_]\w*(?:\[[^\]]*\])?(?:\.[A-Za-z_]\w*(?:\[[^\]]*\])?)*)\.\w*$")


class Proposal(NamedTuple):
    """What may be typed. `sort` is `keyword`, `function`, `variable`, `constant`, `value`, `class`, `property`."""

    label: str
    sort: str
    detail: str = ""


def complete(project: Project, path: Path, line: int, column: int) -> list[Proposal]:
    """Return what may stand at a place, counted from 1; each label once."""
    text = project.text_of(path)
    lines = text.split("\n")
    before = lines[line - 1][: column - 1] if line <= len(lines) else ""
    snapshot = project.snapshot_of(path)
    if "#" in before:
        return []
    found = _in_rules(project, snapshot, lines, line, before) if _is_rules(project, path, line) else None
    if found is None:
        found = _in_yaml(project, snapshot, path, lines, line, before)
    return list({proposal.label: proposal for proposal in found}.values())


def _is_rules(project: Project, path: Path, line: int) -> bool:
    """Return whether rules stand at a line: in a `.rule` file, or in a block of a YAML file."""
    if path.suffix == ".rule":
        return True
    blocks = rule_blocks(project.source(path), Diagnostics())
    return any(block.text.span.line <= line <= block.text.span.end_line for block in blocks)


# ---- rules -----------------------------------------------------------------------------------------


def _in_rules(
    project: Project, snapshot: Snapshot | None, lines: list[str], line: int, before: str
) -> Iterator[Proposal]:
    """Yield what may stand in rules."""
    chunk = _chunk(lines, line)
    dotted = _BEFORE_DOT.search(before)
    if dotted is not None:
        yield from _after_dot(snapshot, dotted[1], chunk)
        return
    if re.search(r"->\s*\w*$|\(\s*\w+:\s*\w*$|,\s*\w+:\s*\w*$", before):
        several = (f"{word} of" for word in sorted(TYPE_WORDS - {"set"}))
        yield from (Proposal(word, "class") for word in ("number", "bool", "player", "Direction", *several))
        yield from (p for p in _symbols(snapshot) if p.sort == "class")
        return
    if not before.strip() or not before[:1].isspace():
        yield from (Proposal(word, "keyword") for word in sorted(DECLARATION_WORDS))
    for match in _NAMED.finditer(chunk):
        yield Proposal(match[1] or match[2], "variable", "a name here")
    yield from _symbols(snapshot)
    if snapshot is None or not snapshot.is_whole:
        yield from _outlined(project)
    functions = functions_of(snapshot.analysed.checked) if snapshot is not None else FUNCTIONS
    yield from (Proposal(name, "function", "of the language") for name in functions)
    yield from (Proposal(word, "keyword") for word in sorted(RESERVED_RULES))
    yield from (Proposal(word, "constant") for word in ("you", "players", "others", "owner", "this", "it", "parties"))


def _chunk(lines: list[str], line: int) -> str:
    """Return the lines of the declaration that a line is in, up to that line."""
    first = line - 1
    while first > 0 and (lines[first][:1].isspace() or not lines[first].strip()):
        first -= 1
    return "\n".join(lines[first:line])


def _symbols(snapshot: Snapshot | None) -> Iterator[Proposal]:
    if snapshot is None:
        return
    for name, symbol in snapshot.analysed.shared.names.items():
        yield Proposal(name, SORTS.get(type(symbol), "value"), signature(snapshot, symbol))
    for kind in snapshot.analysed.checked.kinds.values():
        for row in kind.definitions if kind.identity else ():
            yield Proposal(row.id, "value", kind.name)


def _outlined(project: Project) -> Iterator[Proposal]:
    """Yield what the files declare, of a ruleset that has had errors since it was opened."""
    for path in project.files:
        for each in declared_in(project.source(path)) if path.parent.name != SCENARIOS else ():
            sort = "function" if each.sort in ("rule", "function", "quantity", "event") else "variable"
            yield Proposal(each.name, "class" if each.name[0].isupper() else sort, each.sort)


def _after_dot(snapshot: Snapshot | None, expression: str, chunk: str) -> Iterator[Proposal]:
    """Yield what stands after the dot of an expression: of its type if that can be told, else of all types."""
    if snapshot is None:
        return
    shared = snapshot.analysed.shared
    known = type_of(snapshot, expression, chunk)
    types: list[ty.Type] = [known] if known is not None else []
    if known is None:
        types = [
            ty.PLAYER,
            *(ty.PieceT(kind) for kind in shared.checked.kinds),
            *(t.type for t in shared.checked.types),
        ]
    for t in types:
        for name in attributes_of(shared, ty.bare(t)):
            yield Proposal(name, "property", f"of {t}")


def type_of(snapshot: Snapshot, expression: str, chunk: str) -> ty.Type | None:
    """Return the type of a path such as `p.hand`, as far as names and what the chunk says of them tell; else None."""
    first, *rest = [TOKEN.match(part)[0] for part in expression.split(".") if TOKEN.match(part)]  # type: ignore[index]
    of_seats = first in ("you", "owner", "next", "previous") or first in SEAT_SETS or first in PLAYER_SETS
    t: ty.Type | None = ty.PLAYER if of_seats else None
    if t is None:
        t = _type_of_symbol(snapshot, first)
    if t is None:
        locals_ = [u.named for u in snapshot.uses.found if isinstance(u.named, Local) and u.named.name == first]
        of_chunk = re.search(rf"\bfor\s+{first}\s+in\s+([\w.]+)", chunk)
        inside = type_of(snapshot, of_chunk[1], "") if of_chunk and of_chunk[1] != first else None
        t = inside if inside is not None else locals_[0].type if locals_ else None
    for name in rest:
        t = _attribute_type(snapshot, t, name)
    if isinstance(t, ty.ZoneT):
        return ty.PieceT(t.kind)
    return t.element if isinstance(t, ty.SetT) else t


def _type_of_symbol(snapshot: Snapshot, name: str) -> ty.Type | None:
    symbol = snapshot.analysed.shared.names.get(name)
    match symbol:
        case ZoneSym(kind=kind):
            return ty.ZoneT(kind)
        case VariableSym(type=t) | ValueSym(type=t) | TypeSym(type=t):
            return t
        case KindSym(name=kind):
            return ty.PieceT(kind)
        case ProcedureSym(returns=t):
            return t
    return None


def _attribute_type(snapshot: Snapshot, t: ty.Type | None, name: str) -> ty.Type | None:
    shared = snapshot.analysed.shared
    t = ty.bare(t.element) if isinstance(t, ty.SetT) else ty.bare(t) if t is not None else None
    if isinstance(t, ty.PlayerT):
        return ty.PLAYER if name in ("next", "previous", "others") else _type_of_symbol(snapshot, name)
    if isinstance(t, ty.PieceT | ty.ZoneT):
        kind = shared.checked.kinds.get(t.kind)
        variable = kind.variables.get(name) if kind is not None else None
        if variable is not None:
            return variable.type
        return kind.attributes.get(name, ty.PLAYER if name == "owner" else None) if kind is not None else None
    values = shared.values_of(t) if t is not None else None
    return values.attribute(name) if values is not None else None


# ---- YAML ------------------------------------------------------------------------------------------


@cache
def _schema(name: str) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = json.loads(grammar_path(name).read_text(encoding="utf-8"))
    return schema


def yaml_path(lines: list[str], line: int) -> list[str]:
    """Return the keys above a line by their indentation, the outermost first; `*` for an item of a list."""
    text = lines[line - 1] if line <= len(lines) else ""
    depth = len(text) - len(text.lstrip(" "))
    keys: list[str] = []
    item = text.lstrip().startswith("- ")
    if item:
        keys.append("*")
    for above in reversed(lines[: line - 1]):
        if not above.strip() or above.lstrip().startswith("#"):
            continue
        indent = len(above) - len(above.lstrip(" "))
        opened = above.lstrip()
        if opened.startswith("- ") and indent < depth:
            keys.append("*")
            depth = indent
            item = True
            continue
        match = re.match(r"(?:- )?[\"']?([\w.() \[\]-]+?)[\"']?\s*:", opened)
        if match and (indent < depth or (item and indent == depth and not opened.startswith("- "))):
            keys.append(match[1])
            depth, item = indent, False
        if depth == 0 and keys and not item:
            break
    return keys[::-1]


def _at(snapshot: Snapshot, grid: str, key: str, *, named: bool) -> Iterator[Proposal]:
    """Yield the edges or corners of a grid, as `key` says; their attributes where one is `named`."""
    for decl in snapshot.analysed.checked.ruleset.grids:
        part = decl.edges if key == "edges" else decl.corners
        if decl.name == grid and part is not None and named:
            yield from (Proposal(a.name, "property", a.type.text) for a in part.attributes if not a.board)
        elif decl.name == grid and part is not None:
            yield from (Proposal(value.name, "property", part.name) for value in part.values)


def _in_yaml(
    project: Project, snapshot: Snapshot | None, path: Path, lines: list[str], line: int, before: str
) -> Iterator[Proposal]:
    """Yield keys and values by the schema, and names where names are meant."""
    scenario = path.parent.name == SCENARIOS
    above = yaml_path(lines, line)
    value = re.search(r"(\w+)\s*:\s*(?:\[[^\]]*)?[^:{}]*$", before)
    opened = re.match(r"\s*(?:- )?([\w.-]+)\s*:\s*\{[^}]*$", before)
    above = [*above, opened[1]] if opened is not None else above
    if re.search(r"[{,]\s*\w*$", before) and "[" not in before.rpartition("{")[2]:
        value = None
    schema = _schema("scenarios.schema.json" if scenario else "ruleset.schema.json")
    if above[:1] == ["words"] and len(above) == 2 and value is None:
        yield from _word_names(snapshot)
        return
    if value is None:
        yield from (Proposal(key, "property", doc) for key, doc in _keys(schema, _below(schema, schema, above)))
        if above[:1] == ["pieces"] and len(above) >= 2 and snapshot is not None:
            kind = snapshot.analysed.checked.kinds.get(above[1])
            yield from (Proposal(a, "property", str(t)) for a, t in (kind.attributes if kind else {}).items())
        if above[:1] == ["grids"] and above[3:4] == ["at"] and snapshot is not None:
            yield from _at(snapshot, *above[1:3], named=len(above) > 4)
        return
    key = value.group(1)
    for each in _values(schema, _below(schema, schema, [*above, key])):
        yield Proposal(each, "value")
    if snapshot is None:
        return
    wanted: tuple[type, ...] = {
        "holds": (KindSym,),
        "start": (ZoneSym,),
        "refill": (ZoneSym,),
        "active": (ZoneSym,),
        "per": (TypeSym,),
        "type": (TypeSym, KindSym),
        "shown": (ProcedureSym,),
        "untold": (VariableSym, ProcedureSym),
    }.get(key, ())
    if key == "per":
        yield Proposal("player", "class")
    if key == "cites":
        yield from (Proposal(f"{source}:", "value", text) for source, text in snapshot.ruleset.sources.items())
    yield from _of_classes(snapshot, wanted)
    if not wanted and key not in ("cites", "name", "title", "text"):
        if scenario:
            yield from (Proposal(row.id, "value", row.kind) for row in snapshot.ruleset.pieces)
        yield from _symbols(snapshot)


def _of_classes(snapshot: Snapshot, classes: tuple[type, ...]) -> Iterator[Proposal]:
    for name, symbol in snapshot.analysed.shared.names.items():
        if isinstance(symbol, classes):
            yield Proposal(name, SORTS.get(type(symbol), "value"), signature(snapshot, symbol))


def _word_names(snapshot: Snapshot | None) -> Iterator[Proposal]:
    """Yield the names that there may be words for."""
    yield from _symbols(snapshot)
    for kind in snapshot.analysed.checked.kinds.values() if snapshot is not None else ():
        for name in (*kind.attributes, *kind.variables):
            yield Proposal(f"{kind.name}.{name}", "property")
    for use in snapshot.uses.found if snapshot is not None else ():
        if getattr(use.named, "what", "") in ("option", "menu", "score line") and use.declares:
            yield Proposal(str(getattr(use.named, "name", "")), "value", str(getattr(use.named, "what", "")))


def _resolved(schema: Mapping[str, Any], node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the alternatives of a part of a schema, references followed."""
    if not isinstance(node, Mapping):
        return
    if "$ref" in node:
        target: Any = schema
        for part in str(node["$ref"]).removeprefix("#/").split("/"):
            target = target[part]
        yield from _resolved(schema, target)
    for sort in ("anyOf", "oneOf", "allOf"):
        for each in node.get(sort, ()):
            yield from _resolved(schema, each)
    yield node


def _below(schema: Mapping[str, Any], node: Any, path: list[str]) -> list[Mapping[str, Any]]:
    """Return the parts of a schema that describe what stands at a path of keys."""
    here = list(_resolved(schema, node))
    for key in path:
        inner: list[Any] = []
        for part in here:
            if key == "*":
                inner.append(part.get("items"))
            elif key in part.get("properties", {}):
                inner.append(part["properties"][key])
            else:
                inner += [
                    below for pattern, below in part.get("patternProperties", {}).items() if re.search(pattern, key)
                ]
                inner.append(part.get("additionalProperties"))
        here = [each for part in inner for each in _resolved(schema, part)]
    return here


def _keys(schema: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the keys that may stand in a mapping, with what the schema says of each."""
    for part in parts:
        for key, below in part.get("properties", {}).items():
            said = [str(each["description"]) for each in _resolved(schema, below) if "description" in each]
            yield key, said[-1] if said else ""


def _values(schema: Mapping[str, Any], parts: list[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the values that a schema lists."""
    for part in parts:
        yield from (str(value).lower() if isinstance(value, bool) else str(value) for value in part.get("enum", ()))
        if "const" in part:
            yield str(part["const"])
        if part.get("type") == "boolean":
            yield from ("true", "false")
