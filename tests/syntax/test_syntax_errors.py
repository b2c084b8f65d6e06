"""What authors are told: one golden message for each common mistake, and never an exception."""

from __future__ import annotations

import random
import re

import pytest
from syntax_helpers import SAMPLE, findings

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax import parse_block, parse_expression, parse_piece_text, parse_rule_file, parse_type
from rulelang.syntax.scan import Place

PLAY = {
    "if coins == 3: stop": "3:12 syntax-operator `==` is no sign of the language | write `=` to compare",
    "if a && b: stop": "3:8 syntax-operator `&&` is no sign of the language | write `and`",
    "if !a: stop": "3:6 syntax-operator `!` is no sign of the language | write `not`",
    "choose:\n    sell(n in 1..3): pass": "4:16 syntax-unexpected `..` makes a type, and no collection | "
    "write `n from 1 to 3`",
    "choose:\n    buy(c in row, pay c.cost from purse): pass": "4:23 syntax-unexpected `c` cannot stand here after "
    "`pay` | what an item of a menu costs is `paying COST from PURSES`",
    "for n in 1..3: pass": "3:3 syntax-unexpected `..` makes a type, and no collection | "
    "write `for n in numbers(1, 3):`, or `repeat … times:` where the number is not wanted",
    "let c = first of hand": "3:11 syntax-unexpected `first` is no word of the language here | "
    "the first of a collection is `top of hand`, the last `bottom of hand`",
    "coins++": "3:3 syntax-operator `++` is no sign of the language | write `coins += 1`",
    'say("x")': "3:3 syntax-word nothing is printed by rules: the log is written by itself | "
    "take the line away; `reveal x` shows a hidden value to all",
    'if a = "red": stop': "3:10 syntax-operator names stand without quotes | write `if a = red: stop`",
    'a := "x': '3:8 syntax-operator `"` is no sign of the language | '
    "there are no quoted texts in rules; names stand as they are",
    "coins = 3": "3:9 syntax-assign `=` changes nothing | "
    "write `coins := 3` to change a variable, `let coins = 3` to give a name to a value",
    "let x := 3": "3:9 syntax-assign `let` gives a name to a value with `=` | write `let x = …`",
    "let x 3": "3:9 syntax-assign after `let x` comes `=` and a value | write `let x = …`",
    "if a\n    stop": "3:7 syntax-colon a `:` is missing at the end of this line | write `if a:`",
    "if a then stop": "3:3 syntax-word the language has another word or sign for `then` | write `if a: stop`",
    "if a: stop\n  elif b: stop": "4:3 syntax-word `elif` is no word of the language | write `else if b:`",
    "pass\n  else: stop": "4:3 syntax-else this `else` belongs to no `if`, `pay` or menu | "
    "give it the indentation of its `if`",
    "pay 1 nut from shed:\n    stop": "3:3 syntax-else `pay … from …:` with a block needs an `else:` after it | "
    "put `else:` below its block, `else: pass` if nothing happens then",
    "let x = choose one hand": "3:22 syntax-choose `of` is missing before `hand` | write `choose one of hand`",
    "let x = choose one + 1": "3:22 syntax-choose "
    "`of` is missing: what is to be chosen from must follow, not `+` | "
    "write `choose one of …`, `choose 2 of …`, `choose up to 2 of …`, `choose any of …`",
    "choose one of hand": "3:3 syntax-choose what is chosen here goes nowhere | "
    "write `let x = choose … of …`; a menu is `choose:` or `choose NAME:`",
    "if a and choose one of b: stop": "3:12 syntax-choose `choose` cannot stand inside a value | "
    "it may follow `let x =`, `:=`, `return`, `if`, `for x in`, or stand in parentheses",
    "x := 1 + roll 1 to 6": "3:12 syntax-choose `roll` cannot stand inside a value | "
    "it may follow `let x =`, `:=`, `return`, `if`, `for x in`, or stand in parentheses",
    "let x = choose a Colour where it != red": "3:20 syntax-former `choose a Colour` is of version 1 | "
    "write `choose one of Colour`",
    "let if = 3": "3:7 syntax-keyword `if` is a word of the language and cannot be a name here | "
    "as in `let card = choose one of hand else return`",
    "let top = 3": "3:7 name-reserved `top` is a word of the language and can't be declared | "
    "choose another name, such as `my_top` or, better, one that says what it is",
    "coins += (1 + 2": "3:12 syntax-bracket `(` is never closed | add the `)`",
    "coins += 1 + 2)": "3:17 syntax-bracket `)` closes nothing | ",
    "coins += [1 + 2)": "3:18 syntax-bracket `)` stands where the `[` of line 3 wants its `]` | ",
    "shufle deck": "3:3 syntax-word `shufle` begins no statement | did you mean `shuffle`?",
    "chose one of hand": "3:3 syntax-word `chose` begins no statement | did you mean `choose`?",
    "procede": "3:3 syntax-word `procede` alone is no statement | did you mean `proceed`?",
    "reveal botom of deck": "3:10 syntax-word `botom` is no word of the language | did you mean `bottom`?",
    "for p in players_after leader: pass": "3:12 syntax-call what `players_after` is asked of stands between "
    "parentheses | write `players_after(leader)`",
    "pay buyer.bid coin from purse": "3:7 syntax-word how many that is worked out stands between parentheses | "
    "write `(buyer.bid) coin`",
    "let x = choose upto 2 of hand": "3:18 syntax-word `upto` is no word of the language | write `up to 2`",
    "take_turn": "3:3 syntax-word `take_turn` alone is no statement | write `take_turn()` to call it",
    "x.y": "3:6 syntax-unexpected a value alone is no statement | `:=` changes a variable, `()` calls a rule",
    "stop\n    stop": "4:5 syntax-indent this line stands deeper than the one above, which opens no block | "
    "indent it like the line above, or end that line with `:`",
    "  stop\n  stop": "4:3 syntax-indent this line is indented by 2, and no block above is | indent it by 0 or 4",
    "\tstop": "3:3 syntax-tab a tab stands in the indentation | indent with spaces, two for each level",
    "if a:\n  stop": "4:3 syntax-indent the lines of a block stand deeper than the line that opens it | "
    "indent this line by two more spaces, and those that belong to it",
    "if a: if b: stop": "3:9 syntax-block `if` opens a block and begins on a line of its own | "
    "begin a new line after the colon, indented, with `if …:` and what belongs to it below",
    "coins += 1234567890123456789": "3:12 syntax-number this number has 19 digits; at most 18 are allowed | ",
    "coins += 1.5": "3:14 syntax-number numbers are whole; there is no decimal point | count in smaller units",
    "coins += é": "3:12 syntax-character `é` cannot stand in rules | "
    "names are made of a-z, A-Z, 0-9 and _; comments may hold anything",
    "if coins ≥ 3: stop": "3:12 syntax-character `≥` cannot stand in rules | write `>=` instead",
    "if a + 1 < x < 3: stop": "3:16 syntax-compare comparisons do not chain | write `a < b and b < c`",
    "if 1 < x < 3: stop": "3:12 syntax-compare comparisons do not chain | write `1 < x and x < 3`",
    "if a = b where it: stop": "3:12 syntax-filter `where` follows a collection, and this is a whole condition | "
    "put the collection and its condition into parentheses",
    "draw 3 deck to hand": "3:10 syntax-missing `from` is missing before `deck` | write `draw 3 from deck to hand`",
    "move hand deck": "3:13 syntax-missing `to` is missing before `deck` | write `move hand to deck`",
    "repeat 3: stop": "3:3 syntax-missing `times` is missing before `:` | write `repeat 3 times:`",
    "end game": "3:3 syntax-missing `the` is missing before `game` | write `end the game`",
    "coins +=": "3:11 syntax-unexpected a value is missing after `+=` | ",
    "trade x": "3:10 syntax-call a call has parentheses, even when nothing stands in them | write `trade x()`",
    "f(sum(a for a in b), c for c in d)": "3:24 syntax-comprehension "
    "`… for … in …` stands alone between the parentheses of a call | "
    "call once for each, or join the collections: `x in a + b`",
    "f(distinct(a, it.b))": "3:17 syntax-misplaced `by` must stand before this in `distinct`, not a comma | "
    "as in `distinct(C by it.x, it.y)`",
    "f(a by it.b)": "3:5 syntax-misplaced "
    "`by` stands in `distinct(C by it.x, it.y)` and `reachable(x by neighbours(it))` | ",
    "choose:\n    buy(c in row, n = c.cost): pass": "4:19 syntax-missing `let` is missing before `n` | "
    "`let n = …` only names a value; `n = 2 of …` asks for so many",
    "mark x until turn": "3:3 syntax-word a word or a sign is missing in this line, or stands elsewhere | "
    "write `mark x until after turn of you`",
}

