"""The balance lab: studies of many games, measures of them, what they say of a game's balance.

Enters: settings (a ruleset, its options, bots). Leaves: rows of games in a folder; figures with intervals; reports.
"""
