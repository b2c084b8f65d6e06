"""Reads a YAML file into nodes with places: the small, safe part of YAML 1.2 that rulesets use.

Enters: a `Source`. Leaves: its tree, or findings. The only module that knows the YAML library; the parser's events are
used, not its objects, so that nothing is built, followed or recursed into before it is checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from rulelang.diagnostics import (
    LANGUAGE_VERSION,
    OLDEST_VERSION,
    VERSION_LINE,
    Diagnostic,
    Diagnostics,
    Source,
    Span,
    counted,
)
from rulelang.limits import DEPTH, DIGITS, FINDINGS, YAML_NODES
from rulelang.ruleset.files import BAD_CHARACTER, Budget, characters_fit
from rulelang.ruleset.nodes import Entry, Mapping, Node, Scalar, Sequence, Style, file_span
from rulelang.ruleset.yaml_lines import slip

VERSIONS = range(OLDEST_VERSION, LANGUAGE_VERSION + 1)
Parser = Callable[[str], Iterator[Any]]
"""From a text to its events."""

_INT = re.compile(r"[-+]?[0-9]+")
_OTHER_NUMBER = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)|0o[0-7]+|0x[0-9a-fA-F]+"
)
_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_STYLES: dict[str | None, Style] = {"'": "quoted", '"': "quoted", "|": "literal", ">": "folded"}

# What the YAML library says -> what helps the author, and a hint.
_QUOTE = "put the text in quotes, or write `|` and the text below"
_FAULTS = (
    ("mapping values are not allowed", "a `:` cannot stand here", f"is the line above whole? If it is text, {_QUOTE}"),
    ("could not find expected ':'", "a `:` is missing after this key", f"if this is text, {_QUOTE}"),
    ("while scanning a quoted", "a quote is opened here and never closed", ""),
    ("expected <block end>, but found '{'", "a row of a list lacks its dash", "each row begins with `- `: `- {…}`"),
    ("expected <block end>, but found '-'", "a list stands below its key", "write `NAME:` above it"),
    ("expected <block end>", "this does not fit here", f"is it indented like the rest? If this is text, {_QUOTE}"),
    ("expected ',' or '}'", "a `,` or `}` is missing here", "text with `{`, `}`, `,` or `: ` inside { } needs quotes"),
    ("expected ',' or ']'", "a `,` or `]` is missing here", "text with `[`, `]`, `,` or `: ` inside [ ] needs quotes"),
    ("expected the node content", "a value is missing here", "is a bracket or a brace never closed?"),
    ("cannot start any token", "this character cannot start a value", _QUOTE),
    ("expected alphabetic or numeric", "`*` and `&` cannot start a value", _QUOTE),
    ("unknown escape character", "an unknown escape between double quotes", "use single quotes"),
    ("expected escape sequence", "an unknown escape between double quotes", "use single quotes"),
    ("expected chomping", "after `|` the line ends, and the text stands below", ""),
    ("more indented follow up", "the first lines of this block are indented more than the rest", ""),
    ("<document start>", "this does not fit here", "is it indented like the rest?"),
    ("not allowed here", "this cannot stand here", "is it indented like the rest?"),
)  # fmt: skip

_DIFFERENT = re.compile(r"""^\.\.\.|["'\]}]:[^ \n]|[|>][-+0-9]*(#| *(#.*)?\n\s* \n)""", re.MULTILINE)
"""What libyaml takes and ruamel.yaml does not: several `...`, `["a":b]`, odd heads of blocks."""
_BARE_ROW = re.compile(r" *- ([(\[]?\w+: ?[^,{}]+, *\w+:.*)$")
_FLOW = re.compile("flow (mapping|sequence)")
_CLOSE_COLON = re.compile(r"\s*(- )?([\w-]+):[^\s:]")
_NO_COLON = re.compile(r" *([A-Za-z_]\w*) *=? *([^:=]*(?:\{.*)?)$")
_CLOSER = {"{": "}", "[": "]"}
_BLOCK = re.compile(r"((?: |- )*)([\w-]+): +[|>][-+]? *(?:#.*)?$")
"""A key whose text stands below it."""
_KEY = re.compile(r" *(- |#|[]}]|(?!(?:setup|play|winner|tie|payoff|scores):)[\"']?[\w-]+[\"']?:( |$))")
"""What stands below such a key and is no text."""


