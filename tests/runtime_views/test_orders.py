"""Orders of zones are their rows alone: made-up ones are played and shown as they say."""

from __future__ import annotations

import json

import pytest

from rulelang.execution.executor import Executor
from rulelang.resources import grammar_path
from rulelang.runtime.views import observation
from rulelang.vocabulary.orders import ORDERS, Order
from tests.runtime_views.games import compiled

YAML = """
rulelang: 2
name: made_up
players: 1
kinds:
  Card: {identity: true, start: hand}
pieces:
  Card: [{id: a}, {id: b}, {id: c}]
zones:
  hand: {holds: Card}
  line: {holds: Card, order: pile}
  gone: {holds: Card}
"""
RULES = """
rulelang 2
play:
  move c to line
  move a to line
  move b to line
  """


def shown(
    order: Order, rules: str, monkeypatch: pytest.MonkeyPatch, backend: str = "interpreter"
) -> dict[str, list[str]]:
    """The pieces of all zones at the end of the game, where `pile` is another order."""
    monkeypatch.setitem(ORDERS, "pile", order)
    executor = Executor(compiled.__wrapped__(YAML, RULES + rules), 1, None, "interpreter")
    state = executor.new_state()
    executor.interpreter.advance(state)
    return {name: zone["pieces"] for name, zone in observation(state, 0)["zones"].items()}


@pytest.mark.parametrize(
    ("order", "line"),
    [
        (Order(ends=False, kept=False), ["a", "b", "c"]),
        (Order(ends=True, kept=True), ["b", "a", "c"]),
        (Order(ends=True, kept=True, enters="bottom"), ["c", "a", "b"]),
        (Order(ends=False, kept=True, enters="bottom"), ["c", "a", "b"]),
    ],
    ids=["bag", "pile", "queue", "row"],
)
def test_pieces_lie_as_the_row_says(order: Order, line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By their rows, the last on top, or one after the other; of a row rules take the first in that order."""
    assert shown(order, "move top of line to gone", monkeypatch) == {"hand": [], "line": line[1:], "gone": line[:1]}


def test_a_row_without_ends_has_no_top(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is drawn from it."""
    with pytest.raises(AssertionError, match="`line` is not a pile"):
        shown(Order(ends=False, kept=True), "draw 1 from line to gone", monkeypatch)


def test_the_schema_has_the_orders() -> None:
    """Each row's name can be written."""
    schema = json.loads(grammar_path("ruleset.schema.json").read_text(encoding="utf-8"))
    assert [{*ORDERS}] == [
        {*node["enum"]} for node in _within(schema) if isinstance(node, dict) and "pile" in node.get("enum", ())
    ]


def _within(node: object) -> list[object]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [node, *(part for child in inner for part in _within(child))]
