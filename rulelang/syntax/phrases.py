"""What people write in English, or as in other languages, and how it is written here.

Enters: a line that cannot be parsed. Leaves: the first phrase of `phrases.toml` that stands in it, with what to write;
words of a language are in its `syntax.toml`.
The names of the author's line stand in the hint, so that it can be copied.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rulelang.diagnostics import Span
from rulelang.diagnostics.names import OwnNames
from rulelang.languages import codes, language, number_meant
from rulelang.syntax.methods import statement_meant
from rulelang.syntax.rewording import fits, reworded
from rulelang.syntax.sentences import condition_meant, half_meant, parses, sentence, value_meant
from rulelang.syntax.spreadsheets import Formula, formulas, said
from rulelang.syntax.words import BUILTIN_NAMES, KEYWORDS

_PLACE = r"[\w.]+(?:\[[^\]]*\])?"
_START = r"(?:^ *|: +)"
ADDED = re.compile(r"\|<([A-Z_]+)>")
"""What languages add to the words of a pattern."""


class Told(NamedTuple):
    """A phrase as found in a line: from which column, in which words."""

    column: int
    code: str
    message: str
    hint: str


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def sign_meant(text: str) -> str | None:
    """Return the spelling here of a foreign sign, such as `==`; None if the sign is not listed."""
    signs: dict[str, str] = _data()["signs"]
    return signs.get(text)


def word_meant(text: str) -> str | None:
    """Return the spelling here of a word from other languages and games; None if the word is not listed."""
    words: dict[str, str] = _data()["words"]
    return words.get(text)


@cache
def _rows() -> list[tuple[re.Pattern[str], tuple[str, ...], str, str]]:
    """Load the foreign phrases: pattern, codes, message, hint."""
    foreign = [language(code).texts("syntax") for code in codes()]

    def added(mark: re.Match[str]) -> str:
        return "".join(f"|{words[mark[1]]}" for words in foreign if mark[1] in words)

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(ADDED.sub(added, pattern).replace("PLACE", _PLACE).replace("START", _START))

    return [
        (compiled(pattern), tuple(under.split()), message, hint) for under, pattern, message, hint in _data()["phrases"]
    ]


def phrase_in(line: str, until: int, top: bool, names: OwnNames) -> Told | None:
    """Return what a line means that cannot be parsed beyond column `until`, from 0; None if that is not known.

    What reads all of the line counts before what reads a part: a phrase, a sentence, the line word by word where
    several are foreign, the first phrase that begins at or before the column and reaches it, the line word by word, a
    part of a sentence, the first phrase that says little (`weak`). What a phrase makes of a whole line must be right,
    or nothing else be known.

    Args:
        top: whether the line begins a declaration.
        names: what the ruleset calls things.
    """
    start = len(line) - len(line.lstrip())
    formula = next(formulas(line), None)
    if formula is not None and formula.start <= until and parses([f"let x = {formula.value}"]):
        return Told(formula.start, "syntax-word", *_formula(formula))
    if not top and (called := statement_meant(line, names)) is not None:
        return Told(called[0], "syntax-call", *called[1])
    worded = reworded(line.strip(), top)
    worded = worded._replace(hint=names.compared(worded.hint)) if worded else None
    whole: Told | None = None
    part = weak = None
    for pattern, under, message, hint in _rows():
        code = next((code for code in under if code.startswith("syntax")), "")
        match = pattern.search(line) if code and (top or "top" not in under) else None
        column = -1 if match is None else match.start("at") if match["at"] is not None else match.start()
        if match is not None and column <= until <= match.end():
            told = Told(column, code, match.expand(message), _expanded(hint, match, names))
            cond = match.groupdict().get("cond")
            is_half = cond is not None and "…" in told.hint and not parses([f"if {cond}: pass"])
            if not line[: match.start()].strip() and match.end() == len(line) and not is_half:
                shown = re.match("write `([^`]*)`", told.hint)
                if shown is None or "…" in shown[1] or fits(shown[1], top) or fits(shown[1], False):
                    sentence = None if _is_known(shown, names) else _sentence_in(line, top, names)
                    return sentence if sentence and _is_known(re.search("`(.+?)`", sentence.hint), names) else told
                whole = whole or told
                continue
            whole = whole or (told if is_half else None)
            part, weak = (part, weak or told) if "weak" in under else (part or told, weak)
    by_words = Told(start, "syntax-word", worded.message, worded.hint) if worded else None
    if worded and worded.changes == 1 and sign_meant(worded.sign):
        by_words = None  # told by itself
    if by_words and part and worded and worded.sign:
        by_words = part._replace(hint=by_words.hint)  # one sign, several times: that of the phrase says why
    sentence = _sentence_in(line, top, names)
    said = sentence or (by_words if worded and worded.changes > 1 else None) or whole
    said = said or (by_words if re.match(" *(?:may |after |before |instead |modify )", line) else None) or part
    said = said or (None if weak else by_words)
    half = None if said or top else half_meant(line.strip(), names)
    return said or (Told(start, "syntax-word", *half) if half else weak)


def _is_known(example: re.Match[str] | None, names: OwnNames) -> bool:
    """Return whether an example names nothing that the ruleset lacks, as far as that is known."""
    words = set(re.findall(r"\b[A-Za-z_]\w*+(?!\()", example[1])) if example is not None else set()
    return not names.declared or words - KEYWORDS - BUILTIN_NAMES <= names.declared


def _formula(formula: Formula) -> tuple[str, str]:
    """Return message and hint for a formula."""
    return f"`{formula.function}` is a function of spreadsheets", f"write `{formula.value}`"


def _typed(params: str, names: OwnNames) -> str:
    """Return parameters between parentheses with types, without who acts; nothing if there are none."""
    typed, sorts = [], _data()["parameters"]
    for param in params.strip("() ").split(","):
        name, _, type = (part.strip() for part in param.partition("=")[0].partition(":"))
        if name in ("", *sorts["acting"].split()):
            continue
        kind = next((kind for kind in names.declared if kind.lower() == name.lower() and kind != name), "")
        sort = "player" if name in sorts["player"].split() else kind
        sort = sort or ("number" if name in sorts["number"].split() else "TYPE")
        typed.append(f"{name}: {type or sort}")
    return f"({', '.join(typed)})" if typed else ""


def _expanded(hint: str, match: re.Match[str], names: OwnNames) -> str:
    """Return a hint with what the pattern has found, its value read as a sentence if it is one."""
    if params := match.groupdict().get("params"):
        hint = hint.replace(r"\g<params>", _typed(params, names).replace("\\", ""))
    value = value_meant(match.groupdict().get("value") or "")
    number = number_meant(match.groupdict().get("n") or "") if " times" in hint or "draw" in hint else ""
    if (cond := match.groupdict().get("cond")) and "\\g<cond>" in hint and not parses([f"if {cond}: pass"]):
        told = reworded(f"if {cond}:", False)
        asked = told.hint.removeprefix("write `if ").removesuffix(":`") if told else condition_meant(cond, names)
        hint = hint.replace(r"\g<cond>", asked.replace("\\", "") or "…")
        hint += "" if asked else ", with a condition such as `hand is not empty` or `count(hand) > 3`"
    if (number_name := match.groupdict().get("value") or "") in names.numbers:
        hint = hint.replace("count(hand)", number_name).removesuffix(", with what is counted")
    said = match.expand(hint.replace(r"\g<value>", value or r"\g<value>").replace(r"\g<n>", number or r"\g<n>"))
    groups = (name for name, (sort, _) in names.answers.items() if sort == "exchanges")
    said = said.replace("GROUP", match.groupdict().get("group") or next(groups, "GROUP"))
    change = _BY_SORT.search(said)
    return (change and _of_sort(change, names)) or said


_BY_SORT = re.compile(r"write `(?:move (?P<what>[\w.]+) to (?P<to>[\w.]+)|(?P<zone>[\w.]+) :?= (?P<value>[\w.]+))`")
"""What is done with a zone, or with a variable."""


def _of_sort(change: re.Match[str], names: OwnNames) -> str:
    """Return the hint at a move to what is no zone as a change of a variable, and the other way round; empty if the
    target is of the sort that the hint says."""
    target = (change["to"] or change["zone"]).rpartition(".")[2]
    if change["to"] and target in names.declared - names.zones:
        return f"write `{change['to']} += {change['what']}`"
    if change["zone"] and target in names.zones:
        return f"a zone is filled by moving pieces there: write `move {change['value']} to {change['zone']}`"
    return ""


def _sentence_in(line: str, top: bool, names: OwnNames) -> Told | None:
    """Return what a line, or what stands behind its last colon, means as a sentence."""
    starts = [len(line) - len(line.lstrip()), *([line.rindex(": ") + 2] if ": " in line and not top else [])]
    head = line.strip().partition(": ")[0]
    steps = (
        sentence(re.sub(": ", " and then ", line.strip(), count=1), top, names)
        if " " in head and len(starts) > 1
        else None
    )
    if steps is not None and head.split()[0] not in KEYWORDS:
        return Told(starts[0], "syntax-word", *steps)
    for start in starts:
        each = _EACH.match(line[:start])
        said = sentence(f"p {line[start:]}", top, names) if each is not None else None
        said = said or sentence(line[start:], top, names)
        if said is not None:
            hint = re.sub(r"\bp\b", each[1], said.hint) if each is not None else said.hint
            return Told(start, "syntax-word", said.message, hint)
    return None


_EACH = re.compile(r" *for (\w+) in (?:players|others)\b[^:]*: $")
"""What opens a line that is said of each player."""


_FOREIGN = ("attribute-unknown", "call-unknown", "index-extra", "syntax-call")
"""What is found in lines of other languages that can be parsed."""


def meant(code: str, span: Span, names: OwnNames) -> Told | None:
    """Return the foreign phrase that stands at the place of a finding in what parses, if one does that is told under
    its code; its message is empty where that of the finding says enough."""
    line = span.whole_line.split(" #")[0].rstrip()
    if code in _FOREIGN and (called := statement_meant(line, names)) is not None and span.column > called[0]:
        return Told(called[0], code, *called[1])
    several = [*formulas(line)] if code == "call-unknown" else []
    if several[1:]:
        whole = said(line)
        return Told(several[0].start, code, _formula(several[0])[0], f"write `{whole.strip()}`")
    for formula in several:
        if formula.start < span.column <= formula.end:
            return Told(formula.start, code, *_formula(formula))
    for pattern, under, message, hint in _rows() if line else ():
        for match in pattern.finditer(line) if code in under else ():
            if match.start() < span.column <= match.end():
                return Told(match.start("at"), code, match.expand(message), match.expand(hint))
    worded = reworded(line.strip(), line == line.lstrip()) if code in _FOREIGN and line else None
    if worded is not None and worded.changes > 1:
        return Told(len(line) - len(line.lstrip()), code, worded.message, worded.hint)
    return None