def _indentation(line: str) -> int:
    """Return the number of leading blanks of a line."""
    return len(line) - len(line.lstrip())


class _UnreadableError(Exception):
    """The rest of the file is not worth reading."""


def read_yaml(source: Source, diagnostics: Diagnostics, budget: Budget | None = None) -> Mapping | None:
    """Parse a YAML file to a tree with spans; None if it cannot be parsed. Results are memoised by source.

    Findings: `ruleset-character`, `ruleset-long-line`, `yaml-syntax`, `yaml-empty`, `yaml-root`, `yaml-anchor`,
    `yaml-tag`, `yaml-duplicate-key`, `yaml-key`, `yaml-depth`, `yaml-number`, `yaml-tab`, `yaml-directive`,
    `yaml-documents`, `yaml-too-many`, `ruleset-version`.
    """
    budget = budget or Budget()
    read: _Read | None = source.memo.get("yaml")
    if read is None or read.nodes > budget.nodes:
        read = _read(source, budget.nodes)
        if read.nodes <= budget.nodes:
            source.memo["yaml"] = read
    budget.nodes -= read.nodes
    diagnostics.extend(read.findings)
    return read.root


@dataclass(frozen=True)
class _Read:
    """What came of a file; `nodes`: how many keys and values it has."""

    root: Mapping | None
    nodes: int
    findings: tuple[Diagnostic, ...]


def _read(source: Source, most: int) -> _Read:
    """Parse a file, with libyaml or, for exact error messages, with ruamel.yaml; `most` is the budget of nodes."""
    diagnostics = Diagnostics()
    if not characters_fit(source, diagnostics):  # the parsers have other ends of lines than `Source.lines`
        return _Read(None, 0, tuple(diagnostics))
    read = _parsed(source, most, _libyaml)
    return _parsed(source, most, _ruamel) if read.root is None or read.findings else read


def _parsed(source: Source, most: int, parser: Parser) -> _Read:
    """Parse a file with one parser; return its tree, its number of nodes and the findings."""
    diagnostics, budget = Diagnostics(), Budget(nodes=most)
    root = _root(source, diagnostics, budget, parser)
    return _Read(root, most - budget.nodes, tuple(diagnostics))


def _libyaml(text: str) -> Iterator[Any]:
    """Yield the events of libyaml, which takes 3 % of the time of `_ruamel`.

    Raises _UnreadableError for all text that the two might treat differently.
    """
    if _DIFFERENT.search(text) or BAD_CHARACTER.search(text):
        raise _UnreadableError
    try:
        from yaml import CBaseLoader, YAMLError, parse  # type: ignore[import-untyped]
    except ImportError as error:  # PyYAML was built without libyaml
        raise _UnreadableError from error
    try:
        for event in parse(text, Loader=CBaseLoader):
            if type(event).__name__ == "ScalarEvent" and not event.value and not event.style:
                raise _UnreadableError
            yield event
    except (YAMLError, ValueError) as error:
        raise _UnreadableError from error


def _ruamel(text: str) -> Iterator[Any]:
    """Return the events of ruamel.yaml, whose errors `_FAULTS` translates."""
    from ruamel.yaml import YAML

    return iter(YAML(typ="safe", pure=True).parse(text))


def _root(source: Source, diagnostics: Diagnostics, budget: Budget, parser: Parser) -> Mapping | None:
    """Compose the top mapping of a file; None, with findings, if it is no mapping or cannot be read."""
    if _has_tabs(source, diagnostics) or _has_directive(source, diagnostics) or _has_unindented(source, diagnostics):
        return None
    try:
        root = _Composer(source, diagnostics, budget).compose(parser(source.text))
    except _UnreadableError:
        return None
    if root is None or (isinstance(root, Scalar) and root.value is None):
        diagnostics.error("yaml-empty", "the file is empty", file_span(source), f"it starts with `{VERSION_LINE}`")
        return None
    if not isinstance(root, Mapping):
        hint = "a list of pieces stands below `pieces:` and the name of their kind"
        if re.search(r"(?:^|[\\/])scenarios[\\/]", source.path):
            hint = f"write `{VERSION_LINE}` and `scenarios:` above the list"
        diagnostics.error(
            "yaml-root", f"the file must hold keys with values, such as `{VERSION_LINE}`", root.span, hint
        )
        return None
    _check_version(source, root, diagnostics)
    return root


