"""English: how verbs and possessives go, and one template for each construct of the language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rulelang.prose.grammar import Grammar, Phrase
from rulelang.resources import room_data
from rulelang.words.languages import Noun

IRREGULAR = {"is": "are", "has": "have", "does": "do", "goes": "go", "was": "were"}
ARTICLE = re.compile(r"\b([Aa]) (?=[aeio]|un(?!i)|8|11\b|18\b)")


class EnglishGrammar(Grammar):
    """English."""

    templates: Mapping[str, str] = room_data("prose", "english")
    player = Noun("player", "players")
    nouns: Mapping[str, Noun] = {
        "player": player,
        "number": Noun("number", "numbers"),
        "bool": Noun("answer", "answers"),
        "direction": Noun("direction", "directions"),
        "goods": Noun("good", "goods"),
        "bag": Noun("set of goods", "sets of goods"),
        "cost": Noun("cost", "costs"),
        "unknown": Noun("thing", "things"),
        "group": Noun("group", "groups"),
        "other": Noun("other player", "other players"),
        "opponent": Noun("opponent", "opponents"),
        "teammate": Noun("teammate", "teammates"),
        "everyone": Noun("player, in or out", "players, in or out"),
        "party": Noun("party", "parties"),
        "owner": Noun("owner", "owners"),
        "column": Noun("column", "columns"),
        "row": Noun("row", "rows"),
        "seat": Noun("seat number", "seat numbers"),
        "total_score": Noun("total score", "total scores"),
        "next": Noun("next player", "next players"),
        "previous": Noun("previous player", "previous players"),
        "key": Noun("common value", "common values"),
        "players": Noun("players", "players", plural=True),
        "cell": Noun("cell", "cells"),
        "line": Noun("line", "lines"),
        "orthogonal": Noun("orthogonal direction", "orthogonal directions"),
        "diagonal": Noun("diagonal direction", "diagonal directions"),
    }

    def verb(self, verb: str, subject: Phrase) -> str:
        """The form without -s, except after one that is neither you nor several."""
        first, _, rest = verb.partition(" ")
        if subject.many or subject.person == "you":
            first = IRREGULAR.get(first) or _without_s(first)
            if subject.silent and first == "are":
                first = "be"
        return f"{first} {rest}" if rest else first

    def possessed(self, owner: Phrase, thing: Noun) -> Phrase:
        """`your hand`, `its hand`, `whose hand`, `the player's hand`, `the hand of each player in the game`."""
        many = thing.plural
        name = thing.many if many else thing.one
        if owner.person == "you":
            return Phrase(f"your {name}", many=many)
        if owner.person == "pronoun":
            return Phrase(f"{'their' if owner.many or owner.gender == 'p' else 'its'} {name}", many=many)
        if owner.person == "whose":
            return Phrase(f"whose {name}", many=many)
        if owner.plain:
            mark = "'" if owner.text.endswith("s") else "'s"
            return Phrase(f"{owner.text}{mark} {name}", many=many)
        return Phrase(f"the {name} of {owner.text}", many=many, plain=False)

    def agreeing(self, adjective: Noun, subject: Phrase) -> str:
        """English adjectives don't change."""
        return adjective.one

    def phrase(self, text: str, *, plain: bool = False) -> Phrase:
        """Several only where it says so."""
        return Phrase(text, plain=plain)

    def polish(self, text: str) -> str:
        """`a` before a vowel is `an`; one space between words."""
        text = re.sub(r" {2,}", " ", text)
        text = re.sub(r" ([,;.)])", r"\1", text).replace("an other ", "another ")
        return ARTICLE.sub(lambda m: f"{m[1]}n ", text).rstrip(" ")


def _without_s(verb: str) -> str:
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb
