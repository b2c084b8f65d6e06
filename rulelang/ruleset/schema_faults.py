"""Errors of the schema library in the author's words: what does not fit, where, and what is probably meant.

Enters: a merged tree, an error. Leaves: faults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rulelang.diagnostics import Span, counted, enumerated, nearest, suggest
from rulelang.languages import DEFAULT, codes, folded, number_meant
from rulelang.ruleset.examples import flow
from rulelang.ruleset.fallen_apart import GLUED
from rulelang.ruleset.faults import Fault
from rulelang.ruleset.fits import compiled
from rulelang.ruleset.nodes import Mapping, Path, Scalar, at, plain
from rulelang.ruleset.nodes import Sequence as NodeList
from rulelang.ruleset.senses import VALUES, code_meant, key_meant, sense_of

_TYPES = {
    "string": "a text",
    "integer": "a whole number",
    "boolean": "`true` or `false`",
    "array": "a list",
    "object": "a mapping of keys to values",
}
_OLD_TRUTHS = {"yes": "true", "on": "true", "no": "false", "off": "false"}
_INSTEAD = {
    "scenarios": "scenarios stand in files of their own: `scenarios/NAME.yaml` in the ruleset's folder",
    **dict.fromkeys(("shuffled", "shuffle"), "what happens is rule text: `shuffle deck` in `setup:`, with your zone"),
    "remove": "what goes is named, with `{remove: true}`: `NAME: {remove: true}` in its section",
    **dict.fromkeys(("min_players", "max_players", "min", "max"), "write `players: 2..4`, with your numbers"),
    **dict.fromkeys(("description", "author", "authors", "version"), "a comment (`# …`) may hold it"),
    **dict.fromkeys(
        ("setup", "play", "turn", "turns", "rounds", "phases", "score", "scoring", "winner", "tie", "end"),
        "what happens is rule text: indented below `rules: |`, or in a `.rule` file",
    ),
}
"""What people write as a key, and no key stands for -> where it belongs."""
_WORD = re.compile(r"[\w.]+")
_OPEN_END = re.compile(r"(\+|more|least)|up to|most|max")
"""A range with one end."""


def _words_of(form: dict[str, Any]) -> tuple[object, ...]:
    """Return the words that a form of values lists, by itself or as one of several forms."""
    return tuple(word for each in (form, *form.get("anyOf", ())) for word in each.get("enum", ()))


def _shown(value: object) -> str:
    """Return a value as messages show it: a scalar in backticks, cut to 40 characters, else its type."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, str | int):
        text = str(value).strip().replace("\n", " ")
        return f"`{text if len(text) <= 40 else text[:39] + '…'}`"
    return "a list" if isinstance(value, list) else "a mapping"


def _stem(path: Path) -> str:
    """Return a word that names of rows of a kind may begin with."""
    return str(path[1]).lower() if path[:1] == ("pieces",) else "n"


def _title(row: dict[str, Any]) -> str:
    """Return the key of a row that has several words and no value, as names of scenarios have; empty if none has."""
    return next((key for key, value in row.items() if value is None and key.count(" ") > 1), "")


_NAMED = {"refill": "zones", "holds": "kinds", "carried_by": "pieces"}
"""Key that takes a name -> the section whose names they are."""


def _ends_of_range(row: dict[str, Any], known: Sequence[str]) -> list[int]:
    """Return the numbers that a row has under keys which say the ends of a range, such as `min`."""
    unknown = {key: value for key, value in row.items() if key not in known and key != "kind" and "type" in known}
    return [value for key, value in unknown.items() if isinstance(value, int) and sense_of(key, ["type"])]


def _glued(key: str, value: object) -> tuple[str, str] | None:
    """Return message and hint for a key that its value is not parted from by `: `; None for any other."""
    match = GLUED.fullmatch(key) if value is None else None
    if match is None:
        return None
    message = f"a space is missing after `{match[1]}:`" if match[2] == ":" else f"a `:` is missing after `{match[1]}`"
    return message, f"write `{match[1]}: {match[3]}`"


def _mended(text: str, pattern: str) -> str:
    """Return the hint `write …` if a text can be normalised to match the pattern; empty otherwise."""
    text = folded(text) if not text.isascii() else text
    numbers = re.findall(r"[0-9]+", text)
    for guess in (re.sub(r"\W+", "_", text.strip()).strip("_"), "..".join(numbers)):
        if guess and pattern and re.search(pattern, guess):
            return f"write `{guess}`"
    return ""


_A_TYPE = re.compile(
    r"(?:-?\d+ ?\.\.|bool\b|player\b|number\b|Direction\b|(?:bag|cost|list|group) of |[A-Z]\w*\??(?:,|$))"
)
"""What a type may begin with."""


def _cell(key: str, cell: object) -> object:
    """Return a cell of a pasted row without what its key says: `4` for `load 4` and for `4 copies`."""
    text = str(cell).strip()
    number = re.fullmatch(r"(?:[A-Za-z]+:? )?(\d+)(?: ?(?:x|[A-Za-z]+))?", text)
    if number is not None and key != "id":
        return number[1]
    return re.sub(r"\W+", "_", text.lower()).strip("_") if key == "id" and " " in text else cell


