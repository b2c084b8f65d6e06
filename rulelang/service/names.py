"""Where every name of a ruleset stands: in rules, in YAML, in scenarios.

Enters: what an analysis noted, and the YAML files. Leaves: the places of a name by its key. A key is what a name is
about in all variants of a ruleset: their analyses have symbols of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rulelang.diagnostics import Span
from rulelang.ruleset.nodes import Mapping, Node, Scalar, Sequence
from rulelang.ruleset.notations import names_in
from rulelang.semantics.tree.core import Local
from rulelang.semantics.tree.symbols import DefinitionSym, GroupInfo, KindSym, VariableSym, ZoneSym
from rulelang.semantics.tree.uses import NamedMember, Use

Key = tuple[str, ...]
"""`symbol NAME`, `member KIND NAME` (an attribute or variable of pieces or values), `row ID`, `local PLACE`, or
`option`, `menu`, … and a name."""

DECLARING = frozenset("options types resources grids kinds zones variables marks positions automata".split())
"""Keys of YAML below which each key is the name of a symbol."""
TOKEN = re.compile(r"[A-Za-z_]\w*")
_OF_ID = re.compile(r"(?<![$\w])[A-Za-z_]\w*")
"""A name in an id; `$card` is that of a case."""
_OF_CASES = re.compile(r"\$([A-Za-z_]\w*)")


class Occurrence(NamedTuple):
    """A place where a name stands. `named` is what it stands for in one analysis, None if only its key is known."""

    span: Span
    key: Key
    declares: bool = False
    named: object = None

    @property
    def text(self) -> str:
        """What stands there."""
        return self.span.whole_line[self.span.column - 1 : self.span.end_column - 1]


def key_of(named: object) -> Key:
    """Return what a name is about."""
    match named:
        case Local(span=span):
            return ("local", span.path, str(span.line), str(span.column))
        case NamedMember(what="attribute", owner=owner, name=name):
            return ("member", owner, name)
        case NamedMember(what="field", owner=item, name=name):
            return ("field", item, name)
        case NamedMember(what="removed", name=name):
            return ("symbol", name)
        case NamedMember(what="word", name=name):
            return ("token", name)
        case NamedMember(what=what, name=name):
            return (what, name)
        case DefinitionSym(id=id_):
            return ("row", id_)
        case VariableSym(kind=str(kind), name=name) if kind:
            return ("member", kind, name)
    name = getattr(named, "name", "")
    return ("symbol", str(name))


def type_names(named: object) -> list[str]:
    """Return the names in the type that something has: of a piece its kind, of a zone that of its pieces, of a function
    those of its result."""
    owner = getattr(named, "kind", None) if isinstance(named, DefinitionSym | ZoneSym) else None
    types = owner or getattr(named, "returns", None) or getattr(named, "type", "")
    return list(dict.fromkeys(TOKEN.findall(str(types))))


def noted(uses: Iterable[Use]) -> Iterator[Occurrence]:
    """Yield the places that an analysis noted, those whose text is the name."""
    for use in uses:
        key, span = key_of(use.named), use.span
        name = named_at(span)
        wanted = getattr(use.named, "name", None) or getattr(use.named, "id", "")
        if name and name == wanted:
            quoted = span.end_column - span.column - len(name)
            span = Span(
                span.source, span.line, span.column + quoted // 2, span.line, span.end_column - (quoted + 1) // 2
            )
            yield Occurrence(span, key, use.declares, use.named)


def named_at(span: Span) -> str:
    """Return the name that a span holds, without quotes; empty where it holds something else."""
    text = span.whole_line[span.column - 1 : span.end_column - 1].strip("\"'")
    return text if span.line == span.end_line and TOKEN.fullmatch(text) else ""


# ---- YAML ------------------------------------------------------------------------------------------

_LISTED = {"holds", "refill", "beside", "carried_by", "per", "active", "shown", "untold"}
"""Keys below which names of symbols stand, as a value or in a list."""
_HUMAN = {"title", "about", "sources", "rulebook", "text", "cites", "provenance", "extends", "name", "languages"}


def in_ruleset(node: Mapping) -> Iterator[Occurrence]:
    """Yield the names in a YAML file of a ruleset that no analysis notes: keys and values that are names."""
    for section, entry in node.entries.items():
        if section == "words":
            yield from _fields(entry.value, "")
        elif section not in _HUMAN:
            yield from _in_section(entry.value, (section,))


def _fields(node: Node, item: str) -> Iterator[Occurrence]:
    """Yield the fields of sentences, `{frog}`, of the option that they are words of."""
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            if name == "notation":
                yield from _notation(entry.value, item)
            else:
                yield from _fields(entry.value, name.rpartition(".")[2] if "option" not in name else item)
    elif isinstance(node, Scalar) and isinstance(node.value, str) and node.span.line == node.span.end_line:
        for match in re.finditer(r"\{(?:\w+ )?(\w+)", node.value):
            yield Occurrence(_within(node, node.value, match.start(1), match.end(1)), ("field", item, match[1]))


def _notation(node: Node, item: str) -> Iterator[Occurrence]:
    """Yield the fields in the notation of an option, and the functions that it calls."""
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.span.line == node.span.end_line:
        for start, name, is_function in names_in(node.value):
            place = _within(node, node.value, start, start + len(name))
            yield Occurrence(place, ("symbol", name) if is_function else ("field", item, name))


def _in_section(node: Node, path: tuple[str, ...]) -> Iterator[Occurrence]:
    """Yield the names below a path of keys; rows of lists stand at `*`."""
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            key = _key_at(path, name)
            if key is not None:
                declares = (len(path) == 1 and path != ("pieces",)) or path[-1] == "classes"
                yield from _place(entry.key, name, key, declares=declares)
            if len(path) == 2 and path[0] == "grids" and name in ("edges", "corners"):  # they are types of their own
                type_ = entry.value.get("name") if isinstance(entry.value, Mapping) else None
                yield from _in_section(entry.value, ("grids", str(type_.value) if isinstance(type_, Scalar) else ""))
            elif name not in _HUMAN or path == ("pieces",):
                yield from _in_section(entry.value, (*path, name))
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _in_section(item, (*path, "*"))
    elif isinstance(node.value, str):
        yield from _in_scalar(node, node.value, path)


def _in_scalar(node: Scalar, text: str, path: tuple[str, ...]) -> Iterator[Occurrence]:
    """Yield the names that a value is, or that stand in it with dots between."""
    if path[-1] in _LISTED or (path[-1] == "*" and path[-2] in _LISTED):
        of_kind = path[0] == "kinds" and "shown" in path
        for part, place in _parts(node, text):
            yield Occurrence(place, ("member", path[1], part) if of_kind else ("symbol", part))
    elif path[0] == "pieces" and path[-1] == "id":
        yield from _place(node, text, ("row", text))
        for match in re.finditer(r"\{(\w+)\}", text):
            yield Occurrence(_within(node, text, match.start(1), match.end(1)), ("member", path[1], match[1]))
    elif path[0] == "pieces" and path[3:4] == ("each",):
        yield from _place(node, text, ("symbol", text))
    elif path[0] == "pieces" and path[3:] == ("columns", "*"):
        yield from _place(node, text, ("member", path[1], text))
    elif (
        path[-2:] == ("values", "*")
        or (path[0] in ("types", "resources") and path[-1] == "*")
        or (path[0] == "options" and path[-1] == "default")
    ):
        yield from _place(node, text, ("symbol", text))


def _key_at(path: tuple[str, ...], name: str) -> Key | None:
    """Return what the key `name` below a path is about; None for one of the schema's."""
    match path:
        case ("words", _):
            return None
        case (section,) if section in DECLARING:
            return ("symbol", name)
        case ("types", _) if not TOKEN.fullmatch(name):
            return None
        case (("types" | "resources" | "grids" | "kinds"), owner, ("attributes" | "variables" | "marks" | "defaults")):
            return ("member", owner, name)
        case (("types" | "resources"), _, ("values" | "classes")) | ("options", _, ("values" | "players")):
            return ("symbol", name)
        case (("types" | "resources"), owner, "values", _) | ("grids", owner, ("legend" | "at"), _):
            return ("member", owner, name)
        case ("grids", _, ("map" | "at")) | ("grids", _, "map", _):
            return ("symbol", name)
        case ("pieces",):
            return ("symbol", name)
        case ("pieces", kind, "*") | ("pieces", kind, "*", "each") | ("pieces", kind, "*", "rows", "*"):
            return ("member", kind, name)
    return None


