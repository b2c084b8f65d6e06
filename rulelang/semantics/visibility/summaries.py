"""What calls give and show, memoised by what they are given; of calls within themselves the least fixed point.

Enters: contexts of calls, and how to walk their bodies. Leaves: `CallSummary`, as the state is when the call begins.

A call that is met while it is walked is taken to give what it gave last, at first nothing. Strongly connected
components are found as they are walked (Tarjan's low links), and only the outermost call of one is walked again, until
nothing that was assumed of any in it becomes wider: the top-down algorithm of Le Charlier and Van Hentenryck (1992),
with rounds like the iterative strategy of Bourdoncle (1993).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.writes import Stamp
from rulelang.semantics.visibility.labels import (
    PUBLIC,
    Key,
    Label,
    facts_stamped,
    join,
    label_stamped,
    shown_on_all,
)

Context = tuple[Any, ...]
"""A procedure, and all of what a call gives it that matters to who may know what."""
Versions = Mapping[object, int]
"""How often each part of the state has been written."""


@dataclass(frozen=True)
class CallSummary:
    """What a walk through a called procedure found: the label of its result, what it shows on every path (by key), the
    zones and variables to which something unseen may have come, ends of the game that tell a secret, whether the game
    is over, and who may know all that it reads."""

    result: Label = PUBLIC
    shown: tuple[tuple[Key, Label], ...] = ()
    hidden: frozenset[Key] = frozenset()
    ends: dict[Span, Label] = field(default_factory=dict)
    over: bool = False
    read: Label = PUBLIC

    def or_else(self, other: CallSummary) -> CallSummary:
        """Return what is known after one or the other of two calls."""
        return CallSummary(
            join(self.result, other.result),
            tuple(shown_on_all([dict(self.shown), dict(other.shown)]).items()),
            self.hidden | other.hidden,
            other.ends | self.ends,
            self.over and other.over,
            join(self.read, other.read),
        )

    def relative(self, begun: Versions) -> CallSummary:
        """Return this summary of a call that began in the state of these versions for any time, without what is about
        the state of another one."""
        return self._stamped(partial(relative, begun))

    def absolute(self, begun: Versions) -> CallSummary:
        """Return this summary for a call that began in the state of these versions."""
        return self._stamped(partial(absolute, begun))

    def _stamped(self, new: Callable[[Stamp], Stamp | None]) -> CallSummary:
        shown = tuple(facts_stamped(dict(self.shown), new).items())
        return replace(self, result=label_stamped(self.result, new), shown=shown, read=label_stamped(self.read, new))


def relative(begun: Versions, stamp: Stamp) -> Stamp | None:
    """Return a stamp of these versions as that of where a call begins; None for one of others."""
    return Stamp(stamp.of, None) if stamp.number == begun[stamp.of] else None


def absolute(begun: Versions, stamp: Stamp) -> Stamp:
    """Return a stamp of where a call begins as that of these versions."""
    return Stamp(stamp.of, begun[stamp.of])


@dataclass
class _Active:
    """A call that is being walked: how many are walked around it, what it is taken to give, whether that was asked."""

    depth: int
    summary: CallSummary
    is_met: bool = False


@dataclass
class Summaries:
    """The summaries of all calls so far."""

    _memo: dict[Context, CallSummary] = field(default_factory=dict)
    _active: dict[Context, _Active] = field(default_factory=dict)
    _last: dict[Context, CallSummary] = field(default_factory=dict)  # what was assumed at last
    _provisional: dict[Context, int] = field(default_factory=dict)  # memoised: the outermost depth that it hangs on
    _low: int = 0  # the outermost depth on which the present call hangs so far
    _widened: int = 0  # how often something turned out wider than it was assumed

    def __contains__(self, context: Context) -> bool:
        return context in self._memo or context in self._active

    @property
    def depth(self) -> int:
        """Return how many calls are being walked within each other."""
        return len(self._active)

    def get(self, context: Context) -> CallSummary | None:
        """Return the summary of a call, the assumed one while it is walked; None before."""
        if (known := self._memo.get(context)) is not None:
            self._low = min(self._low, self._provisional.get(context, self._low))
            return known
        active = self._active.get(context)
        return self._assume(active) if active is not None else None

    def walked_of(self, procedure: object) -> list[Context]:
        """Return the calls of a procedure that are being walked."""
        return [context for context in self._active if context[0] is procedure]

    def assumed(self, contexts: Iterable[Context]) -> list[CallSummary]:
        """Return what some calls that are being walked are taken to give."""
        return [self._assume(self._active[context]) for context in contexts]

    def _assume(self, active: _Active) -> CallSummary:
        active.is_met, self._low = True, min(self._low, active.depth)
        return active.summary

    def fixpoint(self, context: Context, nothing: CallSummary, walk: Callable[[], CallSummary]) -> CallSummary:
        """Return, and memoise, the summary of a call.

        Args:
            nothing: what it is taken to give at first.
            walk: walks its body once.
        """
        outer, inner = self._low, len(self._provisional)
        active = _Active(self.depth, self._last.get(context, nothing))
        while True:
            self._active[context], self._low, widened = active, active.depth, self._widened
            outcome = walk()
            del self._active[context]
            if active.is_met and (wider := active.summary.or_else(outcome)) != active.summary:
                self._last[context] = active.summary = wider
                self._widened += 1
            is_head = self._low == active.depth
            if not is_head or self._widened == widened:
                break
            for call in self._within(inner):
                del self._memo[call], self._provisional[call]
        self._memo[context] = outcome
        for call in self._within(inner):
            if is_head:
                del self._provisional[call]
            else:
                self._provisional[call] = self._low  # What it hangs on hangs on that.
        if not is_head:
            self._provisional[context] = self._low
        self._low = outer if is_head else min(outer, self._low)
        return outcome

    def _within(self, number: int) -> list[Context]:
        """Return the calls whose summaries are provisional, but for so many first ones."""
        return list(self._provisional)[number:]
