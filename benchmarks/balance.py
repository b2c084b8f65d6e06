"""Measures whether a ruleset's figures are balanced: what is chosen how often, what each card and score line is worth.

Enters: a ruleset, bots, how many games. Leaves: tables on standard output. It knows no game: menus, pieces, zones and
score lines are read from the program.

    python benchmarks/balance.py rulesets/ldd --players 2 --bot playouts:3 --games 20
    python benchmarks/balance.py rulesets/ldd --bot prefer:repair,construct,dismantle --games 500 --by season,family

Bots are those of `rulelang simulate`, and two that save time:
- `prefer:ITEM,ITEM+ITEM,…` looks no further than its own next menu: it takes the menu item that stands first in its
  list (`+` joins items that it likes equally), of equally liked options the one with the best score after it;
  elsewhere, and in trades, what leads to the best option there;
- `mixed:N:ITEM,…` trades as that one does, and makes N playouts for each option of all other decisions.
With `--against` only one seat, another in each game, has the bot.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

sys.path.insert(0, str(Path(__file__).parents[1]))

import rulelang
from rulelang.agents import check_bot
from rulelang.agents.playouts import PLAYOUTS, best_option
from rulelang.diagnostics import UsageError
from rulelang.execution.executor import Executor
from rulelang.game.scoring import score_sheet
from rulelang.interpreter import Machine
from rulelang.runtime.layout import ITEM_MASK
from rulelang.runtime.outcome import winners as winners_of
from rulelang.runtime.rng import game_seed, output, seeded, uniform
from rulelang.runtime.sight import has_secrets
from rulelang.runtime.state import State
from rulelang.runtime.views import value_json
from rulelang.runtime.waiting import Option

DONE = "done"
"""The item of a trade that leaves it."""

LOOKAHEAD = 12
"""Most decisions that are skipped to reach a seat's own next menu."""

Value = tuple[int, int]
"""How much a bot likes a menu item, and its score after it; more is better."""


class Bot(Protocol):
    """What chooses the option of a seat that has several."""

    def choose(self, executor: Executor, state: State, seat: int, seed: int) -> int:
        """Return the index of an option; `seed` is new for each decision."""


@dataclass(frozen=True)
class Playouts:
    """The flat Monte Carlo bot; the uniform one without playouts."""

    playouts: int

    def choose(self, executor: Executor, state: State, seat: int, seed: int) -> int:
        """Return the index of the option after which random play goes best."""
        if not self.playouts:
            return uniform(seed, executor.interpreter.option_count(state, seat))[0]
        return best_option(executor, state, seat, seed, self.playouts)


@dataclass(frozen=True)
class Prefer:
    """Chooses menu items by a ranking: `ranks` maps items to how much they are liked, from 1 on."""

    ranks: dict[str, int]

    def choose(self, executor: Executor, state: State, seat: int, seed: int) -> int:
        """Return the index of the best option; of equal ones any."""
        machine = executor.interpreter
        options = machine.options(state, seat)
        names = item_names(machine, state, options)
        if DONE in names:
            return self.trade(machine, state, seat, seed, options, names.index(DONE))
        values = []
        for option, name in zip(options, names, strict=True):
            after = tried(machine, state, seat, option, seed)
            rank = self.ranks.get(name, 0)
            values.append((rank, own_score(machine, after, seat)) if rank else self.ahead(machine, after, seat))
        best = [number for number, value in enumerate(values) if value == max(values)]
        return best[uniform(seed, len(best))[0]]

    def trade(self, machine: Machine, state: State, seat: int, seed: int, options: Sequence[Option], done: int) -> int:
        """Return the exchange that leads to the best-liked item; `done`, which leaves the trade, if none leads to a
        better one."""
        best, value = done, self.ahead(machine, tried(machine, state, seat, options[done], seed), seat)
        for number, option in enumerate(options):
            if value[0] == max(self.ranks.values()):
                break
            reached = self.ahead(machine, tried(machine, state, seat, option, seed), seat)
            if reached[0] > value[0]:
                best, value = number, reached
        return best

    def ahead(self, machine: Machine, state: State, seat: int) -> Value:
        """Return the value of the seat's next menu if all leave their trades until then; changes the state."""
        for _ in range(LOOKAHEAD):
            waiting = machine.waiting(state)
            if waiting is None:
                break
            acting = waiting.seats[0]
            options = machine.options(state, acting)
            names = item_names(machine, state, options)
            if acting == seat and any(name in self.ranks for name in names):
                return max(
                    self.reached(machine, state, seat, option, self.ranks[name])
                    for option, name in zip(options, names, strict=True)
                    if name in self.ranks
                )
            machine.choose(state, acting, options[names.index(DONE) if DONE in names else 0])
        return 0, own_score(machine, state, seat)

    @staticmethod
    def reached(machine: Machine, state: State, seat: int, option: Option, rank: int) -> Value:
        """Return the value of an option of a menu.

        Args:
            rank: how much its item is liked.
        """
        after = state.clone()
        machine.choose(after, seat, option)
        return rank, own_score(machine, after, seat)


