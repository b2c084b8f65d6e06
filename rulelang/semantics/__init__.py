"""Names, types, bounds, visibility, citations: what can be known of a ruleset without playing it.

Enters: a `WrittenRuleset`. Leaves: the checked tree and the bodies of its procedures (`Analysed`), or diagnostics.
"""
