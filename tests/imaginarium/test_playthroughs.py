"""Recorded games of Imaginarium go as recorded; the laws of the game hold all along."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rulelang.game import State
from rulelang.record import read_record, replay
from tests.shipped import rows_of, shipped
from tests.soak import soaking

from .record_playthroughs import TABLES, file_of

ROWS = rows_of("imaginarium")
MACHINES = 61  # imaginarium-fr:51
END = 20  # points (imaginarium-fr:414)


@pytest.mark.parametrize("table", [TABLES[0], TABLES[-1], *soaking(*TABLES[1:-1])])
def test_playthrough(table: tuple[int, int]) -> None:
    """Every choice is still offered, every hash is the same, and what must hold between turns does."""
    record = read_record(file_of(*table).read_text(encoding="utf-8"))
    assert record.players == table[0]
    assert record.scores is not None
    last: State | None = None
    for number, state in enumerate(replay(record, shipped("imaginarium"))):
        if number % 25 == 0 or state.is_terminal():
            check(state)
        last = state
    assert last is not None
    assert max(points(last)) >= END
    assert all(
        0 <= bonus <= 12 for bonus in (score - held for score, held in zip(last.scores(), points(last), strict=True))
    )


def points(state: State) -> list[int]:
    """What each has behind the screen."""
    return [state.observation(seat)["variables"][f"points[{seat}]"] for seat in range(state.players)]


def check(state: State) -> None:
    """No machine is lost, no workshop too full when a round begins, nobody has a fourth assistant."""
    seen = state.observation(0)
    zones: dict[str, Any] = seen["zones"]
    counts = Counter(name.partition("[")[0] for name in zones for _ in range(zones[name]["count"]))
    assert sum(counts[name] for name in ("pile", "belt", "shredder", "yard", "workshop", "unveiled")) == MACHINES
    assert counts["assistant_pile"] + counts["meeting"] + counts["office"] == 13
    assert sum(counts[n] for n in ("project_pile", "study", "drawer", "revealed", "dropped")) == 14
    decision = state.decision()
    planning = decision is not None and decision.rule == "send_tinker"
    for seat in range(state.players):
        office = zones[f"office[{seat}]"]["pieces"]
        assert len(office) <= 3
        places = [row["variables"]["place"] for row in seen["pieces"] if row["zone"] == f"workshop[{seat}]"]
        assert 0 not in places
        if planning:
            assert len(set(places)) <= (6 if "landlord" in office else 4)
            for place in set(places):
                group = [
                    r["piece"]
                    for r in seen["pieces"]
                    if r["zone"] == f"workshop[{seat}]" and r["variables"]["place"] == place
                ]
                assert legal(group), group


def legal(group: list[str]) -> bool:
    """Whether these machines may share a place (imaginarium-fr:296-324), as the cards say it in words of their own."""
    roles = Counter(ROWS[id_].attributes["role"].text for id_ in group)
    if len(group) == 1 or set(roles) == {"defence"}:
        return True
    if set(group) == {group[0]}:
        return ROWS[group[0]].attributes["paired" if len(group) == 2 else "tripled"].text != "0" and len(group) <= 3
    partners = ROWS[group[0]].attributes["partners"].text
    return roles == {"production": 1, "transformation": 1} and ROWS[group[1]].attributes["serial"].text in partners
