"""What a seat is asked may depend only on what that seat sees, what all see only on what all may know.

Every value gets a label that says who may know it (`labelling`). Labels follow values through locals and calls, and
conditions label what happens under them; at each decision the labels must admit the seat that is asked. At each effect
that all see (`effects`), a question among them, they must admit all, or a seat that made it public by a choice that all
saw; `reveal` and moves show it to those who see it then (`shown`). Seats are told apart by how they were computed, so
the check errs on the strict side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, reduce
from itertools import chain
from typing import Any, cast

from rulelang.diagnostics import Span
from rulelang.semantics.analysis.flow import walk
from rulelang.semantics.analysis.rows import RowFinder
from rulelang.semantics.analysis.writes import Writes, writes
from rulelang.semantics.tree import core
from rulelang.semantics.tree.core import (
    CExpr,
    CStatement,
    Local,
    expressions,
    mentions,
    negated,
)
from rulelang.semantics.tree.shared import Shared, zone_symbol
from rulelang.semantics.tree.symbols import Bodies, ProcedureSym, Secrets, VariableSym, ZoneSym
from rulelang.semantics.tree.types import BOOL, BagT, PieceT, PlayerT, ReactionT, SetT, bare
from rulelang.semantics.visibility.classes import certain_seats, check_settled, ways_of
from rulelang.semantics.visibility.contents import blocks_within, leading, unseen_in
from rulelang.semantics.visibility.effects import effect_of, is_claimed, name_of
from rulelang.semantics.visibility.labelling import (
    LABELS,
    Walk,
    bind,
    key_of,
    known_truth,
    label_of,
    label_unshown,
    labels_of,
    looks,
    narrowed,
    pieces_that_tell,
    presence,
    presence_in,
    rows_of,
    sight,
    size_label,
)
from rulelang.semantics.visibility.labels import (
    HIDDEN,
    NOBODY,
    NONE,
    PUBLIC,
    End,
    Env,
    Key,
    Label,
    LocalLabel,
    Pair,
    Renaming,
    Shown,
    acted,
    all_but,
    declassified,
    facts_stamped,
    holds_pieces,
    join,
    meet,
    only,
    shown_on_all,
)
from rulelang.semantics.visibility.lying import lying, move_of, moves_of, moves_within, note_loop, note_moves
from rulelang.semantics.visibility.reports import UNSHOWN, check_known_to, report_ends, report_leak
from rulelang.semantics.visibility.seers import note_seers
from rulelang.semantics.visibility.shown import (
    after_loop,
    forget,
    loop_shows,
    note_goods,
    note_moved,
    note_reveal,
    note_several,
    owners_of,
    passed,
    shown_by_move,
)
from rulelang.semantics.visibility.summaries import CallSummary, Context, absolute, relative
from rulelang.semantics.visibility.whereabouts import (
    Sources,
    after_call,
    is_named,
    note_found,
    note_gone,
    places_passed,
    taken_from,
    written_unseen,
    zones_in,
)
from rulelang.vocabulary.operations import EVERY, LOGIC

ALWAYS = "ask whether that holds or not, with it as a condition of an option, or `reveal` what it depends on first"
REACTS = (
    "let the reaction itself look at it, so that its owner is asked in any case, or `reveal` what it depends on first"
)
TRADES = (
    "write its exchanges as items of a menu with `paying`, beside `pass: pass`, or `reveal` what it depends on first"
)
UNASKED = "write `anyway`, so that the seat is asked in any case, or `reveal` what it depends on first"
MOST_CONTEXTS = 64
"""So many calls of a procedure are told apart by what was shown before and on which secrets it hangs that they are
reached; to further ones nothing was shown, and they hang on all secrets that one of them does. No ruleset of the
project has more than 28."""
MOST_APART = 1_000
"""So many calls in all; of further ones `FEW_CONTEXTS` of each procedure. The project's rulesets have up to 304."""
FEW_CONTEXTS = 4
MAX_CALLS = 20_000
MAX_DEPTH = 60
MAX_BLOCKS = 120
"""So many blocks are walked within each other, calls included: a walk takes some four frames of Python for each."""
MOST_LINKS = 2
"""So many links of a chain of replacements are walked inside each other, further ones by themselves."""