TOP = {
    "f(n: number) -> number = n": "2:1 syntax-word `f` begins no declaration | "
    "a value that is worked out is a function: `function f(…) -> TYPE = …`",
    "act(n: number): pass": "2:1 syntax-word `act` begins no declaration | "
    "what does something is a rule: `rule act(…): …`",
    "ruel f():\n  pass": "2:1 syntax-word `ruel` begins no declaration | did you mean `rule`?",
    "shuffle deck": "2:1 syntax-word `shuffle` begins a statement, and here stand declarations | "
    "indent it inside `setup:`, `play:`, a rule or a handler",
    "[Foo:3]\nplay:\n  stop": "2:1 syntax-citation this is no citation | "
    "write `[source:line]` or `[source:line-line, …]`",
    "rule move(x: player): pass": "2:6 name-reserved `move` is a word of the language and can't be declared | "
    "choose another name, such as `my_move` or, better, one that says what it is",
    "function f(x: number) = 3": "2:23 syntax-missing the type of the value is missing before `=` | "
    "write `-> number = …`, or another type; what does something is a `rule`",
    "function f -> number:\n  let n = 3\n  n + 1": "4:3 syntax-missing "
    "`return` is missing before `n`: a value alone is no statement | ",
    "function f -> number =\n  let n = 3\n  return n": "2:22 syntax-colon "
    "a block follows `:`, not `=` | write `-> TYPE:`",
    "score x: return 3": "2:10 syntax-block `return` ends a block, and this is none | "
    "write only the value here, or begin a block on the next line",
    "modify q:\n  if a: plus 3": "3:3 syntax-block the block of a `modify` begins with `let` | "
    "a condition follows `when`, or stands in the value: `plus 1 if … else 0`",
    "modify q:\n  let n = 3\n  return n": "4:3 syntax-missing "
    "`return` does not say how the quantity changes | as in `minus 1`; there are "
    "`plus`, `minus`, `set to`, `at least` and `at most`",
    "score x = 3": "2:9 syntax-colon a `:` must stand here, not `=` | write `score x: 3`",
    "play:": "2:6 syntax-indent a block must follow the colon, on deeper lines | `pass` does nothing",
    "setup:\nshuffle deck\nmove a to b": "3:1 syntax-indent "
    "the lines that belong to `setup …:` stand no deeper than it | "
    "indent them by two spaces, and what belongs to them with them",
    "rulelang 2": "2:1 syntax-version the version stands once, in the first line | ",
}


