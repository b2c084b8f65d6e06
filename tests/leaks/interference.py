"""Non-interference: what is secret changes nothing that a seat sees of the same public course.

Enters: states that a seat can't tell apart. Leaves: where the same public choice, or any secret one, is followed by
what that seat can tell apart, though nothing was revealed and no piece came into sight. What the end of a game tells of
the scores is no matter of its course.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import rulelang
from rulelang.game import State
from rulelang.runtime.sight import SPECTATOR
from tests.leaks.histories import after, alike, histories

MOST_OUTCOMES = 100
"""Where more states than these may follow one choice, by chance, they are not compared."""


def settled(state: State) -> list[State]:
    """The states at the next decision or end, after any chance; none where they are many."""
    waiting, reached = [state], []
    while waiting:
        current = waiting.pop()
        if current.is_chance_node():
            followed = [after(current, outcome) for outcome in current.legal_actions()]
            waiting += [new for new in followed if new is not None]
        else:
            reached.append(current)
        if len(waiting) + len(reached) > MOST_OUTCOMES:
            return []
    return reached


def interference(ruleset: rulelang.Ruleset, dice: random.Random, width: int = 24, depth: int = 10) -> list[str]:
    """Texts of what a seat that may not know it could tell apart; empty where secrets tell nothing by the course."""
    states = [state for state in histories(ruleset, 2, dice, width, depth) if not state.is_chance_node()]
    found = []
    for seat in (0, 1, SPECTATOR):
        for group in alike(states, seat):
            a, b = dice.sample(group, 2)
            found += [f"seat {seat}: {text}" for text in _told_apart(a, b, seat, dice)]
    return found


def _told_apart(a: State, b: State, seat: int, dice: random.Random) -> Iterator[str]:
    """Where a choice that is the same to a seat is followed by what it can tell apart."""
    if a.is_terminal() or b.is_terminal():
        return
    (asked, *_), secret = a.current_players(), _is_secret(a, seat)
    others = {action.id: action for action in b.legal_actions(asked)}
    for action in a.legal_actions(asked):
        other = dice.choice(list(others.values())) if secret else others.get(action.id)
        if other is None:
            continue
        left, right = after(a, action), after(b, other)
        if left is None or right is None:
            continue
        ends = settled(left), settled(right)
        seen = [{_course_known(state, seat): state for state in side} for side in ends]
        if all(seen) and seen[0].keys().isdisjoint(seen[1]):
            one, two = (next(iter(side.values())) for side in seen)
            if not _only_revealed(one, two, seat):
                yield f"{action.id} and {other.id}: {_first_difference(one, two, seat)}"


def _course_known(state: State, seat: int) -> str:
    """What a seat knows of the course of a game; of one that is over without the scores."""
    known = state.information_state(seat)
    if state.is_terminal():
        known = {key: value for key, value in known.items() if key != "observation"}
    return json.dumps(known, sort_keys=True)


def _is_secret(state: State, seat: int) -> bool:
    """Whether the pending choice is another's, and hidden from a seat."""
    decision = state.engine[1].pending_decision()
    return decision is not None and (decision.secret or decision.together) and seat not in state.current_players()


def _first_difference(a: State, b: State, seat: int) -> Any:
    """The first of a seat's events that differ in two states, without what they show."""
    events = [[_course(event) for event in state.events(seat, lang=None)] for state in (a, b)]
    for one, two in zip(*events, strict=False):
        if one != two:
            return one, two
    return [rest[min(map(len, events)) :][:1] for rest in events]


def _only_revealed(a: State, b: State, seat: int) -> bool:
    """Whether two states first differ in a value that an event showed (a revealed one, a piece, an outcome, what
    several chose at once), or in what a piece was like as it came into sight."""
    for one, two in zip(a.events(seat, lang=None), b.events(seat, lang=None), strict=False):
        if one != two:
            return bool(_course(one) == _course(two))
    sighted, others = (state.information_state(seat).get("sightings") for state in (a, b))
    return bool(sighted != others)


def _course(event: dict[str, Any]) -> Any:
    """An event without the values that it shows."""
    shows = event["type"] in ("reveal", "move", "chance", "choice")
    shown = {"pieces", "top", "value", "piece", "arguments"} if shows else ()
    sizes = {key: len(event[key]) for key in ("pieces",) if isinstance(event.get(key), list)}
    return {key: value for key, value in event.items() if key not in shown} | {"sizes": sizes}