def check_visibility(shared: Shared, bodies: Bodies) -> Secrets:
    """Walk the game from `setup` and `play` through every call, with labels, and report every decision that depends on
    what the asked seat can't see. Return what refusals and prompts may not tell."""
    checked = shared.checked
    handlers = [handler for info in checked.events.values() for handler in info.handlers]
    sources = Sources(checked, bodies)
    v = Walk(
        shared,
        bodies,
        guards={handler.body: handler.guard for handler in handlers if handler.guard is not None},
        asking=leading(checked, bodies, lambda s: isinstance(s, core.CChoose)),
        writes=Writes(checked, bodies),
        chains=frozenset(event.proceeding for event in checked.events.values() if event.proceeding is not None),
        rows=RowFinder(shared.kind, bodies),
        dark=written_unseen(checked, bodies, sources),
        taken=taken_from(checked, bodies, sources),
        moves=moves_of(checked, bodies),
        sources=sources,
        ways=tuple(dict.fromkeys(chain(*map(ways_of, checked.zones), *map(ways_of, checked.variables)))),
        certain=partial(certain_seats, shared),
    )
    check_settled(shared, v.writes, v.asking)
    for procedure in (checked.setup, checked.play):
        if procedure is not None:
            _walk_statements(v, bodies[procedure].statements, Env(), PUBLIC)
    while v.postponed:
        context, v.causes, env, known, path = v.postponed.pop()
        if context not in v.summaries:
            _walk_to_fixpoint(v, context, env, known, path)
    return v.secrets


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
    v: Walk, sym: ProcedureSym, args: Sequence[CExpr], env: Env, path: Label, caller: Env | None = None
) -> Label:
    """Walk the body of a procedure for one call, memoised by the labels of its arguments; return the label of its
    result.

    Args:
        path: who may know that the call is reached.
        caller: gets what the procedure shows on every path, what it hides again, and where it ends the game.
    """
    keys = [key_of(v, arg, env) for arg in args]
    names = Renaming({key: ("value", number) for number, key in enumerate(keys)})
    seats = [key for key, arg in zip(keys, args, strict=True) if isinstance(bare(arg.type), PlayerT)]
    asked = [_known_of(v, arg, number, env) for number, arg in enumerate(args)]
    for key in seats:
        names.key(key)
    names.meet(label for k in (LocalLabel(path, NOBODY), *asked) for label in (k.label, k.presence, k.size) if label)
    if all(k.label == PUBLIC for k in asked):  # Where they lie tells nothing, and makes no other call of it.
        asked = [replace(k, zones=None) for k in asked]
    known = [_renamed(k, names) for k in asked]
    inner_path = names.label(path)
    given = passed(env, names, seats) | places_passed(v, args, env, names)
    apart = names.apart(env)
    begun, is_read = v.writes.versions(), v.read is not None
    entry = facts_stamped(given, partial(relative, begun))  # Of what has been written since, the callee has no key.
    sure = names.looking(env)
    context = _context(sym, inner_path, known, apart, is_read, sure, entry)
    most = MOST_CONTEXTS if v.calls < MOST_APART else FEW_CONTEXTS
    if v.walked[sym] >= most and context not in v.summaries:
        inner_path, entry = _widened(v, sym, inner_path), {}
        context = _context(sym, inner_path, known, apart, is_read, sure, entry)
    given = facts_stamped(entry, partial(absolute, begun))
    outcome = v.summaries.get(context)
    if outcome is None:
        v.calls += 1
        v.walked[sym] += 1
        inner = Env(apart=set(apart), revealed=entry, looking=set(sure))
        links = v.summaries.walked_of(sym) if sym in v.chains else []
        linked, many = len(links) >= MOST_LINKS, v.calls > MAX_CALLS
        if linked or many or v.summaries.depth > MAX_DEPTH or v.blocks + blocks_within(v, sym) > MAX_BLOCKS:
            if not many and not is_read:
                v.postponed.append((context, v.causes, inner, known, inner_path))
            arguments = reduce(join, (k.label for k in known), inner_path)
            outcome = _not_walked(v, sym, arguments, entry, v.summaries.assumed(links) if linked else ())
        else:
            outcome = _walk_to_fixpoint(v, context, inner, known, inner_path)
    outcome = outcome.absolute(begun)
    if v.read is not None:
        v.read = join(v.read, names.back(outcome.read))
    if caller is not None:
        caller.revealed = {key: seen for key, seen in caller.revealed.items() if key[1:2] not in outcome.hidden}
        for key, seen in outcome.shown:
            if key[1:2] in outcome.hidden or given.get(key) != seen:
                caller.revealed[names.key_back(key, keys)] = names.back(seen)
        after_call(caller, given, dict(outcome.shown), names, v.taken[sym])
        caller.forgotten |= {sym for (sym,) in outcome.hidden}
        caller.ends = outcome.ends if outcome.over else caller.ends | outcome.ends
        caller.over = outcome.over
    return _after_call(v, sym, names.back(outcome.result), env)


