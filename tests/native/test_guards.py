"""The guard build: an index beyond its bound ends the call before memory is touched, and its rule's line is told."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import pytest

from rulelang.diagnostics import UsageError
from rulelang.game import Ruleset, load
from rulelang.ismcts.procedures import SEARCHES
from rulelang.native import NativeCode, guards
from rulelang.native.build import build_library
from rulelang.native.guards import GuardError, guarded
from rulelang.native.machine import GAMES, STEPS
from rulelang.runtime.state import State

pytestmark = pytest.mark.usefixtures("compiler", "checked")
RULESET = """\
rulelang: 2
name: g
players: 2
types: {Hue: [red, blue, green], Coin: {values: [gold, iron]}}
grids: {Square: {columns: 3, rows: 2}}
kinds:
  Card: {attributes: {value: 1..9}, start: deck}
  Man: {start: home, variables: {load: {type: 0..9}}}
pieces:
  Card: [{id: a, value: 1, count: 4}]
  Man: [{id: tom}, {id: dan}]
variables:
  who: {type: player}
  hue: {type: Hue}
  place: {type: Square}
  man: {type: "Man?"}
  life: {type: 0..9, per: player}
  seen: {type: bool, per: Hue}
  dug: {type: bool, per: Square}
  purse: {type: bag of Coin, per: player, start: 2 gold}
zones:
  deck: {holds: Card, order: pile, visible: count}
  home: {holds: Man}
  hand: {holds: Card, per: player}
rules: |
  setup: shuffle deck
  play:
    repeat 3 times:
      for p in players:
        turn of p:
          choose:
            seat: who.life := 7
            colour: seen[hue] := true
            dig: dug[place] := true
            look when toward(place, north) is none: pass
            load:
              if some m = man: m.load := 2
            give: draw 1 from deck to who.hand
            wait: pass
  score life: life + count(hand) + count(purse)
"""
PROBES = r"""
/* What leads out of bounds at `index`, by number; `index` within its bounds gives a number. */
EXPORTED W probe(Machine *machine, W number, W index) {
    G *const g = &machine->game;
    CALLED(g, -1);
    begin(machine);
    W here[3] = {0};
    W *const room = alloc(g, 4), *const after = alloc(g, 4), *const list = a_list(g, 2);
    for (W i = 0; i < 4; i++) room[i] = after[i] = 0;
    switch (number) {
    case 0: return g->s.v[index];
    case 1: return g->s.length[index];
    case 2: return contents(g, 0)[index];
    case 3: return here[index];
    case 4: return room[index];
    case 5: for (W i = 0; i <= index; i++) PUSH(list, i); return COUNT(ADDRESS(list));
    case 6: PUSH(list, 1); return AT(ADDRESS(list), index);
    case 7: return zone_start[index];
    case 8: memset(room, 0, (size_t)(index + 1) * sizeof(W)); return 0;
    case 9: return *alloc(g, index + 1) * 0;
    case 10: g->top = after; return after[index - 1] * 0;
    case 11: return machine->scratch[index - 1] * 0;
    case 12: push_upper(g, 1); return g->limit[index];
    case 13: return g->depth[index];
    case 14: {
        volatile size_t too_much = (size_t)1 << 62;
        W *const block = calloc(4, sizeof(W));
        if (realloc(block, too_much) != NULL) return -2;
        const W value = block[index];
        free(block);
        return value;
    }
    }
    return -2;
}
"""
OUT = {
    0: (-1, 10_000), 1: (-1, 10_000), 2: (-1, 1 << 40), 3: (-1, 3), 4: (-1, 4), 5: (2, 7), 6: (1, -1), 7: (-1, 1 << 20),
    8: (4, 99), 9: (-5, -2), 10: (1, 4), 11: (1 << 30, -9), 12: (1, -99), 13: (-1, 1 << 33),
    14: (-1, 4),
}  # fmt: skip
"""Of each probe the indices that are out of bounds."""
WITHIN = {11: 1}
"""An index within them, where 0 is none; probe 10 reads what was given back: there is none."""


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose the guard build."""
    monkeypatch.setenv(guards.NATIVE, guards.GUARDED)


@pytest.fixture
def ruleset(same_folder: Path) -> Ruleset:
    """A ruleset with all that is indexed."""
    (same_folder / "ruleset.yaml").write_text(RULESET, encoding="utf-8")
    return load(same_folder)


def native(ruleset: Ruleset) -> NativeCode:
    """Native code that is not shared with other tests."""
    return NativeCode(ruleset.executor(2, {}, "interpreter").interpreter)


