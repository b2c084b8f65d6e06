"""Rules, functions and events as the ruleset words them, or by their names and what they are about.

Enters: names of procedures with their arguments. Leaves: sentences of the ruleset filled in; titles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rulelang.languages.grammar import Noun, Phrase
from rulelang.prose.context import ProseContext, name_of
from rulelang.prose.sorts import NUMBER, PLAYER, Sort
from rulelang.ruleset.sentences import THE, Fragment, parse_sentence
from rulelang.syntax import ast

FIRST_VERB = re.compile(r" ((?:ne |n'|se |s')?[\w-]+)")
Arguments = list[tuple[Sort, Phrase]]


def arguments(at: ProseContext, nodes: Iterable[ast.Expr]) -> Arguments:
    """Return sort and phrase of each argument."""
    return [(at.sort(node), at.value(node)) for node in nodes]


def called(at: ProseContext, node: ast.Call) -> str:
    """Word a call as a possible action: `“steal” for you with 3`, or by the ruleset's sentence."""
    if (words := worded(at, node)) is not None:
        return at.say("call.worded", call=words)
    return title(at, node.function.text, arguments(at, node.arguments))


def title(at: ProseContext, name: str, about: Arguments) -> str:
    """Word the name of a rule or event with its arguments: `“steal” for you with 3`."""
    text = at.quoted(name)
    for key, seats in (("call.for", True), ("call.with", False)):
        if parts := [phrase.text for sort, phrase in about if (sort == PLAYER) == seats]:
            text = at.say(key, x=text, parts=at.joined(parts))
    return text


def named_value(at: ProseContext, name: str, about: Arguments) -> Phrase:
    """Word the value of a function by its name: `your places`, `the cost of that card for you`."""
    if at.nouns.is_done(name):
        return at.phrase("Call.result.value", call=title(at, name, about))
    noun = at.whole(name)
    if len(about) == 1 and about[0][0] != NUMBER:
        return at.grammar.possessed(about[0][1], noun)
    noun_phrase = at.the(noun)
    for key, seats in (("of", False), ("for", True)):
        parts = [at.say(f"{key}.part", x=phrase) for sort, phrase in about if (sort == PLAYER) == seats]
        if parts:
            noun_phrase = replace(noun_phrase, text=at.say(f"call.{key}", x=noun_phrase, parts=at.joined(parts)))
    return replace(noun_phrase, plain=not about)


def worded(at: ProseContext, node: ast.Call, *, command: bool = False) -> str | None:
    """Word a call by the ruleset's sentence for it, arguments filled in; None if there is none.

    `command` lets `you` become the silent subject of a command.
    """
    name = node.function.text
    fields, counts = {}, {}
    if name not in at.nouns.procedures:
        return None
    for (param, _), argument in zip(at.nouns.params(name), node.arguments, strict=False):
        good = name_of(argument)
        fields[param] = (at if good else at.after).value(argument)
        if good not in at.names and (good in at.nouns.values or good in at.nouns.goods):
            counts[param] = at.unit(good)
    return worded_with(at, name, fields, command=command, counts=counts)


def worded_with(
    at: ProseContext,
    name: str,
    fields: Mapping[str, Phrase],
    *also: str,
    command: bool = False,
    counts: Mapping[str, Noun] | None = None,
) -> str | None:
    """Return the ruleset's sentence for one of these names; None if there is none, or it asks for other fields.

    A verb right after the first field agrees with it; `command`: one of you may be told to do it. `counts`: what
    has a plural right after a number.
    """
    parts = sentence_parts(at, name, *also)
    if not parts or any(part.field and part.field not in fields for part in parts):
        return None
    numbers = [param for param, sort in at.nouns.params(name) if sort == NUMBER]
    sentence, subject, before = "", None, ""
    for number, part in enumerate(parts):
        text = part.text
        if subject is not None and (verb := FIRST_VERB.match(text)) is not None:
            text = f" {at.grammar.verb(verb[1], subject)}{text[verb.end() :]}"
        subject = None
        if part.field:
            said = fields[part.field]
            subject = said if number == 0 and not text and (said.person == "you" or said.many) else None
            if subject is not None and command and subject.person == "you":
                subject = replace(subject, silent=True)
                continue
            if before and part.text == " " and counts and part.field in counts:
                text += at.counted(before, counts[part.field]).removeprefix(f"{before} ")
            else:
                text += at.counted_unit(said.text, part.noun) if part.noun and part.noun != THE else said.text
            before = said.text if part.field in numbers else ""
        sentence += text
    return at.grammar.elided(sentence.lstrip())


def sentence_parts(at: ProseContext, *names: str) -> tuple[Fragment, ...]:
    """Return the parts of the ruleset's sentence for the first of these names that has one; empty if none parses."""
    sentence = at.lexicon.sentence(*names)
    try:
        return parse_sentence(sentence) if sentence is not None else ()
    except ValueError:
        return ()