@pytest.mark.parametrize("text", PLAY)
def test_message_in_a_block(text: str) -> None:
    """A mistake in a statement is told in the author's words, at its place."""
    assert findings(f"rulelang 2\nplay:\n  {text}\n") == [PLAY[text]]


@pytest.mark.parametrize("text", TOP)
def test_message_at_the_top(text: str) -> None:
    """A mistake in a declaration is told in the author's words, at its place."""
    assert findings(f"rulelang 2\n{text}\n") == [TOP[text]]


def test_independent_mistakes_are_all_told() -> None:
    """Each declaration is parsed by itself; an unclosed bracket ends where the next declaration begins."""
    text = "rulelang 2\nplay:\n  coins = 1\n\n# fine\nrule f(: pass\nscore x: max(\n  1\n)\nscore y: 2 +\nscore z: 3\n"
    assert [line.split()[0] for line in findings(text)] == ["3:9", "6:7", "10:13"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "1:1 syntax-version a `.rule` file begins with the line `rulelang 2`"),
        ("# only this\n", "1:1 syntax-version a `.rule` file begins with the line `rulelang 2`"),
        ("score x: 1\n", "1:1 syntax-version a `.rule` file begins with the line `rulelang 2`"),
        (
            "rulelang 3\n???",
            "1:10 syntax-version this file is written in version 3 of the language; known is version 2",
        ),
        (
            "rulelang\n",
            "1:9 syntax-unexpected the end of the line cannot stand here after `rulelang`; expected a number",
        ),
        ("  rulelang 2\n", "1:3 syntax-indent a declaration begins in the first column"),
    ],
)
def test_version_line(text: str, wanted: str) -> None:
    """The version stands first; a file of another version is not read on."""
    assert [line.split(" | ")[0] for line in findings(text)] == [wanted]


