"""Random edits of a ruleset's files, as authors make them: figures, lines, comments, names, and what undoes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random


def _figure(lines: list[str], at: int, random: Random) -> None:
    lines[at] = re.sub(r"\d+", lambda found: str(max(0, int(found[0]) + random.choice((-1, 1)))), lines[at], count=1)


def _comment(lines: list[str], at: int, random: Random) -> None:
    lines.insert(at, " " * (len(lines[at]) - len(lines[at].lstrip())) + "# said by nobody")


def _blank(lines: list[str], at: int, random: Random) -> None:
    lines.insert(at, "")


def _without(lines: list[str], at: int, random: Random) -> None:
    del lines[at]


def _twice(lines: list[str], at: int, random: Random) -> None:
    lines.insert(at, lines[at])


def _word(lines: list[str], at: int, random: Random) -> None:
    words = re.findall(r"[a-z_]{3,}", lines[random.randrange(len(lines))]) or ["nothing"]
    lines[at] = re.sub(r"[a-z_]{3,}", random.choice(words), lines[at], count=1)


def _letter(lines: list[str], at: int, random: Random) -> None:
    place = random.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:place] + random.choice("xs: -#0") + lines[at][place:]


def _moved(lines: list[str], at: int, random: Random) -> None:
    lines.append(lines.pop(at))


def _tab(lines: list[str], at: int, random: Random) -> None:
    lines[at] = "\t" + lines[at]


def _cut(lines: list[str], at: int, random: Random) -> None:
    lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]


def _head(lines: list[str], at: int, random: Random) -> None:
    del lines[at + 1 :]


def _everywhere(lines: list[str], at: int, random: Random) -> None:
    words = sorted(set(re.findall(r"[a-z_]{4,}", "\n".join(lines)))) or ["nothing"]
    old, new = random.choice(words), random.choice([*words, "newly"])
    lines[:] = [re.sub(rf"\b{old}\b", new, line) for line in lines]


KINDS: tuple[Callable[[list[str], int, Random], None], ...] = (
    *(_figure, _figure, _figure, _comment, _blank),
    *(_without, _twice, _word, _letter, _moved),
    *(_tab, _cut, _head, _everywhere, _everywhere),
)


def edited_texts(
    files: Sequence[Path], standing: dict[Path, str], random: Random, number: int
) -> Iterator[tuple[Path, int]]:
    """Make edits of texts that are not saved, as `edits` does of files; yield the file and the line of each.

    Args:
        standing: by file the texts that differ from the file's own; it is written on.
    """
    at, path = 0, files[0]
    for _ in range(number):
        sort = random.choice(("alone", "alone", "mixed", "undone"))
        if sort != "mixed":
            standing.clear()
        if sort != "undone":
            path = random.choice(files)
            lines = standing.get(path, path.read_text(encoding="utf-8")).split("\n")
            at = random.choice([n for n, line in enumerate(lines) if line.strip()] or [0])
            random.choice(KINDS)(lines, at, random)
            standing[path] = "\n".join(lines)
        yield path, at + 1


def edits(folder: Path, random: Random, number: int) -> Iterator[str]:
    """Make edits one after the other; yield what each was. Before most of them those that stand are undone, at times
    nothing else is done."""
    files = sorted((*folder.rglob("*.yaml"), *folder.rglob("*.rule")))
    standing: dict[Path, str] = {}
    for _ in range(number):
        sort = random.choice(("alone", "alone", "mixed", "undone"))
        if sort != "mixed":
            for path, text in standing.items():
                path.write_text(text, encoding="utf-8")
            standing.clear()
        if sort == "undone":
            yield "undone"
            continue
        path, kind = random.choice(files), random.choice(KINDS)
        text = path.read_text(encoding="utf-8")
        standing.setdefault(path, text)
        lines = text.split("\n")
        at = random.choice([n for n, line in enumerate(lines) if line.strip()] or [0])
        kind(lines, at, random)
        path.write_text("\n".join(lines), encoding="utf-8")
        yield f"{path.name}:{at + 1}: {kind.__name__} ({sort})"
