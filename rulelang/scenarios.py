"""Runs a ruleset's own tests: sets up a situation, makes the choices listed, and looks whether what must hold does.

Enters: a ruleset with `scenarios/*.yaml` in its folder. Leaves: a `Result` for each scenario, with a message where it
fails.

The situation is that after a setup drawn with the scenario's seed, then with the given pieces and variables put in
their places. Where nothing is given and nothing is run instead of `play`, the setup is part of what happens: its
chance can be listed too. Patterns are `fnmatch` patterns of ids; one that matches several options means the first, one
that matches none may be the notation of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from math import lcm
from pathlib import Path, PurePath
from typing import Any, cast

from rulelang.diagnostics import Diagnostic, Diagnostics, RuleError, RulesetError, Span, UsageError, counted
from rulelang.execution.choice import check_backend
from rulelang.game.actions import Action
from rulelang.game.ruleset import Ruleset
from rulelang.game.situations import GivenError, Situation, Suite
from rulelang.game.state import SHOWN, State, offered_ids
from rulelang.ruleset.model import Text
from rulelang.ruleset.scenarios import (
    Expectation,
    MovePattern,
    Scenario,
    SheetLine,
    scenario_at,
    scenarios_of,
    unsaved_scenarios,
)
from rulelang.runtime.placement import with_all_known
from rulelang.runtime.rng import seeded, weighted
from rulelang.semantics.scenarios.texts import ScenarioCode

POSITIONS = 10_000
"""So many positions are looked at for the ends that can be reached."""


@dataclass(frozen=True)
class Result:
    """How a scenario went; `message` is empty if all is well, else `line` is that of what did not hold."""

    name: str
    file: str
    line: int
    ok: bool
    message: str
    cites: tuple[str, ...]

    @classmethod
    def of(cls, scenario: Scenario, message: str = "", line: int = 0) -> Result:
        """Return the result of a scenario, which failed if there is a message; `line`: where, else its own."""
        cites = tuple(f"{c.source}:{c.first}" + (f"-{c.last}" if c.last != c.first else "") for c in scenario.cites)
        return cls(scenario.name, scenario.span.path, line or scenario.span.line, not message, message, cites)

    def to_json(self) -> dict[str, Any]:
        """Return the result as a dictionary with the keys of `rulelang test --format json`."""
        return vars(self) | {"cites": list(self.cites)}


class _Failure(Exception):  # noqa: N818 - a signal, not an error
    """A step that can't be played or an expectation that does not hold; `line`: where the file says it."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.line = span.line


def run_scenarios(
    ruleset: Ruleset,
    backend: str = "auto",
    selected: Callable[[str], bool] | None = None,
    instead: Mapping[Path, str] | None = None,
) -> Iterator[Result]:
    """Run the scenarios of a ruleset and yield their results, in the order of their files.

    Args:
        backend: what runs the rules, with the same results. selected: which scenarios, by their names; None for all.
        instead: texts in place of those of files, by their real paths.

    A scenario that is written wrongly, or a file that can't be read, is a result that failed.
    """
    findings = Diagnostics()
    check_backend(backend)
    scenarios = scenarios_of(ruleset.written, findings, unsaved_scenarios(ruleset.written, instead or {}))
    suite = Suite(ruleset, [s for s in scenarios if selected is None or selected(s.name)], backend)
    yield from _unreadable(findings)
    for code in suite.codes:
        yield result_of(suite, code)


def position_after(ruleset: Ruleset, scenario: Scenario, steps: int) -> State:
    """Return the position after the first steps of a scenario, with the chance drawn that comes next.

    Raises:
        RulesetError: the scenario doesn't fit the ruleset. UsageError: a step can't be played.
    """
    suite = Suite(ruleset, [replace(scenario, when=scenario.when[:steps], then=())], "interpreter")
    (code,) = suite.codes
    if code.diagnostics.has_errors:
        raise RulesetError(code.diagnostics)
    run = _Run(suite, code)
    try:
        run.check()
    except _Failure as failure:
        raise UsageError(str(failure)) from None
    return run.state


def _unreadable(findings: Diagnostics) -> Iterator[Result]:
    """Yield a failed result for each scenario, or file, that has errors of syntax."""
    faulty: dict[tuple[str, str, int], list[Diagnostic]] = {}
    for finding in findings:
        if finding.severity == "error":
            span = finding.span
            name, line = scenario_at(span) or (PurePath(span.path).name, span.line)
            faulty.setdefault((name, span.path, line), []).append(finding)
    for (name, path, line), errors in faulty.items():
        yield Result(name, path, line, False, "\n".join(map(_told, errors)), ())