def _context(
    sym: ProcedureSym,
    path: Label,
    known: Sequence[LocalLabel],
    apart: frozenset[Pair],
    is_read: bool,
    sure: frozenset[tuple[Key, Key]],
    entry: Mapping[Key, Label],
) -> Context:
    """Return all of a call that matters to who may know what."""
    whence = tuple((label.why, label.acts, label.secretly, label.warned) for label in (path, *(k.label for k in known)))
    labels = tuple((k.label, k.key, k.presence, k.rows, k.size, k.named, k.zones) for k in known)
    return sym, path, labels, apart, whence, is_read, sure, frozenset(entry.items())


def _widened(v: Walk, sym: ProcedureSym, path: Label) -> Label:
    """Return the label of all paths on which further calls of a procedure were reached: an ascending chain, so that
    there are no more of these than secrets and seats (widening; Cousot and Cousot 1977)."""
    before = v.paths.get(sym, path)
    acts, warned = before.acts & path.acts, before.warned and path.warned
    wider = replace(join(before, path), acts=acts, warned=warned)
    if wider.but and not wider.keys <= path.keys:  # a seat that has no name here
        wider = replace(wider, but=False, keys=frozenset())
    v.paths[sym] = wider
    return wider


def _walk_to_fixpoint(v: Walk, context: Context, entry: Env, known: list[LocalLabel], path: Label) -> CallSummary:
    """Walk the body of a procedure until what it gives is what calls of it within itself were taken to give."""

    def walk() -> CallSummary:
        """Walk it from the state as it is now."""
        begun = v.writes.versions()
        facts = facts_stamped(entry.revealed, partial(absolute, begun))
        inner = Env(apart=set(entry.apart), revealed=facts, looking=set(entry.looking))
        return _walk_body(v, context[0], inner, known, path).relative(begun)

    return v.summaries.fixpoint(context, CallSummary(shown=tuple(entry.revealed.items())), walk)


def _not_walked(
    v: Walk, sym: ProcedureSym, arguments: Label, entry: Mapping[Key, Label], links: Sequence[CallSummary]
) -> CallSummary:
    """Return what is sure of a call that is not walked where it stands.

    Args:
        arguments: who may know all that it is given, and that it is reached.
        entry: what was shown before.
        links: calls of the same procedure, which give what this one does; if there are none, it may read whatever it
            names.
    """
    unseen, written = unseen_in(v.bodies, sym), v.writes.of(sym)
    read = [link.result for link in links] or ([replace(HIDDEN, why=unseen)] if unseen else [])
    result = reduce(join, read, arguments)
    zones = {zone for zone in v.shared.checked.zones if zone.kind in written}
    hidden = frozenset((part,) for part in written | zones if isinstance(part, ZoneSym | VariableSym))
    lost = {key for key in entry if key[1:2] in hidden or zones_in(key) & v.taken[sym]}
    shown = tuple((key, seen) for key, seen in entry.items() if key not in lost)
    return CallSummary(result, shown, hidden, read=result)


def _known_of(v: Walk, arg: CExpr, number: int, env: Env) -> LocalLabel:
    """Return what is known of an argument, which is the parameter with this number, in the caller's keys."""
    key = key_of(v, arg, env) if isinstance(bare(arg.type), PlayerT) else ("value", number)
    label, presence_label, size = label_of(v, arg, env), presence(v, arg, env), None
    if isinstance(bare(arg.type), SetT) and label != PUBLIC:
        presence_label, size = presence_in(v, arg, env), size_label(v, arg, env)
    named, zones = is_named(v, arg, env), lying(arg, env, v.has_identity)
    return LocalLabel(label, key, presence_label, rows_of(v, arg, env), size, named=named, zones=zones)


