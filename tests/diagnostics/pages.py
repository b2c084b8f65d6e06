"""The pages of the diagnostics as tests: their examples as folders, and what `rulelang check` says of them.

Enters: `docs/diagnostics/*.md`. Leaves: a folder per example, and the output of `check` for it. What the fences of an
example may hold is told in `docs/diagnostics/index.md`:

- the first line `# file: NAME` says which file a fence is, seen from the folder that is checked (`../base/…` lies
  beside it); without it, a fence is `ruleset.yaml`;
- the line `# escaped` says that `\\n`, `\\t`, `\\\\` and `\\xNN` (one byte) stand for what cannot be seen, and
  `\\(text * 100)` for 100 times that text;
- `# link: NAME -> TARGET` is a link and nothing else;
- a `console` fence gives the command, if it is not `rulelang check game`.
"""

from __future__ import annotations

import ast
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

import rulelang.cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "diagnostics"
GOLDEN = Path(__file__).parent / "golden"
GAME = "game"
ROOMS = ("ruleset", "syntax", "semantics", "compiler", "words", "scenarios.py")

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|\(((?:[^()\\]|\\[nt\\])+) \* ([0-9]+)\)|([nt\\]))")
_PLAIN = {b"n": b"\n", b"t": b"\t", b"\\": b"\\"}
_CODE = re.compile(r"[a-z]+(?:-[a-z]+)+")


@dataclass
class Example:
    """A folder as it is told in a page, and how it is checked."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("check", GAME)

    def write(self, folder: Path) -> None:
        """Makes the folder `game`, and what the example wants beside it, below `folder`."""
        game = folder / GAME
        game.mkdir(parents=True)
        for name, data in self.files.items():
            (game / name).resolve().parent.mkdir(parents=True, exist_ok=True)
            (game / name).resolve().write_bytes(data)
        for name, target in self.links.items():
            (game / name).symlink_to(target)


@dataclass(frozen=True)
class Page:
    """A page: its title, its first sentence, the text that follows, and its examples."""

    title: str
    sentence: str
    text: str
    wrong: Example
    right: Example


def codes_of_pages() -> list[str]:
    """Every code that has a page."""
    return sorted(path.stem for path in PAGES.glob("*.md") if path.stem != "index")


def codes_of_source() -> set[str]:
    """Every code that a room gives to a finding: the text that a call, a tuple or a `Finding` begins with."""
    found: set[str] = set()
    for room in ROOMS:
        place = ROOT / "rulelang" / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place] if place.is_file() else []:
            found |= _codes(path)
    return found


def _codes(path: Path) -> set[str]:
    """The texts in a module that look like codes and stand where a finding has its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        values: list[ast.expr] = []
        if isinstance(node, ast.Call):
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Tuple):
            values = node.elts[:1]
        elif isinstance(node, ast.Assign):
            values = [node.value]
        for value in [part for v in values for part in ([v.body, v.orelse] if isinstance(v, ast.IfExp) else [v])]:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and _CODE.fullmatch(value.value):
                found.add(value.value)
    return found


def read_page(code: str) -> Page:
    """The page of a code; fails where it does not have the form that all pages have."""
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (Wrong|Right)\n", text, flags=re.MULTILINE)
    assert len(parts) == 5, "a page has the headings `## Wrong` and `## Right`, once each"
    assert (parts[1], parts[3]) == ("Wrong", "Right"), "`## Wrong` stands before `## Right`"
    title, sentence, *rest = [paragraph.strip() for paragraph in parts[0].strip().split("\n\n")]
    return Page(title, sentence, "\n\n".join(rest), _example(parts[2]), _example(parts[4]))


def _example(text: str) -> Example:
    example = Example()
    for language, body in _FENCE.findall(text):
        lines = body.split("\n")
        if language == "console":
            example.arguments = tuple(shlex.split(lines[0].removeprefix("$ rulelang ")))
            continue
        if lines[0].startswith("# link: "):
            name, _, target = lines[0].removeprefix("# link: ").partition(" -> ")
            example.links[name] = target
            continue
        name = "ruleset.yaml"
        if lines[0].startswith("# file: "):
            name = lines.pop(0).removeprefix("# file: ").strip()
        assert name not in example.files, f"two fences are `{name}`"
        escaped = lines[0] == "# escaped"
        data = "\n".join(lines[1:] if escaped else lines).encode()
        example.files[name] = unescaped(data) if escaped else data
    return example


def unescaped(data: bytes) -> bytes:
    """The bytes that an escaped text stands for."""

    def byte(found: re.Match[bytes]) -> bytes:
        code, repeated, times, letter = found.groups()
        if code is not None:
            return bytes([int(code, 16)])
        return _PLAIN[letter] if letter is not None else unescaped(repeated) * int(times)

    return _ESCAPE.sub(byte, data)


def output(example: Example) -> str:
    """The text of `rulelang check` for the example, written to the current folder: findings, then the count."""
    result = CliRunner().invoke(rulelang.cli.rulelang, list(example.arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output
