"""Purses and payments as C text: payments are counted without a list, and the chosen one alone is built.

Enters: expressions over purses. Leaves: their text; lines that count payments; the locals whose payment is fused with
the `spend` that follows its choice (a fused payment: the cells that are paid from, so that purses are searched once).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from rulelang.ir.nodes import Binder, Choose, Expr, Item, Procedure, Statement
from rulelang.ir.program import VariableTable
from rulelang.ir.walk import (
    exits,
    form,
    index,
    local_reads,
    number,
    operands,
    procedure_parts,
)
from rulelang.native.analysis import fillings
from rulelang.native.bags import few_expansions, only_purse, pointer_to, width_of
from rulelang.native.expressions import Environment, Writer, bag_at, loops, writes
from rulelang.runtime.payments import Bag

FACTORS = 3
"""A product of no more numbers of ways, each below 2**20, is small."""
LARGE = 1 << 40
"""What a few thousand purses hold together has 64 bits if each holds no more."""


@writes("purses_of")
def _purses_of(w: Writer, e: Expr, s: Environment) -> str:
    """Print the purses of pieces."""
    variable = number(e)
    layout = w.layout
    width = layout.pvar_width[variable]
    base = layout.pvar_cell(variable, 0)
    (items,) = w.texts(e, s)
    return w.arena(f"a_purses_of(g, {items}, {base}, {width})")


def cells(w: Writer, expr: Expr, s: Environment) -> str:
    """Return the text of the first cells of one purse or a set of them, as a set."""
    text = w.text(expr, s)
    return w.arena(f"a_purse(g, {text})") if expr.type.kind == "purse" else text


@loops("purses_of")
def _each_purse_of(w: Writer, e: Expr, s: Environment, body: Callable[[str], str]) -> str:
    """Print a loop over the purses of pieces."""

    def use(piece: str) -> str:
        cell = w.source.fresh("cell")
        return f"const W {cell} = {w.piece_variable_cell(number(e), piece)}; {body(cell)}"

    return w.each(operands(e)[0], s, use)


def _are_disjoint(w: Writer, e: Expr) -> bool:
    """Return whether no purse certainly occurs twice: they are of different variables, or of distinct individuals."""
    parts = operands(e) if e.op == "purses" else [e]
    variables = []
    for part in parts:
        if part.op == "purses_of":
            (source,) = operands(part)
            if source.op not in ("pieces", "family") or not w.layout.identity(source.type):
                return False
        variables.append((part.op, number(part)))
    return len(set(variables)) == len(variables)


def _each_purse(w: Writer, e: Expr, s: Environment, body: Callable[[str], str]) -> str:
    """Return statements that run `body` for the first cell of each of several purses that are apart."""
    texts = []
    for part in operands(e) if e.op == "purses" else [e]:
        if part.op == "purses_of":
            texts.append(w.each(part, s, body))
        else:
            cell = w.source.fresh("cell")
            texts.append(f"{{ const W {cell} = {w.text(part, s)}; {body(cell)} }}")
    return " ".join(texts)


@writes("purses")
def _purses(w: Writer, e: Expr, s: Environment) -> str:
    """Print the purses of several sources, each once; without a search for duplicates if they are disjoint."""
    if len(operands(e)) == 1:
        return cells(w, operands(e)[0], s)
    if _are_disjoint(w, e):
        list_ = w.source.fresh("found")
        loop, taken = w.writes_to_arena(lambda: _each_purse(w, e, s, lambda cell: f"GROW({list_}, {cell});"))
        if not taken:
            return w.arena(f"({{ W *const {list_} = a_open(g); {loop} a_close(g, {list_}); }})")
    parts = [cells(w, part, s) for part in operands(e)]
    return w.arena(f"a_purses(g, (const W[]){{{', '.join(parts)}}}, {len(parts)})")


@writes("can_pay")
def _can_pay(w: Writer, e: Expr, s: Environment) -> str:
    """Print the test of whether purses pay a cost, by what is known of the purses."""
    price, purses = operands(e)
    width = width_of(w, price.type)
    w.calls += 1
    if held := held_in(w, purses):
        return f"can_pay(g, {pointer_to(w, price, s)}, {held}, {width}, {e.site})"
    if (single := only_purse(purses)) is None:
        return f"can_pay_from(g, {pointer_to(w, price, s)}, {cells(w, purses, s)}, {width}, {e.site})"
    return f"can_pay(g, {pointer_to(w, price, s)}, &g->s.v[{w.text(single, s)}], {width}, {e.site})"


@writes("payments")
def _payments(w: Writer, e: Expr, s: Environment) -> str:
    price, purses = operands(e)
    width = width_of(w, price.type)
    return w.arena(f"a_payments(g, {pointer_to(w, price, s)}, {cells(w, purses, s)}, {width}, {e.site})")


@writes("holdings")
def _holdings(w: Writer, e: Expr, s: Environment) -> str:
    """Print the bag of what purses hold together."""
    (purses,) = operands(e)
    width = width_of(w, e.type)
    single = only_purse(purses)
    if single is not None:
        return bag_at(w, w.text(single, s), width)
    return w.arena(f"a_holdings(g, {cells(w, purses, s)}, {width}, {e.site})")


def spend(w: Writer, payment: str, cells_: str, site: int) -> str:
    """Return statements that take a payment out of purses (both given as text, as `cells` gives the second)."""
    paid, purses = w.source.fresh("paid"), w.source.fresh("purses")
    return f"{{ const W {paid} = {payment}, {purses} = {cells_}; spend(g, {paid}, {purses}, {site}); }}"


def spent(w: Writer, payment: Expr, purses: Expr, target: Sequence[Expr], s: Environment, site: int) -> str:
    """Return the statement that moves a payment, or a bag, from purses to the target's, or to nobody."""
    if target or payment.type.kind == "bag" or (w.logs and hides_purses(w, purses)):
        return _passed_on(w, payment, purses, target, s, site)
    text = w.text(payment, s)
    if payment.op == "local" and (s.procedure, index(payment)) in w.fused_payments:
        return f"spend_fused(g, {text}, {site});"
    return spend(w, text, cells(w, purses, s), site)


