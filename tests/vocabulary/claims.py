"""What a row of the table of operations says, held against what the operation does on random operands.

Enters: the name of an operation and its row. Leaves: a text for each claim that is not so. The operation stands in the
cases of `tests.interpreter.test_expressions`; its operands are values of their own here, drawn at random or worked out
in the state, and then the state is changed in one respect at a time to see what the result depends on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, product
from typing import Any, NamedTuple

from rulelang.diagnostics import FuelError, RuleError
from rulelang.interpreter import Machine
from rulelang.ir.nodes import Expr
from rulelang.ir.program import EnumTable
from rulelang.ir.walk import index, operands, subexpressions
from rulelang.limits import COST_PARTS
from rulelang.runtime.bounds import HIGHEST, LOWEST
from rulelang.runtime.constants import BOUND, FOLDS, PURE
from rulelang.runtime.state import State
from rulelang.vocabulary.operations import BINDING, EXPRESSIONS, Op
from rulelang.vocabulary.types import BOOL, INT, SEAT, SEATS, ZONE, Type
from tests.interpreter import build
from tests.interpreter.build import const, e, function, local, square, zone
from tests.interpreter.test_expressions import (
    BAG,
    CARDS,
    CASES,
    COINS,
    DECK,
    MEMORY,
    MEN,
    PICK,
    RACK,
    SHED,
    SQUARE,
    Z,
    card,
    cell,
    cost,
    ints,
    machine_for,
    n,
    position,
    seat,
    shed,
    shed1,
)  # fmt: skip

DRAWS = 60
BORROWED = frozenset(("const", "local", "let", "cell", "offered", "call", "possible"))
"""Operations that give what another expression gives, which may read and do anything."""
SOME = e("numbers", "set<int>", const(0), const(3))
TURNED = e("list", "set<dir>", e("opposite", "dir", local(0, "dir")))
MORE = (
    e("zone", "zone", RACK, seat(0), n(1, "enum:Colour")),
    e("zone", "zone", SQUARE, cell(1)),
    e("purse", "purse:R", SHED, seat(0)),
    e("is_none", BOOL, n(3, "opt<int>")),
    e("reachable", "set<int>", 0, ints(1), e("numbers", "set<int>", const(0), const(80))),
    e("sort_of", INT, n(2, MEN)),
    e("reaction_owner", "opt<seat>", e("reaction", "reaction", 5, n(3, MEN))),
    e("purses", "set<purse:R>", shed, shed),
    e("purses_of", "set<purse:R>", 1, e("list", "set<piece:Man>", n(2, MEN))),
    e("distinct", CARDS, e("list", CARDS, card(0))),
    e("relocate", CARDS, e("list", CARDS, card(0)), zone(DECK)),
    e("filter", "set<int>", 0, ints(1), e("gt", BOOL, local(0), const(0))),
    e("sum", INT, 0, ints(1), local(0)),
    e("map", "set<int>", 0, ints(1), e("max2", INT, local(0), const(2))),
    e("max", "opt<int>", 0, ints(1), e("max2", INT, local(0), const(2))),
    e("flatten", "set<int>", 0, ints(1), e("numbers", "set<int>", const(0), const(40))),
    e("holdings", BAG, shed),
    e("cost_fixed", BAG, cost(1, 0)),
    *(e("can_pay", BOOL, cost(1, 2), e("purses", "set<purse:R>", shed, shed1)) for _ in range(4)),
    e("reachable", "set<dir>", 0, e("list", "set<dir>", n(1, "dir"), n(6, "dir")), TURNED),
    e("cast", "set<seat>", ints(1)),
    *(e(op, BOOL, 0, ints(1), e("gt", BOOL, local(0), const(0))) for op in ("any", "all")),
    *(e(op, "set<int>", 0, ints(1), local(0)) for op in ("most", "fewest", "distinct_by", "descending", "ascending")),
    e("runs", "set<set<int>>", 0, ints(1), local(0)),
    e("group", "set<set<int>>", 0, ints(1), local(0)),
    e("containing", "set<set<int>>", e("list", "set<set<int>>", SOME, SOME), const(1)),
)
RESPECTS = {
    "seats": "seats",
    "contents": "pieces",
    "whereabouts": "pieces",
    "variables": "variables",
    "purses": "variables",
    "deferrals": "deferrals",
    "positions": "positions",
    "winners": "winners",
    "setup": "game",
}
"""What an operation may read -> in which respect states, or games, must differ to show it."""
ENDS = cycle((over, winners) for over in range(4) for winners in range(8))
CORNERS = (LOWEST, -1, 0, 1, 3, 64, HIGHEST)
BITS = range(LOWEST, HIGHEST + 1)
HARD = {"can_pay": {"work"}, "subsets": {"work"}}
"""Failures that no random operands come to."""
MESSAGES = {
    "64 bits": "overflow",
    "by zero": "zero",
    "nobody has seen": "unknown",
    "has no answer": "absent",
    "of its own": "absent",
}


class Case(NamedTuple):
    """An operation on parameters; `inputs` are the procedures that work their values out in a state."""

    expr: Expr
    procedure: int
    types: tuple[Type, ...]
    inputs: tuple[int, ...]


def parameters(expr: Expr) -> tuple[Expr, list[Expr]]:
    """Return an operation with parameters for its operands, and those; constants and bodies stay."""
    args, given = list(expr.args), list[Expr]()
    for place, arg in enumerate(args):
        is_body = expr.op in BINDING and place == len(args) - 1
        if isinstance(arg, Expr) and arg.op != "const" and not is_body and expr.op not in ("lines", "purse"):
            args[place] = local(len(given), arg.type)
            given.append(arg)
    return replace(expr, args=tuple(args)), given


def is_own(expr: Expr) -> bool:
    """Return whether nothing but an operation itself can read a state or fail: its body neither does."""
    parts = list(subexpressions(operands(expr)[1])) if expr.op in BINDING else []
    return all(
        (part.op == "var" and index(part) > MEMORY) or EXPRESSIONS[part.op].reads <= {"pure", "locals"}
        for part in parts
    ) and all(part.op == "numbers" or EXPRESSIONS[part.op].is_total for part in parts)


@cache
def cases() -> tuple[dict[str, list[Case]], Machine, Machine]:
    """The cases of each operation, the machine of all, and one of another game: fewer players, another option and
    other tables."""
    procedures, of = list[Expr](), dict[str, list[Case]]()
    for expr in (*(expr for expr, _ in CASES), *MORE):
        if expr.op not in BORROWED and is_own(expr):
            body, given = parameters(expr)
            inputs = tuple(range(len(procedures) + 4, len(procedures) + 4 + len(given)))
            of.setdefault(expr.op, []).append(Case(body, len(procedures) + 3, tuple(a.type for a in given), inputs))
            procedures += [body, *given]
    machine = machine_for(*procedures)
    codes = list(machine.program.procedures)
    for place, body in enumerate(procedures):
        locals_ = {index(part): part.type for part in subexpressions(body) if part.op == "local"}
        codes[3 + place] = function(
            f"f{place}", body, *(locals_.get(slot, INT) for slot in range(max(locals_, default=-1) + 1)), INT
        )
    program = replace(
        machine.program, procedures=tuple(codes), fuel=60, zones=(*machine.program.zones, build.place("camp", 1, SEAT))
    )
    height = tuple(const(number) for number in range(16))
    other = replace(
        program,
        players=(3,),
        automata=(),
        teams=((3, ((0, 2),)),),
        kinds=tuple(replace(kind, definitions=(*kind.definitions[1:], kind.definitions[0])) for kind in program.kinds),
        grids=(replace(square(4, 4, "hexagonal"), attributes=(("height", INT, height),)),),
        enums=tuple(map(_reversed, program.enums)),
    )
    return of, Machine(program, 4), Machine(other, 3, (9,))


def _reversed(enum: EnumTable) -> EnumTable:
    attributes = tuple((name, type_, values[::-1]) for name, type_, values in enum.attributes)
    return replace(enum, attributes=attributes, between=((3, ((1, 2), (0, 1))),) if enum.between else ())


def drawn(draw: random.Random, type_: Type, small: bool) -> Any:
    """Return a value of a type; None where none is made up. `small`: numbers are counts."""
    if type_.kind == "opt" and draw.random() < 1 / 3:
        return type_.absent
    if type_.kind == "set" and type_.inner.scalar:
        return [drawn(draw, type_.inner, small) for _ in range(draw.randint(0, 3))]
    match type_.present.kind:
        case "int" if small:
            return draw.randint(0, 2)
        case "int":
            return draw.choice((*CORNERS, draw.randint(-9, 9)))
        case "bag":
            return tuple(draw.choice((0, 1, 2, 100, HIGHEST)) for _ in range(2))
        case "cost":
            wilds = draw.choice(((), ((1, 3, 0),), ((100, 3, 0),), ((2, 3, 1),) * (COST_PARTS - 1)))
            return (draw.choice((0, 1, 2, HIGHEST)), draw.randint(0, 2)), wilds
        case "piece":
            return draw.choice([z * Z + k for z in range(6) for k in (0, 1)] if type_.name == "Card" else range(2, 9))
    sizes = {"bool": 2, "seat": 3, "dir": 8, "zone": 6, "enum": 2, "cell": 6}
    size = sizes.get(type_.present.kind)
    return None if size is None else draw.randrange(size)


def changed(draw: random.Random, state: State, respect: str) -> State:
    """Return a state that differs in one respect."""
    new, layout = state.clone(), state.layout
    match respect:
        case "seats":
            new.out = draw.choice([out for out in (0, 1, 2, 4) if out != state.out])
        case "winners":
            new.over, new.winners = next(ENDS)
        case "deferrals":
            new.deferred = 7 - state.deferred
        case "positions":
            for form in layout.positions.values():
                if form.room:
                    form.remember(new, [state.out % 3, state.deferred % 3])
        case "variables":
            first = layout.pvar_cell(0, layout.kind_items[layout.pvar_kind[0]].start)
            for cell in (*range(layout.var_base[COINS], layout.var_base[PICK]), *range(first, len(new.v))):
                new.v[cell] = draw.choice((0, 1, 2, 5, 100, HIGHEST))
        case "pieces":
            for zones in ((0, *range(1, 6), *range(13, 23)), (*range(6, 13), *range(23, 28))):
                lying = [piece for number in zones for piece in state.z[number]]
                for number in zones:
                    new.z[number] = []
                for piece in lying:
                    number = draw.choice(zones)
                    new.z[number].append(piece)
                    if new.where[piece] >= 0:
                        new.where[piece] = number
                for number in zones[1:]:
                    new.z[number].sort()
    return new


def outcome(machine: Machine, state: State, procedure: int, values: Sequence[Any]) -> tuple[str, Any]:
    """Return `value` and it, or the word of the failure (of `FAILURES`) and nothing."""
    try:
        return "value", machine.evaluate(state, procedure, values)
    except FuelError:
        return "work", None
    except (IndexError, ValueError):
        return "index", None
    except RuleError as error:
        return next((word for text, word in MESSAGES.items() if text in str(error)), str(error)), None


class Sample(NamedTuple):
    """What an operation gave; `lying`: the pieces in the zone that is an operand, `players`: those still in."""

    case: Case
    values: list[Any]
    value: Any
    lying: list[int]
    players: set[int]


class Course(NamedTuple):
    """How an operation failed, what its result depended on, what it gave."""

    failures: frozenset[str]
    depends: frozenset[str]
    samples: list[Sample]


@cache
def course(name: str) -> Course:
    """Try an operation on random operands, in states that differ in one respect."""
    draw, (of, machine, other) = random.Random(name), cases()
    start, elsewhere, hidden = position(machine), other.new_state(), position(machine)
    hidden.pools, hidden.z[0] = [[0, 0, 1]], [-1, -1, -1]
    failures, depends, samples = set[str](), set[str](), list[Sample]()
    corners = list(product(CORNERS, repeat=2))
    for case in of[name] * (DRAWS // len(of[name]) + 1):
        state = changed(draw, changed(draw, start, "pieces"), "variables") if draw.random() < 3 / 4 else start
        small = name in ("lines", "pick", "firsts", "mark_code", "bag", "seen")
        values = list[Any]()
        for type_, procedure in zip(case.types, case.inputs, strict=True):
            value = drawn(draw, type_, small) if draw.random() < 3 / 4 else None
            values.append(outcome(machine, state, procedure, ())[1] if value is None else value)
        if name in ("individual", "answer") and draw.random() < 1 / 4:
            values = (
                [4] if name == "individual" else [[type_.inner.absent] * 5 for type_ in case.types[:1]] + values[1:]
            )
        if case.types == (INT, INT) and corners and not small:
            values = list(corners.pop())
        if None in values:
            continue
        result = outcome(machine, state, case.procedure, values)
        unseen = outcome(machine, hidden, case.procedure, values)
        failures |= {result[0], unseen[0]} - {"value"}
        for respect in dict.fromkeys(RESPECTS.values()):
            at, its = (other, elsewhere) if respect == "game" else (machine, changed(draw, state, respect))
            if repr(outcome(at, its, case.procedure, values)) != repr(result):
                depends.add(respect)
        if result[0] == "value":
            zones = [value for type_, value in zip(case.types, values, strict=True) if type_ == ZONE]
            lying = [piece % Z for zone in zones for piece in state.z[zone]]
            players = {seat for seat in range(4) if not state.out >> seat & 1}
            samples.append(Sample(case, values, result[1], lying, players))
    return Course(frozenset(failures), frozenset(depends), samples)


def claims(name: str, op: Op) -> list[str]:
    """Return what a row says of an operation and is not so, and what is so and it does not say."""
    if name in BORROWED:
        return []
    failures, depends, samples = course(name)
    claimed = {RESPECTS[word] for word in op.reads & RESPECTS.keys()}
    wrong = [f"gives {number}, beyond 64 bits" for s in samples for number in _numbers(s.value) if number not in BITS]
    for trait, holds in HOLDS.items():
        shown = {holds(sample, op) for sample in samples}
        if trait in op.traits and (False in shown or True not in shown):
            wrong.append(f"`{trait}` does not hold")
        elif (
            trait in TOLD
            and (name, trait) not in UNSAID
            and not op.traits.keys() & {trait, *TOLD[trait]}
            and False not in shown
            and True in shown
        ):
            wrong.append(f"`{trait}` holds, and it does not say so")
    if ("folds" in op.traits) != (name in KNOWN_BEFORE):
        wrong.append(f"`folds`: constants are {'' if name in KNOWN_BEFORE else 'not '}worked out")
    sayings = (
        ("fails, of which it says nothing", failures - op.failures),
        ("never fails as it says", op.failures - failures - HARD.get(name, frozenset())),
        ("depends on what it does not say that it reads", depends - claimed - ({"game"} if claimed else set())),
        ("does not depend on what it says that it reads", claimed - depends),
        ("reads what nothing shows", op.reads - RESPECTS.keys() - {"pure"}),
    )
    return [
        *(f"{name}: {text}" for text in dict.fromkeys(wrong)),
        *(f"{name}: {text}: {sorted(words)}" for text, words in sayings if words),
    ]


def _is_related(sample: Sample, op: Op, trait: str) -> bool | None:
    """Whether another operation holds of the same operands, or of swapped ones, as a row says."""
    if trait not in op.traits or any(part.op == "const" for part in operands(sample.case.expr)):
        return None
    _, machine, _ = cases()
    code = machine.blocks.compiler.code(replace(sample.case.expr, op=op.traits[trait]))
    again = code(position(machine), list(sample.values[::-1] if trait == "mirrors" else sample.values))
    return bool(again) == (bool(sample.value) == (trait == "mirrors"))


def _of_list(check: Callable[[Any, list[Any]], bool], alike: bool = False) -> Holds:
    """What is asked of a collection that comes of the first operand, a collection too; `alike`: of the same type."""

    def holds(s: Sample, op: Op) -> bool | None:
        if not (isinstance(s.value, list) and s.values and isinstance(s.values[0], list)):
            return None
        if alike and s.case.expr.type != s.case.types[0]:
            return None
        return check(s.value, s.values[0]) if s.value or s.values[0] else None

    return holds


def _is_member(s: Sample, op: Op) -> bool | None:
    """Whether it is true where its first operand is in its second, or is of one of the definitions it names."""
    if s.case.expr.type != BOOL:
        return False
    if "defs*" in op.shape:
        if s.values[0] < 0:
            return None
        return bool(s.value) == (cases()[1].layout.item_definition[s.values[0] % Z] in s.case.expr.args)
    if len(s.values) != 2 or not (isinstance(s.values[1], list) or s.case.types[1] == ZONE):
        return False
    among = s.values[1] if isinstance(s.values[1], list) else s.lying
    return bool(s.value) == ((s.values[0] % Z if s.case.types[1] == ZONE else s.values[0]) in among)


def _is_lenient(s: Sample, op: Op) -> bool | None:
    """Whether it gives something where single operands are absent, whatever their types say."""
    values = [type_.absent if type_.scalar else value for type_, value in zip(s.case.types, s.values, strict=True)]
    if values == s.values:
        return None
    machine = cases()[1]
    sort, value = outcome(machine, position(machine), s.case.procedure, values)
    return sort == "value" and value != s.case.expr.type.absent


KNOWN_BEFORE = PURE.keys() | BOUND.keys() | FOLDS.keys() | {"if", "and", "or", "is_none", "otherwise"}
Holds = Callable[[Sample, Op], bool | None]
HOLDS: dict[str, Holds] = {
    "distinct": lambda s, op: (
        all(part not in s.value[:place] for place, part in enumerate(s.value))
        if s.case.expr.type.kind == "set" and not op.is_attribute and len(s.value) > 1
        else None
    ),
    "apart": lambda s, op: (
        s.values[0] not in s.value if op.result == SEATS and s.case.types == (SEAT,) and s.value else None
    ),
    "every": lambda s, op: s.players <= {*s.value} if op.result == SEATS else None,
    "shrinks": _of_list(lambda value, of: len(value) <= len(of)),
    "subset": _of_list(lambda value, of: _is_subsequence(value, of), alike=True),
    "permutes": _of_list(lambda value, of: sorted(value) == sorted(of), alike=True),
    "sized": _of_list(lambda value, of: len(value) == len(of)),
    "nonempty": _of_list(lambda value, of: bool(value) == bool(of)),
    "element": lambda s, op: (
        s.value in s.values[0]
        if s.case.types
        and s.case.types[0].kind == "set"
        and s.case.expr.op not in BINDING
        and s.value != s.case.expr.type.absent
        else None
    ),
    "lying": lambda s, op: (
        all(piece % Z in s.lying for piece in (s.value if isinstance(s.value, list) else [s.value]) if piece >= 0)
        if s.case.types[:1] == (ZONE,) and s.case.expr.type.core.kind == "piece" and s.value not in ([], -1)
        else None
    ),
    "counts": lambda s, op: s.value >= 0 if s.case.expr.type == INT else None,
    "equates": lambda s, op: (
        bool(s.value) == (s.values[0] == s.values[1])
        if s.case.expr.type == BOOL
        and len(s.values) == 2
        and not any(type_.core.kind == "piece" for type_ in s.case.types)
        else None
    ),
    "lenient": _is_lenient,
    "membership": _is_member,
    "sign": lambda s, op: (
        s.value == eval(f"({s.values[0]}) {op.traits['sign']} ({s.values[1]})") if "sign" in op.traits else None
    ),
    "negates": lambda s, op: _is_related(s, op, "negates"),
    "mirrors": lambda s, op: _is_related(s, op, "mirrors"),
}
"""Trait -> whether it holds of what an operation gave; None where that shows nothing."""
GIVEN = """option player_count var pvar cast abs attr eattr gattr sort_of mask pick reaction_handler mark_code get_seat
answer bag_get bag_pick column row"""
UNSAID = {("reaction_order", "every"), *((name, "counts") for name in GIVEN.split())}
"""What holds and is of no use: rules don't name it, or what tables and operands give is not below 0 here."""
TOLD = dict.fromkeys(
    "distinct apart every lying equates membership subset sized permutes element counts".split(), ()
) | {"shrinks": ("sized",), "nonempty": ("sized",)}
"""Trait that a row must say where it holds -> those that say more."""


def _numbers(value: Any) -> Iterator[int]:
    """Yield all numbers in a value."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from _numbers(part)
    else:
        yield int(value)


def _is_subsequence(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Return whether a list is another one less some elements."""
    rest = iter(whole)
    return all(any(element == other for other in rest) for element in part)