def _renamed(known: LocalLabel, names: Renaming) -> LocalLabel:
    """Return what a callee knows of its parameter."""
    key = known.key if known.key[:1] == ("value",) else names.key(known.key)
    label, presence_label = names.label(known.label), known.presence and names.label(known.presence)
    size = known.size and names.label(known.size)
    return LocalLabel(label, key, presence_label, known.rows, size, named=known.named, zones=known.zones)


def _walk_body(v: Walk, sym: ProcedureSym, inner: Env, known: list[LocalLabel], path: Label) -> CallSummary:
    """Walk the body of a procedure; `known` is what is known of its parameters."""
    outer_read, v.read = v.read, PUBLIC if v.read is not None else None
    body = v.bodies[sym]
    inner.locals = dict(zip(body.parameters, known, strict=False))
    inner.parameters = tuple(body.parameters)
    guard = v.guards.get(sym)
    if guard is not None:
        guard_env = Env(dict(zip(guard.body.parameters, known, strict=False)), revealed=dict(inner.revealed))
        conditions = (s.value for s in guard.body.statements if isinstance(s, core.CReturn) and s.value is not None)
        for value in conditions:
            inner.same |= _same_seats(v, value, guard_env)
            told = label_of(v, value, guard_env)  # That a piece reacts tells its condition, unless its owner chose it.
            if not guard_env.tells_nothing(replace(told, acts=told.acts | path.acts)):
                path = join(path, told)
    _walk_statements(v, body.statements, inner, path)
    read, v.read = v.read or PUBLIC, outer_read
    shown = shown_on_all([*inner.returns, inner.revealed])
    hidden = frozenset((symbol,) for symbol in inner.forgotten)
    over = inner.over and not inner.returns
    return CallSummary(inner.result, tuple(shown.items()), hidden, inner.ends, over, read)


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


def _after_call(v: Walk, sym: ProcedureSym, result: Label, env: Env) -> Label:
    """Mark as changed the state that the procedure may write, so that older keys of it are outdated, and follow what it
    may move; return `result`."""
    v.writes.bump(v.writes.of(sym))
    note_moves(v.moves[sym], env)
    return result


# ---- statements


def _walk_statements(v: Walk, statements: Sequence[CStatement], env: Env, path: Label) -> Label:
    """Walk statements in order; return the label of the path after them, which an early exit under a condition
    restricts."""
    v.blocks += 1
    for number, s in enumerate(statements, 1):
        if isinstance(s, core.CChoose) and is_claimed(statements[number : number + 2]):
            v.claimed = s
        hidden = _hidden_draw(s, statements[number]) if isinstance(s, core.CRandom) and statements[number:] else None
        if hidden is not None:
            _walk_chance(v, cast(core.CRandom, s), env, join(path, sight(v, *hidden, env)))
        else:
            path = _walk_statement(v, s, env, path)
        if env.over:
            break  # Nothing comes after the end of the game.
    v.blocks -= 1
    return path


def _hidden_draw(s: core.CRandom, following: CStatement) -> tuple[VariableSym, CExpr] | None:
    """Return the variable that not all see, with its place, into which an outcome goes straight."""
    match following:
        case core.CDo(op="set_var", args=(VariableSym() as sym, CExpr() as value, *indices)) if not sym.view.public:
            place = CExpr("var", sym.type, (sym, *indices), following.span)
            return (sym, place) if mentions(value, s.result) else None
    return None


def _walk_statement(v: Walk, s: CStatement, env: Env, path: Label) -> Label:
    """Walk one statement by its class; return the label of the path after it."""
    told = _check_effect(v, s, env, path) if v.read is None and not isinstance(s, core.CChoose) else path
    if v.read is None:
        forget(v, s, env, path)
        note_gone(v, s, env, path)
    walked = STATEMENTS.get(type(s))
    if walked is not None:
        told = walked(v, s, env, told) or told
    v.writes.bump(writes(s))
    if (move := move_of(v.shared.checked, s, env)) is not None:
        note_moves((move,), env)
    return told


