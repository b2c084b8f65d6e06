"""Lays the rules of variants over those of their base, so that what follows sees one set of declarations.

Enters: all declarations with the numbers of their layers. Leaves: those that stand, steps replaced, preceded, followed
and removed; and the names that were taken away. A declaration of a name replaces the lower one in its place. What two
layers change that know nothing of each other is a finding, unless both do the same.
"""

from __future__ import annotations

import dataclasses
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from rulelang.diagnostics import Diagnostic, Diagnostics, Span, suggest
from rulelang.ruleset.clashes import Touch, report_clash
from rulelang.ruleset.model import Ruleset
from rulelang.semantics.steps import changed, steps_in
from rulelang.syntax import ast, print_declaration

Key = tuple[str, ...]

REMOVED = "remove"
SHOWN, SUGGESTED = 8, 20
_CALLABLE = (ast.Rule, ast.Function, ast.QuantityDecl, ast.Event, ast.Ability, ast.AbilityValue, ast.ExchangeGroup)
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


@dataclass(frozen=True)
class Woven:
    """The declarations that stand in the end; `removed` are names that an overlay took away, with the place."""

    declarations: tuple[ast.Declaration, ...]
    removed: dict[str, Span]


def weave(rules: Sequence[tuple[int, ast.Declaration]], ruleset: Ruleset, diagnostics: Diagnostics) -> Woven:
    """Lay each layer over those below it: first what it removes, then what it declares, then how it changes steps.

    Findings: `overlay-clash`, `remove-unknown`, `step-unknown`, `step-ambiguous`, `name-duplicate`.
    """
    weaver = _Weaver(ruleset, diagnostics)
    for layer in sorted({layer for layer, _ in rules}):
        weaver.lay(layer, [d for number, d in rules if number == layer])
    return Woven(tuple(s.whole() for s in weaver.standing if s.stands), weaver.removed)


