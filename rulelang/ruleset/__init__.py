"""Reads a ruleset's YAML with places, validates it, lays variants over their base.

Enters: a folder or the name of a shipped ruleset. Leaves: one `WrittenRuleset`, its `Scenario`s, and findings. DSL
texts stay text.
"""

from rulelang.ruleset.loader import load_ruleset
from rulelang.ruleset.model import Text, WrittenRuleset
from rulelang.ruleset.scenarios import Expectation, Scenario, load_scenarios

__all__ = ["Expectation", "Scenario", "Text", "WrittenRuleset", "load_ruleset", "load_scenarios"]
