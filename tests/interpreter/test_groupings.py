"""Groupings: every distinct one once, counted without a list, the same after saving, replaying and dealing anew."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import rulelang
from rulelang.diagnostics import RulesetError
from rulelang.interpreter.groupings import GroupingCode, Partitions
from rulelang.ir.errors import IrError
from rulelang.ir.nodes import Guard
from rulelang.ir.program import Program
from rulelang.ir.verify import verify

RULES = """
rulelang: 2
name: sorting
players: 2
languages: [en, fr]
kinds:
  Card:
    attributes: {{value: 1..9}}
    variables: {{group: {{type: 0..{most}}}, spent: {{type: 0..1}}}}
    start: table
pieces:
  Card:
{rows}
zones:
  table: {{holds: Card}}
  hand: {{holds: Card, per: player, visible: owner}}
words:
  fr:
    Card: carte
rules: |
{rules}
"""


def game(folder: Path, rules: str, rows: dict[str, tuple[int, int]], most: int = 20) -> Any:
    """The ruleset: rows are id -> (value, count)."""
    lines = [f"    - {{id: {id_}, value: {value}, count: {count}}}" for id_, (value, count) in rows.items()]
    text = RULES.format(rows="\n".join(lines), rules="\n".join("  " + line for line in rules.splitlines()), most=most)
    folder.mkdir(exist_ok=True)
    (folder / "ruleset.yaml").write_text(text.lstrip(), encoding="utf-8")
    return rulelang.load(folder)


def turn(statement: str) -> str:
    return f"play:\n  turn of seat(0):\n    {statement}\nscore groups: sum(table.group) + sum(hand.group)"


def ids(state: Any) -> list[str]:
    return [action.id.partition("=")[2] for action in state.legal_actions(state.current_players()[0])]


# ---- the sequence -----------------------------------------------------------------------------------


def growing(length: int) -> Iterator[tuple[int, ...]]:
    if not length:
        yield ()
        return
    for start in growing(length - 1):
        yield from ((*start, number) for number in range(1, max(start, default=0) + 2))


def walked(classes: list[list[int]], most: int, allowed: Callable[[list[int]], bool]) -> list[list[list[int]]]:
    """Every partition that is allowed, alike ones once: of these the one that comes first."""
    pieces = [piece for members in classes for piece in members]
    class_of = {piece: number for number, members in enumerate(classes) for piece in members}
    found: dict[Any, list[list[int]]] = {}
    for numbers in growing(len(pieces)):
        groups = [
            [piece for piece, at in zip(pieces, numbers, strict=True) if at == number]
            for number in sorted(set(numbers))
        ]
        found.setdefault(tuple(sorted(tuple(class_of[piece] for piece in group) for group in groups)), groups)
    return [groups for groups in found.values() if len(groups) <= most and all(map(allowed, groups))]


@pytest.mark.parametrize("seed", range(40))
def test_every_partition_once(seed: int) -> None:
    """Against a walk over all assignments: counted, listed, picked and recognised alike."""
    dice = random.Random(seed)
    pieces = list(range(dice.randint(0, 6)))
    classes: list[list[int]] = []
    for piece in pieces:
        if classes and dice.random() < 0.5:
            classes[-1].append(piece)
        else:
            classes.append([piece])
    kind = {piece: number for number, members in enumerate(classes) for piece in members}
    most = dice.randint(0, 7)
    heavy, wide = dice.randint(1, 9), dice.randint(1, 6)

    def allowed(group: list[int]) -> bool:
        return sum(kind[piece] for piece in group) <= heavy and len(group) <= wide

    found = Partitions(classes, most, allowed, lambda units: None)
    found.find()
    wanted = walked(classes, most, allowed)
    assert len(found) == len(wanted) == len(list(found))
    assert sorted(found) == sorted(wanted)
    assert [found[n] for n in range(len(found))] == list(found)
    assert all(grouping in found for grouping in wanted)
    with pytest.raises(IndexError):
        found[len(found)]
    for grouping in walked(classes, len(pieces), lambda group: True):
        assert (grouping in found) == (grouping in wanted)
        turned = grouping[::-1]
        assert turned == grouping or turned not in found


@pytest.mark.parametrize(("size", "bell"), [(10, 115_975), (12, 4_213_597)])
def test_twelve_pieces_are_counted_quickly(size: int, bell: int) -> None:
    """The numbers of partitions are Bell's; nothing is listed for them."""
    spent = 0

    def charge(units: int) -> None:
        nonlocal spent
        spent += units

    begun = time.process_time()
    found = Partitions([[n] for n in range(size)], size, None, charge)
    found.find()
    assert len(found) == bell
    picked = found[bell // 2]
    assert sorted(itertools.chain(*picked)) == list(range(size))
    assert time.process_time() - begun < 5
    assert spent < 100_000


# ---- what a ruleset says of it ----------------------------------------------------------------------


def test_groups_are_numbered_by_their_first_pieces(tmp_path: Path) -> None:
    rules = game(tmp_path, turn("arrange table by group where count(it) <= 2"), {"a": (1, 1), "b": (2, 1), "c": (3, 1)})
    state = rules.new_game(seed=0)
    assert ids(state) == ["a+b|c", "a+c|b", "a|b+c", "a|b|c"]
    state.apply("play:group=a|b+c")
    assert state.is_terminal()
    assert state.scores() == [5, 5]
    told = [event["text"] for event in state.events() if event["type"] == "choice"]
    assert told == ["Seat 0 groups: a, b + c."]


def test_alike_pieces_make_no_difference_and_old_numbers_neither(tmp_path: Path) -> None:
    rules = game(tmp_path, turn("repeat 2 times: arrange table by group"), {"a": (1, 2), "b": (2, 1)})
    state = rules.new_game(seed=0)
    first = ids(state)
    assert first == ["a+a+b", "a+a|b", "a+b|a", "a|a|b"]
    state.apply("play:group=a|a|b")
    assert ids(state) == first


def test_what_tells_pieces_apart_makes_groupings_differ(tmp_path: Path) -> None:
    """A variable, or a local that refers to one."""
    rows = {"a": (1, 2), "b": (2, 1)}
    first = "let chosen = choose one of table where it.value = 1 else return\n    chosen.spent := 1\n    "
    state = game(tmp_path / "one", turn(first + "arrange table by group"), rows).new_game(seed=0)
    state.apply(state.legal_actions(0)[0])
    assert ids(state) == ["a+a+b", "a+a|b", "a+b|a", "a|a+b", "a|a|b"]
    mark = "let {0} = choose one of table where it.value = {1} else return\n    {0}.spent := 1\n    "
    both = mark.format("x", 1) + mark.format("y", 2)
    pairs = "arrange table by group where count(it) = 2 and count(distinct(it.value)) = 2"
    state = game(tmp_path / "both", turn(both + pairs), {"a": (1, 2), "b": (2, 2)}).new_game(seed=0)
    state.apply(state.legal_actions(0)[0])
    state.apply(state.legal_actions(0)[0])
    assert ids(state) == ["a+b|a+b#1", "a+b|a+b#2"], "what reads the same is numbered"
    held = "for held in table where it.value = 1:\n      arrange table by group\n      held.spent := 1"
    state = game(tmp_path / "two", turn(held), rows).new_game(seed=0)
    assert len(ids(state)) == len(set(ids(state))) == 5


def test_the_range_bounds_the_groups(tmp_path: Path) -> None:
    rows = {"a": (1, 1), "b": (2, 1), "c": (3, 1)}
    state = game(tmp_path, turn("arrange table by group"), rows, most=2).new_game(seed=0)
    assert ids(state) == ["a+b+c", "a+b|c", "a+c|b", "a|b+c"]


def test_nothing_to_group_asks_nothing(tmp_path: Path) -> None:
    """An empty place, or no way: nobody is asked, and nothing changes. One way is a decision with one option."""
    rows = {"a": (1, 1), "b": (2, 1)}
    assert game(tmp_path / "none", turn("arrange hand by group"), rows).new_game(seed=0).is_terminal()
    never = game(tmp_path / "never", turn("arrange table by group where sum(it.value) > 9"), rows).new_game(seed=0)
    assert never.is_terminal()
    assert never.scores() == [0, 0]
    one = game(tmp_path / "one", turn("arrange table by group where count(it) = 1"), rows).new_game(seed=0)
    assert ids(one) == ["a|b"]


def test_conditions_on_a_group_alone_prune(tmp_path: Path) -> None:
    """Whether a condition reads the variable is seen through functions and `possible`."""
    rules = turn("arrange table by group where light(it) and few() and calm() and roomy(it) and could()")
    rules += """
function light(cards: list of Card) -> bool = sum(cards.value) <= 9
function few -> bool = count(distinct(table.group)) <= 3
function calm -> bool = count(table) > 0
function roomy(cards: list of Card) -> bool = all(c.group = 1 or count(cards) <= 2 for c in cards)
function could -> bool = possible(spend() then count(c for c in table where c.group = 2 and c.spent = 1) = 1)
rule spend:
  let card = choose one of table else return
  card.spent := 1
"""
    rows = {"a": (1, 1), "b": (2, 1), "c": (3, 1), "d": (4, 1)}
    state = game(tmp_path, rules, rows).new_game(seed=0)
    machine = state.engine[0].interpreter
    numbers = range(len(machine.program.decisions))
    (code,) = [item for number in numbers for item in machine.blocks.decision(number).items
               if isinstance(item, GroupingCode)]  # fmt: skip
    assert (len(code.fixed), len(code.alone), len(code.whole)) == (1, 1, 3)
    # Two groups or three, all of the first or two at most, so not all in one; 10 in all is too heavy for one group.
    value = {id_: number for id_, (number, _) in rows.items()}
    wanted = {
        "|".join("+".join("abcd"[piece] for piece in group) for group in groups)
        for groups in walked([[0], [1], [2], [3]], 4, lambda group: sum(value["abcd"[n]] for n in group) <= 9)
        if 2 <= len(groups) <= 3 and all(len(group) <= 2 for group in groups[1:])
    }
    assert set(ids(state)) == wanted


def test_too_many_groupings_are_an_error(tmp_path: Path) -> None:
    rows = {f"c{n}": (n % 9 + 1, 1) for n in range(40)}
    rules = game(tmp_path / "many", turn("arrange table by group where count(it) <= 3"), rows)
    begun = time.process_time()
    with pytest.raises(rulelang.RuleError, match="too many groupings"):
        rules.new_game(seed=0)
    assert time.process_time() - begun < 5
    rows = {f"c{n}": (1, 1) for n in range(11)}
    listed = game(tmp_path / "listed", turn("arrange table by group"), rows).new_game(seed=0)
    with pytest.raises(rulelang.RuleError, match="at most 65536 can be listed"):
        listed.legal_actions(0)


def test_refusals_say_which_condition_fails(tmp_path: Path) -> None:
    """The values of what is compared are those with the grouping in place."""
    rows = {"a": (1, 1), "b": (2, 1)}
    where = "count(it) <= 2 and count(distinct(table.group)) = 2"
    state = game(tmp_path, turn(f"arrange table by group where {where}"), rows).new_game(seed=0)
    assert ids(state) == ["a|b"]
    (refused,) = state.refusals()
    assert refused["id"] == "play:group=a+b"
    assert refused["missing"] == "needs `count(distinct(table.group)) = 2`: distinct(table.group) has 1"
    assert state.scores() == [0, 0], "asking changes nothing"


def test_words_in_both_languages(tmp_path: Path) -> None:
    rows = {"a": (1, 2), "b": (2, 1)}
    state = game(tmp_path, turn("arrange table by group"), rows).new_game(seed=0)
    decision = state.decision()
    assert decision.prompt.endswith("choose how to group the cards")
    assert decision.prompt_in("fr").endswith("choisissez comment grouper les cartes")
    assert [action.text("fr") for action in decision.choices] == ["2 as + b", "2 as, b", "a + b, a", "a, a, b"]
    assert decision.choices[1].data["arguments"] == {"group": [["a", "a"], ["b"]]}


def test_saved_replayed_and_dealt_anew(tmp_path: Path) -> None:
    """Cards in a hand: others see how many groups of how many there are."""
    rules = """setup:
  for p in players:
    for c in firsts(p): move c to p.hand
play:
  for p in players:
    turn of p:
      repeat 2 times: arrange hand by group
function firsts(p: player) -> list of Card = table where it.value mod 2 = p.seat
score groups: sum(hand.group)"""
    rows = {f"c{n}": (n, 1) for n in range(1, 7)}
    loaded = game(tmp_path, rules, rows)
    for seed in range(3):
        dice = random.Random(seed)
        state = loaded.new_game(seed=seed)
        taken: list[str] = []
        while not state.is_terminal():
            again = loaded.state_from_json(state.to_json())
            assert again.hash() == state.hash()
            seat = state.current_players()[0]
            dealt = state.resample(1 - seat, seed=seed)
            assert dealt.information_state(1 - seat) == state.information_state(1 - seat)
            taken.append(dice.choice(state.legal_actions(seat)).id)
            state.apply(taken[-1])
        other = loaded.new_game(seed=seed)
        for id_ in taken:
            other.apply(id_)
        assert other.hash() == state.hash()


# ---- programs that are wrong ------------------------------------------------------------------------


def damaged(program: Program, **changes: Any) -> Program:
    """The program with its one grouping, or the item around it, changed."""
    number = next(n for n, d in enumerate(program.decisions) if d.items[0].binders[0].kind == "grouping")
    decision = program.decisions[number]
    (item,) = decision.items
    if "variable" in changes:
        changes = {"binders": (replace(item.binders[0], **changes),)}
    decisions = list(program.decisions)
    decisions[number] = replace(decision, items=(replace(item, **changes),))
    return replace(program, decisions=tuple(decisions))


def test_damaged_groupings_are_refused(tmp_path: Path) -> None:
    rows = {"a": (1, 1), "b": (2, 1)}
    program = game(tmp_path, turn("arrange table by group where count(it) <= 2"), rows).program
    verify(program)
    (item,) = next(d for d in program.decisions if d.items[0].binders[0].kind == "grouping").items
    for changes in (
        {"variable": -1},
        {"variable": 7},
        {"guards": (), "pre": (Guard(item.guards[0].condition, "", 1),)},
        {"binders": (replace(item.binders[0], kind="ordering"),)},
    ):
        with pytest.raises(IrError):
            verify(damaged(program, **changes))


def test_a_variable_that_no_group_fits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesetError, match="must be a number, 1 and more"):
        game(tmp_path, turn("arrange table by group"), {"a": (1, 1)}, most=0).new_game(seed=0)