def _check_effect(v: Walk, s: CStatement, env: Env, path: Label) -> Label:
    """Warn of an effect that all see and that depends on what not all may know; return the path after it.

    Who saw the effect knows that this place was reached.
    """
    effect = effect_of(s)
    label = effect.seen(v, s, env)
    if label is None:
        return path
    told = label if path.warned else join(path, label)
    if effect.ends:
        env.over = isinstance(s, core.CEnd)
        env.ends = {} if env.over else env.ends
        if not env.tells_nothing(told):
            env.ends[s.span] = told
        return path
    if not env.tells_nothing(told) and not told.warned and not (told.why and told.why <= v.causes):
        chosen = effect.own and any(env.knows(seat, told) for seat in told.secretly)
        shown, symbols = effect.shows(v, s, env)
        itself = told.why and not told.secretly and told.why <= symbols and (shown.keys <= told.keys or not told.keys)
        if not chosen and not itself:
            what = effect.what.format(name_of(s)) + (", which all see," if "`" in effect.what else "")
            report_leak(v, told, s.span, what, "not all", UNSHOWN, v.shared.diagnostics.warning)
            return replace(path, warned=True)
    return path if path.warned else replace(PUBLIC, acts=path.acts)


def _may_ask(v: Walk, body: Sequence[CStatement]) -> bool:
    """Return whether somebody may be asked in some statements."""
    return any(
        isinstance(s, core.CChoose) or (isinstance(s, core.CCall) and s.procedure in v.asking) for s in walk(body)
    )


def _walk_assignment(v: Walk, s: core.CSet, env: Env, path: Label) -> None:
    """Give a local the label, key, presence and rows of the value assigned to it."""
    kind = bare(s.value.type)
    same = isinstance(kind.element if isinstance(kind, SetT) else kind, PlayerT) or isinstance(s.value.type, PieceT)
    key = key_of(v, s.value, env) if same else ("local", id(s.local))
    label, presence_label, size, value = label_of(v, s.value, env), presence(v, s.value, env), None, None
    sure = known_truth(v, s.value, env) if s.local.type == BOOL else None
    label = PUBLIC if sure is not None else label
    if label != PUBLIC:
        value = s.value, key_of(v, s.value, env)
        if isinstance(bare(s.local.type), SetT):
            presence_label, size = presence_in(v, s.value, env), join(size_label(v, s.value, env), path)
    rows = rows_of(v, s.value, env) if s.local.named else None
    pieces = pieces_that_tell(v, s.value, env) if label != PUBLIC and path == PUBLIC else ()
    if s.local in env.parameters:
        env.locals = {of: replace(k, pieces=()) if s.local in k.pieces else k for of, k in env.locals.items()}
    env.locals[s.local] = LocalLabel(
        join(label, path), key, join(presence_label, path), rows, size, value, pieces=pieces, truth=sure
    )
    note_found(v, s.local, s.value, env)


def _walk_call(v: Walk, s: core.CCall, env: Env, path: Label) -> None:
    """Walk a call as a statement: record what it reveals, and label the local that gets its result."""
    if s.procedure in v.asking and v.read is None:
        report_ends(v, env.ends)
    result = _walk_procedure(v, s.procedure, s.arguments, env, path, env)
    if s.result is not None:
        env.locals[s.result] = LocalLabel(join(result, path), ("local", id(s.result)))


def _walk_chance(v: Walk, s: core.CRandom, env: Env, path: Label) -> None:
    """Label the outcome of a chance node: known to those who know its arguments and that it is drawn."""
    presence_label, label = join(presence_in(v, s.args[0], env), path), labels_of(v, s.args, env)
    note_seers(v, s, env, label)
    size = join(presence_label, labels_of(v, s.args[1:], env))
    within = key_of(v, s.args[0], env) if isinstance(bare(s.args[0].type), BagT) else ()
    env.locals[s.result] = LocalLabel(
        join(label, path), ("local", id(s.result)), presence_label, None, size, within=within
    )
    note_found(v, s.result, s.args[0], env)


def _walk_effect(v: Walk, s: core.CDo, env: Env, path: Label) -> None:
    """Walk a plain effect: reveals change labels."""
    if s.op == "reveal":
        _walk_reveal(v, s, env, path)
    if s.op == "spend" and v.read is None:
        note_goods(v, s, env)
    if v.read is not None:
        labels_of(v, s.args, env)  # Inside a `possible`, what is only read counts as well.


def _walk_return(v: Walk, s: core.CReturn, env: Env, path: Label) -> None:
    """Join the returned value's label into the label of the procedure's result."""
    value = label_of(v, s.value, env) if s.value is not None else PUBLIC
    env.result = join(env.result, join(value, path))
    env.returns.append(dict(env.revealed))


