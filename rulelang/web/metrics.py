"""What a server measures of itself, in Prometheus' text form.

Enters: requests with their answers, refusals; open pages and waiting bots, when they are asked for. Leaves: the text.
Nothing in it tells of a game, an address or a token.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from rulelang.diagnostics import UsageError
from rulelang.resources import installing

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 30.0)
"""Upper bounds of the histogram of requests, in seconds."""


class Metrics:
    """Counters and histograms of one server.

    Args:
        gauges: name -> its description, and what gives its value now.

    Raises:
        UsageError: prometheus_client is not installed.
    """

    def __init__(self, gauges: Mapping[str, tuple[str, Callable[[], float]]]) -> None:
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
        except ImportError:
            raise UsageError(f"metrics need prometheus_client: {installing('web')}") from None
        self._registry: CollectorRegistry = CollectorRegistry()
        self._seconds = Histogram(
            "rulelang_request_seconds", "Time to answer a request", ["route"], buckets=BUCKETS, registry=self._registry
        )
        self._refusals = Counter(
            "rulelang_refusals", "Requests that were refused", ["status", "code"], registry=self._registry
        )
        for name, (description, value) in gauges.items():
            Gauge(name, description, registry=self._registry).set_function(value)

    def answered(self, route: str, seconds: float) -> None:
        """Count a request that was answered."""
        self._seconds.labels(route).observe(seconds)

    def refused(self, status: int, code: str) -> None:
        """Count a request that was refused."""
        self._refusals.labels(str(status), code).inc()

    def text(self) -> tuple[bytes, str]:
        """Return all of it, and its media type."""
        from prometheus_client import generate_latest
        from prometheus_client.exposition import CONTENT_TYPE_LATEST

        return generate_latest(self._registry), CONTENT_TYPE_LATEST
