"""What an environment offers and shows, by name: what a trained agent depends on.

Enters: a ruleset, a number of players, options, a space of actions. Leaves: `Spec`, worked out from declarations
without playing; its JSON, to be kept with an agent; `SpecChanges` from an older one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from rulelang import limits
from rulelang.diagnostics import UsageError
from rulelang.game import Ruleset, State, load
from rulelang.ir.nodes import Chance
from rulelang.runtime.bounds import interval
from rulelang.runtime.fields import SightField, SightFields, fields_of
from rulelang.runtime.layout import Layout
from rulelang.runtime.picks import Discrete, Ordinals, Spelling, vocabulary_of
from rulelang.runtime.relative import relative_to, values_of
from rulelang.runtime.state import State as RuntimeState
from rulelang.runtime.waiting import Option
from rulelang.vocabulary.types import Type

SPACES = ("picks", "discrete", "index")
"""`picks`: several picks make an action, from a small fixed set. `discrete`: one number for each value of each type.
`index`: the number of an option among those of its decision, which means something else at each."""


@dataclass(frozen=True)
class SpecChanges:
    """What is otherwise in a spec than in an older one.

    Attributes:
        picks, counts, numbers: for each number here its number there, -1 for what is new: an old agent's weights in the
            new order. new, gone: the names of what only one of both has.
    """

    picks: tuple[int, ...]
    counts: tuple[int, ...]
    numbers: tuple[int, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]


class Spec:
    """What an environment offers and shows.

    Attributes:
        ruleset: what is played. players: the number of seats. options: name -> value. space: a word of `SPACES`.
        picks: the name of each number of the space `picks`. spelling: how options are numbers of the space.
            size: how many numbers the space has. fields: what is seen.
        counts, numbers: the sizes of the arrays. decisions: after so many a game ends (`limits`). payoffs: the least
            and greatest payoff, None where declarations don't tell. most_outcomes: the most outcomes of a chance node.
    """

    def __init__(self, ruleset: Ruleset, players: int, options: Mapping[str, Any], space: str) -> None:
        if space not in SPACES:
            raise UsageError(f"actions are {', '.join(SPACES)}, not `{space}`")
        self.ruleset, self.players, self.space = ruleset, players, space
        self.layout = ruleset.executor(players, options).layout
        self.options = ruleset.option_names(self.layout.options)
        self.layout_fields: SightFields = fields_of(self.layout)
        self.fields: tuple[SightField, ...] = tuple(self.layout_fields.fields)
        self.counts, self.numbers = self.layout_fields.counts, self.layout_fields.numbers
        vocabulary = vocabulary_of(self.layout)
        self.picks = tuple(vocabulary.names) if space == "picks" else ()
        self.spelling: Spelling = vocabulary
        if space != "picks":
            self.spelling = Discrete(vocabulary) if space == "discrete" else Ordinals()
        self.size = self.spelling.size
        self.decisions = self.layout.program.max_decisions
        payoff = self.layout.program.payoff >= 0 or (self.layout.one_party and self.layout.has_points)
        self.payoffs: tuple[float, float] | None = None if payoff else (-1.0, 1.0)

    def __reduce__(self) -> tuple[Any, ...]:
        return Spec, (self.ruleset, self.players, self.options, self.space)

    def __deepcopy__(self, memo: object) -> Spec:
        """Return the spec itself: nobody writes on it."""
        return self

    def sequences(
        self, state: State | RuntimeState, seat: int, decision: int, options: Sequence[Option]
    ) -> list[tuple[int, ...]]:
        """Return for each option of a seat the numbers that choose it, one after the other.

        Raises:
            UsageError: in the space `index` they are more than it has numbers.
        """
        at = state.engine[1] if isinstance(state, State) else state
        return self.spelling.sequences(at, seat, decision, options)

    @cached_property
    def most_outcomes(self) -> int:
        """The most outcomes that a chance node may have."""
        blocks = (block for procedure in self.layout.program.procedures for block in procedure.blocks)
        chances = [block.terminator for block in blocks if isinstance(block.terminator, Chance)]
        return max((_outcomes(self.layout, chance) for chance in chances), default=0)

    @cached_property
    def hash(self) -> str:
        """SHA-256 over `to_json`, in hex: equal for all that an agent can't tell apart."""
        return hashlib.sha256(json.dumps(self.to_json(), sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return the spec as JSON-able values, for `against` and for people."""
        return {
            "rulelang_spec": 1, "ruleset": self.ruleset.name, "hash": self.ruleset.hash, "players": self.players,
            "options": dict(self.options), "actions": self.space, "size": self.size, "picks": list(self.picks),
            "fields": [asdict(field) | {"shape": list(field.shape), "slots": list(field.slots)}
                       for field in self.fields],
        }  # fmt: skip

    def against(self, older: Spec | Mapping[str, Any]) -> SpecChanges:
        """Return what is otherwise than in an older spec, or in what its `to_json` gave.

        Raises:
            UsageError: it is no such JSON, or of another ruleset or space.
        """
        then: Mapping[str, Any] = older.to_json() if isinstance(older, Spec) else older
        try:
            if (then["rulelang_spec"], then["ruleset"], then["actions"]) != (1, self.ruleset.name, self.space):
                raise UsageError(f"that is no spec of {self.ruleset.name} with the actions `{self.space}`")
            before = [then["picks"], *(_slots(then["fields"], array) for array in ("counts", "numbers"))]
        except (KeyError, TypeError):
            raise UsageError("that is no spec") from None
        fields = self.to_json()["fields"]
        now = [self.picks, *(_slots(fields, array) for array in ("counts", "numbers"))]
        orders = []
        for names, old in zip(now, before, strict=True):
            place = {name: number for number, name in enumerate(old)}
            orders.append(tuple(place.get(name, -1) for name in names))
        new = [name for names, old in zip(now, before, strict=True) for name in names if name not in {*old}]
        gone = [name for names, old in zip(now, before, strict=True) for name in old if name not in {*names}]
        picks, counts, numbers = orders
        return SpecChanges(picks, counts, numbers, tuple(new), tuple(gone))


def _slots(fields: Sequence[Mapping[str, Any]], array: str) -> list[str]:
    """Return the names of all numbers of an array."""
    return [f"{field['name']}/{slot}" for field in fields if field["array"] == array for slot in field["slots"]]


def _outcomes(layout: Layout, chance: Chance) -> int:
    """Return the most outcomes that a chance node may have."""
    if chance.kind == "number":
        (low, _), (_, high) = (interval(layout.program, arg) for arg in chance.args[:2])
        return min(high - low + 1, limits.OPTIONS)
    if chance.kind in ("several", "some"):
        return limits.WAYS
    if chance.kind not in ("element", "unit"):
        return len({*layout.item_sorts})
    drawn: Type = chance.drawn.core
    if drawn.kind == "piece":
        items = layout.kind_items[layout.kind_index[drawn.name]]
        return len(items) if layout.identity(drawn) else len(items) * len(layout.inst_zone)
    return limits.OPTIONS if drawn.kind in ("int", "reaction") else len(values_of(relative_to(layout, 0), drawn))


def spec(
    ruleset: Ruleset | str,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    actions: str = "picks",
) -> Spec:
    """Return what an environment of a ruleset offers and shows.

    Args:
        ruleset: or its name or folder. players: None for the smallest number. actions: a word of `SPACES`.

    Raises:
        RulesetError: the ruleset has errors. UsageError: it has not such players or options; the space has no bound.
    """
    loaded = ruleset if isinstance(ruleset, Ruleset) else load(ruleset)
    return Spec(loaded, min(loaded.players) if players is None else players, options or {}, actions)
