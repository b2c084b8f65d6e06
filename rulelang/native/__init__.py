"""Generated C: whole games at the speed of programs written by hand."""

from rulelang.native.build import build_cost, cached
from rulelang.native.compilers import BuildError, find_compiler, has_compiler
from rulelang.native.machine import NativeCode

__all__ = ["BuildError", "NativeCode", "build_cost", "cached", "find_compiler", "has_compiler"]