def _passed_on(w: Writer, payment: Expr, purses: Expr, target: Sequence[Expr], s: Environment, site: int) -> str:
    """Return statements that move a payment to where somebody gets it, or who sees it sees more than the purses."""
    goods, places = w.text(payment, s), w.layout.cell_place
    if payment.type.kind == "bag":
        goods = w.arena(f"a_payment_of(g, {pointer_to(w, payment, s)}, {width_of(w, payment.type)})")
    others = cells(w, target[0], s) if target else "NOTHING"
    most = max((_table(w, part).high for part in _parts(target[0])), default=0) if target else 0
    tables = w.program.variables, w.program.piece_variables
    is_open = w.source.table([int(tables[of_piece][number].view.public) for of_piece, number, _ in places])
    names = [w.source.fresh(stem) for stem in ("paid", "purses", "others")]
    values = ", ".join(
        f"{name} = {text}" for name, text in zip(names, (goods, cells(w, purses, s), others), strict=True)
    )
    return f"{{ const W {values}; pass_on(g, {', '.join(names)}, {most}, {is_open}, {site}); }}"


def hides_purses(w: Writer, purses: Expr) -> bool:
    """Return whether not all see some of the purses."""
    return any(not _table(w, part).view.public for part in _parts(purses))


def _parts(purses: Expr) -> Sequence[Expr]:
    return operands(purses) if purses.op == "purses" else [purses]


def _table(w: Writer, part: Expr) -> VariableTable:
    """Return the variable of one source of purses."""
    return (w.program.variables if part.op == "purse" else w.program.piece_variables)[number(part)]


# ---- what purses hold --------------------------------------------------------------------------------


def stockable(w: Writer, purses: Expr) -> bool:
    """Return whether it is worth while, and sure to work, to read once what purses hold."""
    return only_purse(purses) is None and _tame(w, purses)


def _tame(w: Writer, purses: Expr) -> bool:
    """Return whether nothing in the purses is below nothing, or so much that a sum of it could be too large."""
    return all(table.low >= 0 and table.high <= LARGE for table in (_table(w, part) for part in _parts(purses)))


def stocked(w: Writer, purses: Expr, s: Environment, width: int, names: tuple[str, str], sparse: bool) -> str:
    """Return statements that fill two declared names: the list of some purses, and the totals that they hold.
    `sparse`: empty purses may be left out."""
    listed, totals = names
    if _are_disjoint(w, purses):
        list_, sums = w.source.fresh("found"), w.source.fresh("sums")

        def use(cell: str) -> str:
            test = f"if (!no_bag(&g->s.v[{cell}], {width})) " if sparse else ""
            return f"{test}{{ GROW({list_}, {cell}); stock_grow(g, {sums}, {cell}, {width}); }}"

        loop, taken = w.writes_to_arena(lambda: _each_purse(w, purses, s, use))
        if not taken:
            head = f"W *const {sums} = a_zeros(g, {2 * width}); W *const {list_} = a_open(g);"
            return w.arena(f"{{ {head} {loop} {listed} = a_close(g, {list_}); {totals} = {sums}; }}")
    return w.arena(f"{listed} = {cells(w, purses, s)}; {totals} = BAG(a_stock(g, {listed}, {width}));")


# ---- payments that are counted ----------------------------------------------------------------------


def held_in(w: Writer, purses: Expr) -> str:
    """Return the name of what purses in a cell hold together; empty for others."""
    return w.cells.get(number(purses), ("", ""))[1] if purses.op == "cell" else ""


