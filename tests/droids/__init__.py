"""The ruleset `droids`."""
