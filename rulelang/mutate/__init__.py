"""Mutation testing: which changes of a ruleset its scenarios notice."""

from rulelang.mutate.run import MutantOutcome, MutationReport, MutationStoppedError, mutate

__all__ = ["MutantOutcome", "MutationReport", "MutationStoppedError", "mutate"]
