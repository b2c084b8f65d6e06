"""Answers questions about a ruleset while it is written: what is wrong, what a name means, where it is used.

Enters: the folder of a ruleset, texts as they stand in editors, places in them. Leaves: findings in two waves, places,
texts for people, edits. What has no faults answers from its last analysis; while it has some, from the one before.
"""

from rulelang.service.project import Project

__all__ = ["Project"]
