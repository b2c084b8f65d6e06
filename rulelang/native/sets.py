"""Operations on sets as C text: loops where a set need not be materialised, lists in scratch space where it must.

Enters: expressions over sets. Leaves: their text, and loops over their elements.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulelang.ir.nodes import Expr
from rulelang.ir.walk import number, operands
from rulelang.native.constant_sets import equal_constant
from rulelang.native.expressions import Environment, Writer, WriterOf, compound, loops, wrapped, writes
from rulelang.native.inlining import inlined_call
from rulelang.native.packed_counts import counted_quantifier, counted_set, counted_sum
from rulelang.native.pieces import of_definitions
from rulelang.native.text import atomic
from rulelang.runtime.constants import PURE, UNKNOWN
from rulelang.vocabulary.types import BITS, INT, Type

Body = Callable[[str], str]
Use = Callable[[str, Environment], str]

INTS = Type("set<int>")
FEW = 16
"""Sets of no more pieces in force are lists with room for all, filled one by one."""
STREAMED = frozenset(("elements", "pieces", "filter", "family", "map"))
"""Sets whose first element is found without making them."""
SUMS: dict[str, WriterOf] = {}
"""What writes sums that are no numbers: `bag`, `cost`."""


# ---- loops --------------------------------------------------------------------------------------------


def looped(w: Writer, e: Expr, s: Environment, use: Use) -> str:
    """Return a loop over the source of a binding operation; `use` writes what is done with an element."""
    source, body = operands(e)
    charge = "" if w.analysis.small(source, body) else f"BURN({w.work(body)}, {e.site}); "

    def each(x: str) -> str:
        return f"{charge}{use(x, s.bind(number(e), x))}"

    return w.each(source, s, each)


def counted(w: Writer, e: Expr, s: Environment, use: Use) -> str:
    """Return a loop like `looped` whose rounds leave nothing in the arena."""
    return looped(w, e, s, lambda x, inner: w.freed(lambda: use(x, inner)))


@loops("filter")
def _each_filtered(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over a filter: over one element if the filter fixes it, else over packed counts, else over all."""
    only = equal_constant(w, e, s)
    if only is not None:
        before, x, test, inner, others = only
        tests = " && ".join(f"({text})" for text in (test, *(w.text(conjunct, inner) for conjunct in others)))
        return f"{{ {before}if ({tests}) {{ {body(x)} }} }}"
    counted_ = counted_set(w, e, s)
    if counted_ is not None:
        before, counts, first = counted_
        place, x = w.source.fresh("place"), w.source.fresh("piece")
        loop = f"EACH_COUNTED({place}, {counts}) {{ const W {x} = (W){place} + {first}; {body(x)} }}"
        return f"{{ {before}{loop} }}"
    return looped(w, e, s, lambda x, inner: f"if ({w.text(operands(e)[1], inner)}) {{ {body(x)} }}")


