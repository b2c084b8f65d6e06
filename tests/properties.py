"""Hypothesis as tests use it: how long something takes says nothing on a machine with other work to do. Importing it
takes half a second, so whoever needs it imports it from here. It would read all our sources for constants to try with,
which takes five seconds; its plugin, which pyproject.toml leaves out, as well."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

__all__ = ["given", "settings", "st"]

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

if hasattr(providers, "is_local_module_file"):
    providers.is_local_module_file = lambda _: False
