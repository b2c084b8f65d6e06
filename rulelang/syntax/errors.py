"""What to say when a text cannot be parsed.

Enters: a `Failure` of the grammar. Leaves: one finding in the author's words. `_MISTAKES` lists the mistakes
that people make, most telling first; a text that fits none gets what was found and what could have stood there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from rulelang.diagnostics import NOWHERE, Diagnostic, enumerated, suggest
from rulelang.diagnostics.names import OwnNames
from rulelang.syntax.card_texts import card_text, what_begins
from rulelang.syntax.grammar import Failure
from rulelang.syntax.lexemes import Lexeme
from rulelang.syntax.phrases import phrase_in, sign_meant, word_meant
from rulelang.syntax.repair import example, nearest_line, written
from rulelang.syntax.rewording import fits, reworded
from rulelang.syntax.scan import Place
from rulelang.syntax.sentences import sentence
from rulelang.syntax.words import (
    COMPARISONS,
    DECLARATION_WORDS,
    OPENING_WORDS,
    PIECE_WORDS,
    RESERVED,
    STATEMENT_WORDS,
    reserved,
)

_NAMELESS = {
    "newline": "the end of the line",
    "indent": "a deeper indentation",
    "dedent": "the end of the block",
}
_CHOICES = frozenset({"choose", "anyway", "together", "secretly", "roll", "random"})
_PICKS = ("choose", "random", "roll", "top", "bottom")
_TOWARDS = frozenset({"in", "into", "on", "onto"})
_VALUED = frozenset({"function", "quantity", "score", "scores", "payoff"})
_BLOCK_WORDS = frozenset({"let", "if", "return", "for"})
_ALONE = ("stop", "pass", "proceed", "never", "return")
_AFTER_VALUE = frozenset({"(", "[", ".", "any", "identical", "NAME"})
_OPERATORS = COMPARISONS.union("+ - * div mod and or in not has is where with sorted grouped otherwise if".split())
_VALUES = frozenset(
    {"NAME", "INT", "(", "[", "{", "-", "not", "can", "cell", "top", "bottom", "true", "false", "none", "possible"}
)


class Finding(NamedTuple):
    """The words for one mistake; `at` when it lies before what was found."""

    code: str
    message: str
    hint: str = ""
    at: Lexeme | None = None


Findings = Iterator[Finding]
"""Of several the first one counts."""


@dataclass(frozen=True)
class FailureScene:
    """A failure seen as its author sees it.

    Attributes:
        failure: the failure.
        start: the rule of the grammar that was tried.
        names: what the ruleset calls things.
    """

    failure: Failure
    start: str
    names: OwnNames

    @property
    def lexeme(self) -> Lexeme:
        """The lexeme that cannot stand where it does; the last one if the text ends too early."""
        return self.failure.lexemes[min(self.failure.at, len(self.failure.lexemes) - 1)]

    @cached_property
    def line(self) -> list[Lexeme]:
        """The lexemes before the failure in its logical line."""
        before: list[Lexeme] = []
        for lexeme in reversed(self.failure.lexemes[: self.failure.at]):
            if lexeme.kind in ("newline", "indent", "dedent"):
                break
            before.append(lexeme)
        return before[::-1]

    @cached_property
    def statement(self) -> list[Lexeme]:
        """The lexemes before the failure in its statement, which begins after the line's last colon."""
        colons = [place for place, lexeme in enumerate(self.line) if lexeme.text == ":"]
        return self.line[colons[-1] + 1 :] if colons else self.line

    @property
    def before(self) -> str:
        """The text of the lexeme before the failure in its line; empty at the start of the line."""
        return self.line[-1].text if self.line else ""

    @property
    def first(self) -> str:
        """The first word of the line."""
        return self.line[0].text if self.line else self.lexeme.text

    @property
    def after(self) -> str:
        """The text of the lexeme after the failure; empty at the end."""
        rest = self.failure.lexemes[self.failure.at + 1 :]
        return rest[0].text if rest else ""

    def wants(self, *texts: str) -> bool:
        """Return whether the parser would accept each of these texts or terminals at the failure."""
        return self.failure.accepts.issuperset(texts)

    @property
    def wants_value(self) -> bool:
        """Whether an expression could begin at the failure."""
        return self.wants("NAME", "INT", "(")

    @property
    def wants_statement(self) -> bool:
        """Whether a statement could begin at the failure."""
        return self.wants("let", "move")

    @property
    def wants_declaration(self) -> bool:
        """Whether a declaration could begin at the failure."""
        return self.wants("modify", "scores")


def report(failure: Failure, start: str, place: Place, names: OwnNames) -> Diagnostic:
    """Return the diagnostic for a parse failure, from the first detector in `_MISTAKES` that explains it."""
    scene = FailureScene(failure, start, names)
    finding = next((finding for mistake in _MISTAKES for finding in mistake(scene)), None) or _unexpected(scene)
    hint = finding.hint or _likely(scene)
    return Diagnostic("error", finding.code, finding.message, place.span(finding.at or scene.lexeme), hint)


