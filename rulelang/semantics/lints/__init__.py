"""Lints: what a faultless ruleset says that its author hardly meant. A module for each sort, on the checked tree."""
