"""Texts to trees: every construct, the places of nodes, and texts that stand inside YAML."""

from __future__ import annotations

import pytest
from syntax_helpers import SAMPLE, bare, block, cut_out, declarations, expression

from rulelang.diagnostics import Diagnostics, Source
from rulelang.syntax import ast, parse_block, parse_expression, parse_piece_text, parse_type
from rulelang.syntax.scan import Place

KINDS = [
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.Node) and not kind.__subclasses__()
]


def walk(node: object) -> list[ast.Node]:
    """All nodes of a tree."""
    if isinstance(node, tuple):
        return [inner for part in node for inner in walk(part)]
    if isinstance(node, ast.Node):
        return [node, *(inner for part in vars(node).values() for inner in walk(part))]
    return []


def test_sample_uses_every_node() -> None:
    """The sample leaves out no kind of node but the claims of scenarios and what version 1 said, so that whatever it
    proves holds for all."""
    used = {type(node) for node in walk(declarations(SAMPLE))}
    assert [kind.__name__ for kind in KINDS if kind not in used] == ["Require", "Whose"]


def test_every_span_lies_in_the_text_and_in_its_parent() -> None:
    """Spans count from 1, end after they begin, and contain those of their parts but citations, which stand above."""
    lines = SAMPLE.split("\n")
    for node in walk(declarations(SAMPLE)):
        s = node.span
        assert (1, 1) <= (s.line, s.column) < (s.end_line, s.end_column), node
        assert s.end_column <= len(lines[s.end_line - 1]) + 1, node
        assert not lines[s.line - 1][s.column - 1].isspace(), node
        for inner in (inner for inner in walk(tuple(vars(node).values())) if not isinstance(inner, ast.Citation)):
            assert (s.line, s.column) <= (inner.span.line, inner.span.column), (node, inner)
            assert (inner.span.end_line, inner.span.end_column) <= (s.end_line, s.end_column), (node, inner)


def test_a_text_that_was_parsed_elsewhere_has_its_own_places() -> None:
    """The tree of a text of one line is copied; it is the tree that is parsed where the text stands."""
    values = [node for node in walk(declarations(SAMPLE)) if isinstance(node, ast.Expr)]
    texts = {cut_out(SAMPLE, node) for node in values if node.span.line == node.span.end_line}
    assert len(texts) > 100
    source = Source("t", "")
    for column, text in enumerate(sorted(texts), 1):
        place = Place(source, 9, column, 0)
        copied = parse_expression(place, text, Diagnostics())
        assert copied == parse_expression(place, f"{text}\n", Diagnostics())  # two lines are not copied


def test_citations_and_names_have_places() -> None:
    """Each citation and each declared name can be pointed at."""
    text = "rulelang 2\n[tiny-en:5-9,  b:2]\nrule f(x: Card?): pass"
    rule = declarations(text)[1]
    assert isinstance(rule, ast.Rule)
    assert [(c.source, c.first, c.last) for c in rule.citations] == [("tiny-en", 5, 9), ("b", 2, 2)]
    assert [cut_out(text, c) for c in rule.citations] == ["tiny-en:5-9", "b:2"]
    assert [cut_out(text, rule.name), cut_out(text, rule.params[0].name)] == ["f", "x"]
    assert cut_out(text, rule.params[0].type) == "Card?"
    assert cut_out(text, rule.body) == "pass"


def test_optional_parts_may_be_left_out() -> None:
    """What is not written is None, empty or the default."""
    rule, modifier, handler = declarations("rulelang 2\nrule f: pass\nmodify q: plus 1\nafter e: pass")[1:]
    assert isinstance(rule, ast.Rule)
    assert (rule.params, rule.returns, rule.depth, rule.citations) == ((), None, None, ())
    assert isinstance(modifier, ast.Modifier)
    assert (modifier.params, modifier.guard, modifier.priority, modifier.layer) == ((), None, 0, "plus")
    assert isinstance(handler, ast.Handler)
    assert (handler.guard, handler.limit, handler.timing) == (None, None, "after")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("number", "number"),
        ("Robot?", ("OptionalType", ("NamedType", "Robot"))),
        ("-3..12", ("RangeType", -3, 12)),
        ("bag of Part?", ("OptionalType", ("BagType", "Part"))),
        ("cost of Part", ("CostType", "Part")),
        ("group of Card by suit", ("GroupType", ("Name", "Card"), ("Name", "suit"))),
        ("list of 0..3", ("SetType", ("RangeType", 0, 3))),
    ],
)
def test_types(text: str, wanted: object) -> None:
    """Types stand alone in YAML."""
    found = parse_type(Place(Source("t", text)), text, Diagnostics())
    assert bare(found) == (("NamedType", wanted) if isinstance(wanted, str) else wanted)


def test_places_inside_yaml() -> None:
    """The rule text of a piece points into its YAML file, in the first line and in later, stripped ones."""
    head = "pieces:\n  Card:\n    - id: smith\n      rules: |\n"
    page = f"{head}        scores: hand.value\n        on activate(c):\n          pass\n"
    text = "scores: hand.value\non activate(c):\n  pass\n"
    source = Source("r.yaml", page)
    score, ability = parse_piece_text(Place(source, 5, 9, 8), text, Diagnostics())
    assert isinstance(score, ast.PieceScore)
    assert isinstance(ability, ast.Implement)
    assert cut_out(page, score.value) == "hand.value"
    assert cut_out(page, ability.params[0]) == "c"
    assert cut_out(page, ability.body) == "pass"


def test_mistakes_inside_yaml() -> None:
    """Findings of embedded texts have the line and column of the YAML file, and one does not hide the next."""
    source = Source("r.yaml", "")
    diagnostics = Diagnostics()
    parse_piece_text(Place(source, 5, 9, 8), "scores: 1 +\non x:\n  shufle y\nscores: 2 == 3", diagnostics)
    assert [(d.span.line, d.span.column, d.code) for d in diagnostics] == [
        (5, 20, "syntax-unexpected"),
        (7, 11, "syntax-word"),
        (8, 19, "syntax-operator"),
    ]
    assert parse_expression(Place(source, 3, 20, 0), "1 +", diagnostics) is None
    assert (3, 23) in {(d.span.line, d.span.column) for d in diagnostics}


def test_value_may_span_lines_in_yaml() -> None:
    """In a value of YAML the ends of lines mean nothing."""
    text = "3\n  if deck = 88\n  else 4  # why\n"
    found = parse_expression(Place(Source("t", text)), text, Diagnostics())
    assert bare(found) == bare(expression("3 if deck = 88 else 4"))
    assert found is not None
    assert (found.span.line, found.span.end_line) == (1, 3)


@pytest.mark.parametrize(
    "text", ["turn of seat(0): take_turn()", "turn of seat(0):\n  take_turn()\n", "\n# here\nstop\npass"]
)
def test_block_of_a_scenario(text: str) -> None:
    """A `do` is one statement or several lines."""
    assert block(text).statements


def test_empty_texts_are_reported() -> None:
    """Nothing at all is a finding and no exception, wherever something is wanted."""
    source, diagnostics = Source("t", ""), Diagnostics()
    for line, parse in enumerate((parse_expression, parse_type, parse_block, parse_piece_text), 1):
        assert not parse(Place(source, line, 1, 0), " \n# nothing\n", diagnostics)
    assert [d.code for d in diagnostics] == ["syntax-empty"] * 4


def test_windows_and_byte_order_mark() -> None:
    """Carriage returns and a byte order mark change nothing."""
    assert bare(declarations("\ufeff" + SAMPLE.replace("\n", "\r\n"))) == bare(declarations(SAMPLE))
