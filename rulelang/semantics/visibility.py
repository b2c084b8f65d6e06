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
from rulelang.semantics.base import Shared, source_text
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
    declared,
    declassified,
    holds_pieces,
    join,
    meet,
    only,
    shown_on_all,
)
from rulelang.semantics.rows import RowFinder
from rulelang.semantics.symbols import Bodies, Checked, ProcedureSym, Secrets, VariableSym, ZoneSym
from rulelang.semantics.types import PieceT, PlayerT, ReactionT, bare
from rulelang.semantics.writes import Writes

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
        revealing=_revealing(checked, bodies),
        guards={handler.body: handler.guard for handler in handlers if handler.guard is not None},
        writes=Writes(checked, bodies),
        rows=RowFinder(shared.kind, bodies),
    )
    for procedure in (checked.setup, checked.play):
        if procedure is not None:
            _sequence(v, bodies[procedure].statements, Env(), PUBLIC)
    return v.secrets


def _revealing(checked: Checked, bodies: Bodies) -> set[ProcedureSym]:
    """Return the procedures that reveal something, themselves or by what they call."""
    inside = [(p, s) for p in checked.procedures for s in walk(bodies[p].statements)]
    direct = [p for p, s in inside if isinstance(s, core.CDo) and s.op == "reveal"]
    return leading_to(direct, ((p, s.procedure) for p, s in inside if isinstance(s, core.CCall)))


# ---- calls


def _call(v: Walk, expr: Any, env: Env) -> Label:
    return _enter(v, expr.args[0], expressions(expr.args), env, PUBLIC)


def _possible(v: Walk, expr: Any, env: Env) -> Label:
    """Return the label of a lookahead: it tells of all that the procedure would read."""
    sym, condition, *args = expr.args
    outside, v.read = v.read, PUBLIC
    _enter(v, sym, expressions(args), env, PUBLIC)
    label_of(v, condition, env)
    read, v.read = v.read, outside
    return read


def _enter(
    v: Walk, sym: ProcedureSym, args: Sequence[CExpr], env: Env, path: Label, shown: dict[Key, Label] | None = None
) -> Label:
    """Walk a procedure as called from here; return the label of its result, in `shown` what it surely reveals."""
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
    if context in v.seen and not looking and not again:
        return _after_call(v, sym, names.back(v.seen[context]))
    v.calls += 1
    if context in v.active or v.calls > MAX_CALLS or len(v.active) > MAX_DEPTH:
        return _after_call(v, sym, PUBLIC)
    v.active.add(context)
    outside, v.read = v.read, PUBLIC if looking else None
    body = v.bodies[sym]
    inner = Env(dict(zip(body.parameters, known, strict=False)), apart=set(apart))
    guard = v.guards.get(sym)
    if guard is not None:
        test = Env(dict(zip(guard.body.parameters, known, strict=False)))
        conditions = (s.value for s in guard.body.statements if isinstance(s, core.CReturn) and s.value is not None)
        inner.same = {pair for value in conditions for pair in _same_seats(v, value, test)}
    _sequence(v, body.statements, inner, inner_path)
    if outside is not None and v.read is not None:
        outside = join(outside, names.back(v.read))
    v.read = outside
    v.active.discard(context)
    if not looking:
        v.seen[context] = inner.result
    if shown is not None:
        keys = [key_of(v, arg, env) for arg in args]
        ends = shown_on_all([*inner.returns, inner.revealed])
        shown |= {names.key_back(key, keys): names.back(label) for key, label in ends.items()}
    return _after_call(v, sym, names.back(inner.result))


def _same_seats(v: Walk, condition: CExpr, env: Env) -> set[Pair]:
    """Return the pairs of seats that are the same where a condition holds."""
    if condition.op == "and":
        return {pair for part in expressions(condition.args) for pair in _same_seats(v, part, env)}
    sides = expressions(condition.args) if condition.op == "eq" else []
    if not sides or not all(isinstance(bare(side.type), PlayerT) for side in sides):
        return set()
    return {frozenset(key_of(v, side, env) for side in sides)}


@contextmanager
def _holding(v: Walk, env: Env, conditions: Sequence[CExpr]) -> Iterator[None]:
    """Assume conditions for the duration of the block."""
    before = env.same
    env.same = before.union(*(_same_seats(v, condition, env) for condition in conditions))
    with narrowed(v, env, conditions, True):
        yield
    env.same = before