@dataclass(frozen=True)
class Mixed:
    """Trades like one bot and makes other choices like another."""

    trader: Prefer
    chooser: Playouts

    def choose(self, executor: Executor, state: State, seat: int, seed: int) -> int:
        """Return the option of the bot for this decision."""
        machine = executor.interpreter
        trades = DONE in item_names(machine, state, machine.options(state, seat))
        return (self.trader if trades else self.chooser).choose(executor, state, seat, seed)


def tried(machine: Machine, state: State, seat: int, option: Option, seed: int) -> State:
    """Return a copy of the state after an option, with chance from the seed: a bot must not know the real one."""
    after = state.clone()
    after.logging = False
    after.rng = seeded(seed)
    machine.choose(after, seat, option)
    return after


def own_score(machine: Machine, state: State, seat: int) -> int:
    """Return the seat's score in a state."""
    return machine.scores(state)[seat]


def item_names(machine: Machine, state: State, options: Sequence[Option]) -> list[str]:
    """Return for each option of the pending decision its menu item, else the rule."""
    waiting = machine.waiting(state)
    assert waiting is not None
    decision = machine.program.decisions[waiting.decision]
    return [(decision.items[option.item].name if option.item >= 0 else "") or decision.rule for option in options]


def make_bot(name: str) -> Bot:
    """Return the bot of a name.

    Raises:
        UsageError: there is none.
    """
    kind, _, rest = name.partition(":")
    if kind == "prefer":
        groups = list(reversed(rest.split(",")))
        return Prefer({item: rank for rank, group in enumerate(groups, 1) for item in group.split("+")})
    if kind == "mixed":
        count, _, items = rest.partition(":")
        return Mixed(cast("Prefer", make_bot(f"prefer:{items}")), cast("Playouts", make_bot(f"playouts:{count}")))
    check_bot(name)
    return Playouts(0 if kind == "random" else int(rest or PLAYOUTS))


# ---- statistics -----------------------------------------------------------------------------------------------------


@dataclass
class Mean:
    """A running mean."""

    count: int = 0
    total: float = 0.0

    def add(self, value: float) -> None:
        """Add one more number."""
        self.count += 1
        self.total += value

    def __str__(self) -> str:
        return f"{self.total / self.count:.1f}" if self.count else "-"


@dataclass
class Menu:
    """The statistics of a rule's decision: how often it came up, and for each item how often it was offered and taken.

    Attributes:
        sets: which items were offered together, how often.
    """

    asked: int = 0
    sets: Counter[frozenset[str]] = field(default_factory=Counter)
    offered: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)

    def rows(self, rule: str) -> Iterator[tuple[object, ...]]:
        """Yield a table row for each item, and one for all items that are not always offered."""
        groups = {item: {item} for item in self.offered}
        sometimes = {item for item, count in self.offered.items() if count < self.asked}
        if len(sometimes) > 1:
            groups["any of these that is not always offered"] = sometimes
        for name, items in groups.items():
            offered = sum(count for together, count in self.sets.items() if together & items)
            taken = sum(self.taken[item] for item in items)
            shares = (percent(offered, self.asked), percent(taken, self.asked), percent(taken, offered))
            yield rule, name, self.asked, *shares


@dataclass
class Row:
    """The statistics of a definition's pieces, or of a group of definitions.

    Attributes:
        games: in which its pieces moved at all. ends: zones where they ended. owners, others: final scores of the
            parties that had one, and of those that had not, in the same games. wins: the owners' share of victories.
            points: of its own score line.
    """

    games: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    owners: Mean = field(default_factory=Mean)
    others: Mean = field(default_factory=Mean)
    wins: Mean = field(default_factory=Mean)
    points: Mean = field(default_factory=Mean)


