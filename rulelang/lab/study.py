"""Plays the games of several settings and stores a row of each in a folder.

Enters: settings, numbers of games of each. Leaves: one file of JSON Lines for each setting, in the order of its games,
and the rows read back from it. A row depends on its setting and its number alone: however a study was interrupted,
distributed over processes or machines, or ordered, its files are the same, byte for byte. Stored games are not played
again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rulelang.agents import check_bot, play_out
from rulelang.diagnostics import RuleError, SaveError, UsageError, counted
from rulelang.documents import json_value
from rulelang.execution.executor import Executor
from rulelang.interrupts import finishing
from rulelang.ir.program import Program
from rulelang.lab.rows import Rows
from rulelang.lab.traces import FEATURES, FEATURES_VERSION, ODDS, POINTS, Trace, allowing
from rulelang.parallel import Executors, Progress, blocks_of_games, check_amounts
from rulelang.results import LINE, Lines, OnLine, closed, line
from rulelang.runtime.rng import game_seed
from rulelang.simulate import header_of, playouts_of

if TYPE_CHECKING:
    from rulelang.game.ruleset import OptionValue, Ruleset

MARK = "rulelang_study"
"""The first key of a file's header."""
BULK = 256
"""Games without a trace that an executor plays in one call."""
SEED_STEP = 1_000_003
"""Distance between the seeds of settings whose games are to be independent."""
CACHED_EXECUTORS = 32
"""Executors that a process caches."""

Row = dict[str, Any]
"""A game: `game`, `seed`, and the keys of `rulelang.results.line` with those of the features, and `returns` where rules
declare payoffs and games are played choice by choice; or `error`."""


@dataclass(frozen=True)
class Setting:
    """Everything that a game depends on but its number.

    Attributes:
        path, overlays: of the ruleset. players: 0 for the smallest number. options: pairs of names and values.
        bots: one for all seats, or one for each. seed: game n has the seed `game_seed(seed, n)`, in every setting.
        features: contents of rows beside the outcome: `trace` (choices, cards, scores), `odds` (chances of winning in
            the course of the game).
        deals: if not 0, the number of different seeds of chance: game n has that of game n mod `deals`, with other
            seeds of the bots, and chance is keyed by its sources (`play_out`).
        without: restricted play (Jaffe et al., Evaluating competitive game balance with restricted play, AIIDE 2012):
            triples of a seat, `card` or `action`, and its name: the seat takes options with it only where it has no
            others. Names are those of `traces.CountedNames`: `card` `hoard` or `discard:hoard`, `action` `dig` or
            `dig:tin`. always: the same, the other way: wherever there are options with it the seat takes one of them.
    """

    path: str
    overlays: tuple[str, ...] = ()
    players: int = 0
    options: tuple[tuple[str, OptionValue], ...] = ()
    bots: tuple[str, ...] = ("random",)
    seed: int = 0
    features: tuple[str, ...] = ()
    deals: int = 0
    without: tuple[tuple[int, str, str], ...] = ()
    always: tuple[tuple[int, str, str], ...] = ()


@dataclass(frozen=True)
class _Bound:
    """A setting in the form that other processes and machines get."""

    program: Program
    players: int
    options: tuple[int, ...]
    backend: str
    setting: Setting


_executors: dict[tuple[str, int, tuple[int, ...], str], Executor] = {}
"""A cache of executors, the most recently used at the end."""


def _executor(bound: _Bound) -> Executor:
    """Return the executor of a setting, cached."""
    key = bound.program.hash, bound.players, bound.options, bound.backend
    executor = _executors.pop(key, None)
    if executor is None:
        executor = Executor(bound.program, bound.players, bound.options, bound.backend)
        while len(_executors) >= CACHED_EXECUTORS:
            del _executors[next(iter(_executors))]
    _executors[key] = executor
    return executor


@dataclass(frozen=True)
class _Job:
    """Games to be played: `count` of a setting from number `first` on."""

    bound: _Bound
    first: int
    count: int


@dataclass(frozen=True)
class _Plan:
    """The work of a process: the games of all jobs, numbered consecutively; called like the work of `parallel`.

    Attributes:
        starts: the first number of each job.
    """

    jobs: tuple[_Job, ...]
    starts: tuple[int, ...]

    def __call__(self, executors: Executors, seed: int, numbers: range) -> tuple[int, bytes]:
        """Play games by their consecutive numbers; return the index of their job, and their lines."""
        del executors, seed
        place = max(place for place, start in enumerate(self.starts) if start <= numbers.start)
        job = self.jobs[place]
        first = job.first + numbers.start - self.starts[place]
        return place, b"".join(_lines(job.bound, range(first, first + len(numbers))))