def _walk_loop(v: Walk, s: core.CLoop | core.CFor, env: Env, path: Label) -> None:
    """Walk the body of a loop from a state in which everything it writes is unknown; join that with the state of no
    iteration."""
    if isinstance(s, core.CFor):
        path = join(path, size_label(v, s.collection, env))
    elements = owners_of(v, s.collection, env) if isinstance(s, core.CFor) else None
    shows = loop_shows(v, s.collection, env, path) if isinstance(s, core.CFor) and v.read is None else {}
    outside = env.locals
    ends = dict(env.ends)
    outer = env.forgotten, env.conditional
    env.forgotten, env.conditional = set(), []
    if isinstance(s, core.CFor):
        bind(v, s.local, s.collection, env)
    v.writes.bump(v.writes.within(s.body))
    note_loop(moves_within(v.shared.checked, s.body, v.moves), s.body, env, v.has_identity)
    before = _walk_alternative(v, env, (), path)
    after = _walk_statements(v, s.body, env, path)
    lost = {key for key in before[1] if key[0] == "shown" and key[1] in env.forgotten} - env.revealed.keys()
    if lost or (isinstance(s, core.CLoop) and after != path):
        # In a further round, what the first one hid is known no more.
        env.revealed = {key: seen for key, seen in before[1].items() if key not in lost}
        env.over = False
        _walk_statements(v, s.body, env, join(after, path))
    if v.read is None and _may_ask(v, s.body):
        report_ends(v, {span: label for span, label in env.ends.items() if span not in ends})
    shown = [(key, seen, None) for key, seen in env.revealed.items() if before[1].get(key) != seen]
    facts: list[Shown] = [*shown, *env.conditional]
    in_sight = isinstance(s, core.CFor) and env.locals[s.local].label == PUBLIC
    meet(env, [(env.locals, env.revealed), before])
    env.over = False
    leaves = any(isinstance(x, core.CBreak) and x.label == s.label for x in walk(s.body))
    if in_sight and not leaves:  # Whatever was gone through has come into sight.
        env.locals |= {local: known for local, known in shows.items() if outside.get(local) == env.locals.get(local)}
    if isinstance(s, core.CFor) and elements is not None and facts and not leaves:
        after_loop(v, s.local, elements, env, facts)
    env.forgotten, env.conditional = env.forgotten | outer[0], outer[1]


def _walk_conditional(v: Walk, s: core.CIf, env: Env, path: Label) -> Label:
    """Walk both branches of a condition, or the one that is known to be taken; return the label of the path after
    them."""
    if s.condition.op == "deferred":
        return path  # That the game will end was told when it was put off.
    sure = known_truth(v, s.condition, env)
    inner = join(path, label_of(v, s.condition, env)) if sure is None else path
    if sure is None and v.read is None and not env.tells_nothing(inner):
        told = join(path, shown_by_move(v, s.condition, s.then, env, path))
        inner = told if env.tells_nothing(told) else inner
    bodies = [(True, s.then), (False, s.otherwise)]
    if sure is not None:
        bodies = [(holds, body) for holds, body in bodies if holds == sure]
    ends, over, ended, before = [], [], list[bool](), dict(env.ends)
    for holds, body in bodies:
        env.ends = dict(before)
        with _assuming(v, env, [s.condition]) if holds else narrowed(v, env, [s.condition], False):
            ends.append(_walk_alternative(v, env, body, inner))
        over.append({span: label for span, label in env.ends.items() if span not in before})
        ended.append(env.over)
    env.over = all(ended)
    env.ends = before | {span: label for found in over for span, label in found.items()}
    if len(bodies) > 1 and v.read is None:
        for found, (_, other) in zip(over, reversed(bodies), strict=True):
            if found and inner != PUBLIC and _may_ask(v, other):
                report_ends(v, found)
        _note_conditional(v, env, s.condition, ends)
        note_several(v, env, s.condition, ends)
    leaves = [any(x.leaves for x in body) for _, body in bodies]
    meet(env, [end for end, leave in zip(ends, leaves, strict=True) if not leave] or ends)
    # That the game is over all see; that a rule was left they don't.
    left = any(isinstance(x, core.CReturn | core.CBreak) for _, body in bodies for x in body)
    return inner if left else path


