"""Reads a ruleset's YAML with places, validates it, lays variants over their base.

Enters: a folder or the name of a shipped ruleset. Leaves: one `Ruleset`, its `Scenario`s, and findings. DSL texts
stay text.
"""

from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.model import Ruleset, Text
from rulelang.ruleset.scenarios import Expectation, Scenario, load_scenarios

__all__ = ["Expectation", "Ruleset", "Scenario", "Text", "load_ruleset", "load_scenarios"]