def _likely(s: FailureScene) -> str:
    """Return the hint of last resort: the line as it was probably meant, or another one of its form."""
    if line := nearest_line(s.failure, s.start):
        return f"write `{line}`"
    shown = example([lexeme.text for lexeme in s.line]) or example([s.lexeme.text])
    return f"as in `{shown}`" if shown else ""


def _phrase(s: FailureScene) -> Findings:
    """Detect a phrase of English or another language anywhere in the line (see `phrases.toml`)."""
    rest = s.failure.lexemes[s.failure.at :]
    ends = next((n for n, lexeme in enumerate(rest) if lexeme.kind in ("newline", "indent", "dedent")), len(rest))
    row = [lexeme for lexeme in (*s.line, *rest[:ends]) if lexeme.line == s.lexeme.line or not rest[:ends]]
    if not row:
        return
    text = ""
    for lexeme in row:
        text = text.ljust(lexeme.column - 1) + lexeme.text
    top = s.start == "rule_file" or (s.start == "piece_text" and row[0].text in ("when", "whenever", "if"))
    top = top and row[0] is s.failure.lexemes[0]
    if s.start == "expression_text" and re.fullmatch(
        r"(?:the )?game (?:is over|has ended|ends|is finished)", text.strip()
    ):
        yield Finding("syntax-word", "that a game is over is expected between braces", "write `{over: true}`", row[0])
    expected = re.fullmatch(r"(?:assert|expect|check|verify|ensure)(?: that)? (.+)", text.strip())
    if s.start == "expression_text" and expected is not None:
        told = reworded(expected[1], False)
        hint = told.hint if told else f"write `{expected[1]}`"
        yield Finding("syntax-word", "what is expected stands here alone", hint, row[0])
    won = re.fullmatch(r"(?:the )?(?:winner is )?(?:player|seat|\w+ joueur|joueur)? ?(\d) ?\w*(?: \w+)?", text.strip())
    if s.start == "expression_text" and won is not None and re.search("win|won|gagn", text):
        hint = f"write `{{winners: [{won[1]}]}}`: seats are numbered from 0"
        yield Finding("syntax-word", "who has won is expected between braces", hint, row[0])
    slip = phrase_in(text, s.lexeme.column - 1 if ends else len(text), top, s.names)
    if slip is None:
        return
    shown = re.fullmatch("write `([^`:]+)`(, with .*)?", slip.hint)
    is_call = shown is not None and re.match(r"\w+\(", shown[1])
    if shown is not None and not is_call and len(s.line) == 1 and s.wants("when", ":") and not top:
        name = "rest" if shown[1] == "pass" else "do_it"
        slip = slip._replace(hint=f"write `{name}: {shown[1]}`{shown[2] or ''}: an item of a menu has a name")
    at = next((lexeme for lexeme in row if lexeme.column - 1 + len(lexeme.text) > slip.column), None)
    yield Finding(slip.code, slip.message, slip.hint, at)


_NO_CARD_TEXT = DECLARATION_WORDS - {"on", "after", "before", "instead"}


def _card_text(s: FailureScene) -> Findings:
    """Detect what a card says to players where the rule text of a piece begins."""
    if s.start != "piece_text" or s.failure.lexemes[0].text in _NO_CARD_TEXT:
        return
    rest = s.failure.lexemes[s.failure.at :]
    line = [*s.line, *(x for x in rest if x.line == s.lexeme.line and x.text)]
    if not line or line[0] is not s.failure.lexemes[0] or re.match(r"\w+ ?\(", written(line).partition(" ")[2]):
        return
    if (told := card_text(written(line), s.names)) is not None:
        yield Finding("syntax-word", *told, line[0])


def _where_for_when(s: FailureScene) -> Findings:
    """Detect `where`, `if` or `while` in place of `when`."""
    if s.lexeme.text in ("where", "if", "while") and s.wants("when"):
        message = f"`when` must stand here, not `{s.lexeme.text}`"
        hint = "the condition of an item of a menu, a reaction, a modifier or an exchange follows `when`"
        yield Finding("syntax-word", message, hint)


def _several_statements(s: FailureScene) -> Findings:
    """Detect a second statement on the line of one that is complete."""
    if s.lexeme.text not in ("and", "then", ",", ";", "&&", "or", "+") or not s.wants("_NL") or s.wants("+", "NAME"):
        return
    if not s.statement or (s.first in DECLARATION_WORDS and len(s.statement) == len(s.line)):
        return
    after = [x for x in s.failure.lexemes[s.failure.at + 1 :] if x.line == s.lexeme.line and x.text]
    rest = written(after)
    told = sentence(rest, False, s.names) or reworded(rest, False)
    shown = re.search("`(.+?)`", told.hint) if told else None
    if not after or (after[0].text not in STATEMENT_WORDS and shown is None):
        return
    hint = f"write `{shown[1] if shown else rest}` on the line below"
    yield Finding("syntax-unexpected", "each statement stands on a line of its own", hint)