def _parts(node: Scalar, text: str) -> Iterator[tuple[str, Span]]:
    """Yield the parts of a dotted name with their places."""
    for match in TOKEN.finditer(text):
        yield match[0], _within(node, text, match.start(), match.end())


def _within(node: Scalar, text: str, first: int, end: int) -> Span:
    """Return the place of a part of a scalar that stands on one line as it is."""
    span = node.span
    shift = span.column + (span.end_column - span.column - len(text)) // 2
    return Span(span.source, span.line, shift + first, span.line, shift + end)


def _place(node: Scalar, name: str, key: Key, declares: bool = False) -> Iterator[Occurrence]:
    if named_at(node.span) == name:
        yield Occurrence(_within(node, name, 0, len(name)), key, declares)


def in_scenarios(node: Mapping) -> Iterator[Occurrence]:
    """Yield the names in ids and lists of pieces of a scenario file: each token, under every key that it may be of."""
    scenarios = node.get("scenarios")
    for item in scenarios.items if isinstance(scenarios, Sequence) else ():
        scalars = [*_scalars(item, "")]
        # A whole text of a case is rule text, whose names are noted where they stand.
        texts = [str(scalar.value) for scalar in scalars]
        texts += [text for text in map(str, _values(item)) if not _OF_CASES.fullmatch(text)]
        used = {name for text in texts for name in _OF_CASES.findall(text)}
        cases = item.get("cases") if isinstance(item, Mapping) else None
        for row in cases.items if isinstance(cases, Sequence) else ():
            for name, entry in row.entries.items() if isinstance(row, Mapping) else ():
                scalars += _scalars(entry.value, "cases") if name in used else ()
        for scalar in scalars:
            yield from _token_places(scalar)


