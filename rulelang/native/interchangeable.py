"""Choices and chance among interchangeable individuals: reference counts as C.

Individuals are interchangeable unless a waiting procedure, a variable or a value bound so far refers to one of them.
`g->references` counts the references (c/interchangeable.h): a call counts what its caller still needs, if the callee
may choose among individuals; a decision or chance node counts live locals and variables while its options are found.

Enters: a layout, decisions, chance nodes, calls. Leaves: tables, and lines that count references up and down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rulelang.ir.liveness import lone_source
from rulelang.ir.nodes import Block, CallProc, Chance, Choose, Decision, Expr, Procedure
from rulelang.mir.options import NONE, Kinds, asked_of, kinds_in
from rulelang.native.analysis import suspending_calls
from rulelang.native.block import variable_cells
from rulelang.native.expressions import Environment, Writer
from rulelang.runtime.layout import Layout
from rulelang.vocabulary.types import Type


def tables(layout: Layout) -> str:
    """Return the tables of individuals that c/state.h and c/interchangeable.h read."""
    if not any(layout.interchangeable):
        return ""
    numbers = layout.item_sorts
    lines = ["#define INTERCHANGEABLE 1", f"#define REFERENCED {layout.items}"]
    for kind, table in enumerate(layout.program.kinds):
        cells = [len(table.variables)]
        for variable in table.variables:
            cells += [layout.pvar_cell(variable, 0), layout.pvar_width[variable]]
        lines.append(f"static const int32_t cells_of_kind_{kind}[] = {{{', '.join(map(str, cells))}}};")
    lines.append(f"#define SAME_CELLS(v, a, b) ({_same_cells(layout)})")
    lines.append(f"static const int32_t ITEM_SORT[] = {{{', '.join(map(str, numbers))}}};")
    kinds = dict(zip(numbers, layout.item_kind, strict=True))
    of_sorts = ", ".join(f"cells_of_kind_{kinds[number]}" for number in sorted(kinds))
    lines.append(f"static const int32_t *const SORT_CELLS[] = {{{of_sorts}}};")
    return "\n".join(lines)


def _same_cells(layout: Layout) -> str:
    """Return the C test that individuals `a` and `b` have equal piece variables in `v`."""
    text = ""
    for kind, table in reversed(list(enumerate(layout.program.kinds))):  # the first kinds have the lowest items
        if not layout.interchangeable[kind]:
            continue
        tests = []
        for variable in table.variables:
            width, first = layout.pvar_width[variable], layout.pvar_cell(variable, 0)
            if width == 1:
                tests.append(f"(v)[{first} + (a)] == (v)[{first} + (b)]")
            else:
                cells = (f"&(v)[{first} + {width} * ({item})]" for item in "ab")
                tests.append(f"!memcmp({', '.join(cells)}, {width} * sizeof(W))")
        test = " && ".join(tests) or "1"
        last = layout.kind_items[kind][-1]
        text = f"(a) <= {last} ? ({test}) : {text}" if text else test
    return text


# ---- who asks -----------------------------------------------------------------------------------------------


def asked_by(w: Writer, node: Decision) -> Kinds:
    """Return the kinds of `asked_of` for all binders of a decision."""
    return asked_of(w.layout, (binder for item in node.items for binder in item.binders))


def unseen_kinds(w: Writer, zone: Expr, env: Environment) -> Kinds:
    """Return the kinds of which interchangeable individuals may lie unseen in this zone."""
    table = w.table_of(zone, env)
    tables = w.analysis.hidden & {table} if table >= 0 else w.analysis.hidden
    return frozenset(
        kind for kind in (w.program.zones[zone_table].kind for zone_table in tables) if w.layout.interchangeable[kind]
    )


def drawn_by(w: Writer, node: Chance, env: Environment) -> Kinds:
    """Return the kinds whose interchangeable individuals are merged into one outcome of a chance node."""
    match node.kind:
        case "element" | "some":
            return kinds_in(w.layout, node.args[0].type)
        case "expose" | "several" | "shared":
            return unseen_kinds(w, node.args[0], env)
    return NONE


def askers(w: Writer) -> list[Kinds]:
    """Return for each procedure the kinds whose interchangeable individuals it merges into one option or outcome, its
    callees included (a fixed point)."""
    procedures = w.program.procedures
    if not any(w.layout.interchangeable):
        return [NONE] * len(procedures)
    kinds = [_asked_in(w, number, code) for number, code in enumerate(procedures)]
    changed = True
    while changed:
        changed = False
        for number, code in enumerate(procedures):
            more = kinds[number].union(*(kinds[called] for called in suspending_calls(code)))
            changed |= more != kinds[number]
            kinds[number] = more
    return kinds


def _asked_in(w: Writer, number: int, code: Procedure) -> Kinds:
    """Return the kinds of `asked_by` and `drawn_by` in a procedure itself."""
    kinds = NONE
    for block in code.blocks:
        if isinstance(block.terminator, Choose):
            kinds |= asked_by(w, w.program.decisions[block.terminator.decision])
        elif isinstance(block.terminator, Chance):
            kinds |= drawn_by(w, block.terminator, Environment(number))
    return kinds


# ---- holding and letting go -----------------------------------------------------------------------------


HOLD, LET_GO = "1", "-1"


def reference(w: Writer, type_: Type, value: str, more: str) -> str:
    """Return the statement that adds `more` to the reference counts of what a value (a name) refers to."""
    inner = type_.inner
    if not type_.wraps:
        return f"{'refer_reaction' if type_ == 'reaction' else 'refer'}(g, {value}, {more});"
    if type_.kind == "opt":
        text = reference(w, inner, value, more)
        return f"if ({value} > 0) {{ {text} }}" if inner.wraps else text
    if inner.kind == "piece":
        return f"refer_each(g, {value}, {more});"
    i, part = w.source.fresh("i"), w.source.fresh("part")
    text = reference(w, inner, part, more)
    return f"for (W {i} = 0; {i} < COUNT({value}); {i}++) {{ const W {part} = AT({value}, {i}); {text} }}"


def references(w: Writer, kinds: Kinds, slots: Iterable[int], env: Environment, more: str) -> list[str]:
    """Return the statements that add `more` to the reference counts of what locals refer to, of these kinds."""
    types = w.program.procedures[env.procedure].locals
    return [
        reference(w, types[slot], env.names[slot], more) for slot in slots if kinds & kinds_in(w.layout, types[slot])
    ]


def _of_variables(w: Writer, kinds: Kinds, more: str) -> list[str]:
    """Return the statements that do so for all variables."""
    return [
        f"refer_cells(g, {cells.start}, {len(cells)}, {more});"
        for _, _, table, cells in variable_cells(w.layout)
        if kinds & kinds_in(w.layout, table.type)
    ]


def referring(w: Writer, code: Procedure, block: Block) -> list[int]:
    """Return the live slots that may refer to individuals at a block's decision or chance node."""
    lone = lone_source(code, block, w.program.decisions)
    return [slot for slot in block.live if slot != lone]


