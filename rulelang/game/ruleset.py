"""A ruleset ready to be played: what is in it, new games, saved games.

Enters: a folder or name. Leaves: `Ruleset`, whose executors are made once for each number of players and options.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import Diagnostics, RuleError, RulesetError, SaveError, UsageError, counted, suggest
from rulelang.execution.choice import BackendChoice, check_backend, choose
from rulelang.execution.executor import Executor
from rulelang.game.info import Info, read_info
from rulelang.game.state import State
from rulelang.interpreter import Machine
from rulelang.ir.program import OptionTable, Program
from rulelang.ir.table import from_table, to_table
from rulelang.languages import DEFAULT
from rulelang.limits import current
from rulelang.programs import analysed_of, program_of
from rulelang.ruleset.loader import read_ruleset
from rulelang.ruleset.model import Passage, plain_text
from rulelang.ruleset.model import WrittenRuleset as Written
from rulelang.runtime.layout import Layout
from rulelang.runtime.serial import state_from_json
from rulelang.runtime.state import State as RuntimeState
from rulelang.words import Words

if TYPE_CHECKING:
    from rulelang.game.situations import Suite
    from rulelang.semantics.tree.shared import Analysed

CHANCE = ("sampled", "explicit")
OptionValue = int | bool | str
TABLES = 32
"""Of so many tables where people have names texts are memoised, at most some 4 MB of each."""


def load(path: str | Path, overlays: Sequence[str | Path] = (), instead: Mapping[Path, str] | None = None) -> Ruleset:
    """Load and compile a ruleset.

    Args:
        path: a ruleset folder, a variant folder, or the name of a shipped ruleset.
        overlays: folders to lay over it, the last one on top. instead: texts in place of those of files, by their real
            paths.

    Raises:
        RulesetError: the ruleset has errors; `.diagnostics` lists all of them.
    """
    diagnostics = Diagnostics()
    written, part, lost = read_ruleset(path, tuple(overlays), diagnostics=diagnostics, instead=instead)
    if written is None:
        if part is not None:
            from rulelang.semantics.check import check_rest

            check_rest(part, lost, diagnostics)
        raise RulesetError(diagnostics)
    return Ruleset(written, str(path), tuple(map(str, overlays)))


def _limited(program: Program) -> Program:
    """Return the program with fuel and decision limits lowered to those of this process."""
    limits = current()
    if program.fuel <= limits.fuel and program.max_decisions <= limits.decisions:
        return program
    return replace(
        program, fuel=min(program.fuel, limits.fuel), max_decisions=min(program.max_decisions, limits.decisions)
    )


class Ruleset:
    """A checked and compiled ruleset.

    Attributes:
        written: what its files say. program: what backends run.
        path, overlays: as they were given.
    """

    def __init__(self, written: Written, path: str, overlays: tuple[str, ...], program: Program | None = None) -> None:
        self.written = written
        self.path = path
        self.overlays = overlays
        self.program = _limited(program if program is not None else program_of(written))
        self._given = program
        self._executors: dict[tuple[int, tuple[int, ...], str], Executor] = {}
        self._choices: dict[tuple[int, tuple[int, ...], str, int, bool], BackendChoice] = {}
        self._unbegun: dict[tuple[Any, ...], State] = {}  # by arguments of `new_game`
        self._limits = current()  # for these
        self._words: dict[tuple[str, tuple[str, ...], int], Words] = {}
        self.suites: dict[str, Suite] = {}
        """What positions were opened with last, by what was given (see `rulelang.game.situations`)."""

    @cached_property
    def analysed(self) -> Analysed:
        """The checked ruleset, against which further texts can be checked; not to be modified."""
        return analysed_of(self.written)

    def with_program(self, program: Program) -> Ruleset:
        """Return a copy of the ruleset with another program, such as one compiled with scenarios."""
        return Ruleset(self.written, self.path, self.overlays, program)

    def __copy__(self) -> Ruleset:
        return self

    def __deepcopy__(self, memo: object) -> Ruleset:
        """Return the ruleset itself: nobody writes on it."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle where its files lie and their hash, not what is in them; a program of its own goes along."""
        places = tuple(str(Path(p).resolve()) if Path(p).is_dir() else p for p in (self.path, *self.overlays))
        return _loaded_again, (places, self.hash, None if self._given is None else to_table(self._given))

    @property
    def name(self) -> str:
        """The ruleset's name."""
        return self.program.name

    @property
    def hash(self) -> str:
        """SHA-256 over what the rules mean, in hex: comments, layout, words and citations change nothing of it."""
        return self.program.hash

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of players the game is for, in order."""
        return self.program.players

    @cached_property
    def info(self) -> Info:
        """Facts about the ruleset: players, options, limits, zones, kinds, languages, provenance."""
        return read_info(self.written, self.program)

    def words(self, lang: str = DEFAULT, names: tuple[str, ...] = (), first: int = 0) -> Words:
        """Return the ruleset's vocabulary in a language; `names` are the players' names by seat, empty for none, and
        `first` is what the first seat is called without one."""
        key = lang, names if any(names) else (), first
        if key not in self._words:
            if len(self._words) >= TABLES:
                self._words.clear()
            self._words[key] = Words(self.written, *key)
        return self._words[key]

    def language(self, lang: str | None = None) -> str:
        """Return the language code if the ruleset declares it; None gives the first declared language.

        Raises:
            UsageError: it is not one of them. (Texts in it could still be had: what has no words falls back.)
        """
        if lang is None:
            return self.written.languages[0]
        if lang not in self.written.languages:
            have = " and ".join(f"`{language}`" for language in self.written.languages)
            raise UsageError(f"{self.name} has no words in `{lang}`; it has {have}")
        return lang

    # ---- where it comes from

    @property
    def rulebook(self) -> tuple[Passage, ...]:
        """The index of the rulebook: passages with source, lines, and title in the ruleset's own words."""
        return self.written.rulebook

    def cite(self, citation: str, lang: str = DEFAULT) -> tuple[str, ...]:
        """Return the titles of the passages that a citation such as `book:12-14` refers to; none without an index.

        Raises:
            UsageError: it is no citation of one of the ruleset's sources.
        """
        form = re.fullmatch(r"([a-z][a-z0-9-]*):([0-9]{1,7})(?:-([0-9]{1,7}))?", citation)
        if form is None or form.group(1) not in self.written.sources:
            have = f"its sources are {', '.join(self.written.sources)}" if self.written.sources else "it has no sources"
            raise UsageError(f"`{citation}` cites no source of {self.name}; {have}")
        source, first, last = form.group(1), int(form.group(2)), int(form.group(3) or form.group(2))
        passages = self.written.passages(source, first, last)
        fallbacks = (lang, *self.written.languages, *(code for passage in passages for code in passage.title))
        return tuple(next(p.title[code] for code in fallbacks if code in p.title) for p in passages)

    # ---- games

    def new_game(
        self,
        players: int | None = None,
        seed: int = 0,
        options: Mapping[str, OptionValue] | None = None,
        backend: str = "auto",
        chance: str = "sampled",
    ) -> State:
        """Return a game after its setup, at its first node.

        Args:
            players: None for the smallest number. seed: for chance, any whole number (64 bits count).
            options: name -> value; the others have their defaults.
            chance: `sampled` draws with the seed, `explicit` stops at every chance node.

        Raises:
            UsageError: a value that the ruleset does not have.
            RuleError: a rule went wrong before the first node.
        """
        if self._limits is not current():
            self._unbegun, self._limits = {}, current()
        key = type(players), players, backend, chance
        unbegun = None if options else self._unbegun.get(key)
        if unbegun is None:
            explicit, executor = _is_explicit(chance), self.executor(players, options, backend)
            if backend == executor.backend:
                executor.prepare_steps()
            unbegun = State.unbegun(executor, explicit)
            if not options:
                self._unbegun[key] = unbegun
        if not isinstance(seed, int):
            raise UsageError(f"a seed is a whole number, not {seed!r}")
        return unbegun._begin(seed, self, self.words)

    def position(self, given: Mapping[str, Any], backend: str = "auto", chance: str = "sampled") -> State:
        """Return a game in the situation that the `given` of a scenario describes, at its first node.

        Args:
            given: as in a scenario file: `players`, `options`, `seed`, `zones`, `variables`, `do`.
            chance: as for `new_game`.

        Raises:
            RulesetError: it does not fit the ruleset; `.diagnostics` says what.
            UsageError: there are not these pieces, or no room for them.
            RuleError: a rule went wrong before the first node.
        """
        from rulelang.game.situations import position

        return position(self, given, backend, _is_explicit(chance))

    @cached_property
    def scenarios(self) -> tuple[str, ...]:
        """The names of the valid scenarios in the ruleset's own folder that have steps in `when`."""
        from rulelang.ruleset.scenarios import scenarios_of

        return tuple(scenario.name for scenario in scenarios_of(self.written, Diagnostics()) if scenario.when)

    def scenario(self, name: str, backend: str = "auto", chance: str = "sampled") -> State:
        """Return a game in the situation of one of the ruleset's scenarios, at its first node; no choice of its `when`
        is made.

        Args:
            name: of the scenario, or a position as players write it (`State.notation`).

        Raises: as `position`; UsageError: there is no such scenario.
        """
        from rulelang.game.situations import opened

        return opened(self, name, backend, _is_explicit(chance))

    def state_from_json(self, text: str, backend: str = "auto") -> State:
        """Load a state from the text that `State.to_json` returned.

        Raises:
            SaveError: the text is no state of this ruleset.
        """
        executors: list[Executor] = []

        def bind(program: Program, players: int, options: Sequence[int]) -> Layout:
            """Return the layout for a saved state, after validating its players and options."""
            del program
            if players not in self.players:
                raise UsageError(self._players_message(players))
            for table, value in zip(self.program.options, options, strict=True):
                if value not in table.values:
                    raise UsageError(f"the option `{table.name}` has no value {value}")
            executors.append(
                self._executor(players, tuple(options), self._choice(players, tuple(options), backend, 0).backend)
            )
            return executors[0].layout

        state = state_from_json(self.program, text, bind)
        _goes_on(executors[0].interpreter, state)
        if backend == executors[0].backend:
            executors[0].prepare_steps()
        return State(self, executors[0], executors[0].immutable(state))

    def executor(
        self,
        players: int | None = None,
        options: Mapping[str, OptionValue] | None = None,
        backend: str = "auto",
        playouts: int = 0,
        steps: bool = False,
    ) -> Executor:
        """Return the executor for a number of players and options, memoised.

        Args:
            playouts: how many games will be played to their end at random, about; `auto` goes by that.
            steps: whether they are played choice by choice, not in one go.

        Raises:
            UsageError: a value that the ruleset does not have.
        """
        count, numbers = self._bound(players, options)
        return self._executor(count, numbers, self._choice(count, numbers, backend, playouts, steps).backend)

    def choice(
        self,
        players: int | None = None,
        options: Mapping[str, OptionValue] | None = None,
        backend: str = "auto",
        playouts: int = 0,
    ) -> BackendChoice:
        """Return the backend that `executor` would choose for the same arguments, with the reason if it is `auto`."""
        return self._choice(*self._bound(players, options), backend, playouts)

    def _bound(self, players: int | None, options: Mapping[str, OptionValue] | None) -> tuple[int, tuple[int, ...]]:
        """Validate players and options, filling in defaults; UsageError for values the ruleset does not have."""
        count = min(self.players) if players is None else players
        if isinstance(count, bool) or count not in self.players:
            raise UsageError(self._players_message(count))
        return count, self.option_numbers(options or {}, count)

    def _choice(
        self, players: int, options: tuple[int, ...], backend: str, playouts: int, steps: bool = False
    ) -> BackendChoice:
        """Return the backend choice for validated arguments, memoised."""
        check_backend(backend)
        key = (players, options, backend, playouts, steps)
        if key not in self._choices:
            self._choices[key] = choose(backend, playouts, lambda name: self._executor(players, options, name), steps)
        return self._choices[key]

    def _executor(self, players: int, options: tuple[int, ...], backend: str) -> Executor:
        """Return the executor for validated arguments on a named backend, memoised."""
        key = (players, options, backend)
        if key not in self._executors:
            self._executors[key] = Executor(self.program, players, options, backend)
        return self._executors[key]

    def _players_message(self, players: object) -> str:
        return f"{self.name} is for {counted(players_text(self.players), 'player')}, not {players}"

    # ---- options

    def option_numbers(self, options: Mapping[str, OptionValue], players: int) -> tuple[int, ...]:
        """Return the numbers that encode option values in the program, in declaration order, defaults filled in.

        Raises:
            UsageError: an unknown option or value; the message names the valid ones.
        """
        tables = {table.name: table for table in self.program.options}
        for name in options:
            if name not in tables:
                known = f"its options are {', '.join(tables)}" if tables else "it has no options"
                raise UsageError(f"{self.name} has no option `{name}`: {suggest(name, tables) or known}")
        return tuple(
            _number(table, options[name], players) if name in options else table.suiting(players)[0]
            for name, table in tables.items()
        )

    def option_names(self, numbers: Sequence[int]) -> dict[str, OptionValue]:
        """Decode option numbers to a dictionary by name, the inverse of `option_numbers`."""
        return {
            table.name: option_value(table, number) for table, number in zip(self.program.options, numbers, strict=True)
        }

    def __repr__(self) -> str:
        return f"<Ruleset {self.name}>"


