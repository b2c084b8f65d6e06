"""Mistakes as people make them: edits of shipped rulesets and of examples of the reference.

Enters: a `Mistake`. Leaves: the folder with the slip in it, and the line on which `rulelang check` must find it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.reference import YAML

ROOT = Path(__file__).resolve().parents[2]
RULES, NOUNS, CARDS = "reco.rule", "ruleset.yaml", "cards.yaml"
TURN = "scenarios/turn.yaml"


@dataclass(frozen=True)
class Mistake:
    """One slip: in `file` of `base`, `new` stands for `old`. `code` is found on the line that holds `at` (of the edited
    file, or of the file `where`), and its words hold all of `says`."""

    name: str
    base: str
    file: str
    old: str
    new: str
    code: str
    at: str
    says: tuple[str, ...] = ()
    where: str = ""

    def write(self, folder: Path) -> None:
        """The edited ruleset."""
        if (ROOT / "rulesets" / self.base).is_dir():
            shutil.copytree(ROOT / "rulesets" / self.base, folder, dirs_exist_ok=True)
        else:
            (folder / "ruleset.yaml").write_text(example(self.base), encoding="utf-8")
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, f"{self.old!r} stands {text.count(self.old)} times in {self.base}/{self.file}"
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")

    def line(self, folder: Path) -> int:
        """The line on which it must be found."""
        lines = (folder / (self.where or self.file)).read_text(encoding="utf-8").splitlines()
        found = [number for number, line in enumerate(lines, 1) if self.at in line]
        assert len(found) == 1, f"{self.at!r} stands on {len(found)} lines"
        return found[0]


def example(name: str) -> str:
    """A whole ruleset of the language reference."""
    return next(text for text in YAML if f"\nname: {name}\n" in text)


def reco(name: str, file: str, old: str, new: str, code: str, at: str = "", *says: str, where: str = "") -> Mistake:
    """A slip in R-ECO; without `at` it is found where `new` begins."""
    return Mistake(name, "reco", file, old, new, code, at or new.split("\n")[0], says, where)


def page(name: str, base: str, old: str, new: str, code: str, at: str = "", *says: str) -> Mistake:
    """A slip in an example of the reference."""
    return Mistake(name, base, "ruleset.yaml", old, new, code, at or new.split("\n")[0], says)
