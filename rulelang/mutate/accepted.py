"""Survivors that are accepted: `survivors.yaml` beside a ruleset.

Enters: a ruleset's folder. Leaves: `Accepted`, each with patterns of what it accepts and the reason. They go by the
text of a line, not by its number, so that they stay right when a file grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from rulelang.diagnostics import Diagnostics, RulesetError
from rulelang.mutate.sites import Mutant
from rulelang.ruleset.fields import Fields
from rulelang.ruleset.files import read_file
from rulelang.ruleset.nodes import Mapping
from rulelang.ruleset.yaml_reader import read_yaml

FILE = "survivors.yaml"
KEYS = ("file", "line", "mutant", "because")


@dataclass(frozen=True)
class Accepted:
    """Mutants that nothing need notice. `file`, `line`: patterns of the file's name and of the text of the line;
    `mutant`: of `OPERATOR:new text`. `place`: where this is said."""

    file: str
    line: str
    mutant: str
    because: str
    place: str

    def accepts(self, mutant: Mutant) -> bool:
        """Return whether a mutant is one of those."""
        line = mutant.source.lines[mutant.line - 1].strip()
        changed = f"{mutant.operator}:{' '.join(mutant.after.split())}"
        return (
            fnmatchcase(Path(mutant.file).name, self.file)
            and fnmatchcase(line, self.line)
            and fnmatchcase(changed, self.mutant)
        )


def accepted_in(folder: Path) -> tuple[Accepted, ...]:
    """Return what a ruleset's folder says of survivors; nothing if it has no such file.

    Raises:
        RulesetError: the file is not written as it should be.
    """
    path, findings = folder / FILE, Diagnostics()
    if not path.exists():
        return ()
    source = read_file(path, folder, findings)
    tree = read_yaml(source, findings) if source is not None else None
    rows = []
    for item in Fields(tree, findings).items("survivors") if tree is not None else ():
        row = Fields(item, findings)
        keys = set(item.entries) if isinstance(item, Mapping) else set()
        missing = [key for key in ("line", "mutant", "because") if not row.word(key)]
        for key in sorted(keys.difference(KEYS)):
            message = f"an accepted survivor has no `{key}`"
            findings.error("schema-unknown-key", message, row.key_span(key), f"its keys are {', '.join(KEYS)}")
        if missing:
            hint = "`line` is the text of the line, `mutant` is `OPERATOR:new text`; `*` stands for any text"
            findings.error("schema-missing", f"an accepted survivor says its `{missing[0]}`", item.span, hint)
        place = f"{item.span.path}:{item.span.line}"
        words = [row.word(key) for key in KEYS]
        rows.append(Accepted(words[0] or "*", words[1], words[2], words[3], place))
    if findings.has_errors:
        raise RulesetError(findings)
    return tuple(rows)