class Study:
    """A folder of games, and the processes that play them.

    Args:
        folder: of the files; None for a temporary one. jobs: number of processes. scheduler: address of a Dask
            scheduler to play on instead.
        progress: called with the number of games just played. expect: called with the number that will be.

    Raises:
        UsageError: the folder can't be written, or `jobs` is out of range.
    """

    def __init__(
        self,
        folder: Path | None = None,
        jobs: int = 1,
        scheduler: str = "",
        progress: Progress | None = None,
        expect: Progress | None = None,
    ) -> None:
        check_amounts(1, jobs)
        self._temporary = TemporaryDirectory(prefix="rulelang-lab-") if folder is None else None
        self.folder = Path(self._temporary.name) if self._temporary is not None else Path(folder or "")
        self.jobs, self.scheduler = jobs, scheduler
        self._progress, self._expect = progress, expect
        self._rulesets: dict[tuple[str, tuple[str, ...]], Ruleset] = {}
        try:
            (self.folder / "games").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be written: {error.strerror or error}") from None

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        if self._temporary is not None:
            self._temporary.cleanup()

    # ---- settings

    def ruleset(self, setting: Setting) -> Ruleset:
        """Return the ruleset of a setting, loaded once.

        Raises:
            RulesetError: it has errors.
        """
        from rulelang.game import load

        key = setting.path, setting.overlays
        if key not in self._rulesets:
            self._rulesets[key] = load(*key)
        return self._rulesets[key]

    def executor(self, setting: Setting) -> Executor:
        """Return the executor that plays a setting's games in this process."""
        return _executor(self._bound(setting, 0))

    def _bound(self, setting: Setting, games: int) -> _Bound:
        """Return a setting bound to its program and backend.

        Args:
            games: how many will be played, which decides the backend.

        Raises:
            UsageError: the setting does not fit its ruleset.
        """
        _check_setting(setting)
        ruleset = self.ruleset(setting)
        bot = next((bot for bot in setting.bots if bot != "random"), "random")
        estimating = "odds" in setting.features
        playouts = playouts_of(bot, games) * (ODDS * POINTS if estimating else 1)
        steps = _by_steps(setting) and not estimating
        executor = ruleset.executor(setting.players or None, dict(setting.options), playouts=playouts, steps=steps)
        if len(setting.bots) not in (1, executor.layout.players):
            raise UsageError(
                f"there are {counted(executor.layout.players, 'seat')}, but {counted(len(setting.bots), 'bot')}"
            )
        layout = executor.layout
        return _Bound(executor.program, layout.players, tuple(layout.options), executor.backend, setting)

    def header(self, setting: Setting) -> Mapping[str, Any]:
        """Return the header of a setting's file: everything that its games depend on."""
        _check_setting(setting)
        ruleset = self.ruleset(setting)
        executor = ruleset.executor(setting.players or None, dict(setting.options), "interpreter")
        return header_of(MARK, ruleset, executor) | {
            "bots": list(setting.bots),
            "seed": setting.seed,
            "features": list(setting.features),
            **({"told": FEATURES_VERSION} if setting.features else {}),
            "deals": setting.deals,
            "without": list(map(list, setting.without)),
            **({"always": list(map(list, setting.always))} if setting.always else {}),
        }

    def file(self, setting: Setting) -> Path:
        """Return the file of a setting's games."""
        text = json.dumps(self.header(setting), sort_keys=True).encode()
        return self.folder / "games" / f"{blake2b(text, digest_size=8).hexdigest()}.jsonl"

    # ---- games

    def play(self, counts: Sequence[tuple[Setting, int]]) -> None:
        """Play the missing games, so that the files have so many of each setting.

        Args:
            counts: settings with numbers of games.

        Raises:
            UsageError: a setting does not fit its ruleset; a file can't be written, or another run is writing it.
            SaveError: a file is damaged. RulesetError: a ruleset has errors.
            KeyboardInterrupt: Ctrl-C; finished games are stored.
        """
        with ExitStack() as files:
            jobs: list[_Job] = []
            files_of_jobs: list[Lines] = []
            most: dict[Path, tuple[Setting, int]] = {}
            for setting, games in counts:
                path = self.file(setting)
                most[path] = setting, max(games, most[path][1] if path in most else 0)
            for path, (setting, games) in most.items():
                lines = files.enter_context(closed(Lines(path, self.header(setting), True, self._check_line(setting))))
                if lines.games < games:
                    jobs.append(_Job(self._bound(setting, games - lines.games), lines.games, games - lines.games))
                    files_of_jobs.append(lines)
            if not jobs:
                return
            starts = [sum(job.count for job in jobs[:place]) for place in range(len(jobs))]
            total = sum(job.count for job in jobs)
            if self._expect is not None:
                self._expect(total)
            with closing(self._parts(_Plan(tuple(jobs), tuple(starts)), total)) as parts:
                for place, lines_of_part in parts:
                    with finishing():
                        files_of_jobs[place].add(lines_of_part)

    def _check_line(self, setting: Setting) -> OnLine:
        """Return what checks that a stored line is the game of its number, and could be."""
        rows = Rows(
            self.executor(setting),
            lambda number: _seed_of(setting, number),
            setting.features,
            pays=_by_steps(setting) and self.executor(setting).program.payoff >= 0,
        )
        return lambda text, number: rows.check(json_value(text.decode(), "the line", LINE), number)

    def _parts(self, plan: _Plan, total: int) -> Any:
        """Return the results of a plan, from processes or the cluster, in order."""
        if self.scheduler:
            from rulelang.lab.cluster import blocks_on_cluster

            return blocks_on_cluster(self.scheduler, plan, total, self._progress, plan.starts)
        for job in plan.jobs:
            _prepare(job.bound)  # processes inherit it
        return blocks_of_games(plan, [], 0, total, self.jobs, self._progress, borders=plan.starts)

    def rows(self, setting: Setting, games: int) -> Iterator[Row]:
        """Yield the rows of the first games of a setting, which were played before, in order.

        Raises:
            SaveError: the file is damaged.
        """
        path = self.file(setting)
        with path.open("rb") as file:
            file.readline()
            for number in range(games):
                text = file.readline()
                try:
                    row = json_value(text.decode(), "the line", LINE)
                except ValueError:
                    row = None
                if not isinstance(row, dict) or row.get("game") != number:
                    raise SaveError(f"{path}, line {number + 2}: it is not game {number}")
                yield row


