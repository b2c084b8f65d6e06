"""Lookahead (`possible`) as C text: save the rule's write set, run the rule, evaluate the condition, restore.

Enters: `possible` expressions. Leaves: their text; `Lookahead`s, the tables that c/lookahead.h reads. A rule that
cannot wait and does not end the game is called where the expression stands; speculation.py writes the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rulelang.ir.nodes import End, Expr
from rulelang.ir.rewrite import mapped, rewritten
from rulelang.ir.walk import callees, index, local_reads, number, operands, procedure_parts, subexpressions
from rulelang.mir.bound import with_program
from rulelang.mir.early import is_early
from rulelang.native.block import COUNTS, variable_cells
from rulelang.native.expressions import Environment, Writer, called, compound, writes
from rulelang.runtime.fuel import CELLS, TRIAL
from rulelang.runtime.layout import Layout

WORD = 8
"""The bytes of a word."""
SEEN = 1 << 21
"""The words that there are for states that were seen."""


Spans = list[tuple[int | str, int]]
"""Parts of the state: where each begins, in bytes, and how many bytes it has."""


@dataclass(frozen=True)
class Lookahead:
    """A rule that is run speculatively with frames, and what is asked then.

    Attributes:
        procedure: the rule. name: of its table in C. condition: a text that reads locals from `held`. deep: the
        procedures that may call themselves. parts: the table of what is kept where nobody is asked. interchangeable:
        whether it asks which individuals are interchangeable. places: of what `held` holds, which of the rule's
        arguments that is; None: something else, or the condition does more than look.
    """

    procedure: int
    name: str
    condition: str
    deep: list[int]
    parts: str
    interchangeable: bool
    places: list[int] | None


def numbered(layout: Layout) -> Layout:
    """The layout of the same program with a number in each `possible`, which tells it from others like it even when it
    is rewritten: inside its own look-ahead, and only there, it counts as true."""
    numbers: dict[int, int] = {}

    def change(expr: Expr) -> Expr:
        new = mapped(expr, change)
        if expr.op == "possible":
            return replace(new, args=(*new.args, numbers.setdefault(id(expr), len(numbers))))
        return new

    program = rewritten(layout.program, change)
    return with_program(layout, program) if numbers else layout


# ---- what a rule leads to -----------------------------------------------------------------------------------


def reachable_procedures(w: Writer, procedures: Iterable[int], imagined: bool) -> set[int]:
    """Return these procedures and all that they run; `imagined`: even those that they only try."""
    reached, worklist = set[int](), list(procedures)
    while worklist:
        place = worklist.pop()
        if place not in reached:
            reached.add(place)
            code = w.program.procedures[place]
            worklist += callees(code, w.program.decisions, ("call", "possible") if imagined else ("call",))
    return reached


def _may_end_game(w: Writer, procedures: Iterable[int]) -> bool:
    """Return whether a function among these may end the game."""
    return any(
        isinstance(block.terminator, End)
        for place in procedures
        for block in w.program.procedures[place].blocks
        if not w.program.procedures[place].effects.suspends
    )


def _is_reentrant(w: Writer, e: Expr) -> bool:
    """Return whether a `possible` may be evaluated again inside its own lookahead."""
    condition = operands(e)[0]
    started = [number(part) for part in subexpressions(condition) if part.op in ("call", "possible")]
    inside = reachable_procedures(w, [number(e), *started], imagined=True)
    codes = (w.program.procedures[place] for place in inside)
    parts = (part for code in codes for part in procedure_parts(code, w.program.decisions))
    own = number(e, -1)
    return any(part.op == "possible" and number(part, -1) == own for part in parts)


# ---- what a rule may write ----------------------------------------------------------------------------------

FLAGS = frozenset(("players", "winners", "deferred", "events"))
"""Effects that write what is not a variable or a zone."""


def write_set(w: Writer, e: Expr, asking: bool) -> Spans:
    """Return the write set of running a rule and evaluating the condition; `asking`: decisions included."""
    called_then = [number(part) for part in subexpressions(operands(e)[0]) if part.op == "call"]
    run = reachable_procedures(w, [number(e), *called_then], imagined=False)
    effects = [w.program.procedures[place].effects for place in run]
    names = {name for effect in effects for name in effect.writes}
    layout, blocks = w.layout, w.blocks
    state = blocks.type
    spans: list[tuple[int, int]] = []  # offset and bytes
    marks = False
    for word, _, table, cells in variable_cells(layout):
        if f"{word}:{table.name}" in names and cells:
            marks = marks or table.mark
            spans.append((state.v.offset + WORD * cells.start, WORD * len(cells)))
    for field, boards in blocks.bitboards.items():
        of_zone = f"zone:{w.program.zones[field.table].name}" if field.of != "var" else ""
        if (of_zone or f"var:{w.program.variables[field.table].name}") in names:
            spans.append((state.boards.offset + WORD * boards.at, WORD * boards.size))
    pools = False
    for place, zone in enumerate(w.program.zones):
        instances = list(layout.zone_instances(place))
        if f"zone:{zone.name}" not in names or not instances:
            continue
        pools = pools or w.analysis.may_hide(place)
        first, last = instances[0], instances[-1]
        spans.append((state.length.offset + SHORT * first, SHORT * len(instances)))
        if blocks.forms[first] == COUNTS:
            spans.append((state.counts.offset + WORD * first, WORD * len(instances)))
        else:
            size, start = blocks.bits // 8, blocks.starts[first]
            spans.append((state.slots.offset + size * start, size * (blocks.starts[last] + blocks.room[last] - start)))
        items = layout.kind_items[zone.kind]
        if w.program.kinds[zone.kind].identity and items:
            spans.append((state.where.offset + SHORT * items[0], SHORT * len(items)))
    if pools:
        spans.append((state.pools.offset, state.slots.offset - state.pools.offset))
    if names & FLAGS or any(effect.ends_game or (asking and effect.suspends) for effect in effects):
        spans.append((state.over.offset, state.v.offset - state.over.offset))
    joined = _merged(spans)
    return [*joined, *([("(W)offsetof(G, marks)", LISTED)] if marks else [])]


def parts_table(w: Writer, spans: Spans) -> str:
    """The table of parts of the state, as `a_part_of_state` wants it."""
    words = (sum(size for _, size in spans) + WORD - 1) // WORD
    return w.source.table([len(spans), words, *(field for span in spans for field in span)])


SHORT = 4
"""The bytes of a short number in a state."""
LISTED = 136
"""The bytes of the list of marks, its length first, in c/state.h: it lies behind the state."""


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Parts of the state in order, those that touch as one."""
    merged: list[tuple[int, int]] = []
    for start, size in sorted(set(spans)):
        if merged and start <= sum(merged[-1]):
            before = merged.pop()
            start, size = before[0], max(sum(before), start + size) - before[0]
        merged.append((start, size))
    return merged


