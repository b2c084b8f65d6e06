"""Sets up the situations that the `given` of scenarios describe.

Enters: a ruleset and scenarios, or a `given` as Python values. Leaves: `Suite`, in which the scenarios' texts are
compiled with the ruleset; `Situation`, which makes the state of one of them; `position` and `opened`, public states.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from glob import escape
from typing import TYPE_CHECKING, Any

from rulelang.compiler import compile_ruleset
from rulelang.compiler.fixpoints import uncertain_zones
from rulelang.diagnostics import Diagnostics, RulesetError, Span, UsageError, suggest
from rulelang.execution.choice import check_backend
from rulelang.execution.executor import Executor
from rulelang.game.state import State
from rulelang.interpreter.tracing import Element, trace
from rulelang.ir.program import Program
from rulelang.ruleset.scenarios import Scenario, scenario_of_given, scenarios_of
from rulelang.runtime.log import EMPTY
from rulelang.runtime.openings import open_with
from rulelang.runtime.placement import place
from rulelang.runtime.state import State as RuntimeState
from rulelang.semantics.scenarios.texts import ScenarioCode, check_scenarios
from rulelang.semantics.tree.symbols import ProcedureSym
from rulelang.semantics.tree.types import VOID

if TYPE_CHECKING:
    from rulelang.game.ruleset import Ruleset


SHOWN = 5
"""So many names of scenarios are told where none is like the one that was asked for."""
CACHED = 4
"""What was given to so many positions is kept compiled."""


class GivenError(UsageError):
    """A variable is given more than it holds; `span` is the place of its value."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.span = span


def position(ruleset: Ruleset, given: Mapping[str, Any], backend: str, explicit: bool) -> State:
    """Build the state that a scenario's `given` describes, advanced to its first node.

    Args:
        given: as in a scenario file, as Python values.

    Raises:
        RulesetError: it does not fit the ruleset. UsageError: pieces that there are not, or for which there is no room.
    """
    read = partial(scenario_of_given, ruleset.written, given)
    return _opened(ruleset, given, read, backend, explicit)


def opened(ruleset: Ruleset, name: str, backend: str, explicit: bool) -> State:
    """Build the state of a named scenario of the ruleset, or of a position in its notation, advanced to its first node;
    `when` is not played.

    Raises:
        RulesetError: it does not fit the ruleset. UsageError: there is none of this name; or as for `position`.
    """

    def named(findings: Diagnostics) -> tuple[Scenario, ...]:
        """Return the scenario with this name, without `when` and `then`."""
        scenarios = {scenario.name: scenario for scenario in scenarios_of(ruleset.written, Diagnostics())}
        if name in scenarios:  # what is wrong with others does not matter
            return (replace(scenarios[name], when=(), then=()),)
        meant, notation = suggest(name, scenarios), ruleset.written.notation
        if not meant and notation is not None and notation.position is not None:
            return scenario_of_given(ruleset.written, {"position": name}, findings)
        if not scenarios:
            raise UsageError(f"{ruleset.name} has no scenarios")
        hint = meant or f"there are `{'`, `'.join([*scenarios][:SHOWN])}`"
        raise UsageError(f"{ruleset.name} has no scenario `{name}`; {hint}")

    return _opened(ruleset, name, named, backend, explicit)


def _opened(
    ruleset: Ruleset, key: object, read: Callable[[Diagnostics], tuple[Scenario, ...]], backend: str, explicit: bool
) -> State:
    """Build the state of the one scenario that `read` parses; `key` identifies it in the cache of suites."""
    findings = Diagnostics()
    check_backend(backend)
    suite = _suite_of(ruleset, key, read, backend, findings)
    for code in suite.codes:
        findings.extend(code.diagnostics)
    if findings.has_errors:
        raise RulesetError(findings)
    situation = Situation(suite, suite.codes[0])
    # Where no statements of its own run, the state is one of the ruleset as it is, and can be saved as such.
    owner = ruleset if situation.scenario.do is None else suite.ruleset
    executor = owner.executor(situation.scenario.players, situation.scenario.options, backend)
    state = situation.start(executor, explicit)
    if backend == executor.backend:
        executor.prepare_steps()
    return State(owner, executor, executor.immutable(state))


