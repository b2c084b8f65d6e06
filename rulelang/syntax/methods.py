"""Calls as programs have them, said as statements: `hand.append(deck.pop())`, `move(card, hand, tableau)`.

Enters: a line, what the ruleset calls things. Leaves: the statement that it means. A call is taken apart into its verb,
its receiver and its arguments, nested calls too; what each of them is (a zone, a number, somebody, how many, a piece)
follows from the ruleset's names, and verb and roles give the statement. The verbs stand in `methods.toml`.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rulelang.diagnostics.names import USUAL_ZONES, OwnNames
from rulelang.syntax.sentences import LONGEST, Sentence, parses, shown_lines

_PATH = re.compile(r"[A-Za-z_]\w*(?:(?:\.|:(?=\w+\())[A-Za-z_]\w*|\[-?\d\](?=\.)|\(\d\)(?=\.))*")
_TARGET = re.compile(r"(?:(?:let|var|const|local|auto|val|final|[A-Z]\w*) )?([a-z]\w*) ?:?= ?(?=[A-Za-z_])")
_BEHIND = re.compile(r"(?:(?:else )?if|else|for|while|[a-z]\w*(?:\([^:]*\))?(?: when [^:]+)?)\b[^:{]*?: (?=\S)")
_WORD = re.compile(r"[A-Z]?[a-z]+|\d+|[A-Z]+(?![a-z])")


@cache
def _tables() -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    """Load the verbs, each with what it does, and the words that mean nothing more."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    verbs = {verb: sort for sort, verbs in data["verbs"].items() for verb in verbs.split()}
    return verbs, {name: frozenset(words.split()) for name, words in data["words"].items()}


@dataclass
class _Call:
    """A call: what its verb does, and its receiver and arguments by what they are.

    Attributes:
        sort: what its verb does, a key of `[verbs]`.
        zones, pieces, numbers, amounts: zones, pieces, variables that are numbers, how many.
        who: whose something is, with its dot; empty for who acts.
        inner: the call that is its argument.
        ends: what is ended, if that is said.
    """

    sort: str
    zones: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    amounts: list[str] = field(default_factory=list)
    who: str = ""
    inner: _Call | None = None
    ends: str = ""

    def amount(self, usual: str) -> str:
        """Return how many, or what is usual if that is not said; a call says by 0 or -1 at which end."""
        return next((amount for amount in self.amounts if amount not in ("0", "-1")), usual)


def statement_meant(line: str, names: OwnNames) -> tuple[int, Sentence] | None:
    """Return which column the calls of a line begin at, from 0, and what they mean; None if they are not understood.

    Args:
        line: the line, with its indentation.
        names: what the ruleset calls things.
    """
    text = line.rstrip().rstrip(";}")
    if len(text) > LONGEST or "(" not in text:
        return None
    start = len(text) - len(text.lstrip())
    if behind := _BEHIND.match(text[start:]):
        start += behind.end()
    own = re.fullmatch(r"(?:self|this|me|game)\.([A-Za-z]\w*)(\([\w., ]*\))", text[start:])
    if own and (name := "_".join(word.lower() for word in _WORD.findall(own[1]))) in names.answers:
        return start, Sentence("a rule or an event is called by its name alone", f"write `{name}{own[2]}`")
    lines: list[str] = []
    calls: list[_Call] = []
    for part in re.split(r"; ?|(?<=\)) (?=[a-z]\w*[.:]\w+\()", text[start:]):
        target = _TARGET.match(part)
        call, end = _call(part, target.end() if target else 0, names)
        if call is None or part[end:].strip():
            return None
        calls.append(call)
        if calls[1:] and calls[-2].sort == "remove" and calls[-2].pieces == call.pieces:
            lines.pop()  # what leaves a zone is what goes to the next
        if not (said := _said(call, target[1] if target else "", names)):
            return None
        lines += said
    if not lines or not parses(lines):
        return None
    message = "this is a call as programs have them; here it is a statement"
    return start, Sentence(message, f"write {shown_lines(lines)}")


def _call(text: str, start: int, names: OwnNames) -> tuple[_Call | None, int]:
    """Return the call that stands at a column and where it ends; None if it is none that is understood."""
    path = _PATH.match(text, start)
    if path is None or text[path.end() : path.end() + 1] != "(":
        return None, start
    receiver, _, called = re.sub(r":(?=\w+$)", ".", path[0]).rpartition(".")
    verbs, words = _tables()
    said = [word.lower() for part in called.split("_") for word in _WORD.findall(part)]
    if not said or said[0] not in verbs or "_".join(said) in names.answers:
        return None, start
    call = _Call(verbs[said[0]])
    if receiver and receiver not in words["owners"] and not _add(call, receiver, names):
        return None, start
    for word in said[1:]:
        if call.sort == "end" and word in ("game", "turn", "round"):
            call.ends = word
        elif word not in words["plain"] and not _add_noun(call, word, names):
            return None, start
        elif word == "random" and call.sort == "choose":
            call.sort = "random"
    at = path.end() + 1
    while text[at : at + 1] not in (")", ""):
        if (inner := _call(text, at, names))[0] is not None:
            call.inner, at = inner
        elif argument := re.compile(r"[\w.]+(?:\(\d\)[\w.]*)?(?:\[-?\d\])?(?: ?[+*-] ?[\w.]+)*").match(text, at):
            if not _add(call, argument[0], names):
                return None, start
            at = argument.end()
        else:
            return None, start
        at = re.compile(r" ?,? ?").match(text, at).end()  # type: ignore[union-attr]
    return (call, at + 1) if text[at : at + 1] == ")" else (None, start)


