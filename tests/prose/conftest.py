from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rulelang.prose import RuleWriter
from rulelang.ruleset.model import WrittenRuleset
from tests.prose.sentences import HERE, load, writers


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of shop.yaml as a ruleset."""
    folder = tmp_path_factory.mktemp("shop")
    shutil.copy(HERE / "shop.yaml", folder / "ruleset.yaml")
    return folder


@pytest.fixture(scope="session")
def shop_ruleset(shop: Path) -> WrittenRuleset:
    return load(shop)


@pytest.fixture(scope="session")
def shop_writers(shop_ruleset: WrittenRuleset) -> dict[str, RuleWriter]:
    return writers(shop_ruleset)
