"""What is recorded of a game's course, beside its outcome.

Enters: the choices of a game as they are made. Leaves: the part of its row that features ask for; and what a seat may
take in restricted play.

`trace`: options (how many, how often there was one alone); for each action, each enumerated value that is chosen in it
(`dig:tin`) and each card how often it was offered with others beside it, taken, and expected of chance (where a search
chooses: at random it is no choice); for each action with a card (`discard:hoard`) how often the card was chosen where
it might be in this action and in others, how often in this one, and expected of chance; for each action when; for each
card who had it and who chose what names it; the course of the scores.
`odds`: the share of the win of each party in `ODDS` to `MOST_ODDS` random playouts from positions in the course of the
game, from the true state: an observer's estimate that needs no rule of the game (Browne and Maire, Evolutionary game
design, 2010, take that of the players' search). Positions are ends of turns (of decisions where rules declare no turns;
those of several seats end when all have answered), thinned to at most `POINTS`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

from rulelang.agents import BotChoice
from rulelang.agents.bots import Allow
from rulelang.compare import CardsOfChoices, action_name
from rulelang.diagnostics import RuleError
from rulelang.execution.executor import Executor
from rulelang.runtime.layout import Layout, members
from rulelang.runtime.outcome import FinishedGame
from rulelang.runtime.rng import game_seed
from rulelang.runtime.state import State
from rulelang.runtime.waiting import Option
from rulelang.search.finding import OptionStats
from rulelang.vocabulary.types import INT, SEAT

FEATURES = ("trace", "odds")
ODDS, MOST_ODDS = 48, 384
"""Playouts of a position, at first and at most: so many more until the leader is surely ahead (`is_ahead`)."""
POINTS = 32
"""Most positions of a game; with `odds` half of it."""
NOISE = 0.15
"""Lead in odds that counts as one; with MOST_ODDS playouts at all positions of a game a lead that is none seldom looks
as great."""
SURE = NormalDist().inv_cdf(1 - 0.05 / (POINTS // 2) / 2)
"""Standard errors that a lead must have: with a chance of 95 % none of a game's positions shows one that is none."""
PARTS = 3
"""Parts of equal numbers of decisions that a game is divided into."""
FEATURES_VERSION = 4
"""Version of the features' contents, a part of the header of stored games."""


class CountedNames:
    """The names that options are counted under, from the tables of one layout.

    Attributes:
        cards: which cards an option is about. actions: all there are.
    """

    def __init__(self, layout: Layout) -> None:
        self.cards = CardsOfChoices(layout)
        self._decisions = layout.program.decisions
        self.actions = {action_name(d, item) for d in self._decisions for item in range(len(d.items))}
        self._values = {enum.name: enum.values for enum in layout.program.enums}

    def of_action(self, number: int, option: Option) -> list[str]:
        """Return the names of an option's action, alone and with each enumerated value that is chosen in it: `dig`,
        `dig:tin`; with several such arguments their names too: `trade`, `trade:give:tin`, `trade:get:iron`.

        Args:
            number: of the decision.
        """
        if option.item < 0:
            return []
        decision = self._decisions[number]
        action, bound = action_name(decision, option.item), decision.bound(option.item, option.values)
        chosen = [(binder, value) for binder, value in bound if binder.type.core.kind == "enum"]
        return [action] + [
            ":".join((action, *[binder.name] * (len(chosen) > 1), self._values[binder.type.core.name][number]))
            for binder, value in chosen
            for number in dict.fromkeys(members(value))
            if 0 <= number < len(self._values[binder.type.core.name])
        ]

    def of_cards(self, state: State, number: int, option: Option) -> list[str]:
        """Return the cards that an option is about, alone and each with the action: `hoard`, `discard:hoard`.

        Args:
            number: of the decision.
        """
        cards = list(dict.fromkeys(self.cards.of(state, number, option))) if option.item >= 0 else []
        action = action_name(self._decisions[number], option.item) if cards else ""
        return cards + [f"{action}:{card}" for card in cards]


