"""The list that `legal_actions` gives is a list in all that is done with it, though its actions are made when they are
looked at."""

from __future__ import annotations

import copy
import gc
import json
import operator
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import rulelang
from rulelang.game.actions import Action, Asker, UnreadActions
from rulelang.game.state import State
from rulelang.ir.nodes import Binder, Decision, Expr, Item
from rulelang.runtime import names
from rulelang.runtime.lazy_lists import Unread, unread
from rulelang.vocabulary.types import Type


@pytest.fixture(scope="module")
def state() -> State:
    """A position with several options."""
    return rulelang.load(Path(__file__).parents[1] / "conformance/rulesets/tictactoe").new_game(2, 1)


def changed(change: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """What is left of a list after a change, with what the change gives."""
    return lambda x: (change(x), [*x])


USES: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "sorted": lambda x: sorted(x, key=str),
    "tuple": tuple,
    "set": set,
    "reversed": lambda x: [*reversed(x)],
    "unpacked": lambda x: [*x, 0],
    "in": lambda x: (x[1] in x, 5 in x),
    "equal": lambda x: (x == [*x], [*x] == x, x != []),
    "first": lambda x: x[0],
    "last": lambda x: x[-1],
    "slice": lambda x: x[1:],
    "bool": bool,
    "len": len,
    "added": lambda x: (operator.add(x, [1]), operator.add([1], x)),
    "times": lambda x: (x * 2, 2 * x),
    "index": lambda x: x.index(x[1]),
    "count": lambda x: x.count(x[1]),
    "copy": lambda x: x.copy(),
    "copied": copy.copy,
    "repr": repr,
    "append": changed(lambda x: x.append(1)),
    "extend": changed(lambda x: x.extend([1])),
    "clear": changed(lambda x: x.clear()),
    "insert": changed(lambda x: x.insert(1, 1)),
    "remove": changed(lambda x: x.remove(x[1])),
    "pop": changed(lambda x: x.pop()),
    "sort": changed(lambda x: x.sort(key=str, reverse=True)),
    "reverse": changed(lambda x: x.reverse()),
    "set one": changed(lambda x: x.__setitem__(0, 1)),
    "delete one": changed(lambda x: x.__delitem__(0)),
    "add to": changed(lambda x: x.__iadd__([1])),
    "multiply": changed(lambda x: x.__imul__(2)),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_it_is_a_list(use: Callable[[list[Any]], Any], state: State) -> None:
    """Whatever is done first gives the same as with a list that was read."""
    actions = state.legal_actions()
    assert isinstance(actions, UnreadActions)
    assert use(actions) == use(list(state.legal_actions()))
    words = unread(lambda: ["b", "a", "c"])
    assert isinstance(words, Unread)
    assert use(words) == use(["b", "a", "c"])
    assert not isinstance(words, Unread)


def test_one_is_made_alone(state: State) -> None:
    """Reading one leaves the others; out of bounds is an error; a list that was never read equals another one."""
    actions = state.legal_actions()
    assert isinstance(actions[2], Action)
    assert actions[2].place == 2
    assert isinstance(actions, UnreadActions)
    assert actions == state.legal_actions()
    with pytest.raises(IndexError):
        state.legal_actions()[len(actions)]


def test_every_way_to_use_a_list_is_there() -> None:
    """No method of lists reads what is not made."""
    harmless = {"__new__", "__init__", "__len__", "__sizeof__", "__hash__", "__getattribute__", "__class_getitem__"}
    own = {name for name in vars(list) if callable(getattr(list, name))} - harmless
    assert not {name for name in own if getattr(UnreadActions, name) is getattr(list, name)}
    assert not {name for name in {*own, "__len__"} if getattr(Unread, name) is getattr(list, name)}
    assert json.dumps([unread(lambda: [1, {}])]) == json.dumps([[1, {}]])


def test_what_is_given_is_the_callers(state: State) -> None:
    """Changing the list changes nothing of the state."""
    before = [action.id for action in state.legal_actions()]
    state.legal_actions().clear()
    assert [action.id for action in state.legal_actions()] == before


def test_an_id_is_made_alone(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no two options can read the same, the id of one makes no other, and it is that of a list of all."""
    made = []

    def option_id(*given: Any) -> str:
        made.append(given)
        return str(names_option_id(*given))

    names_option_id = names.option_id
    monkeypatch.setattr(names, "option_id", option_id)
    copy_ = state.clone(reseed=1)
    copy_._offered = {}
    offer = copy_._offer(0)
    assert isinstance(offer.ids, names.LoneIds)
    assert offer.ids[4] == "place:square=b2"
    assert len(made) == 1
    assert [*offer.ids] == names.option_ids(offer.state, offer.decision, offer.options)  # type: ignore[attr-defined]
    assert (offer.find("place:square=b2"), offer.find("place:square=d2")) == (4, -1)


@pytest.mark.parametrize(
    ("binder", "menu", "alone"),
    [
        ("int", ("go", "pass"), True),
        ("opt<cell:Square>", ("go", "pass"), True),
        ("opt<cell:Named>", ("go", "pass"), False),  # an absent value reads as one that is there
        ("piece:Card", ("go", "pass"), False),  # like pieces in two zones
        ("set<int>", ("go", "pass"), False),
        ("int", ("go", "go"), False),
    ],
)
def test_when_ids_are_made_alone(binder: str, menu: tuple[str, ...], alone: bool) -> None:
    """By the types of what is chosen, and where no two items have one name."""
    grids = [SimpleNamespace(cells=["a1", "b1"]), SimpleNamespace(cells=["none", "some"])]
    layout: Any = SimpleNamespace(grids=grids, grid_index={"Square": 0, "Named": 1}, party_names=["0", "1"])
    items = tuple(Item(name, (Binder("each", "x", 0, Type(binder), ()),), (), 0) for name in menu)
    decision = Decision(0, "act", Expr("const", Type("seat"), (0,), 0), items, -1)
    assert names.LoneIds.suit(layout, decision) == alone
    with_pass = Decision(0, "act", decision.seat, items, -1, ask="anyway")
    assert names.LoneIds.suit(layout, with_pass) == (alone and "pass" not in menu)


def test_lists_that_were_read_hold_no_memory(state: State) -> None:
    """They are given back without a collection: no action lies in the list that it refers to."""
    for use in (list, len, lambda actions: actions[0].id, lambda actions: [action.id for action in actions]):
        copy_ = state.clone()
        copy_._offered = {}
        copy_._asker = Asker(copy_._executor, copy_._asker.lexicon)
        gone = weakref.ref(copy_._asker)
        gc.disable()
        try:
            use(copy_.legal_actions())
            del copy_
            assert gone() is None
        finally:
            gc.enable()
