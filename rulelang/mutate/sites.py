"""The places of a ruleset's files that can be changed, in its YAML as well as in its rule text.

Enters: a folder of a ruleset as written. Leaves: `Mutant`s, in the order of the files, and the regions of text that
they lie in: a row, an entry of a section, a declaration. Two mutants of different regions change different parts of the
program, and so can be compiled together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rulelang.diagnostics import Diagnostics, Source, Span
from rulelang.mutate.operators import Alike, Edit, Mutator, Offsets, cycles
from rulelang.ruleset import nodes
from rulelang.ruleset.files import Budget, read_layer
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.nodes import Entry, Node, Scalar, dsl_text
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_expression, parse_piece_text, parse_rule_file, parse_rule_text
from rulelang.syntax.scan import Place

NOT_PLAYED = {"id", "each", "per", "words", "text", "cites", "provenance", "remove"}
"""Keys of a row that name it, say who has it, or are read by people alone."""
SHOWN, LONGEST = 40, 200
"""So many characters of a new text stand in a mutant's id, and of what is changed in its `before`."""


@dataclass(frozen=True)
class Region:
    """Lines of a file that are one part of the program. `cites`: the lines of the rulebook that it follows; `alone`: it
    may change any part of the program. `name`: of the row or of what is declared."""

    path: str
    first: int
    last: int
    cites: tuple[str, ...] = ()
    alone: bool = False
    name: str = ""


@dataclass(frozen=True)
class Mutant:
    """One change of a ruleset.

    Attributes:
        id: `file:line:column:OPERATOR:new text`. file: the path of the file. line, column: where the change is.
        before, after: the text there, without and with it. cites: lines of the rulebook.
    """

    id: str
    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    cites: tuple[str, ...]
    edit: Edit
    region: Region
    source: Source

    def covers(self, line: int) -> bool:
        """Return whether a line of the file is in the mutant's region."""
        return self.region.first <= line <= self.region.last

    @property
    def alone(self) -> bool:
        """Whether it is compiled by itself."""
        return self.region.alone or self.edit.alone


