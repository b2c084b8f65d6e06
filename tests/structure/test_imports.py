"""The rooms of the engine and who may import whom (docs/architecture.md), read from the source text."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.trees import statements

ROOT = Path(__file__).resolve().parents[2]

# A room, and those that stand directly to its left; a room may import those and all that stand to their left.
ROOMS: dict[str, tuple[str, ...]] = {
    "diagnostics": ("records", "memos"),
    "inputs": (),
    "outputs": (),
    "limits": (),
    "resources": (),
    "interrupts": (),
    "registry": (),
    "records": (),
    "memos": (),
    "vocabulary": (),
    "geometry": (),
    "languages": ("diagnostics",),
    "numbers": ("diagnostics", "limits"),
    "documents": ("numbers",),
    "cache": ("resources",),
    "ruleset": (
        "diagnostics",
        "languages",
        "records",
        "inputs",
        "outputs",
        "limits",
        "cache",
        "geometry",
        "vocabulary",
    ),
    "syntax": ("diagnostics", "languages", "records", "limits", "cache"),
    "highlight": ("syntax",),
    # The rooms within `semantics`; what stands in none of them is what other rooms call: all checks, all differences.
    "semantics.tree": ("ruleset", "syntax"),
    "semantics.analysis": ("semantics.tree",),
    "semantics.typing": ("semantics.analysis", "registry"),
    "semantics.combination": ("semantics.typing",),
    "semantics.visibility": ("semantics.analysis",),
    "semantics.checks": ("semantics.analysis",),
    "semantics.lints": ("semantics.checks",),
    "semantics.scenarios": ("semantics.typing", "semantics.checks", "semantics.combination"),
    "semantics": ("semantics.combination", "semantics.visibility", "semantics.lints", "semantics.scenarios"),
    "ir": ("diagnostics", "records", "registry", "vocabulary"),
    "compiler": ("semantics.analysis", "ir"),
    "runtime": ("ir", "documents", "geometry"),
    "words": ("ruleset", "runtime"),
    "prose": ("words", "syntax"),
    "sphinx": ("prose",),
    "mir": ("runtime",),
    "interpreter": ("runtime",),
    "native": ("mir", "cache", "interrupts"),
    "ismcts": ("native",),
    "execution": ("interpreter", "ismcts"),
    "programs": ("semantics", "compiler"),
    "memory": ("programs", "runtime"),
    "game": ("programs", "execution", "words"),
    "search": ("game",),
    "agents": ("search",),
    "parallel": ("game",),
    "results": ("parallel",),
    "simulate": ("agents", "results"),
    "compare": ("simulate",),
    "lab": ("compare",),
    "record": ("agents", "documents"),
    "session": ("record",),
    "transcript": ("record",),
    "perft": ("game",),
    "scenarios": ("game",),
    "envs": ("record",),
    "upgrade": ("semantics",),
    "rerun": ("scenarios", "memory", "parallel"),
    "mutate": ("scenarios", "results"),
    "debugger": ("game",),
    "service": ("memory", "prose", "highlight"),
    "web": ("session", "table"),
    "studio": ("web", "service", "scenarios", "simulate"),
    # The package itself names what the rooms offer; it loads them when they are asked for.
    "rulelang": ("game",),
    "table": ("game", "prose"),
    "cli": ("mir", "transcript", "lab", "studio", "perft", "mutate", "rerun", "upgrade", "debugger", "rulelang"),
    "__main__": ("cli",),
}
# The room that may import a library; Jinja fills the pages of two.
LIBRARIES = {
    "lark": "syntax",
    "ruamel": "ruleset",
    "yaml": "ruleset",
    "jsonschema": "ruleset",
    "pygments": "highlight",
    "sphinx": "sphinx",
    "docutils": "sphinx",
    "pyarrow": "results",
    "matplotlib": "lab",
    "sklearn": "lab",
    "numpy": "lab envs",
    **dict.fromkeys(("gymnasium", "pettingzoo", "pyspiel"), "envs"),
    "threadpoolctl": "lab",
    "distributed": "lab",
    "click": "cli",
    "rich": "cli",
    **dict.fromkeys(("uvicorn", "pygls", "lsprotocol"), "cli"),
    "starlette": "web studio",
    **dict.fromkeys(("segno", "psycopg", "prometheus_client", "mcp"), "web"),
    **dict.fromkeys(("jinja2", "markupsafe"), "lab web"),
}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {module_name(path): path for path in sorted((ROOT / "rulelang").rglob("*.py"))}


def room(module: str) -> str:
    """The room of a module: the innermost that is declared; that of the package itself is called `rulelang`."""
    parts = module.split(".")
    inner = ".".join(parts[1:3])
    return inner if inner in ROOMS else parts[1] if len(parts) > 1 else parts[0]


@cache
def imports_of(module: str) -> tuple[tuple[ast.stmt, ...], tuple[ast.If, ...]]:
    """Return the imports of a module and its conditions for the type checker, wherever they stand."""
    nodes = statements(SOURCES[module])
    found = tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))
    conditions = [node for node in nodes if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]
    return found, tuple(node for node in conditions if ast.unparse(node.test) == "TYPE_CHECKING")


def imports(module: str, *, types: bool = True) -> Iterator[tuple[str, int]]:
    """What a module imports, with the line; `from package import module` counts as the module.

    `types`: also what only the type checker reads.
    """
    found, guarded = imports_of(module)
    unread = set() if types else {inner for node in guarded for inner in ast.walk(node)}
    for node in found:
        if node in unread:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno}: the engine imports by full names"
            assert node.module is not None
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in SOURCES else node.module), node.lineno


@cache
def to_the_left(name: str) -> set[str]:
    return {name}.union(*(to_the_left(other) for other in ROOMS[name]))


def refused(module: str, target: str) -> bool:
    """Whether an import from a module of the engine leads where its room may not go."""
    top = target.split(".")[0]
    if top == "rulelang":
        return room(target) not in to_the_left(room(module))
    return top not in sys.stdlib_module_names and room(module) not in LIBRARIES.get(top, "").split()


def test_every_module_stands_in_a_room() -> None:
    """A new room is declared here, with what stands to its left, before anything is built in it."""
    assert {room(module) for module in SOURCES} <= set(ROOMS)


def test_rooms_are_in_order() -> None:
    """Rooms and what stands to their left make one order; of rooms side by side neither imports the other."""
    order = list(TopologicalSorter(ROOMS).static_order())
    assert order.index("diagnostics") < order.index("semantics") < order.index("game") < order.index("cli")
    assert "syntax" not in to_the_left("ruleset")
    assert "ruleset" not in to_the_left("syntax")
    assert not {"syntax", "ruleset", "semantics"} & to_the_left("execution")
    assert "interpreter" not in to_the_left("ismcts")


def test_imports_follow_the_arrows() -> None:
    """A module imports only from its own room and those to its left; one room, or two, know a library."""
    wrong = [
        f"{module}:{line}: {target}"
        for module in SOURCES
        for target, line in imports(module)
        if refused(module, target)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("rulelang.syntax.parser", "rulelang.ruleset.model"),
        ("rulelang.diagnostics.model", "rulelang.syntax"),
        ("rulelang.interpreter.machine", "rulelang.compiler"),
        ("rulelang.semantics.visibility.check", "rulelang.semantics.combination.dispatch"),
        ("rulelang.ruleset.loader", "lark"),
        ("rulelang.semantics.check", "rulelang.compiler.stages"),
        ("rulelang.semantics.typing.context", "rulelang.semantics.check"),
        ("rulelang.semantics.tree.core", "rulelang.semantics.analysis.flow"),
        ("rulelang.semantics.visibility.check", "rulelang.semantics.typing.context"),
        ("rulelang.compiler.procedures", "rulelang.semantics.typing.changes"),
        ("rulelang.semantics.typing.tables", "ruamel.yaml"),
        ("rulelang.ir.nodes", "rulelang"),
        ("rulelang.ir.nodes", "attrs"),
    ],
)
def test_wrong_arrows_are_refused(module: str, target: str) -> None:
    """The test above does refuse: against the order, across it, a library of another room, one that is not declared."""
    assert refused(module, target)


def test_no_import_cycles() -> None:
    """No module needs itself when it runs, not even by way of others; an import inside a function counts."""
    graph = {module: {target for target, _ in imports(module, types=False) if target in SOURCES} for module in SOURCES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