def _type_of_values(s: FailureScene) -> Findings:
    """Detect what says in words, or as other languages do, which values something may have."""
    text = written([lexeme for lexeme in s.failure.lexemes if lexeme.text])
    if s.start != "type_text" or re.search(r"(?i)\b(?:null|nil|none|absent|nothing)\b", text):
        return
    ends = [int(number) for number in re.findall(r"\b\d{1,9}", text)]
    words = re.findall(r"[A-Za-z]\w*", text)
    named = next((word for word in words if word[0].isupper() and word in s.names.declared), "")
    if ends and not named and (len(ends) > 1 or not words):
        hint = f"write `{min(ends) if len(ends) > 1 else 0}..{max(ends)}`"
        yield Finding("syntax-missing", "a number is of a range: the least, `..`, the greatest", hint)
    if named and len(words) > 1:
        is_list = re.search(r"(?i)\b(?:list|array|set|several|vec\w*)\b|\[\]", text.replace(named, ""))
        yield Finding("syntax-word", f"`{named}` alone is a type", f"write `{'list of ' if is_list else ''}{named}`")
    values = [word for word in words if word not in ("or", "and", "ou", "one", "of", "either")]
    if len(values) > 1 and not {"number", "bool", "player"} & {*values} and re.search(r"[/|;,]|\bor\b|\bou\b", text):
        hint = f"give them a name, `types: {{NAME: [{', '.join(values)}]}}`, and write it here"
        yield Finding("syntax-operator", "values that something may have are a type of their own", hint)


def _wrong_lexeme(s: FailureScene) -> Findings:
    """Detect a sign that the language does not have, and a decimal point in a number."""
    if s.lexeme.kind == "wrong":
        hint = sign_meant(s.lexeme.text) or ""
        yield Finding("syntax-operator", f"`{s.lexeme.text}` is no sign of the language", hint)
    if s.lexeme.kind == "int" and s.before == ".":
        yield Finding("syntax-number", "numbers are whole; there is no decimal point", "count in smaller units")


def _value_block(s: FailureScene) -> Findings:
    """Detect blocks after `=`, values in blocks without `return`, and `return` beside `score x:`."""
    head, texts = s.failure.lexemes[0].text, [lexeme.text for lexeme in s.line]
    if head in _VALUED and s.lexeme.text in _BLOCK_WORDS and s.before == "=":
        yield Finding("syntax-colon", "a block follows `:`, not `=`", "write `-> TYPE:`", s.line[-1])
    if (
        head in _VALUED
        and s.statement
        and s.wants(":=")
        and (s.lexeme.kind == "newline" or s.lexeme.text in _OPERATORS)
    ):
        message = f"`return` is missing before `{s.statement[0].text}`: a value alone is no statement"
        yield Finding("syntax-missing", message, at=s.statement[0])
    if head in ("score", "scores", "payoff") and s.before == "return":
        hint = "write only the value here, or begin a block on the next line"
        yield Finding("syntax-block", "`return` ends a block, and this is none", hint, s.line[-1])
    if head == "modify" and s.failure.accepts == {"let"}:
        hint = "a condition follows `when`, or stands in the value: `plus 1 if … else 0`"
        yield Finding("syntax-block", "the block of a `modify` begins with `let`", hint)
    if s.wants("of") and s.lexeme.text in (",", ")") and "=" in texts[1:]:
        name = s.line[texts.index("=", 1) - 1]
        hint = f"`let {name.text} = …` only names a value; `{name.text} = 2 of …` asks for so many"
        yield Finding("syntax-missing", f"`let` is missing before `{name.text}`", hint, name)


def _else(s: FailureScene) -> Findings:
    """Detect `elif` and its like, an `else` of no `if`, `pay` or menu, and a `pay` that lacks its `else`."""
    if s.first in ("elif", "elsif", "elseif") and len(s.line) <= 1:
        yield Finding("syntax-word", f"`{s.first}` is no word of the language", "write `else if`")
    if s.lexeme.text == "else" and not s.line:
        hint = "give it the indentation of its `if`"
        yield Finding("syntax-else", "this `else` belongs to no `if`, `pay` or menu", hint)
    if s.failure.accepts != {"else"}:
        return
    depth, pay = 0, None
    for lexeme in reversed(s.failure.lexemes[: s.failure.at]):
        depth += {"dedent": 1, "indent": -1}.get(lexeme.kind, 0)
        if lexeme.text == "pay" and depth <= 0:
            pay = lexeme
            break
    hint = "put `else:` below its block, `else: pass` if nothing happens then"
    yield Finding("syntax-else", "`pay … from …:` with a block needs an `else:` after it", hint, pay)


