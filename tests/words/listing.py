"""Every sort of sentence that a ruleset can show, with a few examples of each, for somebody to read by eye.

    python -m tests.words.listing rulesets/ldd fr [GAMES]

Enters: a ruleset, a language, how many games. Leaves: lines of a sort and a text. Prompts, options, refusals and events
(as who did it, somebody else, and somebody who plays no seat reads them) come from random games with every number of
players; names, faces of pieces and score lines from the ruleset. It stands with the tests, not with the commands, as
only whoever writes words for a ruleset or templates for the engine wants it, and `test_listing` reads what it lists.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from random import Random

import rulelang
from rulelang.game import Ruleset, State
from rulelang.prose import Faces
from rulelang.table.names import Names

EXAMPLES = 3
CHOICES = 400
"""So many choices of a game are listed at most."""


class Listing:
    """Texts by sort: the rule and the shape of each, of which the first few examples are kept."""

    def __init__(self, ruleset: Ruleset, lang: str) -> None:
        self.ruleset = ruleset
        self.lang = lang
        self.found: dict[str, dict[str, None]] = defaultdict(dict)

    def add(self, sort: str, text: str) -> None:
        """Keeps a text unless there are enough examples of the sort, or one that differs by numbers alone."""
        examples = self.found[sort]
        shapes = {re.sub(r"\d+", "#", example) for example in examples}
        if len(examples) < EXAMPLES and re.sub(r"\d+", "#", text) not in shapes:
            examples[text] = None

    def all(self, games: int) -> dict[str, list[str]]:
        """Everything."""
        self.faces()
        for players in self.ruleset.players:
            for seed in range(games):
                self.game(players, seed)
        return {sort: list(texts) for sort, texts in self.found.items()}

    def faces(self) -> None:
        """The texts of cards."""
        for face in Faces(self.ruleset.written, self.lang).all():
            self.add(f"name {face.kind}", face.name)
            for label, value in face.attributes:
                self.add(f"attribute {face.kind}.{label}", f"{label} {value}")
            for effect in face.effects:
                self.add(f"face {face.id}", effect)

    def game(self, players: int, seed: int, choices: int = CHOICES) -> None:
        """One random game, or its first choices."""
        state, random, told = self.ruleset.new_game(players, seed), Random(seed), 0
        names = Names(state, self.lang, 0)
        for _ in range(choices):
            if state.is_terminal():
                break
            seat = state.current_players()[0]
            self.decision(state, seat)
            state.apply(random.choice(state.legal_actions(seat)), seat)
            told = self.events(state, seat, told)
        for party in range(len(state.parties)):
            for line in state.score_sheet(party).lines:
                self.add(f"score {line.name}", names.words.score(line.name))

    def decision(self, state: State, seat: int) -> None:
        """What is asked and offered, and what is refused."""
        asked = state.decision(seat)
        assert asked is not None
        self.add(f"prompt {asked.rule}", asked.prompt_in(self.lang))
        for action in asked.choices:
            self.add(f"option {asked.rule}.{action.data['item']}", action.text(self.lang))
        for refusal in state.refusals(seat, self.lang):
            sort = f"refusal {asked.rule}.{refusal['item']} {refusal['reason']}"
            self.add(sort, f"{refusal['text']} — {refusal['missing']}")

    def events(self, state: State, seat: int, told: int) -> int:
        """What happened since, as three people read it."""
        since = state.events(None, told, self.lang)
        for event in since:
            what = event.get("variable", event.get("item", event.get("scope", "")))
            self.add(f"event {event['type']} {event['rule']} {str(what).partition('[')[0]}", event["text"])
        if seat < state.players:
            for reader, who in ((seat, "you"), ((seat + 1) % state.players, "other")):
                count = state.event_count(reader)
                for event in state.events(reader, max(count - len(since), 0), self.lang):
                    self.add(f"event {event['type']} {event['rule']} {who}", event["text"])
        return told + len(since)


def main() -> None:
    """Writes the listing."""
    path, lang, *games = sys.argv[1:]
    for sort, texts in Listing(rulelang.load(path), lang).all(int(games[0]) if games else 2).items():
        for text in texts:
            sys.stdout.write(f"{sort} | {text}\n")


if __name__ == "__main__":
    main()
