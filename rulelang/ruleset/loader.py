"""Loads a ruleset: its folder, the one it extends, and overlays, as one.

Enters: a path or name, and overlays. Leaves: a `Ruleset`, or None and findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rulelang.diagnostics import Diagnostics, suggest
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.build import Origin, build
from rulelang.ruleset.files import HEADER, Layer, content_hash, find_folder, is_name, read_layer
from rulelang.ruleset.layers import join_files, lay_over
from rulelang.ruleset.model import RuleFile, Ruleset
from rulelang.ruleset.nodes import NOTHING, Mapping, Scalar, dsl_text, file_span, without
from rulelang.ruleset.schema import section_path, validate
from rulelang.ruleset.yaml_reader import read_yaml

MAX_LAYERS = 16
SCHEMA = "ruleset.schema.json"


@dataclass(frozen=True)
class _Part:
    """A folder that was read: its files and, joined, their trees."""

    layer: Layer
    tree: Mapping
    readable: bool  # whether every file of it could be read


def load_ruleset(path: str | Path, overlays: Sequence[str | Path] = (), *, diagnostics: Diagnostics) -> Ruleset | None:
    """The ruleset at `path`, with what it extends below it and the overlays above it.

    Args:
        path: a ruleset folder, a variant folder, or the name of a shipped ruleset.
        overlays: folders or shipped names to lay over it, the last one on top.
        diagnostics: receives every finding.

    Returns:
        The ruleset, or None if there is an error in its files; DSL texts are not looked at here.
    """
    before = sum(d.severity == "error" for d in diagnostics)
    folder = find_folder(path, diagnostics)
    if folder is None:
        return None
    parts = _stack(folder, folder.parent, (), diagnostics)
    for overlay in overlays:
        over = find_folder(overlay, diagnostics)
        if over is not None:
            parts += _overlay(over, parts, diagnostics)
    tree, readable = NOTHING, bool(parts)
    for number, part in enumerate(parts):
        tree = (
            lay_over(tree, part.tree, diagnostics)
            if number
            else lay_over(Mapping(part.tree.span), part.tree, diagnostics)
        )
        readable = readable and part.readable
    if not parts:
        return None
    faulty = validate(tree, SCHEMA, diagnostics)
    if () in faulty:
        return None
    if readable:
        _require_header(tree, parts[-1], diagnostics)
    tree_left = without(tree, frozenset(section_path(p, tree) for p in faulty))
    rules = tuple(rule for number, part in enumerate(parts) for rule in _rules(part, number, diagnostics))
    origin = Origin(str(folder), content_hash(part.layer for part in parts), rules)
    built = build(tree_left, origin, diagnostics) if isinstance(tree_left, Mapping) else None
    return built if sum(d.severity == "error" for d in diagnostics) == before else None


def _rules(part: _Part, number: int, diagnostics: Diagnostics) -> list[RuleFile]:
    """The rule text of a folder: what stands under `rules:` in its YAML, then its `.rule` files."""
    found = []
    entry = part.tree.entries.get("rules")
    if entry is not None and isinstance(entry.value, Scalar):
        text = dsl_text(entry.value, diagnostics)
        if text.span.source is not None:
            found.append(RuleFile(text.span.source, number, text))
    return found + [RuleFile(source, number) for source in part.layer.rules]


def _require_header(tree: Mapping, top: _Part, diagnostics: Diagnostics) -> None:
    where = file_span(top.layer.yaml[0])
    for key, example in (("name", "name: my_game"), ("players", "players: 2..4")):
        if tree.get(key) is None:
            diagnostics.error("schema-missing", f"the ruleset lacks `{key}`", where, f"add a line such as `{example}`")


def _read(folder: Path, diagnostics: Diagnostics) -> _Part | None:
    layer = read_layer(folder, diagnostics)
    if layer is None:
        return None
    trees = [read_yaml(source, diagnostics) for source in layer.yaml]
    whole = [tree for tree in trees if tree is not None]
    for tree in whole:
        entry = tree.entries.get("extends")
        if entry is not None and not entry.key.span.path.endswith(HEADER):
            diagnostics.error("ruleset-extends", f"`extends` stands in `{HEADER}` only", entry.key.span)
    return _Part(layer, join_files(whole, diagnostics), len(whole) == len(trees) and bool(trees))


def _stack(folder: Path, root: Path, above: tuple[Path, ...], diagnostics: Diagnostics) -> list[_Part]:
    """The folder and all it extends, the base first; `root` is the folder that nothing may lead out of."""
    part = _read(folder, diagnostics)
    if part is None:
        return []
    base = _base_folder(part, folder, root, diagnostics)
    if base is None:
        return [part]
    if base in (folder, *above) or len(above) >= MAX_LAYERS:
        span = part.tree.entries["extends"].value.span
        diagnostics.error("ruleset-extends", "the ruleset extends itself, directly or by way of another", span)
        return [part]
    return [*_stack(base, root, (folder, *above), diagnostics), part]


def _overlay(folder: Path, below: list[_Part], diagnostics: Diagnostics) -> list[_Part]:
    """An overlay: what it extends, if anything, must be in the stack that it is laid over."""
    part = _read(folder, diagnostics)
    if part is None:
        return []
    base = _base_folder(part, folder, folder.parent, diagnostics)
    if base is not None and all(base != other.layer.folder for other in below):
        entry = part.tree.entries["extends"]
        message = f"this overlay extends `{base.name}`, which is not what it is laid over"
        diagnostics.error("ruleset-extends", message, entry.value.span)
    return [part]


def _base_folder(part: _Part, folder: Path, root: Path, diagnostics: Diagnostics) -> Path | None:
    """The real folder that `extends` means. Findings: `ruleset-extends`, `ruleset-outside`."""
    node = part.tree.get("extends")
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None  # the schema says what is wrong with it
    text, shipped = node.value, shipped_rulesets()
    if is_name(text):
        candidate = shipped / text if (shipped / text).is_dir() else root / text
    else:
        candidate = folder / text
    base = candidate.resolve()
    if not (base.is_relative_to(root) or base.is_relative_to(shipped.resolve())):
        message = f"`{text}` lies outside `{root.name}`: a variant extends a shipped ruleset or one in the same folder"
        diagnostics.error("ruleset-outside", message, node.span)
        return None
    if not (base / HEADER).is_file():
        names = sorted(p.name for p in (*shipped.glob("*"), *root.glob("*")) if (p / HEADER).is_file())
        diagnostics.error("ruleset-extends", f"there is no ruleset `{text}`", node.span, suggest(text, names))
        return None
    return base
