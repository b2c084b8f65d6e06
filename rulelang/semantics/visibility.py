"""What a seat is asked, and whether it is asked, may depend only on what that seat sees.

Every value gets a label that says who may know it (`labelling`). Labels follow values through locals and calls, and
conditions label what happens under them; at each decision the labels must admit the seat that is asked. What all see is
written only from what all see or a player who acts sees, who makes it public so; `reveal` and moves show it to those
who see it then. Seats are told apart by how they were computed, so the check errs on the strict side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from rulelang.diagnostics import Span
from rulelang.semantics import core
from rulelang.semantics.base import Shared, declared_visible, source_text, zone_symbol
from rulelang.semantics.core import CExpr, CStatement, Local, expressions
from rulelang.semantics.flow import leading_to, walk
from rulelang.semantics.labelling import (
    LABELS,
    Walk,
    bind,
    key_of,
    known_truth,
    label_of,
    labels_of,
    narrowed,
    presence,
    presence_in,
    rows_of,
    sight,
)
from rulelang.semantics.labels import (
    NOBODY,
    PUBLIC,
    End,
    Env,
    Key,
    Known,
    Label,
    Pair,
    Renaming,
    all_but,
    declassified,
    holds_pieces,
    join,
    meet,
    only,
    shown_on_all,
)
from rulelang.semantics.rows import RowFinder
from rulelang.semantics.seers import note_seers
from rulelang.semantics.symbols import Bodies, Checked, ProcedureSym, Secrets, VariableSym
from rulelang.semantics.types import PieceT, PlayerT, ReactionT, bare
from rulelang.semantics.writes import Writes, writes

UNSHOWN = "`reveal` what it depends on first, or let a player who sees it do it (`turn of p`, `as p`)"
MAX_CALLS = 20_000
MAX_DEPTH = 60


def check_visibility(shared: Shared, bodies: Bodies) -> Secrets:
    """Walk the game from `setup` and `play` through every call, with labels, and report every decision that depends on
    what the asked seat can't see. Return what refusals and prompts may not tell."""
    checked = shared.checked
    handlers = [handler for info in checked.events.values() for handler in info.handlers]
    v = Walk(
        shared,
        bodies,
        revealing=_revealing_procedures(checked, bodies),
        guards={handler.body: handler.guard for handler in handlers if handler.guard is not None},
        writes=Writes(checked, bodies),
        rows=RowFinder(shared.kind, bodies),
    )
    for procedure in (checked.setup, checked.play):
        if procedure is not None:
            _walk_statements(v, bodies[procedure].statements, Env(), PUBLIC)
    return v.secrets


def _revealing_procedures(checked: Checked, bodies: Bodies) -> set[ProcedureSym]:
    """Return the procedures that contain a `reveal`, directly or through calls."""
    inside = [(p, s) for p in checked.procedures for s in walk(bodies[p].statements)]
    direct = [p for p, s in inside if isinstance(s, core.CDo) and s.op == "reveal"]
    return leading_to(direct, ((p, s.procedure) for p, s in inside if isinstance(s, core.CCall)))


# ---- calls


