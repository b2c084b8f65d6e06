"""The time of a server, in seconds since 1970: it goes on evenly whatever becomes of the machine's clock.

Enters: the offset that all processes of a server share. Leaves: the time.
"""

from __future__ import annotations

import time


class MovedClock:
    """The monotonic clock, with an offset.

    Attributes:
        offset: what the time is ahead of the monotonic clock, in seconds.
    """

    def __init__(self) -> None:
        self.offset = time.time() - time.monotonic()

    def now(self) -> float:
        """Return the time."""
        return time.monotonic() + self.offset


CLOCK = MovedClock()
"""The clock of this process."""
