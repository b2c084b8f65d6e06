"""Rulebook sentences: read as a whole, and said as the language says it.

Enters: a line that cannot be parsed. Leaves: the statement or declaration that it means. Articles and possessives are
dropped; what is left is taken apart from outside in: when, on which condition, who, what is done. Each part has a table
of patterns. What a sentence leaves out is called as most games call it (`deck`, `hand`, `discard`, `tableau`); what
comes out must parse, else the sentence counts as not understood.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

from rulelang.diagnostics import enumerated, nearest
from rulelang.diagnostics.names import PIECE, USUAL_AMOUNTS, USUAL_ZONES, OwnNames
from rulelang.languages import DEFAULT, codes, language, number_words
from rulelang.syntax.grammar import Failure, load_grammar
from rulelang.syntax.lexemes import LEXEME, Kind, Lexeme
from rulelang.syntax.words import BUILTIN_NAMES, KEYWORDS, OPENING_WORDS, STATEMENT_WORDS

LONGEST = 200
"""No longer line is read."""
OF_CONDITION = "a condition is written with signs and zones, not in a sentence"
OF_SENTENCE = "this is a sentence, and no statement of the language"
Lines = list[str]
"""Statements, indented by what they stand in."""


@cache
def _data() -> dict[str, Any]:
    """Load the tables."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _table(name: str) -> list[list[str]]:
    """Return a table: rows of a pattern and what it says."""
    return cast("list[list[str]]", _data()["tables"][name])


def _form(name: str, text: str) -> re.Match[str] | None:
    """Match a whole sentence with one of the forms."""
    return re.fullmatch(_data()["forms"][name], text)


class Sentence(NamedTuple):
    """What a sentence means: why it can't stand as it is, and what to write."""

    message: str
    hint: str


def sentence(line: str, top: bool, names: OwnNames) -> Sentence | None:
    """Return what a line means as a sentence of a rulebook; None if it is not understood as a whole.

    Args:
        line: the line, or what stands behind the `:` or `=` of a line.
        top: whether it stands where declarations do.
        names: what the ruleset calls things.
    """
    if len(line) > LONGEST:
        return None
    for text in readings(line, names):
        if (said := _meaning(line, text, top, names)) is not None:
            return said._replace(hint=_named(said.hint, line, names))
    return None


def readings(line: str, names: OwnNames) -> Iterable[str]:
    """Return a line as sentences are read, in English and from each other language."""
    return dict.fromkeys((*(_plain(each) for each in translated(names.read(line))), _plain(line)))


def _named(said: str, line: str, names: OwnNames) -> str:
    """Return what is said, with the author's word for a piece and the attributes that values are of."""
    begin = said.index(": ") if said.partition("`")[2].startswith("score ") and ": " in said else 0
    said = said[:begin] + names.as_declared(said[begin:])
    said = re.sub(r"(?<=\w\.)[a-z]\w+\b(?!\()", lambda name: _near_attribute(name[0], names), said)
    said = re.sub(r"\b(\w+) is (not )?empty\b", lambda test: _none_left(test, names), said)
    return re.sub(rf"\b{PIECE}\b", names.piece(line), said) if not re.search(rf"\b{PIECE}\b", line) else said


def _near_attribute(name: str, names: OwnNames) -> str:
    """Return the declared attribute that is nearest to one which is not declared; the name itself if none is near."""
    attributes = names.declared - names.zones - names.numbers
    is_known = name in names.declared or name in (*USUAL_ZONES, *USUAL_AMOUNTS, "value", "colour", "next", "previous")
    return name if is_known or not attributes else nearest(name, attributes) or name


def _none_left(test: re.Match[str], names: OwnNames) -> str:
    """Return a comparison with 0 for `water is empty` of a number."""
    return f"{test[1]} {'>' if test[2] else '='} 0" if test[1] in names.numbers else test[0]


def translated(line: str) -> Iterator[str]:
    """Yield a line in English, as if it were written in each other language; accents are left out."""
    for code in codes():
        text = line
        for foreign, english in language(code).texts("syntax").get("SENTENCES", ()):
            text = re.sub(rf"(?i)(?<!\w)(?:{foreign})(?!\w)", english, text)
        yield text


