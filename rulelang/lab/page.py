"""A report as one self-contained HTML page.

Enters: a `Report`, the words of the game. Leaves: the page, byte for byte the same for the same report: `page.html`
filled with texts of the language, figures and plots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulelang.diagnostics import UsageError
from rulelang.lab import plots
from rulelang.lab.findings import Test
from rulelang.lab.measures import FIGURES
from rulelang.lab.report import Report
from rulelang.lab.statistics import POWERED, Estimate, Z
from rulelang.languages import language
from rulelang.resources import installing

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from rulelang.words import Words

PERCENT = frozenset(name for name, figure in FIGURES.items() if figure.unit in ("share", "part", "difference"))
"""Figures that are shown as percentages."""
MOST_LISTED = 40
"""Most cards in the plot; the table has all."""
SMALL = 0.1
"""A worth of which a page says how many games would show it."""
SIDES = ("winners", "others")
BOTS = ("traced", "best")
COLUMNS = ("had", "used", "picked", "worth", "each")


@cache
def _environment() -> Environment:
    """Return the Jinja environment.

    Raises:
        UsageError: Jinja is not installed.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise UsageError(f"pages need Jinja: {installing('lab')}") from None
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def check_libraries() -> None:
    """Check that the libraries of pages are installed.

    Raises:
        UsageError: one is missing.
    """
    plots.library()
    _environment()


def page(report: Report, words: Words) -> str:
    """Return the page of a report, in the language of the words.

    Raises:
        UsageError: a library is missing.
    """
    return _Page(report, words).filled()