def explain_removed(diagnostics: Diagnostics, removed: dict[str, Span]) -> None:
    """Add to findings about unknown names where an overlay took the name away."""

    def explained(finding: Diagnostic) -> Diagnostic:
        names = re.findall(r"`(\w+)`", finding.message) if finding.code.endswith("-unknown") else []
        name = next((n for n in names if n in removed), None)
        if name is None:
            return finding
        place = removed[name]
        hint = f"`{name}` was removed by the overlay in {place.path}:{place.line}"
        return dataclasses.replace(finding, hint=hint, related=(*finding.related, (place, "removed here")))

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
        """Note that another declaration stands here."""
        self.layer, self.declaration = layer, declaration
        group = declaration.exchanges if isinstance(declaration, ast.ExchangeGroup) else ()
        # What has one name stands twice, for whoever reports that.
        self.exchanges = {}
        for exchange in group:
            self.add(exchange)

    def add(self, exchange: ast.Exchange) -> None:
        """Add one more exchange, even if there is one of its name."""
        name = exchange.name.text
        self.exchanges[name if name not in self.exchanges else f"{name} {len(self.exchanges)}"] = exchange

    def whole(self) -> ast.Declaration:
        """Return the declaration as it is now."""
        if isinstance(self.declaration, ast.ExchangeGroup):
            return dataclasses.replace(self.declaration, exchanges=tuple(self.exchanges.values()))
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
        """Return whether both can be done: what is put before or after a step goes with all but its removal."""
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

    ruleset: Ruleset
    diagnostics: Diagnostics
    standing: list[_Standing] = field(default_factory=list)
    by_key: dict[Key, _Standing] = field(default_factory=dict)
    removed: dict[str, Span] = field(default_factory=dict)
    touches: dict[Key, list[Touch]] = field(default_factory=lambda: defaultdict(list))
    inner: dict[Key, list[Touch]] = field(default_factory=lambda: defaultdict(list))
    steps: dict[tuple[str, str], list[_StepTouch]] = field(default_factory=lambda: defaultdict(list))
    removed_steps: dict[str, list[_StepTouch]] = field(default_factory=lambda: defaultdict(list))
    suggested: int = 0
    quiet: bool = False
    apart: bool = False

    def __post_init__(self) -> None:
        # Where rule text could not be read, whatever seems to be missing may stand in it.
        self.quiet = any(d.code.startswith("syntax") for d in self.diagnostics)
        # Only where layers are independent it counts whether they say the same.
        layers = range(len(self.ruleset.layers))
        self.apart = any(self.ruleset.independent(a, b) for a in layers for b in layers)

    def lay(self, layer: int, declarations: Sequence[ast.Declaration]) -> None:
        """Lay one layer over what stands."""
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

    def same(self, d: ast.Declaration) -> str:
        """Return a text that is equal for two declarations that say the same."""
        return print_declaration(d) if self.apart else ""

    def suggest(self, name: str, known: Sequence[str]) -> str:
        """Return the nearest name; not for the hundredth mistake, since looking takes long among many."""
        self.suggested += 1
        return suggest(name, known) if self.suggested <= SUGGESTED else ""

    def independent(self, touches: Sequence[Touch], layer: int) -> list[Touch]:
        """Return those touches whose overlays are independent of this layer."""
        return [touch for touch in touches if self.ruleset.independent(touch.layer, layer)]

    def clash(self, touch: Touch, others: Sequence[Touch]) -> None:
        """Report those of `others` that are independent of the layer that does this."""
        for competitor in self.independent(others, touch.layer):
            report_clash(touch, competitor, self.diagnostics)

    def touch(self, key: Key, touch: Touch) -> None:
        """Note what a layer does to a name; another overlay may only have done the same."""
        self.clash(touch, [other for other in self.touches[key] if other.same != touch.same])
        self.touches[key].append(touch)

    def find(self, key: Key, below: int) -> _Standing | None:
        """Return the declaration of this name that stands, if it comes from a layer lower than `below`."""
        standing = self.by_key.get(key)
        return standing if standing is not None and standing.layer < below else None

    # ---- whole declarations

    def declare(self, layer: int, d: ast.Declaration) -> None:
        """Put a declaration in the place of the lower one of its name."""
        key = key_of(d)
        if key is None:
            self.standing.append(_Standing(layer, None, d))
            return
        name = getattr(d, "name", None)
        touch = Touch(layer, _described(key), name.span if isinstance(name, ast.Name) else d.span, self.same(d))
        self.touch(key, touch)
        lower = self.find(key, layer)
        if lower is not None:
            self.take(lower, touch)
            lower.declare(layer, d)
        else:
            new = _Standing(layer, key, d)
            self.standing.append(new)
            self.by_key.setdefault(key, new)

    def remove(self, layer: int, d: ast.Removal) -> None:
        """Remove a declaration. Findings: `remove-unknown`."""
        name = d.name.text if d.name is not None else ""
        span = d.name.span if d.name is not None else d.span
        if d.group is not None:
            self.remove_exchange(layer, d, d.group.text, name, span)
            return
        sort = d.category if d.category in (*_ONCE, "score") else "callable"
        key: Key = (sort, name) if name else (sort,)
        standing = self.find(key, layer)
        category = standing.declaration.word if standing is not None else d.category
        if category != d.category:
            message = f"`{name}` is declared as `{category}`, not as `{d.category}`"
            self.diagnostics.error("remove-unknown", message, span, f"write `remove {category} {name}`")
            return
        taken = any(t.same == REMOVED for t in self.touches[key])
        touch = Touch(layer, _described(key), span, REMOVED)
        self.touch(key, touch)
        if standing is None:
            if not taken:
                known = self.by_key.items() if self.suggested < SUGGESTED else ()
                lower = [s for k, s in known if k[0] == sort and s.layer < layer]
                self.nothing_to_remove(d, span, [s.name for s in lower])
            return
        self.take(standing, touch)
        standing.stands = False
        del self.by_key[key]
        if name:
            self.removed[name] = d.span

    def nothing_to_remove(self, d: ast.Removal, span: Span, known: Sequence[str]) -> None:
        if self.quiet:
            return
        what = f"{d.category} `{d.name.text}`" if d.name is not None else f"`{d.category}`"
        hint = self.suggest(d.name.text, known) if d.name is not None else ""
        message = f"there is no {what} to remove"
        hint = hint or "`remove` takes away what is declared in a layer below this one"
        self.diagnostics.error("remove-unknown", message, span, hint)

    def take(self, old: _Standing, touch: Touch) -> None:
        """Remove what stands for a name, with its steps and exchanges; no other overlay may have changed them."""
        assert old.key is not None
        for step in steps_in(old.declaration):
            self.removed_steps[step.name.text].append(_StepTouch(old.name, "", touch))
        self.clash(touch, self.inner[old.key])

    # ---- exchanges of a group

    def group(self, name: str) -> _Standing | None:
        """Return the group of exchanges of this name."""
        standing = self.by_key.get(("callable", name))
        return standing if standing is not None and isinstance(standing.declaration, ast.ExchangeGroup) else None

    def touch_exchange(self, key: Key, touch: Touch) -> None:
        self.touch(key, touch)
        self.clash(touch, self.touches[("callable", key[1])])
        self.inner[("callable", key[1])].append(touch)

    def declare_exchange(self, layer: int, d: ast.Exchange) -> None:
        """Add an exchange to its group, in the place of a lower one of its name."""
        key = key_of(d)
        group = self.group(key[1]) if key is not None else None
        if key is None or group is None:
            self.standing.append(_Standing(layer, None, d))
            return
        again = group.layer == layer or any(t.layer == layer and t.same != REMOVED for t in self.touches[key])
        self.touch_exchange(key, Touch(layer, _described(key), d.name.span, self.same(d)))
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
            self.nothing_to_remove(d, span, list(group.exchanges) if group is not None else [])

    # ---- steps

    def change_steps(self, layer: int, changes: Sequence[ast.StepChange]) -> None:
        """Change the steps that stand when all of the layer is declared; what a change brings is not changed itself.

        Findings: `step-unknown`, `step-ambiguous`, `name-duplicate`.
        """
        places: dict[str, list[Place]] = defaultdict(list)
        for s in self.standing:
            for step in steps_in(s.declaration) if s.stands else ():
                places[step.name.text].append((s, step))
        done: dict[int, list[ast.StepChange]] = defaultdict(list)
        holders: dict[int, _Standing] = {}
        for d in changes:
            target = self.place(layer, d, places)
            if target is not None and self.touch_step(layer, d, *target):
                done[id(target[1])].append(d)
                holders[id(target[0])] = target[0]
        for s in holders.values():
            self.lose_steps(layer, s, done)
            s.declaration = changed(s.declaration, done)

    def place(self, layer: int, d: ast.StepChange, places: dict[str, list[Place]]) -> Place | None:
        """Return the step that is meant; None after a finding."""
        rule = d.rule.text if d.rule is not None else ""
        if rule and not self.has_rule(layer, d.rule):
            return None
        candidates = [(s, step) for s, step in places.get(d.step.text, ()) if rule in ("", s.name)]
        if len(candidates) == 1:
            return candidates[0]
        if candidates:
            self.several(d, candidates)
            return None
        known = places.items() if self.suggested < SUGGESTED else ()
        self.no_step(layer, d, [name for name, ps in known if any(rule in ("", s.name) for s, _ in ps)])
        return None

    def has_rule(self, layer: int, rule: ast.Name | None) -> bool:
        """Return whether there is a rule, or what else `of` may name. Findings: `step-unknown`."""
        if rule is None or ("callable", rule.text) in self.by_key or (rule.text,) in self.by_key:
            return True
        taken = self.independent(self.touches[("callable", rule.text)], layer)
        if taken:
            report_clash(Touch(layer, f"`{rule.text}`", rule.span, ""), taken[-1], self.diagnostics)
        elif not self.quiet:
            known = [s.name for s in self.by_key.values()]
            hint = self.suggest(rule.text, known)
            self.diagnostics.error("step-unknown", f"there is no rule `{rule.text}`", rule.span, hint)
        return False

    def touch_step(self, layer: int, d: ast.StepChange, s: _Standing, step: ast.Step) -> bool:
        """Note what a layer does to a step; False if it has done so before. Findings: `name-duplicate`."""
        touch = Touch(layer, f"`step {d.step.text}`", d.step.span, self.same(dataclasses.replace(d, rule=None)))
        mine = _StepTouch(s.name, d.timing, touch)
        known = self.steps[(s.name, step.name.text)]
        again = next((t.touch for t in known if t.touch.layer == layer and t.timing == d.timing), None)
        if again is not None:
            message = f"`{d.timing} step {d.step.text}` stands here a second time ({again.span.path}:{again.span.line})"
            related = [(again.span, "first here")]
            self.diagnostics.error("name-duplicate", message, d.step.span, "put both into one block", related)
            return False
        self.clash(touch, [t.touch for t in known if not t.agrees(mine)])
        known.append(mine)
        if s.key is not None:
            self.clash(touch, self.touches[s.key])
            self.inner[s.key].append(touch)
        return True

    def lose_steps(self, layer: int, s: _Standing, done: dict[int, list[ast.StepChange]]) -> None:
        """Note the steps that go with others; that the layer changes them as well is a mistake."""
        for step in steps_in(s.declaration):
            last = next((d for d in done.get(id(step), ()) if d.timing in ("instead of", REMOVED)), None)
            if last is None:
                continue
            touch = Touch(
                layer, f"`step {last.step.text}`", last.step.span, self.same(dataclasses.replace(last, rule=None))
            )
            if last.body is None:
                self.removed_steps[step.name.text].append(_StepTouch(s.name, REMOVED, touch))
            for lost in steps_in(step.body):
                self.removed_steps[lost.name.text].append(_StepTouch(s.name, "", touch))
                for d in done.pop(id(lost), ()):
                    self.no_step(layer, d, ())

    def no_step(self, layer: int, d: ast.StepChange, known: Sequence[str]) -> None:
        """Report a step that is not there: it never was, or something took it away."""
        rule, name = d.rule.text if d.rule is not None else "", d.step.text
        removals = [t for t in self.removed_steps[name] if rule in ("", t.rule)]
        if self.quiet or any(t.timing == REMOVED == d.timing for t in removals):
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

    def several(self, d: ast.StepChange, places: Sequence[Place]) -> None:
        """Report a step that stands more than once: in several rules, or several times in one."""
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
