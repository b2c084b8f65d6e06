"""Lowering: the checked tree becomes the intermediate representation, stage by stage.

Enters: `semantics.tree.Analysed`. Leaves: a verified `ir.Program`.
"""

from rulelang.compiler.stages import compile_ruleset

__all__ = ["compile_ruleset"]
