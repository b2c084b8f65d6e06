"""The closed tables of a program."""

from __future__ import annotations

from rulelang.compiler.indices import Indices, ir_type
from rulelang.ir import program as ir
from rulelang.ir.nodes import Decision, Expr, Procedure
from rulelang.semantics.tree.core import Local
from rulelang.semantics.tree.symbols import (
    DefinitionSym,
    KindSym,
    OptionSym,
    PositionSym,
    RankingInfo,
    ScoreInfo,
    TypeSym,
    VariableSym,
    ZoneSym,
    cite_texts,
)
from rulelang.semantics.tree.types import PLAYER, BagT, BoolT, NumberT, OptionalT, bare
from rulelang.vocabulary.types import INT, ZONE
from rulelang.vocabulary.types import Type as IrType

MARK_MAX = 1_000_000
BAG_MAX = 1_000_000


class Tables:
    """Builds the program around its procedures."""

    def __init__(self, indices: Indices, procedures: tuple[Procedure, ...], decisions: tuple[Decision, ...]) -> None:
        self.indices = indices
        self.checked = indices.checked
        self.procedures = procedures
        self.decisions = decisions

    def program(self) -> ir.Program:
        """Return the program: all tables, with the lowered procedures and decisions."""
        c, r = self.checked, self.checked.ruleset
        setup = self.indices.of(c.setup) if c.setup is not None else -1
        assert c.play is not None
        payoff = self.indices.of(c.payoff) if c.payoff is not None else -1
        # A payoff that some ends leave open (`end the game with`) puts nobody in order.
        is_criterion = payoff >= 0 and not c.scores and self.procedures[payoff].returns == "int"
        scored = ir.Ranking("most", payoff if is_criterion else -2)
        return ir.Program(
            version=ir.IR_VERSION,
            name=r.name,
            hash=r.hash,
            players=r.players,
            teams=tuple(sorted(r.teams.items())),
            automata=tuple(ir.AutomatonTable(a.name, a.players) for a in r.automata),
            options=tuple(self.option(o) for o in c.options),
            enums=tuple(self.enum(t) for t in self.indices.enums),
            grids=tuple(self.grid(t) for t in self.indices.grids),
            kinds=tuple(self.kind(k) for k in self.indices.kinds),
            zones=tuple(self.zone(z) for z in c.zones),
            variables=tuple(self.variable(v) for v in self.indices.variables),
            piece_variables=tuple(self.variable(v) for v in c.piece_variables),
            procedures=self.procedures,
            decisions=self.decisions,
            setup=setup,
            play=self.indices.of(c.play),
            scores=tuple(self.score(s) for s in c.scores),
            winner=self.ranking(c.winner) if c.winner is not None else scored,
            ties=tuple(self.ranking(t) for t in c.ties),
            payoff=payoff,
            payoff_parts=c.payoff_parts,
            sites=tuple(self.indices.sites),
            max_decisions=r.limits.decisions,
            outcome=r.limits.outcome,
            fuel=r.limits.fuel,
            depth=r.limits.depth,
            untils=tuple(c.untils),
            title=dict(r.title),
            positions=tuple(self.position(p) for p in c.positions),
        )

    def score(self, line: ScoreInfo) -> ir.ScoreTable:
        """Return the table of a score line."""
        p = line.procedure
        site = self.indices.site(line.name, p.span, p.citations, p.piece)
        return ir.ScoreTable(line.name, self.indices.of(p), site, line.definition.id if line.definition else "")

    def ranking(self, info: RankingInfo) -> ir.Ranking:
        """Return a line of `winner` or `tie` with its procedure's index (-1 for none)."""
        return ir.Ranking(info.ranking, self.indices.of(info.procedure) if info.procedure is not None else -1)

    def option(self, sym: OptionSym) -> ir.OptionTable:
        """Return the table of an option: its values as numbers, and those that suit each number of players."""
        option = sym.option
        words = tuple(str(v) for v in option.values) if option.kind == "word" else ()
        numbers = (
            dict(zip(option.values, range(len(words)), strict=True)) if words else {v: int(v) for v in option.values}
        )
        suiting = []
        for count in self.checked.ruleset.players if option.players else ():
            values = dict.fromkeys((option.default_for(count), *option.values))
            suiting.append((count, tuple(numbers[v] for v in values if option.suits(v, count))))
        return ir.OptionTable(
            sym.name, ir_type(sym.type), tuple(numbers.values()), words, numbers[option.default], tuple(suiting)
        )

    def attributes(self, sym: TypeSym) -> tuple[tuple[str, IrType, tuple[Expr, ...]], ...]:
        """Return the attributes of the values of a type, as constants."""
        values = {name: sym.attribute_values.get(name, ()) for name in sym.attributes}
        constants = {name: tuple(self.indices.expr(e, {}) for e in of_each) for name, of_each in values.items()}
        return tuple((name, ir_type(t), constants[name]) for name, t in sym.attributes.items())

    def enum(self, sym: TypeSym) -> ir.EnumTable:
        """Return the table of an enumerated type or resource."""
        return ir.EnumTable(
            sym.name,
            sym.values,
            self.attributes(sym),
            tuple(sorted(sym.between.items())),
            tuple(tuple(sorted(points)) for points in sym.points),
            tuple(self.indices.expr(e, {}) for e in sym.present),
        )

    def grid(self, sym: TypeSym) -> ir.GridTable:
        """Return the table of a grid: its cells, their attributes, and whether each is on the board under the options
        chosen."""
        decl = next(g for g in self.checked.ruleset.grids if g.name == sym.name)
        present = tuple(self.indices.expr(e, {}) for e in sym.present)
        return ir.GridTable(
            sym.name, decl.adjacency, sym.values, decl.places, self.attributes(sym), present, decl.upward
        )

    def kind(self, sym: KindSym) -> ir.KindTable:
        """Return the table of a kind of piece: its attribute types, its rows, its variables and the zones where its
        rule text is active."""
        starts: dict[int, Expr] = {}
        return ir.KindTable(
            sym.name,
            sym.identity,
            tuple((name, ir_type(t)) for name, t in sym.attributes.items()),
            tuple(self.definition(d, starts) for d in sym.definitions),
            tuple(self.indices.of(v) for v in sym.variables.values()),
            tuple(self.indices.of(z) for z in sym.active),
        )

    def definition(self, sym: DefinitionSym, starts: dict[int, Expr]) -> ir.DefinitionTable:
        """Return the table of a row: where its pieces start, how many there are, its attributes as constants. `starts`:
        by the identity of an expression, which rows share, what it became."""
        assert sym.count is not None
        slots: dict[Local, int] = {sym.start_seat: 0} if sym.start_seat is not None else {}
        start = starts.get(id(sym.start))
        if start is None:
            start = self.indices.expr(sym.start, slots) if sym.start is not None else Expr("const", ZONE, (-1,))
            starts[id(sym.start)] = start
        d = sym.decl
        return ir.DefinitionTable(
            sym.id,
            self.indices.expr(sym.count, {}),
            start,
            tuple(self.indices.expr(a, {}) for a in sym.attributes),
            d.per_player,
            self.indices.site(sym.id, d.span, self.checked.row_citations((sym,))),
            d.provenance,
        )

    def zone(self, sym: ZoneSym) -> ir.ZoneTable:
        """Return the table of a zone: its kind, index types, order, visibility, capacity and the zone that refills
        it."""
        d = sym.decl
        refill = next((i for i, z in enumerate(self.checked.zones) if z.name == d.refill), -1)
        return ir.ZoneTable(
            sym.name,
            self.indices.of(self.checked.kinds[sym.kind]),
            tuple(map(ir_type, sym.per)),
            d.order,
            d.visible,
            self.indices.expr(sym.capacity, {}) if sym.capacity is not None else None,
            refill,
            self.indices.site(sym.name, sym.span, cite_texts(d.cites)),
            d.size,
            self.sight(sym),
        )

    def variable(self, sym: VariableSym) -> ir.VariableTable:
        """Return the table of a variable, with its bounds and its start value."""
        low, high = self.bounds(sym)
        slots = {local: i for i, local in enumerate(sym.start_indices)}
        start = self.indices.expr(sym.start, slots) if sym.start is not None else self.default(sym, low)
        cites = cite_texts(sym.decl.cites) if sym.decl is not None else ()
        return ir.VariableTable(
            sym.name,
            ir_type(sym.type),
            tuple(map(ir_type, sym.per)),
            start,
            low,
            high,
            sym.visible,
            sym.internal,
            sym.mark,
            self.indices.site(sym.name, sym.span, cites),
            sym.size,
            self.sight(sym),
        )

    def sight(self, sym: ZoneSym | VariableSym) -> Expr | None:
        """Return the condition under which a zone or variable is seen; None where a word says it."""
        if sym.sight is None:
            return None
        slots = {local: slot for slot, local in enumerate((sym.sight.you, sym.sight.owner)) if local is not None}
        return self.indices.expr(sym.sight.condition, slots)

    def position(self, sym: PositionSym) -> ir.PositionTable:
        """Return the table of a position: what it is of, and how much is kept."""
        types = [part.returns if part is not None else PLAYER for part in sym.values]
        numbers = [bare(t) for t in types]
        return ir.PositionTable(
            self.indices.of(sym.memory),
            tuple(map(self.indices.of, sym.zones)),
            tuple(map(self.indices.of, sym.variables)),
            tuple(map(ir_type, types)),
            tuple((t.low, t.high) if isinstance(t, NumberT) else (0, 0) for t in numbers),
            sym.decl.last,
            sym.decl.times,
            sym.decl.last or sym.decl.most or self.checked.ruleset.limits.decisions + 1,
        )

    def bounds(self, sym: VariableSym) -> tuple[int, int]:
        """Return the least and the greatest value of a variable, of a bag those of each resource."""
        t = sym.type
        if sym.mark:
            return 0, MARK_MAX
        if isinstance(t, OptionalT):
            inner = t.inner
            return (inner.low, inner.high) if isinstance(inner, NumberT) else (-1, BAG_MAX)
        if isinstance(t, NumberT):
            return t.low, t.high
        if isinstance(t, BoolT):
            return 0, 1
        return 0, BAG_MAX

    def default(self, sym: VariableSym, low: int) -> Expr:
        """Return the start value of a variable that declares none."""
        t = sym.type
        if isinstance(t, BagT):
            res = next(e for e in self.indices.enums if e.name == t.resource)
            return Expr("bag", ir_type(t), tuple(Expr("const", INT, (0,)) for _ in res.values))
        if isinstance(t, OptionalT):
            return Expr("const", ir_type(t), (ir_type(t).absent,))
        values = next((sym for sym in self.checked.types if sym.type == t), None)
        if values is not None and values.present and values.present[0].op != "const":
            # The first value of a board is another one with other options.
            domain = Expr("domain", IrType(f"set<{ir_type(t)}>"), (str(ir_type(t)),))
            return Expr("cast", ir_type(t), (Expr("first", IrType(f"opt<{ir_type(t)}>"), (domain,)),))
        value = min(max(0, low), t.high) if isinstance(t, NumberT) else 0
        return Expr("const", ir_type(t), (value,))