class Sites:
    """All mutants of the files of one folder.

    Args:
        ruleset: as written, the folder being its last layer. folder: a real path.

    Attributes:
        mutants: in the order of the files. files: shown path -> real path.
    """

    def __init__(self, ruleset: WrittenRuleset, folder: Path) -> None:
        self._alike = alike(ruleset)
        self.mutants: list[Mutant] = []
        self.files: dict[str, Path] = {}
        self._ids: set[str] = set()
        layer = read_layer(folder, Diagnostics(), Budget())
        for source in (*layer.yaml, *layer.rules) if layer is not None else ():
            self.files[source.path] = folder / Path(source.path).name
            self._at = Offsets(source)
            if source.path.endswith(".rule"):
                self._declarations(parse_rule_file(source, Diagnostics()))
            elif (tree := read_yaml(source, Diagnostics())) is not None:
                self._sections(tree)

    # ---- what is changed

    def _add(self, edits: Iterator[Edit] | Sequence[Edit], region: Region) -> None:
        """Add a mutant for each edit that changes something."""
        path = self._at.source.path
        for edit in edits:
            before, after = self._at.text[edit.start : edit.end], edit.text.rstrip("\n")
            line, column = self._at.place(edit.start)
            shown = " ".join(after.split())[:SHOWN]
            name = f"{Path(path).name}:{line}:{column}:{edit.operator}:{shown}"
            if name not in self._ids and before.split() != after.split():
                self._ids.add(name)
                cut = before.strip() if len(before) < LONGEST else f"{before.strip()[:LONGEST]}…"
                place = (path, line, column, edit.operator, cut, after, region.cites)
                self.mutants.append(Mutant(name, *place, edit, region, self._at.source))

    def _declarations(self, declarations: Sequence[ast.Declaration], row: Region | None = None) -> None:
        """Add the mutants of declarations, those of a row's text in the row's region."""
        mutator = Mutator(self._at, self._alike)
        for d in declarations:
            lines = [n.span.line for n in ast.walk(d)] + [n.span.end_line for n in ast.walk(d)]
            cites = tuple(_cited(d.citations)) if isinstance(d, ast.Cited) else ()
            name = getattr(d, "name", None)
            region = Region(self._at.source.path, min(lines), max(lines), cites, name=name.text if name else "")
            if row is not None:
                region = replace(row, cites=cites or row.cites)
            self._add(mutator.edits(d), region)

    def _value(self, node: Node, region: Region) -> None:
        """Add the mutants of a value: an expression, whatever the YAML takes it for."""
        if isinstance(node, nodes.Mapping):
            for entry in node.entries.values():
                self._value(entry.value, region)
            return
        findings = Diagnostics()
        text = dsl_text(node, findings)
        if findings.has_errors or not text.text.strip() or text.span.source is None:
            return
        expression = parse_expression(Place.of(text.span, text.indent), text.text, findings)
        if expression is not None and not findings.has_errors:
            self._add(Mutator(self._at, self._alike).edits(expression), region)

    def _word(self, node: Node | None, others: Mapping[str, str], region: Region) -> None:
        """Add the mutant of a word of the YAML that has another one like it."""
        if isinstance(node, Scalar) and str(node.value) in others:
            start, end = self._at.of(node.span)
            self._add([Edit("SVR", start, end, others[str(node.value)])], region)

    # ---- sections of the YAML

    def _sections(self, tree: nodes.Mapping) -> None:
        """Add the mutants of a YAML file."""
        for key, entry in tree.entries.items():
            section = entry.value
            if key == "rules" and isinstance(section, Scalar):
                text = dsl_text(section, Diagnostics())
                self._declarations(parse_rule_text(Place.of(text.span, text.indent), text.text, Diagnostics()))
            elif key == "pieces" and isinstance(section, nodes.Mapping):
                for rows in section.entries.values():
                    for row in rows.value.items if isinstance(rows.value, nodes.Sequence) else ():
                        self._row(row)
            elif key in _ENTRIES and isinstance(section, nodes.Mapping):
                for below in section.entries.values():
                    if isinstance(below.value, nodes.Mapping):
                        region = self._region(below.key.span, below.value, _cites(below.value), alone=True)
                        self._entry(key, below.value, region)

    def _entry(self, section: str, row: nodes.Mapping, region: Region) -> None:
        """Add the mutants of an entry of a section."""
        for key in _ENTRIES[section]:
            value = row.get(key)
            if value is None:
                continue
            if key == "refill":
                start, end = self._at.of(row.entries[key].key.span.to(value.span))
                self._add([Edit("SDL", start, end, "final: false")], region)
            elif key in _WORDS:
                self._word(value, _WORDS[key], region)
            elif section == "options":
                values = row.get("values")
                words = (
                    [str(v.value) for v in values.items if isinstance(v, Scalar)]
                    if isinstance(values, nodes.Sequence)
                    else ["false", "true"]
                )
                start, end = self._at.of(value.span)
                default = self._at.text[start:end]
                self._add([Edit("CRP", start, end, cycles({0: words}).get(default, default))], region)
            elif key != "values" or isinstance(value, nodes.Mapping):
                self._value(value, region)

    def _row(self, row: Node, common: tuple[str, ...] = (), columns: Sequence[str] = ()) -> None:
        """Add the mutants of a row of `pieces`, or of a group of rows."""
        if isinstance(row, nodes.Sequence):
            entries = {
                name: Entry(Scalar(item.span, name), item) for name, item in zip(columns, row.items, strict=False)
            }
        elif isinstance(row, nodes.Mapping):
            entries = row.entries
        else:
            return
        cites = _cites(nodes.Mapping(row.span, entries)) or common
        rows = entries.get("rows")
        id_ = entries["id"].value if "id" in entries else None
        region = replace(self._region(row.span, row, cites), name=str(id_.value) if isinstance(id_, Scalar) else "")
        for key, entry in entries.items():
            if key == "rows" and isinstance(entry.value, nodes.Sequence):
                named = entries["columns"].value if "columns" in entries else None
                names = (
                    [str(n.value) for n in named.items if isinstance(n, Scalar)]
                    if isinstance(named, nodes.Sequence)
                    else []
                )
                for below in entry.value.items:
                    self._row(below, cites, names)
            elif key in NOT_PLAYED or key == "columns":
                continue
            else:
                # What rows have in common may change all of them.
                own = region if rows is None else self._region(entry.key.span, entry.value, cites, alone=True)
                if key == "rules":
                    text = dsl_text(entry.value, Diagnostics())
                    place = Place.of(text.span, text.indent)
                    self._declarations(parse_piece_text(place, text.text, Diagnostics()), own)
                else:
                    self._value(entry.value, own)

    def _region(self, start: Span, node: Node, cites: tuple[str, ...], alone: bool = False) -> Region:
        """Return the region from the start of a key or row to the end of its value."""
        return Region(self._at.source.path, start.line, max(start.line, _last_line(node)), cites, alone)


