"""What scenarios ask of a ruleset is its face: all else is replaced by what can't be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset.scenarios import load_scenarios
from rulelang.semantics.scenarios import texts
from rulelang.semantics.scenarios.face import READ, face_of
from rulelang.semantics.tree.symbols import ProcedureSym, SymbolTable
from tests.shipped import checked
from tests.soak import soaking

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {
    "span",
    "what",
    "wants_seat",
    "owned",
    "unseen",
    "visible",
    "view",
    "definition",
    "default_for",
    "suits",
    "ends",
    "laid",
}
"""What only findings show, and what follows from the face."""
COMPUTED = {
    "pure": {"decl", "category"},
    "resource": {"purse"},
    "per_player": {"definitions"},
    "beyond": {"decl", "total"},
}
"""Properties, with what they read."""


UNASKED = {
    "TypeSym": {"attribute_values"},
    "VariableSym": {"decl", "sight", "start", "start_indices"},
    "ZoneSym": {"sight"},
    "DefinitionSym": {"attributes", "start", "start_seat"},
    "KindSym": {"decl"},
    "GroupInfo": {"decl", "exchanges", "purse", "trade"},
    "OfferInfo": {"decl", "definitions", "used"},
    "ScoreInfo": {"procedure"},
    "ProcedureSym": {"body", "citations", "decl", "faulty", "piece"},
    "ZoneDecl": {
        *("beside", "capacity", "carried_by", "cites", "final", "holds", "name", "per", "places", "shown", "sight"),
    },
    "PieceDecl": {
        *("attributes", "cites", "id", "kind", "kind_span", "left_out", "provenance", "rules", "start", "text"),
        "words",
    },
    "GameOption": {"cites", "words"},
    "Passage": {"title"},
}  # fmt: skip
"""What no text of a scenario asks, or what expressions bring with them where one reads it."""


called: set[str] = set()
"""Names of procedures that were looked up meanwhile."""


@pytest.fixture
def trapped(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[tuple[str, str]]]:
    """What is read beside the face, while scenarios are checked, of what the ruleset declares."""
    read: set[tuple[str, str]] = set()
    declared: set[int] = set()
    called.clear()
    inside: list[set[str]] = [set()]
    watched: list[bool] = []

    def watch(class_: type, names: tuple[str, ...]) -> None:
        allowed, original = ELSEWHERE | set(names), cast("Any", class_.__getattribute__)

        def reading(self: Any, name: str) -> Any:
            if not watched or name.startswith("__") or (class_ is ProcedureSym and id(self) not in declared):
                return original(self, name)
            if name not in allowed | inside[-1]:
                read.add((class_.__name__, name))
            inside.append(inside[-1] | COMPUTED.get(name, set()))
            try:
                return original(self, name)
            finally:
                inside.pop()

        monkeypatch.setattr(class_, "__getattribute__", reading)

    def forms(checked_tree: Any, bodies: Any, procedures: Any) -> Any:
        declared.update(map(id, checked_tree.procedures) if not watched else ())
        before = [*watched]
        watched.clear()
        found = original_forms(checked_tree, bodies, procedures)
        watched[:] = before or [True]
        return found

    original_forms = cast("Any", texts).forms_of

    def named(self: SymbolTable, name: str, *place: Any) -> Any:
        found = original_get(self, name, *place)
        if watched and isinstance(found, ProcedureSym):
            called.add(name)
        return found

    original_get = SymbolTable.get
    monkeypatch.setattr(SymbolTable, "get", named)
    monkeypatch.setattr(texts, "forms_of", forms)
    for class_, names in READ.items():
        watch(class_, names)
    yield read
    watched.clear()


def test_each_field_is_asked_or_not() -> None:
    """Of what a ruleset declares each field belongs to the face, or is said not to: of a new one that is decided."""
    outside = {c.__name__: {f.name for f in fields(c)} - {*names} - ELSEWHERE for c, names in READ.items()}
    assert {name: left for name, left in outside.items() if left} == UNASKED


@pytest.mark.parametrize(("before", "after"), [("Suit: {ordered: [low, high]}", "Suit: [low, high]")])
def test_another_face_is_another_judgement(before: str, after: str, tmp_path: Path) -> None:
    """Whether values are in order decides whether a scenario may compare them."""
    faces = []
    for number, types in enumerate((before, after)):
        text = f"rulelang: 2\nname: two\nplayers: 2\ntypes: {{{types}}}\nrules: 'play: end the game'\n"
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "ruleset.yaml").write_text(text, encoding="utf-8")
        faces.append(face_of(checked(tmp_path / str(number))).core)
    assert faces[0] != faces[1]


@pytest.mark.parametrize("name", ["reco", *soaking("", "ldd", "imaginarium", "droids")[1:]])
def test_scenarios_see_the_face_alone(name: str, trapped: set[tuple[str, str]]) -> None:
    """No body, no start, no figure of a row."""
    folder = ROOT / "rulesets" / name
    scenarios = load_scenarios(folder, Diagnostics())
    assert scenarios
    _, codes = texts.check_scenarios(checked(folder), scenarios)
    assert not any(len(code.diagnostics) for code in codes)
    assert trapped == set()
    words = {word for file in folder.glob("scenarios/*.yaml") for word in re.findall(r"\w+", file.read_text("utf-8"))}
    assert called
    assert called <= words, "a name was looked up that stands in no text"


def test_the_trap_closes(trapped: set[tuple[str, str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that reads where a variable starts is caught."""
    original = cast("Any", texts).check_given

    def prying(shared: Any, *rest: Any) -> None:
        assert [variable.start for variable in shared.checked.variables]
        original(shared, *rest)

    monkeypatch.setattr(texts, "check_given", prying)
    folder = ROOT / "rulesets" / "reco"
    texts.check_scenarios(checked(folder), load_scenarios(folder, Diagnostics())[:1])
    assert trapped == {("VariableSym", "start")}


def test_checking_scenarios_leaves_the_ruleset_as_it_is() -> None:
    """Nothing is added to its tables, and its face is the same."""
    folder = ROOT / "rulesets" / "reco"
    analysed = checked(folder)

    def size() -> list[int]:
        tables = [value for table in (analysed.shared, analysed.checked) for value in vars(table).values()]
        return [len(value) for value in tables if isinstance(value, list | dict | set)]

    before, face = size(), face_of(analysed).core
    texts.check_scenarios(analysed, load_scenarios(folder, Diagnostics()))
    assert size() == before
    assert face_of(analysed).core == face