def _note_conditional(v: Walk, env: Env, condition: CExpr, ends: Sequence[End]) -> None:
    """Note what was shown in one branch alone: known of all for whom the condition holds, or fails."""
    for (_, shown), (_, otherwise), where in zip(ends, ends[::-1], (condition, negated(condition)), strict=True):
        if where.op == "not" and (inner := expressions(where.args)[0]).op == "not":
            (where,) = expressions(inner.args)
        facts = [(key, seen) for key, seen in shown.items() if otherwise.get(key) != seen]
        env.conditional += [(*fact, (where, key_of(v, where, env))) for fact in facts]


def _walk_move(v: Walk, s: core.CMove, env: Env, path: Label) -> Label:
    """Walk a move: whoever sees the target zone learns which piece came there, and that this path was taken."""
    if v.read is not None:
        labels_of(v, (s.what, s.zone), env)
    sym = zone_symbol(s.zone)
    if sym is None:
        return path
    on_top = sym.view.top and s.end == "top"
    seen = PUBLIC if on_top else sight(v, sym, s.zone, env)
    single = isinstance(bare(s.what.type), PieceT)
    if v.read is None and (single or not on_top):
        note_moved(v, s.what, seen, env, path)
    if s.what.op != "local" or not isinstance(s.what.args[0], Local):
        return path
    known = env.locals.get(s.what.args[0])
    if known is not None:
        counted = sym.view.counts  # All see how many come.
        size, there = (PUBLIC, PUBLIC) if counted else (known.size, known.presence)
        label = declassified(known.label, seen)
        env.locals[s.what.args[0]] = replace(known, label=label, size=size, presence=there)
        if single and s.what.args[0] in env.parameters and path == PUBLIC:
            env.revealed[key_of(v, s.what, env)] = label  # so that the caller knows it, too
    return declassified(path, seen) if single else path


def _walk_reveal(v: Walk, s: core.CDo, env: Env, path: Label) -> None:
    """Widen the label of a revealed value to the seats that it is shown to; shown to all, it is public."""
    value, seats = expressions(s.args)[:2]
    if seats.op in EVERY:
        seen = PUBLIC
    elif seats.op == "others" and isinstance(seats.args[0], CExpr):
        seen = all_but(key_of(v, seats.args[0], env))
    elif seats.op == "list":
        seen = Label(False, frozenset(key_of(v, seat, env) for seat in expressions(seats.args)))
    else:
        return
    note_reveal(v, value, seen, env, path)


# ---- decisions


def _walk_decision(v: Walk, s: core.CChoose, env: Env, path: Label) -> Label:
    """Check a decision and walk its items; return the label of the path after it. At most one leak is reported for a
    decision."""
    seat: Key = ("local", id(s.you)) if s.you is not None else key_of(v, s.seat, env)
    before = path
    path = _check_asking(v, s, env, path, seat)
    chosen = only(seat) if s.secret else PUBLIC
    # What is looked ahead to nobody has chosen; what is due is paid, whichever way.
    free = v.read is None and (s.ask != "engine" or len(s.items) > 1)
    if free:
        chosen = acted(chosen, seat, s.secret)
    domain = _check_options(v, s, env, seat, chosen)
    domain = join(domain, only(seat)) if s.secret else domain
    if v.read is None:
        _check_question(v, s, env, before)
    for binder in (binder for item in s.items for binder in item.binders):
        known = env.locals[binder.local]
        label, there = known.label, known.presence
        label = join(label, only(seat)) if s.secret else label
        if v.read is None:
            label = acted(label, seat, s.secret) if free else label
            there = chosen if binder.kind == "some" or s.ask == "anyway" else PUBLIC
        of = binder.args[0]
        within = key_of(v, expressions(of.args)[0], env) if of.op == "sub_bags" else ()
        env.locals[binder.local] = replace(known, label=label, presence=there, within=within)
    # That it was asked, or not, all have seen; of a question that comes in any case what was chosen.
    path = replace(PUBLIC, acts=path.acts) if v.read is None else path
    unoffered = chosen if s.ask == "anyway" else _label_of_no_option(v, s, seat, env) if v.read is not None else PUBLIC
    ends, over, ended = [], dict(env.ends), list[bool]()
    for item in s.items:
        env.ends, entered = dict[Span, Label](), env.ends
        with _assuming(v, env, [guard.condition for guard in item.guards]):
            ends.append(_walk_alternative(v, env, item.body, join(path, chosen)))
        over |= env.ends
        env.ends = entered
        ended.append(env.over)
    env.ends = {}
    ends.append(_walk_alternative(v, env, s.otherwise or (), join(path, unoffered)))
    env.ends |= over
    env.over = all(ended) and (env.over or s.otherwise is None)
    meet(env, ends)
    if s.result is not None:
        key: Key = ("local", id(s.result))
        own = (
            replace(only(("own", key)), acts=NONE if s.secret else frozenset((seat,)))
            if domain == only(seat)
            else domain
        )
        env.locals[s.result] = LocalLabel(own, key)
    return path


