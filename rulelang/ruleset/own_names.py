"""Which names of a ruleset stand for what most games have: the pile that is drawn from, what a player holds, money.

Enters: a `WrittenRuleset`. Leaves: its `OwnNames`, which hints are told in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from rulelang.diagnostics.names import PIECE, USUAL_ZONES, OwnNames
from rulelang.languages import folded
from rulelang.ruleset.model import KindDecl, ValueDecl, WrittenRuleset, ZoneDecl

_NUMBER = re.compile(r"-?\w+ *\.\.|number\b")


def own_names(ruleset: WrittenRuleset) -> OwnNames:
    """Return the names by which a ruleset's author knows things; what it has none for keeps its usual name."""
    values = {type.name: type.values for type in ruleset.types} | {of.name: of.values for of in ruleset.resources}
    kind = _main_kind(ruleset)
    usual = dict(_zones([zone for zone in ruleset.zones if kind is not None and zone.holds == kind.name]))
    usual |= dict(_amounts(ruleset))
    if kind is not None:
        usual |= dict(_attributes(kind, values))
    tables = (
        *(ruleset.zones, ruleset.variables, ruleset.kinds, ruleset.marks),
        *(ruleset.options, ruleset.grids, ruleset.positions, ruleset.automata),
    )
    declared = {named.name for table in tables for named in table}
    declared |= {*values, *(value.name for listed in values.values() for value in listed)}
    attributes = [attribute for kind in ruleset.kinds for attribute in kind.attributes]
    declared |= {attribute.name for attribute in attributes}
    nouns = {noun: meant for noun, meant in _nouns(ruleset) if noun not in declared}
    of_value = {value.name: a.name for a in reversed(attributes) for value in values.get(a.type.text, ())}
    zones = frozenset(zone.name for zone in ruleset.zones)
    numbers = frozenset(variable.name for variable in ruleset.variables if _NUMBER.match(variable.type.text))
    resources = frozenset(value.name for of in ruleset.resources for value in of.values)
    answers, of_players = _answered(ruleset)
    return OwnNames(
        frozenset(declared), usual, nouns, of_value, zones, numbers, resources, answers=answers, of_players=of_players
    )


_ANSWERED = re.compile(
    r"^ *(?:(event|quantity|ability|exchanges) ([a-z]\w*) ?(\(.*?\))?|choose ([a-z]\w*)(?: by \w+)?:)",
    re.MULTILINE,
)
_PARAM = re.compile(r"(?<![\w.])([a-z]\w*) ?: ?(\w+)")


def _answered(ruleset: WrittenRuleset) -> tuple[dict[str, tuple[str, str]], dict[str, tuple[str, ...]]]:
    """Return what the rule text of pieces may answer, and which parameters are players, as the rules declare
    them: read line by line, as they need not parse."""
    answers, of_players = dict[str, tuple[str, str]](), dict[str, tuple[str, ...]]()
    for file in ruleset.rule_files:
        for sort, name, params, menu in _ANSWERED.findall("\n".join(file.source.lines)):
            given = _PARAM.findall(params)
            shown = f"({', '.join(param for param, _ in given)})" if given and sort != "exchanges" else ""
            answers[name or menu] = sort or "menu", shown
            of_players[name] = tuple(param for param, type in given if type == "player")
    return answers, of_players


def _main_kind(ruleset: WrittenRuleset) -> KindDecl | None:
    """Return the kind that most is said of: that of a pile, or of most zones."""
    piled = [zone.holds for zone in ruleset.zones if zone.order == "pile" and not zone.per]
    held = Counter(zone.holds for zone in ruleset.zones)
    name = next(iter(piled), next((name for name, _ in held.most_common(1)), ""))
    return next((kind for kind in ruleset.kinds if kind.name == name), None)


def _zones(zones: list[ZoneDecl]) -> Iterator[tuple[str, str]]:
    """Yield usual names of zones with those of a kind that are like them."""
    of_players = [zone for zone in zones if zone.per == ("player",)]
    held = [zone for zone in of_players if zone.visible != "all"] or of_players
    laid = [zone for zone in of_players if zone.visible == "all"] or of_players
    piles = [zone for zone in zones if not zone.per and zone.order == "pile" and not zone.final]
    shared = [zone for zone in zones if not zone.per and zone not in piles[:1]]
    ends = [zone for zone in shared if zone.final] or shared[-1:]
    shown = [zone for zone in shared if not zone.final and zone.visible == "all"]
    for name, like in zip(USUAL_ZONES, (piles, held, laid, ends, shown), strict=True):
        if like:
            yield name, like[0].name


def _amounts(ruleset: WrittenRuleset) -> Iterator[tuple[str, str]]:
    """Yield usual names of numbers and bags with a variable that is one."""
    own = sorted(ruleset.variables, key=lambda variable: variable.per != ("player",))
    numbers = [variable.name for variable in own if _NUMBER.match(variable.type.text)]
    bags = [variable for variable in own if variable.type.text.startswith("bag of ")]
    if numbers:
        yield from (("coins", numbers[0]), ("points", numbers[0]))
    for mark in (mark for mark in ruleset.marks if mark.per == ("player",)):
        yield "resting", mark.name
    for bag in sorted(bags, key=lambda bag: bag.start is None)[:1]:  # what one begins with is spent
        yield "goods", bag.name


def _attributes(kind: KindDecl, values: Mapping[str, tuple[ValueDecl, ...]]) -> Iterator[tuple[str, str]]:
    """Yield usual names of attributes with some of a kind: a number, and one of listed values with such a value."""
    for attribute in reversed(kind.attributes):
        if _NUMBER.match(attribute.type.text):
            yield "value", attribute.name
        elif listed := values.get(attribute.type.text):
            yield "colour", attribute.name
            yield "red", listed[0].name


def _nouns(ruleset: WrittenRuleset) -> Iterator[tuple[str, str]]:
    """Yield what kinds, zones and variables are called in words, without accents, with what sentences call them."""
    named = [(kind.name, PIECE) for kind in ruleset.kinds]
    named += [(thing.name, thing.name) for table in (ruleset.variables, ruleset.zones) for thing in table]
    for name, meant in reversed(named):
        lower = name.lower()
        if meant != PIECE and len(lower) > len("abc") and lower.endswith("s"):
            yield lower.removesuffix("s"), meant
        if meant == PIECE:
            yield from ((lower, meant), (f"{lower}s", meant), (f"{lower}x", meant))
        for words in ruleset.words.values():
            word = words.get(name)
            for form in (word.one, word.many) if word is not None else ():
                plain = folded(form)
                if plain != meant and re.fullmatch(r"[^\W\d]\w*", plain):
                    yield plain, meant