@loops("map")
def _each_mapped(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over what the body gives for each element."""
    if own_elements(e):
        return w.each(operands(e)[0], s, body)

    def use(x: str, inner: Environment) -> str:
        name = w.source.fresh("y")
        return f"const W {name} = {w.text(operands(e)[1], inner)}; {body(name)}"

    return looped(w, e, s, use)


@loops("flatten")
def _each_flattened(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    return looped(w, e, s, lambda x, inner: w.each(operands(e)[1], inner, body))


@loops("union")
def _each_of_both(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    return " ".join(w.each(part, s, body) for part in operands(e))


@loops("firsts")
def _each_of_firsts(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop that leaves after a constant number of elements."""
    source, amount = operands(e)
    limit = w.known(amount)
    if limit is UNKNOWN or limit < 1:
        return w.each_of(w.text(e, s), body)
    n, out = w.source.fresh("n"), w.source.fresh("out")
    loop = w.each(source, s, lambda x: f"{body(x)} if (++{n} >= {limit}) goto {out};")
    return f"{{ __label__ {out}; W {n} = 0; {loop} {out}:; }}"


# ---- sets that are materialised -----------------------------------------------------------------------------------


def own_elements(e: Expr) -> bool:
    """Return whether a set is materialised of just the elements of another one."""
    return e.op == "map" and operands(e)[1].op == "local" and number(operands(e)[1]) == number(e)


def materialised(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of a list of the elements that a loop gives."""
    if own_elements(e):
        return w.text(operands(e)[0], s)
    counted_ = counted_set(w, e, s) if e.op == "filter" else None
    if counted_ is not None:
        before, counts, first = counted_
        return w.arena(f"({{ {before}a_counted(g, {counts}, {first}); }})")
    list_, calls = w.source.fresh("found"), w.calls
    loop, used = w.writes_to_arena(lambda: w.each(e, s, lambda x: f"GROW({list_}, {x});"))
    if not used and w.calls == calls:
        return w.arena(f"({{ W *const {list_} = a_open(g); {loop} a_close(g, {list_}); }})")
    if e.op == "flatten":
        return _joined(w, e, s)
    # What a round takes of scratch space lies above the list, which has room for all from the start.
    source = operands(e)[0]
    parts = operands(source) if source.op == "union" else (source,)
    names = [w.source.fresh("given") for _ in parts]
    head = " ".join(f"const W {name} = {w.text(part, s)};" for name, part in zip(names, parts, strict=True))
    head += f" W *const {list_} = a_list(g, {' + '.join(f'COUNT({name})' for name in names)});"
    env, slot = s, number(e)
    charge = "" if w.analysis.small(source, operands(e)[1]) else f"BURN({w.work(operands(e)[1])}, {e.site}); "

    def use(x: str) -> str:
        inner = env.bind(slot, x)
        if e.op == "map":
            return f"{charge}PUSH({list_}, {w.text(operands(e)[1], inner)});"
        return f"{charge}if ({w.released(lambda: w.text(operands(e)[1], inner))}) PUSH({list_}, {x});"

    return f"({{ {head} {' '.join(w.each_of(name, use) for name in names)} ADDRESS({list_}); }})"


def _joined(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of the sets that a body gives, one after another."""
    parts = Expr("map", Type(f"set<{e.type}>"), e.args, e.site)
    sets, size, list_, part = (w.source.fresh(stem) for stem in ("sets", "size", "found", "one"))
    count = f"for (W i_ = 0; i_ < COUNT({sets}); i_++) {size} += COUNT(AT({sets}, i_));"
    check = f"if (UNLIKELY({size} > g->fuel)) fail(g, {e.site});"
    copy = (
        f"for (W i_ = 0; i_ < COUNT({sets}); i_++) {{ const W {part} = AT({sets}, i_);"
        f" for (W j_ = 0; j_ < COUNT({part}); j_++) PUSH({list_}, AT({part}, j_)); }}"
    )
    head = f"const W {sets} = {materialised(w, parts, s)}; W {size} = 0; {count} {check}"
    return w.arena(f"({{ {head} W *const {list_} = a_list(g, {size}); {copy} ADDRESS({list_}); }})")


def most_active(w: Writer, e: Expr) -> int:
    """Bound the number of elements if all come from known individuals in force; more than FEW for other sets."""
    if e.op in ("filter", "map") and not compound(e.type.inner):
        return most_active(w, operands(e)[0])
    if e.op == "union":
        return sum(most_active(w, part) for part in operands(e))
    if e.op == "active" and w.layout.identity(e.type):
        return len(of_definitions(w, number(e), e.args[1:]))
    return FEW + 1


@writes("filter", "map", "flatten", "union")
def _materialised(w: Writer, e: Expr, s: Environment) -> str:
    """Print the list of a filter, map or concatenation; of few elements without tests for room."""
    room = most_active(w, e)
    if room > FEW:
        return w.arena(f"a_union(g, {', '.join(w.texts(e, s))})") if e.op == "union" else materialised(w, e, s)
    if not room:
        return "NOTHING"
    # Bodies may call functions, which take scratch space: the list has room for all from the start.
    list_ = w.source.fresh("found")
    loop = w.freed(lambda: w.each(e, s, lambda x: f"PUSH({list_}, {x});"))
    return w.arena(f"({{ W *const {list_} = a_list(g, {room}); {loop} ADDRESS({list_}); }})")


@writes("reachable")
def _reachable(w: Writer, e: Expr, s: Environment) -> str:
    """Return the text of a breadth-first search: the list is the queue too."""
    source, body = operands(e)
    room = w.layout.size(e.type.inner)
    queue, reached, i, x = (w.source.fresh(stem) for stem in ("found", "reached", "i", "x"))

    def put(y: str) -> str:
        return f"if (!{reached}[{y}]) {{ {reached}[{y}] = true; PUSH({queue}, {y}); }}"

    starts = w.freed(lambda: w.each(source, s, put))
    steps = w.freed(lambda: w.each(body, s.bind(number(e), x), put))
    burn = f"BURN({w.work(body)}, {e.site});"
    loop = f"for (W {i} = 1; {i} <= {queue}[0]; {i}++) {{ const W {x} = {queue}[{i}]; {burn} {steps} }}"
    head = f"W *const {queue} = a_list(g, {room}); bool {reached}[{room}] = {{false}};"
    return w.arena(f"({{ {head} {{ {starts} }} {loop} ADDRESS({queue}); }})")


@writes("list")
def _list(w: Writer, e: Expr, s: Environment) -> str:
    list_ = w.source.fresh("found")
    fill = " ".join(f"PUSH({list_}, {text});" for text in w.texts(e, s))
    return w.arena(f"({{ W *const {list_} = a_list(g, {len(operands(e))}); {fill} ADDRESS({list_}); }})")


@writes("distinct")
def _distinct(w: Writer, e: Expr, s: Environment) -> str:
    """Print a set without duplicates."""
    (source,) = operands(e)
    inner = e.type.inner
    if not compound(inner):
        return w.arena(f"a_distinct(g, {w.text(source, s)})")
    source_list, list_, j = (w.source.fresh(stem) for stem in ("given", "found", "j"))

    def use(x: str) -> str:
        same = same_text(w, inner, f"{list_}[{j}]", x)
        look = f"while ({j} <= {list_}[0] && !{same}) {j}++;"
        return f"W {j} = 1; {look} if ({j} > {list_}[0]) PUSH({list_}, {x});"

    head = f"const W {source_list} = {w.text(source, s)}; W *const {list_} = a_list(g, COUNT({source_list}));"
    return f"({{ {head} {w.each_of(source_list, use)} ADDRESS({list_}); }})"


@writes("difference")
def _difference(w: Writer, e: Expr, s: Environment) -> str:
    """Print the difference of two multisets, in the order of the first."""
    a, b = w.texts(e, s)
    x, y = w.source.fresh("x"), w.source.fresh("y")
    head = f"const W {x} = {a}; const W {y} = {b};"
    inner = e.type.inner
    if not compound(inner):
        return w.arena(f"({{ {head} a_less(g, {x}, {y}); }})")
    left, rest, j = (w.source.fresh(stem) for stem in ("left", "found", "j"))

    def use(z: str) -> str:
        same = same_text(w, inner, f"{left}[{j}]", z)
        look = f"W {j} = 1; while ({j} <= {left}[0] && !{same}) {j}++;"
        return f"{look} if ({j} <= {left}[0]) {left}[{j}] = {left}[{left}[0]--]; else PUSH({rest}, {z});"

    copy = f"W *const {left} = (W *)LIST(a_copied(g, LIST({y}), COUNT({y}) + 1));"
    return w.arena(
        f"({{ {head} {copy} W *const {rest} = a_list(g, COUNT({x})); {w.each_of(x, use)} ADDRESS({rest}); }})"
    )


def _bodies(w: Writer, e: Expr, s: Environment) -> tuple[str, str, str]:
    """Return declarations of a source and of the list of the body's values for it, and their names."""
    source, _ = operands(e)
    source_name, values = w.source.fresh("given"), w.source.fresh("values")
    head = f"const W {source_name} = {w.text(source, s)}; "
    taken = Expr("map", Type("set<int>"), (number(e), Expr("local", source.type, (GIVEN,)), operands(e)[1]), e.site)
    head += f"const W {values} = {materialised(w, taken, s.bind(GIVEN, source_name))}; "
    return head, source_name, values


GIVEN = 1 << 20
"""A slot that no procedure has: it stands for a set that was materialised."""


@writes("most", "fewest")
def _most(w: Writer, e: Expr, s: Environment) -> str:
    head, source, values = _bodies(w, e, s)
    of = "_lists" if compound(operands(e)[1].type) else ""
    return w.arena(f"({{ {head}a_best{of}(g, {source}, {values}, {int(e.op == 'most')}); }})")


@writes("descending", "ascending")
def _sorted(w: Writer, e: Expr, s: Environment) -> str:
    head, source, values = _bodies(w, e, s)
    how = f"{int(e.op == 'descending')}, {int(compound(operands(e)[1].type))}"
    return w.arena(f"({{ {head}a_ordered(g, {source}, {values}, {how}); }})")


@writes("precedes")
def _precedes(w: Writer, e: Expr, s: Environment) -> str:
    return f"precedes({', '.join(w.texts(e, s))}, true)"


@writes("subsets")
def _subsets(w: Writer, e: Expr, s: Environment) -> str:
    return w.arena(f"a_subsets(g, {', '.join(w.texts(e, s))}, {e.site})")


@writes("distinct_by")
def _distinct_by(w: Writer, e: Expr, s: Environment) -> str:
    head, source, values = _bodies(w, e, s)
    return f"({{ {head}a_distinct_by(g, {source}, {values}, {int(compound(operands(e)[1].type))}); }})"


@writes("group", "runs")
def _group(w: Writer, e: Expr, s: Environment) -> str:
    head, source, values = _bodies(w, e, s)
    return w.arena(f"({{ {head}a_{e.op.removesuffix('s')}s(g, {source}, {values}); }})")


@writes("first", "last")
def _end(w: Writer, e: Expr, s: Environment) -> str:
    """Print the first or last element of a set, without the list where a loop can be left early."""
    (source,) = operands(e)
    none = w.constant(e.type.absent, INT)
    if compound(e.type.present) or not (source.op in STREAMED or inlined_call(w, source, s)):
        return f"{e.op}_of({w.text(source, s)}, {none})"
    end = w.source.fresh("end")
    if e.op == "last":
        return f"({{ W {end} = {none}; {w.each(source, s, lambda x: f'{end} = {x};')} {end}; }})"
    out = w.source.fresh("out")
    loop = w.each(source, s, lambda x: f"{end} = {x}; goto {out};")
    return f"({{ __label__ {out}; W {end} = {none}; {loop} {out}:; {end}; }})"


# ---- what sets come to ---------------------------------------------------------------------------------------


@writes("sum")
def _sum(w: Writer, e: Expr, s: Environment) -> str:
    """Print a sum over a set: of bags and costs by `SUMS`, of packed counts at once, else by a loop."""
    sum_of = SUMS.get(e.type.kind)
    if sum_of is not None:
        return sum_of(w, e, s)
    at_once = counted_sum(w, e, s)
    if at_once is not None:
        return at_once
    sum_ = w.source.fresh("sum")

    def use(x: str, inner: Environment) -> str:
        return f"{sum_} = add_(g, {sum_}, {w.text(operands(e)[1], inner)}, {e.site});"

    return f"({{ W {sum_} = 0; {counted(w, e, s, use)} {sum_}; }})"


@writes("any", "all")
def _quantified(w: Writer, e: Expr, s: Environment) -> str:
    """Print `any` or `all`: of packed counts at once, else by a loop that is left early."""
    if (at_once := counted_quantifier(w, e, s)) is not None:
        return at_once
    holds, out = w.source.fresh("holds"), w.source.fresh("out")
    expected = e.op == "any"

    def use(x: str, inner: Environment) -> str:
        text = w.text(operands(e)[1], inner)
        return f"if ({'' if expected else '!'}({text})) {{ {holds} = {int(expected)}; goto {out}; }}"

    loop = counted(w, e, s, use)
    return f"({{ __label__ {out}; W {holds} = {int(not expected)}; {loop} {out}:; {holds}; }})"


def rising(w: Writer, e: Expr) -> bool:
    """Return whether a loop gives numbers as they are, the least first."""
    source, body = operands(e)
    while source.op == "filter" or own_elements(source):
        source = operands(source)[0]
    return source.op == "numbers" and body.op == "local" and number(body) == number(e)


@writes("max", "min")
def _extremes(w: Writer, e: Expr, s: Environment) -> str:
    """Print the greatest or least number; of numbers in rising order the first is the least."""
    best, any_ = w.source.fresh("best"), w.source.fresh("any")

    if e.op == "min" and rising(w, e):
        out = w.source.fresh("out")
        loop = w.each(operands(e)[0], s, lambda x: f"{best} = {x}; goto {out};")
        return f"({{ __label__ {out}; W {best} = ABSENT_NUMBER; {loop} {out}:; {best}; }})"

    def use(x: str, inner: Environment) -> str:
        y = w.source.fresh("y")
        text = w.text(operands(e)[1], inner)
        test = f"!{any_} || {y} {'>' if e.op == 'max' else '<'} {best}"
        return f"{{ const W {y} = {text}; if ({test}) {best} = {y}; {any_} = 1; }}"

    return f"({{ W {best} = ABSENT_NUMBER, {any_} = 0; {counted(w, e, s, use)} {best}; }})"


@writes("count")
def _count(w: Writer, e: Expr, s: Environment) -> str:
    """Print the number of elements, without the list where it can be counted in a loop or read."""
    (source,) = operands(e)
    counted_ = counted_set(w, source, s) if source.op in ("filter", "local") else None
    if counted_ is not None:
        before, counts, _ = counted_
        return f"({{ {before}(W)(up_to({counts}) >> 56); }})"
    if source.op == "pieces" and not w.hides(operands(source)[0], s):
        return f"(W)g->s.length[{w.text(operands(source)[0], s)}]"
    if source.op == "map":
        return _count(w, Expr("count", e.type, (operands(source)[0],), e.site), s)
    if source.op in STREAMED:
        n = w.source.fresh("n")
        if source.op == "filter" and equal_constant(w, source, s) is None:  # added, as a branch is often mispredicted
            loop = looped(w, source, s, lambda x, inner: f"{n} += (({w.text(operands(source)[1], inner)}) != 0);")
        else:
            loop = w.each(source, s, lambda x: f"{n}++;")
        return f"({{ W {n} = 0; {loop} {n}; }})"
    if (inlined := inlined_call(w, source, s)) is not None:
        before, value, inner = inlined
        return f"({{ {before}{_count(w, Expr('count', e.type, (value,), e.site), inner)}; }})"
    return f"COUNT({w.text(source, s)})"


@writes("total")
def _total(w: Writer, e: Expr, s: Environment) -> str:
    """Print the sum of a set of numbers."""
    (source,) = operands(e)
    sum_ = w.source.fresh("sum")
    loop = w.each(source, s, lambda x: f"{sum_} = add_(g, {sum_}, {x}, {e.site});")
    return f"({{ W {sum_} = 0; {loop} {sum_}; }})"


@writes("member")
def _member(w: Writer, e: Expr, s: Environment) -> str:
    """Print a membership test: of a constant set by bits, else by a loop that is left early."""
    value, source = operands(e)
    before, x = w.temporary(w.text(value, s))
    fixed = w.known(source)
    if fixed is not UNKNOWN and not compound(value.type) and all(0 <= n < 64 for n in fixed):
        mask = sum(1 << n for n in set(fixed))
        text = f"((U){x} < 64 && (UINT64_C({mask}) >> {x} & 1))"
        return wrapped(before, text)
    is_member, out = w.source.fresh("there"), w.source.fresh("out")
    loop = w.each(source, s, lambda y: f"if ({same_text(w, value.type, x, y)}) {{ {is_member} = 1; goto {out}; }}")
    return f"({{ __label__ {out}; {before}W {is_member} = 0; {loop} {out}:; {is_member}; }})"


@loops("containing")
def _each_containing(w: Writer, e: Expr, s: Environment, body: Body) -> str:
    """Print a loop over sets of an inverted index."""
    text = w.text(e, s)
    return w.each_of_bits(w.known(operands(e)[0]), text, body) if e.type.inner == BITS else w.each_of(text, body)


@writes("containing")
def _containing(w: Writer, e: Expr, s: Environment) -> str:
    """Print a look-up in the inverted index of a constant set of sets."""
    sets, value = operands(e)
    choose, size = PURE[e.op], w.layout.size(value.type.present)
    known = [choose(w.known(sets), n) for n in range(size)]
    if e.type.inner == BITS:  # the places of the sets, see `_each_containing`
        places = {each: place for place, each in enumerate(w.known(sets))}
        known = [[places[each] for each in row] for row in known]
    rows = [w.constant(row, INTS if e.type.inner == BITS else e.type) for row in known]
    before, x = w.temporary(w.text(value, s))
    return wrapped(before, f"((U){x} < {size} ? {w.source.table(rows)}[{x}] : NOTHING)")


# ---- equal values ---------------------------------------------------------------------------------------------


def same_text(w: Writer, type_: Type, a: str, b: str) -> str:
    """Return the text of whether two values (names) of a type are the same."""
    kind, inner = type_.kind, type_.inner
    if kind == "payment" or (kind in ("set", "seats") and not compound(inner)):
        return f"same_lists({a}, {b})"
    if kind in ("set", "seats"):
        return _same_parts(w, a, b, partial(same_text, w, inner))
    if kind == "bag":
        return f"same_words({a}, {b}, {w.layout.width(type_)})"
    if kind == "cost":
        return f"same_costs({a}, {b}, {w.layout.size(type_)})"
    return f"({a} == {b})"


def _same_parts(w: Writer, a: str, b: str, test: Callable[[str, str], str]) -> str:
    """Return the text of the test that two lists have as many elements, each the same in both by a test."""
    i, same = w.source.fresh("i"), w.source.fresh("same")
    loop = f"for (W {i} = 0; {same} && {i} < COUNT({a}); {i}++) {same} = {test(f'AT({a}, {i})', f'AT({b}, {i})')};"
    return f"({{ bool {same} = COUNT({a}) == COUNT({b}); {loop} {same}; }})"


def same_pieces(w: Writer, type_: Type, a: str, b: str) -> str:
    """Return the text of the test that two pieces of counted kinds, or sets of them, are equal wherever they lie."""
    type_, inner = type_.present, type_.present.inner
    if type_.kind not in ("set", "seats"):
        return f"(({a} & ITEM_MASK) == ({b} & ITEM_MASK))"
    if not compound(inner):
        return f"same_items({a}, {b})"
    return _same_parts(w, a, b, partial(same_pieces, w, inner))


@writes("same")
def _same(w: Writer, e: Expr, s: Environment) -> str:
    """Print equality; pieces without identity are compared without the zone in their handles."""
    left, right = operands(e)
    first, a = w.temporary(w.text(left, s))
    second, b = w.temporary(w.text(right, s))
    by_item = left.type.core.kind == "piece" and not w.layout.identity(left.type)
    text = same_pieces(w, left.type, a, b) if by_item else same_text(w, left.type, a, b)
    assert atomic(a)
    return f"({{ {first}{second}{text}; }})" if first or second else text
