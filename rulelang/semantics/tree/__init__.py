"""The checked tree: its types, classes and symbols, and what the checkers of a ruleset share."""