def _meaning(line: str, text: str, top: bool, names: OwnNames) -> Sentence | None:
    """Return what a line means, of which `text` is what is left without what makes no difference, in English."""
    if timed := _form("timed", text):
        if lines := _statements(timed["deed"]):
            message = f"when something happens is said by where it stands: nothing waits for a {timed['what']}"
            return Sentence(
                message, f"write {shown_lines(lines)} where that is: before or after the `for` or `turn of` of it"
            )
        return None
    is_handler = re.match(_data()["forms"]["handler"], text) is not None
    if not is_handler and (reacts := _form("reacts", text)) and (lines := _statements(reacts["deed"])):
        hint = f"make it an event (`event NAME(…): …`), and write `after NAME(…):` with {shown_lines(lines)} below"
        return Sentence("what follows from something that happens is a handler of an event", hint)
    value = re.fullmatch(
        r"(?P<head>(?:score \w+ ?:|let \w+ =|return|[\w.]+ (?:[+-]?=|:=))) (?P<value>.+)", line.strip()
    )
    if value and (said := next(filter(None, map(_value, readings(value["value"], names))), "")):
        message = "a value is worked out by signs and functions, not in a sentence"
        begin = re.sub(r"^(?!let )([\w.]+) =$", r"\1 :=", value["head"])
        return Sentence(message, f"write `{begin} {said}`")
    if top and (told := next(_matched(_table("declared"), text), None)):
        return Sentence(
            "this says it in a sentence; the language has a declaration for it",
            f"write `{told[0]}`",
        )
    head = _form("head", text)
    if head and (cond := _condition(head["cond"])) and (cond != head["cond"] or head["word"] not in ("if", "while")):
        word = "if" if head["word"] in ("if", "when", "unless") else "while"
        written = f"{word} {_not(cond) if 'un' in head['word'] else cond}:"
        return Sentence(OF_CONDITION, f"write `{written}`")
    if (cond := _condition(text)) not in ("", line.strip(" :")) and (
        cond != text or (cond.lower() != line.strip(" :").lower() and re.search(r" is |[<>=]", text))
    ):
        return Sentence(OF_CONDITION, f"write `{cond}`")
    lines = _statements(text)
    joined = " ".join(each.strip() for each in lines or ())
    own = line.strip(" .!:;").lower()
    if not lines or ("else" not in joined and joined.lower() in (own, own.replace(" then ", ": "))):
        return None  # its words are right: something else is wrong with it
    shown = shown_lines(lines)
    change = re.fullmatch(r"([\w.]*?)(\w+) ([+-]=) (\d+)", names.as_declared(lines[0])) if len(lines) == 1 else None
    if change and change[2] not in names.declared and lines[0] not in line:
        shown += f" (`{change[1]}goods {change[3]} {change[4]} {change[2]}` if it is kept in a bag)"
    shown = f"{shown}, indented inside `setup:`, `play:` or a rule" if top else shown
    return Sentence("this says it in a sentence, and is no statement of the language", f"write {shown}")


def condition_meant(text: str, names: OwnNames) -> str:
    """Return the condition that a clause means; empty if it is not understood."""
    said = (_condition(reading) for reading in readings(text, names))
    return next(
        (_named(f"`{cond}`", text, names).strip("`") for cond in said if cond and parses([f"if {cond}: pass"])), ""
    )


def value_meant(text: str) -> str:
    """Return the value that a text means as a part of a sentence; empty if it is not understood."""
    return _value(_plain(text))


_STEP = re.compile(r"(\d+) (\w+) ?(?:=|:|->|→|is|are|is worth|are worth|gives?|for|scores?) ?(\d+)\b")


def _value(text: str) -> str:
    """Return the value that a plain text means; empty if it is not understood."""
    steps = _STEP.findall(text)
    if len(steps) > 1 and not re.search(r"[(\[{]", text):
        return f"{{{', '.join(f'{number}: {value}' for number, _, value in steps)}}} at count(tableau)"
    if (match := _form("points", text)) and (cond := _condition(match["cond"])) not in ("", match["cond"]):
        return f"{match['n']} if {cond} else 0"
    for sign in (" and ", " plus ", " + "):
        parts = text.split(sign)
        if len(parts) > 1 and all(parts := [_value(part) for part in parts]):
            return " + ".join(parts)
    if times := re.fullmatch(r"(\d+) ?(?:x|\*|times) (.+)", text):
        return f"{times[1]} * {said}" if (said := _value(times[2])) else ""
    if signed := re.fullmatch(r"(?:-|minus ) ?(\d.*)", text):
        return f"-{said}" if (said := _value(signed[1])) else ""
    return next((said[0] for said in _matched(_table("values"), text)), "")


