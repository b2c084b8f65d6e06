"""Nothing that a ruleset or the file system says is code: no C, no comment that ends early, no directive.

Programs are given hostile strings in every place that holds a text, as rulesets, folders and damaged caches might.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from rulelang.game import load
from rulelang.native.compilers import find_compiler
from rulelang.native.source import plain_name, safe_text
from tests.soak import every

from .sandbox import rulelang_in

ROOT = Path(__file__).resolve().parents[2]
MARKER = "Pwn3d"
"""Part of every hostile text, with signs that no generated code needs around it."""
PAYLOADS = {
    "comment end": f'*/ asm("{MARKER}"); /*',
    "comment end at the end": f"{MARKER} */",
    "comment end over the limit": f"{MARKER} " + "x" * 182 + f"*/ {MARKER}(); /*",
    "quotes": f'"); {MARKER}(); ("',
    "single quotes": f"'{MARKER}'",
    "joined lines": f"{MARKER}\\",
    "line feed": f"{MARKER}\n#include </etc/{MARKER}>\n",
    "carriage return": f"{MARKER}\r#define G {MARKER}\r",
    "vertical tab": f"{MARKER}\v\f#pragma {MARKER}",
    "trigraphs": f"??/\n{MARKER} ??= ??' {MARKER}",
    "directive": f'#line 1 "{MARKER}"',
    "digraphs": f"%:include <{MARKER}> <% %>",
    "zero byte": f"{MARKER}\0{MARKER}",
    "right to left": f"\u202e{MARKER}\u2066",
    "line separator": f"{MARKER}\u2028{MARKER}\x85{MARKER}",
    "surrogate": f"{MARKER}\udcff\udc80",
    "long": f"{MARKER} */ " * 400,
    "format": f"%n%s {{0.__class__}} {{{MARKER}}}",
}
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
SAFE_COMMENT = re.compile(r"[A-Za-z0-9_ .,:()/-]*")
GENERATED = re.compile(r"[\t\n -~]*")
GAMES = ("tests/conformance/rulesets/refill", "rulesets/reco")


def string_fields(node: Any, name: str = "", owner: str = "") -> Iterator[str]:
    """The fields of a tree that hold strings, as `Class.field`."""
    if isinstance(node, str):
        yield f"{owner}.{name}"
    elif is_dataclass(node) and not isinstance(node, type):
        for field in fields(node):
            yield from string_fields(getattr(node, field.name), field.name, type(node).__name__)
    elif isinstance(node, tuple | dict):
        for item in node.values() if isinstance(node, dict) else node:
            yield from string_fields(item, name, owner)


def emitted(program: Any, steps: bool) -> str:
    """The C of a program for its smallest number of players."""
    from rulelang.interpreter import Machine
    from rulelang.native.machine import GAMES, STEPS, c_text

    machine = Machine(program, program.players[0])
    return c_text(machine.layout, STEPS if steps else GAMES)[0]


def faults(text: str) -> list[str]:
    """What of a generated text is not as safe as it must be."""
    said = []
    if not GENERATED.fullmatch(text):
        said.append("a character that is no printable ASCII")
    if "??" in text:
        said.append("a trigraph")
    comments = [comment for comment in COMMENT.findall(text) if MARKER in comment]
    said += [f"comment: {comment[:80]}" for comment in comments if not SAFE_COMMENT.fullmatch(comment)]
    code = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', COMMENT.sub("", text))
    said += [f"code: {line[:80]}" for line in code.splitlines() if MARKER in re.sub(r"\b[A-Za-z_]\w*\b", _name, line)]
    if MARKER in "".join(re.findall(r'"(?:[^"\\\n]|\\.)*"', COMMENT.sub("", text))):
        said.append("a string that a ruleset wrote")
    return said


def _name(found: re.Match[str]) -> str:
    """A whole identifier with a number at an end, such as generated names have, is no way out."""
    return "x" if re.fullmatch(r"\w*[0-9]_\w*|\w*_[0-9]+_?", found[0]) else found[0]


def test_texts_of_a_program_are_not_code() -> None:
    """Paths and citations of sites; names of procedures and of their locals."""
    for game in GAMES:
        program = load(ROOT / game).program
        payloads = cycle(PAYLOADS.values())
        sites = tuple(
            replace(site, rule=next(payloads), path=next(payloads), citations=(next(payloads),))
            for site in program.sites
        )
        for steps in (False, True):
            text = emitted(replace(program, sites=sites), steps)
            assert text.count(MARKER) >= len(PAYLOADS), "the sites stand in comments"
            assert faults(text) == []
        procedures = tuple(
            replace(code, name=next(payloads), local_names=tuple(next(payloads) for _ in code.local_names))
            for code in program.procedures
        )
        named = replace(program, sites=sites, procedures=procedures)
        text = emitted(named, steps=True)
        assert re.search(rf"p\d+_\w*{MARKER}", text), "procedures are called after the author's names"
        assert faults(text) == []


def test_each_field_alone_is_not_code() -> None:
    """Whatever single field of a program is hostile, operations and types included: no code, or no program."""
    program = load(ROOT / GAMES[0]).program
    payload = PAYLOADS["comment end"]
    kinds = sorted(set(string_fields(program)))
    assert len(kinds) > 20
    emitted_anyway = 0
    for kind in every(3, kinds):
        owner, name = kind.split(".")

        def change(node: Any, inside: str = "", field: str = "", owner: str = owner, name: str = name) -> Any:
            if isinstance(node, str):
                return payload if (inside, field) == (owner, name) else node
            if is_dataclass(node) and not isinstance(node, type):
                values = {
                    f.name: change(getattr(node, f.name), type(node).__name__, f.name) for f in fields(node) if f.init
                }
                return replace(node, **values)
            if isinstance(node, tuple):
                return tuple(change(item, inside, field) for item in node)
            if isinstance(node, dict):
                return {key: change(value, inside, field) for key, value in node.items()}
            return node

        try:
            text = emitted(change(program), steps=True)
        except Exception:  # noqa: BLE001 - the verifier keeps such a program from ever coming here
            continue
        emitted_anyway += 1
        assert faults(text) == [], kind
    assert emitted_anyway > 2


def test_one_function_lets_safe_characters_pass() -> None:
    """What it returns can't end a comment, and what is an identifier is one."""
    for text in PAYLOADS.values():
        assert SAFE_COMMENT.fullmatch(safe_text(text))
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", plain_name(text))
        assert len(plain_name(text)) <= 41
    assert plain_name("while") == "while_"
    assert plain_name("Küche") == "K_che"


@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_folder_name_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders whose path closes the comment that tells rule and place, or ends its line: the game is played, and
    nothing else is run."""
    run = "void __attribute__((constructor)) x(void) { __builtin_trap(); }"
    folder = tmp_path / "b*" / f"{run} a*" / f"b\n#error {MARKER}" / "c??" / f"{MARKER} z*"
    shutil.copytree(ROOT / GAMES[0], folder, ignore=shutil.ignore_patterns("scenarios"))
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RULELANG_CFLAGS", "-O0")
    outcome = rulelang_in(tmp_path, "simulate", str(folder), "--games", "5", "--backend", "native")
    assert outcome.status == 0, outcome.said
    outcome = rulelang_in(tmp_path, "compile", str(folder), "--emit", "c")
    assert outcome.status == 0
    assert MARKER in outcome.out
    assert faults(outcome.out) == []
