"""The text of a program: it reads back to the same program, and damaged texts are refused with their line."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from rulelang.ir.errors import IrError
from rulelang.ir.program import Program
from rulelang.ir.reader import parse_program
from rulelang.ir.text import print_program
from rulelang.ir.verify import verify
from tests.soak import every

from .build import good_program


def test_round_trip() -> None:
    """Reading what was printed gives the same program, and printing that the same text."""
    program = good_program()
    text = print_program(program)
    again = parse_program(text)
    assert again == program
    assert print_program(again) == text
    verify(again)


def test_blocks_show_where_they_come_from() -> None:
    """Every block names the rule and the place in its file as a comment."""
    text = print_program(good_program())
    assert "; block 0, rule setup, tiny/tiny.rule:3" in text
    assert '; decision 0, rule take_turn, tiny/"odd" name.rule:8' in text
    assert "; procedure 2: take_turn(you: seat) -> int" in text


def test_what_a_refusal_shows_is_part_of_the_text() -> None:
    """What is said of the operands of a guard is printed, left out where nothing is said, and read back."""
    text = print_program(good_program())
    assert '(Operand text="n" says="value") (Operand)' in text
    assert 'piece="red1"' in text


def test_lines_are_short() -> None:
    """What can be broken is broken at 120 characters."""
    assert max(map(len, print_program(good_program()).splitlines())) <= 120


def test_comments_and_layout_do_not_matter() -> None:
    """A text without comments, on one line, means the same."""
    text = print_program(good_program())
    flat = " ".join(re.sub(r"^\s*;.*$", "", text, flags=re.MULTILINE).split("\n")[1:])
    assert parse_program("rulelang-ir 2\n" + flat) == good_program()


def test_names_that_look_like_syntax() -> None:
    """Texts may hold quotes, line breaks, semicolons and any letter."""
    program = replace(good_program(), name='a "b" ; (c) \\ é\n[x]', title={"": "", "x": "\t;\u2028"})
    assert parse_program(print_program(program)) == program


@pytest.mark.parametrize(
    ("old", "new", "line_of", "message"),
    [
        ("rulelang-ir 2", "rulelang-ir 3", "rulelang-ir", "version 2"),
        ("rulelang-ir 2", "something", "something", "no text of a program"),
        ("(shuffle ", "(shuffel ", "(shuffel", "unknown operation or table `shuffel`"),
        ("(begin ", "(begin (none) ", "(begin", "unknown operation or table `none`"),
        ("(begin ", "(begin [] ", "(begin", "no expression, number or text"),
        ("(next_player seat ", "(next_player 3 ", "(next_player", "type of `next_player`"),
        ("max_decisions=", "maximum=", "maximum=", "no field `maximum`"),
        ("max_decisions=1000", 'max_decisions="many"', "max_decisions=", "wrong type"),
        ("max_decisions=1000", "max_decisions=true", "max_decisions=", "wrong type"),
        ("max_decisions=1000", "max_decisions=", 'outcome="drawn"', "a value expected"),
        ("max_decisions=1000", "", "(Program", "lacks the field `max_decisions`"),
        ("max_decisions=1000", "fuel=1 max_decisions=1000", "fuel=100000", "twice"),
        ('hash="0123"', 'hash="0123', "hash=", 'unexpected `"`'),
        ('hash="0123"', 'hash="\\q"', "hash=", "damaged text"),
        ("(Jump to=3)", "(Jump to=(const int 3))", "(Jump to=(", "wrong type"),
        ('title={"en": ', 'title={"en" ', "title=", "`:` expected"),
        ('title={"en": ', "title={1: ", "title=", "key is no text"),
    ],
)
def test_damaged_texts(old: str, new: str, line_of: str, message: str) -> None:
    """A damaged text is refused; the error names the line and what is wrong there."""
    text = print_program(good_program())
    assert old in text
    text = text.replace(old, new, 1)
    with pytest.raises(IrError, match=re.escape(message)) as caught:
        parse_program(text)
    lines = [number for number, line in enumerate(text.splitlines(), 1) if line_of in line]
    assert caught.value.line in lines


def test_cut_texts() -> None:
    """A text cut anywhere before its end is refused, never half read."""
    text = print_program(good_program())
    for length in every(7, range(0, len(text.rstrip()), 97)):
        with pytest.raises(IrError):
            parse_program(text[:length])


def test_text_after_the_end() -> None:
    """Nothing may follow the program, and the text must hold a program."""
    with pytest.raises(IrError, match="after the end"):
        parse_program(print_program(good_program()) + ")")
    with pytest.raises(IrError, match="holds no program"):
        parse_program("rulelang-ir 2\n[1 2]")


def test_program_is_the_class_read() -> None:
    """The reader gives the program's own classes, down to the nodes."""
    assert isinstance(parse_program(print_program(good_program())), Program)