# ---- the text -----------------------------------------------------------------------------------------------


@writes("possible")
def _possible(w: Writer, e: Expr, s: Environment) -> str:
    """Print a lookahead: the rule is run in place where it can neither wait nor end the game, else by frames; state is
    restored afterwards. A lookahead within itself counts as true.
    """
    condition, *arguments = operands(e)
    code = w.program.procedures[number(e)]
    fresh = w.source.fresh
    before, names = w.temporaries(arguments, s)
    holds, tried, mark, asker = fresh("found"), fresh("tried"), fresh("mark"), fresh("asker")
    call = called(w, number(e), names)
    plainly = f"(void){call}; {holds} = {w.text(condition, s)}; "
    every = reachable_procedures(w, [number(e)], imagined=False)
    if w.speculates(condition) or not w.speculating.isdisjoint(every):
        before_, after_ = f"W {asker}[2]; suspend_option_search(g, {asker}); ", f"resume_option_search(g, {asker}); "
        plainly = f"{before_}{plainly}{after_}"
    if not _may_end_game(w, every) and not any(w.program.procedures[place].effects.suspends for place in every):
        saved, parts = fresh("kept"), parts_table(w, write_set(w, e, False))
        run = f"bool {holds}; const W *const {saved} = a_part_of_state(g, {parts}); "
        run += f"{plainly}put_back(g, {parts}, {saved}); "
        told = fresh("told")
        run = f"const int {told} = tell_nothing(g); {run}tell_again(g, {told}); "
    else:
        lookahead, slots = _lookahead(w, e, s)
        fields = ", ".join([str(number(e)), str(len(code.locals)), str(len(names)), *names])
        held = ", ".join([s.names[slot] for slot in slots] or ["0"])
        frame, reads = fresh("frame"), fresh("held")
        run = f"const W {frame}[] = {{{fields}}}, {reads}[] = {{{held}}}; "
        run += f"const int {tried} = {lookahead.name}_holds_after(g, {frame} + 3, {reads}); "
        whole = f"a_lookahead(g, &{lookahead.name}, {frame}, {reads})"
        run += f"const bool {holds} = LIKELY({tried} >= 0) ? {tried} : {whole};"
    text = w.arena(f"({{ W *const {mark} = g->top; {before}{run}g->top = {mark}; {holds}; }})")
    if _is_reentrant(w, e):
        flag = f"g->evaluating[{number(e, -1)}]"
        return f"({flag} || ({{ {flag} = true; const bool {holds}a = {text}; {flag} = false; {holds}a; }}))"
    return text


