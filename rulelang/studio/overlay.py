"""What differs between a ruleset's files and other texts of them, said as a variant that `extends:` it.

Enters: a ruleset's folder, texts in place of those of its files. Leaves: the files of a variant, in which a row says
what differs key by key and a declaration stands whole; or what can't be said so. Whoever writes them loads the variant
and compares: see `same`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from rulelang.diagnostics import Diagnostics, RulesetError, Source, UsageError
from rulelang.game import load
from rulelang.ruleset.files import HEADER, SCENARIOS
from rulelang.ruleset.layers import row_id
from rulelang.ruleset.loader import read_tree
from rulelang.ruleset.model import WrittenRuleset
from rulelang.ruleset.nodes import NOTHING, Node, Scalar, Sequence, plain
from rulelang.ruleset.nodes import Mapping as Tree
from rulelang.ruleset.yaml_reader import read_yaml
from rulelang.semantics.typing.declarations import parsed_file
from rulelang.semantics.typing.overlays import key_of, weave
from rulelang.syntax import ast, print_node

OWN = ("rulelang", "extends", "name", "rules")
"""Keys of the YAML that a variant has of its own, or that are no rows."""
REMOVE = "{remove: true}"
_PLAIN = re.compile(r"[A-Za-z_][\w -]*\w|[A-Za-z_]")
_READ_OTHERWISE = ("true", "false", "null", "yes", "no", "on", "off", "none")
Rules = dict[tuple[str, ...], tuple[ast.Declaration, str]]


class UnsayableError(UsageError):
    """No variant says this; `reasons`: why, a sentence each."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.reasons = reasons


def overlay(folder: Path, name: str, extends: str, texts: Mapping[Path, str]) -> dict[str, str]:
    """Return the files of a variant, by their paths in its folder.

    Args:
        folder: the real folder of the ruleset. extends: what the variant calls it.
        texts: in place of those of its files, by their real paths.

    Raises:
        UnsayableError: nothing differs, or what differs can't be said by a variant.
        RulesetError: the ruleset has errors.
    """
    old, new = load(folder), load(folder, instead=texts)
    head = {"rulelang": str(old.written.version), "extends": extends, "name": name}
    sections = list(_sections(read_tree(folder), read_tree(folder, instead=texts)))
    rules, reasons = _rules(old.written, new.written)
    scenarios = list(_scenarios(folder, texts))
    if reasons:
        raise UnsayableError(reasons)
    if not sections and not rules and not scenarios:
        raise UnsayableError(["nothing differs from the files on the disk"])
    files = {HEADER: "".join(f"{key}: {value}\n" for key, value in head.items()) + "".join(sections)}
    if rules:
        files[f"{name}.rule"] = "\n\n".join([f"rulelang {old.written.version}", *rules]) + "\n"
    if scenarios:
        files[f"{SCENARIOS}/{name}.yaml"] = f"rulelang: {old.written.version}\nscenarios:\n" + "".join(scenarios)
    return files


def same(variant: Path, folder: Path, texts: Mapping[Path, str]) -> tuple[list[str], list[str]]:
    """Return what a variant says otherwise than texts of the ruleset that it extends, and of what only the order is
    another one; two empty lists if it says the same."""
    try:
        made = load(variant)
    except RulesetError as error:
        return [str(error)], []
    first, second = _standing(made.written), _standing(load(folder, instead=texts).written)
    wrong = [text.partition("\n")[0] for text in first ^ second]
    mine, theirs = read_tree(variant), read_tree(folder, instead=texts)
    keys = [key for key in {**mine.entries, **theirs.entries} if key not in OWN]
    pairs = [(key, mine.get(key) or NOTHING, theirs.get(key) or NOTHING) for key in keys]
    wrong += [key for key, one, other in pairs if _unordered(one) != _unordered(other)]
    moved = [key for key, one, other in pairs if key not in wrong and _order(one) != _order(other)]
    return wrong, moved


def _standing(ruleset: WrittenRuleset) -> set[str]:
    """Return what the declarations of a ruleset mean once its layers are laid over each other."""
    rules = [(file.layer, node) for file in ruleset.rule_files for node in parsed_file(file, Diagnostics())]
    woven, _ = weave([row for row in rules if not isinstance(row[1], ast.Version)], ruleset, Diagnostics())
    return {_means(node) for node in woven}


