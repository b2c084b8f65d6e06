"""Mutation testing: which changes of a ruleset its scenarios notice."""

from rulelang.mutate.run import Outcome, Report, StoppedError, mutate

__all__ = ["Outcome", "Report", "StoppedError", "mutate"]
