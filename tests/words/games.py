"""Games for the tests of words: rulesets from a text, random play, and all that may be read in a state.

Enters: a ruleset. Leaves: texts, each with what it is of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import rulelang

CONFORMANCE = Path(__file__).parents[1] / "conformance" / "rulesets"
UNKNOWN = "xx"
"""A language that no ruleset has."""


def made(folder: Path, text: str) -> rulelang.Ruleset:
    """A ruleset of one file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    return rulelang.load(folder)


def walked(ruleset: rulelang.Ruleset, players: int, seed: int, most: int = 60) -> Iterator[rulelang.State]:
    """The states of a random game whose chance is explicit; the last one comes when it is over or long enough."""
    state = ruleset.new_game(players, chance="explicit")
    random = Random(seed)
    for _ in range(most):
        yield state
        if state.is_terminal():
            return
        seats = state.current_players()
        state.apply(random.choice(state.legal_actions(random.choice(seats) if seats else None)))
    yield state


def texts(state: rulelang.State, lang: str) -> Iterator[tuple[str, str]]:
    """Every text of what can be done now."""
    for seat in state.current_players():
        decision = state.decision(seat)
        assert decision is not None
        yield "prompt", decision.prompt_in(lang)
        for action in decision.choices:
            yield action.id, action.text(lang)
        for refusal in state.refusals(seat, lang):
            yield "refusal", refusal["text"]
    for action, _ in state.chance_outcomes():
        yield action.id, action.text(lang)


def story(state: rulelang.State, lang: str) -> Iterator[tuple[str, str]]:
    """Every sentence of what happened, for each seat and for someone who sees all."""
    for reader in (None, *range(state.players)):
        for event in state.events(reader, lang=lang):
            yield event["type"], event["text"]