def _label_of_lookahead(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of a lookahead (`possible`): known to those who may know everything that the simulated procedure
    reads."""
    sym, condition, *args = expr.args
    outer_read, v.read = v.read, PUBLIC
    _walk_procedure(v, sym, expressions(args), env, PUBLIC)
    label_of(v, condition, env)
    read, v.read = v.read, outer_read
    return read


def _walk_procedure(
    v: Walk, sym: ProcedureSym, args: Sequence[CExpr], env: Env, path: Label, shown: dict[Key, Label] | None = None
) -> Label:
    """Walk the body of a procedure for one call, memoised by the labels of its arguments; return the label of its
    result.

    Args:
        path: who may know that the call is reached.
        shown: gets, by key of the value, the labels of what the procedure reveals on every path.
    """
    names = Renaming()
    known: list[Known] = []
    for number, arg in enumerate(args):
        seat = isinstance(bare(arg.type), PlayerT)
        key = names.key(key_of(v, arg, env)) if seat else ("value", number)
        label, presence_label = names.label(label_of(v, arg, env)), names.label(presence(v, arg, env))
        known.append(Known(label, key, presence_label, rows_of(v, arg, env)))
    inner_path = names.label(path)
    apart = names.apart(env)
    why = (inner_path.why, *(k.label.why for k in known))
    context = (sym, inner_path, tuple((k.label, k.key, k.presence, k.rows) for k in known), apart, why)
    looking = v.read is not None
    again = shown is not None and sym in v.revealing  # What it reveals is known as the game is now.
    if context in v.memo and not looking and not again:
        return _after_call(v, sym, names.back(v.memo[context]))
    v.calls += 1
    if context in v.active or v.calls > MAX_CALLS or len(v.active) > MAX_DEPTH:
        return _after_call(v, sym, PUBLIC)
    v.active.add(context)
    outer_read, v.read = v.read, PUBLIC if looking else None
    body = v.bodies[sym]
    inner = Env(dict(zip(body.parameters, known, strict=False)), apart=set(apart), parameters=tuple(body.parameters))
    guard = v.guards.get(sym)
    if guard is not None:
        guard_env = Env(dict(zip(guard.body.parameters, known, strict=False)))
        conditions = (s.value for s in guard.body.statements if isinstance(s, core.CReturn) and s.value is not None)
        inner.same = {pair for value in conditions for pair in _same_seats(v, value, guard_env)}
    _walk_statements(v, body.statements, inner, inner_path)
    if outer_read is not None and v.read is not None:
        outer_read = join(outer_read, names.back(v.read))
    v.read = outer_read
    v.active.discard(context)
    if not looking:
        v.memo[context] = inner.result
    if shown is not None:
        keys = [key_of(v, arg, env) for arg in args]
        ends = shown_on_all([*inner.returns, inner.revealed])
        shown |= {names.key_back(key, keys): names.back(label) for key, label in ends.items()}
    return _after_call(v, sym, names.back(inner.result))


def _same_seats(v: Walk, condition: CExpr, env: Env) -> set[Pair]:
    """Return the pairs of seat keys that are equal whenever `condition` holds."""
    if condition.op == "and":
        return {pair for part in expressions(condition.args) for pair in _same_seats(v, part, env)}
    sides = expressions(condition.args) if condition.op == "eq" else []
    if not sides or not all(isinstance(bare(side.type), PlayerT) for side in sides):
        return set()
    return {frozenset(key_of(v, side, env) for side in sides)}


@contextmanager
def _assuming(v: Walk, env: Env, conditions: Sequence[CExpr]) -> Iterator[None]:
    """Assume that `conditions` hold within the block: which seats are equal, and which rows pieces can be of."""
    before = env.same
    env.same = before.union(*(_same_seats(v, condition, env) for condition in conditions))
    with narrowed(v, env, conditions, True):
        yield
    env.same = before


def _after_call(v: Walk, sym: ProcedureSym, result: Label) -> Label:
    """Mark as changed the state that the procedure may write, so that older keys of it are outdated; return
    `result`."""
    v.writes.bump(v.writes.of(sym))
    return result


# ---- statements


def _walk_statements(v: Walk, statements: Sequence[CStatement], env: Env, path: Label) -> Label:
    """Walk statements in order; return the label of the path after them, which an early exit under a condition
    restricts."""
    for s in statements:
        path = _walk_statement(v, s, env, path)
    return path


def _walk_statement(v: Walk, s: CStatement, env: Env, path: Label) -> Label:
    """Walk one statement by its class; return the label of the path after it."""
    walked = STATEMENTS.get(type(s))
    if walked is not None:
        path = walked(v, s, env, path) or path
    v.writes.bump(writes(s))
    return path


def _walk_assignment(v: Walk, s: core.CSet, env: Env, path: Label) -> None:
    """Give a local the label, key, presence and rows of the value assigned to it."""
    seat = isinstance(bare(s.local.type), PlayerT)
    key = key_of(v, s.value, env) if seat else ("local", id(s.local))
    presence_label = join(presence(v, s.value, env), path)
    rows = rows_of(v, s.value, env) if s.local.named else None
    env.locals[s.local] = Known(join(label_of(v, s.value, env), path), key, presence_label, rows)


def _walk_call(v: Walk, s: core.CCall, env: Env, path: Label) -> None:
    """Walk a call as a statement: record what it reveals, and label the local that gets its result."""
    revealed: dict[Key, Label] = {}
    result = _walk_procedure(v, s.procedure, s.arguments, env, path, revealed)
    env.revealed |= revealed
    if s.result is not None:
        env.locals[s.result] = Known(join(result, path), ("local", id(s.result)))


def _walk_chance(v: Walk, s: core.CRandom, env: Env, path: Label) -> None:
    """Label the outcome of a chance node: known to those who know its arguments and that it is drawn."""
    presence_label, label = join(presence_in(v, s.args[0], env), path), labels_of(v, s.args, env)
    note_seers(v, s, env, label)
    env.locals[s.result] = Known(join(label, path), ("local", id(s.result)), presence_label)


def _walk_effect(v: Walk, s: core.CDo, env: Env, path: Label) -> None:
    """Walk a plain effect: reveals change labels, writes to variables are checked."""
    if s.op == "reveal":
        _walk_reveal(v, s, env)
    if v.read is not None:
        labels_of(v, s.args, env)  # Inside a `possible`, what is only read counts as well.
    elif s.op in ("set_var", "set_pvar") and isinstance(s.args[0], VariableSym):
        _check_write(v, s, s.args[0], env, path)


def _walk_return(v: Walk, s: core.CReturn, env: Env, path: Label) -> None:
    """Join the returned value's label into the label of the procedure's result."""
    value = label_of(v, s.value, env) if s.value is not None else PUBLIC
    env.result = join(env.result, join(value, path))
    env.returns.append(dict(env.revealed))


def _check_write(v: Walk, s: core.CDo, sym: VariableSym, env: Env, path: Label) -> None:
    """Warn where a variable that all see takes a value that neither all seats nor an acting player know."""
    if sym.internal or sym.visible != "all":
        return
    label = join(path, labels_of(v, s.args, env))
    acting = {known.key for local, known in env.locals.items() if local.name in ("you", "owner")} | env.asked
    if label == PUBLIC or any(env.knows(seat, label) for seat in acting) or label.why <= v.causes:
        return
    what = f"`{sym.name}`, which all see,"
    _report_leak(v, label, s.span, what, "the acting player", UNSHOWN, v.shared.diagnostics.warning)


def _walk_loop(v: Walk, s: core.CLoop | core.CFor, env: Env, path: Label) -> None:
    """Walk the body of a loop from a state in which everything it writes is unknown; join that with the state of no
    iteration."""
    if isinstance(s, core.CFor):
        path = join(path, label_of(v, s.collection, env))
    v.writes.bump(v.writes.within(s.body))
    if isinstance(s, core.CFor):
        bind(v, s.local, s.collection, env)
    before = _walk_alternative(v, env, (), path)
    after = _walk_statements(v, s.body, env, path)
    if isinstance(s, core.CLoop) and after != path:
        _walk_statements(v, s.body, env, after)
    meet(env, [(env.locals, env.revealed), before])


def _walk_conditional(v: Walk, s: core.CIf, env: Env, path: Label) -> Label:
    """Walk both branches of a condition, or the one that is known to be taken; return the label of the path after
    them."""
    sure = known_truth(v, s.condition, env)
    inner = join(path, label_of(v, s.condition, env)) if sure is None else path
    bodies = [(True, s.then), (False, s.otherwise)]
    if sure is not None:
        bodies = [(holds, body) for holds, body in bodies if holds == sure]
    ends = []
    for holds, body in bodies:
        with _assuming(v, env, [s.condition]) if holds else narrowed(v, env, [s.condition], False):
            ends.append(_walk_alternative(v, env, body, inner))
    leaves = [
        any(isinstance(x, core.CReturn | core.CBreak | core.CEnd | core.CNever) for x in body) for _, body in bodies
    ]
    meet(env, [end for end, leave in zip(ends, leaves, strict=True) if not leave] or ends)
    # That the game is over all see; that a rule was left they don't.
    left = any(isinstance(x, core.CReturn | core.CBreak) for _, body in bodies for x in body)
    return inner if left else path


def _walk_move(v: Walk, s: core.CMove, env: Env, path: Label) -> Label:
    """Walk a move: whoever sees the target zone learns which piece came there, and that this path was taken."""
    if v.read is not None:
        labels_of(v, (s.what, s.zone), env)
    sym = zone_symbol(s.zone)
    if sym is None or s.what.op != "local" or not isinstance(s.what.args[0], Local):
        return path
    on_top = sym.visible == "top" and s.end == "top"
    seen = PUBLIC if on_top else sight(v, sym, s.zone, env)
    known = env.locals.get(s.what.args[0])
    if known is not None:
        known.label = declassified(known.label, seen)
    return declassified(path, seen) if isinstance(bare(s.what.type), PieceT) else path


def _walk_reveal(v: Walk, s: core.CDo, env: Env) -> None:
    """Widen the label of a revealed value to the seats that it is shown to; shown to all, it is public."""
    value, seats = expressions(s.args)
    if seats.op in ("everyone", "players", "parties"):
        seen = PUBLIC
    elif seats.op == "others" and isinstance(seats.args[0], CExpr):
        seen = all_but(key_of(v, seats.args[0], env))
    elif seats.op == "list":
        seen = Label(False, frozenset(key_of(v, seat, env) for seat in expressions(seats.args)))
    else:
        return
    label = declassified(label_of(v, value, env), seen)
    if value.op == "local" and isinstance(value.args[0], Local) and value.args[0] in env.locals:
        env.locals[value.args[0]].label = label
    env.revealed[key_of(v, value, env)] = label


# ---- decisions


def _walk_decision(v: Walk, s: core.CChoose, env: Env, path: Label) -> Label:
    """Check a decision and walk its items; return the label of the path after it. At most one leak is reported for a
    decision."""
    seat: Key = ("local", id(s.you)) if s.you is not None else key_of(v, s.seat, env)
    path = _check_asking(v, s, env, path, seat)
    chosen = only(seat) if s.secret else PUBLIC
    domain = _check_options(v, s, env, seat, chosen)
    unoffered = _label_of_no_option(v, s, seat, env)
    ends = []
    for item in s.items:
        with _assuming(v, env, [guard.condition for guard in item.guards]):
            ends.append(_walk_alternative(v, env, item.body, join(path, chosen)))
    ends.append(_walk_alternative(v, env, s.otherwise or (), join(path, unoffered)))
    meet(env, ends)
    leaving = core.CReturn | core.CBreak
    if any(isinstance(x, leaving) for body in (s.otherwise or (), *(item.body for item in s.items)) for x in body):
        path = join(path, unoffered)
    if s.result is not None:
        key: Key = ("local", id(s.result))
        own = only(("own", key)) if domain == only(seat) else domain
        env.locals[s.result] = Known(own, key)
    return path


def _check_asking(v: Walk, s: core.CChoose, env: Env, path: Label, seat: Key) -> Label:
    """Check that the asked seat may know that it is asked and what its prompt names; return the path, public after a
    report."""
    v.reported = None
    env.asked.add(seat)
    if s.you is not None:
        env.locals[s.you] = Known(PUBLIC, seat)
    if seat[:1] == ("automaton",) and v.read is None:
        message, hint = "an automaton has no seat and can't be asked", "say which player chooses for it: `… by p`"
        v.shared.diagnostics.error("choice-automaton", message, s.span, hint)
    acting = NOBODY if s.acting is None or v.read is not None else key_of(v, s.acting, env)
    if acting not in (seat, NOBODY) and frozenset((acting, seat)) not in env.same:
        message = "the owner of this bag chooses what it gains, who may be another than the one who acts"
        hint = "say who chooses: `… by p` for its owner p, `… by you` for the one who acts"
        v.shared.diagnostics.warning("choice-owner", message, s.span, hint)
    reacts = s.ask == "engine" and any(b.name == "react" for item in s.items for b in item.binders)
    what = "in which order handlers react" if reacts else "whether this is asked"
    path = path if _check_known_to(v, path, seat, env, s.span, what) else PUBLIC
    _check_known_to(v, label_of(v, s.seat, env), seat, env, s.span, "who is asked")
    if v.read is None and any(isinstance(b.local.type, ReactionT) for item in s.items for b in item.binders):
        arguments = [(local, known) for local, known in env.locals.items() if not isinstance(local.type, PieceT)]
        v.secrets.arguments.update(local for local, known in arguments if not env.knows(seat, known.label))
    for local in [local for local in env.locals if local.name in _named_in_prompts(v, s.rule)]:
        if not isinstance(local.type, PieceT):  # a piece that the seat does not see is told as one of its kind
            what = f"the prompt that names `{local.name}`"
            _check_known_to(v, label_of(v, CExpr("local", local.type, (local,)), env), seat, env, s.span, what)
    return path


def _check_options(v: Walk, s: core.CChoose, env: Env, seat: Key, chosen: Label) -> Label:
    """Check that the asked seat may know the options and their guards, and label what it chooses.

    Returns: the label of the last binder's choice.
    """
    domain = PUBLIC
    for item in s.items:
        for binder in item.binders:
            bind(v, binder.local, binder.args[0], env)
            label = labels_of(v, binder.args, env)
            what = f"what `{binder.name}` is chosen from"
            admitted = _check_known_to(v, label, seat, env, binder.args[0].span, what, choice=True)
            domain = label if admitted and holds_pieces(binder.local.type) else PUBLIC
            known = env.locals[binder.local]
            known.label = domain = join(domain, chosen)
            further = labels_of(v, binder.args[1:], env)
            known.presence = join(join(presence_in(v, binder.args[0], env), further), chosen)
        for guard in item.guards:
            _check_known_to(v, label_of(v, guard.condition, env), seat, env, guard.condition.span, f"`{guard.reason}`")
            _record_secret_parts(v, guard.condition, seat, env)
    return domain


def _named_in_prompts(v: Walk, rule: str) -> set[str]:
    """Return the parameters that the words for a rule name in its prompts, in any language."""
    sentences = [words[rule].prompt for words in v.shared.checked.ruleset.words.values() if rule in words]
    return {field for sentence in sentences for field in re.findall(r"{(\w+)", sentence)}


def _label_of_no_option(v: Walk, s: core.CChoose, seat: Key, env: Env) -> Label:
    """Return who may know whether the decision has no option at all: the join of its guards and of its collections'
    emptiness."""
    result = labels_of(v, [guard.condition for item in s.items for guard in item.guards], env)
    for binder in (binder for item in s.items for binder in item.binders):
        result = join(result, join(presence_in(v, binder.args[0], env), labels_of(v, binder.args[1:], env)))
    # What the asked seat may not know has been told; of the rest it must be among those who know.
    return result if env.knows(seat, result) else PUBLIC


def _record_secret_parts(v: Walk, condition: CExpr, seat: Key, env: Env) -> None:
    """Record the parts of a guard that a refusal must not tell: the seat may know whether the whole holds, but not
    these."""
    if v.read is None and key_of(v, condition, env) in env.revealed:
        v.secrets.values.add(condition)
    for part in expressions(condition.args):
        if v.read is None and not env.knows(seat, label_of(v, part, env)):
            v.secrets.values.add(part)
        if condition.op in ("and", "or", "not"):
            _record_secret_parts(v, part, seat, env)


def _walk_alternative(v: Walk, env: Env, body: Sequence[CStatement], path: Label) -> End:
    """Walk one of several alternative bodies; return the locals and reveals at its end, and restore `env` to its
    start."""
    before, revealed = {local: replace(known) for local, known in env.locals.items()}, dict(env.revealed)
    _walk_statements(v, body, env, path)
    after = env.locals, env.revealed
    env.locals, env.revealed = before, revealed
    return after


def _check_known_to(v: Walk, label: Label, seat: Key, env: Env, span: Span, what: str, choice: bool = False) -> bool:
    """Return whether the asked seat may know what a label describes; report a leak if not, the first for each decision.

    Args:
        what: the labelled thing, as the subject of the message.
        choice: whether it is what the seat chooses from, which gives another hint.
    """
    if env.knows(seat, label) or v.read is not None:
        return True
    if v.reported is not None:
        return False
    v.reported = span
    hint = "declare what it depends on visible, `reveal` it first, or ask the seat that sees it"
    if choice:
        hint = "draw blindly with `random one of …`, or let the seat that sees it choose (`… by p`)"
    v.causes |= label.why
    _report_leak(v, label, span, what, "the asked seat", hint, v.shared.diagnostics.error)
    return False


def _report_leak(
    v: Walk, label: Label, span: Span, what: str, whom: str, hint: str, error_or_warn: Callable[..., None]
) -> None:
    """Report that `what` depends on hidden zones or variables.

    Args:
        whom: the seat that cannot see them, in words.
        error_or_warn: the method of the diagnostics that takes the finding.
    """
    syms = sorted(label.why, key=lambda sym: (sym.span.path, sym.span.line, sym.span.column))
    named = " and ".join(f"`{sym.name}`" for sym in syms)
    of = f"{named}, which {whom} can't see" if named else f"something {whom} can't see"
    message = f"{what} depends on {of}: `{source_text(span)}`"
    error_or_warn("visibility-leak", message, span, hint, [declared_visible(sym) for sym in syms])


STATEMENTS: dict[type[CStatement], Callable[[Walk, Any, Env, Label], Label | None]] = {
    core.CSet: _walk_assignment,
    core.CCall: _walk_call,
    core.CRandom: _walk_chance,
    core.CDo: _walk_effect,
    core.CMove: _walk_move,
    core.CIf: _walk_conditional,
    core.CStep: lambda v, s, env, path: _walk_statements(v, s.body, env, path),
    core.CLoop: _walk_loop,
    core.CFor: _walk_loop,
    core.CChoose: _walk_decision,
    core.CReturn: _walk_return,
}
"""How a statement is walked; gives the path after it if that is another."""

LABELS["call"] = lambda v, e, env: _walk_procedure(v, e.args[0], expressions(e.args), env, PUBLIC)
LABELS["possible"] = _label_of_lookahead