@contextmanager
def _held(w: Writer, texts: Callable[[str], list[str]]) -> Iterator[None]:
    """Emit statements that count references up (HOLD) and down (LET_GO) around the lines emitted inside."""
    for text in texts(HOLD):
        w.source.line(text)
    yield
    for text in texts(LET_GO):
        w.source.line(text)


def referenced(w: Writer, kinds: Kinds, live: Iterable[int], env: Environment) -> AbstractContextManager[None]:
    """Emit lines that count the references of live locals and variables around the lines emitted inside."""
    slots = list(live)

    def texts(more: str) -> list[str]:
        callers = [f"refer_callers(g, frame, {more});"] if kinds and env.speculative else []
        return [*_of_variables(w, kinds, more), *references(w, kinds, slots, env, more), *callers]

    return _held(w, texts)


def caller_referenced(w: Writer, kinds: Kinds, call: CallProc, env: Environment) -> AbstractContextManager[None]:
    """Emit lines that count the references of the caller's live locals around the call emitted inside."""
    live = w.program.procedures[env.procedure].blocks[call.to].live
    slots = [slot for slot in live if slot != call.slot]
    return _held(w, lambda more: references(w, kinds, slots, env, more))


def write_frames(w: Writer) -> None:
    """Emit the C function that counts the references of a waiting frame. `waits`: the slot of the awaited value."""
    line = w.source.line
    with w.source.block("static void refer_frame(G *g, W procedure, W block, W waits, const W *L, int32_t more)"):
        for number, code in enumerate(w.program.procedures):
            calls = {block.terminator.to for block in code.blocks if isinstance(block.terminator, CallProc)}
            rows = {
                to: [slot for slot in code.blocks[to].live if kinds_in(w.layout, code.locals[slot])]
                for to in sorted(calls)
            }
            if not any(rows.values()):
                continue
            with w.source.block(f"if (procedure == {number})"):
                for to, slots in rows.items():
                    for slot in slots:
                        text = reference(w, code.locals[slot], f"L[{slot}]", "more")
                        line(f"if (block == {to} && waits != {slot}) {{ {text} }}")
        line("(void)g, (void)procedure, (void)block, (void)waits, (void)L, (void)more;")


# ---- values of binders ------------------------------------------------------------------------------------


def interchangeable(function: str, source: Expr, text: str) -> str:
    """Return the call of a C function that finds classes of interchangeable elements in a set."""
    return f"{function}(g, {text}, {int(source.type.core == 'reaction')})"
