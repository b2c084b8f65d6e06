"""What is told of a game's course, beside its outcome.

Enters: the choices of a game as they are made. Leaves: the part of its row that features ask for; and what a seat may
take in restricted play.

`trace`: options (how many, how often there was one alone); for each action, each enumerated value that is chosen in it
(`dig:tin`) and each card how often it was offered with others beside it, taken, and expected of chance (where a search
chooses: at random it is no choice); for each action with a card (`discard:hoard`) how often the card was chosen where
it might be in this action and in others, how often in this one, and expected of chance; for each action when; for each
card who had it and who chose what names it; the course of the scores.
`odds`: the share of the win of each party in `ODDS` random playouts from positions in the course of the game, from the
true state: an observer's estimate that needs no rule of the game (Browne and Maire, Evolutionary game design, 2010,
take that of the players' search). Positions are ends of turns (of decisions where rules declare no turns; those of
several seats end when all have answered), thinned to at most `POINTS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from rulelang.agents import BotChoice
from rulelang.agents.bots import Allow
from rulelang.compare import CardsOfChoices, action_name
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.ir.types import INT, SEAT
from rulelang.runtime.layout import Layout, members
from rulelang.runtime.outcome import Game
from rulelang.runtime.rng import game_seed
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option

FEATURES = ("trace", "odds")
ODDS = 48
"""Playouts for each estimate."""
POINTS = 32
"""At most so many positions of a game; with `odds` half as many."""
PARTS = 3
"""A game's course is told in so many parts of equal numbers of decisions."""
TOLD = 2
"""The version of what features tell: games that tell less are others."""


class Names:
    """What options are counted under, by the tables of one layout.

    Attributes:
        cards: which cards an option is about.
    """

    def __init__(self, layout: Layout) -> None:
        self.cards = CardsOfChoices(layout)
        self._decisions = layout.program.decisions
        self._values = {enum.name: enum.values for enum in layout.program.enums}

    def of_action(self, number: int, option: Option) -> list[str]:
        """Return the action of an option of a decision (by number), then the action with each value of an enumerated
        type that is chosen in it: `dig`, `dig:tin`; where it has several such arguments, with the argument's name:
        `trade`, `trade:give:tin`, `trade:get:iron`."""
        if option.item < 0:
            return []
        decision = self._decisions[number]
        action, bound = action_name(decision, option.item), decision.bound(option.item, option.values)
        chosen = [(binder, value) for binder, value in bound if binder.type.core.kind == "enum"]
        return [action] + [
            ":".join((action, *[binder.name] * (len(chosen) > 1), self._values[binder.type.core.name][one]))
            for binder, value in chosen
            for one in dict.fromkeys(members(value))
            if 0 <= one < len(self._values[binder.type.core.name])
        ]

    def of_cards(self, state: State, number: int, option: Option) -> list[str]:
        """Return the cards that an option of a decision (by number) is about, and each with its action: `hoard`,
        `discard:hoard`."""
        cards = list(dict.fromkeys(self.cards.of(state, number, option))) if option.item >= 0 else []
        action = action_name(self._decisions[number], option.item) if cards else ""
        return cards + [f"{action}:{card}" for card in cards]


