"""How many elements a collection surely has: what `check` believes is never empty, and why.

Enters: the facts of a ruleset: numbers of players, whether rules put them out, the values of its types with every
number of players and every value of its options. Leaves: a lower bound for each operation that gives a collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any

from rulelang.diagnostics import Span
from rulelang.semantics.tree.core import CExpr, expressions, subexpressions
from rulelang.semantics.tree.shared import Shared, least_size
from rulelang.semantics.tree.symbols import OptionSym, TypeSym
from rulelang.semantics.tree.types import PLAYER, SetT, Type
from rulelang.vocabulary.computing import COMPUTES
from rulelang.vocabulary.operations import BINDING, EVERY, SUBSET, having

GAMES = 4096
"""Of so many combinations of players and options the values of a type are counted; of more it may have none."""
DIRECTIONS = 8


def set_of(shared: Shared, op: str, element: Type, args: tuple[Any, ...], span: Span) -> CExpr:
    """Return an operation that gives a collection, whose type says how many elements it surely has."""
    return CExpr(op, SetT(element, LEAST[op](shared, args)), args, span)


def all_parties(shared: Shared, span: Span) -> CExpr:
    """Return all seats, whether they are still in or not, and then the automata."""
    everyone, parties = (set_of(shared, op, PLAYER, (), span) for op in ("everyone", "parties"))
    automata = CExpr("difference", SetT(PLAYER), (parties, everyone), span)
    return set_of(shared, "union", PLAYER, (everyone, automata), span)


def _players(shared: Shared, args: Sequence[Any]) -> int:
    """Return how many are surely still in: nobody, as soon as rules put players out."""
    return 0 if shared.eliminates else _seats(shared, args)


def _seats(shared: Shared, _: Sequence[Any]) -> int:
    return min(shared.checked.ruleset.players)


def _domain(shared: Shared, args: Sequence[Any]) -> int:
    """Return how many values a type surely has."""
    sort, _, name = args[0].partition(":")
    if sort == "dir":
        return DIRECTIONS
    sym = shared.type_sym(name)
    return fewest_values(shared, sym) if sym is not None else 0


def _one_if_all(*places: int) -> Callable[[Shared, Sequence[Any]], int]:
    """Return the rule of an operation that gives something where all the collections in these places have something."""
    return lambda shared, args: min(1, *(least_size(args[place]) for place in places))


LEAST: dict[str, Callable[[Shared, Sequence[Any]], int]] = {
    **dict.fromkeys(EVERY, _players),
    **dict.fromkeys(having("apart"), lambda shared, args: 0),
    **{name: _one_if_all(int(name in BINDING)) for name in having("nonempty") & SUBSET},
    "everyone": _seats,
    "domain": _domain,
    "list": lambda shared, args: len(args),
    **dict.fromkeys({"map", *having("permutes")}, lambda shared, args: least_size(args[1])),
    "reachable": lambda shared, args: least_size(args[1]),
    "union": lambda shared, args: sum(map(least_size, args)),
    "flatten": _one_if_all(1, 2),
    **dict.fromkeys(("sub_bags", "placements"), lambda shared, args: 1),  # at least what is there, or nothing of it
}
"""Operation that gives a collection -> how many elements it surely has, from its arguments. What isn't here may always
be empty, but for what a condition around says (`rulelang.semantics.analysis.nonempty`)."""


# ---- the values of a type


def fewest_values(shared: Shared, sym: TypeSym) -> int:
    """Return how many values a type surely has, whatever the number of players and the options."""
    known = shared.fewest.get(sym.name)
    if known is None:
        known = shared.fewest[sym.name] = _counted(shared, sym)
    return known


def _counted(shared: Shared, sym: TypeSym) -> int:
    """Count the values of a type in the games in which it has the fewest; of those that depend on options at most
    one."""
    if sym.category == "between":
        return min((len(sym.between.get(count, ())) for count in shared.checked.ruleset.players), default=0)
    always = sum(condition.op == "const" for condition in sym.present) if sym.present else len(sym.values)
    if always or not sym.values:
        return always
    games = _games(shared, sym.present)
    return int(all(any(_value(condition, game) for condition in sym.present) for game in games))


def is_in_every_game(shared: Shared, sym: TypeSym, number: int) -> bool:
    """Return whether the value of a type with a number is there in every game: of a scenario in its own."""
    condition = sym.present[number]
    return all(_value(condition, game) for game in _games(shared, [condition]))


@dataclass(frozen=True)
class _Game:
    """A number of players and the values of some options, those of words by their number."""

    players: int
    options: Mapping[OptionSym, int]


def _games(shared: Shared, conditions: Sequence[CExpr]) -> Iterator[_Game]:
    """Yield the games that differ in the number of players or in the options that conditions read; behind GAMES of them
    one of which nothing is known."""
    parts = (part for condition in conditions for part in subexpressions(condition))
    named = {part.args[0].name: part.args[0] for part in parts if part.op == "option"}
    options = [named[name] for name in sorted(named)]
    number = 0
    for players in shared.checked.ruleset.players:
        values = [_numbers(shared, sym, players) for sym in options]
        for chosen in product(*values):
            number += 1
            if number > GAMES:
                yield _Game(0, {})
                return
            yield _Game(players, dict(zip(options, chosen, strict=True)))


def _numbers(shared: Shared, sym: OptionSym, players: int) -> list[int]:
    """Return the values of an option in a game of so many players as numbers, those of words by their place; the chosen
    one alone where the game is a certain one."""
    option, values = sym.option, sym.option.values
    chosen = None if shared.chosen is None else shared.chosen.get(option.name, option.default_for(players))
    suiting = [(i, v) for i, v in enumerate(values) if option.suits(v, players) and chosen in (None, v)]
    return [i if isinstance(v, str) else int(v) for i, v in suiting]


def _value(e: CExpr, game: _Game) -> int | None:
    """Return the value of a constant expression in a game; None if it is not certain."""
    match e.op:
        case "const":
            return int(str(e.args[0]))
        case "option":
            return game.options.get(e.args[0])
        case "player_count":
            return game.players or None
        case "if":
            condition, then, otherwise = expressions(e.args)
            asked = _value(condition, game)
            return None if asked is None else _value(then if asked else otherwise, game)
    values = [_value(part, game) for part in expressions(e.args)] if e.op in COMPUTES else [None]
    with suppress(ZeroDivisionError):
        return None if None in values else int(COMPUTES[e.op](*values))
    return None
