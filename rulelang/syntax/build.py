"""Tree to syntax tree: statements and declarations.

Enters: Lark's tree of one chunk. Leaves: `Declaration`, `Block`, `Expr` or `TypeNode`, with spans in the real file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, cast

from rulelang.diagnostics import Span
from rulelang.limits import DEPTH
from rulelang.syntax import ast
from rulelang.syntax.build_expressions import ExpressionBuilder

if TYPE_CHECKING:
    from lark import Token, Tree

    from rulelang.syntax.build_expressions import Branch, Child

_WRAPPERS = frozenset({"block", "elif", "arguments", "entry", "exactly", "some_of", "params", "param"})


def too_deep(tree: Tree[Token]) -> Tree[Token] | None:
    """The first value or statement that lies more than `DEPTH` deep: later stages recurse, and so does this one."""
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > DEPTH and not node.meta.empty:
            return node
        inner = depth + (str(node.data) not in _WRAPPERS)
        # Each `else if` stands in the `else` of the one before.
        chained = node.data == "if"
        pending += [
            (part, inner + chained * max(index - 1, 0))
            for index, part in reversed([*enumerate(node.children)])
            if not (part is None or isinstance(part, str))
        ]
    return None


class Builder(ExpressionBuilder):
    """Builds everything of one source; a method is named as the rule of the grammar whose tree it takes."""

    # ---- statements ----------------------------------------------------------------------------

    def block(self, child: Child) -> ast.Block:
        """`block` or `block_text`; the span is that of its statements."""
        statements = tuple(self.statement(part) for part in cast("Branch", child).children)
        return ast.Block(statements[0].span.to(statements[-1].span), statements)

    def optional_block(self, child: Child) -> ast.Block | None:
        """A block that may have been left out."""
        return None if child is None else self.block(child)

    def statement(self, child: Child) -> ast.Statement:
        """Any statement."""
        tree = cast("Branch", child)
        method: Callable[[Branch, Span], ast.Statement] = getattr(self, f"_do_{tree.data}")
        return method(tree, self.span(tree))

    def _do_let(self, tree: Branch, span: Span) -> ast.Statement:
        name, value, leave = tree.children
        otherwise = self.statement(leave) if leave else None
        return ast.Let(span, self.new_name(name), self.value(value), otherwise)

    def _do_assign(self, tree: Branch, span: Span) -> ast.Statement:
        target, sign, value, leave = tree.children
        otherwise = self.statement(leave) if leave else None
        return ast.Assign(span, self.value(target), self.word(sign), self.value(value), otherwise)

    def _do_assign_by(self, tree: Branch, span: Span) -> ast.Statement:
        target, sign, value, by, leave = tree.children
        otherwise = self.statement(leave) if leave else None
        return ast.Assign(span, self.value(target), self.word(sign), self.value(value), otherwise, self.value(by))

    def _do_move(self, tree: Branch, span: Span) -> ast.Statement:
        what, to, end, secretly = tree.children
        return ast.Move(span, self.value(what), self.value(to), self.word(end) if end else None, bool(secretly))

    def _do_draw(self, tree: Branch, span: Span) -> ast.Statement:
        count, pile, to, secretly = tree.children
        return ast.Draw(span, self.value(count), self.value(pile), self.value(to), bool(secretly))

    def _do_shuffle(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Shuffle(span, self.value(tree.children[0]))

    def _do_call_statement(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.CallStatement(span, self.call(tree.children[0]))

    def _do_return(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Return(span, self.optional(tree.children[0]))

    def _do_stop(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Stop(span)

    def _do_pass(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Pass(span)

    def _do_require(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Require(span, self.value(tree.children[0]))

    def _do_end_game(self, tree: Branch, span: Span) -> ast.Statement:
        deferral, outcome = (cast("Branch | None", child) for child in tree.children)
        after = self.word(deferral) if deferral else None
        won_by = self.value(outcome.children[0]) if outcome and outcome.children else None
        return ast.EndGame(span, after, won_by, outcome is not None and not outcome.children)

    def _do_end_block(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.EndBlock(span, self.word(tree.children[0]))

    def _do_mark(self, tree: Branch, span: Span) -> ast.Statement:
        target, moment, event, seat = tree.children
        return ast.Mark(span, self.value(target), self.word(moment), self.name(event), self.optional(seat))

    def _do_unmark(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Unmark(span, self.value(tree.children[0]))

    def _do_eliminate(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Eliminate(span, self.value(tree.children[0]))

    def _do_reveal(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Reveal(span, self.value(tree.children[0]), self.optional(tree.children[1]))

    def _do_arrange(self, tree: Branch, span: Span) -> ast.Statement:
        zone, variable, condition = tree.children
        return ast.Arrange(span, self.value(zone), self.name(variable), self.optional(condition))

    def _do_trade(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Trade(span, self.name(tree.children[0]), self.arguments(tree.children[1]))

    def _do_pay_simple(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Pay(span, self.value(tree.children[0]), self.purses(tree.children[1]), None, None)

    def _do_pay(self, tree: Branch, span: Span) -> ast.Statement:
        cost, purses, paid, unpaid = tree.children
        return ast.Pay(span, self.value(cost), self.purses(purses), self.block(paid), self.block(unpaid))

    def condition(self, child: Child) -> ast.Expr | ast.IfSome:
        """What stands after `if`."""
        tree = cast("Branch", child)
        if tree.data == "if_some":
            return ast.IfSome(self.span(tree), self.new_name(tree.children[0]), self.value(tree.children[1]))
        return self.value(tree)

    def _do_if(self, tree: Branch, span: Span) -> ast.Statement:
        condition, body, *rest, otherwise = tree.children
        pairs = [(condition, body), *(cast("Branch", child).children for child in rest)]
        branches = tuple((self.condition(test), self.block(block)) for test, block in pairs)
        return ast.If(span, branches, self.optional_block(otherwise))

    def _do_for(self, tree: Branch, span: Span) -> ast.Statement:
        name, collection, body = tree.children
        return ast.For(span, self.new_name(name), self.value(collection), self.block(body))

    def _do_while(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.While(span, self.value(tree.children[0]), self.block(tree.children[1]))

    def _do_repeat(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Repeat(span, None, self.block(tree.children[0]))

    def _do_repeat_n(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.Repeat(span, self.value(tree.children[0]), self.block(tree.children[1]))

    def _do_as_block(self, tree: Branch, span: Span) -> ast.Statement:
        return ast.AsBlock(span, self.value(tree.children[0]), self.block(tree.children[1]))

    def _do_turn(self, tree: Branch, span: Span) -> ast.Statement:
        seat, cites, body = tree.children
        return ast.Scope(span, "turn", self.value(seat), None, self.citations(cites), self.block(body))

    def _do_round(self, tree: Branch, span: Span) -> ast.Statement:
        cites, body = tree.children
        return ast.Scope(span, "round", None, None, self.citations(cites), self.block(body))

    def _do_phase(self, tree: Branch, span: Span) -> ast.Statement:
        name, cites, body = tree.children
        return ast.Scope(span, "phase", None, self.name(name), self.citations(cites), self.block(body))

    def _do_step(self, tree: Branch, span: Span) -> ast.Statement:
        name, cites, body = tree.children
        return ast.Step(span, self.name(name), self.citations(cites), self.block(body))

    def _do_menu(self, tree: Branch, span: Span) -> ast.Statement:
        anyway, secretly, name, by, cites, *items, otherwise = tree.children
        return ast.Menu(
            span,
            self.name(name) if name else None,
            self.optional(by),
            bool(anyway),
            bool(secretly),
            self.citations(cites),
            tuple(self.menu_item(item) for item in items),
            self.optional_block(otherwise),
        )

    def menu_item(self, child: Child) -> ast.MenuItem:
        """One item of a menu or an offer."""
        tree = cast("Branch", child)
        name, binders, guard, limit, cites, body = tree.children
        bound = tuple(self.binder(binder) for binder in _present(binders))
        return ast.MenuItem(
            self.span(tree),
            self.name(name),
            bound,
            self.optional(guard),
            self.limit(limit),
            self.citations(cites),
            self.block(body),
        )

    def binder(self, tree: Branch) -> ast.Binder:
        """One binder of a menu item."""
        span, name, parts = self.span(tree), self.new_name(tree.children[0]), tree.children
        match tree.data:
            case "bind_each":
                return ast.BindEach(span, name, self.value(parts[1]))
            case "bind_number":
                return ast.BindNumber(span, name, self.value(parts[1]), self.value(parts[2]))
        return ast.BindAmount(span, name, self.quantity(parts[1]), self.value(parts[2]))

    # ---- declarations --------------------------------------------------------------------------

    def declaration(self, tree: Branch) -> ast.Declaration:
        """Any declaration."""
        method: Callable[[Branch, Span], ast.Declaration] = getattr(self, f"_declare_{tree.data}")
        return method(tree, self.span(tree))

    def params(self, child: Child) -> tuple[ast.Param, ...]:
        """Parameters with their types."""
        return tuple(
            ast.Param(self.span(tree), self.new_name(name), self.type(kind))
            for tree in _present(child)
            for name, kind in [tree.children]
        )

    def names(self, child: Child) -> tuple[ast.Name, ...]:
        """Parameters whose types the event, ability or quantity gives."""
        return tuple(self.new_name(name) for name in cast("Branch", child).children if name is not None)

    def returns(self, child: Child) -> ast.TypeNode | None:
        """A type that may have been left out."""
        return None if child is None else self.type(child)

    def limit(self, child: Child) -> ast.Limit | None:
        """`once per turn`, `2 times per turn`, or nothing."""
        if child is None:
            return None
        tree = cast("Branch", child)
        *times, scope = tree.children
        return ast.Limit(self.span(tree), int(str(times[0])) if times else 1, self.word(scope))

    def _declare_version(self, tree: Branch, span: Span) -> ast.Declaration:
        return ast.Version(span, int(str(tree.children[0])))

    def _declare_setup(self, tree: Branch, span: Span) -> ast.Declaration:
        return ast.Setup(span, self.citations(tree.children[0]), self.block(tree.children[1]))

    def _declare_play(self, tree: Branch, span: Span) -> ast.Declaration:
        return ast.Play(span, self.citations(tree.children[0]), self.block(tree.children[1]))

    def _declare_rule(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, returns, depth, cites, body = tree.children
        return ast.Rule(
            span,
            self.new_name(name),
            self.params(params),
            self.returns(returns),
            int(str(depth)) if depth else None,
            self.citations(cites),
            self.block(body),
        )

    def _declare_function(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, returns, cites, value = tree.children
        return ast.Function(
            span, self.new_name(name), self.params(params), self.type(returns), self.citations(cites), self.value(value)
        )

    def _declare_quantity(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, returns, cites, value = tree.children
        return ast.QuantityDecl(
            span, self.new_name(name), self.params(params), self.type(returns), self.citations(cites), self.value(value)
        )

    def _declare_event(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, cites, body = tree.children
        return ast.Event(span, self.new_name(name), self.params(params), self.citations(cites), self.block(body))

    def _declare_ability(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, returns, cites, body = tree.children
        return ast.Ability(
            span,
            self.new_name(name),
            self.params(params),
            self.returns(returns),
            self.citations(cites),
            self.block(body),
        )

    def _declare_ability_value(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, returns, cites, value = tree.children
        return ast.AbilityValue(
            span, self.new_name(name), self.params(params), self.type(returns), self.citations(cites), self.value(value)
        )

    def _declare_score(self, tree: Branch, span: Span) -> ast.Declaration:
        name, cites, value = tree.children
        return ast.Score(span, self.name(name), self.citations(cites), self.value(value))

    def _declare_winner(self, tree: Branch, span: Span) -> ast.Declaration:
        cites, ranking, value = tree.children
        return ast.Winner(span, self.word(ranking), self.citations(cites), self.value(value))

    def _declare_tie(self, tree: Branch, span: Span) -> ast.Declaration:
        cites, *breaks = tree.children
        return ast.Tie(span, self.citations(cites), tuple(self.tiebreak(cast("Branch", child)) for child in breaks))

    def tiebreak(self, tree: Branch) -> ast.TieBreak:
        """`most value`, `fewest value` or `shared`."""
        if tree.data == "tie_shared":
            return ast.TieBreak(self.span(tree), "shared", None)
        return ast.TieBreak(self.span(tree), self.word(tree.children[0]), self.value(tree.children[1]))

    def _declare_payoff(self, tree: Branch, span: Span) -> ast.Declaration:
        return ast.Payoff(span, self.citations(tree.children[0]), self.value(tree.children[1]))

    def _declare_group(self, tree: Branch, span: Span) -> ast.Declaration:
        name, params, purse, times, cites, *children = tree.children
        return ast.ExchangeGroup(
            span,
            self.name(name),
            self.params(params),
            self.value(purse),
            self.optional(times),
            self.citations(cites),
            tuple(self.exchange(cast("Branch", child)) for child in children),
        )

    def exchange(self, tree: Branch) -> ast.Exchange:
        """One exchange, in a group or by itself."""
        name, group, guard, limit, cites, cost, gain = tree.children
        return ast.Exchange(
            self.span(tree),
            self.name(name),
            self.name(group) if group else None,
            self.optional(guard),
            self.limit(limit),
            self.citations(cites),
            self.value(cost),
            self.value(gain),
        )

    def _declare_exchange(self, tree: Branch, span: Span) -> ast.Declaration:
        return self.exchange(tree)

    def _declare_handler(self, tree: Branch, span: Span) -> ast.Declaration:
        timing, event, names, guard, limit, cites, body = tree.children
        return ast.Handler(
            span,
            self.word(timing),
            self.name(event),
            self.names(names),
            self.optional(guard),
            self.limit(limit),
            self.citations(cites),
            self.block(body),
        )

    def _declare_step_change(self, tree: Branch, span: Span) -> ast.Declaration:
        timing, step, rule, cites, body = tree.children
        return ast.StepChange(
            span, self.word(timing), self.name(step), self._optional_name(rule), self.citations(cites), self.block(body)
        )

    def _declare_remove_step(self, tree: Branch, span: Span) -> ast.Declaration:
        step, rule, cites = tree.children
        return ast.StepChange(span, "remove", self.name(step), self._optional_name(rule), self.citations(cites), None)

    def _declare_remove_exchange(self, tree: Branch, span: Span) -> ast.Declaration:
        name, group, cites = tree.children
        return ast.Removal(span, "exchange", self.name(name), self.name(group), self.citations(cites))

    def _declare_remove_named(self, tree: Branch, span: Span) -> ast.Declaration:
        category, name, cites = tree.children
        return ast.Removal(span, self.word(category), self.name(name), None, self.citations(cites))

    def _declare_remove_once(self, tree: Branch, span: Span) -> ast.Declaration:
        category, cites = tree.children
        return ast.Removal(span, self.word(category), None, None, self.citations(cites))

    def _optional_name(self, child: Child) -> ast.Name | None:
        return None if child is None else self.name(child)

    def _declare_modifier(self, tree: Branch, span: Span) -> ast.Declaration:
        quantity, names, guard, priority, cites, layer, value = tree.children
        return ast.Modifier(
            span,
            self.name(quantity),
            self.names(names),
            self.optional(guard),
            int(str(priority)) if priority else 0,
            self.word(layer),
            self.citations(cites),
            self.value(value),
        )

    def _declare_offer(self, tree: Branch, span: Span) -> ast.Declaration:
        menu, *items = tree.children
        return ast.Offer(span, self.name(menu), tuple(self.menu_item(item) for item in items))

    def _declare_implement(self, tree: Branch, span: Span) -> ast.Declaration:
        name, names, cites, body = tree.children
        return ast.Implement(span, self.name(name), self.names(names), self.citations(cites), self.block(body))

    def _declare_implement_value(self, tree: Branch, span: Span) -> ast.Declaration:
        name, names, cites, value = tree.children
        return ast.ImplementValue(span, self.name(name), self.names(names), self.citations(cites), self.value(value))

    def _declare_piece_score(self, tree: Branch, span: Span) -> ast.Declaration:
        return ast.PieceScore(span, self.citations(tree.children[0]), self.value(tree.children[1]))


def _present(child: Child) -> Iterator[Branch]:
    """The parts of an optional list."""
    return (cast("Branch", part) for part in cast("Branch", child).children if part is not None)
