"""A report as one HTML page that needs nothing beside it.

Enters: a `Report`, the words of the game. Leaves: the page, to the byte the same for the same report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from rulelang.lab import plots
from rulelang.lab.findings import Test
from rulelang.lab.report import CardLine, Report, Sample
from rulelang.lab.statistics import Estimate
from rulelang.resources import room_data

if TYPE_CHECKING:
    from rulelang.words import Words

TEXTS = {"en": room_data("lab", "english"), "fr": room_data("lab", "french")}
PERCENT = frozenset(
    """win_share completed drawn shared failed close forced narrowness decided had used picked stopped feedback
    conversion worth met uniformity""".split()
)
"""Figures that are shown as percentages."""
MOST_LISTED = 40
"""So many cards stand in the plot; the table has all."""
STYLE = """
:root{color-scheme:light}
body{margin:0 auto;max-width:60rem;padding:1rem 1rem 4rem;font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}
h1{font-size:1.6rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.2rem;margin:2.2rem 0 .3rem;border-top:1px solid #ddd;padding-top:1rem}
p{margin:.3rem 0 .8rem}
figure{margin:.6rem 0 1rem}
svg{display:block;width:100%;height:auto;max-width:44rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .6rem .2rem 0;text-align:left;vertical-align:top}
th{border-bottom:1px solid #999;font-weight:600}
td{border-bottom:1px solid #eee}
.n{text-align:right}.n i{font-style:normal;white-space:nowrap}
code{font:.8rem ui-monospace,monospace;background:#f4f4f2;padding:.1rem .3rem;overflow-wrap:anywhere}
code span{white-space:nowrap}
.finding{border-left:4px solid #c8553d;background:#fdf3f0;padding:.5rem .8rem;margin:.6rem 0}
.finding b{display:block}
.clean{border-left:4px solid #588157;background:#f2f7f0;padding:.5rem .8rem}
.small{color:#666;font-size:.85rem}
details summary{cursor:pointer;font-weight:600;margin:1rem 0 .4rem}
@media(max-width:30rem){body{font-size:15px;padding:.6rem .7rem 3rem}svg{min-width:26rem}figure{overflow-x:auto}}
"""

Cell = tuple[str, bool]
"""Markup and whether it is a number."""


def page(report: Report, words: Words) -> str:
    """The page in the language of the words.

    Raises:
        UsageError: the library of plots is missing.
    """
    made = Page(report, words)
    body = "\n".join(made.body())
    title = escape(made.title)
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(words.lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


class Page:
    """The parts of a page."""

    def __init__(self, report: Report, words: Words) -> None:
        self.report, self.words = report, words
        self._texts = TEXTS.get(words.lang.partition("-")[0], TEXTS["en"])
        self._samples = {sample.name: sample for sample in report.samples}
        self.title = self._text("title", title=words.title, players=report.players)

    def _text(self, name: str, /, **fields: object) -> str:
        return str(self._texts[name]).format(**fields)

    def body(self) -> Iterator[str]:
        """All sections."""
        report = self.report
        yield f"<h1>{escape(self.title)}</h1>"
        yield f'<p class="small">{escape(self._text("made", name=report.ruleset, hash=report.hash[:16]))}</p>'
        yield from self._findings()
        yield from self._glance()
        yield from self._seats()
        yield from self._length()
        yield from self._course()
        yield from self._luck()
        yield from self._cards()
        yield from self._restricted()
        yield from self._strategy()
        yield from self._all()
        yield f'<p class="small">{escape(self._text("formulas"))}</p>'

    # ---- parts

    def _head(self, name: str, about: str = "") -> Iterator[str]:
        yield f"<h2>{escape(self._text(name))}</h2>"
        if about:
            yield f"<p>{_marked(self._text(about))}</p>"

    def _findings(self) -> Iterator[str]:
        yield from self._head("findings")
        found, count = self.report.findings, len(self.report.tests)
        if not found:
            yield f'<p class="clean">{escape(self._text("nothing_found", count=count))}</p>'
            return
        for test in found:
            title = self._text(f"found_{test.flaw}", of=self._name(test.of), seat=test.seat)
            percent = test.figure in PERCENT
            said = self._text(
                f"says_{test.figure}",
                value=_interval(test.estimate, percent),
                bound=_number(test.bound, percent),
                games=test.estimate.games,
            )
            first = self._samples[test.sample.partition(" + ")[0]]
            said += f" ({self._sample(first)})"
            yield f'<div class="finding"><b>{escape(title)}</b>{escape(said)}<br>{self._command(first)}</div>'
        number = sum(test.found for test in self.report.tests)
        yield f'<p class="small">{escape(self._text("of_tests", found=number, count=count))}</p>'

    def _seats(self) -> Iterator[str]:
        report = self.report
        if report.players < 2:
            return
        yield from self._head("seats", "seats_about")
        names = [name for name in ("random", "best") if name in self._samples]
        rows = [
            (self._text("seat", seat=seat), [report.figure(name, "win_share", seat) for name in names])
            for seat in range(report.players)
        ]
        labels = [self._sample(self._samples[name]) for name in names]
        equal = 1 / len(report.parties)
        yield self._figure(plots.estimates(rows, labels, self._text("share_of_win"), equal, self._text("seats"), True))
        head = ["", *labels]
        yield _table(
            [(text, number > 0) for number, text in enumerate(head)],
            [[(escape(name), False), *(_cell(estimate, True) for estimate in row)] for name, row in rows],
        )
        yield from self._commands(names)

    def _glance(self) -> Iterator[str]:
        """The figures of the whole game, of random games beside those of the best bots."""
        names = [*self._samples]
        table = {(f.sample, f.key.name): f.estimate for f in self.report.figures if f.key.seat < 0}
        figures = dict.fromkeys(name for _, name in table)
        best = "best" in names
        yield from self._head("glance", "glance_about")
        head = [("", False), (self._text("sample_random"), True)]
        rows: list[list[Cell]] = []
        for figure in figures:
            of_random = next(
                (table[name, figure] for name in names if name != "best" and (name, figure) in table), None
            )
            cells = [of_random, *([table.get(("best", figure))] if best else [])]
            text = [_cell(estimate, figure in PERCENT) for estimate in cells]
            rows.append([(escape(self._figure_name(figure, -1)), False), *text])
        best_head = [(self._sample(self._samples["best"]), True)] if best else []
        yield _table([*head, *best_head], rows)

    def _length(self) -> Iterator[str]:
        if len(self.report.lengths) < 2:
            return
        yield from self._head("length", "length_about")
        yield self._figure(plots.histogram(self.report.lengths, self._text("decisions"), self._text("length_about")))
        yield from self._commands(["random"])

    def _course(self) -> Iterator[str]:
        courses = self.report.courses
        if not courses:
            return
        yield from self._head("course")
        for name, about, percent in (("odds", "odds_about", True), ("curve", "scores_about", False)):
            if name in courses:
                yield f"<p>{escape(self._text(about))}</p>"
                series = {self._text(side): [pair[n] for pair in courses[name]] for n, side in enumerate(SIDES)}
                yield self._figure(plots.lines(series, self._text("progress"), self._text(about), percent))
        yield from self._commands(["best"] if "best" in self._samples else ["odds", "traced"])

    def _luck(self) -> Iterator[str]:
        report = self.report
        if "deals" in self._samples:
            yield from self._head("luck", "luck_about")
            rows = [(self._text("seat", seat=seat), report.figure("deals", "luck", seat)) for seat in _seats(report)]
            yield _table([("", False), (self._text("name_luck"), True)], [[(a, False), _cell(b)] for a, b in rows])
            yield from self._commands(["deals"])
        if report.rungs:
            yield from self._head("ladder", "ladder_about")
            named = [
                (
                    self._text("budget", budget=rung.budget, against=rung.against),
                    [Estimate(rung.share, rung.low, rung.high, rung.blocks * rung.games_each)],
                )
                for rung in report.rungs
            ]
            equal = report.rungs[0].equal
            yield self._figure(
                plots.estimates(named, [""], self._text("share_of_win"), equal, self._text("ladder"), True)
            )
            yield _table(
                [("", False), (self._text("share_of_win"), True), (self._text("games"), True)],
                [[(name, False), _cell(row[0], True), (str(row[0].games), True)] for name, row in named],
            )
            yield f"<p>{_code(report.climb)}</p>"

    def _cards(self) -> Iterator[str]:
        named = {line.card: line for line in self.report.cards}
        by_sample = {name: {line.card: line for line in self.report.cards if line.sample == name} for name in BOTS}
        if not named:
            return
        yield from self._head("cards", "cards_about")
        samples = [name for name in BOTS if by_sample[name]]
        worth = [
            (self._name(card), [_of(by_sample[name].get(card), "worth") for name in samples])
            for card in named
            if any(_of(by_sample[name].get(card), "worth") for name in samples)
        ]
        worth.sort(key=lambda row: -next(estimate.value for estimate in row[1] if estimate))
        labels = [self._sample(self._samples[name]) for name in samples]
        if worth:
            shown = worth if len(worth) <= MOST_LISTED else [*worth[: MOST_LISTED // 2], *worth[-MOST_LISTED // 2 :]]
            yield self._figure(plots.estimates(shown, labels, self._text("worth"), 0.0, self._text("cards"), True))
        for name in samples:
            columns = [c for c in COLUMNS if any(_of(line, c) for line in by_sample[name].values())]
            yield f"<h3>{escape(self._sample(self._samples[name]))}</h3>"
            yield _table(
                [(self._text("card"), False), *((self._text(column), True) for column in columns)],
                [
                    [(escape(self._name(card)), False), *(_cell(_of(line, column), True) for column in columns)]
                    for card, line in by_sample[name].items()
                ],
            )
        yield from self._commands(samples)

    def _restricted(self) -> Iterator[str]:
        lines = self.report.restricted
        if lines:
            yield from self._head("restricted", "restricted_about")
            yield _table(
                [("", False), (self._text("loss"), True), (self._text("command"), False)],
                [
                    [(escape(self._name(line.of)), False), _cell(line.loss, True), (_code(line.command), False)]
                    for line in lines
                ],
            )

    def _strategy(self) -> Iterator[str]:
        report = self.report
        name = "best" if "best" in self._samples else "traced"
        lines = [line for line in report.actions if line.sample == name]
        if not lines:
            return
        yield from self._head("strategy")
        text = self._text("strategy_about", sample=self._sample(self._samples[name]))
        yield f"<p>{_marked(text)}</p>"
        parts = range(len(lines[0].winners))
        head = [(self._text("part", part=part + 1), True) for part in parts]
        yield _table(
            [(self._text("action"), False), *head, (self._text("against_chance"), True)],
            [
                [
                    (escape(self._action(line.action)), False),
                    *((_pair(line.winners[part], line.others[part]), True) for part in parts),
                    _cell(line.rate),
                ]
                for line in lines
            ],
        )
        if report.holdings:
            yield f"<p>{escape(self._text('holdings_about'))}</p>"
            yield _table(
                [("", False), *head],
                [
                    [(escape(self._holding(of)), False), *((_pair(a, b), True) for a, b in pairs)]
                    for of, pairs in report.holdings.items()
                ],
            )
        yield from self._commands([name])

    def _all(self) -> Iterator[str]:
        yield from self._head("samples")
        yield _table(
            [(self._text("sample"), False), (self._text("count"), True), (self._text("command"), False)],
            [
                [(escape(self._sample(sample)), False), (str(sample.games), True), (_code(sample.command), False)]
                for sample in self.report.samples
            ],
        )
        yield f"<details><summary>{escape(self._text('figures'))}</summary>"
        yield _table(
            self._heads(("figure", "sample"), ("value", "games")),
            [
                [
                    (escape(self._figure_name(f.key.name, f.key.seat)), False),
                    (escape(self._sample(self._samples[f.sample])), False),
                    _cell(f.estimate, f.key.name in PERCENT),
                    (str(f.estimate.games), True),
                ]
                for f in self.report.figures
            ],
        )
        yield f"</details><details><summary>{escape(self._text('tests'))}</summary>"
        yield _table(
            self._heads(("flaw", "sample"), ("value", "bound", "p")),
            [self._test_row(test) for test in self.report.tests],
        )
        yield "</details>"

    def _heads(self, texts: Sequence[str], numbers: Sequence[str]) -> list[Cell]:
        return [*((self._text(name), False) for name in texts), *((self._text(name), True) for name in numbers)]

    def _test_row(self, test: Test) -> list[Cell]:
        percent = test.figure in PERCENT
        return [
            (escape(self._text(f"found_{test.flaw}", of=self._name(test.of), seat=test.seat)), False),
            (escape(test.sample), False),
            _cell(test.estimate, percent),
            (_number(test.bound, percent), True),
            (f"{test.chance:.2g}", True),
        ]

    # ---- words

    def _sample(self, sample: Sample) -> str:
        return self._text(f"sample_{sample.name}", deals=sample.setting.deals, bot=sample.setting.bots[0])

    def _name(self, of: str) -> str:
        """A card or an action in the words of the game, with its id where that is something else."""
        if of not in self.report.kinds:
            return self._action(of)
        called = self.words.lexicon.name_of(f"{self.report.kinds[of]}.{of}", of)
        return of if called in (of, of.replace("_", " ")) else f"{called} ({of})"

    def _action(self, of: str) -> str:
        return self.words.heading(self.report.askers.get(of, ""), of)

    def _holding(self, of: str) -> str:
        return of.replace("_", " ").replace(".", ": ")

    def _figure_name(self, name: str, seat: int) -> str:
        text = self._texts.get(f"name_{name}", name)
        return f"{text}, {self._text('seat', seat=seat)}" if seat >= 0 else text

    def _commands(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield f"<p>{self._command(self._samples[name])}</p>"

    def _command(self, sample: Sample) -> str:
        return _code(sample.command)

    def _figure(self, svg: str) -> str:
        return f"<figure>{svg}</figure>"


SIDES = ("winners", "others")
BOTS = ("traced", "best")
COLUMNS = ("had", "used", "picked", "worth")


def _of(line: CardLine | None, name: str) -> Estimate | None:
    return getattr(line, name) if line is not None else None


def _seats(report: Report) -> range:
    return range(report.players)


def _table(head: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> str:
    """A table; the head is plain text, cells are markup."""
    top = "".join(f"<th{_class(number)}>{escape(text)}</th>" for text, number in head)
    body = "\n".join(
        f"<tr>{''.join(f'<td{_class(number)}>{markup}</td>' for markup, number in row)}</tr>" for row in rows
    )
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>\n{body}\n</tbody></table></div>'


def _marked(text: str) -> str:
    """Text in which `words` stand out."""
    return re.sub("`([^`]*)`", r"<b>\1</b>", escape(text))


def _class(number: bool) -> str:
    return ' class="n"' if number else ""


def _code(text: str) -> str:
    """A command; no line ends within a flag."""
    marked = re.sub(r"--[a-z-]+", r"<span>\g<0></span>", escape(text))
    return f"<code>{marked}</code>"


def _cell(estimate: Estimate | None, percent: bool = False) -> Cell:
    if estimate is None:
        return "", True
    value, interval = _interval(estimate, percent).split(" [")
    return f"{escape(value)} <i>[{escape(interval)}</i>", True


def _interval(estimate: Estimate, percent: bool = False) -> str:
    """The value and its interval."""
    value, low, high = (_number(number, percent) for number in (estimate.value, estimate.low, estimate.high))
    return f"{value} [{low}; {high}]"


def _number(value: float, percent: bool = False) -> str:
    if value in (float("inf"), float("-inf")):
        return "∞" if value > 0 else "−∞"
    text = f"{100 * value:.1f}" if percent else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
    text = text.replace("-", "−") if float(text) else text.lstrip("-")
    return f"{text}\N{NO-BREAK SPACE}%" if percent else text


def _pair(winners: Estimate, others: Estimate) -> str:
    """Two means, each with half of its interval."""
    first, second = (f"{_number(e.value)} ± {_number(e.high - e.value)}" for e in (winners, others))
    return f"<i>{first} /</i> <i>{second}</i>"
