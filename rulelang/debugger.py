"""A game that can be stopped before any statement, stepped through, and gone back in.

Enters: a ruleset, who chooses what. Leaves: where the game stands, what names are worth there, what is offered and what
not, and why.

A choice is carried out to the next node at once, and its moments are noted (`interpreter.watched`); stepping moves
among them. Of earlier choices the state before is kept, and they are carried out again when one goes back: the same
state and the same choice come to the same moments. So nothing waits within a rule, and values can't be changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

from rulelang.compiler import compile_ruleset
from rulelang.diagnostics import Diagnostics, RuleError, RulesetError, Source, Span, UsageError
from rulelang.game.ruleset import Ruleset
from rulelang.game.situations import scenario_text
from rulelang.game.state import State
from rulelang.interpreter import Machine
from rulelang.interpreter.watched import Moment, RunningProcedure, Watched, sites_of
from rulelang.ir.program import Program, Site
from rulelang.runtime.names import item_text, value_text, zone_text
from rulelang.runtime.state import State as RuntimeState
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.combination.dispatch import build_standings
from rulelang.semantics.tree.core import CChoose, CReturn, Local
from rulelang.semantics.tree.symbols import ProcedureSym
from rulelang.semantics.tree.types import PLAYER, VOID, BoolT
from rulelang.semantics.typing.context import Context
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_expression
from rulelang.syntax.scan import Place

ASKED, ENDED, STOPPED, PAUSED = "asked", "ended", "stopped", "paused"
"""Why a game does not go on: somebody is to choose, it is over, it was stopped at a statement, it was interrupted."""
MOST_RUNS = 100_000
"""So many choices are made in one go at most."""


@dataclass
class Run:
    """What happens from one node to the next: the state before, what is done, in words, where procedures that wait
    stand, the seat that chooses and the id."""

    before: RuntimeState
    act: Callable[[RuntimeState], None]
    what: str
    sites: tuple[int, ...] = ()
    choice: tuple[int, str] | None = None


@dataclass(frozen=True)
class Breakpoint:
    """A line to stop at; `condition` is an expression of the language, or empty."""

    path: str
    line: int
    condition: str = ""


@dataclass(frozen=True)
class Frame:
    """A procedure at a moment, innermost first: its name, the place of its statement, its number among the frames."""

    name: str
    site: Site | None
    number: int


class Debugger:
    """A game under a debugger.

    Args:
        players, seed, options: as for `Ruleset.new_game`.
        script: patterns of ids that are chosen first, in order. random: whether choices are random after that (with the
            seed); else somebody is asked.

    Attributes:
        breakpoints: lines to stop at. runs: from node to node, the set-up first. error: why the game can't go on, or
            empty. complaint: why the condition of the breakpoint that was reached can't be worked out, or empty.
        interrupted: whether a game that runs is to stop; asked between choices.
    """

    def __init__(
        self,
        ruleset: Ruleset,
        players: int | None = None,
        seed: int = 0,
        options: Mapping[str, int | bool | str] | None = None,
        script: Sequence[str] = (),
        random: bool = False,
    ) -> None:
        self.ruleset = ruleset
        executor = ruleset.executor(players, options, "interpreter")
        self._executor = executor
        self.machine = Machine(ruleset.program, executor.layout.players, executor.layout.options)
        self.program: Program = self.machine.program
        self._watched = Watched(self.machine)
        self._script, self._random, self._seed = list(script), random, seed
        self.breakpoints: list[Breakpoint] = []
        self._expressions: dict[tuple[Any, ...], tuple[Machine, int, ProcedureSym] | str] = {}
        state = self.machine.new_state(seed)
        self.runs = [Run(state, self.machine.advance, "set-up")]
        self.run_number = self.moment_number = 0
        self.error = self.complaint = ""
        self.interrupted: Callable[[], bool] = lambda: False
        self._noted = -1
        self._after: RuntimeState = state
        self._note(0)

    # ---- where it stands

    def _note(self, number: int) -> None:
        """Note the moments of a run."""
        if self._noted == number:
            return
        run = self.runs[number]
        state = run.before.clone()
        self.error = ""
        try:
            self._watched.run(state, run.act, run.sites)
        except RuleError as error:
            self.error = str(error)
        self._noted, self._after = number, state

    @property
    def moments(self) -> list[Moment]:
        """The moments of the present run."""
        self._note(self.run_number)
        return self._watched.moments

    @property
    def moment(self) -> Moment | None:
        """The present moment; None behind the last one of a run: at a node, or at the end."""
        moments = self.moments
        return moments[self.moment_number] if self.moment_number < len(moments) else None

    @property
    def is_cut(self) -> bool:
        """Whether the present run has more moments than are kept."""
        self._note(self.run_number)
        return self._watched.cut

    @property
    def state(self) -> RuntimeState:
        """The state at the present moment."""
        moment = self.moment
        return moment.state if moment is not None else self._after

    def frames(self) -> list[Frame]:
        """Return the procedures at the present moment, innermost first."""
        found = [
            Frame(self.program.procedures[where.procedure].name, self.site(where), number)
            for number, where in enumerate(self._stack())
        ]
        return found[::-1]

    def _stack(self) -> Sequence[RunningProcedure]:
        moment = self.moment
        if moment is not None:
            return moment.stack
        run = self.runs[self.run_number]
        waited = [
            RunningProcedure(frame[0], site, ()) for frame, site in zip(run.before.frames, run.sites, strict=False)
        ]
        last = self.moments[-1].stack if self.moments else waited
        frames: list[RunningProcedure] = []
        for number, (procedure, block, values, _) in enumerate(self._after.frames):
            same = number < len(last) and last[number].procedure == procedure
            frames.append(RunningProcedure(procedure, last[number].site if same else 0, tuple(values), block))
        decision = self.machine.pending_decision(self._after)
        if frames and decision is not None:
            frames[-1] = frames[-1]._replace(site=decision.node.site)
        return frames

    def site(self, where: RunningProcedure) -> Site | None:
        """Return the place of a procedure's statement; that of the procedure where nobody wrote the statement."""
        number = where.site or self.program.procedures[where.procedure].site
        return self.program.sites[number] if number else None

    def locals(self, number: int) -> dict[str, str]:
        """Return the names of a frame that have a value at its statement, with the values as ids have them."""
        stack = self._stack()
        if number >= len(stack):
            return {}
        where = stack[number]
        types = self.program.procedures[where.procedure].locals
        return {name: self._text(types[slot], where.locals[slot]) for name, (slot, _) in self._named(where).items()}

    def _named(self, where: RunningProcedure) -> dict[str, tuple[int, Local]]:
        """Return the slots of a procedure's names that an author gave before its present statement."""
        checked, bodies = self.ruleset.analysed.checked, self.ruleset.analysed.bodies
        if where.procedure >= len(checked.procedures):
            return {}
        body, site = bodies[checked.procedures[where.procedure]], self.program.sites[where.site]
        asked = {
            binder.local
            for s in walk(body.statements)
            if isinstance(s, CChoose)
            for i in s.items
            for binder in i.binders
        }
        blocks = self.program.procedures[where.procedure].blocks
        live = blocks[where.block].live if where.block >= 0 else range(len(where.locals))
        found: dict[str, tuple[int, Local]] = {}
        for slot, local in enumerate(dict.fromkeys((*body.parameters, *body.locals))):
            parameter = slot < len(body.parameters)
            span = local.span
            before = span.path != site.path or (span.line, span.column) < (site.line, site.column) or not where.site
            if (
                (parameter or ((local.named or local in asked) and before))
                and local.name.isidentifier()
                and slot in live
            ):
                if local.name != "you" or where.locals[slot] >= 0:
                    found[local.name] = slot, local
        return found

    def _text(self, type_: Any, value: Any) -> str:
        """Return a value as ids have it."""
        try:
            return value_text(self.machine.layout, type_, value, self.state)
        except (IndexError, TypeError, ValueError, KeyError):  # a local that has no value yet
            return str(value)

    def public(self, state: RuntimeState | None = None) -> State:
        """Return the public state of a runtime state, the present one if it is not given."""
        return State(self.ruleset, self._executor, (state or self.state).clone())

    def seen(self, seat: int) -> dict[str, Any]:
        """Return zones and variables as a seat sees them at the present moment."""
        view = self.public().observation(seat)
        return {part: view[part] for part in ("zones", "variables", "sizes", "pieces") if part in view}

    def whole(self) -> dict[str, list[str]]:
        """Return what lies in each zone, whoever sees it: the top of a pile first; `?` for what is not known yet."""
        layout = self.machine.layout
        return {
            zone_text(layout, zone): [item_text(layout, item) if item >= 0 else "?" for item in reversed(contents)]
            for zone, contents in enumerate(self.state.z)
        }

    def lines_of(self, path: str) -> set[int]:
        """Return the lines of a file at which statements stand."""
        sites = (self.program.sites[number] for number in sites_of(self.program))
        return {site.line for site in sites if _same_file(path, site.path)}

    # ---- moving

    def step(self, most: int | None = None) -> str:
        """Go to the next statement; `most`: to one that is in at most so many procedures. Return why it stops."""
        moments, here = self.moments, self.moment
        while self.moment_number < len(moments):
            self.moment_number += 1
            there = self.moment
            if there is None:
                break
            if (most is None or len(there.stack) <= most) and not self._same_line(here, there):
                return STOPPED
        return self._at_node() if not self._goes_on() else STOPPED

    def step_over(self) -> str:
        """Go to the next statement of this procedure or of one that called it."""
        return self.step(max(len(self._stack()), 1))

    def step_out(self) -> str:
        """Go to the next statement of a procedure that called this one."""
        return self.step(max(len(self._stack()) - 1, 1))

    def step_back(self) -> bool:
        """Go to the statement before; return whether there is one."""
        here = self.moment
        while self.moment_number or self.run_number:
            self._one_back()
            if self.moment is not None and not self._same_line(self.moment, here):
                return True
        return False

    def go_on(self) -> str:
        """Go on to a breakpoint, a choice that nobody makes, or the end."""
        here, self.complaint = self.moment, ""
        for _ in range(MOST_RUNS):
            moments = self.moments
            while self.moment_number < len(moments):
                self.moment_number += 1
                there = self.moment
                if there is not None and not self._same_line(here, there) and self._stops(there):
                    return STOPPED
                here = None if there is None or not self._same_line(here, there) else here
            if self.interrupted():
                return PAUSED
            if not self._goes_on():
                return self._at_node()
            if self.moment is not None and self._stops(self.moment):
                return STOPPED
        return STOPPED

    def to_decision(self) -> str:
        """Go on to a breakpoint or the next choice, whoever makes it."""
        here, self.complaint = self.moment, ""
        if here is None and not self._goes_on():
            return self._at_node()
        while self.moment is not None:
            if not self._same_line(here, self.moment) and self._stops(self.moment):
                return STOPPED
            self.moment_number += 1
        return self._at_node()

    def go_back(self) -> bool:
        """Go back to a breakpoint, or to the beginning; return whether there was a breakpoint."""
        here, self.complaint = self.moment, ""
        while self.moment_number or self.run_number:
            self._one_back()
            if self.moment is not None and not self._same_line(self.moment, here) and self._stops(self.moment):
                return True
            here = here if self.moment is not None and self._same_line(self.moment, here) else None
        return False

    def go_to(self, number: int) -> None:
        """Go to the node at the end of a run, where the next choice is made; 0 is that of the set-up."""
        self.run_number = min(max(number, 0), len(self.runs) - 1)
        self.moment_number = len(self.moments)

    def _one_back(self) -> None:
        if self.moment_number:
            self.moment_number -= 1
        else:
            self.run_number -= 1
            self.moment_number = len(self.moments)

    def _same_line(self, one: Moment | None, other: Moment | None) -> bool:
        """Return whether two moments are at one line of the same procedures."""
        if one is None or other is None or len(one.stack) != len(other.stack):
            return False
        places = [(self.site(moment.stack[-1]), [where.procedure for where in moment.stack]) for moment in (one, other)]
        (first, of_first), (second, of_second) = places
        same = first is not None and second is not None and (first.path, first.line) == (second.path, second.line)
        return same and of_first == of_second and one.stack[-1].site <= other.stack[-1].site

    def _stops(self, moment: Moment) -> bool:
        """Return whether a breakpoint stops at a moment; one whose condition can't be worked out does, with the
        complaint."""
        site = self.site(moment.stack[-1])
        if site is None:
            return False
        for point in self.breakpoints:
            if point.line == site.line and _same_file(point.path, site.path):
                try:
                    if not point.condition or self.evaluate(point.condition) == "true":
                        return True
                except UsageError as error:
                    self.complaint = f"the condition of this breakpoint, `{point.condition}`: {error}"
                    return True
        return False

    def _goes_on(self) -> bool:
        """Begin the next run, if somebody chooses; return whether one did."""
        if self.run_number + 1 < len(self.runs):
            self.run_number, self.moment_number = self.run_number + 1, 0
            return True
        waiting = self.machine.waiting(self._after) if not self.error else None
        if waiting is None:
            return False
        seat = waiting.seats[0]
        ids = self.offered()
        if self._script:
            pattern = self._script[0]
            match = next((place for place, id_ in enumerate(ids) if fnmatchcase(id_, pattern)), None)
            if match is None:
                self.error = f"`{pattern}` is not offered; there is {', '.join(ids[:8])}"
                return False
            self._script.pop(0)
            self._choose(seat, match, ids[match])
            return True
        if self._random:
            place = Random(f"{self._seed} {len(self.runs)}").randrange(len(ids))
            self._choose(seat, place, ids[place])
            return True
        return False

    def _choose(self, seat: int, place: int, id_: str) -> None:
        before = self._after
        option = self.machine.options(before, seat)[place]
        sites = tuple(where.site for where in self._stack())
        act = partial(self.machine.choose, seat=seat, chosen=option)
        self.runs.append(Run(before, act, f"seat {seat}: {id_}", sites, (seat, id_)))
        self.run_number, self.moment_number = len(self.runs) - 1, 0

    def _at_node(self) -> str:
        return ASKED if not self.error and self.machine.waiting(self._after) is not None else ENDED

    def choose(self, id_: str) -> None:
        """Choose an option where somebody is asked; what was chosen there and later before is forgotten.

        Raises:
            UsageError: nobody is asked here, or it is not offered; the message says what is missing.
        """
        if self.moment is not None:
            raise UsageError("nobody is asked here: step to where somebody chooses")
        waiting = self.machine.waiting(self._after)
        if waiting is None:
            raise UsageError("the game is over")
        ids = self.offered()
        place = next((n for n, known in enumerate(ids) if fnmatchcase(known, id_)), None)
        if place is None:
            raise UsageError(self.why(id_))
        del self.runs[self.run_number + 1 :]
        self._choose(waiting.seats[0], place, ids[place])

    def offered(self) -> list[str]:
        """Return the ids of what the seat that is asked may choose."""
        state = self.public(self._after)
        return [action.id for action in state.legal_actions()] if not state.is_terminal() else []

    def why(self, id_: str) -> str:
        """Return why something is offered or not, in the rules' words."""
        if id_ in self.offered():
            return f"`{id_}` is offered"
        state = self.public(self._after)
        for refusal in state.refusals():
            if refusal.get("id") == id_ or refusal["item"] == id_.partition(":")[0]:
                return f"`{id_}` is refused: {refusal['missing']} ({refusal['file']}:{refusal['line']})"
        return f"`{id_}` is not offered; there is {', '.join(self.offered()[:8])}"

    def scenario(self, name: str) -> str:
        """Return the item of a scenario file that leads to the choice that comes next, as YAML."""
        chosen = [run.choice for run in self.runs[1 : self.run_number + 1] if run.choice is not None]
        return scenario_text(name, self.public(self._after), self._seed, chosen)

    # ---- expressions

    def evaluate(self, text: str, number: int | None = None) -> str:
        """Return the value of an expression of the language at the present moment, by the names of a frame (None: the
        innermost one).

        Raises:
            UsageError: it is no expression, or can't be worked out here.
        """
        stack = self._stack()
        number = len(stack) - 1 if number is None else number
        where = stack[number] if 0 <= number < len(stack) else None
        named = self._named(where) if where is not None else {}
        key = text, where.procedure if where is not None else -1, tuple(slot for slot, _ in named.values())
        if key not in self._expressions:
            self._expressions[key] = self._compiled(text, {name: local for name, (_, local) in named.items()})
        compiled = self._expressions[key]
        if isinstance(compiled, str):
            raise UsageError(compiled)
        machine, index, symbol = compiled
        known = {name: where.locals[slot] for name, (slot, _) in named.items()} if where is not None else {}
        arguments = [known.get("you", -1), *(known[name] for name, _ in symbol.params)]
        try:
            value = machine.evaluate(self.state.clone(), index, arguments)
        except RuleError as error:
            raise UsageError(str(error)) from None
        if isinstance(symbol.returns, BoolT):
            return "true" if value else "false"
        return self._text(machine.program.procedures[index].returns, value)

    def _compiled(self, text: str, names: Mapping[str, Local]) -> tuple[Machine, int, ProcedureSym] | str:
        """Return a machine of the program with the expression as a function of some names; else what is wrong with
        it."""
        own, findings = self.ruleset.analysed.copy(), Diagnostics()
        shared = replace(own.shared, diagnostics=findings)
        source = Source("expression", text)
        span = Span(source, 1, 1, 1, len(text) + 1)
        node = parse_expression(Place.of(span, 0), text, findings)
        if not isinstance(node, ast.Expr) or findings.has_errors:
            return "; ".join(finding.message for finding in findings) or "this is no expression"
        params = tuple((name, local.type) for name, local in names.items() if name != "you")
        symbol = ProcedureSym("expression", "function", params, VOID, span, sees_all=True)
        c = Context(shared, symbol)
        you = c.new_local("you", PLAYER, span)
        symbol.body.parameters.append(you)
        c.you = c.read(you)
        for name, type_ in params:
            local = c.new_local(name, type_, span)
            symbol.body.parameters.append(local)
            c.layers[-1][name] = local
            if name in ("this", "owner"):
                setattr(c, name, c.read(local))
        value = c.expr(node)
        if findings.has_errors:
            return "; ".join(f"{finding.message}" for finding in findings)
        symbol.returns = value.type
        symbol.body.statements = (CReturn(span, value),)
        build_standings(own.checked, own.bodies)
        procedures = [*own.checked.procedures, symbol]
        try:
            program = compile_ruleset(own, procedures, self.ruleset.program)
        except RulesetError as error:
            return str(error)
        layout = self.machine.layout
        return Machine(program, layout.players, layout.options), len(procedures) - 1, symbol


@lru_cache(maxsize=1 << 12)
def _same_file(one: str, other: str) -> bool:
    """Return whether a path of an editor and one of a site name the same file."""
    return Path(one).resolve() == Path(other).resolve()