def test_each_way_of_indexing_is_bounded(ruleset: Ruleset) -> None:
    """Arrays, zones, lists, blocks of scratch space and of the heap, constants and copies: a probe of each, within its
    bounds and not. A block that gets no more memory keeps its own."""
    text = native(ruleset).c
    library = guards.watch(build_library(text + guarded(PROBES)), text + PROBES)
    library.rulelang_new.restype = ctypes.c_void_p
    library.probe.argtypes, library.probe.restype = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64], ctypes.c_int64
    machine = library.rulelang_new()
    for number, beyond in OUT.items():
        if number != 10:
            assert library.probe(machine, number, WITHIN.get(number, 0)) >= -1
        for index in beyond:
            with pytest.raises(GuardError, match="is not from"):
                library.probe(machine, number, index)
    library.rulelang_free.argtypes = [ctypes.c_void_p]
    library.rulelang_free(machine)


def asked(ruleset: Ruleset, item: str, name: str, value: int) -> tuple[State, int]:
    """Return the first node of a game in which a variable has a value that it never may; an item's place."""
    executor = ruleset.executor(2, {}, "interpreter")
    state = executor.interpreter.new_state(3, logging=False)
    executor.interpreter.advance(state)
    number = next(n for n, table in enumerate(ruleset.program.variables) if table.name == name)
    options = executor.interpreter.options(state, 0)
    names = ("seat", "colour", "dig", "look", "load", "give", "wait")
    state.v[executor.layout.var_base[number]] = value
    return state, next(place for place, option in enumerate(options) if names[option.item] == item)


@pytest.mark.parametrize(
    ("item", "name", "value", "line"),
    [
        ("seat", "who", 7, 32),
        ("colour", "hue", -1, 34),
        ("look", "place", 6, 36),
        ("load", "man", 9, 38),
        ("give", "who", -1, 39),
    ],
)
def test_a_value_that_is_no_index_is_told_with_its_line(
    ruleset: Ruleset, item: str, name: str, value: int, line: int
) -> None:
    """Whatever a variable holds that it never may: the rule that takes it for an index is named, nothing is written."""
    code = native(ruleset)
    state, at = asked(ruleset, item, name, value)
    flat = code.steps().flattened(state)
    assert flat is not None
    with pytest.raises(GuardError, match=rf"ruleset\.yaml:{line}: {value} is not from"):
        code.steps().after_choice(flat, 0, at)


@pytest.mark.parametrize(("item", "name", "value"), [("seat", "who", 7), ("colour", "hue", -1), ("load", "man", 9)])
def test_the_default_build_writes_no_variable_elsewhere(
    ruleset: Ruleset, item: str, name: str, value: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Native code gives up, and leaves it to the interpreter to say what is wrong."""
    monkeypatch.delenv(guards.NATIVE)
    code = native(ruleset)
    state, at = asked(ruleset, item, name, value)
    flat = code.steps().flattened(state)
    assert flat is not None
    assert code.steps().after_choice(flat, 0, at) is None


DECLARED = re.compile(r"[A-Z_0-9+*/?: ()<]*|words|1 << SHORT|256")
"""What may stand between brackets that are no guarded subscript: the length of an array that is declared."""


def test_no_subscript_is_left_out(ruleset: Ruleset) -> None:
    """In the text of all libraries each `[` that is left declares an array, or is not evaluated."""
    for variant in (GAMES, STEPS, SEARCHES):
        text, *_ = native(ruleset).written(variant)
        start = text.index("KEPT const char *const SITE_NAMES")
        unevaluated = re.sub(r'GUARDED_ROOM\(\(.*?\)\), "', '"', text[start : text.rindex("/* What guards.h declares")])
        code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', "", unevaluated, flags=re.S)
        assert code.count("GUARDED") > 500
        raw = {inside for inside in re.findall(r"\[([^\[\]]*)\]", code) if not DECLARED.fullmatch(inside)}
        assert raw == set()


def test_the_scanner_knows_declarations() -> None:
    """Lengths in declarations, compound literals and macros' own declarations are no subscripts; all else is."""
    text = guarded(
        "#define PICK(x, n) ((x)[n])\n"
        "struct S { W v[3]; };\nstatic const W table[2] = {1, 2};\n"
        "static W f(G *g, W *p, W site) {\n"
        "    W a[2] = {0}, b[2], *c[1] = {p}, d = a[0] * b[1];\n"
        "    for (W x = p[1]; x < a[x]; x++) { const W y = p[a[x]]; b[y]++; }\n"
        "    return call(&p[d], (const W[]){a[1], d}, c[0][d]) + PICK(a, 1);\n}\n"
    )
    assert text.count("GUARDED(") == 11
    assert text.count("GUARDED_END(") == 1
    assert "W v[3]" in text
    assert "a[2] = {0}, b[2], *c[1] = {p}" in text
    assert "(const W[]){" in text


def test_the_default_build_has_no_guards(ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the environment variable the text holds nothing of them; another value than `checked` is refused."""
    monkeypatch.delenv(guards.NATIVE)
    assert "GUARDED" not in native(ruleset).c
    monkeypatch.setenv(guards.NATIVE, "quick")
    with pytest.raises(UsageError, match="RULELANG_NATIVE='quick'"):
        native(ruleset).c  # noqa: B018