def _assignment(s: FailureScene) -> Findings:
    """Detect `=` in place of `:=`, `:=` after `let` or a keyword or within a value, and a `let` without `=`."""
    if s.lexeme.text == "=" and s.wants(":="):
        if s.after in ("choose", "random", "roll", "anyway", "together", "top", "bottom"):
            name = "".join(lexeme.text for lexeme in s.statement)
            rest = s.failure.lexemes[s.failure.at + 1 :]
            value = (
                "".join(lexeme.text for lexeme in rest if lexeme.line == s.lexeme.line) if s.after == "random" else ""
            )
            told = re.search("`(.+?)`", (phrase_in(value, 0, False, s.names) or Finding("", "")).hint)
            hint = f"write `let {name} = {told[1] if told else f'{s.after} …'}`"
            yield Finding("syntax-assign", "`=` compares; it names and changes nothing", hint)
        hint = "write `:=` to change a variable, or begin with `let`"
        yield Finding("syntax-assign", "`=` compares; it changes nothing", hint)
    if s.lexeme.text == ":=":
        if s.first == "let":
            yield Finding("syntax-assign", "`let` gives a name to a value with `=`", "write `let x = …`")
        if s.first in STATEMENT_WORDS:
            yield Finding("syntax-keyword", f"`{s.first}` is a word of the language and cannot be a variable")
        yield Finding("syntax-assign", "`:=` changes a variable and cannot stand in a value", "write `=` to compare")
    if s.first == "let" and len(s.line) == 2 and s.wants("="):
        yield Finding("syntax-assign", f"after `let {s.before}` comes `=` and a value", f"write `let {s.before} = …`")


def _reserved_local(s: FailureScene) -> Findings:
    """Detect a local whose name is a keyword, at a use that is therefore parsed as the keyword."""
    lexemes = s.failure.lexemes[: s.failure.at + 1]
    used = {lexeme.text for lexeme in (*s.line, s.lexeme)}
    for before, name, after in zip(lexemes, lexemes[1:], lexemes[2:], strict=False):
        declares = (before.text in ("let", "for", "some") and after.text in ("=", "in")) or (
            before.text in ("(", ",") and after.text in (":", "in")
        )
        if declares and name.text in RESERVED & used and name is not s.lexeme:
            message, _, hint = reserved(name.text, NOWHERE)
            yield Finding("name-reserved", message, hint, name)


def _fixed_name(s: FailureScene) -> Findings:
    """Detect a keyword where a name is needed."""
    if s.lexeme.kind == "word" and s.lexeme.text in RESERVED and s.wants("NAME") and not s.wants("+"):
        yield Finding("syntax-keyword", f"`{s.lexeme.text}` is a word of the language and cannot be a name here")


def _misplaced_choice(s: FailureScene) -> Findings:
    """Detect a choice that stands as a statement, and a choice or chance inside a larger expression."""
    if s.first in _CHOICES and s.wants(":") and s.lexeme.kind in ("word", "int"):
        hint = "write `let x = choose … of …`; a menu is `choose:` or `choose NAME:`"
        yield Finding("syntax-choose", "what is chosen here goes nowhere", hint, s.line[0] if s.line else s.lexeme)
    word = s.lexeme
    if s.line and s.before in _CHOICES and s.wants("+"):
        word = s.line[-1]
    elif word.text not in _CHOICES or not s.wants_value:
        return
    hint = "it may follow `let x =`, `:=`, `return`, `if`, `for x in`, or stand in parentheses"
    texts = [x.text for x in s.statement]
    if len(texts) > 2 and texts[1] == "(" and ")" not in texts:
        hint = f"give it a name on the line above, `let x = {word.text} …`, or let an item of a menu ask: `(x in …)`"
    yield Finding("syntax-choose", f"`{word.text}` cannot stand inside a value", hint, word)


def _block_in_line(s: FailureScene) -> Findings:
    """Detect a block statement that begins behind a colon instead of on its own line."""
    if s.lexeme.text in OPENING_WORDS and s.before == ":":
        word = s.lexeme
    elif len(s.line) > 1 and s.before in OPENING_WORDS and s.line[-2].text == ":":
        word = s.line[-1]
    else:
        return
    hint = f"begin a new line after the colon, indented, with `{word.text} …:` and what belongs to it below"
    if word.text == "as":
        whose = s.lexeme.text if word is not s.lexeme else s.after
        hint = f"say whose it is (`{whose}.coins += 1`), or put `as {whose}:` on the line below, indented"
    yield Finding("syntax-block", f"`{word.text}` opens a block and begins on a line of its own", hint, word)


def _choose_without_of(s: FailureScene) -> Findings:
    """Detect `choose` or `random` without `of`."""
    words = [lexeme.text for lexeme in s.line]
    asked = next((word for word in reversed(words) if word in ("choose", "random")), "")
    if asked and s.wants("of"):
        hint = "write `choose one of …`, `choose 2 of …`, `choose up to 2 of …`, `choose any of …`"
        if s.lexeme.kind == "newline" and s.line[-1].kind == "word":
            yield Finding("syntax-choose", f"`of` is missing before `{s.before}`", hint, s.line[-1])
        yield Finding("syntax-choose", f"`of` is missing: what is to be chosen from must follow, not {_shown(s)}", hint)


