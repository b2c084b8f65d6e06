"""Loads a ruleset: its folder, the one it extends, and overlays, as one.

Enters: a path or name, and overlays. Leaves: a `Ruleset`, or None and findings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from rulelang.diagnostics import NOWHERE, Diagnostics, Source, Span, counted, suggest
from rulelang.limits import FILES, LAYERS, OVERLAYS
from rulelang.resources import shipped_rulesets
from rulelang.ruleset.build import Provenance, build, player_counts
from rulelang.ruleset.clashes import check_clashes
from rulelang.ruleset.files import (
    HEADER,
    Budget,
    Layer,
    addressed,
    content_hash,
    display_path,
    enclosing,
    find_folder,
    is_name,
    read_file,
    read_layer,
    ruleset_names,
    ruleset_root,
)
from rulelang.ruleset.groups import ungrouped
from rulelang.ruleset.layers import joined, lay_over, new_beside, one_section, refuse_equal_ids, removals
from rulelang.ruleset.missing import Lost, lost
from rulelang.ruleset.model import Beside, LayerDecl, RuleFile, WrittenRuleset
from rulelang.ruleset.nodes import Mapping, Node, Scalar, at, dsl_text, file_span, plain
from rulelang.ruleset.schema import mended, validate
from rulelang.ruleset.senses import key_meant
from rulelang.ruleset.yaml_reader import read_yaml

SCHEMA = "ruleset.schema.json"
SUGGESTED = 20
"""For so many findings a name is looked for that may have been meant, since looking takes long among many."""


BRIEF = ("title", "players", "minutes", "about", "extends")
"""The keys of what is said of a ruleset in brief."""
_BRIEF = re.compile(f"^(?:{'|'.join(BRIEF)}):", re.MULTILINE)


@dataclass(frozen=True)
class Glance:
    """What is said of a ruleset in brief: its folder, its title by language, for how many it is, how many minutes it
    takes (a number, a range such as `30..45`, or empty) and where that comes from (`provenance`), and the texts of
    `about` by topic and language."""

    folder: Path | None
    title: dict[str, str]
    players: tuple[int, ...]
    minutes: str
    about: dict[str, dict[str, str]]
    provenance: str = "stated"

    @property
    def is_estimate(self) -> bool:
        """Return whether nobody has printed how many minutes it takes."""
        return self.provenance in ("community", "invented")


@dataclass(frozen=True)
class _Part:
    """A folder that was read: its files and, joined, their trees.

    Attributes:
        readable: whether every file of it could be read.
        on: the numbers of the parts that it builds on. named: whether it was asked for by name.
    """

    layer: Layer
    tree: Mapping
    readable: bool
    on: frozenset[int] = frozenset()
    named: bool = False

    def declared(self) -> LayerDecl:
        """Return the public declaration of this layer."""
        return LayerDecl(str(self.layer.folder), display_path(self.layer.folder), self.on, self.named)


def load_ruleset(
    path: str | Path, overlays: Sequence[str | Path] = (), *, diagnostics: Diagnostics
) -> WrittenRuleset | None:
    """Load the ruleset at `path` with all it extends and the overlays; None if there are errors.

    Args:
        path: a ruleset folder, a variant folder, or the name of a shipped ruleset or variant.
        overlays: folders or shipped names to lay over it, the last one on top.
        diagnostics: receives every finding.

    Returns:
        The ruleset, or None if there is an error in its files; DSL texts are not looked at here.
    """
    return read_ruleset(path, overlays, diagnostics=diagnostics)[0]


def read_ruleset(
    path: str | Path,
    overlays: Sequence[str | Path] = (),
    *,
    diagnostics: Diagnostics,
    instead: AnyMapping[Path, str] | None = None,
) -> tuple[WrittenRuleset | None, WrittenRuleset | None, Lost]:
    """Load a ruleset as `load_ruleset` does, and build what is readable of one with errors.

    The steps: read the layers and merge them, check them, validate the tree, take out its faulty parts, build.

    Args:
        instead: texts in place of those of files, by their real paths.

    Returns:
        The ruleset or None; as much of it as could be built; what was lost of it, which explains later findings.
    """
    before = list(diagnostics)
    all_lost = Lost(frozenset(), frozenset(), False, True)
    layers = _read_layers(path, overlays, diagnostics, instead)
    if layers is None:
        return None, None, all_lost
    parts, tree = layers.parts, layers.tree
    check_clashes([part.tree for part in parts], [part.on for part in parts], diagnostics)
    unfit = Diagnostics()
    faulty = validate(tree, SCHEMA, unfit)
    is_base_lost = any(not part.readable for part in parts[:-1])  # what lacks in a variant may stand in what is lost
    diagnostics.extend(finding for finding in unfit if not (is_base_lost and finding.code == "schema-missing"))
    _hint_existing_names(layers.beside, diagnostics)
    repaired, unrepaired = mended(tree, SCHEMA, faulty) if faulty else (tree, [])
    if repaired is None:
        return None, None, all_lost
    if all(part.readable for part in parts):
        _require_header(tree, parts[-1], diagnostics)
    origin = Provenance(
        str(layers.folder),
        content_hash(part.layer for part in parts),
        tuple(rule for number, part in enumerate(parts) for rule in _rules(part, number, diagnostics)),
        tuple(part.declared() for part in parts),
        layers.removed,
        layers.beside,
        next((file.version_span for part in reversed(parts) for file in part.layer.former), NOWHERE),
    )
    errors = [d for d in diagnostics if d.severity == "error" and d not in before]
    findings = Diagnostics()
    built = build(repaired, origin, findings)
    if not errors and not findings.has_errors:
        diagnostics.extend(findings)
        return built, built, all_lost
    trees = [part.tree for part in parts]
    readable = all(part.readable for part in parts)
    lost_by_schema = lost(errors, faulty, unrepaired, trees, False)
    # Rows that do not fit one another, where it is not what is missing that does not fit.
    unsure = {"ruleset-language"} if any("languages" in (*f.path[:1], f.meant) for f in faulty) else set()
    own_findings = [d for d in findings if not lost_by_schema.explains(d) and d.code not in unsure]
    diagnostics.extend(own_findings)
    errors += [d for d in own_findings if d.severity == "error"]
    is_mostly_lost = not readable or not built.players or any(d.code.startswith("ruleset-") for d in errors)
    return None, built, lost(errors, faulty, unrepaired, trees, is_mostly_lost)


def read_tree(
    path: str | Path, overlays: Sequence[str | Path] = (), instead: AnyMapping[Path, str] | None = None
) -> Mapping:
    """Return the merged YAML tree of a valid ruleset and its overlays, groups of rows expanded; `instead`: as for
    `read_ruleset`."""
    layers = _read_layers(path, overlays, Diagnostics(), instead)
    return layers.tree if layers is not None else Mapping(NOWHERE)


@dataclass(frozen=True)
class _LayerStack:
    """The layers of a ruleset: its folders, the base first, and their trees laid over each other.

    Attributes:
        removed, beside: what layers take away, and what is new in them, by its place.
    """

    folder: Path
    parts: list[_Part]
    tree: Mapping
    removed: dict[str, Span]
    beside: dict[Span, Beside]


def _read_layers(
    path: str | Path,
    overlays: Sequence[str | Path],
    diagnostics: Diagnostics,
    instead: AnyMapping[Path, str] | None = None,
) -> _LayerStack | None:
    """Read the folders of a ruleset, its bases and overlays, and merge their trees.

    Returns None if there is no ruleset to read, or one that it extends can't be.
    """
    folder = find_folder(path, diagnostics)
    if folder is None:
        return None
    budget = Budget(instead=instead or {})
    stack = _stack(folder, ruleset_root(folder), (), diagnostics, budget)
    if not stack or any(finding.code in ("ruleset-extends", "ruleset-outside") for finding in diagnostics):
        # Without its base a variant lacks nearly everything, and all of that would be said.
        return None
    parts = [
        replace(part, on=frozenset(range(number)), named=number == len(stack) - 1) for number, part in enumerate(stack)
    ]
    if len(overlays) > OVERLAYS:
        message = f"there are {counted(len(overlays), 'overlay')}; at most {OVERLAYS} are laid over a ruleset"
        diagnostics.error("ruleset-size", message, file_span(parts[-1].layer.yaml[0]))
        return None
    for overlay in overlays:
        over = find_folder(overlay, diagnostics)
        if over is not None and all(over != part.layer.folder for part in parts):
            parts += _overlay(over, parts, len(stack), diagnostics, budget)
    tree, removed = Mapping(parts[0].tree.span), dict[str, Span]()
    beside: dict[Span, Beside] = {}
    for number, part in enumerate(parts):
        rows, is_whole = ungrouped(part.tree, tree, part.readable, diagnostics)
        part = parts[number] = replace(part, tree=rows, readable=part.readable and is_whole)
        are_unique = refuse_equal_ids(part.tree, diagnostics)
        beside |= new_beside(tree, part.tree)
        removed_here = removals(part.tree)
        is_base = are_unique and not number and not removed_here  # over nothing: the tree itself
        is_partly_lost = any(finding.code.startswith("yaml-") for finding in diagnostics)
        said = Diagnostics() if is_partly_lost else diagnostics  # what seems to lack there may stand in what is lost
        tree = part.tree if is_base else lay_over(tree, part.tree, said, removed)
        removed |= removed_here
    return _LayerStack(folder, parts, tree, removed, beside)


def folders_read(path: str | Path, overlays: Sequence[str | Path] = ()) -> list[Path]:
    """Return the folders that loading a ruleset reads: its own, its bases and its overlays, those that exist."""
    unsaid, budget = Diagnostics(), Budget()
    folders = []
    for name in (path, *overlays):
        folder = find_folder(name, unsaid)
        if folder is not None:
            stack = _stack(folder, ruleset_root(folder), (), unsaid, budget)
            folders += [folder, *(part.layer.folder for part in stack)]
    return folders


def glance(path: str | Path) -> Glance:
    """Return what is said of a ruleset in brief, by itself or else by what it extends, without loading it: only files
    that say so are parsed, and nothing is checked. What is faulty is left out."""
    unsaid, told = Diagnostics(), dict[str, Node]()
    own = folder = find_folder(path, unsaid)
    for _ in range(LAYERS):
        if folder is None:
            break
        trees = (read_yaml(source, unsaid) for source in _brief(folder, unsaid))
        tree = joined([tree for tree in trees if tree is not None], Diagnostics())
        told = {key: node for key in BRIEF if (node := tree.get(key)) is not None} | told
        folder = _base_folder(tree, folder, ruleset_root(folder), unsaid)
    about = told.get("about", Mapping(NOWHERE))
    topics = about.entries if isinstance(about, Mapping) else {}
    texts = {topic: _texts(at(entry.value, ("text",))) for topic, entry in topics.items()}
    length, players = told.get("minutes"), tuple[int, ...]()
    stated = Mapping(NOWHERE) if not isinstance(length, Mapping) else length
    minutes, source = stated.get("number") if stated.entries else length, stated.get("provenance")
    with suppress(ValueError):  # it is no range
        players = player_counts(told.get("players"), unsaid)
    return Glance(
        own,
        _texts(told["title"]) if "title" in told else {},
        players,
        str(minutes.value) if isinstance(minutes, Scalar) else "",
        {topic: text for topic, text in texts.items() if text},
        str(source.value) if isinstance(source, Scalar) else "stated",
    )


def _brief(folder: Path, diagnostics: Diagnostics) -> Iterator[Source]:
    """Yield the files of a folder that have one of the keys of `glance`."""
    paths = sorted(folder.glob("*.yaml"), key=lambda path: path.name != HEADER)[:FILES]
    for path in paths:
        source = read_file(path, folder, diagnostics)
        if source is not None and _BRIEF.search(source.text):
            yield source


def _texts(node: Node) -> dict[str, str]:
    """Return a text by language, by "" if it is in none."""
    value = plain(node)
    each = value.items() if isinstance(value, dict) else [("", value)]
    return {language: text for language, text in each if isinstance(text, str)}


def _hint_existing_names(beside: dict[Span, Beside], diagnostics: Diagnostics) -> None:
    """Add hints to findings on incomplete new names in an overlay: the existing name that may have been meant."""
    slips = [d for d in diagnostics if d.code == "schema-missing" and d.span in beside][:SUGGESTED]
    hints = {d.span: beside[d.span].hint() for d in slips}
    diagnostics.revise(lambda d: replace(d, hint=hints[d.span]) if d in slips and hints[d.span] else d)


def _rules(part: _Part, number: int, diagnostics: Diagnostics) -> list[RuleFile]:
    """Return the rule texts of a folder: the value of `rules:` in its YAML, then its `.rule` files."""
    files = []
    entry = part.tree.entries.get("rules")
    if entry is not None and isinstance(entry.value, Scalar):
        text = dsl_text(entry.value, diagnostics)
        if text.span.source is not None:
            files.append(RuleFile(text.span.source, number, text))
    return files + [RuleFile(source, number) for source in part.layer.rules]


def _require_header(tree: Mapping, top: _Part, diagnostics: Diagnostics) -> None:
    """Report a missing `name` or `players`, unless a misspelt key explains it."""
    where = file_span(top.layer.yaml[0])
    if tree.get("extends") is not None:
        return  # told where it is read
    meant = [finding.hint for finding in diagnostics if finding.code == "schema-unknown-key"]
    for key, example in (("name", "name: my_game"), ("players", "players: 2..4")):
        if tree.get(key) is None and not any(f"`{key}" in hint for hint in meant):
            diagnostics.error("schema-missing", f"the ruleset lacks `{key}`", where, f"add a line such as `{example}`")


def _read(folder: Path, diagnostics: Diagnostics, budget: Budget) -> _Part | None:
    """Read and parse the files of one folder; None if it has no header file."""
    layer = read_layer(folder, diagnostics, budget)
    if layer is None:
        return None
    trees = [read_yaml(source, diagnostics, budget) for source in layer.yaml]
    whole = [one_section(tree, diagnostics) for tree in trees if tree is not None]
    for tree in whole:
        entry = tree.entries.get("extends")
        if entry is not None and not entry.key.span.path.endswith(HEADER):
            diagnostics.error("ruleset-extends", f"`extends` stands in `{HEADER}` only", entry.key.span)
    return _Part(layer, joined(whole, diagnostics), len(whole) == len(trees) and bool(trees))


def _stack(folder: Path, root: Path, above: tuple[Path, ...], diagnostics: Diagnostics, budget: Budget) -> list[_Part]:
    """Read a folder and, recursively, what it extends; return them base first.

    `root` is the folder that `extends` may not lead out of, `above` the folders on the way here.
    """
    part = _read(folder, diagnostics, budget)
    if part is None:
        return []
    base = _base_folder(part.tree, folder, root, diagnostics)
    if base is None:
        outer = enclosing(folder)
        if outer is not None and part.tree.get("extends") is None and part.readable:
            near = next((key for key in part.tree.entries if key_meant(key, ["extends"])), "")
            where = part.tree.entries.get(near or "name") or part.tree.entries.get("rulelang")
            span = where.key.span if where is not None else file_span(part.layer.yaml[0])
            message = f"this variant of `{outer.name}` does not say what it extends"
            hint = f"write `extends: {outer.name}`" if near else f"add the line `extends: {outer.name}`"
            diagnostics.error("ruleset-extends", message, span, hint)
        return [part]
    if base in (folder, *above) or len(above) >= LAYERS:
        span = part.tree.entries["extends"].value.span
        diagnostics.error("ruleset-extends", "the ruleset extends itself, directly or by way of another", span)
        return [part]
    return [*_stack(base, root, (folder, *above), diagnostics, budget), part]


def _overlay(folder: Path, below: list[_Part], own: int, diagnostics: Diagnostics, budget: Budget) -> list[_Part]:
    """Read an overlay as a list of one part, empty if unreadable.

    It builds on the layer it extends, which must be among `below`, or else on the ruleset's own layers, the first
    `own`.
    """
    part = _read(folder, diagnostics, budget)
    if part is None:
        return []
    on = frozenset(range(own))
    base = _base_folder(part.tree, folder, ruleset_root(folder), diagnostics)
    if base is not None:
        number = next((number for number, other in enumerate(below) if other.layer.folder == base), None)
        if number is None:
            entry = part.tree.entries["extends"]
            message = f"this overlay extends `{base.name}`, which is not what it is laid over"
            diagnostics.error("ruleset-extends", message, entry.value.span, f"lay `{base.name}` over it first")
        else:
            on = below[number].on | {number}
    return [replace(part, on=on, named=True)]


def _base_folder(tree: Mapping, folder: Path, root: Path, diagnostics: Diagnostics) -> Path | None:
    """Resolve `extends` to a real folder; None without one. Findings: `ruleset-extends`, `ruleset-outside`."""
    node = tree.get("extends")
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None  # the schema says what is wrong with it
    text, shipped = node.value, shipped_rulesets()
    places = _places(text, folder, root) if is_name(text) else [folder / text]
    candidate = next((place for place in places if (place / HEADER).is_file()), places[-1])
    base = candidate.resolve()
    if not (base.is_relative_to(root) or base.is_relative_to(shipped.resolve())):
        message = f"`{text}` leads out of the folder that `{folder.name}` lies in"
        hint = "a variant extends a shipped ruleset or a folder beside it"
        diagnostics.error("ruleset-outside", message, node.span, hint)
        return None
    if not (base / HEADER).is_file():
        names = sorted({*ruleset_names(shipped), *ruleset_names(root)})
        hint = suggest(text, names) or (f"those within reach: {', '.join(names)}" if names else "")
        diagnostics.error("ruleset-extends", f"there is no ruleset `{text}`", node.span, hint)
        return None
    return base


def _places(name: str, folder: Path, root: Path) -> list[Path]:
    """Return the folders in which to look for a base ruleset, in order of precedence.

    These are: around the variant, beside it, in the root, shipped, and on a relative path; never the variant itself.
    """
    outer = enclosing(folder)
    around = [outer] if outer is not None and outer.name == name else []
    local = [place for place in (folder.parent / name, addressed(root, name)) if place != folder]
    return [*around, *local, addressed(shipped_rulesets(), name), folder / name]
