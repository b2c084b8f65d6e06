"""The words of events: one template per sort of event and language.

Enters: a structured event. Leaves: one plain sentence. A language that has no templates falls back to English.
"""

from __future__ import annotations

from typing import Any

ENGLISH = {
    "choice": "Seat {seat} chooses {item}{arguments}.",
    "commit": "Seat {seat} has chosen.",
    "chance": "Chance gives {value}.",
    "move": "{pieces} {verb} from {from} to {to}.",
    "shows": "{sentence} {shows} now lies on top.",
    "set": "{variable}{resource} becomes {new} (it was {old}).",
    "pset": "{variable}{resource} of {piece} becomes {new} (it was {old}).",
    "shuffle": "{zone} is shuffled.",
    "reveal": "{value} is shown to {seats}.",
    "begin": "The {scope} begins.",
    "begin_of": "The {scope} of seat {seat} begins.",
    "eliminate": "Seat {seat} is out.",
    "scored": "The game is over: the scores decide.",
    "declared": "The game is over: {winners} wins.",
    "drawn": "The game is over: it is a draw.",
    "hidden": "something",
    "somewhere": "somewhere",
    "absent": "none",
    "true": "yes",
    "false": "no",
    "one": "1 piece",
    "many": "{count} pieces",
    "goes": "goes",
    "go": "go",
    "nobody": "nobody",
}

TEMPLATES = {"en": ENGLISH}
"""Language -> the template of each sort of event, and the words that fill them."""


def sentence(event: dict[str, Any], lang: str = "en") -> str:
    """The event in words."""
    words = TEMPLATES.get(lang, ENGLISH)
    kind = event["type"]
    if kind == "move":
        return _move(event, words)
    if kind == "end":
        winners = ", ".join(f"seat {seat}" for seat in event.get("winners", ())) or words["nobody"]
        return words[event["outcome"]].format(winners=winners)
    if kind == "begin" and event["seat"] is not None:
        kind = "begin_of"
    # In a change null is an absent value, elsewhere one that the seat does not see.
    none = words["absent" if kind in ("set", "pset") else "hidden"]
    fields = {
        name: value if name in ("variable", "zone", "item", "scope", "piece") else _value(value, words, none)
        for name, value in event.items()
    }
    if "arguments" in event:
        parts = [f"{name} {_value(value, words, none)}" for name, value in event["arguments"].items()]
        fields["arguments"] = f" ({', '.join(parts)})" if parts else ""
    fields["resource"] = f".{event['resource']}" if "resource" in event else ""
    if kind == "reveal":
        fields["seats"] = ", ".join(f"seat {seat}" for seat in event["seats"]) or words["nobody"]
    return words[kind].format(**fields)


def _move(event: dict[str, Any], words: dict[str, str]) -> str:
    names = [name for name in event["pieces"] if name is not None]
    hidden = event["count"] - len(names)
    if hidden:
        names.append(words["one"] if hidden == 1 else words["many"].format(count=hidden))
    verb = words["goes"] if event["count"] == 1 else words["go"]
    origin, target = (event[end] or words["somewhere"] for end in ("from", "to"))
    # `from` is a keyword of Python, so the fields come as a mapping.
    text = words["move"].format_map({"pieces": ", ".join(names), "verb": verb, "from": origin, "to": target})
    return words["shows"].format(sentence=text, shows=event["shows"]) if "shows" in event else text


def _value(value: Any, words: dict[str, str], none: str) -> str:
    if value is None:
        return none
    if isinstance(value, bool):
        return words["true" if value else "false"]
    if isinstance(value, list):
        return ", ".join(_value(part, words, none) for part in value) or words["absent"]
    if isinstance(value, dict):
        return ", ".join(f"{count} {name}" for name, count in value.items() if count) or words["absent"]
    return str(value)
