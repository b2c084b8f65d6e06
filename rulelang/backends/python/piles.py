"""Shuffling and what becomes known of a shuffled pile, in random playouts alone.

Enters: a state that rules led to. Leaves: the state changed as `rulelang.runtime.pools` changes it, in fewer steps.
"""

# S is the state in every function of this module.

from __future__ import annotations

from collections.abc import Callable

from rulelang.runtime.layout import Layout
from rulelang.runtime.pools import shuffle
from rulelang.runtime.state import State


def shuffle_known(S: State, zone: int) -> None:
    """Makes the order of a pile of no individuals unknown; quick where all of its pieces are known."""
    contents = S.z[zone]
    items = sorted(contents)
    if not items or items[0] < 0 or items[0] == items[-1]:
        shuffle(S, zone)
        return
    pools = S.pools
    pool = pools.index([]) if [] in pools else len(pools)
    pools[pool : pool + 1] = [items]
    contents[:] = [-1 - pool] * len(items)


def settler(layout: Layout, hidden: frozenset[int]) -> Callable[[State, int], None]:
    """What makes a pool with one distinct item known; its members lie in zones of the tables `hidden` alone."""
    zones = [there for table in sorted(hidden) for there in layout.zone_instances(table)]
    identity = [layout.program.kinds[kind].identity for kind in layout.inst_kind]

    def settle(S: State, pool: int) -> None:
        item, member = S.pools[pool][0], -1 - pool
        S.pools[pool] = []
        for zone in zones:
            contents = S.z[zone]
            if member in contents:
                contents[:] = [item if there == member else there for there in contents]
                if not layout.inst_pile[zone]:
                    contents.sort()
                if identity[zone]:
                    S.where[item] = zone

    return settle
