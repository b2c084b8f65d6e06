"""The grammar itself: no conflict is settled silently, its cache forgives, and doubtful texts are read as intended."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest
from syntax_helpers import SAMPLE, bare, block, expression

from rulelang import resources
from rulelang.cache import CacheFolder, digest_of
from rulelang.resources import cache_folder, grammar_path, shipped_rulesets
from rulelang.syntax import tables
from rulelang.syntax.build import RULES
from rulelang.syntax.forms import value
from rulelang.syntax.grammar import STARTS, load_grammar
from rulelang.syntax.layout import flat
from rulelang.syntax.printer import print_node
from rulelang.syntax.tables import cached_tables


def test_no_conflict_is_resolved_silently(caplog: pytest.LogCaptureFixture) -> None:
    """Lark settles shift/reduce conflicts as shifts and only logs them: there are none, so nothing rests on that."""
    from lark import Lark, logger

    handler, level = logging.Handler(), logger.level
    records: list[logging.LogRecord] = []
    handler.emit = records.append  # type: ignore[method-assign, assignment]
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        Lark('start: e\ne: X | X e | X e Y e\nX: "x"\nY: "y"', parser="lalr")
        assert any("Shift/Reduce" in record.getMessage() for record in records), "the log is not where conflicts show"
        records.clear()
        text = grammar_path("rulelang.lark").read_text(encoding="utf-8")
        Lark(text, parser="lalr", lexer="basic", start=list(STARTS), propagate_positions=True)
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
    assert [record.getMessage() for record in records if "onflict" in record.getMessage()] == []


def test_every_rule_has_a_builder() -> None:
    """Each rule that leaves a tree has its row, but entry points and what the row of the rule around it reads."""
    from lark import Lark

    rules = Lark(grammar_path("rulelang.lark").read_text(encoding="utf-8"), parser="lalr", start=list(STARTS)).rules
    trees = {str(rule.alias or rule.origin.name) for rule in rules if rule.alias or not rule.options.expand1}
    without = {name for name in trees if name[0] != "_"} - {*RULES}
    outer = {*STARTS, "won_by", "drawn", "lost", "amounts", "at_bottom", "at_once"} - {"block_text"}
    assert {name for name in without if not name.startswith("is_")} == outer


READINGS = {
    "hand where a and b otherwise c": "hand where (a and b otherwise c)",
    "top of deck where it.x = 1": "(top of deck) where it.x = 1",
    "choose 1 of hand where it = red": "choose 1 of (hand where it = red)",
    "choose one of hand is empty": "choose one of (hand is empty)",
    "choose one of a if c else b": "choose one of (a if c else b)",
    "x = a if c else b": "(x = a) if c else b",
    "a otherwise b if c else d": "(a otherwise b) if c else d",
    "a if b else c if d else e": "a if b else (c if d else e)",
    "not x in c and y": "(not (x in c)) and y",
    "a or b and c": "a or (b and c)",
    "a - b - c": "(a - b) - c",
    "a - b * c mod d": "a - ((b * c) mod d)",
    "-a.b[1]": "-((a.b)[1])",
    "{1: 2} at a.b": "{1: 2} at (a.b)",
    "{1: 2} at a + 1": "({1: 2} at a) + 1",
    "top 2 of a.b": "top 2 of (a.b)",
    "top of cell of a.b": "top of (cell of (a.b))",
    "2 nut + 1 any base": "(2 nut) + (1 any base)",
    "sum(x for x in c where d)": "sum((x) for x in (c) where (d))",
    "c with most it.a + 1": "c with most (it.a + 1)",
    "c grouped by colour where count(it) > 1": "(c grouped by colour) where (count(it) > 1)",
    "a in b or c is not none": "(a in b) or (c is not none)",
    "choose a to b of hand": "choose (a) to (b) of hand",
    "can pay 1 nut + a from b + c and d": "(can pay (1 nut + a) from b + c) and d",
}


@pytest.mark.parametrize("text", READINGS)
def test_reading(text: str) -> None:
    """What binds tighter is what the parentheses say, and the printer adds none of them, but those that tell an `and`
    from the `or` beside it."""
    assert bare(expression(text)) == bare(expression(READINGS[text]))
    mixed = " or " in text and " and " in text
    assert flat(value(expression(READINGS[text]))) == (READINGS[text] if mixed else text)


def test_words_are_names_where_only_names_can_stand() -> None:
    """A menu item, an attribute, a binder and an event may be called as a word of the language."""
    text = (
        "choose:\n  a: pass\n  pass: pass\n  draw(to in others): move x.top to to.round\n  end: mark m until after turn"
    )
    assert bare(block(text))
    assert bare(block("let x = top_of.trues[anything]")) == bare(block("let  x=top_of . trues [ anything ]"))


def test_words_that_begin_statements_are_names_where_no_statement_can_begin() -> None:
    """Before the sign of an assignment, maybe behind indices, before a dot, and where a value stands; a statement that
    begins with a list stays one."""
    text = """\
