"""Rules in words: every rule text has sentences in each language that nobody wrote.

Enters: a written ruleset, its lexicon, syntax trees. Leaves: sentences, by one template for each construct and
language, and the faces of pieces. Where the ruleset has a sentence for a rule (`gain: "{who} gains {n} coins"`), it is
used.
"""

from rulelang.prose.faces import Face, Faces, face
from rulelang.prose.rules import PHASES, RuleText, rule_texts
from rulelang.prose.writer import RuleWriter

__all__ = ["PHASES", "Face", "Faces", "RuleText", "RuleWriter", "face", "rule_texts"]