def _has_tabs(source: Source, diagnostics: Diagnostics) -> bool:
    """Report tabs, all of a file as one; return whether there are any."""
    lines = [n for n, line in enumerate(source.lines, 1) if "\t" in line]
    if not lines:
        return False
    line = source.lines[lines[0] - 1]
    column = line.index("\t") + 1
    place = Span(source, lines[0], column, lines[0], column + 1)
    more = f", and {counted(len(lines) - 1, 'more line')} with tabs" if len(lines) > 1 else ""
    cells = [cell.strip() for cell in line.strip().removeprefix("- ").split("\t") if cell.strip()]
    message, hint = "a tab: YAML is indented with spaces", "put spaces in its place"
    if len(cells) > 1 and not line[: column - 1].endswith(":"):
        message = "cells of a spreadsheet: between braces each value has its key"
        hint = f"write `- {{{', '.join(_keyed(source.lines, lines[0], cells))}}}`"
    diagnostics.error("yaml-tab", f"{message}{more}", place, hint)
    return True


def _keyed(lines: tuple[str, ...] | list[str], number: int, cells: list[str]) -> list[str]:
    """Return the cells of a row with the keys of the nearest other row of a file that is written between braces."""
    rows = [(abs(n - number), line) for n, line in enumerate(lines, 1) if re.match(r" *- \{\w+: ", line)]
    keys = re.findall(r"(\w+): ", min(rows)[1]) if rows else ["id"]
    return [f"{keys[n] if n < len(keys) else '…'}: {cell}" for n, cell in enumerate(cells)]


def _has_directive(source: Source, diagnostics: Diagnostics) -> bool:
    """Report a YAML directive at the top of a file; return whether there is one."""
    for number, line in enumerate(source.lines, 1):
        if line.startswith("%"):
            span = Span(source, number, 1, number, len(line) + 1)
            message = "a line that starts with `%` has no use in rulesets"
            diagnostics.error("yaml-directive", message, span, "take it away, and the `---` below it")
            return True
        if line.strip() and not line.lstrip().startswith("#"):
            return False
    return False


def _has_unindented(source: Source, diagnostics: Diagnostics) -> bool:
    """Report a text after `|` whose first line stands no deeper than its key; return whether there is one."""
    for number, line in enumerate(source.lines, 1):
        head = _BLOCK.match(line)
        if head is None:
            continue
        rest = (source.lines[below] for below in range(number, len(source.lines)))
        below = next((text for text in rest if text.strip()), "")
        if not below or _indentation(below) > len(head[1]) or _KEY.match(below):
            continue
        span = Span(source, number, len(head[1]) + 1, number, len(line) + 1)
        message = f"the text of `{head[2]}` stands no deeper than its key"
        diagnostics.error("yaml-syntax", message, span, "indent all its lines by two more spaces")
        return True
    return False


def _check_version(source: Source, root: Mapping, diagnostics: Diagnostics) -> None:
    """Report a missing or unknown language version."""
    version = root.get("rulelang")
    if version is None:
        message = "the file does not say its language version"
        diagnostics.error("ruleset-version", message, file_span(source), f"start it with `{VERSION_LINE}`")
    elif isinstance(version, Scalar) and version.broken:
        pass  # found as what is no number
    elif not isinstance(version, Scalar) or version.value is True or version.value not in VERSIONS:
        message = f"this engine reads version {LANGUAGE_VERSION} of the language"
        diagnostics.error("ruleset-version", message, version.span, f"write `{VERSION_LINE}`")