def _indentation(s: FailureScene) -> Findings:
    """Detect a missing or unindented block after a colon, and a line indented below one that opens no block."""
    if s.wants("_INDENT"):
        message = "the lines of a block stand deeper than the line that opens it"
        hint = "indent this line by two more spaces, and those that belong to it"
        if s.lexeme.kind in ("newline", "dedent"):
            message, hint = "a block must follow the colon, on deeper lines", "`pass` does nothing"
        yield Finding("syntax-indent", message, hint)
    if s.lexeme.kind == "newline" and s.before == ":" and s.wants_statement:
        yield Finding("syntax-indent", "a block must follow the colon", "`pass` does nothing")
    if s.lexeme.kind == "indent":
        rest = s.failure.lexemes[s.failure.at + 1 :]
        message = "this line stands deeper than the one above, which opens no block"
        hint = "indent it like the line above, or end that line with `:`"
        before = s.failure.lexemes[: s.failure.at]
        above = [x for x in before if before and x.line == before[-1].line and x.text]
        head, colon, first = written(above).partition(": ")
        if colon and fits(f"{head}:", False) and fits(first, False):
            hint = f"put `{first}` on a line of its own below `{head}:`, indented like this one"
        yield Finding("syntax-indent", message, hint, rest[0] if rest else None)


CLOSE = 0.7
"""So alike is a misspelt word to the one that is meant; `steal` is no `step`."""
BEGINNINGS = (
    "a statement begins with `move`, `draw`, `let`, `if`, `for`, `choose:` or the like; `{0}()` calls a rule, and "
    "`{0} := …` changes a variable"
)


def _misspelt_statement(s: FailureScene) -> Findings:
    """Detect a misspelt keyword at the start of a statement: `shufle deck`."""
    if len(s.statement) != 1 or s.statement[0].kind != "word" or not s.wants(":="):
        return
    at = s.statement[0]
    word = at.text
    if s.lexeme.kind == "newline":
        near = suggest(word, [known for known in _ALONE if abs(len(known) - len(word)) < 2])
        yield Finding("syntax-word", f"`{word}` alone is no statement", near or f"write `{word}()` to call it", at)
    if word in DECLARATION_WORDS and word not in STATEMENT_WORDS:
        message = f"`{word}` begins a declaration, and here stand statements"
        yield Finding("syntax-word", message, "declare it above or below, in the first column", at)
    hint = _suggestion(word, [k for k in STATEMENT_WORDS if SequenceMatcher(None, word.lower(), k).ratio() > CLOSE])
    if s.lexeme.text == ":":
        yield Finding("syntax-word", f"`{word}:` opens no block", hint, at)
    given = [x.text for x in s.failure.lexemes[s.failure.at :] if x.line == s.lexeme.line and x.text]
    if not hint and s.lexeme.kind in ("word", "int") and all(re.fullmatch(r"\w+", text) for text in given):
        if word in s.names.answers or len(given) == 1:
            hint = f"a rule or an event is called with parentheses: `{word}({', '.join(given)})`"
            hint += f", declared as `{word}{s.names.answers[word][1]}`" if word in s.names.answers else ""
    yield Finding("syntax-word", f"`{word}` begins no statement", hint or BEGINNINGS.format(word), at)


def _misspelt_declaration(s: FailureScene) -> Findings:
    """Detect a statement, a misplaced declaration or a misspelt keyword where a declaration must begin."""
    if not s.wants_declaration or s.line:
        return
    known = PIECE_WORDS if s.start == "piece_text" else DECLARATION_WORDS
    if s.lexeme.text in STATEMENT_WORDS or s.after in (":=", "+=", "-="):
        hint = "indent it inside `setup:`, `play:`, a rule or a handler"
        hint = "say when it happens: `after EVENT(…): …`, `on ABILITY(…): …`" if s.start == "piece_text" else hint
        yield Finding("syntax-word", f"`{s.lexeme.text}` begins a statement, and here stand declarations", hint)
    if s.lexeme.text in DECLARATION_WORDS:
        hint = "write `scores: …`" if s.lexeme.text == "score" else "put it into a `.rule` file"
        yield Finding("syntax-word", f"`{s.lexeme.text}` cannot stand in the rule text of a piece", hint)
    hint = _nameless(s) or _suggestion(s.lexeme.text, known)
    if s.after == "=" and s.lexeme.text in s.names.answers and s.start != "piece_text":
        sort, given = s.names.answers[s.lexeme.text]
        typed = given.replace(",", ": …,").replace(")", ": …)")
        hint = f"write `{sort} {s.lexeme.text}{typed} -> … = …`, with the types of its declaration"
    elif s.after == "=" and s.start != "piece_text":
        name = s.lexeme.text
        declared = f"`variables: {{{name}: {{type: 0..99}}}}`"
        hint = f"what changes is declared in the YAML, {declared}; what never does, as an option"
    if s.start == "piece_text" and not hint:
        hint = (
            what_begins(s.names)
            or "write `on ABILITY(…): …` for what it does, `after EVENT(…): …` for what it reacts to"
        )
    yield Finding("syntax-word", f"{_shown(s)} begins no declaration", hint)


