"""Bags that generated Python keeps as numbers: what the numbers are, and that rules find and leave the right pieces."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import rulelang
from rulelang.backends.interpreter import Machine
from rulelang.backends.outcome import Game, Outcome
from rulelang.backends.python import PythonMachine
from rulelang.backends.python.handfuls import Choice, Handfuls, chosen_of
from rulelang.backends.python.selections import KEPT
from rulelang.diagnostics import RuleError
from rulelang.runtime.canonical import state_hash
from rulelang.simulate import simulate
from tests.backends.native.test_handfuls import MOVED_ABOUT, PLAYED, ROOT

NUTS = """rulelang: 1
name: nuts
title: {en: Nuts}
players: 2
languages: [en]

types:
  Colour: {values: [red, blue]}
kinds:
  Nut: {attributes: {colour: Colour, weight: 1..2}, start: sack}
pieces:
  Nut:
    - {id: red1, colour: red, weight: 1, count: 3}
    - {id: red2, colour: red, weight: 2}
    - {id: blue1, colour: blue, weight: 1, count: 2}

zones:
  sack: {holds: Nut}
  heap: {holds: Nut}
  bowl: {holds: Nut, per: player}
  row: {holds: Nut, order: pile, visible: all}
  tin: {holds: Nut, capacity: 1}
"""
RULES = """rulelang 1

setup:
  pass

play:
  for p in players:
    turn of p: fill()

rule fill:
  let light = sack where it.weight < 2 and not it.colour = blue
  move light to bowl
  move light to heap
  let heavy = choose 1 of sack where it.weight = 2 or it.colour = red
  move heavy to bowl
  move sack to row
  move heap to sack
  if count(sack) > 2:
    move sack where it.colour = red to tin