def _told(finding: Diagnostic) -> str:
    """Return a finding in words, with its hint."""
    return f"{finding}\n  hint: {finding.hint}" if finding.hint else str(finding)


def result_of(suite: Suite, code: ScenarioCode) -> Result:
    """Run one scenario of a suite and return its result; errors become the result's message."""
    scenario = code.scenario
    message, line = "", scenario.span.line
    if code.diagnostics.has_errors:
        message = "\n".join(map(_told, code.diagnostics))
    else:
        game: _Run | None = None
        try:
            game = _Run(suite, code)
            game.check()
        except _Failure as failure:
            message = str(failure)
            if scenario.case:  # a case is told at its row; where the expectation stands is beside it
                message = f"line {failure.line}: {message}" if failure.line != line else message
            else:
                line = failure.line
        except (RuleError, UsageError) as error:
            message = str(error)
            if isinstance(error, RuleError) and len(suite.codes) > 1 and suite.has_file(error.span.path):
                alone = suite.alone(scenario)  # the text at fault is compiled once, where it stands first
                return result_of(alone, alone.codes[0])
        if message and game is not None:
            message += game.notes()
    return Result.of(scenario, message, line)


class _Run(Situation):
    """One scenario.

    Attributes:
        before: where `when` left off, with the chance that follows still to come.
    """

    before: State

    def __init__(self, suite: Suite, code: ScenarioCode) -> None:
        super().__init__(suite, code)
        self.rng = seeded(self.scenario.seed)
        self.drawn: list[str] = []
        self.skipped: list[MovePattern] = []

    @cached_property
    def state(self) -> State:
        """The game's state, which the steps of `when` advance."""
        try:
            return State(self.suite.ruleset, self.executor, self.start(self.executor, True))
        except GivenError as error:
            raise _Failure(str(error), error.span) from None

    # ---- when

    def check(self) -> None:
        """Play the steps of `when`, then check each expectation of `then`."""
        for step in self.scenario.when:
            self.play_step(step)
        self.before = self.state.clone()
        self.draw_until("")
        for expected in self.scenario.then:
            self.check_expectation(expected)

    def draw_until(self, pattern: str) -> bool:
        """Draw at chance nodes until there is a decision, or an outcome that matches `pattern`; apply a matching
        outcome.

        Returns whether an outcome matched. Draws use the scenario's generator and are noted in `drawn`.
        """
        state = self.state
        while state.is_chance_node():
            outcomes = state.chance_outcomes()
            position = _first(pattern, [action.id for action, _ in outcomes])
            if position is None:
                total = lcm(*(probability.denominator for _, probability in outcomes))
                index, self.rng = weighted(self.rng, [int(probability * total) for _, probability in outcomes])
                self.drawn.append(outcomes[index][0].id)
            else:
                index = position
            state.apply(outcomes[index][0])
            if position is not None:
                return True
        return False

    def play_step(self, step: MovePattern) -> None:
        """Play one step of `when`: a choice, or a chance outcome. A `maybe` step that is not offered is skipped.

        Raises _Failure if the step cannot be played.
        """
        seat, pattern, span = step.seat, step.pattern, step.span
        if self.draw_until("" if step.sort == "choice" else pattern):
            return
        state = self.state
        if step.maybe and _first(pattern, self.offered()) is None and self.noted(seat, pattern) is None:
            self.skipped.append(step)
            return
        if step.sort == "chance":
            waits = "the game is over" if state.is_terminal() else f"{_seats(state.current_players())} is asked first"
            raise _Failure(f"`{pattern}` does not come up: {waits}", span)
        if state.is_terminal():
            raise _Failure(f"`{pattern}` can't be chosen: the game is over", span)
        if seat is not None and seat not in state.current_players():
            raise _Failure(f"seat {seat} is not asked, but {_seats(state.current_players())}", span)
        actions = state.legal_actions(seat)
        index = _first(pattern, [action.id for action in actions])
        action = actions[index] if index is not None else self.noted(seat, pattern)
        if action is None:
            raise _Failure(f"`{pattern}` is not offered: {_listed([action.id for action in actions])}", span)
        state.apply(action)

    def noted(self, seat: int | None, notation: str) -> Action | None:
        """Return the action that a notation means, of a seat (None: the lowest that is asked); None for none."""
        decision = self.state.decision(seat)
        return decision.meant(notation) if decision is not None else None

    def notes(self) -> str:
        """Return extra lines for a failure message: `maybe` steps that were skipped, and chance that `when` does not
        name."""
        parts = [f"`{step.pattern}` (line {step.span.line}) was not offered, and took nothing" for step in self.skipped]
        if self.drawn:
            many = f"the last {SHOWN} of {len(self.drawn)} " if len(self.drawn) > SHOWN else ""
            drawn = ", ".join(f"`{id_}`" for id_ in self.drawn[-SHOWN:])
            parts.append(f"chance that `when` does not name: {many}{drawn}")
        return "".join(f"\n{part}" for part in parts)

    def offered(self) -> list[str]:
        """Return the ids of the legal actions of all pending seats."""
        state = self.state
        return [action.id for seat in state.current_players() for action in state.legal_actions(seat)]

    # ---- then

    def check_expectation(self, expected: Expectation) -> None:
        """Check one expectation of `then`.

        Raises:
            _Failure: it does not hold.
        """
        if expected.kind == "condition":
            if not self.holds(self.state, expected):
                raise _Failure(f"this does not hold: {_text_of(expected)}", expected.span)
        elif expected.kind == "ends":
            self.check_ends(expected)
        else:
            message = self.mismatch(expected)
            if message:
                raise _Failure(message, expected.span)
            if expected.missing:
                self.check_reason(str(expected.value), expected.missing, expected.span)
            for line in expected.lines:
                self.check_score_line(line)

    def holds(self, position: State, expected: Expectation) -> bool:
        """Evaluate a condition in a state; unknown pieces are determinized first if the condition reads their zone."""
        assert isinstance(expected.value, Text)
        procedure, state = self.number(self.code.conditions[expected.value]), position._state
        program = state.layout.program
        unknown = {number for number, zone in enumerate(state.z) if any(piece < 0 for piece in zone)}
        zones = {f"zone:{program.zones[state.layout.inst_zone[place]].name}" for place in unknown}
        unsure = zones.intersection(program.procedures[procedure].effects.reads)
        return bool(self.executor.interpreter.evaluate(with_all_known(state) if unsure else state, procedure))

    def mismatch(self, expected: Expectation) -> str:
        """Return the message for an expectation that is not met; empty if it is."""
        state, value = self.state, expected.value
        match expected.kind:
            case "offered" | "refused":
                offered = self.offered()
                is_offered = _first(str(value), offered) is not None
                if not offered and expected.kind == "refused":
                    return f"`{value}` is not refused: nobody is asked"
                if is_offered != (expected.kind == "offered"):
                    return f"`{value}` {'is offered' if is_offered else 'is not offered'}: {_listed(offered)}"
            case "options":
                return _options_mismatch(expected, self.offered())
            case "asked":
                asked = state.current_players()
                if asked != sorted(cast("tuple[int, ...]", value)):
                    return f"asked is {_seats(asked)}, not {_seats(cast('tuple[int, ...]', value))}"
            case "event" if not any(fnmatchcase(event_line(event), str(value)) for event in state.events()):
                return f"no event matches `{value}`"
            case "over" if state.is_terminal() != value:
                return f"the game is {'over' if state.is_terminal() else 'not over'}"
            case "ended" if state.is_ended_by_rule() != value:
                return "no rule has ended the game" if value else "a rule has ended the game"
            case "scores" | "winners" | "ranks":
                result, expected_result = _result(state, expected)
                if result != expected_result:
                    return f"the {expected.kind} are {result}, not {expected_result}"
        return ""

    def check_ends(self, expected: Expectation) -> None:
        """Check an `ends` expectation against all terminal states reachable by choices and chance."""
        unmatched = set(range(len(expected.ends)))
        for end in _reachable_ends(self.before, expected.span):
            matching = {
                number
                for number, parts in enumerate(expected.ends)
                if all(self.holds(end, part) if part.kind == "condition" else _is_result(end, part) for part in parts)
            }
            if not matching:
                got = f"winners {end.winners()}, scores {end.scores()}, ranks {end.ranks()}"
                raise _Failure(f"an end is possible that is not listed: {got}", expected.span)
            unmatched -= matching
        if unmatched:
            parts = expected.ends[min(unmatched)]
            expectations = ", ".join(
                _text_of(part)
                if part.kind == "condition"
                else f"{part.kind} {list(cast('tuple[int, ...]', part.value))}"
                for part in parts
            )
            raise _Failure(f"no end is possible with {expectations}", parts[0].span)

    def check_reason(self, pattern: str, reason: str, span: Span) -> None:
        """Check that a refused action matching `pattern` gives a reason, in English, matching the pattern `reason`."""
        said = [
            str(refusal["missing"])
            for seat in self.state.current_players()
            for refusal in self.state.refusals(seat)
            if fnmatchcase(refusal.get("id") or refusal["item"], pattern)
        ]
        if not any(fnmatchcase(text, reason) for text in said):
            reasons = f"refused because of: {'; '.join(said)}" if said else "nobody could try it"
            raise _Failure(f"`{pattern}` is not refused because of `{reason}`: {reasons}", span)

    def check_score_line(self, line: SheetLine) -> None:
        """Check one line of the score sheets against the expected values."""
        state = self.state
        sheets = [state.score_sheet(party) for party in range(len(state.parties))]
        known = sheets[: len(line.values)] if len(line.values) == state.players else sheets
        got = [sum(row.value for row in sheet.lines if row.name == line.name) for sheet in known]
        if got != list(line.values):
            raise _Failure(f"the scores of `{line.name}` are {got}, not {list(line.values)}", line.span)