def _nameless(s: FailureScene) -> str:
    """Return the hint for a declaration that lacks its keyword, `NAME(…)`; empty if it is none."""
    if s.after != "(" or s.start == "piece_text":
        return ""
    rest = [lexeme.text for lexeme in s.failure.lexemes[s.failure.at :]]
    if "->" in rest and "=" in rest[rest.index("->") :]:
        return f"a value that is worked out is a function: `function {s.lexeme.text}(…) -> TYPE = …`"
    return f"what does something is a rule: `rule {s.lexeme.text}(…): …`" if ":" in rest else ""


def _after_value(s: FailureScene) -> Findings:
    """Detect chained comparisons, `where` and its like after a condition, and an expression alone as a statement."""
    if s.lexeme.text in ("<", "<=", ">", ">=", "=", "!=") and not s.wants("<") and s.wants("and"):
        yield Finding("syntax-compare", "comparisons do not chain", "write `a < b and b < c`")
    if s.lexeme.text in ("where", "with", "grouped") and not s.wants("where") and s.wants("and"):
        hint = "put the collection and its condition into parentheses"
        yield Finding("syntax-filter", f"`{s.lexeme.text}` follows a collection, and this is a whole condition", hint)
    if s.lexeme.kind == "newline" and s.wants(":="):
        hint = "`:=` changes a variable, `()` calls a rule"
        yield Finding("syntax-unexpected", "a value alone is no statement", hint)


def _missing_colon(s: FailureScene) -> Findings:
    """Detect a missing `:`, or another word in its place."""
    if not s.wants(":"):
        return
    if s.lexeme.text in ("then", "=", "do"):
        yield Finding("syntax-colon", f"a `:` must stand here, not `{s.lexeme.text}`")
    if s.lexeme.kind == "newline":
        hint = "what may be left alone is an item with a name: `skip: pass`" if s.first == "pass" else ""
        if len(s.line) == 1 and s.wants("when", "(") and not hint:
            hint = f"write `{s.first}: pass`, or what it does behind the `:`"
        whole = f"{written(s.line)}:"
        hint = hint or (f"write `{whole}`" if fits(whole, s.start == "rule_file") or fits(whole, False) else "")
        yield Finding("syntax-colon", "a `:` is missing at the end of this line", hint)
    if s.lexeme.text == "empty":
        yield Finding("syntax-missing", "`is` is missing before `empty`")
    if s.first == "scores":
        hint = "write `score NAME: …`; `scores: …` stands in the rule text of a piece and has no name"
        yield Finding("syntax-colon", f"a `:` is missing before {_shown(s)}", hint)
    if s.lexeme.kind == "word" and len(s.line) == 1 and s.wants("when", "("):
        message = "an item of a menu is one word, with what is chosen in parentheses and its condition after `when`"
        yield Finding("syntax-colon", message, f"as in `{s.before}(card in hand) when card.value > 2:`", s.line[0])
    if s.lexeme.kind in ("word", "int"):
        named = len(s.line) == 2 and s.first in DECLARATION_WORDS
        hint = f"if both are the name, it is one word: `{s.before}_{s.lexeme.text}`" if named else ""
        yield Finding("syntax-colon", f"a `:` is missing before {_shown(s)}", hint)


def _missing_word(s: FailureScene) -> Findings:
    """Detect a missing keyword where only one is possible: `draw 3 deck to hand` lacks `from`."""
    if s.wants_value or s.wants("=", ":"):
        return
    left = s.failure.accepts - (_OPERATORS | _AFTER_VALUE if s.wants("+") else frozenset())
    left -= {"at"} if {word.text for word in s.statement} & {"draw", "random"} else set()  # it may be left out
    word = next(iter(left)) if len(left) == 1 else ""
    if word == "to" and (wrong := next((x for x in [*s.line[1:], s.lexeme] if x.text in _TOWARDS), None)):
        yield Finding("syntax-missing", f"`to` must stand here, not `{wrong.text}`", at=wrong)
    if word == s.before == "from" and s.statement[0].text == "draw":
        yield Finding("syntax-missing", "how many is missing before `from`", "write `draw 1 from …`", s.line[-1])
    if s.lexeme.text == "empty" and s.before == "not":
        yield Finding("syntax-missing", "`is` is missing before `not empty`", at=s.line[-1])
    if s.first == "for" and s.before in ("each", "every", "all"):
        yield Finding("syntax-missing", f"`for` needs no `{s.before}`", "write `for p in players:`", s.line[-1])
    if word == "per" and s.lexeme.text in ("a", "an", "each", "every"):
        yield Finding("syntax-missing", f"`per` must stand here, not `{s.lexeme.text}`", "as in `once per turn`")
    if not word.isalpha() or not word.islower():
        return
    if s.lexeme.kind == "word" and (near := suggest(s.lexeme.text, [word])):
        yield Finding("syntax-word", f"`{s.lexeme.text}` is no word of the language here", near)
    if word == "from" and s.lexeme.text == "to" and len(s.line) > 2:
        # `draw 3 deck to hand`: the pile has been read as what there are three of.
        place = len(s.line) - 1
        while s.line[place - 1].text == ".":
            place -= 2
        yield Finding("syntax-missing", f"`from` is missing before `{s.line[place].text}`", at=s.line[place])
    yield Finding("syntax-missing", f"`{word}` is missing before {_shown(s)}")


