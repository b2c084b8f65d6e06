"""What people call keys and values of the YAML.

Enters: a word that is none. Leaves: the key, value or code of a language that was probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rulelang.diagnostics import nearest
from rulelang.languages import codes, folded, language

_CALLED = {
    "active": "activated in_force works",
    "attributes": "properties props fields columns stats",
    "capacity": "max maximum size limit",
    "decisions": "turns rounds moves steps actions max_turns",
    "columns": "width cols w x",
    "count": "number quantity copies amount qty times num nb n",
    "default": "initial value",
    "extends": "extend base parent inherits based_on variant_of",
    "holds": "kind type contains content holding of",
    "given": "setup state before position",
    "id": "name key code card title ref do action move option choose",
    "kinds": "piece_types card_types categories sorts classes",
    "languages": "language lang langs",
    "name": "title label called scenario test",
    "many": "plural other others",
    "one": "singular",
    "order": "ordered stack sorted",
    "over": "ended finished game_over ends",
    "per": "owner owned_by each belongs",
    "pieces": "cards tiles tokens components items deck",
    "players": "player_count number_of_players num_players nb_players",
    "remove": "delete removed deleted drop",
    "rows": "height h y",
    "rules": "rule script code actions text effect",
    "start": "initial init default value begin starts in zone",
    "then": "expect expected expects assert asserts after result results check checks",
    "types": "enum enums enumeration enumerations",
    "type": "kind range datatype values min max minimum maximum lowest highest between",
    "values": "choices list items members",
    "variables": "vars counters state",
    "visible": "visibility shown seen face public hidden secret private",
    "when": "actions moves steps do plays",
    "winners": "winner won wins",
    "zones": "places areas piles locations",
}
"""Key -> what people call it."""
VALUES = {
    "bag": "unordered random set",
    "all": "public everyone everybody yes true open players",
    "count": "back facedown face_down down size",
    "nobody": "none no false hidden secret",
    "owner": "private player self me you own holder",
    "pile": "shuffled stack deck list ordered yes true queue lifo fifo",
    "player": "players each each_player per_player seat seats everyone",
}
"""Value -> what people call it."""
_CODES = {
    "de": "german deutsch allemand",
    "es": "spanish",
    "it": "italian",
    "nl": "dutch",
}


@cache
def _foreign_keys() -> tuple[dict[str, str], ...]:
    """Return for each language what people call keys and values in it, without accents."""
    return tuple(language(code).texts("syntax").get("KEYS", {}) for code in codes())


def sense_of(key: str, known: Iterable[str], called: dict[str, str] = _CALLED) -> str:
    """Return the known key of which a key has the sense, in any language; empty if none."""
    known, word = list(known), re.sub(r"\W+", "_", folded(key))
    tables = (called, *(_foreign_keys() if called in (_CALLED, VALUES) else ()))
    return next((name for words in tables for name in known if word in words.get(name, "").split()), "")


def key_meant(key: str, known: Iterable[str], called: dict[str, str] = _CALLED) -> str:
    """Return the known key that a key stands for: of the same sense, or of nearly the same letters; empty if none."""
    known = list(known)
    sense = sense_of(key, known, called) or nearest(key, known)
    parts = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", key)
    return sense or (
        next((name for name in known if name in [part.lower() for part in parts]), "") if parts[1:] else ""
    )


def code_meant(text: str) -> str:
    """Return the code of the language that a text stands for; empty if none."""
    called = _CODES | {code: language(code).called for code in codes()}
    code = key_meant(text, called, called)
    return code if code in called else ""