def _check_question(v: Walk, s: core.CChoose, env: Env, path: Label) -> None:
    """Warn where somebody is asked, or not, by what not all may know and nobody has chosen before all."""
    report_ends(v, env.ends)
    env.ends = {}
    effect = effect_of(s)
    reacts = any(isinstance(b.local.type, ReactionT) for item in s.items for b in item.binders)
    always = REACTS if reacts else ALWAYS
    for told, hint in (
        (PUBLIC if path.warned else path, always),
        (effect.seen(v, s, env) or PUBLIC, TRADES if s.ask == "engine" else UNASKED),
    ):
        if v.reported is None and not env.tells_nothing(told) and not (told.why and told.why <= v.causes):
            v.reported = s.span
            report_leak(v, told, s.span, effect.what, "not all", hint, v.shared.diagnostics.warning)


def _check_asking(v: Walk, s: core.CChoose, env: Env, path: Label, seat: Key) -> Label:
    """Check that the asked seat may know that it is asked and what its prompt names; return the path, public after a
    report."""
    v.reported = None
    if s.you is not None:
        env.locals[s.you] = LocalLabel(PUBLIC, seat)
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
    path = path if check_known_to(v, path, seat, env, s.span, what) else PUBLIC
    check_known_to(v, label_of(v, s.seat, env), seat, env, s.span, "who is asked")
    if v.read is None:
        arguments = [(local, known) for local, known in env.locals.items() if not isinstance(local.type, PieceT)]
        v.secrets.arguments.update(local for local, known in arguments if not env.knows(seat, known.label))
    for local in [local for local in env.locals if local.name in _named_in_prompts(v, s.rule)]:
        if not isinstance(local.type, PieceT):  # a piece that the seat does not see is told as one of its kind
            what = f"the prompt that names `{local.name}`"
            check_known_to(v, label_of(v, CExpr("local", local.type, (local,)), env), seat, env, s.span, what)
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
            admitted = check_known_to(v, label, seat, env, binder.args[0].span, what, choice=True)
            domain = PUBLIC
            # How something is paid is chosen, how much is not.
            if admitted and (holds_pieces(binder.local.type) or s.ask == "engine"):
                domain = label if not env.revealed or s.ask == "engine" else label_unshown(v, binder.args, env)
            known = replace(env.locals[binder.local], label=domain)
            if binder.args[0].op == "payments":
                known = replace(known, size=label_of(v, expressions(binder.args[0].args)[0], env))
            further = labels_of(v, binder.args[1:], env)
            there = join(presence_in(v, binder.args[0], env), further)
            some = binder.kind == "some"
            env.locals[binder.local] = replace(
                known, presence=chosen if some else there, size=chosen if some else known.size
            )
        before = env.looking
        for guard in item.guards:  # Those before it hold where it is asked.
            check_known_to(v, label_of(v, guard.condition, env), seat, env, guard.condition.span, f"`{guard.reason}`")
            later, env.looking = env.looking | looks(v, guard.condition, env), before
            _record_secret_parts(v, guard.condition, seat, env)
            env.looking = later
        env.looking = before
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
        if condition.op in LOGIC:
            _record_secret_parts(v, part, seat, env)


def _walk_alternative(v: Walk, env: Env, body: Sequence[CStatement], path: Label) -> End:
    """Walk one of several alternative bodies; return the locals and reveals at its end, and restore `env` to its
    start."""
    before, revealed = dict(env.locals), dict(env.revealed)
    env.over = False
    _walk_statements(v, body, env, path)
    after = env.locals, env.revealed
    env.locals, env.revealed = before, revealed
    return after


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
