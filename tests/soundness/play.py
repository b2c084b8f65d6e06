"""Generated rulesets, played: on one executor or on both in lockstep, with all that a program may ask of a state.

Enters: a ruleset, a number. Leaves: what is at fault. A rule may go wrong, with its line; nothing else may come out.
`python -m tests.soundness.play COUNT [FIRST] [BACKEND]` plays so many and prints those at fault, made small.
"""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from rulelang import programs
from rulelang.diagnostics import RuleError, RulesetError, UsageError
from rulelang.game import Ruleset, State, load
from rulelang.runtime import state as runtime
from rulelang.runtime.rng import seeded
from tests.soundness.grammar import written
from tests.soundness.texts import OVERLAY, Written, shrunk

STEPS, GAMES, PATIENCE = 30, 1, 20
"""Decisions of a game at most; games of a ruleset; seconds that one ruleset may take."""
QUESTIONS = 3
"""So many of the things that may be asked of a state are asked at a step, all at the last one."""
MAY_GO_WRONG = {
    "a number leaves the range of its variable": r"`\w+` would become -?\d+, outside -?\d+\.\.-?\d+",
    "a number is too large for the engine": r"a number went beyond 64 bits",
    "a die without sides": r"there is no number to draw",
    "rules go on without a question": r"no decision within the fuel",
    "rules look ahead for too long": r"looking ahead used up the fuel",
    "calls are too deep": r"more than \d+ (levels? deep|rules wait for each other)",
    "more than can be listed": r"this (decision|draw) has \d+ (options|outcomes); at most \d+ can be listed"
    r"|there are more ways than can be listed|too many (options|groupings) to be looked through",
    "what belongs to a player is asked of an automaton": r"an automaton has no piece of its own",
    "a piece is moved that was shuffled away": r"nobody can know where this piece lies",
}
"""What a ruleset that passes `check` may rightly be told, always with the line: numbers that depend on the course of
the game, and its bounds. Any other error of a rule says that `check` promised too much."""
RIGHTLY = re.compile(rf"[^:]+: (.*: )?({'|'.join(MAY_GO_WRONG.values())})\b.* \(.*:\d+:\d+\)$")


@contextmanager
def uncached() -> Iterator[None]:
    """Keep no program, in the process or on disk: each is compiled for one ruleset alone."""
    with pytest.MonkeyPatch.context() as patch:
        programs._programs.clear()
        patch.setattr(programs, "_load", lambda _: None)
        patch.setattr(programs, "_store", lambda _, program: program)
        yield


