"""What several answers of a hidden hand tell: nothing but what is chosen."""

from __future__ import annotations

from pathlib import Path

import rulelang

YAML = """
rulelang: 2
name: hidden_answers
players: 2
kinds: {Card: {active: [hand], start: deck}}
pieces:
  Card:
    - id: shield
      rules: "may instead of hurt(victim, n) when victim = owner: proceed(victim, n - 1)"
    - id: ward
      rules: |
        may instead of hurt(victim, n) when victim = owner and n > 1:
          move this to gone
          proceed(victim, 0)
    - {id: stone}
    - {id: twig}
zones:
  deck: {holds: Card, order: pile, visible: count}
  hand: {holds: Card, per: player, visible: owner}
  gone: {holds: Card}
variables: {life: {type: -99..99, per: player}}
rules: |
  setup: shuffle deck
  play:
    draw 2 from deck to seat(1).hand
    turn of seat(0): hurt(seat(1), 3)
  event hurt(victim: player, n: number): victim.life -= n
  score life: life
"""


def course(state: rulelang.State, choices: list[str]) -> list[tuple[object, object]]:
    """Who is asked, and what seat 0 sees, at each question of a game in which seat 1 answers so."""
    told: list[tuple[object, object]] = []
    for choice in [*choices, ""]:
        told.append((state.current_players(), state.observation(0)))
        if choice:
            state.apply(choice)
    return told


def test_questions_do_not_tell_which_answers_a_hand_still_has(tmp_path: Path) -> None:
    """After the shield is used seat 1 is asked again, until it passes, whatever the other card is."""
    (tmp_path / "ruleset.yaml").write_text(YAML, encoding="utf-8")
    ruleset = rulelang.load(tmp_path)
    told = {}
    for other in ("ward", "stone", "twig"):
        for backend in ("interpreter", "native"):
            state = ruleset.new_game(seed=1, chance="explicit", backend=backend)
            while state.is_chance_node():
                held = {action.id: action for action, _ in state.chance_outcomes()}
                wanted = next(id_ for id_ in held if id_.endswith(("shield", other)))
                state.apply(wanted)
            first = next(action.id for action in state.legal_actions() if "shield" in action.id)
            told[other, backend] = course(state, [first, "pass"])
    assert [seats for seats, _ in told["ward", "native"]] == [[1], [1], []]
    assert len({repr(course) for course in told.values()}) == 1