def share(row: Row, seat: int) -> float:
    """Return a seat's share of the win; a shared win is split, and so is that of a game without winners."""
    winners = row["winners"]
    if not winners:
        return 1 / len(row["scores"])
    return 1 / len(winners) if seat in winners else 0.0


def forced_settings(setting: Setting, how: str, sort: str, of: str, players: int) -> list[Setting]:
    """Return the settings of restricted play without features, one for each seat that is restricted.

    Args:
        how: `without` or `always`. sort, of: see `Setting`.
    """
    rows: list[dict[str, Any]] = [{how: ((seat, sort, of),)} for seat in range(players)]
    return [replace(setting, features=(), **row) for row in rows]


def forced_gains(study: Study, free: Setting, forced: Sequence[Setting], games: int) -> Iterator[float]:
    """Yield by how much each seat's share of the win in games of its setting of `forced` is more than in those of
    `free` with the same seed; failed games are left out."""
    for seat, own in enumerate(forced):
        for row, free_row in zip(study.rows(own, games), study.rows(free, games), strict=True):
            if "error" not in row and "error" not in free_row:
                yield share(row, seat) - share(free_row, seat)


def _check_setting(setting: Setting) -> None:
    """Check the bots and features of a setting.

    Raises:
        UsageError: there is no such bot or feature.
    """
    for bot in setting.bots:
        check_bot(bot)
    for feature in setting.features:
        if feature not in FEATURES:
            raise UsageError(f"rows of games have no `{feature}`; there are {', '.join(FEATURES)}")


def _by_steps(setting: Setting) -> bool:
    """Return whether a setting's games are played choice by choice."""
    restricted = setting.without or setting.always
    return bool(setting.features or setting.deals or restricted or set(setting.bots) != {"random"})


# ---- in worker processes


def _prepare(bound: _Bound) -> None:
    """Build an executor with the native libraries that its games need."""
    executor, setting = _executor(bound), bound.setting
    if not _by_steps(setting) or "odds" in setting.features:
        executor.prepare()
    if _by_steps(setting) and set(setting.bots) == {"random"}:
        executor.prepare_steps()


def _lines(bound: _Bound, numbers: range) -> Iterator[bytes]:
    """Yield the lines of a setting's games."""
    executor, setting = _executor(bound), bound.setting
    if _by_steps(setting):
        for number in numbers:
            yield _traced_line(executor, setting, number)
        return
    for first in range(numbers.start, numbers.stop, BULK):
        block = range(first, min(first + BULK, numbers.stop))
        seeds = [game_seed(setting.seed, number) for number in block]
        games = executor.games(seeds)
        for number, seed in zip(block, seeds, strict=True):
            try:
                yield line(number, seed, next(games))
            except RuleError as error:
                yield _failed_line(number, seed, error)
                games = executor.games(seeds[number - first + 1 :])


def _seed_of(setting: Setting, number: int) -> int:
    """Return the seed of chance of a game."""
    return game_seed(setting.seed, number % setting.deals if setting.deals else number)


def _traced_line(executor: Executor, setting: Setting, number: int) -> bytes:
    """Play a game choice by choice; return its line."""
    own = game_seed(setting.seed, number)
    seed = _seed_of(setting, number)
    bots = setting.bots[0] if len(setting.bots) == 1 else setting.bots
    restricted = setting.without or setting.always
    allow = allowing(executor, setting.without, setting.always) if restricted else None
    trace = Trace(executor, setting.features) if setting.features else None
    try:
        observers = {} if trace is None else {"on_choice": trace.add}
        state = play_out(executor, seed, bots, own_seed=own if setting.deals else None, allow=allow, **observers)
        outcome = executor.outcome(state)
        fields: dict[str, Any] = {"returns": outcome.returns} if executor.program.payoff >= 0 else {}
        if trace is not None:
            fields |= trace.row_fields(state, outcome.game)
        return line(number, seed, outcome.game, fields)
    except RuleError as error:
        return _failed_line(number, seed, error)


def _failed_line(number: int, seed: int, error: Exception) -> bytes:
    """Return the line of a game in which a rule went wrong."""
    return json.dumps({"game": number, "seed": seed, "error": str(error)}, separators=(",", ":")).encode() + b"\n"
