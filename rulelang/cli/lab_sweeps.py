"""`rulelang lab figures`, `lab sweep` and `lab tune`: what may be varied and measured, the effect of that, the best
values.

Enters: a ruleset, paths of figures with values, targets. Leaves: tables, a plot, the overlay of a variant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from rulelang import numbers
from rulelang.cli.common import (
    NumberOption,
    bot_option,
    guarded,
    json_option,
    loaded,
    overlay_option,
    path_argument,
    table,
)
from rulelang.cli.files import write_whole
from rulelang.cli.lab import StudyOptions, number_of_games, spread, study_options
from rulelang.cli.output import put, put_json, say
from rulelang.diagnostics import RulesetError, UsageError, counted
from rulelang.languages import DEFAULT, language

if TYPE_CHECKING:
    from rulelang.lab.figures import VariedValue
    from rulelang.lab.measures import Measure
    from rulelang.lab.statistics import Estimate
    from rulelang.lab.sweeps import Point

LISTED = ("win_share", "turns", "decisions", "drawn")
"""Measures in the table by default."""
LISTED_MEMBERS = 4
"""Of the cards or actions of a measure so many are listed."""


def _measures(path: str, overlays: Sequence[str] = (), bot: str = "mcts", players: int | None = None) -> dict[str, str]:
    """Return the names of all measures that games of a ruleset have, as `--target` and `--show` take them, each with
    its figure."""
    from rulelang.lab.measures import known_measures
    from rulelang.lab.targets import SEATS

    executor = loaded(path, tuple(overlays)).executor(players, {}, "interpreter")
    known = known_measures(executor, bot.startswith("mcts"))
    names = {f"{name}.{member}" if member else name: name for name, of in known.items() for member in of or ("",)}
    return {SEATS: SEATS} | names


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the measures that begin so, for the shell."""
    try:
        names = _measures(ctx.params["path"], ctx.params.get("overlays") or (), ctx.params.get("bot") or "mcts")
    except (KeyError, click.ClickException, UsageError, RulesetError):
        return []
    end = "=" if param.name == "targets" else ""
    return [CompletionItem(name + end) for name in names if name.startswith(incomplete)]


def complete_figure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return what may be varied and begins so, for the shell."""
    from rulelang.lab.figures import Figures

    del param
    try:
        figures = Figures(loaded(ctx.params["path"], ctx.params.get("overlays") or ())).all
    except (KeyError, click.ClickException, UsageError, RulesetError):
        return []
    ends = (name.partition(".")[2] if name.startswith("function.") else name for name in figures)
    return [CompletionItem(f"{name}=") for name in dict.fromkeys((*figures, *ends)) if name.startswith(incomplete)]


def complete_choice(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the cards and actions that begin so, for the shell."""
    items = complete_measure(ctx, param, f"always.{incomplete}")
    return [CompletionItem(str(item.value).partition(".")[2]) for item in items]


target_option = click.option(
    "--target",
    "targets",
    metavar="MEASURE=LOW..HIGH",
    multiple=True,
    help="What a measure is to be; repeatable. `lab figures` lists measures.",
    shell_complete=complete_measure,
)


@click.command("figures")
@path_argument
@click.argument("words", nargs=-1)
@overlay_option
@json_option
@guarded
def figures_(path: str, words: tuple[str, ...], overlays: tuple[str, ...], form: str) -> None:
    """List what `sweep` and `tune` may vary, with its value, and what they may show and aim at: what holds all WORDS,
    or everything."""
    from rulelang.lab.figures import Figures

    listed = {n: f.value for n, f in Figures(loaded(path, overlays)).all.items() if all(word in n for word in words)}
    names = {n: figure for n, figure in _measures(path, overlays).items() if all(word in n for word in words)}
    texts = language(DEFAULT).texts("lab")
    if form == "json":
        put_json({"figures": listed, "measures": {name: texts[f"name_{figure}"] for name, figure in names.items()}})
        return
    if listed:
        put(table([["figure", "value"], *listed.items()]))
    if names:
        of: dict[str, list[str]] = {}
        for name, figure in names.items():
            of.setdefault(figure, []).append(name.partition(".")[2])
        put("\nmeasures, for --target and --show:\n")
        put(table([["measure", "of", "what"], *((f, _shortened(m), texts[f"name_{f}"]) for f, m in of.items())]))


def _shortened(members: Sequence[str]) -> str:
    """Return names as text, of many the first and how many more."""
    more = len(members) - LISTED_MEMBERS
    return ", ".join(members) if more <= 1 else f"{', '.join(members[:LISTED_MEMBERS])} and {more} more"


