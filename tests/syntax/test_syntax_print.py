"""The one layout: it keeps meaning and comments, and does nothing to what it made."""

from __future__ import annotations

import random

import pytest
from syntax_helpers import SAMPLE, bare, block, declarations, expression

from rulelang.diagnostics import NOWHERE, Diagnostics, RulesetError, Source
from rulelang.syntax import ast, format_source, print_node
from rulelang.syntax.forms import value
from rulelang.syntax.layout import flat
from rulelang.syntax.scan import Place, scan
from tests.soak import times

UGLY = """\
# head

rulelang   2
setup:
    shuffle   deck    #tail
    # end of setup
play :
 repeat :

  # first
  for p in players :
       turn of p :
          take_turn( )   # inside


  # last of repeat
 # last of play
score a: ((1 + 2)) * 3
score b: (a)   . b [ 1 ]

score c: (choose_from(x,y) where (it = 1))
tie: most coins, then shared
event e(
  x: Card,  # the card
  # more
  y: 0 .. 3
): pass
rule f(): if a: pass
# the end
"""

NEAT = """\
# head

rulelang 2

setup:
  shuffle deck  # tail
  # end of setup

play:
  repeat:
    # first
    for p in players:
      turn of p:
        take_turn()  # inside

    # last of repeat
  # last of play

score a: (1 + 2) * 3
score b: a.b[1]

score c: choose_from(x, y) where it = 1
tie: most coins, then shared

# the card
# more
event e(x: Card, y: 0..3): pass
"""


def test_layout() -> None:
    """Spaces, blank lines, indentation, parentheses and comments come out in the one way."""
    assert format_source(UGLY.replace("rule f(): if a: pass\n# the end\n", "")) == NEAT


def test_sample_is_its_own_layout() -> None:
    """A text in the layout is not touched, and what is printed means the same."""
    assert format_source(SAMPLE) == SAMPLE


def test_wrong_texts_are_not_formatted() -> None:
    """A text with mistakes raises, with the findings."""
    with pytest.raises(RulesetError) as caught:
        format_source(UGLY)
    assert [d.code for d in caught.value.diagnostics] == ["syntax-block"]


def test_long_lines_are_broken_in_brackets() -> None:
    """What exceeds the width is broken at its widest brackets, conditions before `and`."""
    names = ", ".join(f"argument_{n}" for n in range(12))
    text = (
        f"rulelang 2\n\nscore x: f({names}) + g(1)\nscore y: h(({' and '.join(f'condition_{n}' for n in range(9))}))\n"
    )
    neat = format_source(text)
    assert max(len(line) for line in neat.split("\n")) <= 120
    assert "\n) + g(1)\n" in neat
    assert "\n  and condition_1\n" in neat
    assert format_source(neat) == neat
    assert bare(declarations(neat)) == bare(declarations(text))


LONG = """\
rulelang 2

# Which may lie together.
[book:3, book:12-14]  # and page 40
# Some alike, or one of each of two sorts.
function goes_together(group: list of Machine) -> bool = count(group) = 1 or (all(m.role = defence for m in group) and (
  count(group) < 4  # no more
  )) or (count(group) = 2 and transformation in group.role and production in group.role and all(all(o = m or o.serial in m.partners for o in group) for m in group))
function tie_break(s: player) -> number = 1000 if s not in players else total_score(s) + sum(total_score(p) for p in s.teammates) if all_four else count(s.shed) if machine is none else 0

rule act(card: Card):
  if someone_lacks_houses_within_reach(card) and not (card.family = communication or card.family = storage) or card.worth > 10:
    let home = choose one of houses_within_reach(you) where can pay it.price from shed + repaired.stored and it.worth > 10 else return
    pay_for(home, card)
  choose:
    [book:15]
    build(home in houses_within_reach(you)) when ready(build) and home.worth > 10 and (fits(you) or possible(tidy() then fits(you))) once per turn: pay_for(home, card)
    else: pass
"""  # noqa: E501

LAID_OUT = """\
rulelang 2

# Which may lie together.
[book:3, book:12-14]  # and page 40
# Some alike, or one of each of two sorts.
# no more
function goes_together(group: list of Machine) -> bool =
  count(group) = 1
  or (all(m.role = defence for m in group) and count(group) < 4)
  or (
    count(group) = 2
    and transformation in group.role
    and production in group.role
    and all(all(o = m or o.serial in m.partners for o in group) for m in group)
  )
function tie_break(s: player) -> number =
  1000 if s not in players
  else total_score(s) + sum(total_score(p) for p in s.teammates) if all_four
  else count(s.shed) if machine is none
  else 0

rule act(card: Card):
  if (someone_lacks_houses_within_reach(card) and not (card.family = communication or card.family = storage))
      or card.worth > 10:
    let home = choose one of houses_within_reach(you)
      where can pay it.price from shed + repaired.stored and it.worth > 10 else return
    pay_for(home, card)
  choose:
    [book:15]
    build(home in houses_within_reach(you))
        when ready(build) and home.worth > 10 and (fits(you) or possible(tidy() then fits(you))) once per turn:
      pay_for(home, card)
    else: pass
"""


def test_long_lines_end_before_the_words_that_join() -> None:
    """Outside in, aligned, and in brackets last; citations keep their line and their comments."""
    assert format_source(LONG) == LAID_OUT
    assert format_source(LAID_OUT) == LAID_OUT
    assert bare(declarations(LAID_OUT)) == bare(declarations(LONG))