class SchemaExplainer:
    """Turns errors of the schema library into findings; `path` always starts from the tree's root."""

    def __init__(self, tree: Mapping) -> None:
        self.tree = tree
        self.explainers: dict[str, Callable[[Any, Path], Iterator[Fault]]] = {
            "type": self.type,
            "additionalProperties": self.unknown,
            "required": self.required,
            "dependentRequired": self.needed,
            "pattern": self.pattern,
            "enum": self.enum,
            "const": self.enum,
            "minimum": self.bound,
            "maximum": self.bound,
            "minItems": self.size,
            "minProperties": self.size,
            "maxProperties": self.size,
            "maxLength": self.size,
            "uniqueItems": self.repeated,
            "anyOf": self.choice,
            "oneOf": self.choice,
        }

    def explain(self, error: Any, above: Path = ()) -> Iterator[Fault]:
        """Yield the faults that explain an error of the schema library; `above` is the path of the enclosing error."""
        path: Path = (*above, *error.path)
        if "propertyNames" in error.schema_path:
            return iter((self.bad_key(error, path),))
        return self.explainers[str(error.validator)](error, path)

    def place(self, path: Path) -> str:
        """Return the name by which messages call the node at a path."""
        if not path:
            return "the file"
        if isinstance(path[-1], str):
            return f"`{path[-1]}`"
        row = at(self.tree, path)
        name = row.get("id") or row.get("name") if isinstance(row, Mapping) else None
        if isinstance(name, Scalar) and isinstance(name.value, str):
            return f"`{name.value}`"
        if path[:1] == ("pieces",):  # of the rows of all layers together: no number that anybody has counted
            return f"this row of `{path[1]}`"
        owner = next((step for step in reversed(path) if isinstance(step, str)), "the list")
        return f"item {path[-1] + 1} of `{owner}`"

    def value_span(self, path: Path) -> Span:
        """Return the span for a fault of a value: its own if it is on one line, else that of its key."""
        span = at(self.tree, path).span
        one_line = span.line == span.end_line and span.column < span.end_column
        return span if one_line or not path else self.key_span(path)

    def fault(self, path: Path, code: str, message: str, hint: str = "") -> Fault:
        """Return the fault of the value at a path."""
        return Fault(path, self.value_span(path), code, message, hint)

    def key_span(self, path: Path) -> Span:
        """Return the span of the last key of a path; of a list item, its first character."""
        parent = at(self.tree, path[:-1])
        if isinstance(parent, Mapping) and path and isinstance(path[-1], str) and path[-1] in parent.entries:
            return parent.entries[path[-1]].key.span
        whole = at(self.tree, path).span
        return Span(whole.source, whole.line, whole.column, whole.line, whole.column + 1)

    def expected(self, schema: Any) -> str:
        """Return a schema's requirement in words: its title, or else its types."""
        if "title" in schema:
            return str(schema["title"])
        types = schema["type"]
        return enumerated([_TYPES[t] for t in ([types] if isinstance(types, str) else types)], "or")

    def nothing_hint(self, path: Path, schema: Any = None) -> str:
        """Return the hint for a key without a value; `schema` is that of the value."""
        span = at(self.tree, path[:-1]).span
        key = self.key_span(path)
        lines = span.source.lines if span.source is not None else ("",)
        in_braces = lines[span.line - 1][span.column - 1 : span.column] == "{"
        in_braces &= key.source is span.source  # not added to it by another file
        row = at(self.tree, path[:-1])
        if path[:1] == ("pieces",) and isinstance(row, Mapping) and row.get("id") is None:
            return f"write `id: {path[-1]}` if it is the row's name"
        if in_braces and not lines[key.end_line - 1][key.end_column - 1 :].lstrip().startswith(": "):
            return "a `: ` is missing here, or a text with a comma inside { } lacks its quotes"
        required = ", ".join(f"{key}: …" for key in (schema or {}).get("required", ()))
        form = f"`{path[-1]}: {{{required}}}`" if required else "a value after the colon"
        return f"write {form}, or take the key away"

    def quotes_hint(self, value: object) -> str:
        """Return a hint on brackets or quotes for a scalar of the wrong type; empty if neither helps."""
        if isinstance(value, str) and re.fullmatch(r"\w+( ?< ?\w+)+|\w+( ?> ?\w+)+", value):
            names = re.findall(r"\w+", value)
            rising = ", ".join(names if "<" in value else names[::-1])
            return f"write `{{ordered: [{rising}]}}`, from the least to the greatest"
        if isinstance(value, str) and re.search("[,|;/]", value):
            items = ", ".join(re.findall(r"[^\s,|;/()]+", value))
            return f"a list stands between brackets: `[{items}]`"
        return "put it in quotes if it is text" if isinstance(value, bool | int) else ""

    def nothing(self, path: Path, schema: Any = None) -> Fault:
        """Return the fault of a key without a value."""
        return self.fault(path, "schema-empty", f"{self.place(path)} has no value", self.nothing_hint(path, schema))

    def type(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a value of the wrong type."""
        if flat := self.flat_row(path, error.schema.get("properties", ())):
            name, keys = flat
            if path[-1] == name:
                words = enumerated([f"`{key}`" for key in keys])
                message = f"{words} {'belongs' if len(keys) == 1 else 'belong'} to {self.place(path)}"
                yield self.fault(
                    path, "schema-empty", message, f"indent {'it' if len(keys) == 1 else 'them'} below `{name}:`"
                )
            else:
                yield Fault(path, self.value_span(path), "schema-type", "")  # told with the row
            return
        if error.instance is None:
            yield self.nothing(path, error.schema)
            return
        if len(path) == 4 and self.named_by_key(path[:-1]):
            yield Fault(path, self.value_span(path), "schema-type", "")  # told as the missing id
            return
        if path[:1] == ("types",) and len(path) == 4 and (own := self.of_grid(path)):
            first = self.is_first(path)
            message = f"{self.place(path)} must say which attribute is {_shown(error.instance)}" if first else ""
            hint = f"write `{path[-1]}: {{{own}: {error.instance}}}`, and so for each value"
            yield self.fault(path, "schema-type", message, hint)
            return
        types = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
        hint = self.shape_hint(error.instance, error.schema, types, path)
        if types == ["integer"] and (number := number_meant(str(error.instance))):
            hint = f"write `{number}`"
        if types == ["integer"] and isinstance(error.instance, list):
            hint = f"write how many: `{path[-1]}: {len(error.instance)}`"
        if types == ["boolean"]:
            truth = _OLD_TRUTHS.get(str(error.instance).lower())
            hint = f"write `{truth}`" if truth else ""
        elif types == ["array"] and isinstance(error.instance, str | int):
            hint = f"a list stands between brackets: `[{error.instance}]`"
            numbers = re.findall(r"\d+", str(error.instance))
            if numbers and error.schema.get("items", {}).get("type") == "integer":
                hint = f"a list stands between brackets: `[{', '.join(numbers)}]`"
            ends = re.fullmatch(r"(\d{1,2}) ?(?:-|\.\.|to) ?(\d{1,2})", str(error.instance))
            if ends is not None and int(ends[1]) < int(ends[2]):
                hint = f"write `[{', '.join(map(str, range(int(ends[1]), int(ends[2]) + 1)))}]`"
        elif error.schema.get("title") == "a value" and isinstance(error.instance, dict):
            hint = "write it as rule text: a number, a name, or amounts such as `2 gold + 1 tin`"
        elif error.schema.get("title") == "a type" and isinstance(error.instance, dict) and len(error.instance) == 1:
            ((outer, inner),) = error.instance.items()
            hint = f"write `{path[-1]}: {outer} of {inner}`"
        elif error.schema.get("title") == "a type" and type(error.instance) is int:
            whole_range = f"{min(error.instance, 0)}..{max(error.instance, 1)}"
            hint = f"write `{path[-1]}: {whole_range}`: from the least to the greatest"
        elif error.schema.get("title") == "a type" and isinstance(error.instance, list):
            name = str(path[-1]).capitalize()
            values = ", ".join(map(str, error.instance))
            is_range = error.instance and all(type(end) is int for end in error.instance)
            hint = f"give the list a name, `types: {{{name}: [{values}]}}`, and write it here: `{path[-1]}: {name}`"
            hint = f"write `{path[-1]}: {min(error.instance)}..{max(error.instance)}`" if is_range else hint
        elif error.schema.get("title") == "rule text" and isinstance(error.instance, list) and len(error.instance) == 1:
            first = error.instance[0]
            text = ": ".join(map(str, next(iter(first.items())))) if isinstance(first, dict) and first else str(first)
            hint = f"write `{path[-1]}: {text}`, without brackets" if ": " not in text else ""
            hint = hint or f"write `{path[-1]}: |`, and `{text}` on the line below"
        elif error.schema.get("title") == "rule text" and isinstance(error.instance, dict | list) and not hint:
            hint = f"write `{path[-1]}: |`, and the text on the lines below" if isinstance(path[-1], str) else ""
        elif path[:1] == ("players",) and (
            ends := re.fullmatch(r"(\d+) ?(?:-|–|to|à|\.+) ?(\d+)", str(error.instance))
        ):
            hint = f"write `players: {ends[1]}..{ends[2]}`, without brackets"
        elif path[-1:] == ("id",) and isinstance(error.instance, int):
            hint = f"a name begins with a letter: write `{_stem(path)}_{error.instance}`"
        elif "string" in types and not hint and error.schema.get("title") != "a type":
            hint = self.quotes_hint(error.instance)
            if isinstance(error.instance, bool) and (names := self.names_of(_NAMED.get(str(path[-1]), ""))):
                hint = f"write which is meant: {enumerated((f'`{name}`' for name in names), 'or')}"
        if path[-1:] == ("cites",):
            lines = re.fullmatch(r"([\w-]+)[^\w-]+(?:[a-z]+\W*)?(\d+)(?:\W+(\d+))?", str(error.instance))
            until = f"-{lines[3]}" if lines is not None and lines[3] else ""
            hint = f"write `[{lines[1]}:{lines[2]}{until}]`" if lines is not None else hint
        message = f"{self.place(path)} must be {self.expected(error.schema)}, not {_shown(error.instance)}"
        yield self.fault(path, "schema-type", message, hint)

    def flat_row(self, path: Path, properties: Iterable[str]) -> tuple[str, list[str]] | None:
        """Return the name of the row and its keys where a row of a section and its keys stand side by side."""
        section = at(self.tree, path[:1])
        if len(path) != 2 or not isinstance(section, Mapping):
            return None
        name, keys = "", list[str]()
        for key, entry in section.entries.items():
            scalar = isinstance(entry.value, Scalar)
            if scalar and name and key in properties and plain(entry.value) is not None:
                keys.append(key)
            elif name and path[-1] in (name, *keys):
                break
            else:
                name, keys = (key, []) if scalar and plain(entry.value) is None else ("", [])
        return (name, keys) if keys and path[-1] in (name, *keys) else None

    def named_by_key(self, path: Path) -> str:
        """Return the key of a row of pieces that has all else of the row below it; empty of any other."""
        row = at(self.tree, path)
        if path[:1] != ("pieces",) or not isinstance(row, Mapping) or len(row.entries) != 1:
            return ""
        ((key, entry),) = row.entries.items()
        return key if isinstance(entry.value, Mapping) else ""

    def of_grid(self, path: Path) -> str:
        """Return the first attribute of the cells or edges whose legend a path leads into; empty if it has none."""
        above = at(self.tree, path[:-2])
        attributes = above.get("attributes") if isinstance(above, Mapping) else None
        return next(iter(attributes.entries), "") if isinstance(attributes, Mapping) else ""

    def is_first(self, path: Path) -> bool:
        """Return whether a path leads to the first key of a mapping: what all do wrong is told once."""
        above = at(self.tree, path[:-1])
        return isinstance(above, Mapping) and next(iter(above.entries), None) == path[-1]

    @staticmethod
    def takes(value: object, schema: Any) -> str:
        """Return the keys of a mapping as it was meant: the value at the first that takes it; else nothing."""
        required, properties = schema.get("required", ()), schema.get("properties", {})
        if (unit := re.fullmatch(r"(\d+) (\w+)", str(value))) and unit[2] in properties:
            return f"{unit[2]}: {unit[1]}"
        takes = next((key for key in (*required, *properties) if compiled(properties[key])(value)), "")
        if not takes and "examples" in schema and compiled(schema.get("additionalProperties", False))(value):
            takes = next(iter(schema["examples"][0]))
        value = flow(value)
        return ", ".join([f"{takes}: {value}", *(f"{key}: …" for key in required if key != takes)]) if takes else ""

    def keyed(self, path: Path, cells: Sequence[object]) -> str:
        """Return the cells of a row with the keys that the first other row beside it has."""
        beside = at(self.tree, path[:-1])
        rows = beside.items if isinstance(beside, NodeList) else ()
        keys = next((list(row.entries) for row in rows if isinstance(row, Mapping)), ["id", *["…"] * len(cells)])
        return ", ".join(f"{key}: {_cell(key, cell)}" for key, cell in zip(keys, cells, strict=False))

    def names_of(self, section: str) -> list[str]:
        """Return the names of the rows of a section."""
        node = self.tree.get(section)
        return list(node.entries) if isinstance(node, Mapping) else []

    def shape_hint(self, value: object, schema: Any, types: Sequence[str], path: Path) -> str:
        """Return a hint for a list in the place of a mapping of names, or the other way round; empty for others."""
        first_key = next(iter(required), "") if (required := schema.get("required")) else ""
        if path == ("pieces",) and isinstance(value, list):
            return "the list stands below the name of its kind: `Card:` on a line of its own, the rows deeper"
        truth = _OLD_TRUTHS.get(str(value).lower(), str(value).lower() if isinstance(value, bool) else "")
        if types == ["object"] and truth and (path[:1] == ("options",) or first_key == "type"):
            truth = f"{'default' if path[:1] == ('options',) else 'start'}: {truth}"
            return f"write `{path[-1]}: {{type: bool, {truth}}}`, in a variant that sets it `{{{truth}}}`"
        if types == ["object"] and path[:1] == ("options",) and isinstance(value, str | int | list) and value:
            values = value if isinstance(value, list) else re.split(r" *(?:,|/|\||\bor\b|\bou\b) *", str(value))
            values = list(map(str, values))
            default = f", in a variant that sets it `{{default: {values[0]}}}`" if len(values) == 1 else ""
            return f"write `{path[-1]}: {{values: [{', '.join(values)}], default: {values[0]}}}`{default}"
        if types == ["object"] and first_key == "type" and isinstance(value, int):
            return f"write `{path[-1]}: {{type: 0..99, start: {value}}}`, in a variant `{{start: {value}}}`"
        if (
            types == ["object"]
            and isinstance(value, str)
            and value in ("remove", "removed", "none", "delete", "deleted")
        ):
            return f"what goes is named: `{path[-1]}: {{remove: true}}`"
        if types == ["object"] and isinstance(value, str) and " per language" in schema.get("title", ""):
            return f"write `{path[-1]}: {{{DEFAULT}: {value}}}`"
        cells = re.split(r" ?[;,|\t] ?", value.strip("()")) if isinstance(value, str) else value
        if path[:1] == ("pieces",) and isinstance(cells, list) and cells and isinstance(cells[0], str):
            return f"a row has a key for each value: `- {{{self.keyed(path, cells)}}}`"
        if types == ["object"] and first_key == "holds" and isinstance(value, str):
            kinds = self.names_of("kinds")
            near = (nearest(word, kinds) for word in re.findall(r"\w+", value))
            kind = next(filter(None, near), next(iter(kinds), "Card"))
            owned = ", per: player" if re.search(r"\b(?:player|each|everybody)", value) else ""
            return f"write `{path[-1]}: {{holds: {kind}{owned}}}`"
        if types == ["object"] and first_key == "type" and isinstance(value, str) and not _A_TYPE.match(value):
            number = re.search(r"\d+", value)
            owned = ", per: player" if re.search(r"\b(?:player|each|everybody)", value) else ""
            start = f", start: {number[0]}" if number else ""
            return f"write `{path[-1]}: {{type: 0..99{owned}{start}}}`, with your numbers"
        if types == ["object"] and first_key and isinstance(value, str):
            keyed = re.sub(r",? (per|start)(?:s|ing)?(?: at| with)?:? (\w+)", r", \1: \2", value)
            return f"write `{path[-1]}: {{{first_key}: {keyed}}}`"
        if types == ["object"] and first_key == "values" and isinstance(value, list):
            return f"write `{path[-1]}: {{values: [{', '.join(map(str, value))}]}}`"
        if types == ["object"] and isinstance(value, str | int) and (within := self.takes(value, schema)):
            return f"write `{path[-1]}: {{{within}}}`"
        if types == ["string"] and isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
            return f"write `{path[-1]}: {value[0]}`"
        if types == ["object"] and isinstance(value, list) and value:
            return self.names_hint(value, schema, path)
        if schema.get("title") == "a map" and isinstance(value, list):
            return f"write `{path[-1]}: |`, and each row of the board on a line below, without a dash"
        if types == ["array"] and isinstance(value, dict) and all(key.isdigit() for key in value):
            return f"write `[{', '.join(map(str, value.values()))}]`, one after the other"
        if types == ["array"] and isinstance(value, dict) and value:
            return self.rows_hint(value, path)
        return ""

    def names_hint(self, value: list[Any], schema: Any, path: Path) -> str:
        """Return the hint for a list in the place of a mapping of names."""
        first = value[0]
        row = first if isinstance(first, dict) else {str(first): None}
        name = next((row[key] for key in ("name", "id") if isinstance(row.get(key), str)), next(iter(row), "NAME"))
        node = at(self.tree, path)
        if path == ("types",) and all(isinstance(item, str) for item in value):
            return f"the list has a name: write `types: {{Type: [{', '.join(value)}]}}`, with your name"
        if within := self.takes(value, schema):
            return f"write `{path[-1]}: {{{within}}}`"
        needed = schema.get("additionalProperties")
        needed = needed.get("required", ()) if isinstance(needed, dict) else ()
        if needed and all(isinstance(item, str) for item in value):
            entry = ", ".join(f"{key}: {'bool' if key == 'type' else '…'}" for key in needed)
            rows = ", ".join(f"{name}: {{{entry}}}" for name in value)
            return f"each name has keys of its own: write `{path[-1]}: {{{rows}}}`"
        if getattr(node, "flow", False) and all(isinstance(item, str) for item in value):
            return f"each name has a value: write `{path[-1]}: {{{', '.join(f'{item}: …' for item in value)}}}`"
        return f"each name is a key: write `{name}: …`, without the dash"

    def rows_hint(self, value: dict[str, Any], path: Path) -> str:
        """Return the hint for a mapping in the place of a list."""
        name = next(iter(value))
        declared = at(self.tree, ("kinds",)) if "kinds" in self.tree.entries else None
        if path[:1] == ("pieces",) and isinstance(declared, Mapping) and path[1] not in declared.entries:
            cells = ", ".join([f"id: {path[1]}", *(f"{key}: {cell}" for key, cell in value.items())])
            kind = next(iter(declared.entries), "KIND")
            return f"rows stand in the list of their kind: `{kind}:`, and below it `- {{{cells}}}`"
        if path[-1] == "then" and isinstance(value[name], int | str):
            return f'each stands on a line of its own: write `- "{name} = {value[name]}"`'
        if "remove" in value:
            return f"write `- {{id: {value['remove']}, remove: true}}`"
        return f"write each as `- {{id: {name}, …}}`" if path[:1] == ("pieces",) else f"write `[{', '.join(value)}]`"

    def unknown(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield a fault for each key that the schema does not know, with the nearest known key as a hint."""
        known, said = list(error.schema["properties"]), set[str]()
        if not path and "scenarios" in known and "scenarios" not in error.instance:
            return  # told as what is missing
        scalars = all(value is None or isinstance(value, int) for value in error.instance.values())
        if path[:1] == ("types",) and scalars:
            message = f"{self.place(path)} must be {self.expected(error.schema)} or a list of names"
            yield self.fault(
                path, "schema-type", message, f"a list stands between brackets: `[{', '.join(error.instance)}]`"
            )
            return
        for key in error.instance:
            if key not in known:
                key_path = (*path, key)
                if "name" in known and "name" not in error.instance and key == _title(error.instance):
                    message, hint = "the name stands behind `name:`", f"write `name: {key}`"
                    yield Fault(key_path, self.key_span(key_path), "schema-unknown-key", message, hint)
                    continue
                meant = key_meant(key, [name for name in known if name not in error.instance or nearest(key, [name])])
                fitted = False
                shaped = isinstance(error.instance[key], dict | list)
                if meant and shaped and not compiled(error.schema["properties"][meant])(error.instance[key]):
                    fitting = [n for n in known if compiled(error.schema["properties"][n])(error.instance[key])]
                    fitted = len(fitting) == 1
                    meant = fitting[0] if fitted else meant
                hint = f"did you mean `{meant}`?" if meant else f"known here: {', '.join(known)}"
                if (ends := _ends_of_range(error.instance, known)) and error.instance[key] in ends and meant != "start":
                    meant = "type"
                    hint = f"write `type: {min(0, *ends)}..{max(*ends, 1)}`: a range from the least to the greatest"
                message = f"`{key}` is not a key of {self.place(path)}"
                if path[:1] == ("kinds",) and len(path) == 2 and not meant:
                    own = ", ".join(f"{name}: …" for name in error.instance if name not in known)
                    hint = f"attributes of its pieces stand below `attributes`: `attributes: {{{own}}}`"
                elif not meant and key in ("shuffled", "shuffle"):
                    hint = _INSTEAD[key]
                elif not path and (key in _INSTEAD or key in codes()):
                    meant, hint = "", _INSTEAD.get(key, f"words stand below `words`: `words: {{{key}: …}}`")
                elif path[-1:] == ("given",) and meant[:1] != key[:1]:
                    value = error.instance[key]
                    of, value = ("variables", value) if isinstance(value, int) else ("zones", "[…]")
                    shown = f"{value}".lower()
                    hint = f'it stands below `{of}`: `{of}: {{{key}: {shown}}}`, a player\'s as `"seat(0).{key}"`'
                    hint += f", an option below `options`: `options: {{{key}: {shown}}}`" if of == "variables" else ""
                elif path[-2:-1] == ("then",) and meant[:1] != key[:1] and not fitted:
                    meant = ""
                    value, of = error.instance[key], key if "(" in key else f"seat(0).{key}"
                    asked = f"{of} = {value}" if isinstance(value, int) else f"count({of}) = 1"
                    if isinstance(value, list) and value and isinstance(value[0], str):
                        asked = f"any(x is {value[0]} for x in {of})"
                    hint = f'what must hold of zones and variables is a text: `"{asked}"`'
                elif (meant and compiled(error.schema["properties"][meant])(error.instance[key])) or fitted:
                    pass
                elif above := next(
                    (n for n in known if key in error.schema["properties"][n].get("properties", ())), ""
                ):
                    meant, hint = "", f"it stands below `{above}`: `{above}: {{{key}: …}}`"
                elif of := next((n for n in known if key in _words_of(error.schema["properties"][n])), ""):
                    meant, hint = "", f"write `{of}: {key}`"
                if meant == "languages" and (code := code_meant(str(error.instance[key]))):
                    hint = f"write `languages: [{code}]`"
                if hint in said:
                    message = ""  # told with another key
                said.add("" if hint.startswith("did you") else hint)
                message, hint = _glued(key, error.instance[key]) or (message, hint)
                yield Fault(key_path, self.key_span(key_path), "schema-unknown-key", message, hint, meant)

    def required(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a missing key, unless a misspelt key explains it."""
        # The library makes one error for each missing key; its message names the key first.
        missing = next(key for key in error.validator_value if error.message.startswith(repr(key)))
        # A file without `rulelang` was found when it was read, a misspelt key is found as unknown.
        others = [key for key in error.instance if key not in ("rulelang", "scenarios")]
        if missing == "scenarios" and not path and others:
            message = f"`{others[0]}` stands in files beside `ruleset.yaml`, and here are scenarios"
            hint = "move the file up, out of this folder"
            yield Fault((others[0],), self.key_span((others[0],)), "schema-unknown-key", message, hint)
            return
        if missing == "rulelang" or self.misspelt(error, missing) or (missing == "name" and _title(error.instance)):
            return
        message, hint = f"{self.place(path)} lacks `{missing}`", f"add `{missing}: …`"
        known, row = error.schema.get("properties", ()), error.instance
        meant = next((key for key in row if key not in known and key_meant(key, [missing])), "")
        if missing == "id" and (name := self.named_by_key(path)):
            message = f"{self.place(path)} has its name as a key"
            hint = f"the name stands under `id`, beside the rest: `- {{id: {name}, …}}`"
        elif missing == "id" and isinstance(row.get("remove"), str):
            hint = f"a row is taken away by its id: `{{id: {row['remove']}, remove: true}}`"
        elif meant:  # where a row may have keys of its own
            message = f"{self.place(path)} has `{meant}` and lacks `{missing}`"
            hint = f"write `{missing}: {row[meant]}`"
            yield Fault((*path, meant), self.key_span((*path, meant)), "schema-missing", message, hint, missing)
            return
        yield Fault(path, self.key_span(path), "schema-missing", message, hint)

    def misspelt(self, error: Any, missing: str) -> bool:
        """Return whether a key of the mapping is said to be meant as the missing one."""
        known, closed = error.schema.get("properties", ()), error.schema.get("additionalProperties") is False
        row = {key: value for key, value in error.instance.items() if key not in known}
        return any(
            value is None and (not GLUED.fullmatch(key) or key.startswith(missing)) for key, value in row.items()
        ) or (closed and any(key_meant(key, [missing]) for key in row))

    def needed(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the faults of keys that need a companion key beside them."""
        for key, others in error.validator_value.items():
            for companion in others if key in error.instance else ():
                if companion not in error.instance and not self.misspelt(error, companion):
                    message = f"`{key}` needs `{companion}` beside it"
                    yield Fault(path, self.key_span((*path, key)), "schema-missing", message)

    def pattern(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a text that does not match its pattern, with a corrected text as a hint if possible."""
        if not str(error.instance).strip():
            yield self.fault(path, "schema-empty", f"{self.place(path)} is empty")
            return
        message = f"{self.place(path)} must be {self.expected(error.schema)}, not {_shown(error.instance)}"
        hint = _mended(str(error.instance), error.schema["pattern"]) or error.schema.get("description", "")
        if not str(error.instance).isascii() and isinstance(path[-1], int):
            beside = at(self.tree, path[:-1])
            before = beside.items[: path[-1]] if isinstance(beside, NodeList) else ()
            if any(isinstance(item, Scalar) and not str(item.value).isascii() for item in before):
                message = ""  # told with the first of them
        if path == ("players",) and not re.search(r"\d", str(error.instance)):
            hint = "write `2..4`, with your numbers"
        elif path == ("players",):
            ends = [int(n) for n in re.findall(r"\d{1,2}", str(error.instance))]
            hint = f"write `{min(ends)}..{max(ends)}`"
            end = _OPEN_END.search(str(error.instance))
            if end and len(ends) == 1:
                hint = f"write `{ends[0]}..{ends[0] + 2}`" if end[1] else f"write `1..{ends[0]}`"
                hint += ", with your numbers"
        elif path[-1:] and isinstance(path[-1], int) and re.search(r"\w *[;|/] *\w", str(error.instance)):
            hint = f"each stands alone: write `{', '.join(re.findall(_WORD, str(error.instance)))}`"
        elif times := re.fullmatch(r"([a-z]\w*) ?[x*×] ?(\d+)|(\d+) ?[x*×] ?([a-z]\w*)", str(error.instance)):
            hint = f"write `{times[2] or times[3]} {times[1] or times[4]}`"
        elif path[:1] == ("types",) and re.fullmatch(r"[a-z]\w*(?: [a-z]\w*)+", str(error.instance)) and not path[-1]:
            hint = f"a `,` stands between several: `[{', '.join(str(error.instance).split())}]`"
        elif path[-1] == "per":
            hint = "write `player`, or the name of a type"
        elif path[0] == "languages":
            code = code_meant(str(error.instance))
            hint = f"write `{code}`" if code else "a code has two letters, as `en`"
        yield self.fault(path, "schema-form", message, hint)

    def enum(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a value that is none of the allowed ones."""
        if path == ("rulelang",):
            return  # found when the file was read
        allowed = [error.validator_value] if error.validator == "const" else error.validator_value
        words = enumerated([f"`{value}`" for value in allowed], "or")
        if error.instance is None:
            yield self.fault(path, "schema-empty", f"{self.place(path)} has no value", f"it may be {words}")
            return
        message = f"{self.place(path)} must be {words}, not {_shown(error.instance)}"
        if allowed == ["none"] and (own := self.of_grid(path)):
            first = self.is_first(path)
            hint = f'write `"{path[-1]}": {{{own}: {error.instance}}}`, and so for each sign'
            yield self.fault(path, "schema-type", message if first else "", hint)
            return
        near = key_meant(str(error.instance), [str(value) for value in allowed], VALUES)
        rows = ", ".join(x for x in re.findall(r"\d+ \w+|\w+", str(error.instance)) if x not in ("and", "et", "und"))
        near = near or next((a for a in allowed if len(str(a)) == 1 and str(error.instance).startswith(str(a))), "")
        hint = f"did you mean `{near}`?" if near else f"write `[{rows}]`" if allowed == ["rest"] else ""
        hint = hint or error.schema.get("description", "")
        if allowed == ["rest"] and isinstance(error.instance, dict):
            inner = str(next(iter(error.instance), "hand"))
            zone, number = (inner, re.search(r"\d+", str(path[-1])))
            if number is None and (number := re.search(r"\d+", inner)):
                zone = str(path[-1])
            hint = f'write `"seat({number[0] if number else 0}).{zone}": […]`'
        yield self.fault(path, "schema-value", message, hint)

    def bound(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a number beyond its minimum or maximum."""
        words = "at least" if error.validator == "minimum" else "at most"
        message = f"{self.place(path)} must be {words} {error.validator_value}, not {_shown(error.instance)}"
        yield self.fault(path, "schema-range", message)

    def size(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the fault of a text, list or mapping that is too long, or empty."""
        if error.validator == "maxLength":
            message = f"{self.place(path)} is longer than {counted(error.validator_value, 'character')}"
        elif error.validator == "maxProperties":
            message = f"{self.place(path)} must have exactly one key: write each as an entry of its own"
        else:
            message = f"{self.place(path)} is empty"
        yield self.fault(path, "schema-size" if error.instance else "schema-empty", message)

    def repeated(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield a fault for each list item that equals an earlier one."""
        seen: list[str] = []
        for index, item in enumerate(plain(at(self.tree, path)) or ()):  # type: ignore[var-annotated,arg-type]
            text = json.dumps(item)
            if text in seen:
                item_path = (*path, index)
                message = f"{_shown(item)} stands in {self.place(path)} a second time"
                yield self.fault(item_path, "schema-duplicate", message)
            seen.append(text)

    def bad_key(self, error: Any, path: Path) -> Fault:
        """Return the fault of a key that is no valid name."""
        key = str(error.instance)
        key_path = (*path, key)
        below = at(self.tree, key_path)
        hint = (
            self.nothing_hint(key_path)
            if isinstance(below, Scalar) and below.value is None
            else _mended(key, error.schema.get("pattern", "")) or error.schema.get("description", "")
        )
        message = f"the key {_shown(key)} must be {self.expected(error.schema)}"
        shown = f"{below.value}" if isinstance(below, Scalar) and below.value is not None else ""
        if path == ("words",) and not shown and (code := code_meant(key)):
            hint = f"write `{code}`"
        elif path == ("words",) and (shown or not isinstance(below, Scalar)):
            form, beside = re.compile(error.schema.get("pattern", "")), at(self.tree, path)
            rows = beside.entries if isinstance(beside, Mapping) else ()
            first = next((row for row in rows if not form.search(row)), key)
            message = f"`{key}` stands where the code of a language does" if key == first else ""  # told with the first
            hint = f"words stand below their language: `{DEFAULT}: {{{key}: {shown or '…'}}}`"
        if path[:2] == ("words", path[-1]) and re.fullmatch(r"score \w+", key):
            hint = f"write `{key.replace(' ', '.')}`"
        opened = re.fullmatch(r"(\w+) ?\{ ?(\w+)", key)
        if opened is not None:
            rest = below.value if isinstance(below, Scalar) else "…"
            message = f"a `:` is missing after `{opened[1]}`"
            hint = f"write `{opened[1]}: {{{opened[2]}: {str(rest).removesuffix('}')}}}`"
            return Fault(key_path, self.key_span(key_path), "schema-name", message, hint)
        typed = re.fullmatch(r"(int|integer|number|float|bool|boolean|var|[A-Z]\w*) ([a-z]\w*)", key)
        if typed is not None and path[-1:] in (("attributes",), ("variables",)):
            of = {"bool": "bool", "boolean": "bool"}.get(typed[1], typed[1] if typed[1][0].isupper() else "0..99")
            shown = f"{{type: {of}}}" if path[-1] == "variables" else of
            message = f"the name stands before the `:`, and the type behind it, not `{key}`"
            return Fault(key_path, self.key_span(key_path), "schema-name", message, f"write `{typed[2]}: {shown}`")
        bare = key.strip()
        value = below.value if isinstance(below, Scalar) else below
        if glued := _glued(key, value):
            message, hint = glued
        elif key.isdigit() and value is None:
            message, hint = f"`{key}` is no key: a `,` parts one key from the next", "a number has no `,` in it"
        elif bare != key:
            message, hint = (
                f"a special space stands beside `{bare}`, which only looks like a plain one",
                f"write `{bare}:`",
            )
        return Fault(key_path, self.key_span(key_path), "schema-name", message, hint)

    @staticmethod
    def seat_hint(instance: dict[str, Any], forms: Sequence[dict[str, Any]]) -> str:
        """Return the hint for a step of a scenario of which the seat stands before the colon; empty for all else."""
        seat = re.fullmatch(r"(?:seat|player|p)?\W*(\d+)\W*", next(iter(instance), ""), re.IGNORECASE)
        if len(instance) != 1 or seat is None or not any("seat" in form.get("properties", ()) for form in forms):
            return ""
        return f'write `{{seat: {seat[1]}, id: "{next(iter(instance.values()))}"}}`'

    def unquoted(self, instance: object, forms: Sequence[dict[str, Any]]) -> bool:
        """Return whether a mapping was probably meant as a text: it has one key, which is unknown, and lacks quotes."""
        if not isinstance(instance, dict) or len(instance) != 1 or not any(f.get("type") == "string" for f in forms):
            return False
        (key, value), known = *instance.items(), [name for f in forms for name in f.get("properties", ())]
        return isinstance(value, str | int) and key not in known and not suggest(key, known)

    def choice(self, error: Any, path: Path) -> Iterator[Fault]:
        """Yield the faults of a value that fits none of several alternatives: those of the likeliest one, or a list of
        all."""
        branches: dict[object, list[Any]] = {}
        for below in error.context or ():
            branches.setdefault(below.schema_path[0], []).append(below)
        forms = error.validator_value
        if all(set(form) == {"required"} for form in forms):
            if not isinstance(error.instance, dict):
                return  # found as what is no mapping
            if branches and any(self.misspelt(error, key) for form in forms for key in form["required"]):
                return  # found as the key that it is misspelt as
            keys = [enumerated([f"`{key}`" for key in form["required"]]) for form in forms]
            if branches:
                fault = ("schema-missing", f"{self.place(path)} must have either {enumerated(keys, 'or')}")
            elif truth := next((key for key, value in error.instance.items() if value is True), ""):
                (other,) = (n for form in forms for n in form["required"] if n in error.instance and n != truth)
                hint = f"write `{path[-1]}: {{{truth}: {flow(error.instance[other])}}}`"
                message = f"`{truth}` has the values, in the place of `{other}`"
                yield Fault(path, self.key_span((*path, truth)), "schema-form", message, hint)
                return
            else:
                fault = ("schema-form", f"{self.place(path)} must have only one of {enumerated(keys)}")
            yield Fault(path, self.key_span(path), *fault)
            return
        meant = [
            errors for errors in branches.values() if not any(e.validator == "type" and not e.path for e in errors)
        ]
        if self.unquoted(error.instance, forms):
            message = f"{self.place(path)} must be a text, and this is a mapping"
            hint = "put it in quotes: in a text, `: ` needs them"
            ((key, value),) = error.instance.items()
            compared = f'write `"{key} = {value}"`' if re.search(r"[.(]", key) else ""
            if not compared and path[-2:-1] == ("then",) and key.isidentifier():
                compared = (
                    f'write `"seat(0).{key} = {value}"` of a player\'s, `"{key} = {value}"` of what is there once'
                )
            if path[-2:-1] == ("when",):
                written = f"{key}:{value}" if "=" in str(value) else f"{key}:…={value}"
                known = enumerated([f"`{key}`" for form in forms for key in form.get("properties", ())], "or")
                compared = f'an id is one text, and with `: ` it needs quotes: `"{written}"`; '
                compared += f"a mapping here has the keys {known}"
            hint = compared or hint
            yield self.fault(path, "schema-type", message, hint)
        elif isinstance(error.instance, dict) and (seat := self.seat_hint(error.instance, forms)):
            yield self.fault(path, "schema-unknown-key", f"who chooses is a key of its own in {self.place(path)}", seat)
        elif error.instance is True and path[:1] == ("types",):
            yield Fault(path, self.value_span(path), "schema-type", "")  # told with what stands beside it
        elif meant:
            for below in min(meant, key=len):
                yield from self.explain(below, path)
        elif error.instance is None:
            yield self.nothing(path)
        else:
            words = enumerated([self.expected(form) for form in forms], "or")
            message = f"{self.place(path)} must be {words}, not {_shown(error.instance)}"
            hint = "write `2..4`, with your numbers" if path == ("players",) else self.quotes_hint(error.instance)
            if isinstance(error.instance, list) and len(error.instance) == 1 and isinstance(error.instance[0], str):
                hint = f"write `{path[-1]}: {error.instance[0]}`"
            if path[:1] == ("types",) and re.fullmatch(r"[a-z]\w*(?: [a-z]\w*)+", str(error.instance)):
                names = ", ".join(str(error.instance).split())
                hint = f"a list stands between brackets: `{path[-1]}: [{names}]`"
            yield self.fault(path, "schema-type", message, hint)