def _unordered(node: Node) -> object:
    """Return a node as plain values, rows by their ids."""
    if isinstance(node, Tree):
        return {key: _unordered(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence) and node.items and all(map(row_id, node.items)):
        return {key: _unordered(row) for key, row in _by_id(node).items()}
    return plain(node)


def _order(node: Node) -> list[object]:
    """Return the names of rows in their order."""
    if isinstance(node, Sequence):
        return [*_by_id(node)]
    return (
        [(key, _order(entry.value) if isinstance(entry.value, Sequence) else ()) for key, entry in node.entries.items()]
        if isinstance(node, Tree)
        else []
    )


# ---- rows ------------------------------------------------------------------------------------------


def _sections(old: Tree, new: Tree) -> Iterator[str]:
    """Yield each section of the YAML with what differs in it."""
    for key in dict.fromkeys((*old.entries, *new.entries)):
        was, now = old.get(key), new.get(key)
        if key in OWN or (was is not None and now is not None and plain(was) == plain(now)):
            continue
        yield f"{_key(key)}: {REMOVE}\n" if now is None else _entry(key, _changed(was, now), 0)


Written = str | dict[str, "Written"] | list["Written"]
"""What is to be written: a value as it stands on a line, keys, rows. A text of several lines begins with `|`."""


def _changed(old: Node | None, new: Node) -> Written:
    """Return what a variant says so that one node becomes the other."""
    if isinstance(old, Tree) and isinstance(new, Tree):
        keys = dict.fromkeys((*old.entries, *new.entries))
        return {key: part for key in keys if (part := _part(old.get(key), new.get(key))) is not None}
    if isinstance(old, Sequence) and isinstance(new, Sequence) and any(map(row_id, (*old.items, *new.items))):
        return list(_rows(old, new))
    return _whole(new)


def _part(old: Node | None, new: Node | None) -> Written | None:
    if new is None:
        return REMOVE
    return None if old is not None and plain(old) == plain(new) else _changed(old, new)


def _rows(old: Sequence, new: Sequence) -> Iterator[Written]:
    """Yield what a variant says of rows with ids: what differs of each, then new ones, as they come."""
    before, after = _by_id(old), _by_id(new)
    for id_, row in after.items():
        was = before.get(id_)
        part = _part(was, row)
        if part is not None:
            yield {"id": id_, **part} if was is not None and isinstance(part, dict) else part
    for id_ in before:
        if id_ not in after:
            yield {"id": id_, "remove": "true"}


def _by_id(rows: Sequence) -> dict[str, Node]:
    return {str(id_.value): row for row in rows.items if (id_ := row_id(row)) is not None}


def _whole(node: Node) -> Written:
    """Return a node as it is written."""
    if isinstance(node, Tree):
        return {key: _whole(entry.value) for key, entry in node.entries.items()}
    if isinstance(node, Sequence):
        return [_whole(item) for item in node.items]
    return _scalar(node)


def _scalar(node: Scalar) -> str:
    value = node.value
    if isinstance(value, str) and "\n" in value:
        return f"|\n{value}"
    if isinstance(value, str) and node.style == "plain" and node.span.source is not None:
        line = node.span.whole_line[node.span.column - 1 : node.span.end_column - 1]
        return (
            line
            if node.span.line == node.span.end_line and line.strip() == value
            else json.dumps(value, ensure_ascii=False)
        )
    if isinstance(value, str):
        return _key(value)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _key(text: str) -> str:
    """Return a text as YAML: plain where that means the same."""
    plain_is_safe = _PLAIN.fullmatch(text) and text.lower() not in _READ_OTHERWISE
    return text if plain_is_safe else json.dumps(text, ensure_ascii=False)


def _entry(key: str, value: Written, depth: int) -> str:
    """Return a key and its value as lines."""
    lead = f"{'  ' * depth}{_key(key)}:"
    return f"{lead} {_flow(value)}\n" if _fits(value, depth) else f"{lead}{_block(value, depth)}"


def _block(value: Written, depth: int) -> str:
    if isinstance(value, str):
        lines = value.removeprefix("|\n").split("\n")
        mark = "|" if value.endswith("\n") else "|-"
        return f" {mark}\n" + "".join(
            f"{'  ' * (depth + 1)}{line}".rstrip() + "\n" for line in lines if line or line is not lines[-1]
        )
    if isinstance(value, dict):
        return "\n" + "".join(_entry(key, part, depth + 1) for key, part in value.items())
    return "\n" + "".join(_item(part, depth + 1) for part in value)


def _item(value: Written, depth: int) -> str:
    """Return an item of a list as lines."""
    lead = "  " * depth
    if _fits(value, depth) or not isinstance(value, dict):
        return f"{lead}- {_flow(value)}\n"
    return f"{lead}- {''.join(_entry(key, part, depth + 1) for key, part in value.items()).lstrip()}"


def _fits(value: Written, depth: int) -> bool:
    """Return whether a value stands on one line."""
    rows = isinstance(value, list) and any(isinstance(part, dict) for part in value)
    sections = isinstance(value, dict) and depth == 0 and value != {}
    return not rows and not sections and "\n" not in (text := _flow(value)) and len(text) < 100


def _flow(value: Written) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {_in_flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_in_flow, value)) + "]"
    return value