def test_comments_anywhere_are_kept() -> None:
    """Comments and blank lines in any place change no tree, are all kept, and settle after one formatting."""
    rng = random.Random(3)
    wanted = bare(declarations(SAMPLE))
    for _ in range(times(4)):
        lines = []
        for number, line in enumerate(SAMPLE.split("\n")):
            if rng.random() < 0.2:
                lines.append(" " * rng.choice((0, 2, 3, 4, 6)) + f"# own {number}")
            if rng.random() < 0.2:
                lines.append("")
            if "(" in line and "#" not in line and rng.random() < 0.3:
                line = line.replace("(", f"(  # in {number}\n\n    # deep {number}\n", 1)
            lines.append(line + f"  # tail {number}" * ("#" not in line and rng.random() < 0.2))
        text = "\n".join(lines)
        neat = format_source(text)
        assert bare(declarations(neat)) == wanted
        assert format_source(neat) == neat
        assert _comments(neat) == _comments(text)


def _comments(text: str) -> list[str]:
    return sorted(comment.text for comment in scan(Place(Source("", text)), text, Diagnostics()).comments)


def test_nodes_print_by_themselves() -> None:
    """Declarations and statements print without their text, wherever they came from."""
    for node in declarations(SAMPLE)[1:]:
        again = declarations(f"rulelang 2\n{print_node(node)}")[1]
        assert bare(again) == bare(node)
    statement = block("if a:\n  stop\n  pass\nelse: stop").statements[0]
    assert print_node(statement) == "if a:\n  stop\n  pass\nelse: stop"
    assert print_node(ast.Let(NOWHERE, ast.Name(NOWHERE, "x"), ast.Number(NOWHERE, 3), None)) == "let x = 3"


def test_any_value_survives_printing() -> None:
    """Whatever tree a value has, its text parses to that tree."""
    rng = random.Random(11)
    for _ in range(times(500)):
        node = _grow(rng, rng.randrange(1, 4))
        text = flat(value(node))
        assert bare(expression(text)) == bare(node), text


def _name(text: str) -> ast.Name:
    return ast.Name(NOWHERE, text)


def _leaf(rng: random.Random) -> ast.Expr:
    return rng.choice(
        (
            ast.NameExpr(NOWHERE, rng.choice(("a", "hand", "to", "x1"))),
            ast.Number(NOWHERE, rng.randrange(30)),
            ast.Amount(NOWHERE, ast.Number(NOWHERE, 2), "plain", (_name("nut"),)),
            ast.Amount(
                NOWHERE,
                ast.NameExpr(NOWHERE, "n"),
                "either",
                (),
                (ast.NameExpr(NOWHERE, "nut"), ast.NameExpr(NOWHERE, "oil")),
            ),
            ast.NoneExpr(NOWHERE),
        )
    )


def _grow(rng: random.Random, depth: int) -> ast.Expr:
    """A random value of at most this depth, of the kinds whose parentheses can go wrong."""
    if depth == 0:
        return _leaf(rng)
    at, pick = NOWHERE, rng.choice
    a, b, c = (_grow(rng, rng.randrange(depth)) for _ in range(3))
    return pick(
        (
            ast.Arithmetic(at, pick(("+", "-", "*", "div", "mod")), a, b),
            ast.Arithmetic(at, pick(("+", "-", "*", "div", "mod")), a, b),
            ast.Negative(at, a),
            ast.Compare(at, pick(("=", "<", ">=")), a, b),
            ast.Logic(at, pick(("and", "or")), a, b),
            ast.Logic(at, pick(("and", "or")), a, b),
            ast.Not(at, a),
            ast.Member(at, a, b, pick((True, False))),
            ast.Is(at, a, pick(("empty", "none")), None, pick((True, False))),
            ast.CanPay(at, a, (b, c)),
            ast.Conditional(at, a, b, c),
            ast.Otherwise(at, a, b),
            ast.Where(at, a, b),
            ast.Ranked(at, a, (ast.SortKey(at, pick(("most", "fewest")), b),)),
            ast.Ranked(at, a, (ast.SortKey(at, "most", b), ast.SortKey(at, pick(("most", "fewest")), c))),
            ast.Sorted(at, a, (ast.SortKey(at, "fewest", c), ast.SortKey(at, pick(("most", "fewest")), b))),
            ast.Grouped(at, a, _name("key")),
            ast.EndOf(at, "top", pick((None, a)), b),
            ast.CellOf(at, a),
            ast.Attribute(at, a, _name("top")),
            ast.Index(at, a, (b, c)),
            ast.Lookup(at, ((-1, a), (3, b)), c),
            ast.Lookup(at, ((ast.NameExpr(at, "x"), a), (ast.Truth(at, pick((True, False))), b), (None, c)), a),
            ast.SetLiteral(at, (a, b)),
            ast.Call(at, _name("f"), (ast.Comprehension(at, a, _name("x"), b, pick((None, c))),)),
            ast.Call(
                at,
                _name("f"),
                (ast.Comprehension(at, ast.Comprehension(at, a, _name("y"), b, a), _name("x"), c, None),),
            ),
            ast.Call(at, _name("distinct"), pick(((a,), (a, b), (a, b, c)))),
            ast.Possible(at, ast.Call(at, _name("f"), (a,)), b),
            ast.Roll(at, a, b),
            *(ast.RandomOf(at, n, once, b, None) for n, once in [pick(((None, False), (a, False), (a, True)))]),
            ast.RandomOf(at, None, False, a, b),
            ast.Choose(
                at,
                ast.SomeOf(at, ast.Quantity(at, "between", a, b), c),
                pick((None, a)),
                pick((True, False)),
                True,
                False,
                pick((None, _name("gift"))),
            ),
        )
    )