class Trace:
    """Listens to one game."""

    def __init__(self, executor: Executor, features: Sequence[str]) -> None:
        self._executor, self._features = executor, features
        self._names = Names(executor.layout)
        self._taken: list[tuple[str, int]] = []
        self._actions: dict[str, list[float]] = {}
        self._offers: dict[str, list[float]] = {}
        self._ways: dict[str, list[float]] = {}
        self._options = [0, 0, 0]
        self._had: dict[str, int] = {}
        self._used: dict[str, list[int]] = {}
        self._looks = [0.0, 0.0, 0.0]
        self._points: list[dict[str, Any]] = []
        self._stride, self._met, self._turns = 1, 0, 0
        self._tracing = "trace" in features
        self._room = POINTS // 2 if "odds" in features else POINTS
        self._purses = list(_purses(executor.layout))

    # ---- while the game goes on

    def tell(self, chosen: BotChoice) -> None:
        """Add one more choice."""
        state = chosen.state
        if state.turns != self._turns or not state.turns:
            self._turns = state.turns
            if self._executor.interpreter.frames_before_answers(state) is not None:
                self._position(state)
        if self._tracing:
            self._choice(chosen)

    def _choice(self, chosen: BotChoice) -> None:
        options, seat = chosen.options, chosen.seat
        decision = self._executor.program.decisions[chosen.decision]
        self._options = [n + more for n, more in zip(self._options, (1, len(options), len(options) == 1), strict=True)]
        if chosen.option.item < 0:
            return
        name = action_name(decision, chosen.option.item)
        self._taken.append((name, seat))
        named = self._names.cards.of(chosen.state, chosen.decision, chosen.option)
        for card in named:
            self._used.setdefault(card, [0] * self._executor.layout.players)[seat] += 1
        if len(options) == 1 or not chosen.stats:
            return
        actions = [self._names.of_action(chosen.decision, option) for option in options]
        cards = [set(self._names.cards.of(chosen.state, chosen.decision, o)) if o.item >= 0 else set() for o in options]
        for all_offers, offered in ((self._actions, actions), (self._offers, cards)):
            _count(all_offers, offered, chosen.taken)
        for card in dict.fromkeys(named):
            own = [place for place, of_option in enumerate(cards) if card in of_option]
            ways = [[f"{action}:{card}" for action in actions[place][:1]] for place in own]
            _count(self._ways, ways, own.index(chosen.taken))
        if len(chosen.stats) > 1:
            values = sorted((option.value for option in chosen.stats), reverse=True)
            mean = sum(values) / len(values)
            # Narrowness (Browne, 2008): the share of options that come near the best.
            near = sum(value > mean + 0.75 * (values[0] - mean) for value in values) / len(values)
            self._looks = [a + b for a, b in zip(self._looks, (1, values[0] - values[1], near), strict=True)]

    def _position(self, state: State) -> None:
        """Note a position in the course of the game, if it is one of those that are sampled."""
        self._met += 1
        if (self._met - 1) % self._stride:
            return
        if len(self._points) == self._room:
            self._points, self._stride = self._points[::2], 2 * self._stride
            if (self._met - 1) % self._stride:
                return
        self._points.append(self._point(state))

    def _point(self, state: State) -> dict[str, Any]:
        point: dict[str, Any] = {"at": state.decisions}
        if self._tracing:
            try:
                point["scores"] = list(self._executor.interpreter.scores(state))
            except RuleError:  # what counts points may stand only at the end of the game
                point["scores"] = []
            point["holds"] = self._holdings(state)
            self._note_cards(state)
        if "odds" in self._features:
            rngs = [game_seed(state.rng, number) for number in range(ODDS)]
            totals = [0.0] * self._executor.layout.parties
            start = state
            if state.logging:  # native code leaves games with a log alone
                start = state.clone()
                start.logging = False
            for outcome in self._executor.playouts(start, rngs):
                winners = outcome.game.winners or range(len(totals))
                for party in winners:
                    totals[party] += 1 / len(winners)
            point["odds"] = [round(total / ODDS, 4) for total in totals]
        return point

    def _note_cards(self, state: State) -> None:
        layout = self._executor.layout
        ids, players = self._names.cards.ids, layout.players
        for instance, owner in enumerate(layout.inst_owner):
            if 0 <= owner < players:
                for item in state.z[instance]:
                    if item >= 0:
                        self._had[ids[item]] = self._had.get(ids[item], 0) | 1 << owner

    def _holdings(self, state: State) -> dict[str, list[int]]:
        """Return what each seat has of each number of its own that rules count, and of each resource in its bags."""
        layout, holdings = self._executor.layout, {}
        for name, cell, width in self._purses:
            holdings[name] = [state.v[cell + seat * width] for seat in range(layout.players)]
        return holdings

    # ---- when it is over

    def told(self, state: State, game: Game) -> dict[str, Any]:
        """Return what the features tell of the finished game."""
        points, row = self._points, dict[str, Any]()
        row["at"] = [*(point["at"] for point in points), state.decisions]
        if "odds" in self._features:
            parties = len(game.scores)
            winners = game.winners or range(parties)
            end = [round(1 / len(winners), 4) if party in winners else 0.0 for party in range(parties)]
            row["odds"] = [*(point["odds"] for point in points), end]
        if not self._tracing:
            return row
        self._note_cards(state)
        ids, start_of = self._names.cards.ids, self._executor.layout.start_of
        moved = {ids[item] for at, held in enumerate(state.z) for item in held if item >= 0 and start_of[item] != at}
        row["curve"] = [*(point["scores"] for point in points), list(game.scores)]
        row["holds"] = [self._at(part / PARTS * state.decisions) for part in range(1, PARTS)] + [self._holdings(state)]
        row["options"] = self._options
        row["looks"] = [round(value, 6) for value in self._looks]
        row["actions"] = self._taken_actions()
        for name, offers in (("offered", self._actions), ("cards", self._offers), ("ways", self._ways)):
            row[name] = {key: [*map(round, offer[:2]), round(offer[2], 6)] for key, offer in sorted(offers.items())}
        row["had"] = {card: self._seats(self._had[card]) for card in sorted(self._had)}
        row["used"] = dict(sorted(self._used.items()))
        row["moved"] = sorted(moved)
        return row

    def _at(self, decisions: float) -> dict[str, list[int]]:
        """Return the holdings at the last position before so many decisions."""
        before = [point["holds"] for point in self._points if point["at"] <= decisions]
        return before[-1] if before else {}

    def _seats(self, bits: int) -> list[int]:
        return [seat for seat in range(self._executor.layout.players) if bits >> seat & 1]

    def _taken_actions(self) -> dict[str, list[list[int]]]:
        """Return for each action how often each seat took it in each part of the game."""
        taken: dict[str, list[list[int]]] = {}
        for place, (name, seat) in enumerate(self._taken):
            rows = taken.setdefault(name, [[0] * PARTS for _ in range(self._executor.layout.players)])
            rows[seat][place * PARTS // len(self._taken)] += 1
        return dict(sorted(taken.items()))


def _count(rows: dict[str, list[float]], offered: Sequence[Collection[str]], chosen: int) -> None:
    """Add one choice to rows by name: of those that some options have and others have not that they were offered,
    whether the option that was chosen has them, and the chance that a random one has."""
    for name, times in Counter(name for names in offered for name in names).items():
        if times < len(offered):
            row = rows.setdefault(name, [0, 0, 0.0])
            row[0] += 1
            row[1] += name in offered[chosen]
            row[2] += times / len(offered)


def _purses(layout: Layout) -> Iterator[tuple[str, int, int]]:
    """Yield the names of what seats may have of their own, the first seat's cell, and how far the next seat's lies."""
    enums = {enum.name: enum.values for enum in layout.program.enums}
    for number, table in enumerate(layout.program.variables):
        if table.index != (SEAT,) or table.internal or table.mark:
            continue
        cell, width = layout.var_base[number], layout.var_width[number]
        if table.type.kind == "bag":
            for place, value in enumerate(enums[table.type.name]):
                yield f"{table.name}.{value}", cell + place, width
        elif table.type == INT:
            yield table.name, cell, width


def allowing(executor: Executor, without: Sequence[tuple[int, str, str]]) -> Allow:
    """Return what seats may take in restricted play: of `without`, see `Setting`."""
    names = Names(executor.layout)

    def refused(state: State, seat: int, decision: int, option: Option) -> bool:
        cards, actions = names.of_cards(state, decision, option), names.of_action(decision, option)
        return any(who == seat and name in (cards if sort == "card" else actions) for who, sort, name in without)

    restricted = {seat for seat, _, _ in without}

    def allow(state: State, seat: int, decision: int, options: Sequence[Option]) -> Sequence[int]:
        places = range(len(options))
        if seat not in restricted:
            return places
        return [place for place in places if not refused(state, seat, decision, options[place])] or places

    return allow