def half_meant(line: str, names: OwnNames) -> Sentence | None:
    """Return what a part of a sentence means of which the rest is not understood; None if it is none."""
    for text in readings(line, names):
        if len(line) > LONGEST or re.search(_data()["forms"]["prose"], line if text == _plain(line) else text) is None:
            continue
        clause = _form("if", text) or _form("not_if", text) or _form("only_if", text)
        if clause is not None and not (_is_prose(clause["cond"]) or _is_prose(clause["deed"])):
            continue
        if clause is not None and (lines := _statements(clause["deed"])):
            forms = "`count(hand) > 3`, `deck is empty`, `card.colour = red`, or a variable that remembers it"
            return Sentence(OF_SENTENCE, f"write {shown_lines(_block('if …:', lines))}, with your condition: {forms}")
        if clause is not None and (cond := _condition(clause["cond"])):
            hint = f"write `if {cond}:`, and below it what is done: `move`, `draw`, `coins += 1` or the like"
            return Sentence(OF_SENTENCE, hint)
        if (may := _form("may", text)) is not None:
            deeds = f"`choose:`, below it an item for `{may['deed']}` (`do_so: …`) and `no_thanks: pass`"
            block = _subject_block(f"{may['who'] or ''}x")
            return Sentence(OF_SENTENCE, f"write {f'`{block}`, below it ' if block else ''}{deeds}")
        if block := _subject_block(text):
            hint = f"write `{block}`, and below it what each does, with `p.` before what is theirs"
            return Sentence(OF_SENTENCE, hint)
    return _of_value(line, names) or _gist(line, names)


def _of_value(line: str, names: OwnNames) -> Sentence | None:
    """Return how the value is worked out that a line says in a sentence; None if it says none, or has signs of one."""
    head = re.fullmatch(r"(score \w+ ?:|let \w+ =|return|[\w.]+ (?:[+-]|:)?=) (.+)", line)
    words = head[2].split() if head is not None else []
    if head is None or len(words) < len("from best to".split()) or re.search(r"[(\[{<>*+]", head[2]):
        return None
    foreign = {word for word in words if re.fullmatch("[A-Za-z]+", word)} - KEYWORDS - BUILTIN_NAMES - names.declared
    if len(foreign) < len("best worst".split()):
        return None
    said = {names.nouns.get(word.strip(",.").lower(), word.strip(",.").lower()) for word in words}
    zones = [zone for zone in sorted(names.zones) if said & {zone, f"{zone}s"}] or ["hand"]
    numbers = [number for number in sorted(names.numbers) if said & {number, f"{number}s"}]
    shown = [f"`count({zones[0]})`", f"`sum({zones[0]}.value)`", *(f"`2 * {number}`" for number in numbers[:1])]
    if head[1].startswith("let"):
        shown = [
            f"`choose 2 of {zones[0]}`",
            f"`{zones[0]} where it.value > 2`",
            f"`{zones[0]} sorted by most it.value`",
        ]
    message = "a value is worked out by signs and functions, not in a sentence"
    return Sentence(message, f"write `{head[1]} …` with a value such as {enumerated(shown, 'or')}")


def _gist(line: str, names: OwnNames) -> Sentence | None:
    """Return what to write for a sentence of which only a verb and some names are understood; None if it is none."""
    if line.split(" ")[0] in STATEMENT_WORDS - {"if", "while"}:
        return None  # a statement with a slip
    for text in readings(line, names):
        said = text.split()
        if len(said) < len("who does what to what".split()) or re.search(r"[()=<>:\[{]", text) or len(line) > LONGEST:
            continue
        zone = next((word for word in said if word in names.zones), "")
        number = next((word for word in said if word in names.numbers), "")
        if re.match("(?:if|when|while|unless|until) ", text):
            examples = [f"`count({zone}) > 3`", f"`{zone} is empty`"] if zone else []
            examples += [f"`{number} >= 3`"] if number else []
            if examples:
                hint = f"write `if …:`, with a condition such as {' or '.join(examples)}"
                return Sentence(OF_CONDITION, hint)
            continue
        about = {"zone": zone, "number": number}
        for verb, wants, statement in _table("gist"):
            if re.search(rf"\b(?:{verb})\b", text) and (not wants or about[wants]):
                usual = re.search(r"\{zone:(\w+)\}", statement)
                where = zone or (usual[1] if usual else "")
                if "draw" in statement and where == names.usual.get("hand"):
                    where = "deck"
                shown = re.sub(r"\{zone(:\w+)?\}", where, statement).replace("{number}", number)
                return Sentence(OF_SENTENCE, _named(f"write each step as a statement, such as `{shown}`", line, names))
    return None


