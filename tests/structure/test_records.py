"""Records do what dataclasses do: the same calls, comparisons, copies and refusals."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any

import pytest

from rulelang.records import make_record, record


@dataclass(frozen=True)
class Plain:
    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list, compare=False)


@make_record
class Dictionary:
    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list, compare=False)


@record
class Slots:
    name: str
    size: int = 3
    parts: list[int] = field(default_factory=list, compare=False)


@record
class Empty:
    pass


RECORDS = (Dictionary, Slots)
USES: tuple[Callable[[Any], object], ...] = (
    lambda c: repr(c("a")).partition("(")[2],
    lambda c: repr(c("a", 1, parts=[2])).partition("(")[2],
    lambda c: c("a") == c("a", 3, [7]),
    lambda c: c("a") == c("b"),
    lambda c: c("a") == ("a", 3, []),
    lambda c: len({c("a"), c("a", parts=[1]), c("b")}),
    lambda c: replace(c("a"), size=4).size,
    lambda c: copy.deepcopy(c("a", 2)) == c("a", 2),
    lambda c: pickle.loads(pickle.dumps(c("a", 2))) == c("a", 2),
    lambda c: copy.copy(c("a", 2, [1])).parts,
    lambda c: c("a").parts is c("a").parts,
    lambda c: [f.name for f in fields(c)],
    lambda c: c.__match_args__,
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("class_", RECORDS)
def test_as_a_dataclass(class_: Any, use: Callable[[Any], object]) -> None:
    """Whatever is asked, the answer is that of the dataclass."""
    assert use(class_) == use(Plain)


@pytest.mark.parametrize("class_", RECORDS)
def test_what_is_refused(class_: Any) -> None:
    """Too many, too few or unknown arguments."""
    for arguments, named in (((), {}), (("a", 1, [], 2), {}), (("a",), {"colour": 1}), (("a",), {"name": "b"})):
        with pytest.raises(TypeError):
            class_(*arguments, **named)


def test_without_fields() -> None:
    """All are equal, and of no other class."""
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1
    others: list[object] = [Dictionary("a"), Plain("a")]
    assert Empty() not in others