def _suite_of(
    ruleset: Ruleset,
    source: object,
    read: Callable[[Diagnostics], tuple[Scenario, ...]],
    backend: str,
    findings: Diagnostics,
) -> Suite:
    """Compile a suite from what `read` parses, or return it from the ruleset's cache of `CACHED` suites."""
    try:
        key = json.dumps([backend, source])
    except (TypeError, ValueError):
        key = ""
    suites = ruleset.suites
    suite = suites.pop(key, None) if key else None
    if suite is None:
        suite = Suite(ruleset, read(findings), backend)
    if key and not findings.has_errors:
        suites[key] = suite
    while len(suites) > CACHED:
        del suites[next(iter(suites))]
    return suite


class Suite:
    """Scenarios of one ruleset, compiled with it.

    Attributes:
        codes: the checked scenarios. base: the ruleset as it is. ruleset: with the procedures of the scenarios in its
            program. procedure_numbers: of all procedures in that program. unordered: zones in whose instances unknown
            pieces may lie anywhere.
        empty_rule: the number of a rule that does nothing: with it in place of `play` a game stops after its setup.
    """

    def __init__(self, ruleset: Ruleset, scenarios: Sequence[Scenario], backend: str = "auto") -> None:
        self.base, written = ruleset, ruleset.written
        analysed, self.codes = check_scenarios(ruleset.analysed, scenarios)
        empty_rule = ProcedureSym("scenario", "rule", (), VOID, written.span, hidden_you=False)
        of_scenarios = (procedure for code in self.codes for procedure in code.procedures)
        procedures = tuple(dict.fromkeys((*analysed.checked.procedures, empty_rule, *of_scenarios)))
        compiled = compile_ruleset(analysed, procedures, ruleset.program)
        program: Program = replace(compiled, hash=ruleset.hash)
        names = {zone.name for zone in uncertain_zones(analysed, procedures)}
        self.unordered = frozenset(number for number, zone in enumerate(program.zones) if zone.name in names)
        self.procedure_numbers = {procedure: number for number, procedure in enumerate(procedures)}
        self.empty_rule = self.procedure_numbers[empty_rule]
        self.ruleset = ruleset.with_program(program)
        self.backend = backend
        self.setup_states: dict[tuple[object, ...], tuple[RuntimeState, frozenset[Element]]] = {}
        """By number of players, options and seed: the state after setup, from which most scenarios begin, and what the
        setup reached."""
        self.reached: set[Element] = set()
        self._traced: set[int] | None = None

    def has_file(self, path: str) -> bool:
        """Return whether a scenario stands in a file."""
        return any(code.scenario.span.path == path for code in self.codes)

    def alone(self, scenario: Scenario) -> Suite:
        """Return a suite of one of the scenarios."""
        return Suite(self.base, [scenario], self.backend)

    def with_program(self, program: Program) -> Suite:
        """Return the suite with another program, in whose tables everything has the same place."""
        suite = copy(self)
        suite.ruleset, suite.setup_states = self.ruleset.with_program(program), {}
        return suite

    def traced(self) -> Suite:
        """Return the suite with machines that note in `reached` what they reach."""
        suite = self.with_program(self.ruleset.program)
        suite.reached, suite._traced, suite.backend = set(), set(), "interpreter"
        return suite

    def executor(self, scenario: Scenario) -> Executor:
        """Return the executor of a scenario."""
        executor = self.ruleset.executor(scenario.players, scenario.options, self.backend)
        if self._traced is not None and id(executor) not in self._traced:
            self._traced.add(id(executor))
            trace(executor.interpreter, self.reached)
        return executor