_ENTRIES = {
    "options": ("default",),
    "types": ("values", "classes"),
    "resources": ("values", "classes"),
    "grids": ("legend", "defaults", "edges", "corners"),
    "kinds": ("defaults", "count", "start"),
    "zones": ("capacity", "order", "refill"),
    "variables": ("start", "capacity", "beyond"),
}
"""Section -> the keys of its entries whose values change play."""
_WORDS = {"order": {"pile": "bag"}, "beyond": {"lost": "error", "choose": "error"}}


def _last_line(node: Node) -> int:
    """Return the last line on which something of a node stands."""
    if isinstance(node, Scalar):
        return (dsl_text(node, Diagnostics()).span if node.style == "literal" else node.span).end_line
    lines = [node.span.line]
    if isinstance(node, nodes.Mapping):
        lines += [_last_line(entry.value) for entry in node.entries.values()]
    if isinstance(node, nodes.Sequence):
        lines += map(_last_line, node.items)
    return max(lines)


def _cites(row: nodes.Mapping) -> tuple[str, ...]:
    """Return the citations of a row or entry as written."""
    cites = row.get("cites")
    items = cites.items if isinstance(cites, nodes.Sequence) else ()
    return tuple(str(item.value) for item in items if isinstance(item, Scalar))


def _cited(citations: Sequence[ast.Citation]) -> Iterator[str]:
    """Yield citations as written."""
    for c in citations:
        if c.source:
            yield f"{c.source}:{c.first}" + (f"-{c.last}" if c.last != c.first else "")


def alike(ruleset: WrittenRuleset) -> Alike:
    """Return the names of a ruleset that can stand for one another."""
    groups: dict[object, list[str]] = {}

    def put(key: object, name: str) -> None:
        """Add a name to the group of its type."""
        groups.setdefault(key, []).append(name)

    types = {declared.name: declared.values for declared in ruleset.types}
    for name, values in (types | {declared.name: declared.values for declared in ruleset.resources}).items():
        for value in values:
            put(("value", name), value.name)
    for option in ruleset.options:
        for word in option.values if option.kind == "word" else ():
            put(("value", option.name), str(word))
    for resource in ruleset.resources:
        for name in resource.classes:
            put(("class", resource.name), name)
    for zone in ruleset.zones:
        put(("zone", zone.holds, zone.per), zone.name)
    for variable in ruleset.variables:
        put(("variable", variable.type.text, variable.per), variable.name)
    for piece in ruleset.pieces:
        put(("piece", piece.kind), piece.id)
    for party in (("players", "others"), ("you", "owner")):
        groups[party] = list(party)
    attributes: dict[object, list[str]] = {}
    for kind in ruleset.kinds:
        for attribute in kind.attributes:
            attributes.setdefault((kind.name, attribute.type.text), []).append(attribute.name)
    owned = {key: names for key, names in groups.items() if isinstance(key, tuple) and key[0] in ("zone", "variable")}
    piles = frozenset(zone.name for zone in ruleset.zones if zone.laid.ends)
    return Alike(cycles(groups), {**cycles(owned), **cycles(attributes)}, piles)
