"""What a seat learnt of the course of a game, step by step.

Enters: a course, a seat, a number of steps. Leaves: a `Witness`: the stream of what the seat saw, its views, what it
knows of where things are before any step, and which steps it does not know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rulelang.runtime.course import Course
from rulelang.runtime.history import Chosen, Step, Trace
from rulelang.runtime.log import Entry
from rulelang.runtime.sight import Redactor, sight_of, view_key, zone_key
from rulelang.runtime.state import State
from rulelang.runtime.variation import Difference
from rulelang.runtime.views import observation, plain_event

EVERY = 8
"""What the seat knows of where things are is kept for each so many steps."""


class Witness:
    """What a seat saw of the first `length` steps of a course.

    Attributes:
        steps: as the course has them, with what the seat knows of them. stream: the entries that it saw.
        seen: by state, how many of these came before it.
    """

    def __init__(self, course: Course, seat: int) -> None:
        self.course = course
        self.seat = seat
        self.layout = course.layout
        self.sight = sight_of(course.layout, seat)
        # Individuals that differ by number alone are told apart by nothing that a seat sees: then views are compared.
        self.alike = any(course.layout.alike)
        program = course.layout.program
        tables = (*program.variables, *program.piece_variables)
        self.refers = any(course.layout.refers(table.type) for table in tables)
        self.steps: list[Step] = []
        self.stream: list[Entry] = []
        self.seen: list[int] = []
        self._redactor = Redactor(self.sight)
        self._redactors: list[Redactor] = []
        self._trace = Trace(self.sight)
        self._watch(-1, None)

    def follow(self, length: int) -> None:
        """Goes on to so many steps."""
        for number in range(len(self.steps), length):
            step = replace(self.course.steps[number])
            self.steps.append(step)
            if step.decision >= 0:
                step.target = self._redactor.see(choice_entry(step, step.choice))
            self._trace.begin(step)
            self._watch(number, step)

    def _watch(self, number: int, step: Step | None) -> None:
        redactor = self._redactor
        for entry in self.course.entries(number):
            shown = redactor.see(entry)
            if shown is not None:
                self.stream.append(shown)
            self._trace.add(entry, shown, step, redactor.where)
        self.seen.append(len(self.stream))
        if len(self.steps) % EVERY == 0:
            self._redactors.append(redactor.copy())

    def redactor(self, number: int) -> Redactor:
        """A redactor that has seen all before a state."""
        snapshot = number // EVERY
        redactor = self._redactors[snapshot].copy()
        for step in range(snapshot * EVERY, number):
            for entry in self.course.entries(step):
                redactor.see(entry)
        return redactor

    def sees_same(self, state: State, number: int, difference: Difference | None) -> bool:
        """Whether the seat sees the same of a state as of a state of the course, from which it differs in what is
        `difference` (None: in anything)."""
        true = self.course.states[number]
        if difference is not None and not (self.alike and self.refers):
            return self._sees_same_there(state, true, difference)
        return bool(self._view_of(state) == self._view_of(true))

    def _view_of(self, state: State) -> Any:
        return observation(state, self.seat) if self.alike else view_key(state, self.sight)

    def _sees_same_there(self, state: State, true: State, difference: Difference) -> bool:
        """Compares only the zones and variables that differ, and of pieces whose variables differ their zones."""
        layout, sight = self.layout, self.sight
        zones = set(difference.z)
        for cell in difference.v:
            of_piece, number, _ = layout.cell_place[cell]
            if not of_piece:
                if sight.cells[cell]:
                    return False
                continue
            first, width = layout.pvar_base[number], layout.pvar_width[number]
            item = layout.kind_items[layout.pvar_kind[number]][(cell - first) // width]
            zones.update(zone for zone in (state.where[item], true.where[item]) if zone >= 0)
        if any(zone_key(state, sight, zone) != zone_key(true, sight, zone) for zone in zones):
            return False
        return (state.out, state.turns, state.over) == (true.out, true.turns, true.over)

    def comparable(self, entry: Entry | None) -> Any:
        """An entry that the seat saw, in a form that is equal when the seat can't tell it from another."""
        return plain_event(self.layout, entry, 0) if self.alike and entry is not None else entry

    def same(self, a: Entry | None, b: Entry | None) -> bool:
        """Whether the seat can't tell two entries that it saw from each other."""
        return a == b or (self.alike and bool(self.comparable(a) == self.comparable(b)))


def choice_entry(step: Step, choice: Chosen) -> Entry:
    """Return the log entry of choosing this in a step."""
    return ("choice", step.site, step.seat, step.decision, choice.item, choice.values)


def trace_again(course: Course, seat: int, begun: list[Entry], steps: list[tuple[Step, list[Entry]]]) -> None:
    """Determine anew what the seat does not know of the steps of a game that starts like a course.

    Args:
        begun: the entries before the first step. steps: each step with its entries.
    """
    sight = sight_of(course.layout, seat)
    redactor, trace = Redactor(sight), Trace(sight)
    for entry in begun:
        trace.add(entry, redactor.see(entry), None, redactor.where)
    for step, entries in steps:
        trace.begin(step)
        for entry in entries:
            trace.add(entry, redactor.see(entry), step, redactor.where)


def witness_of(course: Course, seat: int, length: int) -> Witness:
    """Return the witness of so many steps, extended from a memoised shorter one where there is one."""
    witness: Witness | None = course.witnesses.get(seat)
    if witness is None or len(witness.steps) > length:
        witness = course.witnesses[seat] = Witness(course, seat)
    witness.follow(length)
    return witness