@click.command("sweep")
@study_options
@click.option(
    "--vary",
    "varied",
    metavar="PATH=VALUES",
    multiple=True,
    required=True,
    help="1..4 or 2,4,8; repeatable.",
    shell_complete=complete_figure,
)
@number_of_games(2, 200, "Games at each point.")
@bot_option
@target_option
@click.option(
    "--show",
    metavar="MEASURE",
    multiple=True,
    help="A measure for the table, such as turns or used.gold; `lab figures` lists them.",
    shell_complete=complete_measure,
)
@click.option("--plot", metavar="FILE.svg", help="Draw the measures of the table.")
@click.option("--table", "rows_file", metavar="FILE.parquet", help="All measures of all points as rows.")
@json_option
@guarded
def sweep_(
    options: StudyOptions,
    varied: tuple[str, ...],
    games: int,
    bot: str,
    targets: tuple[str, ...],
    show: tuple[str, ...],
    plot: str | None,
    rows_file: str | None,
    form: str,
) -> None:
    """Play a ruleset with each combination of values of some figures, on the same seeds."""
    from rulelang.lab.figures import Figures
    from rulelang.lab.sweeps import SweptField, features
    from rulelang.lab.targets import target

    aims = [target(text) for text in targets]
    all_figures = Figures(loaded(options.path, options.overlays))
    variations = [all_figures.variation(text) for text in varied]
    setting = options.setting(bots=(bot,), features=features(aims, show))
    with options.opened() as study, SweptField(study, setting, variations) as field:
        points = field.sweep(games, aims, show)
    if rows_file is not None:
        from rulelang.lab.sweeps import to_arrow
        from rulelang.results import arrow

        table_file = BytesIO()
        arrow("`--table`").parquet.write_table(to_arrow(points), table_file)
        write_whole(Path(rows_file), table_file.getvalue())
    names = show or LISTED
    if plot is not None:
        _draw(points, names, Path(plot))
    if form == "json":
        put_json({"ruleset": options.path, "games": games, "bot": bot, "points": [point.to_json() for point in points]})
    else:
        put(_table(points, names))
        put(f"\n{counted(games, 'game')} of {bot} at each point, on the same seeds; ± is the interval of 95 %")


@click.command("tune")
@study_options
@target_option
@click.option(
    "--may-move",
    "varied",
    metavar="PATH=RANGE",
    multiple=True,
    help="A figure and its values; repeatable.",
    shell_complete=complete_figure,
)
@click.option("--aim", metavar="FILE", help="A YAML file of `target:` and `may_move:`, instead of the two options.")
@number_of_games(40, 4000, "At most so many games.")
@click.option(
    "--check-games",
    "check",
    type=NumberOption(numbers.GAMES.at_least(2)),
    default=400,
    show_default=True,
    help="Games before and after.",
)
@bot_option
@click.option("--write", metavar="FOLDER", help="Write the variant to this new folder.")
@json_option
@guarded
def tune_(
    options: StudyOptions,
    targets: tuple[str, ...],
    varied: tuple[str, ...],
    aim: str | None,
    games: int,
    check: int,
    bot: str,
    write: str | None,
    form: str,
) -> None:
    """Look for values of some figures with which a ruleset meets its targets.

    Leaves the overlay that gives it these values, and what it changes, in games that nothing was chosen by.
    """
    from rulelang.lab.figures import Figures, write_overlay
    from rulelang.lab.sweeps import SweptField, features
    from rulelang.lab.targets import read_aim, target

    if aim is not None:
        more_targets, movable = read_aim(Path(aim))
        targets, varied = (*targets, *more_targets), (*varied, *movable)
    if not targets or not varied:
        raise UsageError(
            "`lab tune` needs a target (`--target turns=40..50`) and what may move (`--may-move PATH=1..9`)"
        )
    if write is not None and Path(write).exists():
        raise UsageError(f"{write} is there already")
    aims = [target(text) for text in targets]
    ruleset = loaded(options.path, options.overlays)
    all_figures = Figures(ruleset)
    variations = [all_figures.variation(text) for text in varied]
    setting = options.setting(bots=(bot,), features=features(aims))
    with options.opened() as study, SweptField(study, setting, variations) as field:
        values: Mapping[VariedValue, str] = {}
        for tuned in field.tune(aims, games, options.seed):
            if tuned.values == values:
                continue
            values = tuned.values
            say(
                f"{counted(tuned.games, 'game')} at {counted(tuned.points, 'point')}; best so far: "
                f"{', '.join(f'{f.name}={v}' for f, v in tuned.values.items())} (meets all with {tuned.certain:.0%})"
            )
        before, after = field.check(tuned.values, aims, check)
        count = field.players
    text = tuned.overlay(Path(write).name if write else f"{ruleset.name}_tuned", ruleset.name)
    changed = any(value != figure.value for figure, value in tuned.values.items())
    if write is not None and changed:
        write_overlay(Path(write), tuned.values, Path(write).name, ruleset.name)
    elif write is not None:
        say(f"the ruleset meets its targets best as it is: {write} is not written")
    if form == "json":
        head = {"values": dict(after.values), "overlay": text, "games": tuned.games, "points": tuned.points}
        put_json({**head, "certain": tuned.certain, "before": before.to_json(), "after": after.to_json()})
        return
    if changed:
        put(text)
    rows = [[str(aim), *(f"{aim.value(point.means, count):.3f}" for point in (before, after))] for aim in aims]
    put(table([["target", "before", "after"], *rows, ["missed by", before.miss, after.miss]], (1, 2)))
    played = f"{counted(tuned.games, 'game')} at {counted(tuned.points, 'point')}"
    put(f"\n{played}; {counted(check, 'other')} before and after" + f"; {write}" * bool(write and changed))