def _after_call(v: Walk, sym: ProcedureSym, result: Label) -> Label:
    """Return the label after a call; forget what was known of what it may have written."""
    v.writes.bump(v.writes.of(sym))
    return result


# ---- statements


def _sequence(v: Walk, statements: Sequence[CStatement], env: Env, path: Label) -> Label:
    """Walk statements; return the label of the path after them.

    An early exit under a condition labels what follows.
    """
    for s in statements:
        path = _statement(v, s, env, path)
    return path


def _statement(v: Walk, s: CStatement, env: Env, path: Label) -> Label:
    walked = STATEMENTS.get(type(s))
    if walked is not None:
        path = walked(v, s, env, path) or path
    v.writes.bump(v.writes.direct(s))
    return path


def _set(v: Walk, s: core.CSet, env: Env, path: Label) -> None:
    seat = isinstance(bare(s.local.type), PlayerT)
    key = key_of(v, s.value, env) if seat else ("local", id(s.local))
    presence_label = join(presence(v, s.value, env), path)
    rows = rows_of(v, s.value, env) if s.local.named else None
    env.locals[s.local] = Known(join(label_of(v, s.value, env), path), key, presence_label, rows)


def _call_procedure(v: Walk, s: core.CCall, env: Env, path: Label) -> None:
    revealed: dict[Key, Label] = {}
    result = _enter(v, s.procedure, s.arguments, env, path, revealed)
    env.revealed |= revealed
    if s.result is not None:
        env.locals[s.result] = Known(join(result, path), ("local", id(s.result)))


def _random(v: Walk, s: core.CRandom, env: Env, path: Label) -> None:
    presence_label = join(presence_in(v, s.args[0], env), path)
    env.locals[s.result] = Known(join(labels_of(v, s.args, env), path), ("local", id(s.result)), presence_label)


def _do(v: Walk, s: core.CDo, env: Env, path: Label) -> None:
    if s.op == "reveal":
        _reveal(v, s, env)
    if v.read is not None:
        labels_of(v, s.args, env)  # Inside a `possible`, what is only read counts as well.
    elif s.op in ("set_var", "set_pvar") and isinstance(s.args[0], VariableSym):
        _write(v, s, s.args[0], env, path)


def _inside(v: Walk, s: core.CStep, env: Env, path: Label) -> Label | None:
    return _sequence(v, s.body, env, path)


def _return(v: Walk, s: core.CReturn, env: Env, path: Label) -> None:
    value = label_of(v, s.value, env) if s.value is not None else PUBLIC
    env.result = join(env.result, join(value, path))
    env.returns.append(dict(env.revealed))


def _write(v: Walk, s: core.CDo, sym: VariableSym, env: Env, path: Label) -> None:
    """Check that a variable that all see takes only what all see, or what a player who acts sees and so shows."""
    if sym.internal or sym.visible != "all":
        return
    label = join(path, labels_of(v, s.args, env))
    acting = {known.key for local, known in env.locals.items() if local.name in ("you", "owner")} | env.asked
    if label == PUBLIC or any(env.knows(seat, label) for seat in acting) or label.why <= v.causes:
        return
    what = f"`{sym.name}`, which all see,"
    _leak(v, label, s.span, what, "the acting player", UNSHOWN, v.shared.diagnostics.warning)


def _loop(v: Walk, s: core.CLoop | core.CFor, env: Env, path: Label) -> None:
    """Walk a loop: what a round writes is not known in the next, and there may be no round at all."""
    if isinstance(s, core.CFor):
        path = join(path, label_of(v, s.collection, env))
    v.writes.bump(v.writes.within(s.body))
    if isinstance(s, core.CFor):
        bind(v, s.local, s.collection, env)
    before = _apart_from(v, env, (), path)
    after = _sequence(v, s.body, env, path)
    if isinstance(s, core.CLoop) and after != path:
        _sequence(v, s.body, env, after)
    meet(env, [(env.locals, env.revealed), before])