DEEP = {
    "parentheses": "score x: " + "(" * 10_000 + "1" + ")" * 10_000,
    "open parentheses": "score x: " + "(" * 10_000,
    "blocks": "play:\n" + "".join(" " * i + "if a:\n" for i in range(1, 1000)) + " " * 1000 + "stop",
    "not": "score x: " + "not " * 10_000 + "a",
    "sums": "score x: " + "1 + " * 10_000 + "1",
    "attributes": "score x: a" + ".b" * 10_000,
    "conditionals": "score x: " + "1 if a else " * 5000 + "1",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_refused(name: str) -> None:
    """A text nested beyond the limit costs a finding, not the stack."""
    codes = [line.split()[1] for line in findings(f"rulelang 2\n{DEEP[name]}\n")]
    assert codes in (["syntax-depth"], ["syntax-depth", "syntax-bracket"])


def test_nesting_within_the_limit_is_fine() -> None:
    """Ninety blocks in each other, ninety brackets, and ninety `else if` in a row, are no trouble."""
    blocks = "play:\n" + "".join(" " * i + "if a:\n" for i in range(1, 90)) + " " * 90 + "stop\n"
    chain = "setup:\n  if a: stop\n" + "  else if b: stop\n" * 90
    assert findings(f"rulelang 2\n{blocks}score x: {'f(' * 90}1{')' * 90}\n{chain}") == []


def test_no_text_raises() -> None:
    """Whatever is done to a good text, the answer is findings inside the text."""
    rng = random.Random(7)
    lexemes = re.findall(r"\n *|\w+|[^\w\s]| ", SAMPLE)
    pool = [*lexemes, '"', "é", "\t", "==", "9" * 30, "\n", "\n      ", "\x00", "\r"]
    for _ in range(60):
        start = rng.randrange(len(lexemes) - 100)
        parts = ["rulelang 2\n\n", *lexemes[start : start + 100]]
        for _ in range(rng.randrange(1, 6)):
            parts[rng.randrange(len(parts))] = rng.choice(pool)
        text = "".join(parts)
        source, diagnostics = Source("t", text), Diagnostics()
        parse_rule_file(source, diagnostics)
        for parse in (parse_piece_text, parse_block, parse_expression, parse_type):
            parse(Place(source), text, diagnostics)
        for found in diagnostics:
            assert found.code.startswith(("syntax-", "name-reserved"))
            assert 1 <= found.span.line <= text.count("\n") + 1
