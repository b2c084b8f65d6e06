"""What makes a ruleset another one: what it declares, however it is written, in whatever process."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from rulelang.diagnostics import Diagnostics
from rulelang.ruleset import load_ruleset, model
from rulelang.semantics.differences import _NOT_PLAYED, identity

HEAD = "rulelang: 2\nname: t\nplayers: 2\nkinds: {Card: {start: row}}\npieces: {Card: [{id: a}]}\nrules: 'play: pass'\n"


def of(folder: Path, zone: str) -> str:
    folder.mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(f"{HEAD}zones: {{row: {{holds: Card{zone}}}}}\n", encoding="utf-8")
    written = load_ruleset(folder, diagnostics=Diagnostics())
    assert written is not None
    return identity(written)


def test_what_is_meant_without_being_said_may_be_said(tmp_path: Path) -> None:
    """Another value is another ruleset."""
    plain = of(tmp_path / "t", "")
    assert of(tmp_path / "t", ", visible: all") == plain
    assert of(tmp_path / "t", ", visible: count") != plain


MAP = """\
grids:
  Square:
    attributes: {wet: bool}
    legend: {".": {wet: false}, "~": {wet: true}}
    map: |
      .~~
"""


def test_where_it_stands_changes_nothing(tmp_path: Path) -> None:
    """A comment above, in another folder; what a map shows does."""
    texts = MAP, f"# A comment.\n{MAP}", MAP.replace(".~~", "~~~")
    identities = []
    for number, text in enumerate(texts):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "ruleset.yaml").write_text(f"{HEAD}zones: {{row: {{holds: Card}}}}\n{text}", encoding="utf-8")
        written = load_ruleset(folder, diagnostics=Diagnostics())
        assert written is not None
        identities.append(identity(written))
    assert identities[0] == identities[1] != identities[2]


def test_what_is_played_has_an_order() -> None:
    """A set has another one in each process, and so would a saved game be of another ruleset."""
    rows = [value for value in vars(model).values() if dataclasses.is_dataclass(value) and isinstance(value, type)]
    played = [
        (row.__name__, f.name, str(f.type))
        for row in rows
        for f in dataclasses.fields(row)
        if f.name not in _NOT_PLAYED
    ]
    assert len(played) > 100
    layers = {"LayerDecl"}  # how a ruleset is put together is no part of it
    assert [each for each in played if "set[" in each[2] and each[0] not in layers] == []