def _branch(v: Walk, s: core.CIf, env: Env, path: Label) -> Label:
    """Walk both branches of a condition, or the one that is known to be taken; return the label of the path after
    them."""
    sure = known_truth(v, s.condition, env)
    inner = join(path, label_of(v, s.condition, env)) if sure is None else path
    bodies = [(True, s.then), (False, s.otherwise)]
    if sure is not None:
        bodies = [(holds, body) for holds, body in bodies if holds == sure]
    ends = []
    for holds, body in bodies:
        with _holding(v, env, [s.condition]) if holds else narrowed(v, env, [s.condition], False):
            ends.append(_apart_from(v, env, body, inner))
    leaves = [
        any(isinstance(x, core.CReturn | core.CBreak | core.CEnd | core.CNever) for x in body) for _, body in bodies
    ]
    meet(env, [end for end, leave in zip(ends, leaves, strict=True) if not leave] or ends)
    # That the game is over all see; that a rule was left they don't.
    left = any(isinstance(x, core.CReturn | core.CBreak) for _, body in bodies for x in body)
    return inner if left else path


def _move(v: Walk, s: core.CMove, env: Env, path: Label) -> Label:
    """Walk a move: who sees the target knows what came there, and that the rule came to here."""
    if v.read is not None:
        labels_of(v, (s.what, s.zone), env)
    sym = s.zone.args[0] if s.zone.op == "zone" else None
    if not isinstance(sym, ZoneSym) or s.what.op != "local" or not isinstance(s.what.args[0], Local):
        return path
    on_top = sym.decl.visible == "top" and s.end == "top"
    seen = PUBLIC if on_top else sight(v, sym, s.zone, env)
    known = env.locals.get(s.what.args[0])
    if known is not None:
        known.label = declassified(known.label, seen)
    return declassified(path, seen) if isinstance(bare(s.what.type), PieceT) else path


def _reveal(v: Walk, s: core.CDo, env: Env) -> None:
    """Walk a reveal: a value shown to all is public; what is shown to some they know besides those who knew it."""
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


def _choose(v: Walk, s: core.CChoose, env: Env, path: Label) -> Label:
    """Check a decision, with one finding at most; return the path after it, for which there are no more."""
    seat: Key = ("local", id(s.you)) if s.you is not None else key_of(v, s.seat, env)
    path = _asks(v, s, env, path, seat)
    chosen = only(seat) if s.secret else PUBLIC
    domain = _offers(v, s, env, seat, chosen)
    unoffered = _unoffered(v, s, seat, env)
    ends = []
    for item in s.items:
        with _holding(v, env, [guard.condition for guard in item.guards]):
            ends.append(_apart_from(v, env, item.body, join(path, chosen)))
    ends.append(_apart_from(v, env, s.otherwise or (), join(path, unoffered)))
    meet(env, ends)
    leaving = core.CReturn | core.CBreak
    if any(isinstance(x, leaving) for body in (s.otherwise or (), *(item.body for item in s.items)) for x in body):
        path = join(path, unoffered)
    if s.result is not None:
        key: Key = ("local", id(s.result))
        own = only(("own", key)) if domain == only(seat) else domain
        env.locals[s.result] = Known(own, key)
    return path


def _asks(v: Walk, s: core.CChoose, env: Env, path: Label, seat: Key) -> Label:
    """Check that the asked seat may know that it is asked, and what its prompt names; return the path after that."""
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
    path = path if _admit(v, path, seat, env, s.span, what) else PUBLIC
    _admit(v, label_of(v, s.seat, env), seat, env, s.span, "who is asked")
    if v.read is None and any(isinstance(b.local.type, ReactionT) for item in s.items for b in item.binders):
        arguments = [(local, known) for local, known in env.locals.items() if not isinstance(local.type, PieceT)]
        v.secrets.arguments.update(local for local, known in arguments if not env.knows(seat, known.label))
    for local in [local for local in env.locals if local.name in _named_in_prompts(v, s.rule)]:
        if not isinstance(local.type, PieceT):  # a piece that the seat does not see is told as one of its kind
            what = f"the prompt that names `{local.name}`"
            _admit(v, label_of(v, CExpr("local", local.type, (local,)), env), seat, env, s.span, what)
    return path