class Report:
    """The statistics of all games."""

    def __init__(self, executor: Executor, by: Sequence[str]) -> None:
        self.executor, self.machine = executor, executor.interpreter
        self.by = by
        self.games = self.decisions = self.turns = 0
        self.scores: dict[str, Mean] = defaultdict(Mean)
        self.wins: dict[str, Mean] = defaultdict(Mean)
        self.menus: dict[str, Menu] = defaultdict(Menu)
        self.lines: dict[str, dict[str, Mean]] = defaultdict(lambda: defaultdict(Mean))
        self.rows: dict[str, Row] = defaultdict(Row)

    def chosen(self, state: State, options: Sequence[Option], number: int) -> None:
        """Count a choice by menu and item."""
        waiting = self.machine.waiting(state)
        assert waiting is not None
        names = item_names(self.machine, state, options)
        rule = self.machine.program.decisions[waiting.decision].rule
        menu = self.menus[rule]
        menu.asked += 1
        menu.sets[frozenset(names)] += 1
        menu.offered.update(set(names))
        menu.taken[names[number]] += 1

    def finished(self, state: State, called: Sequence[str]) -> None:
        """Count a finished game.

        Args:
            called: by party, the name that it is counted under.
        """
        machine = self.machine
        scores, winners = machine.scores(state), winners_of(machine, state)
        shares = [(1 / len(winners) if party in winners else 0.0) for party in range(machine.layout.parties)]
        self.games += 1
        self.decisions += state.decisions
        self.turns += state.turns
        points: dict[tuple[int, str], int] = defaultdict(int)
        for party, name in enumerate(called):
            self.scores[name].add(scores[party])
            self.wins[name].add(100 * shares[party])
            lines = {line.name: 0 for line in machine.program.scores if not line.piece} | {"of pieces": 0}
            for line in score_sheet(machine, state, party).lines:
                lines["of pieces" if line.piece else line.name] += line.value
                points[party, line.piece] += line.value
            for line_name, value in lines.items():
                self.lines[line_name][name].add(value)
        self._count_pieces(state, scores, shares, points)

    def _count_pieces(
        self, state: State, scores: Sequence[int], shares: Sequence[float], points: dict[tuple[int, str], int]
    ) -> None:
        """Count where the pieces of a finished game ended, and how their owners did."""
        layout = self.machine.layout
        owned: dict[str, set[int]] = defaultdict(set)
        moved: set[str] = set()
        for instance, contents in enumerate(state.z):
            zone = layout.program.zones[layout.inst_zone[instance]].name
            for member in contents:
                item = member & ITEM_MASK
                if member < 0 or instance == layout.start_of[item]:
                    continue  # what nobody has seen has not moved
                for name in self.names(item):
                    moved.add(name)
                    self.rows[name].ends[zone] += 1
                    if layout.inst_owner[instance] >= 0:
                        owned[name].add(layout.inst_owner[instance])
        for name in moved:
            row = self.rows[name]
            row.games += 1
            for party, score in enumerate(scores):
                if party not in owned[name]:
                    row.others.add(score)
                    continue
                row.owners.add(score)
                row.wins.add(100 * shares[party])
                row.points.add(points[party, name])

    def names(self, item: int) -> list[str]:
        """Return the names that a piece is counted under: its row, its kind, its attributes of `--by`."""
        layout = self.machine.layout
        kind = layout.program.kinds[layout.item_kind[item]]
        columns = layout.columns[layout.item_kind[item]]
        values = {
            name: str(value_json(layout, type_, columns[number][item]))
            for number, (name, type_) in enumerate(kind.attributes)
        }
        names = [kind.definitions[layout.item_definition[item]].id, f"all {kind.name}"]
        names += [f"{name} {values[name]}" for name in self.by if name in values]
        if len(self.by) > 1 and all(name in values for name in self.by):
            names.append(" ".join(values[name] for name in self.by))
        return names


def play(report: Report, bots: Sequence[Bot], called: Sequence[str], seed: int) -> None:
    """Play a game to its end and count it.

    Args:
        bots: by seat. called: see `Report.finished`.
    """
    machine = report.machine
    state = machine.new_state(seed, logging=has_secrets(machine.program))
    machine.advance(state)
    position, _ = output(seeded(seed))
    while (waiting := machine.waiting(state)) is not None:
        seat = waiting.seats[0]
        options = machine.options(state, seat)
        drawn, position = output(position)
        number = bots[seat].choose(report.executor, state, seat, drawn) if len(options) > 1 else 0
        report.chosen(state, options, number)
        machine.choose(state, seat, options[number])
    report.finished(state, called)


