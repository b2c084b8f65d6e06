"""Conditions that always come out the same way, and costs that no purse can hold."""

from __future__ import annotations

from collections.abc import Iterable

from rulelang.diagnostics import Diagnostics, Span, enumerated
from rulelang.semantics.analysis.known import KnownValues
from rulelang.semantics.checks.exchanges import VariableCostError, constant_cost
from rulelang.semantics.lints.facts import Facts
from rulelang.semantics.tree.core import (
    CChoose,
    CDraw,
    CExpr,
    CFor,
    binding,
    conjunction,
    expressions,
    same,
    subexpressions,
)
from rulelang.semantics.tree.shared import source_text
from rulelang.semantics.tree.symbols import Checked, KindSym, ProcedureSym, VariableSym
from rulelang.semantics.tree.types import INT_MAX, INT_MIN, CostT, EnumT, NumberT, bare
from rulelang.vocabulary.computing import COMPARES
from rulelang.vocabulary.operations import ATTRIBUTES

FEW = 6


def lint_conditions(facts: Facts, known: KnownValues, reported: set[Span], diagnostics: Diagnostics) -> None:
    """Report every comparison (but those at `reported` places) and every payment whose outcome is known beforehand."""
    places: dict[Span, list[CExpr]] = {}
    for e in facts.comparisons:
        places.setdefault(e.span, []).append(e)
    for e, *rest in (comparisons for place, comparisons in places.items() if place not in reported):
        if _compares_itself(e):
            message = f"`{source_text(e.span)}` is {'always' if COMPARES[e.op](0, 0) else 'never'} true"
            hint = "both sides are the same; of the element of a collection write `it.…`"
            diagnostics.warning("condition-constant", message, e.span, hint)
            continue
        outcome = known.outcome(e)
        # What merely holds for all rows that there are now may be meant for rows to come.
        reads_attribute = any(part.op in ATTRIBUTES for part in subexpressions(e))
        if outcome is None or (outcome != (e.op == "ne") and reads_attribute):
            continue
        if any(known.outcome(later_one) is not outcome for later_one in rest):
            continue
        if outcome != (e.op == "ne") and known.lasting().outcome(e) is not outcome:
            continue
        left, right = expressions(e.args)
        asked = right if left.op == "const" else left
        word = "always" if outcome else "never"
        name = source_text(asked.span)
        name = f"count({name})" if asked.op == "count" and not name.startswith("count") else name
        message = f"`{source_text(e.span)}` is {word} true: `{name}` is {_words(facts, known, asked)}"
        diagnostics.warning("condition-constant", message, e.span, "compare it with a value that it can have")
    _joined(facts, diagnostics)
    _collections(facts, diagnostics)
    _counts(facts, known, diagnostics)
    # What is guarded by `can pay` and then paid is one cost.
    said: list[CExpr] = []
    for e in sorted(facts.payable, key=lambda e: e.op):
        cost = e.args[0]
        if not any(same(cost, later_one) for later_one in said) and _unpayable(facts.checked, e, diagnostics):
            said.append(cost)


def _joined(facts: Facts, diagnostics: Diagnostics) -> None:
    """`x and not x`, `x or not x`, and guards of one option that exclude each other."""
    inner = {a for e in facts.joined for a in e.args if isinstance(a, CExpr) and a.op == e.op}
    joined = [(e.op, conjunction(e, e.op), e.span) for e in facts.joined if e not in inner]
    for s in facts.statements:
        for item in s.items if isinstance(s, CChoose) else ():
            parts = [part for guard in item.guards for part in conjunction(guard.condition)]
            if len(item.guards) > 1:
                joined.append(("and", parts, item.guards[0].condition.span))
    for op, parts, span in joined:
        opposite = next((x for x in parts for y in parts if y.op == "not" and same(x, y.args[0])), None)
        if opposite is not None:
            said = source_text(opposite.span)
            message = f"this is {'never' if op == 'and' else 'always'} true: it asks for `{said}` and for its opposite"
            diagnostics.warning("condition-constant", message, span, "take one of the two away")


def _collections(facts: Facts, diagnostics: Diagnostics) -> None:
    """Report attributes of two collections that are asked to be equal: they are compared in order, one by one, and
    those of unequal numbers never are."""
    for place, e in {e.span: e for e in facts.equated}.items():
        left, right = expressions(e.args)
        if not (_is_projection(left) and _is_projection(right)):
            continue
        one, other = binding(left)[1], binding(right)[1]
        if same(one, other) or (one.op == other.op == "list" and len(one.args) == len(other.args)):
            continue
        a, b, text = source_text(one.span), source_text(other.span), source_text(left.span)
        name = text.rpartition(".")[2]
        message = (
            f"`{source_text(place)}` compares two collections one by one, and unequal numbers of them are never equal"
        )
        grouped = f", or let them be parameters `group of … by {name}`" if one.op == other.op == "local" else ""
        hint = (
            f"where all of each have one `{name}`, compare the first: `(top of {a}).{name} = (top of {b}).{name}`"
            f"{grouped}; where as many of each are meant, in any order, write `alike({a}.{name}, {b}.{name})`; "
            f"else say what they have in common: `all(x.{name} in {b}.{name} for x in {a})`, or `any(…)`"
        )
        diagnostics.warning("collections-compared", message, place, hint)