def _missing_part(s: FailureScene) -> Findings:
    """Detect omitted counts, types and particles that other languages do not require."""
    words = [lexeme.text for lexeme in s.line]
    if s.failure.lexemes[0].text == "modify" and s.wants("minus"):
        changes = {
            "+": "plus",
            "-": "minus",
            "=": "set to",
            ":=": "set to",
            "+=": "plus",
            "-=": "minus",
            "to": "set to",
        }
        hint = "as in `minus 1`; there are `plus`, `minus`, `set to`, `at least` and `at most`"
        if layer := changes.get(s.lexeme.text):
            hint = f"write `{layer} {s.after}`"
        yield Finding("syntax-missing", f"{_shown(s)} does not say how the quantity changes", hint)
    if s.first in DECLARATION_WORDS and s.lexeme.text in (",", ")") and s.wants(":") and "(" in words:
        message = f"the type of `{s.before}` is missing"
        hint = f"write `{s.before}: TYPE`: a kind, `player`, `number` or another type"
        if s.before in ("self", "this", "me"):
            hint = f"take it away: who acts is `you`, without being given: `{s.first} {s.line[1].text}:`"
        yield Finding("syntax-missing", message, hint, s.line[-1])
    if s.before in ("any", "identical") and s.lexeme.kind == "word" and s.wants("+"):
        yield Finding("syntax-missing", f"how many is missing before `{s.before}`", f"`1 {s.before} …`", s.line[-1])
    if s.before == "until":
        yield Finding("syntax-missing", f"`after` or `before` is missing before {_shown(s)}")
    if "roll" in words and (s.lexeme.text == "," or s.wants("to")):
        yield Finding("syntax-choose", "a roll goes from one number `to` another", "write `roll 1 to 6`")
    if words[-2:] == ["choose", "number"] and s.lexeme.text == "from":
        yield Finding("syntax-missing", "`a` is missing before `number`", at=s.line[-1])


def _binder(s: FailureScene) -> Findings:
    """Detect what is chosen with an item of a menu without from what."""
    if s.failure.accepts == {"=", "from", "in"} and s.before != "pay":
        hint = f"write `{s.before} in hand`; a number is `{s.before} from 1 to 3`"
        yield Finding("syntax-missing", f"from what `{s.before}` is chosen is missing", hint, s.line[-1])


def _missing_type(s: FailureScene) -> Findings:
    """Detect a function or quantity without the type of its value."""
    if s.first in ("function", "quantity") and s.wants("->"):
        message = f"the type of the value is missing before {_shown(s)}"
        hint = "write `-> number = …`, or another type; what does something is a `rule`"
        yield Finding("syntax-missing", message, hint)


def _odd_forms(s: FailureScene) -> Findings:
    """Detect a call of an attribute, a range without `..`, a misspelt word of choice, a trade without parentheses."""
    if s.lexeme.text == "(" and len(s.line) > 2 and s.line[-2].text == ".":
        message = f"`{s.before}` after a dot is an attribute and cannot be called"
        hint, of = "a call is written `f(x)`; how many there are, `count(…)`", s.line[-3].text
        if of in s.names.zones:
            hint = f"a zone has no methods: `draw 1 from {of} to …`, `move {of} to …`, `count({of})`"
        elif of in s.names.numbers:
            hint = f"a number has no methods: `{of} += 1`, `{of} := 0`"
        yield Finding("syntax-call", message, hint)
    if s.lexeme.kind == "int" or s.lexeme.text in ("one", "a", "an", "any", "up", "of"):
        near = suggest(s.before, ("top", "bottom", "cell") if s.lexeme.text == "of" else _PICKS)
        if near and s.before not in _CHOICES and s.wants("+"):
            yield Finding("syntax-word", f"`{s.before}` is no word of the language", near, s.line[-1])
    if len(s.line) > 1 and s.line[-2].text == "trade" and s.failure.accepts == {"("}:
        message = "a call has parentheses, even when nothing stands in them"
        given = "you" if s.names.of_players.get(s.before) else ""
        yield Finding("syntax-call", message, f"write `trade {s.before}({given})`")


def _compound(s: FailureScene) -> Findings:
    """Detect compound assignments that the language lacks: `x *= 2`."""
    if s.after == "=" and s.lexeme.text in ("*", "div", "mod") and s.wants(":="):
        name = "".join(lexeme.text for lexeme in s.statement)
        message = f"`{s.lexeme.text}=` is no sign of the language"
        yield Finding("syntax-operator", message, f"write `{name} := {name} {s.lexeme.text} …`")


