"""What the OpenAPI document says is what the server does: schemathesis makes requests of it, right and wrong ones."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from rulelang.web.api.server import OPERATIONS
from tests.docs.test_front_end import serving

EXAMPLES = 3
"""How many requests of each operation."""


LONGEST = 5_000
"""The characters of a query: HTTP servers cut off those of 64 KiB, however long each part may be."""


def made(address: str) -> dict[str, Any]:
    """A new game with a bot: its name and tokens."""
    body = json.dumps({"ruleset": "kuhn", "spectators": "public"}).encode()
    with urlopen(Request(f"{address}/games", body, {"Content-Type": "application/json"})) as answer:
        game: dict[str, Any] = json.load(answer)
        return game


@pytest.mark.soak
def test_the_server_is_as_its_document_says() -> None:
    """No request is a fault of the server, each answer is of its schema, what a schema does not allow is refused. That
    what it allows is taken is not asked: what a ruleset has not is wrong usage, too."""
    schemathesis = pytest.importorskip("schemathesis", reason="it is no light library")
    from hypothesis import HealthCheck, Phase, assume, given, settings
    from hypothesis import strategies as st
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    tried, faults = set(), []
    with serving() as server:
        schema = schemathesis.openapi.from_url(f"{server}/api/v1/openapi.json")
        game = made(f"{server}/api/v1")
        known = {"game": game["game"], "place": "0", "ruleset": "kuhn", "name": "x.png"}
        headers = {"Authorization": f"Bearer {game['tokens']['0']}"}
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.path.endswith(("/stream", "/renew")):  # one has no end, the other ends the token
                continue
            tried.add(operation.path)
            for mode in schemathesis.GenerationMode:
                strategy = operation.as_strategy(generation_mode=mode)

                @given(case=strategy, real=st.booleans())
                @settings(
                    max_examples=EXAMPLES, deadline=None, phases=[Phase.generate], database=None, derandomize=True,
                    suppress_health_check=list(HealthCheck),
                )  # fmt: skip
                def send(case: Any, real: bool) -> None:
                    if real and mode.is_positive:  # noqa: B023 - called at once
                        case.path_parameters |= {name: known[name] for name in case.path_parameters or {}}
                    assume(len(str(case.query)) < LONGEST)
                    if "wait" in (case.query or {}):
                        del case.query["wait"]
                    case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

                try:
                    send()
                except Exception as error:  # noqa: BLE001 - all of them are told at once
                    faults.append(f"{operation.label}: {getattr(error, 'exceptions', [error])}")
    assert faults == []
    left = {operation.name for operation in OPERATIONS if operation.path not in tried}
    assert left <= {"stream", "renew", "openapi"}  # the document itself is read, if not asked for like the others
