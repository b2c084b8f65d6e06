"""The one layout of `.rule` files.

Enters: a text, or nodes of `ast`. Leaves: text that parses to the same tree. Two spaces for each level, one blank line
between declarations, at most one between statements, comments kept, a block on the line of its header when it is one
simple statement and was written so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from rulelang.diagnostics import Diagnostics, RulesetError, Source
from rulelang.syntax import ast
from rulelang.syntax.layout import STEP, WIDTH, Below, Doc, Writer, bracket, chain, deeper, flat
from rulelang.syntax.parser import parse_piece_text, parse_rule_text, parse_scan, scan_rule_file
from rulelang.syntax.print_values import (
    POSTFIX,
    SUM,
    VALUE,
    arguments,
    filtered,
    numbers,
    purses,
    quantity,
    type_text,
    value,
)
from rulelang.syntax.scan import Place, scan
from rulelang.syntax.words import DECLARATION_WORDS

_ONE_LINERS = (
    ast.Function,
    ast.QuantityDecl,
    ast.AbilityValue,
    ast.ImplementValue,
    ast.Score,
    ast.Winner,
    ast.Tie,
    ast.Payoff,
    ast.Modifier,
    ast.Exchange,
    ast.PieceScore,
    ast.Removal,
)
_COMPOUND = (ast.If, ast.For, ast.While, ast.Repeat, ast.AsBlock, ast.Scope, ast.Step, ast.Menu)


def format_source(text: str) -> str:
    """Format the text of a `.rule` file. Idempotent: formatted text is not changed.

    Raises:
        RulesetError: the text has syntax errors.
    """
    diagnostics = Diagnostics()
    source = Source("", text)
    cut = scan_rule_file(source, diagnostics)
    declarations = parse_scan(Place(source), cut, diagnostics)
    if diagnostics.has_errors:
        raise RulesetError(diagnostics)
    return _laid_out(declarations, Writer(cut))


def format_rule_text(place: Place, text: str, piece: bool, diagnostics: Diagnostics) -> str | None:
    """Format rule text embedded in YAML, without its indentation; None if it has errors.

    `piece` says that it is the rule text of a piece.
    """
    cut = scan(place, text, diagnostics, DECLARATION_WORDS)
    parse = parse_piece_text if piece else parse_rule_text
    findings = Diagnostics()
    declarations = parse(place, text, findings)
    diagnostics.extend(findings)
    return None if findings.has_errors else _laid_out(declarations, Writer(cut, WIDTH - place.indent), piece)


def _laid_out(declarations: Sequence[ast.Declaration], writer: Writer, piece: bool = False) -> str:
    """Write declarations with blank lines between them; one-liners and rule text of pieces keep the source's blank
    lines."""
    printer = _Printer(writer)
    before: ast.Declaration | None = None
    for declaration in declarations:
        cited = isinstance(declaration, ast.Cited) and declaration.citations
        together = piece or (_is_one_line(before) and _is_one_line(declaration) and not cited)
        writer.separate(None if together or before is None else True)
        printer.declaration(declaration, 0)
        before = declaration
    return writer.text()


def print_declaration(node: ast.Declaration) -> str:
    """Return the formatted source of one declaration, without a final line end."""
    printer = _Printer(Writer())
    printer.declaration(node, 0)
    return printer.writer.text().rstrip("\n")


def print_statement(node: ast.Statement) -> str:
    """Return the formatted source of one statement and its blocks, without a final line end."""
    printer = _Printer(Writer())
    printer.statement(node, 0)
    return printer.writer.text().rstrip("\n")


def print_expression(node: ast.Expr) -> str:
    """Return the source of an expression on one line."""
    return flat(value(node))


class _Printer:
    def __init__(self, writer: Writer) -> None:
        self.writer = writer

    # ---- blocks --------------------------------------------------------------------------------

    def block(self, header: Doc, line: int, block: ast.Block, level: int) -> None:
        """Write a header with its block, on one line if the source has it so and it fits; `line` is the header's source
        line."""
        first = block.statements[0]
        if len(block.statements) == 1 and not _is_compound(first) and self.writer.same_line(line, first.span.line):
            whole = (header, ": ", _simple(first))
            if len(flat(whole)) <= self.writer.width - level * len(STEP):
                self.writer.write(whole, level, line)
                return
        self.writer.write((deeper(header, 2), ":"), level, line)
        self.writer.separate(False)
        for statement in block.statements:
            self.statement(statement, level + 1)
        if not self.writer.same_line(line, first.span.line):
            self.writer.end_block(level + 1, first.span.column)

    def alternative(self, header: Doc, block: ast.Block, level: int) -> None:
        """Write an `else` with its block, on the source line before the block."""
        self.writer.separate(False)
        first, line = block.statements[0], block.span.line
        cites = first.citations if isinstance(first, ast.Cited) else ()
        self.block(
            header, self.writer.header_line(cites[0].span.line if cites else line, block.span.column), block, level
        )

    def cites(self, node: ast.Node, level: int) -> None:
        """Write the citations of a node in brackets on lines above it."""
        if isinstance(node, ast.Cited) and node.citations:
            spans = (f"{c.first}" if c.first == c.last else f"{c.first}-{c.last}" for c in node.citations)
            texts = [f"{c.source}:{span}" for c, span in zip(node.citations, spans, strict=True)]
            room = self.writer.width - level * len(STEP) - len("[]")
            for row in wrap(", ".join(texts), room, break_long_words=False, break_on_hyphens=False):
                self.writer.write(f"[{row.rstrip(',')}]", level, node.citations[0].span.line)
                self.writer.separate(False)

    # ---- statements ----------------------------------------------------------------------------

    def statement(self, node: ast.Statement, level: int) -> None:
        """Write a statement with its blocks."""
        self.cites(node, level)
        line = node.span.line
        match node:
            case ast.If():
                self._if(node, level)
            case ast.For(name=name, collection=collection, body=body):
                self.block((f"for {name.text} in ", value(collection)), line, body, level)
            case ast.While(condition=condition, body=body):
                self.block(("while ", value(condition, VALUE)), line, body, level)
            case ast.Repeat(times=times, body=body):
                self.block(("repeat ", value(times, SUM), " times") if times else "repeat", line, body, level)
            case ast.AsBlock(seat=seat, body=body):
                self.block(("as ", value(seat, VALUE)), line, body, level)
            case ast.Scope(kind=kind, seat=seat, name=name, body=body):
                subject = (" of ", value(seat, VALUE)) if seat else f" {name.text}" if name else ""
                self.block((kind, subject), line, body, level)
            case ast.Step(name=name, body=body):
                self.block(f"step {name.text}", line, body, level)
            case ast.Pay(cost=cost, purses=payers, paid=paid, unpaid=unpaid) if paid and unpaid:
                self.block(("pay ", value(cost, VALUE), " from ", purses(payers)), line, paid, level)
                self.alternative("else", unpaid, level)
            case ast.Menu():
                self._menu(node, level)
            case _:
                self.writer.write(_simple(node), level, line)

    def _if(self, node: ast.If, level: int) -> None:
        """Write an `if` with its `else if` and `else` branches."""
        word, line = "if ", node.span.line
        for condition, body in node.branches:
            if word == "else if ":
                self.writer.separate(False)
            if isinstance(condition, ast.IfSome):
                test: Doc = (f"some {condition.name.text} = ", value(condition.value))
            else:
                test = value(condition)
            self.block((word, test), line if word == "if " else condition.span.line, body, level)
            word = "else if "
        if node.otherwise:
            self.alternative("else", node.otherwise, level)

    def _menu(self, node: ast.Menu, level: int) -> None:
        """Write a `choose` menu with its items and `else`."""
        words = "anyway " * node.anyway + "secretly " * node.secretly + "choose"
        name = f" {node.name.text}" if node.name else ""
        by = (" by ", value(node.by, POSTFIX)) if node.by else ""
        self.writer.write((words, name, by, ":"), level, node.span.line)
        self._items(node.items, level + 1)
        if node.otherwise:
            self.alternative("else", node.otherwise, level + 1)
        self.writer.end_block(level + 1, node.items[0].span.column)

    def _items(self, items: Iterable[ast.MenuItem], level: int) -> None:
        """Write the items of a menu."""
        self.writer.separate(False)
        for item in items:
            self.cites(item, level)
            binders = bracket("(", [_binder(binder) for binder in item.binders], ")") if item.binders else ""
            header = _guarded((item.name.text, binders), item.guard, _limit(item.limit))
            self.block(header, item.span.line, item.body, level)

    # ---- declarations --------------------------------------------------------------------------

    def declaration(self, node: ast.Declaration, level: int) -> None:
        """Write a declaration with its blocks."""
        self.cites(node, level)
        line = node.span.line
        match node:
            case ast.Setup(body=body):
                self.block("setup", line, body, level)
            case ast.Play(body=body):
                self.block("play", line, body, level)
            case ast.Rule(name=name, params=params, returns=returns, depth=depth, body=body):
                self.block((f"rule {name.text}", _params(params), _returns(returns), _depth(depth)), line, body, level)
            case ast.Event(name=name, params=params, depth=depth, body=body):
                self.block((f"event {name.text}", _params(params), _depth(depth)), line, body, level)
            case ast.Ability(name=name, params=params, returns=returns, depth=depth, body=body):
                ends = (_returns(returns), _depth(depth))
                self.block((f"ability {name.text}", _params(params), *ends), line, body, level)
            case ast.Handler(timing=timing, event=event, params=names, body=body):
                head = (f"{'may ' * node.optional}{timing} {event.text}", _names(names), _whose(node.whose))
                self.block(_guarded(head, node.guard, _limit(node.limit)), line, body, level)
            case ast.StepChange(timing=timing, body=body) if body is not None:
                self.block(f"{timing} {_step(node)}", line, body, level)
            case ast.Implement(ability=ability, params=names, body=body):
                self.block((f"on {ability.text}", _names(names)), line, body, level)
            case ast.ExchangeGroup(name=name, params=params, purse=purse):
                times: tuple[Doc, ...] = (" at most ", value(node.times, SUM), " times") if node.times else ()
                origin = (" from ", value(purse, VALUE), *times)
                self.writer.write((f"exchanges {name.text}", _params(params), *origin, ":"), level, line)
                self.writer.separate(False)
                for exchange in node.exchanges:
                    self.declaration(exchange, level + 1)
                self.writer.end_block(level + 1, node.exchanges[0].span.column)
            case ast.Offer(menu=menu, items=items):
                self.writer.write(f"offer in {menu.text}:", level, line)
                self._items(items, level + 1)
                self.writer.end_block(level + 1, items[0].span.column)
            case ast.Modifier(lets=lets, value=body) if lets:
                self.writer.write((deeper(_heading(node), 2), ":"), level, line)
                self.writer.separate(False)
                for let in lets:
                    self.statement(let, level + 1)
                self.writer.write((f"{node.layer} ", value(body, VALUE)), level + 1, body.span.line)
                self.writer.end_block(level + 1, lets[0].span.column)
            case ast.Giving() | ast.Score() | ast.Payoff() | ast.PieceScore() if isinstance(node.value, ast.Block):
                self.block(_heading(node), line, node.value, level)
            case _:
                self.writer.write(_declared(node), level, line)


def _heading(node: ast.Declaration) -> Doc:
    """Return the document of a declaration up to its value."""
    match node:
        case ast.Giving():
            return (f"{node.word} {node.name.text}", _params(node.params), _returns(node.returns))
        case ast.Score(name=name):
            return f"score {name.text}"
        case ast.PieceScore():
            return "scores"
        case ast.Payoff():
            return "payoff"
        case ast.Modifier(quantity=name, params=names, guard=guard, priority=priority):
            order = f" priority {priority}" if priority else ""
            head = (f"modify {name.text}", _names(names), _whose(node.whose))
            return _guarded(head, guard, order)
    raise TypeError(f"no declaration with a value: {node!r}")


def _declared(node: ast.Declaration) -> Doc:
    """Return the document of a declaration that fits on one logical line."""
    match node:
        case ast.Version(number=number):
            return f"rulelang {number}"
        case ast.Giving(value=ast.Expr() as body):
            return (_heading(node), " =", Below(value(body, VALUE)))
        case ast.Score(value=ast.Expr() as body) | ast.PieceScore(value=ast.Expr() as body):
            return (_heading(node), ":", Below(value(body, VALUE)))
        case ast.ImplementValue(ability=name, params=names, value=body):
            return (f"on {name.text}", _names(names), " =", Below(value(body, VALUE)))
        case ast.Winner(ranking=ranking, value=body):
            return ("winner:", Below((f"{ranking} ", deeper(value(body, VALUE)))))
        case ast.Tie(breaks=breaks):
            first, *rest = (_tiebreak(tie) for tie in breaks)
            return ("tie: ", first, *((", then ", tie) for tie in rest))
        case ast.Payoff(value=ast.Expr() as body):
            return (_heading(node), ":", Below(value(body, VALUE)))
        case ast.Modifier(layer=layer, value=body):
            return (deeper(_heading(node), 2), f": {layer} ", deeper(value(body, VALUE)))
        case ast.Exchange(name=name, group=group, guard=guard, limit=limit, cost=cost, gain=gain):
            home = f" in {group.text}" if group else ""
            head = _guarded(f"exchange {name.text}{home}", guard, _limit(limit))
            return (deeper(head, 2), ": ", value(cost, VALUE), " -> ", deeper(value(gain)))
        case ast.StepChange(timing=timing):
            return f"{timing} {_step(node)}"
        case ast.Removal(category=category, name=removed, group=group):
            subject = f" {removed.text}" if removed else ""
            return f"remove {category}{subject}" + (f" in {group.text}" if group else "")
    raise TypeError(f"no declaration: {node!r}")


def _step(node: ast.StepChange) -> str:
    """Return the text `step NAME of RULE`."""
    return f"step {node.step.text}" + (f" of {node.rule.text}" if node.rule else "")


def _simple(node: ast.Statement) -> Doc:
    """Return the document of a statement without blocks."""
    match node:
        case ast.Let(name=name, value=bound, leave=leave):
            return (f"let {name.text} =", Below(value(bound)), *((" else ", _simple(leave)) if leave else ()))
        case ast.Assign(target=target, op=op, value=bound, leave=leave, by=by):
            asked = (" by ", value(by, POSTFIX)) if by else ()
            left = (" else ", _simple(leave)) if leave else ()
            return (value(target, POSTFIX), f" {op}", Below(value(bound)), *asked, *left)
        case ast.Move(what=what, to=to, at_bottom=at_bottom, secretly=secretly):
            tail = " at bottom" * at_bottom + " secretly" * secretly
            # A filter or choice reads better in parentheses: its last words would run into `to`.
            return ("move ", value(what, SUM), " to ", value(to, POSTFIX), tail)
        case ast.Draw(count=count, pile=pile, to=to, secretly=secretly):
            route = (" from ", value(pile, POSTFIX), " to ", value(to, POSTFIX))
            return ("draw ", value(count, SUM), route, " secretly" * secretly)
        case ast.Shuffle(pile=pile):
            return ("shuffle ", value(pile, POSTFIX))
        case ast.CallStatement(call=call):
            return value(call)
        case ast.Return(value=returned):
            return ("return ", deeper(value(returned))) if returned else "return"
        case ast.Stop():
            return "stop"
        case ast.Pass():
            return "pass"
        case ast.Proceed(arguments=given):
            return ("proceed", arguments(given)) if given is not None else "proceed"
        case ast.Never():
            return "never"
        case ast.Require(condition=condition):
            return ("require ", deeper(value(condition, VALUE)))
        case ast.EndGame(after=after, won_by=won_by, drawn=drawn, amounts=amounts):
            when = f" after this {after}" if after else ""
            how = (" won by ", value(won_by, VALUE)) if won_by else " drawn" * drawn
            return ("end the game", when, (" with ", value(amounts, VALUE)) if amounts else how)
        case ast.Mark(target=target, moment=moment, event=event, seat=seat):
            whose = (" of ", value(seat, POSTFIX)) if seat else ""
            return ("mark ", value(target, POSTFIX), f" until {moment} {event.text}", whose)
        case ast.Eliminate(seat=seat):
            return ("eliminate ", value(seat, POSTFIX))
        case ast.Reveal(value=shown, to=to):
            return ("reveal ", deeper(value(shown, VALUE)), (" to ", deeper(value(to, VALUE))) if to else "")
        case ast.Arrange(zone=zone, variable=variable, condition=condition):
            return deeper(filtered(("arrange ", value(zone, SUM), f" by {variable.text}"), condition))
        case ast.Trade(group=group, arguments=given):
            return (f"trade {group.text}", arguments(given))
        case ast.Pay(cost=cost, purses=payers):
            return ("pay ", value(cost, VALUE), " from ", purses(payers))
    raise TypeError(f"no statement: {node!r}")


def _is_one_line(node: ast.Declaration | None) -> bool:
    """Return whether a declaration is a one-liner: no blank line separates it from another one."""
    if isinstance(getattr(node, "value", None), ast.Block) or getattr(node, "lets", None):
        return False
    return isinstance(node, _ONE_LINERS) or (isinstance(node, ast.StepChange) and node.body is None)


def _is_compound(node: ast.Statement) -> bool:
    """Return whether a statement has blocks of its own."""
    return isinstance(node, _COMPOUND) or (isinstance(node, ast.Pay) and node.paid is not None)


def _binder(node: ast.Binder) -> Doc:
    """Return the document of a binder of a menu item."""
    match node:
        case ast.Let(name=name, value=bound):
            return (f"let {name.text} = ", value(bound, VALUE))
        case ast.BindEach(name=name, collection=collection):
            return (f"{name.text} in ", value(collection, VALUE))
        case ast.BindNumber(name=name):
            return (f"{name.text} from ", numbers(node))
        case ast.BindAmount(name=name, amount=amount, collection=collection):
            return (f"{name.text} = ", quantity(amount), " of ", value(collection, VALUE))
        case ast.BindPayment(cost=cost, purses=payers):
            return ("paying ", value(cost, VALUE), " from ", purses(payers))


def _tiebreak(node: ast.TieBreak) -> Doc:
    """Return the document of one criterion of a tie."""
    return (f"{node.ranking} ", value(node.value, VALUE)) if node.value else node.ranking


def _params(params: tuple[ast.Param, ...]) -> Doc:
    """Return the document of declared parameters with their types."""
    items = [f"{param.name.text}: {type_text(param.type)}" for param in params]
    return bracket("(", items, ")") if items else ""


def _names(names: tuple[ast.Name, ...]) -> Doc:
    """Return the document of a list of names in parentheses; empty without names."""
    return bracket("(", [name.text for name in names], ")") if names else ""


def _returns(node: ast.TypeNode | None) -> Doc:
    """Return the document ` -> TYPE`; empty without a type."""
    return f" -> {type_text(node)}" if node else ""


def _depth(depth: int | None) -> str:
    """Return the text of a recursion limit; empty without one."""
    return f" up to {depth} deep" if depth is not None else ""


def _whose(node: ast.Whose | None) -> Doc:
    """Return the document ` for SEAT`, optionally with `as PARAMETER`; empty if absent."""
    if node is None:
        return ""
    return (" for ", value(node.seat, VALUE), f" as {node.parameter.text}" if node.parameter else "")


def _guarded(head: Doc, guard: ast.Expr | None, limit: str) -> Doc:
    """Return a head followed by its `when` condition, if any, and its limit."""
    return chain(head, ("when ", value(guard, VALUE), limit)) if guard else (head, limit)


def _limit(node: ast.Limit | None) -> str:
    """Return the text of a limit: ` once per turn`, ` 2 times per round`."""
    if node is None:
        return ""
    return f" once per {node.scope}" if node.times == 1 else f" {node.times} times per {node.scope}"
