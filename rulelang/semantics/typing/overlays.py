"""Lays the rules of variants over those of their base, so that what follows sees one set of declarations.

Enters: all declarations with the numbers of their layers. Leaves: those that stand, steps replaced, preceded, followed
and removed; and the names that were taken away. A declaration of a name replaces the lower one in its place. What two
layers change that know nothing of each other is a finding, unless both do the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace

from rulelang.diagnostics import Diagnostic, Diagnostics, Span, suggest
from rulelang.ruleset.clashes import Touch, report_clash
from rulelang.ruleset.model import WrittenRuleset
from rulelang.semantics.typing.steps import changed, steps_in
from rulelang.syntax import ast, print_node

Key = tuple[str, ...]

REMOVED = "remove"
SHOWN, SUGGESTED = 8, 20
_CALLABLE = (ast.Doing, ast.Giving, ast.ExchangeGroup)
_ONCE = ("setup", "play", "winner", "tie", "payoff")


def key_of(d: ast.Declaration) -> Key | None:
    """Return the key of a declaration: of two with one key, that in the higher layer stands."""
    if isinstance(d, _CALLABLE):
        return "callable", d.name.text
    if isinstance(d, ast.Score):
        return "score", d.name.text
    if isinstance(d, ast.Exchange) and d.group is not None:
        return "exchange", d.group.text, d.name.text
    return (d.word,) if d.word in _ONCE else None


def weave(
    rules: Sequence[tuple[int, ast.Declaration]], ruleset: WrittenRuleset, diagnostics: Diagnostics
) -> tuple[list[ast.Declaration], dict[str, Span]]:
    """Lay each layer over those below it: first what it removes, then what it declares, then how it changes steps.

    Returns the declarations that stand in the end, and the names that were taken away, each with the place.

    Findings: `overlay-clash`, `remove-unknown`, `step-unknown`, `step-ambiguous`, `name-duplicate`.
    """
    weaver = _Weaver(ruleset, diagnostics)
    for layer in sorted({layer for layer, _ in rules}):
        weaver.apply_layer(layer, [d for number, d in rules if number == layer])
    weaver.raise_hooked()
    return [s.whole() for s in weaver.standing if s.stands], weaver.removed


def explain_removed(diagnostics: Diagnostics, removed: dict[str, Span]) -> None:
    """Add to findings about unknown names where an overlay took the name away."""

    def explained(finding: Diagnostic) -> Diagnostic:
        """Return a finding about a name that an overlay removed with a hint where; any other finding unchanged."""
        names = re.findall(r"`(\w+)`", finding.message) if finding.code.endswith("-unknown") else []
        name = next((n for n in names if n in removed), None)
        if name is None:
            return finding
        place = removed[name]
        hint = f"`{name}` was removed by the overlay in {place.path}:{place.line}"
        return replace(finding, hint=hint, related=(*finding.related, (place, "removed here")))

    if removed:
        diagnostics.revise(explained)


@dataclass
class _Standing:
    """A declaration of `layer`; it no longer `stands` when it was removed. `exchanges` are those of a group by name."""

    layer: int
    key: Key | None
    declaration: ast.Declaration
    stands: bool = True
    exchanges: dict[str, ast.Exchange] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.declare(self.layer, self.declaration)

    def declare(self, layer: int, declaration: ast.Declaration) -> None:
        """Replace the declaration by one of `layer`."""
        self.layer, self.declaration = layer, declaration
        group = declaration.exchanges if isinstance(declaration, ast.ExchangeGroup) else ()
        # What has one name stands twice, for whoever reports that.
        self.exchanges = {}
        for exchange in group:
            self.add(exchange)

    def add(self, exchange: ast.Exchange) -> None:
        """Add an exchange; a second one of a name is stored under another key, so that the duplicate is reported
        later."""
        name = exchange.name.text
        self.exchanges[name if name not in self.exchanges else f"{name} {len(self.exchanges)}"] = exchange

    def whole(self) -> ast.Declaration:
        """Return the declaration with its present exchanges."""
        if isinstance(self.declaration, ast.ExchangeGroup):
            return replace(self.declaration, exchanges=tuple(self.exchanges.values()))
        return self.declaration

    @property
    def name(self) -> str:
        """The name of the declaration, as `of RULE` has it."""
        return self.key[-1] if self.key is not None else ""


@dataclass(frozen=True)
class _StepTouch:
    """What a layer does to a step; `timing` is empty for one that goes with what it stands in."""

    rule: str
    timing: str
    touch: Touch

    def agrees(self, other: _StepTouch) -> bool:
        """Return whether two changes of one step are compatible: insertions go with anything but the removal of the
        step."""
        timings = {self.timing, other.timing}
        if timings & {"before", "after"}:
            return REMOVED not in timings
        return self.touch.same == other.touch.same


Place = tuple[_Standing, ast.Step]


@dataclass
class _Weaver:
    """Attributes:
    standing: all declarations in their order. by_key: those that stand by name.
    removed: names that were taken away.
    touches: what layers did to declarations and exchanges. inner: what they did to steps and exchanges within one.
    steps: what they did to steps, by rule and name. removed_steps: steps that went away by name.
    """

    ruleset: WrittenRuleset
    diagnostics: Diagnostics
    standing: list[_Standing] = field(default_factory=list)
    by_key: dict[Key, _Standing] = field(default_factory=dict)
    removed: dict[str, Span] = field(default_factory=dict)
    touches: dict[Key, list[Touch]] = field(default_factory=lambda: defaultdict(list))
    inner: dict[Key, list[Touch]] = field(default_factory=lambda: defaultdict(list))
    steps: dict[tuple[str, str], list[_StepTouch]] = field(default_factory=lambda: defaultdict(list))
    removed_steps: dict[str, list[_StepTouch]] = field(default_factory=lambda: defaultdict(list))
    suggested: int = 0

    def __post_init__(self) -> None:
        """Read from the findings and layers so far what comparisons may report."""
        # Where rule text could not be read, whatever seems to be missing may stand in it.
        self.has_syntax_errors = any(d.code.startswith("syntax") for d in self.diagnostics)
        # Only where layers are independent it counts whether they say the same.
        layers = range(len(self.ruleset.layers))
        self.compares_texts = any(self.ruleset.independent(a, b) for a in layers for b in layers)

    def apply_layer(self, layer: int, declarations: Sequence[ast.Declaration]) -> None:
        """Apply one layer to the declarations below it: removals, declarations, exchanges, then step changes."""
        for d in declarations:
            if isinstance(d, ast.Removal):
                self.remove(layer, d)
        for d in declarations:
            if not isinstance(d, ast.Removal | ast.StepChange | ast.Exchange):
                self.declare(layer, d)
        for d in declarations:
            if isinstance(d, ast.Exchange):
                self.declare_exchange(layer, d)
        changes = [d for d in declarations if isinstance(d, ast.StepChange)]
        if changes:
            self.change_steps(layer, changes)

    def raise_hooked(self) -> None:
        """Turn each rule that a handler of another layer precedes, follows or replaces into an event."""
        for s in self.standing:
            if not s.stands or not isinstance(s.declaration, ast.Handler):
                continue
            hooked = self.by_key.get(("callable", s.declaration.event.text))
            rule = hooked.declaration if hooked is not None and hooked.layer != s.layer else None
            if hooked is not None and isinstance(rule, ast.Rule) and rule.returns is None:
                hooked.declaration = ast.Event(**{part.name: getattr(rule, part.name) for part in fields(rule)})

    def printed(self, d: ast.Declaration) -> str:
        """Return the printed declaration, equal for declarations that say the same; empty where no layers are
        independent."""
        return print_node(d) if self.compares_texts else ""

    def suggest(self, name: str, known: Sequence[str]) -> str:
        """Return a hint with the nearest known name; nothing after `SUGGESTED` searches, which are slow among many
        names."""
        self.suggested += 1
        return suggest(name, known) if self.suggested <= SUGGESTED else ""

    def independent(self, touches: Sequence[Touch], layer: int) -> list[Touch]:
        """Return the touches of layers that know nothing of `layer` (neither is laid over the other)."""
        return [touch for touch in touches if self.ruleset.independent(touch.layer, layer)]

    def report_clashes(self, touch: Touch, others: Sequence[Touch]) -> None:
        """Report a clash of a touch with each of `others` that comes from an independent layer."""
        for competitor in self.independent(others, touch.layer):
            report_clash(touch, competitor, self.diagnostics)

    def record_touch(self, key: Key, touch: Touch) -> None:
        """Record what a layer does to a declaration, and report clashes unless independent layers do the same to it."""
        self.report_clashes(touch, [other for other in self.touches[key] if other.same != touch.same])
        self.touches[key].append(touch)

    def find_below(self, key: Key, below: int) -> _Standing | None:
        """Return the present declaration of a key if it comes from a layer below `below`, else None."""
        standing = self.by_key.get(key)
        return standing if standing is not None and standing.layer < below else None

    # ---- whole declarations

    def declare(self, layer: int, d: ast.Declaration) -> None:
        """Add a declaration, or replace the one of its key from a lower layer in place."""
        key = key_of(d)
        if key is None:
            self.standing.append(_Standing(layer, None, d))
            return
        name = getattr(d, "name", None)
        touch = Touch(layer, _described(key), name.span if isinstance(name, ast.Name) else d.span, self.printed(d))
        self.record_touch(key, touch)
        lower = self.find_below(key, layer)
        if lower is not None:
            self.supersede(lower, touch)
            lower.declare(layer, d)
        else:
            new = _Standing(layer, key, d)
            self.standing.append(new)
            self.by_key.setdefault(key, new)

    def remove(self, layer: int, d: ast.Removal) -> None:
        """Apply a `remove`. Findings: `remove-unknown`."""
        name = d.name.text if d.name is not None else ""
        span = d.name.span if d.name is not None else d.span
        if d.group is not None:
            self.remove_exchange(layer, d, d.group.text, name, span)
            return
        sort = d.category if d.category in (*_ONCE, "score") else "callable"
        key: Key = (sort, name) if name else (sort,)
        standing = self.find_below(key, layer)
        category = standing.declaration.word if standing is not None else d.category
        if category != d.category:
            message = f"`{name}` is declared as `{category}`, not as `{d.category}`"
            self.diagnostics.error("remove-unknown", message, span, f"write `remove {category} {name}`")
            return
        taken = any(t.same == REMOVED for t in self.touches[key])
        touch = Touch(layer, _described(key), span, REMOVED)
        self.record_touch(key, touch)
        if standing is None:
            if not taken:
                known = self.by_key.items() if self.suggested < SUGGESTED else ()
                lower = [s for k, s in known if k[0] == sort and s.layer < layer]
                self.report_nothing_to_remove(d, span, [s.name for s in lower])
            return
        self.supersede(standing, touch)
        standing.stands = False
        del self.by_key[key]
        if name:
            self.removed[name] = d.span

    def report_nothing_to_remove(self, d: ast.Removal, span: Span, known: Sequence[str]) -> None:
        """Report a `remove` of what no lower layer declares, unless files with syntax errors may declare it."""
        if self.has_syntax_errors:
            return
        what = f"{d.category} `{d.name.text}`" if d.name is not None else f"`{d.category}`"
        hint = self.suggest(d.name.text, known) if d.name is not None else ""
        message = f"there is no {what} to remove"
        hint = hint or "`remove` takes away what is declared in a layer below this one"
        self.diagnostics.error("remove-unknown", message, span, hint)

    def supersede(self, old: _Standing, touch: Touch) -> None:
        """Record that the steps of a replaced or removed declaration are gone; report clashes with changes inside
        it."""
        assert old.key is not None
        for step in steps_in(old.declaration):
            self.removed_steps[step.name.text].append(_StepTouch(old.name, "", touch))
        self.report_clashes(touch, self.inner[old.key])

    # ---- exchanges of a group

    def group(self, name: str) -> _Standing | None:
        """Return the group of exchanges of this name."""
        standing = self.by_key.get(("callable", name))
        return standing if standing is not None and isinstance(standing.declaration, ast.ExchangeGroup) else None

    def touch_exchange(self, key: Key, touch: Touch) -> None:
        """Record what a layer does to an exchange; report clashes with changes of it and of its whole group."""
        self.record_touch(key, touch)
        self.report_clashes(touch, self.touches[("callable", key[1])])
        self.inner[("callable", key[1])].append(touch)

    def declare_exchange(self, layer: int, d: ast.Exchange) -> None:
        """Add an exchange to its group, in the place of a lower one of its name."""
        key = key_of(d)
        group = self.group(key[1]) if key is not None else None
        if key is None or group is None:
            self.standing.append(_Standing(layer, None, d))
            return
        again = group.layer == layer or any(t.layer == layer and t.same != REMOVED for t in self.touches[key])
        self.touch_exchange(key, Touch(layer, _described(key), d.name.span, self.printed(d)))
        if d.name.text in group.exchanges and not again:
            group.exchanges[d.name.text] = d
        else:
            group.add(d)

    def remove_exchange(self, layer: int, d: ast.Removal, name: str, exchange: str, span: Span) -> None:
        """Remove an exchange from its group. Findings: `remove-unknown`."""
        key = ("exchange", name, exchange)
        taken = any(t.same == REMOVED for t in self.touches[key])
        group = self.group(name)
        self.touch_exchange(key, Touch(layer, _described(key), span, REMOVED))
        if group is not None and exchange in group.exchanges:
            del group.exchanges[exchange]
        elif not taken:
            self.report_nothing_to_remove(d, span, list(group.exchanges) if group is not None else [])

    # ---- steps

    def change_steps(self, layer: int, changes: Sequence[ast.StepChange]) -> None:
        """Apply the step changes of a layer, after all its declarations; the bodies that they insert are not changed
        themselves.

        Findings: `step-unknown`, `step-ambiguous`, `name-duplicate`.
        """
        places: dict[str, list[Place]] = defaultdict(list)
        for s in self.standing:
            for step in steps_in(s.declaration) if s.stands else ():
                places[step.name.text].append((s, step))
        done: dict[int, list[ast.StepChange]] = defaultdict(list)
        holders: dict[int, _Standing] = {}
        for d in changes:
            target = self.find_step(layer, d, places)
            if target is not None and self.touch_step(layer, d, *target):
                done[id(target[1])].append(d)
                holders[id(target[0])] = target[0]
        for s in holders.values():
            self.record_lost_steps(layer, s, done)
            s.declaration = changed(s.declaration, done)

    def find_step(self, layer: int, d: ast.StepChange, places: dict[str, list[Place]]) -> Place | None:
        """Return the step that a change names, with its declaration; None after a finding that there is none or
        several."""
        rule = d.rule.text if d.rule is not None else ""
        if rule and not self.check_rule(layer, d.rule):
            return None
        candidates = [(s, step) for s, step in places.get(d.step.text, ()) if rule in ("", s.name)]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            self.report_ambiguous_step(d, candidates)
            return None
        known = places.items() if self.suggested < SUGGESTED else ()
        self.report_missing_step(layer, d, [name for name, ps in known if any(rule in ("", s.name) for s, _ in ps)])
        return None

    def check_rule(self, layer: int, rule: ast.Name | None) -> bool:
        """Return whether the rule after `of` is declared; report it if not. Findings: `step-unknown`."""
        if rule is None or ("callable", rule.text) in self.by_key or (rule.text,) in self.by_key:
            return True
        taken = self.independent(self.touches[("callable", rule.text)], layer)
        if taken:
            report_clash(Touch(layer, f"`{rule.text}`", rule.span, ""), taken[-1], self.diagnostics)
        elif not self.has_syntax_errors:
            known = [s.name for s in self.by_key.values()]
            hint = self.suggest(rule.text, known)
            self.diagnostics.error("step-unknown", f"there is no rule `{rule.text}`", rule.span, hint)
        return False

    def step_touch(self, layer: int, d: ast.StepChange) -> Touch:
        """Return what a layer does to a step; which rule it names makes no difference."""
        return Touch(layer, f"`step {d.step.text}`", d.step.span, self.printed(replace(d, rule=None)))

    def touch_step(self, layer: int, d: ast.StepChange, s: _Standing, step: ast.Step) -> bool:
        """Record a change of a step and report its clashes; return False if the layer makes the same kind of change
        twice.

        Findings: `name-duplicate`.
        """
        touch = self.step_touch(layer, d)
        mine = _StepTouch(s.name, d.timing, touch)
        known = self.steps[(s.name, step.name.text)]
        again = next((t.touch for t in known if t.touch.layer == layer and t.timing == d.timing), None)
        if again is not None:
            message = f"`{d.timing} step {d.step.text}` stands here a second time ({again.span.path}:{again.span.line})"
            related = [(again.span, "first here")]
            self.diagnostics.error("name-duplicate", message, d.step.span, "put both into one block", related)
            return False
        self.report_clashes(touch, [t.touch for t in known if not t.agrees(mine)])
        known.append(mine)
        if s.key is not None:
            self.report_clashes(touch, self.touches[s.key])
            self.inner[s.key].append(touch)
        return True

    def record_lost_steps(self, layer: int, s: _Standing, done: dict[int, list[ast.StepChange]]) -> None:
        """Record the steps inside replaced or removed ones as gone, and report changes of them by the same layer."""
        for step in steps_in(s.declaration):
            last = next((d for d in done.get(id(step), ()) if d.timing in ("instead of", REMOVED)), None)
            if last is None:
                continue
            touch = self.step_touch(layer, last)
            if last.body is None:
                self.removed_steps[step.name.text].append(_StepTouch(s.name, REMOVED, touch))
            for lost in steps_in(step.body):
                self.removed_steps[lost.name.text].append(_StepTouch(s.name, "", touch))
                for d in done.pop(id(lost), ()):
                    self.report_missing_step(layer, d, ())

    def report_missing_step(self, layer: int, d: ast.StepChange, known: Sequence[str]) -> None:
        """Report a change of a step that does not exist, or that a lower or independent layer took away."""
        rule, name = d.rule.text if d.rule is not None else "", d.step.text
        removals = [t for t in self.removed_steps[name] if rule in ("", t.rule)]
        if self.has_syntax_errors or any(t.timing == REMOVED == d.timing for t in removals):
            return
        taken = self.independent([t.touch for t in removals], layer)
        if taken:
            report_clash(Touch(layer, f"`step {name}`", d.step.span, ""), taken[0], self.diagnostics)
            return
        where = f" in `{rule}`" if rule else ""
        listed = ", ".join(sorted(known)[:SHOWN])
        hint = self.suggest(name, known) or (f"the steps{where} are {listed}" if known else "")
        if not any(steps_in(s.declaration) for s in self.standing if s.stands and rule in ("", s.name)):
            whose = where or " in what lies below"
            hint = f"there are no steps{whose}: only a part that has a name, `step NAME:`, can be changed alone"
        related = []
        if removals:
            place = removals[-1].touch.span
            hint = f"it went away in {place.path}:{place.line}"
            related.append((place, "it went away here"))
        self.diagnostics.error("step-unknown", f"there is no step `{name}`{where}", d.step.span, hint, related)

    def report_ambiguous_step(self, d: ast.StepChange, places: Sequence[Place]) -> None:
        """Report a change of a step whose name stands in several rules, or several times in one."""
        rules = {id(s): s.name for s, _ in places}
        if len(rules) == 1:
            rule = f"`{places[0][0].name}`" if places[0][0].name else "one declaration"
            message, hint = f"{rule} has several steps called `{d.step.text}`", "give each a name of its own"
        else:
            message = f"several rules have a step called `{d.step.text}`"
            hint = "write " + " or ".join([f"`of {name}`" for name in rules.values() if name][:SHOWN])
        related = [(step.name.span, "one is here") for _, step in places[:SHOWN]]
        self.diagnostics.error("step-ambiguous", message, d.step.span, hint, related)


def _described(key: Key) -> str:
    """Return a declaration as messages name it."""
    if key[0] == "exchange":
        return f"`exchange {key[2]} in {key[1]}`"
    return f"`score {key[1]}`" if key[0] == "score" else f"`{key[-1]}`"