turn := turn + 1
mark[p] += round
draw.end := phase
draw[p].end -= 1
if step = 3 and end in stop: return turn
move [a, b] to x
move [a, b].pile to x
draw 1 from move to pay[mark, step]
"""
    kinds = [type(s).__name__ for s in block(text).statements]
    assert kinds == ["Assign", "Assign", "Assign", "Assign", "If", "Move", "Move", "Draw"]
    assert print_node(block(text).statements[7]) == "draw 1 from move to pay[mark, step]"


def test_resources_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folders are found beside the package in a checkout, and inside it once it is installed."""
    assert grammar_path("rulelang.lark").is_file()
    assert shipped_rulesets() == Path(__file__).parents[2] / "rulesets"
    (tmp_path / "_data" / "rulesets").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path)
    assert shipped_rulesets() == tmp_path / "_data" / "rulesets"


def _run(code: str, cache: Path | str) -> str:
    program = [sys.executable, "-B", "-c", code]
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        program, env={"XDG_CACHE_HOME": str(cache), "PYTHONPATH": root}, capture_output=True, text=True, check=True
    )
    return done.stdout + done.stderr


PARSE = f"""
import sys
from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax import parse_rule_file
assert 'lark' not in sys.modules
found = Diagnostics()
print(len(parse_rule_file(Source('s', {SAMPLE!r}), found)), len(found), 'lark' in sys.modules)
"""


def test_cache_is_written_and_used(tmp_path: Path) -> None:
    """The first run writes the tables, the second reads them; Lark is loaded where they are made."""
    first = _run(PARSE, tmp_path)
    assert "True" in first
    (entry,) = (tmp_path / "rulelang" / "grammar").iterdir()
    assert entry.stat().st_size > 10_000
    assert _run(PARSE, tmp_path) == first.replace("True", "False")


@pytest.mark.parametrize("may_write", [True, False])
def test_tables_of_the_engine_lie_beside_its_grammar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, may_write: bool
) -> None:
    """They are made once for all caches; where Python writes no bytecode, they lie in the user's."""
    own, users = tmp_path / "own", tmp_path / "cache" / "grammar"
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", not may_write)
    monkeypatch.setattr(tables, "OWN_GRAMMAR", CacheFolder("grammar", ".json", 2, own))
    expected = cached_tables('start: A+\nA: "a"', ["start"], own=True)
    assert [any(place.glob("*.json")) for place in (own, users)] == [may_write, not may_write]
    monkeypatch.setattr(tables, "_generated", None)
    assert cached_tables('start: A+\nA: "a"', ["start"], own=True) == expected


def test_nothing_in_the_cache_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is put where the tables are kept, a pickle that would make a file too, they are made anew."""
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path))
    grammar = 'start: A+\nA: "a"'
    expected = cached_tables(grammar, ["start"])
    (entry,) = (tmp_path / "grammar").iterdir()
    good, bad = entry.read_bytes(), tmp_path / "bad"
    pickle = b"c__builtin__\nopen\n(S'%s'\nS'w'\ntR." % str(bad).encode()
    for damage in (pickle, b"not an entry", b"[]", b"[{}, 1]", good[: len(good) // 2]):
        _entry(entry, damage)
        damaged = set(entry.parent.iterdir())
        assert cached_tables(grammar, ["start"]) == expected
        assert not bad.exists()
        (entry,) = set(entry.parent.iterdir()) - damaged
        for file in damaged:
            file.unlink()


def _entry(entry: Path, content: bytes) -> None:
    """Put other content in the place of an entry, with the right digest."""
    key = entry.name.split(".")[0]
    entry.unlink(missing_ok=True)
    entry.with_name(f"{key}.{digest_of(key, content)}.json").write_bytes(content)


def test_unwritable_cache_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no folder can be made, parsing works all the same."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RULELANG_CACHE", str(tmp_path / "file"))
    assert cached_tables('start: A+\nA: "a"', ["start"]).starts.keys() == {"start"}
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """`RULELANG_CACHE` and `XDG_CACHE_HOME` are honoured, and the tables are loaded once per process."""
    monkeypatch.setenv("RULELANG_CACHE", "")
    assert cache_folder() is None
    monkeypatch.setenv("RULELANG_CACHE", "/elsewhere")
    assert cache_folder() == Path("/elsewhere")
    monkeypatch.delenv("RULELANG_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/rulelang")
    monkeypatch.delenv("XDG_CACHE_HOME")
    folder = cache_folder()
    assert folder is not None
    assert folder.parts[-2:] == (".cache", "rulelang")
    assert load_grammar() is load_grammar()
