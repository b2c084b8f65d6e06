"""Generated C: whole games at the speed of programs written by hand."""

from rulelang.backends.native.machine import NativeMachine

__all__ = ["NativeMachine"]