def _add_noun(call: _Call, word: str, names: OwnNames) -> bool:
    """Add what a name has besides its verb, `drawCards`, `addCoal`; return whether that is known."""
    for declared in (word, f"{word}s", word.removesuffix("s")):
        if declared in names.zones or declared in names.numbers:
            return _add(call, declared, names)
    return word in names.nouns


def _add(call: _Call, text: str, names: OwnNames) -> bool:
    """Add a receiver or an argument to a call by what it is; return whether that is known."""
    acting = _tables()[1]["acting"]
    head, _, last = text.rpartition(".")
    text = last if head in acting - {"player"} else text
    if re.fullmatch(r"-?\d+(?: ?[+*-] ?[\w.]+)*|[\w.]+ ?[+*-] ?[\w.]+(?: ?[+*-] ?[\w.]+)*", text):
        call.amounts.append(text)
    elif indexed := re.fullmatch(r"([\w.]+)\[(-?\d)\]", text):
        call.pieces.append(f"{'bottom' if indexed[2].startswith('-') else 'top'} of {indexed[1]}")
    elif last in (names.zones or USUAL_ZONES):
        call.zones.append(text)
    elif last in names.numbers:
        call.numbers.append(text)
    elif text in acting:
        pass
    elif re.fullmatch(r"p|q|owner|next|previous|opponent|target|seat\(\d\)", text):
        call.who = f"{text}."
    elif re.fullmatch(r"[a-z]\w*", text) and text not in names.declared:
        call.pieces.append(text)
    else:
        return False
    return True


def _said(call: _Call, target: str, names: OwnNames) -> list[str]:
    """Return the statements that a call means whose value gets a name, if it has one; nothing if it means none."""
    if call.sort in ("choose", "random") or (call.sort == "take" and target):
        return _named(call, target or "card", names)
    if call.sort == "shuffle" and call.zones:
        return [f"shuffle {call.zones[0]}"]
    if target:
        return []
    if call.sort == "end":
        return ["return" if call.ends in ("turn", "round") else "end the game"]
    amount, has_pieces = call.amount(""), bool(call.zones or call.pieces or call.inner)
    if call.numbers or (call.sort in ("gain", "lose") and amount and not has_pieces):
        sign = {"set": ":=", "lose": "-=", "remove": "-="}.get(call.sort, "+=")
        number = next(iter(call.numbers), "coins")
        return [f"{number if '.' in number else f'{call.who}{number}'} {sign} {amount or 1}"]
    if call.sort == "take" or (call.sort == "gain" and call.zones):
        source, to = _ends(call, names)
        return [f"draw {call.amount('1')} from {source} to {to}"]
    zones = call.zones
    if call.who and not (zones and call.sort == "put"):
        zones = [*zones, f"{call.who}hand"]
    if call.inner is not None and call.inner.sort == "take" and zones:
        return [f"draw {call.inner.amount('1')} from {_ends(call.inner, names)[0]} to {zones[-1]}"]
    what = _moved(call, amount)
    if call.sort == "remove" and (what or zones):
        return [f"move {what or zones[0]} to discard"]
    if call.sort == "put" and amount and zones and not what:
        return [f"draw {amount} from deck to {zones[-1]}"]
    return [f"move {what or zones[0]} to {zones[-1]}"] if zones and (what or zones[1:]) else []


def _named(call: _Call, name: str, names: OwnNames) -> list[str]:
    """Return the statement that gives a name to what a call chooses or takes."""
    zone = next(iter(call.zones), "deck" if call.sort == "take" else "hand")
    if call.sort == "random" and call.amounts and not call.zones:
        return [f"let {name} = roll {call.amounts[0] if call.amounts[1:] else 1} to {call.amounts[-1]}"]
    if call.sort == "take" and not _is_held(zone, names):
        return [f"let {name} = top of {zone} else return", f"move {name} to hand"]
    how, amount = "random" if call.sort == "random" else "choose", call.amount("1")
    if amount == "1" or call.sort == "take":
        return [f"let {name} = {how} one of {zone} else return"]
    return [f"let {name} = {how} {amount} of {zone}"]


def _moved(call: _Call, amount: str) -> str:
    """Return which pieces a call moves; empty if it names none."""
    if call.inner is not None and call.inner.sort in ("choose", "random"):
        how, zone = call.inner.sort, next(iter(call.inner.zones), "hand")
        return f"({how} {call.inner.amount('one')} of {zone})"
    if call.pieces:
        return call.pieces[-1]
    return f"(choose {amount} of {call.zones[0] if call.zones else 'hand'})" if amount and call.sort != "put" else ""


def _ends(call: _Call, names: OwnNames) -> tuple[str, str]:
    """Return from where and to where a call draws."""
    sources = [zone for zone in call.zones if not _is_held(zone, names)]
    targets = [zone for zone in call.zones if zone not in sources[:1]]
    return next(iter(sources), "deck"), next(iter(targets), f"{call.who}hand")


def _is_held(zone: str, names: OwnNames) -> bool:
    """Return whether a zone is what a player holds or has laid out, where nobody draws from."""
    last = zone.rpartition(".")[2]
    return last in {*("hand", "tableau"), *(names.usual.get(usual) for usual in ("hand", "tableau"))}