def countable(w: Writer, e: Expr) -> bool:
    """Return whether payments can be counted without a list of them."""
    return _tame(w, _outside_cell(operands(e)[1]))


def _outside_cell(purses: Expr) -> Expr:
    return operands(purses)[0] if purses.op == "cell" else purses


def known_bags(w: Writer, price: Expr) -> list[Bag] | None:
    """Return the bags of a price, if the payments of each can be counted at once."""
    bags = few_expansions(w, price)
    return None if bags is None or any(sum(map(bool, bag)) > FACTORS for bag in bags) else bags


def counted_payments(
    w: Writer, e: Expr, s: Environment, stock: tuple[str, str, str], fused: bool
) -> tuple[str, str, Callable[[str], str]]:
    """Return declarations, the text of the number of payments, and what gives the text of the payment of an index; none
    of them is listed.

    Args:
        stock: names of the list of purses, of the totals that they hold, and of the cost.
        fused: whether the payment is fused with its `spend`.
    """
    price, (purses, totals, cost) = operands(e)[0], stock
    width = width_of(w, price.type)
    more = f"{purses}, {totals}, {width}"
    bags = known_bags(w, price)

    def nth(name: str, bags: str, place: str) -> str:
        text = f"{name}(g, {bags}, {more}, {place}, {e.site})"
        return text if fused else f"a_full_payment(g, {text}, {purses}, {width})"

    if bags is None:
        head = f"{cost} = {pointer_to(w, price, s)};"
        count = f"count_payments(g, {cost}, {more}, {e.site})"
        return head, count, lambda place: nth("a_fused_payment", cost, place)
    table = w.source.table([count for bag in bags for count in bag])
    count = " + ".join(_ways_to_pay(bag, purses, totals, e.site) for bag in bags) or "0"
    return "", count, lambda place: nth("a_fused_payment_among", table, place)


def _ways_to_pay(bag: Bag, purses: str, totals: str, site: int) -> str:
    """Return the text of the number of ways to pay a constant bag."""
    width = len(bag)
    parts = [
        f"{totals}[{width + kind}]"
        if count == 1
        else f"count_withdrawals(g, {purses}, {totals}, {kind}, {count}, {width}, {site})"
        for kind, count in enumerate(bag)
        if count
    ]
    return " * ".join(parts) or "1"


# ---- fused payments -------------------------------------------------------------------------------------------


def fused_payments(w: Writer) -> dict[tuple[int, int], int]:
    """Return the locals (procedure, slot) whose payment can be fused with its `spend`, and the block of the `spend`: it
    is the block's first statement and the only reader."""
    decisions = w.program.decisions
    fused: dict[tuple[int, int], int] = {}
    for number_, code in enumerate(w.program.procedures):
        asked = [block.terminator.decision for block in code.blocks if isinstance(block.terminator, Choose)]
        entered = Counter(to for block in code.blocks for to, _ in exits(block.terminator, decisions))
        for decision in asked:
            node = decisions[decision]
            if node.together or asked.count(decision) > 1:
                continue
            for item in node.items:
                if item.to and entered[item.to] == 1 and not item.guards:
                    slots = _spent_at_once(w, code, item)
                    fused.update({(number_, slot): item.to for slot in slots})
    return fused


def _spent_at_once(w: Writer, code: Procedure, item: Item) -> Iterator[int]:
    """Yield the slot of an item's payment if the only use of it is the `spend` that follows: then they are fused."""
    bound = {binder.slot for binder in item.binders}
    statements = code.blocks[item.to].statements
    if not statements or not _is_fusible(w, statements[0]):
        return
    payment, purses = (arg for arg in statements[0].args if isinstance(arg, Expr))
    if any(local_reads(arg) & bound for binder in item.binders for arg in binder.args):
        return
    binder = next((binder for binder in item.binders if binder.slot == index(payment)), None)
    if (
        binder is None
        or not _is_countable_payment(w, binder)
        or form(_outside_cell(operands(binder.args[0])[1])) != form(purses)
    ):
        return
    slot = binder.slot
    if _reads(w, code, slot) == 1 and [own for own, _ in fillings(code, w.program.decisions)].count(slot) == 1:
        w.fused.add(id(binder.args[0]))
        yield slot


def _is_fusible(w: Writer, node: Statement) -> bool:
    """Return whether a statement spends a payment in the way that a fused one is spent."""
    return node.op == "spend" and len(operands(node)) == 2 and operands(node)[0].type.kind == "payment"


def _is_countable_payment(w: Writer, binder: Binder) -> bool:
    return binder.kind == "each" and binder.args[0].op == "payments" and countable(w, binder.args[0])


def _reads(w: Writer, code: Procedure, slot: int) -> int:
    """Return the number of expressions of a procedure that read a local."""
    return sum(part.op == "local" and index(part) == slot for part in procedure_parts(code, w.program.decisions))