def _is_prose(text: str) -> bool:
    """Return whether a text reads like a sentence, and has no sign of a condition in it."""
    return re.search(_data()["forms"]["prose"], f"{text} ") is not None and re.search("[()<>=]", text) is None


def _subject_block(text: str) -> str:
    """Return the block that a sentence about several players opens; empty for any other."""
    found = (_pattern(f"(?:{pattern})\\b.+").fullmatch(text) and block for pattern, block, _ in _table("subjects"))
    return next((block for block in found if block and "{" not in block), "")


def _plain(line: str) -> str:
    """Return a line without what makes no difference, its numbers in digits."""
    text = re.sub(r"\s+", " ", line).strip(" .!:;")
    text = re.sub(_data()["forms"]["first"], "", text[:1].lower() + text[1:])
    text = re.sub(r"\b(\w+) of (?:seat|player) (\d)\b", r"seat(\2).\1", text)
    text = re.sub(
        r"\b(?:seat|player) (\d) (?=(?:has|have|owns?|holds?|gains?|gets?|loses?|draws?)\b)", r"seat(\1) ", text
    )
    text = re.sub(r"\b(?:seat|player) (\d)'?s? (?=[a-z])", r"seat(\1).", text)
    text = re.sub(r"\b(?:an?|another) (?!(?:then|is|of|in|to|and|or|as)\b)(?=[A-Za-z]\w)", "1 ", text)
    text = re.sub(r"\b(\w+)s? \((?:s|es)\)", r"\1s", text)
    for number, word in enumerate(number_words(DEFAULT)):
        text = re.sub(rf"(?i)\b{word}\b(?! of)", str(number), text)
    before = ""
    while before != text:
        before, text = text, re.sub(_data()["forms"]["dropped"], "", text)
    return text


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern of the tables, in which a group may stand several times: its name gets `_` and a number."""
    short = _data()["short"]
    text = re.sub(r"\b[A-Z]{1,5}\b", lambda word: short.get(word[0], word[0]), text.replace("LEFT", short["LEFT"]))
    numbers = count()
    return re.compile(re.sub(r"\(\?P<(\w+)>", lambda group: f"(?P<{group[1]}_{next(numbers)}>", text))


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return the groups that have matched something, by the names that the tables give them."""
    return {name.rpartition("_")[0]: text for name, text in match.groupdict().items() if text}


def _matched(table: Iterable[list[str]], text: str, w: str = "", who: str = "you") -> Iterator[Lines]:
    """Yield what the rows of a table say that match a whole text, about a player who is called `who`."""
    for pattern, *said in table:
        wanted = pattern.replace("{you}", f"(?:{re.escape(who)} )?" if w else "(?:(?:you|they|he|she|player) )")
        if match := _pattern(wanted).fullmatch(text):
            yield [_filled(line, match, w, who) for line in said]


def _filled(line: str, match: re.Match[str], w: str, who: str) -> str:
    """Fill a template: `{name:else}` is a group of the pattern, or else what stands behind the colon."""
    groups = _groups(match)
    groups |= {"w": w, "who": who if w else groups.get("who", "you")}
    groups["most"] = "most" if groups.get("most") else "fewest"
    if "sign" in groups:
        groups["sign"] = _data()["signs"].get(groups["sign"], groups["sign"])
    if "n" in groups:
        word = (groups.get("cmp") or groups.get("more") or "").strip()
        groups["cmp"] = _data()["signs"].get(word, ">=" if "ha" in match[0] else "=")
    if noun := groups.get("noun", ""):
        groups["Noun"] = noun.capitalize()
        if "choose a" not in line and not noun.endswith("s"):
            groups["noun"] = f"{noun}s" if groups.get("n") else noun
    if whom := groups.get("whom", ""):
        nearby = " " in whom or whom in ("player", "opponent", "left")
        groups["whom"] = "previous" if "right" in whom or "previous" in whom else "next" if nearby else whom
    return re.sub(
        r"\{(\w+)(?:\|(\w+))?(?::([\w.]*))?\}",
        lambda hole: groups.get(hole[1]) or groups.get(hole[2] or "") or hole[3] or "",
        line,
    )