def _is_result(state: State, expected: Expectation) -> bool:
    """Return whether the scores, winners or ranks of a state are as expected."""
    result, expected_result = _result(state, expected)
    return result == expected_result


def _result(state: State, expected: Expectation) -> tuple[list[int], list[int]]:
    """Return the actual and the expected scores, winners or ranks.

    Automata are left out where values for seats alone are expected.
    """
    assert isinstance(expected.value, tuple)
    expected_result = list(expected.value)
    if expected.kind == "winners":
        return state.winners(), sorted(expected_result)
    result = state.scores() if expected.kind == "scores" else state.ranks()
    return (result[: len(expected_result)] if len(expected_result) == state.players else result), expected_result


def _reachable_ends(state: State, span: Span) -> Iterator[State]:
    """Yield all terminal states reachable by choices and chance, by depth-first search.

    Raises:
        _Failure: more positions than `POSITIONS` lie before them.
    """
    pending, visited = [state], {state.search_key()}
    while pending:
        position = pending.pop()
        if position.is_terminal():
            yield position
        for action in position.legal_actions():  # of seats that are asked together each is asked in its turn
            after = position.clone()
            after.apply(action)
            if after.search_key() not in visited:
                visited.add(after.search_key())
                pending.append(after)
        if len(visited) > POSITIONS:
            raise _Failure(f"more than {POSITIONS} positions lie before the ends: begin nearer to them", span)


