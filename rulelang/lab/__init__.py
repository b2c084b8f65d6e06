"""The balance lab: studies of many games, their measures, and what these say about a game's balance.

Enters: settings (a ruleset, its options, bots). Leaves: rows of games in a folder; figures with intervals; reports.
"""
