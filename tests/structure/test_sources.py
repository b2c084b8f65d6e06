"""What the source tree looks like: small modules, an engine that names no game, rulesets without Python."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulelang.syntax import LANGUAGE_VERSION
from tests.offenders import none
from tests.sparse import ONE_IN, WITH_SOAK, is_sampled
from tests.trees import module

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "rulelang").rglob("*.py"))
ENGINE = [*MODULES, *sorted(p for p in (ROOT / "grammar").glob("*") if p.is_file())]
SHIPPED = sorted(p for p in (ROOT / "rulesets").iterdir() if p.is_dir())
ROOMS = frozenset({"benchmarks", "docs", "editors", "examples", "grammar", "rulelang", "rulesets", "tests"})
MOST_LINES = 820

# What the four games are about, in the rulebooks' languages. Words that are also the engine's own (card, hand, deck,
# board, player, machine, action, phase, season, terrain, plant, mine, tile) or Python's
# (dump, factory) can't be told apart and are not listed.
NOUNS = frozenset(
    """
    assistant atelier automa belt bricoleur bricoleurs canos charbon charbonium charbonneuse charcoal charcoalium
    ciano circuit circuits combustoir copper crystal crystals cuivre damier diplomatrice droid droids droïde droïdes
    ecomec ecomechanic embrouillette emitter emitters energy extractor extractors garbage
    greenhouse house houses huile imaginarium interseason intersaison killer larcinette litter littered maison
    maraîchage menuisette metteur metteurs mines nut nuts obstacle obstacles oil ordures paravent pioche recycler
    recycling remise repairer reward rewards river rivers rivière robot robots saboteur saboteurs saison shed sheds
    statue tapis trash usine vegetable vegetables waste wood workshop workshops écrou écrous
    """.split()
)


def words(text: str) -> set[str]:
    """The words of a text, those inside names (`TwoWords`, `two_words`) too."""
    return {word.lower() for word in re.findall(r"[A-ZÀ-Ý]?[a-zà-ÿ]+|[A-ZÀ-Ý]+(?![a-zà-ÿ])", text)}


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_root_holds_no_folder_that_was_left_there() -> None:
    """A ruleset that was made to try something stands in a folder of its own, not in the checkout's root."""
    ignored = {line.strip("/\n") for line in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()}
    folders = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")}
    assert {name for name in folders - ROOMS - ignored if not name.endswith((".egg-info", "__pycache__"))} == set()


def test_modules_are_small_and_say_what_they_are_for() -> None:
    """No module passes 820 lines, and each has a header."""
    texts = {relative(path): path.read_text(encoding="utf-8") for path in MODULES}
    assert [name for name, text in texts.items() if text.count("\n") > MOST_LINES] == [], "split it by concept"
    assert [name for name, text in texts.items() if not re.match(r'(#.*\n|\s)*r?"""', text)] == []


def test_engine_names_no_game() -> None:
    """No noun of a game in the engine or its grammar; the name of a shipped ruleset may be an example in a text."""
    nouns = NOUNS - {folder.name for folder in SHIPPED}
    named = {relative(path): sorted(nouns & words(path.read_text(encoding="utf-8"))) for path in ENGINE}
    for path, found in named.items():
        if path.startswith("rulelang/envs/"):  # as the libraries of learners call what they are given
            named[path] = [noun for noun in found if noun not in ("reward", "rewards")]
    assert {path: found for path, found in named.items() if found} == {}


def test_nouns_are_found_inside_names() -> None:
    """The test above sees nouns in every way a name can be written."""
    assert words("class TwoDroids: emitter_of = SHED + 'la rivière'") & NOUNS == {
        "droids",
        "emitter",
        "shed",
        "rivière",
    }


def test_no_python_in_rulesets() -> None:
    """A ruleset is data."""
    assert [relative(p) for p in (ROOT / "rulesets").rglob("*.py*")] == []


@pytest.mark.parametrize("folder", SHIPPED, ids=relative)
def test_every_shipped_file_has_the_language_version(folder: Path) -> None:
    """Each YAML file says `rulelang: 2`, each rule file starts with the line `rulelang 2`."""
    for path in sorted(folder.rglob("*.rule")):
        lines = path.read_text(encoding="utf-8").splitlines()
        first = next(line for line in lines if line.strip() and not line.startswith("#"))
        assert first == f"rulelang {LANGUAGE_VERSION}", relative(path)
    for path in sorted(folder.rglob("*.yaml")):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert f"rulelang: {LANGUAGE_VERSION}" in lines, relative(path)


@pytest.mark.parametrize("folder", SHIPPED, ids=relative)
def test_shipped_rulesets_state_their_readings(folder: Path) -> None:
    """Every shipped ruleset has a header and says in RULINGS.md how it reads what the rulebook leaves open."""
    assert (folder / "ruleset.yaml").is_file()
    assert (folder / "RULINGS.md").is_file()


def test_functions_of_the_runtime_in_c_have_names_of_their_own() -> None:
    """A ruleset's library may put all headers into one text, where two functions of one name do not compile."""
    definition = re.compile(r"^(?!#)(?:\w+[ *]+)+(\w+)\([^;{}]*\)\s*\{", re.MULTILINE)
    headers = sorted((ROOT / "rulelang").rglob("*.h"))
    names = [name for path in headers for name in definition.findall(path.read_text(encoding="utf-8"))]
    assert len(names) > 400
    assert sorted({name for name in names if names.count(name) > 1} - {"__attribute__"}) == []


def test_what_is_tried_sparsely_is_there() -> None:
    """Each test of the tables is there; of its cases some are left to `--soak`, others not."""
    for test in (*ONE_IN, *WITH_SOAK):
        file, name = test.split("::")
        assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8"), test
        assert {is_sampled(test, number) for number in range(30)} == ({True, False} if test in ONE_IN else {False})


PROTOCOL = frozenset("AssertionError AttributeError KeyError NotImplementedError StopIteration SystemExit".split())
"""What is raised by Python's own rules, or never."""
MORE = {"FileExistsError": "OSError"}
"""What is told of by a base of its class."""
ANSWERED = ("rulelang/cli/", "rulelang/web/app.py", "rulelang/studio/app.py")
"""Commands and routes: whoever runs or asks them gets an error as a text, an exit code or a status."""


def own(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without the functions and classes inside."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield child
            yield from own(child)


def raised(function: ast.AST) -> set[str]:
    """The classes of the errors that a function raises itself and does not catch."""
    handlers = [node.type for node in own(function) if isinstance(node, ast.ExceptHandler) and node.type is not None]
    caught = {part.id for handler in handlers for part in ast.walk(handler) if isinstance(part, ast.Name)}
    errors = [node.exc for node in own(function) if isinstance(node, ast.Raise)]
    names = {ast.unparse(error.func if isinstance(error, ast.Call) else error) for error in errors if error}
    return {name for name in names if name[:1].isupper()} - caught - PROTOCOL


def test_public_functions_say_what_they_raise() -> None:
    """By the class of the error, in the docstring."""
    silent = {}
    for path in MODULES:
        if not relative(path).startswith(ANSWERED):
            body = module(path).body
            classes = [node for node in body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
            for function in [*body, *(part for node in classes for part in node.body)]:
                if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.name.startswith("_"):
                    said = ast.get_docstring(function) or ""
                    unsaid = [
                        name for name in raised(function) if name not in said and MORE.get(name, name) not in said
                    ]
                    if unsaid:
                        silent[f"{relative(path)}:{function.lineno} {function.name}"] = ", ".join(unsaid)
    none(silent)