def _options_mismatch(expected: Expectation, offered: Sequence[str]) -> str:
    """Return the message for an `options` expectation that the ids of the offered options do not meet; empty if they
    do."""
    if expected.patterns is None:
        options = counted(expected.value, "option")
        return "" if len(offered) == expected.value else f"{options} expected: {_listed(offered)}"
    names = [pattern for pattern, _ in expected.patterns]
    for name in names:
        if _first(name, offered) is None:
            return f"`{name}` is not offered: {_listed(offered)}"
    more = [id_ for id_ in offered if not any(_first(name, [id_]) is not None for name in names)]
    return f"more is offered than is listed: {_listed(more)}" if more else ""


def _first(pattern: str, ids: Sequence[str]) -> int | None:
    """Return the index of the first id that equals the pattern, or else that matches it; None if none does."""
    if pattern in ids:
        return ids.index(pattern)
    return next((index for index, id_ in enumerate(ids) if fnmatchcase(id_, pattern)), None)


def event_line(event: dict[str, Any]) -> str:
    """Format an event as `type:key=value,…`, the text that event patterns match."""
    places = ("index", "type", "rule", "file", "line", "cites", "card", "text")
    parts = []
    for key, value in event.items():
        if key not in places:
            text = "+".join(map(str, value)) if isinstance(value, list) else str(value)
            parts.append(f"{key}={text}")
    return f"{event['type']}:{','.join(parts)}"


def _seats(seats: Sequence[int]) -> str:
    return f"seat {', '.join(map(str, seats))}" if seats else "nobody"


def _listed(ids: Sequence[str]) -> str:
    """Return the part of a message that lists the offered ids, at most `SHOWN` of them."""
    return offered_ids(ids, len(ids)) if ids else "there is no decision"


def _text_of(expected: Expectation) -> str:
    """Return the source text of an expected condition in backticks; empty for other expectations."""
    return f"`{expected.value.text.strip()}`" if isinstance(expected.value, Text) else ""