score bowl: sum(bowl.weight)
score sets: sum(sum(g.weight) for g in sack grouped by colour where count(g) >= 2)
score blue: count(row where it.colour = blue) + count(tin)
"""

GAME = Game([7, 5], [0], 1, 2, False, False)
"""What every game of it comes to."""


def nuts(folder: Path, rules: str = RULES) -> rulelang.Ruleset:
    (folder / "ruleset.yaml").write_text(NUTS, encoding="utf-8")
    (folder / "nuts.rule").write_text(rules, encoding="utf-8")
    return rulelang.load(folder)


# ---- numbers


def test_a_number_holds_how_many_there_are_of_each_item() -> None:
    """Of 3, 0, 1 and 2 copies the items have 2, 0, 1 and 2 bits."""
    handfuls = Handfuls(range(4), [3, 0, 1, 2])
    assert handfuls.units == [1, 0, 4, 8]
    assert handfuls.pack([0, 0, 2, 3, 3]) == 2 + 4 + 16
    assert handfuls.unpack(2 + 4 + 16) == [0, 0, 2, 3, 3]
    assert handfuls.listed[1 + 8] == [0, 3]
    assert (handfuls.size(22), handfuls.size(0)) == (5, 0)
    assert handfuls.sorts(22) == ((1, 4, 8), (2, 1, 2))
    assert handfuls.mask(lambda item: item != 2) == 3 + 24
    assert handfuls.common(2 + 4 + 8, 3 + 16) == 2 + 8


def test_parts_of_a_number_are_looked_up_apart() -> None:
    """Six items of 3 bits need more than one part."""
    handfuls = Handfuls(range(6), [4] * 6)
    lying = [0, 0, 0, 0, 1, 3, 3, 5, 5, 5, 5]
    assert handfuls.unpack(handfuls.pack(lying)) == lying
    assert handfuls.size(handfuls.pack(lying)) == 11
    assert handfuls.sorts(handfuls.pack(lying)) == ((1, 8, 512, 32768), (4, 1, 2, 4))


def ways_of(handfuls: Handfuls, lying: list[int], low: int, high: int) -> list[int]:
    """All ways to choose, as generated code reads them."""
    count, ways, parts, _ = chosen_of({}, "key", handfuls, handfuls.pack(lying), low, high)
    return [ways[place] if parts is None else sum(parts[place](ways)) for place in range(count)]


def test_ways_come_by_size_and_then_in_order() -> None:
    """Of two alike and another one, one or two are chosen: a, c, aa, ac."""
    handfuls = Handfuls(range(3), [3, 1, 2])
    assert ways_of(handfuls, [0, 0, 2], 1, 2) == [1, 8, 2, 9]
    assert ways_of(handfuls, [0, 0, 2], 1, 1) == [1, 8]
    assert ways_of(handfuls, [0, 0], 0, 0) == [0]
    assert ways_of(handfuls, [], 1, 1) == []
    nothing = [chosen_of({}, "key", handfuls, 2, 0, most)[3] for most in (0, 1)]
    assert nothing == [True, False]


def test_many_ways_are_made_one_by_one() -> None:
    """Of five different ones two are chosen in ten ways; of thirteen any number in 8,191."""
    handfuls = Handfuls(range(13), [1] * 13)
    pairs = [1 << a | 1 << b for a in range(5) for b in range(a + 1, 5)]
    assert ways_of(handfuls, [0, 1, 2, 3, 4], 2, 2) == pairs
    found = ways_of(handfuls, list(range(13)), 1, 13)
    assert len(found) == 2**13 - 1
    assert sorted(found) == list(range(1, 2**13))


def test_what_is_remembered_is_bounded() -> None:
    """Choices, what takes a way, and lists are thrown away when there are too many."""
    handfuls = Handfuls(range(13), [1] * 13)
    memory: dict[int, Choice] = {}
    for number in range(KEPT + 100):
        chosen_of(memory, number, handfuls, number, 1, 13)
        assert len(handfuls.listed[number]) == number.bit_count()
    assert 100 <= len(memory) <= KEPT
    assert len(handfuls.listed) <= KEPT
    count, ways, parts, _ = chosen_of(memory, -1, handfuls, (1 << 13) - 1, 1, 13)
    assert all(parts[place](ways) for place in range(count))
    assert len(parts) <= KEPT


# ---- rules


@pytest.mark.parametrize("backend", ["interpreter", "python"])
def test_pieces_go_where_the_rules_send_them(tmp_path: Path, backend: str) -> None:
    """Only the first player is asked, with one option. That one moves the three light red nuts over the bowl to the
    heap, keeps the heavy one, puts the blue ones in a row and takes the heap back into the sack, from which one fits
    into the tin. The second finds two light red ones, nothing heavy and nothing for the row; they come back."""
    machine = nuts(tmp_path).machine(2, backend=backend)
    state = machine.new_state(0, logging=False)
    start = state.rng
    machine.random_playout(state)
    names = [zone.name for zone in machine.program.zones]
    lying = {
        name: [state.z[there] for there in machine.layout.zone_instances(table)] for table, name in enumerate(names)
    }
    assert lying == {"sack": [[0, 0]], "heap": [[]], "bowl": [[1], []], "row": [[2, 2]], "tin": [[0]]}
    assert state.rng == start
    # 2 for the heavy nut; 2 for two red ones in the sack; 2 for the blue ones and 1 for the tin.
    assert machine.scores(state) == [7, 5]
    if isinstance(machine, PythonMachine):
        kept = {names[table] for table in machine._keeping.counted}
        assert kept == {"sack", "heap", "bowl"}
        assert machine.played(5) == GAME
        found = machine.outcomes_of(machine.new_state(0, logging=False), [1, 2])
        assert found == [Outcome(GAME, [1.0, -1.0])] * 2
        assert machine.tally(3, range(10, 14), 2) == (4, [4, 8, 0, 0, 4, 0, 8, 0, 28, 20, 4 * 49, 4 * 25])


def test_what_the_interpreter_looks_at_stays_lists(tmp_path: Path) -> None:
    """A rule that looks ahead is run by the interpreter, which knows lists alone."""
    rules = RULES.replace("  if count(sack) > 2:", "  if possible(spill() then count(sack) = 0) and count(sack) > 2:")
    machine = nuts(tmp_path, rules + "\nrule spill:\n  move sack to heap\n").machine(2, backend="python")
    assert isinstance(machine, PythonMachine)
    assert not machine._keeping.counted
    assert machine.played(5) == GAME


def test_a_rule_that_goes_wrong_is_told_with_its_game(tmp_path: Path) -> None:
    """What went wrong in a game that nobody looks into is found out by playing it again."""
    ruleset = nuts(
        tmp_path, RULES.replace("  move heavy to bowl\n", "  move heavy to bowl\n  require count(row) < 2\n")
    )
    machine = ruleset.machine(2, backend="python")
    assert machine.played(0) is None
    assert machine.tally(0, range(3), 2) == (0, [0] * 12)
    with pytest.raises(RuleError, match=r"game 0 \(seed \d+\): fill: .*nuts.rule:16"):
        simulate(ruleset, 2, 3, backend="python")


@pytest.mark.parametrize("players", [3, 5])
def test_pieces_that_are_moved_about_end_up_in_the_same_zones(tmp_path: Path, players: int) -> None:
    """Some are moved on by the time that they are to be moved again, or go to a pile or a zone that is no bag."""
    folder = tmp_path / "reco"
    shutil.copytree(ROOT / "rulesets" / "reco", folder, ignore=shutil.ignore_patterns("scenarios", "variants"))
    rules = (folder / "reco.rule").read_text(encoding="utf-8")
    (folder / "reco.rule").write_text(rules.replace(PLAYED, MOVED_ABOUT), encoding="utf-8")
    program = rulelang.load(folder).program
    slow, fast = Machine(program, players), PythonMachine(program, players)
    assert "moved" in fast.text()
    for seed in range(20):
        states = [machine.new_state(seed, logging=False) for machine in (slow, fast)]
        slow.random_playout(states[0])
        fast.random_playout(states[1])
        assert state_hash(states[0]) == state_hash(states[1])
        assert states[0].rng == states[1].rng
        assert states[0].z == states[1].z


def test_many_games_come_to_what_single_games_come_to() -> None:
    """Games that are added up, and games of which each is told, have the interpreter's results."""
    ruleset = rulelang.load("reco")
    found = [simulate(ruleset, 4, 10, seed=3, backend=backend) for backend in ("interpreter", "python")]
    assert found[0].seats == found[1].seats
    assert [(one.decisions, one.turns, one.games) for one in found][:1] * 2 == [
        (one.decisions, one.turns, one.games) for one in found
    ]