class Situation:
    """The position that one scenario begins from.

    Attributes:
        suite: the scenarios that it is compiled with. code: its checked expressions. executor: of its players and
            options.
    """

    def __init__(self, suite: Suite, code: ScenarioCode) -> None:
        self.suite = suite
        self.code = code
        self.scenario: Scenario = code.scenario
        self.executor = suite.executor(self.scenario)

    def start(self, executor: Executor, explicit: bool) -> RuntimeState:
        """Build the situation in a given executor and advance it to its first node.

        Where the scenario has no `do`, the executor may be that of the ruleset without scenario code.
        """
        code, interpreter = self.code, executor.interpreter
        if not code.zones and not code.variables and code.do is None:
            state = interpreter.new_state(self.scenario.seed, explicit)
        else:
            state = self.given_state()
            state.layout, state.explicit = executor.layout, explicit
            interpreter.start(state, interpreter.program.play if code.do is None else self.number(code.do))
            open_with(state)
        interpreter.advance(state)
        return state

    def given_state(self) -> RuntimeState:
        """Build the state after setup with the given pieces and variables put in place, before any rule runs. Raises
        GivenError if a zone or variable can't have what is given."""
        code, executor, interpreter = self.code, self.executor, self.executor.interpreter
        state = self.after_setup()
        given = [
            (int(interpreter.evaluate(state, self.number(procedure))), pieces, filling)
            for procedure, (_, pieces, _), filling in zip(
                code.zones, self.scenario.zones, self.scenario.fillings, strict=True
            )
        ]
        placed = place(state, given, self.suite.unordered)
        for procedure, carried in zip(code.carried, self.scenario.carried, strict=True):
            for item in placed[carried.zone][carried.place]:
                interpreter.start(state, self.number(procedure), [item])
                executor.random_playout(state)
        for procedure in code.variables:
            interpreter.start(state, self.number(procedure))
            executor.random_playout(state)
        for room, (name, value) in zip(code.rooms, self.scenario.variables, strict=True):
            if not interpreter.evaluate(state, self.number(room)):
                raise GivenError(
                    f"`{name.text.strip()}` is given more than it holds: `{value.text.strip()}`", value.span
                )
        state.winners = state.deferred = state.decisions = state.turns = 0
        state.log, state.logging = EMPTY, True
        return state

    def after_setup(self) -> RuntimeState:
        """Return a copy of the state after setup, played with the scenario's seed and memoised in the suite."""
        scenario = self.scenario
        key = (scenario.players, tuple(sorted(scenario.options.items())), scenario.seed)
        suite = self.suite
        if key not in suite.setup_states:
            before = suite.reached.copy()
            suite.reached.clear()
            state = self.executor.interpreter.new_state(scenario.seed, False, False, suite.empty_rule)
            self.executor.random_playout(state)
            suite.setup_states[key] = state, frozenset(suite.reached)
            suite.reached |= before
        state, reached = suite.setup_states[key]
        suite.reached |= reached
        return state.clone()

    def number(self, procedure: ProcedureSym) -> int:
        """Return the program's number of a procedure of the scenario."""
        return self.suite.procedure_numbers[procedure]


def scenario_text(name: str, state: State, seed: int, choices: Sequence[tuple[int, str]]) -> str:
    """Return the item of a scenario file that leads to a position by the choices that led there, as YAML.

    What it expects is who is asked and how many options there are, or how the game ended: what more must hold there is
    for its author to say.

    Args:
        seed: of the game, from which the scenario draws the same chance. choices: seats and ids, from the start.
    """
    defaults = {option.name: option.default for option in state.ruleset.written.options}
    options = {name: value for name, value in state.options.items() if value != defaults[name]}
    given = {"players": state.players, "seed": seed, **({"options": options} if options else {})}
    steps = [{"seat": seat, "id": escape(id_)} for seat, id_ in choices]
    lines = [f"  - name: {yaml_of(name)}", f"    given: {yaml_of(given)}"]
    for key, rows in (("when", steps), ("then", expectations(state))):
        lines += [f"    {key}:", *(f"      - {yaml_of(row)}" for row in rows)] if rows else []
    return "".join(f"{line}\n" for line in lines)


def expectations(state: State) -> list[dict[str, Any]]:
    """Return what a scenario can say of any position, as items of its `then`: who is asked and among how many options,
    or how the game ended."""
    if state.is_terminal():
        return [{"over": True}, *([{"scores": scores}] if (scores := state.scores()) else [])]
    asked = state.current_players()
    return [{"asked": asked}, *([{"options": len(state.legal_actions())}] if len(asked) == 1 else [])]


def yaml_of(value: object) -> str:
    """Return a value in YAML, on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml_of(part)}" for key, part in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