# ---- tables ----------------------------------------------------------------------------------------------------------


def table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table, the first column aligned left, the others right."""
    cells = [[str(cell) for cell in row] for row in rows]
    if not cells:
        return
    widths = [max(len(row[column]) for row in [list(heads), *cells]) for column in range(len(heads))]
    print(f"\n{title}")  # noqa: T201 - a table for people
    for row in [list(heads), *cells]:
        line = "  ".join(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print(f"  {row[0]:<{widths[0]}}  {line}")  # noqa: T201


def percent(part: float, whole: float) -> str:
    """Return a share as text; a dash if `whole` is 0."""
    return f"{100 * part / whole:.0f} %" if whole else "-"


def print_report(report: Report) -> None:
    """Print all tables."""
    games = max(report.games, 1)
    print(f"{report.games} games, {report.decisions / games:.1f} decisions and {report.turns / games:.1f} turns each")  # noqa: T201
    table(
        "parties",
        ["party", "score", "wins %"],
        [(name, mean, report.wins[name]) for name, mean in report.scores.items()],
    )
    table(
        "menus: offered in so many of the times that it was asked, and taken",
        ["rule", "item", "asked", "offered", "taken", "of offered"],
        [row for rule, menu in report.menus.items() if len(menu.offered) > 1 for row in menu.rows(rule)],
    )
    table(
        "score lines, mean of each party",
        ["line", *report.scores],
        [(line, *means.values()) for line, means in report.lines.items()],
    )
    zones = sorted({zone for row in report.rows.values() for zone in row.ends})
    order = {name: number for number, name in enumerate(_definitions(report.machine))}
    table(
        "pieces: where they ended; scores with and without; the owners' victories; points of its own",
        ["row", "games", *zones, "with", "without", "wins %", "points"],
        [
            (name, row.games, *(percent(row.ends[zone], row.ends.total()) for zone in zones), row.owners, row.others,
             row.wins, row.points)
            for name, row in sorted(report.rows.items(), key=lambda pair: (order.get(pair[0], -1), pair[0]))
        ],
    )  # fmt: skip


def _definitions(machine: Machine) -> list[str]:
    """Return the ids of all rows, in order."""
    return [definition.id for kind in machine.program.kinds for definition in kind.definitions]


def main() -> None:
    """Play the games and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ruleset")
    parser.add_argument("--players", type=int)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--bot", default="random")
    parser.add_argument("--against", help="the bot of all seats but one, which changes from game to game")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="begin no further game after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by", default="", metavar="ATTRIBUTE,…", help="also group pieces by these attributes")
    args = parser.parse_args()
    try:
        ruleset = rulelang.load(args.ruleset)
        words = dict(option.split("=", 1) for option in args.option)
        options = {name: _value(ruleset, name, text) for name, text in words.items()}
        executor = ruleset.executor(args.players, options)
        bot = make_bot(args.bot)
        rival = make_bot(args.against) if args.against else bot
    except (UsageError, ValueError) as error:
        parser.error(str(error))
    report = Report(executor, [name for name in args.by.split(",") if name])
    players = executor.layout.players
    started = time.monotonic()
    for number in range(args.games):
        if args.minutes is not None and time.monotonic() - started > 60 * args.minutes:
            break
        bots = [bot if not args.against or seat == number % players else rival for seat in range(players)]
        names = [args.bot if each is bot else args.against for each in bots] if args.against else []
        called = (names or [f"seat {seat}" for seat in range(players)]) + list(executor.layout.party_names[players:])
        play(report, bots, called, game_seed(args.seed, number))
    print_report(report)


def _value(ruleset: rulelang.Ruleset, name: str, text: str) -> int | bool | str:
    """Return the value of an option for its text.

    Raises:
        UsageError: the option has no such value.
    """
    for option in ruleset.info.options:
        for value in option.values if option.name == name else ():
            if str(value).lower() == text.lower():
                return value
    raise UsageError(f"no option {name} with a value {text}")


if __name__ == "__main__":
    main()