def _statements(text: str) -> Lines | None:
    """Return the statements that a sentence means; None if it is not understood, or they don't parse."""
    lines = _said(text.strip(" ,"))
    return lines if lines and parses(lines) else None


def _said(text: str) -> Lines | None:
    """Take a sentence apart: its condition, then who does it, then what is done."""
    if match := _form("if", text) or _form("if_plain", text):
        cond, lines = _condition(match["cond"]), _said(match["deed"])
        rest = _said(match["else"]) if match["else"] else []
        if cond and lines and rest is not None:
            return [*_block(f"if {cond}:", lines), *(_block("else:", rest) if rest else [])]
    if (match := _form("cost", text)) and (lines := _said(match["deed"])):
        noun = match["noun"] if match["noun"].endswith("s") else f"{match['noun']}s"
        return _block(f"if {noun} >= {match['n']}:", [f"{noun} -= {match['n']}", *lines])
    if match := _form("for_each", text):
        lines, own = _said(f"each {match['who']} {match['deed']}"), [match["deed"]]
        name = match["name"] or "p"
        if parses(own):
            lines = _block("for p in players:", own if f"{name}." in own[0] else _block("as p:", own))
        return [re.sub(r"\bp\b", name, line) for line in lines] if lines else None
    if match := _form("else", text):
        lines = _said(match["deed"])
        return _block("else:", lines) if lines else None
    for form in ("not_if", "only_if"):
        if (match := _form(form, text)) and (cond := _condition(match["cond"])) and (lines := _said(match["deed"])):
            word = "while" if match["word"] in _data()["loops"] else "if"
            return _block(f"{word} {_not(cond) if 'un' in match['word'] else cond}:", lines)
    if (match := _form("either", text)) and (first := _said(match["a"])) and (second := _said(match["b"])):
        if len(first) == len(second) == 1 and not (first + second)[0].endswith(":"):
            return ["choose:", f"  first: {first[0]}", f"  second: {second[0]}"]
    if (match := _form("may", text)) and (lines := _said(f"{match['who'] or ''}{match['deed']}")):
        return _menu(lines)
    for pattern, block, who in ((r"", "", ""), *_table("subjects")):
        subject = _pattern(f"(?:{pattern}) (?P<rest>.+)" if pattern else "(?P<rest>.+)").fullmatch(text)
        if subject is None:
            continue
        who = _filled(who, subject, "", who)
        w = f"{who}." if who else ""
        if (each := _form("each", _groups(subject)["rest"])) and (said := value_meant(f"{each['n']} {each['per']}")):
            noun, sign = each["noun"], "-" if each[0].startswith(("lose", "pay")) else "+"
            change = [f"{w}{noun if noun.endswith('s') else f'{noun}s'} {sign}= {said}"]
            return _block(_filled(block, subject, "", who), change) if block else change
        for lines in _matched(_table("deeds"), _groups(subject)["rest"], w, who or "you"):
            asks, lines = bool(lines) and lines[0].startswith("?"), [line.removeprefix("?") for line in lines]
            if asks and who:
                lines = _block(f"as {who}:", lines)
            return _block(_filled(block, subject, "", who), lines) if block else lines
    if (match := _form("those", text)) is not None:
        words = match["rest"].split()
        for cut in range(1, len(words)):
            which = " ".join(words[:cut]).replace("have ", "has ", 1)
            asked = next(_matched(_table("conditions"), which, "it.", "it"), None)
            done = next(_matched(_table("deeds"), " ".join(words[cut:]), "p.", "p"), None)
            if asked and done and not done[0].startswith("?"):
                return _block(f"for p in players where {asked[0]}:", done)
    if (match := _form("both", text)) and (first := _said(match["a"])):
        subjects = (_pattern(f"({row[0]}) .+").fullmatch(match["a"]) for row in _table("subjects"))
        subject = next(filter(None, subjects), None)
        then = _said(match["b"])
        verb = subject[1] if subject is not None else match["a"].split()[0]
        then = _said(f"{verb} {match['b']}") if then is None else then
        return [*first, *then] if then is not None else None
    is_own = re.match(r"[\w.]+ (?:[+-]=|:=) |\w+\(|(?:move|draw|pay|return|stop|pass)\b", text) is not None
    return [text] if is_own and parses([text]) else None


