"""The time of a server, in seconds since 1970: it goes on evenly whatever becomes of the machine's clock.

Enters: the offset that all processes of a server share. Leaves: the time.
"""

from __future__ import annotations

import time

BACK = 24 * 3600.0
"""By less a clock is believed to have been set back; by more it was wrong before."""


class MovedClock:
    """The monotonic clock, with an offset.

    Attributes:
        offset: what the time is ahead of the monotonic clock, in seconds.
    """

    def __init__(self) -> None:
        self.offset = time.time() - time.monotonic()

    def go_on_from(self, before: float) -> None:
        """Set the clock to a time at which a server ran, if that is still to come: the machine's clock was set back, by
        less than BACK. So time never goes back, and no time between two moves is that of other servers."""
        ahead = before - self.now()
        self.offset += ahead if 0 < ahead < BACK else 0

    def now(self) -> float:
        """Return the time."""
        return time.monotonic() + self.offset


CLOCK = MovedClock()
"""The clock of this process."""
