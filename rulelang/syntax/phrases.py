"""What people write in English, or as in other languages, and how it is written here.

Enters: a line that cannot be parsed. Leaves: the first of `PHRASES` that stands in it, with what to write. The names of
the author's line stand in the hint, so that it can be copied.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Phrase(NamedTuple):
    """A form that is none of the language: `pattern` has a group `at` where the finding points; message and hint may
    name the groups of the pattern as `\\g<name>`."""

    pattern: re.Pattern[str]
    code: str
    message: str
    hint: str


class Told(NamedTuple):
    """A phrase as found in a line: from which column, in which words."""

    column: int
    code: str
    message: str
    hint: str


_PLACE = r"[\w.]+(?:\[[^\]]*\])?"
_START = r"(?:^ *|: +)"


def _phrase(pattern: str, message: str, hint: str, code: str = "syntax-word") -> Phrase:
    filled = pattern.replace("PLACE", _PLACE).replace("START", _START)
    return Phrase(re.compile(filled), code, message, hint)


_COMPARED = {
    ">": r"(?:is )?(?:greater|more|bigger|higher|larger) than",
    "<": r"(?:is )?(?:less|fewer|smaller|lower) than",
    ">=": r"(?:is )?at least",
    "<=": r"(?:is )?at most",
    "!=": r"(?:is not|isn't|differs from)(?: equal to)?(?= \d)",
    "=": r"(?:is equal to|equals|is)(?= \d)|is equal to|equals",
}

PHRASES: tuple[Phrase, ...] = (
    _phrase(
        r"\bdraw (?P<at>a|an|one|the|some|\w*(?<=\d) \w+|cards?)(?: \w+)? from (?P<pile>PLACE) (?:in)?to (?P<to>PLACE)",
        "`draw` takes a number, a pile and a zone",
        r"write `draw 1 from \g<pile> to \g<to>`",
    ),
    _phrase(
        r"\bdraw (?P<at>a|an|one|the|some|cards?)\b(?: \w+)?",
        "`draw` takes a number, a pile and a zone",
        "write `draw 1 from deck to hand`, with your names for the pile and the zone",
    ),
    _phrase(
        r"\bdraw (?P<n>\w+) (?P<at>to) (?P<to>PLACE)",
        "`from` is missing before `to`: where the pieces are drawn from",
        r"write `draw \g<n> from deck to \g<to>`, with your name for the pile",
        "syntax-missing",
    ),
    _phrase(
        r"\bmove (?P<at>\d+|one|a|an|any) (?:\w+ )?(?:of|from) (?P<zone>PLACE)(?: (?:in)?to (?P<to>PLACE))?",
        "`move` takes pieces, not how many",
        r"write `move (choose 1 of \g<zone>) to …`: the player chooses; the top of a pile is `top 1 of \g<zone>`",
    ),
    _phrase(
        r"\bmove (?P<at>\d+|one|a|an) (?P<what>\w+) (?:in)?to (?P<to>PLACE)",
        "`move` takes pieces, not how many",
        r"write `move (choose 1 of ZONE) to \g<to>`, or give a piece a name first: `let x = choose one of ZONE`",
    ),
    _phrase(
        r"START(?P<at>end)$", "`end` does not say what ends", "write `end the game`, `end the turn` or `end the round`"
    ),
    _phrase(
        r"START(?P<at>end) (?P<what>game|turn|round|phase)\b",
        r"`the` is missing before `\g<what>`",
        r"write `end the \g<what>`",
        "syntax-missing",
    ),
    _phrase(
        r"\b(?P<at>\w+ (?:have|has|own|owns|hold|holds)) (?P<n>\d+)\b",
        "how many there are is a comparison of numbers",
        r"write `count(hand) >= \g<n>` for the pieces of a zone, `coins >= \g<n>` for a variable, with your names",
    ),
    _phrase(
        r"\b(?P<at>you (?:have|own|hold))\b",
        r"`\g<at>` is no condition of the language",
        "what is yours stands alone: `hand is not empty`, `coins > 0`",
    ),
    *(
        _phrase(
            rf"(?:\b(?!choose\b)PLACE|\)) (?P<at>{words})(?: |$)",
            "numbers are compared with signs",
            rf"write `{sign}` for `\g<at>`",
            "syntax-compare",
        )
        for sign, words in _COMPARED.items()
    ),
    _phrase(
        r"\b(?P<at>count|number|size|amount) of (?:the )?(?P<zone>PLACE)",
        r"`\g<at> of` is no value of the language",
        r"write `count(\g<zone>)`",
    ),
    _phrase(r"\b(?P<at>sum|total) of (?P<what>PLACE)", r"`\g<at> of` is no value", r"write `sum(\g<what>)`"),
    _phrase(r"\b(?P<at>no) \w+ in (?P<zone>PLACE)", "`no` is no word of the language", r"write `\g<zone> is empty`"),
    _phrase(
        r"\b(?P<at>there (?:is|are))\b.*",
        "`there is` is no condition of the language",
        "write `any(c.colour = red for c in hand)`, or `hand is not empty`",
    ),
    _phrase(
        r"\b(?P<at>your|my|his|her|their|its) (?P<what>\w+)",
        r"`\g<at>` is no word of the language",
        r"what belongs to who acts stands alone: `\g<what>`; of another player it is `p.\g<what>`",
    ),
    _phrase(
        r"\bchoose (?:a|an|one|\d+|any|some) (?P<what>\w+) (?P<at>from|of|in) (?P<zone>(?!\d)PLACE)",
        "what is chosen is not named here",
        r"write `choose one of \g<zone>`, or `choose 2 of \g<zone>`",
        "syntax-choose",
    ),
    _phrase(
        r"\bchoose (?P<n>one|any|\d+) (?P<at>from|in) (?P<zone>PLACE)",
        r"`of` must stand here, not `\g<at>`",
        r"write `choose \g<n> of \g<zone>`",
        "syntax-choose",
    ),
    _phrase(
        r"\bchoose (?P<a>\d+) ?(?P<at>\.\.|-) ?(?P<b>\d+) of (?P<zone>PLACE)",
        r"`to` must stand here, not `\g<at>`",
        r"write `choose \g<a> to \g<b> of \g<zone>`",
        "syntax-choose",
    ),
    _phrase(
        r"START(?P<name>PLACE) (?P<at>=[+-]) ?(?P<n>\S+)$",
        "the sign of a change stands before the `=`",
        r"write `\g<name> += \g<n>`, or `-=`",
        "syntax-assign",
    ),
    _phrase(
        r"START(?P<at>(?P<name>PLACE)) (?P<sign>[+-]) (?P<n>\S+)$",
        "a value alone is no statement",
        r"write `\g<name> \g<sign>= \g<n>` to change it",
        "syntax-assign",
    ),
    _phrase(
        r"START(?P<at>gains?|gets?|earns?|receives?|collects?|wins?|takes?) (?P<n>\w+) (?P<name>\w+)$",
        r"`\g<at>` begins no statement",
        r"write `\g<name> += \g<n>`, with the name of the variable",
    ),
    _phrase(
        r"START(?P<at>loses?|spends?|pays?) (?P<n>\w+) (?P<name>\w+)$",
        r"`\g<at>` begins no statement of this form",
        r"write `\g<name> -= \g<n>`, with the name of the variable; goods of a bag are paid with `pay … from …`",
    ),
    _phrase(
        r"START(?P<at>increase|increment|raise) (?P<name>PLACE) by (?P<n>\w+)",
        r"`\g<at>` begins no statement",
        r"write `\g<name> += \g<n>`",
    ),
    _phrase(
        r"START(?P<at>decrease|decrement|lower|reduce) (?P<name>PLACE) by (?P<n>\w+)",
        r"`\g<at>` begins no statement",
        r"write `\g<name> -= \g<n>`",
    ),
    _phrase(
        r"START(?P<at>add) (?P<n>\w+) to (?P<name>PLACE)",
        r"`\g<at>` begins no statement",
        r"write `\g<name> += \g<n>`, the variable first",
    ),
    _phrase(
        r"START(?P<at>subtract|remove|take) (?P<n>\d+) from (?P<name>PLACE)",
        r"`\g<at>` begins no statement",
        r"write `\g<name> -= \g<n>`",
    ),
    _phrase(
        r"START(?P<at>set) (?P<name>PLACE) (?:to|=) (?P<value>.+)$",
        "`set` begins no statement",
        r"write `\g<name> := \g<value>`",
    ),
    _phrase(r"START(?P<at>do nothing)$", "`do` begins no statement", "write `pass` to do nothing"),
    _phrase(
        r"START(?P<at>do|call|run|execute|perform) (?P<rule>\w+)",
        r"`\g<at>` begins no statement",
        r"a rule is called by its name: `\g<rule>()`",
    ),
    _phrase(r"START(?P<at>nothing|skip|noop)$", r"`\g<at>` alone is no statement", "write `pass` to do nothing"),
    _phrase(
        r"START(?P<at>print|log|say|show|message)\b(?! *[(:.+-])",
        r"`\g<at>` begins no statement",
        "the log is written by itself; `reveal x` shows a hidden value to all",
    ),
    _phrase(
        r"START(?P<at>unless) (?P<cond>.+?):", "`unless` is no word of the language", r"write `if not (\g<cond>):`"
    ),
    _phrase(r"START(?P<at>until) (?P<cond>.+?):", "`until` opens no block", r"write `while not (\g<cond>):`"),
    _phrase(
        r"START(?P<at>switch|case|match)\b",
        r"`\g<at>` is no word of the language",
        "write `if …:`, `else if …:`, `else:`; a table of numbers is `{1: 2, 3: 5} at n`",
    ),
    _phrase(
        r"START(?P<at>for|loop|do) (?P<n>\w+) times",
        "how often something is done follows `repeat`",
        r"write `repeat \g<n> times:`",
    ),
    _phrase(
        r"START(?P<at>for|foreach) (?P<name>\w+) (?:from|=) (?P<a>\w+) to (?P<b>\w+)",
        "`for` goes through a collection, not from a number to another",
        r"write `repeat \g<b> times:`, or `for \g<name> in numbers(\g<a>, \g<b>):`",
    ),
    _phrase(
        r"START(?P<at>deal|give) (?P<n>\w+)(?: \w+)? to (?:each|every|all)\b",
        r"`\g<at>` begins no statement",
        r"write `for p in players: draw \g<n> from deck to p.hand`, with your names for the pile and the zone",
    ),
    _phrase(
        r"\bfor (?:\w+ in )?(?P<at>each|every|all) (?:player|players|of players)\b",
        r"`for` needs no `\g<at>`",
        "write `for p in players:`",
        "syntax-missing",
    ),
    _phrase(
        r"START(?P<at>(?P<seat>[\w.]+)\.turn):",
        "a turn is opened by `turn of`",
        r"write `turn of \g<seat>:`",
        "syntax-block",
    ),
    _phrase(
        r"[(,] ?(?P<at>(?P<type>[A-Z]\w*|player|number|bool|int)) (?P<name>\w+) ?[,)]",
        "the type of a parameter stands after its name",
        r"write `\g<name>: \g<type>`",
        "syntax-missing",
    ),
    _phrase(
        r"(?<!end )\b(?P<at>the) (?P<what>\w+)",
        "`the` is no word of the language here",
        r"write `\g<what>` without it",
    ),
    _phrase(
        r"^ *(?P<at>[-*]) (?P<name>\w+)\b",
        "items of a menu and statements begin without a dash",
        r"write `\g<name>`, indented like the other lines of the block",
        "syntax-unexpected",
    ),
)


def phrase_in(line: str, until: int) -> Told | None:
    """The first phrase that begins in a line before the column `until`, both counted from 0."""
    for phrase in PHRASES:
        match = phrase.pattern.search(line)
        if match is not None and match.start("at") <= until and match.end() >= until:
            message, hint = match.expand(phrase.message), match.expand(phrase.hint)
            return Told(match.start("at"), phrase.code, message, hint)
    return None