_PATTERNS = {
    "when",
    "maybe",
    "id",
    "chance",
    "choice",
    "offered",
    "refused",
    "event",
    "options",
    "lines",
    "piece",
    "zones",
}
"""Keys of scenarios below which ids and names stand."""


def _values(node: Node) -> Iterator[object]:
    """Yield the values of all scalars, of keys too."""
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            yield name
            yield from _values(entry.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _values(item)
    else:
        yield node.value


def _scalars(node: Node, inside: str) -> Iterator[Scalar]:
    """Yield the scalars in which ids and names stand; what a case has for `$name` stands where that does."""
    if isinstance(node, Mapping):
        for name, entry in node.entries.items():
            if inside in ("options", "lines") or (inside == "zones" and entry.key.style != "made"):
                yield entry.key
            below = name if name in _PATTERNS else inside if name != "missing" and inside else ""
            if name in ("given", "then", "ends", "top") or name in _PATTERNS or inside:
                yield from _scalars(entry.value, below)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _scalars(item, inside)
    elif inside:
        yield node


def _token_places(node: Scalar) -> Iterator[Occurrence]:
    text = node.value
    if isinstance(text, str) and node.span.line == node.span.end_line and node.style in ("plain", "quoted"):
        item = text.partition(":")[0]
        for match in _OF_ID.finditer(text):
            place = _within(node, text, match.start(), match.end())
            is_field = text[match.end() :].startswith("=") and ":" in text[: match.start()]
            yield Occurrence(place, ("field", item, match[0]) if is_field else ("token", match[0]))


# ---- all of them -----------------------------------------------------------------------------------


class Occurrences:
    """The places of all names, by file and by key."""

    def __init__(self, places: Iterable[Occurrence]) -> None:
        self._by_key: dict[Key, dict[tuple[str, int, int], Occurrence]] = {}
        self._by_file: dict[str, dict[int, list[Occurrence]]] = {}
        self._same: dict[tuple[str, int, int], set[Key]] = {}
        """By place the names that are declared there: what is chosen is a local, and a field of its option."""
        for place in places:
            span = place.span
            where = (span.path, span.line, span.column)
            known = self._by_key.setdefault(place.key, {})
            old = known.get(where)
            if old is None or (place.declares and not old.declares) or (old.named is None and place.named is not None):
                declares = place.declares or (old is not None and old.declares)
                known[where] = place if declares == place.declares else place._replace(declares=declares)
                self._by_file.setdefault(span.path, {}).setdefault(span.line, []).append(known[where])
                if place.declares and place.key[0] in ("local", "field"):
                    self._same.setdefault(where, set()).add(place.key)

    def at(self, path: str, line: int, column: int) -> Occurrence | None:
        """Return the name at a place, counted from 1; None if there is none. What stands in an id is what is declared
        by that name."""
        here = [p for p in self.on_line(path, line) if p.span.column <= column <= p.span.end_column]
        for place in here if all(place.key[0] == "token" for place in here) else ():
            for sort in _IN_IDS:
                for declared in self._by_key.get((sort, place.key[1]), {}).values():
                    if declared.declares:
                        return declared._replace(span=place.span, declares=False)
        named = [place for place in here if place.key[0] != "token"]
        return max(named, key=lambda p: (p.key[0] != "field", p.named is not None, p.declares), default=None)

    def of(self, key: Key) -> list[Occurrence]:
        """Return all places of a name, in the order of files and lines."""
        keys = [key]
        for known in keys:
            for where in self._by_key.get(known, ()):
                keys += [other for other in self._same.get(where, ()) if other not in keys]
        found = {where: place for known in reversed(keys) for where, place in self._by_key.get(known, {}).items()}
        if key[0] not in ("local", "member", "field"):
            tokens = self._by_key.get(("token", key[-1]), {})
            found |= {where: place for where, place in tokens.items() if where not in found}
        return [found[where] for where in sorted(found)]

    def called(self, name: str) -> list[Occurrence]:
        """Return the places of all that has a name, whatever it is."""
        return [place for key, places in self._by_key.items() if key[-1] == name for place in places.values()]

    def on_line(self, path: str, line: int) -> list[Occurrence]:
        """Return the names on a line."""
        return self._by_file.get(path, {}).get(line, [])

    def in_file(self, path: str) -> list[Occurrence]:
        """Return the names of one file."""
        return [place for places in self._by_file.get(path, {}).values() for place in places]


_IN_IDS = ("symbol", "row", "option")
"""What stands in ids."""


def described(named: object) -> str:
    """Return what a name stands for, in a word or two, such as `zone`."""
    match named:
        case DefinitionSym(kind=kind):
            return kind
        case NamedMember(what=what, owner=owner):
            return f"{what} of {owner}" if owner else what
        case Local():
            return "name"
        case KindSym() | GroupInfo():
            return named.what
        case VariableSym(mark=True):
            return "mark"
    category = getattr(named, "category", "")
    return str(category or getattr(named, "what", "name"))