def _is_projection(e: CExpr) -> bool:
    """Return whether this is `COLLECTION.ATTRIBUTE`: a value of each element, whose name no author gave."""
    return e.op == "map" and not binding(e)[0].named


def _counts(facts: Facts, known: KnownValues, diagnostics: Diagnostics) -> None:
    """Report draws and repeats whose count is never above 0."""
    for s in facts.statements:
        if isinstance(s, CDraw) and not s.whole:
            count, first, what = s.count, 1, "nothing is ever drawn here"
        elif isinstance(s, CFor) and s.collection.op == "numbers":
            low, count = expressions(s.collection.args)
            first, what = known.bounds(low)[0], "this is never done"
        else:
            continue
        _, high = known.bounds(count)
        if high < first:
            message = f"{what}: `{source_text(count.span)}` is at most {high}"
            hint = "is it the other way round? what is missing to four is `4 - …`"
            diagnostics.warning("count-never", message, count.span, hint)


def _compares_itself(e: CExpr) -> bool:
    left, right = expressions(e.args)
    return left.op != "const" and same(left, right)


def _words(facts: Facts, known: KnownValues, e: CExpr) -> str:
    """Return the values that it can have, as the author writes them."""
    values = known.values(e)
    if not values or len(values) > FEW:
        low, high = known.bounds(e)
        return f"at least {low}" if high == INT_MAX else f"at most {high}" if low == INT_MIN else f"{low} to {high}"
    words = [_word(facts.checked, e, v) for v in sorted(v for v in values if v is not None)]
    if None in values:
        words.append("absent")
    return enumerated(words, "or")


def _word(checked: Checked, e: CExpr, value: int) -> str:
    """Return a value as a finding words it: of an enumeration its name in backticks."""
    t = bare(e.type)
    if isinstance(t, EnumT):
        sym = next(s for s in checked.types if s.type == t)
        return f"`{sym.values[value]}`"
    return str(value) if isinstance(t, NumberT) else ("true" if value else "false")


def _unpayable(checked: Checked, e: CExpr, diagnostics: Diagnostics) -> bool:
    """Report the parts of a cost that the purses can never hold enough for; return whether there were any."""
    cost, purses = expressions(e.args)
    assert isinstance(cost.type, CostT)
    names = next(t for t in checked.types if t.name == cost.type.resource).values
    room = _room(purses, len(names))
    if room is None:
        return False
    unpayable = False
    most, total = room
    for part in _costs(cost):
        try:
            (asked,) = constant_cost(part)
        except (VariableCostError, OverflowError, ValueError):
            continue
        short = next((i for i, n in enumerate(asked.fixed) if n > most[i]), None)
        if short is not None:
            held = f"{most[short]} {names[short]}"
        elif sum(asked.fixed) + sum(count for count, _ in asked.wilds) > min(total, sum(most)):
            held = str(min(total, sum(most)))
        else:
            continue
        said = f"`{source_text(part.span)}` can never be paid: `{source_text(purses.span)}` holds at most {held}"
        diagnostics.warning("cost-unpayable", said, part.span, "lower the cost or raise the `capacity`")
        unpayable = True
    return unpayable


def _room(purses: CExpr, size: int) -> tuple[list[int], int] | None:
    """Return the most of each resource and of all together, where that is known."""
    most, total = [0] * size, 0
    for purse in purses.args:
        sym = purse.args[0] if isinstance(purse, CExpr) and purse.op == "purse" else None
        if not isinstance(sym, VariableSym):
            return None
        for i in range(size):
            most[i] += _number(sym.limits.get(i, sym.each))
        total += _number(sym.total)
    return most, total


def _costs(cost: CExpr) -> Iterable[CExpr]:
    """Return the costs that may be meant: of every row, where it is an attribute."""
    if cost.op == "attr" and isinstance(cost.args[0], KindSym) and isinstance(cost.args[1], int):
        position = cost.args[1]
        return [row.attributes[position] for row in cost.args[0].definitions]
    if cost.op == "call" and isinstance(cost.args[0], ProcedureSym) and cost.args[0].category == "function":
        value = cost.args[0].body.value
        return _costs(value) if value is not None else ()
    return (cost,)


def _number(capacity: CExpr | None) -> int:
    """Return a capacity that is a plain number; any other may be as large as it likes."""
    return int(str(capacity.args[0])) if capacity is not None and capacity.op == "const" else INT_MAX
