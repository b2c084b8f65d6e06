"""Numbers from outside: the sorts there are, what they take, and that nothing else takes any."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from rulelang import numbers
from rulelang.cli import rulelang
from rulelang.cli.common import NumberOption
from rulelang.diagnostics import UsageError
from tests.offenders import of_each

SORTS = {name: sort for name, sort in vars(numbers).items() if isinstance(sort, numbers.Whole | numbers.Real)}
NONE = (
    "", " ", "-", "+", "x", "1x", "1 2", "0x10", "1_000", "٣", "²", "nan", "inf", "-inf", "infinity", "1e99",
    "9" * 5000, "9" * 100_000, "-" + "9" * 30, "1e400", "\0", "1\0", "\ud800", "１",
)  # fmt: skip


@of_each((name, text) for name in SORTS for text in NONE)
def test_texts_that_are_no_numbers(name: str, text: str) -> None:
    """Each sort refuses them with one short line that says its range."""
    with pytest.raises(UsageError, match=SORTS[name].what) as caught:
        SORTS[name].read(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", SORTS)
def test_the_ends_of_a_range(name: str) -> None:
    """Both ends are numbers of a sort, with a sign and blanks around too; what is beyond them is none."""
    sort = SORTS[name]
    for end, beyond in ((sort.low, -1), (sort.high, 1)):
        text = f"{end:.1f}" if isinstance(sort, numbers.Real) else str(end)
        assert sort.read(f" {text}\n") == end
        step = abs(end) // 1000 + 1 if isinstance(sort, numbers.Real) else 1
        with pytest.raises(UsageError):
            sort.read(str(int(end + beyond * step)))
    if isinstance(sort, numbers.Whole):
        assert sort.read(f"+{max(sort.low, 0)}") == max(sort.low, 0)
        for value in (True, 1.0, "1", None, sort.high + 1, sort.low - 1):
            with pytest.raises(UsageError):
                sort.check(value)


def options(command: click.Command, name: str) -> Iterator[tuple[str, click.Option]]:
    """The options of a command and those below it."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from options(found, f"{name} {below}")
    for option in command.params:
        if isinstance(option, click.Option):
            yield name, option


def test_options_that_are_numbers_have_a_sort() -> None:
    """Each option of each command whose default or type is a number is read by a sort."""
    seen = set()
    for name, option in options(rulelang, ""):
        kind = option.type
        is_number = isinstance(kind, click.IntRange | click.FloatRange) or kind in (click.INT, click.FLOAT)
        assert not is_number, f"{name} {option.opts[0]} is of {kind}"
        if isinstance(kind, NumberOption):
            seen.add(option.opts[0])
        elif isinstance(option.default, int) and not isinstance(option.default, bool):
            assert option.is_flag, f"{name} {option.opts[0]}"
    assert {"--players", "--seed", "--games", "--most", "--port", "--workers", "--memory", "--to"} <= seen