def _block(head: str, lines: Lines) -> Lines:
    """Return a block: on one line if it has one statement that opens none."""
    if len(lines) == 1 and lines[0].split()[0].rstrip(":") not in OPENING_WORDS:
        return [f"{head} {lines[0]}"]
    return [head, *(f"  {line}" for line in lines)]


def _menu(lines: Lines) -> Lines:
    """Return a menu of doing something or not, within the block that it stands in."""
    deed = next(n for n, line in enumerate(lines) if not line.rstrip().endswith(":"))
    inner = lines[deed].strip()
    space = " " * (len(lines[deed]) - len(inner))
    if ": " in inner and (split := re.match(r"(for .+?|as .+?|if .+?): (.+)", inner)):
        inner, head = split[2], [f"{space}{split[1]}:"]
        space += "  "
        if split[1].startswith("for"):
            head, space = [*head, f"{space}as p:"], f"{space}  "
    else:
        head = []
    menu = [f"{space}choose:", f"{space}  yes_please: {inner}", space + "  " + "no_thanks: pass"]
    return [*lines[:deed], *head, *menu] if deed == len(lines) - 1 else lines


def _not(cond: str) -> str:
    """Return the opposite of a condition."""
    if cond.startswith("not "):
        return cond.removeprefix("not ")
    turned = re.fullmatch(r"([\w.]+) is (not )?empty", cond)
    return f"{turned[1]} is {'' if turned[2] else 'not '}empty" if turned else f"not ({cond})"


def _condition(text: str) -> str:
    """Return the condition that a clause means; the clause itself if it is one already."""
    if " or " in text and (whole := next(_matched(_table("conditions"), text), None)):
        return whole[0]
    for word in ("and", "or"):
        parts = re.split(rf" {word} (?!more|less|fewer)", text)
        if len(parts) > 1 and all(parts := [_condition(part) for part in parts]):
            return f" {word} ".join(parts)
    for all_of, pattern in _data()["players"].items():
        if match := _pattern(f"(?:{pattern}) (?P<rest>.+)").fullmatch(text):
            rest = _groups(match)["rest"].replace("have ", "has ", 1)
            said = next(_matched(_table("conditions"), rest, "p.", "p"), None)
            return f"{all_of}({said[0]} for p in players)" if said else ""
    if match := _pattern(r"(?:(?P<who>next|previous) player|(?P<who>seat\(\d\)|owner|[pq])) (?P<rest>.+)").fullmatch(
        text
    ):
        groups = _groups(match)
        said = next(_matched(_table("conditions"), groups["rest"], f"{groups['who']}.", groups["who"]), None)
        return said[0] if said else ""
    said = next(_matched(_table("conditions"), text), None)
    return said[0] if said else text if parses([f"if {text}: pass"]) else ""


def parses(lines: Lines, start: str = "block_text") -> bool:
    """Return whether lines are statements of the language, or what else the grammar's rule `start` takes."""
    text = ["if true: pass", *lines] if lines and lines[0].startswith("else") else lines
    lexemes: list[Lexeme] = []
    levels = [0]
    for number, line in enumerate([*text, ""], 1):
        depth = len(line) - len(line.lstrip())
        while depth < levels[-1]:
            lexemes.append(Lexeme("dedent", "", number, 1))
            levels.pop()
        if depth > levels[-1]:
            lexemes[-1:] = [Lexeme("newline", "", number, 1), Lexeme("indent", "", number, 1)]
            levels.append(depth)
        found = [(match.lastgroup, match) for match in LEXEME.finditer(line) if match.lastgroup != "space"]
        if any(kind in ("bad", "wrong", "comment") for kind, _ in found):
            return False
        lexemes += [Lexeme(cast("Kind", kind), match[0], number, match.start() + 1) for kind, match in found]
        lexemes += [Lexeme("newline", "", number, len(line) + 1)] if found else []
    return bool(text) and not isinstance(load_grammar().parse(lexemes, start), Failure)


def shown_lines(lines: Lines) -> str:
    """Return statements as a hint shows them."""
    shown = f"`{lines[0]}`"
    for above, line in pairwise(lines):
        deeper = len(line) - len(line.lstrip()) > len(above) - len(above.lstrip())
        shown += f"{', below it' if deeper else ', then'} `{line.strip()}`"
    return shown
