"""`rulelang compare`: two rulesets or variants on the same seeds.

Enters: a `Comparison` and the words of the second ruleset. Leaves: the changed declarations, the figures of the game
and of the changed cards, and those of other cards that moved.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from rulelang.agents.bots import bot_spec
from rulelang.cli.common import (
    bot_option,
    guarded,
    jobs_option,
    json_option,
    lang_option,
    language_of,
    loaded,
    option_option,
    overlay_option,
    players_option,
    read_options,
    seed_option,
    table,
)
from rulelang.cli.output import put, put_json
from rulelang.cli.simulate import games_option, progress_bar
from rulelang.compare import ComparedMeasure, Comparison
from rulelang.diagnostics import UsageError
from rulelang.words.terminal import Texts

if TYPE_CHECKING:
    from rulelang.semantics.differences import AttributeChange, Change
    from rulelang.words import Words

WIDTH = 100
LABEL, VALUE = 38, 44
"""Widest name of a measure, and old or new value, in columns."""

MOST_NEEDED = 1_000_000
FEWEST_GAMES = 100
"""With fewer games the intervals are too narrow: they assume a normally distributed mean of differences."""


@click.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@players_option
@games_option
@bot_option
@seed_option
@jobs_option
@option_option
@overlay_option
@click.option("--all", "every", is_flag=True, help="Show the figures of all cards, not only of those that moved.")
@lang_option
@json_option
@guarded
def compare(
    first: str,
    second: str | None,
    players: int | None,
    games: int,
    bot: str,
    seed: int,
    jobs: int,
    options: tuple[str, ...],
    overlays: tuple[str, ...],
    every: bool,
    lang: str | None,
    form: str,
) -> None:
    """Compare two rulesets or variants on paired seeds: differences (B less A) with 95 % intervals.

    Without B, A is compared with itself under the overlays; with B, they are laid over both.
    """
    from rulelang.compare import compare as run

    if second is None and not overlays:
        raise UsageError("compare with what? Name a second ruleset, or a folder with --overlay")
    a = loaded(first, overlays if second is not None else ())
    b = loaded(second if second is not None else first, overlays)
    words = b.words(language_of(b, lang))
    with progress_bar(games) as progress:
        comparison = run(
            a, b, players, games, bot, seed, jobs, read_options(options), progress.advance if progress else None
        )
    if form == "json":
        put_json(comparison.to_json())
    else:
        put("\n".join(ComparisonText(comparison, words, every).lines()))


class ComparisonText:
    """A comparison as text.

    Args:
        every: whether the figures of all cards are shown.
    """

    def __init__(self, comparison: Comparison, words: Words, every: bool) -> None:
        self.comparison, self.words, self.every = comparison, words, every
        self.texts = Texts(words.lang)
        self.changed = {change.id for change in comparison.changes if change.section == "pieces"}
        """The cards that the second ruleset changes, whose figures stand with those of the game."""
        kinds = dict(comparison.kinds) | {c.id: c.kind for c in comparison.changes if c.section == "pieces"}
        names = {card: words.lexicon.name_of(f"{kind}.{card}", card) for card, kind in kinds.items()}
        several = {name for name, count in Counter(names.values()).items() if count > 1}
        self._cards = {card: f"{name} ({card})" if name in several else name for card, name in names.items()}
        """The name of each card, with its id where another one has the same."""

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        comparison, texts = self.comparison, self.texts
        games = texts("count_game", count=comparison.games)
        players = texts("count_player", count=comparison.players)
        yield texts("compared", games=games, players=players, a=comparison.a, b=comparison.b)
        yield ""
        yield texts("declared_otherwise" if comparison.changes else "declared_alike")
        for change in comparison.changes:
            yield textwrap.fill(self._change(change), WIDTH, initial_indent="  ", subsequent_indent="      ")
        own = [m for m in comparison.measures if not m.card or m.card in self.changed]
        others = [m for m in comparison.measures if m.card and m.card not in self.changed]
        moved = [m for m in others if self.every or m.low > 0 or m.high < 0]
        yield from ("", self._table([m for m in own if m.a or m.b]))
        if moved:
            heading = texts("cards_all" if self.every else "cards_moved")
            yield from ("", textwrap.fill(heading, WIDTH), self._table(moved))
        if any(m.per_turn for m in comparison.measures):
            yield from ("", textwrap.fill(texts("lengths_differ"), WIDTH))
        still = len({m.card for m in others} - {m.card for m in moved})
        if still:
            yield from ("", texts("cards_still", count=still))
        yield ""
        yield from self._verdict()

    # ---- changed declarations

    def _change(self, change: Change) -> str:
        """Return a change of a ruleset in words."""
        name = f"{change.kind or change.section} {change.id}"
        if change.section == "pieces":
            name = f"{self.words.name(change.kind)} {self._cards[change.id]}"
        elif change.section == "rules":
            name = f"{change.kind} {change.id}".strip()
        elif change.section == change.id:
            name = change.id
        if change.change == "removed":
            return self.texts("is_removed", name=name)
        attributes = "; ".join(self._attribute(change, attribute) for attribute in change.attributes)
        return self.texts("is_added" if change.change == "added" else "is_changed", name=name, said=attributes)

    def _attribute(self, change: Change, attribute: AttributeChange) -> str:
        """Return an attribute's old and new value in words."""
        old, new = (None if text is None else " ".join(text.split()) for text in (attribute.old, attribute.new))
        name = "" if change.section == "rules" or attribute.name == change.id else f"{attribute.name} "
        if old is None or new is None:
            none = self.texts("value_none")
            values = [none if text is None else _cut(text, VALUE) for text in (old, new)]
            return f"{name}{values[1]}" if change.change == "added" else f"{name}{values[0]} → {values[1]}"
        return f"{name}{' → '.join(_without_common_start(old, new))}"

    # ---- figures

    def _table(self, measures: Sequence[ComparedMeasure]) -> str:
        """Return measures as a table."""
        head = [self.texts("measure"), "A", "B", "B - A", self.texts("interval"), "", self.texts("games")]
        return table([head, *(self._row(m) for m in measures)], (1, 2, 3, 4, 6))

    def _row(self, m: ComparedMeasure) -> list[object]:
        """Return a measure as a row of the table."""
        needed = "" if m.games_needed is None else _games_needed(m.games_needed, self.texts)
        interval = self.texts("low_to_high", low=_figure(m.low), high=_figure(m.high))
        difference = f"{float(_figure(m.difference)):+.3f}"
        return [self._name(m), _figure(m.a), _figure(m.b), difference, interval, "*" if m.clear else "", needed]

    def _name(self, m: ComparedMeasure) -> str:
        """Return a measure's name in words."""
        if m.card:
            action = self.words.heading(m.rule, m.action)
            action = self.texts("per_turn", name=action) if m.per_turn else action
            return f"{_cut(self._cards.get(m.card, m.card), LABEL - len(action) - 2)}: {action}"
        name = self.texts(f"measure_{m.name}")
        name = self.texts("per_turn", name=name) if m.per_turn else name
        if m.seat >= 0:
            return self.texts("of_seat", name=name, seat=m.seat)
        return self.texts("of_seats", name=name) if m.name == "score" else name

    def _verdict(self) -> Iterator[str]:
        """Yield the conclusion in words: how many differences are clear, how many games are needed."""
        comparison, texts = self.comparison, self.texts
        if not any(m.low != m.high or m.difference for m in comparison.measures):
            yield texts("no_difference")
        else:
            clear = sum(m.clear for m in comparison.measures)
            yield texts("clear_some" if clear else "clear_none", count=clear)
            if any(m.games_needed for m in comparison.measures):
                yield texts("games_needed")
        if comparison.games < FEWEST_GAMES:
            yield texts("few_games", count=FEWEST_GAMES)
        kind = bot_spec(comparison.bot).kind
        yield textwrap.fill(texts(f"bot_{kind}"), WIDTH)


def _cut(text: str, width: int) -> str:
    """Return the text, cut to a width."""
    return text if len(text) <= width else f"{text[: width - 2].rstrip()} …"


def _without_common_start(old: str, new: str) -> tuple[str, str]:
    """Return two values without the words with which both begin, if they are long."""
    if max(len(old), len(new)) <= VALUE // 2:
        return old, new
    words = old.split(), new.split()
    common = next((n for n, (a, b) in enumerate(zip(*words, strict=False)) if a != b), min(map(len, words)))
    before, after = (_cut(" ".join(["…"] * bool(common) + part[common:]), VALUE) for part in words)
    return before, after


def _figure(value: float) -> str:
    """Return a number with three decimals, 0 without a sign."""
    text = f"{value:.3f}"
    return text.removeprefix("-") if not float(text) else text


def _games_needed(games: int, texts: Texts) -> str:
    """Return about how many games a clear difference needs; past MOST_NEEDED it hardly exists."""
    return f"~{_rounded(games)}" if games <= MOST_NEEDED else texts("over_a_million")


def _rounded(count: int) -> int:
    """Return a number rounded up to two significant digits."""
    scale: int = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // scale) * scale
