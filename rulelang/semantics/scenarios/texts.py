"""The DSL texts of scenarios become procedures of the ruleset they test.

Enters: a checked ruleset and its scenarios. Leaves: for each scenario its procedures, to be compiled with the ruleset,
or findings. In a scenario the number of players is known, so `seat(3)` is a player where there are four; nobody acts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import wraps
from itertools import chain
from typing import TypeVar, cast

from rulelang.diagnostics import Diagnostics, Span, counted, suggest
from rulelang.ruleset.model import Text, plain_text
from rulelang.ruleset.scenarios import Carried, Scenario
from rulelang.semantics.checks.citations import check_cites, cited
from rulelang.semantics.combination.dispatch import build_standings
from rulelang.semantics.scenarios.patterns import IdForms, check_patterns, forms_of
from rulelang.semantics.scenarios.positions import check_bag, check_given
from rulelang.semantics.tree.core import CDo, CExpr, CReturn
from rulelang.semantics.tree.shared import Analysed, CallEdge, Shared, const, parsed
from rulelang.semantics.tree.symbols import Bodies, ProcedureSym
from rulelang.semantics.tree.types import BOOL, ERROR, PLAYER, VOID, PieceT, Type, ZoneT
from rulelang.semantics.typing.changes import give
from rulelang.semantics.typing.context import Context
from rulelang.semantics.typing.declarations import check_ranked, pay_out
from rulelang.semantics.typing.paths import zone_place
from rulelang.semantics.typing.rule_texts import listed
from rulelang.syntax import ast
from rulelang.syntax.parser import parse_block, parse_expression

Check = TypeVar("Check", bound=Callable[..., ProcedureSym | tuple[ProcedureSym, ProcedureSym]])


@dataclass(frozen=True)
class ScenarioCode:
    """A scenario with its texts as procedures without parameters.

    Attributes:
        zones: for each given zone the function that finds it. carried: one procedure of a piece for each of its given
            variables. variables: one for each given variable; rooms: for each whether what it was given fits.
        do: what runs instead of `play`, if anything. conditions: of `then` and of its `ends`.
        diagnostics: what is wrong with it; then it has no procedures. named: the procedures of the ruleset that its
            texts call.
    """

    scenario: Scenario
    diagnostics: Diagnostics
    zones: tuple[ProcedureSym, ...] = ()
    carried: tuple[ProcedureSym, ...] = ()
    variables: tuple[ProcedureSym, ...] = ()
    rooms: tuple[ProcedureSym, ...] = ()
    do: ProcedureSym | None = None
    conditions: dict[Text, ProcedureSym] = field(default_factory=dict)
    named: frozenset[ProcedureSym] = frozenset()

    @property
    def procedures(self) -> tuple[ProcedureSym, ...]:
        """All of them; scenarios share those of the same text."""
        run = (self.do,) if self.do is not None else ()
        return (*self.zones, *self.carried, *self.variables, *self.rooms, *run, *self.conditions.values())


def check_scenarios(analysed: Analysed, scenarios: Sequence[Scenario]) -> tuple[Analysed, list[ScenarioCode]]:
    """Check the texts of every scenario; one with errors spoils no other.

    Returns:
        A copy of the analysed ruleset to which the tables that the scenarios need beside its own were added, such as
        counters of their limits, the body of the total score, what `end the game with` pays; the code of each scenario
        with its findings. The ruleset itself stays as it is.
    """
    own = analysed.copy()
    codes = list(_codes(own, scenarios))
    build_standings(own.checked, own.bodies)
    if own.checked.amounts is not None and analysed.checked.amounts is None:
        pay_out(own.shared, own.checked.amounts)
    return own, codes


def checking_scenarios(analysed: Analysed, scenarios: Sequence[Scenario]) -> Iterator[ScenarioCode]:
    """Yield the code of each scenario, with its findings, as soon as it has been checked."""
    return _codes(analysed.copy(), scenarios)


def _codes(own: Analysed, scenarios: Sequence[Scenario]) -> Iterator[ScenarioCode]:
    """Yield the code of each scenario, and add the tables that it needs to those of the ruleset."""
    forms = forms_of(own.checked, own.bodies, own.checked.procedures)
    memos: dict[object, Memo] = {}
    for scenario in scenarios:
        diagnostics = Diagnostics(own.shared.diagnostics.names)
        shared = _shared_for(own.shared, scenario, diagnostics)
        memo = memos.setdefault((scenario.players, *sorted(scenario.options.items())), {})
        code = _Checker(shared, scenario, diagnostics, own.checked.ruleset.players, forms, memo).run()
        diagnostics.fold()
        for name in ("total", "ranks", "amounts"):
            setattr(own.checked, name, getattr(shared.checked, name))
        yield ScenarioCode(scenario, diagnostics) if diagnostics.has_errors else code


def _shared_for(shared: Shared, scenario: Scenario, diagnostics: Diagnostics) -> Shared:
    """Return what the checkers of a scenario share: the game has its number of players and its options. Lists and
    tables are those of `shared`."""
    checked, own = copy(shared.checked), copy(shared)
    checked.ruleset = replace(checked.ruleset, players=(scenario.players or min(checked.ruleset.players),))
    own.checked, own.diagnostics, own.chosen, own.fewest, own.edges = checked, diagnostics, scenario.options, {}, []
    return own


Memo = dict[tuple[str, ...], tuple[object, Sequence[CallEdge]]]
"""Texts without a finding, by what they are: what they became, and what they call."""


def _memoised(check: Check) -> Check:
    """Check texts once for all scenarios of a number of players and options: of 7,400 in LDD 1,600 are distinct."""

    @wraps(check)
    def memoised(self: _Checker, *texts: Text) -> object:
        """Return what the texts became where they stood first, unless there is a finding."""
        key = (check.__name__, *(text.text for text in texts))
        known, shared = self.memo.get(key), self.shared
        if known is None or shared.names.uses is not None:  # each place is noted
            edges, shared.edges, shared.diagnostics = shared.edges, [], Diagnostics(self.diagnostics.names)
            known = check(self, *texts), shared.edges
            if not len(shared.diagnostics) and not any(map(_lacks_seat, shared.edges)):
                self.memo[key] = known
            self.diagnostics.extend(shared.diagnostics)
            shared.edges, shared.diagnostics = edges, self.diagnostics
        shared.edges += known[1]
        return known[0]

    return cast("Check", memoised)


def _lacks_seat(edge: CallEdge) -> bool:
    """Return whether a call in a scenario needs an acting seat, of which there is none."""
    return edge.you == "none" and edge.callee.uses_you


class _Checker:
    """Checks the texts of one scenario."""

    def __init__(
        self,
        shared: Shared,
        scenario: Scenario,
        diagnostics: Diagnostics,
        allowed: tuple[int, ...],
        forms: IdForms,
        memo: Memo,
    ) -> None:
        self.shared = shared
        self.allowed = allowed
        self.forms = forms
        self.memo = memo
        self.scenario = scenario
        self.diagnostics = diagnostics

    def run(self) -> ScenarioCode:
        """Check all texts of the scenario; return its code."""
        scenario = self.scenario
        self.table()
        self.lines()
        check_cites(self.shared.checked.ruleset, cited(scenario.cites), self.diagnostics)
        zones = tuple(self.zone(text, pieces, span) for text, pieces, span in scenario.zones)
        variables = [self.variable(name, value) for name, value in scenario.variables]
        code = ScenarioCode(
            scenario,
            self.diagnostics,
            zones,
            tuple(self.carried(carried, zones[carried.zone].returns) for carried in scenario.carried),
            tuple(carried for carried, _ in variables),
            tuple(room for _, room in variables),
            self.block(scenario.do) if scenario.do is not None else None,
            {
                expected.value: self.condition(expected.value)
                for line in scenario.then
                for expected in (line, *chain.from_iterable(line.ends))
                if isinstance(expected.value, Text)
            },
        )
        code = replace(code, named=frozenset(edge.callee for edge in self.shared.edges))
        ranks = self.shared.checked.ranks
        for edge in self.shared.edges:
            if ranks is not None and edge.callee is ranks[1]:
                check_ranked(self.shared, edge.span)
            if _lacks_seat(edge):
                message = f"`{edge.callee.name}` needs an acting seat, and there is none here"
                hint = "write `turn of seat(0): …` or `as seat(0): …`"
                related = [edge.callee.wants_seat] if edge.callee.wants_seat else []
                self.diagnostics.error("you-missing", message, edge.span, hint, related)
        check_given(self.shared, scenario, code.zones, self.diagnostics)
        if scenario.do is None or not self.diagnostics.has_errors:
            forms = self.forms + forms_of(self.shared.checked, Bodies(), code.procedures)
            check_patterns(self.shared.checked, scenario, forms, self.diagnostics)
        return code

    def table(self) -> None:
        """Check the number of players and the options of a scenario."""
        ruleset, scenario = self.shared.checked.ruleset, self.scenario
        (players,) = ruleset.players
        if players not in self.allowed:
            message = (
                f"the ruleset is not for {counted(players, 'player')}, but for {', '.join(map(str, self.allowed))}"
            )
            self.diagnostics.error("scenario-players", message, scenario.spans.get("players", scenario.span))
        options = {option.name: option for option in ruleset.options}
        for name, value in scenario.options.items():
            option, span = options.get(name), scenario.spans.get(name, scenario.span)
            if option is None:
                hint = suggest(name, options) or f"the options are {', '.join(options)}" if options else ""
                if variable := next((v for v in self.shared.checked.variables if v.name == name), None):
                    of = f'"seat(0).{name}"' if variable.owned else name
                    hint = f"it is a variable: write `variables: {{{of}: {plain_text(value)}}}` beside `options`"
                self.diagnostics.error("scenario-option", f"there is no option `{name}`", span, hint)
            elif value not in option.values or type(value) is not type(option.default):
                values = ", ".join(map(plain_text, option.values))
                message = f"the option `{name}` has no value `{value}`; its values are {values}"
                truth = {"yes": "true", "on": "true", "no": "false", "off": "false"}.get(str(value), str(value).strip())
                hint = f"write `{truth}`" if truth in map(plain_text, option.values) else ""
                self.diagnostics.error("scenario-option", message, span, hint)
            elif not option.suits(value, players):
                message = f"`{value}` of the option `{name}` is not for {counted(players, 'player')}"
                self.diagnostics.error("scenario-option", message, span)

    def lines(self) -> None:
        """Check the names of the score lines that the scenario looks at."""
        known = {line.name for line in self.shared.checked.scores}
        for expected in self.scenario.then:
            for line in expected.lines:
                if line.name not in known:
                    hint = suggest(line.name, sorted(known))
                    self.diagnostics.error("name-unknown", f"no score line is called `{line.name}`", line.span, hint)

    def new(self, what: str, returns: Type, span: Span) -> tuple[ProcedureSym, Context]:
        sym = ProcedureSym(f"scenario {what}", "rule", (), returns, span, hidden_you=False)
        return sym, Context(self.shared, sym)

    def function(
        self,
        what: str,
        text: Text,
        returns: Type,
        value: Callable[[Context, ast.Expr], CExpr],
        sees_all: bool = False,
    ) -> ProcedureSym:
        """Return a procedure that gives a value."""
        sym, checker = self.new(what, returns, text.span)
        sym.sees_all = sees_all
        node = parsed(parse_expression, text, self.shared)
        if isinstance(node, ast.Expr):
            result = value(checker, node)
            sym.returns = result.type if isinstance(result.type, ZoneT) else returns
            sym.body.statements = (CReturn(text.span, result),)
        return sym

    def zone(self, text: Text, pieces: Sequence[tuple[int, str]], span: Span) -> ProcedureSym:
        """Return the zone, which must hold pieces such as those that it is given."""
        sym = self.zone_alone(text)
        if isinstance(sym.returns, ZoneT):
            kind = self.shared.kind(sym.returns.kind)
            for _, piece in pieces:
                id_ = piece.partition("@")[0]
                if kind.definition(id_) is None:
                    hint = suggest(id_, [row.id for row in kind.definitions])
                    self.diagnostics.error("name-unknown", f"no {kind.name} is called `{id_}`", span, hint)
        return sym

    @_memoised
    def zone_alone(self, text: Text) -> ProcedureSym:
        """Return a zone."""
        return self.function("zone", text, ERROR, lambda c, node: zone_place(c, node, "what is given pieces"))

    @_memoised
    def condition(self, text: Text) -> ProcedureSym:
        """Return a condition of a test, which is nobody's view."""
        return self.function("then", text, BOOL, lambda c, node: c.condition(node), sees_all=True)

    def carried(self, carried: Carried, zone: Type) -> ProcedureSym:
        """Give a piece, its parameter, a value of one of its variables."""
        sym, checker = self.new("variable", VOID, carried.span)
        node = parsed(parse_expression, carried.value, self.shared)
        kind = self.shared.kind(zone.kind) if isinstance(zone, ZoneT) else None
        if kind is None or not isinstance(node, ast.Expr):
            return sym
        variables = {name: variable for name, variable in kind.variables.items() if not variable.mark}
        variable = variables.get(carried.name)
        if variable is None:
            hint = suggest(carried.name, variables) or listed(f"variables of {kind.name}", variables)
            message = f"a {kind.name} has no variable `{carried.name}`"
            self.diagnostics.error("name-unknown", message, carried.span, hint)
            return sym
        piece = checker.new_local("piece", PieceT(kind.name), carried.span)
        sym.body.parameters.append(piece)
        with checker.collect() as body:
            value = checker.value(node, variable.type, f"`{carried.name}`")
            body.append(CDo(carried.span, "set_pvar", (variable, checker.read(piece), value)))
        sym.params = ((piece.name, piece.type),)
        sym.body.statements = tuple(body)
        check_bag(self.shared, self.scenario, sym, carried.value.span)
        return sym

    @_memoised
    def variable(self, name: Text, value: Text) -> tuple[ProcedureSym, ProcedureSym]:
        """Give a variable its value; return whether it fits, once all have theirs."""
        sym, checker = self.new("variable", VOID, name.span)
        fits, _ = self.new("room", BOOL, value.span)
        fits.body.statements = (CReturn(value.span, const(1, BOOL, value.span)),)
        target, new = (parsed(parse_expression, part, self.shared) for part in (name, value))
        if isinstance(target, ast.NameExpr) and isinstance(new, ast.SetLiteral) and self.of_players(target.name):
            told = ", ".join(f'"seat({seat}).{target.name}": …' for seat in range(len(new.elements)))
            message = f"each player has a `{target.name}`, which is given on its own"
            self.diagnostics.error("you-missing", message, name.span, f"write `{told}`")
        elif isinstance(target, ast.Expr) and isinstance(new, ast.Expr):
            with checker.collect() as body:
                room = give(checker, ast.Assign(target.span, target, ":=", new, None))
            sym.body.statements = tuple(body)
            check_bag(self.shared, self.scenario, sym, value.span)
            if room is not None:
                fits.body.statements = (CReturn(value.span, room),)
        return sym, fits

    def of_players(self, name: str) -> bool:
        """Return whether a variable is one of each player."""
        variable = next((v for v in self.shared.checked.variables if v.name == name), None)
        return variable is not None and variable.per == (PLAYER,)

    @_memoised
    def block(self, text: Text) -> ProcedureSym:
        """Check a block of a scenario as a rule without parameters, and return it."""
        sym, checker = self.new("do", VOID, text.span)
        node = parsed(parse_block, text, self.shared)
        if isinstance(node, ast.Block):
            sym.body.statements = checker.block(node)
        return sym