class Exact(list[Any]):
    """A list that knows no negative index: the interpreter's guard, as Python would take one for another cell."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return Exact(super().__getitem__(place))
        if place < 0:
            raise IndexError(f"{place} as an index of the state")
        return super().__getitem__(place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if not isinstance(place, slice) and place < 0:
            raise IndexError(f"{place} as an index of the state")
        super().__setitem__(place, value)


@contextmanager
def guarded() -> Iterator[None]:
    """Have states of the interpreter refuse negative indices."""
    plain = runtime.State.__init__

    def exact(self: runtime.State, *arguments: Any) -> None:
        plain(self, *arguments)
        self.v, self.z, self.where = Exact(self.v), Exact(self.z), Exact(self.where)

    runtime.State.__init__ = exact  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        runtime.State.__init__ = plain  # type: ignore[method-assign]


class HangError(Exception):
    """A ruleset took longer than it may."""


@contextmanager
def patience(seconds: int = PATIENCE) -> Iterator[None]:
    """Raise HangError after so many seconds of work."""

    def ring(_signal: int, _frame: object) -> None:
        raise HangError(f"more than {seconds} s")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # of this process: others may share the machine
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def faults(ruleset: Ruleset, number: int, backends: Sequence[str] = ("interpreter",)) -> list[str]:
    """Return what is at fault in games of a ruleset, with numbers of players and options at their ends."""
    picker = random.Random(number)
    found: list[str] = []
    for game in range(GAMES):
        players = picker.choice(ruleset.players)
        options = {option.name: picker.choice((option.values[0], option.values[-1])) for option in ruleset.info.options}
        with suppress(UsageError):  # an option that this number of players has not
            found += lockstep(ruleset, players, options, f"{number} {game}", backends)
    return found


def lockstep(ruleset: Ruleset, players: int, options: dict[str, Any], seed: str, backends: Sequence[str]) -> list[str]:
    """Return what is at fault in one game, played choice by choice."""
    picker = random.Random(seed)
    chance = picker.choice(("sampled", "explicit"))
    states: list[State] = []

    def start(backend: str) -> State:
        return ruleset.new_game(players=players, seed=7, options=options, backend=backend, chance=chance)

    said, errors = each(backends, lambda backend: states.append(start(backend)))
    for step in range(STEPS):
        if said or errors:
            return said
        if len(states) > 1:
            said += differences("state", [state.to_json() for state in states])
        said += asked(ruleset, states, picker, states[0].is_terminal() or step == STEPS - 1)
        if said or states[0].is_terminal():
            return said
        seat = None if states[0].is_chance_node() else picker.choice(states[0].current_players())
        offers: list[list[str]] = []

        def list_(state: State, seat: int | None = seat, offers: list[list[str]] = offers) -> None:
            offered = [action for action, _ in state.chance_outcomes()] if seat is None else state.legal_actions(seat)
            offers.append([action.id for action in offered])

        said, errors = each(states, list_)
        said += differences("options", offers)
        if said or errors:
            return said
        if not offers[0]:
            return [f"step {step}: a decision without options"]
        if len(set(offers[0])) < len(offers[0]):
            return [f"step {step}: options with equal ids: {offers[0]}"]
        chosen = picker.choice(offers[0])
        said, errors = each(states, lambda state, chosen=chosen, seat=seat: state.apply(chosen, seat))  # type: ignore[misc]
    return said


def each(of: Sequence[Any], do: Callable[[Any], object]) -> tuple[list[str], list[str]]:
    """Do something with each: what is at fault, and the errors of rules, which are to be the same."""
    errors = []
    for one in of:
        try:
            do(one)
        except RuleError as error:
            errors.append(str(error))
    said = [f"`check` rules this out, or no line is told: {error}" for error in errors if not RIGHTLY.match(error)]
    if errors and (len(errors) < len(of) or len(set(errors)) > 1):
        said.append(f"errors differ: {errors}")
    return said, errors


def differences(what: str, texts: Sequence[Any]) -> list[str]:
    """Return what differs from the first."""
    return [f"{what}: {texts[0]!r:.300} and {text!r:.300}" for text in texts[1:] if text != texts[0]]


def asked(ruleset: Ruleset, states: Sequence[State], picker: random.Random, is_last: bool) -> list[str]:
    """Ask states what programs ask: none may go wrong, all say the same; sometimes states are saved and read."""
    said = []
    ask: dict[str, Callable[[State], Any]] = {"hash": State.hash, "scores": State.scores, "ranks": State.ranks}
    players = states[0].players
    seat = picker.randrange(players)
    reader: int | None = picker.choice((None, seat))
    lang: str = picker.choice(("en", "fr"))
    ask |= {
        "observation": lambda state: state.observation(seat),
        "shown": lambda state: state.shown(seat),
        "information": lambda state: state.information_state(seat),
        "events": lambda state: state.events(reader, lang=lang),
        "story": lambda state: state.story(reader, lang=lang),
        "sheet": lambda state: state.score_sheet(seat),
    }
    if states[0].is_terminal():
        ask |= {"winners": State.winners, "returns": State.returns}
    elif not states[0].is_chance_node():
        ask |= {"refusals": lambda state: state.refusals(state.current_players()[0], lang=lang)}
        ask |= {"decision": lambda state: state.decision(state.current_players()[-1])}
    for name in ask if is_last else picker.sample(sorted(ask), QUESTIONS):
        question = ask[name]
        answers: list[Any] = []
        wrong, _ = each(states, lambda state, question=question, answers=answers: answers.append(repr(question(state))))  # type: ignore[misc]
        said += [f"{name}: {text}" for text in (*wrong, *differences(name, answers))]
    if is_last or picker.random() < 0.1:
        for state in states:
            read = ruleset.state_from_json(state.to_json(), backend="interpreter")
            said += differences("hash of what was saved and read", [state.hash(), read.hash()])
    return said


def playouts(ruleset: Ruleset, number: int) -> list[str]:
    """Return what whole random games in native code say otherwise than the interpreter."""
    from tests.native.sanitized import outcome

    players = random.Random(number).choice(ruleset.players)
    interpreted, native = ruleset.executor(players, {}, "interpreter"), ruleset.executor(players, {}, "native")
    assert native.native is not None
    start = interpreted.new_state(number, logging=False)
    rngs = [seeded(number + game) for game in range(8)]
    played = native.native.playouts(start, rngs) or [None] * len(rngs)
    wrong = []
    for rng, there in zip(rngs, played, strict=True):
        here = outcome(interpreted, start, rng)
        if here != there and not (there is None and isinstance(here, str)):
            wrong.append(f"game {rng}: {here} in the interpreter, {there} in native code")
    return wrong


def loaded(text: str, folder: Path) -> Ruleset:
    """Return the ruleset of a text, with the overlays that stand in it."""
    folders = [folder, *(folder / f"over{number}" for number in range(text.count(OVERLAY)))]
    for place, part in zip(folders, text.split(OVERLAY), strict=True):
        place.mkdir(exist_ok=True)
        (place / "ruleset.yaml").write_text(part, encoding="utf-8")
    return load(folder, folders[1:])


def tried(text: str, number: int, folder: Path, native: bool = False) -> list[str] | None:
    """Return what is at fault with the ruleset of this text, a traceback among it; None if `check` refuses it."""
    try:
        with patience(), guarded(), uncached():
            try:
                ruleset = loaded(text, folder)
            except RulesetError:
                return None
            if not native:
                return faults(ruleset, number)
            return faults(ruleset, number, ("interpreter", "native")) + playouts(ruleset, number)
    except UsageError as error:
        return [] if "native code" in str(error) else [f"UsageError: {error}"]
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - whatever comes out is at fault
        frames = traceback.extract_tb(error.__traceback__)
        at = next((frame for frame in reversed(frames) if "rulelang/" in frame.filename), frames[-1])
        return [f"{type(error).__name__} in {Path(at.filename).name}:{at.name}: {error!s:.300}"]


def kind(found: str) -> str:
    """Return what a fault has in common with others of its kind."""
    return re.sub(r"\d+|'[^']*'", "", found.split(":")[0] + found.split(":")[1][:30] if ":" in found else found)[:80]


def main() -> None:
    """Play rulesets and print those at fault, the first of each kind made small."""
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    native, small = "native" in sys.argv, "shrink" in sys.argv
    passed, seen = 0, {}  # type: ignore[var-annotated]
    with tempfile.TemporaryDirectory() as name:
        os.environ.setdefault("RULELANG_CACHE", f"{name}/cache")
        for number in range(first, first + count):
            ruleset = written(number)
            found = tried(ruleset.text(), number, Path(name), native)
            passed += found is not None
            if not found:
                continue
            sort = kind(found[0])
            seen[sort] = seen.get(sort, 0) + 1
            print(f"{number}: {found[0]}"[:400], flush=True)  # noqa: T201
            if small and seen[sort] == 1:

                def is_faulty(smaller: Written, number: int = number, sort: str = sort) -> bool:
                    again = tried(smaller.text(), number, Path(name), native)
                    return bool(again) and kind(again[0]) == sort  # type: ignore[index]

                print(shrunk(ruleset, is_faulty).text(), flush=True)  # noqa: T201
    print(f"{passed} of {count} pass check; at fault: {seen}")  # noqa: T201


if __name__ == "__main__":
    main()
