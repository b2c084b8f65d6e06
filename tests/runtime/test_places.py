"""`this` and `owner` in the place of a parameter, against a few lines of Python that say what must come of it."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path

import pytest

import rulelang
from rulelang.scenarios import run_scenarios

YAML = """\
rulelang: 2
name: places
players: 3
kinds:
  Card: {identity: true, active: [tableau], start: box}
pieces:
  Card:
    - {id: guard, count: 3, rules: "instead of steal(thief, owner, n): proceed(thief, owner.next, n + 1)"}
    - {id: herb, count: 2, rules: "after pick(owner, this): owner.gold += 10"}
    - {id: seed, count: 2, rules: "after burn(this): owner.gold += 1"}
    - {id: crown, rules: "modify worth(this, owner): plus 5"}
    - {id: plain, count: 2}
zones:
  box: {holds: Card}
  tableau: {holds: Card, per: player}
variables:
  gold: {type: -9..99, per: player}
rules: |
  play:
    for p in players:
      turn of p:
        choose:
          wait: pass
  event steal(thief: player, victim: player, n: number):
    thief.gold += n
    victim.gold -= n
  event pick(who: player, card: Card): pass
  rule pick_all(who: player, cards: list of Card):
    for c in cards: pick(who, c)
  event burn(cards: list of Card): pass
  quantity worth(card: Card, who: player) -> number = 1
  score gold: gold
"""


def stolen(guards: tuple[int, ...], victim: int) -> list[int]:
    """Gold after seat 0 stole 1 from a seat: each guard once sends the thief to the next seat, who loses one more."""
    n, left = 1, [*guards]
    while left[victim]:
        left[victim] -= 1
        victim, n = (victim + 1) % 3, n + 1
    gold = [0, 0, 0]
    gold[0] += n
    gold[victim] -= n
    return gold


def scenarios() -> str:
    """Thefts past all ways in which guards lie; picks, and burns of each two cards, of seat 1's; worth of a crown."""
    lines = ["rulelang: 2", "scenarios:"]

    def one(name: str, lying: str, do: str, then: str) -> None:
        given = f'{{zones: {{{lying}, box: rest}}, do: "turn of seat(0): {do}"}}'
        lines.append(f'  - {{name: "{name}", given: {given}, then: ["{then}"]}}')

    for guards, victim in product(product((0, 1), repeat=3), (1, 2)):
        lying = ", ".join(f'"seat({s}).tableau": [{"guard" if n else ""}]' for s, n in enumerate(guards))
        held = " and ".join(f"seat({s}).gold = {n}" for s, n in enumerate(stolen(guards, victim)))
        one(f"steal {guards} {victim}", lying, f"steal(you, seat({victim}), 1)", held)
    cards = ("herb", "herb", "seed", "seed", "plain")
    lying = f'"seat(1).tableau": [{", ".join(cards)}]'
    for who, card in product((0, 1), ("herb", "plain")):
        do = f"pick_all(seat({who}), top 1 of (seat(1).tableau where it is {card}))"
        one(f"pick {who} {card}", lying, do, f"seat(1).gold = {10 * (who == 1 and card == 'herb')}")
    for first, second in dict.fromkeys(combinations(cards, 2)):
        mine = "seat(1).tableau where it is"
        two = (
            f"top 2 of ({mine} {first})"
            if first == second
            else f"top 1 of ({mine} {first}) + top 1 of ({mine} {second})"
        )
        one(f"burn {first} {second}", lying, f"burn({two})", f"seat(1).gold = {(first, second).count('seed')}")
    worth = "sum(worth(c, p) for c in seat(1).tableau) = "
    for who in (0, 1):
        then = worth.replace("p)", f"seat({who}))") + str(2 + 5 * (who == 1))
        one(f"worth {who}", '"seat(1).tableau": [crown, plain]', "pass", then)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("backend", ["interpreter", "native"])
def test_places(tmp_path: Path, backend: str) -> None:
    """Of each copy of a card itself, also where it is among several; a seat is redirected from one to the next."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "all.yaml").write_text(scenarios(), encoding="utf-8")
    results = list(run_scenarios(rulelang.load(tmp_path), backend))
    assert [(r.name, r.message) for r in results if r.message] == []
    assert len(results) == 16 + 4 + 5 + 2
