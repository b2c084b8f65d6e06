"""Names, types, bounds, visibility, citations: what can be known of a ruleset without playing it.

Enters: a `ruleset.Ruleset` and the syntax trees of its DSL. Leaves: a `Checked` tree, or diagnostics.
"""