def _lookahead(w: Writer, e: Expr, s: Environment) -> tuple[Lookahead, list[int]]:
    """The table of a lookahead, made where it is met first, and the locals that its condition reads."""
    condition = operands(e)[0]
    slots = sorted(local_reads(condition))
    key = (number(e, -1), s.procedure)
    known = w.lookaheads.get(key)
    if known is not None:
        return known, slots
    inner = s
    for place, slot in enumerate(slots):
        inner = inner.bind(slot, f"held[{place}]")
    name = w.source.fresh("lookahead")
    run = reachable_procedures(w, [number(e)], imagined=False)
    deep = [place for place in sorted(run) if w.program.procedures[place].depth]
    asked, unasked = write_set(w, e, True), write_set(w, e, False)
    ends, interchangeable = int(_may_end_game(w, run)), any(w.askers[place] for place in run)
    spans = [*unasked, *((f"(W)offsetof(G, depth) + {WORD * place}", WORD) for place in deep)]
    places = _places(w, e, slots)
    text, parts = w.text(condition, inner), parts_table(w, spans)
    w.lookaheads[key] = lookahead = Lookahead(number(e), name, text, deep, parts, interchangeable, places)
    w.source.heads.append(f"static bool {name}_holds(G *g, const W *held);")
    w.source.heads.append(f"static int {name}_holds_after(G *g, const W *given, const W *held);")
    fields = parts_table(w, asked), ends, int(interchangeable), f"{name}_holds", e.site
    w.source.heads.append(f"KEPT const struct Lookahead {name} = {{{', '.join(map(str, fields))}}};")
    return lookahead, slots


def _places(w: Writer, e: Expr, slots: list[int]) -> list[int] | None:
    """Return by local that the condition of a `possible` reads which argument of the rule it is; None if one is
    none, or the condition may not be evaluated early."""
    condition, *arguments = operands(e)
    positions = {index(part): place for place, part in enumerate(arguments) if part.op == "local"}
    if not is_early(w.program, condition) or not positions.keys() >= set(slots):
        return None
    return [positions[slot] for slot in slots]


def preamble(w: Writer) -> str:
    """Return the C constants of lookahead: the number of `possible` expressions, the size of the transposition
    table."""
    parts = (part for code in w.program.procedures for part in procedure_parts(code, w.program.decisions))
    numbers = [number(part, -1) for part in parts if part.op == "possible"]
    sizes = {
        "LOOKAHEADS": max(numbers, default=-1) + 1,
        "SEEN": SEEN if w.lookaheads else 0,
        "FAMILIES": len(families(w)),
    }
    return "\n".join(f"#define {name} {size}" for name, size in sizes.items())


FAMILY = 16
"""No family has more lookaheads, nor does its rule have more arguments."""


def families(w: Writer) -> list[list[Lookahead]]:
    """Lookaheads of the same rule with conditions that read only what it is given, several at least: it is run once,
    and all of the conditions are read then."""
    families_of: dict[tuple[int, str, bool], list[Lookahead]] = {}
    for lookahead in {lookahead.name: lookahead for lookahead in w.lookaheads.values()}.values():
        code = w.program.procedures[lookahead.procedure]
        parameters = code.locals[: code.parameters]
        # What an address leads to may be another value each time.
        if lookahead.places is not None and len(parameters) <= FAMILY and not any(map(compound, parameters)):
            families_of.setdefault((lookahead.procedure, lookahead.parts, lookahead.interchangeable), []).append(
                lookahead
            )
    return [family for family in families_of.values() if 1 < len(family) <= FAMILY]


def step_work(layout: Layout) -> int:
    """The fuel of trying one option."""
    cells, zones = len(layout.start_v), len(layout.start_z)
    return TRIAL + (cells + zones + sum(map(len, layout.start_z))) // CELLS
