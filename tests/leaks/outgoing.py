"""Everything that leaves for a seat: what it is shown, offered, told, refused and answered, on every front end.

Enters: a state, a seat. Leaves: values by the name of what gives them, to be compared with those of another state.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from rulelang.diagnostics import IllegalAction, RuleError
from rulelang.envs import PickGame, spec
from rulelang.game import Action, State
from rulelang.runtime.sight import SPECTATOR
from rulelang.search import Searcher, SearchOptions
from rulelang.web.table import part
from tests.web.views import view_of

LANGUAGES = ("en", "fr")
ITERATIONS = 12


def outgoing(state: State, seat: int) -> dict[str, Any]:
    """What leaves for a seat, but for what is sampled."""
    told: dict[str, Callable[[], Any]] = {
        "information state": lambda: state.information_state(seat),
        "observation": lambda: state.observation(seat),
        "shown": lambda: state.shown(seat),
        "pending seats": state.current_players,
        "end": lambda: (state.is_terminal(), state.stage(), state.turns),
        "result": lambda: [state.scores(), state.winners(), state.ranks(), state.returns()] * state.is_terminal(),
        "sheets": lambda: [sheet.to_json() for sheet in state.seen_sheets(seat)],
        "count": lambda: state.event_count(seat),
        "plain events": lambda: state.events(seat, lang=None),
    }
    for lang in LANGUAGES:
        told[f"events {lang}"] = partial(_since, state.events, seat, lang)
        told[f"story {lang}"] = partial(_since, state.story, seat, lang)
        for name in ("", "table") if seat == SPECTATOR else ("", "table", "sheet", "why"):
            told[f"page {name} {lang}"] = partial(_page, state, seat, lang, name)
    if seat != SPECTATOR:
        told |= _asked(state, seat)
    return {name: _answer(ask) for name, ask in told.items()}


def _since(events: Callable[[int, int, str], Any], seat: int, lang: str) -> list[Any]:
    """Events or a story, from several numbers on."""
    return [events(seat, since, lang) for since in (0, 2, 5)]


def _page(state: State, seat: int, lang: str, name: str, piece: str = "") -> str | None:
    """A part of a seat's page."""
    view = view_of(state, seat, lang)
    return part(view if seat != SPECTATOR else replace(view, seat=None), name, piece)


def _asked(state: State, seat: int) -> dict[str, Callable[[], Any]]:
    """What a seat is asked and refused."""
    asked: dict[str, Callable[[], Any]] = {
        "options": lambda: [(action.id, action.text("en"), action.text("fr")) for action in state.legal_actions(seat)],
        "decision": lambda: _decision(state, seat),
        "arrays": lambda: _arrays(state, seat),
        "nonsense": lambda: state.legal("nonsense:x=1", seat),
        "card": partial(_page, state, seat, "en", "card", "ant"),
    }
    for lang in LANGUAGES:
        asked[f"refusals {lang}"] = partial(state.refusals, seat, lang)
    for id_ in ("act:card=ant", "act:shown=3", "act:choice=nut", "act:v0=1"):
        asked[f"refused {id_}"] = partial(state.legal, id_, seat)
    return asked


def _arrays(state: State, seat: int) -> Any:
    """What an agent of the seat sees as numbers, and what it can pick."""
    game = PickGame(spec(state.ruleset, state.players, state.options), state=state)
    return game.observe(seat), game.mask(seat), game.events(seat)


def _decision(state: State, seat: int) -> Any:
    """The question that waits for a seat, in words."""
    decision = state.decision(seat)
    return decision and [decision.prompt_in(lang) for lang in LANGUAGES]


def _answer(ask: Callable[[], Any]) -> Any:
    """An answer, or the error in its place."""
    try:
        answer = ask()
        return answer.id if isinstance(answer, Action) else answer
    except (IllegalAction, RuleError) as error:
        return f"{type(error).__name__}: {error}"


def sampled(state: State, seat: int, backend: str) -> dict[str, Any]:
    """What a seat is told or does by samples of what it does not know: worlds, searches; nothing at a chance node, of
    which no seat knows.

    Args:
        backend: of the search, see `SearchOptions`.
    """
    worlds: dict[str, Any] = {}
    if state.is_chance_node():
        return worlds
    for seed in (0, 1):
        world = _answer(partial(state.resample, seat, seed))
        worlds[f"world {seed}"] = world if isinstance(world, str) else world.hash()
        worlds[f"saved world {seed}"] = world if isinstance(world, str) else world.to_json()
    if seat not in state.current_players():
        return worlds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for trees in ("single", "multiple"):
            options = SearchOptions(backend=backend, trees=trees)
            worlds[f"search {trees}"] = _answer(partial(_search, state, seat, options))
    return worlds


def _search(state: State, seat: int, options: SearchOptions) -> list[tuple[str, int, float]]:
    """The visits and values of a search."""
    found = Searcher(ITERATIONS, 3, options=options).search(state, seat)
    return [(move.action.id, move.visits, move.value) for move in found.moves]


def differing(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """The names under which two states differ."""
    return [name for name in {**a, **b} if a.get(name) != b.get(name)]