class _Composer:
    """Builds the tree of one file from the parser's events, without recursion."""

    def __init__(self, source: Source, diagnostics: Diagnostics, budget: Budget) -> None:
        self.source = source
        self.diagnostics = diagnostics
        self.budget = budget
        self.findings = 0
        self.anchors: set[str] = set()

    def compose(self, parsed: Iterator[Any]) -> Node | None:
        """Build the tree of nodes from parser events, without recursion; None for an empty file."""
        stack: list[tuple[Any, list[Node]]] = [(None, [])]
        documents = 0
        for event in self._events(parsed):
            name = type(event).__name__
            self.budget.nodes -= 1
            if self.budget.nodes < 0:
                self.fault("yaml-too-many", f"the ruleset holds more than {YAML_NODES} keys and values", event)
                raise _UnreadableError
            if name == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    message = "one file holds one document: `---` may stand only at its start"
                    self.fault("yaml-documents", message, event, "take the line away")
                    raise _UnreadableError
            elif name in ("MappingStartEvent", "SequenceStartEvent"):
                self.check_properties(event)
                if len(stack) > DEPTH:
                    self.fault("yaml-depth", f"nested more than {DEPTH} levels deep", event)
                    raise _UnreadableError
                stack.append((event, []))
            elif name in ("MappingEndEvent", "SequenceEndEvent"):
                start, children = stack.pop()
                make = self.mapping if name == "MappingEndEvent" else self.sequence
                stack[-1][1].append(make(start, event, children))
            elif name == "ScalarEvent":
                self.check_properties(event)
                within, before = stack[-1]
                is_key = type(within).__name__ == "MappingStartEvent" and len(before) % 2 == 0
                before.append(self.scalar(event, is_key))
            elif name == "AliasEvent":
                if event.anchor not in self.anchors:  # else the anchor's finding speaks for it
                    message = "`*` refers to another place: anchors and aliases are not used in rulesets"
                    self.fault("yaml-anchor", message, event, "write the value itself here; a text goes in quotes")
                stack[-1][1].append(Scalar(self.span(event), None, broken=True))
        return next(iter(stack[0][1]), None)

    def _events(self, parsed: Iterator[Any]) -> Iterator[Any]:
        """Yield the parser's events; translate its exceptions to findings and raise _UnreadableError."""
        event = None
        try:
            for event in parsed:
                yield event
        except _UnreadableError:
            raise
        except Exception as error:
            self._translate(error, self.span(event) if event else file_span(self.source))
            raise _UnreadableError from error

    def _translate(self, error: Any, place: Span) -> None:
        """Report an exception of ruamel.yaml after a place; raise it again if it is none of those."""
        from ruamel.yaml.error import MarkedYAMLError, YAMLError

        if isinstance(error, MarkedYAMLError):
            mark: Any = error.problem_mark or error.context_mark
            if mark is not None:
                # A quote that is never closed is best shown where it opens, not at the end of the file.
                # So is a key without its colon, or a brace that lines below it do not close.
                start, said = error.context_mark, f"{error.context} {error.problem}"
                if start is not None and ("quoted" in said or "expected ':'" in said):
                    mark = start
                elif start is not None and _FLOW.search(said) and mark.line > start.line:
                    begins = min(mark.column, _indentation(self.source.lines[mark.line]))
                    if begins <= _indentation(self.source.lines[start.line]):
                        self._never_closed(start)
                place = Span(self.source, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
            said = f"{error.context or ''} {error.problem or ''}"
            message, hint = next(((m, h) for part, m, h in _FAULTS if part in said), (f"not YAML: {said.strip()}", ""))
            message, place, hint = self._slip(said, message, place, hint)
            self.diagnostics.error("yaml-syntax", message, place, hint)
        elif isinstance(error, (YAMLError, ValueError, OverflowError)):
            # The scanner converts escapes and version numbers without checking them first.
            self.diagnostics.error("yaml-syntax", f"not YAML after this place: {error}", place)
        else:
            raise error

    def _slip(self, said: str, message: str, place: Span, hint: str) -> tuple[str, Span, str]:
        """Return message, place and hint of a mistake that shows in the line at fault, or the one above; else those
        that are given, for what the parser `said`."""
        lines = self.source.lines
        bare = re.match(r" *([A-Za-z_][\w-]*) +(\{.*)$", lines[place.line - 1])
        if bare is not None and "block end" in said:
            return f"a `:` is missing after `{bare[1]}`", place, f"write `{bare[1]}: {{…}}`"
        if lines[place.line - 1][place.column - 1 : place.column] == "," and "block end" in said:
            return "a `,` at the end of a line has no place outside of brackets", place, "take it away"
        quoted = re.match(r"(.*?)'((?:\w+ )*\w+)$", lines[place.line - 1][: place.column - 1].removesuffix("'"))
        rest = re.match(r"([^\W\d][^']*)'", lines[place.line - 1][place.column - 1 :])
        if quoted is not None and rest is not None:
            hint = f'between double quotes it is a part of the text: `"{quoted[2]}\'{rest[1]}"`'
            return "a `'` ends the text here", place, hint
        behind = re.match(r" *(?:- )?[\w-]+: +\"([^\"]*)\" *[+.&,]? *(\w+)\W*$", lines[place.line - 1])
        if behind is not None and "block end" in said:
            hint = f'what is filled in stands within, between braces: `"{behind[1]}{{{behind[2]}}}"`'
            return "text ends with its closing quote, and something stands behind it", place, hint
        semicolon = lines[place.line - 1].split(" #")[0].find(";")
        if semicolon >= 0 and _FLOW.search(said):
            return "what stands between braces or brackets is separated by `,`", place, "write `,` for `;`"
        if "expected ',' or '}'" in said and (
            equals := re.search(r"(\"[^\"]+\"|[\w.]+) *=+ *([^\s,}=]+)", lines[place.line - 1])
        ):
            return "a key and its value have a `: ` between them", place, f"write `{equals[1]}: {equals[2]}`"
        if "expected ',' or '}'" in said and (
            lacks := re.search(r"[\w)\]}\"] +(\w+)$", lines[place.line - 1][: place.column - 1])
        ):
            return f"a `,` is missing before `{lacks[1]}`", place, f"write `, {lacks[1]}: …`"
        if behind := re.match(r" *- \{.*\}( *[x*×]? *(\d+)?.*)$", lines[place.line - 1]):
            if behind[1].strip() and not behind[1].lstrip().startswith(("#", ",", "}")):
                hint = f"how many there are stands within: `count: {behind[2]}`" if behind[2] else "take it away"
                return "nothing stands behind the `}` of a row", place, hint
        head = re.search(r"([\w-]+): *([>@%`&*!|=<][^,}\]]*)", lines[place.line - 1])
        if "cannot start any token" in said and head is not None:
            text = head[2].strip()
            hint = f"write `{head[1]}: '{text}'`" if head[1] != "type" else "a number has both ends: `type: 0..99`"
            return f"`{text[0]}` cannot start a value", place, hint
        if row := _BARE_ROW.match(lines[place.line - 1]):
            written = f"- {{{row[1].strip(' (){}[]')}}}"
            return "a row with several keys stands between braces", place, f"write `{written}`"
        above = next((n for n in range(place.line - 1, 0, -1) if lines[n - 1].strip()), 0)
        for number in (place.line, above):
            line = lines[number - 1] if number else ""
            start = _indentation(line)
            here = Span(self.source, number, start + 1, number, max(len(line), start + 1) + 1)
            if re.match(r" *(//|--|/\*)", line):
                return "a comment begins with `#`", here, "write `# …`"
            if "mapping values" not in said and "expected ':'" not in said:
                break
            if close := _CLOSE_COLON.match(line):
                return f"a space is missing after `{close[2]}:`", here, f"write `{close[2]}: …`"
            cells = re.split(r" *[,;|] *", line.strip().removeprefix("- "))
            if len(cells) > 2 and all(re.fullmatch(r"\w[\w ]*", cell) for cell in cells):
                keyed = ", ".join(_keyed(lines, number, cells))
                return "a row has a dash, and between braces each value its key", here, f"write `- {{{keyed}}}`"
            if lacks := _NO_COLON.match(line):
                return f"a `:` is missing after `{lacks[1]}`", here, f"write `{lacks[1]}: {lacks[2] or '…'}`"
        dashed = re.match(r"( *)-([^\s-].*)$", lines[place.line - 1])
        if dashed is not None and "expected ':'" in said:
            return "a space is missing after the dash", place, f"write `- {dashed[2]}`"
        structural = "mapping values" in said or "block end" in said
        if structural and (found := slip(lines, place.line, place.column)):
            end = max(len(lines[found.line - 1].rstrip()), found.column) + 1
            return found.message, Span(self.source, found.line, found.column, found.line, end), found.hint
        return message, place, hint

    def _never_closed(self, mark: Any) -> None:
        """Report a bracket that is still open where an unindented line follows; raise _UnreadableError."""
        opener = self.source.lines[mark.line][mark.column]
        span = Span(self.source, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
        hint = f"add the `{_CLOSER.get(opener, '')}`"
        self.diagnostics.error("yaml-syntax", f"`{opener}` is opened here and never closed", span, hint)
        raise _UnreadableError

    def fault(self, code: str, message: str, event: Any, hint: str = "") -> None:
        """Report an error at the span of an event."""
        self.add(code, message, self.span(event), hint)

    def add(
        self, code: str, message: str, span: Span, hint: str = "", related: tuple[tuple[Span, str], ...] = ()
    ) -> None:
        """Report an error; raise _UnreadableError after `FINDINGS` of them."""
        self.diagnostics.error(code, message, span, hint, related)
        self.findings += 1
        if self.findings >= FINDINGS:
            self.diagnostics.error("yaml-too-many", "too many faults: the rest of the file was not read", span)
            raise _UnreadableError

    def check_properties(self, event: Any) -> None:
        """Report anchors and tags, which rulesets do not use."""
        if event.anchor is not None:
            hint = f"write the value out in each place where `*{event.anchor}` stands"
            self.fault("yaml-anchor", f"`&{event.anchor}`: anchors and aliases are not used in rulesets", event, hint)
            self.anchors.add(event.anchor)
        if event.tag is not None:
            span = self.span(event)
            written = re.match(r"!\S*", self.source.lines[span.line - 1][span.column - 1 :])
            said = f"`{written[0]}`: tags are not used in rulesets" if written else "tags are not used in rulesets"
            self.fault("yaml-tag", said, event, "take the tag away")

    def span(self, event: Any, until: Any = None) -> Span:
        """Return the span from the start of an event to its end, or to that of `until`."""
        start, end = event.start_mark, (until or event).end_mark
        return Span(self.source, start.line + 1, start.column + 1, end.line + 1, end.column + 1)

    def sequence(self, start: Any, end: Any, children: list[Node]) -> Sequence:
        """Build a list node from its start and end events and its items."""
        return Sequence(self.collection_span(start, end, children), tuple(children), bool(start.flow_style))

    def mapping(self, start: Any, end: Any, children: list[Node]) -> Mapping:
        """Build a mapping node; report keys that are no names, and duplicates."""
        entries: dict[str, Entry] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar) or not isinstance(key.value, str):
                if not (isinstance(key, Scalar) and key.broken):
                    message = "a key must be a name or a text, not a list or a mapping"
                    self.add("yaml-key", message, key.span, "give each name a line of its own")
            elif key.value in entries:
                first = entries[key.value].key.span
                message = f"`{key.value}` stands here a second time (first on line {first.line})"
                hint = "rename one of them, or take it away"
                if key.span.column == 1 and isinstance(value, Mapping):
                    hint = f"move what stands below it up to the `{key.value}` on line {first.line}"
                self.add("yaml-duplicate-key", message, key.span, hint, ((first, "first here"),))
            else:
                entries[key.value] = Entry(key, value)
        return Mapping(self.collection_span(start, end, children), entries)

    def collection_span(self, start: Any, end: Any, children: list[Node]) -> Span:
        """Return the span of a collection: up to its closing bracket, or in block style to its last child."""
        whole = self.span(start, end)
        return whole if start.flow_style or not children else self.span(start).to(children[-1].span)

    def scalar(self, event: Any, is_key: bool) -> Scalar:
        """Build a scalar node with the value its text stands for; report invalid numbers and escapes."""
        span, text = self.span(event), event.value
        style = _STYLES.get(event.style, "plain")
        if style == "quoted" and (bad := BAD_CHARACTER.search(text)):
            # The file itself holds none of these, so an escape stands for it.
            self.add("yaml-escape", f"an escape for the invisible character U+{ord(bad.group()):04X}", span)
            return Scalar(span, "_" if is_key else None, broken=True)
        if style != "plain" or is_key:
            return Scalar(span, text, style)
        if text in _WORDS:
            return Scalar(span, _WORDS[text])
        if _INT.fullmatch(text):
            if len(text.lstrip("+-")) > DIGITS:
                self.add("yaml-number", f"a number has at most {DIGITS} digits", span)
                return Scalar(span, None, broken=True)
            return Scalar(span, int(text))
        if _OTHER_NUMBER.fullmatch(text):
            hint = "only whole numbers in decimal digits are used; put it in quotes if it is text"
            self.add("yaml-number", f"`{text}` is not a whole number", span, hint)
            return Scalar(span, None, broken=True)
        return Scalar(span, text)
