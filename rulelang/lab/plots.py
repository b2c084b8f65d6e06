"""Plots as static SVG for pages: no script, no network, byte for byte the same for the same numbers.

Enters: numbers and their names. Leaves: SVG text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import StringIO
from math import isfinite
from typing import Any

from rulelang.diagnostics import UsageError
from rulelang.lab.statistics import Estimate
from rulelang.resources import installing

COLOURS = ("#2a6f97", "#c8553d", "#588157", "#8d6a9f", "#b08900", "#4a4e69")
WIDTH, ROW = 6.4, 0.28
"""Inches: of a plot, and the height of a row of estimates."""
STYLE = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#777",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "figure.constrained_layout.use": True,
}


def library() -> Any:
    """Import matplotlib and its Figure.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(f"plots need matplotlib: {installing('lab')}") from None
    return matplotlib, Figure


def _drawn(height: float, draw: Any, label: str) -> str:
    """Return a figure as SVG.

    Args:
        height: in inches. draw: function that draws into axes. label: for screen readers.
    """
    matplotlib, figure_class = library()
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": label}):  # ids are those of one figure of a page
        figure = figure_class(figsize=(WIDTH, height))
        draw(figure.subplots())
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    svg = text.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    return svg.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)


def estimates(
    rows: Sequence[tuple[str, Sequence[Estimate | None]]],
    series: Sequence[str],
    axis: str,
    line: float | None,
    label: str,
    percent: bool = False,
) -> str:
    """Return a plot with a row for each name: an estimate with its interval for each series.

    Args:
        rows: name and estimates, one for each series. axis: label. line: a value for comparison, if any. percent:
            whether values are shares.
    """

    def draw(axes: Any) -> None:
        """Draw the estimates into axes."""
        step = 0.8 / len(series)
        for number, name in enumerate(series):
            ys = [place + (number - (len(series) - 1) / 2) * step * 0.7 for place in range(len(rows))]
            known = [(y, row[number]) for y, (_, row) in zip(ys, rows, strict=True) if row[number] is not None]
            axes.errorbar(
                [e.value for _, e in known if e],
                [y for y, _ in known],
                xerr=[[e.value - e.low for _, e in known if e], [e.high - e.value for _, e in known if e]],
                fmt="o",
                markersize=4,
                capsize=2.5,
                color=COLOURS[number],
                label=name,
            )
        if line is not None:
            axes.axvline(line, color="#777", linewidth=1, linestyle="--")
        axes.set_yticks(range(len(rows)), [name for name, _ in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(axis)
        axes.grid(False, axis="y")
        if percent:
            axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
        if len(series) > 1:
            axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(series), fontsize=9)

    return _drawn(1.1 + ROW * len(rows) * max(1.0, 0.8 * len(series)), draw, label)


def histogram(counts: Mapping[int, int], axis: str, label: str) -> str:
    """Return a histogram of counts (value -> how often)."""

    def draw(axes: Any) -> None:
        """Draw the bars into axes."""
        low, high = min(counts), max(counts)
        width = max(1, -(-(high - low + 1) // 60))
        bars: dict[int, int] = {}
        for value, count in counts.items():
            start = low + (value - low) // width * width
            bars[start] = bars.get(start, 0) + count
        total = sum(counts.values())
        shares = [count / total for count in bars.values()]
        axes.bar([start + (width - 1) / 2 for start in bars], shares, width=width * 0.9, color=COLOURS[0])
        axes.set_xlabel(axis)
        axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")

    return _drawn(2.6, draw, label)


def lines(series: Mapping[str, Sequence[Estimate]], axis: str, label: str, percent: bool = False) -> str:
    """Return a line plot of each series over equal steps, with a band of its intervals."""

    def draw(axes: Any) -> None:
        """Draw the series into axes."""
        for number, (name, estimates) in enumerate(series.items()):
            values = [estimate.value for estimate in estimates]
            xs = [place / (len(values) - 1) for place in range(len(values))]
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(xs, values, color=colour, linewidth=2, label=name)
            if all(isfinite(estimate.low) for estimate in estimates):
                lows, highs = zip(*((estimate.low, estimate.high) for estimate in estimates), strict=True)
                axes.fill_between(xs, lows, highs, color=colour, alpha=0.2, linewidth=0)
        axes.set_xlabel(axis)
        axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
        if percent:
            axes.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.4g} %")
        axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=3, fontsize=9)

    return _drawn(2.8, draw, label)