class _Page:
    """The data and texts that the template uses."""

    def __init__(self, report: Report, words: Words) -> None:
        self.report, self.words = report, words
        self._language = language(words.lang)
        self._texts = self._language.texts("lab")
        self.samples = {sample.name: sample for sample in report.samples}
        self.title = self.text("title", title=words.title, players=report.players)
        self.sections: list[str] = []
        self._rows = {line.card: line.sample for line in report.cards} | {x.action: x.sample for x in report.actions}

    def filled(self) -> str:
        """Return the whole page."""
        environment = _environment().overlay()
        environment.filters = environment.filters | {
            "text": self.text,
            "sample": self.sample,
            "called": self.name,
            "action": self.action,
            "holding": self.holding,
            "code": _code,
            "number": self._written(_number),
            "interval": self._written(_interval),
            "spread": self._written(half_width),
            "chance": self._written("{:.2g}".format),
        }
        own = {"page": self, "report": self.report, "samples": self.samples, "percent": PERCENT}
        html: str = environment.get_template("page.html").render(own, t=self.text, zip=zip)
        return html

    # ---- places of the page

    def section(self, name: str) -> str:
        """Return the anchor of a section, which the contents list."""
        self.sections.append(name)
        return name

    @staticmethod
    def anchor(sample: str, of: str) -> str:
        """Return the anchor of the row of a card or action in a sample's table."""
        return f"{sample}-{of}"

    def row_of(self, of: str) -> str:
        """Return the anchor of the row of a card or action, or of the action in which one is chosen; empty without."""
        known = next((name for name in (of, *reversed(of.split(":"))) if name in self._rows), "")
        return self.anchor(self._rows[known], known) if known else ""

    def glossary(self) -> list[tuple[str, str, str]]:
        """Return the figures that the page has, each with what it is and which values are good, if anything says so."""
        shown = {figure.key.name for figure in self.report.figures}
        shown |= set(COLUMNS) - {"each"} if self.report.cards else set()
        shown |= {"without"} if self.report.restricted else set()
        return [(n, self.text(f"about_{n}"), self._texts.get(f"good_{n}", "")) for n in FIGURES if n in shown]

    def figure_link(self, name: str) -> Markup:
        """Return the name of a figure as a link to what it is."""
        return _markup('<a href="#figure-%s">%s</a>') % (name, self.figure_name(name, -1))

    # ---- figures and plots

    def _plotted(
        self, rows: list[tuple[str, list[Estimate | None]]], labels: list[str], axis: str, line: float, label: str
    ) -> Markup | None:
        """Return a plot of estimates with a line for comparison; None without rows."""
        return _markup(plots.estimates(rows, labels, self.text(axis), line, self.text(label), True)) if rows else None

    def glance(self) -> dict[str, list[Estimate | None]]:
        """Return the figures of the whole game: of random games, and of the best bots."""
        table = {(f.sample, f.key.name): f.estimate for f in self.report.figures if f.key.seat < 0}
        random = [name for name in self.samples if name not in ("best", "seats", "strategy")]
        best = ["best"] if "best" in self.samples else []
        return {
            figure: [
                next((table[name, figure] for name in random if (name, figure) in table), None),
                *(table.get((name, figure)) for name in best),
            ]
            for figure in dict.fromkeys(name for _, name in table)
        }

    def seats(self) -> dict[str, Any]:
        """Return the seats' shares of the win by sample, with a plot."""
        report = self.report
        names = [name for name in ("random", "best", "seats") if name in self.samples]
        rows = [
            (self.text("seat", seat=seat), [report.figure(name, "win_share", seat) for name in names])
            for seat in range(report.players if report.players > 1 else 0)
        ]
        rows = [row for row in rows if any(row[1])]  # where all win or lose together there are none
        labels = [self.sample(name) for name in names]
        figure = self._plotted(rows, labels, "share_of_win", 1 / len(report.parties), "seats")
        return {"names": names, "rows": rows, "figure": figure}

    def lengths(self) -> Markup:
        """Return the histogram of lengths of games."""
        return _markup(plots.histogram(self.report.lengths, self.text("decisions"), self.text("length_about")))

    def courses(self) -> list[tuple[str, Markup]]:
        """Return the plots of odds and scores over a game, with their captions."""
        courses, drawn = self.report.courses, []
        for name, about, percent in (("odds", "odds_about", True), ("curve", "scores_about", False)):
            if name in courses:
                series = {self.text(side): [pair[n] for pair in courses[name]] for n, side in enumerate(SIDES)}
                svg = plots.lines(series, self.text("progress"), self.text(about), percent)
                drawn.append((about, _markup(svg)))
        return drawn

    def ladder(self) -> dict[str, Any]:
        """Return the rungs of the ladder, with a plot."""
        rungs = self.report.rungs
        rows: list[tuple[str, list[Estimate | None]]] = [
            (
                self.text("budget", budget=rung.budget, against=rung.against),
                [Estimate(rung.share, rung.low, rung.high, rung.blocks * rung.games_each)],
            )
            for rung in rungs
        ]
        equal = rungs[0].equal if rungs else 0.0
        return {"rows": rows, "figure": self._plotted(rows, [""], "share_of_win", equal, "ladder")}

    def cards(self) -> dict[str, Any]:
        """Return the cards of each sample, the columns that have values, and a plot of the cards' worth."""
        lines = {name: [line for line in self.report.cards if line.sample == name] for name in BOTS}
        lines = {name: of_sample for name, of_sample in lines.items() if of_sample}
        worth = {(line.sample, line.card): line.worth for line in self.report.cards}
        rows = [(card, [worth.get((name, card)) for name in lines]) for card in dict.fromkeys(c for _, c in worth)]
        rows = [(self.name(card), estimates) for card, estimates in rows if any(estimates)]
        rows.sort(key=lambda row: -next(estimate.value for estimate in row[1] if estimate))
        if len(rows) > MOST_LISTED:
            rows = [*rows[: MOST_LISTED // 2], *rows[-MOST_LISTED // 2 :]]
        return {
            "lines": lines,
            "power": self._power([line.worth for line in lines.get("best", ()) if line.worth is not None]),
            "columns": {name: [c for c in COLUMNS if any(getattr(x, c) for x in lines[name])] for name in lines},
            "figure": self._plotted(rows, [self.sample(name) for name in lines], "worth", 0.0, "cards"),
        }

    def _power(self, worths: Sequence[Estimate]) -> str:
        """Return which worth these games show, and how many would show SMALL, in words: of the median card."""
        known = [(worth.high - worth.low, worth.games) for worth in worths if worth.games > 1]
        if not known:
            return ""
        width, games = sorted(known)[len(known) // 2]
        least = width / 2 / Z * POWERED
        more = round(games * (least / SMALL) ** 2)
        numbers = (self._written(_number)(share, True) for share in (min(least, 1.0), SMALL))
        return self.text("power", **dict(zip(("least", "small"), numbers, strict=True)), games=games, more=more)

    # ---- words

    def _written(self, form: Callable[..., str]) -> Callable[..., str]:
        """Return a function that writes numbers with the decimal sign of the language."""
        return lambda *numbers: re.sub(r"(?<=\d)\.(?=\d)", self.text("decimal_sign"), form(*numbers))

    def text(self, name: str, /, **fields: object) -> str:
        """Return a text of the language, filled."""
        return self._language.filled(str(self._texts[name]), **fields)

    def marked(self, name: str, **fields: object) -> Markup:
        """Return a text in which `words` are bold."""
        return _replaced("`([^`]*)`", r"<b>\1</b>", self.text(name, **fields))

    def flaw(self, test: Test) -> str:
        """Return a flaw in words."""
        return self.text(f"found_{test.flaw}", of=self.name(test.of), seat=test.seat)

    def said(self, test: Test) -> str:
        """Return a test's figure, interval and bound in words."""
        percent, estimate = test.figure in PERCENT, test.estimate
        value, bound = self._written(_interval)(estimate, percent), self._written(_number)(test.bound, percent)
        return self.text(f"says_{test.figure}", value=value, bound=bound, games=estimate.games)

    def sample(self, name: str) -> str:
        """Return the name of a sample."""
        setting = self.samples[name].setting
        return self.text(f"sample_{name}", deals=setting.deals, bot=setting.bots[0])

    def holding(self, of: str) -> str:
        """Return in words what a party holds, such as `coins.red`."""
        return ": ".join(map(self.words.lexicon.name_of, of.split(".")))

    def name(self, of: str) -> str:
        """Return a card or an action in words, with its id if that is different; `action:chosen` both."""
        action, _, chosen = of.partition(":")
        if chosen:
            return f"{self.action(action)}: {self.name(chosen)}"
        if of not in self.report.kinds:
            return self.action(of)
        name = self.words.lexicon.name_of(f"{self.report.kinds[of]}.{of}", of)
        return of if name in (of, of.replace("_", " ")) else f"{name} ({of})"

    def action(self, of: str) -> str:
        """Return an action in words."""
        return self.words.heading(self.report.askers.get(of, ""), of)

    def figure_name(self, name: str, seat: int) -> str:
        """Return the name of a figure."""
        text = self.text(f"name_{name}")
        return f"{text}, {self.text('seat', seat=seat)}" if seat >= 0 else text


def _markup(text: str) -> Markup:
    """Return text as markup, which is not escaped."""
    from markupsafe import Markup

    return Markup(text)


def _replaced(pattern: str, markup: str, text: str) -> Markup:
    """Return escaped text with matches of a pattern replaced by markup."""
    from markupsafe import escape

    return _markup(re.sub(pattern, markup, str(escape(text))))


def _code(text: str) -> Markup:
    """Return a command as markup whose flags are never broken."""
    return _markup("<code>%s</code>") % _replaced("--[a-z-]+", r"<span>\g<0></span>", text)


def _interval(estimate: Estimate, percent: bool = False) -> str:
    """Return a value with its interval as text."""
    value, low, high = (_number(number, percent) for number in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}; {high}]"


def _number(value: float, percent: bool = False) -> str:
    """Return a number as text."""
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    text = f"{100 * value:.1f}" if percent else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    text = text.replace("-", "−") if float(text) else text.lstrip("-")
    return f"{text}\N{NO-BREAK SPACE}%" if percent else text


def half_width(estimate: Estimate) -> str:
    """Return a mean with half the width of its interval as text."""
    return f"{_number(estimate.value)} ± {_number((estimate.high - estimate.low) / 2)}"
