"""What a process keeps as long as it runs is listed with its bound, and whatever comes new is found."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.trees import module

PACKAGE = Path(__file__).resolve().parents[2] / "rulelang"
MEMOISES = ("cache", "lru_cache", "kept_within")
"""Decorators of which a bound must be known; `kept_with` needs none, and `cached_property` goes with its object."""
COLLECTIONS = frozenset("dict list set defaultdict deque Counter OrderedDict Bounded".split())
FILLS = frozenset("append add setdefault update put extend insert appendleft".split())
"""Methods that fill a table."""
BOUNDED: dict[str, tuple[str, ...]] = {
    "the classes of nodes, rows and documents": (
        "documents.py:_fields",
        "ir/reader.py:_hints",
        "ir/table.py:_parts_of",
        "ir/text.py:_named_parts",
        "memory/results.py:_fields_of",
        "semantics/checks/citations.py:_fields",
        "native/objects.py:slot_offset",
    ),
    "the languages": (
        "cli/play/commands.py:called",
        "languages/__init__.py:codes",
        "languages/__init__.py:number_words",
        "languages/__init__.py:_pack",
        "languages/grammar.py:_texts",
        "languages/grammar.py:_nouns",
        "words/terminal.py:spoken",
        "ruleset/senses.py:_foreign_keys",
        "semantics/typing/constants.py:_foreign_types",
        "syntax/spreadsheets.py:_names",
    ),
    "the files of the engine": (
        "syntax/card_texts.py:_data",
        "syntax/card_texts.py:_rows",
        "syntax/methods.py:_tables",
        "syntax/repair.py:_examples",
        "native/objects.py:_interface",
        "native/source.py:header",
        "ruleset/build.py:_readers",
        "ruleset/schema.py:_inlined_schema",
        "ruleset/schema.py:_predicate",
        "service/completion.py:_schema",
        "syntax/grammar.py:load_grammar",
        "syntax/phrases.py:_data",
        "syntax/phrases.py:_rows",
        "syntax/rewording.py:_rows",
        "syntax/sentences.py:_data",
        "syntax/sentences.py:_pattern",
        "web/api/server.py:openapi",
        "web/pages.py:_environment",
        "web/pages.py:asset",
        "lab/page.py:_environment",
        "programs.py:engine_digest",
    ),
    "the grids of a layout, with which they go": (
        "runtime/grids.py:self.lying",
        "runtime/grids.py:self.touching",
    ),
    "the vocabulary": (
        "vocabulary/views.py:view_of",
        "ir/verify_nodes.py:_sorts",
        "vocabulary/types.py:_has_variable",
        "syntax/forms.py:_parts",
    ),
    "folders and groups of this machine": (
        "cache.py:_trusted",
        "cache.py:_is_private_group",
        "native/compilers.py:_first_working",
    ),
    "one value": (
        "limits.py:in_force",
        "programs.py:_compiled",
        "search/plain.py:_LOGARITHMS",
    ),
    "one call": ("memory/items.py:differing",),
    "bytes: `Bounded` or `kept_within`": (
        "cli/console.py:wrap",
        "native/build.py:_failed",
        "programs.py:_programs",
        "ruleset/files.py:_SOURCES",
        "web/pages.py:drawn",
        "web/rules.py:page",
    ),
    "4,096 names or pairs of paths, 1 MB": (
        "compiler/indices.py:ir_type",
        "debugger.py:_same_file",
    ),
    "the program, the state or the library that holds them": (
        "native/steps.py:_steppers",
        "vocabulary/types.py:_TYPES",
    ),
    "16 programs, 20 MB": ("runtime/positions.py:_compared",),
    "16,384 tuples of a few numbers, 5 MB": (
        "native/block.py:_counts",
        "native/block.py:_items",
    ),
    "8,192 sentences of a ruleset in a language, 3 MB, which go with its words": ("words/events.py:self._sentence",),
    "256 tables of numbers": ("interpreter/decisions.py:_selection_counts",),
    "4 keys": ("native/build.py:_key",),
    "a command, which ends; in its workers 2, 32 or as many as it is given": (
        "lab/cluster.py:_unpickled",
        "lab/study.py:_executors",
        "game/ruleset.py:_loaded_again",
        "mutate/run.py:_made",
    ),
    "none: a library stays loaded, as a state may call it; games played natively alone load any": (
        "native/build.py:_loaded",
    ),
}
"""By what bounds them: what functions memoise, and the tables of modules that functions fill."""
LIVING: dict[str, tuple[str, ...]] = {
    "the rulesets of which a file was opened": (
        "cli/language_server.py:Server.projects",
        "cli/language_server.py:Server.findings",
        "cli/language_server.py:Server.told",
        "cli/language_server.py:Server._waves",
    ),
    "the files that are open; what a client can": (
        "cli/language_server.py:Server.coloured",
        "cli/language_server.py:Server.refreshes",
    ),
    "the base and its variants": (
        "service/project.py:Project.snapshots",
        "service/project.py:Project.analyses",
    ),
    "the files of the ruleset": (
        "service/project.py:Project.texts",
        "service/project.py:Project._in_scenarios",
    ),
    "the names of one analysis": (
        "service/names.py:Occurrences._by_key",
        "service/names.py:Occurrences._by_file",
        "service/names.py:Occurrences._same",
    ),
    "one program": ("memory/results.py:Parts._procedures",),
    "bytes: `store.BYTES`": ("memory/store.py:Memory.tables",),
    "bytes: `Bounded`": (
        "web/games.py:Games._former",
        "web/games.py:Games._kept",
    ),
    "the pages that are open, and sorts of work": (
        "studio/app.py:Studio.pages",
        "studio/app.py:Studio.tables",
        "studio/app.py:Studio.jobs",
        "web/streams.py:Streams._streams",
        "web/streams.py:Streams._pages",
    ),
    "one comparison": ("studio/app.py:Studio._figures",),
    "the sorts of bots, by seat": ("studio/play.py:FollowingGame._bots",),
    "10,000 games": (
        "web/app.py:App._told",
        "web/app.py:App._todos",
    ),
    "the games whose clock runs": ("web/app.py:App._deadlines",),
    "what is worked on": (
        "web/app.py:App._thinking",
        "web/app.py:App._works",
    ),
    "the rulesets that are served": (
        "web/app.py:App._loads",
        "web/app.py:App._glances",
        "web/games.py:Games._rulesets",
        "web/games.py:Games._faults",
        "web/workers.py:Worker.prepared",
    ),
    "the rows of one ruleset, and what its games show": (
        "web/cards.py:Looks._looks",
        "web/cards.py:Looks._glyphs",
        "web/cards.py:Looks._signs",
    ),
    "one request": ("web/fields.py:RequestFields._texts",),
    "so many games: `LIVE`, `LIVE_CHOICES`, `_keep`": (
        "web/games.py:Games._live",
        "web/games.py:Games._opening",
        "web/games.py:Games._replaying",
    ),
    "so many addresses: `ADDRESSES`": ("web/guard.py:Rates._times",),
    "one game: its seats, its choices": (
        "web/live.py:Live.keys",
        "web/live.py:Live.names",
        "web/live.py:Live.notes",
        "web/live.py:Live.ended",
        "web/live.py:Live.told",
        "web/live.py:Live.undos",
        "web/live.py:Live.used",
        "web/live.py:Live.since",
        "web/live.py:Live.said",
        "web/live.py:Live.choices",
        "web/live.py:Live.line",
        "web/live.py:Live.reload",
        "web/live.py:Live._observations",
        "web/live.py:Live._sheets",
        "web/live.py:Live._words",
    ),
    "the codes of errors": ("web/metrics.py:Metrics._refusals",),
}
"""By what bounds them: tables and lists of objects that live as long as an editor, a studio or a server."""
ROOMS = ("service", "studio", "memory", "web", "cli/language_server.py")


def _names(node: ast.AST) -> Iterator[str]:
    """Yield the name of what is called or referred to, outermost first."""
    while isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def memoising(tree: ast.Module) -> Iterator[str]:
    """Yield the functions that are memoised, and what memoised functions are assigned to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(name in MEMOISES for decorator in node.decorator_list for name in _names(decorator)):
                yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Call):
            if any(name in MEMOISES for name in _names(node.value)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                yield from (ast.unparse(target) for target in targets)


def tables(tree: ast.Module) -> Iterator[str]:
    """Yield the variables of a module that its functions fill, or assign anew."""
    assigned = (node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    targets = (node.targets if isinstance(node, ast.Assign) else [node.target] for node in assigned)
    names = {target.id for each in targets for target in each if isinstance(target, ast.Name)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        own = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        own |= {
            node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for node in ast.walk(function):
            if isinstance(node, ast.Global):
                yield from node.names
            stored = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
            filled = isinstance(node, ast.Attribute) and node.attr in FILLS
            of = node.value if (stored or filled) else None  # type: ignore[attr-defined]
            if isinstance(of, ast.Name) and of.id in names - own:
                yield of.id


def kept() -> dict[str, None]:
    """All of them, as `file:name`."""
    return dict.fromkeys(
        f"{path.relative_to(PACKAGE).as_posix()}:{name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for name in (*memoising(module(path)), *tables(module(path)))
    )


def attributes(tree: ast.Module) -> Iterator[str]:
    """Yield the attributes that constructors of a module set to a table or a list that is to be filled."""
    for class_ in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for function in class_.body:
            if not isinstance(function, ast.FunctionDef) or function.name not in ("__init__", "__post_init__"):
                continue
            for node in ast.walk(function):
                target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
                value = getattr(node, "value", None) or ast.Pass()
                is_empty = isinstance(value, ast.Dict | ast.List | ast.Set) and not ast.unparse(value).strip("[{}]")
                if isinstance(target, ast.Attribute) and (is_empty or {*_names(value)} & COLLECTIONS):
                    yield f"{class_.name}.{target.attr}"


def listed(table: dict[str, tuple[str, ...]]) -> list[str]:
    """The names of a table."""
    return sorted(name for names in table.values() for name in names)


def test_each_memo_has_a_bound() -> None:
    """The table says of each what bounds it; what is in the table and nowhere else is taken out."""
    assert sorted(kept()) == listed(BOUNDED)


def test_each_table_of_what_lives_long_has_a_bound() -> None:
    """The same of the objects of a process that stays."""
    files = sorted(
        path for room in ROOMS for path in (PACKAGE / room, *(PACKAGE / room).rglob("*.py")) if path.is_file()
    )
    found = {f"{path.relative_to(PACKAGE).as_posix()}:{name}" for path in files for name in attributes(module(path))}
    assert sorted(found) == listed(LIVING)
