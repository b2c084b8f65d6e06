"""Holds a tree against a JSON Schema of `grammar/` and says in the author's words what does not fit, and where.

Enters: a merged tree. Leaves: findings with codes `schema-…`, the faults, and the tree as it was probably meant, so
that what is right in a faulty row can be checked too. The schema library, which is slow, sees only what `fits` refuses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, cast

from rulelang.diagnostics import Diagnostics
from rulelang.resources import grammar_path
from rulelang.ruleset.examples import example_at
from rulelang.ruleset.fallen_apart import fallen_apart
from rulelang.ruleset.faults import Fault
from rulelang.ruleset.fits import Predicate, compiled
from rulelang.ruleset.nodes import Mapping, Path, Scalar, at, plain, repaired
from rulelang.ruleset.schema_faults import SchemaExplainer

MAX_FAULTS = 200


@cache
def _inlined_schema(name: str) -> dict[str, Any]:
    """Load a schema with all references replaced by their definitions, which validates three times as fast."""
    schema: dict[str, Any] = json.loads(grammar_path(name).read_bytes())
    definitions, done = schema.pop("$defs", {}), dict[str, Any]()

    def inlined(node: Any) -> Any:
        """Return a part of the schema with its references replaced, each definition expanded once."""
        if isinstance(node, list):
            return [inlined(item) for item in node]
        if not isinstance(node, dict):
            return node
        beside = {key: inlined(value) for key, value in node.items() if key != "$ref"}
        if "$ref" not in node:
            return beside
        name = node["$ref"].rpartition("/")[2]
        if name not in done:
            done[name] = inlined(definitions[name])
        return beside | done[name]

    return cast("dict[str, Any]", inlined(schema))


@cache
def _predicate(schema_name: str) -> Predicate:
    """Return the compiled predicate of a schema."""
    return compiled(_inlined_schema(schema_name))


def validate(tree: Mapping, schema_name: str, diagnostics: Diagnostics) -> tuple[Fault, ...]:
    """Validate a tree against a schema, report the faults and return them (none for a valid tree).

    Args:
        tree: a whole file or a merged ruleset.
        schema_name: the schema's file in `grammar/`.
    """
    if _predicate(schema_name)(plain(tree)):
        return ()
    faults = _faults(tree, schema_name)
    bad_keys = {fault.path for fault in faults if fault.code == "schema-name"}
    wrong = {fault.path for fault in faults if fault.code == "schema-type"}
    for fault in faults:
        node = at(tree, fault.path)
        said = isinstance(node, Scalar) and node.broken
        said = said or any(fault.path[:steps] in wrong for steps in range(1, len(fault.path)))
        if not said and fault.message and (fault.path not in bad_keys or fault.code == "schema-name"):
            diagnostics.error(fault.code, fault.message, fault.span, fault.hint)
    if len(faults) == MAX_FAULTS:
        diagnostics.error("schema-too-many", "too many faults: the rest is not shown", faults[-1].span)
        faults.append(Fault((), faults[-1].span, "", ""))
    return tuple(faults)


def _faults(tree: Mapping, schema_name: str) -> list[Fault]:
    """Return the schema's faults in a tree, at most `MAX_FAULTS`."""
    from jsonschema import Draft202012Validator

    schema = _inlined_schema(schema_name)
    explainer = SchemaExplainer(tree)
    errors = Draft202012Validator(schema).iter_errors(plain(tree))
    apart = [*fallen_apart(tree, schema)]
    told = {fault.path for fault in apart}
    faults = (fault for error in errors for fault in explainer.explain(error) if fault.path not in told)
    return [_with_example(fault, schema) for fault in islice((*apart, *faults), MAX_FAULTS)]


_SHAPES = ("schema-type", "schema-form", "schema-unknown-key", "schema-missing", "schema-empty")


def _with_example(fault: Fault, schema: dict[str, Any]) -> Fault:
    """Return a fault of shape that has no hint with what stands in such a place."""
    if fault.hint or fault.code not in _SHAPES or " such as " in fault.message or not fault.message:
        return fault
    if not (shown := example_at(schema, fault.path)):
        return fault
    return replace(fault, hint=f"as in `{shown}`")


def mended(tree: Mapping, schema_name: str, faults: Sequence[Fault]) -> tuple[Mapping | None, list[Fault]]:
    """Repair a tree as far as it can be guessed; return it with the faults by which rows or values are lost.

    A misspelt key is read as the one that it is nearest to. Of a row with a faulty value the rest is kept if it is a
    row without that value; else the row goes. The tree is None if nothing can be built from it.
    """
    if any(not fault.path for fault in faults):
        return None, list(faults)
    lost: list[Fault] = []
    renamed: dict[Path, str] = {}
    for fault in sorted(faults, key=lambda fault: -len(fault.path)):
        above = at(tree, fault.path[:-1])
        taken = {meant for path, meant in renamed.items() if path[:-1] == fault.path[:-1]}
        if fault.meant and isinstance(above, Mapping) and fault.meant not in taken | above.entries.keys():
            renamed[fault.path] = fault.meant
        else:
            lost.append(fault)
    left = repaired(tree, dict.fromkeys(fault.path for fault in lost) | renamed)
    while isinstance(left, Mapping) and (rest := _faults(left, schema_name)):
        rows = frozenset(section_path(fault.path, left) for fault in rest)
        if () in rows or len(rest) == MAX_FAULTS:
            return None, lost
        # A row whose misspelt key made up for what it lacks: what is wrong with it has been said as far as is known.
        lost += rest
        left = repaired(left, dict.fromkeys(rows))
    return (left if isinstance(left, Mapping) else None), lost


def section_path(path: Path, tree: Mapping) -> Path:
    """Return the prefix of a path that leads to a whole row: section and name, or section, kind and index."""
    if path[:1] == ("pieces",):
        return path[:3]
    return path[:1] if isinstance(at(tree, path[:1]), Scalar) else path[:2]
