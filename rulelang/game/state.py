"""A game in progress: the public `State`, named as in OpenSpiel.

Enters: a ruleset's executor and a runtime state. Leaves: actions, views, scores; `apply` advances in place or leaves
all as it was.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rulelang import limits
from rulelang.diagnostics import IllegalAction, UsageError, counted, suggest
from rulelang.execution.executor import Executor
from rulelang.game.actions import Action, Actions, Asker, Decision, Lexicon, NodeOptions, UnreadActions, unread_actions
from rulelang.game.scoring import ScoreSheet, SeenSheet, known_sheet, score_sheet, seen_sheets
from rulelang.game.shown import Shown, shown
from rulelang.languages import DEFAULT
from rulelang.ruleset.model import plain_text
from rulelang.ruleset.positions import PositionNotation
from rulelang.runtime import views
from rulelang.runtime.canonical import search_key, state_hash
from rulelang.runtime.log import Entry
from rulelang.runtime.log_summary import gathered, merged, moves_chosen
from rulelang.runtime.names import enum_names
from rulelang.runtime.outcome import ranks, returns, winners
from rulelang.runtime.progress import loop_values
from rulelang.runtime.rng import seeded
from rulelang.runtime.serial import to_json
from rulelang.runtime.sight import OMNISCIENT, SPECTATOR
from rulelang.runtime.state import SCORED
from rulelang.runtime.state import State as RuntimeState
from rulelang.runtime.waiting import Waiting

if TYPE_CHECKING:
    from rulelang.game.ruleset import Ruleset

SHOWN = 8
"""So many options are named in a message at most."""
COMPARED = 1024
"""So many options are looked at for one that reads like an id that is not offered."""


class State:
    """One game. Seats are 0 to players - 1; automata are parties after them."""

    __slots__ = (
        "_asker", "_at", "_block", "_executor", "_now", "_offered", "_pending", "_readings", "_tape",
        "first", "names", "ruleset",
    )  # fmt: skip

    def __new__(cls, _ruleset: Ruleset | None, executor: Executor, _state: RuntimeState | None = None) -> State:
        """Make an instance of a subclass whose most used methods are native code's, where that plays the game."""
        return object.__new__(executor.quick(CLASSES)["State"] if cls is State else cls)

    @staticmethod
    def unbegun(executor: Executor, explicit: bool) -> State:
        """Return what begins games: only `_begin` can be called of it."""
        new = State.__new__(State, None, executor)
        new.names, new.first, new._executor = (), 0, executor
        new._enter(executor.unbegun_state(explicit))
        return new

    def _begin(self, seed: int, ruleset: Ruleset, lexicon: Lexicon) -> State:
        """Return a game of a ruleset after its setup, which is played as this one; `lexicon`: the ruleset's words."""
        del lexicon
        return State(ruleset, self._executor, self._executor.initial_state(seed, self._state.explicit))

    def __init__(self, ruleset: Ruleset, executor: Executor, state: RuntimeState) -> None:
        self.ruleset, self._executor = ruleset, executor
        self.names: tuple[str, ...] = ()
        self.first = 0
        self._asker = Asker(executor, ruleset.words)
        self._readings: views.Readings | None = None
        self._enter(state)

    def _enter(self, state: RuntimeState) -> None:
        """Make `state` the current position and reset all values memoised for the last one."""
        self._now: RuntimeState | None = state
        self._block: bytes | None = state.block if state.is_flat else None
        self._tape: Any = state.tape if state.is_flat else None
        self._at = self._block or state
        self._offered: dict[int, NodeOptions] | None = None
        self._pending: Waiting | Literal[False] | None = False

    @property
    def _state(self) -> RuntimeState:
        """The current position, which is never changed."""
        if self._now is None:
            assert self._block is not None
            self._now = self._executor.flat_state(self._block, self._tape)
        return self._now

    @property
    def _read(self) -> views.Readings:
        """What seats have read of the log."""
        if self._readings is None:
            self._readings = views.Readings()
        return self._readings

    @property
    def _offers(self) -> dict[int, NodeOptions]:
        """What seats can do in this position, as far as it was wanted."""
        if self._offered is None:
            self._offered = {}
        return self._offered

    @property
    def _waiting(self) -> Waiting | None:
        """What the game waits for; None if it is over."""
        if self._pending is False:
            self._pending = self._executor.waiting(self._state)
        return self._pending

    # ---- where the game stands

    @property
    def players(self) -> int:
        """How many seats there are."""
        return self._executor.layout.players

    @property
    def parties(self) -> tuple[str, ...]:
        """The seats (their numbers as text), then the names of automata: whose scores `scores` gives."""
        return tuple(self._executor.layout.party_names)

    @property
    def options(self) -> dict[str, int | bool | str]:
        """The values of the ruleset's options."""
        return self.ruleset.option_names(self._executor.layout.options)

    @property
    def decisions(self) -> int:
        """How many decisions were made."""
        return self._state.decisions

    @property
    def turns(self) -> int:
        """How many turns began."""
        return self._state.turns

    def stage(self) -> dict[str, Any]:
        """Return the progress of the game: `round`, the number of rounds begun, and `values` of the running loops over
        types, outermost first."""
        layout = self._executor.layout
        values = {name: enum_names(layout, name)[value] for name, value in loop_values(self._state)}
        return {"round": self._state.log.rounds, "values": values}

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._waiting is None

    def is_chance_node(self) -> bool:
        """Return whether the game waits for chance (only with `chance="explicit"`)."""
        return self._waiting is not None and self._waiting.kind == "chance"

    def current_players(self) -> list[int]:
        """Return the seats that are to choose, in seat order; none at chance nodes and at the end."""
        return list(self._waiting.seats) if self._waiting is not None else []

    # ---- what can be done

    def _seat(self, player: int | None) -> int | None:
        """Resolve a seat argument: None means the lowest pending one; return None if the seat has no decision
        pending."""
        if player is not None and not 0 <= player < len(self._executor.layout.party_names):
            raise UsageError(f"there is no seat {player}: seats are 0 to {self.players - 1}")
        seats = self._waiting.seats if self._waiting is not None else ()
        if player is None:
            return seats[0] if seats else None
        return player if player in seats else None

    def _offer(self, seat: int) -> NodeOptions:
        """Return what a pending seat can do, memoised for this position."""
        return self._asker.offer(self._state, self._at, seat, self._offers)

    def decision(self, player: int | None = None) -> Decision | None:
        """Return the pending decision of a seat (None: the lowest pending one); None if it has none."""
        seat = self._seat(player)
        if seat is None or self._waiting is None:
            return None
        return self._asker.decision(self._state, self._waiting, seat, self._offer(seat).actions())

    def legal_actions(self, player: int | None = None) -> list[Action]:
        """Return the legal actions of a seat (None: the lowest pending one); at a chance node the outcomes. Each is
        made when it is looked at."""
        waiting, state = self._waiting, self._state
        count = state.count
        seats = waiting.seats if waiting is not None else ()
        seat = seats[0] if player is None and seats else self._seat(player)
        if seat is None:
            return [action for action, _ in self.chance_outcomes()] if player is None else []
        if count < 0:
            count = state.options
        if not count or seat != seats[0] or count > limits.in_force.options:
            count = len(self._offer(seat).options)
        return unread_actions(self, self._at, self._tape, seat, count)

    def refusals(self, player: int | None = None, lang: str = DEFAULT) -> list[dict[str, Any]]:
        """Return the options that a seat is refused, and why.

        Keys: `text`, `reason` (the author's words), `missing` (in words), `rule`, `file`, `line`, `cites`, and `id`
        where all arguments were bound before a guard failed.
        """
        seat = self._seat(player)
        if seat is None or self._waiting is None:
            return []
        return self._asker.refusals(self._state, self._waiting, seat, lang)

    def chance_outcomes(self) -> list[tuple[Action, Fraction]]:
        """Return the distinct outcomes of a chance node with their exact probabilities; empty at other nodes."""
        if not self.is_chance_node():
            return []
        assert self._waiting is not None
        assert self._waiting.chance is not None
        return self._asker.outcomes(self._state, self._at, self._waiting.chance, self._offers)

    def apply(self, action: Action | str, player: int | None = None) -> None:
        """Apply an action, given itself or by id, and advance to the next node.

        Args:
            player: who takes it; None for the action's own seat, else the lowest pending one.

        Raises:
            IllegalAction: it is not offered; the message says what is missing.
            RuleError: a rule went wrong. In both cases the state is as it was.
        """
        if not isinstance(action, Action) or action.source.at is not self._at or player is not None:
            action = self.legal(action, player)
        source, place = action.source, action.place
        seat, state, executor = source.seat, self._state, self._executor
        if seat is None:
            offer = action.offer
            self._enter(executor.after_chance(state, offer.options[place], offer.draws[place]))
            return
        after: RuntimeState | None = executor.steps.after_choice(state, seat, place) if executor.steps else None
        if after is None:
            after = executor.after_choice_by_interpreter(state, seat, self._offer(seat).options[place])
        self._enter(after)

    def legal(self, action: Action | str, player: int | None = None) -> Action:
        """Resolve an action, given itself or by id, to the one that is legal now.

        Raises:
            IllegalAction: it is not; the message says what is missing.
        """
        if isinstance(action, Action):
            source = action.source
            if source.at is self._at and (player is None or player == source.seat):
                return action
            player = source.seat if player is None else player
        id_ = str(action)
        if self._waiting is None:
            raise IllegalAction(f"`{id_}` can't be done: the game is over")
        if self.is_chance_node():
            if player is not None:
                raise IllegalAction(f"seat {player} can't do `{id_}`: the game waits for chance")
            offered = [option for option, _ in self.chance_outcomes()]
        else:
            seat = self._seat(player)
            if seat is None:
                waits = ", ".join(map(str, self._waiting.seats))
                raise IllegalAction(f"seat {player} can't do `{id_}`: the game waits for seat {waits}")
            offered = list(self._offer(seat).actions())
        place = offered[0].offer.find(id_) if offered else -1
        if place >= 0:
            return offered[place]
        raise IllegalAction(self._refusal_message(id_, offered))

    def _refusal_message(self, id_: str, offered: list[Action]) -> str:
        """Return the message for an id that is not offered: the failing guard, or similar ids."""
        if offered and offered[0].seat is not None and self._waiting is not None:
            for refusal in self._asker.refusals(self._state, self._waiting, offered[0].seat, inactive=True):
                if refusal.get("id") == id_ or ("id" not in refusal and id_.partition(":")[0] == refusal["item"]):
                    cites = f", {', '.join(refusal['cites'])}" if refusal["cites"] else ""
                    where = f"{refusal['rule']}, {refusal['file']}:{refusal['line']}{cites}"
                    return f"`{id_}` is refused: {refusal['missing']} ({where})"
        ids = [option.id for option in offered[:COMPARED]]
        return f"`{id_}` is not offered: {suggest(id_, ids) or offered_ids(ids, len(offered))}"

    # ---- copies

    @property
    def engine(self) -> tuple[Executor, RuntimeState]:
        """The executor that runs this game and the state that it runs on, for bots; neither is to be changed."""
        return self._executor, self._state

    def clone(self, reseed: int | None = None) -> State:
        """Return an independent copy; with `reseed` its chance goes on from that seed."""
        new: State = object.__new__(type(self))
        new.ruleset, new.names, new.first = self.ruleset, self.names, self.first
        new._executor, new._asker = self._executor, self._asker
        # A state that was entered is never changed, so that copies share it.
        new._block, new._tape, new._now = self._block, self._tape, self._now
        if reseed is not None:
            new._enter(self._executor.with_rng(self._state, seeded(reseed)))
        new._at, new._pending = self._at, self._pending
        new._offered, new._readings = self._offers, self._read
        return new

    __copy__ = clone

    def __deepcopy__(self, memo: object) -> State:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the game as its ruleset and `to_json`; read again it goes on by the same backend."""
        backend = "native" if self._executor.steps else "interpreter"
        return _read_again, (self.ruleset, self.to_json(), backend, self.names, self.first)

    def named(self, names: tuple[str, ...], first: int = 0) -> State:
        """Return a copy whose texts call people by their names instead of their seats; "" for one whose name is not
        known, whose seat is then counted from `first` on."""
        new = self.clone()
        new.names, new.first, new._offered = names, first, None
        new._asker = Asker(self._executor, partial(self.ruleset.words, names=names, first=first))
        return new

    def hash(self, positions: bool = True) -> str:
        """Return 32 hex digits, the same for equal states on every backend and platform.

        Args:
            positions: whether states are different in which what was written down of positions is; without, states of
                a table meet more often, and what may still be repeated is not seen there.
        """
        state = self._state
        if not positions:
            state = state.clone()
            for form in state.layout.positions.values():
                form.forget(state)
        return state_hash(state)

    def search_key(self) -> tuple[str, int]:
        """Return the hash and the number of decisions made: a key for transposition tables.

        Positions with equal hashes may have had different numbers of decisions; after `limits.decisions` of them a game
        is over, so what follows is only the same where that number is too.
        """
        return search_key(self._state)

    def to_json(self) -> str:
        """Return the whole state, log included, as text for `Ruleset.state_from_json`."""
        return to_json(self._state)

    def resample(self, player: int, seed: int) -> State:
        """Return a determinization: a state that the seat cannot distinguish from this one, hidden information
        resampled.

        It is a function of what the seat knows and of the seed alone. Where nobody has secrets only its generator is
        another.

        Raises:
            ResampleError: no such state was found, or nothing tells what the seat saw. UsageError: there is no such
                seat.
        """
        if not 0 <= player < self.players:
            raise UsageError(f"there is no seat {player}: seats are 0 to {self.players - 1}")
        world = self._executor.resample(self._state, player, seed)
        return State(self.ruleset, self._executor, world).named(self.names, self.first)

    # ---- what a seat sees

    def _final(self) -> list[int] | None:
        """Return the scores at the end of the game, None before."""
        return self.scores() if self.is_terminal() else None

    def observation(self, player: int) -> dict[str, Any]:
        """Return what the seat sees now, and what it knows of places that it doesn't see, as JSON-able values; of
        `rulelang.runtime.sight`, `SPECTATOR`: what all see; `OMNISCIENT`: all that lies anywhere."""
        return views.observation(self._state, player, self.current_players(), self._final(), self._read)

    def notation(self, player: int = OMNISCIENT) -> str:
        """Return the position on one line as players write it (`notation` of the ruleset); empty if it has none.

        Args:
            player: the seat that reads it, or as for `observation`.

        Raises:
            UsageError: this seat does not see all that the line tells.
        """
        written = self.ruleset.written
        if written.notation is None or written.notation.position is None:
            return ""
        try:
            return PositionNotation(written, written.notation).write(self.observation(player))
        except KeyError as error:
            raise UsageError(f"seat {player} does not see {error.args[0]}, which the notation tells") from None

    def information_state(self, player: int) -> dict[str, Any]:
        """Return all that the seat has seen and done, as JSON-able values."""
        return views.information_state(self._state, player, self.current_players(), self._final(), self._read)

    def events(self, player: int | None = None, since: int = 0, lang: str | None = DEFAULT) -> list[dict[str, Any]]:
        """Return the events that a seat has seen (None: all, unredacted), from index `since` of that list on.

        `text` is one sentence in the language, addressed to the seat; without a language there is none. `notation` is
        that of a choice, where what is chosen tells it alone.
        """
        return self._public_events(views.entries(self._state, player, since, self._read), player, lang)

    def entries(self, player: int, since: int = 0) -> list[Entry]:
        """Return the entries of the log that `events` tells of, as the seat has seen them, from index `since` on."""
        return [entry for _, entry in views.entries(self._state, player, since, self._read)]

    def event_count(self, player: int | None = None, length: int | None = None) -> int:
        """Return the number of events that `events` would list, of the first `length` log entries if given."""
        return views.entry_count(self._state, player, self._read, length)

    def story(
        self, player: int | None = None, since: int = 0, lang: str = DEFAULT, until: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the events as `events` does, up to index `until` (None: all), with those that belong together merged
        into one, and without inner steps: what the ruleset lists under `untold`."""
        layout, untold = self._executor.layout, self.ruleset.written.untold
        entries = views.entries(self._state, player, since, self._read)
        entries = entries[: None if until is None else max(until - since, 0)]
        story = [
            (n, entry)
            for n, entry in merged(layout, entries)
            if not untold or views.told_by(layout, entry) not in untold
        ]
        return self._public_events(gathered(layout, story), player, lang, moves_chosen(layout, entries))

    def _public_events(
        self, entries: Iterable[tuple[int, Entry]], reader: int | None, lang: str | None, chosen: Collection[int] = ()
    ) -> list[dict[str, Any]]:
        """Convert log entries to events; with a language, each has a sentence in `text`.

        Args:
            chosen: the numbers of moves that are written down as a choice, if that is not itself.
        """
        layout = self._executor.layout
        if lang is None:
            return [views.plain_event(layout, entry, number) for number, entry in entries]
        words = self.ruleset.words(lang, self.names, self.first)
        events, written = list[dict[str, Any]](), False
        for number, entry in entries:
            event = views.plain_event(layout, entry, number) | {"text": words.event(layout, entry, reader)}
            if entry[0] == "choice" or (entry[0] == "move" and number in chosen and not written):
                notation = words.notation.entry(layout, entry)
                event |= {"notation": notation} if notation else {}
            written = "notation" in event
            events.append(event)
        return events

    # ---- points

    def scores(self) -> list[int]:
        """Return the score of each party, seats first, then automata; before the end as if it were now."""
        return self._executor.interpreter.scores(self._state)

    def is_scored_alone(self) -> bool:
        """Return whether the game is over, and one party without a rival has its points as the result."""
        return self._state.over == SCORED and self._executor.layout.one_party and self._executor.layout.has_points

    def is_ended_by_rule(self) -> bool:
        """Return whether a statement of a rule ended the game, or its bound of decisions did: it did not come to the
        end of what was played."""
        program = self._executor.layout.program
        ends = (entry[1] for entry in self._state.log if entry[0] == "end")
        return any(site != program.procedures[program.play].site for site in ends)

    def is_truncated(self) -> bool:
        """Return whether `limits` ended the game, which would have gone on; False without a log of its end."""
        state, program = self._state, self._executor.layout.program
        if state.limited or state.decisions < program.max_decisions:
            return bool(state.limited)
        ends = {entry[1] for entry in state.log.since(max(len(state.log) - 1, 0)) if entry[0] == "end"}
        return not ends.isdisjoint(decision.site for decision in program.decisions)

    def returns(self) -> list[float]:
        """Return the payoff of each seat; 0 for all before the end."""
        return returns(self._executor.interpreter, self._state)

    def winners(self) -> list[int]:
        """Return the parties that have won; empty before the end and in a draw."""
        return winners(self._executor.interpreter, self._state)

    def ranks(self) -> list[int]:
        """Return the rank of each party, seats first, then automata; None before the end.

        1 is best. Parties that tie share a rank, and the next rank counts all of them (1, 1, 3).
        """
        return ranks(self._executor.interpreter, self._state)

    def score_sheet(self, player: int | str) -> ScoreSheet:
        """Return the score sheet of a seat, or of an automaton by name. Raises UsageError if there is no such party."""
        names = self._executor.layout.party_names
        party = names.index(player) if isinstance(player, str) and player in names else player
        if isinstance(party, str) or not 0 <= party < len(names):
            raise UsageError(f"there is no party {player}; there are {', '.join(names)}")
        return score_sheet(self._executor.interpreter, self._state, party)

    def shown(self, player: int) -> Shown:
        """Return what the functions under `shown` of zones tell of the pieces that a seat sees there, such as a price:
        zone -> piece -> function -> number, a function of `observation(player)` alone."""
        return shown(self.ruleset.written, self._executor.interpreter, self._state, player)

    def seen_sheets(self, player: int) -> list[SeenSheet]:
        """Return the score sheets of all parties as far as a seat (or `SPECTATOR`) can know them from what it sees now:
        of each line the least and greatest value in any state that looks the same to it.

        They are a function of `observation(player)` alone; once the game is over they are those of `score_sheet`.

        Raises:
            UsageError: there is no such seat.
        """
        if not 0 <= player < self.players and player != SPECTATOR:
            raise UsageError(f"there is no seat {player}: seats are 0 to {self.players - 1}")
        interpreter = self._executor.interpreter
        if self.is_terminal():
            return [known_sheet(score_sheet(interpreter, self._state, party)) for party in range(len(self.parties))]
        return seen_sheets(interpreter, self._state, player)

    def __repr__(self) -> str:
        seats = f"seats {self.current_players()}"
        where = "over" if self.is_terminal() else "chance" if self.is_chance_node() else seats
        return f"<State of {self.ruleset.name}, {counted(self.players, 'player')}, {where}>"


def _read_again(ruleset: Ruleset, text: str, backend: str, names: tuple[str, ...], first: int) -> State:
    """Return a game that was pickled.

    Raises:
        SaveError: it is not of this version of the ruleset. UsageError: there is no native code on this machine.
    """
    return ruleset.state_from_json(text, backend).named(names, first)


CLASSES: dict[str, type] = {
    "State": State,
    "Asker": Asker,
    "Action": Action,
    "Actions": Actions,
    "UnreadActions": UnreadActions,
}
"""The classes of a game that native code knows."""


def offered_ids(ids: Sequence[str], count: int) -> str:
    """Return the part of a message that lists the first of `count` offered ids, at most `SHOWN` of them."""
    more = f" and {count - SHOWN} more" if count > SHOWN else ""
    return f"offered are {', '.join(f'`{i}`' for i in ids[:SHOWN])}{more}"


def option_words(options: Mapping[str, object]) -> str:
    """Format options for people: `deck=88, solo=true`."""
    return ", ".join(f"{name}={plain_text(value)}" for name, value in options.items())