class Trace:
    """Records the features of one game, choice by choice."""

    def __init__(self, executor: Executor, features: Sequence[str]) -> None:
        self._executor, self._features = executor, features
        self._names = CountedNames(executor.layout)
        self._met: set[tuple[int, int]] = set()
        self._taken: list[tuple[str, int]] = []
        self._actions: dict[str, list[float]] = {}
        self._offers: dict[str, list[float]] = {}
        self._card_uses: dict[str, list[float]] = {}
        self._options = [0, 0, 0]
        self._had: dict[str, int] = {}
        self._used: dict[str, list[int]] = {}
        self._search_sums = [0.0, 0.0, 0.0, 0.0]
        self._points: list[dict[str, Any]] = []
        self._stride, self._positions, self._turns = 1, 0, 0
        self._tracing = "trace" in features
        self._room = POINTS // 2 if "odds" in features else POINTS
        self._purses = list(_purses(executor.layout))

    # ---- during the game

    def add(self, chosen: BotChoice) -> None:
        """Add a choice, and sample the position before it if it ends a turn."""
        state = chosen.state
        if state.turns != self._turns or not state.turns:
            self._turns = state.turns
            if self._executor.interpreter.frames_before_answers(state) is not None:
                self._add_position(state)
        if self._tracing:
            self._add_choice(chosen)

    def _add_choice(self, chosen: BotChoice) -> None:
        """Count the options of a choice, the actions and cards offered and taken, and what the search found of them."""
        options, seat = chosen.options, chosen.seat
        decision = self._executor.program.decisions[chosen.decision]
        self._options = [n + more for n, more in zip(self._options, (1, len(options), len(options) == 1), strict=True)]
        self._met.update((chosen.decision, option.item) for option in options if option.item >= 0)
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
            _add_offers(all_offers, offered, chosen.taken)
        for card in dict.fromkeys(named):
            own = [place for place, of_option in enumerate(cards) if card in of_option]
            uses = [[f"{action}:{card}" for action in actions[place][:1]] for place in own]
            _add_offers(self._card_uses, uses, own.index(chosen.taken))
        if len(chosen.stats) > 1:
            values = [option.value for option in chosen.stats]
            mean, best = sum(values) / len(values), max(values)
            # Narrowness (Browne, 2008): the share of options that come near the best.
            near = sum(value > mean + 0.75 * (best - mean) for value in values) / len(values)
            more = 1, *_clarity(chosen.stats), near
            self._search_sums = [a + b for a, b in zip(self._search_sums, more, strict=True)]

    def _add_position(self, state: State) -> None:
        """Sample a position, thinned so that at most `POINTS` are stored."""
        self._positions += 1
        if (self._positions - 1) % self._stride:
            return
        if len(self._points) == self._room:
            self._points, self._stride = self._points[::2], 2 * self._stride
            if (self._positions - 1) % self._stride:
                return
        self._points.append(self._sampled_point(state))

    def _sampled_point(self, state: State) -> dict[str, Any]:
        """Return what is stored of a position: time, scores, holdings, odds by playouts."""
        point: dict[str, Any] = {"at": state.decisions}
        if self._tracing:
            try:
                point["scores"] = list(self._executor.interpreter.scores(state))
            except RuleError:  # what counts points may stand only at the end of the game
                point["scores"] = []
            point["holds"] = self._holdings(state)
            self._note_cards(state)
        if "odds" in self._features:
            point["odds"], point["playouts"] = self._odds(state)
        return point

    def _odds(self, state: State) -> tuple[list[float], int]:
        """Return each party's share of the win in random games from a position on, and of how many games it is."""
        totals, played, start = [0.0] * self._executor.layout.parties, 0, state
        if state.logging:  # native code leaves games with a log alone
            start = state.clone()
            start.logging = False
        while played < MOST_ODDS:
            rngs = [game_seed(state.rng, number) for number in range(played, played + ODDS)]
            for outcome in self._executor.playouts(start, rngs):
                winners = outcome.game.winners or range(len(totals))
                for party in winners:
                    totals[party] += 1 / len(winners)
            played += ODDS
            odds = [round(total / played, 4) for total in totals]
            best, *others = sorted(odds, reverse=True)
            if all(best - other > NOISE + SURE * lead_error(best, other, played) for other in others):
                break
        return odds, played

    def _note_cards(self, state: State) -> None:
        """Note which seats have which cards."""
        layout = self._executor.layout
        ids, players = self._names.cards.ids, layout.players
        for instance, owner in enumerate(layout.inst_owner):
            if 0 <= owner < players:
                for item in state.z[instance]:
                    if item >= 0:
                        self._had[ids[item]] = self._had.get(ids[item], 0) | 1 << owner

    def _holdings(self, state: State) -> dict[str, list[int]]:
        """Return by name what each seat has: its own numbers, and each resource in its bags."""
        seats = range(self._executor.layout.players)
        return {name: [state.v[cell + seat * width] for seat in seats] for name, cell, width in self._purses}

    # ---- after the game

    def row_fields(self, state: State, game: FinishedGame) -> dict[str, Any]:
        """Return the fields of the features for the row of the finished game.

        `at`: decisions before each sampled position, and in all. `odds`, `curve`: shares of the win and scores at
        these. `playouts`: random games behind the odds of each. `holds`: holdings at the end of each part of the game.
        `options`: choices, their options in all, choices of one option. `looks`: searched choices, sums of the gap
        between the two best options, of its noise, and of narrowness.
        `met`: the actions that were offered at all.
        `actions`: name -> by seat and part of the game how often it was taken. `offered`, `cards`, `ways`: of actions,
        cards, and actions with a card how often each was offered, taken and expected of chance. `had`: card -> the
        seats that had it. `used`: card -> by seat how often it was chosen. `moved`: cards that left where they started.
        """
        points, row = self._points, dict[str, Any]()
        row["at"] = [*(point["at"] for point in points), state.decisions]
        if "odds" in self._features:
            parties = len(game.scores)
            winners = game.winners or range(parties)
            end = [round(1 / len(winners), 4) if party in winners else 0.0 for party in range(parties)]
            row["odds"] = [*(point["odds"] for point in points), end]
            row["playouts"] = [point["playouts"] for point in points]
        if not self._tracing:
            return row
        self._note_cards(state)
        ids, start_of = self._names.cards.ids, self._executor.layout.start_of
        moved = {
            ids[item]
            for zone, contents in enumerate(state.z)
            for item in contents
            if item >= 0 and start_of[item] != zone
        }
        row["curve"] = [*(point["scores"] for point in points), list(game.scores)]
        row["holds"] = [self._at(part / PARTS * state.decisions) for part in range(1, PARTS)] + [self._holdings(state)]
        row["options"] = self._options
        row["looks"] = [round(value, 6) for value in self._search_sums]
        decisions = self._executor.program.decisions
        row["met"] = sorted({action_name(decisions[number], item) for number, item in self._met})
        row["actions"] = self._taken_actions()
        for name, offers in (("offered", self._actions), ("cards", self._offers), ("ways", self._card_uses)):
            row[name] = {key: [*map(round, offer[:2]), round(offer[2], 6)] for key, offer in sorted(offers.items())}
        seats = range(self._executor.layout.players)
        row["had"] = {card: [n for n in seats if bits >> n & 1] for card, bits in sorted(self._had.items())}
        row["used"] = dict(sorted(self._used.items()))
        row["moved"] = sorted(moved)
        return row

    def _at(self, decisions: float) -> dict[str, list[int]]:
        """Return the holdings at the last sampled position up to so many decisions."""
        before = [point["holds"] for point in self._points if point["at"] <= decisions]
        return before[-1] if before else {}

    def _taken_actions(self) -> dict[str, list[list[int]]]:
        """Return for each action how often each seat took it in each part of the game."""
        taken: dict[str, list[list[int]]] = {}
        for place, (name, seat) in enumerate(self._taken):
            rows = taken.setdefault(name, [[0] * PARTS for _ in range(self._executor.layout.players)])
            rows[seat][place * PARTS // len(self._taken)] += 1
        return dict(sorted(taken.items()))


def lead_error(own: float, other: float, playouts: int) -> float:
    """Return the standard error of the difference of two parties' odds."""
    return sqrt(max(own + other - (own - other) ** 2, 0.0) / playouts)


def is_ahead(own: float, other: float, playouts: int | None) -> bool:
    """Return whether a party's odds are surely greater than another's, and by more than NOISE.

    Args:
        playouts: behind the odds; None: they are exact.
    """
    lead = own - other
    return lead > NOISE and (playouts is None or lead > SURE * lead_error(own, other, playouts))


def _clarity(stats: Sequence[OptionStats]) -> tuple[float, float]:
    """Return how much more the option of most visits is worth than the next one, shrunk by the noise of that (James and
    Stein, 1961, positive part), and the noise: the standard error of the difference, of numbers between 0 and 1."""
    first, second = sorted(stats, key=lambda option: -option.visits)[:2]
    lead = first.value - second.value
    noise = sqrt(sum((o.value * (1 - o.value) + 0.25 / o.visits) / o.visits for o in (first, second)))
    return sqrt(lead * lead - noise * noise) if lead > noise else 0.0, noise


def _add_offers(rows: dict[str, list[float]], offered: Sequence[Collection[str]], chosen: int) -> None:
    """Add a choice to rows by name: for names of some options but not all, that they were offered, whether the chosen
    option has them, and the probability that a random one has.

    Args:
        offered: the names of each option. chosen: index of the chosen one.
    """
    for name, times in Counter(name for names in offered for name in names).items():
        if times < len(offered):
            row = rows.setdefault(name, [0, 0, 0.0])
            row[0] += 1
            row[1] += name in offered[chosen]
            row[2] += times / len(offered)


def purse_names(layout: Layout) -> Iterator[str]:
    """Yield the names of what seats have of their own: see `Trace`."""
    return (name for name, _, _ in _purses(layout))


def _purses(layout: Layout) -> Iterator[tuple[str, int, int]]:
    """Yield name, first seat's cell and stride of each number and resource that seats have of their own."""
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


def allowing(
    executor: Executor, without: Sequence[tuple[int, str, str]], always: Sequence[tuple[int, str, str]] = ()
) -> Allow:
    """Return the function that restricts options in restricted play.

    Args:
        without, always: see `Setting`.
    """
    names = CountedNames(executor.layout)
    forbidden, wanted = (
        {seat: [row[1:] for row in rows if row[0] == seat] for seat, *_ in rows} for rows in (without, always)
    )

    def has(state: State, decision: int, option: Option, of: Collection[tuple[str, str]]) -> bool:
        """Return whether an option has one of these cards and actions."""
        cards, actions = names.of_cards(state, decision, option), names.of_action(decision, option)
        return any(name in (cards if sort == "card" else actions) for sort, name in of)

    def allow(state: State, seat: int, decision: int, options: Sequence[Option]) -> Sequence[int]:
        """Return the indices of the options that a seat may take; all if it would have none."""
        places: Sequence[int] = range(len(options))
        for of, keeps in ((wanted.get(seat), True), (forbidden.get(seat), False)):
            if of:
                places = [n for n in places if has(state, decision, options[n], of) == keeps] or places
        return places

    return allow
