"""The lines of a function gone over once they are written: zones that are looked up again and again get a name.

Enters: the lines of a function and its parameters. Leaves: the same lines, some in other words.

The list of a zone's contents is the same object for as long as a playout runs, so that it may be looked up once where
the number of the zone stays the same. Looking it up where it would not have been does no harm: what is absent is a
small number below 0, which finds some list that nobody looks at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from rulelang.backends.python.source import STEP, Source

OFTEN = 3
"""A fixed zone that is named so many times in a function is looked up once."""
TWICE = 2
"""So is one whose number is in a name."""

_FIXED = re.compile(r"\bz\[(\d+)\]")
_NAMED = re.compile(r"\bz\[(?:\(\d+ \+ )?([A-Za-z_]\w*)\)?\]")
_COUNTED = re.compile(r"\bc\[\(\d+ \+ ([A-Za-z_]\w*)\)\]")
_BOUND = re.compile(r"^ *(?:for )?(\w+(?:, \w+)*)(?: in | [-+|&]?= )", re.MULTILINE)
_DECIDED = "S.decisions += 1"
_DECIDES = re.compile(r"\(S, R\b|\bdecided\(")
_INNER = re.compile(r"[\[(].* for \w+ in |\blambda\b")
_LATER_PART = ("else:", "elif ", "except ", "finally:")
_LOOP = ("while ", "for ")


def share_zones(source: Source, start: int, parameters: Sequence[str]) -> None:
    """Gives names to zones that the lines from `start` on, the body of a function, look up several times; of those that
    are kept as numbers, to their places."""
    text = "\n".join(source.lines[start:])
    for zone, times in Counter(_FIXED.findall(text)).items():
        if times >= OFTEN:
            source.lines[start:] = [row.replace(f"z[{zone}]", f"z_{zone}") for row in source.lines[start:]]
            source.insert(start, f"z_{zone} = z[{zone}]")
    often = [
        (found, name)
        for (found, name), times in Counter(
            (match[0], match[1]) for pattern in (_NAMED, _COUNTED) for match in pattern.finditer(text)
        ).items()
        if times >= TWICE
    ]
    if often:
        bound = Counter(name for names in _BOUND.findall(text) for name in names.split(", "))
        for found, name in often:
            _share(source, start, found, name, bound[name] + (name in parameters))


def spare_cells(source: Source, start: int) -> None:
    """Lets what comprehensions read of the state's lists have names of its own in the function whose body the lines
    from `start` on are: a variable that an inner function reads is slower everywhere."""
    lines = source.lines
    for short, field in (("z", "z"), ("c", "z"), ("v", "v")):
        name = re.compile(rf"\b{short}\[")
        read = [place for place in range(start, len(lines)) if f"{short}[" in lines[place]]
        inner = [place for place in read if _INNER.search(lines[place]) and name.search(lines[place])]
        if inner:
            for place in inner:
                lines[place] = name.sub(f"{short}s[", lines[place])
            source.insert(start, f"{short}s = S.{field}")


def count_apart(source: Source, start: int) -> None:
    """Keeps the number of decisions in a variable, if the lines from `start` on, the body of a function, make several
    and call nobody who makes some."""
    body = "\n".join(source.lines[start:])
    if body.count(_DECIDED) < TWICE or _DECIDES.search(body):
        return
    for place in reversed(range(start, len(source.lines))):
        if source.lines[place].lstrip().startswith("capped("):
            source.insert(place, "S.decisions = decisions", _depth(source.lines[place]) // len(STEP))
    source.lines[start:] = [
        STEP + (line if "S.decisions = " in line else line.replace("S.decisions", "decisions"))
        for line in source.lines[start:]
    ]
    source.insert(start, "try:")
    source.insert(start, "decisions = S.decisions")
    with source.block("finally:"):
        source.line("S.decisions = decisions")


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _share(source: Source, start: int, found: str, name: str, bound: int) -> None:
    """Gives a name to a zone, if the number in `name` is put there once, before all places that look the zone up."""
    if bound != 1:
        return
    lines = source.lines
    first, depth = start, _depth(lines[start])
    for place in range(start, len(lines)):
        row = lines[place].lstrip()
        if row.startswith((f"{name} = ", f"for {name} in ")):
            first, depth = place + 1, _depth(lines[place]) + (len(STEP) if row.startswith("for ") else 0)
            break
    uses = [place for place in range(start, len(lines)) if found in lines[place]]
    if uses[0] < first or any(_depth(lines[place]) < depth for place in range(first, uses[-1] + 1)):
        return
    place, depth = _before(lines, first, uses, depth)
    # What lies in a zone is one list all the time, but now this number and now that.
    counted = found.startswith("c[")
    alias = source.fresh("at" if counted else "z_at")
    for use in uses:
        lines[use] = lines[use].replace(found, f"c[{alias}]" if counted else alias)
    source.insert(place, f"{alias} = {found[2:-1] if counted else found}", depth // len(STEP))


def _before(lines: list[str], first: int, uses: list[int], depth: int) -> tuple[int, int]:
    """The line before which all uses can be served, as deep as can be but outside of loops, and its depth.

    The block that starts with the line `first`, indented so far, holds all uses.
    """
    while True:
        heads = [place for place in range(first, uses[-1] + 1) if _depth(lines[place]) == depth]
        one = max(place for place in heads if place <= uses[0])
        statement = max(place for place in heads if place <= one and not lines[place].lstrip().startswith(_LATER_PART))
        several = one != heads[-1] or one == uses[0]
        if several or lines[statement].lstrip().startswith(_LOOP):
            return statement, depth
        first, depth = one + 1, depth + len(STEP)
