"""The course of a recorded game: played again once, step by step, and kept for whoever asks again.

Enters: a machine and a state with its whole log. Leaves: a `Course`: every step with the state before it and the places
that it touched. A later state of the same game only adds steps to it, one of another branch shares what lies before.

A place that a step does not touch is neither read nor written by it, so where two states differ in such places only,
the step leads from both to states that differ in just these places. That is what lets `rulelang.runtime.resample`
leave out most of a game.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from rulelang.diagnostics import RuleError
from rulelang.ir.types import PIECE, Type
from rulelang.runtime.canonical import canonical_form
from rulelang.runtime.history import Player, RecordError, Step, recorded_steps
from rulelang.runtime.layout import ITEM_MASK, REACTION_MASK, Layout, members
from rulelang.runtime.log import EMPTY, Entry, Log
from rulelang.runtime.state import State
from rulelang.runtime.watched import Places, Watched

KEPT = 3
"""So many courses are kept for a machine."""

Node = tuple[str, tuple[int, ...], int, int] | None
"""What a state waits for: kind, seats, decision, site."""


class ResampleError(RuleError):
    """Not even the recorded game can be played again: the log is not whole, or the state was changed by other means."""


class Course:
    """A game from its first node on.

    Attributes:
        steps: all steps. states: before each step, and after the last. nodes: what each of these states waits for.
        touched: by step, the places that it touches: in what it waits for, in whether it is possible, in what it does.
        owed: by state, how many secret choices are made that the log does not tell yet.
        numbers: id of a log -> the number of the state that has it; `logs` keeps logs that others have made.
        witnesses: seat -> what it saw (see `rulelang.runtime.witness`).
    """

    def __init__(self, machine: Player, opening: State | None = None) -> None:
        """Args:
        opening: what the game began from, if not at its own beginning.
        """
        self.machine = machine
        self.layout = machine.layout
        state = machine.new_state(0, True) if opening is None else opening.clone()
        state.explicit = True
        machine.advance(state)
        self.steps: list[Step] = []
        self.states = [state]
        self.nodes = [node_of(machine, state)]
        self.touched: list[frozenset[int]] = []
        self.owed = [0]
        self.numbers = {id(state.log): 0}
        self.logs: list[Log] = []
        self.witnesses: dict[int, Any] = {}

    def begun(self, length: int) -> Course:
        """The course of the same game up to a state."""
        new = Course.__new__(Course)
        new.machine, new.layout = self.machine, self.layout
        new.steps, new.states, new.nodes = self.steps[:length], self.states[: length + 1], self.nodes[: length + 1]
        new.touched, new.owed = self.touched[:length], self.owed[: length + 1]
        new.numbers = {log: number for log, number in self.numbers.items() if number <= length}
        new.logs = self.logs[:]
        new.witnesses = {}
        return new

    def entries(self, step: int) -> list[Entry]:
        """Return the log entries of a step; of -1 those before the first."""
        return self.states[step + 1].log.since(len(self.states[step].log) if step >= 0 else 0)

    def follow(self, truth: State) -> None:
        """Goes on to a state of the same game.

        Raises:
            ResampleError: the log does not lead to it.
        """
        try:
            steps = recorded_steps(truth, len(self.states[-1].log))
            live = Watched.of(self.states[-1])
            for step in steps:
                self._take(live, step)
        except (RecordError, RuleError):
            raise ResampleError(_NOT_LED) from None
        if not _same(self.states[-1], truth):
            raise ResampleError(_NOT_LED)
        self._know(truth.log)

    def _know(self, log: Log) -> None:
        """Remembers by which logs the states are known outside; one that tells the same in other words is not known."""
        if len(log) != len(self.states[-1].log):
            return
        self.logs.append(log)
        number, node = len(self.steps), log
        while number >= 0 and id(node) not in self.numbers:
            own = self.states[number].log
            while len(node) > len(own) and node.previous is not None:
                node = node.previous
            if node.entry == own.entry:
                self.numbers[id(node)] = number
            number -= 1

    def _take(self, live: Watched, step: Step) -> None:
        machine = self.machine
        live.touched.clear()
        before = self.states[-1]
        node = node_of(machine, live)
        if node is None or (node[0] == "chance") != (step.decision < 0):
            raise RecordError
        if step.decision < 0:
            if all(value != step.value for value, _ in machine.outcomes(live)):
                raise RecordError
            machine.take_outcome(live, step.value)
        else:
            asked = node[2] == step.decision and step.seat in node[1]
            if not asked or not machine.has_option(live, step.seat, step.choice):
                raise RecordError
            machine.choose(live, step.seat, step.choice)
        entries = live.log.since(len(before.log))
        if step.decision < 0:
            step.pool = pool_of(before, step, entries[0])
        for entry in entries:
            _mention(before, entry, live.touched)
        after = live.snapshot(before)
        self.steps.append(step)
        self.states.append(after)
        self.nodes.append(node_of(machine, after))
        self.touched.append(frozenset(live.touched))
        self.owed.append(self.owed[-1] + self._owed(entries))
        self.numbers[id(after.log)] = len(self.steps)

    def _owed(self, entries: list[Entry]) -> int:
        """Return by how many the secret choices that are not told yet grow with these entries."""
        decisions = self.layout.program.decisions
        commits = len([entry for entry in entries if entry[0] == "commit"])
        choices = len([entry for entry in entries if entry[0] == "choice" and decisions[entry[3]].together])
        return commits - min(choices, self.owed[-1] + commits)


_NOT_LED = "the log of this state does not lead to it"


def node_of(machine: Player, state: State) -> Node:
    """What a state waits for; None when the game is over."""
    waiting = machine.waiting(state)
    return None if waiting is None else (waiting.kind, waiting.seats, waiting.decision, waiting.site)


def pool_of(before: State, step: Step, entry: Entry) -> tuple[int, ...]:
    """The items that a step took one of, if it made a piece known; `entry` is what the log tells of it.

    Raises:
        RecordError: the piece is another, or was known.
    """
    if len(entry) <= 4:
        return ()
    _, _, _, item, zone, index = entry
    member = before.z[zone][index]
    if item != step.value or member >= 0:
        raise RecordError
    return tuple(before.pools[-member - 1])


def course_of(machine: Player, truth: State) -> tuple[Course, int]:
    """The course that leads to a state, and the number of the state in it.

    Raises:
        ResampleError: the log does not lead to it.
    """
    courses = machine.courses
    course, number = _known(courses, truth.log)
    if course is not None and course.numbers.get(id(truth.log)) == number and _same(course.states[number], truth):
        courses.remove(course)
        courses.append(course)
        return course, number
    while course is not None and course.owed[number]:
        number -= 1
    if course is None:
        course = Course(machine, truth.log.first().opening)
    elif number < len(course.steps):
        course = course.begun(number)
    else:
        courses.remove(course)
    course.follow(truth)
    courses.append(course)
    del courses[:-KEPT]
    return course, len(course.steps)


def _known(courses: list[Course], log: Log) -> tuple[Course | None, int]:
    """The course that has most of a log, and how many of its steps."""
    node: Log | None = log
    while node is not None and node is not EMPTY:
        for course in reversed(courses):
            number = course.numbers.get(id(node))
            if number is not None:
                return course, number
        node = node.previous
    return None, 0


def _same(a: State, b: State) -> bool:
    """Whether two states are equal; most often they are to the letter."""
    if len(a.log) == len(b.log) and all(
        getattr(a, part) == getattr(b, part)
        for part in ("v", "z", "where", "pools", "frames", "over", "winners", "out", "deferred", "turns", "decisions")
    ):
        return True
    return canonical_form(a) == canonical_form(b)


def _mention(state: State, entry: Entry, touched: set[int]) -> None:
    """Adds the places of the individuals that an entry speaks of: what seats see of it may hang on them."""
    layout = state.layout
    mentioned: list[tuple[Type, Any]] = []
    match entry[0]:
        case "choice":
            _, _, _, number, item, values, *about = entry
            bound = layout.program.decisions[number].bound(item, values)
            mentioned = [(binder.type.core, value) for binder, value in bound]
            mentioned += [(PIECE, pieces) for pieces in about]
        case "move":
            mentioned = [(PIECE, entry[4])]
        case "chance" if entry[2] != "number" and isinstance(entry[3], int) and entry[3] & ITEM_MASK < layout.items:
            mentioned = [(PIECE, entry[3])]
        case "pset":
            mentioned = [(PIECE, layout.cell_place[entry[3]][2])]
        case "reveal":
            mentioned = [(entry[2].core, entry[3])]
    for type_, value in mentioned:
        for piece in members(value) if type_ == "reaction" or type_.kind == "piece" else ():
            if not isinstance(piece, int) or piece < 0:
                continue
            item = (piece & REACTION_MASK) - 1 if type_ == "reaction" else piece
            if item >= 0:
                touched.update(places_of_item(layout, state, item & ITEM_MASK))


def places_of_item(layout: Layout, state: State, item: int) -> chain[int] | tuple[int, ...]:
    """The places of an individual: where it is, the zone there, and its variables; of other pieces none."""
    kind = layout.program.kinds[layout.item_kind[item]]
    if not kind.identity:
        return ()
    places = Places(layout)
    zone = state.where[item]
    cells = chain.from_iterable(
        range(layout.pvar_cell(number, item), layout.pvar_cell(number, item) + layout.pvar_width[number])
        for number in kind.variables
    )
    return chain((places.where + item,), (zone,) if zone >= 0 else (), (places.cells + cell for cell in cells))