def _citation(s: FailureScene) -> Findings:
    """Detect citations in the wrong place or form."""
    if s.lexeme.kind == "cites":
        hint = f"write `{s.lexeme.text}` on a line of its own above this one"
        yield Finding("syntax-citation", "citations stand above what they are of", hint)
    above = [lexeme for lexeme in s.failure.lexemes[max(s.failure.at - 2, 0) : s.failure.at] if lexeme.kind == "cites"]
    if above and (s.lexeme.kind in ("newline", "dedent") or s.lexeme.text == "else"):
        yield Finding("syntax-citation", "nothing that cites stands below this", "move it up or away", above[0])
    if s.lexeme.text == "[" and s.wants("CITES"):
        yield Finding("syntax-citation", "this is no citation", "write `[source:line]` or `[source:line-line, …]`")


def _nothing_more(s: FailureScene) -> Findings:
    """Detect a line that ends where a value must follow."""
    if s.lexeme.kind == "newline" and s.wants_value:
        after = f" after `{s.before}`" if s.before else ""
        yield Finding("syntax-unexpected", f"a value is missing{after}")


_MISTAKES: tuple[Callable[[FailureScene], Findings], ...] = (
    _citation,
    _reserved_local,
    _where_for_when,
    _value_block,
    _card_text,
    _several_statements,
    _type_of_values,
    _phrase,
    _wrong_lexeme,
    _else,
    _assignment,
    _misspelt_declaration,
    _compound,
    _block_in_line,
    _misspelt_statement,
    _misplaced_choice,
    _missing_part,
    _choose_without_of,
    _indentation,
    _after_value,
    _missing_colon,
    _missing_word,
    _binder,
    _missing_type,
    _odd_forms,
    _fixed_name,
    _nothing_more,
)


def _shown(s: FailureScene) -> str:
    """Return the failing lexeme as messages show it."""
    return _NAMELESS.get(s.lexeme.kind) or f"`{s.lexeme.text}`"


def _unexpected(s: FailureScene) -> Finding:
    """Return the finding of last resort: what cannot stand there, and what the parser would accept."""
    expected = _expected(s)
    if s.lexeme.text == "?":
        return Finding("syntax-unexpected", "`?` cannot stand in a value", "write `a if cond else b`")
    if s.lexeme.text == "when" and any(lexeme.text == ":" for lexeme in s.line):
        return Finding("syntax-unexpected", "`when` cannot stand here", "`when …` stands before the `:`")
    if s.lexeme.text == ".." and len(s.line) > 2 and s.line[-2].text == "in":
        hint = f"write `{s.line[-3].text} from {s.before} to {s.after or '…'}`"
        return Finding("syntax-unexpected", "`..` makes a type, and no collection", hint)
    if s.lexeme.kind == "word" and s.wants("+") and {"+=", "-=", "pay"} & {lexeme.text for lexeme in s.line}:
        hint = f"how many that is worked out stands between parentheses: `(…) {s.lexeme.text}`"
        return Finding("syntax-unexpected", f"`{s.lexeme.text}` cannot stand here after `{s.before}`", hint)
    where = f" after `{s.before}`" if s.before else ""
    words = [word for word in s.failure.accepts if word.isalpha() and word.islower()]
    if s.before == "pay" and "from" in words:
        hint = "what an item of a menu costs is `paying COST from PURSES`"
        return Finding("syntax-unexpected", f"{_shown(s)} cannot stand here after `pay`", hint)
    hint = _suggestion(s.lexeme.text, words) if s.lexeme.kind == "word" else ""
    owner = s.line[-4].text if s.before == ")" and len(s.line) > 3 else s.before
    if s.lexeme.kind == "word" and s.wants(".") and owner in ("seat", "p", "you", "owner", "next", "previous"):
        hint = f"what belongs to somebody stands after a dot: `….{s.lexeme.text}`"
    return Finding("syntax-unexpected", f"{_shown(s)} cannot stand here{where}; expected {expected}", hint)


def _suggestion(word: str, known: Iterable[str]) -> str:
    """Return a hint with the translation of a foreign word, or the nearest known word."""
    meant = word_meant(word.lower())
    near = suggest(word, known)
    return f"write {meant}" if meant and f"`{word.lower()}`" not in near else near


def _expected(s: FailureScene) -> str:
    """Return the accepted lexemes in words, grouped where possible: `a value, an operator or ...`."""
    accepts = set(s.failure.accepts)
    expected = []
    if s.wants_declaration:
        expected.append("a declaration")
        accepts -= DECLARATION_WORDS
    if s.wants_statement:
        expected.append("a statement")
        accepts -= STATEMENT_WORDS | {"NAME", "INT"}
    if s.wants_value:
        expected.append("a value")
        accepts -= _VALUES | _CHOICES
    if s.wants("+", "*"):
        expected.append("an operator")
        accepts -= _OPERATORS | _AFTER_VALUE
    accepts -= {"_DEDENT", ".", "[", "{"} if expected else set()
    names = {"NAME": "a name", "INT": "a number", "CITES": "a citation", "_NL": "the end of the line"}
    names |= {"_INDENT": "an indented block", "_DEDENT": "the end of the block", "$END": "nothing more"}
    expected += sorted(names.get(text, f"`{text}`") for text in accepts)
    return enumerated(expected, "or")
