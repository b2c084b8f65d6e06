"""The public API: rulesets and games.

Enters: a ruleset's path; ids of actions. Leaves: `load`, `Ruleset`, `State`, `Action`.
"""

from rulelang.game.actions import Action, Decision
from rulelang.game.ruleset import Ruleset, load
from rulelang.game.scoring import ScoreLine, ScoreSheet
from rulelang.game.state import State

__all__ = ["Action", "Decision", "Ruleset", "ScoreLine", "ScoreSheet", "State", "load"]
