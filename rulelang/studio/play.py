"""A game that goes on while its rules are written: by other rules its choices are made again, as far as they go.

Enters: rulesets, one after the other, choices by their ids. Leaves: positions by number of choices, the first one that
differs from what it was by the rules before, what differs there, and views for the web's tables.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rulelang.agents import Bot, make_bot
from rulelang.diagnostics import IllegalAction, RuleError, UsageError
from rulelang.game import Ruleset, State
from rulelang.record import Positions, RecordedChoice
from rulelang.runtime.names import item_text
from rulelang.runtime.sight import OMNISCIENT, SPECTATOR
from rulelang.table.sheet import sheet
from rulelang.web.seats import FIRST
from rulelang.web.view import EVENTS, View

Json = dict[str, Any]
TURN, ALL = "turn", "all"
"""Who looks: whoever is to choose; one who sees everything. Else the number of a seat."""
SHOWN = 8
"""So many things that differ are named."""
BRANCHES = 12
"""So many lines of choices that were left are kept."""
CARRIED = " in "
BASE = "/table"
"""The address of the table."""


@dataclass(frozen=True)
class Difference:
    """What differs from the rules before, at the first decision where anything does.

    Attributes:
        number: how many choices come before it. changed: names of variables, with what was there and what is. moved:
            names of zones, with pieces that were there and pieces that are there now. offered, refused: ids that are
            new, and that are gone. error: why a later choice can't be made any more.
    """

    number: int
    changed: tuple[tuple[str, str, str], ...] = ()
    moved: tuple[tuple[str, str, str], ...] = ()
    offered: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    error: str = ""


@dataclass
class LeftLine:
    """A line of choices that was left: the choices, with their words, and where the present line leaves it."""

    steps: list[RecordedChoice]
    texts: list[str]
    number: int


@dataclass
class FollowingGame:
    """A game under the rules as they are.

    Attributes:
        players: None for the smallest number. steps: the recorded choices, of which the first `kept` can be made by
            these rules; texts: in words, as they were made. at: how many are made in the position that is shown.
        view: who looks. lang: of words. difference: since the last rules. fault: why the game can't begin by them.
    """

    ruleset: Ruleset
    players: int | None = None
    seed: int = 1
    options: Mapping[str, Any] = field(default_factory=dict)
    view: str = TURN
    lang: str = ""
    steps: list[RecordedChoice] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    branches: list[LeftLine] = field(default_factory=list)
    kept: int = 0
    at: int = 0
    difference: Difference | None = None
    fault: str = ""

    def __post_init__(self) -> None:
        self._bots: dict[tuple[str, int], Bot] = {}
        self._former: tuple[Positions, int, int, str] | None = None
        self._begin(self.ruleset)

    # ---- rules

    def _begin(self, ruleset: Ruleset) -> None:
        """Set up the first position by a ruleset.

        Raises:
            UsageError, RuleError: the game can't begin; nothing has changed.
        """
        start = ruleset.new_game(self.players, self.seed, self.options, "interpreter")
        self.ruleset, self.positions, self.players = ruleset, Positions(start), start.players
        self.kept, self._bots = 0, {}
        self._at = -1, start

    def take(self, ruleset: Ruleset) -> Iterator[None]:
        """Make the recorded choices by other rules, with a pause after each, and show the first position that differs.

        If the game can't begin by them it stays as it was, and `fault` says why. What is cut short by other rules is
        compared by those with what was before both.
        """
        former = self._former or (self.positions, self.kept, self.at, self.ruleset.hash)
        self.fault, self.difference = "", None
        try:
            self._begin(ruleset)
        except (UsageError, RuleError) as error:
            self.fault = str(error)
            return
        self._former, (before, kept, at, hash_) = former, former
        state, first = self._at[1].clone(), before.at(0, ())
        names = ruleset.hash != hash_ and _names(first) == _names(state)
        for number in range(len(self.steps) + 1):
            if self.difference is None and number <= kept and ruleset.hash != hash_:
                self.difference = difference(number, before.at(number, self.steps), state, names)
                self.go(number)
            if number == len(self.steps):
                break
            step = self.steps[number]
            try:
                state.apply(step.id, step.seat)
            except (IllegalAction, RuleError, UsageError) as error:
                if number < kept:
                    self.difference = replace(self.difference or Difference(number), error=str(error))
                break
            self._made(state)
            yield
        self.go(self.difference.number if self.difference is not None else at)
        self._former = None

    def _made(self, state: State) -> None:
        self.kept += 1
        self.positions.add(self.kept, state)

    # ---- positions

    @property
    def state(self) -> State:
        """The position that is shown."""
        if self._at[0] != self.at:
            self._at = self.at, self.positions.at(self.at, self.steps).named((), FIRST)
        return self._at[1]

    def go(self, number: int) -> None:
        """Show the position after so many choices, as many as can be made at most."""
        self.at = min(max(number, 0), self.kept)

    def choose(self, id_: str, seat: int) -> None:
        """Make a choice at the position that is shown; another one than was made there before begins a branch.

        Raises:
            IllegalAction, RuleError, UsageError: it can't be made; nothing has changed.
        """
        self._former = None
        action = self.state.legal(id_, seat)
        text, state = action.text(self.lang), self.state.clone()
        state.apply(action, seat)
        self.difference = None
        step = RecordedChoice(seat, action.id, "")
        if self.at < len(self.steps):
            if self.at < self.kept and self.steps[self.at] == step:
                self.at += 1
                return
            self.branches[:0] = [LeftLine([*self.steps], [*self.texts], self.at)]
            del self.branches[BRANCHES:], self.steps[self.at :], self.texts[self.at :]
            self.positions.cut(self.at)
            self.kept = self.at
        self.steps.append(step)
        self.texts.append(text)
        self._made(state)
        self._at = self.kept, state
        self.at = self.kept

    def switch(self, number: int) -> None:
        """Go on with a line of choices that was left; the present one becomes such a line."""
        branch, self._former = self.branches[number], None
        self.branches[number] = LeftLine(self.steps, self.texts, branch.number)
        self.steps, self.texts = branch.steps, branch.texts
        self._begin(self.ruleset)
        state = self._at[1].clone()
        for step in self.steps:
            try:
                state.apply(step.id, step.seat)
            except (IllegalAction, RuleError, UsageError):
                break
            self._made(state)
        self.difference = None
        self.go(branch.number + 1)

    def restart(self, players: int | None, seed: int, options: Mapping[str, Any]) -> None:
        """Begin another game.

        Raises:
            UsageError, RuleError: it can't begin; nothing has changed.
        """
        old = self.players, self.seed, self.options
        self.players, self.seed, self.options = players, seed, options
        try:
            self._begin(self.ruleset)
        except (UsageError, RuleError):
            self.players, self.seed, self.options = old
            raise
        self.steps, self.texts, self.branches = [], [], []
        self.at, self.difference, self.fault, self._former = 0, None, "", None

    def play(self, bot: str, until: str) -> Iterator[None]:
        """Let bots choose, with a pause after each choice.

        Args:
            until: `end`, `round` (the next one; where the game counts none, until each seat has had a turn) or how many
                choices.

        Raises:
            UsageError: there is no such bot. RuleError: a rule went wrong.
        """
        made, begun, turns = 0, self.state.stage()["round"], self.state.turns
        most = int(until) if until.isdecimal() else None
        while (seats := self.state.current_players()) and made != most:
            seat = seats[0]
            if (bot, seat) not in self._bots:
                self._bots[bot, seat] = make_bot(bot, self.seed, seat)
            self.choose(self._bots[bot, seat].choose(self.state, seat).id, seat)
            made += 1
            rounds, had = self.state.stage()["round"], self.state.turns - turns
            if until == "round" and (rounds != begun or (not rounds and had >= self.state.players)):
                return
            yield

    # ---- for pages

    def reader(self) -> int | None:
        """Return the seat that a page is for: that of the view, or whoever is to choose; None for nobody."""
        if self.view.isdecimal() and int(self.view) < self.state.players:
            return int(self.view)
        return next(iter(self.state.current_players()), None)

    def page(self, picks: tuple[str, ...] = (), find: str = "", notice: str = "") -> View:
        """Return the view of the position that is shown."""
        state, seat = self.state, self.reader()
        whole = self.view == ALL
        eyes = OMNISCIENT if whole else SPECTATOR if seat is None else seat
        seen = state.observation(eyes) | {"shown": state.shown(SPECTATOR if seat is None else seat)}
        teller = None if whole else eyes
        count = state.event_count(teller)
        over = state.is_terminal()
        return View(
            ruleset=state.ruleset, lang=self.lang, base=BASE, seat=seat, players=state.players, parties=state.parties,
            options=state.options, names=("",) * state.players, bots={}, observation=seen, until=count,
            events=self.positions.story(state, self.steps, teller, max(count - EVENTS, 0), self.lang, count),
            decision=state.decision(seat) if seat is not None and seat in state.current_players() else None,
            over=over, winners=state.winners() if over else None, ranks=state.ranks() if over else None,
            scored=state.is_scored_alone(), stage=state.stage(), stamp=self.stamp(), undo="free" if self.at else "",
            refusals=lambda: state.refusals(seat, self.lang) if seat is not None else [],
            sheet=lambda: sheet(state, None if whole or seat is None else seat), picks=picks, find=find,
            notice=notice, designer=True,
        )  # fmt: skip

    def stamp(self) -> str:
        """Return what stands for the content of the table: it differs whenever that does."""
        return f"{id(self.positions):x}-{self.at}-{len(self.branches)}-{self.view}-{self.lang}-{self.state.hash()[:12]}"


def difference(number: int, old: State, new: State, same_names: bool = False) -> Difference | None:
    """Return what differs between a position by other rules and one by these; None if nothing does.

    Args:
        same_names: whether both have the same zones, pieces and variables, so that equal numbers mean the same: these
            are compared first, which takes a tenth of the time.
    """
    before, after = _ids(old), _ids(new)
    changed, moved = list[tuple[str, str, str]](), list[tuple[str, str, str]]()
    if not same_names or _numbers(old) != _numbers(new):
        was, now = _seen(old), _seen(new)
        # What a piece carries is told where it lies in both; that it lies elsewhere is told of the zones.
        names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
        names = [name for name in names if CARRIED not in name or (name in was and name in now)]
        changed = [(name, was.get(name, ""), now.get(name, "")) for name in names]
        lay, lie = (state.observation(OMNISCIENT)["zones"] for state in (old, new))
        for name in {**lay, **lie}:
            there, here = (zones[name]["pieces"] if name in zones else [] for zones in (lay, lie))
            if there != here:
                gone, come = Counter(there) - Counter(here), Counter(here) - Counter(there)
                moved.append((name, _pieces(gone), _pieces(come)))
    offered = tuple(id_ for id_ in after if id_ not in before)
    refused = tuple(id_ for id_ in before if id_ not in after)
    if not changed and not moved and not offered and not refused:
        return None
    return Difference(number, tuple(changed[:SHOWN]), tuple(moved[:SHOWN]), offered[:SHOWN], refused[:SHOWN])


def _seen(state: State) -> dict[str, str]:
    """Return variables, whoever sees them, and who is asked, as texts by name."""
    view = state.observation(OMNISCIENT)
    seen = {name: json.dumps(value, ensure_ascii=False) for name, value in view["variables"].items()}
    for row in view.get("pieces", ()):
        seen[f"{row['piece']}{CARRIED}{row['zone']}"] = json.dumps(row["variables"], ensure_ascii=False)
    asked = view["asked"] or {}
    return seen | {"asked": f"{asked.get('rule', '')} {view['current']}".strip()}


def _pieces(counts: Mapping[str | None, int]) -> str:
    """Return pieces as a text; `?` are those that are not known yet."""
    named = [(name or "?", count) for name, count in counts.items()]
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in named)


def _numbers(state: State) -> tuple[Any, ...]:
    """Return what `_seen` says as numbers, which mean the same where names are the same."""
    executor, runtime = state.engine
    question = runtime.pending_question()
    program = executor.layout.program
    rule = program.sites[program.decisions[question].site].rule if question >= 0 else ""
    return runtime.z, runtime.v, runtime.out, state.current_players(), rule


def _names(state: State) -> tuple[Any, ...]:
    """Return the names of all that a position holds, in the order in which it numbers them."""
    layout, view = state.engine[0].layout, state.observation(OMNISCIENT)
    items = [item_text(layout, item) for item in range(len(layout.item_kind))]
    enums = [(enum.name, enum.values) for enum in layout.program.enums]
    tables = [(row.name, row.type) for row in (*layout.program.variables, *layout.program.piece_variables)]
    return [*view["zones"]], [*view["variables"]], items, enums, tables


def _ids(state: State) -> dict[str, None]:
    """Return the ids of all options that are offered."""
    return dict.fromkeys(action.id for seat in state.current_players() for action in state.legal_actions(seat))