def _point_name(point: Point) -> str:
    """Return the values of a point as text, the figures by the last part of their paths."""
    return ", ".join(f"{name.rpartition('.')[2]} {value}" for name, value in point.values.items())


def _columns(points: Sequence[Point], names: Sequence[str]) -> list[str]:
    """Return the names of all measures that these names mean, such as `used.gold` or `used`; a name that no game has
    stands for itself."""
    known = list(dict.fromkeys(_measure_name(measure) for point in points for measure in point.measures))
    meant = ([own for own in known if name in (own, own.partition(".")[0])] or [name] for name in names)
    return list(dict.fromkeys(column for columns in meant for column in columns))


def _measure_name(measure: Measure) -> str:
    """Return the name of a measure, with what or which seat it is of."""
    key = measure.key
    return f"{key.name}.{key.of or key.seat}" if key.of or key.seat >= 0 else key.name


def _table(points: Sequence[Point], names: Sequence[str]) -> str:
    """Return points as a table: values, measures, distance from the targets."""
    columns = _columns(points, names)
    missed = points[0].miss is not None
    head = [*points[0].values, *columns, *(["missed by", ""] if missed else [])]
    rows: list[list[Any]] = []
    for point in points:
        estimates = [_estimate(point, column) for column in columns]
        cells = (spread(estimate, otherwise="none") for estimate in estimates)
        rows.append([*point.values.values(), *cells, *([point.miss, "best" if point.best else ""] if missed else [])])
    return table([head, *rows], range(len(head)))


def _estimate(point: Point, name: str) -> Estimate | None:
    """Return a measure of a point by its name: of a card or action that no game named 0, where it counts everywhere."""
    from rulelang.lab.measures import BOUNDS, FIGURES
    from rulelang.lab.statistics import Mean

    figure = FIGURES.get(name.partition(".")[0])
    for measure in point.measures:
        if _measure_name(measure) == name:
            return measure.estimate
    if figure is None or figure.of not in ("card", "action") or figure.value is None or not figure.everywhere:
        return None
    nowhere = Mean()
    nowhere.skip(max((measure.estimate.games for measure in point.measures), default=0))
    return nowhere.estimate(*BOUNDS[figure.unit])


def _draw(points: Sequence[Point], names: Sequence[str], file: Path) -> None:
    """Draw a plot of each measure into one SVG file.

    Raises:
        UsageError: it cannot be written.
    """
    from rulelang.lab.plots import estimates

    columns = [name for name in _columns(points, names) if any(_measure_name(m) == name for m in points[0].measures)]
    plots = []
    for column in columns:
        rows = [
            (
                _point_name(p) + " (best)" * p.best,
                [next((m.estimate for m in p.measures if _measure_name(m) == column), None)],
            )
            for p in points
        ]
        plots.append(estimates(rows, [column], column, None, column))
    write_whole(file, "\n".join(plots) if len(plots) == 1 else _stacked(plots))


def _stacked(plots: Sequence[str]) -> str:
    """Return SVG plots one below the other, as one."""
    sizes = [[float(part) for part in plot.split('viewBox="')[1].split('"')[0].split()] for plot in plots]
    tops = [sum(size[3] for size in sizes[:number]) for number in range(len(sizes))]
    inner = [
        plot.replace("<svg", f'<svg y="{top:g}" width="{size[2]:g}" height="{size[3]:g}"', 1)
        for plot, size, top in zip(plots, sizes, tops, strict=True)
    ]
    width, height = max(size[2] for size in sizes), sum(size[3] for size in sizes)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}">'
    return "\n".join([head, *inner, "</svg>"])