@lru_cache(maxsize=TABLES)
def _loaded_again(places: tuple[str, ...], hash_: str, program: bytes | None) -> Ruleset:
    """Return a ruleset that was pickled; the same for all pickles of a process.

    Raises:
        RulesetError: its files are gone, or faulty. SaveError: they mean something else now.
    """
    ruleset = load(places[0], places[1:])
    if ruleset.hash != hash_:
        raise SaveError(f"{ruleset.name} is not the version that was pickled: its rules have changed")
    return ruleset if program is None else ruleset.with_program(from_table(program))


def _is_explicit(chance: str) -> bool:
    """Return whether chance nodes wait for outcomes; raise UsageError for a word that is not of `CHANCE`."""
    if chance not in CHANCE:
        raise UsageError(f"chance is {' or '.join(CHANCE)}, not `{chance}`")
    return chance == "explicit"


def _goes_on(machine: Machine, state: RuntimeState) -> None:
    """Check that a loaded state can be advanced; SaveError if its pending decision or chance node has no option."""
    try:
        waiting = machine.waiting(state)
        if waiting is None:
            return
        seats = [machine.option_count(state, seat) for seat in waiting.seats]
        ways = seats if waiting.kind == "decision" else [len(machine.outcomes(state))]
    except RuleError as error:
        raise SaveError(f"the game cannot go on from the state: {error}") from None
    except (LookupError, ValueError):
        # Locals that no rule has left like this, such as a purse of other resources than its cost.
        raise SaveError("no game comes to the state") from None
    if not ways or not all(ways):
        raise SaveError("the game waits for something that cannot happen")


def option_value(table: OptionTable, number: int) -> OptionValue:
    """Decode the number of an option's value to a bool, word or integer."""
    if table.type == "bool":
        return bool(number)
    return table.words[number] if table.words else number


def _number(table: OptionTable, value: OptionValue, players: int) -> int:
    """Encode an option's value; UsageError if the option does not have it with so many players."""
    names = {plain_text(option_value(table, number)): number for number in table.values}
    index = names.get(plain_text(value))
    suiting = table.suiting(players)
    if index not in suiting:
        listed = ", ".join(name for name, number in names.items() if number in suiting)
        some = f" with {counted(players, 'player')}" if table.players else ""
        raise UsageError(f"the option `{table.name}` has no value `{plain_text(value)}`{some}; its values are {listed}")
    return index


def players_text(players: Sequence[int]) -> str:
    """Return numbers of players in English: `3 to 5`, `2 or 4`."""
    low, high = min(players), max(players)
    if len(players) > 1 and list(players) == list(range(low, high + 1)):
        return f"{low} to {high}" if high > low + 1 else f"{low} or {high}"
    return " or ".join(map(str, players))