def _in_flow(value: Written) -> str:
    """Return a value between brackets, where commas and brackets of its own would end it."""
    if isinstance(value, str) and value != REMOVE and value[:1] not in "\"'" and re.search(r"[,\[\]{}]", value):
        return json.dumps(value, ensure_ascii=False)
    return _flow(value)


# ---- rules -----------------------------------------------------------------------------------------


def _rules(old: WrittenRuleset, new: WrittenRuleset) -> tuple[list[str], list[str]]:
    """Return the declarations that a variant has, and what it can't say."""
    was, before = _declarations(old)
    now, after = _declarations(new)
    texts = [text for key, (node, text) in now.items() if key not in was or _means(was[key][0]) != _means(node)]
    for key, (node, _) in was.items():
        if key not in now:
            word = "exchange" if key[0] == "exchange" else node.word
            named = f" {key[-1]}" if len(key) > 1 else ""
            texts.append(f"remove {word}{named}" + (f" in {key[1]}" if key[0] == "exchange" else ""))
    reasons = [
        f"`{text.partition(chr(10))[0]}` has no name, so no variant can change or remove it: let it call a rule"
        for meaning, text in before.items()
        if meaning not in after
    ]
    return texts + [text for meaning, text in after.items() if meaning not in before], reasons


def _declarations(ruleset: WrittenRuleset) -> tuple[Rules, dict[str, str]]:
    """Return the declarations with a name, by what a variant replaces them by; and those without, by their meaning."""
    named: Rules = {}
    unnamed: dict[str, str] = {}
    for file in sorted(ruleset.rule_files, key=lambda file: file.layer):
        for node in parsed_file(file, Diagnostics()):
            if isinstance(node, ast.Version):
                continue
            text, key = print_node(node), key_of(node)
            if key is not None:
                named[key] = node, text
            else:
                unnamed[_means(node)] = text
    return named, unnamed


def _means(node: ast.Declaration) -> str:
    """Return a declaration in the one layout, without its citations."""
    return print_node(replace(node, citations=()) if hasattr(node, "citations") else node)  # type: ignore[call-arg]


# ---- scenarios -------------------------------------------------------------------------------------


def _scenarios(folder: Path, texts: Mapping[Path, str]) -> Iterator[str]:
    """Yield the scenarios of a ruleset that are new, or not as on the disk, as their author wrote them."""
    for path, text in texts.items():
        if path.parent == folder / SCENARIOS:
            before = _items(path.read_text("utf-8")) if path.is_file() else {}
            yield from (item for name, item in _items(text).items() if before.get(name) != item)


def _items(text: str) -> dict[str, str]:
    """Return the scenarios of a file, by name, as they are written."""
    source = Source("", text)
    tree = read_yaml(source, Diagnostics())
    rows = tree.get("scenarios") if tree is not None else None
    items = rows.items if isinstance(rows, Sequence) else ()
    ends = [*(item.span.line for item in items[1:]), len(source.lines) + 1]
    named = zip(items, ends, strict=True)
    return {
        str(plain(item.get("name") or NOTHING)): "\n".join(source.lines[item.span.line - 1 : end - 1]).rstrip() + "\n"
        for item, end in named
        if isinstance(item, Tree)
    }