def _offers(v: Walk, s: core.CChoose, env: Env, seat: Key, chosen: Label) -> Label:
    """Check that the asked seat may know what it can choose; label what is chosen, and return the last binder's
    label."""
    domain = PUBLIC
    for item in s.items:
        for binder in item.binders:
            bind(v, binder.local, binder.args[0], env)
            label = labels_of(v, binder.args, env)
            what = f"what `{binder.name}` is chosen from"
            admitted = _admit(v, label, seat, env, binder.args[0].span, what, choice=True)
            domain = label if admitted and holds_pieces(binder.local.type) else PUBLIC
            known = env.locals[binder.local]
            known.label = domain = join(domain, chosen)
            further = labels_of(v, binder.args[1:], env)
            known.presence = join(join(presence_in(v, binder.args[0], env), further), chosen)
        for guard in item.guards:
            _admit(v, label_of(v, guard.condition, env), seat, env, guard.condition.span, f"`{guard.reason}`")
            _conceal(v, guard.condition, seat, env)
    return domain


def _named_in_prompts(v: Walk, rule: str) -> set[str]:
    """Return the parameters that the words for a rule name in its prompts, in any language."""
    sentences = [words[rule].prompt for words in v.shared.checked.ruleset.words.values() if rule in words]
    return {field for sentence in sentences for field in re.findall(r"{(\w+)", sentence)}


def _unoffered(v: Walk, s: core.CChoose, seat: Key, env: Env) -> Label:
    """Return the label of whether a decision has no option: that of its items' collections and guards."""
    result = labels_of(v, [guard.condition for item in s.items for guard in item.guards], env)
    for binder in (binder for item in s.items for binder in item.binders):
        result = join(result, join(presence_in(v, binder.args[0], env), labels_of(v, binder.args[1:], env)))
    # What the asked seat may not know has been told; of the rest it must be among those who know.
    return result if env.knows(seat, result) else PUBLIC


def _conceal(v: Walk, condition: CExpr, seat: Key, env: Env) -> None:
    """Note the parts of an admitted condition that the seat may not know, because it was revealed as a whole: a
    refusal must not tell them. What was revealed as a whole, such as the value of a function, is noted too."""
    if v.read is None and key_of(v, condition, env) in env.revealed:
        v.secrets.values.add(condition)
    for part in expressions(condition.args):
        if v.read is None and not env.knows(seat, label_of(v, part, env)):
            v.secrets.values.add(part)
        if condition.op in ("and", "or", "not"):
            _conceal(v, part, seat, env)


def _apart_from(v: Walk, env: Env, body: Sequence[CStatement], path: Label) -> End:
    """Walk one of several ways on from here; return what is known at its end, and restore what was known before."""
    before, revealed = {local: replace(known) for local, known in env.locals.items()}, dict(env.revealed)
    _sequence(v, body, env, path)
    after = env.locals, env.revealed
    env.locals, env.revealed = before, revealed
    return after


def _admit(v: Walk, label: Label, seat: Key, env: Env, span: Span, what: str, choice: bool = False) -> bool:
    """Return whether the asked seat is among those who may know the label's value; if not, that is a finding."""
    if env.knows(seat, label) or v.read is not None:
        return True
    if v.reported is not None:
        return False
    v.reported = span
    hint = "declare what it depends on visible, `reveal` it first, or ask the seat that sees it"
    if choice:
        hint = "draw blindly with `random one of …`, or let the seat that sees it choose (`… by p`)"
    v.causes |= label.why
    _leak(v, label, span, what, "the asked seat", hint, v.shared.diagnostics.error)
    return False


def _leak(
    v: Walk, label: Label, span: Span, what: str, whom: str, hint: str, error_or_warn: Callable[..., None]
) -> None:
    """Report that something depends on what a seat can't see."""
    syms = sorted(label.why, key=lambda sym: (sym.span.path, sym.span.line, sym.span.column))
    named = " and ".join(f"`{sym.name}`" for sym in syms)
    of = f"{named}, which {whom} can't see" if named else f"something {whom} can't see"
    message = f"{what} depends on {of}: `{source_text(span)}`"
    error_or_warn("visibility-leak", message, span, hint, [declared(sym) for sym in syms])


STATEMENTS: dict[type[CStatement], Callable[[Walk, Any, Env, Label], Label | None]] = {
    core.CSet: _set,
    core.CCall: _call_procedure,
    core.CRandom: _random,
    core.CDo: _do,
    core.CMove: _move,
    core.CIf: _branch,
    core.CStep: _inside,
    core.CLoop: _loop,
    core.CFor: _loop,
    core.CChoose: _choose,
    core.CReturn: _return,
}
"""How a statement is walked; gives the path after it if that is another."""

LABELS.update(call=_call, possible=_possible)
