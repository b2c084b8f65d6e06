"""Card texts as players know them: said as the rule text of a piece says it.

Enters: a line that can't be parsed where the rule text of a piece begins, what the ruleset declares. Leaves: the
handler, modifier, offer or exchange that it means, with the ruleset's own events, quantities and menus. The forms stand
in `card_texts.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

from rulelang.diagnostics.names import OwnNames
from rulelang.syntax.rewording import reworded
from rulelang.syntax.sentences import LONGEST, Sentence, condition_meant, parses, sentence, translated, value_meant

_FORMS = {
    "event": "`after {0}: …` reacts to an event",
    "quantity": "`modify {0}: plus 1` changes a quantity",
    "ability": "`on {0}: …` says what the piece does",
    "menu": "`offer in {0}:` adds to a menu what is indented below",
    "exchanges": "`exchange NAME in {0}: … -> …` adds an exchange",
}
"""Sort of declaration -> what the rule text of a piece does with one."""


@cache
def _data() -> dict[str, Any]:
    """Load the table."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _rows() -> list[tuple[re.Pattern[str], list[str]]]:
    """Load the forms: a pattern, what to write by the sort of declaration."""
    return [(re.compile(pattern, re.IGNORECASE), cast("list[str]", forms)) for pattern, forms in _data()["texts"]]


def card_text(line: str, names: OwnNames) -> Sentence | None:
    """Return what a line of a card means; None if it is none or the ruleset declares nothing that it could answer."""
    text = re.sub(r"\s+", " ", line).strip().rstrip(".!")
    for reading in dict.fromkeys((text, *translated(text))) if len(text) <= LONGEST else ():
        for pattern, forms in _rows():
            match = pattern.fullmatch(reading)
            for sort, _, form in (each.partition(": ") for each in forms) if match is not None else ():
                assert match is not None
                groups = {name.split("_")[0]: value for name, value in match.groupdict().items() if value is not None}
                named = _nearest(groups.get("what", ""), [n for n, (of, _) in names.answers.items() if of == sort])
                able = [
                    n
                    for n, (of, _) in names.answers.items()
                    if of == "ability" and _is_about(groups.get("what", ""), n)
                ]
                if sort == "event" and able and not _is_about(groups.get("what", ""), named):
                    named, form = able[0], form.replace("after NAME", "on NAME")
                if named or not sort:
                    message = "this is what a card says to players, and no rule text"
                    return Sentence(message, _filled(form, groups, named, names))
    return None


def what_begins(names: OwnNames) -> str:
    """Return a hint with what the rule text of a piece may begin with, in the ruleset's own names; empty if it declares
    nothing for pieces."""
    told = []
    for sort, form in _FORMS.items():
        name = next((name for name, (of, _) in names.answers.items() if of == sort), "")
        told += [form.format(f"{name}{names.answers[name][1]}")] if name else []
    return "; ".join(told)


def _nearest(text: str, known: list[str]) -> str:
    """Return the name of which a text speaks, else the first one; empty of none."""
    return next((name for name in known if _is_about(text, name)), next(iter(known), ""))


def _is_about(text: str, name: str) -> bool:
    """Return whether a text has a word of a name, whatever their endings."""
    stems = {_stem(word) for word in re.findall(r"[a-z]+", text.lower())}
    return bool(stems & {_stem(part) for part in name.split("_")})


def _stem(word: str) -> str:
    """Return a word without the endings of verbs and nouns."""
    plain = re.sub(r"(?:ied|ies)$", "y", word.lower())
    return re.sub(r"(.{3,}?)(?:ing|ed|es|s|e|er|t)$", r"\1", plain)


def _filled(form: str, groups: dict[str, str], name: str, names: OwnNames) -> str:
    """Return a form with what its pattern has found."""
    said = re.sub(r"\\g<(\w+)>", lambda group: groups.get(group[1], ""), form)
    given, when = names.answers[name][1] if name else "(…)", []
    what, deed = groups.get("what", "").lower(), groups.get("deed", "")
    others = re.search(cast("str", _data()["others"]), what)
    players = names.of_players.get(name, ())
    if players and not others and re.search(r"\b(?:you|yours?)\b", f"{what} {deed}"):
        given = re.sub(rf"\b{players[-1] if ' be ' in f'{what} {deed}' else players[0]}\b", "owner", given)
    if players and others and re.match("opponent|rival|.*other", others[0]):
        when.append(f"{players[0]} != owner")
    if name and not players and "when" not in form:
        when += ["you != owner"] if others and re.match("opponent|rival|.*other", others[0]) else []
        when += ["you = owner"] if re.search(r"\byou\b", what) and not others else []
    value = next((value for value in names.values if re.search(rf"\b{value}\b", what)), "")
    pieces = [param for param in re.findall(r"\w+", given) if param not in (*players, "owner")]
    if pieces and re.search(r"\b(?:another|other)\b(?! player)", what):
        when.append(f"{pieces[0]} != this")
    elif pieces and re.search(r"\b(?:this|it) ?(?:card|piece|tile)?\b", what) and "when" not in form:
        given = given.replace(pieces[0], "this")
    if pieces and value and "when" not in form:
        when.append(f"{pieces[0]}.{names.values[value]} = {value}")
    if name and groups.get("asks") and not _is_about(what, name):
        when.append(condition_meant(what, names) or "…")
    if (asked := re.fullmatch(r"if (?P<cond>[^:,]+?)(?:[:,] ?| then )(?P<deed>.+)", deed)) is not None:
        worded = reworded(f"if {asked['cond']}:", False)
        cond = worded.hint.removeprefix("write `if ").removesuffix(":`") if worded is not None else ""
        when, deed = [*when, cond or condition_meant(asked["cond"], names) or "…"], asked["deed"]
    given += f" when {' and '.join(when)}" if when else ""
    said = said.replace("NAME", name or "EVENT").replace("(…)", given)
    said = said.replace("VALUE", value_meant(groups.get("value", "")) or "…")
    deed = _deed(deed, names)
    proceeds = " (`pass` for nothing, `proceed` to let it go on)" if deed == "…" and "instead" in said else ""
    return said.replace("DEED", deed) + proceeds


def _deed(text: str, names: OwnNames) -> str:
    """Return what is done, as a statement; `…` if it is not understood."""
    plain = re.sub(r"^(?:you |then )?(?:may |can |must )?", "", text.strip())
    if parses([plain]):
        return plain
    for reading in _of_owner(plain):
        told = sentence(reading, False, names)
        shown = re.fullmatch("write `([^`]+)`(?: \\(.*)?", told.hint) if told is not None else None
        if shown is not None and not shown[1].endswith(":"):
            return shown[1]
    return "…"


def _of_owner(text: str) -> Iterator[str]:
    """Yield a text as said of the owner of the piece, then as it is."""
    if re.match(r"(?:gain|get|draw|lose|pay|receive|take|earn|score|spend|discard)\b", text):
        yield f"owner {re.sub('^([a-z]+)', lambda verb: f'{verb[1]}s', text)}"
    yield text
