"""What a seat sees as one vector of float32, and masks as arrays: what PettingZoo and Gymnasium take.

Enters: a `PickGame`, a seat. Leaves: numpy arrays and the spaces that they lie in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from rulelang.envs.core import PickGame
from rulelang.envs.specs import Spec
from rulelang.runtime.event_rows import EventRow


def observation_space(spec: Spec) -> spaces.Box:
    """Return the space of `vector`: first `counts`, then `numbers`, then how often each pick was made."""
    bounds = {array: [f for f in spec.fields if f.array == array] for array in ("counts", "numbers")}
    low = [field.low for each in bounds.values() for field in each for _ in field.slots] + [0] * len(spec.picks)
    high = [field.high for each in bounds.values() for field in each for _ in field.slots] + [255] * len(spec.picks)
    return spaces.Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)


def vector(game: PickGame, seat: int) -> Any:
    """Return what a seat sees: float32 of the size of `observation_space`."""
    counts, numbers, prefix = game.observe(seat)
    parts = np.frombuffer(counts, np.uint8), np.frombuffer(numbers, np.int32), np.frombuffer(prefix, np.uint8)
    return np.concatenate(parts).astype(np.float32)


def events_space(most: int) -> spaces.Box:
    """Return the space of `event_array`."""
    bound = np.iinfo(np.int32).max
    return spaces.Box(-bound, bound, (most, len(EventRow._fields)), np.int32)


def event_array(game: PickGame, seat: int, most: int) -> Any:
    """Return the last rows of what a seat has seen happen: int32 (most, 8), the newest at the end; -1 where there are
    not so many."""
    result: Any = np.empty((most, len(EventRow._fields)), np.int32)
    game.write_events(seat, result)
    return result


def mask(game: PickGame, seat: int, dtype: Any = np.int8) -> Any:
    """Return for each number of the space whether a seat can pick it now."""
    result = np.zeros(game.spec.size, dtype)
    result[game.mask(seat)] = 1
    return result
